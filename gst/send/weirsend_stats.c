/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_stats.h"

#include "send/weirsend_types.h"
#include <string.h>

typedef struct
{
  const gchar *name;
  gsize offset;
} Counter;

#define COUNTER(field_name, field)                                                                 \
  {                                                                                                \
    field_name, G_STRUCT_OFFSET (struct weir_sender_stats, field)                                  \
  }

static const Counter counters[] = {
  COUNTER ("bytes-sent-wire", bytes_sent_wire),
  COUNTER ("bytes-sent-media", bytes_sent_media),
  COUNTER ("packets-received", packets_received),
  COUNTER ("packets-late", packets_late),
  COUNTER ("packets-unknown", packets_unknown),
  COUNTER ("rtcp-packets", rtcp_packets),
  COUNTER ("rtcp-malformed", rtcp_malformed),
  COUNTER ("rtcp-unknown", rtcp_unknown),
  COUNTER ("rtcp-rejected", rtcp_rejected),
  COUNTER ("rtcp-ignored", rtcp_ignored),
  COUNTER ("feedback-results", feedback_results),
  COUNTER ("results-unsent", results_unsent),
  COUNTER ("results-repeated", results_repeated),
  COUNTER ("results-invented", results_invented),
  COUNTER ("feedback-denied", feedback_denied),
  COUNTER ("clock-steps-back", clock_steps_back),
  COUNTER ("clock-jumps", clock_jumps),
  COUNTER ("nacks", nacks),
  COUNTER ("plis", plis),
  COUNTER ("firs", firs),
};

void
gst_weir_moment_clear (GstWeirMoment *moment)
{
  g_clear_pointer (&moment->encoders, gst_structure_free);
  g_clear_pointer (&moment->group, g_free);
}

static void
put_counters (GstStructure *stats, const struct weir_sender_stats *sender)
{
  for (guint i = 0; i < G_N_ELEMENTS (counters); i++) {
    guint64 value = 0;
    memcpy (&value, (const guint8 *) sender + counters[i].offset, sizeof value);
    gst_structure_set (stats, counters[i].name, G_TYPE_UINT64, value, NULL);
  }
  struct weir_feedback_info info;
  for (gsize i = 0; weir_feedback_get_info (i, &info); i++) {
    g_autofree gchar *name = g_strdup_printf ("feedback-%s", info.name);
    gst_structure_set (stats, name, G_TYPE_UINT64, sender->feedback_packets[i], NULL);
  }
}

static void
put_known (GstStructure *stats, const gchar *name, gint64 value)
{
  if (value != WEIR_UNKNOWN_NS && value != WEIR_NEVER_NS) {
    gst_structure_set (stats, name, G_TYPE_INT64, value, NULL);
  }
}

/* The rate of the media that come from the encoders, or from whatever stands before us. */
static gint64
encoder_bps (const GstWeirMoment *moment)
{
  gint64 measured_bps = 0;
  gst_structure_get_int64 (moment->encoders, "measured-bitrate", &measured_bps);
  return measured_bps > 0 ? measured_bps : WEIR_UNKNOWN_NS;
}

/* What is of now and drawn, in the order in which one reads it. */
static void
put_curves (GstStructure *stats, const GstWeirMoment *moment)
{
  const struct weir_sender_stats *sender = &moment->sender;
  put_known (stats, "time", sender->age_ns);
  put_known (stats, "target-bitrate", moment->output.target_media_bps);
  put_known (stats, "encoder-bitrate", encoder_bps (moment));
  put_known (stats, "sent-bitrate", sender->sent_wire_bps);
  put_known (stats, "delivered-bitrate", sender->delivered_wire_bps);
  put_known (stats, "rtt", sender->rtt_ns);
  put_known (stats, "queueing-delay", sender->queueing_ns);
  put_known (stats, "send-queue-delay", sender->send_queue_ns);
  gst_structure_set (stats, "loss-ratio", G_TYPE_DOUBLE, (gdouble) sender->loss_ppm / 1e6,
                     "limited-by", G_TYPE_STRING, weir_limited_by_name (moment->output.limited_by),
                     NULL);
  put_known (stats, "allowed-bitrate", moment->output.allowed_wire_bps);
  if (sender->mos > 0) { /* there has been audio */
    gst_structure_set (stats, "r-score", G_TYPE_DOUBLE, sender->r_score, "mos", G_TYPE_DOUBLE,
                       sender->mos, NULL);
  }
}

