/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine of the window schemes, with rules as small as they can be: TCP's, or worse. */
#include "controllers/window.h"

#include "../../test.h"
#include "control/driver.h"

#include <math.h>

/* A scheme: by default w += 1/w per packet, w /= 2. */
struct toy {
    struct window window;
    double gain;  /* times TCP's increase */
    double keep;  /* of the window after a loss event */
    int n_epochs; /* how often the engine began one, and what it said */
    double before;
    int64_t idle_rtos;
};

static double toy_increase(void *scheme, const struct window *window, double acked)
{
    const struct toy *toy = scheme;
    return window->cwnd + toy->gain * acked / window->cwnd;
}

static double toy_decrease(void *scheme, const struct window *window)
{
    const struct toy *toy = scheme;
    return toy->keep * window->cwnd;
}

static void toy_begin_epoch(void *scheme, const struct window *window)
{
    struct toy *toy = scheme;
    toy->n_epochs++;
    toy->before = window->before_loss;
}

static void toy_on_idle(void *scheme, struct window *window, int64_t idle_rtos)
{
    struct toy *toy = scheme;
    toy->idle_rtos = idle_rtos;
    window->cwnd = 1.0;
}

static const struct window_rules toy_rules = {.increase = toy_increase,
                                              .decrease = toy_decrease,
                                              .begin_epoch = toy_begin_epoch,
                                              .paper_initial_packets = 2.0};
static const struct window_rules idle_rules = {
    .increase = toy_increase, .decrease = toy_decrease, .on_idle = toy_on_idle};
static const struct window_rules whole_rules = {.increase = toy_increase, .decrease = toy_decrease};

static const struct window_rules *chosen_rules;

static void toy_init(void *state, const struct weir_config *config)
{
    struct toy *toy = state;
    *toy = (struct toy){.gain = 1.0, .keep = 0.5};
    weir__window_init(&toy->window, chosen_rules, config);
    toy->window.whole_packets = chosen_rules == &whole_rules;
}

static const struct weir_controller toy_controller = {
    .name = "toy",
    .needs = WEIR_NEEDS_PACKETS | WEIR_HAS_REPORT_FORM,
    .init = toy_init,
    .on_packet_sent = weir__window_on_packet_sent,
    .on_feedback = weir__window_on_feedback,
    .on_report = weir__window_on_report,
    .on_silence = weir__window_on_silence,
    .silence_timeout_ns = weir__window_silence_timeout_ns,
    .on_path_change = weir__window_on_path_change,
    .set_limits = weir__window_set_limits,
    .seed_rtt = weir__window_seed_rtt,
    .get_output = weir__window_get_output};

/* A toy and its path of 100 ms; times in ms. */
struct rig {
    struct weir__driver driver;
    struct toy *toy; /* in it */
    int64_t n_sent;
    bool data_limited;
};

struct options {
    const struct window_rules *rules;
    bool paper, ack_clocked, by_rtt;
    double initial_packets;
    double initial_ssthresh;
    int64_t max_bps;
};

static struct window *rig_init(struct rig *rig, struct options options)
{
    const double params[WINDOW_N_PARAMS] = {
        [WINDOW_PARAM_INITIAL] = options.paper,
        [WINDOW_PARAM_INITIAL_WINDOW] = options.initial_packets,
        [WINDOW_PARAM_INITIAL_SSTHRESH] = options.initial_ssthresh,
        [WINDOW_PARAM_MIN_RTO] = 200.0,
        [WINDOW_PARAM_CLOCKING] = options.ack_clocked,
        [WINDOW_PARAM_LOSS_GROUPING] = options.by_rtt,
    };
    struct weir_config config = {
        .params = params,
        .limits = {.min_bps = 1000,
                   .max_bps = options.max_bps > 0 ? options.max_bps : WEIR_MBPS(10000),
                   .start_bps = 300000},
        .packet_bytes = 1000};
    *rig = (struct rig){.n_sent = 0};
    chosen_rules = options.rules ? options.rules : &toy_rules;
    rig->toy = (struct toy *)(void *)rig->driver.state;
    weir__driver_init(&rig->driver, config.packet_bytes);
    weir__driver_start(&rig->driver, &toy_controller, &config, WEIR_UNKNOWN_NS, 0);
    return &rig->toy->window;
}

