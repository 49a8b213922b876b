/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc as a session sees it: the known answers, its start, silence and return, what
 * the application does to it, late and marked packets, reports, a new path, and every variant. */
#include "../../controller_flow.h"
#include "vectors/assert_known_answers.h"

#include <math.h>

static void known_answers_are_given(void)
{
    assert_known_answers("tfrc");
}

static const struct weir_param_value rfc_start[] = {{.name = "initial", .value_text = "rfc"}};

static void starting_rate_is_halved_until_there_is_feedback(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    f->blackout = true;
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
    flow_run_until(f, WEIR_MS(1999));
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    flow_run_until(f, WEIR_MS(2010));
    g_assert_cmpint(flow_rate_bps(f), ==, 150000);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING | WEIR_STATE_NO_FEEDBACK);
    f->blackout = false;
    flow_run_until(f, WEIR_MS(2200));
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_SLOW_START);
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    flow_free(f);
}

/* At R = 500 ms the RFC allows 64 kbit/s at first. Media that began with 300 kbit/s and arrived at
 * that rate go on with it. */
static void first_sample_does_not_undo_a_proved_start(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    struct flow *rfc = flow_new("tfrc", rfc_start, 1);
    f->delay_ns = rfc->delay_ns = WEIR_MS(250);
    f->feedback_ns = rfc->feedback_ns = WEIR_MS(100);
    int64_t least_bps = INT64_MAX;
    while (f->now_ns < WEIR_SECONDS(2)) {
        flow_step(f);
        least_bps = weir_min_i64(least_bps, flow_rate_bps(f));
    }
    flow_run_until(rfc, WEIR_MS(600));
    g_assert_cmpint(least_bps, >=, 200000);
    g_assert_cmpint(flow_rate_bps(rfc), ==, 64000);
    flow_free(f);
    flow_free(rfc);
}

static void a_seeded_rtt_skips_the_first_phase(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    struct flow *rfc = flow_new("tfrc", rfc_start, 1);
    weir__driver_seed_rtt(&f->driver, 0, 0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(100), 0);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(700), 0);
    weir__driver_seed_rtt(&rfc->driver, WEIR_MS(100), 0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_SLOW_START);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpint(flow_rate_bps(rfc), ==, 320000);
    assert_near(flow_variable(f, "rtt_ns"), 1e8, 1.0);
    flow_free(f);
    flow_free(rfc);
}

static void limits_move_the_start_before_feedback_only(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 800000}, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 800000);
    f->blackout = true;
    flow_run_until(f, WEIR_MS(2100));
    g_assert_cmpint(flow_rate_bps(f), ==, 400000);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 600000}, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 400000);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 90000}, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 90000);
    f->blackout = false;
    flow_run_until(f, WEIR_SECONDS(4));
    int64_t rate_bps = flow_rate_bps(f);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 50000}, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, rate_bps);
    flow_free(f);
}

static void silence_halves_for_ever_and_feedback_brings_it_back(void)
{
    for (int with_loss = 0; with_loss < 2; with_loss++) {
        struct flow *f = flow_new("tfrc", NULL, 0);
        f->capacity_bps = with_loss ? WEIR_MBPS(1) : 0;
        f->source_bps = with_loss ? 0 : WEIR_MBPS(1);
        flow_run_until(f, WEIR_SECONDS(20));
        int64_t last_bps = flow_silence_until(f, WEIR_SECONDS(400));
        g_assert_cmpint(last_bps, <=, 1000);
        g_assert_true(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
        f->blackout = false;
        flow_run_until(f, f->now_ns + WEIR_SECONDS(60));
        g_assert_cmpint(flow_rate_bps(f), >=, 300000);
        g_assert_false(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
        flow_free(f);
    }
}

/* Idle: the rate falls to what a restart may use, the timer then rests, and wakes with the next
 * packet. */
static void an_idle_sender_keeps_its_recover_rate_and_no_timer(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    f->source_bps = WEIR_MBPS(2);
    flow_run_until(f, WEIR_SECONDS(10));
    g_assert_cmpint(flow_rate_bps(f), >=, WEIR_MBPS(2));
    f->silent = true;
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
    g_assert_cmpint(flow_rate_bps(f), >=, 320000);
    g_assert_cmpint(flow_rate_bps(f), <, 640000);
    f->silent = false;
    flow_step(f);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), <, WEIR_NEVER_NS);
    flow_run_until(f, f->now_ns + WEIR_SECONDS(3));
    g_assert_cmpint(flow_rate_bps(f), >=, WEIR_MBPS(2));
    flow_free(f);
}

