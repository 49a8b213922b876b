/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pads of weirlink: pairs sink_N and src_N that come and go together, whichever is asked for.
 */
#include "link/weirlink.h"

#include <string.h>

#include "common/pipeline_walk.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_link_debug);
#define GST_CAT_DEFAULT gst_weir_link_debug

static GstStaticPadTemplate sink_template
    = GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template
    = GST_STATIC_PAD_TEMPLATE ("src_%u", GST_PAD_SRC, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);

/* One pair of pads. Fields after "flow" are guarded by the engine's lock. */
typedef struct
{
  gatomicrefcount refs;
  GstWeirLink *link; /* not owned: valid while a pad of the pair has its parent */
  guint id;
  GstPad *sinkpad;
  GstPad *srcpad;
  GstSegment segment; /* of what leaves; used by the task alone */
  GMutex activation;  /* held, before the engine's, while the task is started or may not be */
  guint n_pausing;    /* threads that wait for the task to pause; it is not started then */
  gboolean active;    /* the src pad is */
  gboolean released;  /* it will not be any more */

  GstWeirLinkFlow flow;
  GstFlowReturn result; /* of the last push */
  guint overhead_bytes; /* per packet, by the caps that came */
  gboolean rtp;         /* RTP or RTCP caps came last */
} GstWeirLinkPair;

/* Of an instance of the class, which GStreamer has checked. */
#define SELF(object) ((GstWeirLink *) (object))

static GstWeirLinkPair *
pair_new (GstWeirLink *self, guint id)
{
  GstWeirLinkPair *pair = g_new0 (GstWeirLinkPair, 1);
  g_atomic_ref_count_init (&pair->refs);
  pair->link = self;
  pair->id = id;
  gst_segment_init (&pair->segment, GST_FORMAT_UNDEFINED);
  g_mutex_init (&pair->activation);
  gst_weir_link_flow_init (&pair->flow, &self->engine);
  return pair;
}

static void
pair_unref (GstWeirLinkPair *pair)
{
  if (!g_atomic_ref_count_dec (&pair->refs)) {
    return;
  }
  gst_weir_link_flow_clear (&pair->flow);
  g_mutex_clear (&pair->activation);
  gst_clear_object (&pair->sinkpad);
  gst_clear_object (&pair->srcpad);
  g_free (pair);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstWeirLinkPair, pair_unref)

/* The pair of a pad with a reference, NULL when it has been released. */
static GstWeirLinkPair *
get_pair (GstWeirLink *self, GstPad *pad)
{
  GstWeirLinkPair *found = NULL;
  gst_weir_link_engine_lock (&self->engine);
  for (GList *l = self->pairs; l != NULL && found == NULL; l = l->next) {
    GstWeirLinkPair *pair = l->data;
    if (pair->sinkpad == pad || pair->srcpad == pad) {
      g_atomic_ref_count_inc (&pair->refs);
      found = pair;
    }
  }
  gst_weir_link_engine_unlock (&self->engine);
  return found;
}

/* --- Packets in --- */

static GstFlowReturn
offer (GstWeirLink *self, GstWeirLinkPair *pair, GstBuffer *buffer)
{
  GstFlowReturn result = GST_FLOW_FLUSHING;
  gboolean fits = TRUE, warn = FALSE;
  gst_weir_link_engine_lock (&self->engine);
  if (!pair->flow.flushing && self->engine.path != NULL) {
    fits = gst_weir_link_flow_offer_locked (&pair->flow, buffer, pair->overhead_bytes);
    warn = !fits && !self->size_warned;
    self->size_warned |= warn;
    result = pair->result;
    buffer = NULL;
  }
  gst_weir_link_engine_unlock (&self->engine);
  gst_clear_buffer (&buffer);
  if (warn) {
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
                         ("A buffer of more than %d bytes is not a packet and was dropped",
                          WEIR__PATH_MAX_PACKET_BYTES),
                         ("weirlink belongs behind a payloader"));
  }
  return result;
}

