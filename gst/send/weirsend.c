/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-weirsend
 * @title: weirsend
 *
 * Congestion control for outgoing RTP: paces the packets, reads what receivers report (RFC 8888,
 * TWCC, receiver and extended reports, REMB) and drives the encoder's bitrate.
 *
 * It finds the RTP session and the encoders by itself. Without an RTP session link the receiver's
 * RTCP to the request pad rtcp_sink; sender reports leave on the request pad rtcp_src.
 *
 * ## Example
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! x264enc tune=zerolatency ! rtph264pay \
 *     ! weirsend name=s ! udpsink host=HOST port=5004 sync=false \
 *   udpsrc port=5005 ! s.rtcp_sink
 * ]|
 */
/* Threads, and what each owns:
 *   - the streaming thread of the sink pad: what packets are (weirsend_input.h); it ends in the
 *     send queue (weirsend_queue.h);
 *   - the pacing task of the src pad: the way out of that queue, and what is due by the clock
 *     besides (weirsend_task.c); of a group one member's task runs the timers of the session;
 *   - RTCP threads (rtcp_sink, the RTP session's signals, upstream events): nothing; they feed the
 *     session and wake the pacing task;
 *   - the task of rtcp_src: the way out of the queue of RTCP;
 *   - the encoders' worker (encoder.h), once there is an encoder: the properties of encoders;
 *   - the worker of repair (repair.h), while repair=auto: the properties of FEC and Opus;
 *   - the application's: settings, at any time; all else before the pads are active, and after.
 *
 * Locks, in the order in which they may be taken:
 *   1. the pacer's `activation`: the pacing task is being started, or may not be;
 *   2. the session lock, which is that of the path (GstWeirPath.lock): session, settings,
 *      pacer, report and sender reports of all members of a group. A group's comes before that of a
 *      member's own path;
 *   3. one of the locks of the objects (input, report, RTP session, RTCP pads, SRTP, encoders,
 *      repair), the clock's, or the object lock of an element or pad, which may come under that of
 *      the RTCP pads, too.
 *
 * The registry of groups (weirsend_group.c) and the wishes for the ECN field of sockets
 * (common/socket_ecn.c) are locked alone. What only one thread uses has no lock;
 * each header says so. No lock of 2 or 3 is held while
 * pushing, emitting, notifying, posting, calling into other elements, or writing the trace. */
#include "send/weirsend.h"

#include "common/pipeline_walk.h"
#include "common/properties.h"
#include "send/weirsend_feedback.h"
#include "send/weirsend_group.h"
#include "send/weirsend_path_settings.h"
#include "send/weirsend_types.h"

GST_DEBUG_CATEGORY (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug

enum
{
  SIGNAL_ADD_ENCODER,
  SIGNAL_REMOVE_ENCODER,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp(ANY)"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp(ANY)"));

G_DEFINE_TYPE_WITH_CODE (GstWeirSend, gst_weir_send, GST_TYPE_ELEMENT,
                         GST_DEBUG_CATEGORY_INIT (gst_weir_send_debug, "weirsend", 0,
                                                  "Weir's sending element"));
GST_ELEMENT_REGISTER_DEFINE (weirsend, "weirsend", GST_RANK_NONE, GST_TYPE_WEIR_SEND);

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *templ, G_GNUC_UNUSED const gchar *name,
                 G_GNUC_UNUSED const GstCaps *caps)
{
  return gst_weir_rtcp_pads_request (&GST_WEIR_SEND (element)->rtcp, templ);
}

static void
release_pad (GstElement *element, GstPad *pad)
{
  gst_weir_rtcp_pads_release (&GST_WEIR_SEND (element)->rtcp, pad);
}

/* --- From READY to PAUSED and back --- */

/* media_flows: there should be one by now. */
static void
find_encoders (GstWeirSend *self, gboolean media_flows)
{
  gst_weir_member_lock (&self->member);
  g_autofree gchar *names = g_strdup (self->settings.encoders);
  gst_weir_member_unlock (&self->member);
  gst_weir_send_encoders_find (&self->encoders, names, media_flows);
  gst_weir_repair_find (self->repair, self->input.pad, media_flows);
}

static void
reset_locked (GstWeirSend *self, gint64 now_ns)
{
  self->sender_reports.rest_ns = WEIR_UNKNOWN_NS;
  self->pacer.repair_packets = 0;
  gst_weir_fill_reset (&self->pacer.fill);
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
  gst_weir_member_lock (&self->member);
  g_autofree gchar *location = g_strdup (self->settings.trace_location);
  guint64 max_bytes = self->settings.trace_max_bytes;
  gst_weir_member_unlock (&self->member);
  gboolean opened = gst_weir_report_open_trace (&self->report, location, max_bytes);
  self->member.trace_location = self->report.trace.location;
  return opened;
}

