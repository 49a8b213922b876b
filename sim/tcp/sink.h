/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiving end of a simulated TCP connection: cumulative and delayed ACKs, SACK blocks,
 * echoes of ECN marks (RFC 3168) or their number. */
#ifndef WEIR_SIM_TCP_SINK_H
#define WEIR_SIM_TCP_SINK_H

#include "sim/base/bitring.h"
#include "sim/base/event.h"
#include "sim/base/packet.h"

/* Who wants to know what arrives; functions may be NULL. */
struct weir__tcp_observer {
    void (*on_arrived)(void *target, int64_t delay_ns);             /* each data packet, one way */
    void (*on_delivered)(void *target, int64_t first, int64_t end); /* in order: first .. end - 1 */
    void *target;
};

struct weir__tcp_sink_config {
    int64_t window_packets; /* no packet further above the cumulative ACK is accepted */
    int64_t header_bytes;   /* of a data packet, not counted as payload */
    int64_t ack_bytes;      /* of an ACK on the wire */
    int64_t delayed_ack_ns; /* 0 = every packet is acknowledged at once */
    bool sack;
    bool counts_marks; /* ACKs tell how many packets were marked; else as in RFC 3168 */
    uint32_t flow;     /* of the ACKs */
    struct weir__port out;
    struct weir__tcp_observer observer;
};

struct weir__tcp_sink {
    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    struct weir__bitring received;
    int64_t expected;               /* the lowest packet number not received */
    int64_t highest;                /* received, -1 = none */
    int64_t unacknowledged_packets; /* in order, held back by the delayed ACK */
    int64_t acks;
    int64_t arrived_packets; /* data, with repetitions */
    int64_t arrived_bytes;   /* on the wire */
    double delay_sum_ns;     /* one way, of the arrived */
    int64_t distinct_packets;
    int64_t goodput_bytes; /* payload of distinct packets */
    int64_t repeated_packets;
    int64_t marked_packets; /* of the arrived: ECN-CE */
    uint8_t echoes;       /* what ACKs say of it: the number modulo 256, or 1 until the sender says
                             that it has answered */
    bool newest_marked;   /* of the wanted */
    int64_t restarted_ns; /* packets sent before are of an earlier connection */
    struct weir__tcp_sink_config config;
    struct weir__deadline delayed_ack; /* only if ACKs are delayed */
    int64_t recent[WEIR__SACK_BLOCKS]; /* a packet of each of the last blocks reported, or -1 */
};

enum weir_status weir__tcp_sink_init(struct weir__tcp_sink *sink, struct weir__sim *sim,
                                     struct weir__packet_pool *pool,
                                     const struct weir__tcp_sink_config *config);
void weir__tcp_sink_finish(struct weir__tcp_sink *sink);
void weir__tcp_sink_restart(struct weir__tcp_sink *sink, int64_t from_ns);
struct weir__port weir__tcp_sink_port(struct weir__tcp_sink *sink);

#endif
