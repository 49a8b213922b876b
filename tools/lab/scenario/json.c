/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/json.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>

#define DEEPEST        32
#define EXACT_INTEGERS 9007199254740992.0 /* 2^53 */

/* More than so many objects and lists inside each other. */
static gboolean is_deeper(json_t *node, int levels)
{
    const char *name;
    json_t *part;
    size_t i;
    if (!json_is_object(node) && !json_is_array(node)) {
        return FALSE;
    }
    gboolean deeper = levels == 0;
    json_object_foreach(node, name, part)
    {
        deeper = deeper || is_deeper(part, levels - 1);
    }
    json_array_foreach(node, i, part)
    {
        deeper = deeper || is_deeper(part, levels - 1);
    }
    return deeper;
}

/* NULL and *error with line and column when it is not JSON, or has names twice. */
json_t *lab_json_parse(const char *text, gsize length, const char *what, GError **error)
{
    struct lab_place file = {.name = what, .error = error};
    json_error_t why;
    json_t *node = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    if (node == NULL) {
        lab_fail(&file, "line %d, column %d: not JSON: %s", why.line, why.column, why.text);
    } else if (is_deeper(node, DEEPEST)) {
        lab_fail(&file, "more than %d levels inside each other", DEEPEST);
        json_decref(node);
        node = NULL;
    }
    return node;
}

/* Read in steps, so that an endless file costs no more than the limit. */
char *lab_read_file(const char *path, gsize *length, GError **error)
{
    struct lab_place file = {.name = path, .error = error};
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        lab_fail(&file, "cannot be opened: %s", g_strerror(errno));
        return NULL;
    }
    GString *text = g_string_new(NULL);
    char block[65536];
    gsize n = 0;
    while (text->len <= LAB_LARGEST_FILE_BYTES && (n = fread(block, 1, sizeof block, stream)) > 0) {
        g_string_append_len(text, block, (gssize)n);
    }
    const char *why = ferror(stream) ? g_strerror(errno) : NULL;
    fclose(stream);
    if (why != NULL || text->len > LAB_LARGEST_FILE_BYTES) {
        lab_fail(&file, "%s%s", why != NULL ? "cannot be read: " : "larger than ",
                 why != NULL ? why : "16 MiB, which is all that is read");
        g_string_free(text, TRUE);
        return NULL;
    }
    *length = text->len;
    return g_string_free(text, FALSE);
}

/* NULL and *error when it is none. */
json_t *lab_json_load(const char *path, GError **error)
{
    struct lab_place file = {.name = path, .error = error};
    gsize length = 0;
    g_autofree char *text = lab_read_file(path, &length, error);
    json_t *node = text != NULL ? lab_json_parse(text, length, path, error) : NULL;
    if (node != NULL && !json_is_object(node)) {
        lab_fail(&file, "must be an object, {...}");
        g_clear_pointer(&node, json_decref);
    }
    return node;
}

/* Whole as far as doubles are. */
json_t *lab_json_number(double value)
{
    return floor(value) == value && fabs(value) <= EXACT_INTEGERS ? json_integer((json_int_t)value)
                                                                  : json_real(value);
}

static json_t *map_object(const struct lab_place *place, lab_visit *visit, void *user)
{
    json_t *copy = json_object();
    const char *name;
    json_t *value;
    json_object_foreach(place->node, name, value)
    {
        struct lab_place inner = lab_at(place, name);
        if (json_object_set_new(copy, name, lab_json_map(&inner, visit, user)) != 0) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

static json_t *map_list(const struct lab_place *place, lab_visit *visit, void *user)
{
    json_t *copy = json_array();
    for (size_t i = 0; i < json_array_size(place->node); i++) {
        char number[16];
        struct lab_place inner = lab_element(place, i, number);
        if (json_array_append_new(copy, lab_json_map(&inner, visit, user)) != 0) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

/* NULL, which jansson does not put into objects and lists, when a visit failed. */
json_t *lab_json_map(const struct lab_place *place, lab_visit *visit, void *user)
{
    json_t *replacement = NULL;
    if (!visit(user, place, &replacement)) {
        return NULL;
    }
    if (replacement != NULL) {
        return replacement;
    }
    return json_is_object(place->node)  ? map_object(place, visit, user)
           : json_is_array(place->node) ? map_list(place, visit, user)
                                        : json_incref(place->node);
}
