/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One driven encoder: it does not keep its element, knows when that has gone, and says which
 * bitrates it can have and when. */
#include "encoder/encoder_driven.h"

#include "encoder/encoder_property.h"
#include "encoder/fake_encoder.h"
#include "weir/units.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_encoder_debug);

static const GstWeirEncoderInfo plain
    = { .property = "bitrate", .unit_bps = 1, .up_ns = WEIR_MS (300), .step_ppm = 20000 };
static const GstWeirEncoderInfo costly = { .property = "bitrate",
                                           .unit_bps = 1,
                                           .up_ns = WEIR_SECONDS (1),
                                           .down_ns = WEIR_SECONDS (1),
                                           .step_ppm = 100000,
                                           .makes_key_frames = TRUE };

static GstElement *
make (const gchar *factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);
  return element != NULL ? gst_object_ref_sink (element) : NULL;
}

static void
it_knows_its_element_and_does_not_keep_it (void)
{
  GstElement *element = fake_encoder_new ("weirfakeenc");
  GstElement *other = fake_encoder_new ("weirfakeenc");
  GstWeirEncoder *encoder = gst_weir_encoder_new (element, &plain);
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (element), ==, 1);
  g_assert_cmpstr (encoder->name, ==, GST_OBJECT_NAME (element));
  g_assert_cmpint (encoder->low_bps, ==, 1000);
  g_assert_cmpint (encoder->high_bps, ==, 50000000);
  g_assert_cmpint (encoder->set_bps, ==, 0);
  g_assert_true (gst_weir_encoder_is (encoder, element));
  g_assert_false (gst_weir_encoder_is (encoder, other));
  GstElement *mine = gst_weir_encoder_get_element (encoder);
  g_assert_true (mine == element);
  gst_object_unref (mine);
  gst_object_unref (element);
  g_assert_null (gst_weir_encoder_get_element (encoder));
  encoder->identity = other; /* as if made where the freed one was */
  g_assert_false (gst_weir_encoder_is (encoder, other));
  gst_weir_encoder_unref (encoder);
  gst_object_unref (other);
}

static void
it_is_gone_when_freed_or_taken_out_of_its_bin (void)
{
  GstElement *bin = gst_object_ref_sink (gst_bin_new (NULL));
  GstElement *alone = fake_encoder_new ("weirfakeenc");
  GstElement *inside = fake_encoder_new ("weirfakeenc");
  gst_bin_add (GST_BIN (bin), inside);
  GstWeirEncoder *of_alone = gst_weir_encoder_new (alone, &plain);
  GstWeirEncoder *of_inside = gst_weir_encoder_new (inside, &plain);
  g_assert_false (gst_weir_encoder_is_gone (of_alone)); /* it never had a parent */
  g_assert_false (gst_weir_encoder_is_gone (of_inside));
  gst_bin_add (GST_BIN (bin), alone);
  g_assert_false (gst_weir_encoder_is_gone (of_alone));
  gst_bin_remove (GST_BIN (bin), alone);
  gst_bin_remove (GST_BIN (bin), inside);
  g_assert_false (gst_weir_encoder_is_gone (of_alone));
  g_assert_true (gst_weir_encoder_is_gone (of_inside));
  gst_object_unref (alone);
  g_assert_true (gst_weir_encoder_is_gone (of_alone));
  gst_weir_encoder_unref (of_alone);
  gst_weir_encoder_unref (of_inside);
  gst_object_unref (inside);
  gst_object_unref (bin);
}

static gpointer
ref_and_unref (gpointer encoder)
{
  for (guint i = 0; i < 10000; i++) {
    gst_weir_encoder_unref (gst_weir_encoder_ref (encoder));
  }
  gst_weir_encoder_unref (encoder);
  return NULL;
}

/* Freed exactly once, by whoever is last: a sanitizer says if not. */
static void
references_are_counted_across_threads (void)
{
  GThread *threads[4];
  GstElement *element = fake_encoder_new ("weirfakeenc");
  GstWeirEncoder *encoder = gst_weir_encoder_new (element, &plain);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++) {
    threads[i] = g_thread_new ("ref", ref_and_unref, gst_weir_encoder_ref (encoder));
  }
  gst_weir_encoder_unref (encoder);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++) {
    g_thread_join (threads[i]);
  }
  g_assert_cmpint (GST_OBJECT_REFCOUNT_VALUE (element), ==, 1);
  gst_object_unref (element);
}