/* 8.2.1, 4.3: what was reached is kept while the source sends less, and does not grow without
 * bound. */
static void a_data_limited_source_does_not_run_away(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    f->source_bps = WEIR_KBPS(500);
    int64_t peak_bps = 0;
    while (f->now_ns < WEIR_SECONDS(60)) {
        flow_step(f);
        peak_bps = weir_max_i64(peak_bps, flow_rate_bps(f));
    }
    g_assert_true(flow_state(f) & WEIR_STATE_APP_LIMITED);
    g_assert_cmpint(peak_bps, <=, WEIR_KBPS(1300));
    flow_free(f);
}

/* 4.3 runs on every report of a receiver that sends one per R, although its estimate of R is a
 * little smaller than ours; not on one that comes much earlier. */
static void a_report_a_little_early_counts(void)
{
    static const struct {
        int64_t interval_us, x_bps;
    } cases[] = {{99500, 640000}, {94000, 640000}, {93000, 320000}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct flow *f = flow_new("tfrc", rfc_start, 1);
        for (int64_t n = 0; n < 2; n++) {
            int64_t sent_ns = n * WEIR_US(cases[i].interval_us);
            struct weir_packet_report packet = {.seq = n,
                                                .sent_ns = sent_ns,
                                                .arrived_ns = sent_ns + WEIR_MS(50),
                                                .wire_bytes = 1000,
                                                .status = WEIR_PACKET_RECEIVED};
            weir__driver_on_sent(&f->driver, &(struct weir_sent_packet){.seq = n,
                                                                        .sent_ns = sent_ns,
                                                                        .wire_bytes = 1000,
                                                                        .network_limited = true});
            weir__driver_on_feedback(&f->driver,
                                     &(struct weir_feedback){.now_ns = sent_ns + WEIR_MS(100),
                                                             .rtt_ns = WEIR_MS(100),
                                                             .packets = &packet,
                                                             .n_packets = 1});
        }
        g_assert_cmpint(flow_rate_bps(f), ==, cases[i].x_bps);
        flow_free(f);
    }
}

static void decay_forgets_what_was_reached(void)
{
    static const struct weir_param_value cwv[] = {{.name = "cwv-decay", .value = 1.0}};
    int64_t kept_bps[2];
    for (size_t n = 0; n < 2; n++) {
        struct flow *f = flow_new("tfrc", cwv, n);
        f->source_bps = WEIR_MBPS(2);
        flow_run_until(f, WEIR_SECONDS(10));
        f->source_bps = WEIR_KBPS(200);
        flow_run_until(f, WEIR_SECONDS(20));
        kept_bps[n] = (int64_t)(8.0 * flow_variable(f, "recv_limit_bytes_per_s"));
        flow_free(f);
    }
    g_assert_cmpint(kept_bps[0], >=, WEIR_MBPS(4));
    g_assert_cmpint(kept_bps[1], <=, WEIR_KBPS(600));
}

/* Appendix C multiplies once per feedback, and silence has none: the first one after it finds 0.85,
 * at most 0.85^2, of what was known. */
static void decay_waits_in_silence(void)
{
    static const struct weir_param_value cwv[] = {{.name = "cwv-decay", .value = 1.0}};
    struct flow *f = flow_new("tfrc", cwv, 1);
    f->source_bps = WEIR_MBPS(2);
    flow_run_until(f, WEIR_SECONDS(10));
    double before = flow_variable(f, "recv_limit_bytes_per_s");
    f->silent = true;
    flow_run_until(f, WEIR_SECONDS(13));
    f->silent = false;
    f->source_bps = WEIR_KBPS(100);
    flow_run_until(f, f->now_ns + WEIR_MS(220));
    double after = flow_variable(f, "recv_limit_bytes_per_s");
    g_assert_cmpfloat(after, <=, 0.85 * before * 1.000001);
    g_assert_cmpfloat(after, >=, 0.85 * 0.85 * before);
    flow_free(f);
}

