/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of weirsend: while it runs a wrong one is refused with a warning and nothing
 * changes; before that they may come in any order and are checked together when it starts. */
#include "send/weirsend_private.h"

#define GST_CAT_DEFAULT gst_weir_send_debug
#define MAX_PARAMS 64
#define MAX_COMPLAINTS 16
#define WHY_BYTES 512
/* A wake-up for each 5 ms of packets, which costs little and adds little to anybody's delay. */
#define PACING_QUANTUM_NS WEIR_PACING_QUANTUM_MAX_NS
#define ALGORITHM_AND_PARAMS (1u << GST_WEIR_COMMON_ALGORITHM | 1u << GST_WEIR_COMMON_PARAMS)

void
gst_weir_send_settings_init (GstWeirSendSettings *settings)
{
  struct weir_sender_config session;
  struct weir_queue_config queue;
  weir_sender_config_init (&session);
  weir_queue_config_init (&queue);
  *settings = (GstWeirSendSettings){
    .algorithm = session.algorithm,
    .min_bps = (guint) session.limits.min_bps,
    .max_bps = (guint) session.limits.max_bps,
    .start_bps = (guint) session.limits.start_bps,
    .pacing = TRUE,
    .pacing_quantum_ns = (guint64) PACING_QUANTUM_NS,
    .max_queue_time_ns = (guint64) queue.max_time_ns,
    .queue_policy = queue.policy,
    .feedback = WEIR_FEEDBACK_ALL,
    .overhead = -1,
    .priority = 1.0,
    .stats_interval_ns = GST_SECOND,
    .trace_max_bytes = 100000000,
    .encoders = g_strdup ("auto"),
  };
}

void
gst_weir_send_settings_clear (GstWeirSendSettings *settings)
{
  g_clear_pointer (&settings->params, gst_structure_free);
  g_clear_pointer (&settings->trace_location, g_free);
  g_clear_pointer (&settings->group, g_free);
  g_clear_pointer (&settings->encoders, g_free);
  g_clear_object (&settings->rtp_session);
}

/* One field as a parameter value; strings are left for the library to read. */
static gboolean
read_value (const gchar *name, const GValue *field, struct weir_param_value *value)
{
  GValue number = G_VALUE_INIT;
  *value = (struct weir_param_value){ .name = name };
  if (G_VALUE_HOLDS_STRING (field)) {
    value->value_text = g_value_get_string (field);
    return value->value_text != NULL;
  }
  g_value_init (&number, G_TYPE_DOUBLE);
  gboolean ok = G_VALUE_HOLDS_BOOLEAN (field) || g_value_transform (field, &number);
  value->value = G_VALUE_HOLDS_BOOLEAN (field) ? (gdouble) g_value_get_boolean (field)
                                               : g_value_get_double (&number);
  g_value_unset (&number);
  return ok;
}

/* Fills values, whose names and texts live as long as params (nullable). Returns how many; on a
 * wrong one *why (free it) names it and says what would be right, else it is NULL. */
guint
gst_weir_params_read (const GstStructure *params, const gchar *algorithm,
                      struct weir_param_value *values, guint n_values, gchar **why)
{
  gint n_fields = params != NULL ? gst_structure_n_fields (params) : 0;
  gchar text[WHY_BYTES] = "";
  *why = NULL;
  for (gint i = 0; i < n_fields; i++) {
    const gchar *name = gst_structure_nth_field_name (params, (guint) i);
    const GValue *field = gst_structure_get_value (params, name);
    if ((guint) i >= n_values) {
      *why = g_strdup_printf ("params: more than %u parameters", n_values);
      return 0;
    }
    if (!read_value (name, field, &values[i])) {
      *why = g_strdup_printf ("params: %s is a %s; give a number, true or false, or a name", name,
                              g_type_name (gst_structure_get_field_type (params, name)));
      return 0;
    }
    if (weir_param_check (algorithm, &values[i], NULL, text, sizeof text) != WEIR_OK) {
      *why = g_strdup_printf ("params: %s", text);
      return 0;
    }
  }
  return (guint) n_fields;
}

/* Posts text (taken) as a warning, at the latest when the element is in a pipeline. No lock held.
 */
void
gst_weir_send_complain (GstWeirSend *self, gchar *text)
{
  if (text == NULL) {
    return;
  }
  GstBus *bus = gst_element_get_bus (GST_ELEMENT (self));
  if (bus != NULL) {
    gst_object_unref (bus);
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("%s", text), (NULL));
    g_free (text);
    return;
  }
  GST_WARNING_OBJECT (self, "%s", text);
  gst_weir_send_lock (self);
  if (self->complaints->len < MAX_COMPLAINTS) {
    g_ptr_array_add (self->complaints, g_steal_pointer (&text));
  }
  gst_weir_send_unlock (self);
  g_free (text);
}

