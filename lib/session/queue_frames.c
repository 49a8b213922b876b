/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/queue_frames.h"

#include <stddef.h>

const struct weir__frame_stream *weir__frames_find(const struct weir__frames *frames, uint32_t ssrc)
{
    for (size_t i = 0; i < WEIR__FRAME_STREAMS; i++) {
        if (frames->streams[i].last_use != 0 && frames->streams[i].ssrc == ssrc) {
            return &frames->streams[i];
        }
    }
    return NULL;
}

/* The stream used least lately is forgotten for a new one. */
static struct weir__frame_stream *stream_of(struct weir__frames *frames, uint32_t ssrc)
{
    const struct weir__frame_stream *found = weir__frames_find(frames, ssrc);
    struct weir__frame_stream *stream = &frames->streams[0];
    if (found != NULL) {
        stream = &frames->streams[found - frames->streams];
    } else {
        for (size_t i = 1; i < WEIR__FRAME_STREAMS; i++) {
            if (frames->streams[i].last_use < stream->last_use) {
                stream = &frames->streams[i];
            }
        }
        *stream = (struct weir__frame_stream){.ssrc = ssrc};
    }
    stream->last_use = ++frames->uses;
    return stream;
}

/* A marker ends a frame as well as a new timestamp does: there are payloaders whose timestamp
 * stands still. */
bool weir__frames_admit(struct weir__frames *frames, struct weir_queue_item *item, bool whole)
{
    if (weir__is_control(item)) {
        item->frame = 0;
        return true;
    }
    struct weir__frame_stream *stream = stream_of(frames, item->ssrc);
    if (!stream->is_open || stream->open_timestamp != item->rtp_timestamp) {
        stream->open_timestamp = item->rtp_timestamp;
        stream->open_frame = ++frames->n_frames;
    }
    stream->is_open = !(item->flags & WEIR_QUEUE_FRAME_END);
    item->frame = stream->open_frame;
    if (!whole || !weir__is_video(item)) {
        return true;
    }
    stream->has_refused = stream->has_refused && stream->refused_frame == item->frame;
    return !stream->has_refused;
}

void weir__frames_on_start(struct weir__frames *frames, const struct weir_queue_item *item)
{
    if (!weir__is_video(item)) {
        return;
    }
    struct weir__frame_stream *stream = stream_of(frames, item->ssrc);
    bool same = stream->has_started && stream->started_frame == item->frame;
    bool key_frame = item->flags & WEIR_QUEUE_KEY_FRAME;
    stream->started_key_frame = key_frame || (same && stream->started_key_frame);
    stream->has_started = true;
    stream->started_frame = item->frame;
}

bool weir__frames_on_drop(struct weir__frames *frames, const struct weir_queue_item *item)
{
    struct weir__frame_stream *stream = stream_of(frames, item->ssrc);
    bool first = !stream->has_counted || stream->counted_frame != item->frame;
    stream->has_counted = true;
    stream->counted_frame = item->frame;
    if (weir__is_video(item)) {
        stream->has_refused = true;
        stream->refused_frame = item->frame;
    }
    return first;
}

void weir__frames_forgive(struct weir__frames *frames)
{
    for (size_t i = 0; i < WEIR__FRAME_STREAMS; i++) {
        frames->streams[i].has_refused = false;
    }
}

bool weir__frames_has_started(const struct weir__frames *frames, const struct weir_queue_item *item)
{
    const struct weir__frame_stream *stream = weir__frames_find(frames, item->ssrc);
    return stream != NULL && stream->has_started && stream->started_frame == item->frame;
}