/* An ECN mark counts as a loss without waiting, and the packet counts as received. */
static void a_mark_is_a_loss_event(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    flow_run_until(f, WEIR_SECONDS(1));
    g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, 0.0);
    struct weir_packet_report marked = {.seq = f->n_sent - 1,
                                        .sent_ns = f->packets[f->n_sent - 1].sent_ns,
                                        .arrived_ns = f->now_ns,
                                        .wire_bytes = 1000,
                                        .status = WEIR_PACKET_RECEIVED,
                                        .ecn = WEIR_ECN_CE};
    weir__driver_on_feedback(&f->driver, &(struct weir_feedback){.now_ns = f->now_ns,
                                                                 .rtt_ns = WEIR_UNKNOWN_NS,
                                                                 .packets = &marked,
                                                                 .n_packets = 1});
    g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, 1.0);
    g_assert_cmpfloat(flow_variable(f, "loss_event_rate"), >, 0.0);
    g_assert_cmpfloat(flow_variable(f, "open_interval_packets"), ==, 1.0);
    flow_free(f);
}

/* Without arrival times a report's packets arrive with it. */
static void missing_arrival_times_are_coped_with(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    for (int64_t i = 0; i < 400; i++) {
        int64_t now_ns = i * WEIR_MS(10);
        weir__driver_on_sent(&f->driver, &(struct weir_sent_packet){.seq = i,
                                                                    .sent_ns = now_ns,
                                                                    .wire_bytes = 1000,
                                                                    .network_limited = true});
        struct weir_packet_report packet = {.seq = i - 10,
                                            .sent_ns = now_ns - WEIR_MS(100),
                                            .arrived_ns = WEIR_UNKNOWN_NS,
                                            .wire_bytes = 1000};
        if (i >= 10) {
            weir__driver_on_feedback(&f->driver, &(struct weir_feedback){.now_ns = now_ns,
                                                                         .rtt_ns = WEIR_MS(100),
                                                                         .packets = &packet,
                                                                         .n_packets = 1});
        }
    }
    assert_near(flow_variable(f, "x_recv_bytes_per_s"), 100000.0, 1.0);
    assert_near((double)flow_rate_bps(f), 1.6e6, 1.0);
    flow_free(f);
}

/* Losses found by timeout alone bring no life: the rate is lowered at once and then by the timer.
 */
static void losses_alone_do_not_feed_the_timer(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    flow_run_until(f, WEIR_SECONDS(2));
    int64_t timer_ns = weir__driver_next_timer_ns(&f->driver);
    struct weir_packet_report lost = {.seq = f->n_sent - 1,
                                      .sent_ns = f->packets[f->n_sent - 1].sent_ns,
                                      .arrived_ns = WEIR_UNKNOWN_NS,
                                      .wire_bytes = 1000,
                                      .status = WEIR_PACKET_LOST};
    weir__driver_on_feedback(&f->driver, &(struct weir_feedback){.now_ns = f->now_ns,
                                                                 .rtt_ns = WEIR_UNKNOWN_NS,
                                                                 .packets = &lost,
                                                                 .n_packets = 1});
    g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, 1.0);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, timer_ns);
    flow_free(f);
}

static void loss_before_any_rtt_lowers_the_first_rate(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    struct weir_packet_report packets[20];
    for (int64_t i = 0; i < 20; i++) {
        weir__driver_on_sent(&f->driver, &(struct weir_sent_packet){.seq = i,
                                                                    .sent_ns = WEIR_MS(i),
                                                                    .wire_bytes = 1000,
                                                                    .network_limited = true});
        packets[i] =
            (struct weir_packet_report){.seq = i,
                                        .sent_ns = WEIR_MS(i),
                                        .arrived_ns = WEIR_MS(50 + i),
                                        .wire_bytes = 1000,
                                        .status = i < 10 ? WEIR_PACKET_LOST : WEIR_PACKET_RECEIVED};
    }
    struct weir_feedback feedback = {
        .now_ns = WEIR_MS(100), .rtt_ns = WEIR_UNKNOWN_NS, .packets = packets, .n_packets = 19};
    weir__driver_on_feedback(&f->driver, &feedback);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    feedback = (struct weir_feedback){
        .now_ns = WEIR_MS(110), .rtt_ns = WEIR_MS(100), .packets = &packets[19], .n_packets = 1};
    weir__driver_on_feedback(&f->driver, &feedback);
    g_assert_cmpuint(flow_state(f), ==, 0);
    g_assert_cmpfloat(flow_variable(f, "loss_event_rate"), >, 0.0);
    flow_free(f);
}

