/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../wire.h"
#include "codec/xr.h"
#include "sender_rig.h"

/* A second of 50 packets, then a receiver report about all of it; the cumulative loss is given. */
static enum weir_status second_with_report(struct rig *rig, uint32_t peer, int32_t cumulative_lost)
{
    rig_send(rig, 50, WEIR_MS(20));
    return rig_rr(rig, peer, (uint32_t)(rig->rtp_seq - 1) & 0xffff, cumulative_lost, 0, 0);
}

static void test_reports_alone_steer_by_their_differences(void)
{
    struct rig rig = rig_start();
    second_with_report(&rig, RIG_PEER, 100);
    g_assert_cmpint(probe.n_reports, ==, 0);
    for (int i = 1; i <= 10; i++) {
        g_assert_cmpint(second_with_report(&rig, RIG_PEER, 100 + 5 * i), ==, WEIR_OK);
        g_assert_cmpint(probe.n_reports, ==, i);
        g_assert_cmpint(probe.report.expected_packets, ==, 50);
        g_assert_cmpint(probe.report.lost_packets, ==, 5);
        g_assert_cmpint(probe.report.interval_ns, ==, WEIR_SECONDS(1));
        g_assert_cmpint(probe.report.packet_bytes, ==, 1200);
        g_assert_cmpint(probe.report.sent_bytes, ==, 60000);
        g_assert_cmpint(probe.report.rtt_ns, ==, WEIR_UNKNOWN_NS);
    }
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_REPORTS_ONLY, !=, 0);
    struct weir_sender_stats stats = rig_stats(&rig);
    g_assert_cmpuint(stats.packets_received, ==, 450);
    g_assert_cmpuint(stats.packets_lost, ==, 50);
    g_assert_cmpuint(stats.feedback_packets[WEIR__FORMAT_INDEX_rr], ==, 11);
    assert_near(stats.loss_ppm, 100000, 1000);
    rig_finish(&rig);
}

/* Packets leave each 20 ms, and three numbers were never sent: the packet behind the newest one is
 * the next that was. When all have arrived, none is missing. */
static void test_reports_tell_the_age_of_the_newest_and_the_next_packet(void)
{
    struct rig rig = rig_start();
    second_with_report(&rig, RIG_PEER, 0);
    rig_send(&rig, 10, WEIR_MS(20));
    uint32_t last_seq = (uint32_t)(rig.rtp_seq - 1) & 0xffff;
    rig.rtp_seq = (uint16_t)(rig.rtp_seq + 3);
    rig_send(&rig, 40, WEIR_MS(20));
    rig_rr(&rig, RIG_PEER, last_seq, 0, 0, 0);
    g_assert_cmpint(probe.report.newest_age_ns - probe.report.missing_age_ns, ==, WEIR_MS(20));
    g_assert_cmpint(probe.report.missing_age_ns, ==, WEIR_MS(20 * 40));
    second_with_report(&rig, RIG_PEER, 0);
    g_assert_cmpint(probe.report.newest_age_ns, ==, WEIR_MS(20));
    g_assert_cmpint(probe.report.missing_age_ns, ==, 0);
    rig_finish(&rig);
}

static void test_a_missed_report_makes_the_next_one_longer(void)
{
    struct rig rig = rig_start();
    second_with_report(&rig, RIG_PEER, 0);
    rig_send(&rig, 50, WEIR_MS(20));
    second_with_report(&rig, RIG_PEER, 7);
    g_assert_cmpint(probe.n_reports, ==, 1);
    g_assert_cmpint(probe.report.expected_packets, ==, 100);
    g_assert_cmpint(probe.report.interval_ns, ==, WEIR_SECONDS(2));
    rig_finish(&rig);
}

static void test_replayed_and_reordered_reports_do_not_steer(void)
{
    struct rig rig = rig_start();
    for (int i = 0; i < 4; i++) {
        second_with_report(&rig, RIG_PEER, i);
    }
    struct weir_output before = rig_output(&rig);
    for (int i = 0; i < 50; i++) {
        rig_rr(&rig, RIG_PEER, (uint32_t)(rig.rtp_seq - 1) & 0xffff, 3 + i, 0, 0);
        rig_rr(&rig, RIG_PEER, (uint32_t)(rig.rtp_seq - 60) & 0xffff, 900, 0, 0);
    }
    struct weir_output after = rig_output(&rig);
    assert_same_output(&before, &after);
    g_assert_cmpint(probe.n_reports, ==, 3);
    second_with_report(&rig, RIG_PEER, 5);
    g_assert_cmpint(probe.report.expected_packets, ==, 50);
    g_assert_cmpint(probe.report.lost_packets, ==, 2);
    rig_finish(&rig);
}

