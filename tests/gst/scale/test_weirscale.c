/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the encoder gets, in the time of the frames: the test stands for everything behind. */
#include "common/rate_query.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <string.h>

#define HD "video/x-raw,format=I420,width=1280,height=720,framerate=30/1"
#define HD_25 "video/x-raw,format=I420,width=1280,height=720,framerate=25/1"
#define FPS 30
#define FRAMERATE "degradation-preference=maintain-framerate"

typedef struct
{
  GstHarness *h;
  GstBus *bus;
  gboolean answers;
  GstWeirRate rate;
  gint only_width; /* what is behind takes no other; 0: it takes all */
  guint frame;
  guint n_in, n_out, n_key_units;
  guint n_reconfigure; /* that reached the source */
} Rig;

static GstPadProbeReturn
on_query (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Rig *rig = user;
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstWeirRatePicture picture;
  if (rig->answers && gst_weir_rate_query_parse (query, &picture)) {
    gst_weir_rate_query_answer (query, &rig->rate);
    return GST_PAD_PROBE_HANDLED;
  }
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS && rig->only_width != 0) {
    GstCaps *caps;
    gint width = 0;
    gst_query_parse_accept_caps (query, &caps);
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "width", &width);
    gst_query_set_accept_caps_result (query, width == rig->only_width);
    return GST_PAD_PROBE_HANDLED;
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_upstream (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Rig *rig = user;
  rig->n_reconfigure
      += GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_RECONFIGURE ? 1 : 0;
  return GST_PAD_PROBE_OK;
}

/* target_bps 0: nobody answers. */
static Rig *
rig_new (const gchar *properties, const gchar *caps, gint64 target_bps)
{
  g_autofree gchar *description = g_strdup_printf ("weirscale %s", properties);
  Rig *rig = g_new0 (Rig, 1);
  rig->answers = target_bps > 0;
  rig->rate.target_bps = target_bps;
  g_autoptr (GstElement) element = gst_object_ref_sink (gst_parse_launch (description, NULL));
  rig->h = gst_harness_new_with_element (element, "sink", "src");
  rig->bus = gst_bus_new ();
  gst_element_set_bus (rig->h->element, rig->bus);
  gst_pad_add_probe (rig->h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, on_query, rig, NULL);
  gst_pad_add_probe (rig->h->srcpad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_upstream, rig, NULL);
  gst_harness_play (rig->h);
  gst_harness_set_src_caps_str (rig->h, caps);
  rig->n_reconfigure = 0;
  return rig;
}

static void
rig_free (Rig *rig)
{
  gst_element_set_bus (rig->h->element, NULL);
  gst_object_unref (rig->bus);
  gst_harness_teardown (rig->h);
  g_free (rig);
}

static void
count_events (Rig *rig)
{
  GstEvent *event;
  while ((event = gst_harness_try_pull_event (rig->h)) != NULL) {
    rig->n_key_units += gst_video_event_is_force_key_unit (event) ? 1 : 0;
    gst_event_unref (event);
  }
}

static GstBuffer *
make_frame (const gchar *caps_text, guint number)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  GstVideoInfo info;
  g_assert_true (gst_video_info_from_caps (&info, caps));
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_memset (buffer, 0, 0x40, info.size);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (number, GST_SECOND, FPS);
  GST_BUFFER_DURATION (buffer) = GST_SECOND / FPS;
  return buffer;
}

/* Frames go in, and an encoder that makes made_bps makes so much of them. */
static void
run (Rig *rig, const gchar *caps, guint n_frames, gint64 made_bps)
{
  for (guint i = 0; i < n_frames; i++) {
    GstBuffer *out;
    g_assert_cmpint (gst_harness_push (rig->h, make_frame (caps, rig->frame++)), ==, GST_FLOW_OK);
    rig->n_in++;
    rig->rate.media_bytes += (guint64) made_bps / 8 / FPS;
    while ((out = gst_harness_try_pull (rig->h)) != NULL) {
      rig->n_out++;
      gst_buffer_unref (out);
    }
  }
  count_events (rig);
}

/* A second with enough for the whole picture, which may become smaller later. */
static Rig *
rig_playing (void)
{
  Rig *rig = rig_new (FRAMERATE, HD, 4000000);
  run (rig, HD, FPS, 4000000);
  return rig;
}

