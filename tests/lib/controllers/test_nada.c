/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nada: the RFC's equations, its known answers, and flows on small paths. */
#include "controllers/nada_law.h"
#include "session_promises.h"
#include "vectors/assert_known_answers.h"

#include <math.h>

static void known_answers_are_given(void)
{
    assert_known_answers("nada");
}

/* Equation 3, with delta 100 ms, dfilt 120 ms, qbound 50 ms. */
static void a_step_of_the_ramp_up_builds_a_queue_of_qbound(void)
{
    assert_near(weir__nada_ramp_up(0.02, 0.1, 0.12, 0.05, 0.5), 0.20833, 1e-5);
    assert_near(weir__nada_ramp_up(0.1, 0.1, 0.12, 0.05, 0.5), 0.15625, 1e-9);
    assert_near(weir__nada_ramp_up(0.4, 0.1, 0.12, 0.05, 0.5), 0.08065, 1e-5);
    assert_near(weir__nada_ramp_up(0.1, 0.1, 0.12, 1.0, 0.5), 0.5, 1e-9);
}

/* Equation 1: continuous, and never more than the threshold. */
static void the_warp_shrinks_what_is_above_the_threshold(void)
{
    assert_near(weir__nada_warp(0.03, 0.05, 0.5), 0.03, 1e-12);
    assert_near(weir__nada_warp(0.05, 0.05, 0.5), 0.05, 1e-12);
    assert_near(weir__nada_warp(0.1, 0.05, 0.5), 0.030327, 1e-6);
    assert_near(weir__nada_warp(0.2, 0.05, 0.5), 0.011157, 1e-6);
    assert_near(weir__nada_warp(0.4, 0.05, 0.5), 0.001510, 1e-6);
    for (double queue = 0.0; queue < 5.0; queue += 0.001) {
        g_assert_cmpfloat(weir__nada_warp(queue, 0.05, 0.5), <=, fmin(queue, 0.05) + 1e-15);
    }
}

static void the_warp_fades_over_one_loss_interval(void)
{
    g_assert_cmpfloat(weir__nada_warp_share(0.0, 100.0, 7.0), ==, 1.0);
    g_assert_cmpfloat(weir__nada_warp_share(700.0, 100.0, 7.0), ==, 1.0);
    assert_near(weir__nada_warp_share(725.0, 100.0, 7.0), 0.75, 1e-12);
    g_assert_cmpfloat(weir__nada_warp_share(800.0, 100.0, 7.0), ==, 0.0);
    g_assert_cmpfloat(weir__nada_warp_share(1e9, 100.0, 7.0), ==, 0.0);
}

static void ratios_count_by_their_square(void)
{
    assert_near(weir__nada_penalty(0.01, 0.01, 0.002), 0.002, 1e-12);
    assert_near(weir__nada_penalty(0.02, 0.01, 0.01), 0.04, 1e-12);
    assert_near(weir__nada_penalty(0.1, 0.01, 0.01), 1.0, 1e-12);
}

