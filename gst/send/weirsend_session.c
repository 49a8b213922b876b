/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of the sending session: made at READY to PAUSED, gone at PAUSED to READY. */
#include "send/weirsend_private.h"

#define GST_CAT_DEFAULT gst_weir_send_debug

/* --- What the session answers --- */

void
gst_weir_send_on_output_locked (GstWeirMember *member, const struct weir_output *former,
                                gint64 now_ns)
{
  GstWeirSend *self = member->send;
  if (member->output.target_media_bps != former->target_media_bps) {
    gst_weir_encoders_set_target (self->encoders.driven, member->output.target_media_bps, now_ns);
    gst_weir_report_on_target (&self->report, member->output.target_media_bps, now_ns);
  }
  if (((former->state ^ member->output.state) & WEIR_STATE_BREAKER_CEASED) != 0) {
    gst_weir_report_on_breaker (&self->report, now_ns);
  }
}

/* One moment of the session, for statistics; clear it. */
void
gst_weir_send_take_moment (GstWeirSend *self, GstWeirMoment *moment)
{
  GstStructure *encoders = gst_weir_encoders_get_stats (self->encoders.driven);
  gst_weir_send_lock (self);
  const GstWeirPath *path = self->member.path;
  *moment = (GstWeirMoment){ .running = path->sender != NULL,
                             .output = self->member.output,
                             .algorithm = self->settings.algorithm,
                             .encoders = encoders,
                             .malformed_packets = gst_weir_input_get_malformed (&self->input),
                             .discarded_packets = self->pacer.discarded_packets,
                             .repair_packets = self->pacer.repair_packets,
                             .rtcp_datagrams = self->member.rtcp_datagrams,
                             .overhead_bytes = self->member.overhead_bytes,
                             .has_session = self->member.rtp_session != NULL };
  if (moment->running) {
    weir_sender_get_stats (path->sender, &moment->sender);
    gst_weir_pacer_get_queue_stats_locked (&self->pacer, &moment->queue);
    moment->n_variables
        = weir_sender_get_variables (path->sender, moment->variables, GST_WEIR_VARIABLES_MAX);
  }
  struct weir_share share;
  if (path->group != NULL && moment->running
      && weir_sender_get_share (path->sender, self->member.number, &share) == WEIR_OK) {
    moment->group = g_strdup (path->group);
    moment->n_members = path->n_members;
    moment->priority = self->settings.priority;
    moment->share_bps = share.wire_bps;
  }
  gst_weir_send_unlock (self);
}

/* --- What surrounds us --- */

/* The RTP session is another one than before. */
static void
note_rtp_session (GstWeirSend *self)
{
  gst_weir_send_lock (self);
  self->member.rtp_session = gst_weir_rtp_session_key (&self->rtp_session);
  gst_weir_pacer_set_renumbered_locked (&self->pacer,
                                        gst_weir_rtp_session_numbers (&self->rtp_session));
  gst_weir_send_apply_member_locked (self);
  gst_weir_send_unlock (self);
}

static void
follow_rtp_session (GstWeirSend *self)
{
  gchar *why = NULL;
  gst_weir_send_lock (self);
  GObject *given = self->settings.rtp_session;
  given = given != NULL ? g_object_ref (given) : NULL;
  gst_weir_send_unlock (self);
  if (gst_weir_rtp_session_follow (&self->rtp_session, given, self->input.pad, self->pacer.pad,
                                   &why)) {
    note_rtp_session (self);
  }
  g_clear_object (&given);
  gst_weir_report_complain (&self->report, why);
}

/* What came from the network must not go back out to it. */
static void
decide_passing (GstWeirSend *self)
{
  GstPad *pad = gst_weir_rtcp_pads_get_srcpad (&self->rtcp);
  gst_weir_rtcp_pads_set_passing (&self->rtcp, pad == NULL || !gst_weir_leads_to_network (pad));
  g_clear_object (&pad);
}

/* Where do our packets go, and where does RTCP come from? The pacing task asks, when links may have
 * changed. */
void
gst_weir_send_look_around (GstWeirSend *self)
{
  follow_rtp_session (self);
  decide_passing (self);
  if (gst_weir_network_look (&self->network, self->pacer.pad)) {
    gst_weir_send_lock (self);
    gst_weir_send_note_overhead_locked (self);
    gst_weir_send_unlock (self);
  }
  if (gst_weir_srtcp_is_on (&self->rtcp.srtcp) && !gst_weir_network_is_encrypted (&self->network)) {
    gst_weir_report_clear_media (&self->report);
  }
}

