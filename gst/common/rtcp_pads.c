/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTCP pads: what comes in on rtcp_sink is opened and handed to the element; what leaves waits
 * in a queue for the task of rtcp_src. */
#include "common/rtcp_pads.h"

#define MAX_WAITING 256
#define RTCP_CAPS GST_STATIC_CAPS ("application/x-rtcp(ANY); application/x-srtcp(ANY)")

void
gst_weir_rtcp_pads_add_templates (GstElementClass *klass)
{
  static GstStaticPadTemplate sink_template
      = GST_STATIC_PAD_TEMPLATE ("rtcp_sink", GST_PAD_SINK, GST_PAD_REQUEST, RTCP_CAPS);
  static GstStaticPadTemplate src_template
      = GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_REQUEST, RTCP_CAPS);
  gst_element_class_add_static_pad_template (klass, &sink_template);
  gst_element_class_add_static_pad_template (klass, &src_template);
}

void
gst_weir_rtcp_pads_init (GstWeirRtcpPads *self, GstElement *element, GstClock *clock,
                         const GstWeirRtcpEvents *events)
{
  *self = (GstWeirRtcpPads){ .element = element,
                             .clock = clock,
                             .events = events,
                             .passes = TRUE,
                             .flushing = TRUE,
                             .waiting = G_QUEUE_INIT };
  gst_weir_srtcp_init (&self->srtcp);
  g_mutex_init (&self->activation);
  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
}

void
gst_weir_rtcp_pads_clear (GstWeirRtcpPads *self)
{
  g_queue_clear_full (&self->waiting, (GDestroyNotify) gst_mini_object_unref);
  gst_weir_srtcp_clear (&self->srtcp);
  g_cond_clear (&self->wake);
  g_mutex_clear (&self->lock);
  g_mutex_clear (&self->activation);
}

/* Takes object. When the oldest has waited too long it goes. Returns what does not wait, or NULL.
 */
static GstMiniObject *
enqueue (GstWeirRtcpPads *self, GstMiniObject *object)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  if (self->srcpad == NULL || self->flushing || self->ended) {
    return object;
  }
  g_queue_push_tail (&self->waiting, object);
  g_cond_signal (&self->wake);
  return g_queue_get_length (&self->waiting) > MAX_WAITING ? g_queue_pop_head (&self->waiting)
                                                           : NULL;
}

static void
enqueue_end_locked (GstWeirRtcpPads *self)
{
  if (self->srcpad != NULL && !self->flushing) {
    g_queue_push_tail (&self->waiting, gst_event_new_eos ());
    g_cond_signal (&self->wake);
  }
}

GstMiniObject *
gst_weir_rtcp_pads_push (GstWeirRtcpPads *self, GstBuffer *rtcp)
{
  GstBuffer *sealed = gst_weir_srtcp_seal (&self->srtcp, rtcp);
  return sealed != NULL ? enqueue (self, GST_MINI_OBJECT_CAST (sealed)) : NULL;
}

void
gst_weir_rtcp_pads_set_ended (GstWeirRtcpPads *self, gboolean ended)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  if (ended && !self->ended) {
    enqueue_end_locked (self);
  }
  self->ended = ended;
}

gboolean
gst_weir_rtcp_pads_linked (GstWeirRtcpPads *self, GstPadDirection direction)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GstPad *pad = direction == GST_PAD_SINK ? self->sinkpad : self->srcpad;
  return pad != NULL && gst_pad_is_linked (pad);
}

GstPad *
gst_weir_rtcp_pads_get_srcpad (GstWeirRtcpPads *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->srcpad != NULL ? gst_object_ref (self->srcpad) : NULL;
}

void
gst_weir_rtcp_pads_set_passing (GstWeirRtcpPads *self, gboolean passes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->passes = passes;
}

/* --- rtcp_sink --- */

void
gst_weir_rtcp_pads_warn_of_refused (GstWeirRtcpPads *self)
{
  g_autofree gchar *text
      = gst_weir_srtcp_take_warning (&self->srtcp, (gint64) gst_clock_get_time (self->clock));
  if (text != NULL) {
    GST_ELEMENT_WARNING_WITH_DETAILS (self->element, STREAM, DECRYPT, ("%s", text), (NULL),
                                      ("weir-warning", G_TYPE_STRING, "srtcp", NULL));
  }
}

