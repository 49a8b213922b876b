/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simulated packets: a pool of them, and lists of them. Packets are owned by exactly one of pool,
 * list or function at a time. A pool has what was reserved; or it grows as long as there is memory,
 * and then no packet is ever lost for want of one. */
#ifndef WEIR_SIM_PACKET_H
#define WEIR_SIM_PACKET_H

#include "base/prefetch.h"
#include "weir/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR__SACK_BLOCKS 3

/* Packet numbers first .. last, both included. */
struct weir__sack_block {
    int64_t first;
    int64_t last;
};

/* A line of the processor's cache, also where pointers are short; what few need is elsewhere. */
struct weir__packet {
    _Alignas(WEIR__CACHE_LINE_BYTES) struct weir__packet *next; /* in its list or pool */
    union {
        int64_t next_due_ns; /* in a delay line: when it lets `next` go */
        int64_t queued_ns;   /* in a queue of CoDel: since when */
    };
    int64_t sent_ns; /* by the source */
    union {
        int64_t seq;       /* number in its flow */
        int64_t waited_ns; /* of a path's user: in the queue, before its first bit was sent */
    };
    union {
        uint64_t token; /* the user's: a buffer index of the element */
        int64_t ack;    /* TCP's: highest packet number received in order */
    };
    struct weir__sack_block *sack; /* [WEIR__SACK_BLOCKS], of the packet for ever */
    int32_t size_bytes;
    uint32_t flow;
    uint8_t ecn; /* enum weir_ecn (weir/receiver.h), the two bits of the IP header */
    uint8_t n_sack;
    uint8_t hop; /* links of its route that it has entered */
    bool corrupt;
    bool duplicated;  /* a copy follows */
    uint8_t ecn_echo; /* TCP's: ECE of an ACK, or its number of marks; CWR of data */
    uint16_t subflow; /* tells the user's flows inside `flow` apart, for FQ-CoDel */
};

struct weir__packet_chunk;

struct weir__packet_pool {
    struct weir__packet_chunk *chunks; /* the newest first */
    struct weir__packet_chunk *fresh;  /* no chunk before it has a packet that was never used */
    struct weir__packet *free;         /* given back */
    size_t reserved_packets;
    size_t used_packets;
    uint64_t refused; /* calls of take() that found nothing */
    bool growing;     /* take() gets more memory when the pool is empty, reservations do nothing */
};

struct weir__packet_list {
    struct weir__packet *head;
    struct weir__packet *tail; /* only valid while there is a head */
};

/* Where a packet goes next. The receiver of on_packet owns the packet. */
struct weir__port {
    void (*on_packet)(void *target, struct weir__packet *packet);
    void *target;
    void (*on_approach)(void *target); /* a packet comes soon: prefetch; NULL: `target` is enough */
};

void weir__packet_pool_init(struct weir__packet_pool *pool);
void weir__packet_pool_finish(struct weir__packet_pool *pool);
enum weir_status weir__packet_pool_reserve(struct weir__packet_pool *pool, size_t packets);
struct weir__packet *weir__packet_take_fresh(struct weir__packet_pool *pool);
void weir__packet_copy(struct weir__packet *copy, const struct weir__packet *packet);

/* A packet with all fields but the SACK blocks zero, or NULL when all are in use. The one given
 * back last is taken first: it is still in the processor's cache. */
static inline struct weir__packet *weir__packet_take(struct weir__packet_pool *pool)
{
    struct weir__packet *packet = pool->free;
    if (!packet) {
        return weir__packet_take_fresh(pool);
    }
    pool->free = packet->next;
    pool->used_packets++;
    *packet = (struct weir__packet){.sack = packet->sack};
    return packet;
}

/* Back into the pool it came from. */
static inline void weir__packet_give(struct weir__packet_pool *pool, struct weir__packet *packet)
{
    pool->used_packets--;
    packet->next = pool->free;
    pool->free = packet;
}

/* Appends. */
static inline void weir__packet_list_push(struct weir__packet_list *list,
                                          struct weir__packet *packet)
{
    packet->next = NULL;
    if (list->head) {
        list->tail->next = packet;
    } else {
        list->head = packet;
    }
    list->tail = packet;
}

/* Takes the oldest, NULL when empty. */
static inline struct weir__packet *weir__packet_list_pop(struct weir__packet_list *list)
{
    struct weir__packet *packet = list->head;
    if (packet) {
        list->head = packet->next;
        packet->next = NULL;
    }
    return packet;
}

static inline void weir__port_send(const struct weir__port *port, struct weir__packet *packet)
{
    port->on_packet(port->target, packet);
}

#endif
