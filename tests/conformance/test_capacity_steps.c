/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A capacity that falls, and what the circuit breaker adds to what congestion control does about
 * it: steps x queues x when the step comes between two receiver reports. */
#include "fault_rig.h"

#define STEP_S   20.0
#define APART_S  0.25 /* of twelve timings: reports come each second or so */
#define WITHIN_S 20.0

enum { TIMINGS = 12 };

struct outcome {
    double at_min_s; /* seconds at the minimum after the step */
    bool reduced;
    bool ceased;
};

static struct outcome live(const struct fault_case *c)
{
    struct fault_rig *rig = rig_new(c);
    struct outcome outcome = {.at_min_s = 0.0};
    rig->next_sample_ns = WEIR_NEVER_NS; /* what is judged there does not matter here */
    while (rig->now_ns < rig->end_ns) {
        int64_t since_ns = rig->now_ns;
        struct weir_output output;
        weir_sender_get_output(rig->sender, &output);
        outcome.reduced |= (output.state & WEIR_STATE_BREAKER_REDUCED) != 0;
        outcome.ceased |= (output.state & WEIR_STATE_BREAKER_CEASED) != 0;
        rig->now_ns = rig_next_ns(rig);
        bool at_min = output.state & (WEIR_STATE_AT_MIN | WEIR_STATE_BREAKER_CEASED);
        outcome.at_min_s +=
            at_min && rig_s(since_ns) >= STEP_S ? rig_s(rig->now_ns - since_ns) : 0.0;
        rig_step(rig);
    }
    rig_free(rig);
    return outcome;
}

static struct fault_case step_case(double from_mbps, double to_mbps, double queue_ms, int timing)
{
    double at_s = STEP_S + APART_S * timing;
    return (struct fault_case){
        .name = "step",
        .circuit_breaker = true,
        .phases = {{0, from_mbps, 25}, {at_s, to_mbps, 25}},
        .queue_ms = queue_ms,
        .format = WEIR_FEEDBACK_CCFB,
        .max_mbps = 20,
        .seconds = at_s + WITHIN_S,
    };
}

/* Congestion control answers, so the breaker does not stop the media, and adds no time at the
 * minimum. A queue of so many ms at the first capacity. */
static void test_a_step_that_is_answered_is_not_punished(void)
{
    static const double steps_mbps[][2] = {{2, 0.5}, {2, 0.3}, {10, 1}};
    static const double queues_ms[] = {100, 300, 1000};
    static const char *const algorithms[] = {"tfrc", "arc"};
    for (size_t i = 0; i < G_N_ELEMENTS(steps_mbps) * 3 * 2; i++) {
        const double *step = steps_mbps[i / 6];
        double queue_ms = queues_ms[i / 2 % 3];
        int n_reduced = 0, n_ceased = 0, n_longer = 0;
        for (int timing = 0; timing < TIMINGS; timing += TEST_IS_SANITIZED ? 4 : 1) {
            struct fault_case c = step_case(step[0], step[1], queue_ms, timing);
            c.algorithm = algorithms[i % 2];
            struct outcome with = live(&c);
            c.circuit_breaker = false;
            double without_s = with.at_min_s > 0.0 ? live(&c).at_min_s : 0.0;
            n_reduced += with.reduced;
            n_ceased += with.ceased;
            n_longer += with.at_min_s > without_s + 0.5;
        }
        g_test_message("%s, %g to %g Mbit/s, %g ms: of %d %d reduced, %d ceased, %d at the minimum",
                       algorithms[i % 2], step[0], step[1], queue_ms, TIMINGS, n_reduced, n_ceased,
                       n_longer);
        g_assert_cmpint(n_ceased, ==, 0);
        g_assert_true(queue_ms > 300 || n_longer == 0);
    }
}

/* Who does not answer is stopped, after a tenth was tried: the queue is full of 9 s, and the
 * breaker judges 15 s, twice. */
static void test_a_step_that_is_not_answered_stops_the_media(void)
{
    for (int timing = 0; timing < TIMINGS; timing += TEST_IS_SANITIZED ? 4 : 1) {
        struct fault_case c = step_case(3, 0.1, 300, timing);
        c.algorithm = "fixed";
        c.start_kbps = 2500;
        c.seconds += 30;
        struct outcome outcome = live(&c);
        g_assert_true(outcome.reduced);
        g_assert_true(outcome.ceased);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_set_nonfatal_assertions();
    g_test_add_func("/capacity_steps/a_step_that_is_answered_is_not_punished",
                    test_a_step_that_is_answered_is_not_punished);
    g_test_add_func("/capacity_steps/a_step_that_is_not_answered_stops_the_media",
                    test_a_step_that_is_not_answered_stops_the_media);
    return g_test_run();
}
