/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend.h"

#include "send/weirsend_group.h"

void
gst_weir_send_take_moment (GstWeirSend *self, GstWeirMoment *moment)
{
  GstStructure *encoders = gst_weir_encoders_get_stats (self->encoders.driven);
  GstWeirSeen seen = gst_weir_input_get_seen (&self->input);
  GstWeirRepairState repair = gst_weir_repair_get_state (self->repair);
  gst_weir_member_lock (&self->member);
  const GstWeirPath *path = self->member.path;
  *moment = (GstWeirMoment){ .running = path->sender != NULL,
                             .output = self->member.output,
                             .algorithm = self->settings.algorithm,
                             .encoders = encoders,
                             .malformed_packets = seen.malformed_packets,
                             .discarded_packets = self->queue.discarded_packets,
                             .repair_packets = self->pacer.repair_packets,
                             .repair = repair,
                             .rtcp_datagrams = self->member.rtcp_datagrams,
                             .overhead_bytes = self->member.overhead_bytes,
                             .has_session = self->member.rtp_session != NULL };
  if (moment->running) {
    weir_sender_get_stats (path->sender, &moment->sender);
    moment->ecn = weir_sender_get_ecn_path (path->sender, &moment->packets_ecn_ce,
                                            &moment->packets_ecn_wrong);
    moment->proved_bps = gst_weir_member_proved_bps_locked (&self->member);
    weir_queue_get_stats (self->queue.queue, &moment->queue);
    moment->n_variables
        = weir_sender_get_variables (path->sender, moment->variables, GST_WEIR_VARIABLES_MAX);
    moment->n_reporters
        = weir_sender_get_reporters (path->sender, moment->reporters, GST_WEIR_REPORTERS_MAX);
  }
  struct weir_share share;
  if (path->group != NULL && moment->running
      && weir_sender_get_share (path->sender, self->member.number, &share) == WEIR_OK) {
    moment->group = g_strdup (path->group);
    moment->n_members = path->n_members;
    moment->priority = self->settings.priority;
    moment->share_bps = share.wire_bps;
  }
  gst_weir_member_unlock (&self->member);
}

/* --- Repair --- */

/* FALSE: no feedback has come. */
static gboolean
look_for_repair (gpointer user, GstWeirRepairLook *look)
{
  GstWeirSend *self = user;
  struct weir_sender_stats stats = { .last_feedback_ns = WEIR_UNKNOWN_NS };
  gst_weir_member_lock (&self->member);
  if (self->member.path->sender != NULL) {
    weir_sender_get_stats (self->member.path->sender, &stats);
  }
  *look = (GstWeirRepairLook){
    .now_ns = gst_weir_member_now (&self->member),
    .view = { .loss_ppm = stats.loss_ppm,
              .burst_milli = stats.loss_burst_milli,
              .rtt_ns = stats.rtt_ns,
              .target_media_bps = self->member.output.target_media_bps,
              .min_media_bps = self->settings.min_bps },
    .asked_for = stats.nacks > 0,
  };
  gst_weir_member_unlock (&self->member);
  return stats.last_feedback_ns != WEIR_UNKNOWN_NS;
}

static void
warn_of_repair (gpointer user, const gchar *text)
{
  GST_ELEMENT_WARNING_WITH_DETAILS (user, RESOURCE, SETTINGS, ("%s", text), (NULL),
                                    ("weir-warning", G_TYPE_STRING, "repair", NULL));
}

const GstWeirRepairEvents gst_weir_send_repair_events
    = { .look = look_for_repair, .warn = warn_of_repair };

/* --- What surrounds us --- */

void
gst_weir_send_note_overhead_locked (GstWeirSend *self)
{
  gint set_bytes = self->settings.overhead;
  guint bytes
      = (guint) (set_bytes >= 0 ? set_bytes : g_atomic_int_get (&self->network.overhead_bytes));
  if (bytes != self->member.overhead_bytes) {
    self->member.overhead_bytes = bytes;
    gst_weir_group_refresh_locked (&self->member);
  }
}

/* The RTP session is another one than before. */
static void
note_rtp_session (GstWeirSend *self)
{
  gst_weir_member_lock (&self->member);
  self->member.rtp_session = gst_weir_rtp_session_key (&self->rtp_session.rtp);
  self->pacer.renumbered = g_atomic_pointer_get (&self->rtp_session.probe_pad) != NULL;
  gst_weir_group_refresh_locked (&self->member);
  gst_weir_member_unlock (&self->member);
}

