/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "run.h"
#include "test.h"

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
        g_assert_true(link_run_ip(&error, "link", "show", "lo", NULL));
        g_assert_no_error(error);
    }
}

static void test_what_fails_is_told_with_what_was_tried(void)
{
    GError *error = NULL;
    if (has_ip()) {
        g_assert_false(link_run_ip(&error, "link", "show", "no-such-device", NULL));
        g_assert_true(g_str_has_prefix(error->message, "ip link show no-such-device: "));
        expect_error(&error, LINK_EXIT_FAILED, "exist");
    }
}

static void test_a_machine_without_ip_lacks_something(void)
{
    GError *error = NULL;
    char *path = g_strdup(g_getenv("PATH"));
    g_setenv("PATH", "/nonexistent", TRUE);
    g_assert_false(link_run_ip(&error, "link", NULL));
    g_setenv("PATH", path, TRUE);
    g_free(path);
    expect_error(&error, LINK_EXIT_NOT_PERMITTED, "needs ip (iproute2)");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link/run/what_works_is_no_error", test_what_works_is_no_error);
    g_test_add_func("/link/run/what_fails_is_told_with_what_was_tried",
                    test_what_fails_is_told_with_what_was_tried);
    g_test_add_func("/link/run/a_machine_without_ip_lacks_something",
                    test_a_machine_without_ip_lacks_something);
    return g_test_run();
}
