/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../wire.h"
#include "sender_rig.h"

static void test_ccfb_tells_arrivals_and_marks(void)
{
    struct rig rig = rig_start();
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    rig_send(&rig, 6, WEIR_MS(1));
    rig.now_ns += WEIR_MS(40);
    rig_ccfb(&rig, 65500, "eece.e");
    g_assert_cmpuint(probe.n_news, ==, 5);
    for (size_t i = 1; i < 5; i++) {
        int64_t gap_ns = probe.news[i].arrived_ns - probe.news[i - 1].arrived_ns;
        int64_t sent_gap_ns = probe.news[i].sent_ns - probe.news[i - 1].sent_ns;
        assert_near(gap_ns, sent_gap_ns, WEIR_MS(1));
        g_assert_cmpint(probe.news[i].ecn == WEIR_ECN_CE, ==, i == 2);
    }
    rig_finish(&rig);
}

static void test_ccfb_without_times_still_tells_what_arrived(void)
{
    /* 8c of the test vectors: 1 over range, 2 unavailable; a second, empty block */
    uint8_t buffer[64];
    size_t len = test_hex("8bcd000711223344cafebabe000100029ffe9fffdeadbeef0007000000010000",
                          buffer, sizeof(buffer));
    struct rig rig = rig_start();
    rig.rtp_seq = 1;
    rig_send(&rig, 2, WEIR_MS(10));
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    g_assert_cmpuint(probe.n_news, ==, 2);
    g_assert_cmpint(probe.news[0].arrived_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(probe.news[1].arrived_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(probe.feedback.rtt_ns, ==, WEIR_UNKNOWN_NS);
    rig_finish(&rig);
}

/* 8d: a peer that writes one less than the number of words, heard once, is understood from then
 * on: 8e alone would not tile. */
static void test_a_peer_that_counts_one_less_is_understood(void)
{
    uint8_t first[64], second[64];
    size_t n_first =
        test_hex("8bcd000811223344cafebabefffb000700000000a033a028a01e0000e015a013000a0ccc", first,
                 sizeof(first));
    size_t n_second = test_hex("8bcd000611223344cafebabe00030002a0018000e0000000000a0d00", second,
                               sizeof(second));
    struct rig rig = rig_start();
    rig.rtp_seq = 65531;
    rig_send(&rig, 16, WEIR_MS(10));
    g_assert_cmpint(rig_rtcp(&rig, first, n_first), ==, WEIR_OK);
    g_assert_cmpuint(probe.n_news, ==, 5 + 2);
    unsigned lost = 0;
    for (size_t i = 0; i < probe.n_news; i++) {
        lost += probe.news[i].status == WEIR_PACKET_LOST;
    }
    g_assert_cmpuint(lost, ==, 2);
    g_assert_cmpint(probe.news[probe.n_news - 1].seq, ==, 7);
    g_assert_cmpint(rig_rtcp(&rig, second, n_second), ==, WEIR_OK);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 5 + 3);
    rig_finish(&rig);
}

/* The later "not received" about packet 11 in the same packet does not undo its arrival. */
static void test_overlapping_blocks_keep_what_arrived(void)
{
    uint8_t buffer[64];
    size_t len =
        test_hex("8bcd00080000000100000002000a00028001800100000002000b00020000800100000007", buffer,
                 sizeof(buffer));
    struct rig rig = rig_start();
    for (uint16_t seq = 10; seq < 20; seq++) {
        rig_send_ssrc(&rig, 2, seq);
    }
    rig.now_ns += WEIR_MS(50);
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 3);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    rig_finish(&rig);
}

static void test_twcc_tells_arrivals_by_transport_number(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig_send(&rig, 300, WEIR_MS(1));
    uint8_t buffer[200];
    for (int lump = 0; lump < 30; lump++) {
        /* received 1 ms apart, as they were sent */
        size_t len = rig_build_twcc(&rig, (uint16_t)(65400 + 10 * lump), "rrrr.rrrrr",
                                    WEIR_SECONDS(500) + WEIR_MS(10 * lump), buffer, sizeof(buffer));
        rig_rtcp(&rig, buffer, len);
    }
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 270);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 30);
    int64_t first_ns = WEIR_UNKNOWN_NS;
    for (size_t i = 0; i < probe.n_news; i++) {
        const struct weir_packet_report *news = &probe.news[i];
        if (news->status == WEIR_PACKET_RECEIVED) {
            int64_t delay_ns = news->arrived_ns - news->sent_ns;
            first_ns = first_ns == WEIR_UNKNOWN_NS ? delay_ns : first_ns;
            assert_near(delay_ns, first_ns, WEIR_US(250));
        }
    }
    rig_finish(&rig);
}

