/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/flow.h"
#include "sim/tcp/tcp_rig.h"

static const enum weir__tcp_variant variants[] = {WEIR__TCP_RENO, WEIR__TCP_NEWRENO,
                                                  WEIR__TCP_SACK};

/* 1 Mbit/s, 250 ms without queue, `buffer` packets. */
static struct weir__link_config megabit_link(int64_t buffer)
{
    return (struct weir__link_config){.capacity_bps = WEIR_MBPS(1),
                                      .delay_ns = WEIR_MS(125),
                                      .queue = {.limit = {.packets = buffer}},
                                      .seed = 3};
}

static double utilisation(struct tcp_rig *rig, int64_t capacity_bps, int64_t from_s, int64_t to_s)
{
    weir__sim_run_until(rig->sim, WEIR_SECONDS(from_s));
    int64_t before_bytes = rig->link->total.delivered_bytes;
    weir__sim_run_until(rig->sim, WEIR_SECONDS(to_s));
    double bits = 8.0 * (double)(rig->link->total.delivered_bytes - before_bytes);
    return bits / (double)capacity_bps / (double)(to_s - from_s);
}

static void test_buffer_of_one_bdp_fills_the_link(void)
{
    for (size_t v = 0; v < G_N_ELEMENTS(variants); v++) {
        struct tcp_rig *rig = tcp_rig_new(megabit_link(21));
        struct weir__tcp_flow_config config = flow_config(variants[v]);
        config.return_ns = WEIR_MS(125);
        tcp_rig_add(rig, config);
        double u = utilisation(rig, WEIR_MBPS(1), 100, 1000);
        g_test_message("variant %d: utilisation %.4f", (int)variants[v], u);
        g_assert_cmpfloat(u, >=, 0.97);
        g_assert_cmpfloat(u, <=, 1.0);
        tcp_rig_free(rig);
    }
}

/* With hardly a buffer the window swings between half a BDP and one: three quarters on average. */
static void test_without_a_buffer_three_quarters_are_used(void)
{
    struct weir__link_config link = megabit_link(2);
    link.capacity_bps = WEIR_MBPS(4);
    struct tcp_rig *rig = tcp_rig_new(link);
    struct weir__tcp_flow_config config = flow_config(WEIR__TCP_SACK);
    config.return_ns = WEIR_MS(125);
    config.delayed_ack_ns = 0;
    config.tcp.initial_ssthresh_packets = 2;
    tcp_rig_add(rig, config);
    double u = utilisation(rig, WEIR_MBPS(4), 200, 2000);
    g_test_message("utilisation %.4f", u);
    assert_near(u, 0.75, 0.05);
    tcp_rig_free(rig);
}

static void test_round_trip_is_the_sum_of_the_delays(void)
{
    struct weir__link_config link = ample_link();
    struct tcp_rig *rig = tcp_rig_new(link);
    struct weir__tcp_flow_config config = flow_config(WEIR__TCP_RENO);
    config.access_ns = WEIR_MS(7);
    config.return_ns = WEIR_MS(33);
    config.delayed_ack_ns = 0;
    config.tcp.total_packets = 100;
    struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(10));
    assert_near((double)flow->sender.rto.srtt_ns / 1e6, 90.0, 0.01);
    g_assert_cmpint(flow->sender.una, ==, 99);
    tcp_rig_free(rig);
}

static void test_two_equal_flows_share_evenly(void)
{
    for (size_t v = 0; v < G_N_ELEMENTS(variants); v++) {
        double worst = 0.0;
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct weir__link_config link = megabit_link(50);
            link.capacity_bps = WEIR_MBPS(4);
            link.delay_ns = WEIR_MS(25);
            link.seed = seed;
            struct tcp_rig *rig = tcp_rig_new(link);
            struct weir__tcp_flow_config config = flow_config(variants[v]);
            config.return_ns = WEIR_MS(25);
            config.access_jitter_ns = WEIR_MS(3);
            config.seed = seed;
            struct weir__tcp_flow *a = tcp_rig_add(rig, config);
            config.tcp.start_ns = WEIR_SECONDS(5);
            struct weir__tcp_flow *b = tcp_rig_add(rig, config);
            weir__sim_run_until(rig->sim, WEIR_SECONDS(1000));
            double share = (double)a->sink.goodput_bytes /
                           (double)(a->sink.goodput_bytes + b->sink.goodput_bytes);
            g_test_message("variant %d, seed %d: share %.3f", (int)variants[v], (int)seed, share);
            worst = ABS(share - 0.5) > worst ? ABS(share - 0.5) : worst;
            tcp_rig_free(rig);
        }
        g_assert_cmpfloat(worst, <, 0.06);
    }
}

