/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/report_events.h"

#include <math.h>
#include <stdbool.h>

#include "weir/units.h"

static int64_t expected_events(const struct weir__told_losses *told, int64_t rtt_ns)
{
    double rounds = (double)told->interval_ns / (double)rtt_ns;
    double packets_per_round = (double)told->expected / rounds;
    double loss_ratio = fmin((double)told->lost / (double)told->expected, 1.0);
    double events = rounds * (1.0 - pow(1.0 - loss_ratio, packets_per_round));
    return weir_clamp_i64((int64_t)llround(fmin(events, 1e15)), 1, told->lost);
}

/* Events are spread evenly over the interval, and the newest one began with its share of it. */
int64_t weir__report_events(const struct weir__told_losses *told, int64_t rtt_ns, int64_t *event_ns)
{
    bool is_open = *event_ns != WEIR_UNKNOWN_NS && told->now_ns - *event_ns < rtt_ns;
    if (told->lost <= 0 || told->expected <= 0 || is_open) {
        return 0;
    }
    int64_t events = expected_events(told, rtt_ns);
    *event_ns = told->now_ns - told->interval_ns / events;
    return events;
}
