/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quality/transient.h"

#include <math.h>
#include <stdbool.h>

#define WINDOW_S 5.0
#define HELD_S   5.0
#define BAND     0.1 /* of the fair rate */
#define ROUNDING                                                                                   \
    1e-9 /* of the fair rate: sums of equal rates are at the edge of the band, not out */

static size_t bins_in(const struct weir__rate_series *series, double duration_s)
{
    double bins = floor(duration_s / series->bin_s + 0.5);
    return bins > 1.0 ? (size_t)bins : 1;
}

/* Mean of the last 5 s before the start of bin `end`. */
static double mean_before(const struct weir__rate_series *series, size_t end)
{
    size_t bins = bins_in(series, WINDOW_S);
    double sum = 0.0;
    for (size_t i = end > bins ? end - bins : 0; i < end; i++) {
        sum += series->rates[i];
    }
    return sum / (double)bins;
}

static double seconds_to(const struct weir__rate_series *series, size_t event, size_t end)
{
    return (double)(end - event) * series->bin_s;
}

/* Condition: the 5-s mean reaches 90 % of the fair rate. */
double weir__rise_s(const struct weir__rate_series *series, size_t event, double fair)
{
    for (size_t end = event; end <= series->n; end++) {
        if (mean_before(series, end) >= (1.0 - BAND - ROUNDING) * fair) {
            return seconds_to(series, event, end);
        }
    }
    return (double)NAN;
}

/* Condition: the 5-s mean is no more than 10 % above the fair rate. */
double weir__fall_s(const struct weir__rate_series *series, size_t event, double fair)
{
    for (size_t end = event; end <= series->n; end++) {
        if (mean_before(series, end) <= (1.0 + BAND + ROUNDING) * fair) {
            return seconds_to(series, event, end);
        }
    }
    return (double)NAN;
}

/* Condition: the 5-s mean is within 10 % of the fair rate and stays there for 5 s more. */
double weir__convergence_s(const struct weir__rate_series *series, size_t event, double fair)
{
    size_t wanted = bins_in(series, HELD_S) + 1; /* both ends of the time it is held */
    size_t held = 0;
    for (size_t end = event; end <= series->n; end++) {
        bool within = fabs(mean_before(series, end) - fair) <= (BAND + ROUNDING) * fair;
        held = within ? held + 1 : 0;
        if (held == wanted) {
            return seconds_to(series, event, end + 1 - wanted);
        }
    }
    return (double)NAN;
}
