/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two things make the picture smaller.
 *
 * The target leaves too few bits per pixel at this step for SHRINK_NS: then the largest step for
 * which it does not. It grows when the target has been 5/3 of what a larger step needs for
 * GROW_NS, so that a capacity that swings by 20 % around any threshold, 1.2 / 0.8 = 1.5 from end to
 * end, does not move it to and fro.
 *
 * The encoder makes more than it was told, because its quantizer ends or its rate control does not
 * care: what it makes beyond 6/5 of the target fills a bucket, which holds half a second of the
 * target. So ten times too much is seen with the first frames, half too much after two seconds, and
 * a key frame, which fits into an encoder's buffer, is not. The step is then chosen from what was
 * measured, as bits in proportion to pixels a second. That measure keeps larger steps from being
 * tried until the target is above it, or for a minute, and then it is tried step by step; twice as
 * long after each trial that failed.
 *
 * When a target falls, what is measured may be far too much: the last frames that were made for the
 * former target, and none since, because they wait. But the encoder had followed that target for a
 * second and more, so what it makes at the least is no more than that, and the steps come back with
 * it. So they do only after a fall by more than 5/3, and not where the encoder has failed since at
 * more than 3/5 of it: the scene may be another. */
#include "picture/pictures.h"
#include <stdlib.h>

#define UBITS           INT64_C(1000000)
#define DEFAULT_UBITS   30000
#define MAX_UBITS       (24 * UBITS)
#define MAX_SIDE_PIXELS 65535
#define MAX_FPS         700000000 /* three times that is an int32_t */
#define MAX_NS          (INT64_MAX / 4)
#define GROW_N          5
#define GROW_D          3
#define SHRINK_NS       WEIR_SECONDS(1)
#define GROW_NS         WEIR_SECONDS(3)
#define DWELL_NS        WEIR_SECONDS(2)
/* After it shrank: frames of the former step may still be under way. */
#define SETTLE_NS WEIR_MS(300)
#define PEAK_NS   WEIR_SECONDS(1)
/* Without frames for so long, nothing that was seen before counts. */
#define GAP_NS    WEIR_SECONDS(1)
#define EXCESS_N  6
#define EXCESS_D  5
#define BUCKET_NS WEIR_MS(500)
/* A trial that fails costs about half a second's packets: that is to be 1 % at most. */
#define PATIENCE_NS     WEIR_SECONDS(60)
#define MAX_PATIENCE_NS WEIR_SECONDS(960)

/* Exact below 2^53, else to the precision of a double; values that saturate are of no use. */
static int64_t scale(int64_t value, int64_t n, int64_t d)
{
    double scaled = (double)value * (double)n / (double)weir_max_i64(d, 1);
    return scaled >= 9.2e18 ? INT64_MAX : (int64_t)scaled;
}

static int64_t pixels_per_s(const struct weir_pictures *pictures, uint32_t step)
{
    return pictures->ladder.steps[step].pixels_per_s;
}

static void forget_times(struct weir_pictures *pictures, int64_t now_ns)
{
    pictures->changed_ns = pictures->fell_ns = now_ns;
    pictures->followed_bps = 0;
    pictures->floor_ns = weir_min_i64(pictures->floor_ns, now_ns);
    pictures->peak_bps = 0;
    pictures->excess_bits = 0;
    for (uint32_t i = 0; i < pictures->ladder.n_steps; i++) {
        pictures->poor_ns[i] = pictures->rich_ns[i] = WEIR_NEVER_NS;
    }
}

static bool has_lasted(const struct weir_pictures *pictures, int64_t since_ns, int64_t duration_ns)
{
    return since_ns <= pictures->now_ns && pictures->now_ns - since_ns >= duration_ns;
}

/* Since when that has been so. */
static void since(int64_t *since_ns, int64_t now_ns, bool is_so)
{
    *since_ns = is_so ? weir_min_i64(*since_ns, now_ns) : WEIR_NEVER_NS;
}

static void note_target(struct weir_pictures *pictures, int64_t target_bps)
{
    for (uint32_t i = 0; i < pictures->ladder.n_steps; i++) {
        since(&pictures->poor_ns[i], pictures->now_ns, target_bps < pictures->shrink_bps[i]);
        since(&pictures->rich_ns[i], pictures->now_ns, target_bps >= pictures->grow_bps[i]);
    }
    if (target_bps >= pictures->peak_bps || pictures->now_ns - pictures->peak_ns > PEAK_NS) {
        pictures->fell_ns = target_bps < pictures->peak_bps ? pictures->now_ns : pictures->fell_ns;
        pictures->peak_bps = target_bps;
        pictures->peak_ns = pictures->now_ns;
    }
}

