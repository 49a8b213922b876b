/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a command in a process of its own and catches what it prints. */
#ifndef WEIR_TESTS_COMMAND_TRAP_H
#define WEIR_TESTS_COMMAND_TRAP_H

#include "command.h"
#include "test.h"
#include <stdlib.h>

typedef int command_main(int argc, char **argv);

/* In the child: runs the command and exits with its status. In the parent: TRUE, once the child has
 * ended with `status`. words: NULL-terminated. */
static inline void command_run(command_main *command, const char *const *words, int status)
{
    if (g_test_subprocess()) {
        char **argv = g_strdupv((char **)(guintptr)words);
        int result = command((int)g_strv_length(argv), argv);
        g_strfreev(argv);
        exit(result == status ? 0 : 1);
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
