/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/resolve.h"
#include "scenario/copies.h"
#include "scenario/files.h"
#include "scenario/json.h"
#include "scenario/merge.h"
#include "scenario/profiles.h"
#include <math.h>
#include <string.h>

#define LARGEST_SEED G_GUINT64_CONSTANT(9007199254740991) /* 2^53 - 1: whole in any JSON reader */

struct resolver {
    struct lab_place file;
    const struct lab_overrides *overrides;
    struct lab_vars *vars;
    struct lab_profiles profiles;
    guint64 seed;
};

/* Bases are in already, and a variable that nobody has read is a slip of the pen. */
static gboolean check_set(json_t *old_vars, const struct lab_place *option)
{
    struct lab_place base = lab_at(option, "base");
    struct lab_place vars = lab_at(option, "vars");
    const char *name;
    json_t *value;
    if (base.node != NULL) {
        return lab_fail(&base, "a base cannot be set: only a scenario file can name one");
    }
    json_object_foreach(vars.node, name, value)
    {
        struct lab_place variable = lab_at(&vars, name);
        if (json_object_get(old_vars, name) == NULL) {
            g_autoptr(GPtrArray) names = lab_member_names(old_vars);
            lab_fail_unknown(&variable, "there is no such variable", name, names);
            return FALSE;
        }
    }
    return TRUE;
}

/* --set on the tree as it was written. Takes and gives a reference. */
static json_t *put_sets(json_t *tree, const struct lab_overrides *overrides, GError **error)
{
    const char *const *sets = overrides != NULL ? overrides->sets : NULL;
    for (gsize i = 0; sets != NULL && sets[i] != NULL && tree != NULL; i++) {
        json_auto_t *old_vars = json_copy(json_object_get(tree, "vars"));
        json_t *next = lab_merge_set(tree, sets[i], error);
        struct lab_place option = {.name = "--set", .node = next, .error = error};
        if (next != NULL && !check_set(old_vars, &option)) {
            g_clear_pointer(&next, json_decref);
        }
        json_decref(tree);
        tree = next;
    }
    return tree;
}

/* A shorter run ends its window with the run. */
static gboolean put_duration(const struct resolver *resolver, json_t *tree)
{
    struct lab_place option = {.name = "--duration", .error = resolver->file.error};
    double duration_s = resolver->overrides->duration_s;
    json_t *measure = json_object_get(tree, "measure");
    if (!(duration_s > 0.0) || !isfinite(duration_s)) {
        return lab_fail(&option, "must be a number of seconds greater than 0");
    }
    json_object_set_new(tree, "duration_s", lab_json_number(duration_s));
    if (json_number_value(json_object_get(measure, "to_s")) > duration_s) {
        json_object_del(measure, "to_s");
    }
    return TRUE;
}

static gboolean put_seed(const struct resolver *resolver, json_t *tree)
{
    const char *given = resolver->overrides->seed;
    guint64 seed = 0;
    if (!g_ascii_string_to_unsigned(given, 10, 0, LARGEST_SEED, &seed, NULL)) {
        g_autofree char *name = g_strdup_printf("--seed %s", given);
        struct lab_place option = {.name = name, .error = resolver->file.error};
        return lab_fail(&option, "must be a whole number from 0 to %" G_GUINT64_FORMAT,
                        LARGEST_SEED);
    }
    return json_object_set_new(tree, "seed", json_integer((json_int_t)seed)) == 0;
}

static gboolean put_options(const struct resolver *resolver, json_t *tree)
{
    const struct lab_overrides *overrides = resolver->overrides;
    return overrides == NULL || ((overrides->seed == NULL || put_seed(resolver, tree)) &&
                                 (overrides->duration_s == 0.0 || put_duration(resolver, tree)));
}

static gboolean put_element(struct resolver *resolver, enum lab_list_kind kind,
                            const struct lab_place *given, json_t *list)
{
    guint most = kind == LAB_LIST_LINKS ? LAB_MOST_LINKS : LAB_MOST_FLOWS;
    struct lab_place element = *given;
    if (!json_is_object(given->node)) {
        return lab_fail(given, "must be an object, {...}");
    }
    element.node = kind == LAB_LIST_FLOWS ? lab_profiles_apply(&resolver->profiles, given)
                                          : lab_vars_apply(resolver->vars, given);
    gboolean good = element.node != NULL &&
                    lab_copies_add(kind, resolver->vars, resolver->seed, most, &element, list);
    json_decref(element.node);
    return good;
}

