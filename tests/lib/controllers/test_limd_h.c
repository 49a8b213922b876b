/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* limd-h: how loss and its history become a decrease, its known answers, and what live media do to
 * it. */
#include "controllers/limd_law.h"
#include "rate_promises.h"
#include "vectors/assert_known_answers.h"

#include <math.h>

static void known_answers_are_given(void)
{
    assert_known_answers("limd-h");
}

/* Between `least` and 1; more loss and more history never leave more. */
static void the_factor_is_bounded_and_monotone(void)
{
    for (double b = 0.05; b <= 1.0; b += 0.05) {
        for (double h = 1.0; h <= 64.0; h *= 2.0) {
            double last = 1.0;
            for (double f = 0.0; f <= 1.0; f += 0.01) {
                double factor = weir__limd_factor(b, h, f, 0.5);
                g_assert_cmpfloat(factor, >=, 0.5);
                g_assert_cmpfloat(factor, <=, last);
                g_assert_cmpfloat(factor, >=, weir__limd_factor(b, 2.0 * h, f, 0.5));
                last = factor;
            }
        }
    }
    assert_near(weir__limd_factor(1.0, 1.0, 0.02, 0.5), 0.98, 1e-15);
    assert_near(weir__limd_factor(0.5, 4.0, 0.1, 0.5), 0.8, 1e-15);
}

static void history_doubles_with_loss_and_ends_without(void)
{
    double h = 1.0;
    double expected[] = {2.0, 4.0, 8.0, 8.0, 8.0};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        h = weir__limd_history(h, 0.01, 8.0);
        g_assert_cmpfloat(h, ==, expected[i]);
    }
    g_assert_cmpfloat(weir__limd_history(h, 0.0, 8.0), ==, 1.0);
    g_assert_cmpfloat(weir__limd_history(1.0, 1.0, 1.0), ==, 1.0);
    g_assert_cmpfloat(weir__limd_history(4.0, 1.0, 6.0), ==, 6.0);
}

/* One packet in 100, each alone: with b = 1 the rate goes down by about what was lost. TCP halves.
 */
static void isolated_loss_costs_little(void)
{
    struct flow *f = flow_new("limd-h", NULL, 0);
    f->lose_every = 100;
    f->source_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(10));
    int64_t last_bps = flow_rate_bps(f);
    while (f->now_ns < WEIR_SECONDS(60)) {
        flow_step(f);
        g_assert_cmpint(flow_rate_bps(f), >=, last_bps * 75 / 100);
        last_bps = flow_rate_bps(f);
    }
    g_assert_cmpint(last_bps, >=, WEIR_KBPS(900));
    flow_free(f);
}

/* Half of all packets: down to a few packets per RTT, where an RTT without loss is a matter of
 * luck.
 */
static void persistent_loss_brings_the_rate_down(void)
{
    struct flow *f = flow_new("limd-h", NULL, 0);
    f->source_bps = WEIR_MBPS(2);
    flow_run_until(f, WEIR_SECONDS(10));
    f->lose_every = 2;
    flow_run_until(f, WEIR_SECONDS(14));
    g_assert_cmpint(flow_rate_bps(f), <, WEIR_KBPS(500));
    flow_free(f);
}

static void a_link_is_used(void)
{
    static const struct {
        int64_t delay_ms, feedback_ms;
        bool reports;
        double lost; /* at most */
    } cases[] = {{20, 50, false, 0.08},  {50, 50, false, 0.07},   {50, 300, false, 0.07},
                 {150, 50, false, 0.03}, {150, 300, false, 0.03}, {50, 1000, true, 0.05}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct flow *f = flow_new("limd-h", NULL, 0);
        f->capacity_bps = WEIR_MBPS(1);
        f->queue_bytes = 25000;
        f->reports = cases[i].reports;
        f->delay_ns = WEIR_MS(cases[i].delay_ms);
        f->feedback_ns = WEIR_MS(cases[i].feedback_ms);
        flow_run_until(f, WEIR_SECONDS(20));
        int64_t dropped = f->n_dropped, sent = f->n_sent;
        flow_run_until(f, WEIR_SECONDS(120));
        double lost = (double)(f->n_dropped - dropped) / (double)(f->n_sent - sent);
        double used = (double)(f->n_sent - sent) * (1.0 - lost) * 8000.0 / 100e6;
        g_test_message("RTT %d ms, %s every %d ms: %.1f %% used, %.1f %% lost",
                       (int)(2 * cases[i].delay_ms), cases[i].reports ? "reports" : "feedback",
                       (int)cases[i].feedback_ms, 100.0 * used, 100.0 * lost);
        g_assert_cmpfloat(used, >, 0.94);
        g_assert_cmpfloat(lost, <, cases[i].lost);
        g_assert_cmpfloat(flow_variable(f, "timeouts"), ==, 0.0);
        flow_free(f);
    }
}

static void a_data_limited_source_does_not_run_away(void)
{
    struct flow *f = flow_new("limd-h", NULL, 0);
    f->source_bps = WEIR_KBPS(500);
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpint(flow_rate_bps(f), >=, WEIR_KBPS(500));
    g_assert_cmpint(flow_rate_bps(f), <=, WEIR_KBPS(500 + 240));
    g_assert_true(flow_state(f) & WEIR_STATE_APP_LIMITED);
    flow_free(f);
}