/* A receiver that restarts has another SSRC and counts from zero: it is heard when it echoes a
 * sender report, and steers when the one before has been silent. */
static void test_a_restarted_receiver_gets_a_new_base(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[200];
    size_t len;
    uint64_t ntp = weir_ntp_from_unix_ns(WEIR_SECONDS(1700000000));
    for (int i = 0; i < 20; i++) {
        second_with_report(&rig, RIG_PEER, 500 + 10 * i);
    }
    g_assert_cmpint(probe.n_reports, ==, 19);
    weir_sender_build_report(rig.sender, rig.now_ns, 0, ntp, buffer, sizeof(buffer), &len);
    second_with_report(&rig, 0x77, 0);
    rig_rr(&rig, 0x77, (uint32_t)(rig.rtp_seq - 1) & 0xffff, 0, weir__ntp_mid32(ntp), 65500);
    int n_reports = 0;
    for (int i = 1; i <= 10; i++) {
        n_reports = probe.n_reports;
        second_with_report(&rig, 0x77, 2 * i);
    }
    g_assert_cmpint(probe.n_reports, ==, n_reports + 1);
    g_assert_cmpuint(rig_stats(&rig).rtcp_ignored, >=, 3);
    g_assert_cmpint(probe.report.expected_packets, ==, 50);
    g_assert_cmpint(probe.report.lost_packets, ==, 2);
    rig_finish(&rig);
}

static void test_reports_do_not_steer_beside_per_packet_feedback(void)
{
    struct rig rig = rig_start();
    for (int i = 0; i < 10; i++) {
        uint16_t begin = rig.rtp_seq;
        second_with_report(&rig, RIG_PEER, 0);
        rig_ccfb(&rig, begin, "rrrr");
    }
    g_assert_cmpint(probe.n_reports, ==, 0);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_REPORTS_ONLY, ==, 0);
    /* three seconds after it stops they take over */
    for (int i = 0; i < 5; i++) {
        second_with_report(&rig, RIG_PEER, 0);
        g_assert_cmpint(probe.n_reports, ==, i <= 2 ? 0 : i - 2);
    }
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_REPORTS_ONLY, !=, 0);
    rig_ccfb(&rig, (uint16_t)(rig.rtp_seq - 4), "rrrr");
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_REPORTS_ONLY, ==, 0);
    rig_finish(&rig);
}

/* Nobody speaks for four seconds, and a receiver report tells the end of what was said. */
static void test_reports_in_our_silence_do_not_steer(void)
{
    struct rig rig = rig_start();
    for (int i = 0; i < 5; i++) {
        uint16_t begin = rig.rtp_seq;
        second_with_report(&rig, RIG_PEER, 0);
        rig_ccfb(&rig, begin, "rrrr");
        int64_t interval_ns = rig_stats(&rig).feedback_interval_ns;
        rig_send(&rig, 2, WEIR_MS(20));
        rig.now_ns += WEIR_SECONDS(4);
        rig_rr(&rig, RIG_PEER, (uint32_t)(rig.rtp_seq - 1) & 0xffff, 0, 0, 0);
        g_assert_cmpint(rig_stats(&rig).feedback_interval_ns, ==, interval_ns);
    }
    g_assert_cmpint(probe.n_reports, ==, 0);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_REPORTS_ONLY, ==, 0);
    assert_near(rig_stats(&rig).feedback_interval_ns, WEIR_SECONDS(1), WEIR_MS(100));
    rig_finish(&rig);
}

static void test_an_algorithm_without_the_form_says_so(void)
{
    struct rig rig = rig_start();
    struct weir_controller needy = rig_controller;
    needy.needs = WEIR_NEEDS_PACKETS;
    rig.sender->driver.controller = &needy;
    second_with_report(&rig, RIG_PEER, 0);
    g_assert_cmpint(second_with_report(&rig, RIG_PEER, 0), ==, WEIR_ERROR_NEEDS_FEEDBACK);
    g_assert_cmpint(probe.n_reports, ==, 0);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_REPORTS_ONLY, !=, 0);
    rig_finish(&rig);
}

