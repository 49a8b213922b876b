/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "run.h"
#include "spaces.h"
#include "test.h"
#include <net/if.h>

static void init(struct link_spaces *spaces)
{
    GError *error = NULL;
    char *names = g_strdup_printf("weir-test-%d-a,weir-test-%d-b", (int)getpid(), (int)getpid());
    link_spaces_init(spaces);
    g_assert_true(link_spaces_set_names(spaces, names, &error));
    g_free(names);
}

static void test_both_ends_have_a_device_an_address_and_a_route(void)
{
    struct link_spaces spaces;
    GError *error = NULL;
    if (!may_make_spaces()) {
        return;
    }
    init(&spaces);
    g_assert_true(link_spaces_make(&spaces, 1400, &error));
    g_assert_no_error(error);
    for (int i = 0; i < 2; i++) {
        char *said = NULL;
        char *line = g_strdup_printf("sh -c 'ip -n %s addr; ip -n %s route'", spaces.ends[i].name,
                                     spaces.ends[i].name);
        char *address = g_strdup_printf("inet 10.77.0.%d/30", i + 1);
        g_assert_cmpint(spaces.ends[i].tun_fd, >=, 0);
        g_assert_true(g_spawn_command_line_sync(line, &said, NULL, NULL, &error));
        g_assert_nonnull(strstr(said, address));
        g_assert_nonnull(strstr(said, "default dev weir0"));
        g_assert_nonnull(strstr(said, "mtu 1400"));
        g_assert_null(strstr(said, "inet6 fe80"));
        g_free(said);
        g_free(line);
        g_free(address);
    }
    link_spaces_finish(&spaces);
}

static void test_nothing_is_left_behind(void)
{
    struct link_spaces spaces;
    GError *error = NULL;
    if (!may_make_spaces()) {
        return;
    }
    init(&spaces);
    g_assert_true(link_spaces_make(&spaces, 1500, &error));
    char *name = g_strdup(spaces.ends[0].name);
    g_assert_true(space_exists(name));
    g_assert_cmpuint(if_nametoindex(LINK_SPACES_DEVICE), ==, 0); /* not in the own namespace */
    link_spaces_finish(&spaces);
    g_assert_false(space_exists(name));
    link_spaces_finish(&spaces); /* does nothing */
    g_free(name);
}

static void test_a_namespace_that_exists_is_refused_and_stays(void)
{
    struct link_spaces spaces;
    GError *error = NULL;
    if (!may_make_spaces()) {
        return;
    }
    init(&spaces);
    char *first = g_strdup(spaces.ends[0].name), *second = g_strdup(spaces.ends[1].name);
    g_assert_true(link_run_ip(&error, "netns", "add", second, NULL));
    g_assert_false(link_spaces_make(&spaces, 1500, &error));
    g_assert_nonnull(strstr(error->message, second));
    expect_error(&error, LINK_EXIT_FAILED, "already");
    link_spaces_finish(&spaces);
    g_assert_false(space_exists(first)); /* made half direction, and removed */
    g_assert_true(space_exists(second));
    g_assert_true(link_run_ip(&error, "netns", "del", second, NULL));
    g_free(first);
    g_free(second);
}

static void test_an_address_that_the_kernel_refuses_leaves_nothing(void)
{
    struct link_spaces spaces;
    GError *error = NULL;
    if (!may_make_spaces()) {
        return;
    }
    init(&spaces);
    char *first = g_strdup(spaces.ends[0].name);
    g_assert_true(link_spaces_set_addresses(&spaces, "127.0.0.1,127.0.0.2", &error));
    spaces.prefix_bits = 77;
    g_assert_false(link_spaces_make(&spaces, 1500, &error));
    expect_error(&error, LINK_EXIT_FAILED, "127.0.0.1/77");
    link_spaces_finish(&spaces);
    g_assert_false(space_exists(first));
    g_free(first);
}

static void test_whoever_is_still_inside_is_ended(void)
{
    struct link_spaces spaces;
    GError *error = NULL;
    char *said = NULL;
    if (!may_make_spaces()) {
        return;
    }
    init(&spaces);
    g_assert_true(link_spaces_make(&spaces, 1500, &error));
    /* One that goes when it is asked, and one that does not. */
    char *line = g_strdup_printf("ip netns exec %s sh -c 'sleep 100 >/dev/null 2>&1 & echo $!; "
                                 "(trap \"\" TERM; exec sleep 101) >/dev/null 2>&1 & echo $!'",
                                 spaces.ends[0].name);
    g_assert_true(g_spawn_command_line_sync(line, &said, NULL, NULL, &error));
    char **pids = g_strsplit(said, "\n", 0);
    link_spaces_finish(&spaces);
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
        struct link_spaces spaces;
        GError *error = NULL;
        init(&spaces);
        g_assert_cmpint(link_spaces_set_addresses(&spaces, cases[i].text, &error), ==,
                        cases[i].bits > 0);
        g_assert_cmpint(spaces.prefix_bits, ==, cases[i].bits > 0 ? cases[i].bits : 30);
        g_clear_error(&error);
        link_spaces_finish(&spaces);
    }
}

#define ADD(name) g_test_add_func("/link/spaces/" #name, test_##name)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(both_ends_have_a_device_an_address_and_a_route);
    ADD(nothing_is_left_behind);
    ADD(a_namespace_that_exists_is_refused_and_stays);
    ADD(an_address_that_the_kernel_refuses_leaves_nothing);
    ADD(whoever_is_still_inside_is_ended);
    ADD(the_network_is_as_small_as_holds_both_addresses);
    return g_test_run();
}
