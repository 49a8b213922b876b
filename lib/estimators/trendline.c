/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/trendline.h"

#include <stddef.h>

#include "base/unwrap.h"

/* Least squares; points that all arrived at once have no slope. */
static void fit_slope(struct weir__trendline *trendline)
{
    const struct weir__trendline_point *points = trendline->points;
    double mean_x = 0.0, mean_y = 0.0, xy = 0.0, xx = 0.0;
    for (size_t i = 0; i < WEIR__TRENDLINE_POINTS; i++) {
        mean_x += points[i].arrived_ms / WEIR__TRENDLINE_POINTS;
        mean_y += points[i].delay_ms / WEIR__TRENDLINE_POINTS;
    }
    for (size_t i = 0; i < WEIR__TRENDLINE_POINTS; i++) {
        double x = points[i].arrived_ms - mean_x;
        xy += x * (points[i].delay_ms - mean_y);
        xx += x * x;
    }
    trendline->slope = xx > 0.0 ? xy / xx : trendline->slope;
}

void weir__trendline_add(struct weir__trendline *trendline, double smoothing, double delta_ms,
                         int64_t arrived_ns)
{
    if (trendline->n_deltas == 0) {
        trendline->first_arrived_ns = arrived_ns;
    }
    trendline->delay_ms += delta_ms;
    trendline->smoothed_ms =
        smoothing * trendline->smoothed_ms + (1.0 - smoothing) * trendline->delay_ms;
    trendline->points[trendline->next] = (struct weir__trendline_point){
        .arrived_ms = (double)weir__time_diff_ns(arrived_ns, trendline->first_arrived_ns) * 1e-6,
        .delay_ms = trendline->smoothed_ms,
    };
    trendline->next = (trendline->next + 1) % WEIR__TRENDLINE_POINTS;
    trendline->n_deltas += trendline->n_deltas < WEIR__TRENDLINE_DELTAS_MAX ? 1 : 0;
    if (trendline->n_deltas >= WEIR__TRENDLINE_POINTS) {
        fit_slope(trendline);
    }
}
