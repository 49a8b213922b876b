/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_feedback.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug
#define RESULTS_PER_CALL 256

void
gst_weir_feedback_on_rtcp (GstWeirMember *member, GstBuffer *rtcp)
{
  GstMapInfo map;
  if (!gst_buffer_map (rtcp, &map, GST_MAP_READ)) {
    return;
  }
  gst_weir_member_lock (member);
  if (member->path->sender != NULL) {
    gint64 now_ns = gst_weir_member_now (member);
    enum weir_status status
        = weir_sender_on_rtcp (member->path->sender, now_ns, member->number, map.data, map.size);
    member->rtcp_datagrams++;
    GST_LOG_OBJECT (member->element, "RTCP of %" G_GSIZE_FORMAT " bytes: %s", map.size,
                    weir_status_text (status));
    gst_weir_member_update_output_locked (member, now_ns);
    gst_weir_member_wake_if_due_locked (member, now_ns);
  }
  gst_weir_member_unlock (member);
  gst_buffer_unmap (rtcp, &map);
}

void
gst_weir_feedback_on_session_rtcp (GstWeirMember *member, GstBuffer *rtcp)
{
  gst_weir_member_lock (member);
  gboolean first = gst_weir_member_listens_locked (member);
  member->rtcp_datagrams += first ? 0 : 1;
  gst_weir_member_unlock (member);
  if (first) {
    gst_weir_feedback_on_rtcp (member, rtcp);
  }
}

/* Their times make RTT from receiver reports possible. */
void
gst_weir_feedback_on_session_report (GstWeirMember *member, GstBuffer *rtcp)
{
  GstMapInfo map;
  if (gst_buffer_map (rtcp, &map, GST_MAP_READ)) {
    gst_weir_member_lock (member);
    if (member->path->sender != NULL && gst_weir_member_listens_locked (member)) {
      weir_sender_on_report_sent (member->path->sender, gst_weir_member_now (member), map.data,
                                  map.size);
    }
    gst_weir_member_unlock (member);
    gst_buffer_unmap (rtcp, &map);
  }
}

void
gst_weir_feedback_on_numbers (GstWeirMember *member, const struct weir_rtp_info *packets, guint n)
{
  gst_weir_member_lock (member);
  for (guint i = 0; i < n && member->path->sender != NULL; i++) {
    weir_sender_on_transport_seq (member->path->sender, packets[i].ssrc, packets[i].seq,
                                  packets[i].transport_seq);
  }
  gst_weir_member_unlock (member);
}

static gint64
time_field (const GstStructure *packet, const gchar *name)
{
  guint64 time = GST_CLOCK_TIME_NONE;
  gst_structure_get_uint64 (packet, name, &time);
  return time > (guint64) G_MAXINT64 ? WEIR_UNKNOWN_NS : (gint64) time;
}

/* FALSE: packet does not say which packet it is about. */
static gboolean
read_result (const GstStructure *packet, struct weir_packet_result *result)
{
  guint seq = 0;
  guint size = 0;
  gboolean lost = FALSE;
  if (!gst_structure_get_uint (packet, "seqnum", &seq)) {
    return FALSE;
  }
  gst_structure_get_uint (packet, "size", &size);
  gst_structure_get_boolean (packet, "lost", &lost);
  gint64 arrived_ns = time_field (packet, "remote-ts");
  *result = (struct weir_packet_result){ .transport_seq = (guint16) seq,
                                         .received = !lost,
                                         .sent_ns = time_field (packet, "local-ts"),
                                         .arrived_ns = lost ? WEIR_UNKNOWN_NS : arrived_ns,
                                         .payload_bytes = size };
  return TRUE;
}

static void
feed_batch (GstWeirMember *member, const struct weir_packet_result *results, guint n)
{
  gst_weir_member_lock (member);
  if (member->path->sender != NULL && n > 0) {
    gint64 now_ns = gst_weir_member_now (member);
    weir_sender_on_packet_results (member->path->sender, now_ns, member->number, results, n);
    gst_weir_member_update_output_locked (member, now_ns);
    gst_weir_member_wake_if_due_locked (member, now_ns);
  }
  gst_weir_member_unlock (member);
}

G_GNUC_BEGIN_IGNORE_DEPRECATIONS

static void
feed_array (GstWeirMember *member, GValueArray *packets)
{
  struct weir_packet_result results[RESULTS_PER_CALL];
  guint n = 0;
  for (guint i = 0; i < packets->n_values; i++) {
    const GValue *value = g_value_array_get_nth (packets, i);
    const GstStructure *packet
        = G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE) ? gst_value_get_structure (value) : NULL;
    if (packet != NULL && read_result (packet, &results[n]) && ++n == RESULTS_PER_CALL) {
      feed_batch (member, results, n);
      n = 0;
    }
  }
  feed_batch (member, results, n);
}

static gboolean
is_news (GstWeirMember *member, GstEvent *event)
{
  gst_weir_member_lock (member);
  gboolean news = gst_weir_member_takes_results_locked (member, gst_event_get_seqnum (event));
  gst_weir_member_unlock (member);
  return news;
}

void
gst_weir_feedback_on_event (GstWeirMember *member, GstEvent *event)
{
  const GstStructure *structure = gst_event_get_structure (event);
  if (structure == NULL || !gst_structure_has_name (structure, "RTPTWCCPackets")
      || gst_structure_get_field_type (structure, "packets") != g_value_array_get_type ()) {
    return;
  }
  GValueArray *packets = g_value_get_boxed (gst_structure_get_value (structure, "packets"));
  if (packets != NULL && is_news (member, event)) {
    feed_array (member, packets);
  }
}

G_GNUC_END_IGNORE_DEPRECATIONS
