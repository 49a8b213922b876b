/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss events behind a receiver report. */
#include "../../test.h"
#include "estimators/report_events.h"
#include "weir/units.h"

static void the_worked_example(void)
{
    g_assert_cmpint(weir__report_events(500, 10, WEIR_SECONDS(1), WEIR_MS(100)), ==, 6);
}

static void no_loss_is_no_event(void)
{
    g_assert_cmpint(weir__report_events(500, 0, WEIR_SECONDS(1), WEIR_MS(100)), ==, 0);
    g_assert_cmpint(weir__report_events(0, 0, WEIR_SECONDS(1), WEIR_MS(100)), ==, 0);
    g_assert_cmpint(weir__report_events(0, 5, WEIR_SECONDS(1), WEIR_MS(100)), ==, 0);
}

/* Never more events than losses or than round-trip times, never none; more losses never make
 * fewer. */
static void bounds_and_growth(void)
{
    for (int64_t rtt_ms = 1; rtt_ms <= 4000; rtt_ms *= 2) {
        for (int64_t expected = 1; expected <= 2000; expected = expected * 3 + 1) {
            int64_t last = 0;
            for (int64_t lost = 1; lost <= expected; lost++) {
                int64_t n = weir__report_events(expected, lost, WEIR_SECONDS(1), WEIR_MS(rtt_ms));
                g_assert_cmpint(n, >=, weir_max_i64(last, 1));
                g_assert_cmpint(n, <=, lost);
                g_assert_cmpint(n, <=, weir_max_i64(1000 / rtt_ms + 1, 1));
                last = n;
            }
        }
    }
}

static void extremes_stay_finite(void)
{
    g_assert_cmpint(weir__report_events(INT64_MAX, INT64_MAX, INT64_MAX, 1), >=, 1);
    g_assert_cmpint(weir__report_events(1, 1, 1, INT64_MAX), ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/report_events/" #name, name)
    ADD(the_worked_example);
    ADD(no_loss_is_no_event);
    ADD(bounds_and_growth);
    ADD(extremes_stay_finite);
    return g_test_run();
}
