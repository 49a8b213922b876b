/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command.h"
#include "lab_fixture.h"
#include "scenario/error.h"

static gboolean parse(const char *const *words, struct lab_scenario_options *options,
                      char ***operands, GError **error)
{
    const GOptionEntry none[] = {G_OPTION_ENTRY_NULL};
    char **argv = g_strdupv((char **)(guintptr)words);
    *options = (struct lab_scenario_options){.algorithm = NULL};
    gboolean good = lab_command_parse((int)g_strv_length(argv), argv, "SCENARIO", "", "", none,
                                      options, operands, error);
    g_strfreev(argv);
    return good;
}

static void test_options_and_operands_are_told_apart(void)
{
    static const char *const words[] = {"run",    "--algorithm", "tfrc", "a",     "-p",
                                        "x=1",    "--set",       "b=2",  "--set", "c=3",
                                        "--seed", "7",           "b",    NULL};
    struct lab_scenario_options options;
    char **operands = NULL;
    g_assert_true(parse(words, &options, &operands, NULL));
    g_assert_cmpstr(options.algorithm, ==, "tfrc");
    g_assert_cmpstr(options.params[0], ==, "x=1");
    g_assert_cmpstr(options.sets[1], ==, "c=3");
    g_assert_cmpstr(options.seed, ==, "7");
    g_assert_cmpuint(g_strv_length(operands), ==, 2);
    g_assert_cmpstr(operands[1], ==, "b");
    g_strfreev(operands);
    lab_scenario_options_clear(&options);
}

static void test_wrong_options_are_errors_of_one_line(void)
{
    static const char *const cases[][4] = {
        {"run", "--nonsense", NULL}, {"run", "a", "--seed", NULL}, {"run", "-x", NULL}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lab_scenario_options options;
        char **operands = NULL;
        GError *error = NULL;
        g_assert_false(parse(cases[i], &options, &operands, &error));
        g_assert_null(strchr(error->message, '\n'));
        g_clear_error(&error);
        lab_scenario_options_clear(&options);
    }
}

/* GLib would take it for the switch alone. */
static void test_a_switch_takes_no_value(void)
{
    static const struct {
        const char *word;
        gboolean good;
    } cases[] = {{"--json", TRUE},  {"--json=1", FALSE},  {"--json=", FALSE},
                 {"--out=1", TRUE}, {"--jsonx=1", FALSE}, {"json=1", TRUE}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        gboolean json = FALSE;
        char *out = NULL;
        char **operands = NULL;
        GError *error = NULL;
        const GOptionEntry entries[] = {{"json", 'j', 0, G_OPTION_ARG_NONE, &json, "", NULL},
                                        {"out", 'o', 0, G_OPTION_ARG_FILENAME, &out, "", "DIR"},
                                        G_OPTION_ENTRY_NULL};
        char *argv[] = {(char *)(guintptr) "run", (char *)(guintptr)cases[i].word, NULL};
        g_assert_true(lab_command_parse(2, argv, "", "", "", entries, NULL, &operands, &error) ==
                      cases[i].good);
        g_assert_true((error == NULL) == cases[i].good);
        g_clear_error(&error);
        g_strfreev(operands);
        g_free(out);
    }
}

/* Whatever the command thought of it. */
static void test_output_that_cannot_be_written_is_a_failure(void)
{
    GError *error = g_error_new_literal(G_FILE_ERROR, G_FILE_ERROR_IO, "full");
    g_assert_cmpint(lab_command_fail(error, LAB_EXIT_WRONG), ==, LAB_EXIT_FAILED);
    error = g_error_new_literal(LAB_ERROR, LAB_ERROR_INPUT, "wrong");
    g_assert_cmpint(lab_command_fail(error, LAB_EXIT_WRONG), ==, LAB_EXIT_WRONG);
}

static void test_seeds_and_durations_out_of_range_are_refused(void)
{
    static const char *const cases[][2] = {{"--seed=-1", "--seed"},
                                           {"--seed=1.5", "--seed"},
                                           {"--seed=9007199254740992", "--seed"},
                                           {"--seed=x", "--seed"},
                                           {"--duration=0", "--duration"},
                                           {"--duration=-3", "--duration"},
                                           {"--duration=nan", "--duration"},
                                           {"--duration=1e999", "--duration"},
                                           {"--duration=10s", "--duration"},
                                           {"--duration=", "--duration"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *const words[] = {"run", "call", cases[i][0], NULL};
        struct lab_scenario_options options;
        char **operands = NULL;
        GError *error = NULL;
        g_assert_true(parse(words, &options, &operands, NULL));
        g_assert_null(lab_command_load(&options, operands, &error));
        g_assert_true(g_str_has_prefix(error->message, cases[i][1]));
        g_clear_error(&error);
        g_strfreev(operands);
        lab_scenario_options_clear(&options);
    }
}

static void test_one_scenario_is_wanted(void)
{
    static const char *const cases[][4] = {{"run", NULL}, {"run", "a", "b", NULL}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lab_scenario_options options;
        char **operands = NULL;
        GError *error = NULL;
        g_assert_true(parse(cases[i], &options, &operands, NULL));
        g_assert_null(lab_command_load(&options, operands, &error));
        g_assert_nonnull(strstr(error->message, "one SCENARIO"));
        g_clear_error(&error);
        g_strfreev(operands);
        lab_scenario_options_clear(&options);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/command/options_and_operands_are_told_apart",
                    test_options_and_operands_are_told_apart);
    g_test_add_func("/command/wrong_options_are_errors_of_one_line",
                    test_wrong_options_are_errors_of_one_line);
    g_test_add_func("/command/a_switch_takes_no_value", test_a_switch_takes_no_value);
    g_test_add_func("/command/output_that_cannot_be_written_is_a_failure",
                    test_output_that_cannot_be_written_is_a_failure);
    g_test_add_func("/command/seeds_and_durations_out_of_range_are_refused",
                    test_seeds_and_durations_out_of_range_are_refused);
    g_test_add_func("/command/one_scenario_is_wanted", test_one_scenario_is_wanted);
    return g_test_run();
}
