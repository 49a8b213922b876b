/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element as its users meet it: the manual in gst-inspect-1.0, pads, and launch lines
 * that link. */
#include "send/send_harness.h"

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

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend/" #name, test_##name)
  ADD (the_manual_is_complete);
  ADD (launch_lines_link);
  ADD (only_rtp_links);
  return g_test_run ();
}
