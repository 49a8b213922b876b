/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faster Restart for TFRC (draft-ietf-dccp-tfrc-faster-restart-06): after idle or data-limited time
 * the rate may quadruple per round-trip time, up to what was achieved before. */
#ifndef WEIR_ESTIMATORS_FASTER_RESTART_H
#define WEIR_ESTIMATORS_FASTER_RESTART_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

/* How long an achieved rate is believed; then it falls to nothing in as much time again. */
#define WEIR__FASTER_RESTART_MEMORY_NS WEIR_SECONDS(1800)
#define WEIR__FASTER_RESTART_ROUNDS    8 /* a restart ends after so many round-trip times */

/* Zero-initialise. */
struct weir__faster_restart {
    double fast_max; /* X_fast_max, bytes/s */
    int64_t fast_ns; /* when it was confirmed */
    bool data_limited;
    int64_t data_limited_since_ns;
    bool restarting;
    int64_t restart_ns;
};

/* What one feedback told. */
struct weir__faster_restart_feedback {
    int64_t now_ns;
    int64_t rtt_ns;
    double x_recv; /* bytes/s */
    bool loss;
    bool data_limited;
};

void weir__faster_restart_on_feedback(struct weir__faster_restart *restart,
                                      const struct weir__faster_restart_feedback *feedback);

/* The first packet after an idle time of at least the nofeedback timer. */
void weir__faster_restart_on_idle_end(struct weir__faster_restart *restart, int64_t now_ns);

/* X_fast_max as of now: it fades when nothing confirms it. */
double weir__faster_restart_fast_max(const struct weir__faster_restart *restart, int64_t now_ns);

/* Up to where rate (bytes/s) may grow faster: 2 X_fast_max during a restart, else 0. */
double weir__faster_restart_ceiling(const struct weir__faster_restart *restart, int64_t now_ns,
                                    double rate);

#endif
