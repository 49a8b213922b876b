/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/link_service.h"
#include "sim/sim_test.h"
#include "weir/units.h"

struct rig {
    struct bench *b;
    struct weir__link link;
    int64_t n_told;
    int64_t told_ns[COLLECTOR_CAPACITY]; /* when the service of a packet was told of */
};

static void on_service(void *target, struct weir__packet *packet)
{
    struct rig *rig = target;
    rig->told_ns[packet->seq] = rig->b->sim.now_ns;
    rig->n_told++;
}

/* No delay, 1000 packets of queue. */
static struct weir__link_config base_config(int64_t capacity_bps)
{
    return (struct weir__link_config){
        .capacity_bps = capacity_bps, .queue = {.limit = {.packets = 1000}}, .seed = 1};
}

static struct rig *rig_new(struct weir__link_config config)
{
    struct rig *rig = g_new0(struct rig, 1);
    rig->b = bench_new(2000);
    config.out = collector_port(&rig->b->out);
    config.on_service = on_service;
    config.service_target = rig;
    g_assert_cmpint(weir__link_init(&rig->link, &rig->b->sim, &rig->b->pool, &config), ==, WEIR_OK);
    return rig;
}

static void rig_free(struct rig *rig)
{
    g_assert_cmpint(link_inside_packets(&rig->link), ==, 0);
    g_assert_cmpuint(rig->b->pool.used_packets, ==, 0);
    weir__link_finish(&rig->link);
    bench_free(rig->b);
    g_free(rig);
}

static void offer(struct rig *rig, int64_t at_ns, int64_t first, int64_t n)
{
    weir__sim_run_until(&rig->b->sim, at_ns);
    for (int64_t i = 0; i < n; i++) {
        weir__link_offer(&rig->link, bench_packet(rig->b, first + i, 1500));
    }
}

/* 12 Mbit/s of the link, 1 ms a packet; 1 Mbit/s and 4500 bytes of the shaper. */
static void test_shaper_sends_a_burst_then_its_rate(void)
{
    static const int64_t arrive_ms[] = {1, 2, 3, 10, 22, 34, 46};
    struct weir__link_config config = base_config(WEIR_MBPS(12));
    config.shaper = (struct weir__token_bucket_config){WEIR_MBPS(1), 4500};
    struct rig *rig = rig_new(config);
    offer(rig, 0, 0, 7);
    /* The one in service ends at 1 ms, with 25 of 36 ms saved; the other six need 72. */
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, WEIR_MS(1 + 72 - 25));
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpuint(rig->b->out.n, ==, 7);
    for (int64_t i = 0; i < 7; i++) {
        int64_t expected_ns = i < 3 ? WEIR_MS(arrive_ms[i]) : WEIR_MS(12 * (i - 2) + 1);
        g_assert_cmpint(rig->b->out.seen[i].at_ns, ==, expected_ns);
        g_assert_cmpint(rig->told_ns[i], ==, expected_ns);
    }
    offer(rig, WEIR_SECONDS(1), 7, 1);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(2));
    g_assert_cmpint(rig->b->out.seen[7].at_ns, ==, WEIR_MS(1001)); /* full again */
    rig_free(rig);
}

static void test_policer_drops_without_a_queue(void)
{
    struct weir__link_config config = base_config(WEIR_MBPS(12));
    config.policer = (struct weir__token_bucket_config){WEIR_MBPS(1), 4500};
    struct rig *rig = rig_new(config);
    for (int64_t i = 0; i < 100; i++) { /* 2 Mbit/s */
        offer(rig, WEIR_MS(6 * i), i, 1);
        g_assert_cmpint(rig->link.queue.packets, ==, 0);
    }
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(2));
    g_assert_cmpint(rig->link.total.dropped_packets, ==, 48); /* 3 + 594 ms / 12 ms pass */
    g_assert_cmpint(rig->link.total.delivered_packets, ==, 52);
    rig_free(rig);
}

