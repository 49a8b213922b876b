/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/tcp_app_rig.h"

static void test_greedy_fills_the_link(void)
{
    for (int variant = 0; variant < WEIR__TCP_VARIANTS; variant++) {
        struct app_rig *rig = app_rig_new(WEIR_MBPS(5), no_loss());
        struct weir__tcp_app_config config = app_config(WEIR__TCP_GREEDY);
        config.tcp.tcp.variant = (enum weir__tcp_variant)variant;
        app_rig_start(rig, config);
        weir__sim_run_until(rig->sim, WEIR_SECONDS(60));
        const struct weir__flow_meter *meter = weir__tcp_app_meter(rig->app);
        double goodput_bps = 8.0 * (double)meter->goodput_bytes / 60.0;
        g_test_message("variant %d: %.0f bit/s", variant, goodput_bps);
        g_assert_cmpfloat(goodput_bps, >=, 0.92 * 5e6 * 1460.0 / 1500.0);
        g_assert_cmpint(meter->completed_ns, ==, WEIR_NEVER_NS);
        app_rig_free(rig);
    }
}

/* The meter agrees with what the network counted. */
static void test_meter_counts_what_the_network_carried(void)
{
    struct weir__link_loss_config loss = {.model = WEIR__LOSS_BERNOULLI, .p = 0.02};
    struct app_rig *rig = app_rig_new(WEIR_MBPS(5), loss);
    struct weir__tcp_app_config config = app_config(WEIR__TCP_FINITE);
    config.total_bytes = 1000000;
    config.measure_delay = true;
    config.tcp.ack_bytes = 52;
    app_rig_start(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(300));
    const struct weir__flow_meter *meter = weir__tcp_app_meter(rig->app);
    const struct weir__packet_counters *data = weir__network_route_counters(rig->network, 0);
    const struct weir__packet_counters *acks = weir__network_route_counters(rig->network, 1);
    g_assert_cmpint(meter->sent_packets, ==, data->offered_packets);
    g_assert_cmpint(meter->sent_bytes, ==, data->offered_bytes);
    g_assert_cmpint(meter->received_packets, ==, data->delivered_packets);
    g_assert_cmpint(meter->received_bytes, ==, data->delivered_bytes);
    g_assert_cmpint(meter->feedback_packets, ==, acks->offered_packets);
    g_assert_cmpint(meter->feedback_bytes, ==, acks->offered_packets * 52);
    g_assert_cmpint(meter->goodput_bytes, ==, 685 * 1460); /* ceil(10^6 / 1460) packets */
    g_assert_cmpint(meter->sent_packets - meter->resent_packets, ==, 685);
    g_assert_cmpint(data->lost_packets, >, 0);
    g_assert_cmpint(meter->recoveries + meter->timeouts, >, 0);
    g_assert_cmpuint(meter->delay->n, ==, (uint64_t)meter->received_packets);
    g_assert_cmpfloat(meter->delay_sum_ns / (double)meter->received_packets, >=, 22.3e6);
    g_assert_cmpfloat(meter->delay_sum_ns / (double)meter->received_packets, <=, 270e6);
    app_rig_free(rig);
}

/* 10 packets in flights of 2, 4, 4: two and a half round trips, then the last ACK. */
static void test_completion_is_the_last_ack(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(1000), no_loss());
    struct weir__tcp_app_config config = app_config(WEIR__TCP_FINITE);
    config.total_bytes = 10 * 1460;
    config.start_ns = WEIR_MS(500);
    config.tcp.delayed_ack_ns = 0;
    app_rig_start(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(10));
    const struct weir__flow_meter *meter = weir__tcp_app_meter(rig->app);
    g_assert_cmpint(meter->completed_ns, >=, WEIR_MS(620));
    g_assert_cmpint(meter->completed_ns, <=, WEIR_MS(621));
    app_rig_free(rig);
}

static void test_state_is_window_and_round_trip(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(100), no_loss());
    struct weir__tcp_app_config config = app_config(WEIR__TCP_GREEDY);
    config.tcp.tcp.window_packets = 12;
    config.start_ns = WEIR_MS(100);
    struct weir__flow_state state;
    app_rig_start(rig, config);
    weir__tcp_app_get_state(rig->app, &state);
    g_assert_cmpint(state.rtt_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpfloat(state.window_packets, ==, 2.0);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(5));
    weir__tcp_app_get_state(rig->app, &state);
    g_assert_cmpfloat(state.window_packets, ==, 12.0); /* not more than the receiver's */
    g_assert_cmpint(state.rtt_ns, >=, WEIR_MS(40));
    g_assert_cmpint(state.rtt_ns, <=, WEIR_MS(42));
    g_assert_cmpint(state.allowed_bps, ==, 0);
    app_rig_free(rig);
}

