/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "loop.h"
#include "test.h"
#include <signal.h>
#include <sys/wait.h>

struct fixture {
    struct ends ends[2];
    struct link_report report;
    struct link_loop loop;
};

static void set_up(struct fixture *f, gconstpointer nothing)
{
    (void)nothing;
    memset(f, 0, sizeof *f);
    f->loop.directions[0] =
        start_direction(&f->ends[0], (const char *const[]){"delay", "5ms", NULL});
    f->loop.directions[1] = start_direction(&f->ends[1], NULL);
    link_report_init(&f->report, f->loop.directions[0], f->loop.directions[1], WEIR_NEVER_NS);
    f->loop.report = &f->report;
    f->loop.duration_ns = WEIR_SECONDS(60); /* a test that fails ends too */
}

static void tear_down(struct fixture *f, gconstpointer nothing)
{
    (void)nothing;
    stop_direction(f->loop.directions[0], &f->ends[0]);
    stop_direction(f->loop.directions[1], &f->ends[1]);
}

/* One socket is both entrance and exit of an end, as a TUN device is. */
static gboolean run(struct fixture *f, GError **error)
{
    return link_loop_run(&f->loop, f->ends[0].in[1], f->ends[1].in[1], error);
}

static void test_packets_cross_both_ways_before_it_ends(struct fixture *f, gconstpointer nothing)
{
    GError *error = NULL;
    uint8_t got[2000];
    (void)nothing;
    send_packet(&f->ends[0], 17, 1, 300);
    send_packet(&f->ends[1], 6, 2, 400);
    f->loop.duration_ns = WEIR_MS(100);
    int64_t began_ns = link_clock_ns();
    g_assert_true(run(f, &error));
    g_assert_cmpint(link_clock_ns() - began_ns, >=, WEIR_MS(100));
    g_assert_cmpint(recv(f->ends[1].in[0], got, sizeof got, 0), ==, 300);
    g_assert_cmpint(recv(f->ends[0].in[0], got, sizeof got, 0), ==, 400);
    g_assert_cmpint(f->loop.directions[0]->lateness.n, ==, 1);
}

static void test_a_signal_ends_it(struct fixture *f, gconstpointer number)
{
    GError *error = NULL;
    raise(GPOINTER_TO_INT(number)); /* blocked until the loop reads it */
    g_assert_true(run(f, &error));
    g_assert_true(f->loop.ended);
}

static void test_the_end_of_the_command_ends_it(struct fixture *f, gconstpointer nothing)
{
    char *words[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"exit 9"}, NULL};
    GError *error = NULL;
    (void)nothing;
    g_assert_true(g_spawn_async(NULL, words, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                                NULL, NULL, &f->loop.command, &error));
    g_assert_true(run(f, &error));
    g_assert_cmpint(f->loop.command, ==, 0);
    g_assert_cmpint(f->loop.command_status >> 8, ==, 9);
}

static void test_a_device_that_goes_away_ends_it_with_an_error(struct fixture *f,
                                                               gconstpointer nothing)
{
    GError *error = NULL;
    (void)nothing;
    close(f->ends[0].in[0]);
    g_assert_false(run(f, &error));
    expect_error(&error, LINK_EXIT_FAILED, "TUN");
    f->ends[0].in[0] = dup(f->ends[0].in[1]);
}

static void test_lines_on_stdin_change_it_and_their_end_ends_it(struct fixture *f,
                                                                gconstpointer nothing)
{
    struct link_control control = {.directions = {f->loop.directions[0], f->loop.directions[1]}};
    GError *error = NULL;
    int fds[2], own = dup(STDIN_FILENO);
    (void)nothing;
    g_assert_cmpint(pipe(fds), ==, 0);
    g_assert_cmpint(dup2(fds[0], STDIN_FILENO), ==, STDIN_FILENO);
    g_assert_cmpint(write(fds[1], "capacity 5M\n", 12), ==, 12);
    close(fds[1]);
    f->loop.control = &control;
    g_assert_true(run(f, &error));
    g_assert_cmpint(f->loop.directions[0]->settings.path.link.capacity_bps, ==, 5000000);
    dup2(own, STDIN_FILENO);
    close(own);
    close(fds[0]);
}

static int run_script(struct link_options *options, const char *script)
{
    struct link_loop loop = {.command = 0};
    GError *error = NULL;
    options->command = g_strsplit("sh -c", " ", 0);
    options->command = g_renew(char *, options->command, 4);
    options->command[2] = g_strdup(script);
    options->command[3] = NULL;
    g_assert_true(link_loop_start_command(&loop, options, &error));
    g_assert_cmpint(waitpid(loop.command, &loop.command_status, 0), ==, loop.command);
    g_clear_pointer(&options->command, g_strfreev);
    return link_loop_exit_status(&loop);
}

