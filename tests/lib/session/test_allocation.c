/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What weir__allocate promises: the invariant on the sum, the limits, and weighted fairness, over
 * exhaustive small cases and seeded large ones; known answers by hand. */
#include "../../test.h"
#include "session/allocation.h"
#include "weir/units.h"

struct known {
    const char *name;
    int64_t budget_bps;
    size_t n;
    struct weir__share shares[4];
    int64_t expected_bps[4];
};

/* Worked by hand. */
static const struct known known_answers[] = {
    {"one taker gets all", 500, 1, {{1, 0, 1000}}, {500}},
    {"one taker is held down", 5000, 1, {{1, 0, 1000}}, {1000}},
    {"one taker is held up", 5, 1, {{1, 100, 1000}}, {100}},
    {"equal weights", 900, 3, {{1, 0, 1000}, {1, 0, 1000}, {1, 0, 1000}}, {300, 300, 300}},
    {"weights 3 to 1", 1000, 2, {{3, 0, 1000}, {1, 0, 1000}}, {750, 250}},
    {"only ratios of weights matter", 1000, 2, {{3000, 0, 1000}, {1000, 0, 1000}}, {750, 250}},
    {"a small maximum leaves more to others", 1000, 2, {{1, 0, 64}, {1, 0, 5000}}, {64, 936}},
    {"a large minimum leaves less", 1000, 2, {{1, 800, 5000}, {1, 0, 5000}}, {800, 200}},
    {"a minimum frees a maximum", 100, 3, {{1, 60, 100}, {1, 0, 30}, {1, 0, 100}}, {60, 20, 20}},
    {"a maximum frees a minimum", 100, 3, {{1, 0, 10}, {1, 40, 99}, {1, 0, 99}}, {10, 45, 45}},
    {"everyone at the minimum", 10, 2, {{1, 30, 99}, {9, 20, 99}}, {30, 20}},
    {"everyone at the maximum", 1000, 2, {{1, 30, 99}, {9, 20, 98}}, {99, 98}},
    {"rounding keeps the sum", 100, 3, {{1, 0, 99}, {1, 0, 99}, {1, 0, 99}}, {33, 33, 34}},
    {"negative budget", -5, 2, {{1, 0, 99}, {1, 7, 99}}, {0, 7}},
    {"no taker", 100, 0, {{0}}, {0}},
};

static void known_answers_are_given(void)
{
    for (size_t k = 0; k < G_N_ELEMENTS(known_answers); k++) {
        const struct known *c = &known_answers[k];
        int64_t out_bps[4] = {0};
        g_test_message("%s", c->name);
        weir__allocate(c->budget_bps, c->shares, c->n, out_bps);
        for (size_t i = 0; i < c->n; i++) {
            g_assert_cmpint(out_bps[i], ==, c->expected_bps[i]);
        }
    }
}

static void assert_sum(int64_t budget_bps, const struct weir__share *s, size_t n,
                       const int64_t *out_bps)
{
    int64_t min_bps = 0, max_bps = 0, sum_bps = 0;
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpint(out_bps[i], >=, s[i].min_bps);
        g_assert_cmpint(out_bps[i], <=, s[i].max_bps);
        min_bps += s[i].min_bps;
        max_bps += s[i].max_bps;
        sum_bps += out_bps[i];
    }
    g_assert_cmpint(sum_bps, ==, weir_clamp_i64(budget_bps, min_bps, max_bps));
}

/* Nobody has less per weight than another, except at its maximum or beside one at its minimum.
 * Rounding moves a share by less than 1 bit/s. */
static void assert_fair(const struct weir__share *s, size_t n, const int64_t *out_bps)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double mine = ((double)out_bps[i] + 1.0) / s[i].weight;
            double other = ((double)out_bps[j] - 1.0) / s[j].weight;
            gboolean excused = out_bps[i] == s[i].max_bps || out_bps[j] == s[j].min_bps;
            g_assert_true(excused || mine >= other * (1.0 - 1e-12));
        }
    }
}

