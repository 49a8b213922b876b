/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/error.h"
#include "test.h"

static const struct lab_place file = {.name = "a.json"};
static const struct lab_place links = {.up = &file, .name = "links"};
static const struct lab_place capacity = {.up = &links, .name = "capacity_bps"};

static void test_a_place_is_its_names_with_points(void)
{
    char *path = lab_place_text(&capacity);
    g_assert_cmpstr(path, ==, "links.capacity_bps");
    g_free(path);
    path = lab_place_text(&file);
    g_assert_cmpstr(path, ==, "");
    g_free(path);
}

static void check(const struct lab_place *place, JsonNode *value, const char *message)
{
    GError *error = NULL;
    g_assert_false(lab_fail(&error, place, value, "must be %d", 5));
    g_assert_error(error, LAB_ERROR, LAB_ERROR_INPUT);
    g_assert_cmpstr(error->message, ==, message);
    g_error_free(error);
    if (value != NULL) {
        json_node_unref(value);
    }
}

static JsonNode *text(const char *value)
{
    return json_node_init_string(json_node_alloc(), value);
}

static void test_an_error_is_file_place_value_and_sentence(void)
{
    check(&capacity, json_node_init_int(json_node_alloc(), -3),
          "a.json: links.capacity_bps = -3: must be 5");
    check(&capacity, json_node_init_double(json_node_alloc(), 0.1),
          "a.json: links.capacity_bps = 0.1: must be 5");
    check(&capacity, text("x"), "a.json: links.capacity_bps = \"x\": must be 5");
    check(&capacity, NULL, "a.json: links.capacity_bps: must be 5");
    check(&file, NULL, "a.json: must be 5");
    check(&file, text("x"), "a.json: must be 5");
}

static void test_an_error_stays_one_line(void)
{
    struct lab_place odd = {.up = &file, .name = "a\nb\x01"};
    check(&odd, text("c\nd"), "a.json: a?b? = \"c\\nd\": must be 5");
}

static void test_long_values_are_cut(void)
{
    char *value = g_strnfill(1000, 'x');
    char *shown = g_strnfill(59, 'x');
    char *message = g_strdup_printf("a.json: links = \"%s...: must be 5", shown);
    check(&links, text(value), message);
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
    struct lab_place place = {.up = &file, .name = name};
    GError *error = NULL;
    g_assert_false(lab_fail(&error, &place, NULL, "%s", sentence));
    char *message = g_strdup_printf("a.json: %s...: %s...", shown, shown_sentence);
    g_assert_cmpstr(error->message, ==, message);
    g_error_free(error);
    g_free(message);
    g_free(shown_sentence);
    g_free(sentence);
    g_free(shown);
    g_free(name);
}

/* "A" for "Z" would be any name. */
static void test_a_name_of_other_letters_alone_is_not_near(void)
{
    static const char *const names[] = {"A", "R1"};
    g_assert_null(lab_nearest_name("Z", names, G_N_ELEMENTS(names)));
    g_assert_cmpstr(lab_nearest_name("R2", names, G_N_ELEMENTS(names)), ==, "R1");
}

static void test_the_nearest_name_has_the_unit(void)
{
    static const char *const names[] = {"capacity_bps", "delay_ms", "loss", "queue", "packets"};
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
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpstr(lab_nearest_name(cases[i].name, names, G_N_ELEMENTS(names)), ==,
                        cases[i].nearest);
    }
    char *endless = g_strnfill(100000, 'q');
    g_assert_null(lab_nearest_name(endless, names, G_N_ELEMENTS(names)));
    g_free(endless);
}

static void test_names_are_joined_with_commas(void)
{
    static const char *const names[] = {"a", "b"};
    char *all = lab_join_names(names, 2);
    g_assert_cmpstr(all, ==, "a, b");
    g_free(all);
    all = lab_join_names(names, 0);
    g_assert_cmpstr(all, ==, "");
    g_free(all);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_error/a_place_is_its_names_with_points",
                    test_a_place_is_its_names_with_points);
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
