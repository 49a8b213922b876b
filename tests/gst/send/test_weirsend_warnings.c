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
send_for (Watching *w, gdouble seconds, GstWeirSendWarning warning)
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
send_with_feedback (Watching *w, gdouble seconds, GstWeirSendWarning warning)
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
    g_assert_cmpuint (send_with_feedback (&w, 10, (GstWeirSendWarning) i), ==, 0);
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
  w.view.waits = TRUE;
  gst_weir_watch_sent (&w.watch, 0);
  while (w.watch.look_ns != WEIR_NEVER_NS) {
    g_assert_cmpint (w.watch.look_ns, <=, WEIR_SECONDS (3));
    gst_weir_watch_look (&w.watch, &w.view, w.watch.look_ns, w.texts);
  }
  g_assert_nonnull (w.texts[GST_WEIR_WARNING_NO_FEEDBACK]);
  forget_texts (&w);
}

/* The last packet of a talk spurt is lost, and nobody speaks for a minute: no look, no warning; nor
 * when the next spurt begins, whose feedback takes a round trip. */
static void
test_a_lost_packet_before_a_pause_is_no_silence (void)
{
  Watching w;
  begin (&w);
  g_assert_cmpuint (send_with_feedback (&w, 2, GST_WEIR_WARNING_NO_FEEDBACK), ==, 0);
  g_assert_cmpuint (send_for (&w, 0.1, GST_WEIR_WARNING_NO_FEEDBACK), ==, 0);
  for (guint i = 0; w.watch.look_ns != WEIR_NEVER_NS; i++) {
    g_assert_cmpuint (i, <, 3);
    gst_weir_watch_look (&w.watch, &w.view, w.watch.look_ns, w.texts);
  }
  w.now_ns += WEIR_SECONDS (60);
  g_assert_cmpuint (send_for (&w, 1.5, GST_WEIR_WARNING_NO_FEEDBACK), ==, 0);
  g_assert_null (w.texts[GST_WEIR_WARNING_NO_FEEDBACK]);
  g_assert_cmpuint (send_for (&w, 3, GST_WEIR_WARNING_NO_FEEDBACK), ==, 1);
  forget_texts (&w);
}

/* Opus with DTX: a packet every 0.4 s in silence, each reported 0.2 s later, for minutes. */
static void
test_comfort_noise_is_no_reason_to_warn (void)
{
  Watching w;
  begin (&w);
  w.view.stats.feedback_interval_ns = WEIR_MS (100);
  for (guint i = 0; i < 300; i++) {
    gst_weir_watch_sent (&w.watch, w.now_ns);
    w.view.stats.last_feedback_ns = w.now_ns - WEIR_MS (200);
    gst_weir_watch_look (&w.watch, &w.view, w.now_ns, w.texts);
    w.now_ns += WEIR_MS (400);
  }
  for (guint i = 0; i < GST_WEIR_N_WARNINGS; i++) {
    g_assert_null (w.texts[i]);
  }
}

/* Spurts of a second with feedback all along, silences of four seconds between: the intervals from
 * one spurt to the next are ours, not the receiver's. */
static void
test_pauses_do_not_make_feedback_rare (void)
{
  Watching w;
  begin (&w);
  w.view.stats.feedback_interval_ns = WEIR_SECONDS (2);
  for (guint i = 0; i < 20; i++) {
    g_assert_cmpuint (send_with_feedback (&w, 0.9, GST_WEIR_WARNING_RARE_FEEDBACK), ==, 0);
    w.now_ns += WEIR_SECONDS (4);
    /* the end of the spurt was reported in the pause; a look when the next one has just begun */
    w.view.stats.last_feedback_ns = w.now_ns - WEIR_SECONDS (4) + WEIR_MS (200);
    g_assert_cmpuint (send_for (&w, 0.2, GST_WEIR_WARNING_RARE_FEEDBACK), ==, 0);
    gst_weir_watch_look (&w.watch, &w.view, w.now_ns, w.texts);
    g_assert_null (w.texts[GST_WEIR_WARNING_RARE_FEEDBACK]);
  }
}

