/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss events behind a receiver report. */
#include "../../test.h"
#include "estimators/report_events.h"
#include "weir/units.h"

/* Of the first report of a second. */
static int64_t events_of(int64_t expected, int64_t lost, int64_t rtt_ns)
{
    const struct weir__told_losses told = {WEIR_SECONDS(1), WEIR_SECONDS(1), expected, lost};
    int64_t event_ns = WEIR_UNKNOWN_NS;
    return weir__report_events(&told, rtt_ns, &event_ns);
}

static void the_worked_example(void)
{
    g_assert_cmpint(events_of(500, 10, WEIR_MS(100)), ==, 6);
}

static void no_loss_is_no_event(void)
{
    g_assert_cmpint(events_of(500, 0, WEIR_MS(100)), ==, 0);
    g_assert_cmpint(events_of(0, 0, WEIR_MS(100)), ==, 0);
    g_assert_cmpint(events_of(0, 5, WEIR_MS(100)), ==, 0);
}

/* Never more events than losses or than round-trip times, never none; more losses never make
 * fewer. */
static void bounds_and_growth(void)
{
    for (int64_t rtt_ms = 1; rtt_ms <= 4000; rtt_ms *= 2) {
        for (int64_t expected = 1; expected <= 2000; expected = expected * 3 + 1) {
            int64_t last = 0;
            for (int64_t lost = 1; lost <= expected; lost++) {
                int64_t n = events_of(expected, lost, WEIR_MS(rtt_ms));
                g_assert_cmpint(n, >=, weir_max_i64(last, 1));
                g_assert_cmpint(n, <=, lost);
                g_assert_cmpint(n, <=, weir_max_i64(1000 / rtt_ms + 1, 1));
                last = n;
            }
        }
    }
}

/* One queue that overflows for an RTT of 1 s is one event, however often it is told of. */
static void an_event_lasts_a_round_trip_time(void)
{
    const int64_t rtt_ns = WEIR_SECONDS(1), interval_ns = WEIR_MS(75);
    int64_t event_ns = WEIR_UNKNOWN_NS, events = 0;
    for (int64_t now_ns = interval_ns; now_ns <= WEIR_MS(2700); now_ns += interval_ns) {
        const struct weir__told_losses told = {now_ns, interval_ns, 10, 5};
        events += weir__report_events(&told, rtt_ns, &event_ns);
    }
    g_assert_cmpint(events, ==, 3);
}

static void extremes_stay_finite(void)
{
    const struct weir__told_losses most = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const struct weir__told_losses least = {1, 1, 1, 1};
    int64_t event_ns = WEIR_UNKNOWN_NS;
    g_assert_cmpint(weir__report_events(&most, 1, &event_ns), >=, 1);
    event_ns = WEIR_UNKNOWN_NS;
    g_assert_cmpint(weir__report_events(&least, INT64_MAX, &event_ns), ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/report_events/" #name, name)
    ADD(the_worked_example);
    ADD(no_loss_is_no_event);
    ADD(bounds_and_growth);
    ADD(an_event_lasts_a_round_trip_time);
    ADD(extremes_stay_finite);
    return g_test_run();
}
