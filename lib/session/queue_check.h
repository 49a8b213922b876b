/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether there is a queue that the receiver's arrival times deny.
 *
 * A round trip is measured on our clock alone: what is acknowledged cannot have taken less. Where
 * it has grown by WEIR__QUEUE_CHECK_DOUBT_NS more than the one-way delays say, for a second, there
 * is a queue on the way back, or one on the way there and they lie. It is found out: the rate is
 * halved, and only a queue of our own then goes away. If it does not, it is elsewhere, and only
 * what comes on top of it is doubted from then on. Either way the rate may rise only slowly: for a
 * minute if it was ours, else while it is there, since a receiver may hide a queue behind reports
 * that it held back before.
 *
 * The bound in all of this is the clear rate: the highest at which packets left, over two seconds
 * of the newest ten, of which the last one met less than half that doubt. A rate r above the
 * capacity C makes a queue of T (r - C) / C in a time T, so the clear rate is at most 1.1 C where
 * no less than that fits the queue and reports come no sooner than packets arrive. */
#ifndef WEIR_QUEUE_CHECK_H
#define WEIR_QUEUE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

/* ITU-T G.114: the longest one-way delay that calls are planned for. */
#define WEIR__QUEUE_CHECK_DOUBT_NS WEIR_MS(400)

enum { WEIR__QUEUE_CHECK_SECONDS = 10, WEIR__QUEUE_CHECK_BINS = 8 };

/* The smallest round trip and one-way delay, hold times and all; INT64_MAX: none yet. */
struct weir__queue_floor {
    int64_t age_ns;
    int64_t delay_ns;
};

struct weir__queue_check {
    bool in_test;         /* at half the clear rate */
    int64_t elsewhere_ns; /* denied queue that a test found not to be ours; 0: none */
    int64_t caught_ns;    /* the last test that found it to be ours; UNKNOWN */
    struct weir__queue_floor
        floors[2]; /* of the minute that began at floor_ns, and the one before */
    int64_t floor_ns;
    int64_t least_ns; /* denied queue, in the second that began at second_ns; INT64_MAX: none yet */
    int64_t second_ns;   /* UNKNOWN before the first feedback */
    int64_t tested_ns;   /* denied queue that is tested ... */
    int64_t since_ns;    /* ... since then */
    int64_t doubted_bps; /* the clear rate when the last doubt arose */
    int64_t newest_bin;
    int64_t sent_bytes[WEIR__QUEUE_CHECK_BINS]; /* of what arrived, by the time it left */
    int64_t newest_second;                      /* of clear_bps */
    int64_t clear_bps[WEIR__QUEUE_CHECK_SECONDS];
};

void weir__queue_check_init(struct weir__queue_check *check);

/* A packet was reported received. */
void weir__queue_check_on_delivered(struct weir__queue_check *check, int64_t sent_ns,
                                    int64_t wire_bytes);

/* The newest packet of a feedback that has come now. */
struct weir__queue_sample {
    int64_t now_ns;
    int64_t sent_ns;
    int64_t
        next_sent_ns; /* of the packet after it, which had not arrived; UNKNOWN: there is none */
    int64_t delay_ns; /* arrival on the receiver's clock less departure on ours; UNKNOWN */
};
/* Returns whether doubt has arisen: what was proved before, was not. */
bool weir__queue_check_on_feedback(struct weir__queue_check *check,
                                   const struct weir__queue_sample *sample);

/* INT64_MAX when there is no reason for one. */
int64_t weir__queue_check_ceiling_bps(const struct weir__queue_check *check, int64_t now_ns);

#endif