static void send(struct rig *rig, int64_t ms, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        struct weir_sent_packet sent = {.seq = rig->n_sent++,
                                        .sent_ns = WEIR_MS(ms),
                                        .wire_bytes = 1000,
                                        .network_limited = !rig->data_limited};
        weir__driver_on_sent(&rig->driver, &sent);
    }
}

static void hear_one(struct rig *rig, int64_t ms, struct weir_packet_report packet)
{
    packet.sent_ns = packet.sent_ns ? packet.sent_ns : WEIR_MS(ms - 100);
    packet.wire_bytes = 1000;
    struct weir_feedback feedback = {
        .now_ns = WEIR_MS(ms),
        .rtt_ns = packet.status == WEIR_PACKET_RECEIVED ? WEIR_MS(100) : WEIR_UNKNOWN_NS,
        .packets = &packet,
        .n_packets = 1};
    weir__driver_on_feedback(&rig->driver, &feedback);
}

static void ack(struct rig *rig, int64_t ms, int64_t first, int64_t last)
{
    for (int64_t seq = first; seq <= last; seq++) {
        hear_one(rig, ms, (struct weir_packet_report){.seq = seq, .status = WEIR_PACKET_RECEIVED});
    }
}

static void lose(struct rig *rig, int64_t ms, int64_t first, int64_t last)
{
    for (int64_t seq = first; seq <= last; seq++) {
        hear_one(rig, ms, (struct weir_packet_report){.seq = seq, .status = WEIR_PACKET_LOST});
    }
}

static struct weir_control output(const struct rig *rig)
{
    struct weir_control control;
    weir__driver_get_output(&rig->driver, &control);
    return control;
}

static void timers(struct rig *rig, int64_t until_ms)
{
    while (weir__driver_next_timer_ns(&rig->driver) <= WEIR_MS(until_ms)) {
        weir__driver_on_timer(&rig->driver, weir__driver_next_timer_ns(&rig->driver));
    }
}

/* 20 packets in the first round, of which the last is lost: 39 packets, cut to 10.5, known RTT. */
static struct window *after_a_loss(struct rig *rig, struct options options)
{
    options.paper = true;
    options.initial_packets = 20.0;
    struct window *w = rig_init(rig, options);
    send(rig, 0, 20);
    ack(rig, 100, 0, 18);
    lose(rig, 100, 19, 19);
    return w;
}

