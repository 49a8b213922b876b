/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/merge.h"
#include "scenario/json.h"
#include <string.h>

#define LONGEST_PATH 1000 /* bytes; no more levels than this either */

/* An element of a list with this name; its number, or the length of the list. */
static size_t find_named(json_t *list, const char *name)
{
    size_t i;
    json_t *element;
    json_array_foreach(list, i, element)
    {
        if (g_strcmp0(json_string_value(json_object_get(element, "name")), name) == 0) {
            return i;
        }
    }
    return i;
}

static gboolean is_named_list(json_t *node)
{
    size_t i;
    json_t *element;
    json_array_foreach(node, i, element)
    {
        if (json_object_get(element, "name") == NULL) {
            return FALSE;
        }
    }
    return json_array_size(node) > 0;
}

/* Of the list at `up`; the place has the value that was meant for it. */
static gboolean no_such_element(const struct lab_place *place)
{
    GString *all = g_string_new(NULL);
    for (size_t i = 0; i < json_array_size(place->up->node); i++) {
        char number[16];
        g_string_append_printf(all, "%s%s", i > 0 ? ", " : "",
                               lab_element(place->up, i, number).name);
    }
    lab_fail(place, "no element of the list has this name; there are %s", all->str);
    g_string_free(all, TRUE);
    return FALSE;
}

static gboolean merge_list(const struct lab_place *base, json_t *over)
{
    const char *name;
    json_t *value;
    json_object_foreach(over, name, value)
    {
        size_t i = find_named(base->node, name);
        struct lab_place inner = {.up = base, .name = name, .node = value};
        if (i == json_array_size(base->node)) {
            return no_such_element(&inner);
        }
        inner.node = json_array_get(base->node, i);
        if (json_array_set_new(base->node, i, lab_merge(&inner, value)) != 0) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean merge_object(const struct lab_place *base, json_t *over)
{
    const char *name;
    json_t *value;
    json_object_foreach(over, name, value)
    {
        struct lab_place inner = lab_at(base, name);
        if (json_object_set_new(base->node, name, lab_merge(&inner, value)) != 0) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean is_other_kind(json_t *base, json_t *over)
{
    static const char *const keys[] = {"kind", "model", "discipline"};
    for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
        const char *a = json_string_value(json_object_get(base, keys[i]));
        const char *b = json_string_value(json_object_get(over, keys[i]));
        if (a != NULL && b != NULL && strcmp(a, b) != 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Objects field by field; an object over a list of named elements changes those; all else of `over`
 * replaces what is in the base, also an object with another `kind`, `model` or `discipline`. What
 * is merged is changed where it is. A new reference, or NULL. */
json_t *lab_merge(const struct lab_place *base, json_t *over)
{
    if (json_is_object(over) && is_named_list(base->node)) {
        return merge_list(base, over) ? json_incref(base->node) : NULL;
    }
    if (json_is_object(over) && json_is_object(base->node) && !is_other_kind(base->node, over)) {
        return merge_object(base, over) ? json_incref(base->node) : NULL;
    }
    return json_incref(over);
}

/* The first name of the path: the longest that exists, since names may have points. g_free it. */
static char *first_name(json_t *node, const char *path)
{
    for (gsize length = strlen(path); length > 0; length--) {
        if (path[length] != '.' && path[length] != '\0') {
            continue;
        }
        char *name = g_strndup(path, length);
        if (json_object_get(node, name) != NULL || find_named(node, name) < json_array_size(node)) {
            return name;
        }
        g_free(name);
    }
    return g_strndup(path, strcspn(path, "."));
}

static json_t *set_path(const struct lab_place *place, const char *path, json_t *value);

static json_t *set_element(const struct lab_place *place, const char *name, const char *rest,
                           json_t *value)
{
    struct lab_place inner = {.up = place, .name = name, .node = value};
    size_t n = json_array_size(place->node);
    size_t i = find_named(place->node, name);
    guint64 index = 0;
    if (i == n && g_ascii_string_to_unsigned(name, 10, 0, G_MAXUINT32, &index, NULL)) {
        i = MIN(index, n);
    }
    if (i == n) {
        no_such_element(&inner);
        return NULL;
    }
    inner.node = json_array_get(place->node, i);
    return json_array_set_new(place->node, i, set_path(&inner, rest, value)) == 0
               ? json_incref(place->node)
               : NULL;
}

static json_t *set_member(const struct lab_place *place, const char *name, const char *rest,
                          json_t *value)
{
    struct lab_place inner = lab_at(place, name);
    json_t *object = place->node != NULL ? json_incref(place->node) : json_object();
    if (json_object_set_new(object, name, set_path(&inner, rest, value)) != 0) {
        g_clear_pointer(&object, json_decref);
    }
    return object;
}

/* path: "" = the node itself. What it becomes, a new reference; NULL and an error. */
static json_t *set_path(const struct lab_place *place, const char *path, json_t *value)
{
    if (path[0] == '\0') {
        return json_incref(value);
    }
    if (place->node != NULL && !json_is_object(place->node) && !json_is_array(place->node)) {
        lab_fail(place, "has no fields inside");
        return NULL;
    }
    g_autofree char *name = first_name(place->node, path);
    const char *rest = path + strlen(name);
    rest += *rest == '.' ? 1 : 0;
    json_t *result = NULL;
    if (name[0] == '\0') {
        lab_fail(place, "an empty name in the path");
    } else if (json_is_array(place->node)) {
        result = set_element(place, name, rest, value);
    } else {
        result = set_member(place, name, rest, value);
    }
    return result;
}

/* Changes one field, given as "links.bottleneck.queue.packets=50": the value is JSON, or else a
 * text. What the tree has become, a new reference; NULL and *error. */
json_t *lab_merge_set(json_t *tree, const char *path_and_value, GError **error)
{
    struct lab_place option = {.name = "--set", .node = tree, .error = error};
    const char *equals = strchr(path_and_value, '=');
    if (equals == NULL || equals == path_and_value) {
        lab_fail(&option, "%s: must be PATH=VALUE", path_and_value);
        return NULL;
    }
    if (equals - path_and_value >= LONGEST_PATH) {
        lab_fail(&option, "a path of more than %d bytes", LONGEST_PATH);
        return NULL;
    }
    if (!g_utf8_validate(path_and_value, -1, NULL)) {
        lab_fail(&option, "not UTF-8");
        return NULL;
    }
    json_t *value = lab_json_parse(equals + 1, strlen(equals + 1), "--set", NULL);
    value = value != NULL ? value : json_string(equals + 1);
    g_autofree char *path = g_strndup(path_and_value, (gsize)(equals - path_and_value));
    json_t *result = set_path(&option, path, value);
    json_decref(value);
    return result;
}