static void parse(struct link_options *options)
{
    GError *error = NULL;
    char *words[] = {(char[]){"weir-link"}, (char[]){"--netns"}, (char[]){"left,right"}, NULL};
    g_assert_true(link_options_parse(options, 3, words, &error));
}

static void test_the_command_knows_the_ends(void)
{
    struct link_options options;
    parse(&options);
    g_assert_cmpint(run_script(&options, "test $WEIR_LINK_A,$WEIR_LINK_B = left,right"), ==, 0);
    g_assert_cmpint(run_script(&options, "test $WEIR_LINK_A_ADDRESS = 10.77.0.1"), ==, 0);
    options.namespaces.ends[0].device = g_strdup("tun7");
    g_assert_cmpint(run_script(&options, "test $WEIR_LINK_A = tun7 -a -z \"$WEIR_LINK_A_ADDRESS\""),
                    ==, 0);
    link_options_finish(&options);
}

static void test_its_status_is_the_shells(void)
{
    struct link_options options;
    parse(&options);
    g_assert_cmpint(run_script(&options, "exit 7"), ==, 7);
    g_assert_cmpint(run_script(&options, "kill -KILL $$"), ==, 128 + SIGKILL);
    link_options_finish(&options);
}

static void test_signals_that_we_hold_back_reach_it(void)
{
    struct link_options options;
    parse(&options);
    g_assert_cmpint(run_script(&options, "kill -TERM $$; exit 1"), ==, 128 + SIGTERM);
    link_options_finish(&options);
}

static void test_a_command_that_is_not_there_is_named(void)
{
    struct link_options options;
    GError *error = NULL;
    struct link_loop loop = {.command = 0};
    parse(&options);
    options.command = g_strsplit("weir-no-such-program", " ", 0);
    g_assert_false(link_loop_start_command(&loop, &options, &error));
    expect_error(&error, LINK_EXIT_FAILED, "weir-no-such-program");
    g_assert_cmpint(loop.command, ==, 0);
    link_options_finish(&options);
}

static void test_the_command_is_stopped_with_the_link(struct fixture *f, gconstpointer nothing)
{
    struct link_options options;
    GError *error = NULL;
    (void)nothing;
    parse(&options);
    options.command = g_strsplit("sleep 100", " ", 0);
    f->loop.duration_ns = WEIR_MS(1);
    g_assert_true(link_loop_start_command(&f->loop, &options, &error));
    g_assert_true(run(f, &error));
    g_assert_cmpint(f->loop.command, >, 0);
    g_assert_cmpint(kill(f->loop.command, 0), !=, 0);
    link_options_finish(&options);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    link_loop_block_signals();
    g_test_add("/link/loop/packets_cross_both_ways_before_it_ends", struct fixture, NULL, set_up,
               test_packets_cross_both_ways_before_it_ends, tear_down);
    g_test_add("/link/loop/sigint_ends_it", struct fixture, GINT_TO_POINTER(SIGINT), set_up,
               test_a_signal_ends_it, tear_down);
    g_test_add("/link/loop/sigterm_ends_it", struct fixture, GINT_TO_POINTER(SIGTERM), set_up,
               test_a_signal_ends_it, tear_down);
    g_test_add("/link/loop/the_end_of_the_command_ends_it", struct fixture, NULL, set_up,
               test_the_end_of_the_command_ends_it, tear_down);
    g_test_add("/link/loop/a_device_that_goes_away_ends_it_with_an_error", struct fixture, NULL,
               set_up, test_a_device_that_goes_away_ends_it_with_an_error, tear_down);
    g_test_add("/link/loop/lines_on_stdin_change_it_and_their_end_ends_it", struct fixture, NULL,
               set_up, test_lines_on_stdin_change_it_and_their_end_ends_it, tear_down);
    g_test_add_func("/link/loop/the_command_knows_the_ends", test_the_command_knows_the_ends);
    g_test_add_func("/link/loop/its_status_is_the_shells", test_its_status_is_the_shells);
    g_test_add_func("/link/loop/signals_that_we_hold_back_reach_it",
                    test_signals_that_we_hold_back_reach_it);
    g_test_add_func("/link/loop/a_command_that_is_not_there_is_named",
                    test_a_command_that_is_not_there_is_named);
    g_test_add("/link/loop/the_command_is_stopped_with_the_link", struct fixture, NULL, set_up,
               test_the_command_is_stopped_with_the_link, tear_down);
    return g_test_run();
}
