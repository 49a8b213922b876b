/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/fields.h"
#include "scenario/json.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define LONGEST_NAME 200
#define LARGEST_INT  9.2e18

/* Any object may have this one, a text, and nobody reads it. */
#define COMMENT "comment"

static void *at(const struct lab_field *field, void *into)
{
    return (char *)into + field->offset;
}

static void append_number(GString *text, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    gboolean whole = floor(value) == value && fabs(value) < LARGEST_INT;
    g_string_append(text, g_ascii_formatd(digits, sizeof digits, whole ? "%.0f" : "%.15g", value));
}

static void append_range(GString *text, const struct lab_field *field)
{
    g_string_append(text,
                    field->kind == LAB_FIELD_WHOLE ? "a whole number from " : "a number from ");
    append_number(text, field->min);
    g_string_append(text, " to ");
    append_number(text, field->max);
}

/* What a field may hold, as a sentence of its errors says it. Free with g_free. */
char *lab_field_allowed(const struct lab_field *field)
{
    static const char *const kinds[] = {
        [LAB_FIELD_BOOL] = "true or false",
        [LAB_FIELD_CHOICE] = "one of ",
        [LAB_FIELD_NAME] = "a name of 1 to 200 characters without commas and quotes",
        [LAB_FIELD_TEXT] = "a text",
        [LAB_FIELD_OBJECT] = "an object, {...}",
        [LAB_FIELD_LIST] = "a list, [...]",
    };
    GString *text = g_string_new(NULL);
    if (field->kind <= LAB_FIELD_SCALED) {
        append_range(text, field);
    } else if (field->kind < LAB_FIELD_ANY) {
        g_string_append(text, kinds[field->kind]);
    } else {
        g_string_append(text, "see docs/scenarios.md");
    }
    for (gsize i = 0; field->kind == LAB_FIELD_CHOICE && field->choices[i] != NULL; i++) {
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", field->choices[i]);
    }
    return g_string_free(text, FALSE);
}

static gboolean refuse(const struct lab_field *field, const struct lab_place *place, JsonNode *node,
                       GError **error)
{
    char *allowed = lab_field_allowed(field);
    lab_fail(error, place, node, "must be %s", allowed);
    g_free(allowed);
    return FALSE;
}

/* Integers are rounded half up; infinity, only ever a default, is "never". */
static void put_number(const struct lab_field *field, double value, void *into)
{
    if (field->kind == LAB_FIELD_NUMBER) {
        *(double *)at(field, into) = value;
    } else {
        double scaled = value * (field->kind == LAB_FIELD_SCALED ? field->scale : 1.0);
        *(gint64 *)at(field, into) =
            scaled < LARGEST_INT ? (gint64)floor(scaled + 0.5) : G_MAXINT64;
    }
}

static gboolean read_number(const struct lab_field *field, const struct lab_place *place,
                            JsonNode *node, void *into, GError **error)
{
    double value = lab_json_is_number(node) ? json_node_get_double(node) : NAN;
    gboolean whole = field->kind != LAB_FIELD_WHOLE || floor(value) == value;
    if (!(value >= field->min && value <= field->max) || !whole) {
        return refuse(field, place, node, error);
    }
    put_number(field, value, into);
    return TRUE;
}

static gboolean read_choice(const struct lab_field *field, const struct lab_place *place,
                            JsonNode *node, void *into, GError **error)
{
    const char *text = json_node_get_string(node);
    for (int i = 0; field->choices[i] != NULL; i++) {
        if (strcmp(field->choices[i], text) == 0) {
            *(int *)at(field, into) = i;
            return TRUE;
        }
    }
    return refuse(field, place, node, error);
}

static gboolean is_name(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (g_ascii_iscntrl(*c) || *c == ',' || *c == '"') {
            return FALSE;
        }
    }
    glong length = g_utf8_strlen(text, -1);
    return length >= 1 && length <= LONGEST_NAME;
}

static gboolean read_text(const struct lab_field *field, const struct lab_place *place,
                          JsonNode *node, void *into, GError **error)
{
    if (!lab_json_is_text(node)) {
        return refuse(field, place, node, error);
    }
    if (field->kind == LAB_FIELD_CHOICE) {
        return read_choice(field, place, node, into, error);
    }
    if (field->kind == LAB_FIELD_NAME && !is_name(json_node_get_string(node))) {
        return refuse(field, place, node, error);
    }
    char **text = at(field, into);
    g_free(*text);
    *text = json_node_dup_string(node);
    return TRUE;
}

