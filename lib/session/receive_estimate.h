/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate a receiver asks for with REMB: what RFC 5348 would let its sender do, seen from the
 * receiving end. REMB is an upper bound, so without loss it is twice what arrives. */
#ifndef WEIR_RECEIVE_ESTIMATE_H
#define WEIR_RECEIVE_ESTIMATE_H

#include <stdint.h>

#include "estimators/loss_intervals.h"

struct weir__receive_estimate {
    struct weir__loss_intervals losses;
    int64_t seq; /* packets expected so far, of all streams */
    double packet_bytes;
};

void weir__receive_estimate_init(struct weir__receive_estimate *estimate);

/* A packet arrived after expected_packets - 1 others that did not; lost_packets of those before
 * have become certain losses. rtt_ns or WEIR_UNKNOWN_NS; received_bps: rate of what arrives. */
void weir__receive_estimate_on_packet(struct weir__receive_estimate *estimate, int64_t now_ns,
                                      int64_t wire_bytes, int64_t expected_packets,
                                      int64_t lost_packets, int64_t rtt_ns, int64_t received_bps);

/* An ECN mark is a loss (RFC 5348 5.2). */
void weir__receive_estimate_on_mark(struct weir__receive_estimate *estimate, int64_t now_ns,
                                    int64_t rtt_ns, int64_t received_bps);

/* In bit/s of whole packets, > 0. */
int64_t weir__receive_estimate_bps(const struct weir__receive_estimate *estimate, int64_t rtt_ns,
                                   int64_t received_bps);

#endif