/* What the encoder has made since the last frame; a counter that goes back belongs to another run.
 */
static int64_t take_bits(struct weir_pictures *pictures, uint64_t media_bytes)
{
    uint64_t bytes = media_bytes > pictures->media_bytes ? media_bytes - pictures->media_bytes : 0;
    pictures->media_bytes = media_bytes;
    return 8 * (int64_t)(bytes < INT32_MAX ? bytes : INT32_MAX);
}

/* An encoder is a few frames behind its target, hence the peak. */
static void note_made(struct weir_pictures *pictures, int64_t bits, int64_t former_ns)
{
    if (!pictures->grew && pictures->now_ns - pictures->changed_ns < SETTLE_NS) {
        return;
    }
    if (pictures->excess_bits == 0) {
        pictures->excess_ns = former_ns;
        pictures->made_bits = 0;
    }
    int64_t allowed_bps = scale(pictures->peak_bps, EXCESS_N, EXCESS_D);
    int64_t allowed_bits = scale(allowed_bps, pictures->now_ns - former_ns, WEIR_SECONDS(1));
    pictures->made_bits += bits;
    pictures->excess_bits = weir_max_i64(pictures->excess_bits + bits - allowed_bits, 0);
}

/* For a second the target was no higher, and the picture this one. */
static void note_followed(struct weir_pictures *pictures, int64_t bits)
{
    int64_t from_ns = weir_max_i64(pictures->fell_ns, pictures->changed_ns);
    if (bits > 0 && pictures->excess_bits == 0 && has_lasted(pictures, from_ns, PEAK_NS)) {
        pictures->followed_bps = pictures->peak_bps;
    }
}

static void change(struct weir_pictures *pictures, uint32_t step, enum weir_picture_reason reason)
{
    pictures->grew = step < pictures->step;
    pictures->step = step;
    pictures->followed_bps = 0;
    pictures->reason = step == 0 ? WEIR_PICTURE_FULL : reason;
    pictures->changed_ns = pictures->now_ns;
    pictures->excess_bits = 0;
}

/* At step, what the encoder makes of as many bits at the step where it did not follow. */
static int64_t at_step(const struct weir_pictures *pictures, uint32_t step, int64_t bps)
{
    return scale(bps, pixels_per_s(pictures, step), pixels_per_s(pictures, pictures->floor_step));
}

/* What the encoder makes at least, as far as is known, at step. */
static int64_t floor_at(const struct weir_pictures *pictures, uint32_t step)
{
    return at_step(pictures, step, pictures->floor_bps);
}

/* The target that the encoder followed at this step, or, from the step before, would have, if that
 * fell so far that no swing brings it back. One that is not far above what it fails at is none. */
static int64_t proved_bps(const struct weir_pictures *pictures)
{
    int64_t known_bps = pictures->followed_bps > 0
                            ? pictures->followed_bps
                            : at_step(pictures, pictures->step, pictures->proved_bps);
    return known_bps > scale(pictures->peak_bps, GROW_N, GROW_D) ? known_bps : 0;
}

static void note_floor(struct weir_pictures *pictures)
{
    bool again =
        pictures->grew && pictures->now_ns - pictures->floor_ns < 4 * pictures->patience_ns;
    pictures->patience_ns =
        again ? weir_min_i64(2 * pictures->patience_ns, MAX_PATIENCE_NS) : PATIENCE_NS;
    pictures->proved_bps = proved_bps(pictures);
    pictures->floor_bps =
        scale(pictures->made_bits, WEIR_SECONDS(1), pictures->now_ns - pictures->excess_ns);
    pictures->floor_step = pictures->step;
    pictures->floor_ns = pictures->now_ns;
}

static bool fits_floor(const struct weir_pictures *pictures, uint32_t step, int64_t target_bps)
{
    return scale(floor_at(pictures, step), EXCESS_N, EXCESS_D) <= target_bps;
}

