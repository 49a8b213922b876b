/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/random.h"
#include "sim/base/seen.h"

#define NUMBERS 4000

/* Any sequence of numbers beside a plain array of what has come. */
static void check_walk(int64_t n_packets, uint64_t seed)
{
    static bool came[NUMBERS];
    struct weir__seen seen;
    struct weir__random random;
    int64_t highest = -1;
    weir__random_init(&random, seed, 0);
    g_assert_cmpint(weir__seen_init(&seen, n_packets), ==, WEIR_OK);
    for (int i = 0; i < NUMBERS; i++) {
        came[i] = false;
    }
    for (int i = 0; i < NUMBERS; i++) {
        int64_t at = highest + 3 - weir__random_below(&random, n_packets + 10);
        int64_t seq = CLAMP(at, 0, NUMBERS - 1);
        bool is_known = seq > highest - n_packets;
        bool is_first = is_known && !came[seq];
        g_assert_true(weir__seen_is_first(&seen, seq) == is_first);
        came[seq] = true;
        highest = MAX(highest, seq);
    }
    weir__seen_finish(&seen);
}

static void test_copies_are_told_from_packets(void)
{
    const int64_t sizes[] = {1, 2, 63, 64, 65, 1000, 1024};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            check_walk(sizes[i], seed);
        }
    }
}

/* By much more than is remembered, also. */
static void test_numbers_may_leap(void)
{
    struct weir__seen seen;
    g_assert_cmpint(weir__seen_init(&seen, 64), ==, WEIR_OK);
    for (int64_t seq = 0; seq < INT64_C(1) << 60; seq = 2 * seq + 1) {
        g_assert_true(weir__seen_is_first(&seen, seq));
        g_assert_false(weir__seen_is_first(&seen, seq));
    }
    g_assert_false(weir__seen_is_first(&seen, 0));
    weir__seen_finish(&seen);
    weir__seen_finish(&seen);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/seen/copies_are_told_from_packets", test_copies_are_told_from_packets);
    g_test_add_func("/sim/seen/numbers_may_leap", test_numbers_may_leap);
    return g_test_run();
}
