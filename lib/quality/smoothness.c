/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How smooth a series of rates is: the coefficient of variation, also called burstiness. */
#include "weir/quality.h"

#include <math.h>

static double mean_of(const double *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum / (double)n;
}

/* Two passes: the differences to the mean are squared, so large rates that hardly vary keep their
 * digits. No values count as a mean of 0. */
double weir_cov(const double *values, size_t n)
{
    if (n == 0) {
        return 0.0;
    }
    double mean = mean_of(values, n);
    if (!(fabs(mean) > 0.0)) {
        return 0.0;
    }
    double sum_squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        double difference = values[i] - mean;
        sum_squares += difference * difference;
    }
    return sqrt(sum_squares / (double)n) / mean;
}
