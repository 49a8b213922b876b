/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The worker: who sets properties and when, what it does with encoders that cannot change or that
 * vanish, and what it says. Times are made up (plan_locked takes them) or read from what the worker
 * wrote down itself; an encoder that waits inside shows what the worker does meanwhile. */
#include "encoder/encoder_harness.h"
#include "encoder/encoder_property.h"
#include "weir/units.h"

#define UP_NS WEIR_MS (33) /* of what is not costly */

static void
hold (GstElement *element)
{
  g_atomic_int_set (&FAKE_ENCODER (element)->hold, 1);
}

static void
let_go (GstElement *element)
{
  g_atomic_int_set (&FAKE_ENCODER (element)->hold, 0);
}

static gboolean
is_inside (GstElement *element)
{
  return g_atomic_int_get (&FAKE_ENCODER (element)->inside) == 1;
}

/* Has the worker set it to bps, and stay in there. */
static void
hold_at (GstWeirEncoders *set, GstElement *element, gint64 bps)
{
  hold (element);
  target (set, bps);
  WAIT_UNTIL (is_inside (element));
}

static GstWeirEncoder *
driven (GstWeirEncoders *set, guint i)
{
  return g_ptr_array_index (set->encoders, i);
}

static gint64
last_set_ns (GstWeirEncoders *set)
{
  g_mutex_lock (&set->lock);
  gint64 set_ns = driven (set, 0)->set_ns;
  g_mutex_unlock (&set->lock);
  return set_ns;
}

static gpointer
lower_target (gpointer set)
{
  for (gint64 bps = 900000; bps >= 100000; bps -= 100000) {
    target (set, bps);
    gst_weir_encoders_observe (set, 1000, now_ns ());
    settle (set);
  }
  return NULL;
}

static void
a_running_encoder_is_only_set_on_the_workers_thread (void)
{
  Log log;
  GThread *callers[3];
  GstWeirEncoders *set = new_set (&log);
  target (set, 1000000); /* adding does not set it either */
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  lower_target (set);
  g_assert_cmpuint (fake_encoder_n_sets (element), >=, 9);
  for (guint i = 0; i < G_N_ELEMENTS (callers); i++) {
    callers[i] = g_thread_new ("caller", lower_target, set);
  }
  for (guint i = 0; i < G_N_ELEMENTS (callers); i++) {
    g_thread_join (callers[i]);
  }
  for (guint i = 0; i < fake_encoder_n_sets (element); i++) {
    g_assert_true (FAKE_ENCODER (element)->sets[i].thread == set->worker.thread);
  }
  free_set (set, &log);
  drop (element);
}

/* If one waited for the encoder, it would wait until the test fails. */
static void
no_caller_waits_for_an_encoder (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  GstElement *other = fake_encoder_new (PLAIN);
  hold_at (set, element, 2000000);
  for (guint i = 0; i < 1000; i++) {
    target (set, 1900000 - (gint64) i * 1000);
    gst_weir_encoders_observe (set, 1000, now_ns ());
    g_assert_true (gst_weir_encoders_add (set, other, 1, 0, 0, NULL));
    g_assert_cmpuint (gst_weir_encoders_count (set), ==, 2);
    gst_structure_free (gst_weir_encoders_get_stats (set));
    g_assert_true (gst_weir_encoders_remove (set, other));
  }
  g_assert_true (is_inside (element));
  let_go (element);
  settle (set);
  g_assert_cmpuint (fake_encoder_last (element).value, ==, 901000);
  g_assert_cmpuint (fake_encoder_n_sets (element), ==, 2); /* the newest only */
  free_set (set, &log);
  drop (other);
  drop (element);
}

