/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How late packets leave, against the time the path says: a histogram of 10 us steps. */
#ifndef WEIR_LINK_LATENESS_H
#define WEIR_LINK_LATENESS_H

#include <stdint.h>

#define LINK_LATENESS_STEP_NS INT64_C(10000)
#define LINK_LATENESS_STEPS   2000 /* the last one holds everything from 20 ms on */

struct link_lateness {
    int64_t counts[LINK_LATENESS_STEPS];
    int64_t n;
    int64_t most_ns;
};

void link_lateness_add(struct link_lateness *lateness, int64_t late_ns);
int64_t link_lateness_quantile_ns(const struct link_lateness *lateness, double quantile);

#endif
