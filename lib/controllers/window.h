/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window engine: what every window scheme has in common. Slow start, one reaction per window of
 * data, timeouts, idle and application-limited times, pacing, and the form that runs from receiver
 * reports. Schemes differ in their rules of increase and decrease only (struct window_rules).
 *
 * A scheme's state begins with a struct window, its parameter table with WINDOW_PARAMS,
 * and it names the engine's functions:
 *
 *   struct gaimd { struct window window; double a, b; };
 *   const struct weir_controller weir_gaimd = {.name = "gaimd", WINDOW_EVENTS, ...};
 *
 * Windows are in packets (of the mean size), as in the papers; fractions are kept.
 * Invariant: 1 <= cwnd <= WINDOW_MAX_PACKETS, 2 <= ssthresh <= WINDOW_MAX_PACKETS. */
#ifndef WEIR_CONTROLLERS_WINDOW_H
#define WEIR_CONTROLLERS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/controller.h"

/* 100 000 packets per second at an RTT of 10 s. As ssthresh it means: no loss yet. */
#define WINDOW_MAX_PACKETS 1e6

struct window;

/* What a scheme decides. `scheme` is its whole state. */
struct window_rules {
    /* Congestion avoidance: cwnd after acked_packets (> 0) more have arrived: 1 for each packet
     * reported, about cwnd for each round-trip time of a receiver report. The engine limits the
     * growth to that of slow start and calls nothing while the window is not used. */
    double (*increase)(void *scheme, const struct window *window, double acked_packets);
    /* cwnd after a loss event outside slow start. The engine keeps it >= 1. */
    double (*decrease)(void *scheme, const struct window *window);
    /* A new epoch begins: cwnd has its new value (after a loss event, at the end of slow start,
     * after idle time). May be NULL. */
    void (*begin_epoch)(void *scheme, const struct window *window);
    /* The first packet leaves after idle_rtos (>= 1) retransmission timeouts without any: changes
     * cwnd. NULL: half the window for each, not below the initial one. */
    void (*on_idle)(void *scheme, struct window *window, int64_t idle_rtos);
    double paper_initial_packets; /* initial window with initial = paper; 0 = as RFC 3390 */
};

/* The engine's parameters, the first in every scheme's table; its own follow:
 *   enum { PARAM_ALPHA = WINDOW_N_PARAMS, ... }; */
enum window_param {
    WINDOW_PARAM_INITIAL,          /* start-rate (live media) or paper */
    WINDOW_PARAM_INITIAL_WINDOW,   /* packets; 0 = 2 to 4 (RFC 3390), or the paper's */
    WINDOW_PARAM_INITIAL_SSTHRESH, /* packets; 0 = none: slow start lasts until the first loss */
    WINDOW_PARAM_MIN_RTO,          /* ms */
    WINDOW_PARAM_CLOCKING,         /* paced at cwnd s/SRTT, or by acknowledgements alone (ns-2) */
    WINDOW_PARAM_LOSS_GROUPING,    /* a loss event ends with the window, or after an RTT */
    WINDOW_N_PARAMS
};

#define WINDOW_PARAMS                                                                              \
    [WINDOW_PARAM_INITIAL] =                                                                       \
        WEIR_ROW_CHOICE("initial", 0,                                                              \
                        "Rate before the first RTT sample, and the window after it: the start "    \
                        "bitrate, or the initial window of the paper.",                            \
                        "start-rate", "paper"),                                                    \
    [WINDOW_PARAM_INITIAL_WINDOW] =                                                                \
        WEIR_ROW_NUMBER("initial-window", "packets", 0.0, 1000.0, 0.0,                             \
                        "Initial window; 0 = 2 to 4 by packet size (RFC "                          \
                        "3390), or the paper's with initial = paper."),                            \
    [WINDOW_PARAM_INITIAL_SSTHRESH] =                                                              \
        WEIR_ROW_NUMBER("initial-ssthresh", "packets", 0.0, 1e6, 0.0,                              \
                        "Window at which the first slow start ends without a loss; 0 = none."),    \
    [WINDOW_PARAM_MIN_RTO] =                                                                       \
        WEIR_ROW_NUMBER("min-rto", "ms", 1.0, 60000.0, 200.0,                                      \
                        "Least retransmission timeout; 200 in ns-2, 1000 in RFC 6298."),           \
    [WINDOW_PARAM_CLOCKING] = WEIR_ROW_CHOICE("clocking", 0,                                       \
                                              "What releases packets: a pacer at one window per "  \
                                              "RTT, or acknowledgements alone as in ns-2.",        \
                                              "paced", "ack"),                                     \
    [WINDOW_PARAM_LOSS_GROUPING] = WEIR_ROW_CHOICE(                                                \
        "loss-grouping", 0,                                                                        \
        "Losses that are one event: of packets sent before the reaction (SACK TCP), "              \
        "or within an RTT.",                                                                       \
        "window", "rtt")

