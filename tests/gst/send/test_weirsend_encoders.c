/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which encoders are driven: found, named, added; to the target, and with words when there are
 * none. */
#include "send/send_harness.h"

#include "encoder/fake_encoder.h"

#define PIPELINE_CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96"

typedef struct
{
  GstElement *pipeline;
  GstElement *send;
  GstElement *encoder;
  GstBus *bus;
} Line;

/* A pipeline with weirsend "s" and, if there is one, the encoder "e". */
static Line
line_new (const gchar *text)
{
  GError *error = NULL;
  Line line = { .pipeline = gst_parse_launch (text, &error) };
  g_assert_no_error (error);
  line.send = gst_bin_get_by_name (GST_BIN (line.pipeline), "s");
  line.encoder = gst_bin_get_by_name (GST_BIN (line.pipeline), "e");
  line.bus = gst_element_get_bus (line.pipeline);
  return line;
}

static void
line_free (Line *line)
{
  gst_element_set_state (line->pipeline, GST_STATE_NULL);
  g_clear_object (&line->encoder);
  g_clear_object (&line->send);
  g_clear_object (&line->bus);
  gst_object_unref (line->pipeline);
}

static guint
bitrate_of (GstElement *encoder)
{
  guint bps = 0;
  g_object_get (encoder, "bitrate", &bps, NULL);
  return bps;
}

/* The worker sets encoders: waits until it has. Gives up after 5 s. */
static void
wait_for_bitrate (GstElement *encoder, guint bps)
{
  for (guint i = 0; i < 5000 && bitrate_of (encoder) != bps; i++) {
    g_usleep (1000);
  }
  g_assert_cmpuint (bitrate_of (encoder), ==, bps);
}

/* Threads of this process that drive encoders. */
static guint
n_workers (void)
{
  guint n = 0;
  const gchar *task;
  GDir *dir = g_dir_open ("/proc/self/task", 0, NULL);
  while (dir != NULL && (task = g_dir_read_name (dir)) != NULL) {
    gchar *path = g_build_filename ("/proc/self/task", task, "comm", NULL);
    gchar *name = NULL;
    n += g_file_get_contents (path, &name, NULL, NULL) && g_str_has_prefix (name, "weir-encoders");
    g_free (name);
    g_free (path);
  }
  g_clear_pointer (&dir, g_dir_close);
  return n;
}

#define LINE(properties)                                                                           \
  "fakesrc ! weirfakeenc name=e ! " PIPELINE_CAPS                                                  \
  " ! weirsend name=s algorithm=fixed stats-interval=0 start-bitrate=500000 " properties           \
  " ! fakesink"

static void
test_no_thread_waits_for_encoders_that_there_are_not (void)
{
  Rig *rig = rig_new ("encoders=none " FIXED_2M, VIDEO_CAPS);
  for (guint i = 0; i < 20; i++) {
    gst_harness_push (rig->h, rtp (i, 1000));
    rig_run_until (rig, (i + 1) * 20 * GST_MSECOND);
  }
  g_object_set (rig->send, "max-bitrate", 300000, NULL);
  g_assert_cmpuint (n_workers (), ==, 0);
  rig_free (rig);
}

static void
test_an_encoder_upstream_is_driven_from_the_start (void)
{
  Line line = line_new (LINE (""));
  g_assert_cmpuint (bitrate_of (line.encoder), ==, 200000);
  gst_element_set_state (line.send, GST_STATE_PAUSED);
  wait_for_bitrate (line.encoder, 500000);
  g_object_set (line.send, "max-bitrate", 300000, NULL);
  wait_for_bitrate (line.encoder, 300000);
  g_assert_cmpuint (n_workers (), ==, 1);
  line_free (&line);
}

static void
test_none_means_none (void)
{
  Line line = line_new (LINE ("encoders=none"));
  gst_element_set_state (line.send, GST_STATE_PAUSED);
  g_object_set (line.send, "max-bitrate", 300000, NULL);
  gst_element_set_state (line.send, GST_STATE_NULL);
  g_assert_cmpuint (bitrate_of (line.encoder), ==, 200000);
  bus_expect_nothing (line.bus);
  line_free (&line);
}

/* Elsewhere in the pipeline, even inside another bin. */
static void
test_named_encoders_are_driven (void)
{
  Line line = line_new ("fakesrc ! " PIPELINE_CAPS " ! weirsend name=s algorithm=fixed "
                        "start-bitrate=600000 encoders=\" e , f\" ! fakesink "
                        "bin.( weirfakeenc name=e ) weirfakeenc name=f");
  GstElement *other = gst_bin_get_by_name (GST_BIN (line.pipeline), "f");
  gst_element_set_state (line.send, GST_STATE_PAUSED);
  wait_for_bitrate (line.encoder, 300000); /* equal shares */
  wait_for_bitrate (other, 300000);
  bus_expect_nothing (line.bus);
  gst_object_unref (other);
  line_free (&line);
}

