/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-lab run: simulates a scenario and prints what came out. */
#include "answers.h"
#include "command.h"
#include "run/pcap.h"
#include "run/result.h"
#include "run/simulate.h"
#include "run/table.h"
#include "scenario/error.h"
#include <string.h>
#include <unistd.h>

static const char summary[] = "Simulates a scenario in virtual time and prints what came out: "
                              "rates, losses, delays, smoothness"
                              "\nand fairness of the flows, use and queues of the links. The same "
                              "scenario, seed and version give"
                              "\nthe same output, byte for byte, on every machine.";
static const char description[] =
    "SCENARIO is a file, or the name of an installed one (weir-lab list scenarios).\n"
    "\n"
    "Examples:\n"
    "  weir-lab run call                                 a call and a download share 2 Mbit/s\n"
    "  weir-lab run call -a tfrc -p profile=rfc3448      with another algorithm\n"
    "  weir-lab run call --set links.bottleneck.capacity_bps=500000 --json\n"
    "  weir-lab run my.json --out run1                   time series as CSV in run1/\n"
    "\n"
    "Ctrl-C ends a run early: what was simulated until then is printed (\"complete\": false).\n"
    "Exit status: 0; 1 the run failed; 2 wrong command line or scenario; 130 after Ctrl-C.";

struct run_options {
    struct lab_scenario_options scenario;
    char *out;
    char *pcap;
    char **variables;
    gboolean json;
    gboolean no_wall_time;
    gboolean progress;
};

/* What a signal may touch. */
static volatile sig_atomic_t stopped;

/* The second one ends the program at once. */
static void on_signal(int number)
{
    stopped = 1;
    signal(number, SIG_DFL);
}

static gboolean deliver(const struct lab_run *run, struct lab_series *series, gboolean json,
                        GError **error)
{
    g_autofree char *result = lab_result_json(run->figures);
    g_autofree char *table = json ? NULL : lab_result_table(run->figures);
    gboolean good = !series || lab_series_finish(series, result, error);
    if (good) {
        lab_command_print(json ? result : table);
    }
    return good;
}

static int simulate(struct lab_run *run, struct lab_series *series, struct lab_pcap *pcap,
                    const struct run_options *options)
{
    struct lab_progress progress;
    GError *error = NULL;
    gboolean terminal = isatty(STDERR_FILENO) == 1;
    lab_progress_init(&progress, options->progress || terminal ? stderr : NULL, terminal,
                      g_get_monotonic_time());
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    struct lab_answers *answers = lab_answers_watch(run->world, run->scenario, &stopped);
    lab_run_simulate(run, series, &progress, &stopped);
    if (options->no_wall_time) {
        run->figures->wall_s = 0.0;
    }
    gboolean good = lab_pcap_finish(pcap, &error) && lab_answers_check(answers, &error) &&
                    deliver(run, series, options->json, &error);
    lab_answers_free(answers);
    if (!good) {
        return lab_command_fail(error, LAB_EXIT_FAILED);
    }
    return run->figures->complete ? LAB_EXIT_OK : LAB_EXIT_STOPPED;
}

static gboolean has_variable(struct lab_world *world, guint n_flows, const char *name)
{
    for (guint i = 0; i < n_flows; i++) {
        struct lab_variables variables;
        lab_world_get_variables(world, i, &variables);
        for (size_t k = 0; k < variables.n; k++) {
            if (strcmp(variables.all[k].name, name) == 0) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

static gboolean check_variables(const struct lab_run *run, const struct run_options *options,
                                GError **error)
{
    for (gsize i = 0; options->variables && options->variables[i]; i++) {
        const char *name = options->variables[i];
        if (!options->out) {
            g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT,
                        "--variable %s: it is a column of flows.csv; --out says where", name);
            return FALSE;
        }
        if (!has_variable(run->world, run->scenario->n_flows, name)) {
            g_set_error(
                error, LAB_ERROR, LAB_ERROR_INPUT,
                "--variable %s: no algorithm of the scenario has it (its flows' \"variables\" "
                "in the result are what there is)",
                name);
            return FALSE;
        }
    }
    return TRUE;
}

static int run_scenario(const struct lab_scenario *scenario, const struct run_options *options)
{
    struct lab_run run = {.scenario = NULL};
    struct lab_series *series = NULL;
    struct lab_pcap *pcap = NULL;
    GError *error = NULL;
    int status = LAB_EXIT_WRONG;
    gboolean good = lab_recorder_check(scenario, options->out != NULL, &error) &&
                    lab_run_init(&run, scenario, &error) && check_variables(&run, options, &error);
    if (good && options->out) {
        series = lab_series_create(options->out, scenario, (const char *const *)options->variables,
                                   &error);
        good = series != NULL;
    }
    if (good && options->pcap) {
        pcap = lab_pcap_create(options->pcap, scenario, run.world, LAB_PCAP_MOST_BYTES, &stopped,
                               &error);
        good = pcap != NULL;
    }
    if (good) {
        status = simulate(&run, series, pcap, options);
    } else {
        lab_command_fail(error, LAB_EXIT_WRONG);
    }
    lab_run_finish(&run);
    lab_series_destroy(series);
    return status;
}

static int run_operands(char *const *operands, const struct run_options *options)
{
    GError *error = NULL;
    struct lab_scenario *scenario = lab_command_load(&options->scenario, operands, &error);
    if (!scenario) {
        return lab_command_fail(error, LAB_EXIT_WRONG);
    }
    int status = run_scenario(scenario, options);
    lab_scenario_free(scenario);
    return status;
}

int lab_run_main(int argc, char **argv)
{
    struct run_options options = {.out = NULL};
    g_auto(GStrv) operands = NULL;
    GError *error = NULL;
    const GOptionEntry entries[] = {
        {"out", 'o', 0, G_OPTION_ARG_FILENAME, &options.out,
         "Write result.json, scenario.json and time series (flows.csv, links.csv) there", "DIR"},
        {"pcap", 0, 0, G_OPTION_ARG_FILENAME, &options.pcap,
         "Write the packets there, at most 1 GiB, for Wireshark", "FILE"},
        {"variable", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.variables,
         "A variable of an algorithm as another column of flows.csv; may be repeated", "NAME"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &options.json,
         "Print the result as one JSON object instead of a table", NULL},
        {"no-wall-time", 0, 0, G_OPTION_ARG_NONE, &options.no_wall_time,
         "Say 0 for the time it took: equal runs give equal bytes", NULL},
        {"progress", 0, 0, G_OPTION_ARG_NONE, &options.progress,
         "Report progress on stderr also when that is no terminal", NULL},
        G_OPTION_ENTRY_NULL};
    int status = LAB_EXIT_WRONG;
    if (lab_command_parse(argc, argv, "SCENARIO", summary, description, entries, &options.scenario,
                          &operands, &error)) {
        status = run_operands(operands, &options);
    } else {
        lab_command_fail(error, LAB_EXIT_WRONG);
    }
    g_free(options.out);
    g_free(options.pcap);
    g_strfreev(options.variables);
    lab_scenario_options_clear(&options.scenario);
    return status;
}
