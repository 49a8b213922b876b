/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pictures to choose from. */
#include "picture/ladder.h"
#include "test.h"
#include <stdbool.h>

static const enum weir_degradation preferences[] = {
    WEIR_DEGRADATION_BALANCED,
    WEIR_DEGRADATION_MAINTAIN_FRAMERATE,
    WEIR_DEGRADATION_MAINTAIN_RESOLUTION,
};

static void build(struct weir__ladder *ladder, enum weir_degradation degradation, int width,
                  int height, int fps_n, int fps_d)
{
    struct weir_picture_source source = {.degradation = degradation,
                                         .width_pixels = width,
                                         .height_pixels = height,
                                         .fps_n = fps_n,
                                         .fps_d = fps_d};
    weir__ladder_build(ladder, &source);
}

/* Every source of every preference: the first step is the source, each has fewer pixels a second
 * than the one before, even sides, and the source's shape to within a pixel. */
static void check_ladder(enum weir_degradation preference, int width, int height, int fps_n,
                         int fps_d)
{
    struct weir__ladder ladder;
    build(&ladder, preference, width, height, fps_n, fps_d);
    g_assert_cmpuint(ladder.n_steps, >=, 1);
    g_assert_cmpint(ladder.steps[0].width_pixels, ==, width);
    g_assert_cmpint(ladder.steps[0].height_pixels, ==, height);
    g_assert_cmpint(ladder.steps[0].fps_n, ==, fps_n);
    g_assert_cmpint(ladder.steps[0].fps_d, ==, fps_d);
    for (uint32_t i = 1; i < ladder.n_steps; i++) {
        const struct weir_picture *step = &ladder.steps[i];
        bool resized = step->width_pixels != width;
        g_assert_cmpint(step->pixels_per_s, <, step[-1].pixels_per_s);
        g_assert_true(!resized || (step->width_pixels % 2 == 0 && step->height_pixels % 2 == 0));
        g_assert_true(!resized || MIN(step->width_pixels, step->height_pixels) >= 32);
        int64_t skew = (int64_t)step->width_pixels * height - (int64_t)step->height_pixels * width;
        g_assert_cmpint(ABS(skew), <=, width + height); /* each side within one pixel */
    }
}

static void every_step_is_even_smaller_and_of_the_same_shape(void)
{
    static const int fps[][2] = {{30, 1}, {30000, 1001}, {15, 2}, {60, 1}, {0, 1}};
    for (uint32_t p = 0; p < G_N_ELEMENTS(preferences); p++) {
        for (uint32_t f = 0; f < G_N_ELEMENTS(fps); f++) {
            for (int width = 1; width <= 2000; width += 37) {
                for (int height = 1; height <= 1200; height += 53) {
                    check_ladder(preferences[p], width, height, fps[f][0], fps[f][1]);
                }
            }
        }
    }
}

static void sizes_give_way_to_keep_the_frame_rate(void)
{
    static const int sizes[][2] = {{1280, 720}, {960, 540}, {640, 360}, {480, 270}, {320, 180},
                                   {240, 136},  {160, 90},  {120, 68},  {80, 46}};
    struct weir__ladder ladder;
    build(&ladder, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 1280, 720, 30, 1);
    g_assert_cmpuint(ladder.n_steps, ==, G_N_ELEMENTS(sizes));
    for (uint32_t i = 0; i < ladder.n_steps; i++) {
        g_assert_cmpint(ladder.steps[i].width_pixels, ==, sizes[i][0]);
        g_assert_cmpint(ladder.steps[i].height_pixels, ==, sizes[i][1]);
        g_assert_cmpint(ladder.steps[i].fps_n, ==, 30);
        g_assert_cmpint(ladder.steps[i].keep_n, ==, ladder.steps[i].keep_d);
    }
}

static void frames_give_way_to_keep_the_size(void)
{
    static const int fps[][2] = {{30, 1}, {20, 1}, {15, 1}, {10, 1}};
    struct weir__ladder ladder;
    build(&ladder, WEIR_DEGRADATION_MAINTAIN_RESOLUTION, 1280, 720, 30, 1);
    g_assert_cmpuint(ladder.n_steps, ==, G_N_ELEMENTS(fps));
    for (uint32_t i = 0; i < ladder.n_steps; i++) {
        const struct weir_picture *step = &ladder.steps[i];
        g_assert_cmpint(step->width_pixels, ==, 1280);
        g_assert_cmpint(step->height_pixels, ==, 720);
        g_assert_cmpint(step->fps_n, ==, fps[i][0]);
        g_assert_cmpint(step->fps_d, ==, fps[i][1]);
        g_assert_cmpint(30 * step->keep_n, ==, fps[i][0] * step->keep_d);
    }
}

/* A source that does not say how many frames it makes: a share of them is kept all the same. */
static void an_unknown_frame_rate_stays_unknown(void)
{
    struct weir__ladder ladder;
    build(&ladder, WEIR_DEGRADATION_MAINTAIN_RESOLUTION, 640, 360, 0, 1);
    g_assert_cmpuint(ladder.n_steps, ==, 4);
    for (uint32_t i = 0; i < ladder.n_steps; i++) {
        g_assert_cmpint(ladder.steps[i].fps_n, ==, 0);
    }
    g_assert_cmpint(ladder.steps[3].keep_d, ==, 3);
    g_assert_cmpint(ladder.steps[0].pixels_per_s, ==, 640 * 360 * 30);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(function) g_test_add_func("/ladder/" #function, function)
    TEST(every_step_is_even_smaller_and_of_the_same_shape);
    TEST(sizes_give_way_to_keep_the_frame_rate);
    TEST(frames_give_way_to_keep_the_size);
    TEST(an_unknown_frame_rate_stays_unknown);
    return g_test_run();
}
