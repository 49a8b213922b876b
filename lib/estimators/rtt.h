/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Round-trip time: the RFC 6298 estimator with its retransmission timeout, a windowed minimum, and
 * the plain average of TFRC. Plain structs, no pointers. */
#ifndef WEIR_ESTIMATORS_RTT_H
#define WEIR_ESTIMATORS_RTT_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/contract.h"
#include "weir/units.h"

/* Every sample is limited to this range: 0 is illegal in all formulas. */
#define WEIR__RTT_MIN_NS INT64_C(100000)
#define WEIR__RTT_MAX_NS INT64_C(10000000000)
/* G of RFC 6298: a timeout is later than the RTT by so much at least, however steady that is. */
#define WEIR__RTT_GRAIN_NS WEIR_MS(10)

/* window_ns: how long a minimum is believed; 0 = for ever. */
void weir__rtt_init(struct weir_rtt *rtt, int64_t window_ns);

/* Takes a sample. SRTT and RTTVAR take one per SRTT at most, the minimum takes all. rtt_ns < 1 is
 * ignored. */
void weir__rtt_sample(struct weir_rtt *rtt, int64_t now_ns, int64_t rtt_ns);

/* All WEIR_UNKNOWN_NS before the first sample. */
int64_t weir__rtt_srtt_ns(const struct weir_rtt *rtt);
int64_t weir__rtt_min_ns(const struct weir_rtt *rtt);
int64_t weir__rtt_latest_ns(const struct weir_rtt *rtt);

/* SRTT + max(G, 4 RTTVAR) within [min_ns, max_ns] (RFC 6298 2.3). Before the first sample 1 s (RFC
 * 6298 2.1), within the same bounds. */
int64_t weir__rtt_rto_ns(const struct weir_rtt *rtt, int64_t min_ns, int64_t max_ns);

/* TFRC's averages: of the samples (RFC 5348 4.3 step 2) and of their square roots (4.5). */
struct weir__rtt_mean {
    bool has_sample;
    double mean_s;
    double sqrt_mean; /* R_sqmean, in sqrt(s) */
    double latest_s;
};

/* q in [0, 1): weight of the old average, 0.9 in RFC 5348. The first sample is the average. */
void weir__rtt_mean_sample(struct weir__rtt_mean *mean, int64_t rtt_ns, double q);

/* R_sqmean / sqrt(newest sample), the factor of RFC 5348 4.5; 1 before the first sample. grain_s >=
 * 0 is added to both times, so that differences much smaller than it move nothing; 0 gives the
 * letter of the RFC. */
double weir__rtt_mean_inst_factor(const struct weir__rtt_mean *mean, double grain_s);

#endif
