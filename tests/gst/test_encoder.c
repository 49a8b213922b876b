/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the encoder driver promises, with encoders that only write down what is done to them. The
 * driver's worker lives on the monotonic clock, so a few tests wait for real; bounds above are
 * generous, bounds below are exact. */
#include "encoder.h"

#include "encoder_follow.h"
#include "fake_encoder.h"
#include <math.h>
#include <string.h>

#define PLAIN "weirfakeenc"
#define COSTLY "nvh264enc" /* a row whose changes make key frames */
#define FIXED "avenc_weirfake"

/* Long enough for a worker on a busy machine, in steps of a millisecond. */
#define SOON_MS 3000

typedef struct
{
  GMutex lock;
  GPtrArray *texts;
  GThread *thread;
  GstElement *element; /* of the last, to compare only */
} Log;

static Log warnings;

static void
on_warning (gpointer user, GstElement *encoder, const gchar *text)
{
  Log *log = user;
  g_mutex_lock (&log->lock);
  g_ptr_array_add (log->texts, g_strdup (text));
  log->thread = g_thread_self ();
  log->element = encoder;
  g_mutex_unlock (&log->lock);
  g_test_message ("warning: %s", text);
}

static guint
n_warnings (const gchar *about)
{
  guint n = 0;
  g_mutex_lock (&warnings.lock);
  for (guint i = 0; i < warnings.texts->len; i++) {
    n += strstr (g_ptr_array_index (warnings.texts, i), about) != NULL ? 1 : 0;
  }
  g_mutex_unlock (&warnings.lock);
  return n;
}

static GstWeirEncoders *
new_set (void)
{
  GstWeirEncoders *set = gst_weir_encoders_new ();
  g_mutex_lock (&warnings.lock);
  g_ptr_array_set_size (warnings.texts, 0);
  g_mutex_unlock (&warnings.lock);
  gst_weir_encoders_set_callbacks (set, on_warning, &warnings);
  gst_weir_encoders_start (set);
  return set;
}

static gint64
now_ns (void)
{
  return g_get_monotonic_time () * 1000;
}

static void
target (GstWeirEncoders *set, gint64 bps)
{
  gst_weir_encoders_set_target (set, bps, now_ns ());
}

/* Waits until the encoder is set to value. */
static void
assert_becomes (GstElement *element, guint value)
{
  for (guint ms = 0; ms < SOON_MS && fake_encoder_last (element).value != value; ms++) {
    g_usleep (1000);
  }
  g_assert_cmpuint (fake_encoder_last (element).value, ==, value);
}

static void
assert_warned (const gchar *about, guint times)
{
  for (guint ms = 0; ms < SOON_MS && n_warnings (about) < times; ms++) {
    g_usleep (1000);
  }
  g_assert_cmpuint (n_warnings (about), ==, times);
}

static void
assert_count_becomes (GstWeirEncoders *set, guint n)
{
  for (guint ms = 0; ms < SOON_MS && gst_weir_encoders_count (set) != n; ms++) {
    g_usleep (1000);
  }
  g_assert_cmpuint (gst_weir_encoders_count (set), ==, n);
}

/* A running fake that is driven alone. */
static GstElement *
add_running (GstWeirEncoders *set, const gchar *factory, gdouble weight, guint64 min, guint64 max)
{
  GError *error = NULL;
  GstElement *element = fake_encoder_new (factory);
  fake_encoder_run (element);
  g_assert_true (gst_weir_encoders_add (set, element, weight, min, max, &error));
  g_assert_no_error (error);
  return element;
}

