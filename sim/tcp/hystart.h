/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HyStart (Ha and Rhee 2011): ends slow start before it overruns the queue, when a round trip's
 * ACKs come later than the smallest round trip explains, or for longer than half of it.
 *
 * The classic one, as Linux's Cubic has had it since 2.6.29 and still has, not HyStart++ (RFC
 * 9406): what a scenario wants beside media is the TCP that is met most often. */
#ifndef WEIR_SIM_TCP_HYSTART_H
#define WEIR_SIM_TCP_HYSTART_H

#include <stdbool.h>
#include <stdint.h>

struct weir__tcp_hystart {
    int64_t rtt_min_ns; /* WEIR_NEVER_NS = unknown */
    int64_t round_end;  /* the ACK of this packet begins the next round */
    int64_t round_began_ns;
    int64_t train_ns;     /* last ACK of the train */
    int64_t round_rtt_ns; /* least of the round's first samples; WEIR_NEVER_NS = none */
    int64_t samples;
};

/* What the sender knows when an ACK of new data comes. */
struct weir__tcp_hystart_ack {
    int64_t now_ns;
    int64_t rtt_ns; /* of the newest packet acknowledged; WEIR_UNKNOWN_NS = it was sent twice */
    int64_t una;    /* that packet */
    int64_t next;   /* to be sent */
    double cwnd_packets;
};

void weir__tcp_hystart_init(struct weir__tcp_hystart *hystart, int64_t next, int64_t now_ns);
bool weir__tcp_hystart_on_ack(struct weir__tcp_hystart *hystart,
                              const struct weir__tcp_hystart_ack *ack);

#endif
