/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all algorithms made for receiver reports promise a live source, whichever they are. */
#include "../../controller_flow.h"

static const char *const names[] = {"cbraa", "tcp-friend", "lda", "toutain"};
static const struct weir_param_value paper[] = {{.name = "profile", .value_text = "paper"},
                                                {.name = "initial", .value_text = "paper"}};

/* One report of a second about what the rate was, RTT 100 ms. */
static void report(struct flow *f, int expected, int lost, bool network_limited)
{
    f->now_ns += WEIR_SECONDS(1);
    struct weir_report rr = {.now_ns = f->now_ns,
                             .rtt_ns = WEIR_MS(100),
                             .interval_ns = WEIR_SECONDS(1),
                             .expected_packets = expected,
                             .lost_packets = lost,
                             .packet_bytes = 1000,
                             .sent_bytes = expected * 1000,
                             .network_limited = network_limited};
    weir__driver_on_report(&f->driver, &rr);
}

static void they_start_at_the_start_bitrate_or_ten_packets_per_second(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct flow *f = flow_new(names[i], NULL, 0);
        struct flow *p = flow_new(names[i], paper, 2);
        g_assert_cmpint(flow_rate_bps(f), ==, 300000);
        g_assert_cmpint(flow_rate_bps(p), ==, 80000);
        g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
        flow_run_until(f, WEIR_MS(1500));
        g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_SLOW_START);
        g_assert_cmpint(flow_rate_bps(f), >=, 300000);
        flow_free(f);
        flow_free(p);
    }
}

static void a_report_moves_the_rate_by_a_factor_of_two_at_most(void)
{
    GRand *rand = g_rand_new_with_seed(3);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct flow *f = flow_new(names[i], NULL, 0);
        for (int k = 0; k < 2000; k++) {
            int64_t before_bps = flow_rate_bps(f);
            int expected = g_rand_int_range(rand, 20, 1000);
            int lost = g_rand_boolean(rand) ? 0 : g_rand_int_range(rand, 0, expected + 1);
            report(f, expected, lost, true);
            g_assert_cmpint(flow_rate_bps(f), <=, 2 * before_bps + 1);
            g_assert_cmpint(flow_rate_bps(f), >=, before_bps / 2 - 1);
            g_assert_cmpint(flow_rate_bps(f), >=, 30000);
            g_assert_cmpint(flow_rate_bps(f), <=, 10000000);
        }
        flow_free(f);
    }
    g_rand_free(rand);
}

/* The letter of a paper has no such limit: TCP-Friend adds 50 packets/s to 10. */
static void the_paper_has_no_limits_of_steps(void)
{
    struct flow *f = flow_new("tcp-friend", paper, 2);
    report(f, 100, 0, true);
    g_assert_cmpint(flow_rate_bps(f), ==, 480000);
    report(f, 100, 0, false);
    g_assert_cmpint(flow_rate_bps(f), ==, 880000);
    flow_free(f);
}

static void a_source_that_sends_less_than_it_may_gets_no_increase(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct flow *f = flow_new(names[i], NULL, 0);
        for (int k = 0; k < 100; k++) {
            report(f, 20, 0, false);
            g_assert_cmpint(flow_rate_bps(f), ==, 300000);
        }
        g_assert_true(flow_state(f) & WEIR_STATE_APP_LIMITED);
        report(f, 20, 10, false);
        g_assert_cmpint(flow_rate_bps(f), <=, 160001);
        flow_free(f);
    }
}

static void limited_sources_on_a_path_keep_the_estimate_near(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct flow *f = flow_new(names[i], NULL, 0);
        f->source_bps = WEIR_KBPS(500);
        flow_run_until(f, WEIR_SECONDS(60));
        g_test_message("%s: %d bit/s", names[i], (int)flow_rate_bps(f));
        g_assert_cmpint(flow_rate_bps(f), >=, 500000);
        g_assert_cmpint(flow_rate_bps(f), <=, 1200000);
        flow_free(f);
    }
}