/* Takes buffer. What passes stays as it came: encrypted, with a key. */
static GstFlowReturn
rtcp_chain (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstBuffer *buffer)
{
  GstWeirRtcpPads *self = gst_pad_get_element_private (pad);
  GstBuffer *opened = gst_weir_srtcp_open (&self->srtcp, buffer);
  if (opened == NULL) { /* it is not from the peer */
    gst_weir_rtcp_pads_warn_of_refused (self);
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  self->events->on_rtcp (self->element, opened);
  gst_buffer_unref (opened);
  g_mutex_lock (&self->lock);
  gboolean passes = self->passes;
  g_mutex_unlock (&self->lock);
  GstMiniObject *spent = GST_MINI_OBJECT_CAST (buffer);
  if (passes) {
    spent = enqueue (self, spent);
  }
  g_clear_pointer (&spent, gst_mini_object_unref);
  return GST_FLOW_OK;
}

/* rtcp_src describes its stream itself, and the end of what comes in is not the end of it. */
static gboolean
rtcp_sink_event (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* --- rtcp_src and its task --- */

/* Waits for something to push. NULL: flushing. */
static GstMiniObject *
dequeue (GstWeirRtcpPads *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  while (!self->flushing && g_queue_is_empty (&self->waiting)) {
    g_cond_wait (&self->wake, &self->lock);
  }
  return self->flushing ? NULL : g_queue_pop_head (&self->waiting);
}

/* A stream of our own, whatever comes in on the sink pads. */
static void
describe_stream (GstWeirRtcpPads *self, GstPad *pad)
{
  GstSegment segment;
  g_autofree gchar *id = g_strdup_printf ("weir-rtcp-%08x%08x", g_random_int (), g_random_int ());
  gst_pad_push_event (pad, gst_event_new_stream_start (id));
  g_autoptr (GstCaps) caps = gst_weir_srtcp_make_caps (&self->srtcp);
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

/* Has its stream begun, and not ended? */
static gboolean
is_described (GstPad *pad)
{
  g_autoptr (GstEvent) segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  g_autoptr (GstEvent) eos = gst_pad_get_sticky_event (pad, GST_EVENT_EOS, 0);
  return segment != NULL && eos == NULL;
}

static void
push_next (gpointer user)
{
  GstPad *pad = user;
  GstWeirRtcpPads *self = gst_pad_get_element_private (pad);
  GstMiniObject *object = dequeue (self);
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

/* Nothing is done for a pad that is none any more: a state change may still be busy with it. */
static void
set_flushing (GstWeirRtcpPads *self, GstPad *pad, gboolean flushing)
{
  GQueue spent = G_QUEUE_INIT;
  g_mutex_lock (&self->lock);
  if (pad == self->srcpad) {
    self->flushing = flushing;
    if (flushing) {
      spent = self->waiting;
      g_queue_init (&self->waiting);
    }
    g_cond_signal (&self->wake);
  }
  g_mutex_unlock (&self->lock);
  g_queue_clear_full (&spent, (GDestroyNotify) gst_mini_object_unref);
}

/* A state change may still activate a pad that is being released. */
static gboolean
may_run (GstWeirRtcpPads *self, GstPad *pad)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  return self->runs && pad == self->srcpad && !self->srcpad_leaves;
}

/* What may not run is left alone. */
static gboolean
start_task (GstWeirRtcpPads *self, GstPad *pad)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->activation);
  if (!may_run (self, pad)) {
    return TRUE;
  }
  set_flushing (self, pad, FALSE);
  return gst_pad_start_task (pad, push_next, pad, NULL);
}

static gboolean
stop_task (GstWeirRtcpPads *self, GstPad *pad)
{
  set_flushing (self, pad, TRUE);
  return gst_pad_stop_task (pad);
}

/* A pad that is added to a running element is activated before it has a parent. */
static gboolean
rtcp_src_activate_mode (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstPadMode mode,
                        gboolean active)
{
  if (mode != GST_PAD_MODE_PUSH) {
    return FALSE;
  }
  GstWeirRtcpPads *self = gst_pad_get_element_private (pad);
  return active ? start_task (self, pad) : stop_task (self, pad);
}

/* rtcp_src, with a reference, or NULL. */
static GstPad *
set_running (GstWeirRtcpPads *self, gboolean runs)
{
  g_autoptr (GMutexLocker) activation = g_mutex_locker_new (&self->activation);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  self->runs = runs;
  self->ended = FALSE;
  return self->srcpad != NULL ? gst_object_ref (self->srcpad) : NULL;
}

gboolean
gst_weir_rtcp_pads_start (GstWeirRtcpPads *self, gchar **why)
{
  if (!gst_weir_srtcp_start (&self->srtcp, why)) {
    return FALSE;
  }
  g_autoptr (GstPad) pad = set_running (self, TRUE);
  if (pad != NULL && gst_pad_is_active (pad)) {
    start_task (self, pad);
  }
  return TRUE;
}

void
gst_weir_rtcp_pads_stop (GstWeirRtcpPads *self)
{
  g_autoptr (GstPad) pad = set_running (self, FALSE);
  if (pad != NULL) {
    stop_task (self, pad);
  }
}

/* What is linked after the end has to hear of it. */
static void
repeat_end (GstWeirRtcpPads *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  if (self->ended) {
    enqueue_end_locked (self);
  }
}

/* Something else is linked now: it may be a session, or the network. */
static gboolean
rtcp_src_event (GstPad *pad, G_GNUC_UNUSED GstObject *parent, GstEvent *event)
{
  GstWeirRtcpPads *self = gst_pad_get_element_private (pad);
  if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    repeat_end (self);
    self->events->on_change (self->element);
  }
  gst_event_unref (event);
  return TRUE;
}

