/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program itself; WEIR_LAB says where it is. */
#include "test.h"
#include <sys/wait.h>

static void check(const char *word, int status, const char *out, const char *err)
{
    const char *argv[] = {g_getenv("WEIR_LAB"), word, NULL};
    char *out_text = NULL, *err_text = NULL;
    int wait_status = 0;
    GError *error = NULL;
    g_assert_nonnull(argv[0]);
    g_spawn_sync(NULL, (char **)(guintptr)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out_text,
                 &err_text, &wait_status, &error);
    g_assert_no_error(error);
    g_assert_true(WIFEXITED(wait_status));
    g_assert_cmpint(WEXITSTATUS(wait_status), ==, status);
    g_assert_true(g_pattern_match_simple(out, out_text));
    g_assert_true(g_pattern_match_simple(err, err_text));
    g_free(out_text);
    g_free(err_text);
}

static void test_help_names_every_command(void)
{
    check("--help", 0, "Usage: weir-lab*run *show *list *bench *", "");
}

static void test_the_version_is_told(void)
{
    check("--version", 0, "weir-lab *.*\n", "");
}

static void test_what_is_no_command_is_refused(void)
{
    check("nonsense", 2, "", "weir-lab: no command 'nonsense'; there are: run, show, *\n");
    check(NULL, 2, "", "weir-lab: which command? *\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/main/help_names_every_command", test_help_names_every_command);
    g_test_add_func("/main/the_version_is_told", test_the_version_is_told);
    g_test_add_func("/main/what_is_no_command_is_refused", test_what_is_no_command_is_refused);
    return g_test_run();
}
