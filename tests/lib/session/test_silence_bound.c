/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/silence_bound.h"

#include "test.h"
#include "weir/units.h"

#define START_NS   WEIR_SECONDS(100)
#define TIMEOUT_NS WEIR_MS(500)

static struct weir__silence_bound heard(int64_t in_flight_bytes)
{
    struct weir__silence_bound bound;
    weir__silence_bound_init(&bound);
    weir__silence_bound_on_sent(&bound, START_NS);
    weir__silence_bound_on_rate(&bound, WEIR_MBPS(9)); /* before a sign of life: halves nothing */
    weir__silence_bound_on_life(&bound, START_NS, TIMEOUT_NS, in_flight_bytes);
    weir__silence_bound_on_rate(&bound, WEIR_MBPS(8));
    weir__silence_bound_on_rate(&bound, WEIR_MBPS(1)); /* the algorithm's own answer to silence */
    return bound;
}

/* The invariant, at each deadline that it asks for and just before. */
static void test_the_rate_halves_each_second(void)
{
    struct weir__silence_bound bound = heard(1000);
    int64_t now_ns = START_NS;
    for (int n = 1; n <= 10; n++) {
        int64_t next_ns = weir__silence_bound_next_ns(&bound, now_ns);
        g_assert_cmpint(next_ns, ==, START_NS + TIMEOUT_NS + WEIR_SECONDS(n - 1));
        g_assert_cmpint(weir__silence_bound_bps(&bound, next_ns - 1), ==,
                        n == 1 ? INT64_MAX : WEIR_MBPS(8) >> (n - 1));
        g_assert_cmpint(weir__silence_bound_bps(&bound, next_ns), ==, WEIR_MBPS(8) >> n);
        for (; now_ns < next_ns; now_ns += WEIR_MS(500)) {
            weir__silence_bound_on_sent(&bound, now_ns);
        }
    }
    g_assert_cmpint(weir__silence_bound_next_ns(&bound, START_NS + WEIR_SECONDS(3600)), ==,
                    WEIR_NEVER_NS);
}

static void test_a_sign_of_life_lifts_it(void)
{
    struct weir__silence_bound bound = heard(1000);
    int64_t now_ns = START_NS + WEIR_SECONDS(5);
    g_assert_cmpint(weir__silence_bound_bps(&bound, now_ns), <, WEIR_MBPS(1));
    weir__silence_bound_on_life(&bound, now_ns, TIMEOUT_NS, 1000);
    weir__silence_bound_on_rate(&bound, WEIR_KBPS(250));
    g_assert_cmpint(weir__silence_bound_bps(&bound, now_ns), ==, INT64_MAX);
    g_assert_cmpint(weir__silence_bound_bps(&bound, now_ns + TIMEOUT_NS), ==, WEIR_KBPS(125));
}

/* With all answered, or nothing sent, there is nothing to wait for; nor before the first sign. */
static void test_nothing_unanswered_is_no_silence(void)
{
    struct weir__silence_bound bound = heard(0);
    g_assert_cmpint(weir__silence_bound_next_ns(&bound, START_NS), ==, WEIR_NEVER_NS);
    g_assert_cmpint(weir__silence_bound_bps(&bound, START_NS + WEIR_SECONDS(9)), ==, INT64_MAX);
    weir__silence_bound_on_sent(&bound, START_NS + WEIR_SECONDS(9));
    weir__silence_bound_on_sent(&bound, START_NS + WEIR_SECONDS(19));
    g_assert_cmpint(weir__silence_bound_bps(&bound, START_NS + WEIR_SECONDS(19)), ==, INT64_MAX);
    weir__silence_bound_init(&bound);
    weir__silence_bound_on_sent(&bound, START_NS);
    g_assert_cmpint(weir__silence_bound_bps(&bound, START_NS + WEIR_SECONDS(60)), ==, INT64_MAX);
    g_assert_cmpint(weir__silence_bound_next_ns(&bound, START_NS), ==, WEIR_NEVER_NS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/silence_bound/the_rate_halves_each_second", test_the_rate_halves_each_second);
    g_test_add_func("/silence_bound/a_sign_of_life_lifts_it", test_a_sign_of_life_lifts_it);
    g_test_add_func("/silence_bound/nothing_unanswered_is_no_silence",
                    test_nothing_unanswered_is_no_silence);
    return g_test_run();
}
