/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells the program what happens between a sending session and its controller, as records of
 * weir/trace.h: all that goes in, so that a run can be replayed, and what comes out when it has
 * changed. Without a listener a call does nothing. */
#ifndef WEIR_SESSION_TRACER_H
#define WEIR_SESSION_TRACER_H

#include "control/controller.h"
#include "control/driver.h"
#include "weir/trace.h"

struct weir__tracer {
    void (*on_trace)(void *user, const struct weir_trace_record *record); /* NULL: nobody */
    void *user;
    struct weir_output output; /* the newest that was told ... */
    struct weir_control control;
    int64_t figures_ns, variables_ns; /* ... and when; WEIR_UNKNOWN_NS: not yet */
};

void weir__tracer_init(struct weir__tracer *tracer);

/* What the controller is called with. */
void weir__trace_start(const struct weir__tracer *tracer, int64_t now_ns,
                       const struct weir_controller *controller, const struct weir_config *config,
                       int64_t rtt_ns);
void weir__trace_limits(const struct weir__tracer *tracer, int64_t now_ns,
                        const struct weir_limits *limits);
void weir__trace_path(const struct weir__tracer *tracer, int64_t now_ns);
void weir__trace_timer(const struct weir__tracer *tracer, int64_t now_ns);
void weir__trace_sent(const struct weir__tracer *tracer, int64_t now_ns,
                      const struct weir_sent_packet *packet);
void weir__trace_feedback(const struct weir__tracer *tracer, int64_t now_ns,
                          const struct weir_feedback *feedback);
void weir__trace_report(const struct weir__tracer *tracer, int64_t now_ns,
                        const struct weir_report *report);

/* What it answers, and what the session makes of it: when anything has changed. */
void weir__trace_control(struct weir__tracer *tracer, int64_t now_ns,
                         const struct weir_control *control);
void weir__trace_output(struct weir__tracer *tracer, int64_t now_ns,
                        const struct weir_output *output);

/* What a live view shows. Whether they are due: ten times a second. */
bool weir__tracer_wants_figures(const struct weir__tracer *tracer, int64_t now_ns);
/* Figures, and once a second the controller's variables. */
void weir__trace_figures(struct weir__tracer *tracer, int64_t now_ns,
                         enum weir_limited_by limited_by, int64_t queueing_ns,
                         int64_t send_queue_ns, const struct weir__driver *driver);

#endif
