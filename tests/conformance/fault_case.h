/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A case: a path, a peer, what is wrong with them, and what is demanded of the sending session. */
#ifndef WEIR_TESTS_FAULT_CASE_H
#define WEIR_TESTS_FAULT_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAULT_PHASES = 6, FAULT_DEMANDS = 8 };

/* What holds from at_s on; a phase that begins at 0 ends the list, but for the first. */
struct fault_phase {
    double at_s;
    double mbps;     /* 0: nothing passes */
    double delay_ms; /* one way, there and back */
};

/* What is measured in a window of time. */
enum fault_figure {
    FAULT_NONE,
    FAULT_USE,       /* delivered, of the capacity (or of what the source may make): at least */
    FAULT_OF_TWIN,   /* delivered, of what the twin delivers: at least */
    FAULT_OVER,      /* allowed wire rate, mean, of the capacity: at most, as all that follow */
    FAULT_LOSS,      /* share of packets that the bottleneck and the path lost */
    FAULT_Q95_MS,    /* of the queue at the bottleneck */
    FAULT_GAP_S,     /* the longest time without a packet */
    FAULT_HALF_S,    /* until the rate is half of what the last feedback left, or the least */
    FAULT_MIN_S,     /* until it is at the minimum, or stopped */
    FAULT_AT_MIN_S,  /* how long it is there in all */
    FAULT_REACH_S,   /* until half of the capacity is used, for a second */
    FAULT_DEVIATION, /* from the twin's allowed rate, the largest, as a share of it */
    FAULT_FLAT,     /* of a soak: the largest change of an hour's rate, as a share of the first's */
    FAULT_GROWN_KB, /* of a soak: memory since the first hour */
    FAULT_BROKEN,   /* how often an invariant of the session did not hold */
    FAULT_FIGURES
};

/* The bound, and where it comes from. */
struct fault_demand {
    enum fault_figure figure;
    double from_s, to_s;
    double bound;
    const char *why;
};

/* Who sends RTCP beside the peer. */
enum fault_forger {
    FAULT_NO_FORGER,
    FAULT_SEES_ALL,    /* reports that all arrived, after the same time */
    FAULT_SEES_FEW,    /* reports one packet of twenty */
    FAULT_SEES_UNSENT, /* reports packets that have not been sent */
    FAULT_REPLAYS,     /* the peer's datagrams of the time before, in their order */
    FAULT_UNKNOWN,     /* a packet type that nobody knows, 8 bytes */
    FAULT_MALFORMED,   /* a length that is not there */
    FAULT_STRANGERS    /* receiver reports of a new SSRC each about our stream */
};

enum fault_ecn {
    FAULT_NO_ECN,
    FAULT_MARKS,    /* CE above 20 ms of queue */
    FAULT_BLEACHES, /* the marks are removed on the way */
    FAULT_MANGLES,  /* ECT(0), ECT(1) and not-ECT at random */
    FAULT_ALL_CE    /* while the forger is there */
};

/* What the counters and clocks begin with, in the rows of those that wrap. */
struct fault_origin {
    uint16_t rtp_seq, transport_seq;
    uint32_t timestamp;
    int64_t local_ns; /* monotonic clock of the sender */
    int64_t unix_s;   /* wall clocks of both, less the day they have anyhow */
    int64_t peer_ns;  /* monotonic clock of the peer, less 5000 s */
};

struct fault_rig;

struct fault_case {
    const char *name;      /* F05/blackout; where several formats are tried, their names follow */
    const char *algorithm; /* NULL = each of the table, sluice by itself */
    const char *twin;      /* name of the case that is the same without the fault */
    struct fault_phase phases[FAULT_PHASES];
    double saw_s, saw_mbps;  /* capacity falls to saw_mbps in so long, and begins again */
    double queue_ms;         /* of the first capacity; 0 = 200 */
    int64_t queue_bytes;     /* 0 = of queue_ms */
    uint32_t format;         /* enum weir_feedback_format bits, one run for each; 0 = results */
    double feedback_ms;      /* 0 = 50 for results, else as the receiver wants */
    double sender_report_ms; /* at least between two sender reports; 0 = as the session wants */
    /* The peer's clock at our time (and what it tells about a packet sent at sent_ns; 0 if it does
     * not know). NULL: a clock of its own, without fault. */
    int64_t (*clock)(const struct fault_rig *rig, int64_t at_ns, int64_t sent_ns);
    int64_t (*clock_2)(const struct fault_rig *rig, int64_t at_ns, int64_t sent_ns);
    double jump_at_s, jump_s; /* of the sender's clock */
    struct fault_origin origin;
    bool own_numbers; /* not the session gives the transport-wide ones */
    bool no_times;    /* results without arrival times */
    bool claims_all;  /* lost packets are reported received */
    bool feedback_twice;
    int64_t lose_feedback;         /* each n-th; 0 = none */
    double feedback_jitter_ms;     /* and so in another order */
    double mute_from_s, mute_to_s; /* no feedback comes through */
    double reset_s;                /* the peer begins anew */
    double restart_s;              /* the sender begins anew */
    double reorder_ms;             /* each 20th packet is held back for so long */
    double jitter_ms;              /* of packets, in order */
    int64_t duplicate;             /* each n-th packet arrives twice; 0 = none */
    double burst_s;                /* each so often nothing passes for burst_ms */
    double burst_ms;
    double loss; /* of each packet */
    enum fault_ecn ecn;
    enum fault_forger forger;
    bool forges_name; /* the peer's SSRC, not a stranger's */
    double forger_from_s, forger_to_s;
    double forger_per_s;  /* datagrams; 0 = as a receiver sends them */
    double max_mbps;      /* of the session; 0 = 4 times the greatest capacity */
    double start_kbps;    /* 0 = 500 */
    bool circuit_breaker; /* the circuit breaker of RFC 8083 */
    double source_kbps;   /* what the source makes at most; 0 = no bound */
    double frame_ms;      /* 0 = 30 frames/s */
    double key_s;         /* a frame of 8 times the size each so often */
    double pause_from_s, pause_to_s;
    bool audio;
    bool audio_apart;  /* on a transport of its own, with clock_2 */
    int64_t n_streams; /* SSRCs of video, by turns; 0 = 1 */
    bool is_soak;      /* for days: looked at once a second */
    double seconds;
    struct fault_demand demands[FAULT_DEMANDS];
};

#endif
