/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/vars.h"
#include "test.h"
#include <stdlib.h>

/* The variables of this object; NULL = there is none. */
static struct lab_vars *make(const char *json, GError **error)
{
    json_t *node = json_object();
    struct lab_place file = {.name = "f", .node = node, .error = error};
    if (json != NULL) {
        json_object_set_new(node, "vars", json_loads(json, 0, NULL));
    }
    struct lab_vars *vars = lab_vars_new(&file);
    json_decref(node);
    return vars;
}

/* What a text, or JSON, becomes. Free with json_decref. */
static json_t *apply(struct lab_vars *vars, json_t *node, GError **error)
{
    struct lab_place file = {.name = "f", .error = error};
    struct lab_place place = {.up = &file, .name = "p", .node = node};
    json_t *applied = lab_vars_apply(vars, &place);
    json_decref(node);
    return applied;
}

static void assert_name(struct lab_vars *vars, const char *text, guint64 i, const char *expected)
{
    struct lab_place file = {.name = "f", .node = json_string(text)};
    json_t *name = lab_vars_name(vars, &file, i);
    g_assert_cmpstr(json_string_value(name), ==, expected);
    json_decref(name);
    json_decref(file.node);
}

static void test_variables_refer_to_each_other_in_any_order(void)
{
    struct lab_vars *vars =
        make("{\"c\": \"=a*b\", \"a\": 2, \"b\": \"=a+1\", \"t\": \"$u\", \"u\": \"x\"}", NULL);
    static const char text[] = "{\"p\":[\"=c\",\"$t\",\"$c\",\"plain\",7],\"description\":\"=c\"}";
    json_t *applied = apply(vars, json_loads(text, 0, NULL), NULL);
    char *json = json_dumps(applied, JSON_COMPACT);
    g_assert_cmpstr(json, ==, "{\"p\":[6,\"x\",6,\"plain\",7],\"description\":\"=c\"}");
    free(json);
    json_decref(applied);
    lab_vars_free(vars);
}

static void test_circles_are_found(void)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{\"a\": \"=a\"}", "f: vars.a = \"=a\": character 1: the variable \"a\" refers to itself"},
        {"{\"a\": \"$a\"}", "f: vars.a = \"$a\": the variable \"a\" refers to itself"},
        {"{\"a\": \"=1+b\", \"b\": \"=a\"}",
         "f: vars.a = \"=1+b\": character 3: b = \"=a\": character 1: the variable \"a\" refers to "
         "itself"},
        {"{\"a\": \"=b\", \"b\": \"$c\", \"c\": \"=z\"}",
         "f: vars.a = \"=b\": character 1: b = \"$c\": c = \"=z\": character 1: there is no "
         "variable "
         "\"z\"; there are a, b, c"},
        {"{\"a\": {}}", "f: vars.a = {...}: must be a number or a text"},
        {"[]", "f: vars = [...]: must be an object, {...}"},
        {"{\"a\": \"=z\"}",
         "f: vars.a = \"=z\": character 1: there is no variable \"z\"; there are a"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        g_assert_null(make(cases[i].json, &error));
        g_assert_cmpstr(error->message, ==, cases[i].message);
        g_error_free(error);
    }
}

/* What an expression could not mean by it, or would take for something else. */
static void test_names_are_those_that_expressions_can_have(void)
{
    static const struct {
        const char *name;
        gboolean good;
    } cases[] = {{"a", TRUE},      {"_", TRUE},      {"a1", TRUE},  {"min_bps", TRUE},
                 {"I", TRUE},      {"ifs", TRUE},    {"1a", FALSE}, {"i", FALSE},
                 {"min", FALSE},   {"max", FALSE},   {"if", FALSE}, {"else", FALSE},
                 {"round", FALSE}, {"floor", FALSE}, {"", FALSE},   {"a.b", FALSE},
                 {"a-b", FALSE},   {"a b", FALSE}};
    for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
        GError *error = NULL;
        char *json = g_strdup_printf("{\"%s\": 1}", cases[k].name);
        struct lab_vars *vars = make(json, &error);
        g_assert_true((vars != NULL) == cases[k].good);
        g_assert_true((error == NULL) == cases[k].good);
        g_clear_error(&error);
        lab_vars_free(vars);
        g_free(json);
    }
}

