/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/sender_steering.h"

#include "test.h"
#include "weir/sender.h"

#define ONE WEIR_FEEDBACK_CCFB
#define TWO WEIR_FEEDBACK_TWCC

static void test_any_format_may_be_the_first(void)
{
    struct weir__steering steering = {0};
    g_assert_true(weir__steering_admits(&steering, 0, 5));
    g_assert_true(weir__steering_admits(&steering, ONE, 5));
    weir__steering_on_news(&steering, 0, 5);
    g_assert_true(weir__steering_admits(&steering, 0, 5));
    g_assert_false(weir__steering_admits(&steering, ONE, 5));
    g_assert_false(weir__steering_admits(&steering, ONE, 4 + WEIR_SECONDS(1)));
    g_assert_true(weir__steering_admits(&steering, ONE, 5 + WEIR_SECONDS(1)));
}

static void test_silence_is_a_second_or_three_intervals(void)
{
    static const struct {
        int64_t interval_ns;
        int64_t silent_ns;
    } cases[] = {
        {1, WEIR_SECONDS(1)},
        {WEIR_MS(100), WEIR_SECONDS(1)},
        {WEIR_MS(333), WEIR_SECONDS(1)},
        {WEIR_MS(500), WEIR_MS(1500)},
        {WEIR_SECONDS(5), WEIR_SECONDS(15)},
        {WEIR_SECONDS(3600), WEIR_SECONDS(15)}, /* a pause of the media */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__steering steering = {0};
        int64_t now_ns = WEIR_SECONDS(7);
        for (int k = 0; k < 10; k++) {
            /* three packets of one feedback */
            weir__steering_on_news(&steering, ONE, now_ns);
            weir__steering_on_news(&steering, ONE, now_ns);
            weir__steering_on_news(&steering, ONE, now_ns);
            now_ns += cases[i].interval_ns;
        }
        now_ns -= cases[i].interval_ns;
        g_assert_false(weir__steering_admits(&steering, TWO, now_ns + cases[i].silent_ns - 1));
        g_assert_true(weir__steering_admits(&steering, TWO, now_ns + cases[i].silent_ns));
        g_assert_true(weir__steering_admits(&steering, ONE, now_ns + cases[i].silent_ns - 1));
    }
}

/* A pause makes the silence longer for a while only. */
static void test_a_pause_is_forgotten(void)
{
    struct weir__steering steering = {0};
    int64_t now_ns = 0;
    weir__steering_on_news(&steering, ONE, now_ns);
    now_ns += WEIR_SECONDS(60);
    weir__steering_on_news(&steering, ONE, now_ns);
    g_assert_false(weir__steering_admits(&steering, TWO, now_ns + WEIR_SECONDS(14)));
    for (int i = 0; i < 25; i++) {
        now_ns += WEIR_MS(100);
        weir__steering_on_news(&steering, ONE, now_ns);
    }
    g_assert_true(weir__steering_admits(&steering, TWO, now_ns + WEIR_SECONDS(1)));
}

static void test_the_next_format_starts_with_its_own_intervals(void)
{
    struct weir__steering steering = {0};
    weir__steering_on_news(&steering, ONE, 0);
    weir__steering_on_news(&steering, ONE, WEIR_SECONDS(5));
    weir__steering_on_news(&steering, TWO, WEIR_SECONDS(20));
    g_assert_false(weir__steering_admits(&steering, ONE, WEIR_SECONDS(21) - 1));
    g_assert_true(weir__steering_admits(&steering, ONE, WEIR_SECONDS(21)));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_steering/any_format_may_be_the_first",
                    test_any_format_may_be_the_first);
    g_test_add_func("/sender_steering/silence_is_a_second_or_three_intervals",
                    test_silence_is_a_second_or_three_intervals);
    g_test_add_func("/sender_steering/a_pause_is_forgotten", test_a_pause_is_forgotten);
    g_test_add_func("/sender_steering/the_next_format_starts_with_its_own_intervals",
                    test_the_next_format_starts_with_its_own_intervals);
    return g_test_run();
}
