/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/packet_log.h"

#include "weir/units.h"

#define WINDOW_NS WEIR_MS(500)

static struct weir__packet_log log_of(int64_t begin_ns, int64_t until_ns, int64_t gap_ns)
{
    struct weir__packet_log log;
    weir__packet_log_init(&log, WINDOW_NS);
    for (int64_t at_ns = begin_ns; at_ns <= until_ns; at_ns += gap_ns) {
        weir__packet_log_on_arrival(&log, at_ns, 1000, WEIR_MS(5), false);
    }
    return log;
}

static void an_empty_log_tells_nothing(void)
{
    struct weir__packet_log log;
    weir__packet_log_init(&log, WINDOW_NS);
    weir__packet_log_on_lost(&log, 3);
    struct weir__packet_counts counts = weir__packet_log_counts(&log);
    g_assert_cmpint(counts.n_arrived + counts.n_lost + counts.n_marked + counts.bytes, ==, 0);
    g_assert_cmpint(counts.greatest_delay_ns, ==, INT64_MIN);
    g_assert_cmpfloat(weir__packet_log_bps(&log), ==, 0.0);
}

/* Of a steady flow it is off by a packet at most, wherever in a tenth it ends and on any clock. */
static void the_rate_of_a_steady_flow_is_found(void)
{
    static const int64_t begins_ns[] = {0, WEIR_SECONDS(-100000), WEIR_SECONDS(100000)};
    for (size_t i = 0; i < G_N_ELEMENTS(begins_ns); i++) {
        for (int64_t ms = 600; ms < 700; ms++) {
            struct weir__packet_log log =
                log_of(begins_ns[i], begins_ns[i] + WEIR_MS(ms), WEIR_MS(3));
            assert_near(weir__packet_log_bps(&log), 8000.0 / 0.003, 8000.0 / 0.5);
        }
    }
}

static void what_is_missing_at_the_start_counts_as_nothing(void)
{
    struct weir__packet_log log = log_of(0, WEIR_MS(99), WEIR_MS(1));
    assert_near(weir__packet_log_bps(&log), 8.0 * 100000.0 / 0.5, 1e-3);
}

/* A loss is told of for a window, and at most a tenth more. */
static void losses_marks_and_delays_leave_with_the_window(void)
{
    for (int64_t ms = 0; ms < 100; ms += 7) {
        int64_t begin_ns = WEIR_MS(ms);
        struct weir__packet_log log = log_of(0, begin_ns, WEIR_MS(1));
        weir__packet_log_on_lost(&log, 2);
        weir__packet_log_on_arrival(&log, begin_ns, 10, WEIR_MS(70), true);
        weir__packet_log_on_arrival(&log, begin_ns + WINDOW_NS, 10, WEIR_MS(5), false);
        struct weir__packet_counts counts = weir__packet_log_counts(&log);
        g_assert_cmpint(counts.n_lost, ==, 2);
        g_assert_cmpint(counts.n_marked, ==, 1);
        g_assert_cmpint(counts.greatest_delay_ns, ==, WEIR_MS(70));
        weir__packet_log_on_arrival(&log, begin_ns + WINDOW_NS * 11 / 10, 10, WEIR_MS(5), false);
        counts = weir__packet_log_counts(&log);
        g_assert_cmpint(counts.n_lost, ==, 0);
        g_assert_cmpint(counts.n_marked, ==, 0);
        g_assert_cmpint(counts.greatest_delay_ns, ==, WEIR_MS(5));
    }
}

static void a_pause_empties_the_log(void)
{
    struct weir__packet_log log = log_of(0, WEIR_SECONDS(1), WEIR_MS(1));
    weir__packet_log_on_arrival(&log, WEIR_SECONDS(3600), 1000, WEIR_UNKNOWN_NS, false);
    struct weir__packet_counts counts = weir__packet_log_counts(&log);
    g_assert_cmpint(counts.n_arrived, ==, 1);
    g_assert_cmpint(counts.greatest_delay_ns, ==, INT64_MIN);
    assert_near(weir__packet_log_bps(&log), 8000.0 / 0.55, 8000.0 / 0.5 - 8000.0 / 0.55 + 1.0);
}

static void old_arrivals_do_not_count_and_far_older_ones_are_another_clock(void)
{
    struct weir__packet_log log = log_of(0, WEIR_SECONDS(2), WEIR_MS(1));
    struct weir__packet_counts before = weir__packet_log_counts(&log);
    weir__packet_log_on_arrival(&log, WEIR_MS(1100), 1000, WEIR_MS(900), true);
    struct weir__packet_counts counts = weir__packet_log_counts(&log);
    g_assert_cmpint(counts.n_arrived, ==, before.n_arrived);
    g_assert_cmpint(counts.n_marked, ==, 0);
    weir__packet_log_on_arrival(&log, WEIR_MS(900), 1000, WEIR_MS(5), false);
    counts = weir__packet_log_counts(&log);
    g_assert_cmpint(counts.n_arrived, ==, 1);
    g_assert_cmpint(counts.bytes, ==, 1000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/packet_log/" #name, name)
    ADD(an_empty_log_tells_nothing);
    ADD(the_rate_of_a_steady_flow_is_found);
    ADD(what_is_missing_at_the_start_counts_as_nothing);
    ADD(losses_marks_and_delays_leave_with_the_window);
    ADD(a_pause_empties_the_log);
    ADD(old_arrivals_do_not_count_and_far_older_ones_are_another_clock);
    return g_test_run();
}
