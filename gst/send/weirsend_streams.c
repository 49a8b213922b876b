/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which streams come in on a sink pad? A walk upstream, over pads with RTP caps, to where each
 * branch begins: a payloader, or a source of packets. What makes packets on the way (rtprtxsend,
 * rtpulpfecenc, rtpredenc) gives each branch behind it streams of repair.
 *
 * Bounds: MAX_DEPTH elements in a row, MAX_STEPS links, MAX_STREAMS streams, and as many packets
 * that no branch explains, each of which costs a walk once. */
#include "send/weirsend_streams.h"

#include "common/pipeline_walk.h"
#include "weir/weir.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug

#define MAX_DEPTH 32
#define MAX_STEPS 256
#define MAX_STREAMS 64
#define COUNT_NS WEIR_SECONDS (1)
/* Behind a pause; times max-size-packets it has to fit. */
#define COUNT_MAX_NS WEIR_SECONDS (3600)
#define NO_PAYLOAD_TYPE 255 /* how rtpulpfecenc says that it is off */

struct _GstWeirStreams
{
  GstPad *sinkpad;      /* not owned */
  GPtrArray *known;     /* GstWeirStream, found upstream */
  GPtrArray *strangers; /* GstWeirStream, seen but not found */
  guint n_branches;
  gboolean stale;
  GstWeirRtpCaps sink_caps;
  GstWeirStream *rest; /* what is not found: as the caps of the sink pad say, if at all */
  GstWeirStream *last;
  guint32 last_ssrc; /* the packet before, which was of last */
  guint8 last_payload_type;
  gint64 counted_ns; /* when packets were counted last; WEIR_UNKNOWN_NS */
};

/* --- Streams --- */

static GstWeirStream *
stream_new (const GstWeirRtpCaps *caps, GstElement *encoder, GstElement *keeper)
{
  GstWeirStream *stream = g_new0 (GstWeirStream, 1);
  stream->caps = *caps;
  g_weak_ref_init (&stream->encoder, encoder);
  g_weak_ref_init (&stream->keeper, keeper);
  return stream;
}

static void
stream_free (gpointer data)
{
  GstWeirStream *stream = data;
  g_weak_ref_clear (&stream->encoder);
  g_weak_ref_clear (&stream->keeper);
  g_free (stream);
}

static gboolean
is_payload_type (const GstWeirStream *stream, guint8 payload_type)
{
  return stream->caps.has_payload_type && stream->caps.payload_type == payload_type;
}

/* How much a packet of that SSRC and payload type resembles stream. */
typedef enum
{
  UNLIKE,
  SAME_SSRC,         /* that of media, with another payload type */
  SAME_PAYLOAD_TYPE, /* which says more: SSRCs change */
  /* One is the same, the other not known: an SSRC a payloader has not chosen yet, or that of a
   * retransmission; or a source of packets that says no payload type. */
  OPEN,
  EXACT,
} Likeness;

static Likeness
compare (const GstWeirStream *stream, guint32 ssrc, guint8 payload_type)
{
  gboolean same_ssrc = stream->caps.has_ssrc && stream->caps.ssrc == ssrc;
  gboolean same_type = is_payload_type (stream, payload_type);
  if (same_ssrc && same_type) {
    return EXACT;
  }
  if ((same_type && !stream->caps.has_ssrc) || (same_ssrc && !stream->caps.has_payload_type)) {
    return OPEN;
  }
  return same_type ? SAME_PAYLOAD_TYPE : same_ssrc && !stream->caps.repair ? SAME_SSRC : UNLIKE;
}

/* The first of those that resemble it most, but not less than least; or NULL. */
static GstWeirStream *
find_like (GPtrArray *streams, guint32 ssrc, guint8 payload_type, Likeness least)
{
  GstWeirStream *found = NULL;
  for (guint i = 0; i < streams->len; i++) {
    Likeness likeness = compare (streams->pdata[i], ssrc, payload_type);
    if (likeness >= least) {
      found = streams->pdata[i];
      least = likeness + 1;
    }
  }
  return found;
}

