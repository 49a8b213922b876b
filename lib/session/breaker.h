/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP circuit breaker (RFC 8083): the last resort when congestion control does not work. All
 * streams of a session are one group.
 *
 * Differs from the specification, where it leaves room:
 *   - 4.1: a peer that was never heard at all reduces the rate to the minimum instead of stopping:
 *     RTCP may simply not be set up, and the program is told.
 *   - 4.2: a report without progress counts when packets were sent since the one before: the last
 *     packet of a talk spurt may be lost, and silence follow it.
 *   - 4.3: the newest interval must exceed its own limit, and so must what is allowed now, unless
 *     the source sends more than that: congestion control that has answered a step of the capacity
 *     is not punished for what it sent before;
 *   - 4.3: not before congestion control could have come down: TCP, with which the rule compares
 *     it, takes a round trip for each halving from where losses began;
 *   - 4.3: the first trigger allows a tenth of what was sent in the judged intervals, not of what
 *     congestion control has come down to; the second, one evaluation later, stops.
 *   - 4.5: RTCP heard after stopping restarts at the minimum rate, the triggering interval after
 *     the stop at the earliest; the rate may then double every second. */
#ifndef WEIR_BREAKER_H
#define WEIR_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "control/controller.h"

enum { WEIR__BREAKER_INTERVALS = 128 };

enum weir__breaker_state {
    WEIR__BREAKER_CLOSED,
    WEIR__BREAKER_REDUCED, /* cap_bps holds */
    WEIR__BREAKER_CEASED   /* nothing may be sent */
};

/* The times that the rules are made of. */
struct weir__breaker_times {
    int64_t frames_per_group; /* G */
    int64_t frame_ns;         /* Tf */
    int64_t rtt_ns;           /* Tr */
    int64_t report_ns;        /* Tdr */
    int64_t report_5s_ns;     /* Td: the same with a minimum of 5 s */
};

/* RFC 8083 4.2: reports without progress that stop the media. */
int64_t weir__breaker_media_timeout_reports(const struct weir__breaker_times *times);
/* RFC 8083 4.3: reporting intervals that congestion is judged over, 1 .. WEIR__BREAKER_INTERVALS.
 */
int64_t weir__breaker_congestion_reports(const struct weir__breaker_times *times);
/* RFC 8083 4.3: TCP's throughput by the simplified equation, in bit/s. loss_ratio in (0, 1]. */
double weir__breaker_tcp_bps(int64_t packet_bytes, int64_t rtt_ns, double loss_ratio);

struct weir__breaker_interval {
    uint32_t expected_packets;
    uint32_t lost_packets;
    int64_t duration_ns;
    int64_t sent_bytes;
};

/* What is used each time lies together: the intervals are stored from the end. */
struct weir__breaker {
    struct weir__breaker_interval intervals[WEIR__BREAKER_INTERVALS];
    enum weir__breaker_state state;
    bool heard; /* any RTCP ever */
    bool heard_since_stop;
    bool evaluated; /* the cut has been judged once more */
    int64_t cap_bps;
    int64_t changed_ns;    /* when the state or the cap changed */
    int64_t hold_ns;       /* how long it stays at least */
    int64_t unanswered_ns; /* first packet since the last RTCP; WEIR_NEVER_NS = none */
    int64_t last_frame_ns;
    uint32_t last_timestamp;
    bool has_frame;
    bool has_sent;          /* since the last report that counted */
    int64_t n_idle_reports; /* in a row, without progress */
    int64_t idle_limit;
    struct weir__breaker_times times;
    int64_t allowed_bps;  /* when the newest report came */
    int64_t lossy_ns;     /* the newest report of losses came; WEIR_UNKNOWN_NS */
    int64_t began_ns;     /* losses that followed one another within Tr: when they began, ... */
    int64_t began_bps;    /* ... and what was allowed then */
    uint32_t n_intervals; /* in all: the newest take the places of the oldest */
};

void weir__breaker_init(struct weir__breaker *breaker);
void weir__breaker_on_sent(struct weir__breaker *breaker, int64_t now_ns, uint32_t rtp_timestamp);
/* Any RTCP of the peer. wanted_bps: what would be allowed without the breaker. */
void weir__breaker_on_rtcp(struct weir__breaker *breaker, int64_t now_ns, int64_t wanted_bps);
/* A receiver report about the group. advanced: the highest sequence number moved on. rate_bps: what
 * is allowed now. */
void weir__breaker_on_report(struct weir__breaker *breaker, const struct weir_report *report,
                             bool advanced, int64_t rate_bps);
void weir__breaker_on_timer(struct weir__breaker *breaker, int64_t now_ns);
int64_t weir__breaker_next_timer_ns(const struct weir__breaker *breaker);

/* Upper bound of the rate, before the configured minimum; INT64_MAX when closed, 0 when ceased. */
int64_t weir__breaker_cap_bps(const struct weir__breaker *breaker);

#endif