/* A number stands for a switch too, so that expressions can: 0 is false. */
static gboolean read_bool(const struct lab_field *field, const struct lab_place *place,
                          JsonNode *node, void *into, GError **error)
{
    bool *value = at(field, into);
    if (lab_json_is_number(node)) {
        *value = json_node_get_double(node) != 0.0;
        return TRUE;
    }
    if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_BOOLEAN) {
        return refuse(field, place, node, error);
    }
    *value = json_node_get_boolean(node) != FALSE;
    return TRUE;
}

static gboolean read_node(const struct lab_field *field, const struct lab_place *place,
                          JsonNode *node, void *into, GError **error)
{
    if ((field->kind == LAB_FIELD_OBJECT && !JSON_NODE_HOLDS_OBJECT(node)) ||
        (field->kind == LAB_FIELD_LIST && !JSON_NODE_HOLDS_ARRAY(node))) {
        return refuse(field, place, node, error);
    }
    *(JsonNode **)at(field, into) = node;
    return TRUE;
}

/* Reads one value; `place` is that of the field. */
static gboolean read_field(const struct lab_field *field, const struct lab_place *place,
                           JsonNode *node, void *into, GError **error)
{
    switch (field->kind) {
    case LAB_FIELD_NUMBER:
    case LAB_FIELD_WHOLE:
    case LAB_FIELD_SCALED:
        return read_number(field, place, node, into, error);
    case LAB_FIELD_BOOL:
        return read_bool(field, place, node, into, error);
    case LAB_FIELD_CHOICE:
    case LAB_FIELD_NAME:
    case LAB_FIELD_TEXT:
        return read_text(field, place, node, into, error);
    case LAB_FIELD_OBJECT:
    case LAB_FIELD_LIST:
    case LAB_FIELD_ANY:
        break;
    }
    return read_node(field, place, node, into, error);
}

static void put_initial(const struct lab_field *field, void *into)
{
    switch (field->kind) {
    case LAB_FIELD_NUMBER:
    case LAB_FIELD_WHOLE:
    case LAB_FIELD_SCALED:
        put_number(field, field->initial, into);
        break;
    case LAB_FIELD_BOOL:
        *(bool *)at(field, into) = field->initial != 0.0;
        break;
    case LAB_FIELD_CHOICE:
        *(int *)at(field, into) = (int)field->initial;
        break;
    case LAB_FIELD_NAME:
    case LAB_FIELD_TEXT:
    case LAB_FIELD_OBJECT:
    case LAB_FIELD_LIST:
    case LAB_FIELD_ANY:
        break;
    }
}

static gboolean refuse_unknown(const struct lab_field *fields, gsize n_fields, const char *key,
                               const struct lab_place *place, JsonNode *value, GError **error)
{
    const char **names = g_new(const char *, n_fields + 2);
    gsize n = 0;
    if (key != NULL) {
        names[n++] = key;
    }
    for (gsize i = 0; i < n_fields; i++) {
        names[n++] = fields[i].name;
    }
    names[n++] = COMMENT;
    const char *nearest = lab_nearest_name(place->name, names, n);
    char *all = lab_join_names(names, n);
    if (nearest != NULL) {
        lab_fail(error, place, value, "unknown field; did you mean %s?", nearest);
    } else {
        lab_fail(error, place, value, "unknown field; there are %s", all);
    }
    g_free(all);
    g_free(names);
    return FALSE;
}