static GstFlowReturn
sink_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstWeirLink *self = SELF (parent);
  g_autoptr (GstWeirLinkPair) pair = get_pair (self, pad);
  if (pair == NULL) {
    gst_buffer_unref (buffer);
    return GST_FLOW_FLUSHING;
  }
  return offer (self, pair, buffer);
}

static GstFlowReturn
sink_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstWeirLink *self = SELF (parent);
  g_autoptr (GstWeirLinkPair) pair = get_pair (self, pad);
  GstFlowReturn result = pair != NULL ? GST_FLOW_OK : GST_FLOW_FLUSHING;
  guint n = pair != NULL ? gst_buffer_list_length (list) : 0;
  for (guint i = 0; i < n && result == GST_FLOW_OK; i++) {
    result = offer (self, pair, gst_buffer_ref (gst_buffer_list_get (list, i)));
  }
  gst_buffer_list_unref (list);
  return result;
}

/* --- Packets out: the task of a src pad --- */

/* PTS and DTS become the running time of the arrival, as behind udpsrc. */
static GstBuffer *
stamp_arrival (GstWeirLinkPair *pair, GstBuffer *buffer, gint64 at_ns)
{
  GstWeirLink *self = pair->link;
  g_autoptr (GstClock) clock = gst_element_get_clock (GST_ELEMENT (self));
  if (clock == NULL) {
    return buffer;
  }
  GstClockTime base = gst_element_get_base_time (GST_ELEMENT (self));
  /* On the system clock the arrival is known to the nanosecond; else now has to do. */
  GstClockTime running = clock == self->clock ? self->engine.origin + (GstClockTime) at_ns
                                              : gst_clock_get_time (clock);
  if (running < base || pair->segment.format != GST_FORMAT_TIME) {
    return buffer;
  }
  GstClockTime position
      = gst_segment_position_from_running_time (&pair->segment, GST_FORMAT_TIME, running - base);
  if (!GST_CLOCK_TIME_IS_VALID (position)) {
    return buffer;
  }
  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_PTS (buffer) = position;
  GST_BUFFER_DTS (buffer) = position;
  return buffer;
}

static void
push_event (GstWeirLinkPair *pair, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_copy_segment (event, &pair->segment);
  }
  gst_pad_push_event (pair->srcpad, event);
}

static void
push_buffer (GstWeirLinkPair *pair, GstBuffer *buffer, gint64 at_ns)
{
  GstWeirLink *self = pair->link;
  gst_weir_link_engine_lock (&self->engine);
  gboolean stamp = self->arrival_time && self->playing && pair->rtp;
  gst_weir_link_engine_unlock (&self->engine);
  GstFlowReturn result
      = gst_pad_push (pair->srcpad, stamp ? stamp_arrival (pair, buffer, at_ns) : buffer);
  gst_weir_link_engine_lock (&self->engine);
  if (!pair->flow.flushing) {
    pair->result = result;
  }
  gst_weir_link_engine_unlock (&self->engine);
}

/* One round of the task: one item. */
static void
push_next (gpointer user)
{
  GstWeirLinkPair *pair = user;
  GstWeirLinkItem item;
  if (!gst_weir_link_flow_take (&pair->flow, &item)) {
    gst_pad_pause_task (pair->srcpad);
  } else if (GST_IS_EVENT (item.object)) {
    push_event (pair, GST_EVENT_CAST (item.object));
  } else {
    push_buffer (pair, GST_BUFFER_CAST (item.object), item.at_ns);
  }
}

/* Who waits for the task to pause would wait as long as it sleeps, if it ran again before: that
 * thread ends its flush later, and then it starts. */
