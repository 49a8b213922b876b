/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine of weirlink: runs the emulated path (sim/path/path.h) in real time, for the pairs of
 * pads that share it.
 *
 * Each pair has a thread that takes what has arrived for it. One of those that have nothing to
 * take, the leader, also waits on the clock for the next event of the path; when it finds something
 * it lets another one lead, so that a pair that is held up holds up itself only. */
#ifndef GST_WEIR_LINK_ENGINE_H
#define GST_WEIR_LINK_ENGINE_H

#include "common/waiter.h"
#include "link/weirlink_log.h"
#include "link/weirlink_order.h"
#include "link/weirlink_settings.h"

typedef struct _GstWeirLinkEngine GstWeirLinkEngine;

/* One pair's way through the path; protected by the engine's lock. */
typedef struct
{
  GstWeirLinkEngine *engine;
  GstWeirLinkOrder order;
  GCond wake;
  gboolean waiting; /* the thread sleeps on the condition */
  gboolean flushing;
  guint32 number; /* of the path's flow */
  gboolean has_number;
} GstWeirLinkFlow;

struct _GstWeirLinkEngine
{
  GstElement *element;                 /* not owned: it posts statistics */
  GstClock *clock;                     /* not owned */
  const GstWeirLinkSettings *settings; /* the element's */

  GMutex lock; /* protects all below, and the settings; only that of the clock is taken under it */
  struct weir__path *path;   /* between start and stop */
  GstClockTime origin;       /* clock time of the path's 0 */
  gint64 ran_ns;             /* how far the path was run */
  gint64 delivered_ns;       /* when packets were last found to have arrived */
  guint64 n_given_up;        /* packets before an EOS, in an outage */
  GList *flows;              /* GstWeirLinkFlow, in the order they were added; not owned */
  GArray *free_numbers;      /* of flows that were removed */
  gboolean crossed;          /* there is cross traffic */
  GstWeirLinkFlow *leader;   /* whose thread waits on the clock, or does what is due now */
  GstWeirWaiter waiter;      /* the leader's */
  guint64 stats_interval_ns; /* a setting; 0: none */
  gint64 next_stats_ns;      /* WEIR_NEVER_NS: none */
  gint64 next_log_ns;
  GSList *spent;       /* GstMiniObject, to be freed without the lock */
  GstWeirLinkLog *log; /* written by the leader alone; owned from start to stop */
};

void gst_weir_link_engine_init (GstWeirLinkEngine *self, GstElement *element, GstClock *clock,
                                const GstWeirLinkSettings *settings);
void gst_weir_link_engine_clear (GstWeirLinkEngine *self);

/* Unlocking frees what became superfluous meanwhile: that may run foreign code. */
void gst_weir_link_engine_lock (GstWeirLinkEngine *self);
void gst_weir_link_engine_unlock (GstWeirLinkEngine *self);

/* Makes the path; its time 0 is now. log (nullable) is taken in any case. */
gboolean gst_weir_link_engine_start (GstWeirLinkEngine *self, GstWeirLinkLog *log, gchar *why,
                                     gsize n_why);
/* Ends the path; no pair's thread runs by now, and what is inside is gone. */
void gst_weir_link_engine_stop (GstWeirLinkEngine *self);

/* A setting may have changed: applies it to the path, if one runs. */
void gst_weir_link_engine_update (GstWeirLinkEngine *self,
                                  void (*apply) (const GstWeirLinkSettings *, struct weir__path *));
/* stats_interval_ns may have changed. */
void gst_weir_link_engine_update_stats (GstWeirLinkEngine *self);
/* The longest a packet can take through the link, apart from an outage. */
GstClockTime gst_weir_link_engine_longest_stay_ns (GstWeirLinkEngine *self);
/* weir-stats of all pairs together, as weirlink describes them. */
GstStructure *gst_weir_link_engine_make_stats (GstWeirLinkEngine *self);

/* A flow begins flushing. */
void gst_weir_link_flow_init (GstWeirLinkFlow *flow, GstWeirLinkEngine *engine);
void gst_weir_link_flow_clear (GstWeirLinkFlow *flow);
void gst_weir_link_flow_add_locked (GstWeirLinkFlow *flow);
void gst_weir_link_flow_remove_locked (GstWeirLinkFlow *flow);
void gst_weir_link_flow_set_flushing (GstWeirLinkFlow *flow, gboolean flushing);
/* Forgets everything that is under way; keep (nullable) gets the events that stick to a pad. */
void gst_weir_link_flow_flush (GstWeirLinkFlow *flow, GstPad *keep);
/* Lets a packet in (taken). FALSE when it is larger than a path carries. */
gboolean gst_weir_link_flow_offer_locked (GstWeirLinkFlow *flow, GstBuffer *buffer,
                                          guint overhead_bytes);
/* Lets a serialized event in (taken). FALSE: flushing. */
gboolean gst_weir_link_flow_offer_event (GstWeirLinkFlow *flow, GstEvent *event);
/* Waits for something to leave, leading meanwhile when nobody else does. FALSE: flushing. */
gboolean gst_weir_link_flow_take (GstWeirLinkFlow *flow, GstWeirLinkItem *item);

#endif
