/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* warc as a session sees it: the known answers, TCP's mean window under periodic loss,
 * the start, silence and return, what the application does to it, reports, paths, bad input. */
#include "../../controller_flow.h"
#include "vectors/assert_known_answers.h"

#include <math.h>

static void known_answers_are_given(void)
{
    assert_known_answers("warc");
}

static const struct weir_param_value paper[] = {{.name = "initial", .value_text = "paper"}};

/* Every n-th packet lost, at a fixed RTT of 100 ms: m rounds between losses carry n packets at 1.5
 * m
 * - 0.5 each, so that m = sqrt(n/1.5). */
static void periodic_loss_gives_tcp_s_mean_window(void)
{
    static const int64_t every[] = {150, 600, 2400};
    struct weir_param_value values[] = {paper[0],
                                        {.name = "fluid-timeout", .value_text = "false"},
                                        {.name = "one-rtt-reduction", .value_text = "false"}};
    for (size_t i = 0; i < G_N_ELEMENTS(every); i++) {
        struct flow *f = flow_new("warc", values, 3);
        f->feedback_ns = WEIR_MS(10);
        f->lose_every = every[i];
        flow_run_until(f, WEIR_SECONDS(60));
        int64_t from = f->n_sent;
        flow_run_until(f, WEIR_SECONDS(160));
        double rounds = 100.0 / (flow_variable(f, "rtt_ns") * 1e-9);
        double mean = (double)(f->n_sent - from) / rounds;
        g_test_message("every %d: %.2f packets per round", (int)every[i], mean);
        assert_near(mean / (1.5 * sqrt((double)every[i] / 1.5)), 1.0, 0.06);
        g_assert_cmpfloat(flow_variable(f, "history_resets"), ==, 0.0);
        g_assert_cmpfloat(flow_variable(f, "windows_averaged"), ==, 160.0);
        flow_free(f);
    }
}

/* After 160 rounds at a new loss rate nothing is left of the old one. */
static void old_losses_are_forgotten_after_s_rounds(void)
{
    struct weir_param_value values[] = {paper[0],
                                        {.name = "history-reset", .value_text = "false"},
                                        {.name = "fluid-timeout", .value_text = "false"}};
    double means[2];
    for (int turn = 0; turn < 2; turn++) {
        struct flow *f = flow_new("warc", values, 3);
        f->feedback_ns = WEIR_MS(10);
        f->lose_every = turn == 0 ? 100 : 2000;
        flow_run_until(f, WEIR_SECONDS(60));
        f->lose_every = 300;
        flow_run_until(f, WEIR_SECONDS(60 + 40));
        means[turn] = flow_variable(f, "mean_window_packets");
        flow_free(f);
    }
    assert_near(means[0] / means[1], 1.0, 0.1);
}

/* Losses twenty times as frequent: the history is reset before s rounds have passed, and the rate
 * is nearer to TCP's than without. */
static void bursty_losses_reset_the_history(void)
{
    double after[2];
    for (int on = 0; on < 2; on++) {
        struct weir_param_value values[] = {
            paper[0], {.name = "history-reset", .value_text = on ? "true" : "false"}};
        struct flow *f = flow_new("warc", values, 2);
        f->feedback_ns = WEIR_MS(10);
        f->lose_every = 4000;
        flow_run_until(f, WEIR_SECONDS(60));
        g_assert_cmpfloat(flow_variable(f, "history_resets"), ==, 0.0);
        f->lose_every = 50;
        flow_run_until(f, WEIR_SECONDS(60 + 8));
        after[on] = flow_variable(f, "mean_window_packets");
        g_assert_true((flow_variable(f, "history_resets") > 0.0) == on);
        flow_free(f);
    }
    g_test_message("8 s later: %.1f packets with, %.1f without a reset", after[1], after[0]);
    g_assert_cmpfloat(after[1], <, 0.6 * after[0]);
}

/* The growth after a loss event reaches the rate smoothly: per round at most (W - R)/s and what the
 * ring forgets. */