static void every_small_case_adds_up_and_is_fair(void)
{
    int64_t out_bps[3];
    struct weir__share s[3];
    for (unsigned code = 0; code < 27 * 27 * 27; code++) {
        unsigned rest = code;
        for (size_t i = 0; i < 3; i++, rest /= 27) {
            s[i] = (struct weir__share){1 + rest % 3, (rest / 3 % 3) * 3, 6 + (rest / 9 % 3) * 4};
        }
        for (int64_t budget_bps = 0; budget_bps < 45; budget_bps += 4) {
            weir__allocate(budget_bps, s, 3, out_bps);
            assert_sum(budget_bps, s, 3, out_bps);
            assert_fair(s, 3, out_bps);
        }
    }
}

static void random_share(GRand *rand, struct weir__share *s)
{
    int64_t scale_bps = INT64_C(1) << g_rand_int_range(rand, 0, 30);
    s->weight = (uint32_t)g_rand_int_range(rand, 1, 1 << g_rand_int_range(rand, 1, 20));
    s->min_bps = g_rand_boolean(rand) ? 0 : (int64_t)(g_rand_double(rand) * (double)scale_bps);
    s->max_bps = s->min_bps + (int64_t)(g_rand_double(rand) * (double)scale_bps);
}

static void random_cases_add_up_and_are_fair(void)
{
    guint32 seed = 20260;
    g_test_message("seed %u", seed);
    GRand *rand = g_rand_new_with_seed(seed);
    for (int round = 0; round < 20000; round++) {
        struct weir__share s[WEIR__ALLOCATE_MAX_SHARES];
        int64_t out_bps[WEIR__ALLOCATE_MAX_SHARES];
        size_t n = (size_t)g_rand_int_range(rand, 1, round % 50 == 0 ? 65 : 6);
        for (size_t i = 0; i < n; i++) {
            random_share(rand, &s[i]);
        }
        int64_t budget_bps = (int64_t)(g_rand_double(rand) * 2e9);
        weir__allocate(budget_bps, s, n, out_bps);
        assert_sum(budget_bps, s, n, out_bps);
        assert_fair(s, n, out_bps);
    }
    g_rand_free(rand);
}

static void more_budget_never_means_less(void)
{
    const struct weir__share s[] = {{3, 10, 400}, {1, 0, 50}, {2, 120, 300}, {7, 0, 90}};
    int64_t before_bps[4] = {0}, out_bps[4];
    for (int64_t budget_bps = 0; budget_bps < 900; budget_bps++) {
        weir__allocate(budget_bps, s, 4, out_bps);
        for (size_t i = 0; i < 4; i++) {
            g_assert_cmpint(out_bps[i] + 1, >=, before_bps[i]);
        }
        memcpy(before_bps, out_bps, sizeof out_bps);
    }
}

/* The largest numbers the header allows: no overflow (the sanitizer build would say so). */
static void the_extremes_do_not_overflow(void)
{
    struct weir__share s[WEIR__ALLOCATE_MAX_SHARES];
    int64_t out_bps[WEIR__ALLOCATE_MAX_SHARES];
    for (size_t i = 0; i < WEIR__ALLOCATE_MAX_SHARES; i++) {
        s[i] = (struct weir__share){WEIR__ALLOCATE_MAX_WEIGHT, 0, WEIR_MAX_BPS};
    }
    weir__allocate(INT64_MAX, s, WEIR__ALLOCATE_MAX_SHARES, out_bps);
    for (size_t i = 0; i < WEIR__ALLOCATE_MAX_SHARES; i++) {
        g_assert_cmpint(out_bps[i], ==, WEIR_MAX_BPS / WEIR__ALLOCATE_MAX_SHARES);
    }
    weir__allocate(INT64_MIN, s, WEIR__ALLOCATE_MAX_SHARES, out_bps);
    g_assert_cmpint(out_bps[0], ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/allocation/known_answers_are_given", known_answers_are_given);
    g_test_add_func("/allocation/every_small_case_adds_up_and_is_fair",
                    every_small_case_adds_up_and_is_fair);
    g_test_add_func("/allocation/random_cases_add_up_and_are_fair",
                    random_cases_add_up_and_are_fair);
    g_test_add_func("/allocation/more_budget_never_means_less", more_budget_never_means_less);
    g_test_add_func("/allocation/the_extremes_do_not_overflow", the_extremes_do_not_overflow);
    return g_test_run();
}
