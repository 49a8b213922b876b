/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a flow takes to follow a change: of capacity, of the flows beside it, or its own start.
 * What is compared with the new fair rate is the mean of the last 5 s, so that short bursts and
 * gaps do not count as having arrived. */
#ifndef WEIR_QUALITY_TRANSIENT_H
#define WEIR_QUALITY_TRANSIENT_H

#include <stddef.h>

/* Mean rates of bins of equal length; before the first bin nothing was sent. */
struct weir__rate_series {
    const double *rates; /* any unit, >= 0 */
    size_t n;
    double bin_s; /* > 0 */
};

/* All: seconds from the change, at the start of bin `event` <= n, to the end of the first bin that
 * fulfils the condition, a multiple of bin_s; NaN when none does. fair > 0, in the rates' unit. A
 * step to the fair rate from nothing takes 4.5 s. */
double weir__rise_s(const struct weir__rate_series *series, size_t event, double fair);
double weir__fall_s(const struct weir__rate_series *series, size_t event, double fair);
double weir__convergence_s(const struct weir__rate_series *series, size_t event, double fair);

#endif
