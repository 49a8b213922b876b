/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "receiver_fixture.h"

#include "weir/receiver.h"

static struct parsed parsed;

static void test_what_is_not_rtp_is_counted_and_dropped(void)
{
    static const char *const bad[] = {
        "8f60000500001770cafebabe01020304",         /* 15 CSRCs, none there */
        "9060000500001770cafebabebede0002aabbccdd", /* extension past the end */
        "a060000500001770cafebabe01020300",         /* padding 0 */
        "a060000500001770cafebabe01020305",         /* padding 5 of 4 */
        "4060000500001770cafebabe01020304",         /* version 1 */
    };
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    uint8_t data[64] = {0x80, 0x60};
    uint64_t n = 0;
    for (size_t len = 0; len < 12; len++) {
        g_assert_cmpint(weir_receiver_on_rtp(receiver, 0, data, len, 0), ==, WEIR_ERROR_TRUNCATED);
        n++;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        size_t len = test_hex(bad[i], data, sizeof data);
        g_assert_cmpint(weir_receiver_on_rtp(receiver, 0, data, len, 0), <, WEIR_OK);
        n++;
    }
    g_assert_cmpuint(receiver_stats(receiver).packets_malformed, ==, n);
    g_assert_cmpuint(receiver_stats(receiver).packets_received, ==, 0);
    g_assert_cmpint(weir_receiver_next_feedback_ns(receiver), ==, WEIR_NEVER_NS);
    g_assert_cmpint(weir_receiver_on_rtp(NULL, 0, data, 12, 0), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_receiver_on_rtp(receiver, 0, NULL, 12, 0), ==, WEIR_ERROR_ARGUMENT);
    weir_receiver_destroy(receiver);
}

/* Two packets of each stream, so that it is valid. */
static void start_streams(struct weir_receiver *receiver, int64_t now_ns, uint32_t n)
{
    for (uint32_t ssrc = 1; ssrc <= n; ssrc++) {
        for (uint32_t seq = 0; seq < 2; seq++) {
            struct media media = {.ssrc = ssrc, .seq = seq};
            g_assert_cmpint(receive(receiver, now_ns, &media), ==, WEIR_OK);
        }
    }
}

static void test_the_17th_stream_is_rejected_until_another_is_silent_for_30_s(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    struct media other = {.ssrc = 99, .seq = 5};
    start_streams(receiver, 0, 16);
    g_assert_cmpint(receive(receiver, WEIR_SECONDS(30), &other), ==, WEIR_ERROR_REJECTED);
    g_assert_cmpuint(receiver_stats(receiver).packets_rejected, ==, 1);
    g_assert_cmpint(receive(receiver, WEIR_SECONDS(30) + 1, &other), ==, WEIR_OK);
    g_assert_cmpuint(receiver_stats(receiver).streams, ==, 17);
    weir_receiver_destroy(receiver);
}

static void test_a_stream_that_sent_one_packet_only_makes_room(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    struct media once = {.ssrc = 98, .seq = 5};
    struct media other = {.ssrc = 99, .seq = 5};
    start_streams(receiver, 0, 15);
    g_assert_cmpint(receive(receiver, 0, &once), ==, WEIR_OK);
    g_assert_cmpint(receive(receiver, WEIR_MS(900), &other), ==, WEIR_ERROR_REJECTED);
    g_assert_cmpint(receive(receiver, WEIR_MS(1100), &other), ==, WEIR_OK);
    g_assert_null(weir__receiver_find_stream(receiver, 98));
    weir_receiver_destroy(receiver);
}

static void test_copies_and_marks_are_counted(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    for (uint32_t i = 0; i < 10; i++) {
        struct media media = {.ssrc = 1, .seq = i / 2, .ecn = i == 7 ? WEIR_ECN_CE : WEIR_ECN_ECT0};
        receive(receiver, 0, &media);
    }
    struct weir_receiver_stats stats = receiver_stats(receiver);
    g_assert_cmpuint(stats.packets_duplicate, ==, 5);
    g_assert_cmpuint(stats.packets_ecn_ce, ==, 1);
    g_assert_cmpuint(stats.packets_received, ==, 10);
    weir_receiver_destroy(receiver);
}

