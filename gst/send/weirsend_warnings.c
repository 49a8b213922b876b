/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is feedback missing, too rare, without a round-trip time, is sending forbidden, or does nothing
 * come in? And why, and what helps? */
#include "send/weirsend_warnings.h"

#define LOOK_NS WEIR_SECONDS (1)
#define SILENCE_NS WEIR_SECONDS (3)
#define RARE_NS WEIR_SECONDS (1)
#define RARE_RTTS 4
#define NO_RTT_NS WEIR_SECONDS (3)
#define PAUSE_NS WEIR_MS (200) /* between packets: the source pauses */
/* What two receivers of one path differ by, at most. */
#define SAME_LOSS_PPM 30000
#define SAME_QUEUEING_NS WEIR_MS (30)
/* The first request for a lost packet comes one RTT after it was sent, a repeat another one later,
 * because the request or what was sent again was lost. After a second no call waits any more. */
#define KEPT_RTTS 3
#define KEPT_MAX_NS WEIR_SECONDS (1)
#define REPORTS (WEIR_FEEDBACK_RR | WEIR_FEEDBACK_XR | WEIR_FEEDBACK_REMB)

#define FAR_SIDE                                                                                   \
  "at the receiver use weirrecv, or on its rtpbin set rtp-profile=avpf and "                       \
  "rtpsession0::rtcp-fraction=0.5"
#define FAR_SIDE_TWCC FAR_SIDE AND_TWCC
#define AND_TWCC " and give both sides the caps application/x-rtp,extmap-3=(string)" WEIR_TWCC_URI
/* What helps when feedback comes, but not often. */
#define FAR_SIDE_RARE                                                                              \
  "at the receiver use weirrecv, with a shorter feedback-interval (0: automatic), or on its "      \
  "rtpbin set rtp-profile=avpf and rtpsession0::rtcp-fraction=0.5"

#define FAR_SIDE_AUDIO                                                                             \
  "audio has no marker bits, at which a stock receiver sends transport-wide feedback: put "        \
  "weirrecv before its rtpbin, or set twcc-feedback-interval on the rtpbin's internal session"

void
gst_weir_watch_init (GstWeirSendWatch *watch)
{
  *watch = (GstWeirSendWatch){ .look_ns = WEIR_NEVER_NS,
                               .silent_since_ns = WEIR_UNKNOWN_NS,
                               .sent_ns = WEIR_UNKNOWN_NS,
                               .feedback_ns = WEIR_UNKNOWN_NS,
                               .intervals_ns = { WEIR_UNKNOWN_NS, WEIR_UNKNOWN_NS },
                               .no_rtt_since_ns = WEIR_UNKNOWN_NS };
}

/* It starts, and nothing is linked to the sink pad yet. */
void
gst_weir_watch_unlinked (GstWeirSendWatch *watch, gint64 now_ns)
{
  watch->unlinked = TRUE;
  watch->look_ns = weir_time_add_ns (now_ns, SILENCE_NS);
}

/* A packet left. */
void
gst_weir_watch_sent (GstWeirSendWatch *watch, gint64 now_ns)
{
  watch->sent = TRUE;
  watch->unlinked = FALSE;
  if (watch->silent_since_ns == WEIR_UNKNOWN_NS) {
    watch->silent_since_ns = now_ns;
    watch->unanswered_ns = 0;
  } else {
    watch->unanswered_ns += weir_min_i64 (now_ns - watch->sent_ns, PAUSE_NS);
  }
  if (watch->sent_ns != WEIR_UNKNOWN_NS && now_ns - watch->sent_ns >= PAUSE_NS) {
    watch->pause_ns = now_ns - watch->sent_ns;
    watch->pause_end_ns = now_ns;
    watch->paused_ns += watch->pause_ns;
  }
  watch->sent_ns = now_ns;
  if (watch->look_ns == WEIR_NEVER_NS) {
    watch->look_ns = weir_time_add_ns (now_ns, LOOK_NS);
  }
}