static void growth_is_smooth(void)
{
    struct flow *f = flow_new("warc", paper, 1);
    f->feedback_ns = WEIR_MS(10);
    f->lose_every = 500;
    flow_run_until(f, WEIR_SECONDS(40));
    double last = flow_variable(f, "mean_window_packets");
    double rounds = flow_variable(f, "rounds");
    while (f->now_ns < WEIR_SECONDS(80)) {
        flow_step(f);
        double mean = flow_variable(f, "mean_window_packets");
        double passed = flow_variable(f, "rounds") - rounds;
        double most = 2.0 * mean + flow_variable(f, "emulated_window_packets");
        g_assert_cmpfloat(fabs(mean - last), <=, passed * most / 160.0 + 1e-9);
        last = mean;
        rounds += passed;
    }
    flow_free(f);
}

static void start_rate_is_kept_until_there_is_an_rtt(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    f->blackout = true;
    flow_run_until(f, WEIR_MS(1990));
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    flow_run_until(f, WEIR_MS(2100));
    g_assert_cmpint(flow_rate_bps(f), ==, 150000);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING | WEIR_STATE_NO_FEEDBACK);
    f->blackout = false;
    flow_run_until(f, WEIR_MS(2300));
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_SLOW_START);
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    flow_free(f);
}

static void first_sample_does_not_lower_the_start(void)
{
    for (int64_t delay_ms = 1; delay_ms <= 400; delay_ms *= 3) {
        struct flow *f = flow_new("warc", NULL, 0);
        f->delay_ns = WEIR_MS(delay_ms);
        f->capacity_bps = WEIR_MBPS(5);
        f->queue_bytes = 100000;
        while (f->now_ns < WEIR_SECONDS(2)) {
            flow_step(f);
            g_assert_cmpint(flow_rate_bps(f), >=, 290000);
        }
        flow_free(f);
    }
}

static void a_seeded_rtt_skips_the_first_phase(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    struct flow *published = flow_new("warc", paper, 1);
    weir__driver_seed_rtt(&f->driver, 0, 0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(200), 0);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(700), 0);
    weir__driver_seed_rtt(&published->driver, WEIR_MS(200), 0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_SLOW_START);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpint(flow_rate_bps(published), ==, 40000);
    assert_near(flow_variable(f, "rtt_ns"), 2e8, 1.0);
    flow_free(f);
    flow_free(published);
}

static void limits_move_the_start_before_feedback_only(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    struct weir_limits limits = {
        .min_bps = 30000, .max_bps = WEIR_MBPS(10), .start_bps = WEIR_KBPS(900)};
    weir__driver_set_limits(&f->driver, &limits, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 900000);
    limits.start_bps = WEIR_KBPS(200);
    weir__driver_set_limits(&f->driver, &limits, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 200000);
    flow_run_until(f, WEIR_SECONDS(1));
    int64_t before_bps = flow_rate_bps(f);
    limits.start_bps = WEIR_MBPS(9);
    weir__driver_set_limits(&f->driver, &limits, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, before_bps);
    flow_free(f);
}

/* The windows of silent rounds are 0: after s of them the floor, one packet per 64 s. A sign of
 * life finds a TCP after its timeout, in slow start. */
static void silence_ends_at_the_floor_and_feedback_brings_it_back(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(30));
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_KBPS(700));
    f->blackout = true;
    flow_run_until(f, WEIR_SECONDS(80));
    g_assert_cmpint(flow_rate_bps(f), ==, 125);
    g_assert_cmpuint(flow_state(f), &, WEIR_STATE_NO_FEEDBACK);
    g_assert_cmpfloat(flow_variable(f, "emulated_timeouts"), >=, 1.0);
    f->blackout = false;
    flow_run_until(f, WEIR_SECONDS(120));
    g_assert_cmpuint(flow_state(f) & WEIR_STATE_NO_FEEDBACK, ==, 0);
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_KBPS(500));
    flow_free(f);
}

/* On a path of 1 ms a pause of feedback as long as one lost report is no timeout, and one timeout
 * leaves a rate. */
static void short_paths_survive_a_lost_feedback(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    f->delay_ns = WEIR_US(500);
    f->capacity_bps = WEIR_MBPS(2);
    f->feedback_ns = WEIR_MS(100);
    flow_run_until(f, WEIR_SECONDS(20));
    double timeouts = flow_variable(f, "emulated_timeouts");
    int64_t before_bps = flow_rate_bps(f);
    f->blackout = true;
    flow_run_until(f, f->now_ns + WEIR_MS(190));
    f->blackout = false;
    flow_run_until(f, f->now_ns + WEIR_MS(100));
    g_assert_cmpfloat(flow_variable(f, "emulated_timeouts") - timeouts, <=, 1.0);
    g_assert_cmpint(flow_rate_bps(f), >, before_bps / 4);
    flow_free(f);
}

