/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pad: packets and serialized events go into the send queue, in their order. */
#include "common/pipeline_walk.h"
#include "send/weirsend_private.h"
#include <gst/video/video.h>

#define GST_CAT_DEFAULT gst_weir_send_debug
#define KEY_UNIT_NS WEIR_MS (500)
/* A stream that is taken away from a funnel tells nobody. */
#define LOOK_AGAIN_NS WEIR_SECONDS (2)
#define EOS_GRACE_NS WEIR_SECONDS (1)
/* Packets in several memories are copied when they are no larger, else merged. */
#define SCRATCH_BYTES 2048
/* More than any session allows. */
#define MAX_BPS INT64_C (100000000000)

/* What the packet is: a RED packet is what it carries. Walks through the pipeline when it is news.
 */
static GstWeirStream *
find_stream (GstWeirSend *self, const guint8 *data, gsize size, const struct weir_rtp_info *info)
{
  guint8 inside = 0;
  gboolean *walked = &self->input.streams_walked;
  GstWeirStream *stream
      = gst_weir_streams_find (self->input.streams, info->ssrc, info->payload_type, walked);
  if (stream->red && weir_rtp_red_payload_type (data, size, info, &inside) == WEIR_OK) {
    stream = gst_weir_streams_find (self->input.streams, info->ssrc, inside, walked);
  }
  return stream;
}

/* Fills item's info and stream, or returns FALSE. The transport-wide number's id is that of the
 * packet before, until the packet has told which stream it is of. */
static gboolean
read_packet (GstWeirSend *self, const guint8 *data, gsize size, GstWeirSendItem *item,
             GstWeirStream **stream)
{
  guint8 id = self->input.transport_seq_id;
  if (weir_rtp_info (data, size, id, &item->info) != WEIR_OK) {
    return FALSE;
  }
  *stream = find_stream (self, data, size, &item->info);
  self->input.transport_seq_id = item->transport_seq_id = (*stream)->caps.transport_seq_id;
  return item->transport_seq_id == id
         || weir_rtp_info (data, size, item->transport_seq_id, &item->info) == WEIR_OK;
}

static gboolean
read_buffer (GstWeirSend *self, GstBuffer *buffer, GstWeirSendItem *item, GstWeirStream **stream)
{
  guint8 scratch[SCRATCH_BYTES];
  gsize size = gst_buffer_get_size (buffer);
  gboolean read = FALSE;
  GstMapInfo map;
  if (gst_buffer_n_memory (buffer) > 1 && size <= sizeof scratch) {
    gst_buffer_extract (buffer, 0, scratch, size);
    return read_packet (self, scratch, size, item, stream);
  }
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    read = read_packet (self, map.data, map.size, item, stream);
    gst_buffer_unmap (buffer, &map);
  }
  return read;
}

/* All packets of a frame that one packet shows to be a key frame count as such. */
static gboolean
belongs_to_key_frame (GstWeirSend *self, GstBuffer *buffer, const struct weir_rtp_info *info,
                      GstWeirStream *stream)
{
  if (!stream->caps.key_flags) {
    return FALSE;
  }
  gboolean known = self->input.has_key_frame && self->input.frame_ssrc == info->ssrc
                   && self->input.frame_timestamp == info->timestamp;
  if (!known && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)) {
    self->input.has_key_frame = known = TRUE;
    self->input.frame_ssrc = info->ssrc;
    self->input.frame_timestamp = info->timestamp;
  }
  return known;
}

static guint32
queue_flags (GstWeirSend *self, GstBuffer *buffer, const struct weir_rtp_info *info,
             GstWeirStream *stream)
{
  guint32 flags = info->marker ? WEIR_QUEUE_FRAME_END : 0;
  if (stream->caps.kind == GST_WEIR_KIND_AUDIO) {
    flags |= WEIR_QUEUE_AUDIO;
  } else if (stream->caps.repair) {
    flags |= WEIR_QUEUE_REPAIR;
  }
  if (belongs_to_key_frame (self, buffer, info, stream)) {
    flags |= WEIR_QUEUE_KEY_FRAME;
  }
  return flags;
}

