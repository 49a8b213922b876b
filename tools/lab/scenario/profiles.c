/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/profiles.h"
#include "scenario/flow.h"
#include "scenario/json.h"
#include "scenario/merge.h"
#include <string.h>

static json_t *find_profile(const struct lab_profiles *profiles, json_t *algorithm)
{
    const char *name = json_string_value(algorithm);
    return name != NULL ? json_object_get(profiles->given, name) : NULL;
}

/* What the algorithm's name stands for must be no profile, itself included. */
static gboolean check_algorithm(const struct lab_profiles *profiles,
                                const struct lab_place *profile)
{
    struct lab_place place = lab_at(profile, "algorithm");
    if (place.node == NULL) {
        return TRUE;
    }
    json_auto_t *plain = lab_vars_apply(profiles->vars, &place);
    gboolean good = plain != NULL;
    if (find_profile(profiles, plain) != NULL) {
        good = lab_fail(&place, "the algorithm of a profile is not another profile");
    }
    return good;
}

static gboolean check_profile(const struct lab_profiles *profiles, const struct lab_place *place)
{
    if (strcmp(place->name, "comment") == 0) {
        return json_is_string(place->node) || lab_fail(place, "must be a text");
    }
    if (lab_flow_is_algorithm(place->name)) {
        struct lab_place name = {.up = place->up, .name = place->name};
        return lab_fail(&name, "an algorithm has this name: a profile needs another");
    }
    return lab_fields_check_names(lab_flow_fields, lab_n_flow_fields, place) &&
           check_algorithm(profiles, place);
}

/* Names and fields of all profiles, also of those that no flow uses. */
gboolean lab_profiles_check(const struct lab_profiles *profiles, const struct lab_place *file)
{
    struct lab_place place = lab_at(file, "profiles");
    const char *name;
    json_t *profile;
    if (place.node != NULL && !json_is_object(place.node)) {
        return lab_fail(&place, "must be an object or the name of a file");
    }
    json_object_foreach(place.node, name, profile)
    {
        struct lab_place inner = lab_at(&place, name);
        if (!check_profile(profiles, &inner)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean is_tested(json_t *flow, json_t *profile)
{
    json_t *tested = json_object_get(flow, "tested");
    tested = tested != NULL ? tested : json_object_get(profile, "tested");
    return json_is_number(tested) ? json_number_value(tested) != 0.0 : json_is_true(tested);
}

/* The profile's fields are what the flow does not say itself; results name the profile. Changes
 * neither; a new flow, or NULL. */
static json_t *put_profile(const struct lab_profiles *profiles, const struct lab_place *flow)
{
    json_t *label = json_object_get(flow->node, "algorithm");
    struct lab_place place = *flow;
    place.node = find_profile(profiles, label);
    if (place.node == NULL) {
        return json_incref(flow->node);
    }
    json_t *profile = lab_vars_apply(profiles->vars, &place);
    if (profile == NULL) {
        return NULL;
    }
    json_auto_t *over = json_copy(flow->node);
    json_object_del(over, "algorithm");
    if (json_object_get(profile, "label") == NULL && json_object_get(over, "label") == NULL) {
        json_object_set(over, "label", label);
    }
    place.node = profile;
    json_t *result = lab_merge(&place, over);
    json_decref(profile);
    return result;
}

/* "K=V": a number or a switch where V is one, else a text. */
static gboolean put_param(json_t *params, const char *text, const struct lab_place *option)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || !g_utf8_validate(text, -1, NULL)) {
        return lab_fail(option, "%s: must be NAME=VALUE", text);
    }
    json_t *value = lab_json_parse(equals + 1, strlen(equals + 1), "--param", NULL);
    if (!json_is_number(value) && !json_is_boolean(value) && !json_is_string(value)) {
        json_decref(value);
        value = json_string(equals + 1);
    }
    g_autofree char *name = g_strndup(text, (gsize)(equals - text));
    json_object_set_new(params, name, value);
    return TRUE;
}

static gboolean put_params(json_t *flow, const char *const *params, GError **error)
{
    struct lab_place option = {.name = "--param", .error = error};
    if (params == NULL) {
        return TRUE;
    }
    json_t *given = json_object_get(flow, "params");
    json_t *all = json_is_object(given) ? json_copy(given) : json_object();
    gboolean good = TRUE;
    for (gsize i = 0; good && params[i] != NULL; i++) {
        good = put_param(all, params[i], &option);
    }
    json_object_set_new(flow, "params", all);
    return good;
}

/* A new flow, without variables. */
json_t *lab_profiles_apply(struct lab_profiles *profiles, const struct lab_place *flow)
{
    const struct lab_overrides *overrides = profiles->overrides;
    struct lab_place plain = *flow;
    plain.node = lab_vars_apply(profiles->vars, flow);
    if (plain.node == NULL) {
        return NULL;
    }
    json_t *algorithm = json_object_get(plain.node, "algorithm");
    gboolean tested = is_tested(plain.node, find_profile(profiles, algorithm));
    profiles->n_tested += tested ? 1 : 0;
    if (tested && overrides != NULL && overrides->algorithm != NULL) {
        json_object_set_new(plain.node, "algorithm", json_string_nocheck(overrides->algorithm));
        json_object_del(plain.node, "params"); /* of another algorithm */
        json_object_del(plain.node, "label");
    }
    json_t *result = put_profile(profiles, &plain);
    json_decref(plain.node);
    if (result != NULL && tested && overrides != NULL &&
        !put_params(result, overrides->params, lab_file_of(flow)->error)) {
        g_clear_pointer(&result, json_decref);
    }
    return result;
}
