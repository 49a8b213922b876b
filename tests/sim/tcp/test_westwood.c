/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/hand_rig.h"
#include "sim/tcp/tcp_rig.h"

static void run_ms(struct rig *rig, int64_t ms)
{
    weir__sim_run_until(&rig->b->sim, WEIR_MS(ms));
}

static void three_duplicates(struct rig *rig)
{
    for (int i = 0; i < 3; i++) {
        ack(rig, rig->tcp.una);
    }
}

/* One packet every 10 ms arrives, with a round trip of 100 ms: 10 packets fill the path. */
static void fill_path(struct rig *rig)
{
    for (int64_t i = 0; i < 400; i++) {
        run_ms(rig, 100 + 10 * i);
        rig->tcp.cwnd_packets = 40.0;
        rig->tcp.rto.latest_ns = WEIR_MS(100);
        ack(rig, i);
    }
    rig->tcp.rto.latest_ns = WEIR_MS(100);
}

static void assert_path_is_ssthresh(const struct rig *rig)
{
    g_assert_cmpint(rig->tcp.ssthresh_packets, >=, 9);
    g_assert_cmpint(rig->tcp.ssthresh_packets, <=, 11);
}

/* Whatever the window is. */
static void test_loss_sets_the_window_to_bandwidth_times_round_trip(void)
{
    struct rig *rig = rig_new(WEIR__TCP_WESTWOOD, 40);
    fill_path(rig);
    three_duplicates(rig);
    g_assert_true(rig->tcp.in_recovery);
    assert_path_is_ssthresh(rig);
    assert_near(rig->tcp.cwnd_packets, (double)rig->tcp.ssthresh_packets, 1e-12);
    rig_free(rig);
}

static void test_without_an_estimate_two_packets_are_left(void)
{
    struct rig *rig = rig_new(WEIR__TCP_WESTWOOD, 30);
    three_duplicates(rig);
    g_assert_cmpint(rig->tcp.ssthresh_packets, ==, 2);
    assert_near(rig->tcp.cwnd_packets, 2.0, 1e-12);
    rig_free(rig);
}

static void test_timeout_leaves_one_packet_and_the_estimate_as_ssthresh(void)
{
    struct rig *rig = rig_new(WEIR__TCP_WESTWOOD, 40);
    fill_path(rig);
    weir__sim_run_until(&rig->b->sim, rig->tcp.retransmission.due_ns);
    g_assert_cmpint(rig->tcp.stats.timeouts, ==, 1);
    assert_near(rig->tcp.cwnd_packets, 1.0, 1e-12);
    assert_path_is_ssthresh(rig);
    rig_free(rig);
}

static double goodput_under_random_loss(enum weir__tcp_variant variant)
{
    struct weir__link_config link = ample_link();
    link.capacity_bps = WEIR_MBPS(5);
    link.queue.limit.packets = 40;
    link.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = 0.005};
    struct tcp_rig *rig = tcp_rig_new(link);
    struct weir__tcp_flow *flow = tcp_rig_add(rig, flow_config(variant));
    weir__sim_run_until(rig->sim, WEIR_SECONDS(600));
    double bps = 8.0 * (double)flow->sink.goodput_bytes / 600.0;
    tcp_rig_free(rig);
    return bps;
}

/* What it is for: losses that congestion did not cause cost less. */
static void test_random_losses_cost_less_than_with_newreno(void)
{
    double westwood = goodput_under_random_loss(WEIR__TCP_WESTWOOD);
    double newreno = goodput_under_random_loss(WEIR__TCP_NEWRENO);
    g_test_message("Westwood+ %.0f, NewReno %.0f bit/s", westwood, newreno);
    g_assert_cmpfloat(westwood, >, 1.2 * newreno);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_westwood/loss_sets_the_window_to_bandwidth_times_round_trip",
                    test_loss_sets_the_window_to_bandwidth_times_round_trip);
    g_test_add_func("/sim/tcp_westwood/without_an_estimate_two_packets_are_left",
                    test_without_an_estimate_two_packets_are_left);
    g_test_add_func("/sim/tcp_westwood/timeout_leaves_one_packet_and_the_estimate_as_ssthresh",
                    test_timeout_leaves_one_packet_and_the_estimate_as_ssthresh);
    g_test_add_func("/sim/tcp_westwood/random_losses_cost_less_than_with_newreno",
                    test_random_losses_cost_less_than_with_newreno);
    return g_test_run();
}
