/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which picture fits the bitrate? When bits are short, a smaller or slower picture looks better
 * than a large one that is coarse, late or lost; an encoder whose quantizer has come to its end can
 * only be helped in this way. What gives way has the names and the meaning of W3C's
 * RTCDegradationPreference.
 *
 *     struct weir_pictures *pictures = weir_pictures_create(NULL);
 *     weir_pictures_set_source(pictures, &source);
 *     before each frame:
 *         uint32_t step = weir_pictures_choose(pictures, now_ns, target_media_bps, media_bytes);
 *         const struct weir_picture *picture = weir_pictures_get(pictures, step);
 *
 * The smaller pictures are fractions of the source, largest first. Two things make the picture
 * smaller: a target of too few bits per pixel for a second, and an encoder that makes more than its
 * target. It grows when the target has been 5/3 of what a larger picture needs for 3 s, and the
 * encoder, for all that is known, can follow there.
 *
 * All calls of one object come from one thread at a time. Nothing is allocated after create. */
#ifndef WEIR_PICTURE_H
#define WEIR_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"
#include "units.h"

WEIR_BEGIN_DECLS

enum weir_degradation {
    WEIR_DEGRADATION_BALANCED,            /* size and frame rate give way in turn */
    WEIR_DEGRADATION_MAINTAIN_FRAMERATE,  /* the size gives way: for motion */
    WEIR_DEGRADATION_MAINTAIN_RESOLUTION, /* the frame rate gives way: for text and detail */
    WEIR_N_DEGRADATIONS
};

/* Why the picture is what it is. */
enum weir_picture_reason {
    WEIR_PICTURE_FULL,                 /* it is the source's */
    WEIR_PICTURE_LOW_BITRATE,          /* fewer bits per pixel than asked for at the next larger */
    WEIR_PICTURE_ENCODER_CANNOT_FOLLOW /* the encoder makes more than its target there */
};

struct weir_picture {
    int32_t width_pixels, height_pixels;
    int32_t fps_n, fps_d;   /* frames per second; 0/1: not known, and reckoned as 30 */
    int32_t keep_n, keep_d; /* of every keep_d frames of the source keep_n are kept */
    int64_t pixels_per_s;
};

struct weir_picture_source {
    size_t size; /* sizeof this struct, set by weir_picture_source_init */
    enum weir_degradation degradation;
    int32_t width_pixels, height_pixels; /* 1 .. 65535 */
    int32_t fps_n, fps_d;                /* 0 (not known) .. 7 * 10^8; 1 .. 7 * 10^8 */
    int64_t min_ubits_per_pixel; /* 10^-6 bit; 0 .. 24 * 10^6. Below it the picture shrinks */
};

struct weir_pictures;

/* Balanced, 1280x720 with 30/1 frames per second, 0.03 bits per pixel. */
WEIR_API void weir_picture_source_init(struct weir_picture_source *source);

/* The only allocation. NULL on failure; *status (may be NULL) is WEIR_ERROR_NO_MEMORY. It begins
 * with the source of weir_picture_source_init. */
WEIR_API struct weir_pictures *weir_pictures_create(enum weir_status *status);
/* NULL is allowed. */
WEIR_API void weir_pictures_destroy(struct weir_pictures *pictures);

/* The source has this picture from now on; what was seen before is forgotten, and the step is 0.
 * WEIR_ERROR_ARGUMENT (a NULL, size), _RANGE (another field); an error changes nothing. */
WEIR_API enum weir_status weir_pictures_set_source(struct weir_pictures *pictures,
                                                   const struct weir_picture_source *source);

/* How many pictures there are to choose from: at least 1. */
WEIR_API uint32_t weir_pictures_count(const struct weir_pictures *pictures);
/* The picture of that step, largest first; NULL when there is no such step. */
WEIR_API const struct weir_picture *weir_pictures_get(const struct weir_pictures *pictures,
                                                      uint32_t step);
/* The step in force, and why. */
WEIR_API uint32_t weir_pictures_step(const struct weir_pictures *pictures);
WEIR_API enum weir_picture_reason weir_pictures_reason(const struct weir_pictures *pictures);

/* Before anything is encoded: the first step, by the target alone (media bit/s, >= 0). */
WEIR_API uint32_t weir_pictures_begin(struct weir_pictures *pictures, int64_t target_media_bps);
/* Before each frame of the source: target_media_bps is what the encoder may make, media_bytes what
 * it has made so far, since any moment. now_ns: any clock; one that goes back, or leaps by more
 * than a second, makes what was seen meaningless. The first call after set_source begins. Returns
 * the step to use. */
WEIR_API uint32_t weir_pictures_choose(struct weir_pictures *pictures, int64_t now_ns,
                                       int64_t target_media_bps, uint64_t media_bytes);
/* The encoder does not take the step that was just chosen: it is never chosen again, and former,
 * the one before, stays. */
WEIR_API void weir_pictures_refuse(struct weir_pictures *pictures, uint32_t former);

WEIR_END_DECLS

#endif
