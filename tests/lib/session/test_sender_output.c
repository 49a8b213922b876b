/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "sender_rig.h"
#include "weir/quality.h"

static int64_t n_probes;

static void count_probe(void *state, const struct weir_path *path,
                        const struct weir_probe_result *result)
{
    (void)state;
    (void)path;
    g_assert_cmpint(result->sent_bytes, ==, 6000);
    g_assert_cmpint(result->received_bytes, ==, 6000);
    n_probes++;
    probe.control.probe_bytes = 0;
}

/* A session whose controller asks for 6000 bytes at 4 Mbit/s, and has got them asked for. */
static struct rig rig_probing(void)
{
    static struct weir_controller prober;
    struct rig rig = rig_start();
    prober = rig_controller;
    prober.on_probe = count_probe;
    rig.sender->driver.controller = &prober;
    n_probes = 0;
    probe.control.probe_bytes = 6000;
    probe.control.probe_bps = WEIR_MBPS(4);
    g_assert_cmpint(rig_output(&rig).probe_wire_bytes, ==, 0); /* before any packet */
    rig_send(&rig, 1, WEIR_MS(1));
    return rig;
}

/* The program is told what is left of it, packets leave at its rate, the encoder's share is as
 * before, and the result comes when all of it is reported. */
static void test_a_probe_is_beyond_the_media(void)
{
    struct rig rig = rig_probing();
    struct weir_output before = rig_output(&rig);
    g_assert_cmpint(before.probe_wire_bps, ==, WEIR_MBPS(4));
    g_assert_cmpint(before.pacing_wire_bps, ==, WEIR_MBPS(4));
    g_assert_cmpint(before.allowed_wire_bps, ==, WEIR_MBPS(1));
    rig.flags = WEIR_SENT_PROBE;
    for (int64_t left = 6000; left > 0; left -= 1200) {
        g_assert_cmpint(rig_output(&rig).probe_wire_bytes, ==, left);
        rig_send(&rig, 1, WEIR_US(2400));
    }
    struct weir_output after = rig_output(&rig);
    g_assert_cmpint(after.probe_wire_bytes, ==, 0);
    g_assert_cmpint(after.probe_wire_bps, ==, 0);
    g_assert_cmpint(after.pacing_wire_bps, ==, WEIR_MBPS(1));
    g_assert_cmpint(after.target_media_bps, ==, before.target_media_bps);
    g_assert_cmpuint(rig_stats(&rig).bytes_sent_media, ==, 1188);
    g_assert_cmpuint(rig_stats(&rig).bytes_sent_wire, ==, 7200);
    rig_ccfb(&rig, 65500, "rrrrr");
    g_assert_cmpint(n_probes, ==, 0);
    rig_ccfb(&rig, 65505, "r");
    g_assert_cmpint(n_probes, ==, 1);
    rig_finish(&rig);
}

/* What something else holds the rate below, need not be proved. */
static void test_a_cap_ends_a_probe(void)
{
    struct rig rig = rig_probing();
    rig_remb(&rig, RIG_SSRC, 500000);
    g_assert_cmpint(rig_output(&rig).probe_wire_bytes, ==, 0);
    g_assert_cmpint(rig_output(&rig).pacing_wire_bps, ==, 500000);
    rig_finish(&rig);
}

static void test_media_gets_its_share_of_the_wire_rate(void)
{
    static const struct {
        uint32_t rtp_bytes, overhead_bytes;
    } cases[] = {{1200, 28}, {1200, 58}, {72, 46}, {172, 46}, {512, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir_sender_config config = rig_config();
        config.overhead_bytes = cases[i].overhead_bytes;
        struct rig rig = rig_new(&config);
        rig.rtp_bytes = cases[i].rtp_bytes;
        rig_send(&rig, 2000, WEIR_MS(10));
        double share = (double)(cases[i].rtp_bytes - 12) /
                       (double)(cases[i].rtp_bytes + cases[i].overhead_bytes);
        assert_near(rig_output(&rig).target_media_bps, 1e6 * share, 2);
        g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, WEIR_MBPS(1));
        rig_finish(&rig);
    }
}

/* Every fifth packet is a retransmission or FEC: the path allows the same, the encoder gets what is
 * left. */
static void test_repair_is_taken_from_the_target(void)
{
    struct rig rig = rig_start();
    for (int i = 0; i < 2000; i++) {
        rig.flags = i % 5 == 0 ? WEIR_SENT_REPAIR : 0;
        rig_send(&rig, 1, WEIR_MS(10));
    }
    assert_near(rig_output(&rig).target_media_bps, 0.99 * 0.8e6, 0.01e6);
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, WEIR_MBPS(1));
    assert_near(rig_output(&rig).target_wire_bps, WEIR_MBPS(1), 2);
    g_assert_cmpuint(rig_stats(&rig).bytes_sent_media, ==, UINT64_C(1600) * 1188);
    g_assert_cmpuint(rig_stats(&rig).bytes_sent_wire, ==, UINT64_C(2000) * 1200);
    g_assert_cmpuint(rig.sender->reports.streams[0].payload_octets, ==, 2000 * 1188);
    rig_finish(&rig);
}

