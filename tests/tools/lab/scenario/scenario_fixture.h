/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenarios as texts, for the tests of everything that reads them. */
#ifndef WEIR_TESTS_SCENARIO_FIXTURE_H
#define WEIR_TESTS_SCENARIO_FIXTURE_H

#include "scenario/scenario.h"
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

/* A link and two flows; what is tested is added by text_replace(). */
#define SMALL                                                                                      \
    "{\"duration_s\": 10, \"vars\": {\"n\": 3, \"tested\": \"tfrc\"},"                             \
    " \"links\": [{\"name\": \"b\", \"from\": \"R1\", \"to\": \"R2\", \"capacity_bps\": 1000000,"  \
    " \"delay_ms\": 20}],"                                                                         \
    " \"flows\": [{\"name\": \"call\", \"from\": \"R1\", \"to\": \"R2\", \"tested\": true,"        \
    " \"algorithm\": \"$tested\", \"source\": {\"kind\": \"cbr\", \"rate_bps\": 500000}},"         \
    " {\"name\": \"tcp\", \"from\": \"R1\", \"to\": \"R2\", \"algorithm\": \"tcp-reno\"}]}"

/* The text with the first `from` in it replaced, which must be there. Free with g_free. */
static inline char *text_replace(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    g_assert_nonnull(at);
    return g_strdup_printf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* Without waiting for the disk, as g_file_set_contents() does. */
static inline void write_file(const char *path, const char *content, gssize length)
{
    gsize n = length >= 0 ? (gsize)length : strlen(content);
    FILE *file = fopen(path, "wb");
    g_assert_nonnull(file);
    g_assert_cmpuint(fwrite(content, 1, n, file), ==, n);
    g_assert_cmpint(fclose(file), ==, 0);
}

/* A file with this content in a new folder; free the name with scenario_file_remove. */
static inline char *scenario_file(const char *content, gssize length)
{
    char *folder = g_dir_make_tmp("weir-XXXXXX", NULL);
    char *path = g_build_filename(folder, "test.json", NULL);
    write_file(path, content, length);
    g_free(folder);
    return path;
}

static inline void scenario_file_remove(char *path)
{
    char *folder = g_path_get_dirname(path);
    g_unlink(path);
    g_rmdir(folder);
    g_free(folder);
    g_free(path);
}

/* NULL and an error of one line, or a scenario. */
static inline struct lab_scenario *load_text(const char *content, gssize length,
                                             const struct lab_overrides *overrides, GError **error)
{
    char *path = scenario_file(content, length);
    struct lab_scenario *scenario = lab_scenario_load(path, overrides, error);
    scenario_file_remove(path);
    return scenario;
}

static inline struct lab_scenario *load_good(const char *content)
{
    GError *error = NULL;
    struct lab_scenario *scenario = load_text(content, -1, NULL, &error);
    g_assert_no_error(error);
    g_assert_nonnull(scenario);
    return scenario;
}

/* The message without the file's name in front. Free with g_free. */
static inline char *load_bad(const char *content, const struct lab_overrides *overrides)
{
    GError *error = NULL;
    struct lab_scenario *scenario = load_text(content, -1, overrides, &error);
    g_assert_null(scenario);
    g_assert_nonnull(error);
    g_assert_null(strchr(error->message, '\n'));
    const char *name = strstr(error->message, "test.json: ");
    char *message = g_strdup(name != NULL ? name + strlen("test.json: ") : error->message);
    g_error_free(error);
    return message;
}

/* The small scenario with one text in it replaced. */
static inline struct lab_scenario *load_with(const char *from, const char *to)
{
    char *content = text_replace(SMALL, from, to);
    struct lab_scenario *scenario = load_good(content);
    g_free(content);
    return scenario;
}

/* The same with options of the command line. */
static inline struct lab_scenario *load_overridden(const char *content,
                                                   const struct lab_overrides *overrides)
{
    GError *error = NULL;
    struct lab_scenario *scenario = load_text(content, -1, overrides, &error);
    g_assert_no_error(error);
    return scenario;
}

static inline void assert_bad(const char *content, const struct lab_overrides *overrides,
                              const char *message)
{
    char *actual = load_bad(content, overrides);
    g_assert_cmpstr(actual, ==, message);
    g_free(actual);
}

#endif
