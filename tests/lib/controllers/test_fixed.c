/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nothing moves a fixed rate but its parameter and the start limit. */
#include "../../controller_flow.h"

static void nothing_changes_the_rate(void)
{
    static const struct weir_param_value rate[] = {{.name = "rate-bps", .value = 700000.0}};
    struct flow *f = flow_new("fixed", rate, 1);
    f->capacity_bps = 300000;
    flow_run_until(f, WEIR_SECONDS(5));
    g_assert_cmpint(f->n_dropped, >, 100);
    g_assert_cmpint(flow_rate_bps(f), ==, 700000);
    f->reports = true;
    flow_run_until(f, WEIR_SECONDS(10));
    f->blackout = true;
    flow_run_until(f, WEIR_SECONDS(20));
    g_assert_cmpint(flow_rate_bps(f), ==, 700000);
    g_assert_cmpuint(flow_state(f), ==, 0);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
    flow_free(f);
}

static void zero_stands_for_the_start_limit(void)
{
    struct flow *f = flow_new("fixed", NULL, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){1, 900000, 500000}, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 500000);
    flow_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/fixed/" #name, name)
    ADD(nothing_changes_the_rate);
    ADD(zero_stands_for_the_start_limit);
    return g_test_run();
}
