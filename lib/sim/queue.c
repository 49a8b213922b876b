/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/queue.h"

static bool is_limit_valid(const struct weir__queue_limit *limit)
{
    return limit->packets >= 0 && limit->bytes >= 0 && limit->time_ns >= 0 &&
           (limit->packets > 0 || limit->bytes > 0 || limit->time_ns > 0);
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
    if (config->discipline == WEIR__QUEUE_RED) {
        enum weir_status status = weir__red_init(&fresh.red, &config->red, rate_bps, delay_ns);
        if (status != WEIR_OK) {
            return status;
        }
    }
    *queue = fresh;
    return WEIR_OK;
}

/* RED's decision; an ECN-capable packet is marked where others are dropped early. */
static bool red_accepts(struct weir__queue *queue, struct weir__packet *packet, int64_t now_ns,
                        struct weir__random *random)
{
    enum weir__red_verdict verdict = weir__red_on_arrival(&queue->red, now_ns, queue->packets,
                                                          queue->bytes, packet->size_bytes, random);
    if (verdict == WEIR__RED_EARLY && queue->red.config.mark_ecn &&
        packet->ecn != WEIR__ECN_NOT_CAPABLE) {
        packet->ecn = WEIR__ECN_CONGESTION;
        return true;
    }
    return verdict == WEIR__RED_ACCEPT;
}

/* Takes the packet and returns true, or leaves it with the caller to drop. rate_bps is the rate of
 * the link now. */
bool weir__queue_push(struct weir__queue *queue, struct weir__packet *packet, int64_t now_ns,
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
    queue->packets++;
    queue->bytes += packet->size_bytes;
    return true;
}

/* The next packet to send; NULL when empty, and then RED begins to count the idle time. */
struct weir__packet *weir__queue_pop(struct weir__queue *queue, int64_t now_ns)
{
    struct weir__packet *packet = weir__packet_list_pop(&queue->list);
    if (packet) {
        weir__packet_prefetch(queue->list.head);
        queue->packets--;
        queue->bytes -= packet->size_bytes;
    } else if (queue->discipline == WEIR__QUEUE_RED) {
        weir__red_on_idle(&queue->red, now_ns);
    }
    return packet;
}
