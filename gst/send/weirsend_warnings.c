/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is feedback missing, too rare, or is sending forbidden? And why, and what helps? */
#include "send/weirsend_warnings.h"

#define LOOK_NS WEIR_SECONDS (1)
#define SILENCE_NS WEIR_SECONDS (3)
#define RARE_NS WEIR_SECONDS (1)
#define RARE_RTTS 4

#define FAR_SIDE                                                                                   \
  "at the receiver use weirrecv, or on its rtpbin set rtp-profile=avpf and "                       \
  "rtpsession0::rtcp-fraction=0.5"
#define FAR_SIDE_TWCC                                                                              \
  FAR_SIDE " and give both sides the caps application/x-rtp,extmap-3=(string)" WEIR_TWCC_URI

void
gst_weir_watch_init (GstWeirSendWatch *watch)
{
  *watch = (GstWeirSendWatch){ .look_ns = WEIR_NEVER_NS,
                               .silent_since_ns = WEIR_UNKNOWN_NS,
                               .feedback_ns = WEIR_UNKNOWN_NS };
}

/* A packet left. */
void
gst_weir_watch_sent (GstWeirSendWatch *watch, gint64 now_ns)
{
  watch->sent = TRUE;
  if (watch->silent_since_ns == WEIR_UNKNOWN_NS) {
    watch->silent_since_ns = now_ns;
  }
  if (watch->look_ns == WEIR_NEVER_NS) {
    watch->look_ns = weir_time_add_ns (now_ns, LOOK_NS);
  }
}

/* For applications that look at a warning's details: the field "weir-warning". */
const gchar *
gst_weir_warning_name (GstWeirWarning warning)
{
  static const gchar *const names[] = { [GST_WEIR_WARNING_NO_FEEDBACK] = "no-feedback",
                                        [GST_WEIR_WARNING_RARE_FEEDBACK] = "rare-feedback",
                                        [GST_WEIR_WARNING_CEASED] = "ceased" };
  return warning < GST_WEIR_N_WARNINGS ? names[warning] : "unknown";
}

static gchar *
explain_no_rtcp (const GstWeirSendView *view)
{
  if (!view->has_session && !view->has_rtcp_sink) {
    return g_strdup ("nothing brings RTCP to weirsend; link the receiver's RTCP to its rtcp_sink "
                     "pad (udpsrc port=5005 ! s.rtcp_sink), or link weirsend to "
                     "rtpbin's send_rtp_sink_0");
  }
  return g_strdup_printf ("no RTCP arrived at all; check that the receiver sends RTCP to the %s "
                          "here, and " FAR_SIDE,
                          view->has_session ? "recv_rtcp_sink" : "rtcp_sink");
}

