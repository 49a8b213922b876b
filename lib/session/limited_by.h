/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What limits the rate now (enum weir_limited_by), and what has to be remembered to say so. */
#ifndef WEIR_LIMITED_BY_H
#define WEIR_LIMITED_BY_H

#include "control/controller.h"
#include "session/breaker.h"
#include "session/rate_meter.h"
#include "weir/sender.h"
#include "weir/units.h"

/* Of losses that explain the rate, and of the statistics' loss ratio. */

/* The algorithm's rate and what happened to it. */
struct weir__limited_by {
    int64_t rate_bps;    /* now */
    int64_t rose_ns;     /* when it rose last; WEIR_UNKNOWN_NS */
    int64_t lost_ns;     /* newest loss or mark; WEIR_UNKNOWN_NS */
    int64_t event_ns;    /* the first loss of the newest event: losses within an RTT are one */
    int64_t before_bps;  /* the rate before that event */
    int64_t peak_bps;    /* highest rate of the last seconds ... */
    int64_t peak_ns;     /* ... when ... */
    int64_t peak_rtt_ns; /* ... and at which RTT; WEIR_UNKNOWN_NS */
    int64_t queued_ns;   /* when the queue was last as long as the algorithm aims at; UNKNOWN */
};

void weir__limited_by_init(struct weir__limited_by *cause);
/* Packets were lost or marked; before the algorithm is told. rtt_ns may be WEIR_UNKNOWN_NS. */
void weir__limited_by_on_loss(struct weir__limited_by *cause, int64_t now_ns, int64_t rtt_ns);
/* The algorithm was asked for its rate. */
void weir__limited_by_on_rate(struct weir__limited_by *cause, int64_t now_ns, int64_t rate_bps,
                              int64_t rtt_ns);

/* The queueing delay (may be WEIR_UNKNOWN_NS), and the one that the algorithm aims at; 0: none. */
void weir__limited_by_on_queue(struct weir__limited_by *cause, int64_t now_ns, int64_t queue_ns,
                               int64_t target_ns);

/* What the session knows now. */
struct weir__limited_by_facts {
    int64_t now_ns;
    const struct weir_output *output;
    const struct weir_control *control;
    const struct weir__breaker *breaker;
    const struct weir__rate_meter *sent;
    int64_t wanted_bps; /* what would be allowed without circuit breaker */
    int64_t max_wire_bps;
    int64_t feedback_interval_ns;
    bool has_sent;
    bool is_awaiting; /* feedback of packets in flight */
};

enum weir_limited_by weir__limited_by_find(const struct weir__limited_by *memory,
                                           const struct weir__limited_by_facts *now);

#endif
