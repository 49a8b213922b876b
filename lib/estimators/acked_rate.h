/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate that the receiver acknowledges, over the newest second or 20 packets: libwebrtc's robust
 * throughput estimator. The largest pause between arrivals counts as the second largest, so that
 * one pause of the path does not pull the rate down; the rate at which the same packets left bounds
 * what that may give.
 *
 * Packets that arrive within WEIR__ACKED_GROUP_NS are kept as one group, so that the state has a
 * fixed size at any rate; the window moves by whole groups. */
#ifndef WEIR_ESTIMATORS_ACKED_RATE_H
#define WEIR_ESTIMATORS_ACKED_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

#define WEIR__ACKED_GROUP_NS WEIR_MS(25)
#define WEIR__ACKED_LEAST_NS WEIR_SECONDS(1) /* the window, ... */
#define WEIR__ACKED_MOST_NS  WEIR_SECONDS(5) /* at most, ... */
#define WEIR__ACKED_LEAST    20              /* unless it has fewer packets than these */
#define WEIR__ACKED_REQUIRED 10              /* no rate from fewer */

/* A second of groups, and room for what is about to leave the window. */
enum { WEIR__ACKED_GROUPS = 44 };

struct weir__acked_group {
    int64_t first_arrived_ns;
    int64_t last_arrived_ns;
    int64_t first_sent_ns;
    int64_t last_sent_ns;
    int32_t bytes;
    int32_t first_bytes; /* of the packet that arrived first */
    int32_t last_bytes;  /* of the one that left last */
    int32_t packets;
};

/* Zero-initialise, or: forgets everything. */
struct weir__acked_rate {
    struct weir__acked_group groups[WEIR__ACKED_GROUPS]; /* a ring */
    int64_t packets;                                     /* in all groups */
    int32_t oldest;
    int32_t n;
};

/* A packet arrived. An arrival more than a second before the newest is another clock: what was
 * known is forgotten. */
void weir__acked_rate_add(struct weir__acked_rate *acked, int64_t sent_ns, int64_t arrived_ns,
                          int64_t wire_bytes);

/* In bit/s; 0 = unknown. */
double weir__acked_rate_bps(const struct weir__acked_rate *acked);

#endif
