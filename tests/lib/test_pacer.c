/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pacer.h"

#include "test.h"

#define PACKET_BYTES 1200

/* Packets waiting for the pacer, and a caller whose timer may be late. */
struct line {
    struct weir__pacer pacer;
    int64_t now_ns;
    int queued;
};

static void enqueue(struct line *line, int64_t at_ns, int n)
{
    line->now_ns = at_ns;
    line->queued += n;
    weir__pacer_on_queue(&line->pacer, at_ns, true);
}

/* Sends the next waiting packet, late_ns after its time; returns when. */
static int64_t send_one(struct line *line, int64_t size_bytes, int64_t late_ns)
{
    int64_t due_ns = weir__pacer_next_ns(&line->pacer);
    line->now_ns = weir_max_i64(line->now_ns, due_ns + late_ns);
    line->queued--;
    weir__pacer_on_sent(&line->pacer, line->now_ns, size_bytes, line->queued > 0);
    return line->now_ns;
}

static struct line new_line(int64_t rate_bps)
{
    struct line line = {.now_ns = 0, .queued = 0};
    weir__pacer_init(&line.pacer, 0, rate_bps);
    return line;
}

/* 1200 B at 2 Mbit/s: one every 4.8 ms, no burst. */
static void test_packets_queued_at_once_leave_evenly(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    enqueue(&line, 0, 20);
    for (int i = 0; i < 20; i++) {
        g_assert_cmpint(send_one(&line, PACKET_BYTES, 0), ==, i * WEIR_US(4800));
    }
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_MS(96));
}

static void test_idle_time_earns_no_credit(void)
{
    static const int64_t expected_us[] = {0, 4800, 9600, 100000, 104800, 109600};
    for (int tell_queue = 0; tell_queue <= 1; tell_queue++) {
        struct line line = new_line(WEIR_MBPS(2));
        for (int i = 0; i < 6; i++) {
            if (i % 3 == 0) {
                line.now_ns = i * WEIR_MS(100) / 3;
                line.queued = 3;
                if (tell_queue) {
                    enqueue(&line, line.now_ns, 0);
                }
            }
            g_assert_cmpint(send_one(&line, PACKET_BYTES, 0), ==, WEIR_US(expected_us[i]));
        }
    }
}

/* Late by 1 ms on each interval of 4.8 ms would lose 17 % without carrying the lag. */
static void test_a_coarse_timer_loses_no_throughput(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    enqueue(&line, 0, 1001);
    for (int i = 0; i < 1000; i++) {
        send_one(&line, PACKET_BYTES, WEIR_MS(1));
    }
    assert_near(line.now_ns, 999 * WEIR_US(4800) + WEIR_MS(1), WEIR_US(10));
}

static void test_a_stall_repays_no_more_than_the_lag(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    enqueue(&line, 0, 1000);
    send_one(&line, PACKET_BYTES, 0);
    line.now_ns = WEIR_SECONDS(5);
    int at_once = 0;
    while (send_one(&line, PACKET_BYTES, 0) == WEIR_SECONDS(5)) {
        at_once++;
    }
    /* 10 ms of 4.8 ms intervals: 2, and the packet that was due. */
    g_assert_cmpint(at_once, ==, 3);
}

static void test_a_new_rate_counts_for_the_rest_of_the_interval(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    enqueue(&line, 0, 5);
    send_one(&line, PACKET_BYTES, 0);
    weir__pacer_set_rate(&line.pacer, WEIR_US(2400), WEIR_MBPS(1));
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_US(7200));
    weir__pacer_set_rate(&line.pacer, WEIR_US(2400), WEIR_MBPS(100));
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_US(2448));
    weir__pacer_set_rate(&line.pacer, WEIR_SECONDS(1), WEIR_KBPS(10));
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_US(2448));
}

static void test_rate_zero_is_never_and_comes_back(void)
{
    struct line line = new_line(WEIR_MBPS(2));
    enqueue(&line, 0, 5);
    send_one(&line, PACKET_BYTES, 0);
    weir__pacer_set_rate(&line.pacer, 0, 0);
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_NEVER_NS);
    weir__pacer_on_sent(&line.pacer, 0, PACKET_BYTES, true);
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_NEVER_NS);
    weir__pacer_set_rate(&line.pacer, WEIR_SECONDS(3), WEIR_MBPS(2));
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), <=, WEIR_SECONDS(3));

    struct line blocked = new_line(0);
    g_assert_cmpint(weir__pacer_next_ns(&blocked.pacer), ==, WEIR_NEVER_NS);
}

