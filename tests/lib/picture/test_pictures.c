/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which step is chosen, and when it changes. All in made-up time, with an encoder of one line: it
 * makes its target, but never less than so many bits per pixel. */
#include "picture/pictures.h"
#include "test.h"

#define FRAME_NS (WEIR_SECONDS(1) / 30)

struct rig {
    struct weir_pictures pictures;
    int64_t now_ns;
    uint64_t media_bytes;
    int64_t floor_ubits; /* per pixel, what the encoder makes at least */
    uint32_t n_changes;
    int64_t excess_bits; /* made beyond the target, in all */
};

static void start(struct rig *rig, enum weir_degradation preference, int64_t floor_ubits)
{
    *rig = (struct rig){.now_ns = 12345, .media_bytes = 999, .floor_ubits = floor_ubits};
    struct weir_picture_source source;
    weir_picture_source_init(&source);
    source.degradation = preference;
    g_assert_cmpint(weir_pictures_set_source(&rig->pictures, &source), ==, WEIR_OK);
}

static void frame(struct rig *rig, int64_t target_bps)
{
    uint32_t former =
        rig->pictures.begun ? rig->pictures.step : weir_pictures_begin(&rig->pictures, target_bps);
    uint32_t step = weir_pictures_choose(&rig->pictures, rig->now_ns, target_bps, rig->media_bytes);
    rig->n_changes += step != former ? 1 : 0;
    int64_t least_bps =
        rig->pictures.ladder.steps[step].pixels_per_s / 1000 * rig->floor_ubits / 1000;
    int64_t made_bps = weir_max_i64(target_bps, least_bps);
    rig->excess_bits += (made_bps - target_bps) / 30;
    rig->media_bytes += (uint64_t)made_bps / 30 / 8;
    rig->now_ns += FRAME_NS;
}

static void run_for(struct rig *rig, int64_t target_bps, int64_t duration_ns)
{
    for (int64_t end_ns = rig->now_ns + duration_ns; rig->now_ns < end_ns;) {
        frame(rig, target_bps);
    }
}

static int height(const struct rig *rig)
{
    return rig->pictures.ladder.steps[rig->pictures.step].height_pixels;
}

/* 5/3 of 0.03 bits for each of 1280x720x30: 1382400 bit/s. */
static void it_begins_with_what_the_target_carries(void)
{
    static const struct {
        int64_t target_bps;
        int height;
    } cases[] = {{5000000, 720}, {1382400, 720}, {1382399, 540}, {777599, 360},
                 {300000, 270},  {100000, 180},  {1, 46}};
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig;
        start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
        frame(&rig, cases[i].target_bps);
        g_assert_cmpint(height(&rig), ==, cases[i].height);
        g_assert_cmpint(rig.pictures.reason, ==,
                        cases[i].height == 720 ? WEIR_PICTURE_FULL : WEIR_PICTURE_LOW_BITRATE);
    }
}

static void it_shrinks_a_second_after_the_target_fell(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
    run_for(&rig, 4000000, WEIR_SECONDS(2));
    run_for(&rig, 600000, WEIR_MS(950));
    g_assert_cmpint(height(&rig), ==, 720);
    run_for(&rig, 600000, WEIR_MS(150));
    g_assert_cmpint(height(&rig), ==, 540);
    g_assert_cmpint(rig.pictures.reason, ==, WEIR_PICTURE_LOW_BITRATE);
    run_for(&rig, 600000, WEIR_SECONDS(60));
    g_assert_cmpuint(rig.n_changes, ==, 1);
}

static void a_deep_fall_is_one_change(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
    run_for(&rig, 4000000, WEIR_SECONDS(2));
    run_for(&rig, 150000, WEIR_SECONDS(20));
    g_assert_cmpint(height(&rig), ==, 270);
    g_assert_cmpuint(rig.n_changes, ==, 1);
}

static void a_short_fall_changes_nothing(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_BALANCED, 0);
    for (uint32_t i = 0; i < 20; i++) {
        run_for(&rig, 4000000, WEIR_SECONDS(1));
        run_for(&rig, 100000, WEIR_MS(900));
    }
    g_assert_cmpuint(rig.n_changes, ==, 0);
}

static void it_grows_when_the_target_has_carried_the_larger_step_for_three_seconds(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
    run_for(&rig, 600000, WEIR_SECONDS(5));
    g_assert_cmpint(height(&rig), ==, 360);
    run_for(&rig, 4000000, WEIR_MS(2900));
    g_assert_cmpint(height(&rig), ==, 360);
    run_for(&rig, 4000000, WEIR_MS(200));
    g_assert_cmpint(height(&rig), ==, 720);
    g_assert_cmpint(rig.pictures.reason, ==, WEIR_PICTURE_FULL);
}

