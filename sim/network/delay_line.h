/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Propagation: packets come out later than they went in, in the same order. One timer for all of
 * them, so that the events do not grow with the packets under way.
 *
 * Either the line delivers to a port; or its user handles the timer itself and takes the packet
 * with weir__delay_line_pop(), which saves an indirect call for each packet. */
#ifndef WEIR_SIM_DELAY_LINE_H
#define WEIR_SIM_DELAY_LINE_H

#include "sim/base/event.h"
#include "sim/base/packet.h"

struct weir__delay_line {
    struct weir__timer timer;
    struct weir__packet_list list;
    struct weir__sim *sim;
    int64_t last_due_ns;
    int64_t packets;
    struct weir__port out;
};

void weir__delay_line_init(struct weir__delay_line *line, struct weir__sim *sim,
                           struct weir__port out);
void weir__delay_line_init_timer(struct weir__delay_line *line, struct weir__sim *sim,
                                 void (*on_packet_due)(void *target), void *target);
void weir__delay_line_push(struct weir__delay_line *line, struct weir__packet *packet,
                           int64_t delay_ns);

/* The packet that is due: once in each call of on_packet_due. */
static inline struct weir__packet *weir__delay_line_pop(struct weir__delay_line *line)
{
    int64_t next_due_ns = line->list.head->next_due_ns;
    struct weir__packet *packet = weir__packet_list_pop(&line->list);
    line->packets--;
    if (line->list.head) {
        weir__prefetch(line->list.head, sizeof *packet);
        weir__timer_set(&line->timer, line->sim, next_due_ns);
    }
    return packet;
}

#endif
