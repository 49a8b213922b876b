/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/json.h"
#include "test.h"
#include <stdlib.h>

static void test_only_json_is_json(void)
{
    static const struct {
        const char *text;
        gboolean good;
    } cases[] = {
        {"{}", TRUE},
        {" [1, 2.5e-3, -0, true, null, \"x\"] ", TRUE},
        {"1", TRUE},
        {"\"x\"", TRUE},
        {"true", TRUE},
        {"0.5", TRUE},
        {"", FALSE},
        {"tfrc", FALSE},
        {"1 2", FALSE},
        {"{} {}", FALSE},
        {"\"a\" 1", FALSE},
        {"[1] // x", FALSE},
        {"/**/1", FALSE},
        {"012", FALSE},
        {"-01", FALSE},
        {"[1,]", FALSE},
        {"{\"a\":1,}", FALSE},
        {"{a: 1}", FALSE},
        {"'a'", FALSE},
        {"[1", FALSE},
        {"]", FALSE},
        {"{\"a\": 1, \"a\": 2}", FALSE},
        {"\"a\nb\"", FALSE},
        {"\"\\u0000\"", FALSE},
        {"\"", FALSE},
        {"\"\\", FALSE},
        {"[nul]", FALSE},
        {"[1e]", FALSE},
        {"true false", FALSE},
        {"{\"a\": {\"a\": 1}}", TRUE},
        {"\"\\q\"", FALSE},
        {"\"\\u12g4\"", FALSE},
        {"\"\\u123\"", FALSE},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"", TRUE},
        {"999999999999999999", TRUE},
        {"-999999999999999999", TRUE},
        {"9223372036854775808", FALSE},
        {"[-18446744073709551617]", FALSE},
        {"1000000000000000000000.5", TRUE},
        {"1.0000000000000000000000", TRUE},
        {"1e00000000000000000000001", TRUE},
        {"[10, 1.01, 1e-05, 100]", TRUE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        g_test_message("%s", cases[i].text);
        json_t *node = lab_json_parse(cases[i].text, strlen(cases[i].text), "t", &error);
        g_assert_true((node != NULL) == cases[i].good);
        g_assert_true((error == NULL) == cases[i].good);
        g_clear_error(&error);
        json_decref(node);
    }
}

static void test_names_twice_are_found_at_any_depth(void)
{
    static const char text[] = "{\"a\": {\"b\": 1},\n \"c\": [{\"d\": 1,\n \"d\": 2}], \"a2\": 1}";
    GError *error = NULL;
    g_assert_null(lab_json_parse(text, strlen(text), "t", &error));
    g_assert_cmpstr(error->message, ==,
                    "t: line 3, column 4: not JSON: duplicate object key near '\"d\"'");
    g_error_free(error);
}

static void test_whole_numbers_are_written_whole(void)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{3, "3"}, {-2, "-2"}, {2e6, "2000000"}, {0.5, "0.5"}, {1e300, ""}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        json_t *node = lab_json_number(cases[i].value);
        char *text = json_dumps(node, JSON_ENCODE_ANY);
        g_assert_cmpfloat(g_ascii_strtod(text, NULL), ==, cases[i].value);
        if (i < 4) {
            g_assert_cmpstr(text, ==, cases[i].text);
        }
        free(text);
        json_decref(node);
    }
}

/* Doubles come back as they were, whatever they are. */
static void test_numbers_survive_being_written(void)
{
    for (guint i = 0; i < 10000; i++) {
        double value = (g_test_rand_double() - 0.5) * (i % 2 == 0 ? 1e6 : 1e-3);
        json_t *node = lab_json_number(value);
        char *text = json_dumps(node, JSON_ENCODE_ANY);
        json_t *again = lab_json_parse(text, strlen(text), "t", NULL);
        g_assert_nonnull(again);
        g_assert_true(json_number_value(again) == value);
        json_decref(again);
        json_decref(node);
        free(text);
    }
}

