/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP pads: what passes, what is sent, and pads that come and go while playing. */
#include "send/send_harness.h"

static const guint8 bye[] = { 0x81, 203, 0, 1, 0, 0, 0, 9 };

static GstHarness *
rtcp_sink (Rig *rig)
{
  GstHarness *h = gst_harness_new_with_element (rig->send, "rtcp_sink", NULL);
  gst_harness_set_src_caps_str (h, "application/x-rtcp");
  return h;
}

static guint
rtcp_type (GstBuffer *buffer)
{
  guint8 bytes[2] = { 0 };
  gst_buffer_extract (buffer, 0, bytes, sizeof bytes);
  return bytes[1];
}

static guint32
word (GstBuffer *buffer, gsize index)
{
  guint8 bytes[4] = { 0 };
  gst_buffer_extract (buffer, index * 4, bytes, sizeof bytes);
  return GST_READ_UINT32_BE (bytes);
}

static void
test_rtcp_passes_from_pad_to_pad (void)
{
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  GstHarness *in = rtcp_sink (rig);
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  for (guint i = 0; i < 10; i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (bye, sizeof bye);
    g_assert_cmpint (gst_harness_push (in, gst_buffer_ref (buffer)), ==, GST_FLOW_OK);
    GstBuffer *passed = gst_harness_pull (out);
    g_assert_true (passed == buffer);
    gst_buffer_unref (passed);
    gst_buffer_unref (buffer);
  }
  g_assert_cmpuint (rig_stat (rig, "rtcp-datagrams"), ==, 10);
  const GstEventType order[] = { GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    GstEvent *event = gst_harness_pull_event (out);
    g_assert_cmpint (GST_EVENT_TYPE (event), ==, order[i]);
    gst_event_unref (event);
  }
  gst_harness_teardown (out);
  gst_harness_teardown (in);
  rig_free (rig);
}

/* Without an RTP session we are the one that sends sender reports: the first with the first packet,
 * then about every second. */
static void
test_sender_reports_leave_without_a_session (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  gst_harness_push (rig->h, rtp (0, 500));
  GstBuffer *report = gst_harness_pull (out);
  g_assert_cmpuint (rtcp_type (report), ==, 200);
  g_assert_cmpuint (word (report, 1), ==, SSRC);
  g_assert_cmpuint (word (report, 5), ==, 1);   /* packets */
  g_assert_cmpuint (word (report, 6), ==, 488); /* payload bytes */
  gint64 unix_s = g_get_real_time () / 1000000;
  gint64 ntp_s = (gint64) word (report, 2) - 2208988800;
  g_assert_cmpint (ABS (ntp_s - unix_s), <=, 2);
  gst_buffer_unref (report);
  guint n = 0;
  for (guint i = 1; i <= 1000; i++) {
    gst_harness_push (rig->h, rtp (i, 500));
    rig_run_until (rig, i * 10 * GST_MSECOND);
  }
  while ((report = gst_harness_try_pull (out)) != NULL) {
    g_assert_cmpuint (rtcp_type (report), ==, 200);
    gst_buffer_unref (report);
    n++;
  }
  g_assert_cmpuint (n, >=, 5);
  g_assert_cmpuint (n, <=, 20);
  gst_harness_teardown (out);
  rig_free (rig);
}

/* The clock rate of the caps makes the RTP time of later reports right. */
static void
test_reports_know_the_clock_rate (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none",
                      "application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU,payload=0");
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  GstBuffer *last = NULL;
  GstClockTime last_at = 0;
  for (guint i = 0; i < 500; i++) { /* 20 ms each */
    gst_harness_push (rig->h, rtp_full (i, 1000 + i * 160, FALSE, 172, SSRC, -1));
    rig_run_until (rig, (i + 1) * 20 * GST_MSECOND);
    GstBuffer *report = gst_harness_try_pull (out);
    if (report != NULL) {
      gst_clear_buffer (&last);
      last = report;
      last_at = rig_now (rig);
    }
  }
  g_assert_nonnull (last);
  g_assert_cmpuint (last_at, >, 5 * GST_SECOND);
  gint64 expected = 1000 + (gint64) (last_at * 8 / GST_MSECOND);
  g_assert_cmpint (ABS ((gint64) word (last, 4) - expected), <=, 8 * 200);
  gst_buffer_unref (last);
  gst_harness_teardown (out);
  rig_free (rig);
}

static void
test_rtcp_ends_with_the_media (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  gst_harness_push (rig->h, rtp (0, 500));
  gst_harness_push_event (rig->h, gst_event_new_eos ());
  GstEvent *event;
  do {
    event = gst_harness_pull_event (out);
    g_assert_nonnull (event);
    gst_event_unref (event);
  } while (GST_EVENT_TYPE (event) != GST_EVENT_EOS);
  gst_harness_teardown (out);
  rig_free (rig);
}