/* Without a wait for the channel: what is there when the channel is free goes together. */
static void test_an_aggregate_arrives_together(void)
{
    struct weir__link_config config = base_config(WEIR_MBPS(12));
    config.aggregation = (struct weir__aggregation_config){.packets = 4, .airtime_ns = WEIR_MS(9)};
    struct rig *rig = rig_new(config);
    offer(rig, 0, 0, 6);
    offer(rig, WEIR_US(500), 6, 3);
    offer(rig, WEIR_SECONDS(1), 9, 1);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(2));
    static const int64_t arrive_us[] = {4000, 4000, 4000, 4000, 8000,
                                        8000, 8000, 8000, 9000, 1001000};
    g_assert_cmpuint(rig->b->out.n, ==, 10);
    for (int64_t i = 0; i < 10; i++) {
        g_assert_cmpint(rig->b->out.seen[i].seq, ==, i);
        g_assert_cmpint(rig->b->out.seen[i].at_ns, ==, WEIR_US(arrive_us[i]));
    }
    g_assert_cmpint(rig->n_told, ==, 10);
    g_assert_cmpint(rig->told_ns[5], ==, WEIR_MS(4));
    rig_free(rig);
}

static void test_the_airtime_ends_an_aggregate(void)
{
    struct weir__link_config config = base_config(WEIR_MBPS(12));
    config.aggregation =
        (struct weir__aggregation_config){.packets = 64, .airtime_ns = WEIR_US(2500)};
    struct rig *rig = rig_new(config);
    offer(rig, 0, 0, 7);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(2));
    static const int64_t arrive_ms[] = {3, 3, 3, 6, 6, 6, 7};
    for (int64_t i = 0; i < 7; i++) {
        g_assert_cmpint(rig->b->out.seen[i].at_ns, ==, WEIR_MS(arrive_ms[i]));
    }
    rig_free(rig);
}

/* Mean and deviation of the waits are those of the exponential, and a full queue gets the capacity
 * that is foretold. */
static void test_the_channel_is_waited_for_exponentially(void)
{
    const int n = 2000;
    struct weir__link_config config = base_config(WEIR_MBPS(12));
    config.aggregation = (struct weir__aggregation_config){
        .packets = 8, .airtime_ns = WEIR_SECONDS(1), .access_ns = WEIR_MS(5)};
    struct rig *rig = rig_new(config);
    double sum = 0.0;
    double sum_squares = 0.0;
    int64_t last_ns = 0;
    offer(rig, 0, 0, 900);
    for (int i = 0; i < n; i++) {
        while (rig->b->out.n <= (size_t)(8 * i)) {
            weir__sim_run_until(&rig->b->sim, weir__sim_next_event_ns(&rig->b->sim));
        }
        double wait_ms = (double)(rig->b->sim.now_ns - last_ns) / 1e6 - 8.0;
        last_ns = rig->b->sim.now_ns;
        sum += wait_ms;
        sum_squares += wait_ms * wait_ms;
        g_assert_cmpuint(rig->b->out.n, ==, 8 * (size_t)(i + 1));
        offer(rig, last_ns, 8 * i % 1000, 8);
    }
    assert_near(sum / n, 5.0, 5.0 * 4.0 / 44.7); /* four standard errors */
    assert_near(sum_squares / n, 50.0, 50.0 * 4.0 * 2.3 / 44.7);
    double capacity_bps = 8.0 * 12000.0 * n / ((double)last_ns / 1e9);
    double expected_bps = (double)weir__link_usable_bps(&rig->link.config, config.capacity_bps);
    assert_near(expected_bps, 96000.0 / 0.013, 1.0);
    assert_near(capacity_bps, expected_bps, 0.04 * expected_bps);
    weir__sim_run_until(&rig->b->sim, last_ns + WEIR_SECONDS(100));
    rig_free(rig);
}

static void test_wait_behind_aggregates_is_the_expectation(void)
{
    struct weir__link_config config = base_config(WEIR_MBPS(12));
    config.aggregation = (struct weir__aggregation_config){
        .packets = 8, .airtime_ns = WEIR_SECONDS(1), .access_ns = WEIR_MS(5)};
    struct rig *rig = rig_new(config);
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, 0);
    offer(rig, 0, 0, 20); /* three aggregates, for the first of which the channel is awaited */
    int64_t first_ns = rig->link.service.time_ns;
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, first_ns + WEIR_MS(20 + 10));
    weir__sim_run_until(&rig->b->sim, first_ns + WEIR_MS(3)); /* five ms of the first are left */
    g_assert_cmpint(link_inside_packets(&rig->link), ==, 20);
    g_assert_cmpint(weir__link_look(&rig->link).wait_ns, ==, WEIR_MS(5 + 12 + 10));
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(9));
    rig_free(rig);
}

