/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP pads. What comes in on rtcp_sink is read and goes on to rtcp_src; without an RTP session
 * the session's own sender reports leave there too. With a key both carry SRTCP, and what does not
 * authenticate is dropped. rtcp_src has a task of its own, so that a sink
 * that blocks (preroll) holds up neither the media nor the RTCP that comes in. */
#include "send/weirsend_private.h"

#define GST_CAT_DEFAULT gst_weir_send_debug
#define MAX_WAITING 256
#define REPORT_BYTES 1200
/* A member of whose streams nothing has been sent is asked again this much later. */
#define REPORT_REST_NS WEIR_MS (500)

static void
queue_rtcp_locked (GstWeirSend *self, GstMiniObject *object)
{
  g_queue_push_tail (&self->rtcp_out, object);
  if (g_queue_get_length (&self->rtcp_out) > MAX_WAITING) {
    gst_mini_object_unref (g_queue_pop_head (&self->rtcp_out));
  }
  g_cond_signal (&self->rtcp_wake);
}

/* Do we send sender reports ourselves? */
gboolean
gst_weir_send_reports_locked (GstWeirSend *self)
{
  return self->rtcp_srcpad != NULL && self->session.object == NULL
         && gst_pad_is_linked (self->rtcp_srcpad);
}

/* A group's member reports on its own streams. */
static void
queue_report_locked (GstWeirSend *self, gint64 now_ns)
{
  guint8 bytes[REPORT_BYTES];
  gsize length = 0;
  guint64 ntp_time = weir_ntp_from_unix_ns (g_get_real_time () * 1000);
  struct weir_sender *sender = self->path->sender;
  enum weir_status status
      = self->path->shares == NULL
            ? weir_sender_build_report (sender, now_ns, ntp_time, bytes, sizeof bytes, &length)
            : weir_sender_build_report_of (sender, now_ns, ntp_time, self->ssrcs, self->n_ssrcs,
                                           bytes, sizeof bytes, &length);
  if (status == WEIR_OK && length > 0) {
    GstBuffer *report = gst_weir_srtcp_seal (&self->srtcp, gst_buffer_new_memdup (bytes, length));
    if (report != NULL) {
      queue_rtcp_locked (self, GST_MINI_OBJECT_CAST (report));
    }
  }
  self->report_rest_ns = status == WEIR_OK ? now_ns : weir_time_add_ns (now_ns, REPORT_REST_NS);
}

/* When this member's next one is due; WEIR_NEVER_NS. */
gint64
gst_weir_send_next_report_ns_locked (GstWeirSend *self)
{
  return gst_weir_send_reports_locked (self)
             ? weir_max_i64 (weir_sender_next_report_ns (self->path->sender), self->report_rest_ns)
             : WEIR_NEVER_NS;
}

/* Those that are due, of all members: they are due together. */
void
gst_weir_send_queue_reports_locked (GstWeirSend *self, gint64 now_ns)
{
  GstWeirPath *path = self->path;
  if (weir_sender_next_report_ns (path->sender) > now_ns) {
    return;
  }
  for (guint i = 0; i < path->n_members; i++) {
    GstWeirSend *member = path->members[i];
    if (gst_weir_send_reports_locked (member) && member->report_rest_ns <= now_ns) {
      queue_report_locked (member, now_ns);
    }
  }
}

/* The media has ended: so has our RTCP. */
void
gst_weir_send_queue_rtcp_eos_locked (GstWeirSend *self)
{
  if (self->rtcp_srcpad != NULL) {
    queue_rtcp_locked (self, GST_MINI_OBJECT_CAST (gst_event_new_eos ()));
  }
}

static void
warn_of_refused (GstWeirSend *self)
{
  gchar *text = gst_weir_srtcp_take_warning (&self->srtcp, gst_weir_send_now (self));
  if (text != NULL) {
    GST_ELEMENT_WARNING_WITH_DETAILS (self, STREAM, DECRYPT, ("%s", text), (NULL),
                                      ("weir-warning", G_TYPE_STRING, "srtcp", NULL));
    g_free (text);
  }
}

/* FALSE: it is not from the peer. */
static gboolean
read_rtcp (GstWeirSend *self, GstBuffer *buffer)
{
  GstBuffer *opened = gst_weir_srtcp_open (&self->srtcp, buffer);
  if (opened == NULL) {
    warn_of_refused (self);
    return FALSE;
  }
  gst_weir_send_feed_rtcp (self, opened);
  gst_buffer_unref (opened);
  return TRUE;
}

