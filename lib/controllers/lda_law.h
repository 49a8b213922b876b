/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formulas of LDA (Sisalem, Schulzrinne 1998) and LDA+ (Sisalem, Wolisz 2000). Rates are bit/s
 * and > 0, times are seconds and > 0, packets are bytes; loss is a ratio. */
#ifndef WEIR_CONTROLLERS_LDA_LAW_H
#define WEIR_CONTROLLERS_LDA_LAW_H

#include <math.h>

/* 1 - r/b: the share of the bottleneck that is still free; 0 above it. */
static inline double weir__lda_free_share(double rate, double bottleneck)
{
    return fmax(1.0 - rate / bottleneck, 0.0);
}

/* LDA: what a TCP gains in half an interval, a packet per round-trip time in each. */
static inline double weir__lda_tcp_gain(double interval_s, double rtt_s, double packet_bytes)
{
    return interval_s / (2.0 * rtt_s * rtt_s) * packet_bytes * 8.0;
}

/* LDA: the additive increase of a report without loss, from that of the one before. */
static inline double weir__lda_increase(double before, double free_share, double tcp_gain)
{
    return fmin(before * (1.0 + free_share), tcp_gain);
}

/* LDA: rate after a report with loss. */
static inline double weir__lda_decrease(double rate, double loss, double reduction_factor)
{
    return rate * fmax(1.0 - loss * reduction_factor, 0.0);
}

/* LDA+: the three bounds of the increase, and the increase. */
static inline double weir__lda_plus_add(double before, double free_share)
{
    return (1.0 + free_share) * before;
}

static inline double weir__lda_plus_exp(double rate, double free_share)
{
    return (1.0 - exp(-free_share)) * rate;
}

static inline double weir__lda_plus_tcp(double interval_s, double rtt_s, double packet_bytes)
{
    return packet_bytes * 8.0 / interval_s * (interval_s / rtt_s + 1.0) / 2.0;
}

static inline double weir__lda_plus_increase(double add, double exponential, double tcp)
{
    return fmin(add, fmin(exponential, tcp));
}

/* LDA+: rate after a report with loss; tcp_rate is the TCP equation's. */
static inline double weir__lda_plus_decrease(double rate, double loss, double tcp_rate)
{
    return fmax(rate * (1.0 - sqrt(loss)), tcp_rate);
}

#endif
