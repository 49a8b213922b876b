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
#include "weir/units.h"

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

/* What weir__delay_line_push() would do at from_ns >= now: the packet is known to come then. The
 * time at which it is due is noted in the packet in front: when that comes out, the one behind it
 * need not be read, which is seldom in the cache. */
static inline void weir__delay_line_push_ahead(struct weir__delay_line *line,
                                               struct weir__packet *packet, int64_t from_ns,
                                               int64_t delay_ns)
{
    int64_t due_ns = weir_time_add_ns(from_ns, delay_ns);
    line->last_due_ns = weir_max_i64(line->last_due_ns, due_ns);
    if (line->list.head) {
        line->list.tail->next_due_ns = line->last_due_ns;
    } else {
        weir__timer_arm(&line->timer, line->sim, line->last_due_ns, from_ns);
    }
    weir__packet_list_push(&line->list, packet);
    line->packets++;
}

/* delay_ns >= 0 from now, or longer: not before the packet in front. */
static inline void weir__delay_line_push(struct weir__delay_line *line, struct weir__packet *packet,
                                         int64_t delay_ns)
{
    weir__delay_line_push_ahead(line, packet, line->sim->now_ns, delay_ns);
}

/* The packet that is due: once in each call of on_packet_due. For packets that were pushed ahead,
 * all with the same delay. */
static inline struct weir__packet *weir__delay_line_pop_ahead(struct weir__delay_line *line,
                                                              int64_t delay_ns)
{
    int64_t next_due_ns = line->list.head->next_due_ns;
    struct weir__packet *packet = weir__packet_list_pop(&line->list);
    line->packets--;
    if (line->list.head) {
        weir__prefetch(line->list.head, sizeof *packet);
        int64_t from_ns = next_due_ns - delay_ns;
        int64_t now_ns = line->sim->now_ns;
        weir__timer_arm(&line->timer, line->sim, next_due_ns, weir_max_i64(from_ns, now_ns));
    }
    return packet;
}

/* The same, for packets that were not. */
static inline struct weir__packet *weir__delay_line_pop(struct weir__delay_line *line)
{
    return weir__delay_line_pop_ahead(line, WEIR_NEVER_NS);
}

/* weir__delay_line_pop() for a user who asks for the next packet at once when that is due as well
 * and nothing else is: of packets that were sent together only the first needs an event. Returns
 * whether to call it again, after what is done with this packet. */
static inline bool weir__delay_line_pop_due(struct weir__delay_line *line,
                                            struct weir__packet **packet)
{
    struct weir__packet *first = line->list.head;
    bool again =
        first->next && first->next_due_ns == line->sim->now_ns && weir__sim_is_alone(line->sim);
    if (again) {
        *packet = weir__packet_list_pop(&line->list);
        line->packets--;
    } else {
        *packet = weir__delay_line_pop(line);
    }
    return again;
}

#endif
