/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/packet.h"
#include <stdlib.h>

#define LEAST_GROWTH 64 /* packets; more as the pool doubles */

struct weir__packet_chunk {
    struct weir__packet_chunk *next;
    size_t untouched;                                    /* the first of them: never used */
    struct weir__packet *packets;                        /* behind the chunk, aligned */
    struct weir__sack_block (*sacks)[WEIR__SACK_BLOCKS]; /* behind them */
};

/* An empty pool. */
void weir__packet_pool_init(struct weir__packet_pool *pool)
{
    *pool = (struct weir__packet_pool){.chunks = NULL};
}

/* Frees all packets, wherever they are. Accepts a zeroed pool. */
void weir__packet_pool_finish(struct weir__packet_pool *pool)
{
    while (pool->chunks) {
        struct weir__packet_chunk *next = pool->chunks->next;
        free(pool->chunks);
        pool->chunks = next;
    }
    weir__packet_pool_init(pool);
}

static enum weir_status grow(struct weir__packet_pool *pool, size_t packets)
{
    struct weir__packet_chunk *chunk = NULL;
    const size_t each = sizeof *chunk->packets + sizeof *chunk->sacks;
    const size_t extra = sizeof *chunk + WEIR__CACHE_LINE_BYTES;
    if (packets <= (SIZE_MAX - extra) / each) {
        chunk = malloc(extra + packets * each);
    }
    if (!chunk) {
        return WEIR_ERROR_NO_MEMORY;
    }
    char *memory = (char *)(chunk + 1);
    memory += (WEIR__CACHE_LINE_BYTES - (uintptr_t)memory % WEIR__CACHE_LINE_BYTES) %
              WEIR__CACHE_LINE_BYTES;
    *chunk =
        (struct weir__packet_chunk){.next = pool->chunks,
                                    .untouched = packets,
                                    .packets = (void *)memory,
                                    .sacks = (void *)(memory + packets * sizeof *chunk->packets)};
    pool->chunks = chunk;
    pool->fresh = chunk;
    pool->reserved_packets += packets;
    return WEIR_OK;
}

/* Adds `packets` to what the pool can hand out; a growing pool needs no reservation. Memory that
 * was never used stays untouched, so that a generous reservation costs address space only. */
enum weir_status weir__packet_pool_reserve(struct weir__packet_pool *pool, size_t packets)
{
    return packets == 0 || pool->growing ? WEIR_OK : grow(pool, packets);
}

/* weir__packet_take() of a packet that was never used. */
struct weir__packet *weir__packet_take_fresh(struct weir__packet_pool *pool)
{
    while (pool->fresh && pool->fresh->untouched == 0) {
        pool->fresh = pool->fresh->next;
    }
    if (!pool->fresh && pool->growing) {
        grow(pool, pool->reserved_packets > LEAST_GROWTH ? pool->reserved_packets : LEAST_GROWTH);
    }
    if (!pool->fresh) {
        pool->refused++;
        return NULL;
    }
    pool->fresh->untouched--;
    size_t number = pool->fresh->untouched;
    struct weir__packet *packet = &pool->fresh->packets[number];
    *packet = (struct weir__packet){.sack = pool->fresh->sacks[number]};
    pool->used_packets++;
    return packet;
}

/* All but the list it is in. */
void weir__packet_copy(struct weir__packet *copy, const struct weir__packet *packet)
{
    struct weir__packet *next = copy->next;
    struct weir__sack_block *sack = copy->sack;
    *copy = *packet;
    copy->next = next;
    copy->sack = sack;
    for (size_t i = 0; i < packet->n_sack; i++) {
        copy->sack[i] = packet->sack[i];
    }
}
