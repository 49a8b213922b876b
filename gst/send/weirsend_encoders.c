/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "send/weirsend_encoders.h"

GST_DEBUG_CATEGORY_EXTERN (gst_weir_send_debug);
#define GST_CAT_DEFAULT gst_weir_send_debug

/* The outermost bin around the element, or NULL. */
static GstElement *
find_top (GstWeirSendEncoders *self)
{
  GstObject *top = gst_object_ref (GST_OBJECT (self->element));
  GstObject *parent;
  while ((parent = gst_object_get_parent (top)) != NULL) {
    gst_object_unref (top);
    top = parent;
  }
  if (!GST_IS_BIN (top)) {
    gst_object_unref (top);
    return NULL;
  }
  return GST_ELEMENT (top);
}

/* Those that were named may have other names, or be others, at the next start. */
static void
drop_named (GstWeirSendEncoders *self)
{
  for (guint i = 0; i < self->added_by_name->len; i++) {
    gst_weir_encoders_remove (self->driven, g_ptr_array_index (self->added_by_name, i));
  }
  g_ptr_array_set_size (self->added_by_name, 0);
  g_clear_pointer (&self->names, g_free);
}

/* FALSE: *why (free it) says what is wrong. */
static gboolean
add_named (GstWeirSendEncoders *self, GstElement *top, const gchar *name, gchar **why)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElement) encoder = top != NULL ? gst_bin_get_by_name (GST_BIN (top), name) : NULL;
  if (encoder == NULL) {
    *why = g_strdup_printf ("encoders: there is no element \"%s\" in the pipeline; give names of "
                            "encoders, auto or none",
                            name);
    return FALSE;
  }
  if (!gst_weir_encoders_add (self->driven, encoder, 1.0, 0, 0, &error)) {
    *why = g_strdup_printf ("encoders: %s: %s", name, error != NULL ? error->message : "refused");
    return FALSE;
  }
  g_ptr_array_add (self->added_by_name, g_steal_pointer (&encoder));
  return TRUE;
}

static void
add_by_names (GstWeirSendEncoders *self, const gchar *names)
{
  if (g_strcmp0 (names, self->names) == 0) {
    return;
  }
  drop_named (self);
  self->names = g_strdup (names);
  g_autoptr (GstElement) top = find_top (self);
  g_auto (GStrv) list = g_strsplit (names, ",", -1);
  for (guint i = 0; list[i] != NULL; i++) {
    gchar *why = NULL;
    const gchar *name = g_strstrip (list[i]);
    if (name[0] != '\0' && !add_named (self, top, name, &why)) {
      gst_weir_report_complain (self->report, why);
    }
  }
}

/* Once per run. */
static void
warn_none_found (GstWeirSendEncoders *self, const gchar *looked_at)
{
  GST_INFO_OBJECT (self->element, "no encoder among: %s", looked_at);
  if (!self->none_reported) {
    self->none_reported = TRUE;
    GST_ELEMENT_WARNING_WITH_DETAILS (
        self->element, RESOURCE, NOT_FOUND,
        ("Found no encoder to drive; looked at: %s. Packets beyond the rate that the network "
         "carries will be dropped. Name the encoder (encoders=NAME), add it with add-encoder, "
         "follow notify::target-bitrate, or set encoders=none",
         looked_at[0] != '\0' ? looked_at : "nothing, as the sink pad is not linked"),
        (NULL), ("weir-warning", G_TYPE_STRING, "no-encoder", NULL));
  }
}

static void
find_automatically (GstWeirSendEncoders *self, gboolean media_flows)
{
  g_autofree gchar *looked_at = NULL;
  guint n = gst_weir_encoders_discover (self->driven, self->sinkpad, &looked_at);
  if (media_flows && n == 0) {
    warn_none_found (self, looked_at != NULL ? looked_at : "");
  }
}

void
gst_weir_send_encoders_find (GstWeirSendEncoders *self, const gchar *names, gboolean media_flows)
{
  if (names == NULL || g_strcmp0 (names, "auto") == 0) {
    find_automatically (self, media_flows);
  } else if (g_strcmp0 (names, "none") != 0) {
    add_by_names (self, names);
  }
}

/* From the encoders' worker. */
static void
warn (gpointer user, const gchar *text)
{
  GstElement *element = user;
  GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, SETTINGS, ("%s", text), (NULL),
                                    ("weir-warning", G_TYPE_STRING, "encoder", NULL));
}

void
gst_weir_send_encoders_init (GstWeirSendEncoders *self, GstElement *element, GstPad *sinkpad,
                             GstWeirReport *report)
{
  *self
      = (GstWeirSendEncoders){ .element = element,
                               .sinkpad = sinkpad,
                               .report = report,
                               .driven = gst_weir_encoders_new (warn, element),
                               .added_by_name = g_ptr_array_new_with_free_func (gst_object_unref) };
}

void
gst_weir_send_encoders_clear (GstWeirSendEncoders *self)
{
  gst_weir_encoders_free (self->driven);
  g_ptr_array_unref (self->added_by_name);
  g_free (self->names);
}

void
gst_weir_send_encoders_start (GstWeirSendEncoders *self)
{
  self->none_reported = FALSE;
  gst_weir_encoders_start (self->driven);
}

void
gst_weir_send_encoders_stop (GstWeirSendEncoders *self)
{
  gst_weir_encoders_stop (self->driven);
  drop_named (self);
}

gboolean
gst_weir_send_encoders_add (GstWeirSendEncoders *self, GstElement *encoder, gdouble weight,
                            guint64 min_bps, guint64 max_bps)
{
  g_autoptr (GError) error = NULL;
  if (encoder != NULL
      && gst_weir_encoders_add (self->driven, encoder, weight, min_bps, max_bps, &error)) {
    return TRUE;
  }
  gst_weir_report_complain (
      self->report,
      g_strdup_printf ("add-encoder: %s", error != NULL ? error->message : "no element"));
  return FALSE;
}
