/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The set of encoders: who is in it, with which numbers, and what it tells of them, with encoders
 * that only write down what is done to them. */
#include "encoder/encoder.h"

#include "encoder/encoder_harness.h"
#include <math.h>

static gboolean
exchange (GstWeirEncoders *set, GstElement *encoder, GstWeirRate *rate)
{
  const GstWeirRatePicture picture = { 640, 360, 30, 1, "low-bitrate", encoder };
  return gst_weir_encoders_exchange (set, &picture, rate);
}

/* Not before there is a target, nor where it cannot be followed. */
static void
what_an_encoder_may_make_is_told_with_what_it_made (void)
{
  Log log;
  GstWeirRate rate = { 0 };
  GstWeirEncoders *set = new_set (&log);
  g_assert_false (exchange (set, NULL, &rate));
  target (set, 700000);
  gst_weir_encoders_observe (set, 1000, now_ns ());
  gst_weir_encoders_observe (set, 500, now_ns ());
  g_assert_true (exchange (set, NULL, &rate)); /* the application may drive one */
  g_assert_cmpint (rate.target_bps, ==, 700000);
  g_assert_cmpuint (rate.media_bytes, ==, 1500);
  GstElement *fixed = add_running (set, FIXED, 1, 0, 0);
  WAIT_UNTIL (!exchange (set, fixed, &rate));
  g_assert_true (gst_weir_encoders_remove (set, fixed));
  GstElement *one = add_running (set, PLAIN, 1, 0, 0);
  g_assert_true (exchange (set, NULL, &rate));
  GstElement *two = add_running (set, PLAIN, 1, 0, 0);
  assert_becomes (one, 350000);
  g_assert_false (exchange (set, NULL, &rate)); /* whose share? */
  g_assert_false (exchange (set, fixed, &rate));
  gst_weir_encoders_observe_from (set, one, 300);
  gst_weir_encoders_observe_from (set, two, 200);
  g_assert_true (exchange (set, one, &rate));
  g_assert_cmpint (rate.target_bps, ==, 350000);
  g_assert_cmpuint (rate.media_bytes, ==, 300);
  free_set (set, &log);
  drop (fixed);
  drop (one);
  drop (two);
}

/* As much as the last frame that was made, alone and beside another; nothing while the picture is
 * another. */
static void
a_skipped_frame_counts_as_the_one_before (void)
{
  for (guint n = 1; n <= 2; n++) {
    Log log;
    GstWeirRate rate = { 0 };
    GstWeirEncoders *set = new_set (&log);
    target (set, 700000);
    GstElement *one = add_running (set, PLAIN, 1, 0, 0);
    GstElement *two = n == 2 ? add_running (set, PLAIN, 1, 0, 0) : NULL;
    g_assert_true (exchange (set, one, &rate));
    gst_weir_encoders_on_frame (set, one, TRUE); /* nothing is known of its frames */
    for (guint i = 0; i < 3; i++) {
      gst_weir_encoders_on_frame (set, one, FALSE);
      if (n == 1) {
        gst_weir_encoders_observe (set, 1000, now_ns ());
      }
      gst_weir_encoders_observe_from (set, one, 1000);
      gst_weir_encoders_on_frame (set, one, TRUE);
      gst_weir_encoders_on_frame (set, one, TRUE);
    }
    g_assert_true (exchange (set, one, &rate));
    g_assert_cmpuint (rate.media_bytes, ==, 9000);
    gst_weir_encoders_on_frame (set, one, TRUE);
    g_assert_true (exchange (set, one, &rate));
    g_assert_cmpuint (rate.media_bytes, ==, 10000);
    const GstWeirRatePicture smaller = { 320, 180, 30, 1, "low-bitrate", one };
    g_assert_true (gst_weir_encoders_exchange (set, &smaller, &rate));
    gst_weir_encoders_on_frame (set, one, TRUE);
    g_assert_true (gst_weir_encoders_exchange (set, &smaller, &rate));
    g_assert_cmpuint (rate.media_bytes, ==, 10000);
    free_set (set, &log);
    drop (one);
    if (two != NULL) {
      drop (two);
    }
  }
}

/* As long as it takes, one of them makes media. */
#define WAIT_WHILE_IT_SENDS(set, element, condition)                                               \
  WAIT_UNTIL ((gst_weir_encoders_observe_from (set, element, 250), condition))

static void
what_an_idle_encoder_does_not_use_is_lent (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *sends = add_running (set, PLAIN, 1, 0, 0);
  g_assert_cmpuint (gst_weir_encoders_count (set), ==, 1);
  GstElement *idle = add_running (set, PLAIN, 1, 0, 0);
  g_assert_cmpuint (gst_weir_encoders_count (set), ==, 2);
  target (set, 2000000);
  assert_becomes (sends, 1000000);
  WAIT_WHILE_IT_SENDS (set, sends, fake_encoder_last (sends).value == 2000000);
  g_assert_cmpuint (fake_encoder_last (idle).value, ==, 1000000); /* what it can take back */
  gst_weir_encoders_observe_from (set, idle, 1000);
  assert_becomes (sends, 1000000);
  free_set (set, &log);
  drop (sends);
  drop (idle);
}

static void
nothing_is_lent_while_media_come_from_nobody_knows_where (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *sends = add_running (set, PLAIN, 1, 0, 0);
  GstElement *other = add_running (set, PLAIN, 1, 0, 0);
  target (set, 2000000);
  gst_weir_encoders_observe_from (set, NULL, 1000);
  gint64 end_us = g_get_monotonic_time () + 700000; /* longer than it takes to count as idle */
  WAIT_WHILE_IT_SENDS (set, sends, g_get_monotonic_time () > end_us);
  target (set, 1900000);
  settle (set);
  g_assert_cmpuint (fake_encoder_last (sends).value, ==, 950000);
  g_assert_cmpuint (fake_encoder_last (other).value, ==, 950000);
  free_set (set, &log);
  drop (sends);
  drop (other);
}

