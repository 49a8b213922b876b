/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order in which things leave a pair of pads of weirlink.
 *
 * Packets leave as the path delivers them. A serialized event leaves when every packet that came
 * before it on its pad has been delivered, dropped or lost; a packet that the link reordered past
 * an event waits for the event. */
#include "link/weirlink.h"

#include "weir/units.h"

/* A packet or an event on its way through one pair. */
typedef struct
{
  GstWeirLinkPair *pair; /* NULL: flushed or released while the path still held the packet */
  GstBuffer *buffer;
  GstEvent *event;
  GList node; /* of pair->entries */
  guint64 events_before;
  GstWeirLinkEarliest earliest;
  guint32 size_bytes; /* on the wire */
  gboolean resolved;  /* the path has no more to say about the packet */
  GSList *held;       /* GstWeirLinkItem that arrived before an event they must follow */
} Entry;

/* Gives an item to the task of its pair, and wakes it. */
static void
make_ready (GstWeirLinkPair *pair, GstMiniObject *object, gint64 at_ns)
{
  GstWeirLinkItem item = { object, at_ns };
  GstWeirLink *link = pair->link;

  gst_queue_array_push_tail_struct (pair->ready, &item);
  g_cond_signal (&pair->wake);
  if (link->leader == pair && link->wait_id != NULL)
    gst_clock_id_unschedule (link->wait_id);
}

static void
release_held (GstWeirLinkPair *pair, Entry *entry)
{
  entry->held = g_slist_reverse (entry->held);
  for (GSList *l = entry->held; l != NULL; l = l->next) {
    GstWeirLinkItem *item = l->data;
    make_ready (pair, item->object, item->at_ns);
    g_free (item);
  }
  g_clear_pointer (&entry->held, g_slist_free);
}

static void
free_held (gpointer data)
{
  GstWeirLinkItem *item = data;

  gst_mini_object_unref (item->object);
  g_free (item);
}

static void
free_entry (Entry *entry)
{
  gst_clear_buffer (&entry->buffer);
  gst_clear_event (&entry->event);
  g_slist_free_full (entry->held, free_held);
  g_free (entry);
}

static void
unlink_entry (GstWeirLinkPair *pair, Entry *entry)
{
  g_queue_unlink (&pair->entries, &entry->node);
  entry->pair = NULL;
}

/* An event has left: what arrived early and waited for it follows, up to the next event. */
static void
release_after_event (GstWeirLinkPair *pair)
{
  for (GList *l = pair->entries.head; l != NULL; l = l->next) {
    Entry *entry = l->data;
    if (entry->event != NULL)
      return;
    release_held (pair, entry);
  }
}

/* Takes from the front what is settled: packets the path has done with, events they held up. */
static void
release_front (GstWeirLinkPair *pair)
{
  Entry *entry;

  while ((entry = g_queue_peek_head (&pair->entries)) != NULL) {
    if (entry->event == NULL && !entry->resolved)
      return;
    unlink_entry (pair, entry);
    if (entry->event != NULL) {
      make_ready (pair, GST_MINI_OBJECT (g_steal_pointer (&entry->event)), WEIR_UNKNOWN_NS);
      pair->events_out++;
      release_after_event (pair);
    }
    free_entry (entry);
  }
}

/* A copy with one bit flipped; which one, the path's random bits say. */
static GstBuffer *
copy_corrupt (GstBuffer *buffer, guint64 noise)
{
  GstBuffer *copy = gst_buffer_copy_deep (buffer);
  GstMapInfo map;

  if (gst_buffer_map (copy, &map, GST_MAP_READWRITE)) {
    if (map.size > 0)
      map.data[(noise >> 3) % map.size] ^= (guint8) (1u << (noise & 7));
    gst_buffer_unmap (copy, &map);
  }
  return copy;
}

static void
deliver (GstWeirLinkPair *pair, Entry *entry, const struct weir__path_outcome *outcome)
{
  GstBuffer *buffer = outcome->corrupt ? copy_corrupt (entry->buffer, outcome->noise)
                                       : gst_buffer_ref (entry->buffer);

  if (outcome->last)
    gst_clear_buffer (&entry->buffer); /* the copy pushed is then the only one */
  pair->link->delivered_ns = pair->link->ran_ns;
  pair->counters.delivered_packets++;
  pair->counters.delivered_bytes += entry->size_bytes;
  if (entry->events_before == pair->events_out) {
    make_ready (pair, GST_MINI_OBJECT (buffer), outcome->at_ns);
    return;
  }
  GstWeirLinkItem *item = g_new (GstWeirLinkItem, 1);
  item->object = GST_MINI_OBJECT (buffer);
  item->at_ns = outcome->at_ns;
  entry->held = g_slist_prepend (entry->held, item);
}

/* Called by the path, inside offer, run_until and destroy; the lock is held. user: the link. */
void
gst_weir_link_order_on_outcome (void *user, const struct weir__path_outcome *outcome)
{
  GstWeirLink *link = user;
  Entry *entry = (Entry *) (guintptr) outcome->token;
  GstWeirLinkPair *pair = entry->pair;

  if (outcome->last)
    link->n_inside--;
  if (pair == NULL) {
    if (outcome->last)
      free_entry (entry);
    return;
  }
  if (outcome->verdict == WEIR__PATH_DELIVERED)
    deliver (pair, entry, outcome);
  else if (outcome->verdict == WEIR__PATH_DROPPED)
    pair->counters.dropped_packets++;
  else if (outcome->verdict == WEIR__PATH_LOST)
    pair->counters.lost_packets++;
  if (outcome->last) {
    entry->resolved = TRUE;
    pair->progress_ns = outcome->at_ns;
    release_front (pair);
  }
}

