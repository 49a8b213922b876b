/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formulas of "Cycle-based TCP-Friendly algorithm" (Ait-Hellal, Yamamoto, Leduc), by their
 * numbers in the paper. Rates are packets/s, R is the mean round-trip time in seconds, p the loss
 * ratio; all > 0 unless said otherwise. */
#ifndef WEIR_CONTROLLERS_CBRAA_LAW_H
#define WEIR_CONTROLLERS_CBRAA_LAW_H

#include <math.h>
#include <stdbool.h>

#define WEIR__CBRAA_C 1.27 /* (2): (7/9) sqrt(8/3), rounded as in the pseudo-code */

/* (1), (2): the rate of a TCP; c is 1.27 here, 1.22 or 1.30 elsewhere. */
static inline double weir__cbraa_tcp_rate(double c, double rtt_s, double p)
{
    return c / (rtt_s * sqrt(p));
}

/* (3): time between two losses of an ideal TCP Reno with this rate. */
static inline double weir__cbraa_cycle_s(double rate, double rtt_s)
{
    return rtt_s * (0.62 * rate * rtt_s + 0.96);
}

/* (4): its loss ratio, one packet per cycle. May exceed 1 below one packet per round-trip time. */
static inline double weir__cbraa_loss_threshold(double rate, double rtt_s)
{
    return 1.0 / (rate * weir__cbraa_cycle_s(rate, rtt_s));
}

/* (5): the rate between what the ideal loss and what the observed loss >= 0 allow; weight in (0, 1]
 * is alpha or beta. */
static inline double weir__cbraa_threshold_rate(double rtt_s, double threshold, double loss,
                                                double weight)
{
    return weir__cbraa_tcp_rate(WEIR__CBRAA_C, rtt_s, weight * threshold + (1.0 - weight) * loss);
}

struct weir__cbraa_law {
    double alpha; /* weight of the ideal loss in an increase */
    double beta;  /* ... and in a decrease */
    double gamma; /* weight of the old rate */
    bool limited; /* the ideal loss is at most 1; an increase at most doubles and never lowers the
                     rate, a decrease at most halves and never raises it, before gamma */
};

/* Figure 3: the rate after a report. To the last bit the same within the dead band: a limited
 * source decreases from what it sends. */
static inline double weir__cbraa_step(const struct weir__cbraa_law *law, double rate, double rtt_s,
                                      double loss)
{
    double threshold = weir__cbraa_loss_threshold(rate, rtt_s);
    double target = rate;
    threshold = law->limited ? fmin(threshold, 1.0) : threshold;
    if (loss < 0.5 * threshold) {
        target = weir__cbraa_threshold_rate(rtt_s, threshold, loss, law->alpha);
        target = law->limited ? fmin(fmax(target, rate), 2.0 * rate) : target;
    } else if (loss > 1.5 * threshold) {
        target = weir__cbraa_threshold_rate(rtt_s, threshold, loss, law->beta);
        target = law->limited ? fmax(fmin(target, rate), 0.5 * rate) : target;
    }
    return rate + (1.0 - law->gamma) * (target - rate);
}

/* f of section 3.2: the relative step of a rate at its ideal, when the loss is x times the ideal.
 */
static inline double weir__cbraa_relative_step(double gamma, double weight, double x)
{
    return (1.0 - gamma) / sqrt(weight + (1.0 - weight) * x) - 1.0 + gamma;
}

/* Sections 2.2 and 3.2: what "TCP-Friend" adds after a report without loss, half of what TCP would
 * in the same time. */
static inline double weir__cbraa_friend_increase(double interval_s, double rtt_s)
{
    return interval_s / (2.0 * rtt_s * rtt_s);
}

#endif
