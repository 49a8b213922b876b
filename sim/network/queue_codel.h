/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CoDel (RFC 8289): drops from the head of a queue in which no packet has waited less than a target
 * for an interval, at first one packet per interval, then ever closer together.
 *
 * Invariant: the k-th drop of a row comes interval / sqrt(k - 1) after the one before it, or with
 * the first packet that is sent later than that. */
#ifndef WEIR_SIM_QUEUE_CODEL_H
#define WEIR_SIM_QUEUE_CODEL_H

#include "sim/network/queue_fifo.h"
#include "weir/status.h"
#include <stdbool.h>
#include <stdint.h>

/* Fill with weir__codel_config_default() first. */
struct weir__codel_config {
    int64_t target_ns;        /* > 0: acceptable wait */
    int64_t interval_ns;      /* > 0: worst round trip expected */
    int64_t max_packet_bytes; /* >= 0: a queue of no more is left alone */
    bool mark_ecn;            /* mark ECN-capable packets in place of dropping them */
};

/* RFC 8289 5.3, with its names. Zeroed = nothing has happened. */
struct weir__codel {
    int64_t first_above_ns; /* when the wait will have been above the target for an interval */
    int64_t drop_next_ns;
    int64_t count; /* drops since dropping began */
    int64_t last_count;
    bool dropping;
};

void weir__codel_config_default(struct weir__codel_config *config);
enum weir_status weir__codel_check(const struct weir__codel_config *config);
int64_t weir__codel_control_law_ns(int64_t time_ns, int64_t interval_ns, int64_t count);
struct weir__packet *weir__codel_pop(struct weir__codel *codel,
                                     const struct weir__codel_config *config,
                                     struct weir__queue_fifo *fifo,
                                     struct weir__packet_list *dropped, int64_t now_ns);

#endif
