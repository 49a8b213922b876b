/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link/weirlink_order.h"

#include "common/tos_meta.h"
#include "weir/units.h"

#define READY_AT_FIRST 64

struct _GstWeirLinkEntry
{
  GstWeirLinkOrder *order; /* NULL: flushed while the path still held the packet */
  GstBuffer *buffer;
  GstEvent *event;
  GList node; /* of the order's entries */
  guint64 events_before;
  GstWeirLinkEarliest earliest;
  guint32 size_bytes; /* on the wire */
  gboolean resolved;  /* the path has no more to say about the packet */
  GSList *held;       /* GstWeirLinkItem that arrived before an event they must follow */
};

void
gst_weir_link_order_init (GstWeirLinkOrder *self, void (*on_ready) (gpointer), gpointer user,
                          GSList **spent)
{
  *self = (GstWeirLinkOrder){
    .on_ready = on_ready, .user = user, .spent = spent, .entries = G_QUEUE_INIT
  };
  self->ready = gst_queue_array_new_for_struct (sizeof (GstWeirLinkItem), READY_AT_FIRST);
}

void
gst_weir_link_order_clear (GstWeirLinkOrder *self)
{
  gst_queue_array_free (self->ready);
}

/* Takes object (nullable). */
static void
put_aside (GstWeirLinkOrder *self, gpointer object)
{
  if (object != NULL) {
    *self->spent = g_slist_prepend (*self->spent, object);
  }
}

/* --- What may leave --- */

static void
make_ready (GstWeirLinkOrder *self, GstMiniObject *object, gint64 at_ns)
{
  GstWeirLinkItem item = { object, at_ns };
  gst_queue_array_push_tail_struct (self->ready, &item);
  self->on_ready (self->user);
}

gboolean
gst_weir_link_order_is_ready (const GstWeirLinkOrder *self)
{
  return !gst_queue_array_is_empty (self->ready);
}

gboolean
gst_weir_link_order_take (GstWeirLinkOrder *self, GstWeirLinkItem *item)
{
  const GstWeirLinkItem *first = gst_queue_array_pop_head_struct (self->ready);
  if (first != NULL) {
    *item = *first;
  }
  return first != NULL;
}

static void
release_held (GstWeirLinkOrder *self, GstWeirLinkEntry *entry)
{
  entry->held = g_slist_reverse (entry->held);
  for (GSList *l = entry->held; l != NULL; l = l->next) {
    GstWeirLinkItem *item = l->data;
    make_ready (self, item->object, item->at_ns);
    g_free (item);
  }
  g_clear_pointer (&entry->held, g_slist_free);
}

static void
drop_packets (GstWeirLinkOrder *self, GstWeirLinkEntry *entry)
{
  put_aside (self, g_steal_pointer (&entry->buffer));
  for (GSList *l = entry->held; l != NULL; l = l->next) {
    put_aside (self, ((GstWeirLinkItem *) l->data)->object);
  }
  g_slist_free_full (g_steal_pointer (&entry->held), g_free);
}

static GstWeirLinkEntry *
link_entry (GstWeirLinkOrder *self)
{
  GstWeirLinkEntry *entry = g_new0 (GstWeirLinkEntry, 1);
  entry->order = self;
  entry->events_before = self->events_in;
  entry->node.data = entry;
  g_queue_push_tail_link (&self->entries, &entry->node);
  return entry;
}

static void
unlink_entry (GstWeirLinkOrder *self, GstWeirLinkEntry *entry)
{
  g_queue_unlink (&self->entries, &entry->node);
  entry->order = NULL;
}

/* An event has left: what arrived early and waited for it follows, up to the next event. */
static void
release_after_event (GstWeirLinkOrder *self)
{
  for (GList *l = self->entries.head; l != NULL; l = l->next) {
    GstWeirLinkEntry *entry = l->data;
    if (entry->event != NULL) {
      return;
    }
    release_held (self, entry);
  }
}

/* Takes from the front what is settled: packets the path has done with, events they held up. */
static void
release_front (GstWeirLinkOrder *self)
{
  GstWeirLinkEntry *entry;
  while ((entry = g_queue_peek_head (&self->entries)) != NULL) {
    if (entry->event == NULL && !entry->resolved) {
      return;
    }
    unlink_entry (self, entry);
    if (entry->event != NULL) {
      make_ready (self, GST_MINI_OBJECT (g_steal_pointer (&entry->event)), WEIR_UNKNOWN_NS);
      self->events_out++;
      release_after_event (self);
    }
    drop_packets (self, entry);
    g_free (entry);
  }
}

/* --- Packets --- */

GstWeirLinkEntry *
gst_weir_link_order_add (GstWeirLinkOrder *self, GstBuffer *buffer, guint32 size_bytes,
                         const GstWeirLinkEarliest *earliest)
{
  GstWeirLinkEntry *entry = link_entry (self);
  entry->buffer = buffer;
  entry->size_bytes = size_bytes;
  entry->earliest = *earliest;
  return entry;
}

