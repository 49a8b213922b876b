/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture/ladder.h"
#include <stdbool.h>

/* Smaller pictures are of no use, and many encoders refuse them. */
#define MIN_SIDE_PIXELS 32
#define UNKNOWN_FPS     30

struct fraction {
    int32_t size_n, size_d; /* of width and height */
    int32_t keep_n, keep_d; /* of frames */
};

/* Both give way in turn: fewer frames suit a smaller picture. */
static const struct fraction balanced[] = {
    {1, 1, 1, 1}, {3, 4, 1, 1},  {1, 2, 1, 1},  {1, 2, 2, 3}, {3, 8, 2, 3},  {3, 8, 1, 2},
    {1, 4, 1, 2}, {3, 16, 1, 2}, {3, 16, 1, 3}, {1, 8, 1, 3}, {3, 32, 1, 3}, {1, 16, 1, 3},
};
static const struct fraction sizes[] = {
    {1, 1, 1, 1},  {3, 4, 1, 1}, {1, 2, 1, 1},  {3, 8, 1, 1},  {1, 4, 1, 1},
    {3, 16, 1, 1}, {1, 8, 1, 1}, {3, 32, 1, 1}, {1, 16, 1, 1},
};
static const struct fraction rates[] = {{1, 1, 1, 1}, {1, 1, 2, 3}, {1, 1, 1, 2}, {1, 1, 1, 3}};

#define LADDER(fractions)                                                                          \
    {                                                                                              \
        fractions, sizeof(fractions) / sizeof(fractions)[0]                                        \
    }
static const struct {
    const struct fraction *fractions;
    uint32_t n;
} ladders[WEIR_N_DEGRADATIONS] = {
    [WEIR_DEGRADATION_BALANCED] = LADDER(balanced),
    [WEIR_DEGRADATION_MAINTAIN_FRAMERATE] = LADDER(sizes),
    [WEIR_DEGRADATION_MAINTAIN_RESOLUTION] = LADDER(rates),
};

_Static_assert(sizeof balanced / sizeof balanced[0] <= WEIR__LADDER_MAX, "the longest one");

/* The nearest even number: pictures with half as many samples of colour have no odd sides. */
static int32_t scale_side(int32_t pixels, const struct fraction *fraction)
{
    if (fraction->size_n == fraction->size_d) {
        return pixels;
    }
    int32_t twice = 2 * fraction->size_d;
    return (pixels * fraction->size_n + fraction->size_d) / twice * 2;
}

static int32_t greatest_divisor(int32_t a, int32_t b)
{
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct weir_picture scale_picture(const struct fraction *fraction,
                                         const struct weir_picture_source *source)
{
    int32_t width_pixels = scale_side(source->width_pixels, fraction);
    int32_t height_pixels = scale_side(source->height_pixels, fraction);
    int32_t n = (source->fps_n > 0 ? source->fps_n : UNKNOWN_FPS) * fraction->keep_n;
    int32_t d = (source->fps_n > 0 ? source->fps_d : 1) * fraction->keep_d;
    int32_t common = greatest_divisor(n, d);
    bool is_known = source->fps_n > 0;
    return (struct weir_picture){
        .width_pixels = width_pixels,
        .height_pixels = height_pixels,
        .fps_n = is_known ? n / common : 0,
        .fps_d = is_known ? d / common : 1,
        .keep_n = fraction->keep_n,
        .keep_d = fraction->keep_d,
        .pixels_per_s = (int64_t)((double)width_pixels * height_pixels * n / d),
    };
}

/* Of a source within its ranges. It has at least that one step. */
void weir__ladder_build(struct weir__ladder *ladder, const struct weir_picture_source *source)
{
    ladder->n_steps = 0;
    for (uint32_t i = 0; i < ladders[source->degradation].n; i++) {
        struct weir_picture picture =
            scale_picture(&ladders[source->degradation].fractions[i], source);
        int64_t side = weir_min_i64(picture.width_pixels, picture.height_pixels);
        if (i == 0 || side >= MIN_SIDE_PIXELS) {
            ladder->steps[ladder->n_steps++] = picture;
        }
    }
}