static void a_new_path_starts_anew_but_not_faster(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(30));
    g_assert_cmpfloat(flow_variable(f, "loss_event_rate"), >, 0.0);
    weir__driver_on_path_change(&f->driver, f->now_ns);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpfloat(flow_variable(f, "loss_event_rate"), ==, 0.0);
    g_assert_cmpfloat(flow_variable(f, "rtt_ns"), ==, 0.0);
    flow_run_until(f, WEIR_SECONDS(31));
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    flow_free(f);
}

static struct weir_report make_report(int64_t at_s, int64_t expected, int64_t lost, int64_t rtt_ns)
{
    return (struct weir_report){.now_ns = WEIR_SECONDS(at_s),
                                .rtt_ns = rtt_ns,
                                .interval_ns = WEIR_SECONDS(1),
                                .expected_packets = expected,
                                .lost_packets = lost,
                                .packet_bytes = 1000,
                                .sent_bytes = 50000,
                                .network_limited = true};
}

static void reports_double_at_most_and_need_no_rtt(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    int64_t last_bps = 0;
    for (int64_t s = 1; s < 20; s++) {
        struct weir_report report = make_report(s, 100 << s, 0, WEIR_UNKNOWN_NS);
        weir__driver_on_report(&f->driver, &report);
        g_assert_true(last_bps == 0 || flow_rate_bps(f) <= 2 * last_bps + 1);
        last_bps = flow_rate_bps(f);
    }
    assert_near(flow_variable(f, "rtt_ns"), 5e8, 1.0);
    struct weir_report report = make_report(20, 10, 0, WEIR_MS(80));
    weir__driver_on_report(&f->driver, &report);
    assert_near(flow_variable(f, "rtt_ns"), 8e7, 1.0);
    g_assert_true(flow_state(f) & WEIR_STATE_REPORTS_ONLY);
    flow_free(f);
}

static void reports_of_nothing_are_no_sign_of_life(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    struct weir_report report = make_report(1, 50, 0, WEIR_MS(100));
    weir__driver_on_report(&f->driver, &report);
    int64_t timer_ns = weir__driver_next_timer_ns(&f->driver);
    g_assert_cmpint(timer_ns, ==, WEIR_SECONDS(4));
    report = make_report(2, 0, 0, WEIR_MS(100));
    weir__driver_on_report(&f->driver, &report);
    report = make_report(3, 50, 50, WEIR_MS(100));
    weir__driver_on_report(&f->driver, &report);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, timer_ns);
    g_assert_cmpint(flow_rate_bps(f), <, 100000);
    report = make_report(4, 50, 0, WEIR_MS(100));
    weir__driver_on_report(&f->driver, &report);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), >, timer_ns);
    flow_free(f);
}

/* A stock receiver's RTCP comes every 300 ms: six round trips without a word are no congestion. */
static void rare_feedback_does_not_halve_the_rate(void)
{
    struct flow *f = flow_new("tfrc", NULL, 0);
    f->delay_ns = WEIR_MS(25);
    f->feedback_ns = WEIR_MS(300);
    f->source_bps = WEIR_KBPS(600);
    flow_run_until(f, WEIR_SECONDS(3));
    for (int64_t now_ms = 3000; now_ms < 20000; now_ms += 10) {
        flow_run_until(f, WEIR_MS(now_ms));
        g_assert_cmpint(flow_rate_bps(f), >=, WEIR_KBPS(600));
    }
    flow_free(f);
}

