/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTP session that our packets pass: behind the src pad, or before the sink pad, or named by
 * the application. Its signals bring RTCP, decrypted; a probe behind it reads the transport-wide
 * numbers that it writes. */
#ifndef GST_WEIR_SEND_RTP_SESSION_H
#define GST_WEIR_SEND_RTP_SESSION_H

#include "weir/weir.h"
#include <gst/gst.h>

G_BEGIN_DECLS

/* What the element hears, on the session's threads. Everything is only lent. */
typedef struct
{
  /* A packet came in, in the clear. */
  void (*on_rtcp) (GstElement *element, GstBuffer *rtcp);
  /* One left: a sender report makes RTT from receiver reports possible. */
  void (*on_rtcp_sent) (GstElement *element, GstBuffer *rtcp);
  /* Packets left with these transport-wide numbers. */
  void (*on_numbers) (GstElement *element, const struct weir_rtp_info *packets, guint n);
} GstWeirRtpSessionEvents;

typedef struct
{
  GstElement *element; /* not owned; those who call it hold a reference meanwhile */
  const GstWeirRtpSessionEvents *events;
  gint transport_seq_id; /* atomic */

  GMutex lock;     /* of object, for those who do not follow; nothing is locked under it */
  GObject *object; /* RTPSession, owned; NULL: none */
  gulong receiving_id, sending_id;
  GstPad *probe_pad; /* its send_rtp_src, when that is behind us; owned */
  gulong probe_id;
} GstWeirRtpSession;

void gst_weir_rtp_session_init (GstWeirRtpSession *self, GstElement *element,
                                const GstWeirRtpSessionEvents *events);
void gst_weir_rtp_session_clear (GstWeirRtpSession *self);

/* One thread at a time follows and leaves, with no lock that the events take. */

/* Looks for the session between sinkpad and srcpad, or takes `given` (nullable). TRUE: it is
 * another one than before, or none. *why (free it): what is wrong with `given`, or NULL. */
gboolean gst_weir_rtp_session_follow (GstWeirRtpSession *self, GObject *given, GstPad *sinkpad,
                                      GstPad *srcpad, gchar **why);
/* Accepts that there is none. Callbacks may still be running afterwards, none begins. */
void gst_weir_rtp_session_leave (GstWeirRtpSession *self);

/* From any thread. */

/* id: of the header extension with the transport-wide numbers; 0: there are none. */
void gst_weir_rtp_session_set_transport_seq_id (GstWeirRtpSession *self, guint8 id);
/* The session, only to compare; NULL: none. */
gconstpointer gst_weir_rtp_session_key (const GstWeirRtpSession *self);
/* RTPSession or NULL; unref it. */
GObject *gst_weir_rtp_session_get (GstWeirRtpSession *self);
/* The packets that leave here get their numbers there. */
gboolean gst_weir_rtp_session_numbers (const GstWeirRtpSession *self);

G_END_DECLS

#endif
