/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sending end of a simulated TCP connection. Windows and sequence numbers are in packets,
 * numbered from 0. */
#ifndef WEIR_SIM_TCP_H
#define WEIR_SIM_TCP_H

#include "sim/event.h"
#include "sim/packet.h"
#include "sim/tcp_rto.h"
#include "sim/tcp_scoreboard.h"

enum weir__tcp_variant {
    WEIR__TCP_RENO,    /* RFC 5681: a partial ACK ends the recovery */
    WEIR__TCP_NEWRENO, /* RFC 6582 */
    WEIR__TCP_SACK     /* Sack1 of ns-2, equivalent to RFC 6675 */
};

/* Fill with weir__tcp_config_default() first. */
struct weir__tcp_config {
    enum weir__tcp_variant variant;
    int64_t packet_bytes;             /* of a data packet on the wire, with headers */
    int64_t window_packets;           /* of the receiver, 1 .. 2^20 */
    int64_t initial_window_packets;   /* >= 1 */
    int64_t initial_ssthresh_packets; /* 0 = window_packets */
    bool limited_transmit;            /* RFC 3042 */
    struct weir__tcp_rto_config rto;
    int64_t start_ns;
    int64_t stop_ns;       /* WEIR_NEVER_NS = none; nothing is sent from then on */
    int64_t total_packets; /* to send; INT64_MAX = without end */
    uint32_t flow;         /* of the data packets */
    struct weir__port out;
};

struct weir__tcp_stats {
    int64_t sent_packets; /* with retransmissions */
    int64_t resent_packets;
    int64_t timeouts;
    int64_t recoveries; /* fast retransmits */
};

struct weir__tcp {
    struct weir__tcp_config config;
    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    struct weir__timer control; /* start, then stop */
    struct weir__deadline retransmission;
    struct weir__tcp_rto rto;
    struct weir__tcp_scoreboard board; /* only for SACK */
    struct weir__tcp_stats stats;
    double cwnd_packets;
    int64_t ssthresh_packets;
    int64_t una;     /* highest cumulative ACK, -1 at first */
    int64_t next;    /* to be sent */
    int64_t highest; /* ever sent, -1 at first */
    int64_t recover; /* highest at the last reduction */
    int64_t dupacks;
    int64_t dupwnd_packets; /* inflation of the window in recovery */
    int64_t pipe_packets;   /* SACK recovery: estimate of the packets under way */
    int64_t timed_seq;      /* the packet whose round trip is measured, -1 = none */
    int64_t timed_ns;
    int64_t last_sent_ns;
    int64_t available_packets; /* that the application has written */
    bool active;
    bool in_recovery;
    bool partial_seen; /* in this recovery */
};

void weir__tcp_config_default(struct weir__tcp_config *config);
enum weir_status weir__tcp_check(const struct weir__tcp_config *config);
enum weir_status weir__tcp_init(struct weir__tcp *tcp, struct weir__sim *sim,
                                struct weir__packet_pool *pool,
                                const struct weir__tcp_config *config);
void weir__tcp_finish(struct weir__tcp *tcp);
struct weir__port weir__tcp_port(struct weir__tcp *tcp);
void weir__tcp_write(struct weir__tcp *tcp, int64_t packets);

/* For tcp_recovery.c. */
double weir__tcp_window(const struct weir__tcp *tcp);
bool weir__tcp_can_send_new(const struct weir__tcp *tcp);
void weir__tcp_send(struct weir__tcp *tcp, int64_t seq);
void weir__tcp_send_allowed(struct weir__tcp *tcp);
void weir__tcp_restart_timer(struct weir__tcp *tcp);
void weir__tcp_halve(struct weir__tcp *tcp);

#endif
