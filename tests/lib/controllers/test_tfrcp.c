/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcp as a session sees it: the known answers, rounds, its start, silence and
 * return, what the application does to it, reports, a new path. */
#include "../../controller_flow.h"
#include "vectors/assert_known_answers.h"

#include <math.h>

static void known_answers_are_given(void)
{
    assert_known_answers("tfrcp");
}

static const struct weir_param_value paper[] = {{.name = "initial", .value_text = "paper"},
                                                {.name = "round-packets", .value = 1.0},
                                                {.name = "receive-limit", .value = 0.0}};

/* The equation as the paper has it, written down once more. */
static double model(double p, double rtt_s, double t0_s, double b)
{
    double timeouts = fmin(1.0, 3.0 * sqrt(3.0 * b * p / 8.0));
    return 1.0 / (rtt_s * sqrt(2.0 * b * p / 3.0) + t0_s * timeouts * p * (1.0 + 32.0 * p * p));
}

static struct weir_report make_report(int64_t at_s, int64_t expected, int64_t lost)
{
    return (struct weir_report){.now_ns = WEIR_SECONDS(at_s),
                                .rtt_ns = WEIR_MS(100),
                                .interval_ns = WEIR_SECONDS(5),
                                .expected_packets = expected,
                                .lost_packets = lost,
                                .packet_bytes = 1000,
                                .sent_bytes = expected * 1000,
                                .network_limited = true};
}

/* Every loss ratio, b = 1 and 2, down from a rate that limits nothing. */
static void rate_is_that_of_the_model(void)
{
    for (int b = 1; b <= 2; b++) {
        struct weir_param_value params[] = {{.name = "packets-per-ack", .value = (double)b},
                                            {.name = "min-rto", .value = 1000.0}};
        for (int64_t lost = 1; lost <= 10000; lost = lost * 3 / 2 + 1) {
            struct flow *f = flow_new("tfrcp", params, 2);
            struct weir_report report = make_report(5, 10000, lost);
            weir__driver_on_report(&f->driver, &report);
            double expected = fmax(model((double)lost * 1e-4, 0.1, 1.0, (double)b), 1.0 / 64.0);
            double delivered = (double)(10000 - lost) / 5.0;
            expected = fmin(expected, 2.0 * fmax(delivered, 37.5));
            assert_near(flow_variable(f, "r_packets_per_s") / expected, 1.0, 1e-9);
            flow_free(f);
        }
    }
}

/* Losing every n-th packet: a round of k packets has floor or ceil of k/n losses, and the rate is
 * the model's at that ratio. */
static void a_lossy_path_gives_the_model(void)
{
    for (int64_t n = 20; n <= 320; n *= 4) {
        struct flow *f = flow_new("tfrcp", paper, 3);
        f->lose_every = n;
        flow_run_until(f, WEIR_SECONDS(100));
        double p = flow_variable(f, "loss_ratio"), r = flow_variable(f, "r_packets_per_s");
        double expected =
            model(p, flow_variable(f, "rtt_ns") * 1e-9, flow_variable(f, "rto_ns") * 1e-9, 1.0);
        g_test_message("every %d: %.1f packets/s, model %.1f", (int)n, r, expected);
        assert_near(p, 1.0 / (double)n, 1.0 / (4.0 * r));
        assert_near(r / expected, 1.0, 0.01);
        flow_free(f);
    }
}