/* A receiver that asks for everything again moves neither the least nor the first rate, which are
 * sent unproved, and the most by two. */
static void test_repair_alone_raises_no_floor(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 1, WEIR_MS(10));
    struct weir_limits before = rig.sender->wire_limits;
    rig.flags = WEIR_SENT_REPAIR;
    rig_send(&rig, 2000, WEIR_MS(10));
    assert_near(probe.limits.min_bps, before.min_bps, 10);
    assert_near(rig.sender->wire_limits.start_bps, before.start_bps, 10);
    assert_near(probe.limits.max_bps, 2.0 * (double)before.max_bps, (double)before.max_bps / 20);
    probe.control.rate_bps = 0;
    weir_sender_on_timer(rig.sender, rig.now_ns);
    assert_near(rig_output(&rig).allowed_wire_bps, before.min_bps, 10);
    rig.flags = 0;
    rig_send(&rig, 2000, WEIR_MS(10));
    assert_near(probe.limits.max_bps, before.max_bps, (double)before.max_bps / 20);
    rig_finish(&rig);
}

/* H.264 begins with delimiters and parameter sets of a few bytes, which must not multiply the
 * limits. */
static void test_a_tiny_first_packet_moves_no_limit(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 1, 0);
    struct weir_limits before = rig.sender->wire_limits;
    int64_t target_bps = rig_output(&rig).target_media_bps;
    rig.rtp_bytes = 14;
    rig_send(&rig, 3, 0);
    rig.rtp_bytes = 1200;
    rig_send(&rig, 20, WEIR_MS(1));
    assert_near(rig.sender->wire_limits.min_bps, before.min_bps, (double)before.min_bps / 10);
    assert_near(rig.sender->wire_limits.start_bps, before.start_bps, (double)before.start_bps / 10);
    assert_near(rig_output(&rig).target_media_bps, target_bps, (double)target_bps / 10);
    rig_finish(&rig);
}

/* A voice packet is half headers. Its limits hold from the first packet on; the updates of a
 * silence, of another size and 400 ms apart, move nothing. */
static void test_audio_has_its_limits_at_once_and_keeps_them_in_silence(void)
{
    struct weir_sender_config config = rig_config();
    config.overhead_bytes = 28;
    struct rig rig = rig_new(&config);
    rig.flags = WEIR_SENT_AUDIO;
    rig.rtp_bytes = 72;
    rig_send(&rig, 1, WEIR_MS(20));
    assert_near(rig.sender->wire_limits.max_bps, 10e6 * 100 / 60, 2);
    assert_near(probe.limits.min_bps, 30e3 * 100 / 60, 2);
    rig_send(&rig, 49, WEIR_MS(20));
    int64_t target_bps = rig_output(&rig).target_media_bps;
    rig.rtp_bytes = 20;
    rig.now_ns += WEIR_MS(400);
    rig_send(&rig, 200, WEIR_MS(400));
    rig.rtp_bytes = 72;
    rig_send(&rig, 1, WEIR_MS(20));
    g_assert_cmpint(rig_output(&rig).target_media_bps, ==, target_bps);
    assert_near(rig.sender->wire_limits.max_bps, 10e6 * 100 / 60, 2);
    rig_finish(&rig);
}

/* Packets of 52 to 92 bytes, as an encoder of variable bitrate makes them of 20 ms; the maximum
 * holds. */
static void test_packets_of_any_size_do_not_move_a_target_at_its_maximum(void)
{
    struct weir_sender_config config = rig_config();
    config.overhead_bytes = 28;
    config.limits = (struct weir_limits){
        .min_bps = WEIR_KBPS(6), .max_bps = WEIR_KBPS(32), .start_bps = WEIR_KBPS(24)};
    struct rig rig = rig_new(&config);
    rig.flags = WEIR_SENT_AUDIO;
    for (int i = 0; i < 500; i++) {
        rig.rtp_bytes = (uint32_t)(72 + (i / 25 % 2 == 0 ? 20 : -20));
        rig_send(&rig, 1, WEIR_MS(20));
        g_assert_cmpint(rig_output(&rig).target_media_bps, ==, WEIR_KBPS(32));
    }
    rig_finish(&rig);
}

