/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stock RTP session around an element that receives: found by the links of the pads, made
 * prompt, and lent our feedback. look () is the streaming thread's; any thread may
 * call the others. */
#ifndef GST_WEIR_RECV_RTP_SESSION_H
#define GST_WEIR_RECV_RTP_SESSION_H

#include "common/rtp_session.h"
#include "recv/weirrecv_reception.h"

typedef struct
{
  GstWeirRtpSession rtp;
  gint looked; /* atomic: the search was made since the last reconfiguration */
} GstWeirRecvSession;

/* Looks for a session, once after each look_again (). TRUE: it is another one now, or none. */
gboolean gst_weir_recv_session_look (GstWeirRecvSession *self, GstPad *sinkpad, GstPad *srcpad);
void gst_weir_recv_session_look_again (GstWeirRecvSession *self);

/* Makes its feedback prompt where the user set nothing else, which stays when the session is left:
 * interval_ns apart, 0 is automatic; receiver reports too when reports. */
void gst_weir_recv_session_configure (GstWeirRecvSession *self, guint64 interval_ns,
                                      gboolean reports);
/* Asks it to send RTCP soon. */
void gst_weir_recv_session_request_rtcp (GstWeirRecvSession *self);
/* It is about to send rtcp, which gets our feedback. TRUE: there was some. */
gboolean gst_weir_recv_session_append (GstWeirReception *reception, GstBuffer *rtcp);

#endif
