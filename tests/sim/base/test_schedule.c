/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/schedule.h"
#include "weir/units.h"

#define STEPS 16

struct parsed {
    struct weir__schedule_step steps[STEPS];
    size_t n_steps;
    int64_t period_ns;
    char error[160];
    enum weir_status status;
};

static struct parsed parse(const char *text)
{
    struct parsed p = {.n_steps = 99, .period_ns = -1};
    p.status = weir__schedule_parse(text, WEIR__SCHEDULE_OF_RATES, p.steps, STEPS, &p.n_steps,
                                    &p.period_ns, p.error, sizeof p.error);
    return p;
}

static void test_text_form_is_read(void)
{
    struct parsed p = parse("0:2500000,20:1M,40.5:2500k,60:0");
    static const struct weir__schedule_step expected[] = {
        {.at_ns = 0, .rate_bps = 2500000},
        {.at_ns = WEIR_SECONDS(20), .rate_bps = 1000000},
        {.at_ns = WEIR_MS(40500), .rate_bps = 2500000},
        {.at_ns = WEIR_SECONDS(60), .rate_bps = 0}};
    g_assert_cmpint(p.status, ==, WEIR_OK);
    g_assert_cmpuint(p.n_steps, ==, G_N_ELEMENTS(expected));
    g_assert_cmpint(p.period_ns, ==, 0);
    for (size_t i = 0; i < p.n_steps; i++) {
        g_assert_cmpint(p.steps[i].at_ns, ==, expected[i].at_ns);
        g_assert_cmpint(p.steps[i].rate_bps, ==, expected[i].rate_bps);
    }
}

static void test_errors_name_the_entry_and_what_would_be_right(void)
{
    static const struct {
        const char *text;
        const char *entry;
        const char *says;
    } cases[] = {
        {"", "entry 1 \"\"", "expected SECONDS:RATE"},
        {"5", "entry 1 \"5\"", "expected SECONDS:RATE"},
        {"0:1M,x:2M", "entry 2 \"x:2M\"", "expected SECONDS:RATE"},
        {"0:1M,10", "entry 2 \"10\"", "expected SECONDS:RATE"},
        {"0:1M,", "entry 2 \"\"", "expected SECONDS:RATE"},
        {"0:1M,5:fast", "entry 2 \"5:fast\"", "rate in bit/s"},
        {"0:-1", "entry 1 \"0:-1\"", "rate in bit/s"},
        {"0:1M,5:2M,5:3M", "entry 3 \"5:3M\"", "later than"},
        {"5:1M,2:2M", "entry 2 \"2:2M\"", "later than"},
        {"0:1M;5:2M", "entry 1", "comma"},
        {"0:1Mbps", "entry 1 \"0:1Mbps\"", "the end behind the value"},
        {"5:repeat", "entry 1", "last entry"},
        {"0:1M,5:repeat,6:2M", "entry 2", "last entry"},
        {"0:1M,5:repeated", "entry 2", "last entry"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct parsed p = parse(cases[i].text);
        g_test_message("\"%s\" -> %s", cases[i].text, p.error);
        g_assert_cmpint(p.status, ==, WEIR_ERROR_MALFORMED);
        g_assert_nonnull(strstr(p.error, cases[i].entry));
        g_assert_nonnull(strstr(p.error, cases[i].says));
        g_assert_cmpuint(p.n_steps, ==, 99);
        g_assert_cmpint(p.period_ns, ==, -1);
    }
}

static void test_delays_have_their_unit(void)
{
    static const struct weir__schedule_step expected[] = {
        {.at_ns = 0, .delay_ns = WEIR_MS(50)},
        {.at_ns = WEIR_SECONDS(20), .delay_ns = WEIR_US(90500)},
        {.at_ns = WEIR_SECONDS(30), .delay_ns = 0}};
    struct weir__schedule_step steps[STEPS];
    struct weir__schedule s;
    size_t n = 0;
    int64_t period_ns = 0;
    g_assert_cmpint(weir__schedule_parse("0:50ms,20:90.5ms,30:0,60:repeat",
                                         WEIR__SCHEDULE_OF_DELAYS, steps, STEPS, &n, &period_ns,
                                         NULL, 0),
                    ==, WEIR_OK);
    g_assert_cmpuint(n, ==, G_N_ELEMENTS(expected));
    g_assert_cmpint(period_ns, ==, WEIR_SECONDS(60));
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpint(steps[i].at_ns, ==, expected[i].at_ns);
        g_assert_cmpint(steps[i].delay_ns, ==, expected[i].delay_ns);
    }
    weir__schedule_init(&s, 7, steps + 1, n - 1, 0);
    g_assert_cmpint(weir__schedule_value(&s, WEIR_MS(19999)), ==, 7);
    g_assert_cmpint(weir__schedule_value(&s, WEIR_SECONDS(20)), ==, WEIR_US(90500));
}

static void test_wrong_delays_are_named(void)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"5", "delay schedule entry 1 \"5\": expected SECONDS:DELAY"},
        {"0:10ms,5:20", "delay schedule entry 2 \"5:20\": expected a delay"},
        {"0:3601s", "entry 1 \"0:3601s\": expected a delay from 0 to 3600s"},
        {"0:10msec", "entry 1 \"0:10msec\": expected a comma"},
        {"5:1ms,5:2ms", "entry 2 \"5:2ms\": its time must be later"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__schedule_step steps[STEPS];
        char error[160];
        size_t n = 0;
        int64_t period_ns = 0;
        g_assert_cmpint(weir__schedule_parse(cases[i].text, WEIR__SCHEDULE_OF_DELAYS, steps, STEPS,
                                             &n, &period_ns, error, sizeof error),
                        ==, WEIR_ERROR_MALFORMED);
        g_test_message("%s", error);
        g_assert_nonnull(strstr(error, cases[i].says));
    }
}

