/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The share of packets that a queue marks, smoothed over round trips (alpha of RFC 8257 3.3).
 *
 * Invariant: 0 <= alpha <= 1. */
#ifndef WEIR_ESTIMATORS_MARK_SHARE_H
#define WEIR_ESTIMATORS_MARK_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise, or: forgets everything. */
struct weir__mark_share {
    bool has_alpha;
    double alpha;
    int64_t packets; /* of this round trip */
    int64_t marked;
    int64_t begun_ns; /* when this round trip began */
};

void weir__mark_share_on_packet(struct weir__mark_share *share, bool marked);

/* After the packets of a feedback: alpha changes once per round trip, rtt_ns > 0. The first share
 * is taken as it is. */
void weir__mark_share_step(struct weir__mark_share *share, int64_t now_ns, int64_t rtt_ns);

#endif