/* For applications that look at a warning's details: the field "weir-warning". */
const gchar *
gst_weir_warning_name (GstWeirSendWarning warning)
{
  static const gchar *const names[] = { [GST_WEIR_WARNING_NO_FEEDBACK] = "no-feedback",
                                        [GST_WEIR_WARNING_RARE_FEEDBACK] = "rare-feedback",
                                        [GST_WEIR_WARNING_CEASED] = "ceased",
                                        [GST_WEIR_WARNING_NO_RTT] = "no-rtt",
                                        [GST_WEIR_WARNING_UNLINKED] = "unlinked",
                                        [GST_WEIR_WARNING_INVENTED] = "invented-feedback",
                                        [GST_WEIR_WARNING_RECEIVERS] = "several-receivers",
                                        [GST_WEIR_WARNING_SHORT_RTX] = "short-rtx",
                                        [GST_WEIR_WARNING_DENIED] = "denied-feedback",
                                        [GST_WEIR_WARNING_ECN] = "ecn" };
  return warning < GST_WEIR_N_WARNINGS ? names[warning] : "unknown";
}

static gchar *
explain_no_rtcp (const GstWeirSendView *view)
{
  if (view->rtcp_refused > 0) {
    return g_strdup_printf ("%" G_GUINT64_FORMAT " RTCP packets arrived, but all of them failed "
                            "authentication; check that srtp-key and srtp-cipher are those of the "
                            "receiver, and that it sends SRTCP",
                            view->rtcp_refused);
  }
  if (!view->has_session && !view->has_rtcp_sink) {
    return g_strdup ("nothing brings RTCP to weirsend; link the receiver's RTCP to its rtcp_sink "
                     "pad (udpsrc port=5005 ! s.rtcp_sink), or link weirsend to "
                     "rtpbin's send_rtp_sink_0");
  }
  return g_strdup_printf ("no RTCP arrived at all; check that the receiver sends RTCP to the %s "
                          "here, and " FAR_SIDE,
                          view->has_session ? "recv_rtcp_sink" : "rtcp_sink");
}

static gboolean
has_per_packet_feedback (const GstWeirSendView *view)
{
  return (view->stats.active_formats & (WEIR_FEEDBACK_CCFB | WEIR_FEEDBACK_TWCC)) != 0;
}

/* Reports did come before. */
static gchar *
explain_end_of_reports (const GstWeirSendWatch *watch, const GstWeirSendView *view, gint64 now_ns)
{
  const gchar *news = view->rtcp_datagrams == watch->feedback_datagrams
                          ? "no RTCP at all"
                          : "only RTCP without a report on this stream";
  return g_strdup_printf (
      "the last report came %.0f s ago, and %s since; check that the receiver still gets the media "
      "and that its RTCP still arrives here; if it always reports this rarely, %s",
      (gdouble) (now_ns - view->stats.last_feedback_ns) / 1e9, news,
      has_per_packet_feedback (view) ? FAR_SIDE_RARE : FAR_SIDE_RARE AND_TWCC);
}

/* Encrypted RTCP has a clear first header, the rest parses as anything: what counts is that most
 * datagrams hold something that is wrong. */
static gboolean
is_mostly (guint64 wrong, const GstWeirSendView *view)
{
  return wrong > 0 && 2 * wrong >= view->rtcp_datagrams;
}

/* RTCP arrives, but none of it ever was feedback the session believes. */
static gchar *
explain_useless_rtcp (const GstWeirSendView *view)
{
  const struct weir_sender_stats *stats = &view->stats;
  if (is_mostly (stats->rtcp_malformed, view)) {
    return g_strdup_printf (
        "%" G_GUINT64_FORMAT " RTCP packets could not be parsed; if it is "
        "SRTCP, give weirsend the srtp-key, or decrypt it before rtcp_sink (srtpdec)",
        stats->rtcp_malformed);
  }
  if (stats->rtcp_rejected > 0) {
    return g_strdup_printf ("%" G_GUINT64_FORMAT
                            " RTCP packets were rejected because they report on packets never "
                            "sent; check that the RTCP belongs to this stream; if it is SRTCP, "
                            "give weirsend the srtp-key, or decrypt it before rtcp_sink (srtpdec)",
                            stats->rtcp_rejected);
  }
  if (view->feedback != WEIR_FEEDBACK_ALL) {
    return g_strdup ("RTCP arrives, but the property feedback excludes what it carries; set "
                     "feedback=auto");
  }
  if (!view->has_transport_seq) {
    return g_strdup ("RTCP arrives, but without a report on this stream; the caps name no "
                     "transport-wide extension (extmap), so a stock receiver has only receiver "
                     "reports to send; " FAR_SIDE_TWCC);
  }
  return g_strdup ("RTCP arrives, but without a report on this stream; " FAR_SIDE_TWCC);
}