/* The target falls, and the encoder follows. */
static void
starve (Rig *rig, guint n_frames)
{
  rig->rate.target_bps = 600000;
  run (rig, HD, n_frames, 600000);
}

static void
assert_picture (Rig *rig, gint width, gint height, gint fps)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (rig->h->sinkpad);
  GstVideoInfo info;
  g_assert_true (gst_video_info_from_caps (&info, caps));
  g_assert_cmpint (info.width, ==, width);
  g_assert_cmpint (info.height, ==, height);
  g_assert_cmpint (info.fps_n, ==, fps);
  g_assert_cmpint (info.fps_d, ==, 1);
  g_assert_cmpint (info.par_n, ==, info.par_d);
}

static void
assert_stats (Rig *rig, const gchar *reason, guint changes)
{
  g_autoptr (GstStructure) stats = NULL;
  guint n = G_MAXUINT;
  g_object_get (rig->h->element, "stats", &stats, NULL);
  g_assert_cmpstr (gst_structure_get_string (stats, "reason"), ==, reason);
  g_assert_true (gst_structure_get_uint (stats, "changes", &n));
  g_assert_cmpuint (n, ==, changes);
}

/* All of them name what stays. */
static guint
n_warnings (Rig *rig)
{
  GstMessage *message;
  guint n = 0;
  while ((message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_WARNING)) != NULL) {
    g_autoptr (GError) warning = NULL;
    gst_message_parse_warning (message, &warning, NULL);
    g_assert_nonnull (strstr (warning->message, "; it stays at 1280x720 with "));
    n++;
    gst_message_unref (message);
  }
  return n;
}

static void
without_weirsend_everything_passes_untouched (void)
{
  Rig *rig = rig_new ("", HD, 0);
  for (guint i = 0; i < 90; i++) {
    GstBuffer *in = make_frame (HD, i);
    GstBuffer *out = gst_harness_push_and_pull (rig->h, gst_buffer_ref (in));
    g_assert_true (in == out); /* not even copied */
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  count_events (rig);
  assert_picture (rig, 1280, 720, 30);
  assert_stats (rig, "full", 0);
  g_assert_cmpuint (rig->n_key_units, ==, 0);
  rig_free (rig);
}

/* Before the first frame: an encoder is opened once. */
static void
the_first_picture_fits_the_target (void)
{
  Rig *rig = rig_new (FRAMERATE, HD, 300000);
  run (rig, HD, 30, 300000);
  assert_picture (rig, 480, 270, 30);
  assert_stats (rig, "low-bitrate", 0);
  g_assert_cmpuint (rig->n_out, ==, 30);
  g_assert_cmpuint (rig->n_key_units, ==, 0);
  rig_free (rig);
}

static void
the_picture_shrinks_and_comes_back_with_a_key_frame_each_time (void)
{
  Rig *rig = rig_playing ();
  assert_picture (rig, 1280, 720, 30);
  starve (rig, 60);
  assert_picture (rig, 960, 540, 30);
  assert_stats (rig, "low-bitrate", 1);
  g_assert_cmpuint (rig->n_key_units, ==, 1);
  rig->rate.target_bps = 4000000;
  run (rig, HD, 120, 4000000);
  assert_picture (rig, 1280, 720, 30);
  assert_stats (rig, "full", 2);
  g_assert_cmpuint (rig->n_key_units, ==, 2);
  g_assert_cmpuint (rig->n_out, ==, rig->n_in);
  g_assert_cmpuint (rig->n_reconfigure, ==, 0); /* a camera hears nothing of it */
  g_assert_cmpuint (n_warnings (rig), ==, 0);
  rig_free (rig);
}

static gpointer
relink (gpointer user)
{
  gst_harness_push_upstream_event (user, gst_event_new_reconfigure ());
  return NULL;
}

static GstPadProbeReturn
relink_meanwhile (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Rig *rig = user;
  if (gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info))) {
    g_thread_join (g_thread_new ("application", relink, rig->h));
  }
  return GST_PAD_PROBE_OK;
}