static void
start_task_locked (GstWeirLinkPair *pair)
{
  if (pair->n_pausing > 0) {
    return;
  }
  gst_weir_link_engine_lock (pair->flow.engine);
  pair->result = GST_FLOW_OK;
  gst_weir_link_engine_unlock (pair->flow.engine);
  gst_weir_link_flow_set_flushing (&pair->flow, FALSE);
  gst_pad_start_task (pair->srcpad, push_next, pair, NULL);
}

/* --- Events --- */

static gboolean
caps_are_rtp (GstCaps *caps)
{
  static const gchar *const names[] = { "application/x-rtp", "application/x-rtcp",
                                        "application/x-srtp", "application/x-srtcp", NULL };

  return !gst_caps_is_empty (caps) && !gst_caps_is_any (caps)
         && g_strv_contains (names, gst_structure_get_name (gst_caps_get_structure (caps, 0)));
}

/* The IP and UDP header are counted for what travels in them; other packets count as they are. */
static void
note_caps (GstWeirLinkPair *pair, GstEvent *event)
{
  GstWeirLink *self = pair->link;
  GstCaps *caps;
  gst_event_parse_caps (event, &caps);
  gst_weir_link_engine_lock (&self->engine);
  pair->rtp = caps_are_rtp (caps);
  pair->overhead_bytes = pair->rtp ? self->overhead_bytes : 0;
  gst_weir_link_engine_unlock (&self->engine);
}

static void
add_pausing (GstWeirLinkPair *pair, gint n)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&pair->activation);
  pair->n_pausing += (guint) n;
}

static gboolean
flush_start (GstWeirLinkPair *pair, GstEvent *event)
{
  gboolean done = gst_pad_push_event (pair->srcpad, event);
  add_pausing (pair, 1);
  gst_weir_link_flow_set_flushing (&pair->flow, TRUE);
  gst_pad_pause_task (pair->srcpad);
  add_pausing (pair, -1);
  return done;
}

static gboolean
flush_stop (GstWeirLinkPair *pair, GstEvent *event)
{
  gst_weir_link_flow_flush (&pair->flow, pair->srcpad);
  gst_segment_init (&pair->segment, GST_FORMAT_UNDEFINED);
  gboolean done = gst_pad_push_event (pair->srcpad, event);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&pair->activation);
  if (pair->active) {
    start_task_locked (pair);
  }
  return done;
}

static gboolean
queue_event (GstWeirLinkPair *pair, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    note_caps (pair, event);
  }
  return gst_weir_link_flow_offer_event (&pair->flow, event);
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  g_autoptr (GstWeirLinkPair) pair = get_pair (SELF (parent), pad);
  if (pair == NULL) {
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START) {
    return flush_start (pair, event);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    return flush_stop (pair, event);
  }
  return GST_EVENT_IS_SERIALIZED (event) ? queue_event (pair, event)
                                         : gst_pad_push_event (pair->srcpad, event);
}

/* --- Queries --- */

static gboolean
query_latency (GstWeirLinkPair *pair, GstQuery *query)
{
  GstClockTime stay_ns = gst_weir_link_engine_longest_stay_ns (pair->flow.engine);
  GstClockTime min, max;
  if (!gst_pad_peer_query (pair->sinkpad, query)) {
    return FALSE;
  }
  gst_query_parse_latency (query, NULL, &min, &max);
  min += stay_ns;
  if (GST_CLOCK_TIME_IS_VALID (max)) {
    max += stay_ns;
  }
  gst_query_set_latency (query, TRUE, min, max);
  return TRUE;
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY) {
    return gst_pad_query_default (pad, parent, query);
  }
  g_autoptr (GstWeirLinkPair) pair = get_pair (SELF (parent), pad);
  return pair != NULL && query_latency (pair, query);
}

static GstIterator *
iterate_links (GstPad *pad, GstObject *parent)
{
  g_autoptr (GstWeirLinkPair) pair = get_pair (SELF (parent), pad);
  if (pair == NULL) {
    return NULL;
  }
  return gst_weir_iterate_one (pad == pair->sinkpad ? pair->srcpad : pair->sinkpad);
}

