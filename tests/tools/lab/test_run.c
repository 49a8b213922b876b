/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command_trap.h"

static void test_a_scenario_becomes_a_table(void)
{
    command_run(lab_run_main, WORDS("run", "call", "--duration", "2"), LAB_EXIT_OK);
    g_test_trap_assert_stdout("call, seed 1, *\ncall *\ndownload *\nbottleneck.reverse *");
    g_test_trap_assert_stderr("");
}

static void test_json_is_one_object(void)
{
    command_run(lab_run_main,
                WORDS("run", "call", "-d", "2", "-s", "5", "--json", "--no-wall-time"),
                LAB_EXIT_OK);
    g_test_trap_assert_stdout("{\n*\"seed\": 5,\n  \"complete\": true,*\"wall_s\": 0\n}\n");
}

static void test_a_directory_that_cannot_be_is_refused(void)
{
    command_run(lab_run_main, WORDS("run", "call", "-d", "2", "--out", "/dev/null/x"),
                LAB_EXIT_WRONG);
    g_test_trap_assert_stdout("");
    g_test_trap_assert_stderr("weir-lab: *'/dev/null/x'*\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/run/a_scenario_becomes_a_table", test_a_scenario_becomes_a_table);
    g_test_add_func("/run/json_is_one_object", test_json_is_one_object);
    g_test_add_func("/run/a_directory_that_cannot_be_is_refused",
                    test_a_directory_that_cannot_be_is_refused);
    return g_test_run();
}
