/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formulas of ARC (Grieco and Mascolo, "Adaptive rate control for streaming flows over the
 * Internet"), as arc.c uses them. Windows and outstanding data in bytes or in packets, rates in the
 * same unit per second; k in 1/s, alpha in s. */
#ifndef WEIR_CONTROLLERS_ARC_LAW_H
#define WEIR_CONTROLLERS_ARC_LAW_H

#include <math.h>

/* Equation 1: the window less what is outstanding, in the pipe and in the queue. */
static inline double weir__arc_rate(double k, double window, double outstanding)
{
    return k * fmax(window - outstanding, 0.0);
}

/* Equation 1 solved for a rate that has not changed for RTTmin, so that k RTTmin r is in the pipe;
 * what waits in the queue is known otherwise. */
static inline double weir__arc_steady_rate(double k, double window, double queued, double rtt_min_s)
{
    return weir__arc_rate(k, window, queued) / (1.0 + k * rtt_min_s);
}

/* Equation 2: the window whose steady rate is the bandwidth, with empty queues. */
static inline double weir__arc_window(double bandwidth, double rtt_min_s, double k)
{
    return bandwidth * (rtt_min_s + 1.0 / k);
}

/* Equation 5, quick probing: twice the window every alpha. */
static inline double weir__arc_quick(double window, double elapsed_s, double alpha_s)
{
    return window * exp2(fmin(elapsed_s / alpha_s, 100.0));
}

/* Equation 6, gentle probing: a packet more every alpha. */
static inline double weir__arc_gentle(double window, double packet, double elapsed_s,
                                      double alpha_s)
{
    return window + packet * elapsed_s / alpha_s;
}

#endif
