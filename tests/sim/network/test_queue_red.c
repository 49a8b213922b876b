/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/network/queue_red.h"
#include "weir/units.h"
#include <math.h>

/* The RED of the SIMD paper's dumbbell: thresholds 10 and 40, packets of 1500 bytes. */
static struct weir__red_config simd_config(void)
{
    struct weir__red_config config;
    weir__red_config_default(&config);
    config.min_packets = 10;
    config.max_packets = 40;
    config.weight = 0.002;
    config.mean_packet_bytes = 1500;
    config.byte_mode = false;
    return config;
}

static struct weir__red make(const struct weir__red_config *config)
{
    struct weir__red red;
    g_assert_cmpint(weir__red_init(&red, config, 1500000, WEIR_MS(24)), ==, WEIR_OK);
    return red;
}

static void test_base_probability_has_the_known_values(void)
{
    static const struct {
        double average, gentle, hard;
    } cases[] = {{0, 0, 0},    {9.999, 0, 0}, {10, 0, 0}, {25, 0.05, 0.05},
                 {40, 0.1, 1}, {60, 0.55, 1}, {80, 1, 1}, {1000, 1, 1}};
    struct weir__red_config gentle = simd_config();
    struct weir__red_config hard = simd_config();
    hard.gentle = false;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_near(weir__red_base_probability(&gentle, cases[i].average), cases[i].gentle, 1e-12);
        assert_near(weir__red_base_probability(&hard, cases[i].average), cases[i].hard, 1e-12);
    }
}

static void test_base_probability_never_falls(void)
{
    struct weir__red_config config = simd_config();
    double last = 0.0;
    for (double average = 0.0; average < 100.0; average += 0.01) {
        double p = weir__red_base_probability(&config, average);
        g_assert_cmpfloat(p, >=, last);
        g_assert_cmpfloat(p, <=, 1.0);
        last = p;
    }
}

static void test_spread_probability_follows_wait(void)
{
    static const struct {
        double base, count, with_wait, without;
    } cases[] = {{0.1, 0, 0, 0.1},         {0.1, 5, 0, 0.2},  {0.1, 9.99, 0, 100},
                 {0.1, 10, 0.1, 1},        {0.1, 15, 0.2, 1}, {0.1, 19, 1, 1},
                 {0.1, 20, 1, 1},          {0, 50, 0, 0},     {0.05, 30, 0.1, 1},
                 {0.02, 40, 0, 0.02 / 0.2}};
    struct weir__red_config wait = simd_config();
    struct weir__red_config eager = simd_config();
    eager.wait = false;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_near(weir__red_spread_probability(&wait, cases[i].base, cases[i].count),
                    cases[i].with_wait, 1e-9);
        assert_near(weir__red_spread_probability(&eager, cases[i].base, cases[i].count),
                    cases[i].without, 1e-6);
    }
}

static void test_average_is_the_weighted_mean(void)
{
    struct weir__red_config config = simd_config();
    struct weir__red red = make(&config);
    struct weir__random random;
    double expected = 0.0;
    weir__random_init(&random, 1, 0);
    for (int i = 0; i < 3000; i++) {
        int64_t q = i % 50;
        weir__red_on_arrival(&red, WEIR_MS(i), q, 1500 * q, 1500, &random);
        expected = 0.998 * expected + 0.002 * (double)q;
        assert_near(red.average_packets, expected, 1e-9);
    }
}

