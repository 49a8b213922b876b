/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/rtt.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void weir__rtt_init(struct weir_rtt *rtt, int64_t window_ns)
{
    memset(rtt, 0, sizeof(*rtt));
    rtt->window_ns = window_ns;
}

static void restart_min(struct weir_rtt *rtt, struct weir_rtt_candidate sample)
{
    rtt->min[0] = sample;
    rtt->min[1] = sample;
    rtt->min[2] = sample;
}

/* Drops the oldest candidate when its time is over; the next best takes its place. */
static void expire_min(struct weir_rtt *rtt, struct weir_rtt_candidate sample)
{
    for (int round = 0; round < 2; round++) {
        if (sample.at_ns - rtt->min[0].at_ns <= rtt->window_ns) {
            return;
        }
        rtt->min[0] = rtt->min[1];
        rtt->min[1] = rtt->min[2];
        rtt->min[2] = sample;
    }
}

/* A best sample that has been best for a quarter (half) of the window needs a younger second
 * (third). */
static void refresh_min(struct weir_rtt *rtt, struct weir_rtt_candidate sample)
{
    int64_t age_ns = sample.at_ns - rtt->min[0].at_ns;
    if (rtt->min[1].at_ns == rtt->min[0].at_ns && age_ns > rtt->window_ns / 4) {
        rtt->min[1] = sample;
        rtt->min[2] = sample;
    } else if (rtt->min[2].at_ns == rtt->min[1].at_ns && age_ns > rtt->window_ns / 2) {
        rtt->min[2] = sample;
    }
}

/* Minimum over a sliding window with three candidates: never below the true minimum of the window,
 * above it only by what came between two candidates. */
static void sample_min(struct weir_rtt *rtt, struct weir_rtt_candidate sample)
{
    bool all_old = rtt->window_ns > 0 && sample.at_ns - rtt->min[2].at_ns > rtt->window_ns;
    if (!rtt->has_sample || sample.rtt_ns <= rtt->min[0].rtt_ns || all_old) {
        restart_min(rtt, sample);
        return;
    }
    if (sample.rtt_ns <= rtt->min[1].rtt_ns) {
        rtt->min[1] = sample;
        rtt->min[2] = sample;
    } else if (sample.rtt_ns <= rtt->min[2].rtt_ns) {
        rtt->min[2] = sample;
    }
    if (rtt->window_ns > 0) {
        expire_min(rtt, sample);
        refresh_min(rtt, sample);
    }
}

/* RFC 6298 2.2 and 2.3, in the order the RFC demands: RTTVAR before SRTT. */
static void sample_srtt(struct weir_rtt *rtt, int64_t now_ns, double sample_ns)
{
    if (!rtt->has_sample) {
        rtt->srtt_ns = sample_ns;
        rtt->rttvar_ns = sample_ns / 2.0;
    } else if ((double)(now_ns - rtt->updated_ns) >= rtt->srtt_ns) {
        rtt->rttvar_ns = 0.75 * rtt->rttvar_ns + 0.25 * fabs(rtt->srtt_ns - sample_ns);
        rtt->srtt_ns = 0.875 * rtt->srtt_ns + 0.125 * sample_ns;
    } else {
        return;
    }
    rtt->updated_ns = now_ns;
}

void weir__rtt_sample(struct weir_rtt *rtt, int64_t now_ns, int64_t rtt_ns)
{
    if (rtt_ns < 1) {
        return;
    }
    int64_t limited_ns = weir_clamp_i64(rtt_ns, WEIR__RTT_MIN_NS, WEIR__RTT_MAX_NS);
    sample_min(rtt, (struct weir_rtt_candidate){.at_ns = now_ns, .rtt_ns = limited_ns});
    sample_srtt(rtt, now_ns, (double)limited_ns);
    rtt->latest_ns = limited_ns;
    rtt->has_sample = true;
}

int64_t weir__rtt_srtt_ns(const struct weir_rtt *rtt)
{
    return rtt->has_sample ? weir_round_i64(rtt->srtt_ns) : WEIR_UNKNOWN_NS;
}

int64_t weir__rtt_min_ns(const struct weir_rtt *rtt)
{
    return rtt->has_sample ? rtt->min[0].rtt_ns : WEIR_UNKNOWN_NS;
}

int64_t weir__rtt_latest_ns(const struct weir_rtt *rtt)
{
    return rtt->has_sample ? rtt->latest_ns : WEIR_UNKNOWN_NS;
}

int64_t weir__rtt_rto_ns(const struct weir_rtt *rtt, int64_t min_ns, int64_t max_ns)
{
    double margin_ns = fmax((double)WEIR__RTT_GRAIN_NS, 4.0 * rtt->rttvar_ns);
    int64_t rto_ns = rtt->has_sample ? weir_round_i64(rtt->srtt_ns + margin_ns) : WEIR_SECONDS(1);
    return weir_clamp_i64(rto_ns, min_ns, max_ns);
}

void weir__rtt_mean_sample(struct weir__rtt_mean *mean, int64_t rtt_ns, double q)
{
    if (rtt_ns < 1) {
        return;
    }
    double sample_s = (double)weir_clamp_i64(rtt_ns, WEIR__RTT_MIN_NS, WEIR__RTT_MAX_NS) * 1e-9;
    double keep = mean->has_sample ? q : 0.0;
    mean->mean_s = keep * mean->mean_s + (1.0 - keep) * sample_s;
    mean->sqrt_mean = keep * mean->sqrt_mean + (1.0 - keep) * sqrt(sample_s);
    mean->latest_s = sample_s;
    mean->has_sample = true;
}

double weir__rtt_mean_inst_factor(const struct weir__rtt_mean *mean, double grain_s)
{
    if (!mean->has_sample) {
        return 1.0;
    }
    double usual_s = mean->sqrt_mean * mean->sqrt_mean;
    return sqrt((usual_s + grain_s) / (mean->latest_s + grain_s));
}
