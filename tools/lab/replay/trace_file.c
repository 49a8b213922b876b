/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/trace_file.h"
#include "session/trace.h"
#include "weir/receiver.h"
#include <errno.h>
#include <string.h>

/* "FILE, line N": the record read last; "FILE" before the first. */
char *lab_trace_where(const struct lab_trace *trace)
{
    const char *name = trace->names[trace->at > 0 ? trace->at - 1 : 0];
    if (trace->line == 0) {
        return g_strdup(name);
    }
    return g_strdup_printf("%s, line %" G_GUINT64_FORMAT, name, trace->line);
}

static gboolean G_GNUC_PRINTF(3, 4)
    fail(const struct lab_trace *trace, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *where = lab_trace_where(trace);
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: %s", where, what);
    return FALSE;
}

/* Finds the parts; opens nothing yet. Call lab_trace_close() also after a failure. */
gboolean lab_trace_open(struct lab_trace *trace, const char *location, GError **error)
{
    *trace = (struct lab_trace){.file = NULL};
    for (guint age = WEIR_TRACE_OLD_PARTS; age > 0; age--) {
        char *name = g_strdup_printf("%s.%u", location, age);
        if (g_file_test(name, G_FILE_TEST_IS_REGULAR)) {
            trace->names[trace->n_names++] = name;
        } else {
            g_free(name);
        }
    }
    trace->names[trace->n_names++] = g_strdup(location);
    if (!g_file_test(location, G_FILE_TEST_EXISTS)) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: there is no such file", location);
        return FALSE;
    }
    return TRUE;
}

/* Accepts a zeroed trace. */
void lab_trace_close(struct lab_trace *trace)
{
    if (trace->file) {
        fclose(trace->file);
    }
    for (guint i = 0; i < trace->n_names; i++) {
        g_free(trace->names[i]);
    }
    json_decref(trace->line_json);
    *trace = (struct lab_trace){.file = NULL};
}