static void test_twcc_in_swapped_order_is_all_used(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig_send(&rig, 20, WEIR_MS(10));
    rig_twcc(&rig, 65410, "rrrrrrrrrr", WEIR_SECONDS(8) + WEIR_MS(128));
    rig_twcc(&rig, 65400, "rrrrrrrrrr", WEIR_SECONDS(8));
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 20);
    g_assert_cmpuint(probe.n_news, ==, 20);
    g_assert_cmpint(probe.news[10].seq, ==, 0);
    g_assert_cmpint(probe.news[0].arrived_ns - probe.news[10].arrived_ns, ==, WEIR_MS(128));
    rig_finish(&rig);
}

/* Feedback that tells of packets 10 to 19 is lost, and comes late. */
static void test_packets_of_a_lost_feedback_are_not_in_flight(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig_send(&rig, 40, WEIR_MS(1));
    int64_t packet_bytes = rig_stats(&rig).in_flight_bytes / 40;
    rig_twcc(&rig, 65400, "rrrrrrrrrr", WEIR_SECONDS(8));
    g_assert_cmpint(rig_stats(&rig).in_flight_bytes, ==, 30 * packet_bytes);
    rig_twcc(&rig, 65420, "rrrrrrrrrr", WEIR_SECONDS(8) + WEIR_MS(64));
    g_assert_cmpint(rig_stats(&rig).in_flight_bytes, ==, 10 * packet_bytes);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    rig_twcc(&rig, 65410, "rrrrrrrrrr", WEIR_SECONDS(8) + WEIR_MS(64));
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 30);
    g_assert_cmpint(rig_stats(&rig).in_flight_bytes, ==, 10 * packet_bytes);
    rig_finish(&rig);
}

/* 7e of the test vectors: the 24-bit reference passes its sign. */
static void test_the_reference_time_wraps(void)
{
    uint8_t first[64], second[64];
    size_t n_first = test_hex("8fcd000511223344cafebabe000500017fffff0220010300", first, 64);
    size_t n_second = test_hex("8fcd000511223344cafebabe000600018000000320010300", second, 64);
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig.transport_seq = 5;
    rig_send(&rig, 2, WEIR_MS(64));
    rig_rtcp(&rig, first, n_first);
    rig_rtcp(&rig, second, n_second);
    g_assert_cmpuint(probe.n_news, ==, 2);
    g_assert_cmpint(probe.news[1].arrived_ns - probe.news[0].arrived_ns, ==, WEIR_MS(64));
    rig_finish(&rig);
}

/* The peer's clock jumps by hours: what arrived is kept, when is not known, and then goes on. */
static void test_an_absurd_clock_jump_costs_one_feedback_of_arrivals(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig_send(&rig, 9, WEIR_MS(10));
    rig_twcc(&rig, 65400, "rrr", WEIR_SECONDS(64));
    rig_twcc(&rig, 65403, "rrr", WEIR_SECONDS(6400));
    rig_twcc(&rig, 65406, "rrr", WEIR_SECONDS(6400) + WEIR_MS(64));
    g_assert_cmpuint(probe.n_news, ==, 9);
    for (int i = 0; i < 9; i++) {
        g_assert_true((probe.news[i].arrived_ns == WEIR_UNKNOWN_NS) == (i >= 3 && i < 6));
    }
    rig_finish(&rig);
}

/* A receiver that restarts with another SSRC feeds the flow when the one before has been silent for
 * three of its intervals; its clock is another one. */
static void test_a_new_receiver_ssrc_keeps_feeding(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[100];
    for (int i = 0; i < 7; i++) {
        uint32_t peer = i < 2 ? RIG_PEER : 0x77;
        uint16_t begin = rig.rtp_seq;
        rig_send(&rig, 5, WEIR_MS(300));
        size_t len =
            rig_build_ccfb(&rig, peer, RIG_SSRC, begin, "rrrrr", 0, buffer, sizeof(buffer));
        g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    }
    g_assert_cmpuint(rig_stats(&rig).rtcp_ignored, ==, 2);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 25);
    for (int i = 0; i < 25; i++) {
        bool first_of_new = i >= 10 && i < 15;
        g_assert_true((probe.news[i].arrived_ns == WEIR_UNKNOWN_NS) == first_of_new);
    }
    rig_finish(&rig);
}

