/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many packets are lost in a row, on the average: chance makes 1 / (1 - loss). */
#ifndef WEIR_ESTIMATORS_LOSS_BURSTS_H
#define WEIR_ESTIMATORS_LOSS_BURSTS_H

#include <stdint.h>

/* Zero-initialise. The newest 64 to 128 losses count. */
struct weir__loss_bursts {
    int64_t next_seq; /* that would continue the newest burst */
    int64_t packets;
    int64_t bursts_milli;
};

/* The packet with that number is lost; numbers rise within a burst. */
void weir__loss_bursts_on_lost(struct weir__loss_bursts *state, int64_t seq);

/* In 1/1000 packet, at least 1000; 1000 before the first loss. */
int64_t weir__loss_bursts_milli(const struct weir__loss_bursts *state);

#endif
