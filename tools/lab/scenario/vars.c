/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/vars.h"
#include "scenario/expression.h"
#include "scenario/json.h"
#include <string.h>

#define DEEPEST 100 /* variables that refer to each other, one after the other */

struct lab_vars {
    json_t *given; /* object, without the comment */
    json_t *known; /* object: what was evaluated; null while that is under way */
    guint depth;   /* of variables under way */
    guint64 i;     /* number of the copy while a name is read; 0 = none */
    gboolean in_name;
    gboolean uses_i;
};

static json_t *evaluate(struct lab_vars *vars, const char *text, GError **error);

/* Sets *error; always NULL. */
static json_t *G_GNUC_PRINTF(2, 3) fail(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    *error = g_error_new_valist(LAB_ERROR, LAB_ERROR_INPUT, format, arguments);
    va_end(arguments);
    return NULL;
}

static json_t *no_such_variable(const struct lab_vars *vars, const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = lab_member_names(vars->given);
    g_autofree char *all = lab_join_names(names);
    fail(error, "there is no variable \"%s\"%s%s", name, names->len > 0 ? "; there are " : "", all);
    return NULL;
}

/* The value of a variable, number or text; borrowed. */
static json_t *look_up(struct lab_vars *vars, const char *name, GError **error)
{
    json_t *found = json_object_get(vars->known, name);
    json_t *given = json_object_get(vars->given, name);
    if (found != NULL) {
        return json_is_null(found) ? fail(error, "the variable \"%s\" refers to itself", name)
                                   : found;
    }
    if (given == NULL) {
        return no_such_variable(vars, name, error);
    }
    if (vars->depth >= DEEPEST) {
        return fail(error, "more than %d variables that refer to each other", DEEPEST);
    }
    vars->depth++;
    json_object_set_new(vars->known, name, json_null());
    json_t *value = json_is_string(given) ? evaluate(vars, json_string_value(given), error)
                                          : json_incref(given);
    vars->depth--;
    if (value == NULL) {
        if (vars->depth > 0) {
            g_prefix_error(error, "%s = \"%s\": ", name, json_string_value(given));
        }
        return NULL;
    }
    json_object_set_new(vars->known, name, value);
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
    json_t *node = look_up(vars, name, error);
    if (node != NULL && !json_is_number(node)) {
        node = fail(error, "the variable \"%s\" is a text", name);
    }
    *value = json_number_value(node);
    return node != NULL;
}

/* What the text stands for: a new reference, or NULL. */
static json_t *evaluate(struct lab_vars *vars, const char *text, GError **error)
{
    struct lab_names names = {.look_up = look_up_number, .user = vars};
    double value = 0.0;
    if (text[0] == '=') {
        return lab_expression_evaluate(text + 1, &names, &value, error) ? lab_json_number(value)
                                                                        : NULL;
    }
    return text[0] == '$' ? json_incref(look_up(vars, text + 1, error)) : json_string(text);
}

static gboolean visit(void *user, const struct lab_place *place, json_t **replacement)
{
    gboolean prose = strcmp(place->name, "description") == 0 || strcmp(place->name, "comment") == 0;
    GError *why = NULL;
    if (!json_is_string(place->node) || prose) {
        return TRUE;
    }
    *replacement = evaluate(user, json_string_value(place->node), &why);
    if (why != NULL) {
        lab_fail(place, "%s", why->message);
        g_error_free(why);
    }
    return *replacement != NULL;
}

/* A new tree without variables; NULL when it cannot be. */
json_t *lab_vars_apply(struct lab_vars *vars, const struct lab_place *place)
{
    return lab_json_map(place, visit, vars);
}

/* Every variable must be a number, a text or a switch, and have a value. */
static gboolean check(struct lab_vars *vars, const struct lab_place *place)
{
    GError *why = NULL;
    if (!lab_expression_is_name(place->name) || strcmp(place->name, "i") == 0) {
        return lab_fail(place, "a variable has a name of letters, digits and _ that begins with no "
                               "digit, but for i, if, else, min, max, round and floor");
    }
    if (json_is_object(place->node) || json_is_array(place->node) || json_is_null(place->node)) {
        return lab_fail(place, "must be a number or a text");
    }
    if (look_up(vars, place->name, &why) == NULL) {
        lab_fail(place, "%s", why->message);
        g_error_free(why);
        return FALSE;
    }
    return TRUE;
}

static gboolean check_all(struct lab_vars *vars, const struct lab_place *place)
{
    struct lab_place comment = lab_at(place, "comment");
    const char *name;
    json_t *value;
    if (place->node != NULL && !json_is_object(place->node)) {
        return lab_fail(place, "must be an object, {...}");
    }
    if (comment.node != NULL && !json_is_string(comment.node)) {
        return lab_fail(&comment, "must be a text");
    }
    json_object_foreach(vars->given, name, value)
    {
        struct lab_place inner = lab_at(place, name);
        if (!check(vars, &inner)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Those of the scenario, which may have none. They may refer to each other, but not in a circle. */
struct lab_vars *lab_vars_new(const struct lab_place *file)
{
    struct lab_place place = lab_at(file, "vars");
    struct lab_vars *vars = g_new0(struct lab_vars, 1);
    vars->given = json_is_object(place.node) ? json_copy(place.node) : json_object();
    vars->known = json_object();
    json_object_del(vars->given, "comment");
    if (!check_all(vars, &place)) {
        g_clear_pointer(&vars, lab_vars_free);
    }
    return vars;
}

/* Accepts NULL. */
void lab_vars_free(struct lab_vars *vars)
{
    if (vars != NULL) {
        json_decref(vars->given);
        json_decref(vars->known);
        g_free(vars);
    }
}

/* One {...}: a text variable, or an expression. */
static gboolean append_part(struct lab_vars *vars, GString *name, const char *part, GError **error)
{
    struct lab_names names = {.look_up = look_up_number, .user = vars};
    gboolean is_variable = json_object_get(vars->given, part) != NULL;
    json_t *text = is_variable ? look_up(vars, part, error) : NULL;
    double value = 0.0;
    if (json_is_string(text)) {
        g_string_append(name, json_string_value(text));
        return TRUE;
    }
    vars->uses_i = FALSE;
    if (!lab_expression_evaluate(part, &names, &value, error)) {
        return FALSE;
    }
    if (vars->i > 0 || !vars->uses_i) {
        char digits[G_ASCII_DTOSTR_BUF_SIZE];
        g_string_append(name, g_ascii_formatd(digits, sizeof digits, "%.15g", value));
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
            fail(error, "a '}' is missing");
            return FALSE;
        }
        g_autofree char *part = g_strndup(at + 1, (gsize)(end - at - 1));
        gboolean good = append_part(vars, name, part, error);
        if (!good) {
            return FALSE;
        }
        at = end + 1;
    }
    return TRUE;
}

/* The text at the place with what stands in braces put in; `i` is the number of the copy, or 0:
 * then what uses it is left out. A new text; NULL when the place has no text, or with an error. */
json_t *lab_vars_name(struct lab_vars *vars, const struct lab_place *place, guint64 i)
{
    GError *why = NULL;
    GString *name = g_string_new(NULL);
    json_t *result = NULL;
    vars->i = i;
    vars->in_name = TRUE;
    if (!json_is_string(place->node)) {
        /* nothing to put in */
    } else if (append_parts(vars, name, json_string_value(place->node), &why)) {
        result = json_string(name->str);
    } else {
        lab_fail(place, "%s", why->message);
        g_error_free(why);
    }
    vars->in_name = FALSE;
    g_string_free(name, TRUE);
    return result;
}