void
gst_weir_send_post_complaints (GstWeirSend *self)
{
  gst_weir_send_lock (self);
  GPtrArray *complaints = self->complaints;
  self->complaints = g_ptr_array_new_with_free_func (g_free);
  gst_weir_send_unlock (self);
  for (guint i = 0; i < complaints->len; i++) {
    const gchar *text = g_ptr_array_index (complaints, i);
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("%s", text), (NULL));
  }
  g_ptr_array_unref (complaints);
}

/* What changed settings mean for a session that runs. */
static void
settle_locked (GstWeirSend *self)
{
  gint64 now_ns = gst_weir_send_now (self);
  gst_weir_send_update_output_locked (self, now_ns);
  gst_weir_send_wake_locked (self);
  gst_weir_send_wake_if_due_locked (self, now_ns);
}

/* A running session changes at once and starts with the new algorithm's defaults, since params were
 * meant for the old one. */
void
gst_weir_send_set_algorithm (GstWeirSend *self, const gchar *algorithm)
{
  gchar *why = NULL;
  GstStructure *former = NULL;
  gst_weir_send_lock (self);
  enum weir_status status = WEIR_OK;
  if (self->path->sender != NULL && g_strcmp0 (self->settings.algorithm, algorithm) != 0) {
    status = weir_sender_set_algorithm (self->path->sender, gst_weir_send_now (self), algorithm,
                                        NULL, 0);
    if (status == WEIR_OK) {
      former = g_steal_pointer (&self->settings.params);
      settle_locked (self);
    }
  }
  GPtrArray *others = NULL;
  if (status == WEIR_OK) {
    self->settings.algorithm = algorithm;
    others = gst_weir_common_spread_locked (self, ALGORITHM_AND_PARAMS);
  } else {
    why = g_strdup_printf ("algorithm=%s: %s; it stays %s", algorithm, weir_status_text (status),
                           self->settings.algorithm);
  }
  gst_weir_send_unlock (self);
  if (former != NULL) {
    gst_structure_free (former);
    g_object_notify (G_OBJECT (self), "params");
  }
  gst_weir_common_notify_all (others, ALGORITHM_AND_PARAMS);
  gst_weir_send_complain (self, why);
}

static void
apply_params_locked (GstWeirSend *self, const GstStructure *params, gchar **why)
{
  struct weir_param_value values[MAX_PARAMS];
  guint n = gst_weir_params_read (params, self->settings.algorithm, values, MAX_PARAMS, why);
  if (*why == NULL) {
    enum weir_status status
        = weir_sender_set_params (self->path->sender, gst_weir_send_now (self), values, n);
    if (status != WEIR_OK) {
      *why = g_strdup_printf ("params: %s", weir_status_text (status));
    }
  }
  if (*why == NULL) {
    settle_locked (self);
  }
}

void
gst_weir_send_set_params (GstWeirSend *self, const GstStructure *params)
{
  GstStructure *copy = params != NULL ? gst_structure_copy (params) : NULL;
  gchar *why = NULL;
  GPtrArray *others = NULL;
  gst_weir_send_lock (self);
  if (self->path->sender != NULL) {
    apply_params_locked (self, copy, &why);
  }
  if (why == NULL) {
    GstStructure *former = self->settings.params;
    self->settings.params = copy;
    copy = former;
    others = gst_weir_common_spread_locked (self, 1u << GST_WEIR_COMMON_PARAMS);
  }
  gst_weir_send_unlock (self);
  gst_weir_common_notify_all (others, 1u << GST_WEIR_COMMON_PARAMS);
  g_clear_pointer (&copy, gst_structure_free);
  gst_weir_send_complain (self, why);
}

/* FALSE: the three bitrates contradict each other; *why (free it) says how. */
gboolean
gst_weir_send_check_limits (const GstWeirSendSettings *settings, gchar **why)
{
  if (settings->min_bps <= settings->max_bps) {
    return TRUE;
  }
  *why = g_strdup_printf ("min-bitrate=%u is above max-bitrate=%u; lower the first or raise the "
                          "second",
                          settings->min_bps, settings->max_bps);
  return FALSE;
}

/* A start bitrate outside the bounds starts at the nearest of them. */
void
gst_weir_send_get_limits (const GstWeirSendSettings *settings, struct weir_limits *limits)
{
  limits->min_bps = settings->min_bps;
  limits->max_bps = settings->max_bps;
  limits->start_bps = weir_clamp_i64 (settings->start_bps, settings->min_bps, settings->max_bps);
}

static void
apply_limits_locked (GstWeirSend *self, gchar **why)
{
  struct weir_limits limits;
  if (gst_weir_send_check_limits (&self->settings, why)
      && gst_weir_group_get_limits_locked (self, &limits, why)) {
    gst_weir_group_update_share_locked (self);
    gst_weir_group_settle_locked (self, &limits);
  }
}

