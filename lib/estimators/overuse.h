/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The overuse detector of Google Congestion Control: compares the trend of the delay with a
 * threshold that follows it, so that a flow beside TCP, whose queues always grow and shrink, is not
 * starved (gcc-02 section 5.4; gains and timer as in libwebrtc). */
#ifndef WEIR_ESTIMATORS_OVERUSE_H
#define WEIR_ESTIMATORS_OVERUSE_H

#include <stdbool.h>
#include <stdint.h>

enum weir__usage { WEIR__USAGE_UNDER = -1, WEIR__USAGE_NORMAL = 0, WEIR__USAGE_OVER = 1 };

struct weir__overuse_gains {
    double trend;   /* of the slope */
    double up;      /* of the threshold per ms, while the trend is above it */
    double down;    /* and below it */
    double over_ms; /* how long overuse lasts before it is called that */
};

struct weir__overuse {
    enum weir__usage usage;
    double trend_ms;     /* the slope, times how much is known and the gain */
    double threshold_ms; /* in [6, 600] */
    double over_ms;      /* how long the trend has been above the threshold; -1 = it is not */
    int n_over;          /* in how many groups */
    double slope;        /* before this one */
    bool has_updated;
    int64_t updated_ns; /* when the threshold last moved, on the peer's clock */
};

void weir__overuse_init(struct weir__overuse *overuse);

/* The slope after one more group: the n_deltas-th, which left sent_ms after the one before and is
 * known to be complete at arrived_ns. */
void weir__overuse_detect(struct weir__overuse *overuse, const struct weir__overuse_gains *gains,
                          double slope, int n_deltas, double sent_ms, int64_t arrived_ns);

#endif