/* An algorithm that lives on reports gets them whatever else comes. */
static void test_an_algorithm_of_reports_gets_them_beside_feedback(void)
{
    struct rig rig = rig_start();
    struct weir_controller reports = rig_controller;
    reports.on_feedback = NULL;
    rig.sender->driver.controller = &reports;
    for (int i = 0; i < 5; i++) {
        uint16_t begin = rig.rtp_seq;
        second_with_report(&rig, RIG_PEER, 0);
        rig_ccfb(&rig, begin, "rrrr");
    }
    g_assert_cmpint(probe.n_reports, ==, 4);
    rig_finish(&rig);
}

/* What per-packet feedback tells is counted once, whatever the algorithm lives on. */
static void test_reports_beside_per_packet_feedback_count_nothing(void)
{
    struct weir_controller without = rig_controller, reports = rig_controller;
    without.needs = 0;
    without.on_feedback = NULL;
    without.on_report = NULL;
    reports.on_feedback = NULL;
    const struct weir_controller *controllers[] = {&rig_controller, &without, &reports};
    for (size_t c = 0; c < G_N_ELEMENTS(controllers); c++) {
        struct rig rig = rig_start();
        rig.sender->driver.controller = controllers[c];
        for (int i = 0; i < 40; i++) {
            uint16_t begin = rig.rtp_seq;
            rig_send(&rig, 10, WEIR_MS(20));
            g_assert_cmpint(rig_ccfb(&rig, begin, "rrrr.rrrrr"), ==, WEIR_OK);
            g_assert_cmpint(rig_rr(&rig, RIG_PEER, (uint16_t)(rig.rtp_seq - 1), i + 1, 0, 0), ==,
                            WEIR_OK);
        }
        struct weir_sender_stats stats = rig_stats(&rig);
        g_assert_cmpuint(stats.packets_received, ==, 360);
        g_assert_cmpuint(stats.packets_lost, ==, 40);
        assert_near(stats.loss_ppm, 100000, 1000);
        assert_near(stats.delivered_wire_bps, 9 * 1200 * 8 * 5, 5 * 1200 * 8);
        g_assert_cmpint(stats.feedback_interval_ns, ==, WEIR_MS(200));
        g_assert_cmpuint(stats.feedback_packets[WEIR__FORMAT_INDEX_rr], ==, 40);
        g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_REPORTS_ONLY, ==, 0);
        rig_finish(&rig);
    }
}

static void test_streams_of_one_reporter_are_added_up(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[200];
    size_t len;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 50; i++) {
            rig_send_ssrc(&rig, 1, (uint16_t)(50 * round + i));
            rig_send_ssrc(&rig, 2, (uint16_t)(50 * round + i));
            rig.now_ns += WEIR_MS(20);
        }
        struct weir__report report = {
            .ssrc = RIG_PEER,
            .n_blocks = 3,
            .blocks = {{.ssrc = 1,
                        .highest_seq = (uint32_t)(50 * round + 49),
                        .cumulative_lost = 2 * round},
                       {.ssrc = 2,
                        .highest_seq = (uint32_t)(50 * round + 49),
                        .cumulative_lost = 3 * round},
                       {.ssrc = 99, .highest_seq = 5000, .cumulative_lost = 77 * round}},
        };
        weir__report_build(&report, buffer, sizeof(buffer), &len);
        g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    }
    g_assert_cmpint(probe.n_reports, ==, 2);
    g_assert_cmpint(probe.report.expected_packets, ==, 100);
    g_assert_cmpint(probe.report.lost_packets, ==, 5);
    rig_finish(&rig);
}

static void test_remb_is_an_upper_bound_that_expires(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 1, 0);
    g_assert_cmpint(rig_remb(&rig, RIG_SSRC, 600000), ==, WEIR_OK);
    assert_near(rig_output(&rig).allowed_wire_bps, 600000, 600000 >> 17);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_REMB_CAPPED, !=, 0);
    g_assert_cmpint(rig_stats(&rig).remb_bps, ==, rig_output(&rig).allowed_wire_bps);
    /* above our own rate it does nothing */
    rig_remb(&rig, RIG_SSRC, WEIR_MBPS(50));
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, WEIR_MBPS(1));
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_REMB_CAPPED, ==, 0);
    /* zero is the minimum */
    rig_remb(&rig, RIG_SSRC, 0);
    g_assert_cmpint(rig_output(&rig).target_media_bps, ==, WEIR_KBPS(30));
    g_assert_cmpint(weir_sender_next_timer_ns(rig.sender), <=, rig.now_ns + WEIR_SECONDS(5));
    rig.now_ns += WEIR_SECONDS(5);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, WEIR_MBPS(1));
    g_assert_cmpint(rig_stats(&rig).remb_bps, ==, INT64_MAX);
    rig_finish(&rig);
}

