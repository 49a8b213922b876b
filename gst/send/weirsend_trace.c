/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace file: the session's records become JSON lines in memory, whole lines go to the file at
 * least once a second, so that a crash leaves a file that can be read to its end. A file that has
 * grown to its limit becomes FILE.1, the one before FILE.2 and so on; the oldest goes. */
#include "send/weirsend_trace.h"

#include "common/output_file.h"

#include <errno.h>
#include <glib/gstdio.h>

#define FLUSH_NS WEIR_SECONDS (1)
#define FLUSH_BYTES 65536

static void
set_error (GError **error, const gchar *doing, const gchar *location)
{
  gint number = errno;
  g_set_error (error, G_FILE_ERROR, (gint) g_file_error_from_errno (number),
               "trace-location: cannot %s \"%s\": %s", doing, location,
               gst_weir_output_file_why (number));
}

static FILE *
open_file (const gchar *location, GError **error)
{
  FILE *file = gst_weir_output_file_open (location);
  if (file == NULL) {
    set_error (error, "write", location);
    return NULL;
  }
  setvbuf (file, NULL, _IONBF, 0); /* what is written at once stays together */
  return file;
}

/* Name of the part that is `age` parts old. */
static gchar *
part_name (const gchar *location, guint age)
{
  return age == 0 ? g_strdup (location) : g_strdup_printf ("%s.%u", location, age);
}

static void
remove_old_parts (const gchar *location)
{
  for (guint age = 1; age <= WEIR_TRACE_OLD_PARTS; age++) {
    g_autofree gchar *name = part_name (location, age);
    g_unlink (name);
  }
}

gboolean
gst_weir_trace_open (GstWeirSendTrace *trace, const gchar *location, guint64 max_bytes,
                     GError **error)
{
  FILE *file = open_file (location, error);
  if (file == NULL) {
    return FALSE;
  }
  if (!gst_weir_output_file_is_regular (file)) {
    max_bytes = 0; /* a FIFO or device has no parts */
  }
  if (max_bytes > 0) {
    remove_old_parts (location);
  }
  *trace = (GstWeirSendTrace){ .file = file,
                               .pending = g_string_new (NULL),
                               .due_ns = WEIR_NEVER_NS,
                               .location = g_strdup (location),
                               .max_bytes = max_bytes };
  return TRUE;
}

void
gst_weir_trace_record (GstWeirSendTrace *trace, const struct weir_trace_record *record)
{
  gchar line[WEIR_TRACE_LINE_BYTES];
  gsize length = weir_trace_format (record, line, sizeof line);
  if (trace->pending == NULL || length == 0) {
    return;
  }
  g_string_append_len (trace->pending, line, (gssize) length);
  if (trace->due_ns == WEIR_NEVER_NS) {
    trace->due_ns = weir_time_add_ns (record->now_ns, FLUSH_NS);
  }
}

GString *
gst_weir_trace_take (GstWeirSendTrace *trace, gint64 now_ns)
{
  if (trace->pending == NULL || trace->pending->len == 0
      || (now_ns < trace->due_ns && trace->pending->len < FLUSH_BYTES)) {
    return NULL;
  }
  GString *lines = trace->pending;
  trace->taken_ns = now_ns;
  trace->pending = g_string_sized_new (lines->len);
  trace->due_ns = WEIR_NEVER_NS;
  return lines;
}

/* FILE.3 becomes FILE.4, ... FILE becomes FILE.1. */
static gboolean
rename_parts (const gchar *location, GError **error)
{
  for (guint age = WEIR_TRACE_OLD_PARTS; age > 0; age--) {
    g_autofree gchar *from = part_name (location, age - 1);
    g_autofree gchar *to = part_name (location, age);
    if (g_rename (from, to) != 0 && errno != ENOENT) {
      set_error (error, "rename", from);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
write_text (GstWeirSendTrace *trace, const gchar *text, gsize length, GError **error)
{
  if (fwrite (text, 1, length, trace->file) != length) {
    set_error (error, "go on writing", trace->location);
    return FALSE;
  }
  trace->bytes += length;
  return TRUE;
}

/* Begins a new part, which says so in its first line. The file stays open when that fails. */
static gboolean
begin_part (GstWeirSendTrace *trace, GError **error)
{
  const struct weir_trace_record record
      = { .kind = WEIR_TRACE_PART, .now_ns = trace->taken_ns, .seq = (gint64) trace->part + 1 };
  gchar line[WEIR_TRACE_LINE_BYTES];
  if (!rename_parts (trace->location, error)) {
    return FALSE;
  }
  FILE *file = open_file (trace->location, error);
  if (file == NULL) {
    return FALSE;
  }
  fclose (trace->file);
  trace->file = file;
  trace->bytes = 0;
  trace->part++;
  return write_text (trace, line, weir_trace_format (&record, line, sizeof line), error);
}

gboolean
gst_weir_trace_write (GstWeirSendTrace *trace, GString *lines, GError **error)
{
  gboolean full = trace->max_bytes > 0 && trace->bytes > 0 && lines->len > 0
                  && trace->bytes + lines->len > trace->max_bytes;
  gboolean ok
      = (!full || begin_part (trace, error)) && write_text (trace, lines->str, lines->len, error);
  g_string_free (lines, TRUE);
  return ok;
}

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
