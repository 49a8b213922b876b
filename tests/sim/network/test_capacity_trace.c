/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/random.h"
#include "sim/network/capacity_trace.h"
#include "weir/units.h"

#define LINES 16

struct parsed {
    int64_t at_ms[LINES];
    size_t n;
    char error[120];
    enum weir_status status;
};

static struct parsed parse(const char *text)
{
    struct parsed p = {.n = 99};
    p.status = weir__capacity_trace_parse(text, p.at_ms, LINES, &p.n, p.error, sizeof p.error);
    return p;
}

static void test_lines_are_milliseconds(void)
{
    static const char *const same[] = {"0\n3\n3\n10\n", "0\n3\n3\n10", "0\r\n 3\t\n\n3\n10\n\n"};
    static const int64_t expected_ms[] = {0, 3, 3, 10};
    for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
        struct parsed p = parse(same[i]);
        g_assert_cmpint(p.status, ==, WEIR_OK);
        g_assert_cmpuint(p.n, ==, 4);
        g_assert_cmpuint(weir__capacity_trace_count(same[i]), >=, 4);
        g_assert_true(memcmp(p.at_ms, expected_ms, sizeof expected_ms) == 0);
        g_assert_cmpint(weir__capacity_trace_check(p.at_ms, p.n), ==, WEIR_OK);
    }
}

static void test_errors_name_the_line(void)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"1\n2\nx\n", "line 3: expected a whole number of milliseconds"},
        {"1\n\n2.5\n", "line 3: expected a whole number"},
        {"5 7\n", "line 1: expected nothing but a whole number"},
        {"5\n4\n", "line 2: its time must not be earlier"},
        {"-1\n", "line 1: expected a whole number"},
        {"1000000001\n", "line 1: expected a whole number of milliseconds up to 10^9"},
        {"99999999999999999999\n", "line 1: expected a whole number"},
        {"", "later than 0 ms"},
        {"\n\n", "later than 0 ms"},
        {"0\n0\n", "later than 0 ms"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct parsed p = parse(cases[i].text);
        g_test_message("%s", p.error);
        g_assert_cmpint(p.status, ==, WEIR_ERROR_MALFORMED);
        g_assert_nonnull(strstr(p.error, cases[i].says));
        g_assert_cmpuint(p.n, ==, 99);
    }
    int64_t two_ms[2];
    size_t n = 7;
    g_assert_cmpint(weir__capacity_trace_parse("1\n2\n3\n", two_ms, 2, &n, NULL, 0), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpuint(n, ==, 7);
}

/* Whatever the text: either an error that says where, or a trace that passes the check. */
static void test_any_text_is_a_trace_or_an_error(void)
{
    static const char letters[] = "0019\n\n\n\r \t.-x";
    const uint64_t seed = 11;
    struct weir__random random;
    int good = 0;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    weir__random_init(&random, seed, 0);
    for (int i = 0; i < 200000; i++) {
        char text[13] = "";
        int64_t length = weir__random_below(&random, 13);
        int64_t n_letters = i % 2 ? 7 : (int64_t)sizeof letters - 1;
        for (int64_t k = 0; k < length; k++) {
            text[k] = letters[weir__random_below(&random, n_letters)];
        }
        struct parsed p = parse(text);
        if (p.status == WEIR_OK) {
            g_assert_cmpint(weir__capacity_trace_check(p.at_ms, p.n), ==, WEIR_OK);
            g_assert_cmpuint(p.n, <=, weir__capacity_trace_count(text));
            good++;
        } else {
            g_assert_true(g_str_has_prefix(p.error, "line ") ||
                          g_str_has_prefix(p.error, "a trace"));
        }
    }
    g_assert_cmpint(good, >, 10000);
}

static void test_times_that_descend_are_refused(void)
{
    static const int64_t bad[][3] = {{1, 3, 2}, {-1, 2, 3}, {0, 0, 0}, {1, 2, 2000000000}};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__capacity_trace_check(bad[i], 3), ==, WEIR_ERROR_RANGE);
    }
    g_assert_cmpint(weir__capacity_trace_check(bad[0], 0), ==, WEIR_ERROR_RANGE);
}

