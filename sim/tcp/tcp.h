/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sending end of a simulated TCP connection. Windows and sequence numbers are in packets,
 * numbered from 0. */
#ifndef WEIR_SIM_TCP_H
#define WEIR_SIM_TCP_H

#include "sim/base/event.h"
#include "sim/base/packet.h"
#include "sim/tcp/rto.h"
#include "sim/tcp/scoreboard.h"

enum weir__tcp_variant {
    WEIR__TCP_RENO,    /* RFC 5681: a partial ACK ends the recovery */
    WEIR__TCP_NEWRENO, /* RFC 6582 */
    WEIR__TCP_SACK,    /* Sack1 of ns-2, equivalent to RFC 6675 */
    WEIR__TCP_VEGAS,
    WEIR__TCP_WESTWOOD, /* Westwood+, with the recovery of NewReno */
    WEIR__TCP_CUBIC,    /* RFC 9438 with HyStart, with the recovery of SACK */
    WEIR__TCP_PRAGUE    /* scalable, for L4S, with the recovery of SACK */
};
#define WEIR__TCP_VARIANTS 7

/* Fill with weir__tcp_config_default() first. */
struct weir__tcp_config {
    enum weir__tcp_variant variant;
    int64_t packet_bytes;             /* of a data packet on the wire, with headers */
    int64_t window_packets;           /* of the receiver, 1 .. 2^20 */
    int64_t initial_window_packets;   /* >= 1 */
    int64_t initial_ssthresh_packets; /* 0 = window_packets */
    bool limited_transmit;            /* RFC 3042 */
    bool repeated_recovery; /* Reno: another fast retransmit in the window that one has halved, as
                               in RFC 2001 and 2581; ns-2 and RFC 6582 have none */
    bool byte_counting; /* the window grows by what is acknowledged, not by ACKs: RFC 3465 without
                           its limit L, as Linux does; but not by what a timeout had sent again */
    bool idle_restart;  /* after an idle RTO the initial window again (RFC 5681 4.1) ... */
    bool cwv;           /* ... or instead the window decays (RFC 2861), see cwv.h */
    bool ecn; /* RFC 3168: new data is ECT(0), and an echoed mark reduces the window as a loss;
                 Prague has its own, with ECT(1), in any case */
    struct weir__tcp_rto_config rto;
    int64_t start_ns;
    int64_t stop_ns;       /* WEIR_NEVER_NS = none; nothing is sent from then on */
    int64_t total_packets; /* to send; INT64_MAX = without end */
    uint32_t flow;         /* of the data packets */
    struct weir__port out;
    void (*on_done)(void *target); /* all that was written is acknowledged; NULL = nobody asks */
    void *done_target;
};

struct weir__tcp_stats {
    int64_t sent_packets; /* with retransmissions */
    int64_t resent_packets;
    int64_t timeouts;
    int64_t recoveries; /* fast retransmits */
    int64_t echoes;     /* reductions of the window for marks */
};

struct weir__tcp;

/* What makes a variant. `una` has moved already when on_new_ack is called. */
struct weir__tcp_hooks {
    bool sack;                                       /* the receiver reports blocks */
    enum weir_status (*init)(struct weir__tcp *tcp); /* NULL = keeps no state of its own */
    void (*restart)(struct weir__tcp *tcp);          /* NULL likewise; a fresh connection */
    void (*on_sent)(struct weir__tcp *tcp, int64_t); /* NULL = does not care */
    /* ACKs count marks (accurate ECN), new data is ECT(1), the window grows by what is acknowledged
     * without a mark, and packets are paced by flow.h, so that the window may be rounded up: each
     * ACK, before una moves. NULL = as in RFC 3168, and in bursts */
    void (*on_marks)(struct weir__tcp *tcp, int64_t ack, int64_t marked_packets);
    void (*on_new_ack)(struct weir__tcp *tcp, int64_t acked_packets);
    void (*on_dupack)(struct weir__tcp *tcp);
    /* Congestion avoidance: `packets` are acknowledged; NULL = 1/cwnd for each. */
    void (*avoid)(struct weir__tcp *tcp, double packets);
    void (*reduce)(struct weir__tcp *tcp);            /* fast retransmit: ssthresh and cwnd */
    void (*reduce_on_timeout)(struct weir__tcp *tcp); /* ssthresh; NULL = weir__tcp_halve() */
    void (*on_timeout)(struct weir__tcp *tcp);        /* NULL; after that and cwnd = 1 */
};

