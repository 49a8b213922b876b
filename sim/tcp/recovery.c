/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Specification: RFC 5681 3.2 (Reno), RFC 6582 (NewReno).
 * Differs from the specification:
 *   - Reno starts no second recovery for losses of the window that was already halved
 *     (una <= recover), as ns-2 does; unless repeated_recovery is set.
 *   - RFC 6298 3: a fast retransmit ends the measurement of a round trip as well, as in ns-2: its
 *     ACK would come a round trip late. */
#include "sim/tcp/recovery.h"
#include "weir/units.h"

#define NEWRENO_BURST 2 /* packets beside the repair that an ACK lets out in a recovery (ns-2) */

/* RFC 5681 3.1: one packet per ACK in slow start. With byte counting one for each that is
 * acknowledged, up to ssthresh. Returns what is left for congestion avoidance. */
static double slow_start(struct weir__tcp *tcp, double packets)
{
    double room = (double)tcp->ssthresh_packets - tcp->cwnd_packets;
    if (room <= 0.0) {
        return packets;
    }
    double step = tcp->config.byte_counting && packets > room ? room : packets;
    tcp->cwnd_packets += step;
    return packets - step;
}

/* What an ACK counts for. One that comes after a timeout (una <= recover) may cover packets that
 * had arrived before: it counts as one packet, as RFC 3465 2.3 has it there. What is marked counts
 * for nothing: all of the ACK by RFC 3168 6.1.2, and the packets themselves where they are counted
 * (draft-briscoe-iccrg-prague-congestion-control 2.4.3). */
static void grow(struct weir__tcp *tcp, int64_t acked_packets)
{
    acked_packets -= tcp->echoed_packets;
    if (acked_packets <= 0) {
        return;
    }
    bool counts_all = tcp->config.byte_counting && tcp->una > tcp->recover;
    double left = slow_start(tcp, counts_all ? (double)acked_packets : 1.0);
    if (left > 0.0 && tcp->hooks->avoid) {
        tcp->hooks->avoid(tcp, left);
    } else {
        tcp->cwnd_packets += left / tcp->cwnd_packets;
    }
    double limit = (double)tcp->config.window_packets + 1.0;
    if (tcp->cwnd_packets > limit) {
        tcp->cwnd_packets = limit;
    }
}

/* The third duplicate ACK: reduces the window, unless a mark has within this window of data (RFC
 * 3168 6.1.2), and repairs the first hole. */
void weir__tcp_enter_recovery(struct weir__tcp *tcp)
{
    tcp->stats.recoveries++;
    if (tcp->una > tcp->echo_recover) {
        tcp->hooks->reduce(tcp);
    }
    tcp->reduced = true;
    tcp->recover = tcp->highest;
    tcp->in_recovery = true;
    tcp->partial_seen = false;
    tcp->timed_seq = -1;
    weir__tcp_restart_timer(tcp);
    weir__tcp_send(tcp, tcp->una + 1);
}

/* Duplicates count from 0 again; the window stays as it is. */
void weir__tcp_leave_recovery(struct weir__tcp *tcp)
{
    tcp->in_recovery = false;
    tcp->dupacks = 0;
    tcp->dupwnd_packets = 0;
}

/* A duplicate ACK outside of a recovery. Returns whether it is the one that starts a recovery. The
 * ones before let out a new packet each, up to cwnd + 2 under way (RFC 3042). */
bool weir__tcp_count_dupack(struct weir__tcp *tcp)
{
    tcp->dupacks++;
    if (tcp->dupacks < WEIR__TCP_DUPACKS && tcp->config.limited_transmit &&
        tcp->next <= tcp->una + (int64_t)tcp->cwnd_packets + tcp->dupacks) {
        weir__tcp_send_new(tcp);
    }
    return tcp->dupacks == WEIR__TCP_DUPACKS &&
           (tcp->una > tcp->recover || tcp->config.repeated_recovery);
}

/* RFC 5681 3.1 and 3.2 step 6: any ACK of new data ends the recovery. */
static void reno_on_new_ack(struct weir__tcp *tcp, int64_t acked_packets)
{
    weir__tcp_leave_recovery(tcp);
    weir__tcp_restart_timer(tcp);
    grow(tcp, acked_packets);
    weir__tcp_send_allowed(tcp);
}

/* RFC 5681 3.2 steps 2 to 4: in a recovery each duplicate ACK says that a packet has left the
 * network. */
static void on_dupack(struct weir__tcp *tcp, int64_t most_packets)
{
    if (tcp->in_recovery) {
        tcp->dupwnd_packets++;
        weir__tcp_send_burst(tcp, most_packets);
    } else if (weir__tcp_count_dupack(tcp)) {
        tcp->dupwnd_packets = WEIR__TCP_DUPACKS;
        weir__tcp_enter_recovery(tcp);
    }
}

static void reno_on_dupack(struct weir__tcp *tcp)
{
    on_dupack(tcp, INT64_MAX);
}

/* As Reno, but what was held back by a recovery does not go out in one burst. */
void weir__tcp_newreno_on_dupack(struct weir__tcp *tcp)
{
    on_dupack(tcp, NEWRENO_BURST);
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
    weir__tcp_leave_recovery(tcp);
    weir__tcp_restart_timer(tcp);
}

/* As Reno, but only an ACK of all that was under way ends the recovery. */
void weir__tcp_newreno_on_new_ack(struct weir__tcp *tcp, int64_t acked_packets)
{
    if (!tcp->in_recovery) {
        reno_on_new_ack(tcp, acked_packets);
        return;
    }
    if (tcp->una >= tcp->recover) {
        newreno_on_full(tcp);
        weir__tcp_send_allowed(tcp);
    } else {
        newreno_on_partial(tcp, acked_packets);
        weir__tcp_send_burst(tcp, NEWRENO_BURST);
    }
}

const struct weir__tcp_hooks weir__tcp_reno = {
    .on_new_ack = reno_on_new_ack,
    .on_dupack = reno_on_dupack,
    .reduce = weir__tcp_halve,
};

const struct weir__tcp_hooks weir__tcp_newreno = {
    .on_new_ack = weir__tcp_newreno_on_new_ack,
    .on_dupack = weir__tcp_newreno_on_dupack,
    .reduce = weir__tcp_halve,
};
