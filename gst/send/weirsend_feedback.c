/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback on its way into the session: whole RTCP packets, and results that an RTP session has
 * decoded. Runs on RTCP threads; only feeds, never waits, never pushes media. */
#include "send/weirsend_private.h"

#include <string.h>

#define GST_CAT_DEFAULT gst_weir_send_debug
#define RESULTS_PER_CALL 256

/* One RTCP datagram, from wherever. buffer is only read. */
static void
feed_rtcp (GstWeirSend *self, GstBuffer *buffer)
{
  GstMapInfo map;
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    return;
  }
  gst_weir_send_lock (self);
  if (self->member.path->sender != NULL) {
    gint64 now_ns = gst_weir_send_now (self);
    enum weir_status status = weir_sender_on_rtcp (self->member.path->sender, now_ns,
                                                   self->member.number, map.data, map.size);
    self->rtcp_datagrams++;
    GST_LOG_OBJECT (self, "RTCP of %" G_GSIZE_FORMAT " bytes: %s", map.size,
                    weir_status_text (status));
    gst_weir_member_update_output_locked (&self->member, now_ns);
    gst_weir_member_wake_if_due_locked (&self->member, now_ns);
  }
  gst_weir_send_unlock (self);
  gst_buffer_unmap (buffer, &map);
}

static void
on_rtcp (GstElement *element, GstBuffer *rtcp)
{
  feed_rtcp (GST_WEIR_SEND (element), rtcp);
}

static void
on_rtcp_pads_change (GstElement *element)
{
  g_atomic_int_set (&GST_WEIR_SEND (element)->look_around, TRUE);
}

const GstWeirRtcpEvents gst_weir_send_rtcp_events
    = { .on_rtcp = on_rtcp, .on_change = on_rtcp_pads_change };

/* Several members of a group may hear the session, one hands on what it says. */
static void
on_session_rtcp (GstElement *element, GstBuffer *rtcp)
{
  GstWeirSend *self = GST_WEIR_SEND (element);
  gst_weir_send_lock (self);
  gboolean first = gst_weir_group_listens_locked (self);
  self->rtcp_datagrams += first ? 0 : 1;
  gst_weir_send_unlock (self);
  if (first) {
    feed_rtcp (self, rtcp);
  }
}

static void
on_session_rtcp_sent (GstElement *element, GstBuffer *rtcp)
{
  GstWeirSend *self = GST_WEIR_SEND (element);
  GstMapInfo map;
  if (gst_buffer_map (rtcp, &map, GST_MAP_READ)) {
    gst_weir_send_lock (self);
    if (self->member.path->sender != NULL && gst_weir_group_listens_locked (self)) {
      weir_sender_on_report_sent (self->member.path->sender, gst_weir_send_now (self), map.data,
                                  map.size);
    }
    gst_weir_send_unlock (self);
    gst_buffer_unmap (rtcp, &map);
  }
}

static void
on_session_numbers (GstElement *element, const struct weir_rtp_info *packets, guint n)
{
  GstWeirSend *self = GST_WEIR_SEND (element);
  gst_weir_send_lock (self);
  for (guint i = 0; i < n && self->member.path->sender != NULL; i++) {
    weir_sender_on_transport_seq (self->member.path->sender, packets[i].ssrc, packets[i].seq,
                                  packets[i].transport_seq);
  }
  gst_weir_send_unlock (self);
}

const GstWeirRtpSessionEvents gst_weir_send_rtp_session_events = {
  .on_rtcp = on_session_rtcp, .on_rtcp_sent = on_session_rtcp_sent, .on_numbers = on_session_numbers
};

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
feed_batch (GstWeirSend *self, const struct weir_packet_result *results, guint n)
{
  gst_weir_send_lock (self);
  if (self->member.path->sender != NULL && n > 0) {
    gint64 now_ns = gst_weir_send_now (self);
    weir_sender_on_packet_results (self->member.path->sender, now_ns, self->member.number, results,
                                   n);
    gst_weir_member_update_output_locked (&self->member, now_ns);
    gst_weir_member_wake_if_due_locked (&self->member, now_ns);
  }
  gst_weir_send_unlock (self);
}

G_GNUC_BEGIN_IGNORE_DEPRECATIONS

static void
feed_array (GstWeirSend *self, GValueArray *packets)
{
  struct weir_packet_result results[RESULTS_PER_CALL];
  guint n = 0;
  for (guint i = 0; i < packets->n_values; i++) {
    const GValue *value = g_value_array_get_nth (packets, i);
    const GstStructure *packet
        = G_VALUE_HOLDS (value, GST_TYPE_STRUCTURE) ? gst_value_get_structure (value) : NULL;
    if (packet != NULL && read_result (packet, &results[n]) && ++n == RESULTS_PER_CALL) {
      feed_batch (self, results, n);
      n = 0;
    }
  }
  feed_batch (self, results, n);
}

static gboolean
is_news (GstWeirSend *self, GstEvent *event)
{
  gst_weir_send_lock (self);
  gboolean news = gst_weir_group_takes_results_locked (self, gst_event_get_seqnum (event));
  gst_weir_send_unlock (self);
  return news;
}

/* An event with the structure RTPTWCCPackets of an RTP session; others are ignored. */
void
gst_weir_send_feed_results (GstWeirSend *self, GstEvent *event)
{
  const GstStructure *structure = gst_event_get_structure (event);
  if (structure == NULL || !gst_structure_has_name (structure, "RTPTWCCPackets")
      || gst_structure_get_field_type (structure, "packets") != g_value_array_get_type ()) {
    return;
  }
  GValueArray *packets = g_value_get_boxed (gst_structure_get_value (structure, "packets"));
  if (packets != NULL && is_news (self, event)) {
    feed_array (self, packets);
  }
}

G_GNUC_END_IGNORE_DEPRECATIONS

/* Something was linked or unlinked: look again for encoders and the session. */
static void
look_again (GstWeirSend *self)
{
  gst_weir_input_look_again (&self->input);
  g_atomic_int_set (&self->look_around, TRUE);
}

/* Every event goes on upstream: others may use it too. */
gboolean
gst_weir_send_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstWeirSend *self = GST_WEIR_SEND (parent);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM) {
    gst_weir_send_feed_results (self, event);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    look_again (self);
  }
  return gst_pad_event_default (pad, parent, event);
}
