/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quality/percentile.h"
#include "test.h"
#include "weir/quality.h"
#include <math.h>

static void test_known_percentiles(void)
{
    static const double values[] = {1, 2, 3, 4, 10};
    static const struct {
        double share, value;
    } rows[] = {{0.0, 1},   {0.25, 2},  {0.5, 3},  {0.75, 4},        {1.0, 10},
                {0.1, 1.4}, {0.9, 7.6}, {-1.0, 1}, {(double)NAN, 1}, {2.0, 10}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_near(weir__percentile(values, 5, rows[i].share), rows[i].value, 1e-12);
    }
    assert_near(weir__percentile(values, 4, 0.5), 2.5, 1e-12);
    assert_near(weir__percentile(values, 1, 0.9), 1.0, 1e-12);
    g_assert_true(isnan(weir__percentile(values, 0, 0.5)));
}

static void test_sorting_any_series_makes_it_ascend(void)
{
    double values[200];
    for (size_t n = 0; n <= G_N_ELEMENTS(values); n++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            values[i] = (double)(i * 7919 % 211) - 100.0;
            sum += values[i];
        }
        weir__sort(values, n);
        for (size_t i = 0; i < n; i++) {
            sum -= values[i];
            g_assert_true(i == 0 || values[i - 1] <= values[i]);
        }
        assert_near(sum, 0.0, 1e-9);
    }
}

/* Half of the bins fair, half with one of two flows alone. */
static void test_percentiles_of_the_instantaneous_jain_index(void)
{
    double jain[100];
    for (size_t i = 0; i < G_N_ELEMENTS(jain); i++) {
        const double rates[] = {1000.0, i % 2 == 0 ? 1000.0 : 0.0};
        jain[i] = weir_jain(rates, 2);
    }
    weir__sort(jain, G_N_ELEMENTS(jain));
    assert_near(weir__percentile(jain, G_N_ELEMENTS(jain), 0.05), 0.5, 1e-12);
    assert_near(weir__percentile(jain, G_N_ELEMENTS(jain), 0.5), 0.75, 1e-12);
    assert_near(weir__percentile(jain, G_N_ELEMENTS(jain), 0.95), 1.0, 1e-12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/quality/percentile/known_percentiles", test_known_percentiles);
    g_test_add_func("/quality/percentile/sorting_any_series_makes_it_ascend",
                    test_sorting_any_series_makes_it_ascend);
    g_test_add_func("/quality/percentile/percentiles_of_the_instantaneous_jain_index",
                    test_percentiles_of_the_instantaneous_jain_index);
    return g_test_run();
}