/* Of what others do during a change the source hears. */
static void
a_change_hides_its_own_events_only (void)
{
  Rig *rig = rig_playing ();
  gst_pad_add_probe (rig->h->sinkpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, relink_meanwhile, rig,
                     NULL);
  starve (rig, 60);
  assert_stats (rig, "low-bitrate", 1);
  g_assert_cmpuint (rig->n_reconfigure, ==, 1);
  rig_free (rig);
}

static void
an_encoder_that_cannot_follow_gets_less (void)
{
  Rig *rig = rig_new (FRAMERATE " min-bits-per-pixel=0", HD, 600000);
  run (rig, HD, 1, 10000000);
  assert_picture (rig, 1280, 720, 30);
  run (rig, HD, 5, 10000000);
  assert_picture (rig, 240, 136, 30);
  assert_stats (rig, "encoder-cannot-follow", 1);
  rig_free (rig);
}

/* Two of three, then one of two, then one of three; their time stamps are those of the source. */
static void
frames_are_left_out_to_keep_the_size (void)
{
  static const struct
  {
    gint64 target_bps;
    gint fps;
  } cases[] = { { 1382400, 30 }, { 1000000, 20 }, { 700000, 15 }, { 400000, 10 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig *rig = rig_new ("degradation-preference=maintain-resolution", HD, cases[i].target_bps);
    run (rig, HD, 60, 100000);
    assert_picture (rig, 1280, 720, cases[i].fps);
    g_assert_cmpuint (rig->n_out, ==, 2 * (guint) cases[i].fps);
    rig_free (rig);
  }
}

static void
a_frame_that_is_kept_is_the_sources (void)
{
  Rig *rig = rig_new ("degradation-preference=maintain-resolution", HD, 1000000);
  for (guint i = 0; i < 9; i++) {
    GstBuffer *in = make_frame (HD, i);
    g_assert_cmpint (gst_harness_push (rig->h, gst_buffer_ref (in)), ==, GST_FLOW_OK);
    GstBuffer *out = gst_harness_try_pull (rig->h);
    g_assert_true (out == (i % 3 == 1 ? NULL : in));
    gst_buffer_unref (in);
    gst_clear_buffer (&out);
  }
  rig_free (rig);
}

static void
what_is_behind_may_refuse_and_is_named_once (void)
{
  Rig *rig = rig_playing ();
  rig->only_width = 1280;
  starve (rig, 300);
  assert_picture (rig, 1280, 720, 30);
  g_assert_cmpuint (n_warnings (rig), ==, 1);
  g_assert_cmpuint (rig->n_key_units, ==, 0);
  g_assert_cmpuint (rig->n_out, ==, rig->n_in);
  rig_free (rig);

  rig = rig_new ("degradation-preference=balanced", HD, 4000000);
  rig->only_width = 1280;
  rig->rate.target_bps = 100000;
  gst_harness_set_src_caps_str (rig->h, HD_25); /* refused with the caps */
  run (rig, HD_25, 90, 100000);
  assert_picture (rig, 1280, 720, 25);
  g_assert_cmpuint (n_warnings (rig), ==, 1);
  rig_free (rig);
}

/* As in a flush, and at the end of a run: nobody has refused anything. */
static void
a_change_while_what_is_behind_is_flushed_is_made_later (void)
{
  Rig *rig = rig_playing ();
  rig->rate.target_bps = 600000;
  GST_PAD_SET_FLUSHING (rig->h->sinkpad);
  for (guint i = 0; i < 60; i++) {
    gst_harness_push (rig->h, make_frame (HD, rig->frame++));
  }
  GST_OBJECT_FLAGS (rig->h->sinkpad) &= ~(guint32) GST_PAD_FLAG_FLUSHING;
  run (rig, HD, 1, 600000);
  assert_picture (rig, 960, 540, 30);
  g_assert_cmpuint (n_warnings (rig), ==, 0);
  rig_free (rig);
}

/* From a small picture back to the source's: the first step is no change to the law. */
static void
settings_changed_while_what_is_behind_is_flushed_take_effect_later (void)
{
  Rig *rig = rig_playing ();
  starve (rig, 60);
  assert_picture (rig, 960, 540, 30);
  GST_PAD_SET_FLUSHING (rig->h->sinkpad);
  g_object_set (rig->h->element, "min-bits-per-pixel", 0.0, NULL);
  for (guint i = 0; i < 10; i++) {
    gst_harness_push (rig->h, make_frame (HD, rig->frame++));
  }
  GST_OBJECT_FLAGS (rig->h->sinkpad) &= ~(guint32) GST_PAD_FLAG_FLUSHING;
  run (rig, HD, 1, 600000);
  assert_picture (rig, 1280, 720, 30);
  rig_free (rig);
}

static GstPadEventFunction event_of_harness;

/* An encoder that cannot be opened with another size. */
static gboolean
refuse_small_caps (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps;
    gint width = 0;
    gst_event_parse_caps (event, &caps);
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "width", &width);
    if (width < 1280) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  return event_of_harness (pad, parent, event);
}

