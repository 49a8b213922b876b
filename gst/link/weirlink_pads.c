/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pads of weirlink: pairs sink_N and src_N that come and go together, whichever is asked for.
 */
#include "link/weirlink.h"

#include <stdio.h>
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_weir_link_debug);
#define GST_CAT_DEFAULT gst_weir_link_debug

GstStaticPadTemplate gst_weir_link_sink_template
    = GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);

GstStaticPadTemplate gst_weir_link_src_template
    = GST_STATIC_PAD_TEMPLATE ("src_%u", GST_PAD_SRC, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);

#define READY_AT_FIRST 64

static GstWeirLinkPair *
pair_new (GstWeirLink *link, guint id)
{
  GstWeirLinkPair *pair = g_new0 (GstWeirLinkPair, 1);

  g_atomic_ref_count_init (&pair->refs);
  pair->link = link;
  pair->id = id;
  pair->flushing = TRUE;
  pair->ready = gst_queue_array_new_for_struct (sizeof (GstWeirLinkItem), READY_AT_FIRST);
  gst_segment_init (&pair->segment, GST_FORMAT_UNDEFINED);
  g_cond_init (&pair->wake);
  return pair;
}

static void
pair_unref (GstWeirLinkPair *pair)
{
  if (!g_atomic_ref_count_dec (&pair->refs))
    return;
  g_cond_clear (&pair->wake);
  gst_queue_array_free (pair->ready);
  gst_clear_object (&pair->sinkpad);
  gst_clear_object (&pair->srcpad);
  g_free (pair);
}

static GstWeirLinkPair *
find_pair_locked (GstWeirLink *link, GstPad *pad)
{
  for (GList *l = link->pairs; l != NULL; l = l->next) {
    GstWeirLinkPair *pair = l->data;
    if (pair->sinkpad == pad || pair->srcpad == pad)
      return pair;
  }
  return NULL;
}

/* The pair of a pad with a reference, NULL when it has been released. */
static GstWeirLinkPair *
get_pair (GstWeirLink *link, GstPad *pad)
{
  GstWeirLinkPair *pair;

  g_mutex_lock (&link->lock);
  pair = find_pair_locked (link, pad);
  if (pair != NULL)
    g_atomic_ref_count_inc (&pair->refs);
  g_mutex_unlock (&link->lock);
  return pair;
}

/* --- data ------------------------------------------------------------------------------------ */

static GstFlowReturn
offer (GstWeirLink *link, GstWeirLinkPair *pair, GstBuffer *buffer)
{
  GstFlowReturn result = GST_FLOW_FLUSHING;
  gboolean fits = TRUE, warn = FALSE;

  g_mutex_lock (&link->lock);
  if (!pair->flushing && link->path != NULL) {
    fits = gst_weir_link_order_offer_locked (link, pair, buffer);
    warn = !fits && !link->size_warned;
    link->size_warned |= warn;
    result = pair->result;
  } else {
    gst_buffer_unref (buffer);
  }
  g_mutex_unlock (&link->lock);
  if (warn)
    GST_ELEMENT_WARNING (link, STREAM, FAILED,
                         ("A buffer of more than %d bytes is no packet; it was dropped",
                          WEIR__PATH_MAX_PACKET_BYTES),
                         ("weirlink belongs behind a payloader"));
  return result;
}

static GstFlowReturn
sink_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstWeirLink *link = GST_WEIR_LINK (parent);
  GstWeirLinkPair *pair = get_pair (link, pad);
  GstFlowReturn result;

  if (pair == NULL) {
    gst_buffer_unref (buffer);
    return GST_FLOW_FLUSHING;
  }
  result = offer (link, pair, buffer);
  pair_unref (pair);
  return result;
}

static GstFlowReturn
sink_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstWeirLink *link = GST_WEIR_LINK (parent);
  GstWeirLinkPair *pair = get_pair (link, pad);
  GstFlowReturn result = pair != NULL ? GST_FLOW_OK : GST_FLOW_FLUSHING;
  guint n = pair != NULL ? gst_buffer_list_length (list) : 0;

  for (guint i = 0; i < n && result == GST_FLOW_OK; i++)
    result = offer (link, pair, gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);
  if (pair != NULL)
    pair_unref (pair);
  return result;
}

/* --- events ---------------------------------------------------------------------------------- */

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
note_caps (GstWeirLink *link, GstWeirLinkPair *pair, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  g_mutex_lock (&link->lock);
  pair->rtp = caps_are_rtp (caps);
  pair->overhead_bytes = pair->rtp ? link->overhead_bytes : 0;
  g_mutex_unlock (&link->lock);
}

/* Stops the task, or lets it run: it sleeps on the condition or, leading, on the clock. */
static void
set_flushing (GstWeirLink *link, GstWeirLinkPair *pair, gboolean flushing)
{
  g_mutex_lock (&link->lock);
  pair->flushing = flushing;
  if (flushing) {
    g_cond_signal (&pair->wake);
    if (link->leader == pair && link->wait_id != NULL)
      gst_clock_id_unschedule (link->wait_id);
  } else {
    pair->result = GST_FLOW_OK;
  }
  g_mutex_unlock (&link->lock);
}

