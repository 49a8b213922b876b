/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/vars.h"
#include "scenario/expression.h"
#include "scenario/json.h"
#include <string.h>

#define DEEPEST 100 /* variables that refer to each other, one after the other */

struct lab_vars {
    const struct lab_place *file;
    JsonNode *given;   /* object, or NULL */
    GHashTable *known; /* name to JsonNode: evaluated; NULL while that is under way */
    guint depth;       /* of variables under way */
    guint64 i;         /* number of the copy while a name is read; 0 = none */
    gboolean in_name;
    gboolean uses_i;
};

static JsonNode *evaluate(struct lab_vars *vars, const struct lab_place *place, const char *text,
                          GError **error);

static gboolean no_such_variable(const struct lab_vars *vars, const char *name, GError **error)
{
    GList *list =
        vars->given != NULL ? json_object_get_members(json_node_get_object(vars->given)) : NULL;
    GString *all = g_string_new(NULL);
    for (GList *at = list; at != NULL; at = at->next) {
        g_string_append_printf(all, "%s%s", at == list ? "; there are " : ", ",
                               (const char *)at->data);
    }
    g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "there is no variable \"%s\"%s", name, all->str);
    g_string_free(all, TRUE);
    g_list_free(list);
    return FALSE;
}

/* The value of a variable, number or text; not a new reference. */
static JsonNode *look_up(struct lab_vars *vars, const char *name, GError **error)
{
    gpointer found = NULL;
    JsonNode *given = lab_json_get(vars->given, name);
    if (g_hash_table_lookup_extended(vars->known, name, NULL, &found)) {
        if (found == NULL) {
            g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "the variable \"%s\" refers to itself",
                        name);
        }
        return found;
    }
    if (given == NULL) {
        no_such_variable(vars, name, error);
        return NULL;
    }
    if (vars->depth >= DEEPEST) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT,
                    "more than %d variables that refer to each other", DEEPEST);
        return NULL;
    }
    JsonNode *value = NULL;
    vars->depth++;
    g_hash_table_insert(vars->known, g_strdup(name), NULL);
    if (lab_json_is_text(given)) {
        struct lab_place place = {.name = name};
        value = evaluate(vars, &place, json_node_get_string(given), error);
        if (value == NULL && vars->depth > 1) {
            g_prefix_error(error, "%s = \"%s\": ", name, json_node_get_string(given));
        }
    } else {
        value = json_node_ref(given);
    }
    vars->depth--;
    if (value != NULL) {
        g_hash_table_insert(vars->known, g_strdup(name), value);
    }
    return value;
}

static gboolean look_up_number(void *user, const char *name, double *value, GError **error)
{
    struct lab_vars *vars = user;
    if (vars->in_name && strcmp(name, "i") == 0) {
        vars->uses_i = TRUE;
        *value = (double)MAX(vars->i, 1);
        return TRUE;
    }
    JsonNode *node = look_up(vars, name, error);
    if (node == NULL) {
        return FALSE;
    }
    if (!lab_json_is_number(node)) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "the variable \"%s\" is a text", name);
        return FALSE;
    }
    *value = json_node_get_double(node);
    return TRUE;
}

/* What the text stands for: a new reference. */
static JsonNode *evaluate(struct lab_vars *vars, const struct lab_place *place, const char *text,
                          GError **error)
{
    GError *why = NULL;
    JsonNode *result = NULL;
    double value = 0.0;
    if (text[0] == '=') {
        struct lab_names names = {.look_up = look_up_number, .user = vars};
        if (lab_expression_evaluate(text + 1, &names, &value, &why)) {
            return lab_json_number(value);
        }
    } else if (text[0] == '$') {
        result = look_up(vars, text + 1, &why);
        if (result != NULL) {
            return json_node_ref(result);
        }
    } else {
        return lab_json_text(text);
    }
    if (place->up == NULL) {
        g_propagate_error(error, why);
    } else {
        JsonNode *shown = lab_json_text(text);
        lab_fail(error, place, shown, "%s", why->message);
        json_node_unref(shown);
        g_error_free(why);
    }
    return NULL;
}

static gboolean visit(void *user, const struct lab_place *place, JsonNode *node,
                      JsonNode **replacement, GError **error)
{
    gboolean prose = strcmp(place->name, "description") == 0 || strcmp(place->name, "comment") == 0;
    if (!lab_json_is_text(node) || prose) {
        return TRUE;
    }
    *replacement = evaluate(user, place, json_node_get_string(node), error);
    return *replacement != NULL;
}

/* A new tree without variables; NULL and *error when it cannot be. */
JsonNode *lab_vars_apply(struct lab_vars *vars, const struct lab_place *place, JsonNode *node,
                         GError **error)
{
    struct lab_visitor visitor = {.visit = visit, .user = vars};
    return lab_json_map(node, place, &visitor, error);
}

static void free_node(gpointer node)
{
    if (node != NULL) {
        json_node_unref(node);
    }
}

