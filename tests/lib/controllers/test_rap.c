/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rap: the arithmetic of the paper, its known answers, and what live media do to it. */
#include "controllers/rap_law.h"
#include "rate_promises.h"
#include "vectors/assert_known_answers.h"

#include <math.h>

static void known_answers_are_given(void)
{
    assert_known_answers("rap");
}

/* Whatever the gap, the rate grows by alpha packets per RTT. */
static void a_step_adds_alpha_packets_per_rtt(void)
{
    assert_near(weir__rap_step(0.1, 0.2, 1.0), 0.0666667, 5e-8);
    for (double ipg = 1e-5; ipg < 100.0; ipg *= 3.0) {
        for (double srtt = 1e-4; srtt <= 10.0; srtt *= 3.0) {
            for (double alpha = 0.01; alpha <= 10.0; alpha *= 10.0) {
                double rate = 1.0 / weir__rap_step(ipg, srtt, alpha);
                assert_near(rate, 1.0 / ipg + alpha / srtt, 1e-12 * rate);
            }
        }
    }
}

static void a_loss_leaves_beta_of_the_rate(void)
{
    assert_near(weir__rap_back_off(0.1, 0.5), 0.2, 1e-15);
    for (double beta = 0.05; beta < 1.0; beta += 0.05) {
        assert_near(1.0 / weir__rap_back_off(0.01, beta), beta * 100.0, 1e-9);
    }
}

static void the_pause_follows_the_short_term_rtt(void)
{
    assert_near(weir__rap_wait(0.1, 0.3, 0.2), 0.15, 1e-15);
    assert_near(weir__rap_wait(0.1, 0.2, 0.2), 0.1, 1e-15);
    assert_near(weir__rap_timeout(0.3, 0.1, 1.2, 4.0), 0.76, 1e-15);
}

/* One reduction per flight: with one packet in 20 lost the rate is never halved twice within an
 * RTT. */
static void losses_of_one_flight_are_answered_once(void)
{
    struct flow *f = flow_new("rap", NULL, 0);
    f->lose_every = 20;
    int64_t last_bps = flow_rate_bps(f);
    int64_t halved_ns = -WEIR_SECONDS(1);
    int n = 0;
    while (f->now_ns < WEIR_SECONDS(60)) {
        flow_step(f);
        int64_t rate_bps = flow_rate_bps(f);
        if (rate_bps < last_bps) {
            assert_near(rate_bps, (double)last_bps / 2.0, 1.0);
            g_assert_cmpint(f->now_ns - halved_ns, >=, WEIR_MS(100));
            halved_ns = f->now_ns;
            n++;
        }
        last_bps = rate_bps;
    }
    g_assert_cmpfloat(n, ==, flow_variable(f, "reductions"));
    g_assert_cmpint(n, >, 50);
    flow_free(f);
}

/* A share of the link, whatever the delay and the feedback; the figures of the page. */
static void a_link_is_used(void)
{
    static const struct {
        int64_t delay_ms, feedback_ms;
        double used, lost; /* at least, at most */
    } cases[] = {{20, 50, 0.95, 0.13},
                 {50, 50, 0.9, 0.08},
                 {50, 300, 0.9, 0.09},
                 {150, 50, 0.8, 0.02},
                 {150, 300, 0.8, 0.02}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct flow *f = flow_new("rap", NULL, 0);
        f->capacity_bps = WEIR_MBPS(1);
        f->queue_bytes = 25000;
        f->delay_ns = WEIR_MS(cases[i].delay_ms);
        f->feedback_ns = WEIR_MS(cases[i].feedback_ms);
        flow_run_until(f, WEIR_SECONDS(20));
        int64_t delivered = f->delivered_bytes, dropped = f->n_dropped, sent = f->n_sent;
        flow_run_until(f, WEIR_SECONDS(120));
        double used = 8.0 * (double)(f->delivered_bytes - delivered) / 100e6;
        double lost = (double)(f->n_dropped - dropped) / (double)(f->n_sent - sent);
        g_test_message("RTT %d ms, feedback %d ms: %.1f %% used, %.1f %% lost",
                       (int)(2 * cases[i].delay_ms), (int)cases[i].feedback_ms, 100.0 * used,
                       100.0 * lost);
        g_assert_cmpfloat(used, >, cases[i].used);
        g_assert_cmpfloat(lost, <, cases[i].lost);
        g_assert_cmpfloat(flow_variable(f, "timeouts"), ==, 0.0);
        flow_free(f);
    }
}

