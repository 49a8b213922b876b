/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/resolve.h"
#include "scenario/copies.h"
#include "scenario/files.h"
#include "scenario/json.h"
#include "scenario/merge.h"
#include "scenario/profiles.h"
#include <math.h>
#include <string.h>

#define LARGEST_SEED G_GINT64_CONSTANT(9007199254740991) /* 2^53 - 1: whole in any JSON reader */

struct resolver {
    struct lab_place file;
    const struct lab_overrides *overrides;
    struct lab_vars *vars;
    struct lab_profiles profiles;
    guint64 seed;
};

static gboolean no_such_variable(const struct lab_place *place, JsonNode *vars, JsonNode *value,
                                 GError **error)
{
    GPtrArray *names = g_ptr_array_new();
    JsonObjectIter iter;
    const char *name = NULL;
    if (vars != NULL && JSON_NODE_HOLDS_OBJECT(vars)) {
        json_object_iter_init_ordered(&iter, json_node_get_object(vars));
        while (json_object_iter_next_ordered(&iter, &name, NULL)) {
            g_ptr_array_add(names, (gpointer)(guintptr)name);
        }
    }
    const char *const *list = (const char *const *)names->pdata;
    const char *nearest = lab_nearest_name(place->name, list, names->len);
    char *all = lab_join_names(list, names->len);
    if (nearest != NULL) {
        lab_fail(error, place, value, "there is no such variable; did you mean %s?", nearest);
    } else {
        lab_fail(error, place, value, "there is no such variable; there are %s",
                 names->len > 0 ? all : "none");
    }
    g_free(all);
    g_ptr_array_unref(names);
    return FALSE;
}

/* Bases are in already, and a variable that nobody has read is a slip of the pen. */
static gboolean check_set(JsonNode *before, JsonNode *after, GError **error)
{
    struct lab_place option = {.name = "--set"};
    struct lab_place base = {.up = &option, .name = "base"};
    struct lab_place vars = {.up = &option, .name = "vars"};
    JsonNode *old = lab_json_get(before, "vars");
    JsonNode *new = lab_json_get(after, "vars");
    JsonObjectIter iter;
    const char *name = NULL;
    JsonNode *value = NULL;
    if (lab_json_get(after, "base") != NULL) {
        return lab_fail(error, &base, lab_json_get(after, "base"),
                        "a base cannot be set: only a scenario file can name one");
    }
    if (new == NULL || !JSON_NODE_HOLDS_OBJECT(new)) {
        return TRUE;
    }
    json_object_iter_init_ordered(&iter, json_node_get_object(new));
    while (json_object_iter_next_ordered(&iter, &name, &value)) {
        struct lab_place place = {.up = &vars, .name = name};
        if (lab_json_get(old, name) == NULL) {
            return no_such_variable(&place, old, value, error);
        }
    }
    return TRUE;
}

/* --set, --seed and --duration on the tree as it was written. Takes and gives a reference. */
static JsonNode *put_sets(JsonNode *tree, const struct lab_overrides *overrides, GError **error)
{
    const char *const *sets = overrides != NULL ? overrides->sets : NULL;
    for (gsize i = 0; sets != NULL && sets[i] != NULL && tree != NULL; i++) {
        JsonNode *next = lab_merge_set(tree, sets[i], error);
        if (next != NULL && !check_set(tree, next, error)) {
            g_clear_pointer(&next, json_node_unref);
        }
        json_node_unref(tree);
        tree = next;
    }
    return tree;
}

static JsonNode *without(JsonNode *node, const char *name)
{
    JsonNode *copy = lab_json_copy_object(node);
    json_object_remove_member(json_node_get_object(copy), name);
    return copy;
}

