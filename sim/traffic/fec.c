/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/fec.h"

#include <stdlib.h>

#define LOOK_NS WEIR_SECONDS(1)
/* W3C webrtc-stats, freezeCount: longer than three frames, or than one and this. */
#define FREEZE_NS WEIR_MS(150)

/* A name is the number of the frame, the number of the packet in it, and whether that is repair. */
enum { NAME_PACKETS = WEIR__FEC_PACKETS, NAMES_PER_FRAME = 2 * NAME_PACKETS };

struct weir__fec *weir__fec_create(uint32_t percent, bool follows, int64_t frame_interval_ns,
                                   int64_t wait_ns, int64_t fec_wait_ns)
{
    struct weir_repair_config config;
    weir_repair_config_init(&config);
    struct weir__fec *fec = calloc(1, sizeof *fec);
    if (!fec) {
        return NULL;
    }
    fec->percent = percent;
    fec->freeze_ns = weir_max_i64(3 * frame_interval_ns, frame_interval_ns + FREEZE_NS);
    fec->wait_ns = wait_ns;
    fec->fec_wait_ns = fec_wait_ns;
    fec->least_ns = WEIR_NEVER_NS;
    fec->gives_up_ns = WEIR_NEVER_NS;
    /* Frames are shown as they become whole: the picture stands for as long as a packet that is
     * sent again takes, however long it would be waited for. */
    config.wait_ns = weir_min_i64(wait_ns, fec->freeze_ns - frame_interval_ns);
    fec->policy = follows ? weir_repair_create(&config, NULL) : NULL;
    weir__histogram_init(&fec->delay);
    weir__histogram_init(&fec->shown_delay);
    for (int i = 0; i < WEIR__FEC_FRAMES; i++) {
        fec->ring[i].number = -1;
    }
    if (follows && !fec->policy) {
        weir__fec_destroy(fec);
        return NULL;
    }
    return fec;
}

void weir__fec_destroy(struct weir__fec *fec)
{
    if (fec) {
        weir__histogram_clear(&fec->delay);
        weir__histogram_clear(&fec->shown_delay);
        weir_repair_destroy(fec->policy);
    }
    free(fec);
}

static struct weir__fec_frame *frame_of(struct weir__fec *fec, int64_t number)
{
    return &fec->ring[number % WEIR__FEC_FRAMES];
}

static uint32_t name_of(const struct weir__fec_frame *frame, uint32_t packet, bool is_repair)
{
    int64_t name = frame->number * NAMES_PER_FRAME + packet + (is_repair ? NAME_PACKETS : 0) + 1;
    return (uint32_t)(uint64_t)name;
}

/* What has been saved goes into the frame, as many packets as it is whole ones. */
static void end_frame(struct weir__fec *fec, struct weir__fec_frame *frame)
{
    double most = (double)(frame->media < WEIR__FEC_PACKETS ? frame->media : WEIR__FEC_PACKETS);
    double packets = fec->budget_packets < most ? fec->budget_packets : most;
    frame->repair = fec->percent > 0 ? (uint32_t)packets : 0;
    fec->budget_packets = fec->percent > 0 ? fec->budget_packets - frame->repair : 0.0;
}

uint32_t weir__fec_on_media(struct weir__fec *fec, int64_t now_ns, bool ends_frame, bool is_key)
{
    struct weir__fec_frame *frame = frame_of(fec, fec->frames);
    if (frame->number != fec->frames) {
        *frame =
            (struct weir__fec_frame){.number = fec->frames, .made_ns = now_ns, .is_key = is_key};
    }
    uint32_t packet = frame->media++;
    fec->budget_packets += fec->percent / 100.0;
    if (fec->policy) {
        weir_repair_on_media(fec->policy, ends_frame);
    }
    if (ends_frame) {
        end_frame(fec, frame);
        fec->frames++;
    }
    return packet < WEIR__FEC_PACKETS ? name_of(frame, packet, false) : 0;
}

