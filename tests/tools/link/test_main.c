/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program's answers that need no rights; what it does with packets is in test_weir_link.py. */
#include "error.h"
#include "test.h"
#include <sys/wait.h>

static int run(const char *words, char **out, char **err)
{
    int status = 0;
    GError *error = NULL;
    char *line = g_strdup_printf("'%s' %s", g_getenv("WEIR_LINK"), words);
    g_assert_true(g_spawn_command_line_sync(line, out, err, &status, &error));
    g_assert_true(WIFEXITED(status));
    g_free(line);
    return WEXITSTATUS(status);
}

static void test_help_and_version(void)
{
    static const char *const words[] = {"--netns",        "--capacity",  "--queue-packets",
                                        "--help-reverse", "Exit status", "WEIR_LINK_A"};
    char *out = NULL, *err = NULL;
    g_assert_cmpint(run("--help", &out, &err), ==, 0);
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
        g_assert_nonnull(strstr(out, words[i]));
    }
    g_assert_cmpstr(err, ==, "");
    g_free(out);
    g_free(err);
    g_assert_cmpint(run("--version", &out, &err), ==, 0);
    g_assert_true(g_str_has_prefix(out, "weir-link "));
    g_free(out);
    g_free(err);
}

static void test_wrong_usage_is_one_line_and_status_2(void)
{
    static const char *const wrong[][2] = {{"--capacity x", "--capacity 'x'"},
                                           {"--fly", "--fly"},
                                           {"--schedule 3", "schedule"},
                                           {"--reverse-cross-traffic pigeon", "reverse: "},
                                           {"--queue-time 0", "queue"}};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        char *out = NULL, *err = NULL;
        g_assert_cmpint(run(wrong[i][0], &out, &err), ==, LINK_EXIT_WRONG);
        g_assert_cmpstr(out, ==, "");
        g_assert_true(g_str_has_prefix(err, "weir-link: "));
        g_assert_nonnull(strstr(err, wrong[i][1]));
        g_assert_true(strchr(err, '\n') == err + strlen(err) - 1);
        g_free(out);
        g_free(err);
    }
}

static void test_a_log_that_cannot_be_written_is_status_1(void)
{
    char *out = NULL, *err = NULL;
    g_assert_cmpint(run("--log /nonexistent/x", &out, &err), ==, LINK_EXIT_FAILED);
    g_assert_nonnull(strstr(err, "/nonexistent/x"));
    g_free(out);
    g_free(err);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link/main/help_and_version", test_help_and_version);
    g_test_add_func("/link/main/wrong_usage_is_one_line_and_status_2",
                    test_wrong_usage_is_one_line_and_status_2);
    g_test_add_func("/link/main/a_log_that_cannot_be_written_is_status_1",
                    test_a_log_that_cannot_be_written_is_status_1);
    return g_test_run();
}
