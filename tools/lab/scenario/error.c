/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/error.h"
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
    char *cut = g_utf8_substring(text, 0, most);
    char *shown = g_strconcat(cut, "...", NULL);
    g_free(cut);
    g_free(text);
    return shown;
}

static void append_place(GString *text, const struct lab_place *place)
{
    if (place->up == NULL) {
        return;
    }
    append_place(text, place->up);
    char *name = shorten(g_strdup(place->name), MAX_SHOWN_CHARACTERS);
    g_string_append_printf(text, "%s%s", text->len > 0 ? "." : "", name);
    g_free(name);
}

/* "flows.call.source", empty for the file itself. Free with g_free. */
char *lab_place_text(const struct lab_place *place)
{
    GString *text = g_string_new(NULL);
    append_place(text, place);
    return g_string_free(text, FALSE);
}

static const char *file_of(const struct lab_place *place)
{
    while (place->up != NULL) {
        place = place->up;
    }
    return place->name;
}

/* The value as JSON, cut when it is long. */
static char *shown_value(JsonNode *value)
{
    if (JSON_NODE_HOLDS_OBJECT(value) || JSON_NODE_HOLDS_ARRAY(value)) {
        return g_strdup(JSON_NODE_HOLDS_OBJECT(value) ? "{...}" : "[...]");
    }
    if (JSON_NODE_HOLDS_VALUE(value) && json_node_get_value_type(value) == G_TYPE_DOUBLE) {
        char digits[G_ASCII_DTOSTR_BUF_SIZE];
        double number = json_node_get_double(value);
        return g_strdup(g_ascii_formatd(digits, sizeof digits, "%.15g", number));
    }
    return shorten(json_to_string(value, FALSE), MAX_SHOWN_CHARACTERS);
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

/* Sets *error; the sentence says what is wrong or what is allowed. */
gboolean lab_fail(GError **error, const struct lab_place *place, JsonNode *value,
                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *whole = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    char *sentence = shorten(g_utf8_make_valid(whole, -1), MAX_SENTENCE);
    char *path = lab_place_text(place);
    char *shown = value != NULL && path[0] != '\0' ? shown_value(value) : NULL;
    char *message =
        g_strconcat(file_of(place), path[0] != '\0' ? ": " : "", path, shown != NULL ? " = " : "",
                    shown != NULL ? shown : "", ": ", sentence, NULL);
    char *line = one_line(message);
    g_set_error_literal(error, LAB_ERROR, LAB_ERROR_INPUT, line);
    g_free(line);
    g_free(message);
    g_free(shown);
    g_free(path);
    g_free(sentence);
    g_free(whole);
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
const char *lab_nearest_name(const char *name, const char *const *names, gsize n_names)
{
    const char *nearest = NULL;
    gsize least = MIN(MAX(strlen(name) / 3, 1) + 1, strlen(name));
    for (gsize i = 0; i < n_names; i++) {
        if (differ_in_unit(name, names[i])) {
            return names[i];
        }
        if (strlen(name) > MAX_COMPARED_BYTES || strlen(names[i]) > MAX_COMPARED_BYTES) {
            continue;
        }
        gsize distance = edit_distance(name, names[i]);
        if (distance < least) {
            least = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

/* "a, b, c"; free with g_free. */
char *lab_join_names(const char *const *names, gsize n_names)
{
    GString *text = g_string_new(NULL);
    for (gsize i = 0; i < n_names; i++) {
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    return g_string_free(text, FALSE);
}
