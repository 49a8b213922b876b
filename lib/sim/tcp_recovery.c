/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Specification: RFC 5681 3.2 (Reno), RFC 6582 (NewReno), RFC 6675 in the form of ns-2's Sack1.
 * Differs from the specification:
 *   - Reno and SACK start no second recovery for losses of the window that was already halved
 *     (una <= recover), as ns-2 does.
 *   - RFC 6675 4: the packets under way are counted, not derived from the scoreboard. */
#include "sim/tcp_recovery.h"
#include "weir/units.h"

#define DUPACK_THRESHOLD 3

/* RFC 5681 3.1: one packet per ACK in slow start, 1/cwnd in congestion avoidance. */
static void grow(struct weir__tcp *tcp)
{
    if (tcp->cwnd_packets < (double)tcp->ssthresh_packets) {
        tcp->cwnd_packets += 1.0;
    } else {
        tcp->cwnd_packets += 1.0 / tcp->cwnd_packets;
    }
    double limit = (double)tcp->config.window_packets + 1.0;
    if (tcp->cwnd_packets > limit) {
        tcp->cwnd_packets = limit;
    }
}

static void leave_recovery(struct weir__tcp *tcp)
{
    tcp->in_recovery = false;
    tcp->dupacks = 0;
    tcp->dupwnd_packets = 0;
}

/* RFC 6582 3.2 step 3, partial ACK of `acked` packets: the next hole is known without waiting. */
static void newreno_on_partial(struct weir__tcp *tcp, int64_t acked)
{
    if (tcp->dupwnd_packets > acked) {
        tcp->dupwnd_packets -= acked - 1;
    } else {
        tcp->cwnd_packets -= (double)(acked - tcp->dupwnd_packets);
        tcp->dupwnd_packets = 1;
    }
    if (tcp->cwnd_packets < 1.0) {
        tcp->cwnd_packets = 1.0;
    }
    if (!tcp->partial_seen) {
        weir__tcp_restart_timer(tcp);
    }
    tcp->partial_seen = true;
    weir__tcp_send(tcp, tcp->una + 1);
}

/* RFC 6582 3.2 step 3, full ACK. */
static void newreno_on_full(struct weir__tcp *tcp)
{
    double outstanding = (double)(tcp->highest - tcp->una);
    double ssthresh = (double)tcp->ssthresh_packets;
    tcp->cwnd_packets = ssthresh < outstanding + 1.0 ? ssthresh : outstanding + 1.0;
    leave_recovery(tcp);
}

/* RFC 6675 5 step C: fills the pipe, holes first, then new data. */
static void sack_fill_pipe(struct weir__tcp *tcp)
{
    while (tcp->pipe_packets < (int64_t)tcp->cwnd_packets) {
        int64_t hole = weir__tcp_scoreboard_next_hole(&tcp->board);
        if (hole >= 0) {
            weir__tcp_scoreboard_on_resent(&tcp->board, hole);
            weir__tcp_send(tcp, hole);
        } else if (weir__tcp_can_send_new(tcp)) {
            tcp->next++;
            weir__tcp_send(tcp, tcp->next - 1);
        } else {
            break;
        }
        tcp->pipe_packets++;
    }
}

static void sack_on_partial(struct weir__tcp *tcp)
{
    tcp->pipe_packets -= 2;
    weir__tcp_restart_timer(tcp);
    sack_fill_pipe(tcp);
}

static void sack_on_full(struct weir__tcp *tcp)
{
    tcp->cwnd_packets = (double)tcp->ssthresh_packets;
    weir__tcp_scoreboard_clear(&tcp->board);
    leave_recovery(tcp);
}

/* RFC 6298 4: takes the sample if this ACK covers the packet that is timed. */
static void take_rtt_sample(struct weir__tcp *tcp)
{
    if (tcp->timed_seq >= 0 && tcp->una >= tcp->timed_seq) {
        weir__tcp_rto_on_sample(&tcp->rto, tcp->sim->now_ns - tcp->timed_ns);
        tcp->timed_seq = -1;
    }
}