static void
test_audio_has_a_remedy_of_its_own (void)
{
  Watching w;
  begin (&w);
  w.view.is_audio = TRUE;
  w.view.stats.active_formats = WEIR_FEEDBACK_TWCC;
  w.view.stats.feedback_interval_ns = WEIR_SECONDS (5);
  for (guint i = 0; i < 5; i++) {
    send_for (&w, 5, GST_WEIR_WARNING_RARE_FEEDBACK);
    w.view.stats.last_feedback_ns = w.now_ns;
  }
  assert_says (w.texts[GST_WEIR_WARNING_RARE_FEEDBACK],
               "every 5.0 s|no marker bits|weirrecv|twcc-feedback-interval");
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
  guint64 rtcp_datagrams, refused, rejected, malformed, understood;
  guint feedback;
  const gchar *says;
} Cause;

static const Cause causes[] = {
  { .name = "nothing is connected", .says = "nothing brings RTCP|rtcp_sink|send_rtp_sink_0" },
  { .name = "another key",
    .has_rtcp_sink = TRUE,
    .refused = 7,
    .says = "7 RTCP packets arrived|failed authentication|srtp-key|srtp-cipher" },
  { .name = "no RTCP through rtcp_sink",
    .has_rtcp_sink = TRUE,
    .says = "no RTCP arrived|rtcp_sink|weirrecv|rtp-profile=avpf|rtcp-fraction=0.5" },
  { .name = "no RTCP through a session",
    .has_session = TRUE,
    .says = "no RTCP arrived|recv_rtcp_sink|rtp-profile=avpf" },
  { .name = "RTCP of others",
    .rtcp_datagrams = 9,
    .rejected = 7,
    .says = "7 RTCP packets were rejected|belongs to this stream" },
  { .name = "encrypted RTCP",
    .rtcp_datagrams = 9,
    .malformed = 9,
    .says = "9 RTCP packets could not be parsed|if it is SRTCP|srtpdec" },
  { .name = "encrypted behind first headers that seem to be others'",
    .rtcp_datagrams = 9,
    .rejected = 2,
    .malformed = 7,
    .understood = 9,
    .says = "7 RTCP packets could not be parsed|if it is SRTCP|srtpdec" },
  { .name = "encrypted, by chance like reports",
    .rtcp_datagrams = 9,
    .rejected = 9,
    .malformed = 2,
    .says = "9 RTCP packets were rejected|if it is SRTCP" },
  { .name = "a few broken ones",
    .rtcp_datagrams = 100,
    .malformed = 2,
    .understood = 98,
    .feedback = WEIR_FEEDBACK_ALL,
    .has_transport_seq = TRUE,
    .says = "without a report" },
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
    w.view.rtcp_refused = cause->refused;
    w.view.feedback = cause->feedback;
    w.view.stats.rtcp_rejected = cause->rejected;
    w.view.stats.rtcp_malformed = cause->malformed;
    w.view.stats.rtcp_packets = cause->understood;
    g_assert_cmpuint (send_for (&w, 4, GST_WEIR_WARNING_NO_FEEDBACK), ==, 1);
    assert_says (w.texts[GST_WEIR_WARNING_NO_FEEDBACK], cause->says);
    assert_says (w.texts[GST_WEIR_WARNING_NO_FEEDBACK], "for 3 s");
    forget_texts (&w);
  }
}

