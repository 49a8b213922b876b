/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Differs from RFC 5348, because only arrivals are known here: loss events are told apart by the
 * time at which a loss became certain, not by send times; all streams of the transport count as one
 * row of packets; without an RTT the usual 100 ms of a media path are assumed. */
#include "session/receive_estimate.h"

#include <math.h>

#include "estimators/tcp_equation.h"
#include "weir/units.h"

#define ASSUMED_RTT_NS    WEIR_MS(100)
#define SIZE_GAIN         (1.0 / 16.0)
#define LONGEST_WAIT_S    64.0 /* t_mbi: at least one packet per 64 s (RFC 5348 4.3) */
#define DISCOUNT_RFC      0.25
#define INTERVALS_RFC     8
#define RECEIVED_HEADROOM 2.0
#define MAX_BPS           1e12

void weir__receive_estimate_init(struct weir__receive_estimate *estimate)
{
    *estimate = (struct weir__receive_estimate){0};
    weir__loss_intervals_init(&estimate->losses, INTERVALS_RFC, DISCOUNT_RFC, false);
}

static int64_t usable_rtt_ns(int64_t rtt_ns)
{
    return rtt_ns > 0 ? rtt_ns : ASSUMED_RTT_NS;
}

/* The first interval is what the equation makes of the rate reached so far (RFC 5348 6.3.1). */
static void set_first_interval(struct weir__receive_estimate *estimate, int64_t rtt_ns,
                               int64_t received_bps)
{
    struct weir__tcp_equation equation = weir__tcp_equation_rfc();
    double rtt_s = (double)usable_rtt_ns(rtt_ns) / 1e9;
    double packets_per_rtt = (double)received_bps / 8.0 * rtt_s / estimate->packet_bytes;
    double p = weir__tcp_equation_inverse(&equation, fmax(packets_per_rtt, 1e-3));
    weir__loss_intervals_set_first(&estimate->losses, 1.0 / p);
}

/* The packet with number seq is lost. */
static void lose(struct weir__receive_estimate *estimate, int64_t seq, int64_t now_ns,
                 int64_t rtt_ns, int64_t received_bps)
{
    if (!weir__loss_intervals_has_event(&estimate->losses)) {
        set_first_interval(estimate, rtt_ns, received_bps);
    }
    weir__loss_intervals_on_lost(&estimate->losses, seq, now_ns, usable_rtt_ns(rtt_ns));
}

void weir__receive_estimate_on_packet(struct weir__receive_estimate *estimate, int64_t now_ns,
                                      int64_t wire_bytes, int64_t expected_packets,
                                      int64_t lost_packets, int64_t rtt_ns, int64_t received_bps)
{
    double size = (double)weir_max_i64(wire_bytes, 1);
    bool first = !(estimate->packet_bytes > 0.0);
    estimate->packet_bytes += first ? size : (size - estimate->packet_bytes) * SIZE_GAIN;
    if (expected_packets > 0) {
        estimate->seq += expected_packets;
        weir__loss_intervals_on_received(&estimate->losses, estimate->seq, now_ns);
    }
    /* All of them belong to one event: one call is enough. */
    if (lost_packets > 0) {
        lose(estimate, estimate->seq - 1, now_ns, rtt_ns, received_bps);
    }
}

void weir__receive_estimate_on_mark(struct weir__receive_estimate *estimate, int64_t now_ns,
                                    int64_t rtt_ns, int64_t received_bps)
{
    if (estimate->packet_bytes > 0.0) {
        lose(estimate, estimate->seq, now_ns, rtt_ns, received_bps);
    }
}

int64_t weir__receive_estimate_bps(const struct weir__receive_estimate *estimate, int64_t rtt_ns,
                                   int64_t received_bps)
{
    double limit_bps = RECEIVED_HEADROOM * (double)received_bps;
    double p = weir__loss_intervals_p(&estimate->losses);
    if (p > 0.0) {
        struct weir__tcp_equation equation = weir__tcp_equation_rfc();
        double rtt_s = (double)usable_rtt_ns(rtt_ns) / 1e9;
        double bytes_per_s =
            weir__tcp_equation_rate(&equation, fmax(estimate->packet_bytes, 1.0), rtt_s, p);
        limit_bps = fmin(limit_bps, 8.0 * bytes_per_s);
    }
    double least_bps = fmax(8.0 * estimate->packet_bytes / LONGEST_WAIT_S, 1.0);
    return (int64_t)fmin(fmax(limit_bps, least_bps), MAX_BPS);
}
