/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/random.h"
#include <math.h>

#define DRAWS 200000

static const uint64_t seeds[] = {0, 1, 2, 42, UINT64_MAX};

static void test_same_seed_gives_the_same_numbers(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(seeds); i++) {
        struct weir__random a;
        struct weir__random b;
        weir__random_init(&a, seeds[i], 7);
        weir__random_init(&b, seeds[i], 7);
        for (int n = 0; n < 1000; n++) {
            g_assert_cmpuint(weir__random_u64(&a), ==, weir__random_u64(&b));
        }
    }
}

/* xoshiro256** from the state 1, 2, 3, 4: the published first outputs. */
static void test_generator_is_xoshiro256_starstar(void)
{
    static const uint64_t expected[] = {UINT64_C(11520), UINT64_C(0), UINT64_C(1509978240),
                                        UINT64_C(1215971899390074240)};
    struct weir__random random = {.state = {1, 2, 3, 4}};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_assert_cmpuint(weir__random_u64(&random), ==, expected[i]);
    }
}

static void test_streams_and_seeds_do_not_overlap(void)
{
    GHashTable *seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (uint64_t seed = 0; seed < 40; seed++) {
        for (uint64_t stream = 0; stream < 40; stream++) {
            struct weir__random random;
            weir__random_init(&random, seed, stream);
            uint64_t first = weir__random_u64(&random);
            g_assert_true(g_hash_table_add(seen, g_memdup2(&first, sizeof first)));
        }
    }
    g_hash_table_destroy(seen);
}

static void test_neighbouring_streams_are_uncorrelated(void)
{
    struct weir__random a;
    struct weir__random b;
    double sum = 0.0;
    weir__random_init(&a, 1, 0);
    weir__random_init(&b, 1, 1);
    for (int i = 0; i < DRAWS; i++) {
        sum += (weir__random_uniform(&a) - 0.5) * (weir__random_uniform(&b) - 0.5);
    }
    assert_near(12.0 * sum / DRAWS, 0.0, 4.0 / sqrt(DRAWS));
}

static void test_uniform_fills_zero_to_one_evenly(void)
{
    struct weir__random random;
    int bins[16] = {0};
    weir__random_init(&random, 3, 0);
    for (int i = 0; i < DRAWS; i++) {
        double u = weir__random_uniform(&random);
        g_assert_true(u >= 0.0 && u < 1.0);
        bins[(int)(u * 16.0)]++;
    }
    double expected = DRAWS / 16.0;
    double chi_square = 0.0;
    for (int i = 0; i < 16; i++) {
        chi_square += (bins[i] - expected) * (bins[i] - expected) / expected;
    }
    g_assert_cmpfloat(chi_square, <, 37.7); /* 15 degrees of freedom, p = 0.001 */
}

static void test_below_stays_below_its_bound(void)
{
    struct weir__random random;
    weir__random_init(&random, 4, 0);
    for (int64_t bound = 2; bound < INT64_C(1) << 61; bound *= 3) {
        for (int i = 0; i < 200; i++) {
            int64_t value = weir__random_below(&random, bound);
            g_assert_true(value >= 0 && value < bound);
        }
    }
    for (int64_t bound = -3; bound <= 1; bound++) {
        g_assert_cmpint(weir__random_below(&random, bound), ==, 0);
    }
}

static void test_below_reaches_every_value(void)
{
    struct weir__random random;
    int count[6] = {0};
    weir__random_init(&random, 5, 0);
    for (int i = 0; i < 6000; i++) {
        count[weir__random_below(&random, 6)]++;
    }
    for (int i = 0; i < 6; i++) {
        assert_near(count[i], 1000, 130);
    }
}

static void test_chance_has_its_probability(void)
{
    static const double ps[] = {0.001, 0.01, 0.1, 0.5, 0.9};
    for (size_t k = 0; k < G_N_ELEMENTS(ps); k++) {
        struct weir__random random;
        int hits = 0;
        weir__random_init(&random, 6, k);
        for (int i = 0; i < DRAWS; i++) {
            hits += weir__random_chance(&random, ps[k]);
        }
        assert_near((double)hits / DRAWS, ps[k], 4.0 * sqrt(ps[k] * (1.0 - ps[k]) / DRAWS));
    }
}

