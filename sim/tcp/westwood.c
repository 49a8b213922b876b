/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Westwood+: a loss sets the window to what the estimated bandwidth keeps under way at the smallest
 * round trip (Grieco and Mascolo 2004; details as in Linux's tcp_westwood). Growth as Reno,
 * recovery as NewReno. */
#include "sim/tcp/recovery.h"
#include "weir/units.h"
#include <stdlib.h>

#define LEAST_PERIOD_NS WEIR_MS(50) /* of a bandwidth sample */
#define LEAST_WINDOW    2
#define NO_PERIOD       (-1)
#define FILTER_KEEPS    7.0 /* of 8 parts */

struct westwood {
    double coarse_per_s;   /* bandwidth in packets per second after the first filter ... */
    double packets_per_s;  /* ... and after both */
    int64_t acked_packets; /* since the last sample */
    int64_t ahead_packets; /* counted for duplicate ACKs, before the cumulative ACK tells of them */
    int64_t sampled_ns;    /* when the present period began; NO_PERIOD before the first ACK */
    int64_t rtt_min_ns;    /* WEIR_NEVER_NS = unknown */
};

static struct westwood *state_of(const struct weir__tcp *tcp)
{
    return tcp->state;
}

static void restart(struct weir__tcp *tcp)
{
    *state_of(tcp) = (struct westwood){.sampled_ns = NO_PERIOD, .rtt_min_ns = WEIR_NEVER_NS};
}

static enum weir_status init(struct weir__tcp *tcp)
{
    tcp->state = calloc(1, sizeof(struct westwood));
    if (!tcp->state) {
        return WEIR_ERROR_NO_MEMORY;
    }
    restart(tcp);
    return WEIR_OK;
}

static double filtered(double old, double sample)
{
    return (FILTER_KEEPS * old + sample) / (FILTER_KEEPS + 1.0);
}

/* Two filters in a row; the first sample goes through both. */
static void take_bandwidth(struct westwood *w, double sample_per_s)
{
    bool is_first = w->packets_per_s <= 0.0;
    w->coarse_per_s = is_first ? sample_per_s : filtered(w->coarse_per_s, sample_per_s);
    w->packets_per_s = is_first ? sample_per_s : filtered(w->packets_per_s, w->coarse_per_s);
}

/* What the last max(RTT, 50 ms) have acknowledged is a sample. */
static void on_acked(struct weir__tcp *tcp, int64_t packets)
{
    struct westwood *w = state_of(tcp);
    int64_t rtt_ns = tcp->rto.latest_ns;
    if (w->sampled_ns == NO_PERIOD) {
        w->sampled_ns = tcp->sim->now_ns;
        return;
    }
    int64_t period_ns = tcp->sim->now_ns - w->sampled_ns;
    w->acked_packets += packets;
    if (rtt_ns > 0) {
        w->rtt_min_ns = weir_min_i64(w->rtt_min_ns, rtt_ns);
        if (period_ns > weir_max_i64(rtt_ns, LEAST_PERIOD_NS)) {
            take_bandwidth(w, (double)w->acked_packets * 1e9 / (double)period_ns);
            w->acked_packets = 0;
            w->sampled_ns = tcp->sim->now_ns;
        }
    }
}

static void on_new_ack(struct weir__tcp *tcp, int64_t acked_packets)
{
    struct westwood *w = state_of(tcp);
    int64_t known = weir_min_i64(w->ahead_packets, acked_packets - 1);
    w->ahead_packets -= known;
    on_acked(tcp, acked_packets - known);
    weir__tcp_newreno_on_new_ack(tcp, acked_packets);
}

/* A duplicate tells of one packet that the receiver keeps. */
static void on_dupack(struct weir__tcp *tcp)
{
    state_of(tcp)->ahead_packets++;
    on_acked(tcp, 1);
    weir__tcp_newreno_on_dupack(tcp);
}

static void reduce(struct weir__tcp *tcp)
{
    const struct westwood *w = state_of(tcp);
    double packets =
        w->rtt_min_ns == WEIR_NEVER_NS ? 0.0 : w->packets_per_s * (double)w->rtt_min_ns / 1e9;
    double most = (double)tcp->config.window_packets;
    tcp->ssthresh_packets = weir_max_i64(LEAST_WINDOW, (int64_t)(packets < most ? packets : most));
    tcp->cwnd_packets = (double)tcp->ssthresh_packets;
}

/* The route may be another one: its smallest round trip is found anew. */
static void on_timeout(struct weir__tcp *tcp)
{
    reduce(tcp);
    tcp->cwnd_packets = 1.0;
    state_of(tcp)->rtt_min_ns = WEIR_NEVER_NS;
}

const struct weir__tcp_hooks weir__tcp_westwood = {
    .init = init,
    .restart = restart,
    .on_new_ack = on_new_ack,
    .on_dupack = on_dupack,
    .reduce = reduce,
    .on_timeout = on_timeout,
};
