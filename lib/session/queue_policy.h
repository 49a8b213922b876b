/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue's memory, and what leaves it when it is over its bounds. */
#ifndef WEIR_QUEUE_POLICY_H
#define WEIR_QUEUE_POLICY_H

#include "weir/queue.h"

/* Streams whose frames are followed. More may be queued: of the ones used least lately it is then
 * not known any more which frame has started. */
enum { WEIR__SEND_STREAMS = 16 };

struct weir__send_stream {
    uint64_t last_use; /* 0 = free */
    uint32_t ssrc;
    uint32_t open_timestamp; /* of the frame that is being pushed */
    uint32_t open_frame;
    uint32_t started_frame; /* a packet of this frame has left */
    uint32_t refused_frame; /* a packet of this frame was dropped: so is what still comes */
    uint32_t counted_frame; /* the frame counted last as dropped */
    bool is_open;
    bool has_started;
    bool started_key_frame;
    bool has_refused;
    bool has_counted;
};

struct weir_queue {
    struct weir_queue_config config;
    struct weir_queue_stats stats;
    int64_t audio_bytes;  /* of stats.queued_bytes */
    int64_t repair_bytes; /* likewise, of repair */
    uint64_t uses;
    uint32_t n_frames;      /* begun so far; wraps */
    uint32_t audio_packets; /* of stats.queued_packets */
    uint32_t repair_packets;
    uint32_t head;
    uint32_t n_items;
    uint32_t n_slots; /* max_packets + 1: the newest goes in before it is decided what goes out */
    bool key_frame_lost; /* in this push */
    bool has_pushed;     /* the item being pushed is still queued ... */
    uint32_t pushed_at;  /* ... here, from the front */
    struct weir__send_stream streams[WEIR__SEND_STREAMS];
    struct weir_queue_item slots[];
};

/* The i-th item from the front, i < n_items. */
static inline struct weir_queue_item *weir__send_item(struct weir_queue *queue, uint32_t i)
{
    uint32_t at = queue->head + i;
    return &queue->slots[at >= queue->n_slots ? at - queue->n_slots : at];
}

static inline bool weir__send_is_control(const struct weir_queue_item *item)
{
    return item->flags & WEIR_QUEUE_CONTROL;
}

/* Media that is not audio. */
static inline bool weir__send_is_video(const struct weir_queue_item *item)
{
    return !(item->flags & (WEIR_QUEUE_CONTROL | WEIR_QUEUE_AUDIO));
}

/* Repair of video. */
static inline bool weir__send_is_repair(const struct weir_queue_item *item)
{
    return weir__send_is_video(item) && item->flags & WEIR_QUEUE_REPAIR;
}

/* Adds an item that was put in (sign 1) or takes off one that was taken out (-1). */
void weir__send_account(struct weir_queue *queue, const struct weir_queue_item *item, int sign);

/* What is remembered about a stream; the one used least lately is forgotten for a new one. */
struct weir__send_stream *weir__send_stream(struct weir_queue *queue, uint32_t ssrc);

/* Hands items to on_drop until the queue is within its bounds or may not lose more. */
void weir__send_enforce(struct weir_queue *queue, int64_t rate_bps);

#endif
