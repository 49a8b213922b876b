/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "weir/sender.h"

#include <inttypes.h>
#include <stdlib.h>

#include "allocations.h"
#include "sender_rig.h"

static void test_the_defaults_make_a_session(void)
{
    struct weir_sender_config config;
    struct weir_output output;
    enum weir_status status = WEIR_ERROR_ARGUMENT;
    weir_sender_config_init(&config);
    struct weir_sender *sender = weir_sender_create(&config, 0, &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    g_assert_cmpstr(weir_sender_get_algorithm(sender), ==, "sluice");
    weir_sender_get_output(sender, &output);
    g_assert_cmpint(output.target_media_bps, >=, WEIR_KBPS(30));
    g_assert_cmpint(output.target_media_bps, <=, WEIR_KBPS(301));
    g_assert_cmpint(output.rtt_ns, ==, WEIR_UNKNOWN_NS);
    weir_sender_destroy(sender);
    weir_sender_destroy(NULL);
}

static void test_a_bad_configuration_is_refused(void)
{
    enum { N = 16 };
    struct weir_sender_config configs[N];
    for (int i = 0; i < N; i++) {
        configs[i] = rig_config();
    }
    configs[0].size--;
    configs[1].algorithm = NULL;
    configs[2].limits.min_bps = 0;
    configs[3].limits.min_bps = configs[3].limits.start_bps + 1;
    configs[4].limits.max_bps = configs[4].limits.start_bps - 1;
    configs[5].limits.max_bps = INT64_MAX;
    configs[6].packet_bytes = 0;
    configs[7].packet_bytes = 70000;
    configs[8].overhead_bytes = 5000;
    configs[9].n_params = 1;
    configs[10].feedback_formats = WEIR_FEEDBACK_ALL + 1;
    configs[11].limits.min_bps = -5;
    configs[12].pacing_quantum_ns = -1;
    configs[13].pacing_quantum_ns = WEIR_PACING_QUANTUM_MAX_NS + 1;
    configs[14].reorder_packets = 0;
    configs[15].reorder_packets = WEIR_REORDER_PACKETS_MAX + 1;
    for (int i = 0; i < N; i++) {
        enum weir_status status = WEIR_OK;
        g_assert_null(weir_sender_create(&configs[i], 0, &status));
        g_assert_cmpint(status, ==, WEIR_ERROR_ARGUMENT);
        g_assert_null(weir_sender_create(&configs[i], 0, NULL));
    }
    g_assert_null(weir_sender_create(NULL, 0, NULL));
}

static void test_a_wrong_algorithm_or_parameter_is_named(void)
{
    struct weir_sender_config config = rig_config();
    struct weir_param_value wrong = {.name = "no-such-parameter", .value = 1};
    enum weir_status status = WEIR_OK;
    config.algorithm = "no-such-algorithm";
    g_assert_null(weir_sender_create(&config, 0, &status));
    g_assert_cmpint(status, ==, WEIR_ERROR_UNKNOWN_ALGORITHM);
    config.algorithm = "fixed";
    config.params = &wrong;
    config.n_params = 1;
    g_assert_null(weir_sender_create(&config, 0, &status));
    g_assert_cmpint(status, ==, WEIR_ERROR_UNKNOWN_PARAM);
    wrong = (struct weir_param_value){.name = "rate-bps", .value = -1};
    g_assert_null(weir_sender_create(&config, 0, &status));
    g_assert_cmpint(status, ==, WEIR_ERROR_RANGE);
}

static void test_a_session_fits_in_216_kib(void)
{
    g_assert_cmpuint(sizeof(struct weir_sender), <=, 216 * 1024);
}

/* Sending, feedback of all formats, timers, reports: for ten seconds without one allocation. */
static void test_nothing_is_allocated_after_create(void)
{
    struct rig rig = rig_start();
    static uint8_t twcc[4096], ccfb[4096];
    uint8_t report[1500];
    size_t len;
    int64_t before = n_allocations;
    rig.has_transport = true;
    for (int round = 0; round < 1000; round++) {
        uint16_t rtp = rig.rtp_seq, transport = rig.transport_seq;
        rig_send(&rig, 10, WEIR_MS(1));
        rig.now_ns += WEIR_MS(20);
        size_t n =
            rig_build_ccfb(&rig, RIG_PEER, RIG_SSRC, rtp, "rrr.rrrr.r", 0, ccfb, sizeof(ccfb));
        weir_sender_on_rtcp(rig.sender, rig.now_ns, 0, ccfb, n);
        n = rig_build_twcc(&rig, transport, "rrr.rrrrrr", rig.now_ns, twcc, sizeof(twcc));
        weir_sender_on_rtcp(rig.sender, rig.now_ns, 0, twcc, n);
        weir_sender_build_report(rig.sender, rig.now_ns, 0, 1, report, sizeof(report), &len);
        weir_sender_on_timer(rig.sender, rig.now_ns);
    }
    g_assert_cmpint(n_allocations, ==, before);
    rig_finish(&rig);
}

/* 20 packets of 1200 B at 2 Mbit/s: one every 4.8 ms, over 96 ms. */
static void test_a_frame_is_spread_at_the_pacing_rate(void)
{
    struct rig rig = rig_start();
    probe.control.rate_bps = WEIR_MBPS(2);
    rig.sender->initial_bps = WEIR_MBPS(2);
    int64_t start_ns = rig.now_ns;
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, 20 * 1200);
    for (int i = 0; i < 20; i++) {
        int64_t due_ns = weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200);
        rig.now_ns = weir_max_i64(rig.now_ns, due_ns);
        g_assert_cmpint(rig.now_ns, ==, start_ns + i * WEIR_US(4800));
        rig.queued_bytes = (19 - i) * 1200;
        rig_send(&rig, 1, 0);
    }
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200), ==,
                    start_ns + WEIR_MS(96));
    rig_finish(&rig);
}

