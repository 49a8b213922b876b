/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of sim/ share: a sink that records, and hashes of what was seen. */
#ifndef WEIR_TESTS_SIM_TEST_H
#define WEIR_TESTS_SIM_TEST_H

#include "../test.h"
#include "sim/base/event.h"
#include "sim/base/packet.h"
#include "sim/network/link.h"

#define COLLECTOR_CAPACITY 20000

struct collected {
    int64_t at_ns;
    int64_t seq;
    int64_t ack;
    uint32_t flow;
    int32_t size_bytes;
    uint8_t ecn;
    uint8_t n_sack;
    bool corrupt;
    bool duplicated;
    uint8_t ecn_echo;
    struct weir__sack_block sack[WEIR__SACK_BLOCKS];
};

/* Records packets and gives them back. */
struct collector {
    struct weir__sim *sim;
    struct weir__packet_pool *pool;
    size_t n;
    struct collected seen[COLLECTOR_CAPACITY];
};

static inline void collector_on_packet(void *target, struct weir__packet *packet)
{
    struct collector *c = target;
    g_assert_cmpuint(c->n, <, COLLECTOR_CAPACITY);
    struct collected *seen = &c->seen[c->n++];
    *seen = (struct collected){.at_ns = c->sim->now_ns,
                               .seq = packet->seq,
                               .ack = packet->ack,
                               .flow = packet->flow,
                               .size_bytes = packet->size_bytes,
                               .ecn = packet->ecn,
                               .n_sack = packet->n_sack,
                               .corrupt = packet->corrupt,
                               .duplicated = packet->duplicated,
                               .ecn_echo = packet->ecn_echo};
    for (size_t i = 0; i < packet->n_sack; i++) {
        seen->sack[i] = packet->sack[i];
    }
    weir__packet_give(c->pool, packet);
}

static inline struct weir__port collector_port(struct collector *c)
{
    return (struct weir__port){.on_packet = collector_on_packet, .target = c};
}

/* A simulation with a pool and a collector, on the heap because the collector is large. */
struct bench {
    struct weir__sim sim;
    struct weir__packet_pool pool;
    struct collector out;
};

static inline struct bench *bench_new(size_t packets)
{
    struct bench *b = g_new0(struct bench, 1);
    weir__sim_init(&b->sim);
    weir__packet_pool_init(&b->pool);
    g_assert_cmpint(weir__packet_pool_reserve(&b->pool, packets), ==, WEIR_OK);
    b->out.sim = &b->sim;
    b->out.pool = &b->pool;
    return b;
}

static inline void bench_free(struct bench *b)
{
    weir__packet_pool_finish(&b->pool);
    g_free(b);
}

static inline struct weir__packet *bench_packet(struct bench *b, int64_t seq, int32_t size_bytes)
{
    struct weir__packet *packet = weir__packet_take(&b->pool);
    g_assert_nonnull(packet);
    packet->seq = seq;
    packet->size_bytes = size_bytes;
    packet->sent_ns = b->sim.now_ns;
    return packet;
}

/* Packets in the queue, in service and under way. */
static inline int64_t link_inside_packets(const struct weir__link *link)
{
    int64_t packets = link->line.packets + link->late_line.packets;
    packets += link->queue.packets; /* of a link that foresees they are in the line */
    for (const struct weir__packet *p = link->in_service; p; p = p->next) {
        packets++;
    }
    return packets;
}

/* What was offered came out, was dropped or lost, or is inside. */
static inline void link_assert_conserved(struct weir__link *link)
{
    const struct weir__packet_counters *t = weir__link_counters(link);
    g_assert_cmpint(t->offered_packets + t->duplicated_packets, ==,
                    t->delivered_packets + t->dropped_packets + t->lost_packets +
                        link_inside_packets(link));
}

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* FNV-1a over the eight bytes of a number, lowest first. */
static inline uint64_t hash_u64(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        hash = (hash ^ (value >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#endif
