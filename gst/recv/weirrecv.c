/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-weirrecv
 * @title: weirrecv
 * @short_description: feedback for a congestion-controlled RTP sender
 *
 * RTP passes through untouched, and is watched: `rtcp_src` emits the feedback that weirsend (or
 * any other sender that reads RFC 8888, transport-wide feedback, receiver reports or REMB) needs,
 * once per round trip and at once after a loss or an ECN mark. `rtcp_sink` takes the sender's RTCP;
 * with it the round-trip time becomes known. Behind weirudpsrc it reports ECN (RFC 8888 alone has
 * room for it) and the kernel's times of arrival; behind udpsrc no ECN, and the times at which it
 * sees packets.
 *
 * In front of a stock session (rtpbin, rtpsession) the element finds that session by itself, makes
 * its feedback prompt (profile AVPF, half of the session bandwidth for RTCP, transport-wide
 * feedback by time) where the user set nothing else, and sends its own reports in the session's
 * RTCP; `rtcp_src` is then silent. A session that reports each packet itself, because the packets
 * carry the transport-wide number, needs no RFC 8888 beside it and gets none.
 *
 * |[
 * gst-launch-1.0 \
 *   udpsrc port=5004
 * caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96" \
 *     ! weirrecv name=r ! rtpjitterbuffer ! rtph264depay ! avdec_h264 ! autovideosink \
 *   r.rtcp_src ! udpsink host=SENDER port=5005 sync=false async=false \
 *   udpsrc port=5006 ! r.rtcp_sink
 * ]| A receiver without a session.
 *
 * Statistics (the property #weirrecv:stats, and element messages) are a structure `weir-stats`:
 * counters (guint64) `packets-received`, `bytes-received` (on the wire), `packets-duplicate`,
 * `packets-malformed` (dropped), `packets-rejected`, `packets-ecn-ce` (marked), `rtcp-packets`,
 * `rtcp-malformed`, `srtcp-packets`, `srtcp-auth-failures`, `srtcp-replays` (with a key; the last
 * two were dropped), `feedback-packets`, `feedback-bytes`, `streams`; `packets-lost` (gint64); and
 * as it is now: `loss-ratio`, `r-score`, `mos` (double), `jitter`, `delay-variation`, `rtt` (gint64
 * ns; no `rtt` before it is known), `bitrate` (gint64 bit/s, on the wire), `in-session` (gboolean:
 * a session carries the feedback).
 */
#include "recv/weirrecv.h"

#include "common/arrival_time.h"
#include "common/pipeline_walk.h"
#include "common/properties.h"
#include "common/tos_meta.h"
#include "weir/rtcp.h"

GST_DEBUG_CATEGORY (gst_weir_recv_debug);
#define GST_CAT_DEFAULT gst_weir_recv_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp(ANY)"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp(ANY)"));

G_DEFINE_FINAL_TYPE (GstWeirRecv, gst_weir_recv, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE (weirrecv, "weirrecv", GST_RANK_NONE, GST_TYPE_WEIR_RECV);

/* --- RTCP --- */

static void
on_rtcp (GstElement *element, GstBuffer *rtcp)
{
  GstWeirRecv *self = GST_WEIR_RECV (element);
  GstMapInfo map;
  if (gst_buffer_map (rtcp, &map, GST_MAP_READ)) {
    gst_weir_reception_take_rtcp (&self->reception, map.data, map.size);
    gst_weir_recv_feedback_kick (self);
    gst_buffer_unmap (rtcp, &map);
  }
}

static void
on_rtcp_pads_change (GstElement *element)
{
  gst_weir_recv_feedback_kick (GST_WEIR_RECV (element));
}

static const GstWeirRtcpEvents rtcp_events = { on_rtcp, on_rtcp_pads_change };

/* RFC 5761: on the media's port. It is believed only under the key, if there is one. */
static void
take_rtcp_among_media (GstWeirRecv *self, const guint8 *data, gsize size)
{
  g_autoptr (GstBuffer) rtcp = gst_weir_srtcp_open_bytes (&self->rtcp.srtcp, data, size);
  if (rtcp != NULL) {
    on_rtcp (GST_ELEMENT (self), rtcp);
  } else {
    gst_weir_rtcp_pads_warn_of_refused (&self->rtcp);
  }
}

/* --- An RTP session around us --- */

static gboolean
on_sending_rtcp (GstElement *element, GstBuffer *rtcp)
{
  return gst_weir_recv_session_append (&GST_WEIR_RECV (element)->reception, rtcp);
}

static const GstWeirRtpSessionEvents session_events = { on_rtcp, on_sending_rtcp };

/* One participant has one SSRC. */
static void
look_for_session (GstWeirRecv *self)
{
  guint ssrc = 0;
  if (!gst_weir_recv_session_look (&self->session, self->sinkpad, self->srcpad)) {
    return;
  }
  g_autoptr (GObject) session = gst_weir_rtp_session_get (&self->session.rtp);
  if (session != NULL) {
    g_object_get (session, "internal-ssrc", &ssrc, NULL);
    gst_weir_reception_set_ssrc (&self->reception, ssrc);
  }
  gst_weir_recv_feedback_set_format (self);
}

/* --- Media --- */

/* Shows the receiver one packet, which buffer has. FALSE: it is no RTP. */
static gboolean
take_packet (GstWeirRecv *self, GstBuffer *buffer, const guint8 *data, gsize size)
{
  if (weir_datagram_kind (data, size) == WEIR_DATAGRAM_RTCP) {
    take_rtcp_among_media (self, data, size);
    return TRUE;
  }
  gint64 age_ns = gst_weir_arrival_age_ns (buffer, gst_weir_unix_time_ns);
  gboolean is_rtp = gst_weir_reception_take_rtp (&self->reception, age_ns,
                                                 gst_weir_buffer_get_ecn (buffer), data, size);
  gst_weir_recv_feedback_kick (self);
  return is_rtp;
}

/* Reads a buffer without changing it. Packets in several memories (a payloader's) are gathered in
 * a buffer of our own, because mapping would merge them in the packet itself. */
static gboolean
examine (GstWeirRecv *self, GstBuffer *buffer)
{
  static const guint8 nothing[1] = { 0 };
  GstMapInfo map;
  gsize size = gst_buffer_get_size (buffer);
  if (size == 0) {
    return take_packet (self, buffer, nothing, 0);
  }
  if (gst_buffer_n_memory (buffer) > 1) {
    if (self->scratch->len < size) {
      g_byte_array_set_size (self->scratch, (guint) size);
    }
    gst_buffer_extract (buffer, 0, self->scratch->data, size);
    return take_packet (self, buffer, self->scratch->data, size);
  }
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    return FALSE;
  }
  gboolean is_rtp = take_packet (self, buffer, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return is_rtp;
}

static void
look_around (GstWeirRecv *self)
{
  look_for_session (self);
  if (self->extmap_warned || !gst_weir_reception_lacks_numbers (&self->reception)) {
    return;
  }
  self->extmap_warned = TRUE;
  GST_ELEMENT_WARNING (
      self, STREAM, FORMAT,
      ("feedback-format=twcc needs the transport-wide sequence number, but the caps have none"),
      ("Add extmap-3=(string)" WEIR_TWCC_URI " to the caps on both sides: behind the sender's "
       "payloader and at the receiver, for example in udpsrc caps=\"application/x-rtp,...\". "
       "Until then only receiver reports are sent; feedback-format=ccfb needs no extension."));
}

static GstFlowReturn
sink_chain (G_GNUC_UNUSED GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstWeirRecv *self = GST_WEIR_RECV (parent);
  look_around (self);
  if (examine (self, buffer)) {
    return gst_pad_push (self->srcpad, buffer);
  }
  GST_DEBUG_OBJECT (self, "dropping a buffer that is not RTP: %" GST_PTR_FORMAT, (void *) buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
examine_in_list (GstBuffer **buffer, G_GNUC_UNUSED guint i, gpointer user)
{
  if (!examine (user, *buffer)) {
    gst_clear_buffer (buffer);
  }
  return TRUE;
}

/* The list goes on as it is, unless something in it has to go. */
static GstFlowReturn
sink_chain_list (G_GNUC_UNUSED GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstWeirRecv *self = GST_WEIR_RECV (parent);
  look_around (self);
  list = gst_buffer_list_make_writable (list);
  gst_buffer_list_foreach (list, examine_in_list, self);
  if (gst_buffer_list_length (list) > 0) {
    return gst_pad_push_list (self->srcpad, list);
  }
  gst_buffer_list_unref (list);
  return GST_FLOW_OK;
}

/* --- Events --- */

static void
take_caps (GstWeirRecv *self, GstEvent *event)
{
  GstWeirRtpCaps parsed;
  GstCaps *caps;
  gst_event_parse_caps (event, &caps);
  if (gst_weir_rtp_caps_parse (caps, &parsed, NULL)) {
    gst_weir_reception_set_caps (&self->reception, &parsed);
  }
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstWeirRecv *self = GST_WEIR_RECV (parent);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    take_caps (self, event);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    gst_weir_recv_feedback_set_ended (self, TRUE);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    gst_weir_recv_feedback_set_ended (self, FALSE);
  }
  return gst_pad_event_default (pad, parent, event);
}

/* Downstream was linked differently: another session may be there. */
static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    gst_weir_recv_session_look_again (&GST_WEIR_RECV (parent)->session);
  }
  return gst_pad_event_default (pad, parent, event);
}

/* The media pads lead to each other only: no media event may leave on rtcp_src. */
static GstIterator *
media_links (GstPad *pad, GstObject *parent)
{
  GstWeirRecv *self = GST_WEIR_RECV (parent);
  return gst_weir_iterate_one (pad == self->sinkpad ? self->srcpad : self->sinkpad);
}

/* --- States --- */

/* FALSE: an error was posted. */
static gboolean
start (GstWeirRecv *self)
{
  g_autofree gchar *why = NULL;
  gst_weir_properties_check_times (GST_ELEMENT (self));
  if (!gst_weir_rtcp_pads_start (&self->rtcp, &why)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", why), (NULL));
    return FALSE;
  }
  self->extmap_warned = FALSE;
  gst_weir_recv_session_look_again (&self->session);
  GST_OBJECT_LOCK (self);
  guint format = (guint) self->format;
  gint64 interval_ns = (gint64) self->interval_ns;
  guint overhead_bytes = self->overhead_bytes;
  gboolean ecn_counts = self->ecn_counts;
  self->not_before_ns = 0;
  GST_OBJECT_UNLOCK (self);
  gst_weir_reception_start (&self->reception, format, interval_ns, ecn_counts, overhead_bytes);
  gst_weir_recv_feedback_set_ended (self, FALSE);
  gst_weir_recv_feedback_set_stats_interval (self);
  gst_weir_worker_start (&self->worker, "weirrecv");
  return TRUE;
}

static void
stop (GstWeirRecv *self)
{
  gst_weir_worker_stop (&self->worker);
  gst_weir_rtcp_pads_stop (&self->rtcp);
  gst_weir_rtp_session_set (&self->session.rtp, NULL);
  gst_weir_reception_stop (&self->reception);
}

static GstStateChangeReturn
gst_weir_recv_change_state (GstElement *element, GstStateChange transition)
{
  GstWeirRecv *self = GST_WEIR_RECV (element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self)) {
    return GST_STATE_CHANGE_FAILURE;
  }
  GstStateChangeReturn result
      = GST_ELEMENT_CLASS (gst_weir_recv_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      || (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE)) {
    stop (self);
  }
  return result;
}

