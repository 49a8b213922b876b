/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One-way delays packet by packet, and their base as LEDBAT keeps it (RFC 6817 3.4.2): the least of
 * the last ten minutes, a minute at a time. Algorithms whose documents ask for so long a memory
 * keep one; others use that of the path (estimators/base_delay.h), which is shorter.
 *
 * Delays are taken on a clock freed of steps, and of what drift it finds (estimators/peer_clock.h;
 * RFC 6817 A.2). A drift that stays below that, 150 ppm, remains: for a receiver's clock that is
 * 20 ppm fast the base of ten minutes ago is 12 ms too low.
 */
#ifndef WEIR_ESTIMATORS_DELAY_HISTORY_H
#define WEIR_ESTIMATORS_DELAY_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "estimators/peer_clock.h"

enum { WEIR__DELAY_HISTORY_MINUTES = 10 };

struct weir__delay_minute {
    int64_t least_ns;
    int64_t at_ns; /* when that was */
};

/* Zero-initialise, or: forgets everything. */
struct weir__delay_history {
    struct weir__peer_clock clock;
    struct weir__delay_minute minutes[WEIR__DELAY_HISTORY_MINUTES]; /* newest first */
    size_t n;
    int64_t minute_ns; /* when the newest began */
};

struct weir__delay_sample {
    int64_t arrived_ns; /* on the freed clock, within about a minute of ours */
    int64_t delay_ns;   /* one way, plus what the clocks are apart */
};

/* A feedback came at now_ns whose newest packet had arrived at arrived_ns. Before its packets. */
void weir__delay_history_on_feedback(struct weir__delay_history *history, int64_t now_ns,
                                     int64_t arrived_ns);

/* A packet of that feedback. Returns false, and takes nothing, when it was told on another clock
 * than the newest packet. */
bool weir__delay_history_add(struct weir__delay_history *history, int64_t now_ns, int64_t sent_ns,
                             int64_t arrived_ns, struct weir__delay_sample *sample);

/* The least delay of the last ten minutes (nine, and the running one); WEIR_UNKNOWN_NS before the
 * first sample. */
int64_t weir__delay_history_base_ns(const struct weir__delay_history *history);

/* How far a delay is above the base, >= 0; 0 when that is not known. */
int64_t weir__delay_history_above_base_ns(const struct weir__delay_history *history,
                                          int64_t delay_ns);

/* Forgets the base, and measures it anew. */
void weir__delay_history_restart_base(struct weir__delay_history *history);

#endif
