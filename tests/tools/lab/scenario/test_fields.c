/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/fields.h"
#include "scenario/flow.h"
#include "scenario/link.h"
#include "scenario/loss.h"
#include "scenario/queue.h"
#include "scenario/source.h"
#include "test.h"
#include <math.h>
#include <stdbool.h>

struct target {
    double number;
    int64_t whole;
    int64_t time_ns;
    int64_t stop_ns;
    bool on;
    int choice;
    const char *name;
};

static const char *const choices[] = {"a", "b", NULL};

#define AT(member) .offset = offsetof(struct target, member)
static const struct lab_field fields[] = {
    {.name = "number", .kind = LAB_FIELD_NUMBER, .min = -1, .max = 1, .initial = 0.5, AT(number)},
    {.name = "whole", .kind = LAB_FIELD_WHOLE, .min = 1, .max = 9, .initial = 7, AT(whole)},
    {.name = "time_ms", .kind = LAB_FIELD_SCALED, .scale = 1e6, .max = 100, AT(time_ns)},
    {.name = "stop_s",
     .kind = LAB_FIELD_SCALED,
     .scale = 1e9,
     .max = 100,
     .initial = INFINITY,
     AT(stop_ns)},
    {.name = "on", .kind = LAB_FIELD_BOOL, .initial = 1, AT(on)},
    {.name = "choice", .kind = LAB_FIELD_CHOICE, .choices = choices, .initial = 1, AT(choice)},
    {.name = "name", .kind = LAB_FIELD_NAME, .required = TRUE, AT(name)},
    {.name = "list", .kind = LAB_FIELD_LIST},
};

/* NULL, or the error. Free with g_free. */
static char *read_target(const char *json, struct target *target)
{
    GError *error = NULL;
    struct lab_place file = {.name = "f", .node = json_loads(json, 0, NULL), .error = &error};
    g_assert_nonnull(file.node);
    *target = (struct target){.number = 99};
    gboolean good = lab_fields_read(fields, G_N_ELEMENTS(fields), &file, target);
    g_assert_true(good == (error == NULL));
    char *message = error != NULL ? g_strdup(error->message) : NULL;
    g_clear_error(&error);
    json_decref(file.node);
    return message;
}

static void test_what_is_not_said_has_its_default(void)
{
    struct target t;
    g_assert_null(read_target("{\"name\": \"x\", \"comment\": \"nobody reads this\"}", &t));
    g_assert_true(t.number == 0.5);
    g_assert_cmpint(t.whole, ==, 7);
    g_assert_cmpint(t.time_ns, ==, 0);
    g_assert_cmpint(t.stop_ns, ==, INT64_MAX);
    g_assert_true(t.on);
    g_assert_cmpint(t.choice, ==, 1);
}

static void test_numbers_are_scaled_and_rounded_half_up(void)
{
    static const struct {
        const char *json;
        int64_t ns;
    } cases[] = {
        {"1", 1000000}, {"0.1", 100000},    {"1.5e-6", 2},          {"0.4e-6", 0},
        {"0.5e-6", 1},  {"100", 100000000}, {"0.0000014999999", 1}, {"33.333333333", 33333333},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct target t;
        char *json = g_strdup_printf("{\"name\": \"x\", \"time_ms\": %s}", cases[i].json);
        g_assert_null(read_target(json, &t));
        g_assert_cmpint(t.time_ns, ==, cases[i].ns);
        g_free(json);
    }
}

