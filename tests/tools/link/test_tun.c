/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "test.h"
#include "tun.h"
#include <net/if.h>

static void test_names_that_the_kernel_or_a_shell_would_stumble_over_are_refused(void)
{
    static const char *const wrong[] = {
        "", "sixteen-letters-", "a/b", "a b", "a:b", ".", "..", "-a", "a%d", "a\"b"};
    GError *error = NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_assert_cmpint(link_tun_open(wrong[i], &error), ==, -1);
        expect_error(&error, LINK_EXIT_WRONG, "1 to 15");
    }
    g_assert_true(link_tun_check_name("fifteen-letters", &error));
    g_assert_true(link_tun_check_name("tun0.1_x", &error));
}

static void test_a_device_lives_as_long_as_it_is_open_and_is_never_shared(void)
{
    GError *error = NULL;
    char *name = g_strdup_printf("wt%d", (int)getpid());
    if (may_make_namespaces()) {
        int fd = link_tun_open(name, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(if_nametoindex(name), >, 0);
        g_assert_cmpint(link_tun_open(name, &error), ==, -1);
        expect_error(&error, LINK_EXIT_FAILED, "already");
        close(fd);
        g_assert_cmpuint(if_nametoindex(name), ==, 0);
    }
    g_free(name);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link/tun/names_that_the_kernel_or_a_shell_would_stumble_over_are_refused",
                    test_names_that_the_kernel_or_a_shell_would_stumble_over_are_refused);
    g_test_add_func("/link/tun/a_device_lives_as_long_as_it_is_open_and_is_never_shared",
                    test_a_device_lives_as_long_as_it_is_open_and_is_never_shared);
    return g_test_run();
}
