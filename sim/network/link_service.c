/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/link_service.h"
#include "weir/units.h"

#define FULL_BYTES 1500

/* Counts the packet and hands it over. */
void weir__link_discard(struct weir__link *link, struct weir__packet *packet,
                        enum weir__drop_reason reason)
{
    struct weir__packet_counters *total = &link->total;
    if (reason == WEIR__DROP_LOSS) {
        weir__packet_count(&total->lost_packets, &total->lost_bytes, packet->size_bytes);
    } else {
        weir__packet_count(&total->dropped_packets, &total->dropped_bytes, packet->size_bytes);
    }
    if (link->config.on_drop) {
        link->config.on_drop(link->config.drop_target, packet, reason);
    } else {
        weir__packet_give(link->pool, packet);
    }
}

/* Discards what the queue dropped of what it had already. */
void weir__link_discard_dropped(struct weir__link *link)
{
    for (struct weir__packet *packet = weir__packet_list_pop(&link->queue.dropped); packet;
         packet = weir__packet_list_pop(&link->queue.dropped)) {
        weir__link_discard(link, packet, WEIR__DROP_QUEUE);
    }
}

/* The next packet of the queue, NULL when there is none. */
static struct weir__packet *pop(struct weir__link *link, int64_t now_ns)
{
    struct weir__packet *packet = weir__queue_pop(&link->queue, now_ns);
    weir__link_discard_dropped(link);
    return packet;
}

/* Begins to send the next packet: CoDel may drop others, the user wants to know. */
static void serve_at_rate(struct weir__link *link, int64_t now_ns, int64_t rate_bps)
{
    link->in_service = pop(link, now_ns);
    if (link->in_service) {
        weir__link_tell_service(link, link->in_service);
        int64_t send_ns = weir_send_time_ns(link->in_service->size_bytes, rate_bps);
        weir__timer_set(&link->service, link->sim, weir_time_add_ns(now_ns, send_ns));
    }
}

/* Begins to send the next packet at the opportunities of the trace. */
static void serve_by_trace(struct weir__link *link)
{
    int64_t now_ns = link->sim->now_ns;
    link->in_service = pop(link, now_ns);
    if (link->in_service) {
        int64_t sent_ns =
            weir__capacity_trace_send(&link->trace, now_ns, link->in_service->size_bytes);
        weir__timer_set(&link->service, link->sim, sent_ns);
    } else {
        weir__capacity_trace_rest(&link->trace);
    }
}

/* Begins to send the next packet as soon as the shaper has enough for it. */
static void serve_shaped(struct weir__link *link, int64_t now_ns, int64_t rate_bps)
{
    link->in_service = pop(link, now_ns);
    if (link->in_service) {
        int64_t size_bytes = link->in_service->size_bytes;
        int64_t at_ns = weir__token_bucket_wait_for(&link->shaper, now_ns, size_bytes);
        weir__timer_set(&link->service, link->sim,
                        weir_time_add_ns(at_ns, weir_send_time_ns(size_bytes, rate_bps)));
    }
}

/* Fills an aggregate from the queue and begins to send it. */
static void send_aggregate(struct weir__link *link, int64_t now_ns, int64_t rate_bps)
{
    const struct weir__aggregation_config *config = &link->config.aggregation;
    struct weir__packet_list aggregate = {.head = NULL};
    int64_t airtime_ns = 0;
    for (int64_t i = 0; i < config->packets && airtime_ns < config->airtime_ns; i++) {
        struct weir__packet *packet = pop(link, now_ns);
        if (!packet) {
            break;
        }
        weir__link_tell_service(link, packet);
        weir__packet_list_push(&aggregate, packet);
        airtime_ns += weir_send_time_ns(packet->size_bytes, rate_bps);
    }
    link->channel = WEIR__CHANNEL_IDLE;
    link->in_service = aggregate.head;
    if (link->in_service) {
        weir__timer_set(&link->service, link->sim, weir_time_add_ns(now_ns, airtime_ns));
    }
}

/* Something waits: waits for the channel, and when it has it, sends. */
static void serve_in_aggregates(struct weir__link *link, int64_t now_ns, int64_t rate_bps)
{
    if (link->channel == WEIR__CHANNEL_OURS) {
        send_aggregate(link, now_ns, rate_bps);
    } else if (link->channel == WEIR__CHANNEL_IDLE && link->queue.packets > 0) {
        double mean_ns = (double)link->config.aggregation.access_ns;
        double wait_ns = weir__random_exponential(&link->access_random, mean_ns);
        link->channel = WEIR__CHANNEL_AWAITED;
        weir__timer_set(&link->service, link->sim,
                        weir_time_add_ns(now_ns, (int64_t)(wait_ns + 0.5)));
    }
}

/* Begins to send what comes next on a link that is free, not in an outage (rate_bps > 0), and whose
 * service is not plain. */
void weir__link_serve_specially(struct weir__link *link, int64_t now_ns, int64_t rate_bps)
{
    switch (link->service_kind) {
    case WEIR__LINK_BY_TRACE:
        serve_by_trace(link);
        break;
    case WEIR__LINK_SHAPED:
        serve_shaped(link, now_ns, rate_bps);
        break;
    case WEIR__LINK_IN_AGGREGATES:
        serve_in_aggregates(link, now_ns, rate_bps);
        break;
    case WEIR__LINK_AT_RATE:
        serve_at_rate(link, now_ns, rate_bps);
        break;
    }
}

/* How long the queue of such a link takes at rate_bps > 0, from the end of the present service on;
 * with aggregates the expectation. */
int64_t weir__link_special_wait_ns(const struct weir__link *link, int64_t rate_bps)
{
    const struct weir__queue *queue = &link->queue;
    const struct weir__aggregation_config *aggregation = &link->config.aggregation;
    int64_t send_ns = weir_send_time_ns(queue->bytes, rate_bps);
    int64_t end_ns = link->in_service ? link->service.time_ns : link->sim->now_ns;
    switch (link->service_kind) {
    case WEIR__LINK_BY_TRACE:
        return link->in_service
                   ? weir__capacity_trace_sent_ns(&link->trace, queue->packets, queue->bytes) -
                         end_ns
                   : 0;
    case WEIR__LINK_SHAPED:
        return weir_max_i64(send_ns, weir_send_time_ns(queue->bytes, link->shaper.rate_bps) -
                                         weir__token_bucket_saved_ns(&link->shaper, end_ns));
    case WEIR__LINK_IN_AGGREGATES:
        return send_ns +
               aggregation->access_ns * (weir__aggregation_accesses(aggregation, queue->packets,
                                                                    queue->bytes, rate_bps) -
                                         (link->channel == WEIR__CHANNEL_AWAITED ? 1 : 0));
    case WEIR__LINK_AT_RATE:
        break;
    }
    return send_ns;
}

/* What a link that sends at rate_bps carries in the long run, of packets of 1500 bytes: less than
 * the rate with a policer, a shaper or aggregates. */
int64_t weir__link_usable_bps(const struct weir__link_config *config, int64_t rate_bps)
{
    int64_t usable_bps = rate_bps;
    if (config->aggregation.packets > 0) {
        usable_bps = weir__aggregation_capacity_bps(&config->aggregation, FULL_BYTES, rate_bps);
    }
    if (config->shaper.rate_bps > 0) {
        usable_bps = weir_min_i64(usable_bps, config->shaper.rate_bps);
    }
    return config->policer.rate_bps > 0 ? weir_min_i64(usable_bps, config->policer.rate_bps)
                                        : usable_bps;
}
