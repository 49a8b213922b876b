/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/flow_table.h"
#include <stdlib.h>

#define FIRST_CAPACITY 16
#define MOST_FLOWS     (UINT32_C(1) << 24)

/* Without flows; allocates nothing. */
void weir__flow_table_init(struct weir__flow_table *table)
{
    *table = (struct weir__flow_table){.ports = NULL};
}

/* Accepts a zeroed table. */
void weir__flow_table_finish(struct weir__flow_table *table)
{
    free(table->ports);
    weir__flow_table_init(table);
}

/* Registers a flow whose packets go to `port`. Grows by doubling. */
enum weir_status weir__flow_table_add(struct weir__flow_table *table, struct weir__port port,
                                      uint32_t *flow)
{
    if (table->n_flows == table->capacity) {
        uint32_t capacity = table->capacity > 0 ? 2 * table->capacity : FIRST_CAPACITY;
        if (capacity > MOST_FLOWS) {
            return WEIR_ERROR_NO_SPACE;
        }
        struct weir__port *ports = realloc(table->ports, capacity * sizeof *ports);
        if (!ports) {
            return WEIR_ERROR_NO_MEMORY;
        }
        table->ports = ports;
        table->capacity = capacity;
    }
    *flow = table->n_flows;
    table->ports[table->n_flows] = port;
    table->n_flows++;
    return WEIR_OK;
}

static void route(void *target, struct weir__packet *packet)
{
    const struct weir__flow_table *table = target;
    weir__port_send(&table->ports[packet->flow], packet);
}

/* The entrance: every packet goes to the port of its flow, which must be registered. */
struct weir__port weir__flow_table_port(struct weir__flow_table *table)
{
    return (struct weir__port){.on_packet = route, .target = table};
}
