/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/link_capacity.h"

#include <math.h>

#define GAIN          0.05
#define DEVIATION_MIN 0.4 /* 14 kbit/s at 500 kbit/s */
#define DEVIATION_MAX 2.5 /* 35 kbit/s */
#define SIGMAS        3.0

void weir__link_capacity_init(struct weir__link_capacity *capacity)
{
    *capacity = (struct weir__link_capacity){.deviation_kbps = DEVIATION_MIN};
}

void weir__link_capacity_sample(struct weir__link_capacity *capacity, double acked_bps)
{
    double sample = acked_bps / 1000.0;
    double mean = capacity->known ? capacity->mean_kbps : sample;
    mean += GAIN * (sample - mean);
    double error = mean - sample;
    double deviation =
        (1.0 - GAIN) * capacity->deviation_kbps + GAIN * error * error / fmax(mean, 1.0);
    capacity->known = true;
    capacity->mean_kbps = mean;
    capacity->deviation_kbps = fmin(fmax(deviation, DEVIATION_MIN), DEVIATION_MAX);
}

void weir__link_capacity_forget(struct weir__link_capacity *capacity)
{
    capacity->known = false;
}

static double spread_kbps(const struct weir__link_capacity *capacity)
{
    return SIGMAS * sqrt(capacity->deviation_kbps * capacity->mean_kbps);
}

double weir__link_capacity_upper_bps(const struct weir__link_capacity *capacity)
{
    return capacity->known ? 1000.0 * (capacity->mean_kbps + spread_kbps(capacity)) : INFINITY;
}

double weir__link_capacity_lower_bps(const struct weir__link_capacity *capacity)
{
    double lower = capacity->mean_kbps - spread_kbps(capacity);
    return capacity->known ? 1000.0 * fmax(lower, 0.0) : 0.0;
}
