/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_settings.h"

#define WHY_BYTES 512
/* A wake-up for each 5 ms of packets, which costs little and adds little to anybody's delay. */
#define PACING_QUANTUM_NS WEIR_PACING_QUANTUM_MAX_NS

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
    .receivers = session.receivers,
    .overhead = -1,
    .priority = 1.0,
    .stats_interval_ns = GST_SECOND,
    .trace_max_bytes = 100000000,
    .encoders = g_strdup ("auto"),
    .repair_wait_ns = 200 * GST_MSECOND, /* the latency of an rtpbin */
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

gboolean
gst_weir_send_answers_l4s (const GstWeirSendSettings *settings)
{
  struct weir_algorithm_info info;
  return weir_algorithm_get_info (settings->algorithm, &info) == WEIR_OK
         && (info.needs & WEIR_ANSWERS_L4S) != 0;
}

enum weir_ecn
gst_weir_send_get_ecn (const GstWeirSendSettings *settings)
{
  switch ((GstWeirEcn) settings->ecn) {
  case GST_WEIR_ECN_AUTO:
    return gst_weir_send_answers_l4s (settings) ? WEIR_ECN_ECT1 : WEIR_ECN_ECT0;
  case GST_WEIR_ECN_ECT0:
    return WEIR_ECN_ECT0;
  case GST_WEIR_ECN_ECT1:
    return WEIR_ECN_ECT1;
  case GST_WEIR_ECN_OFF:
    break;
  }
  return WEIR_ECN_NOT_ECT;
}

/* One field as a parameter value; strings are left for the library to read. */
static gboolean
read_value (const gchar *name, const GValue *field, struct weir_param_value *value)
{
  g_auto (GValue) number = G_VALUE_INIT;
  *value = (struct weir_param_value){ .name = name };
  if (G_VALUE_HOLDS_STRING (field)) {
    value->value_text = g_value_get_string (field);
    return value->value_text != NULL;
  }
  if (G_VALUE_HOLDS_BOOLEAN (field)) {
    value->value = (gdouble) g_value_get_boolean (field);
    return TRUE;
  }
  g_value_init (&number, G_TYPE_DOUBLE);
  gboolean ok = g_value_transform (field, &number);
  value->value = g_value_get_double (&number);
  return ok;
}

guint
gst_weir_params_read (const GstStructure *params, const gchar *algorithm,
                      struct weir_param_value values[GST_WEIR_PARAMS_MAX], gchar **why)
{
  gint n_fields = params != NULL ? gst_structure_n_fields (params) : 0;
  gchar text[WHY_BYTES] = "";
  *why = NULL;
  for (gint i = 0; i < n_fields; i++) {
    const gchar *name = gst_structure_nth_field_name (params, (guint) i);
    const GValue *field = gst_structure_get_value (params, name);
    if ((guint) i >= GST_WEIR_PARAMS_MAX) {
      *why = g_strdup_printf ("params: more than %u parameters", GST_WEIR_PARAMS_MAX);
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

gboolean
gst_weir_send_check_limits (const GstWeirSendSettings *settings, gchar **why)
{
  if (settings->min_bps <= settings->max_bps) {
    return TRUE;
  }
  *why = g_strdup_printf ("min-bitrate=%u is above max-bitrate=%u; lower the first or raise the "
                          "second (both are bit/s: 4 Mbit/s is 4000000)",
                          settings->min_bps, settings->max_bps);
  return FALSE;
}

void
gst_weir_send_get_limits (const GstWeirSendSettings *settings, struct weir_limits *limits)
{
  limits->min_bps = settings->min_bps;
  limits->max_bps = settings->max_bps;
  limits->start_bps = weir_clamp_i64 (settings->start_bps, settings->min_bps, settings->max_bps);
}
