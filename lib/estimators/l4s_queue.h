/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is what marks our packets a queue of L4S? Its marks say little each, those of classic ECN as much
 * as losses. Unmarked packets have to arrive as ECT(1); but a queue that knows only classic ECN
 * marks such packets too, and RFC 9331 4.3 asks to find that out. An L4S queue marks all that waits
 * longer than its step of 1 ms, if two packets wait behind it (RFC 9332 A.1). A classic one lets
 * most of them pass: CoDel marks one in 100 ms at first, PIE a tenth at most. So of the packets
 * that have waited longer than that, or are marked, the share that is not marked tells.
 *
 * "TCP Prague Fall-back on Detection of a Classic ECN AQM" (Briscoe, Ahmed, 2019) tells them apart
 * by how much round trips vary: there nobody knows for how long each packet has waited.
 *
 * Invariant: 0 <= unmarked <= 1. */
#ifndef WEIR_ESTIMATORS_L4S_QUEUE_H
#define WEIR_ESTIMATORS_L4S_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/ecn.h"
#include "weir/units.h"

/* What waits longer is marked, on links that send three packets sooner (RFC 9332 A.1). */
#define WEIR__L4S_STEP_NS WEIR_MS(1)

/* Zero-initialise, or: forgets everything. */
struct weir__l4s_queue {
    bool is_ect1;    /* unmarked packets arrive as ECT(1) */
    double unmarked; /* the share that tells, smoothed over round trips */
    int64_t packets; /* that count, of this round trip */
    int64_t unmarked_packets;
    int64_t begun_ns; /* when this round trip began */
};

/* A packet arrived as `ecn`, wait_ns later than on the empty path. packet_ns: the time that the
 * link takes for a packet. Both >= 0; of a wait that is not known nothing is learnt: 0. Nor of that
 * of a packet that could not be marked. */
void weir__l4s_queue_on_packet(struct weir__l4s_queue *queue, enum weir_ecn ecn, int64_t wait_ns,
                               int64_t packet_ns);

/* After the packets of a feedback: the share changes once per round trip, rtt_ns > 0. */
void weir__l4s_queue_step(struct weir__l4s_queue *queue, int64_t now_ns, int64_t rtt_ns);

/* A mark is one of an L4S queue: true until the share says otherwise. */
bool weir__l4s_queue_is(const struct weir__l4s_queue *queue);

#endif
