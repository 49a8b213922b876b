/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/series.h"
#include "tools/lab/lab_fixture.h"

/* Sum of a column of the rows whose second column is `name`. */
static int64_t column_sum(const char *csv, const char *name, guint column)
{
    char **lines = g_strsplit(csv, "\n", -1);
    int64_t sum = 0;
    for (gsize i = 1; lines[i] && *lines[i]; i++) {
        char **cells = g_strsplit(lines[i], ",", -1);
        if (strcmp(cells[1], name) == 0) {
            sum += g_ascii_strtoll(cells[column], NULL, 10);
        }
        g_strfreev(cells);
    }
    g_strfreev(lines);
    return sum;
}

static guint count_lines(const char *text)
{
    guint n = 0;
    for (; *text; text++) {
        n += *text == '\n';
    }
    return n;
}

/* A run with its directory. */
struct recorded {
    const char *const *variables;
    char *directory;
    struct lab_scenario *scenario;
    struct lab_series *series;
    struct lab_run run;
    char *flows; /* the files */
    char *links;
};

static void record_variables(struct recorded *r, const char *json, const char *const *variables)
{
    r->variables = variables;
    r->directory = fixture_directory();
    r->scenario = fixture_scenario(json, 1);
    r->series = lab_series_create(r->directory, r->scenario, r->variables, NULL);
    fixture_run(&r->run, r->scenario, r->series);
    g_assert_true(lab_series_finish(r->series, "{}", NULL));
    r->flows = fixture_file(r->directory, "flows.csv");
    r->links = fixture_file(r->directory, "links.csv");
}

static void record(struct recorded *r, const char *json)
{
    record_variables(r, json, NULL);
}

static void recorded_clear(struct recorded *r)
{
    g_free(r->flows);
    g_free(r->links);
    lab_run_finish(&r->run);
    lab_series_destroy(r->series);
    lab_scenario_free(r->scenario);
    fixture_remove(r->directory);
}

static void test_bins_add_up_to_the_totals(void)
{
    struct recorded r;
    record(&r, "{\"duration_s\": 10.05, " FIXTURE_FLOWS "}");
    g_assert_cmpuint(count_lines(r.flows), ==, 1 + 101 * r.scenario->n_flows);
    g_assert_cmpuint(count_lines(r.links), ==, 1 + 101 * r.scenario->n_links);
    for (guint i = 0; i < r.scenario->n_flows; i++) {
        const char *name = r.scenario->flows[i]->name;
        struct lab_counts counts;
        lab_world_count(r.run.world, i, &counts);
        g_assert_cmpint(column_sum(r.flows, name, 2), ==, counts.meter.sent_bytes);
        g_assert_cmpint(column_sum(r.flows, name, 3), ==, counts.meter.received_bytes);
        g_assert_cmpint(column_sum(r.flows, name, 4), ==, counts.meter.goodput_bytes);
        g_assert_cmpint(column_sum(r.flows, name, 5), ==, counts.meter.sent_packets);
        g_assert_cmpint(column_sum(r.flows, name, 6), ==,
                        counts.route.dropped_packets + counts.route.lost_packets);
        g_assert_cmpint(column_sum(r.flows, name, 12), ==, counts.meter.generated_packets);
    }
    for (guint i = 0; i < r.scenario->n_links; i++) {
        const struct weir__packet_counters *total =
            weir__link_counters(lab_world_link(r.run.world, i));
        const char *name = r.scenario->links[i]->name;
        g_assert_cmpint(column_sum(r.links, name, 3), ==, total->delivered_bytes);
        g_assert_cmpint(column_sum(r.links, name, 4), ==, total->offered_packets);
        g_assert_cmpint(column_sum(r.links, name, 5), ==, total->dropped_packets);
        g_assert_cmpint(column_sum(r.links, name, 6), ==, total->lost_packets);
    }
    recorded_clear(&r);
}

static void test_the_last_row_ends_with_the_simulation(void)
{
    struct recorded r;
    record(&r, "{\"duration_s\": 1.05, " FIXTURE_FLOWS "}");
    g_assert_nonnull(strstr(r.links, "\n0.1,l,1000000,"));
    g_assert_nonnull(strstr(r.links, "\n1.05,l,1000000,"));
    recorded_clear(&r);
}