/* --- The walk --- */

/* What makes packets on the way from a branch to us, the nearest first. */
typedef struct _Maker Maker;
struct _Maker
{
  const Maker *nearer;
  GstElement *element;           /* not owned */
  GstStructure *retransmissions; /* payload type -> payload type, owned; or NULL */
  guint fec_payload_type, red_payload_type;
  guint32 rtx_ssrc; /* of retransmissions of ssrc, if has_rtx_ssrc */
  guint32 ssrc;
  gboolean has_rtx_ssrc;
};

/* The one of makers that keeps packets of that payload type, or NULL. */
static GstElement *
find_keeper (const Maker *makers, const GstWeirRtpCaps *caps)
{
  gchar name[8];
  g_snprintf (name, sizeof name, "%u", caps->payload_type);
  for (const Maker *maker = makers; maker != NULL && caps->has_payload_type;
       maker = maker->nearer) {
    if (maker->retransmissions != NULL && gst_structure_has_field (maker->retransmissions, name)) {
      return maker->element;
    }
  }
  return NULL;
}

static void
add_stream (GstWeirStreams *streams, const GstWeirRtpCaps *caps, gboolean red, GstElement *encoder,
            const Maker *makers)
{
  if (streams->known->len < MAX_STREAMS && (caps->has_ssrc || caps->has_payload_type)) {
    GstWeirStream *stream = stream_new (caps, encoder, find_keeper (makers, caps));
    stream->red = red;
    g_ptr_array_add (streams->known, stream);
    GST_DEBUG_OBJECT (
        streams->sinkpad,
        "stream: SSRC %08x%s, payload type %d, kind %d%s%s, %u Hz, from %" GST_PTR_FORMAT,
        caps->ssrc, caps->has_ssrc ? "" : " (any)",
        caps->has_payload_type ? caps->payload_type : -1, (int) caps->kind,
        caps->repair ? ", repair" : "", red ? ", red" : "", caps->clock_rate_hz, (void *) encoder);
  }
}

/* The retransmissions that maker makes of the packets of media with that payload type. */
static void
add_retransmissions (GstWeirStreams *streams, const Maker *maker, const GstWeirRtpCaps *media,
                     guint payload_type, GstElement *encoder)
{
  gchar name[8];
  guint to = 0;
  GstWeirRtpCaps caps = *media;
  g_snprintf (name, sizeof name, "%u", payload_type);
  if (!gst_structure_get_uint (maker->retransmissions, name, &to) || to > 127) {
    return;
  }
  caps.payload_type = (guint8) to;
  caps.has_ssrc = maker->has_rtx_ssrc && media->has_ssrc && maker->ssrc == media->ssrc;
  caps.ssrc = caps.has_ssrc ? maker->rtx_ssrc : 0;
  caps.repair = TRUE;
  caps.key_flags = FALSE;
  add_stream (streams, &caps, FALSE, encoder, NULL);
}

/* What one maker adds to a branch. FEC and RED keep the SSRC of what they protect. */
static void
add_made (GstWeirStreams *streams, const Maker *maker, const Maker *makers,
          const GstWeirRtpCaps *media, GstElement *encoder)
{
  GstWeirRtpCaps caps = *media;
  if (maker->fec_payload_type <= 127) {
    caps.payload_type = (guint8) maker->fec_payload_type;
    caps.repair = TRUE;
    caps.key_flags = FALSE;
    add_stream (streams, &caps, FALSE, encoder, makers);
  } else if (maker->red_payload_type <= 127) {
    caps.payload_type = (guint8) maker->red_payload_type;
    add_stream (streams, &caps, TRUE, encoder, makers);
  } else if (maker->retransmissions != NULL) {
    add_retransmissions (streams, maker, media, media->payload_type, encoder);
    for (const Maker *other = makers; other != NULL; other = other->nearer) {
      add_retransmissions (streams, maker, media, other->fec_payload_type, encoder);
      add_retransmissions (streams, maker, media, other->red_payload_type, encoder);
    }
  }
}

