/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes one JSON object. Members of the object and elements of its lists begin a line each, what
 * is inside those stays on it: readable, and easy to compare line by line. */
#ifndef WEIR_LAB_TEXT_WRITER_H
#define WEIR_LAB_TEXT_WRITER_H

#include <glib.h>
#include <stdint.h>

struct lab_writer {
    GString *text;
    unsigned depth;
    gboolean empty; /* nothing yet in the innermost object or list */
};

void lab_writer_init(struct lab_writer *writer);
char *lab_writer_finish(struct lab_writer *writer);

/* `name` is NULL for elements of lists. */
void lab_write_object(struct lab_writer *writer, const char *name);
void lab_write_list(struct lab_writer *writer, const char *name);
void lab_write_end_object(struct lab_writer *writer);
void lab_write_end_list(struct lab_writer *writer);
void lab_write_text(struct lab_writer *writer, const char *name, const char *value);
void lab_write_bool(struct lab_writer *writer, const char *name, gboolean value);
void lab_write_int(struct lab_writer *writer, const char *name, int64_t value);
void lab_write_unsigned(struct lab_writer *writer, const char *name, uint64_t value);
void lab_write_real(struct lab_writer *writer, const char *name, double value);
void lab_write_seconds(struct lab_writer *writer, const char *name, int64_t value_ns);

#endif
