/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gst/rtp/rtp.h>
#include <string.h>

#include "weir/weir.h"

#define TWCC_CAPS "application/x-rtp,extmap-3=(string)" WEIR_TWCC_URI

/* 20 ms of sound per packet, without marker bits; real time, no sockets. */
#define SOURCE                                                                                     \
  "audiotestsrc is-live=true samplesperbuffer=160 ! audio/x-raw,rate=8000,channels=1 ! mulawenc "  \
  "! rtppcmupay min-ptime=20000000 max-ptime=20000000 "

/* The receiver's session behind it. */
#define SESSION                                                                                    \
  " ! rs.recv_rtp_sink rtpsession name=rs rs.recv_rtp_src ! fakesink "                             \
  "rs.send_rtcp_src ! fakesink async=false "

/* What a session sent, counted in a probe. */
typedef struct
{
  GMutex lock;
  guint packets;
  guint ccfb, twcc, rr, remb;
  guint own; /* on rtcp_src of weirrecv */
  guint32 media_ssrc;
  guint32 sender_ssrc;
} Count;

static void
count_packet (Count *count, GstRTCPPacket *packet)
{
  GstRTCPType type = gst_rtcp_packet_get_type (packet);
  guint format = gst_rtcp_packet_get_count (packet);
  count->rr += type == GST_RTCP_TYPE_RR || type == GST_RTCP_TYPE_SR;
  count->twcc += type == GST_RTCP_TYPE_RTPFB && format == 15;
  count->remb += type == GST_RTCP_TYPE_PSFB && format == 15;
  if (type == GST_RTCP_TYPE_RTPFB && format == 11) {
    count->ccfb++;
    count->sender_ssrc = gst_rtcp_packet_fb_get_sender_ssrc (packet);
    count->media_ssrc = gst_rtcp_packet_fb_get_media_ssrc (packet);
  }
}

static GstPadProbeReturn
on_rtcp (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Count *count = user;
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  g_assert_true (gst_rtcp_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), GST_MAP_READ, &rtcp));
  g_mutex_lock (&count->lock);
  count->packets++;
  if (gst_rtcp_buffer_get_first_packet (&rtcp, &packet)) {
    do
      count_packet (count, &packet);
    while (gst_rtcp_packet_move_to_next (&packet));
  }
  g_mutex_unlock (&count->lock);
  gst_rtcp_buffer_unmap (&rtcp);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_own (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPadProbeInfo *info, gpointer user)
{
  g_atomic_int_inc ((gint *) &((Count *) user)->own);
  return GST_PAD_PROBE_OK;
}

static GstElement *
start (const gchar *text)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);
  g_assert_no_error (error);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static void
watch (GstElement *pipeline, const gchar *name, const gchar *pad_name, GstPadProbeCallback callback,
       Count *count)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  g_assert_nonnull (pad);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, count, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

/* Runs in real time; a message that ends it early is an error of the pipeline. */
static void
run (GstElement *pipeline, guint ms)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, ms * GST_MSECOND, GST_MESSAGE_ERROR);
  g_assert_null (message);
  gst_object_unref (bus);
}

static void
stop (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static GObject *
internal_session (GstElement *pipeline, const gchar *name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  GObject *session = NULL;
  g_object_get (element, "internal-session", &session, NULL);
  gst_object_unref (element);
  return session;
}

static guint64
counter (GstElement *pipeline, const gchar *name)
{
  GstElement *recv = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  GstStructure *stats;
  guint64 n = 0;
  g_object_get (recv, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, name, &n));
  gst_structure_free (stats);
  gst_object_unref (recv);
  return n;
}

static gboolean
in_session (GstElement *pipeline)
{
  GstElement *recv = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  GstStructure *stats;
  gboolean is = FALSE;
  g_object_get (recv, "stats", &stats, NULL);
  gst_structure_get_boolean (stats, "in-session", &is);
  gst_structure_free (stats);
  gst_object_unref (recv);
  return is;
}

static void
test_session_sends_rfc_8888_for_us (void)
{
  Count count = { 0 };
  GstElement *pipeline
      = start (SOURCE "! weirrecv name=r" SESSION "r.rtcp_src ! fakesink async=false");
  guint ssrc;
  GObject *session;
  watch (pipeline, "rs", "send_rtcp_src", on_rtcp, &count);
  watch (pipeline, "r", "rtcp_src", on_own, &count);
  run (pipeline, 1500);
  g_assert_true (in_session (pipeline));
  session = internal_session (pipeline, "rs");
  g_object_get (session, "internal-ssrc", &ssrc, NULL);
  g_mutex_lock (&count.lock);
  g_assert_cmpuint (count.ccfb, >=, 10);
  g_assert_cmpuint (count.ccfb, <=, 60);
  g_assert_cmpuint (count.sender_ssrc, ==, ssrc); /* one participant, one SSRC */
  g_mutex_unlock (&count.lock);
  g_assert_cmpint (g_atomic_int_get ((gint *) &count.own), ==, 0);
  g_object_unref (session);
  stop (pipeline);
}

