/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/rate_meter.h"

#include "test.h"
#include "weir/units.h"

static void test_nothing_counted_is_no_rate(void)
{
    struct weir__rate_meter meter;
    weir__rate_meter_init(&meter, WEIR_MS(50));
    g_assert_cmpint(weir__rate_meter_bps(&meter, WEIR_SECONDS(9), WEIR_SECONDS(1)), ==, 0);
}

/* Whatever the window and wherever in a bin one asks. */
static void test_steady_traffic_is_measured_within_a_packet(void)
{
    struct weir__rate_meter meter;
    weir__rate_meter_init(&meter, WEIR_MS(50));
    for (int64_t i = 0; i < 5000; i++) {
        int64_t now_ns = WEIR_SECONDS(-1) + i * WEIR_MS(1);
        weir__rate_meter_add(&meter, now_ns, 125);
        if (i < 200) {
            continue;
        }
        for (int64_t window_ms = 200; window_ms <= 3000; window_ms += 350) {
            int64_t bps = weir__rate_meter_bps(&meter, now_ns, WEIR_MS(window_ms));
            assert_near(bps, 1000000, 8 * 125 * 1000 / 190.0 * 1.01);
        }
    }
}

static void test_the_time_before_the_first_bytes_does_not_count(void)
{
    struct weir__rate_meter meter;
    weir__rate_meter_init(&meter, WEIR_MS(10));
    for (int i = 0; i <= 100; i++) {
        weir__rate_meter_add(&meter, WEIR_SECONDS(100) + WEIR_MS(i), 1000);
    }
    assert_near(weir__rate_meter_bps(&meter, WEIR_SECONDS(100) + WEIR_MS(100), WEIR_MS(500)),
                8000000, 90000);
}

static void test_old_bytes_leave_the_window(void)
{
    struct weir__rate_meter meter;
    weir__rate_meter_init(&meter, WEIR_MS(50));
    weir__rate_meter_add(&meter, 0, 100000);
    g_assert_cmpint(weir__rate_meter_bps(&meter, WEIR_MS(500), WEIR_SECONDS(1)), >, 0);
    g_assert_cmpint(weir__rate_meter_bps(&meter, WEIR_MS(1100), WEIR_SECONDS(1)), ==, 0);
    g_assert_cmpint(weir__rate_meter_bps(&meter, WEIR_SECONDS(4000), WEIR_SECONDS(3)), ==, 0);
}

static void test_late_bytes_go_where_they_belong(void)
{
    struct weir__rate_meter meter;
    weir__rate_meter_init(&meter, WEIR_MS(50));
    weir__rate_meter_add(&meter, WEIR_MS(2000), 10);
    weir__rate_meter_add(&meter, WEIR_MS(1000), 5);
    weir__rate_meter_add(&meter, WEIR_MS(-2000), 7);
    g_assert_cmpint(weir__rate_meter_span(&meter, WEIR_MS(2000), WEIR_MS(200)).bytes, ==, 10);
    g_assert_cmpint(weir__rate_meter_span(&meter, WEIR_MS(2000), WEIR_SECONDS(3)).bytes, ==, 15);
}

static void test_a_gap_longer_than_the_bins_starts_anew(void)
{
    struct weir__rate_meter meter;
    weir__rate_meter_init(&meter, WEIR_MS(50));
    weir__rate_meter_add(&meter, 0, 1000);
    weir__rate_meter_add(&meter, WEIR_SECONDS(60), 1000);
    struct weir__rate_span span = weir__rate_meter_span(&meter, WEIR_SECONDS(60), WEIR_SECONDS(3));
    g_assert_cmpint(span.bytes, ==, 1000);
    g_assert_cmpint(span.duration_ns, ==, WEIR_MS(50));
}

/* Against the definition: the bytes at times in the window, give or take one bin. */
static void test_equals_a_plain_sum_over_random_traffic(void)
{
    GRand *rand = g_rand_new_with_seed(7);
    struct weir__rate_meter meter;
    weir__rate_meter_init(&meter, WEIR_MS(20));
    int64_t at_ns[4000], bytes[4000], now_ns = 0;
    for (int i = 0; i < 4000; i++) {
        now_ns += g_rand_int_range(rand, 0, 4000000);
        at_ns[i] = now_ns;
        bytes[i] = g_rand_int_range(rand, 1, 1500);
        weir__rate_meter_add(&meter, now_ns, bytes[i]);
        struct weir__rate_span span = weir__rate_meter_span(&meter, now_ns, WEIR_MS(400));
        int64_t sum = 0;
        for (int k = i; k >= 0 && at_ns[k] >= now_ns - span.duration_ns; k--) {
            sum += bytes[k];
        }
        g_assert_cmpint(span.bytes, ==, sum);
        g_assert_cmpint(span.duration_ns, <=, WEIR_MS(420));
    }
    g_rand_free(rand);
}

static void test_bins_of_times_before_zero_are_as_long(void)
{
    struct weir__rate_meter meter;
    weir__rate_meter_init(&meter, WEIR_MS(50));
    for (int64_t ms = -125; ms <= 125; ms += 25) {
        weir__rate_meter_add(&meter, WEIR_MS(ms), 100);
        g_assert_cmpint(meter.newest_bin, ==, (ms + 150) / 50 - 3);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rate_meter/nothing_counted_is_no_rate", test_nothing_counted_is_no_rate);
    g_test_add_func("/rate_meter/steady_traffic_is_measured_within_a_packet",
                    test_steady_traffic_is_measured_within_a_packet);
    g_test_add_func("/rate_meter/the_time_before_the_first_bytes_does_not_count",
                    test_the_time_before_the_first_bytes_does_not_count);
    g_test_add_func("/rate_meter/old_bytes_leave_the_window", test_old_bytes_leave_the_window);
    g_test_add_func("/rate_meter/late_bytes_go_where_they_belong",
                    test_late_bytes_go_where_they_belong);
    g_test_add_func("/rate_meter/a_gap_longer_than_the_bins_starts_anew",
                    test_a_gap_longer_than_the_bins_starts_anew);
    g_test_add_func("/rate_meter/equals_a_plain_sum_over_random_traffic",
                    test_equals_a_plain_sum_over_random_traffic);
    g_test_add_func("/rate_meter/bins_of_times_before_zero_are_as_long",
                    test_bins_of_times_before_zero_are_as_long);
    return g_test_run();
}
