/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a link carried when it was overused: mean and deviation of the acknowledged rates at which
 * Google Congestion Control had to decrease (gcc-02 section 5.5; constants as in libwebrtc). */
#ifndef WEIR_ESTIMATORS_LINK_CAPACITY_H
#define WEIR_ESTIMATORS_LINK_CAPACITY_H

#include <stdbool.h>

struct weir__link_capacity {
    bool known;
    double mean_kbps;
    double deviation_kbps; /* variance over mean, in [0.4, 2.5]; kept when the mean is forgotten */
};

void weir__link_capacity_init(struct weir__link_capacity *capacity);
void weir__link_capacity_sample(struct weir__link_capacity *capacity, double acked_bps);
/* The mean alone. */
void weir__link_capacity_forget(struct weir__link_capacity *capacity);

/* Three standard deviations around the mean, in bit/s; INFINITY and 0 when it is not known. */
double weir__link_capacity_upper_bps(const struct weir__link_capacity *capacity);
double weir__link_capacity_lower_bps(const struct weir__link_capacity *capacity);

#endif