static size_t build_xr(uint8_t *buffer, size_t capacity, uint16_t begin, const char *pattern,
                       const uint32_t *times)
{
    struct xr_writer writer;
    struct xr_range range = {
        .ssrc = RIG_SSRC,
        .begin_seq = begin,
        .end_seq = (uint16_t)(begin + strlen(pattern)),
    };
    bool received[64];
    for (size_t i = 0; i < strlen(pattern); i++) {
        received[i] = pattern[i] == 'r';
    }
    g_assert_cmpint(xr_writer_init(&writer, buffer, capacity, RIG_PEER), ==, WEIR_OK);
    g_assert_cmpint(wire_xr_put_loss_rle(&writer, &range, received), ==, WEIR_OK);
    if (times) {
        g_assert_cmpint(wire_xr_put_receipt_times(&writer, &range, times), ==, WEIR_OK);
    }
    return xr_writer_finish(&writer);
}

static void test_xr_loss_rle_is_per_packet_feedback(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[100];
    rig_send(&rig, 10, WEIR_MS(10));
    size_t len = build_xr(buffer, sizeof(buffer), 65500, "rr.rrrr.rr", NULL);
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 8);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 1);
    g_assert_cmpuint(rig_stats(&rig).feedback_packets[WEIR__FORMAT_INDEX_xr], ==, 1);
    g_assert_cmpint(probe.feedback.rtt_ns, >, 0);
    rig_finish(&rig);
}

/* 90 ticks are 1 ms at 90 kHz. A time of 0 is no time. */
static void test_xr_receipt_times_tell_arrivals(void)
{
    static const uint32_t times[] = {0xffffff00, 0xffffffa0, 0, 0x10, 0x100};
    struct rig rig = rig_start();
    uint8_t buffer[100];
    rig_send(&rig, 5, WEIR_MS(10));
    size_t len = build_xr(buffer, sizeof(buffer), 65500, "rr.rr", times);
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    g_assert_cmpuint(probe.n_news, ==, 4);
    int64_t base_ns = probe.news[0].arrived_ns;
    g_assert_cmpint(base_ns, !=, WEIR_UNKNOWN_NS);
    assert_near(probe.news[1].arrived_ns - base_ns, 0xa0 * 1e9 / 90000, 2);
    assert_near(probe.news[2].arrived_ns - base_ns, 0x110 * 1e9 / 90000, 2);
    assert_near(probe.news[3].arrived_ns - base_ns, 0x200 * 1e9 / 90000, 2);
    rig_finish(&rig);
}

/* Reports two receipt times of a stream; the packets must have been sent. */
static void report_times(struct rig *rig, uint32_t ssrc, uint16_t begin, uint32_t time)
{
    uint8_t buffer[64];
    struct xr_writer writer;
    struct xr_range range = {.ssrc = ssrc, .begin_seq = begin, .end_seq = (uint16_t)(begin + 2)};
    const uint32_t times[] = {time, time + 90};
    g_assert_cmpint(xr_writer_init(&writer, buffer, sizeof(buffer), RIG_PEER), ==, WEIR_OK);
    g_assert_cmpint(wire_xr_put_receipt_times(&writer, &range, times), ==, WEIR_OK);
    g_assert_cmpint(rig_rtcp(rig, buffer, xr_writer_finish(&writer)), ==, WEIR_OK);
}

static void test_a_jump_of_a_streams_clock_is_no_arrival(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 6, WEIR_MS(10));
    report_times(&rig, RIG_SSRC, 65500, 1000);
    report_times(&rig, RIG_SSRC, 65502, 1000 + (UINT32_C(1) << 31));
    report_times(&rig, RIG_SSRC, 65504, 1900 + (UINT32_C(1) << 31));
    for (int i = 0; i < 6; i++) {
        g_assert_true((probe.news[i].arrived_ns == WEIR_UNKNOWN_NS) == (i == 2));
    }
    rig_finish(&rig);
}

/* Its time is to be answered, whether or not it tells something new of packets. */
static void test_a_reference_time_makes_a_report_welcome(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[100];
    rig_send(&rig, 3, WEIR_MS(10));
    for (int has_time = 0; has_time < 2; has_time++) {
        struct xr_writer writer;
        struct xr_range range = {.ssrc = RIG_SSRC, .begin_seq = 9, .end_seq = 12};
        const bool received[] = {true, true, true};
        xr_writer_init(&writer, buffer, sizeof(buffer), RIG_PEER);
        g_assert_cmpint(wire_xr_put_loss_rle(&writer, &range, received), ==, WEIR_OK);
        if (has_time) {
            weir__put_u64(xr_put_block(&writer, WEIR__XR_RRTR, 0, 8), 1);
        }
        g_assert_cmpint(rig_rtcp(&rig, buffer, xr_writer_finish(&writer)), ==,
                        has_time ? WEIR_OK : WEIR_ERROR_REJECTED);
    }
    rig_finish(&rig);
}

