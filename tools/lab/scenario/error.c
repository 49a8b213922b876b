/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/error.h"
#include <stdlib.h>
#include <string.h>

#define MAX_SHOWN_CHARACTERS 60   /* of a wrong value, and of each name of its place */
#define MAX_SENTENCE         1000 /* characters: it may list what there is */
#define MAX_COMPARED_BYTES   40   /* of names: longer ones are never near */

G_DEFINE_QUARK(weir_lab, lab_error)

/* Takes the text, which is UTF-8; a long one ends in "...". */
static char *shorten(char *text, glong most)
{
    if (g_utf8_strlen(text, -1) <= most) {
        return text;
    }
    g_autofree char *cut = g_utf8_substring(text, 0, most);
    char *shown = g_strconcat(cut, "...", NULL);
    g_free(text);
    return shown;
}

static void append_place(GString *text, const struct lab_place *place)
{
    if (place->up == NULL) {
        return;
    }
    append_place(text, place->up);
    g_autofree char *name = shorten(g_strdup(place->name), MAX_SHOWN_CHARACTERS);
    g_string_append_printf(text, "%s%s", text->len > 0 ? "." : "", name);
}

/* "flows.call.source", empty for the file itself. Free with g_free. */
char *lab_place_text(const struct lab_place *place)
{
    GString *text = g_string_new(NULL);
    append_place(text, place);
    return g_string_free(text, FALSE);
}

/* See the header. */
struct lab_place lab_at(const struct lab_place *up, const char *name)
{
    return (struct lab_place){.up = up, .name = name, .node = json_object_get(up->node, name)};
}

/* See the header. `number` is memory for the name. */
struct lab_place lab_element(const struct lab_place *up, size_t i, char number[16])
{
    json_t *element = json_array_get(up->node, i);
    const char *name = json_string_value(json_object_get(element, "name"));
    g_snprintf(number, 16, "%zu", i);
    return (struct lab_place){.up = up, .name = name != NULL ? name : number, .node = element};
}

/* The value as JSON, cut when it is long. Free with g_free. */
static char *shown_value(json_t *value)
{
    if (json_is_object(value) || json_is_array(value)) {
        return g_strdup(json_is_object(value) ? "{...}" : "[...]");
    }
    if (json_is_real(value)) {
        char digits[G_ASCII_DTOSTR_BUF_SIZE];
        return g_strdup(g_ascii_formatd(digits, sizeof digits, "%.15g", json_real_value(value)));
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    char *shown =
        shorten(text != NULL ? g_strdup(text) : g_strdup("not UTF-8"), MAX_SHOWN_CHARACTERS);
    free(text);
    return shown;
}

/* Names of files and fields are the user's: an error stays one line whatever they hold. */
static char *one_line(const char *text)
{
    char *line = g_utf8_make_valid(text, -1);
    for (char *c = line; *c != '\0'; c++) {
        if (g_ascii_iscntrl(*c)) {
            *c = '?';
        }
    }
    return line;
}

/* The file that the place is in. */
const struct lab_place *lab_file_of(const struct lab_place *place)
{
    return place->up != NULL ? lab_file_of(place->up) : place;
}

static gboolean G_GNUC_PRINTF(2, 0)
    fail(const struct lab_place *place, const char *format, va_list arguments)
{
    const struct lab_place *file = lab_file_of(place);
    if (file->error == NULL || *file->error != NULL) {
        return FALSE;
    }
    g_autofree char *whole = g_strdup_vprintf(format, arguments);
    g_autofree char *sentence = shorten(g_utf8_make_valid(whole, -1), MAX_SENTENCE);
    g_autofree char *path = lab_place_text(place);
    g_autofree char *shown =
        place->node != NULL && path[0] != '\0' ? shown_value(place->node) : NULL;
    char *message =
        g_strconcat(file->name, path[0] != '\0' ? ": " : "", path, shown != NULL ? " = " : "",
                    shown != NULL ? shown : "", ": ", sentence, NULL);
    g_autofree char *line = one_line(message);
    g_set_error_literal(file->error, LAB_ERROR, LAB_ERROR_INPUT, line);
    g_free(message);
    return FALSE;
}

/* The sentence says what is wrong or what is allowed. */
gboolean lab_fail(const struct lab_place *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(place, format, arguments);
    va_end(arguments);
    return FALSE;
}

/* The same of a member of the object at `up`. */
gboolean lab_fail_at(const struct lab_place *up, const char *name, const char *format, ...)
{
    struct lab_place place = lab_at(up, name);
    va_list arguments;
    va_start(arguments, format);
    fail(&place, format, arguments);
    va_end(arguments);
    return FALSE;
}

/* "SENTENCE; did you mean ...?" or "SENTENCE; there are ...": of `given`, which is none of them. */
gboolean lab_fail_unknown(const struct lab_place *place, const char *sentence, const char *given,
                          const GPtrArray *names)
{
    const char *nearest = lab_nearest_name(given, names);
    g_autofree char *all = lab_join_names(names);
    if (nearest != NULL) {
        lab_fail(place, "%s; did you mean %s?", sentence, nearest);
    } else {
        lab_fail(place, "%s; there are %s", sentence, names->len > 0 ? all : "none");
    }
    return FALSE;
}

/* Levenshtein's distance of two short texts, in bytes. */
static gsize edit_distance(const char *a, const char *b)
{
    gsize row[MAX_COMPARED_BYTES + 1];
    gsize n = strlen(b);
    for (gsize j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (gsize i = 0; a[i] != '\0'; i++) {
        gsize diagonal = row[0];
        row[0] = i + 1;
        for (gsize j = 0; j < n; j++) {
            gsize replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = MIN(replaced, MIN(row[j], row[j + 1]) + 1);
        }
    }
    return row[n];
}

/* Length of the name without its unit. */
static gsize stem_length(const char *name)
{
    static const char *const units[] = {"_s",   "_ms",    "_us",      "_ns",
                                        "_bps", "_bytes", "_packets", "_size"};
    for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
        if (g_str_has_suffix(name, units[i])) {
            return strlen(name) - strlen(units[i]);
        }
    }
    return strlen(name);
}

static gboolean differ_in_unit(const char *a, const char *b)
{
    gsize length = stem_length(a);
    return length == stem_length(b) && length > 0 && strncmp(a, b, length) == 0;
}

/* A missing or another unit is nearest of all; else a third of the letters may differ, but not
 * all. */
const char *lab_nearest_name(const char *name, const GPtrArray *names)
{
    const char *nearest = NULL;
    gsize least = MIN(MAX(strlen(name) / 3, 1) + 1, strlen(name));
    for (guint i = 0; i < names->len; i++) {
        const char *other = names->pdata[i];
        if (differ_in_unit(name, other)) {
            return other;
        }
        if (strlen(name) > MAX_COMPARED_BYTES || strlen(other) > MAX_COMPARED_BYTES) {
            continue;
        }
        gsize distance = edit_distance(name, other);
        if (distance < least) {
            least = distance;
            nearest = other;
        }
    }
    return nearest;
}

/* "a, b, c"; free with g_free. */
char *lab_join_names(const GPtrArray *names)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < names->len; i++) {
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", (const char *)names->pdata[i]);
    }
    return g_string_free(text, FALSE);
}

/* Of an object, borrowed from it; none of anything else. Free with g_ptr_array_unref. */
GPtrArray *lab_member_names(json_t *object)
{
    GPtrArray *names = g_ptr_array_new();
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        g_ptr_array_add(names, (gpointer)(guintptr)name);
    }
    return names;
}
