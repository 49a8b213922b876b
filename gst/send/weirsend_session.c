/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of the sending session: made at READY to PAUSED, gone at PAUSED to READY. */
#include "send/weirsend_private.h"

#define GST_CAT_DEFAULT gst_weir_send_debug
#define MAX_PARAMS 64
#define NOTIFY_NS WEIR_MS (50)
#define NOTIFY_PERCENT 1

/* The queue gives an item back; freeing it may run foreign code, so that waits for the lock. */
static void
on_drop (void *user, const struct weir_queue_item *queued)
{
  GstWeirSend *self = user;
  GstWeirSendItem *item = queued->packet;
  item->next = self->spent;
  self->spent = item;
}

/* A list, newest first, to be freed without the lock. */
GstWeirSendItem *
gst_weir_send_take_spent_locked (GstWeirSend *self)
{
  return g_steal_pointer (&self->spent);
}

void
gst_weir_send_free_items (GstWeirSendItem *items)
{
  while (items != NULL) {
    GstWeirSendItem *next = items->next;
    g_clear_pointer (&items->object, gst_mini_object_unref);
    g_slice_free (GstWeirSendItem, items);
    items = next;
  }
}

static void
on_trace (void *user, const struct weir_trace_record *record)
{
  gst_weir_trace_record (&((GstWeirSend *) user)->trace, record);
}

/* Applications hear of a change of one percent or more, at most twenty times a second. */
static void
plan_notification_locked (GstWeirSend *self, gint64 now_ns)
{
  gint64 before_bps = self->target_notified_bps;
  gint64 change_bps = ABS (self->output.target_media_bps - before_bps);
  if (change_bps == 0 || change_bps * 100 < before_bps * NOTIFY_PERCENT) {
    self->notify_due_ns = WEIR_NEVER_NS;
  } else if (self->notify_due_ns == WEIR_NEVER_NS) {
    gint64 earliest_ns
        = self->notified_ns == WEIR_UNKNOWN_NS ? now_ns : self->notified_ns + NOTIFY_NS;
    self->notify_due_ns = weir_max_i64 (now_ns, earliest_ns);
  }
}

/* Asks the session for its answer and hands it on. Call it after anything that may change it. */
void
gst_weir_send_update_output_locked (GstWeirSend *self, gint64 now_ns)
{
  gint64 before_bps = self->output.target_media_bps;
  guint32 before_state = self->output.state;
  weir_sender_get_output (self->sender, &self->output);
  if (self->output.target_media_bps != before_bps) {
    gst_weir_encoders_set_target (self->encoders, self->output.target_media_bps, now_ns);
    plan_notification_locked (self, now_ns);
  }
  if (((before_state ^ self->output.state) & WEIR_STATE_BREAKER_CEASED) != 0) {
    self->watch.look_ns = now_ns;
  }
}

/* The session as set. NULL with *why (free it) when a setting is wrong. */
static struct weir_sender *
create_sender_locked (GstWeirSend *self, gchar **why)
{
  const GstWeirSendSettings *settings = &self->settings;
  struct weir_param_value values[MAX_PARAMS];
  struct weir_sender_config config;
  enum weir_status status = WEIR_OK;
  weir_sender_config_init (&config);
  if (!gst_weir_send_check_limits (settings, why)) {
    return NULL;
  }
  config.n_params
      = gst_weir_params_read (settings->params, settings->algorithm, values, MAX_PARAMS, why);
  if (*why != NULL) {
    return NULL;
  }
  gchar *cname = g_strdup_printf ("weir-%08x", g_random_int ());
  config.params = values;
  config.algorithm = settings->algorithm;
  gst_weir_send_get_limits (settings, &config.limits);
  config.overhead_bytes = gst_weir_send_overhead_bytes (settings);
  config.feedback_formats = settings->feedback;
  config.pacing = settings->pacing;
  config.local_ssrc = g_random_int ();
  config.cname = cname;
  config.seed = (guint64) g_random_int () << 32 | g_random_int ();
  config.on_trace = self->trace.file != NULL ? on_trace : NULL;
  config.trace_user = self;
  struct weir_sender *sender = weir_sender_create (&config, gst_weir_send_now (self), &status);
  if (sender == NULL) {
    *why = g_strdup_printf ("algorithm=%s: %s", settings->algorithm, weir_status_text (status));
  }
  g_free (cname);
  return sender;
}