/* media_flows: there should be one by now. */
void
gst_weir_send_find_encoders (GstWeirSend *self, gboolean media_flows)
{
  gst_weir_send_lock (self);
  gchar *names = g_strdup (self->settings.encoders);
  gst_weir_send_unlock (self);
  gst_weir_send_encoders_find (&self->encoders, names, media_flows);
  g_free (names);
}

/* --- Begin and end --- */

static void
reset_locked (GstWeirSend *self, gint64 now_ns)
{
  self->sender_reports.rest_ns = WEIR_UNKNOWN_NS;
  g_atomic_int_set (&self->look_around, TRUE);
  g_atomic_int_set (&self->rtp_session.transport_seq_id, 0);
  self->member.not_counting_reported = FALSE;
  self->member.same_ssrc_reported = FALSE;
  self->member.output = (struct weir_output){ .target_media_bps = -1 };
  self->member.rtcp_datagrams = 0;
  gst_weir_report_begin (&self->report, now_ns, self->settings.stats_interval_ns,
                         gst_weir_input_is_fed (&self->input));
}

static gboolean
open_trace (GstWeirSend *self)
{
  GError *error = NULL;
  if (self->settings.trace_location == NULL
      || gst_weir_trace_open (&self->report.trace, self->settings.trace_location,
                              self->settings.trace_max_bytes, &error)) {
    return TRUE;
  }
  GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE, ("%s", error->message), (NULL));
  g_error_free (error);
  return FALSE;
}

/* What is this member's own. FALSE with *why (free it). */
static gboolean
prepare (GstWeirSend *self, gchar **why)
{
  gst_weir_send_lock (self);
  gst_weir_send_note_overhead_locked (self);
  reset_locked (self, gst_weir_send_now (self));
  gboolean ok = gst_weir_send_check_limits (&self->settings, why)
                && gst_weir_pacer_start_locked (&self->pacer, why);
  gst_weir_send_unlock (self);
  return ok;
}

static gboolean
begin_session (GstWeirSend *self)
{
  gchar *why = NULL;
  GstWeirRemarks remarks = { g_ptr_array_new (), 0 };
  gboolean ok = prepare (self, &why) && gst_weir_group_join (&self->member, &remarks, &why);
  gst_weir_common_notify (GST_ELEMENT (self), remarks.changed);
  for (guint i = 0; i < remarks.texts->len; i++) {
    gst_weir_report_complain (&self->report, g_ptr_array_index (remarks.texts, i));
  }
  g_ptr_array_unref (remarks.texts);
  if (!ok) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", why), (NULL));
    g_free (why);
  }
  return ok;
}

/* Before the pads are activated. FALSE: an error was posted. */
gboolean
gst_weir_send_start (GstWeirSend *self)
{
  gchar *why = NULL;
  gst_weir_report_post_complaints (&self->report);
  gst_weir_input_start (&self->input);
  if (!gst_weir_rtcp_pads_start (&self->rtcp, &why)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", why), (NULL));
    g_free (why);
    return FALSE;
  }
  if (!open_trace (self)) {
    return FALSE;
  }
  self->member.trace_location = self->report.trace.location;
  if (!begin_session (self)) {
    gst_weir_send_stop (self);
    return FALSE;
  }
  gst_weir_send_encoders_start (&self->encoders);
  gst_weir_send_find_encoders (self, FALSE);
  return TRUE;
}

/* After the pads were deactivated: no thread of ours runs any more; an RTP session's may still call
 * until it has been left. */
void
gst_weir_send_stop (GstWeirSend *self)
{
  GError *error = NULL;
  gst_weir_rtp_session_leave (&self->rtp_session);
  note_rtp_session (self);
  gst_weir_network_forget (&self->network);
  gst_weir_send_encoders_stop (&self->encoders);
  gst_weir_group_leave (&self->member);
  gst_weir_pacer_stop (&self->pacer);
  self->member.trace_location = NULL;
  if (!gst_weir_trace_close (&self->report.trace, &error)) {
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE, ("%s", error->message), (NULL));
    g_error_free (error);
  }
}
