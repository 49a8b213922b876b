/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/faster_restart.h"

#include <math.h>

double weir__faster_restart_fast_max(const struct weir__faster_restart *restart, int64_t now_ns)
{
    double age = (double)(now_ns - restart->active_ns) / (double)WEIR__FASTER_RESTART_MEMORY_NS;
    return restart->active * fmin(fmax((3.0 - age) / 2.0, 0.0), 1.0);
}

void weir__faster_restart_on_feedback(struct weir__faster_restart *restart, int64_t now_ns,
                                      double x_recv, bool loss)
{
    double fast_max = weir__faster_restart_fast_max(restart, now_ns);
    bool reached = x_recv >= fast_max;
    if (loss == reached) {
        return;
    }
    restart->active = loss ? 0.5 * x_recv : x_recv;
    restart->active_ns = now_ns;
}