/* 125 packets of 1500 bytes per second at 1.5 Mbit/s: 2 s idle age the average by 250 packets. */
static void test_average_ages_while_the_link_is_idle(void)
{
    struct weir__red_config config = simd_config();
    struct weir__red red = make(&config);
    struct weir__random random;
    weir__random_init(&random, 1, 0);
    red.average_packets = 30.0;
    red.idle = false;
    weir__red_on_idle(&red, WEIR_SECONDS(10));
    weir__red_on_idle(&red, WEIR_SECONDS(11)); /* idle already */
    weir__red_on_arrival(&red, WEIR_SECONDS(12), 0, 0, 1500, &random);
    assert_near(red.average_packets, 30.0 * pow(0.998, 250 + 1), 1e-9);
    g_assert_false(red.idle);
    weir__red_on_idle(&red, WEIR_SECONDS(12));
    weir__red_on_arrival(&red, WEIR_SECONDS(4000000000), 0, 0, 1500, &random);
    assert_near(red.average_packets, 0.0, 1e-12);
}

static void test_first_packet_above_min_is_never_dropped(void)
{
    struct weir__red_config config = simd_config();
    config.max_p = 1.0;
    config.wait = false;
    struct weir__random random;
    weir__random_init(&random, 2, 0);
    for (int i = 0; i < 1000; i++) {
        struct weir__red red = make(&config);
        red.idle = false;
        red.average_packets = 39.9;
        red.since_drop = 1000;
        g_assert_cmpint(weir__red_on_arrival(&red, 0, 39, 39 * 1500, 1500, &random), ==,
                        WEIR__RED_ACCEPT);
        g_assert_true(red.above_min);
        g_assert_cmpint(red.since_drop, ==, 1);
    }
}

static void test_short_queue_is_never_dropped_early(void)
{
    struct weir__red_config config = simd_config();
    struct weir__random random;
    weir__random_init(&random, 2, 0);
    for (int64_t q = 0; q <= 1; q++) {
        struct weir__red red = make(&config);
        red.idle = false;
        red.average_packets = 200.0;
        g_assert_cmpint(weir__red_on_arrival(&red, 0, q, 1500 * q, 1500, &random), ==,
                        WEIR__RED_ACCEPT);
        g_assert_false(red.above_min);
    }
}

static void test_above_twice_max_everything_is_dropped(void)
{
    struct weir__red_config config = simd_config();
    struct weir__red red = make(&config);
    struct weir__random random;
    weir__random_init(&random, 2, 0);
    for (int hard = 0; hard <= 1; hard++) {
        int64_t q = hard ? 41 : 81;
        config.gentle = !hard;
        red = make(&config);
        red.idle = false;
        red.average_packets = (double)q;
        /* But the one that crosses the minimum threshold (ns-2). */
        g_assert_cmpint(weir__red_on_arrival(&red, 0, q, q * 1500, 1500, &random), ==,
                        WEIR__RED_ACCEPT);
        for (int i = 0; i < 100; i++) {
            g_assert_cmpint(weir__red_on_arrival(&red, 0, q, q * 1500, 1500, &random), ==,
                            WEIR__RED_FORCED);
        }
    }
}

/* RFC 3168 7: what is above max_packets on average is dropped, also what could be marked. */
static void test_packets_may_be_marked_up_to_max(void)
{
    static const double max_ps[] = {0.05, 0.1, 1.0};
    for (size_t i = 0; i < G_N_ELEMENTS(max_ps); i++) {
        for (int average = 5; average < 100; average++) {
            struct weir__red_config config = simd_config();
            config.max_p = max_ps[i];
            struct weir__red red = make(&config);
            struct weir__random random;
            weir__random_init(&random, 2, 0);
            red.idle = false;
            red.above_min = true;
            for (int k = 0; k < 200; k++) {
                red.average_packets = average;
                enum weir__red_verdict v =
                    weir__red_on_arrival(&red, 0, average, average * 1500, 1500, &random);
                g_assert_true(v == WEIR__RED_ACCEPT ||
                              (v == WEIR__RED_EARLY) == (average < config.max_packets));
            }
        }
    }
}

/* ns-2 2.35, byte mode: the count is in whole mean packets, so that with max_p = 1 and a mean of
 * 500 packets of 200 bytes are safe up to 400 bytes after a drop; p = 1 drops them whatever their
 * size. */