/* Each stream has a clock of its own: one is used, the other must not disturb it. */
static void test_receipt_times_of_two_streams_do_not_mix(void)
{
    struct rig rig = rig_start();
    for (uint16_t round = 0; round < 4; round++) {
        for (uint16_t i = 0; i < 2; i++) {
            rig_send_ssrc(&rig, 1, (uint16_t)(2 * round + i));
            rig_send_ssrc(&rig, 2, (uint16_t)(2 * round + i));
            rig.now_ns += WEIR_MS(10);
        }
        probe.n_news = 0;
        report_times(&rig, 1, (uint16_t)(2 * round), 1000 + 1800U * round);
        report_times(&rig, 2, (uint16_t)(2 * round), 0x70000000 + 1800U * round);
        g_assert_cmpuint(probe.n_news, ==, 4);
        g_assert_cmpint(probe.news[0].arrived_ns, !=, WEIR_UNKNOWN_NS);
        g_assert_cmpint(probe.news[1].arrived_ns - probe.news[0].arrived_ns, ==, WEIR_MS(1));
        g_assert_cmpint(probe.news[2].arrived_ns, ==, WEIR_UNKNOWN_NS);
    }
    rig_finish(&rig);
}

static void test_a_broken_xr_block_does_not_take_the_others(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[64];
    /* an RLE block of no chunks, then a good RRTR */
    size_t len = test_hex("80cf00071122334401000002cafebabeffdc000004000002e8d4a51080000000",
                          buffer, sizeof(buffer));
    rig_send(&rig, 2, WEIR_MS(10));
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    g_assert_true(rig.sender->reporters.entries[0].has_rrtr);
    /* only a block nobody knows */
    len = test_hex("80cf000311223344c85500010a0b0c0d", buffer, sizeof(buffer));
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_ERROR_UNSUPPORTED);
    rig_finish(&rig);
}

enum { CCFB, TWCC, XR, RESULTS, FORMATS };

/* The last four packets, all received, 10 ms apart. */
static enum weir_status report_last(struct rig *rig, int format)
{
    static const uint32_t times[4] = {1000, 1900, 2800, 3700};
    uint16_t rtp = (uint16_t)(rig->rtp_seq - 4), transport = (uint16_t)(rig->transport_seq - 4);
    uint8_t buffer[200];
    struct weir_packet_result results[4];
    switch (format) {
    case CCFB:
        return rig_ccfb(rig, rtp, "rrrr");
    case TWCC:
        return rig_twcc(rig, transport, "rrrr", WEIR_SECONDS(64));
    case XR:
        return rig_rtcp(rig, buffer, build_xr(buffer, sizeof(buffer), rtp, "rrrr", times));
    default:
        for (uint16_t i = 0; i < 4; i++) {
            results[i] = (struct weir_packet_result){.transport_seq = (uint16_t)(transport + i),
                                                     .received = true,
                                                     .sent_ns = WEIR_UNKNOWN_NS,
                                                     .arrived_ns = WEIR_MS(10) * i};
        }
        return weir_sender_on_packet_results(rig->sender, rig->now_ns, rig->member, results, 4);
    }
}

/* The first heard has all packets, although the second is always sooner from then on. */
static void test_of_two_formats_the_first_heard_steers(void)
{
    for (int first = 0; first < FORMATS; first++) {
        for (int other = 0; other < FORMATS; other++) {
            if (other == first) {
                continue;
            }
            struct rig rig = rig_start();
            rig.has_transport = true;
            rig_send(&rig, 4, WEIR_MS(10));
            report_last(&rig, first);
            for (int i = 1; i <= 50; i++) {
                rig_send(&rig, 4, WEIR_MS(10));
                g_assert_cmpint(report_last(&rig, other), ==, WEIR_OK);
                g_assert_cmpuint(probe.n_news, ==, (size_t)(4 * i));
                g_assert_cmpint(report_last(&rig, first), ==, WEIR_OK);
                g_assert_cmpuint(probe.n_news, ==, (size_t)(4 * i + 4));
                g_assert_cmpint(probe.n_feedbacks, ==, i + 1);
            }
            struct weir_sender_stats stats = rig_stats(&rig);
            g_assert_cmpuint(stats.packets_received, ==, 204);
            g_assert_cmpuint(stats.results_repeated, ==, first == XR ? 204 : 0); /* two blocks */
            g_assert_cmpint(stats.feedback_interval_ns, ==, WEIR_MS(40));
            uint64_t n_others[] = {stats.feedback_packets[WEIR__FORMAT_INDEX_ccfb],
                                   stats.feedback_packets[WEIR__FORMAT_INDEX_twcc],
                                   stats.feedback_packets[WEIR__FORMAT_INDEX_xr],
                                   stats.feedback_results};
            g_assert_cmpuint(n_others[other], ==, 50);
            rig_finish(&rig);
        }
    }
}