/* Peaks are compared with peaks: a target that leaves room for a queue seldom is at its own. */
static bool is_proved(const struct weir_pictures *pictures, uint32_t step)
{
    int64_t needed_bps = at_step(pictures, step, pictures->proved_bps);
    return pictures->proved_bps > 0 && needed_bps <= pictures->peak_bps;
}

/* The largest step from step on for which fits() says so, else the smallest; those that were
 * refused are passed over. */
static uint32_t find(const struct weir_pictures *pictures, uint32_t step,
                     bool (*fits)(const struct weir_pictures *, uint32_t))
{
    uint32_t found = pictures->step;
    for (; step < pictures->ladder.n_steps; step++) {
        if (!pictures->refused[step]) {
            found = step;
            if (fits(pictures, step)) {
                break;
            }
        }
    }
    return found;
}

static bool carries_floor(const struct weir_pictures *pictures, uint32_t step)
{
    return floor_at(pictures, step) <= pictures->peak_bps;
}

static bool is_not_poor(const struct weir_pictures *pictures, uint32_t step)
{
    return !has_lasted(pictures, pictures->poor_ns[step], SHRINK_NS);
}

static bool is_rich(const struct weir_pictures *pictures, uint32_t step)
{
    return pictures->rich_ns[step] != WEIR_NEVER_NS;
}

/* The nearest larger step, or step itself. */
static uint32_t next_larger(const struct weir_pictures *pictures, uint32_t step)
{
    uint32_t larger = step;
    while (larger > 0 && pictures->refused[larger - 1]) {
        larger--;
    }
    return larger > 0 ? larger - 1 : step;
}

/* As far as the target has carried it for long enough and, for all that is known, the encoder can
 * follow; where it could not, one step at a time once that is long ago. */
static uint32_t largest_to_grow_to(const struct weir_pictures *pictures, int64_t target_bps)
{
    bool forgiven = has_lasted(pictures, pictures->floor_ns, pictures->patience_ns);
    uint32_t found = pictures->step;
    for (uint32_t step = next_larger(pictures, found); step != found;
         step = next_larger(pictures, step)) {
        bool tried = forgiven && found == pictures->step;
        if (!has_lasted(pictures, pictures->rich_ns[step], GROW_NS) ||
            !(fits_floor(pictures, step, target_bps) || is_proved(pictures, step) || tried)) {
            break;
        }
        found = step;
    }
    return found;
}

static void grow(struct weir_pictures *pictures, int64_t target_bps)
{
    if (!has_lasted(pictures, pictures->changed_ns, DWELL_NS)) {
        return;
    }
    if (pictures->grew && pictures->step <= pictures->floor_step) {
        pictures->floor_bps = 0; /* it follows where it did not */
    }
    uint32_t step = largest_to_grow_to(pictures, target_bps);
    if (step != pictures->step) {
        change(pictures, step, pictures->reason);
    }
}

/* The encoder makes too much: less can be asked of it only while there is a smaller step. */
static void shrink_to_follow(struct weir_pictures *pictures)
{
    int64_t patience_ns = pictures->patience_ns;
    note_floor(pictures);
    uint32_t step = find(pictures, pictures->step + 1, carries_floor);
    if (step != pictures->step) {
        change(pictures, step, WEIR_PICTURE_ENCODER_CANNOT_FOLLOW);
        return;
    }
    pictures->patience_ns = weir_max_i64(patience_ns, PATIENCE_NS);
    pictures->excess_bits = 0;
}

static void decide(struct weir_pictures *pictures, int64_t target_bps)
{
    if (pictures->excess_bits > scale(pictures->peak_bps, BUCKET_NS, WEIR_SECONDS(1))) {
        shrink_to_follow(pictures);
    } else if (has_lasted(pictures, pictures->poor_ns[pictures->step], SHRINK_NS)) {
        uint32_t step = find(pictures, pictures->step + 1, is_not_poor);
        if (step != pictures->step) {
            change(pictures, step, WEIR_PICTURE_LOW_BITRATE);
        }
    } else {
        grow(pictures, target_bps);
    }
}

void weir_picture_source_init(struct weir_picture_source *source)
{
    *source = (struct weir_picture_source){
        .size = sizeof *source,
        .degradation = WEIR_DEGRADATION_BALANCED,
        .width_pixels = 1280,
        .height_pixels = 720,
        .fps_n = 30,
        .fps_d = 1,
        .min_ubits_per_pixel = DEFAULT_UBITS,
    };
}

