/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/pushed_aside.h"

#include <math.h>

#include "estimators/queue_signal.h"

#define FORMER_MEMORY_S 20.0 /* Cubic takes 5 to 8 s to push us aside after HyStart */
#define ASIDE           0.45 /* one more of our own kind leaves us half */
#define HIGH_AFTER_S    1.5  /* alone, a queue of 200 ms is gone in 0.7 s */
#define DROP_COUNTS_S   0.5
#define DROP_MEMORY_S   10.0
#define HIGH_OF_FORMER  1.5 /* times the target, of a queue that drops ... */
#define NEVER_DROPPED   4.0 /* ... and of one that never did */
#define HIGH_OF_NOW     1.75
#define LOW_COUNTS      (1.0 / 3.0) /* of the time of a queue that drops */

void weir__pushed_aside_begin(struct weir__pushed_aside *pushed, double rate_bps)
{
    *pushed = (struct weir__pushed_aside){
        .former_bps = rate_bps, .rate_bps = rate_bps, .since_drop_s = DROP_MEMORY_S};
}

bool weir__pushed_aside_has_dropped(const struct weir__pushed_aside *pushed)
{
    return pushed->since_drop_s < DROP_MEMORY_S;
}

static double high_from_s(const struct weir__pushed_aside *pushed, double rate_bps)
{
    double of_former = weir__pushed_aside_has_dropped(pushed) ? HIGH_OF_FORMER : NEVER_DROPPED;
    double half_bps = fmax(rate_bps, ASIDE * pushed->former_bps);
    return fmax(of_former * weir__queue_target_s(pushed->former_bps),
                HIGH_OF_NOW * weir__queue_target_s(half_bps));
}

static void follow(struct weir__pushed_aside *pushed, const struct weir__pushed_aside_view *view)
{
    double fade = fmin(view->dt_s / FORMER_MEMORY_S, 1.0);
    double former_bps = pushed->former_bps + (view->rate_bps - pushed->former_bps) * fade;
    bool is_new = pushed->new_s < FORMER_MEMORY_S;
    double now_bps = is_new ? fmax(view->rate_bps, view->link_bps) : view->rate_bps;
    pushed->former_bps = fmax(former_bps, now_bps);
    pushed->new_s = fmin(pushed->new_s + view->dt_s, FORMER_MEMORY_S);
    pushed->rate_bps = view->rate_bps;
}

void weir__pushed_aside_step(struct weir__pushed_aside *pushed,
                             const struct weir__pushed_aside_view *view)
{
    follow(pushed, view);
    pushed->since_drop_s = view->dropped ? 0.0 : pushed->since_drop_s + view->dt_s;
    double low_s = weir__pushed_aside_has_dropped(pushed) ? LOW_COUNTS * view->dt_s : view->dt_s;
    double step_s = view->queue_s > high_from_s(pushed, view->rate_bps) ? view->dt_s : -low_s;
    step_s += view->dropped ? DROP_COUNTS_S : 0.0;
    pushed->high_s = fmin(fmax(pushed->high_s + step_s, 0.0), 2.0 * HIGH_AFTER_S);
}

void weir__pushed_aside_end(struct weir__pushed_aside *pushed, double rate_bps)
{
    pushed->rate_bps = rate_bps;
    pushed->since_drop_s = DROP_MEMORY_S;
    pushed->high_s = 0.0;
}

bool weir__pushed_aside_is(const struct weir__pushed_aside *pushed)
{
    return pushed->high_s > HIGH_AFTER_S && pushed->rate_bps < ASIDE * pushed->former_bps;
}
