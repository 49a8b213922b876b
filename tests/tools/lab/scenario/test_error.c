/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/error.h"
#include "test.h"

static void test_a_place_is_its_names_with_points(void)
{
    struct lab_place file = {.name = "a.json", .node = json_loads("{\"links\": {}}", 0, NULL)};
    struct lab_place links = lab_at(&file, "links");
    struct lab_place capacity = lab_at(&links, "capacity_bps");
    g_assert_true(json_is_object(links.node));
    g_assert_null(capacity.node);
    char *path = lab_place_text(&capacity);
    g_assert_cmpstr(path, ==, "links.capacity_bps");
    g_free(path);
    path = lab_place_text(&file);
    g_assert_cmpstr(path, ==, "");
    g_free(path);
    g_assert_true(lab_file_of(&capacity) == &file);
    json_decref(file.node);
}

static void test_an_element_is_called_by_its_name_or_its_number(void)
{
    struct lab_place file = {.name = "f",
                             .node = json_loads("[{\"name\": \"x\"}, {\"name\": 1}, 5]", 0, NULL)};
    static const char *const names[] = {"x", "1", "2", "3"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        char number[16];
        struct lab_place element = lab_element(&file, i, number);
        g_assert_cmpstr(element.name, ==, names[i]);
        g_assert_true((element.node == NULL) == (i == 3));
    }
    json_decref(file.node);
}

/* An error at "links.NAME" of a.json, or (NULL) of the file itself; takes the value. */
static void check(const char *name, json_t *value, const char *message)
{
    GError *error = NULL;
    struct lab_place file = {.name = "a.json", .error = &error};
    struct lab_place links = {.up = &file, .name = "links"};
    struct lab_place place = {.up = &links, .name = name, .node = value};
    file.node = name == NULL ? value : NULL;
    g_assert_false(lab_fail(name != NULL ? &place : &file, "must be %d", 5));
    g_assert_error(error, LAB_ERROR, LAB_ERROR_INPUT);
    g_assert_cmpstr(error->message, ==, message);
    g_assert_false(lab_fail(&links, "the first error stays"));
    g_assert_cmpstr(error->message, ==, message);
    g_error_free(error);
    json_decref(value);
}

static void test_an_error_is_file_place_value_and_sentence(void)
{
    check("capacity_bps", json_integer(-3), "a.json: links.capacity_bps = -3: must be 5");
    check("capacity_bps", json_real(0.1), "a.json: links.capacity_bps = 0.1: must be 5");
    check("capacity_bps", json_string("x"), "a.json: links.capacity_bps = \"x\": must be 5");
    check("capacity_bps", NULL, "a.json: links.capacity_bps: must be 5");
    check(NULL, NULL, "a.json: must be 5");
    check(NULL, json_string("x"), "a.json: must be 5");
}

static void test_an_error_stays_one_line(void)
{
    check("a\nb\x01", json_string("c\nd"), "a.json: links.a?b? = \"c\\nd\": must be 5");
}

static void test_long_values_are_cut(void)
{
    char *value = g_strnfill(1000, 'x');
    char *shown = g_strnfill(59, 'x');
    char *message = g_strdup_printf("a.json: links.a = \"%s...: must be 5", shown);
    check("a", json_string(value), message);
    g_free(message);
    g_free(shown);
    g_free(value);
}

static void test_long_names_and_sentences_are_cut(void)
{
    char *name = g_strnfill(1000, 'x');
    char *shown = g_strnfill(60, 'x');
    char *sentence = g_strnfill(5000, 'y');
    char *shown_sentence = g_strnfill(1000, 'y');
    GError *error = NULL;
    struct lab_place file = {.name = "a.json", .error = &error};
    g_assert_false(lab_fail_at(&file, name, "%s", sentence));
    char *message = g_strdup_printf("a.json: %s...: %s...", shown, shown_sentence);
    g_assert_cmpstr(error->message, ==, message);
    g_error_free(error);
    g_free(message);
    g_free(shown_sentence);
    g_free(sentence);
    g_free(shown);
    g_free(name);
}