/* Who else knows our SSRC may lower it, for as long as it holds. */
static void test_remb_of_another_counts_when_it_is_lower(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 1, 0);
    rig_remb(&rig, RIG_SSRC, 600000);
    int64_t first_bps = rig_stats(&rig).remb_bps;
    rig_remb_of(&rig, 0x77, RIG_SSRC, 800000);
    g_assert_cmpint(rig_stats(&rig).remb_bps, ==, first_bps);
    rig_remb_of(&rig, 0x77, RIG_SSRC, 200000);
    rig_remb(&rig, RIG_SSRC, 600000);
    assert_near(rig_stats(&rig).remb_bps, 200000, 2);
    rig.now_ns += WEIR_SECONDS(5);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    rig_remb(&rig, RIG_SSRC, 600000);
    g_assert_cmpint(rig_stats(&rig).remb_bps, ==, first_bps);
    rig_finish(&rig);
}

static void test_remb_about_others_is_ignored(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 1, 0);
    g_assert_cmpint(rig_remb(&rig, 0xdeadbeef, 100000), ==, WEIR_ERROR_UNSUPPORTED);
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, WEIR_MBPS(1));
    g_assert_cmpuint(rig_stats(&rig).feedback_packets[WEIR__FORMAT_INDEX_remb], ==, 0);
    weir_sender_set_feedback_formats(rig.sender, rig.now_ns, WEIR_FEEDBACK_CCFB);
    g_assert_cmpint(rig_remb(&rig, RIG_SSRC, 100000), ==, WEIR_OK);
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, WEIR_MBPS(1));
    g_assert_cmpuint(rig_stats(&rig).feedback_packets[WEIR__FORMAT_INDEX_remb], ==, 1);
    rig_finish(&rig);
}

static void test_requests_are_counted_when_they_are_ours(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[200];
    rig_send(&rig, 1, 0);
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t ssrc = RIG_SSRC + k;
        const uint32_t lost[] = {5 << 16};
        const uint32_t asked[] = {ssrc, 0};
        size_t len = wire_request_build(WEIR__RTCP_RTPFB, WEIR__RTPFB_NACK, ssrc, lost, 1, buffer);
        rig_rtcp(&rig, buffer, len);
        len = wire_request_build(WEIR__RTCP_PSFB, WEIR__PSFB_PLI, ssrc, NULL, 0, buffer);
        rig_rtcp(&rig, buffer, len);
        len = wire_request_build(WEIR__RTCP_PSFB, WEIR__PSFB_FIR, 0, asked, 2, buffer);
        rig_rtcp(&rig, buffer, len);
    }
    uint32_t many[2 * 17] = {[2 * 16] = RIG_SSRC}; /* of which 16 are looked at */
    rig_rtcp(&rig, buffer,
             wire_request_build(WEIR__RTCP_PSFB, WEIR__PSFB_FIR, 0, many, 2 * 17, buffer));
    struct weir_sender_stats stats = rig_stats(&rig);
    g_assert_cmpuint(stats.nacks, ==, 1);
    g_assert_cmpuint(stats.plis, ==, 1);
    g_assert_cmpuint(stats.firs, ==, 1);
    g_assert_cmpuint(stats.rtcp_packets, ==, 7);
    rig_finish(&rig);
}

