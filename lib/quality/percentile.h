/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Percentiles of a series held in memory, for example of Jain's index bin by bin. */
#ifndef WEIR_QUALITY_PERCENTILE_H
#define WEIR_QUALITY_PERCENTILE_H

#include <stddef.h>

void weir__sort(double *values, size_t n);
double weir__percentile(const double *sorted, size_t n, double share);

#endif
