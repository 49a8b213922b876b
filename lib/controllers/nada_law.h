/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formulas of NADA (RFC 8698 4.2, 4.3). Times in seconds, rates in any one unit. */
#ifndef WEIR_CONTROLLERS_NADA_LAW_H
#define WEIR_CONTROLLERS_NADA_LAW_H

#include <math.h>

/* Equation 1: beside loss-based flows a long queue counts for less, so that it does not push us
 * aside. */
static inline double weir__nada_warp(double queue_s, double threshold_s, double lambda)
{
    double excess = (queue_s - threshold_s) / threshold_s;
    return queue_s < threshold_s ? queue_s : threshold_s * exp(-lambda * excess);
}

/* 4.2: how much of the warp is in force when since_loss packets have gone by: all of it up to
 * multiloss mean loss intervals, then less and less, none after one interval more. */
static inline double weir__nada_warp_share(double since_loss, double loss_interval,
                                           double multiloss)
{
    double beyond = (since_loss - multiloss * loss_interval) / loss_interval;
    return 1.0 - fmin(fmax(beyond, 0.0), 1.0);
}

/* Equation 2, one of its terms: the delay that a ratio of lost or marked packets stands for. */
static inline double weir__nada_penalty(double ratio, double reference_ratio, double reference_s)
{
    double relative = ratio / reference_ratio;
    return reference_s * relative * relative;
}

/* Equation 3: how far above what is received the rate may jump, so that the queue this may build
 * before we hear of it is no longer than bound_s. */
static inline double weir__nada_ramp_up(double rtt_s, double interval_s, double filter_s,
                                        double bound_s, double most)
{
    return fmin(most, bound_s / (rtt_s + interval_s + filter_s));
}

struct weir__nada_gains {
    double kappa;
    double eta;
    double tau_s;
};

/* Equations 5 to 7: the rate after interval_s. target_s is the signal at which it would stay,
 * PRIO XREF RMAX / rate. */
static inline double weir__nada_gradual(double rate, const struct weir__nada_gains *gains,
                                        double interval_s, double signal_s, double before_s,
                                        double target_s)
{
    double offset = (interval_s / gains->tau_s) * ((signal_s - target_s) / gains->tau_s);
    double change = gains->eta * ((signal_s - before_s) / gains->tau_s);
    return rate - gains->kappa * (offset + change) * rate;
}

#endif
