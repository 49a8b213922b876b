/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The emulated TCP of TEAR (Rhee, Ozdemir, Yi 2000): a congestion window that follows packets as
 * they arrive, and the rate it stands for.
 *
 * Time is divided into rounds of floor(cwnd) arrivals, each of which stands for one round-trip time
 * of a TCP, and into epochs between two reductions. The rate of an epoch is the mean window of its
 * rounds over their mean time; the rate of the flow is a weighted mean over epochs.
 *
 * Who decides what: the session says which packets are lost; this machine says what a TCP would
 * have made of it - which losses are one event, when the window is halved, and what is a timeout.
 * While the outcome of a packet below the highest arrival is open the window stands still (GAP). */
#ifndef WEIR_ESTIMATORS_TEAR_WINDOW_H
#define WEIR_ESTIMATORS_TEAR_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR__TEAR_SAMPLES_MAX 32

enum weir__tear_state {
    WEIR__TEAR_SLOW_START,
    WEIR__TEAR_AVOIDANCE,
    WEIR__TEAR_GAP,   /* a packet is missing, and may still come */
    WEIR__TEAR_DUPACK /* it is lost: the rest of its window is let through, then cwnd is halved */
};

/* What the sender knows while it tells of arrivals and losses. */
struct weir__tear_path {
    int64_t now_ns;
    double rtt_s;       /* > 0 */
    double rto_s;       /* >= rtt_s */
    bool grows;         /* the flow uses what it is allowed: false stops the growth of cwnd */
    double most_cwnd;   /* that slow start may reach */
    int64_t sent_until; /* seq of the next packet to be sent */
};

struct weir__tear_window {
    enum weir__tear_state state;
    enum weir__tear_state before_gap;
    double cwnd; /* packets, >= 1 */
    double ssthresh;
    double last_cwnd;      /* at the end of the last round */
    int64_t round_packets; /* of the round under way ... */
    int64_t round_left;    /* ... still to come */
    int64_t round_ns;      /* its start by the clock of arrivals, or WEIR_UNKNOWN_NS */
    double epoch_windows;  /* of the open epoch: sum of cwnd over rounds ... */
    double epoch_s;        /* ... and of their times */
    double closed[WEIR__TEAR_SAMPLES_MAX]; /* packets/s of the closed epochs, newest first */
    size_t n_closed;
    size_t n_samples;    /* epochs in the mean, 1 .. WEIR__TEAR_SAMPLES_MAX */
    int64_t next_seq;    /* expected next; -1: whatever comes */
    int64_t highest_seq; /* that arrived */
    int64_t gap_seq;     /* the missing packet, in GAP */
    int64_t event_end;   /* losses of lower seq belong to the last event */
    int64_t deadline_ns; /* GAP: the packet is given up; DUPACK: T_to; else WEIR_NEVER_NS */
    int64_t arrived_ns;  /* last arrival, or WEIR_UNKNOWN_NS */
    double spacing_s;    /* between arrivals, mean ... */
    double deviation_s;  /* ... and mean deviation; both 0 before the first */
    int64_t n_events;    /* reductions by DUPACK */
    int64_t n_timeouts;
};

/* The mean over epochs in packets/s: closed[0] is the newest of n_closed. The open epoch
 * (open_rate < 0: none) counts as the newest where that raises the result. Weights are 1 for the
 * newer half of n_samples, then fall to nothing; with fewer epochs those there are share the
 * weight. 0 without any epoch. */
double weir__tear_mean_rate(const double *closed, size_t n_closed, double open_rate,
                            size_t n_samples);

/* Slow start from cwnd >= 1 up to ssthresh. Losses below event_end are an earlier life's. */
void weir__tear_window_init(struct weir__tear_window *window, size_t n_samples, double cwnd,
                            double ssthresh, int64_t event_end);

/* Arrivals, in the order in which they arrived, at_ns by any one clock. */
void weir__tear_window_on_arrival(struct weir__tear_window *window,
                                  const struct weir__tear_path *path, int64_t seq, int64_t at_ns);

/* Losses, in rising order, each just before the first arrival of a higher seq. overtaken: enough
 * later packets arrived for duplicate ACKs; otherwise a TCP would have had to time out. */
void weir__tear_window_on_lost(struct weir__tear_window *window, const struct weir__tear_path *path,
                               int64_t seq, bool overtaken);

/* A TCP's retransmission timeout. */
void weir__tear_window_on_timeout(struct weir__tear_window *window,
                                  const struct weir__tear_path *path);

/* At the latest at deadline_ns, and before the packets of a feedback. */
void weir__tear_window_on_time(struct weir__tear_window *window,
                               const struct weir__tear_path *path);

/* Instead of arrivals and losses: that many rounds passed, with loss events spread evenly. */
void weir__tear_window_on_rounds(struct weir__tear_window *window,
                                 const struct weir__tear_path *path, double rounds,
                                 int64_t n_events);

/* Arrivals will be timed by another clock. */
void weir__tear_window_new_clock(struct weir__tear_window *window);

/* The epochs are forgotten, cwnd is not. */
void weir__tear_window_forget_epochs(struct weir__tear_window *window);

/* Packets/s. Before the first round of the first epoch cwnd per round-trip time. */
double weir__tear_window_rate(const struct weir__tear_window *window, double rtt_s);

/* The open epoch's packets/s, or -1 before its first round. */
double weir__tear_window_open_rate(const struct weir__tear_window *window);

#endif
