/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The share of packets that a queue marks, smoothed over round trips (alpha of RFC 8257 3.3), and
 * whether it is a queue of L4S: while unmarked packets arrive as ECT(1), so do marked ones, and
 * what marked them was made for many small answers (RFC 9331 4.3).
 *
 * Invariant: 0 <= alpha <= 1. */
#ifndef WEIR_ESTIMATORS_MARK_SHARE_H
#define WEIR_ESTIMATORS_MARK_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/ecn.h"

/* Zero-initialise, or: forgets everything. */
struct weir__mark_share {
    bool is_l4s;
    bool has_alpha;
    double alpha;
    int64_t packets; /* of this round trip */
    int64_t marked;
    int64_t begun_ns; /* when this round trip began */
};

/* A packet arrived as `ecn`. Returns whether it was marked. */
bool weir__mark_share_on_packet(struct weir__mark_share *share, enum weir_ecn ecn);

/* After the packets of a feedback: alpha changes once per round trip, rtt_ns > 0. The first share
 * is taken as it is. */
void weir__mark_share_step(struct weir__mark_share *share, int64_t now_ns, int64_t rtt_ns);

#endif
