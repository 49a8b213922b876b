/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-weirrecv
 * @title: weirrecv
 * @short_description: feedback for a congestion-controlled RTP sender
 *
 * RTP passes through untouched, and is watched: `rtcp_src` emits the feedback that weirsend (or
 * any other sender that reads RFC 8888, transport-wide feedback, receiver reports or REMB) needs,
 * once per round trip and at once after a loss. `rtcp_sink` takes the sender's RTCP; with it the
 * round-trip time becomes known.
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
 * `packets-malformed` (dropped), `packets-rejected`, `rtcp-packets`, `rtcp-malformed`,
 * `srtcp-packets`, `srtcp-auth-failures`, `srtcp-replays` (with a key; the last two were dropped),
 * `feedback-packets`, `feedback-bytes`, `streams`; `packets-lost` (gint64); and as it is now:
 * `loss-ratio`, `jitter` (ms), `delay-variation` (ms), `r-score`, `mos` (double), `rtt` (gint64 ns,
 * -1 = unknown), `bitrate` (gint64 bit/s, on the wire), `in-session` (gboolean: a session carries
 * the feedback).
 */
#include "recv/weirrecv.h"

#include <string.h>

#include "weir/rtcp.h"

GST_DEBUG_CATEGORY (gst_weir_recv_debug);
#define GST_CAT_DEFAULT gst_weir_recv_debug

#define MAX_CLOCK_RATE 1000000000
#define VIDEO_CLOCK_RATE 90000
#define PAUSE_NS WEIR_MS (200) /* between packets: the sender is silent */

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp(ANY)"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp(ANY)"));
static GstStaticPadTemplate rtcp_sink_template
    = GST_STATIC_PAD_TEMPLATE ("rtcp_sink", GST_PAD_SINK, GST_PAD_REQUEST,
                               GST_STATIC_CAPS ("application/x-rtcp; application/x-srtcp"));
static GstStaticPadTemplate rtcp_src_template
    = GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_REQUEST,
                               GST_STATIC_CAPS ("application/x-rtcp; application/x-srtcp"));

