/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window engine: what every window scheme has in common. Slow start, one reaction per window of
 * data, timeouts, idle and application-limited times, pacing, and the form that runs from receiver
 * reports. Schemes differ in their rules of increase and decrease only (struct window_rules).
 *
 * A scheme's state begins with a struct window, and its table names the engine's functions:
 *
 *   struct gaimd { struct window window; double a, b; };
 *   .on_feedback = weir__window_on_feedback, .get_output = weir__window_get_output, ...
 *
 * Windows are in packets (of the mean size), as in the papers; fractions are kept. */
#ifndef WEIR_CONTROLLERS_WINDOW_H
#define WEIR_CONTROLLERS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller.h"
#include "estimators/rtt.h"

struct window;

/* What a scheme decides. `scheme` is its whole state. */
struct window_rules {
    /* Congestion avoidance: cwnd after acked_packets (> 0) more have arrived. The engine limits the
     * growth to that of slow start and calls nothing while the window is not used. */
    double (*increase)(void *scheme, const struct window *window, double acked_packets,
                       int64_t now_ns);
    /* cwnd after a loss event outside slow start. The engine keeps it >= 1. */
    double (*decrease)(void *scheme, const struct window *window);
    /* A new epoch begins: cwnd has its new value (after a loss event, at the end of slow start,
     * after idle time); before_packets is the window just before the loss. May be NULL. */
    void (*begin_epoch)(void *scheme, const struct window *window, double before_packets,
                        int64_t now_ns);
};

/* The engine's parameters, the first in every scheme's table: WINDOW_PARAMS. */
enum window_param {
    WINDOW_PARAM_INITIAL,        /* start-rate (live media) or window (papers) */
    WINDOW_PARAM_INITIAL_WINDOW, /* packets; 0 = min(4, 4380/s) (RFC 3390) */
    WINDOW_PARAM_MIN_RTO,        /* ms */
    WINDOW_PARAM_CLOCKING,       /* paced at cwnd s/SRTT, or by acknowledgements alone (ns-2) */
    WINDOW_N_PARAMS
};

struct window {
    const struct window_rules *rules;
    double cwnd; /* packets */
    double ssthresh;
    double s; /* mean packet size, bytes */
    struct weir__rtt rtt;
    int64_t recover;      /* highest seq sent at the last reduction */
    int64_t highest_sent; /* seq */
    /* ... the engine adds what it needs ... */
};

void weir__window_init(struct window *window, const struct window_rules *rules,
                       const struct weir_config *config, int64_t now_ns);

/* The callbacks of struct weir_controller. state points to a struct window. */
void weir__window_on_packet_sent(void *state, const struct weir_sent_packet *sent);
void weir__window_on_feedback(void *state, const struct weir_feedback *feedback);
void weir__window_on_report(void *state, const struct weir_report *report);
void weir__window_on_timer(void *state, int64_t now_ns);
void weir__window_on_path_change(void *state, int64_t now_ns);
void weir__window_set_limits(void *state, const struct weir_limits *limits, int64_t now_ns);
void weir__window_seed_rtt(void *state, int64_t rtt_ns, int64_t now_ns);
int64_t weir__window_next_timer_ns(const void *state);
void weir__window_get_output(const void *state, struct weir_control *control);
/* cwnd, ssthresh, in slow start, reductions, timeouts ...; a scheme appends its own. */
size_t weir__window_get_variables(const void *state, struct weir_variable *variables, size_t n);

#endif