static gboolean add_one(void *user, const struct lab_place *place, json_t **replacement)
{
    (void)user;
    if (strcmp(place->name, "bad") == 0) {
        return lab_fail(place, "is bad");
    }
    if (json_is_number(place->node)) {
        *replacement = lab_json_number(json_number_value(place->node) + 1);
    }
    return TRUE;
}

static void test_map_visits_everything_and_changes_nothing_given(void)
{
    static const char text[] = "{\"a\":[1,{\"b\":2}],\"c\":\"x\"}";
    struct lab_place file = {.name = "t", .node = json_loads(text, 0, NULL)};
    json_t *mapped = lab_json_map(&file, add_one, NULL);
    char *before = json_dumps(file.node, JSON_COMPACT);
    char *after = json_dumps(mapped, JSON_COMPACT);
    g_assert_cmpstr(before, ==, text);
    g_assert_cmpstr(after, ==, "{\"a\":[2,{\"b\":3}],\"c\":\"x\"}");
    free(before);
    free(after);
    json_decref(file.node);
    json_decref(mapped);
}

static void test_map_fails_with_the_place(void)
{
    static const char text[] = "{\"a\":[1,{\"name\":\"n\",\"bad\":2}]}";
    GError *error = NULL;
    struct lab_place file = {.name = "t", .node = json_loads(text, 0, NULL), .error = &error};
    g_assert_null(lab_json_map(&file, add_one, NULL));
    g_assert_cmpstr(error->message, ==, "t: a.n.bad = 2: is bad");
    g_error_free(error);
    json_decref(file.node);
}

/* Objects and lists inside each other, as many as `depth`. */
static void test_nesting_has_an_end(void)
{
    for (guint depth = 31; depth <= 100000; depth = depth < 33 ? depth + 1 : depth * 3) {
        GString *text = g_string_new(NULL);
        GError *error = NULL;
        for (guint i = 0; i < depth; i++) {
            g_string_append(text, i % 2 == 0 ? "[" : "{\"a\":");
        }
        g_string_append_c(text, '1');
        for (guint i = depth; i > 0; i--) {
            g_string_append_c(text, i % 2 == 1 ? ']' : '}');
        }
        json_t *node = lab_json_parse(text->str, text->len, "t", &error);
        g_assert_true((node != NULL) == (depth <= 32));
        g_assert_true((error != NULL) == (depth > 32));
        g_clear_error(&error);
        json_decref(node);
        g_string_free(text, TRUE);
    }
}

static void test_files_that_are_none_are_errors(void)
{
    static const char *const cases[][2] = {
        {"no/such/file", "no/such/file: cannot be opened: No such file or directory"},
        {"/", "/: cannot be read: Is a directory"},
        {".", ".: cannot be read: Is a directory"}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        gsize length = 0;
        GError *error = NULL;
        g_assert_null(lab_read_file(cases[i][0], &length, &error));
        g_assert_cmpstr(error->message, ==, cases[i][1]);
        g_error_free(error);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_json/only_json_is_json", test_only_json_is_json);
    g_test_add_func("/scenario_json/names_twice_are_found_at_any_depth",
                    test_names_twice_are_found_at_any_depth);
    g_test_add_func("/scenario_json/whole_numbers_are_written_whole",
                    test_whole_numbers_are_written_whole);
    g_test_add_func("/scenario_json/numbers_survive_being_written",
                    test_numbers_survive_being_written);
    g_test_add_func("/scenario_json/map_visits_everything_and_changes_nothing_given",
                    test_map_visits_everything_and_changes_nothing_given);
    g_test_add_func("/scenario_json/map_fails_with_the_place", test_map_fails_with_the_place);
    g_test_add_func("/scenario_json/nesting_has_an_end", test_nesting_has_an_end);
    g_test_add_func("/scenario_json/files_that_are_none_are_errors",
                    test_files_that_are_none_are_errors);
    return g_test_run();
}