/* The clock of the one is not mixed with that of the other. */
static void test_two_formats_at_once_do_not_mix_clocks(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    for (int i = 0; i < 20; i++) {
        uint16_t rtp = rig.rtp_seq, transport = rig.transport_seq;
        rig_send(&rig, 4, WEIR_MS(10));
        rig_ccfb(&rig, rtp, "rrrr");
        rig_twcc(&rig, transport, "rrrr", WEIR_SECONDS(64) * (i + 1));
    }
    g_assert_cmpuint(probe.n_news, ==, 80);
    for (size_t i = 1; i < 80; i++) {
        assert_near(probe.news[i].arrived_ns - probe.news[i - 1].arrived_ns, WEIR_MS(10),
                    WEIR_MS(40));
    }
    rig_finish(&rig);
}

/* n feedbacks of a format, interval_ns apart; another one reports the same packets a little sooner.
 * Returns how many packets the controller was told by the other. */
static size_t told_by_other(struct rig *rig, int format, int other, int n, int64_t interval_ns)
{
    size_t told = 0;
    for (int i = 0; i < n; i++) {
        rig_send(rig, 4, interval_ns / 4);
        size_t before = probe.n_news;
        report_last(rig, other);
        told += probe.n_news - before;
        if (format != FORMATS) {
            report_last(rig, format);
        }
    }
    return told;
}

static void test_a_format_that_falls_silent_gives_way(void)
{
    static const struct {
        int64_t interval_ns;
        int64_t silence_ns;
    } cases[] = {
        {WEIR_MS(40), WEIR_SECONDS(1)},
        {WEIR_MS(320), WEIR_SECONDS(1)},
        {WEIR_MS(800), WEIR_MS(2400)},
        {WEIR_SECONDS(2), WEIR_SECONDS(6)},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig = rig_start();
        rig.has_transport = true;
        rig_send(&rig, 4, WEIR_MS(10));
        report_last(&rig, CCFB);
        for (int k = 0; k < 20; k++) {
            rig_send(&rig, 4, cases[i].interval_ns / 4);
            report_last(&rig, CCFB);
        }
        int n_held = (int)((cases[i].silence_ns - 1) / WEIR_MS(40));
        g_assert_cmpuint(told_by_other(&rig, FORMATS, TWCC, n_held, WEIR_MS(40)), ==, 0);
        g_assert_cmpuint(told_by_other(&rig, FORMATS, TWCC, 10, WEIR_MS(40)), >=, 36);
        /* and what was first is now the other */
        g_assert_cmpuint(told_by_other(&rig, TWCC, CCFB, 50, WEIR_MS(40)), ==, 0);
        rig_finish(&rig);
    }
}

/* Feedback about nothing that was sent, or about nothing new, does not keep the others out. */
static void test_a_format_without_news_does_not_steer(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    uint16_t old = rig.rtp_seq;
    for (int i = 0; i < 100; i++) {
        rig_send(&rig, 4, WEIR_MS(10));
        rig_ccfb(&rig, (uint16_t)(old + 5000), "rrrr");
        report_last(&rig, TWCC);
    }
    g_assert_cmpuint(probe.n_news, ==, 400);
    for (int i = 0; i < 100; i++) {
        rig_send(&rig, 4, WEIR_MS(10));
        rig_twcc(&rig, 65400, "rrrr", WEIR_SECONDS(64));
        report_last(&rig, CCFB);
    }
    g_assert_cmpuint(probe.n_news, >=, 800 - 104);
    rig_finish(&rig);
}

static void test_a_format_that_may_steer_no_more_gives_way_at_once(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig_send(&rig, 4, WEIR_MS(10));
    report_last(&rig, CCFB);
    weir_sender_set_feedback_formats(rig.sender, rig.now_ns, WEIR_FEEDBACK_TWCC);
    g_assert_cmpuint(told_by_other(&rig, CCFB, TWCC, 10, WEIR_MS(40)), ==, 40);
    rig_finish(&rig);
}

