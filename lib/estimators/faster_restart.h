/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faster Restart for TFRC (draft-ietf-dccp-tfrc-faster-restart-06, 3.1): up to the highest rate
 * that was received without loss, the rate may quadruple per round-trip time. */
#ifndef WEIR_ESTIMATORS_FASTER_RESTART_H
#define WEIR_ESTIMATORS_FASTER_RESTART_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

/* DecayTime: how long an achieved rate is believed; in twice that time again it falls to nothing.
 */
#define WEIR__FASTER_RESTART_MEMORY_NS WEIR_SECONDS(120)

/* Zero-initialise. */
struct weir__faster_restart {
    double active;     /* X_active_recv, bytes/s */
    int64_t active_ns; /* T_active_recv */
};

/* "Update X_active_recv and X_fast_max". loss: the feedback tells of a loss or mark. */
void weir__faster_restart_on_feedback(struct weir__faster_restart *restart, int64_t now_ns,
                                      double x_recv, bool loss);

/* "Interpolate X_fast_max": at most X_active_recv. */
double weir__faster_restart_fast_max(const struct weir__faster_restart *restart, int64_t now_ns);

#endif
