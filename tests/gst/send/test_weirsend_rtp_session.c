/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTP session is found where it is, and only where our packets are sent. */
#include "send/send_harness.h"

typedef struct
{
  const gchar *name;
  const gchar *line;
  gboolean found;
} Case;

#define SRC "appsrc name=src is-live=true format=time caps=\"" TWCC_CAPS "\""
#define SEND "weirsend name=s encoders=none stats-interval=0 algorithm=fixed "

static const Case cases[] = {
  { "no session", SRC " ! " SEND " ! fakesink async=false", FALSE },
  { "rtpsession",
    SRC " ! " SEND " ! rs.send_rtp_sink rtpsession name=rs rs.send_rtp_src "
        "! fakesink async=false",
    TRUE },
  { "rtpbin",
    SRC " ! " SEND " ! rb.send_rtp_sink_0 rtpbin name=rb rb.send_rtp_src_0 "
        "! fakesink async=false",
    TRUE },
  { "rtpbin behind a queue",
    SRC " ! " SEND " ! queue ! identity ! rb.send_rtp_sink_0 rtpbin name=rb rb.send_rtp_src_0 "
        "! fakesink async=false",
    TRUE },
  { "a session that only receives",
    SRC " ! " SEND " ! identity ! rb.recv_rtp_sink_0 rtpbin name=rb", FALSE },
  { "a receiving session that also sends",
    SRC " ! " SEND " ! rs.recv_rtp_sink rtpsession name=rs fakesrc num-buffers=0 "
        "! application/x-rtp ! rs.send_rtp_sink rs.send_rtp_src ! fakesink async=false",
    FALSE },
  { "behind rtpsession",
    SRC " ! rs.send_rtp_sink rtpsession name=rs rs.send_rtp_src ! queue ! " SEND
        " ! fakesink async=false",
    TRUE },
  { "behind rtpbin",
    SRC " ! rb.send_rtp_sink_0 rtpbin name=rb rb.send_rtp_src_0 ! " SEND " ! fakesink async=false",
    TRUE },
  { "behind rtpbin, before another that receives",
    SRC " ! rb.send_rtp_sink_0 rtpbin name=rb rb.send_rtp_src_0 ! " SEND
        " ! rc.recv_rtp_sink_0 rtpbin name=rc",
    TRUE },
};

static gboolean
session_found (GstElement *send)
{
  GObject *session = NULL;
  GstStructure *stats = NULL;
  gboolean found = FALSE;
  g_object_get (send, "rtp-session", &session, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_boolean (stats, "rtp-session", &found));
  g_assert_cmpint (found, ==, session != NULL);
  gst_structure_free (stats);
  g_clear_object (&session);
  return found;
}

static guint64
stat_of (GstElement *send, const gchar *name)
{
  GstStructure *stats = NULL;
  guint64 value = 0;
  g_object_get (send, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, name, &value));
  gst_structure_free (stats);
  return value;
}

/* Packets of numbers from `from`, whose transport-wide ones begin with `transport`. */
static void
push_numbered_packets (GstElement *pipeline, guint from, guint n, gint transport)
{
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  for (guint i = from; i < from + n; i++) {
    GstFlowReturn flow = GST_FLOW_OK;
    GstBuffer *buffer = rtp_full (i, i * 3000, TRUE, 200, SSRC, transport++);
    GST_BUFFER_PTS (buffer) = i * GST_MSECOND;
    g_signal_emit_by_name (src, "push-buffer", buffer, &flow);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (src);
}

static void
push_packets (GstElement *pipeline, guint from, guint n)
{
  push_numbered_packets (pipeline, from, n, (gint) from + 5000);
}

static void
wait_for_sent (GstElement *send, guint64 n)
{
  for (guint i = 0; i < 5000 && stat_of (send, "packets-sent") < n; i++) {
    g_usleep (1000);
  }
  g_assert_cmpuint (stat_of (send, "packets-sent"), ==, n);
}

static guint64
rendered_by (GstElement *sink)
{
  GstStructure *stats = NULL;
  guint64 rendered = 0;
  g_object_get (sink, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_uint64 (stats, "rendered", &rendered));
  gst_structure_free (stats);
  return rendered;
}

/* A packet counts as sent before it is pushed: until n of them are at the end, or for 30 s. */
static void
wait_for_rendered (GstElement *sink, guint64 n)
{
  for (guint i = 0; i < 30000 && rendered_by (sink) < n; i++) {
    g_usleep (1000);
  }
  g_assert_cmpuint (rendered_by (sink), >=, n);
}

/* And longer than the least RTT: feedback that comes sooner is rejected. */
static void
wait_for_arrived (GstElement *pipeline, guint64 n)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  wait_for_rendered (sink, n);
  g_usleep (20000);
  gst_object_unref (sink);
}

