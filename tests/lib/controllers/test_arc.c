/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* arc: the paper's formulas, and the flow that they make. */
#include "../../controller_flow.h"
#include "controllers/arc_law.h"
#include "vectors/assert_known_answers.h"

#include <math.h>

/* Equation 4: backlog t_s seconds after a step of the window has come to the queue. */
static double backlog(double step, double k, double t_s)
{
    return step * (1.0 - exp(-k * t_s));
}

static void known_answers_are_given(void)
{
    assert_known_answers("arc");
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
    weir__driver_seed_rtt(&f->driver, WEIR_SECONDS(10), 0);
    for (int second = 1; second <= 8; second++) {
        flow_run_until(f, WEIR_SECONDS(second));
        double expected = backlog(200.0 * 1000.0, 0.5, (double)second);
        assert_near(flow_variable(f, "outstanding_bytes"), expected, 0.02 * expected);
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

/* A flow in its gentle phase: one packet of many was lost. */
static struct flow *gentle_flow(int64_t delay_ns, double window_packets)
{
    struct weir_param_value values[] = {{.name = "initial-window", .value = window_packets}};
    struct flow *f = flow_new("arc", values, 1);
    f->delay_ns = delay_ns;
    f->lose_every = 50;
    while (flow_variable(f, "loss_events") < 1.0) {
        flow_step(f);
    }
    f->lose_every = 0;
    flow_run_until(f, f->now_ns + WEIR_SECONDS(5));
    return f;
}

/* dr/dt = (k/alpha)/(1 + k RTT), which hardly depends on the RTT: ARC's fairness. */
static void gentle_slope_is_that_of_equations_1_and_6(void)
{
    static const int64_t delays_ns[] = {WEIR_MS(5), WEIR_MS(50), WEIR_MS(125), WEIR_MS(250)};
    for (size_t i = 0; i < G_N_ELEMENTS(delays_ns); i++) {
        struct flow *f = gentle_flow(delays_ns[i], 100.0);
        double rtt_s = 2e-9 * (double)delays_ns[i];
        int64_t sent = f->n_sent;
        flow_run_until(f, f->now_ns + WEIR_SECONDS(20));
        int64_t first = f->n_sent - sent;
        flow_run_until(f, f->now_ns + WEIR_SECONDS(20));
        double slope = (double)(f->n_sent - sent - 2 * first) / 400.0;
        double expected = 0.5 / 0.3 / (1.0 + 0.5 * rtt_s);
        g_test_message("RTT %.2f s: %.3f packets/s^2, %.3f expected", rtt_s, slope, expected);
        assert_near(slope, expected, 0.06 * expected);
        flow_free(f);
    }
}

/* Equation 2 is no multiplicative decrease: without a queue a loss leaves the rate. */
static void a_random_loss_hardly_lowers_the_rate(void)
{
    struct flow *f = gentle_flow(WEIR_MS(50), 300.0);
    int64_t before_bps = flow_rate_bps(f);
    f->lose_every = f->n_sent + 1;
    while (flow_variable(f, "loss_events") < 2.0) {
        flow_step(f);
    }
    g_assert_cmpint(flow_rate_bps(f), >, before_bps * 93 / 100);
    flow_free(f);
}

static void silence_lowers_the_rate_and_feedback_brings_it_back(void)
{
    static const char *const timeouts[] = {"safe", "paper"};
    for (int i = 0; i < 4; i++) {
        struct weir_param_value values[] = {{.name = "timeout", .value_text = timeouts[i % 2]}};
        struct flow *f = flow_new("arc", values, 1);
        f->capacity_bps = i < 2 ? 0 : WEIR_MBPS(1);
        f->source_bps = i < 2 ? WEIR_MBPS(1) : 0;
        flow_run_until(f, WEIR_SECONDS(20));
        int64_t last_bps = flow_silence_until(f, WEIR_SECONDS(300));
        g_assert_cmpint(last_bps, <=, 1000);
        g_assert_true(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
        f->blackout = false;
        flow_run_until(f, f->now_ns + WEIR_SECONDS(90));
        g_assert_cmpint(flow_rate_bps(f), >=, 300000);
        g_assert_false(flow_state(f) & WEIR_STATE_NO_FEEDBACK);
        flow_free(f);
    }
}

static void before_the_first_feedback_silence_halves_the_start(void)
{
    struct flow *f = flow_new("arc", NULL, 0);
    f->blackout = true;
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    flow_run_until(f, WEIR_MS(990));
    g_assert_cmpint(flow_rate_bps(f), ==, 300000);
    flow_run_until(f, WEIR_MS(1020));
    g_assert_cmpint(flow_rate_bps(f), ==, 150000);
    flow_free(f);
}

/* The first receiver report comes after 5 s: the window is that of the start bitrate. */
static void a_late_first_report_leaves_the_start(void)
{
    struct flow *f = flow_new("arc", NULL, 0);
    f->reports = true;
    f->feedback_ns = WEIR_SECONDS(5);
    f->next_feedback_ns = WEIR_SECONDS(5);
    flow_run_until(f, WEIR_MS(4999));
    g_assert_cmpint(flow_rate_bps(f), ==, 75000);
    flow_run_until(f, WEIR_SECONDS(5));
    g_assert_cmpint(flow_rate_bps(f), >=, 299999);
    flow_free(f);
}

/* Half of the rate used: an hour later neither the window nor the bandwidth has changed. */
static void an_application_that_sends_less_leaves_the_window(void)
{
    struct flow *f = gentle_flow(WEIR_MS(50), 300.0);
    f->source_bps = flow_rate_bps(f) / 2;
    flow_run_until(f, f->now_ns + WEIR_SECONDS(2));
    double w = flow_variable(f, "window_bytes");
    double bandwidth = flow_variable(f, "bandwidth_bytes_per_s");
    g_assert_true(flow_state(f) & WEIR_STATE_APP_LIMITED);
    flow_run_until(f, f->now_ns + WEIR_SECONDS(600));
    g_assert_cmpfloat(flow_variable(f, "window_bytes"), ==, w);
    g_assert_cmpfloat(flow_variable(f, "bandwidth_bytes_per_s"), ==, bandwidth);
    flow_free(f);
}

/* ... but what is lost measures the path: it carries 300 kbit/s of the 500 that the application
 * sends, of 800 that it may. */
static void losses_of_an_application_that_sends_less_are_heard(void)
{
    struct flow *f = gentle_flow(WEIR_MS(50), 300.0);
    f->source_bps = 500000;
    f->capacity_bps = 300000;
    g_assert_cmpint(flow_rate_bps(f), >, 800000);
    flow_run_until(f, f->now_ns + WEIR_SECONDS(10));
    g_assert_cmpint(flow_rate_bps(f), <, 340000);
    flow_free(f);
}

static void idle_time_ends_with_quick_probing_to_where_it_was(void)
{
    struct flow *f = gentle_flow(WEIR_MS(50), 300.0);
    f->silent = true;
    flow_run_until(f, f->now_ns + WEIR_SECONDS(1));
    double w = flow_variable(f, "window_bytes");
    flow_run_until(f, f->now_ns + WEIR_SECONDS(60));
    g_assert_cmpfloat(flow_variable(f, "window_bytes"), ==, w);
    f->silent = false;
    flow_step(f);
    g_assert_cmpfloat(flow_variable(f, "quick"), ==, 1.0);
    assert_near(flow_variable(f, "window_bytes"), 37500.0 * 2.1, 100.0);
    g_assert_cmpint(flow_rate_bps(f), >=, 300000);
    flow_run_until(f, f->now_ns + WEIR_SECONDS(3));
    g_assert_cmpfloat(flow_variable(f, "quick"), ==, 0.0);
    g_assert_cmpfloat(flow_variable(f, "window_bytes"), >=, w);
    flow_free(f);
}

/* At one packet in eight seconds no gap is an idle time. */
static void a_slow_flow_is_not_idle(void)
{
    struct weir_param_value values[] = {{.name = "initial-window", .value = 1.25}};
    struct flow *f = flow_new("arc", values, 1);
    f->blackout = true;
    flow_run_until(f, WEIR_MS(10));
    f->blackout = false;
    flow_run_until(f, WEIR_SECONDS(4));
    g_assert_cmpfloat(flow_variable(f, "window_threshold_bytes"), ==, 0.0);
    flow_free(f);
}

/* The window has a use up to the maximum only, and stays there. */
static void window_stops_at_the_upper_limit(void)
{
    for (int reports = 0; reports < 2; reports++) {
        struct flow *f = flow_new("arc", NULL, 0);
        f->reports = reports;
        f->feedback_ns = reports ? WEIR_SECONDS(1) : f->feedback_ns;
        weir__driver_set_limits(&f->driver, &(struct weir_limits){30000, 2000000, 300000}, 0);
        flow_run_until(f, WEIR_SECONDS(300));
        g_test_message("%d", (int)flow_rate_bps(f));
        g_assert_cmpint(flow_rate_bps(f), >=, 1900000);
        g_assert_cmpint(flow_rate_bps(f), <=, 2200000);
        flow_free(f);
    }
}

static void a_new_path_begins_anew_but_not_faster(void)
{
    struct flow *f = flow_new("arc", NULL, 0);
    f->capacity_bps = 200000;
    flow_run_until(f, WEIR_SECONDS(60));
    int64_t before_bps = flow_rate_bps(f);
    g_assert_cmpint(before_bps, <, 290000);
    weir__driver_on_path_change(&f->driver, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), <=, before_bps);
    g_assert_true(flow_state(f) & WEIR_STATE_STARTING);
    g_assert_cmpfloat(flow_variable(f, "bandwidth_bytes_per_s"), ==, 0.0);
    flow_free(f);
}

static void a_seeded_rtt_opens_the_window(void)
{
    struct flow *f = flow_new("arc", NULL, 0);
    weir__driver_seed_rtt(&f->driver, 0, 0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_STARTING);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(100), 0);
    weir__driver_seed_rtt(&f->driver, WEIR_MS(700), 0);
    g_assert_cmpuint(flow_state(f), ==, WEIR_STATE_SLOW_START);
    assert_near(flow_variable(f, "window_bytes"), 78750.0, 1e-6);
    flow_free(f);
}

static void report(struct flow *f, struct weir_packet_report packet, int64_t rtt_ns)
{
    f->now_ns = weir_max_i64(f->now_ns, packet.sent_ns + WEIR_MS(100));
    weir__driver_on_feedback(
        &f->driver, &(struct weir_feedback){
                        .now_ns = f->now_ns, .rtt_ns = rtt_ns, .packets = &packet, .n_packets = 1});
}

/* A mark is a loss; an event lasts one SRTT of sending; a late packet is neither. */
static void marks_and_losses_make_one_event_per_rtt(void)
{
    struct flow *f = flow_new("arc", NULL, 0);
    struct weir_packet_report p = {.wire_bytes = 1000, .arrived_ns = WEIR_UNKNOWN_NS};
    report(f, p, WEIR_MS(100));
    static const struct {
        int64_t sent_ns;
        enum weir_packet_status status;
        bool marked;
        double events;
    } rows[] = {{WEIR_MS(10), WEIR_PACKET_RECEIVED, true, 1.0},
                {WEIR_MS(60), WEIR_PACKET_LOST, false, 1.0},
                {WEIR_MS(110), WEIR_PACKET_LOST, false, 1.0},
                {WEIR_MS(111), WEIR_PACKET_LOST, false, 2.0},
                {WEIR_MS(112), WEIR_PACKET_LATE, false, 2.0},
                {WEIR_MS(300), WEIR_PACKET_LATE, false, 2.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        p.seq = (int64_t)i + 1;
        p.sent_ns = rows[i].sent_ns;
        p.status = rows[i].status;
        p.ecn = rows[i].marked ? WEIR_ECN_CE : WEIR_ECN_NOT_ECT;
        report(f, p, WEIR_MS(100));
        g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, rows[i].events);
    }
    flow_free(f);
}

/* Before there is a bandwidth each event halves the window, also when one feedback tells of two. */
static void each_loss_event_of_a_feedback_counts(void)
{
    struct flow *f = flow_new("arc", NULL, 0);
    struct weir_packet_report packets[2] = {{.wire_bytes = 1000, .status = WEIR_PACKET_LOST}};
    packets[1] = packets[0];
    report(f, (struct weir_packet_report){.wire_bytes = 1000}, WEIR_MS(100));
    double before = flow_variable(f, "window_bytes");
    packets[0].sent_ns = WEIR_MS(10);
    packets[1].sent_ns = WEIR_MS(111);
    weir__driver_on_feedback(&f->driver, &(struct weir_feedback){.now_ns = WEIR_MS(300),
                                                                 .rtt_ns = WEIR_UNKNOWN_NS,
                                                                 .packets = packets,
                                                                 .n_packets = 2});
    g_assert_cmpfloat(flow_variable(f, "loss_events"), ==, 2.0);
    assert_near(flow_variable(f, "window_bytes"), before / 4.0, 1e-6);
    flow_free(f);
}

/* After congestion w grows from then on, also when nothing else was told but losses. */
static void growth_begins_anew_with_congestion(void)
{
    struct flow *f = flow_new("arc", NULL, 0);
    struct weir_packet_report p = {.wire_bytes = 1000, .arrived_ns = WEIR_UNKNOWN_NS};
    weir__driver_on_sent(&f->driver,
                         &(struct weir_sent_packet){.wire_bytes = 1000, .network_limited = true});
    report(f, p, WEIR_MS(100));
    p.sent_ns = WEIR_MS(50);
    p.status = WEIR_PACKET_LOST;
    report(f, p, WEIR_UNKNOWN_NS);
    double shrunk = flow_variable(f, "window_bytes");
    p.sent_ns = 0;
    p.status = WEIR_PACKET_RECEIVED;
    f->now_ns = WEIR_MS(165);
    report(f, p, WEIR_UNKNOWN_NS);
    assert_near(flow_variable(f, "window_bytes"), shrunk + 1000.0 * 0.015 / 0.3, 1e-6);
    flow_free(f);
}

/* The paper's timeout is equation 2, whatever the window was; the rate waits for a sign of life. */
static void the_papers_timeout_assigns_equation_2(void)
{
    struct weir_param_value values[] = {{.name = "timeout", .value_text = "paper"},
                                        {.name = "shrink-clamp", .value = 0.0},
                                        {.name = "initial-window", .value = 5.0}};
    struct flow *f = flow_new("arc", values, 3);
    struct weir_packet_report packets[] = {
        {.seq = 0, .arrived_ns = WEIR_MS(50), .wire_bytes = 1000},
        {.seq = 1, .sent_ns = WEIR_MS(100), .arrived_ns = WEIR_MS(150), .wire_bytes = 1000}};
    weir__driver_on_sent(&f->driver, &(struct weir_sent_packet){.wire_bytes = 3000});
    weir__driver_on_feedback(&f->driver, &(struct weir_feedback){.now_ns = WEIR_MS(200),
                                                                 .rtt_ns = WEIR_MS(100),
                                                                 .in_flight_bytes = 1000,
                                                                 .packets = packets,
                                                                 .n_packets = 2});
    int64_t before_bps = flow_rate_bps(f);
    weir__driver_on_timer(&f->driver, weir__driver_next_timer_ns(&f->driver));
    g_assert_cmpfloat(flow_variable(f, "timeouts"), ==, 1.0);
    assert_near(flow_variable(f, "window_bytes"), 10000.0 * (2.0 + 0.1), 1e-6);
    g_assert_cmpint(flow_rate_bps(f), ==, before_bps);
    flow_free(f);
}

/* Losses before there is an RTT halve the start. */
static void losses_without_rtt_halve_the_start(void)
{
    struct flow *f = flow_new("arc", NULL, 0);
    struct weir_packet_report p = {.wire_bytes = 1000, .status = WEIR_PACKET_LOST};
    report(f, p, WEIR_UNKNOWN_NS);
    g_assert_cmpint(flow_rate_bps(f), ==, 150000);
    flow_free(f);
}

/* From report to report the rate at most doubles; with no RTT at all 500 ms are assumed. */
static void reports_without_rtt_do(void)
{
    struct flow *f = flow_new("arc", NULL, 0);
    struct weir_report r = {.rtt_ns = WEIR_UNKNOWN_NS,
                            .interval_ns = WEIR_SECONDS(1),
                            .expected_packets = 40,
                            .packet_bytes = 1000,
                            .sent_bytes = 40000,
                            .network_limited = true};
    int64_t before_bps = flow_rate_bps(f);
    for (int i = 1; i <= 5; i++) {
        r.now_ns = WEIR_SECONDS(i);
        weir__driver_on_report(&f->driver, &r);
        g_assert_cmpint(flow_rate_bps(f), <=, 2 * before_bps);
        before_bps = flow_rate_bps(f);
    }
    g_assert_cmpint(before_bps, >, 1000000);
    r.now_ns = WEIR_SECONDS(6);
    r.lost_packets = 40;
    weir__driver_on_report(&f->driver, &r);
    g_assert_cmpint(flow_rate_bps(f), <, 320000);
    g_assert_true(flow_state(f) & WEIR_STATE_REPORTS_ONLY);
    flow_free(f);
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
    ADD(gentle_slope_is_that_of_equations_1_and_6);
    ADD(a_random_loss_hardly_lowers_the_rate);
    ADD(silence_lowers_the_rate_and_feedback_brings_it_back);
    ADD(before_the_first_feedback_silence_halves_the_start);
    ADD(a_late_first_report_leaves_the_start);
    ADD(an_application_that_sends_less_leaves_the_window);
    ADD(losses_of_an_application_that_sends_less_are_heard);
    ADD(idle_time_ends_with_quick_probing_to_where_it_was);
    ADD(a_slow_flow_is_not_idle);
    ADD(window_stops_at_the_upper_limit);
    ADD(a_new_path_begins_anew_but_not_faster);
    ADD(a_seeded_rtt_opens_the_window);
    ADD(marks_and_losses_make_one_event_per_rtt);
    ADD(each_loss_event_of_a_feedback_counts);
    ADD(growth_begins_anew_with_congestion);
    ADD(the_papers_timeout_assigns_equation_2);
    ADD(losses_without_rtt_halve_the_start);
    ADD(reports_without_rtt_do);
    return g_test_run();
}