/* n reports, one every interval_ns; the mean is that of the session. */
static guint
send_with_reports (Watching *w, gint64 interval_ns, guint n, GstWeirSendWarning warning)
{
  guint n_texts = 0;
  for (guint i = 0; i < n; i++) {
    struct weir_sender_stats *stats = &w->view.stats;
    if (stats->last_feedback_ns != WEIR_UNKNOWN_NS) {
      gint64 new_ns = w->now_ns - stats->last_feedback_ns;
      gint64 mean_ns = stats->feedback_interval_ns;
      stats->feedback_interval_ns
          = mean_ns == WEIR_UNKNOWN_NS ? new_ns : mean_ns + (new_ns - mean_ns) / 8;
    }
    stats->last_feedback_ns = w->now_ns;
    w->view.rtcp_datagrams++;
    n_texts += send_for (w, (gdouble) interval_ns / 1e9, warning);
  }
  return n_texts;
}

static void
test_rare_feedback_is_reported (void)
{
  static const struct
  {
    gint64 interval_ns, rtt_ns;
    gboolean rare;
  } rates[] = {
    { WEIR_MS (100), WEIR_UNKNOWN_NS, FALSE }, { WEIR_MS (600), WEIR_UNKNOWN_NS, FALSE },
    { WEIR_MS (800), WEIR_UNKNOWN_NS, FALSE }, { WEIR_MS (1000), WEIR_UNKNOWN_NS, FALSE },
    { WEIR_MS (1100), WEIR_UNKNOWN_NS, TRUE }, { WEIR_MS (1100), WEIR_MS (100), TRUE },
    { WEIR_MS (1900), WEIR_MS (500), FALSE },  { WEIR_MS (2100), WEIR_MS (500), TRUE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rates); i++) {
    Watching w;
    begin (&w);
    w.view.stats.rtt_ns = rates[i].rtt_ns;
    g_test_message ("every %" G_GINT64_FORMAT " ns", rates[i].interval_ns);
    g_assert_cmpuint (
        send_with_reports (&w, rates[i].interval_ns, 20, GST_WEIR_WARNING_RARE_FEEDBACK), ==,
        rates[i].rare ? 1 : 0);
    forget_texts (&w);
  }
}

/* The first reports come close together; what is told is the interval there is then. */
static void
test_rarity_is_measured_before_it_is_reported (void)
{
  Watching w;
  begin (&w);
  send_with_reports (&w, WEIR_MS (100), 2, GST_WEIR_WARNING_RARE_FEEDBACK);
  g_assert_cmpuint (send_with_reports (&w, WEIR_SECONDS (5), 2, GST_WEIR_WARNING_RARE_FEEDBACK), ==,
                    0);
  g_assert_cmpuint (send_with_reports (&w, WEIR_SECONDS (5), 1, GST_WEIR_WARNING_RARE_FEEDBACK), ==,
                    1);
  assert_says (w.texts[GST_WEIR_WARNING_RARE_FEEDBACK], "every 5.0 s|feedback-interval");
  forget_texts (&w);
}

static void
test_one_long_interval_is_not_rare (void)
{
  Watching w;
  guint n = 0;
  begin (&w);
  for (guint i = 0; i < 3; i++) {
    n += send_with_reports (&w, WEIR_MS (100), 20, GST_WEIR_WARNING_RARE_FEEDBACK);
    n += send_with_reports (&w, WEIR_SECONDS (2), 1, GST_WEIR_WARNING_RARE_FEEDBACK);
  }
  g_assert_cmpuint (n, ==, 0);
  forget_texts (&w);
}

