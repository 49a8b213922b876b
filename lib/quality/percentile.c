/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quality/percentile.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

/* Ascending; none of the values may be NaN. */
void weir__sort(double *values, size_t n)
{
    if (n > 1) {
        qsort(values, n, sizeof *values, compare);
    }
}

/* Of n ascending values; between two of them in proportion, so that 0.5 of an even number is the
 * mean of the middle two. share is limited to [0, 1]; NaN without values. */
double weir__percentile(const double *sorted, size_t n, double share)
{
    if (n == 0) {
        return (double)NAN;
    }
    double limited = share > 0.0 ? (share < 1.0 ? share : 1.0) : 0.0;
    double place = limited * (double)(n - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}
