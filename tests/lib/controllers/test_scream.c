/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scream: the draft's formulas, its known answers, and flows on small paths. */
#include "controllers/scream_law.h"
#include "session_promises.h"
#include "vectors/assert_known_answers.h"

#include <math.h>

static void known_answers_are_given(void)
{
    assert_known_answers("scream");
}

/* 30 % of marks for 20 updates, then none. */
static void the_mean_of_marks_rises_fast_and_falls_slowly(void)
{
    static const struct {
        int update;
        double alpha;
    } marks[] = {{1, 0.0375},  {2, 0.0703},  {5, 0.1461},  {10, 0.2211},
                 {20, 0.2792}, {84, 0.1690}, {148, 0.1023}};
    double alpha = 0.0;
    int n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        for (; n < marks[i].update; n++) {
            alpha = weir__scream_alpha(alpha, n < 20 ? 0.3 : 0.0, 1.0 / 8.0, 1.0 / 128.0);
        }
        assert_near(alpha, marks[i].alpha, 1e-4);
    }
}

static void a_delay_counts_from_half_the_target_on(void)
{
    g_assert_cmpfloat(weir__scream_virtual_alpha(0.0, 0.06), ==, 0.0);
    g_assert_cmpfloat(weir__scream_virtual_alpha(0.03, 0.06), ==, 0.0);
    assert_near(weir__scream_virtual_alpha(0.045, 0.06), 0.5, 1e-12);
    g_assert_cmpfloat(weir__scream_virtual_alpha(0.2, 0.06), ==, 1.0);
}

static void near_the_last_congestion_all_is_slower(void)
{
    g_assert_cmpfloat(weir__scream_distance(1000.0, 1000.0), ==, 0.1);
    assert_near(weir__scream_distance(1062.5, 1000.0), 0.25, 1e-12);
    assert_near(weir__scream_distance(937.5, 1000.0), 0.25, 1e-12);
    g_assert_cmpfloat(weir__scream_distance(1125.0, 1000.0), ==, 1.0);
    g_assert_cmpfloat(weir__scream_distance(3000.0, 1.0), ==, 1.0);
}

/* A window of acknowledged bytes adds one MSS; less for round trips below the virtual one, more
 * long after congestion. */
static void a_round_trip_adds_one_mss(void)
{
    struct weir__scream_growth growth = {.mss = 1000.0,
                                         .rtt_s = 0.05,
                                         .virtual_rtt_s = 0.025,
                                         .distance = 1.0,
                                         .mul_increase = 0.02};
    for (double window = 1000.0; window < 1e7; window *= 2.0) {
        assert_near(weir__scream_increment(window, window, &growth), 1000.0, 1e-6);
    }
    growth.post_congestion = 1.0;
    assert_near(weir__scream_increment(50000.0, 50000.0, &growth), 2000.0, 1e-6);
    growth.distance = 0.1;
    assert_near(weir__scream_increment(50000.0, 50000.0, &growth), 275.0, 1e-6);
    growth.rtt_s = 0.005;
    assert_near(weir__scream_increment(50000.0, 50000.0, &growth), 55.0, 1e-6);
}

/* Two marks per round trip take what one adds: alpha W / 2 against one MSS (RTT 25 ms). */
static void two_marks_per_round_trip_are_the_equilibrium(void)
{
    for (double packets = 4.0; packets <= 1024.0; packets *= 4.0) {
        double window = 1000.0 * packets;
        double alpha = 2.0 / packets;
        assert_near(window * weir__scream_back_off(alpha, 0.025, 0.025), 1000.0, 1e-6);
        assert_near(4.0 * window * weir__scream_back_off(alpha, 0.1, 0.025), 1000.0, 1e-6);
    }
}

static void the_rate_is_a_share_of_the_window(void)
{
    assert_near(weir__scream_rate_share(1e9, 1000.0), 1000.0 / 1020.0 / 1.2, 1e-6);
    assert_near(weir__scream_rate_share(5000.0, 1000.0), 0.9 * 1000.0 / 1020.0 / 1.2, 1e-12);
    assert_near(weir__scream_rate_share(500.0, 1000.0), 0.8 * 1000.0 / 1020.0 / 1.2, 1e-12);
}

static void the_pace_relaxes_at_the_maximum(void)
{
    assert_near(weir__scream_relaxed(0.5, 1.0, 4.0), 1.0, 1e-12);
    assert_near(weir__scream_relaxed(0.9, 1.0, 4.0), 2.0, 1e-9);
    assert_near(weir__scream_relaxed(1.0, 1.0, 4.0), 4.0, 1e-12);
}

