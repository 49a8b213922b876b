/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stock RTP session (GStreamer's, not ours) around an element, if there is one: which it is,
 * and the RTCP that passes it. One thread at a time changes it; any thread may ask. */
#ifndef GST_WEIR_RTP_SESSION_H
#define GST_WEIR_RTP_SESSION_H

#include <gst/gst.h>

/* What the element hears, on the session's threads, with no lock held. Packets are in the clear,
 * and only lent. */
typedef struct
{
  void (*on_rtcp) (GstElement *element, GstBuffer *rtcp);
  /* It is about to leave, and is writable. TRUE: it must not be held back. */
  gboolean (*on_sending_rtcp) (GstElement *element, GstBuffer *rtcp);
} GstWeirRtpSessionEvents;

typedef struct
{
  GstElement *element; /* not owned; those who call it hold a reference meanwhile */
  const GstWeirRtpSessionEvents *events;
  GMutex lock;     /* of object, for those who do not change it; nothing is locked under it */
  GObject *object; /* RTPSession, owned; NULL: none */
} GstWeirRtpSession;

void gst_weir_rtp_session_init (GstWeirRtpSession *self, GstElement *element,
                                const GstWeirRtpSessionEvents *events);
/* There is none by now. */
void gst_weir_rtp_session_clear (GstWeirRtpSession *self);

/* Takes session; NULL: there is none. Callbacks of the former one may still be running afterwards,
 * none begins. With no lock held that the events take. */
void gst_weir_rtp_session_set (GstWeirRtpSession *self, GObject *session);
/* The session or NULL; unref it. */
GObject *gst_weir_rtp_session_get (GstWeirRtpSession *self);
/* The session, only to compare; NULL: none. */
gconstpointer gst_weir_rtp_session_key (const GstWeirRtpSession *self);

#endif
