/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the pacing task does besides packets: timers, sender reports, news for the application, a
 * look at what lies around us. */
#include "send/weirsend_private.h"

/* Without the timers of the path and what waits in the queue. */
gint64
gst_weir_send_next_due_locked (GstWeirMember *member, gint64 now_ns)
{
  GstWeirSend *self = member->send;
  gint64 due_ns = weir_min_i64 (gst_weir_pacer_next_due_locked (&self->pacer, now_ns),
                                gst_weir_sender_reports_next_ns (&self->sender_reports));
  return weir_min_i64 (due_ns, gst_weir_report_next_ns (&self->report));
}

static void
view_locked (GstWeirSend *self, gboolean packets_wait, GstWeirSendView *view)
{
  struct weir_algorithm_info info = { 0 };
  GstWeirRtpCaps caps;
  gst_weir_input_get_caps (&self->input, &caps);
  *view = (GstWeirSendView){
    .output = self->member.output,
    .algorithm = self->settings.algorithm,
    .feedback = self->settings.feedback,
    .rtcp_datagrams = self->member.rtcp_datagrams,
    .rtcp_refused = gst_weir_srtcp_get_refused (&self->rtcp.srtcp),
    .has_session = self->member.rtp_session != NULL,
    .has_rtcp_sink = gst_weir_rtcp_pads_linked (&self->rtcp, GST_PAD_SINK),
    .has_rtcp_src = gst_weir_rtcp_pads_linked (&self->rtcp, GST_PAD_SRC),
    .has_transport_seq = caps.transport_seq_id != 0,
    .unlinked = !gst_weir_input_is_fed (&self->input),
    .waits = packets_wait,
    .is_audio = caps.kind == GST_WEIR_KIND_AUDIO,
  };
  if (weir_algorithm_get_info (view->algorithm, &info) == WEIR_OK) {
    view->needs = info.needs;
  }
  weir_sender_get_stats (self->member.path->sender, &view->stats);
}

/* What is told by the clock, whatever the queue holds. */
static gboolean
plan_news_locked (GstWeirSend *self, gint64 now_ns, gboolean packets_wait)
{
  GstWeirSendView view;
  if (gst_weir_report_posts_stats (&self->report, now_ns)) {
    /* Without traffic, too, they are of now. */
    weir_sender_on_timer (self->member.path->sender, now_ns);
    gst_weir_member_update_output_locked (&self->member, now_ns);
  }
  gboolean looks = gst_weir_report_looks (&self->report, now_ns);
  if (looks) {
    view_locked (self, packets_wait, &view);
  }
  self->task.news = (GstWeirNews){ 0 };
  return gst_weir_report_take_news (&self->report, looks ? &view : NULL, now_ns, &self->task.news);
}

static void
run_timers_locked (GstWeirSend *self, gint64 now_ns)
{
  if (weir_sender_next_timer_ns (self->member.path->sender) <= now_ns) {
    weir_sender_on_timer (self->member.path->sender, now_ns);
    gst_weir_member_update_output_locked (&self->member, now_ns);
  }
}

static GstWeirChores
plan_locked (GstElement *element, gint64 now_ns, gboolean packets_wait)
{
  GstWeirSend *self = GST_WEIR_SEND (element);
  GstWeirSendTask *task = &self->task;
  if (packets_wait && g_atomic_int_compare_and_exchange (&self->look_around, TRUE, FALSE)) {
    task->look_around = TRUE;
    return GST_WEIR_CHORES_BEFORE_PACKETS;
  }
  run_timers_locked (self, now_ns);
  gst_weir_member_report_locked (&self->member, now_ns);
  task->has_news = plan_news_locked (self, now_ns, packets_wait);
  gboolean numbered = self->member.rtp_session != NULL
                      || g_atomic_int_get (&self->rtp_session.transport_seq_id) != 0;
  task->complaint
      = packets_wait ? gst_weir_group_take_complaint_locked (&self->member, numbered) : NULL;
  return task->has_news || task->complaint != NULL ? GST_WEIR_CHORES_SOME : GST_WEIR_CHORES_NONE;
}

static void
on_leaving_locked (GstElement *element, gint64 now_ns, guint n_packets, gboolean eos)
{
  GstWeirSend *self = GST_WEIR_SEND (element);
  if (n_packets > 0) {
    gst_weir_report_on_sent (&self->report, now_ns);
  }
  if (eos) {
    gst_weir_rtcp_pads_set_ended (&self->rtcp, TRUE);
  }
  gst_weir_member_report_locked (&self->member, now_ns);
}

static void
tell_news (GstWeirSend *self)
{
  GstStructure *summary = NULL;
  if (self->task.news.stats) {
    GstWeirMoment moment;
    gst_weir_send_take_moment (self, &moment);
    summary = gst_weir_stats_summary (&moment);
    gst_weir_moment_clear (&moment);
  }
  if (!gst_weir_report_tell (&self->report, &self->task.news, summary)) {
    gst_weir_send_lock (self);
    gst_weir_trace_close (&self->report.trace, NULL);
    gst_weir_group_give_up_trace_locked (&self->member); /* another member may begin one */
    gst_weir_send_unlock (self);
  }
}

static void
act (GstElement *element)
{
  GstWeirSend *self = GST_WEIR_SEND (element);
  GstWeirSendTask *task = &self->task;
  if (task->look_around) {
    task->look_around = FALSE;
    gst_weir_send_look_around (self);
  }
  gst_weir_report_complain (&self->report, g_steal_pointer (&task->complaint));
  if (task->has_news) {
    task->has_news = FALSE;
    tell_news (self);
  }
}

const GstWeirPacerEvents gst_weir_send_pacer_events
    = { .plan_locked = plan_locked, .on_leaving_locked = on_leaving_locked, .act = act };
