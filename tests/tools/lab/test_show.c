/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command_trap.h"

static void test_a_scenario_is_shown_resolved(void)
{
    command_run(lab_show_main, WORDS("show", "call", "--set", "vars.capacity_bps=123456"),
                LAB_EXIT_OK);
    g_test_trap_assert_stdout("{*123456*}\n");
    g_test_trap_assert_stderr("");
}

static void test_an_unknown_scenario_is_refused(void)
{
    command_run(lab_show_main, WORDS("show", "nonsense"), LAB_EXIT_WRONG);
    g_test_trap_assert_stdout("");
    g_test_trap_assert_stderr("weir-lab: *nonsense*\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/show/a_scenario_is_shown_resolved", test_a_scenario_is_shown_resolved);
    g_test_add_func("/show/an_unknown_scenario_is_refused", test_an_unknown_scenario_is_refused);
    return g_test_run();
}
