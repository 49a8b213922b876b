/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RFC 6298 with its known answers, the windowed minimum against a plain one, TFRC's averages. */
#include "../../test.h"
#include "estimators/rtt.h"

#include <math.h>

static void nothing_is_known_before_the_first_sample(void)
{
    struct weir_rtt rtt;
    weir__rtt_init(&rtt, 0);
    weir__rtt_sample(&rtt, 0, 0);
    weir__rtt_sample(&rtt, 0, WEIR_UNKNOWN_NS);
    g_assert_cmpint(weir__rtt_srtt_ns(&rtt), ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(weir__rtt_srtt_ns(&rtt), ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(weir__rtt_min_ns(&rtt), ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(weir__rtt_latest_ns(&rtt), ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(weir__rtt_rto_ns(&rtt, 0, WEIR_SECONDS(60)), ==, WEIR_SECONDS(1));
}

/* 0.1, 0.1, 0.3 s: RTTVAR 0.05, 0.0375, 0.078125; SRTT 0.1, 0.1, 0.125; RTO 0.4375. */
static void known_answers_of_rfc_6298(void)
{
    static const int64_t samples_ms[] = {100, 100, 300};
    static const double srtt_ms[] = {100.0, 100.0, 125.0};
    static const double rttvar_ms[] = {50.0, 37.5, 78.125};
    struct weir_rtt rtt;
    weir__rtt_init(&rtt, 0);
    for (int i = 0; i < 3; i++) {
        weir__rtt_sample(&rtt, WEIR_SECONDS(i), WEIR_MS(samples_ms[i]));
        assert_near(weir__rtt_srtt_ns(&rtt), srtt_ms[i] * 1e6, 0.5);
        assert_near(rtt.rttvar_ns, rttvar_ms[i] * 1e6, 0.5);
    }
    g_assert_cmpint(weir__rtt_rto_ns(&rtt, 0, WEIR_SECONDS(60)), ==, WEIR_US(437500));
    g_assert_cmpint(weir__rtt_rto_ns(&rtt, WEIR_SECONDS(1), WEIR_SECONDS(60)), ==, WEIR_SECONDS(1));
    g_assert_cmpint(weir__rtt_rto_ns(&rtt, 0, WEIR_MS(300)), ==, WEIR_MS(300));
    g_assert_cmpint(weir__rtt_latest_ns(&rtt), ==, WEIR_MS(300));
}

/* RTTVAR fades; a timeout of 1.001 RTT would come before the next answer. */
static void a_steady_rtt_leaves_the_timeout_a_grain(void)
{
    struct weir_rtt rtt;
    weir__rtt_init(&rtt, 0);
    for (int i = 0; i < 100; i++) {
        weir__rtt_sample(&rtt, WEIR_SECONDS(i), WEIR_MS(400));
    }
    g_assert_cmpint(weir__rtt_rto_ns(&rtt, 0, WEIR_SECONDS(60)), ==,
                    WEIR_MS(400) + WEIR__RTT_GRAIN_NS);
}

/* Feedback every 10 ms smooths no less than feedback once per RTT. */
static void one_sample_per_srtt_counts(void)
{
    struct weir_rtt rtt;
    weir__rtt_init(&rtt, 0);
    weir__rtt_sample(&rtt, 0, WEIR_MS(100));
    for (int ms = 10; ms < 100; ms += 10) {
        weir__rtt_sample(&rtt, WEIR_MS(ms), WEIR_MS(200));
        g_assert_cmpint(weir__rtt_srtt_ns(&rtt), ==, WEIR_MS(100));
        g_assert_cmpint(weir__rtt_latest_ns(&rtt), ==, WEIR_MS(200));
    }
    weir__rtt_sample(&rtt, WEIR_MS(100), WEIR_MS(200));
    g_assert_cmpint(weir__rtt_srtt_ns(&rtt), ==, WEIR_US(112500));
}

static void samples_are_limited(void)
{
    struct weir_rtt rtt;
    weir__rtt_init(&rtt, 0);
    weir__rtt_sample(&rtt, 0, 1);
    g_assert_cmpint(weir__rtt_srtt_ns(&rtt), ==, WEIR__RTT_MIN_NS);
    weir__rtt_sample(&rtt, WEIR_SECONDS(1), INT64_MAX);
    g_assert_cmpint(weir__rtt_latest_ns(&rtt), ==, WEIR__RTT_MAX_NS);
    g_assert_cmpint(weir__rtt_min_ns(&rtt), ==, WEIR__RTT_MIN_NS);
}

/* Never below the true minimum of the window, never above the minimum of its last quarter; without
 * a window the minimum of everything. */
static void minimum_of_a_sliding_window(void)
{
    guint32 seed = 6298;
    g_test_message("seed %u", seed);
    GRand *rand = g_rand_new_with_seed(seed);
    for (int round = 0; round < 200; round++) {
        struct weir_rtt windowed, for_ever;
        int64_t samples_ns[400];
        weir__rtt_init(&windowed, WEIR_MS(100));
        weir__rtt_init(&for_ever, 0);
        for (int i = 0; i < 400; i++) {
            samples_ns[i] = WEIR_US(g_rand_int_range(rand, 1000, 50000)) + WEIR_US(i * (round % 7));
            weir__rtt_sample(&windowed, WEIR_MS(i), samples_ns[i]);
            weir__rtt_sample(&for_ever, WEIR_MS(i), samples_ns[i]);
            int64_t all_ns = INT64_MAX, window_ns = INT64_MAX, quarter_ns = INT64_MAX;
            for (int k = 0; k <= i; k++) {
                all_ns = weir_min_i64(all_ns, samples_ns[k]);
                window_ns = i - k <= 100 ? weir_min_i64(window_ns, samples_ns[k]) : window_ns;
                quarter_ns = i - k <= 24 ? weir_min_i64(quarter_ns, samples_ns[k]) : quarter_ns;
            }
            g_assert_cmpint(weir__rtt_min_ns(&for_ever), ==, all_ns);
            g_assert_cmpint(weir__rtt_min_ns(&windowed), >=, window_ns);
            g_assert_cmpint(weir__rtt_min_ns(&windowed), <=, quarter_ns);
        }
    }
    g_rand_free(rand);
}

/* After a long silence nothing old is believed. */
static void an_old_minimum_expires(void)
{
    struct weir_rtt rtt;
    weir__rtt_init(&rtt, WEIR_SECONDS(600));
    weir__rtt_sample(&rtt, 0, WEIR_MS(10));
    weir__rtt_sample(&rtt, WEIR_SECONDS(600), WEIR_MS(90));
    g_assert_cmpint(weir__rtt_min_ns(&rtt), ==, WEIR_MS(10));
    weir__rtt_sample(&rtt, WEIR_SECONDS(2000), WEIR_MS(95));
    g_assert_cmpint(weir__rtt_min_ns(&rtt), ==, WEIR_MS(95));
}

static void mean_starts_at_the_first_sample(void)
{
    struct weir__rtt_mean mean = {0};
    weir__rtt_mean_sample(&mean, 0, 0.9);
    g_assert_false(mean.has_sample);
    assert_near(weir__rtt_mean_inst_factor(&mean, 0.0), 1.0, 1e-12);
    weir__rtt_mean_sample(&mean, WEIR_MS(100), 0.9);
    assert_near(mean.mean_s, 0.1, 1e-12);
    assert_near(weir__rtt_mean_inst_factor(&mean, 0.0), 1.0, 1e-12);
    weir__rtt_mean_sample(&mean, WEIR_MS(400), 0.9);
    assert_near(mean.mean_s, 0.13, 1e-12);
    double sqrt_mean = 0.9 * sqrt(0.1) + 0.1 * sqrt(0.4);
    assert_near(weir__rtt_mean_inst_factor(&mean, 0.0), sqrt_mean / sqrt(0.4), 1e-12);
    double grained = sqrt((sqrt_mean * sqrt_mean + 0.1) / (0.4 + 0.1));
    assert_near(weir__rtt_mean_inst_factor(&mean, 0.1), grained, 1e-12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/rtt/" #name, name)
    ADD(nothing_is_known_before_the_first_sample);
    ADD(known_answers_of_rfc_6298);
    ADD(a_steady_rtt_leaves_the_timeout_a_grain);
    ADD(one_sample_per_srtt_counts);
    ADD(samples_are_limited);
    ADD(minimum_of_a_sliding_window);
    ADD(an_old_minimum_expires);
    ADD(mean_starts_at_the_first_sample);
    return g_test_run();
}
