/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole pipelines in real time, in one process, without sockets: stock sessions at both ends, our
 * own receiver, a bottleneck between, and what is said when the far end does not report; and, with
 * libnice's sockets, a webrtcbin. */
#include "pipeline_run.h"

/* --- Stock sessions at both ends --- */

static gboolean
has_raised_the_encoder (gpointer user)
{
  Run *run = user;
  GstElement *encoder = gst_bin_get_by_name (GST_BIN (run->pipeline), "e");
  guint kbps = uint_of (encoder, "bitrate");
  gst_object_unref (encoder);
  return stat_of (run, "feedback-results") >= 30 && uint_of (run->send, "target-bitrate") > 1000000
         && kbps > 900 && run->n_stats >= 4;
}

static void
test_stock_rtpbins_with_twcc (void)
{
  Run run;
  run_begin (&run, "b",
             "rtpbin name=a rtpbin name=b rtp-profile=avpf " VIDEO (
                 "500") " name=e ! " PAY " ! application/x-rtp," X
                        " ! weirsend name=s max-bitrate=2000000" BY_LOSSES " ! a.send_rtp_sink_0 "
                        "a.send_rtp_src_0 ! queue ! " DELAY (
                            "30") " ! b.recv_rtp_sink_0 "
                                  "b. ! rtph264depay ! " END " "
                                  "a.send_rtcp_src_0 ! queue ! " DELAY (
                                      "30") " ! b.recv_rtcp_sink_0 "
                                            "b.send_rtcp_src_0 ! queue ! " DELAY (
                                                "30") " ! a.recv_rtcp_sink_0");
  gboolean raised = run_until (&run, has_raised_the_encoder, &run);
  report (&run);
  g_assert_true (raised);
  g_assert_cmpint (stat_of (&run, "packets-received"), >=, stat_of (&run, "packets-sent") * 8 / 10);
  g_assert_cmpint (stat_of (&run, "packets-lost"), ==, 0);
  g_assert_cmpint (stat_of (&run, "rtt-min"), >=, 55 * GST_MSECOND);
  g_assert_cmpint (stat_of (&run, "rtt-min"), <=, 150 * GST_MSECOND);
  g_assert_null (strstr (run.warnings->str, "No feedback"));
  run_end (&run);
}

static gboolean
explains_rare_reports (gpointer user)
{
  Run *run = user;
  return stat_of (run, "feedback-rr") >= 1 && strstr (run->warnings->str, "extmap-3") != NULL
         && (strstr (run->warnings->str, "receiver reports only") != NULL
             || strstr (run->warnings->str, "No feedback") != NULL);
}

/* Receiver reports, every few seconds: said, with the remedy, and still alive. */
static void
test_a_stock_receiver_without_twcc_is_explained (void)
{
  Run run;
  run_begin (&run, NULL,
             "rtpbin name=a rtpbin name=b " VIDEO (
                 "300") " ! " PAY
                        " ! weirsend name=s ! a.send_rtp_sink_0 a.send_rtp_src_0 ! queue ! "
                        "b.recv_rtp_sink_0 b. ! rtph264depay ! " END
                        " a.send_rtcp_src_0 ! queue ! b.recv_rtcp_sink_0 "
                        "b.send_rtcp_src_0 ! queue ! a.recv_rtcp_sink_0");
  /* Three reports at most, 2.5 to 7.5 s apart (RFC 3550 6.3). */
  gboolean explained = run_until (&run, explains_rare_reports, &run);
  report (&run);
  g_assert_true (explained);
  g_assert_cmpint (stat_of (&run, "packets-sent"), >, 100);
  run_end (&run);
}

static gboolean
is_slow_and_says_why (gpointer user)
{
  Run *run = user;
  return strstr (run->warnings->str, "nothing brings RTCP") != NULL
         && uint_of (run->send, "target-bitrate") < 300000;
}

static void
test_no_feedback_at_all_is_explained (void)
{
  Run run;
  run_begin (&run, NULL, VIDEO ("300") " ! " PAY " ! weirsend name=s ! " END);
  g_assert_true (run_until (&run, is_slow_and_says_why, &run));
  run_end (&run);
}

