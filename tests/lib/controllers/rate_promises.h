/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Promises of schemes whose rate itself is the state: rap and limd-h. */
#ifndef WEIR_TESTS_RATE_PROMISES_H
#define WEIR_TESTS_RATE_PROMISES_H

#include "../../controller_flow.h"

/* A session sends no more than its upper limit, and then nothing says where the path ends. */
static inline void the_upper_limit_ends_growth(const void *algorithm)
{
    for (int reports = 0; reports < 2; reports++) {
        struct flow *f = flow_new(algorithm, NULL, 0);
        weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 300000}, 0);
        f->reports = reports;
        flow_run_until(f, WEIR_SECONDS(60));
        g_assert_cmpint(flow_rate_bps(f), >=, WEIR_KBPS(1999));
        g_assert_cmpint(flow_rate_bps(f), <=, WEIR_MBPS(2));
        flow_free(f);
    }
}

/* In silence the rate falls far below the lower limit, where the session goes on sending. */
static inline void growth_begins_at_the_lower_limit(const void *algorithm)
{
    for (int reports = 0; reports < 2; reports++) {
        struct flow *f = flow_new(algorithm, NULL, 0);
        f->reports = reports;
        flow_run_until(f, WEIR_SECONDS(5));
        f->blackout = true;
        flow_run_until(f, WEIR_SECONDS(1000));
        g_assert_cmpint(flow_rate_bps(f), ==, 125);
        f->blackout = false;
        while (flow_rate_bps(f) == 125 && f->now_ns < WEIR_SECONDS(1100)) {
            flow_step(f);
        }
        g_assert_cmpint(flow_rate_bps(f), >=, WEIR_KBPS(30));
        flow_free(f);
    }
}

/* "Not faster": where silence has lowered the rate below the start, it stays there. */
static inline void a_new_path_starts_anew_but_not_faster(const void *algorithm)
{
    struct flow *f = flow_new(algorithm, NULL, 0);
    flow_run_until(f, WEIR_SECONDS(5));
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_MBPS(1));
    weir__driver_on_path_change(&f->driver, f->now_ns);
    assert_near(flow_rate_bps(f), 300000, 1.0);
    g_assert_true(flow_state(f) & WEIR_STATE_STARTING);
    f->blackout = true;
    flow_run_until(f, WEIR_SECONDS(20));
    int64_t low_bps = flow_rate_bps(f);
    g_assert_cmpint(low_bps, <, 300000);
    weir__driver_on_path_change(&f->driver, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), <=, low_bps);
    flow_free(f);
}

#endif