static void test_each_packet_of_a_compound_is_counted_for_itself(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[200];
    /* SDES, BYE, APP, an unknown type, RTPFB and PSFB of unknown formats, a short RR */
    size_t len = test_hex("81ca0003cafebabe01056140622e6300"
                          "81cb000111223344"
                          "80cc00021122334441424344"
                          "80d0000111223344"
                          "99cd000211223344cafebabe"
                          "99ce000211223344cafebabe"
                          "80c90000",
                          buffer, sizeof(buffer));
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    struct weir_sender_stats stats = rig_stats(&rig);
    g_assert_cmpuint(stats.rtcp_packets, ==, 2);
    g_assert_cmpuint(stats.rtcp_unknown, ==, 4);
    g_assert_cmpuint(stats.rtcp_malformed, ==, 1);
    g_assert_cmpint(rig_rtcp(&rig, buffer, 3), ==, WEIR_ERROR_MALFORMED);
    g_assert_cmpint(rig_rtcp(&rig, NULL, 3), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(rig_rtcp(&rig, buffer, 0), ==, WEIR_ERROR_ARGUMENT);
    rig_finish(&rig);
}

static void test_invented_reporters_are_bounded(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[200];
    int rejected = 0;
    rig_send(&rig, 5, WEIR_MS(10));
    for (uint32_t i = 0; i < 500; i++) {
        size_t len =
            rig_build_ccfb(&rig, 1000 + i, RIG_SSRC, 65500, "r", 0, buffer, sizeof(buffer));
        rejected += rig_rtcp(&rig, buffer, len) == WEIR_ERROR_REJECTED;
    }
    g_assert_cmpint(rejected, ==, 500 - WEIR__REPORTERS);
    g_assert_cmpint(rig_twcc(&rig, 5, "r", 0), ==, WEIR_ERROR_REJECTED);
    g_assert_cmpint(rig_rr(&rig, RIG_PEER, 65500, 0, 0, 0), ==, WEIR_ERROR_REJECTED);
    rig_finish(&rig);
}

/* Every length of every format, and every byte changed to everything: what cannot be read changes
 * nothing, and what can be read keeps the output within the limits. */
static void test_malformed_rtcp_never_changes_the_output(void)
{
    struct rig rig = rig_start();
    uint8_t formats[4][200];
    size_t lens[4];
    rig.has_transport = true;
    rig_send(&rig, 40, WEIR_MS(10));
    lens[0] = rig_build_ccfb(&rig, RIG_PEER, RIG_SSRC, 65510, "rr.rr", 0, formats[0], 200);
    lens[1] = rig_build_twcc(&rig, 65410, "rr.rr", WEIR_SECONDS(5), formats[1], 200);
    lens[2] = test_hex("81c9000711223344cafebabe400000330000ffe0000000a0b705200000054000",
                       formats[2], 200);
    lens[3] = test_hex("8fce0005112233440000000052454d42010bd090cafebabe", formats[3], 200);
    for (int f = 0; f < 4; f++) {
        for (size_t len = 1; len < lens[f]; len++) {
            struct weir_output before = rig_output(&rig);
            uint64_t read = rig_stats(&rig).rtcp_packets;
            rig_rtcp(&rig, formats[f], len);
            struct weir_output after = rig_output(&rig);
            g_assert_cmpuint(rig_stats(&rig).rtcp_packets, ==, read);
            assert_same_output(&before, &after);
            rig.now_ns += WEIR_MS(2);
        }
        for (size_t at = 0; at < lens[f]; at++) {
            for (int value = 0; value < 256; value++) {
                uint8_t bytes[200];
                memcpy(bytes, formats[f], lens[f]);
                bytes[at] = (uint8_t)value;
                struct weir_output before = rig_output(&rig);
                enum weir_status status = rig_rtcp(&rig, bytes, lens[f]);
                struct weir_output after = rig_output(&rig);
                if (status == WEIR_ERROR_MALFORMED || status == WEIR_ERROR_TRUNCATED) {
                    before.state = after.state;
                    assert_same_output(&before, &after);
                }
                g_assert_cmpint(after.target_media_bps, <=, WEIR_MBPS(10));
                g_assert_cmpint(after.allowed_wire_bps, >=, 0);
                rig.now_ns += WEIR_MS(1);
            }
        }
    }
    rig_finish(&rig);
}

/* RFC 8083 from end to end: silence stops the media, RTCP starts it again at the minimum. */
static void test_the_breaker_stops_and_feedback_restarts(void)
{
    struct rig rig = rig_start();
    second_with_report(&rig, RIG_PEER, 0);
    for (int i = 0; i < 160; i++) {
        rig_send(&rig, 10, WEIR_MS(10));
        weir_sender_on_timer(rig.sender, rig.now_ns);
    }
    struct weir_output output = rig_output(&rig);
    g_assert_cmpuint(output.state & WEIR_STATE_BREAKER_CEASED, !=, 0);
    g_assert_cmpint(output.allowed_wire_bps, ==, 0);
    g_assert_cmpint(output.target_media_bps, ==, 0);
    g_assert_cmpint(output.pacing_wire_bps, ==, 0);
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 100), ==, WEIR_NEVER_NS);
    /* an empty RR: the receiver has forgotten us, but lives */
    uint8_t empty[] = {0x80, 0xc9, 0, 1, 0x11, 0x22, 0x33, 0x44};
    rig.now_ns += WEIR_SECONDS(5);
    g_assert_cmpint(rig_rtcp(&rig, empty, sizeof(empty)), ==, WEIR_OK);
    for (int64_t due_ns; (due_ns = weir_sender_next_timer_ns(rig.sender)) != WEIR_NEVER_NS &&
                         (rig_output(&rig).state & WEIR_STATE_BREAKER_CEASED);) {
        rig.now_ns = weir_max_i64(due_ns, rig.now_ns);
        weir_sender_on_timer(rig.sender, rig.now_ns);
    }
    output = rig_output(&rig);
    g_assert_cmpuint(output.state & WEIR_STATE_BREAKER_CEASED, ==, 0);
    g_assert_cmpuint(output.state & WEIR_STATE_BREAKER_REDUCED, !=, 0);
    g_assert_cmpint(output.target_media_bps, ==, WEIR_KBPS(30));
    g_assert_cmpint(weir_sender_next_send_ns(rig.sender, rig.now_ns, 100), <, WEIR_NEVER_NS);
    for (int i = 0; i < 30; i++) {
        uint16_t begin = rig.rtp_seq;
        rig_send(&rig, 2, WEIR_MS(500));
        rig_ccfb(&rig, begin, "rr");
    }
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_BREAKER_REDUCED, ==, 0);
    rig_finish(&rig);
}

