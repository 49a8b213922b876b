/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/emulated_window.h"

#include <math.h>

#include "weir/units.h"

/* A loss event needs three later packets to be found without a timeout, and Reno finds one loss per
 * window at most: at a window w its chance of a timeout is min(1, 3/w) (Padhye et al. 1998). That
 * of SACK is min(1, (2.5/w)^2), from 1 to 60 packets (docs/controllers/notes/warc.md). */
#define RENO_PACKETS 3.0
#define SACK_PACKETS 2.5

void weir__emulated_window_init(struct weir__emulated_window *tcp, double window, bool slow_start)
{
    *tcp = (struct weir__emulated_window){
        .window = window, .ssthresh = slow_start ? HUGE_VAL : 0.0, .backoff = 1};
}

double weir__emulated_window_get(const struct weir__emulated_window *tcp)
{
    return tcp->zero_rounds > 0 ? 0.0 : tcp->window;
}

bool weir__emulated_window_is_starting(const struct weir__emulated_window *tcp)
{
    return isinf(tcp->ssthresh) != 0;
}

void weir__emulated_window_time_out(struct weir__emulated_window *tcp, int64_t rounds)
{
    tcp->ssthresh = fmax(2.0, tcp->window / 2.0);
    tcp->window = 1.0;
    tcp->zero_rounds = rounds;
    tcp->timeouts++;
}

/* Doubling goes up to ssthresh, but one packet more is always right. */
static double grown(const struct weir__emulated_window *tcp)
{
    double more = tcp->window + 1.0;
    return tcp->window < tcp->ssthresh ? fmin(2.0 * tcp->window, fmax(tcp->ssthresh, more)) : more;
}

static double timeout_chance(double window, bool sack)
{
    double few = fmin(1.0, (sack ? SACK_PACKETS : RENO_PACKETS) / window);
    return sack ? few * few : few;
}

static void reduce(struct weir__emulated_window *tcp, const struct weir__emulated_round *round)
{
    if (round->timeout_rounds > 0) {
        tcp->timeout_share += timeout_chance(tcp->window, round->sack);
    }
    if (tcp->timeout_share >= 1.0) {
        tcp->timeout_share -= 1.0;
        weir__emulated_window_time_out(tcp, round->timeout_rounds * tcp->backoff);
        tcp->backoff = weir_min_i64(2 * tcp->backoff, WEIR__EMULATED_WINDOW_BACKOFF_MAX);
        return;
    }
    tcp->window = fmax(1.0, tcp->window / 2.0);
    tcp->ssthresh = tcp->window;
}

void weir__emulated_window_end_round(struct weir__emulated_window *tcp,
                                     const struct weir__emulated_round *round)
{
    if (tcp->zero_rounds > 0) {
        tcp->zero_rounds--;
        return;
    }
    double most = fmin(round->most, WEIR__EMULATED_WINDOW_MAX);
    tcp->window = fmax(tcp->window, fmin(grown(tcp), most));
    if (round->loss) {
        reduce(tcp, round);
    } else {
        tcp->backoff = 1;
    }
}
