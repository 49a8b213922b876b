/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which frame of which stream the items of the send queue belong to, and what became of it. */
#ifndef WEIR_QUEUE_FRAMES_H
#define WEIR_QUEUE_FRAMES_H

#include "weir/queue.h"

/* Streams whose frames are followed. More may be queued: of the ones used least lately it is then
 * not known any more which frame has started. */
enum { WEIR__FRAME_STREAMS = 16 };

struct weir__frame_stream {
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

/* All zero at first. */
struct weir__frames {
    uint64_t uses;
    uint32_t n_frames; /* begun so far; wraps */
    struct weir__frame_stream streams[WEIR__FRAME_STREAMS];
};

static inline bool weir__is_control(const struct weir_queue_item *item)
{
    return item->flags & WEIR_QUEUE_CONTROL;
}

/* Media that is not audio. */
static inline bool weir__is_video(const struct weir_queue_item *item)
{
    return !(item->flags & (WEIR_QUEUE_CONTROL | WEIR_QUEUE_AUDIO));
}

/* An item comes: sets its frame. False when `whole` frames are dropped, and one of its packets
 * was: a packet of another frame ends that. */
bool weir__frames_admit(struct weir__frames *frames, struct weir_queue_item *item, bool whole);
/* An item leaves: its frame has started. */
void weir__frames_on_start(struct weir__frames *frames, const struct weir_queue_item *item);
/* A packet is dropped. True: the first of its frame. */
bool weir__frames_on_drop(struct weir__frames *frames, const struct weir_queue_item *item);
/* What still comes of dropped frames is admitted. */
void weir__frames_forgive(struct weir__frames *frames);

/* What is remembered about a stream, NULL when nothing is. */
const struct weir__frame_stream *weir__frames_find(const struct weir__frames *frames,
                                                   uint32_t ssrc);
/* Whether a packet of the item's frame has left. */
bool weir__frames_has_started(const struct weir__frames *frames,
                              const struct weir_queue_item *item);

#endif
