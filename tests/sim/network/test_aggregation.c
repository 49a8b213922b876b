/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/network/aggregation.h"
#include "weir/units.h"

static const struct weir__aggregation_config wifi = {
    .packets = 64, .airtime_ns = WEIR_MS(4), .access_ns = WEIR_MS(6)};

/* A packet of 1500 bytes takes 0.6 ms at 20 Mbit/s: the seventh begins at 3.6 ms, the last before
 * 4. At 12 Mbit/s it is 1 ms, and the fifth would begin at 4. */
static void test_the_airtime_bounds_the_packets(void)
{
    static const struct {
        int64_t packet_bytes, rate_bps, packets;
    } cases[] = {{1500, 20000000, 7},    {1500, 12000000, 4}, {1500, 100000, 1},
                 {1500, 1000000000, 64}, {100, 20000000, 64}, {300, 20000000, 34}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpint(
            weir__aggregation_most_packets(&wifi, cases[i].packet_bytes, cases[i].rate_bps), ==,
            cases[i].packets);
    }
}

/* Seven packets of 1500 bytes in 6 + 4.2 ms. */
static void test_capacity_is_that_of_full_aggregates(void)
{
    g_assert_cmpint(weir__aggregation_capacity_bps(&wifi, 1500, 20000000), ==, 8235294);
    g_assert_cmpint(weir__aggregation_capacity_bps(&wifi, 1500, 12000000), ==, 4800000);
    g_assert_cmpint(weir__aggregation_capacity_bps(&wifi, 1500, 0), ==, 0);
}

static void test_a_queue_needs_so_many_accesses(void)
{
    static const struct {
        int64_t packets, bytes, accesses;
    } cases[] = {{0, 0, 0},     {1, 1500, 1},  {7, 10500, 1},
                 {8, 12000, 2}, {64, 6400, 1}, {65, 6500, 2}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpint(
            weir__aggregation_accesses(&wifi, cases[i].packets, cases[i].bytes, 20000000), ==,
            cases[i].accesses);
    }
}

static void test_values_outside_their_range_are_refused(void)
{
    static const struct weir__aggregation_config bad[] = {{-1, 1, 1},
                                                          {65537, 1, 1},
                                                          {1, 0, 1},
                                                          {1, 1, -1},
                                                          {1, WEIR_SECONDS(3601), 1},
                                                          {1, 1, WEIR_SECONDS(3601)}};
    static const struct weir__aggregation_config none = {0, 0, 0};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__aggregation_check(&bad[i]), ==, WEIR_ERROR_RANGE);
    }
    g_assert_cmpint(weir__aggregation_check(&none), ==, WEIR_OK);
    g_assert_cmpint(weir__aggregation_check(&wifi), ==, WEIR_OK);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/aggregation/the_airtime_bounds_the_packets",
                    test_the_airtime_bounds_the_packets);
    g_test_add_func("/sim/aggregation/capacity_is_that_of_full_aggregates",
                    test_capacity_is_that_of_full_aggregates);
    g_test_add_func("/sim/aggregation/a_queue_needs_so_many_accesses",
                    test_a_queue_needs_so_many_accesses);
    g_test_add_func("/sim/aggregation/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
