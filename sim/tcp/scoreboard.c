/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/scoreboard.h"
#include "weir/units.h"

/* Nothing known, for windows of up to `window` packets. Allocates. */
enum weir_status weir__tcp_scoreboard_init(struct weir__tcp_scoreboard *board, int64_t window)
{
    *board = (struct weir__tcp_scoreboard){.una = -1, .highest_sacked = -1};
    enum weir_status status = weir__bitring_init(&board->sacked, window + 1);
    return status == WEIR_OK ? weir__bitring_init(&board->settled, window + 1) : status;
}

/* Accepts a zeroed scoreboard. */
void weir__tcp_scoreboard_finish(struct weir__tcp_scoreboard *board)
{
    weir__bitring_finish(&board->sacked);
    weir__bitring_finish(&board->settled);
}

/* Forgets everything above the cumulative ACK. */
void weir__tcp_scoreboard_clear(struct weir__tcp_scoreboard *board)
{
    int64_t end = board->una + 1 + weir__bitring_capacity(&board->sacked);
    weir__bitring_clear(&board->sacked, board->una + 1, end);
    weir__bitring_clear(&board->settled, board->una + 1, end);
    board->highest_sacked = board->una;
    board->lowest_hole = board->una + 1;
}

/* The cumulative ACK moves to `ack`, by at most one window. */
void weir__tcp_scoreboard_on_ack(struct weir__tcp_scoreboard *board, int64_t ack)
{
    if (ack > board->una) {
        weir__bitring_clear(&board->sacked, board->una + 1, ack + 1);
        weir__bitring_clear(&board->settled, board->una + 1, ack + 1);
        board->una = ack;
        board->highest_sacked = weir_max_i64(board->highest_sacked, ack);
        board->lowest_hole = weir_max_i64(board->lowest_hole, ack + 1);
    }
}

/* Takes in the blocks of one ACK; parts outside the window are ignored. Returns whether they said
 * anything new. */
bool weir__tcp_scoreboard_on_sack(struct weir__tcp_scoreboard *board,
                                  const struct weir__sack_block *blocks, size_t n_blocks)
{
    int64_t limit = board->una + weir__bitring_capacity(&board->sacked);
    bool is_new = false;
    for (size_t i = 0; i < n_blocks; i++) {
        int64_t first = weir_max_i64(blocks[i].first, board->una + 1);
        int64_t end = weir_min_i64(blocks[i].last, limit) + 1;
        if (first < end && weir__bitring_next_clear(&board->sacked, first, end) < end) {
            weir__bitring_set(&board->sacked, first, end);
            weir__bitring_set(&board->settled, first, end);
            board->highest_sacked = weir_max_i64(board->highest_sacked, end - 1);
            is_new = true;
        }
    }
    return is_new;
}

/* A packet above the cumulative ACK was sent again. */
void weir__tcp_scoreboard_on_resent(struct weir__tcp_scoreboard *board, int64_t seq)
{
    weir__bitring_set(&board->settled, seq, seq + 1);
}

/* The lowest packet below the highest sacked one that is neither sacked nor sent again; -1 = none.
 */
int64_t weir__tcp_scoreboard_next_hole(struct weir__tcp_scoreboard *board)
{
    int64_t end = weir_max_i64(board->highest_sacked, board->lowest_hole);
    board->lowest_hole = weir__bitring_next_clear(&board->settled, board->lowest_hole, end);
    return board->lowest_hole < board->highest_sacked ? board->lowest_hole : -1;
}
