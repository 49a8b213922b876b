/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-lab show: what a scenario is when all is resolved. */
#include "command.h"
#include "scenario/scenario.h"

static const char summary[] =
    "Reads a scenario, checks it, and prints it as JSON with base, profiles and variables resolved"
    "\nand every copy of a flow or link spelled out: what a run would run. Nothing is simulated.";
static const char description[] = "Examples:\n"
                                  "  weir-lab show call\n"
                                  "  weir-lab show my.json --set vars.N=40";

static gboolean show(const struct lab_scenario_options *options, char *const *operands,
                     GError **error)
{
    struct lab_scenario *scenario = lab_command_load(options, operands, error);
    if (!scenario) {
        return FALSE;
    }
    g_autofree char *text = lab_scenario_text(scenario);
    lab_command_print(text);
    lab_scenario_free(scenario);
    return TRUE;
}

int lab_show_main(int argc, char **argv)
{
    struct lab_scenario_options options = {.algorithm = NULL};
    g_auto(GStrv) operands = NULL;
    gboolean json = FALSE;
    GError *error = NULL;
    const GOptionEntry entries[] = {{"json", 'j', 0, G_OPTION_ARG_NONE, &json,
                                     "It is always JSON; accepted for symmetry", NULL},
                                    G_OPTION_ENTRY_NULL};
    gboolean good = lab_command_parse(argc, argv, "SCENARIO", summary, description, entries,
                                      &options, &operands, &error) &&
                    show(&options, operands, &error);
    lab_scenario_options_clear(&options);
    return good ? LAB_EXIT_OK : lab_command_fail(error, LAB_EXIT_WRONG);
}
