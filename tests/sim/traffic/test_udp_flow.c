/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/sim_test.h"
#include "sim/traffic/udp_flow.h"
#include "weir/units.h"

static const int64_t frame_bytes[] = {3000, 1460, 1, 1461};

/* One link of 10 Mbit/s and 20 ms, with the loss, copies or whatever else `link` says. */
struct rig {
    struct weir__network *network;
    struct weir__udp_flow *flow;
    uint32_t route;
};

static struct weir__udp_flow_config cbr(int64_t rate_bps)
{
    struct weir__udp_flow_config config = {.packet_bytes = 1500, .header_bytes = 40};
    weir__source_config_default(&config.source, WEIR__SOURCE_CBR);
    config.source.rate_bps = rate_bps;
    config.measure_delay = true;
    return config;
}

static struct weir__link_config plain_link(void)
{
    return (struct weir__link_config){.capacity_bps = WEIR_MBPS(10),
                                      .delay_ns = WEIR_MS(20),
                                      .queue = {.limit = {.packets = 50}}};
}

static struct rig rig_run(const struct weir__udp_flow_config *config, struct weir__link_config link,
                          int64_t end_ns)
{
    struct rig rig = {.network = NULL};
    struct weir__udp_flow_config own = *config;
    uint32_t number = 0;
    g_assert_cmpint(weir__network_create(&rig.network, 1, 1), ==, WEIR_OK);
    g_assert_cmpint(weir__network_add_link(rig.network, &link, &number), ==, WEIR_OK);
    struct weir__route_config route = {.links = &number, .n_links = 1};
    g_assert_cmpint(weir__network_add_route(rig.network, &route, 1, &own.route), ==, WEIR_OK);
    g_assert_cmpint(weir__udp_flow_create(&rig.flow, rig.network, &own), ==, WEIR_OK);
    rig.route = own.route;
    weir__sim_run_until(weir__network_sim(rig.network), end_ns);
    return rig;
}

static void rig_free(struct rig *rig)
{
    weir__udp_flow_destroy(rig->flow);
    weir__network_destroy(rig->network);
}

/* A flow straight into a collector. */
struct hand_rig {
    struct weir__network *network;
    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    struct weir__udp_flow *flow;
    struct collector out;
};

static struct hand_rig *hand_rig_new(const struct weir__udp_flow_config *config)
{
    struct hand_rig *rig = g_new0(struct hand_rig, 1);
    struct weir__udp_flow_config own = *config;
    g_assert_cmpint(weir__network_create(&rig->network, 0, 1), ==, WEIR_OK);
    g_assert_cmpint(
        weir__network_add_route(rig->network, &(struct weir__route_config){0}, 1, &own.route), ==,
        WEIR_OK);
    rig->sim = rig->out.sim = weir__network_sim(rig->network);
    rig->pool = rig->out.pool = weir__network_pool(rig->network);
    g_assert_cmpint(weir__udp_flow_create(&rig->flow, rig->network, &own), ==, WEIR_OK);
    weir__network_set_end(rig->network, own.route, collector_port(&rig->out));
    return rig;
}

static void hand_rig_free(struct hand_rig *rig)
{
    weir__udp_flow_destroy(rig->flow);
    weir__network_destroy(rig->network);
    g_free(rig);
}

static void test_everything_arrives_over_an_idle_link(void)
{
    struct weir__udp_flow_config config = cbr(1460 * 8 * 100); /* a packet every 10 ms */
    config.source.stop_ns = WEIR_SECONDS(10);
    struct rig rig = rig_run(&config, plain_link(), WEIR_SECONDS(11));
    const struct weir__flow_meter *meter = weir__udp_flow_meter(rig.flow);
    g_assert_cmpint(meter->generated_packets, ==, 1000);
    g_assert_cmpint(meter->generated_bytes, ==, 1000 * 1460);
    g_assert_cmpint(meter->sent_packets, ==, 1000);
    g_assert_cmpint(meter->sent_bytes, ==, 1000 * 1500);
    g_assert_cmpint(meter->received_packets, ==, 1000);
    g_assert_cmpint(meter->received_bytes, ==, 1000 * 1500);
    g_assert_cmpint(meter->goodput_bytes, ==, 1000 * 1460);
    g_assert_cmpint(meter->completed_ns, ==, WEIR_NEVER_NS);
    g_assert_null(meter->lateness);
    /* 1.2 ms of serialisation and 20 ms of propagation, each */
    assert_near(meter->delay_sum_ns, 1000 * 21.2e6, 1.0);
    assert_near(meter->mouth_to_ear_sum_ns, 1000 * 21.2e6, 1.0);
    g_assert_cmpint(weir__histogram_percentile(meter->delay, 0.01), ==, 21200000);
    g_assert_cmpint(weir__histogram_percentile(meter->delay, 1.0), ==, 21200000);
    rig_free(&rig);
}