/* The wait is counted from when the last change was decided, and nobody needs to wake it. */
static void
increases_wait_for_a_frame_and_take_the_newest_value (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  hold_at (set, element, 1000000);
  gint64 first_ns = last_set_ns (set);
  for (gint64 bps = 1500000; bps <= 4000000; bps += 10000) {
    target (set, bps);
  }
  let_go (element);
  assert_becomes (element, 4000000);
  g_assert_cmpuint (fake_encoder_n_sets (element), ==, 2);
  g_assert_cmpint (last_set_ns (set) - first_ns, >=, UP_NS);
  free_set (set, &log);
  drop (element);
}

/* Each is made in the round that learns of it. Were they to wait as increases do, most would not
 * have been made then. */
static void
decreases_are_made_at_once (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  for (guint bps = 5000000; bps > 200000; bps -= bps / 10) {
    target (set, bps);
    settle (set);
    g_assert_cmpuint (fake_encoder_last (element).value, ==, bps);
  }
  free_set (set, &log);
  drop (element);
}

static void
steps_under_half_a_percent_are_ignored (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  target (set, 1000000);
  settle (set);
  for (gint64 bps = 995001; bps < 1005000; bps += 1000) {
    target (set, bps);
    settle (set);
  }
  g_assert_cmpuint (fake_encoder_n_sets (element), ==, 1);
  target (set, 995000);
  settle (set);
  g_assert_cmpuint (fake_encoder_last (element).value, ==, 995000);
  free_set (set, &log);
  drop (element);
}

/* Made-up time. */
static gint64
plan (GstWeirEncoders *set, gint64 target_bps, gint64 at_ns, gint64 *bps)
{
  *bps = -1;
  g_mutex_lock (&set->lock);
  set->target_bps = target_bps;
  gint64 due_ns = gst_weir_encoders_plan_locked (set, driven (set, 0), at_ns, bps);
  g_mutex_unlock (&set->lock);
  return due_ns;
}

static void
a_decrease_overtakes_an_increase_that_waits (void)
{
  Log log;
  gint64 bps, start_ns = WEIR_SECONDS (100);
  GstWeirEncoders *set = idle_set (&log);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  plan (set, 1000000, start_ns, &bps);
  g_assert_cmpint (bps, ==, 1000000);
  g_assert_cmpint (plan (set, 4000000, start_ns + 1, &bps), ==, start_ns + UP_NS);
  g_assert_cmpint (bps, ==, -1);
  plan (set, 500000, start_ns + 2, &bps);
  g_assert_cmpint (bps, ==, 500000);
  g_assert_cmpint (plan (set, 501000, start_ns + 3, &bps), ==, WEIR_NEVER_NS);
  g_assert_cmpint (plan (set, 4000000, start_ns + 4, &bps), ==, start_ns + 2 + UP_NS);
  plan (set, 3000000, start_ns + 2 + UP_NS, &bps);
  g_assert_cmpint (bps, ==, 3000000);
  free_set (set, &log);
  drop (element);
}

/* A target that moves every 5 ms, for a minute: each change keeps its distance and its least size,
 * is the newest number, and none is left out that could be made. */
static void
assert_paced (const gchar *factory, gint64 unit_bps, gint64 up_ns, gint64 down_ns, gint64 permille,
              guint32 seed)
{
  Log log;
  GRand *random = g_rand_new_with_seed (seed);
  GstWeirEncoders *set = idle_set (&log);
  GstElement *element = add_running (set, factory, 1, 0, 0);
  gint64 held_bps = 0, held_ns = 0, target_bps = 2000000;
  guint n = 0;
  g_test_message ("%s, seed %u", factory, seed);
  for (gint64 at_ns = WEIR_SECONDS (1); at_ns < WEIR_SECONDS (61); at_ns += WEIR_MS (5)) {
    gint64 bps;
    target_bps += g_rand_int_range (random, -60000, 60000);
    target_bps = CLAMP (target_bps, 1000000, 8000000); /* what all fakes can hold */
    gint64 wanted_bps = target_bps / unit_bps * unit_bps;
    gint64 step_bps = ABS (wanted_bps - held_bps);
    gint64 wait_ns = wanted_bps < held_bps ? down_ns : up_ns;
    gboolean due
        = held_bps == 0 || (step_bps * 1000 >= held_bps * permille && at_ns - held_ns >= wait_ns);
    plan (set, target_bps, at_ns, &bps);
    g_assert_cmpint (bps, ==, due ? wanted_bps : -1);
    held_bps = due ? wanted_bps : held_bps;
    held_ns = due ? at_ns : held_ns;
    n += due ? 1 : 0;
  }
  g_assert_cmpuint (driven (set, 0)->n_changes, ==, n);
  g_assert_cmpuint (n, >=, 10);
  g_rand_free (random);
  free_set (set, &log);
  drop (element);
}

