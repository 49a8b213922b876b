/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which encoders does this element drive: those it finds upstream, those the property names, those
 * the application adds. */
#include "send/weirsend_private.h"

#define GST_CAT_DEFAULT gst_weir_send_debug

/* The outermost bin around the element, or NULL. */
static GstElement *
find_top (GstWeirSend *self)
{
  GstObject *top = gst_object_ref (GST_OBJECT (self));
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

/* FALSE: *why (free it) says what is wrong. */
static gboolean
add_named (GstWeirSend *self, GstElement *top, const gchar *name, gchar **why)
{
  GError *error = NULL;
  GstElement *encoder = top != NULL ? gst_bin_get_by_name (GST_BIN (top), name) : NULL;
  if (encoder == NULL) {
    *why = g_strdup_printf ("encoders: there is no element \"%s\" in the pipeline; give names of "
                            "encoders, auto or none",
                            name);
    return FALSE;
  }
  if (!gst_weir_encoders_add (self->encoders.driven, encoder, 1.0, 0, 0, &error)) {
    *why = g_strdup_printf ("encoders: %s: %s", name, error != NULL ? error->message : "refused");
    g_clear_error (&error);
    gst_object_unref (encoder);
    return FALSE;
  }
  g_ptr_array_add (self->encoders.added_by_name, encoder);
  return TRUE;
}

static void
add_by_names (GstWeirSend *self, const gchar *names)
{
  if (g_strcmp0 (names, self->encoders.names) == 0) {
    return;
  }
  gst_weir_send_drop_named_encoders (self);
  self->encoders.names = g_strdup (names);
  GstElement *top = find_top (self);
  gchar **list = g_strsplit (names, ",", -1);
  for (guint i = 0; list[i] != NULL; i++) {
    gchar *why = NULL;
    const gchar *name = g_strstrip (list[i]);
    if (name[0] != '\0' && !add_named (self, top, name, &why)) {
      gst_weir_report_complain (&self->report, why);
    }
  }
  g_strfreev (list);
  g_clear_object (&top);
}

/* Once per run. */
static void
warn_none_found (GstWeirSend *self, const gchar *looked_at)
{
  gst_weir_send_lock (self);
  gboolean first = !self->encoders.none_reported;
  self->encoders.none_reported = TRUE;
  gst_weir_send_unlock (self);
  GST_INFO_OBJECT (self, "no encoder among: %s", looked_at);
  if (first) {
    GST_ELEMENT_WARNING_WITH_DETAILS (
        self, RESOURCE, NOT_FOUND,
        ("Found no encoder to drive; looked at: %s. Packets beyond the rate that the network "
         "carries will be dropped. Name the encoder (encoders=NAME), add it with add-encoder, "
         "follow notify::target-bitrate, or set encoders=none",
         looked_at[0] != '\0' ? looked_at : "nothing, as the sink pad is not linked"),
        (NULL), ("weir-warning", G_TYPE_STRING, "no-encoder", NULL));
  }
}

static void
find_automatically (GstWeirSend *self, gboolean media_flows)
{
  gchar *looked_at = NULL;
  gst_weir_encoders_discover (self->encoders.driven, self->input.pad, &looked_at);
  if (media_flows && gst_weir_encoders_count (self->encoders.driven) == 0) {
    warn_none_found (self, looked_at != NULL ? looked_at : "");
  }
  g_free (looked_at);
}

/* May be called again whenever the pipeline has changed: from the application's thread while
 * starting, when an encoder may still be linked later, and from the streaming thread with the first
 * packet, when there should be one. */
void
gst_weir_send_find_encoders (GstWeirSend *self, gboolean media_flows)
{
  gst_weir_send_lock (self);
  gchar *names = g_strdup (self->settings.encoders);
  gst_weir_send_unlock (self);
  if (names == NULL || g_strcmp0 (names, "auto") == 0) {
    find_automatically (self, media_flows);
  } else if (g_strcmp0 (names, "none") != 0) {
    add_by_names (self, names);
  }
  g_free (names);
}

/* Those that were named may have other names, or be others, at the next start. */
void
gst_weir_send_drop_named_encoders (GstWeirSend *self)
{
  for (guint i = 0; i < self->encoders.added_by_name->len; i++) {
    gst_weir_encoders_remove (self->encoders.driven,
                              g_ptr_array_index (self->encoders.added_by_name, i));
  }
  g_ptr_array_set_size (self->encoders.added_by_name, 0);
  g_clear_pointer (&self->encoders.names, g_free);
}

/* From the encoders' worker. */
void
gst_weir_send_warn_encoder (gpointer user, GstElement *encoder, const gchar *text)
{
  GstWeirSend *self = user;
  GST_INFO_OBJECT (self, "%" GST_PTR_FORMAT ": %s", (void *) encoder, text);
  GST_ELEMENT_WARNING_WITH_DETAILS (self, RESOURCE, SETTINGS, ("%s", text), (NULL),
                                    ("weir-warning", G_TYPE_STRING, "encoder", NULL));
}

/* The action signals. min and max in bit/s of media; 0 is no bound. */
gboolean
gst_weir_send_add_encoder (GstWeirSend *self, GstElement *encoder, gdouble weight, guint64 min_bps,
                           guint64 max_bps)
{
  GError *error = NULL;
  if (encoder != NULL
      && gst_weir_encoders_add (self->encoders.driven, encoder, weight, min_bps, max_bps, &error)) {
    return TRUE;
  }
  gst_weir_report_complain (
      &self->report,
      g_strdup_printf ("add-encoder: %s", error != NULL ? error->message : "no element"));
  g_clear_error (&error);
  return FALSE;
}

gboolean
gst_weir_send_remove_encoder (GstWeirSend *self, GstElement *encoder)
{
  return encoder != NULL && gst_weir_encoders_remove (self->encoders.driven, encoder);
}