/* A shorter run ends its window with the run. */
static gboolean put_duration(const struct resolver *resolver, JsonNode *tree, GError **error)
{
    struct lab_place option = {.name = "--duration"};
    double duration_s = resolver->overrides->duration_s;
    JsonNode *measure = lab_json_get(tree, "measure");
    JsonNode *to = lab_json_get(measure, "to_s");
    if (!(duration_s > 0.0) || !isfinite(duration_s)) {
        return lab_fail(error, &option, NULL, "must be a number of seconds greater than 0");
    }
    lab_json_set(tree, "duration_s", lab_json_number(duration_s));
    if (lab_json_is_number(to) && json_node_get_double(to) > duration_s) {
        lab_json_set(tree, "measure", without(measure, "to_s"));
    }
    return TRUE;
}

static gboolean put_seed(const struct resolver *resolver, JsonNode *tree, GError **error)
{
    struct lab_place option = {.name = "--seed"};
    guint64 seed = resolver->overrides->seed;
    if (seed > (guint64)LARGEST_SEED) {
        return lab_fail(error, &option, NULL, "must be a whole number from 0 to %" G_GINT64_FORMAT,
                        LARGEST_SEED);
    }
    lab_json_set(tree, "seed", json_node_init_int(json_node_alloc(), (gint64)seed));
    return TRUE;
}

static gboolean put_options(const struct resolver *resolver, JsonNode *tree, GError **error)
{
    const struct lab_overrides *overrides = resolver->overrides;
    return overrides == NULL ||
           ((!overrides->has_seed || put_seed(resolver, tree, error)) &&
            (overrides->duration_s == 0.0 || put_duration(resolver, tree, error)));
}

static gboolean put_element(struct resolver *resolver, enum lab_list_kind kind,
                            const struct lab_place *place, JsonNode *given, JsonArray *list,
                            GError **error)
{
    guint most = kind == LAB_LIST_LINKS ? LAB_MOST_LINKS : LAB_MOST_FLOWS;
    if (!JSON_NODE_HOLDS_OBJECT(given)) {
        return lab_fail(error, place, given, "must be an object, {...}");
    }
    JsonNode *element = kind == LAB_LIST_FLOWS
                            ? lab_profiles_apply(&resolver->profiles, place, given, error)
                            : lab_vars_apply(resolver->vars, place, given, error);
    gboolean good = element != NULL && lab_copies_add(kind, resolver->vars, resolver->seed, most,
                                                      place, element, list, error);
    g_clear_pointer(&element, json_node_unref);
    return good;
}

/* Links or flows; what is no list is left to the reader. A new reference, or NULL and *error. */
static JsonNode *resolve_list(struct resolver *resolver, enum lab_list_kind kind, JsonNode *given,
                              GError **error)
{
    struct lab_place place = {.up = &resolver->file,
                              .name = kind == LAB_LIST_LINKS ? "links" : "flows"};
    if (!JSON_NODE_HOLDS_ARRAY(given)) {
        return json_node_ref(given);
    }
    JsonArray *list = json_array_new();
    JsonNode *node = json_node_init_array(json_node_alloc(), list);
    json_array_unref(list);
    JsonArray *elements = json_node_get_array(given);
    for (guint i = 0; i < json_array_get_length(elements); i++) {
        char number[16];
        JsonNode *element = json_array_get_element(elements, i);
        struct lab_place inner = {.up = &place, .name = lab_element_name(element, i, number)};
        if (!put_element(resolver, kind, &inner, element, list, error)) {
            json_node_unref(node);
            return NULL;
        }
    }
    return node;
}

static gboolean is_spent(const char *name)
{
    return strcmp(name, "base") == 0 || strcmp(name, "vars") == 0 || strcmp(name, "profiles") == 0;
}

