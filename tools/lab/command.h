/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands of weir-lab: each gets its own name and arguments, and returns the exit status. */
#ifndef WEIR_LAB_COMMAND_H
#define WEIR_LAB_COMMAND_H

#include <glib.h>

enum lab_exit { LAB_EXIT_OK = 0, LAB_EXIT_FAILED = 1, LAB_EXIT_WRONG = 2, LAB_EXIT_STOPPED = 130 };

int lab_run_main(int argc, char **argv);
int lab_show_main(int argc, char **argv);
int lab_list_main(int argc, char **argv);
int lab_replay_main(int argc, char **argv);
int lab_formula_main(int argc, char **argv);
int lab_bench_main(int argc, char **argv);

struct lab_scenario;

/* Options that change a scenario, shared by `run` and `show`. Zeroed = none given. */
struct lab_scenario_options {
    char *algorithm;
    char **params;
    char **sets;
    char *seed;
    char *duration;
};

/* *operands: what is no option; free with g_strfreev. --help prints and ends the program. */
gboolean lab_command_parse(int argc, char **argv, const char *operands_text, const char *summary,
                           const char *description, const GOptionEntry *entries,
                           struct lab_scenario_options *options, char ***operands, GError **error);
gboolean lab_command_expect(char *const *operands, guint n, const char *otherwise, GError **error);
struct lab_scenario *lab_command_load(const struct lab_scenario_options *options,
                                      char *const *operands, GError **error);
void lab_scenario_options_clear(struct lab_scenario_options *options);

/* A whole command that prints the text, or with --json the object, that `make` gives for the
 * operands. */
int lab_command_text(int argc, char **argv, const char *operands_text, const char *summary,
                     const char *description,
                     char *(*make)(char *const *operands, gboolean json, GError **error));

int lab_command_fail(GError *error, enum lab_exit status);
void lab_command_print(const char *text);

#endif