static void test_values_outside_are_refused_with_what_is_allowed(void)
{
    static const struct {
        const char *field, *value, *message;
    } cases[] = {
        {"number", "1.01", "f: number = 1.01: must be a number from -1 to 1"},
        {"number", "\"1\"", "f: number = \"1\": must be a number from -1 to 1"},
        {"number", "[]", "f: number = [...]: must be a number from -1 to 1"},
        {"number", "true", "f: number = true: must be a number from -1 to 1"},
        {"whole", "0", "f: whole = 0: must be a whole number from 1 to 9"},
        {"whole", "1.5", "f: whole = 1.5: must be a whole number from 1 to 9"},
        {"time_ms", "-1e-9", "f: time_ms = -1e-09: must be a number from 0 to 100"},
        {"on", "\"yes\"", "f: on = \"yes\": must be true or false"},
        {"choice", "\"c\"", "f: choice = \"c\": must be one of a, b"},
        {"choice", "1", "f: choice = 1: must be one of a, b"},
        {"list", "{}", "f: list = {...}: must be a list, [...]"},
        {"lists", "[]", "f: lists = [...]: unknown field; did you mean list?"},
        {"zzzzzz", "[]",
         "f: zzzzzz = [...]: unknown field; there are number, whole, time_ms, stop_s, on, choice, "
         "name, list, comment"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct target t;
        char *json =
            g_strdup_printf("{\"name\": \"x\", \"%s\": %s}", cases[i].field, cases[i].value);
        char *message = read_target(json, &t);
        g_assert_cmpstr(message, ==, cases[i].message);
        g_free(message);
        g_free(json);
    }
}

static void test_names_fit_into_tables_of_commas(void)
{
    static const char *const bad[] = {"", "a,b", "a\\\"b", "a\\nb"};
    struct target t;
    for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
        char *json = g_strdup_printf("{\"name\": \"%s\"}", bad[i]);
        char *message = read_target(json, &t);
        g_assert_nonnull(message);
        g_free(message);
        g_free(json);
    }
    for (gsize n = 1; n < 400; n += 100) {
        char *name = g_strnfill(n, 'x');
        char *json = g_strdup_printf("{\"name\": \"%s\"}", name);
        char *message = read_target(json, &t);
        g_assert_true((message == NULL) == (n <= 200));
        g_free(message);
        g_free(json);
        g_free(name);
    }
}

static void test_what_is_required_is_missed(void)
{
    struct target t;
    char *message = read_target("{}", &t);
    g_assert_cmpstr(message, ==,
                    "f: name: is missing; it must be a name of 1 to 200 characters without commas "
                    "and quotes");
    g_free(message);
}

static void test_a_number_is_a_switch(void)
{
    struct target t;
    g_assert_null(read_target("{\"name\": \"x\", \"on\": 0}", &t));
    g_assert_false(t.on);
    g_assert_null(read_target("{\"name\": \"x\", \"on\": 2}", &t));
    g_assert_true(t.on);
}

/* Every table there is: defaults that are allowed, ranges that are none, names with their unit. */
static void check_table(const struct lab_field *table, gsize n)
{
    for (gsize i = 0; i < n; i++) {
        const struct lab_field *f = &table[i];
        for (gsize k = 0; k < i; k++) {
            g_assert_cmpstr(table[k].name, !=, f->name);
        }
        if (f->kind <= LAB_FIELD_SCALED) {
            g_assert_cmpfloat(f->min, <, f->max);
            g_assert_true(f->initial == 0.0 || f->initial >= f->min);
            g_assert_true(isinf(f->initial) || f->initial <= f->max);
        }
        if (f->kind == LAB_FIELD_SCALED) {
            gboolean seconds = g_str_has_suffix(f->name, "_s") && f->scale == LAB_NS_PER_S;
            gboolean ms = g_str_has_suffix(f->name, "_ms") && f->scale == LAB_NS_PER_MS;
            gboolean bps = g_str_has_suffix(f->name, "_bps") && f->scale == 1.0;
            g_assert_true(seconds || ms || bps);
            g_assert_true(isinf(f->initial) || f->max * f->scale < 9e18);
        }
        check_table(f->fields, f->n_fields);
        char *allowed = lab_field_allowed(f);
        g_assert_cmpstr(allowed, !=, "");
        g_free(allowed);
    }
}

static gboolean is_on(const char *page, char quote, const char *name)
{
    char *quoted = g_strdup_printf("%c%s%c", quote, name, quote);
    gboolean found = strstr(page, quoted) != NULL;
    g_test_message("%s", quoted);
    g_free(quoted);
    return found;
}

