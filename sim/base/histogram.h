/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts of durations in bins whose width grows with the value (relative error at most 1/64), so
 * that percentiles of any number of samples need fixed memory and one add per sample. Negative
 * durations count as 0 in percentiles but are kept apart for "at most" questions. */
#ifndef WEIR_SIM_HISTOGRAM_H
#define WEIR_SIM_HISTOGRAM_H

#include "weir/status.h"
#include <stdint.h>

#define WEIR__HISTOGRAM_BINS 2432 /* 0 .. 2^43 ns (2.4 hours) and above, 64 per octave */

struct weir__histogram {
    uint64_t counts[WEIR__HISTOGRAM_BINS];
    uint64_t n;
    uint64_t negative;
    int64_t max;
    double sum;
};

enum weir_status weir__histogram_create(struct weir__histogram **histogram);
void weir__histogram_init(struct weir__histogram *histogram);
void weir__histogram_add(struct weir__histogram *histogram, int64_t value);
void weir__histogram_add_zeros(struct weir__histogram *histogram, uint64_t n);
int64_t weir__histogram_percentile(const struct weir__histogram *histogram, double share);
double weir__histogram_above(const struct weir__histogram *histogram, int64_t value);
double weir__histogram_mean(const struct weir__histogram *histogram);

#endif
