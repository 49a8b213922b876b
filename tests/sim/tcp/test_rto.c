/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/tcp/rto.h"
#include "weir/units.h"

static struct weir__tcp_rto make(void)
{
    struct weir__tcp_rto_config config;
    struct weir__tcp_rto rto;
    weir__tcp_rto_config_default(&config);
    weir__tcp_rto_init(&rto, &config);
    return rto;
}

/* A round trip that begins and ends with a tick. */
static void sample(struct weir__tcp_rto *rto, int64_t rtt_ns)
{
    weir__tcp_rto_on_sample(rto, WEIR_SECONDS(1), WEIR_SECONDS(1) + rtt_ns);
}

/* Samples 0.1, 0.1, 0.3 s: SRTT 0.125, RTTVAR 0.078125, RTO 0.4375. */
static void test_known_samples_give_the_known_timeout(void)
{
    struct weir__tcp_rto rto = make();
    sample(&rto, WEIR_MS(100));
    g_assert_cmpint(rto.srtt_ns, ==, WEIR_MS(100));
    g_assert_cmpint(rto.rttvar_ns, ==, WEIR_MS(50));
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_MS(300));
    sample(&rto, WEIR_MS(100));
    g_assert_cmpint(rto.srtt_ns, ==, WEIR_MS(100));
    g_assert_cmpint(rto.rttvar_ns, ==, WEIR_US(37500));
    sample(&rto, WEIR_MS(300));
    g_assert_cmpint(rto.srtt_ns, ==, WEIR_MS(125));
    g_assert_cmpint(rto.ticked_ns, ==, WEIR_MS(125));
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
        sample(&rto, WEIR_MS(10));
    }
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_MS(200));
    weir__tcp_rto_on_timeout(&rto);
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_MS(400));
}

static void test_backoff_doubles_up_to_64_and_60_seconds(void)
{
    struct weir__tcp_rto rto = make();
    sample(&rto, WEIR_MS(100));
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
    sample(&rto, WEIR_MS(100));
    weir__tcp_rto_on_timeout(&rto);
    weir__tcp_rto_on_timeout(&rto);
    sample(&rto, WEIR_MS(100));
    g_assert_cmpint(rto.backoff, ==, 1);
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_US(250000));
}

static void test_variance_never_counts_less_than_a_tick(void)
{
    struct weir__tcp_rto rto = make();
    for (int i = 0; i < 200; i++) {
        sample(&rto, WEIR_MS(500));
    }
    g_assert_cmpint(rto.srtt_ns, ==, WEIR_MS(500));
    g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_MS(510));
}

/* The clock counts the ticks between the two times, at least one; the smoothed round trip shown to
 * others is exact. */
static void test_samples_are_measured_in_ticks(void)
{
    static const struct {
        int64_t sent_us;
        int64_t now_us;
        int64_t ticked_ms;
    } cases[] = {{0, 10000, 10}, {0, 19999, 10},      {5000, 10000, 10},  {9999, 20000, 20},
                 {0, 1, 10},     {1000, 104000, 100}, {9000, 112000, 110}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__tcp_rto rto = make();
        weir__tcp_rto_on_sample(&rto, WEIR_US(cases[i].sent_us), WEIR_US(cases[i].now_us));
        g_assert_cmpint(rto.ticked_ns, ==, WEIR_MS(cases[i].ticked_ms));
        g_assert_cmpint(rto.srtt_ns, ==, WEIR_US(cases[i].now_us - cases[i].sent_us));
        g_assert_cmpint(rto.latest_ns, ==, rto.srtt_ns);
        struct weir__tcp_rto exact = make();
        exact.config.tick_ns = 0;
        weir__tcp_rto_on_sample(&exact, WEIR_US(cases[i].sent_us), WEIR_US(cases[i].now_us));
        g_assert_cmpint(exact.ticked_ns, ==, exact.srtt_ns);
    }
}

static void test_many_timeouts_forget_the_smoothed_round_trip(void)
{
    struct weir__tcp_rto rto = make();
    for (int timeouts = 1; timeouts <= 6; timeouts++) {
        rto = make();
        sample(&rto, WEIR_MS(100));
        for (int i = 0; i < timeouts; i++) {
            weir__tcp_rto_on_timeout(&rto);
        }
        g_assert_cmpint(weir__tcp_rto_ns(&rto), ==, WEIR_MS(300) << timeouts);
        sample(&rto, WEIR_MS(900));
        g_assert_cmpint(rto.srtt_ns, ==, timeouts <= 3 ? WEIR_MS(200) : WEIR_MS(900));
    }
}

static void test_timeout_always_stays_in_its_range(void)
{
    struct weir__tcp_rto rto = make();
    for (int64_t i = 0; i < 5000; i++) {
        sample(&rto, 1 + i * i * 7919 % WEIR_SECONDS(20));
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
    g_test_add_func("/sim/tcp_rto/samples_are_measured_in_ticks",
                    test_samples_are_measured_in_ticks);
    g_test_add_func("/sim/tcp_rto/many_timeouts_forget_the_smoothed_round_trip",
                    test_many_timeouts_forget_the_smoothed_round_trip);
    g_test_add_func("/sim/tcp_rto/timeout_always_stays_in_its_range",
                    test_timeout_always_stays_in_its_range);
    return g_test_run();
}