static gchar *
explain_silence (const GstWeirSendWatch *watch, const GstWeirSendView *view, gint64 now_ns)
{
  gint64 silent_ns = now_ns - watch->silent_since_ns;
  gboolean reported = view->stats.last_feedback_ns != WEIR_UNKNOWN_NS;
  g_autofree gchar *cause = reported ? explain_end_of_reports (watch, view, now_ns)
                            : view->rtcp_datagrams == 0 ? explain_no_rtcp (view)
                                                        : explain_useless_rtcp (view);
  return g_strdup_printf ("No feedback from the receiver for %.0f s: %s. Until then the "
                          "bitrate falls towards min-bitrate",
                          (gdouble) silent_ns / 1e9, cause);
}

/* A stock receiver cuts its transport-wide feedback at marker bits, once per frame. */
static const gchar *
remedy_for_rarity (const GstWeirSendView *view)
{
  if (!has_per_packet_feedback (view)) {
    return FAR_SIDE_RARE AND_TWCC;
  }
  if (view->is_audio && (view->stats.active_formats & WEIR_FEEDBACK_TWCC) != 0) {
    return FAR_SIDE_AUDIO;
  }
  return FAR_SIDE_RARE;
}

static gchar *
explain_rarity (const GstWeirSendWatch *watch, const GstWeirSendView *view)
{
  gint64 interval_ns = watch->intervals_ns[0] / 2 + watch->intervals_ns[1] / 2;
  gboolean reports_only = !has_per_packet_feedback (view);
  const gchar *effect = "reacts late";
  if (reports_only) {
    effect = (view->needs & WEIR_HAS_REPORT_FORM) != 0
                 ? "runs in the form for receiver reports and reacts late"
                 : "cannot run from receiver reports";
  }
  return g_strdup_printf ("Feedback comes only every %.1f s%s, so %s %s; %s",
                          (gdouble) interval_ns / 1e9,
                          reports_only ? ", and in receiver reports only" : "", view->algorithm,
                          effect, remedy_for_rarity (view));
}

/* Two intervals in a row, as they were: the session's mean takes long to get from the short ones at
 * the start to the usual one. It still has to be near, because looks may miss what came in between.
 */
static gboolean
is_rare (const GstWeirSendWatch *watch, const GstWeirSendView *view)
{
  const struct weir_sender_stats *stats = &view->stats;
  gint64 rtts_ns = stats->rtt_ns == WEIR_UNKNOWN_NS ? 0 : RARE_RTTS * stats->rtt_ns;
  gint64 limit_ns = weir_max_i64 (RARE_NS, rtts_ns);
  return stats->feedback_interval_ns != WEIR_UNKNOWN_NS
         && stats->feedback_interval_ns > limit_ns / 4 * 3
         && watch->intervals_ns[0] != WEIR_UNKNOWN_NS && watch->intervals_ns[0] > limit_ns
         && watch->intervals_ns[1] != WEIR_UNKNOWN_NS && watch->intervals_ns[1] > limit_ns;
}

static gchar *
explain_invention (const GstWeirSendView *view)
{
  return g_strdup_printf (
      "The receiver reported the arrival of %" G_GUINT64_FORMAT " packets that were never sent, so "
      "its reports are ignored, and the bitrate falls to min-bitrate; check what writes them, and "
      "set srtp-key, or anybody may",
      view->stats.results_invented);
}

