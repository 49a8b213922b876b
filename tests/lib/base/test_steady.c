/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/steady.h"

#include "test.h"

static void test_a_clock_that_goes_forward_is_the_time(void)
{
    struct weir__steady steady = {0};
    int64_t now_ns = WEIR_SECONDS(-5);
    for (int64_t clock_ns = now_ns; clock_ns < WEIR_SECONDS(5); clock_ns += WEIR_MS(333)) {
        now_ns = weir__steady_now_ns(&steady, now_ns, clock_ns);
        g_assert_cmpint(now_ns, ==, clock_ns);
        g_assert_cmpint(weir__steady_clock_ns(&steady, now_ns), ==, clock_ns);
    }
}

/* now never goes back; after a step it goes on as the clock does, and what it tells of the clock is
 * what the clock will show. */
static void test_after_a_step_back_time_goes_on_with_the_clock(void)
{
    static const int64_t steps_ns[] = {WEIR__STEADY_LATE_NS + 1, WEIR_SECONDS(1),
                                       WEIR_SECONDS(3600), INT64_C(4000000000000000000)};
    for (size_t i = 0; i < G_N_ELEMENTS(steps_ns); i++) {
        struct weir__steady steady = {0};
        int64_t now_ns = WEIR_SECONDS(100), clock_ns = now_ns;
        for (int repeat = 0; repeat < 2; repeat++) {
            clock_ns -= steps_ns[i];
            g_assert_cmpint(weir__steady_now_ns(&steady, now_ns, clock_ns), ==, now_ns);
            g_assert_cmpint(weir__steady_clock_ns(&steady, now_ns), ==, clock_ns);
            clock_ns += WEIR_MS(1);
            now_ns += WEIR_MS(1);
            g_assert_cmpint(weir__steady_now_ns(&steady, now_ns, clock_ns), ==, now_ns);
            g_assert_cmpint(weir__steady_time_ns(&steady, clock_ns - 5), ==, now_ns - 5);
        }
    }
}

static void test_a_call_that_was_held_up_is_no_step(void)
{
    struct weir__steady steady = {0};
    int64_t now_ns = WEIR_SECONDS(1);
    g_assert_cmpint(weir__steady_now_ns(&steady, now_ns, now_ns - WEIR__STEADY_LATE_NS), ==,
                    now_ns);
    g_assert_cmpint(weir__steady_now_ns(&steady, now_ns, now_ns + 1), ==, now_ns + 1);
}

/* A time that was never meant as one costs no more than itself. */
static void test_the_least_and_the_greatest_time_do_no_harm(void)
{
    static const int64_t wild_ns[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1};
    for (size_t i = 0; i < G_N_ELEMENTS(wild_ns); i++) {
        struct weir__steady steady = {0};
        int64_t now_ns = WEIR_SECONDS(100);
        g_assert_cmpint(weir__steady_now_ns(&steady, now_ns, wild_ns[i]), ==, now_ns);
        int64_t next_ns = weir__steady_now_ns(&steady, now_ns, WEIR_SECONDS(101));
        g_assert_cmpint(next_ns, >=, now_ns);
        g_assert_cmpint(weir__steady_now_ns(&steady, next_ns, WEIR_SECONDS(102)), ==,
                        next_ns + WEIR_SECONDS(1));
    }
}

static void test_what_is_no_time_stays(void)
{
    struct weir__steady steady = {.ahead_ns = 5};
    g_assert_cmpint(weir__steady_clock_ns(&steady, WEIR_NEVER_NS), ==, WEIR_NEVER_NS);
    g_assert_cmpint(weir__steady_clock_ns(&steady, WEIR_UNKNOWN_NS), ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(weir__steady_clock_ns(&steady, 7), ==, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/steady/a_clock_that_goes_forward_is_the_time",
                    test_a_clock_that_goes_forward_is_the_time);
    g_test_add_func("/steady/after_a_step_back_time_goes_on_with_the_clock",
                    test_after_a_step_back_time_goes_on_with_the_clock);
    g_test_add_func("/steady/a_call_that_was_held_up_is_no_step",
                    test_a_call_that_was_held_up_is_no_step);
    g_test_add_func("/steady/the_least_and_the_greatest_time_do_no_harm",
                    test_the_least_and_the_greatest_time_do_no_harm);
    g_test_add_func("/steady/what_is_no_time_stays", test_what_is_no_time_stays);
    return g_test_run();
}
