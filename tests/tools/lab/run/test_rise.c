/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/rise.h"
#include "tools/lab/lab_fixture.h"
#include <math.h>

/* Samples of a link of 8 Mbit/s from `from_s` until `to_s`, of which this share is used. */
struct rig {
    struct lab_rise rise;
    struct lab_scenario scenario;
    struct lab_rise_sample sample;
};

static void rig_init(struct rig *rig, int64_t first_ns, int64_t second_ns)
{
    *rig = (struct rig){.scenario = {.n_rises = 2, .rise_from_ns = {first_ns, second_ns}}};
    lab_rise_init(&rig->rise);
}

static void run_until(struct rig *rig, int64_t until_ns, double mbps, double used)
{
    for (; rig->sample.at_ns < until_ns; rig->sample.at_ns += LAB_RISE_STEP_NS) {
        double bits = mbps * 1e6 * 0.05;
        lab_rise_add(&rig->rise, &rig->scenario, &rig->sample);
        rig->sample.capacity_bits += bits;
        rig->sample.delivered_bytes += (int64_t)(bits * used / 8.0 + 0.5);
    }
}

/* Used by half until 3 s, then whole: nine tenths of half a second at 3.4 s. */
static void test_is_the_end_of_the_first_half_second_used_by_nine_tenths(void)
{
    struct rig rig;
    rig_init(&rig, 0, WEIR_SECONDS(1));
    run_until(&rig, WEIR_SECONDS(3), 8.0, 0.5);
    g_assert_cmpint(rig.rise.rise_ns[0], ==, WEIR_NEVER_NS);
    run_until(&rig, WEIR_SECONDS(6), 8.0, 1.0);
    g_assert_cmpint(rig.rise.rise_ns[0], ==, WEIR_MS(3400));
    g_assert_cmpint(rig.rise.rise_ns[1], ==, WEIR_MS(2400));
}

static void test_nine_tenths_are_enough_and_less_is_not(void)
{
    struct rig rig;
    rig_init(&rig, 0, WEIR_SECONDS(1));
    run_until(&rig, WEIR_SECONDS(5), 8.0, 0.8999);
    g_assert_cmpint(rig.rise.rise_ns[0], ==, WEIR_NEVER_NS);
    rig_init(&rig, 0, WEIR_SECONDS(1));
    run_until(&rig, WEIR_SECONDS(5), 8.0, 0.9);
    g_assert_cmpint(rig.rise.rise_ns[0], ==, WEIR_MS(500));
}

/* A link that was full before its capacity rose says nothing of the time after. */
static void test_what_was_before_the_instant_does_not_count(void)
{
    struct rig rig;
    rig_init(&rig, WEIR_SECONDS(4), WEIR_SECONDS(20));
    run_until(&rig, WEIR_SECONDS(4), 1.0, 1.0);
    run_until(&rig, WEIR_SECONDS(6), 2.5, 0.4);
    g_assert_cmpint(rig.rise.rise_ns[0], ==, WEIR_NEVER_NS);
    run_until(&rig, WEIR_SECONDS(9), 2.5, 1.0);
    g_assert_cmpint(rig.rise.rise_ns[0], ==, WEIR_MS(2450));
    g_assert_cmpint(rig.rise.rise_ns[1], ==, WEIR_NEVER_NS);
}

static void test_an_outage_is_not_used(void)
{
    struct rig rig;
    rig_init(&rig, 0, WEIR_SECONDS(1));
    run_until(&rig, WEIR_SECONDS(5), 0.0, 1.0);
    g_assert_cmpint(rig.rise.rise_ns[0], ==, WEIR_NEVER_NS);
}

/* UDP of 950 kbit/s from 2 s on, on 1 Mbit/s. */
static void test_results_have_it_for_each_link_and_instant(void)
{
    struct lab_scenario *scenario = fixture_scenario(
        "{\"duration_s\": 6, \"measure\": {\"from_s\": 5, \"rise_from_s\": [0, 1.5, 5.9]},"
        " \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\", \"capacity_bps\": "
        "1000000}],"
        " \"flows\": [{\"name\": \"cbr\", \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"udp\","
        " \"packet_bytes\": 100, \"header_bytes\": 0, \"start_s\": 2,"
        " \"source\": {\"kind\": \"cbr\", \"rate_bps\": 950000}}]}",
        1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    assert_near(run.figures->links[0].rise_s[0], 2.5, 1e-9);
    assert_near(run.figures->links[0].rise_s[1], 1.0, 1e-9);
    g_assert_true(isnan(run.figures->links[0].rise_s[2]));
    g_assert_true(isnan(run.figures->links[1].rise_s[0]));
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rise/is_the_end_of_the_first_half_second_used_by_nine_tenths",
                    test_is_the_end_of_the_first_half_second_used_by_nine_tenths);
    g_test_add_func("/rise/nine_tenths_are_enough_and_less_is_not",
                    test_nine_tenths_are_enough_and_less_is_not);
    g_test_add_func("/rise/what_was_before_the_instant_does_not_count",
                    test_what_was_before_the_instant_does_not_count);
    g_test_add_func("/rise/an_outage_is_not_used", test_an_outage_is_not_used);
    g_test_add_func("/rise/results_have_it_for_each_link_and_instant",
                    test_results_have_it_for_each_link_and_instant);
    return g_test_run();
}