static void
an_encoder_that_fails_with_new_caps_goes_on_with_the_old (void)
{
  Rig *rig = rig_playing ();
  event_of_harness = GST_PAD_EVENTFUNC (rig->h->sinkpad);
  gst_pad_set_event_function (rig->h->sinkpad, refuse_small_caps);
  starve (rig, 300);
  assert_picture (rig, 1280, 720, 30);
  g_assert_cmpuint (rig->n_out, ==, rig->n_in);
  g_assert_cmpuint (n_warnings (rig), ==, 1);
  rig_free (rig);
}

/* One of the sizes is refused: the next one is taken. */
static void
a_refused_size_is_passed_over (void)
{
  Rig *rig = rig_playing ();
  rig->only_width = 640;
  starve (rig, 120);
  assert_picture (rig, 640, 360, 30);
  rig_free (rig);
}

static void
another_source_begins_anew (void)
{
  static const gchar small[] = "video/x-raw,format=I420,width=320,height=240,framerate=15/1";
  Rig *rig = rig_new ("", HD, 300000);
  run (rig, HD, 30, 300000);
  gst_harness_set_src_caps_str (rig->h, small);
  run (rig, small, 30, 300000);
  assert_picture (rig, 320, 240, 15);
  assert_stats (rig, "full", 1);
  rig_free (rig);
}

static void
the_same_picture_in_other_caps_is_the_same_source (void)
{
  Rig *rig = rig_new (FRAMERATE " min-bits-per-pixel=0", HD, 600000);
  run (rig, HD, 6, 10000000);
  assert_picture (rig, 240, 136, 30);
  gst_harness_set_src_caps_str (rig->h, HD ",colorimetry=bt709");
  run (rig, HD, 1, 600000);
  assert_picture (rig, 240, 136, 30);
  assert_stats (rig, "encoder-cannot-follow", 1);
  rig_free (rig);
}

static void
an_unknown_frame_rate_does_no_harm (void)
{
  static const gchar caps[] = "video/x-raw,format=I420,width=1280,height=720,framerate=0/1";
  Rig *rig = rig_new ("degradation-preference=maintain-resolution", caps, 1000000);
  run (rig, caps, 30, 100000);
  g_assert_cmpuint (rig->n_out, ==, 20);
  rig_free (rig);
}

/* They keep their size, because the scaler cannot read them. */
static void
pictures_in_other_memory_keep_their_size (void)
{
  Rig *rig = rig_new (FRAMERATE,
                      "video/x-raw(memory:GLMemory),format=RGBA,width=1280,height=720,"
                      "framerate=30/1,texture-target=2D",
                      300000);
  for (guint i = 0; i < 30; i++) {
    g_assert_cmpint (gst_harness_push (rig->h, make_frame (HD, i)), ==, GST_FLOW_OK);
  }
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (rig->h->sinkpad);
  gint width = 0;
  gst_structure_get_int (gst_caps_get_structure (caps, 0), "width", &width);
  g_assert_cmpint (width, ==, 1280);
  rig_free (rig);
}

