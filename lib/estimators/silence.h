/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Silence of the receiver: how long a sender waits for feedback before it takes that for
 * congestion.
 *
 * The wait begins with a packet that leaves, and anew with each sign of life while more is in
 * flight. It is as long as the caller's timeout, but at least twice the longest recent pause
 * between bunches of feedback: a stock receiver may be allowed RTCP only every 0.3 s, and that is
 * no congestion. When it is over it rests until the next packet leaves, so an idle sender needs no
 * timer, and a silent path is answered once per timeout at most. */
#ifndef WEIR_ESTIMATORS_SILENCE_H
#define WEIR_ESTIMATORS_SILENCE_H

#include <stdbool.h>
#include <stdint.h>

struct weir__silence {
    int64_t timer_ns; /* WEIR_NEVER_NS: nothing is waited for */
    int64_t heard_ns; /* last sign of life, or WEIR_UNKNOWN_NS */
    int64_t pause_ns; /* longest recent pause, fading, at most 1 s */
};

void weir__silence_init(struct weir__silence *silence);

/* A packet left: begins to wait, unless it waits already. timeout_ns >= 0. */
void weir__silence_on_sent(struct weir__silence *silence, int64_t now_ns, int64_t timeout_ns);

/* The same, for a sender that pauses: with nothing in flight nothing could be heard, so a pause of
 * the receiver begins with this packet; but not after a timeout (timed_out), which the receiver may
 * yet explain. */
void weir__silence_on_sent_anew(struct weir__silence *silence, int64_t now_ns, int64_t timeout_ns,
                                bool timed_out);

/* The two parts of weir__silence_on_heard: the pause that ends, and the wait that begins. */
void weir__silence_note_life(struct weir__silence *silence, int64_t now_ns);
void weir__silence_restart(struct weir__silence *silence, int64_t now_ns, int64_t timeout_ns,
                           bool in_flight);

/* Feedback that something arrived. in_flight: more is on its way. */
void weir__silence_on_heard(struct weir__silence *silence, int64_t now_ns, int64_t timeout_ns,
                            bool in_flight);

/* Whether the wait is over; if so it rests. */
bool weir__silence_is_over(struct weir__silence *silence, int64_t now_ns);

#endif
