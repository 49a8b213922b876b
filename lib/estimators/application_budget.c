/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/application_budget.h"

#include <math.h>

#define SHARE   0.65
#define DEPTH_S 0.5
#define BEGINS  0.8
#define ENDS    0.5

static double within(double value, double bound)
{
    return fmin(fmax(value, -bound), bound);
}

void weir__application_budget_on_sent(struct weir__application_budget *budget, int64_t sent_ns,
                                      int64_t wire_bytes, double rate_bps)
{
    double per_s = SHARE * rate_bps / 8.0;
    double depth = DEPTH_S * per_s;
    double passed_s = budget->has_sent ? (double)(sent_ns - budget->sent_ns) * 1e-9 : 0.0;
    double spent = budget->has_sent ? (double)wire_bytes : 0.0; /* how long the first took is
                                                                   not known */
    budget->bytes = within(within(budget->bytes, depth) - spent, depth);
    budget->bytes = within(budget->bytes + passed_s * per_s, depth);
    budget->has_sent = true;
    budget->sent_ns = sent_ns;
    double unused = budget->bytes / depth;
    budget->limited = budget->limited ? unused >= ENDS : unused > BEGINS;
}