/* A short queue, no loss, and, as its authors measure on other paths too, 70 % of the link and
 * more; the figures of the page. */
static void most_of_a_link_is_used_with_a_short_queue(void)
{
    static const int64_t delays_ms[] = {20, 50, 150};
    for (size_t i = 0; i < G_N_ELEMENTS(delays_ms); i++) {
        struct flow *f = flow_new("scream", NULL, 0);
        f->capacity_bps = WEIR_MBPS(1);
        f->queue_bytes = 40000;
        f->delay_ns = WEIR_MS(delays_ms[i]);
        f->feedback_ns = WEIR_MS(30);
        flow_run_until(f, WEIR_SECONDS(60));
        int64_t delivered = f->delivered_bytes;
        double queue_ms = 0.0;
        flow_run_until(f, WEIR_SECONDS(60));
        for (int n = 0; n < 60000; n++) {
            flow_step(f);
            queue_ms += flow_variable(f, "queue_ns") * 1e-6 / 60000.0;
        }
        double used = 8.0 * (double)(f->delivered_bytes - delivered) / 60e6;
        g_test_message("RTT %d ms: %.1f %% used, queue %.0f ms", (int)(2 * delays_ms[i]),
                       100.0 * used, queue_ms);
        g_assert_cmpfloat(used, >, 0.7);
        g_assert_cmpfloat(queue_ms, <, 30.0);
        g_assert_cmpint(f->n_dropped, ==, 0);
        flow_free(f);
    }
}

/* Up to the threshold losses without a queue are not answered, above it each round trip is. */
static void few_losses_are_not_answered(void)
{
    struct flow *f = flow_new("scream", NULL, 0);
    f->lose_every = 200;
    flow_run_until(f, WEIR_SECONDS(30));
    g_assert_cmpfloat(flow_variable(f, "loss_reactions"), ==, 0.0);
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_MBPS(2));
    f->lose_every = 20;
    flow_run_until(f, WEIR_SECONDS(40));
    double reactions = flow_variable(f, "loss_reactions");
    g_assert_cmpfloat(reactions, >, 20.0);
    g_assert_cmpfloat(reactions, <=, 101.0); /* RTT 100 ms */
    flow_free(f);
}

static void mark_all(struct flow *f, int64_t n)
{
    struct weir_packet_report packets[64];
    for (int64_t i = 0; i < n; i++) {
        packets[i] = (struct weir_packet_report){.seq = f->n_sent + i,
                                                 .sent_ns = f->now_ns - WEIR_MS(50),
                                                 .arrived_ns = f->now_ns,
                                                 .wire_bytes = 1000,
                                                 .ecn = WEIR_ECN_CE};
    }
    struct weir_feedback feedback = {.now_ns = f->now_ns + WEIR_MS(50),
                                     .rtt_ns = WEIR_MS(100),
                                     .in_flight_bytes = f->in_flight_bytes,
                                     .packets = packets,
                                     .n_packets = (size_t)n};
    weir__driver_on_feedback(&f->driver, &feedback);
}

/* Classic: 0.8 of the window. L4S: an eighth of all marked is alpha, half of which is taken over
 * the four virtual round trips in one, near the last congestion a quarter of that; nothing grows
 * from marked bytes. */
static void marks_are_answered_by_their_kind(void)
{
    static const struct weir_param_value l4s[] = {{.name = "l4s", .value = 1.0},
                                                  {.name = "reduce-jitter", .value = 0.0}};
    struct flow *classic = flow_new("scream", NULL, 0);
    flow_run_until(classic, WEIR_SECONDS(2));
    double before = flow_variable(classic, "ref_wnd_bytes");
    mark_all(classic, 10);
    assert_near(flow_variable(classic, "ref_wnd_bytes"), 0.8 * before, 1.0);
    flow_free(classic);
    struct flow *f = flow_new("scream", l4s, 2);
    flow_run_until(f, WEIR_SECONDS(2));
    before = flow_variable(f, "ref_wnd_bytes");
    mark_all(f, 10);
    g_assert_cmpfloat(flow_variable(f, "l4s_alpha"), ==, 0.125);
    assert_near(flow_variable(f, "ref_wnd_bytes"), before * (1.0 - 0.125 / 2.0 / 4.0), 1.0);
    g_assert_cmpfloat(flow_variable(f, "mark_reactions"), ==, 1.0);
    flow_free(f);
}