static void swing_for(struct rig *rig, int64_t mean_bps, int64_t half_ms, int64_t duration_ms)
{
    for (int64_t ms = 0; ms < duration_ms; ms += 2 * half_ms) {
        run_for(rig, mean_bps / 10 * 12, WEIR_MS(half_ms));
        run_for(rig, mean_bps / 10 * 8, WEIR_MS(half_ms));
    }
}

/* Whatever the threshold, the preference and the period: once it has grown to where it belongs. */
static void a_target_that_swings_by_20_percent_does_not_flap(void)
{
    for (int preference = 0; preference < 3; preference++) {
        for (int64_t mean_bps = 20000; mean_bps < 3000000; mean_bps += mean_bps / 8) {
            for (int64_t half_ms = 100; half_ms <= 12800; half_ms *= 2) {
                struct rig rig;
                start(&rig, (enum weir_degradation)preference, 0);
                swing_for(&rig, mean_bps, half_ms, 40000);
                uint32_t settled = rig.n_changes;
                swing_for(&rig, mean_bps, half_ms, 60000);
                g_assert_cmpuint(settled, <=, 3);
                g_assert_cmpuint(rig.n_changes, ==, settled);
            }
        }
    }
}

/* 4 bits per pixel whatever is asked for: noise, and a quantizer that ends at 32. */
static void an_encoder_that_cannot_follow_gets_a_picture_that_fits(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
    run_for(&rig, 2000000, WEIR_SECONDS(3));
    g_assert_cmpint(height(&rig), ==, 720);
    rig.floor_ubits = 4000000;
    frame(&rig, 2000000);
    frame(&rig, 2000000);
    g_assert_cmpint(height(&rig), ==, 90); /* 1.7 Mbit/s */
    g_assert_cmpint(rig.pictures.reason, ==, WEIR_PICTURE_ENCODER_CANNOT_FOLLOW);
    run_for(&rig, 2000000, WEIR_SECONDS(59));
    g_assert_cmpuint(rig.n_changes, ==, 1);
}

static void what_it_makes_too_much_is_bounded(void)
{
    static const int64_t floors[] = {40000, 60000, 100000, 300000, 1000000, 4000000};
    for (int preference = 0; preference < 2; preference++) {
        for (uint32_t i = 0; i < G_N_ELEMENTS(floors); i++) {
            for (int64_t target_bps = 100000; target_bps <= 2000000; target_bps += 100000) {
                struct rig rig;
                start(&rig, (enum weir_degradation)preference, floors[i]);
                run_for(&rig, target_bps, WEIR_SECONDS(10));
                int64_t before_bits = rig.excess_bits;
                run_for(&rig, target_bps, WEIR_SECONDS(290));
                /* One part in five is an encoder that keeps to its target; the smallest picture is
                 * all that can be done. */
                int64_t share = (rig.excess_bits - before_bits) / (target_bps * 290 / 1000);
                bool smallest = rig.pictures.step == rig.pictures.ladder.n_steps - 1;
                g_assert_true(smallest || share < 210);
            }
        }
    }
}

/* After 60, 120, 240 s ... */
static void a_larger_step_is_tried_ever_more_rarely(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 4000000);
    run_for(&rig, 2000000, WEIR_SECONDS(20));
    uint32_t settled = rig.n_changes;
    run_for(&rig, 2000000, WEIR_SECONDS(1000));
    g_assert_cmpuint(rig.n_changes - settled, >=, 2 * 4);
    g_assert_cmpuint(rig.n_changes - settled, <=, 2 * 6);
    int64_t before_bits = rig.excess_bits;
    run_for(&rig, 2000000, WEIR_SECONDS(1000));
    g_assert_cmpint(rig.excess_bits - before_bits, <, 2000000 * 1000 / 200);
}

/* Twice the target fills half a second's bucket in 20 frames, which count from the first on. */
static void a_trial_that_fails_is_over_in_20_frames(void)
{
    struct rig rig;
    uint32_t n_frames = 0;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 4000000);
    run_for(&rig, 2000000, WEIR_SECONDS(20));
    g_assert_cmpint(height(&rig), ==, 90);
    for (uint32_t i = 0; i < 60 * 30; i++) {
        frame(&rig, 2000000);
        n_frames += height(&rig) > 90 ? 1 : 0;
    }
    g_assert_cmpuint(n_frames, >, 0);
    g_assert_cmpuint(n_frames, <=, 22);
}

