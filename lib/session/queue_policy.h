/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue's memory, and what leaves it when it is over its bounds. */
#ifndef WEIR_QUEUE_POLICY_H
#define WEIR_QUEUE_POLICY_H

#include "session/queue_frames.h"

struct weir_queue {
    struct weir_queue_config config;
    struct weir_queue_stats stats;
    int64_t audio_bytes;    /* of stats.queued_bytes */
    int64_t repair_bytes;   /* likewise, of repair */
    uint32_t audio_packets; /* of stats.queued_packets */
    uint32_t repair_packets;
    uint32_t head;
    uint32_t n_items;
    uint32_t n_slots; /* max_packets + 1: the newest goes in before it is decided what goes out */
    bool key_frame_lost; /* in this push */
    bool has_pushed;     /* the item being pushed is still queued ... */
    uint32_t pushed_at;  /* ... here, from the front */
    struct weir__frames frames;
    struct weir_queue_item slots[];
};

/* The i-th item from the front, i < n_items. */
static inline struct weir_queue_item *weir__send_item(struct weir_queue *queue, uint32_t i)
{
    uint32_t at = queue->head + i;
    return &queue->slots[at >= queue->n_slots ? at - queue->n_slots : at];
}

/* Repair of video. */
static inline bool weir__send_is_repair(const struct weir_queue_item *item)
{
    return weir__is_video(item) && item->flags & WEIR_QUEUE_REPAIR;
}

/* Adds an item that was put in (sign 1) or takes off one that was taken out (-1). Control items
 * have no size. */
static inline void weir__send_account(struct weir_queue *queue, const struct weir_queue_item *item,
                                      int sign)
{
    int64_t bytes = sign * (int64_t)item->size_bytes;
    if (weir__is_control(item)) {
        return;
    }
    queue->stats.queued_packets += (uint32_t)sign;
    queue->stats.queued_bytes += bytes;
    if (item->flags & WEIR_QUEUE_AUDIO) {
        queue->audio_packets += (uint32_t)sign;
        queue->audio_bytes += bytes;
    }
    if (weir__send_is_repair(item)) {
        queue->repair_packets += (uint32_t)sign;
        queue->repair_bytes += bytes;
    }
}

/* Whether `bytes` take longer than the bound at this rate; for ever at rate <= 0. */
bool weir__send_is_late(const struct weir_queue *queue, int64_t bytes, int64_t rate_bps);

/* Hands items to on_drop until the queue is within its bounds or may not lose more. */
void weir__send_enforce(struct weir_queue *queue, int64_t rate_bps);

#endif
