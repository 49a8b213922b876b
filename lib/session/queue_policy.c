/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What goes when the send queue is over its bounds.
 *
 * All policies: control items keep their place and stay. Audio goes only when audio alone is over
 * the bound, so that a large frame cannot silence a call, and then the oldest: what was said last
 * is worth most. The bound in time never takes the last
 * packet (drop-newest, drop-oldest) or the last frame (drop-frame): whatever is larger than the
 * bound at a low rate would otherwise never be sent. Only the bound in packets takes those.
 *
 * drop-frame takes whole frames, that is packets of one SSRC and timestamp up to a marker, in this
 * order, one stream after the other, the one that waits longest first:
 *   1. frames before the newest queued key frame of their stream, not started;
 *   2. the rest of a started frame before a queued key frame, unless it is a key frame itself
 *      (or key frames that take longer than the bound would cut each other off for ever);
 *   3. all frames that have not started, but for key frames and the newest frame of the queue: they
 *      refer to each other, so that to drop only some would send what cannot be shown;
 *   4. the newest frame, unless it is alone. A key frame also stays when it is alone in its stream.
 * After 3 and 4 the stream needs a key frame. What still comes of a dropped frame is refused.
 *
 * drop-frame also gives up repair that takes longer than half the bound: a key frame repairs all of
 * it sooner. Repair is no frame: step 4 means the newest frame of media. */
#include "session/queue_policy.h"

/* A look at the queue before one step of dropping. */
struct view {
    struct weir_queue *queue;
    const struct weir_queue_item *newest; /* last video item, NULL when there is none */
    bool newest_started;
    bool newest_key_frame;
    bool others;         /* there are video items of other frames than the newest */
    bool others_of_ssrc; /* ... and of the same stream */
    int64_t key_index[WEIR__FRAME_STREAMS]; /* last item of a key frame, by stream; -1 = none */
};

typedef bool (*wanted_fn)(const struct view *view, uint32_t i, const struct weir_queue_item *item);

static bool same_frame(const struct weir_queue_item *a, const struct weir_queue_item *b)
{
    return a->ssrc == b->ssrc && a->frame == b->frame;
}

/* Whether a newer key frame of the same stream is queued behind the i-th item. */
static bool is_before_key_frame(const struct view *view, uint32_t i,
                                const struct weir_queue_item *item)
{
    const struct weir__frames *frames = &view->queue->frames;
    const struct weir__frame_stream *stream = weir__frames_find(frames, item->ssrc);
    if (stream == NULL) {
        return false;
    }
    int64_t key = view->key_index[stream - frames->streams];
    return key > (int64_t)i && !same_frame(weir__send_item(view->queue, (uint32_t)key), item);
}

/* Fills in what the newest frame is and where the key frames are. */
static void look(struct weir_queue *queue, struct view *view)
{
    *view = (struct view){.queue = queue};
    for (size_t i = 0; i < WEIR__FRAME_STREAMS; i++) {
        view->key_index[i] = -1;
    }
    for (uint32_t i = 0; i < queue->n_items; i++) {
        const struct weir_queue_item *item = weir__send_item(queue, i);
        if (!weir__is_video(item)) {
            continue;
        }
        view->newest = weir__send_is_repair(item) ? view->newest : item;
        const struct weir__frame_stream *stream = weir__frames_find(&queue->frames, item->ssrc);
        if (stream != NULL && item->flags & WEIR_QUEUE_KEY_FRAME) {
            view->key_index[stream - queue->frames.streams] = i;
        }
    }
}

/* Fills in whether the newest frame is alone. */
static void look_around_newest(struct view *view)
{
    view->newest_started = weir__frames_has_started(&view->queue->frames, view->newest);
    for (uint32_t i = 0; i < view->queue->n_items; i++) {
        const struct weir_queue_item *item = weir__send_item(view->queue, i);
        if (!weir__is_video(item) || weir__send_is_repair(item)) {
            continue;
        }
        if (same_frame(item, view->newest)) {
            view->newest_key_frame |= (item->flags & WEIR_QUEUE_KEY_FRAME) != 0;
        } else {
            view->others = true;
            view->others_of_ssrc |= item->ssrc == view->newest->ssrc;
        }
    }
}

/* Step 1. */
static bool is_overtaken(const struct view *view, uint32_t i, const struct weir_queue_item *item)
{
    return is_before_key_frame(view, i, item) &&
           !weir__frames_has_started(&view->queue->frames, item);
}

/* Step 2. */
static bool is_overtaken_rest(const struct view *view, uint32_t i,
                              const struct weir_queue_item *item)
{
    const struct weir__frame_stream *stream = weir__frames_find(&view->queue->frames, item->ssrc);
    return is_before_key_frame(view, i, item) && !stream->started_key_frame;
}

/* Step 3. */
static bool is_waiting(const struct view *view, uint32_t i, const struct weir_queue_item *item)
{
    (void)i;
    return !(item->flags & WEIR_QUEUE_KEY_FRAME) && !same_frame(item, view->newest) &&
           !weir__frames_has_started(&view->queue->frames, item);
}

/* Step 4, and without conditions when there are too many packets. */
static bool is_newest(const struct view *view, uint32_t i, const struct weir_queue_item *item)
{
    (void)i;
    return same_frame(item, view->newest);
}

/* Hands back an item that is no longer in the i-th place. */
static void hand_back(struct weir_queue *queue, uint32_t i, const struct weir_queue_item *item)
{
    queue->has_pushed &= i != queue->pushed_at;
    queue->pushed_at -= i < queue->pushed_at ? 1 : 0;
    if (!weir__is_control(item)) {
        weir__send_account(queue, item, -1);
        queue->stats.dropped_packets++;
        queue->stats.dropped_bytes += item->size_bytes;
        queue->stats.dropped_frames += weir__frames_on_drop(&queue->frames, item) ? 1 : 0;
    }
    queue->config.on_drop(queue->config.user, item);
}

