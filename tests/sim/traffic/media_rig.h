/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Media flows over one link there and one back, each flow with routes of its own. */
#ifndef WEIR_TESTS_MEDIA_RIG_H
#define WEIR_TESTS_MEDIA_RIG_H

#include "sim/sim_test.h"
#include "sim/traffic/media_flow.h"
#include "weir/units.h"

enum { RIG_FLOWS = 100 };

struct media_rig {
    struct weir__network *network;
    uint32_t forward; /* links */
    uint32_t backward;
    int64_t entry_jitter_ns;
    size_t n_flows;
    struct weir__media_flow *flows[RIG_FLOWS];
    uint32_t routes[RIG_FLOWS];
    uint32_t feedback_routes[RIG_FLOWS];
};

/* What the tests vary of the links. */
struct media_rig_config {
    int64_t capacity_bps;
    int64_t queue_packets;
    enum weir__queue_discipline
        discipline; /* of both queues; marks what is ECN-capable, if it can */
    int64_t delay_ns;
    struct weir__link_loss_config loss; /* of the link forward */
    struct weir__link_loss_config feedback_loss;
    double duplicate;        /* on both */
    int64_t entry_jitter_ns; /* in front of both */
    uint64_t seed;
};

static const struct media_rig_config rig_default = {
    .capacity_bps = WEIR_MBPS(1), .queue_packets = 17, .delay_ns = WEIR_MS(50), .seed = 1};

static inline uint32_t rig_add_link(struct media_rig *rig, const struct media_rig_config *config,
                                    int64_t capacity_bps, int64_t queue_packets,
                                    const struct weir__link_loss_config *loss)
{
    struct weir__link_config link = {.capacity_bps = capacity_bps,
                                     .delay_ns = config->delay_ns,
                                     .duplicate = config->duplicate,
                                     .loss = *loss,
                                     .seed = config->seed};
    uint32_t number = UINT32_MAX;
    weir__queue_config_default(&link.queue);
    link.queue.discipline = config->discipline;
    link.queue.codel.mark_ecn = link.queue.pie.mark_ecn = link.queue.red.mark_ecn = true;
    link.queue.limit.packets = queue_packets;
    g_assert_cmpint(weir__network_add_link(rig->network, &link, &number), ==, WEIR_OK);
    return number;
}

static inline uint32_t rig_add_route(struct media_rig *rig, uint32_t link)
{
    struct weir__route_config route = {
        .links = &link, .n_links = 1, .entry_jitter_ns = rig->entry_jitter_ns};
    uint32_t number = UINT32_MAX;
    g_assert_cmpint(weir__network_add_route(rig->network, &route, 1, &number), ==, WEIR_OK);
    return number;
}

static inline struct media_rig *rig_new(const struct media_rig_config *config)
{
    struct media_rig *rig = g_new0(struct media_rig, 1);
    g_assert_cmpint(weir__network_create(&rig->network, 2, 2 * RIG_FLOWS + 10), ==, WEIR_OK);
    rig->forward =
        rig_add_link(rig, config, config->capacity_bps, config->queue_packets, &config->loss);
    rig->backward = rig_add_link(rig, config, WEIR_MBPS(100), 1000, &config->feedback_loss);
    return rig;
}

static inline void rig_free(struct media_rig *rig)
{
    for (size_t i = 0; i < rig->n_flows; i++) {
        weir__media_flow_destroy(rig->flows[i]);
    }
    weir__network_destroy(rig->network);
    g_free(rig);
}

/* The defaults but for the algorithm: TFRC needs nothing but losses, and has no window. The
 * smallest difference between two flows are their seeds. */
static inline struct weir__media_flow_config rig_flow_config(uint64_t seed)
{
    struct weir__media_flow_config config;
    weir__media_flow_config_default(&config);
    config.sender.algorithm = "tfrc";
    config.sender.seed = seed;
    config.receiver.seed = seed;
    return config;
}

/* Even packets of 160 bytes, 64 kbit/s: voice that never falls silent. */
static inline struct weir__media_flow_config rig_voice_config(void)
{
    struct weir__media_flow_config config = rig_flow_config(1);
    config.greedy = false;
    config.packet_bytes = 200;
    config.source.kind = WEIR__SOURCE_CBR;
    config.source.rate_bps = WEIR_KBPS(64);
    config.source.unit_bytes = 160;
    config.source.seed = 1;
    return config;
}

/* Adds a flow with new routes; the configuration must be right. */
static inline const struct weir__flow_meter *rig_add(struct media_rig *rig,
                                                     struct weir__media_flow_config config)
{
    char error[200] = "";
    size_t i = rig->n_flows++;
    g_assert_cmpuint(i, <, RIG_FLOWS);
    config.route = rig->routes[i] = rig_add_route(rig, rig->forward);
    config.feedback_route = rig->feedback_routes[i] = rig_add_route(rig, rig->backward);
    enum weir_status status =
        weir__media_flow_create(&rig->flows[i], rig->network, &config, error, sizeof error);
    if (status != WEIR_OK) {
        g_error("%s: %s", weir_status_text(status), error);
    }
    return weir__media_flow_meter(rig->flows[i]);
}

static inline void rig_run(struct media_rig *rig, int64_t until_ns)
{
    weir__sim_run_until(weir__network_sim(rig->network), until_ns);
}

static inline struct weir__flow_state rig_state(const struct media_rig *rig, size_t flow)
{
    struct weir__flow_state state;
    weir__media_flow_get_state(rig->flows[flow], &state);
    return state;
}

static inline const struct weir__packet_counters *rig_route(const struct media_rig *rig,
                                                            size_t flow)
{
    return weir__network_route_counters(rig->network, rig->routes[flow]);
}

/* Share of the link forward that was used from 0 on. */
static inline double rig_used(const struct media_rig *rig, int64_t duration_ns)
{
    const struct weir__link *link = weir__network_link(rig->network, rig->forward);
    return (double)link->total.delivered_bytes * 8e9 / (double)duration_ns /
           (double)weir__link_capacity_bps(link);
}

/* Everything a flow has counted. */
static inline uint64_t rig_hash(const struct media_rig *rig)
{
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < rig->n_flows; i++) {
        const struct weir__flow_meter *meter = weir__media_flow_meter(rig->flows[i]);
        struct weir__flow_state state = rig_state(rig, i);
        uint64_t delay;
        memcpy(&delay, &meter->delay_sum_ns, sizeof delay);
        hash = hash_u64(hash, (uint64_t)meter->generated_packets);
        hash = hash_u64(hash, (uint64_t)meter->discarded_packets);
        hash = hash_u64(hash, (uint64_t)meter->sent_bytes);
        hash = hash_u64(hash, (uint64_t)meter->received_bytes);
        hash = hash_u64(hash, (uint64_t)meter->feedback_bytes);
        hash = hash_u64(hash, delay);
        hash = hash_u64(hash, (uint64_t)state.allowed_bps);
        hash = hash_u64(hash, (uint64_t)state.rtt_ns);
    }
    return hash;
}

#endif
