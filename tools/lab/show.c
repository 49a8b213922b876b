/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-lab show: what a scenario is when all is resolved. */
#include "command.h"
#include "scenario/error.h"
#include "scenario/files.h"
#include "scenario/scenario.h"
#include "sim/network/capacity_trace.h"
#include <string.h>

static const char summary[] =
    "Reads a scenario, checks it, and prints it as JSON with base, profiles and variables resolved"
    "\nand every copy of a flow or link spelled out: what a run would run. Nothing is simulated.";
static const char description[] = "Examples:\n"
                                  "  weir-lab show call\n"
                                  "  weir-lab show my.json --set vars.N=40\n"
                                  "  weir-lab show live/cell --mahimahi bottleneck > cell.trace";

static const struct lab_link *find_link(const struct lab_scenario *scenario, const char *name,
                                        GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < scenario->n_links; i++) {
        if (strcmp(scenario->links[i]->name, name) == 0) {
            return scenario->links[i];
        }
        g_ptr_array_add(names, g_strdup(scenario->links[i]->name));
    }
    g_autofree char *list = lab_join_names(names);
    g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT,
                "--mahimahi %s: there is no such link; there are %s", name, list);
    return NULL;
}

/* The capacity of a link as a trace: its own, a period of its schedule, or as long as the
 * scenario. */
static char *trace_text(const struct lab_scenario *scenario, const char *name, GError **error)
{
    const struct lab_link *link = find_link(scenario, name, error);
    if (!link) {
        return NULL;
    }
    const struct weir__link_config *config = &link->config;
    gboolean repeats =
        config->period_ns > 0 && config->steps[0].at_ns == 0 && config->period_ns % WEIR_MS(1) == 0;
    int64_t length_ms = (repeats ? config->period_ns : scenario->duration_ns) / WEIR_MS(1);
    g_autofree int64_t *made_ms = g_new(int64_t, LAB_MOST_OPPORTUNITIES);
    const int64_t *at_ms = config->trace_ms;
    size_t n = config->n_trace;
    if (n == 0) {
        struct weir__schedule schedule;
        weir__schedule_init(&schedule, config->capacity_bps, config->steps, config->n_steps,
                            config->period_ns);
        n = weir__capacity_trace_make(&schedule, MAX(length_ms, 1), made_ms,
                                      LAB_MOST_OPPORTUNITIES);
        at_ms = made_ms;
    }
    if (n > LAB_MOST_OPPORTUNITIES) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT,
                    "--mahimahi %s: %zu opportunities in %" G_GINT64_FORMAT
                    " ms are more than the %d of a trace; a shorter --duration",
                    name, n, length_ms, LAB_MOST_OPPORTUNITIES);
        return NULL;
    }
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        g_string_append_printf(text, "%" G_GINT64_FORMAT "\n", at_ms[i]);
    }
    return g_string_free(text, FALSE);
}

static gboolean show(const struct lab_scenario_options *options, char *const *operands,
                     const char *link, GError **error)
{
    struct lab_scenario *scenario = lab_command_load(options, operands, error);
    if (!scenario) {
        return FALSE;
    }
    g_autofree char *text = link ? trace_text(scenario, link, error) : lab_scenario_text(scenario);
    if (text) {
        lab_command_print(text);
    }
    lab_scenario_free(scenario);
    return text != NULL;
}

int lab_show_main(int argc, char **argv)
{
    struct lab_scenario_options options = {.algorithm = NULL};
    g_auto(GStrv) operands = NULL;
    gboolean json = FALSE;
    g_autofree char *link = NULL;
    GError *error = NULL;
    const GOptionEntry entries[] = {{"json", 'j', 0, G_OPTION_ARG_NONE, &json,
                                     "It is always JSON; accepted for symmetry", NULL},
                                    {"mahimahi", 0, 0, G_OPTION_ARG_STRING, &link,
                                     "Instead, the capacity of a link as a Mahimahi trace", "LINK"},
                                    G_OPTION_ENTRY_NULL};
    gboolean good = lab_command_parse(argc, argv, "SCENARIO", summary, description, entries,
                                      &options, &operands, &error) &&
                    show(&options, operands, link, &error);
    lab_scenario_options_clear(&options);
    return good ? LAB_EXIT_OK : lab_command_fail(error, LAB_EXIT_WRONG);
}
