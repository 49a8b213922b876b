/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/queue_droptail.h"

/* Whether a packet of size_bytes must be dropped on arrival at a queue of `packets` and `bytes`.
 * The packet limit compares before the arrival, the others after it. (ns-2's RED does the same with
 * its limit_; its DropTail has room for limit_ - 1 packets besides the one in service.)
 * An empty queue takes any packet: else a packet above the byte limit would block its flow for
 * ever. rate_bps <= 0 (an outage) switches the time limit off. */
bool weir__droptail_is_full(const struct weir__queue_limit *limit, int64_t packets, int64_t bytes,
                            int64_t size_bytes, int64_t rate_bps)
{
    if (packets <= 0) {
        return false;
    }
    if (limit->packets > 0 && packets >= limit->packets) {
        return true;
    }
    int64_t after_bytes = bytes + size_bytes;
    if (limit->bytes > 0 && after_bytes > limit->bytes) {
        return true;
    }
    return limit->time_ns > 0 && rate_bps > 0 &&
           8e9 * (double)after_bytes > (double)limit->time_ns * (double)rate_bps;
}
