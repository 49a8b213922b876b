/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver of known answers: a wrong answer or a wrong script
 * is told from a right one. */
#include "../test.h"
#include "run.h"

static struct vector_run run;

/* Counts what it is told; its rate is the number of events so far. */
struct probe {
    int64_t n_sent, n_received, n_lost, n_late, n_reports, n_timers, in_flight_bytes;
    int64_t timer_ns, timer_period_ns;
};

static void probe_init(void *state, const struct weir_config *config)
{
    struct probe *p = state;
    *p = (struct probe){.timer_ns = config->now_ns + WEIR_MS(10), .timer_period_ns = WEIR_MS(10)};
    if (config->params[0] > 0.0) {
        p->timer_period_ns = 0;
    }
}

static void probe_sent(void *state, const struct weir_path *path,
                       const struct weir_sent_packet *sent)
{
    (void)path;
    struct probe *p = state;
    g_assert_cmpint(sent->seq, ==, p->n_sent);
    p->n_sent += 1;
    p->in_flight_bytes = sent->in_flight_bytes;
}

static void probe_feedback(void *state, const struct weir_path *path,
                           const struct weir_feedback *feedback)
{
    (void)path;
    struct probe *p = state;
    for (size_t i = 0; i < feedback->n_packets; i++) {
        p->n_received += feedback->packets[i].status == WEIR_PACKET_RECEIVED;
        p->n_lost += feedback->packets[i].status == WEIR_PACKET_LOST;
        p->n_late += feedback->packets[i].status == WEIR_PACKET_LATE;
    }
    p->in_flight_bytes = feedback->in_flight_bytes;
}

static void probe_report(void *state, const struct weir_path *path,
                         const struct weir_report *report)
{
    (void)path;
    struct probe *p = state;
    p->n_reports += report->expected_packets;
}

static void probe_timer(void *state, int64_t now_ns)
{
    struct probe *p = state;
    p->n_timers++;
    p->timer_ns = now_ns + p->timer_period_ns;
}

static int64_t probe_next_timer(const void *state)
{
    const struct probe *p = state;
    return p->timer_ns;
}

static void probe_output(const void *state, struct weir_control *control)
{
    const struct probe *p = state;
    *control = (struct weir_control){.rate_bps = p->n_sent};
}

static void probe_variables(const void *state, struct weir_variables *to)
{
    const struct probe *p = state;
    weir_tell(to, "received", (double)p->n_received);
    weir_tell(to, "lost", (double)p->n_lost);
    weir_tell(to, "late", (double)p->n_late);
    weir_tell(to, "reports", (double)p->n_reports);
    weir_tell(to, "timers", (double)p->n_timers);
    weir_tell(to, "in_flight", (double)p->in_flight_bytes);
}

static const struct weir_param probe_params[] = {
    {.name = "stuck", .unit = "1", .description = "-", .kind = WEIR_PARAM_BOOL, .max = 1.0}};

static const struct weir_controller probe = {.name = "probe",
                                             .state_bytes = sizeof(struct probe),
                                             .params = probe_params,
                                             .n_params = 1,
                                             .init = probe_init,
                                             .on_packet_sent = probe_sent,
                                             .on_feedback = probe_feedback,
                                             .on_report = probe_report,
                                             .on_timer = probe_timer,
                                             .next_timer_ns = probe_next_timer,
                                             .get_output = probe_output,
                                             .get_variables = probe_variables};

static enum weir_status run_steps(const struct vector_step *steps)
{
    struct vector vector = {.name = "test", .steps = steps};
    return vector_run(&probe, &vector, &run);
}

