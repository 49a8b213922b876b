/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test.h"
#include "weir/quality.h"

#include <math.h>

static void test_constant_rates_do_not_vary(void)
{
    const double values[] = {3e6, 3e6, 3e6, 3e6};
    assert_near(weir_cov(values, 4), 0.0, 1e-12);
    assert_near(weir_cov(values, 1), 0.0, 1e-12);
}

static void test_cov_is_population_deviation_over_mean(void)
{
    const double pair[] = {1, 3};
    const double series[] = {2, 4, 4, 4, 5, 5, 7, 9}; /* mean 5, deviation 2 */
    assert_near(weir_cov(pair, 2), 0.5, 1e-12);
    assert_near(weir_cov(series, 8), 0.4, 1e-12);
}

static void test_cov_does_not_depend_on_the_unit(void)
{
    double bits[16];
    double bytes[16];
    for (int i = 0; i < 16; i++) {
        bits[i] = 1e6 + 8000.0 * ((i * 7) % 16);
        bytes[i] = bits[i] / 8;
    }
    assert_near(weir_cov(bits, 16), weir_cov(bytes, 16), 1e-12);
}

static void test_half_of_the_time_silent_gives_one(void)
{
    const double values[] = {0, 500, 0, 500, 0, 500};
    assert_near(weir_cov(values, 6), 1.0, 1e-12);
}

static void test_small_variation_of_a_large_rate_is_not_lost(void)
{
    const double values[] = {1e12 - 1, 1e12 + 1};
    assert_near(weir_cov(values, 2) * 1e12, 1.0, 1e-6);
}

static void test_zero_mean_and_no_values_give_zero(void)
{
    const double zeros[] = {0, 0, 0};
    assert_near(weir_cov(zeros, 3), 0.0, 1e-12);
    assert_near(weir_cov(zeros, 0), 0.0, 1e-12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/quality/smoothness/constant_rates_do_not_vary",
                    test_constant_rates_do_not_vary);
    g_test_add_func("/quality/smoothness/cov_is_population_deviation_over_mean",
                    test_cov_is_population_deviation_over_mean);
    g_test_add_func("/quality/smoothness/cov_does_not_depend_on_the_unit",
                    test_cov_does_not_depend_on_the_unit);
    g_test_add_func("/quality/smoothness/half_of_the_time_silent_gives_one",
                    test_half_of_the_time_silent_gives_one);
    g_test_add_func("/quality/smoothness/small_variation_of_a_large_rate_is_not_lost",
                    test_small_variation_of_a_large_rate_is_not_lost);
    g_test_add_func("/quality/smoothness/zero_mean_and_no_values_give_zero",
                    test_zero_mean_and_no_values_give_zero);
    return g_test_run();
}
