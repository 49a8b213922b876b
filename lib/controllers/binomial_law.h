/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laws of binomial congestion control (Bansal and Balakrishnan, INFOCOM 2001), windows in packets.
 */
#ifndef WEIR_CONTROLLERS_BINOMIAL_LAW_H
#define WEIR_CONTROLLERS_BINOMIAL_LAW_H

#include <math.h>

/* The window after acked_packets of it: alpha/w^k per RTT. window >= 1. */
static inline double weir__binomial_increase(double window, double alpha, double k,
                                             double acked_packets)
{
    return window + acked_packets * alpha / (window * pow(window, k));
}

/* The window after a loss event. */
static inline double weir__binomial_decrease(double window, double beta, double l)
{
    return window - beta * pow(window, l);
}

#endif