static void after_an_easier_scene_the_full_picture_comes_back(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 4000000);
    run_for(&rig, 2000000, WEIR_SECONDS(10));
    rig.floor_ubits = 0;
    run_for(&rig, 2000000, WEIR_SECONDS(75));
    g_assert_cmpint(height(&rig), ==, 720);
}

/* As after a seek: what was measured is not of the future. */
static void a_clock_that_goes_back_keeps_nothing_small_for_longer(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 4000000);
    rig.now_ns += WEIR_SECONDS(3600);
    run_for(&rig, 2000000, WEIR_SECONDS(10));
    g_assert_cmpint(height(&rig), ==, 90);
    rig.floor_ubits = 0;
    rig.now_ns -= WEIR_SECONDS(3600);
    run_for(&rig, 2000000, WEIR_SECONDS(75));
    g_assert_cmpint(height(&rig), ==, 720);
}

static void a_target_above_what_was_measured_is_believed_at_once(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
    run_for(&rig, 2000000, WEIR_SECONDS(1));
    rig.floor_ubits = 100000; /* 2.8 Mbit/s at 720p */
    run_for(&rig, 2000000, WEIR_SECONDS(5));
    g_assert_cmpint(height(&rig), ==, 540);
    run_for(&rig, 4000000, WEIR_SECONDS(4));
    g_assert_cmpint(height(&rig), ==, 720);
}

/* From a sixteenth of the width and height to all of it, although it could not follow there. */
static void when_the_capacity_returns_so_does_the_picture(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 4000000); /* 110 Mbit/s at 720p */
    run_for(&rig, 600000, WEIR_SECONDS(20));
    g_assert_cmpint(height(&rig), ==, 46);
    run_for(&rig, 200000000, WEIR_MS(3500));
    g_assert_cmpint(height(&rig), ==, 720);
    run_for(&rig, 200000000, WEIR_SECONDS(60));
    g_assert_cmpint(height(&rig), ==, 720);
}

/* No frame is made, since the send queue is full: each counts as the last one did, until the step
 * is another. */
static void skip_for(struct rig *rig, int64_t target_bps, int64_t frame_bps, int64_t duration_ns)
{
    for (int64_t end_ns = rig->now_ns + duration_ns; rig->now_ns < end_ns;) {
        weir_pictures_choose(&rig->pictures, rig->now_ns, target_bps, rig->media_bytes);
        rig->media_bytes += rig->pictures.step == 0 ? (uint64_t)frame_bps / 30 / 8 : 0;
        rig->now_ns += FRAME_NS;
    }
}

/* 11 Mbit/s at 720p: 15 were followed, and the last frame before the fall has a third more. */
static void what_was_made_for_a_former_target_keeps_nothing_small(void)
{
    static const int64_t lows_bps[] = {100000, 600000, 2000000, 6000000};
    for (uint32_t i = 0; i < G_N_ELEMENTS(lows_bps); i++) {
        struct rig rig;
        start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 400000);
        for (uint32_t turn = 0; turn < 3; turn++) {
            run_for(&rig, 15000000, WEIR_SECONDS(8));
            g_assert_cmpint(height(&rig), ==, 720);
            skip_for(&rig, lows_bps[i], 20000000, WEIR_SECONDS(3));
            g_assert_cmpint(height(&rig), <, 720);
            run_for(&rig, lows_bps[i], WEIR_SECONDS(10));
        }
    }
}

static void quiet_for(struct rig *rig, int64_t duration_ns)
{
    for (int64_t end_ns = rig->now_ns + duration_ns; rig->now_ns < end_ns;
         rig->now_ns += FRAME_NS) {
        weir_pictures_choose(&rig->pictures, rig->now_ns, 2000000, rig->media_bytes);
    }
}

/* The frames that were made for the former target are seen late: nothing is made for a while, which
 * follows no target, nor does one small frame. */