static void test_a_peer_never_heard_gets_the_minimum(void)
{
    struct rig rig = rig_start();
    for (int i = 0; i < 200; i++) {
        rig_send(&rig, 10, WEIR_MS(10));
        weir_sender_on_timer(rig.sender, rig.now_ns);
    }
    g_assert_cmpint(rig_output(&rig).target_media_bps, ==, WEIR_KBPS(30));
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_BREAKER_REDUCED, !=, 0);
    rig_finish(&rig);
}

static void test_without_the_breaker_silence_is_the_controllers_matter(void)
{
    struct weir_sender_config config = rig_config();
    config.circuit_breaker = false;
    struct rig rig = rig_new(&config);
    for (int i = 0; i < 200; i++) {
        rig_send(&rig, 10, WEIR_MS(10));
        weir_sender_on_timer(rig.sender, rig.now_ns);
    }
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, WEIR_MBPS(1));
    rig_finish(&rig);
}

static void test_reports_that_may_not_steer_are_signs_of_life(void)
{
    struct weir_sender_config config = rig_config();
    config.feedback_formats = WEIR_FEEDBACK_CCFB;
    struct rig rig = rig_new(&config);
    for (int i = 0; i < 40; i++) {
        second_with_report(&rig, RIG_PEER, 5 * i);
    }
    g_assert_cmpint(probe.n_reports, ==, 0);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_BREAKER_REDUCED, ==, 0);
    rig_finish(&rig);
}

/* 20 packets in 100 ms, all of which feedback on packets reports received; then a report of as many
 * losses. */
static void tenth_with_losses(struct rig *rig, int32_t cumulative_lost)
{
    uint16_t begin = rig->rtp_seq;
    rig_send(rig, 20, WEIR_MS(5));
    rig_ccfb(rig, begin, "rrrrrrrrrrrrrrrrrrrr");
    rig_rr(rig, RIG_PEER, (uint32_t)(rig->rtp_seq - 1) & 0xffff, cumulative_lost, 0, 0);
}

/* Two speak in one name: what the other told of the path is not true either. */
static void test_of_feedback_and_reports_the_worse_is_believed(void)
{
    struct rig rig = rig_start();
    struct weir_limits limits = {.min_bps = 30000, .max_bps = WEIR_MBPS(20), .start_bps = 500000};
    rig_set_limits(&rig, &limits);
    probe.control.rate_bps = WEIR_MBPS(10);
    for (int32_t k = 0; k < 20; k++) {
        tenth_with_losses(&rig, 0);
    }
    g_assert_cmpint(probe.n_reports, ==, 0);
    g_assert_cmpint(probe.n_inits, ==, 0);
    int64_t proved_bps = 11 * 1200 * 8 * 20; /* eleven packets in 50 ms */
    assert_near(rig_output(&rig).allowed_wire_bps, 2 * proved_bps, 20000);
    for (int32_t k = 1; k <= 2; k++) {
        g_assert_cmpuint(rig_stats(&rig).feedback_denied, ==, 0);
        probe.control.rate_bps = k == 2 ? 500000 : WEIR_MBPS(10); /* it starts anew */
        tenth_with_losses(&rig, 10 * k);
    }
    g_assert_cmpuint(rig_stats(&rig).feedback_denied, ==, 1);
    g_assert_cmpint(probe.n_inits, ==, 1);
    g_assert_cmpint(probe.config.limits.start_bps, ==, 500000);
    g_assert_cmpint(probe.n_reports, ==, 1);
    g_assert_cmpint(probe.report.lost_packets, ==, 10);
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, 500000);
    probe.control.rate_bps = WEIR_MBPS(10);
    tenth_with_losses(&rig, 30);
    assert_near(rig_output(&rig).allowed_wire_bps, 2 * 960000, 20000);
    size_t n_news = probe.n_news;
    for (int32_t k = 4; k < 600; k++) {
        tenth_with_losses(&rig, 10 * k);
    }
    g_assert_cmpuint(probe.n_news, ==, n_news);
    g_assert_cmpint(probe.n_reports, ==, 598);
    g_assert_cmpuint(rig_stats(&rig).feedback_denied, ==, 1);
    for (int32_t k = 0; k < 20; k++) {
        tenth_with_losses(&rig, 6000);
    }
    g_assert_cmpuint(probe.n_news, >, n_news);
    rig_finish(&rig);
}

