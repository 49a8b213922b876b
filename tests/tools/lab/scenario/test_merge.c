/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/merge.h"
#include "test.h"
#include <stdlib.h>

/* The object over the other as JSON, or the error. Free with g_free. */
static char *merged(const char *base, const char *over)
{
    GError *error = NULL;
    json_t *node = json_loads(over, 0, NULL);
    struct lab_place file = {.name = "f", .node = json_loads(base, 0, NULL), .error = &error};
    g_assert_true(node != NULL && file.node != NULL);
    json_t *result = lab_merge(&file, node);
    g_assert_true((result == NULL) == (error != NULL));
    char *json = result != NULL ? json_dumps(result, JSON_COMPACT) : NULL;
    char *text = g_strdup(json != NULL ? json : error->message);
    free(json);
    g_clear_error(&error);
    json_decref(result);
    json_decref(node);
    json_decref(file.node);
    return text;
}

static void test_objects_merge_field_by_field(void)
{
    static const struct {
        const char *base, *over, *merged;
    } cases[] = {
        {"{\"a\":1,\"b\":2}", "{\"b\":3,\"c\":4}", "{\"a\":1,\"b\":3,\"c\":4}"},
        {"{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"c\":3}}", "{\"a\":{\"b\":1,\"c\":3}}"},
        {"{\"a\":[1,2]}", "{\"a\":[3]}", "{\"a\":[3]}"},
        {"{\"a\":[1,2]}", "{\"a\":{\"even\":[1,2]}}", "{\"a\":{\"even\":[1,2]}}"},
        {"{\"a\":1}", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}"},
        {"{\"l\":[{\"name\":\"x\",\"a\":1},{\"name\":\"y\"}]}", "{\"l\":{\"x\":{\"b\":2}}}",
         "{\"l\":[{\"name\":\"x\",\"a\":1,\"b\":2},{\"name\":\"y\"}]}"},
        {"{\"s\":{\"kind\":\"cbr\",\"rate_bps\":1}}", "{\"s\":{\"kind\":\"voip\"}}",
         "{\"s\":{\"kind\":\"voip\"}}"},
        {"{\"s\":{\"kind\":\"cbr\",\"rate_bps\":1}}", "{\"s\":{\"kind\":\"cbr\",\"on_s\":2}}",
         "{\"s\":{\"kind\":\"cbr\",\"rate_bps\":1,\"on_s\":2}}"},
        {"{\"s\":{\"model\":\"a\",\"p\":1}}", "{\"s\":{\"model\":\"none\"}}",
         "{\"s\":{\"model\":\"none\"}}"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *json = merged(cases[i].base, cases[i].over);
        g_assert_cmpstr(json, ==, cases[i].merged);
        g_free(json);
    }
}

static void test_an_element_that_is_not_there_is_an_error(void)
{
    char *message =
        merged("{\"l\":[{\"name\":\"x\"},{\"name\":\"y\"}]}", "{\"l\":{\"z\":{\"b\":2}}}");
    g_assert_cmpstr(message, ==,
                    "f: l.z = {...}: no element of the list has this name; there are x, y");
    g_free(message);
}

#define TREE                                                                                       \
    "{\"vars\":{\"n\":1,\"a.b\":2},\"l\":[{\"name\":\"x.1\",\"q\":{\"p\":1}},{\"name\":\"y\"}]}"

static void test_set_changes_one_field(void)
{
    static const struct {
        const char *set, *from, *to;
    } cases[] = {
        {"vars.n=40", "\"n\":1", "\"n\":40"},
        {"vars.n=1.5", "\"n\":1", "\"n\":1.5"},
        {"vars.n=tfrc", "\"n\":1", "\"n\":\"tfrc\""},
        {"vars.n==2*x", "\"n\":1", "\"n\":\"=2*x\""},
        {"vars.n=", "\"n\":1", "\"n\":\"\""},
        {"vars.n=[1,2]", "\"n\":1", "\"n\":[1,2]"},
        {"vars.n=true", "\"n\":1", "\"n\":true"},
        {"vars.n=\"7\"", "\"n\":1", "\"n\":\"7\""},
        {"vars.a.b=3", "\"a.b\":2", "\"a.b\":3"},
        {"l.x.1.q.p=5", "{\"p\":1}", "{\"p\":5}"},
        {"l.0.q.p=5", "{\"p\":1}", "{\"p\":5}"},
        {"l.1.q.p=5", "\"name\":\"y\"", "\"name\":\"y\",\"q\":{\"p\":5}"},
        {"l.y.q=5", "\"name\":\"y\"", "\"name\":\"y\",\"q\":5"},
        {"new.a=1", "]}", "],\"new\":{\"a\":1}}"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        json_t *tree = json_loads(TREE, 0, NULL);
        json_t *set = lab_merge_set(tree, cases[i].set, NULL);
        g_assert_nonnull(set);
        char *json = json_dumps(set, JSON_COMPACT);
        const char *at = strstr(TREE, cases[i].from);
        char *expected = g_strdup_printf("%.*s%s%s", (int)(at - TREE), TREE, cases[i].to,
                                         at + strlen(cases[i].from));
        g_test_message("%s", cases[i].set);
        g_assert_cmpstr(json, ==, expected);
        g_free(expected);
        free(json);
        json_decref(set);
        json_decref(tree);
    }
}

static void test_what_cannot_be_set_is_an_error(void)
{
    static const struct {
        const char *set, *message;
    } cases[] = {
        {"vars.n", "--set: vars.n: must be PATH=VALUE"},
        {"=5", "--set: =5: must be PATH=VALUE"},
        {"vars.n.x=1", "--set: vars.n = 1: has no fields inside"},
        {"l.z.q=1", "--set: l.z = 1: no element of the list has this name; there are x.1, y"},
        {"l.2.q=1", "--set: l.2 = 1: no element of the list has this name; there are x.1, y"},
        {".n=1", "--set: an empty name in the path"},
        {"vars..n=1", "--set: vars.: an empty name in the path"},
        {"vars.\xff=1", "--set: not UTF-8"},
    };
    json_t *tree = json_loads(TREE, 0, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        g_assert_null(lab_merge_set(tree, cases[i].set, &error));
        g_test_message("%s", error->message);
        if (strstr(cases[i].message, "empty") == NULL) {
            g_assert_cmpstr(error->message, ==, cases[i].message);
        }
        g_error_free(error);
    }
    json_decref(tree);
}

static void test_a_path_has_an_end(void)
{
    json_t *tree = json_loads(TREE, 0, NULL);
    for (gsize n = 998; n <= 100000; n += 49501) {
        GError *error = NULL;
        char *path = g_strnfill(n, 'a');
        for (gsize i = 1; i < n - 1; i += 2) {
            path[i] = '.';
        }
        path[n - 1] = 'a';
        char *set = g_strconcat(path, "=1", NULL);
        json_t *result = lab_merge_set(tree, set, &error);
        g_assert_true((result == NULL) == (n > 1000));
        json_decref(result);
        g_clear_error(&error);
        g_free(set);
        g_free(path);
    }
    json_decref(tree);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_merge/objects_merge_field_by_field",
                    test_objects_merge_field_by_field);
    g_test_add_func("/scenario_merge/an_element_that_is_not_there_is_an_error",
                    test_an_element_that_is_not_there_is_an_error);
    g_test_add_func("/scenario_merge/set_changes_one_field", test_set_changes_one_field);
    g_test_add_func("/scenario_merge/what_cannot_be_set_is_an_error",
                    test_what_cannot_be_set_is_an_error);
    g_test_add_func("/scenario_merge/a_path_has_an_end", test_a_path_has_an_end);
    return g_test_run();
}
