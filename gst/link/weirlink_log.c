/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log of weirlink: a CSV file, one line per interval. */
#include "link/weirlink_log.h"

#include "common/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <weir/units.h>

struct _GstWeirLinkLog
{
  gint refs; /* atomic */
  FILE *file;
  GstWeirLinkSample last;
};

/* Creates the file, or empties it, and writes the header line. NULL with error set when the system
 * refuses. */
GstWeirLinkLog *
gst_weir_link_log_open (const gchar *location, GError **error)
{
  FILE *file = gst_weir_output_file_open (location);
  if (file == NULL) {
    g_set_error (error, G_FILE_ERROR, (gint) g_file_error_from_errno (errno), "%s: %s", location,
                 gst_weir_output_file_why (errno));
    return NULL;
  }
  setvbuf (file, NULL, _IOLBF, BUFSIZ); /* a crash leaves whole lines */
  fputs ("time_s,capacity_bps,offered_bps,delivered_bps,cross_bps,queue_ms,drops\n", file);

  GstWeirLinkLog *log = g_new0 (GstWeirLinkLog, 1);
  log->refs = 1;
  log->file = file;
  return log;
}

/* One line: rates and drops since the sample before, the rest as it is now. */
void
gst_weir_link_log_write (GstWeirLinkLog *log, const GstWeirLinkSample *sample)
{
  const GstWeirLinkSample *last = &log->last;
  gint64 duration_ns = sample->time_ns - last->time_ns;
  gchar time_s[G_ASCII_DTOSTR_BUF_SIZE];
  gchar queue_ms[G_ASCII_DTOSTR_BUF_SIZE] = "";
  g_ascii_formatd (time_s, sizeof time_s, "%.3f", (gdouble) sample->time_ns / 1e9);
  if (sample->queue_delay_ns >= 0) {
    g_ascii_formatd (queue_ms, sizeof queue_ms, "%.3f", (gdouble) sample->queue_delay_ns / 1e6);
  }

  fprintf (log->file,
           "%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
           ",%s,%" G_GINT64_FORMAT "\n",
           time_s, sample->capacity_bps,
           weir_rate_bps (sample->offered_bytes - last->offered_bytes, duration_ns),
           weir_rate_bps (sample->delivered_bytes - last->delivered_bytes, duration_ns),
           weir_rate_bps (sample->cross_bytes - last->cross_bytes, duration_ns), queue_ms,
           sample->dropped_packets - last->dropped_packets);
  log->last = *sample;
}

/* NULL is allowed. */
GstWeirLinkLog *
gst_weir_link_log_ref (GstWeirLinkLog *log)
{
  if (log != NULL) {
    g_atomic_int_inc (&log->refs);
  }
  return log;
}

/* Gives a reference up; the last closes the file. NULL is allowed. */
void
gst_weir_link_log_close (GstWeirLinkLog *log)
{
  if (log == NULL || !g_atomic_int_dec_and_test (&log->refs)) {
    return;
  }
  fclose (log->file);
  g_free (log);
}
