/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TCP flow on one link of its own, for the tests of the sender and its recovery. */
#ifndef WEIR_TESTS_SIM_TCP_RIG_H
#define WEIR_TESTS_SIM_TCP_RIG_H

#include "sim/base/flow_table.h"
#include "sim/network/link.h"
#include "sim/sim_test.h"
#include "sim/tcp/flow.h"
#include "weir/units.h"

#define RIG_FLOWS 8

struct tcp_rig {
    struct weir__sim sim;
    struct weir__packet_pool pool;
    struct weir__flow_table table;
    struct weir__link link;
    struct weir__tcp_flow flows[RIG_FLOWS];
    size_t n_flows;
};

static inline struct tcp_rig *tcp_rig_new(struct weir__link_config link)
{
    struct tcp_rig *rig = g_new0(struct tcp_rig, 1);
    weir__sim_init(&rig->sim);
    weir__packet_pool_init(&rig->pool);
    weir__flow_table_init(&rig->table);
    link.out = weir__flow_table_port(&rig->table);
    g_assert_cmpint(weir__link_init(&rig->link, &rig->sim, &rig->pool, &link), ==, WEIR_OK);
    return rig;
}

static inline struct weir__tcp_flow *tcp_rig_add(struct tcp_rig *rig,
                                                 struct weir__tcp_flow_config config)
{
    g_assert_cmpuint(rig->n_flows, <, RIG_FLOWS);
    struct weir__tcp_flow *flow = &rig->flows[rig->n_flows++];
    struct weir__port port = weir__tcp_sink_port(&flow->sink);
    g_assert_cmpint(weir__flow_table_add(&rig->table, port, &config.tcp.flow), ==, WEIR_OK);
    g_assert_cmpint(weir__link_reserve_flows(&rig->link, rig->table.n_flows), ==, WEIR_OK);
    config.forward = weir__link_port(&rig->link);
    g_assert_cmpint(weir__tcp_flow_init(flow, &rig->sim, &rig->pool, &config), ==, WEIR_OK);
    return flow;
}

static inline void tcp_rig_free(struct tcp_rig *rig)
{
    for (size_t i = 0; i < rig->n_flows; i++) {
        weir__tcp_flow_finish(&rig->flows[i]);
    }
    weir__link_finish(&rig->link);
    weir__flow_table_finish(&rig->table);
    weir__packet_pool_finish(&rig->pool);
    weir__sim_finish(&rig->sim);
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