/* The top level without links and flows, which are put in afterwards. */
static JsonNode *resolve_top(struct resolver *resolver, JsonNode *tree, GError **error)
{
    JsonNode *top = lab_json_copy_object(NULL);
    JsonObjectIter iter;
    const char *name = NULL;
    JsonNode *value = NULL;
    json_object_iter_init_ordered(&iter, json_node_get_object(tree));
    while (json_object_iter_next_ordered(&iter, &name, &value)) {
        struct lab_place place = {.up = &resolver->file, .name = name};
        gboolean is_list = strcmp(name, "links") == 0 || strcmp(name, "flows") == 0;
        if (is_spent(name)) {
            continue;
        }
        JsonNode *plain =
            is_list ? json_node_ref(value) : lab_vars_apply(resolver->vars, &place, value, error);
        if (plain == NULL) {
            json_node_unref(top);
            return NULL;
        }
        lab_json_set(top, name, plain);
    }
    if (!put_options(resolver, top, error)) {
        g_clear_pointer(&top, json_node_unref);
    }
    return top;
}

static gboolean put_lists(struct resolver *resolver, JsonNode *top, GError **error)
{
    static const char *const names[] = {"links", "flows"};
    JsonNode *seed = lab_json_get(top, "seed");
    double number = lab_json_is_number(seed) ? json_node_get_double(seed) : 1.0;
    resolver->seed = number >= 0.0 && number <= (double)LARGEST_SEED ? (guint64)number : 1;
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        JsonNode *given = lab_json_get(top, names[i]);
        JsonNode *list =
            given != NULL ? resolve_list(resolver, (enum lab_list_kind)i, given, error) : NULL;
        if (list != NULL) {
            lab_json_set(top, names[i], list);
        } else if (given != NULL) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Options that change nothing are a mistake. */
static gboolean check_tested(const struct resolver *resolver, GError **error)
{
    const struct lab_overrides *overrides = resolver->overrides;
    gboolean has_params =
        overrides != NULL && overrides->params != NULL && overrides->params[0] != NULL;
    if (overrides == NULL || resolver->profiles.n_tested > 0 ||
        (overrides->algorithm == NULL && !has_params)) {
        return TRUE;
    }
    return lab_fail(error, &resolver->file, NULL,
                    "%s is for flows with \"tested\": true, and there are none",
                    overrides->algorithm != NULL ? "--algorithm" : "--param");
}

static JsonNode *resolve(struct resolver *resolver, JsonNode *tree, const char *folder,
                         GError **error)
{
    JsonNode *result = NULL;
    resolver->vars = lab_vars_new(&resolver->file, lab_json_get(tree, "vars"), error);
    if (resolver->vars == NULL) {
        return NULL;
    }
    resolver->profiles = (struct lab_profiles){.vars = resolver->vars,
                                               .given = lab_json_get(tree, "profiles"),
                                               .overrides = resolver->overrides};
    JsonNode *top = lab_profiles_check(&resolver->profiles, &resolver->file, error)
                        ? resolve_top(resolver, tree, error)
                        : NULL;
    if (top != NULL && put_lists(resolver, top, error) && check_tested(resolver, error)) {
        result = lab_put_files_in(top, folder, &resolver->file, error);
    }
    g_clear_pointer(&top, json_node_unref);
    lab_vars_free(resolver->vars);
    return result;
}

/* NULL and *error, or a new tree. `name`: a file or the name of an installed scenario. */
JsonNode *lab_resolve(const char *name, const struct lab_overrides *overrides, GError **error)
{
    struct resolver resolver = {.file = {.name = name}, .overrides = overrides};
    char *folder = NULL;
    JsonNode *tree = lab_load_scenario(name, &folder, error);
    tree = tree != NULL ? put_sets(tree, overrides, error) : NULL;
    JsonNode *whole =
        tree != NULL ? lab_put_profiles_in(tree, folder, &resolver.file, error) : NULL;
    JsonNode *result = whole != NULL ? resolve(&resolver, whole, folder, error) : NULL;
    g_clear_pointer(&whole, json_node_unref);
    g_clear_pointer(&tree, json_node_unref);
    g_free(folder);
    return result;
}