static void test_byte_mode_counts_whole_packets(void)
{
    struct weir__red_config config = simd_config();
    config.byte_mode = true;
    config.mean_packet_bytes = 500;
    struct weir__red red = make(&config);
    struct weir__random random;
    weir__random_init(&random, 2, 0);
    red.idle = false;
    red.above_min = true;
    for (int i = 0; i < 300; i++) {
        red.average_packets = 100.0; /* p_b = 1 */
        enum weir__red_verdict v = weir__red_on_arrival(&red, 0, 100, 50000, 200, &random);
        g_assert_cmpint(v, ==, i % 3 == 2 ? WEIR__RED_FORCED : WEIR__RED_ACCEPT);
    }
}

/* Bytes in byte mode: one packet waiting is more than one byte. */
static void test_byte_mode_may_drop_with_one_packet_waiting(void)
{
    struct weir__red_config config = simd_config();
    config.byte_mode = true;
    struct weir__red red = make(&config);
    struct weir__random random;
    weir__random_init(&random, 2, 0);
    red.idle = false;
    red.above_min = true;
    red.average_packets = 200.0;
    g_assert_cmpint(weir__red_on_arrival(&red, 0, 1, 1500, 1500, &random), ==, WEIR__RED_FORCED);
}

/* An overflow begins a new gap: none of the next 1 / p packets is dropped early. */
static void test_overflow_begins_a_new_gap(void)
{
    struct weir__red_config config = simd_config();
    struct weir__red red = make(&config);
    struct weir__random random;
    weir__random_init(&random, 2, 0);
    red.idle = false;
    red.above_min = true;
    red.average_packets = 25.0; /* p_b = 0.05 */
    red.since_drop = 38;
    weir__red_on_overflow(&red);
    for (int i = 1; i < 20; i++) {
        g_assert_cmpint(weir__red_on_arrival(&red, 0, 25, 25 * 1500, 1500, &random), ==,
                        WEIR__RED_ACCEPT);
    }
    g_assert_cmpint(red.since_drop, ==, 19);
}

/* With a constant average the gaps between drops are uniform on [1/p, 2/p): mean 1.5 / p. */
static void test_drops_are_spread_between_one_and_two_over_p(void)
{
    struct weir__red_config config = simd_config();
    struct weir__red red = make(&config);
    struct weir__random random;
    int gap = 0;
    int drops = 0;
    int total = 0;
    weir__random_init(&random, 3, 0);
    red.idle = false;
    red.average_packets = 25.0;
    for (int i = 0; i < 100000; i++) {
        enum weir__red_verdict v =
            weir__red_on_arrival(&red, WEIR_MS(i), 25, 25 * 1500, 1500, &random);
        g_assert_cmpint(v, !=, WEIR__RED_FORCED);
        gap++;
        if (v == WEIR__RED_EARLY) {
            if (drops > 0) {
                g_assert_cmpint(gap, >=, 20);
                g_assert_cmpint(gap, <=, 41);
                total += gap;
            }
            drops++;
            gap = 0;
        }
    }
    assert_near((double)total / (drops - 1), 30.0, 1.0);
}

static void test_byte_mode_spares_small_packets(void)
{
    struct weir__red_config config = simd_config();
    config.byte_mode = true;
    struct weir__red red = make(&config);
    struct weir__random random;
    int dropped[2] = {0};
    weir__random_init(&random, 4, 0);
    red.idle = false;
    red.average_packets = 25.0;
    for (int i = 0; i < 200000; i++) {
        int small = i % 2;
        dropped[small] += weir__red_on_arrival(&red, WEIR_MS(i), 25, 25 * 1500, small ? 150 : 1500,
                                               &random) == WEIR__RED_EARLY;
    }
    assert_near((double)dropped[1] / dropped[0], 0.1, 0.03);
    assert_near(red.average_packets, 25.0, 1e-6);
}