/* The only encoder that feeds element, or NULL. */
static GstElement *
find_encoder (GstElement *element)
{
  g_autoptr (GPtrArray) encoders = g_ptr_array_new_with_free_func (gst_object_unref);
  g_autoptr (GPtrArray) pads = gst_weir_list_pads (gst_element_iterate_sink_pads (element));
  for (guint i = 0; i < pads->len; i++) {
    g_ptr_array_extend_and_steal (encoders, gst_weir_find_encoders (pads->pdata[i], NULL));
  }
  return encoders->len == 1 ? gst_object_ref (encoders->pdata[0]) : NULL;
}

static void
add_branch (GstWeirStreams *streams, const GstWeirRtpCaps *caps, GstElement *element,
            const Maker *makers)
{
  g_autoptr (GstElement) encoder = find_encoder (element);
  streams->n_branches++;
  add_stream (streams, caps, FALSE, encoder, makers);
  for (const Maker *maker = makers; maker != NULL && caps->has_payload_type;
       maker = maker->nearer) {
    add_made (streams, maker, makers, caps, encoder);
  }
}

/* What element, whose src pad has these caps, makes of the packets it passes. The map of SSRCs that
 * rtprtxsend was given cannot be read; its caps say what it took. */
static void
read_maker (GstElement *element, GstCaps *caps, Maker *maker)
{
  gint red_payload_type = -1;
  maker->fec_payload_type = maker->red_payload_type = NO_PAYLOAD_TYPE;
  if (gst_weir_is_made_by (element, "rtprtxsend")) {
    const GstStructure *structure = gst_caps_get_structure (caps, 0);
    g_object_get (element, "payload-type-map", &maker->retransmissions, NULL);
    maker->has_rtx_ssrc = gst_structure_get_uint (structure, "rtx-ssrc", &maker->rtx_ssrc)
                          && gst_structure_get_uint (structure, "ssrc", &maker->ssrc);
  } else if (gst_weir_is_made_by (element, "rtpulpfecenc")) {
    g_object_get (element, "pt", &maker->fec_payload_type, NULL);
  } else if (gst_weir_is_made_by (element, "rtpredenc")) {
    g_object_get (element, "pt", &red_payload_type, NULL);
    maker->red_payload_type = red_payload_type > 0 ? (guint) red_payload_type : NO_PAYLOAD_TYPE;
  }
}

typedef struct
{
  GstWeirStreams *streams;
  guint steps;
} Walk;

static gboolean walk_from_sink (Walk *walk, GstPad *sinkpad, const Maker *makers, guint depth);

/* Over the sink pads whose data leave at srcpad. FALSE: none of them takes RTP. */
static gboolean
walk_past (Walk *walk, GstPad *srcpad, const Maker *makers, guint depth)
{
  gboolean any = FALSE;
  g_autoptr (GPtrArray) pads = gst_weir_list_pads (gst_pad_iterate_internal_links (srcpad));
  for (guint i = 0; i < pads->len; i++) {
    any |= walk_from_sink (walk, pads->pdata[i], makers, depth + 1);
  }
  return any;
}

static gboolean
walk_from_sink (Walk *walk, GstPad *sinkpad, const Maker *makers, guint depth)
{
  GstWeirRtpCaps parsed;
  gboolean within = depth < MAX_DEPTH && walk->steps++ < MAX_STEPS;
  g_autoptr (GstPad) pad = within ? gst_weir_far_pad (sinkpad) : NULL;
  g_autoptr (GstCaps) caps = pad != NULL ? gst_pad_get_current_caps (pad) : NULL;
  g_autoptr (GstElement) element = pad != NULL ? gst_pad_get_parent_element (pad) : NULL;
  if (element == NULL || caps == NULL || !gst_weir_rtp_caps_parse (caps, &parsed, NULL)) {
    return FALSE;
  }
  Maker maker = { .nearer = makers, .element = element };
  read_maker (element, caps, &maker);
  if (!walk_past (walk, pad, &maker, depth)) {
    add_branch (walk->streams, &parsed, element, makers);
  }
  g_clear_pointer (&maker.retransmissions, gst_structure_free);
  return TRUE;
}

