/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TCP Cubic: after a loss the window follows a cubic curve of time that is flat where the loss was.
 * Specification: RFC 9438; the recovery is that of sack.c, slow start ends by hystart.h.
 * Differs from the specification:
 *   - 4.6: ssthresh comes from the window, not from what is in flight, as with the others here.
 *   - 4.3: the window is the larger one of the curve's and the Reno-friendly one, and the latter
 *     grows by the same steps all the time, also when it is back where the last loss was. Both as
 *     in Linux, which is what real competitors run.
 *   - before the first loss of a connection, and before the first after a timeout, the window grows
 *     by a twentieth per round trip at least, as in Linux: the curve, which starts flat, knows of
 *     no earlier loss to be careful of.
 *   - 4.9 (spurious losses) is left out.
 * Differs from Linux: windows are not whole packets, and the curve is looked at a smoothed round
 * trip ahead (4.2), not the least one. */
#include "sim/base/elementary.h"
#include "sim/tcp/hystart.h"
#include "sim/tcp/recovery.h"
#include "weir/units.h"
#include <stdlib.h>

#define C_PER_S3     0.4 /* RFC 9438 5.1: packets per cubic second */
#define BETA         0.7 /* 4.6 */
#define ALPHA        (3.0 * (1.0 - BETA) / (1.0 + BETA)) /* 4.3: steps */
#define MOST_GROWTH  1.5                                 /* 4.4: of the window, per round trip */
#define LEAST_GROWTH 0.05 /* of the window per round trip, while no loss is known */
#define LEAST_WINDOW 2.0
#define NO_EPOCH     (-1)

struct cubic {
    double max_packets;    /* W_max, after fast convergence; 0 = no loss known */
    double origin_packets; /* where the curve is flat ... */
    double k_s;            /* ... and when */
    double reno_packets;   /* W_est */
    int64_t epoch_ns;      /* this congestion avoidance began; NO_EPOCH = not yet */
    int64_t idle_ns;       /* everything was acknowledged; WEIR_NEVER_NS = packets are under way */
    int64_t newest;        /* ever sent */
    struct weir__tcp_hystart hystart;
    size_t mask;
    int64_t sent_ns[]; /* by packet number; WEIR_UNKNOWN_NS: sent twice */
};

static struct cubic *state_of(const struct weir__tcp *tcp)
{
    return tcp->state;
}

static void forget(struct weir__tcp *tcp)
{
    struct cubic *c = state_of(tcp);
    c->max_packets = 0.0;
    c->epoch_ns = NO_EPOCH;
    weir__tcp_hystart_init(&c->hystart, tcp->next, tcp->sim->now_ns);
}

static void restart(struct weir__tcp *tcp)
{
    state_of(tcp)->idle_ns = WEIR_NEVER_NS;
    forget(tcp);
    weir__tcp_sack_forget(tcp);
}

static enum weir_status init(struct weir__tcp *tcp)
{
    size_t slots = 1;
    while (slots < (size_t)tcp->config.window_packets + 1) {
        slots *= 2;
    }
    struct cubic *c = calloc(1, sizeof *c + slots * sizeof c->sent_ns[0]);
    if (!c) {
        return WEIR_ERROR_NO_MEMORY;
    }
    c->mask = slots - 1;
    c->newest = -1;
    tcp->state = c;
    restart(tcp);
    return WEIR_OK;
}

/* Notes when packets leave. Time in which none were under way is not the curve's (RFC 9438 5.8). */
static void on_sent(struct weir__tcp *tcp, int64_t seq)
{
    struct cubic *c = state_of(tcp);
    bool is_new = seq > c->newest;
    c->sent_ns[(size_t)seq & c->mask] = is_new ? tcp->sim->now_ns : WEIR_UNKNOWN_NS;
    c->newest = weir_max_i64(c->newest, seq);
    if (c->idle_ns != WEIR_NEVER_NS && c->epoch_ns != NO_EPOCH) {
        c->epoch_ns += tcp->sim->now_ns - c->idle_ns;
    }
    c->idle_ns = WEIR_NEVER_NS;
}

static double cube_root(double x)
{
    return x > 0.0 ? weir__exp(weir__log(x) / 3.0) : 0.0;
}

/* RFC 9438 4.2: W_cubic(t). */
static double curve(const struct cubic *c, double t_s)
{
    double from_flat_s = t_s - c->k_s;
    return c->origin_packets + C_PER_S3 * from_flat_s * from_flat_s * from_flat_s;
}