/* What passes stays as it came: encrypted, with a key. */
static GstFlowReturn
rtcp_chain (G_GNUC_UNUSED GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstWeirSend *self = GST_WEIR_SEND (parent);
  if (!read_rtcp (self, buffer)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  gst_weir_send_lock (self);
  if (self->rtcp_srcpad != NULL && self->rtcp_passes && !self->rtcp_flushing) {
    queue_rtcp_locked (self, GST_MINI_OBJECT_CAST (g_steal_pointer (&buffer)));
  }
  gst_weir_send_unlock (self);
  gst_clear_buffer (&buffer);
  return GST_FLOW_OK;
}

/* rtcp_src describes its stream itself, and the end of what comes in is not the end of it. */
static gboolean
rtcp_sink_event (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

static GstIterator *
no_internal_links (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstObject *parent)
{
  return NULL;
}

/* Waits for something to push. NULL: flushing. */
static GstMiniObject *
next_rtcp (GstWeirSend *self)
{
  GstMiniObject *object = NULL;
  gst_weir_send_lock (self);
  while (!self->rtcp_flushing && g_queue_is_empty (&self->rtcp_out)) {
    gst_weir_send_wait_locked (self, &self->rtcp_wake);
  }
  if (!self->rtcp_flushing) {
    object = g_queue_pop_head (&self->rtcp_out);
  }
  gst_weir_send_unlock (self);
  return object;
}

/* A stream of our own, whatever comes in on the sink pads. */
static void
describe_stream (GstWeirSend *self, GstPad *pad)
{
  GstSegment segment;
  gchar *id = g_strdup_printf ("weir-rtcp-%08x%08x", g_random_int (), g_random_int ());
  gst_pad_push_event (pad, gst_event_new_stream_start (id));
  GstCaps *caps = gst_weir_srtcp_make_caps (&self->srtcp);
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  g_free (id);
}

static gboolean
is_described (GstPad *pad)
{
  GstEvent *segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  gboolean described = segment != NULL;
  gst_clear_event (&segment);
  return described;
}

static void
rtcp_turn (gpointer user)
{
  GstPad *pad = user;
  GstWeirSend *self = gst_pad_get_element_private (pad);
  GstMiniObject *object = next_rtcp (self);
  if (object == NULL) {
    gst_pad_pause_task (pad);
    return;
  }
  if (!is_described (pad)) {
    describe_stream (self, pad);
  }
  if (GST_IS_EVENT (object)) {
    gst_pad_push_event (pad, GST_EVENT_CAST (object));
  } else {
    gst_pad_push (pad, GST_BUFFER_CAST (object));
  }
}

static void
set_rtcp_flushing (GstWeirSend *self, gboolean flushing)
{
  gst_weir_send_lock (self);
  self->rtcp_flushing = flushing;
  if (flushing) {
    g_queue_clear_full (&self->rtcp_out, (GDestroyNotify) gst_mini_object_unref);
  }
  g_cond_signal (&self->rtcp_wake);
  gst_weir_send_unlock (self);
}

/* A pad that is added to a running element is activated before it has a parent. */
static gboolean
rtcp_src_activate_mode (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstPadMode mode,
                        gboolean active)
{
  if (mode != GST_PAD_MODE_PUSH) {
    return FALSE;
  }
  set_rtcp_flushing (gst_pad_get_element_private (pad), !active);
  return active ? gst_pad_start_task (pad, rtcp_turn, pad, NULL) : gst_pad_stop_task (pad);
}

/* Something else is linked now: it may be a session, or the network. */
static gboolean
rtcp_src_event (G_GNUC_UNUSED GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstWeirSend *self = GST_WEIR_SEND (parent);
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    gst_weir_send_lock (self);
    self->discover_session = TRUE;
    gst_weir_send_unlock (self);
  }
  gst_event_unref (event);
  return TRUE;
}

/* RTCP is not media: it adds no latency. */
static gboolean
rtcp_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
    return TRUE;
  }
  return gst_weir_srtcp_answer_caps (&GST_WEIR_SEND (parent)->srtcp, query)
         || gst_pad_query_default (pad, parent, query);
}

static void
setup_rtcp_pad (GstWeirSend *self, GstPad *pad)
{
  gst_pad_set_element_private (pad, self);
  gst_pad_set_iterate_internal_links_function (pad, no_internal_links);
  if (GST_PAD_IS_SINK (pad)) {
    gst_pad_set_chain_function (pad, rtcp_chain);
    gst_pad_set_event_function (pad, rtcp_sink_event);
  } else {
    gst_pad_set_activatemode_function (pad, rtcp_src_activate_mode);
    gst_pad_set_event_function (pad, rtcp_src_event);
    gst_pad_set_query_function (pad, rtcp_src_query);
    gst_pad_use_fixed_caps (pad);
  }
}

static gboolean
claim_rtcp_pad (GstWeirSend *self, GstPad *pad)
{
  gst_weir_send_lock (self);
  GstPad **place = GST_PAD_IS_SINK (pad) ? &self->rtcp_sinkpad : &self->rtcp_srcpad;
  gboolean is_free = *place == NULL;
  if (is_free) {
    *place = pad;
    self->discover_session = TRUE;
  }
  gst_weir_send_unlock (self);
  return is_free;
}

static gboolean
is_running (GstWeirSend *self)
{
  GST_OBJECT_LOCK (self);
  gboolean running
      = GST_STATE (self) > GST_STATE_READY || GST_STATE_NEXT (self) == GST_STATE_PAUSED;
  GST_OBJECT_UNLOCK (self);
  return running;
}

/* NULL when there is one already. */
GstPad *
gst_weir_send_add_rtcp_pad (GstWeirSend *self, GstPadTemplate *templ)
{
  GstPad *pad = gst_pad_new_from_template (templ, GST_PAD_TEMPLATE_NAME_TEMPLATE (templ));
  setup_rtcp_pad (self, pad);
  if (!claim_rtcp_pad (self, pad)) {
    gst_object_unref (gst_object_ref_sink (pad));
    return NULL;
  }
  if (is_running (self)) {
    gst_pad_set_active (pad, TRUE);
  }
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

void
gst_weir_send_remove_rtcp_pad (GstWeirSend *self, GstPad *pad)
{
  gst_weir_send_lock (self);
  if (pad == self->rtcp_sinkpad) {
    self->rtcp_sinkpad = NULL;
  } else if (pad == self->rtcp_srcpad) {
    self->rtcp_srcpad = NULL;
  }
  gst_weir_send_unlock (self);
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (GST_ELEMENT (self), pad);
}
