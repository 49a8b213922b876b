/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "loop.h"
#include "error.h"
#include "weir/units.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_AT_ONCE                                                                               \
    64 /* packets from one end, before the other end and the deadlines get a turn */

#define PATIENCE_US 20000 /* between two looks at a command that was asked to end ... */
#define PATIENCE    100   /* ... and looks until it is killed */

static void fill_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGHUP);
    sigaddset(signals, SIGCHLD);
}

/* From here on signals wait for the loop, so that nothing is left behind. */
void link_loop_block_signals(void)
{
    sigset_t signals;
    fill_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

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
        g_autofree char *name = g_strdup_printf("WEIR_LINK_%c", 'A' + i);
        g_autofree char *address = g_strconcat(name, "_ADDRESS", NULL);
        if (end->device) {
            environment = g_environ_setenv(environment, name, end->device, TRUE);
        } else {
            environment = g_environ_setenv(environment, name, end->name, TRUE);
            environment = g_environ_setenv(environment, address, end->address, TRUE);
        }
    }
    return environment;
}

/* Starts the command. The names of the ends are in WEIR_LINK_A and WEIR_LINK_B, their addresses in
 * ..._ADDRESS. */
gboolean link_loop_start_command(struct link_loop *loop, const struct link_options *options,
                                 GError **error)
{
    GError *failure = NULL;
    g_auto(GStrv) environment = make_environment(options);
    gboolean good = g_spawn_async(NULL, options->command, environment,
                                  G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD |
                                      G_SPAWN_CHILD_INHERITS_STDIN,
                                  set_up_child, NULL, &loop->command, &failure);
    if (!good) {
        g_set_error_literal(error, LINK_ERROR, LINK_EXIT_FAILED, failure->message);
        g_error_free(failure);
    }
    return good;
}

static gboolean fail(GError **error, const char *what)
{
    g_set_error(error, LINK_ERROR, LINK_EXIT_FAILED, "%s: %s", what, g_strerror(errno));
    return FALSE;
}

/* A file or /dev/null is always readable, and its end means nothing. */
static gboolean can_wait_for(int fd)
{
    struct stat what;
    return fstat(fd, &what) == 0 &&
           (S_ISFIFO(what.st_mode) || S_ISSOCK(what.st_mode) || isatty(fd));
}

static gboolean open_all(struct link_loop *loop, int a_fd, int b_fd, GError **error)
{
    sigset_t signals;
    fill_signals(&signals);
    int signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    int control_fd = loop->control && can_wait_for(STDIN_FILENO) ? STDIN_FILENO : -1;
    const int fds[LINK_LOOP_FDS] = {a_fd, b_fd, signal_fd, control_fd};
    for (int i = 0; i < LINK_LOOP_FDS; i++) {
        loop->fds[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    }
    return signal_fd >= 0 || fail(error, "the loop cannot be set up");
}

/* Packets should leave on time when the machine is busy. Where that is not permitted, they leave
 * when they can; the report says how late. Commands do not inherit it. */
static void ask_for_priority(void)
{
    struct sched_param first = {.sched_priority = 1};
    sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &first);
}

static int64_t next_ns(const struct link_loop *loop)
{
    int64_t directions_ns = weir_min_i64(link_direction_next_ns(loop->directions[0]),
                                         link_direction_next_ns(loop->directions[1]));
    return weir_min_i64(weir_min_i64(directions_ns, link_report_next_ns(loop->report)),
                        loop->duration_ns);
}

/* The command's end is the link's; a signal too. */
static void on_signal(struct link_loop *loop)
{
    struct signalfd_siginfo info;
    while (read(loop->fds[LINK_LOOP_SIGNALS].fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGCHLD) {
            loop->ended = TRUE;
        } else if (loop->command > 0 &&
                   waitpid(loop->command, &loop->command_status, WNOHANG) == loop->command) {
            loop->command = 0;
            loop->ended = TRUE;
        }
    }
}

static gboolean on_readable(struct link_loop *loop, enum link_loop_fd which, GError **error)
{
    if (which == LINK_LOOP_SIGNALS) {
        on_signal(loop);
    } else if (which == LINK_LOOP_CONTROL) {
        loop->ended |= !link_control_read(loop->control, STDIN_FILENO);
    } else {
        return link_direction_read(loop->directions[which], READ_AT_ONCE, error);
    }
    return TRUE;
}

/* Until there is something to read, or wake_ns; a time that has passed is no wait. */
static int wait_until(struct link_loop *loop, int64_t wake_ns)
{
    int64_t wait_ns = weir_max_i64(wake_ns - (link_clock_ns() - loop->origin_ns), 0);
    struct timespec wait = {.tv_sec = (time_t)(wait_ns / WEIR_SECONDS(1)),
                            .tv_nsec = (long)(wait_ns % WEIR_SECONDS(1))};
    return ppoll(loop->fds, LINK_LOOP_FDS, wake_ns == WEIR_NEVER_NS ? NULL : &wait, NULL);
}

/* Does what is due, and waits for what comes next. */
static gboolean turn(struct link_loop *loop, GError **error)
{
    int64_t now_ns = link_clock_ns() - loop->origin_ns;
    link_direction_run(loop->directions[0], now_ns);
    link_direction_run(loop->directions[1], now_ns);
    link_report_run(loop->report, now_ns);
    if (now_ns >= loop->duration_ns) {
        loop->ended = TRUE;
        return TRUE;
    }
    if (wait_until(loop, next_ns(loop)) < 0) {
        return errno == EINTR || fail(error, "poll");
    }
    for (int i = 0; i < LINK_LOOP_FDS; i++) {
        if (loop->fds[i].revents != 0 && !on_readable(loop, (enum link_loop_fd)i, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Asks the command to end, and kills it after two seconds. */
static void stop_command(pid_t pid)
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

/* Joins the TUN devices until a signal, the end of stdin or of the command, or the duration ends
 * it. The command ends with it. */
gboolean link_loop_run(struct link_loop *loop, int a_fd, int b_fd, GError **error)
{
    gboolean good = open_all(loop, a_fd, b_fd, error);
    if (good) {
        ask_for_priority();
        loop->origin_ns = link_clock_ns();
        link_direction_start(loop->directions[0], a_fd, b_fd, loop->origin_ns);
        link_direction_start(loop->directions[1], b_fd, a_fd, loop->origin_ns);
    }
    while (good && !loop->ended) {
        good = turn(loop, error);
    }
    if (good && loop->report->stats_interval_ns != WEIR_NEVER_NS) {
        link_report_print(loop->report, link_clock_ns() - loop->origin_ns);
    }
    close(loop->fds[LINK_LOOP_SIGNALS].fd);
    if (loop->command > 0) {
        stop_command(loop->command);
    }
    return good;
}

/* That of the command, as a shell says it; 0 without one. */
int link_loop_exit_status(const struct link_loop *loop)
{
    int wait_status = loop->command_status;
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}