/* What the session of a receiver sends within ms; stream ends where the session begins. */
static void
count_in_session (const gchar *stream, guint ms, Count *count)
{
  gchar *text = g_strconcat (stream, SESSION, NULL);
  GstElement *pipeline = start (text);
  watch (pipeline, "rs", "send_rtcp_src", on_rtcp, count);
  run (pipeline, ms);
  stop (pipeline);
  g_free (text);
}

static void
test_session_sends_remb_for_us (void)
{
  Count count = { 0 };
  count_in_session (SOURCE "! weirrecv feedback-format=remb feedback-interval=100000000", 1200,
                    &count);
  g_assert_cmpuint (count.remb, >=, 3);
  g_assert_cmpuint (count.ccfb, ==, 0);
}

/* Sound has no marker bits: without the interval a stock session would send next to nothing. */
static void
test_transport_wide_feedback_becomes_prompt (void)
{
  Count count = { 0 };
  count_in_session (SOURCE "! " TWCC_CAPS " ! weirrecv feedback-format=twcc", 1500, &count);
  g_assert_cmpuint (count.twcc, >=, 12);
  g_assert_cmpuint (count.ccfb, ==, 0);
}

/* With the extension the session reports each packet; twice would be worse than once. */
static void
test_no_packet_is_reported_twice (void)
{
  Count count = { 0 };
  GstElement *pipeline = start (SOURCE "! " TWCC_CAPS " ! weirrecv name=r" SESSION);
  watch (pipeline, "rs", "send_rtcp_src", on_rtcp, &count);
  run (pipeline, 1000);
  g_mutex_lock (&count.lock);
  g_assert_cmpuint (count.twcc, >=, 8);
  g_assert_cmpuint (count.ccfb, ==, 0);
  g_mutex_unlock (&count.lock);
  /* The session's are not counted. */
  g_assert_cmpuint (counter (pipeline, "feedback-packets"), ==, 0);
  stop (pipeline);
}

/* The session cuts its feedback when a packet comes, so the end of a talk spurt stays unreported in
 * the silence behind it. */
static void
test_silence_does_not_change_the_format (void)
{
  Count count = { 0 };
  GstElement *pipeline = start (SOURCE "! " TWCC_CAPS " ! valve name=v ! weirrecv name=r" SESSION);
  GstElement *valve = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  watch (pipeline, "rs", "send_rtcp_src", on_rtcp, &count);
  for (guint i = 0; i < 2; i++) {
    run (pipeline, 500);
    g_object_set (valve, "drop", TRUE, NULL);
    run (pipeline, 1600);
    g_object_set (valve, "drop", FALSE, NULL);
  }
  run (pipeline, 300);
  g_mutex_lock (&count.lock);
  g_assert_cmpuint (count.twcc, >=, 10);
  g_assert_cmpuint (count.ccfb, ==, 0);
  g_mutex_unlock (&count.lock);
  gst_object_unref (valve);
  stop (pipeline);
}

/* Caps that announce an extension which no packet carries do not silence us. */
static void
test_empty_promise_of_numbers_is_noticed (void)
{
  Count count = { 0 };
  count_in_session (SOURCE "auto-header-extension=false ! " TWCC_CAPS " ! weirrecv", 1000, &count);
  g_assert_cmpuint (count.twcc, ==, 0);
  g_assert_cmpuint (count.ccfb, >=, 6);
}

static void
test_receiver_reports_become_frequent (void)
{
  Count count = { 0 };
  count_in_session (SOURCE "! weirrecv feedback-format=rr", 1500, &count);
  g_assert_cmpuint (count.rr, >=, 10); /* stock: the first after 2 s */
}

/* What the sender says to the session is told to the element: here a sender report. */
static void
test_rtcp_of_the_sender_is_heard (void)
{
  static const guint8 report[28] = { 0x80, 200, 0, 6, 0, 0, 0, 9 };
  GstElement *pipeline = start (SOURCE "! weirrecv name=r" SESSION);
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "rs");
  GstPad *pad = gst_element_request_pad_simple (element, "recv_rtcp_sink");
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  while (!in_session (pipeline)) {
    run (pipeline, 10);
  }
  gst_pad_send_event (pad, gst_event_new_stream_start ("rtcp"));
  gst_pad_send_event (pad, gst_event_new_segment (&segment));
  g_assert_cmpint (gst_pad_chain (pad, gst_buffer_new_memdup (report, sizeof report)), ==,
                   GST_FLOW_OK);
  g_assert_cmpuint (counter (pipeline, "rtcp-packets"), ==, 1);
  gst_element_release_request_pad (element, pad);
  gst_object_unref (pad);
  gst_object_unref (element);
  stop (pipeline);
}

static void
test_rtpbin_is_found_too (void)
{
  Count count = { 0 };
  GstElement *pipeline = start (SOURCE "! queue ! weirrecv name=r ! identity ! rb.recv_rtp_sink_0 "
                                       "rtpbin name=rb rb. ! rtppcmudepay ! fakesink async=false "
                                       "rb.send_rtcp_src_0 ! fakesink name=out "
                                       "async=false");
  watch (pipeline, "out", "sink", on_rtcp, &count);
  run (pipeline, 1000);
  g_assert_true (in_session (pipeline));
  g_mutex_lock (&count.lock);
  g_assert_cmpuint (count.ccfb, >=, 6);
  g_mutex_unlock (&count.lock);
  stop (pipeline);
}