static void test_a_wild_sequence_number_is_rejected_and_a_restart_is_followed(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    start_streams(receiver, 0, 1);
    struct media media = {.ssrc = 1, .seq = 40000};
    g_assert_cmpint(receive(receiver, 0, &media), ==, WEIR_ERROR_REJECTED);
    media.seq = 40001;
    g_assert_cmpint(receive(receiver, 0, &media), ==, WEIR_OK);
    g_assert_cmpint(receiver_stats(receiver).packets_lost, ==, 0);
    weir_receiver_destroy(receiver);
}

static void test_a_sender_report_is_echoed(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_RR);
    struct weir__report sr = {
        .is_sr = true, .ssrc = 1, .ntp = UINT64_C(0xb44db70520000000), .sent_packets = 2};
    uint8_t data[100];
    size_t len;
    start_streams(receiver, 0, 1);
    g_assert_cmpint(weir__report_build(&sr, data, sizeof data, &len), ==, WEIR_OK);
    g_assert_cmpint(weir_receiver_on_rtcp(receiver, WEIR_MS(100), data, len), ==, WEIR_OK);
    sr.ssrc = 77; /* a stream that never was */
    g_assert_cmpint(weir__report_build(&sr, data, sizeof data, &len), ==, WEIR_OK);
    g_assert_cmpint(weir_receiver_on_rtcp(receiver, WEIR_MS(150), data, len), ==, WEIR_OK);
    g_assert_true(build(receiver, WEIR_MS(600), &parsed));
    g_assert_cmpuint(parsed.rr.n_blocks, ==, 1);
    g_assert_cmphex(parsed.rr.blocks[0].lsr_mid32, ==, 0xb7052000);
    g_assert_cmpuint(parsed.rr.blocks[0].dlsr_mid32, ==, 32768); /* 0.5 s */
    weir_receiver_destroy(receiver);
}

/* Answers the RRTR of the last datagram after hold_ns; the answer arrives at now_ns. */
static enum weir_status answer_rrtr(struct weir_receiver *receiver, int64_t now_ns, uint32_t ssrc,
                                    int64_t hold_ns, uint32_t offset)
{
    uint8_t data[64];
    size_t len = 0;
    struct weir__xr_dlrr item = {.ssrc = ssrc,
                                 .lrr_mid32 = weir__ntp_mid32(parsed.rrtr) + offset,
                                 .dlrr_mid32 = (uint32_t)(hold_ns * 65536 / WEIR_SECONDS(1))};
    g_assert_cmpint(weir__xr_build_dlrr(1, &item, 1, data, sizeof data, &len), ==, WEIR_OK);
    return weir_receiver_on_rtcp(receiver, now_ns, data, len);
}

static void test_rtt_comes_from_the_echo_of_our_reference_time(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    start_streams(receiver, WEIR_MS(5), 1);
    parsed.rrtr = 0;
    answer_rrtr(receiver, WEIR_MS(10), LOCAL_SSRC, 0, 0); /* before any reference time left */
    g_assert_true(build(receiver, WEIR_MS(20), &parsed));
    g_assert_true(parsed.has_rrtr);
    g_assert_cmpint(answer_rrtr(receiver, WEIR_MS(170), LOCAL_SSRC + 1, 0, 0), ==, WEIR_OK);
    g_assert_cmpint(answer_rrtr(receiver, WEIR_MS(170), LOCAL_SSRC, 0, 5), ==, WEIR_OK);
    g_assert_cmpint(receiver_stats(receiver).rtt_ns, ==, WEIR_UNKNOWN_NS); /* not ours, forged */
    g_assert_cmpint(answer_rrtr(receiver, WEIR_MS(170), LOCAL_SSRC, WEIR_MS(110), 0), ==, WEIR_OK);
    assert_near((double)receiver_stats(receiver).rtt_ns / 1e6, 40.0, 0.1);
    assert_near((double)weir__receiver_interval_ns(receiver) / 1e6, 40.0, 0.1);
    weir_receiver_destroy(receiver);
}

