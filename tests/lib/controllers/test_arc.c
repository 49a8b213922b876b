/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* arc: the paper's formulas, and the flow that they make. */
#include "../../controller_flow.h"
#include "controllers/arc_law.h"
#include "vectors.h"

#include <math.h>

static struct weir__vector_run run;

static void known_answers_are_given(void)
{
    const struct weir_controller *arc = weir__controller_find("arc");
    g_assert_cmpuint(arc->n_vectors, >=, 5);
    for (size_t i = 0; i < arc->n_vectors; i++) {
        enum weir_status status = weir__vector_run(arc, &arc->vectors[i], &run);
        g_test_message("%s: %s", arc->vectors[i].name, run.why);
        g_assert_cmpint(status, ==, WEIR_OK);
    }
}

/* Equation 2: w = B (RTTmin + 1/k), and the rate it leaves for B RTTmin outstanding is B. */
static void equation_2_leaves_the_bandwidth(void)
{
    static const double rows[][3] = {
        {83.33333333, 0.25, 187.5}, {25.0, 0.25, 56.25}, {83.33333333, 0.02, 168.3333333}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double w = weir__arc_window(rows[i][0], rows[i][1], 0.5);
        assert_near(w, rows[i][2], 1e-6);
        assert_near(weir__arc_rate(0.5, w, rows[i][0] * rows[i][1]), rows[i][0], 1e-9);
        assert_near(weir__arc_steady_rate(0.5, w, 0.0, rows[i][1]), rows[i][0], 1e-9);
    }
}

/* r = B (1 - k Tq) with a queue of B Tq besides. */
static void a_queue_lowers_the_rate(void)
{
    double w = weir__arc_window(100.0, 0.1, 0.5);
    assert_near(weir__arc_rate(0.5, w, 100.0 * (0.1 + 0.25)), 87.5, 1e-9);
    g_assert_cmpfloat(weir__arc_rate(0.5, w, w + 1.0), ==, 0.0);
}

static void probing_is_quick_or_gentle(void)
{
    assert_near(weir__arc_quick(36.0, 0.3, 0.3), 72.0, 1e-12);
    assert_near(weir__arc_quick(36.0, 0.9, 0.3), 288.0, 1e-10);
    assert_near(weir__arc_gentle(36.0, 1.0, 0.9, 0.3), 39.0, 1e-12);
    g_assert_true(isfinite(weir__arc_quick(1e12, 1e9, 0.01)));
}

/* Equation 4: the outstanding data of a flow whose window steps to w0 while nothing is taken away
 * from it grow as the backlog does, with the time constant 1/k. */
static void backlog_follows_equation_4(void)
{
    struct weir_param_value values[] = {{.name = "initial-window", .value = 200.0}};
    struct flow *f = flow_new("arc", values, 1);
    f->blackout = true;
    f->controller->seed_rtt(f->state, WEIR_SECONDS(10), 0);
    for (int second = 1; second <= 8; second++) {
        flow_run_until(f, WEIR_SECONDS(second));
        double backlog = weir__arc_backlog(200.0 * 1000.0, 0.5, (double)second);
        assert_near(flow_variable(f, "outstanding_bytes"), backlog, 0.02 * backlog);
    }
    flow_free(f);
}

/* Equation 1 bounds the outstanding packets, once the window is there. Only after it has shrunk
 * there may be more, until the queue has drained. */
static void outstanding_packets_never_exceed_the_window(void)
{
    for (int64_t capacity_bps = 200000; capacity_bps <= 1000000; capacity_bps *= 5) {
        struct flow *f = flow_new("arc", NULL, 0);
        f->capacity_bps = capacity_bps;
        int64_t shrunk_ns = WEIR_SECONDS(20);
        double before = 0.0;
        flow_run_until(f, shrunk_ns);
        while (f->now_ns < WEIR_SECONDS(120)) {
            flow_step(f);
            double w = flow_variable(f, "window_bytes");
            shrunk_ns = w < before ? f->now_ns : shrunk_ns;
            before = w;
            g_assert_true(f->now_ns - shrunk_ns < WEIR_SECONDS(2) ||
                          flow_variable(f, "outstanding_bytes") <= w + 1000.0);
        }
        g_assert_cmpint(shrunk_ns, >, WEIR_SECONDS(20));
        flow_free(f);
    }
}

struct steady {
    double use, loss;
};

static struct steady steady_link(int64_t capacity_bps, bool reports)
{
    struct flow *f = flow_new("arc", NULL, 0);
    f->capacity_bps = capacity_bps;
    f->queue_bytes = capacity_bps / 8 / 5;
    f->reports = reports;
    f->feedback_ns = reports ? WEIR_SECONDS(1) : f->feedback_ns;
    flow_run_until(f, WEIR_SECONDS(60));
    int64_t sent = f->n_sent, dropped = f->n_dropped;
    flow_run_until(f, WEIR_SECONDS(160));
    sent = f->n_sent - sent;
    dropped = f->n_dropped - dropped;
    struct steady result = {.use = 8000.0 * (double)(sent - dropped) / 100.0 / (double)capacity_bps,
                            .loss = (double)dropped / (double)sent};
    g_test_message("%s %d bit/s: %.3f used, %.4f lost", reports ? "reports" : "packets",
                   (int)capacity_bps, result.use, result.loss);
    flow_free(f);
    return result;
}

/* From receiver reports quick probing ends with a lower bandwidth, and the rest is gentle: 13
 * kbit/s more each second. */
static void a_steady_link_is_used(void)
{
    for (int64_t capacity_bps = 500000; capacity_bps <= 4000000; capacity_bps *= 2) {
        struct steady packets = steady_link(capacity_bps, false);
        struct steady reports = steady_link(capacity_bps, true);
        g_assert_cmpfloat(packets.use, >, 0.95);
        g_assert_cmpfloat(packets.loss, <, 0.03);
        g_assert_cmpfloat(reports.use, >, capacity_bps <= 1000000 ? 0.95 : 0.4);
        g_assert_cmpfloat(reports.loss, <, 0.03);
    }
}

#define ADD(name) g_test_add_func("/arc/" #name, name)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(known_answers_are_given);
    ADD(equation_2_leaves_the_bandwidth);
    ADD(a_queue_lowers_the_rate);
    ADD(probing_is_quick_or_gentle);
    ADD(backlog_follows_equation_4);
    ADD(outstanding_packets_never_exceed_the_window);
    ADD(a_steady_link_is_used);
    return g_test_run();
}
