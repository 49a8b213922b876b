/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which step is chosen, and when it changes. All in made-up time, with an encoder of one line: it
 * makes its target, but never less than so many bits per pixel. */
#include "scale/weirscale_law.h"

#include "weir/units.h"

#define FRAME_NS (WEIR_SECONDS (1) / 30)
#define MIN_UBITS 30000 /* 0.03 bits per pixel */

typedef struct
{
  GstWeirScaleLaw law;
  GstWeirLadder ladder;
  gint64 now_ns;
  guint64 media_bytes;
  gint64 floor_ubits; /* per pixel, what the encoder makes at least */
  guint n_changes;
  gint64 excess_bits; /* made beyond the target, in all */
} Rig;

static void
start (Rig *rig, GstWeirDegradation preference, gint64 floor_ubits)
{
  *rig = (Rig){ .now_ns = 12345, .media_bytes = 999, .floor_ubits = floor_ubits };
  gst_weir_ladder_build (&rig->ladder, preference, 1280, 720, 30, 1);
  gst_weir_scale_law_init (&rig->law, &rig->ladder, MIN_UBITS);
}

static void
frame (Rig *rig, gint64 target_bps)
{
  guint former = rig->law.begun ? rig->law.step : gst_weir_scale_law_begin (&rig->law, target_bps);
  guint step = gst_weir_scale_law_choose (&rig->law, rig->now_ns, target_bps, rig->media_bytes);
  rig->n_changes += step != former ? 1 : 0;
  gint64 least_bps = rig->ladder.steps[step].pixels_per_s / 1000 * rig->floor_ubits / 1000;
  gint64 made_bps = MAX (target_bps, least_bps);
  rig->excess_bits += (made_bps - target_bps) / 30;
  rig->media_bytes += (guint64) made_bps / 30 / 8;
  rig->now_ns += FRAME_NS;
}

static void
run_for (Rig *rig, gint64 target_bps, gint64 duration_ns)
{
  for (gint64 end_ns = rig->now_ns + duration_ns; rig->now_ns < end_ns;) {
    frame (rig, target_bps);
  }
}

static gint
height (const Rig *rig)
{
  return rig->ladder.steps[rig->law.step].height;
}

/* 5/3 of 0.03 bits for each of 1280x720x30: 1382400 bit/s. */
static void
it_begins_with_what_the_target_carries (void)
{
  static const struct
  {
    gint64 target_bps;
    gint height;
  } cases[] = { { 5000000, 720 }, { 1382400, 720 }, { 1382399, 540 }, { 777599, 360 },
                { 300000, 270 },  { 100000, 180 },  { 1, 46 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig rig;
    start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
    frame (&rig, cases[i].target_bps);
    g_assert_cmpint (height (&rig), ==, cases[i].height);
    g_assert_cmpint (rig.law.reason, ==,
                     cases[i].height == 720 ? GST_WEIR_SCALE_FULL : GST_WEIR_SCALE_LOW_BITRATE);
  }
}

static void
it_shrinks_a_second_after_the_target_fell (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
  run_for (&rig, 4000000, WEIR_SECONDS (2));
  run_for (&rig, 600000, WEIR_MS (950));
  g_assert_cmpint (height (&rig), ==, 720);
  run_for (&rig, 600000, WEIR_MS (150));
  g_assert_cmpint (height (&rig), ==, 540);
  g_assert_cmpint (rig.law.reason, ==, GST_WEIR_SCALE_LOW_BITRATE);
  run_for (&rig, 600000, WEIR_SECONDS (60));
  g_assert_cmpuint (rig.n_changes, ==, 1);
}

static void
a_deep_fall_is_one_change (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
  run_for (&rig, 4000000, WEIR_SECONDS (2));
  run_for (&rig, 150000, WEIR_SECONDS (20));
  g_assert_cmpint (height (&rig), ==, 270);
  g_assert_cmpuint (rig.n_changes, ==, 1);
}

static void
a_short_fall_changes_nothing (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_BALANCED, 0);
  for (guint i = 0; i < 20; i++) {
    run_for (&rig, 4000000, WEIR_SECONDS (1));
    run_for (&rig, 100000, WEIR_MS (900));
  }
  g_assert_cmpuint (rig.n_changes, ==, 0);
}