static void a_day_of_silence_costs_nothing(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    flow_run_until(f, WEIR_SECONDS(5));
    int64_t before_bps = flow_rate_bps(f);
    f->silent = true;
    flow_run_until(f, WEIR_SECONDS(6));
    f->now_ns += WEIR_SECONDS(86400);
    f->silent = false;
    f->next_send_ns = f->now_ns;
    flow_run_until(f, f->now_ns + WEIR_MS(500));
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    g_assert_cmpint(flow_rate_bps(f), <=, 2 * before_bps);
    g_assert_cmpfloat(flow_variable(f, "rounds"), <, 100.0);
    flow_free(f);
}

/* An idle sender keeps its mean for a while, then what TCP's idle window allows, never less than
 * the start bitrate; its timer rests. */
static void idle_time_leaves_no_hole(void)
{
    static const int64_t idles_s[] = {1, 5, 15, 60};
    for (size_t i = 0; i < G_N_ELEMENTS(idles_s); i++) {
        struct flow *f = flow_new("warc", NULL, 0);
        f->capacity_bps = WEIR_MBPS(2);
        flow_run_until(f, WEIR_SECONDS(40));
        int64_t before_bps = flow_rate_bps(f);
        f->silent = true;
        flow_run_until(f, f->now_ns + WEIR_SECONDS(idles_s[i]));
        g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
        f->silent = false;
        flow_run_until(f, f->now_ns + WEIR_MS(300));
        int64_t after_bps = flow_rate_bps(f);
        g_test_message("%d s idle: %d to %d", (int)idles_s[i], (int)before_bps, (int)after_bps);
        g_assert_cmpint(after_bps, >=, 290000);
        g_assert_cmpint(after_bps, <=, before_bps * 21 / 20);
        if (idles_s[i] <= 5) {
            g_assert_cmpint(after_bps, >=, before_bps * 8 / 10);
        }
        flow_free(f);
    }
}

/* The window of a source of 400 kbit/s stops when its mean is a quarter more than what is sent.
 * From one packet on, the window is twice its mean by then, and a packet more. */
static void an_application_limited_window_does_not_run_away(void)
{
    for (int initial = 0; initial < 2; initial++) {
        struct weir_param_value value = {.name = "initial", .value = initial};
        struct flow *f = flow_new("warc", &value, 1);
        f->source_bps = 400000;
        flow_run_until(f, WEIR_SECONDS(300));
        g_assert_cmpuint(flow_state(f), &, WEIR_STATE_APP_LIMITED);
        g_assert_cmpint(flow_rate_bps(f), >=, 400000);
        g_assert_cmpint(flow_rate_bps(f), <=, 2 * 400000 * 5 / 4 + 80000);
        flow_free(f);
    }
}

/* The session holds the flow at its maximum: the window stops beyond it. */
static void a_window_stops_beyond_the_maximum(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    struct weir_limits limits = {.min_bps = 30000, .max_bps = 1000000, .start_bps = 300000};
    weir__driver_set_limits(&f->driver, &limits, 0);
    flow_run_until(f, WEIR_SECONDS(10));
    double rounds = flow_variable(f, "rounds"),
           window = flow_variable(f, "emulated_window_packets");
    flow_run_until(f, WEIR_SECONDS(100));
    g_assert_cmpfloat(flow_variable(f, "rounds"), >, rounds + 800.0);
    g_assert_cmpfloat(flow_variable(f, "emulated_window_packets"), ==, window);
    flow_free(f);
}

static void feed(struct flow *f, const struct weir_packet_report *packets, size_t n, int64_t rtt_ns)
{
    struct weir_feedback feedback = {.now_ns = f->now_ns,
                                     .rtt_ns = rtt_ns,
                                     .in_flight_bytes = 1000,
                                     .packets = packets,
                                     .n_packets = n};
    weir__driver_on_feedback(&f->driver, &feedback);
}

static struct weir_packet_report received_at(int64_t seq, int64_t sent_ns)
{
    return (struct weir_packet_report){.seq = seq,
                                       .sent_ns = sent_ns,
                                       .arrived_ns = sent_ns + WEIR_MS(50),
                                       .wire_bytes = 1000,
                                       .status = WEIR_PACKET_RECEIVED};
}

