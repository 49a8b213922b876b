/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a trace (docs/trace.md) record by record, its old parts first. */
#ifndef WEIR_LAB_REPLAY_TRACE_FILE_H
#define WEIR_LAB_REPLAY_TRACE_FILE_H

#include "weir/trace.h"
#include <glib.h>
#include <jansson.h>
#include <stdio.h>

struct lab_trace {
    char *names[WEIR_TRACE_OLD_PARTS + 1]; /* oldest first */
    guint n_names;
    guint at; /* the next to be opened */
    FILE *file;
    json_t *line_json; /* has the texts of the record */
    guint64 line;      /* of the file being read, from 1 */
    gint64 part;       /* number of the part being read */
    gboolean begun;    /* a part was opened */
    struct weir_trace_record record;
};

/* The trace in the order in which it was written. *record lives until the next call; at the end
 * it is NULL. FALSE: *error says file, line, what is wrong and what would be right. */
gboolean lab_trace_open(struct lab_trace *trace, const char *location, GError **error);
gboolean lab_trace_read(struct lab_trace *trace, const struct weir_trace_record **record,
                        GError **error);
/* "FILE, line N": the record read last. Free with g_free. */
char *lab_trace_where(const struct lab_trace *trace);
void lab_trace_close(struct lab_trace *trace);

#endif
