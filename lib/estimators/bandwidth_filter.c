/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/bandwidth_filter.h"

#include <math.h>

#include "weir/units.h"

/* An arrival further back than this was told by another clock. */
#define STEP_BACK_NS WEIR_SECONDS(10)
/* What is left of a sample after its virtual ones, when it is nothing but rounding. */
#define NOTHING_S 1e-9

void weir__bandwidth_filter_init(struct weir__bandwidth_filter *filter, double tau_s, bool linear)
{
    *filter = (struct weir__bandwidth_filter){.tau_s = tau_s, .linear = linear};
}

/* Equation 8, for t_s < tau/2. */
static void step(struct weir__bandwidth_filter *filter, double bandwidth, double t_s)
{
    double sum_s = 2.0 * filter->tau_s + t_s;
    filter->value = (2.0 * filter->tau_s - t_s) / sum_s * filter->value +
                    t_s / sum_s * (bandwidth + filter->before);
    filter->before = bandwidth;
}

/* Figure 3: N = integer(4T/tau) virtual samples tau/4 apart and one more after what is left. */
static void resample(struct weir__bandwidth_filter *filter, double bandwidth, double t_s)
{
    double piece_s = filter->tau_s / 4.0;
    double n = floor(t_s / piece_s + 1e-9);
    double total_s = fmin(t_s, WEIR__BANDWIDTH_VIRTUAL_MAX * piece_s);
    n = fmin(n, WEIR__BANDWIDTH_VIRTUAL_MAX);
    double first = filter->linear ? filter->before : bandwidth;
    for (int i = 1; i <= (int)n; i++) {
        double share = (double)i * piece_s / total_s;
        step(filter, first + (bandwidth - first) * fmin(share, 1.0), piece_s);
    }
    double left_s = total_s - n * piece_s;
    if (left_s >= NOTHING_S) {
        step(filter, bandwidth, left_s);
    }
}

void weir__bandwidth_filter_sample(struct weir__bandwidth_filter *filter, double bandwidth,
                                   double t_s)
{
    if (t_s <= 0.0) {
        return;
    }
    if (!filter->has_value) {
        filter->value = bandwidth;
        filter->before = bandwidth;
        filter->has_value = true;
        return;
    }
    resample(filter, bandwidth, t_s);
}

bool weir__bandwidth_sampler_add(struct weir__bandwidth_sampler *sampler, int64_t at_ns,
                                 int64_t bytes, int64_t least_ns, double *bandwidth, double *t_s)
{
    if (!sampler->open || at_ns < sampler->begin_ns - STEP_BACK_NS) {
        *sampler = (struct weir__bandwidth_sampler){.open = true, .begin_ns = at_ns};
        return false;
    }
    sampler->bytes += bytes;
    int64_t elapsed_ns = at_ns - sampler->begin_ns;
    if (elapsed_ns <= 0 || elapsed_ns < least_ns) {
        return false;
    }
    *t_s = (double)elapsed_ns * 1e-9;
    *bandwidth = (double)sampler->bytes / *t_s;
    sampler->begin_ns = at_ns;
    sampler->bytes = 0;
    return true;
}
