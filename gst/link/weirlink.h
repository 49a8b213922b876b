/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weirlink: pairs of pads (sink_%u, src_%u) through one emulated bottleneck, in real time.
 *
 * Threads: upstream's threads offer packets to the path in chain; each src pad has a task that
 * pushes what has arrived on that pad. One of the tasks that have nothing to push, the leader,
 * also waits on the clock for the next event of the path; when it finds something to push it lets
 * another one lead, so that a sink that blocks holds up its own pad only.
 * Locks: GstWeirLink.lock guards everything below "lock"; it is never held while pushing, posting
 * or writing the log. No other lock is taken under it but those of the clock. */
#ifndef GST_WEIR_LINK_H
#define GST_WEIR_LINK_H

#include <gst/base/gstqueuearray.h>
#include <gst/gst.h>

#include "link/weirlink_log.h"
#include "sim/path/path.h"

G_BEGIN_DECLS

#define GST_TYPE_WEIR_LINK (gst_weir_link_get_type ())
G_DECLARE_FINAL_TYPE (GstWeirLink, gst_weir_link, GST, WEIR_LINK, GstElement)

#define GST_TYPE_WEIR_LINK_DISCIPLINE (gst_weir_link_discipline_get_type ())
GType gst_weir_link_discipline_get_type (void);

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

/* What the task of a src pad pushes next. */
typedef struct
{
  GstMiniObject *object; /* a buffer or an event, owned */
  gint64 at_ns;          /* arrival, time of the path; WEIR_UNKNOWN_NS for events */
} GstWeirLinkItem;

/* One pair of pads. Fields after "lock" are guarded by the lock of the link. */
typedef struct
{
  gatomicrefcount refs;
  GstWeirLink *link; /* not owned: valid while a pad of the pair has its parent */
  guint id;
  GstPad *sinkpad;
  GstPad *srcpad;
  GstSegment segment; /* of what leaves; used by the task alone */

  /* lock */
  GCond wake;
  guint32 flow;
  gboolean has_flow;
  gboolean flushing;    /* or inactive */
  gboolean waiting;     /* the task sleeps on the condition */
  GQueue entries;       /* GstWeirLinkEntry in the order they came, until they have left */
  guint64 events_in;    /* events that came ... */
  guint64 events_out;   /* ... and left */
  guint64 eos_events;   /* how many have left when the last EOS has */
  gint64 progress_ns;   /* the last time that an EOS came or a packet was settled */
  GstQueueArray *ready; /* GstWeirLinkItem to push */
  GstFlowReturn result; /* of the last push */
  guint overhead_bytes; /* per packet, by the caps that came */
  gboolean rtp;         /* RTP or RTCP caps came last */
  GstWeirLinkCounters counters;
} GstWeirLinkPair;

/* What the texts and numbers of the properties say; copied into the path when it is made. */
typedef struct
{
  guint64 capacity_bps;
  gchar *trace_location;
  gchar *schedule;
  guint64 delay_ns;
  gchar *delay_schedule;
  guint64 jitter_ns;
  guint queue_packets;
  guint64 queue_bytes;
  guint64 queue_time_ns;
  gint discipline;
  guint64 policer_bps; /* 0: none */
  guint64 policer_bytes;
  guint64 shaper_bps; /* 0: none */
  guint64 shaper_bytes;
  guint aggregate_packets; /* 0: no aggregates */
  guint64 aggregate_time_ns;
  guint64 access_time_ns;
  gdouble loss;
  gdouble loss_burst;
  gdouble duplicate;
  gdouble reorder;
  guint64 reorder_delay_ns;
  gdouble corrupt;
  guint64 seed;
  gchar *cross_traffic;
} GstWeirLinkSettings;

struct _GstWeirLink
{
  GstElement parent;
  GstClock *clock; /* the system clock, as it was when the element was made */

  GMutex lock;
  GstWeirLinkSettings settings;
  guint overhead_bytes;
  gboolean arrival_time;
  guint64 stats_interval_ns;
  gchar *log_location;

