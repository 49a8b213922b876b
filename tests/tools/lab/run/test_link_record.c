/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/link_record.h"
#include "test.h"
#include "weir/units.h"
#include <string.h>

static void discard(void *target, struct weir__packet *packet)
{
    weir__packet_give(target, packet);
}

struct rig {
    struct weir__sim sim;
    struct weir__packet_pool pool;
    struct weir__link link;
    struct weir__link_config config;
};

static void rig_init(struct rig *rig, const struct weir__schedule_step *steps, size_t n_steps,
                     int64_t period_ns)
{
    weir__sim_init(&rig->sim);
    weir__packet_pool_init(&rig->pool);
    rig->config = (struct weir__link_config){.capacity_bps = 1000000,
                                             .steps = steps,
                                             .n_steps = n_steps,
                                             .period_ns = period_ns,
                                             .queue.limit.packets = 10,
                                             .out = {discard, &rig->pool}};
    g_assert_cmpint(weir__packet_pool_reserve(&rig->pool, 100), ==, WEIR_OK);
    g_assert_cmpint(weir__link_init(&rig->link, &rig->sim, &rig->pool, &rig->config), ==, WEIR_OK);
}

static void rig_finish(struct rig *rig)
{
    weir__link_finish(&rig->link);
    weir__packet_pool_finish(&rig->pool);
}

static void offer(struct rig *rig, int n)
{
    for (int i = 0; i < n; i++) {
        struct weir__packet *packet = weir__packet_take(&rig->pool);
        packet->size_bytes = 1250; /* 10 ms */
        packet->flow = 0;
        weir__link_offer(&rig->link, packet);
    }
}

static void test_capacity_is_integrated_over_the_schedule(void)
{
    static const struct weir__schedule_step steps[] = {
        {.at_ns = WEIR_SECONDS(1), .rate_bps = 3000000},
        {.at_ns = WEIR_SECONDS(2), .rate_bps = 0},
        {.at_ns = WEIR_SECONDS(4), .rate_bps = 500000}};
    static const struct {
        int64_t until_ns;
        double bits;
    } cases[] = {{WEIR_SECONDS(1), 1e6},
                 {WEIR_MS(1500), 2.5e6},
                 {WEIR_SECONDS(2), 4e6},
                 {WEIR_SECONDS(4), 4e6},
                 {WEIR_SECONDS(6), 5e6}};
    struct weir__link_config config = {.capacity_bps = 1000000, .steps = steps, .n_steps = 3};
    for (int pieces = 1; pieces <= 7; pieces++) {
        struct lab_link_record record;
        lab_link_record_init(&record, &config);
        for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
            int64_t from_ns = record.integrated_ns;
            for (int k = 1; k <= pieces; k++) {
                lab_link_record_advance(&record,
                                        from_ns + (cases[i].until_ns - from_ns) * k / pieces);
            }
            assert_near(record.capacity_bits, cases[i].bits, 1.0);
        }
    }
}

static void test_a_repeated_schedule_is_integrated_again_and_again(void)
{
    static const struct weir__schedule_step steps[] = {
        {.at_ns = 0, .rate_bps = 2000000}, {.at_ns = WEIR_SECONDS(1), .rate_bps = 1000000}};
    struct weir__link_config config = {
        .capacity_bps = 1000000, .steps = steps, .n_steps = 2, .period_ns = WEIR_SECONDS(2)};
    struct lab_link_record record;
    lab_link_record_init(&record, &config);
    lab_link_record_advance(&record, WEIR_SECONDS(200));
    assert_near(record.capacity_bits, 300e6, 1.0);
}

static void test_looks_see_the_queue_and_the_wait(void)
{
    struct rig rig;
    struct lab_link_record record;
    rig_init(&rig, NULL, 0, 0);
    lab_link_record_init(&record, &rig.config);
    lab_link_record_look(&record, &rig.link, TRUE);
    offer(&rig, 5); /* one is served, four wait */
    lab_link_record_look(&record, &rig.link, TRUE);
    lab_link_record_settle(&record);
    g_assert_cmpint(record.bin.looks, ==, 2);
    g_assert_cmpint(record.bin.queue_packets_sum, ==, 4);
    g_assert_cmpint(record.bin.queue_packets_max, ==, 4);
    g_assert_cmpuint(record.queue_packets.n, ==, 2);
    g_assert_cmpint(record.queue_packets.max, ==, 4);
    g_assert_cmpint(record.wait_ns.max, ==, WEIR_MS(50));
    g_assert_cmpuint(record.wait_ns.n, ==, 2);
    g_assert_cmpint(weir__histogram_percentile(&record.wait_ns, 0.4), ==, 0);
    lab_link_record_look(&record, &rig.link, FALSE);
    lab_link_record_settle(&record);
    g_assert_cmpuint(record.queue_packets.n, ==, 2);
    g_assert_cmpint(record.bin.looks, ==, 3);
    g_assert_cmpint(record.bin.wait_looks, ==, 3);
    assert_near(record.bin.wait_sum_ns, (double)WEIR_MS(100), 0.5);
    lab_link_record_finish(&record);
    rig_finish(&rig);
}