/* 20 packets of 1200 B at 2 Mbit/s, two of which are within 5 ms: a pair every 9.6 ms. */
static void test_a_frame_leaves_in_bursts_of_the_quantum(void)
{
    struct rig rig = rig_start();
    probe.control.rate_bps = WEIR_MBPS(2);
    rig.sender->initial_bps = WEIR_MBPS(2);
    int64_t start_ns = rig.now_ns;
    g_assert_cmpint(weir_sender_set_pacing_quantum(rig.sender, rig.now_ns, WEIR_MS(5)), ==,
                    WEIR_OK);
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, 20 * 1200);
    for (int i = 0; i < 20; i++) {
        int64_t due_ns = weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200);
        rig.now_ns = weir_max_i64(rig.now_ns, due_ns);
        g_assert_cmpint(rig.now_ns, ==, start_ns + i / 2 * WEIR_US(9600));
        rig.queued_bytes = (19 - i) * 1200;
        rig_send(&rig, 1, 0);
    }
    rig_finish(&rig);
}

static void test_a_quantum_out_of_range_changes_nothing(void)
{
    struct rig rig = rig_start();
    static struct weir_sender before;
    g_assert_cmpint(
        weir_sender_set_pacing_quantum(rig.sender, rig.now_ns, WEIR_PACING_QUANTUM_MAX_NS), ==,
        WEIR_OK);
    before = *rig.sender;
    int64_t wrong_ns[] = {-1, INT64_MIN, WEIR_PACING_QUANTUM_MAX_NS + 1, INT64_MAX};
    for (size_t i = 0; i < sizeof(wrong_ns) / sizeof(wrong_ns[0]); i++) {
        g_assert_cmpint(weir_sender_set_pacing_quantum(rig.sender, rig.now_ns, wrong_ns[i]), ==,
                        WEIR_ERROR_RANGE);
        g_assert_true(memcmp(&before, rig.sender, sizeof(before)) == 0);
    }
    rig_finish(&rig);
}

/* Voice has a pacer of its own, and what it sends early would be no advance of the video. */
static void test_the_quantum_is_not_for_audio(void)
{
    struct rig rig = rig_start();
    weir_sender_set_pacing_quantum(rig.sender, rig.now_ns, WEIR_MS(5));
    rig.flags = WEIR_SENT_AUDIO;
    rig.rtp_bytes = 172;
    rig_send_ssrc(&rig, 5, 0);
    int64_t due_ns = weir_sender_next_audio_ns(rig.sender, rig.now_ns, 172);
    g_assert_cmpint(due_ns, ==, rig.now_ns + WEIR_US(1376)); /* 172 bytes at 1 Mbit/s */
    rig_finish(&rig);
}

