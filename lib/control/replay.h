/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs an algorithm again on what a trace recorded: the same calls in the same order, so that the
 * same algorithm must give the same answers, bit for bit, and another one shows what it would have
 * answered (to what the first one caused). No session is involved. */
#ifndef WEIR_REPLAY_H
#define WEIR_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/controller.h"
#include "control/driver.h"
#include "weir/trace.h"

struct weir__replay {
    const struct weir_controller *starting; /* of the newest START; NULL before the first */
    struct weir__driver driver;             /* its controller is NULL before the first START */
    const struct weir_controller *other;    /* instead of the recorded one, or NULL */
    double params[WEIR_MAX_PARAMS];
    struct weir_config config;
    int64_t now_ns;   /* of the latest record */
    int64_t next_seq; /* of the next SENT: a session numbers its packets from 0, whatever runs it */
    int64_t rtt_ns;   /* handed on by a predecessor, told after the start */
    int64_t left;     /* PARAM or PACKET records still to come */
    bool in_feedback; /* they are packets */
    bool is_compared; /* the recorded algorithm itself runs: its answers must be equal */
    struct weir_control recorded; /* the latest CONTROL */
    struct weir_control control;  /* our own answer */
    bool has_recorded;
    int64_t decisions;           /* CONTROL records */
    int64_t differences;         /* moments at which our answer is not the recorded one */
    int64_t first_difference_ns; /* WEIR_UNKNOWN_NS = none */
    size_t n_packets;
    struct weir_feedback feedback;
    struct weir_packet_report packets[WEIR_FEEDBACK_MAX_PACKETS];
};

/* other: the algorithm to run instead of the recorded one, with its checked parameters (one per
 * entry of its table; copied); NULL = the recorded one. */
void weir__replay_init(struct weir__replay *replay, const struct weir_controller *other,
                       const double *params);
enum weir_status weir__replay_record(struct weir__replay *replay,
                                     const struct weir_trace_record *record);
enum weir_status weir__replay_finish(struct weir__replay *replay);

#endif
