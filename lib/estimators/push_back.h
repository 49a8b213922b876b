/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far the encoder is pushed back while more is in flight than the path and a bounded queue
 * hold: libwebrtc's congestion window. The window is the target over the round-trip time, as the
 * least of the newest 32 feedbacks had it, and 350 ms more. */
#ifndef WEIR_ESTIMATORS_PUSH_BACK_H
#define WEIR_ESTIMATORS_PUSH_BACK_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR__PUSH_BACK_FEEDBACKS = 32 };

struct weir__push_back {
    int64_t rtt_ns[WEIR__PUSH_BACK_FEEDBACKS]; /* greatest of each feedback; a ring */
    int32_t next;
    int32_t n;
    bool has_window;
    double window_bytes;
    double factor; /* of the target, in (0, 1] */
};

void weir__push_back_init(struct weir__push_back *push_back);

/* A feedback on n_packets >= 0, of which the oldest had left rtt_ns ago: one step of the factor for
 * itself, and up one for each packet. */
void weir__push_back_on_feedback(struct weir__push_back *push_back, int64_t rtt_ns,
                                 int64_t n_packets, int64_t in_flight_bytes, double target_bps);

/* A packet left: that may only lower the factor, so that it never rises in silence. */
void weir__push_back_on_sent(struct weir__push_back *push_back, int64_t in_flight_bytes);

/* The target pushed back, but not below 30 kbit/s, nor above the target. */
double weir__push_back_bps(const struct weir__push_back *push_back, double target_bps);

#endif
