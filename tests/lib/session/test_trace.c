/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "weir/trace.h"

#include <locale.h>
#include <math.h>

#include "test.h"

static const struct {
    struct weir_trace_record record;
    const char *line;
} cases[] = {
    {{.kind = WEIR_TRACE_START,
      .now_ns = 5,
      .name = "tfrc",
      .seed = UINT64_MAX,
      .limits = {.min_bps = 1, .max_bps = 3, .start_bps = 2},
      .wire_bytes = 1228,
      .rtt_ns = WEIR_UNKNOWN_NS,
      .n_packets = 9},
     "{\"kind\":\"start\",\"now_ns\":5,\"version\":3,\"algorithm\":\"tfrc\","
     "\"seed\":-1,\"min_bps\":1,\"max_bps\":3,\"start_bps\":2,"
     "\"packet_bytes\":1228,\"rtt_ns\":null,\"n_params\":9}\n"},
    {{.kind = WEIR_TRACE_PARAM, .now_ns = 5, .name = "p", .value = 0.1},
     "{\"kind\":\"param\",\"now_ns\":5,\"name\":\"p\",\"value\":0.10000000000000001}\n"},
    {{.kind = WEIR_TRACE_SENT,
      .now_ns = -1,
      .seq = 7,
      .wire_bytes = 100,
      .in_flight_bytes = 200,
      .network_limited = 1},
     "{\"kind\":\"sent\",\"now_ns\":-1,\"seq\":7,\"wire_bytes\":100,\"in_flight_bytes\":200,"
     "\"network_limited\":1}\n"},
    {{.kind = WEIR_TRACE_FEEDBACK, .rtt_ns = 50, .in_flight_bytes = 3, .n_packets = 1},
     "{\"kind\":\"feedback\",\"now_ns\":0,\"rtt_ns\":50,\"in_flight_bytes\":3,\"n_packets\":1}\n"},
    {{.kind = WEIR_TRACE_PACKET,
      .seq = 1,
      .packet_status = 1,
      .sent_ns = 4,
      .arrived_ns = WEIR_UNKNOWN_NS,
      .wire_bytes = 9},
     "{\"kind\":\"packet\",\"now_ns\":0,\"seq\":1,\"status\":\"lost\",\"sent_ns\":4,"
     "\"arrived_ns\":null,\"wire_bytes\":9,\"ecn\":0}\n"},
    {{.kind = WEIR_TRACE_PACKET, .packet_status = 2, .arrived_ns = -3, .ecn = 3},
     "{\"kind\":\"packet\",\"now_ns\":0,\"seq\":0,\"status\":\"late\",\"sent_ns\":0,"
     "\"arrived_ns\":-3,\"wire_bytes\":0,\"ecn\":3}\n"},
    {{.kind = WEIR_TRACE_REPORT,
      .rtt_ns = 1,
      .interval_ns = 2,
      .expected_packets = 3,
      .lost_packets = 4,
      .wire_bytes = 5,
      .sent_bytes = 6,
      .newest_age_ns = 7,
      .missing_age_ns = 8},
     "{\"kind\":\"report\",\"now_ns\":0,\"rtt_ns\":1,\"interval_ns\":2,\"expected_packets\":3,"
     "\"lost_packets\":4,\"packet_bytes\":5,\"sent_bytes\":6,\"network_limited\":0,"
     "\"newest_age_ns\":7,\"missing_age_ns\":8}\n"},
    {{.kind = WEIR_TRACE_TIMER, .now_ns = 8}, "{\"kind\":\"timer\",\"now_ns\":8}\n"},
    {{.kind = WEIR_TRACE_LIMITS, .limits = {.min_bps = 1, .max_bps = 3, .start_bps = 2}},
     "{\"kind\":\"limits\",\"now_ns\":0,\"min_bps\":1,\"max_bps\":3,\"start_bps\":2}\n"},
    {{.kind = WEIR_TRACE_OUTPUT,
      .output = {.allowed_wire_bps = 1,
                 .target_media_bps = 2,
                 .pacing_wire_bps = 3,
                 .window_bytes = INT64_MAX,
                 .rtt_ns = 5,
                 .state = 6}},
     "{\"kind\":\"output\",\"now_ns\":0,\"allowed_wire_bps\":1,\"target_media_bps\":2,"
     "\"pacing_wire_bps\":3,\"window_bytes\":null,\"rtt_ns\":5,\"state\":6}\n"},
    {{.kind = WEIR_TRACE_PATH, .now_ns = 8}, "{\"kind\":\"path\",\"now_ns\":8}\n"},
    {{.kind = WEIR_TRACE_CONTROL,
      .output =
          {.allowed_wire_bps = 1, .pacing_wire_bps = 2, .window_bytes = INT64_MAX, .state = 3}},
     "{\"kind\":\"control\",\"now_ns\":0,\"rate_bps\":1,\"pacing_bps\":2,"
     "\"window_bytes\":null,\"state\":3}\n"},
    {{.kind = WEIR_TRACE_PART, .now_ns = 9, .seq = 2},
     "{\"kind\":\"part\",\"now_ns\":9,\"version\":3,\"part\":2}\n"},
    {{.kind = WEIR_TRACE_FIGURES,
      .now_ns = 9,
      .name = "loss",
      .queueing_ns = WEIR_UNKNOWN_NS,
      .send_queue_ns = 7},
     "{\"kind\":\"figures\",\"now_ns\":9,\"limited_by\":\"loss\",\"queueing_ns\":null,"
     "\"send_queue_ns\":7}\n"},
    {{.kind = WEIR_TRACE_VARIABLE, .now_ns = 9, .name = "rtt_ns", .value = 0.5},
     "{\"kind\":\"variable\",\"now_ns\":9,\"name\":\"rtt_ns\",\"value\":0.5}\n"},
};