static void
test_what_the_user_set_stays (void)
{
  GstElement *pipeline = start (SOURCE "! weirrecv name=r ! rs.recv_rtp_sink rtpsession name=rs "
                                       "rtcp-fraction=0.2 rs.recv_rtp_src ! fakesink "
                                       "rs.send_rtcp_src ! fakesink async=false");
  GObject *session = internal_session (pipeline, "rs");
  gdouble fraction;
  gint profile;
  guint64 interval;
  run (pipeline, 200);
  g_object_get (session, "rtcp-fraction", &fraction, "rtp-profile", &profile,
                "twcc-feedback-interval", &interval, NULL);
  g_assert_cmpfloat_with_epsilon (fraction, 0.2, 1e-9);
  g_assert_cmpint (profile, ==, GST_RTP_PROFILE_AVPF);
  g_assert_cmpuint (interval, ==, 50 * GST_MSECOND);
  g_object_unref (session);
  stop (pipeline);
}

/* A session that only sends is not ours to use: feedback goes out on rtcp_src. */
static void
test_sending_session_is_left_alone (void)
{
  Count count = { 0 };
  GstElement *pipeline = start (SOURCE "! weirrecv name=r ! rs.send_rtp_sink rtpsession name=rs "
                                       "rs.send_rtp_src ! fakesink r.rtcp_src ! fakesink "
                                       "async=false");
  watch (pipeline, "r", "rtcp_src", on_own, &count);
  run (pipeline, 500);
  g_assert_false (in_session (pipeline));
  g_assert_cmpint (g_atomic_int_get ((gint *) &count.own), >=, 3);
  stop (pipeline);
}

/* Linked to something else while it runs, the element finds that out. */
static void
test_session_is_forgotten_when_unlinked (void)
{
  Count count = { 0 };
  GstElement *pipeline
      = start (SOURCE "! weirrecv name=r" SESSION "r.rtcp_src ! fakesink async=false");
  GstElement *recv = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *src = gst_element_get_static_pad (recv, "src");
  GstPad *peer = gst_pad_get_peer (src);
  GstPad *new_peer = gst_element_get_static_pad (sink, "sink");
  gulong block;
  watch (pipeline, "r", "rtcp_src", on_own, &count);
  run (pipeline, 300);
  g_assert_true (in_session (pipeline));
  g_object_set (sink, "async", FALSE, NULL);
  gst_bin_add (GST_BIN (pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  block = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, NULL, NULL, NULL);
  gst_pad_unlink (src, peer);
  g_assert_cmpint (gst_pad_link (src, new_peer), ==, GST_PAD_LINK_OK);
  gst_pad_remove_probe (src, block);
  run (pipeline, 400);
  g_assert_false (in_session (pipeline));
  g_assert_cmpint (g_atomic_int_get ((gint *) &count.own), >=, 3);
  gst_object_unref (new_peer);
  gst_object_unref (peer);
  gst_object_unref (src);
  gst_object_unref (recv);
  stop (pipeline);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/weirrecv_rtp_session/session_sends_rfc_8888_for_us",
                   test_session_sends_rfc_8888_for_us);
  g_test_add_func ("/gst/weirrecv_rtp_session/session_sends_remb_for_us",
                   test_session_sends_remb_for_us);
  g_test_add_func ("/gst/weirrecv_rtp_session/transport_wide_feedback_becomes_prompt",
                   test_transport_wide_feedback_becomes_prompt);
  g_test_add_func ("/gst/weirrecv_rtp_session/no_packet_is_reported_twice",
                   test_no_packet_is_reported_twice);
  g_test_add_func ("/gst/weirrecv_rtp_session/silence_does_not_change_the_format",
                   test_silence_does_not_change_the_format);
  g_test_add_func ("/gst/weirrecv_rtp_session/empty_promise_of_numbers_is_noticed",
                   test_empty_promise_of_numbers_is_noticed);
  g_test_add_func ("/gst/weirrecv_rtp_session/receiver_reports_become_frequent",
                   test_receiver_reports_become_frequent);
  g_test_add_func ("/gst/weirrecv_rtp_session/rtcp_of_the_sender_is_heard",
                   test_rtcp_of_the_sender_is_heard);
  g_test_add_func ("/gst/weirrecv_rtp_session/rtpbin_is_found_too", test_rtpbin_is_found_too);
  g_test_add_func ("/gst/weirrecv_rtp_session/what_the_user_set_stays",
                   test_what_the_user_set_stays);
  g_test_add_func ("/gst/weirrecv_rtp_session/sending_session_is_left_alone",
                   test_sending_session_is_left_alone);
  g_test_add_func ("/gst/weirrecv_rtp_session/session_is_forgotten_when_unlinked",
                   test_session_is_forgotten_when_unlinked);
  return g_test_run ();
}
