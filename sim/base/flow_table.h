/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the packets of each flow go after a shared link. Flow numbers count from 0. */
#ifndef WEIR_SIM_FLOW_TABLE_H
#define WEIR_SIM_FLOW_TABLE_H

#include "sim/base/packet.h"
#include "weir/status.h"
#include <stdint.h>

struct weir__flow_table {
    struct weir__port *ports;
    uint32_t n_flows;
    uint32_t capacity;
};

void weir__flow_table_init(struct weir__flow_table *table);
void weir__flow_table_finish(struct weir__flow_table *table);
enum weir_status weir__flow_table_add(struct weir__flow_table *table, struct weir__port port,
                                      uint32_t *flow);
struct weir__port weir__flow_table_port(struct weir__flow_table *table);

#endif
