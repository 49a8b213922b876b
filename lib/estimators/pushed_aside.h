/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Have others pushed us aside? They have when the queue stays longer than flows of our kind would
 * leave it, and our rate is below half of what it was.
 *
 * Flows of our kind share a queue of about the target. One that drops belongs to somebody who fills
 * it; one that never has must be much longer to count. The target that would do is that for half of
 * the former rate at the least: ours grows as we are pushed down, and would hide who pushes. */
#ifndef WEIR_ESTIMATORS_PUSHED_ASIDE_H
#define WEIR_ESTIMATORS_PUSHED_ASIDE_H

#include <stdbool.h>

/* weir__pushed_aside_begin begins. */
struct weir__pushed_aside {
    double former_bps;   /* the highest rate lately */
    double rate_bps;     /* now */
    double since_drop_s; /* since a long queue last dropped */
    double high_s;       /* for how long the queue has been high */
};

/* From now on, at this rate. */
void weir__pushed_aside_begin(struct weir__pushed_aside *pushed, double rate_bps);

/* One feedback: our rate, the queue, whether it dropped, and the time since the feedback before. */
void weir__pushed_aside_step(struct weir__pushed_aside *pushed, double rate_bps, double queue_s,
                             bool dropped, double dt_s);

bool weir__pushed_aside_is(const struct weir__pushed_aside *pushed);

#endif
