/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FQ-CoDel by RFC 8290 4. Differs: flows are told apart by their numbers, not by a salted hash of
 * addresses and ports (weir-link has the hash of those in the subflow). */
#include "sim/network/queue_fq_codel.h"
#include <stdlib.h>

#define MOST_FLOWS        65536
#define MOST_DROP_PACKETS 64 /* RFC 8290 4.1: of the largest queue at a time */

struct flow {
    struct weir__queue_fifo fifo;
    struct weir__codel codel;
    int64_t deficit_bytes;
    struct flow *next; /* in its list */
    bool listed;
};

struct flow_list {
    struct flow *head;
    struct flow *tail; /* only valid while there is a head */
};

struct weir__fq_codel {
    struct weir__fq_codel_config config;
    struct weir__codel_config codel;
    struct flow_list fresh; /* the RFC's new and old flows */
    struct flow_list old;
    struct flow flows[];
};

/* RFC 8290 5.2: 1024 queues, a packet of 1500 bytes per turn. */
void weir__fq_codel_config_default(struct weir__fq_codel_config *config)
{
    *config = (struct weir__fq_codel_config){.flows = 1024, .quantum_bytes = 1500};
}

/* Empty queues. WEIR_ERROR_RANGE, WEIR_ERROR_NO_MEMORY; *fq is then untouched. */
enum weir_status weir__fq_codel_create(struct weir__fq_codel **fq,
                                       const struct weir__fq_codel_config *config,
                                       const struct weir__codel_config *codel)
{
    bool valid = config->flows >= 1 && config->flows <= MOST_FLOWS && config->quantum_bytes > 0;
    if (!valid || weir__codel_check(codel) != WEIR_OK) {
        return WEIR_ERROR_RANGE;
    }
    struct weir__fq_codel *fresh =
        calloc(1, sizeof *fresh + (size_t)config->flows * sizeof(struct flow));
    if (!fresh) {
        return WEIR_ERROR_NO_MEMORY;
    }
    fresh->config = *config;
    fresh->codel = *codel;
    *fq = fresh;
    return WEIR_OK;
}

/* The packets in it belong to the pool. */
void weir__fq_codel_destroy(struct weir__fq_codel *fq)
{
    free(fq);
}

static void append(struct flow_list *list, struct flow *flow)
{
    flow->next = NULL;
    if (list->head) {
        list->tail->next = flow;
    } else {
        list->head = flow;
    }
    list->tail = flow;
}

static struct flow *take_first(struct flow_list *list)
{
    struct flow *flow = list->head;
    list->head = flow->next;
    return flow;
}

/* RFC 8290 4.1: a flow without packets that is in no list becomes a new one, with a quantum. */
void weir__fq_codel_push(struct weir__fq_codel *fq, struct weir__packet *packet, int64_t now_ns)
{
    uint64_t number = (uint64_t)packet->flow + packet->subflow;
    struct flow *flow = &fq->flows[number % (uint64_t)fq->config.flows];
    weir__queue_fifo_push(&flow->fifo, packet, now_ns);
    if (!flow->listed) {
        flow->listed = true;
        flow->deficit_bytes = fq->config.quantum_bytes;
        append(&fq->fresh, flow);
    }
}

static struct flow *largest_of(struct flow *flow, struct flow *largest)
{
    for (; flow; flow = flow->next) {
        if (!largest || flow->fifo.bytes > largest->fifo.bytes) {
            largest = flow;
        }
    }
    return largest;
}

/* RFC 8290 4.1, of a queue above its limit: half of the packets of the largest queue, 64 at most,
 * go from its head. There is a packet. */
void weir__fq_codel_relieve(struct weir__fq_codel *fq, struct weir__packet_list *dropped)
{
    struct flow *flow = largest_of(fq->old.head, largest_of(fq->fresh.head, NULL));
    int64_t most = (flow->fifo.packets + 1) / 2;
    for (int64_t i = 0; i < most && i < MOST_DROP_PACKETS; i++) {
        weir__packet_list_push(dropped, weir__queue_fifo_take(&flow->fifo));
    }
}

/* RFC 8290 4.2: the next packet to send, NULL when there is none. New flows come first; who has
 * used up his deficit gets another quantum and goes to the end of the old ones; a new flow without
 * packets goes there too, lest it be new again with its next packet. */
struct weir__packet *weir__fq_codel_pop(struct weir__fq_codel *fq,
                                        struct weir__packet_list *dropped, int64_t now_ns)
{
    while (fq->fresh.head || fq->old.head) {
        bool is_fresh = fq->fresh.head != NULL;
        struct flow_list *list = is_fresh ? &fq->fresh : &fq->old;
        struct flow *flow = list->head;
        if (flow->deficit_bytes <= 0) {
            flow->deficit_bytes += fq->config.quantum_bytes;
            append(&fq->old, take_first(list));
            continue;
        }
        struct weir__packet *packet =
            weir__codel_pop(&flow->codel, &fq->codel, &flow->fifo, dropped, now_ns);
        if (packet) {
            flow->deficit_bytes -= packet->size_bytes;
            return packet;
        }
        take_first(list);
        if (is_fresh && fq->old.head) {
            append(&fq->old, flow);
        } else {
            flow->listed = false;
        }
    }
    return NULL;
}

/* Any packet, NULL when there is none: for the end of the simulation. */
struct weir__packet *weir__fq_codel_take(struct weir__fq_codel *fq)
{
    for (int64_t i = 0; i < fq->config.flows; i++) {
        struct weir__packet *packet = weir__queue_fifo_take(&fq->flows[i].fifo);
        if (packet) {
            return packet;
        }
    }
    return NULL;
}
