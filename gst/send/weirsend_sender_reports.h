/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP sender reports of one member, which are ours to send when no RTP session does. With the
 * session lock held. */
#ifndef GST_WEIR_SEND_SENDER_REPORTS_H
#define GST_WEIR_SEND_SENDER_REPORTS_H

#include "common/rtcp_pads.h"
#include "send/weirsend_path.h"

typedef struct
{
  GstWeirMember *member; /* not owned, nor the pads */
  GstWeirRtcpPads *pads;
  gint64 rest_ns; /* none before; WEIR_UNKNOWN_NS as a run begins */
} GstWeirSenderReports;

/* When the next one is due; WEIR_NEVER_NS. */
gint64 gst_weir_sender_reports_next_ns (const GstWeirSenderReports *self);
/* They are due: one leaves on rtcp_src, if there is something to say there. */
void gst_weir_sender_reports_push (GstWeirSenderReports *self, gint64 now_ns);

#endif
