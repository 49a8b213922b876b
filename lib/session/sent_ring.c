/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/sent_ring.h"

#include "base/prefetch.h"

_Static_assert(sizeof(struct weir__sent_record) == 16, "a record of the history grew");

bool weir__sent_ring_is_summed(const struct weir__sent_ring *ring, unsigned slot)
{
    unsigned bit = slot % WEIR__SENT_BLOCK_PACKETS;
    return ring->blocks[slot / WEIR__SENT_BLOCK_PACKETS].summed[bit / 64] >> bit % 64 & 1;
}

void weir__sent_ring_set_summed(struct weir__sent_ring *ring, unsigned slot, bool summed)
{
    unsigned bit = slot % WEIR__SENT_BLOCK_PACKETS;
    uint64_t *word = &ring->blocks[slot / WEIR__SENT_BLOCK_PACKETS].summed[bit / 64];
    *word = (*word & ~(UINT64_C(1) << bit % 64)) | (uint64_t)summed << bit % 64;
}

/* Streams that send in step are kept apart by an odd stride. At most 65536 * 16 / 2048 = 512
 * packets of different numbers can share a chain; with consecutive numbers it is four. */
static unsigned hash_of(const struct weir__sent_ring *ring, unsigned source, uint16_t value)
{
    return (value + source * 1367u) & (weir__sent_ring_slots(ring) / 4 - 1);
}

static unsigned hash_in(const struct weir__sent_ring *ring, enum weir__history_number number,
                        unsigned slot)
{
    const struct weir__sent_record *record = weir__sent_ring_peek(ring, slot);
    return number == WEIR__HISTORY_BY_RTP
               ? hash_of(ring, record->stream_and_state >> 3, record->rtp_seq)
               : hash_of(ring, record->transport_and_header >> 5, record->transport_seq);
}

static uint16_t *head_of(struct weir__sent_ring *ring, enum weir__history_number number,
                         unsigned hash)
{
    struct weir__sent_block *block = &ring->blocks[hash / WEIR__SENT_BLOCK_HEADS];
    return &block->heads[hash % WEIR__SENT_BLOCK_HEADS][number];
}

static uint16_t *link_behind(struct weir__sent_ring *ring, enum weir__history_number number,
                             unsigned slot)
{
    struct weir__sent_block *block = &ring->blocks[slot / WEIR__SENT_BLOCK_PACKETS];
    return &block->next_link[slot % WEIR__SENT_BLOCK_PACKETS][number];
}

unsigned weir__sent_ring_first(const struct weir__sent_ring *ring, enum weir__history_number number,
                               unsigned source, uint16_t value)
{
    unsigned hash = hash_of(ring, source, value);
    const struct weir__sent_block *block = &ring->blocks[hash / WEIR__SENT_BLOCK_HEADS];
    return block->heads[hash % WEIR__SENT_BLOCK_HEADS][number];
}

unsigned weir__sent_ring_next(const struct weir__sent_ring *ring, enum weir__history_number number,
                              unsigned slot)
{
    const struct weir__sent_block *block = &ring->blocks[slot / WEIR__SENT_BLOCK_PACKETS];
    return block->next_link[slot % WEIR__SENT_BLOCK_PACKETS][number];
}

void weir__sent_ring_link(struct weir__sent_ring *ring, enum weir__history_number number,
                          unsigned slot)
{
    uint16_t *head = head_of(ring, number, hash_in(ring, number, slot));
    *link_behind(ring, number, slot) = *head;
    *head = (uint16_t)(slot + 1);
}

void weir__sent_ring_unlink(struct weir__sent_ring *ring, enum weir__history_number number,
                            unsigned slot)
{
    uint16_t *link = head_of(ring, number, hash_in(ring, number, slot));
    while (*link != 0 && *link != slot + 1) {
        link = link_behind(ring, number, *link - 1u);
    }
    if (*link != 0) {
        *link = *link_behind(ring, number, slot);
    }
}

bool weir__sent_ring_is_full(const struct weir__sent_ring *ring)
{
    return ring->next_seq - ring->oldest_seq == weir__sent_ring_slots(ring);
}

/* Where a packet is in a ring that has doubled. Every slot was in use, so seq follows from it. */
static unsigned new_slot_of(const struct weir__sent_ring *ring, unsigned slot)
{
    unsigned old_slots = weir__sent_ring_slots(ring) / 2;
    uint64_t oldest = (uint64_t)ring->oldest_seq;
    return weir__sent_ring_slot(ring, (int64_t)(oldest + ((slot - oldest) & (old_slots - 1))));
}

static void move_records(struct weir__sent_ring *ring)
{
    for (unsigned slot = 0; slot < weir__sent_ring_slots(ring) / 2; slot++) {
        unsigned to = new_slot_of(ring, slot);
        if (to != slot) {
            *weir__sent_ring_at(ring, to) = *weir__sent_ring_peek(ring, slot);
            weir__sent_ring_set_summed(ring, to, weir__sent_ring_is_summed(ring, slot));
            weir__sent_ring_set_summed(ring, slot, false);
        }
    }
}

/* The packets of an old chain go to two, whose hashes differ in the bit that is new. */
static void split_chain(struct weir__sent_ring *ring, enum weir__history_number number,
                        unsigned hash)
{
    unsigned new_bit = weir__sent_ring_slots(ring) / 8;
    uint16_t *ends[2] = {head_of(ring, number, hash), head_of(ring, number, hash + new_bit)};
    unsigned link = *ends[0];
    while (link != 0) {
        unsigned slot = new_slot_of(ring, link - 1);
        uint16_t **end = &ends[(hash_in(ring, number, slot) & new_bit) != 0];
        link = *link_behind(ring, number, link - 1);
        **end = (uint16_t)(slot + 1);
        *end = link_behind(ring, number, slot);
    }
    *ends[0] = 0;
    *ends[1] = 0;
}

bool weir__sent_ring_grow(struct weir__sent_ring *ring)
{
    if (weir__sent_ring_slots(ring) == WEIR__HISTORY_PACKETS) {
        return false;
    }
    ring->n_doubled++;
    move_records(ring);
    for (unsigned hash = 0; hash < weir__sent_ring_slots(ring) / 8; hash++) {
        split_chain(ring, WEIR__HISTORY_BY_RTP, hash);
        split_chain(ring, WEIR__HISTORY_BY_TRANSPORT, hash);
    }
    return true;
}

void weir__sent_ring_prefetch(const struct weir__sent_ring *ring, int64_t seq)
{
    unsigned slot = weir__sent_ring_slot(ring, seq);
    const struct weir__sent_block *block = &ring->blocks[slot / WEIR__SENT_BLOCK_PACKETS];
    weir__prefetch(&block->records[slot % WEIR__SENT_BLOCK_PACKETS], sizeof block->records[0]);
    weir__prefetch(&block->next_link[slot % WEIR__SENT_BLOCK_PACKETS], sizeof block->next_link[0]);
}

void weir__sent_ring_prefetch_number(const struct weir__sent_ring *ring,
                                     enum weir__history_number number, unsigned source,
                                     uint16_t value)
{
    unsigned hash = hash_of(ring, source, value);
    const struct weir__sent_block *block = &ring->blocks[hash / WEIR__SENT_BLOCK_HEADS];
    weir__prefetch(&block->heads[hash % WEIR__SENT_BLOCK_HEADS][number], sizeof block->heads[0]);
}
