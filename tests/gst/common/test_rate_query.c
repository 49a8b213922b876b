/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A question through a pipeline, and its answer. */
#include "common/rate_query.h"

#include <gst/check/gstharness.h>

static const GstWeirRatePicture half = { 640, 360, 15, 1, "low-bitrate", NULL };

typedef struct
{
  gboolean answers;
  guint n_asked, n_others;
  GstWeirRatePicture picture;
} Far;

static GstPadProbeReturn
on_query (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Far *far = user;
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  if (!gst_weir_rate_query_parse (query, &far->picture)) {
    far->n_others++;
    return GST_PAD_PROBE_OK;
  }
  far->n_asked++;
  if (far->answers) {
    gst_weir_rate_query_answer (query, &(GstWeirRate){ 600000, G_GUINT64_CONSTANT (5000000000) });
    return GST_PAD_PROBE_HANDLED;
  }
  return GST_PAD_PROBE_OK;
}

/* elements between the one that asks and the one that answers. */
static GstHarness *
put (const gchar *elements, Far *far)
{
  GstHarness *h = gst_harness_new_parse (elements);
  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, on_query, far, NULL);
  gst_harness_play (h);
  return h;
}

static void
it_goes_through_elements_that_do_not_know_it (void)
{
  static const gchar *const elements[] = { "identity",          "queue",
                                           "tee ! queue",       "identity ! queue ! capsfilter",
                                           "rtph264pay",        "rtpvp8pay ! rtpfunnel",
                                           "h264parse",         "x264enc ! rtph264pay ! queue",
                                           "vp8enc ! rtpvp8pay" };
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    Far far = { .answers = TRUE };
    GstWeirRate rate = { 0 };
    GstHarness *h = put (elements[i], &far);
    g_assert_true (gst_weir_rate_query_ask (h->srcpad, &half, &rate));
    g_assert_cmpint (rate.target_bps, ==, 600000);
    g_assert_cmpuint (rate.media_bytes, ==, G_GUINT64_CONSTANT (5000000000));
    g_assert_cmpuint (far.n_asked, ==, 1);
    g_assert_cmpint (far.picture.width, ==, 640);
    g_assert_cmpint (far.picture.height, ==, 360);
    g_assert_cmpint (far.picture.fps_n, ==, 15);
    g_assert_cmpint (far.picture.fps_d, ==, 1);
    g_assert_cmpstr (far.picture.reason, ==, "low-bitrate");
    gst_harness_teardown (h);
  }
}

static void
it_names_the_encoder (void)
{
  Far far = { .answers = TRUE };
  GstWeirRate rate = { 0 };
  GstWeirRatePicture picture = half;
  GstHarness *h = put ("identity", &far);
  picture.encoder = h->element;
  g_assert_true (gst_weir_rate_query_ask (h->srcpad, &picture, &rate));
  g_assert_true (far.picture.encoder == h->element);
  g_assert_true (gst_weir_rate_query_ask (h->srcpad, &half, &rate));
  g_assert_null (far.picture.encoder);
  gst_harness_teardown (h);
}

static void
without_an_answer_nothing_is_known (void)
{
  Far far = { .answers = FALSE };
  GstWeirRate rate = { 1, 2 };
  GstHarness *h = put ("identity", &far);
  g_assert_false (gst_weir_rate_query_ask (h->srcpad, &half, &rate));
  g_assert_cmpuint (far.n_asked, ==, 1);
  g_assert_cmpint (rate.target_bps, ==, 1);
  gst_harness_teardown (h);
  GstPad *alone = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  g_assert_false (gst_weir_rate_query_ask (alone, &half, &rate));
  gst_object_unref (alone);
}

static void
a_picture_has_a_text (void)
{
  static const struct
  {
    GstWeirRatePicture picture;
    const gchar *text;
  } cases[] = { { { 960, 540, 30, 1, "", NULL }, "960x540@30" },
                { { 640, 360, 30000, 1001, "", NULL }, "640x360@29.97" },
                { { 640, 360, 15, 2, "", NULL }, "640x360@7.5" },
                { { 640, 360, 0, 1, "", NULL }, "640x360" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *text = gst_weir_rate_picture_text (&cases[i].picture);
    g_assert_cmpstr (text, ==, cases[i].text);
  }
}

static void
other_queries_are_not_ours (void)
{
  GstWeirRatePicture picture;
  GstQuery *latency = gst_query_new_latency ();
  GstQuery *other = gst_query_new_custom (GST_QUERY_CUSTOM, gst_structure_new_empty ("other"));
  g_assert_false (gst_weir_rate_query_parse (latency, &picture));
  g_assert_false (gst_weir_rate_query_parse (other, &picture));
  gst_query_unref (latency);
  gst_query_unref (other);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define TEST(function) g_test_add_func ("/rate_query/" #function, function)
  TEST (it_goes_through_elements_that_do_not_know_it);
  TEST (it_names_the_encoder);
  TEST (without_an_answer_nothing_is_known);
  TEST (a_picture_has_a_text);
  TEST (other_queries_are_not_ours);
  return g_test_run ();
}
