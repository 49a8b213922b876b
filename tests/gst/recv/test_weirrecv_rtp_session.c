/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weirrecv before a stock session, both on a test clock whose time moves only when both wait. */
#include <gst/check/gsttestclock.h>
#include <gst/rtp/rtp.h>
#include <string.h>

#include "weir/weir.h"

#define CAPS "application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU,payload=0"
#define TWCC_CAPS CAPS ",extmap-3=(string)" WEIR_TWCC_URI
#define PACKET_NS (20 * GST_MSECOND)

/* The receiver's session behind it. */
#define SESSION                                                                                    \
  " name=r ! rs.recv_rtp_sink rtpsession name=rs rs.recv_rtp_src ! fakesink async=false "          \
  "rs.send_rtcp_src ! fakesink async=false "
#define OWN "r.rtcp_src ! fakesink async=false"

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

typedef struct
{
  GstTestClock *clock;
  GstElement *pipeline, *recv;
  GstPad *src; /* sound, 20 ms per packet, without marker bits */
  guint n_packets;
  gboolean numbered; /* packets carry the transport-wide number */
  Count count;
} Rig;

static void
watch (Rig *rig, const gchar *name, const gchar *pad_name, GstPadProbeCallback callback)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (rig->pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  g_assert_nonnull (pad);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, &rig->count, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

/* A source of its own feeds the element "r" in text. */
static Rig *
start (const gchar *text, const gchar *caps)
{
  Rig *rig = g_new0 (Rig, 1);
  GError *error = NULL;
  GstSegment segment;
  rig->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  gst_system_clock_set_default (GST_CLOCK (rig->clock));
  rig->pipeline = gst_parse_launch (text, &error);
  g_assert_no_error (error);
  gst_pipeline_use_clock (GST_PIPELINE (rig->pipeline), GST_CLOCK (rig->clock));
  rig->recv = gst_bin_get_by_name (GST_BIN (rig->pipeline), "r");
  rig->src = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  GstPad *sink = gst_element_get_static_pad (rig->recv, "sink");
  gst_pad_link_full (rig->src, sink, GST_PAD_LINK_CHECK_NOTHING);
  gst_object_unref (sink);
  g_assert_cmpint (gst_element_set_state (rig->pipeline, GST_STATE_PLAYING), ==,
                   GST_STATE_CHANGE_SUCCESS);
  gst_pad_set_active (rig->src, TRUE);
  gst_pad_push_event (rig->src, gst_event_new_stream_start ("sound"));
  GstCaps *parsed = gst_caps_from_string (caps);
  gst_pad_push_event (rig->src, gst_event_new_caps (parsed));
  gst_caps_unref (parsed);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (rig->src, gst_event_new_segment (&segment));
  rig->numbered = strstr (caps, "extmap-3") != NULL;
  return rig;
}

static Rig *
start_with_session (const gchar *element, const gchar *caps)
{
  gchar *text = g_strconcat (element, SESSION, OWN, NULL);
  Rig *rig = start (text, caps);
  watch (rig, "rs", "send_rtcp_src", on_rtcp);
  watch (rig, "r", "rtcp_src", on_own);
  g_free (text);
  return rig;
}

/* Time goes on whenever both the session and the element wait for it. */
static void
pass (Rig *rig, GstClockTime duration_ns)
{
  GstClockTime end = gst_clock_get_time (GST_CLOCK (rig->clock)) + duration_ns;
  for (;;) {
    GstClockID id = NULL;
    gst_test_clock_wait_for_multiple_pending_ids (rig->clock, 2, NULL);
    gst_test_clock_peek_next_pending_id (rig->clock, &id);
    GstClockTime due = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
    if (due > end) {
      break;
    }
    gst_test_clock_crank (rig->clock);
  }
  gst_test_clock_set_time (rig->clock, MAX (end, gst_clock_get_time (GST_CLOCK (rig->clock))));
}

static GstBuffer *
make_packet (Rig *rig)
{
  guint8 bytes[180] = { 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 };
  const guint8 extension[] = { 0xbe, 0xde, 0, 1, 0x31, 0, 0, 0 };
  guint16 n = (guint16) rig->n_packets++;
  GST_WRITE_UINT16_BE (bytes + 2, n);
  GST_WRITE_UINT32_BE (bytes + 4, (guint32) n * 160);
  if (rig->numbered) {
    bytes[0] |= 0x10;
    memcpy (bytes + 12, extension, sizeof extension);
    bytes[17] = (guint8) (n >> 8);
    bytes[18] = (guint8) n;
  }
  GstBuffer *buffer = gst_buffer_new_memdup (bytes, sizeof bytes);
  GST_BUFFER_PTS (buffer) = gst_clock_get_time (GST_CLOCK (rig->clock));
  return buffer;
}

static void
speak (Rig *rig, guint ms)
{
  for (guint i = 0; i < ms * GST_MSECOND / PACKET_NS; i++) {
    g_assert_cmpint (gst_pad_push (rig->src, make_packet (rig)), ==, GST_FLOW_OK);
    pass (rig, PACKET_NS);
  }
}

static void
stop (Rig *rig)
{
  gst_element_set_state (rig->pipeline, GST_STATE_NULL);
  gst_object_unref (rig->recv);
  gst_object_unref (rig->pipeline);
  gst_object_unref (rig->src);
  gst_system_clock_set_default (NULL);
  gst_object_unref (rig->clock);
  g_free (rig);
}

static GObject *
internal_session (Rig *rig)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (rig->pipeline), "rs");
  GObject *session = NULL;
  g_object_get (element, "internal-session", &session, NULL);
  gst_object_unref (element);
  return session;
}

