/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/link_capacity.h"

#include <math.h>

static void unknown_bounds_nothing(void)
{
    struct weir__link_capacity c;
    weir__link_capacity_init(&c);
    g_assert_true(isinf(weir__link_capacity_upper_bps(&c)));
    g_assert_cmpfloat(weir__link_capacity_lower_bps(&c), ==, 0.0);
}

/* 3 sqrt(0.4 x 500) kbit/s around 500 kbit/s. */
static void the_first_sample_has_the_least_deviation(void)
{
    struct weir__link_capacity c;
    weir__link_capacity_init(&c);
    weir__link_capacity_sample(&c, 500000.0);
    g_assert_cmpfloat(c.mean_kbps, ==, 500.0);
    assert_near(weir__link_capacity_upper_bps(&c), 542426.4, 0.1);
    assert_near(weir__link_capacity_lower_bps(&c), 457573.6, 0.1);
}

static void the_mean_moves_by_a_twentieth(void)
{
    struct weir__link_capacity c;
    weir__link_capacity_init(&c);
    weir__link_capacity_sample(&c, 500000.0);
    weir__link_capacity_sample(&c, 600000.0);
    assert_near(c.mean_kbps, 505.0, 1e-9);
    assert_near(c.deviation_kbps, 0.95 * 0.4 + 0.05 * 95.0 * 95.0 / 505.0, 1e-9);
    for (int i = 0; i < 20; i++) {
        weir__link_capacity_sample(&c, i % 2 ? 200000.0 : 900000.0);
    }
    g_assert_cmpfloat(c.deviation_kbps, ==, 2.5);
}

/* The deviation outlives the mean. */
static void forgetting_keeps_the_deviation(void)
{
    struct weir__link_capacity c;
    weir__link_capacity_init(&c);
    weir__link_capacity_sample(&c, 500000.0);
    weir__link_capacity_sample(&c, 900000.0);
    double deviation = c.deviation_kbps;
    weir__link_capacity_forget(&c);
    g_assert_true(isinf(weir__link_capacity_upper_bps(&c)));
    weir__link_capacity_sample(&c, 100000.0);
    g_assert_cmpfloat(c.mean_kbps, ==, 100.0);
    assert_near(c.deviation_kbps, 0.95 * deviation, 1e-9);
    weir__link_capacity_sample(&c, 0.0);
    g_assert_cmpfloat(weir__link_capacity_lower_bps(&c), >=, 0.0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/link_capacity/" #name, name)
    ADD(unknown_bounds_nothing);
    ADD(the_first_sample_has_the_least_deviation);
    ADD(the_mean_moves_by_a_twentieth);
    ADD(forgetting_keeps_the_deviation);
    return g_test_run();
}