/* RTCP is not media: it adds no latency. */
static gboolean
rtcp_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstWeirRtcpPads *self = gst_pad_get_element_private (pad);
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
    return TRUE;
  }
  return gst_weir_srtcp_answer_caps (&self->srtcp, query)
         || gst_pad_query_default (pad, parent, query);
}

/* --- Pads come and go --- */

static GstIterator *
no_internal_links (G_GNUC_UNUSED GstPad *pad, G_GNUC_UNUSED GstObject *parent)
{
  return NULL;
}

static GstPad *
make_pad (GstWeirRtcpPads *self, GstPadTemplate *templ)
{
  GstPad *pad = gst_pad_new_from_template (templ, GST_PAD_TEMPLATE_NAME_TEMPLATE (templ));
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
  return pad;
}

static gboolean
claim_place (GstWeirRtcpPads *self, GstPad *pad)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  GstPad **place = GST_PAD_IS_SINK (pad) ? &self->sinkpad : &self->srcpad;
  if (*place != NULL) {
    return FALSE;
  }
  *place = pad;
  return TRUE;
}

static gboolean
is_running (GstElement *element)
{
  GST_OBJECT_LOCK (element);
  gboolean running
      = GST_STATE (element) > GST_STATE_READY || GST_STATE_NEXT (element) == GST_STATE_PAUSED;
  GST_OBJECT_UNLOCK (element);
  return running;
}

GstPad *
gst_weir_rtcp_pads_request (GstWeirRtcpPads *self, GstPadTemplate *templ)
{
  GstPad *pad = make_pad (self, templ);
  if (!claim_place (self, pad)) {
    gst_object_unref (gst_object_ref_sink (pad));
    return NULL;
  }
  self->events->on_change (self->element);
  if (is_running (self->element)) {
    gst_pad_set_active (pad, TRUE);
  }
  gst_element_add_pad (self->element, pad);
  return pad;
}

/* The place is free when the pad is done with it, and gone: its task would serve the next one's
 * queue, and the element would refuse a second pad of its name. A state change may be stopping the
 * task at the same time: then the pad counts as inactive already, but the task may still run. */
void
gst_weir_rtcp_pads_release (GstWeirRtcpPads *self, GstPad *pad)
{
  g_mutex_lock (&self->activation);
  g_mutex_lock (&self->lock);
  self->srcpad_leaves |= pad == self->srcpad;
  g_mutex_unlock (&self->lock);
  g_mutex_unlock (&self->activation);
  gst_pad_set_active (pad, FALSE);
  if (GST_PAD_IS_SRC (pad)) {
    stop_task (self, pad);
  }
  gst_element_remove_pad (self->element, gst_object_ref (pad));
  g_mutex_lock (&self->lock);
  if (pad == self->sinkpad) {
    self->sinkpad = NULL;
  } else if (pad == self->srcpad) {
    self->srcpad = NULL;
    self->srcpad_leaves = FALSE;
  }
  g_mutex_unlock (&self->lock);
  gst_object_unref (pad);
}