/* wq = 1 - exp(-1 / (10 rtt ptc)), rtt = max(0.1, 3 (delay + 1 / ptc)). */
static void test_automatic_settings_are_those_of_ns2(void)
{
    static const struct {
        int64_t rate_bps, delay_ms;
        double min, rtt;
    } cases[] = {{1500000, 24, 5, 0.1},
                 {1500000, 50, 5, 0.158},
                 {10000000, 10, 6.25, 0.1},
                 {100000, 0, 5, 0.12},
                 {8000000, 20, 5, 0.1}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__red_config config;
        struct weir__red red;
        weir__red_config_default(&config);
        g_assert_cmpint(
            weir__red_init(&red, &config, cases[i].rate_bps, WEIR_MS(cases[i].delay_ms)), ==,
            WEIR_OK);
        double ptc = (double)cases[i].rate_bps / 4000.0;
        assert_near(red.config.min_packets, cases[i].min, 1e-9);
        assert_near(red.config.max_packets, 3.0 * cases[i].min, 1e-9);
        assert_near(red.config.weight, 1.0 - exp(-1.0 / (10.0 * cases[i].rtt * ptc)), 1e-12);
    }
}

static void test_values_outside_their_range_are_refused(void)
{
    struct weir__red red;
    struct weir__red_config bad[9];
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = simd_config();
    }
    bad[0].min_packets = -1;
    bad[1].max_packets = 10;
    bad[2].max_p = 0;
    bad[3].max_p = 1.01;
    bad[4].weight = 1;
    bad[5].weight = -0.1;
    bad[6].mean_packet_bytes = 0;
    bad[7].min_packets = NAN;
    bad[8].max_packets = INFINITY;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__red_init(&red, &bad[i], 1000000, 0), ==, WEIR_ERROR_RANGE);
    }
    struct weir__red_config good = simd_config();
    g_assert_cmpint(weir__red_init(&red, &good, 0, 0), ==, WEIR_ERROR_RANGE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/queue_red/base_probability_has_the_known_values",
                    test_base_probability_has_the_known_values);
    g_test_add_func("/sim/queue_red/base_probability_never_falls",
                    test_base_probability_never_falls);
    g_test_add_func("/sim/queue_red/spread_probability_follows_wait",
                    test_spread_probability_follows_wait);
    g_test_add_func("/sim/queue_red/average_is_the_weighted_mean",
                    test_average_is_the_weighted_mean);
    g_test_add_func("/sim/queue_red/average_ages_while_the_link_is_idle",
                    test_average_ages_while_the_link_is_idle);
    g_test_add_func("/sim/queue_red/first_packet_above_min_is_never_dropped",
                    test_first_packet_above_min_is_never_dropped);
    g_test_add_func("/sim/queue_red/short_queue_is_never_dropped_early",
                    test_short_queue_is_never_dropped_early);
    g_test_add_func("/sim/queue_red/above_twice_max_everything_is_dropped",
                    test_above_twice_max_everything_is_dropped);
    g_test_add_func("/sim/queue_red/drops_are_spread_between_one_and_two_over_p",
                    test_drops_are_spread_between_one_and_two_over_p);
    g_test_add_func("/sim/queue_red/byte_mode_spares_small_packets",
                    test_byte_mode_spares_small_packets);
    g_test_add_func("/sim/queue_red/packets_may_be_marked_up_to_max",
                    test_packets_may_be_marked_up_to_max);
    g_test_add_func("/sim/queue_red/byte_mode_counts_whole_packets",
                    test_byte_mode_counts_whole_packets);
    g_test_add_func("/sim/queue_red/byte_mode_may_drop_with_one_packet_waiting",
                    test_byte_mode_may_drop_with_one_packet_waiting);
    g_test_add_func("/sim/queue_red/overflow_begins_a_new_gap", test_overflow_begins_a_new_gap);
    g_test_add_func("/sim/queue_red/automatic_settings_are_those_of_ns2",
                    test_automatic_settings_are_those_of_ns2);
    g_test_add_func("/sim/queue_red/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