/* The call has them, TCP has none. */
static void test_variables_that_were_asked_for_are_the_last_columns(void)
{
    const char *const variables[] = {"capacity_bps", "rate_bps", NULL};
    struct recorded r;
    struct lab_variables now;
    record_variables(&r, "{\"duration_s\": 2, " FIXTURE_FLOWS "}", variables);
    char **rows = g_strsplit(r.flows, "\n", -1);
    g_assert_true(g_str_has_suffix(rows[0], ",discarded_packets,capacity_bps,rate_bps"));
    char **last_of_call = g_strsplit(rows[1 + 19 * r.scenario->n_flows], ",", -1);
    char **last_of_tcp = g_strsplit(rows[2 + 19 * r.scenario->n_flows], ",", -1);
    g_assert_cmpstr(last_of_call[1], ==, "call");
    lab_world_get_variables(r.run.world, 0, &now);
    for (size_t i = 0; i < now.n; i++) {
        for (int k = 0; variables[k]; k++) {
            if (strcmp(now.all[i].name, variables[k]) == 0) {
                g_assert_cmpfloat(g_ascii_strtod(last_of_call[14 + k], NULL), ==, now.all[i].value);
            }
        }
    }
    g_assert_cmpfloat(g_ascii_strtod(last_of_call[15], NULL), >, 100.0);
    g_assert_cmpstr(last_of_tcp[14], ==, "");
    g_assert_cmpstr(last_of_tcp[15], ==, "");
    g_strfreev(last_of_call);
    g_strfreev(last_of_tcp);
    g_strfreev(rows);
    recorded_clear(&r);
}

static void test_the_result_is_written_last_and_an_old_one_goes_first(void)
{
    char *directory = fixture_directory();
    char *path = g_build_filename(directory, "result.json", NULL);
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    g_assert_true(g_file_set_contents(path, "old", -1, NULL));
    struct lab_series *series = lab_series_create(directory, scenario, NULL, NULL);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    g_assert_true(lab_series_finish(series, "new", NULL));
    char *text = fixture_file(directory, "result.json");
    g_assert_cmpstr(text, ==, "new");
    g_free(text);
    text = fixture_file(directory, "scenario.json");
    json_decref(fixture_json(text));
    g_free(text);
    g_free(path);
    lab_series_destroy(series);
    lab_scenario_free(scenario);
    fixture_remove(directory);
}

/* 8 Mbit/s into 1 Mbit/s: the queue of ten packets of 12 ms is full but for the first 0.02 s, until
 * the link fails. */
static void test_the_wait_is_empty_in_outages_alone(void)
{
    struct recorded r;
    record(&r,
           "{\"duration_s\": 4, \"sample_s\": 1, \"links\": [{\"name\": \"l\", \"from\": \"A\","
           " \"to\": \"B\", \"duplex\": false, \"capacity_bps\": 1000000, \"queue\": {\"packets\": "
           "10},"
           " \"schedule\": [{\"at_s\": 2, \"capacity_bps\": 0}]}], \"flows\": [{\"name\": \"u\","
           " \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"udp\","
           " \"source\": {\"kind\": \"cbr\", \"rate_bps\": 8000000}}]}");
    char **rows = g_strsplit(r.links, "\n", -1);
    g_assert_true(g_str_has_suffix(rows[0], ",queue_packets_max,queue_ms"));
    for (int i = 0; i < 4; i++) {
        char **cells = g_strsplit(rows[1 + i], ",", -1);
        if (i < 2) {
            assert_near(g_ascii_strtod(cells[9], NULL), 126.0, 4.0);
        } else {
            g_assert_cmpstr(cells[9], ==, "");
        }
        g_strfreev(cells);
    }
    g_strfreev(rows);
    recorded_clear(&r);
}

static void test_a_directory_that_cannot_be_is_refused(void)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    GError *error = NULL;
    g_assert_null(lab_series_create("/dev/null/x", scenario, NULL, &error));
    g_assert_nonnull(strstr(error->message, "/dev/null/x"));
    g_assert_null(strchr(error->message, '\n'));
    g_clear_error(&error);
    lab_scenario_free(scenario);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/series/bins_add_up_to_the_totals", test_bins_add_up_to_the_totals);
    g_test_add_func("/series/the_last_row_ends_with_the_simulation",
                    test_the_last_row_ends_with_the_simulation);
    g_test_add_func("/series/variables_that_were_asked_for_are_the_last_columns",
                    test_variables_that_were_asked_for_are_the_last_columns);
    g_test_add_func("/series/the_result_is_written_last_and_an_old_one_goes_first",
                    test_the_result_is_written_last_and_an_old_one_goes_first);
    g_test_add_func("/series/the_wait_is_empty_in_outages_alone",
                    test_the_wait_is_empty_in_outages_alone);
    g_test_add_func("/series/a_directory_that_cannot_be_is_refused",
                    test_a_directory_that_cannot_be_is_refused);
    return g_test_run();
}