/* Every variable must be a number, a text or a switch, and have a value. */
static gboolean check(struct lab_vars *vars, GError **error)
{
    struct lab_place place = {.up = vars->file, .name = "vars"};
    JsonObjectIter iter;
    const char *name = NULL;
    JsonNode *value = NULL;
    json_object_iter_init_ordered(&iter, json_node_get_object(vars->given));
    while (json_object_iter_next_ordered(&iter, &name, &value)) {
        struct lab_place inner = {.up = &place, .name = name};
        GError *why = NULL;
        if (!lab_expression_is_name(name) || strcmp(name, "i") == 0) {
            return lab_fail(error, &inner, value,
                            "a variable has a name of letters, digits and _ that begins with no "
                            "digit, but for i, if, min, max, round and floor");
        }
        if (!JSON_NODE_HOLDS_VALUE(value)) {
            return lab_fail(error, &inner, value, "must be a number or a text");
        }
        if (look_up(vars, name, &why) == NULL) {
            lab_fail(error, &inner, value, "%s", why->message);
            g_error_free(why);
            return FALSE;
        }
    }
    return TRUE;
}

/* The variables without the comment, which may hold anything. A new reference, or NULL. */
static JsonNode *without_comment(const struct lab_place *place, JsonNode *node, GError **error)
{
    struct lab_place inner = {.up = place, .name = "comment"};
    JsonNode *comment = lab_json_get(node, "comment");
    if (comment == NULL) {
        return json_node_ref(node);
    }
    if (!lab_json_is_text(comment)) {
        lab_fail(error, &inner, comment, "must be a text");
        return NULL;
    }
    JsonNode *copy = lab_json_copy_object(node);
    json_object_remove_member(json_node_get_object(copy), "comment");
    return copy;
}

/* node: the `vars` of the scenario, or NULL. It may refer to itself, but not in a circle. */
struct lab_vars *lab_vars_new(const struct lab_place *file, JsonNode *node, GError **error)
{
    struct lab_place place = {.up = file, .name = "vars"};
    if (node != NULL && !JSON_NODE_HOLDS_OBJECT(node)) {
        lab_fail(error, &place, node, "must be an object, {...}");
        return NULL;
    }
    struct lab_vars *vars = g_new0(struct lab_vars, 1);
    vars->file = file;
    vars->given = node != NULL ? without_comment(&place, node, error) : NULL;
    vars->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_node);
    if (node != NULL && (vars->given == NULL || !check(vars, error))) {
        lab_vars_free(vars);
        return NULL;
    }
    return vars;
}

/* Accepts NULL. */
void lab_vars_free(struct lab_vars *vars)
{
    if (vars != NULL) {
        g_clear_pointer(&vars->given, json_node_unref);
        g_hash_table_unref(vars->known);
        g_free(vars);
    }
}

static void append_number(GString *text, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.15g", value));
}

/* One {...}: a text variable, or an expression. */
static gboolean append_part(struct lab_vars *vars, GString *name, const char *part, GError **error)
{
    struct lab_names names = {.look_up = look_up_number, .user = vars};
    JsonNode *text = lab_json_get(vars->given, part) != NULL ? look_up(vars, part, error) : NULL;
    double value = 0.0;
    if (lab_json_is_text(text)) {
        g_string_append(name, json_node_get_string(text));
        return TRUE;
    }
    vars->uses_i = FALSE;
    if (!lab_expression_evaluate(part, &names, &value, error)) {
        return FALSE;
    }
    if (vars->i > 0 || !vars->uses_i) {
        append_number(name, value);
    }
    return TRUE;
}

static gboolean append_parts(struct lab_vars *vars, GString *name, const char *text, GError **error)
{
    for (const char *at = text; *at != '\0';) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (*at != '{') {
            g_string_append_c(name, *at++);
            continue;
        }
        if (end == NULL) {
            g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "a '}' is missing");
            return FALSE;
        }
        char *part = g_strndup(at + 1, (gsize)(end - at - 1));
        gboolean good = append_part(vars, name, part, error);
        g_free(part);
        if (!good) {
            return FALSE;
        }
        at = end + 1;
    }
    return TRUE;
}

/* A name with what stands in braces put in; `i` is the number of the copy, or 0: then what uses it
 * is left out. Free with g_free. */
char *lab_vars_name(struct lab_vars *vars, const struct lab_place *place, const char *text,
                    guint64 i, GError **error)
{
    GError *why = NULL;
    GString *name = g_string_new(NULL);
    vars->i = i;
    vars->in_name = TRUE;
    gboolean good = append_parts(vars, name, text, &why);
    vars->in_name = FALSE;
    if (good) {
        return g_string_free(name, FALSE);
    }
    JsonNode *shown = lab_json_text(text);
    lab_fail(error, place, shown, "%s", why->message);
    json_node_unref(shown);
    g_error_free(why);
    g_string_free(name, TRUE);
    return NULL;
}
