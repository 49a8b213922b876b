/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/source_rig.h"
#include <math.h>

#define SEEDS 20

static struct weir__source_config pareto(uint64_t seed)
{
    struct weir__source_config config;
    weir__source_config_default(&config, WEIR__SOURCE_PARETO);
    config.rate_bps = 500000;
    config.unit_bytes = 500;
    config.seed = seed;
    return config;
}

#define INTERVAL_NS WEIR_MS(8)

static bool begins_burst(const struct source_rig *rig, size_t i)
{
    return rig_unit(rig, i)->at_ns - rig_unit(rig, i - 1)->at_ns > INTERVAL_NS;
}

static void test_packets_of_a_burst_are_evenly_spaced(void)
{
    struct weir__source_config config = pareto(1);
    config.unit_bytes = 501; /* 8.016 ms */
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(2000));
    size_t bursts = 0;
    for (size_t i = 1; i < rig->seen->len; i++) {
        int64_t gap_ns = rig_unit(rig, i)->at_ns - rig_unit(rig, i - 1)->at_ns;
        g_assert_cmpint(rig_unit(rig, i)->unit.bytes, ==, 501);
        g_assert_cmpint(gap_ns, >=, WEIR_US(8016));
        bursts += gap_ns != WEIR_US(8016);
    }
    g_assert_cmpuint(bursts, >, 100);
    g_assert_cmpuint(rig->seen->len, >, 20 * bursts);
    source_rig_free(rig);
}

/* Without a whole number of nanoseconds between packets, long bursts keep the exact rate. */
static void test_long_bursts_do_not_drift(void)
{
    struct weir__source_config config = pareto(1);
    config.rate_bps = 999983;
    config.on_ns = WEIR_SECONDS(1000000);
    config.off_ns = 1;
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(1000));
    int64_t first_ns = rig_unit(rig, 0)->at_ns;
    for (int64_t i = 0; i < (int64_t)rig->seen->len; i++) {
        int64_t bit_ns = (i + 1) * WEIR_SECONDS(4000) / 999983 - WEIR_SECONDS(4000) / 999983;
        g_assert_cmpint(rig_unit(rig, (size_t)i)->at_ns - first_ns, ==, bit_ns);
    }
    source_rig_free(rig);
}

/* The first burst comes behind a pause and an interval, as ns-2 starts. */
static void test_a_pause_comes_first(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct weir__source_config config = pareto(seed);
        config.start_ns = WEIR_SECONDS(7);
        struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(1000));
        /* the least pause is mean (shape - 1) / shape */
        g_assert_cmpint(rig_unit(rig, 0)->at_ns, >=, WEIR_SECONDS(7) + INTERVAL_NS + 666666666);
        source_rig_free(rig);
    }
}

struct tail {
    double n;
    double above; /* than this many times the least value */
};

/* Numbers of bursts and pauses in all and of those above twice and eight times the least. */
static void count_tails(const struct source_rig *rig, int64_t least_pause_ns, double least_packets,
                        struct tail bursts[2], struct tail pauses[2])
{
    static const double factors[] = {2.0, 8.0};
    int64_t packets = 0;
    for (size_t i = 1; i < rig->seen->len; i++) {
        packets++;
        if (!begins_burst(rig, i)) {
            continue;
        }
        int64_t pause_ns = rig_unit(rig, i)->at_ns - rig_unit(rig, i - 1)->at_ns - INTERVAL_NS;
        g_assert_cmpint(pause_ns, >=, least_pause_ns);
        g_assert_cmpint(packets, >=, (int64_t)(least_packets + 0.5));
        for (int k = 0; k < 2; k++) {
            pauses[k].n++;
            bursts[k].n++;
            pauses[k].above += (double)pause_ns > factors[k] * (double)least_pause_ns;
            bursts[k].above += (double)packets > factors[k] * least_packets;
        }
        packets = 0;
    }
}

/* P(X > k least) = k^-shape; the counts are binomial, and five standard deviations are allowed. The
 * mean of so heavy a tail converges too slowly to say anything. */
static void test_burst_lengths_and_pauses_have_the_tail_of_pareto(void)
{
    struct tail bursts[2] = {{0}};
    struct tail pauses[2] = {{0}};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct weir__source_config config = pareto(seed);
        config.on_ns = WEIR_MS(1200); /* 150 packets: at least 50, and above means above 50 k */
        struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(4000));
        count_tails(rig, 666666666, 50.0, bursts, pauses);
        source_rig_free(rig);
    }
    for (int k = 0; k < 2; k++) {
        /* a burst is above 100 (400) when it is drawn above 100.5 (400.5) */
        double p_pause = pow(k == 0 ? 2.0 : 8.0, -1.5);
        double p_burst = pow(k == 0 ? 2.01 : 8.01, -1.5);
        double n = pauses[k].n;
        g_assert_cmpfloat(n, >, 10000);
        assert_near(pauses[k].above / n, p_pause, 5.0 * sqrt(p_pause * (1 - p_pause) / n));
        assert_near(bursts[k].above / n, p_burst, 5.0 * sqrt(p_burst * (1 - p_burst) / n));
    }
}