/* Lets a packet in. The buffer is taken. FALSE when it is larger than a path carries. */
gboolean
gst_weir_link_order_offer_locked (GstWeirLink *link, GstWeirLinkPair *pair, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer) + pair->overhead_bytes;
  Entry *entry;
  enum weir_status status;

  pair->counters.offered_packets++;
  pair->counters.offered_bytes += size;
  if (size > WEIR__PATH_MAX_PACKET_BYTES || !pair->has_flow) {
    pair->counters.dropped_packets++;
    gst_buffer_unref (buffer);
    return FALSE;
  }
  entry = g_new0 (Entry, 1);
  entry->pair = pair;
  entry->buffer = buffer;
  entry->size_bytes = (guint32) size;
  entry->events_before = pair->events_in;
  gst_weir_link_engine_predict_locked (link, (gint64) size, &entry->earliest);
  entry->node.data = entry;
  g_queue_push_tail_link (&pair->entries, &entry->node);
  link->n_inside++;
  /* A packet without content still takes its place on the wire. */
  status = weir__path_offer (link->path, link->ran_ns, pair->flow, (gint64) MAX (size, 1),
                             (guint64) (guintptr) entry);
  if (status != WEIR_OK) {
    link->n_inside--;
    pair->counters.dropped_packets++;
    entry->resolved = TRUE;
    release_front (pair);
  }
  gst_weir_link_engine_kick_locked (link);
  return TRUE;
}

/* Lets a serialized event in, behind the packets before it. The event is taken. */
void
gst_weir_link_order_event_locked (GstWeirLinkPair *pair, GstEvent *event)
{
  Entry *entry = g_new0 (Entry, 1);

  entry->pair = pair;
  entry->event = event;
  entry->events_before = pair->events_in++;
  entry->node.data = entry;
  g_queue_push_tail_link (&pair->entries, &entry->node);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    gst_weir_link_engine_advance_locked (pair->link);
    pair->eos_events = pair->events_in;
    pair->progress_ns = pair->link->ran_ns;
  }
  release_front (pair);
}

/* Does an EOS wait for packets? */
gboolean
gst_weir_link_order_eos_waits (const GstWeirLinkPair *pair)
{
  return pair->events_out < pair->eos_events;
}

/* The packets before the last EOS will not leave: lets what waits for them go. The path keeps their
 * place in its queue. */
void
gst_weir_link_order_give_up_locked (GstWeirLinkPair *pair)
{
  Entry *entry;

  while (gst_weir_link_order_eos_waits (pair)
         && (entry = g_queue_peek_head (&pair->entries)) != NULL) {
    unlink_entry (pair, entry); /* a packet: events do not stay in front; the path frees it */
    gst_clear_buffer (&entry->buffer);
    pair->counters.given_up_packets++;
    pair->link->n_given_up++;
    release_front (pair);
  }
}

static void
drop_event (GstWeirLinkPair *pair, GstEvent *event, gboolean keep_sticky)
{
  GstEventType type = GST_EVENT_TYPE (event);

  if (keep_sticky && GST_EVENT_IS_STICKY (event) && type != GST_EVENT_SEGMENT
      && type != GST_EVENT_EOS)
    gst_pad_store_sticky_event (pair->srcpad, event);
  gst_event_unref (event);
}

/* Forgets everything that is under way on the pair. Packets that the path still holds keep their
 * place in its queue, but nobody waits for them. keep_sticky: events that stick to a pad, other
 * than SEGMENT and EOS, are stored on the src pad. */
void
gst_weir_link_order_flush_locked (GstWeirLinkPair *pair, gboolean keep_sticky)
{
  GstWeirLinkItem *item;
  Entry *entry;

  while ((item = gst_queue_array_pop_head_struct (pair->ready)) != NULL) {
    if (GST_IS_EVENT (item->object))
      drop_event (pair, GST_EVENT_CAST (item->object), keep_sticky);
    else
      gst_mini_object_unref (item->object);
  }
  while ((entry = g_queue_peek_head (&pair->entries)) != NULL) {
    unlink_entry (pair, entry);
    if (entry->event != NULL)
      drop_event (pair, g_steal_pointer (&entry->event), keep_sticky);
    if (entry->buffer == NULL || entry->resolved) {
      free_entry (entry);
    } else {
      gst_clear_buffer (&entry->buffer);
      g_slist_free_full (g_steal_pointer (&entry->held), free_held);
    }
  }
  pair->events_out = pair->events_in;
}

/* The earliest arrival of the oldest packet under way, NULL: there is none. */
const GstWeirLinkEarliest *
gst_weir_link_order_earliest (const GstWeirLinkPair *pair)
{
  const GList *first = pair->entries.head; /* never an event: those have left */

  return first != NULL ? &((const Entry *) first->data)->earliest : NULL;
}

/* Does an event wait for packets? */
gboolean
gst_weir_link_order_event_waits (const GstWeirLinkPair *pair)
{
  return pair->events_in != pair->events_out;
}
