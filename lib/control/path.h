/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of the path, kept once for whatever algorithm runs: round-trip time, packet size,
 * one-way delay and queue, delivered rate, feedback interval, silence. It is made of nothing but
 * the events that an algorithm gets, so a replay of them has the same path.
 *
 * Of a feedback with a packet newly received the steps are: round-trip time, clock, then the
 * arrival and the delay of each packet, in order of seq, then queue and rates, and whether the
 * delay stands. Rates that cannot be told stay as they were. */
#ifndef WEIR_PATH_H
#define WEIR_PATH_H

#include "control/controller.h"
#include "estimators/base_delay.h"
#include "estimators/data_limited.h"
#include "estimators/delivery.h"
#include "estimators/l4s_queue.h"
#include "estimators/peer_clock.h"
#include "estimators/silence.h"
#include "estimators/standing_delay.h"

struct weir__path_meter {
    struct weir_path now; /* what algorithms see */
    bool has_sent;
    bool has_heard;       /* feedback that something arrived */
    int64_t last_sent_ns; /* UNKNOWN */
    int64_t last_seq;     /* sent; -1 */
    int64_t heard_seq;    /* newest that arrived; -1 */
    int64_t silent_seq;   /* newest sent when silence was declared */
    bool is_awaiting;     /* something was sent that the newest feedback does not answer */
    struct weir__silence silence;
    struct weir__data_limited limited;
    struct weir__peer_clock clock;
    struct weir__base_delay base;
    struct weir__standing_delay standing;
    struct weir__l4s_queue marking; /* what marks, if anything */
    /* What the queue is, at the least, beyond what round trips allow, and since when; 0 = it is
     * not. */
    int64_t beyond_ns;
    int64_t beyond_from_ns;
    /* Feedback without arrival times: what was received since. */
    double untimed_bytes;
    double told_bytes;       /* ... and lost */
    int64_t untimed_from_ns; /* now of the feedback that began it; UNKNOWN */
    int64_t untimed_sent_ns; /* when the newest packet of that one had left */
    struct weir__delivery delivery;
};

/* packet_bytes: expected wire size. */
void weir__path_meter_init(struct weir__path_meter *path, int64_t packet_bytes);

/* A round-trip time that is known from elsewhere; WEIR_UNKNOWN_NS changes nothing. */
void weir__path_meter_on_rtt(struct weir__path_meter *path, int64_t rtt_ns, int64_t now_ns);
void weir__path_meter_on_sent(struct weir__path_meter *path, const struct weir_sent_packet *sent);
void weir__path_meter_on_feedback(struct weir__path_meter *path,
                                  const struct weir_feedback *feedback);
void weir__path_meter_on_report(struct weir__path_meter *path, const struct weir_report *report);
/* Another path, or a clock that jumped: all but the packet size is forgotten. */
void weir__path_meter_on_change(struct weir__path_meter *path);

/* The wait for a sign of life, of timeout_ns. After each packet sent: begins unless it runs. */
void weir__path_meter_begin_wait(struct weir__path_meter *path, int64_t timeout_ns);
/* After each feedback or report: when that was a sign of life, the wait begins anew, if something
 * is still to be answered. */
void weir__path_meter_restart_wait(struct weir__path_meter *path, int64_t now_ns,
                                   int64_t timeout_ns);
/* What an algorithm waits that says nothing of it. */
int64_t weir__path_meter_silence_timeout_ns(const struct weir__path_meter *path);
/* Whether silence begins, or goes on for as long again. */
bool weir__path_meter_is_silent(struct weir__path_meter *path, int64_t now_ns);

#endif
