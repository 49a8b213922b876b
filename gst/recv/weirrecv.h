/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weirrecv: watches RTP on its way and answers with the feedback a congestion-controlled sender
 * needs.
 *
 * Threads: the streaming thread of the sink pad takes packets in, the one of rtcp_sink takes RTCP
 * in; one thread of the element's own waits on the clock and sends what is due, on rtcp_src or
 * through the RTP session behind the src pad; that session's RTCP thread asks for the bytes.
 * Locks: GstWeirRecv.lock guards everything below "lock"; it is never held while pushing, posting,
 * or calling the session. No other lock is taken under it but those of the clock. */
#ifndef GST_WEIR_RECV_H
#define GST_WEIR_RECV_H

#include <gst/gst.h>

#include "srtp/srtcp.h"
#include "weir/receiver.h"

G_BEGIN_DECLS

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

  GstWeirSrtcp srtcp; /* of RTCP that is no session's; locks itself */

  GMutex lock;
  gint format;         /* enum weir_feedback_format */
  guint64 interval_ns; /* 0 = auto */
  guint64 stats_interval_ns;
  guint overhead_bytes;
  GstPad *rtcp_sinkpad;  /* NULL until requested; not owned */
  GstPad *rtcp_srcpad;   /* the same */
  gboolean rtcp_started; /* stream-start, caps and segment have been pushed on rtcp_src */
  gboolean ended;        /* EOS came in ... */
  gboolean rtcp_ended;   /* ... and left on rtcp_src */

  struct weir_receiver *receiver; /* from PAUSED on */
  guint32 local_ssrc;
  guint clock_rate_hz;     /* from the caps */
  guint8 transport_seq_id; /* from the caps, 0 = none */
  gboolean wide_seen;      /* a packet carried that number: a session may report it by itself */
  gint64 unreported_ns;    /* the first one since the session last did, or since a pause ... */
  gint64 arrival_ns;       /* ... and the last one */
  gboolean has_packets;    /* the receiver has seen some: it cannot be made anew */
  gboolean extmap_warned;
  GByteArray *scratch; /* used by the streaming thread alone */

  gboolean session_looked; /* the search was made since the last reconfiguration */
  GObject *session;        /* an RTPSession that sends the feedback for us, or NULL */

  GThread *thread;
  gboolean running;
  GCond wake;         /* the thread waits for this ... */
  GstClockID wait_id; /* ... or for this */
  gint64 wait_until_ns;
  gint64 not_before_ns; /* of feedback: give the session, or the caller, time */
  gint64 next_stats_ns; /* WEIR_NEVER_NS: none */
};

/* weirrecv.c */
GstStructure *gst_weir_recv_make_stats (GstWeirRecv *recv);
gint64 gst_weir_recv_now_ns (GstWeirRecv *recv);
gboolean gst_weir_recv_make_receiver_locked (GstWeirRecv *recv);

/* weirrecv_properties.c */
void gst_weir_recv_install_properties (GObjectClass *klass);

/* weirrecv_rtcp.c: the RTCP pads. */
GstPad *gst_weir_recv_request_new_pad (GstElement *element, GstPadTemplate *templ,
                                       const gchar *name, const GstCaps *caps);
void gst_weir_recv_release_pad (GstElement *element, GstPad *pad);
void gst_weir_recv_take_rtcp (GstWeirRecv *recv, GstBuffer *buffer);

/* weirrecv_feedback.c: the thread that sends. */
void gst_weir_recv_feedback_start (GstWeirRecv *recv);
void gst_weir_recv_feedback_halt (GstWeirRecv *recv);
void gst_weir_recv_feedback_join (GstWeirRecv *recv);
void gst_weir_recv_feedback_kick_locked (GstWeirRecv *recv);

/* weirrecv_session.c: an RTP session behind the src pad. */
void gst_weir_recv_session_look (GstWeirRecv *recv);
void gst_weir_recv_session_drop (GstWeirRecv *recv);
gboolean gst_weir_recv_session_carries_locked (GstWeirRecv *recv);
gboolean gst_weir_recv_session_request (GObject *session);
void gst_weir_recv_session_configure (GstWeirRecv *recv);

GST_ELEMENT_REGISTER_DECLARE (weirrecv);

G_END_DECLS

#endif