static gboolean read_status(const char *text, int64_t *value)
{
    for (*value = 0; text && *value < WEIR__TRACE_STATUSES; ++*value) {
        if (strcmp(weir__trace_statuses[*value], text) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* FALSE: the member has another type, or is not there. */
static gboolean read_field(const struct weir__trace_field *field, json_t *node, void *place)
{
    gboolean optional = field->type == WEIR__TRACE_WINDOW || field->type == WEIR__TRACE_TIME;
    if (optional && json_is_null(node)) {
        *(int64_t *)place = field->type == WEIR__TRACE_WINDOW ? WEIR_NEVER_NS : WEIR_UNKNOWN_NS;
        return TRUE;
    }
    switch (field->type) {
    case WEIR__TRACE_NAME:
        *(const char **)place = json_string_value(node);
        return json_is_string(node);
    case WEIR__TRACE_STATUS:
        return read_status(json_string_value(node), place);
    case WEIR__TRACE_NUMBER:
        *(double *)place = json_number_value(node);
        return json_is_number(node);
    case WEIR__TRACE_STATE:
        *(uint32_t *)place = (uint32_t)json_integer_value(node);
        return json_is_integer(node);
    case WEIR__TRACE_VERSION:
        return TRUE; /* checked before */
    case WEIR__TRACE_INTEGER:
    case WEIR__TRACE_TIME:
    case WEIR__TRACE_WINDOW:
    case WEIR__TRACE_ECN:
        break;
    }
    *(int64_t *)place = json_integer_value(node);
    return json_is_integer(node);
}

static gboolean read_fields(struct lab_trace *trace, json_t *object,
                            const struct weir__trace_kind *kind, GError **error)
{
    for (size_t i = 0; i < kind->n_fields; i++) {
        const struct weir__trace_field *field = &kind->fields[i];
        json_t *node = json_object_get(object, field->name);
        if (!node) {
            return fail(trace, error, "a record \"%s\" without \"%s\"", kind->name, field->name);
        }
        if (!read_field(field, node, (char *)&trace->record + field->offset)) {
            return fail(trace, error, "\"%s\" of a record \"%s\" has another type than it may have",
                        field->name, kind->name);
        }
        if (field->type == WEIR__TRACE_ECN &&
            (trace->record.ecn < 0 || trace->record.ecn > WEIR_ECN_CE)) {
            return fail(trace, error,
                        "\"%s\" of a record \"%s\" is %" G_GINT64_FORMAT
                        "; it may be 0 (not ECT), 1 (ECT(1)), 2 (ECT(0)) or 3 (CE)",
                        field->name, kind->name, trace->record.ecn);
        }
    }
    return TRUE;
}

/* -1 when there is none. */
static gint64 integer_member(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static gboolean check_version(struct lab_trace *trace, json_t *object, GError **error)
{
    gint64 version = integer_member(object, "version");
    if (version != WEIR_TRACE_VERSION) {
        return fail(trace, error, "a trace of version %" G_GINT64_FORMAT "; this program reads %d",
                    version, WEIR_TRACE_VERSION);
    }
    return TRUE;
}

/* The first line of a part: parts must follow each other, and the first must be there. */
static gboolean read_part(struct lab_trace *trace, json_t *object, GError **error)
{
    gint64 part = integer_member(object, "part");
    if (!check_version(trace, object, error)) {
        return FALSE;
    }
    if (!trace->begun) {
        return fail(trace, error,
                    "the beginning of the trace is gone (this is part %" G_GINT64_FORMAT
                    "): record with a larger trace-max-size",
                    part);
    }
    if (part != trace->part + 1) {
        return fail(trace, error,
                    "part %" G_GINT64_FORMAT " of the trace follows part %" G_GINT64_FORMAT, part,
                    trace->part);
    }
    trace->part = part;
    return TRUE;
}

static gboolean read_kind(struct lab_trace *trace, json_t *object, const char *name, GError **error)
{
    json_t *now = json_object_get(object, "now_ns");
    size_t i = 0;
    while (i < WEIR__TRACE_KINDS && strcmp(weir__trace_kinds[i].name, name) != 0) {
        i++;
    }
    if (i == WEIR__TRACE_KINDS) {
        return fail(trace, error, "a record of an unknown kind \"%s\"", name);
    }
    if (!json_is_integer(now)) {
        return fail(trace, error, "a record \"%s\" without a whole number \"now_ns\"", name);
    }
    trace->record = (struct weir_trace_record){.kind = (enum weir_trace_kind)i,
                                               .now_ns = json_integer_value(now)};
    return (i != WEIR_TRACE_START || check_version(trace, object, error)) &&
           read_fields(trace, object, &weir__trace_kinds[i], error);
}

/* *is_record: false for the first line of a part. */
static gboolean read_line(struct lab_trace *trace, const char *line, size_t length,
                          gboolean *is_record, GError **error)
{
    json_decref(trace->line_json);
    trace->line_json = json_loadb(line, length, JSON_DECODE_ANY, NULL);
    if (!trace->line_json) {
        return fail(trace, error, "not a JSON object on one line");
    }
    if (!json_is_object(trace->line_json)) {
        return fail(trace, error, "not a JSON object");
    }
    const char *name = json_string_value(json_object_get(trace->line_json, "kind"));
    if (!name) {
        return fail(trace, error, "a record without \"kind\": this is not a trace of weirsend");
    }
    *is_record = strcmp(name, "part") != 0;
    return *is_record ? read_kind(trace, trace->line_json, name, error)
                      : read_part(trace, trace->line_json, error);
}

/* The file behind the present one; FALSE with *error, or without when there is none. */
static gboolean open_next(struct lab_trace *trace, GError **error)
{
    if (trace->at == trace->n_names) {
        return FALSE;
    }
    const char *name = trace->names[trace->at++];
    trace->line = 0;
    trace->file = fopen(name, "rb");
    if (!trace->file) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: cannot be read: %s", name,
                    g_strerror(errno));
    }
    return trace->file != NULL;
}

/* A whole line into `line`; *length 0 = the end of all files. */
static gboolean next_line(struct lab_trace *trace, char *line, int size, size_t *length,
                          GError **error)
{
    GError *wrong = NULL;
    *length = 0;
    while (trace->file || open_next(trace, &wrong)) {
        if (fgets(line, size, trace->file)) {
            trace->line++;
            *length = strlen(line);
            if (*length == 0 || line[*length - 1] != '\n') {
                return fail(trace, error,
                            feof(trace->file) ? "the trace is cut off in the middle of a line"
                                              : "longer than a line of a trace can be");
            }
            return TRUE;
        }
        if (ferror(trace->file)) {
            return fail(trace, error, "cannot be read: %s", g_strerror(errno));
        }
        fclose(trace->file);
        trace->file = NULL;
    }
    if (wrong) {
        g_propagate_error(error, wrong);
        return FALSE;
    }
    return TRUE;
}

/* The next record, see the header; *record is NULL behind the last. */
gboolean lab_trace_read(struct lab_trace *trace, const struct weir_trace_record **record,
                        GError **error)
{
    char line[2 * WEIR_TRACE_LINE_BYTES];
    gboolean is_record = FALSE;
    *record = NULL;
    while (!is_record) {
        size_t length = 0;
        if (!next_line(trace, line, sizeof line, &length, error)) {
            return FALSE;
        }
        if (length == 0) {
            return TRUE;
        }
        if (!read_line(trace, line, length - 1, &is_record, error)) {
            return FALSE;
        }
        trace->begun = TRUE;
    }
    *record = &trace->record;
    return TRUE;
}
