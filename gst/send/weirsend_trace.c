/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace file: the session's records become JSON lines in memory, whole lines go to the file at
 * least once a second, so that a crash leaves a file that can be read to its end. */
#include "send/weirsend_private.h"

#include <errno.h>
#include <string.h>

#define FLUSH_NS WEIR_SECONDS (1)
#define FLUSH_BYTES 65536

static void
set_error (GError **error, const gchar *doing, const gchar *location)
{
  gint number = errno;
  g_set_error (error, G_FILE_ERROR, (gint) g_file_error_from_errno (number),
               "trace-location: cannot %s \"%s\": %s", doing, location, g_strerror (number));
}

/* Creates the file. *trace must be zeroed or closed. FALSE: no trace, error says why. */
gboolean
gst_weir_trace_open (GstWeirSendTrace *trace, const gchar *location, GError **error)
{
  FILE *file = fopen (location, "wb");
  if (file == NULL) {
    set_error (error, "write", location);
    return FALSE;
  }
  setvbuf (file, NULL, _IONBF, 0); /* what is written at once stays together */
  *trace = (GstWeirSendTrace){ .file = file,
                               .pending = g_string_new (NULL),
                               .due_ns = WEIR_NEVER_NS,
                               .location = g_strdup (location) };
  return TRUE;
}

/* Called by the session, with the session lock held: no I/O here. */
void
gst_weir_trace_record (GstWeirSendTrace *trace, const struct weir_trace_record *record)
{
  gchar line[WEIR_TRACE_LINE_BYTES];
  gsize length = weir_trace_format (record, line, sizeof line);
  if (trace->file == NULL || length == 0) {
    return;
  }
  g_string_append_len (trace->pending, line, (gssize) length);
  if (trace->due_ns == WEIR_NEVER_NS) {
    trace->due_ns = weir_time_add_ns (record->now_ns, FLUSH_NS);
  }
}

/* The lines that are to be written now, or NULL. Session lock held. */
GString *
gst_weir_trace_take (GstWeirSendTrace *trace, gint64 now_ns)
{
  if (trace->file == NULL || trace->pending->len == 0
      || (now_ns < trace->due_ns && trace->pending->len < FLUSH_BYTES)) {
    return NULL;
  }
  GString *lines = trace->pending;
  trace->pending = g_string_sized_new (lines->len);
  trace->due_ns = WEIR_NEVER_NS;
  return lines;
}

/* Writes and frees lines. Without the session lock; one caller at a time. */
gboolean
gst_weir_trace_write (GstWeirSendTrace *trace, GString *lines, GError **error)
{
  gboolean ok = fwrite (lines->str, 1, lines->len, trace->file) == lines->len;
  if (!ok) {
    set_error (error, "go on writing", trace->location);
  }
  g_string_free (lines, TRUE);
  return ok;
}

/* Writes the rest; accepts a trace that is not open. FALSE: something could not be written. */
gboolean
gst_weir_trace_close (GstWeirSendTrace *trace, GError **error)
{
  gboolean ok = TRUE;
  if (trace->file != NULL) {
    ok = gst_weir_trace_write (trace, g_steal_pointer (&trace->pending), error);
    if (fclose (trace->file) != 0 && ok) {
      set_error (error, "close", trace->location);
      ok = FALSE;
    }
  }
  g_free (trace->location);
  *trace = (GstWeirSendTrace){ .due_ns = WEIR_NEVER_NS };
  return ok;
}