/* A round ends with the first feedback after M, and the rate changes at no other time. */
static void rounds_last_m(void)
{
    for (int interval_s = 1; interval_s <= 9; interval_s += 4) {
        struct weir_param_value params[] = {{.name = "interval", .value = (double)interval_s},
                                            {.name = "round-packets", .value = 1.0}};
        struct flow *f = flow_new("tfrcp", params, 2);
        f->lose_every = 50;
        flow_run_until(f, WEIR_MS(500));
        int64_t last_bps = flow_rate_bps(f), ended_ns = 0;
        double n_rounds = 0.0;
        while (f->now_ns < WEIR_SECONDS(60)) {
            flow_step(f);
            if (flow_variable(f, "rounds") != n_rounds) {
                int64_t since_ns = f->now_ns - ended_ns;
                g_assert_true(n_rounds == 0.0 || since_ns >= WEIR_SECONDS(interval_s));
                g_assert_true(n_rounds == 0.0 || since_ns <= WEIR_MS(interval_s * 1000 + 60));
                ended_ns = f->now_ns;
                last_bps = flow_rate_bps(f);
                n_rounds++;
            }
            g_assert_cmpfloat(flow_variable(f, "rounds"), ==, n_rounds);
            g_assert_cmpint(flow_rate_bps(f), ==, last_bps);
        }
        g_assert_cmpfloat(n_rounds, >=, floor(59.0 / (interval_s + 0.06)));
        flow_free(f);
    }
}

/* Rises of more than what was delivered twice over are held back, falls are not. */
static void receive_limit_holds_back_rises_only(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    struct weir_report reports[] = {make_report(5, 1000, 0), make_report(10, 100, 1),
                                    make_report(15, 100, 30)};
    reports[1].sent_bytes = 100000000;
    weir__driver_on_report(&f->driver, &reports[0]);
    assert_near(flow_variable(f, "r_packets_per_s"), 75.0, 1e-9);
    weir__driver_on_report(&f->driver, &reports[1]);
    assert_near(flow_variable(f, "r_packets_per_s"), 75.0, 1e-9);
    weir__driver_on_report(&f->driver, &reports[2]);
    g_assert_cmpfloat(flow_variable(f, "r_packets_per_s"), <, 10.0);
    flow_free(f);
}

static void starting_rate_is_halved_until_there_is_feedback(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    f->blackout = true;
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
    flow_run_until(f, WEIR_MS(4999));
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    flow_run_until(f, WEIR_MS(5010));
    g_assert_cmpint(flow_rate_bps(f), ==, 150000);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING | WEIR_STATE_NO_FEEDBACK);
    f->blackout = false;
    flow_run_until(f, WEIR_MS(5200));
    g_assert_cmpuint(flow_state(f), ==, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 150000);
    flow_free(f);
}

static void the_start_rate_is_kept(void)
{
    static const int64_t delays_ms[] = {1, 10, 50, 250};
    for (size_t i = 0; i < G_N_ELEMENTS(delays_ms); i++) {
        struct flow *f = flow_new("tfrcp", NULL, 0);
        f->delay_ns = WEIR_MS(delays_ms[i]);
        while (f->now_ns < WEIR_SECONDS(4)) {
            flow_step(f);
            g_assert_cmpint(flow_rate_bps(f), ==, 300000);
        }
        flow_run_until(f, WEIR_SECONDS(6));
        g_assert_cmpint(flow_rate_bps(f), >=, 590000);
        flow_free(f);
    }
}

static void a_seeded_rtt_skips_the_first_phase(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0), *one = flow_new("tfrcp", paper, 3);
    weir__driver_seed_rtt(&f->driver, 0, 0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(100), 0);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(700), 0);
    weir__driver_seed_rtt(&one->driver, WEIR_MS(100), 0);
    g_assert_cmpuint(flow_state(f), ==, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpint(flow_rate_bps(one), ==, 80000);
    assert_near(flow_variable(f, "rtt_ns"), 1e8, 1.0);
    flow_free(f);
    flow_free(one);
}

static void limits_move_the_start_before_feedback_only(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 800000}, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 800000);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 90000}, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 90000);
    flow_run_until(f, WEIR_SECONDS(4));
    weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 50000}, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, 90000);
    flow_free(f);
}

/* Alone on a link the rate swings: doubled beyond it, then the model's at a loss ratio near a half.
 * The receive limit bounds the swing: never more than twice the link. */
