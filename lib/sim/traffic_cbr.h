/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unresponsive traffic: packets of one size at even intervals, optionally on and off in turns. */
#ifndef WEIR_SIM_TRAFFIC_CBR_H
#define WEIR_SIM_TRAFFIC_CBR_H

#include "sim/event.h"
#include "sim/packet.h"

struct weir__cbr_config {
    int64_t rate_bps; /* while on, 1 .. 10^12 */
    int64_t packet_bytes;
    int64_t on_ns; /* both > 0, or both 0 = always on; begins with "on" */
    int64_t off_ns;
    int64_t start_ns;
    int64_t stop_ns; /* WEIR_NEVER_NS = none */
    uint32_t flow;
    struct weir__port out;
};

struct weir__cbr {
    struct weir__cbr_config config;
    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    struct weir__timer timer;
    int64_t interval_ns;        /* between packets, and */
    int64_t interval_remainder; /* this many 1/rate_bps of a nanosecond */
    int64_t remainder;          /* collected so far, < rate_bps */
    int64_t next_ns;
    int64_t on_until_ns;
    int64_t sent_packets;
    int64_t arrived_packets;
    int64_t arrived_bytes;
};

enum weir_status weir__cbr_init(struct weir__cbr *cbr, struct weir__sim *sim,
                                struct weir__packet_pool *pool,
                                const struct weir__cbr_config *config);
struct weir__port weir__cbr_sink_port(struct weir__cbr *cbr);

#endif
