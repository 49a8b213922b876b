/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/fields.h"
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
        [LAB_FIELD_OPTIONAL] = "an object, {...}",
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

static gboolean refuse(const struct lab_field *field, const struct lab_place *place)
{
    g_autofree char *allowed = lab_field_allowed(field);
    lab_fail(place, place->node != NULL ? "must be %s" : "is missing; it must be %s", allowed);
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

static gboolean read_number(const struct lab_field *field, json_t *node, void *into)
{
    double value = json_number_value(node);
    gboolean whole = field->kind != LAB_FIELD_WHOLE || floor(value) == value;
    if (!json_is_number(node) || value < field->min || value > field->max || !whole) {
        return FALSE;
    }
    put_number(field, value, into);
    return TRUE;
}

static gboolean read_choice(const struct lab_field *field, const char *text, void *into)
{
    for (int i = 0; text != NULL && field->choices[i] != NULL; i++) {
        if (strcmp(field->choices[i], text) == 0) {
            *(int *)at(field, into) = i;
            return TRUE;
        }
    }
    return FALSE;
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

static gboolean read_text(const struct lab_field *field, const char *text, void *into)
{
    if (text == NULL || (field->kind == LAB_FIELD_NAME && !is_name(text))) {
        return FALSE;
    }
    *(const char **)at(field, into) = text;
    return TRUE;
}

/* A number stands for a switch too, so that expressions can: 0 is false. */
static gboolean read_bool(const struct lab_field *field, json_t *node, void *into)
{
    *(bool *)at(field, into) = json_is_true(node) || json_number_value(node) != 0.0;
    return json_is_boolean(node) || json_is_number(node);
}

/* FALSE: the value is none that the field may have. */
static gboolean read_value(const struct lab_field *field, json_t *node, void *into)
{
    switch (field->kind) {
    case LAB_FIELD_NUMBER:
    case LAB_FIELD_WHOLE:
    case LAB_FIELD_SCALED:
        return read_number(field, node, into);
    case LAB_FIELD_BOOL:
        return read_bool(field, node, into);
    case LAB_FIELD_CHOICE:
        return read_choice(field, json_string_value(node), into);
    case LAB_FIELD_NAME:
    case LAB_FIELD_TEXT:
        return read_text(field, json_string_value(node), into);
    case LAB_FIELD_OBJECT:
    case LAB_FIELD_OPTIONAL:
        return json_is_object(node);
    case LAB_FIELD_LIST:
        return json_is_array(node);
    case LAB_FIELD_ANY:
        break;
    }
    return TRUE;
}

static void put_initial(const struct lab_field *field, void *into)
{
    if (field->kind <= LAB_FIELD_SCALED) {
        put_number(field, field->initial, into);
    } else if (field->kind == LAB_FIELD_BOOL) {
        *(bool *)at(field, into) = field->initial != 0.0;
    } else if (field->kind == LAB_FIELD_CHOICE) {
        *(int *)at(field, into) = (int)field->initial;
    }
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

static gboolean refuse_unknown(const struct lab_field *fields, gsize n_fields, const char *key,
                               const struct lab_place *place)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    if (key != NULL) {
        g_ptr_array_add(names, (gpointer)(guintptr)key);
    }
    for (gsize i = 0; i < n_fields; i++) {
        g_ptr_array_add(names, (gpointer)(guintptr)fields[i].name);
    }
    g_ptr_array_add(names, (gpointer)(guintptr)COMMENT);
    lab_fail_unknown(place, "unknown field", place->name, names);
    return FALSE;
}

/* `key`: one more name that may stand there, or NULL. */
static gboolean check_names(const struct lab_field *fields, gsize n_fields, const char *key,
                            const struct lab_place *place)
{
    const char *name;
    json_t *value;
    if (!json_is_object(place->node)) {
        return lab_fail(place, "must be an object, {...}");
    }
    json_object_foreach(place->node, name, value)
    {
        struct lab_place inner = lab_at(place, name);
        if (strcmp(name, COMMENT) == 0 && !json_is_string(value)) {
            return lab_fail(&inner, "must be a text");
        }
        if (find_field(fields, n_fields, name) == NULL && g_strcmp0(name, key) != 0 &&
            strcmp(name, COMMENT) != 0) {
            return refuse_unknown(fields, n_fields, key, &inner);
        }
    }
    return TRUE;
}

/* Refuses names that are in no table. */
gboolean lab_fields_check_names(const struct lab_field *fields, gsize n_fields,
                                const struct lab_place *place)
{
    return check_names(fields, n_fields, NULL, place);
}

/* `key`: one more name that may stand there, already read; or NULL. */
static gboolean read_fields(const struct lab_field *fields, gsize n_fields, const char *key,
                            const struct lab_place *place, void *into)
{
    if (place->node != NULL && !check_names(fields, n_fields, key, place)) {
        return FALSE;
    }
    for (gsize i = 0; i < n_fields; i++) {
        const struct lab_field *field = &fields[i];
        struct lab_place inner = lab_at(place, field->name);
        put_initial(field, into);
        if (inner.node != NULL ? !read_value(field, inner.node, into) : field->required) {
            return refuse(field, &inner);
        }
        gboolean is_left = field->kind == LAB_FIELD_OPTIONAL && inner.node == NULL;
        if (field->fields != NULL && !is_left &&
            !read_fields(field->fields, field->n_fields, NULL, &inner, at(field, into))) {
            return FALSE;
        }
    }
    return TRUE;
}

/* What the object does not say gets its default; texts stay as they are then. */
gboolean lab_fields_read(const struct lab_field *fields, gsize n_fields,
                         const struct lab_place *place, void *into)
{
    return read_fields(fields, n_fields, NULL, place, into);
}

static gboolean choose_variant(const struct lab_variant *variants, gsize n_variants,
                               const struct lab_place *place, gsize *chosen)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    gsize i = 0;
    while (i < n_variants && g_strcmp0(variants[i].name, json_string_value(place->node)) != 0) {
        g_ptr_array_add(names, (gpointer)(guintptr)variants[i++].name);
    }
    if (i < n_variants) {
        *chosen = i;
    } else {
        g_autofree char *all = lab_join_names(names);
        lab_fail(place, "must be one of %s", all);
    }
    return i < n_variants;
}

/* `key` says which of the variants it is; *chosen keeps its value, the default, without it. */
gboolean lab_variant_read(const struct lab_variant *variants, gsize n_variants, const char *key,
                          const struct lab_place *place, void *into, gsize *chosen)
{
    struct lab_place key_place = lab_at(place, key);
    if (key_place.node != NULL && !choose_variant(variants, n_variants, &key_place, chosen)) {
        return FALSE;
    }
    const struct lab_variant *variant = &variants[*chosen];
    return read_fields(variant->fields, variant->n_fields, key, place, into);
}

/* A list of numbers, each as `element` (WHOLE or SCALED, offset 0) says. Free *values with g_free.
 */
gboolean lab_numbers_read(const struct lab_field *element, const struct lab_place *place,
                          gint64 **values, gsize *n_values)
{
    if (!json_is_array(place->node)) {
        return lab_fail(place, "must be a list, [...]");
    }
    gsize n = json_array_size(place->node);
    gint64 *read = g_new(gint64, n + 1);
    for (gsize i = 0; i < n; i++) {
        char number[16];
        struct lab_place inner = lab_element(place, i, number);
        if (!read_value(element, inner.node, &read[i])) {
            g_free(read);
            return refuse(element, &inner);
        }
    }
    *values = read;
    *n_values = n;
    return TRUE;
}
