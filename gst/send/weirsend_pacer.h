/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The task that paces what waits in the send queue, and the src pad where it leaves. */
#ifndef GST_WEIR_SEND_PACER_H
#define GST_WEIR_SEND_PACER_H

#include "send/weirsend_fill.h"
#include "send/weirsend_queue.h"
#include "send/weirsend_sockets.h"

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
  /* Without a lock, after a plan with chores: these. */
  void (*act) (GstElement *element, GstWeirChores chores);
  /* Without a lock: the sockets do not send ECN-capable packets, although they said they can. */
  void (*on_ecn_refused) (GstElement *element);
  /* Without a lock: a probe wants this copy. Takes request. */
  void (*on_copy_wanted) (GstElement *element, GstEvent *request);
} GstWeirPacerEvents;

typedef struct
{
  GstPad *pad;         /* the element's */
  GstElement *element; /* not owned */
  GstWeirMember *member;
  GstWeirSendQueue *queue;
  const GstWeirPacerEvents *events;
  GstWeirSockets sockets; /* the task's */

  GMutex activation; /* held, before the session lock, while the task is started or may not be */
  guint n_pausing;   /* under it: threads that wait for the task to pause; it is not started then */

  /* The session lock protects all below. */
  /* The src pad is active, and the sink pad is not being deactivated; changes under both locks. */
  gboolean runs;
  gboolean renumbered;    /* an RTP session behind us writes its own transport-wide numbers */
  GstWeirFill fill;       /* of probes */
  guint64 repair_packets; /* sent in this run: retransmissions and FEC */
} GstWeirPacer;

/* Takes over the src pad. */
void gst_weir_pacer_init (GstWeirPacer *self, GstPad *pad, GstElement *element,
                          GstWeirMember *member, GstWeirSendQueue *queue,
                          const GstWeirPacerEvents *events);
void gst_weir_pacer_clear (GstWeirPacer *self);

/* They take the event. */
void gst_weir_pacer_flush_start (GstWeirPacer *self, GstEvent *event);
void gst_weir_pacer_flush_stop (GstWeirPacer *self, GstEvent *event);
/* The sink pad is being deactivated: ends all waits for room. */
void gst_weir_pacer_deactivate (GstWeirPacer *self);

#endif