uint32_t weir__fec_next_repair(struct weir__fec *fec)
{
    struct weir__fec_frame *frame = frame_of(fec, fec->frames - 1);
    if (fec->frames == 0 || frame->made_repair >= frame->repair) {
        return 0;
    }
    fec->repair_packets++;
    return name_of(frame, frame->made_repair++, true);
}

/* Part i of the media, both ends included; where parts are uneven, neighbours share a packet. */
static void part_of(const struct weir__fec_frame *frame, uint32_t i, uint32_t *first,
                    uint32_t *last)
{
    uint32_t media = frame->media < WEIR__FEC_PACKETS ? frame->media : WEIR__FEC_PACKETS;
    *first = i * media / frame->repair;
    *last = ((i + 1) * media + frame->repair - 1) / frame->repair - 1;
}

/* Brings back the packet that part i lacks, if it is one. */
static bool repair_part(struct weir__fec_frame *frame, uint32_t i)
{
    uint32_t first, last, lacks = 0, lost = 0;
    part_of(frame, i, &first, &last);
    for (uint32_t k = first; k <= last; k++) {
        lost = frame->media_in[k] ? lost : k;
        lacks += !frame->media_in[k];
    }
    if (!frame->repair_in[i] || lacks != 1) {
        return false;
    }
    frame->media_in[lost] = true;
    return true;
}

static bool is_whole(const struct weir__fec_frame *frame)
{
    for (uint32_t k = 0; k < frame->media && k < WEIR__FEC_PACKETS; k++) {
        if (!frame->media_in[k]) {
            return false;
        }
    }
    return true;
}

/* A packet that is back may be the one that a neighbour lacks. */
static void repair_frame(struct weir__fec_frame *frame)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < frame->repair; i++) {
            again |= repair_part(frame, i);
        }
    }
}

static void show(struct weir__fec *fec, int64_t now_ns, const struct weir__fec_frame *frame)
{
    int64_t stood_ns = now_ns - fec->shown_ns;
    if (fec->shown_frames > 0 && stood_ns > fec->freeze_ns) {
        fec->frozen_ns += stood_ns;
    }
    fec->shown_frames = frame->number + 1;
    fec->shown_ns = now_ns;
    fec->gives_up_ns = WEIR_NEVER_NS;
    weir__histogram_add(&fec->shown_delay, now_ns - frame->made_ns);
}

/* When the jitter buffer before the FEC decoder gives up what a frame lacks. */
static int64_t due_ns(const struct weir__fec *fec, const struct weir__fec_frame *frame)
{
    return weir_time_add_ns(frame->made_ns + fec->fec_wait_ns, fec->least_ns);
}

/* Whether a repair packet is missing that the receiver cannot tell from media: none has come behind
 * it, and the first repair of the next frame, behind its end, would say where that frame began. */
static bool lacks_repair(const struct weir__fec_frame *frame, const struct weir__fec_frame *next)
{
    bool last_came = frame->repair == 0 || frame->repair_in[frame->repair - 1];
    bool end_came = next->media <= WEIR__FEC_PACKETS && next->media_in[next->media - 1];
    return !last_came && !(next->repair > 0 && end_came && next->repair_in[0]);
}

/* The jitter buffer keeps the order: it waits for repair packets of the frame before. */
static bool is_held(struct weir__fec *fec, int64_t now_ns, const struct weir__fec_frame *frame)
{
    const struct weir__fec_frame *before = frame_of(fec, frame->number + WEIR__FEC_FRAMES - 1);
    if (fec->fec_wait_ns == 0 || before->number != frame->number - 1) {
        return false;
    }
    int64_t more_ns = weir_max_i64(fec->wait_ns - fec->fec_wait_ns, 0);
    return lacks_repair(before, frame) && now_ns < weir_time_add_ns(due_ns(fec, before), more_ns);
}

/* A frame is whole: it can be shown when it is a key frame, or the one before it was. So may be
 * those behind it that waited for it. */
