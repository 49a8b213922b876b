/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/table.h"
#include "tools/lab/lab_fixture.h"

static char *table_of(const char *json)
{
    struct lab_scenario *scenario = fixture_scenario(json, 1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    char *text = lab_result_table(run.figures);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
    return text;
}

static void test_every_flow_and_link_has_a_line(void)
{
    static const char *const lines[] = {"\ncall ",   "\ntcp.1 ",   "\ntcp.2 ", "\nfile ",
                                        "\nspeech ", "\ntcp (2) ", "\nl ",     "\nl.reverse "};
    char *text = table_of(FIXTURE);
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_assert_nonnull(strstr(text, lines[i]));
    }
    g_assert_null(strstr(text, "nan"));
    g_free(text);
}

static void test_lines_are_as_long_as_their_heads(void)
{
    char *text = table_of(FIXTURE);
    char **lines = g_strsplit(text, "\n", -1);
    gsize head = 0;
    for (gsize i = 0; lines[i]; i++) {
        if (g_str_has_prefix(lines[i], "link ")) {
            head = strlen(lines[i]);
        } else if (g_str_has_prefix(lines[i], "l.reverse ") || g_str_has_prefix(lines[i], "l ")) {
            g_assert_cmpuint(strlen(lines[i]), ==, head);
        }
    }
    g_assert_cmpuint(head, >, 0);
    g_strfreev(lines);
    g_free(text);
}

static void test_many_flows_are_shown_by_group(void)
{
    char *text =
        table_of("{\"duration_s\": 1, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
                 " \"capacity_bps\": 1000000}], \"flows\": [{\"name\": \"x\", \"count\": 100,"
                 " \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"tcp-reno\"}]}");
    g_assert_nonnull(strstr(text, "\nx.40 "));
    g_assert_null(strstr(text, "\nx.41 "));
    g_assert_nonnull(strstr(text, "... and 60 more"));
    g_assert_nonnull(strstr(text, "\nx (100) "));
    g_free(text);
}

/* 950 kbit/s from 2 s on; there is nothing on the way back, and no half second after 3.9 s. */
static void test_links_that_came_to_be_in_use_say_when(void)
{
    char *text = table_of(
        "{\"duration_s\": 4, \"measure\": {\"rise_from_s\": [0, 1.5, 3.9]},"
        " \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\", \"capacity_bps\": "
        "1000000}],"
        " \"flows\": [{\"name\": \"x\", \"from\": \"A\", \"to\": \"B\", \"algorithm\": \"udp\","
        " \"packet_bytes\": 100, \"header_bytes\": 0, \"start_s\": 2,"
        " \"source\": {\"kind\": \"cbr\", \"rate_bps\": 950000}}]}");
    g_assert_nonnull(strstr(text, "\nl: 90 % in use 2.50 s after 0.00 s, 1.00 s after 1.50 s\n"));
    g_assert_null(strstr(text, "\nl.reverse: "));
    g_free(text);
}

/* One flow is always fair to itself. */
static void test_fairness_is_that_of_several(void)
{
    static const char *const tested[] = {"", ", \"tested\": true"};
    for (size_t i = 0; i < G_N_ELEMENTS(tested); i++) {
        char *json = g_strdup_printf(
            "{\"duration_s\": 1, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
            " \"capacity_bps\": 1000000}], \"flows\": [{\"name\": \"x\", \"from\": \"A\","
            " \"to\": \"B\", \"algorithm\": \"tcp-reno\"%s}, {\"name\": \"y\", \"from\": \"A\","
            " \"to\": \"B\", \"algorithm\": \"tcp-reno\"}]}",
            tested[i]);
        char *text = table_of(json);
        g_assert_true((strstr(text, "\nJain's index ") == NULL) == (i == 1));
        g_assert_nonnull(strstr(text, " events, "));
        g_free(text);
        g_free(json);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/table/every_flow_and_link_has_a_line", test_every_flow_and_link_has_a_line);
    g_test_add_func("/table/lines_are_as_long_as_their_heads",
                    test_lines_are_as_long_as_their_heads);
    g_test_add_func("/table/many_flows_are_shown_by_group", test_many_flows_are_shown_by_group);
    g_test_add_func("/table/links_that_came_to_be_in_use_say_when",
                    test_links_that_came_to_be_in_use_say_when);
    g_test_add_func("/table/fairness_is_that_of_several", test_fairness_is_that_of_several);
    return g_test_run();
}
