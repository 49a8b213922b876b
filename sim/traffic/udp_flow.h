/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unresponsive traffic: the units of a source, as packets, onto a network. */
#ifndef WEIR_SIM_UDP_FLOW_H
#define WEIR_SIM_UDP_FLOW_H

#include "sim/network/network.h"
#include "sim/traffic/flow_meter.h"
#include "sim/traffic/source.h"

struct weir__udp_flow_config {
    struct weir__source_config source; /* on_unit and target are set here */
    int64_t packet_bytes;              /* a unit larger than packet_bytes - header_bytes is split */
    int64_t header_bytes;
    uint32_t route; /* of the network; its end is set here */
    bool measure_delay;
};

struct weir__udp_flow;

enum weir_status weir__udp_flow_create(struct weir__udp_flow **flow, struct weir__network *network,
                                       const struct weir__udp_flow_config *config);
void weir__udp_flow_destroy(struct weir__udp_flow *flow);
const struct weir__flow_meter *weir__udp_flow_meter(const struct weir__udp_flow *flow);

#endif