static void doubling_ends_at_twice_the_link(void)
{
    static const int64_t capacities_bps[] = {WEIR_KBPS(500), WEIR_MBPS(1), WEIR_MBPS(2)};
    for (size_t i = 0; i < G_N_ELEMENTS(capacities_bps); i++) {
        struct flow *f = flow_new("tfrcp", NULL, 0);
        f->capacity_bps = capacities_bps[i];
        f->queue_bytes = capacities_bps[i] / 40;
        int64_t bytes = 0, peak_bps = 0;
        while (f->now_ns < WEIR_SECONDS(230)) {
            flow_step(f);
            bytes = f->now_ns == WEIR_SECONDS(30) ? f->delivered_bytes : bytes;
            peak_bps = weir_max_i64(peak_bps, flow_rate_bps(f));
        }
        g_test_message("%d kbit/s: %.3f used, %.4f lost", (int)(capacities_bps[i] / 1000),
                       8.0 * (double)(f->delivered_bytes - bytes) / 200.0 /
                           (double)capacities_bps[i],
                       (double)f->n_dropped / (double)f->n_sent);
        g_assert_cmpint(peak_bps, >, capacities_bps[i]);
        g_assert_cmpint(peak_bps, <=, capacities_bps[i] * 2);
        flow_free(f);
    }
}

static void silence_halves_for_ever_and_feedback_brings_it_back(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(20));
    int64_t last_bps = flow_silence_until(f, WEIR_SECONDS(400));
    g_assert_cmpint(last_bps, ==, 125);
    g_assert_true(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
    f->blackout = false;
    flow_run_until(f, f->now_ns + WEIR_SECONDS(10)); /* a packet leaves */
    g_assert_cmpint(flow_rate_bps(f), >=, 60000);
    flow_run_until(f, f->now_ns + WEIR_SECONDS(15));
    g_assert_cmpint(flow_rate_bps(f), >=, 120000);
    g_assert_false(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
    flow_free(f);
}

/* A silence never ends in more than there was before. */
static void silence_does_not_help(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    f->lose_every = 2;
    flow_run_until(f, WEIR_SECONDS(60));
    int64_t before_bps = flow_rate_bps(f);
    g_assert_cmpint(before_bps, <, 40000);
    f->blackout = true;
    flow_run_until(f, WEIR_SECONDS(90));
    g_assert_cmpint(flow_rate_bps(f), <, before_bps);
    f->blackout = false;
    f->lose_every = 0;
    flow_run_until(f, WEIR_SECONDS(101));
    g_assert_cmpint(flow_rate_bps(f), ==, before_bps);
    flow_free(f);
}

/* Nothing is sent: no round, no doubling, no timer. */
static void an_idle_sender_keeps_its_rate_and_no_timer(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    flow_run_until(f, WEIR_SECONDS(12));
    f->silent = true;
    flow_run_until(f, WEIR_SECONDS(13));
    int64_t before_bps = flow_rate_bps(f);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, WEIR_NEVER_NS);
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpint(flow_rate_bps(f), ==, before_bps);
    f->silent = false;
    flow_step(f);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), <, WEIR_NEVER_NS);
    flow_run_until(f, WEIR_SECONDS(61));
    g_assert_cmpint(flow_rate_bps(f), <=, 2 * before_bps);
    flow_free(f);
}

/* 500 kbit/s are more than 0.8 of 600, and less of 1200. */
/* An encoder makes smaller packets of a lower rate; that alone must not lower it again. */
static void packets_that_become_smaller_change_no_rate(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    f->packet_bytes = 1200;
    flow_run_until(f, WEIR_SECONDS(2));
    int64_t rate_bps = flow_rate_bps(f);
    static const int64_t sizes[] = {1000, 600, 110, 1, 65535, 1200};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        f->packet_bytes = sizes[i];
        flow_run_until(f, WEIR_MS(2000 + 400 * ((int64_t)i + 1)));
        g_assert_cmpint(llabs(flow_rate_bps(f) - rate_bps), <=, 1);
    }
    flow_free(f);
}

static void a_data_limited_source_does_not_run_away(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    f->source_bps = WEIR_KBPS(500);
    flow_run_until(f, WEIR_SECONDS(120));
    g_assert_true(flow_state(f) & WEIR_STATE_APP_LIMITED);
    g_assert_cmpint(flow_rate_bps(f), >=, WEIR_KBPS(500));
    g_assert_cmpint(flow_rate_bps(f), <=, WEIR_KBPS(1200));
    flow_free(f);
}

