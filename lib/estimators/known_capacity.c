/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/known_capacity.h"

#include <math.h>

#include "weir/units.h"

#define NEAR            0.9
#define MEMORY_S        10.0
#define PROOF_LOOPS     2.0 /* the first shows what was sent, the second that nothing queued */
#define USE_MEMORY_S    10.0
#define LEAST_USE       0.6 /* with less there is no growth */
#define LEAST_POLICED_S 3.0
#define MOST_POLICED_S  30.0
#define RIGHT           1.25 /* times the doubted capacity: it was right to doubt it */
#define MOST_PATIENCE   32.0 /* 32 targets of 10 to 40 ms: 0.3 to 1.3 s of tokens, seldom more */
#define LONG_AGO_NS     (INT64_MIN / 4)

static double since_s(int64_t now_ns, int64_t then_ns)
{
    return (double)(now_ns - then_ns) * 1e-9;
}

void weir__known_capacity_forget(struct weir__known_capacity *known)
{
    *known = (struct weir__known_capacity){
        .at_ns = LONG_AGO_NS, .policed_ns = LONG_AGO_NS, .patience = 1.0};
}

void weir__known_capacity_on_busy(struct weir__known_capacity *known, int64_t now_ns, double bps)
{
    if (known->doubted_bps > 0.0) {
        bool right = bps > RIGHT * known->doubted_bps;
        known->patience = right ? 1.0 : fmin(2.0 * known->patience, MOST_PATIENCE);
        known->doubted_bps = 0.0;
    }
    known->by_losses = false;
    known->bps = bps;
    known->at_ns = now_ns;
    known->unseen_s = 0.0;
    known->unseen_for_s = 0.0;
}

void weir__known_capacity_on_policed(struct weir__known_capacity *known, int64_t now_ns, double bps)
{
    bool again = since_s(now_ns, known->policed_ns) < 3.0 * known->policed_s;
    known->policed_s = again ? fmin(2.0 * known->policed_s, MOST_POLICED_S) : LEAST_POLICED_S;
    known->policed_ns = now_ns;
    known->doubted_bps = 0.0;
    weir__known_capacity_on_busy(known, now_ns, bps);
    known->by_losses = true;
}

void weir__known_capacity_on_disproved(struct weir__known_capacity *known)
{
    known->bps = 0.0;
}

bool weir__known_capacity_is_policed(const struct weir__known_capacity *known, int64_t now_ns)
{
    return known->by_losses && since_s(now_ns, known->policed_ns) < known->policed_s;
}

void weir__known_capacity_on_use(struct weir__known_capacity *known, double rate_bps,
                                 double sent_bps, double dt_s)
{
    double gain = known->used > 0.0 ? fmin(dt_s / USE_MEMORY_S, 1.0) : 1.0;
    known->used += (sent_bps / rate_bps - known->used) * gain;
}

static double used_share(const struct weir__known_capacity *known)
{
    return known->used > 0.0 ? fmin(fmax(known->used, LEAST_USE), 1.0) : 1.0;
}

bool weir__known_capacity_is_near(const struct weir__known_capacity *known, int64_t now_ns,
                                  double rate_bps)
{
    double used_bps = rate_bps * used_share(known);
    double memory_s = known->by_losses ? fmax(MEMORY_S, known->policed_s) : MEMORY_S;
    bool is_above = known->by_losses && used_bps >= known->bps / NEAR;
    return known->bps > 0.0 && since_s(now_ns, known->at_ns) < memory_s &&
           used_bps > NEAR * known->bps && !is_above;
}

double weir__known_capacity_limit(struct weir__known_capacity *known,
                                  const struct weir__known_view *view, double wanted_bps)
{
    double most_bps = known->bps * (1.0 + view->target_s / view->loop_s) / used_share(known);
    known->unseen_s = fmax(known->unseen_s + (view->sent_bps / known->bps - 1.0) * view->dt_s, 0.0);
    known->unseen_for_s = known->unseen_s > 0.0 ? known->unseen_for_s + view->dt_s : 0.0;
    bool policed = weir__known_capacity_is_policed(known, view->now_ns);
    if (known->unseen_s > known->patience * view->target_s &&
        known->unseen_for_s > PROOF_LOOPS * view->loop_s && !policed) {
        known->doubted_bps = known->bps;
        weir__known_capacity_on_disproved(known);
    }
    return fmin(wanted_bps, most_bps);
}