static void test_shorter_round_trip_gets_more(void)
{
    struct weir__link_config link = megabit_link(20);
    link.capacity_bps = WEIR_MBPS(4);
    link.delay_ns = WEIR_MS(10);
    struct tcp_rig *rig = tcp_rig_new(link);
    struct weir__tcp_flow_config config = flow_config(WEIR__TCP_SACK);
    config.access_jitter_ns = WEIR_MS(3);
    config.return_ns = WEIR_MS(10);
    struct weir__tcp_flow *near = tcp_rig_add(rig, config);
    config.return_ns = WEIR_MS(190);
    struct weir__tcp_flow *far = tcp_rig_add(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(500));
    g_assert_cmpint(near->sink.goodput_bytes, >, 2 * far->sink.goodput_bytes);
    tcp_rig_free(rig);
}

struct way_back {
    struct weir__delay_line line;
    int64_t acks;
};

static void on_ack(void *target, struct weir__packet *packet)
{
    struct way_back *back = target;
    back->acks++;
    weir__delay_line_push(&back->line, packet, WEIR_MS(80));
}

static void test_acks_can_take_a_path_of_their_own(void)
{
    struct tcp_rig *rig = tcp_rig_new(ample_link());
    struct weir__tcp_flow_config config = flow_config(WEIR__TCP_RENO);
    struct way_back back = {.acks = 0};
    config.backward = (struct weir__port){.on_packet = on_ack, .target = &back};
    config.tcp.total_packets = 50;
    config.delayed_ack_ns = 0;
    struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
    weir__delay_line_init(&back.line, rig->sim, weir__tcp_port(&flow->sender));
    weir__sim_run_until(rig->sim, WEIR_SECONDS(10));
    g_assert_cmpint(back.acks, ==, 50);
    g_assert_cmpint(flow->sender.una, ==, 49);
    assert_near((double)flow->sender.rto.srtt_ns / 1e6, 130.0, 0.1);
    tcp_rig_free(rig);
}

static void test_access_jitter_keeps_the_order_and_its_bound(void)
{
    struct tcp_rig *rig = tcp_rig_new(ample_link());
    struct weir__tcp_flow_config config = flow_config(WEIR__TCP_RENO);
    config.access_jitter_ns = WEIR_MS(20);
    config.delayed_ack_ns = 0;
    struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
    for (int64_t ms = 0; ms < 5000; ms++) {
        weir__sim_run_until(rig->sim, WEIR_MS(ms));
        if (flow->sender.rto.srtt_ns > 0) {
            g_assert_cmpint(flow->sender.rto.srtt_ns, >=, WEIR_MS(100));
            g_assert_cmpint(flow->sender.rto.srtt_ns, <=, WEIR_MS(121));
        }
    }
    g_assert_cmpint(flow->sink.repeated_packets, ==, 0);
    g_assert_cmpint(flow->sender.stats.resent_packets, ==, 0); /* reordering would cause some */
    tcp_rig_free(rig);
}

/* 10 packets in the first flight, and each is twice the one before, although the receiver
 * acknowledges every second packet. */
static void test_linux_begins_with_ten_packets_and_doubles(void)
{
    static const enum weir__tcp_variant linux_has[] = {WEIR__TCP_SACK, WEIR__TCP_CUBIC};
    for (size_t v = 0; v < G_N_ELEMENTS(linux_has); v++) {
        struct tcp_rig *rig = tcp_rig_new(ample_link());
        struct weir__tcp_flow_config config;
        weir__tcp_flow_config_linux(&config);
        config.tcp.variant = linux_has[v];
        config.return_ns = WEIR_MS(50);
        struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
        int64_t expected = 0;
        for (int64_t flight = 0; flight < 5; flight++) {
            expected += INT64_C(10) << flight;
            weir__sim_run_until(rig->sim, WEIR_MS(100 * flight + 60));
            g_assert_cmpint(flow->sink.distinct_packets, ==, expected);
        }
        tcp_rig_free(rig);
    }
}

/* 20 packets that may all leave at once, a round trip after as many others: they leave at one
 * window per round trip, or two while it doubles. The round trip is that of the path all the same.
 */
