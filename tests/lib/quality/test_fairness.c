/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test.h"
#include "weir/quality.h"

static void test_equal_shares_give_one(void)
{
    const double values[] = {7e5, 7e5, 7e5, 7e5, 7e5};
    for (size_t n = 1; n <= 5; n++) {
        assert_near(weir_jain(values, n), 1.0, 1e-12);
    }
}

static void test_one_taker_of_n_gives_one_nth(void)
{
    double values[64] = {0};
    values[5] = 1e6;
    for (size_t n = 6; n <= 64; n++) {
        assert_near(weir_jain(values, n), 1.0 / (double)n, 1e-12);
    }
}

static void test_index_of_known_shares(void)
{
    const double one_to_three[] = {1, 2, 3};           /* 36 / (3 * 14) */
    const double half_idle[] = {4, 4, 0, 0};           /* 0.5 */
    const double slightly_off[] = {0.9e6, 1e6, 1.1e6}; /* 9 / (3 * 3.02) */
    assert_near(weir_jain(one_to_three, 3), 36.0 / 42.0, 1e-12);
    assert_near(weir_jain(half_idle, 4), 0.5, 1e-12);
    assert_near(weir_jain(slightly_off, 3), 9.0 / 9.06, 1e-12);
}

static void test_index_is_between_one_nth_and_one_for_any_shares(void)
{
    guint32 seed = 20261;
    GRand *random = g_rand_new_with_seed(seed);
    g_test_message("seed %u", seed);
    for (int run = 0; run < 2000; run++) {
        double values[20];
        size_t n = (size_t)g_rand_int_range(random, 1, 21);
        for (size_t i = 0; i < n; i++) {
            values[i] = g_rand_double_range(random, 0.0, 1e9);
        }
        double jain = weir_jain(values, n);
        g_assert_cmpfloat(jain, >=, 1.0 / (double)n - 1e-12);
        g_assert_cmpfloat(jain, <=, 1.0 + 1e-12);
    }
    g_rand_free(random);
}

static void test_scale_does_not_matter_even_when_squares_would_overflow(void)
{
    const double huge[] = {1e300, 2e300, 3e300};
    const double tiny[] = {1e-300, 2e-300, 3e-300};
    assert_near(weir_jain(huge, 3), 36.0 / 42.0, 1e-12);
    assert_near(weir_jain(tiny, 3), 36.0 / 42.0, 1e-12);
}

static void test_nobody_sending_counts_as_fair(void)
{
    const double zeros[] = {0, 0};
    assert_near(weir_jain(zeros, 2), 1.0, 1e-12);
    assert_near(weir_jain(zeros, 0), 1.0, 1e-12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/quality/fairness/equal_shares_give_one", test_equal_shares_give_one);
    g_test_add_func("/quality/fairness/one_taker_of_n_gives_one_nth",
                    test_one_taker_of_n_gives_one_nth);
    g_test_add_func("/quality/fairness/index_of_known_shares", test_index_of_known_shares);
    g_test_add_func("/quality/fairness/index_is_between_one_nth_and_one_for_any_shares",
                    test_index_is_between_one_nth_and_one_for_any_shares);
    g_test_add_func("/quality/fairness/scale_does_not_matter_even_when_squares_would_overflow",
                    test_scale_does_not_matter_even_when_squares_would_overflow);
    g_test_add_func("/quality/fairness/nobody_sending_counts_as_fair",
                    test_nobody_sending_counts_as_fair);
    return g_test_run();
}
