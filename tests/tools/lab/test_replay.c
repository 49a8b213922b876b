/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command_trap.h"
#include "trace_life.h"

/* Runs the command on a trace of TFRC, cut after `length` bytes (-1 = whole). options: one word, or
 * NULL. */
static void replay(gssize length, const char *option, const char *value, int status)
{
    if (!g_test_subprocess()) { /* the child is given the file of its parent, which removes it */
        GString *text = life_lines("tfrc");
        char *path = life_file(text->str, length);
        g_setenv("WEIR_TEST_TRACE", path, TRUE);
        g_string_free(text, TRUE);
        g_free(path);
    }
    const char *path = g_getenv("WEIR_TEST_TRACE");
    command_run(lab_replay_main, WORDS("replay", path, option, value), status);
    life_remove(g_strdup(path));
}

static void test_the_recorded_algorithm_gives_0(void)
{
    replay(-1, NULL, NULL, LAB_EXIT_OK);
    g_test_trap_assert_stdout("tfrc: *bit for bit\n");
    g_test_trap_assert_stderr("");
}

static void test_another_algorithm_is_no_failure(void)
{
    replay(-1, "--algorithm", "fixed", LAB_EXIT_OK);
    g_test_trap_assert_stdout("tfrc: *\nfixed would have answered *\n");
}

static void test_json_is_one_object(void)
{
    replay(-1, "--json", NULL, LAB_EXIT_OK);
    g_test_trap_assert_stdout("{\n*\"differences\": 0,*}\n");
}

static void test_half_a_trace_gives_2_and_one_line(void)
{
    replay(1000, NULL, NULL, LAB_EXIT_WRONG);
    g_test_trap_assert_stdout("");
    g_test_trap_assert_stderr("weir-lab: *trace.jsonl, line *\n");
}

static void test_no_trace_is_refused(void)
{
    command_run(lab_replay_main, WORDS("replay"), LAB_EXIT_WRONG);
    g_test_trap_assert_stderr("weir-lab: one TRACE, please: *\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/replay/the_recorded_algorithm_gives_0", test_the_recorded_algorithm_gives_0);
    g_test_add_func("/replay/another_algorithm_is_no_failure",
                    test_another_algorithm_is_no_failure);
    g_test_add_func("/replay/json_is_one_object", test_json_is_one_object);
    g_test_add_func("/replay/half_a_trace_gives_2_and_one_line",
                    test_half_a_trace_gives_2_and_one_line);
    g_test_add_func("/replay/no_trace_is_refused", test_no_trace_is_refused);
    return g_test_run();
}
