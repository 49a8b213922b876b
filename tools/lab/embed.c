/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "embed.h"
#include "run/result.h"
#include "run/simulate.h"
#include "scenario/error.h"
#include "scenario/scenario.h"

static volatile sig_atomic_t stopped;

void weir_lab_stop(void)
{
    stopped = 1;
}

void weir_lab_free(char *text)
{
    g_free(text);
}

static struct lab_scenario *load(const struct weir_lab_run *wanted, GError **error)
{
    struct lab_overrides overrides = {.algorithm = wanted->algorithm,
                                      .params = wanted->params,
                                      .sets = wanted->sets,
                                      .seed = wanted->seed,
                                      .duration_s = wanted->duration_s};
    return lab_scenario_load(wanted->scenario, &overrides, error);
}

static char *simulate(const struct lab_scenario *scenario, const struct weir_lab_run *wanted,
                      GError **error)
{
    struct lab_run run = {.scenario = NULL};
    struct lab_series *series = NULL;
    struct lab_progress silent;
    char *result = NULL;
    gboolean good = lab_recorder_check(scenario, wanted->out != NULL, error) &&
                    lab_run_init(&run, scenario, error);
    if (good && wanted->out) {
        series = lab_series_create(wanted->out, scenario, wanted->variables, error);
        good = series != NULL;
    }
    if (good) {
        lab_progress_init(&silent, NULL, FALSE, 0);
        lab_run_simulate(&run, series, &silent, &stopped);
        run.figures->wall_s = 0.0;
        result = lab_result_json(run.figures);
        good = !series || lab_series_finish(series, result, error);
    }
    lab_run_finish(&run);
    lab_series_destroy(series);
    if (!good) {
        g_clear_pointer(&result, g_free);
    }
    return result;
}

char *weir_lab_simulate(const struct weir_lab_run *run, char **wrong)
{
    GError *error = NULL;
    char *result = NULL;
    stopped = 0;
    struct lab_scenario *scenario = load(run, &error);
    if (scenario) {
        result = simulate(scenario, run, &error);
        lab_scenario_free(scenario);
    }
    *wrong = error ? g_strdup(error->message) : NULL;
    g_clear_error(&error);
    return result;
}