static void send_at(struct flow *f, int64_t seq, int64_t at_ns, bool network_limited)
{
    weir__driver_on_sent(
        &f->driver,
        &(struct weir_sent_packet){
            .seq = seq, .sent_ns = at_ns, .wire_bytes = 1000, .network_limited = network_limited});
}

/* The first window carries on from the rate that silence left of the start. */
static void silence_before_there_is_an_rtt_lowers_the_first_window(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    send_at(f, 0, 0, true);
    f->now_ns = weir__driver_next_timer_ns(&f->driver);
    weir__driver_on_timer(&f->driver, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, 150000);
    struct weir_packet_report packet = received_at(0, 0);
    feed(f, &packet, 1, WEIR_MS(500));
    assert_near(flow_variable(f, "emulated_window_packets"), 150000 * 0.5 / 8000, 1e-9);
    flow_free(f);
}

/* What limited the flow before its first round says nothing of that round. */
static void a_round_is_judged_by_its_own_packets(void)
{
    struct weir_param_value values[] = {{.name = "initial", .value_text = "paper"}};
    struct flow *f = flow_new("warc", values, 1);
    send_at(f, 0, 0, true);
    struct weir_packet_report packets[2] = {received_at(0, 0), received_at(1, WEIR_MS(110))};
    f->now_ns = WEIR_MS(100);
    feed(f, packets, 1, WEIR_MS(100));
    send_at(f, 1, WEIR_MS(110), false);
    f->now_ns = WEIR_MS(290);
    feed(f, packets + 1, 1, WEIR_MS(100));
    g_assert_cmpfloat(flow_variable(f, "rounds"), ==, 1.0);
    g_assert_cmpfloat(flow_variable(f, "emulated_window_packets"), ==, 1.0);
    flow_free(f);
}

static void losses_within_one_rtt_are_one_event(void)
{
    static const struct {
        int64_t apart_ms;
        double events;
    } cases[] = {{0, 1.0}, {1, 1.0}, {99, 1.0}, {100, 1.0}, {101, 2.0}, {250, 2.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct flow *f = flow_new("warc", NULL, 0);
        weir__driver_seed_rtt(&f->driver, WEIR_MS(100), 0);
        f->now_ns = WEIR_MS(500);
        struct weir_packet_report lost[2] = {received_at(0, WEIR_MS(100)),
                                             received_at(1, WEIR_MS(100 + cases[i].apart_ms))};
        lost[0].status = lost[1].status = WEIR_PACKET_LOST;
        feed(f, lost, 2, WEIR_UNKNOWN_NS);
        g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, cases[i].events);
        flow_free(f);
    }
}

static void a_mark_is_a_loss_event_and_a_late_packet_is_none(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(100), 0);
    f->now_ns = WEIR_MS(500);
    struct weir_packet_report marked = received_at(0, WEIR_MS(100));
    struct weir_packet_report late = received_at(1, WEIR_MS(300));
    marked.ecn = WEIR_ECN_CE;
    late.status = WEIR_PACKET_LATE;
    feed(f, &marked, 1, WEIR_MS(100));
    g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, 1.0);
    feed(f, &late, 1, WEIR_MS(100));
    g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, 1.0);
    flow_free(f);
}

/* Peers that give no arrival times: X_recv by the times of feedback; the change between both. */
static void missing_arrival_times_are_coped_with(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    for (int i = 0; i < 40; i++) {
        f->now_ns = WEIR_MS(100 * i);
        struct weir_packet_report packet = received_at(i, f->now_ns - WEIR_MS(100));
        struct weir_sent_packet sent = {.seq = i + 1,
                                        .sent_ns = f->now_ns,
                                        .wire_bytes = 1000,
                                        .in_flight_bytes = 1000,
                                        .network_limited = true};
        packet.arrived_ns = i < 20 ? WEIR_UNKNOWN_NS : packet.arrived_ns + WEIR_SECONDS(5000);
        feed(f, &packet, 1, WEIR_MS(100));
        weir__driver_on_sent(&f->driver, &sent);
        assert_near(flow_variable(f, "x_recv_bytes_per_s"), 10000.0, 1e-6);
    }
    flow_free(f);
}

