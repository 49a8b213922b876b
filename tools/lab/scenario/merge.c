/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/merge.h"
#include "scenario/json.h"
#include <string.h>

#define LONGEST_PATH 1000 /* bytes; no more levels than this either */

/* An element of a list with this name; its number, or the length of the list. */
static guint find_named(JsonArray *list, const char *name, gsize length)
{
    guint n = json_array_get_length(list);
    for (guint i = 0; i < n; i++) {
        JsonNode *own = lab_json_get(json_array_get_element(list, i), "name");
        if (lab_json_is_text(own) && strlen(json_node_get_string(own)) == length &&
            strncmp(json_node_get_string(own), name, length) == 0) {
            return i;
        }
    }
    return n;
}

static gboolean is_named_list(JsonNode *node)
{
    if (!JSON_NODE_HOLDS_ARRAY(node)) {
        return FALSE;
    }
    JsonArray *list = json_node_get_array(node);
    for (guint i = 0; i < json_array_get_length(list); i++) {
        if (lab_json_get(json_array_get_element(list, i), "name") == NULL) {
            return FALSE;
        }
    }
    return json_array_get_length(list) > 0;
}

/* The list with another element in place i (at the end: one more); takes `element`. */
static JsonNode *replace_element(JsonArray *list, guint place, JsonNode *element)
{
    guint n = json_array_get_length(list);
    JsonArray *copy = json_array_sized_new(n);
    for (guint i = 0; i < n; i++) {
        json_array_add_element(copy, i == place ? element
                                                : json_node_ref(json_array_get_element(list, i)));
    }
    JsonNode *node = json_node_init_array(json_node_alloc(), copy);
    json_array_unref(copy);
    return node;
}

static gboolean no_such_element(JsonArray *list, const struct lab_place *place, JsonNode *value,
                                GError **error)
{
    GString *all = g_string_new(NULL);
    for (guint i = 0; i < json_array_get_length(list); i++) {
        char number[16];
        g_string_append_printf(all, "%s%s", i > 0 ? ", " : "",
                               lab_element_name(json_array_get_element(list, i), i, number));
    }
    lab_fail(error, place, value, "no element of the list has this name; there are %s", all->str);
    g_string_free(all, TRUE);
    return FALSE;
}

static JsonNode *merge_list(JsonNode *base, JsonNode *over, const struct lab_place *place,
                            GError **error)
{
    JsonNode *result = json_node_ref(base);
    JsonObjectIter iter;
    const char *name = NULL;
    JsonNode *value = NULL;
    json_object_iter_init_ordered(&iter, json_node_get_object(over));
    while (result != NULL && json_object_iter_next_ordered(&iter, &name, &value)) {
        struct lab_place inner = {.up = place, .name = name};
        JsonArray *list = json_node_get_array(result);
        guint i = find_named(list, name, strlen(name));
        JsonNode *next = NULL;
        if (i == json_array_get_length(list)) {
            no_such_element(list, &inner, value, error);
        } else {
            JsonNode *element = lab_merge(json_array_get_element(list, i), value, &inner, error);
            next = element != NULL ? replace_element(list, i, element) : NULL;
        }
        json_node_unref(result);
        result = next;
    }
    return result;
}

static gboolean is_other_kind(JsonNode *base, JsonNode *over)
{
    static const char *const keys[] = {"kind", "model", "discipline"};
    for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
        JsonNode *a = lab_json_get(base, keys[i]);
        JsonNode *b = lab_json_get(over, keys[i]);
        if (lab_json_is_text(a) && lab_json_is_text(b) &&
            strcmp(json_node_get_string(a), json_node_get_string(b)) != 0) {
            return TRUE;
        }
    }
    return FALSE;
}

static JsonNode *merge_object(JsonNode *base, JsonNode *over, const struct lab_place *place,
                              GError **error)
{
    JsonNode *result = lab_json_copy_object(base);
    JsonObjectIter iter;
    const char *name = NULL;
    JsonNode *value = NULL;
    json_object_iter_init_ordered(&iter, json_node_get_object(over));
    while (json_object_iter_next_ordered(&iter, &name, &value)) {
        struct lab_place inner = {.up = place, .name = name};
        JsonNode *old = lab_json_get(base, name);
        JsonNode *merged =
            old != NULL ? lab_merge(old, value, &inner, error) : json_node_ref(value);
        if (merged == NULL) {
            json_node_unref(result);
            return NULL;
        }
        lab_json_set(result, name, merged);
    }
    return result;
}