/* RFC 9438 4.2, and 4.8 for the first one after a timeout: flat at the beginning. */
static void begin_epoch(struct weir__tcp *tcp)
{
    struct cubic *c = state_of(tcp);
    double missing = c->max_packets - tcp->cwnd_packets;
    c->epoch_ns = tcp->sim->now_ns;
    c->k_s = cube_root(missing / C_PER_S3);
    c->origin_packets = missing > 0.0 ? c->max_packets : tcp->cwnd_packets;
    c->reno_packets = tcp->cwnd_packets;
}

/* RFC 9438 4.2, 4.4 and 4.5: towards where the curve will be in a round trip. */
static double wanted_packets(const struct weir__tcp *tcp, double t_s)
{
    const struct cubic *c = state_of(tcp);
    double least = c->max_packets > 0.0 ? 1.0 : 1.0 + LEAST_GROWTH;
    double wanted = curve(c, t_s + (double)tcp->rto.srtt_ns / 1e9) / tcp->cwnd_packets;
    wanted = wanted < least ? least : wanted > MOST_GROWTH ? MOST_GROWTH : wanted;
    return wanted * tcp->cwnd_packets;
}

static void avoid(struct weir__tcp *tcp, double packets)
{
    struct cubic *c = state_of(tcp);
    if (c->epoch_ns == NO_EPOCH) {
        begin_epoch(tcp);
    }
    double t_s = (double)(tcp->sim->now_ns - c->epoch_ns) / 1e9;
    double step = (wanted_packets(tcp, t_s) - tcp->cwnd_packets) / tcp->cwnd_packets;
    c->reno_packets += ALPHA * packets / tcp->cwnd_packets;
    tcp->cwnd_packets += step * packets;
    if (curve(c, t_s) < c->reno_packets && tcp->cwnd_packets < c->reno_packets) {
        tcp->cwnd_packets = c->reno_packets;
    }
}

static void look_for_end_of_slow_start(struct weir__tcp *tcp)
{
    struct cubic *c = state_of(tcp);
    int64_t now_ns = tcp->sim->now_ns;
    int64_t sent_ns = c->sent_ns[(size_t)tcp->una & c->mask];
    struct weir__tcp_hystart_ack ack = {
        .now_ns = now_ns,
        .rtt_ns = sent_ns == WEIR_UNKNOWN_NS ? WEIR_UNKNOWN_NS : now_ns - sent_ns,
        .una = tcp->una,
        .next = tcp->next,
        .cwnd_packets = tcp->cwnd_packets,
    };
    if (weir__tcp_hystart_on_ack(&c->hystart, &ack)) {
        tcp->ssthresh_packets = (int64_t)tcp->cwnd_packets;
    }
}

static void on_new_ack(struct weir__tcp *tcp, int64_t acked_packets)
{
    if (tcp->una == tcp->highest) {
        state_of(tcp)->idle_ns = tcp->sim->now_ns;
    }
    if (!tcp->in_recovery && tcp->cwnd_packets < (double)tcp->ssthresh_packets) {
        look_for_end_of_slow_start(tcp);
    }
    weir__tcp_sack_on_new_ack(tcp, acked_packets);
}

/* RFC 9438 4.6, and 4.7 (fast convergence): who loses before he is back where he was leaves room
 * for those who come. */
static void reduce(struct weir__tcp *tcp)
{
    struct cubic *c = state_of(tcp);
    double window = weir__tcp_window(tcp);
    double left = BETA * window > LEAST_WINDOW ? BETA * window : LEAST_WINDOW;
    c->max_packets = window < c->max_packets ? window * (1.0 + BETA) / 2.0 : window;
    c->epoch_ns = NO_EPOCH;
    tcp->cwnd_packets = left;
    tcp->ssthresh_packets = (int64_t)left;
}

/* RFC 9438 4.8. */
static void on_timeout(struct weir__tcp *tcp)
{
    forget(tcp);
    weir__tcp_sack_forget(tcp);
}

const struct weir__tcp_hooks weir__tcp_cubic = {
    .sack = true,
    .init = init,
    .restart = restart,
    .on_sent = on_sent,
    .on_new_ack = on_new_ack,
    .on_dupack = weir__tcp_sack_on_dupack,
    .avoid = avoid,
    .reduce = reduce,
    .reduce_on_timeout = reduce,
    .on_timeout = on_timeout,
};
