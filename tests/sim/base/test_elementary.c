/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/elementary.h"
#include <math.h>

/* Relative difference to the C library, which is right to the last bit or two. */
static void assert_relative(double actual, double expected, double tolerance)
{
    double scale = fabs(expected) > 1e-300 ? fabs(expected) : 1.0;
    if (fabs(actual - expected) / scale > tolerance) {
        g_error("%.17g is not %.17g", actual, expected);
    }
}

static void test_log_agrees_with_the_library(void)
{
    for (int exponent = -1000; exponent <= 1000; exponent += 7) {
        for (double m = 0.5; m < 1.0; m += 0.0137) {
            double x = ldexp(m, exponent);
            assert_relative(weir__log(x), log(x), 2e-15);
        }
    }
}

static void test_log_near_one_keeps_its_relative_error(void)
{
    for (double d = 1e-12; d < 0.1; d *= 3.0) {
        assert_relative(weir__log(1.0 + d), log(1.0 + d), 1e-15);
        assert_relative(weir__log(1.0 - d), log(1.0 - d), 1e-15);
    }
    g_assert_cmpfloat(weir__log(1.0), ==, 0.0);
}

static void test_log_of_zero_and_below_is_finite(void)
{
    g_assert_true(isfinite(weir__log(0.0)));
    g_assert_true(isfinite(weir__log(-1.0)));
    g_assert_cmpfloat(weir__log(0.0), <, -700.0);
}

static void test_exp_agrees_with_the_library(void)
{
    for (double x = -700.0; x <= 700.0; x += 0.37) {
        assert_relative(weir__exp(x), exp(x), 1e-13);
    }
    for (double x = -1.0; x <= 1.0; x += 0.001) {
        assert_relative(weir__exp(x), exp(x), 1e-15);
    }
    g_assert_cmpfloat(weir__exp(0.0), ==, 1.0);
}

static void test_exp_never_overflows(void)
{
    g_assert_true(isfinite(weir__exp(1e300)));
    g_assert_true(isfinite(weir__exp(710.0)));
    g_assert_cmpfloat(weir__exp(-1e300), >, 0.0);
    g_assert_cmpfloat(weir__exp(-1e300), <, 1e-300);
}

static void test_exp_undoes_log(void)
{
    for (double x = 1e-9; x < 1e9; x *= 1.7) {
        assert_relative(weir__exp(weir__log(x)), x, 1e-14);
    }
}

static void test_power_of_integers_is_exact(void)
{
    double expected = 1.0;
    for (int64_t n = 0; n <= 22; n++) {
        g_assert_cmpfloat(weir__power(3.0, n), ==, expected);
        expected *= 3.0;
    }
    g_assert_cmpfloat(weir__power(2.0, -5), ==, 1.0);
}

static void test_power_of_a_weight_ages_to_zero(void)
{
    assert_relative(weir__power(0.998, 1000), pow(0.998, 1000), 1e-12);
    g_assert_cmpfloat(weir__power(0.998, INT64_C(1) << 50), ==, 0.0);
    g_assert_cmpfloat(weir__power(0.0, 0), ==, 1.0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/elementary/log_agrees_with_the_library",
                    test_log_agrees_with_the_library);
    g_test_add_func("/sim/elementary/log_near_one_keeps_its_relative_error",
                    test_log_near_one_keeps_its_relative_error);
    g_test_add_func("/sim/elementary/log_of_zero_and_below_is_finite",
                    test_log_of_zero_and_below_is_finite);
    g_test_add_func("/sim/elementary/exp_agrees_with_the_library",
                    test_exp_agrees_with_the_library);
    g_test_add_func("/sim/elementary/exp_never_overflows", test_exp_never_overflows);
    g_test_add_func("/sim/elementary/exp_undoes_log", test_exp_undoes_log);
    g_test_add_func("/sim/elementary/power_of_integers_is_exact", test_power_of_integers_is_exact);
    g_test_add_func("/sim/elementary/power_of_a_weight_ages_to_zero",
                    test_power_of_a_weight_ages_to_zero);
    return g_test_run();
}