/* A key frame of 100 packets waits; voice every 20 ms leaves at once, and video pays for it. */
static void test_audio_leaves_while_video_waits(void)
{
    struct rig rig = rig_start();
    int64_t start_ns = rig.now_ns, video_bytes = 0;
    rig_send(&rig, 1, 0);
    rig.queued_bytes = 120000;
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, rig.queued_bytes);
    for (int i = 0; i < 40; i++) {
        rig.flags = WEIR_SENT_AUDIO;
        rig.rtp_bytes = 172;
        rig.now_ns = start_ns + WEIR_MS(20 * i);
        g_assert_cmpint(weir_sender_next_audio_ns(rig.sender, rig.now_ns, 172), <=, rig.now_ns);
        rig_send_ssrc(&rig, 5, (uint16_t)i);
        rig.flags = 0;
        rig.rtp_bytes = 1200;
        for (;;) {
            int64_t due_ns = weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200);
            if (due_ns >= start_ns + WEIR_MS(20 * (i + 1))) {
                break;
            }
            rig.now_ns = weir_max_i64(rig.now_ns, due_ns);
            rig.queued_bytes -= 1200;
            rig_send(&rig, 1, 0);
            video_bytes += 1200;
        }
    }
    /* 800 ms at 1 Mbit/s, together with the first packet */
    assert_near(1200 + video_bytes + 40 * 172, 100000, 1200);
    rig_finish(&rig);
}

/* Video has filled the window: audio passes until it would fill it by itself. */
static void test_a_window_filled_by_video_does_not_hold_audio(void)
{
    struct rig rig = rig_start();
    probe.control.window_bytes = 4800;
    rig_send(&rig, 4, WEIR_MS(10));
    rig.flags = WEIR_SENT_AUDIO;
    rig.rtp_bytes = 200;
    for (int i = 0; i < 24; i++) {
        g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 200), ==, WEIR_NEVER_NS);
        g_assert_cmpint(weir_sender_next_audio_ns(rig.sender, rig.now_ns, 200), <=, rig.now_ns);
        rig_send_ssrc(&rig, 5, (uint16_t)i);
        rig.now_ns += WEIR_MS(20);
    }
    g_assert_cmpint(rig_stats(&rig).in_flight_bytes, ==, 2 * 4800);
    g_assert_cmpint(weir_sender_next_audio_ns(rig.sender, rig.now_ns, 200), ==, WEIR_NEVER_NS);
    rig_ccfb(&rig, 65500, "rrrr"); /* the window is still full of audio */
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200), ==, WEIR_NEVER_NS);
    rig_finish(&rig);
}

static void test_audio_may_not_leave_when_nothing_may(void)
{
    struct rig rig = rig_start();
    rig.sender->output.state |= WEIR_STATE_BREAKER_CEASED;
    g_assert_cmpint(weir_sender_next_audio_ns(rig.sender, rig.now_ns, 100), ==, WEIR_NEVER_NS);
    rig.sender->output.state = 0;
    weir_sender_set_pacing(rig.sender, rig.now_ns, false);
    rig.flags = WEIR_SENT_AUDIO;
    rig_send(&rig, 100, 0);
    g_assert_cmpint(weir_sender_next_audio_ns(rig.sender, rig.now_ns, 100), <=, rig.now_ns);
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 100), <=, rig.now_ns);
    rig_finish(&rig);
}

static void test_asking_for_the_next_time_changes_nothing(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 3, 0);
    static struct weir_sender before;
    before = *rig.sender;
    for (int i = 0; i < 100; i++) {
        weir_sender_next_send_ns(rig.sender, rig.now_ns + i, (uint32_t)i * 100);
        weir_sender_next_audio_ns(rig.sender, rig.now_ns + i, (uint32_t)i * 100);
        weir_sender_next_timer_ns(rig.sender);
        weir_sender_next_report_ns(rig.sender);
    }
    g_assert_true(memcmp(&before, rig.sender, sizeof(before)) == 0);
    rig_finish(&rig);
}

