/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue: packets that wait for the pacer, bounded by time, with a policy for what is
 * dropped when it is full. It holds the caller's pointers, never looks inside them, and hands back
 * what it drops. */
#ifndef WEIR_QUEUE_H
#define WEIR_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"
#include "units.h"

WEIR_BEGIN_DECLS

enum weir_queue_policy {
    WEIR_QUEUE_DROP_NEWEST, /* refuse the new packet (the papers' transmit buffer) */
    WEIR_QUEUE_DROP_OLDEST, /* drop single packets from the front */
    WEIR_QUEUE_DROP_FRAME   /* drop whole frames, never the rest of one partly sent; ask for a key
                               frame */
};

enum weir_queue_flags {
    WEIR_QUEUE_FRAME_END = 1 << 0, /* RTP marker: last packet of a frame */
    WEIR_QUEUE_KEY_FRAME = 1 << 1, /* belongs to a frame that needs no other */
    WEIR_QUEUE_CONTROL = 1 << 2, /* not media (an event): keeps its place in the order, has no size,
                                    is never dropped */
    WEIR_QUEUE_AUDIO = 1 << 3, /* before waiting video; dropped only when audio alone is too much */
    WEIR_QUEUE_REPAIR = 1 << 4 /* of video: goes before waiting video of other SSRCs and its FEC,
                                  because the receiver can show none of that without it. Ignored
                                  with AUDIO */
};

struct weir_queue_item {
    void *packet; /* the caller's */
    int64_t enqueued_ns;
    uint32_t size_bytes; /* wire size; 0 for WEIR_QUEUE_CONTROL */
    uint32_t ssrc;
    uint32_t rtp_timestamp; /* packets of one SSRC and timestamp are one frame, up to FRAME_END */
    uint32_t frame;         /* set by the queue: number of the frame */
    uint32_t flags;
};

struct weir_queue_config {
    size_t size; /* sizeof this struct, set by weir_queue_config_init */
    enum weir_queue_policy policy;
    int64_t max_time_ns; /* packets are dropped when draining would take longer at the present rate;
                            > 0 */
    uint32_t max_packets;                                            /* capacity; 1 .. 65536 */
    void (*on_drop)(void *user, const struct weir_queue_item *item); /* takes the item back */
    void *user;
};

struct weir_queue_stats {
    int64_t queued_bytes;
    uint32_t queued_packets; /* without control items */
    uint64_t dropped_packets;
    uint64_t dropped_frames;
    uint64_t dropped_bytes;
    uint64_t skipped_frames; /* by weir_queue_skips_frame */
};

struct weir_queue;

/* Defaults: drop-frame, 250 ms, 4096 packets. */
WEIR_API void weir_queue_config_init(struct weir_queue_config *config);
/* One allocation, 40 bytes per packet of capacity. NULL on failure; *status (may be NULL) says why:
 * WEIR_ERROR_ARGUMENT (size, policy, no on_drop), _RANGE, _NO_MEMORY. */
WEIR_API struct weir_queue *weir_queue_create(const struct weir_queue_config *config,
                                              enum weir_status *status);
/* Hands all remaining items to on_drop. NULL is allowed. */
WEIR_API void weir_queue_destroy(struct weir_queue *queue);

/* Appends an item; audio goes before waiting video and repair before video of other SSRCs, but
 * nothing goes before a control item. Then the policy makes room: everything must drain within
 * max_time_ns at rate_bps. *need_key_frame (may be NULL) becomes true when frames were dropped that
 * later ones refer to. WEIR_ERROR_NO_SPACE: the item itself was refused and handed to on_drop.
 * Control items are refused only when all slots are control items. Audio and repair move what they
 * pass: 40 bytes per video packet behind the last audio or control item, at most max_packets. */
WEIR_API enum weir_status weir_queue_push(struct weir_queue *queue,
                                          const struct weir_queue_item *item, int64_t rate_bps,
                                          bool *need_key_frame);
/* Whether the encoder shall leave out the frame that it would make now; counts it if so. With
 * drop-frame, when what waits takes more than half of max_time_ns at rate_bps (for ever at 0 or
 * less); the other half is for one large frame. With other policies never. A frame that was never
 * made is missed for its own time; one that is dropped, until the next key frame. Ask before each
 * frame of a live source (libwebrtc's frame dropper has that place). */
WEIR_API bool weir_queue_skips_frame(struct weir_queue *queue, int64_t rate_bps);
/* The first item, or NULL when empty; valid until the next call that changes the queue. */
WEIR_API const struct weir_queue_item *weir_queue_peek(const struct weir_queue *queue);
/* Removes the first item; false when empty. It is not always the item pushed first. */
WEIR_API bool weir_queue_pop(struct weir_queue *queue, struct weir_queue_item *item);
/* Hands everything to on_drop (flush) without counting it as dropped. */
WEIR_API void weir_queue_clear(struct weir_queue *queue);
/* Changes policy and bound; packets beyond a smaller bound are dropped at the next push. */
WEIR_API enum weir_status weir_queue_set_policy(struct weir_queue *queue,
                                                enum weir_queue_policy policy, int64_t max_time_ns);
/* Counters since create; queued_bytes and queued_packets are current values. */
WEIR_API void weir_queue_get_stats(const struct weir_queue *queue, struct weir_queue_stats *stats);

WEIR_END_DECLS
#endif
