/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/figures.h"
#include "tools/lab/lab_fixture.h"
#include <math.h>

static const struct lab_flow_figures *flow_named(const struct lab_figures *figures,
                                                 const char *name)
{
    for (guint i = 0; i < figures->scenario->n_flows; i++) {
        if (strcmp(figures->flows[i].flow->name, name) == 0) {
            return &figures->flows[i];
        }
    }
    g_assert_not_reached();
}

static void test_figures_stay_in_their_ranges(void)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct lab_scenario *scenario = fixture_scenario(FIXTURE, seed);
        struct lab_run run;
        fixture_run(&run, scenario, NULL);
        for (guint i = 0; i < scenario->n_flows; i++) {
            const struct lab_flow_figures *flow = &run.figures->flows[i];
            const double *values = flow->values;
            const struct lab_counts *counts = &flow->counts;
            g_assert_cmpint(counts->meter.goodput_bytes, <=, counts->meter.received_bytes);
            if (flow->is_finite) {
                continue; /* is done before the window begins */
            }
            g_assert_cmpfloat(values[LAB_COV], >=, 0.0);
            g_assert_cmpfloat(values[LAB_DELAY_MEAN_MS], >=, 20.0);
            g_assert_cmpfloat(values[LAB_DELAY_P50_MS], <=, values[LAB_DELAY_P95_MS]);
            g_assert_cmpfloat(values[LAB_DELAY_P95_MS], <=, values[LAB_DELAY_P99_MS]);
        }
        for (guint i = 0; i < scenario->n_links; i++) {
            const struct lab_link_figures *link = &run.figures->links[i];
            assert_near(link->capacity_bps, 1e6, 1e-3);
            g_assert_cmpfloat(link->utilization, >, 0.0);
            g_assert_cmpfloat(link->utilization, <=,
                              1.0 + 12000.0 / 8e6); /* a packet at the edge */
            g_assert_cmpfloat(link->queue_packets.max, <=, 20.0);
            g_assert_cmpfloat(link->queue_packets.p50, <=, link->queue_packets.p95);
            g_assert_cmpfloat(link->queue_ms.p95, <=, link->queue_ms.max);
        }
        g_assert_cmpfloat(run.figures->jain, <=, 1.0);
        g_assert_cmpfloat(run.figures->jain_p5, <=, run.figures->jain_p95);
        lab_run_finish(&run);
        lab_scenario_free(scenario);
    }
}

static void test_figures_are_there_where_they_apply(void)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    const struct lab_flow_figures *call = flow_named(run.figures, "call");
    const struct lab_flow_figures *tcp = flow_named(run.figures, "tcp.1");
    const struct lab_flow_figures *file = flow_named(run.figures, "file");
    const struct lab_flow_figures *speech = flow_named(run.figures, "speech");
    g_assert_true(call->has_buffer && !call->is_tcp && !call->is_voice);
    g_assert_true(tcp->is_tcp && !tcp->is_finite && !tcp->has_buffer);
    g_assert_true(file->is_finite && speech->is_voice && !speech->has_buffer);
    g_assert_cmpfloat(call->values[LAB_MOUTH_TO_EAR_MS], >=, call->values[LAB_DELAY_MEAN_MS]);
    g_assert_cmpfloat(file->values[LAB_COMPLETED_S], >, 0.2);
    g_assert_true(isnan(tcp->values[LAB_COMPLETED_S]));
    g_assert_cmpfloat(speech->values[LAB_R_SCORE], >, 0.0);
    g_assert_cmpfloat(speech->values[LAB_R_SCORE], <=, 94.2);
    g_assert_true(isnan(call->values[LAB_R_SCORE]));
    g_assert_true(isnan(call->values[LAB_RISE_S]));
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