extern const struct weir__tcp_hooks weir__tcp_reno;
extern const struct weir__tcp_hooks weir__tcp_newreno;
extern const struct weir__tcp_hooks weir__tcp_sack;
extern const struct weir__tcp_hooks weir__tcp_vegas;
extern const struct weir__tcp_hooks weir__tcp_westwood;
extern const struct weir__tcp_hooks weir__tcp_cubic;
extern const struct weir__tcp_hooks weir__tcp_prague;

struct weir__tcp {
    const struct weir__tcp_hooks *hooks;
    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    double cwnd_packets;
    int64_t ssthresh_packets;
    int64_t una;               /* highest cumulative ACK, -1 at first */
    int64_t next;              /* to be sent */
    int64_t highest;           /* ever sent, -1 at first */
    int64_t available_packets; /* that the application has written */
    int64_t dupwnd_packets;    /* inflation of the window in recovery */
    int64_t dupacks;
    int64_t echoed_packets; /* that the ACK at hand tells as marked; INT64_MAX: it only tells that
                               some are */
    int64_t timed_seq;      /* the packet whose round trip is measured, -1 = none */
    int64_t timed_ns;
    int64_t last_sent_ns;
    int64_t restarted_ns; /* ACKs sent before are of an earlier connection */
    bool active;
    bool in_recovery;
    bool partial_seen;    /* in this recovery */
    bool reduced;         /* the next new packet tells that the window was reduced (CWR) */
    uint8_t marks_told;   /* by the newest ACK, where they are counted */
    int64_t recover;      /* highest at the last reduction, of a recovery or a timeout ... */
    int64_t echo_recover; /* ... and for a mark */
    int64_t pipe_packets; /* SACK recovery: estimate of the packets under way */
    struct weir__tcp_config config;
    struct weir__tcp_rto rto;
    struct weir__deadline retransmission;
    struct weir__tcp_stats stats;
    int64_t filled_ns;                 /* CWV: when the window was last in full use, or reduced */
    int64_t used_packets;              /* CWV: most under way since then */
    void *state;                       /* of the variant, freed with the sender */
    struct weir__timer control;        /* start, then stop */
    struct weir__tcp_scoreboard board; /* only for SACK */
};

void weir__tcp_config_default(struct weir__tcp_config *config);
enum weir_status weir__tcp_check(const struct weir__tcp_config *config);
bool weir__tcp_is_ecn_capable(const struct weir__tcp_config *config);
enum weir_status weir__tcp_init(struct weir__tcp *tcp, struct weir__sim *sim,
                                struct weir__packet_pool *pool,
                                const struct weir__tcp_config *config);
void weir__tcp_finish(struct weir__tcp *tcp);
struct weir__port weir__tcp_port(struct weir__tcp *tcp);
void weir__tcp_on_ack(struct weir__tcp *tcp, int64_t ack, const struct weir__sack_block *blocks,
                      size_t n_blocks);
void weir__tcp_write(struct weir__tcp *tcp, int64_t packets);
void weir__tcp_restart(struct weir__tcp *tcp, int64_t packets);

/* For the variants. */
double weir__tcp_window(const struct weir__tcp *tcp);
void weir__tcp_send(struct weir__tcp *tcp, int64_t seq);
bool weir__tcp_send_new(struct weir__tcp *tcp);
void weir__tcp_send_burst(struct weir__tcp *tcp, int64_t most_packets);
void weir__tcp_send_allowed(struct weir__tcp *tcp);
void weir__tcp_restart_timer(struct weir__tcp *tcp);
void weir__tcp_halve(struct weir__tcp *tcp);

#endif