/* RFC 5348 4.5: pacing by R_sqmean/sqrt(R_sample), the rate itself unchanged. */
static void oscillation_reduction_moves_the_pacing_alone(void)
{
    static const struct weir_param_value on[] = {
        {.name = "oscillation-reduction", .value_text = "on"}};
    struct flow *f = flow_new("tfrc", on, 1);
    struct weir_control control;
    flow_run_until(f, WEIR_SECONDS(2));
    weir__driver_get_output(&f->driver, &control);
    assert_near((double)control.pacing_bps / (double)control.rate_bps, 1.0, 0.02);
    f->delay_ns = WEIR_MS(100);
    flow_run_until(f, WEIR_MS(2400));
    weir__driver_get_output(&f->driver, &control);
    g_assert_cmpint(control.pacing_bps, <, control.rate_bps * 95 / 100);
    g_assert_cmpint(control.pacing_bps, >, control.rate_bps * 60 / 100);
    flow_free(f);
}

/* Ten packets, one each 10 ms. arrivals_ns: when the first arrived, on the peer's clock. */
static void feed_ten(struct flow *f, int64_t first, int64_t arrivals_ns)
{
    struct weir_packet_report packets[10];
    for (int64_t i = 0; i < 10; i++) {
        int64_t sent_ns = WEIR_SECONDS(1000) + WEIR_MS(10) * (first + i);
        bool told = arrivals_ns != WEIR_UNKNOWN_NS;
        weir__driver_on_sent(&f->driver, &(struct weir_sent_packet){.seq = first + i,
                                                                    .sent_ns = sent_ns,
                                                                    .wire_bytes = 1000,
                                                                    .network_limited = true});
        packets[i] = (struct weir_packet_report){.seq = first + i,
                                                 .sent_ns = sent_ns,
                                                 .arrived_ns = told ? arrivals_ns + WEIR_MS(10 * i)
                                                                    : WEIR_UNKNOWN_NS,
                                                 .wire_bytes = 1000,
                                                 .status = WEIR_PACKET_RECEIVED};
    }
    weir__driver_on_feedback(&f->driver,
                             &(struct weir_feedback){.now_ns = packets[9].sent_ns + WEIR_MS(100),
                                                     .rtt_ns = WEIR_MS(100),
                                                     .packets = packets,
                                                     .n_packets = 10});
}

/* When a peer stops giving arrival times, those of ours are not of its clock. */
static void another_clock_is_no_silence(void)
{
    static const struct weir_param_value since[] = {
        {.name = "receive-rate", .value_text = "since-report"}};
    struct flow *f = flow_new("tfrc", since, 1);
    feed_ten(f, 0, WEIR_SECONDS(5));
    feed_ten(f, 10, WEIR_UNKNOWN_NS);
    g_assert_cmpfloat(flow_variable(f, "x_recv_bytes_per_s"), >, 50000.0);
    flow_free(f);
}

/* Every variant and profile on one lossy link: alive, in use, and back after silence. */
static void every_variant_lives_on_a_link(void)
{
    static const struct {
        const char *name, *text;
    } variants[] = {{"profile", "rfc5348"},
                    {"profile", "rfc3448"},
                    {"profile", "ns2"},
                    {"faster-restart", "true"},
                    {"cwv-decay", "true"},
                    {"self-clocked", "true"},
                    {"veno", "true"},
                    {"equation-cap", "on"},
                    {"packets-per-ack", "2"},
                    {"discount-threshold", "1"},
                    {"loss-intervals", "1"},
                    {"loss-intervals", "32"},
                    {"sp", "true"},
                    {"initial", "rfc"},
                    {"oscillation-reduction", "on"}};
    for (size_t i = 0; i < G_N_ELEMENTS(variants); i++) {
        struct weir_param_value value = {.name = variants[i].name, .value_text = variants[i].text};
        struct flow *f = flow_new("tfrc", &value, 1);
        f->capacity_bps = WEIR_KBPS(700);
        flow_run_until(f, WEIR_SECONDS(30));
        int64_t before_bytes = f->delivered_bytes;
        flow_run_until(f, WEIR_SECONDS(90));
        double used = 8.0 * (double)(f->delivered_bytes - before_bytes) / 60.0 / 700000.0;
        f->silent = true;
        flow_run_until(f, WEIR_SECONDS(120));
        f->silent = false;
        flow_run_until(f, WEIR_SECONDS(150));
        g_test_message("%s=%s: %.1f %% used", variants[i].name, variants[i].text, 100.0 * used);
        g_assert_cmpfloat(used, >, 0.7);
        g_assert_cmpint(flow_rate_bps(f), >, 150000);
        flow_free(f);
    }
}