static void
follow_rtp_session (GstWeirSend *self)
{
  gchar *why = NULL;
  g_autoptr (GObject) given = NULL;
  gst_weir_member_lock (&self->member);
  g_set_object (&given, self->settings.rtp_session);
  gst_weir_member_unlock (&self->member);
  if (gst_weir_send_session_follow (&self->rtp_session, given, self->input.pad, self->pacer.pad,
                                    &why)) {
    note_rtp_session (self);
  }
  gst_weir_report_complain (&self->report, why);
}

/* What came from the network must not go back out to it. */
static void
decide_passing (GstWeirSend *self)
{
  g_autoptr (GstPad) pad = gst_weir_rtcp_pads_get_srcpad (&self->rtcp);
  gst_weir_rtcp_pads_set_passing (&self->rtcp, pad == NULL || !gst_weir_leads_to_network (pad));
}

/* Whether packets can leave ECN-capable. */
static void
note_ecn (GstWeirSend *self, gboolean anew)
{
  gst_weir_member_lock (&self->member);
  self->member.can_ecn = gst_weir_sockets_can (&self->pacer.sockets);
  gst_weir_group_update_ecn_locked (&self->member, anew);
  gst_weir_member_unlock (&self->member);
}

static void
on_ecn_refused (GstElement *element)
{
  note_ecn ((GstWeirSend *) element, FALSE);
}

/* Where do our packets go, and where does RTCP come from? Links may have changed. */
static void
look_around (GstWeirSend *self)
{
  follow_rtp_session (self);
  decide_passing (self);
  if (gst_weir_network_look (&self->network, self->pacer.pad)) {
    gst_weir_member_lock (&self->member);
    gst_weir_send_note_overhead_locked (self);
    gst_weir_member_unlock (&self->member);
  }
  note_ecn (self, gst_weir_sockets_look (&self->pacer.sockets, self->pacer.pad));
  guint faults = self->network.faults;
  if (gst_weir_srtcp_is_on (&self->rtcp.srtcp) && !gst_weir_network_is_encrypted (&self->network)) {
    faults |= GST_WEIR_MEDIA_IN_CLEAR;
  }
  gst_weir_report_network_faults (&self->report, faults);
}

void
gst_weir_send_forget_surroundings (GstWeirSend *self)
{
  gst_weir_send_session_leave (&self->rtp_session);
  note_rtp_session (self);
  gst_weir_network_forget (&self->network);
  gst_weir_sockets_forget (&self->pacer.sockets);
  gst_weir_member_lock (&self->member);
  self->member.can_ecn = FALSE;
  gst_weir_member_unlock (&self->member);
}

/* What keeps packets to send them again is upstream. */
static void
on_copy_wanted (GstElement *element, GstEvent *request)
{
  gst_pad_push_event (((GstWeirSend *) element)->input.pad, request);
}

/* --- The task --- */

gint64
gst_weir_send_next_due_locked (GstWeirMember *member, gint64 now_ns)
{
  GstWeirSend *self = (GstWeirSend *) member->element;
  gint64 due_ns = weir_min_i64 (gst_weir_send_queue_next_due_locked (&self->queue, now_ns),
                                gst_weir_sender_reports_next_ns (&self->sender_reports));
  return weir_min_i64 (due_ns, gst_weir_report_next_ns (&self->report));
}

static void
view_locked (GstWeirSend *self, gboolean packets_wait, GstWeirSendView *view)
{
  struct weir_algorithm_info info = { 0 };
  GstWeirSeen seen = gst_weir_input_get_seen (&self->input);
  *view = (GstWeirSendView){
    .output = self->member.output,
    .algorithm = self->settings.algorithm,
    .feedback = self->settings.feedback,
    .receivers = self->settings.receivers,
    .rtcp_datagrams = self->member.rtcp_datagrams,
    .rtcp_refused = gst_weir_srtcp_get_refused (&self->rtcp.srtcp),
    .has_session = self->member.rtp_session != NULL,
    .has_rtcp_sink = gst_weir_rtcp_pads_linked (&self->rtcp, GST_PAD_SINK),
    .has_rtcp_src = gst_weir_rtcp_pads_linked (&self->rtcp, GST_PAD_SRC),
    .has_transport_seq = seen.caps.transport_seq_id != 0,
    .unlinked = !gst_weir_input_is_fed (&self->input),
    .waits = packets_wait,
    .is_audio = seen.caps.kind == GST_WEIR_KIND_AUDIO,
    .kept = seen.kept,
  };
  if (weir_algorithm_get_info (view->algorithm, &info) == WEIR_OK) {
    view->needs = info.needs;
  }
  view->ecn = weir_sender_get_ecn_path (self->member.path->sender, NULL, NULL);
  weir_sender_get_stats (self->member.path->sender, &view->stats);
  view->n_reporters = weir_sender_get_reporters (self->member.path->sender, view->reporters,
                                                 G_N_ELEMENTS (view->reporters));
}