/* That a weirscale before the encoder makes, and why it is no larger. */
static void
put_picture (GstStructure *stats, const GstWeirMoment *moment)
{
  static const gchar *const names[] = { "picture", "picture-reason" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const gchar *text = gst_structure_get_string (moment->encoders, names[i]);
    if (text != NULL) {
      gst_structure_set (stats, names[i], G_TYPE_STRING, text, NULL);
    }
  }
}

/* That the elements before us are told, and why. */
static void
put_repair (GstStructure *stats, const GstWeirRepairState *repair)
{
  if (repair->known && repair->drives_in_packet) {
    gst_structure_set (stats, "repair-loss-percentage", G_TYPE_UINT, repair->advice.loss_percent,
                       NULL);
  }
  if (repair->known && repair->drives_fec) {
    gst_structure_set (stats, "repair-percentage", G_TYPE_UINT, repair->advice.percent,
                       "repair-reason", G_TYPE_STRING,
                       weir_repair_reason_name (repair->advice.reason), NULL);
  }
}

/* Of several receivers of the same packets, the one that sets the rate, and why it. */
static void
put_receiver (GstStructure *stats, const GstWeirMoment *moment)
{
  for (gsize i = 0; i < moment->n_reporters; i++) {
    const struct weir_reporter *reporter = &moment->reporters[i];
    guint n = 0;
    for (gsize k = 0; k < moment->n_reporters; k++) {
      n += moment->reporters[k].transport == reporter->transport;
    }
    if (n > 1 && reporter->steers) {
      g_autoptr (GString) text = g_string_new (NULL);
      g_string_printf (text, "%08x of %u: %.1f %% lost", reporter->ssrc, n,
                       (gdouble) reporter->loss_ppm / 1e4);
      if (reporter->queueing_ns != WEIR_UNKNOWN_NS) {
        g_string_append_printf (text, " and %.0f ms queued", (gdouble) reporter->queueing_ns / 1e6);
      }
      gst_structure_set (stats, "receiver", G_TYPE_STRING, text->str, NULL);
      return;
    }
  }
}

/* What a message has, but for the variables. */
static void
put_headline (GstStructure *stats, const GstWeirMoment *moment)
{
  if (moment->running) {
    put_curves (stats, moment);
    put_picture (stats, moment);
    put_receiver (stats, moment);
    put_repair (stats, &moment->repair);
  }
  gst_structure_set (stats, "packets-sent", G_TYPE_UINT64, moment->sender.packets_sent,
                     "packets-lost", G_TYPE_UINT64, moment->sender.packets_lost, "dropped-packets",
                     G_TYPE_UINT64, moment->queue.dropped_packets, "algorithm", G_TYPE_STRING,
                     moment->algorithm, NULL);
}

static void
put_present (GstStructure *stats, const GstWeirMoment *moment)
{
  const struct weir_sender_stats *sender = &moment->sender;
  put_known (stats, "rtt-min", sender->rtt_min_ns);
  put_known (stats, "in-flight-bytes", sender->in_flight_bytes);
  put_known (stats, "feedback-interval", sender->feedback_interval_ns);
  put_known (stats, "remb-bitrate", sender->remb_bps);
  put_known (stats, "proved-bitrate",
             moment->proved_bps > 0 ? moment->proved_bps : WEIR_UNKNOWN_NS);
  gst_structure_set (stats, "active-feedback", gst_weir_feedback_get_type (),
                     sender->active_formats, NULL);
}

static void
put_output (GstStructure *stats, const struct weir_output *output)
{
  put_known (stats, "pacing-bitrate", output->pacing_wire_bps);
  put_known (stats, "window-bytes", output->window_bytes);
  gst_structure_set (
      stats, "application-limited", G_TYPE_BOOLEAN, (output->state & WEIR_STATE_APP_LIMITED) != 0,
      "no-feedback", G_TYPE_BOOLEAN, (output->state & WEIR_STATE_NO_FEEDBACK) != 0, "reports-only",
      G_TYPE_BOOLEAN, (output->state & WEIR_STATE_REPORTS_ONLY) != 0, "slow-start", G_TYPE_BOOLEAN,
      (output->state & WEIR_STATE_SLOW_START) != 0, "ceased", G_TYPE_BOOLEAN,
      (output->state & WEIR_STATE_BREAKER_CEASED) != 0, "state", G_TYPE_UINT, output->state, NULL);
}