static void an_idle_flow_falls_to_the_start_rate_and_no_lower(void)
{
    struct flow *f = flow_new("limd-h", NULL, 0);
    f->source_bps = WEIR_MBPS(2);
    flow_run_until(f, WEIR_SECONDS(10));
    int64_t busy_bps = flow_rate_bps(f);
    g_assert_cmpint(busy_bps, >, WEIR_MBPS(2));
    f->silent = true;
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
    g_assert_cmpint(flow_rate_bps(f), ==, busy_bps);
    f->silent = false;
    flow_step(f);
    assert_near(flow_rate_bps(f), 300000, 1.0);
    flow_run_until(f, WEIR_SECONDS(65));
    g_assert_cmpint(flow_rate_bps(f), >=, WEIR_MBPS(2));
    flow_free(f);
}

static void silence_halves_and_feedback_brings_it_back(void)
{
    struct flow *f = flow_new("limd-h", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(20));
    int64_t last_bps = flow_silence_until(f, WEIR_SECONDS(400));
    g_assert_cmpint(last_bps, ==, 125); /* one packet in 64 s */
    g_assert_true(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
    f->blackout = false;
    flow_run_until(f, f->now_ns + WEIR_SECONDS(120));
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    flow_free(f);
}

static void a_start_without_feedback_is_halved_and_comes_back(void)
{
    struct flow *f = flow_new("limd-h", NULL, 0);
    f->blackout = true;
    flow_run_until(f, WEIR_MS(990));
    assert_near(flow_rate_bps(f), 300000, 1.0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    flow_run_until(f, WEIR_MS(1050));
    assert_near(flow_rate_bps(f), 150000, 1.0);
    f->blackout = false;
    flow_run_until(f, WEIR_MS(1300));
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    flow_free(f);
}

static void limits_move_the_start_before_feedback_only(void)
{
    struct flow *f = flow_new("limd-h", NULL, 0);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 800000}, 0);
    assert_near(flow_rate_bps(f), 800000, 1.0);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 90000}, 0);
    assert_near(flow_rate_bps(f), 90000, 1.0);
    flow_run_until(f, WEIR_SECONDS(4));
    int64_t rate_bps = flow_rate_bps(f);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 50000}, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, rate_bps);
    flow_free(f);
}

static void a_mark_is_a_loss(void)
{
    struct flow *f = flow_new("limd-h", NULL, 0);
    flow_run_until(f, WEIR_SECONDS(2));
    struct weir_packet_report packet = {.seq = f->n_sent - 1,
                                        .sent_ns = f->now_ns,
                                        .arrived_ns = WEIR_UNKNOWN_NS,
                                        .wire_bytes = 1000,
                                        .status = WEIR_PACKET_RECEIVED,
                                        .ecn = WEIR_ECN_CE};
    struct weir_feedback feedback = {.now_ns = f->now_ns + WEIR_SECONDS(1),
                                     .rtt_ns = WEIR_MS(100),
                                     .packets = &packet,
                                     .n_packets = 1};
    double before = flow_variable(f, "loss_epochs");
    weir__driver_on_feedback(&f->driver, &feedback);
    g_assert_cmpfloat(flow_variable(f, "loss_epochs"), ==, before + 1.0);
    g_assert_cmpfloat(flow_variable(f, "loss_fraction"), >, 0.0);
    flow_free(f);
}

static void losses_before_any_rtt_lower_the_first_rate(void)
{
    struct flow *f = flow_new("limd-h", NULL, 0);
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

static void reports_need_no_rtt(void)
{
    struct flow *f = flow_new("limd-h", NULL, 0);
    struct weir_report report = {.now_ns = WEIR_SECONDS(1),
                                 .rtt_ns = WEIR_UNKNOWN_NS,
                                 .interval_ns = WEIR_SECONDS(1),
                                 .expected_packets = 38,
                                 .packet_bytes = 1000,
                                 .sent_bytes = 38000,
                                 .network_limited = true};
    weir__driver_on_report(&f->driver, &report);
    assert_near(flow_rate_bps(f), 8000.0 * (37.5 + 2.0 * 2.0), 1.0);
    report.now_ns = WEIR_SECONDS(2);
    report.rtt_ns = WEIR_SECONDS(1);
    weir__driver_on_report(&f->driver, &report);
    assert_near(flow_variable(f, "rtt_ns"), 1e9, 1.0);
    assert_near(flow_rate_bps(f), 8000.0 * (37.5 + 2.0 * 2.0 + 1.0), 1.0);
    flow_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/limd-h/" #name, name)
    ADD(known_answers_are_given);
    ADD(the_factor_is_bounded_and_monotone);
    ADD(history_doubles_with_loss_and_ends_without);
    ADD(isolated_loss_costs_little);
    ADD(persistent_loss_brings_the_rate_down);
    ADD(a_link_is_used);
    ADD(a_data_limited_source_does_not_run_away);
    g_test_add_data_func("/limd-h/the_upper_limit_ends_growth", "limd-h",
                         the_upper_limit_ends_growth);
    g_test_add_data_func("/limd-h/growth_begins_at_the_lower_limit", "limd-h",
                         growth_begins_at_the_lower_limit);
    ADD(an_idle_flow_falls_to_the_start_rate_and_no_lower);
    ADD(silence_halves_and_feedback_brings_it_back);
    ADD(a_start_without_feedback_is_halved_and_comes_back);
    ADD(limits_move_the_start_before_feedback_only);
    g_test_add_data_func("/limd-h/a_new_path_starts_anew_but_not_faster", "limd-h",
                         a_new_path_starts_anew_but_not_faster);
    ADD(a_mark_is_a_loss);
    ADD(losses_before_any_rtt_lower_the_first_rate);
    ADD(reports_need_no_rtt);
    return g_test_run();
}