static void test_without_pacing_only_the_window_blocks(void)
{
    struct weir_sender_config config = rig_config();
    config.pacing = false;
    struct rig rig = rig_new(&config);
    probe.control.window_bytes = 5000;
    for (int i = 0; i < 4; i++) {
        g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200), <=, rig.now_ns);
        rig_send(&rig, 1, 0);
    }
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200), ==, WEIR_NEVER_NS);
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 200), <=, rig.now_ns);
    weir_sender_set_pacing(rig.sender, rig.now_ns, true);
    rig.now_ns += WEIR_MS(50);
    rig_ccfb(&rig, 65500, "rrrr");
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200), <=, rig.now_ns);
    rig_finish(&rig);
}

static void test_a_window_smaller_than_a_packet_does_not_stop_the_flow(void)
{
    struct rig rig = rig_start();
    probe.control.window_bytes = 10;
    for (int i = 0; i < 10; i++) {
        g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200), <=, rig.now_ns);
        rig_send(&rig, 1, WEIR_MS(20));
        g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200), ==, WEIR_NEVER_NS);
        rig_ccfb(&rig, (uint16_t)(65500 + i), "r");
    }
    rig_finish(&rig);
}

/* A full window and no feedback at all: the packets in flight leave it by age. */
static void test_lost_feedback_cannot_block_the_window_for_ever(void)
{
    struct rig rig = rig_start();
    probe.control.window_bytes = 2400;
    rig_send(&rig, 2, WEIR_MS(20));
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200), ==, WEIR_NEVER_NS);
    int64_t due_ns = weir_sender_next_timer_ns(rig.sender);
    g_assert_cmpint(due_ns, <=, rig.now_ns + WEIR_MS(1100));
    rig.now_ns = due_ns;
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(rig_stats(&rig).in_flight_bytes, ==, 0);
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 1200), <=, rig.now_ns);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    rig_finish(&rig);
}

/* A thousand packets a second and no feedback: a timer per 100 ms, not per packet. */
static void test_silence_costs_few_timers(void)
{
    struct rig rig = rig_start();
    int n_timers = 0;
    for (int i = 0; i < 5000; i++) {
        rig_send(&rig, 1, WEIR_MS(1));
        if (weir_sender_next_timer_ns(rig.sender) <= rig.now_ns) {
            weir_sender_on_timer(rig.sender, rig.now_ns);
            n_timers++;
        }
    }
    g_assert_cmpint(n_timers, <=, 60);
    rig_finish(&rig);
}

static void test_the_controller_is_told_of_every_packet(void)
{
    struct weir_sender_config config = rig_config();
    config.overhead_bytes = 28;
    struct rig rig = rig_new(&config);
    for (int i = 0; i < 100; i++) {
        rig_send(&rig, 1, WEIR_MS(1));
        g_assert_cmpint(probe.n_sent, ==, i + 1);
        g_assert_cmpint(probe.sent.seq, ==, i);
        g_assert_cmpint(probe.sent.wire_bytes, ==, 1228);
        g_assert_cmpint(probe.sent.in_flight_bytes, ==, 1228 * (i + 1));
        g_assert_cmpint(probe.sent.sent_ns, ==, WEIR_SECONDS(100) + WEIR_MS(i));
    }
    struct weir_sender_stats stats = rig_stats(&rig);
    g_assert_cmpuint(stats.packets_sent, ==, 100);
    g_assert_cmpuint(stats.bytes_sent_wire, ==, 122800);
    g_assert_cmpuint(stats.bytes_sent_media, ==, 118800);
    rig_finish(&rig);
}

static void test_bad_packets_are_refused(void)
{
    struct rig rig = rig_start();
    struct weir_sent sent = {.rtp_bytes = 0};
    g_assert_cmpint(weir_sender_on_sent(rig.sender, rig.now_ns, NULL), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_sender_on_sent(rig.sender, rig.now_ns, &sent), ==, WEIR_ERROR_ARGUMENT);
    sent.rtp_bytes = 2000000;
    g_assert_cmpint(weir_sender_on_sent(rig.sender, rig.now_ns, &sent), ==, WEIR_ERROR_ARGUMENT);
    sent = (struct weir_sent){.rtp_bytes = 100, .payload_bytes = 5000, .queued_bytes = -7};
    g_assert_cmpint(weir_sender_on_sent(rig.sender, rig.now_ns, &sent), ==, WEIR_OK);
    g_assert_cmpuint(rig_stats(&rig).bytes_sent_media, ==, 100);
    rig_finish(&rig);
}

