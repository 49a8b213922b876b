/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "residents.h"
#include "run.h"
#include "test.h"
#include <signal.h>
#include <sys/wait.h>

static void test_nobody_is_where_there_is_no_namespace(void)
{
    g_assert_cmpuint(link_residents_signal("weir-no-such-namespace", SIGKILL), ==, 0);
}

static void test_who_is_inside_is_found_and_signalled_and_nobody_else(void)
{
    char *name = g_strdup_printf("weir-test-residents-%d", (int)getpid());
    char *words[] = {(char[]){"ip"},
                     (char[]){"netns"},
                     (char[]){"exec"},
                     name,
                     (char[]){"sleep"},
                     (char[]){"100"},
                     NULL};
    GError *error = NULL;
    GPid pid;
    int status = 0;
    if (may_make_spaces()) {
        g_assert_true(link_run_ip(&error, "netns", "add", name, NULL));
        g_assert_cmpuint(link_residents_signal(name, 0), ==, 0);
        g_assert_true(g_spawn_async(NULL, words, NULL,
                                    G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                    &pid, &error));
        while (link_residents_signal(name, 0) == 0) {
            g_assert_cmpint(waitpid(pid, &status, WNOHANG), ==, 0); /* it is on its way */
            g_usleep(1000);
        }
        g_assert_cmpuint(link_residents_signal(name, SIGTERM), ==, 1);
        g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
        g_assert_cmpint(WTERMSIG(status), ==, SIGTERM);
        g_assert_true(link_run_ip(&error, "netns", "del", name, NULL));
    }
    g_free(name);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link/residents/nobody_is_where_there_is_no_namespace",
                    test_nobody_is_where_there_is_no_namespace);
    g_test_add_func("/link/residents/who_is_inside_is_found_and_signalled_and_nobody_else",
                    test_who_is_inside_is_found_and_signalled_and_nobody_else);
    return g_test_run();
}
