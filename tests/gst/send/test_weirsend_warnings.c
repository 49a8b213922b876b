/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Warnings about feedback: when, once per episode, and with the cause and the remedy. The watch has
 * no clock, so most of this runs without an element. */
#include "send/send_harness.h"
#include "send/weirsend_warnings.h"

typedef struct
{
  GstWeirSendWatch watch;
  GstWeirSendView view;
  gint64 now_ns;
  gchar *texts[GST_WEIR_N_WARNINGS];
} Watching;

static void
forget_texts (Watching *w)
{
  for (guint i = 0; i < GST_WEIR_N_WARNINGS; i++) {
    g_clear_pointer (&w->texts[i], g_free);
  }
}

static void
begin (Watching *w)
{
  *w = (Watching){ .view = { .algorithm = "tfrc",
                             .needs = WEIR_NEEDS_ARRIVALS | WEIR_HAS_REPORT_FORM,
                             .feedback = WEIR_FEEDBACK_ALL } };
  w->view.stats.rtt_ns = WEIR_UNKNOWN_NS;
  w->view.stats.last_feedback_ns = WEIR_UNKNOWN_NS;
  w->view.stats.feedback_interval_ns = WEIR_UNKNOWN_NS;
  gst_weir_watch_init (&w->watch);
}

/* Sends a packet every 100 ms for `seconds`, looking whenever it is due. Returns how many texts of
 * `warning` came; the last of each kind is kept. */
static guint
send_for (Watching *w, gdouble seconds, GstWeirWarning warning)
{
  guint n = 0;
  gint64 end_ns = w->now_ns + (gint64) (seconds * 1e9);
  for (; w->now_ns < end_ns; w->now_ns += WEIR_MS (100)) {
    gst_weir_watch_sent (&w->watch, w->now_ns);
    if (w->watch.look_ns <= w->now_ns) {
      gchar *texts[GST_WEIR_N_WARNINGS] = { NULL };
      gst_weir_watch_look (&w->watch, &w->view, w->now_ns, texts);
      n += texts[warning] != NULL;
      for (guint i = 0; i < GST_WEIR_N_WARNINGS; i++) {
        if (texts[i] != NULL) {
          g_free (w->texts[i]);
          w->texts[i] = texts[i];
        }
      }
    }
  }
  return n;
}

/* The same with feedback in all that time. */
static guint
send_with_feedback (Watching *w, gdouble seconds, GstWeirWarning warning)
{
  guint n = 0;
  for (gint64 end_ns = w->now_ns + (gint64) (seconds * 1e9); w->now_ns < end_ns;) {
    w->view.stats.last_feedback_ns = w->now_ns;
    n += send_for (w, 0.1, warning);
  }
  return n;
}

static void
assert_says (const gchar *text, const gchar *words)
{
  gchar **list = g_strsplit (words, "|", -1);
  g_assert_nonnull (text);
  for (guint i = 0; list[i] != NULL; i++) {
    if (strstr (text, list[i]) == NULL) {
      g_error ("\"%s\" is not in: %s", list[i], text);
    }
  }
  g_strfreev (list);
}

static void
test_silence_is_reported_after_three_seconds (void)
{
  Watching w;
  begin (&w);
  g_assert_cmpuint (send_for (&w, 2.9, GST_WEIR_WARNING_NO_FEEDBACK), ==, 0);
  g_assert_cmpuint (send_for (&w, 0.3, GST_WEIR_WARNING_NO_FEEDBACK), ==, 1);
  forget_texts (&w);
}

static void
test_silence_is_reported_once_per_episode (void)
{
  Watching w;
  begin (&w);
  g_assert_cmpuint (send_for (&w, 60, GST_WEIR_WARNING_NO_FEEDBACK), ==, 1);
  g_assert_cmpuint (send_with_feedback (&w, 5, GST_WEIR_WARNING_NO_FEEDBACK), ==, 0);
  g_assert_cmpuint (send_for (&w, 60, GST_WEIR_WARNING_NO_FEEDBACK), ==, 1);
  forget_texts (&w);
}

static void
test_nothing_is_reported_while_feedback_comes (void)
{
  Watching w;
  begin (&w);
  w.view.stats.feedback_interval_ns = WEIR_MS (50);
  w.view.stats.rtt_ns = WEIR_MS (40);
  for (guint i = 0; i < GST_WEIR_N_WARNINGS; i++) {
    g_assert_cmpuint (send_with_feedback (&w, 10, (GstWeirWarning) i), ==, 0);
  }
}

static void
test_nothing_is_looked_at_when_nothing_is_sent (void)
{
  Watching w;
  begin (&w);
  g_assert_cmpint (w.watch.look_ns, ==, WEIR_NEVER_NS);
  send_with_feedback (&w, 2, GST_WEIR_WARNING_NO_FEEDBACK);
  w.view.stats.last_feedback_ns = w.now_ns;
  for (guint i = 0; i < 4 && w.watch.look_ns != WEIR_NEVER_NS; i++) {
    w.now_ns = w.watch.look_ns;
    gst_weir_watch_look (&w.watch, &w.view, w.now_ns, w.texts);
  }
  g_assert_cmpint (w.watch.look_ns, ==, WEIR_NEVER_NS);
  for (guint i = 0; i < GST_WEIR_N_WARNINGS; i++) {
    g_assert_null (w.texts[i]);
  }
}

