/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When media is said not to follow its target. All in made-up time. */
#include "encoder/encoder_follow.h"

#include "weir/units.h"

#define PACKET_NS WEIR_MS (10)
#define BUCKET_NS WEIR_MS (250)
#define WINDOW_NS (14 * BUCKET_NS)
#define TARGET_BPS 800000

typedef struct
{
  GstWeirFollow follow;
  gint64 now_ns;
  guint n_begun;
} Detector;

/* One packet of what rate_bps makes of 10 ms. */
static void
packet (Detector *detector, gint64 rate_bps, gint64 target_bps)
{
  guint64 bytes = (guint64) rate_bps / 800;
  detector->n_begun
      += gst_weir_follow_observe (&detector->follow, bytes, target_bps, detector->now_ns) ? 1 : 0;
  detector->now_ns += PACKET_NS;
}

static void
feed_for (Detector *detector, gint64 rate_bps, gint64 target_bps, gint64 duration_ns)
{
  for (gint64 end_ns = detector->now_ns + duration_ns; detector->now_ns < end_ns;) {
    packet (detector, rate_bps, target_bps);
  }
}

/* Of a constant rate: reported above 130 %, and a reported one is over at 110 %. */
static void
an_episode_begins_above_130_percent_and_ends_at_110 (void)
{
  for (gint64 percent = 0; percent <= 300; percent++) {
    Detector fresh = { .now_ns = 5 }, reported = { .now_ns = 5 };
    feed_for (&fresh, TARGET_BPS / 100 * percent, TARGET_BPS, WEIR_SECONDS (8));
    g_assert_cmpuint (fresh.n_begun, ==, percent > 130 ? 1 : 0);
    g_assert_cmpint (fresh.follow.reported, ==, percent > 130);
    g_assert_cmpint (fresh.follow.measured_bps, ==, TARGET_BPS / 100 * percent);
    g_assert_cmpint (fresh.follow.limit_bps, ==, TARGET_BPS);

    feed_for (&reported, 2 * TARGET_BPS, TARGET_BPS, WEIR_SECONDS (8));
    g_assert_cmpuint (reported.n_begun, ==, 1);
    feed_for (&reported, TARGET_BPS / 100 * percent, TARGET_BPS, WEIR_SECONDS (8));
    g_assert_cmpint (reported.follow.reported, ==, percent > 110);
    g_assert_cmpuint (reported.n_begun, ==, 1);
  }
}

static void
nothing_is_judged_before_the_window_is_full (void)
{
  Detector detector = { .now_ns = 12345 };
  feed_for (&detector, 100 * TARGET_BPS, TARGET_BPS, WINDOW_NS);
  g_assert_cmpuint (detector.n_begun, ==, 0);
  g_assert_cmpint (detector.follow.measured_bps, ==, 0);
  packet (&detector, 100 * TARGET_BPS, TARGET_BPS);
  g_assert_cmpuint (detector.n_begun, ==, 1);
}

/* The measured 2 s and 1.5 s to settle: the old target counts for that long, and no longer. */
static void
a_decrease_is_due_after_3500_ms (void)
{
  Detector detector = { .now_ns = 0 };
  feed_for (&detector, TARGET_BPS, TARGET_BPS, WEIR_SECONDS (5));
  feed_for (&detector, TARGET_BPS, TARGET_BPS / 2, WINDOW_NS);
  g_assert_cmpuint (detector.n_begun, ==, 0);
  g_assert_cmpint (detector.follow.limit_bps, ==, TARGET_BPS);
  packet (&detector, TARGET_BPS, TARGET_BPS / 2);
  g_assert_cmpuint (detector.n_begun, ==, 1);
  g_assert_cmpint (detector.follow.limit_bps, ==, TARGET_BPS / 2);
}

/* A packet every 10 ms, for a minute; what was in force up to 1.5 s ago is encoded 1.25 times. */
static void
assert_never_reported (const gint64 *target_bps, guint n, guint lag)
{
  Detector detector = { .now_ns = 77 };
  for (guint i = 0; i < n; i++) {
    packet (&detector, target_bps[i >= lag ? i - lag : 0] * 5 / 4, target_bps[i]);
  }
  g_assert_cmpuint (detector.n_begun, ==, 0);
  g_assert_cmpint (detector.follow.measured_bps, >, 0);
}

static void
a_target_that_moves_is_no_reason_to_complain (void)
{
  enum
  {
    N = 6000
  };
  gint64 target_bps[N];
  for (guint32 seed = 0; seed < 60; seed++) {
    GRand *random = g_rand_new_with_seed (seed);
    guint hold = 1 + seed * seed % 400, lag = seed * 151 % 151;
    for (guint i = 0; i < N; i++) {
      target_bps[i] = i > 0 && i % hold != 0
                          ? target_bps[i - 1]
                          : g_rand_int_range (random, 10000, 5000000) / 800 * 800;
    }
    g_test_message ("seed %u: a new target every %u ms, followed after %u ms", seed, hold * 10,
                    lag * 10);
    assert_never_reported (target_bps, N, lag);
    g_rand_free (random);
  }
  for (guint period = 2; period <= 1000; period += 37) { /* a saw-tooth of 1 to 2 Mbit/s */
    for (guint i = 0; i < N; i++) {
      target_bps[i] = 1000000 + i % period * 1000000 / period;
    }
    assert_never_reported (target_bps, N, 150);
  }
}

