/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a SACK sender knows about each packet above the cumulative ACK. */
#ifndef WEIR_SIM_TCP_SCOREBOARD_H
#define WEIR_SIM_TCP_SCOREBOARD_H

#include "sim/base/bitring.h"
#include "sim/base/packet.h"

struct weir__tcp_scoreboard {
    struct weir__bitring sacked;
    struct weir__bitring settled; /* sacked, or sent again: no candidate for retransmission */
    int64_t una;                  /* all packets up to this one are acknowledged; -1 at first */
    int64_t highest_sacked;       /* <= una = nothing is */
    int64_t lowest_hole;          /* no candidate is below this */
};

enum weir_status weir__tcp_scoreboard_init(struct weir__tcp_scoreboard *board, int64_t window);
void weir__tcp_scoreboard_finish(struct weir__tcp_scoreboard *board);
void weir__tcp_scoreboard_clear(struct weir__tcp_scoreboard *board);
void weir__tcp_scoreboard_on_ack(struct weir__tcp_scoreboard *board, int64_t ack);
bool weir__tcp_scoreboard_on_sack(struct weir__tcp_scoreboard *board,
                                  const struct weir__sack_block *blocks, size_t n_blocks);
void weir__tcp_scoreboard_on_resent(struct weir__tcp_scoreboard *board, int64_t seq);
int64_t weir__tcp_scoreboard_next_hole(struct weir__tcp_scoreboard *board);

#endif