/* Until video comes, whose packets are again taken to be as large as expected. */
static void test_video_that_joins_audio_is_not_taken_for_it(void)
{
    struct weir_sender_config config = rig_config();
    struct rig rig = rig_new(&config);
    int64_t max_bps = rig.sender->wire_limits.max_bps;
    rig.flags = WEIR_SENT_AUDIO;
    rig.rtp_bytes = 24;
    rig_send(&rig, 10, WEIR_MS(20));
    assert_near(rig.sender->wire_limits.max_bps, 20e6, 2);
    rig.flags = 0;
    rig.rtp_bytes = 14;
    rig_send(&rig, 1, 0);
    assert_near(rig.sender->wire_limits.max_bps, max_bps, (double)max_bps / 100);
    rig_finish(&rig);
}

/* The limits are media rates; the controller gets them as wire rates, at the measured share. */
static void test_limits_reach_the_controller_as_wire_rates(void)
{
    struct rig rig = rig_start();
    rig.rtp_bytes = 24;
    rig_send(&rig, 2000, WEIR_MS(10));
    assert_near(probe.limits.min_bps, WEIR_KBPS(60), WEIR_KBPS(2));
    assert_near(probe.limits.max_bps, WEIR_MBPS(20), WEIR_KBPS(500));
    /* other packets: told again when the share has moved, at most once a second */
    int n_limits = probe.n_limits;
    rig.rtp_bytes = 1200;
    rig_send(&rig, 500, WEIR_MS(10));
    g_assert_cmpint(probe.n_limits - n_limits, <=, 5);
    assert_near(probe.limits.max_bps, WEIR_MBPS(10) / 0.99, WEIR_KBPS(250));
    rig_finish(&rig);
}

/* For any answer of the controller the output is within the limits. */
static void test_the_output_is_within_the_limits(void)
{
    static const int64_t rates_bps[] = {0, 1, 1000, 30000, 500000, 99999999, INT64_MAX};
    struct rig rig = rig_start();
    rig.sender->initial_bps = INT64_MAX;
    rig_send(&rig, 1, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(rates_bps); i++) {
        for (size_t k = 0; k < G_N_ELEMENTS(rates_bps); k++) {
            probe.control.rate_bps = rates_bps[i];
            probe.control.pacing_bps = rates_bps[k];
            for (int64_t queued = 0; queued < 100000000; queued = queued * 10 + 1) {
                weir_sender_on_queue(rig.sender, rig.now_ns, 0, queued);
                struct weir_output output = rig_output(&rig);
                g_assert_cmpint(output.target_media_bps, >=, WEIR_KBPS(30));
                g_assert_cmpint(output.target_media_bps, <=, WEIR_MBPS(10));
                g_assert_cmpint(output.allowed_wire_bps, >=, WEIR_KBPS(30));
                g_assert_cmpint(output.pacing_wire_bps, >=, WEIR_KBPS(30));
                g_assert_cmpint(output.pacing_wire_bps, <=, INT64_C(100000000000));
            }
        }
    }
    rig_finish(&rig);
}

static void test_pacing_is_what_the_controller_says(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 1, 0);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(rig_output(&rig).pacing_wire_bps, ==, WEIR_MBPS(1));
    probe.control.pacing_bps = WEIR_KBPS(1500);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(rig_output(&rig).pacing_wire_bps, ==, WEIR_KBPS(1500));
    /* held at half its rate by REMB, it paces at half, too */
    rig_remb(&rig, RIG_SSRC, 500000);
    assert_near(rig_output(&rig).pacing_wire_bps, 750000, 10);
    rig_finish(&rig);
}

/* What the controller says, above its pacing or not; else what leaves. */
static void test_the_source_may_make_what_the_controller_says(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 1, 0);
    double media = weir__packet_sizes_media_ratio(&rig.sender->sizes);
    probe.control.pacing_bps = WEIR_KBPS(600);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    assert_near(rig_output(&rig).target_media_bps, 600000 * media, 10);
    probe.control.source_bps = WEIR_KBPS(900);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    assert_near(rig_output(&rig).target_media_bps, 900000 * media, 10);
    g_assert_cmpint(rig_output(&rig).pacing_wire_bps, ==, WEIR_KBPS(600));
    rig_remb(&rig, RIG_SSRC, 500000); /* half its rate */
    assert_near(rig_output(&rig).target_media_bps, 450000 * media, 10);
    probe.control.source_bps = WEIR_KBPS(1800); /* more than its rate, but no more than REMB */
    weir_sender_on_timer(rig.sender, rig.now_ns);
    assert_near(rig_output(&rig).target_media_bps, 500000 * media, 10);
    rig_finish(&rig);
}

/* The larger of the program's and the controller's wish, at most half the queue aimed at and 5 ms.
 */