/* What is this member's own. FALSE with *why (free it). */
static gboolean
prepare (GstWeirSend *self, gchar **why)
{
  gst_weir_member_lock (&self->member);
  gst_weir_send_note_overhead_locked (self);
  reset_locked (self, gst_weir_member_now (&self->member));
  gboolean ok = gst_weir_send_check_limits (&self->settings, why)
                && gst_weir_send_queue_start_locked (&self->queue, why);
  gst_weir_member_unlock (&self->member);
  return ok;
}

static gboolean
begin_session (GstWeirSend *self)
{
  g_autofree gchar *why = NULL;
  GstWeirRemarks remarks = { g_ptr_array_new (), 0 };
  gboolean ok = prepare (self, &why) && gst_weir_group_join (&self->member, &remarks, &why);
  gst_weir_path_settings_notify (GST_ELEMENT (self), remarks.changed);
  for (guint i = 0; i < remarks.texts->len; i++) {
    gst_weir_report_complain (&self->report, g_ptr_array_index (remarks.texts, i));
  }
  g_ptr_array_unref (remarks.texts);
  if (!ok) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", why), (NULL));
  }
  return ok;
}

/* After the pads were deactivated: no thread of ours runs any more; an RTP session's may still call
 * until it has been left. */
static void
stop (GstWeirSend *self)
{
  gst_weir_rtcp_pads_stop (&self->rtcp);
  gst_weir_send_forget_surroundings (self);
  gst_weir_send_encoders_stop (&self->encoders);
  gst_weir_repair_stop (self->repair);
  gst_weir_group_leave (&self->member);
  gst_weir_send_queue_stop (&self->queue);
  self->member.trace_location = NULL;
  gst_weir_report_close_trace (&self->report);
}

/* Before the pads are activated. FALSE: an error was posted. */
static gboolean
start (GstWeirSend *self)
{
  g_autofree gchar *why = NULL;
  gst_weir_properties_check_times (GST_ELEMENT (self));
  gst_weir_report_post_complaints (&self->report);
  gst_weir_input_start (&self->input);
  if (!gst_weir_rtcp_pads_start (&self->rtcp, &why)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", why), (NULL));
    return FALSE;
  }
  if (!open_trace (self) || !begin_session (self)) {
    stop (self);
    return FALSE;
  }
  gst_weir_send_encoders_start (&self->encoders);
  gst_weir_repair_start (self->repair);
  find_encoders (self, FALSE);
  return TRUE;
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstWeirSend *self = GST_WEIR_SEND (element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self)) {
    return GST_STATE_CHANGE_FAILURE;
  }
  GstStateChangeReturn result
      = GST_ELEMENT_CLASS (gst_weir_send_parent_class)->change_state (element, transition);
  gboolean failed_start
      = transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY || failed_start) {
    stop (self);
  }
  return result;
}

/* Media passes from sink to src and nowhere else: the RTCP pads are no part of it, whatever caps,
 * events or queries come. */
static GstIterator *
media_links (GstPad *pad, GstObject *parent)
{
  GstWeirSend *self = GST_WEIR_SEND (parent);
  return gst_weir_iterate_one (pad == self->input.pad ? self->pacer.pad : self->input.pad);
}

/* --- What the objects report --- */

static void
on_output (GstWeirMember *member, const struct weir_output *former, gint64 now_ns)
{
  GstWeirSend *self = (GstWeirSend *) member->element;
  if (member->output.target_media_bps != former->target_media_bps) {
    gst_weir_encoders_set_target (self->encoders.driven, member->output.target_media_bps, now_ns);
    gst_weir_report_on_target (&self->report, member->output.target_media_bps, now_ns);
  }
  if (((former->state ^ member->output.state) & WEIR_STATE_BREAKER_CEASED) != 0) {
    self->report.watch.look_ns = now_ns;
  }
}

static gboolean
skips_frame (GstElement *element, GstElement *encoder)
{
  GstWeirSend *self = GST_WEIR_SEND (element);
  gboolean skips = gst_weir_send_queue_skips_frame (&self->queue);
  gst_weir_encoders_on_frame (self->encoders.driven, encoder, skips);
  return skips;
}

static void
on_report (GstWeirMember *member, gint64 now_ns)
{
  gst_weir_sender_reports_push (&((GstWeirSend *) member->element)->sender_reports, now_ns);
}

