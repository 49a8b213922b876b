/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/faster_restart.h"

#include <math.h>

#define DATA_LIMITED_ROUNDS 4

double weir__faster_restart_fast_max(const struct weir__faster_restart *restart, int64_t now_ns)
{
    double beyond = (double)(now_ns - restart->fast_ns) / (double)WEIR__FASTER_RESTART_MEMORY_NS;
    return restart->fast_max * fmin(fmax(2.0 - beyond, 0.0), 1.0);
}

void weir__faster_restart_on_idle_end(struct weir__faster_restart *restart, int64_t now_ns)
{
    restart->restarting = true;
    restart->restart_ns = now_ns;
}

/* A data-limited time that ends after DATA_LIMITED_ROUNDS or more starts a restart. */
static void watch_data_limit(struct weir__faster_restart *restart,
                             const struct weir__faster_restart_feedback *feedback)
{
    if (feedback->data_limited && !restart->data_limited) {
        restart->data_limited_since_ns = feedback->now_ns;
    }
    int64_t limited_ns = feedback->now_ns - restart->data_limited_since_ns;
    if (restart->data_limited && !feedback->data_limited &&
        limited_ns >= DATA_LIMITED_ROUNDS * feedback->rtt_ns) {
        weir__faster_restart_on_idle_end(restart, feedback->now_ns);
    }
    restart->data_limited = feedback->data_limited;
}

void weir__faster_restart_on_feedback(struct weir__faster_restart *restart,
                                      const struct weir__faster_restart_feedback *feedback)
{
    int64_t now_ns = feedback->now_ns;
    watch_data_limit(restart, feedback);
    if (feedback->loss) {
        restart->fast_max = 0.5 * weir__faster_restart_fast_max(restart, now_ns);
        restart->fast_ns = now_ns;
        restart->restarting = false;
        return;
    }
    if (feedback->x_recv >= weir__faster_restart_fast_max(restart, now_ns)) {
        restart->fast_max = feedback->x_recv;
        restart->fast_ns = now_ns;
    }
    if (now_ns - restart->restart_ns > WEIR__FASTER_RESTART_ROUNDS * feedback->rtt_ns) {
        restart->restarting = false;
    }
}

double weir__faster_restart_ceiling(const struct weir__faster_restart *restart, int64_t now_ns,
                                    double rate)
{
    double ceiling = 2.0 * weir__faster_restart_fast_max(restart, now_ns);
    return restart->restarting && rate < ceiling ? ceiling : 0.0;
}