/* An encoder often makes less than its target. */
static void self_clocking_keeps_no_source_down_that_uses_part_of_its_rate(void)
{
    static const struct weir_param_value on[] = {{.name = "self-clocked", .value_text = "true"}};
    struct flow *f = flow_new("tfrc", on, 1);
    f->lose_every = 50;
    flow_run_until(f, WEIR_SECONDS(10));
    g_assert_cmpfloat(flow_variable(f, "loss_event_rate"), >, 0.0);
    f->lose_every = 0;
    f->source_bps = WEIR_KBPS(40);
    flow_run_until(f, WEIR_SECONDS(15));
    while (f->now_ns < WEIR_SECONDS(45)) {
        f->source_bps = flow_rate_bps(f) * 6 / 10;
        flow_step(f);
    }
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_MBPS(1));
    flow_free(f);
}

/* Feedback once in 1 s at R = 100 ms: each is repeated after 1.5 estimates, and the mean of R and R
 * and 1.5 estimates is the estimate at 4 R. */
static void the_delay_of_a_repeated_report_counts_as_rtt_when_it_shall(void)
{
    static const struct weir_param_value old[] = {{.name = "profile", .value_text = "ns2"},
                                                  {.name = "delay-in-rtt", .value_text = "true"}};
    for (size_t n_params = 1; n_params <= G_N_ELEMENTS(old); n_params++) {
        struct flow *f = flow_new("tfrc", old, n_params);
        f->delay_ns = WEIR_MS(50);
        f->feedback_ns = WEIR_SECONDS(1);
        flow_run_until(f, WEIR_SECONDS(200));
        double want_ns = n_params == 1 ? 1e8 : 4e8;
        assert_near(flow_variable(f, "rtt_ns"), want_ns, 0.1 * want_ns);
        flow_free(f);
    }
}

/* A report at report_ms: a packet lost that left at lost_ms, and one received that left 10 ms
 * later.
 */
static void tell_loss(struct flow *f, int64_t lost_ms, int64_t report_ms)
{
    struct weir_packet_report packets[2];
    for (int i = 0; i < 2; i++) {
        packets[i] =
            (struct weir_packet_report){.seq = f->n_sent + lost_ms + i,
                                        .sent_ns = WEIR_MS(lost_ms + 10 * i),
                                        .arrived_ns = WEIR_UNKNOWN_NS,
                                        .wire_bytes = 1000,
                                        .status = i ? WEIR_PACKET_RECEIVED : WEIR_PACKET_LOST};
    }
    weir__driver_on_feedback(&f->driver, &(struct weir_feedback){.now_ns = WEIR_MS(report_ms),
                                                                 .rtt_ns = WEIR_UNKNOWN_NS,
                                                                 .packets = packets,
                                                                 .n_packets = 2});
}

/* Two losses that are 2 R apart, without a report between them: R is out of date. */
static void a_precise_loss_event_lasts_until_the_next_report(void)
{
    static const struct weir_param_value precise[] = {
        {.name = "precise-loss", .value_text = "true"}};
    for (size_t n_params = 0; n_params <= G_N_ELEMENTS(precise); n_params++) {
        struct flow *f = flow_new("tfrc", precise, n_params);
        flow_run_until(f, WEIR_SECONDS(2));
        tell_loss(f, 2020, 2300);
        g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, 1.0);
        tell_loss(f, 2250, 2300);
        g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, n_params ? 1.0 : 2.0);
        tell_loss(f, 2400, 2500);
        g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, n_params ? 2.0 : 3.0);
        flow_free(f);
    }
}

/* Sathiaseelan and Fairhurst 2011, figure 2: voice of 160 bytes, 50 a second, R = 0.5 s, silent
 * from 10 to 20 s. Seconds from the return until the rate allows 50 packets/s again. */