static void what_is_seen_late_keeps_nothing_small(void)
{
    static const struct {
        int64_t quiet_ms;
        int64_t small_bytes;
    } cases[] = {{2500, 0}, {900, 0}, {1100, 1000}};
    for (uint32_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig;
        start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 400000);
        run_for(&rig, 15000000, WEIR_SECONDS(8));
        quiet_for(&rig, WEIR_MS(cases[i].quiet_ms));
        rig.media_bytes += (uint64_t)cases[i].small_bytes;
        skip_for(&rig, 2000000, 20000000, WEIR_SECONDS(3));
        g_assert_cmpint(height(&rig), <, 720);
        run_for(&rig, 2000000, WEIR_SECONDS(10));
        run_for(&rig, 15000000, WEIR_SECONDS(8));
        g_assert_cmpint(height(&rig), ==, 720);
    }
}

/* 22 Mbit/s at 720p when the 15 are back. */
static void what_was_followed_in_another_scene_is_tried_once(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 400000);
    run_for(&rig, 15000000, WEIR_SECONDS(8));
    skip_for(&rig, 600000, 20000000, WEIR_SECONDS(3));
    rig.floor_ubits = 800000;
    run_for(&rig, 600000, WEIR_SECONDS(10));
    run_for(&rig, 15000000, WEIR_SECONDS(15));
    uint32_t settled = rig.n_changes;
    g_assert_cmpint(height(&rig), ==, 540);
    run_for(&rig, 15000000, WEIR_SECONDS(40));
    g_assert_cmpuint(rig.n_changes, ==, settled);
}

/* 13.8 Mbit/s at 720p, and 10 or 15 of them: what was followed at 15 brings nothing back. */
static void a_swing_proves_nothing(void)
{
    for (int64_t half_ms = 5000; half_ms <= 10000; half_ms *= 2) {
        struct rig rig;
        start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 500000);
        run_for(&rig, 15000000, WEIR_SECONDS(8));
        swing_for(&rig, 12500000, half_ms, 50000);
        g_assert_cmpint(height(&rig), ==, 540);
        g_assert_cmpuint(rig.n_changes, ==, 1);
    }
}

/* What an encoder made before it heard of a lower target is no sign that it cannot follow. */
static void an_encoder_that_follows_late_follows(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
    run_for(&rig, 4000000, WEIR_SECONDS(2));
    for (uint32_t i = 0; i < 15; i++) {
        frame(&rig, 1000000);
        rig.media_bytes += 3000000 / 30 / 8;
    }
    run_for(&rig, 1000000, WEIR_SECONDS(20));
    g_assert_cmpuint(rig.n_changes, ==, 0);
}

/* A key frame of ten frames' bits each two seconds. */
static void key_frames_are_no_excess(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
    for (uint32_t i = 0; i < 900; i++) {
        frame(&rig, 2000000);
        rig.media_bytes += i % 60 == 0 ? 9 * 2000000 / 30 / 8 : 0;
        rig.media_bytes -= i % 60 != 0 ? 9 * 2000000 / 30 / 8 / 60 : 0;
    }
    g_assert_cmpuint(rig.n_changes, ==, 0);
}

static void a_step_that_is_refused_is_passed_over(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
    run_for(&rig, 4000000, WEIR_SECONDS(1));
    while (rig.pictures.step == 0) {
        frame(&rig, 600000);
    }
    weir_pictures_refuse(&rig.pictures, 0);
    g_assert_cmpuint(rig.pictures.step, ==, 0);
    run_for(&rig, 600000, WEIR_SECONDS(2));
    g_assert_cmpint(height(&rig), ==, 360);
    run_for(&rig, 4000000, WEIR_SECONDS(4));
    g_assert_cmpint(height(&rig), ==, 720);
}

static void where_every_step_is_refused_the_source_stays(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_BALANCED, 4000000);
    weir_pictures_begin(&rig.pictures, 4000000);
    for (uint32_t i = 0; i < 3000; i++) {
        frame(&rig, 600000);
        if (rig.pictures.step != 0) {
            weir_pictures_refuse(&rig.pictures, 0);
        }
    }
    g_assert_cmpuint(rig.pictures.step, ==, 0);
    g_assert_cmpuint(rig.n_changes, ==, rig.pictures.ladder.n_steps - 1);
}

/* A clock that goes back, a pause, a counter that begins anew: none is taken for excess. */
static void a_gap_or_another_run_changes_nothing(void)
{
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_BALANCED, 0);
    run_for(&rig, 4000000, WEIR_SECONDS(5));
    frame(&rig, 100000);
    rig.now_ns += WEIR_SECONDS(3600);
    frame(&rig, 100000);
    rig.media_bytes += 1000000000;
    run_for(&rig, 4000000, WEIR_SECONDS(5));
    rig.now_ns -= WEIR_SECONDS(1800);
    run_for(&rig, 4000000, WEIR_SECONDS(5));
    rig.media_bytes = 0;
    run_for(&rig, 4000000, WEIR_SECONDS(5));
    g_assert_cmpuint(rig.n_changes, ==, 0);
}

