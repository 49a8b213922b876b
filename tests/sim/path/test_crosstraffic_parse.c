/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/random.h"
#include "sim/path/crosstraffic.h"
#include "weir/units.h"

struct parsed {
    struct weir__cross_item items[WEIR__CROSS_ITEMS];
    size_t n;
    enum weir_status status;
    char error[240];
};

static struct parsed parse(const char *text)
{
    struct parsed p = {.n = 77};
    p.status =
        weir__crosstraffic_parse(text, p.items, WEIR__CROSS_ITEMS, &p.n, p.error, sizeof p.error);
    return p;
}

static void assert_item(const struct weir__cross_item *actual, struct weir__cross_item expected)
{
    g_assert_cmpint(actual->kind, ==, expected.kind);
    g_assert_cmpint(actual->variant, ==, expected.variant);
    g_assert_cmpint(actual->count, ==, expected.count);
    g_assert_cmpint(actual->rate_bps, ==, expected.rate_bps);
    g_assert_cmpint(actual->on_ns, ==, expected.on_ns);
    g_assert_cmpint(actual->off_ns, ==, expected.off_ns);
    g_assert_cmpint(actual->start_ns, ==, expected.start_ns);
    g_assert_cmpint(actual->stop_ns, ==, expected.stop_ns);
    g_assert_cmpint(actual->rtt_ns, ==, expected.rtt_ns);
    g_assert_cmpint(actual->size_bytes, ==, expected.size_bytes);
}

static void test_examples_of_the_header_are_read(void)
{
    struct parsed p = parse("reno*2;cbr:700000,on=20,off=20");
    g_assert_cmpint(p.status, ==, WEIR_OK);
    g_assert_cmpuint(p.n, ==, 2);
    assert_item(&p.items[0], (struct weir__cross_item){.variant = WEIR__TCP_RENO,
                                                       .count = 2,
                                                       .stop_ns = WEIR_NEVER_NS,
                                                       .rtt_ns = WEIR_UNKNOWN_NS,
                                                       .size_bytes = 1500});
    assert_item(&p.items[1], (struct weir__cross_item){.kind = WEIR__CROSS_CBR,
                                                       .count = 1,
                                                       .rate_bps = 700000,
                                                       .on_ns = WEIR_SECONDS(20),
                                                       .off_ns = WEIR_SECONDS(20),
                                                       .stop_ns = WEIR_NEVER_NS,
                                                       .rtt_ns = WEIR_UNKNOWN_NS,
                                                       .size_bytes = 1500});
    p = parse("sack*4,start=10,stop=60,rtt=0.08");
    g_assert_cmpint(p.status, ==, WEIR_OK);
    assert_item(&p.items[0], (struct weir__cross_item){.variant = WEIR__TCP_SACK,
                                                       .count = 4,
                                                       .start_ns = WEIR_SECONDS(10),
                                                       .stop_ns = WEIR_SECONDS(60),
                                                       .rtt_ns = WEIR_MS(80),
                                                       .size_bytes = 1500});
}

static void test_every_option_has_its_place(void)
{
    struct parsed p = parse("newreno,size=1000,rtt=0;cbr:1.5M*3,stop=9,off=.5,on=2.25,size=200,"
                            "start=0.000000001;");
    g_assert_cmpint(p.status, ==, WEIR_OK);
    g_assert_cmpuint(p.n, ==, 2);
    assert_item(&p.items[0], (struct weir__cross_item){.variant = WEIR__TCP_NEWRENO,
                                                       .count = 1,
                                                       .stop_ns = WEIR_NEVER_NS,
                                                       .size_bytes = 1000});
    assert_item(&p.items[1], (struct weir__cross_item){.kind = WEIR__CROSS_CBR,
                                                       .count = 3,
                                                       .rate_bps = 1500000,
                                                       .on_ns = WEIR_MS(2250),
                                                       .off_ns = WEIR_MS(500),
                                                       .start_ns = 1,
                                                       .stop_ns = WEIR_SECONDS(9),
                                                       .rtt_ns = WEIR_UNKNOWN_NS,
                                                       .size_bytes = 200});
}

static void test_empty_text_is_no_traffic(void)
{
    struct parsed p = parse("");
    g_assert_cmpint(p.status, ==, WEIR_OK);
    g_assert_cmpuint(p.n, ==, 0);
}

