/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prague-like: a scalable congestion control for L4S (RFC 9331 4.3). Packets are ECT(1), the sink
 * counts their marks, and once per window of data the window falls by half the smoothed share of
 * marked packets: the estimator and the answer of DCTCP (RFC 8257). Packets that are not marked let
 * it grow, also in the round trip after a reduction. Everything else as SACK: a loss
 * halves the window, unless a mark has reduced it within this window of data (RFC 8257 3.5).
 * Differs from the specification:
 *   - no independence of the round-trip time (draft-briscoe-iccrg-prague-congestion-control 2.4.4).
 */
#include "sim/tcp/recovery.h"
#include <stdlib.h>

#define GAIN         (1.0 / 16.0) /* RFC 8257 4.2 */
#define LEAST_WINDOW 2.0

struct prague {
    double alpha; /* smoothed share of marked packets */
    int64_t acked_packets;
    int64_t marked_packets;
    int64_t window_end; /* of the window of data in which both are counted */
};

static struct prague *state_of(const struct weir__tcp *tcp)
{
    return tcp->state;
}

/* RFC 8257 3.3: at first all are taken to be marked. */
static void restart(struct weir__tcp *tcp)
{
    *state_of(tcp) = (struct prague){.alpha = 1.0, .window_end = tcp->highest};
    weir__tcp_sack_forget(tcp);
}

static enum weir_status init(struct weir__tcp *tcp)
{
    tcp->state = calloc(1, sizeof(struct prague));
    if (!tcp->state) {
        return WEIR_ERROR_NO_MEMORY;
    }
    restart(tcp);
    return WEIR_OK;
}

/* RFC 8257 3.3 steps 1 to 8: alpha once per window of data. */
static void estimate(struct weir__tcp *tcp, int64_t ack, int64_t marked_packets)
{
    struct prague *p = state_of(tcp);
    p->acked_packets += ack > tcp->una ? ack - tcp->una : 0;
    p->marked_packets += marked_packets;
    if (ack > p->window_end && p->acked_packets > 0) {
        double share = (double)p->marked_packets / (double)p->acked_packets;
        p->alpha += GAIN * ((share < 1.0 ? share : 1.0) - p->alpha);
        p->acked_packets = 0;
        p->marked_packets = 0;
        p->window_end = tcp->highest;
    }
}

/* RFC 8257 3.3 step 9: once per window of data. */
static void on_marks(struct weir__tcp *tcp, int64_t ack, int64_t marked_packets)
{
    estimate(tcp, ack, marked_packets);
    bool answered = ack <= tcp->echo_recover || ack <= tcp->recover || tcp->in_recovery;
    if (marked_packets == 0 || answered) {
        return;
    }
    double left = weir__tcp_window(tcp) * (1.0 - state_of(tcp)->alpha / 2.0);
    tcp->cwnd_packets = left > LEAST_WINDOW ? left : LEAST_WINDOW;
    tcp->ssthresh_packets = (int64_t)tcp->cwnd_packets;
    tcp->echo_recover = tcp->highest;
    tcp->stats.echoes++;
}

const struct weir__tcp_hooks weir__tcp_prague = {
    .sack = true,
    .init = init,
    .restart = restart,
    .on_marks = on_marks,
    .on_new_ack = weir__tcp_sack_on_new_ack,
    .on_dupack = weir__tcp_sack_on_dupack,
    .reduce = weir__tcp_halve,
    .on_timeout = weir__tcp_sack_forget,
};
