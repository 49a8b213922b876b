/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/histogram.h"
#include "sim/base/random.h"
#include <math.h>
#include <stdlib.h>

#define LARGEST (INT64_C(1) << 43) /* values up to here are resolved */

static struct weir__histogram *histogram_new(void)
{
    struct weir__histogram *histogram = NULL;
    g_assert_cmpint(weir__histogram_create(&histogram), ==, WEIR_OK);
    return histogram;
}

static int compare(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* The value that a bin reports for a sample, found with the sample below a huge one. */
static int64_t reported(struct weir__histogram *histogram, int64_t value)
{
    weir__histogram_clear(histogram);
    weir__histogram_add(histogram, value);
    weir__histogram_add(histogram, INT64_MAX);
    return weir__histogram_percentile(histogram, 0.5);
}

/* Every edge of every bin, and what lies beside it: 64 bins to an octave up to 2^43. */
static void test_every_value_is_known_to_1_in_64(void)
{
    struct weir__histogram *histogram = histogram_new();
    for (int64_t value = 0; value <= 4096; value++) {
        int64_t seen = reported(histogram, value);
        g_assert_cmpint(seen, >=, value);
        g_assert_cmpint(64 * (seen - value), <=, value);
    }
    for (int octave = 6; octave < 43; octave++) {
        int64_t width = INT64_C(1) << (octave - 6);
        for (int64_t edge = INT64_C(1) << octave; edge < INT64_C(2) << octave; edge += width) {
            bool last = edge + width == LARGEST; /* shared with all that is larger */
            g_assert_cmpint(reported(histogram, edge), ==, last ? INT64_MAX : edge + width - 1);
            g_assert_cmpint(reported(histogram, edge - 1), ==, edge - 1);
            g_assert_cmpint(64 * (width - 1), <=, edge);
        }
    }
    weir__histogram_destroy(histogram);
}

static const double shares[] = {0.0, 0.001, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0};

static void check_against_sorted(struct weir__histogram *histogram, int64_t *values, size_t n)
{
    weir__histogram_clear(histogram);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        weir__histogram_add(histogram, values[i]);
        sum += (double)values[i];
    }
    g_assert_true(fabs(weir__histogram_mean(histogram) - sum / (double)n) <= fabs(sum) * 1e-12);
    qsort(values, n, sizeof values[0], compare);
    for (size_t k = 0; k < G_N_ELEMENTS(shares); k++) {
        size_t rank = (size_t)fmax(ceil(shares[k] * (double)n), 1.0);
        int64_t exact = values[rank - 1] > 0 ? values[rank - 1] : 0;
        int64_t seen = weir__histogram_percentile(histogram, shares[k]);
        g_assert_cmpint(seen, >=, exact);
        g_assert_cmpint(seen - exact, <=, exact / 64);
        double above = weir__histogram_above(histogram, exact);
        size_t above_exact = 0;
        size_t above_bin = 0;
        for (size_t i = 0; i < n; i++) {
            above_exact += values[i] > exact;
            above_bin += values[i] > exact + exact / 64;
        }
        g_assert_cmpfloat(above, <=, (double)above_exact / (double)n);
        g_assert_cmpfloat(above, >=, (double)above_bin / (double)n);
    }
    g_assert_cmpint(weir__histogram_percentile(histogram, 1.0), ==,
                    values[n - 1] > 0 ? values[n - 1] : 0);
}

static void test_percentiles_and_shares_agree_with_a_sorted_array(void)
{
    static const size_t sizes[] = {1, 2, 3, 7, 100, 1000, 5000};
    struct weir__histogram *histogram = histogram_new();
    int64_t *values = g_new(int64_t, 5000);
    struct weir__random random;
    weir__random_init(&random, 1, 0);
    for (int round = 0; round < 60; round++) {
        size_t n = sizes[(size_t)round % G_N_ELEMENTS(sizes)];
        int bits = 1 + round % 42;
        for (size_t i = 0; i < n; i++) {
            int64_t value = weir__random_below(&random, INT64_C(1) << bits);
            values[i] = round % 5 == 0 && i % 3 == 0 ? -value - 1 : value;
        }
        check_against_sorted(histogram, values, n);
    }
    g_free(values);
    weir__histogram_destroy(histogram);
}

/* The smallest pre-buffer for which no more than a share of the packets is late. */
static void test_least_bound_exceeded_by_a_share_is_a_percentile(void)
{
    struct weir__histogram *histogram = histogram_new();
    struct weir__random random;
    weir__random_init(&random, 3, 0);
    for (int i = 0; i < 10000; i++) {
        weir__histogram_add(histogram, weir__random_below(&random, 4000000000) - 500000000);
    }
    for (int per_mille = 1; per_mille < 800; per_mille += 7) {
        double late = per_mille / 1000.0;
        int64_t bound_ns = weir__histogram_percentile(histogram, 1.0 - late);
        g_assert_cmpfloat(weir__histogram_above(histogram, bound_ns), <=, late);
        g_assert_cmpfloat(weir__histogram_above(histogram, bound_ns - bound_ns / 32), >, late);
    }
    weir__histogram_destroy(histogram);
}