void
gst_weir_link_order_refuse (GstWeirLinkEntry *entry)
{
  GstWeirLinkOrder *self = entry->order;
  self->counters.dropped_packets++;
  entry->resolved = TRUE;
  release_front (self);
}

/* A copy with one bit flipped; which one, the path's random bits say. */
static GstBuffer *
copy_corrupt (GstBuffer *buffer, guint64 noise)
{
  GstBuffer *copy = gst_buffer_copy_deep (buffer);
  GstMapInfo map;
  if (gst_buffer_map (copy, &map, GST_MAP_READWRITE)) {
    if (map.size > 0) {
      map.data[(noise >> 3) % map.size] ^= (guint8) (1u << (noise & 7));
    }
    gst_buffer_unmap (copy, &map);
  }
  return copy;
}

static void
deliver (GstWeirLinkOrder *self, GstWeirLinkEntry *entry, const struct weir__path_outcome *outcome)
{
  GstBuffer *buffer
      = outcome->last ? g_steal_pointer (&entry->buffer) : gst_buffer_ref (entry->buffer);
  if (outcome->ecn != gst_weir_buffer_get_ecn (buffer)) {
    buffer = gst_weir_buffer_set_ecn (buffer, outcome->ecn);
  }
  if (outcome->corrupt) {
    GstBuffer *copy = copy_corrupt (buffer, outcome->noise);
    put_aside (self, buffer);
    buffer = copy;
  }
  self->counters.delivered_packets++;
  self->counters.delivered_bytes += entry->size_bytes;
  if (entry->events_before == self->events_out) {
    make_ready (self, GST_MINI_OBJECT (buffer), outcome->at_ns);
    return;
  }
  GstWeirLinkItem *item = g_new (GstWeirLinkItem, 1);
  *item = (GstWeirLinkItem){ GST_MINI_OBJECT (buffer), outcome->at_ns };
  entry->held = g_slist_prepend (entry->held, item);
}

gboolean
gst_weir_link_order_settle (GstWeirLinkEntry *entry, const struct weir__path_outcome *outcome)
{
  GstWeirLinkOrder *self = entry->order;
  if (self == NULL) {
    if (outcome->last) {
      g_free (entry); /* what was in it went with the flush */
    }
    return FALSE;
  }
  if (outcome->verdict == WEIR__PATH_DELIVERED) {
    deliver (self, entry, outcome);
  } else if (outcome->verdict == WEIR__PATH_DROPPED) {
    self->counters.dropped_packets++;
  } else if (outcome->verdict == WEIR__PATH_LOST) {
    self->counters.lost_packets++;
  }
  if (outcome->last) {
    entry->resolved = TRUE;
    self->progress_ns = outcome->at_ns;
    release_front (self);
  }
  return TRUE;
}

const GstWeirLinkEarliest *
gst_weir_link_order_earliest (const GstWeirLinkOrder *self)
{
  const GList *first = self->entries.head; /* never an event: those have left */
  return first != NULL ? &((const GstWeirLinkEntry *) first->data)->earliest : NULL;
}

/* --- Events --- */

void
gst_weir_link_order_add_event (GstWeirLinkOrder *self, GstEvent *event, gint64 now_ns)
{
  link_entry (self)->event = event;
  self->events_in++;
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    self->eos_events = self->events_in;
    self->progress_ns = now_ns;
  }
  release_front (self);
}

gboolean
gst_weir_link_order_event_waits (const GstWeirLinkOrder *self)
{
  return self->events_in != self->events_out;
}

gboolean
gst_weir_link_order_eos_waits (const GstWeirLinkOrder *self)
{
  return self->events_out < self->eos_events;
}

guint64
gst_weir_link_order_give_up (GstWeirLinkOrder *self)
{
  guint64 before = self->counters.given_up_packets;
  GstWeirLinkEntry *entry;
  while (gst_weir_link_order_eos_waits (self)
         && (entry = g_queue_peek_head (&self->entries)) != NULL) {
    unlink_entry (self, entry); /* a packet: events do not stay in front; the path frees it */
    put_aside (self, g_steal_pointer (&entry->buffer));
    self->counters.given_up_packets++;
    release_front (self);
  }
  return self->counters.given_up_packets - before;
}

void
gst_weir_link_order_flush (GstWeirLinkOrder *self)
{
  GstWeirLinkItem item;
  GstWeirLinkEntry *entry;
  while (gst_weir_link_order_take (self, &item)) {
    put_aside (self, item.object);
  }
  while ((entry = g_queue_peek_head (&self->entries)) != NULL) {
    unlink_entry (self, entry);
    put_aside (self, g_steal_pointer (&entry->event));
    gboolean inside = entry->buffer != NULL && !entry->resolved; /* the path still holds it */
    drop_packets (self, entry);
    if (!inside) {
      g_free (entry);
    }
  }
  self->events_out = self->events_in;
}
