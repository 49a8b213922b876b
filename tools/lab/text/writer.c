/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "text/writer.h"
#include "text/number.h"

#define LINES_DEPTH 2 /* what is deeper shares a line */

/* Begins the object. */
void lab_writer_init(struct lab_writer *writer)
{
    writer->text = g_string_new("{");
    writer->depth = 1;
    writer->empty = TRUE;
}

/* Ends the object. The text is the caller's, to be freed with g_free; it ends with a new line. */
char *lab_writer_finish(struct lab_writer *writer)
{
    g_string_append(writer->text, "\n}\n");
    char *text = g_string_free(writer->text, FALSE);
    writer->text = NULL;
    return text;
}

static void new_line(struct lab_writer *writer)
{
    g_string_append_c(writer->text, '\n');
    for (unsigned i = 0; i < writer->depth; i++) {
        g_string_append(writer->text, "  ");
    }
}

static void append_quoted(GString *text, const char *value)
{
    g_string_append_c(text, '"');
    for (const char *at = value; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\') {
            g_string_append_c(text, '\\');
            g_string_append_c(text, *at);
        } else if (c < 0x20) {
            g_string_append_printf(text, "\\u%04x", c);
        } else {
            g_string_append_c(text, *at);
        }
    }
    g_string_append_c(text, '"');
}

static void begin(struct lab_writer *writer, const char *name)
{
    if (!writer->empty) {
        g_string_append_c(writer->text, ',');
    }
    if (writer->depth <= LINES_DEPTH) {
        new_line(writer);
    } else if (!writer->empty) {
        g_string_append_c(writer->text, ' ');
    }
    if (name) {
        append_quoted(writer->text, name);
        g_string_append(writer->text, ": ");
    }
    writer->empty = FALSE;
}

static void open_bracket(struct lab_writer *writer, const char *name, char bracket)
{
    begin(writer, name);
    g_string_append_c(writer->text, bracket);
    writer->depth++;
    writer->empty = TRUE;
}

static void close_bracket(struct lab_writer *writer, char bracket)
{
    gboolean on_own_line = writer->depth <= LINES_DEPTH && !writer->empty;
    writer->depth--;
    if (on_own_line) {
        new_line(writer);
    }
    g_string_append_c(writer->text, bracket);
    writer->empty = FALSE;
}

/* Begins an object inside the innermost object (name) or list (NULL). */
void lab_write_object(struct lab_writer *writer, const char *name)
{
    open_bracket(writer, name, '{');
}

/* Begins a list, as above. */
void lab_write_list(struct lab_writer *writer, const char *name)
{
    open_bracket(writer, name, '[');
}

/* Of the innermost one that was begun and not ended. */
void lab_write_end_object(struct lab_writer *writer)
{
    close_bracket(writer, '}');
}

/* Of the innermost one that was begun and not ended. */
void lab_write_end_list(struct lab_writer *writer)
{
    close_bracket(writer, ']');
}

/* NULL is written as null. */
void lab_write_text(struct lab_writer *writer, const char *name, const char *value)
{
    begin(writer, name);
    if (value) {
        append_quoted(writer->text, value);
    } else {
        g_string_append(writer->text, "null");
    }
}

/* true or false. */
void lab_write_bool(struct lab_writer *writer, const char *name, gboolean value)
{
    begin(writer, name);
    g_string_append(writer->text, value ? "true" : "false");
}

/* All digits. */
void lab_write_int(struct lab_writer *writer, const char *name, int64_t value)
{
    begin(writer, name);
    lab_append_int(writer->text, value);
}

/* All digits. */
void lab_write_unsigned(struct lab_writer *writer, const char *name, uint64_t value)
{
    begin(writer, name);
    lab_append_unsigned(writer->text, value);
}

/* null when it is not finite. */
void lab_write_real(struct lab_writer *writer, const char *name, double value)
{
    begin(writer, name);
    lab_append_real(writer->text, value);
}

/* A time in seconds, to the nanosecond. */
void lab_write_seconds(struct lab_writer *writer, const char *name, int64_t value_ns)
{
    begin(writer, name);
    lab_append_fixed(writer->text, value_ns, LAB_SECONDS_DECIMALS);
}