static void test_the_quantum_is_what_both_want_within_the_queue(void)
{
    static const struct {
        int64_t program_ns, burst_bytes, queue_target_ns, expected_ns;
    } cases[] = {
        {0, 0, 0, 0},
        {WEIR_MS(3), 0, 0, WEIR_MS(3)},
        {0, 250, 0, WEIR_MS(2)}, /* at 1 Mbit/s */
        {WEIR_MS(3), 250, 0, WEIR_MS(3)},
        {WEIR_MS(1), 250, 0, WEIR_MS(2)},
        {WEIR_MS(1), 5000, 0, WEIR_MS(5)},
        {WEIR_MS(1), INT64_MAX, 0, WEIR_MS(5)},
        {WEIR_MS(1), -1, -1, WEIR_MS(1)},
        {WEIR_MS(5), 0, WEIR_MS(20), WEIR_MS(5)},
        {WEIR_MS(5), 0, WEIR_MS(8), WEIR_MS(4)},
        {0, 5000, WEIR_MS(6), WEIR_MS(3)},
        {0, 0, WEIR_MS(6), 0},
        {WEIR_MS(5), 5000, 1, 0},
    };
    struct rig rig = rig_start();
    rig_send(&rig, 1, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        probe.control.burst_bytes = cases[i].burst_bytes;
        probe.control.queue_target_ns = cases[i].queue_target_ns;
        weir_sender_set_pacing_quantum(rig.sender, rig.now_ns, cases[i].program_ns);
        g_assert_cmpint(rig.sender->pacer.quantum_ns, ==, cases[i].expected_ns);
        g_assert_cmpint(rig.sender->audio_pacer.quantum_ns, ==, 0);
    }
    /* where nothing may leave, no burst may */
    probe.control.burst_bytes = 5000;
    rig.sender->breaker.state = WEIR__BREAKER_CEASED;
    weir_sender_set_pacing_quantum(rig.sender, rig.now_ns, 0);
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 100), ==, WEIR_NEVER_NS);
    rig_finish(&rig);
}

/* What waits longer than 50 ms is to be gone in 250 ms, at the cost of at most half the rate. */
static void test_a_queue_takes_from_the_target(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 1, 0);
    int64_t full_bps = rig_output(&rig).target_media_bps;
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, 6250);
    g_assert_cmpint(rig_output(&rig).target_media_bps, ==, full_bps);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_QUEUE_PUSHBACK, ==, 0);
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, 6250 + 6250);
    g_assert_cmpint(rig_output(&rig).target_media_bps, ==, full_bps - 200000);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_QUEUE_PUSHBACK, !=, 0);
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, 10000000);
    g_assert_cmpint(rig_output(&rig).target_media_bps, ==, full_bps - full_bps / 2);
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, 0);
    g_assert_cmpint(rig_output(&rig).target_media_bps, ==, full_bps);
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, WEIR_MBPS(1));
    rig_finish(&rig);
}

/* A lying receiver that acknowledges everything at once, and a controller that believes it. */
static void test_the_rate_is_never_more_than_twice_what_was_proved(void)
{
    struct rig rig = rig_start();
    probe.control.rate_bps = WEIR_MBPS(9);
    rig.sender->initial_bps = 0;
    int64_t start_bps = rig.sender->wire_limits.start_bps;
    g_assert_cmpint(start_bps, <, WEIR_KBPS(320));
    for (int i = 0; i < 200; i++) {
        uint16_t begin = rig.rtp_seq;
        /* 480 kbit/s, whatever is allowed */
        rig_send(&rig, 5, WEIR_MS(20));
        rig_ccfb(&rig, begin, "rrrrr");
        g_assert_cmpint(rig_output(&rig).allowed_wire_bps, >=, start_bps);
        g_assert_cmpint(rig_output(&rig).allowed_wire_bps, <=, 2 * 480000 * 5 / 4);
    }
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, >=, 2 * 480000);
    /* without proof it falls back to the start */
    rig.now_ns += WEIR_SECONDS(9);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    rig.now_ns += WEIR_SECONDS(2);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, <=, rig.sender->wire_limits.start_bps);
    rig_finish(&rig);
}

/* The same bytes acknowledged with arrival times squeezed into a millisecond prove no more. */
static void test_forged_arrival_times_prove_nothing(void)
{
    int64_t allowed_bps[2];
    for (int forged = 0; forged < 2; forged++) {
        struct rig rig = rig_start();
        rig.has_transport = true;
        probe.control.rate_bps = WEIR_MBPS(9);
        rig.sender->initial_bps = 0;
        for (int i = 0; i < 50; i++) {
            uint16_t begin = rig.transport_seq;
            rig_send(&rig, 5, WEIR_MS(20));
            rig_twcc(&rig, begin, "rrrrr", forged ? WEIR_SECONDS(1) : rig.now_ns);
        }
        allowed_bps[forged] = rig_output(&rig).allowed_wire_bps;
        rig_finish(&rig);
    }
    g_assert_cmpint(allowed_bps[0], ==, allowed_bps[1]);
}