static void
test_rarity_says_what_the_algorithm_does (void)
{
  static const struct
  {
    guint32 needs;
    guint formats;
    gint64 interval_ns;
    const gchar *says;
  } cases[] = {
    { WEIR_NEEDS_ARRIVALS | WEIR_HAS_REPORT_FORM, WEIR_FEEDBACK_RR, WEIR_MS (4500),
      "every 4.5 s|receiver reports only|tfrc runs in the form for|extmap-3" },
    { WEIR_NEEDS_ARRIVALS, WEIR_FEEDBACK_RR, WEIR_MS (4500), "cannot run from receiver reports" },
    { WEIR_NEEDS_ARRIVALS, WEIR_FEEDBACK_TWCC, WEIR_MS (1200),
      "every 1.2 s|reacts late|rtcp-fraction|feedback-interval" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Watching w;
    begin (&w);
    w.view.needs = cases[i].needs;
    w.view.stats.active_formats = cases[i].formats;
    send_with_reports (&w, cases[i].interval_ns, 4, GST_WEIR_WARNING_RARE_FEEDBACK);
    assert_says (w.texts[GST_WEIR_WARNING_RARE_FEEDBACK], cases[i].says);
    forget_texts (&w);
  }
}

static void
test_silence_after_reports_tells_when_the_last_came (void)
{
  for (guint others = 0; others < 2; others++) {
    Watching w;
    begin (&w);
    w.view.feedback = WEIR_FEEDBACK_ALL;
    w.view.stats.rtcp_malformed = 50; /* noise of before: it did not keep reports away */
    send_with_reports (&w, WEIR_MS (100), 20, GST_WEIR_WARNING_NO_FEEDBACK);
    send_for (&w, 1, GST_WEIR_WARNING_NO_FEEDBACK);
    w.view.rtcp_datagrams += others;
    g_assert_cmpuint (send_for (&w, 8, GST_WEIR_WARNING_NO_FEEDBACK), ==, 1);
    const gchar *text = w.texts[GST_WEIR_WARNING_NO_FEEDBACK];
    assert_says (text, "the last report came|s ago");
    assert_says (text, "still gets the media|feedback-interval|extmap-3"); /* or what helps */
    assert_says (text, others > 0 ? "only RTCP without a report" : "no RTCP at all since");
    g_assert_null (strstr (text, "SRTCP"));
    forget_texts (&w);
  }
}

static void
test_reports_without_a_round_trip_time_are_reported_once (void)
{
  static const struct
  {
    guint formats;
    gint64 rtt_ns;
    gboolean has_session, has_rtcp_src;
    const gchar *says; /* NULL: nothing */
  } cases[] = {
    { WEIR_FEEDBACK_RR, WEIR_UNKNOWN_NS, FALSE, FALSE,
      "No round-trip time|link weirsend's rtcp_src|rtcp_sink" },
    { WEIR_FEEDBACK_RR | WEIR_FEEDBACK_REMB, WEIR_UNKNOWN_NS, FALSE, FALSE, "link weirsend's" },
    { WEIR_FEEDBACK_REMB, WEIR_UNKNOWN_NS, FALSE, TRUE, "check that|reaches" },
    { WEIR_FEEDBACK_RR, WEIR_MS (50), FALSE, FALSE, NULL },
    { WEIR_FEEDBACK_RR, WEIR_UNKNOWN_NS, TRUE, FALSE, NULL },
    { WEIR_FEEDBACK_RR | WEIR_FEEDBACK_CCFB, WEIR_UNKNOWN_NS, FALSE, FALSE, NULL },
    { WEIR_FEEDBACK_TWCC, WEIR_UNKNOWN_NS, FALSE, FALSE, NULL },
    { 0, WEIR_UNKNOWN_NS, FALSE, FALSE, NULL },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Watching w;
    begin (&w);
    w.view.stats.active_formats = cases[i].formats;
    w.view.stats.rtt_ns = cases[i].rtt_ns;
    w.view.has_session = cases[i].has_session;
    w.view.has_rtcp_src = cases[i].has_rtcp_src;
    g_assert_cmpuint (send_with_reports (&w, WEIR_MS (100), 30, GST_WEIR_WARNING_NO_RTT), ==, 0);
    g_assert_cmpuint (send_with_reports (&w, WEIR_MS (100), 40, GST_WEIR_WARNING_NO_RTT), ==,
                      cases[i].says != NULL ? 1 : 0);
    if (cases[i].says != NULL) {
      assert_says (w.texts[GST_WEIR_WARNING_NO_RTT], cases[i].says);
    }
    w.view.stats.active_formats = 0;
    send_with_reports (&w, WEIR_MS (100), 30, GST_WEIR_WARNING_NO_RTT);
    w.view.stats.active_formats = cases[i].formats;
    g_assert_cmpuint (send_with_reports (&w, WEIR_MS (100), 100, GST_WEIR_WARNING_NO_RTT), ==, 0);
    forget_texts (&w);
  }
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
test_who_reports_what_was_never_sent_is_named_once (void)
{
  Watching w;
  begin (&w);
  w.view.stats.results_invented = 2; /* of one number: no proof yet */
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_INVENTED), ==, 0);
  w.view.stats.disbelieved = 1;
  g_assert_cmpuint (send_with_feedback (&w, 10, GST_WEIR_WARNING_INVENTED), ==, 1);
  assert_says (w.texts[GST_WEIR_WARNING_INVENTED], "arrival of 2 packets|never sent|srtp-key");
  forget_texts (&w);
}