/* The paper's threshold: the rate stops at twice what is used; a step counts whole packets, one
 * more or less of 6, and then comes a step of 80 kbit/s. */
static void a_data_limited_source_does_not_run_away(void)
{
    struct flow *f = flow_new("rap", NULL, 0);
    f->source_bps = WEIR_KBPS(500);
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpint(flow_rate_bps(f), >=, WEIR_KBPS(900));
    g_assert_cmpint(flow_rate_bps(f), <=, WEIR_KBPS(1000 * 7 / 6 + 80));
    g_assert_true(flow_state(f) & WEIR_STATE_APP_LIMITED);
    flow_free(f);
}

static void an_idle_flow_falls_to_the_start_rate_and_no_lower(void)
{
    struct flow *f = flow_new("rap", NULL, 0);
    f->source_bps = WEIR_MBPS(2);
    flow_run_until(f, WEIR_SECONDS(10));
    int64_t busy_bps = flow_rate_bps(f);
    g_assert_cmpint(busy_bps, >, WEIR_MBPS(2));
    f->silent = true;
    flow_run_until(f, WEIR_MS(10900));
    f->silent = false;
    flow_step(f);
    g_assert_cmpint(flow_rate_bps(f), ==, busy_bps); /* a pause of speech */
    f->silent = true;
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
    f->silent = false;
    flow_step(f);
    assert_near(flow_rate_bps(f), 300000, 1.0);
    flow_run_until(f, WEIR_SECONDS(65));
    g_assert_cmpint(flow_rate_bps(f), >=, WEIR_MBPS(2));
    flow_free(f);
}

static void silence_halves_once_per_timeout_and_feedback_brings_it_back(void)
{
    struct flow *f = flow_new("rap", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(20));
    double timeouts = flow_variable(f, "timeouts");
    int64_t n_sent = f->n_sent;
    int64_t last_bps = flow_silence_until(f, WEIR_SECONDS(400));
    g_assert_cmpint(last_bps, ==, 125); /* one packet in 64 s */
    timeouts = flow_variable(f, "timeouts") - timeouts;
    g_assert_cmpfloat(timeouts, >=, 13.0); /* 1 Mbit/s / 2^13 */
    g_assert_cmpfloat(timeouts, <=, (double)(f->n_sent - n_sent) + 1.0);
    g_assert_true(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
    f->blackout = false;
    flow_run_until(f, f->now_ns + WEIR_SECONDS(120));
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    flow_free(f);
}

static void a_start_without_feedback_is_halved_and_comes_back(void)
{
    struct flow *f = flow_new("rap", NULL, 0);
    f->blackout = true;
    flow_run_until(f, WEIR_MS(1990));
    assert_near(flow_rate_bps(f), 300000, 1.0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    flow_run_until(f, WEIR_MS(2050));
    assert_near(flow_rate_bps(f), 150000, 1.0);
    f->blackout = false;
    flow_run_until(f, WEIR_MS(2200));
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    flow_free(f);
}

/* The start is a bitrate, not a number of packets. */
static void the_start_rate_holds_for_packets_of_any_size(void)
{
    for (int64_t bytes = 1; bytes < 65536; bytes *= 3) {
        struct flow *f = flow_new("rap", NULL, 0);
        struct weir_sent_packet sent = {.wire_bytes = bytes, .in_flight_bytes = bytes};
        weir__driver_on_sent(&f->driver, &sent);
        assert_near(flow_rate_bps(f), 300000, 1.0);
        flow_free(f);
    }
}

static void losses_before_any_rtt_lower_the_first_rate(void)
{
    struct flow *f = flow_new("rap", NULL, 0);
    struct weir_sent_packet sent = {.wire_bytes = 1000, .in_flight_bytes = 1000};
    struct weir_packet_report packet = {.status = WEIR_PACKET_LOST, .wire_bytes = 1000};
    struct weir_feedback feedback = {
        .now_ns = WEIR_MS(500), .rtt_ns = WEIR_UNKNOWN_NS, .packets = &packet, .n_packets = 1};
    weir__driver_on_sent(&f->driver, &sent);
    weir__driver_on_feedback(&f->driver, &feedback);
    assert_near(flow_rate_bps(f), 150000, 1.0);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(100), WEIR_MS(500));
    assert_near(flow_rate_bps(f), 150000, 1.0);
    flow_free(f);
}

static void a_mark_is_a_loss_and_a_late_packet_is_none(void)
{
    struct flow *f = flow_new("rap", NULL, 0);
    flow_run_until(f, WEIR_SECONDS(2));
    int64_t rate_bps = flow_rate_bps(f);
    struct weir_packet_report packet = {.seq = f->n_sent - 1,
                                        .sent_ns = f->now_ns,
                                        .arrived_ns = WEIR_UNKNOWN_NS,
                                        .wire_bytes = 1000,
                                        .status = WEIR_PACKET_LATE};
    struct weir_feedback feedback = {
        .now_ns = f->now_ns, .rtt_ns = WEIR_MS(100), .packets = &packet, .n_packets = 1};
    weir__driver_on_feedback(&f->driver, &feedback);
    g_assert_cmpint(flow_rate_bps(f), >=, rate_bps);
    packet.status = WEIR_PACKET_RECEIVED;
    packet.ecn = WEIR_ECN_CE;
    rate_bps = flow_rate_bps(f);
    weir__driver_on_feedback(&f->driver, &feedback);
    assert_near(flow_rate_bps(f), (double)rate_bps / 2.0, 1.0);
    flow_free(f);
}

static void limits_move_the_start_before_feedback_only(void)
{
    struct flow *f = flow_new("rap", NULL, 0);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 800000}, 0);
    assert_near(flow_rate_bps(f), 800000, 1.0);
    f->blackout = true;
    flow_run_until(f, WEIR_MS(2100));
    assert_near(flow_rate_bps(f), 400000, 1.0);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 600000}, 0);
    assert_near(flow_rate_bps(f), 400000, 1.0);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 90000}, 0);
    assert_near(flow_rate_bps(f), 90000, 1.0);
    f->blackout = false;
    flow_run_until(f, WEIR_SECONDS(4));
    int64_t rate_bps = flow_rate_bps(f);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 50000}, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, rate_bps);
    flow_free(f);
}