static void an_initial_ssthresh_ends_slow_start_without_a_loss(void)
{
    static const double cases[][2] = {{0.0, WINDOW_MAX_PACKETS}, {1.0, 2.0}, {16.0, 16.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig;
        struct window *w = rig_init(&rig, (struct options){.initial_ssthresh = cases[i][0]});
        g_assert_cmpfloat(w->ssthresh, ==, cases[i][1]);
        w->ssthresh = 5.0;
        weir__driver_on_path_change(&rig.driver, WEIR_SECONDS(1));
        g_assert_cmpfloat(w->ssthresh, ==, cases[i][1]);
    }
}

static void slow_start_ends_at_ssthresh_and_the_rest_goes_to_the_rule(void)
{
    struct rig rig;
    struct window *w = rig_init(&rig, (struct options){.paper = true, .initial_packets = 10.0});
    send(&rig, 0, 10);
    ack(&rig, 100, 0, 0);
    assert_near(w->cwnd, 11.0, 1e-9);
    w->ssthresh = 15.0;
    int n_epochs = rig.toy->n_epochs;
    ack(&rig, 100, 1, 4);
    assert_near(w->cwnd, 15.0, 1e-9);
    g_assert_cmpint(rig.toy->n_epochs, ==, n_epochs + 1);
    g_assert_false(weir__window_in_slow_start(w));
    ack(&rig, 100, 5, 5);
    assert_near(w->cwnd, 15.0 + 1.0 / 15.0, 1e-12);
    w->slow_start_gain = 0.5;
    w->cwnd = 4.0;
    w->ssthresh = 4.25;
    ack(&rig, 100, 6, 6); /* half of it was enough */
    assert_near(w->cwnd, 4.25 + 0.5 / 4.25, 1e-12);
}

static void losses_of_one_window_are_one_event(void)
{
    struct rig rig;
    struct window *w = after_a_loss(&rig, (struct options){0});
    assert_near(w->cwnd, 10.5, 1e-9); /* half of what was in flight, 20, and a packet */
    assert_near(rig.toy->before, 39.0, 1e-9);
    g_assert_cmpint(rig.toy->n_epochs, ==, 2); /* the beginning, the loss */
    rig.toy->keep = 0.75;
    send(&rig, 100, 10);
    lose(&rig, 200, 20, 22); /* three of the new window */
    assert_near(w->cwnd, 0.75 * 10.5, 1e-12);
    ack(&rig, 200, 23, 29); /* sent before the reaction: no growth */
    assert_near(w->cwnd, 0.75 * 10.5, 1e-12);
    send(&rig, 200, 8);
    ack(&rig, 300, 30, 30);
    g_assert_cmpfloat(w->cwnd, >, 0.75 * 10.5);
    g_assert_cmpint(w->n_events, ==, 2);
}

static void losses_within_an_rtt_are_one_event(void)
{
    struct rig rig;
    struct window *w = after_a_loss(&rig, (struct options){.by_rtt = true});
    send(&rig, 50, 1);
    send(&rig, 100, 1);
    send(&rig, 101, 1);
    struct weir_packet_report packet = {.seq = 20, .status = WEIR_PACKET_LOST};
    const int64_t sent_ms[] = {50, 100, 101};
    const int n_events[] = {1, 1, 2};
    for (int i = 0; i < 3; i++) {
        packet.seq = 20 + i;
        packet.sent_ns = WEIR_MS(sent_ms[i]);
        hear_one(&rig, 220, packet);
        g_assert_cmpint(w->n_events, ==, n_events[i]);
    }
}

static void marks_are_losses_and_late_packets_nothing(void)
{
    struct rig rig;
    struct window *w = after_a_loss(&rig, (struct options){0});
    send(&rig, 100, 10);
    hear_one(
        &rig, 200,
        (struct weir_packet_report){.seq = 20, .status = WEIR_PACKET_RECEIVED, .ecn = WEIR_ECN_CE});
    assert_near(w->cwnd, 5.25, 1e-9);
    hear_one(&rig, 210, (struct weir_packet_report){.seq = 19, .status = WEIR_PACKET_LATE});
    assert_near(w->cwnd, 5.25, 1e-9);
    g_assert_cmpint(w->n_events, ==, 2);
}

/* Whatever a rule says: one packet for a packet, never down, never above the bound. */
static void rules_cannot_outrun_slow_start(void)
{
    static const double gains[] = {1e9, -1e9, INFINITY};
    for (int i = 0; i < 3; i++) {
        struct rig rig;
        struct window *w = after_a_loss(&rig, (struct options){0});
        rig.toy->gain = gains[i];
        send(&rig, 100, 10);
        ack(&rig, 200, 20, 29);
        assert_near(w->cwnd, gains[i] > 0.0 ? 20.5 : 10.5, 1e-9);
    }
    static const double keeps[] = {-5.0, 7.0};
    for (int i = 0; i < 2; i++) {
        struct rig rig;
        struct window *w = after_a_loss(&rig, (struct options){0});
        rig.toy->keep = keeps[i];
        send(&rig, 100, 10);
        lose(&rig, 200, 20, 20);
        assert_near(w->cwnd, i == 0 ? 1.0 : 10.5, 1e-9);
        g_assert_cmpfloat(w->ssthresh, >=, 2.0);
    }
}

static void an_unused_window_does_not_grow(void)
{
    struct rig rig;
    struct window *w = after_a_loss(&rig, (struct options){0});
    rig.toy->gain = 10.0;
    int64_t seq = 20;
    for (int64_t ms = 100; ms < 5000; ms += 100, seq += 4) { /* four in flight */
        send(&rig, ms, 4);
        ack(&rig, ms + 100, seq, seq + 3);
    }
    g_assert_cmpfloat(w->cwnd, <=, 21.0); /* once, by the window before */
    double cwnd = w->cwnd;
    send(&rig, 5000, (int64_t)cwnd);
    ack(&rig, 5100, seq, seq);
    g_assert_cmpfloat(w->cwnd, >, cwnd);
}

static void a_data_limited_source_leaves_avoidance_where_it_is(void)
{
    struct rig rig;
    struct window *w = after_a_loss(&rig, (struct options){0});
    rig.data_limited = true;
    send(&rig, 201, 10);
    ack(&rig, 301, 20, 29);
    assert_near(w->cwnd, 10.5, 1e-9);
    g_assert_true(output(&rig).state & WEIR_STATE_APP_LIMITED);
    w->ssthresh = 12.0; /* slow start looks at what is in flight alone */
    send(&rig, 401, 10);
    ack(&rig, 501, 30, 39);
    assert_near(w->cwnd, 12.0, 1e-9);
}

static void the_upper_limit_of_the_rate_limits_the_window(void)
{
    struct rig rig;
    struct window *w =
        rig_init(&rig, (struct options){.paper = true, .max_bps = 800000}); /* 10 per RTT */
    int64_t seq = 0;
    for (int64_t ms = 0; ms < 1000; ms += 100) {
        int64_t n = (int64_t)w->cwnd;
        send(&rig, ms, n);
        ack(&rig, ms + 100, seq, seq + n - 1);
        seq += n;
    }
    assert_near(w->cwnd, 11.0, 1e-9);
    weir__driver_set_limits(&rig.driver, &(struct weir_limits){1000, 1600000, 300000},
                            WEIR_MS(1000));
    send(&rig, 1000, 11);
    ack(&rig, 1100, seq, seq + 10);
    assert_near(w->cwnd, 21.0, 1e-9);
}

static void a_frozen_window_does_not_grow(void)
{
    struct rig rig;
    struct window *w = rig_init(&rig, (struct options){.paper = true});
    w->frozen = true;
    send(&rig, 0, 2);
    ack(&rig, 100, 0, 1);
    assert_near(w->cwnd, 2.0, 1e-9);
}

static void timeouts_back_off_and_set_ssthresh_once(void)
{
    struct rig rig;
    struct window *w = after_a_loss(&rig, (struct options){0});
    g_assert_true(weir__driver_next_timer_ns(&rig.driver) > WEIR_MS(100));
    send(&rig, 100, 10);
    ack(&rig, 200, 20, 29);
    g_assert_cmpint(weir__driver_next_timer_ns(&rig.driver), ==,
                    WEIR_NEVER_NS); /* none in flight */
    rig.driver.path.now.rtt.rttvar_ns = 0.0;
    double cwnd = w->cwnd;
    int64_t ms = 300;
    double backoff = 1.0;
    for (int i = 1; i <= 12; i++) {
        send(&rig, ms, 1);
        int64_t due_ns = weir__driver_next_timer_ns(&rig.driver);
        assert_near(due_ns - WEIR_MS(ms), backoff * 200e6, 1.0);
        weir__driver_on_timer(&rig.driver, due_ns - 1);
        g_assert_cmpint(w->n_timeouts, ==, i - 1);
        weir__driver_on_timer(&rig.driver, due_ns);
        backoff = fmin(2.0 * backoff, 64.0);
        g_assert_cmpint(w->n_timeouts, ==, i);
        assert_near(w->cwnd, 1.0, 1e-9);
        assert_near(w->ssthresh, cwnd / 2.0, 1e-9);
        assert_near(output(&rig).rate_bps, 8000.0 / (0.2 * backoff), 1.0);
        g_assert_cmpint(weir__driver_next_timer_ns(&rig.driver), ==, WEIR_NEVER_NS);
        g_assert_true(output(&rig).state & WEIR_STATE_NO_FEEDBACK);
        ms = due_ns / WEIR_MS(1) + 1;
    }
    ack(&rig, ms + 100, rig.n_sent - 1, rig.n_sent - 1);
    g_assert_false(output(&rig).state & WEIR_STATE_NO_FEEDBACK);
    assert_near(output(&rig).rate_bps, 80000.0, 1.0);
    lose(&rig, ms + 100, 30, 35); /* sent before the timeout: answered already */
    assert_near(w->cwnd, 1.0, 1e-9);
    g_assert_cmpint(w->n_events, ==, 1);
}

/* Feedback every 400 ms is no congestion, once it is known. */
static void rare_feedback_is_learnt(void)
{
    struct rig rig;
    struct window *w = after_a_loss(&rig, (struct options){0});
    int64_t heard = 19;
    for (int64_t ms = 100; ms < 20000; ms += 10) {
        timers(&rig, ms);
        if (ms % 100 == 0) {
            send(&rig, ms, 1);
        }
        if (ms % 400 == 50) {
            ack(&rig, ms, heard + 1, rig.n_sent - 1);
            heard = rig.n_sent - 1;
        }
    }
    g_assert_cmpint(w->n_timeouts, <=, 2);
}

static void idle_times_halve_the_window_down_to_the_initial_one(void)
{
    static const struct {
        int64_t idle_ms;
        double cwnd;
    } cases[] = {{299, 64.0}, {300, 32.0}, {599, 32.0}, {600, 16.0}, {1500, 2.0}, {86400000, 2.0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rig rig;
        struct window *w = rig_init(&rig, (struct options){.paper = true});
        send(&rig, 0, 2);
        ack(&rig, 100, 0, 1);
        w->cwnd = 64.0;
        rig.driver.path.silence.pause_ns = rig.driver.path.now.feedback_pause_ns = 0;
        send(&rig, cases[i].idle_ms, 1);
        assert_near(w->cwnd, cases[i].cwnd, 1e-9);
        w->cwnd = 1.0; /* already below: idle time gives nothing */
        send(&rig, cases[i].idle_ms + 5000, 1);
        assert_near(w->cwnd, 1.0, 1e-9);
    }
}

static void a_scheme_may_have_its_own_rule_for_idle_times(void)
{
    struct rig rig;
    struct window *w = rig_init(&rig, (struct options){.paper = true, .rules = &idle_rules});
    send(&rig, 0, 2);
    ack(&rig, 100, 0, 1);
    send(&rig, 1000, 1); /* the RTO is 300 ms */
    g_assert_cmpint(rig.toy->idle_rtos, ==, 3);
    assert_near(w->cwnd, 1.0, 1e-9);
}

static void whole_packets_are_halved_to_whole_packets(void)
{
    struct rig rig;
    struct window *w = rig_init(
        &rig, (struct options){.paper = true, .rules = &whole_rules, .initial_packets = 11.0});
    send(&rig, 0, 11);
    lose(&rig, 100, 0, 0);
    assert_near(w->cwnd, 5.0, 1e-9);
}

/* The start bitrate until the first sample, then the window that keeps it, but never less than the
 * initial one; a loss before the sample halves both. */
static void live_media_begin_at_the_start_bitrate(void)
{
    for (int lost = 0; lost < 2; lost++) {
        struct rig rig;
        struct window *w = rig_init(&rig, (struct options){0});
        g_assert_cmpint(output(&rig).rate_bps, ==, 300000);
        g_assert_cmpint(output(&rig).window_bytes, ==, WEIR_UNLIMITED_BYTES);
        g_assert_cmpuint(output(&rig).state, ==, WEIR_STATE_STARTING);
        send(&rig, 0, 3);
        if (lost) {
            lose(&rig, 90, 0, 1);
            g_assert_cmpint(output(&rig).rate_bps, ==, 150000);
        }
        weir__driver_seed_rtt(&rig.driver, WEIR_SECONDS(1), WEIR_MS(95));
        assert_near(w->cwnd, lost ? 18.75 : 37.5, 1e-9);
        g_assert_cmpint(output(&rig).rate_bps, ==, lost ? 150000 : 300000);
        weir__driver_seed_rtt(&rig.driver, WEIR_MS(1), WEIR_MS(95)); /* known already */
        assert_near(w->cwnd, lost ? 18.75 : 37.5, 1e-9);
    }
    struct rig rig;
    struct window *w = rig_init(&rig, (struct options){0});
    weir__driver_seed_rtt(&rig.driver, WEIR_MS(10), 0); /* 0.375 packets */
    assert_near(w->cwnd, 4.0, 1e-9);
}

static void initial_windows_follow_the_packet_size(void)
{
    static const double cases[][2] = {{100, 4},  {1095, 4}, {1096, 3},
                                      {2189, 3}, {2190, 2}, {65535, 2}};
    for (size_t i = 0; i < 6; i++) {
        struct rig rig;
        struct window *w = rig_init(&rig, (struct options){.paper = true, .rules = &whole_rules});
        w->path.packet_bytes = cases[i][0];
        assert_near(weir__window_initial(w), cases[i][1], 1e-9);
    }
}

static void the_first_packet_begins_the_mean_size(void)
{
    struct rig rig;
    struct window *w = rig_init(&rig, (struct options){0});
    struct weir_sent_packet sent = {.wire_bytes = 200};
    assert_near(w->path.packet_bytes, 1000.0, 1e-9);
    weir__driver_on_sent(&rig.driver, &sent);
    assert_near(w->path.packet_bytes, 200.0, 1e-9);
    sent.seq = 1;
    sent.wire_bytes = 1000;
    weir__driver_on_sent(&rig.driver, &sent);
    assert_near(w->path.packet_bytes, 250.0, 1e-9);
}

static void a_new_path_starts_anew_but_not_faster(void)
{
    struct rig rig;
    struct window *w = after_a_loss(&rig, (struct options){0});
    w->cwnd = 1.5;
    weir__driver_on_path_change(&rig.driver, WEIR_MS(200));
    g_assert_cmpuint(output(&rig).state, ==, WEIR_STATE_STARTING);
    g_assert_cmpint(weir__driver_next_timer_ns(&rig.driver), ==, WEIR_NEVER_NS);
    assert_near(w->cwnd, 1.5, 1e-9);
    lose(&rig, 250, 18, 18); /* of the old path */
    assert_near(w->cwnd, 1.5, 1e-9);
    struct rig live;
    rig_init(&live, (struct options){0});
    weir__driver_seed_rtt(&live.driver, WEIR_MS(100), 0);
    live.toy->window.cwnd = 1.0;
    weir__driver_on_path_change(&live.driver, WEIR_MS(200));
    g_assert_cmpint(output(&live).rate_bps, ==, 80000);
}

/* By acknowledgements: the window. Paced: what a pause holds back, and a packet. */
static void window_admits_what_the_pace_needs(void)
{
    struct rig rig;
    struct window *w = after_a_loss(&rig, (struct options){.ack_clocked = true});
    w->cwnd = 7.0;
    g_assert_cmpint(output(&rig).window_bytes, ==, 7000);
    g_assert_cmpint(output(&rig).rate_bps, ==, 560000);
    g_assert_cmpint(output(&rig).pacing_bps, >=, WEIR_MBPS(10000));
    w->cwnd = 1.0;
    w->path.largest_packet_bytes = 60000;
    g_assert_cmpint(output(&rig).window_bytes, ==, 60000);
    w = after_a_loss(&rig, (struct options){0});
    w->cwnd = 7.0;
    w->path.feedback_pause_ns = WEIR_MS(50);
    g_assert_cmpint(output(&rig).pacing_bps, ==, 0);
    g_assert_cmpint(output(&rig).window_bytes, ==, 7000 + 3500 + 1000);
    w->path.rtt.latest_ns = WEIR_MS(350); /* a queue grows: the pause is less of it */
    g_assert_cmpint(output(&rig).window_bytes, ==, 7000 + 1000 + 1000);
}

static void report(struct rig *rig, int64_t ms, int64_t expected, int64_t lost, int64_t rtt_ns)
{
    struct weir_report report = {.now_ns = WEIR_MS(ms),
                                 .rtt_ns = rtt_ns,
                                 .interval_ns = WEIR_SECONDS(1),
                                 .expected_packets = expected,
                                 .lost_packets = lost,
                                 .packet_bytes = 1000,
                                 .sent_bytes = expected * 1000,
                                 .network_limited = !rig->data_limited};
    weir__driver_on_report(&rig->driver, &report);
}

static void reports_need_no_rtt_and_a_sample_leaves_the_rate(void)
{
    struct rig rig;
    rig_init(&rig, (struct options){0});
    rig.data_limited = true;
    report(&rig, 1000, 37, 0, WEIR_UNKNOWN_NS);
    g_assert_cmpint(output(&rig).rate_bps, ==, 300000);
    g_assert_cmpint(output(&rig).window_bytes, ==, WEIR_UNLIMITED_BYTES);
    report(&rig, 2000, 37, 0, WEIR_MS(100));
    g_assert_cmpint(output(&rig).rate_bps, ==, 300000);
    assert_near(rig.toy->window.cwnd, 3.75, 1e-9);
}

static void reports_step_up_by_half_at_most(void)
{
    struct rig rig;
    struct window *w = rig_init(&rig, (struct options){0});
    rig.toy->gain = 1000.0;
    report(&rig, 1000, 1000, 0, WEIR_MS(100));
    w->ssthresh = 4.0;
    for (int64_t ms = 2000; ms < 12000; ms += 1000) {
        double cwnd = w->cwnd;
        report(&rig, ms, 10000, 0, WEIR_MS(100));
        assert_near(w->cwnd, 1.5 * cwnd, 1e-9);
        report(&rig, ms + 500, 0, 0, WEIR_UNKNOWN_NS); /* tells nothing */
        assert_near(w->cwnd, 1.5 * cwnd, 1e-9);
    }
}

/* A quarter of a window in each report grows it by a quarter of a packet: by 10 in 10 rounds. */
static void reports_may_come_more_often_than_once_a_round(void)
{
    struct rig rig;
    struct window *w = rig_init(&rig, (struct options){0});
    struct weir_report told = {.rtt_ns = WEIR_MS(400),
                               .interval_ns = WEIR_MS(100),
                               .expected_packets = 10,
                               .packet_bytes = 1000,
                               .sent_bytes = 10000,
                               .network_limited = true};
    for (int i = 0; i <= 40; i++) {
        told.now_ns = WEIR_MS(100) * (i + 1);
        weir__driver_on_report(&rig.driver, &told);
        w->cwnd = i == 0 ? 40.0 : w->cwnd;
        w->ssthresh = 4.0;
    }
    assert_near(w->cwnd, 50.0, 0.5);
}

/* Overdue after three intervals: half the window, then half the rate for each period. */
static void overdue_reports_halve_the_rate(void)
{
    struct rig rig;
    rig_init(&rig, (struct options){0});
    report(&rig, 1000, 100, 0, WEIR_MS(100));
    g_assert_cmpint(weir__driver_next_timer_ns(&rig.driver), ==, WEIR_MS(4000));
    int64_t rate_bps = output(&rig).rate_bps;
    int64_t ms = 1000;
    send(&rig, ms, 1);
    g_assert_cmpint(weir__driver_next_timer_ns(&rig.driver), ==, WEIR_MS(4000));
    for (int i = 0; i < 6; i++) {
        send(&rig, ms, 1);
        int64_t due_ns = weir__driver_next_timer_ns(&rig.driver);
        weir__driver_on_timer(&rig.driver, due_ns);
        ms = due_ns / WEIR_MS(1);
        assert_near(output(&rig).rate_bps, (double)rate_bps / 2.0, 0.05 * (double)rate_bps);
        rate_bps = output(&rig).rate_bps;
    }
    report(&rig, ms, 100, 100, WEIR_UNKNOWN_NS); /* nothing arrived: no sign of life */
    g_assert_cmpint(output(&rig).rate_bps, <=, rate_bps);
    report(&rig, ms + 1000, 10, 0, WEIR_UNKNOWN_NS);
    g_assert_cmpint(output(&rig).rate_bps, >=, 80000);
}

/* A window of one packet is a high rate where the RTT is short. */
static void overdue_reports_end_any_rate(void)
{
    static const int64_t rtts_ns[] = {WEIR_US(100), WEIR_MS(1), WEIR_MS(100), WEIR_SECONDS(10)};
    for (size_t i = 0; i < G_N_ELEMENTS(rtts_ns); i++) {
        struct rig rig;
        rig_init(&rig, (struct options){0});
        report(&rig, 1000, 100, 0, rtts_ns[i]);
        for (int64_t ms = 1000; ms < 1000000; ms += 10) {
            send(&rig, ms, 1);
            while (weir__driver_next_timer_ns(&rig.driver) <= WEIR_MS(ms)) {
                weir__driver_on_timer(&rig.driver, WEIR_MS(ms));
            }
            g_assert_true(ms < 181000 || output(&rig).rate_bps < 100000);
        }
        g_assert_cmpint(output(&rig).rate_bps, >=, 8000 / 64);
        g_assert_cmpint(output(&rig).rate_bps, <=, 8000 / 10);
    }
}

/* A million losses in a report are bounded work, and stop at half of what arrived. */
static void many_events_of_a_report_are_bounded(void)
{
    struct rig rig;
    struct window *w = rig_init(&rig, (struct options){0});
    rig.toy->keep = 0.9999999;
    report(&rig, 1000, 1000, 0, WEIR_US(100));
    w->cwnd = 1e6;
    w->ssthresh = 2.0;
    report(&rig, 2000, 2000000, 1999999, WEIR_US(100));
    g_assert_cmpint(w->n_events, ==, 1000);
    rig.toy->keep = 0.9;
    w = rig_init(&rig, (struct options){0});
    rig.toy->keep = 0.9;
    report(&rig, 1000, 1000, 0, WEIR_MS(100));
    w->cwnd = 100.0;
    w->ssthresh = 2.0;
    report(&rig, 2000, 2000, 1000, WEIR_MS(100)); /* 100 per round arrived */
    assert_near(w->cwnd, 100.0 * pow(0.9, 7), 1e-9);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/window/" #name, name)
    ADD(an_initial_ssthresh_ends_slow_start_without_a_loss);
    ADD(slow_start_ends_at_ssthresh_and_the_rest_goes_to_the_rule);
    ADD(losses_of_one_window_are_one_event);
    ADD(losses_within_an_rtt_are_one_event);
    ADD(marks_are_losses_and_late_packets_nothing);
    ADD(rules_cannot_outrun_slow_start);
    ADD(an_unused_window_does_not_grow);
    ADD(a_data_limited_source_leaves_avoidance_where_it_is);
    ADD(the_upper_limit_of_the_rate_limits_the_window);
    ADD(a_frozen_window_does_not_grow);
    ADD(timeouts_back_off_and_set_ssthresh_once);
    ADD(rare_feedback_is_learnt);
    ADD(idle_times_halve_the_window_down_to_the_initial_one);
    ADD(a_scheme_may_have_its_own_rule_for_idle_times);
    ADD(whole_packets_are_halved_to_whole_packets);
    ADD(live_media_begin_at_the_start_bitrate);
    ADD(initial_windows_follow_the_packet_size);
    ADD(the_first_packet_begins_the_mean_size);
    ADD(a_new_path_starts_anew_but_not_faster);
    ADD(window_admits_what_the_pace_needs);
    ADD(reports_need_no_rtt_and_a_sample_leaves_the_rate);
    ADD(reports_step_up_by_half_at_most);
    ADD(reports_may_come_more_often_than_once_a_round);
    ADD(overdue_reports_halve_the_rate);
    ADD(overdue_reports_end_any_rate);
    ADD(many_events_of_a_report_are_bounded);
    return g_test_run();
}
