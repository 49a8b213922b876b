/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element as its users meet it: the manual in gst-inspect-1.0, pads, launch lines that link,
 * and a life from READY to PAUSED and back, any number of times, that leaves nothing. */
#include "send/send_harness.h"

#include <stdio.h>

static void
test_the_manual_is_complete (void)
{
  GstElementFactory *factory = gst_element_factory_find ("weirsend");
  static const gchar *const keys[] = { GST_ELEMENT_METADATA_LONGNAME, GST_ELEMENT_METADATA_KLASS,
                                       GST_ELEMENT_METADATA_DESCRIPTION, "long-description" };
  g_assert_nonnull (factory);
  g_assert_cmpstr (gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_AUTHOR), ==,
                   "The Weir developers");
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    g_assert_cmpuint (strlen (gst_element_factory_get_metadata (factory, keys[i])), >, 10);
  }
  const gchar *text = gst_element_factory_get_metadata (factory, "long-description");
  static const gchar *const says[]
      = { "rtcp_sink", "rtcp_src", "sync=false", "clocksync", "send_rtp_sink_0", "Example" };
  for (guint i = 0; i < G_N_ELEMENTS (says); i++) {
    g_assert_nonnull (strstr (text, says[i]));
  }
  g_assert_cmpuint (gst_element_factory_get_num_pad_templates (factory), ==, 4);
  gst_object_unref (factory);
}

static void
test_launch_lines_link (void)
{
  static const gchar *const lines[] = {
    "videotestsrc ! vp8enc ! rtpvp8pay ! weirsend name=s ! udpsink sync=false  udpsrc ! "
    "s.rtcp_sink",
    "audiotestsrc ! opusenc ! rtpopuspay ! weirsend ! fakesink",
    "weirsend name=s ! rtpbin.send_rtp_sink_0 rtpbin name=rtpbin fakesrc ! application/x-rtp ! s.",
    "weirsend name=s min-bitrate=150000 max-bitrate=4000000 ! fakesink s.rtcp_src ! fakesink "
    "fakesrc ! s.rtcp_sink fakesrc ! s.sink",
    "fakesrc ! application/x-rtp(memory:DMABuf) ! weirsend ! fakesink",
  };
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    GError *error = NULL;
    GstElement *pipeline = gst_parse_launch (lines[i], &error);
    g_assert_no_error (error);
    gst_object_unref (pipeline);
  }
}

static void
test_only_rtp_links (void)
{
  GError *error = NULL;
  GstElement *pipeline
      = gst_parse_launch ("videotestsrc ! video/x-raw ! weirsend ! fakesink", &error);
  g_assert_error (error, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK);
  g_clear_error (&error);
  g_clear_object (&pipeline);
}

/* --- Its life --- */

