/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TCP Vegas (Brakmo and Peterson 1995) with the details of ns-2 2.35: once per round trip the
 * window follows how many packets of it wait in queues; a fine-grained timeout repairs losses
 * early. Differs from ns-2:
 *   - the inflation of the window in a recovery always ends with it; ns-2 keeps it when exactly
 *     three duplicates came.
 *   - limited transmit, if it is on; a fast retransmit does not back off the coarse timer. */
#include "sim/tcp/recovery.h"
#include "weir/units.h"
#include <stdlib.h>

#define ALPHA_PACKETS     1 /* waiting: below, the window grows ... */
#define BETA_PACKETS      3 /* ... above, it shrinks ... */
#define GAMMA_PACKETS     1 /* ... and above this in slow start */
#define LEAST_WINDOW      2.0
#define AFTER_SLOW_START  2 /* ssthresh */
#define CHECKS_AFTER_LOSS 2 /* ACKs after which the fine timeout is looked at */
#define MOST_UNUSED       2 /* packets of the window not under way, for which it still grows */

#define MOST_TIMEOUT_NS WEIR_SECONDS(60) /* no backing off of the fine timeout beyond */

struct sent {
    int64_t at_ns;
    int64_t times;
};

struct vegas {
    double increase_packets; /* per ACK in this round: 0, 1, or 1/cwnd */
    int64_t round_end;       /* this packet's ACK ends the round */
    int64_t round_began_ns;
    int64_t rtt_sum_ns; /* of this round */
    int64_t rtt_samples;
    int64_t base_rtt_ns; /* WEIR_NEVER_NS = unknown */
    int64_t srtt_ns;     /* fine-grained */
    int64_t deviation_ns;
    int64_t timeout_ns;
    int64_t reduced_ns;      /* when the window last shrank for a loss */
    int64_t checks;          /* ACKs left */
    int64_t timeout_recover; /* highest at the last coarse timeout */
    bool grows;              /* slow start: in every other round */
    size_t mask;
    struct sent sent[]; /* by packet number */
};

static struct vegas *state_of(const struct weir__tcp *tcp)
{
    return tcp->state;
}

static void restart(struct weir__tcp *tcp)
{
    struct vegas *v = state_of(tcp);
    size_t mask = v->mask;
    *v = (struct vegas){.base_rtt_ns = WEIR_NEVER_NS,
                        .timeout_ns = WEIR_NEVER_NS,
                        .round_end = tcp->highest + 1,
                        .round_began_ns = tcp->sim->now_ns,
                        .reduced_ns = -1,
                        .timeout_recover = -2,
                        .grows = true,
                        .mask = mask};
}

static enum weir_status init(struct weir__tcp *tcp)
{
    size_t slots = 1;
    while (slots < (size_t)tcp->config.window_packets + 1) {
        slots *= 2;
    }
    struct vegas *v = calloc(1, sizeof *v + slots * sizeof v->sent[0]);
    if (!v) {
        return WEIR_ERROR_NO_MEMORY;
    }
    v->mask = slots - 1;
    tcp->state = v;
    restart(tcp);
    return WEIR_OK;
}

static struct sent *sent_of(struct vegas *v, int64_t seq)
{
    return &v->sent[(size_t)seq & v->mask];
}

static void on_sent(struct weir__tcp *tcp, int64_t seq)
{
    struct sent *sent = sent_of(state_of(tcp), seq);
    sent->at_ns = tcp->sim->now_ns;
    sent->times++;
}

static void shrink(struct weir__tcp *tcp, double packets)
{
    double window = tcp->cwnd_packets - packets;
    tcp->cwnd_packets = window > LEAST_WINDOW ? window : LEAST_WINDOW;
}

/* Slow start doubles in every other round; in between it looks whether packets wait. */
static void judge_slow_start(struct weir__tcp *tcp, int64_t waiting_packets)
{
    struct vegas *v = state_of(tcp);
    v->grows = !v->grows;
    v->increase_packets = v->grows ? 1.0 : 0.0;
    if (v->grows && waiting_packets > GAMMA_PACKETS) {
        tcp->ssthresh_packets = AFTER_SLOW_START;
        shrink(tcp, tcp->cwnd_packets / 8.0);
        v->increase_packets = 0.0;
    }
}

