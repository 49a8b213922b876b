/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything that is counted of a flow, or of a group of them; since the start of the simulation,
 * or between two instants of it. */
#ifndef WEIR_LAB_RUN_COUNTS_H
#define WEIR_LAB_RUN_COUNTS_H

#include "sim/network/network.h"
#include "sim/traffic/flow_meter.h"

struct lab_counts {
    struct weir__flow_meter meter;
    struct weir__packet_counters route; /* of the data; of all connections together */
};

void lab_counts_add(struct lab_counts *sum, const struct lab_counts *more);
void lab_counts_subtract(struct lab_counts *from, const struct lab_counts *start);

/* With the copies that links made. */
static inline int64_t lab_counts_entered_packets(const struct weir__packet_counters *route)
{
    return route->offered_packets + route->duplicated_packets;
}

#endif