/* Threads of this process, as the kernel counts them. */
static guint
count_threads (void)
{
  gchar *status = NULL;
  guint n = 0;
  g_assert_true (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  sscanf (strstr (status, "Threads:"), "Threads: %u", &n);
  g_free (status);
  return n;
}

/* Threads that are left when GLib's pools have let theirs go. A thread that ends stays in the
   kernel's count for as long as the machine takes to run it once more: hence the wait. */
static guint
wait_for_threads (guint at_most)
{
  guint n = 0;
  for (guint i = 0; i < 200; i++) {
    g_thread_pool_stop_unused_threads ();
    n = count_threads ();
    if (n <= at_most) {
      break;
    }
    g_usleep (100 * 1000);
  }
  return n;
}

static void
test_a_hundred_runs_leave_no_thread (void)
{
  Rig *rig = rig_new_idle (FIXED_2M "encoders=none");
  GstPad *in = gst_element_request_pad_simple (rig->send, "rtcp_sink");
  GstPad *out = gst_element_request_pad_simple (rig->send, "rtcp_src");
  guint before = 0;
  for (guint i = 0; i <= 100; i++) {
    g_assert_cmpint (gst_element_set_state (rig->send, GST_STATE_PLAYING), !=,
                     GST_STATE_CHANGE_FAILURE);
    g_assert_cmpint (gst_element_set_state (rig->send, GST_STATE_NULL), !=,
                     GST_STATE_CHANGE_FAILURE);
    if (i == 0) {
      before = wait_for_threads (1); /* GLib's own, begun with the first run, stay */
    }
  }
  g_assert_cmpuint (wait_for_threads (before), <=, before);
  gst_element_release_request_pad (rig->send, in);
  gst_element_release_request_pad (rig->send, out);
  gst_object_unref (in);
  gst_object_unref (out);
  rig_free (rig);
}

static void
test_states_may_change_in_any_order (void)
{
  static const GstState order[] = {
    GST_STATE_READY,   GST_STATE_NULL,    GST_STATE_PAUSED,  GST_STATE_READY, GST_STATE_PAUSED,
    GST_STATE_PLAYING, GST_STATE_PAUSED,  GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_PLAYING,
    GST_STATE_NULL,    GST_STATE_PLAYING, GST_STATE_PLAYING, GST_STATE_NULL,  GST_STATE_NULL,
  };
  Rig *rig = rig_new_idle ("");
  for (guint round = 0; round < 5; round++) {
    for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
      g_assert_cmpint (gst_element_set_state (rig->send, order[i]), !=, GST_STATE_CHANGE_FAILURE);
    }
  }
  rig_free (rig);
}

/* With packets waiting, and pads deactivated under them. */
static void
test_stopping_with_packets_queued_frees_them (void)
{
  for (guint i = 0; i < 20; i++) {
    Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
    GstBuffer *buffer = rtp (0, 1172);
    for (guint k = 0; k < 20; k++) {
      gst_harness_push (rig->h, gst_buffer_ref (buffer));
    }
    gst_harness_push_event (rig->h, gst_event_new_eos ());
    gst_element_set_state (rig->send, GST_STATE_NULL);
    rig_free (rig);
    g_assert_cmpint (GST_MINI_OBJECT_REFCOUNT_VALUE (buffer), ==, 1);
    gst_buffer_unref (buffer);
  }
}

/* Each run begins anew: counters, numbers, limits. */
static void
test_a_new_run_begins_at_zero (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  gst_harness_push (rig->h, rtp (0, 100));
  rig_settle (rig);
  g_assert_cmpuint (rig_stat (rig, "packets-sent"), ==, 1);
  gst_element_set_state (rig->send, GST_STATE_READY);
  gst_element_set_state (rig->send, GST_STATE_PLAYING);
  g_assert_cmpuint (rig_stat (rig, "packets-sent"), ==, 0);
  rig_free (rig);
}

static void
test_an_unused_element_can_be_freed (void)
{
  for (guint i = 0; i < 100; i++) {
    GstElement *send = gst_element_factory_make ("weirsend", NULL);
    gst_object_unref (gst_object_ref_sink (send));
  }
}

static void
test_the_target_is_readable_in_every_state (void)
{
  Rig *rig = rig_new_idle ("start-bitrate=123456 encoders=none");
  static const GstState order[] = { GST_STATE_NULL, GST_STATE_READY, GST_STATE_PLAYING };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    guint bps = 0;
    GstStructure *stats = NULL;
    gst_element_set_state (rig->send, order[i]);
    g_object_get (rig->send, "target-bitrate", &bps, "stats", &stats, NULL);
    g_assert_cmpuint (bps, ==, 123456);
    g_assert_nonnull (stats);
    gst_structure_free (stats);
  }
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend/" #name, test_##name)
  ADD (the_manual_is_complete);
  ADD (launch_lines_link);
  ADD (only_rtp_links);
  ADD (a_hundred_runs_leave_no_thread);
  ADD (states_may_change_in_any_order);
  ADD (stopping_with_packets_queued_frees_them);
  ADD (a_new_run_begins_at_zero);
  ADD (an_unused_element_can_be_freed);
  ADD (the_target_is_readable_in_every_state);
  return g_test_run ();
}
