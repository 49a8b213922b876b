/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/json.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST        32
#define MISPLACED      "this character has no place in JSON here"
#define MOST_DIGITS    18                 /* of a whole number: it fits into 64 bits */
#define EXACT_INTEGERS 9007199254740992.0 /* 2^53 */

static gboolean fail_at(const char *text, gsize at, const char *what, const char *sentence,
                        GError **error)
{
    int line = 1;
    gsize start = 0;
    for (gsize i = 0; i < at; i++) {
        if (text[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    struct lab_place file = {.name = what};
    return lab_fail(error, &file, NULL, "line %d, column %zu: %s", line, at - start + 1, sentence);
}

/* A backslash and what JSON allows behind it. */
static gboolean is_escape(const char *text)
{
    gsize digits = 0;
    while (text[1] == 'u' && digits < 4 && g_ascii_isxdigit(text[2 + digits])) {
        digits++;
    }
    return text[1] == 'u' ? digits == 4 : text[1] != '\0' && strchr("\"\\/bfnrt", text[1]) != NULL;
}

/* The byte behind a string that begins at `at`; *bad is set when it holds what it must not. */
static gsize skip_string(const char *text, gsize length, gsize at, gboolean *bad)
{
    for (at++; at < length && text[at] != '"'; at++) {
        if (g_ascii_iscntrl(text[at]) || strncmp(text + at, "\\u0000", 6) == 0) {
            *bad = TRUE;
            return at;
        }
        if (text[at] == '\\' && !is_escape(text + at)) {
            *bad = TRUE;
            return at;
        }
        at += text[at] == '\\' ? 1 : 0;
    }
    return at < length ? at : length - 1;
}

/* Behind a number that begins at `at`, with its sign. `sentence` is set when it is none of JSON, or
 * one that json-glib takes for another: "012" for ten, 2^64 + 1 for 1. */
static gsize skip_number(const char *text, gsize *at, const char **sentence)
{
    gsize end = *at + strspn(text + *at, "0123456789.eE+-");
    *at += text[*at] == '-' ? 1 : 0;
    gsize digits = strspn(text + *at, "0123456789");
    if (text[*at] == '0' && digits > 1) {
        *sentence = MISPLACED;
    } else if (*at + digits == end && digits > MOST_DIGITS) {
        *sentence = "a whole number of more than 18 digits";
    }
    return end;
}

static gboolean is_json_byte(char c)
{
    return c != '\0' && strchr(" \t\r\n0123456789+-.eE,:[]{}truefalsn", c) != NULL;
}

/* What json-glib does not mind, but JSON or this program's stack does: comments, "var x =", other
 * letters than those of numbers and true, false, null, a second value, and endless nesting. `text`
 * ends with a NUL. */
static gboolean check_text(const char *text, gsize length, const char *what, GError **error)
{
    int depth = 0;
    gboolean begun = FALSE;
    gboolean over = FALSE; /* the value has ended */
    for (gsize i = 0; i < length; i++) {
        char c = text[i];
        gsize last = i;
        gboolean bad = !g_ascii_isspace(c) && over;
        const char *sentence = NULL;
        if (c == '"') {
            i = skip_string(text, length, i, &bad);
            last = i;
        } else if (c == '-' || g_ascii_isdigit(c)) {
            last = skip_number(text, &i, &sentence) - 1;
        } else if (!is_json_byte(c)) {
            bad = TRUE;
        }
        depth += c == '[' || c == '{' ? 1 : 0;
        depth -= c == ']' || c == '}' ? 1 : 0;
        begun = begun || !g_ascii_isspace(c);
        over = begun && depth <= 0 && strchr("]}\" \t\r\n", c) != NULL;
        if (bad || sentence != NULL) {
            return fail_at(text, i, what, bad ? MISPLACED : sentence, error);
        }
        i = last;
        if (depth > DEEPEST) {
            return fail_at(text, i, what, "more than 32 levels inside each other", error);
        }
    }
    return TRUE;
}

/* Members seen of each object: when the object has fewer, a name came twice and one was lost. */
struct member_count {
    GHashTable *seen; /* JsonObject * to number */
    char *twice;
    guint line;
};

static void on_member(JsonParser *parser, JsonObject *object, const char *name, gpointer user)
{
    struct member_count *count = user;
    guint seen = GPOINTER_TO_UINT(g_hash_table_lookup(count->seen, object)) + 1;
    g_hash_table_insert(count->seen, object, GUINT_TO_POINTER(seen));
    if (seen > json_object_get_size(object) && count->twice == NULL) {
        count->twice = g_strdup(name);
        count->line = json_parser_get_current_line(parser);
    }
}

/* "<data>:LINE:COLUMN: Parse error: SENTENCE" is json-glib's way. */
static void fail_parse(const struct lab_place *file, const GError *why, GError **error)
{
    unsigned line = 0;
    unsigned column = 0;
    const char *sentence = strstr(why->message, "Parse error: ");
    if (sscanf(why->message, "<data>:%u:%u:", &line, &column) == 2 && sentence != NULL) {
        lab_fail(error, file, NULL, "line %u, column %u: not JSON: %s", line, column,
                 sentence + strlen("Parse error: "));
    } else {
        lab_fail(error, file, NULL, "not JSON: %s", why->message);
    }
}

static gboolean parse(JsonParser *parser, const char *text, gsize length, const char *what,
                      GError **error)
{
    struct lab_place file = {.name = what};
    struct member_count count = {.seen = g_hash_table_new(NULL, NULL)};
    GError *why = NULL;
    gulong handler = g_signal_connect(parser, "object-member", G_CALLBACK(on_member), &count);
    gboolean good = json_parser_load_from_data(parser, text, (gssize)length, &why);
    g_signal_handler_disconnect(parser, handler);
    if (!good) {
        fail_parse(&file, why, error);
        g_error_free(why);
    } else if (count.twice != NULL) {
        good = lab_fail(error, &file, NULL, "line %u: \"%s\" stands twice in one object",
                        count.line, count.twice);
    }
    g_free(count.twice);
    g_hash_table_unref(count.seen);
    return good;
}

/* NULL and *error with line and column when it is not JSON, or has names twice. */
JsonNode *lab_json_parse(const char *text, gsize length, const char *what, GError **error)
{
    const char *end = NULL;
    if (!g_utf8_validate(text, (gssize)length, &end)) {
        fail_at(text, (gsize)(end - text), what, "not UTF-8", error);
        return NULL;
    }
    if (!check_text(text, length, what, error)) {
        return NULL;
    }
    JsonParser *parser = json_parser_new_immutable();
    JsonNode *node = NULL;
    if (parse(parser, text, length, what, error)) {
        JsonNode *root = json_parser_get_root(parser);
        node = root != NULL ? json_node_ref(root) : NULL;
        if (node == NULL) {
            fail_at(text, 0, what, "there is nothing here", error);
        }
    }
    g_object_unref(parser);
    return node;
}

/* Read in steps, so that an endless file costs no more than the limit. */
char *lab_read_file(const char *path, gsize *length, GError **error)
{
    struct lab_place file = {.name = path};
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        lab_fail(error, &file, NULL, "cannot be opened: %s", g_strerror(errno));
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
        lab_fail(error, &file, NULL, "%s%s", why != NULL ? "cannot be read: " : "larger than ",
                 why != NULL ? why : "16 MiB, which is all that is read");
        g_string_free(text, TRUE);
        return NULL;
    }
    *length = text->len;
    return g_string_free(text, FALSE);
}

/* A new node. */
JsonNode *lab_json_text(const char *text)
{
    return json_node_init_string(json_node_alloc(), text);
}

/* Whole numbers look like whole numbers. */
JsonNode *lab_json_number(double value)
{
    if (floor(value) == value && fabs(value) <= EXACT_INTEGERS) {
        return json_node_init_int(json_node_alloc(), (gint64)value);
    }
    return json_node_init_double(json_node_alloc(), value);
}

/* FALSE for NULL too. */
gboolean lab_json_is_text(JsonNode *node)
{
    return node != NULL && JSON_NODE_HOLDS_VALUE(node) &&
           json_node_get_value_type(node) == G_TYPE_STRING;
}

/* FALSE for NULL too. */
gboolean lab_json_is_number(JsonNode *node)
{
    return node != NULL && JSON_NODE_HOLDS_VALUE(node) &&
           (json_node_get_value_type(node) == G_TYPE_INT64 ||
            json_node_get_value_type(node) == G_TYPE_DOUBLE);
}

/* A new object with the same members, which are shared; of NULL, an empty one. */
JsonNode *lab_json_copy_object(JsonNode *node)
{
    JsonNode *copy = json_node_init_object(json_node_alloc(), NULL);
    json_node_take_object(copy, json_object_new());
    if (node != NULL && JSON_NODE_HOLDS_OBJECT(node)) {
        JsonObjectIter iter;
        const char *name = NULL;
        JsonNode *value = NULL;
        json_object_iter_init_ordered(&iter, json_node_get_object(node));
        while (json_object_iter_next_ordered(&iter, &name, &value)) {
            lab_json_set(copy, name, json_node_ref(value));
        }
    }
    return copy;
}

/* Sets a member of an object made by lab_json_copy_object; takes `value`. */
void lab_json_set(JsonNode *object, const char *name, JsonNode *value)
{
    json_object_set_member(json_node_get_object(object), name, value);
}

/* NULL when node is no object or has no such member. */
JsonNode *lab_json_get(JsonNode *node, const char *name)
{
    if (node == NULL || !JSON_NODE_HOLDS_OBJECT(node)) {
        return NULL;
    }
    return json_object_get_member(json_node_get_object(node), name);
}

/* The name of an element of a list in places: its `name`, or its number (from 0). */
const char *lab_element_name(JsonNode *element, guint i, char number[16])
{
    JsonNode *name = lab_json_get(element, "name");
    g_snprintf(number, 16, "%u", i);
    return lab_json_is_text(name) ? json_node_get_string(name) : number;
}

static JsonNode *map_object(JsonNode *node, const struct lab_place *place,
                            const struct lab_visitor *visitor, GError **error)
{
    JsonNode *copy = lab_json_copy_object(NULL);
    JsonObjectIter iter;
    const char *name = NULL;
    JsonNode *value = NULL;
    json_object_iter_init_ordered(&iter, json_node_get_object(node));
    while (json_object_iter_next_ordered(&iter, &name, &value)) {
        struct lab_place inner = {.up = place, .name = name};
        JsonNode *mapped = lab_json_map(value, &inner, visitor, error);
        if (mapped == NULL) {
            json_node_unref(copy);
            return NULL;
        }
        lab_json_set(copy, name, mapped);
    }
    return copy;
}

static JsonNode *map_list(JsonNode *node, const struct lab_place *place,
                          const struct lab_visitor *visitor, GError **error)
{
    JsonArray *list = json_node_get_array(node);
    JsonArray *copy = json_array_sized_new(json_array_get_length(list));
    JsonNode *result = json_node_init_array(json_node_alloc(), copy);
    json_array_unref(copy);
    for (guint i = 0; i < json_array_get_length(list); i++) {
        char number[16];
        JsonNode *element = json_array_get_element(list, i);
        struct lab_place inner = {.up = place, .name = lab_element_name(element, i, number)};
        JsonNode *mapped = lab_json_map(element, &inner, visitor, error);
        if (mapped == NULL) {
            json_node_unref(result);
            return NULL;
        }
        json_array_add_element(copy, mapped);
    }
    return result;
}

/* A new tree with the visitor's replacements; NULL and *error when it failed. */
JsonNode *lab_json_map(JsonNode *node, const struct lab_place *place,
                       const struct lab_visitor *visitor, GError **error)
{
    JsonNode *replacement = NULL;
    if (!visitor->visit(visitor->user, place, node, &replacement, error)) {
        return NULL;
    }
    if (replacement != NULL) {
        return replacement;
    }
    if (JSON_NODE_HOLDS_OBJECT(node)) {
        return map_object(node, place, visitor, error);
    }
    return JSON_NODE_HOLDS_ARRAY(node) ? map_list(node, place, visitor, error)
                                       : json_node_ref(node);
}
