/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts of durations in bins whose width grows with the value (relative error at most 1/64), so
 * that percentiles of any number of samples need bounded memory and one add per sample. The bins of
 * an octave take memory from its first sample on: delays of a flow lie in a few octaves of 38.
 * Negative durations count as 0 in percentiles but are kept apart for "at most" questions. */
#ifndef WEIR_SIM_HISTOGRAM_H
#define WEIR_SIM_HISTOGRAM_H

#include "weir/status.h"
#include <stdint.h>

enum {
    WEIR__HISTOGRAM_OCTAVE_BINS = 64,
    WEIR__HISTOGRAM_OCTAVES = 38 /* 0 .. 2^43 ns (2.4 hours) and above */
};

struct weir__histogram {
    uint64_t n;
    int64_t max;
    double sum;
    uint64_t zeros;                             /* samples of 0 and below */
    uint64_t negative;                          /* those below */
    uint32_t *octaves[WEIR__HISTOGRAM_OCTAVES]; /* counts, WEIR__HISTOGRAM_OCTAVE_BINS each; NULL:
                                                 * none. A bin counts at most UINT32_MAX. */
};

enum weir_status weir__histogram_create(struct weir__histogram **histogram);
void weir__histogram_destroy(struct weir__histogram *histogram);
void weir__histogram_init(struct weir__histogram *histogram);
void weir__histogram_clear(struct weir__histogram *histogram);
void weir__histogram_add(struct weir__histogram *histogram, int64_t value);
void weir__histogram_add_zeros(struct weir__histogram *histogram, uint64_t n);
int64_t weir__histogram_percentile(const struct weir__histogram *histogram, double share);
double weir__histogram_above(const struct weir__histogram *histogram, int64_t value);
double weir__histogram_mean(const struct weir__histogram *histogram);

#endif
