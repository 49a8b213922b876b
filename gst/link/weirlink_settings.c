/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link/weirlink_settings.h"

void
gst_weir_link_settings_copy (const GstWeirLinkSettings *self, GstWeirLinkSettings *copy)
{
  *copy = *self;
  copy->path.trace_name = g_strdup (self->path.trace_name);
  copy->path.schedule = g_strdup (self->path.schedule);
  copy->path.delay_schedule = g_strdup (self->path.delay_schedule);
  copy->path.cross_traffic = g_strdup (self->path.cross_traffic);
}

void
gst_weir_link_settings_clear (GstWeirLinkSettings *self)
{
  g_free (self->path.trace_name);
  g_free (self->path.schedule);
  g_free (self->path.delay_schedule);
  g_free (self->path.cross_traffic);
}

gint64
gst_weir_link_settings_extra_delay_ns (const GstWeirLinkSettings *self)
{
  const struct weir__link_config *link = &self->path.link;
  return link->jitter_ns + (link->reorder > 0.0 ? link->reorder_delay_ns : 0);
}

gboolean
gst_weir_link_settings_make_path (const GstWeirLinkSettings *self, weir__path_on_outcome on_outcome,
                                  gpointer user, struct weir__path **path, gchar *why, gsize n_why)
{
  struct weir__path_config config = self->path;
  g_autofree gchar *trace = NULL;
  g_autoptr (GError) error = NULL;
  g_snprintf (why, n_why, "%s", "");
  config.link.queue.limit.packets = self->queue_packets;
  config.mark_ecn = self->mark_ecn;
  config.link.aggregation.packets = self->aggregate_packets;
  weir__link_loss_in_bursts (&config.link.loss, self->loss, self->loss_burst);
  if (self->path.trace_name != NULL && self->path.trace_name[0] != '\0') {
    if (!g_file_get_contents (self->path.trace_name, &trace, NULL, &error)) {
      g_snprintf (why, n_why, "%s", error->message);
      return FALSE;
    }
    config.trace = trace;
  }
  enum weir_status status = weir__path_create (path, &config, on_outcome, user, why, n_why);
  if (status != WEIR_OK && why[0] == '\0') {
    g_snprintf (why, n_why, "%s", weir_status_text (status));
  }
  return status == WEIR_OK;
}

static void
ignore (G_GNUC_UNUSED void *user, G_GNUC_UNUSED const struct weir__path_outcome *outcome)
{
}

gboolean
gst_weir_link_settings_check (const GstWeirLinkSettings *self, gchar *why, gsize n_why)
{
  struct weir__path *path = NULL;
  gboolean good = gst_weir_link_settings_make_path (self, ignore, NULL, &path, why, n_why);
  g_clear_pointer (&path, weir__path_destroy);
  return good;
}
