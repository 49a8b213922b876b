/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pad: packets and serialized events go into the send queue, in their order. */
#include "send/weirsend_input.h"

#include "common/pipeline_walk.h"
#include <gst/video/video.h>

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug
#define KEY_UNIT_NS WEIR_MS (500)
/* A stream that is taken away from a funnel tells nobody. */
#define LOOK_AGAIN_NS WEIR_SECONDS (2)
/* Packets in several memories are copied when they are no larger, else merged. */
#define SCRATCH_BYTES 2048

/* What the packet is: a RED packet is what it carries. Walks through the pipeline when it is news.
 */
static GstWeirStream *
find_stream (GstWeirInput *self, const guint8 *data, gsize size, const struct weir_rtp_info *info)
{
  guint8 inside = 0;
  gboolean *walked = &self->streams_walked;
  GstWeirStream *stream
      = gst_weir_streams_find (self->streams, info->ssrc, info->payload_type, walked);
  if (stream->red && weir_rtp_red_payload_type (data, size, info, &inside) == WEIR_OK) {
    stream = gst_weir_streams_find (self->streams, info->ssrc, inside, walked);
  }
  return stream;
}

/* Fills item's info and stream, or returns FALSE. The transport-wide number's id is that of the
 * packet before, until the packet has told which stream it is of. */
static gboolean
read_packet (GstWeirInput *self, const guint8 *data, gsize size, GstWeirItem *item,
             GstWeirStream **stream)
{
  guint8 id = self->transport_seq_id;
  if (weir_rtp_info (data, size, id, &item->info) != WEIR_OK) {
    return FALSE;
  }
  *stream = find_stream (self, data, size, &item->info);
  self->transport_seq_id = item->transport_seq_id = (*stream)->caps.transport_seq_id;
  return item->transport_seq_id == id
         || weir_rtp_info (data, size, item->transport_seq_id, &item->info) == WEIR_OK;
}

static gboolean
read_buffer (GstWeirInput *self, GstBuffer *buffer, GstWeirItem *item, GstWeirStream **stream)
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
belongs_to_key_frame (GstWeirInput *self, GstBuffer *buffer, const struct weir_rtp_info *info,
                      GstWeirStream *stream)
{
  if (!stream->caps.key_flags) {
    return FALSE;
  }
  gboolean known = self->key_frame.known && self->key_frame.ssrc == info->ssrc
                   && self->key_frame.timestamp == info->timestamp;
  if (!known && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)) {
    self->key_frame = (GstWeirKeyFrame){ TRUE, info->ssrc, info->timestamp };
    known = TRUE;
  }
  return known;
}

static guint32
queue_flags (GstWeirInput *self, GstBuffer *buffer, const struct weir_rtp_info *info,
             GstWeirStream *stream)
{
  guint32 flags = info->marker ? WEIR_QUEUE_FRAME_END : 0;
  if (stream->caps.kind == GST_WEIR_KIND_AUDIO) {
    flags |= WEIR_QUEUE_AUDIO;
  }
  if (stream->caps.repair) {
    flags |= WEIR_QUEUE_REPAIR;
  }
  if (belongs_to_key_frame (self, buffer, info, stream)) {
    flags |= WEIR_QUEUE_KEY_FRAME;
  }
  return flags;
}

/* Packets were dropped: asks for a key frame, but not too often. */
static void
request_key_unit (GstWeirInput *self, gint64 now_ns)
{
  if (self->key_unit_ns != WEIR_UNKNOWN_NS && now_ns - self->key_unit_ns < KEY_UNIT_NS) {
    return;
  }
  GST_DEBUG_OBJECT (self->pad, "packets were dropped: requesting a key frame");
  self->key_unit_wanted = FALSE;
  self->key_unit_ns = now_ns;
  self->key_unit_count++;
  gst_pad_push_event (self->pad, gst_video_event_new_upstream_force_key_unit (
                                     GST_CLOCK_TIME_NONE, TRUE, self->key_unit_count));
}

/* Of several streams one may have gone, and its encoder's share must not be lost. */
static void
look_again_sometimes (GstWeirInput *self, gint64 now_ns)
{
  if (now_ns - self->looked_ns >= LOOK_AGAIN_NS && gst_weir_streams_has_several (self->streams)) {
    self->looked_ns = now_ns;
    gst_weir_input_look_again (self);
  }
}

