/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command.h"
#include "error.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_US 20000
#define PATIENCE    100

/* In the child: signals are its own again. */
static void set_up_child(gpointer nothing)
{
    sigset_t none;
    (void)nothing;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
}

static char **make_environment(const struct link_options *options)
{
    char **environment = g_get_environ();
    for (int i = 0; i < 2; i++) {
        const struct link_end *end = &options->namespaces.ends[i];
        char *name = g_strdup_printf("WEIR_LINK_%c", 'A' + i);
        char *address = g_strconcat(name, "_ADDRESS", NULL);
        if (options->devices[i]) {
            environment = g_environ_setenv(environment, name, options->devices[i], TRUE);
        } else {
            environment = g_environ_setenv(environment, name, end->name, TRUE);
            environment = g_environ_setenv(environment, address, end->address, TRUE);
        }
        g_free(name);
        g_free(address);
    }
    return environment;
}

/* The names of the ends are in WEIR_LINK_A and WEIR_LINK_B, their addresses in ..._ADDRESS. */
gboolean link_command_start(const struct link_options *options, pid_t *pid, GError **error)
{
    GError *failure = NULL;
    char **environment = make_environment(options);
    gboolean good = g_spawn_async(NULL, options->command, environment,
                                  G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD |
                                      G_SPAWN_CHILD_INHERITS_STDIN,
                                  set_up_child, NULL, pid, &failure);
    if (!good) {
        g_set_error_literal(error, LINK_ERROR, LINK_EXIT_FAILED, failure->message);
        g_error_free(failure);
    }
    g_strfreev(environment);
    return good;
}

/* Asks it to end, and makes it after two seconds. */
void link_command_stop(pid_t pid)
{
    kill(pid, SIGTERM);
    for (int i = 0; i < PATIENCE; i++) {
        if (waitpid(pid, NULL, WNOHANG) == pid) {
            return;
        }
        g_usleep(PATIENCE_US);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* As a shell says it. */
int link_command_exit_status(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}
