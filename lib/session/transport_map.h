/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport-wide numbers of packets that were numbered behind our back: a stack that numbers all
 * packets of a transport one by one differs from our own count of them by a constant, which is
 * learned from its own records of size and send time. */
#ifndef WEIR_TRANSPORT_MAP_H
#define WEIR_TRANSPORT_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "session/history.h"
#include "weir/units.h"

/* The stack behind us sees a packet after us, by at most this. */
#define WEIR__TRANSPORT_MAP_MAX_LAG_NS WEIR_MS(20)
enum { WEIR__TRANSPORT_MAP_AGREEMENTS = 3 };

/* Zero-initialise. */
struct weir__transport_map {
    uint16_t offset; /* number of the stack - the one in our history */
    uint16_t candidate;
    uint8_t n_agreeing;
    bool latched;
};

/* What the stack says of one packet. */
struct weir__transport_view {
    uint32_t transport;
    uint16_t transport_seq;
    uint32_t payload_bytes; /* 0 = unknown */
    int64_t sent_ns;
};

/* One observation. */
void weir__transport_map_learn(struct weir__transport_map *map, const struct weir__history *history,
                               uint32_t overhead_bytes, const struct weir__transport_view *view);

/* seq of a packet; -1 before the offset is known and for packets not in the history. */
int64_t weir__transport_map_find(const struct weir__transport_map *map,
                                 const struct weir__history *history, uint32_t transport,
                                 uint16_t transport_seq);

#endif
