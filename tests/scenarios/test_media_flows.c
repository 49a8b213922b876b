/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Media flows on a shared link: that they share, how they meet TCP, how the flows of a group divide
 * the rate of their session, and that a long simulation needs no more memory than a short one. */
#include "allocations.h"
#include "sim/tcp/flow.h"
#include "sim/traffic/media_rig.h"
#include "weir/quality.h"

/* Jain's index of what the flows received from now until until_ns. */
static double jain_until(struct media_rig *rig, int64_t until_ns)
{
    double received[RIG_FLOWS];
    for (size_t i = 0; i < rig->n_flows; i++) {
        received[i] = -(double)weir__media_flow_meter(rig->flows[i])->received_bytes;
    }
    rig_run(rig, until_ns);
    for (size_t i = 0; i < rig->n_flows; i++) {
        received[i] += (double)weir__media_flow_meter(rig->flows[i])->received_bytes;
    }
    return weir_jain(received, rig->n_flows);
}

static const struct {
    const char *name;
    size_t flows;
    int64_t capacity_bps;
    int64_t queue_packets;
    int64_t apart_ns; /* between the starts */
    double jain;      /* at least, over two minutes after the first */
} sharings[] = {
    {"two at once", 2, WEIR_MBPS(2), 33, WEIR_MS(10), 0.9},
    {"two, one late", 2, WEIR_MBPS(2), 33, WEIR_SECONDS(20), 0.9},
    {"eight", 8, WEIR_MBPS(8), 133, WEIR_MS(300), 0.9},
};

static void test_equal_flows_share_fairly(void)
{
    for (size_t k = 0; k < G_N_ELEMENTS(sharings); k++) {
        struct media_rig_config links = rig_default;
        links.capacity_bps = sharings[k].capacity_bps;
        links.queue_packets = sharings[k].queue_packets;
        struct media_rig *rig = rig_new(&links);
        for (size_t i = 0; i < sharings[k].flows; i++) {
            struct weir__media_flow_config config = rig_flow_config(i + 1);
            config.start_ns = (int64_t)i * sharings[k].apart_ns;
            rig_add(rig, config);
        }
        rig_run(rig, WEIR_SECONDS(60));
        double jain = jain_until(rig, WEIR_SECONDS(180));
        double used = rig_used(rig, WEIR_SECONDS(180));
        g_test_message("%s: Jain's index %.4f, %.3f used", sharings[k].name, jain, used);
        g_assert_cmpfloat(jain, >=, sharings[k].jain);
        g_assert_cmpfloat(used, >=, 0.95);
        rig_free(rig);
    }
}

/* One greedy TCP connection over the links of the rig, that acknowledges every packet. */
static void add_tcp(struct media_rig *rig, struct weir__tcp_flow *tcp,
                    enum weir__tcp_variant variant)
{
    struct weir__tcp_flow_config config;
    weir__tcp_flow_config_default(&config);
    uint32_t route = rig_add_route(rig, rig->forward);
    uint32_t back = rig_add_route(rig, rig->backward);
    config.tcp.variant = variant;
    config.tcp.packet_bytes = 1500;
    config.tcp.flow = route;
    config.ack_flow = back;
    config.delayed_ack_ns = 0;
    config.forward = config.backward = weir__network_port(rig->network);
    g_assert_cmpint(weir__tcp_flow_init(tcp, weir__network_sim(rig->network),
                                        weir__network_pool(rig->network), &config),
                    ==, WEIR_OK);
    weir__network_set_end(rig->network, route, weir__tcp_sink_port(&tcp->sink));
    weir__network_set_end(rig->network, back, weir__tcp_port(&tcp->sender));
}

/* Goodput of a TFRC flow over that of a TCP connection, from the first minute to the fifth. */
static double tfrc_to_tcp(const struct media_rig_config *links, enum weir__tcp_variant variant)
{
    struct media_rig *rig = rig_new(links);
    struct weir__tcp_flow tcp;
    const struct weir__flow_meter *meter = rig_add(rig, rig_flow_config(1));
    add_tcp(rig, &tcp, variant);
    rig_run(rig, WEIR_SECONDS(60));
    double media = -(double)meter->goodput_bytes;
    double other = -(double)tcp.sink.goodput_bytes;
    rig_run(rig, WEIR_SECONDS(300));
    media += (double)meter->goodput_bytes;
    other += (double)tcp.sink.goodput_bytes;
    weir__tcp_flow_finish(&tcp);
    rig_free(rig);
    return media / other;
}

/* The equation is that of a TCP that acknowledges every packet (RFC 5348 3.1, b = 1). The jitter of
 * one packet breaks the phase effects of two flows at a drop-tail queue. */