/* 10^6 losses in calls of 256: one event per RTT of send times, and the least window. */
static void a_million_losses_are_survived(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    struct weir_packet_report lost[WEIR_FEEDBACK_MAX_PACKETS];
    flow_run_until(f, WEIR_SECONDS(5));
    int64_t seq = f->n_sent;
    for (int call = 0; call < 3907; call++) {
        f->now_ns += WEIR_MS(1);
        for (size_t i = 0; i < WEIR_FEEDBACK_MAX_PACKETS; i++) {
            lost[i] = received_at(seq++, f->now_ns - WEIR_MS(100));
            lost[i].status = WEIR_PACKET_LOST;
        }
        feed(f, lost, WEIR_FEEDBACK_MAX_PACKETS, WEIR_UNKNOWN_NS);
        g_assert_cmpint(flow_rate_bps(f), >, 0);
    }
    g_assert_cmpfloat(flow_variable(f, "loss_events"), <, 60.0);
    f->n_sent = f->base = seq > FLOW_MAX_PACKETS ? FLOW_MAX_PACKETS : seq;
    flow_free(f);
}

static void a_new_path_starts_anew_but_not_faster(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(40));
    weir__driver_on_path_change(&f->driver, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpuint(flow_state(f) & WEIR_STATE_STARTING, !=, 0);
    flow_run_until(f, WEIR_SECONDS(42));
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    flow_free(f);
}

static struct weir_report report_of(int64_t expected, int64_t lost)
{
    return (struct weir_report){.interval_ns = WEIR_SECONDS(1),
                                .rtt_ns = WEIR_UNKNOWN_NS,
                                .expected_packets = expected,
                                .lost_packets = lost,
                                .packet_bytes = 1000,
                                .sent_bytes = expected * 1000,
                                .network_limited = true};
}

static void reports_double_at_most_and_need_no_rtt(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    int64_t last_bps = flow_rate_bps(f);
    for (int i = 1; i <= 30; i++) {
        struct weir_report report = report_of(10000, 0);
        report.now_ns = f->now_ns = WEIR_SECONDS(i);
        report.rtt_ns = i < 10 ? WEIR_UNKNOWN_NS : WEIR_MS(20);
        weir__driver_on_report(&f->driver, &report);
        g_assert_cmpint(flow_rate_bps(f), <=, 2 * last_bps + 8);
        g_assert_cmpuint(flow_state(f) & WEIR_STATE_REPORTS_ONLY, !=, 0);
        last_bps = flow_rate_bps(f);
    }
    g_assert_cmpint(last_bps, >, WEIR_MBPS(10));
    flow_free(f);
}

static void reports_of_nothing_are_no_sign_of_life(void)
{
    struct flow *f = flow_new("warc", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    f->reports = true;
    f->feedback_ns = WEIR_SECONDS(1);
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_KBPS(400));
    f->lose_every = 1;
    flow_run_until(f, WEIR_SECONDS(180));
    g_assert_cmpint(flow_rate_bps(f), <, WEIR_KBPS(30));
    flow_free(f);
}

/* On links of its own: used, with little loss, from packets and from reports. */
static void a_link_is_used(void)
{
    static const int64_t capacities_kbps[] = {500, 1000, 2000};
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(capacities_kbps); i++) {
        struct flow *f = flow_new("warc", NULL, 0);
        f->reports = i >= G_N_ELEMENTS(capacities_kbps);
        f->feedback_ns = f->reports ? WEIR_SECONDS(1) : WEIR_MS(50);
        f->capacity_bps = WEIR_KBPS(capacities_kbps[i % G_N_ELEMENTS(capacities_kbps)]);
        f->queue_bytes = f->capacity_bps / 8 / 5;
        flow_run_until(f, WEIR_SECONDS(60));
        int64_t bytes = f->delivered_bytes, sent = f->n_sent, dropped = f->n_dropped;
        flow_run_until(f, WEIR_SECONDS(160));
        sent = f->n_sent - sent;
        dropped = f->n_dropped - dropped;
        double arrived =
            f->reports ? (double)(sent - dropped) * 1000.0 : (double)(f->delivered_bytes - bytes);
        double used = 8.0 * arrived / 100.0 / (double)f->capacity_bps;
        double loss = (double)dropped / (double)sent;
        g_test_message("%d kbit/s, %s: %.1f %% used, %.2f %% lost, rtt %.0f ms",
                       (int)(f->capacity_bps / 1000), f->reports ? "reports" : "packets",
                       100.0 * used, 100.0 * loss, flow_variable(f, "rtt_ns") * 1e-6);
        g_assert_cmpfloat(used, >, f->reports ? 0.6 : 0.8);
        g_assert_cmpfloat(loss, <, 0.06);
        flow_free(f);
    }
}