static void test_reports_prove_no_more_than_was_sent(void)
{
    struct rig rig = rig_start();
    probe.control.rate_bps = WEIR_MBPS(9);
    rig.sender->initial_bps = 0;
    for (int i = 0; i < 5; i++) {
        rig_send(&rig, 50, WEIR_MS(20));
        rig_rr(&rig, RIG_PEER, (uint32_t)(rig.rtp_seq - 1) & 0xffff, -1000 * i, 0, 0);
    }
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, <=, 2 * 480000);
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, >=, 900000);
    rig_finish(&rig);
}

static void test_a_source_that_keeps_up_is_limited_by_the_network(void)
{
    static const struct {
        int64_t allowed_bps, queued_bytes;
        bool limited;
    } cases[] = {
        {1000000, 0, false},   /* produces 0.48 Mbit/s */
        {1000000, 1200, true}, /* but more is waiting */
        {500000, 0, true},     /* produces 0.96 of it */
        {560000, 0, false},    /* 0.86 */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig = rig_start();
        probe.control.rate_bps = cases[i].allowed_bps;
        rig.queued_bytes = cases[i].queued_bytes;
        rig_send(&rig, 100, WEIR_MS(20));
        g_assert_true(probe.sent.network_limited == cases[i].limited);
        g_assert_true(!(rig_output(&rig).state & WEIR_STATE_APP_LIMITED) == cases[i].limited);
        rig_finish(&rig);
    }
}

/* A frame of several packets waits for the pacer although its source makes half of what is allowed:
 * an RTT of unused credit would let it out at once (RFC 5348 8.3). */