static void test_waits_without_end_are_left_out(void)
{
    static const struct weir__schedule_step outage[] = {{.at_ns = 0, .rate_bps = 0}};
    struct rig rig;
    struct lab_link_record record;
    rig_init(&rig, outage, 1, 0);
    lab_link_record_init(&record, &rig.config);
    offer(&rig, 3);
    lab_link_record_look(&record, &rig.link, TRUE);
    g_assert_cmpuint(record.queue_packets.n, ==, 1);
    g_assert_cmpuint(record.wait_ns.n, ==, 0);
    g_assert_cmpint(record.bin.looks, ==, 1);
    g_assert_cmpint(record.bin.wait_looks, ==, 0);
    lab_link_record_finish(&record);
    rig_finish(&rig);
}

static void test_bins_are_differences(void)
{
    struct rig rig;
    struct lab_link_record record;
    struct lab_link_bin bin;
    rig_init(&rig, NULL, 0, 0);
    lab_link_record_init(&record, &rig.config);
    offer(&rig, 3);
    weir__sim_run_until(&rig.sim, WEIR_SECONDS(1));
    lab_link_record_advance(&record, WEIR_SECONDS(1));
    lab_link_bin_start(&bin, &record, &rig.link);
    offer(&rig, 15); /* one is served, ten wait, four are dropped */
    weir__sim_run_until(&rig.sim, WEIR_SECONDS(3));
    lab_link_record_advance(&record, WEIR_SECONDS(3));
    struct lab_link_difference difference = lab_link_bin_end(&bin, &record, &rig.link);
    g_assert_cmpint(difference.counters.offered_packets, ==, 15);
    g_assert_cmpint(difference.counters.dropped_packets, ==, 4);
    g_assert_cmpint(difference.counters.delivered_packets, ==, 11);
    g_assert_cmpint(difference.counters.delivered_bytes, ==, 11 * 1250);
    assert_near(difference.capacity_bits, 2e6, 1e-3);
    rig_finish(&rig);
}

static void test_counts_of_dualpi2_are_differences(void)
{
    struct rig rig;
    struct lab_link_record record;
    struct lab_link_bin bin;
    const struct weir__dualpi2_counts before = {{1, 2, 3, 4}, {5, 6, 7, 8}, 9};
    rig_init(&rig, NULL, 0, 0);
    lab_link_record_init(&record, &rig.config);
    rig.link.queue.dualpi2.counts = before;
    lab_link_bin_start(&bin, &record, &rig.link);
    rig.link.queue.dualpi2.counts =
        (struct weir__dualpi2_counts){{11, 22, 33, 44}, {55, 66, 77, 88}, 99};
    struct lab_link_difference difference = lab_link_bin_end(&bin, &record, &rig.link);
    const struct weir__dualpi2_counts expected = {{10, 20, 30, 40}, {50, 60, 70, 80}, 90};
    g_assert_cmpint(memcmp(&difference.dualpi2, &expected, sizeof expected), ==, 0);
    rig_finish(&rig);
}

static void test_capacity_of_a_trace_is_its_opportunities(void)
{
    static const int64_t at_ms[] = {2, 5, 5, 10};
    struct weir__link_config config = {.trace_ms = at_ms, .n_trace = 4};
    struct lab_link_record record;
    lab_link_record_init(&record, &config);
    lab_link_record_advance(&record, WEIR_MS(5));
    assert_near(record.capacity_bits, 36000.0, 1e-6);
    lab_link_record_advance(&record, WEIR_MS(100));
    assert_near(record.capacity_bits, 480000.0, 1e-6);
}

static void test_capacity_of_a_policed_link_is_that_of_the_policer(void)
{
    struct weir__link_config config = {.capacity_bps = 1000000, .policer = {250000, 1500}};
    struct lab_link_record record;
    lab_link_record_init(&record, &config);
    lab_link_record_advance(&record, WEIR_SECONDS(2));
    assert_near(record.capacity_bits, 500000.0, 1e-6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link_record/capacity_is_integrated_over_the_schedule",
                    test_capacity_is_integrated_over_the_schedule);
    g_test_add_func("/link_record/a_repeated_schedule_is_integrated_again_and_again",
                    test_a_repeated_schedule_is_integrated_again_and_again);
    g_test_add_func("/link_record/looks_see_the_queue_and_the_wait",
                    test_looks_see_the_queue_and_the_wait);
    g_test_add_func("/link_record/waits_without_end_are_left_out",
                    test_waits_without_end_are_left_out);
    g_test_add_func("/link_record/bins_are_differences", test_bins_are_differences);
    g_test_add_func("/link_record/counts_of_dualpi2_are_differences",
                    test_counts_of_dualpi2_are_differences);
    g_test_add_func("/link_record/capacity_of_a_trace_is_its_opportunities",
                    test_capacity_of_a_trace_is_its_opportunities);
    g_test_add_func("/link_record/capacity_of_a_policed_link_is_that_of_the_policer",
                    test_capacity_of_a_policed_link_is_that_of_the_policer);
    return g_test_run();
}
