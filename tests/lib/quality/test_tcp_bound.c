/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quality/tcp_bound.h"
#include "test.h"
#include <math.h>

static void test_bound_of_known_conditions(void)
{
    /* 1000 bytes, 200 ms, 5 %: 27386.13 bytes/s. */
    assert_near(weir__tcp_bound_bps(1000.0, 0.2, 0.05) / 8.0, 27386.127875, 1e-5);
    assert_near(weir__tcp_bound_bps(1.0, 1.0, 1.0) / 8.0, 1.2247449, 1e-7);
    assert_near(weir__tcp_bound_bps(1000.0, 0.3, 0.01) / 8.0, 40824.829046, 1e-5);
}

static void test_bound_follows_size_round_trip_and_loss(void)
{
    double bps = weir__tcp_bound_bps(1000.0, 0.2, 0.02);
    assert_near(weir__tcp_bound_bps(2000.0, 0.2, 0.02), 2.0 * bps, 1e-6);
    assert_near(weir__tcp_bound_bps(1000.0, 0.4, 0.02), bps / 2.0, 1e-6);
    assert_near(weir__tcp_bound_bps(1000.0, 0.2, 0.08), bps / 2.0, 1e-6);
}

static void test_no_loss_is_no_bound(void)
{
    g_assert_true(isinf(weir__tcp_bound_bps(1000.0, 0.2, 0.0)));
    assert_near(weir__normalised(1e6, weir__tcp_bound_bps(1000.0, 0.2, 0.0)), 0.0, 1e-12);
}

static void test_normalised_throughput_is_the_ratio(void)
{
    assert_near(weir__normalised(800000.0, 1000000.0), 0.8, 1e-12);
    assert_near(weir__normalised(0.0, 1000000.0), 0.0, 1e-12);
    g_assert_true(isnan(weir__normalised(5.0, 0.0)));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/quality/tcp_bound/bound_of_known_conditions", test_bound_of_known_conditions);
    g_test_add_func("/quality/tcp_bound/bound_follows_size_round_trip_and_loss",
                    test_bound_follows_size_round_trip_and_loss);
    g_test_add_func("/quality/tcp_bound/no_loss_is_no_bound", test_no_loss_is_no_bound);
    g_test_add_func("/quality/tcp_bound/normalised_throughput_is_the_ratio",
                    test_normalised_throughput_is_the_ratio);
    return g_test_run();
}