static void judge_avoidance(struct weir__tcp *tcp, int64_t waiting_packets)
{
    struct vegas *v = state_of(tcp);
    v->increase_packets = 0.0;
    if (waiting_packets > BETA_PACKETS) {
        shrink(tcp, 1.0);
    } else if (waiting_packets < ALPHA_PACKETS) {
        v->increase_packets = 1.0 / tcp->cwnd_packets;
    }
}

/* (expected - actual) base RTT, rounded: expected = window / base RTT, actual = packets of the
 * round / its RTT. */
static void judge_round(struct weir__tcp *tcp, int64_t rtt_ns)
{
    struct vegas *v = state_of(tcp);
    int64_t sent_packets = tcp->next - v->round_end;
    if (rtt_ns < v->base_rtt_ns || sent_packets <= 1) {
        v->base_rtt_ns = rtt_ns;
    }
    double window = (double)(tcp->next - tcp->una);
    double arrived = (double)sent_packets * (double)v->base_rtt_ns / (double)rtt_ns;
    int64_t waiting_packets = (int64_t)(window - arrived + 0.5);
    if (tcp->cwnd_packets < (double)tcp->ssthresh_packets) {
        judge_slow_start(tcp, waiting_packets);
    } else {
        judge_avoidance(tcp, waiting_packets);
    }
}

static void end_round(struct weir__tcp *tcp)
{
    struct vegas *v = state_of(tcp);
    int64_t now_ns = tcp->sim->now_ns;
    int64_t rtt_ns =
        v->rtt_samples > 0 ? v->rtt_sum_ns / v->rtt_samples : now_ns - v->round_began_ns;
    if (rtt_ns > 0) {
        judge_round(tcp, rtt_ns);
    }
    v->rtt_sum_ns = 0;
    v->rtt_samples = 0;
    v->round_end = tcp->next;
    v->round_began_ns = now_ns;
}

static void grow(struct weir__tcp *tcp)
{
    struct vegas *v = state_of(tcp);
    bool in_slow_start = tcp->cwnd_packets < (double)tcp->ssthresh_packets;
    if (v->increase_packets >= 1.0 && !in_slow_start) {
        v->increase_packets = 0.0;
    }
    double unused = tcp->cwnd_packets - (double)(tcp->next - tcp->una);
    if (tcp->echoed_packets == 0 && unused <= MOST_UNUSED &&
        tcp->cwnd_packets < (double)tcp->config.window_packets) {
        tcp->cwnd_packets += v->increase_packets;
    }
}

/* The fine-grained timeout: 17/16 (SRTT + 2 deviations). */
static void take_sample(struct vegas *v, int64_t rtt_ns)
{
    v->rtt_sum_ns += rtt_ns;
    v->rtt_samples++;
    if (v->timeout_ns == WEIR_NEVER_NS) {
        v->srtt_ns = rtt_ns;
        v->deviation_ns = rtt_ns / 4;
    }
    v->base_rtt_ns = weir_min_i64(v->base_rtt_ns, rtt_ns);
    int64_t error_ns = rtt_ns - v->srtt_ns;
    v->srtt_ns += error_ns / 8;
    v->deviation_ns += ((error_ns < 0 ? -error_ns : error_ns) - v->deviation_ns) / 4;
    int64_t timeout_ns = v->srtt_ns + 2 * v->deviation_ns;
    v->timeout_ns = timeout_ns + timeout_ns / 16;
}

/* Whether the lowest packet not acknowledged is older than the fine timeout. */
static bool is_overdue(struct weir__tcp *tcp)
{
    struct vegas *v = state_of(tcp);
    int64_t age_ns = tcp->sim->now_ns - sent_of(v, tcp->una + 1)->at_ns;
    return tcp->highest > tcp->una && age_ns >= v->timeout_ns;
}

