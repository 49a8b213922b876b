/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weir-lab: the laboratory's command line. docs/lab.md describes it. */
#include "command.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"run", lab_run_main, "simulate a scenario"},
    {"show", lab_show_main, "print a scenario with everything resolved"},
    {"list", lab_list_main, "what there is: algorithms, their parameters, scenarios, formulas"},
    {"replay", lab_replay_main, "run an algorithm again on a trace of weirsend"},
    {"formula", lab_formula_main, "compute a formula of the papers with the library's functions"},
    {"bench", lab_bench_main, "how fast the simulator is on this machine"},
};

static void print_help(void)
{
    puts("Usage: weir-lab COMMAND [options]\n\n"
         "Runs congestion controllers for live media against TCP and other traffic on simulated\n"
         "networks, in virtual time: the senders, receivers and RTCP bytes are the library's "
         "own.\n\n"
         "Commands:");
    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
        printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    }
    puts("\nStart with:\n"
         "  weir-lab list scenarios\n"
         "  weir-lab run call\n\n"
         "weir-lab COMMAND --help says what a command takes; scenario files are described in\n"
         "docs/scenarios.md, results in docs/lab.md.");
}

static int unknown_command(const char *name)
{
    GString *names = g_string_new(NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", commands[i].name);
    }
    if (name) {
        fprintf(stderr, "weir-lab: no command '%s'; there are: %s\n", name, names->str);
    } else {
        fprintf(stderr, "weir-lab: which command? %s (weir-lab --help)\n", names->str);
    }
    g_string_free(names, TRUE);
    return LAB_EXIT_WRONG;
}

/* What GLib's help and others have left: a full disk is seen at the end. */
static void flush_output(void)
{
    lab_command_print("");
}

int main(int argc, char **argv)
{
    atexit(flush_output);
    setlocale(LC_CTYPE, ""); /* numbers stay as in C */
    const char *name = argc > 1 ? argv[1] : NULL;
    if (name && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)) {
        print_help();
        return LAB_EXIT_OK;
    }
    if (name && strcmp(name, "--version") == 0) {
        puts("weir-lab " LAB_VERSION);
        return LAB_EXIT_OK;
    }
    for (gsize i = 0; name && i < G_N_ELEMENTS(commands); i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return commands[i].main(argc - 1, argv + 1);
        }
    }
    return unknown_command(name);
}
