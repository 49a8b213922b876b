/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/breaker.h"

#include "test.h"

static struct weir__breaker breaker;

/* RFC 8083 with numbers worked out by hand. */
static void test_known_answers(void)
{
    static const struct {
        int64_t groups, frame_ms, rtt_ms, report_ms, report_5s_ms, media, congestion;
    } cases[] = {
        {1, 20, 100, 5000, 5000, 5, 3},   {1, 33, 100, 1000, 5000, 5, 3},
        {30, 33, 100, 1000, 5000, 5, 10}, {300, 33, 100, 1000, 5000, 5, 15},
        {1, 33, 400, 100, 5000, 20, 40},  {1, 20, 600, 50, 5000, 60, 120},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__breaker_times times = {
            .frames_per_group = cases[i].groups,
            .frame_ns = WEIR_MS(cases[i].frame_ms),
            .rtt_ns = WEIR_MS(cases[i].rtt_ms),
            .report_ns = WEIR_MS(cases[i].report_ms),
            .report_5s_ns = WEIR_MS(cases[i].report_5s_ms),
        };
        g_assert_cmpint(weir__breaker_media_timeout_reports(&times), ==, cases[i].media);
        g_assert_cmpint(weir__breaker_congestion_reports(&times), ==, cases[i].congestion);
    }
}

static void test_the_tcp_rate_is_the_simple_equation(void)
{
    static const struct {
        int64_t packet_bytes, rtt_ms;
        double loss_ratio, bytes_per_s;
    } cases[] = {
        {1000, 100, 0.05, 54772},
        {1200, 50, 0.01, 293939},
        {200, 200, 0.20, 2739},
        {1200, 300, 0.10, 15492},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        double bps = weir__breaker_tcp_bps(cases[i].packet_bytes, WEIR_MS(cases[i].rtt_ms),
                                           cases[i].loss_ratio);
        assert_near(bps / 8, cases[i].bytes_per_s, 1);
    }
    g_assert_cmpfloat(weir__breaker_tcp_bps(1, 0, 0), >, 0);
}

/* What is allowed while reports are told. */
#define RATE_BPS WEIR_MBPS(8)

/* Packets every 20 ms from t = from_ns to to_ns. */
static void send(int64_t from_ns, int64_t to_ns)
{
    for (int64_t now_ns = from_ns; now_ns < to_ns; now_ns += WEIR_MS(20)) {
        weir__breaker_on_sent(&breaker, now_ns, (uint32_t)(now_ns / WEIR_US(1)));
    }
}

static struct weir_report report_at(int64_t now_ns)
{
    return (struct weir_report){
        .now_ns = now_ns,
        .interval_ns = WEIR_SECONDS(1),
        .rtt_ns = WEIR_MS(100),
        .expected_packets = 1000,
        .lost_packets = 0,
        .sent_bytes = 1000000,
        .packet_bytes = 1000,
    };
}

/* A second of sending at 8 Mbit/s and its report; loss in per cent. */
static void second_with_loss(int64_t second, int64_t loss_percent)
{
    send(WEIR_SECONDS(second), WEIR_SECONDS(second + 1));
    weir__breaker_on_rtcp(&breaker, WEIR_SECONDS(second + 1), WEIR_MBPS(8));
    struct weir_report report = report_at(WEIR_SECONDS(second + 1));
    report.lost_packets = 10 * loss_percent;
    weir__breaker_on_report(&breaker, &report, true, RATE_BPS);
}

static void test_silence_of_a_known_peer_stops_after_15_s(void)
{
    weir__breaker_init(&breaker);
    second_with_loss(0, 0);
    send(WEIR_SECONDS(1), WEIR_SECONDS(20));
    g_assert_cmpint(weir__breaker_next_timer_ns(&breaker), ==, WEIR_SECONDS(16));
    weir__breaker_on_timer(&breaker, WEIR_SECONDS(16) - 1);
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
    weir__breaker_on_timer(&breaker, WEIR_SECONDS(16));
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CEASED);
    g_assert_cmpint(weir__breaker_cap_bps(&breaker), ==, 0);
    g_assert_cmpint(weir__breaker_next_timer_ns(&breaker), ==, WEIR_NEVER_NS);
}