/* Opportunities at 2, 5, 5, 10, then at 12, 15, 15, 20 ... A packet of 1500 bytes takes one, 750
 * bytes leave 750 for the next packet at the same instant, 3000 bytes need two. */
static void test_packets_use_opportunities_as_in_mahimahi(void)
{
    static const int64_t at_ms[] = {2, 5, 5, 10};
    static const struct {
        int64_t now_ms, size_bytes, sent_ms;
    } packets[] = {
        {0, 1500, 2},   {2, 1500, 5},   {5, 1500, 5}, {5, 748, 10},
        {10, 748, 10},  {10, 1500, 12}, /* what was left is none: 748 + 4 are half */
        {12, 3000, 15},                 /* both */
        {15, 1500, 20}, {20, 4000, 25}, /* the one at 22 and two at 25: 508 are left */
        {25, 504, 25},  {25, 1, 30},
    };
    struct weir__capacity_trace trace;
    weir__capacity_trace_init(&trace, at_ms, G_N_ELEMENTS(at_ms));
    for (size_t i = 0; i < G_N_ELEMENTS(packets); i++) {
        g_test_message("packet %zu", i);
        g_assert_cmpint(
            weir__capacity_trace_send(&trace, WEIR_MS(packets[i].now_ms), packets[i].size_bytes),
            ==, WEIR_MS(packets[i].sent_ms));
    }
}

/* Whatever the schedule, at each millisecond the trace has carried what the schedule has, less than
 * one packet short; and it has its length. */
static void test_one_made_of_a_schedule_carries_as_much(void)
{
    enum { LENGTH_MS = 700, MOST = 100000 };
    static int64_t at_ms[MOST];
    const uint64_t seed = 5;
    struct weir__random random;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    weir__random_init(&random, seed, 0);
    for (int i = 0; i < 300; i++) {
        struct weir__schedule_step steps[4];
        double bits = 0;
        for (int64_t k = 0; k < 4; k++) {
            steps[k].at_ns = k * WEIR_MS(150) + weir__random_below(&random, WEIR_MS(150));
            steps[k].rate_bps =
                k == i % 5 ? 0 : weir__random_below(&random, i % 7 == 0 ? 500 : 1000000000);
        }
        struct weir__schedule schedule;
        int64_t first_bps = weir__random_below(&random, 1000000);
        weir__schedule_init(&schedule, first_bps, steps, 4, 0);
        size_t n = weir__capacity_trace_make(&schedule, LENGTH_MS, at_ms, MOST);
        g_assert_cmpuint(n, <, MOST);
        g_assert_cmpint(at_ms[n - 1], ==, LENGTH_MS);
        g_assert_cmpint(weir__capacity_trace_check(at_ms, n), ==, WEIR_OK);
        weir__schedule_init(&schedule, first_bps, steps, 4, 0);
        for (int64_t us = 0; us < LENGTH_MS * 1000; us++) { /* a step within one: as at its begin */
            double most_off = 4 * 1e9 * 1e-6;
            if (us % 1000 == 0 && us > 0) {
                double gap = bits - weir__capacity_trace_bits(at_ms, n, WEIR_US(us));
                g_assert_cmpfloat(gap, >=, -most_off);
                g_assert_cmpfloat(gap, <, 12000 + most_off);
            }
            bits += (double)weir__schedule_value(&schedule, WEIR_US(us)) * 1e-6;
        }
        weir__schedule_init(&schedule, first_bps, steps, 4, 0);
        int64_t two_ms[2] = {0};
        g_assert_cmpuint(weir__capacity_trace_make(&schedule, LENGTH_MS, two_ms, 2), ==, n);
        g_assert_cmpint(two_ms[0], ==, at_ms[0]);
    }
}