static void a_source_out_of_range_changes_nothing(void)
{
    static const struct {
        struct weir_picture_source wrong;
        enum weir_status status;
    } rows[] = {
#define SOURCE .size = sizeof(struct weir_picture_source), .width_pixels = 640, .height_pixels = 360
        {{.size = 1, .width_pixels = 640, .height_pixels = 360, .fps_d = 1}, WEIR_ERROR_ARGUMENT},
        {{SOURCE, .fps_d = 0}, WEIR_ERROR_RANGE},
        {{SOURCE, .fps_n = -1, .fps_d = 1}, WEIR_ERROR_RANGE},
        {{SOURCE, .fps_n = 700000001, .fps_d = 1}, WEIR_ERROR_RANGE},
        {{SOURCE, .fps_d = 1, .degradation = WEIR_N_DEGRADATIONS}, WEIR_ERROR_RANGE},
        {{SOURCE, .fps_d = 1, .min_ubits_per_pixel = -1}, WEIR_ERROR_RANGE},
        {{SOURCE, .fps_d = 1, .min_ubits_per_pixel = 24000001}, WEIR_ERROR_RANGE},
        {{.size = sizeof(struct weir_picture_source), .width_pixels = 640, .fps_d = 1},
         WEIR_ERROR_RANGE},
#undef SOURCE
    };
    struct weir_pictures *pictures = weir_pictures_create(NULL);
    g_assert_cmpint(weir_pictures_set_source(pictures, NULL), ==, WEIR_ERROR_ARGUMENT);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpint(weir_pictures_set_source(pictures, &rows[i].wrong), ==, rows[i].status);
        g_assert_cmpint(weir_pictures_get(pictures, 0)->width_pixels, ==, 1280);
    }
    g_assert_null(weir_pictures_get(pictures, weir_pictures_count(pictures)));
    weir_pictures_destroy(pictures);
    weir_pictures_destroy(NULL);
}

/* Whatever is asked for, the answer is one of the steps. */
static void extreme_values_are_survived(void)
{
    static const int64_t values[] = {INT64_MIN, -1, 0, 1, 1000000, INT64_MAX};
    struct rig rig;
    start(&rig, WEIR_DEGRADATION_BALANCED, 0);
    for (size_t i = 0; i < 6 * 6 * 6 * 6; i++) {
        uint32_t step = weir_pictures_choose(&rig.pictures, values[i % 6], values[i / 6 % 6],
                                             (uint64_t)values[i / 36 % 6]);
        g_assert_cmpuint(step, <, weir_pictures_count(&rig.pictures));
        weir_pictures_begin(&rig.pictures, values[i / 216]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(function) g_test_add_func("/pictures/" #function, function)
    TEST(it_begins_with_what_the_target_carries);
    TEST(it_shrinks_a_second_after_the_target_fell);
    TEST(a_deep_fall_is_one_change);
    TEST(a_short_fall_changes_nothing);
    TEST(it_grows_when_the_target_has_carried_the_larger_step_for_three_seconds);
    TEST(a_target_that_swings_by_20_percent_does_not_flap);
    TEST(an_encoder_that_cannot_follow_gets_a_picture_that_fits);
    TEST(what_it_makes_too_much_is_bounded);
    TEST(a_larger_step_is_tried_ever_more_rarely);
    TEST(a_trial_that_fails_is_over_in_20_frames);
    TEST(after_an_easier_scene_the_full_picture_comes_back);
    TEST(a_clock_that_goes_back_keeps_nothing_small_for_longer);
    TEST(a_target_above_what_was_measured_is_believed_at_once);
    TEST(when_the_capacity_returns_so_does_the_picture);
    TEST(what_was_made_for_a_former_target_keeps_nothing_small);
    TEST(what_is_seen_late_keeps_nothing_small);
    TEST(what_was_followed_in_another_scene_is_tried_once);
    TEST(a_swing_proves_nothing);
    TEST(an_encoder_that_follows_late_follows);
    TEST(key_frames_are_no_excess);
    TEST(a_step_that_is_refused_is_passed_over);
    TEST(where_every_step_is_refused_the_source_stays);
    TEST(a_gap_or_another_run_changes_nothing);
    TEST(a_source_out_of_range_changes_nothing);
    TEST(extreme_values_are_survived);
    return g_test_run();
}