static void
put_queue (GstStructure *stats, const GstWeirMoment *moment)
{
  const struct weir_queue_stats *queue = &moment->queue;
  gst_structure_set (stats, "queued-bytes", G_TYPE_INT64, queue->queued_bytes, "queued-packets",
                     G_TYPE_UINT, queue->queued_packets, "dropped-frames", G_TYPE_UINT64,
                     queue->dropped_frames, "dropped-bytes", G_TYPE_UINT64, queue->dropped_bytes,
                     "skipped-frames", G_TYPE_UINT64, queue->skipped_frames, "dropped-malformed",
                     G_TYPE_UINT64, moment->malformed_packets, "dropped-at-end", G_TYPE_UINT64,
                     moment->discarded_packets, "repair-packets", G_TYPE_UINT64,
                     moment->repair_packets, NULL);
}

/* The algorithm's own variables, under their own names. */
static void
put_variables (GstStructure *stats, const GstWeirMoment *moment)
{
  g_autoptr (GstStructure) variables = gst_structure_new_empty (moment->algorithm);
  for (gsize i = 0; i < moment->n_variables; i++) {
    gst_structure_set (variables, moment->variables[i].name, G_TYPE_DOUBLE,
                       moment->variables[i].value, NULL);
  }
  gst_structure_set (stats, "variables", GST_TYPE_STRUCTURE, variables, NULL);
}

/* The same as fields of their own, "tfrc.rtt_ns": structures in structures are not for people. */
static void
put_plain_variables (GstStructure *stats, const GstWeirMoment *moment)
{
  for (gsize i = 0; i < moment->n_variables; i++) {
    g_autofree gchar *name = g_strconcat (moment->algorithm, ".", moment->variables[i].name, NULL);
    gst_structure_set (stats, name, G_TYPE_DOUBLE, moment->variables[i].value, NULL);
  }
}

/* Whether the path carries ECN, marks reported, and reports that contradict what was sent. */
static void
put_ecn (GstStructure *stats, const GstWeirMoment *moment)
{
  gst_structure_set (stats, "ecn", G_TYPE_STRING, weir_ecn_path_name (moment->ecn),
                     "packets-ecn-ce", G_TYPE_UINT64, (guint64) moment->packets_ecn_ce,
                     "packets-ecn-wrong", G_TYPE_UINT64, (guint64) moment->packets_ecn_wrong, NULL);
}

/* What a group's member has besides; the session's figures are those of all of them together. */
static void
put_group (GstStructure *stats, const GstWeirMoment *moment)
{
  if (moment->group != NULL) {
    gst_structure_set (stats, "group", G_TYPE_STRING, moment->group, "group-members", G_TYPE_UINT,
                       moment->n_members, "priority", G_TYPE_DOUBLE, moment->priority,
                       "share-bitrate", G_TYPE_INT64, moment->share_bps, NULL);
  }
}

GstStructure *
gst_weir_stats_summary (const GstWeirMoment *moment)
{
  GstStructure *stats = gst_structure_new_empty ("weir-stats");
  put_headline (stats, moment);
  put_group (stats, moment);
  put_plain_variables (stats, moment);
  return stats;
}

GstStructure *
gst_weir_stats_all (const GstWeirMoment *moment)
{
  GstStructure *stats = gst_structure_new_empty ("weir-stats");
  put_headline (stats, moment);
  if (moment->running) {
    put_present (stats, moment);
    put_output (stats, &moment->output);
  }
  put_queue (stats, moment);
  put_counters (stats, &moment->sender);
  put_ecn (stats, moment);
  gst_structure_set (stats, "rtp-session", G_TYPE_BOOLEAN, moment->has_session, "rtcp-datagrams",
                     G_TYPE_UINT64, moment->rtcp_datagrams, "encoders", GST_TYPE_STRUCTURE,
                     moment->encoders, "overhead-bytes", G_TYPE_UINT, moment->overhead_bytes, NULL);
  put_group (stats, moment);
  if (moment->running) {
    put_variables (stats, moment);
  }
  return stats;
}