static void test_a_frame_that_is_paced_is_not_limited_by_the_network(void)
{
    static const struct {
        int64_t queued_bytes;
        bool limited;
    } cases[] = {{1200, false}, {9600, false}, {12000, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig = rig_start();
        probe.control.rate_bps = 1000000;
        rig_send(&rig, 2, WEIR_MS(20));
        rig.now_ns += WEIR_MS(180);
        g_assert_cmpint(rig_ccfb(&rig, (uint16_t)(rig.rtp_seq - 2), "rr"), ==, WEIR_OK);
        weir__silence_bound_init(&rig.sender->silence); /* no feedback, and no matter here */
        rig_send(&rig, 100, WEIR_MS(20)); /* 0.48 Mbit/s: 12000 bytes per RTT of 200 ms */
        rig.queued_bytes = cases[i].queued_bytes;
        rig_send(&rig, 1, WEIR_MS(20));
        g_assert_true(probe.sent.network_limited == cases[i].limited);
        rig_finish(&rig);
    }
}

/* The algorithm here asks for the same rate for ever; without the circuit breaker it gets it. */
static void test_silence_halves_the_rate_whatever_the_algorithm(void)
{
    for (int breaker = 0; breaker < 2; breaker++) {
        struct rig rig = rig_start();
        rig.sender->config.circuit_breaker = breaker;
        probe.control.rate_bps = 1000000;
        rig_send(&rig, 2, WEIR_MS(20));
        rig.now_ns += WEIR_MS(180);
        g_assert_cmpint(rig_ccfb(&rig, (uint16_t)(rig.rtp_seq - 2), "rr"), ==, WEIR_OK);
        rig_send(&rig, 100, WEIR_MS(20));
        struct weir_output output;
        weir_sender_get_output(rig.sender, &output);
        g_assert_cmpint(output.allowed_wire_bps, ==, breaker ? 250000 : 1000000);
        g_assert_true(breaker == !!(output.state & WEIR_STATE_NO_FEEDBACK));
        g_assert_true(breaker == (output.limited_by == WEIR_LIMITED_BY_NO_FEEDBACK));
        rig_finish(&rig);
    }
}

static void test_the_first_packet_after_silence_is_not_limited_by_the_network(void)
{
    struct rig rig = rig_start();
    probe.control.rate_bps = 150000;
    rig_send(&rig, 100, WEIR_MS(20));
    g_assert_true(probe.sent.network_limited);
    rig.now_ns += WEIR_SECONDS(10);
    rig_send(&rig, 1, WEIR_MS(20));
    g_assert_false(probe.sent.network_limited);
    rig_send(&rig, 50, WEIR_MS(20));
    g_assert_true(probe.sent.network_limited);
    rig_finish(&rig);
}

static void test_stats_tell_the_sent_rate(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 100, WEIR_MS(20));
    assert_near(rig_stats(&rig).sent_wire_bps, 480000, 12000);
    g_assert_cmpint(rig_stats(&rig).rtt_min_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(rig_stats(&rig).last_feedback_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(rig_stats(&rig).remb_bps, ==, INT64_MAX);
    rig_finish(&rig);
}

/* What a trace holds. */
enum { MAX_RECORDS = 60000 };
static struct weir_trace_record records[MAX_RECORDS];
static size_t n_records;

static void on_trace(void *user, const struct weir_trace_record *record)
{
    g_assert_true(user == records);
    if (n_records < MAX_RECORDS) {
        records[n_records++] = *record;
    }
}

static void test_the_trace_has_the_last_output(void)
{
    struct rig rig = rig_start();
    n_records = 0;
    weir_sender_set_trace(rig.sender, on_trace, records);
    probe.control.rate_bps = 777777;
    rig_send(&rig, 1, 0);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    const struct weir_trace_record *last = &records[n_records - 1];
    struct weir_output output = rig_output(&rig);
    g_assert_cmpint(last->kind, ==, WEIR_TRACE_OUTPUT);
    assert_same_output(&last->output, &output);
    size_t n = n_records;
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpuint(n_records, ==, n);
    weir_sender_set_trace(rig.sender, NULL, NULL);
    rig_send(&rig, 1, 0);
    g_assert_cmpuint(n_records, ==, n);
    rig_finish(&rig);
}

/* Ten times a second at most, the variables once; both before the output that closes the event. */
static void test_the_trace_has_figures_and_variables(void)
{
    struct rig rig = rig_start();
    n_records = 0;
    weir_sender_set_trace(rig.sender, on_trace, records);
    rig_send(&rig, 300, WEIR_MS(10));
    int n_figures = 0, n_variables = 0;
    for (size_t i = 0; i < n_records; i++) {
        const struct weir_trace_record *record = &records[i];
        if (record->kind == WEIR_TRACE_FIGURES) {
            g_assert_cmpint(record->now_ns, ==, WEIR_SECONDS(100) + n_figures * WEIR_MS(100));
            g_assert_cmpstr(record->name, ==, "starting");
            n_figures++;
        } else if (record->kind == WEIR_TRACE_VARIABLE) {
            g_assert_cmpint(record->now_ns, ==, WEIR_SECONDS(100) + n_variables * WEIR_SECONDS(1));
            g_assert_cmpstr(record->name, ==, "answer");
            g_assert_cmpfloat(record->value, ==, 42);
            n_variables++;
        }
    }
    g_assert_cmpint(n_figures, ==, 30);
    g_assert_cmpint(n_variables, ==, 3);
    rig_finish(&rig);
}

static void test_stats_tell_the_queueing_delay(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    g_assert_cmpint(rig_stats(&rig).queueing_ns, ==, WEIR_UNKNOWN_NS);
    for (int i = 0; i < 100; i++) {
        int64_t wait_ns = i < 20 ? 0 : WEIR_MS(80);
        uint16_t begin = rig.transport_seq;
        int64_t sent_ns = rig.now_ns;
        rig_send(&rig, 1, WEIR_MS(100));
        /* the receiver's clock is an hour ahead; TWCC counts it in 64 ms and 0.25 ms */
        rig_twcc(&rig, begin, "r", sent_ns + WEIR_SECONDS(3600) + wait_ns);
    }
    assert_near(rig_stats(&rig).queueing_ns, WEIR_MS(80), WEIR_MS(1));
    rig_finish(&rig);
}

/* Without arrival times: what the round trip is above its smallest. */
static void test_stats_tell_a_queueing_delay_without_arrival_times(void)
{
    struct rig rig = rig_start();
    weir__sender_take_rtt(rig.sender, WEIR_MS(50));
    g_assert_cmpint(rig_stats(&rig).queueing_ns, ==, 0);
    for (int i = 0; i < 200; i++) {
        rig.now_ns += WEIR_MS(100);
        weir_sender_on_timer(rig.sender, rig.now_ns);
        weir__sender_take_rtt(rig.sender, WEIR_MS(80));
    }
    assert_near(rig_stats(&rig).queueing_ns, WEIR_MS(30), WEIR_MS(1));
    rig_finish(&rig);
}

/* The gap behind the packet before, and what waits; at 1 Mbit/s. */
static void test_stats_tell_the_wait_in_the_send_queue(void)
{
    struct rig rig = rig_start();
    g_assert_cmpint(rig_stats(&rig).send_queue_ns, ==, 0);
    rig.queued_bytes = 12500;
    rig_send(&rig, 1, 0);
    assert_near(rig_stats(&rig).send_queue_ns, WEIR_US(109600), WEIR_US(1));
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, 0);
    assert_near(rig_stats(&rig).send_queue_ns, WEIR_US(9600), WEIR_US(1));
    weir_sender_on_timer(rig.sender, rig.now_ns + WEIR_SECONDS(1));
    g_assert_cmpint(rig_stats(&rig).send_queue_ns, ==, 0);
    probe.control.window_bytes = 1000;
    weir__sender_refresh(rig.sender);
    rig_send(&rig, 1, 0);
    g_assert_cmpint(rig_stats(&rig).send_queue_ns, ==, WEIR_UNKNOWN_NS);
    rig_finish(&rig);
}

/* 1 of 10 dropped in the send queue, 1 of 9 lost on the path; RTT 100 ms, 20 ms in the queue. */
static void test_stats_tell_how_voice_sounds(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 1, 0);
    g_assert_cmpfloat(rig_stats(&rig).mos, ==, 0.0); /* no audio */
    rig_finish(&rig);

    rig = rig_start();
    rig.flags = WEIR_SENT_AUDIO;
    rig.waited_ns = WEIR_MS(20);
    uint16_t first = rig.rtp_seq;
    rig_send(&rig, 4, WEIR_MS(1));
    rig.rtp_seq++;
    rig_send(&rig, 5, WEIR_MS(1));
    assert_near(rig_stats(&rig).r_score, 94.2 - 30.0 * log(1.0 + 15.0 * 0.1), 1e-9);
    rig.now_ns += WEIR_MS(99);
    g_assert_cmpint(rig_ccfb(&rig, first, "r.rr.rrrrr"), ==, WEIR_OK);
    struct weir_sender_stats stats = rig_stats(&rig);
    assert_near((double)stats.rtt_ns, 1e8, 2e6);
    double expected = 94.2 - 30.0 * log(1.0 + 15.0 * 0.2) - 0.024 * (50.0 + 20.0 + 60.0);
    assert_near(stats.r_score, expected, 0.1);
    assert_near(stats.mos, weir_mos(stats.r_score), 1e-12);
    /* a minute of silence changes nothing */
    weir_sender_on_timer(rig.sender, rig.now_ns + WEIR_SECONDS(60));
    assert_near(rig_stats(&rig).r_score, stats.r_score, 1e-9);
    rig_finish(&rig);
}

