/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/trace_file.h"
#include "tools/lab/trace_life.h"

/* Reads all; returns the number of records, -1 on an error (which is then the caller's). */
static int read_all(const char *path, GString *again, GError **error)
{
    struct lab_trace trace;
    const struct weir_trace_record *record = NULL;
    char line[WEIR_TRACE_LINE_BYTES];
    int n = 0;
    gboolean ok = lab_trace_open(&trace, path, error);
    while (ok && (ok = lab_trace_read(&trace, &record, error)) && record) {
        n++;
        if (again) {
            g_assert_cmpuint(weir_trace_format(record, line, sizeof line), >, 0);
            g_string_append(again, line);
        }
    }
    lab_trace_close(&trace);
    return ok ? n : -1;
}

/* What was read, written again, is what was read: no field is lost or rounded. */
static void test_a_trace_survives_reading_and_writing(void)
{
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        GString *text = life_lines(weir_algorithm_name(i));
        GString *again = g_string_new(NULL);
        char *path = life_file(text->str, (gssize)text->len);
        g_assert_cmpint(read_all(path, again, NULL), >, 500);
        g_assert_cmpstr(again->str, ==, text->str);
        g_string_free(again, TRUE);
        g_string_free(text, TRUE);
        life_remove(path);
    }
}

static void test_each_kind_is_read_as_it_was_written(void)
{
    for (int kind = WEIR_TRACE_START; kind <= WEIR_TRACE_CONTROL; kind++) {
        struct weir_trace_record record = {.kind = (enum weir_trace_kind)kind,
                                           .now_ns = INT64_MAX - 1,
                                           .name = "some-name",
                                           .value = 0.1,
                                           .seed = UINT64_MAX,
                                           .limits = {1, INT64_MAX, 2},
                                           .seq = INT64_MIN + 2,
                                           .wire_bytes = 3,
                                           .in_flight_bytes = 4,
                                           .network_limited = 1,
                                           .rtt_ns = WEIR_UNKNOWN_NS,
                                           .sent_ns = 5,
                                           .arrived_ns = WEIR_UNKNOWN_NS,
                                           .packet_status = 2,
                                           .ecn = 3,
                                           .n_packets = 6,
                                           .interval_ns = 7,
                                           .expected_packets = 8,
                                           .lost_packets = 9,
                                           .sent_bytes = 10,
                                           .newest_age_ns = 11,
                                           .missing_age_ns = 12,
                                           .output = {11, 12, 13, INT64_MAX, WEIR_UNKNOWN_NS, 14}};
        char line[WEIR_TRACE_LINE_BYTES];
        GString *again = g_string_new(NULL);
        g_assert_cmpuint(weir_trace_format(&record, line, sizeof line), >, 0);
        char *path = life_file(line, -1);
        g_assert_cmpint(read_all(path, again, NULL), ==, 1);
        g_assert_cmpstr(again->str, ==, line);
        g_string_free(again, TRUE);
        life_remove(path);
    }
}

#define GOOD "{\"kind\":\"timer\",\"now_ns\":1}\n"
#define PACKET_WITH_ECN(value)                                                                     \
    "{\"kind\":\"packet\",\"now_ns\":1,\"seq\":1,\"status\":\"lost\",\"sent_ns\":0,"               \
    "\"arrived_ns\":null,\"wire_bytes\":1,\"ecn\":" value "}\n"

