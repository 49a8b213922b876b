/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lateness.h"
#include "test.h"
#include "weir/units.h"

static void test_quantiles_are_the_upper_edge_of_their_step(void)
{
    struct link_lateness lateness = {.n = 0};
    for (int i = 1; i <= 100; i++) {
        link_lateness_add(&lateness, WEIR_US(10 * i - 5));
    }
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 0.5), ==, WEIR_US(500));
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 0.99), ==, WEIR_US(990));
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 1.0), ==, WEIR_US(995)); /* the most */
}

static void test_nothing_is_not_late(void)
{
    struct link_lateness lateness = {.n = 0};
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 0.99), ==, 0);
    link_lateness_add(&lateness, -5);
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 0.99), ==, 0);
}

static void test_what_is_beyond_the_histogram_is_the_most(void)
{
    struct link_lateness lateness = {.n = 0};
    link_lateness_add(&lateness, WEIR_SECONDS(3));
    link_lateness_add(&lateness, WEIR_MS(50));
    g_assert_cmpint(lateness.n, ==, 2);
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 0.5), ==, WEIR_SECONDS(3));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link/lateness/quantiles_are_the_upper_edge_of_their_step",
                    test_quantiles_are_the_upper_edge_of_their_step);
    g_test_add_func("/link/lateness/nothing_is_not_late", test_nothing_is_not_late);
    g_test_add_func("/link/lateness/what_is_beyond_the_histogram_is_the_most",
                    test_what_is_beyond_the_histogram_is_the_most);
    return g_test_run();
}
