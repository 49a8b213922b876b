/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/traffic/flow_meter.h"

static void test_arrivals_are_summed(void)
{
    struct weir__flow_meter meter = {.delay = NULL};
    weir__flow_meter_count_arrival(&meter, 1500, 20);
    weir__flow_meter_count_arrival(&meter, 40, 30);
    g_assert_cmpint(meter.received_packets, ==, 2);
    g_assert_cmpint(meter.received_bytes, ==, 1540);
    g_assert_cmpint((int64_t)meter.delay_sum_ns, ==, 50);
    g_assert_cmpint(meter.goodput_bytes, ==, 0);
}

static void test_delays_are_kept_where_wanted(void)
{
    struct weir__histogram delay;
    struct weir__flow_meter meter = {.delay = &delay};
    weir__histogram_init(&delay);
    weir__flow_meter_count_arrival(&meter, 1500, 20);
    weir__flow_meter_count_arrival(&meter, 1500, 30);
    g_assert_cmpuint(delay.n, ==, 2);
    g_assert_cmpint(weir__histogram_percentile(&delay, 0.5), ==, 20);
    weir__histogram_clear(&delay);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/flow_meter/arrivals_are_summed", test_arrivals_are_summed);
    g_test_add_func("/sim/flow_meter/delays_are_kept_where_wanted",
                    test_delays_are_kept_where_wanted);
    return g_test_run();
}