/* Of an object inside: in code, `name`, or in an example in JSON, "name". */
static void check_inner(const char *page, const struct lab_field *inner, gsize n)
{
    for (gsize i = 0; i < n; i++) {
        g_assert_true(is_on(page, '`', inner[i].name) || is_on(page, '"', inner[i].name));
    }
}

/* Each field has its name, and kinds of sources theirs, in the page about scenarios. */
static void check_page(const struct lab_field *table, gsize n, const char *page)
{
    for (gsize i = 0; i < n; i++) {
        g_assert_true(is_on(page, '`', table[i].name));
        check_inner(page, table[i].fields, table[i].n_fields);
    }
}

/* The names of the variants stand in JSON on the page, with the required of their fields. */
static void check_variants(const struct lab_variant *variants, gsize n, const char *page)
{
    for (gsize i = 0; i < n; i++) {
        g_assert_true(is_on(page, '"', variants[i].name));
        check_table(variants[i].fields, variants[i].n_fields);
        check_inner(page, variants[i].fields, variants[i].n_fields);
    }
}

static void test_tables_are_sound_and_documented(void)
{
    char *page = NULL;
    g_assert_true(g_file_get_contents(SCENARIO_PAGE, &page, NULL, NULL));
    check_table(lab_link_fields, lab_n_link_fields);
    check_table(lab_flow_fields, lab_n_flow_fields);
    check_page(lab_link_fields, lab_n_link_fields, page);
    check_page(lab_flow_fields, lab_n_flow_fields, page);
    check_variants(lab_queues, lab_n_queues, page);
    check_variants(lab_losses, lab_n_losses, page);
    for (gsize i = 0; i < lab_n_sources; i++) {
        struct lab_field kind = {.name = lab_sources[i].name};
        check_table(lab_sources[i].fields, lab_sources[i].n_fields);
        check_page(&kind, 1, page);
        check_page(lab_sources[i].fields, lab_sources[i].n_fields, page);
    }
    g_free(page);
}

static void test_lists_of_numbers_are_read_whole_or_not_at_all(void)
{
    const struct lab_field seconds = {.kind = LAB_FIELD_SCALED, .scale = 1e9, .max = 10};
    GError *error = NULL;
    struct lab_place file = {
        .name = "f", .node = json_loads("[1, 0.5, 11]", 0, NULL), .error = &error};
    gint64 *values = NULL;
    gsize n = 0;
    g_assert_false(lab_numbers_read(&seconds, &file, &values, &n));
    g_assert_cmpstr(error->message, ==, "f: 2 = 11: must be a number from 0 to 10");
    g_assert_null(values);
    g_clear_error(&error);
    json_array_remove(file.node, 2);
    g_assert_true(lab_numbers_read(&seconds, &file, &values, &n));
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpint(values[1], ==, 500000000);
    g_free(values);
    json_decref(file.node);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_fields/what_is_not_said_has_its_default",
                    test_what_is_not_said_has_its_default);
    g_test_add_func("/scenario_fields/numbers_are_scaled_and_rounded_half_up",
                    test_numbers_are_scaled_and_rounded_half_up);
    g_test_add_func("/scenario_fields/values_outside_are_refused_with_what_is_allowed",
                    test_values_outside_are_refused_with_what_is_allowed);
    g_test_add_func("/scenario_fields/names_fit_into_tables_of_commas",
                    test_names_fit_into_tables_of_commas);
    g_test_add_func("/scenario_fields/what_is_required_is_missed", test_what_is_required_is_missed);
    g_test_add_func("/scenario_fields/a_number_is_a_switch", test_a_number_is_a_switch);
    g_test_add_func("/scenario_fields/tables_are_sound_and_documented",
                    test_tables_are_sound_and_documented);
    g_test_add_func("/scenario_fields/lists_of_numbers_are_read_whole_or_not_at_all",
                    test_lists_of_numbers_are_read_whole_or_not_at_all);
    return g_test_run();
}
