/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTP session that our packets pass: behind the src pad, or before the sink pad, or named by
 * the application. Its signals bring RTCP, decrypted; a probe behind it reads the transport-wide
 * numbers that it writes. */
#ifndef GST_WEIR_SEND_RTP_SESSION_H
#define GST_WEIR_SEND_RTP_SESSION_H

#include "common/rtp_session.h"
#include "weir/weir.h"

/* Packets left with these transport-wide numbers; on the session's threads, with no lock held. */
typedef void (*GstWeirNumbersFunc) (GstElement *element, const struct weir_rtp_info *packets,
                                    guint n);

typedef struct
{
  GstWeirRtpSession rtp;
  GstWeirNumbersFunc on_numbers;
  gint transport_seq_id; /* atomic: the header extension with the transport-wide numbers, or 0 */
  GstPad *probe_pad;     /* its send_rtp_src, when it numbers what leaves here; owned */
  gulong probe_id;
  gconstpointer refused; /* what was last given in vain */
} GstWeirSendSession;

void gst_weir_send_session_init (GstWeirSendSession *self, GstElement *element,
                                 const GstWeirRtpSessionEvents *events,
                                 GstWeirNumbersFunc on_numbers);

/* One thread at a time follows and leaves, with no lock that the events take. */

/* Looks for the session between sinkpad and srcpad, or takes `given` (nullable). TRUE: it is
 * another one than before, or none. *why (free it): what is wrong with `given`, told once until it
 * is left; or NULL. */
gboolean gst_weir_send_session_follow (GstWeirSendSession *self, GObject *given, GstPad *sinkpad,
                                       GstPad *srcpad, gchar **why);
/* Accepts that there is none. */
void gst_weir_send_session_leave (GstWeirSendSession *self);

#endif
