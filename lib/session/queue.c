/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue: a ring of items that is allocated once. What goes when it is over its bounds is
 * decided in queue_policy.c; what is a frame is known in queue_frames.c. on_drop may not call back
 * into the queue. */
#include "weir/queue.h"

#include <stdlib.h>

#include "session/queue_policy.h"

#define DEFAULT_MAX_TIME_NS WEIR_MS(250)
#define DEFAULT_MAX_PACKETS 4096
#define LIMIT_MAX_PACKETS   65536

void weir_queue_config_init(struct weir_queue_config *config)
{
    *config = (struct weir_queue_config){
        .size = sizeof *config,
        .policy = WEIR_QUEUE_DROP_FRAME,
        .max_time_ns = DEFAULT_MAX_TIME_NS,
        .max_packets = DEFAULT_MAX_PACKETS,
    };
}

static bool is_policy(enum weir_queue_policy policy)
{
    return policy == WEIR_QUEUE_DROP_NEWEST || policy == WEIR_QUEUE_DROP_OLDEST ||
           policy == WEIR_QUEUE_DROP_FRAME;
}

static enum weir_status check_config(const struct weir_queue_config *config)
{
    if (config == NULL || config->size != sizeof *config || config->on_drop == NULL ||
        !is_policy(config->policy)) {
        return WEIR_ERROR_ARGUMENT;
    }
    bool in_range = config->max_time_ns > 0 && config->max_packets >= 1 &&
                    config->max_packets <= LIMIT_MAX_PACKETS;
    return in_range ? WEIR_OK : WEIR_ERROR_RANGE;
}

struct weir_queue *weir_queue_create(const struct weir_queue_config *config,
                                     enum weir_status *status)
{
    enum weir_status checked = check_config(config);
    struct weir_queue *queue = NULL;
    if (checked == WEIR_OK) {
        uint32_t n_slots = config->max_packets + 1;
        queue = calloc(1, sizeof *queue + n_slots * sizeof queue->slots[0]);
        checked = queue != NULL ? WEIR_OK : WEIR_ERROR_NO_MEMORY;
        if (queue != NULL) {
            queue->config = *config;
            queue->n_slots = n_slots;
        }
    }
    if (status != NULL) {
        *status = checked;
    }
    return queue;
}

void weir_queue_destroy(struct weir_queue *queue)
{
    if (queue != NULL) {
        weir_queue_clear(queue);
        free(queue);
    }
}

/* The rest of a dropped frame: the key frame it costs was asked for when its first packet went. */
static enum weir_status refuse(struct weir_queue *queue, const struct weir_queue_item *item)
{
    queue->stats.dropped_packets++;
    queue->stats.dropped_bytes += item->size_bytes;
    queue->config.on_drop(queue->config.user, item);
    return WEIR_ERROR_NO_SPACE;
}

/* Which items go before which. */
static int rank_of(const struct weir_queue_item *item)
{
    return item->flags & WEIR_QUEUE_AUDIO ? 2 : item->flags & WEIR_QUEUE_REPAIR ? 1 : 0;
}

/* Repair that shares the SSRC of the video (FEC) keeps the order of its numbers; what is sent again
 * passes it, with that video. */
static bool may_pass(const struct weir_queue_item *item, const struct weir_queue_item *before)
{
    if (weir__is_control(item) || weir__is_control(before)) {
        return false;
    }
    return item->flags & WEIR_QUEUE_AUDIO
               ? rank_of(before) < rank_of(item)
               : item->flags & WEIR_QUEUE_REPAIR && rank_of(before) <= rank_of(item) &&
                     item->ssrc != before->ssrc;
}

/* Behind what it may not pass, and behind its like that has passed all video too. */
static uint32_t place_of(struct weir_queue *queue, const struct weir_queue_item *item)
{
    uint32_t place = queue->n_items;
    for (uint32_t i = queue->n_items; i > 0; i--) {
        const struct weir_queue_item *before = weir__send_item(queue, i - 1);
        if (!may_pass(item, before)) {
            break;
        }
        place = rank_of(before) < rank_of(item) ? i - 1 : place;
    }
    return place;
}