static void test_a_clock_that_steps_back_stands_still(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 5, WEIR_MS(10));
    int64_t newest_ns = rig.now_ns - WEIR_MS(10);
    rig.now_ns = WEIR_SECONDS(50);
    rig_send(&rig, 1, 0);
    g_assert_cmpint(probe.sent.sent_ns, ==, newest_ns);
    g_assert_cmpuint(rig_stats(&rig).clock_steps_back, ==, 1);
    weir_sender_on_timer(rig.sender, INT64_MIN);
    g_assert_cmpuint(rig_stats(&rig).clock_steps_back, ==, 2);
    rig_finish(&rig);
}

static void test_a_missed_timer_of_more_than_10_s_is_a_new_path(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 5, WEIR_MS(10));
    rig.now_ns += WEIR_SECONDS(60);
    rig_send(&rig, 1, 0);
    g_assert_cmpuint(rig_stats(&rig).clock_jumps, ==, 1);
    g_assert_cmpint(probe.n_path_changes, ==, 1);
    g_assert_cmpint(rig_stats(&rig).in_flight_bytes, ==, 1200);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_BREAKER_CEASED, ==, 0);
    rig_finish(&rig);
}

static void test_an_idle_time_without_timers_is_no_jump(void)
{
    struct weir_sender_config config = rig_config();
    config.circuit_breaker = false;
    struct rig rig = rig_new(&config);
    rig_send(&rig, 1, WEIR_MS(50));
    rig_ccfb(&rig, 65500, "r");
    g_assert_cmpint(weir_sender_next_timer_ns(rig.sender), ==, WEIR_NEVER_NS);
    rig.now_ns += WEIR_SECONDS(3600);
    rig_send(&rig, 1, 0);
    g_assert_cmpuint(rig_stats(&rig).clock_jumps, ==, 0);
    rig_finish(&rig);
}

static void test_the_controllers_timer_runs_when_due(void)
{
    struct rig rig = rig_start();
    probe.next_timer_ns = rig.now_ns + WEIR_MS(30);
    g_assert_cmpint(weir_sender_next_timer_ns(rig.sender), ==, rig.now_ns + WEIR_MS(30));
    weir_sender_on_timer(rig.sender, rig.now_ns + WEIR_MS(29));
    g_assert_cmpint(probe.n_timers, ==, 0);
    weir_sender_on_timer(rig.sender, rig.now_ns + WEIR_MS(30));
    g_assert_cmpint(probe.n_timers, ==, 1);
    rig_finish(&rig);
}

static void insist(void *state, int64_t now_ns)
{
    (void)state;
    (void)now_ns;
    probe.n_timers++;
}

static void test_a_controller_that_never_waits_does_not_hold_the_call(void)
{
    struct rig rig = rig_start();
    struct weir_controller insistent = rig_controller;
    insistent.on_timer = insist;
    rig.sender->driver.controller = &insistent;
    probe.next_timer_ns = rig.now_ns;
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(probe.n_timers, ==, 8);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(probe.n_timers, ==, 16);
    rig_finish(&rig);
}

static void test_another_algorithm_inherits_rate_and_rtt(void)
{
    struct weir_sender_config config = rig_config();
    enum weir_status status;
    struct weir_sender *sender = weir_sender_create(&config, 0, &status);
    struct rig rig = {.sender = sender, .rtp_seq = 65500, .rtp_bytes = 1200};
    rig_send(&rig, 5, WEIR_MS(20));
    rig_ccfb(&rig, 65500, "rrrrr");
    struct weir_output before = rig_output(&rig);
    g_assert_cmpint(before.rtt_ns, >, 0);
    g_assert_cmpint(weir_sender_set_algorithm(sender, rig.now_ns, "tfrc", NULL, 0), ==, WEIR_OK);
    struct weir_output after = rig_output(&rig);
    g_assert_cmpstr(weir_sender_get_algorithm(sender), ==, "tfrc");
    g_assert_cmpint(after.rtt_ns, ==, before.rtt_ns);
    assert_near(after.allowed_wire_bps, before.allowed_wire_bps,
                (double)before.allowed_wire_bps * 0.05);
    g_assert_cmpuint(rig_stats(&rig).packets_sent, ==, 5);
    weir_sender_destroy(sender);
}