static gboolean
above_600k (gpointer user)
{
  return uint_of (((Run *) user)->send, "target-bitrate") > 600000;
}

/* Behind the session, as some applications place it. */
static void
test_behind_a_stock_session (void)
{
  Run run;
  run_begin (
      &run, "b",
      "rtpbin name=a rtpbin name=b rtp-profile=avpf " VIDEO (
          "500") " ! " PAY " ! application/x-rtp," X " ! a.send_rtp_sink_0 "
                 "a.send_rtp_src_0 ! weirsend name=s encoders=none max-bitrate=2000000" BY_LOSSES
                 " ! "
                 "queue ! " DELAY (
                     "20") " ! b.recv_rtp_sink_0 b. ! rtph264depay ! " END
                           " a.send_rtcp_src_0 ! queue ! " DELAY (
                               "20") " ! b.recv_rtcp_sink_0 "
                                     "b.send_rtcp_src_0 ! queue ! a.recv_rtcp_sink_0");
  gboolean risen = run_until (&run, above_600k, &run);
  report (&run);
  g_assert_true (risen);
  g_assert_cmpint (stat_of (&run, "packets-received"), >=, stat_of (&run, "packets-sent") * 8 / 10);
  g_assert_cmpint (stat_of (&run, "packets-lost"), ==, 0);
  run_end (&run);
}

static gboolean
has_losses_and_plis (gpointer run)
{
  return stat_of (run, "packets-lost") > 0 && stat_of (run, "plis") > 0;
}

/* Key frames asked for by the receiver reach the encoder. */
static void
test_key_frame_requests_reach_the_encoder (void)
{
  Run run;
  run_begin (
      &run, "b",
      "rtpbin name=a rtpbin name=b rtp-profile=avpf " VIDEO (
          "500") " ! " PAY " ! application/x-rtp," X
                 ",rtcp-fb-nack-pli=(boolean)true ! weirsend name=s "
                 "! a.send_rtp_sink_0 a.send_rtp_src_0 ! queue ! identity drop-probability=0.1 "
                 "! b.recv_rtp_sink_0 b. ! rtph264depay request-keyframe=true ! " END
                 " a.send_rtcp_src_0 ! queue ! b.recv_rtcp_sink_0 "
                 "b.send_rtcp_src_0 ! queue ! a.recv_rtcp_sink_0");
  gboolean reached = run_until (&run, has_losses_and_plis, &run);
  report (&run);
  g_assert_true (reached);
  run_end (&run);
}

/* --- Our own receiver --- */

#define OWN(format, between)                                                                       \
  VIDEO ("500")                                                                                    \
  " ! " PAY " ! application/x-rtp," X " ! weirsend name=s max-bitrate=2000000" BY_LOSSES           \
  " ! queue ! " between " ! weirrecv name=r feedback-format=" format                               \
  " ! rtpjitterbuffer ! rtph264depay ! " END                                                       \
  " r.rtcp_src ! queue ! " DELAY ("20") " ! s.rtcp_sink "                                          \
                                        "s.rtcp_src ! queue ! " DELAY ("20") " ! r.rtcp_sink"

typedef struct
{
  const gchar *format, *line, *counter;
  gint64 least;
  Run run;
} Format;

static Format formats[] = {
  { "ccfb", OWN ("ccfb", DELAY ("20")), "feedback-ccfb", 40, { 0 } },
  { "twcc", OWN ("twcc", DELAY ("20")), "feedback-twcc", 40, { 0 } },
  { "rr", OWN ("rr", DELAY ("20")), "feedback-rr", 10, { 0 } },
};

static gboolean
reports_in_its_format (gpointer user)
{
  Format *format = user;
  run_for (&format->run, 0.01); /* all of them run at the same time */
  return stat_of (&format->run, format->counter) >= format->least
         && uint_of (format->run.send, "target-bitrate") > 400000;
}

