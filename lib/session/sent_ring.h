/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is remembered of the newest packets: a ring of records, in which packets are also linked by
 * their numbers. It begins small and doubles, up to WEIR__HISTORY_PACKETS, inside its memory: of a
 * slow flow the first block is all that is ever touched.
 *
 * Invariant: next_seq - oldest_seq <= weir__sent_ring_slots() <= WEIR__HISTORY_PACKETS. */
#ifndef WEIR_SENT_RING_H
#define WEIR_SENT_RING_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WEIR__HISTORY_PACKETS = 8192,
    WEIR__SENT_BLOCK_PACKETS = 128, /* those of the first size */
    WEIR__SENT_BLOCK_HEADS = WEIR__SENT_BLOCK_PACKETS / 4,
    WEIR__NO_SLOT = 0xffff
};

enum weir__history_number {
    WEIR__HISTORY_BY_RTP,       /* (stream, rtp_seq) */
    WEIR__HISTORY_BY_TRANSPORT, /* (transport, transport_seq) */
    WEIR__HISTORY_NUMBERS
};

struct weir__sent_record {
    int64_t sent_ns;
    uint16_t wire_bytes; /* larger packets count as 65535 */
    uint16_t rtp_seq;
    uint16_t transport_seq;       /* as it was carried, or counted on from the packet before */
    uint8_t stream_and_state;     /* stream << 3 | enum weir__packet_state */
    uint8_t transport_and_header; /* transport << 5 | carried << 4 | RTP header, 4-byte words */
};

/* All that is kept of so many packets lies together. Chains of packets, by a hash of each kind of
 * number: a link is a slot + 1; 0 ends a chain. Both kinds side by side: a packet needs both. */
struct weir__sent_block {
    struct weir__sent_record records[WEIR__SENT_BLOCK_PACKETS];
    uint16_t next_link[WEIR__SENT_BLOCK_PACKETS][WEIR__HISTORY_NUMBERS];
    uint16_t heads[WEIR__SENT_BLOCK_HEADS][WEIR__HISTORY_NUMBERS];
    uint64_t summed[WEIR__SENT_BLOCK_PACKETS / 64]; /* a bit each: told of in a report's sum */
};

/* Zero-initialise, by fresh memory if possible: what was never used is then never touched. */
struct weir__sent_ring {
    int64_t next_seq;   /* of the next packet = packets sent */
    int64_t oldest_seq; /* of those that are remembered */
    uint32_t n_doubled; /* how often */
    struct weir__sent_block blocks[WEIR__HISTORY_PACKETS / WEIR__SENT_BLOCK_PACKETS];
};

static inline unsigned weir__sent_ring_slots(const struct weir__sent_ring *ring)
{
    return (unsigned)WEIR__SENT_BLOCK_PACKETS << ring->n_doubled;
}

static inline unsigned weir__sent_ring_slot(const struct weir__sent_ring *ring, int64_t seq)
{
    return (unsigned)((uint64_t)seq & (weir__sent_ring_slots(ring) - 1));
}

/* The packet in a slot: the newest seq of that residue. */
static inline int64_t weir__sent_ring_seq(const struct weir__sent_ring *ring, unsigned slot)
{
    uint64_t newest = (uint64_t)ring->next_seq - 1;
    return (int64_t)(newest - ((newest - slot) & (weir__sent_ring_slots(ring) - 1)));
}

static inline const struct weir__sent_record *
weir__sent_ring_peek(const struct weir__sent_ring *ring, unsigned slot)
{
    return &ring->blocks[slot / WEIR__SENT_BLOCK_PACKETS].records[slot % WEIR__SENT_BLOCK_PACKETS];
}

/* The same, to be changed: but for its numbers while it is linked by them. */
static inline struct weir__sent_record *weir__sent_ring_at(struct weir__sent_ring *ring,
                                                           unsigned slot)
{
    return &ring->blocks[slot / WEIR__SENT_BLOCK_PACKETS].records[slot % WEIR__SENT_BLOCK_PACKETS];
}

bool weir__sent_ring_is_summed(const struct weir__sent_ring *ring, unsigned slot);
void weir__sent_ring_set_summed(struct weir__sent_ring *ring, unsigned slot, bool summed);

/* The first link of the packets whose number has a hash; source: the stream or the transport. */
unsigned weir__sent_ring_first(const struct weir__sent_ring *ring, enum weir__history_number number,
                               unsigned source, uint16_t value);
/* The link behind a slot. */
unsigned weir__sent_ring_next(const struct weir__sent_ring *ring, enum weir__history_number number,
                              unsigned slot);
/* Before the others of its hash. */
void weir__sent_ring_link(struct weir__sent_ring *ring, enum weir__history_number number,
                          unsigned slot);
/* One that is not linked stays so. */
void weir__sent_ring_unlink(struct weir__sent_ring *ring, enum weir__history_number number,
                            unsigned slot);

/* Whether no slot is free for the next packet. */
bool weir__sent_ring_is_full(const struct weir__sent_ring *ring);
/* Makes a full ring twice as large, with the order of all chains kept. False when it has its
 * greatest size. */
bool weir__sent_ring_grow(struct weir__sent_ring *ring);

/* Asks for what the next packet that leaves will need, and for another in the ring. */
void weir__sent_ring_prefetch(const struct weir__sent_ring *ring, int64_t seq);
void weir__sent_ring_prefetch_number(const struct weir__sent_ring *ring,
                                     enum weir__history_number number, unsigned source,
                                     uint16_t value);

#endif