static void test_errors_name_the_item_and_what_is_allowed(void)
{
    static const struct {
        const char *text;
        const char *item;
        const char *says;
    } cases[] = {
        {"udp*3", "item 1 \"udp*3\"", "westwood, cubic, prague, linux-reno, linux-cubic and cbr"},
        {";", "item 1 \"\"", "unknown kind"},
        {"reno;;sack", "item 2 \"\"", "unknown kind"},
        {"renos", "item 1 \"renos\"", "unknown kind"},
        {" reno", "item 1", "unknown kind"},
        {"reno;tahoe*2", "item 2 \"tahoe*2\"", "unknown kind"},
        {"reno:700000", "item 1", "only cbr takes a rate"},
        {"cbr", "item 1 \"cbr\"", "needs a rate"},
        {"cbr*2", "item 1", "needs a rate"},
        {"cbr:0", "item 1", "1 to 1000G"},
        {"cbr:x", "item 1", "1 to 1000G"},
        {"cbr:1001G", "item 1", "1 to 1000G"},
        {"reno*0", "item 1", "1 to 1000"},
        {"reno*1001", "item 1", "1 to 1000"},
        {"reno*", "item 1", "1 to 1000"},
        {"reno*two", "item 1", "1 to 1000"},
        {"reno*600;sack*600", "item 2", "more than 1000 flows"},
        {"reno,speed=5", "item 1", "TCP kinds take start, stop, size and rtt"},
        {"reno,on=5", "item 1", "TCP kinds take"},
        {"cbr:1M,rtt=5", "item 1", "cbr takes start, stop, size, on and off"},
        {"reno,", "item 1", "unknown option"},
        {"reno,start", "item 1", "start takes seconds"},
        {"reno,start=", "item 1", "start takes seconds"},
        {"reno,start=-1", "item 1", "start takes seconds"},
        {"reno,startx=1", "item 1", "unknown option"},
        {"reno,stop=soon", "item 1", "stop takes seconds"},
        {"reno,stop=5,start=5", "item 1", "stop must be later than start"},
        {"reno,stop=0", "item 1", "stop must be later than start"},
        {"reno,size=40", "item 1", "41 to 65535"},
        {"reno,size=65536", "item 1", "41 to 65535"},
        {"reno,rtt=61", "item 1", "0 to 60 seconds"},
        {"cbr:1M,on=0,off=5", "item 1", "on takes seconds above 0"},
        {"cbr:1M,on=5,off=0", "item 1", "off takes seconds above 0"},
        {"cbr:1M,on=5", "item 1", "only work together"},
        {"cbr:1M,off=5", "item 1", "only work together"},
        {"reno*2x", "item 1", "expected *COUNT"},
        {"reno,start=5s", "item 1", "expected *COUNT"},
        {"reno*2*2", "item 1", "expected *COUNT"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct parsed p = parse(cases[i].text);
        g_test_message("\"%s\" -> %s", cases[i].text, p.error);
        g_assert_cmpint(p.status, ==, WEIR_ERROR_MALFORMED);
        g_assert_nonnull(strstr(p.error, cases[i].item));
        g_assert_nonnull(strstr(p.error, cases[i].says));
        g_assert_cmpuint(p.n, ==, 77);
    }
}

static void test_too_many_items_are_refused(void)
{
    GString *text = g_string_new("reno");
    for (int i = 1; i < WEIR__CROSS_ITEMS; i++) {
        g_string_append(text, ";reno");
    }
    g_assert_cmpint(parse(text->str).status, ==, WEIR_OK);
    g_string_append(text, ";sack");
    struct parsed p = parse(text->str);
    g_assert_cmpint(p.status, ==, WEIR_ERROR_MALFORMED);
    g_assert_nonnull(strstr(p.error, "item 33 \"sack\": too many"));
    g_string_free(text, TRUE);
}

static void test_long_items_are_cut_in_the_error(void)
{
    struct parsed p =
        parse("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    g_assert_nonnull(strstr(p.error, "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\""));
    g_assert_cmpint(weir__crosstraffic_parse("x", p.items, 1, &p.n, NULL, 0), ==,
                    WEIR_ERROR_MALFORMED);
}

/* Random texts from the pieces of the grammar: never a crash, and what is accepted is in range. */
static void test_accepted_items_are_always_in_range(void)
{
    static const char *const pieces[] = {"reno",
                                         "newreno",
                                         "sack",
                                         "vegas",
                                         "westwood",
                                         "cubic",
                                         "linux-reno",
                                         "linux-cubic",
                                         "cbr",
                                         ":",
                                         "*",
                                         ",",
                                         ";",
                                         "start=",
                                         "stop=",
                                         "rtt=",
                                         "size=",
                                         "on=",
                                         "off=",
                                         "1",
                                         "700k",
                                         "0",
                                         "99999999999999999999",
                                         ".",
                                         "-",
                                         "2"};
    struct weir__random random;
    int accepted = 0;
    weir__random_init(&random, 81, 0);
    for (int i = 0; i < 200000; i++) {
        char text[256] = "";
        int64_t n = 1 + weir__random_below(&random, 8);
        for (int64_t k = 0; k < n; k++) {
            g_strlcat(text, pieces[weir__random_below(&random, G_N_ELEMENTS(pieces))], sizeof text);
        }
        struct parsed p = parse(text);
        if (p.status != WEIR_OK) {
            g_assert_cmpstr(p.error, !=, "");
            continue;
        }
        accepted++;
        for (size_t k = 0; k < p.n; k++) {
            const struct weir__cross_item *item = &p.items[k];
            g_assert_true(item->count >= 1 && item->count <= 1000);
            g_assert_true(item->start_ns >= 0 && item->stop_ns > item->start_ns);
            g_assert_true(item->size_bytes > 40 && item->size_bytes < 65536);
            g_assert_true((item->kind == WEIR__CROSS_CBR) == (item->rate_bps > 0));
            g_assert_true((item->on_ns > 0) == (item->off_ns > 0));
        }
    }
    g_assert_cmpint(accepted, >, 1000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/crosstraffic_parse/examples_of_the_header_are_read",
                    test_examples_of_the_header_are_read);
    g_test_add_func("/sim/crosstraffic_parse/every_option_has_its_place",
                    test_every_option_has_its_place);
    g_test_add_func("/sim/crosstraffic_parse/empty_text_is_no_traffic",
                    test_empty_text_is_no_traffic);
    g_test_add_func("/sim/crosstraffic_parse/errors_name_the_item_and_what_is_allowed",
                    test_errors_name_the_item_and_what_is_allowed);
    g_test_add_func("/sim/crosstraffic_parse/too_many_items_are_refused",
                    test_too_many_items_are_refused);
    g_test_add_func("/sim/crosstraffic_parse/long_items_are_cut_in_the_error",
                    test_long_items_are_cut_in_the_error);
    g_test_add_func("/sim/crosstraffic_parse/accepted_items_are_always_in_range",
                    test_accepted_items_are_always_in_range);
    return g_test_run();
}