/* Nothing is lost and the delay is that of the link: the score is the formula's. */
static void test_speech_over_an_ideal_link_has_the_score_of_its_delay(void)
{
    struct lab_scenario *scenario = fixture_scenario(
        "{\"duration_s\": 100, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
        " \"capacity_bps\": 1000000000, \"delay_ms\": 150}], \"flows\": [{\"name\": \"speech\","
        " \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"udp\", \"source\":"
        " {\"kind\": \"voip\", \"padded\": true}}]}",
        1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    const struct lab_flow_figures *speech = &run.figures->flows[0];
    assert_near(speech->values[LAB_MOUTH_TO_EAR_MS], 150.0, 0.01);
    assert_near(speech->values[LAB_R_SCORE], 90.6, 1e-3); /* 94.2 - 0.024 x 150 */
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

static void test_groups_sum_counts_and_average_the_others(void)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    const struct lab_flow_figures *a = flow_named(run.figures, "tcp.1");
    const struct lab_flow_figures *b = flow_named(run.figures, "tcp.2");
    const struct lab_flow_figures *group = &run.figures->groups[1];
    g_assert_cmpuint(run.figures->n_groups, ==, 4);
    g_assert_cmpstr(group->flow->group, ==, "tcp");
    g_assert_cmpuint(group->n_flows, ==, 2);
    g_assert_cmpint(group->counts.meter.goodput_bytes, ==,
                    a->counts.meter.goodput_bytes + b->counts.meter.goodput_bytes);
    g_assert_cmpint(group->counts.route.offered_packets, ==,
                    a->counts.route.offered_packets + b->counts.route.offered_packets);
    assert_near(group->values[LAB_COV], (a->values[LAB_COV] + b->values[LAB_COV]) / 2.0, 1e-12);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

static void test_nothing_counted_is_undefined_not_zero(void)
{
    g_assert_true(isnan(lab_ratio(0, 0)));
    g_assert_cmpfloat(lab_ratio(1, 4), ==, 0.25);
    struct lab_scenario *scenario = fixture_scenario(
        "{\"duration_s\": 5, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
        " \"capacity_bps\": 1000000}], \"flows\": [{\"name\": \"late\", \"from\": \"A\","
        " \"to\": \"B\", \"algorithm\": \"tcp-reno\", \"start_s\": 100}]}",
        1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    const struct lab_flow_figures *flow = &run.figures->flows[0];
    g_assert_true(isnan(flow->values[LAB_COV]));
    g_assert_true(isnan(flow->values[LAB_DELAY_MEAN_MS]));
    g_assert_true(isnan(flow->values[LAB_DELAY_P95_MS]));
    g_assert_cmpint(lab_figures_bps(flow, flow->counts.meter.goodput_bytes), ==, 0);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

/* A flow alone that leaves half of the link to one that comes. */
static void test_times_to_the_fair_rate_are_since_the_window_began(void)
{
    struct lab_scenario *scenario = fixture_scenario(
        "{\"duration_s\": 60, \"measure\": {\"from_s\": 20, \"fair_bps\": 300000},"
        " \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\", \"capacity_bps\": "
        "1000000}],"
        " \"flows\": [{\"name\": \"early\", \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"udp\","
        " \"header_bytes\": 0, \"source\": {\"kind\": \"cbr\", \"rate_bps\": 600000,"
        " \"schedule\": [{\"at_s\": 20, \"rate_bps\": 300000}]}},"
        " {\"name\": \"new\", \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"udp\","
        " \"start_s\": 20, \"header_bytes\": 0, \"source\": {\"kind\": \"cbr\","
        " \"rate_bps\": 300000}}]}",
        1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    const double *early = run.figures->flows[0].values;
    const double *new = run.figures->flows[1].values;
    assert_near(early[LAB_FALL_S], 5.0, 1.0); /* 5 s until the mean over 5 s has followed */
    assert_near(new[LAB_RISE_S], 5.0, 1.0);
    assert_near(new[LAB_CONVERGE_S], 5.0, 1.0);
    assert_near(early[LAB_RISE_S], 0.0, 1e-9);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

/* Of two equal flows one stops before the window: the other has nobody to be unfair to. */
static void test_fairness_is_between_those_that_run(void)
{
    struct lab_scenario *scenario = fixture_scenario(
        "{\"duration_s\": 20, \"measure\": {\"from_s\": 5},"
        " \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\", \"capacity_bps\": "
        "1000000}],"
        " \"flows\": [{\"name\": \"gone\", \"from\": \"A\", \"to\": \"B\", \"stop_s\": 4},"
        " {\"name\": \"stays\", \"from\": \"A\", \"to\": \"B\"},"
        " {\"name\": \"comes\", \"from\": \"A\", \"to\": \"B\", \"start_s\": 12}]}",
        1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    g_assert_cmpfloat(run.figures->jain, >, 0.5);
    g_assert_cmpfloat(run.figures->jain, <, 1.0);
    g_assert_cmpfloat(run.figures->jain_p95, ==, 1.0); /* alone until 12 s */
    g_assert_true(isnan(run.figures->flows[0].values[LAB_RTT_MS]));
    g_assert_cmpfloat(run.figures->flows[1].values[LAB_RTT_MS], >, 0.0);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/figures/figures_stay_in_their_ranges", test_figures_stay_in_their_ranges);
    g_test_add_func("/figures/figures_are_there_where_they_apply",
                    test_figures_are_there_where_they_apply);
    g_test_add_func("/figures/speech_over_an_ideal_link_has_the_score_of_its_delay",
                    test_speech_over_an_ideal_link_has_the_score_of_its_delay);
    g_test_add_func("/figures/groups_sum_counts_and_average_the_others",
                    test_groups_sum_counts_and_average_the_others);
    g_test_add_func("/figures/nothing_counted_is_undefined_not_zero",
                    test_nothing_counted_is_undefined_not_zero);
    g_test_add_func("/figures/times_to_the_fair_rate_are_since_the_window_began",
                    test_times_to_the_fair_rate_are_since_the_window_began);
    g_test_add_func("/figures/fairness_is_between_those_that_run",
                    test_fairness_is_between_those_that_run);
    return g_test_run();
}