static void
note_kept (GstWeirInput *self, gint64 now_ns)
{
  GstWeirKept kept;
  if (gst_weir_streams_measure_kept (self->streams, now_ns, &kept)) {
    g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
    self->seen.kept = kept;
  }
}

/* Takes items, a list of packets in their order. */
static GstFlowReturn
push_items (GstWeirInput *self, GstWeirItem *items)
{
  GstWeirPushed pushed;
  GstFlowReturn flow = gst_weir_send_queue_push (self->queue, items, &pushed);
  gst_weir_report_complain (self->report, pushed.complaint);
  gst_weir_encoders_observe (self->encoders, pushed.media_bytes, pushed.now_ns);
  look_again_sometimes (self, pushed.now_ns);
  note_kept (self, pushed.now_ns);
  self->key_unit_wanted |= pushed.need_key_frame;
  if (self->key_unit_wanted) {
    request_key_unit (self, pushed.now_ns);
  }
  return flow;
}

/* Takes buffer, which is no RTP packet. */
static void
refuse_buffer (GstWeirInput *self, GstBuffer *buffer)
{
  g_mutex_lock (&self->lock);
  gboolean first = self->seen.malformed_packets++ == 0;
  g_mutex_unlock (&self->lock);
  if (first) {
    GST_ELEMENT_WARNING (self->element, STREAM, FORMAT,
                         ("A buffer of %" G_GSIZE_FORMAT
                          " bytes is not an RTP packet and was dropped; further ones are only "
                          "counted (dropped-malformed)",
                          gst_buffer_get_size (buffer)),
                         (NULL));
  }
  gst_buffer_unref (buffer);
}

/* Whether upstream produces at its own pace; asked with the first packet. */
static void
find_out_if_live (GstWeirInput *self)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = TRUE;
  if (gst_pad_peer_query (self->pad, query)) {
    gst_query_parse_latency (query, &live, NULL, NULL);
  }
  GST_INFO_OBJECT (self->pad, "upstream is %s", live ? "live" : "not live: it waits for room");
  self->ask_live = FALSE;
  gst_weir_member_lock (self->queue->member);
  self->queue->live = live;
  gst_weir_member_unlock (self->queue->member);
}

/* What has to be found out before the first packet, and after relinking. */
static void
look_around (GstWeirInput *self)
{
  if (self->ask_live) {
    find_out_if_live (self);
  }
  if (g_atomic_int_get (&self->pipeline_changed)
      && g_atomic_int_compare_and_exchange (&self->pipeline_changed, TRUE, FALSE)) {
    gst_weir_streams_forget (self->streams);
  }
}

/* Several encoders share what we may send: this one uses its part. */
static void
note_encoder (GstWeirInput *self, const GstWeirItem *item, GstWeirStream *stream)
{
  if ((item->flags & WEIR_QUEUE_REPAIR) == 0) {
    g_autoptr (GstElement) encoder = g_weak_ref_get (&stream->encoder);
    gst_weir_encoders_observe_from (self->encoders, encoder, item->info.payload_bytes);
  }
}

/* What the packet is beside those before it. */
static void
note_stream (GstWeirInput *self, GstWeirItem *item, const GstWeirStream *stream)
{
  guint32 ssrc = item->info.ssrc;
  item->new_stream = !self->has_ssrc || self->ssrc != ssrc;
  self->has_ssrc = TRUE;
  self->ssrc = ssrc;
  item->clock_rate_hz = stream->caps.clock_rate_hz;
  const GstWeirRtpCaps *caps = &self->seen.caps; /* which this thread alone changes */
  if (item->clock_rate_hz == 0 && caps->has_ssrc && caps->ssrc == ssrc) {
    item->clock_rate_hz = caps->clock_rate_hz;
  }
}

