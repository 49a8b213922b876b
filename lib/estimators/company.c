/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/company.h"

#include <math.h>

#define MEMORY_S     3.0 /* some tens of frames' noise; a competitor stays longer */
#define NOISE        0.25 /* more is a step, of ours or of the link: frames' noise, smoothed, is less */
#define SOME         0.2  /* one of two with 0.8 of the link still sees them */
#define NONE         0.15 /* with 0.85 of the link nobody needs to compete */
#define MOST_OTHERS  0.9  /* two errors from a slope of one say little: a tenth is ours, at least */
#define LEAST_COUNT  10.0 /* fewer changes tell no error: receiver reports have three */
#define LEAST_SQUARE 1e-4 /* 1 % of variation in all: below that, rounding is all there is */

/* ln(b / a) to the second order, the same on every machine. */
static double change(double a, double b)
{
    return 2.0 * (b - a) / (b + a);
}

void weir__company_sample(struct weir__company *company, bool busy, double sent_bps,
                          double delivered_bps, double dt_s)
{
    double keep = fmax(1.0 - dt_s / MEMORY_S, 0.0);
    company->square *= keep;
    company->product *= keep;
    company->other *= keep;
    company->count *= keep;
    company->since_loss_s += dt_s;
    if (busy && company->was_busy) {
        double x = change(company->sent_bps, sent_bps);
        double y = change(company->delivered_bps, delivered_bps);
        bool is_noise = fabs(x) < NOISE && fabs(y) < NOISE;
        company->square += is_noise ? x * x : 0.0;
        company->product += is_noise ? x * y : 0.0;
        company->other += is_noise ? y * y : 0.0;
        company->count += is_noise;
    }
    company->was_busy = busy;
    company->sent_bps = sent_bps;
    company->delivered_bps = delivered_bps;
}

double weir__company_get(const struct weir__company *company)
{
    return company->square > LEAST_SQUARE ? company->product / company->square : 0.0;
}

static double least_slope(const struct weir__company *company)
{
    double slope = weir__company_get(company);
    double rest = fmax(company->other - slope * company->product, 0.0);
    double variance =
        rest / (fmax(company->count - 2.0, 1.0) * fmax(company->square, LEAST_SQUARE));
    return slope - 2.0 * sqrt(variance);
}

void weir__company_on_loss(struct weir__company *company)
{
    company->since_loss_s = 0.0;
}

bool weir__company_is_likely(const struct weir__company *company)
{
    return weir__company_get(company) > SOME;
}

bool weir__company_is_there(const struct weir__company *company)
{
    return least_slope(company) > SOME;
}

double weir__company_link_bps(const struct weir__company *company)
{
    double others = fmin(least_slope(company), MOST_OTHERS);
    bool knows = company->count >= LEAST_COUNT && others > SOME;
    return knows ? company->delivered_bps / (1.0 - others) : 0.0;
}

bool weir__company_is_gone(const struct weir__company *company)
{
    return weir__company_get(company) < NONE && company->since_loss_s >= MEMORY_S;
}
