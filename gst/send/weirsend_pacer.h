/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The send queue, the task that paces what waits there, and the src pad where it leaves. */
#ifndef GST_WEIR_SEND_PACER_H
#define GST_WEIR_SEND_PACER_H

#include "weir/weir.h"
#include <gst/gst.h>

G_BEGIN_DECLS

/* What waits in the send queue: a buffer with what its header says, or an event. */
typedef struct _GstWeirSendItem GstWeirSendItem;
struct _GstWeirSendItem
{
  GstMiniObject *object; /* owned */
  struct weir_rtp_info info;
  guint32 rtp_bytes;
  guint32 flags;           /* enum weir_queue_flags */
  guint32 sent_flags;      /* enum weir_sent_flags */
  guint32 clock_rate_hz;   /* 0: not known */
  guint8 transport_seq_id; /* 0: an event, or no such extension */
  guint16 number;          /* written into it when it leaves ... */
  gboolean has_number;     /* ... if so */
  GstWeirSendItem *next;   /* in a list of items to free */
};

typedef struct
{
  GstPad *pad;
  struct weir_queue *queue; /* NULL below PAUSED */
  guint32 queue_packets;    /* of a source that waits; events need places too */
  GstWeirSendItem *spent;   /* dropped by the queue, to be freed without the lock */
  gboolean waits_for_room;
  gboolean flushing;
  GstFlowReturn last_flow;
  gboolean eos_in; /* an EOS event is in the queue or has passed */
  gboolean flow_error_posted;
  gint64 eos_deadline_ns; /* when what is still before an EOS is given up */
  guint16 transport_next; /* our own transport-wide number */
  gboolean has_transport_next;
  gboolean numbering;        /* we write it */
  guint64 repair_packets;    /* sent: retransmissions and FEC */
  guint64 discarded_packets; /* given up before an EOS, or behind a flow error */
} GstWeirPacer;

G_END_DECLS

#endif