static void test_prague_spreads_its_window_over_a_round_trip(void)
{
    static const struct {
        int64_t ssthresh_packets;
        double windows;
    } cases[] = {{20, 1.0}, {1000, 2.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct tcp_rig *rig = tcp_rig_new(ample_link());
        struct weir__tcp_flow_config config = flow_config(WEIR__TCP_PRAGUE);
        config.delayed_ack_ns = 0;
        config.tcp.initial_window_packets = 20;
        config.tcp.initial_ssthresh_packets = cases[i].ssthresh_packets;
        config.tcp.total_packets = 20;
        struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
        weir__sim_run_until(rig->sim, WEIR_MS(200));
        g_assert_cmpint(flow->sink.distinct_packets, ==, 20);
        double gap_ms = 100.0 / (cases[i].windows * flow->sender.cwnd_packets);
        weir__tcp_write(&flow->sender, 20);
        weir__sim_run_until(rig->sim, WEIR_MS(200 + 50 + 12));
        g_assert_cmpint(flow->sink.distinct_packets, ==, 20 + 1 + (int64_t)(12.0 / gap_ms));
        weir__tcp_write(&flow->sender, 5000);
        weir__sim_run_until(rig->sim, WEIR_SECONDS(60));
        g_assert_cmpint(flow->sink.distinct_packets, ==, 5040);
        assert_near((double)flow->sender.rto.srtt_ns / 1e6, 100.0, 0.1);
        assert_near(flow->sink.delay_sum_ns / 5040.0 / 1e6, 50.0, 0.1);
        g_assert_cmpint(flow->sender.stats.resent_packets, ==, 0);
        tcp_rig_free(rig);
    }
}

/* What waits for the pacer when a connection ends is not of the next one. */
static void test_a_restart_hears_nothing_of_what_waited_for_the_pacer(void)
{
    struct tcp_rig *rig = tcp_rig_new(ample_link());
    struct weir__tcp_flow_config config = flow_config(WEIR__TCP_PRAGUE);
    config.tcp.total_packets = 10;
    struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(2));
    g_assert_cmpint(flow->sender.una, ==, 9);
    weir__tcp_send(&flow->sender, 8);
    weir__tcp_send(&flow->sender, 9);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(2) + WEIR_MS(1));
    weir__tcp_flow_restart(flow, 10);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(4));
    g_assert_cmpint(flow->sender.una, ==, 19);
    g_assert_cmpint(flow->sink.repeated_packets, ==, 0);
    tcp_rig_free(rig);
}

static void test_bad_configuration_is_refused(void)
{
    struct tcp_rig *rig = tcp_rig_new(ample_link());
    struct weir__tcp_flow_config config = flow_config(WEIR__TCP_SACK);
    struct weir__tcp_flow flow;
    config.tcp.window_packets = 0;
    config.forward = weir__network_port(rig->network);
    g_assert_cmpint(weir__tcp_flow_init(&flow, rig->sim, rig->pool, &config), ==, WEIR_ERROR_RANGE);
    weir__tcp_flow_finish(&flow);
    tcp_rig_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_flow/buffer_of_one_bdp_fills_the_link",
                    test_buffer_of_one_bdp_fills_the_link);
    g_test_add_func("/sim/tcp_flow/without_a_buffer_three_quarters_are_used",
                    test_without_a_buffer_three_quarters_are_used);
    g_test_add_func("/sim/tcp_flow/round_trip_is_the_sum_of_the_delays",
                    test_round_trip_is_the_sum_of_the_delays);
    g_test_add_func("/sim/tcp_flow/two_equal_flows_share_evenly",
                    test_two_equal_flows_share_evenly);
    g_test_add_func("/sim/tcp_flow/shorter_round_trip_gets_more",
                    test_shorter_round_trip_gets_more);
    g_test_add_func("/sim/tcp_flow/acks_can_take_a_path_of_their_own",
                    test_acks_can_take_a_path_of_their_own);
    g_test_add_func("/sim/tcp_flow/access_jitter_keeps_the_order_and_its_bound",
                    test_access_jitter_keeps_the_order_and_its_bound);
    g_test_add_func("/sim/tcp_flow/linux_begins_with_ten_packets_and_doubles",
                    test_linux_begins_with_ten_packets_and_doubles);
    g_test_add_func("/sim/tcp_flow/prague_spreads_its_window_over_a_round_trip",
                    test_prague_spreads_its_window_over_a_round_trip);
    g_test_add_func("/sim/tcp_flow/a_restart_hears_nothing_of_what_waited_for_the_pacer",
                    test_a_restart_hears_nothing_of_what_waited_for_the_pacer);
    g_test_add_func("/sim/tcp_flow/bad_configuration_is_refused",
                    test_bad_configuration_is_refused);
    return g_test_run();
}
