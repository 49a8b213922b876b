/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The congestion window a TCP would have, emulated round by round: it grows by one packet, or
 * doubles in slow start, and is halved by a loss event. Timeouts are a fluid: each loss event adds
 * the chance that TCP would have to wait for one, and when the sum reaches 1 there is one.
 *
 * The window is at least 1 packet, but 0 in the rounds that a timeout lasts. A loss event every m
 * rounds gives m, m+1 ... 2m-1 in the end, with the mean 1.5 m - 0.5. */
#ifndef WEIR_ESTIMATORS_EMULATED_WINDOW_H
#define WEIR_ESTIMATORS_EMULATED_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define WEIR__EMULATED_WINDOW_MAX         4294967296.0 /* packets */
#define WEIR__EMULATED_WINDOW_BACKOFF_MAX 64

struct weir__emulated_window {
    double window;        /* packets, of the first round after a timeout while that lasts */
    double ssthresh;      /* slow start below; infinite until the first loss event */
    double timeout_share; /* of a timeout, in [0, 1) */
    int64_t zero_rounds;  /* that the timeout still lasts */
    int64_t backoff;      /* factor of the next timeout: 1, 2, 4 ... */
    uint64_t timeouts;
};

/* What there was in a round. */
struct weir__emulated_round {
    bool loss;              /* a loss event */
    double most;            /* growth ends here, at a window of as many packets; 0 = no growth */
    int64_t timeout_rounds; /* how long a timeout lasts, >= 1; 0 = they are not emulated */
    bool sack;              /* timeouts as rare as SACK has them, not as Reno */
};

/* window >= 1. */
void weir__emulated_window_init(struct weir__emulated_window *tcp, double window, bool slow_start);

/* The window of the current round. */
double weir__emulated_window_get(const struct weir__emulated_window *tcp);

/* Slow start that has seen no loss event. */
bool weir__emulated_window_is_starting(const struct weir__emulated_window *tcp);

/* The current round is over, the next begins: first growth, then what a loss event does. */
void weir__emulated_window_end_round(struct weir__emulated_window *tcp,
                                     const struct weir__emulated_round *round);

/* A timeout of so many rounds, and slow start from one packet after it. */
void weir__emulated_window_time_out(struct weir__emulated_window *tcp, int64_t rounds);

#endif
