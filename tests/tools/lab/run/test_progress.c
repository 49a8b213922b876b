/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/progress.h"
#include "test.h"

static char *written(FILE *file)
{
    char buffer[4096];
    rewind(file);
    size_t n = fread(buffer, 1, sizeof buffer - 1, file);
    fclose(file);
    buffer[n] = '\0';
    return g_strdup(buffer);
}

/* A hundred updates in each of three seconds. */
static char *three_seconds(gboolean terminal)
{
    FILE *file = tmpfile();
    struct lab_progress progress;
    g_assert_nonnull(file);
    lab_progress_init(&progress, file, terminal, 0);
    for (int64_t i = 1; i <= 300; i++) {
        lab_progress_update(&progress, i * 10000, i * INT64_C(100000000), INT64_C(120000000000),
                            (uint64_t)i * 20000);
    }
    lab_progress_finish(&progress);
    return written(file);
}

static void test_there_is_one_line_per_second(void)
{
    char *text = three_seconds(FALSE);
    g_assert_cmpstr(text, ==,
                    "10.0 of 120 s (8 %), 2.00 M events/s\n20.0 of 120 s (17 %), 2.00 M events/s\n"
                    "30.0 of 120 s (25 %), 2.00 M events/s\n");
    g_free(text);
}

static void test_a_terminal_keeps_nothing(void)
{
    char *text = three_seconds(TRUE);
    g_assert_null(strchr(text, '\n'));
    g_assert_true(g_str_has_suffix(text, "\r\033[K"));
    g_free(text);
}

static void test_short_and_silent_runs_write_nothing(void)
{
    FILE *file = tmpfile();
    struct lab_progress progress;
    lab_progress_init(&progress, file, TRUE, 0);
    lab_progress_update(&progress, 999999, 1, 2, 3);
    lab_progress_finish(&progress);
    char *text = written(file);
    g_assert_cmpstr(text, ==, "");
    g_free(text);
    lab_progress_init(&progress, NULL, FALSE, 0);
    lab_progress_update(&progress, 5000000, 1, 2, 3);
    lab_progress_finish(&progress);
    g_assert_false(progress.shown);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/progress/there_is_one_line_per_second", test_there_is_one_line_per_second);
    g_test_add_func("/progress/a_terminal_keeps_nothing", test_a_terminal_keeps_nothing);
    g_test_add_func("/progress/short_and_silent_runs_write_nothing",
                    test_short_and_silent_runs_write_nothing);
    return g_test_run();
}