static void
on_trace (GstWeirMember *member, const struct weir_trace_record *record)
{
  GstWeirReport *report = &((GstWeirSend *) member->element)->report;
  if (gst_weir_report_on_trace (report, record)
      && gst_weir_report_next_ns (report) < member->waiter.until_ns) {
    gst_weir_member_wake_locked (member);
  }
}

static const GstWeirMemberEvents member_events = {
  .on_output_locked = on_output,
  .next_due_locked = gst_weir_send_next_due_locked,
  .report_locked = on_report,
  .on_trace_locked = on_trace,
};

static void
on_rtcp (GstElement *element, GstBuffer *rtcp)
{
  gst_weir_feedback_on_rtcp (&GST_WEIR_SEND (element)->member, rtcp);
}

/* What we are linked to, or how that is set. */
static void
on_surroundings (GstElement *element)
{
  g_atomic_int_set (&GST_WEIR_SEND (element)->look_around, TRUE);
}

static const GstWeirRtcpEvents rtcp_events = { .on_rtcp = on_rtcp, .on_change = on_surroundings };

static void
on_session_rtcp (GstElement *element, GstBuffer *rtcp)
{
  gst_weir_feedback_on_session_rtcp (&GST_WEIR_SEND (element)->member, rtcp);
}

static gboolean
on_session_sending_rtcp (GstElement *element, GstBuffer *rtcp)
{
  gst_weir_feedback_on_session_report (&GST_WEIR_SEND (element)->member, rtcp);
  return FALSE;
}

static void
on_session_numbers (GstElement *element, const struct weir_rtp_info *packets, guint n)
{
  gst_weir_feedback_on_numbers (&GST_WEIR_SEND (element)->member, packets, n);
}

static const GstWeirRtpSessionEvents rtp_session_events
    = { .on_rtcp = on_session_rtcp, .on_sending_rtcp = on_session_sending_rtcp };

/* Every event goes on upstream: others may use it too. */
static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstWeirSend *self = GST_WEIR_SEND (parent);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM) {
    gst_weir_feedback_on_event (&self->member, event);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    /* Something was linked or unlinked: look again for encoders, too. */
    gst_weir_input_look_again (&self->input);
    g_atomic_int_set (&self->look_around, TRUE);
  }
  return gst_pad_event_default (pad, parent, event);
}

static void
on_caps (GstElement *element, const GstWeirRtpCaps *caps)
{
  g_atomic_int_set (&GST_WEIR_SEND (element)->rtp_session.transport_seq_id, caps->transport_seq_id);
}

static void
on_streams (GstElement *element)
{
  find_encoders (GST_WEIR_SEND (element), TRUE);
}

static void
on_custom_event (GstElement *element, GstEvent *event)
{
  gst_weir_feedback_on_event (&GST_WEIR_SEND (element)->member, event);
}

static const GstWeirInputEvents input_events
    = { .on_caps = on_caps, .on_streams = on_streams, .on_custom_event = on_custom_event };

/* --- Making it --- */

static void
add_media_pads (GstWeirSend *self)
{
  GstElement *element = GST_ELEMENT (self);
  GstPad *srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_weir_send_queue_init (&self->queue, &self->member);
  gst_weir_pacer_init (&self->pacer, srcpad, element, &self->member, &self->queue,
                       &gst_weir_send_pacer_events);
  gst_pad_set_event_function (srcpad, src_event);
  GstPad *sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_weir_send_encoders_init (&self->encoders, element, sinkpad, &self->report);
  gst_weir_encoders_set_skips (self->encoders.driven, element, skips_frame);
  self->repair = gst_weir_repair_new (self->clock, &gst_weir_send_repair_events, self);
  gst_weir_input_init (&self->input, sinkpad, element, &self->queue, &self->pacer,
                       self->encoders.driven, self->repair, &self->report, &input_events);
  gst_pad_set_iterate_internal_links_function (sinkpad, media_links);
  gst_pad_set_iterate_internal_links_function (srcpad, media_links);
  gst_element_add_pad (element, sinkpad);
  gst_element_add_pad (element, srcpad);
}

static void
gst_weir_send_init (GstWeirSend *self)
{
  self->clock = gst_system_clock_obtain ();
  gst_weir_member_init (&self->member, GST_ELEMENT (self), &self->settings, self->clock,
                        &member_events);
  gst_weir_report_init (&self->report, GST_ELEMENT (self));
  gst_weir_send_settings_init (&self->settings);
  gst_weir_rtcp_pads_init (&self->rtcp, GST_ELEMENT (self), self->clock, &rtcp_events);
  self->sender_reports = (GstWeirSenderReports){ .member = &self->member, .pads = &self->rtcp };
  gst_weir_send_session_init (&self->rtp_session, GST_ELEMENT (self), &rtp_session_events,
                              on_session_numbers);
  gst_weir_network_init (&self->network, GST_ELEMENT (self), on_surroundings);
  gst_weir_send_note_overhead_locked (self); /* nobody else is there yet */
  add_media_pads (self);
}