/* For the circuit breaker. */
static void test_the_other_format_is_a_sign_of_life(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig_send(&rig, 4, WEIR_MS(10));
    report_last(&rig, CCFB);
    rig.now_ns += WEIR_MS(500);
    rig_send(&rig, 4, WEIR_MS(10));
    g_assert_cmpint(rig.sender->breaker.unanswered_ns, !=, WEIR_NEVER_NS);
    report_last(&rig, TWCC);
    g_assert_cmpint(rig.sender->breaker.unanswered_ns, ==, WEIR_NEVER_NS);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 4);
    /* but not when it is about packets never sent */
    rig_send(&rig, 4, WEIR_MS(10));
    g_assert_cmpint(rig_twcc(&rig, 1000, "rrrr", WEIR_SECONDS(64)), ==, WEIR_ERROR_REJECTED);
    g_assert_cmpint(rig_twcc(&rig, 1000, "....", WEIR_SECONDS(64)), ==, WEIR_ERROR_REJECTED);
    g_assert_cmpint(rig.sender->breaker.unanswered_ns, !=, WEIR_NEVER_NS);
    rig_finish(&rig);
}

static void test_formats_that_may_not_steer_are_only_counted(void)
{
    struct rig rig = rig_start();
    struct weir_packet_result result = {
        .transport_seq = 65400, .received = true, .sent_ns = WEIR_UNKNOWN_NS};
    uint8_t buffer[100];
    rig.has_transport = true;
    rig_send(&rig, 10, WEIR_MS(10));
    weir_sender_set_feedback_formats(rig.sender, rig.now_ns, WEIR_FEEDBACK_RR);
    struct weir_output before = rig_output(&rig);
    g_assert_cmpint(rig_ccfb(&rig, 65500, "rrrr"), ==, WEIR_OK);
    g_assert_cmpint(rig_twcc(&rig, 65400, "rrrr", 0), ==, WEIR_OK);
    size_t len = build_xr(buffer, sizeof(buffer), 65500, "rr.rrrr.rr", NULL);
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    g_assert_cmpint(weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, &result, 1), ==,
                    WEIR_OK);
    struct weir_output after = rig_output(&rig);
    assert_same_output(&before, &after);
    g_assert_cmpint(probe.n_feedbacks, ==, 0);
    g_assert_cmpuint(rig_stats(&rig).feedback_packets[WEIR__FORMAT_INDEX_ccfb], ==, 1);
    g_assert_cmpuint(rig_stats(&rig).feedback_packets[WEIR__FORMAT_INDEX_twcc], ==, 1);
    rig_finish(&rig);
}

/* A packet of twenty bytes that claims 65535 statuses is answered in bounded work. */
static void test_a_huge_claim_is_bounded(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[64];
    size_t len = test_hex("8fcd000911223344cafebabe000affff000004001fff1fff1fff1fff1fff1fff1fff1f"
                          "ff00070000",
                          buffer, sizeof(buffer));
    rig.has_transport = true;
    rig.transport_seq = 10;
    rig_send(&rig, 100, WEIR_MS(1));
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    g_assert_cmpuint(rig_stats(&rig).results_unsent, <=, WEIR__HISTORY_PACKETS);
    rig_finish(&rig);
}

/* A datagram full of packets that claim thousands of statuses each, in 24 or 40 bytes. */
static void test_many_claims_in_a_datagram_are_bounded_together(void)
{
    static const char *const claims[] = {
        "8fcd000911223344cafebabe000affff000004001fff1fff1fff1fff1fff1fff1fff1fff00070000",
        "80cf000511223344010000030000000100000fff0fff0000",
    };
    static uint8_t datagram[65507];
    for (size_t i = 0; i < G_N_ELEMENTS(claims); i++) {
        struct rig rig = rig_start();
        size_t len = test_hex(claims[i], datagram, sizeof(datagram));
        size_t total = len;
        for (; total + len <= sizeof(datagram); total += len) {
            memcpy(datagram + total, datagram, len);
        }
        rig.has_transport = true;
        rig_send(&rig, 100, WEIR_MS(1));
        rig_rtcp(&rig, datagram, total);
        uint64_t n_read = rig_stats(&rig).results_unsent + rig_stats(&rig).results_repeated;
        g_assert_cmpuint(n_read, <=, WEIR__HISTORY_PACKETS);
        g_assert_cmpuint(n_read, >, 1000);
        /* the next datagram is read again */
        g_assert_cmpint(rig_ccfb(&rig, 65500, "rrrr"), ==, WEIR_OK);
        rig_finish(&rig);
    }
}

/* A deployed sender of feedback counts modulo 255: 254 is followed by 0. The session does not
 * believe that a report is missing, whatever the counter does. */
