/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue in front of a link: a FIFO of packets, its limit and its discipline.
 * The packet being sent has left the queue (as in ns-2). */
#ifndef WEIR_SIM_QUEUE_H
#define WEIR_SIM_QUEUE_H

#include "sim/packet.h"
#include "sim/queue_droptail.h"
#include "sim/queue_red.h"
#include "sim/random.h"
#include <stdbool.h>
#include <stdint.h>

enum weir__queue_discipline {
    WEIR__QUEUE_DROPTAIL, /* the arriving packet is dropped when the limit is reached */
    WEIR__QUEUE_RED,      /* random early detection, and the limit as a last resort */
};

struct weir__queue_config {
    enum weir__queue_discipline discipline;
    struct weir__queue_limit limit;
    struct weir__red_config red; /* only read for WEIR__QUEUE_RED */
};

struct weir__queue {
    enum weir__queue_discipline discipline;
    struct weir__queue_limit limit;
    struct weir__red red;
    struct weir__packet_list list;
    int64_t bytes;
    int64_t packets;
};

enum weir_status weir__queue_init(struct weir__queue *queue,
                                  const struct weir__queue_config *config, int64_t rate_bps,
                                  int64_t delay_ns);
bool weir__queue_push(struct weir__queue *queue, struct weir__packet *packet, int64_t now_ns,
                      int64_t rate_bps, struct weir__random *random);
struct weir__packet *weir__queue_pop(struct weir__queue *queue, int64_t now_ns);

#endif