/* The pacing moves with the RTT, the rate does not. */
static void fine_grain_moves_the_pacing_alone(void)
{
    static const struct weir_param_value fine[] = {{.name = "fine-grain", .value_text = "true"}};
    struct flow *f = flow_new("rap", fine, 1);
    struct flow *plain = flow_new("rap", NULL, 0);
    struct weir_control control, coarse;
    f->delay_ns = plain->delay_ns = WEIR_MS(50);
    flow_run_until(f, WEIR_SECONDS(3));
    flow_run_until(plain, WEIR_SECONDS(3));
    f->delay_ns = plain->delay_ns = WEIR_MS(100);
    flow_run_until(f, WEIR_MS(3400));
    flow_run_until(plain, WEIR_MS(3400));
    weir__driver_get_output(&f->driver, &control);
    weir__driver_get_output(&plain->driver, &coarse);
    g_assert_cmpint(control.pacing_bps, <, control.rate_bps * 6 / 10);
    g_assert_cmpint(control.rate_bps, ==, coarse.rate_bps);
    g_assert_cmpint(coarse.pacing_bps, ==, coarse.rate_bps);
    flow_free(f);
    flow_free(plain);
}

/* From receiver reports: growth by half at most, halved once by each report with loss. */
static void reports_steer_in_bounds(void)
{
    for (int64_t interval_s = 1; interval_s <= 5; interval_s += 2) {
        struct flow *f = flow_new("rap", NULL, 0);
        f->reports = true;
        f->capacity_bps = WEIR_MBPS(1);
        f->feedback_ns = WEIR_SECONDS(interval_s);
        int64_t last_bps = flow_rate_bps(f);
        while (f->now_ns < WEIR_SECONDS(200)) {
            flow_step(f);
            int64_t rate_bps = flow_rate_bps(f);
            g_assert_cmpint(rate_bps, <=, last_bps * 3 / 2 + 1);
            g_assert_cmpint(rate_bps, >=, last_bps / 2 - 1);
            last_bps = rate_bps;
        }
        double used = (double)(f->n_sent - f->n_dropped) * 8000.0 / 200e6;
        g_test_message("reports every %d s: %.1f %% used, %.1f %% lost", (int)interval_s,
                       100.0 * used, 100.0 * (double)f->n_dropped / (double)f->n_sent);
        g_assert_cmpfloat(used, >, 0.7);
        g_assert_true(flow_state(f) & WEIR_STATE_REPORTS_ONLY);
        g_assert_cmpfloat(flow_variable(f, "timeouts"), ==, 0.0);
        flow_free(f);
    }
}