static void test_silence_while_nothing_is_sent_is_no_timeout(void)
{
    weir__breaker_init(&breaker);
    second_with_loss(0, 0);
    g_assert_cmpint(weir__breaker_next_timer_ns(&breaker), ==, WEIR_NEVER_NS);
    weir__breaker_on_timer(&breaker, WEIR_SECONDS(1000));
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
}

static void test_a_peer_never_heard_reduces_to_the_minimum(void)
{
    weir__breaker_init(&breaker);
    send(0, WEIR_SECONDS(15));
    weir__breaker_on_timer(&breaker, WEIR_SECONDS(15));
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_REDUCED);
    g_assert_cmpint(weir__breaker_cap_bps(&breaker), ==, 0);
    weir__breaker_on_timer(&breaker, WEIR_SECONDS(1000));
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_REDUCED);
    g_assert_cmpint(weir__breaker_next_timer_ns(&breaker), ==, WEIR_NEVER_NS);
    weir__breaker_on_rtcp(&breaker, WEIR_SECONDS(1001), WEIR_MBPS(8));
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
    g_assert_cmpint(weir__breaker_cap_bps(&breaker), ==, INT64_MAX);
}

/* Whatever stopped it and whenever RTCP comes back, it restarts: at the minimum, not before the
 * triggering interval. */
static void test_feedback_that_returns_always_restarts(void)
{
    for (int64_t silent_s = 0; silent_s <= 100; silent_s += 5) {
        weir__breaker_init(&breaker);
        second_with_loss(0, 0);
        send(WEIR_SECONDS(1), WEIR_SECONDS(17));
        weir__breaker_on_timer(&breaker, WEIR_SECONDS(16));
        int64_t heard_ns = WEIR_SECONDS(16 + silent_s);
        weir__breaker_on_rtcp(&breaker, heard_ns, WEIR_MBPS(8));
        if (silent_s < 15) {
            g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CEASED);
            g_assert_cmpint(weir__breaker_next_timer_ns(&breaker), ==, WEIR_SECONDS(31));
            weir__breaker_on_timer(&breaker, WEIR_SECONDS(31));
        }
        g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_REDUCED);
        g_assert_cmpint(weir__breaker_cap_bps(&breaker), ==, 0);
    }
}

