/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DropTail: the limit of a queue, in packets, bytes or time at the current rate.
 * Invariant: packets <= limit.packets, bytes <= limit.bytes, bytes * 8 / rate <= limit.time
 * for every limit that is set, unless the queue holds a single packet. */
#ifndef WEIR_SIM_QUEUE_DROPTAIL_H
#define WEIR_SIM_QUEUE_DROPTAIL_H

#include <stdbool.h>
#include <stdint.h>

/* 0 = this limit is not set. Several may be set; the first one reached counts. */
struct weir__queue_limit {
    int64_t packets;
    int64_t bytes;
    int64_t time_ns;
};

bool weir__droptail_is_full(const struct weir__queue_limit *limit, int64_t packets, int64_t bytes,
                            int64_t size_bytes, int64_t rate_bps);

#endif