static void
drop (GstElement *element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

static void
properties_are_never_set_on_the_calling_thread (void)
{
  GstWeirEncoders *set = new_set ();
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  for (guint bps = 900000; bps >= 100000; bps -= 100000) {
    target (set, bps);
    assert_becomes (element, bps);
  }
  for (guint i = 0; i < fake_encoder_n_sets (element); i++) {
    g_assert_true (FAKE_ENCODER (element)->sets[i].thread != g_thread_self ());
    g_assert_true (FAKE_ENCODER (element)->sets[i].thread
                   == FAKE_ENCODER (element)->sets[0].thread);
  }
  gst_weir_encoders_free (set);
  drop (element);
}

static void
a_slow_encoder_does_not_hold_the_caller_up (void)
{
  GstWeirEncoders *set = new_set ();
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  FAKE_ENCODER (element)->slow_us = 100000;
  target (set, 2000000);
  g_usleep (20000); /* the worker is inside the encoder now */
  gint64 start_us = g_get_monotonic_time ();
  for (guint i = 0; i < 1000; i++) {
    target (set, 1900000 - (gint64) i * 1000);
    gst_weir_encoders_observe (set, 1000, now_ns ());
    gst_weir_encoders_count (set);
  }
  g_assert_cmpint (g_get_monotonic_time () - start_us, <, 60000);
  assert_becomes (element, 901000);
  g_assert_cmpuint (fake_encoder_n_sets (element), <=, 3); /* first, (one between,) newest */
  gst_weir_encoders_free (set);
  drop (element);
}

static void
decreases_are_made_at_once (void)
{
  GstWeirEncoders *set = new_set ();
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  gint64 worst_us = 0;
  for (guint bps = 5000000; bps > 200000; bps -= bps / 10) {
    gint64 start_us = g_get_monotonic_time ();
    target (set, bps);
    assert_becomes (element, bps);
    worst_us = MAX (worst_us, fake_encoder_last (element).time_us - start_us);
  }
  g_test_message ("worst %" G_GINT64_FORMAT " us", worst_us);
  g_assert_cmpint (worst_us, <, 200000); /* an increase would have to wait for 300 ms */
  gst_weir_encoders_free (set);
  drop (element);
}

/* Moves the target every 5 ms for duration_ms: upwards when rising, else up and down. */
static void
move_target (GstWeirEncoders *set, guint duration_ms, gboolean rising)
{
  for (guint ms = 0; ms < duration_ms; ms += 5) {
    target (set, rising ? 1000000 + ms * 1000 : ms % 10 == 0 ? 1000000 : 2000000);
    g_usleep (5000);
  }
}

static void
increases_wait_300_ms_and_take_the_newest_value (void)
{
  GstWeirEncoders *set = new_set ();
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  move_target (set, 1000, TRUE);
  target (set, 4000000);
  assert_becomes (element, 4000000);
  const FakeEncoder *fake = FAKE_ENCODER (element);
  g_assert_cmpuint (fake->n_sets, >=, 4);
  for (guint i = 1; i < fake->n_sets; i++) {
    g_assert_cmpuint (fake->sets[i].value, >, fake->sets[i - 1].value);
    /* A set is written down a little after its turn; the next is counted from its turn. */
    g_assert_cmpint (fake->sets[i].time_us - fake->sets[i - 1].time_us, >, 250000);
  }
  gst_weir_encoders_free (set);
  drop (element);
}

static void
steps_under_two_percent_are_ignored (void)
{
  GstWeirEncoders *set = new_set ();
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  target (set, 1000000);
  assert_becomes (element, 1000000);
  for (gint64 bps = 980001; bps < 1020000; bps += 1000) {
    target (set, bps);
  }
  g_usleep (400000);
  g_assert_cmpuint (fake_encoder_n_sets (element), ==, 1);
  target (set, 979000);
  assert_becomes (element, 979000);
  gst_weir_encoders_free (set);
  drop (element);
}

static void
costly_changes_come_once_a_second_and_from_ten_percent (void)
{
  GstWeirEncoders *set = new_set ();
  GstElement *element = add_running (set, COSTLY, 1, 0, 0);
  target (set, 1050000);
  assert_becomes (element, 1050); /* this row is in kbit/s */
  target (set, 950000);           /* 9.5 % */
  g_usleep (50000);
  g_assert_cmpuint (fake_encoder_n_sets (element), ==, 1);
  move_target (set, 1300, FALSE);
  const FakeEncoder *fake = FAKE_ENCODER (element);
  g_assert_cmpuint (fake->n_sets, >=, 2);
  for (guint i = 1; i < fake->n_sets; i++) {
    g_assert_cmpint (fake->sets[i].time_us - fake->sets[i - 1].time_us, >, 900000);
  }
  gst_weir_encoders_free (set);
  drop (element);
}

static void
the_budget_is_split_by_weight_within_limits (void)
{
  GstWeirEncoders *set = new_set ();
  GstElement *video = add_running (set, PLAIN, 3, 0, 0);
  GstElement *other = add_running (set, PLAIN, 1, 0, 0);
  GstElement *audio = add_running (set, PLAIN, 1, 32000, 64000);
  target (set, 4064000);
  assert_becomes (video, 3000000);
  assert_becomes (other, 1000000);
  assert_becomes (audio, 64000);
  target (set, 72000);
  assert_becomes (video, 30000);
  assert_becomes (other, 10000);
  assert_becomes (audio, 32000);
  g_assert_true (gst_weir_encoders_remove (set, video));
  g_assert_false (gst_weir_encoders_remove (set, video));
  assert_becomes (other, 36000);
  g_assert_cmpuint (fake_encoder_last (video).value, ==, 30000);
  g_assert_true (gst_weir_encoders_add (set, other, 1, 0, 30000, NULL)); /* again: new limits */
  g_assert_cmpuint (gst_weir_encoders_count (set), ==, 2);
  assert_becomes (other, 30000);
  assert_becomes (audio, 42000);
  gst_weir_encoders_free (set);
  drop (video);
  drop (other);
  drop (audio);
}

static void
one_that_cannot_change_is_reported_and_taken_off_the_budget (void)
{
  GstWeirEncoders *set = new_set ();
  GstElement *fixed = add_running (set, FIXED, 1, 0, 0);
  GstElement *other = add_running (set, PLAIN, 1, 0, 0);
  target (set, 1000000);
  assert_becomes (other, 800000); /* the fixed one stays at its 200000 */
  assert_warned ("cannot change its bitrate while playing", 1);
  g_assert_true (warnings.element == fixed);
  target (set, 500000);
  assert_becomes (other, 300000);
  g_assert_cmpuint (fake_encoder_n_sets (fixed), ==, 0);
  assert_warned ("cannot change", 1);
  gst_weir_encoders_free (set);
  drop (fixed);
  drop (other);
}

static void
before_it_starts_even_that_one_is_set (void)
{
  GstWeirEncoders *set = new_set ();
  GstElement *element = fake_encoder_new (FIXED);
  target (set, 640000);
  g_assert_true (gst_weir_encoders_add (set, element, 1, 0, 0, NULL));
  g_assert_cmpuint (fake_encoder_last (element).value, ==, 640000);
  fake_encoder_run (element);
  target (set, 300000);
  assert_warned ("stays at 640000 bit/s", 1);
  g_assert_cmpuint (fake_encoder_last (element).value, ==, 640000);
  gst_weir_encoders_free (set);
  drop (element);
}

static void
a_target_set_before_start_is_applied (void)
{
  GstWeirEncoders *set = gst_weir_encoders_new ();
  target (set, 700000);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  g_usleep (20000);
  g_assert_cmpuint (fake_encoder_n_sets (element), ==, 0);
  gst_weir_encoders_start (set);
  gst_weir_encoders_start (set); /* a second time does nothing */
  assert_becomes (element, 700000);
  gst_weir_encoders_free (set);
  drop (element);
}

static void
wrong_additions_are_refused (void)
{
  static const struct
  {
    gdouble weight;
    guint64 min, max;
    const gchar *says;
  } cases[] = {
    { 0, 0, 0, "weight" },   { -1, 0, 0, "weight" },       { 1001, 0, 0, "weight" },
    { NAN, 0, 0, "weight" }, { 1, 2000, 1000, "minimum" },
  };
  GstWeirEncoders *set = new_set ();
  GstElement *element = fake_encoder_new (PLAIN);
  GstElement *identity = gst_object_ref_sink (gst_element_factory_make ("identity", NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;
    g_assert_false (
        gst_weir_encoders_add (set, element, cases[i].weight, cases[i].min, cases[i].max, &error));
    g_assert_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
    g_assert_nonnull (strstr (error->message, cases[i].says));
    g_clear_error (&error);
  }
  g_assert_false (gst_weir_encoders_add (set, identity, 1, 0, 0, NULL));
  g_assert_cmpuint (gst_weir_encoders_count (set), ==, 0);
  gst_weir_encoders_free (set);
  gst_object_unref (element);
  gst_object_unref (identity);
}

static void
the_number_of_encoders_is_bounded (void)
{
  GError *error = NULL;
  GstWeirEncoders *set = new_set ();
  GstElement *elements[GST_WEIR_ENCODERS_MAX + 1];
  for (gsize i = 0; i < G_N_ELEMENTS (elements); i++) {
    elements[i] = fake_encoder_new (PLAIN);
    g_assert_true (gst_weir_encoders_add (set, elements[i], 1, 0, 0, &error)
                   == (i < GST_WEIR_ENCODERS_MAX));
  }
  g_assert_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS);
  g_clear_error (&error);
  target (set, 64 * 50000);
  assert_becomes (elements[GST_WEIR_ENCODERS_MAX - 1], 50000);
  gst_weir_encoders_free (set);
  for (gsize i = 0; i < G_N_ELEMENTS (elements); i++) {
    gst_object_unref (elements[i]);
  }
}

static void
encoders_that_vanish_give_their_share_back (void)
{
  GstWeirEncoders *set = new_set ();
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
  assert_count_becomes (set, 1);
  gst_weir_encoders_free (set);
  drop (stays);
  gst_object_unref (removed);
  gst_object_unref (bin);
}

static void
discovery_finds_drops_and_spares_those_added_by_hand (void)
{
  gchar *looked_at = NULL;
  GstWeirEncoders *set = new_set ();
  GstElement *pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  GstElement *encoder = fake_encoder_new (PLAIN);
  GstElement *by_hand = fake_encoder_new (PLAIN);
  GstElement *queue = gst_element_factory_make ("queue", "between");
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *sinkpad = gst_element_get_static_pad (sink, "sink");
  gst_bin_add_many (GST_BIN (pipeline), encoder, queue, sink, NULL);
  gst_element_link_many (encoder, queue, sink, NULL);
  target (set, 400000);
  g_assert_cmpuint (gst_weir_encoders_discover (set, sinkpad, &looked_at), ==, 1);
  g_assert_cmpstr (looked_at, ==, "between");
  g_free (looked_at);
  /* Not running, so it was set here and now; an unknown kind, so its unit was guessed. */
  g_assert_cmpuint (fake_encoder_last (encoder).value, ==, 400000);
  assert_warned ("weirfakeenc is not known; taking its bitrate to be in bit/s", 1);
  g_assert_true (gst_weir_encoders_add (set, by_hand, 1, 0, 0, NULL));
  g_assert_cmpuint (gst_weir_encoders_discover (set, sinkpad, NULL), ==, 2);
  gst_element_unlink (encoder, queue);
  g_assert_cmpuint (gst_weir_encoders_discover (set, sinkpad, NULL), ==, 1);
  assert_becomes (by_hand, 400000);
  gst_element_link (encoder, queue);
  g_assert_cmpuint (gst_weir_encoders_discover (set, sinkpad, NULL), ==, 2);
  gst_weir_encoders_stop (set);
  g_assert_cmpuint (gst_weir_encoders_count (set), ==, 1); /* by hand: for the next start */
  gst_weir_encoders_free (set);
  gst_object_unref (sinkpad);
  gst_object_unref (by_hand);
  gst_object_unref (encoder);
  gst_object_unref (pipeline);
}

/* Feeds rate_bps for seconds of made-up time from *clock_ns on, a packet every 10 ms. */
static void
feed (GstWeirEncoders *set, gint64 *clock_ns, gint64 rate_bps, guint seconds)
{
  for (guint i = 0; i < seconds * 100; i++) {
    *clock_ns += 10000000;
    gst_weir_encoders_observe (set, (guint64) rate_bps / 800, *clock_ns);
  }
}

static void
not_following_is_reported_once_per_episode (void)
{
  gint64 clock_ns = 1;
  GstWeirEncoders *set = new_set ();
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  gst_weir_encoders_observe (set, 1000, clock_ns); /* no target yet: ignored */
  gst_weir_encoders_set_target (set, 1000000, clock_ns);
  assert_becomes (element, 1000000);
  feed (set, &clock_ns, 1250000, 10); /* 1.25 is tolerated */
  g_assert_cmpuint (n_warnings ("does not follow"), ==, 0);
  gst_weir_encoders_set_target (set, 500000, clock_ns);
  assert_becomes (element, 500000);
  feed (set, &clock_ns, 1000000, 3); /* it has 3.5 s to settle */
  g_assert_cmpuint (n_warnings ("does not follow"), ==, 0);
  feed (set, &clock_ns, 1000000, 10);
  assert_warned ("does not follow", 1);
  assert_warned ("(its bitrate: 500000 bit/s)", 1);
  g_assert_true (warnings.element == element);
  g_assert_true (warnings.thread != g_thread_self ());
  feed (set, &clock_ns, 500000, 5);
  feed (set, &clock_ns, 900000, 5);
  assert_warned ("does not follow", 2);
  gst_weir_encoders_free (set);
  drop (element);
}

static void
without_an_encoder_or_with_a_fixed_one_it_says_so (void)
{
  gint64 clock_ns = 1;
  GstWeirEncoders *set = new_set ();
  gst_weir_encoders_set_target (set, 1000000, clock_ns);
  feed (set, &clock_ns, 2000000, 5);
  assert_warned ("no encoder is driven", 1);
  feed (set, &clock_ns, 1000000, 5);
  GstElement *plain = add_running (set, PLAIN, 1, 0, 0);
  GstElement *fixed = add_running (set, FIXED, 1, 0, 0);
  feed (set, &clock_ns, 2000000, 5);
  assert_warned ("(its bitrate: 200000 bit/s) does not follow: it cannot change", 1);
  g_assert_true (warnings.element == fixed);
  gst_weir_encoders_free (set);
  drop (plain);
  drop (fixed);
}

/* The detector alone: rates in percent of a constant or moving target. */
static void
the_detector_allows_for_moving_targets_and_gaps (void)
{
  GstWeirFollow follow = { 0 };
  gint64 now = 5;
  guint begins = 0;
  for (guint i = 0; i < 2000; i++, now += 20000000) { /* a saw-tooth between 1 and 2 Mbit/s */
    gint64 bps = 1000000 + i % 100 * 10000;
    begins += gst_weir_follow_observe (&follow, (guint64) bps / 400, bps, now) ? 1 : 0;
  }
  g_assert_cmpuint (begins, ==, 0);
  g_assert_cmpint (follow.measured_bps, >, 1400000);
  g_assert_cmpint (follow.measured_bps, <, 1600000);
  now += G_GINT64_CONSTANT (3600000000000); /* an hour of nothing is not 0 bit/s nor a crash */
  g_assert_false (gst_weir_follow_observe (&follow, 100000000, 1000, now));
  g_assert_false (gst_weir_follow_observe (&follow, 1, 1000, now - 1000000000));
  for (guint i = 0; i < 1000; i++, now += 20000000) { /* target 0: any media is too much, once */
    begins += gst_weir_follow_observe (&follow, 1000, 0, now) ? 1 : 0;
  }
  g_assert_cmpuint (begins, ==, 1);
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

static void
no_thread_or_reference_is_left (void)
{
  GstElement *element = fake_encoder_new (PLAIN);
  guint before = n_threads ();
  for (guint i = 0; i < 50; i++) {
    GstWeirEncoders *set = new_set ();
    g_assert_true (gst_weir_encoders_add (set, element, 1, 0, 0, NULL));
    target (set, 100000 + i * 10000);
    gst_weir_encoders_stop (set);
    gst_weir_encoders_stop (set);
    gst_weir_encoders_start (set);
    target (set, 300000);
    gst_weir_encoders_free (set);
  }
  gst_weir_encoders_free (NULL);
  g_assert_cmpuint (n_threads (), ==, before);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (element), ==, 1);
  gst_object_unref (element);
}

static void
stats_tell_what_is_set (void)
{
  GstWeirEncoders *set = new_set ();
  GstElement *element = add_running (set, PLAIN, 2, 1000, 800000);
  gint64 bps = 0;
  gboolean following = FALSE;
  target (set, 1000000);
  assert_becomes (element, 800000);
  GstStructure *stats = gst_weir_encoders_get_stats (set);
  const GValue *list = gst_structure_get_value (stats, "encoders");
  g_assert_true (gst_structure_get_int64 (stats, "target-bitrate", &bps));
  g_assert_cmpint (bps, ==, 1000000);
  g_assert_true (gst_structure_get_boolean (stats, "following", &following));
  g_assert_true (following);
  g_assert_cmpuint (gst_value_array_get_size (list), ==, 1);
  const GstStructure *one = gst_value_get_structure (gst_value_array_get_value (list, 0));
  g_assert_true (gst_structure_get_int64 (one, "bitrate", &bps));
  g_assert_cmpint (bps, ==, 800000);
  g_assert_cmpstr (gst_structure_get_string (one, "name"), ==, GST_OBJECT_NAME (element));
  gst_structure_free (stats);
  gst_weir_encoders_free (set);
  drop (element);
}

typedef struct
{
  GstWeirEncoders *set;
  GstElement *element;
  gint stop;
} Hammer;

static gpointer
hammer (gpointer data)
{
  Hammer *h = data;
  for (guint i = 0; !g_atomic_int_get (&h->stop); i++) {
    target (h->set, 100000 + i * 7919 % 900000);
    gst_weir_encoders_observe (h->set, 1200, now_ns ());
    if (i % 50 == 0) {
      gst_weir_encoders_remove (h->set, h->element);
      gst_structure_free (gst_weir_encoders_get_stats (h->set));
      gst_weir_encoders_add (h->set, h->element, 1, 0, 0, NULL);
    }
    g_usleep (200);
  }
  return NULL;
}

static void
all_calls_may_come_from_any_thread (void)
{
  GstWeirEncoders *set = new_set ();
  GThread *threads[4];
  Hammer hammers[4];
  for (guint i = 0; i < 4; i++) {
    hammers[i] = (Hammer){ set, fake_encoder_new (PLAIN), 0 };
    fake_encoder_run (hammers[i].element);
    threads[i] = g_thread_new ("hammer", hammer, &hammers[i]);
  }
  g_usleep (400000);
  for (guint i = 0; i < 4; i++) {
    g_atomic_int_set (&hammers[i].stop, 1);
    g_thread_join (threads[i]);
  }
  g_assert_cmpuint (gst_weir_encoders_count (set), ==, 4);
  gst_weir_encoders_free (set);
  for (guint i = 0; i < 4; i++) {
    g_assert_cmpuint (fake_encoder_n_sets (hammers[i].element), >, 0);
    drop (hammers[i].element);
  }
}

#define ADD(name) g_test_add_func ("/encoder/" #name, name)

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  warnings.texts = g_ptr_array_new_with_free_func (g_free);
  ADD (properties_are_never_set_on_the_calling_thread);
  ADD (a_slow_encoder_does_not_hold_the_caller_up);
  ADD (decreases_are_made_at_once);
  ADD (increases_wait_300_ms_and_take_the_newest_value);
  ADD (steps_under_two_percent_are_ignored);
  ADD (costly_changes_come_once_a_second_and_from_ten_percent);
  ADD (the_budget_is_split_by_weight_within_limits);
  ADD (one_that_cannot_change_is_reported_and_taken_off_the_budget);
  ADD (before_it_starts_even_that_one_is_set);
  ADD (a_target_set_before_start_is_applied);
  ADD (wrong_additions_are_refused);
  ADD (the_number_of_encoders_is_bounded);
  ADD (encoders_that_vanish_give_their_share_back);
  ADD (discovery_finds_drops_and_spares_those_added_by_hand);
  ADD (not_following_is_reported_once_per_episode);
  ADD (without_an_encoder_or_with_a_fixed_one_it_says_so);
  ADD (the_detector_allows_for_moving_targets_and_gaps);
  ADD (no_thread_or_reference_is_left);
  ADD (stats_tell_what_is_set);
  ADD (all_calls_may_come_from_any_thread);
  int result = g_test_run ();
  g_ptr_array_unref (warnings.texts);
  return result;
}