static void test_the_slowest_rate_does_not_overflow(void)
{
    struct line line = new_line(WEIR_MBPS(100000));
    enqueue(&line, 0, 2);
    weir__pacer_on_sent(&line.pacer, 0, 1 << 30, true);
    weir__pacer_set_rate(&line.pacer, 0, 1);
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), >, WEIR_SECONDS(1000));
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), <, WEIR_NEVER_NS);
}

static void test_off_never_delays_and_leaves_no_debt(void)
{
    struct line line = new_line(WEIR_KBPS(10));
    weir__pacer_set_off(&line.pacer, 0, true);
    for (int i = 0; i < 100; i++) {
        weir__pacer_on_sent(&line.pacer, WEIR_MS(i), 100000, true);
        g_assert_cmpint(weir__pacer_next_ns(&line.pacer), <=, WEIR_MS(i));
    }
    weir__pacer_set_off(&line.pacer, WEIR_MS(100), false);
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), ==, WEIR_MS(100));
}

static void test_a_caller_that_does_not_wait_has_bounded_debt(void)
{
    struct line line = new_line(WEIR_MBPS(1));
    for (int i = 0; i < 10000; i++) {
        weir__pacer_on_sent(&line.pacer, 0, PACKET_BYTES, true);
    }
    g_assert_cmpint(weir__pacer_next_ns(&line.pacer), <=, WEIR__PACER_MAX_DEBT_NS + WEIR_US(9600));
}

/* Random sizes, arrivals and lateness: for all windows, bytes <= rate * (length + lag) + max. */
static void check_invariant(guint32 seed)
{
    enum { N = 400, MAX_BYTES = 1500 };
    static int64_t at_ns[N], bytes[N];
    GRand *rand = g_rand_new_with_seed(seed);
    int64_t rate_bps = g_rand_int_range(rand, 20000, 20000000);
    struct line line = new_line(rate_bps);
    for (int i = 0; i < N; i++) {
        if (line.queued == 0) {
            enqueue(&line, line.now_ns + g_rand_int_range(rand, 0, 200000000),
                    g_rand_int_range(rand, 1, 30));
        }
        int64_t late_ns = g_rand_int_range(rand, 0, 10) == 0 ? g_rand_int_range(rand, 0, 300000000)
                                                             : g_rand_int_range(rand, 0, 2000000);
        bytes[i] = g_rand_int_range(rand, 1, MAX_BYTES + 1);
        at_ns[i] = send_one(&line, bytes[i], late_ns);
    }
    for (int a = 0; a < N; a++) {
        int64_t sum_bytes = 0;
        for (int b = a; b < N; b++) {
            sum_bytes += bytes[b];
            double allowed_bits =
                (double)rate_bps * (double)(at_ns[b] - at_ns[a] + WEIR__PACER_MAX_LAG_NS) / 1e9;
            if (8.0 * (double)(sum_bytes - MAX_BYTES) > allowed_bits) {
                g_error("seed %u: packets %d..%d are too many", seed, a, b);
            }
        }
    }
    g_rand_free(rand);
}

static void test_no_window_holds_more_than_the_invariant(void)
{
    for (guint32 seed = 1; seed <= 100; seed++) {
        check_invariant(seed);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pacer/packets_queued_at_once_leave_evenly",
                    test_packets_queued_at_once_leave_evenly);
    g_test_add_func("/pacer/idle_time_earns_no_credit", test_idle_time_earns_no_credit);
    g_test_add_func("/pacer/a_coarse_timer_loses_no_throughput",
                    test_a_coarse_timer_loses_no_throughput);
    g_test_add_func("/pacer/a_stall_repays_no_more_than_the_lag",
                    test_a_stall_repays_no_more_than_the_lag);
    g_test_add_func("/pacer/a_new_rate_counts_for_the_rest_of_the_interval",
                    test_a_new_rate_counts_for_the_rest_of_the_interval);
    g_test_add_func("/pacer/rate_zero_is_never_and_comes_back",
                    test_rate_zero_is_never_and_comes_back);
    g_test_add_func("/pacer/the_slowest_rate_does_not_overflow",
                    test_the_slowest_rate_does_not_overflow);
    g_test_add_func("/pacer/off_never_delays_and_leaves_no_debt",
                    test_off_never_delays_and_leaves_no_debt);
    g_test_add_func("/pacer/a_caller_that_does_not_wait_has_bounded_debt",
                    test_a_caller_that_does_not_wait_has_bounded_debt);
    g_test_add_func("/pacer/no_window_holds_more_than_the_invariant",
                    test_no_window_holds_more_than_the_invariant);
    return g_test_run();
}
