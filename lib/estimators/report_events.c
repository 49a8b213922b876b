/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/report_events.h"

#include <math.h>

#include "weir/units.h"

int64_t weir__report_events(int64_t expected, int64_t lost, int64_t interval_ns, int64_t rtt_ns)
{
    if (lost <= 0 || expected <= 0) {
        return 0;
    }
    double rounds = (double)interval_ns / (double)rtt_ns;
    double packets_per_round = (double)expected / rounds;
    double loss_ratio = fmin((double)lost / (double)expected, 1.0);
    double events = rounds * (1.0 - pow(1.0 - loss_ratio, packets_per_round));
    return weir_clamp_i64((int64_t)llround(fmin(events, 1e15)), 1, lost);
}