static gchar *
explain_denial (void)
{
  return g_strdup ("Receiver reports tell of losses that feedback on packets from the same SSRC "
                   "hides, so for a minute the reports alone set the bitrate; two speak in one "
                   "receiver's name, or it lies: set srtp-key, or anybody may");
}

/* Whether two get the same packets and not the same share of them, or take turns. */
static gboolean
are_unlike (GstWeirSendWatch *watch, const GstWeirSendView *view)
{
  const struct weir_reporter *first = &view->reporters[0];
  guint32 steering_ssrc = 0;
  gboolean unlike = FALSE;
  for (gsize i = 0; i < view->n_reporters; i++) {
    const struct weir_reporter *reporter = &view->reporters[i];
    if (reporter->transport != first->transport) {
      continue;
    }
    gboolean timed
        = reporter->queueing_ns != WEIR_UNKNOWN_NS && first->queueing_ns != WEIR_UNKNOWN_NS;
    unlike |= ABS (reporter->loss_ppm - first->loss_ppm) > SAME_LOSS_PPM;
    unlike |= timed && ABS (reporter->queueing_ns - first->queueing_ns) > SAME_QUEUEING_NS;
    steering_ssrc = reporter->steers ? reporter->ssrc : steering_ssrc;
  }
  guint32 former_ssrc = watch->steering_ssrc;
  watch->steering_ssrc = steering_ssrc != 0 ? steering_ssrc : former_ssrc;
  return view->n_reporters > 1
         && (unlike || (former_ssrc != 0 && watch->steering_ssrc != former_ssrc));
}

static gchar *
explain_receivers (const GstWeirSendView *view)
{
  gboolean first = view->receivers == WEIR_RECEIVERS_FIRST;
  GString *text = g_string_new ("Several receivers report on these packets:");
  for (gsize i = 0; i < view->n_reporters; i++) {
    const struct weir_reporter *reporter = &view->reporters[i];
    g_string_append_printf (text, "%s SSRC %08x loses %.1f %%", i > 0 ? ";" : "", reporter->ssrc,
                            (gdouble) reporter->loss_ppm / 1e4);
    if (reporter->queueing_ns != WEIR_UNKNOWN_NS) {
      g_string_append_printf (text, " and queues %.0f ms", (gdouble) reporter->queueing_ns / 1e6);
    }
    g_string_append (text, reporter->steers ? " (it sets the bitrate)" : "");
  }
  g_string_append (text, first ? ". With receivers=first the others get what they can take; set "
                                 "receivers=worst if all shall follow"
                               : ". The worst sets the bitrate for all (receivers=worst); send to "
                                 "it through a weirsend of its own if the others shall have more");
  return g_string_free (text, FALSE);
}

static gchar *
explain_no_rtt (const GstWeirSendView *view)
{
  return g_strdup_printf (
      "No round-trip time: the receiver's reports control %s, but none responds to a sender "
      "report, so the bitrate stays low; %s, or let weirrecv report each packet "
      "(feedback-format=ccfb)",
      view->algorithm,
      view->has_rtcp_src ? "check that what leaves weirsend's rtcp_src reaches the receiver's "
                           "rtcp_sink"
                         : "link weirsend's rtcp_src to the receiver's rtcp_sink (s.rtcp_src ! "
                           "udpsink ... and udpsrc ... ! r.rtcp_sink)");
}

static gboolean
keeps_too_little (const GstWeirSendView *view)
{
  gint64 rtt_ns = view->stats.rtt_ns;
  return view->kept.name[0] != '\0' && rtt_ns != WEIR_UNKNOWN_NS
         && view->kept.time_ns < weir_min_i64 (KEPT_RTTS * rtt_ns, KEPT_MAX_NS);
}

static gchar *
explain_short_rtx (const GstWeirSendView *view)
{
  return g_strdup_printf (
      "%s keeps packets for only %.0f ms at the present rate, and the RTT is %.0f ms: repeated "
      "requests for a lost packet find nothing, and the picture freezes; on %s set "
      "max-size-packets=0 max-size-time=1000",
      view->kept.name, (gdouble) view->kept.time_ns / 1e6, (gdouble) view->stats.rtt_ns / 1e6,
      view->kept.name);
}