static guint32
sent_flags (GstWeirStream *stream)
{
  return (stream->caps.kind == GST_WEIR_KIND_AUDIO ? WEIR_SENT_AUDIO : 0u)
         | (stream->caps.repair ? WEIR_SENT_REPAIR : 0u);
}

/* What one call of chain has brought, while the lock is held. */
typedef struct
{
  gint64 now_ns;
  guint64 payload_bytes;
  gboolean wake;
  gchar *complaint; /* or NULL */
} Batch;

/* A stream not seen before this packet. */
static void
note_ssrc_locked (GstWeirSend *self, const GstWeirSendItem *item, Batch *batch)
{
  guint32 ssrc = item->info.ssrc;
  if (self->input.has_ssrc && self->input.ssrc == ssrc) {
    return;
  }
  self->input.several_ssrcs |= self->input.has_ssrc;
  self->input.has_ssrc = TRUE;
  self->input.ssrc = ssrc;
  gchar *complaint = gst_weir_group_note_stream_locked (self, ssrc, item->clock_rate_hz);
  if (complaint != NULL) {
    batch->complaint = complaint; /* there is one at most */
  }
}

static gboolean
has_room_locked (GstWeirSend *self, guint32 size_bytes)
{
  struct weir_queue_stats stats;
  weir_queue_get_stats (self->pacer.queue, &stats);
  gint64 drain_ns
      = weir_send_time_ns (stats.queued_bytes + size_bytes, self->member.drain_wire_bps);
  return stats.queued_packets == 0
         || (drain_ns <= (gint64) self->settings.max_queue_time_ns
             && stats.queued_packets < self->pacer.queue_packets);
}

/* Tells the session what waits now, and the task if it has to look. */
static void
settle_batch_locked (GstWeirSend *self, Batch *batch)
{
  gst_weir_send_note_queue_locked (self, batch->now_ns);
  gst_weir_member_update_output_locked (&self->member, batch->now_ns);
  if (batch->wake || self->pacer.spent != NULL) {
    gst_weir_member_wake_locked (&self->member);
    batch->wake = FALSE;
  }
}

/* A source that is not live can wait; one that is cannot, and the queue's policy applies. */
static void
wait_for_room_locked (GstWeirSend *self, guint32 size_bytes, Batch *batch)
{
  self->pacer.waits_for_room = TRUE;
  while (!self->pacer.flushing && self->pacer.last_flow == GST_FLOW_OK
         && !has_room_locked (self, size_bytes)) {
    settle_batch_locked (self, batch);
    gst_weir_member_wait_locked (&self->member);
    batch->now_ns = gst_weir_send_now (self);
  }
  self->pacer.waits_for_room = FALSE;
}

/* The rate at which the queue's policy measures what waits. Nothing is dropped of a source that
 * waited for room, although the rate may have fallen since. Audio leaves first, so all of the rate
 * is there for it; of a group's video each member has its share. */
static gint64
drain_bps_locked (const GstWeirSend *self, guint32 flags)
{
  if (!self->input.live) {
    return MAX_BPS;
  }
  return (flags & WEIR_QUEUE_AUDIO) != 0 ? self->member.output.pacing_wire_bps
                                         : self->member.drain_wire_bps;
}

/* The other members hear of what the encoders of this one make, and give back what it lent them. */
static void
note_media_locked (GstWeirSend *self, const GstWeirSendItem *item, guint32 size_bytes,
                   gint64 now_ns)
{
  gboolean repair = (item->sent_flags & WEIR_SENT_REPAIR) != 0;
  weir_sender_on_media (self->member.path->sender, now_ns, self->member.number,
                        repair ? 0 : item->info.payload_bytes, size_bytes);
}

/* TRUE when a key frame is to be asked for now. */
static gboolean
key_unit_due_locked (GstWeirSend *self, gint64 now_ns)
{
  if (!self->input.key_unit_wanted
      || (self->input.key_unit_ns != WEIR_UNKNOWN_NS
          && now_ns - self->input.key_unit_ns < KEY_UNIT_NS)) {
    return FALSE;
  }
  self->input.key_unit_wanted = FALSE;
  self->input.key_unit_ns = now_ns;
  self->input.key_unit_count++;
  return TRUE;
}