static void insert(struct weir_queue *queue, const struct weir_queue_item *item)
{
    uint32_t place = place_of(queue, item);
    uint32_t at = queue->n_items++;
    for (; at > place; at--) {
        *weir__send_item(queue, at) = *weir__send_item(queue, at - 1);
    }
    *weir__send_item(queue, at) = *item;
    queue->pushed_at = at;
    queue->has_pushed = true;
}

/* rate_bps <= 0: nothing leaves, everything is late. WEIR_ERROR_ARGUMENT does not take the item. */
enum weir_status weir_queue_push(struct weir_queue *queue, const struct weir_queue_item *item,
                                 int64_t rate_bps, bool *need_key_frame)
{
    if (queue == NULL || item == NULL) {
        return WEIR_ERROR_ARGUMENT;
    }
    struct weir_queue_item pushed = *item;
    bool whole_frames = queue->config.policy == WEIR_QUEUE_DROP_FRAME;
    if (!weir__frames_admit(&queue->frames, &pushed, whole_frames)) {
        return refuse(queue, &pushed);
    }
    insert(queue, &pushed);
    weir__send_account(queue, &pushed, 1);
    queue->key_frame_lost = false;
    weir__send_enforce(queue, rate_bps);
    if (need_key_frame != NULL && queue->key_frame_lost) {
        *need_key_frame = true;
    }
    return queue->has_pushed ? WEIR_OK : WEIR_ERROR_NO_SPACE;
}

bool weir_queue_skips_frame(struct weir_queue *queue, int64_t rate_bps)
{
    bool skips = queue->config.policy == WEIR_QUEUE_DROP_FRAME &&
                 weir__send_is_late(queue, 2 * queue->stats.queued_bytes, rate_bps);
    queue->stats.skipped_frames += skips;
    return skips;
}

const struct weir_queue_item *weir_queue_peek(const struct weir_queue *queue)
{
    return queue->n_items > 0 ? &queue->slots[queue->head] : NULL;
}

/* Moves the first item to *item. */
static void take_first(struct weir_queue *queue, struct weir_queue_item *item)
{
    *item = queue->slots[queue->head];
    queue->head = queue->head + 1 == queue->n_slots ? 0 : queue->head + 1;
    queue->n_items--;
    if (queue->n_items == 0) {
        queue->head = 0; /* a short queue stays in the processor's cache */
    }
    weir__send_account(queue, item, -1);
}

bool weir_queue_pop(struct weir_queue *queue, struct weir_queue_item *item)
{
    if (queue->n_items == 0) {
        return false;
    }
    take_first(queue, item);
    weir__frames_on_start(&queue->frames, item);
    return true;
}

void weir_queue_clear(struct weir_queue *queue)
{
    while (queue->n_items > 0) {
        struct weir_queue_item item;
        take_first(queue, &item);
        queue->config.on_drop(queue->config.user, &item);
    }
    queue->frames = (struct weir__frames){0};
}

/* On WEIR_ERROR_ARGUMENT (no such policy) and WEIR_ERROR_RANGE (time <= 0) nothing has changed. */
enum weir_status weir_queue_set_policy(struct weir_queue *queue, enum weir_queue_policy policy,
                                       int64_t max_time_ns)
{
    if (queue == NULL || !is_policy(policy)) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (max_time_ns <= 0) {
        return WEIR_ERROR_RANGE;
    }
    queue->config.policy = policy;
    queue->config.max_time_ns = max_time_ns;
    weir__frames_forgive(&queue->frames);
    return WEIR_OK;
}

void weir_queue_get_stats(const struct weir_queue *queue, struct weir_queue_stats *stats)
{
    *stats = queue->stats;
}
