/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue, the task that paces what waits there, and the src pad where it leaves. */
#ifndef GST_WEIR_SEND_PACER_H
#define GST_WEIR_SEND_PACER_H

#include "send/weirsend_path.h"

G_BEGIN_DECLS

/* A packet with what its header and its stream say, or a serialized event. */
typedef struct _GstWeirItem GstWeirItem;
struct _GstWeirItem
{
  GstMiniObject *object; /* owned */
  struct weir_rtp_info info;
  guint32 rtp_bytes;
  guint32 flags;           /* enum weir_queue_flags */
  guint32 clock_rate_hz;   /* 0: not known */
  guint8 transport_seq_id; /* 0: an event, or no such extension */
  gboolean new_stream;     /* the packet before was of another SSRC */
  gboolean has_number;     /* written into it when it leaves */
  guint16 number;
  GstWeirItem *next;
};

/* What there is to do besides packets. */
typedef enum
{
  GST_WEIR_CHORES_NONE,
  GST_WEIR_CHORES_SOME,
  GST_WEIR_CHORES_BEFORE_PACKETS
} GstWeirChores;

/* What else the pacing task does. */
typedef struct
{
  /* Session lock held. packets_wait: in the queue. */
  GstWeirChores (*plan_locked) (GstElement *element, gint64 now_ns, gboolean packets_wait);
  /* Packets, or an EOS, are about to leave. */
  void (*on_leaving_locked) (GstElement *element, gint64 now_ns, guint n_packets, gboolean eos);
  /* Without a lock, after a plan with chores. */
  void (*act) (GstElement *element);
} GstWeirPacerEvents;

typedef struct
{
  GstPad *pad;         /* the element's */
  GstElement *element; /* not owned */
  GstWeirMember *member;
  const GstWeirPacerEvents *events;

  GMutex activation; /* held, before the session lock, while the task is started or may not be */
  guint n_pausing;   /* under it: threads that wait for the task to pause; it is not started then */

  /* The session lock protects all below. */
  struct weir_queue_config config;
  struct weir_queue *queue; /* NULL below PAUSED */
  gboolean live;            /* upstream keeps its own pace: never wait for room */
  gboolean waits_for_room;
  gboolean runs; /* the src pad is active, and the sink pad is not being deactivated */
  gboolean flushing;
  GstFlowReturn last_flow;
  gboolean eos_in; /* an EOS event is in the queue or has passed */
  gboolean flow_error_posted;
  gint64 eos_deadline_ns;    /* when what is still before an EOS is given up */
  gboolean renumbered;       /* an RTP session behind us writes its own transport-wide numbers */
  guint64 repair_packets;    /* sent: retransmissions and FEC */
  guint64 discarded_packets; /* given up before an EOS, or behind a flow error */
} GstWeirPacer;

/* Takes over the src pad. */
void gst_weir_pacer_init (GstWeirPacer *self, GstPad *pad, GstElement *element,
                          GstWeirMember *member, const GstWeirPacerEvents *events);

void gst_weir_pacer_clear (GstWeirPacer *self);

/* A run begins: before the pads are activated. FALSE: *why (free it) says what is wrong. */
gboolean gst_weir_pacer_start_locked (GstWeirPacer *self, gchar **why);
/* After they were deactivated. */
void gst_weir_pacer_stop (GstWeirPacer *self);

void gst_weir_pacer_set_queue_locked (GstWeirPacer *self, enum weir_queue_policy policy,
                                      guint64 max_time_ns);
void gst_weir_pacer_set_live (GstWeirPacer *self, gboolean live);
/* By an RTP session behind us. */
void gst_weir_pacer_set_renumbered_locked (GstWeirPacer *self, gboolean renumbered);

/* What has become of a list of packets. */
typedef struct
{
  gint64 now_ns;
  guint64 media_bytes; /* that encoders made, and were taken in */
  gboolean need_key_frame;
  gchar *complaint; /* or NULL; to be freed */
} GstWeirPushed;

/* Takes items, packets in their order; waits for room unless upstream is live. */
GstFlowReturn gst_weir_pacer_push (GstWeirPacer *self, GstWeirItem *items, GstWeirPushed *pushed);
/* Takes a serialized event, which leaves in its order. */
gboolean gst_weir_pacer_push_event (GstWeirPacer *self, GstEvent *event);
/* A new stream after EOS. */
void gst_weir_pacer_begin_stream (GstWeirPacer *self);
/* They take the event. */
void gst_weir_pacer_flush_start (GstWeirPacer *self, GstEvent *event);
void gst_weir_pacer_flush_stop (GstWeirPacer *self, GstEvent *event);
/* The sink pad is being deactivated: ends all waits for room. */
void gst_weir_pacer_deactivate (GstWeirPacer *self);

/* When the first thing in the queue may leave. */
gint64 gst_weir_pacer_next_due_locked (const GstWeirPacer *self, gint64 now_ns);
/* While it runs. */
void gst_weir_pacer_get_queue_stats_locked (const GstWeirPacer *self,
                                            struct weir_queue_stats *stats);

G_END_DECLS

#endif