static void show_from(struct weir__fec *fec, int64_t now_ns, const struct weir__fec_frame *frame)
{
    if (frame->number < fec->shown_frames) {
        return;
    }
    if (frame->number > fec->shown_frames && !frame->is_key) {
        fec->gives_up_ns = weir_min_i64(fec->gives_up_ns, now_ns + fec->wait_ns);
        return;
    }
    while (frame->number >= fec->shown_frames && frame->whole && !is_held(fec, now_ns, frame)) {
        show(fec, now_ns, frame);
        frame = frame_of(fec, fec->shown_frames);
    }
}

static void end_if_whole(struct weir__fec *fec, int64_t now_ns, struct weir__fec_frame *frame)
{
    if (!frame->whole && is_whole(frame)) {
        frame->whole = true;
        fec->whole_frames++;
        weir__histogram_add(&fec->delay, now_ns - frame->made_ns);
        show_from(fec, now_ns, frame);
    }
}

static void repair_now(struct weir__fec *fec, int64_t now_ns, struct weir__fec_frame *frame)
{
    repair_frame(frame);
    end_if_whole(fec, now_ns, frame);
}

/* Until now: what is missing of frames that are due is given up. */
static void repair_due(struct weir__fec *fec, int64_t now_ns)
{
    fec->due_frames = weir_max_i64(fec->due_frames, fec->newest - WEIR__FEC_FRAMES + 1);
    for (; fec->due_frames <= fec->newest; fec->due_frames++) {
        struct weir__fec_frame *frame = frame_of(fec, fec->due_frames);
        if (frame->number != fec->due_frames) {
            continue;
        }
        if (due_ns(fec, frame) > now_ns) {
            break;
        }
        frame->is_due = true;
        repair_now(fec, due_ns(fec, frame), frame);
    }
}

/* A packet came, so that media missing before it is noticed; of frames that are due it is given
 * up. place: among the media of the frame, then its repair. */
static void notice(struct weir__fec *fec, int64_t now_ns, struct weir__fec_frame *frame,
                   uint32_t place)
{
    fec->newest = weir_max_i64(fec->newest, frame->number);
    bool is_gap = place > frame->end && frame->end < frame->media;
    frame->end = place >= frame->end ? place + 1 : frame->end;
    if (frame->is_due && is_gap) {
        repair_now(fec, now_ns, frame);
    }
}

/* Those that are whole, and were held. */
static void show_held(struct weir__fec *fec, int64_t now_ns)
{
    const struct weir__fec_frame *frame = frame_of(fec, fec->shown_frames);
    if (frame->number == fec->shown_frames && frame->whole) {
        show_from(fec, now_ns, frame);
    }
}

void weir__fec_on_arrival(struct weir__fec *fec, int64_t now_ns, uint32_t name)
{
    int64_t number = (name - 1) / NAMES_PER_FRAME;
    uint32_t packet = (name - 1) % NAMES_PER_FRAME;
    struct weir__fec_frame *frame = frame_of(fec, number);
    bool is_media = packet < NAME_PACKETS;
    uint32_t place = is_media ? packet : frame->media + packet - NAME_PACKETS;
    if (fec->fec_wait_ns > 0) {
        repair_due(fec, now_ns - 1);
    }
    if (name == 0 || frame->number != number) {
        return;
    }
    if (is_media) {
        frame->media_in[packet] = true;
    } else {
        frame->repair_in[packet - NAME_PACKETS] = true;
    }
    fec->least_ns = weir_min_i64(fec->least_ns, now_ns - frame->made_ns);
    if (fec->fec_wait_ns == 0 && !frame->whole) {
        repair_frame(frame);
    }
    end_if_whole(fec, now_ns, frame);
    if (fec->fec_wait_ns > 0) {
        notice(fec, now_ns, frame, place);
        repair_due(fec, now_ns);
        show_held(fec, now_ns);
    }
}

bool weir__fec_is_due(const struct weir__fec *fec, int64_t now_ns)
{
    return fec->policy && now_ns - fec->looked_ns >= LOOK_NS;
}

void weir__fec_look(struct weir__fec *fec, int64_t now_ns, const struct weir_repair_view *view)
{
    struct weir_repair_advice advice;
    weir_repair_update(fec->policy, now_ns, view, &advice);
    fec->looked_ns = now_ns;
    fec->percent = advice.percent;
}
