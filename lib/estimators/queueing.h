/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Queueing delay on the way to the receiver: what one-way delays are above their smallest. Their
 * clocks are strangers: only differences mean something, and a smallest delay is believed for one
 * to two minutes, in which clocks drift apart by a few milliseconds. */
#ifndef WEIR_ESTIMATORS_QUEUEING_H
#define WEIR_ESTIMATORS_QUEUEING_H

#include <stdbool.h>

#include "weir/units.h"

struct weir__queueing {
    bool known;
    int64_t sampled_ns;     /* when the newest sample came */
    int64_t window_ns;      /* when smallest[0] began */
    int64_t smallest_ns[2]; /* of this window and the one before; INT64_MAX = none */
    double mean_ns;         /* of what was above the smallest, newest samples first */
};

/* Zero-initialise, or: forgets everything. */
void weir__queueing_restart(struct weir__queueing *queueing);

/* delay_ns: arrival on the receiver's clock less departure on ours. A step of more than ten seconds
 * is another clock. */
void weir__queueing_sample(struct weir__queueing *queueing, int64_t now_ns, int64_t delay_ns);

/* The smallest delay that is believed; WEIR_UNKNOWN_NS before the first sample. */
int64_t weir__queueing_floor_ns(const struct weir__queueing *queueing);

/* Mean over about the last eight samples; WEIR_UNKNOWN_NS without a sample in the last ten seconds.
 */
int64_t weir__queueing_ns(const struct weir__queueing *queueing, int64_t now_ns);

#endif
