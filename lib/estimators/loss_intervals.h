/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loss events, the intervals between them, and the loss event rate p (RFC 5348 5), run at the
 * sender, where send times are known exactly.
 *
 * A loss event is one or more losses within one round-trip time. The two newest events keep the
 * packets they consist of: a packet that arrives after all is taken out and the events are grouped
 * anew. Older events are settled.
 *
 * p never rises without a new loss event (or an out-of-order loss). With constant intervals of L
 * packets p is 1/L as long as the open interval is not longer than L. */
#ifndef WEIR_ESTIMATORS_LOSS_INTERVALS_H
#define WEIR_ESTIMATORS_LOSS_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR__LOSS_INTERVALS_MAX 32
#define WEIR__LOSS_EVENT_PACKETS 16
#define WEIR__LOSS_RECENT_EVENTS 2

struct weir__loss_packet {
    int64_t seq;
    int64_t sent_ns;
};

/* An event that can still change. packets[0] starts it. */
struct weir__loss_event {
    struct weir__loss_packet packets[WEIR__LOSS_EVENT_PACKETS]; /* by seq */
    size_t n_packets;
    int64_t n_lost; /* >= n_packets */
    int64_t rtt_ns; /* when it began */
};

/* Closed intervals, newest first, with their discount factors. */
struct weir__loss_history {
    size_t n;
    double packets[WEIR__LOSS_INTERVALS_MAX];
    double discount[WEIR__LOSS_INTERVALS_MAX];
};

/* Where the open interval begins when no recent event says so. */
struct weir__loss_anchor {
    struct weir__loss_packet start;
    int64_t n_lost;
    int64_t rtt_ns;
};

struct weir__loss_intervals {
    size_t n_intervals;        /* in the average, 8 in the RFC */
    double discount_threshold; /* least discount factor (RFC 5348 5.5); 1 = no discounting */
    bool short_intervals;      /* TFRC-SP rules for intervals of at most two round-trip times */
    double first_packets;      /* synthetic first interval */
    struct weir__loss_history settled;
    bool has_anchor; /* the newest settled event */
    struct weir__loss_anchor anchor;
    struct weir__loss_event recent[WEIR__LOSS_RECENT_EVENTS]; /* oldest first */
    size_t n_recent;
    uint64_t n_events; /* counted since the start, taken back ones left out */
    int64_t highest_received;
    int64_t highest_sent_ns; /* when that packet left */
    bool from_reports;       /* intervals come from receiver reports at present */
    double open_packets;     /* then: length of the open interval */
};

/* n_intervals 1 .. WEIR__LOSS_INTERVALS_MAX. */
void weir__loss_intervals_init(struct weir__loss_intervals *losses, size_t n_intervals,
                               double discount_threshold, bool short_intervals);

/* Whether there is a loss event in the history. Before the first one, set_first must be called. */
bool weir__loss_intervals_has_event(const struct weir__loss_intervals *losses);

/* Length of the interval that ends with the first loss event: 1/p of the rate reached so far (RFC
 * 5348 6.3.1). At least 1. */
void weir__loss_intervals_set_first(struct weir__loss_intervals *losses, double packets);

void weir__loss_intervals_on_received(struct weir__loss_intervals *losses, int64_t seq,
                                      int64_t sent_ns);

/* A loss, or an ECN mark. Returns true when it makes a new loss event. */
bool weir__loss_intervals_on_lost(struct weir__loss_intervals *losses, int64_t seq, int64_t sent_ns,
                                  int64_t rtt_ns);

/* A packet reported lost before has arrived. Returns true when that took a loss event away. */
bool weir__loss_intervals_on_late(struct weir__loss_intervals *losses, int64_t seq,
                                  int64_t sent_ns);

/* A receiver report with n_events loss events in expected packets: as many intervals of equal
 * length, the first of them together with the open interval. */
void weir__loss_intervals_on_report(struct weir__loss_intervals *losses, int64_t expected_packets,
                                    int64_t n_events);

/* The loss event rate, in [1e-8, 1], or 0 before the first loss event. */
double weir__loss_intervals_p(const struct weir__loss_intervals *losses);

/* I_0, the open interval, >= 1, or 0 before the first loss event. */
double weir__loss_intervals_open(const struct weir__loss_intervals *losses);

/* The i-th closed interval, 1 is the newest; 0 when there is none. */
double weir__loss_intervals_closed(const struct weir__loss_intervals *losses, size_t i);

#endif