static void
bitrates_are_rounded_down_to_what_the_property_holds (void)
{
  static const struct
  {
    const gchar *factory;
    gint64 wanted_bps, bps;
  } cases[] = {
    { "x264enc", 1234567, 1234000 },
    { "x264enc", 1, 10000 },
    { "x264enc", -5, 10000 },
    { "opusenc", 1000, 6000 },
    { "opusenc", 900000, 650000 },
    { "opusenc", 64001, 64001 },
    { "vp8enc", 0, 10000 },
    { "x264enc", G_MAXINT64, G_GINT64_CONSTANT (2048000000) },
    { "x265enc", 999999999, 102400000 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstWeirEncoderInfo info;
    gchar *note = NULL;
    GstElement *element = make (cases[i].factory);
    if (element != NULL) {
      g_assert_true (gst_weir_encoder_info_for (element, &info, &note));
      g_assert_null (note);
      GstWeirEncoder *encoder = gst_weir_encoder_new (element, &info);
      gint64 bps = gst_weir_encoder_quantise_bps (encoder, cases[i].wanted_bps);
      g_assert_cmpint (bps, ==, cases[i].bps);
      gst_weir_encoder_set_bps (element, &info, bps);
      g_assert_cmpint (gst_weir_encoder_get_bps (element, &info), ==, bps);
      gst_weir_encoder_unref (encoder);
      gst_object_unref (element);
    }
  }
}

/* In whole units, within the limits, never more than asked for but for the least, and never a unit
 * or more below; twice does not change it. */
static void
rounding_loses_less_than_a_unit (void)
{
  static const gint64 units_bps[] = { 1, 1000, 1024 };
  GstElement *element = fake_encoder_new ("weirfakeenc");
  for (gsize i = 0; i < G_N_ELEMENTS (units_bps); i++) {
    GstWeirEncoderInfo info = plain;
    info.unit_bps = units_bps[i];
    info.min_bps = 10000;
    GstWeirEncoder *encoder = gst_weir_encoder_new (element, &info);
    gint64 last_bps = 0;
    for (gint64 wanted_bps = 0; wanted_bps < 3000000; wanted_bps += 97) {
      gint64 bps = gst_weir_encoder_quantise_bps (encoder, wanted_bps);
      g_assert_cmpint (bps % units_bps[i], ==, 0);
      g_assert_cmpint (bps, >=, encoder->low_bps);
      g_assert_cmpint (bps, <=, MAX (wanted_bps, encoder->low_bps));
      g_assert_cmpint (wanted_bps - bps, <, units_bps[i]);
      g_assert_cmpint (bps, >=, last_bps);
      g_assert_cmpint (gst_weir_encoder_quantise_bps (encoder, bps), ==, bps);
      last_bps = bps;
    }
    g_assert_cmpint (gst_weir_encoder_quantise_bps (encoder, G_MAXINT64), ==, encoder->high_bps);
    gst_weir_encoder_unref (encoder);
  }
  gst_object_unref (element);
}

/* When a change is due, in ms after the last, which was at 1 s; -1: never. */
static void
changes_wait_for_their_turn (void)
{
  static const struct
  {
    gint64 set_bps, wanted_bps, due_ms;
    gboolean costly, fixed;
  } cases[] = {
    { 0, 500000, -1000, FALSE, FALSE }, /* the first: at once, whenever */
    { 0, 500000, -1000, TRUE, FALSE },    { 500000, 500000, -1, FALSE, FALSE },
    { 500000, 490001, -1, FALSE, FALSE }, { 500000, 490000, 0, FALSE, FALSE },
    { 500000, 509999, -1, FALSE, FALSE }, { 500000, 510000, 300, FALSE, FALSE },
    { 500000, 450001, -1, TRUE, FALSE },  { 500000, 450000, 1000, TRUE, FALSE },
    { 500000, 549999, -1, TRUE, FALSE },  { 500000, 550000, 1000, TRUE, FALSE },
    { 500000, 100000, -1, FALSE, TRUE },  { 0, 100000, -1, FALSE, TRUE },
    { 1, G_MAXINT64, 300, FALSE, FALSE }, { G_MAXINT64, 1, 0, FALSE, FALSE },
    { G_MAXINT64, 1, 1000, TRUE, FALSE },
  };
  GstElement *element = fake_encoder_new ("weirfakeenc");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstWeirEncoder *encoder = gst_weir_encoder_new (element, cases[i].costly ? &costly : &plain);
    encoder->set_bps = cases[i].set_bps;
    encoder->set_ns = WEIR_SECONDS (1);
    encoder->fixed = cases[i].fixed;
    gint64 due_ns = gst_weir_encoder_due_ns (encoder, cases[i].wanted_bps);
    g_assert_cmpint (due_ns, ==,
                     cases[i].due_ms == -1 ? WEIR_NEVER_NS
                                           : WEIR_SECONDS (1) + WEIR_MS (cases[i].due_ms));
    gst_weir_encoder_unref (encoder);
  }
  gst_object_unref (element);
}

/* Whatever it is set to: the least step is a share of that, the same in both directions, and a
 * decrease never waits longer than an increase. */
