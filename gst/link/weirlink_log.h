/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of weirlink: a CSV file, one line per interval. */
#ifndef GST_WEIR_LINK_LOG_H
#define GST_WEIR_LINK_LOG_H

#include "sim/path/path.h"
#include <glib.h>

#define GST_WEIR_LINK_LOG_INTERVAL_NS ((gint64) 100000000)

typedef struct _GstWeirLinkLog GstWeirLinkLog;

GstWeirLinkLog *gst_weir_link_log_open (const gchar *location, GError **error);
/* now: the path as it is at time_ns since its start. */
void gst_weir_link_log_write (GstWeirLinkLog *log, gint64 time_ns,
                              const struct weir__path_stats *now);
GstWeirLinkLog *gst_weir_link_log_ref (GstWeirLinkLog *log);
void gst_weir_link_log_close (GstWeirLinkLog *log);

#endif
