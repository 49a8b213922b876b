/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/tracer.h"

#include "test.h"

enum { MAX_RECORDS = 64 };

struct heard {
    size_t n;
    struct weir_trace_record records[MAX_RECORDS];
};

static void hear(void *user, const struct weir_trace_record *record)
{
    struct heard *heard = user;
    g_assert_cmpuint(heard->n, <, MAX_RECORDS);
    heard->records[heard->n++] = *record;
}

static struct weir__tracer tracer_to(struct heard *heard)
{
    struct weir__tracer tracer;
    weir__tracer_init(&tracer);
    heard->n = 0;
    tracer.on_trace = hear;
    tracer.user = heard;
    return tracer;
}

static void get_variables(const void *state, struct weir_variables *to)
{
    (void)state;
    weir_tell(to, "seven", 7);
}

static const struct weir_param params[] = {{.name = "gain"}, {.name = "floor"}};
static const struct weir_controller controller = {
    .name = "toy",
    .params = params,
    .n_params = 2,
    .get_variables = get_variables,
};
static struct weir__driver driver = {.controller = &controller};

/* One call of each, at 5 ns. */
static void trace_all(struct weir__tracer *tracer)
{
    static const double values[] = {0.5, 3};
    const struct weir_config config = {.params = values, .packet_bytes = 1200, .seed = 9};
    struct weir_packet_report packets[] = {{.seq = 1}, {.seq = 2, .status = WEIR_PACKET_LOST}};
    const struct weir_feedback feedback = {.packets = packets, .n_packets = 2, .rtt_ns = 11};
    weir__trace_start(tracer, 5, &controller, &config, WEIR_UNKNOWN_NS);
    weir__trace_limits(tracer, 5, &(struct weir_limits){.max_bps = 8});
    weir__trace_path(tracer, 5);
    weir__trace_timer(tracer, 5);
    weir__trace_sent(tracer, 5, &(struct weir_sent_packet){.seq = 3, .wire_bytes = 100});
    weir__trace_feedback(tracer, 5, &feedback);
    weir__trace_report(tracer, 5, &(struct weir_report){.lost_packets = 4});
    weir__trace_control(tracer, 5, &(struct weir_control){.rate_bps = 1000});
    weir__trace_output(tracer, 5, &(struct weir_output){.allowed_wire_bps = 900});
    weir__trace_figures(tracer, 5, WEIR_LIMITED_BY_MINIMUM, 6, 7, &driver);
}

static void test_each_event_has_its_records_in_order(void)
{
    static const enum weir_trace_kind kinds[] = {
        WEIR_TRACE_START,  WEIR_TRACE_PARAM,   WEIR_TRACE_PARAM,   WEIR_TRACE_LIMITS,
        WEIR_TRACE_PATH,   WEIR_TRACE_TIMER,   WEIR_TRACE_SENT,    WEIR_TRACE_FEEDBACK,
        WEIR_TRACE_PACKET, WEIR_TRACE_PACKET,  WEIR_TRACE_REPORT,  WEIR_TRACE_CONTROL,
        WEIR_TRACE_OUTPUT, WEIR_TRACE_FIGURES, WEIR_TRACE_VARIABLE};
    static struct heard heard;
    struct weir__tracer tracer = tracer_to(&heard);
    trace_all(&tracer);
    g_assert_cmpuint(heard.n, ==, G_N_ELEMENTS(kinds));
    for (size_t i = 0; i < heard.n; i++) {
        g_assert_cmpint(heard.records[i].kind, ==, kinds[i]);
        g_assert_cmpint(heard.records[i].now_ns, ==, 5);
    }
    g_assert_cmpstr(heard.records[1].name, ==, "gain");
    g_assert_cmpfloat(heard.records[2].value, ==, 3);
    g_assert_cmpint(heard.records[9].packet_status, ==, WEIR_PACKET_LOST);
    g_assert_cmpint(heard.records[10].lost_packets, ==, 4);
    g_assert_cmpfloat(heard.records[14].value, ==, 7);
}

static void test_nobody_hears_nothing(void)
{
    struct weir__tracer tracer;
    weir__tracer_init(&tracer);
    g_assert_false(weir__tracer_wants_figures(&tracer, WEIR_SECONDS(100)));
    trace_all(&tracer);
}

/* A member that changes makes a record, one that stays makes none. */
static void test_only_changes_are_told(void)
{
    static const struct weir_output outputs[] = {{.allowed_wire_bps = 1}, {.target_media_bps = 1},
                                                 {.pacing_wire_bps = 1},  {.window_bytes = 1},
                                                 {.rtt_ns = 1},           {.state = 1}};
    static const struct weir_control controls[] = {
        {.rate_bps = 1}, {.pacing_bps = 1}, {.window_bytes = 1}, {.state = 1}};
    static struct heard heard;
    struct weir__tracer tracer = tracer_to(&heard);
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(outputs); i++) {
        weir__trace_output(&tracer, 1, &outputs[i / 2]);
        g_assert_cmpuint(heard.n, ==, i / 2 + 1);
    }
    heard.n = 0;
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(controls); i++) {
        weir__trace_control(&tracer, 1, &controls[i / 2]);
        g_assert_cmpuint(heard.n, ==, i / 2 + 1);
    }
}

/* In ten seconds of questions each 10 ms. */
static void test_figures_come_ten_times_a_second_and_variables_once(void)
{
    static struct heard heard;
    struct weir__tracer tracer = tracer_to(&heard);
    size_t n_figures = 0, n_variables = 0;
    for (int64_t now_ns = 0; now_ns < WEIR_SECONDS(10); now_ns += WEIR_MS(10)) {
        heard.n = 0;
        if (weir__tracer_wants_figures(&tracer, now_ns)) {
            weir__trace_figures(&tracer, now_ns, WEIR_LIMITED_BY_MINIMUM, 0, 0, &driver);
            n_figures++;
            n_variables += heard.n - 1;
        }
    }
    g_assert_cmpuint(n_figures, ==, 100);
    g_assert_cmpuint(n_variables, ==, 10);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tracer/each_event_has_its_records_in_order",
                    test_each_event_has_its_records_in_order);
    g_test_add_func("/tracer/nobody_hears_nothing", test_nobody_hears_nothing);
    g_test_add_func("/tracer/only_changes_are_told", test_only_changes_are_told);
    g_test_add_func("/tracer/figures_come_ten_times_a_second_and_variables_once",
                    test_figures_come_ten_times_a_second_and_variables_once);
    return g_test_run();
}
