/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace file: everything the algorithm saw and answered, as JSON lines that can be replayed. */
#ifndef GST_WEIR_SEND_TRACE_H
#define GST_WEIR_SEND_TRACE_H

#include "weir/weir.h"
#include <glib.h>
#include <stdio.h>

typedef struct
{
  FILE *file;        /* NULL: no trace. One thread at a time writes, opens and closes */
  GString *pending;  /* whole lines not yet written */
  gint64 due_ns;     /* when they must be; WEIR_NEVER_NS */
  gchar *location;   /* NULL: no trace */
  guint64 max_bytes; /* of a part; 0: no parts */
  guint64 bytes;     /* in this part */
  guint64 part;      /* the first is 0 */
  gint64 taken_ns;   /* when lines were last taken to be written */
} GstWeirSendTrace;

/* Creates the file, and removes the old parts of another trace. max_bytes: when it becomes a part,
 * 0: never. *trace must be zeroed or closed. FALSE: no trace, error says why. */
gboolean gst_weir_trace_open (GstWeirSendTrace *trace, const gchar *location, guint64 max_bytes,
                              GError **error);
/* Writes the rest; accepts a trace that is not open. FALSE: something could not be written. */
gboolean gst_weir_trace_close (GstWeirSendTrace *trace, GError **error);

/* These two exclude each other, by the caller's lock; neither does I/O. */
void gst_weir_trace_record (GstWeirSendTrace *trace, const struct weir_trace_record *record);
/* The lines that are to be written now, or NULL. */
GString *gst_weir_trace_take (GstWeirSendTrace *trace, gint64 now_ns);

/* Writes and frees lines. No lock needed; one caller at a time. */
gboolean gst_weir_trace_write (GstWeirSendTrace *trace, GString *lines, GError **error);

#endif
