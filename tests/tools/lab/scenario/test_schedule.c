/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/schedule.h"
#include "test.h"
#include <stdlib.h>

/* Of the steps that the JSON says; NULL and *error otherwise. Free with g_free. */
static struct weir__schedule_step *read_steps(const char *rate_name, const char *json, gsize *n,
                                              GError **error)
{
    struct lab_place file = {.name = "f", .node = json_loads(json, 0, NULL), .error = error};
    struct weir__schedule_step *steps = NULL;
    gboolean good = lab_schedule_read(rate_name, &file, &steps, n);
    g_assert_true(good == (steps != NULL));
    json_decref(file.node);
    return steps;
}

static void test_steps_are_read_in_the_librarys_units(void)
{
    gsize n = 0;
    struct weir__schedule_step *steps = read_steps(
        "rate_bps", "[{\"at_s\": 0, \"rate_bps\": 0}, {\"at_s\": 0.5, \"rate_bps\": 1e6}]", &n,
        NULL);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpint(steps[0].rate_bps, ==, 0);
    g_assert_cmpint(steps[1].at_ns, ==, 500000000);
    g_assert_cmpint(steps[1].rate_bps, ==, 1000000);
    g_free(steps);
}

static void test_delays_are_read_in_milliseconds(void)
{
    GError *error = NULL;
    gsize n = 0;
    struct weir__schedule_step *steps =
        read_steps("delay_ms", "[{\"at_s\": 20, \"delay_ms\": 90.5}]", &n, NULL);
    g_assert_cmpuint(n, ==, 1);
    g_assert_cmpint(steps[0].delay_ns, ==, 90500000);
    g_free(steps);
    g_assert_null(read_steps("delay_ms", "[{\"at_s\": 20, \"delay_ms\": 3600001}]", &n, &error));
    g_assert_cmpstr(error->message, ==,
                    "f: 0.delay_ms = 3600001: must be a number from 0 to 3600000");
    g_error_free(error);
}

static void test_what_is_no_schedule_is_an_error(void)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"[]", "f: must have 1 to 100000 steps"},
        {"5", "f: must be a list of {\"at_s\": ..., \"rate_bps\": ...} or {\"file\": NAME}"},
        {"[5]", "f: 0 = 5: must be an object, {...}"},
        {"[{\"at_s\": 1, \"rate_bps\": -1}]",
         "f: 0.rate_bps = -1: must be a number from 0 to 1000000000000"},
        {"[{\"at_s\": 1, \"rate_bps\": 1}, {\"at_s\": 0, \"rate_bps\": 1}]",
         "f: 1.at_s = 0: must be later than that of the step before"},
        {"[{\"at_s\": 1, \"capacity_bps\": 1}]", NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        gsize n = 0;
        GError *error = NULL;
        g_assert_null(read_steps("rate_bps", cases[i].json, &n, &error));
        if (cases[i].message != NULL) {
            g_assert_cmpstr(error->message, ==, cases[i].message);
        }
        g_error_free(error);
    }
}

static void test_lines_become_steps(void)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"0 5\n1.5\t6e3  \r\n", "[{\"at_s\":0,\"x\":5},{\"at_s\":1.5,\"x\":6000}]"},
        {"# a\n\n  0 5", "[{\"at_s\":0,\"x\":5}]"},
        {"", "[]"},
        {"0", NULL},
        {"0 5 6", NULL},
        {"a 5", NULL},
        {"0,5", NULL},
        {"0 inf", NULL},
        {"0 0x10", NULL},
        {"1e999 1", NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        struct lab_place file = {.name = "f", .error = &error};
        g_test_message("%s", cases[i].text);
        json_t *node = lab_schedule_from_text(cases[i].text, "x", &file);
        if (cases[i].json == NULL) {
            g_assert_null(node);
            g_assert_cmpstr(error->message, ==, "f: line 1 must be SECONDS BIT_PER_S");
            g_error_free(error);
        } else {
            char *json = json_dumps(node, JSON_COMPACT);
            g_assert_cmpstr(json, ==, cases[i].json);
            free(json);
            json_decref(node);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_schedule/steps_are_read_in_the_librarys_units",
                    test_steps_are_read_in_the_librarys_units);
    g_test_add_func("/scenario_schedule/delays_are_read_in_milliseconds",
                    test_delays_are_read_in_milliseconds);
    g_test_add_func("/scenario_schedule/what_is_no_schedule_is_an_error",
                    test_what_is_no_schedule_is_an_error);
    g_test_add_func("/scenario_schedule/lines_become_steps", test_lines_become_steps);
    return g_test_run();
}
