/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/cwv.h"
#include "sim/tcp/hand_rig.h"

/* A sender that has written and got acknowledged what its window of `cwnd` packets held, at time 0,
 * with a timeout of 0.5 s. */
static struct rig *validated(double cwnd, int64_t ssthresh)
{
    struct rig *rig = rig_new(WEIR__TCP_RENO, 16);
    rig->tcp.config.cwv = true;
    rig->tcp.config.rto.min_ns = WEIR_MS(500);
    rig->tcp.rto.config.min_ns = WEIR_MS(500);
    rig->tcp.rto.base_ns = WEIR_MS(500);
    rig->tcp.available_packets = 16;
    ack(rig, 15);
    rig->tcp.rto.base_ns = WEIR_MS(500);
    rig->tcp.cwnd_packets = cwnd;
    rig->tcp.ssthresh_packets = ssthresh;
    rig->seen = rig->b->out.n;
    return rig;
}

static void run_ms(struct rig *rig, int64_t ms)
{
    weir__sim_run_until(&rig->b->sim, WEIR_MS(ms));
}

/* cwnd 16, ssthresh 8, RTO 0.5 s, idle for 1.6 s: ssthresh 12, cwnd 2. */
static void test_idle_time_halves_the_window_per_timeout(void)
{
    static const struct {
        int64_t idle_ms;
        double cwnd;
        int64_t ssthresh;
    } cases[] = {{499, 16.0, 8},  {500, 8.0, 12},  {999, 8.0, 12},  {1000, 4.0, 12},
                 {1600, 2.0, 12}, {2000, 1.0, 12}, {2500, 1.0, 12}, {900000, 1.0, 12}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig *rig = validated(16.0, 8);
        run_ms(rig, cases[i].idle_ms);
        weir__tcp_write(&rig->tcp, 100);
        g_assert_cmpuint(rig->b->out.n - rig->seen, ==, (size_t)cases[i].cwnd);
        assert_near(rig->tcp.cwnd_packets, cases[i].cwnd, 1e-12);
        g_assert_cmpint(rig->tcp.ssthresh_packets, ==, cases[i].ssthresh);
        rig_free(rig);
    }
}

static void test_ssthresh_is_never_lowered(void)
{
    struct rig *rig = validated(16.0, 14);
    run_ms(rig, 1600);
    weir__tcp_write(&rig->tcp, 100);
    g_assert_cmpint(rig->tcp.ssthresh_packets, ==, 14);
    assert_near(rig->tcp.cwnd_packets, 2.0, 1e-12);
    rig_free(rig);
}

/* Four packets every 100 ms, acknowledged at once; cwnd is held at 16 to see the rule alone: after
 * 0.5 s cwnd 10, ssthresh 12. */
static void test_unused_window_goes_halfway_to_what_was_used(void)
{
    struct rig *rig = validated(16.0, 8);
    int64_t ms = 0;
    for (; ms < 1000 && rig->tcp.cwnd_packets > 15.9; ms += 100) {
        run_ms(rig, ms);
        rig->tcp.cwnd_packets = 16.0;
        weir__tcp_write(&rig->tcp, 4);
        if (rig->tcp.cwnd_packets < 15.9) {
            break;
        }
        ack(rig, rig->tcp.highest);
        rig->tcp.rto.base_ns = WEIR_MS(500);
    }
    g_assert_cmpint(ms, ==, 500);
    assert_near(rig->tcp.cwnd_packets, 10.0, 1e-12);
    g_assert_cmpint(rig->tcp.ssthresh_packets, ==, 12);
    rig_free(rig);
}

static void test_window_in_full_use_is_kept(void)
{
    struct rig *rig = validated(16.0, 8);
    for (int64_t ms = 0; ms < 5000; ms += 100) {
        run_ms(rig, ms);
        weir__tcp_write(&rig->tcp, (int64_t)rig->tcp.cwnd_packets);
        g_assert_cmpint(rig->tcp.highest - rig->tcp.una, ==, (int64_t)rig->tcp.cwnd_packets);
        ack(rig, rig->tcp.highest);
        rig->tcp.rto.base_ns = WEIR_MS(500);
        g_assert_cmpfloat(rig->tcp.cwnd_packets, >=, 16.0);
    }
    rig_free(rig);
}

static void test_first_packets_are_not_taken_for_a_pause(void)
{
    struct bench *b = bench_new(100);
    struct weir__tcp_config config;
    struct weir__tcp tcp;
    weir__tcp_config_default(&config);
    config.cwv = true;
    config.initial_window_packets = 8;
    config.start_ns = WEIR_SECONDS(60);
    config.total_packets = 3;
    config.out = collector_port(&b->out);
    g_assert_cmpint(weir__tcp_init(&tcp, &b->sim, &b->pool, &config), ==, WEIR_OK);
    weir__sim_run_until(&b->sim, WEIR_SECONDS(60));
    g_assert_cmpuint(b->out.n, ==, 3);
    assert_near(tcp.cwnd_packets, 8.0, 1e-12);
    weir__tcp_finish(&tcp);
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_cwv/idle_time_halves_the_window_per_timeout",
                    test_idle_time_halves_the_window_per_timeout);
    g_test_add_func("/sim/tcp_cwv/ssthresh_is_never_lowered", test_ssthresh_is_never_lowered);
    g_test_add_func("/sim/tcp_cwv/unused_window_goes_halfway_to_what_was_used",
                    test_unused_window_goes_halfway_to_what_was_used);
    g_test_add_func("/sim/tcp_cwv/window_in_full_use_is_kept", test_window_in_full_use_is_kept);
    g_test_add_func("/sim/tcp_cwv/first_packets_are_not_taken_for_a_pause",
                    test_first_packets_are_not_taken_for_a_pause);
    return g_test_run();
}