/* Feedback about the number `seq`, as the session's far end would send it. */
static void
feed_twcc (GObject *session, guint seq)
{
  guint8 twcc[] = { 0x8f,         205, 0, 5, 0, 0, 0, 9,    0, 0, 0, 0, (guint8) (seq >> 8),
                    (guint8) seq, 0,   1, 0, 0, 1, 0, 0x20, 1, 4, 0 };
  GstBuffer *buffer = gst_buffer_new_memdup (twcc, sizeof twcc);
  g_signal_emit_by_name (session, "on-receiving-rtcp", buffer);
  gst_buffer_unref (buffer);
}

static void
test_sessions_are_found_where_they_send (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GError *error = NULL;
    g_test_message ("%s", cases[i].name);
    GstElement *pipeline = gst_parse_launch (cases[i].line, &error);
    g_assert_no_error (error);
    GstElement *send = gst_bin_get_by_name (GST_BIN (pipeline), "s");
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    push_packets (pipeline, 0, 10);
    wait_for_sent (send, 10);
    g_assert_cmpint (session_found (send), ==, cases[i].found);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    g_assert_false (session_found (send));
    gst_object_unref (send);
    gst_object_unref (pipeline);
  }
}

static guint
number_behind (GstElement *pipeline, const gchar *sink)
{
  GstSample *sample = NULL;
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), sink);
  g_object_get (element, "last-sample", &sample, NULL);
  g_assert_nonnull (sample);
  guint number = (guint) transport_seq_of (gst_sample_get_buffer (sample));
  gst_sample_unref (sample);
  gst_object_unref (element);
  return number;
}

/* The session writes its own numbers; feedback speaks of those, and is understood. */
static void
test_numbers_written_by_the_session_are_known (void)
{
  GstElement *pipeline
      = gst_parse_launch (SRC " ! " SEND " ! rs.send_rtp_sink rtpsession name=rs rs.send_rtp_src "
                              "! fakesink name=out async=false",
                          NULL);
  GstElement *send = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_packets (pipeline, 0, 20);
  wait_for_arrived (pipeline, 20);
  guint last = number_behind (pipeline, "out");
  g_assert_cmpuint (last, <, 5000); /* not the payloader's */
  GObject *session = NULL;
  g_object_get (send, "rtp-session", &session, NULL);
  feed_twcc (session, last);
  g_object_unref (session);
  g_assert_cmpuint (stat_of (send, "feedback-twcc"), ==, 1);
  g_assert_cmpuint (stat_of (send, "packets-received"), ==, 1);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (send);
  gst_object_unref (pipeline);
}

/* In one memory; the header apart, as payloaders make it; the header's extension apart. */
static GstBuffer *
in_memories (GstBuffer *buffer, guint layout)
{
  const gsize first_bytes[] = { 200, 20, 12 };
  GstBuffer *parts = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_METADATA, 0, 0);
  for (gsize at = 0, n = first_bytes[layout]; at < 200; at += n, n = 200 - at) {
    GstBuffer *part
        = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_DEEP | GST_BUFFER_COPY_MEMORY, at, n);
    parts = gst_buffer_append (parts, part);
  }
  g_assert_cmpuint (gst_buffer_n_memory (parts), ==, layout == 0 ? 1 : 2);
  gst_buffer_unref (buffer);
  return parts;
}

static void
test_numbers_of_all_packets_of_a_list_are_known (void)
{
  GstElement *pipeline
      = gst_parse_launch (SRC " ! " SEND " pacing=off ! rs.send_rtp_sink rtpsession name=rs "
                              "rs.send_rtp_src ! fakesink name=out async=false",
                          NULL);
  GstElement *send = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GstBufferList *list = gst_buffer_list_new ();
  GstFlowReturn flow = GST_FLOW_OK;
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 12; i++) {
    gst_buffer_list_add (list,
                         in_memories (rtp_full (i, 0, i == 11, 200, SSRC, 5000 + (gint) i), i % 3));
  }
  g_signal_emit_by_name (src, "push-buffer-list", list, &flow);
  gst_buffer_list_unref (list);
  wait_for_arrived (pipeline, 12);
  guint last = number_behind (pipeline, "out");
  GObject *session = NULL;
  g_object_get (send, "rtp-session", &session, NULL);
  for (guint i = 0; i < 12; i++) {
    feed_twcc (session, last - 11 + i);
  }
  g_object_unref (session);
  g_assert_cmpuint (stat_of (send, "packets-received"), ==, 12);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (src);
  gst_object_unref (send);
  gst_object_unref (pipeline);
}

