/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TCP throughput equation (RFC 5348 3.1; Padhye et al. 1998) and its inverse.
 *
 *   X = s / (R f(p)),   f(p) = sqrt(2bp(1-g)/(1+g)) + rto/R * 3 sqrt(bp(1-g^2)/2) * p (1 + 32 p^2)
 *
 * f grows strictly with p. g is the multiplicative decrease of the TCP that is modelled: 1/2 gives
 * the equation of the RFC, a larger g the one of TCP Veno. */
#ifndef WEIR_ESTIMATORS_TCP_EQUATION_H
#define WEIR_ESTIMATORS_TCP_EQUATION_H

#include <stdbool.h>

#define WEIR__P_MIN 1e-10 /* smaller loss event rates count as this one */

struct weir__tcp_equation {
    double b;           /* packets per acknowledgement, 1 or 2 */
    double rto_per_rtt; /* t_RTO / R, 4 in the RFC */
    double g;           /* in (0, 1) */
    bool capped;        /* limit 3 sqrt(...) to 1: the model has this, the RFC does not */
};

/* b = 1, t_RTO = 4 R, g = 1/2, no cap. */
struct weir__tcp_equation weir__tcp_equation_rfc(void);

/* f(p): round-trip times per packet, > 0. p is limited to [WEIR__P_MIN, 1]. */
double weir__tcp_equation_f(const struct weir__tcp_equation *equation, double p);

/* X in bytes/s for packets of packet_bytes and a round-trip time rtt_s, both > 0. */
double weir__tcp_equation_rate(const struct weir__tcp_equation *equation, double packet_bytes,
                               double rtt_s, double p);

/* The p at which the equation allows packets_per_rtt, by bisection on log p, to 12 digits. Within
 * [WEIR__P_MIN, 1]. */
double weir__tcp_equation_inverse(const struct weir__tcp_equation *equation,
                                  double packets_per_rtt);

#endif