/* Free with g_ptr_array_unref. */
static GPtrArray *names_of(const char *const *names)
{
    GPtrArray *array = g_ptr_array_new();
    for (; *names != NULL; names++) {
        g_ptr_array_add(array, (gpointer)(guintptr)*names);
    }
    return array;
}

static void test_what_is_unknown_has_a_nearest_name_or_all(void)
{
    static const char *const names[] = {"count", "links", NULL};
    static const struct {
        const char *given, *message;
    } cases[] = {{"link", "a.json: no; did you mean links?"},
                 {"zzzzz", "a.json: no; there are count, links"}};
    GPtrArray *array = names_of(names);
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        struct lab_place file = {.name = "a.json", .error = &error};
        g_assert_false(lab_fail_unknown(&file, "no", cases[i].given, array));
        g_assert_cmpstr(error->message, ==, cases[i].message);
        g_error_free(error);
    }
    g_ptr_array_unref(array);
}

/* "A" for "Z" would be any name. */
static void test_a_name_of_other_letters_alone_is_not_near(void)
{
    static const char *const names[] = {"A", "R1", NULL};
    GPtrArray *array = names_of(names);
    g_assert_null(lab_nearest_name("Z", array));
    g_assert_cmpstr(lab_nearest_name("R2", array), ==, "R1");
    g_ptr_array_unref(array);
}

static void test_the_nearest_name_has_the_unit(void)
{
    static const char *const names[] = {"capacity_bps", "delay_ms", "loss",
                                        "queue",        "packets",  NULL};
    static const struct {
        const char *name, *nearest;
    } cases[] = {
        {"capacity", "capacity_bps"},
        {"delay", "delay_ms"},
        {"delay_s", "delay_ms"},
        {"lose", "loss"},
        {"quere", "queue"},
        {"packet", "packets"},
        {"pakets", "packets"},
        {"xyz", NULL},
        {"", NULL},
        {"capacity_kbps", "capacity_bps"},
        {"bandwidth", NULL},
        {"q", NULL},
        {"delay_size", "delay_ms"},
    };
    GPtrArray *array = names_of(names);
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpstr(lab_nearest_name(cases[i].name, array), ==, cases[i].nearest);
    }
    char *endless = g_strnfill(100000, 'q');
    g_assert_null(lab_nearest_name(endless, array));
    g_ptr_array_unref(array);
    g_free(endless);
}

static void test_names_are_joined_with_commas(void)
{
    json_t *object = json_pack("{s:i, s:i}", "a", 1, "b", 2);
    GPtrArray *names = lab_member_names(object);
    char *all = lab_join_names(names);
    g_assert_cmpstr(all, ==, "a, b");
    g_free(all);
    g_ptr_array_set_size(names, 0);
    all = lab_join_names(names);
    g_assert_cmpstr(all, ==, "");
    g_free(all);
    g_ptr_array_unref(names);
    json_decref(object);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_error/a_place_is_its_names_with_points",
                    test_a_place_is_its_names_with_points);
    g_test_add_func("/scenario_error/an_element_is_called_by_its_name_or_its_number",
                    test_an_element_is_called_by_its_name_or_its_number);
    g_test_add_func("/scenario_error/what_is_unknown_has_a_nearest_name_or_all",
                    test_what_is_unknown_has_a_nearest_name_or_all);
    g_test_add_func("/scenario_error/an_error_is_file_place_value_and_sentence",
                    test_an_error_is_file_place_value_and_sentence);
    g_test_add_func("/scenario_error/an_error_stays_one_line", test_an_error_stays_one_line);
    g_test_add_func("/scenario_error/long_values_are_cut", test_long_values_are_cut);
    g_test_add_func("/scenario_error/long_names_and_sentences_are_cut",
                    test_long_names_and_sentences_are_cut);
    g_test_add_func("/scenario_error/a_name_of_other_letters_alone_is_not_near",
                    test_a_name_of_other_letters_alone_is_not_near);
    g_test_add_func("/scenario_error/the_nearest_name_has_the_unit",
                    test_the_nearest_name_has_the_unit);
    g_test_add_func("/scenario_error/names_are_joined_with_commas",
                    test_names_are_joined_with_commas);
    return g_test_run();
}
