/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quality/transient.h"
#include "test.h"
#include <math.h>

#define BINS 2400

struct rig {
    double rates[BINS];
    struct weir__rate_series series;
};

/* `before` up to bin `event`, then `after`. */
static struct rig *step(double bin_s, size_t event, double before, double after)
{
    struct rig *rig = g_new(struct rig, 1);
    for (size_t i = 0; i < BINS; i++) {
        rig->rates[i] = i < event ? before : after;
    }
    rig->series = (struct weir__rate_series){.rates = rig->rates, .n = BINS, .bin_s = bin_s};
    return rig;
}

/* The 5-s mean of a step moves on a line: from 0.3 it is at 0.9 after 5 s 0.6 / 0.7. */
static void test_step_up_takes_its_part_of_the_window(void)
{
    static const double bins_s[] = {0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0};
    for (size_t k = 0; k < G_N_ELEMENTS(bins_s); k++) {
        struct rig *rig = step(bins_s[k], 600, 0.3, 1.0);
        double expected = ceil(5.0 * 0.6 / 0.7 / bins_s[k] - 1e-9) * bins_s[k];
        assert_near(weir__rise_s(&rig->series, 600, 1.0), expected, 1e-9);
        assert_near(weir__convergence_s(&rig->series, 600, 1.0), expected, 1e-9);
        assert_near(weir__fall_s(&rig->series, 600, 1.0), 0.0, 1e-12);
        g_free(rig);
    }
}

/* From 1 down to 0.3 the mean is at 0.33 after 5 s 0.67 / 0.7. */
static void test_step_down_takes_its_part_of_the_window(void)
{
    struct rig *rig = step(0.1, 600, 1.0, 0.3);
    assert_near(weir__fall_s(&rig->series, 600, 0.3), 4.8, 1e-9);
    assert_near(weir__convergence_s(&rig->series, 600, 0.3), 4.8, 1e-9);
    assert_near(weir__rise_s(&rig->series, 600, 0.3), 0.0, 1e-12);
    g_free(rig);
}

/* A line of 1/50 per second from 0.3 lags by half the window: at 0.9 after 30 + 2.5 s. */
static void test_ramp_lags_by_half_the_window(void)
{
    struct rig *rig = step(0.1, 600, 0.3, 1.0);
    for (size_t i = 600; i < 950; i++) {
        rig->rates[i] = 0.3 + ((double)(i - 600) + 0.5) * 0.1 / 50.0;
    }
    assert_near(weir__rise_s(&rig->series, 600, 1.0), 32.5, 0.1);
    g_free(rig);
}

static void test_a_start_counts_as_a_rise_from_nothing(void)
{
    struct rig *rig = step(0.1, 0, 0.0, 1.0);
    assert_near(weir__rise_s(&rig->series, 0, 1.0), 4.5, 1e-9);
    g_free(rig);
}

static void test_what_never_comes_is_not_a_number(void)
{
    struct rig *rig = step(0.1, 600, 0.5, 0.8);
    g_assert_true(isnan(weir__rise_s(&rig->series, 600, 1.0)));
    g_assert_true(isnan(weir__convergence_s(&rig->series, 600, 1.0)));
    g_assert_true(isnan(weir__fall_s(&rig->series, 600, 0.1)));
    assert_near(weir__rise_s(&rig->series, BINS, 0.8), 0.0, 1e-12);
    g_assert_true(isnan(weir__rise_s(&rig->series, BINS, 1.0)));
    g_free(rig);
}

/* The edges of the band belong to it. */
static void test_a_rate_at_the_edge_of_the_band_is_within(void)
{
    static const double edges[] = {0.9, 1.1};
    for (size_t k = 0; k < G_N_ELEMENTS(edges); k++) {
        struct rig *rig = step(0.1, 0, 0.0, edges[k]);
        assert_near(weir__convergence_s(&rig->series, 300, 1.0), 0.0, 1e-12);
        g_free(rig);
    }
}

/* An overshoot to 2 for 10 s: risen before it, converged behind it. */
static void test_passing_through_the_band_is_no_convergence(void)
{
    struct rig *rig = step(0.1, 600, 0.0, 1.0);
    for (size_t i = 600; i < 700; i++) {
        rig->rates[i] = 2.0;
    }
    assert_near(weir__rise_s(&rig->series, 600, 1.0), 2.3, 1e-9);
    /* from 10 s on the mean falls from 2; within 1.1 after 4.5 s more */
    assert_near(weir__convergence_s(&rig->series, 600, 1.0), 14.5, 1e-9);
    g_free(rig);
}

/* What is not seen to be held for 5 s has not converged. */
static void test_convergence_needs_5_s_more(void)
{
    struct rig *rig = step(0.1, 600, 0.0, 1.0);
    rig->series.n = 600 + 45 + 49;
    g_assert_true(isnan(weir__convergence_s(&rig->series, 600, 1.0)));
    rig->series.n++;
    assert_near(weir__convergence_s(&rig->series, 600, 1.0), 4.5, 1e-9);
    g_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/quality/transient/step_up_takes_its_part_of_the_window",
                    test_step_up_takes_its_part_of_the_window);
    g_test_add_func("/quality/transient/step_down_takes_its_part_of_the_window",
                    test_step_down_takes_its_part_of_the_window);
    g_test_add_func("/quality/transient/ramp_lags_by_half_the_window",
                    test_ramp_lags_by_half_the_window);
    g_test_add_func("/quality/transient/a_start_counts_as_a_rise_from_nothing",
                    test_a_start_counts_as_a_rise_from_nothing);
    g_test_add_func("/quality/transient/what_never_comes_is_not_a_number",
                    test_what_never_comes_is_not_a_number);
    g_test_add_func("/quality/transient/a_rate_at_the_edge_of_the_band_is_within",
                    test_a_rate_at_the_edge_of_the_band_is_within);
    g_test_add_func("/quality/transient/passing_through_the_band_is_no_convergence",
                    test_passing_through_the_band_is_no_convergence);
    g_test_add_func("/quality/transient/convergence_needs_5_s_more",
                    test_convergence_needs_5_s_more);
    return g_test_run();
}