static struct weir_queue *
create_queue_locked (GstWeirSend *self, gchar **why)
{
  struct weir_queue_config config;
  enum weir_status status = WEIR_OK;
  weir_queue_config_init (&config);
  config.policy = (enum weir_queue_policy) self->settings.queue_policy;
  config.max_time_ns = (gint64) self->settings.max_queue_time_ns;
  config.on_drop = on_drop;
  config.user = self;
  self->queue_packets = config.max_packets / 2;
  struct weir_queue *queue = weir_queue_create (&config, &status);
  if (queue == NULL) {
    *why = g_strdup_printf ("send queue: %s", weir_status_text (status));
  }
  return queue;
}

static void
reset_input_locked (GstWeirSend *self)
{
  self->caps = (GstWeirSendCaps){ 0 };
  self->has_input_ssrc = FALSE;
  self->several_ssrcs = FALSE;
  self->has_key_frame = FALSE;
  self->live = TRUE;
  self->ask_live = TRUE;
  self->key_unit_ns = WEIR_UNKNOWN_NS;
  self->key_unit_wanted = FALSE;
  self->no_encoder_reported = FALSE;
  self->caps_refused = FALSE;
  g_atomic_int_set (&self->discover_encoders, TRUE);
}

static void
reset_task_locked (GstWeirSend *self, gint64 now_ns)
{
  self->last_flow = GST_FLOW_OK;
  self->eos_in = FALSE;
  self->flow_error_posted = FALSE;
  self->eos_deadline_ns = WEIR_NEVER_NS;
  self->stats_due_ns = self->settings.stats_interval_ns > 0
                           ? weir_time_add_ns (now_ns, (gint64) self->settings.stats_interval_ns)
                           : WEIR_NEVER_NS;
  self->notify_due_ns = WEIR_NEVER_NS;
  self->notified_ns = WEIR_UNKNOWN_NS;
  self->discover_session = TRUE;
  self->numbering = FALSE;
  self->has_transport_next = FALSE;
  self->rtcp_datagrams = 0;
  self->malformed_packets = 0;
  self->discarded_packets = 0;
  gst_weir_watch_init (&self->watch);
}

static gboolean
open_trace (GstWeirSend *self)
{
  GError *error = NULL;
  if (self->settings.trace_location == NULL
      || gst_weir_trace_open (&self->trace, self->settings.trace_location,
                              self->settings.trace_max_bytes, &error)) {
    return TRUE;
  }
  GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE, ("%s", error->message), (NULL));
  g_error_free (error);
  return FALSE;
}

static gboolean
create_session (GstWeirSend *self)
{
  gchar *why = NULL;
  gst_weir_send_lock (self);
  self->sender = create_sender_locked (self, &why);
  self->queue = why == NULL ? create_queue_locked (self, &why) : NULL;
  if (why == NULL) {
    gint64 now_ns = gst_weir_send_now (self);
    reset_input_locked (self);
    reset_task_locked (self, now_ns);
    self->output = (struct weir_output){ .target_media_bps = -1 };
    self->target_notified_bps = 0;
    gst_weir_send_update_output_locked (self, now_ns);
  }
  gst_weir_send_unlock (self);
  if (why != NULL) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", why), (NULL));
    g_free (why);
    return FALSE;
  }
  return TRUE;
}

/* Before the pads are activated. FALSE: an error was posted. */
gboolean
gst_weir_send_start (GstWeirSend *self)
{
  gst_weir_send_post_complaints (self);
  if (!open_trace (self)) {
    return FALSE;
  }
  if (!create_session (self)) {
    gst_weir_send_stop (self);
    return FALSE;
  }
  gst_weir_encoders_start (self->encoders);
  gst_weir_send_find_encoders (self, FALSE);
  return TRUE;
}

/* After the pads were deactivated: no thread of ours runs any more; an RTP session's may still call
 * until it has been left. */
void
gst_weir_send_stop (GstWeirSend *self)
{
  GError *error = NULL;
  gst_weir_send_leave_session (self);
  gst_weir_encoders_stop (self->encoders);
  gst_weir_send_drop_named_encoders (self);
  gst_weir_send_lock (self);
  g_clear_pointer (&self->queue, weir_queue_destroy);
  g_clear_pointer (&self->sender, weir_sender_destroy);
  GstWeirSendItem *spent = gst_weir_send_take_spent_locked (self);
  if (self->wait_id != NULL) {
    gst_clock_id_unref (g_steal_pointer (&self->wait_id));
  }
  gst_weir_send_unlock (self);
  gst_weir_send_free_items (spent);
  if (!gst_weir_trace_close (&self->trace, &error)) {
    GST_ELEMENT_WARNING (self, RESOURCE, WRITE, ("%s", error->message), (NULL));
    g_error_free (error);
  }
}