/* Takes buffer. NULL: it is no RTP packet, and has been dealt with. */
static GstWeirItem *
make_item (GstWeirInput *self, GstBuffer *buffer)
{
  GstWeirStream *stream = NULL;
  GstWeirItem item = { .object = GST_MINI_OBJECT_CAST (buffer) };
  if (!read_buffer (self, buffer, &item, &stream)) {
    refuse_buffer (self, buffer);
    return NULL;
  }
  item.rtp_bytes = (guint32) gst_buffer_get_size (buffer);
  item.flags = queue_flags (self, buffer, &item.info, stream);
  item.object = GST_MINI_OBJECT_CAST (gst_weir_segments_translate (&self->segments, buffer));
  note_stream (self, &item, stream);
  if ((item.flags & (WEIR_QUEUE_AUDIO | WEIR_QUEUE_REPAIR)) == 0) {
    gst_weir_repair_on_media (self->repair, item.info.marker);
  }
  if (gst_weir_encoders_count (self->encoders) > 1) {
    note_encoder (self, &item, stream);
  }
  if (self->streams_walked) { /* what feeds us has changed */
    self->streams_walked = FALSE;
    self->events->on_streams (self->element);
  }
  return g_slice_dup (GstWeirItem, &item);
}

static GstFlowReturn
chain (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstBuffer *buffer)
{
  GstWeirInput *self = gst_pad_get_element_private (pad);
  look_around (self);
  GstWeirItem *item = make_item (self, buffer);
  return item != NULL ? push_items (self, item) : GST_FLOW_OK;
}

/* Payloaders give a frame as one list; its packets are paced one by one. */
static GstFlowReturn
chain_list (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstBufferList *list)
{
  GstWeirInput *self = gst_pad_get_element_private (pad);
  GstWeirItem *first = NULL;
  GstWeirItem **end = &first;
  guint n = gst_buffer_list_length (list);
  look_around (self);
  for (guint i = 0; i < n; i++) {
    *end = make_item (self, gst_buffer_ref (gst_buffer_list_get (list, i)));
    end = *end != NULL ? &(*end)->next : end;
  }
  gst_buffer_list_unref (list);
  return first != NULL ? push_items (self, first) : GST_FLOW_OK;
}

/* Upstream offers the caps again with each buffer: the error is posted once. */
static void
refuse_caps (GstWeirInput *self, const GstCaps *caps, const gchar *why)
{
  if (!self->caps_refused) {
    GST_ELEMENT_ERROR (self->element, STREAM, WRONG_TYPE, ("%s", why),
                       ("caps: %" GST_PTR_FORMAT, (const void *) caps));
  }
  self->caps_refused = TRUE;
}

static gboolean
take_caps (GstWeirInput *self, GstEvent *event)
{
  GstWeirRtpCaps parsed;
  GstCaps *caps = NULL;
  g_autofree gchar *why = NULL;
  gst_event_parse_caps (event, &caps);
  if (!gst_weir_rtp_caps_parse (caps, &parsed, &why)) {
    refuse_caps (self, caps, why);
    return FALSE;
  }
  g_mutex_lock (&self->lock);
  self->seen.caps = parsed;
  g_mutex_unlock (&self->lock);
  self->events->on_caps (self->element, &parsed);
  self->caps_refused = FALSE;
  self->has_ssrc = FALSE;
  if (gst_weir_streams_set_caps (self->streams, &parsed)) {
    gst_weir_input_look_again (self);
  }
  return TRUE;
}
/* TRUE: what it says is known, or is said with each packet's time stamps. */
static gboolean
absorb_segment (GstWeirInput *self, GstEvent *event)
{
  const GstSegment *segment = NULL;
  gst_event_parse_segment (event, &segment);
  return !gst_weir_segments_enter (&self->segments, segment);
}

