/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one-way delay of an empty path: the least of the last 30 to 60 seconds, kept as the least of
 * two windows. Clocks are strangers, so it may be any number. */
#ifndef WEIR_ESTIMATORS_BASE_DELAY_H
#define WEIR_ESTIMATORS_BASE_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

#define WEIR__BASE_DELAY_WINDOW_NS WEIR_SECONDS(30)

/* Zero-initialise, or: forgets everything. */
struct weir__base_delay {
    bool known;
    int64_t window_ns;   /* when the newer window began */
    int64_t least_ns[2]; /* of the newer and the older window; INT64_MAX = none */
    int64_t at_ns[2];    /* when that was */
};

void weir__base_delay_sample(struct weir__base_delay *base, int64_t now_ns, int64_t delay_ns);

/* WEIR_UNKNOWN_NS before the first sample. */
int64_t weir__base_delay_ns(const struct weir__base_delay *base);

/* The path has become longer by so much, or a clock has stepped. */
void weir__base_delay_raise(struct weir__base_delay *base, int64_t by_ns);

/* From now on delays are told on a clock whose drift is less by drift (1 = all of it): what was
 * measured before would read differently by its age times that. */
void weir__base_delay_on_drift(struct weir__base_delay *base, int64_t now_ns, double drift);

#endif