  struct weir__path *path; /* from PAUSED on */
  GstClockTime origin;     /* clock time of the path's 0 */
  gboolean playing;
  gint64 ran_ns;       /* how far the path was run */
  gint64 delivered_ns; /* when packets were last found to have arrived */
  guint64 n_inside;    /* packets of ours that the path holds */
  guint64 n_given_up;  /* packets before an EOS, in an outage */
  gboolean crossed;    /* there is cross traffic */
  GList *pairs;        /* GstWeirLinkPair, owned */
  guint next_id;
  GArray *free_flows;      /* flow numbers of pairs that were released */
  GstWeirLinkPair *leader; /* whose task waits on the clock, or does what is due now */
  GstClockID wait_id;      /* what it waits for; NULL while it does what is due */
  gint64 wait_until_ns;
  gint64 next_stats_ns; /* WEIR_NEVER_NS: none */
  gint64 next_log_ns;
  GstWeirLinkLog *log; /* written by the leader alone */
  gboolean size_warned;
};

/* weirlink.c */
GstStructure *gst_weir_link_make_stats (GstWeirLink *link);
GstStructure *gst_weir_link_make_summary (GstWeirLink *link);

/* weirlink_engine.c: the path and the clock. Those named _locked are called with the lock held. */
gboolean gst_weir_link_engine_check (const GstWeirLinkSettings *settings, gchar *why, gsize n_why);
gboolean gst_weir_link_engine_start (GstWeirLink *link, gchar *why, gsize n_why);
void gst_weir_link_engine_stop (GstWeirLink *link);
void gst_weir_link_engine_advance_locked (GstWeirLink *link);
void gst_weir_link_engine_apply_locked (GstWeirLink *link);
void gst_weir_link_engine_kick_locked (GstWeirLink *link);
void gst_weir_link_engine_add_pair_locked (GstWeirLink *link, GstWeirLinkPair *pair);
void gst_weir_link_engine_remove_pair_locked (GstWeirLink *link, GstWeirLinkPair *pair);
void gst_weir_link_engine_task (gpointer pair);
gint64 gst_weir_link_engine_now_ns (GstWeirLink *link);
gint64 gst_weir_link_engine_longest_delay_locked (const GstWeirLink *link);
void gst_weir_link_engine_predict_locked (GstWeirLink *link, gint64 size_bytes,
                                          GstWeirLinkEarliest *earliest);

/* weirlink_order.c: packets and events of a pair, in order. All with the lock held. */
gboolean gst_weir_link_order_offer_locked (GstWeirLink *link, GstWeirLinkPair *pair,
                                           GstBuffer *buffer);
void gst_weir_link_order_event_locked (GstWeirLinkPair *pair, GstEvent *event);
void gst_weir_link_order_flush_locked (GstWeirLinkPair *pair, gboolean keep_sticky);
void gst_weir_link_order_on_outcome (void *user, const struct weir__path_outcome *outcome);
const GstWeirLinkEarliest *gst_weir_link_order_earliest (const GstWeirLinkPair *pair);
gboolean gst_weir_link_order_event_waits (const GstWeirLinkPair *pair);
gboolean gst_weir_link_order_eos_waits (const GstWeirLinkPair *pair);
void gst_weir_link_order_give_up_locked (GstWeirLinkPair *pair);

/* weirlink_pads.c: the pairs and their pads. */
extern GstStaticPadTemplate gst_weir_link_sink_template;
extern GstStaticPadTemplate gst_weir_link_src_template;
GstPad *gst_weir_link_request_pad (GstElement *element, GstPadTemplate *templ, const gchar *name,
                                   const GstCaps *caps);
void gst_weir_link_release_pad (GstElement *element, GstPad *pad);
void gst_weir_link_release_all (GstWeirLink *link);

GST_ELEMENT_REGISTER_DECLARE (weirlink);

G_END_DECLS

#endif
