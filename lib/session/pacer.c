/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/pacer.h"

void weir__pacer_init(struct weir__pacer *pacer, int64_t now_ns, int64_t rate_bps)
{
    *pacer = (struct weir__pacer){
        .rate_bps = weir_max_i64(rate_bps, 1),
        .next_ns = now_ns,
        .sent_ns = now_ns,
        .blocked = rate_bps <= 0,
    };
}

/* What is left of the interval is paid at the new rate from now on. */
void weir__pacer_set_rate(struct weir__pacer *pacer, int64_t now_ns, int64_t rate_bps)
{
    pacer->blocked = rate_bps <= 0;
    if (pacer->blocked || rate_bps == pacer->rate_bps) {
        return;
    }
    if (pacer->next_ns > now_ns) {
        double left_ns = (double)(pacer->next_ns - now_ns);
        left_ns *= (double)pacer->rate_bps / (double)rate_bps;
        pacer->next_ns = now_ns + (left_ns < 9e17 ? (int64_t)left_ns : INT64_C(900000000000000000));
    }
    pacer->rate_bps = rate_bps;
}

/* off: only rate 0 still blocks. */
void weir__pacer_set_off(struct weir__pacer *pacer, int64_t now_ns, bool off)
{
    pacer->off = off;
    pacer->next_ns = now_ns;
}

/* The first packet after an idle time is scheduled for its arrival. */
void weir__pacer_on_queue(struct weir__pacer *pacer, int64_t now_ns, bool backlogged)
{
    if (backlogged && !pacer->backlogged) {
        pacer->next_ns = weir_max_i64(pacer->next_ns, now_ns);
    }
    pacer->backlogged = backlogged;
}

/* backlogged: more packets wait behind this one. A packet sent early pushes the next one further
 * away. */
void weir__pacer_on_sent(struct weir__pacer *pacer, int64_t now_ns, int64_t size_bytes,
                         bool backlogged)
{
    if (pacer->off) {
        pacer->next_ns = now_ns;
        return;
    }
    pacer->sent_ns = now_ns;
    int64_t earliest_ns = pacer->backlogged ? now_ns - WEIR__PACER_MAX_LAG_NS : now_ns;
    int64_t ideal_ns =
        weir_clamp_i64(pacer->next_ns, earliest_ns, now_ns + WEIR__PACER_MAX_DEBT_NS);
    pacer->next_ns = ideal_ns + weir_send_time_ns(size_bytes, pacer->rate_bps);
    pacer->backlogged = backlogged;
}

/* What is owed is never forgiven, as in on_sent: it is that of a packet which has waited. */
void weir__pacer_on_ahead(struct weir__pacer *pacer, int64_t now_ns, int64_t size_bytes)
{
    if (pacer->off) {
        pacer->next_ns = now_ns;
        return;
    }
    int64_t earliest_ns = pacer->backlogged ? now_ns - WEIR__PACER_MAX_LAG_NS : now_ns;
    int64_t ideal_ns = weir_max_i64(pacer->next_ns, earliest_ns);
    if (ideal_ns <= now_ns + WEIR__PACER_MAX_AHEAD_NS) {
        pacer->next_ns = ideal_ns + weir_send_time_ns(size_bytes, pacer->rate_bps);
    }
}

int64_t weir__pacer_next_ns(const struct weir__pacer *pacer)
{
    if (pacer->blocked) {
        return WEIR_NEVER_NS;
    }
    bool together = pacer->next_ns - pacer->sent_ns < pacer->quantum_ns;
    return together ? weir_min_i64(pacer->next_ns, pacer->sent_ns) : pacer->next_ns;
}
