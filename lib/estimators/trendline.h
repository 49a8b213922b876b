/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How fast the queueing delay grows: the slope of a line through the smoothed delays of the newest
 * groups of packets, as in libwebrtc's trendline estimator. 0.1 means that the delay grows by 0.1 s
 * per second, which a rate of 1.1 times the capacity does. */
#ifndef WEIR_ESTIMATORS_TRENDLINE_H
#define WEIR_ESTIMATORS_TRENDLINE_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR__TRENDLINE_POINTS = 20, WEIR__TRENDLINE_DELTAS_MAX = 1000 };

struct weir__trendline_point {
    double arrived_ms; /* since the first one */
    double delay_ms;   /* smoothed */
};

/* Zero-initialise, or: forgets everything. */
struct weir__trendline {
    struct weir__trendline_point points[WEIR__TRENDLINE_POINTS]; /* a ring */
    int64_t first_arrived_ns;
    double delay_ms;    /* sum of all deltas */
    double smoothed_ms; /* exponential mean of that */
    double slope;       /* 0 until there are as many points as the line needs */
    int n_deltas;       /* at most WEIR__TRENDLINE_DELTAS_MAX */
    int next;           /* where the next point goes */
};

/* One more group: it arrived delta_ms further from the one before than it left. smoothing in
 * [0, 1): weight of the old mean. arrived_ns: of the packet that showed
 * the group to be complete. */
void weir__trendline_add(struct weir__trendline *trendline, double smoothing, double delta_ms,
                         int64_t arrived_ns);

#endif