/* Drops the wanted video items of the stream that has the first of them. False: there are none. */
static bool drop_where(const struct view *view, wanted_fn wanted)
{
    struct weir_queue *queue = view->queue;
    struct view before = *view; /* its newest item must not move while items do */
    struct weir_queue_item newest = *view->newest;
    before.newest = &newest;
    uint32_t kept = 0;
    uint32_t ssrc = 0;
    bool found = false;
    for (uint32_t i = 0; i < queue->n_items; i++) {
        struct weir_queue_item item = *weir__send_item(queue, i);
        if (weir__is_video(&item) && (!found || item.ssrc == ssrc) && wanted(&before, i, &item)) {
            found = true;
            ssrc = item.ssrc;
            hand_back(queue, kept, &item);
        } else {
            *weir__send_item(queue, kept++) = item;
        }
    }
    queue->n_items = kept;
    return found;
}

/* Drops the i-th item alone, moving the shorter side of the queue. */
static void drop_at(struct weir_queue *queue, uint32_t i)
{
    struct weir_queue_item item = *weir__send_item(queue, i);
    uint32_t place = i;
    if (i < queue->n_items / 2) {
        for (; i > 0; i--) {
            *weir__send_item(queue, i) = *weir__send_item(queue, i - 1);
        }
        queue->head = queue->head + 1 == queue->n_slots ? 0 : queue->head + 1;
    } else {
        for (; i + 1 < queue->n_items; i++) {
            *weir__send_item(queue, i) = *weir__send_item(queue, i + 1);
        }
    }
    queue->n_items--;
    queue->key_frame_lost |= weir__is_video(&item);
    hand_back(queue, place, &item);
}

/* Drops the first or last item of a kind: WEIR_QUEUE_AUDIO, or 0 for video. False: there is none.
 */
static bool drop_one(struct weir_queue *queue, uint32_t kind, bool last)
{
    for (uint32_t k = 0; k < queue->n_items; k++) {
        uint32_t i = last ? queue->n_items - 1 - k : k;
        uint32_t flags = weir__send_item(queue, i)->flags;
        if ((flags & (WEIR_QUEUE_CONTROL | WEIR_QUEUE_AUDIO)) == kind) {
            drop_at(queue, i);
            return true;
        }
    }
    return false;
}

bool weir__send_is_late(const struct weir_queue *queue, int64_t bytes, int64_t rate_bps)
{
    double rate = rate_bps > 0 ? (double)rate_bps : 0.0;
    return (double)bytes * 8e9 > rate * (double)queue->config.max_time_ns;
}

static bool has_too_many(const struct weir_queue *queue)
{
    return queue->n_items > queue->config.max_packets;
}

/* Steps 3 and 4, which lose what later frames refer to. */
static bool drop_references(struct view *view, bool too_many)
{
    if (drop_where(view, is_waiting)) {
        return true;
    }
    look_around_newest(view);
    bool may_stay = view->newest_key_frame ? !view->others_of_ssrc : !view->others;
    if (!too_many && (view->newest_started || may_stay)) {
        return false;
    }
    return drop_where(view, is_newest);
}

/* One step of drop-frame. False: no video may go. */
static bool drop_frames(struct weir_queue *queue)
{
    struct view view;
    look(queue, &view);
    if (view.newest == NULL) {
        return false;
    }
    if (drop_where(&view, is_overtaken) || drop_where(&view, is_overtaken_rest)) {
        return true;
    }
    bool dropped = drop_references(&view, has_too_many(queue));
    queue->key_frame_lost |= dropped;
    return dropped;
}

/* One step for the video of the queue, by policy. False: none may go. */
static bool drop_video(struct weir_queue *queue)
{
    if (queue->config.policy == WEIR_QUEUE_DROP_FRAME) {
        return drop_frames(queue);
    }
    uint32_t video_packets = queue->stats.queued_packets - queue->audio_packets;
    return (video_packets > 1 || has_too_many(queue)) &&
           drop_one(queue, 0, queue->config.policy == WEIR_QUEUE_DROP_NEWEST);
}

/* One step for audio: the last packet stays, unless there are too many packets. */
static bool drop_audio(struct weir_queue *queue, int64_t rate_bps)
{
    bool late = queue->audio_packets > 1 && weir__send_is_late(queue, queue->audio_bytes, rate_bps);
    return (late || has_too_many(queue)) && drop_one(queue, WEIR_QUEUE_AUDIO, false);
}

static void give_up_repair(struct weir_queue *queue)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->n_items; i++) {
        struct weir_queue_item item = *weir__send_item(queue, i);
        if (weir__send_is_repair(&item)) {
            queue->key_frame_lost = true;
            hand_back(queue, kept, &item);
        } else {
            *weir__send_item(queue, kept++) = item;
        }
    }
    queue->n_items = kept;
}

/* Runs after an item was put in. When nothing but control items is left and there are too
 * many, the newest is refused. */
void weir__send_enforce(struct weir_queue *queue, int64_t rate_bps)
{
    if (queue->config.policy == WEIR_QUEUE_DROP_FRAME && queue->repair_packets > 1 &&
        weir__send_is_late(queue, 2 * queue->repair_bytes, rate_bps)) {
        give_up_repair(queue);
    }
    while (has_too_many(queue) || weir__send_is_late(queue, queue->stats.queued_bytes, rate_bps)) {
        if (!drop_video(queue) && !drop_audio(queue, rate_bps)) {
            break;
        }
    }
    if (has_too_many(queue)) {
        drop_at(queue, queue->pushed_at);
    }
}
