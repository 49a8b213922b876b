/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/queue_fifo.h"
#include "weir/units.h"

/* Appends the packet, and notes when. */
void weir__queue_fifo_push(struct weir__queue_fifo *fifo, struct weir__packet *packet,
                           int64_t now_ns)
{
    packet->queued_ns = now_ns;
    weir__packet_list_push(&fifo->list, packet);
    fifo->packets++;
    fifo->bytes += packet->size_bytes;
}

/* The oldest packet, NULL when there is none. */
struct weir__packet *weir__queue_fifo_take(struct weir__queue_fifo *fifo)
{
    struct weir__packet *packet = weir__packet_list_pop(&fifo->list);
    if (packet) {
        weir__prefetch(fifo->list.head, sizeof *fifo->list.head);
        fifo->packets--;
        fifo->bytes -= packet->size_bytes;
    }
    return packet;
}

/* Since when the oldest packet waits; WEIR_NEVER_NS when there is none. */
int64_t weir__queue_fifo_since_ns(const struct weir__queue_fifo *fifo)
{
    return fifo->list.head ? fifo->list.head->queued_ns : WEIR_NEVER_NS;
}
