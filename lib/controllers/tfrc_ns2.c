/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC as in ns-2 (tcp/tfrc.cc, tfrc-sink.cc), for published figures. */
#include <math.h>

#include "controllers/tfrc_rate.h"

static int64_t tick_ns(const struct tfrc *t)
{
    return (int64_t)(t->param[PARAM_TIMEOUT_TICK] * 1e6);
}

/* ns-2's estimator counts whole ticks. The deviation in units of 1/4 tick is never less
 * than 2 or 3 there, since what is below one tick rounds to nothing: a steady R gives t_RTO of R
 * and two or three ticks. */
static void on_rtt(struct tfrc *t, int64_t rtt_ns)
{
    int64_t ticks = weir_max_i64((rtt_ns + tick_ns(t) / 2) / tick_ns(t), 1);
    if (t->ns2_srtt_ticks == 0) {
        t->ns2_srtt_ticks = ticks << 3;
        t->ns2_rttvar_ticks = ticks << 1;
        return;
    }
    int64_t delta = ticks - (t->ns2_srtt_ticks >> 3);
    t->ns2_srtt_ticks = weir_max_i64(t->ns2_srtt_ticks + delta, 1);
    delta = (delta < 0 ? -delta : delta) - (t->ns2_rttvar_ticks >> 2);
    t->ns2_rttvar_ticks = weir_max_i64(t->ns2_rttvar_ticks + delta, 1);
}

static int64_t rto_ticks(const struct tfrc *t)
{
    return weir_max_i64((8 * t->ns2_rttvar_ticks + t->ns2_srtt_ticks) >> 3, 1);
}

/* t_RTO/R: the timeout of a TCP with a coarse clock. */
static double rto_per_rtt(const struct tfrc *t)
{
    return (double)(rto_ticks(t) * tick_ns(t)) * 1e-9 / weir__tfrc_rtt_s(t);
}

/* After slow start: down to the equation at once, up by at most one packet per R per R; either way
 * within the receive limit (ns-2's maxrate_; maxHeavyRounds_ is 0), but for the first step. */
static double rate(struct tfrc *t, int64_t now_ns)
{
    double packet_per_rtt = t->path.packet_bytes / weir__tfrc_rtt_s(t);
    double rounds = (double)(now_ns - t->last_step_ns) / (double)weir__tfrc_rtt_ns(t);
    bool was_slow_start = t->x_bps <= 0.0;
    (void)weir__tfrc_equation_rate(t);
    if (was_slow_start) {
        return fmax(t->x_bps, weir__tfrc_floor_rate(t));
    }
    double grown = t->x + packet_per_rtt * fmin(rounds, 2.0);
    double wanted = fmin(grown, fmin(t->x_bps, fmax(t->limit, packet_per_rtt)));
    return fmax(wanted, weir__tfrc_floor_rate(t));
}

/* The nofeedback timer halves, whatever p is; an idle sender keeps four packets per R. */
static bool expire(struct tfrc *t, int64_t now_ns, bool idle)
{
    double kept = weir__tfrc_kept_rate(t);
    (void)now_ns;
    if (idle && t->x <= kept) {
        return false;
    }
    weir__tfrc_halve(t);
    t->x = idle ? fmax(t->x, kept) : t->x;
    return true;
}

const struct tfrc_rules weir__tfrc_ns2 = {
    .timeout_rounds = 2.0,
    .rtt_memory = 0.95,
    .discount_threshold = 0.5,
    .idle_packets = 4.0,
    .reduces_oscillation = true,
    .caps_equation = true,
    .first_interval_whole = true,
    .rto_per_rtt = rto_per_rtt,
    .on_rtt = on_rtt,
    .rate = rate,
    .expire = expire,
};
