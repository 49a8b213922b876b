/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Have others pushed us aside? They have when the queue stays longer than flows of our kind would
 * leave it, and our rate is below half of what it was.
 *
 * Flows of our kind share a queue of about the target. One that drops belongs to somebody who fills
 * it; one that never has must be much longer to count. The target that would do is that for half of
 * the former rate at the least: ours grows as we are pushed down, and would hide who pushes.
 *
 * The queue is high above 1.5 times the target of the former rate when it dropped in the last 10 s,
 * else 4 times, and above 1.75 times that of our rate, or of 0.45 of the former if that is more.
 * The time for which it is counts up and down between 0 and 3 s, half a second more for each
 * feedback with drops; we are pushed aside when it is above 1.5 s and the rate below 0.45 of the
 * former. A Reno that halves its window empties a short buffer, and its queue is as often at each
 * length from 0 to B: high for 1 - high/B of the time. So the queue of one that drops counts down
 * at a third of the pace, which lets 100 ms of buffer count where 70 ms are high (1 Mbit/s).
 *
 * Who comes to a link that others have filled has no former rate, and would wait for ever: for the
 * first 20 s, as long as one would be remembered, the rate of the link counts as such. */
#ifndef WEIR_ESTIMATORS_PUSHED_ASIDE_H
#define WEIR_ESTIMATORS_PUSHED_ASIDE_H

#include <stdbool.h>

/* weir__pushed_aside_begin begins. */
struct weir__pushed_aside {
    double former_bps;   /* the highest rate lately: follows a lower one within 20 s */
    double rate_bps;     /* now */
    double since_drop_s; /* since a long queue last dropped */
    double high_s;       /* for how long the queue has been high */
    double new_s;        /* for how long the path has been ours, up to those 20 s */
};

/* From now on, at this rate. */
void weir__pushed_aside_begin(struct weir__pushed_aside *pushed, double rate_bps);

/* What one feedback tells. */
struct weir__pushed_aside_view {
    double rate_bps; /* ours */
    double link_bps; /* as company tells; 0: nobody is there */
    double queue_s;
    bool dropped; /* the queue, while it was long */
    double dt_s;  /* since the feedback before */
};

void weir__pushed_aside_step(struct weir__pushed_aside *pushed,
                             const struct weir__pushed_aside_view *view);

/* Competing is over, and whoever pushes us aside shows it anew. What we had before is remembered.
 */
void weir__pushed_aside_end(struct weir__pushed_aside *pushed, double rate_bps);

/* Whether a long queue dropped lately: then it is no longer path. */
bool weir__pushed_aside_has_dropped(const struct weir__pushed_aside *pushed);

bool weir__pushed_aside_is(const struct weir__pushed_aside *pushed);

#endif