/* Between packets as well: set_target () observes no bytes with the higher of both targets. */
static void
the_highest_target_of_a_bucket_counts (void)
{
  Detector detector = { .now_ns = 0 };
  for (guint i = 0; i < 2000; i++) {
    if (i % 25 == 10) {
      gst_weir_follow_observe (&detector.follow, 0, 2 * TARGET_BPS, detector.now_ns);
    }
    packet (&detector, 2 * TARGET_BPS, TARGET_BPS);
  }
  g_assert_cmpuint (detector.n_begun, ==, 0);
  g_assert_cmpint (detector.follow.limit_bps, ==, 2 * TARGET_BPS);
}

static void
each_episode_is_told_once (void)
{
  Detector detector = { .now_ns = 1 };
  for (guint episode = 1; episode <= 10; episode++) {
    feed_for (&detector, 2 * TARGET_BPS, TARGET_BPS, WEIR_SECONDS (10));
    feed_for (&detector, TARGET_BPS * 12 / 10, TARGET_BPS, WEIR_SECONDS (10)); /* not over yet */
    feed_for (&detector, 2 * TARGET_BPS, TARGET_BPS, WEIR_SECONDS (10));
    g_assert_cmpuint (detector.n_begun, ==, episode);
    feed_for (&detector, TARGET_BPS, TARGET_BPS, WEIR_SECONDS (10));
    g_assert_false (detector.follow.reported);
  }
}

static void
a_pause_ends_an_episode_and_begins_none (void)
{
  Detector detector = { .now_ns = 1 };
  feed_for (&detector, 2 * TARGET_BPS, TARGET_BPS, WEIR_SECONDS (5));
  g_assert_true (detector.follow.reported);
  feed_for (&detector, 0, TARGET_BPS, WEIR_SECONDS (5));
  g_assert_false (detector.follow.reported);
  g_assert_cmpint (detector.follow.measured_bps, ==, 0);
  g_assert_cmpuint (detector.n_begun, ==, 1);
}

/* What came before is of no use then; a new window is filled first. */
static void
a_gap_or_a_clock_that_jumps_back_starts_afresh (void)
{
  static const gint64 jumps_ns[]
      = { WINDOW_NS + BUCKET_NS + 1, WEIR_SECONDS (3600), -WEIR_SECONDS (1), -WEIR_SECONDS (3600) };
  for (gsize i = 0; i < G_N_ELEMENTS (jumps_ns); i++) {
    for (guint was_reported = 0; was_reported <= 1; was_reported++) {
      Detector detector = { .now_ns = WEIR_SECONDS (10000) };
      feed_for (&detector, (1 + was_reported) * TARGET_BPS, TARGET_BPS, WEIR_SECONDS (5));
      detector.now_ns += jumps_ns[i];
      feed_for (&detector, 3 * TARGET_BPS, TARGET_BPS, WINDOW_NS);
      g_assert_cmpuint (detector.n_begun, ==, was_reported);
      g_assert_cmpint (detector.follow.measured_bps, ==, 0);
      g_assert_cmpint (detector.follow.reported, ==, was_reported); /* goes on over the gap */
      packet (&detector, 3 * TARGET_BPS, TARGET_BPS);
      g_assert_cmpuint (detector.n_begun, ==, 1);
    }
  }
}

static void
a_gap_within_the_window_counts_as_silence (void)
{
  Detector detector = { .now_ns = 0 };
  feed_for (&detector, TARGET_BPS, TARGET_BPS, WEIR_SECONDS (5));
  detector.now_ns += WEIR_SECONDS (1);
  packet (&detector, TARGET_BPS, TARGET_BPS);
  g_assert_cmpint (detector.follow.measured_bps, ==, TARGET_BPS / 2);
}

/* A target of 0 makes any media too much; counts near the ends of their types do no harm. */
static void
extreme_numbers_are_borne (void)
{
  Detector detector = { .now_ns = 1 };
  feed_for (&detector, 800, 0, WEIR_SECONDS (5));
  g_assert_cmpuint (detector.n_begun, ==, 1);
  for (guint i = 0; i < 1000; i++, detector.now_ns += PACKET_NS) {
    gst_weir_follow_observe (&detector.follow, G_MAXUINT64 / 3, i % 2 == 0 ? G_MAXINT64 : 0,
                             detector.now_ns);
  }
  g_assert_cmpint (detector.follow.measured_bps, >=, 0);
  detector.now_ns = G_MAXINT64 - WEIR_SECONDS (20);
  feed_for (&detector, TARGET_BPS, TARGET_BPS, WEIR_SECONDS (5));
  g_assert_cmpint (detector.follow.measured_bps, ==, TARGET_BPS);
}

#define ADD(name) g_test_add_func ("/encoder_follow/" #name, name)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD (an_episode_begins_above_130_percent_and_ends_at_110);
  ADD (nothing_is_judged_before_the_window_is_full);
  ADD (a_decrease_is_due_after_3500_ms);
  ADD (a_target_that_moves_is_no_reason_to_complain);
  ADD (the_highest_target_of_a_bucket_counts);
  ADD (each_episode_is_told_once);
  ADD (a_pause_ends_an_episode_and_begins_none);
  ADD (a_gap_or_a_clock_that_jumps_back_starts_afresh);
  ADD (a_gap_within_the_window_counts_as_silence);
  ADD (extreme_numbers_are_borne);
  return g_test_run ();
}
