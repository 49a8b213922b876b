/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link/weirlink_log.h"

#include "common/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <weir/units.h>

struct _GstWeirLinkLog
{
  gint refs; /* atomic */
  FILE *file;
  gint64 last_ns; /* time of the line before, and what the path had done then */
  struct weir__path_stats last;
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

/* One line: rates and drops since the line before, the rest as it is now. */
void
gst_weir_link_log_write (GstWeirLinkLog *log, gint64 time_ns, const struct weir__path_stats *now)
{
  const struct weir__path_stats *last = &log->last;
  gint64 duration_ns = time_ns - log->last_ns;
  gchar time_s[G_ASCII_DTOSTR_BUF_SIZE];
  gchar queue_ms[G_ASCII_DTOSTR_BUF_SIZE] = "";
  g_ascii_formatd (time_s, sizeof time_s, "%.3f", (gdouble) time_ns / 1e9);
  if (now->queue_delay_ns != WEIR_NEVER_NS) { /* else nothing is served */
    g_ascii_formatd (queue_ms, sizeof queue_ms, "%.3f", (gdouble) now->queue_delay_ns / 1e6);
  }

  fprintf (log->file,
           "%s,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
           ",%s,%" G_GINT64_FORMAT "\n",
           time_s, now->capacity_bps,
           weir_rate_bps (now->user.offered_bytes - last->user.offered_bytes, duration_ns),
           weir_rate_bps (now->user.delivered_bytes - last->user.delivered_bytes, duration_ns),
           weir_rate_bps (now->cross.delivered_bytes - last->cross.delivered_bytes, duration_ns),
           queue_ms,
           now->user.dropped_packets + now->user.lost_packets - last->user.dropped_packets
               - last->user.lost_packets);
  log->last_ns = time_ns;
  log->last = *now;
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
