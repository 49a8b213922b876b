/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/heavy_loss.h"

#include <math.h>

#include "../../test.h"

#define LOOP_S 0.2

/* Feedback each 50 ms on per_s packets a second, of which every one_of-th is lost, for a time; how
 * often it is time for an answer. */
static int answers(struct weir__heavy_loss *heavy, double per_s, int one_of, double for_s)
{
    int n = 0;
    double lost = 0.0;
    for (double t = 0.0; t < for_s; t += 0.05) {
        double before = lost;
        lost += per_s * 0.05 / one_of;
        n += weir__heavy_loss_step(heavy, per_s * 0.05, floor(lost) - floor(before), 0.05, LOOP_S);
    }
    return n;
}

static void up_to_a_tenth_is_let_be(void)
{
    for (double per_s = 10.0; per_s <= 1000.0; per_s *= 2.0) {
        for (int one_of = 10; one_of <= 100; one_of += 5) {
            struct weir__heavy_loss heavy = {0};
            g_assert_cmpint(answers(&heavy, per_s, one_of, 60.0), ==, 0);
        }
    }
}

/* A fifth is found from 40 packets a second on, a third always. */
static void more_is_answered_again_and_again(void)
{
    for (double per_s = 10.0; per_s <= 1000.0; per_s *= 2.0) {
        struct weir__heavy_loss heavy = {0};
        int n = answers(&heavy, per_s, 3, 60.0);
        g_assert_cmpint(n, >=, 15);
        g_assert_cmpint(n, <=, 50); /* a second and a loop apart */
        heavy = (struct weir__heavy_loss){0};
        g_assert_true(per_s < 40.0 || answers(&heavy, per_s, 5, 60.0) >= 10);
    }
}

static void a_short_burst_is_let_be(void)
{
    struct weir__heavy_loss heavy = {0};
    for (int i = 0; i < 20; i++) {
        g_assert_cmpint(answers(&heavy, 100.0, 1000, 5.0), ==, 0);
        g_assert_cmpint(answers(&heavy, 100.0, 1, 0.2), ==, 0);
    }
}

static void nothing_is_said_in_the_first_second_or_of_few(void)
{
    struct weir__heavy_loss heavy = {0};
    g_assert_cmpint(answers(&heavy, 1000.0, 2, 0.9), ==, 0);
    heavy = (struct weir__heavy_loss){0};
    g_assert_cmpint(answers(&heavy, 4.0, 2, 60.0), ==, 0);
}

/* What was lost before the answer could tell counts for no second one. */
static void each_answer_is_waited_for(void)
{
    struct weir__heavy_loss heavy = {.packets = 100.0, .lost = 90.0, .seen_s = 2.0};
    g_assert_true(weir__heavy_loss_step(&heavy, 1.0, 1.0, 0.01, 5.0));
    g_assert_cmpint(answers(&heavy, 1000.0, 2, 5.0), ==, 0);
    g_assert_cmpint(answers(&heavy, 1000.0, 2, 1.5), ==, 1);
}

#define ADD(name) g_test_add_func("/heavy_loss/" #name, name)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(up_to_a_tenth_is_let_be);
    ADD(more_is_answered_again_and_again);
    ADD(a_short_burst_is_let_be);
    ADD(nothing_is_said_in_the_first_second_or_of_few);
    ADD(each_answer_is_waited_for);
    return g_test_run();
}