static void every_switch_lives_on_a_link(void)
{
    static const struct {
        const char *name, *text;
    } switches[] = {{"initial", "paper"},       {"history-reset", "false"},
                    {"fluid-timeout", "false"}, {"one-rtt-reduction", "false"},
                    {"round", "packets"},       {"samples", "1"},
                    {"samples", "256"},         {"epochs", "1"},
                    {"epochs", "32"},           {"reset-factor", "1"},
                    {"reset-factor", "100"},    {"reduction", "0.1"},
                    {"reduction", "1"},         {"min-rto", "1"},
                    {"min-rto", "10000"}};
    for (size_t i = 0; i < G_N_ELEMENTS(switches); i++) {
        struct weir_param_value value = {.name = switches[i].name, .value_text = switches[i].text};
        struct flow *f = flow_new("warc", &value, 1);
        f->capacity_bps = WEIR_KBPS(700);
        flow_run_until(f, WEIR_SECONDS(30));
        int64_t before_bytes = f->delivered_bytes;
        flow_run_until(f, WEIR_SECONDS(90));
        double used = 8.0 * (double)(f->delivered_bytes - before_bytes) / 60.0 / 700000.0;
        f->silent = true;
        flow_run_until(f, WEIR_SECONDS(120));
        f->silent = false;
        flow_run_until(f, WEIR_SECONDS(150));
        g_test_message("%s=%s: %.1f %% used", value.name, value.value_text, 100.0 * used);
        g_assert_cmpfloat(used, >, 0.5);
        g_assert_cmpint(flow_rate_bps(f), >, 100000);
        flow_free(f);
    }
}

static void values_out_of_range_are_refused(void)
{
    static const struct {
        const char *name;
        double value;
    } cases[] = {{"samples", 0.0},       {"samples", 257.0},    {"samples", 1.5},
                 {"epochs", 0.0},        {"epochs", 33.0},      {"reset-factor", 0.0},
                 {"reset-factor", -3.0}, {"reduction", 0.0},    {"reduction", 1.1},
                 {"min-rto", 0.0},       {"fluid-timeout", 2.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir_param_value value = {.name = cases[i].name, .value = cases[i].value};
        char why[200];
        g_assert_cmpint(weir_param_check("warc", &value, NULL, why, sizeof(why)), !=, WEIR_OK);
        g_assert_nonnull(strstr(why, cases[i].name));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/warc/" #name, name)
    ADD(known_answers_are_given);
    ADD(periodic_loss_gives_tcp_s_mean_window);
    ADD(old_losses_are_forgotten_after_s_rounds);
    ADD(bursty_losses_reset_the_history);
    ADD(growth_is_smooth);
    ADD(start_rate_is_kept_until_there_is_an_rtt);
    ADD(first_sample_does_not_lower_the_start);
    ADD(a_seeded_rtt_skips_the_first_phase);
    ADD(limits_move_the_start_before_feedback_only);
    ADD(silence_ends_at_the_floor_and_feedback_brings_it_back);
    ADD(short_paths_survive_a_lost_feedback);
    ADD(a_day_of_silence_costs_nothing);
    ADD(idle_time_leaves_no_hole);
    ADD(an_application_limited_window_does_not_run_away);
    ADD(a_window_stops_beyond_the_maximum);
    ADD(silence_before_there_is_an_rtt_lowers_the_first_window);
    ADD(a_round_is_judged_by_its_own_packets);
    ADD(losses_within_one_rtt_are_one_event);
    ADD(a_mark_is_a_loss_event_and_a_late_packet_is_none);
    ADD(missing_arrival_times_are_coped_with);
    ADD(a_million_losses_are_survived);
    ADD(a_new_path_starts_anew_but_not_faster);
    ADD(reports_double_at_most_and_need_no_rtt);
    ADD(reports_of_nothing_are_no_sign_of_life);
    ADD(a_link_is_used);
    ADD(every_switch_lives_on_a_link);
    ADD(values_out_of_range_are_refused);
    return g_test_run();
}