static void test_a_failed_change_of_algorithm_changes_nothing(void)
{
    static struct weir_sender before;
    struct rig rig = rig_start();
    struct weir_param_value wrong = {.name = "no-such-parameter", .value = 1};
    rig_send(&rig, 5, WEIR_MS(10));
    before = *rig.sender;
    g_assert_cmpint(weir_sender_set_algorithm(rig.sender, rig.now_ns, "none", NULL, 0), ==,
                    WEIR_ERROR_UNKNOWN_ALGORITHM);
    g_assert_cmpint(weir_sender_set_algorithm(rig.sender, rig.now_ns, NULL, NULL, 0), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_sender_set_algorithm(rig.sender, rig.now_ns, "tfrc", NULL, 1), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_sender_set_algorithm(rig.sender, rig.now_ns, "tfrc", &wrong, 1), ==,
                    WEIR_ERROR_UNKNOWN_PARAM);
    g_assert_cmpint(weir_sender_set_params(rig.sender, rig.now_ns, NULL, 1), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_true(memcmp(&before, rig.sender, sizeof(before)) == 0);
    rig_finish(&rig);
}

static void test_parameters_change_at_run_time(void)
{
    struct weir_sender_config config = rig_config();
    struct weir_sender *sender = weir_sender_create(&config, 0, NULL);
    struct weir_param_value rate = {.name = "rate-bps", .value = 700000};
    struct weir_output output;
    g_assert_cmpint(weir_sender_set_params(sender, 0, &rate, 1), ==, WEIR_OK);
    weir_sender_get_output(sender, &output);
    g_assert_cmpint(output.allowed_wire_bps, ==, 700000);
    weir_sender_destroy(sender);
}

static void test_limits_hold_at_once(void)
{
    struct rig rig = rig_start();
    struct weir_limits limits = {.min_bps = 200000, .max_bps = 400000, .start_bps = 300000};
    rig_send(&rig, 1, 0);
    g_assert_cmpint(rig_set_limits(&rig, &limits), ==, WEIR_OK);
    g_assert_cmpint(rig_output(&rig).target_media_bps, ==, 400000);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_AT_MAX, !=, 0);
    probe.control.rate_bps = 1;
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(rig_output(&rig).target_media_bps, ==, 200000);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_AT_MIN, !=, 0);
    limits.start_bps = 1;
    g_assert_cmpint(rig_set_limits(&rig, &limits), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_sender_set_member(rig.sender, rig.now_ns, 0, NULL), ==,
                    WEIR_ERROR_ARGUMENT);
    rig_finish(&rig);
}

static void test_overhead_changes_what_media_gets(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 1, 0);
    int64_t before_bps = rig_output(&rig).target_media_bps;
    struct weir_member member;
    weir_sender_get_member(rig.sender, 0, &member);
    member.overhead_bytes = 300;
    g_assert_cmpint(weir_sender_set_member(rig.sender, rig.now_ns, 0, &member), ==, WEIR_OK);
    int64_t after_bps = rig_output(&rig).target_media_bps;
    assert_near(after_bps, (double)before_bps * 1200 / 1500, 1000);
    member.overhead_bytes = 1025;
    g_assert_cmpint(weir_sender_set_member(rig.sender, rig.now_ns, 0, &member), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpuint(rig.sender->sizes.overhead_bytes, ==, 300);
    rig_finish(&rig);
}

static void test_a_clock_rate_is_checked(void)
{
    struct rig rig = rig_start();
    g_assert_cmpint(weir_sender_set_clock_rate(rig.sender, 0, RIG_SSRC, 0), ==, WEIR_ERROR_RANGE);
    g_assert_cmpint(weir_sender_set_clock_rate(rig.sender, 0, RIG_SSRC, 48000), ==, WEIR_OK);
    rig_finish(&rig);
}