/* Equations 5 to 7 at RMAX 1.5 Mbit/s, after 100 ms. */
static void the_gradual_update_moves_to_its_equilibrium(void)
{
    static const struct weir__nada_gains gains = {.kappa = 0.5, .eta = 2.0, .tau_s = 0.5};
    static const struct {
        double rate, signal_s, before_s, after;
    } cases[] = {{1e6, 0.015, 0.015, 1000000.0}, {1e6, 0.030, 0.020, 977000.0},
                 {1e6, 0.005, 0.005, 1002000.0}, {1e6, 0.400, 0.020, 163000.0},
                 {1e6, 0.0, 0.030, 1063000.0},   {5e5, 0.030, 0.030, 500000.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        double target_s = 0.01 * 1.5e6 / cases[i].rate;
        assert_near(weir__nada_gradual(cases[i].rate, &gains, 0.1, cases[i].signal_s,
                                       cases[i].before_s, target_s),
                    cases[i].after, 0.01);
    }
}

/* One flow fills its link with the queue of its equilibrium, XREF RMAX / rate = 100 ms here, and
 * loses nothing; the figures of the page. */
static void a_link_is_used_with_the_queue_of_the_equilibrium(void)
{
    static const int64_t delays_ms[] = {20, 50, 150};
    for (size_t i = 0; i < G_N_ELEMENTS(delays_ms); i++) {
        struct flow *f = flow_new("nada", NULL, 0);
        f->capacity_bps = WEIR_MBPS(1);
        f->queue_bytes = 40000;
        f->delay_ns = WEIR_MS(delays_ms[i]);
        flow_run_until(f, WEIR_SECONDS(60));
        int64_t delivered = f->delivered_bytes;
        flow_run_until(f, WEIR_SECONDS(120));
        double used = 8.0 * (double)(f->delivered_bytes - delivered) / 60e6;
        g_test_message("RTT %d ms: %.1f %% used, queue %.0f ms", (int)(2 * delays_ms[i]),
                       100.0 * used, flow_variable(f, "queue_ns") * 1e-6);
        g_assert_cmpfloat(used, >, 0.98);
        assert_near(flow_variable(f, "queue_ns") * 1e-6, 100.0, 15.0);
        g_assert_cmpint(f->n_dropped, ==, 0);
        flow_free(f);
    }
}

/* 30 kbit/s per second, whatever the rate, is what an empty path gives in gradual mode with RMAX
 * 1.5 Mbit/s: KAPPA/TAU XREF RMAX/TAU. A loss every 400 ms keeps the ramp-up off and counts for a
 * delay of 10 ms (p/1 %)^2. */
static void losses_alone_set_the_rate_of_the_square_root(void)
{
    static const struct weir_limits limits = {30000, 5000000, 300000};
    struct flow *f = flow_new("nada", NULL, 0);
    weir__driver_set_limits(&f->driver, &limits, 0);
    f->lose_every = 50;
    flow_run_until(f, WEIR_SECONDS(300));
    double p = flow_variable(f, "loss_ratio");
    double expected_bps = 0.01 * 5e6 / (0.01 * (p / 0.01) * (p / 0.01));
    g_test_message("p %.4f, %.0f bit/s", p, (double)flow_rate_bps(f));
    assert_near(p, 0.02, 0.003);
    assert_near((double)flow_rate_bps(f), expected_bps, 0.15 * expected_bps);
    flow_free(f);
}

static void an_empty_path_is_climbed_in_seconds(void)
{
    struct flow *f = flow_new("nada", NULL, 0);
    while (flow_rate_bps(f) < WEIR_MBPS(3) && f->now_ns < WEIR_SECONDS(20)) {
        flow_step(f);
    }
    g_test_message("%.1f s to ten times the start", (double)f->now_ns * 1e-9);
    g_assert_cmpint(f->now_ns, <, WEIR_SECONDS(9));
    g_assert_true(flow_state(f) & WEIR_STATE_SLOW_START);
    flow_free(f);
}

static void marks_count_as_delay(void)
{
    struct flow *f = flow_new("nada", NULL, 0);
    flow_run_until(f, WEIR_SECONDS(2));
    double signal_ns = flow_variable(f, "signal_ns");
    struct weir_packet_report packets[10];
    for (int i = 0; i < 10; i++) {
        packets[i] = (struct weir_packet_report){.seq = f->n_sent + i,
                                                 .sent_ns = f->now_ns - WEIR_MS(50),
                                                 .arrived_ns = f->now_ns,
                                                 .wire_bytes = 1000,
                                                 .ecn = WEIR_ECN_CE};
    }
    struct weir_feedback feedback = {.now_ns = f->now_ns + WEIR_MS(60),
                                     .rtt_ns = WEIR_MS(100),
                                     .packets = packets,
                                     .n_packets = 10};
    weir__driver_on_feedback(&f->driver, &feedback);
    double mark_ratio = flow_variable(f, "mark_ratio");
    g_assert_cmpfloat(mark_ratio, >, 0.005);
    assert_near(flow_variable(f, "signal_ns") - signal_ns,
                2e6 * (mark_ratio / 0.01) * (mark_ratio / 0.01), 1.0);
    flow_free(f);
}

static void silence_halves_down_to_the_minimum_and_feedback_brings_it_back(void)
{
    struct flow *f = flow_new("nada", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    f->queue_bytes = 40000;
    flow_run_until(f, WEIR_SECONDS(30));
    g_assert_cmpint(flow_silence_until(f, WEIR_SECONDS(60)), ==, WEIR_KBPS(30));
    g_assert_true(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
    f->blackout = false;
    flow_run_until(f, WEIR_SECONDS(90));
    g_assert_false(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_KBPS(900));
    flow_free(f);
}

static void limits_hold_the_rate_and_move_the_start(void)
{
    struct flow *f = flow_new("nada", NULL, 0);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){50000, 2000000, 800000}, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 800000);
    g_assert_true(flow_state(f) & WEIR_STATE_STARTING);
    flow_run_until(f, WEIR_SECONDS(30));
    g_assert_cmpint(flow_rate_bps(f), ==, 2000000);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){50000, 1000000, 300000}, f->now_ns);
    flow_run_until(f, WEIR_SECONDS(31));
    g_assert_cmpint(flow_rate_bps(f), ==, 1000000);
    flow_free(f);
}

static void a_new_path_starts_anew_but_not_faster(void)
{
    a_new_path_is_a_new_start("nada", WEIR_SECONDS(10));
}

/* From receiver reports: round trips tell the queue, and what a report says was received bounds the
 * next rate. */
static void reports_steer_in_bounds(void)
{
    reports_are_enough("nada", 0.6, 0.1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/nada/" #name, name)
    ADD(known_answers_are_given);
    ADD(a_step_of_the_ramp_up_builds_a_queue_of_qbound);
    ADD(the_warp_shrinks_what_is_above_the_threshold);
    ADD(the_warp_fades_over_one_loss_interval);
    ADD(ratios_count_by_their_square);
    ADD(the_gradual_update_moves_to_its_equilibrium);
    ADD(a_link_is_used_with_the_queue_of_the_equilibrium);
    ADD(losses_alone_set_the_rate_of_the_square_root);
    ADD(an_empty_path_is_climbed_in_seconds);
    ADD(marks_count_as_delay);
    ADD(silence_halves_down_to_the_minimum_and_feedback_brings_it_back);
    ADD(limits_hold_the_rate_and_move_the_start);
    ADD(a_new_path_starts_anew_but_not_faster);
    ADD(reports_steer_in_bounds);
    return g_test_run();
}