static void hand_feedback(struct flow *f, int64_t at_ms, int64_t from, int64_t until,
                          enum weir_packet_status status, bool marked)
{
    struct weir_packet_report packets[WEIR_FEEDBACK_MAX_PACKETS];
    for (int64_t seq = from; seq < until; seq++) {
        packets[seq - from] =
            (struct weir_packet_report){.seq = seq,
                                        .wire_bytes = 1000,
                                        .status = status,
                                        .ecn = marked ? WEIR_ECN_CE : WEIR_ECN_NOT_ECT};
    }
    weir__driver_on_feedback(&f->driver,
                             &(struct weir_feedback){.now_ns = WEIR_MS(at_ms),
                                                     .rtt_ns = WEIR_MS(100),
                                                     .packets = packets,
                                                     .n_packets = (size_t)(until - from)});
}

/* A mark counts as a loss, a late packet takes one back; losses alone end no round. */
static void packets_are_counted_by_their_fate(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    hand_feedback(f, 100, 0, 1, WEIR_PACKET_RECEIVED, false);
    hand_feedback(f, 200, 1, 100, WEIR_PACKET_RECEIVED, false);
    hand_feedback(f, 300, 100, 110, WEIR_PACKET_LOST, false);
    hand_feedback(f, 400, 110, 114, WEIR_PACKET_RECEIVED, true);
    hand_feedback(f, 500, 100, 106, WEIR_PACKET_LATE, false);
    g_assert_cmpfloat(flow_variable(f, "round_packets"), ==, 114.0);
    g_assert_cmpfloat(flow_variable(f, "round_lost_packets"), ==, 8.0);
    hand_feedback(f, 6000, 114, 116, WEIR_PACKET_LOST, false);
    g_assert_cmpfloat(flow_variable(f, "rounds"), ==, 0.0);
    hand_feedback(f, 6100, 116, 120, WEIR_PACKET_RECEIVED, false);
    g_assert_cmpfloat(flow_variable(f, "rounds"), ==, 1.0);
    assert_near(flow_variable(f, "loss_ratio"), 10.0 / 120.0, 1e-12);
    flow_free(f);
}

/* A million losses are a loss ratio of one. */
static void a_burst_of_losses_is_coped_with(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    hand_feedback(f, 100, 0, 1, WEIR_PACKET_RECEIVED, false);
    for (int64_t call = 0; call < 4000; call++) {
        hand_feedback(f, 5000, 1, 251, WEIR_PACKET_LOST, false);
    }
    hand_feedback(f, 5200, 1, 2, WEIR_PACKET_RECEIVED, false);
    assert_near(flow_variable(f, "loss_ratio"), 1.0, 1e-5);
    g_assert_cmpint(flow_rate_bps(f), >=, 125);
    g_assert_cmpint(flow_rate_bps(f), <=, 8000);
    flow_free(f);
}

static void a_new_path_starts_anew_but_not_faster(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    f->capacity_bps = WEIR_MBPS(1);
    flow_run_until(f, WEIR_SECONDS(12));
    g_assert_cmpint(flow_rate_bps(f), >, 300000);
    weir__driver_on_path_change(&f->driver, f->now_ns);
    g_assert_true(flow_state(f) & WEIR_STATE_STARTING);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_cmpfloat(flow_variable(f, "rtt_ns"), ==, 0.0);
    flow_run_until(f, WEIR_SECONDS(13));
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    f->lose_every = 2;
    flow_run_until(f, WEIR_SECONDS(40));
    int64_t low_bps = flow_rate_bps(f);
    g_assert_cmpint(low_bps, <, 300000);
    weir__driver_on_path_change(&f->driver, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, low_bps);
    flow_free(f);
}

static void a_report_of_a_source_that_holds_back_adds_nothing(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    struct weir_report report = make_report(5, 100, 0);
    weir__driver_on_report(&f->driver, &report);
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    g_assert_true(flow_state(f) & WEIR_STATE_APP_LIMITED);
    flow_free(f);
}