static void
start_task (GstWeirLinkPair *pair)
{
  gst_pad_start_task (pair->srcpad, gst_weir_link_engine_task, pair, NULL);
}

static gboolean
flush_start (GstWeirLink *link, GstWeirLinkPair *pair, GstEvent *event)
{
  gboolean done = gst_pad_push_event (pair->srcpad, event);

  set_flushing (link, pair, TRUE);
  gst_pad_pause_task (pair->srcpad);
  return done;
}

static gboolean
flush_stop (GstWeirLink *link, GstWeirLinkPair *pair, GstEvent *event)
{
  gboolean done;

  g_mutex_lock (&link->lock);
  gst_weir_link_order_flush_locked (pair, TRUE);
  g_mutex_unlock (&link->lock);
  gst_segment_init (&pair->segment, GST_FORMAT_UNDEFINED);
  done = gst_pad_push_event (pair->srcpad, event);
  if (gst_pad_is_active (pair->srcpad)) {
    set_flushing (link, pair, FALSE);
    start_task (pair);
  }
  return done;
}

static gboolean
queue_event (GstWeirLink *link, GstWeirLinkPair *pair, GstEvent *event)
{
  gboolean accepted;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    note_caps (link, pair, event);
  g_mutex_lock (&link->lock);
  accepted = !pair->flushing;
  if (accepted) {
    gst_weir_link_order_event_locked (pair, event);
    gst_weir_link_engine_kick_locked (link);
  }
  g_mutex_unlock (&link->lock);
  if (!accepted)
    gst_event_unref (event);
  return accepted;
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstWeirLink *link = GST_WEIR_LINK (parent);
  GstWeirLinkPair *pair = get_pair (link, pad);
  gboolean done;

  if (pair == NULL) {
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    done = flush_start (link, pair, event);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    done = flush_stop (link, pair, event);
  else if (GST_EVENT_IS_SERIALIZED (event))
    done = queue_event (link, pair, event);
  else
    done = gst_pad_push_event (pair->srcpad, event);
  pair_unref (pair);
  return done;
}

/* --- queries --------------------------------------------------------------------------------- */

/* The longest a packet can take through the link, apart from an outage. */
static GstClockTime
longest_stay_ns (GstWeirLink *link)
{
  const GstWeirLinkSettings *settings = &link->settings;
  GstClockTime stay_ns;

  g_mutex_lock (&link->lock);
  stay_ns = (GstClockTime) gst_weir_link_engine_longest_delay_locked (link) + settings->jitter_ns
            + settings->queue_time_ns;
  if (settings->reorder > 0.0)
    stay_ns += settings->reorder_delay_ns;
  g_mutex_unlock (&link->lock);
  return stay_ns;
}

static gboolean
query_latency (GstWeirLink *link, GstWeirLinkPair *pair, GstQuery *query)
{
  GstClockTime min, max, stay_ns = longest_stay_ns (link);

  if (!gst_pad_peer_query (pair->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, NULL, &min, &max);
  min += stay_ns;
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += stay_ns;
  gst_query_set_latency (query, TRUE, min, max);
  return TRUE;
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstWeirLink *link = GST_WEIR_LINK (parent);
  GstWeirLinkPair *pair;
  gboolean done;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  pair = get_pair (link, pad);
  if (pair == NULL)
    return FALSE;
  done = query_latency (link, pair, query);
  pair_unref (pair);
  return done;
}

static GstIterator *
iterate_links (GstPad *pad, GstObject *parent)
{
  GstWeirLinkPair *pair = get_pair (GST_WEIR_LINK (parent), pad);
  GstPad *other;
  GstIterator *iterator;
  GValue value = G_VALUE_INIT;

  if (pair == NULL)
    return NULL;
  other = pad == pair->sinkpad ? pair->srcpad : pair->sinkpad;
  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, other);
  iterator = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  pair_unref (pair);
  return iterator;
}

/* --- life ------------------------------------------------------------------------------------ */

/* The parent is NULL while a pad is made for a running element: the pad's private pointer is the
 * link, until the pad is released. */
static gboolean
src_activate_mode (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstPadMode mode, gboolean active)
{
  GstWeirLink *link = gst_pad_get_element_private (pad);
  GstWeirLinkPair *pair;
  gboolean done = TRUE;

  if (mode != GST_PAD_MODE_PUSH || link == NULL)
    return FALSE;
  pair = get_pair (link, pad);
  if (pair == NULL)
    return !active;
  set_flushing (link, pair, !active);
  if (active) {
    start_task (pair);
  } else {
    done = gst_pad_stop_task (pad);
    g_mutex_lock (&link->lock);
    gst_weir_link_order_flush_locked (pair, FALSE);
    gst_weir_link_engine_kick_locked (link); /* others may have waited for this pad's task */
    g_mutex_unlock (&link->lock);
  }
  pair_unref (pair);
  return done;
}

static GstPad *
make_pad (GstWeirLinkPair *pair, GstStaticPadTemplate *templ, const gchar *format)
{
  gchar *name = g_strdup_printf (format, pair->id);
  GstPad *pad = gst_pad_new_from_static_template (templ, name);

  g_free (name);
  gst_pad_set_element_private (pad, pair->link);
  gst_pad_set_iterate_internal_links_function (pad, iterate_links);
  GST_PAD_SET_PROXY_CAPS (pad);
  GST_PAD_SET_PROXY_ALLOCATION (pad);
  return gst_object_ref_sink (pad);
}

static void
make_pads (GstWeirLinkPair *pair)
{
  pair->sinkpad = make_pad (pair, &gst_weir_link_sink_template, "sink_%u");
  gst_pad_set_chain_function (pair->sinkpad, sink_chain);
  gst_pad_set_chain_list_function (pair->sinkpad, sink_chain_list);
  gst_pad_set_event_function (pair->sinkpad, sink_event);
  pair->srcpad = make_pad (pair, &gst_weir_link_src_template, "src_%u");
  gst_pad_set_activatemode_function (pair->srcpad, src_activate_mode);
  gst_pad_set_query_function (pair->srcpad, src_query);
}

/* The number in "sink_7" or "src_7", or the next one free when no number was asked for. */
static gboolean
choose_id (GstWeirLink *link, const gchar *name, guint *id)
{
  const gchar *number = name != NULL ? strrchr (name, '_') : NULL;
  guint64 asked;

  if (number == NULL) {
    *id = link->next_id;
  } else {
    if (!g_ascii_string_to_unsigned (number + 1, 10, 0, G_MAXINT32, &asked, NULL))
      return FALSE;
    *id = (guint) asked;
  }
  for (GList *l = link->pairs; l != NULL; l = l->next)
    if (((GstWeirLinkPair *) l->data)->id == *id)
      return FALSE;
  link->next_id = MAX (link->next_id, *id + 1);
  return TRUE;
}

/* A pair is added as a whole; the pad of the wanted direction is the answer. */
GstPad *
gst_weir_link_request_pad (GstElement *element, GstPadTemplate *templ, const gchar *name,
                           G_GNUC_UNUSED const GstCaps *caps)
{
  GstWeirLink *link = GST_WEIR_LINK (element);
  GstWeirLinkPair *pair;
  guint id;

  g_mutex_lock (&link->lock);
  if (!choose_id (link, name, &id)) {
    g_mutex_unlock (&link->lock);
    GST_WARNING_OBJECT (link, "no pad %s: the name is taken or has no number", name);
    return NULL;
  }
  pair = pair_new (link, id);
  make_pads (pair);
  link->pairs = g_list_append (link->pairs, pair);
  gst_weir_link_engine_add_pair_locked (link, pair);
  g_mutex_unlock (&link->lock);

  if (GST_STATE_TARGET (element) > GST_STATE_READY) {
    gst_pad_set_active (pair->srcpad, TRUE);
    gst_pad_set_active (pair->sinkpad, TRUE);
  }
  gst_element_add_pad (element, pair->srcpad);
  gst_element_add_pad (element, pair->sinkpad);
  return GST_PAD_TEMPLATE_DIRECTION (templ) == GST_PAD_SINK ? pair->sinkpad : pair->srcpad;
}

static void
release_pair (GstWeirLink *link, GstWeirLinkPair *pair)
{
  gst_pad_set_active (pair->sinkpad, FALSE);
  gst_pad_set_active (pair->srcpad, FALSE);
  g_mutex_lock (&link->lock);
  link->pairs = g_list_remove (link->pairs, pair);
  gst_weir_link_engine_remove_pair_locked (link, pair);
  g_mutex_unlock (&link->lock);
  gst_pad_set_element_private (pair->sinkpad, NULL);
  gst_pad_set_element_private (pair->srcpad, NULL);
  gst_element_remove_pad (GST_ELEMENT_CAST (link), pair->sinkpad);
  gst_element_remove_pad (GST_ELEMENT_CAST (link), pair->srcpad);
  pair_unref (pair); /* the link's */
}

/* Releasing either pad removes both. */
void
gst_weir_link_release_pad (GstElement *element, GstPad *pad)
{
  GstWeirLink *link = GST_WEIR_LINK (element);
  GstWeirLinkPair *pair = get_pair (link, pad);

  if (pair == NULL)
    return; /* went with the other pad of the pair */
  release_pair (link, pair);
  pair_unref (pair);
}

void
gst_weir_link_release_all (GstWeirLink *link)
{
  while (link->pairs != NULL)
    release_pair (link, link->pairs->data);
}