static void
test_weirrecv_in_each_format (void)
{
  if (!has_element ("weirrecv")) {
    g_test_skip ("no weirrecv in this build");
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++) {
    run_begin (&formats[i].run, NULL, formats[i].line);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++) {
    Run *run = &formats[i].run;
    gboolean reported = run_until (run, reports_in_its_format, &formats[i]);
    g_test_message ("%s", formats[i].format);
    report (run);
    g_assert_true (reported);
    g_assert_cmpint (stat_of (run, "packets-lost"), ==, 0);
    g_assert_cmpint (stat_of (run, "rtt"), >=, 35 * GST_MSECOND);
    g_assert_cmpint (stat_of (run, "rtt"), <=, 200 * GST_MSECOND);
    g_assert_cmpstr (run->warnings->str, ==, "");
    run_end (run);
  }
}

static gboolean
below_600k (gpointer user)
{
  return uint_of (((Run *) user)->send, "target-bitrate") < 600000;
}

/* Much less capacity: the target goes below it, and what was lost meanwhile is little. */
static void
test_a_bottleneck_is_followed (void)
{
  if (!has_element ("weirrecv") || !has_element ("weirlink")) {
    g_test_skip ("no weirrecv or weirlink in this build");
    return;
  }
  Run run;
  run_begin (&run, NULL,
             OWN ("ccfb", "weirlink name=l capacity=1600000 delay=40000000 "
                          "queue-time=200000000 seed=1"));
  g_assert_true (run_until (&run, above_600k, &run));
  GstElement *link = gst_bin_get_by_name (GST_BIN (run.pipeline), "l");
  g_object_set (link, "capacity", (guint64) 600000, NULL);
  gboolean followed = run_until (&run, below_600k, &run);
  report (&run);
  g_assert_true (followed);
  g_assert_cmpint (stat_of (&run, "packets-lost"), <, stat_of (&run, "packets-sent") / 10);
  gst_object_unref (link);
  run_end (&run);
}

/* The end of the stream reaches every sink, that of our RTCP too. */
static void
test_the_end_reaches_all_sinks (void)
{
  Run run;
  run_begin (&run, NULL,
             "videotestsrc num-buffers=30 ! " SIZE " ! clocksync ! x264enc tune=zerolatency "
             "speed-preset=ultrafast bitrate=300 ! " PAY " ! weirsend name=s ! fakesink "
             "sync=false s.rtcp_src ! fakesink sync=false");
  run_for (&run, PATIENCE_S);
  g_assert_true (run.eos);
  g_assert_cmpint (stat_of (&run, "packets-sent"), >=, 30);
  run_end (&run);
}

/* A file without a clock: slowed down to the rate, not thrown away. */
static void
test_a_source_without_a_clock_loses_nothing (void)
{
  Run run;
  run_begin (&run, NULL,
             "videotestsrc num-buffers=60 ! " SIZE " ! x264enc tune=zerolatency "
             "speed-preset=ultrafast bitrate=300 ! " PAY
             " ! weirsend name=s algorithm=fixed start-bitrate=1000000 ! fakesink "
             "sync=false");
  run_for (&run, PATIENCE_S);
  g_assert_true (run.eos);
  g_assert_cmpint (stat_of (&run, "packets-sent"), >=, 60);
  g_assert_cmpint (stat_of (&run, "dropped-packets"), ==, 0);
  run_end (&run);
}

/* --- ECN before webrtcbin --- */

static void
on_candidate (G_GNUC_UNUSED GstElement *from, guint line, const gchar *candidate, gpointer to)
{
  g_signal_emit_by_name (to, "add-ice-candidate", line, candidate);
}

/* What a webrtcbin offers or answers. */
static GstPromise *
make_description (GstElement *webrtc, const gchar *signal)
{
  GstPromise *promise = gst_promise_new ();
  g_signal_emit_by_name (webrtc, signal, NULL, promise);
  g_assert_cmpint (gst_promise_wait (promise), ==, GST_PROMISE_RESULT_REPLIED);
  return promise;
}

static void
describe (GstElement *webrtc, const gchar *signal, GstPromise *made, const gchar *kind)
{
  const GValue *description = gst_structure_get_value (gst_promise_get_reply (made), kind);
  g_autoptr (GstPromise) promise = gst_promise_new ();
  g_assert_nonnull (description);
  g_signal_emit_by_name (webrtc, signal, g_value_get_boxed (description), promise);
  gst_promise_wait (promise);
}

