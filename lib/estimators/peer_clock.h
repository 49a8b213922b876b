/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's clock as seen from ours: it may drift and step, and one-way delays are measured
 * with it.
 *
 * Each feedback shows it: its newest packet arrived, on the receiver's clock, a hold time and a way
 * back before the feedback did, on ours. The difference arrived - now is at its greatest when both
 * are shortest, so the greatest differences of half a minute lie on a line whose slope is the drift
 * of that clock. What queues on the forward path is no part of it. A difference far above all
 * lately seen is a step. */
#ifndef WEIR_ESTIMATORS_PEER_CLOCK_H
#define WEIR_ESTIMATORS_PEER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { WEIR__PEER_CLOCK_BINS = 16 };

/* Zero-initialise, or: forgets everything. */
struct weir__peer_clock {
    bool known;
    int64_t from_ns; /* on the receiver's clock ... */
    int64_t to_ns;   /* ... is this on the one given out; between them runs 1 - drift */
    double drift;    /* how much faster than ours the receiver's clock is; 1e-6 = 1 ppm */
    int64_t bin_ns;  /* our time at which the newest bin began */
    int n_bins;
    int64_t newest_ns; /* the greatest difference in the newest bin, as received */
    int64_t greatest_ns[WEIR__PEER_CLOCK_BINS]; /* of the bins before, oldest first */
    int64_t envelope_ns[2]; /* greatest difference on the clock given out: this window, the last */
    int64_t window_ns;
    bool is_open; /* the envelope begins with the next feedback */
};

/* A feedback came at now_ns whose newest packet had arrived at arrived_ns. Returns by how much the
 * estimate of the drift has grown, 0 mostly: what was measured before reads differently now. */
double weir__peer_clock_on_feedback(struct weir__peer_clock *clock, int64_t now_ns,
                                    int64_t arrived_ns);

/* Delays have fallen far below all before: the clock has stepped back, or the path has become
 * shorter. What was seen of differences no longer bounds those that come. */
void weir__peer_clock_on_step_back(struct weir__peer_clock *clock);

/* A time of the receiver's clock on a steady one that neither drifts nor steps, as far as known. At
 * the newest packet of a feedback it is within a minute of our own time. */
int64_t weir__peer_clock_map_ns(const struct weir__peer_clock *clock, int64_t arrived_ns);

#endif