static void reports_of_nothing_are_no_sign_of_life(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    struct weir_report report = make_report(5, 200, 0);
    weir__driver_on_report(&f->driver, &report);
    int64_t timer_ns = weir__driver_next_timer_ns(&f->driver);
    g_assert_cmpint(timer_ns, ==, WEIR_SECONDS(20));
    report = make_report(10, 0, 0);
    report.sent_bytes = 200000;
    weir__driver_on_report(&f->driver, &report);
    report = make_report(15, 200, 200);
    weir__driver_on_report(&f->driver, &report);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), ==, timer_ns);
    g_assert_cmpfloat(flow_variable(f, "loss_ratio"), ==, 1.0);
    report = make_report(16, 200, 0);
    weir__driver_on_report(&f->driver, &report);
    g_assert_cmpint(weir__driver_next_timer_ns(&f->driver), >, timer_ns);
    flow_free(f);
}

/* What feedback on packets had counted is no part of a report's round, and the other way round. */
static void rounds_are_of_one_kind_of_feedback(void)
{
    struct flow *f = flow_new("tfrcp", NULL, 0);
    hand_feedback(f, 100, 0, 100, WEIR_PACKET_RECEIVED, false);
    struct weir_report report = make_report(3, 30, 0);
    report.interval_ns = WEIR_SECONDS(1);
    weir__driver_on_report(&f->driver, &report);
    g_assert_cmpfloat(flow_variable(f, "round_packets"), ==, 30.0);
    g_assert_true(flow_state(f) & WEIR_STATE_REPORTS_ONLY);
    hand_feedback(f, 4000, 100, 120, WEIR_PACKET_RECEIVED, false);
    g_assert_cmpfloat(flow_variable(f, "round_packets"), ==, 20.0);
    g_assert_false(flow_state(f) & WEIR_STATE_REPORTS_ONLY);
    flow_free(f);
}

/* Its natural form: rounds of reports are no worse than rounds of packets. */
static void reports_alone_do_as_well(void)
{
    double used[2];
    for (int reports = 0; reports < 2; reports++) {
        struct flow *f = flow_new("tfrcp", NULL, 0);
        f->capacity_bps = WEIR_MBPS(1);
        f->reports = reports;
        f->feedback_ns = reports ? WEIR_SECONDS(5) : WEIR_MS(50);
        flow_run_until(f, WEIR_SECONDS(400));
        used[reports] = (double)(f->n_sent - f->n_dropped) * 8000.0 / 400.0 / 1e6;
        flow_free(f);
    }
    g_test_message("%.3f used, with feedback on packets %.3f", used[1], used[0]);
    g_assert_cmpfloat(used[1], >, 0.9 * used[0]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/tfrcp/" #name, name)
    ADD(known_answers_are_given);
    ADD(rate_is_that_of_the_model);
    ADD(a_lossy_path_gives_the_model);
    ADD(rounds_last_m);
    ADD(receive_limit_holds_back_rises_only);
    ADD(starting_rate_is_halved_until_there_is_feedback);
    ADD(the_start_rate_is_kept);
    ADD(a_seeded_rtt_skips_the_first_phase);
    ADD(limits_move_the_start_before_feedback_only);
    ADD(doubling_ends_at_twice_the_link);
    ADD(silence_halves_for_ever_and_feedback_brings_it_back);
    ADD(silence_does_not_help);
    ADD(an_idle_sender_keeps_its_rate_and_no_timer);
    ADD(packets_that_become_smaller_change_no_rate);
    ADD(a_data_limited_source_does_not_run_away);
    ADD(packets_are_counted_by_their_fate);
    ADD(a_burst_of_losses_is_coped_with);
    ADD(a_new_path_starts_anew_but_not_faster);
    ADD(a_report_of_a_source_that_holds_back_adds_nothing);
    ADD(reports_of_nothing_are_no_sign_of_life);
    ADD(rounds_are_of_one_kind_of_feedback);
    ADD(reports_alone_do_as_well);
    return g_test_run();
}