static void
the_budget_is_split_by_weight_within_limits (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
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
  free_set (set, &log);
  drop (video);
  drop (other);
  drop (audio);
}

static void
before_it_starts_even_that_one_is_set (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GstElement *element = fake_encoder_new (FIXED);
  target (set, 640000);
  g_assert_true (gst_weir_encoders_add (set, element, 1, 0, 0, NULL));
  g_assert_cmpuint (fake_encoder_last (element).value, ==, 640000);
  fake_encoder_run (element);
  target (set, 300000);
  assert_warned (&log, "stays at 640000 bit/s", 1);
  g_assert_cmpuint (fake_encoder_last (element).value, ==, 640000);
  free_set (set, &log);
  drop (element);
}

static void
a_target_set_before_start_is_applied (void)
{
  Log log;
  GstWeirEncoders *set = idle_set (&log);
  target (set, 700000);
  GstElement *element = add_running (set, PLAIN, 1, 0, 0);
  g_assert_cmpuint (fake_encoder_n_sets (element), ==, 0);
  gst_weir_encoders_start (set);
  gst_weir_encoders_start (set); /* a second time does nothing */
  assert_becomes (element, 700000);
  free_set (set, &log);
  drop (element);
}

static void
wrong_additions_are_refused (void)
{
  Log log;
  static const struct
  {
    gdouble weight;
    guint64 min, max;
    const gchar *says;
  } cases[] = {
    { 0, 0, 0, "weight" },   { -1, 0, 0, "weight" },       { 1001, 0, 0, "weight" },
    { NAN, 0, 0, "weight" }, { 1, 2000, 1000, "minimum" },
  };
  GstWeirEncoders *set = new_set (&log);
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
  free_set (set, &log);
  gst_object_unref (element);
  gst_object_unref (identity);
}

static void
the_number_of_encoders_is_bounded (void)
{
  Log log;
  GError *error = NULL;
  GstWeirEncoders *set = new_set (&log);
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
  free_set (set, &log);
  for (gsize i = 0; i < G_N_ELEMENTS (elements); i++) {
    gst_object_unref (elements[i]);
  }
}

static void
discovery_finds_drops_and_spares_those_added_by_hand (void)
{
  Log log;
  gchar *looked_at = NULL;
  GstWeirEncoders *set = new_set (&log);
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
  assert_warned (&log, "weirfakeenc is not known; taking its bitrate to be in bit/s", 1);
  g_assert_true (gst_weir_encoders_add (set, by_hand, 1, 0, 0, NULL));
  g_assert_cmpuint (gst_weir_encoders_discover (set, sinkpad, NULL), ==, 2);
  gst_element_unlink (encoder, queue);
  g_assert_cmpuint (gst_weir_encoders_discover (set, sinkpad, NULL), ==, 1);
  assert_becomes (by_hand, 400000);
  gst_element_link (encoder, queue);
  g_assert_cmpuint (gst_weir_encoders_discover (set, sinkpad, NULL), ==, 2);
  gst_weir_encoders_stop (set);
  g_assert_cmpuint (gst_weir_encoders_count (set), ==, 1); /* by hand: for the next start */
  free_set (set, &log);
  gst_object_unref (sinkpad);
  gst_object_unref (by_hand);
  gst_object_unref (encoder);
  gst_object_unref (pipeline);
}

static void
stats_tell_what_is_set (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
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
  free_set (set, &log);
  drop (element);
}

typedef struct
{
  GstWeirEncoders *set;
  GstElement *element;
} Hammer;

static gpointer
hammer (gpointer data)
{
  Hammer *h = data;
  for (guint i = 0; i < 300; i++) {
    target (h->set, 100000 + i * 7919 % 900000);
    gst_weir_encoders_observe (h->set, 1200, now_ns ());
    if (i % 50 == 0) {
      gst_weir_encoders_remove (h->set, h->element);
      gst_structure_free (gst_weir_encoders_get_stats (h->set));
      gst_weir_encoders_add (h->set, h->element, 1, 0, 0, NULL);
    }
  }
  return NULL;
}

static void
all_calls_may_come_from_any_thread (void)
{
  Log log;
  GstWeirEncoders *set = new_set (&log);
  GThread *threads[4];
  Hammer hammers[4];
  for (guint i = 0; i < 4; i++) {
    hammers[i] = (Hammer){ set, fake_encoder_new (PLAIN) };
    fake_encoder_run (hammers[i].element);
    threads[i] = g_thread_new ("hammer", hammer, &hammers[i]);
  }
  for (guint i = 0; i < 4; i++) {
    g_thread_join (threads[i]);
  }
  settle (set);
  g_assert_cmpuint (gst_weir_encoders_count (set), ==, 4);
  free_set (set, &log);
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
  ADD (the_budget_is_split_by_weight_within_limits);
  ADD (what_an_idle_encoder_does_not_use_is_lent);
  ADD (nothing_is_lent_while_media_come_from_nobody_knows_where);
  ADD (before_it_starts_even_that_one_is_set);
  ADD (a_target_set_before_start_is_applied);
  ADD (wrong_additions_are_refused);
  ADD (the_number_of_encoders_is_bounded);
  ADD (discovery_finds_drops_and_spares_those_added_by_hand);
  ADD (stats_tell_what_is_set);
  ADD (what_an_encoder_may_make_is_told_with_what_it_made);
  ADD (a_skipped_frame_counts_as_the_one_before);
  ADD (all_calls_may_come_from_any_thread);
  return g_test_run ();
}
