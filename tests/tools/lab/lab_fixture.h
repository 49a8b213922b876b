/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the lab share: scenarios from texts, runs, temporary directories. */
#ifndef WEIR_TESTS_LAB_FIXTURE_H
#define WEIR_TESTS_LAB_FIXTURE_H

#include "run/simulate.h"
#include "scenario/scenario.h"
#include "test.h"
#include "weir/units.h"
#include <glib/gstdio.h>

/* A call, a download, on-off traffic and speech with losses, both ways. */
#define FIXTURE_FLOWS                                                                              \
    "\"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\", \"capacity_bps\": 1000000,"     \
    " \"delay_ms\": 20, \"queue\": {\"packets\": 20}, \"loss\": {\"model\": \"bernoulli\","        \
    " \"p\": 0.01}}],"                                                                             \
    "\"flows\": [{\"name\": \"call\", \"from\": \"A\", \"to\": \"B\", \"tested\": true,"           \
    " \"source\": {\"kind\": \"encoder\"}},"                                                       \
    "{\"name\": \"tcp\", \"count\": 2, \"from\": \"B\", \"to\": \"A\","                            \
    " \"algorithm\": \"tcp-sack\"},"                                                               \
    "{\"name\": \"file\", \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"tcp-reno\","            \
    " \"source\": {\"kind\": \"finite\", \"bytes\": 30000}},"                                      \
    "{\"name\": \"speech\", \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"udp\","               \
    " \"source\": {\"kind\": \"voip\"}}]"
#define FIXTURE                                                                                    \
    "{\"duration_s\": 10, \"measure\": {\"from_s\": 2, \"bin_s\": 0.5}, " FIXTURE_FLOWS "}"

static inline struct lab_scenario *fixture_scenario(const char *json, uint64_t seed)
{
    GError *error = NULL;
    char *path = NULL;
    int file = g_file_open_tmp("weir-lab-XXXXXX.json", &path, &error);
    g_assert_no_error(error);
    g_assert_true(g_close(file, &error));
    g_assert_true(g_file_set_contents(path, json, -1, &error));
    g_autofree char *digits = g_strdup_printf("%" G_GUINT64_FORMAT, seed);
    const struct lab_overrides overrides = {.seed = digits};
    struct lab_scenario *scenario = lab_scenario_load(path, &overrides, &error);
    g_assert_no_error(error);
    g_unlink(path);
    g_free(path);
    return scenario;
}

/* Runs until the end; run->figures is there. */
static inline void fixture_run(struct lab_run *run, const struct lab_scenario *scenario,
                               struct lab_series *series)
{
    struct lab_progress silent;
    GError *error = NULL;
    const volatile sig_atomic_t never = 0;
    lab_progress_init(&silent, NULL, FALSE, 0);
    g_assert_true(lab_run_init(run, scenario, &error));
    g_assert_no_error(error);
    lab_run_simulate(run, series, &silent, &never);
}

static inline char *fixture_directory(void)
{
    char *directory = g_dir_make_tmp("weir-lab-XXXXXX", NULL);
    g_assert_nonnull(directory);
    return directory;
}

/* With the files in it. Frees the name. */
static inline void fixture_remove(char *directory)
{
    GDir *dir = g_dir_open(directory, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir)) != NULL) {
        char *path = g_build_filename(directory, name, NULL);
        g_unlink(path);
        g_free(path);
    }
    if (dir) {
        g_dir_close(dir);
    }
    g_rmdir(directory);
    g_free(directory);
}

static inline char *fixture_file(const char *directory, const char *name)
{
    char *path = g_build_filename(directory, name, NULL);
    char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_free(path);
    return text;
}

static inline json_t *fixture_json(const char *text)
{
    json_t *node = json_loads(text, 0, NULL);
    g_assert_nonnull(node);
    return node;
}

#endif