/* Takes item; the flow result says why it was not taken in, if so. */
static void
push_packet_locked (GstWeirSend *self, GstWeirSendItem *item, Batch *batch)
{
  bool need_key_frame = false;
  guint32 size_bytes = item->rtp_bytes + gst_weir_send_overhead_bytes (self);
  if (!self->input.live) {
    wait_for_room_locked (self, size_bytes, batch);
  }
  if (self->pacer.flushing || self->pacer.last_flow <= GST_FLOW_EOS) {
    item->next = self->pacer.spent;
    self->pacer.spent = item;
    return;
  }
  /* Audio goes before what waits. */
  batch->wake
      |= weir_queue_peek (self->pacer.queue) == NULL || (item->flags & WEIR_QUEUE_AUDIO) != 0;
  if ((item->sent_flags & WEIR_SENT_REPAIR) == 0) { /* what the encoders made */
    batch->payload_bytes += item->info.payload_bytes;
  }
  note_ssrc_locked (self, item, batch);
  note_media_locked (self, item, size_bytes, batch->now_ns);
  struct weir_queue_item queued = { .packet = item,
                                    .enqueued_ns = batch->now_ns,
                                    .size_bytes = size_bytes,
                                    .ssrc = item->info.ssrc,
                                    .rtp_timestamp = item->info.timestamp,
                                    .flags = item->flags };
  weir_queue_push (self->pacer.queue, &queued, drain_bps_locked (self, item->flags),
                   &need_key_frame);
  self->input.key_unit_wanted |= need_key_frame;
}

/* Of several streams one may have gone, and its encoder's share must not be lost. */
static void
look_again_sometimes (GstWeirSend *self, gint64 now_ns)
{
  if (now_ns - self->input.looked_ns >= LOOK_AGAIN_NS
      && gst_weir_streams_has_several (self->input.streams)) {
    self->input.looked_ns = now_ns;
    g_atomic_int_set (&self->input.pipeline_changed, TRUE);
  }
}

/* Takes items, a list of packets in their order. */
static GstFlowReturn
enqueue_packets (GstWeirSend *self, GstWeirSendItem *items)
{
  gst_weir_send_lock (self);
  Batch batch = { .now_ns = gst_weir_send_now (self) };
  while (items != NULL) {
    GstWeirSendItem *item = items;
    items = item->next;
    item->next = NULL;
    push_packet_locked (self, item, &batch);
  }
  settle_batch_locked (self, &batch);
  GstFlowReturn flow = self->pacer.flushing ? GST_FLOW_FLUSHING : self->pacer.last_flow;
  guint key_unit = key_unit_due_locked (self, batch.now_ns) ? self->input.key_unit_count : 0;
  GstWeirSendItem *spent = gst_weir_send_take_spent_locked (self);
  gst_weir_send_unlock (self);
  gst_weir_send_free_items (spent);
  gst_weir_report_complain (&self->report, batch.complaint);
  gst_weir_encoders_observe (self->encoders.driven, batch.payload_bytes, batch.now_ns);
  look_again_sometimes (self, batch.now_ns);
  if (key_unit != 0) {
    GST_DEBUG_OBJECT (self, "packets were dropped: asking for a key frame");
    gst_pad_push_event (self->input.pad, gst_video_event_new_upstream_force_key_unit (
                                             GST_CLOCK_TIME_NONE, TRUE, key_unit));
  }
  return flow;
}

/* Takes buffer, which is no RTP packet. */
static void
refuse_buffer (GstWeirSend *self, GstBuffer *buffer)
{
  gst_weir_send_lock (self);
  gboolean first = self->input.malformed_packets++ == 0;
  gst_weir_send_unlock (self);
  if (first) {
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
                         ("A buffer of %" G_GSIZE_FORMAT
                          " bytes is no RTP packet and was dropped; more of them are only counted "
                          "(dropped-malformed)",
                          gst_buffer_get_size (buffer)),
                         (NULL));
  }
  gst_buffer_unref (buffer);
}

/* Whether upstream produces at its own pace; asked with the first packet. */
static void
find_out_if_live (GstWeirSend *self)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = TRUE;
  if (gst_pad_peer_query (self->input.pad, query)) {
    gst_query_parse_latency (query, &live, NULL, NULL);
  }
  gst_query_unref (query);
  GST_INFO_OBJECT (self, "upstream is %s", live ? "live" : "not live: it waits for room");
  gst_weir_send_lock (self);
  self->input.live = live;
  self->input.ask_live = FALSE;
  gst_weir_send_unlock (self);
}

