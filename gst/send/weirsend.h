/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element `weirsend`: paces outgoing RTP, reads what receivers report, drives the encoder. It
 * wires its objects, each of which has a header of its own and knows no other's inside. weirsend.c
 * says which thread does what and in which order locks are taken. */
#ifndef GST_WEIR_SEND_H
#define GST_WEIR_SEND_H

#include "common/rtcp_pads.h"
#include "repair/repair.h"
#include "send/weirsend_encoders.h"
#include "send/weirsend_input.h"
#include "send/weirsend_network.h"
#include "send/weirsend_pacer.h"
#include "send/weirsend_path.h"
#include "send/weirsend_report.h"
#include "send/weirsend_rtp_session.h"
#include "send/weirsend_sender_reports.h"
#include "send/weirsend_settings.h"
#include "send/weirsend_stats.h"
#include <gst/gst.h>

#define GST_TYPE_WEIR_SEND (gst_weir_send_get_type ())
GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);

G_DECLARE_FINAL_TYPE (GstWeirSend, gst_weir_send, GST, WEIR_SEND, GstElement)

struct _GstWeirSend
{
  GstElement element;

  GstClock *clock; /* what paces: the system clock at the time the element was made */

  GstWeirMember member; /* of a path, whose lock is the session lock; it protects member ... */
  GstWeirSendSettings settings; /* ... and settings */

  GstWeirInput input;
  GstWeirSendQueue queue;
  GstWeirPacer pacer;
  GstWeirSendEncoders encoders;
  GstWeirRepair *repair;

  GstWeirRtcpPads rtcp;
  GstWeirSenderReports sender_reports;
  GstWeirSendSession rtp_session; /* the pacing task follows it */
  GstWeirNetwork network;         /* the pacing task looks */
  gint look_around;               /* atomic: look again where those two are */

  GstWeirReport report;
  GstWeirNews news; /* to be told in this turn of the pacing task, which alone uses the two */
  gchar *complaint;
};

/* weirsend_properties.c */
void gst_weir_send_install_properties (GObjectClass *klass);

/* weirsend_task.c: what the pacing task does besides packets. That is timers, sender reports, news
 * for the application, a look at what lies around us. */
extern const GstWeirPacerEvents gst_weir_send_pacer_events;
/* What the elements that repair are driven by. */
extern const GstWeirRepairEvents gst_weir_send_repair_events;
/* When it has something to do, but for the timers of the path. */
gint64 gst_weir_send_next_due_locked (GstWeirMember *member, gint64 now_ns);
/* One moment of the session, for statistics; clear it. */
void gst_weir_send_take_moment (GstWeirSend *self, GstWeirMoment *moment);
/* What counts of the overhead: as set, or as found. */
void gst_weir_send_note_overhead_locked (GstWeirSend *self);
/* When the task is gone. */
void gst_weir_send_forget_surroundings (GstWeirSend *self);

#endif
