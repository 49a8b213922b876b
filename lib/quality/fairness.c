/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How evenly a capacity is shared (Jain, Chiu and Hawe, 1984). */
#include "weir/quality.h"

#include <math.h>

static double largest_of(const double *values, size_t n)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(values[i]));
    }
    return largest;
}

/* Values are scaled by the largest first, so that squares neither overflow nor vanish. */
double weir_jain(const double *values, size_t n)
{
    double largest = largest_of(values, n);
    if (!(largest > 0.0)) {
        return 1.0;
    }
    double sum = 0.0;
    double sum_squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        double value = values[i] / largest;
        sum += value;
        sum_squares += value * value;
    }
    return sum * sum / ((double)n * sum_squares);
}