/* Mean 3, least 1: one packet is what is drawn below 1.5. */
static void test_burst_lengths_are_rounded(void)
{
    struct weir__source_config config = pareto(1);
    config.on_ns = WEIR_MS(24);
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(100000));
    double bursts = 0.0;
    double of_one = 0.0;
    for (size_t i = 1; i + 1 < rig->seen->len; i++) {
        bursts += begins_burst(rig, i);
        of_one += begins_burst(rig, i) && begins_burst(rig, i + 1);
    }
    double p = 1.0 - pow(1.5, -1.5);
    assert_near(of_one / bursts, p, 5.0 * sqrt(p * (1.0 - p) / bursts));
    source_rig_free(rig);
}

/* With shape 4 the variances of both lengths exist: mean m and variance m^2/8. Over n cycles of
 * mean on + off the share of time on has the standard deviation sqrt(2/8) on off / (on + off)^2 /
 * sqrt(n), to first order. */
static void test_long_run_rate_is_the_share_of_time_on(void)
{
    double on_s = 1.0;
    double off_s = 2.0;
    double duration_s = 3000.0;
    double rate = 0.0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct weir__source_config config = pareto(seed);
        config.shape = 4.0;
        struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(3000));
        rate += 8.0 * (double)weir__source_bytes(rig->source) / duration_s / SEEDS;
        source_rig_free(rig);
    }
    double cycles = SEEDS * duration_s / (on_s + off_s);
    double deviation = sqrt(2.0 / 8.0) * on_s * off_s / 9.0 / sqrt(cycles);
    assert_near(rate / 500000.0, on_s / (on_s + off_s), 5.0 * deviation);
}

static void test_a_burst_has_at_least_one_packet(void)
{
    struct weir__source_config config = pareto(1);
    config.on_ns = 1;
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(3000));
    g_assert_cmpuint(rig->seen->len, >, 100);
    for (size_t i = 1; i < rig->seen->len; i++) {
        g_assert_true(begins_burst(rig, i));
    }
    source_rig_free(rig);
}

static void test_extreme_values_neither_overflow_nor_stop_time(void)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct weir__source_config config = pareto(seed);
        config.shape = 1.001;
        config.off_ns = WEIR_SECONDS(1000000000);
        config.on_ns = WEIR_SECONDS(1000000000);
        config.rate_bps = INT64_C(1000000000000);
        config.unit_bytes = 1;
        struct source_rig *rig = source_rig_new(&config);
        g_assert_cmpint(weir__sim_next_event_ns(&rig->sim), >, 0);
        source_rig_free(rig);
    }
}

static void test_values_outside_their_range_are_refused(void)
{
    struct weir__source_config bad[8];
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = pareto(1);
        g_assert_cmpint(weir__source_check(&bad[i]), ==, WEIR_OK);
    }
    bad[0].rate_bps = 0;
    bad[1].unit_bytes = 0;
    bad[2].on_ns = 0;
    bad[3].off_ns = 0;
    bad[4].shape = 1.0;
    bad[5].shape = (double)NAN;
    bad[6].shape = (double)INFINITY;
    bad[7].off_ns = INT64_MAX;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__source_check(&bad[i]), ==, WEIR_ERROR_RANGE);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/source_pareto/packets_of_a_burst_are_evenly_spaced",
                    test_packets_of_a_burst_are_evenly_spaced);
    g_test_add_func("/sim/source_pareto/long_bursts_do_not_drift", test_long_bursts_do_not_drift);
    g_test_add_func("/sim/source_pareto/a_pause_comes_first", test_a_pause_comes_first);
    g_test_add_func("/sim/source_pareto/burst_lengths_and_pauses_have_the_tail_of_pareto",
                    test_burst_lengths_and_pauses_have_the_tail_of_pareto);
    g_test_add_func("/sim/source_pareto/burst_lengths_are_rounded", test_burst_lengths_are_rounded);
    g_test_add_func("/sim/source_pareto/long_run_rate_is_the_share_of_time_on",
                    test_long_run_rate_is_the_share_of_time_on);
    g_test_add_func("/sim/source_pareto/a_burst_has_at_least_one_packet",
                    test_a_burst_has_at_least_one_packet);
    g_test_add_func("/sim/source_pareto/extreme_values_neither_overflow_nor_stop_time",
                    test_extreme_values_neither_overflow_nor_stop_time);
    g_test_add_func("/sim/source_pareto/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