/* What has to be found out before the first packet, and after relinking. */
static void
look_around (GstWeirSend *self)
{
  if (self->input.ask_live) {
    find_out_if_live (self);
  }
  if (g_atomic_int_get (&self->input.pipeline_changed)
      && g_atomic_int_compare_and_exchange (&self->input.pipeline_changed, TRUE, FALSE)) {
    gst_weir_streams_forget (self->input.streams);
  }
}

/* Several encoders share what we may send: this one uses its part. */
static void
note_encoder (GstWeirSend *self, const GstWeirSendItem *item, GstWeirStream *stream)
{
  if ((item->sent_flags & WEIR_SENT_REPAIR) == 0) {
    GstElement *encoder = gst_weir_stream_get_encoder (stream);
    gst_weir_encoders_observe_from (self->encoders.driven, encoder, item->info.payload_bytes);
    gst_clear_object (&encoder);
  }
}

/* Takes buffer. NULL: it is no RTP packet, and has been dealt with. */
static GstWeirSendItem *
make_item (GstWeirSend *self, GstBuffer *buffer)
{
  GstWeirStream *stream = NULL;
  GstWeirSendItem item = { .object = GST_MINI_OBJECT_CAST (buffer) };
  if (!read_buffer (self, buffer, &item, &stream)) {
    refuse_buffer (self, buffer);
    return NULL;
  }
  item.rtp_bytes = (guint32) gst_buffer_get_size (buffer);
  item.flags = queue_flags (self, buffer, &item.info, stream);
  item.object = GST_MINI_OBJECT_CAST (gst_weir_segments_translate (&self->input.segments, buffer));
  item.sent_flags = sent_flags (stream);
  item.clock_rate_hz = stream->caps.clock_rate_hz;
  if (gst_weir_encoders_share (self->encoders.driven)) {
    note_encoder (self, &item, stream);
  }
  if (self->input.streams_walked) { /* what feeds us has changed */
    self->input.streams_walked = FALSE;
    gst_weir_send_find_encoders (self, TRUE);
  }
  return g_slice_dup (GstWeirSendItem, &item);
}

static GstFlowReturn
chain (G_GNUC_UNUSED GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstWeirSend *self = GST_WEIR_SEND (parent);
  look_around (self);
  GstWeirSendItem *item = make_item (self, buffer);
  return item != NULL ? enqueue_packets (self, item) : GST_FLOW_OK;
}

/* Payloaders give a frame as one list; its packets are paced one by one. */
static GstFlowReturn
chain_list (G_GNUC_UNUSED GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstWeirSend *self = GST_WEIR_SEND (parent);
  GstWeirSendItem *first = NULL;
  GstWeirSendItem **end = &first;
  guint n = gst_buffer_list_length (list);
  look_around (self);
  for (guint i = 0; i < n; i++) {
    *end = make_item (self, gst_buffer_ref (gst_buffer_list_get (list, i)));
    end = *end != NULL ? &(*end)->next : end;
  }
  gst_buffer_list_unref (list);
  return first != NULL ? enqueue_packets (self, first) : GST_FLOW_OK;
}

/* Takes why. Upstream offers the caps again with each buffer: the error is posted once. */
static void
refuse_caps (GstWeirSend *self, const GstCaps *caps, gchar *why)
{
  gst_weir_send_lock (self);
  gboolean first = !self->input.caps_refused;
  self->input.caps_refused = TRUE;
  gst_weir_send_unlock (self);
  if (first) {
    GST_ELEMENT_ERROR (self, STREAM, WRONG_TYPE, ("%s", why),
                       ("caps: %" GST_PTR_FORMAT, (const void *) caps));
  }
  g_free (why);
}

