/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How TFRC's rate moves in the long run: published figures of the loss event rate and the equation
 * in a model of one step per round-trip time, and closed loops on a small path. */
#include "../../controller_flow.h"
#include "controllers/tfrc_rate.h"
#include "estimators/loss_intervals.h"
#include "estimators/tcp_equation.h"

#include <math.h>

/* Packets per round-trip time, one step per R: the equation with R = 1, s = 1. */
static double window_of(const struct weir__loss_intervals *l)
{
    struct weir__tcp_equation rfc = weir__tcp_equation_rfc();
    return 1.0 / weir__tcp_equation_f(&rfc, weir__loss_intervals_p(l));
}

static void fill(struct weir__loss_intervals *l, double threshold, int64_t length)
{
    weir__loss_intervals_init(l, 8, threshold, false);
    weir__loss_intervals_set_first(l, (double)length);
    weir__loss_intervals_on_report(l, length, 1);
    for (int i = 0; i < 8; i++) {
        weir__loss_intervals_on_report(l, length, 1);
    }
}

struct increase {
    double first_rtt; /* in which the window grew for the first time */
    double at_20;     /* growth in the 20th R */
    double peak;
    double settled; /* mean of R 50 .. 60 */
};

/* Intervals of 100 packets, then no loss any more. Reports of whole packets carry the fraction. */
static struct increase measure_increase(double threshold)
{
    struct weir__loss_intervals l;
    struct increase result = {0};
    double window, sent = 0.0;
    fill(&l, threshold, 100);
    window = window_of(&l);
    for (int rtt = 1; rtt <= 60; rtt++) {
        int64_t before = (int64_t)sent;
        sent += window;
        weir__loss_intervals_on_report(&l, (int64_t)sent - before, 0);
        double grown = window_of(&l) - window;
        window += grown;
        if (grown > 1e-9 && result.first_rtt <= 0.0) {
            result.first_rtt = rtt;
        }
        result.at_20 = rtt >= 16 && rtt <= 25 ? result.at_20 + grown / 10.0 : result.at_20;
        result.peak = fmax(result.peak, grown);
        result.settled = rtt > 50 ? result.settled + grown / 10.0 : result.settled;
    }
    g_test_message("threshold %.2f: first in R %.0f, R 20 %.3f, peak %.3f, settled %.3f", threshold,
                   result.first_rtt, result.at_20, result.peak, result.settled);
    return result;
}

/* Floyd et al. 2000: 0.12 to 0.14 packets per RTT per RTT, and up to 0.28 or so with discounting
 * at 0.5. It begins when the open interval exceeds the mean: 100/11.2, in the 9th R. */
static void increase_per_rtt_is_as_published(void)
{
    struct increase plain = measure_increase(1.0);
    struct increase half = measure_increase(0.5);
    struct increase quarter = measure_increase(0.25);
    assert_near(plain.first_rtt, 9.0, 1.1);
    assert_near(plain.at_20, 0.123, 0.01);
    g_assert_cmpfloat(plain.settled, <, 0.14);
    assert_near(half.settled, 0.21, 0.04);
    g_assert_cmpfloat(half.peak, <, 0.35);
    assert_near(quarter.settled, 0.33, 0.06);
    g_assert_cmpfloat(quarter.peak, <, 0.55);
}

/* One loss event per R from a steady state: R until the rate is half. */
static void persistent_congestion_halves_the_rate(void)
{
    static const struct {
        int64_t interval;
        int rounds;
    } cases[] = {{1000, 5}, {100, 5}, {20, 4}, {10, 3}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__loss_intervals l;
        fill(&l, 0.25, cases[i].interval);
        double half = window_of(&l) / 2.0;
        int rounds = 0;
        while (window_of(&l) > half) {
            weir__loss_intervals_on_report(&l, llround(fmax(window_of(&l), 1.0)), 1);
            rounds++;
            g_assert_cmpint(rounds, <, 20);
        }
        g_test_message("interval %d: %d rounds", (int)cases[i].interval, rounds);
        g_assert_cmpint(rounds, ==, cases[i].rounds);
    }
}

/* Every N-th packet lost: the rate of the equation at p = 1/N. */
static void periodic_loss_gives_the_rate_of_the_equation(void)
{
    static const int64_t periods[] = {20, 50, 100, 400};
    struct weir__tcp_equation rfc = weir__tcp_equation_rfc();
    for (size_t i = 0; i < G_N_ELEMENTS(periods); i++) {
        struct flow *f = flow_new("tfrc", NULL, 0);
        f->lose_every = periods[i];
        flow_run_until(f, WEIR_SECONDS(120));
        double expected =
            8.0 * weir__tcp_equation_rate(&rfc, 1000.0, 0.1, 1.0 / (double)periods[i]);
        double measured = 8.0 * flow_variable(f, "x_bytes_per_s");
        g_test_message("every %d: %.0f of %.0f bit/s", (int)periods[i], measured, expected);
        assert_near(measured / expected, 1.0, 0.06);
        flow_free(f);
    }
}