static void
it_grows_when_the_target_has_carried_the_larger_step_for_three_seconds (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
  run_for (&rig, 600000, WEIR_SECONDS (5));
  g_assert_cmpint (height (&rig), ==, 360);
  run_for (&rig, 4000000, WEIR_MS (2900));
  g_assert_cmpint (height (&rig), ==, 360);
  run_for (&rig, 4000000, WEIR_MS (200));
  g_assert_cmpint (height (&rig), ==, 720);
  g_assert_cmpint (rig.law.reason, ==, GST_WEIR_SCALE_FULL);
}

static void
swing_for (Rig *rig, gint64 mean_bps, gint64 half_ms, gint64 duration_ms)
{
  for (gint64 ms = 0; ms < duration_ms; ms += 2 * half_ms) {
    run_for (rig, mean_bps / 10 * 12, WEIR_MS (half_ms));
    run_for (rig, mean_bps / 10 * 8, WEIR_MS (half_ms));
  }
}

/* Whatever the threshold, the preference and the period: once it has grown to where it belongs. */
static void
a_target_that_swings_by_20_percent_does_not_flap (void)
{
  for (gint preference = 0; preference < 3; preference++) {
    for (gint64 mean_bps = 20000; mean_bps < 3000000; mean_bps += mean_bps / 8) {
      for (gint64 half_ms = 100; half_ms <= 12800; half_ms *= 2) {
        Rig rig;
        start (&rig, (GstWeirDegradation) preference, 0);
        swing_for (&rig, mean_bps, half_ms, 40000);
        guint settled = rig.n_changes;
        swing_for (&rig, mean_bps, half_ms, 60000);
        g_assert_cmpuint (settled, <=, 3);
        g_assert_cmpuint (rig.n_changes, ==, settled);
      }
    }
  }
}

/* 4 bits per pixel whatever is asked for: noise, and a quantizer that ends at 32. */
static void
an_encoder_that_cannot_follow_gets_a_picture_that_fits (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
  run_for (&rig, 2000000, WEIR_SECONDS (3));
  g_assert_cmpint (height (&rig), ==, 720);
  rig.floor_ubits = 4000000;
  frame (&rig, 2000000);
  frame (&rig, 2000000);
  g_assert_cmpint (height (&rig), ==, 90); /* 1.7 Mbit/s */
  g_assert_cmpint (rig.law.reason, ==, GST_WEIR_SCALE_CANNOT_FOLLOW);
  run_for (&rig, 2000000, WEIR_SECONDS (59));
  g_assert_cmpuint (rig.n_changes, ==, 1);
}

static void
what_it_makes_too_much_is_bounded (void)
{
  static const gint64 floors[] = { 40000, 60000, 100000, 300000, 1000000, 4000000 };
  for (gint preference = 0; preference < 2; preference++) {
    for (guint i = 0; i < G_N_ELEMENTS (floors); i++) {
      for (gint64 target_bps = 100000; target_bps <= 2000000; target_bps += 100000) {
        Rig rig;
        start (&rig, (GstWeirDegradation) preference, floors[i]);
        run_for (&rig, target_bps, WEIR_SECONDS (10));
        gint64 before_bits = rig.excess_bits;
        run_for (&rig, target_bps, WEIR_SECONDS (290));
        /* One part in five is an encoder that keeps to its target; the smallest picture is all
         * that can be done. */
        gint64 share = (rig.excess_bits - before_bits) / (target_bps * 290 / 1000);
        gboolean smallest = rig.law.step == rig.law.n - 1;
        g_assert_true (smallest || share < 210);
      }
    }
  }
}

