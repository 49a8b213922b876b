/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "sim/tcp_rto.h"
#include "weir/units.h"

static struct weir__tcp_rto make(void)
{
    struct weir__tcp_rto_config config;
    struct weir__tcp_rto rto;
    weir__tcp_rto_config_default(&config);
    weir__tcp_rto_init(&rto, &config);
    return rto;
}

/* Samples 0.1, 0.1, 0.3 s: SRTT 0.125, RTTVAR 0.078125, RTO 0.4375. */
static void test_known_samples_give_the_known_timeout(void)
{
    struct weir__tcp_rto rto = make();
    weir__tcp_rto_on_sample(&rto, WEIR_MS(100));
    g_assert_cmpint(rto.srtt_ns, ==, WEIR_MS(100));
    g_assert_cmpint(rto.rttvar_ns, ==, WEIR_MS(50));
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_MS(300));
    weir__tcp_rto_on_sample(&rto, WEIR_MS(100));
    g_assert_cmpint(rto.srtt_ns, ==, WEIR_MS(100));
    g_assert_cmpint(rto.rttvar_ns, ==, WEIR_US(37500));
    weir__tcp_rto_on_sample(&rto, WEIR_MS(300));
    g_assert_cmpint(rto.srtt_ns, ==, WEIR_MS(125));
    g_assert_cmpint(rto.rttvar_ns, ==, WEIR_US(78125));
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_US(437500));
}

static void test_timeout_starts_at_the_initial_value(void)
{
    struct weir__tcp_rto rto = make();
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_SECONDS(3));
    weir__tcp_rto_on_timeout(&rto);
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_SECONDS(6));
}

static void test_minimum_holds_before_the_backoff(void)
{
    struct weir__tcp_rto rto = make();
    for (int i = 0; i < 100; i++) {
        weir__tcp_rto_on_sample(&rto, WEIR_MS(10));
    }
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_MS(200));
    weir__tcp_rto_on_timeout(&rto);
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_MS(400));
}

static void test_backoff_doubles_up_to_64_and_60_seconds(void)
{
    struct weir__tcp_rto rto = make();
    weir__tcp_rto_on_sample(&rto, WEIR_MS(100));
    for (int i = 0; i < 10; i++) {
        int64_t factor = INT64_C(1) << (i < 6 ? i : 6);
        g_assert_cmpint(weir__tcp_rto_ns(&rto), ==,
                        weir_min_i64(factor * WEIR_MS(300), WEIR_SECONDS(60)));
        weir__tcp_rto_on_timeout(&rto);
    }
    struct weir__tcp_rto slow = make();
    for (int i = 0; i < 10; i++) {
        weir__tcp_rto_on_timeout(&slow);
    }
    g_assert_cmpint(weir__tcp_rto_ns(&slow), ==, WEIR_SECONDS(60));
}

static void test_sample_ends_the_backoff(void)
{
    struct weir__tcp_rto rto = make();
    weir__tcp_rto_on_sample(&rto, WEIR_MS(100));
    weir__tcp_rto_on_timeout(&rto);
    weir__tcp_rto_on_timeout(&rto);
    weir__tcp_rto_on_sample(&rto, WEIR_MS(100));
    g_assert_cmpint(rto.backoff, ==, 1);
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_US(250000));
}

static void test_variance_never_counts_less_than_a_tick(void)
{
    struct weir__tcp_rto rto = make();
    for (int i = 0; i < 200; i++) {
        weir__tcp_rto_on_sample(&rto, WEIR_MS(500));
    }
    g_assert_cmpint(rto.srtt_ns, ==, WEIR_MS(500));
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_MS(510));
}

static void test_timeout_always_stays_in_its_range(void)
{
    struct weir__tcp_rto rto = make();
    for (int64_t i = 0; i < 5000; i++) {
        weir__tcp_rto_on_sample(&rto, 1 + i * i * 7919 % WEIR_SECONDS(20));
        if (i % 17 == 0) {
            weir__tcp_rto_on_timeout(&rto);
        }
        g_assert_cmpint(weir__tcp_rto_ns(&rto), >=, WEIR_MS(200));
        g_assert_cmpint(weir__tcp_rto_ns(&rto), <=, WEIR_SECONDS(60));
        g_assert_cmpint(rto.rttvar_ns, >=, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_rto/known_samples_give_the_known_timeout",
                    test_known_samples_give_the_known_timeout);
    g_test_add_func("/sim/tcp_rto/timeout_starts_at_the_initial_value",
                    test_timeout_starts_at_the_initial_value);
    g_test_add_func("/sim/tcp_rto/minimum_holds_before_the_backoff",
                    test_minimum_holds_before_the_backoff);
    g_test_add_func("/sim/tcp_rto/backoff_doubles_up_to_64_and_60_seconds",
                    test_backoff_doubles_up_to_64_and_60_seconds);
    g_test_add_func("/sim/tcp_rto/sample_ends_the_backoff", test_sample_ends_the_backoff);
    g_test_add_func("/sim/tcp_rto/variance_never_counts_less_than_a_tick",
                    test_variance_never_counts_less_than_a_tick);
    g_test_add_func("/sim/tcp_rto/timeout_always_stays_in_its_range",
                    test_timeout_always_stays_in_its_range);
    return g_test_run();
}