static void
test_wrong_names_are_explained (void)
{
  Line line = line_new (LINE ("encoders=nosuch,s"));
  gst_element_set_state (line.send, GST_STATE_PAUSED);
  bus_expect (line.bus, GST_MESSAGE_WARNING, "encoders|\"nosuch\"|auto or none");
  bus_expect (line.bus, GST_MESSAGE_WARNING, "encoders: s:");
  bus_expect_nothing (line.bus);
  line_free (&line);
}

/* Names are looked up anew with every start. */
static void
test_names_may_mean_others_next_time (void)
{
  Line line = line_new (LINE ("encoders=e"));
  for (guint i = 0; i < 10; i++) {
    g_object_set (line.encoder, "bitrate", 200000, NULL);
    gst_element_set_state (line.send, GST_STATE_PAUSED);
    wait_for_bitrate (line.encoder, 500000);
    gst_element_set_state (line.send, GST_STATE_READY);
  }
  bus_expect_nothing (line.bus);
  line_free (&line);
}

static void
test_action_signals_add_and_remove (void)
{
  Line line = line_new (LINE ("encoders=none"));
  gboolean ok = FALSE;
  gst_element_set_state (line.send, GST_STATE_PAUSED);
  g_signal_emit_by_name (line.send, "add-encoder", line.encoder, 2.0, (guint64) 100000,
                         (guint64) 400000, &ok);
  g_assert_true (ok);
  wait_for_bitrate (line.encoder, 400000);
  g_signal_emit_by_name (line.send, "remove-encoder", line.encoder, &ok);
  g_assert_true (ok);
  g_signal_emit_by_name (line.send, "remove-encoder", line.encoder, &ok);
  g_assert_false (ok);
  g_signal_emit_by_name (line.send, "add-encoder", line.encoder, 1.0, (guint64) 500000,
                         (guint64) 400000, &ok);
  g_assert_false (ok);
  bus_expect (line.bus, GST_MESSAGE_WARNING, "add-encoder|500000");
  g_signal_emit_by_name (line.send, "add-encoder", line.send, 1.0, (guint64) 0, (guint64) 0, &ok);
  g_assert_false (ok);
  bus_expect (line.bus, GST_MESSAGE_WARNING, "add-encoder");
  g_signal_emit_by_name (line.send, "add-encoder", NULL, 1.0, (guint64) 0, (guint64) 0, &ok);
  g_assert_false (ok);
  line_free (&line);
}

/* No encoder: said once, when media flows, with the elements that were looked at. */
static void
test_no_encoder_is_said_once (void)
{
  Rig *rig = rig_new (FIXED_2M, VIDEO_CAPS);
  rig_expect_silence (rig);
  for (guint i = 0; i < 10; i++) {
    gst_harness_push (rig->h, rtp (i, 100));
    gst_harness_set_src_caps_str (rig->h, i % 2 == 0 ? TWCC_CAPS : VIDEO_CAPS);
  }
  rig_expect_warning (rig, "no encoder|looked at|encoders=NAME|add-encoder|encoders=none");
  rig_expect_silence (rig);
  rig_free (rig);
}

/* An encoder that is linked while playing is found when its stream begins. */
static void
test_an_encoder_that_comes_later_is_found (void)
{
  Line line = line_new ("fakesrc name=src num-buffers=1 ! " PIPELINE_CAPS
                        " ! weirsend name=s algorithm=fixed start-bitrate=500000 ! fakesink "
                        "weirfakeenc name=e");
  GstElement *src = gst_bin_get_by_name (GST_BIN (line.pipeline), "src");
  GstPad *sink = gst_element_get_static_pad (line.send, "sink");
  GstPad *fed = gst_pad_get_peer (sink);
  GstElement *filter = gst_pad_get_parent_element (fed);
  gst_element_set_state (line.send, GST_STATE_PAUSED);
  gst_element_unlink (src, filter);
  g_assert_true (gst_element_link (line.encoder, filter));
  gst_element_set_state (filter, GST_STATE_PAUSED);
  GstHarness *h = gst_harness_new_with_element (line.encoder, "sink", NULL);
  gst_harness_set_src_caps_str (h, VIDEO_CAPS);
  gst_harness_push (h, rtp (0, 100));
  wait_for_bitrate (line.encoder, 500000);
  gst_harness_teardown (h);
  gst_object_unref (filter);
  gst_object_unref (fed);
  gst_object_unref (sink);
  gst_object_unref (src);
  line_free (&line);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  gst_element_register (NULL, "weirfakeenc", GST_RANK_NONE, fake_encoder_get_type ());
#define ADD(name) g_test_add_func ("/gst/weirsend_encoders/" #name, test_##name)
  ADD (no_thread_waits_for_encoders_that_there_are_not);
  ADD (an_encoder_upstream_is_driven_from_the_start);
  ADD (none_means_none);
  ADD (named_encoders_are_driven);
  ADD (wrong_names_are_explained);
  ADD (names_may_mean_others_next_time);
  ADD (action_signals_add_and_remove);
  ADD (no_encoder_is_said_once);
  ADD (an_encoder_that_comes_later_is_found);
  return g_test_run ();
}
