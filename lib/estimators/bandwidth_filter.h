/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bandwidth that a flow uses: samples of what arrives per round-trip time, through a low-pass
 * filter whose time constant does not depend on how far apart the samples are (Grieco and Mascolo,
 * "Adaptive rate control for streaming flows over the Internet", equations 7 and 8).
 *
 * The filter must be asked at least four times per time constant. A longer sample is resampled: it
 * counts as several virtual ones tau/4 apart and one more for what is left of it. */
#ifndef WEIR_ESTIMATORS_BANDWIDTH_FILTER_H
#define WEIR_ESTIMATORS_BANDWIDTH_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/* Of one sample: a longer one counts as so many, after which nothing older is left (e^-32). */
#define WEIR__BANDWIDTH_VIRTUAL_MAX 128

/* Equation 8. The unit of bandwidth is the caller's. */
struct weir__bandwidth_filter {
    double tau_s;   /* > 0 */
    bool linear;    /* virtual samples go from the sample before to this one; else all are this */
    bool has_value; /* there was a sample */
    double value;   /* B^, the filtered bandwidth */
    double before;  /* B(k-1), the newest sample */
};

void weir__bandwidth_filter_init(struct weir__bandwidth_filter *filter, double tau_s, bool linear);

/* A sample over t_s seconds. The first one is the value; one that took no time is ignored. */
void weir__bandwidth_filter_sample(struct weir__bandwidth_filter *filter, double bandwidth,
                                   double t_s);

/* Equation 7: bytes between two arrivals that are at least so far apart. Zero-initialise; that also
 * forgets the sample under way. */
struct weir__bandwidth_sampler {
    bool open;
    int64_t begin_ns; /* arrival that ended the sample before */
    int64_t bytes;    /* arrived since */
};

/* An arrival; all times on one clock. True when it ends a sample: *bandwidth in bytes/s over *t_s.
 * The first arrival, and one far back in time (another clock), only begin one. */
bool weir__bandwidth_sampler_add(struct weir__bandwidth_sampler *sampler, int64_t at_ns,
                                 int64_t bytes, int64_t least_ns, double *bandwidth, double *t_s);

#endif