/* --- Object --- */

static GstPad *
gst_weir_recv_request_new_pad (GstElement *element, GstPadTemplate *templ,
                               G_GNUC_UNUSED const gchar *name, G_GNUC_UNUSED const GstCaps *caps)
{
  return gst_weir_rtcp_pads_request (&GST_WEIR_RECV (element)->rtcp, templ);
}

static void
gst_weir_recv_release_pad (GstElement *element, GstPad *pad)
{
  gst_weir_rtcp_pads_release (&GST_WEIR_RECV (element)->rtcp, pad);
}

static GstPad *
make_media_pad (GstStaticPadTemplate *templ, const gchar *name)
{
  GstPad *pad = gst_pad_new_from_static_template (templ, name);
  gst_pad_set_iterate_internal_links_function (pad, media_links);
  GST_PAD_SET_PROXY_CAPS (pad);
  GST_PAD_SET_PROXY_ALLOCATION (pad);
  return pad;
}

static void
gst_weir_recv_init (GstWeirRecv *self)
{
  GstElement *element = GST_ELEMENT (self);
  self->clock = gst_system_clock_obtain ();
  self->scratch = g_byte_array_new ();
  gst_weir_reception_init (&self->reception, self->clock);
  gst_weir_rtp_session_init (&self->session.rtp, element, &session_events);
  gst_weir_rtcp_pads_init (&self->rtcp, element, self->clock, &rtcp_events);
  gst_weir_rtcp_pads_set_passing (&self->rtcp, FALSE);
  gst_weir_worker_init (&self->worker, self->clock, gst_weir_recv_do_what_is_due, self);
  self->next_stats_ns = WEIR_NEVER_NS;

  self->sinkpad = make_media_pad (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, sink_chain);
  gst_pad_set_chain_list_function (self->sinkpad, sink_chain_list);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  self->srcpad = make_media_pad (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, src_event);
  gst_element_add_pad (element, self->sinkpad);
  gst_element_add_pad (element, self->srcpad);
}