/* --- Life --- */

/* The parent is NULL while a pad is made for a running element: the pad's private pointer is the
 * element, until the pad is released. */
static gboolean
src_activate_mode (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstPadMode mode, gboolean active)
{
  GstWeirLink *self = gst_pad_get_element_private (pad);
  gboolean done = TRUE;
  if (mode != GST_PAD_MODE_PUSH) {
    return FALSE;
  }
  g_autoptr (GstWeirLinkPair) pair = self != NULL ? get_pair (self, pad) : NULL;
  if (pair == NULL) {
    return TRUE;
  }
  g_mutex_lock (&pair->activation);
  pair->active = active && !pair->released;
  if (pair->active) {
    start_task_locked (pair);
  } else if (!active) {
    gst_weir_link_flow_set_flushing (&pair->flow, TRUE);
  }
  g_mutex_unlock (&pair->activation);
  if (!active) {
    done = gst_pad_stop_task (pad);
    gst_weir_link_flow_flush (&pair->flow, NULL);
  }
  return done;
}

static GstPad *
make_pad (GstWeirLinkPair *pair, GstStaticPadTemplate *templ, const gchar *format)
{
  g_autofree gchar *name = g_strdup_printf (format, pair->id);
  GstPad *pad = gst_pad_new_from_static_template (templ, name);
  gst_pad_set_element_private (pad, pair->link);
  gst_pad_set_iterate_internal_links_function (pad, iterate_links);
  GST_PAD_SET_PROXY_CAPS (pad);
  GST_PAD_SET_PROXY_ALLOCATION (pad);
  return gst_object_ref_sink (pad);
}

static void
make_pads (GstWeirLinkPair *pair)
{
  pair->sinkpad = make_pad (pair, &sink_template, "sink_%u");
  gst_pad_set_chain_function (pair->sinkpad, sink_chain);
  gst_pad_set_chain_list_function (pair->sinkpad, sink_chain_list);
  gst_pad_set_event_function (pair->sinkpad, sink_event);
  pair->srcpad = make_pad (pair, &src_template, "src_%u");
  gst_pad_set_activatemode_function (pair->srcpad, src_activate_mode);
  gst_pad_set_query_function (pair->srcpad, src_query);
}

/* The number in "sink_7" or "src_7", or the next one free when no number was asked for. */
static gboolean
choose_id (GstWeirLink *self, const gchar *name, guint *id)
{
  const gchar *number = name != NULL ? strrchr (name, '_') : NULL;
  guint64 asked;
  if (number == NULL) {
    *id = self->next_id;
  } else {
    if (!g_ascii_string_to_unsigned (number + 1, 10, 0, G_MAXINT32, &asked, NULL)) {
      return FALSE;
    }
    *id = (guint) asked;
  }
  for (GList *l = self->pairs; l != NULL; l = l->next) {
    if (((GstWeirLinkPair *) l->data)->id == *id) {
      return FALSE;
    }
  }
  self->next_id = MAX (self->next_id, *id + 1);
  return TRUE;
}

/* A pair is added as a whole; the pad of the wanted direction is the answer. */
GstPad *
gst_weir_link_request_pad (GstElement *element, GstPadTemplate *templ, const gchar *name,
                           G_GNUC_UNUSED const GstCaps *caps)
{
  GstWeirLink *self = SELF (element);
  guint id;
  gst_weir_link_engine_lock (&self->engine);
  if (!choose_id (self, name, &id)) {
    gst_weir_link_engine_unlock (&self->engine);
    GST_WARNING_OBJECT (self, "no pad %s: the name is taken or has no number", name);
    return NULL;
  }
  GstWeirLinkPair *pair = pair_new (self, id);
  make_pads (pair);
  self->pairs = g_list_append (self->pairs, pair);
  gst_weir_link_flow_add_locked (&pair->flow);
  gst_weir_link_engine_unlock (&self->engine);

  if (GST_STATE_TARGET (element) > GST_STATE_READY) {
    gst_pad_set_active (pair->srcpad, TRUE);
    gst_pad_set_active (pair->sinkpad, TRUE);
  }
  gst_element_add_pad (element, pair->srcpad);
  gst_element_add_pad (element, pair->sinkpad);
  return GST_PAD_TEMPLATE_DIRECTION (templ) == GST_PAD_SINK ? pair->sinkpad : pair->srcpad;
}