static guint64
counter (Rig *rig, const gchar *name)
{
  GstStructure *stats;
  guint64 n = 0;
  g_object_get (rig->recv, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, name, &n));
  gst_structure_free (stats);
  return n;
}

static gboolean
in_session (Rig *rig)
{
  GstStructure *stats;
  gboolean is = FALSE;
  g_object_get (rig->recv, "stats", &stats, NULL);
  gst_structure_get_boolean (stats, "in-session", &is);
  gst_structure_free (stats);
  return is;
}

/* Another thread hands them out, in its own time. */
static void
await_own (Rig *rig, gint n)
{
  while (g_atomic_int_get ((gint *) &rig->count.own) < n) {
    g_usleep (1000);
  }
}

static void
test_session_sends_rfc_8888_for_us (void)
{
  Rig *rig = start_with_session ("weirrecv", CAPS);
  guint ssrc;
  speak (rig, 1500);
  g_assert_true (in_session (rig));
  GObject *session = internal_session (rig);
  g_object_get (session, "internal-ssrc", &ssrc, NULL);
  g_assert_cmpuint (rig->count.ccfb, >=, 10);
  g_assert_cmpuint (rig->count.ccfb, <=, 60);
  g_assert_cmpuint (rig->count.sender_ssrc, ==, ssrc); /* one participant, one SSRC */
  g_assert_cmpint (g_atomic_int_get ((gint *) &rig->count.own), ==, 0);
  g_object_unref (session);
  stop (rig);
}

static void
test_session_sends_remb_for_us (void)
{
  Rig *rig = start_with_session ("weirrecv feedback-format=remb feedback-interval=100000000", CAPS);
  speak (rig, 1200);
  g_assert_cmpuint (rig->count.remb, >=, 3);
  g_assert_cmpuint (rig->count.ccfb, ==, 0);
  stop (rig);
}

/* Sound has no marker bits: without the interval a stock session would send next to nothing. */
static void
test_transport_wide_feedback_becomes_prompt (void)
{
  Rig *rig = start_with_session ("weirrecv feedback-format=twcc", TWCC_CAPS);
  speak (rig, 1500);
  g_assert_cmpuint (rig->count.twcc, >=, 12);
  g_assert_cmpuint (rig->count.ccfb, ==, 0);
  stop (rig);
}

/* With the extension the session reports each packet; twice would be worse than once. */
static void
test_no_packet_is_reported_twice (void)
{
  Rig *rig = start_with_session ("weirrecv", TWCC_CAPS);
  speak (rig, 1000);
  g_assert_cmpuint (rig->count.twcc, >=, 8);
  g_assert_cmpuint (rig->count.ccfb, ==, 0);
  /* The session's are not counted. */
  g_assert_cmpuint (counter (rig, "feedback-packets"), ==, 0);
  stop (rig);
}

/* The session cuts its feedback when a packet comes, so the end of a talk spurt stays unreported in
 * the silence behind it. */
static void
test_silence_does_not_change_the_format (void)
{
  Rig *rig = start_with_session ("weirrecv", TWCC_CAPS);
  for (guint i = 0; i < 2; i++) {
    speak (rig, 500);
    pass (rig, 1600 * GST_MSECOND);
  }
  speak (rig, 300);
  g_assert_cmpuint (rig->count.twcc, >=, 10);
  g_assert_cmpuint (rig->count.ccfb, ==, 0);
  stop (rig);
}

/* Caps that announce an extension which no packet carries do not silence us. */
static void
test_empty_promise_of_numbers_is_noticed (void)
{
  Rig *rig = start_with_session ("weirrecv", TWCC_CAPS);
  rig->numbered = FALSE;
  speak (rig, 1000);
  g_assert_cmpuint (rig->count.twcc, ==, 0);
  g_assert_cmpuint (rig->count.ccfb, >=, 6);
  stop (rig);
}

