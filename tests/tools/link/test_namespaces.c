/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "namespaces.h"
#include "test.h"
#include <net/if.h>
#include <signal.h>
#include <sys/wait.h>

static void init(struct link_namespaces *namespaces)
{
    GError *error = NULL;
    char *names = g_strdup_printf("weir-test-%d-a,weir-test-%d-b", (int)getpid(), (int)getpid());
    link_namespaces_init(namespaces);
    g_assert_true(link_namespaces_set_names(namespaces, names, &error));
    g_free(names);
}

static void test_both_ends_have_a_device_an_address_and_a_route(void)
{
    struct link_namespaces namespaces;
    GError *error = NULL;
    if (!may_make_namespaces()) {
        return;
    }
    init(&namespaces);
    g_assert_true(link_namespaces_make(&namespaces, 1400, &error));
    g_assert_no_error(error);
    for (int i = 0; i < 2; i++) {
        char *said = NULL;
        char *line = g_strdup_printf("sh -c 'ip -n %s addr; ip -n %s route'",
                                     namespaces.ends[i].name, namespaces.ends[i].name);
        char *address = g_strdup_printf("inet 10.77.0.%d/30", i + 1);
        g_assert_cmpint(namespaces.ends[i].tun_fd, >=, 0);
        g_assert_true(g_spawn_command_line_sync(line, &said, NULL, NULL, &error));
        g_assert_nonnull(strstr(said, address));
        g_assert_nonnull(strstr(said, "default dev weir0"));
        g_assert_nonnull(strstr(said, "mtu 1400"));
        g_assert_null(strstr(said, "inet6 fe80"));
        g_free(said);
        g_free(line);
        g_free(address);
    }
    link_namespaces_finish(&namespaces);
}

static void test_nothing_is_left_behind(void)
{
    struct link_namespaces namespaces;
    GError *error = NULL;
    if (!may_make_namespaces()) {
        return;
    }
    init(&namespaces);
    g_assert_true(link_namespaces_make(&namespaces, 1500, &error));
    char *name = g_strdup(namespaces.ends[0].name);
    g_assert_true(namespace_exists(name));
    g_assert_cmpuint(if_nametoindex(LINK_NAMESPACES_DEVICE), ==, 0); /* not in the own namespace */
    link_namespaces_finish(&namespaces);
    g_assert_false(namespace_exists(name));
    link_namespaces_finish(&namespaces); /* does nothing */
    g_free(name);
}

static void test_a_namespace_that_exists_is_refused_and_stays(void)
{
    struct link_namespaces namespaces;
    GError *error = NULL;
    if (!may_make_namespaces()) {
        return;
    }
    init(&namespaces);
    char *first = g_strdup(namespaces.ends[0].name), *second = g_strdup(namespaces.ends[1].name);
    g_assert_true(link_namespaces_run_ip(&error, "netns add %s", second));
    g_assert_false(link_namespaces_make(&namespaces, 1500, &error));
    g_assert_nonnull(strstr(error->message, second));
    expect_error(&error, LINK_EXIT_FAILED, "already");
    link_namespaces_finish(&namespaces);
    g_assert_false(namespace_exists(first)); /* made half way, and removed */
    g_assert_true(namespace_exists(second));
    g_assert_true(link_namespaces_run_ip(&error, "netns del %s", second));
    g_free(first);
    g_free(second);
}

static void test_an_address_that_the_kernel_refuses_leaves_nothing(void)
{
    struct link_namespaces namespaces;
    GError *error = NULL;
    if (!may_make_namespaces()) {
        return;
    }
    init(&namespaces);
    char *first = g_strdup(namespaces.ends[0].name);
    g_assert_true(link_namespaces_set_addresses(&namespaces, "127.0.0.1,127.0.0.2", &error));
    namespaces.prefix_bits = 77;
    g_assert_false(link_namespaces_make(&namespaces, 1500, &error));
    expect_error(&error, LINK_EXIT_FAILED, "127.0.0.1/77");
    link_namespaces_finish(&namespaces);
    g_assert_false(namespace_exists(first));
    g_free(first);
}

static void test_whoever_is_still_inside_is_ended(void)
{
    struct link_namespaces namespaces;
    GError *error = NULL;
    char *said = NULL;
    if (!may_make_namespaces()) {
        return;
    }
    init(&namespaces);
    g_assert_true(link_namespaces_make(&namespaces, 1500, &error));
    /* One that goes when it is asked, and one that does not. */
    char *line = g_strdup_printf("ip netns exec %s sh -c 'sleep 100 >/dev/null 2>&1 & echo $!; "
                                 "(trap \"\" TERM; exec sleep 101) >/dev/null 2>&1 & echo $!'",
                                 namespaces.ends[0].name);
    g_assert_true(g_spawn_command_line_sync(line, &said, NULL, NULL, &error));
    char **pids = g_strsplit(said, "\n", 0);
    link_namespaces_finish(&namespaces);
    for (int i = 0; i < 2; i++) {
        char *path = g_strdup_printf("/proc/%s/exe", pids[i]);
        for (int k = 0; k < 1000 && g_file_test(path, G_FILE_TEST_EXISTS); k++) {
            g_usleep(1000); /* SIGKILL was sent, the kernel is at it */
        }
        g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
        g_free(path);
    }
    g_strfreev(pids);
    g_free(line);
    g_free(said);
}

