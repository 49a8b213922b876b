/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A link that sends as Wi-Fi does: when something waits, the sender waits for the channel for a
 * random time; then it sends what is in the queue as one aggregate (802.11's A-MPDU), whose packets
 * arrive together, when it ends. The longer the queue, the larger the aggregates and the capacity.
 *
 * Not modelled: losses on air that the link repeats (they would be delay), and rates that change.
 */
#ifndef WEIR_SIM_AGGREGATION_H
#define WEIR_SIM_AGGREGATION_H

#include "weir/status.h"
#include <stdint.h>

/* Zeroed = no aggregation. */
struct weir__aggregation_config {
    int64_t packets;    /* at most in an aggregate, 1 .. 65536; 0 = no aggregation */
    int64_t airtime_ns; /* no packet of it begins later than this after the first, 1 ns .. 1 h */
    int64_t access_ns;  /* mean wait for the channel, exponential, 0 .. 1 h */
};

enum weir_status weir__aggregation_check(const struct weir__aggregation_config *config);
int64_t weir__aggregation_most_packets(const struct weir__aggregation_config *config,
                                       int64_t packet_bytes, int64_t rate_bps);
int64_t weir__aggregation_capacity_bps(const struct weir__aggregation_config *config,
                                       int64_t packet_bytes, int64_t rate_bps);
int64_t weir__aggregation_accesses(const struct weir__aggregation_config *config, int64_t packets,
                                   int64_t bytes, int64_t rate_bps);

#endif
