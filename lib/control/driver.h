/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A controller at work: its state, and the path that every event brings with it. Sessions, replays
 * and tests drive controllers through these calls alone, so all of them see the same path.
 *
 * It also turns receiver reports into feedback on packets for controllers that have no form of
 * their own for them, calls on_silence, and keeps the probes that a controller asks for: what
 * get_output says of a probe is what is still to be sent of it. Plain struct, no pointers into
 * itself. */
#ifndef WEIR_DRIVER_H
#define WEIR_DRIVER_H

#include "control/controller.h"
#include "control/path.h"
#include "control/probe.h"

struct weir__driver {
    const struct weir_controller *controller;
    int64_t reported_seq; /* next packet that a receiver report will tell of */
    int64_t next_seq;     /* next packet to be sent */
    int64_t max_bps;      /* limit of the wire rate */
    struct weir__probe probe;
    struct weir__path_meter path;
    _Alignas(16) unsigned char state[WEIR_STATE_MAX_BYTES];
};

/* packet_bytes: expected wire size. */
void weir__driver_init(struct weir__driver *driver, int64_t packet_bytes);

/* Starts a controller, or another one in place of it: what is known of the path stays. rtt_ns:
 * known from elsewhere, or WEIR_UNKNOWN_NS. The parameters were checked. */
void weir__driver_start(struct weir__driver *driver, const struct weir_controller *controller,
                        const struct weir_config *config, int64_t rtt_ns, int64_t now_ns);

void weir__driver_on_sent(struct weir__driver *driver, const struct weir_sent_packet *sent);
void weir__driver_on_feedback(struct weir__driver *driver, const struct weir_feedback *feedback);
void weir__driver_on_report(struct weir__driver *driver, const struct weir_report *report);
void weir__driver_on_path_change(struct weir__driver *driver, int64_t now_ns);
void weir__driver_set_limits(struct weir__driver *driver, const struct weir_limits *limits,
                             int64_t now_ns);
void weir__driver_seed_rtt(struct weir__driver *driver, int64_t rtt_ns, int64_t now_ns);

/* WEIR_NEVER_NS: no timer. Early calls of on_timer do no harm. */
int64_t weir__driver_next_timer_ns(const struct weir__driver *driver);
void weir__driver_on_timer(struct weir__driver *driver, int64_t now_ns);

void weir__driver_get_output(const struct weir__driver *driver, struct weir_control *control);
size_t weir__driver_get_variables(const struct weir__driver *driver,
                                  struct weir_variable *variables, size_t n);

#endif