/* Whatever the program says of the wait. */
static void test_voice_that_waited_for_ever_sounds_bad(void)
{
    struct rig rig = rig_start();
    rig.flags = WEIR_SENT_AUDIO;
    uint16_t first = rig.rtp_seq;
    rig.waited_ns = INT64_MAX;
    rig_send(&rig, 3, WEIR_MS(1));
    rig_ccfb(&rig, first, "rrr");
    assert_near(rig_stats(&rig).r_score, 0.0, 1e-9);
    rig_finish(&rig);
}

/* What arrived, by whatever feedback; lost packets prove nothing, nor does what was proved of
 * another path. */
static void test_what_was_proved_is_told(void)
{
    static const struct {
        const char *pattern;
        double share;
    } table[] = {{"rrrrr", 1.0}, {"rr.rr", 0.8}};
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        struct rig rig = rig_start();
        g_assert_cmpint(weir_sender_get_proved_bps(rig.sender, 0), ==, 0);
        for (int k = 0; k < 100; k++) {
            uint16_t begin = rig.rtp_seq;
            rig_send(&rig, 5, WEIR_MS(20));
            rig_ccfb(&rig, begin, table[i].pattern);
        }
        struct weir_sender_stats stats = rig_stats(&rig);
        double media = (double)stats.bytes_sent_media / (double)stats.bytes_sent_wire;
        assert_near(weir_sender_get_proved_bps(rig.sender, 0),
                    (int64_t)(480e3 * media * table[i].share), 5000);
        rig_send(&rig, 1, WEIR_SECONDS(60));
        rig_send(&rig, 1, 0);
        g_assert_cmpint((int64_t)rig_stats(&rig).clock_jumps, ==, 1);
        g_assert_cmpint(weir_sender_get_proved_bps(rig.sender, 0), ==, 0);
        rig_finish(&rig);
    }
}

static void test_stats_tell_the_age(void)
{
    struct rig rig = rig_start();
    g_assert_cmpint(rig_stats(&rig).age_ns, ==, 0);
    rig.now_ns += WEIR_SECONDS(3);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(rig_stats(&rig).age_ns, ==, WEIR_SECONDS(3));
    rig_finish(&rig);
}

static void count_outputs(void *user, const struct weir_trace_record *record)
{
    ((int *)user)[record->kind == WEIR_TRACE_CONTROL] +=
        record->kind == WEIR_TRACE_OUTPUT || record->kind == WEIR_TRACE_CONTROL;
}