/* After 60, 120, 240 s ... */
static void
a_larger_step_is_tried_ever_more_rarely (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 4000000);
  run_for (&rig, 2000000, WEIR_SECONDS (20));
  guint settled = rig.n_changes;
  run_for (&rig, 2000000, WEIR_SECONDS (1000));
  g_assert_cmpuint (rig.n_changes - settled, >=, 2 * 4);
  g_assert_cmpuint (rig.n_changes - settled, <=, 2 * 6);
  gint64 before_bits = rig.excess_bits;
  run_for (&rig, 2000000, WEIR_SECONDS (1000));
  g_assert_cmpint (rig.excess_bits - before_bits, <, 2000000 * 1000 / 200);
}

/* Twice the target fills half a second's bucket in 20 frames, which count from the first on. */
static void
a_trial_that_fails_is_over_in_20_frames (void)
{
  Rig rig;
  guint n_frames = 0;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 4000000);
  run_for (&rig, 2000000, WEIR_SECONDS (20));
  g_assert_cmpint (height (&rig), ==, 90);
  for (guint i = 0; i < 60 * 30; i++) {
    frame (&rig, 2000000);
    n_frames += height (&rig) > 90 ? 1 : 0;
  }
  g_assert_cmpuint (n_frames, >, 0);
  g_assert_cmpuint (n_frames, <=, 22);
}

static void
after_an_easier_scene_the_full_picture_comes_back (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 4000000);
  run_for (&rig, 2000000, WEIR_SECONDS (10));
  rig.floor_ubits = 0;
  run_for (&rig, 2000000, WEIR_SECONDS (75));
  g_assert_cmpint (height (&rig), ==, 720);
}

/* As after a seek: what was measured is not of the future. */
static void
a_clock_that_goes_back_keeps_nothing_small_for_longer (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 4000000);
  rig.now_ns += WEIR_SECONDS (3600);
  run_for (&rig, 2000000, WEIR_SECONDS (10));
  g_assert_cmpint (height (&rig), ==, 90);
  rig.floor_ubits = 0;
  rig.now_ns -= WEIR_SECONDS (3600);
  run_for (&rig, 2000000, WEIR_SECONDS (75));
  g_assert_cmpint (height (&rig), ==, 720);
}

static void
a_target_above_what_was_measured_is_believed_at_once (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
  run_for (&rig, 2000000, WEIR_SECONDS (1));
  rig.floor_ubits = 100000; /* 2.8 Mbit/s at 720p */
  run_for (&rig, 2000000, WEIR_SECONDS (5));
  g_assert_cmpint (height (&rig), ==, 540);
  run_for (&rig, 4000000, WEIR_SECONDS (4));
  g_assert_cmpint (height (&rig), ==, 720);
}

/* From a sixteenth of the width and height to all of it, although it could not follow there. */
static void
when_the_capacity_returns_so_does_the_picture (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 4000000); /* 110 Mbit/s at 720p */
  run_for (&rig, 600000, WEIR_SECONDS (20));
  g_assert_cmpint (height (&rig), ==, 46);
  run_for (&rig, 200000000, WEIR_MS (3500));
  g_assert_cmpint (height (&rig), ==, 720);
  run_for (&rig, 200000000, WEIR_SECONDS (60));
  g_assert_cmpint (height (&rig), ==, 720);
}

/* What an encoder made before it heard of a lower target is no sign that it cannot follow. */
static void
an_encoder_that_follows_late_follows (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
  run_for (&rig, 4000000, WEIR_SECONDS (2));
  for (guint i = 0; i < 15; i++) {
    frame (&rig, 1000000);
    rig.media_bytes += 3000000 / 30 / 8;
  }
  run_for (&rig, 1000000, WEIR_SECONDS (20));
  g_assert_cmpuint (rig.n_changes, ==, 0);
}

