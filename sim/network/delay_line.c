/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/delay_line.h"
#include "weir/units.h"

static void on_due(void *target)
{
    struct weir__delay_line *line = target;
    weir__port_send(&line->out, weir__delay_line_pop(line));
}

/* An empty line that delivers to `out`. */
void weir__delay_line_init(struct weir__delay_line *line, struct weir__sim *sim,
                           struct weir__port out)
{
    weir__delay_line_init_timer(line, sim, on_due, line);
    line->out = out;
}

/* An empty line whose user is called when a packet is due. */
void weir__delay_line_init_timer(struct weir__delay_line *line, struct weir__sim *sim,
                                 void (*on_packet_due)(void *target), void *target)
{
    *line = (struct weir__delay_line){.sim = sim};
    weir__timer_init(&line->timer, sim, on_packet_due, target);
}

/* delay_ns >= 0 from now, or longer: not before the packet in front. The time is noted in that one:
 * when it comes out, the packet behind it need not be read, which is seldom in the cache. */
void weir__delay_line_push(struct weir__delay_line *line, struct weir__packet *packet,
                           int64_t delay_ns)
{
    int64_t due_ns = weir_time_add_ns(line->sim->now_ns, delay_ns);
    line->last_due_ns = weir_max_i64(line->last_due_ns, due_ns);
    if (line->list.head) {
        line->list.tail->next_due_ns = line->last_due_ns;
    } else {
        weir__timer_set(&line->timer, line->sim, line->last_due_ns);
    }
    weir__packet_list_push(&line->list, packet);
    line->packets++;
}