/* recv_limit: never more than twice the bottleneck. X_recv counts whole packets, which adds one per
 * R (100 ms at least) at most. */
static void slow_start_overshoots_by_two_at_most(void)
{
    for (int64_t kbps = 500; kbps <= 8000; kbps *= 2) {
        struct flow *f = flow_new("tfrc", NULL, 0);
        f->capacity_bps = WEIR_KBPS(kbps);
        f->queue_bytes = kbps * 1000 / 8 / 5;
        int64_t peak_bps = 0;
        while (f->now_ns < WEIR_SECONDS(20)) {
            flow_step(f);
            peak_bps = weir_max_i64(peak_bps, flow_rate_bps(f));
        }
        g_test_message("%d kbit/s: peak %.2f", (int)kbps,
                       (double)peak_bps / (double)f->capacity_bps);
        g_assert_cmpint(peak_bps, <=, 2 * (f->capacity_bps + 80000));
        flow_free(f);
    }
}

static void a_steady_link_is_used_and_not_flooded(void)
{
    for (int64_t kbps = 500; kbps <= 4000; kbps *= 2) {
        struct flow *f = flow_new("tfrc", NULL, 0);
        f->capacity_bps = WEIR_KBPS(kbps);
        f->queue_bytes = kbps * 1000 / 8 / 5; /* 200 ms */
        flow_run_until(f, WEIR_SECONDS(30));
        int64_t before_bytes = f->delivered_bytes, sent = f->n_sent, dropped = f->n_dropped;
        flow_run_until(f, WEIR_SECONDS(90));
        double used =
            8.0 * (double)(f->delivered_bytes - before_bytes) / 60.0 / (double)f->capacity_bps;
        double loss = (double)(f->n_dropped - dropped) / (double)(f->n_sent - sent);
        g_test_message("%d kbit/s: %.1f %% used, %.2f %% lost", (int)kbps, 100.0 * used,
                       100.0 * loss);
        g_assert_cmpfloat(used, >, 0.9);
        g_assert_cmpfloat(loss, <, 0.02);
        flow_free(f);
    }
}

static void half_the_capacity_is_answered_in_about_a_second(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    f->capacity_bps = WEIR_MBPS(2);
    f->queue_bytes = 25000;
    flow_run_until(f, WEIR_SECONDS(40));
    f->capacity_bps = WEIR_MBPS(1);
    int64_t start_ns = f->now_ns;
    while (flow_rate_bps(f) > f->capacity_bps && f->now_ns < start_ns + WEIR_SECONDS(10)) {
        flow_step(f);
    }
    g_test_message("below capacity after %.2f s", (double)(f->now_ns - start_ns) * 1e-9);
    g_assert_cmpint(f->now_ns - start_ns, <=, WEIR_MS(1300));
    flow_free(f);
}

/* The report form on the same link: rougher, but in use and under control. */
static void reports_alone_hold_a_link(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    f->reports = true;
    f->feedback_ns = WEIR_SECONDS(1);
    f->capacity_bps = WEIR_MBPS(1);
    f->queue_bytes = 25000;
    flow_run_until(f, WEIR_SECONDS(60));
    int64_t sent = f->n_sent, dropped = f->n_dropped;
    double sum_bps = 0.0;
    for (int i = 0; i < 240; i++) {
        flow_run_until(f, f->now_ns + WEIR_SECONDS(1));
        g_assert_true(flow_state(f) & WEIR_STATE_REPORTS_ONLY);
        sum_bps += (double)flow_rate_bps(f) / 240.0;
    }
    double loss = (double)(f->n_dropped - dropped) / (double)(f->n_sent - sent);
    g_test_message("mean rate %.0f bit/s, %.2f %% lost", sum_bps, 100.0 * loss);
    g_assert_cmpfloat(sum_bps, >, 0.7e6);
    g_assert_cmpfloat(loss, <, 0.08);
    flow_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/tfrc_rate/" #name, name)
    ADD(increase_per_rtt_is_as_published);
    ADD(persistent_congestion_halves_the_rate);
    ADD(periodic_loss_gives_the_rate_of_the_equation);
    ADD(slow_start_overshoots_by_two_at_most);
    ADD(a_steady_link_is_used_and_not_flooded);
    ADD(half_the_capacity_is_answered_in_about_a_second);
    ADD(reports_alone_hold_a_link);
    return g_test_run();
}
