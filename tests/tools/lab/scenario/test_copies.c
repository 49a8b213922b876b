/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/copies.h"
#include "scenario_fixture.h"
#include "test.h"

/* The small scenario with the TCP flow's name replaced by `name`, and `count` copies of it. */
static struct lab_scenario *load_copies(const char *name, const char *more)
{
    char *to = g_strdup_printf("\"name\": \"%s\", %s", name, more);
    struct lab_scenario *scenario = load_with("\"name\": \"tcp\"", to);
    g_free(to);
    return scenario;
}

static void test_copies_have_numbers_and_a_group(void)
{
    static const struct {
        const char *name, *second, *group;
    } cases[] = {
        {"x", "x.2", "x"},        {"x-{i}", "x-2", "x"},
        {"x{i}", "x2", "x"},      {"{i}", "2", "flows"},
        {"x{2*i}y", "x4y", "xy"}, {"{tested}", "tfrc.2", "tfrc"},
        {"x{n}", "x3.2", "x3"},   {"{i}_{tested}", "2_tfrc", "_tfrc"},
        {"x{i/2}", "x1", "x"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lab_scenario *s = load_copies(cases[i].name, "\"count\": 3");
        g_assert_cmpuint(s->n_flows, ==, 4);
        g_assert_cmpstr(s->flows[2]->name, ==, cases[i].second);
        g_assert_cmpstr(s->flows[2]->group, ==, cases[i].group);
        lab_scenario_free(s);
    }
}

static void test_one_copy_keeps_its_name_and_none_is_none(void)
{
    struct lab_scenario *s = load_copies("x", "\"count\": 1");
    g_assert_cmpstr(s->flows[1]->name, ==, "x");
    lab_scenario_free(s);
    s = load_copies("x", "\"count\": 0");
    g_assert_cmpuint(s->n_flows, ==, 1);
    lab_scenario_free(s);
}

static void test_a_flow_without_copies_is_checked_all_the_same(void)
{
    char *content = text_replace(SMALL, "\"name\": \"tcp\"",
                                 "\"name\": \"x\", \"count\": 0, \"packet_byte\": 1");
    assert_bad(content, NULL, "flows.x.packet_byte = 1: unknown field; did you mean packet_bytes?");
    g_free(content);
}

static void test_spreads_are_even_drawn_or_in_turns(void)
{
    struct lab_scenario *s =
        load_copies("x", "\"count\": 5, \"start_s\": {\"even\": [1, 3]}, \"stop_s\": [7, 8], "
                         "\"rtt_ms\": {\"uniform\": [40, 50]}");
    gboolean differ = FALSE;
    for (guint i = 0; i < 5; i++) {
        const struct lab_flow *f = s->flows[1 + i];
        int64_t rtt_ns = f->entry_ns + f->back_exit_ns + WEIR_MS(40);
        g_assert_cmpint(f->start_ns, ==, WEIR_MS(1000 + 500 * i));
        g_assert_cmpint(f->stop_ns, ==, WEIR_SECONDS(7 + i % 2));
        g_assert_cmpint(rtt_ns, >=, WEIR_MS(40));
        g_assert_cmpint(rtt_ns, <=, WEIR_MS(50));
        differ = differ || f->entry_ns != s->flows[1]->entry_ns;
    }
    g_assert_true(differ);
    lab_scenario_free(s);
}

static int64_t drawn_ns(const char *seed, const char *more)
{
    char *to = g_strdup_printf("\"seed\": %s, \"vars\"", seed);
    char *seeded = text_replace(SMALL, "\"vars\"", to);
    char *content = text_replace(seeded, "{\"name\": \"tcp\"", more);
    struct lab_scenario *s = load_good(content);
    int64_t start_ns = s->flows[s->n_flows - 1]->start_ns;
    lab_scenario_free(s);
    g_free(content);
    g_free(seeded);
    g_free(to);
    return start_ns;
}

static void test_draws_depend_on_the_seed_and_the_name_alone(void)
{
    static const char drawn[] = "{\"name\": \"tcp\", \"start_s\": {\"uniform\": [0, 9]}";
    static const char behind[] = "{\"name\": \"first\", \"from\": \"R1\", \"to\": \"R2\", "
                                 "\"algorithm\": \"tcp-reno\"}, "
                                 "{\"name\": \"tcp\", \"start_s\": {\"uniform\": [0, 9]}";
    g_assert_cmpint(drawn_ns("1", drawn), ==, drawn_ns("1", drawn));
    g_assert_cmpint(drawn_ns("1", drawn), ==, drawn_ns("1", behind));
    g_assert_cmpint(drawn_ns("1", drawn), !=, drawn_ns("2", drawn));
}

static void test_links_are_copied_with_their_nodes(void)
{
    struct lab_scenario *s = load_good(
        "{\"duration_s\": 1, \"vars\": {\"hops\": 3}, \"links\": [{\"name\": \"h{i}\", \"from\": "
        "\"R{i}\", \"to\": \"R{i+1}\", \"count\": \"=hops\", \"capacity_bps\": 1e6, \"delay_ms\": "
        "[1, 2], \"reverse\": {\"delay_ms\": {\"even\": [5, 7]}}}], \"flows\": [{\"name\": \"a\", "
        "\"from\": \"R1\", \"to\": \"R{hops+1}\", \"algorithm\": \"tcp-sack\"}]}");
    g_assert_cmpuint(s->n_links, ==, 6);
    g_assert_cmpstr(s->links[4]->name, ==, "h3");
    g_assert_cmpstr(s->links[4]->to, ==, "R4");
    g_assert_cmpstr(s->links[5]->name, ==, "h3.reverse");
    g_assert_cmpint(s->links[2]->config.delay_ns, ==, WEIR_MS(2));
    g_assert_cmpint(s->links[3]->config.delay_ns, ==, WEIR_MS(6));
    g_assert_cmpuint(s->flows[0]->n_links, ==, 3);
    lab_scenario_free(s);
}

static void test_a_hundred_thousand_flows_are_the_most(void)
{
    struct lab_scenario *s = load_copies("x", "\"count\": 99999");
    g_assert_cmpuint(s->n_flows, ==, 100000);
    lab_scenario_free(s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_copies/copies_have_numbers_and_a_group",
                    test_copies_have_numbers_and_a_group);
    g_test_add_func("/scenario_copies/one_copy_keeps_its_name_and_none_is_none",
                    test_one_copy_keeps_its_name_and_none_is_none);
    g_test_add_func("/scenario_copies/a_flow_without_copies_is_checked_all_the_same",
                    test_a_flow_without_copies_is_checked_all_the_same);
    g_test_add_func("/scenario_copies/spreads_are_even_drawn_or_in_turns",
                    test_spreads_are_even_drawn_or_in_turns);
    g_test_add_func("/scenario_copies/draws_depend_on_the_seed_and_the_name_alone",
                    test_draws_depend_on_the_seed_and_the_name_alone);
    g_test_add_func("/scenario_copies/links_are_copied_with_their_nodes",
                    test_links_are_copied_with_their_nodes);
    g_test_add_func("/scenario_copies/a_hundred_thousand_flows_are_the_most",
                    test_a_hundred_thousand_flows_are_the_most);
    return g_test_run();
}
