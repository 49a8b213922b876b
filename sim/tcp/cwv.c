/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Specification: RFC 2861 3.
 * Differs from the specification:
 *   - the window decays to one packet, not to the initial window (as ns-2's option does).
 *   - it is judged after each burst of packets, not after each packet: in the middle of a burst the
 *     window is not full yet although the application does not limit it. */
#include "sim/tcp/cwv.h"
#include "weir/units.h"

#define LEAST_WINDOW  1.0
#define MOST_HALVINGS 64 /* more change nothing */

/* Remembers three quarters of the window: how far slow start may go again. */
static void keep_ssthresh(struct weir__tcp *tcp)
{
    int64_t three_quarters = (int64_t)(0.75 * tcp->cwnd_packets);
    tcp->ssthresh_packets = weir_max_i64(tcp->ssthresh_packets, three_quarters);
}

static void begin_period(struct weir__tcp *tcp)
{
    tcp->filled_ns = tcp->sim->now_ns;
    tcp->used_packets = 0;
}

/* Idle since the last packet for an RTO or several: half the window for each. */
void weir__tcp_cwv_before_sending(struct weir__tcp *tcp, double window_packets)
{
    if (tcp->last_sent_ns < 0) {
        begin_period(tcp);
        return;
    }
    int64_t idle_ns = tcp->sim->now_ns - tcp->last_sent_ns;
    int64_t halvings = weir_min_i64(idle_ns / weir__tcp_rto_ns(&tcp->rto), MOST_HALVINGS);
    if (halvings == 0) {
        return;
    }
    keep_ssthresh(tcp);
    for (; halvings > 0; halvings--) {
        window_packets = window_packets / 2.0 > LEAST_WINDOW ? window_packets / 2.0 : LEAST_WINDOW;
    }
    tcp->cwnd_packets = window_packets;
    begin_period(tcp);
}

/* Less than the window in use for an RTO, because the application had no more: halfway towards what
 * was used. */
void weir__tcp_cwv_after_sending(struct weir__tcp *tcp, double window_packets)
{
    int64_t outstanding = tcp->highest - tcp->una;
    if (outstanding >= (int64_t)window_packets) {
        begin_period(tcp);
        return;
    }
    tcp->used_packets = weir_max_i64(tcp->used_packets, outstanding);
    if (tcp->sim->now_ns - tcp->filled_ns >= weir__tcp_rto_ns(&tcp->rto)) {
        keep_ssthresh(tcp);
        double halfway = (window_packets + (double)tcp->used_packets) / 2.0;
        tcp->cwnd_packets = halfway > LEAST_WINDOW ? halfway : LEAST_WINDOW;
        begin_period(tcp);
    }
}
