/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Propagation: packets come out later than they went in, in the same order. One timer for all of
 * them, so that the event heap does not grow with the packets under way. */
#ifndef WEIR_SIM_DELAY_LINE_H
#define WEIR_SIM_DELAY_LINE_H

#include "sim/event.h"
#include "sim/packet.h"

struct weir__delay_line {
    struct weir__timer timer;
    struct weir__packet_list list;
    struct weir__sim *sim;
    struct weir__port out;
    int64_t last_due_ns;
    int64_t packets;
};

enum weir_status weir__delay_line_init(struct weir__delay_line *line, struct weir__sim *sim,
                                       struct weir__port out);
void weir__delay_line_push(struct weir__delay_line *line, struct weir__packet *packet,
                           int64_t delay_ns);

#endif