static void test_tfrc_and_tcp_get_within_a_factor_of_three(void)
{
    static const enum weir__tcp_variant variants[] = {WEIR__TCP_RENO, WEIR__TCP_NEWRENO,
                                                      WEIR__TCP_SACK};
    static const int64_t queues_packets[] = {17, 33, 67};
    for (size_t i = 0; i < G_N_ELEMENTS(variants); i++) {
        for (size_t k = 0; k < G_N_ELEMENTS(queues_packets); k++) {
            struct media_rig_config links = rig_default;
            links.capacity_bps = WEIR_MBPS(2);
            links.queue_packets = queues_packets[k];
            links.entry_jitter_ns = WEIR_MS(6);
            double ratio = tfrc_to_tcp(&links, variants[i]);
            g_test_message("TCP %d, %" G_GINT64_FORMAT " packets of queue: tfrc/tcp %.2f",
                           (int)variants[i], queues_packets[k], ratio);
            g_assert_cmpfloat(ratio, >=, 1.0 / 3.0);
            g_assert_cmpfloat(ratio, <=, 3.0);
        }
    }
}

/* The share that sluice gets of a link which a TCP has filled for 20 s, from its 30th second on. */
static double share_of_who_joins(const struct media_rig_config *links,
                                 enum weir__tcp_variant variant)
{
    struct media_rig *rig = rig_new(links);
    struct weir__tcp_flow tcp;
    struct weir__media_flow_config config = rig_flow_config(1);
    config.sender.algorithm = "sluice";
    config.receiver.format = WEIR_FEEDBACK_CCFB;
    config.greedy = false;
    weir__source_config_default(&config.source, WEIR__SOURCE_ENCODER);
    config.source.max_bps = config.sender.limits.max_bps = WEIR_MBPS(100);
    config.start_ns = WEIR_SECONDS(20);
    const struct weir__flow_meter *meter = rig_add(rig, config);
    add_tcp(rig, &tcp, variant);
    rig_run(rig, WEIR_SECONDS(50));
    double media = -(double)meter->goodput_bytes;
    rig_run(rig, WEIR_SECONDS(110));
    media += (double)meter->goodput_bytes;
    weir__tcp_flow_finish(&tcp);
    rig_free(rig);
    return media * 8.0 / 60.0 / ((double)links->capacity_bps / 2.0);
}

/* On the path of live/tcp1, where it depends on no seed; docs/grid.md tells where it does. */
static void test_who_joins_a_tcp_gets_half_to_twice_its_share(void)
{
    static const enum weir__tcp_variant variants[] = {WEIR__TCP_RENO, WEIR__TCP_CUBIC};
    struct media_rig_config links = rig_default;
    links.capacity_bps = WEIR_MBPS(4);
    links.queue_packets = 33;
    links.entry_jitter_ns = WEIR_MS(1);
    for (size_t i = 0; i < G_N_ELEMENTS(variants); i++) {
        double share = share_of_who_joins(&links, variants[i]);
        g_test_message("TCP %d: %.2f of its share", (int)variants[i], share);
        g_assert_cmpfloat(share, >=, 0.5);
        g_assert_cmpfloat(share, <=, 2.0);
    }
}

/* Slow starts grow the pools; after them nothing is allocated for a thousand seconds. */
static void test_a_long_simulation_allocates_nothing(void)
{
    struct media_rig_config links = rig_default;
    links.capacity_bps = WEIR_MBPS(3);
    links.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = 0.005};
    links.feedback_loss = links.loss;
    links.duplicate = 0.01;
    struct media_rig *rig = rig_new(&links);
    struct weir__media_flow_config config = rig_flow_config(1);
    rig_add(rig, config);
    config.feedback_per_packet = true;
    config.receiver.format = WEIR_FEEDBACK_TWCC;
    rig_add(rig, config);
    rig_add(rig, rig_voice_config());
    rig_run(rig, WEIR_SECONDS(100));
    int64_t before = n_allocations;
    rig_run(rig, WEIR_SECONDS(1100));
    g_assert_cmpint(n_allocations, ==, before);
    for (size_t i = 0; i < rig->n_flows; i++) {
        g_assert_cmpint(weir__media_flow_meter(rig->flows[i])->received_packets, >, 50000);
    }
    rig_free(rig);
}

/* An encoder that makes exactly what it may. */
static struct weir__media_flow_config group_config(const struct weir_param_value *rate,
                                                   struct weir__media_flow *group, uint32_t weight)
{
    struct weir__media_flow_config config = rig_flow_config(1);
    config.sender.algorithm = "fixed";
    config.sender.params = rate;
    config.sender.n_params = 1;
    config.sender.limits.min_bps = WEIR_KBPS(50);
    config.greedy = false;
    weir__source_config_default(&config.source, WEIR__SOURCE_ENCODER);
    config.source.min_bps = WEIR_KBPS(50);
    config.source.max_bps = WEIR_MBPS(5);
    config.source.burst_frames = 0;
    config.source.scale_time = config.source.scale_bytes = 0.0;
    config.group = group;
    config.weight = weight;
    return config;
}

