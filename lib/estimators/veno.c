/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/veno.h"

#define G_CONGESTIVE 0.5
#define G_RANDOM     0.8
#define MAX_EVENTS   32u

void weir__veno_on_loss_event(struct weir__veno *veno, double window_packets, double rtt_s,
                              double base_rtt_s)
{
    double backlog_packets = window_packets * (rtt_s - base_rtt_s) / rtt_s;
    veno->random = veno->random << 1 | (backlog_packets < WEIR__VENO_BACKLOG_PACKETS ? 1u : 0u);
    veno->n = veno->n < MAX_EVENTS ? veno->n + 1 : MAX_EVENTS;
}

double weir__veno_g(const struct weir__veno *veno, unsigned n_intervals)
{
    unsigned n = n_intervals < veno->n ? n_intervals : veno->n;
    unsigned n_random = 0;
    for (unsigned i = 0; i < n; i++) {
        n_random += veno->random >> i & 1u;
    }
    if (n == 0) {
        return G_CONGESTIVE;
    }
    return G_CONGESTIVE + (G_RANDOM - G_CONGESTIVE) * (double)n_random / (double)n;
}