/* The end of incoming RTCP is not the end of ours. */
static void
test_events_on_rtcp_sink_end_there (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstHarness *in = rtcp_sink (rig);
  g_assert_true (gst_harness_push_event (in, gst_event_new_eos ()));
  gst_harness_push (rig->h, rtp (0, 500));
  rig_settle (rig);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 1);
  gst_harness_teardown (in);
  rig_free (rig);
}

static void
test_a_released_pad_can_be_had_again (void)
{
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  static const gchar *const names[] = { "rtcp_sink", "rtcp_src" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstPad *pad = gst_element_request_pad_simple (rig->send, names[i]);
    g_assert_nonnull (pad);
    gst_element_release_request_pad (rig->send, pad);
    gst_object_unref (pad);
    pad = gst_element_request_pad_simple (rig->send, names[i]);
    g_assert_nonnull (pad);
    gst_element_release_request_pad (rig->send, pad);
    gst_object_unref (pad);
  }
  rig_free (rig);
}

static void
test_pads_come_and_go_while_playing (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  for (guint i = 0; i < 50; i++) {
    GstHarness *in = rtcp_sink (rig);
    GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
    gst_harness_push (rig->h, rtp (i, 500));
    gst_harness_push (in, gst_buffer_new_memdup (bye, sizeof bye));
    gst_buffer_unref (gst_harness_pull (out));
    gst_harness_teardown (out);
    gst_harness_push (in, gst_buffer_new_memdup (bye, sizeof bye));
    gst_harness_teardown (in);
  }
  rig_run_until (rig, GST_SECOND);
  g_assert_cmpuint (rig_n_buffers (rig), ==, 50);
  rig_free (rig);
}

/* RTCP pads have no part in what the media pads negotiate. */
static void
test_media_does_not_touch_the_rtcp_pads (void)
{
  Rig *rig = rig_new (FIXED_2M "encoders=none", VIDEO_CAPS);
  GstHarness *in = rtcp_sink (rig);
  GstHarness *out = gst_harness_new_with_element (rig->send, NULL, "rtcp_src");
  gst_harness_set_sink_caps_str (out, "application/x-rtcp");
  GstPad *sink = gst_element_get_static_pad (rig->send, "sink");
  GstCaps *caps = gst_pad_query_caps (sink, NULL);
  g_assert_false (gst_caps_is_empty (caps));
  g_assert_cmpuint (gst_harness_query_latency (rig->h), ==, 250 * GST_MSECOND);
  gst_harness_push_upstream_event (
      rig->h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("x")));
  GstEvent *event;
  while ((event = gst_harness_try_pull_upstream_event (in)) != NULL) {
    g_assert_cmpint (GST_EVENT_TYPE (event), !=, GST_EVENT_CUSTOM_UPSTREAM);
    gst_event_unref (event);
  }
  gst_caps_unref (caps);
  gst_object_unref (sink);
  gst_harness_teardown (out);
  gst_harness_teardown (in);
  rig_free (rig);
}

/* Pads may be asked for before the element runs, and stay over its states. */
static void
test_pads_work_from_the_start_and_again (void)
{
  Rig *rig = rig_new_idle (FIXED_2M "encoders=none");
  GstPad *in = gst_element_request_pad_simple (rig->send, "rtcp_sink");
  GstPad *out = gst_element_request_pad_simple (rig->send, "rtcp_src");
  for (guint i = 0; i < 10; i++) {
    gst_element_set_state (rig->send, GST_STATE_PLAYING);
    g_assert_true (gst_pad_is_active (in));
    g_assert_true (gst_pad_is_active (out));
    gst_element_set_state (rig->send, GST_STATE_NULL);
    g_assert_false (gst_pad_is_active (out));
  }
  gst_element_release_request_pad (rig->send, in);
  gst_element_release_request_pad (rig->send, out);
  gst_object_unref (in);
  gst_object_unref (out);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_rtcp/" #name, test_##name)
  ADD (rtcp_passes_from_pad_to_pad);
  ADD (sender_reports_leave_without_a_session);
  ADD (reports_know_the_clock_rate);
  ADD (rtcp_ends_with_the_media);
  ADD (events_on_rtcp_sink_end_there);
  ADD (a_released_pad_can_be_had_again);
  ADD (pads_come_and_go_while_playing);
  ADD (media_does_not_touch_the_rtcp_pads);
  ADD (pads_work_from_the_start_and_again);
  return g_test_run ();
}
