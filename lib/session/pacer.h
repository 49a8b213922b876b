/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interval pacing: a packet leaves size / rate after the ideal time of the one before it.
 *
 * A wake-up costs more than a packet, so packets may leave in bursts: with one that was due may
 * leave those whose ideal times are less than a quantum after it. Then all wait until the next one
 * is due. No packet leaves a quantum or more before its ideal time.
 *
 * Invariant, for a constant rate and a caller that waits for next_ns: in every interval [a, b]
 *     bytes(a, b) <= rate * (b - a + WEIR__PACER_MAX_LAG_NS + quantum) + largest packet.
 * An idle time earns nothing; a late timer earns at most WEIR__PACER_MAX_LAG_NS. A packet of any
 * size leaves once the one before it is paid for, or will be within the quantum.
 *
 * Two pacers of one rate let audio run ahead of video: audio waits for its own pacer, which sees
 * nothing else, and is charged to the other one without waiting for it (on_ahead). Then audio alone
 * obeys the inequality above; and since each packet of video has waited until all before it was
 * paid for, only the audio after the last one can be ahead, all together
 *     bytes(a, b) <= rate * (b - a + 2 * WEIR__PACER_MAX_LAG_NS + quantum)
 *                    + largest packet of video + largest packet of audio,
 * for rates at which these two packets take less than WEIR__PACER_MAX_AHEAD_NS. The quantum is that
 * of the pacer of all; the pacer of audio has none. In the long run the rate is the pacing rate,
 * whatever part of it is audio. */
#ifndef WEIR_PACER_H
#define WEIR_PACER_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

/* How much lateness of the caller's timer is made good by a shorter interval after it. */
#define WEIR__PACER_MAX_LAG_NS WEIR_MS(10)
/* How much a caller that does not wait can be in debt. */
#define WEIR__PACER_MAX_DEBT_NS WEIR_MS(500)
/* How much what ran ahead without waiting for its own pacer can be owed. */
#define WEIR__PACER_MAX_AHEAD_NS WEIR_SECONDS(2)

struct weir__pacer {
    int64_t rate_bps;   /* the last one > 0 */
    int64_t next_ns;    /* ideal time of the next packet */
    int64_t quantum_ns; /* to be set at any time; 0, as after init: none leaves early */
    int64_t sent_ns;    /* when the last one left that waited for this pacer */
    bool blocked;       /* the rate is 0 */
    bool backlogged;    /* packets wait: what passes now is lateness, not idleness */
    bool off;
};

void weir__pacer_init(struct weir__pacer *pacer, int64_t now_ns, int64_t rate_bps);
void weir__pacer_set_rate(struct weir__pacer *pacer, int64_t now_ns, int64_t rate_bps);
void weir__pacer_set_off(struct weir__pacer *pacer, int64_t now_ns, bool off);
void weir__pacer_on_queue(struct weir__pacer *pacer, int64_t now_ns, bool backlogged);
void weir__pacer_on_sent(struct weir__pacer *pacer, int64_t now_ns, int64_t size_bytes,
                         bool backlogged);
/* A packet left that waited for another pacer of the same budget. */
void weir__pacer_on_ahead(struct weir__pacer *pacer, int64_t now_ns, int64_t size_bytes);

/* When the next packet may leave, of whatever size: a time that has passed while the quantum has
 * room. WEIR_NEVER_NS at rate 0. */
int64_t weir__pacer_next_ns(const struct weir__pacer *pacer);

#endif
