/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random or congestive loss, by the backlog in the queue (TCP Veno, Fu and Liew 2003), and the mean
 * multiplicative decrease that follows over the last loss events. */
#ifndef WEIR_ESTIMATORS_VENO_H
#define WEIR_ESTIMATORS_VENO_H

#include <stdint.h>

#define WEIR__VENO_BACKLOG_PACKETS 3.0

/* Zero-initialise. */
struct weir__veno {
    uint32_t random; /* one bit per loss event, newest lowest: 1 = random */
    unsigned n;
};

/* A loss event at a window of packets, a round-trip time and the smallest one ever: random when the
 * backlog window (rtt - base)/rtt is below WEIR__VENO_BACKLOG_PACKETS. */
void weir__veno_on_loss_event(struct weir__veno *veno, double window_packets, double rtt_s,
                              double base_rtt_s);

/* Mean decrease over the newest n_intervals (1 .. 32) events: 4/5 for random, 1/2 for congestive
 * ones. 1/2 without events. */
double weir__veno_g(const struct weir__veno *veno, unsigned n_intervals);

#endif