/* What a branch does not say, the sink pad's caps may: always the transport-wide number, which all
 * share, the rest when there is but one branch. */
static void
complete (const GstWeirStreams *streams, GstWeirRtpCaps *caps)
{
  const GstWeirRtpCaps *from = &streams->sink_caps;
  if (caps->transport_seq_id == 0) {
    caps->transport_seq_id = from->transport_seq_id;
  }
  if (streams->n_branches <= 1 && caps->kind == GST_WEIR_KIND_UNKNOWN) {
    caps->kind = from->kind;
  }
  if (streams->n_branches <= 1 && caps->clock_rate_hz == 0) {
    caps->clock_rate_hz = from->clock_rate_hz;
  }
}

static void
walk_again (GstWeirStreams *streams)
{
  Walk walk = { streams, 0 };
  g_ptr_array_set_size (streams->known, 0);
  streams->n_branches = 0;
  streams->counted_ns = WEIR_UNKNOWN_NS;
  streams->last = NULL;
  streams->stale = FALSE;
  walk_from_sink (&walk, streams->sinkpad, NULL, 0);
  for (guint i = 0; i < streams->known->len; i++) {
    complete (streams, &((GstWeirStream *) streams->known->pdata[i])->caps);
  }
  streams->rest->caps = streams->sink_caps;
  if (streams->n_branches > 1) {
    streams->rest->caps.kind = GST_WEIR_KIND_UNKNOWN;
    streams->rest->caps.clock_rate_hz = 0;
    streams->rest->caps.key_flags = FALSE;
  }
}

/* --- Use --- */

GstWeirStreams *
gst_weir_streams_new (GstPad *sinkpad)
{
  GstWeirStreams *streams = g_new0 (GstWeirStreams, 1);
  streams->sinkpad = sinkpad;
  streams->known = g_ptr_array_new_with_free_func (stream_free);
  streams->strangers = g_ptr_array_new_with_free_func (stream_free);
  streams->stale = TRUE;
  streams->counted_ns = WEIR_UNKNOWN_NS;
  streams->rest = stream_new (&streams->sink_caps, NULL, NULL);
  return streams;
}

/* NULL is allowed. */
void
gst_weir_streams_free (GstWeirStreams *streams)
{
  if (streams != NULL) {
    g_ptr_array_unref (streams->known);
    g_ptr_array_unref (streams->strangers);
    stream_free (streams->rest);
    g_free (streams);
  }
}

void
gst_weir_streams_forget (GstWeirStreams *streams)
{
  g_ptr_array_set_size (streams->strangers, 0);
  streams->last = NULL;
  streams->stale = TRUE;
}

/* A funnel sends its branches' caps each time another one has a packet. */
static gboolean
only_switches (GstWeirStreams *streams, const GstWeirRtpCaps *caps)
{
  const GstWeirRtpCaps *now = &streams->sink_caps;
  return !streams->stale && caps->has_ssrc && caps->has_payload_type
         && (caps->ssrc != now->ssrc || caps->payload_type != now->payload_type)
         && find_like (streams->known, caps->ssrc, caps->payload_type, EXACT) != NULL;
}

gboolean
gst_weir_streams_set_caps (GstWeirStreams *streams, const GstWeirRtpCaps *caps)
{
  gboolean switches = only_switches (streams, caps);
  streams->sink_caps = *caps;
  if (!switches) {
    gst_weir_streams_forget (streams);
  }
  return !switches;
}

gboolean
gst_weir_streams_has_several (const GstWeirStreams *streams)
{
  return streams->n_branches > 1;
}

