/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a receiver sends RTCP.
 *
 *   - at once for the first packet of a stream, for a new loss or ECN mark, and when many packets
 *     wait to be reported; never within WEIR__FEEDBACK_SPACING_NS of the datagram before;
 *   - else one interval after the datagram before, when packets arrived since;
 *   - RTCP takes at most 5 % of the received bytes (RFC 3550 6.2), but when packets arrive there is
 *     a datagram every 100 ms at least, or every interval if that is longer;
 *   - or, for experiments, one for every packet, but not more than the 1000 per second that a
 *     sender reads;
 *   - a full compound every second, or every interval if a longer one was asked for, give or take
 *     half of it, also when nothing arrives; or, for experiments, the first datagram after that
 *     time is one, and none goes that reports nothing new. */
#ifndef WEIR_FEEDBACK_TIMING_H
#define WEIR_FEEDBACK_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

#define WEIR__FEEDBACK_SPACING_NS WEIR_MS(5)
#define WEIR__FEEDBACK_FASTEST_NS WEIR_MS(1) /* of one per packet */
#define WEIR__FEEDBACK_LONGEST_NS WEIR_MS(100)
#define WEIR__FEEDBACK_FULL_NS    WEIR_SECONDS(1)
#define WEIR__FEEDBACK_BACKLOG    256

struct weir__feedback_timing {
    int64_t last_ns;      /* WEIR_UNKNOWN_NS before the first datagram */
    int64_t next_full_ns; /* WEIR_NEVER_NS before the first packet */
    int64_t credit;       /* bytes received minus 20 x bytes sent, limited on both sides */
    int64_t n_new;        /* packets since the last report */
    bool per_packet; /* what is new goes after 1 ms, set after init; no other bound holds then */
    bool extra_compounds; /* a full compound has a datagram of its own; set after init */
    bool first;           /* one of them is the first of its stream */
    bool urgent;          /* loss or mark */
    uint64_t random;
};

void weir__feedback_timing_init(struct weir__feedback_timing *timing, uint64_t seed);

/* wire_bytes were received now. reportable: the feedback format has something to say of it. */
void weir__feedback_timing_on_packet(struct weir__feedback_timing *timing, int64_t now_ns,
                                     int64_t wire_bytes, bool reportable);

/* When the next datagram is due: WEIR_NEVER_NS before the first packet; may lie in the past.
 * interval_ns > 0. */
int64_t weir__feedback_timing_next_ns(const struct weir__feedback_timing *timing,
                                      int64_t interval_ns);

static inline bool weir__feedback_timing_is_full_due(const struct weir__feedback_timing *timing,
                                                     int64_t now_ns)
{
    return now_ns >= timing->next_full_ns;
}

/* A full compound is being sent. interval_ns: what was asked for; 0 = nothing. */
void weir__feedback_timing_take_full(struct weir__feedback_timing *timing, int64_t now_ns,
                                     int64_t interval_ns);
/* Everything new is being reported. */
void weir__feedback_timing_take_new(struct weir__feedback_timing *timing);
/* A datagram left; 0 bytes: there was nothing to say, but the moment counts. */
void weir__feedback_timing_on_sent(struct weir__feedback_timing *timing, int64_t now_ns,
                                   int64_t wire_bytes);

#endif