G_DEFINE_FINAL_TYPE (GstWeirRecv, gst_weir_recv, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE (weirrecv, "weirrecv", GST_RANK_NONE, GST_TYPE_WEIR_RECV);

gint64
gst_weir_recv_now_ns (GstWeirRecv *recv)
{
  return (gint64) gst_clock_get_time (recv->clock);
}

/* Makes the receiver anew from what is known. On FALSE the old one stays. */
gboolean
gst_weir_recv_make_receiver_locked (GstWeirRecv *recv)
{
  struct weir_receiver_config config;
  struct weir_receiver *receiver;

  weir_receiver_config_init (&config);
  config.format = (uint32_t) recv->format;
  config.interval_ns = (gint64) recv->interval_ns;
  config.local_ssrc = recv->local_ssrc;
  config.clock_rate_hz = recv->clock_rate_hz;
  config.transport_seq_id = recv->transport_seq_id;
  config.overhead_bytes = recv->overhead_bytes;
  config.seed = ((guint64) g_random_int () << 32) | g_random_int ();
  receiver = weir_receiver_create (&config, gst_weir_recv_now_ns (recv), NULL);
  if (receiver == NULL)
    return FALSE;
  weir_receiver_destroy (recv->receiver);
  recv->receiver = receiver;
  return TRUE;
}

/* --- statistics ------------------------------------------------------------------------------ */

static GstStructure *
describe (const struct weir_receiver_stats *s, gboolean in_session)
{
  return gst_structure_new (
      "weir-stats", "bitrate", G_TYPE_INT64, s->received_wire_bps, "loss-ratio", G_TYPE_DOUBLE,
      s->loss_ratio, "jitter", G_TYPE_DOUBLE, s->jitter_ms, "delay-variation", G_TYPE_DOUBLE,
      s->delay_variation_ms, "r-score", G_TYPE_DOUBLE, s->r_score, "mos", G_TYPE_DOUBLE, s->mos,
      "rtt", G_TYPE_INT64, s->rtt_ns == WEIR_UNKNOWN_NS ? (gint64) -1 : s->rtt_ns,
      "packets-received", G_TYPE_UINT64, s->packets_received, "packets-lost", G_TYPE_INT64,
      s->packets_lost, "packets-duplicate", G_TYPE_UINT64, s->packets_duplicate,
      "packets-malformed", G_TYPE_UINT64, s->packets_malformed, "packets-rejected", G_TYPE_UINT64,
      s->packets_rejected, "bytes-received", G_TYPE_UINT64, s->bytes_received_wire, "rtcp-packets",
      G_TYPE_UINT64, s->rtcp_packets, "rtcp-malformed", G_TYPE_UINT64, s->rtcp_malformed,
      "feedback-packets", G_TYPE_UINT64, s->feedback_sent, "feedback-bytes", G_TYPE_UINT64,
      s->feedback_bytes, "streams", G_TYPE_UINT64, s->streams, "in-session", G_TYPE_BOOLEAN,
      in_session, NULL);
}

/* As described on top. Takes the lock. */
GstStructure *
gst_weir_recv_make_stats (GstWeirRecv *recv)
{
  struct weir_receiver_stats stats = { .rtt_ns = WEIR_UNKNOWN_NS, .mos = 1.0 };
  GstStructure *result;
  gboolean in_session;

  g_mutex_lock (&recv->lock);
  if (recv->receiver != NULL)
    weir_receiver_get_stats (recv->receiver, &stats);
  in_session = recv->session != NULL;
  g_mutex_unlock (&recv->lock);
  result = describe (&stats, in_session);
  gst_weir_srtcp_put_stats (&recv->srtcp, result);
  return result;
}

/* --- media ----------------------------------------------------------------------------------- */

/* Does the packet carry the transport-wide number that the caps announce? */
static gboolean
is_numbered (GstWeirRecv *recv, const guint8 *data, gsize size)
{
  struct weir_rtp_info info;

  return weir_rtp_info (data, size, recv->transport_seq_id, &info) == WEIR_OK
         && info.has_transport_seq;
}

/* Shows the receiver one packet. FALSE: it is no RTP. */
static gboolean
take_packet (GstWeirRecv *recv, const guint8 *data, gsize size)
{
  enum weir_status status = WEIR_OK;
  gint64 now_ns = gst_weir_recv_now_ns (recv);

  if (weir_datagram_kind (data, size) == WEIR_DATAGRAM_RTCP) { /* RFC 5761: on the same port */
    gst_weir_recv_take_rtcp (recv, gst_weir_srtcp_open_bytes (&recv->srtcp, data, size));
    return TRUE;
  }
  g_mutex_lock (&recv->lock);
  if (recv->receiver != NULL) {
    status = weir_receiver_on_rtp (recv->receiver, now_ns, data, size, WEIR_ECN_NOT_ECT);
    recv->has_packets |= status == WEIR_OK;
    if (recv->transport_seq_id != 0 && !recv->wide_seen)
      recv->wide_seen = is_numbered (recv, data, size);
    if (recv->wide_seen
        && (recv->unreported_ns == WEIR_UNKNOWN_NS || now_ns - recv->arrival_ns >= PAUSE_NS))
      recv->unreported_ns = now_ns;
    recv->arrival_ns = now_ns;
    gst_weir_recv_feedback_kick_locked (recv);
  }
  g_mutex_unlock (&recv->lock);
  return status != WEIR_ERROR_TRUNCATED && status != WEIR_ERROR_MALFORMED;
}

/* Reads a buffer without changing it. Packets in several memories (a payloader's) are gathered in
 * a buffer of our own, because mapping would merge them in the packet itself. */
static gboolean
examine (GstWeirRecv *recv, GstBuffer *buffer)
{
  static const guint8 nothing[1] = { 0 };
  gboolean is_rtp;
  GstMapInfo map;
  gsize size = gst_buffer_get_size (buffer);

  if (size == 0)
    return take_packet (recv, nothing, 0);
  if (gst_buffer_n_memory (buffer) > 1) {
    if (recv->scratch->len < size)
      g_byte_array_set_size (recv->scratch, (guint) size);
    gst_buffer_extract (buffer, 0, recv->scratch->data, size);
    return take_packet (recv, recv->scratch->data, size);
  }
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  is_rtp = take_packet (recv, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return is_rtp;
}

static void
look_around (GstWeirRecv *recv)
{
  gboolean looked, warn;

  g_mutex_lock (&recv->lock);
  looked = recv->session_looked;
  warn = recv->format == WEIR_FEEDBACK_TWCC && recv->transport_seq_id == 0 && !recv->extmap_warned;
  recv->extmap_warned |= warn;
  g_mutex_unlock (&recv->lock);
  if (!looked)
    gst_weir_recv_session_look (recv);
  if (warn)
    GST_ELEMENT_WARNING (
        recv, STREAM, FORMAT,
        ("feedback-format=twcc needs the transport-wide sequence number, but the caps have none"),
        ("Add extmap-3=(string)" WEIR_TWCC_URI " to the caps on both sides: behind the sender's "
         "payloader and at the receiver, for example in udpsrc caps=\"application/x-rtp,...\". "
         "Until then only receiver reports are sent; feedback-format=ccfb needs no extension."));
}

static GstFlowReturn
sink_chain (G_GNUC_UNUSED GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstWeirRecv *recv = GST_WEIR_RECV (parent);

  look_around (recv);
  if (examine (recv, buffer))
    return gst_pad_push (recv->srcpad, buffer);
  GST_DEBUG_OBJECT (recv, "dropping what is no RTP: %" GST_PTR_FORMAT, (void *) buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
examine_in_list (GstBuffer **buffer, G_GNUC_UNUSED guint i, gpointer user)
{
  if (!examine (user, *buffer))
    gst_clear_buffer (buffer);
  return TRUE;
}

/* The list goes on as it is, unless something in it has to go. */
static GstFlowReturn
sink_chain_list (G_GNUC_UNUSED GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstWeirRecv *recv = GST_WEIR_RECV (parent);

  look_around (recv);
  list = gst_buffer_list_make_writable (list);
  gst_buffer_list_foreach (list, examine_in_list, recv);
  if (gst_buffer_list_length (list) > 0)
    return gst_pad_push_list (recv->srcpad, list);
  gst_buffer_list_unref (list);
  return GST_FLOW_OK;
}

/* --- events ---------------------------------------------------------------------------------- */

/* The id of the header extension with the transport-wide number, 0 = none. */
static guint8
find_extmap (const GstStructure *caps)
{
  for (guint id = 1; id <= 255; id++) {
    gchar name[16];
    const GValue *value;
    const gchar *uri = NULL;
    g_snprintf (name, sizeof name, "extmap-%u", id);
    value = gst_structure_get_value (caps, name);
    if (value != NULL && value->g_type == GST_TYPE_ARRAY && gst_value_array_get_size (value) > 1)
      value = gst_value_array_get_value (value, 1); /* direction, URI, attributes */
    if (value != NULL && value->g_type == G_TYPE_STRING)
      uri = g_value_get_string (value);
    if (g_strcmp0 (uri, WEIR_TWCC_URI) == 0)
      return (guint8) id;
  }
  return 0;
}

static void
take_caps (GstWeirRecv *recv, GstEvent *event)
{
  GstCaps *caps;
  const GstStructure *s;
  gint rate = 0;
  guint ssrc;

  gst_event_parse_caps (event, &caps);
  s = gst_caps_get_structure (caps, 0);
  gst_structure_get_int (s, "clock-rate", &rate);
  g_mutex_lock (&recv->lock);
  recv->transport_seq_id = find_extmap (s);
  recv->wide_seen = FALSE;
  recv->unreported_ns = WEIR_UNKNOWN_NS;
  recv->clock_rate_hz = rate > 0 && rate <= MAX_CLOCK_RATE ? (guint) rate : VIDEO_CLOCK_RATE;
  if (recv->receiver != NULL && !recv->has_packets)
    gst_weir_recv_make_receiver_locked (recv);
  if (recv->receiver != NULL) {
    weir_receiver_set_transport_seq_id (recv->receiver, recv->transport_seq_id);
    if (gst_structure_get_uint (s, "ssrc", &ssrc))
      weir_receiver_set_clock_rate (recv->receiver, ssrc, recv->clock_rate_hz);
  }
  g_mutex_unlock (&recv->lock);
}

/* The end of the media is the end of the feedback, or a sink on rtcp_src would hold the pipeline
 * up; a new stream begins both anew. */
static void
set_ended (GstWeirRecv *recv, gboolean ended)
{
  g_mutex_lock (&recv->lock);
  recv->rtcp_started &= ended || !recv->rtcp_ended;
  recv->ended = ended;
  recv->rtcp_ended &= ended;
  gst_weir_recv_feedback_kick_locked (recv);
  g_mutex_unlock (&recv->lock);
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstWeirRecv *recv = GST_WEIR_RECV (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    take_caps (recv, event);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    set_ended (recv, TRUE);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    set_ended (recv, FALSE);
  return gst_pad_event_default (pad, parent, event);
}

/* Downstream was linked differently: another session may be there. */
static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstWeirRecv *recv = GST_WEIR_RECV (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    g_mutex_lock (&recv->lock);
    recv->session_looked = FALSE;
    g_mutex_unlock (&recv->lock);
  }
  return gst_pad_event_default (pad, parent, event);
}

/* The media pads lead to each other only: no media event may leave on rtcp_src. */
static GstIterator *
media_links (GstPad *pad, GstObject *parent)
{
  GstWeirRecv *recv = GST_WEIR_RECV (parent);
  GValue value = G_VALUE_INIT;
  GstIterator *iterator;

  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, pad == recv->sinkpad ? recv->srcpad : recv->sinkpad);
  iterator = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return iterator;
}

/* --- states ---------------------------------------------------------------------------------- */

/* FALSE: an error was posted. */
static gboolean
start (GstWeirRecv *recv)
{
  gchar *why;

  if (!gst_weir_srtcp_start (&recv->srtcp, &why)) {
    GST_ELEMENT_ERROR (recv, RESOURCE, SETTINGS, ("%s", why), (NULL));
    g_free (why);
    return FALSE;
  }
  g_mutex_lock (&recv->lock);
  recv->local_ssrc = g_random_int ();
  recv->clock_rate_hz = VIDEO_CLOCK_RATE;
  recv->transport_seq_id = 0;
  recv->wide_seen = FALSE;
  recv->unreported_ns = WEIR_UNKNOWN_NS;
  recv->has_packets = FALSE;
  recv->extmap_warned = FALSE;
  recv->session_looked = FALSE;
  recv->rtcp_started = FALSE;
  recv->rtcp_ended = FALSE;
  recv->ended = FALSE;
  gst_weir_recv_make_receiver_locked (recv);
  gst_weir_recv_feedback_start (recv);
  g_mutex_unlock (&recv->lock);
  return TRUE;
}

static void
stop (GstWeirRecv *recv)
{
  gst_weir_recv_feedback_join (recv);
  gst_weir_recv_session_drop (recv);
  g_mutex_lock (&recv->lock);
  g_clear_pointer (&recv->receiver, weir_receiver_destroy);
  recv->next_stats_ns = WEIR_NEVER_NS;
  g_mutex_unlock (&recv->lock);
}

static GstStateChangeReturn
gst_weir_recv_change_state (GstElement *element, GstStateChange transition)
{
  GstWeirRecv *recv = GST_WEIR_RECV (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (recv))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_weir_recv_feedback_halt (recv);
  result = GST_ELEMENT_CLASS (gst_weir_recv_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE) {
    gst_weir_recv_feedback_halt (recv);
    stop (recv);
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    stop (recv);
  return result;
}

/* --- object ---------------------------------------------------------------------------------- */

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
gst_weir_recv_init (GstWeirRecv *recv)
{
  GstElement *element = GST_ELEMENT (recv);

  gst_weir_srtcp_init (&recv->srtcp);
  g_mutex_init (&recv->lock);
  g_cond_init (&recv->wake);
  recv->clock = gst_system_clock_obtain ();
  recv->scratch = g_byte_array_new ();
  recv->next_stats_ns = WEIR_NEVER_NS;

  recv->sinkpad = make_media_pad (&sink_template, "sink");
  gst_pad_set_chain_function (recv->sinkpad, sink_chain);
  gst_pad_set_chain_list_function (recv->sinkpad, sink_chain_list);
  gst_pad_set_event_function (recv->sinkpad, sink_event);
  recv->srcpad = make_media_pad (&src_template, "src");
  gst_pad_set_event_function (recv->srcpad, src_event);
  gst_element_add_pad (element, recv->sinkpad);
  gst_element_add_pad (element, recv->srcpad);
}

static void
gst_weir_recv_finalize (GObject *object)
{
  GstWeirRecv *recv = GST_WEIR_RECV (object);

  g_byte_array_unref (recv->scratch);
  gst_object_unref (recv->clock);
  g_cond_clear (&recv->wake);
  g_mutex_clear (&recv->lock);
  gst_weir_srtcp_clear (&recv->srtcp);
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
  gst_element_class_add_static_pad_template (element_class, &rtcp_sink_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_src_template);
  gst_type_mark_as_plugin_api (GST_TYPE_WEIR_RECV_FORMAT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_WEIR_SRTP_CIPHER, 0);
  gst_element_class_set_static_metadata (
      element_class, "RTP congestion control receiver", "Codec/Analyzer/Network/RTP",
      "Passes RTP through and sends the feedback a congestion-controlled sender needs, on rtcp_src "
      "or, in front of rtpbin or rtpsession, through that session, which it makes prompt. Example: "
      "udpsrc caps=application/x-rtp,... ! weirrecv name=r ! rtpjitterbuffer ! ... "
      "r.rtcp_src ! udpsink host=SENDER port=5005 sync=false async=false",
      "The Weir developers");
}