static void test_what_is_wrong_is_said_with_file_and_line(void)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {GOOD "{\"kind\":\"timer\",\"now_ns\":", "line 2: the trace is cut off"},
        {GOOD "{\"kind\":\"timer\",\n", "line 2: not a JSON object on one line"},
        {"[1]\n", "line 1: not a JSON object"},
        {"\n", "line 1: not a JSON object"},
        {"{\"now_ns\":1}\n", "line 1: a record without \"kind\""},
        {"{\"kind\":3,\"now_ns\":1}\n", "line 1: a record without \"kind\""},
        {"{\"kind\":\"timers\",\"now_ns\":1}\n", "unknown kind \"timers\""},
        {"{\"kind\":\"timer\"}\n", "without a whole number \"now_ns\""},
        {"{\"kind\":\"timer\",\"now_ns\":1.5}\n", "without a whole number \"now_ns\""},
        {"{\"kind\":\"start\",\"now_ns\":1,\"version\":1}\n",
         "a trace of version 1; this program reads 3"},
        {"{\"kind\":\"start\",\"now_ns\":1}\n", "a trace of version -1"},
        {"{\"kind\":\"param\",\"now_ns\":1,\"name\":\"a\"}\n",
         "a record \"param\" without \"value\""},
        {"{\"kind\":\"param\",\"now_ns\":1,\"name\":1,\"value\":1}\n", "\"name\" of a record"},
        {"{\"kind\":\"param\",\"now_ns\":1,\"name\":\"a\",\"value\":[]}\n",
         "\"value\" of a record"},
        {"{\"kind\":\"param\",\"now_ns\":1,\"name\":\"a\",\"value\":\"b\"}\n",
         "\"value\" of a record"},
        {"{\"kind\":\"packet\",\"now_ns\":1,\"seq\":1,\"status\":\"gone\"}\n", "\"status\" of a"},
        {GOOD PACKET_WITH_ECN("4"), "line 2: \"ecn\" of a record \"packet\" is 4; it may be 0"},
        {GOOD PACKET_WITH_ECN("-1"), "line 2: \"ecn\" of a record \"packet\" is -1; it may be 0"},
        {GOOD PACKET_WITH_ECN("true"), "line 2: \"ecn\" of a record \"packet\" has another type"},
        {GOOD PACKET_WITH_ECN("null"), "line 2: \"ecn\" of a record \"packet\" has another type"},
        {"{\"kind\":\"part\",\"version\":3,\"part\":3}\n" GOOD,
         "the beginning of the trace is gone (this is part 3)"},
        {GOOD "{\"kind\":\"part\",\"version\":3,\"part\":3}\n",
         "part 3 of the trace follows part 0"},
        {GOOD "{\"kind\":\"part\",\"version\":7,\"part\":1}\n", "version 7"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        char *path = life_file(cases[i].text, -1);
        g_assert_cmpint(read_all(path, NULL, &error), ==, -1);
        g_test_message("%s", error->message);
        g_assert_nonnull(strstr(error->message, cases[i].says));
        g_assert_nonnull(strstr(error->message, path));
        g_assert_null(strchr(error->message, '\n'));
        g_clear_error(&error);
        life_remove(path);
    }
}

static void test_a_line_longer_than_any_record_is_refused(void)
{
    GString *text = g_string_new("{\"kind\":\"timer\",\"now_ns\":1");
    GError *error = NULL;
    for (int i = 0; i < 2000; i++) {
        g_string_append_c(text, ' ');
    }
    g_string_append(text, "}\n");
    char *path = life_file(text->str, -1);
    g_assert_cmpint(read_all(path, NULL, &error), ==, -1);
    g_assert_nonnull(strstr(error->message, "longer than a line of a trace can be"));
    g_error_free(error);
    g_string_free(text, TRUE);
    life_remove(path);
}

static void test_files_that_cannot_be_read_say_so(void)
{
    GError *error = NULL;
    g_assert_cmpint(read_all("/nowhere/trace.jsonl", NULL, &error), ==, -1);
    g_assert_nonnull(strstr(error->message, "/nowhere/trace.jsonl: there is no such file"));
    g_clear_error(&error);
    g_assert_cmpint(read_all("/", NULL, &error), ==, -1);
    g_assert_cmpstr(error->message, ==, "/: cannot be read: Is a directory");
    g_clear_error(&error);
}

/* FILE.2, FILE.1, FILE: one trace. Unknown members of a record are passed over. */
static void test_parts_are_one_trace(void)
{
    char *path = life_file("{\"kind\":\"part\",\"version\":3,\"part\":2}\n"
                           "{\"kind\":\"timer\",\"now_ns\":3,\"later\":{}}\n",
                           -1);
    char *one = g_strconcat(path, ".1", NULL);
    char *two = g_strconcat(path, ".2", NULL);
    GString *again = g_string_new(NULL);
    g_assert_true(g_file_set_contents(
        one, "{\"kind\":\"part\",\"version\":3,\"part\":1}\n{\"kind\":\"timer\",\"now_ns\":2}\n",
        -1, NULL));
    g_assert_true(g_file_set_contents(two, GOOD, -1, NULL));
    g_assert_cmpint(read_all(path, again, NULL), ==, 3);
    g_assert_cmpstr(again->str, ==,
                    GOOD "{\"kind\":\"timer\",\"now_ns\":2}\n{\"kind\":\"timer\",\"now_ns\":3}\n");
    g_string_free(again, TRUE);
    g_free(one);
    g_free(two);
    life_remove(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace_file/a_trace_survives_reading_and_writing",
                    test_a_trace_survives_reading_and_writing);
    g_test_add_func("/trace_file/each_kind_is_read_as_it_was_written",
                    test_each_kind_is_read_as_it_was_written);
    g_test_add_func("/trace_file/what_is_wrong_is_said_with_file_and_line",
                    test_what_is_wrong_is_said_with_file_and_line);
    g_test_add_func("/trace_file/a_line_longer_than_any_record_is_refused",
                    test_a_line_longer_than_any_record_is_refused);
    g_test_add_func("/trace_file/files_that_cannot_be_read_say_so",
                    test_files_that_cannot_be_read_say_so);
    g_test_add_func("/trace_file/parts_are_one_trace", test_parts_are_one_trace);
    return g_test_run();
}
