/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command_trap.h"
#include "weir/controller.h"

static void test_every_algorithm_is_listed(void)
{
    command_run(lab_list_main, WORDS("list", "algorithms"), LAB_EXIT_OK);
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        char *pattern = g_strdup_printf("*\n  %s *", weir_algorithm_name(i));
        g_test_trap_assert_stdout(pattern);
        g_free(pattern);
    }
    g_test_trap_assert_stdout("*for live media:\n  sluice *\n\nFor research and comparison:\n  *");
    g_test_trap_assert_stdout("*tcp-westwood*udp*Profiles*TFRC/RFC3448*");
}

static void test_parameters_have_ranges_and_defaults(void)
{
    command_run(lab_list_main, WORDS("list", "params", "tfrc"), LAB_EXIT_OK);
    g_test_trap_assert_stdout("tfrc (*\n  profile: *|*, default *");
    g_test_trap_assert_stdout(
        "*\n  discount-threshold: 0 .. 1, default *\n  max-interval: 0.1 .. 3600 s, default *");
}

static void test_json_is_one_object(void)
{
    command_run(lab_list_main, WORDS("list", "params", "tfrc", "--json"), LAB_EXIT_OK);
    g_test_trap_assert_stdout("{\n  \"algorithm\": \"tfrc\",*\"default\": *}\n");
}

static void test_unknown_things_are_refused(void)
{
    command_run(lab_list_main, WORDS("list", "params", "nonsense"), LAB_EXIT_WRONG);
    g_test_trap_assert_stdout("");
    g_test_trap_assert_stderr("weir-lab: *nonsense*\n");
}

static void test_nothing_is_listed_without_a_word(void)
{
    command_run(lab_list_main, WORDS("list"), LAB_EXIT_WRONG);
    g_test_trap_assert_stderr("weir-lab: list what?*\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/list/every_algorithm_is_listed", test_every_algorithm_is_listed);
    g_test_add_func("/list/parameters_have_ranges_and_defaults",
                    test_parameters_have_ranges_and_defaults);
    g_test_add_func("/list/json_is_one_object", test_json_is_one_object);
    g_test_add_func("/list/unknown_things_are_refused", test_unknown_things_are_refused);
    g_test_add_func("/list/nothing_is_listed_without_a_word",
                    test_nothing_is_listed_without_a_word);
    return g_test_run();
}