static void on_new_ack(struct weir__tcp *tcp, int64_t acked_packets)
{
    struct vegas *v = state_of(tcp);
    if (tcp->dupacks > WEIR__TCP_DUPACKS) {
        tcp->ssthresh_packets = AFTER_SLOW_START;
    }
    weir__tcp_leave_recovery(tcp);
    weir__tcp_restart_timer(tcp);
    struct sent newest = *sent_of(v, tcp->una);
    for (int64_t seq = tcp->una - acked_packets + 1; seq <= tcp->una; seq++) {
        sent_of(v, seq)->times = 0;
    }
    if (tcp->una >= v->round_end) {
        end_round(tcp);
    }
    grow(tcp);
    if (newest.times == 1) {
        take_sample(v, tcp->sim->now_ns - newest.at_ns);
    }
    if (v->checks > 0) {
        v->checks--;
        if (is_overdue(tcp)) {
            tcp->dupacks = WEIR__TCP_DUPACKS;
            tcp->in_recovery = true;
            weir__tcp_send(tcp, tcp->una + 1);
        } else {
            v->checks = 0;
        }
    }
    weir__tcp_send_allowed(tcp);
}

/* A quarter less, or half when the packet had been sent again before; once for all losses of a
 * window. */
static void reduce(struct weir__tcp *tcp)
{
    struct vegas *v = state_of(tcp);
    const struct sent *lost = sent_of(v, tcp->una + 1);
    if (v->reduced_ns >= lost->at_ns) {
        return;
    }
    int64_t window = (int64_t)weir__tcp_window(tcp);
    int64_t left = lost->times > 1 ? window / 2 : window - window / 4;
    tcp->cwnd_packets = left > (int64_t)LEAST_WINDOW ? (double)left : LEAST_WINDOW;
    v->reduced_ns = tcp->sim->now_ns;
}

static void repair(struct weir__tcp *tcp)
{
    struct vegas *v = state_of(tcp);
    bool first_time = sent_of(v, tcp->una + 1)->times == 1;
    v->checks = weir_min_i64(CHECKS_AFTER_LOSS, tcp->next - tcp->una);
    if (v->timeout_ns < MOST_TIMEOUT_NS) {
        v->timeout_ns = first_time ? v->timeout_ns + v->timeout_ns / 8 : 2 * v->timeout_ns;
    }
    tcp->dupwnd_packets = tcp->dupacks;
    weir__tcp_enter_recovery(tcp);
    if (first_time) {
        tcp->dupacks = WEIR__TCP_DUPACKS;
    }
}

/* Repairs with the third duplicate, or before when the packet is overdue; not what a coarse timeout
 * sends again anyway. */
static void on_dupack(struct weir__tcp *tcp)
{
    struct vegas *v = state_of(tcp);
    weir__tcp_count_dupack(tcp);
    bool is_third = tcp->dupacks == WEIR__TCP_DUPACKS;
    if ((is_third || is_overdue(tcp)) && tcp->una > v->timeout_recover) {
        repair(tcp);
    } else if (tcp->dupacks > WEIR__TCP_DUPACKS) {
        tcp->dupwnd_packets++;
    }
    if (tcp->dupacks >= WEIR__TCP_DUPACKS) {
        weir__tcp_send_allowed(tcp);
    }
}

/* Slow start begins with two packets (ns-2). */
static void on_timeout(struct weir__tcp *tcp)
{
    struct vegas *v = state_of(tcp);
    v->timeout_recover = tcp->highest;
    v->reduced_ns = tcp->sim->now_ns;
    tcp->cwnd_packets = LEAST_WINDOW;
}

const struct weir__tcp_hooks weir__tcp_vegas = {
    .init = init,
    .restart = restart,
    .on_sent = on_sent,
    .on_new_ack = on_new_ack,
    .on_dupack = on_dupack,
    .reduce = reduce,
    .on_timeout = on_timeout,
};
