/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "estimators/loss_bursts.h"

#include <stdbool.h>

enum { MOST_PACKETS = 128 };

void weir__loss_bursts_on_lost(struct weir__loss_bursts *state, int64_t seq)
{
    bool goes_on = state->packets > 0 && seq == state->next_seq;
    if (state->packets >= MOST_PACKETS && !goes_on) {
        state->packets /= 2;
        state->bursts_milli /= 2;
    }
    state->packets++;
    state->bursts_milli += goes_on ? 0 : 1000;
    state->next_seq = seq + 1;
}

int64_t weir__loss_bursts_milli(const struct weir__loss_bursts *state)
{
    return state->packets > 0 ? state->packets * INT64_C(1000000) / state->bursts_milli : 1000;
}
