/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue: what has come in and waits to be paced, in its order, and who may add to it. */
#ifndef GST_WEIR_SEND_QUEUE_H
#define GST_WEIR_SEND_QUEUE_H

#include "send/weirsend_path.h"

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
  gint64 queued_ns;        /* the queue's: since when it waited */
  gboolean has_number;     /* the pacer's: written into it when it leaves */
  guint16 number;
  GstWeirItem *next;
};

/* The session lock protects it. */
typedef struct
{
  GstWeirMember *member; /* not owned */
  struct weir_queue_config config;
  struct weir_queue *queue; /* NULL below PAUSED */
  gboolean live;            /* upstream keeps its own pace: never wait for room */
  gboolean waits_for_room;
  gboolean flushing;  /* nothing is taken */
  GstFlowReturn flow; /* what downstream answered last */
  gboolean flow_error_told;
  gboolean eos_in;           /* an EOS event is in the queue or has passed */
  gint64 eos_deadline_ns;    /* when what is still before an EOS is given up */
  guint64 discarded_packets; /* given up before an EOS, or behind a flow error */
} GstWeirSendQueue;

/* It begins flushing. */
void gst_weir_send_queue_init (GstWeirSendQueue *self, GstWeirMember *member);

/* A run begins. FALSE: *why (free it) says what is wrong. */
gboolean gst_weir_send_queue_start_locked (GstWeirSendQueue *self, gchar **why);
void gst_weir_send_queue_stop (GstWeirSendQueue *self);

void gst_weir_send_queue_set_policy_locked (GstWeirSendQueue *self, enum weir_queue_policy policy,
                                            guint64 max_time_ns);

/* --- What comes in --- */

/* A new stream after EOS. */
void gst_weir_send_queue_begin_stream (GstWeirSendQueue *self);

/* What has become of a list of packets. */
typedef struct
{
  gint64 now_ns;
  guint64 media_bytes; /* that encoders made, and were taken in */
  gboolean need_key_frame;
  gboolean wake;    /* the pacing task has yet to look */
  gchar *complaint; /* or NULL; to be freed */
} GstWeirPushed;

/* Takes items, packets in their order; waits for room unless upstream is live. */
GstFlowReturn gst_weir_send_queue_push (GstWeirSendQueue *self, GstWeirItem *items,
                                        GstWeirPushed *pushed);
/* Takes a serialized event, which leaves in its order. */
gboolean gst_weir_send_queue_push_event (GstWeirSendQueue *self, GstEvent *event);

/* Whether an encoder shall leave out the frame that comes now; if so, it is counted. */
gboolean gst_weir_send_queue_skips_frame (GstWeirSendQueue *self);

/* --- What leaves --- */

/* When the first thing in the queue may leave; WEIR_NEVER_NS. */
gint64 gst_weir_send_queue_next_due_locked (const GstWeirSendQueue *self, gint64 now_ns);
/* The first thing, if it may leave now, and in one list with last (nullable); else NULL. What is
 * given up goes meanwhile. */
GstWeirItem *gst_weir_send_queue_take_locked (GstWeirSendQueue *self, gint64 now_ns,
                                              const GstWeirItem *last);
/* Downstream has answered. TRUE: the application has to hear of it, because upstream, after EOS,
 * will never ask. */
gboolean gst_weir_send_queue_set_flow_locked (GstWeirSendQueue *self, GstFlowReturn flow);
/* Ends all waits for room. */
void gst_weir_send_queue_set_flushing_locked (GstWeirSendQueue *self, gboolean flushing);
/* Puts aside what waits, if it runs; what downstream answered before counts no more. */
void gst_weir_send_queue_clear_locked (GstWeirSendQueue *self);

#endif
