/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the texts and numbers of weirlink's properties say of the path, and the path made of them.
 */
#ifndef GST_WEIR_LINK_SETTINGS_H
#define GST_WEIR_LINK_SETTINGS_H

#include <glib.h>

#include "sim/path/path.h"

typedef struct
{
  struct weir__path_config path; /* owns its texts; make_path () adds what follows and the trace */
  guint queue_packets;
  guint aggregate_packets; /* 0: no aggregates */
  gboolean mark_ecn;
  gdouble loss;
  gdouble loss_burst;
} GstWeirLinkSettings;

/* With texts of its own; clear it. */
void gst_weir_link_settings_copy (const GstWeirLinkSettings *self, GstWeirLinkSettings *copy);
void gst_weir_link_settings_clear (GstWeirLinkSettings *self);

/* As weir__path_create (), with the files that the settings name. On FALSE *path is untouched, and
 * why holds a sentence for the user. */
gboolean gst_weir_link_settings_make_path (const GstWeirLinkSettings *self,
                                           weir__path_on_outcome on_outcome, gpointer user,
                                           struct weir__path **path, gchar *why, gsize n_why);
/* Would a path accept them? */
gboolean gst_weir_link_settings_check (const GstWeirLinkSettings *self, gchar *why, gsize n_why);

/* The longest that jitter and reordering add to the delay. */
gint64 gst_weir_link_settings_extra_delay_ns (const GstWeirLinkSettings *self);

#endif