static void test_negative_values_are_early_but_not_shorter_than_0(void)
{
    struct weir__histogram *histogram = histogram_new();
    static const int64_t values[] = {-1000, -1, 0, 0, 10};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        weir__histogram_add(histogram, values[i]);
    }
    g_assert_cmpuint(histogram->negative, ==, 2);
    g_assert_cmpint(weir__histogram_percentile(histogram, 0.2), ==, 0);
    g_assert_cmpint(weir__histogram_percentile(histogram, 0.8), ==, 0);
    g_assert_cmpint(weir__histogram_percentile(histogram, 1.0), ==, 10);
    assert_near(weir__histogram_above(histogram, -1), 0.6, 1e-12);
    assert_near(weir__histogram_above(histogram, 0), 0.2, 1e-12);
    assert_near(weir__histogram_above(histogram, 10), 0.0, 1e-12);
    assert_near(weir__histogram_mean(histogram), -198.2, 1e-12);
    weir__histogram_destroy(histogram);
}

static void test_no_samples_give_0(void)
{
    struct weir__histogram *histogram = histogram_new();
    g_assert_cmpint(weir__histogram_percentile(histogram, 0.5), ==, 0);
    assert_near(weir__histogram_above(histogram, 0), 0.0, 1e-12);
    assert_near(weir__histogram_above(histogram, -1), 0.0, 1e-12);
    assert_near(weir__histogram_mean(histogram), 0.0, 1e-12);
    weir__histogram_destroy(histogram);
}

static void test_shares_outside_0_to_1_count_as_the_nearest(void)
{
    struct weir__histogram *histogram = histogram_new();
    for (int64_t value = 1; value <= 60; value++) {
        weir__histogram_add(histogram, value);
    }
    g_assert_cmpint(weir__histogram_percentile(histogram, -1.0), ==, 1);
    g_assert_cmpint(weir__histogram_percentile(histogram, (double)NAN), ==, 1);
    g_assert_cmpint(weir__histogram_percentile(histogram, 2.0), ==, 60);
    weir__histogram_destroy(histogram);
}

static void test_many_zeros_are_as_many_samples(void)
{
    struct weir__histogram *one_by_one = histogram_new();
    struct weir__histogram *at_once = histogram_new();
    weir__histogram_add(one_by_one, 700);
    weir__histogram_add(at_once, 700);
    for (int i = 0; i < 12; i++) {
        weir__histogram_add(one_by_one, 0);
    }
    weir__histogram_add_zeros(at_once, 12);
    g_assert_cmpuint(one_by_one->n, ==, at_once->n);
    g_assert_cmpfloat(weir__histogram_above(at_once, 0), ==, weir__histogram_above(one_by_one, 0));
    for (size_t k = 0; k < G_N_ELEMENTS(shares); k++) {
        g_assert_cmpint(weir__histogram_percentile(at_once, shares[k]), ==,
                        weir__histogram_percentile(one_by_one, shares[k]));
    }
    weir__histogram_destroy(one_by_one);
    weir__histogram_destroy(at_once);
}

/* A full bin takes no more: no sample is counted twice, or in the place of many. */
static void test_a_full_bin_leaves_samples_out(void)
{
    struct weir__histogram *histogram = histogram_new();
    weir__histogram_add(histogram, 5);
    histogram->octaves[0][5] = UINT32_MAX;
    weir__histogram_add(histogram, 5);
    g_assert_cmpuint(histogram->octaves[0][5], ==, UINT32_MAX);
    g_assert_cmpuint(histogram->n, ==, 1);
    weir__histogram_destroy(histogram);
}

static void test_delays_of_an_octave_take_memory_for_that_octave(void)
{
    struct weir__histogram *histogram = histogram_new();
    for (int64_t value = 1 << 20; value < 1 << 21; value += 1 << 12) {
        weir__histogram_add(histogram, value);
    }
    int taken = 0;
    for (int octave = 0; octave < WEIR__HISTOGRAM_OCTAVES; octave++) {
        taken += histogram->octaves[octave] != NULL;
    }
    g_assert_cmpint(taken, ==, 1);
    weir__histogram_destroy(histogram);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/histogram/every_value_is_known_to_1_in_64",
                    test_every_value_is_known_to_1_in_64);
    g_test_add_func("/sim/histogram/percentiles_and_shares_agree_with_a_sorted_array",
                    test_percentiles_and_shares_agree_with_a_sorted_array);
    g_test_add_func("/sim/histogram/least_bound_exceeded_by_a_share_is_a_percentile",
                    test_least_bound_exceeded_by_a_share_is_a_percentile);
    g_test_add_func("/sim/histogram/negative_values_are_early_but_not_shorter_than_0",
                    test_negative_values_are_early_but_not_shorter_than_0);
    g_test_add_func("/sim/histogram/no_samples_give_0", test_no_samples_give_0);
    g_test_add_func("/sim/histogram/shares_outside_0_to_1_count_as_the_nearest",
                    test_shares_outside_0_to_1_count_as_the_nearest);
    g_test_add_func("/sim/histogram/many_zeros_are_as_many_samples",
                    test_many_zeros_are_as_many_samples);
    g_test_add_func("/sim/histogram/a_full_bin_leaves_samples_out",
                    test_a_full_bin_leaves_samples_out);
    g_test_add_func("/sim/histogram/delays_of_an_octave_take_memory_for_that_octave",
                    test_delays_of_an_octave_take_memory_for_that_octave);
    return g_test_run();
}
