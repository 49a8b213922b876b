/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of the datagrams that are inside a network: simulated packets carry a token, not bytes.
 * Grows by doubling, in places and in their size, up to a bound of each; the place given back last
 * is taken first, because it is still in the processor's cache. */
#ifndef WEIR_SIM_DATAGRAM_POOL_H
#define WEIR_SIM_DATAGRAM_POOL_H

#include "weir/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 20 bits of a token are the place, the rest tells whose place it was. */
#define WEIR__DATAGRAM_POOL_MOST (1u << 20)

struct weir__datagram_place {
    uint64_t token; /* of the last datagram in it */
    size_t size_bytes;
    uint32_t next_free;
    bool in_use;
};

struct weir__datagram_pool {
    struct weir__datagram_place *places;
    uint8_t *bytes;    /* room_bytes of each place, one behind the other */
    size_t room_bytes; /* for the largest datagram until now */
    size_t most_bytes; /* of a datagram */
    uint32_t capacity; /* places there are */
    uint32_t most;     /* places there may be */
    uint32_t first_free;
    uint32_t n_in_use;
};

enum weir_status weir__datagram_pool_init(struct weir__datagram_pool *pool, size_t most_bytes,
                                          uint32_t most);
void weir__datagram_pool_finish(struct weir__datagram_pool *pool);
bool weir__datagram_pool_add(struct weir__datagram_pool *pool, const uint8_t *data,
                             size_t size_bytes, uint64_t *token);
const uint8_t *weir__datagram_pool_get(const struct weir__datagram_pool *pool, uint64_t token,
                                       size_t *size_bytes);
void weir__datagram_pool_give(struct weir__datagram_pool *pool, uint64_t token);

#endif
