/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command.h"
#include "link_fixture.h"
#include "test.h"
#include <signal.h>
#include <sys/wait.h>

static int run(struct link_options *options, const char *script)
{
    GError *error = NULL;
    pid_t pid = 0;
    int status = 0;
    options->command = g_strsplit("sh -c", " ", 0);
    options->command = g_renew(char *, options->command, 4);
    options->command[2] = g_strdup(script);
    options->command[3] = NULL;
    g_assert_true(link_command_start(options, &pid, &error));
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_clear_pointer(&options->command, g_strfreev);
    return link_command_exit_status(status);
}

static void init(struct link_options *options)
{
    GError *error = NULL;
    char *words[] = {(char[]){"weir-link"}, (char[]){"--netns"}, (char[]){"left,right"}, NULL};
    g_assert_true(link_options_parse(options, 3, words, &error));
}

static void test_the_command_knows_the_ends(void)
{
    struct link_options options;
    init(&options);
    g_assert_cmpint(run(&options, "test $WEIR_LINK_A,$WEIR_LINK_B = left,right"), ==, 0);
    g_assert_cmpint(run(&options, "test $WEIR_LINK_A_ADDRESS = 10.77.0.1"), ==, 0);
    options.devices[0] = g_strdup("tun7");
    g_assert_cmpint(run(&options, "test $WEIR_LINK_A = tun7 -a -z \"$WEIR_LINK_A_ADDRESS\""), ==,
                    0);
    link_options_finish(&options);
}

static void test_its_status_is_the_shells(void)
{
    struct link_options options;
    init(&options);
    g_assert_cmpint(run(&options, "exit 7"), ==, 7);
    g_assert_cmpint(run(&options, "kill -KILL $$"), ==, 128 + SIGKILL);
    link_options_finish(&options);
}

static void test_signals_that_we_hold_back_reach_it(void)
{
    struct link_options options;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    init(&options);
    g_assert_cmpint(run(&options, "kill -TERM $$; exit 1"), ==, 128 + SIGTERM);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    link_options_finish(&options);
}

static void test_a_command_that_is_not_there_is_named(void)
{
    struct link_options options;
    GError *error = NULL;
    pid_t pid = 0;
    init(&options);
    options.command = g_strsplit("weir-no-such-program", " ", 0);
    g_assert_false(link_command_start(&options, &pid, &error));
    expect_error(&error, LINK_EXIT_FAILED, "weir-no-such-program");
    g_assert_cmpint(pid, ==, 0);
    link_options_finish(&options);
}

static void test_it_is_stopped_with_the_link(void)
{
    struct link_options options;
    GError *error = NULL;
    pid_t pid = 0;
    init(&options);
    options.command = g_strsplit("sleep 100", " ", 0);
    g_assert_true(link_command_start(&options, &pid, &error));
    link_command_stop(pid);
    g_assert_cmpint(kill(pid, 0), !=, 0);
    link_options_finish(&options);
}

#define ADD(name) g_test_add_func("/link/command/" #name, test_##name)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(the_command_knows_the_ends);
    ADD(its_status_is_the_shells);
    ADD(signals_that_we_hold_back_reach_it);
    ADD(a_command_that_is_not_there_is_named);
    ADD(it_is_stopped_with_the_link);
    return g_test_run();
}
