/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property stats: what the session, the queue and the encoders count. The messages weir-stats
 * are its beginning, what one wants to see every second, and the algorithm's variables. Rates in
 * bit/s, times in ns; what is not known yet is left out. */
#include "send/weirsend_private.h"
#include "send/weirsend_types.h"

#include <string.h>

#define MAX_VARIABLES 64

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
  COUNTER ("feedback-ccfb", feedback_ccfb),
  COUNTER ("feedback-twcc", feedback_twcc),
  COUNTER ("feedback-rr", feedback_rr),
  COUNTER ("feedback-xr", feedback_xr),
  COUNTER ("feedback-remb", feedback_remb),
  COUNTER ("feedback-results", feedback_results),
  COUNTER ("results-unsent", results_unsent),
  COUNTER ("results-repeated", results_repeated),
  COUNTER ("clock-steps-back", clock_steps_back),
  COUNTER ("clock-jumps", clock_jumps),
  COUNTER ("nacks", nacks),
  COUNTER ("plis", plis),
  COUNTER ("firs", firs),
};

/* One moment of the session. */
typedef struct
{
  struct weir_sender_stats sender;
  struct weir_queue_stats queue;
  struct weir_output output;
  struct weir_variable variables[MAX_VARIABLES];
  gsize n_variables;
  GstStructure *encoders; /* owned */
  const gchar *algorithm;
  guint64 malformed, discarded, repair, rtcp_datagrams;
  guint target_bps;
  guint overhead_bytes;
  gboolean has_session;
  gboolean running;
} Snapshot;

static void
take_snapshot (GstWeirSend *self, Snapshot *snapshot)
{
  GstStructure *encoders = gst_weir_encoders_get_stats (self->encoders.driven);
  gst_weir_send_lock (self);
  *snapshot = (Snapshot){ .output = self->member.output,
                          .encoders = encoders,
                          .algorithm = self->settings.algorithm,
                          .malformed = self->input.malformed_packets,
                          .discarded = self->pacer.discarded_packets,
                          .repair = self->pacer.repair_packets,
                          .rtcp_datagrams = self->rtcp_datagrams,
                          .overhead_bytes = gst_weir_send_overhead_bytes (self),
                          .has_session = self->session.object != NULL,
                          .running = self->member.path->sender != NULL };
  if (snapshot->running) {
    weir_sender_get_stats (self->member.path->sender, &snapshot->sender);
    weir_queue_get_stats (self->pacer.queue, &snapshot->queue);
    snapshot->n_variables
        = weir_sender_get_variables (self->member.path->sender, snapshot->variables, MAX_VARIABLES);
  }
  gst_weir_send_unlock (self);
}

