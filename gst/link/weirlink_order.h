/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order in which things leave a pair of pads of weirlink.
 *
 * Packets leave as the path delivers them. A serialized event leaves when every packet that came
 * before it on its pad has been delivered, dropped or lost; a packet that the link reordered past
 * an event waits for the event. No lock: the owner's protects it, and the owner frees, without its
 * lock, what is put aside here. */
#ifndef GST_WEIR_LINK_ORDER_H
#define GST_WEIR_LINK_ORDER_H

#include <gst/base/gstqueuearray.h>
#include <gst/gst.h>

#include "sim/path/path.h"

/* What one pair of pads has seen; packets and their wire bytes. */
typedef struct
{
  guint64 offered_packets, offered_bytes;
  guint64 delivered_packets, delivered_bytes; /* copies of duplicated packets included */
  guint64 dropped_packets;                    /* by the queue */
  guint64 lost_packets;                       /* by the loss model */
  guint64 given_up_packets;                   /* before an EOS, in an outage */
} GstWeirLinkCounters;

/* Before when a packet cannot arrive. */
typedef struct
{
  gint64 sure_ns;    /* whatever happens */
  gint64 planned_ns; /* unless the capacity rises */
} GstWeirLinkEarliest;

/* What leaves next. */
typedef struct
{
  GstMiniObject *object; /* a buffer or an event, owned */
  gint64 at_ns;          /* arrival, time of the path; WEIR_UNKNOWN_NS for events */
} GstWeirLinkItem;

/* A packet or an event on its way. */
typedef struct _GstWeirLinkEntry GstWeirLinkEntry;

typedef struct
{
  void (*on_ready) (gpointer user); /* something may leave */
  gpointer user;
  GSList **spent;       /* GstMiniObject; the owner's */
  GQueue entries;       /* GstWeirLinkEntry in the order they came, until they have left */
  guint64 events_in;    /* events that came ... */
  guint64 events_out;   /* ... and left */
  guint64 eos_events;   /* how many have left when the last EOS has */
  gint64 progress_ns;   /* the last time that an EOS came or a packet was settled */
  GstQueueArray *ready; /* GstWeirLinkItem to push */
  GstWeirLinkCounters counters;
} GstWeirLinkOrder;

void gst_weir_link_order_init (GstWeirLinkOrder *self, void (*on_ready) (gpointer), gpointer user,
                               GSList **spent);
void gst_weir_link_order_clear (GstWeirLinkOrder *self);

/* A packet is offered to the path, with the entry as its token. The buffer is taken. */
GstWeirLinkEntry *gst_weir_link_order_add (GstWeirLinkOrder *self, GstBuffer *buffer,
                                           guint32 size_bytes, const GstWeirLinkEarliest *earliest);
/* The path did not take it. */
void gst_weir_link_order_refuse (GstWeirLinkEntry *entry);
/* What became of it. FALSE: nobody waits for it any more. */
gboolean gst_weir_link_order_settle (GstWeirLinkEntry *entry,
                                     const struct weir__path_outcome *outcome);

/* A serialized event comes in, behind the packets before it. The event is taken. */
void gst_weir_link_order_add_event (GstWeirLinkOrder *self, GstEvent *event, gint64 now_ns);
gboolean gst_weir_link_order_event_waits (const GstWeirLinkOrder *self);
gboolean gst_weir_link_order_eos_waits (const GstWeirLinkOrder *self);
/* The packets before the last EOS will not leave: lets what waits for them go. The path keeps their
 * place in its queue. Returns how many they are. */
guint64 gst_weir_link_order_give_up (GstWeirLinkOrder *self);

/* Forgets everything that is under way. Packets that the path still holds keep their place in its
 * queue, but nobody waits for them. */
void gst_weir_link_order_flush (GstWeirLinkOrder *self);

/* The next to leave. FALSE: none. */
gboolean gst_weir_link_order_take (GstWeirLinkOrder *self, GstWeirLinkItem *item);
gboolean gst_weir_link_order_is_ready (const GstWeirLinkOrder *self);
/* The earliest arrival of the oldest packet under way, NULL: there is none. */
const GstWeirLinkEarliest *gst_weir_link_order_earliest (const GstWeirLinkOrder *self);

#endif
