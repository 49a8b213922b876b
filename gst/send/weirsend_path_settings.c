/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_path_settings.h"

#include "send/weirsend_types.h"

static const gchar *const names[GST_WEIR_N_PATH_SETTINGS] = {
  [GST_WEIR_PATH_ALGORITHM] = "algorithm",
  [GST_WEIR_PATH_PARAMS] = "params",
  [GST_WEIR_PATH_PACING] = "pacing",
  [GST_WEIR_PATH_PACING_QUANTUM] = "pacing-quantum",
  [GST_WEIR_PATH_FEEDBACK] = "feedback",
  [GST_WEIR_PATH_RECEIVERS] = "receivers",
  [GST_WEIR_PATH_ECN] = "ecn",
};

static gchar *
feedback_text (guint formats)
{
  GFlagsClass *klass = g_type_class_ref (gst_weir_feedback_get_type ());
  GString *text = g_string_new (formats == WEIR_FEEDBACK_ALL ? "auto" : NULL);
  for (guint i = 0; formats != WEIR_FEEDBACK_ALL && i < klass->n_values; i++) {
    guint bits = klass->values[i].value;
    if (bits != 0 && (formats & bits) == bits) {
      g_string_append_printf (text, "%s%s", text->len > 0 ? "+" : "", klass->values[i].value_nick);
    }
  }
  g_type_class_unref (klass);
  return g_string_free (text, FALSE);
}

/* As one would write it; free it. */
static gchar *
value_text (const GstWeirSendSettings *settings, GstWeirPathSetting which)
{
  switch (which) {
  case GST_WEIR_PATH_ALGORITHM:
    return g_strdup (settings->algorithm);
  case GST_WEIR_PATH_PARAMS:
    return settings->params != NULL ? gst_structure_to_string (settings->params)
                                    : g_strdup ("(defaults)");
  case GST_WEIR_PATH_PACING:
    return g_strdup (settings->pacing ? "on" : "off");
  case GST_WEIR_PATH_PACING_QUANTUM:
    return g_strdup_printf ("%" G_GUINT64_FORMAT, settings->pacing_quantum_ns);
  case GST_WEIR_PATH_FEEDBACK:
    return feedback_text (settings->feedback);
  case GST_WEIR_PATH_RECEIVERS:
    return g_strdup (settings->receivers == WEIR_RECEIVERS_FIRST ? "first" : "worst");
  case GST_WEIR_PATH_ECN:
    return g_strdup (gst_weir_ecn_nick (settings->ecn));
  case GST_WEIR_N_PATH_SETTINGS:
    break;
  }
  g_return_val_if_reached (NULL);
}

static void
copy_value (const GstWeirSendSettings *from, GstWeirSendSettings *to, GstWeirPathSetting which)
{
  switch (which) {
  case GST_WEIR_PATH_ALGORITHM:
    to->algorithm = from->algorithm;
    break;
  case GST_WEIR_PATH_PARAMS:
    g_clear_pointer (&to->params, gst_structure_free);
    to->params = from->params != NULL ? gst_structure_copy (from->params) : NULL;
    break;
  case GST_WEIR_PATH_PACING:
    to->pacing = from->pacing;
    break;
  case GST_WEIR_PATH_PACING_QUANTUM:
    to->pacing_quantum_ns = from->pacing_quantum_ns;
    break;
  case GST_WEIR_PATH_FEEDBACK:
    to->feedback = from->feedback;
    break;
  case GST_WEIR_PATH_RECEIVERS:
    to->receivers = from->receivers;
    break;
  case GST_WEIR_PATH_ECN:
    to->ecn = from->ecn;
    break;
  case GST_WEIR_N_PATH_SETTINGS:
    break;
  }
}

/* TRUE: the value of the others was taken over. */
static gboolean
agree (GstWeirMember *self, const GstWeirMember *other, GstWeirPathSetting which,
       GPtrArray *remarks)
{
  g_autofree gchar *ours = value_text (self->settings, which);
  g_autofree gchar *theirs = value_text (other->settings, which);
  if (g_str_equal (ours, theirs)) {
    return FALSE;
  }
  if ((self->settings->given & 1u << which) != 0) {
    g_ptr_array_add (
        remarks,
        g_strdup_printf (
            "group \"%s\" already runs with %s=%s, which stays; %s=%s was set here. Give all "
            "members of a group the same value, or change it on any of them while playing",
            self->path->group, names[which], theirs, names[which], ours));
  }
  copy_value (other->settings, self->settings, which);
  self->settings->given &= ~(1u << which);
  return TRUE;
}

guint
gst_weir_path_settings_agree_locked (GstWeirMember *self, GPtrArray *remarks)
{
  guint changed = 0;
  for (guint i = 0; i < GST_WEIR_N_PATH_SETTINGS; i++) {
    changed |= agree (self, self->path->members[0], (GstWeirPathSetting) i, remarks) ? 1u << i : 0;
  }
  return changed;
}

GPtrArray *
gst_weir_path_settings_spread_locked (GstWeirMember *self, guint which)
{
  GPtrArray *others = g_ptr_array_new_with_free_func (gst_object_unref);
  for (guint i = 0; i < self->path->n_members; i++) {
    GstWeirMember *member = self->path->members[i];
    for (guint k = 0; member != self && k < GST_WEIR_N_PATH_SETTINGS; k++) {
      if ((which & 1u << k) != 0) {
        copy_value (self->settings, member->settings, (GstWeirPathSetting) k);
      }
    }
    if (member != self) {
      g_ptr_array_add (others, gst_object_ref (member->element));
    }
  }
  return others;
}

void
gst_weir_path_settings_notify (GstElement *element, guint which)
{
  for (guint i = 0; i < GST_WEIR_N_PATH_SETTINGS; i++) {
    if ((which & 1u << i) != 0) {
      g_object_notify (G_OBJECT (element), names[i]);
    }
  }
}

void
gst_weir_path_settings_notify_all (GPtrArray *elements, guint which)
{
  if (elements == NULL) {
    return;
  }
  for (guint i = 0; i < elements->len; i++) {
    gst_weir_path_settings_notify (g_ptr_array_index (elements, i), which);
  }
  g_ptr_array_unref (elements);
}