static void test_each_kind_is_one_line(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char line[WEIR_TRACE_LINE_BYTES];
        size_t len = weir_trace_format(&cases[i].record, line, sizeof(line));
        g_assert_cmpstr(line, ==, cases[i].line);
        g_assert_cmpuint(len, ==, strlen(cases[i].line));
    }
}

static void test_a_line_that_does_not_fit_is_not_written(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char line[WEIR_TRACE_LINE_BYTES];
        size_t needed = strlen(cases[i].line) + 1;
        for (size_t capacity = 0; capacity < needed; capacity++) {
            g_assert_cmpuint(weir_trace_format(&cases[i].record, line, capacity), ==, 0);
        }
        g_assert_cmpuint(weir_trace_format(&cases[i].record, line, needed), ==, needed - 1);
    }
}

/* The widest values there are. */
static void test_no_line_is_longer_than_promised(void)
{
    char line[WEIR_TRACE_LINE_BYTES];
    for (int kind = WEIR_TRACE_START; kind <= WEIR_TRACE_VARIABLE; kind++) {
        struct weir_trace_record record = {
            .kind = (enum weir_trace_kind)kind,
            .now_ns = INT64_MIN,
            .name = "an-algorithm-with-a-name-of-forty-letters",
            .value = -1.2345678901234567e-300,
            .seed = UINT64_MAX,
            .limits = {INT64_MIN, INT64_MIN, INT64_MIN},
            .seq = INT64_MIN,
            .wire_bytes = INT64_MIN,
            .in_flight_bytes = INT64_MIN,
            .network_limited = INT64_MIN,
            .rtt_ns = INT64_MIN + 1,
            .sent_ns = INT64_MIN,
            .arrived_ns = INT64_MIN + 1,
            .packet_status = INT64_MIN,
            .ecn = INT64_MIN,
            .n_packets = INT64_MIN,
            .interval_ns = INT64_MIN,
            .expected_packets = INT64_MIN,
            .lost_packets = INT64_MIN,
            .sent_bytes = INT64_MIN,
            .queueing_ns = INT64_MIN + 1,
            .send_queue_ns = INT64_MIN + 1,
            .output = {.allowed_wire_bps = INT64_MIN,
                       .target_media_bps = INT64_MIN,
                       .target_wire_bps = INT64_MIN,
                       .pacing_wire_bps = INT64_MIN,
                       .window_bytes = INT64_MIN + 1,
                       .rtt_ns = INT64_MIN + 1,
                       .state = UINT32_MAX,
                       .limited_by = WEIR_LIMITED_BY_CIRCUIT_BREAKER},
        };
        g_assert_cmpuint(weir_trace_format(&record, line, sizeof(line)), >, 0);
    }
}

static void test_numbers_do_not_depend_on_the_locale(void)
{
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C"};
    char line[WEIR_TRACE_LINE_BYTES];
    struct weir_trace_record record = {.kind = WEIR_TRACE_PARAM, .name = "x", .value = 2.5};
    for (size_t i = 0; i < G_N_ELEMENTS(locales); i++) {
        setlocale(LC_NUMERIC, locales[i]);
        weir_trace_format(&record, line, sizeof(line));
        g_assert_nonnull(strstr(line, "\"value\":2.5}"));
    }
    setlocale(LC_NUMERIC, "C");
}

static void test_a_value_that_json_cannot_hold_is_null(void)
{
    char line[WEIR_TRACE_LINE_BYTES];
    struct weir_trace_record record = {.kind = WEIR_TRACE_PARAM, .value = (double)NAN};
    weir_trace_format(&record, line, sizeof(line));
    g_assert_cmpstr(line, ==, "{\"kind\":\"param\",\"now_ns\":0,\"name\":\"\",\"value\":null}\n");
    record = (struct weir_trace_record){.kind = WEIR_TRACE_PARAM, .name = "a\"b\\c\n\x7f"};
    weir_trace_format(&record, line, sizeof(line));
    g_assert_nonnull(strstr(line, "\"a_b_c__\""));
}

static void test_an_unknown_kind_is_no_line(void)
{
    char line[WEIR_TRACE_LINE_BYTES];
    struct weir_trace_record record = {.kind = (enum weir_trace_kind)99};
    g_assert_cmpuint(weir_trace_format(&record, line, sizeof(line)), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace/each_kind_is_one_line", test_each_kind_is_one_line);
    g_test_add_func("/trace/a_line_that_does_not_fit_is_not_written",
                    test_a_line_that_does_not_fit_is_not_written);
    g_test_add_func("/trace/no_line_is_longer_than_promised", test_no_line_is_longer_than_promised);
    g_test_add_func("/trace/numbers_do_not_depend_on_the_locale",
                    test_numbers_do_not_depend_on_the_locale);
    g_test_add_func("/trace/a_value_that_json_cannot_hold_is_null",
                    test_a_value_that_json_cannot_hold_is_null);
    g_test_add_func("/trace/an_unknown_kind_is_no_line", test_an_unknown_kind_is_no_line);
    return g_test_run();
}