/* A hundred round trips without congestion: a mark first takes the window down to what is used. */
static void a_mark_long_after_congestion_takes_what_is_not_used(void)
{
    static const struct weir_param_value l4s[] = {{.name = "l4s", .value = 1.0},
                                                  {.name = "headroom", .value = 10.0}};
    struct flow *f = flow_new("scream", l4s, 2);
    f->source_bps = WEIR_KBPS(500);
    flow_run_until(f, WEIR_SECONDS(30));
    double used = flow_variable(f, "max_in_flight_bytes");
    g_assert_cmpfloat(flow_variable(f, "ref_wnd_bytes"), >, 2.0 * used);
    mark_all(f, 10);
    g_assert_cmpfloat(flow_variable(f, "ref_wnd_bytes"), <=, used);
    flow_free(f);
}

/* Half of the rate for five round trips shows a standing delay to be the path's. */
static void a_longer_path_is_found_by_halving_the_rate(void)
{
    struct flow *f = flow_new("scream", NULL, 0);
    f->source_bps = WEIR_KBPS(500);
    flow_run_until(f, WEIR_SECONDS(20));
    g_assert_cmpfloat(flow_variable(f, "base_resets"), ==, 0.0);
    f->delay_ns += WEIR_MS(40);
    flow_run_until(f, WEIR_SECONDS(60));
    g_assert_cmpfloat(flow_variable(f, "base_resets"), ==, 1.0);
    g_assert_cmpfloat(flow_variable(f, "queue_ns"), ==, 0.0);
    flow_free(f);
}

static void silence_halves_and_blocks_nothing(void)
{
    struct flow *f = flow_new("scream", NULL, 0);
    struct weir_control control;
    f->capacity_bps = WEIR_MBPS(1);
    f->queue_bytes = 40000;
    flow_run_until(f, WEIR_SECONDS(30));
    weir__driver_get_output(&f->driver, &control);
    g_assert_cmpint(control.window_bytes, <, 200000);
    g_assert_cmpint(flow_silence_until(f, WEIR_SECONDS(60)), <, 1000);
    weir__driver_get_output(&f->driver, &control);
    g_assert_cmpint(control.window_bytes, ==, WEIR_UNLIMITED_BYTES);
    g_assert_true(control.state & WEIR_STATE_NO_FEEDBACK);
    f->blackout = false;
    flow_run_until(f, WEIR_SECONDS(120));
    g_assert_cmpint(flow_rate_bps(f), >, WEIR_KBPS(700));
    flow_free(f);
}

static void limits_hold_the_rate_and_move_the_start(void)
{
    struct flow *f = flow_new("scream", NULL, 0);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){50000, 2000000, 800000}, 0);
    g_assert_cmpint(flow_rate_bps(f), ==, 800000);
    g_assert_true(flow_state(f) & WEIR_STATE_STARTING);
    flow_run_until(f, WEIR_SECONDS(30));
    g_assert_cmpint(flow_rate_bps(f), ==, 2000000);
    weir__driver_set_limits(&f->driver, &(struct weir_limits){50000, 1000000, 300000}, f->now_ns);
    g_assert_cmpint(flow_rate_bps(f), ==, 1000000);
    flow_free(f);
}

static void a_new_path_starts_anew_but_not_faster(void)
{
    a_new_path_is_a_new_start("scream", WEIR_SECONDS(20));
}

/* A report counts for one round trip, so growth takes as many reports. */
static void reports_steer_in_bounds(void)
{
    reports_are_enough("scream", 0.4, 0.01);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/scream/" #name, name)
    ADD(known_answers_are_given);
    ADD(the_mean_of_marks_rises_fast_and_falls_slowly);
    ADD(a_delay_counts_from_half_the_target_on);
    ADD(near_the_last_congestion_all_is_slower);
    ADD(a_round_trip_adds_one_mss);
    ADD(two_marks_per_round_trip_are_the_equilibrium);
    ADD(the_rate_is_a_share_of_the_window);
    ADD(the_pace_relaxes_at_the_maximum);
    ADD(most_of_a_link_is_used_with_a_short_queue);
    ADD(few_losses_are_not_answered);
    ADD(marks_are_answered_by_their_kind);
    ADD(a_mark_long_after_congestion_takes_what_is_not_used);
    ADD(a_longer_path_is_found_by_halving_the_rate);
    ADD(silence_halves_and_blocks_nothing);
    ADD(limits_hold_the_rate_and_move_the_start);
    ADD(a_new_path_starts_anew_but_not_faster);
    ADD(reports_steer_in_bounds);
    return g_test_run();
}