/* A queue of the program dropped packets before they were sent: every third frame of five packets.
 */
static void test_packets_never_sent_are_not_lost_on_the_way(void)
{
    struct rig rig = rig_start();
    int32_t lost = 0;
    second_with_report(&rig, RIG_PEER, 0);
    for (int i = 1; i <= 20; i++) {
        for (int k = 0; k < 10; k++) {
            rig_send(&rig, 5, WEIR_MS(20));
            rig.rtp_seq = (uint16_t)(rig.rtp_seq + 5 * (k % 3 == 0));
            lost += 5 * (k % 3 == 0);
        }
        rig_send(&rig, 1, 0);
        lost += i % 2;
        rig_rr(&rig, RIG_PEER, (uint32_t)(rig.rtp_seq - 1) & 0xffff, lost, 0, 0);
        g_assert_cmpint(probe.n_reports, ==, i);
        g_assert_cmpint(probe.report.expected_packets, ==, 51);
        g_assert_cmpint(probe.report.lost_packets, ==, i % 2);
    }
    const struct weir__breaker *breaker = &rig.sender->breaker;
    g_assert_cmpuint(breaker->n_intervals, ==, 20);
    const struct weir__breaker_interval *newest = &breaker->intervals[WEIR__BREAKER_INTERVALS - 20];
    g_assert_cmpuint(newest[0].expected_packets, ==, 51);
    g_assert_cmpuint(newest[1].lost_packets, ==, 1);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 10);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 20 * 51 - 10);
    rig_finish(&rig);
}

/* Two reports that were held up on the way arrive together: what the second tells did not happen in
 * the microseconds between them. */
static void test_reports_that_arrive_together_are_taken_together(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 200, WEIR_MS(10));
    rig_rr(&rig, RIG_PEER, 65500 + 99, 0, 0, 0);
    rig_send(&rig, 100, WEIR_MS(10));
    rig_rr(&rig, RIG_PEER, 65500 + 199, 5, 0, 0);
    int n_before = probe.n_reports;
    g_assert_cmpint(n_before, >=, 1);
    for (uint32_t i = 1; i <= 4; i++) {
        rig.now_ns += WEIR_US(20);
        rig_send(&rig, 1, 0);
        rig_rr(&rig, RIG_PEER, 65500 + 199 + 20 * i, 5 + (int32_t)i, 0, 0);
    }
    g_assert_cmpint(probe.n_reports, ==, n_before);
    rig_send(&rig, 10, WEIR_MS(10));
    rig_rr(&rig, RIG_PEER, 65500 + 199 + 100, 11, 0, 0);
    g_assert_cmpint(probe.n_reports, ==, n_before + 1);
    g_assert_cmpint(probe.report.interval_ns, ==, WEIR_MS(100) + WEIR_US(80));
    g_assert_cmpint(probe.report.expected_packets, ==, 100);
    g_assert_cmpint(probe.report.lost_packets, ==, 6);
    g_assert_cmpint(probe.report.sent_bytes, ==, 14 * 1200);
    g_assert_cmpuint(rig_stats(&rig).feedback_packets[WEIR__FORMAT_INDEX_rr], ==, 7);
    rig_finish(&rig);
}

