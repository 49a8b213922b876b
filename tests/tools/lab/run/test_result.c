/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/result.h"
#include "tools/lab/lab_fixture.h"

static char *result_of(uint64_t seed)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, seed);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    run.figures->wall_s = 0.0;
    char *text = lab_result_json(run.figures);
    char *name = g_strdup_printf("\"scenario\": \"%s\"", scenario->name);
    char **parts = g_strsplit(text, name, 2); /* a temporary file's */
    g_free(text);
    text = g_strjoinv("\"scenario\": \"x\"", parts);
    g_strfreev(parts);
    g_free(name);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
    return text;
}

static void test_equal_runs_give_equal_bytes_and_other_seeds_others(void)
{
    char *a = result_of(1), *b = result_of(1), *c = result_of(2);
    g_assert_cmpstr(a, ==, b);
    g_assert_cmpstr(a, !=, c);
    g_free(a);
    g_free(b);
    g_free(c);
}

static void assert_members(json_t *object, const char *const *names)
{
    for (; *names; names++) {
        if (!json_object_get(object, *names)) {
            g_error("no member %s", *names);
        }
    }
}

static void test_the_members_are_those_of_the_documentation(void)
{
    static const char *const top[] = {"scenario",
                                      "version",
                                      "seed",
                                      "complete",
                                      "sim_s",
                                      "from_s",
                                      "to_s",
                                      "bin_s",
                                      "flows",
                                      "groups",
                                      "links",
                                      "jain",
                                      "jain_instantaneous",
                                      "events",
                                      "packets",
                                      "wall_s",
                                      NULL};
    static const char *const flow[] = {"name",     "group",        "algorithm",    "goodput_bps",
                                       "sent_bps", "sent_packets", "lost_packets", "loss_ratio",
                                       "cov",      "cov_sent",     "delay_ms",     "rtt_ms",
                                       NULL};
    static const char *const media[] = {
        "feedback",        "generated_packets", "discarded_packets", "discard_ratio",
        "mouth_to_ear_ms", "feedback_packets",  "feedback_bps",      NULL};
    static const char *const tcp[] = {"timeouts", "resent_packets", "recoveries", "cov_new", NULL};
    static const char *const voice[] = {"r_score", "mos", "mouth_to_ear_ms", NULL};
    static const char *const link[] = {"name",          "capacity_bps",    "utilization",
                                       "loss_ratio",    "dropped_packets", "lost_packets",
                                       "queue_packets", "queue_ms",        NULL};
    char *text = result_of(1);
    json_t *object = fixture_json(text);
    json_t *flows = json_object_get(object, "flows");
    assert_members(object, top);
    for (guint i = 0; i < json_array_size(flows); i++) {
        assert_members(json_array_get(flows, i), flow);
    }
    assert_members(json_array_get(flows, 0), media);
    assert_members(json_array_get(flows, 1), tcp);
    assert_members(json_array_get(flows, 4), voice);
    g_assert_true(json_object_get(json_array_get(flows, 3), "completed_s") != NULL);
    g_assert_null(json_object_get(json_array_get(flows, 0), "timeouts"));
    assert_members(json_array_get(json_object_get(object, "links"), 1), link);
    json_decref(object);
    g_free(text);
}