/* An ACK of new data inside a recovery of NewReno or SACK. */
static void on_recovery_ack(struct weir__tcp *tcp, int64_t acked)
{
    bool is_full = tcp->una >= tcp->recover;
    bool is_sack = tcp->config.variant == WEIR__TCP_SACK;
    if (is_full) {
        weir__tcp_restart_timer(tcp);
        if (is_sack) {
            sack_on_full(tcp);
        } else {
            newreno_on_full(tcp);
        }
        weir__tcp_send_allowed(tcp);
    } else if (is_sack) {
        sack_on_partial(tcp);
    } else {
        newreno_on_partial(tcp, acked);
        weir__tcp_send_allowed(tcp);
    }
}

/* RFC 5681 3.1 and 3.2 step 6: in Reno any ACK of new data ends the recovery. */
static void on_new_ack(struct weir__tcp *tcp, int64_t ack)
{
    int64_t acked = ack - tcp->una;
    tcp->una = ack;
    tcp->next = weir_max_i64(tcp->next, ack + 1);
    take_rtt_sample(tcp);
    if (tcp->in_recovery && tcp->config.variant != WEIR__TCP_RENO) {
        on_recovery_ack(tcp, acked);
        return;
    }
    leave_recovery(tcp);
    weir__tcp_restart_timer(tcp);
    grow(tcp);
    weir__tcp_send_allowed(tcp);
}

/* RFC 5681 3.2 steps 2 and 3, or RFC 6675 5 steps 4.1 to 4.3. */
static void enter_recovery(struct weir__tcp *tcp)
{
    tcp->stats.recoveries++;
    weir__tcp_halve(tcp);
    tcp->in_recovery = true;
    tcp->partial_seen = false;
    if (tcp->config.variant == WEIR__TCP_SACK) {
        tcp->pipe_packets = tcp->highest - tcp->una - DUPACK_THRESHOLD;
        weir__tcp_scoreboard_on_resent(&tcp->board, tcp->una + 1);
    } else {
        tcp->dupwnd_packets = DUPACK_THRESHOLD;
    }
    weir__tcp_restart_timer(tcp);
    weir__tcp_send(tcp, tcp->una + 1);
}

/* RFC 5681 3.2 step 4: each duplicate ACK says that a packet has left the network. */
static void on_recovery_dupack(struct weir__tcp *tcp)
{
    if (tcp->config.variant == WEIR__TCP_SACK) {
        tcp->pipe_packets--;
        sack_fill_pipe(tcp);
    } else {
        tcp->dupwnd_packets++;
        weir__tcp_send_allowed(tcp);
    }
}

/* RFC 3042 for the first two, fast retransmit for the third. */
static void on_dupack(struct weir__tcp *tcp)
{
    if (tcp->in_recovery) {
        on_recovery_dupack(tcp);
        return;
    }
    tcp->dupacks++;
    if (tcp->dupacks < DUPACK_THRESHOLD) {
        if (tcp->config.limited_transmit && weir__tcp_can_send_new(tcp)) {
            tcp->next++;
            weir__tcp_send(tcp, tcp->next - 1);
        }
    } else if (tcp->dupacks == DUPACK_THRESHOLD && tcp->una > tcp->recover) {
        enter_recovery(tcp);
    }
}

/* One ACK: everything up to packet `ack` has arrived in order, and the blocks above it. A SACK
 * sender counts only duplicates that say something new, until it is in recovery. */
void weir__tcp_on_ack(struct weir__tcp *tcp, int64_t ack, const struct weir__sack_block *blocks,
                      size_t n_blocks)
{
    bool is_sack = tcp->config.variant == WEIR__TCP_SACK;
    bool is_news = !is_sack;
    if (ack > tcp->highest) {
        return;
    }
    if (is_sack) {
        weir__tcp_scoreboard_on_ack(&tcp->board, ack);
        is_news = weir__tcp_scoreboard_on_sack(&tcp->board, blocks, n_blocks);
    }
    if (ack > tcp->una) {
        on_new_ack(tcp, ack);
    } else if (ack == tcp->una && tcp->highest > tcp->una && (is_news || tcp->in_recovery)) {
        on_dupack(tcp);
    }
}
