/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weirrecv: watches RTP on its way and answers with the feedback a congestion-controlled sender
 * needs.
 *
 * Threads: the streaming thread of the sink pad takes packets in, the one of rtcp_sink takes RTCP
 * in; the worker sends what is due, to the task of rtcp_src or through the RTP session behind the
 * src pad; that session's RTCP thread asks for the bytes.
 * Locks: each object below locks itself; the settings are under the element's object lock. None is
 * held while another object is called. */
#ifndef GST_WEIR_RECV_H
#define GST_WEIR_RECV_H

#include "common/rtcp_pads.h"
#include "common/worker.h"
#include "recv/weirrecv_reception.h"
#include "recv/weirrecv_rtp_session.h"

#define GST_TYPE_WEIR_RECV (gst_weir_recv_get_type ())
G_DECLARE_FINAL_TYPE (GstWeirRecv, gst_weir_recv, GST, WEIR_RECV, GstElement)

#define GST_TYPE_WEIR_RECV_FORMAT (gst_weir_recv_format_get_type ())
GType gst_weir_recv_format_get_type (void);

struct _GstWeirRecv
{
  GstElement parent;
  GstClock *clock; /* the system clock, as it was when the element was made */
  GstPad *sinkpad;
  GstPad *srcpad;

  GstWeirReception reception;
  GstWeirRecvSession session;
  GstWeirRtcpPads rtcp;

  /* weirrecv_feedback.c */
  GstWeirWorker worker;
  gint ended;           /* atomic: EOS came in */
  gint64 not_before_ns; /* of feedback; this and what follows: under the object lock */
  gint64 next_stats_ns; /* WEIR_NEVER_NS: none */

  /* The streaming thread's. */
  gboolean extmap_warned;
  GByteArray *scratch;

  /* Settings. */
  gint format;         /* enum weir_feedback_format */
  guint64 interval_ns; /* 0 = auto */
  guint64 stats_interval_ns;
  guint overhead_bytes;
  gboolean ecn_counts;
};

/* weirrecv_properties.c */
void gst_weir_recv_install_properties (GObjectClass *klass);

/* weirrecv_feedback.c: what is sent, and when. */
/* A turn of the worker. */
gint64 gst_weir_recv_do_what_is_due (gpointer recv);
/* The deadline may have moved. */
void gst_weir_recv_feedback_kick (GstWeirRecv *self);
void gst_weir_recv_feedback_set_ended (GstWeirRecv *self, gboolean ended);
void gst_weir_recv_feedback_set_format (GstWeirRecv *self);
void gst_weir_recv_feedback_set_stats_interval (GstWeirRecv *self);
/* As described in weirrecv.c. */
GstStructure *gst_weir_recv_make_stats (GstWeirRecv *self);

#endif
