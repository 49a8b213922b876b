/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is counted of the packets of a link or of a route. */
#ifndef WEIR_SIM_COUNTERS_H
#define WEIR_SIM_COUNTERS_H

#include <stdint.h>

struct weir__packet_counters {
    int64_t delivered_packets, delivered_bytes; /* with what is offered: what each packet needs */
    int64_t offered_packets, offered_bytes;
    int64_t dropped_packets, dropped_bytes; /* by policers and queues */
    int64_t lost_packets, lost_bytes;       /* by loss models */
    int64_t duplicated_packets, duplicated_bytes;
};

/* One more packet, for a pair of the counters. */
static inline void weir__packet_count(int64_t *packets, int64_t *bytes, int64_t size_bytes)
{
    (*packets)++;
    *bytes += size_bytes;
}

/* sign: 1 adds, -1 takes off. */
void weir__packet_counters_add(struct weir__packet_counters *sum,
                               const struct weir__packet_counters *part, int sign);

#endif
