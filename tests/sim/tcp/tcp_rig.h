/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TCP flow on one link of its own, for the tests of the sender and its recovery. */
#ifndef WEIR_TESTS_SIM_TCP_RIG_H
#define WEIR_TESTS_SIM_TCP_RIG_H

#include "sim/network/network.h"
#include "sim/sim_test.h"
#include "sim/tcp/flow.h"
#include "weir/units.h"

#define RIG_FLOWS  8
#define RIG_ROUTES 1000

struct tcp_rig {
    struct weir__network *network;
    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    struct weir__link *link;
    struct weir__tcp_flow flows[RIG_FLOWS];
    size_t n_flows;
};

static inline struct tcp_rig *tcp_rig_new(struct weir__link_config link)
{
    struct tcp_rig *rig = g_new0(struct tcp_rig, 1);
    uint32_t number = 0;
    g_assert_cmpint(weir__network_create(&rig->network, 1, RIG_ROUTES), ==, WEIR_OK);
    g_assert_cmpint(weir__network_add_link(rig->network, &link, &number), ==, WEIR_OK);
    rig->sim = weir__network_sim(rig->network);
    rig->pool = weir__network_pool(rig->network);
    rig->link = weir__network_link(rig->network, number);
    return rig;
}

static inline struct weir__tcp_flow *tcp_rig_add(struct tcp_rig *rig,
                                                 struct weir__tcp_flow_config config)
{
    g_assert_cmpuint(rig->n_flows, <, RIG_FLOWS);
    struct weir__tcp_flow *flow = &rig->flows[rig->n_flows++];
    struct weir__route_config route = {.links = (uint32_t[]){0}, .n_links = 1};
    g_assert_cmpint(weir__network_add_route(rig->network, &route, 1, &config.tcp.flow), ==,
                    WEIR_OK);
    config.forward = weir__network_port(rig->network);
    weir__network_set_end(rig->network, config.tcp.flow, weir__tcp_sink_port(&flow->sink));
    g_assert_cmpint(weir__tcp_flow_init(flow, rig->sim, rig->pool, &config), ==, WEIR_OK);
    return flow;
}

static inline void tcp_rig_free(struct tcp_rig *rig)
{
    for (size_t i = 0; i < rig->n_flows; i++) {
        weir__tcp_flow_finish(&rig->flows[i]);
    }
    weir__network_destroy(rig->network);
    g_free(rig);
}

/* Ample: 10 Gbit/s, no queue to speak of, 50 ms each way. */
static inline struct weir__link_config ample_link(void)
{
    return (struct weir__link_config){.capacity_bps = INT64_C(10000000000),
                                      .delay_ns = WEIR_MS(50),
                                      .queue = {.limit = {.packets = 100000}},
                                      .seed = 1};
}

static inline struct weir__tcp_flow_config flow_config(enum weir__tcp_variant variant)
{
    struct weir__tcp_flow_config config;
    weir__tcp_flow_config_default(&config);
    config.tcp.variant = variant;
    config.return_ns = WEIR_MS(50);
    return config;
}

#endif