/* field: the one of self->settings that the property name stands for. */
void
gst_weir_send_set_bitrate (GstWeirSend *self, const gchar *name, guint *field, guint value)
{
  gchar *why = NULL;
  gst_weir_send_lock (self);
  guint former = *field;
  *field = value;
  if (value == 0) {
    why = g_strdup_printf ("%s=0 is no bitrate: give at least 1 bit/s", name);
  } else if (self->path->sender != NULL) {
    apply_limits_locked (self, &why);
  }
  if (why != NULL) {
    gchar *text = g_strdup_printf ("%s (%s stays %u)", why, name, former);
    *field = former;
    g_free (why);
    why = text;
  }
  gst_weir_send_unlock (self);
  gst_weir_send_complain (self, why);
}

/* A changed bound changes the latency of the pipeline. */
void
gst_weir_send_set_queue (GstWeirSend *self, guint policy, guint64 max_time_ns)
{
  gchar *why = NULL;
  gboolean latency_changed = FALSE;
  gst_weir_send_lock (self);
  if (max_time_ns == 0 || max_time_ns > (guint64) G_MAXINT64) {
    why = g_strdup_printf ("max-queue-time=%" G_GUINT64_FORMAT
                           " is no bound: give at least 1 ns (it stays %" G_GUINT64_FORMAT ")",
                           max_time_ns, self->settings.max_queue_time_ns);
  } else {
    latency_changed = self->path->sender != NULL && max_time_ns != self->settings.max_queue_time_ns;
    self->settings.queue_policy = policy;
    self->settings.max_queue_time_ns = max_time_ns;
    if (self->pacer.queue != NULL) {
      weir_queue_set_policy (self->pacer.queue, (enum weir_queue_policy) policy,
                             (gint64) max_time_ns);
    }
    g_cond_broadcast (&self->pacer.room);
  }
  gst_weir_send_unlock (self);
  gst_weir_send_complain (self, why);
  if (latency_changed) {
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_latency (GST_OBJECT (self)));
  }
}

void
gst_weir_send_set_pacing (GstWeirSend *self, gboolean pacing)
{
  gst_weir_send_lock (self);
  self->settings.pacing = pacing;
  if (self->path->sender != NULL) {
    weir_sender_set_pacing (self->path->sender, pacing);
    settle_locked (self);
  }
  GPtrArray *others = gst_weir_common_spread_locked (self, 1u << GST_WEIR_COMMON_PACING);
  gst_weir_send_unlock (self);
  gst_weir_common_notify_all (others, 1u << GST_WEIR_COMMON_PACING);
}

void
gst_weir_send_set_pacing_quantum (GstWeirSend *self, guint64 quantum_ns)
{
  gchar *why = NULL;
  GPtrArray *others = NULL;
  gst_weir_send_lock (self);
  if (quantum_ns > (guint64) WEIR_PACING_QUANTUM_MAX_NS) {
    why = g_strdup_printf (
        "pacing-quantum=%" G_GUINT64_FORMAT " is too long: give at most %" G_GINT64_FORMAT
        " ns, so that bursts stay short (it stays %" G_GUINT64_FORMAT ")",
        quantum_ns, WEIR_PACING_QUANTUM_MAX_NS, self->settings.pacing_quantum_ns);
  } else {
    self->settings.pacing_quantum_ns = quantum_ns;
    if (self->path->sender != NULL) {
      weir_sender_set_pacing_quantum (self->path->sender, (gint64) quantum_ns);
      settle_locked (self);
    }
    others = gst_weir_common_spread_locked (self, 1u << GST_WEIR_COMMON_PACING_QUANTUM);
  }
  gst_weir_send_unlock (self);
  gst_weir_common_notify_all (others, 1u << GST_WEIR_COMMON_PACING_QUANTUM);
  gst_weir_send_complain (self, why);
}

void
gst_weir_send_set_feedback (GstWeirSend *self, guint formats)
{
  gst_weir_send_lock (self);
  self->settings.feedback = formats;
  if (self->path->sender != NULL) {
    weir_sender_set_feedback_formats (self->path->sender, formats);
    settle_locked (self);
  }
  GPtrArray *others = gst_weir_common_spread_locked (self, 1u << GST_WEIR_COMMON_FEEDBACK);
  gst_weir_send_unlock (self);
  gst_weir_common_notify_all (others, 1u << GST_WEIR_COMMON_FEEDBACK);
}

void
gst_weir_send_set_priority (GstWeirSend *self, gdouble priority)
{
  gst_weir_send_lock (self);
  self->settings.priority = priority;
  if (self->path->sender != NULL) {
    gst_weir_group_update_share_locked (self);
    settle_locked (self);
  }
  gst_weir_send_unlock (self);
}

/* After a change of gst_weir_send_overhead_bytes (). */
void
gst_weir_send_apply_overhead_locked (GstWeirSend *self)
{
  if (self->path->sender != NULL) {
    gchar *why = NULL;
    apply_limits_locked (self, &why);
    g_free (why); /* they have not changed */
  }
}

void
gst_weir_send_set_overhead (GstWeirSend *self, gint overhead)
{
  gst_weir_send_lock (self);
  self->settings.overhead = overhead;
  gst_weir_send_apply_overhead_locked (self);
  gst_weir_send_unlock (self);
}