static void test_large_units_are_split_into_full_packets_and_a_rest(void)
{
    static const int32_t expected[] = {1500, 1500, 120, 1500, 41, 1500, 41};
    struct weir__udp_flow_config config = {.packet_bytes = 1500, .header_bytes = 40};
    weir__source_config_default(&config.source, WEIR__SOURCE_FRAMES);
    config.source.frame_bytes = frame_bytes;
    config.source.n_frames = G_N_ELEMENTS(frame_bytes);
    config.source.stop_ns = WEIR_MS(160);
    struct hand_rig *rig = hand_rig_new(&config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(1));
    g_assert_cmpuint(rig->out.n, ==, G_N_ELEMENTS(expected));
    for (size_t i = 0; i < rig->out.n; i++) {
        g_assert_cmpint(rig->out.seen[i].size_bytes, ==, expected[i]);
        g_assert_cmpint(rig->out.seen[i].seq, ==, (int64_t)i);
        g_assert_cmpuint(rig->out.seen[i].flow, ==, 0);
    }
    g_assert_cmpint(weir__udp_flow_meter(rig->flow)->generated_packets, ==, 7);
    g_assert_cmpint(weir__udp_flow_meter(rig->flow)->generated_bytes, ==, 3000 + 1460 + 1 + 1461);
    g_assert_null(weir__udp_flow_meter(rig->flow)->delay);
    hand_rig_free(rig);
}

/* Twice the capacity: half arrives, behind a full queue, and every packet is accounted for. */
static void test_overload_is_lost_and_delayed(void)
{
    struct weir__udp_flow_config config = cbr(1460 * 8 * 100);
    struct weir__link_config link = plain_link();
    link.capacity_bps = 1500 * 8 * 50;
    config.source.stop_ns = WEIR_SECONDS(100);
    struct rig rig = rig_run(&config, link, WEIR_SECONDS(110));
    const struct weir__flow_meter *meter = weir__udp_flow_meter(rig.flow);
    const struct weir__packet_counters *route =
        weir__network_route_counters(rig.network, rig.route);
    g_assert_cmpint(meter->sent_packets, ==, 10000);
    g_assert_cmpint(meter->received_packets, ==, 5000 + 50); /* the queue drains behind */
    g_assert_cmpint(meter->received_packets + route->dropped_packets, ==, meter->sent_packets);
    g_assert_cmpint(meter->received_packets, ==, route->delivered_packets);
    int64_t full_ns = WEIR_MS(20) * 51 + WEIR_MS(20);
    int64_t median_ns = weir__histogram_percentile(meter->delay, 0.5);
    g_assert_cmpint(median_ns, <=, full_ns + full_ns / 64);
    g_assert_cmpint(median_ns, >=, full_ns - WEIR_MS(20));
    rig_free(&rig);
}

static void test_copies_are_received_but_not_worth_more(void)
{
    struct weir__udp_flow_config config = cbr(1460 * 8 * 100);
    struct weir__link_config link = plain_link();
    link.duplicate = 0.3;
    link.reorder = 0.3;
    link.reorder_delay_ns = WEIR_MS(100);
    link.seed = 5;
    config.source.stop_ns = WEIR_SECONDS(100);
    struct rig rig = rig_run(&config, link, WEIR_SECONDS(110));
    const struct weir__flow_meter *meter = weir__udp_flow_meter(rig.flow);
    g_assert_cmpint(meter->received_packets, >, 12000);
    g_assert_cmpint(meter->goodput_bytes, ==, 10000 * 1460);
    g_assert_cmpint(meter->heard_packets, ==, 10000);
    g_assert_cmpfloat(meter->mouth_to_ear_sum_ns, <, meter->delay_sum_ns);
    rig_free(&rig);
}

