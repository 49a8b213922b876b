/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/random.h"
#include "sim/tcp/scoreboard.h"

#define WINDOW 200

static bool sack(struct weir__tcp_scoreboard *board, int64_t first, int64_t last)
{
    struct weir__sack_block block = {.first = first, .last = last};
    return weir__tcp_scoreboard_on_sack(board, &block, 1);
}

static int64_t resend_next(struct weir__tcp_scoreboard *board)
{
    int64_t hole = weir__tcp_scoreboard_next_hole(board);
    if (hole >= 0) {
        weir__tcp_scoreboard_on_resent(board, hole);
    }
    return hole;
}

static void test_holes_are_offered_once_in_order(void)
{
    static const int64_t expected[] = {0, 1, 4, 8, 9, -1, -1};
    struct weir__tcp_scoreboard board;
    g_assert_cmpint(weir__tcp_scoreboard_init(&board, WINDOW), ==, WEIR_OK);
    g_assert_cmpint(weir__tcp_scoreboard_next_hole(&board), ==, -1);
    g_assert_true(sack(&board, 2, 3));
    g_assert_true(sack(&board, 5, 7));
    g_assert_true(sack(&board, 10, 10));
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_assert_cmpint(resend_next(&board), ==, expected[i]);
    }
    g_assert_true(sack(&board, 13, 13)); /* packets 11 and 12 are holes now */
    g_assert_cmpint(resend_next(&board), ==, 11);
    g_assert_cmpint(resend_next(&board), ==, 12);
    g_assert_cmpint(resend_next(&board), ==, -1);
    weir__tcp_scoreboard_finish(&board);
    weir__tcp_scoreboard_finish(&board);
}

static void test_only_new_information_counts(void)
{
    struct weir__tcp_scoreboard board;
    g_assert_cmpint(weir__tcp_scoreboard_init(&board, WINDOW), ==, WEIR_OK);
    g_assert_true(sack(&board, 5, 10));
    g_assert_false(sack(&board, 5, 10));
    g_assert_false(sack(&board, 6, 7));
    g_assert_true(sack(&board, 4, 10));
    g_assert_false(sack(&board, 9, 8));
    g_assert_false(weir__tcp_scoreboard_on_sack(&board, NULL, 0));
    weir__tcp_scoreboard_on_ack(&board, 20);
    g_assert_false(sack(&board, 5, 20));
    g_assert_true(sack(&board, 5, 21));
    weir__tcp_scoreboard_finish(&board);
}

static void test_blocks_outside_the_window_are_cut(void)
{
    struct weir__tcp_scoreboard board;
    g_assert_cmpint(weir__tcp_scoreboard_init(&board, WINDOW), ==, WEIR_OK);
    weir__tcp_scoreboard_on_ack(&board, 99);
    int64_t capacity = weir__bitring_capacity(&board.sacked);
    g_assert_false(sack(&board, 99 + capacity + 1, 99 + capacity + 50));
    g_assert_true(sack(&board, -5, INT64_MAX - 1));
    g_assert_cmpint(board.highest_sacked, ==, 99 + capacity);
    g_assert_cmpint(weir__tcp_scoreboard_next_hole(&board), ==, -1);
    weir__tcp_scoreboard_finish(&board);
}

static void test_clear_forgets_what_is_above_the_ack(void)
{
    struct weir__tcp_scoreboard board;
    g_assert_cmpint(weir__tcp_scoreboard_init(&board, WINDOW), ==, WEIR_OK);
    weir__tcp_scoreboard_on_ack(&board, 9);
    g_assert_true(sack(&board, 15, 20));
    g_assert_cmpint(resend_next(&board), ==, 10);
    weir__tcp_scoreboard_clear(&board);
    g_assert_cmpint(weir__tcp_scoreboard_next_hole(&board), ==, -1);
    g_assert_true(sack(&board, 15, 20));
    g_assert_cmpint(resend_next(&board), ==, 10);
    weir__tcp_scoreboard_finish(&board);
}

/* Against a plain array, over many window lengths. */
static void test_scoreboard_agrees_with_an_array(void)
{
    const uint64_t seed = 51;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    static bool settled[20000 + 2 * WINDOW];
    struct weir__tcp_scoreboard board;
    struct weir__random random;
    int64_t una = -1;
    int64_t highest = -1;
    memset(settled, 0, sizeof settled);
    weir__random_init(&random, seed, 0);
    g_assert_cmpint(weir__tcp_scoreboard_init(&board, WINDOW), ==, WEIR_OK);
    while (una < 19000) {
        int64_t first = una + 2 + weir__random_below(&random, WINDOW - 10);
        int64_t last = first + weir__random_below(&random, 6);
        sack(&board, first, last);
        for (int64_t n = first; n <= last; n++) {
            settled[n] = true;
        }
        highest = last > highest ? last : highest;
        if (weir__random_chance(&random, 0.3)) {
            una += 1 + weir__random_below(&random, 30);
            weir__tcp_scoreboard_on_ack(&board, una);
        }
        for (int k = 0; k < 2; k++) {
            int64_t expected = una + 1;
            while (expected < highest && settled[expected]) {
                expected++;
            }
            int64_t hole = resend_next(&board);
            g_assert_cmpint(hole, ==, expected < highest ? expected : -1);
            if (hole >= 0) {
                settled[hole] = true;
            }
        }
    }
    weir__tcp_scoreboard_finish(&board);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_scoreboard/holes_are_offered_once_in_order",
                    test_holes_are_offered_once_in_order);
    g_test_add_func("/sim/tcp_scoreboard/only_new_information_counts",
                    test_only_new_information_counts);
    g_test_add_func("/sim/tcp_scoreboard/blocks_outside_the_window_are_cut",
                    test_blocks_outside_the_window_are_cut);
    g_test_add_func("/sim/tcp_scoreboard/clear_forgets_what_is_above_the_ack",
                    test_clear_forgets_what_is_above_the_ack);
    g_test_add_func("/sim/tcp_scoreboard/scoreboard_agrees_with_an_array",
                    test_scoreboard_agrees_with_an_array);
    return g_test_run();
}
