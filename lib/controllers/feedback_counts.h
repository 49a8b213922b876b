/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a feedback tells, in numbers. */
#ifndef WEIR_CONTROLLERS_FEEDBACK_COUNTS_H
#define WEIR_CONTROLLERS_FEEDBACK_COUNTS_H

#include "control/controller.h"

struct weir__feedback_counts {
    int64_t received; /* for the first time, and not late */
    int64_t timed;    /* of them, with an arrival time */
    int64_t lost;
    int64_t oldest_sent_ns; /* departure of the oldest received; INT64_MAX without one */
};

static inline bool weir__is_timed(const struct weir_packet_report *packet)
{
    return packet->status == WEIR_PACKET_RECEIVED && packet->arrived_ns != WEIR_UNKNOWN_NS;
}

static inline struct weir__feedback_counts
weir__count_feedback(const struct weir_feedback *feedback)
{
    struct weir__feedback_counts c = {.oldest_sent_ns = INT64_MAX};
    for (size_t i = 0; i < feedback->n_packets; i++) {
        const struct weir_packet_report *packet = &feedback->packets[i];
        c.timed += weir__is_timed(packet) ? 1 : 0;
        c.lost += packet->status == WEIR_PACKET_LOST ? 1 : 0;
        if (packet->status == WEIR_PACKET_RECEIVED) {
            c.received++;
            c.oldest_sent_ns = weir_min_i64(c.oldest_sent_ns, packet->sent_ns);
        }
    }
    return c;
}

#endif