static void
put_counters (GstStructure *stats, const struct weir_sender_stats *sender)
{
  for (guint i = 0; i < G_N_ELEMENTS (counters); i++) {
    guint64 value = 0;
    memcpy (&value, (const guint8 *) sender + counters[i].offset, sizeof value);
    gst_structure_set (stats, counters[i].name, G_TYPE_UINT64, value, NULL);
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
encoder_bps (const Snapshot *snapshot)
{
  gint64 measured_bps = 0;
  gst_structure_get_int64 (snapshot->encoders, "measured-bitrate", &measured_bps);
  return measured_bps > 0 ? measured_bps : WEIR_UNKNOWN_NS;
}

/* What is of now and drawn, in the order in which one reads it. */
static void
put_curves (GstStructure *stats, const Snapshot *snapshot)
{
  const struct weir_sender_stats *sender = &snapshot->sender;
  put_known (stats, "time", sender->age_ns);
  put_known (stats, "target-bitrate", snapshot->output.target_media_bps);
  put_known (stats, "encoder-bitrate", encoder_bps (snapshot));
  put_known (stats, "sent-bitrate", sender->sent_wire_bps);
  put_known (stats, "delivered-bitrate", sender->delivered_wire_bps);
  put_known (stats, "rtt", sender->rtt_ns);
  put_known (stats, "queueing-delay", sender->queueing_ns);
  put_known (stats, "send-queue-delay", sender->send_queue_ns);
  gst_structure_set (stats, "loss-ratio", G_TYPE_DOUBLE, (gdouble) sender->loss_ppm / 1e6,
                     "limited-by", G_TYPE_STRING, weir_limit_name (snapshot->output.limit), NULL);
  put_known (stats, "allowed-bitrate", snapshot->output.allowed_wire_bps);
  if (sender->mos > 0) { /* there has been audio */
    gst_structure_set (stats, "r-score", G_TYPE_DOUBLE, sender->r_score, "mos", G_TYPE_DOUBLE,
                       sender->mos, NULL);
  }
}

/* What a message has, but for the variables. */
static void
put_headline (GstStructure *stats, const Snapshot *snapshot)
{
  if (snapshot->running) {
    put_curves (stats, snapshot);
  }
  gst_structure_set (stats, "packets-sent", G_TYPE_UINT64, snapshot->sender.packets_sent,
                     "packets-lost", G_TYPE_UINT64, snapshot->sender.packets_lost,
                     "dropped-packets", G_TYPE_UINT64, snapshot->queue.dropped_packets, "algorithm",
                     G_TYPE_STRING, snapshot->algorithm, NULL);
}

static void
put_present (GstStructure *stats, const struct weir_sender_stats *sender)
{
  put_known (stats, "rtt-min", sender->rtt_min_ns);
  put_known (stats, "in-flight-bytes", sender->in_flight_bytes);
  put_known (stats, "feedback-interval", sender->feedback_interval_ns);
  put_known (stats, "remb-bitrate", sender->remb_bps);
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
put_queue (GstStructure *stats, const Snapshot *snapshot)
{
  const struct weir_queue_stats *queue = &snapshot->queue;
  gst_structure_set (stats, "queued-bytes", G_TYPE_INT64, queue->queued_bytes, "queued-packets",
                     G_TYPE_UINT, queue->queued_packets, "dropped-frames", G_TYPE_UINT64,
                     queue->dropped_frames, "dropped-bytes", G_TYPE_UINT64, queue->dropped_bytes,
                     "dropped-malformed", G_TYPE_UINT64, snapshot->malformed, "dropped-at-end",
                     G_TYPE_UINT64, snapshot->discarded, "repair-packets", G_TYPE_UINT64,
                     snapshot->repair, NULL);
}

/* The algorithm's own variables, under their own names. */
static void
put_variables (GstStructure *stats, const Snapshot *snapshot)
{
  GstStructure *variables = gst_structure_new_empty (snapshot->algorithm);
  for (gsize i = 0; i < snapshot->n_variables; i++) {
    gst_structure_set (variables, snapshot->variables[i].name, G_TYPE_DOUBLE,
                       snapshot->variables[i].value, NULL);
  }
  gst_structure_set (stats, "variables", GST_TYPE_STRUCTURE, variables, NULL);
  gst_structure_free (variables);
}

/* The same as fields of their own, "tfrc.rtt_ns": structures in structures are not for people. */
static void
put_plain_variables (GstStructure *stats, const Snapshot *snapshot)
{
  for (gsize i = 0; i < snapshot->n_variables; i++) {
    gchar *name = g_strconcat (snapshot->algorithm, ".", snapshot->variables[i].name, NULL);
    gst_structure_set (stats, name, G_TYPE_DOUBLE, snapshot->variables[i].value, NULL);
    g_free (name);
  }
}

/* A structure weir-stats for a message, to be freed. Takes the session lock. */
GstStructure *
gst_weir_send_make_summary (GstWeirSend *self)
{
  Snapshot snapshot;
  take_snapshot (self, &snapshot);
  GstStructure *stats = gst_structure_new_empty ("weir-stats");
  put_headline (stats, &snapshot);
  gst_weir_group_put_stats (self, stats);
  put_plain_variables (stats, &snapshot);
  gst_structure_free (snapshot.encoders);
  return stats;
}

/* All there is, to be freed. Takes the session lock. */
GstStructure *
gst_weir_send_make_stats (GstWeirSend *self)
{
  Snapshot snapshot;
  take_snapshot (self, &snapshot);
  GstStructure *stats = gst_structure_new_empty ("weir-stats");
  put_headline (stats, &snapshot);
  if (snapshot.running) {
    put_present (stats, &snapshot.sender);
    put_output (stats, &snapshot.output);
  }
  put_queue (stats, &snapshot);
  put_counters (stats, &snapshot.sender);
  gst_structure_set (stats, "rtp-session", G_TYPE_BOOLEAN, snapshot.has_session, "rtcp-datagrams",
                     G_TYPE_UINT64, snapshot.rtcp_datagrams, "encoders", GST_TYPE_STRUCTURE,
                     snapshot.encoders, "overhead-bytes", G_TYPE_UINT, snapshot.overhead_bytes,
                     NULL);
  gst_weir_srtcp_put_stats (&self->rtcp.srtcp, stats);
  gst_weir_group_put_stats (self, stats);
  if (snapshot.running) {
    put_variables (stats, &snapshot);
  }
  gst_structure_free (snapshot.encoders);
  return stats;
}
