/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/random.h"
#include "sim/network/token_bucket.h"
#include "weir/units.h"

static struct weir__token_bucket make(int64_t rate_bps, int64_t burst_bytes)
{
    const struct weir__token_bucket_config config = {.rate_bps = rate_bps,
                                                     .burst_bytes = burst_bytes};
    struct weir__token_bucket bucket;
    g_assert_cmpint(weir__token_bucket_check(&config), ==, WEIR_OK);
    weir__token_bucket_init(&bucket, &config);
    return bucket;
}

/* 1 Mbit/s, 4500 bytes: three packets of 1500 bytes at once, then one each 12 ms. */
static void test_policer_admits_the_burst_then_the_rate(void)
{
    static const struct {
        int64_t at_us, size_bytes;
        bool admitted;
    } cases[] = {
        {0, 1500, true},       {0, 1500, true},      {0, 1500, true},     {0, 1, false},
        {11999, 1500, false},  {12000, 1500, true},  {12000, 100, false}, {12799, 100, false},
        {12800, 100, true},    {20000, 901, false},  {20000, 900, true}, /* 7200 us are 900 bytes */
        {900000, 4501, false}, {900000, 4500, true}, {900000, 1, false},
    };
    struct weir__token_bucket bucket = make(WEIR_MBPS(1), 4500);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("case %zu", i);
        g_assert_cmpint(
            weir__token_bucket_admits(&bucket, WEIR_US(cases[i].at_us), cases[i].size_bytes), ==,
            cases[i].admitted);
    }
}

static void test_shaper_lets_the_burst_pass_then_the_rate(void)
{
    static const struct {
        int64_t at_ms, size_bytes, passes_ms;
    } cases[] = {
        {0, 1500, 0},       {0, 1500, 0},       {0, 1500, 0},     {0, 1500, 12},
        {12, 1500, 24},     {24, 750, 30},      {100, 4500, 100}, /* 36 ms would have filled it */
        {100, 1500, 112},   {1000, 6000, 1000}, /* above the burst: a debt of 1500 bytes */
        {1000, 1500, 1024},
    };
    struct weir__token_bucket bucket = make(WEIR_MBPS(1), 4500);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("case %zu", i);
        g_assert_cmpint(
            weir__token_bucket_wait_for(&bucket, WEIR_MS(cases[i].at_ms), cases[i].size_bytes), ==,
            WEIR_MS(cases[i].passes_ms));
    }
}

static void test_saved_time_is_what_is_in_the_bucket(void)
{
    struct weir__token_bucket bucket = make(WEIR_MBPS(1), 4500);
    g_assert_cmpint(weir__token_bucket_saved_ns(&bucket, 0), ==, WEIR_MS(36));
    weir__token_bucket_wait_for(&bucket, 0, 1500);
    g_assert_cmpint(weir__token_bucket_saved_ns(&bucket, 0), ==, WEIR_MS(24));
    g_assert_cmpint(weir__token_bucket_saved_ns(&bucket, WEIR_MS(5)), ==, WEIR_MS(29));
    g_assert_cmpint(weir__token_bucket_saved_ns(&bucket, WEIR_MS(50)), ==, WEIR_MS(36));
    weir__token_bucket_wait_for(&bucket, WEIR_MS(50), 6000);
    g_assert_cmpint(weir__token_bucket_saved_ns(&bucket, WEIR_MS(50)), ==, -WEIR_MS(12));
}

/* What passes between any two packets is at most burst + rate t; and a policer whose bucket is
 * never full admits that much, less than a packet. */
static void test_no_interval_has_more_than_burst_and_rate(void)
{
    const uint64_t seed = 3;
    static const struct {
        int64_t rate_bps, burst_bytes;
    } cases[] = {{1000000, 3000}, {1000000, 40000}, {77777, 9000}, {123456789, 15000}};
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) {
        struct weir__token_bucket bucket = make(cases[c].rate_bps, cases[c].burst_bytes);
        struct weir__random random;
        double least_debt = 0.0; /* admitted - rate t, its smallest value so far */
        double admitted = 0.0;
        int64_t now_ns = 0;
        weir__random_init(&random, seed, c);
        for (int i = 0; i < 20000; i++) {
            int64_t size_bytes = 40 + weir__random_below(&random, 1461);
            /* three times what passes */
            now_ns += weir_send_time_ns(size_bytes, 3 * cases[c].rate_bps);
            double debt = admitted - (double)now_ns * (double)cases[c].rate_bps / 8e9;
            least_debt = debt < least_debt ? debt : least_debt;
            if (weir__token_bucket_admits(&bucket, now_ns, size_bytes)) {
                admitted += (double)size_bytes;
                g_assert_cmpfloat(debt + (double)size_bytes - least_debt, <=,
                                  (double)cases[c].burst_bytes + 1e-3);
            }
        }
        double offered =
            (double)cases[c].burst_bytes + (double)now_ns * (double)cases[c].rate_bps / 8e9;
        double rounding = 20000.0 * (double)cases[c].rate_bps / 8e9;
        g_assert_cmpfloat(admitted, >, offered - 1500.0 - rounding);
    }
}

static void test_values_outside_their_range_are_refused(void)
{
    static const struct weir__token_bucket_config bad[] = {
        {-1, 1500}, {1000, 0}, {1000, -1}, {1000, 1000000001}, {1000000000001, 1500}};
    static const struct weir__token_bucket_config none = {0, 0};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__token_bucket_check(&bad[i]), ==, WEIR_ERROR_RANGE);
    }
    g_assert_cmpint(weir__token_bucket_check(&none), ==, WEIR_OK);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/token_bucket/policer_admits_the_burst_then_the_rate",
                    test_policer_admits_the_burst_then_the_rate);
    g_test_add_func("/sim/token_bucket/shaper_lets_the_burst_pass_then_the_rate",
                    test_shaper_lets_the_burst_pass_then_the_rate);
    g_test_add_func("/sim/token_bucket/saved_time_is_what_is_in_the_bucket",
                    test_saved_time_is_what_is_in_the_bucket);
    g_test_add_func("/sim/token_bucket/no_interval_has_more_than_burst_and_rate",
                    test_no_interval_has_more_than_burst_and_rate);
    g_test_add_func("/sim/token_bucket/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