static double restart_s(const char *profile, bool faster, const char *receive_rate)
{
    struct weir_param_value params[] = {{.name = "profile", .value_text = profile},
                                        {.name = "faster-restart", .value = faster ? 1.0 : 0.0},
                                        {.name = "initial", .value_text = "rfc"},
                                        {.name = "receive-rate", .value_text = receive_rate},
                                        {.name = "sp", .value = 1.0}};
    struct flow *f = flow_new("tfrc", params, G_N_ELEMENTS(params));
    f->packet_bytes = 160;
    f->delay_ns = WEIR_MS(250);
    f->source_bps = 64000;
    flow_run_until(f, WEIR_SECONDS(10));
    f->silent = true;
    flow_run_until(f, WEIR_SECONDS(20));
    f->silent = false;
    while (flow_rate_bps(f) < 64000 && f->now_ns < WEIR_SECONDS(40)) {
        flow_step(f);
    }
    double seconds = (double)f->now_ns * 1e-9 - 20.0;
    g_test_message("%s%s: %.2f s", profile, faster ? " with faster restart" : "", seconds);
    flow_free(f);
    return seconds;
}

static void restart_after_silence_is_as_published(void)
{
    double old_plain = restart_s("rfc3448", false, "last-rtt");
    double new_plain = restart_s("rfc5348", false, "last-rtt");
    double new_faster = restart_s("rfc5348", true, "last-rtt");
    assert_near(old_plain, 4.5, 0.5);
    assert_near(new_plain, 2.5, 0.5);
    assert_near(new_faster, 2.0, 0.5);
}

/* The receiver of the paper counts silence in X_recv: what RFC 5348 does not mind keeps RFC 3448
 * down, and with Faster Restart too. */
static void a_receive_rate_with_silence_in_it_keeps_rfc_3448_down(void)
{
    double old_faster = restart_s("rfc3448", true, "since-report");
    assert_near(old_faster, 3.5, 0.5);
    g_assert_cmpfloat(old_faster, >, restart_s("rfc3448", true, "last-rtt") + 0.5);
    g_assert_cmpfloat(old_faster, <, restart_s("rfc3448", false, "since-report") - 0.5);
    assert_near(restart_s("rfc5348", false, "since-report"), 2.5, 0.5);
    assert_near(restart_s("rfc5348", true, "since-report"), 2.0, 0.5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/tfrc/" #name, name)
    ADD(known_answers_are_given);
    ADD(starting_rate_is_halved_until_there_is_feedback);
    ADD(first_sample_does_not_undo_a_proved_start);
    ADD(a_seeded_rtt_skips_the_first_phase);
    ADD(limits_move_the_start_before_feedback_only);
    ADD(silence_halves_for_ever_and_feedback_brings_it_back);
    ADD(an_idle_sender_keeps_its_recover_rate_and_no_timer);
    ADD(a_data_limited_source_does_not_run_away);
    ADD(a_report_a_little_early_counts);
    ADD(decay_forgets_what_was_reached);
    ADD(decay_waits_in_silence);
    ADD(a_mark_is_a_loss_event);
    ADD(missing_arrival_times_are_coped_with);
    ADD(losses_alone_do_not_feed_the_timer);
    ADD(loss_before_any_rtt_lowers_the_first_rate);
    ADD(a_new_path_starts_anew_but_not_faster);
    ADD(reports_double_at_most_and_need_no_rtt);
    ADD(reports_of_nothing_are_no_sign_of_life);
    ADD(rare_feedback_does_not_halve_the_rate);
    ADD(oscillation_reduction_moves_the_pacing_alone);
    ADD(another_clock_is_no_silence);
    ADD(every_variant_lives_on_a_link);
    ADD(self_clocking_keeps_no_source_down_that_uses_part_of_its_rate);
    ADD(the_delay_of_a_repeated_report_counts_as_rtt_when_it_shall);
    ADD(a_precise_loss_event_lasts_until_the_next_report);
    ADD(restart_after_silence_is_as_published);
    ADD(a_receive_rate_with_silence_in_it_keeps_rfc_3448_down);
    return g_test_run();
}
