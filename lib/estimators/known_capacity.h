/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The capacity that was last known, and how carefully to grow near it.
 *
 * What is sent beyond the capacity for a loop time, unseen, queues. So near it no more is sent than
 * makes the target's queue in that time. And when a link of that capacity would by now have the
 * target's queue, and some for two loops, and there is none, the capacity is another, and
 * forgotten. Unused tokens of a shaper look the same. So when the link, once busy, delivers less
 * than a quarter more than before, it takes twice the queue the next time, 32 times at the most.
 *
 * A capacity that losses told, of a policer, is believed for seconds, and twice as long each time
 * it proves right, 3 to 30: nothing but losses could tell that it has gone. It proves right when it
 * is told again within three times that. But the losses may have been a radio fade. So a rate more
 * than a tenth above that capacity grows as if none were known. */
#ifndef WEIR_ESTIMATORS_KNOWN_CAPACITY_H
#define WEIR_ESTIMATORS_KNOWN_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

/* weir__known_capacity_forget begins. */
struct weir__known_capacity {
    double bps;          /* 0 = none is known */
    bool by_losses;      /* told by losses, not by a queue */
    int64_t at_ns;       /* since when */
    int64_t policed_ns;  /* when losses last told it ... */
    double policed_s;    /* ... and for how long that is believed */
    double unseen_s;     /* the queue that a link of it would have by now ... */
    double unseen_for_s; /* ... and for how long it would have had one */
    double doubted_bps;  /* what an unseen queue disproved; 0 = nothing is in doubt */
    double patience;     /* times the target: the queue that must be missing; 1 .. 32 */
    double used;         /* of the rate, by the source, over ten seconds; 0 = not known yet */
};

void weir__known_capacity_forget(struct weir__known_capacity *known);
/* A busy queue delivers as much. */
void weir__known_capacity_on_busy(struct weir__known_capacity *known, int64_t now_ns, double bps);
/* A policer passes as much. */
void weir__known_capacity_on_policed(struct weir__known_capacity *known, int64_t now_ns,
                                     double bps);
/* It is another now. */
void weir__known_capacity_on_disproved(struct weir__known_capacity *known);
/* What a source sends of its rate, both > 0. */
void weir__known_capacity_on_use(struct weir__known_capacity *known, double rate_bps,
                                 double sent_bps, double dt_s);
/* Whether what is used of a rate is above nine tenths of what a queue told in the last 10 s; or
 * within a tenth of what losses told then, or for as long as they are believed. */
bool weir__known_capacity_is_near(const struct weir__known_capacity *known, int64_t now_ns,
                                  double rate_bps);

/* Whether losses told it, and are believed. */
bool weir__known_capacity_is_policed(const struct weir__known_capacity *known, int64_t now_ns);

struct weir__known_view {
    int64_t now_ns;
    double sent_bps;
    double target_s; /* the queue that would do */
    double loop_s;   /* until an answer is seen, > 0 */
    double dt_s;     /* since the call before */
};

/* A wanted rate near the capacity, limited: what is sent at it shall be (1 + target_s / loop_s) of
 * the capacity at the most. An encoder that always makes a little less than it is told, down to 0.6
 * of it, may have the more; one that is behind for a second may not: it makes up for it. To be
 * called while the queue is empty. That proves nothing until more than the capacity is sent. */
double weir__known_capacity_limit(struct weir__known_capacity *known,
                                  const struct weir__known_view *view, double wanted_bps);

#endif
