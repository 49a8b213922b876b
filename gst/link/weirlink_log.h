/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of weirlink: a CSV file, one line per interval. */
#ifndef GST_WEIR_LINK_LOG_H
#define GST_WEIR_LINK_LOG_H

#include <glib.h>

#define GST_WEIR_LINK_LOG_INTERVAL_NS ((gint64) 100000000)

/* Sums since the start, except where the name says now. */
typedef struct
{
  gint64 time_ns;
  gint64 capacity_bps; /* now */
  gint64 offered_bytes;
  gint64 delivered_bytes;
  gint64 cross_bytes;    /* cross traffic that arrived */
  gint64 queue_delay_ns; /* now; negative: unknown, because nothing is served */
  gint64 dropped_packets;
} GstWeirLinkSample;

typedef struct _GstWeirLinkLog GstWeirLinkLog;

GstWeirLinkLog *gst_weir_link_log_open (const gchar *location, GError **error);
void gst_weir_link_log_write (GstWeirLinkLog *log, const GstWeirLinkSample *sample);
GstWeirLinkLog *gst_weir_link_log_ref (GstWeirLinkLog *log);
void gst_weir_link_log_close (GstWeirLinkLog *log);

#endif