/* Wire rates that the flows of a rig send at, in kbit/s, from from_s to to_s. */
static void measure(struct media_rig *rig, int64_t from_s, int64_t to_s, double *kbps)
{
    rig_run(rig, WEIR_SECONDS(from_s));
    for (size_t i = 0; i < rig->n_flows; i++) {
        kbps[i] = -(double)weir__media_flow_meter(rig->flows[i])->sent_bytes;
    }
    rig_run(rig, WEIR_SECONDS(to_s));
    for (size_t i = 0; i < rig->n_flows; i++) {
        double bytes = kbps[i] + (double)weir__media_flow_meter(rig->flows[i])->sent_bytes;
        kbps[i] = bytes * 8.0 / 1000.0 / (double)(to_s - from_s);
    }
}

/* What weir/shares.h promises, of 2 Mbit/s: flow 0 alone; from 10 s flow 1 with twice the weight,
 * and flow 2 that may not have more than 200 kbit/s of media; flow 1 is silent from 30 to 50 s, and
 * flow 2 stops at 70 s. */
static void test_a_group_shares_by_weight_and_lends_what_it_does_not_use(void)
{
    const struct weir_param_value rate = {.name = "rate-bps", .value = 2000000};
    struct media_rig_config links = rig_default;
    links.capacity_bps = WEIR_MBPS(4);
    struct media_rig *rig = rig_new(&links);
    rig_add(rig, group_config(&rate, NULL, 1));
    struct weir__media_flow_config config = group_config(&rate, rig->flows[0], 2);
    config.start_ns = WEIR_SECONDS(10);
    config.source.on_ns = config.source.off_ns = WEIR_SECONDS(20);
    rig_add(rig, config);
    config = group_config(&rate, rig->flows[0], 1);
    config.start_ns = WEIR_SECONDS(10);
    config.stop_ns = WEIR_SECONDS(70);
    config.sender.limits.max_bps = config.sender.limits.start_bps = WEIR_KBPS(200);
    rig_add(rig, config);
    double kbps[3];
    static const struct {
        int64_t from_s, to_s;
        double kbps[3]; /* 200 kbit/s of media are 211 on the wire */
    } expected[] = {
        {2, 10, {2000, 0, 0}},      {13, 30, {596, 1193, 211}}, {32, 50, {1789, 0, 211}},
        {53, 70, {596, 1193, 211}}, {91, 110, {667, 1333, 0}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        measure(rig, expected[i].from_s, expected[i].to_s, kbps);
        g_test_message("%" G_GINT64_FORMAT " s: %.0f %.0f %.0f kbit/s", expected[i].from_s, kbps[0],
                       kbps[1], kbps[2]);
        for (size_t k = 0; k < 3; k++) {
            assert_near(kbps[k], expected[i].kbps[k], 0.05 * expected[i].kbps[k] + 1.0);
        }
    }
    rig_free(rig);
}

/* Frames of a camera wait for the pacer, packets of the voice beside it do not. */
static double voice_delay_ms(bool is_audio)
{
    const struct weir_param_value rate = {.name = "rate-bps", .value = 1000000};
    struct media_rig_config links = rig_default;
    links.capacity_bps = WEIR_MBPS(4);
    struct media_rig *rig = rig_new(&links);
    struct weir__media_flow_config voice = rig_voice_config();
    voice.sender.algorithm = "fixed";
    voice.sender.params = &rate;
    voice.sender.n_params = 1;
    voice.is_audio = is_audio;
    voice.measure_delay = true;
    const struct weir__flow_meter *meter = rig_add(rig, voice);
    rig_add(rig, group_config(&rate, rig->flows[0], 1));
    rig_run(rig, WEIR_SECONDS(30));
    double mean_ms = meter->mouth_to_ear_sum_ns / (double)meter->heard_packets / 1e6;
    g_assert_cmpint(meter->discarded_packets, ==, 0);
    g_assert_cmpint(meter->heard_packets, >=, 30 * 50 - 5);
    rig_free(rig);
    return mean_ms;
}

static void test_the_voice_of_a_group_passes_its_video(void)
{
    double passes_ms = voice_delay_ms(true), waits_ms = voice_delay_ms(false);
    g_test_message("%.2f ms, %.2f ms without passing", passes_ms, waits_ms);
    g_assert_cmpfloat(passes_ms, <=, 50.0 + 8.0); /* the link, and what is in its queue */
    g_assert_cmpfloat(waits_ms, >=, passes_ms + 5.0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/media_flows/fair", test_equal_flows_share_fairly);
    g_test_add_func("/media_flows/tcp", test_tfrc_and_tcp_get_within_a_factor_of_three);
    g_test_add_func("/media_flows/who_joins_a_tcp",
                    test_who_joins_a_tcp_gets_half_to_twice_its_share);
    g_test_add_func("/media_flows/a_group_shares_by_weight_and_lends_what_it_does_not_use",
                    test_a_group_shares_by_weight_and_lends_what_it_does_not_use);
    g_test_add_func("/media_flows/the_voice_of_a_group_passes_its_video",
                    test_the_voice_of_a_group_passes_its_video);
    g_test_add_func("/media_flows/long", test_a_long_simulation_allocates_nothing);
    return g_test_run();
}
