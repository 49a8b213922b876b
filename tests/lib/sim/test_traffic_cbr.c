/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic_cbr.h"
#include "sim_test.h"
#include "weir/units.h"
#include <stdlib.h>

static struct weir__cbr_config base_config(struct bench *b)
{
    return (struct weir__cbr_config){.rate_bps = 700000,
                                     .packet_bytes = 1500,
                                     .stop_ns = WEIR_NEVER_NS,
                                     .flow = 3,
                                     .out = collector_port(&b->out)};
}

static void test_packets_are_evenly_spaced_at_the_exact_rate(void)
{
    static const int64_t rates_bps[] = {64000, 700000, 999983, 3000000, 7};
    for (size_t k = 0; k < G_N_ELEMENTS(rates_bps); k++) {
        struct bench *b = bench_new(10);
        struct weir__cbr cbr;
        struct weir__cbr_config config = base_config(b);
        config.rate_bps = rates_bps[k];
        g_assert_cmpint(weir__cbr_init(&cbr, &b->sim, &b->pool, &config), ==, WEIR_OK);
        double interval_ns = 12000e9 / (double)rates_bps[k];
        weir__sim_run_until(&b->sim, (int64_t)(interval_ns * 1000.5));
        g_assert_cmpuint(b->out.n, ==, 1001);
        for (size_t i = 0; i < b->out.n; i++) {
            g_assert_cmpint(llabs(b->out.seen[i].at_ns - (int64_t)((double)i * interval_ns)), <=,
                            2 + (int64_t)(interval_ns * 1e-12));
            g_assert_cmpint(b->out.seen[i].seq, ==, (int64_t)i);
            g_assert_cmpuint(b->out.seen[i].flow, ==, 3);
            g_assert_cmpint(b->out.seen[i].size_bytes, ==, 1500);
        }
        bench_free(b);
    }
}

static void test_on_and_off_follow_the_square_wave(void)
{
    struct bench *b = bench_new(10);
    struct weir__cbr cbr;
    struct weir__cbr_config config = base_config(b);
    config.on_ns = WEIR_SECONDS(20);
    config.off_ns = WEIR_SECONDS(10);
    config.start_ns = WEIR_SECONDS(5);
    g_assert_cmpint(weir__cbr_init(&cbr, &b->sim, &b->pool, &config), ==, WEIR_OK);
    weir__sim_run_until(&b->sim, WEIR_SECONDS(300));
    int first = 0;
    for (size_t i = 0; i < b->out.n; i++) {
        int64_t phase_ns = (b->out.seen[i].at_ns - WEIR_SECONDS(5)) % WEIR_SECONDS(30);
        g_assert_cmpint(phase_ns, <, WEIR_SECONDS(20));
        first += phase_ns == 0;
    }
    g_assert_cmpint(first, ==, 10); /* each "on" begins with a packet */
    /* 10 times 20 s at 58.33 packets per second, rounded up each time */
    g_assert_cmpuint(b->out.n, ==, 9 * 1167 + 875 + 292);
    bench_free(b);
}

static void test_start_and_stop_are_kept(void)
{
    struct bench *b = bench_new(10);
    struct weir__cbr cbr;
    struct weir__cbr_config config = base_config(b);
    config.start_ns = WEIR_SECONDS(2);
    config.stop_ns = WEIR_SECONDS(3);
    g_assert_cmpint(weir__cbr_init(&cbr, &b->sim, &b->pool, &config), ==, WEIR_OK);
    weir__sim_run_until(&b->sim, WEIR_SECONDS(10));
    g_assert_cmpint(b->out.seen[0].at_ns, ==, WEIR_SECONDS(2));
    g_assert_cmpint(b->out.seen[b->out.n - 1].at_ns, <, WEIR_SECONDS(3));
    g_assert_cmpuint(b->out.n, ==, 59);
    g_assert_cmpint(weir__sim_next_event_ns(&b->sim), ==, WEIR_NEVER_NS);
    bench_free(b);
}

static void test_sink_counts_what_arrives(void)
{
    struct bench *b = bench_new(10);
    struct weir__cbr cbr;
    struct weir__cbr_config config = base_config(b);
    config.out = weir__cbr_sink_port(&cbr);
    g_assert_cmpint(weir__cbr_init(&cbr, &b->sim, &b->pool, &config), ==, WEIR_OK);
    weir__sim_run_until(&b->sim, WEIR_SECONDS(60));
    g_assert_cmpint(cbr.arrived_packets, ==, cbr.sent_packets);
    g_assert_cmpint(cbr.arrived_bytes, ==, 1500 * cbr.sent_packets);
    assert_near((double)cbr.arrived_bytes * 8 / 60, 700000, 300);
    g_assert_cmpuint(b->pool.used_packets, ==, 0);
    bench_free(b);
}

static void test_empty_pool_skips_packets_and_goes_on(void)
{
    struct bench *b = bench_new(1);
    struct weir__cbr cbr;
    struct weir__cbr_config config = base_config(b);
    struct weir__packet *held = weir__packet_take(&b->pool);
    g_assert_cmpint(weir__cbr_init(&cbr, &b->sim, &b->pool, &config), ==, WEIR_OK);
    weir__sim_run_until(&b->sim, WEIR_SECONDS(1));
    g_assert_cmpuint(b->out.n, ==, 0);
    weir__packet_give(&b->pool, held);
    weir__sim_run_until(&b->sim, WEIR_SECONDS(2));
    g_assert_cmpuint(b->out.n, ==, 58);
    bench_free(b);
}

static void test_values_outside_their_range_are_refused(void)
{
    struct bench *b = bench_new(1);
    struct weir__cbr cbr;
    struct weir__cbr_config bad[8];
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = base_config(b);
    }
    bad[0].rate_bps = 0;
    bad[1].rate_bps = INT64_MAX;
    bad[2].packet_bytes = 0;
    bad[3].packet_bytes = 1000001;
    bad[4].on_ns = 5;
    bad[5].off_ns = 5;
    bad[6].on_ns = bad[6].off_ns = -5;
    bad[7].start_ns = -1;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__cbr_init(&cbr, &b->sim, &b->pool, &bad[i]), ==, WEIR_ERROR_RANGE);
    }
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/traffic_cbr/packets_are_evenly_spaced_at_the_exact_rate",
                    test_packets_are_evenly_spaced_at_the_exact_rate);
    g_test_add_func("/sim/traffic_cbr/on_and_off_follow_the_square_wave",
                    test_on_and_off_follow_the_square_wave);
    g_test_add_func("/sim/traffic_cbr/start_and_stop_are_kept", test_start_and_stop_are_kept);
    g_test_add_func("/sim/traffic_cbr/sink_counts_what_arrives", test_sink_counts_what_arrives);
    g_test_add_func("/sim/traffic_cbr/empty_pool_skips_packets_and_goes_on",
                    test_empty_pool_skips_packets_and_goes_on);
    g_test_add_func("/sim/traffic_cbr/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