static void
changes_keep_their_distance_and_least_size (void)
{
  for (guint32 seed = 1; seed <= 5; seed++) {
    assert_paced (PLAIN, 1, UP_NS, 0, 5, seed);
  }
}

static void
costly_changes_come_once_a_second_and_from_ten_percent (void)
{
  for (guint32 seed = 1; seed <= 5; seed++) {
    assert_paced (COSTLY, 1000, WEIR_SECONDS (1), WEIR_SECONDS (1), 100, seed);
  }
}

/* In the real thread, and in whole kbit/s. */
static void
a_costly_decrease_waits_too (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *element = add_running (set, COSTLY, 1, 0, 0);
  hold_at (set, element, 2050999);
  target (set, 1200000);
  let_go (element);
  gint64 first_ns = last_set_ns (set);
  settle (set);
  /* Its turn comes after a second; a machine that has let one pass meanwhile shows the end only. */
  guint value = fake_encoder_last (element).value;
  g_assert_true (value == 2050 || now_ns () - first_ns >= WEIR_SECONDS (1));
  free_set (set, &log);
  drop (element);
}

static void
nothing_is_planned_without_a_target_or_for_a_stranger (void)
{
  Log log;
  gint64 bps = -1;
  GstWeirEncoders *set = idle_set (&log);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  g_assert_cmpint (plan (set, -1, WEIR_SECONDS (1), &bps), ==, WEIR_NEVER_NS);
  GstWeirEncoder *stranger = gst_weir_encoder_new (element, &driven (set, 0)->info);
  g_mutex_lock (&set->lock);
  set->target_bps = 1000000;
  g_assert_cmpint (gst_weir_encoders_plan_locked (set, stranger, WEIR_SECONDS (1), &bps), ==,
                   WEIR_NEVER_NS);
  g_mutex_unlock (&set->lock);
  g_assert_cmpint (bps, ==, -1);
  gst_weir_encoder_unref (stranger);
  free_set (set, &log);
  drop (element);
}

