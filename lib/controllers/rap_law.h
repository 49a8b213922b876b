/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arithmetic of RAP (Rejaie, Handley, Estrin 1999), for rap.c and its tests. Times in seconds,
 * all > 0. */
#ifndef WEIR_CONTROLLERS_RAP_LAW_H
#define WEIR_CONTROLLERS_RAP_LAW_H

/* Inter-packet gap after an additive step: the rate 1/ipg grows by alpha/srtt. */
static inline double weir__rap_step(double ipg_s, double srtt_s, double alpha_packets)
{
    return ipg_s * srtt_s / (alpha_packets * ipg_s + srtt_s);
}

/* After a loss: the rate falls to its beta-fold. */
static inline double weir__rap_back_off(double ipg_s, double beta)
{
    return ipg_s / beta;
}

/* Fine-grain adaptation: the pause before the next packet follows the short-term RTT. */
static inline double weir__rap_wait(double ipg_s, double frtt_s, double xrtt_s)
{
    return ipg_s * frtt_s / xrtt_s;
}

/* How long a packet may go without a sign of life: mu srtt + phi var. */
static inline double weir__rap_timeout(double srtt_s, double var_s, double mu, double phi)
{
    return mu * srtt_s + phi * var_s;
}

#endif
