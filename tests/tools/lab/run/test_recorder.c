/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/recorder.h"
#include "tools/lab/lab_fixture.h"
#include <math.h>

static struct lab_scenario *even_traffic(const char *measure)
{
    char *json = g_strdup_printf(
        "{\"duration_s\": 10, %s \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
        " \"capacity_bps\": 1000000, \"duplex\": true}], \"flows\": [{\"name\": \"cbr\","
        " \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"udp\", \"packet_bytes\": 1000,"
        " \"header_bytes\": 0, \"source\": {\"kind\": \"cbr\", \"rate_bps\": 400000,"
        " \"on_s\": 1, \"off_s\": 1}}]}",
        measure);
    struct lab_scenario *scenario = fixture_scenario(json, 1);
    g_free(json);
    return scenario;
}

static void test_the_cov_is_that_of_the_bins(void)
{
    struct lab_scenario *scenario = even_traffic("");
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    const struct lab_flow_record *flow = &run.recorder->flows[0];
    g_assert_cmpint(run.recorder->bins, ==, 10);
    g_assert_cmpint(flow->sent_bps.n, ==, 10);
    assert_near(flow->sent_bps.mean, 200e3, 8e3);
    assert_near(lab_moments_cov(&flow->sent_bps), 1.0, 0.05); /* all or nothing, half the time */
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

/* Beside a short queue: TCP sends again what is lost, and that is not new. */
static void test_what_is_sent_again_is_not_new(void)
{
    struct lab_scenario *scenario = fixture_scenario(
        "{\"duration_s\": 10, \"measure\": {\"bin_s\": 0.5}, \"links\": [{\"name\": \"l\","
        " \"from\": \"A\", \"to\": \"B\", \"capacity_bps\": 1000000, \"delay_ms\": 10,"
        " \"duplex\": true, \"queue\": {\"packets\": 20}}], \"flows\": [{\"name\": \"tcp\","
        " \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"tcp-sack\"}]}",
        1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    const struct lab_flow_record *flow = &run.recorder->flows[0];
    const struct weir__flow_meter *meter = &flow->window.meter;
    double sent = (double)meter->sent_packets, resent = (double)meter->resent_packets;
    g_assert_cmpfloat(resent, >, 10.0);
    assert_near(flow->new_bps.mean / flow->sent_bps.mean, 1.0 - resent / sent, 1e-9);
    g_assert_cmpfloat(lab_moments_cov(&flow->new_bps), >, lab_moments_cov(&flow->sent_bps));
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

static void test_moments_of_nothing_are_undefined(void)
{
    struct lab_moments none = {.n = 0};
    g_assert_true(isnan(lab_moments_cov(&none)));
}

static void test_the_window_is_all_that_counts(void)
{
    struct lab_run whole, part;
    struct lab_scenario *all = even_traffic("");
    struct lab_scenario *some = even_traffic("\"measure\": {\"from_s\": 3.5, \"to_s\": 7.5},");
    fixture_run(&whole, all, NULL);
    fixture_run(&part, some, NULL);
    const struct lab_counts *counts = &part.recorder->flows[0].window;
    g_assert_cmpint(part.recorder->window_start_ns, ==, WEIR_MS(3500));
    g_assert_cmpint(part.recorder->window_end_ns, ==, WEIR_MS(7500));
    assert_near(counts->meter.sent_packets, 2 * 50, 2.5); /* on from 4 to 5 and 6 to 7 */
    assert_near(part.recorder->link_windows[0].capacity_bits, 4e6, 1);
    assert_near(whole.recorder->flows[0].window.meter.sent_packets, 5 * 50, 5.5);
    g_assert_cmpuint(whole.recorder->links[0].queue_packets.n, ==, 1000);
    assert_near(part.recorder->links[0].queue_packets.n, 400, 1.5);
    lab_run_finish(&whole);
    lab_run_finish(&part);
    lab_scenario_free(all);
    lab_scenario_free(some);
}

/* Packets of 10 ms service wait 0 to 10 ms: the mean queue is known, and a look in each 10 ms at a
 * fixed phase would see one and the same place of the rhythm. */
static void test_looks_at_queues_are_blind_to_no_rhythm(void)
{
    struct lab_scenario *scenario = fixture_scenario(
        "{\"duration_s\": 200, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
        " \"capacity_bps\": 1000000}], \"flows\": [{\"name\": \"cbr\", \"count\": 2,"
        " \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"udp\", \"packet_bytes\": 500,"
        " \"header_bytes\": 0, \"source\": {\"kind\": \"cbr\", \"rate_bps\": 400000}}]}",
        1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    const struct weir__histogram *queue = &run.recorder->links[0].queue_packets;
    g_assert_cmpuint(queue->n, ==, 20000);
    assert_near(weir__histogram_mean(queue), 0.4, 0.02); /* the second waits 4 of each 10 ms */
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

static void test_recording_does_not_change_what_happens(void)
{
    struct lab_run fine, coarse;
    struct lab_scenario *a = fixture_scenario(FIXTURE, 3);
    struct lab_scenario *b = fixture_scenario(
        "{\"duration_s\": 10, \"sample_s\": 0.01, \"measure\": {\"from_s\": 2, \"bin_s\": 0.05},"
        " " FIXTURE_FLOWS "}",
        3);
    fixture_run(&coarse, a, NULL);
    fixture_run(&fine, b, NULL);
    for (guint i = 0; i < a->n_flows; i++) {
        const struct lab_counts *x = &coarse.recorder->flows[i].window;
        const struct lab_counts *y = &fine.recorder->flows[i].window;
        g_assert_cmpint(x->meter.received_bytes, ==, y->meter.received_bytes);
        g_assert_cmpint(x->route.lost_packets, ==, y->route.lost_packets);
    }
    g_assert_cmpint(coarse.figures->events, ==, fine.figures->events);
    lab_run_finish(&fine);
    lab_run_finish(&coarse);
    lab_scenario_free(a);
    lab_scenario_free(b);
}

static void test_a_window_that_was_not_reached_is_from_the_start(void)
{
    struct lab_scenario *scenario = even_traffic("\"measure\": {\"from_s\": 8},");
    struct lab_world *world = lab_world_create(scenario, TRUE, NULL);
    struct lab_recorder *recorder = lab_recorder_create(scenario, world, NULL);
    weir__sim_run_until(lab_world_sim(world), WEIR_SECONDS(2));
    lab_recorder_finish(recorder, WEIR_SECONDS(2));
    g_assert_cmpint(recorder->window_start_ns, ==, 0);
    g_assert_cmpint(recorder->window_end_ns, ==, WEIR_SECONDS(2));
    assert_near(recorder->flows[0].window.meter.sent_packets, 50, 1.5);
    lab_recorder_destroy(recorder);
    lab_world_destroy(world);
    lab_scenario_free(scenario);
}

static void test_what_would_fill_disk_or_memory_is_refused(void)
{
    struct lab_scenario *scenario = even_traffic("");
    GError *error = NULL;
    g_assert_true(lab_recorder_check(scenario, TRUE, &error));
    scenario->duration_ns = WEIR_SECONDS(1000000);
    scenario->to_ns = scenario->duration_ns;
    scenario->sample_ns = WEIR_MS(1);
    g_assert_true(lab_recorder_check(scenario, FALSE, &error));
    g_assert_false(lab_recorder_check(scenario, TRUE, &error));
    g_assert_nonnull(strstr(error->message, "sample_s"));
    g_clear_error(&error);
    scenario->bin_ns = WEIR_MS(1);
    g_assert_false(lab_recorder_check(scenario, FALSE, &error));
    g_assert_nonnull(strstr(error->message, "bin_s"));
    g_clear_error(&error);
    lab_scenario_free(scenario);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/recorder/the_cov_is_that_of_the_bins", test_the_cov_is_that_of_the_bins);
    g_test_add_func("/recorder/what_is_sent_again_is_not_new", test_what_is_sent_again_is_not_new);
    g_test_add_func("/recorder/moments_of_nothing_are_undefined",
                    test_moments_of_nothing_are_undefined);
    g_test_add_func("/recorder/the_window_is_all_that_counts", test_the_window_is_all_that_counts);
    g_test_add_func("/recorder/looks_at_queues_are_blind_to_no_rhythm",
                    test_looks_at_queues_are_blind_to_no_rhythm);
    g_test_add_func("/recorder/recording_does_not_change_what_happens",
                    test_recording_does_not_change_what_happens);
    g_test_add_func("/recorder/a_window_that_was_not_reached_is_from_the_start",
                    test_a_window_that_was_not_reached_is_from_the_start);
    g_test_add_func("/recorder/what_would_fill_disk_or_memory_is_refused",
                    test_what_would_fill_disk_or_memory_is_refused);
    return g_test_run();
}