static void
gst_weir_recv_finalize (GObject *object)
{
  GstWeirRecv *self = GST_WEIR_RECV (object);
  gst_weir_worker_clear (&self->worker);
  gst_weir_rtcp_pads_clear (&self->rtcp);
  gst_weir_rtp_session_clear (&self->session.rtp);
  gst_weir_reception_clear (&self->reception);
  g_byte_array_unref (self->scratch);
  gst_object_unref (self->clock);
  G_OBJECT_CLASS (gst_weir_recv_parent_class)->finalize (object);
}

static void
gst_weir_recv_class_init (GstWeirRecvClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GST_DEBUG_CATEGORY_INIT (gst_weir_recv_debug, "weirrecv", 0, "feedback for an RTP sender");
  object_class->finalize = gst_weir_recv_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_weir_recv_change_state);
  element_class->request_new_pad = GST_DEBUG_FUNCPTR (gst_weir_recv_request_new_pad);
  element_class->release_pad = GST_DEBUG_FUNCPTR (gst_weir_recv_release_pad);
  gst_weir_recv_install_properties (object_class);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_weir_rtcp_pads_add_templates (element_class);
  gst_type_mark_as_plugin_api (GST_TYPE_WEIR_RECV_FORMAT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_WEIR_SRTP_CIPHER, 0);
  gst_element_class_set_static_metadata (
      element_class, "RTP congestion control receiver", "Network/RTP/Filter",
      "Passes RTP through and sends the feedback that a congestion-controlled sender needs: on "
      "rtcp_src or, before rtpbin or rtpsession, through that session, whose RTCP it makes prompt. "
      "Example: udpsrc caps=application/x-rtp,... ! weirrecv name=r ! rtpjitterbuffer ! ... "
      "r.rtcp_src ! udpsink host=SENDER port=5005 sync=false async=false",
      "The Weir developers");
}