/* A state change may still activate the pads meanwhile, or be stopping the task: then the src pad
 * counts as inactive already, but the task may still run. */
static void
release_pair (GstWeirLink *self, GstWeirLinkPair *pair)
{
  g_mutex_lock (&pair->activation);
  pair->released = TRUE;
  g_mutex_unlock (&pair->activation);
  gst_pad_set_active (pair->sinkpad, FALSE);
  gst_pad_set_active (pair->srcpad, FALSE);
  gst_weir_link_flow_set_flushing (&pair->flow, TRUE);
  gst_pad_stop_task (pair->srcpad);
  gst_weir_link_engine_lock (&self->engine);
  self->pairs = g_list_remove (self->pairs, pair);
  gst_weir_link_flow_remove_locked (&pair->flow);
  gst_weir_link_engine_unlock (&self->engine);
  gst_pad_set_element_private (pair->sinkpad, NULL);
  gst_pad_set_element_private (pair->srcpad, NULL);
  gst_element_remove_pad (GST_ELEMENT_CAST (self), pair->sinkpad);
  gst_element_remove_pad (GST_ELEMENT_CAST (self), pair->srcpad);
  pair_unref (pair); /* the element's */
}

/* Releasing either pad removes both. */
void
gst_weir_link_release_pad (GstElement *element, GstPad *pad)
{
  GstWeirLink *self = SELF (element);
  g_autoptr (GstWeirLinkPair) pair = get_pair (self, pad);
  if (pair != NULL) { /* else it went with the other pad of the pair */
    release_pair (self, pair);
  }
}

void
gst_weir_link_release_all (GstWeirLink *self)
{
  while (self->pairs != NULL) {
    release_pair (self, self->pairs->data);
  }
}

/* --- Statistics --- */

static GstStructure *
make_pair_stats (const GstWeirLinkPair *pair)
{
  const GstWeirLinkCounters *c = &pair->flow.order.counters;
  gchar name[32];
  g_snprintf (name, sizeof name, "sink_%u", pair->id);
  return gst_structure_new (
      name, "offered-packets", G_TYPE_INT64, c->offered_packets, "offered-bytes", G_TYPE_INT64,
      c->offered_bytes, "delivered-packets", G_TYPE_INT64, c->delivered_packets, "delivered-bytes",
      G_TYPE_INT64, c->delivered_bytes, "dropped-packets", G_TYPE_INT64, c->dropped_packets,
      "dropped-at-end", G_TYPE_INT64, c->given_up_packets, "lost-packets", G_TYPE_INT64,
      c->dropped_packets + c->lost_packets + c->given_up_packets, NULL);
}

GstStructure *
gst_weir_link_make_stats (GstWeirLink *self)
{
  GstStructure *stats = gst_weir_link_engine_make_stats (&self->engine);
  gst_weir_link_engine_lock (&self->engine);
  for (GList *l = self->pairs; l != NULL; l = l->next) {
    g_autoptr (GstStructure) pair = make_pair_stats (l->data);
    gst_structure_set (stats, gst_structure_get_name (pair), GST_TYPE_STRUCTURE, pair, NULL);
  }
  gst_weir_link_engine_unlock (&self->engine);
  return stats;
}

void
gst_weir_link_add_pad_templates (GstElementClass *klass)
{
  gst_element_class_add_static_pad_template (klass, &sink_template);
  gst_element_class_add_static_pad_template (klass, &src_template);
}
