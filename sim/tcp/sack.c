/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TCP with selective acknowledgements: RFC 6675 in the form of ns-2's Sack1.
 * Differs from the specification:
 *   - RFC 6675 4: the packets under way are counted, not derived from the scoreboard.
 *   - a recovery starts with the third duplicate, whatever the blocks say, and never twice for one
 *     window (una <= recover).
 *   - a recovery ends with the window it began with, half of the old one with its fraction; ns-2
 *     rounds ssthresh only. Cutting it to whole packets too costs 5 % of the goodput at 1 % loss.
 */
#include "sim/tcp/recovery.h"

/* RFC 6675 5 step C: fills the pipe, holes first, then new data. */
static void fill_pipe(struct weir__tcp *tcp)
{
    while (tcp->pipe_packets < (int64_t)tcp->cwnd_packets) {
        int64_t hole = weir__tcp_scoreboard_next_hole(&tcp->board);
        if (hole >= 0) {
            weir__tcp_scoreboard_on_resent(&tcp->board, hole);
            weir__tcp_send(tcp, hole);
        } else if (!weir__tcp_send_new(tcp)) {
            break;
        }
        tcp->pipe_packets++;
    }
}

/* Each ACK in a recovery takes a packet off the pipe; a partial one another: the packet whose
 * repair it tells of. */
void weir__tcp_sack_on_new_ack(struct weir__tcp *tcp, int64_t acked_packets)
{
    if (!tcp->in_recovery) {
        weir__tcp_reno.on_new_ack(tcp, acked_packets);
        return;
    }
    weir__tcp_restart_timer(tcp);
    if (tcp->una < tcp->recover) {
        tcp->pipe_packets -= 2;
        fill_pipe(tcp);
    } else {
        weir__tcp_scoreboard_clear(&tcp->board);
        weir__tcp_leave_recovery(tcp);
        weir__tcp_send_allowed(tcp);
    }
}

/* RFC 6675 5 steps 4.1 to 4.3. */
void weir__tcp_sack_on_dupack(struct weir__tcp *tcp)
{
    if (tcp->in_recovery) {
        tcp->pipe_packets--;
        fill_pipe(tcp);
    } else if (weir__tcp_count_dupack(tcp)) {
        tcp->pipe_packets = tcp->highest - tcp->una - WEIR__TCP_DUPACKS;
        weir__tcp_scoreboard_on_resent(&tcp->board, tcp->una + 1);
        weir__tcp_enter_recovery(tcp);
    }
}

/* Of a fresh connection, and after a timeout: go back N. */
void weir__tcp_sack_forget(struct weir__tcp *tcp)
{
    weir__tcp_scoreboard_clear(&tcp->board);
}

const struct weir__tcp_hooks weir__tcp_sack = {
    .sack = true,
    .restart = weir__tcp_sack_forget,
    .on_new_ack = weir__tcp_sack_on_new_ack,
    .on_dupack = weir__tcp_sack_on_dupack,
    .reduce = weir__tcp_halve,
    .on_timeout = weir__tcp_sack_forget,
};