static void
negotiate (GstElement *near, GstElement *far)
{
  g_signal_connect (near, "on-ice-candidate", G_CALLBACK (on_candidate), far);
  g_signal_connect (far, "on-ice-candidate", G_CALLBACK (on_candidate), near);
  g_autoptr (GstPromise) offer = make_description (near, "create-offer");
  describe (near, "set-local-description", offer, "offer");
  describe (far, "set-remote-description", offer, "offer");
  g_autoptr (GstPromise) answer = make_description (far, "create-answer");
  describe (far, "set-local-description", answer, "answer");
  describe (near, "set-remote-description", answer, "answer");
}

static gboolean
has_sent (gpointer run)
{
  return stat_of (run, "packets-sent") > 0;
}

static gboolean
has_said_why_no_ecn (gpointer user)
{
  Run *run = user;
  return strstr (run->warnings->str, "No packet is ECN-capable") != NULL;
}

typedef struct
{
  Run *run;
  gint64 packets;
} Goal;

static gboolean
has_sent_so_many (gpointer user)
{
  Goal *goal = user;
  return stat_of (goal->run, "packets-sent") >= goal->packets;
}

static void
end_stream (GstElement *webrtc, GstPad *pad, gpointer pipeline)
{
  if (GST_PAD_IS_SRC (pad)) {
    GstElement *sink = gst_element_factory_make ("fakesink", NULL);
    g_object_set (sink, "async", FALSE, NULL);
    gst_bin_add (pipeline, sink);
    gst_element_sync_state_with_parent (sink);
    g_assert_true (gst_element_link_pads (webrtc, GST_PAD_NAME (pad), sink, "sink"));
  }
}

/* Not before it has a peer, when nothing can leave and nothing is behind it, and not twice. */
static void
test_webrtcbin_sends_no_ecn_and_this_is_said_once (void)
{
  if (!has_element ("webrtcbin") || !has_element ("nicesink") || !has_element ("dtlssrtpenc")) {
    g_test_skip ("no webrtcbin here");
    return;
  }
  Run run;
  run_begin (&run, NULL,
             VIDEO ("300") " ! " PAY " ! weirsend name=s ecn=auto ! application/x-rtp,payload=96 "
                           "! webrtcbin name=near  webrtcbin name=far");
  GstElement *near = gst_bin_get_by_name (GST_BIN (run.pipeline), "near");
  GstElement *far = gst_bin_get_by_name (GST_BIN (run.pipeline), "far");
  g_assert_true (run_until (&run, has_sent, &run));
  g_assert_false (has_said_why_no_ecn (&run));
  g_signal_connect (far, "pad-added", G_CALLBACK (end_stream), run.pipeline);
  negotiate (near, far);
  g_assert_true (run_until (&run, has_said_why_no_ecn, &run));
  Goal goal = { &run, stat_of (&run, "packets-sent") + 100 };
  g_assert_true (run_until (&run, has_sent_so_many, &goal));
  gchar *first = strstr (run.warnings->str, "No packet is ECN-capable");
  g_assert_nonnull (strstr (first, "the sockets of webrtcbin are libnice's"));
  g_assert_null (strstr (first + 1, "No packet is ECN-capable"));
  GstStructure *stats = NULL;
  g_object_get (run.send, "stats", &stats, NULL);
  g_assert_cmpstr (gst_structure_get_string (stats, "ecn"), ==, "off");
  gst_structure_free (stats);
  gst_object_unref (near);
  gst_object_unref (far);
  run_end (&run);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  g_log_set_handler ("GStreamer", G_LOG_LEVEL_WARNING, on_log, NULL);
#define ADD(name) g_test_add_func ("/gst/pipelines/" #name, test_##name)
  ADD (stock_rtpbins_with_twcc);
  ADD (a_stock_receiver_without_twcc_is_explained);
  ADD (no_feedback_at_all_is_explained);
  ADD (behind_a_stock_session);
  ADD (key_frame_requests_reach_the_encoder);
  ADD (weirrecv_in_each_format);
  ADD (a_bottleneck_is_followed);
  ADD (the_end_reaches_all_sinks);
  ADD (a_source_without_a_clock_loses_nothing);
  ADD (webrtcbin_sends_no_ecn_and_this_is_said_once);
  return g_test_run ();
}