/* What each gets of a target; the second one cannot change from 300000. */
static void
shares_are_kept_within_what_each_can_hold (void)
{
  static const struct
  {
    gint64 target_bps, first_bps;
  } cases[] = {
    { 0, 1000 },          { 1000, 1000 },       { 300000, 1000 },
    { 300999, 1000 },     { 301500, 1500 },     { 1300000, 1000000 },
    { 2300000, 2000000 }, { 9000000, 2000000 }, { G_MAXINT64, 2000000 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Log log;
    gint64 bps;
    GstWeirEncoders *set = idle_set (&log);
    GstElement *first = add_running (set, PLAIN, 1, 0, 2000000);
    GstElement *second = add_running (set, PLAIN, 1, 0, 0);
    driven (set, 1)->fixed = TRUE;
    driven (set, 1)->set_bps = 300000;
    plan (set, cases[i].target_bps, WEIR_SECONDS (1), &bps);
    g_assert_cmpint (bps, ==, cases[i].first_bps);
    free_set (set, &log);
    drop (first);
    drop (second);
  }
}

static void
one_that_cannot_change_is_reported_and_taken_off_the_budget (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *fixed = add_running (set, FIXED, 1, 0, 0);
  GstElement *other = add_running (set, PLAIN, 1, 0, 0);
  target (set, 1000000);
  assert_becomes (other, 800000); /* the fixed one stays at its 200000 */
  assert_warned (&log, "cannot change its bitrate while playing", 1);
  target (set, 500000);
  settle (set);
  g_assert_cmpuint (fake_encoder_last (other).value, ==, 300000);
  g_assert_cmpuint (fake_encoder_n_sets (fixed), ==, 0);
  assert_warned (&log, "cannot change", 1);
  free_set (set, &log);
  drop (fixed);
  drop (other);
}

static void
it_says_once_what_would_make_a_fixed_one_change (void)
{
  static const struct
  {
    GstWeirLive live;
    const gchar *needs, *remedy, *says;
  } cases[] = {
    { GST_WEIR_LIVE_YES, "bitrate", "buy another",
      "bit/s (its bitrate): set its bitrate before it" },
    { GST_WEIR_LIVE_NO, "bitrate", "buy another",
      "stays at 200000 bit/s (its bitrate): buy another" },
    { GST_WEIR_LIVE_NO, NULL, NULL, "(its bitrate): use another encoder" },
    { GST_WEIR_LIVE_YES, NULL, "buy another", NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Log log;
    const GstWeirEncoderInfo info = { .property = "bitrate",
                                      .unit_bps = 1,
                                      .live = cases[i].live,
                                      .live_needs = cases[i].needs,
                                      .remedy = cases[i].remedy };
    GstWeirEncoders *set = idle_set (&log);
    GstElement *element = fake_encoder_new (PLAIN);
    GstWeirEncoder *encoder = gst_weir_encoder_new (element, &info);
    gst_weir_encoders_check_fixed (set, encoder);
    g_assert_false (encoder->fixed); /* before it starts it can */
    fake_encoder_run (element);
    gst_weir_encoders_check_fixed (set, encoder);
    gst_weir_encoders_check_fixed (set, encoder);
    g_assert_cmpint (encoder->fixed, ==, cases[i].says != NULL);
    g_assert_cmpuint (set->warnings.length, ==, cases[i].says != NULL ? 1 : 0);
    if (cases[i].says != NULL) {
      g_assert_nonnull (strstr (g_queue_peek_head (&set->warnings), cases[i].says));
      g_assert_nonnull (strstr (g_queue_peek_head (&set->warnings), GST_OBJECT_NAME (element)));
      g_assert_cmpint (encoder->set_bps, ==, 200000);
    }
    gst_weir_encoder_unref (encoder);
    free_set (set, &log);
    drop (element);
  }
}

static void
encoders_that_vanish_give_their_share_back (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *bin = gst_object_ref_sink (gst_bin_new (NULL));
  GstElement *freed = add_running (set, PLAIN, 1, 0, 0);
  GstElement *stays = add_running (set, PLAIN, 1, 0, 0);
  GstElement *removed = fake_encoder_new (PLAIN);
  gst_bin_add (GST_BIN (bin), removed);
  g_assert_true (gst_weir_encoders_add (set, removed, 1, 0, 0, NULL));
  target (set, 900000);
  assert_becomes (stays, 300000);
  drop (freed);
  target (set, 910000);
  assert_becomes (stays, 455000);
  gst_bin_remove (GST_BIN (bin), removed);
  target (set, 920000);
  assert_becomes (stays, 920000);
  g_assert_cmpuint (gst_weir_encoders_count (set), ==, 1);
  free_set (set, &log);
  drop (stays);
  gst_object_unref (removed);
  gst_object_unref (bin);
}

/* The worker's own reference keeps it until the set is made; then it goes, and out of the set. */
static void
an_encoder_may_be_freed_while_it_is_set (void)
{
  for (guint take_out = 0; take_out <= 1; take_out++) {
    Log log;
    GWeakRef weak;
    GstWeirEncoders *set = new_set (&log);
    GstElement *element = add_running (set, PLAIN, 1, 0, 0);
    GstElement *other = add_running (set, PLAIN, 1, 0, 0);
    hold_at (set, element, 1000000);
    g_weak_ref_init (&weak, element);
    if (take_out) {
      g_assert_true (gst_weir_encoders_remove (set, element));
    }
    drop (element); /* the worker is in there */
    element = g_weak_ref_get (&weak);
    g_assert_nonnull (element);
    g_assert_true (is_inside (element));
    let_go (element);
    gst_object_unref (element);
    settle (set);
    settle (set); /* the first round may have begun while it was still there */
    g_assert_null (g_weak_ref_get (&weak));
    g_assert_cmpuint (gst_weir_encoders_count (set), ==, 1);
    g_weak_ref_clear (&weak);
    target (set, 400000);
    settle (set);
    g_assert_cmpuint (fake_encoder_last (other).value, ==, 400000); /* all of it */
    free_set (set, &log);
    drop (other);
  }
}

static gpointer
stop (gpointer set)
{
  gst_weir_encoders_stop (set);
  return NULL;
}

static gboolean
is_stopping (GstWeirEncoders *set)
{
  g_mutex_lock (&set->lock);
  gboolean stopping = !set->running;
  g_mutex_unlock (&set->lock);
  return stopping;
}

/* Nothing is set after stop () has returned. */
static void
stop_waits_for_an_encoder_that_is_being_set (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  hold_at (set, element, 1000000);
  GThread *stopper = g_thread_new ("stop", stop, set);
  WAIT_UNTIL (is_stopping (set));
  target (set, 500000);
  let_go (element);
  g_thread_join (stopper);
  g_assert_false (is_inside (element));
  g_assert_cmpuint (fake_encoder_n_sets (element), ==, 1);
  g_assert_null (set->worker.thread);
  free_set (set, &log);
  drop (element);
}

/* Feeds rate_bps for seconds of made-up time from *clock_ns on, a packet every 10 ms. */
static void
feed (GstWeirEncoders *set, gint64 *clock_ns, gint64 rate_bps, guint seconds)
{
  for (guint i = 0; i < seconds * 100; i++) {
    *clock_ns += WEIR_MS (10);
    gst_weir_encoders_observe (set, (guint64) rate_bps / 800, *clock_ns);
  }
}

static void
not_following_is_reported_once_per_episode (void)
{
  Log log;
  gint64 clock_ns = 1;
  GstWeirEncoders *set = new_set (&log);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  gst_weir_encoders_observe (set, 1000, clock_ns); /* no target yet: ignored */
  gst_weir_encoders_set_target (set, 500000, clock_ns);
  assert_becomes (element, 500000);
  feed (set, &clock_ns, 625000, 10); /* 1.25 is tolerated */
  settle (set);
  g_assert_cmpuint (n_warnings (&log, ""), ==, 0);
  feed (set, &clock_ns, 1000000, 10);
  settle (set);
  g_assert_cmpuint (n_warnings (&log, "for a target of 500000: "), ==, 1);
  g_assert_cmpuint (n_warnings (&log, "(its bitrate: 500000 bit/s) does not follow: it may"), ==,
                    1);
  g_assert_true (log.thread == set->worker.thread);
  feed (set, &clock_ns, 500000, 5);
  feed (set, &clock_ns, 900000, 5);
  settle (set);
  g_assert_cmpuint (n_warnings (&log, "does not follow"), ==, 2);
  free_set (set, &log);
  drop (element);
}

/* Media that keeps to a target that falls, rises and falls, with the second it takes to encode. */
static void
a_moving_target_is_not_reported (void)
{
  Log log;
  gint64 clock_ns = 1;
  GstWeirEncoders *set = new_set (&log);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  gint64 before_bps = 1000000;
  for (guint i = 0; i < 40; i++) {
    gint64 target_bps = 200000 + i * 7 % 10 * 200000;
    gst_weir_encoders_set_target (set, target_bps, clock_ns);
    feed (set, &clock_ns, before_bps, 1);
    feed (set, &clock_ns, target_bps, i % 3);
    before_bps = target_bps;
  }
  settle (set);
  g_assert_cmpuint (n_warnings (&log, ""), ==, 0);
  free_set (set, &log);
  drop (element);
}

static void
it_names_those_that_do_not_follow (void)
{
  Log log;
  gint64 clock_ns = 1;
  GstWeirEncoders *set = new_set (&log);
  gst_weir_encoders_set_target (set, 1000000, clock_ns);
  feed (set, &clock_ns, 2000000, 5);
  assert_warned (&log, "no encoder is driven", 1);
  feed (set, &clock_ns, 1000000, 5);
  GstElement *plain = add_running (set, PLAIN, 1, 0, 0);
  GstElement *other = add_running (set, PLAIN, 1, 0, 0);
  settle (set);
  feed (set, &clock_ns, 2000000, 5);
  assert_warned (&log, "(its bitrate: 500000 bit/s) does not follow: lower the frame rate", 1);
  feed (set, &clock_ns, 1000000, 5);
  GstElement *fixed = add_running (set, FIXED, 1, 0, 0);
  feed (set, &clock_ns, 2000000, 5);
  assert_warned (&log, "(its bitrate: 200000 bit/s) does not follow: it cannot change", 1);
  free_set (set, &log);
  drop (plain);
  drop (other);
  drop (fixed);
}

/* A lock held would not let it return. */
static void
call_back (gpointer user, const gchar *text)
{
  GstWeirEncoders **set = user;
  target (*set, 1000000 + (gint64) strlen (text));
  gst_weir_encoders_observe (*set, 1, now_ns ());
  gst_structure_free (gst_weir_encoders_get_stats (*set));
  g_atomic_pointer_set (set, NULL);
}

static void
the_callback_may_call_back (void)
{
  GstWeirEncoders *seen = NULL;
  GstWeirEncoders *set = seen = gst_weir_encoders_new (call_back, &seen);
  gst_weir_encoders_start (set);
  g_mutex_lock (&set->lock);
  gst_weir_encoders_warn_locked (set, g_strdup ("1234567"));
  g_mutex_unlock (&set->lock);
  WAIT_UNTIL (g_atomic_pointer_get (&seen) == NULL);
  gst_weir_encoders_stop (set);
  g_assert_cmpint (set->target_bps, ==, 1000007);
  gst_weir_encoders_free (set);
}

static void
warn_40_times (GstWeirEncoders *set)
{
  g_mutex_lock (&set->lock);
  for (guint i = 1; i <= 40; i++) {
    gst_weir_encoders_warn_locked (set, g_strdup_printf ("number %02u", i));
  }
  g_mutex_unlock (&set->lock);
}

static void
of_warnings_nobody_fetches_the_newest_32_are_kept_until_stop (void)
{
  Log log;
  GstWeirEncoders *set = idle_set (&log);
  warn_40_times (set);
  gst_weir_encoders_start (set);
  WAIT_UNTIL (n_warnings (&log, "number") == 32); /* settle () would add one to a full queue */
  g_assert_cmpuint (n_warnings (&log, "number 08"), ==, 0);
  g_assert_cmpuint (n_warnings (&log, "number 09"), ==, 1);
  g_assert_cmpstr (g_ptr_array_index (log.texts, 31), ==, "number 40");
  gst_weir_encoders_stop (set);
  warn_40_times (set);
  gst_weir_encoders_stop (set);
  gst_weir_encoders_start (set);
  settle (set);
  g_assert_cmpuint (n_warnings (&log, "number"), ==, 32);
  free_set (set, &log);
}

static gboolean
has_worker (GstWeirEncoders *set)
{
  g_mutex_lock (&set->lock);
  gboolean has = set->worker.thread != NULL;
  g_mutex_unlock (&set->lock);
  return has;
}

/* A thousand elements that drive nothing would have a thousand threads. */
static void
no_worker_runs_before_there_is_something_to_do (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *element = fake_encoder_new (PLAIN);
  target (set, 1000000);
  gst_weir_encoders_observe (set, 1000, now_ns ());
  g_assert_false (gst_weir_encoders_remove (set, element));
  g_assert_false (has_worker (set));
  g_assert_true (gst_weir_encoders_add (set, element, 1, 0, 0, NULL));
  g_assert_true (has_worker (set));
  gst_weir_encoders_stop (set);
  g_assert_false (has_worker (set));
  target (set, 500000);
  g_assert_false (has_worker (set)); /* not while it is stopped */
  gst_weir_encoders_start (set);
  g_assert_true (has_worker (set)); /* what was added by hand is still there */
  free_set (set, &log);
  set = new_set (&log);
  warn_40_times (set);
  g_assert_true (has_worker (set));
  free_set (set, &log);
  drop (element);
}

static guint
n_threads (void)
{
  guint n = 0;
  GDir *dir = g_dir_open ("/proc/self/task", 0, NULL);
  while (dir != NULL && g_dir_read_name (dir) != NULL) {
    n++;
  }
  g_clear_pointer (&dir, g_dir_close);
  return n;
}

/* A thread that was joined may be listed for a moment. */
static void
no_thread_or_reference_is_left_after_100_starts (void)
{
  Log log;
  GstElement *element = fake_encoder_new (PLAIN);
  guint before = n_threads ();
  for (guint i = 0; i < 50; i++) {
    GstWeirEncoders *set = new_set (&log);
    g_assert_true (gst_weir_encoders_add (set, element, 1, 0, 0, NULL));
    target (set, 100000 + i * 10000);
    gst_weir_encoders_stop (set);
    gst_weir_encoders_stop (set);
    gst_weir_encoders_start (set);
    target (set, 300000);
    free_set (set, &log);
  }
  gst_weir_encoders_free (NULL);
  WAIT_UNTIL (n_threads () <= before);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (element), ==, 1);
  gst_object_unref (element);
}

#define ADD(name) g_test_add_func ("/encoder_worker/" #name, name)

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  ADD (a_running_encoder_is_only_set_on_the_workers_thread);
  ADD (no_worker_runs_before_there_is_something_to_do);
  ADD (no_caller_waits_for_an_encoder);
  ADD (increases_wait_for_a_frame_and_take_the_newest_value);
  ADD (decreases_are_made_at_once);
  ADD (steps_under_half_a_percent_are_ignored);
  ADD (a_decrease_overtakes_an_increase_that_waits);
  ADD (changes_keep_their_distance_and_least_size);
  ADD (costly_changes_come_once_a_second_and_from_ten_percent);
  ADD (a_costly_decrease_waits_too);
  ADD (nothing_is_planned_without_a_target_or_for_a_stranger);
  ADD (shares_are_kept_within_what_each_can_hold);
  ADD (one_that_cannot_change_is_reported_and_taken_off_the_budget);
  ADD (it_says_once_what_would_make_a_fixed_one_change);
  ADD (encoders_that_vanish_give_their_share_back);
  ADD (an_encoder_may_be_freed_while_it_is_set);
  ADD (stop_waits_for_an_encoder_that_is_being_set);
  ADD (not_following_is_reported_once_per_episode);
  ADD (a_moving_target_is_not_reported);
  ADD (it_names_those_that_do_not_follow);
  ADD (the_callback_may_call_back);
  ADD (of_warnings_nobody_fetches_the_newest_32_are_kept_until_stop);
  ADD (no_thread_or_reference_is_left_after_100_starts);
  return g_test_run ();
}