static void test_the_network_is_as_small_as_holds_both_addresses(void)
{
    static const struct {
        const char *text;
        int bits; /* 0: refused */
    } cases[] = {{"10.0.0.1,10.0.0.2", 30},
                 {"10.0.0.1,10.0.0.9", 28},
                 {"10.0.0.1,10.1.0.1", 15},
                 {"10.0.0.1,192.168.0.1", 0},
                 {"10.0.0.1,10.0.0.1", 0},
                 {"10.0.0.1", 0},
                 {"10.0.0.1,10.0.0.2,x", 0},
                 {"a,b", 0},
                 {"", 0}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct link_namespaces namespaces;
        GError *error = NULL;
        init(&namespaces);
        g_assert_cmpint(link_namespaces_set_addresses(&namespaces, cases[i].text, &error), ==,
                        cases[i].bits > 0);
        g_assert_cmpint(namespaces.prefix_bits, ==, cases[i].bits > 0 ? cases[i].bits : 30);
        g_clear_error(&error);
        link_namespaces_finish(&namespaces);
    }
}

static void test_nobody_is_where_there_is_no_namespace(void)
{
    g_assert_cmpuint(link_namespaces_signal("weir-no-such-namespace", SIGKILL), ==, 0);
}

static void test_who_is_inside_is_found_and_signalled_and_nobody_else(void)
{
    char *name = g_strdup_printf("weir-test-signal-%d", (int)getpid());
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
    if (may_make_namespaces()) {
        g_assert_true(link_namespaces_run_ip(&error, "netns add %s", name));
        g_assert_cmpuint(link_namespaces_signal(name, 0), ==, 0);
        g_assert_true(g_spawn_async(NULL, words, NULL,
                                    G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                    &pid, &error));
        while (link_namespaces_signal(name, 0) == 0) {
            g_assert_cmpint(waitpid(pid, &status, WNOHANG), ==, 0); /* it is on its way */
            g_usleep(1000);
        }
        g_assert_cmpuint(link_namespaces_signal(name, SIGTERM), ==, 1);
        g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
        g_assert_cmpint(WTERMSIG(status), ==, SIGTERM);
        g_assert_true(link_namespaces_run_ip(&error, "netns del %s", name));
    }
    g_free(name);
}

static gboolean has_ip(void)
{
    char *path = g_find_program_in_path("ip");
    gboolean has = path != NULL;
    if (!has) {
        g_test_skip("no ip (iproute2)");
    }
    g_free(path);
    return has;
}

static void test_what_works_is_no_error(void)
{
    GError *error = NULL;
    if (has_ip()) {
        g_assert_true(link_namespaces_run_ip(&error, "link show lo"));
        g_assert_no_error(error);
    }
}

static void test_what_fails_is_told_with_what_was_tried(void)
{
    GError *error = NULL;
    if (has_ip()) {
        g_assert_false(link_namespaces_run_ip(&error, "link show no-such-device"));
        g_assert_true(g_str_has_prefix(error->message, "ip link show no-such-device: "));
        expect_error(&error, LINK_EXIT_FAILED, "exist");
    }
}

static void test_a_machine_without_ip_lacks_something(void)
{
    GError *error = NULL;
    char *path = g_strdup(g_getenv("PATH"));
    g_setenv("PATH", "/nonexistent", TRUE);
    g_assert_false(link_namespaces_run_ip(&error, "link"));
    g_setenv("PATH", path, TRUE);
    g_free(path);
    expect_error(&error, LINK_EXIT_NOT_PERMITTED, "needs ip (iproute2)");
}

#define ADD(name) g_test_add_func("/link/namespaces/" #name, test_##name)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(both_ends_have_a_device_an_address_and_a_route);
    ADD(nothing_is_left_behind);
    ADD(a_namespace_that_exists_is_refused_and_stays);
    ADD(an_address_that_the_kernel_refuses_leaves_nothing);
    ADD(whoever_is_still_inside_is_ended);
    ADD(the_network_is_as_small_as_holds_both_addresses);
    ADD(nobody_is_where_there_is_no_namespace);
    ADD(who_is_inside_is_found_and_signalled_and_nobody_else);
    ADD(what_works_is_no_error);
    ADD(what_fails_is_told_with_what_was_tried);
    ADD(a_machine_without_ip_lacks_something);
    return g_test_run();
}