/* Nobody may be there yet: silence is told of by itself. */
static gboolean
ecn_fails (const GstWeirSendView *view)
{
  return view->ecn >= WEIR_ECN_PATH_BLEACHED
         || (view->ecn == WEIR_ECN_PATH_UNREPORTED && view->stats.active_formats != 0);
}

static gchar *
explain_ecn (const GstWeirSendView *view)
{
  gboolean by_receiver
      = view->ecn == WEIR_ECN_PATH_UNREPORTED || view->ecn == WEIR_ECN_PATH_BLEACHED;
  return g_strdup_printf ("%s, so packets leave without it%s", weir_ecn_path_text (view->ecn),
                          by_receiver ? "; at the receiver use weirudpsrc and behind it weirrecv "
                                        "with feedback-format=ccfb"
                                      : "");
}

/* Reports alone steer, and that for long without a round-trip time. A session sends its own. */
static gboolean
lacks_rtt (GstWeirSendWatch *watch, const GstWeirSendView *view, gint64 now_ns)
{
  gboolean lacking = (view->stats.active_formats & REPORTS) != 0 && !has_per_packet_feedback (view)
                     && view->stats.rtt_ns == WEIR_UNKNOWN_NS && !view->has_session;
  if (!lacking) {
    watch->no_rtt_since_ns = WEIR_UNKNOWN_NS;
  } else if (watch->no_rtt_since_ns == WEIR_UNKNOWN_NS) {
    watch->no_rtt_since_ns = now_ns;
  }
  return lacking && now_ns - watch->no_rtt_since_ns >= NO_RTT_NS;
}

/* After the first feedback, silence is what is long compared with the usual interval. While we send
 * nothing there is nothing to report: the last packet before a pause may have been lost. */
static gboolean
is_silent (const GstWeirSendWatch *watch, const GstWeirSendView *view, gint64 now_ns)
{
  gint64 mean_ns
      = view->stats.feedback_interval_ns == WEIR_UNKNOWN_NS ? 0 : view->stats.feedback_interval_ns;
  gint64 last_ns = watch->intervals_ns[0] == WEIR_UNKNOWN_NS ? 0 : watch->intervals_ns[0];
  gint64 usual_ns = RARE_RTTS * weir_max_i64 (mean_ns, last_ns);
  if (watch->silent_since_ns == WEIR_UNKNOWN_NS) {
    return FALSE;
  }
  gint64 since_ns = now_ns - watch->sent_ns;
  gint64 unanswered_ns
      = watch->unanswered_ns + (view->waits ? since_ns : weir_min_i64 (since_ns, PAUSE_NS));
  return unanswered_ns >= weir_max_i64 (SILENCE_NS, usual_ns);
}

/* TRUE once when an episode begins. */
static gboolean
begins (GstWeirSendWatch *watch, GstWeirSendWarning warning, gboolean present)
{
  gboolean begun = present && !watch->reported[warning];
  watch->reported[warning] = present;
  return begun;
}

static void
note_feedback (GstWeirSendWatch *watch, const GstWeirSendView *view)
{
  gint64 feedback_ns = view->stats.last_feedback_ns;
  if (feedback_ns != watch->feedback_ns) {
    /* The look may come when the pause behind that feedback is over. */
    gint64 later_ns = weir_clamp_i64 (watch->pause_end_ns - feedback_ns, 0, watch->pause_ns);
    if (watch->feedback_ns != WEIR_UNKNOWN_NS) {
      gint64 since_ns = feedback_ns - watch->feedback_ns - (watch->paused_ns - later_ns);
      watch->intervals_ns[1] = watch->intervals_ns[0];
      watch->intervals_ns[0] = weir_max_i64 (since_ns, 0);
    }
    watch->paused_ns = later_ns;
    watch->feedback_datagrams = view->rtcp_datagrams;
    watch->feedback_ns = feedback_ns;
    watch->silent_since_ns = WEIR_UNKNOWN_NS;
  }
}

/* Fills texts (all NULL before; free them) for each episode that begins now, and sets look_ns. It
 * goes on looking while packets leave or while silence could still turn out to be too long. */
