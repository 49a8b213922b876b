/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets in the order in which they came, each with its time of arrival: a queue, or a part of it.
 *
 * Invariant: packets and bytes are those of the list. */
#ifndef WEIR_SIM_QUEUE_FIFO_H
#define WEIR_SIM_QUEUE_FIFO_H

#include "sim/base/packet.h"

/* Zeroed = empty. */
struct weir__queue_fifo {
    struct weir__packet_list list;
    int64_t packets;
    int64_t bytes;
};

void weir__queue_fifo_push(struct weir__queue_fifo *fifo, struct weir__packet *packet,
                           int64_t now_ns);
struct weir__packet *weir__queue_fifo_take(struct weir__queue_fifo *fifo);
int64_t weir__queue_fifo_since_ns(const struct weir__queue_fifo *fifo);

#endif
