/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/overuse.h"

#include <math.h>

#include "base/unwrap.h"

#define THRESHOLD_START_MS 12.5
#define THRESHOLD_MIN_MS   6.0
#define THRESHOLD_MAX_MS   600.0
#define SPIKE_MS           15.0 /* a trend this far above the threshold does not move it */
#define MAX_STEP_MS        100.0
#define MAX_DELTAS         60

void weir__overuse_init(struct weir__overuse *overuse)
{
    *overuse = (struct weir__overuse){.threshold_ms = THRESHOLD_START_MS, .over_ms = -1.0};
}

static void move_threshold(struct weir__overuse *overuse, const struct weir__overuse_gains *gains,
                           int64_t arrived_ns)
{
    double distance_ms = fabs(overuse->trend_ms) - overuse->threshold_ms;
    double passed_ms = 0.0;
    if (overuse->has_updated) {
        int64_t passed_ns = weir__time_diff_ns(arrived_ns, overuse->updated_ns);
        passed_ms = fmin(fmax((double)passed_ns * 1e-6, 0.0), MAX_STEP_MS);
    }
    overuse->has_updated = true;
    overuse->updated_ns = arrived_ns;
    if (distance_ms > SPIKE_MS) {
        return;
    }
    double gain = distance_ms < 0.0 ? gains->down : gains->up;
    double threshold_ms = overuse->threshold_ms + gain * distance_ms * passed_ms;
    overuse->threshold_ms = fmin(fmax(threshold_ms, THRESHOLD_MIN_MS), THRESHOLD_MAX_MS);
}

static void clear_timer(struct weir__overuse *overuse, enum weir__usage usage)
{
    overuse->usage = usage;
    overuse->over_ms = -1.0;
    overuse->n_over = 0;
}

/* Above the threshold: overuse when that lasts, and while the slope does not fall. */
static void count_overuse(struct weir__overuse *overuse, const struct weir__overuse_gains *gains,
                          double slope, double sent_ms)
{
    overuse->over_ms = overuse->over_ms < 0.0 ? sent_ms / 2.0 : overuse->over_ms + sent_ms;
    overuse->n_over++;
    if (overuse->over_ms > gains->over_ms && overuse->n_over > 1 && slope >= overuse->slope) {
        overuse->usage = WEIR__USAGE_OVER;
        overuse->over_ms = 0.0;
        overuse->n_over = 0;
    }
}

void weir__overuse_detect(struct weir__overuse *overuse, const struct weir__overuse_gains *gains,
                          double slope, int n_deltas, double sent_ms, int64_t arrived_ns)
{
    if (n_deltas < 2) {
        overuse->usage = WEIR__USAGE_NORMAL;
        return;
    }
    overuse->trend_ms = fmin(n_deltas, MAX_DELTAS) * slope * gains->trend;
    if (overuse->trend_ms > overuse->threshold_ms) {
        count_overuse(overuse, gains, slope, sent_ms);
    } else {
        bool under = overuse->trend_ms < -overuse->threshold_ms;
        clear_timer(overuse, under ? WEIR__USAGE_UNDER : WEIR__USAGE_NORMAL);
    }
    overuse->slope = slope;
    move_threshold(overuse, gains, arrived_ns);
}