void
gst_weir_watch_look (GstWeirSendWatch *watch, const GstWeirSendView *view, gint64 now_ns,
                     gchar *texts[GST_WEIR_N_WARNINGS])
{
  note_feedback (watch, view);
  if (begins (watch, GST_WEIR_WARNING_NO_FEEDBACK, is_silent (watch, view, now_ns))) {
    texts[GST_WEIR_WARNING_NO_FEEDBACK] = explain_silence (watch, view, now_ns);
  }
  if (begins (watch, GST_WEIR_WARNING_RARE_FEEDBACK, is_rare (watch, view))) {
    texts[GST_WEIR_WARNING_RARE_FEEDBACK] = explain_rarity (watch, view);
  }
  if (!watch->reported[GST_WEIR_WARNING_NO_RTT] && lacks_rtt (watch, view, now_ns)) {
    watch->reported[GST_WEIR_WARNING_NO_RTT] = TRUE; /* once is enough */
    texts[GST_WEIR_WARNING_NO_RTT] = explain_no_rtt (view);
  }
  if (!watch->reported[GST_WEIR_WARNING_SHORT_RTX] && keeps_too_little (view)) {
    watch->reported[GST_WEIR_WARNING_SHORT_RTX] = TRUE; /* once is enough */
    texts[GST_WEIR_WARNING_SHORT_RTX] = explain_short_rtx (view);
  }
  if (begins (watch, GST_WEIR_WARNING_INVENTED, view->stats.disbelieved > 0)) {
    texts[GST_WEIR_WARNING_INVENTED] = explain_invention (view);
  }
  if (begins (watch, GST_WEIR_WARNING_DENIED, view->stats.feedback_denied > 0)) {
    texts[GST_WEIR_WARNING_DENIED] = explain_denial ();
  }
  if (begins (watch, GST_WEIR_WARNING_ECN, ecn_fails (view))) {
    texts[GST_WEIR_WARNING_ECN] = explain_ecn (view);
  }
  gboolean unlike = are_unlike (watch, view);
  if (!watch->reported[GST_WEIR_WARNING_RECEIVERS] && unlike) {
    texts[GST_WEIR_WARNING_RECEIVERS] = explain_receivers (view);
  }
  watch->reported[GST_WEIR_WARNING_RECEIVERS] |= unlike;
  watch->reported[GST_WEIR_WARNING_RECEIVERS] &= view->n_reporters > 1;
  if (begins (watch, GST_WEIR_WARNING_UNLINKED, watch->unlinked && view->unlinked)) {
    texts[GST_WEIR_WARNING_UNLINKED] = g_strdup (
        "Nothing is linked to the sink pad, so no packets arrive. Link a payloader to it; as an "
        "auxiliary sender weirsend is used only if request-aux-sender of webrtcbin returns it, or "
        "that of rtpbin returns a bin around it with the pads sink_N and src_N (N: the session)");
  }
  gboolean ceased = (view->output.state & WEIR_STATE_BREAKER_CEASED) != 0;
  if (begins (watch, GST_WEIR_WARNING_CEASED, ceased)) {
    texts[GST_WEIR_WARNING_CEASED]
        = g_strdup ("The circuit breaker (RFC 8083) stopped the media: the network does not carry "
                    "it, or no reports arrive. It resumes when feedback returns; check the "
                    "receiver and lower min-bitrate");
  }
  gint64 late_ns = WEIR_NEVER_NS; /* when silence is too long */
  gboolean waiting = watch->silent_since_ns != WEIR_UNKNOWN_NS && (watch->sent || view->waits)
                     && !watch->reported[GST_WEIR_WARNING_NO_FEEDBACK];
  if (waiting && watch->silent_since_ns + SILENCE_NS > now_ns) {
    late_ns = watch->silent_since_ns + SILENCE_NS;
  }
  watch->look_ns
      = watch->sent || waiting || ceased ? weir_time_add_ns (now_ns, LOOK_NS) : WEIR_NEVER_NS;
  watch->look_ns = weir_min_i64 (watch->look_ns, late_ns);
  watch->sent = FALSE;
}