static const struct lab_field *find_field(const struct lab_field *fields, gsize n_fields,
                                          const char *name)
{
    for (gsize i = 0; i < n_fields; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

static gboolean check_name(const struct lab_field *fields, gsize n_fields, const char *key,
                           const struct lab_place *place, JsonNode *value, GError **error)
{
    if (strcmp(place->name, COMMENT) == 0) {
        return lab_json_is_text(value) || lab_fail(error, place, value, "must be a text");
    }
    return find_field(fields, n_fields, place->name) != NULL ||
           (key != NULL && strcmp(place->name, key) == 0) ||
           refuse_unknown(fields, n_fields, key, place, value, error);
}

static gboolean check_names(const struct lab_field *fields, gsize n_fields, const char *key,
                            const struct lab_place *place, JsonNode *node, GError **error)
{
    if (!JSON_NODE_HOLDS_OBJECT(node)) {
        return lab_fail(error, place, node, "must be an object, {...}");
    }
    JsonObjectIter iter;
    const char *name = NULL;
    JsonNode *value = NULL;
    json_object_iter_init_ordered(&iter, json_node_get_object(node));
    while (json_object_iter_next_ordered(&iter, &name, &value)) {
        struct lab_place inner = {.up = place, .name = name};
        if (!check_name(fields, n_fields, key, &inner, value, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Refuses names that are in no table. */
gboolean lab_fields_check_names(const struct lab_field *fields, gsize n_fields,
                                const struct lab_place *place, JsonNode *node, GError **error)
{
    return check_names(fields, n_fields, NULL, place, node, error);
}

/* `key`: one more name that may stand there, already read; or NULL. */
static gboolean read_fields(const struct lab_field *fields, gsize n_fields, const char *key,
                            const struct lab_place *place, JsonNode *node, void *into,
                            GError **error)
{
    if (node != NULL && !check_names(fields, n_fields, key, place, node, error)) {
        return FALSE;
    }
    for (gsize i = 0; i < n_fields; i++) {
        const struct lab_field *field = &fields[i];
        struct lab_place inner = {.up = place, .name = field->name};
        JsonNode *value = lab_json_get(node, field->name);
        if (value == NULL && field->required) {
            char *allowed = lab_field_allowed(field);
            lab_fail(error, &inner, NULL, "is missing; it must be %s", allowed);
            g_free(allowed);
            return FALSE;
        }
        put_initial(field, into);
        if (value != NULL && !read_field(field, &inner, value, into, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Reads an object into `into`, whose texts must be NULL or g_free-able. What the object does not
 * say gets its default; texts, objects and lists stay as they are then. */
gboolean lab_fields_read(const struct lab_field *fields, gsize n_fields,
                         const struct lab_place *place, JsonNode *node, void *into, GError **error)
{
    return read_fields(fields, n_fields, NULL, place, node, into, error);
}

static gboolean choose_variant(const struct lab_variant *variants, gsize n_variants,
                               const struct lab_place *place, JsonNode *value, gsize *chosen,
                               GError **error)
{
    for (gsize i = 0; lab_json_is_text(value) && i < n_variants; i++) {
        if (strcmp(variants[i].name, json_node_get_string(value)) == 0) {
            *chosen = i;
            return TRUE;
        }
    }
    const char **names = g_new(const char *, n_variants);
    for (gsize i = 0; i < n_variants; i++) {
        names[i] = variants[i].name;
    }
    char *all = lab_join_names(names, n_variants);
    lab_fail(error, place, value, "must be one of %s", all);
    g_free(all);
    g_free(names);
    return FALSE;
}

/* `key` says which of the variants it is; *chosen keeps its value, the default, without it. */
gboolean lab_variant_read(const struct lab_variant *variants, gsize n_variants, const char *key,
                          const struct lab_place *place, JsonNode *node, void *into, gsize *chosen,
                          GError **error)
{
    struct lab_place key_place = {.up = place, .name = key};
    JsonNode *value = lab_json_get(node, key);
    if (value != NULL && !choose_variant(variants, n_variants, &key_place, value, chosen, error)) {
        return FALSE;
    }
    const struct lab_variant *variant = &variants[*chosen];
    return read_fields(variant->fields, variant->n_fields, key, place, node, into, error);
}

/* A list of numbers, each as `element` (WHOLE or SCALED, offset 0) says. Free *values with g_free.
 */
gboolean lab_numbers_read(const struct lab_field *element, const struct lab_place *place,
                          JsonNode *node, gint64 **values, gsize *n_values, GError **error)
{
    if (!JSON_NODE_HOLDS_ARRAY(node)) {
        return lab_fail(error, place, node, "must be a list, [...]");
    }
    JsonArray *list = json_node_get_array(node);
    guint n = json_array_get_length(list);
    gint64 *read = g_new(gint64, n + 1);
    for (guint i = 0; i < n; i++) {
        char index[16];
        g_snprintf(index, sizeof index, "%u", i);
        struct lab_place inner = {.up = place, .name = index};
        if (!read_field(element, &inner, json_array_get_element(list, i), &read[i], error)) {
            g_free(read);
            return FALSE;
        }
    }
    *values = read;
    *n_values = n;
    return TRUE;
}
