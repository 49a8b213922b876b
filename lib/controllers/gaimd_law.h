/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laws of the AIMD and binomial schemes: what makes an increase friendly to TCP, and how one loss
 * event rate becomes a rate. */
#ifndef WEIR_CONTROLLERS_GAIMD_LAW_H
#define WEIR_CONTROLLERS_GAIMD_LAW_H

#include <math.h>

/* Packets per RTT that match TCP at low loss when a loss event keeps the part `keep` of the window:
 * 3 (1 - keep)/(1 + keep). keep in (0, 1). */
static inline double weir__gaimd_alpha(double keep)
{
    return 3.0 * (1.0 - keep) / (1.0 + keep);
}

/* The same where timeouts govern: 4 (1 - keep^2)/3. */
static inline double weir__gaimd_alpha_timeouts(double keep)
{
    return 4.0 * (1.0 - keep * keep) / 3.0;
}

/* Packets per second of AIMD(alpha, keep) at loss event rate p in (0, 1]; the standard equation
 * with alpha 1 and keep 1/2. */
static inline double weir__gaimd_rate(double alpha, double keep, double packets_per_ack, double p,
                                      double rtt_s, double rto_s)
{
    double b = packets_per_ack;
    double normal = sqrt(2.0 * b * (1.0 - keep) * p / (alpha * (1.0 + keep)));
    double timeouts = 3.0 * sqrt(b * (1.0 - keep * keep) * p / (2.0 * alpha));
    return 1.0 / (rtt_s * normal + rto_s * fmin(1.0, timeouts) * p * (1.0 + 32.0 * p * p));
}

#endif