static void test_rtcp_that_says_nothing_to_us_is_told_apart_from_broken(void)
{
    static const struct {
        const char *hex;
        enum weir_status status;
        uint64_t understood, malformed;
    } rows[] = {
        {"81c9000711223344cafebabe400000330001002a000000a0b705200000054000", WEIR_ERROR_UNSUPPORTED,
         0, 0},                                                             /* RR */
        {"81ca0003cafebabe01056140622e6300", WEIR_ERROR_UNSUPPORTED, 0, 0}, /* SDES */
        {"80c80003000000010000000200000003", WEIR_ERROR_TRUNCATED, 0, 1},   /* short SR */
        {"81c9000811223344", WEIR_ERROR_MALFORMED, 0, 1}, /* longer than the datagram */
        {"40c9000111223344", WEIR_ERROR_MALFORMED, 0, 1}, /* version 1 */
        {"81cb0001cafebabe0000", WEIR_OK, 1, 1},          /* BYE, trailing bytes */
        {"82cb0001cafebabe", WEIR_ERROR_TRUNCATED, 0, 1}, /* BYE of two, with one */
        {"80cf0000", WEIR_ERROR_TRUNCATED, 0, 1},         /* XR without SSRC */
        {"80cf000611223344010000040000babe", WEIR_ERROR_MALFORMED, 0, 1},
        {"", WEIR_ERROR_UNSUPPORTED, 0, 0},
        /* BYE and short SR, in either order; SDES behind it */
        {"81cb0001cafebabe80c80003000000010000000200000003", WEIR_OK, 1, 1},
        {"80c8000300000001000000020000000381cb0001cafebabe81ca0003cafebabe01056140622e6300",
         WEIR_OK, 1, 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
        uint8_t data[128];
        size_t len = test_hex(rows[i].hex, data, sizeof data);
        enum weir_status status = weir_receiver_on_rtcp(receiver, 0, data, len);
        g_test_message("%s", rows[i].hex);
        if (rows[i].status == WEIR_ERROR_TRUNCATED) { /* the codec may call it malformed, too */
            g_assert_true(status == WEIR_ERROR_TRUNCATED || status == WEIR_ERROR_MALFORMED);
        } else {
            g_assert_cmpint(status, ==, rows[i].status);
        }
        g_assert_cmpuint(receiver_stats(receiver).rtcp_packets, ==, rows[i].understood);
        g_assert_cmpuint(receiver_stats(receiver).rtcp_malformed, ==, rows[i].malformed);
        weir_receiver_destroy(receiver);
    }
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    g_assert_cmpint(weir_receiver_on_rtcp(NULL, 0, NULL, 0), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_receiver_on_rtcp(receiver, 0, NULL, 1), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_receiver_on_rtcp(receiver, 0, NULL, 0), ==, WEIR_ERROR_UNSUPPORTED);
    weir_receiver_destroy(receiver);
}

static void test_random_bytes_do_no_harm(void)
{
    GRand *random = g_rand_new_with_seed(99);
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_TWCC);
    g_test_message("seed 99");
    for (int i = 0; i < 30000; i++) {
        size_t len = (size_t)g_rand_int_range(random, 0, 100);
        uint8_t *data = g_malloc(len);
        for (size_t k = 0; k < len; k++) {
            data[k] = (uint8_t)g_rand_int_range(random, 0, 256);
        }
        if (len > 1) {
            data[0] = (uint8_t)(0x80 | (data[0] & 0x3f));
            data[1] = (uint8_t)(i % 2 == 0 ? 200 + data[1] % 8 : data[1]);
        }
        if (i % 2 == 0) {
            weir_receiver_on_rtcp(receiver, WEIR_MS(i), data, len);
        } else {
            weir_receiver_on_rtp(receiver, WEIR_MS(i), data, len, data != NULL ? data[0] : 0);
        }
        if (is_due(receiver, WEIR_MS(i))) {
            build(receiver, WEIR_MS(i), &parsed);
        }
        g_free(data);
    }
    g_assert_cmpuint(receiver_stats(receiver).packets_received, >, 100);
    weir_receiver_destroy(receiver);
    g_rand_free(random);
}

/* From 5 s to 1 s no time passes, and then a second does. */
static void test_time_that_goes_back_counts_as_standing_still(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    struct media media = {.ssrc = 1, .seq = 1};
    receive(receiver, WEIR_SECONDS(5), &media);
    media.seq = 2;
    receive(receiver, WEIR_SECONDS(1), &media);
    g_assert_true(build(receiver, WEIR_SECONDS(2), &parsed));
    g_assert_cmpuint(parsed.ccfb.n_entries, ==, 2);
    g_assert_cmpint(parsed.ccfb_entries[0].arrival_ns, ==, WEIR_SECONDS(-1));
    g_assert_cmpint(parsed.ccfb_entries[1].arrival_ns, ==, WEIR_SECONDS(-1));
    weir_receiver_destroy(receiver);
}