static void every_step_reaches_the_controller(void)
{
    static const struct vector_step steps[] = {
        {.op = VECTOR_SEND, .at_us = 0, .a = 5, .b = 100, .c = 1000},
        {.op = VECTOR_SEND_IDLE, .at_us = 4000, .a = 3, .b = 50, .c = 0},
        {.op = VECTOR_EXPECT_BPS, .at_us = 4000, .x = 8.0},
        {.op = VECTOR_EXPECT_VARIABLE, .at_us = 4000, .name = "in_flight", .x = 650.0},
        {.op = VECTOR_LOSE, .at_us = 5000, .a = 1, .b = 2},
        {.op = VECTOR_ACK, .at_us = 5000, .a = 2, .b = 6, .c = 10, .d = 20},
        {.op = VECTOR_EXPECT_VARIABLE, .at_us = 5000, .name = "received", .x = 4.0},
        {.op = VECTOR_EXPECT_VARIABLE, .at_us = 5000, .name = "lost", .x = 2.0},
        {.op = VECTOR_EXPECT_VARIABLE, .at_us = 5000, .name = "late", .x = 1.0},
        {.op = VECTOR_EXPECT_VARIABLE, .at_us = 5000, .name = "in_flight", .x = 150.0},
        {.op = VECTOR_REPORT, .at_us = 6000, .a = 7, .b = 1, .c = 1000, .d = 10},
        {.op = VECTOR_EXPECT_VARIABLE, .at_us = 6000, .name = "reports", .x = 7.0},
        {.op = VECTOR_TIMERS, .at_us = 39999},
        {.op = VECTOR_EXPECT_VARIABLE, .at_us = 39999, .name = "timers", .x = 3.0},
        {.op = VECTOR_TIMERS, .at_us = 40000},
        {.op = VECTOR_EXPECT_VARIABLE, .at_us = 40000, .name = "timers", .x = 4.0, .y = 0.01},
        {.op = VECTOR_END},
    };
    enum weir_status status = run_steps(steps);
    g_assert_cmpstr(run.why, ==, "");
    g_assert_cmpint(status, ==, WEIR_OK);
    g_assert_cmpuint(run.n_steps, ==, G_N_ELEMENTS(steps) - 1);
}

static void wrong_answers_and_wrong_scripts_are_told(void)
{
    static const struct {
        struct vector_step steps[3];
        enum weir_status status;
        const char *why;
    } cases[] = {
        {{{.op = VECTOR_EXPECT_BPS, .x = 1.0}, {0}},
         WEIR_ERROR_RANGE,
         "step 0: the rate is 0, expected 1"},
        {{{.op = VECTOR_EXPECT_VARIABLE, .name = "lost", .x = 2.0, .y = 0.5}, {0}},
         WEIR_ERROR_RANGE,
         "step 0: lost is 0, expected 2"},
        {{{.op = VECTOR_EXPECT_VARIABLE, .name = "none"}, {0}},
         WEIR_ERROR_ARGUMENT,
         "step 0: there is no such variable"},
        {{{.op = VECTOR_SEND, .a = 1, .b = 1}, {.op = VECTOR_ACK, .a = 0, .b = 1}, {0}},
         WEIR_ERROR_ARGUMENT,
         "step 1: reports packets that were not sent, or too many"},
        {{{.op = VECTOR_SEND, .a = 3, .b = 1, .c = 10},
          {.op = VECTOR_SEND, .at_us = 19, .a = 1, .b = 1},
          {0}},
         WEIR_ERROR_ARGUMENT,
         "step 1: time goes backwards"},
        {{{.op = VECTOR_SEND, .a = VECTOR_MAX_PACKETS + 1, .b = 1}, {0}},
         WEIR_ERROR_ARGUMENT,
         "step 0: too many packets"},
        {{{.op = (enum vector_op)99}, {0}}, WEIR_ERROR_ARGUMENT, "step 0: there is no such step"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpint(run_steps(cases[i].steps), ==, cases[i].status);
        g_assert_cmpstr(run.why, ==, cases[i].why);
    }
}

static void a_timer_that_never_rests_is_an_error(void)
{
    static const struct weir_param_value stuck[] = {{.name = "stuck", .value = 1.0}};
    static const struct weir_param_value wrong[] = {{.name = "unknown", .value = 1.0}};
    static const struct vector_step steps[] = {{.op = VECTOR_TIMERS, .at_us = 50000},
                                               {.op = VECTOR_END}};
    struct vector vector = {.name = "t", .params = stuck, .n_params = 1, .steps = steps};
    g_assert_cmpint(vector_run(&probe, &vector, &run), ==, WEIR_ERROR_RANGE);
    g_assert_cmpstr(run.why, ==, "step 0: the timers do not come to an end");
    vector.params = wrong;
    g_assert_cmpint(vector_run(&probe, &vector, &run), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpstr(run.why, ==, "step 0: a parameter is wrong");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/vectors/" #name, name)
    ADD(every_step_reaches_the_controller);
    ADD(wrong_answers_and_wrong_scripts_are_told);
    ADD(a_timer_that_never_rests_is_an_error);
    return g_test_run();
}
