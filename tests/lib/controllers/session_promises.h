/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a session asks of nada and scream alike: a start on each new path, and a steady flow from
 * receiver reports alone. */
#ifndef WEIR_TESTS_SESSION_PROMISES_H
#define WEIR_TESTS_SESSION_PROMISES_H

#include "../../controller_flow.h"

static inline void a_new_path_is_a_new_start(const char *algorithm, int64_t at_ns)
{
    struct flow *f = flow_new(algorithm, NULL, 0);
    flow_run_until(f, at_ns);
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_MBPS(1));
    weir__driver_on_path_change(&f->driver, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_true(flow_state(f) & WEIR_STATE_STARTING);
    flow_free(f);
}

/* At 1 Mbit/s with a report every 1, 3 and 5 s: the shares of the link used and of packets lost. */
static inline void reports_are_enough(const char *algorithm, double least_used, double most_lost)
{
    for (int64_t interval_s = 1; interval_s <= 5; interval_s += 2) {
        struct flow *f = flow_new(algorithm, NULL, 0);
        f->reports = true;
        f->capacity_bps = WEIR_MBPS(1);
        f->queue_bytes = 40000;
        f->feedback_ns = WEIR_SECONDS(interval_s);
        flow_run_until(f, WEIR_SECONDS(300));
        double used = (double)(f->n_sent - f->n_dropped) * 8000.0 / 300e6;
        double lost = (double)f->n_dropped / (double)f->n_sent;
        g_test_message("reports every %d s: %.1f %% used, %.1f %% lost", (int)interval_s,
                       100.0 * used, 100.0 * lost);
        g_assert_cmpfloat(used, >, least_used);
        g_assert_cmpfloat(lost, <, most_lost);
        flow_free(f);
    }
}

#endif