static gboolean
take_caps (GstWeirSend *self, GstEvent *event)
{
  GstWeirRtpCaps parsed;
  GstCaps *caps = NULL;
  gchar *why = NULL;
  gst_event_parse_caps (event, &caps);
  if (!gst_weir_rtp_caps_parse (caps, &parsed, &why)) {
    refuse_caps (self, caps, why);
    return FALSE;
  }
  gst_weir_send_lock (self);
  self->input.caps = parsed;
  g_atomic_int_set (&self->rtp_session.transport_seq_id, parsed.transport_seq_id);
  self->input.caps_refused = FALSE;
  self->input.has_ssrc = FALSE;
  if (self->member.path->sender != NULL && parsed.has_ssrc && parsed.clock_rate_hz > 0) {
    weir_sender_set_clock_rate (self->member.path->sender, self->member.number, parsed.ssrc,
                                parsed.clock_rate_hz);
  }
  gst_weir_send_unlock (self);
  if (gst_weir_streams_set_caps (self->input.streams, &parsed)) {
    g_atomic_int_set (&self->input.pipeline_changed, TRUE);
  }
  return TRUE;
}

static void
on_linked (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstPad *peer, gpointer user)
{
  GstWeirSend *self = user;
  g_atomic_int_set (&self->input.pipeline_changed, TRUE);
}

/* Media that waits must have left some time, even when sending is forbidden for ever. */
static void
note_eos_locked (GstWeirSend *self, gint64 now_ns)
{
  gint64 bound_ns = (gint64) MIN (self->settings.max_queue_time_ns, (guint64) G_MAXINT64 / 4);
  self->pacer.eos_in = TRUE;
  self->pacer.eos_deadline_ns = weir_time_add_ns (now_ns, 2 * bound_ns + EOS_GRACE_NS);
}

/* Takes event. */
static gboolean
enqueue_event (GstWeirSend *self, GstEvent *event)
{
  gboolean taken = FALSE;
  gboolean eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  GstWeirSendItem *item = g_slice_new (GstWeirSendItem);
  *item = (GstWeirSendItem){ .object = GST_MINI_OBJECT_CAST (event) };
  gst_weir_send_lock (self);
  if (self->pacer.queue == NULL || self->pacer.flushing) {
    item->next = self->pacer.spent;
    self->pacer.spent = item;
  } else {
    gint64 now_ns = gst_weir_send_now (self);
    struct weir_queue_item queued
        = { .packet = item, .enqueued_ns = now_ns, .flags = WEIR_QUEUE_CONTROL };
    taken
        = weir_queue_push (self->pacer.queue, &queued, drain_bps_locked (self, 0), NULL) == WEIR_OK;
    if (eos) {
      note_eos_locked (self, now_ns);
    }
    gst_weir_member_wake_locked (&self->member);
  }
  GstWeirSendItem *spent = gst_weir_send_take_spent_locked (self);
  gst_weir_send_unlock (self);
  gst_weir_send_free_items (spent);
  return taken;
}

static void
flush_start (GstWeirSend *self, GstEvent *event)
{
  gst_pad_push_event (self->pacer.pad, event); /* first: it frees a push that is blocked */
  gst_weir_send_set_flushing (self, TRUE);
  gst_pad_pause_task (self->pacer.pad);
}

/* Sticky events that had not left yet are not lost with the packets. */
static void
keep_sticky_events (GstWeirSend *self, GstWeirSendItem *newest_first)
{
  GQueue events = G_QUEUE_INIT;
  for (GstWeirSendItem *item = newest_first; item != NULL; item = item->next) {
    GstEvent *event = GST_IS_EVENT (item->object) ? GST_EVENT_CAST (item->object) : NULL;
    if (event != NULL && GST_EVENT_IS_STICKY (event) && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT
        && GST_EVENT_TYPE (event) != GST_EVENT_EOS) {
      g_queue_push_head (&events, event);
    }
  }
  for (GList *link = events.head; link != NULL; link = link->next) {
    gst_pad_store_sticky_event (self->pacer.pad, link->data);
  }
  g_queue_clear (&events);
}

