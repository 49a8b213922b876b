/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a queue tells a rate control: whether it is busy, how much of the link is ours, and how long
 * it will be for a packet that leaves now.
 *
 * Invariant: predicted_s >= 0; capacity_bps > 0 once has_capacity. */
#ifndef WEIR_ESTIMATORS_QUEUE_SIGNAL_H
#define WEIR_ESTIMATORS_QUEUE_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

/* One feedback's view of the path; times in s, rates in bit/s, sizes in bytes. */
struct weir__queue_view {
    double queue_s;       /* now */
    double least_queue_s; /* over the window of the rates */
    double delivered_bps;
    double in_flight_bytes;
    double since_sent_s; /* since the newest packet reported had left */
    double packet_bytes;
    double dt_s; /* since the feedback before */
};

/* The queue that a flow should have of its own: 2500 bytes, two packets, whatever its rate; but not
 * less than 10 ms, which the clocks of feedback can just tell, nor more than 40 ms, which a call
 * does not mind. rate_bps > 0. */
double weir__queue_target_s(double rate_bps);
/* The same where an L4S queue marks, but not less than its step, 1 ms (RFC 9332 A.1). */
double weir__queue_l4s_target_s(double rate_bps);

/* Zero-initialise, or: forgets everything. */
struct weir__queue_signal {
    bool busy; /* the queue was never below 3 ms and the time of a packet, at the delivered rate:
                  never empty, so that rate is the link's, for us */
    bool has_capacity;
    double capacity_bps; /* the delivered rate while busy, smoothed over 0.3 s; the first, and one
                            that differs by more than a fifth, is taken at once */
    double predicted_s;  /* the queue that a packet sent now will meet; the queue, when not busy */
};

void weir__queue_signal_update(struct weir__queue_signal *signal,
                               const struct weir__queue_view *view);

#endif