static void test_an_echo_is_found_among_64_behind_other_blocks(void)
{
    for (size_t at = 63; at <= 64; at++) {
        struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
        uint8_t data[1000];
        size_t len, rrtr_len;
        struct weir__xr_dlrr items[65] = {{0}};
        start_streams(receiver, 0, 1);
        g_assert_true(build(receiver, 0, &parsed));
        items[at] =
            (struct weir__xr_dlrr){.ssrc = LOCAL_SSRC, .lrr_mid32 = weir__ntp_mid32(parsed.rrtr)};
        /* The RRTR takes the place of what precedes the DLRR: both are in one packet. */
        weir__xr_build_dlrr(1, items, at + 1, data + 12, sizeof data - 12, &len);
        weir__xr_build_rrtr(1, 5, data, sizeof data, &rrtr_len);
        weir__rtcp_put_header(data, 0, WEIR__RTCP_XR, len + 12);
        g_assert_cmpint(weir_receiver_on_rtcp(receiver, WEIR_MS(40), data, len + 12), ==, WEIR_OK);
        g_assert_true((receiver_stats(receiver).rtt_ns != WEIR_UNKNOWN_NS) == (at == 63));
        weir_receiver_destroy(receiver);
    }
}

/* What a receiver asks for after 3 s in which each packet came three times and some were marked. */
static int64_t bound_with_marks(uint32_t ecn, uint32_t ecn_of_copies)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_REMB);
    for (uint32_t seq = 0; seq < 600; seq++) {
        int64_t now_ns = WEIR_MS(5 * seq);
        struct media media = {.ssrc = 1, .seq = seq, .payload_bytes = 1000};
        media.ecn = seq % 50 == 49 ? ecn : 0;
        receive(receiver, now_ns, &media);
        media.ecn = seq % 50 == 49 ? ecn_of_copies : 0;
        receive(receiver, now_ns, &media);
        receive(receiver, now_ns, &media);
        if (is_due(receiver, now_ns)) {
            g_assert_true(build(receiver, now_ns, &parsed));
        }
    }
    weir_receiver_destroy(receiver);
    return parsed.remb.bitrate_bps;
}

static void test_marks_lower_the_bound_once_for_each_packet(void)
{
    int64_t unmarked_bps = bound_with_marks(0, 0);
    int64_t marked_bps = bound_with_marks(WEIR_ECN_CE, 0);
    g_assert_cmpint(marked_bps, <, unmarked_bps / 2);
    g_assert_cmpint(bound_with_marks(WEIR_ECN_CE, WEIR_ECN_CE), ==, marked_bps);
    g_assert_cmpint(bound_with_marks(0, WEIR_ECN_CE), <, unmarked_bps / 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/receiver_input/what_is_not_rtp_is_counted_and_dropped",
                    test_what_is_not_rtp_is_counted_and_dropped);
    g_test_add_func("/receiver_input/the_17th_stream_is_rejected_until_another_is_silent_for_30_s",
                    test_the_17th_stream_is_rejected_until_another_is_silent_for_30_s);
    g_test_add_func("/receiver_input/a_stream_that_sent_one_packet_only_makes_room",
                    test_a_stream_that_sent_one_packet_only_makes_room);
    g_test_add_func("/receiver_input/copies_and_marks_are_counted",
                    test_copies_and_marks_are_counted);
    g_test_add_func("/receiver_input/a_wild_sequence_number_is_rejected_and_a_restart_is_followed",
                    test_a_wild_sequence_number_is_rejected_and_a_restart_is_followed);
    g_test_add_func("/receiver_input/a_sender_report_is_echoed", test_a_sender_report_is_echoed);
    g_test_add_func("/receiver_input/rtt_comes_from_the_echo_of_our_reference_time",
                    test_rtt_comes_from_the_echo_of_our_reference_time);
    g_test_add_func("/receiver_input/rtcp_that_says_nothing_to_us_is_told_apart_from_broken",
                    test_rtcp_that_says_nothing_to_us_is_told_apart_from_broken);
    g_test_add_func("/receiver_input/random_bytes_do_no_harm", test_random_bytes_do_no_harm);
    g_test_add_func("/receiver_input/time_that_goes_back_counts_as_standing_still",
                    test_time_that_goes_back_counts_as_standing_still);
    g_test_add_func("/receiver_input/an_echo_is_found_among_64_behind_other_blocks",
                    test_an_echo_is_found_among_64_behind_other_blocks);
    g_test_add_func("/receiver_input/marks_lower_the_bound_once_for_each_packet",
                    test_marks_lower_the_bound_once_for_each_packet);
    return g_test_run();
}