static void test_chance_zero_and_one_are_certain_and_free(void)
{
    struct weir__random random;
    weir__random_init(&random, 6, 0);
    struct weir__random before = random;
    for (int i = 0; i < 100; i++) {
        g_assert_false(weir__random_chance(&random, 0.0));
        g_assert_false(weir__random_chance(&random, -1.0));
        g_assert_true(weir__random_chance(&random, 1.0));
        g_assert_true(weir__random_chance(&random, 2.0));
    }
    g_assert_cmpint(memcmp(&random, &before, sizeof before), ==, 0);
}

static void test_exponential_has_its_mean_and_deviation(void)
{
    struct weir__random random;
    double sum = 0.0;
    double squares = 0.0;
    weir__random_init(&random, 8, 0);
    for (int i = 0; i < DRAWS; i++) {
        double x = weir__random_exponential(&random, 2.5);
        g_assert_true(x >= 0.0 && isfinite(x));
        sum += x;
        squares += x * x;
    }
    double mean = sum / DRAWS;
    assert_near(mean, 2.5, 0.03);
    assert_near(sqrt(squares / DRAWS - mean * mean), 2.5, 0.05);
}

/* Pareto: P(X > x) = (scale / x)^shape above the scale. */
static void test_pareto_has_its_scale_tail_and_mean(void)
{
    static const double shapes[] = {1.5, 2.5, 4.0};
    for (size_t k = 0; k < G_N_ELEMENTS(shapes); k++) {
        struct weir__random random;
        double scale = 3.0 * (shapes[k] - 1.0) / shapes[k];
        int above_double = 0;
        double sum = 0.0;
        weir__random_init(&random, 9, k);
        for (int i = 0; i < DRAWS; i++) {
            double x = weir__random_pareto(&random, 3.0, shapes[k]);
            g_assert_cmpfloat(x, >=, scale * (1.0 - 1e-12));
            above_double += x > 2.0 * scale;
            sum += x;
        }
        assert_near((double)above_double / DRAWS, pow(0.5, shapes[k]), 0.005);
        if (shapes[k] > 2.0) {
            assert_near(sum / DRAWS, 3.0, 0.05);
        }
    }
}

/* Mean 0, variance 1, and the shares within one, two and three standard deviations. */
static void test_normal_is_normal(void)
{
    static const double shares[] = {0.682689, 0.954500, 0.997300};
    struct weir__random random;
    double sum = 0.0;
    double squares = 0.0;
    int within[3] = {0};
    weir__random_init(&random, 8, 0);
    for (int i = 0; i < DRAWS; i++) {
        double x = weir__random_normal(&random);
        sum += x;
        squares += x * x;
        for (int k = 0; k < 3; k++) {
            within[k] += fabs(x) < k + 1;
        }
    }
    assert_near(sum / DRAWS, 0.0, 4.0 / sqrt(DRAWS));
    assert_near(squares / DRAWS, 1.0, 4.0 * sqrt(2.0 / DRAWS));
    for (int k = 0; k < 3; k++) {
        double deviation = sqrt(shares[k] * (1.0 - shares[k]) / DRAWS);
        assert_near((double)within[k] / DRAWS, shares[k], 4.0 * deviation);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/random/same_seed_gives_the_same_numbers",
                    test_same_seed_gives_the_same_numbers);
    g_test_add_func("/sim/random/generator_is_xoshiro256_starstar",
                    test_generator_is_xoshiro256_starstar);
    g_test_add_func("/sim/random/streams_and_seeds_do_not_overlap",
                    test_streams_and_seeds_do_not_overlap);
    g_test_add_func("/sim/random/neighbouring_streams_are_uncorrelated",
                    test_neighbouring_streams_are_uncorrelated);
    g_test_add_func("/sim/random/uniform_fills_zero_to_one_evenly",
                    test_uniform_fills_zero_to_one_evenly);
    g_test_add_func("/sim/random/below_stays_below_its_bound", test_below_stays_below_its_bound);
    g_test_add_func("/sim/random/below_reaches_every_value", test_below_reaches_every_value);
    g_test_add_func("/sim/random/chance_has_its_probability", test_chance_has_its_probability);
    g_test_add_func("/sim/random/chance_zero_and_one_are_certain_and_free",
                    test_chance_zero_and_one_are_certain_and_free);
    g_test_add_func("/sim/random/exponential_has_its_mean_and_deviation",
                    test_exponential_has_its_mean_and_deviation);
    g_test_add_func("/sim/random/pareto_has_its_scale_tail_and_mean",
                    test_pareto_has_its_scale_tail_and_mean);
    g_test_add_func("/sim/random/normal_is_normal", test_normal_is_normal);
    return g_test_run();
}