static void test_nothing_is_sent_outside_of_start_and_stop(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(5), no_loss());
    struct weir__tcp_app_config config = app_config(WEIR__TCP_GREEDY);
    config.start_ns = WEIR_SECONDS(2);
    config.stop_ns = WEIR_SECONDS(4);
    app_rig_start(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(2) - 1);
    g_assert_cmpint(weir__tcp_app_meter(rig->app)->sent_packets, ==, 0);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(4));
    int64_t sent = weir__tcp_app_meter(rig->app)->sent_packets;
    g_assert_cmpint(sent, >, 100);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(20));
    g_assert_cmpint(weir__tcp_app_meter(rig->app)->sent_packets, ==, sent);
    app_rig_free(rig);
}

/* What the congestion window may not use is not allocated: a flow with the default receiver window
 * takes few kilobytes, and packets only as many as are under way. */
static void test_packets_are_only_those_under_way(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(5), no_loss());
    struct weir__tcp_app_config config = app_config(WEIR__TCP_GREEDY);
    app_rig_start(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(30));
    g_assert_cmpuint(weir__network_pool(rig->network)->used_packets, <=, 300);
    g_assert_cmpuint(sizeof(struct weir__tcp_flow), <=, 1600);
    app_rig_free(rig);
}

static void test_values_outside_their_range_are_refused(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(5), no_loss());
    struct weir__tcp_app_config bad[22];
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = app_config(WEIR__TCP_GREEDY);
        bad[i].routes = rig->routes;
        bad[i].back_routes = rig->back_routes;
        bad[i].total_bytes = 1;
        bad[i].source.rate_bps = 1000000;
    }
    bad[0].kind = (enum weir__tcp_app_kind)99;
    bad[1].n_connections = 0;
    bad[2].n_connections = 2;
    bad[3].start_ns = -1;
    bad[4].tcp.header_bytes = 1500;
    bad[5].tcp.ack_bytes = 0;
    bad[6].tcp.tcp.window_packets = 0;
    bad[7].tcp.tcp.variant = (enum weir__tcp_variant)WEIR__TCP_VARIANTS;
    for (size_t i = 8; i <= 9; i++) {
        bad[i].kind = WEIR__TCP_FINITE;
    }
    bad[8].total_bytes = 0;
    bad[9].total_bytes = INT64_MAX;
    bad[10].kind = WEIR__TCP_FED;
    bad[10].source.rate_bps = 0;
    for (size_t i = 11; i <= 13; i++) {
        bad[i].kind = WEIR__TCP_STREAM;
    }
    bad[11].source.kind = WEIR__SOURCE_VOIP;
    bad[12].source.unit_bytes = 1461;
    bad[13].source.on_ns = bad[13].source.off_ns = WEIR_SECONDS(1);
    for (size_t i = 14; i <= 18; i++) {
        bad[i].kind = WEIR__TCP_WEB;
    }
    bad[14].pages = 0;
    bad[15].objects = 0;
    bad[16].shape = 1.0;
    bad[17].mean_packets = 0.0;
    bad[18].object_gap_ns = -1;
    for (size_t i = 19; i <= 21; i++) {
        bad[i].kind = WEIR__TCP_BURSTS;
    }
    bad[19].min_bytes = 50001;
    bad[20].min_bytes = 0;
    bad[21].idle_ns = -1;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        struct weir__tcp_app *app = NULL;
        g_test_message("case %d", (int)i);
        g_assert_cmpint(weir__tcp_app_create(&app, rig->network, &bad[i]), ==, WEIR_ERROR_RANGE);
        g_assert_null(app);
    }
    app_rig_free(rig);
    weir__tcp_app_destroy(NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_app/greedy_fills_the_link", test_greedy_fills_the_link);
    g_test_add_func("/sim/tcp_app/meter_counts_what_the_network_carried",
                    test_meter_counts_what_the_network_carried);
    g_test_add_func("/sim/tcp_app/completion_is_the_last_ack", test_completion_is_the_last_ack);
    g_test_add_func("/sim/tcp_app/state_is_window_and_round_trip",
                    test_state_is_window_and_round_trip);
    g_test_add_func("/sim/tcp_app/nothing_is_sent_outside_of_start_and_stop",
                    test_nothing_is_sent_outside_of_start_and_stop);
    g_test_add_func("/sim/tcp_app/packets_are_only_those_under_way",
                    test_packets_are_only_those_under_way);
    g_test_add_func("/sim/tcp_app/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