static void
test_denied_feedback_is_reported_once (void)
{
  Watching w;
  begin (&w);
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_DENIED), ==, 0);
  w.view.stats.feedback_denied = 1;
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_DENIED), ==, 1);
  w.view.stats.feedback_denied = 2;
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_DENIED), ==, 0);
  assert_says (w.texts[GST_WEIR_WARNING_DENIED], "same SSRC|two speak|srtp-key");
  forget_texts (&w);
}

static void
test_a_path_without_ecn_is_reported_once (void)
{
  static const struct
  {
    enum weir_ecn_path path;
    const gchar *says;
  } rows[] = { { WEIR_ECN_PATH_BLEACHED, "weirudpsrc" },
               { WEIR_ECN_PATH_UNREPORTED, "weirudpsrc" },
               { WEIR_ECN_PATH_REMARKED, "without it" },
               { WEIR_ECN_PATH_MANGLED, "marks what no queue marks" },
               { WEIR_ECN_PATH_DROPPED, "without it" } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Watching w;
    begin (&w);
    w.view.stats.active_formats = 1;
    w.view.ecn = WEIR_ECN_PATH_CAPABLE;
    g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_ECN), ==, 0);
    w.view.ecn = rows[i].path;
    g_assert_cmpuint (send_with_feedback (&w, 10, GST_WEIR_WARNING_ECN), ==, 1);
    assert_says (w.texts[GST_WEIR_WARNING_ECN], rows[i].says);
    forget_texts (&w);
  }
}