/* An outage that begins while the channel is awaited must not end the link. */
static void test_aggregates_go_on_after_an_outage(void)
{
    struct weir__link_config config = base_config(WEIR_MBPS(12));
    config.aggregation = (struct weir__aggregation_config){
        .packets = 8, .airtime_ns = WEIR_SECONDS(1), .access_ns = WEIR_MS(5)};
    struct rig *rig = rig_new(config);
    offer(rig, 0, 0, 3);
    weir__link_set_capacity(&rig->link, 0);
    offer(rig, WEIR_MS(1), 3, 3);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpuint(rig->b->out.n, ==, 0);
    weir__link_set_capacity(&rig->link, WEIR_MBPS(12));
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(2));
    g_assert_cmpuint(rig->b->out.n, ==, 6);
    rig_free(rig);
}

static void test_usable_capacity_is_the_least_that_limits(void)
{
    struct weir__link_config config = base_config(WEIR_MBPS(20));
    g_assert_cmpint(weir__link_usable_bps(&config, WEIR_MBPS(20)), ==, WEIR_MBPS(20));
    config.aggregation = (struct weir__aggregation_config){64, WEIR_MS(4), WEIR_MS(6)};
    g_assert_cmpint(weir__link_usable_bps(&config, WEIR_MBPS(20)), ==, 8235294);
    config.policer = (struct weir__token_bucket_config){WEIR_MBPS(5), 1500};
    g_assert_cmpint(weir__link_usable_bps(&config, WEIR_MBPS(20)), ==, WEIR_MBPS(5));
    config.aggregation.packets = 0;
    config.shaper = (struct weir__token_bucket_config){WEIR_MBPS(4), 1500};
    g_assert_cmpint(weir__link_usable_bps(&config, WEIR_MBPS(20)), ==, WEIR_MBPS(4));
    g_assert_cmpint(weir__link_usable_bps(&config, WEIR_MBPS(3)), ==, WEIR_MBPS(3));
}

static void test_a_link_has_one_service(void)
{
    static const int64_t trace_ms[] = {1};
    struct bench *b = bench_new(1);
    for (int has = 0; has < 8; has++) {
        struct weir__link_config config = base_config(WEIR_MBPS(1));
        struct weir__link link;
        config.trace_ms = trace_ms;
        config.n_trace = has & 1 ? 1 : 0;
        config.shaper.rate_bps = has & 2 ? 1000 : 0;
        config.shaper.burst_bytes = 1500;
        config.aggregation = (struct weir__aggregation_config){has & 4 ? 8 : 0, 1, 1};
        bool single = has == 0 || has == 1 || has == 2 || has == 4;
        g_assert_cmpint(weir__link_init(&link, &b->sim, &b->pool, &config), ==,
                        single ? WEIR_OK : WEIR_ERROR_RANGE);
        if (single) {
            weir__link_finish(&link);
        }
    }
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/link_service/shaper_sends_a_burst_then_its_rate",
                    test_shaper_sends_a_burst_then_its_rate);
    g_test_add_func("/sim/link_service/policer_drops_without_a_queue",
                    test_policer_drops_without_a_queue);
    g_test_add_func("/sim/link_service/an_aggregate_arrives_together",
                    test_an_aggregate_arrives_together);
    g_test_add_func("/sim/link_service/the_airtime_ends_an_aggregate",
                    test_the_airtime_ends_an_aggregate);
    g_test_add_func("/sim/link_service/the_channel_is_waited_for_exponentially",
                    test_the_channel_is_waited_for_exponentially);
    g_test_add_func("/sim/link_service/wait_behind_aggregates_is_the_expectation",
                    test_wait_behind_aggregates_is_the_expectation);
    g_test_add_func("/sim/link_service/aggregates_go_on_after_an_outage",
                    test_aggregates_go_on_after_an_outage);
    g_test_add_func("/sim/link_service/usable_capacity_is_the_least_that_limits",
                    test_usable_capacity_is_the_least_that_limits);
    g_test_add_func("/sim/link_service/a_link_has_one_service", test_a_link_has_one_service);
    return g_test_run();
}