/* A new tree: objects field by field; an object over a list of named elements changes those; all
 * else of `over` replaces what is in `base`, also an object with another `kind`, `model` or
 * `discipline`. */
JsonNode *lab_merge(JsonNode *base, JsonNode *over, const struct lab_place *place, GError **error)
{
    if (JSON_NODE_HOLDS_OBJECT(over) && is_named_list(base)) {
        return merge_list(base, over, place, error);
    }
    if (JSON_NODE_HOLDS_OBJECT(over) && JSON_NODE_HOLDS_OBJECT(base) &&
        !is_other_kind(base, over)) {
        return merge_object(base, over, place, error);
    }
    return json_node_ref(over);
}

/* Length of the first name of the path: the longest that exists, since names may have points. */
static gsize first_length(JsonNode *node, const char *path)
{
    for (gsize length = strlen(path); length > 0; length--) {
        if (path[length] != '.' && path[length] != '\0') {
            continue;
        }
        char *name = g_strndup(path, length);
        gboolean exists = JSON_NODE_HOLDS_ARRAY(node)
                              ? find_named(json_node_get_array(node), name, length) <
                                    json_array_get_length(json_node_get_array(node))
                              : lab_json_get(node, name) != NULL;
        g_free(name);
        if (exists) {
            return length;
        }
    }
    return strcspn(path, ".");
}

static JsonNode *set_path(JsonNode *node, const char *path, JsonNode *value,
                          const struct lab_place *place, GError **error);

static JsonNode *set_element(JsonNode *node, const char *name, const char *rest, JsonNode *value,
                             const struct lab_place *place, GError **error)
{
    JsonArray *list = json_node_get_array(node);
    guint n = json_array_get_length(list);
    guint i = find_named(list, name, strlen(name));
    guint64 index = 0;
    if (i == n && g_ascii_string_to_unsigned(name, 10, 0, G_MAXUINT32, &index, NULL)) {
        i = (guint)MIN(index, n);
    }
    if (i == n) {
        no_such_element(list, place, value, error);
        return NULL;
    }
    JsonNode *element = set_path(json_array_get_element(list, i), rest, value, place, error);
    return element != NULL ? replace_element(list, i, element) : NULL;
}

/* path: "" = the node itself. */
static JsonNode *set_path(JsonNode *node, const char *path, JsonNode *value,
                          const struct lab_place *place, GError **error)
{
    if (path[0] == '\0') {
        return json_node_ref(value);
    }
    if (node != NULL && JSON_NODE_HOLDS_VALUE(node)) {
        lab_fail(error, place, node, "has no fields inside");
        return NULL;
    }
    gsize length = node != NULL ? first_length(node, path) : strcspn(path, ".");
    char *name = g_strndup(path, length);
    const char *rest = path[length] == '.' ? path + length + 1 : path + length;
    struct lab_place inner = {.up = place, .name = name};
    JsonNode *result = NULL;
    if (length == 0) {
        lab_fail(error, place, value, "an empty name in the path");
    } else if (node != NULL && JSON_NODE_HOLDS_ARRAY(node)) {
        result = set_element(node, name, rest, value, &inner, error);
    } else {
        JsonNode *member = set_path(lab_json_get(node, name), rest, value, &inner, error);
        result = member != NULL ? lab_json_copy_object(node) : NULL;
        if (member != NULL) {
            lab_json_set(result, name, member);
        }
    }
    g_free(name);
    return result;
}

/* A new tree in which one field, given as "links.bottleneck.queue.packets=50", has another value:
 * JSON, or else a text. */
JsonNode *lab_merge_set(JsonNode *tree, const char *path_and_value, GError **error)
{
    struct lab_place file = {.name = "--set"};
    const char *text = strchr(path_and_value, '=');
    if (text == NULL || text == path_and_value) {
        lab_fail(error, &file, NULL, "%s: must be PATH=VALUE", path_and_value);
        return NULL;
    }
    text++;
    if (text - path_and_value > LONGEST_PATH) {
        lab_fail(error, &file, NULL, "a path of more than %d bytes", LONGEST_PATH);
        return NULL;
    }
    if (!g_utf8_validate(path_and_value, -1, NULL)) {
        lab_fail(error, &file, NULL, "not UTF-8");
        return NULL;
    }
    JsonNode *value = lab_json_parse(text, strlen(text), "--set", NULL);
    if (value == NULL) {
        value = lab_json_text(text);
    }
    char *path = g_strndup(path_and_value, (gsize)(text - 1 - path_and_value));
    JsonNode *result = set_path(tree, path, value, &file, error);
    g_free(path);
    json_node_unref(value);
    return result;
}
