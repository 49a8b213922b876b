/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/queue.h"
#include "weir/receiver.h"
#include "weir/units.h"

#define NAME(id, name) [WEIR__QUEUE_##id] = #name,
const char *const weir__queue_names[WEIR__QUEUE_DISCIPLINES] = {WEIR__QUEUE_NAMES(NAME)};

static bool is_limit_valid(const struct weir__queue_limit *limit)
{
    return limit->packets >= 0 && limit->bytes >= 0 && limit->time_ns >= 0 &&
           (limit->packets > 0 || limit->bytes > 0 || limit->time_ns > 0);
}

/* No limit yet; the disciplines' defaults. */
void weir__queue_config_default(struct weir__queue_config *config)
{
    *config = (struct weir__queue_config){.discipline = WEIR__QUEUE_DROPTAIL};
    weir__red_config_default(&config->red);
    weir__codel_config_default(&config->codel);
    weir__fq_codel_config_default(&config->fq_codel);
    weir__pie_config_default(&config->pie);
    weir__dualpi2_config_default(&config->dualpi2);
}

/* Allocates nothing but for FQ-CoDel. */
static enum weir_status init_discipline(struct weir__queue *queue,
                                        const struct weir__queue_config *config, int64_t rate_bps,
                                        int64_t delay_ns)
{
    switch (config->discipline) {
    case WEIR__QUEUE_DROPTAIL:
        break;
    case WEIR__QUEUE_RED:
        return weir__red_init(&queue->red, &config->red, rate_bps, delay_ns);
    case WEIR__QUEUE_CODEL:
        queue->codel_config = config->codel;
        return weir__codel_check(&config->codel);
    case WEIR__QUEUE_FQ_CODEL:
        return weir__fq_codel_create(&queue->fq, &config->fq_codel, &config->codel);
    case WEIR__QUEUE_PIE:
        return weir__pie_init(&queue->pie, &config->pie);
    case WEIR__QUEUE_DUALPI2:
        return weir__dualpi2_init(&queue->dualpi2, &config->dualpi2);
    }
    return WEIR_OK;
}

/* An empty queue. At least one limit must be set. rate_bps > 0 and delay_ns are the nominal values
 * of the link, for the automatic settings of RED. */
enum weir_status weir__queue_init(struct weir__queue *queue,
                                  const struct weir__queue_config *config, int64_t rate_bps,
                                  int64_t delay_ns)
{
    if (!is_limit_valid(&config->limit)) {
        return WEIR_ERROR_RANGE;
    }
    struct weir__queue fresh = {.discipline = config->discipline, .limit = config->limit};
    enum weir_status status = init_discipline(&fresh, config, rate_bps, delay_ns);
    fresh.plain = config->discipline == WEIR__QUEUE_DROPTAIL && config->limit.bytes == 0 &&
                  config->limit.time_ns == 0;
    if (status == WEIR_OK) {
        *queue = fresh;
    }
    return status;
}

/* What weir__queue_init() would say. */
enum weir_status weir__queue_check(const struct weir__queue_config *config, int64_t rate_bps,
                                   int64_t delay_ns)
{
    struct weir__queue trial;
    enum weir_status status = weir__queue_init(&trial, config, rate_bps, delay_ns);
    if (status == WEIR_OK) {
        weir__queue_finish(&trial);
    }
    return status;
}

/* Packets belong to the pool. Accepts a zeroed queue. */
void weir__queue_finish(struct weir__queue *queue)
{
    weir__fq_codel_destroy(queue->fq);
    queue->fq = NULL;
}

/* RED's decision; an ECN-capable packet is marked where others are dropped early. */
static bool red_accepts(struct weir__queue *queue, struct weir__packet *packet, int64_t now_ns,
                        struct weir__random *random)
{
    enum weir__red_verdict verdict = weir__red_on_arrival(&queue->red, now_ns, queue->packets,
                                                          queue->bytes, packet->size_bytes, random);
    if (verdict == WEIR__RED_EARLY && queue->red.config.mark_ecn &&
        packet->ecn != WEIR_ECN_NOT_ECT) {
        packet->ecn = WEIR_ECN_CE;
        return true;
    }
    return verdict == WEIR__RED_ACCEPT;
}

static void count_dropped(struct weir__queue *queue)
{
    for (struct weir__packet *packet = queue->dropped.head; packet; packet = packet->next) {
        queue->packets--;
        queue->bytes -= packet->size_bytes;
    }
}

static void count_pushed(struct weir__queue *queue, const struct weir__packet *packet)
{
    queue->packets++;
    queue->bytes += packet->size_bytes;
}

/* Takes any packet, and then drops from its longest queue when it is above the limit. */
static void push_to_flows(struct weir__queue *queue, struct weir__packet *packet, int64_t now_ns,
                          bool full)
{
    weir__fq_codel_push(queue->fq, packet, now_ns);
    count_pushed(queue, packet);
    if (full) {
        weir__fq_codel_relieve(queue->fq, &queue->dropped);
        count_dropped(queue);
    }
}

