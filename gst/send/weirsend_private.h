/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of weirsend share. weirsend.c says which thread does what and in which order
 * locks are taken. A function called ..._locked expects the session lock to be held. */
#ifndef GST_WEIR_SEND_PRIVATE_H
#define GST_WEIR_SEND_PRIVATE_H

#include "common/rtcp_pads.h"
#include "send/weirsend.h"
#include "send/weirsend_common.h"
#include "send/weirsend_encoders.h"
#include "send/weirsend_feedback.h"
#include "send/weirsend_group.h"
#include "send/weirsend_input.h"
#include "send/weirsend_network.h"
#include "send/weirsend_pacer.h"
#include "send/weirsend_path.h"
#include "send/weirsend_report.h"
#include "send/weirsend_rtp_session.h"
#include "send/weirsend_sender_reports.h"
#include "send/weirsend_settings.h"
#include "send/weirsend_stats.h"
#include "weir/weir.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);

/* What one turn of the pacing task does besides packets. The task's alone. */
typedef struct
{
  gboolean look_around;
  gboolean has_news;
  GstWeirNews news;
  gchar *complaint;
} GstWeirSendTask;

struct _GstWeirSend
{
  GstElement element;

  GstClock *clock; /* what paces: the system clock at the time the element was made */
  GstWeirInput input;
  GstWeirPacer pacer;
  GstWeirSendTask task;
  GstWeirSendEncoders encoders;

  /* The session lock, which is that of the path, protects everything below. */
  GstWeirMember member;

  GstWeirSendSettings settings;

  GstWeirReport report;
  GstWeirRtpSession rtp_session; /* the pacing task follows it */
  GstWeirNetwork network;        /* the pacing task looks */
  gint look_around;              /* atomic: look again where those two are */
  GstWeirSenderReports sender_reports;
  GstWeirRtcpPads rtcp; /* locks itself, also under the session lock */
};

/* weirsend.c */
static inline gint64
gst_weir_send_now (GstWeirSend *self)
{
  return (gint64) gst_clock_get_time (self->clock);
}

static inline void
gst_weir_send_lock (GstWeirSend *self)
{
  gst_weir_member_lock (&self->member);
}

static inline void
gst_weir_send_unlock (GstWeirSend *self)
{
  gst_weir_member_unlock (&self->member);
}

/* weirsend_properties.c */
void gst_weir_send_install_properties (GObjectClass *klass);
void gst_weir_send_apply_member_locked (GstWeirSend *self);
void gst_weir_send_note_overhead_locked (GstWeirSend *self);

/* weirsend_session.c: the sending session's life */
void gst_weir_send_take_moment (GstWeirSend *self, GstWeirMoment *moment);
void gst_weir_send_look_around (GstWeirSend *self);
void gst_weir_send_find_encoders (GstWeirSend *self, gboolean media_flows);
gboolean gst_weir_send_start (GstWeirSend *self);
void gst_weir_send_stop (GstWeirSend *self);
void gst_weir_send_on_output_locked (GstWeirMember *member, const struct weir_output *former,
                                     gint64 now_ns);

/* weirsend_task.c */
extern const GstWeirPacerEvents gst_weir_send_pacer_events;
gint64 gst_weir_send_next_due_locked (GstWeirMember *member, gint64 now_ns);

G_END_DECLS

#endif