static void test_late_ratios_are_named_after_their_prebuffers(void)
{
    struct lab_scenario *scenario = fixture_scenario(
        "{\"duration_s\": 10, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
        " \"capacity_bps\": 1000000, \"delay_ms\": 200}], \"flows\": [{\"name\": \"film\","
        " \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"tcp-reno\", \"source\":"
        " {\"kind\": \"stream\", \"rate_bps\": 100000}, \"playout_prebuffer_s\": [0.1, 5]}]}",
        1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    char *text = lab_result_json(run.figures);
    g_assert_nonnull(strstr(text, "\"late_ratio\": {\"0.1\": 1, \"5\": 0}"));
    g_free(text);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

static void test_a_flow_names_the_links_of_its_data_in_order(void)
{
    struct lab_scenario *scenario = fixture_scenario(
        "{\"duration_s\": 1, \"links\": [{\"name\": \"b\", \"from\": \"B\", \"to\": \"C\","
        " \"capacity_bps\": 1000000}, {\"name\": \"a\", \"from\": \"A\", \"to\": \"B\","
        " \"capacity_bps\": 1000000}], \"flows\": [{\"name\": \"there\", \"from\": \"A\","
        " \"to\": \"C\"}, {\"name\": \"back\", \"from\": \"C\", \"to\": \"A\"}]}",
        1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    char *text = lab_result_json(run.figures);
    char *there = strstr(text, "\"links\": [\"a\", \"b\"]");
    g_assert_nonnull(there);
    g_assert_nonnull(strstr(there, "\"links\": [\"b.reverse\", \"a.reverse\"]"));
    g_free(text);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

static double number_at(json_t *object, const char *queue, const char *name)
{
    return json_number_value(json_object_get(json_object_get(object, queue), name));
}

/* A Prague and a Cubic: what left each queue is what the link carried, and the Cubic waits for
 * about the target of 15 ms. */
static void test_a_dualpi2_link_tells_of_each_of_its_queues(void)
{
    struct lab_scenario *scenario = fixture_scenario(
        "{\"duration_s\": 30, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
        " \"capacity_bps\": 20000000, \"delay_ms\": 10,"
        " \"queue\": {\"discipline\": \"dualpi2\", \"packets\": 1000},"
        " \"reverse\": {\"queue\": {\"packets\": 1000}}}], \"flows\": [{\"name\": \"p\","
        " \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"tcp-prague\"}, {\"name\": \"c\","
        " \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"tcp-cubic\"}]}",
        1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    char *text = lab_result_json(run.figures);
    json_t *object = fixture_json(text);
    json_t *link = json_array_get(json_object_get(object, "links"), 0);
    json_t *dual = json_object_get(link, "dualpi2");
    double sent =
        number_at(dual, "l4s", "sent_packets") + number_at(dual, "classic", "sent_packets");
    assert_near(sent, json_number_value(json_object_get(link, "delivered_packets")), 50.0);
    g_assert_cmpfloat(number_at(dual, "l4s", "marked_packets"), >, 0.0);
    g_assert_cmpfloat(number_at(dual, "classic", "marked_packets"), ==, 0.0);
    g_assert_cmpfloat(number_at(dual, "classic", "dropped_packets"), >, 0.0);
    assert_near(number_at(dual, "classic", "wait_ms"), 15.0, 7.0);
    assert_near(number_at(dual, "l4s", "wait_ms"), 0.6, 0.5);
    g_assert_cmpfloat(json_number_value(json_object_get(dual, "overload_s")), ==, 0.0);
    link = json_array_get(json_object_get(object, "links"), 1);
    g_assert_null(json_object_get(link, "dualpi2"));
    json_decref(object);
    g_free(text);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

static void test_degraded_feedback_is_told(void)
{
    static const char *const cases[][2] = {{"ccfb", "\"feedback\": \"per-packet\""},
                                           {"twcc", "\"feedback\": \"per-packet\""},
                                           {"rr", "\"feedback\": \"reports-only\""},
                                           {"remb", "\"feedback\": \"reports-only\""}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *json = g_strdup_printf(
            "{\"duration_s\": 20, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
            " \"capacity_bps\": 1000000, \"delay_ms\": 20}], \"flows\": [{\"name\": \"call\","
            " \"from\": \"A\", \"to\": \"B\", \"feedback\": {\"format\": \"%s\"}}]}",
            cases[i][0]);
        struct lab_scenario *scenario = fixture_scenario(json, 1);
        struct lab_run run;
        fixture_run(&run, scenario, NULL);
        char *text = lab_result_json(run.figures);
        g_assert_nonnull(strstr(text, cases[i][1]));
        g_free(text);
        lab_run_finish(&run);
        lab_scenario_free(scenario);
        g_free(json);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/result/equal_runs_give_equal_bytes_and_other_seeds_others",
                    test_equal_runs_give_equal_bytes_and_other_seeds_others);
    g_test_add_func("/result/the_members_are_those_of_the_documentation",
                    test_the_members_are_those_of_the_documentation);
    g_test_add_func("/result/late_ratios_are_named_after_their_prebuffers",
                    test_late_ratios_are_named_after_their_prebuffers);
    g_test_add_func("/result/a_flow_names_the_links_of_its_data_in_order",
                    test_a_flow_names_the_links_of_its_data_in_order);
    g_test_add_func("/result/a_dualpi2_link_tells_of_each_of_its_queues",
                    test_a_dualpi2_link_tells_of_each_of_its_queues);
    g_test_add_func("/result/degraded_feedback_is_told", test_degraded_feedback_is_told);
    return g_test_run();
}