static void
test_each_warning_has_a_name (void)
{
  for (guint i = 0; i < GST_WEIR_N_WARNINGS; i++) {
    g_assert_cmpstr (gst_weir_warning_name ((GstWeirSendWarning) i), !=, "unknown");
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

/* Only the header and the SSRC of the first packet are in the clear (RFC 3711 3.4). */
static void
test_encrypted_rtcp_is_recognised (void)
{
  GRand *random = g_rand_new_with_seed (3711);
  GstMessage *message = NULL;
  Rig *rig = rig_new ("encoders=none", VIDEO_CAPS);
  GstHarness *rtcp = gst_harness_new_with_element (rig->send, "rtcp_sink", NULL);
  gst_harness_set_src_caps_str (rtcp, "application/x-rtcp");
  for (guint i = 0; i < 80 && message == NULL; i++) {
    guint8 bytes[46] = { 0x81, 201, 0, 7, 1, 2, 3, 4 };
    for (guint k = 8; k < sizeof bytes; k++) {
      bytes[k] = (guint8) g_rand_int (random);
    }
    gst_harness_push (rig->h, rtp (i, 500));
    gst_harness_push (rtcp, gst_buffer_new_memdup (bytes, sizeof bytes));
    rig_run_until (rig, (i + 1) * 50 * GST_MSECOND);
    message = pop_detailed_warning (rig, "no-feedback");
  }
  GError *error = NULL;
  g_assert_nonnull (message);
  gst_message_parse_warning (message, &error, NULL);
  assert_says (error->message, "if it is SRTCP");
  g_error_free (error);
  gst_message_unref (message);
  gst_harness_teardown (rtcp);
  rig_free (rig);
  g_rand_free (random);
}

/* Looks when it wants to, for ten seconds in which nothing is sent. */
static guint
wait_unlinked (Watching *w, gboolean linked_later)
{
  guint n = 0;
  gst_weir_watch_unlinked (&w->watch, w->now_ns);
  w->view.unlinked = !linked_later;
  for (guint i = 0; i < 100; i++) {
    w->now_ns += WEIR_MS (100);
    if (w->watch.look_ns <= w->now_ns) {
      forget_texts (w);
      gst_weir_watch_look (&w->watch, &w->view, w->now_ns, w->texts);
      n += w->texts[GST_WEIR_WARNING_UNLINKED] != NULL;
      g_assert_cmpint (w->now_ns, >=, WEIR_SECONDS (3));
    }
  }
  return n;
}

static void
test_an_open_sink_pad_is_reported_once (void)
{
  Watching w;
  begin (&w);
  g_assert_cmpuint (wait_unlinked (&w, FALSE), ==, 1);
  assert_says (w.texts[GST_WEIR_WARNING_UNLINKED], "sink pad|payloader|request-aux-sender|sink_N");
  g_assert_cmpint (w.watch.look_ns, ==, WEIR_NEVER_NS);
  forget_texts (&w);
  begin (&w);
  w.now_ns = 0;
  g_assert_cmpuint (wait_unlinked (&w, TRUE), ==, 0);
  begin (&w);
  gst_weir_watch_unlinked (&w.watch, 0);
  g_assert_cmpuint (send_for (&w, 1, GST_WEIR_WARNING_UNLINKED), ==, 0);
  w.view.unlinked = TRUE; /* a source that was taken away has been linked */
  g_assert_cmpuint (send_for (&w, 5, GST_WEIR_WARNING_UNLINKED), ==, 0);
  forget_texts (&w);
}

/* Who loses what, once as long as there are several. */
static void
test_receivers_that_differ_are_named (void)
{
  Watching w;
  begin (&w);
  w.view.n_reporters = 2;
  w.view.reporters[0] = (struct weir_reporter){ 0x1000, 0, TRUE, 0, WEIR_MS (5) };
  w.view.reporters[1] = (struct weir_reporter){ 0x2222, 0, FALSE, 10000, WEIR_MS (20) };
  g_assert_cmpuint (send_with_feedback (&w, 5, GST_WEIR_WARNING_RECEIVERS), ==, 0);
  w.view.reporters[1].loss_ppm = 550000;
  g_assert_cmpuint (send_with_feedback (&w, 5, GST_WEIR_WARNING_RECEIVERS), ==, 1);
  assert_says (w.texts[GST_WEIR_WARNING_RECEIVERS],
               "SSRC 00001000 loses 0.0 % and queues 5 ms (it sets the bitrate)|"
               "SSRC 00002222 loses 55.0 % and queues 20 ms|receivers=worst");
  w.view.reporters[1].loss_ppm = 0;
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_RECEIVERS), ==, 0);
  w.view.n_reporters = 1;
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_RECEIVERS), ==, 0);
  w.view.n_reporters = 2;
  w.view.receivers = WEIR_RECEIVERS_FIRST;
  w.view.reporters[1].queueing_ns = WEIR_MS (300);
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_RECEIVERS), ==, 1);
  assert_says (w.texts[GST_WEIR_WARNING_RECEIVERS], "queues 300 ms|set receivers=worst");
  forget_texts (&w);
}

