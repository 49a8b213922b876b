/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stock RTP session (GStreamer's, not ours) around an element that receives, if there is one:
 * found by the links of the pads, made prompt, and lent our feedback. Any thread may call any
 * function. */
#ifndef GST_WEIR_RECV_RTP_SESSION_H
#define GST_WEIR_RECV_RTP_SESSION_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* What the element hears and answers, on the session's threads, with no lock held. */
typedef struct
{
  /* RTCP is about to leave: appends at most size bytes, returns how many; called until it is 0. */
  gsize (*append) (GstElement *element, guint8 *data, gsize size);
  /* The session has just reported, by itself, the packets with a transport-wide number. */
  void (*on_packets_reported) (GstElement *element);
  /* RTCP came in; it is only lent. */
  void (*on_rtcp) (GstElement *element, GstBuffer *rtcp);
} GstWeirRecvSessionEvents;

typedef struct
{
  GstElement *element; /* not owned: the session is a part of its surroundings */
  const GstWeirRecvSessionEvents *events;
  gint looked;     /* atomic: the search was made since the last reconfiguration */
  GMutex lock;     /* protects what is below; nothing else is locked under it */
  GObject *object; /* an RTPSession, or NULL; owned */
} GstWeirRecvSession;

void gst_weir_recv_rtp_session_init (GstWeirRecvSession *self, GstElement *element,
                                     const GstWeirRecvSessionEvents *events);
void gst_weir_recv_rtp_session_clear (GstWeirRecvSession *self);

/* Looks for a session, once after each look_again (). TRUE: it is another one now, or none. */
gboolean gst_weir_recv_rtp_session_look (GstWeirRecvSession *self, GstPad *sinkpad, GstPad *srcpad);
void gst_weir_recv_rtp_session_look_again (GstWeirRecvSession *self);
/* Leaves the session alone again; what was set on it stays. */
void gst_weir_recv_rtp_session_leave (GstWeirRecvSession *self);

/* The session or NULL; unref it. */
GObject *gst_weir_recv_rtp_session_get (GstWeirRecvSession *self);
gboolean gst_weir_recv_rtp_session_exists (GstWeirRecvSession *self);
/* Makes its feedback prompt where the user set nothing else: interval_ns apart, 0 is automatic;
 * receiver reports too when reports. */
void gst_weir_recv_rtp_session_configure (GstWeirRecvSession *self, guint64 interval_ns,
                                          gboolean reports);
/* Asks it to send RTCP soon. */
void gst_weir_recv_rtp_session_request_rtcp (GstWeirRecvSession *self);

G_END_DECLS

#endif