static void test_long_entries_are_cut_in_the_error(void)
{
    struct parsed p =
        parse("0:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    g_assert_nonnull(strstr(p.error, "\"0:xxxxxxxxxxxxxxxxxxxxxx\": expected"));
}

static void test_more_entries_than_room_is_an_error(void)
{
    struct weir__schedule_step steps[2];
    size_t n = 7;
    int64_t period_ns = 7;
    char error[80];
    g_assert_cmpuint(weir__schedule_count("0:1,1:2,2:3"), ==, 3);
    g_assert_cmpint(weir__schedule_parse("0:1,1:2,2:3", WEIR__SCHEDULE_OF_RATES, steps, 2, &n,
                                         &period_ns, error, sizeof error),
                    ==, WEIR_ERROR_NO_SPACE);
    g_assert_cmpuint(n, ==, 7);
    g_assert_nonnull(strstr(error, "more than 2"));
}

static void test_rate_is_that_of_the_last_step_reached(void)
{
    struct parsed p = parse("1:100,2:200,5:0,6:300");
    static const struct {
        int64_t at_ms, rate_bps, next_ms;
    } cases[] = {{0, 50, 1000},     {999, 50, 1000}, {1000, 100, 2000}, {1999, 100, 2000},
                 {4000, 200, 5000}, {5500, 0, 6000}, {6000, 300, -1},   {900000, 300, -1}};
    struct weir__schedule s;
    weir__schedule_init(&s, 50, p.steps, p.n_steps, p.period_ns);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpint(weir__schedule_value(&s, WEIR_MS(cases[i].at_ms)), ==, cases[i].rate_bps);
        g_assert_cmpint(s.next_change_ns, ==,
                        cases[i].next_ms < 0 ? WEIR_NEVER_NS : WEIR_MS(cases[i].next_ms));
    }
}

static void test_constant_rate_never_changes(void)
{
    struct weir__schedule s;
    weir__schedule_init(&s, 1234, NULL, 0, 0);
    g_assert_cmpint(s.next_change_ns, ==, WEIR_NEVER_NS);
    g_assert_cmpint(weir__schedule_value(&s, INT64_MAX - 1), ==, 1234);
}

/* Rate at a time by definition: the last step at or before it within the period. */
static int64_t expected_rate(const struct parsed *p, int64_t now_ns)
{
    int64_t in_period_ns = now_ns % p->period_ns;
    int64_t rate_bps = now_ns < p->period_ns ? 7 : p->steps[p->n_steps - 1].rate_bps;
    for (size_t i = 0; i < p->n_steps && p->steps[i].at_ns <= in_period_ns; i++) {
        rate_bps = p->steps[i].rate_bps;
    }
    return rate_bps;
}

static void test_repeating_schedule_agrees_with_its_definition(void)
{
    static const char *const texts[] = {"0:100,3:200,10:repeat", "1:100,3:200,4:300,7:repeat",
                                        "0:5,1:repeat", "2:5,3:repeat"};
    static const int64_t strides_ms[] = {100, 333, 2500, 10000, 71000};
    for (size_t t = 0; t < G_N_ELEMENTS(texts); t++) {
        struct parsed p = parse(texts[t]);
        g_assert_cmpint(p.status, ==, WEIR_OK);
        for (size_t k = 0; k < G_N_ELEMENTS(strides_ms); k++) {
            struct weir__schedule s;
            weir__schedule_init(&s, 7, p.steps, p.n_steps, p.period_ns);
            for (int64_t i = 0; i < 300; i++) {
                int64_t now_ns = WEIR_MS(i * strides_ms[k]);
                g_assert_cmpint(weir__schedule_value(&s, now_ns), ==, expected_rate(&p, now_ns));
                g_assert_cmpint(s.next_change_ns, >, now_ns);
            }
        }
    }
}

static void test_century_of_silence_is_skipped_at_once(void)
{
    struct parsed p = parse("0:100,0.001:200,0.002:repeat");
    struct weir__schedule s;
    weir__schedule_init(&s, 0, p.steps, p.n_steps, p.period_ns);
    g_assert_cmpint(weir__schedule_value(&s, WEIR_SECONDS(3155760000)), ==, 100);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/schedule/text_form_is_read", test_text_form_is_read);
    g_test_add_func("/sim/schedule/errors_name_the_entry_and_what_would_be_right",
                    test_errors_name_the_entry_and_what_would_be_right);
    g_test_add_func("/sim/schedule/delays_have_their_unit", test_delays_have_their_unit);
    g_test_add_func("/sim/schedule/wrong_delays_are_named", test_wrong_delays_are_named);
    g_test_add_func("/sim/schedule/long_entries_are_cut_in_the_error",
                    test_long_entries_are_cut_in_the_error);
    g_test_add_func("/sim/schedule/more_entries_than_room_is_an_error",
                    test_more_entries_than_room_is_an_error);
    g_test_add_func("/sim/schedule/rate_is_that_of_the_last_step_reached",
                    test_rate_is_that_of_the_last_step_reached);
    g_test_add_func("/sim/schedule/constant_rate_never_changes", test_constant_rate_never_changes);
    g_test_add_func("/sim/schedule/repeating_schedule_agrees_with_its_definition",
                    test_repeating_schedule_agrees_with_its_definition);
    g_test_add_func("/sim/schedule/century_of_silence_is_skipped_at_once",
                    test_century_of_silence_is_skipped_at_once);
    return g_test_run();
}
