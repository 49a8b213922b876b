/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command.h"
#include "plugins.h"
#include "scenario/error.h"
#include "scenario/scenario.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void add_scenario_entries(GOptionContext *context, struct lab_scenario_options *options)
{
    const GOptionEntry entries[] = {
        {"algorithm", 'a', 0, G_OPTION_ARG_FILENAME, &options->algorithm,
         "Algorithm (or profile) of the tested flows (weir-lab list algorithms)", "NAME"},
        {"param", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &options->params,
         "Parameter of their algorithm (weir-lab list params NAME); may be repeated", "K=V"},
        {"seed", 's', 0, G_OPTION_ARG_FILENAME, &options->seed,
         "Seed of all random draws, instead of the scenario's", "N"},
        {"duration", 'd', 0, G_OPTION_ARG_FILENAME, &options->duration,
         "Seconds to simulate, instead of the scenario's", "S"},
        {"set", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->sets,
         "Any other field: vars.N=40, links.bottleneck.delay_ms=5; may be repeated", "PATH=VALUE"},
        G_OPTION_ENTRY_NULL};
    g_option_context_add_main_entries(context, entries, NULL);
}

/* A switch takes no value, which GLib would pass over: --json=1. */
static gboolean check_switches(const GOptionEntry *entries, char *const *words, GError **error)
{
    for (; *words && strcmp(*words, "--") != 0; words++) {
        for (const GOptionEntry *entry = entries; entry->long_name; entry++) {
            gsize length = strlen(entry->long_name);
            if (entry->arg == G_OPTION_ARG_NONE && g_str_has_prefix(*words, "--") &&
                strncmp(*words + 2, entry->long_name, length) == 0 && (*words)[2 + length] == '=') {
                g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "%s: --%s takes no value", *words,
                            entry->long_name);
                return FALSE;
            }
        }
    }
    return TRUE;
}

/* argv[0] is the command's name. `options` may be NULL: the command takes no scenario. */
gboolean lab_command_parse(int argc, char **argv, const char *operands_text, const char *summary,
                           const char *description, const GOptionEntry *entries,
                           struct lab_scenario_options *options, char ***operands, GError **error)
{
    g_autofree char *name = g_strdup_printf("weir-lab %s", argv[0]);
    g_autoptr(GOptionContext) context = g_option_context_new(operands_text);
    char **plugins = NULL;
    const GOptionEntry plugin_entries[] = {{"plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &plugins,
                                            "Shared object with algorithms (docs/plugins.md), also "
                                            "of WEIR_PLUGIN_PATH; may be repeated",
                                            "FILE"},
                                           G_OPTION_ENTRY_NULL};
    char **rest = g_new0(char *, (gsize)argc + 1);
    for (int i = 0; i < argc; i++) {
        rest[i] = g_strdup(argv[i]);
    }
    g_set_prgname(name);
    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, description);
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_add_main_entries(context, plugin_entries, NULL);
    if (options) {
        add_scenario_entries(context, options);
    }
    gboolean good = check_switches(entries, rest, error) &&
                    g_option_context_parse_strv(context, &rest, error) &&
                    lab_plugins_load(plugins, error);
    g_strfreev(plugins);
    if (!good) {
        g_strfreev(rest);
        return FALSE;
    }
    *operands = g_strdupv(rest + (rest[0] ? 1 : 0));
    g_strfreev(rest);
    return TRUE;
}

/* Exactly n operands, or the sentence is the error. */
gboolean lab_command_expect(char *const *operands, guint n, const char *otherwise, GError **error)
{
    guint given = 0;
    while (operands[given]) {
        given++;
    }
    if (given != n) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "%s", otherwise);
    }
    return given == n;
}

/* NULL: none is given, 0. */
static gboolean read_duration(const char *text, double *duration_s, GError **error)
{
    char *end = NULL;
    if (!text) {
        return TRUE;
    }
    *duration_s = g_ascii_strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*duration_s) || *duration_s <= 0.0) {
        g_set_error(error, LAB_ERROR, LAB_ERROR_INPUT, "--duration %s: seconds, more than 0", text);
        return FALSE;
    }
    return TRUE;
}

/* The one scenario that the operands name, changed as the options say. NULL and *error. */
struct lab_scenario *lab_command_load(const struct lab_scenario_options *options,
                                      char *const *operands, GError **error)
{
    struct lab_overrides overrides = {.algorithm = options->algorithm,
                                      .params = (const char *const *)options->params,
                                      .sets = (const char *const *)options->sets,
                                      .seed = options->seed};
    return lab_command_expect(operands, 1,
                              "one SCENARIO, please: a file, or a name of weir-lab list scenarios",
                              error) &&
                   read_duration(options->duration, &overrides.duration_s, error)
               ? lab_scenario_load(operands[0], &overrides, error)
               : NULL;
}

/* Frees what the options hold; they are zeroed afterwards. */
void lab_scenario_options_clear(struct lab_scenario_options *options)
{
    g_free(options->algorithm);
    g_strfreev(options->params);
    g_strfreev(options->sets);
    g_free(options->seed);
    g_free(options->duration);
    *options = (struct lab_scenario_options){.algorithm = NULL};
}

/* Prints the one line on stderr, frees the error, and returns the status: LAB_EXIT_FAILED, whatever
 * is given, for G_FILE_ERROR_IO: files that could not be written whole. */
int lab_command_fail(GError *error, enum lab_exit status)
{
    if (g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_IO)) {
        status = LAB_EXIT_FAILED;
    }
    g_autofree char *line = g_strdelimit(g_strdup(error->message), "\r\n", ' ');
    fprintf(stderr, "weir-lab: %s\n", line);
    g_error_free(error);
    return (int)status;
}

/* To stdout, with what was printed before. When that does not take it, the program ends at once
 * with a line and LAB_EXIT_FAILED: nobody would see the rest. */
void lab_command_print(const char *text)
{
    errno = 0;
    if (fputs(text, stdout) == EOF || fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "weir-lab: cannot write the output%s%s\n", errno ? ": " : "",
                errno ? g_strerror(errno) : "");
        _exit(LAB_EXIT_FAILED);
    }
}

/* See the header. */
int lab_command_text(int argc, char **argv, const char *operands_text, const char *summary,
                     const char *description,
                     char *(*make)(char *const *operands, gboolean json, GError **error))
{
    gboolean json = FALSE;
    g_auto(GStrv) operands = NULL;
    GError *error = NULL;
    const GOptionEntry entries[] = {
        {"json", 'j', 0, G_OPTION_ARG_NONE, &json, "Print one JSON object", NULL},
        G_OPTION_ENTRY_NULL};
    char *text = NULL;
    if (lab_command_parse(argc, argv, operands_text, summary, description, entries, NULL, &operands,
                          &error)) {
        text = make(operands, json, &error);
    }
    if (!text) {
        return lab_command_fail(error, LAB_EXIT_WRONG);
    }
    lab_command_print(text);
    g_free(text);
    return LAB_EXIT_OK;
}