/* What is told by the clock, whatever the queue holds. */
static gboolean
plan_news_locked (GstWeirSend *self, gint64 now_ns, gboolean packets_wait)
{
  GstWeirSendView view;
  if (self->report.stats_due_ns <= now_ns) {
    /* Without traffic, too, they are of now. */
    weir_sender_on_timer (self->member.path->sender, now_ns);
    gst_weir_member_update_output_locked (&self->member, now_ns);
  }
  gboolean looks = self->report.watch.look_ns <= now_ns;
  if (looks) {
    view_locked (self, packets_wait, &view);
  }
  return gst_weir_report_take_news (&self->report, looks ? &view : NULL, now_ns, &self->news);
}

static void
run_timers_locked (GstWeirSend *self, gint64 now_ns)
{
  if (weir_sender_next_timer_ns (self->member.path->sender) <= now_ns) {
    weir_sender_on_timer (self->member.path->sender, now_ns);
    gst_weir_member_update_output_locked (&self->member, now_ns);
  }
}

static gboolean
wants_ecn_locked (const GstWeirSend *self)
{
  return gst_weir_send_get_ecn (&self->settings) != WEIR_ECN_NOT_ECT;
}

/* Of transport-wide numbers that do not count, which only a group can have too many of, or of ECN
 * that is wanted. */
static gchar *
take_complaint_locked (GstWeirSend *self)
{
  gchar *complaint = NULL;
  if (self->member.path->group != NULL) {
    guint8 id = gst_weir_input_get_seen (&self->input).caps.transport_seq_id;
    complaint = gst_weir_group_take_complaint_locked (&self->member,
                                                      self->member.rtp_session != NULL || id != 0);
  }
  return complaint == NULL && wants_ecn_locked (self)
             ? gst_weir_sockets_take_complaint (&self->pacer.sockets)
             : complaint;
}

static GstWeirChores
plan_locked (GstElement *element, gint64 now_ns, gboolean packets_wait)
{
  GstWeirSend *self = (GstWeirSend *) element;
  if (packets_wait && g_atomic_int_compare_and_exchange (&self->look_around, TRUE, FALSE)) {
    return GST_WEIR_CHORES_BEFORE_PACKETS;
  }
  run_timers_locked (self, now_ns);
  gst_weir_member_report_locked (&self->member, now_ns);
  gboolean has_news = plan_news_locked (self, now_ns, packets_wait);
  self->complaint = packets_wait ? take_complaint_locked (self) : NULL;
  return has_news || self->complaint != NULL ? GST_WEIR_CHORES_SOME : GST_WEIR_CHORES_NONE;
}

static void
on_leaving_locked (GstElement *element, gint64 now_ns, guint n_packets, gboolean eos)
{
  GstWeirSend *self = (GstWeirSend *) element;
  if (n_packets > 0) {
    gst_weir_watch_sent (&self->report.watch, now_ns);
    if (gst_weir_sockets_on_push (&self->pacer.sockets, now_ns) && wants_ecn_locked (self)) {
      g_atomic_int_set (&self->look_around, TRUE);
    }
  }
  if (eos || n_packets > 0) {
    gst_weir_rtcp_pads_set_ended (&self->rtcp, eos);
  }
  gst_weir_member_report_locked (&self->member, now_ns);
}

static void
tell_news (GstWeirSend *self)
{
  GstStructure *summary = NULL;
  if (self->news.stats) {
    GstWeirMoment moment;
    gst_weir_send_take_moment (self, &moment);
    summary = gst_weir_stats_summary (&moment);
    gst_weir_moment_clear (&moment);
  }
  if (!gst_weir_report_tell (&self->report, &self->news, summary)) {
    gst_weir_member_lock (&self->member);
    gst_weir_group_give_up_trace_locked (&self->member); /* another member may begin one */
    gst_weir_member_unlock (&self->member);
    gst_weir_report_close_trace (&self->report); /* nobody else records there any more */
  }
}

static void
act (GstElement *element, GstWeirChores chores)
{
  GstWeirSend *self = (GstWeirSend *) element;
  if (chores == GST_WEIR_CHORES_BEFORE_PACKETS) {
    look_around (self);
  } else {
    gst_weir_report_complain (&self->report, g_steal_pointer (&self->complaint));
    tell_news (self);
  }
}

const GstWeirPacerEvents gst_weir_send_pacer_events = { .plan_locked = plan_locked,
                                                        .on_leaving_locked = on_leaving_locked,
                                                        .act = act,
                                                        .on_ecn_refused = on_ecn_refused,
                                                        .on_copy_wanted = on_copy_wanted };
