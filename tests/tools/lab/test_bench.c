/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command_trap.h"

static void test_arguments_are_refused_before_anything_runs(void)
{
    command_run(lab_bench_main, WORDS("bench", "fast"), LAB_EXIT_WRONG);
    g_test_trap_assert_stdout("");
    g_test_trap_assert_stderr("weir-lab: bench takes no arguments\n");
}

static void test_its_scenarios_can_be_read(void)
{
    command_run(lab_show_main,
                WORDS("show", "bench.flows", "--set", "vars.N=2", "--set", "vars.algorithm=tfrc"),
                LAB_EXIT_OK);
    g_test_trap_assert_stdout("*1000000*");
}

static void test_its_reference_is_the_one_that_is_documented(void)
{
    command_run(lab_show_main, WORDS("show", "bench.reference"), LAB_EXIT_OK);
    g_test_trap_assert_stdout("*10000000*208*forward.20*reverse.10*");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/bench/arguments_are_refused_before_anything_runs",
                    test_arguments_are_refused_before_anything_runs);
    g_test_add_func("/bench/its_scenarios_can_be_read", test_its_scenarios_can_be_read);
    g_test_add_func("/bench/its_reference_is_the_one_that_is_documented",
                    test_its_reference_is_the_one_that_is_documented);
    return g_test_run();
}
