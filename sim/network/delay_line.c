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
