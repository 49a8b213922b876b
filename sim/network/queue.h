/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue in front of a link: packets, their limit and its discipline. With CoDel, FQ-CoDel
 * and DualPI2 push and pop may drop packets that are in the queue; the user takes those before the
 * next call.
 * The packet being sent has left the queue (as in ns-2). */
#ifndef WEIR_SIM_QUEUE_H
#define WEIR_SIM_QUEUE_H

#include "sim/base/packet.h"
#include "sim/base/random.h"
#include "sim/network/queue_codel.h"
#include "sim/network/queue_droptail.h"
#include "sim/network/queue_dualpi2.h"
#include "sim/network/queue_fq_codel.h"
#include "sim/network/queue_pie.h"
#include "sim/network/queue_red.h"
#include <stdbool.h>
#include <stdint.h>

enum weir__queue_discipline {
    WEIR__QUEUE_DROPTAIL, /* the arriving packet is dropped when the limit is reached */
    WEIR__QUEUE_RED,      /* random early detection, and the limit as a last resort */
    WEIR__QUEUE_CODEL,    /* drops from the head by waiting times, and the limit */
    WEIR__QUEUE_FQ_CODEL, /* the same for each flow; the limit drops from the longest queue */
    WEIR__QUEUE_PIE,      /* arriving packets by waiting times, and the limit */
    WEIR__QUEUE_DUALPI2   /* one queue for L4S, which is marked, and one for the others */
};
/* As scenarios and options name them. */
#define WEIR__QUEUE_NAMES(ROW)                                                                     \
    ROW(DROPTAIL, droptail)                                                                        \
    ROW(RED, red) ROW(CODEL, codel) ROW(FQ_CODEL, fq_codel) ROW(PIE, pie) ROW(DUALPI2, dualpi2)
#define WEIR__QUEUE_ONE(id, name) +1
enum { WEIR__QUEUE_DISCIPLINES = WEIR__QUEUE_NAMES(WEIR__QUEUE_ONE) };
extern const char *const weir__queue_names[WEIR__QUEUE_DISCIPLINES];

struct weir__queue_config {
    enum weir__queue_discipline discipline;
    struct weir__queue_limit limit;
    struct weir__red_config red;           /* only read for WEIR__QUEUE_RED */
    struct weir__codel_config codel;       /* only read for CODEL and FQ_CODEL */
    struct weir__fq_codel_config fq_codel; /* only read for FQ_CODEL */
    struct weir__pie_config pie;           /* only read for PIE */
    struct weir__dualpi2_config dualpi2;   /* only read for DUALPI2 */
};

struct weir__queue {
    enum weir__queue_discipline discipline;
    bool plain; /* DROPTAIL, with a limit of packets alone */
    struct weir__queue_limit limit;
    struct weir__packet_list list; /* of DROPTAIL and RED */
    int64_t bytes;
    int64_t packets;
    struct weir__packet_list dropped; /* from inside, to be taken by the user */
    struct weir__red red;
    struct weir__codel_config codel_config;
    struct weir__codel codel;
    struct weir__queue_fifo fifo; /* of CODEL and PIE */
    struct weir__fq_codel *fq;
    struct weir__pie pie;
    struct weir__dualpi2 dualpi2;
};

/* Whether push and pop may drop packets that are in the queue. */
static inline bool weir__queue_drops_inside(const struct weir__queue *queue)
{
    return queue->discipline == WEIR__QUEUE_CODEL || queue->discipline == WEIR__QUEUE_FQ_CODEL ||
           queue->discipline == WEIR__QUEUE_DUALPI2;
}

void weir__queue_config_default(struct weir__queue_config *config);
enum weir_status weir__queue_check(const struct weir__queue_config *config, int64_t rate_bps,
                                   int64_t delay_ns);

enum weir_status weir__queue_init(struct weir__queue *queue,
                                  const struct weir__queue_config *config, int64_t rate_bps,
                                  int64_t delay_ns);
void weir__queue_finish(struct weir__queue *queue);
struct weir__packet *weir__queue_take(struct weir__queue *queue);
bool weir__queue_push_ruled(struct weir__queue *queue, struct weir__packet *packet, int64_t now_ns,
                            int64_t rate_bps, struct weir__random *random);
struct weir__packet *weir__queue_pop_ruled(struct weir__queue *queue, int64_t now_ns);

/* Takes the packet and returns true, or leaves it with the caller to drop. rate_bps is the rate of
 * the link now. */
static inline bool weir__queue_push(struct weir__queue *queue, struct weir__packet *packet,
                                    int64_t now_ns, int64_t rate_bps, struct weir__random *random)
{
    if (!queue->plain) {
        return weir__queue_push_ruled(queue, packet, now_ns, rate_bps, random);
    }
    if (queue->packets >= queue->limit.packets) {
        return false;
    }
    weir__packet_list_push(&queue->list, packet);
    queue->packets++;
    queue->bytes += packet->size_bytes;
    return true;
}

/* The next packet to send; NULL when there is none. */
static inline struct weir__packet *weir__queue_pop(struct weir__queue *queue, int64_t now_ns)
{
    if (!queue->plain) {
        return weir__queue_pop_ruled(queue, now_ns);
    }
    struct weir__packet *packet = weir__packet_list_pop(&queue->list);
    if (packet) {
        weir__prefetch(queue->list.head, sizeof *packet);
        queue->packets--;
        queue->bytes -= packet->size_bytes;
    }
    return packet;
}

#endif
