/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time that never goes back, made of a clock that may. A step back is no time passing: from then on
 * the time is ahead of the clock by as much, and deadlines are told on the clock as it is now.
 *
 * A call that is late by up to WEIR__STEADY_LATE_NS was held up on its way here, and the next one
 * is not: the time waits for it. */
#ifndef WEIR_BASE_STEADY_H
#define WEIR_BASE_STEADY_H

#include <stdint.h>

#include "weir/units.h"

#define WEIR__STEADY_LATE_NS WEIR_MS(10)

struct weir__steady {
    uint64_t ahead_ns; /* the time less the clock, modulo 2^64 */
};

/* The time at which the clock shows clock_ns, at least now_ns, which was the time before. */
int64_t weir__steady_now_ns(struct weir__steady *steady, int64_t now_ns, int64_t clock_ns);

/* The time when the clock showed clock_ns, if that was after its newest step. */
int64_t weir__steady_time_ns(const struct weir__steady *steady, int64_t clock_ns);

/* What the clock shows at a time; WEIR_NEVER_NS and WEIR_UNKNOWN_NS stay. */
int64_t weir__steady_clock_ns(const struct weir__steady *steady, int64_t at_ns);

#endif