static void test_unused_opportunities_are_lost(void)
{
    static const int64_t at_ms[] = {2, 5, 5, 10};
    struct weir__capacity_trace trace;
    weir__capacity_trace_init(&trace, at_ms, G_N_ELEMENTS(at_ms));
    g_assert_cmpint(weir__capacity_trace_send(&trace, WEIR_US(5001), 1500), ==, WEIR_MS(10));
    g_assert_cmpint(weir__capacity_trace_send(&trace, WEIR_MS(10), 100), ==, WEIR_MS(12));
    weir__capacity_trace_rest(&trace);
    g_assert_cmpint(weir__capacity_trace_send(&trace, WEIR_MS(12), 100), ==, WEIR_MS(15));
    g_assert_cmpint(weir__capacity_trace_send(&trace, WEIR_MS(16), 100), ==, WEIR_MS(20));
    /* Three years later */
    int64_t later_ms = INT64_C(100000000003);
    g_assert_cmpint(weir__capacity_trace_send(&trace, WEIR_MS(later_ms), 1500), ==,
                    WEIR_MS(later_ms + 2));
}

static void test_mean_and_sum_of_the_capacity(void)
{
    static const int64_t at_ms[] = {2, 5, 5, 10};
    static const struct {
        int64_t until_us;
        int packets;
    } cases[] = {{0, 0},     {1999, 0},  {2000, 1},  {5000, 3},   {9999, 3},   {10000, 4},
                 {11999, 4}, {12000, 5}, {20000, 8}, {25000, 11}, {100000, 40}};
    g_assert_cmpint(weir__capacity_trace_mean_bps(at_ms, 4), ==, 4800000);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_near(weir__capacity_trace_bits(at_ms, 4, WEIR_US(cases[i].until_us)),
                    12000.0 * cases[i].packets, 1e-6);
    }
}

/* The end of a queue, foretold, is when its packets have been sent one after the other. */
static void test_foretold_end_of_a_queue_comes_true(void)
{
    const uint64_t seed = 7;
    struct weir__random random;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    weir__random_init(&random, seed, 0);
    for (int round = 0; round < 200; round++) {
        int64_t at_ms[20];
        int64_t last_ms = 0;
        size_t n = 1 + (size_t)weir__random_below(&random, 20);
        for (size_t i = 0; i < n; i++) {
            last_ms += weir__random_below(&random, 6) + (i + 1 == n);
            at_ms[i] = last_ms;
        }
        struct weir__capacity_trace trace;
        weir__capacity_trace_init(&trace, at_ms, n);
        int64_t now_ns =
            weir__capacity_trace_send(&trace, weir__random_below(&random, WEIR_MS(50)), 700);
        int64_t sizes[30];
        int64_t bytes = 0;
        int64_t packets = 1 + weir__random_below(&random, 30);
        for (int64_t i = 0; i < packets; i++) {
            sizes[i] = 1 + weir__random_below(&random, 2500);
            bytes += sizes[i];
        }
        int64_t foretold_ns = weir__capacity_trace_sent_ns(&trace, packets, bytes);
        for (int64_t i = 0; i < packets; i++) {
            now_ns = weir__capacity_trace_send(&trace, now_ns, sizes[i]);
        }
        g_assert_cmpint(now_ns, ==, foretold_ns);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/capacity_trace/lines_are_milliseconds", test_lines_are_milliseconds);
    g_test_add_func("/sim/capacity_trace/errors_name_the_line", test_errors_name_the_line);
    g_test_add_func("/sim/capacity_trace/any_text_is_a_trace_or_an_error",
                    test_any_text_is_a_trace_or_an_error);
    g_test_add_func("/sim/capacity_trace/times_that_descend_are_refused",
                    test_times_that_descend_are_refused);
    g_test_add_func("/sim/capacity_trace/packets_use_opportunities_as_in_mahimahi",
                    test_packets_use_opportunities_as_in_mahimahi);
    g_test_add_func("/sim/capacity_trace/one_made_of_a_schedule_carries_as_much",
                    test_one_made_of_a_schedule_carries_as_much);
    g_test_add_func("/sim/capacity_trace/unused_opportunities_are_lost",
                    test_unused_opportunities_are_lost);
    g_test_add_func("/sim/capacity_trace/mean_and_sum_of_the_capacity",
                    test_mean_and_sum_of_the_capacity);
    g_test_add_func("/sim/capacity_trace/foretold_end_of_a_queue_comes_true",
                    test_foretold_end_of_a_queue_comes_true);
    return g_test_run();
}