static void test_the_rate_comes_back_by_doubling(void)
{
    weir__breaker_init(&breaker);
    second_with_loss(0, 0);
    send(WEIR_SECONDS(1), WEIR_SECONDS(17));
    weir__breaker_on_timer(&breaker, WEIR_SECONDS(16));
    int64_t now_ns = WEIR_SECONDS(40), previous_bps = 0;
    weir__breaker_on_rtcp(&breaker, now_ns, WEIR_MBPS(8));
    for (int i = 0; i < 100 && breaker.state == WEIR__BREAKER_REDUCED; i++) {
        int64_t cap_bps = weir__breaker_cap_bps(&breaker);
        g_assert_cmpint(cap_bps, <=, weir_max_i64(2 * previous_bps, WEIR_MBPS(8) / 64));
        previous_bps = weir_max_i64(cap_bps, WEIR_MBPS(8) / 128);
        now_ns += WEIR_MS(500);
        weir__breaker_on_rtcp(&breaker, now_ns, WEIR_MBPS(8));
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
    g_assert_cmpint(now_ns, >=, WEIR_SECONDS(46));
    g_assert_cmpint(now_ns, <=, WEIR_SECONDS(50));
}

static void test_media_that_does_not_arrive_stops(void)
{
    weir__breaker_init(&breaker);
    for (int i = 0; i < 10; i++) {
        second_with_loss(i, 0);
    }
    struct weir_report report = report_at(0);
    report.expected_packets = 0;
    for (int i = 1; i <= 5; i++) {
        g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
        report.now_ns = WEIR_SECONDS(10 + i);
        send(report.now_ns - WEIR_SECONDS(1), report.now_ns);
        weir__breaker_on_report(&breaker, &report, false, RATE_BPS);
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CEASED);
}

static void test_reports_without_progress_do_not_count_when_nothing_was_sent(void)
{
    weir__breaker_init(&breaker);
    second_with_loss(0, 0);
    struct weir_report report = report_at(0);
    report.interval_ns = WEIR_SECONDS(5);
    report.expected_packets = 0;
    report.sent_bytes = 0;
    for (int i = 1; i <= 50; i++) {
        report.now_ns = WEIR_SECONDS(10 + i);
        weir__breaker_on_report(&breaker, &report, false, RATE_BPS);
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
    for (int i = 1; i <= 50; i++) { /* what left, left before the interval of the report */
        report.now_ns = WEIR_SECONDS(70 + i);
        weir__breaker_on_sent(&breaker, report.now_ns, (uint32_t)i);
        weir__breaker_on_report(&breaker, &report, false, RATE_BPS);
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
}

/* 4.3: who sends less than a packet per interval of reports is below TCP's least. */
static void test_less_than_a_packet_per_report_never_triggers(void)
{
    for (int packets = 0; packets <= 20; packets += 20) {
        weir__breaker_init(&breaker);
        for (int second = 0; second < 600; second++) {
            weir__breaker_on_rtcp(&breaker, WEIR_SECONDS(second), WEIR_MBPS(8));
            struct weir_report report = report_at(WEIR_SECONDS(second));
            report.rtt_ns = WEIR_SECONDS(1);
            report.lost_packets = 900;
            report.sent_bytes = packets == 0 ? 100 : 20000;
            weir__breaker_on_report(&breaker, &report, true, RATE_BPS);
        }
        g_assert_true((breaker.state == WEIR__BREAKER_CLOSED) == (packets == 0));
    }
}

/* The end of a talk spurt is lost, and a long silence follows, in which the receiver goes on
 * telling what it has; the bytes it has not told remain the same. */
static void test_silence_after_a_lost_packet_does_not_stop_the_media(void)
{
    weir__breaker_init(&breaker);
    second_with_loss(0, 0);
    send(WEIR_SECONDS(1), WEIR_MS(1040));
    struct weir_report report = report_at(0);
    report.expected_packets = 0;
    report.sent_bytes = 400;
    for (int i = 1; i <= 60; i++) {
        report.now_ns = WEIR_SECONDS(1 + i);
        report.interval_ns = WEIR_SECONDS(i);
        weir__breaker_on_report(&breaker, &report, false, RATE_BPS);
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
}

/* Somebody repeats a receiver report a hundred times between two honest ones. */
static void test_a_replayed_report_does_not_stop_the_media(void)
{
    weir__breaker_init(&breaker);
    for (int second = 0; second < 20; second++) {
        second_with_loss(second, 0);
        for (int i = 1; i <= 100; i++) {
            struct weir_report report = report_at(WEIR_SECONDS(second + 1) + WEIR_MS(i));
            report.interval_ns = WEIR_MS(i);
            report.expected_packets = 0;
            weir__breaker_on_report(&breaker, &report, false, RATE_BPS);
        }
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
}

/* 8 Mbit/s at 100 ms: ten times TCP is 4.38 Mbit/s at 5 % loss, 13.9 Mbit/s at 0.5 %. */
static void test_congestion_reduces_first_and_stops_then(void)
{
    weir__breaker_init(&breaker);
    int second = 0;
    while (breaker.state == WEIR__BREAKER_CLOSED && second < 60) {
        second_with_loss(second++, 5);
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_REDUCED);
    g_assert_cmpint(second, >=, 3);
    g_assert_cmpint(weir__breaker_cap_bps(&breaker), ==, WEIR_KBPS(800));
    int reduced_at = second;
    while (breaker.state == WEIR__BREAKER_REDUCED && second < 60) {
        second_with_loss(second++, 5);
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CEASED);
    g_assert_cmpint(second - reduced_at, >=, 3);
}

static void test_a_rate_that_tcp_could_nearly_have_passes(void)
{
    weir__breaker_init(&breaker);
    for (int second = 0; second < 60; second++) {
        weir__breaker_on_rtcp(&breaker, WEIR_SECONDS(second), WEIR_MBPS(8));
        struct weir_report report = report_at(WEIR_SECONDS(second));
        report.lost_packets = 5;
        weir__breaker_on_report(&breaker, &report, true, RATE_BPS);
        g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
    }
}

/* A second with 40 % loss. */
static void burst(int64_t second, int64_t allowed_bps, int64_t sent_bytes)
{
    struct weir_report report = report_at(WEIR_SECONDS(second + 1));
    report.lost_packets = 400;
    report.sent_bytes = sent_bytes;
    weir__breaker_on_report(&breaker, &report, true, allowed_bps);
}

/* Twenty seconds at 8 Mbit/s, then a burst of losses: ten times TCP is 3.8 Mbit/s over the last six
 * seconds, and 1.5 Mbit/s in the last one alone. */
static void test_a_rate_that_came_down_by_itself_is_left_alone(void)
{
    static const struct {
        int64_t bursts, allowed_bps, sent_bytes;
        enum weir__breaker_state state;
    } cases[] = {
        {1, WEIR_MBPS(8), 1000000, WEIR__BREAKER_REDUCED}, /* nothing was done about it */
        {1, WEIR_MBPS(1), 1000000, WEIR__BREAKER_CLOSED},  /* it came down meanwhile */
        {2, WEIR_MBPS(1), 1000000, WEIR__BREAKER_REDUCED}, /* the source does not follow */
        {1, WEIR_MBPS(8), 300000, WEIR__BREAKER_REDUCED},  /* it may come back at any time */
        {1, WEIR_MBPS(8), 150000, WEIR__BREAKER_CLOSED},   /* little was sent */
        {1, WEIR_MBPS(1), 100000, WEIR__BREAKER_CLOSED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        weir__breaker_init(&breaker);
        for (int second = 0; second < 20; second++) {
            second_with_loss(second, 0);
        }
        for (int second = 0; second < cases[i].bursts; second++) {
            g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
            burst(20 + second, cases[i].allowed_bps, cases[i].sent_bytes);
        }
        g_assert_cmpint(breaker.state, ==, cases[i].state);
    }
}

/* Reports each 100 ms, a round trip of 1 s, half of the packets lost from 20 s on. Six seconds
 * later that is 30 % of the ten that are judged, and ten times TCP 0.18 Mbit/s: six halvings. */
static void test_it_waits_as_long_as_tcp_would_take(void)
{
    int64_t tripped_ns = WEIR_NEVER_NS;
    weir__breaker_init(&breaker);
    for (int64_t now_ns = 0; now_ns < WEIR_SECONDS(30); now_ns += WEIR_MS(100)) {
        struct weir_report report = report_at(now_ns + WEIR_MS(100));
        report.interval_ns = WEIR_MS(100);
        report.rtt_ns = WEIR_SECONDS(1);
        report.expected_packets = 100;
        report.sent_bytes = 100000;
        report.lost_packets = now_ns < WEIR_SECONDS(20) ? 0 : 50;
        weir__breaker_on_report(&breaker, &report, true, RATE_BPS);
        if (breaker.state != WEIR__BREAKER_CLOSED) {
            tripped_ns = weir_min_i64(tripped_ns, now_ns);
        }
    }
    g_assert_cmpint(tripped_ns, >=, WEIR_SECONDS(25));
    g_assert_cmpint(tripped_ns, <=, WEIR_SECONDS(27));
}

/* Two seconds are too few to judge, and the third has no loss: the losses are over. */
static void test_losses_that_are_over_do_not_trip(void)
{
    weir__breaker_init(&breaker);
    for (int second = 0; second < 30; second++) {
        second_with_loss(second, second < 2 ? 90 : 0);
        g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
    }
}

/* Whatever congestion control has come down to by itself, the breaker does not cut it again. */
static void test_a_cut_is_a_tenth_of_what_was_sent(void)
{
    weir__breaker_init(&breaker);
    for (int second = 0; second < 20; second++) {
        second_with_loss(second, 0);
    }
    burst(20, WEIR_MBPS(5), 500000); /* six seconds with a mean of 7.33 Mbit/s */
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_REDUCED);
    g_assert_cmpint(weir__breaker_cap_bps(&breaker), ==, 733333);
}

static void test_a_cut_that_helps_is_released(void)
{
    weir__breaker_init(&breaker);
    int second = 0;
    while (breaker.state == WEIR__BREAKER_CLOSED) {
        second_with_loss(second++, 5);
    }
    while (breaker.state == WEIR__BREAKER_REDUCED && second < 60) {
        second_with_loss(second++, 0);
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
}

/* Reports stop after the cut, other RTCP goes on: the cut ends all the same. */
static void test_a_cut_that_nobody_judges_ends(void)
{
    weir__breaker_init(&breaker);
    int second = 0;
    while (breaker.state == WEIR__BREAKER_CLOSED) {
        second_with_loss(second++, 5);
    }
    for (int i = 0; i < 60; i++) {
        weir__breaker_on_rtcp(&breaker, WEIR_SECONDS(second + i), WEIR_MBPS(8));
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
}

static void test_no_loss_and_no_rtt_never_trigger(void)
{
    weir__breaker_init(&breaker);
    for (int second = 0; second < 60; second++) {
        weir__breaker_on_rtcp(&breaker, WEIR_SECONDS(second), WEIR_MBPS(8));
        struct weir_report report = report_at(WEIR_SECONDS(second));
        report.rtt_ns = WEIR_UNKNOWN_NS;
        report.lost_packets = 900;
        weir__breaker_on_report(&breaker, &report, true, RATE_BPS);
    }
    g_assert_cmpint(breaker.state, ==, WEIR__BREAKER_CLOSED);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/breaker/known_answers", test_known_answers);
    g_test_add_func("/breaker/the_tcp_rate_is_the_simple_equation",
                    test_the_tcp_rate_is_the_simple_equation);
    g_test_add_func("/breaker/silence_of_a_known_peer_stops_after_15_s",
                    test_silence_of_a_known_peer_stops_after_15_s);
    g_test_add_func("/breaker/silence_while_nothing_is_sent_is_no_timeout",
                    test_silence_while_nothing_is_sent_is_no_timeout);
    g_test_add_func("/breaker/a_peer_never_heard_reduces_to_the_minimum",
                    test_a_peer_never_heard_reduces_to_the_minimum);
    g_test_add_func("/breaker/feedback_that_returns_always_restarts",
                    test_feedback_that_returns_always_restarts);
    g_test_add_func("/breaker/the_rate_comes_back_by_doubling",
                    test_the_rate_comes_back_by_doubling);
    g_test_add_func("/breaker/media_that_does_not_arrive_stops",
                    test_media_that_does_not_arrive_stops);
    g_test_add_func("/breaker/reports_without_progress_do_not_count_when_nothing_was_sent",
                    test_reports_without_progress_do_not_count_when_nothing_was_sent);
    g_test_add_func("/breaker/less_than_a_packet_per_report_never_triggers",
                    test_less_than_a_packet_per_report_never_triggers);
    g_test_add_func("/breaker/silence_after_a_lost_packet_does_not_stop_the_media",
                    test_silence_after_a_lost_packet_does_not_stop_the_media);
    g_test_add_func("/breaker/a_replayed_report_does_not_stop_the_media",
                    test_a_replayed_report_does_not_stop_the_media);
    g_test_add_func("/breaker/congestion_reduces_first_and_stops_then",
                    test_congestion_reduces_first_and_stops_then);
    g_test_add_func("/breaker/a_rate_that_tcp_could_nearly_have_passes",
                    test_a_rate_that_tcp_could_nearly_have_passes);
    g_test_add_func("/breaker/a_rate_that_came_down_by_itself_is_left_alone",
                    test_a_rate_that_came_down_by_itself_is_left_alone);
    g_test_add_func("/breaker/it_waits_as_long_as_tcp_would_take",
                    test_it_waits_as_long_as_tcp_would_take);
    g_test_add_func("/breaker/losses_that_are_over_do_not_trip",
                    test_losses_that_are_over_do_not_trip);
    g_test_add_func("/breaker/a_cut_is_a_tenth_of_what_was_sent",
                    test_a_cut_is_a_tenth_of_what_was_sent);
    g_test_add_func("/breaker/a_cut_that_helps_is_released", test_a_cut_that_helps_is_released);
    g_test_add_func("/breaker/a_cut_that_nobody_judges_ends", test_a_cut_that_nobody_judges_ends);
    g_test_add_func("/breaker/no_loss_and_no_rtt_never_trigger",
                    test_no_loss_and_no_rtt_never_trigger);
    return g_test_run();
}