/* Every algorithm of the registry, two minutes without any feedback. */
static void test_the_rate_never_rises_during_a_feedback_blackout(void)
{
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        struct weir_sender_config config = rig_config();
        config.algorithm = weir_algorithm_name(i);
        struct weir_sender *sender = weir_sender_create(&config, WEIR_SECONDS(100), NULL);
        struct rig rig = {
            .sender = sender, .now_ns = WEIR_SECONDS(100), .rtp_seq = 65500, .rtp_bytes = 1200};
        for (int round = 0; round < 100; round++) {
            uint16_t begin = rig.rtp_seq;
            rig_send(&rig, 5, WEIR_MS(10));
            rig_ccfb(&rig, begin, "rrrrr");
        }
        /* The last feedback may still have its effect for a moment. */
        int64_t quiet_ns = rig.now_ns + WEIR_SECONDS(1), lowest_bps = INT64_MAX / 2;
        int64_t end_ns = rig.now_ns + WEIR_SECONDS(120);
        while (rig.now_ns < end_ns) {
            int64_t send_ns = weir_sender_next_send_ns(sender, rig.now_ns, 1200);
            int64_t timer_ns = weir_sender_next_timer_ns(sender);
            rig.now_ns =
                weir_max_i64(rig.now_ns + WEIR_US(10), weir_min_i64(weir_min_i64(send_ns, timer_ns),
                                                                    rig.now_ns + WEIR_MS(500)));
            if (timer_ns <= rig.now_ns) {
                weir_sender_on_timer(sender, rig.now_ns);
            }
            if (send_ns <= rig.now_ns) {
                rig_send(&rig, 1, 0);
            }
            int64_t allowed_bps = rig_output(&rig).allowed_wire_bps;
            if (rig.now_ns >= quiet_ns) {
                if (allowed_bps > lowest_bps + lowest_bps / 50) {
                    g_error("%s: from %" PRId64 " to %" PRId64 " bit/s", config.algorithm,
                            lowest_bps, allowed_bps);
                }
                lowest_bps = weir_min_i64(lowest_bps, allowed_bps);
            }
        }
        weir_sender_destroy(sender);
    }
}

static void test_variables_come_from_the_algorithm(void)
{
    struct rig rig = rig_start();
    struct weir_variable variable;
    g_assert_cmpuint(weir_sender_get_variables(rig.sender, &variable, 1), ==, 1);
    g_assert_cmpfloat(variable.value, ==, 42);
    g_assert_cmpuint(weir_sender_get_variables(rig.sender, NULL, 1), ==, 0);
    rig_finish(&rig);
}