/* A window that is full lets nothing out: that must be noticed too. */
static void
test_silence_after_one_packet_is_reported (void)
{
  Watching w;
  begin (&w);
  gst_weir_watch_sent (&w.watch, 0);
  while (w.watch.look_ns != WEIR_NEVER_NS) {
    g_assert_cmpint (w.watch.look_ns, <=, WEIR_SECONDS (3));
    gst_weir_watch_look (&w.watch, &w.view, w.watch.look_ns, w.texts);
  }
  g_assert_nonnull (w.texts[GST_WEIR_WARNING_NO_FEEDBACK]);
  forget_texts (&w);
}

static void
test_usual_intervals_are_no_silence (void)
{
  Watching w;
  begin (&w);
  w.view.stats.feedback_interval_ns = WEIR_SECONDS (5);
  for (guint i = 0; i < 10; i++) {
    w.view.stats.last_feedback_ns = w.now_ns;
    g_assert_cmpuint (send_for (&w, 5, GST_WEIR_WARNING_NO_FEEDBACK), ==, 0);
  }
  g_assert_cmpuint (send_for (&w, 30, GST_WEIR_WARNING_NO_FEEDBACK), ==, 1);
  forget_texts (&w);
}

typedef struct
{
  const gchar *name;
  gboolean has_session, has_rtcp_sink, has_transport_seq;
  guint64 rtcp_datagrams, rejected, malformed;
  guint feedback;
  const gchar *says;
} Cause;

static const Cause causes[] = {
  { .name = "nothing is connected", .says = "nothing brings RTCP|rtcp_sink|send_rtp_sink_0" },
  { .name = "no RTCP through rtcp_sink",
    .has_rtcp_sink = TRUE,
    .says = "no RTCP arrived|rtcp_sink|weirrecv|rtp-profile=avpf|rtcp-fraction=0.5" },
  { .name = "no RTCP through a session",
    .has_session = TRUE,
    .says = "no RTCP arrived|recv_rtcp_sink|rtp-profile=avpf" },
  { .name = "RTCP of others",
    .rtcp_datagrams = 9,
    .rejected = 7,
    .says = "7 RTCP packets were not believed|belongs to this stream" },
  { .name = "encrypted RTCP",
    .rtcp_datagrams = 9,
    .malformed = 9,
    .says = "9 RTCP packets could not be parsed|SRTCP|srtpdec" },
  { .name = "excluded",
    .rtcp_datagrams = 9,
    .feedback = WEIR_FEEDBACK_CCFB,
    .says = "feedback=auto" },
  { .name = "no extension",
    .rtcp_datagrams = 9,
    .feedback = WEIR_FEEDBACK_ALL,
    .says = "extmap-3=(string)http://|rtp-profile=avpf" },
  { .name = "no report",
    .rtcp_datagrams = 9,
    .feedback = WEIR_FEEDBACK_ALL,
    .has_transport_seq = TRUE,
    .says = "without a report|extmap-3|weirrecv" },
};

static void
test_each_cause_has_its_remedy (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (causes); i++) {
    const Cause *cause = &causes[i];
    Watching w;
    g_test_message ("%s", cause->name);
    begin (&w);
    w.view.has_session = cause->has_session;
    w.view.has_rtcp_sink = cause->has_rtcp_sink;
    w.view.has_transport_seq = cause->has_transport_seq;
    w.view.rtcp_datagrams = cause->rtcp_datagrams;
    w.view.feedback = cause->feedback;
    w.view.stats.rtcp_rejected = cause->rejected;
    w.view.stats.rtcp_malformed = cause->malformed;
    g_assert_cmpuint (send_for (&w, 4, GST_WEIR_WARNING_NO_FEEDBACK), ==, 1);
    assert_says (w.texts[GST_WEIR_WARNING_NO_FEEDBACK], cause->says);
    assert_says (w.texts[GST_WEIR_WARNING_NO_FEEDBACK], "for 3 s");
    forget_texts (&w);
  }
}

