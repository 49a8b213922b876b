/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formulas of SCReAM v2 (draft-ietf-ccwg-rfc8298bis-screamv2-01, "Detailed Description of
 * SCReAMv2 Sender Algorithm"). Times in seconds, windows in bytes, rates in bits/s. */
#ifndef WEIR_CONTROLLERS_SCREAM_LAW_H
#define WEIR_CONTROLLERS_SCREAM_LAW_H

#include <math.h>

/* Detecting congestion, L4S: the fraction of marked packets, with fast attack and slow decay. */
static inline double weir__scream_alpha(double alpha, double fraction, double up, double down)
{
    return fraction >= alpha ? up * fraction + (1.0 - up) * alpha : (1.0 - down) * alpha;
}

/* Detecting congestion, delay: 0 at half the target, 1 at the target. */
static inline double weir__scream_virtual_alpha(double queue_s, double target_s)
{
    double half_s = target_s / 2.0;
    return fmin(fmax((queue_s - half_s) / half_s, 0.0), 1.0);
}

/* scl_t: how far the window is from where congestion was met last, 0.1 to 1. */
static inline double weir__scream_distance(double window, double inflection)
{
    double scaled = 8.0 * (window - inflection) / inflection;
    return fmin(fmax(scaled * scaled, 0.1), 1.0);
}

/* How much of the window a mark, or a delay, takes: half of alpha, spread over the reactions of a
 * round-trip time. */
static inline double weir__scream_back_off(double alpha, double rtt_s, double virtual_rtt_s)
{
    return alpha / 2.0 / fmax(1.0, rtt_s / virtual_rtt_s);
}

struct weir__scream_growth {
    double mss;
    double rtt_s;
    double virtual_rtt_s;
    double distance;        /* weir__scream_distance */
    double post_congestion; /* 0 just after congestion, 1 long after */
    double mul_increase;
};

/* Reference window increase: one MSS per round-trip time, and a share of the window beyond that
 * when congestion is long ago and far away. */
static inline double weir__scream_increment(double window, double acked_bytes,
                                            const struct weir__scream_growth *growth)
{
    double ratio = fmin(1.0, growth->mss / window);
    double multiplied = growth->mul_increase * window / growth->mss;
    double increment = acked_bytes * ratio * fmin(1.0, growth->rtt_s / growth->virtual_rtt_s);
    return increment * fmax(0.25, growth->distance) *
           (1.0 + multiplied * growth->post_congestion * growth->distance);
}

#define WEIR__SCREAM_PACKET_OVERHEAD 20.0 /* PACKET_OVERHEAD */
#define WEIR__SCREAM_MARGIN          1.2  /* between window and rate */

/* Media rate control: the share of the window over the round-trip time that may be sent. */
static inline double weir__scream_rate_share(double window, double mss)
{
    double ratio = fmin(1.0, mss / window);
    double small = 1.0 - fmin(0.2, fmax(0.0, ratio - 0.1));
    return small * mss / (mss + WEIR__SCREAM_PACKET_OVERHEAD) / WEIR__SCREAM_MARGIN;
}

/* Packet pacing: the last fifth below the greatest rate relaxes the pace, up to so many times. */
static inline double weir__scream_relaxed(double rate, double most, double times)
{
    double into = fmin(1.0, (rate / most - 0.8) / 0.2);
    return 1.0 / fmin(1.0, fmax(1.0 / times, 1.0 - into));
}

#endif