static void test_wrong_arguments_change_nothing(void)
{
    struct rig rig = rig_start();
    struct weir_member config;
    uint32_t member;
    int64_t before_bps = rig_output(&rig).target_media_bps;
    g_assert_cmpint(weir_sender_set_params(rig.sender, 0, NULL, 1), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_sender_set_params(rig.sender, 0, NULL, 0), ==, WEIR_OK);
    g_assert_cmpint(weir_sender_get_member(rig.sender, 0, &config), ==, WEIR_OK);
    g_assert_cmpint(weir_sender_add_member(rig.sender, 0, &config, NULL), ==, WEIR_ERROR_ARGUMENT);
    config.weight = 0;
    g_assert_cmpint(weir_sender_add_member(rig.sender, 0, &config, &member), ==, WEIR_ERROR_RANGE);
    config.overhead_bytes = UINT32_MAX;
    g_assert_cmpint(weir_sender_add_member(rig.sender, 0, &config, &member), <, WEIR_OK);
    g_assert_cmpint(weir_sender_remove_member(rig.sender, 0, 9), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_sender_get_member(rig.sender, 9, &config), ==, WEIR_ERROR_ARGUMENT);
    weir_sender_on_media(rig.sender, 0, 9, 100, 100);
    g_assert_cmpuint(weir_sender_take_transport_seq(rig.sender, 9), ==, 0);
    weir_sender_on_transport_seq(rig.sender, RIG_SSRC, 1, 1);
    g_assert_cmpint(rig_output(&rig).target_media_bps, ==, before_bps);
    weir_sender_set_feedback_formats(rig.sender, rig.now_ns, WEIR_FEEDBACK_CCFB);
    weir_sender_set_feedback_formats(rig.sender, rig.now_ns, WEIR_FEEDBACK_ALL);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender/the_defaults_make_a_session", test_the_defaults_make_a_session);
    g_test_add_func("/sender/a_bad_configuration_is_refused", test_a_bad_configuration_is_refused);
    g_test_add_func("/sender/a_wrong_algorithm_or_parameter_is_named",
                    test_a_wrong_algorithm_or_parameter_is_named);
    g_test_add_func("/sender/a_session_fits_in_216_kib", test_a_session_fits_in_216_kib);
    g_test_add_func("/sender/nothing_is_allocated_after_create",
                    test_nothing_is_allocated_after_create);
    g_test_add_func("/sender/a_frame_is_spread_at_the_pacing_rate",
                    test_a_frame_is_spread_at_the_pacing_rate);
    g_test_add_func("/sender/asking_for_the_next_time_changes_nothing",
                    test_asking_for_the_next_time_changes_nothing);
    g_test_add_func("/sender/a_frame_leaves_in_bursts_of_the_quantum",
                    test_a_frame_leaves_in_bursts_of_the_quantum);
    g_test_add_func("/sender/a_quantum_out_of_range_changes_nothing",
                    test_a_quantum_out_of_range_changes_nothing);
    g_test_add_func("/sender/the_quantum_is_not_for_audio", test_the_quantum_is_not_for_audio);
    g_test_add_func("/sender/without_pacing_only_the_window_blocks",
                    test_without_pacing_only_the_window_blocks);
    g_test_add_func("/sender/a_window_smaller_than_a_packet_does_not_stop_the_flow",
                    test_a_window_smaller_than_a_packet_does_not_stop_the_flow);
    g_test_add_func("/sender/lost_feedback_cannot_block_the_window_for_ever",
                    test_lost_feedback_cannot_block_the_window_for_ever);
    g_test_add_func("/sender/silence_costs_few_timers", test_silence_costs_few_timers);
    g_test_add_func("/sender/the_controller_is_told_of_every_packet",
                    test_the_controller_is_told_of_every_packet);
    g_test_add_func("/sender/bad_packets_are_refused", test_bad_packets_are_refused);
    g_test_add_func("/sender/a_clock_that_steps_back_stands_still",
                    test_a_clock_that_steps_back_stands_still);
    g_test_add_func("/sender/a_missed_timer_of_more_than_10_s_is_a_new_path",
                    test_a_missed_timer_of_more_than_10_s_is_a_new_path);
    g_test_add_func("/sender/an_idle_time_without_timers_is_no_jump",
                    test_an_idle_time_without_timers_is_no_jump);
    g_test_add_func("/sender/a_controller_that_never_waits_does_not_hold_the_call",
                    test_a_controller_that_never_waits_does_not_hold_the_call);
    g_test_add_func("/sender/the_controllers_timer_runs_when_due",
                    test_the_controllers_timer_runs_when_due);
    g_test_add_func("/sender/another_algorithm_inherits_rate_and_rtt",
                    test_another_algorithm_inherits_rate_and_rtt);
    g_test_add_func("/sender/a_failed_change_of_algorithm_changes_nothing",
                    test_a_failed_change_of_algorithm_changes_nothing);
    g_test_add_func("/sender/parameters_change_at_run_time", test_parameters_change_at_run_time);
    g_test_add_func("/sender/limits_hold_at_once", test_limits_hold_at_once);
    g_test_add_func("/sender/overhead_changes_what_media_gets",
                    test_overhead_changes_what_media_gets);
    g_test_add_func("/sender/a_clock_rate_is_checked", test_a_clock_rate_is_checked);
    g_test_add_func("/sender/the_rate_never_rises_during_a_feedback_blackout",
                    test_the_rate_never_rises_during_a_feedback_blackout);
    g_test_add_func("/sender/variables_come_from_the_algorithm",
                    test_variables_come_from_the_algorithm);
    g_test_add_func("/sender/audio_leaves_while_video_waits", test_audio_leaves_while_video_waits);
    g_test_add_func("/sender/a_window_filled_by_video_does_not_hold_audio",
                    test_a_window_filled_by_video_does_not_hold_audio);
    g_test_add_func("/sender/audio_may_not_leave_when_nothing_may",
                    test_audio_may_not_leave_when_nothing_may);
    g_test_add_func("/sender/wrong_arguments_change_nothing", test_wrong_arguments_change_nothing);
    return g_test_run();
}