/* A key frame of ten frames' bits each two seconds. */
static void
key_frames_are_no_excess (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
  for (guint i = 0; i < 900; i++) {
    frame (&rig, 2000000);
    rig.media_bytes += i % 60 == 0 ? 9 * 2000000 / 30 / 8 : 0;
    rig.media_bytes -= i % 60 != 0 ? 9 * 2000000 / 30 / 8 / 60 : 0;
  }
  g_assert_cmpuint (rig.n_changes, ==, 0);
}

static void
a_step_that_is_refused_is_passed_over (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_MAINTAIN_FRAMERATE, 0);
  run_for (&rig, 4000000, WEIR_SECONDS (1));
  while (rig.law.step == 0) {
    frame (&rig, 600000);
  }
  gst_weir_scale_law_refuse (&rig.law, 0);
  g_assert_cmpuint (rig.law.step, ==, 0);
  run_for (&rig, 600000, WEIR_SECONDS (2));
  g_assert_cmpint (height (&rig), ==, 360);
  run_for (&rig, 4000000, WEIR_SECONDS (4));
  g_assert_cmpint (height (&rig), ==, 720);
}

static void
where_every_step_is_refused_the_source_stays (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_BALANCED, 4000000);
  gst_weir_scale_law_begin (&rig.law, 4000000);
  for (guint i = 0; i < 3000; i++) {
    frame (&rig, 600000);
    if (rig.law.step != 0) {
      gst_weir_scale_law_refuse (&rig.law, 0);
    }
  }
  g_assert_cmpuint (rig.law.step, ==, 0);
  g_assert_cmpuint (rig.n_changes, ==, rig.law.n - 1);
}

/* A clock that goes back, a pause, a counter that begins anew: none is taken for excess. */
static void
a_gap_or_another_run_changes_nothing (void)
{
  Rig rig;
  start (&rig, GST_WEIR_DEGRADATION_BALANCED, 0);
  run_for (&rig, 4000000, WEIR_SECONDS (5));
  frame (&rig, 100000);
  rig.now_ns += WEIR_SECONDS (3600);
  frame (&rig, 100000);
  rig.media_bytes += 1000000000;
  run_for (&rig, 4000000, WEIR_SECONDS (5));
  rig.now_ns -= WEIR_SECONDS (1800);
  run_for (&rig, 4000000, WEIR_SECONDS (5));
  rig.media_bytes = 0;
  run_for (&rig, 4000000, WEIR_SECONDS (5));
  g_assert_cmpuint (rig.n_changes, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(function) g_test_add_func ("/weirscale_law/" #function, function)
  TEST (it_begins_with_what_the_target_carries);
  TEST (it_shrinks_a_second_after_the_target_fell);
  TEST (a_deep_fall_is_one_change);
  TEST (a_short_fall_changes_nothing);
  TEST (it_grows_when_the_target_has_carried_the_larger_step_for_three_seconds);
  TEST (a_target_that_swings_by_20_percent_does_not_flap);
  TEST (an_encoder_that_cannot_follow_gets_a_picture_that_fits);
  TEST (what_it_makes_too_much_is_bounded);
  TEST (a_larger_step_is_tried_ever_more_rarely);
  TEST (a_trial_that_fails_is_over_in_20_frames);
  TEST (after_an_easier_scene_the_full_picture_comes_back);
  TEST (a_clock_that_goes_back_keeps_nothing_small_for_longer);
  TEST (a_target_above_what_was_measured_is_believed_at_once);
  TEST (when_the_capacity_returns_so_does_the_picture);
  TEST (an_encoder_that_follows_late_follows);
  TEST (key_frames_are_no_excess);
  TEST (a_step_that_is_refused_is_passed_over);
  TEST (where_every_step_is_refused_the_source_stays);
  TEST (a_gap_or_another_run_changes_nothing);
  return g_test_run ();
}