static void
test_rare_feedback_is_reported (void)
{
  static const struct
  {
    gint64 interval_ns, rtt_ns;
    gboolean rare;
  } rates[] = {
    { WEIR_UNKNOWN_NS, WEIR_UNKNOWN_NS, FALSE }, { WEIR_MS (1000), WEIR_UNKNOWN_NS, FALSE },
    { WEIR_MS (1001), WEIR_UNKNOWN_NS, TRUE },   { WEIR_MS (1001), WEIR_MS (100), TRUE },
    { WEIR_MS (1900), WEIR_MS (500), FALSE },    { WEIR_MS (2001), WEIR_MS (500), TRUE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++) {
    Watching w;
    begin (&w);
    w.view.stats.feedback_interval_ns = rates[i].interval_ns;
    w.view.stats.rtt_ns = rates[i].rtt_ns;
    g_assert_cmpuint (send_with_feedback (&w, 10, GST_WEIR_WARNING_RARE_FEEDBACK), ==,
                      rates[i].rare ? 1 : 0);
    forget_texts (&w);
  }
}

static void
test_rarity_says_what_the_algorithm_does (void)
{
  Watching w;
  begin (&w);
  w.view.stats.feedback_interval_ns = WEIR_MS (4500);
  w.view.stats.active_formats = WEIR_FEEDBACK_RR;
  send_with_feedback (&w, 3, GST_WEIR_WARNING_RARE_FEEDBACK);
  assert_says (w.texts[GST_WEIR_WARNING_RARE_FEEDBACK],
               "every 4.5 s|receiver reports only|tfrc runs in the form for|extmap-3");
  forget_texts (&w);
  begin (&w);
  w.view.needs = WEIR_NEEDS_ARRIVALS;
  w.view.stats.feedback_interval_ns = WEIR_MS (4500);
  w.view.stats.active_formats = WEIR_FEEDBACK_RR;
  send_with_feedback (&w, 3, GST_WEIR_WARNING_RARE_FEEDBACK);
  assert_says (w.texts[GST_WEIR_WARNING_RARE_FEEDBACK], "cannot run from receiver reports");
  forget_texts (&w);
  begin (&w);
  w.view.stats.feedback_interval_ns = WEIR_MS (1200);
  w.view.stats.active_formats = WEIR_FEEDBACK_TWCC;
  send_with_feedback (&w, 3, GST_WEIR_WARNING_RARE_FEEDBACK);
  assert_says (w.texts[GST_WEIR_WARNING_RARE_FEEDBACK], "every 1.2 s|reacts late|rtcp-fraction");
  forget_texts (&w);
}

static void
test_a_breaker_is_reported_once (void)
{
  Watching w;
  begin (&w);
  w.view.output.state = WEIR_STATE_BREAKER_CEASED;
  g_assert_cmpuint (send_with_feedback (&w, 10, GST_WEIR_WARNING_CEASED), ==, 1);
  assert_says (w.texts[GST_WEIR_WARNING_CEASED], "circuit breaker|when feedback returns");
  w.view.output.state = 0;
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_CEASED), ==, 0);
  w.view.output.state = WEIR_STATE_BREAKER_CEASED;
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_CEASED), ==, 1);
  forget_texts (&w);
}

static void
test_each_warning_has_a_name (void)
{
  for (guint i = 0; i < GST_WEIR_N_WARNINGS; i++) {
    g_assert_cmpstr (gst_weir_warning_name ((GstWeirWarning) i), !=, "unknown");
  }
  g_assert_cmpstr (gst_weir_warning_name (GST_WEIR_N_WARNINGS), ==, "unknown");
}

static GstMessage *
pop_detailed_warning (Rig *rig, const gchar *kind)
{
  GstMessage *message;
  while ((message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_WARNING)) != NULL) {
    const GstStructure *details = NULL;
    gst_message_parse_warning_details (message, &details);
    if (details != NULL
        && g_strcmp0 (gst_structure_get_string (details, "weir-warning"), kind) == 0) {
      return message;
    }
    gst_message_unref (message);
  }
  return NULL;
}

static void
test_the_element_posts_them_with_details (void)
{
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  GstMessage *message = NULL;
  for (guint i = 0; i < 100; i++) {
    gst_harness_push (rig->h, rtp (i, 500));
    rig_run_until (rig, (i + 1) * 50 * GST_MSECOND);
    message = pop_detailed_warning (rig, "no-feedback");
    if (message != NULL) {
      g_assert_cmpuint (rig_now (rig), >=, 3 * GST_SECOND);
      g_assert_cmpuint (rig_now (rig), <=, 3100 * GST_MSECOND);
      gst_message_unref (message);
      break;
    }
  }
  g_assert_nonnull (message);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
#define ADD(name) g_test_add_func ("/gst/weirsend_warnings/" #name, test_##name)
  ADD (silence_is_reported_after_three_seconds);
  ADD (silence_is_reported_once_per_episode);
  ADD (nothing_is_reported_while_feedback_comes);
  ADD (nothing_is_looked_at_when_nothing_is_sent);
  ADD (silence_after_one_packet_is_reported);
  ADD (usual_intervals_are_no_silence);
  ADD (each_cause_has_its_remedy);
  ADD (rare_feedback_is_reported);
  ADD (rarity_says_what_the_algorithm_does);
  ADD (a_breaker_is_reported_once);
  ADD (each_warning_has_a_name);
  ADD (the_element_posts_them_with_details);
  return g_test_run ();
}
