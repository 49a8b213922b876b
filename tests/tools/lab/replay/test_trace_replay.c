/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _POSIX_C_SOURCE 200809L /* symlink() */
#include "replay/trace_replay.h"
#include "tools/lab/trace_life.h"
#include <unistd.h>

static gboolean run(const char *path, const char *algorithm, const char *const *params,
                    struct lab_replay_result *result, GError **error)
{
    struct lab_replay_options options = {
        .location = path, .algorithm = algorithm, .params = params};
    return lab_replay_run(&options, result, error);
}

/* Through a file, for every algorithm. */
static void test_the_recorded_algorithm_answers_as_it_did(void)
{
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        GString *text = life_lines(weir_algorithm_name(i));
        char *path = life_file(text->str, -1);
        struct lab_replay_result result;
        GError *error = NULL;
        g_assert_true(run(path, NULL, NULL, &result, &error));
        g_assert_no_error(error);
        g_assert_cmpstr(result.algorithm, ==, weir_algorithm_name(i));
        g_assert_true(result.is_compared);
        g_assert_cmpint(result.decisions, >, 0);
        g_assert_cmpint(result.differences, ==, 0);
        g_assert_cmpint(result.first_difference_ns, ==, WEIR_UNKNOWN_NS);
        g_assert_true(result.recorded_bps > 0 && result.recorded_bps == result.replayed_bps);
        lab_replay_result_clear(&result);
        g_string_free(text, TRUE);
        life_remove(path);
    }
}

/* Replaces the first `from` behind the middle of the text. */
static void change(GString *text, const char *from, const char *to)
{
    char *at = strstr(text->str + text->len / 2, from);
    g_assert_nonnull(at);
    gssize place = at - text->str;
    g_string_erase(text, place, (gssize)strlen(from));
    g_string_insert(text, place, to);
}

static void test_a_difference_is_found_and_placed(void)
{
    GString *text = life_lines("tfrc");
    struct lab_replay_result result;
    change(text, "\"status\":\"lost\"", "\"status\":\"received\"");
    char *path = life_file(text->str, -1);
    g_assert_true(run(path, NULL, NULL, &result, NULL));
    g_assert_cmpint(result.differences, >, 0);
    g_assert_cmpint(result.first_difference_ns, >, 0);
    g_assert_cmpint(result.first_difference_ns, <, result.duration_ns);
    lab_replay_result_clear(&result);
    g_string_free(text, TRUE);
    life_remove(path);
}

static void test_another_algorithm_is_told_the_same(void)
{
    const char *const params[] = {"rate-bps=123456", NULL};
    GString *text = life_lines("tfrc");
    char *path = life_file(text->str, -1);
    struct lab_replay_result result;
    g_assert_true(run(path, "fixed", params, &result, NULL));
    g_assert_cmpstr(result.recorded_algorithm, ==, "tfrc");
    g_assert_cmpstr(result.algorithm, ==, "fixed");
    g_assert_false(result.is_compared);
    g_assert_true(result.replayed_bps > 123455.9 && result.replayed_bps < 123456.1);
    lab_replay_result_clear(&result);
    g_string_free(text, TRUE);
    life_remove(path);
}

/* Cut at any place of a line, or between records that belong together: never taken for a result. */
static void test_a_trace_that_is_cut_is_refused(void)
{
    GString *text = life_lines("tfrc");
    const char *head = strstr(text->str, "\"feedback\"");
    const char *after = strchr(head, '\n') + 1;
    gssize cuts[] = {1, 40, head - text->str, after - text->str, (gssize)text->len - 1};
    for (size_t i = 0; i < G_N_ELEMENTS(cuts); i++) {
        struct lab_replay_result result;
        GError *error = NULL;
        char *path = life_file(text->str, cuts[i]);
        g_assert_false(run(path, NULL, NULL, &result, &error));
        g_test_message("%s", error->message);
        g_assert_nonnull(strstr(error->message, "trace.jsonl, line "));
        g_error_free(error);
        lab_replay_result_clear(&result);
        life_remove(path);
    }
    g_string_free(text, TRUE);
}

/* Lines are counted where they are numbered: never taken for another algorithm. */
static void test_a_trace_without_a_sent_line_is_refused(void)
{
    GString *text = life_lines("tfrc");
    char *line = strstr(text->str, "{\"kind\":\"sent\"");
    for (int i = 0; i < 100; i++) {
        line = strstr(line + 1, "{\"kind\":\"sent\"");
    }
    g_string_erase(text, line - text->str, strchr(line, '\n') + 1 - line);
    char *path = life_file(text->str, -1);
    struct lab_replay_result result;
    GError *error = NULL;
    g_assert_false(run(path, NULL, NULL, &result, &error));
    g_assert_nonnull(strstr(error->message, "trace.jsonl, line "));
    g_assert_nonnull(strstr(error->message, "lines are missing or out of order"));
    g_error_free(error);
    lab_replay_result_clear(&result);
    g_string_free(text, TRUE);
    life_remove(path);
}