/* Between two looks the other one has become the worst, and the rate has followed. */
static void
test_a_receiver_that_takes_over_is_named (void)
{
  Watching w;
  begin (&w);
  w.view.n_reporters = 2;
  w.view.reporters[0] = (struct weir_reporter){ 0x1000, 0, TRUE, 0, WEIR_UNKNOWN_NS };
  w.view.reporters[1] = (struct weir_reporter){ 0x2222, 0, FALSE, 0, WEIR_UNKNOWN_NS };
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_RECEIVERS), ==, 0);
  w.view.reporters[0].steers = FALSE;
  w.view.reporters[1].steers = TRUE;
  g_assert_cmpuint (send_with_feedback (&w, 3, GST_WEIR_WARNING_RECEIVERS), ==, 1);
  assert_says (w.texts[GST_WEIR_WARNING_RECEIVERS],
               "SSRC 00002222 loses 0.0 % (it sets the bitrate)");
  forget_texts (&w);
}

/* Three round trips, or a second. */
static void
test_too_few_packets_for_retransmission_are_reported_once (void)
{
  static const struct
  {
    const gchar *name;
    gint64 kept_ns, rtt_ns;
    guint n;
  } cases[] = {
    { "", 0, WEIR_MS (100), 0 },
    { "rtx", WEIR_MS (250), WEIR_UNKNOWN_NS, 0 },
    { "rtx", WEIR_MS (250), WEIR_MS (83), 0 },
    { "rtx", WEIR_MS (250), WEIR_MS (84), 1 },
    { "rtx", WEIR_MS (1000), WEIR_MS (900), 0 },
    { "rtx", WEIR_MS (999), WEIR_MS (900), 1 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Watching w;
    begin (&w);
    g_strlcpy (w.view.kept.name, cases[i].name, sizeof w.view.kept.name);
    w.view.kept.time_ns = cases[i].kept_ns;
    w.view.stats.rtt_ns = cases[i].rtt_ns;
    g_test_message ("case %u", (guint) i);
    g_assert_cmpuint (send_with_feedback (&w, 5, GST_WEIR_WARNING_SHORT_RTX), ==, cases[i].n);
    w.view.stats.rtt_ns = 0;
    send_with_feedback (&w, 2, GST_WEIR_WARNING_SHORT_RTX);
    w.view.stats.rtt_ns = cases[i].rtt_ns;
    g_assert_cmpuint (send_with_feedback (&w, 2, GST_WEIR_WARNING_SHORT_RTX), ==, 0);
    if (i == 3) {
      assert_says (w.texts[GST_WEIR_WARNING_SHORT_RTX],
                   "rtx keeps|250 ms|84 ms|max-size-packets=0 max-size-time=1000");
    }
    forget_texts (&w);
  }
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
  ADD (a_lost_packet_before_a_pause_is_no_silence);
  ADD (comfort_noise_is_no_reason_to_warn);
  ADD (pauses_do_not_make_feedback_rare);
  ADD (audio_has_a_remedy_of_its_own);
  ADD (usual_intervals_are_no_silence);
  ADD (each_cause_has_its_remedy);
  ADD (rare_feedback_is_reported);
  ADD (rarity_is_measured_before_it_is_reported);
  ADD (one_long_interval_is_not_rare);
  ADD (rarity_says_what_the_algorithm_does);
  ADD (silence_after_reports_tells_when_the_last_came);
  ADD (reports_without_a_round_trip_time_are_reported_once);
  ADD (encrypted_rtcp_is_recognised);
  ADD (a_breaker_is_reported_once);
  ADD (an_open_sink_pad_is_reported_once);
  ADD (who_reports_what_was_never_sent_is_named_once);
  ADD (receivers_that_differ_are_named);
  ADD (a_receiver_that_takes_over_is_named);
  ADD (too_few_packets_for_retransmission_are_reported_once);
  ADD (denied_feedback_is_reported_once);
  ADD (a_path_without_ecn_is_reported_once);
  ADD (each_warning_has_a_name);
  ADD (the_element_posts_them_with_details);
  return g_test_run ();
}