static void
flush_stop (GstWeirSend *self, GstEvent *event)
{
  gst_weir_send_lock (self);
  if (self->pacer.queue != NULL) {
    weir_queue_clear (self->pacer.queue);
    gst_weir_send_note_queue_locked (self, gst_weir_send_now (self));
  }
  GstWeirSendItem *spent = gst_weir_send_take_spent_locked (self);
  self->pacer.last_flow = GST_FLOW_OK;
  self->pacer.eos_in = FALSE;
  self->pacer.eos_deadline_ns = WEIR_NEVER_NS;
  self->pacer.flow_error_posted = FALSE;
  gst_weir_segments_forget (&self->input.segments);
  gst_weir_send_unlock (self);
  keep_sticky_events (self, spent);
  gst_weir_send_free_items (spent);
  gst_pad_push_event (self->pacer.pad, event);
  gst_weir_send_set_flushing (self, FALSE);
  gst_weir_send_start_task (self);
}

/* A new stream after EOS. */
static void
note_stream_start (GstWeirSend *self)
{
  gst_weir_send_lock (self);
  self->pacer.eos_in = FALSE;
  self->input.ask_live = TRUE;
  gst_weir_segments_forget (&self->input.segments);
  if (self->pacer.last_flow == GST_FLOW_EOS) {
    self->pacer.last_flow = GST_FLOW_OK;
  }
  gst_weir_send_unlock (self);
}

/* TRUE: what it says is known, or is said with each packet's time stamps. */
static gboolean
absorb_segment (GstWeirSend *self, GstEvent *event)
{
  const GstSegment *segment = NULL;
  gst_event_parse_segment (event, &segment);
  gst_weir_send_lock (self);
  gboolean leaves
      = gst_weir_segments_enter (&self->input.segments, segment) || self->pacer.flushing;
  gst_weir_send_unlock (self);
  return !leaves;
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstWeirSend *self = GST_WEIR_SEND (parent);
  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_FLUSH_START:
    flush_start (self, event);
    return TRUE;
  case GST_EVENT_FLUSH_STOP:
    flush_stop (self, event);
    return TRUE;
  case GST_EVENT_CAPS:
    if (!take_caps (self, event)) {
      gst_event_unref (event);
      return FALSE;
    }
    break;
  case GST_EVENT_STREAM_START:
    note_stream_start (self);
    break;
  case GST_EVENT_CUSTOM_DOWNSTREAM: /* behind a session that sends its results this way */
    gst_weir_send_feed_results (self, event);
    break;
  default:
    break;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT && absorb_segment (self, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  return GST_EVENT_IS_SERIALIZED (event) ? enqueue_event (self, event)
                                         : gst_pad_event_default (pad, parent, event);
}

/* Any caps may come: what is wrong with them is then said in words, not by a failed negotiation. */
static gboolean
sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps = NULL;
  if (GST_QUERY_TYPE (query) != GST_QUERY_ACCEPT_CAPS) {
    return gst_pad_query_default (pad, parent, query);
  }
  gst_query_parse_accept_caps (query, &caps);
  gst_query_set_accept_caps_result (query, gst_caps_is_fixed (caps));
  return TRUE;
}

/* Chain may wait for room: deactivation must end that. */
static gboolean
sink_activate_mode (G_GNUC_UNUSED GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  if (mode != GST_PAD_MODE_PUSH) {
    return FALSE;
  }
  if (!active) {
    gst_weir_send_set_flushing (GST_WEIR_SEND (parent), TRUE);
  }
  return TRUE;
}

/* Is something linked to the sink pad? The ghost pad of a bin around us is not enough. */
gboolean
gst_weir_send_is_fed (GstWeirSend *self)
{
  GstPad *pad = gst_weir_far_pad (self->input.pad);
  gboolean fed = pad != NULL;
  g_clear_object (&pad);
  return fed;
}

void
gst_weir_send_setup_sinkpad (GstWeirSend *self)
{
  gst_pad_set_chain_function (self->input.pad, chain);
  gst_pad_set_chain_list_function (self->input.pad, chain_list);
  gst_pad_set_event_function (self->input.pad, sink_event);
  gst_pad_set_query_function (self->input.pad, sink_query);
  gst_pad_set_activatemode_function (self->input.pad, sink_activate_mode);
  g_signal_connect (self->input.pad, "linked", G_CALLBACK (on_linked), self);
  self->input.streams = gst_weir_streams_new (self->input.pad);
  GST_PAD_SET_PROXY_CAPS (self->input.pad);
  GST_PAD_SET_PROXY_ALLOCATION (self->input.pad);
}