/* RTCP arrives, but none of it is feedback the session believes. */
static gchar *
explain_useless_rtcp (const GstWeirSendView *view)
{
  const struct weir_sender_stats *stats = &view->stats;
  if (stats->rtcp_rejected > 0) {
    return g_strdup_printf ("%" G_GUINT64_FORMAT " RTCP packets were not believed, because they "
                            "report on packets never sent; check that the RTCP belongs to this "
                            "stream",
                            stats->rtcp_rejected);
  }
  if (stats->rtcp_malformed > 0 && stats->rtcp_packets == 0) {
    return g_strdup_printf ("%" G_GUINT64_FORMAT " RTCP packets could not be parsed; if they are "
                            "SRTCP, decrypt them before rtcp_sink (srtpdec)",
                            stats->rtcp_malformed);
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
explain_silence (const GstWeirSendView *view, gint64 silent_ns)
{
  gchar *cause = view->rtcp_datagrams == 0 ? explain_no_rtcp (view) : explain_useless_rtcp (view);
  gchar *text = g_strdup_printf ("No feedback from the receiver for %.0f s: %s. Until then the "
                                 "bitrate falls towards min-bitrate",
                                 (gdouble) silent_ns / 1e9, cause);
  g_free (cause);
  return text;
}

static gboolean
has_per_packet_feedback (const GstWeirSendView *view)
{
  return (view->stats.active_formats & (WEIR_FEEDBACK_CCFB | WEIR_FEEDBACK_TWCC)) != 0;
}

static gchar *
explain_rarity (const GstWeirSendView *view)
{
  gboolean reports_only = !has_per_packet_feedback (view);
  const gchar *effect = "reacts late";
  if (reports_only) {
    effect = (view->needs & WEIR_HAS_REPORT_FORM) != 0
                 ? "runs in the form for receiver reports and reacts late"
                 : "cannot run from receiver reports";
  }
  return g_strdup_printf ("Feedback comes only every %.1f s%s, so %s %s; %s",
                          (gdouble) view->stats.feedback_interval_ns / 1e9,
                          reports_only ? ", and in receiver reports only" : "", view->algorithm,
                          effect, reports_only ? FAR_SIDE_TWCC : FAR_SIDE);
}

static gboolean
is_rare (const GstWeirSendView *view)
{
  const struct weir_sender_stats *stats = &view->stats;
  gint64 rtts_ns = stats->rtt_ns == WEIR_UNKNOWN_NS ? 0 : RARE_RTTS * stats->rtt_ns;
  return stats->feedback_interval_ns != WEIR_UNKNOWN_NS
         && stats->feedback_interval_ns > weir_max_i64 (RARE_NS, rtts_ns);
}

/* After the first feedback, silence is what is long compared with the usual interval. */
static gboolean
is_silent (const GstWeirSendWatch *watch, const GstWeirSendView *view, gint64 now_ns)
{
  gint64 usual_ns = view->stats.feedback_interval_ns == WEIR_UNKNOWN_NS
                        ? 0
                        : RARE_RTTS * view->stats.feedback_interval_ns;
  return watch->silent_since_ns != WEIR_UNKNOWN_NS
         && now_ns - watch->silent_since_ns >= weir_max_i64 (SILENCE_NS, usual_ns);
}

/* TRUE once when an episode begins. */
static gboolean
begins (GstWeirSendWatch *watch, GstWeirWarning warning, gboolean present)
{
  gboolean begun = present && !watch->reported[warning];
  watch->reported[warning] = present;
  return begun;
}

static void
note_feedback (GstWeirSendWatch *watch, const GstWeirSendView *view)
{
  if (view->stats.last_feedback_ns != watch->feedback_ns) {
    watch->feedback_ns = view->stats.last_feedback_ns;
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
    texts[GST_WEIR_WARNING_NO_FEEDBACK] = explain_silence (view, now_ns - watch->silent_since_ns);
  }
  if (begins (watch, GST_WEIR_WARNING_RARE_FEEDBACK, is_rare (view))) {
    texts[GST_WEIR_WARNING_RARE_FEEDBACK] = explain_rarity (view);
  }
  gboolean ceased = (view->output.state & WEIR_STATE_BREAKER_CEASED) != 0;
  if (begins (watch, GST_WEIR_WARNING_CEASED, ceased)) {
    texts[GST_WEIR_WARNING_CEASED]
        = g_strdup ("The circuit breaker (RFC 8083) stopped the media: the network does not carry "
                    "it, or nobody reports. It goes on when feedback returns; check the "
                    "receiver and lower min-bitrate");
  }
  gint64 late_ns = WEIR_NEVER_NS; /* when silence is too long */
  gboolean waiting
      = watch->silent_since_ns != WEIR_UNKNOWN_NS && !watch->reported[GST_WEIR_WARNING_NO_FEEDBACK];
  if (waiting && watch->silent_since_ns + SILENCE_NS > now_ns) {
    late_ns = watch->silent_since_ns + SILENCE_NS;
  }
  watch->look_ns
      = watch->sent || waiting || ceased ? weir_time_add_ns (now_ns, LOOK_NS) : WEIR_NEVER_NS;
  watch->look_ns = weir_min_i64 (watch->look_ns, late_ns);
  watch->sent = FALSE;
}