struct window {
    const struct window_rules *rules;
    double cwnd; /* packets */
    double ssthresh;
    double before_loss;     /* used just before the last loss event or timeout; 0 = none yet */
    double slow_start_gain; /* packets per acknowledged packet; 1 unless the scheme changes it */
    bool frozen;            /* set by a scheme: cwnd does not grow */
    bool whole_packets;     /* likewise: halved windows are rounded down (RFC 4341 5) */

    struct weir_path path; /* as the last event brought it */
    bool rtt_is_assumed;   /* reports without any RTT */
    bool has_started;      /* cwnd was set for the path */
    struct weir__byte_limits limits;
    double start_share; /* of the start, after losses before the first RTT sample */

    int64_t recover;         /* highest seq sent at the last reduction */
    int64_t event_end_ns;    /* send time up to which losses belong to the last event (rtt) */
    int64_t report_event_ns; /* estimators/report_events.h */
    int64_t highest_sent;    /* seq; -1 = none */
    int64_t highest_heard;
    int64_t last_sent_ns; /* WEIR_UNKNOWN_NS: nothing was sent */

    /* How much of the window is used: the most in flight in this round and the one before. */
    int64_t round_end;
    double most_flight;
    double most_flight_before;

    double backoff; /* 1, 2, 4 ... 64: doubled by each timeout since the last sign of life; from
                       reports beyond that, and it divides the rate alone */
    int64_t report_interval_ns; /* mean; 0 = the last feedback was on packets */

    bool starts_at_start_rate;
    bool ack_clocked;
    bool groups_by_rtt;
    double initial_packets; /* parameter */
    double initial_ssthresh;
    int64_t min_rto_ns;

    int64_t n_events;
    int64_t n_timeouts;
};

/* Call first: the engine's part of the state is written whole. */
void weir__window_init(struct window *window, const struct window_rules *rules,
                       const struct weir_config *config);

/* The callbacks of struct weir_controller. state points to a struct window. */
void weir__window_on_packet_sent(void *state, const struct weir_path *path,
                                 const struct weir_sent_packet *sent);
void weir__window_on_feedback(void *state, const struct weir_path *path,
                              const struct weir_feedback *feedback);
void weir__window_on_report(void *state, const struct weir_path *path,
                            const struct weir_report *report);
void weir__window_on_silence(void *state, const struct weir_path *path, int64_t now_ns);
int64_t weir__window_silence_timeout_ns(const void *state, const struct weir_path *path);
void weir__window_on_path_change(void *state, const struct weir_path *path, int64_t now_ns);
void weir__window_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns);
void weir__window_seed_rtt(void *state, const struct weir_path *path, int64_t now_ns);
void weir__window_get_output(const void *state, struct weir_control *control);
/* cwnd, ssthresh, in slow start, reductions, timeouts ...; a scheme tells its own behind them. */
void weir__window_get_variables(const void *state, struct weir_variables *to);

/* Their places in a scheme's table, but for on_silence and get_variables. */
#define WINDOW_EVENTS                                                                              \
    .needs = WEIR_NEEDS_PACKETS | WEIR_HAS_REPORT_FORM,                                            \
    .on_packet_sent = weir__window_on_packet_sent, .on_feedback = weir__window_on_feedback,        \
    .on_report = weir__window_on_report, .on_path_change = weir__window_on_path_change,            \
    .set_limits = weir__window_set_limits, .seed_rtt = weir__window_seed_rtt,                      \
    .silence_timeout_ns = weir__window_silence_timeout_ns, .get_output = weir__window_get_output

/* For the rules. Packets sent and not heard of yet, in front of the newest that was. */
double weir__window_flight(const struct window *window);
/* cwnd, but when the source was the limit no more than was in flight lately. */
double weir__window_used(const struct window *window);
/* SRTT, or what is assumed instead. */
int64_t weir__window_rtt_ns(const struct window *window);
/* Retransmission timeout without backoff. */
int64_t weir__window_rto_ns(const struct window *window);
/* The window that a flow begins with, which is also enough after idle times. */
double weir__window_initial(const struct window *window);
bool weir__window_in_slow_start(const struct window *window);

#endif