static void test_a_trace_of_nothing_has_no_line(void)
{
    char *path = life_file("", -1);
    char *message = g_strconcat(path, ": the trace ends before it has begun", NULL);
    struct lab_replay_result result;
    GError *error = NULL;
    g_assert_false(run(path, NULL, NULL, &result, &error));
    g_assert_cmpstr(error->message, ==, message);
    g_error_free(error);
    lab_replay_result_clear(&result);
    g_free(message);
    life_remove(path);
}

static void test_what_is_wrong_is_said_in_one_line(void)
{
    static const struct {
        const char *algorithm;
        const char *param;
        const char *from, *to; /* in the trace */
        const char *says;
    } cases[] = {
        {"tfrk", NULL, NULL, NULL, "--algorithm tfrk: there is no such algorithm; there are "},
        {NULL, "a=1", NULL, NULL, "--param needs --algorithm"},
        {"fixed", "rate-bps", NULL, NULL, "--param rate-bps: must be NAME=VALUE"},
        {"fixed", "speed=1", NULL, NULL, "--param speed=1: "},
        {"tfrc", "speed=1", NULL, NULL, "self-clocked-multiplier, veno"},
        {"fixed", "rate-bps=-4", NULL, NULL, "--param rate-bps=-4: "},
        {NULL, NULL, "\"kind\":\"sent\"", "\"kind\":\"packet\"", "line "},
        {NULL, NULL, "\"n_packets\":8", "\"n_packets\":9", "cannot stand here"},
        {NULL, NULL, "\"n_packets\":8", "\"n_packets\":900", "cannot stand here"},
    };
    GString *text = life_lines("tfrc");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *const params[] = {cases[i].param, NULL};
        GString *changed = g_string_new(text->str);
        struct lab_replay_result result;
        GError *error = NULL;
        if (cases[i].from) {
            change(changed, cases[i].from, cases[i].to);
        }
        char *path = life_file(changed->str, -1);
        g_assert_false(run(path, cases[i].algorithm, params, &result, &error));
        g_test_message("%s", error->message);
        g_assert_nonnull(strstr(error->message, cases[i].says));
        g_assert_null(strchr(error->message, '\n'));
        g_error_free(error);
        lab_replay_result_clear(&result);
        g_string_free(changed, TRUE);
        life_remove(path);
    }
    g_string_free(text, TRUE);
}

/* Both rates over time, from the first answer on. */
static void test_the_rates_over_time_are_written(void)
{
    GString *text = life_lines("tfrc");
    char *path = life_file(text->str, -1);
    char *directory = g_path_get_dirname(path);
    char *csv = g_build_filename(directory, "replay.csv", NULL);
    struct lab_replay_options options = {.location = path, .out = directory};
    struct lab_replay_result result;
    char *rows = NULL;
    g_assert_true(lab_replay_run(&options, &result, NULL));
    g_assert_true(g_file_get_contents(csv, &rows, NULL, NULL));
    g_assert_true(g_str_has_prefix(rows, "time_s,recorded_bps,replayed_bps\n"));
    char **lines = g_strsplit(rows, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), >, 10);
    g_strfreev(lines);
    g_free(rows);
    g_assert_cmpint(g_unlink(csv), ==, 0);
    g_assert_cmpint(symlink("/dev/full", csv), ==, 0);
    lab_replay_result_clear(&result);
    GError *error = NULL;
    g_assert_false(lab_replay_run(&options, &result, &error));
    g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_IO);
    g_clear_error(&error);
    options.out = "/proc/nowhere";
    lab_replay_result_clear(&result);
    g_assert_false(lab_replay_run(&options, &result, &error));
    g_assert_nonnull(strstr(error->message, "--out /proc/nowhere"));
    g_error_free(error);
    lab_replay_result_clear(&result);
    g_free(csv);
    g_free(directory);
    g_string_free(text, TRUE);
    life_remove(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace_replay/the_recorded_algorithm_answers_as_it_did",
                    test_the_recorded_algorithm_answers_as_it_did);
    g_test_add_func("/trace_replay/a_difference_is_found_and_placed",
                    test_a_difference_is_found_and_placed);
    g_test_add_func("/trace_replay/another_algorithm_is_told_the_same",
                    test_another_algorithm_is_told_the_same);
    g_test_add_func("/trace_replay/a_trace_that_is_cut_is_refused",
                    test_a_trace_that_is_cut_is_refused);
    g_test_add_func("/trace_replay/a_trace_without_a_sent_line_is_refused",
                    test_a_trace_without_a_sent_line_is_refused);
    g_test_add_func("/trace_replay/a_trace_of_nothing_has_no_line",
                    test_a_trace_of_nothing_has_no_line);
    g_test_add_func("/trace_replay/what_is_wrong_is_said_in_one_line",
                    test_what_is_wrong_is_said_in_one_line);
    g_test_add_func("/trace_replay/the_rates_over_time_are_written",
                    test_the_rates_over_time_are_written);
    return g_test_run();
}