static bool is_in(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

static bool is_valid(const struct weir_picture_source *source)
{
    return is_in((int64_t)source->degradation, 0, WEIR_N_DEGRADATIONS - 1) &&
           is_in(source->width_pixels, 1, MAX_SIDE_PIXELS) &&
           is_in(source->height_pixels, 1, MAX_SIDE_PIXELS) && is_in(source->fps_n, 0, MAX_FPS) &&
           is_in(source->fps_d, 1, MAX_FPS) && is_in(source->min_ubits_per_pixel, 0, MAX_UBITS);
}

enum weir_status weir_pictures_set_source(struct weir_pictures *pictures,
                                          const struct weir_picture_source *source)
{
    if (!pictures || !source || source->size != sizeof *source) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (!is_valid(source)) {
        return WEIR_ERROR_RANGE;
    }
    *pictures = (struct weir_pictures){.step = 0};
    weir__ladder_build(&pictures->ladder, source);
    for (uint32_t i = 0; i < pictures->ladder.n_steps; i++) {
        pictures->shrink_bps[i] =
            scale(pixels_per_s(pictures, i), source->min_ubits_per_pixel, UBITS);
        pictures->grow_bps[i] = scale(pictures->shrink_bps[i], GROW_N, GROW_D);
    }
    return WEIR_OK;
}

struct weir_pictures *weir_pictures_create(enum weir_status *status)
{
    struct weir_pictures *pictures = malloc(sizeof *pictures);
    if (pictures) {
        struct weir_picture_source source;
        weir_picture_source_init(&source);
        weir_pictures_set_source(pictures, &source);
    }
    if (status) {
        *status = pictures ? WEIR_OK : WEIR_ERROR_NO_MEMORY;
    }
    return pictures;
}

void weir_pictures_destroy(struct weir_pictures *pictures)
{
    free(pictures);
}

uint32_t weir_pictures_count(const struct weir_pictures *pictures)
{
    return pictures->ladder.n_steps;
}

const struct weir_picture *weir_pictures_get(const struct weir_pictures *pictures, uint32_t step)
{
    return step < pictures->ladder.n_steps ? &pictures->ladder.steps[step] : NULL;
}

uint32_t weir_pictures_step(const struct weir_pictures *pictures)
{
    return pictures->step;
}

enum weir_picture_reason weir_pictures_reason(const struct weir_pictures *pictures)
{
    return pictures->reason;
}

uint32_t weir_pictures_begin(struct weir_pictures *pictures, int64_t target_media_bps)
{
    forget_times(pictures, 0);
    note_target(pictures, weir_clamp_i64(target_media_bps, 0, WEIR_MAX_BPS));
    change(pictures, find(pictures, 0, is_rich), WEIR_PICTURE_LOW_BITRATE);
    pictures->begun = true;
    pictures->timed = false;
    return pictures->step;
}

uint32_t weir_pictures_choose(struct weir_pictures *pictures, int64_t now_ns,
                              int64_t target_media_bps, uint64_t media_bytes)
{
    int64_t former_ns = pictures->now_ns;
    int64_t target_bps = weir_clamp_i64(target_media_bps, 0, WEIR_MAX_BPS);
    int64_t bits = take_bits(pictures, media_bytes);
    if (!pictures->begun) {
        return weir_pictures_begin(pictures, target_media_bps);
    }
    pictures->now_ns = weir_clamp_i64(now_ns, -MAX_NS, MAX_NS);
    if (!pictures->timed || pictures->now_ns < former_ns || pictures->now_ns - former_ns > GAP_NS) {
        forget_times(pictures, pictures->now_ns);
        note_target(pictures, target_bps);
        pictures->changed_ns -= pictures->timed ? 0 : SETTLE_NS; /* there is no former step */
        pictures->timed = true;
        return pictures->step;
    }
    note_target(pictures, target_bps);
    note_made(pictures, bits, former_ns);
    note_followed(pictures, bits);
    decide(pictures, target_bps);
    return pictures->step;
}

void weir_pictures_refuse(struct weir_pictures *pictures, uint32_t former)
{
    if (former < pictures->ladder.n_steps) {
        pictures->refused[pictures->step] = true;
        change(pictures, former, pictures->reason);
    }
}