static void
finalize (GObject *object)
{
  GstWeirSend *self = GST_WEIR_SEND (object);
  gst_weir_send_encoders_clear (&self->encoders);
  gst_weir_repair_free (self->repair);
  gst_weir_input_clear (&self->input);
  gst_weir_pacer_clear (&self->pacer);
  gst_weir_send_settings_clear (&self->settings);
  gst_weir_rtcp_pads_clear (&self->rtcp);
  gst_weir_rtp_session_clear (&self->rtp_session.rtp);
  gst_weir_report_clear (&self->report);
  gst_weir_member_clear (&self->member);
  gst_object_unref (self->clock);
  G_OBJECT_CLASS (gst_weir_send_parent_class)->finalize (object);
}

static gboolean
add_encoder (GstWeirSend *self, GstElement *encoder, gdouble weight, guint64 min_bps,
             guint64 max_bps)
{
  return gst_weir_send_encoders_add (&self->encoders, encoder, weight, min_bps, max_bps);
}

static gboolean
remove_encoder (GstWeirSend *self, GstElement *encoder)
{
  return encoder != NULL && gst_weir_encoders_remove (self->encoders.driven, encoder);
}

static void
install_signals (GstWeirSendClass *klass)
{
  /**
   * GstWeirSend::add-encoder:
   * @element: the encoder
   * @weight: its share of the budget, in proportion; above 0
   * @min: least bit/s it needs, 0: none
   * @max: most bit/s of use to it, 0: no limit
   *
   * Drives an encoder that is not found by itself. Returns TRUE when it can be driven.
   */
  signals[SIGNAL_ADD_ENCODER] = g_signal_new_class_handler (
      "add-encoder", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (add_encoder), NULL, NULL, NULL, G_TYPE_BOOLEAN, 4, GST_TYPE_ELEMENT,
      G_TYPE_DOUBLE, G_TYPE_UINT64, G_TYPE_UINT64);
  /**
   * GstWeirSend::remove-encoder:
   * @element: the encoder
   *
   * Leaves an encoder alone. Returns TRUE when it was driven.
   */
  signals[SIGNAL_REMOVE_ENCODER] = g_signal_new_class_handler (
      "remove-encoder", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (remove_encoder), NULL, NULL, NULL, G_TYPE_BOOLEAN, 1, GST_TYPE_ELEMENT);
}

static void
describe_element (GstElementClass *klass)
{
  gst_element_class_set_static_metadata (
      klass, "RTP congestion control sender", "Network/RTP/Filter",
      "Paces RTP, reads RTCP feedback (RFC 8888, TWCC, RR, XR, REMB) and drives the encoder's "
      "bitrate",
      "The Weir developers");
  gst_element_class_add_metadata (
      klass, "long-description",
      "Put it behind the payloader, before rtpbin's send_rtp_sink_0 or, without rtpbin, before "
      "udpsink sync=false. It finds the encoders upstream and the RTP session by itself. Without "
      "an RTP session, link the receiver's RTCP to rtcp_sink (udpsrc port=5005 ! s.rtcp_sink); "
      "sender reports leave on rtcp_src (link a udpsink sync=false async=false). A source that is "
      "not live needs clocksync before the encoder. When feedback is missing or rare, an element "
      "warning says why and what to set. Example: videotestsrc is-live=true ! x264enc "
      "tune=zerolatency ! rtph264pay ! weirsend name=s ! udpsink host=HOST port=5004 sync=false   "
      "udpsrc port=5005 ! s.rtcp_sink");
  gst_element_class_add_static_pad_template (klass, &sink_template);
  gst_element_class_add_static_pad_template (klass, &src_template);
  gst_weir_rtcp_pads_add_templates (klass);
  gst_type_mark_as_plugin_api (gst_weir_algorithm_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_weir_pacing_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_weir_queue_policy_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_weir_feedback_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_weir_repair_mode_get_type (), 0);
  gst_type_mark_as_plugin_api (gst_weir_ecn_get_type (), 0);
  gst_type_mark_as_plugin_api (GST_TYPE_WEIR_SRTP_CIPHER, 0);
}

static void
gst_weir_send_class_init (GstWeirSendClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->finalize = finalize;
  element_class->change_state = change_state;
  element_class->request_new_pad = request_new_pad;
  element_class->release_pad = release_pad;
  gst_weir_send_install_properties (object_class);
  install_signals (klass);
  describe_element (element_class);
}