static void
test_receiver_reports_become_frequent (void)
{
  Rig *rig = start_with_session ("weirrecv feedback-format=rr", CAPS);
  speak (rig, 1500);
  g_assert_cmpuint (rig->count.rr, >=, 10); /* stock: the first after 2 s */
  stop (rig);
}

/* What the sender says to the session is told to the element: here a sender report. */
static void
test_rtcp_of_the_sender_is_heard (void)
{
  static const guint8 report[28] = { 0x80, 200, 0, 6, 0, 0, 0, 9 };
  Rig *rig = start_with_session ("weirrecv", CAPS);
  GstElement *element = gst_bin_get_by_name (GST_BIN (rig->pipeline), "rs");
  GstPad *pad = gst_element_request_pad_simple (element, "recv_rtcp_sink");
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  speak (rig, 20);
  gst_pad_send_event (pad, gst_event_new_stream_start ("rtcp"));
  gst_pad_send_event (pad, gst_event_new_segment (&segment));
  g_assert_cmpint (gst_pad_chain (pad, gst_buffer_new_memdup (report, sizeof report)), ==,
                   GST_FLOW_OK);
  g_assert_cmpuint (counter (rig, "rtcp-packets"), ==, 1);
  gst_element_release_request_pad (element, pad);
  gst_object_unref (pad);
  gst_object_unref (element);
  stop (rig);
}

/* Its jitter buffer may wait for the clock as well, so that time goes on before the session waits:
 * how long six take is not judged. */
static void
test_rtpbin_is_found_too (void)
{
  Rig *rig = start ("weirrecv name=r ! identity ! rb.recv_rtp_sink_0 rtpbin name=rb rb. ! "
                    "rtppcmudepay ! fakesink "
                    "async=false rb.send_rtcp_src_0 ! fakesink name=out async=false",
                    CAPS);
  watch (rig, "out", "sink", on_rtcp);
  for (guint i = 0, n = 0; i < 1000 && n < 6; i++) {
    speak (rig, 20);
    g_mutex_lock (&rig->count.lock);
    n = rig->count.ccfb;
    g_mutex_unlock (&rig->count.lock);
  }
  g_assert_true (in_session (rig));
  g_assert_cmpuint (rig->count.ccfb, >=, 6);
  stop (rig);
}

static void
test_what_the_user_set_stays (void)
{
  Rig *rig = start ("weirrecv name=r ! rs.recv_rtp_sink rtpsession name=rs rtcp-fraction=0.2 "
                    "rs.recv_rtp_src ! fakesink async=false rs.send_rtcp_src ! fakesink "
                    "async=false",
                    CAPS);
  GObject *session = internal_session (rig);
  gdouble fraction;
  gint profile;
  guint64 interval;
  speak (rig, 200);
  g_object_get (session, "rtcp-fraction", &fraction, "rtp-profile", &profile,
                "twcc-feedback-interval", &interval, NULL);
  g_assert_cmpfloat_with_epsilon (fraction, 0.2, 1e-9);
  g_assert_cmpint (profile, ==, GST_RTP_PROFILE_AVPF);
  g_assert_cmpuint (interval, ==, 50 * GST_MSECOND);
  g_object_unref (session);
  stop (rig);
}

/* A session that only sends is not ours to use: feedback goes out on rtcp_src. */
static void
test_sending_session_is_left_alone (void)
{
  Rig *rig = start ("weirrecv name=r ! rs.send_rtp_sink rtpsession name=rs rs.send_rtp_src ! "
                    "fakesink async=false " OWN,
                    CAPS);
  watch (rig, "r", "rtcp_src", on_own);
  speak (rig, 500);
  g_assert_false (in_session (rig));
  await_own (rig, 3);
  stop (rig);
}

/* Linked to something else while it runs, the element finds that out. */
static void
test_session_is_forgotten_when_unlinked (void)
{
  Rig *rig = start_with_session ("weirrecv", CAPS);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *src = gst_element_get_static_pad (rig->recv, "src");
  GstPad *peer = gst_pad_get_peer (src);
  GstPad *new_peer = gst_element_get_static_pad (sink, "sink");
  speak (rig, 300);
  g_assert_true (in_session (rig));
  g_object_set (sink, "async", FALSE, NULL);
  gst_bin_add (GST_BIN (rig->pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  gst_pad_unlink (src, peer);
  g_assert_cmpint (gst_pad_link (src, new_peer), ==, GST_PAD_LINK_OK);
  speak (rig, 400);
  g_assert_false (in_session (rig));
  await_own (rig, 3);
  gst_object_unref (new_peer);
  gst_object_unref (peer);
  gst_object_unref (src);
  stop (rig);
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