static void test_wrong_arguments_and_broken_requests_change_nothing(void)
{
    static const char *const broken[] = {"81cd0002000000010000cafe", "81ce000100000001",
                                         "84ce000200000001cafebabe", "80c80001cafebabe"};
    struct rig rig = rig_start();
    uint8_t data[400];
    size_t len = 0;
    weir_sender_build_report(rig.sender, rig.now_ns, 0, 1, data, sizeof data, &len);
    rig_send(&rig, 2, WEIR_MS(1));
    for (size_t i = 0; i < G_N_ELEMENTS(broken); i++) {
        size_t n = test_hex(broken[i], data, sizeof data);
        g_assert_cmpint(rig_rtcp(&rig, data, n), <, WEIR_OK);
        weir_sender_on_report_sent(rig.sender, rig.now_ns, data, n);
    }
    g_assert_cmpint(weir_sender_build_report(rig.sender, 0, 0, 1, NULL, 64, &len), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_sender_build_report(rig.sender, 0, 0, 1, data, 64, NULL), ==,
                    WEIR_ERROR_ARGUMENT);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_rtcp/reports_alone_steer_by_their_differences",
                    test_reports_alone_steer_by_their_differences);
    g_test_add_func("/sender_rtcp/reports_tell_the_age_of_the_newest_and_the_next_packet",
                    test_reports_tell_the_age_of_the_newest_and_the_next_packet);
    g_test_add_func("/sender_rtcp/a_missed_report_makes_the_next_one_longer",
                    test_a_missed_report_makes_the_next_one_longer);
    g_test_add_func("/sender_rtcp/replayed_and_reordered_reports_do_not_steer",
                    test_replayed_and_reordered_reports_do_not_steer);
    g_test_add_func("/sender_rtcp/a_restarted_receiver_gets_a_new_base",
                    test_a_restarted_receiver_gets_a_new_base);
    g_test_add_func("/sender_rtcp/reports_do_not_steer_beside_per_packet_feedback",
                    test_reports_do_not_steer_beside_per_packet_feedback);
    g_test_add_func("/sender_rtcp/an_algorithm_without_the_form_says_so",
                    test_an_algorithm_without_the_form_says_so);
    g_test_add_func("/sender_rtcp/an_algorithm_of_reports_gets_them_beside_feedback",
                    test_an_algorithm_of_reports_gets_them_beside_feedback);
    g_test_add_func("/sender_rtcp/reports_in_our_silence_do_not_steer",
                    test_reports_in_our_silence_do_not_steer);
    g_test_add_func("/sender_rtcp/reports_beside_per_packet_feedback_count_nothing",
                    test_reports_beside_per_packet_feedback_count_nothing);
    g_test_add_func("/sender_rtcp/streams_of_one_reporter_are_added_up",
                    test_streams_of_one_reporter_are_added_up);
    g_test_add_func("/sender_rtcp/remb_is_an_upper_bound_that_expires",
                    test_remb_is_an_upper_bound_that_expires);
    g_test_add_func("/sender_rtcp/remb_of_another_counts_when_it_is_lower",
                    test_remb_of_another_counts_when_it_is_lower);
    g_test_add_func("/sender_rtcp/remb_about_others_is_ignored", test_remb_about_others_is_ignored);
    g_test_add_func("/sender_rtcp/requests_are_counted_when_they_are_ours",
                    test_requests_are_counted_when_they_are_ours);
    g_test_add_func("/sender_rtcp/each_packet_of_a_compound_is_counted_for_itself",
                    test_each_packet_of_a_compound_is_counted_for_itself);
    g_test_add_func("/sender_rtcp/invented_reporters_are_bounded",
                    test_invented_reporters_are_bounded);
    g_test_add_func("/sender_rtcp/malformed_rtcp_never_changes_the_output",
                    test_malformed_rtcp_never_changes_the_output);
    g_test_add_func("/sender_rtcp/the_breaker_stops_and_feedback_restarts",
                    test_the_breaker_stops_and_feedback_restarts);
    g_test_add_func("/sender_rtcp/a_peer_never_heard_gets_the_minimum",
                    test_a_peer_never_heard_gets_the_minimum);
    g_test_add_func("/sender_rtcp/without_the_breaker_silence_is_the_controllers_matter",
                    test_without_the_breaker_silence_is_the_controllers_matter);
    g_test_add_func("/sender_rtcp/reports_that_may_not_steer_are_signs_of_life",
                    test_reports_that_may_not_steer_are_signs_of_life);
    g_test_add_func("/sender_rtcp/packets_never_sent_are_not_lost_on_the_way",
                    test_packets_never_sent_are_not_lost_on_the_way);
    g_test_add_func("/sender_rtcp/of_feedback_and_reports_the_worse_is_believed",
                    test_of_feedback_and_reports_the_worse_is_believed);
    g_test_add_func("/sender_rtcp/reports_that_arrive_together_are_taken_together",
                    test_reports_that_arrive_together_are_taken_together);
    g_test_add_func("/sender_rtcp/wrong_arguments_and_broken_requests_change_nothing",
                    test_wrong_arguments_and_broken_requests_change_nothing);
    return g_test_run();
}