static void test_corrupt_packets_are_received_but_worth_nothing(void)
{
    struct weir__udp_flow_config config = cbr(1460 * 8 * 100);
    struct weir__link_config link = plain_link();
    link.corrupt = 1.0;
    struct rig rig = rig_run(&config, link, WEIR_SECONDS(10));
    g_assert_cmpint(weir__udp_flow_meter(rig.flow)->received_packets, >, 900);
    g_assert_cmpint(weir__udp_flow_meter(rig.flow)->goodput_bytes, ==, 0);
    rig_free(&rig);
}

static void test_lost_packets_leave_goodput_of_the_rest(void)
{
    struct weir__udp_flow_config config = cbr(1460 * 8 * 1000);
    struct weir__link_config link = plain_link();
    link.capacity_bps = WEIR_MBPS(100);
    link.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_PERIODIC, .every_packets = 10};
    config.source.stop_ns = WEIR_SECONDS(10);
    struct rig rig = rig_run(&config, link, WEIR_SECONDS(11));
    g_assert_cmpint(weir__udp_flow_meter(rig.flow)->sent_packets, ==, 10000);
    g_assert_cmpint(weir__udp_flow_meter(rig.flow)->goodput_bytes, ==, 9000 * 1460);
    rig_free(&rig);
}

static void test_empty_pool_skips_packets_and_goes_on(void)
{
    struct weir__udp_flow_config config = cbr(1460 * 8 * 100);
    struct hand_rig *rig = hand_rig_new(&config);
    rig->pool->growing = false;
    g_assert_cmpint(weir__packet_pool_reserve(rig->pool, 1), ==, WEIR_OK);
    struct weir__packet *held = weir__packet_take(rig->pool);
    weir__sim_run_until(rig->sim, WEIR_MS(995));
    g_assert_cmpuint(rig->out.n, ==, 0);
    weir__packet_give(rig->pool, held);
    weir__sim_run_until(rig->sim, WEIR_MS(1995));
    g_assert_cmpuint(rig->out.n, ==, 100);
    g_assert_cmpint(rig->out.seen[99].seq, ==, 99);
    g_assert_cmpint(weir__udp_flow_meter(rig->flow)->generated_packets, ==, 200);
    g_assert_cmpint(weir__udp_flow_meter(rig->flow)->sent_packets, ==, 100);
    hand_rig_free(rig);
}

static void test_values_outside_their_range_are_refused(void)
{
    struct weir__network *network = NULL;
    g_assert_cmpint(weir__network_create(&network, 0, 1), ==, WEIR_OK);
    struct weir__udp_flow *flow = NULL;
    struct weir__udp_flow_config bad[4];
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = cbr(1000);
    }
    bad[0].header_bytes = -1;
    bad[1].header_bytes = 1500;
    bad[2].packet_bytes = 1000001;
    bad[3].source.rate_bps = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__udp_flow_create(&flow, network, &bad[i]), ==, WEIR_ERROR_RANGE);
        g_assert_null(flow);
    }
    weir__udp_flow_destroy(NULL);
    weir__network_destroy(network);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/udp_flow/everything_arrives_over_an_idle_link",
                    test_everything_arrives_over_an_idle_link);
    g_test_add_func("/sim/udp_flow/large_units_are_split_into_full_packets_and_a_rest",
                    test_large_units_are_split_into_full_packets_and_a_rest);
    g_test_add_func("/sim/udp_flow/overload_is_lost_and_delayed",
                    test_overload_is_lost_and_delayed);
    g_test_add_func("/sim/udp_flow/copies_are_received_but_not_worth_more",
                    test_copies_are_received_but_not_worth_more);
    g_test_add_func("/sim/udp_flow/corrupt_packets_are_received_but_worth_nothing",
                    test_corrupt_packets_are_received_but_worth_nothing);
    g_test_add_func("/sim/udp_flow/lost_packets_leave_goodput_of_the_rest",
                    test_lost_packets_leave_goodput_of_the_rest);
    g_test_add_func("/sim/udp_flow/empty_pool_skips_packets_and_goes_on",
                    test_empty_pool_skips_packets_and_goes_on);
    g_test_add_func("/sim/udp_flow/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