/* Links or flows; what is no list is left to the reader. A new reference, or NULL. */
static json_t *resolve_list(struct resolver *resolver, enum lab_list_kind kind,
                            const struct lab_place *given)
{
    if (!json_is_array(given->node)) {
        return json_incref(given->node);
    }
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(given->node) && list != NULL; i++) {
        char number[16];
        struct lab_place element = lab_element(given, i, number);
        if (!put_element(resolver, kind, &element, list)) {
            g_clear_pointer(&list, json_decref);
        }
    }
    return list;
}

/* The top level, with links and flows as they were given. */
static json_t *resolve_top(struct resolver *resolver)
{
    static const char *const spent[] = {"base", "vars", "profiles", NULL};
    static const char *const lists[] = {"links", "flows", NULL};
    json_t *top = json_object();
    const char *name;
    json_t *value;
    gboolean good = TRUE;
    json_object_foreach(resolver->file.node, name, value)
    {
        struct lab_place place = lab_at(&resolver->file, name);
        if (good && !g_strv_contains(spent, name)) {
            json_t *plain = g_strv_contains(lists, name) ? json_incref(value)
                                                         : lab_vars_apply(resolver->vars, &place);
            good = json_object_set_new(top, name, plain) == 0;
        }
    }
    if (!good || !put_options(resolver, top)) {
        g_clear_pointer(&top, json_decref);
    }
    return top;
}

static gboolean put_lists(struct resolver *resolver, json_t *top)
{
    static const char *const names[] = {"links", "flows"};
    json_t *seed = json_object_get(top, "seed");
    double number = json_is_number(seed) ? json_number_value(seed) : 1.0;
    resolver->seed = number >= 0.0 && number <= (double)LARGEST_SEED ? (guint64)number : 1;
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        struct lab_place given = lab_at(&resolver->file, names[i]);
        if (given.node != NULL &&
            json_object_set_new(top, names[i],
                                resolve_list(resolver, (enum lab_list_kind)i, &given)) != 0) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Options that change nothing are a mistake. */
static gboolean check_tested(const struct resolver *resolver)
{
    const struct lab_overrides *overrides = resolver->overrides;
    gboolean has_params =
        overrides != NULL && overrides->params != NULL && overrides->params[0] != NULL;
    if (overrides == NULL || resolver->profiles.n_tested > 0 ||
        (overrides->algorithm == NULL && !has_params)) {
        return TRUE;
    }
    return lab_fail(&resolver->file, "%s is for flows with \"tested\": true, and there are none",
                    overrides->algorithm != NULL ? "--algorithm" : "--param");
}

static json_t *resolve(struct resolver *resolver, char *folder)
{
    json_t *result = NULL;
    resolver->vars = lab_vars_new(&resolver->file);
    if (resolver->vars == NULL) {
        return NULL;
    }
    resolver->profiles =
        (struct lab_profiles){.vars = resolver->vars,
                              .given = json_object_get(resolver->file.node, "profiles"),
                              .overrides = resolver->overrides};
    struct lab_place top = resolver->file;
    top.node =
        lab_profiles_check(&resolver->profiles, &resolver->file) ? resolve_top(resolver) : NULL;
    if (top.node != NULL && put_lists(resolver, top.node) && check_tested(resolver)) {
        result = lab_put_files_in(&top, folder);
    }
    json_decref(top.node);
    lab_vars_free(resolver->vars);
    return result;
}

/* NULL and *error, or a new tree. `name`: a file or the name of an installed scenario. */
json_t *lab_resolve(const char *name, const struct lab_overrides *overrides, GError **error)
{
    g_autofree char *folder = NULL;
    json_t *tree = lab_load_scenario(name, &folder, error);
    tree = tree != NULL ? put_sets(tree, overrides, error) : NULL;
    struct resolver resolver = {.file = {.name = name, .node = tree, .error = error},
                                .overrides = overrides};
    json_t *result = tree != NULL && lab_put_profiles_in(&resolver.file, folder)
                         ? resolve(&resolver, folder)
                         : NULL;
    json_decref(tree);
    return result;
}