static void test_no_step_of_the_feedback_counter_loses_a_packet(void)
{
    static const uint8_t counters[] = {253, 254, 0, 1, 1, 200, 3, 255, 0};
    struct rig rig = rig_start();
    rig.has_transport = true;
    uint16_t begin = rig.transport_seq;
    for (size_t i = 0; i < G_N_ELEMENTS(counters); i++) {
        rig.fb_count = counters[i];
        rig_send(&rig, 4, WEIR_MS(5));
        g_assert_cmpint(rig_twcc(&rig, (uint16_t)(begin + 4 * i), "rrrr", rig.now_ns), ==, WEIR_OK);
    }
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 4 * G_N_ELEMENTS(counters));
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    g_assert_cmpuint(rig_stats(&rig).rtcp_rejected, ==, 0);
    rig_finish(&rig);
}

/* Sends 2 x 4 packets, of members 0 and 1 by turns, with the same numbers on both. */
static void send_by_turns(struct rig *rig, uint16_t number)
{
    for (int i = 0; i < 8; i++) {
        rig->member = (uint32_t)i % 2;
        rig->transport_seq = (uint16_t)(number + i / 2);
        rig_send_ssrc(rig, RIG_SSRC + rig->member, rig->rtp_seq++);
        rig->now_ns += WEIR_MS(5);
    }
}

static void test_transports_with_the_same_numbers_do_not_mix(void)
{
    struct rig rig = rig_start();
    rig_add_members(&rig, 2);
    rig.has_transport = true;
    for (int i = 0; i < 50; i++) {
        uint16_t number = (uint16_t)(65500 + 4 * i);
        size_t before = probe.n_news;
        send_by_turns(&rig, number);
        rig.member = 0;
        rig_twcc(&rig, number, "rrrr", WEIR_SECONDS(64) + WEIR_MS(40) * i);
        g_assert_cmpuint(probe.n_news, ==, before + 4);
        for (size_t k = before; k < before + 4; k++) {
            g_assert_cmpint(probe.news[k].seq % 2, ==, 0);
        }
        rig.member = 1;
        rig_twcc(&rig, number, "rrrr", WEIR_SECONDS(6400) + WEIR_MS(40) * i);
        g_assert_cmpuint(probe.n_news, ==, before + 8);
        for (size_t k = before + 4; k < before + 8; k++) {
            g_assert_cmpint(probe.news[k].seq % 2, ==, 1);
        }
    }
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 400);
    g_assert_cmpuint(rig_stats(&rig).results_unsent, ==, 0);
    rig_finish(&rig);
}

/* One transport is told of in CCFB, another in TWCC, a third by another stack: none waits. */
static void test_each_transport_has_a_format_that_steers(void)
{
    struct rig rig = rig_start();
    rig_add_members(&rig, 3);
    rig.has_transport = true;
    for (int i = 0; i < 20; i++) {
        for (rig.member = 0; rig.member < 3; rig.member++) {
            rig_send(&rig, 4, WEIR_MS(3));
            report_last(&rig, rig.member == 0 ? CCFB : rig.member == 1 ? TWCC : RESULTS);
        }
    }
    g_assert_cmpuint(probe.n_news, ==, 240);
    rig.member = 0;
    g_assert_cmpuint(told_by_other(&rig, CCFB, TWCC, 5, WEIR_MS(40)), ==, 0);
    rig_finish(&rig);
}

static void test_a_member_that_is_not_there_is_refused(void)
{
    struct rig rig = rig_start();
    struct weir_packet_result result = {.received = true};
    struct weir_sent sent = {.rtp_bytes = 100, .member = 1};
    uint8_t data[8] = {0x80, 201, 0, 1};
    static struct weir_sender before;
    before = *rig.sender;
    g_assert_cmpint(weir_sender_on_sent(rig.sender, rig.now_ns, &sent), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_sender_on_rtcp(rig.sender, rig.now_ns, 1, data, 8), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_sender_on_packet_results(rig.sender, rig.now_ns, UINT32_MAX, &result, 1),
                    ==, WEIR_ERROR_ARGUMENT);
    g_assert_true(memcmp(&before, rig.sender, sizeof(before)) == 0);
    rig_finish(&rig);
}

