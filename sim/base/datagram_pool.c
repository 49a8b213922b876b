/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/datagram_pool.h"
#include <stdlib.h>
#include <string.h>

#define NO_PLACE       UINT32_MAX
#define PLACE_MASK     ((uint64_t)WEIR__DATAGRAM_POOL_MOST - 1)
#define FIRST_CAPACITY 4
#define FIRST_ROOM     256 /* a compound packet with reports on some 90 packets */

static uint8_t *bytes_of(const struct weir__datagram_pool *pool, size_t place)
{
    return pool->bytes + place * pool->room_bytes;
}

/* All places at once, so that what is rarely used never needs memory later. */
static bool grow_room(struct weir__datagram_pool *pool, uint32_t capacity, size_t room_bytes)
{
    uint8_t *bytes = malloc(capacity * room_bytes);
    if (!bytes) {
        return false;
    }
    for (size_t i = 0; i < pool->capacity; i++) {
        memcpy(bytes + i * room_bytes, bytes_of(pool, i), pool->places[i].size_bytes);
    }
    free(pool->bytes);
    pool->bytes = bytes;
    pool->room_bytes = room_bytes;
    return true;
}

/* `capacity` places; the new ones are free. */
static bool grow(struct weir__datagram_pool *pool, uint32_t capacity)
{
    struct weir__datagram_place *places = realloc(pool->places, capacity * sizeof *places);
    if (!places) {
        return false;
    }
    pool->places = places;
    if (!grow_room(pool, capacity, pool->room_bytes)) {
        return false;
    }
    for (uint32_t i = capacity; i > pool->capacity; i--) {
        places[i - 1] =
            (struct weir__datagram_place){.token = i - 1, .next_free = pool->first_free};
        pool->first_free = i - 1;
    }
    pool->capacity = capacity;
    return true;
}

static bool make_room(struct weir__datagram_pool *pool, size_t size_bytes)
{
    size_t room_bytes = pool->room_bytes;
    while (room_bytes < size_bytes) {
        room_bytes *= 2;
    }
    return room_bytes == pool->room_bytes || grow_room(pool, pool->capacity, room_bytes);
}

/* For datagrams of up to most_bytes >= 1, at most `most` at a time (1 .. 2^20). */
enum weir_status weir__datagram_pool_init(struct weir__datagram_pool *pool, size_t most_bytes,
                                          uint32_t most)
{
    *pool = (struct weir__datagram_pool){
        .room_bytes = FIRST_ROOM, .most_bytes = most_bytes, .most = most, .first_free = NO_PLACE};
    return grow(pool, most < FIRST_CAPACITY ? most : FIRST_CAPACITY) ? WEIR_OK
                                                                     : WEIR_ERROR_NO_MEMORY;
}

/* Accepts a zeroed pool. */
void weir__datagram_pool_finish(struct weir__datagram_pool *pool)
{
    free(pool->bytes);
    free(pool->places);
    *pool = (struct weir__datagram_pool){.most_bytes = 0};
}

/* Keeps a copy of `data`. False, and nothing has changed, when all places are in use or the
 * datagram is larger than most_bytes, or when there is no memory. */
bool weir__datagram_pool_add(struct weir__datagram_pool *pool, const uint8_t *data,
                             size_t size_bytes, uint64_t *token)
{
    if (size_bytes > pool->most_bytes || !make_room(pool, size_bytes)) {
        return false;
    }
    if (pool->first_free == NO_PLACE) {
        uint32_t twice = pool->capacity <= pool->most / 2 ? 2 * pool->capacity : pool->most;
        if (pool->capacity == pool->most || !grow(pool, twice)) {
            return false;
        }
    }
    uint32_t at = pool->first_free;
    struct weir__datagram_place *place = &pool->places[at];
    pool->first_free = place->next_free;
    place->token += PLACE_MASK + 1;
    place->size_bytes = size_bytes;
    place->in_use = true;
    memcpy(bytes_of(pool, at), data, size_bytes);
    pool->n_in_use++;
    *token = place->token;
    return true;
}

/* The place of a datagram; NULL when another one has it by now. */
static struct weir__datagram_place *find(const struct weir__datagram_pool *pool, uint64_t token)
{
    uint64_t at = token & PLACE_MASK;
    return at < pool->capacity && pool->places[at].token == token ? &pool->places[at] : NULL;
}

/* Its bytes, valid until the next add. Also of a datagram that was given back, as long as nothing
 * has taken its place: a copy that a link made follows right behind. NULL when they are gone. */
const uint8_t *weir__datagram_pool_get(const struct weir__datagram_pool *pool, uint64_t token,
                                       size_t *size_bytes)
{
    const struct weir__datagram_place *place = find(pool, token);
    if (!place) {
        return NULL;
    }
    *size_bytes = place->size_bytes;
    return bytes_of(pool, token & PLACE_MASK);
}

/* The datagram has left the network. A second time for the same token does nothing. */
void weir__datagram_pool_give(struct weir__datagram_pool *pool, uint64_t token)
{
    struct weir__datagram_place *place = find(pool, token);
    if (place && place->in_use) {
        place->in_use = false;
        place->next_free = pool->first_free;
        pool->first_free = (uint32_t)(token & PLACE_MASK);
        pool->n_in_use--;
    }
}