/* PIE's decision, on the queue before the packet. */
static bool pie_accepts(struct weir__queue *queue, struct weir__packet *packet, int64_t now_ns,
                        struct weir__random *random)
{
    weir__pie_update(&queue->pie, now_ns, weir__queue_fifo_since_ns(&queue->fifo));
    enum weir__pie_verdict verdict =
        weir__pie_on_arrival(&queue->pie, queue->bytes, packet->ecn != WEIR_ECN_NOT_ECT, random);
    if (verdict == WEIR__PIE_MARK) {
        packet->ecn = WEIR_ECN_CE;
    }
    return verdict != WEIR__PIE_DROP;
}

static bool push_to_list(struct weir__queue *queue, struct weir__packet *packet, int64_t now_ns,
                         int64_t rate_bps, struct weir__random *random)
{
    bool red = queue->discipline == WEIR__QUEUE_RED;
    bool accepted = !red || red_accepts(queue, packet, now_ns, random);
    if (weir__droptail_is_full(&queue->limit, queue->packets, queue->bytes, packet->size_bytes,
                               rate_bps)) {
        if (red) {
            weir__red_on_overflow(&queue->red);
        }
        return false;
    }
    if (!accepted) {
        return false;
    }
    weir__packet_list_push(&queue->list, packet);
    count_pushed(queue, packet);
    return true;
}

/* weir__queue_push() of a queue that is not plain. */
bool weir__queue_push_ruled(struct weir__queue *queue, struct weir__packet *packet, int64_t now_ns,
                            int64_t rate_bps, struct weir__random *random)
{
    enum weir__queue_discipline discipline = queue->discipline;
    if (discipline == WEIR__QUEUE_DROPTAIL || discipline == WEIR__QUEUE_RED) {
        return push_to_list(queue, packet, now_ns, rate_bps, random);
    }
    bool accepted = discipline != WEIR__QUEUE_PIE || pie_accepts(queue, packet, now_ns, random);
    bool full = weir__droptail_is_full(&queue->limit, queue->packets, queue->bytes,
                                       packet->size_bytes, rate_bps);
    if (discipline == WEIR__QUEUE_FQ_CODEL) {
        push_to_flows(queue, packet, now_ns, full);
        return true;
    }
    if (full || !accepted) {
        return false;
    }
    if (discipline == WEIR__QUEUE_DUALPI2) {
        weir__dualpi2_push(&queue->dualpi2, packet, now_ns);
    } else {
        weir__queue_fifo_push(&queue->fifo, packet, now_ns);
    }
    count_pushed(queue, packet);
    return true;
}

/* The next packet, when the queue has stamped what it holds. */
static struct weir__packet *pop_stamped(struct weir__queue *queue, int64_t now_ns)
{
    switch (queue->discipline) {
    case WEIR__QUEUE_CODEL:
        return weir__codel_pop(&queue->codel, &queue->codel_config, &queue->fifo, &queue->dropped,
                               now_ns);
    case WEIR__QUEUE_FQ_CODEL:
        return weir__fq_codel_pop(queue->fq, &queue->dropped, now_ns);
    case WEIR__QUEUE_DUALPI2:
        return weir__dualpi2_pop(&queue->dualpi2, &queue->dropped, now_ns);
    case WEIR__QUEUE_PIE:
    case WEIR__QUEUE_DROPTAIL:
    case WEIR__QUEUE_RED:
        break;
    }
    weir__pie_update(&queue->pie, now_ns, weir__queue_fifo_since_ns(&queue->fifo));
    return weir__queue_fifo_take(&queue->fifo);
}

/* NULL when empty, and then RED begins to count the idle time. */
static struct weir__packet *pop_from_list(struct weir__queue *queue, int64_t now_ns)
{
    struct weir__packet *packet = weir__packet_list_pop(&queue->list);
    if (packet) {
        weir__prefetch(queue->list.head, sizeof *packet);
        queue->packets--;
        queue->bytes -= packet->size_bytes;
    } else if (queue->discipline == WEIR__QUEUE_RED) {
        weir__red_on_idle(&queue->red, now_ns);
    }
    return packet;
}

/* weir__queue_pop() likewise. */
struct weir__packet *weir__queue_pop_ruled(struct weir__queue *queue, int64_t now_ns)
{
    if (queue->discipline == WEIR__QUEUE_DROPTAIL || queue->discipline == WEIR__QUEUE_RED) {
        return pop_from_list(queue, now_ns);
    }
    struct weir__packet *packet = pop_stamped(queue, now_ns);
    if (packet) {
        queue->packets--;
        queue->bytes -= packet->size_bytes;
    }
    count_dropped(queue);
    return packet;
}

/* Any packet that is in the queue, NULL when there is none: for the end of the simulation. */
struct weir__packet *weir__queue_take(struct weir__queue *queue)
{
    switch (queue->discipline) {
    case WEIR__QUEUE_CODEL:
    case WEIR__QUEUE_PIE:
        return weir__queue_fifo_take(&queue->fifo);
    case WEIR__QUEUE_FQ_CODEL:
        return weir__fq_codel_take(queue->fq);
    case WEIR__QUEUE_DUALPI2:
        return weir__dualpi2_take(&queue->dualpi2);
    case WEIR__QUEUE_DROPTAIL:
    case WEIR__QUEUE_RED:
        break;
    }
    return weir__packet_list_pop(&queue->list);
}
