/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/profiles.h"
#include "scenario/flow.h"
#include "scenario/json.h"
#include "scenario/merge.h"
#include <string.h>

/* What the algorithm's name stands for must be no profile, itself included. */
static gboolean check_algorithm(const struct lab_profiles *profiles, const struct lab_place *up,
                                JsonNode *profile, GError **error)
{
    struct lab_place place = {.up = up, .name = "algorithm"};
    JsonNode *given = lab_json_get(profile, "algorithm");
    if (given == NULL) {
        return TRUE;
    }
    JsonNode *plain = lab_vars_apply(profiles->vars, &place, given, error);
    gboolean good = plain != NULL;
    if (lab_json_is_text(plain) &&
        lab_json_get(profiles->given, json_node_get_string(plain)) != NULL) {
        good = lab_fail(error, &place, given, "the algorithm of a profile is not another profile");
    }
    g_clear_pointer(&plain, json_node_unref);
    return good;
}

static gboolean check_profile(const struct lab_profiles *profiles, const struct lab_place *place,
                              JsonNode *profile, GError **error)
{
    if (strcmp(place->name, "comment") == 0) {
        return lab_json_is_text(profile) || lab_fail(error, place, profile, "must be a text");
    }
    if (lab_flow_is_algorithm(place->name)) {
        return lab_fail(error, place, NULL, "an algorithm has this name: a profile needs another");
    }
    return lab_fields_check_names(lab_flow_fields, lab_n_flow_fields, place, profile, error) &&
           check_algorithm(profiles, place, profile, error);
}

/* Names and fields of all profiles, also of those that no flow uses. */
gboolean lab_profiles_check(const struct lab_profiles *profiles, const struct lab_place *file,
                            GError **error)
{
    struct lab_place place = {.up = file, .name = "profiles"};
    JsonObjectIter iter;
    const char *name = NULL;
    JsonNode *profile = NULL;
    if (profiles->given == NULL) {
        return TRUE;
    }
    if (!JSON_NODE_HOLDS_OBJECT(profiles->given)) {
        return lab_fail(error, &place, profiles->given, "must be an object or the name of a file");
    }
    json_object_iter_init_ordered(&iter, json_node_get_object(profiles->given));
    while (json_object_iter_next_ordered(&iter, &name, &profile)) {
        struct lab_place inner = {.up = &place, .name = name};
        if (!check_profile(profiles, &inner, profile, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean is_tested(JsonNode *flow, JsonNode *profile)
{
    JsonNode *tested = lab_json_get(flow, "tested");
    tested = tested != NULL ? tested : lab_json_get(profile, "tested");
    if (tested == NULL || !JSON_NODE_HOLDS_VALUE(tested)) {
        return FALSE;
    }
    return lab_json_is_number(tested) ? json_node_get_double(tested) != 0.0
                                      : json_node_get_boolean(tested);
}

static JsonNode *find_profile(const struct lab_profiles *profiles, JsonNode *flow)
{
    JsonNode *algorithm = lab_json_get(flow, "algorithm");
    return lab_json_is_text(algorithm)
               ? lab_json_get(profiles->given, json_node_get_string(algorithm))
               : NULL;
}

/* --algorithm: the parameters were of another algorithm and go. Takes and gives a reference. */
static JsonNode *put_algorithm(JsonNode *flow, const char *algorithm)
{
    JsonNode *copy = lab_json_copy_object(flow);
    json_node_unref(flow);
    lab_json_set(copy, "algorithm", lab_json_text(algorithm));
    json_object_remove_member(json_node_get_object(copy), "params");
    json_object_remove_member(json_node_get_object(copy), "label");
    return copy;
}

/* The profile's fields are what the flow does not say itself; results name the profile. */
static JsonNode *put_profile(const struct lab_profiles *profiles, JsonNode *flow,
                             const struct lab_place *place, GError **error)
{
    JsonNode *given = find_profile(profiles, flow);
    if (given == NULL) {
        return json_node_ref(flow);
    }
    JsonNode *label = lab_json_get(flow, "algorithm");
    JsonNode *profile = lab_vars_apply(profiles->vars, place, given, error);
    if (profile == NULL) {
        return NULL;
    }
    JsonNode *over = lab_json_copy_object(flow);
    json_object_remove_member(json_node_get_object(over), "algorithm");
    if (lab_json_get(profile, "label") == NULL && lab_json_get(flow, "label") == NULL) {
        lab_json_set(over, "label", json_node_ref(label));
    }
    JsonNode *result = lab_merge(profile, over, place, error);
    json_node_unref(over);
    json_node_unref(profile);
    return result;
}

/* "K=V": a number or a switch where V is one, else a text. */
static gboolean put_param(JsonNode *params, const char *text, GError **error)
{
    struct lab_place place = {.name = "--param"};
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || !g_utf8_validate(text, -1, NULL)) {
        return lab_fail(error, &place, NULL, "%s: must be NAME=VALUE", text);
    }
    JsonNode *value = lab_json_parse(equals + 1, strlen(equals + 1), "--param", NULL);
    if (value == NULL || !JSON_NODE_HOLDS_VALUE(value)) {
        g_clear_pointer(&value, json_node_unref);
        value = lab_json_text(equals + 1);
    }
    char *name = g_strndup(text, (gsize)(equals - text));
    lab_json_set(params, name, value);
    g_free(name);
    return TRUE;
}

/* Takes and gives a reference. */
static JsonNode *put_params(JsonNode *flow, const char *const *params, GError **error)
{
    JsonNode *copy = lab_json_copy_object(flow);
    JsonNode *all = lab_json_copy_object(lab_json_get(flow, "params"));
    gboolean good = TRUE;
    json_node_unref(flow);
    for (gsize i = 0; good && params[i] != NULL; i++) {
        good = put_param(all, params[i], error);
    }
    lab_json_set(copy, "params", all);
    if (!good) {
        g_clear_pointer(&copy, json_node_unref);
    }
    return copy;
}

/* A new flow, without variables. */
JsonNode *lab_profiles_apply(struct lab_profiles *profiles, const struct lab_place *place,
                             JsonNode *flow, GError **error)
{
    const struct lab_overrides *overrides = profiles->overrides;
    JsonNode *plain = lab_vars_apply(profiles->vars, place, flow, error);
    if (plain == NULL) {
        return NULL;
    }
    gboolean tested = is_tested(plain, find_profile(profiles, plain));
    profiles->n_tested += tested ? 1 : 0;
    if (tested && overrides != NULL && overrides->algorithm != NULL) {
        plain = put_algorithm(plain, overrides->algorithm);
    }
    JsonNode *result = put_profile(profiles, plain, place, error);
    json_node_unref(plain);
    if (result != NULL && tested && overrides != NULL && overrides->params != NULL) {
        result = put_params(result, overrides->params, error);
    }
    return result;
}
