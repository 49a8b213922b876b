/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "weir/units.h"

#include <math.h>

#include "test.h"

static void test_rounding_is_that_of_libm(void)
{
    static const double values[] = {0.0,
                                    0.25,
                                    0.49999999999999994,
                                    0.5,
                                    0.50000000000000011,
                                    1.5,
                                    2.5,
                                    1e9 / 3,
                                    1e15 + 0.5,
                                    4503599627370495.5,
                                    4503599627370497.0,
                                    9.2e18};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        g_assert_cmpint(weir_round_i64(values[i]), ==, llround(values[i]));
        g_assert_cmpint(weir_round_i64(-values[i]), ==, llround(-values[i]));
    }
    for (double value = -1e10; value < 1e10; value += 12345.678) {
        g_assert_cmpint(weir_round_i64(value), ==, llround(value));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/units/rounding_is_that_of_libm", test_rounding_is_that_of_libm);
    return g_test_run();
}