static void test_a_comment_is_no_variable(void)
{
    GError *error = NULL;
    struct lab_vars *vars = make("{\"comment\": \"=1/0\", \"a\": 1}", NULL);
    g_assert_null(apply(vars, json_string("$comment"), &error));
    g_assert_nonnull(strstr(error->message, "there is no variable \"comment\"; there are a"));
    g_error_free(error);
    lab_vars_free(vars);
}

static void test_a_long_chain_of_variables_is_no_harm(void)
{
    GString *json = g_string_new("{\"v0\": 1");
    for (guint i = 1; i < 2000; i++) {
        g_string_append_printf(json, ", \"v%u\": \"=v%u+1\"", i, i - 1);
    }
    g_string_append_c(json, '}');
    struct lab_vars *vars = make(json->str, NULL);
    assert_name(vars, "{v1999}", 1, "2000");
    lab_vars_free(vars);
    g_string_free(json, TRUE);
}

/* The first needs the second, and so on: only so many. */
static void test_a_chain_of_variables_has_an_end(void)
{
    for (guint n = 100; n < 200000; n *= 1999) {
        GString *json = g_string_new("{\"w\": 1");
        for (guint i = 1; i < n; i++) {
            g_string_append_printf(json, ", \"v%u\": \"=v%u+1\"", i, i + 1);
        }
        g_string_append_printf(json, ", \"v%u\": 1}", n);
        GError *error = NULL;
        struct lab_vars *vars = make(json->str, &error);
        g_assert_true((vars != NULL) == (n == 100));
        g_assert_true((error == NULL) == (n == 100));
        g_clear_error(&error);
        lab_vars_free(vars);
        g_string_free(json, TRUE);
    }
}

static void test_names_have_expressions_in_braces(void)
{
    static const struct {
        const char *text, *name;
        guint64 i;
    } cases[] = {
        {"R{i}", "R7", 7},      {"R{i+1}-{n}", "R8-3", 7}, {"{t}", "x", 1}, {"{i}", "", 0},
        {"a{i}b{n}", "ab3", 0}, {"{i/2}", "0.5", 1},       {"", "", 1},     {"}", "}", 1},
    };
    struct lab_vars *vars = make("{\"n\": 3, \"t\": \"x\"}", NULL);
    for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
        assert_name(vars, cases[k].text, cases[k].i, cases[k].name);
    }
    lab_vars_free(vars);
}

static void test_the_number_of_the_copy_is_for_names_alone(void)
{
    GError *error = NULL;
    struct lab_vars *vars = make(NULL, NULL);
    g_assert_null(apply(vars, json_string("=i"), &error));
    g_assert_nonnull(strstr(error->message, "there is no variable \"i\""));
    g_error_free(error);
    lab_vars_free(vars);
    lab_vars_free(NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_vars/variables_refer_to_each_other_in_any_order",
                    test_variables_refer_to_each_other_in_any_order);
    g_test_add_func("/scenario_vars/circles_are_found", test_circles_are_found);
    g_test_add_func("/scenario_vars/names_are_those_that_expressions_can_have",
                    test_names_are_those_that_expressions_can_have);
    g_test_add_func("/scenario_vars/a_comment_is_no_variable", test_a_comment_is_no_variable);
    g_test_add_func("/scenario_vars/a_long_chain_of_variables_is_no_harm",
                    test_a_long_chain_of_variables_is_no_harm);
    g_test_add_func("/scenario_vars/a_chain_of_variables_has_an_end",
                    test_a_chain_of_variables_has_an_end);
    g_test_add_func("/scenario_vars/names_have_expressions_in_braces",
                    test_names_have_expressions_in_braces);
    g_test_add_func("/scenario_vars/the_number_of_the_copy_is_for_names_alone",
                    test_the_number_of_the_copy_is_for_names_alone);
    return g_test_run();
}