static void
settings_may_change_while_playing (void)
{
  Rig *rig = rig_new (FRAMERATE, HD, 600000);
  run (rig, HD, 30, 600000);
  assert_picture (rig, 640, 360, 30);
  GObject *object = G_OBJECT (rig->h->element);
  gst_util_set_object_arg (object, "degradation-preference", "maintain-resolution");
  run (rig, HD, 30, 600000);
  assert_picture (rig, 1280, 720, 10);
  g_object_set (object, "min-bits-per-pixel", 0.001, NULL);
  run (rig, HD, 30, 600000);
  assert_picture (rig, 1280, 720, 30);
  rig_free (rig);
}

static void
settings_that_ask_for_what_is_refused_leave_the_source (void)
{
  Rig *rig = rig_new (FRAMERATE, HD, 600000);
  run (rig, HD, 30, 600000);
  assert_picture (rig, 640, 360, 30);
  rig->only_width = 1280;
  gst_util_set_object_arg (G_OBJECT (rig->h->element), "degradation-preference", "balanced");
  run (rig, HD, 1, 600000);
  assert_picture (rig, 1280, 720, 30);
  rig_free (rig);
}

/* weirsend starts later, or is linked later. */
static void
a_target_may_come_late_and_go (void)
{
  Rig *rig = rig_new (FRAMERATE, HD, 0);
  run (rig, HD, 30, 4000000);
  assert_picture (rig, 1280, 720, 30);
  rig->answers = TRUE;
  starve (rig, 30);
  assert_picture (rig, 640, 360, 30);
  rig->answers = FALSE;
  run (rig, HD, 300, 600000);
  assert_picture (rig, 640, 360, 30);
  rig_free (rig);
}

static void
frames_without_time_stamps_pass (void)
{
  Rig *rig = rig_new ("", HD, 4000000);
  for (guint i = 0; i < 30; i++) {
    GstBuffer *frame = make_frame (HD, i);
    GST_BUFFER_PTS (frame) = GST_CLOCK_TIME_NONE;
    gst_buffer_unref (gst_harness_push_and_pull (rig->h, frame));
  }
  assert_picture (rig, 1280, 720, 30);
  rig_free (rig);
}

/* As a file of raw frames has it. */
static void
frames_of_a_segment_of_bytes_pass (void)
{
  GstSegment segment;
  Rig *rig = rig_new ("", HD, 4000000);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  g_assert_true (gst_harness_push_event (rig->h, gst_event_new_segment (&segment)));
  run (rig, HD, 3, 4000000);
  g_assert_cmpuint (rig->n_out, ==, 3);
  assert_picture (rig, 1280, 720, 30);
  rig_free (rig);
}

static void
it_can_be_stopped_and_played_again (void)
{
  GstElement *pipeline = gst_parse_launch (
      "videotestsrc num-buffers=5 ! " HD " ! weirscale ! fakesink sync=false", NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  for (guint i = 0; i < 3; i++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    GstMessage *message
        = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
    gst_message_unref (message);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define TEST(function) g_test_add_func ("/weirscale/" #function, function)
  TEST (without_weirsend_everything_passes_untouched);
  TEST (the_first_picture_fits_the_target);
  TEST (the_picture_shrinks_and_comes_back_with_a_key_frame_each_time);
  TEST (a_change_hides_its_own_events_only);
  TEST (an_encoder_that_cannot_follow_gets_less);
  TEST (frames_are_left_out_to_keep_the_size);
  TEST (a_frame_that_is_kept_is_the_sources);
  TEST (what_is_behind_may_refuse_and_is_named_once);
  TEST (a_change_while_what_is_behind_is_flushed_is_made_later);
  TEST (settings_changed_while_what_is_behind_is_flushed_take_effect_later);
  TEST (an_encoder_that_fails_with_new_caps_goes_on_with_the_old);
  TEST (a_refused_size_is_passed_over);
  TEST (another_source_begins_anew);
  TEST (the_same_picture_in_other_caps_is_the_same_source);
  TEST (an_unknown_frame_rate_does_no_harm);
  TEST (pictures_in_other_memory_keep_their_size);
  TEST (settings_may_change_while_playing);
  TEST (settings_that_ask_for_what_is_refused_leave_the_source);
  TEST (a_target_may_come_late_and_go);
  TEST (frames_without_time_stamps_pass);
  TEST (frames_of_a_segment_of_bytes_pass);
  TEST (it_can_be_stopped_and_played_again);
  return g_test_run ();
}