/* A stranger that sees nothing of ours reports first, about a stream that is not ours. */
static void test_whoever_names_no_packet_takes_no_clock(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[200];
    rig_send(&rig, 5, WEIR_MS(10));
    size_t len = rig_build_ccfb(&rig, 0x55, 0xdead, 7, "rrr", 0, buffer, sizeof(buffer));
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_ERROR_REJECTED);
    g_assert_false(weir__reporters_find(&rig.sender->reporters, 0, 0x55)->is_heeded);
    rig_ccfb(&rig, 65500, "rrrrr");
    g_assert_cmpuint(probe.n_news, ==, 5);
    for (int i = 0; i < 5; i++) {
        g_assert_cmpint(probe.news[i].arrived_ns, !=, WEIR_UNKNOWN_NS);
    }
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_formats/ccfb_tells_arrivals_and_marks",
                    test_ccfb_tells_arrivals_and_marks);
    g_test_add_func("/sender_formats/ccfb_without_times_still_tells_what_arrived",
                    test_ccfb_without_times_still_tells_what_arrived);
    g_test_add_func("/sender_formats/a_peer_that_counts_one_less_is_understood",
                    test_a_peer_that_counts_one_less_is_understood);
    g_test_add_func("/sender_formats/overlapping_blocks_keep_what_arrived",
                    test_overlapping_blocks_keep_what_arrived);
    g_test_add_func("/sender_formats/twcc_tells_arrivals_by_transport_number",
                    test_twcc_tells_arrivals_by_transport_number);
    g_test_add_func("/sender_formats/twcc_in_swapped_order_is_all_used",
                    test_twcc_in_swapped_order_is_all_used);
    g_test_add_func("/sender_formats/packets_of_a_lost_feedback_are_not_in_flight",
                    test_packets_of_a_lost_feedback_are_not_in_flight);
    g_test_add_func("/sender_formats/the_reference_time_wraps", test_the_reference_time_wraps);
    g_test_add_func("/sender_formats/an_absurd_clock_jump_costs_one_feedback_of_arrivals",
                    test_an_absurd_clock_jump_costs_one_feedback_of_arrivals);
    g_test_add_func("/sender_formats/a_new_receiver_ssrc_keeps_feeding",
                    test_a_new_receiver_ssrc_keeps_feeding);
    g_test_add_func("/sender_formats/two_formats_at_once_do_not_mix_clocks",
                    test_two_formats_at_once_do_not_mix_clocks);
    g_test_add_func("/sender_formats/xr_loss_rle_is_per_packet_feedback",
                    test_xr_loss_rle_is_per_packet_feedback);
    g_test_add_func("/sender_formats/xr_receipt_times_tell_arrivals",
                    test_xr_receipt_times_tell_arrivals);
    g_test_add_func("/sender_formats/receipt_times_of_two_streams_do_not_mix",
                    test_receipt_times_of_two_streams_do_not_mix);
    g_test_add_func("/sender_formats/a_broken_xr_block_does_not_take_the_others",
                    test_a_broken_xr_block_does_not_take_the_others);
    g_test_add_func("/sender_formats/of_two_formats_the_first_heard_steers",
                    test_of_two_formats_the_first_heard_steers);
    g_test_add_func("/sender_formats/a_format_that_falls_silent_gives_way",
                    test_a_format_that_falls_silent_gives_way);
    g_test_add_func("/sender_formats/a_format_without_news_does_not_steer",
                    test_a_format_without_news_does_not_steer);
    g_test_add_func("/sender_formats/a_format_that_may_steer_no_more_gives_way_at_once",
                    test_a_format_that_may_steer_no_more_gives_way_at_once);
    g_test_add_func("/sender_formats/the_other_format_is_a_sign_of_life",
                    test_the_other_format_is_a_sign_of_life);
    g_test_add_func("/sender_formats/formats_that_may_not_steer_are_only_counted",
                    test_formats_that_may_not_steer_are_only_counted);
    g_test_add_func("/sender_formats/a_huge_claim_is_bounded", test_a_huge_claim_is_bounded);
    g_test_add_func("/sender_formats/many_claims_in_a_datagram_are_bounded_together",
                    test_many_claims_in_a_datagram_are_bounded_together);
    g_test_add_func("/sender_formats/no_step_of_the_feedback_counter_loses_a_packet",
                    test_no_step_of_the_feedback_counter_loses_a_packet);
    g_test_add_func("/sender_formats/transports_with_the_same_numbers_do_not_mix",
                    test_transports_with_the_same_numbers_do_not_mix);
    g_test_add_func("/sender_formats/each_transport_has_a_format_that_steers",
                    test_each_transport_has_a_format_that_steers);
    g_test_add_func("/sender_formats/a_member_that_is_not_there_is_refused",
                    test_a_member_that_is_not_there_is_refused);
    g_test_add_func("/sender_formats/whoever_names_no_packet_takes_no_clock",
                    test_whoever_names_no_packet_takes_no_clock);
    g_test_add_func("/sender_formats/a_jump_of_a_streams_clock_is_no_arrival",
                    test_a_jump_of_a_streams_clock_is_no_arrival);
    g_test_add_func("/sender_formats/a_reference_time_makes_a_report_welcome",
                    test_a_reference_time_makes_a_report_welcome);
    return g_test_run();
}
