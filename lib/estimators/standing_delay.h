/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells a longer path from a queue: a queue of ours moves when our rate falls to half, the delay
 * of a longer path does not. */
#ifndef WEIR_ESTIMATORS_STANDING_DELAY_H
#define WEIR_ESTIMATORS_STANDING_DELAY_H

#include <stdbool.h>
#include <stdint.h>

/* What is known of a queueing delay: it is between these. */
struct weir__delay_range {
    int64_t least_ns;
    int64_t most_ns;
};

/* Zero-initialise, or: begins anew. */
struct weir__standing_delay {
    bool known;
    int64_t from_ns;  /* since when one delay would explain all: ... */
    int64_t least_ns; /* ... the least that it was at most */
    int64_t most_ns;  /* ... the most that it was at least */
    double most_bps;  /* the highest rate sent at meanwhile */
};

/* The queueing delay at now_ns, and the rate at which the packets that met it were sent. True when
 * one delay, to 8 ms, and never below floor_ns, would explain all that was seen for 1 s and two
 * loop times of loop_ns, while the rate fell below half; it then begins anew, and least_ns says by
 * how much the path is longer. */
bool weir__standing_delay_sample(struct weir__standing_delay *standing, int64_t now_ns,
                                 const struct weir__delay_range *queue, double sent_bps,
                                 int64_t floor_ns, int64_t loop_ns);

#endif