static void idleness_costs_nothing_and_needs_no_timer(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct flow *f = flow_new(names[i], NULL, 0);
        f->source_bps = WEIR_MBPS(1);
        flow_run_until(f, WEIR_SECONDS(30));
        int64_t before_bps = flow_rate_bps(f);
        f->silent = true;
        flow_run_until(f, WEIR_SECONDS(120));
        g_assert_cmpint(flow_rate_bps(f), ==, before_bps);
        g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
        f->silent = false;
        flow_run_until(f, WEIR_SECONDS(125));
        g_assert_cmpint(flow_rate_bps(f), >=, before_bps * 9 / 10);
        flow_free(f);
    }
}

static void silence_halves_and_reports_bring_it_back(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct flow *f = flow_new(names[i], NULL, 0);
        f->source_bps = WEIR_MBPS(1);
        flow_run_until(f, WEIR_SECONDS(30));
        int64_t before_bps = flow_rate_bps(f);
        f->blackout = true;
        flow_run_until(f, WEIR_MS(33200));
        g_assert_cmpint(flow_rate_bps(f), ==, before_bps / 2);
        g_assert_true(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
        flow_run_until(f, WEIR_SECONDS(90));
        g_assert_cmpint(flow_rate_bps(f), ==, 30000);
        f->blackout = false;
        flow_run_until(f, WEIR_SECONDS(180));
        g_test_message("%s: %d bit/s", names[i], (int)flow_rate_bps(f));
        g_assert_false(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
        g_assert_cmpint(flow_rate_bps(f), >=, 300000);
        flow_free(f);
    }
}

static void a_new_path_begins_at_the_start_but_never_faster(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct flow *f = flow_new(names[i], NULL, 0);
        flow_run_until(f, WEIR_SECONDS(20));
        g_assert_cmpint(flow_rate_bps(f), >, 300000);
        weir__driver_on_path_change(&f->driver, f->now_ns);
        g_assert_cmpint(flow_rate_bps(f), ==, 300000);
        g_assert_true(flow_state(f) & WEIR_STATE_STARTING);
        g_assert_cmpfloat(flow_variable(f, "rtt_ns"), ==, 0.0);
        weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 100000}, 0);
        g_assert_cmpint(flow_rate_bps(f), ==, 100000);
        weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 800000}, 0);
        g_assert_cmpint(flow_rate_bps(f), ==, 800000);
        flow_free(f);
    }
}

static void limits_hold_at_once(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct flow *f = flow_new(names[i], NULL, 0);
        flow_run_until(f, WEIR_SECONDS(20));
        weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 200000, 100000}, 0);
        g_assert_cmpint(flow_rate_bps(f), ==, 200000);
        flow_run_until(f, WEIR_SECONDS(25));
        g_assert_cmpint(flow_rate_bps(f), <=, 200000);
        flow_free(f);
    }
}

/* TCP-Friend adds interval/(2 R^2), so its answer shows which R it took. */
static void a_seeded_rtt_counts_until_the_first_sample(void)
{
    struct flow *f = flow_new("tcp-friend", NULL, 0);
    weir__driver_seed_rtt(&f->driver, 0, 0);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(200), 0);
    struct weir_report rr = {.now_ns = WEIR_SECONDS(1),
                             .rtt_ns = WEIR_UNKNOWN_NS,
                             .interval_ns = WEIR_SECONDS(1),
                             .expected_packets = 100,
                             .packet_bytes = 1000,
                             .sent_bytes = 100000,
                             .network_limited = true};
    weir__driver_on_report(&f->driver, &rr);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000 + 100000);
    f->now_ns = WEIR_SECONDS(1);
    report(f, 100, 0, true);
    g_assert_cmpint(flow_rate_bps(f), ==, 400000 + 400000);
    flow_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/rtcp_flow/" #name, name)
    ADD(they_start_at_the_start_bitrate_or_ten_packets_per_second);
    ADD(a_report_moves_the_rate_by_a_factor_of_two_at_most);
    ADD(the_paper_has_no_limits_of_steps);
    ADD(a_source_that_sends_less_than_it_may_gets_no_increase);
    ADD(limited_sources_on_a_path_keep_the_estimate_near);
    ADD(idleness_costs_nothing_and_needs_no_timer);
    ADD(silence_halves_and_reports_bring_it_back);
    ADD(a_new_path_begins_at_the_start_but_never_faster);
    ADD(limits_hold_at_once);
    ADD(a_seeded_rtt_counts_until_the_first_sample);
    return g_test_run();
}