/* Whichever part of the answer it is that changes. */
static void test_each_change_is_traced_once(void)
{
    int counts[2] = {0};
    struct weir_sender_config config = rig_config();
    config.on_trace = count_outputs;
    config.trace_user = counts;
    struct rig rig = rig_new(&config);
    rig_send(&rig, 1, WEIR_MS(1));
    for (int what = 0; what < 4; what++) {
        probe.control.pacing_bps = what == 1 ? WEIR_MBPS(3) : probe.control.pacing_bps;
        probe.control.window_bytes = what == 2 ? 77777 : probe.control.window_bytes;
        probe.control.state = what == 3 ? WEIR_STATE_SLOW_START : 0;
        counts[0] = counts[1] = 0;
        weir__sender_refresh(rig.sender);
        weir__sender_refresh(rig.sender);
        g_assert_cmpint(counts[0], ==, what > 0);
        g_assert_cmpint(counts[1], ==, what > 0);
    }
    counts[0] = counts[1] = 0;
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, 50000); /* a lower target, and no more */
    g_assert_cmpint(counts[0], ==, 1);
    g_assert_cmpint(counts[1], ==, 0);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_output/media_gets_its_share_of_the_wire_rate",
                    test_media_gets_its_share_of_the_wire_rate);
    g_test_add_func("/sender_output/limits_reach_the_controller_as_wire_rates",
                    test_limits_reach_the_controller_as_wire_rates);
    g_test_add_func("/sender_output/repair_is_taken_from_the_target",
                    test_repair_is_taken_from_the_target);
    g_test_add_func("/sender_output/repair_alone_raises_no_floor",
                    test_repair_alone_raises_no_floor);
    g_test_add_func("/sender_output/a_tiny_first_packet_moves_no_limit",
                    test_a_tiny_first_packet_moves_no_limit);
    g_test_add_func("/sender_output/the_output_is_within_the_limits",
                    test_the_output_is_within_the_limits);
    g_test_add_func("/sender_output/pacing_is_what_the_controller_says",
                    test_pacing_is_what_the_controller_says);
    g_test_add_func("/sender_output/the_source_may_make_what_the_controller_says",
                    test_the_source_may_make_what_the_controller_says);
    g_test_add_func("/sender_output/the_quantum_is_what_both_want_within_the_queue",
                    test_the_quantum_is_what_both_want_within_the_queue);
    g_test_add_func("/sender_output/a_probe_is_beyond_the_media", test_a_probe_is_beyond_the_media);
    g_test_add_func("/sender_output/a_cap_ends_a_probe", test_a_cap_ends_a_probe);
    g_test_add_func("/sender_output/a_queue_takes_from_the_target",
                    test_a_queue_takes_from_the_target);
    g_test_add_func("/sender_output/the_rate_is_never_more_than_twice_what_was_proved",
                    test_the_rate_is_never_more_than_twice_what_was_proved);
    g_test_add_func("/sender_output/forged_arrival_times_prove_nothing",
                    test_forged_arrival_times_prove_nothing);
    g_test_add_func("/sender_output/reports_prove_no_more_than_was_sent",
                    test_reports_prove_no_more_than_was_sent);
    g_test_add_func("/sender_output/a_source_that_keeps_up_is_limited_by_the_network",
                    test_a_source_that_keeps_up_is_limited_by_the_network);
    g_test_add_func("/sender_output/a_frame_that_is_paced_is_not_limited_by_the_network",
                    test_a_frame_that_is_paced_is_not_limited_by_the_network);
    g_test_add_func("/sender_output/silence_halves_the_rate_whatever_the_algorithm",
                    test_silence_halves_the_rate_whatever_the_algorithm);
    g_test_add_func("/sender_output/the_first_packet_after_silence_is_not_limited_by_the_network",
                    test_the_first_packet_after_silence_is_not_limited_by_the_network);
    g_test_add_func("/sender_output/stats_tell_the_sent_rate", test_stats_tell_the_sent_rate);
    g_test_add_func("/sender_output/the_trace_has_the_last_output",
                    test_the_trace_has_the_last_output);
    g_test_add_func("/sender_output/the_trace_has_figures_and_variables",
                    test_the_trace_has_figures_and_variables);
    g_test_add_func("/sender_output/stats_tell_the_queueing_delay",
                    test_stats_tell_the_queueing_delay);
    g_test_add_func("/sender_output/stats_tell_a_queueing_delay_without_arrival_times",
                    test_stats_tell_a_queueing_delay_without_arrival_times);
    g_test_add_func("/sender_output/stats_tell_the_wait_in_the_send_queue",
                    test_stats_tell_the_wait_in_the_send_queue);
    g_test_add_func("/sender_output/stats_tell_how_voice_sounds", test_stats_tell_how_voice_sounds);
    g_test_add_func("/sender_output/audio_has_its_limits_at_once_and_keeps_them_in_silence",
                    test_audio_has_its_limits_at_once_and_keeps_them_in_silence);
    g_test_add_func("/sender_output/packets_of_any_size_do_not_move_a_target_at_its_maximum",
                    test_packets_of_any_size_do_not_move_a_target_at_its_maximum);
    g_test_add_func("/sender_output/video_that_joins_audio_is_not_taken_for_it",
                    test_video_that_joins_audio_is_not_taken_for_it);
    g_test_add_func("/sender_output/voice_that_waited_for_ever_sounds_bad",
                    test_voice_that_waited_for_ever_sounds_bad);
    g_test_add_func("/sender_output/what_was_proved_is_told", test_what_was_proved_is_told);
    g_test_add_func("/sender_output/stats_tell_the_age", test_stats_tell_the_age);
    g_test_add_func("/sender_output/each_change_is_traced_once", test_each_change_is_traced_once);
    return g_test_run();
}