/* Five reports a second at an RTT of half a second tell of the same losses; a report of a lone
 * second without any RTT counts with 500 ms. */
static void reports_within_an_rtt_halve_once(void)
{
    struct flow *f = flow_new("rap", NULL, 0);
    struct weir_report report = {.rtt_ns = WEIR_MS(500),
                                 .interval_ns = WEIR_MS(200),
                                 .expected_packets = 8,
                                 .lost_packets = 1,
                                 .packet_bytes = 1000,
                                 .sent_bytes = 8000};
    for (int i = 1; i <= 3; i++) {
        report.now_ns = WEIR_MS(200) * i;
        weir__driver_on_report(&f->driver, &report);
        assert_near(flow_rate_bps(f), 150000, 1.0);
    }
    report.now_ns = WEIR_MS(800);
    weir__driver_on_report(&f->driver, &report);
    assert_near(flow_rate_bps(f), 75000, 1.0);
    flow_free(f);
}

static void reports_need_no_rtt(void)
{
    struct flow *f = flow_new("rap", NULL, 0);
    struct weir_report report = {.now_ns = WEIR_SECONDS(1),
                                 .rtt_ns = WEIR_UNKNOWN_NS,
                                 .interval_ns = WEIR_SECONDS(1),
                                 .expected_packets = 38,
                                 .packet_bytes = 1000,
                                 .sent_bytes = 38000};
    weir__driver_on_report(&f->driver, &report);
    assert_near(flow_rate_bps(f), 8000.0 * (37.5 + 1.0 / 0.25), 1.0);
    report.now_ns = WEIR_SECONDS(2);
    report.rtt_ns = WEIR_SECONDS(1);
    weir__driver_on_report(&f->driver, &report);
    assert_near(flow_variable(f, "rtt_ns"), 1e9, 1.0);
    assert_near(flow_rate_bps(f), 8000.0 * (37.5 + 1.0 / 0.25 + 1.0), 1.0);
    flow_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/rap/" #name, name)
    ADD(known_answers_are_given);
    ADD(a_step_adds_alpha_packets_per_rtt);
    ADD(a_loss_leaves_beta_of_the_rate);
    ADD(the_pause_follows_the_short_term_rtt);
    ADD(losses_of_one_flight_are_answered_once);
    ADD(a_link_is_used);
    ADD(a_data_limited_source_does_not_run_away);
    g_test_add_data_func("/rap/the_upper_limit_ends_growth", "rap", the_upper_limit_ends_growth);
    g_test_add_data_func("/rap/growth_begins_at_the_lower_limit", "rap",
                         growth_begins_at_the_lower_limit);
    ADD(an_idle_flow_falls_to_the_start_rate_and_no_lower);
    ADD(silence_halves_once_per_timeout_and_feedback_brings_it_back);
    ADD(a_start_without_feedback_is_halved_and_comes_back);
    ADD(the_start_rate_holds_for_packets_of_any_size);
    ADD(losses_before_any_rtt_lower_the_first_rate);
    ADD(a_mark_is_a_loss_and_a_late_packet_is_none);
    ADD(limits_move_the_start_before_feedback_only);
    g_test_add_data_func("/rap/a_new_path_starts_anew_but_not_faster", "rap",
                         a_new_path_starts_anew_but_not_faster);
    ADD(fine_grain_moves_the_pacing_alone);
    ADD(reports_steer_in_bounds);
    ADD(reports_within_an_rtt_halve_once);
    ADD(reports_need_no_rtt);
    return g_test_run();
}