/* A packet that no branch explained once is taken for what it resembles, without another walk. */
static GstWeirStream *
adopt_stranger (GstWeirStreams *streams, guint32 ssrc, guint8 payload_type)
{
  GstWeirStream *similar = find_like (streams->known, ssrc, payload_type, SAME_SSRC);
  similar = similar != NULL ? similar : streams->rest;
  if (streams->strangers->len >= MAX_STREAMS) {
    return similar;
  }
  g_autoptr (GstElement) encoder = g_weak_ref_get (&similar->encoder);
  g_autoptr (GstElement) keeper
      = is_payload_type (similar, payload_type) ? g_weak_ref_get (&similar->keeper) : NULL;
  GstWeirStream *stranger = stream_new (&similar->caps, encoder, keeper);
  stranger->red = similar->red;
  stranger->caps.ssrc = ssrc;
  stranger->caps.payload_type = payload_type;
  stranger->caps.has_ssrc = stranger->caps.has_payload_type = TRUE;
  g_ptr_array_add (streams->strangers, stranger);
  return stranger;
}

static GstWeirStream *
look_up (GstWeirStreams *streams, guint32 ssrc, guint8 payload_type)
{
  GstWeirStream *stream = find_like (streams->known, ssrc, payload_type, EXACT);
  return stream != NULL ? stream : find_like (streams->strangers, ssrc, payload_type, EXACT);
}

GstWeirStream *
gst_weir_streams_find (GstWeirStreams *streams, guint32 ssrc, guint8 payload_type, gboolean *walked)
{
  if (streams->last != NULL && ssrc == streams->last_ssrc
      && payload_type == streams->last_payload_type) {
    streams->last->packets++;
    return streams->last;
  }
  gboolean walk = streams->stale;
  GstWeirStream *stream = walk ? NULL : look_up (streams, ssrc, payload_type);
  if (stream == NULL && (walk || streams->strangers->len < MAX_STREAMS)) {
    walk_again (streams);
    walk = TRUE;
    stream = look_up (streams, ssrc, payload_type);
  }
  if (stream == NULL) {
    stream = adopt_stranger (streams, ssrc, payload_type);
  }
  if (walked != NULL) {
    *walked |= walk;
  }
  stream->packets++;
  streams->last = stream;
  streams->last_ssrc = ssrc;
  streams->last_payload_type = payload_type;
  return stream;
}

/* rtprtxsend keeps max-size-packets of each SSRC, but none for longer than max-size-time. Its
 * properties take its object lock alone, under which it pushes nothing. */
static void
read_kept (GstWeirStream *stream, gint64 elapsed_ns, GstWeirKept *shortest)
{
  guint packets = stream->packets;
  guint max_packets = 0, max_ms = 0, n_requests = 0;
  g_autoptr (GstElement) keeper = packets > 0 ? g_weak_ref_get (&stream->keeper) : NULL;
  stream->packets = 0;
  if (keeper == NULL) {
    return;
  }
  g_object_get (keeper, "max-size-packets", &max_packets, "max-size-time", &max_ms,
                "num-rtx-requests", &n_requests, NULL);
  gint64 time_ns = max_ms > 0 ? WEIR_MS ((gint64) max_ms) : WEIR_NEVER_NS;
  if (max_packets > 0) {
    time_ns = weir_min_i64 (time_ns, elapsed_ns / packets * max_packets);
  }
  if (n_requests > 0 && time_ns < shortest->time_ns) {
    g_autofree gchar *name = gst_object_get_name (GST_OBJECT (keeper));
    g_strlcpy (shortest->name, name, sizeof shortest->name);
    shortest->time_ns = time_ns;
  }
}

gboolean
gst_weir_streams_measure_kept (GstWeirStreams *streams, gint64 now_ns, GstWeirKept *kept)
{
  gboolean begun = streams->counted_ns != WEIR_UNKNOWN_NS;
  gint64 elapsed_ns = begun ? weir_min_i64 (now_ns - streams->counted_ns, COUNT_MAX_NS) : 0;
  if (begun && elapsed_ns < COUNT_NS) {
    return FALSE;
  }
  streams->counted_ns = now_ns;
  *kept = (GstWeirKept){ .time_ns = WEIR_NEVER_NS };
  for (guint i = 0; i < streams->known->len; i++) {
    read_kept (streams->known->pdata[i], elapsed_ns, kept);
  }
  for (guint i = 0; i < streams->strangers->len; i++) {
    read_kept (streams->strangers->pdata[i], elapsed_ns, kept);
  }
  return begun;
}