/* What comes next begins anew: nothing of it has been seen by the queue. */
static void
begin_anew (GstWeirInput *self)
{
  self->segments.has_out = FALSE;
  self->has_ssrc = FALSE;
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstWeirInput *self = gst_pad_get_element_private (pad);
  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_FLUSH_START:
    gst_weir_pacer_flush_start (self->pacer, event);
    return TRUE;
  case GST_EVENT_FLUSH_STOP:
    begin_anew (self);
    gst_weir_pacer_flush_stop (self->pacer, event);
    return TRUE;
  case GST_EVENT_CAPS:
    if (!take_caps (self, event)) {
      gst_event_unref (event);
      return FALSE;
    }
    break;
  case GST_EVENT_STREAM_START:
    begin_anew (self);
    self->ask_live = TRUE;
    gst_weir_send_queue_begin_stream (self->queue);
    break;
  case GST_EVENT_CUSTOM_DOWNSTREAM:
    self->events->on_custom_event (self->element, event);
    break;
  default:
    break;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT && absorb_segment (self, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  return GST_EVENT_IS_SERIALIZED (event) ? gst_weir_send_queue_push_event (self->queue, event)
                                         : gst_pad_event_default (pad, parent, event);
}

/* From a weirscale before the encoder, for each of its frames. */
static gboolean
answer_rate_query (GstWeirInput *self, GstQuery *query, const GstWeirRatePicture *picture)
{
  GstWeirRate rate;
  if (!gst_weir_encoders_exchange (self->encoders, picture, &rate)) {
    return FALSE;
  }
  gst_weir_rate_query_answer (query, &rate);
  return TRUE;
}

/* Any caps may come: what is wrong with them is then said in words, not by a failed negotiation. */
static gboolean
sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps = NULL;
  GstWeirRatePicture picture;
  if (gst_weir_rate_query_parse (query, &picture)) {
    return answer_rate_query (gst_pad_get_element_private (pad), query, &picture);
  }
  if (GST_QUERY_TYPE (query) != GST_QUERY_ACCEPT_CAPS) {
    return gst_pad_query_default (pad, parent, query);
  }
  gst_query_parse_accept_caps (query, &caps);
  gst_query_set_accept_caps_result (query, gst_caps_is_fixed (caps));
  return TRUE;
}

/* Chain may wait for room: deactivation must end that. */
static gboolean
sink_activate_mode (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstPadMode mode, gboolean active)
{
  GstWeirInput *self = gst_pad_get_element_private (pad);
  if (mode != GST_PAD_MODE_PUSH) {
    return FALSE;
  }
  if (!active) {
    gst_weir_pacer_deactivate (self->pacer);
  }
  return TRUE;
}

static void
on_linked (GstPad *pad, G_GNUC_UNUSED GstPad *peer, G_GNUC_UNUSED gpointer element)
{
  gst_weir_input_look_again (gst_pad_get_element_private (pad));
}

/* --- For the element --- */

void
gst_weir_input_init (GstWeirInput *self, GstPad *pad, GstElement *element, GstWeirSendQueue *queue,
                     GstWeirPacer *pacer, GstWeirEncoders *encoders, GstWeirRepair *repair,
                     GstWeirReport *report, const GstWeirInputEvents *events)
{
  *self = (GstWeirInput){ .pad = pad,
                          .element = element,
                          .queue = queue,
                          .pacer = pacer,
                          .encoders = encoders,
                          .repair = repair,
                          .report = report,
                          .events = events,
                          .streams = gst_weir_streams_new (pad) };
  g_mutex_init (&self->lock);
  gst_pad_set_element_private (pad, self);
  gst_pad_set_chain_function (pad, chain);
  gst_pad_set_chain_list_function (pad, chain_list);
  gst_pad_set_event_function (pad, sink_event);
  gst_pad_set_query_function (pad, sink_query);
  gst_pad_set_activatemode_function (pad, sink_activate_mode);
  /* The pad may outlive the element, and then still be linked. */
  g_signal_connect_object (pad, "linked", G_CALLBACK (on_linked), element, 0);
  GST_PAD_SET_PROXY_CAPS (pad);
  GST_PAD_SET_PROXY_ALLOCATION (pad);
}

void
gst_weir_input_clear (GstWeirInput *self)
{
  gst_weir_streams_free (self->streams);
  g_mutex_clear (&self->lock);
}

void
gst_weir_input_start (GstWeirInput *self)
{
  begin_anew (self);
  self->key_frame.known = FALSE;
  self->ask_live = TRUE;
  self->key_unit_ns = WEIR_UNKNOWN_NS;
  self->key_unit_wanted = FALSE;
  self->caps_refused = FALSE;
  g_mutex_lock (&self->lock);
  self->seen = (GstWeirSeen){ .kept.time_ns = WEIR_NEVER_NS };
  g_mutex_unlock (&self->lock);
  gst_weir_input_look_again (self);
}

void
gst_weir_input_look_again (GstWeirInput *self)
{
  g_atomic_int_set (&self->pipeline_changed, TRUE);
}

gboolean
gst_weir_input_is_fed (const GstWeirInput *self)
{
  g_autoptr (GstPad) pad = gst_weir_far_pad (self->pad);
  return pad != NULL;
}

GstWeirSeen
gst_weir_input_get_seen (GstWeirInput *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->seen;
}