/* What packets carried before the session numbered them may be numbers that it gives to others: a
 * pacer changes the order, and rtprtxsend repeats. */
static void
test_numbers_of_before_the_session_hide_none_of_its_own (void)
{
  GstElement *pipeline
      = gst_parse_launch (SRC " ! " SEND " ! rs.send_rtp_sink rtpsession name=rs rs.send_rtp_src "
                              "! fakesink name=out async=false",
                          NULL);
  GstElement *send = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_numbered_packets (pipeline, 0, 20, 0);
  wait_for_sent (send, 20);
  push_numbered_packets (pipeline, 20, 20, 0);
  wait_for_arrived (pipeline, 40);
  GObject *session = NULL;
  g_object_get (send, "rtp-session", &session, NULL);
  guint first = number_behind (pipeline, "out") - 39;
  for (guint i = 0; i < 40; i++) {
    feed_twcc (session, first + i);
  }
  g_object_unref (session);
  g_assert_cmpuint (stat_of (send, "results-unsent"), ==, 0);
  g_assert_cmpuint (stat_of (send, "packets-received"), ==, 40);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (send);
  gst_object_unref (pipeline);
}

/* As the element that owns it, or itself; anything else is refused in words. */
static void
test_a_session_can_be_named (void)
{
  GstElement *pipeline
      = gst_parse_launch (SRC " ! " SEND " ! fakesink async=false   rtpsession name=rs", NULL);
  GstElement *send = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstElement *owner = gst_bin_get_by_name (GST_BIN (pipeline), "rs");
  GstBus *bus = gst_element_get_bus (pipeline);
  GObject *session = NULL;
  guint sent = 0;
  g_object_get (owner, "internal-session", &session, NULL);
  GObject *const given[] = { G_OBJECT (owner), session };
  for (guint i = 0; i < G_N_ELEMENTS (given); i++) {
    g_object_set (send, "rtp-session", given[i], NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    push_packets (pipeline, sent, 5);
    wait_for_sent (send, 5);
    sent += 5;
    feed_twcc (session, sent - 1 + 5000);
    g_assert_cmpuint (stat_of (send, "rtcp-datagrams"), ==, 1);
    gst_element_set_state (send, GST_STATE_READY);
    feed_twcc (session, sent - 1 + 5000); /* nobody listens any more */
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
  g_object_set (send, "rtp-session", pipeline, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_packets (pipeline, sent, 5);
  wait_for_sent (send, 5);
  bus_expect (bus, GST_MESSAGE_WARNING, "rtp-session|GstPipeline|internal-session");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (send, "src");
  gst_pad_send_event (pad, gst_event_new_reconfigure ()); /* it looks again, and says no more */
  push_packets (pipeline, sent + 5, 5);
  wait_for_sent (send, 10);
  g_assert_null (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_object_set (send, "rtp-session", NULL, NULL);
  g_object_unref (session);
  gst_object_unref (bus);
  gst_object_unref (owner);
  gst_object_unref (send);
  gst_object_unref (pipeline);
}

/* The session's sender reports make round-trip times from receiver reports possible. */
static void
test_reports_of_the_session_are_noted (void)
{
  GstElement *pipeline
      = gst_parse_launch (SRC " ! " SEND " ! rs.send_rtp_sink rtpsession name=rs rs.send_rtp_src "
                              "! fakesink async=false",
                          NULL);
  GstElement *send = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GObject *session = NULL;
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_packets (pipeline, 0, 5);
  wait_for_sent (send, 5);
  g_object_get (send, "rtp-session", &session, NULL);
  const guint8 sr[] = { 0x80, 200, 0, 6, 0x11, 0x22, 0x33, 0x44, 0, 0, 0xab, 0xcd, 0xef, 0x01,
                        0,    0,   0, 0, 0,    0,    0,    0,    0, 5, 0,    0,    0,    99 };
  const guint8 rr[] = { 0x81, 201, 0, 7, 0, 0, 0, 9, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0,
                        0,    0,   0, 4, 0, 0, 0, 0, 0xab, 0xcd, 0xef, 0x01, 0, 0, 0, 1 };
  GstBuffer *report = gst_buffer_new_memdup (sr, sizeof sr);
  gboolean changed = TRUE;
  g_signal_emit_by_name (session, "on-sending-rtcp", report, FALSE, &changed);
  g_assert_false (changed);
  g_usleep (30000);
  GstBuffer *answer = gst_buffer_new_memdup (rr, sizeof rr);
  g_signal_emit_by_name (session, "on-receiving-rtcp", answer);
  GstStructure *stats = NULL;
  gint64 rtt_ns = 0;
  g_object_get (send, "stats", &stats, NULL);
  g_assert_true (gst_structure_get_int64 (stats, "rtt", &rtt_ns));
  g_assert_cmpint (rtt_ns, >=, 29 * GST_MSECOND);
  g_assert_cmpint (rtt_ns, <=, 2 * GST_SECOND);
  gst_structure_free (stats);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_buffer_unref (answer);
  gst_buffer_unref (report);
  g_object_unref (session);
  gst_object_unref (send);
  gst_object_unref (pipeline);
}

/* Linked to another session while playing: the old one is left. */
static void
test_relinking_finds_the_new_session (void)
{
  GstElement *pipeline = gst_parse_launch (
      SRC " ! " SEND " ! queue name=q ! rs.send_rtp_sink rtpsession name=rs rs.send_rtp_src "
          "! fakesink name=out async=false  rtpsession name=other",
      NULL);
  GstElement *send = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstElement *queue = gst_bin_get_by_name (GST_BIN (pipeline), "q");
  GstElement *other = gst_bin_get_by_name (GST_BIN (pipeline), "other");
  GObject *first = NULL;
  GObject *second = NULL;
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_packets (pipeline, 0, 5);
  wait_for_arrived (pipeline, 5);
  g_object_get (send, "rtp-session", &first, NULL);
  GstPad *pad = gst_element_get_static_pad (queue, "src");
  GstPad *peer = gst_pad_get_peer (pad);
  gst_pad_unlink (pad, peer);
  g_assert_true (gst_element_link_pads (queue, "src", other, "send_rtp_sink"));
  push_packets (pipeline, 5, 5);
  wait_for_sent (send, 10);
  g_object_get (send, "rtp-session", &second, NULL);
  g_assert_nonnull (second);
  g_assert_true (second != first);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_object_unref (first);
  g_object_unref (second);
  gst_object_unref (peer);
  gst_object_unref (pad);
  gst_object_unref (other);
  gst_object_unref (queue);
  gst_object_unref (send);
  gst_object_unref (pipeline);
}

/* What came from the network is not sent back to it; what leads elsewhere passes. */
static void
test_rtcp_is_not_reflected_to_the_network (void)
{
  static const struct
  {
    const gchar *sink;
    gboolean passes;
  } sinks[] = { { "udpsink host=127.0.0.1 port=9 sync=false async=false name=out", FALSE },
                { "queue ! udpsink host=127.0.0.1 port=9 sync=false async=false name=out", FALSE },
                { "fakesink sync=false async=false name=out", TRUE } };
  static const guint8 bye[] = { 0x81, 203, 0, 1, 0, 0, 0, 9 };
  for (guint i = 0; i < G_N_ELEMENTS (sinks); i++) {
    gchar *text = g_strdup_printf (
        SRC " ! " SEND " ! fakesink async=false s.rtcp_src ! %s "
            "appsrc name=rtcp is-live=true caps=application/x-rtcp ! s.rtcp_sink",
        sinks[i].sink);
    GstElement *pipeline = gst_parse_launch (text, NULL);
    GstElement *send = gst_bin_get_by_name (GST_BIN (pipeline), "s");
    GstElement *rtcp = gst_bin_get_by_name (GST_BIN (pipeline), "rtcp");
    GstElement *out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    push_packets (pipeline, 0, 5);
    wait_for_sent (send, 5);
    for (guint k = 0; k < 50; k++) {
      GstFlowReturn flow = GST_FLOW_OK;
      GstBuffer *buffer = gst_buffer_new_memdup (bye, sizeof bye);
      g_signal_emit_by_name (rtcp, "push-buffer", buffer, &flow);
      gst_buffer_unref (buffer);
    }
    for (guint k = 0; k < 5000 && stat_of (send, "rtcp-datagrams") < 50; k++) {
      g_usleep (1000);
    }
    wait_for_rendered (out, sinks[i].passes ? 50 : 1); /* one is our own report */
    g_usleep (50000);
    g_assert_cmpint (rendered_by (out) >= 50, ==, sinks[i].passes);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (out);
    gst_object_unref (rtcp);
    gst_object_unref (send);
    gst_object_unref (pipeline);
    g_free (text);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_rtp_session/" #name, test_##name)
  ADD (sessions_are_found_where_they_send);
  ADD (numbers_written_by_the_session_are_known);
  ADD (numbers_of_all_packets_of_a_list_are_known);
  ADD (numbers_of_before_the_session_hide_none_of_its_own);
  ADD (a_session_can_be_named);
  ADD (reports_of_the_session_are_noted);
  ADD (relinking_finds_the_new_session);
  ADD (rtcp_is_not_reflected_to_the_network);
  return g_test_run ();
}
