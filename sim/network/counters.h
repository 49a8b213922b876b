/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is counted of the packets of a link, all of them or those of one flow. */
#ifndef WEIR_SIM_COUNTERS_H
#define WEIR_SIM_COUNTERS_H

#include <stdint.h>

struct weir__link_counters {
    int64_t offered_packets, offered_bytes;
    int64_t dropped_packets, dropped_bytes; /* by the policer and the queue */
    int64_t lost_packets, lost_bytes;       /* by the loss model */
    int64_t duplicated_packets, duplicated_bytes;
    int64_t delivered_packets, delivered_bytes;
};

/* sign: 1 adds, -1 takes off. */
void weir__link_counters_add(struct weir__link_counters *sum,
                             const struct weir__link_counters *part, int sign);

#endif