static void
the_least_step_is_a_share_of_the_bitrate (void)
{
  static const GstWeirEncoderInfo *const infos[] = { &plain, &costly };
  GstElement *element = fake_encoder_new ("weirfakeenc");
  for (gsize i = 0; i < G_N_ELEMENTS (infos); i++) {
    GstWeirEncoder *encoder = gst_weir_encoder_new (element, infos[i]);
    for (gint64 bps = 1000; bps < 100000000; bps = bps * 13 / 10) {
      gint64 least_bps = (bps * infos[i]->step_ppm + 999999) / 1000000;
      encoder->set_bps = bps;
      encoder->set_ns = bps * 1000;
      g_assert_cmpint (gst_weir_encoder_due_ns (encoder, bps - least_bps), ==,
                       encoder->set_ns + infos[i]->down_ns);
      g_assert_cmpint (gst_weir_encoder_due_ns (encoder, bps + least_bps), ==,
                       encoder->set_ns + infos[i]->up_ns);
      g_assert_cmpint (gst_weir_encoder_due_ns (encoder, bps - least_bps + 1), ==, WEIR_NEVER_NS);
      g_assert_cmpint (gst_weir_encoder_due_ns (encoder, bps + least_bps - 1), ==, WEIR_NEVER_NS);
    }
    gst_weir_encoder_unref (encoder);
  }
  gst_object_unref (element);
}

static gboolean skips_now;

static gboolean
skips_frame (GstElement *asked, GstElement *encoder)
{
  g_assert_true (GST_IS_BIN (asked));
  g_assert_cmpstr (G_OBJECT_TYPE_NAME (encoder), ==, "Fake-weirfakeenc");
  return skips_now;
}

static GstFlowReturn
count_buffer (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstBuffer *buffer)
{
  guint *n = gst_pad_get_element_private (pad);
  (*n)++;
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* How many of 10 frames come through the element. */
static guint
pass_frames (GstElement *element)
{
  guint n = 0;
  GstSegment segment;
  g_autoptr (GstPad) before = gst_object_ref_sink (gst_pad_new ("before", GST_PAD_SRC));
  g_autoptr (GstPad) behind = gst_object_ref_sink (gst_pad_new ("behind", GST_PAD_SINK));
  gst_pad_set_chain_function (behind, count_buffer);
  gst_pad_set_element_private (behind, &n);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_link (before, FAKE_ENCODER (element)->sink);
  gst_pad_link (FAKE_ENCODER (element)->src, behind);
  gst_pad_set_active (before, TRUE);
  gst_pad_set_active (behind, TRUE);
  gst_element_set_state (element, GST_STATE_PAUSED);
  gst_pad_push_event (before, gst_event_new_stream_start ("test"));
  gst_pad_push_event (before, gst_event_new_segment (&segment));
  for (guint i = 0; i < 10; i++) {
    g_assert_cmpint (gst_pad_push (before, gst_buffer_new ()), ==, GST_FLOW_OK);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_pad_unlink (before, FAKE_ENCODER (element)->sink);
  gst_pad_unlink (FAKE_ENCODER (element)->src, behind);
  return n;
}

/* As long as the encoder is driven and there is somebody to be asked. */
static void
frames_are_left_out_when_asked_for (void)
{
  GstElement *element = fake_encoder_new ("weirfakeenc");
  GstElement *asked = gst_object_ref_sink (gst_bin_new (NULL));
  GstWeirEncoder *encoder = gst_weir_encoder_new (element, &plain);
  gst_weir_encoder_skip_frames (encoder, element, asked, skips_frame);
  skips_now = FALSE;
  g_assert_cmpuint (pass_frames (element), ==, 10);
  skips_now = TRUE;
  g_assert_cmpuint (pass_frames (element), ==, 0);
  gst_weir_encoder_unref (encoder);
  g_assert_cmpuint (pass_frames (element), ==, 10);
  encoder = gst_weir_encoder_new (element, &plain);
  gst_weir_encoder_skip_frames (encoder, element, asked, skips_frame);
  gst_object_unref (asked);
  g_assert_cmpuint (pass_frames (element), ==, 10);
  gst_object_unref (element);
  gst_weir_encoder_unref (encoder);
}

#define ADD(name) g_test_add_func ("/encoder_driven/" #name, name)

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  GST_DEBUG_CATEGORY_INIT (gst_weir_encoder_debug, "weirencoder", 0, "under test");
  ADD (it_knows_its_element_and_does_not_keep_it);
  ADD (frames_are_left_out_when_asked_for);
  ADD (it_is_gone_when_freed_or_taken_out_of_its_bin);
  ADD (references_are_counted_across_threads);
  ADD (bitrates_are_rounded_down_to_what_the_property_holds);
  ADD (rounding_loses_less_than_a_unit);
  ADD (changes_wait_for_their_turn);
  ADD (the_least_step_is_a_share_of_the_bitrate);
  return g_test_run ();
}
