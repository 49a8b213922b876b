/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "receiver_fixture.h"

static struct parsed parsed;

static void test_nothing_to_say_before_the_first_packet(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    g_assert_cmpint(weir_receiver_next_feedback_ns(receiver), ==, WEIR_NEVER_NS);
    g_assert_false(build(receiver, WEIR_SECONDS(9), &parsed));
    weir_receiver_destroy(receiver);
}

static void test_the_first_packet_is_answered_at_once_with_a_full_compound(void)
{
    static const uint32_t formats[] = {WEIR_FEEDBACK_CCFB, WEIR_FEEDBACK_TWCC, WEIR_FEEDBACK_RR,
                                       WEIR_FEEDBACK_REMB};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        struct feed feed = feed_new(formats[i], WEIR_MS(10));
        feed.now_ns = WEIR_MS(3);
        feed_packet(&feed, false);
        g_assert_cmpint(weir_receiver_next_feedback_ns(feed.receiver), <=, WEIR_MS(3));
        g_assert_true(build(feed.receiver, WEIR_MS(3), &parsed));
        g_assert_true(parsed.has_rr && parsed.has_sdes && parsed.has_rrtr);
        g_assert_cmphex(parsed.rrtr, ==, test_ntp(WEIR_MS(3)));
        g_assert_cmphex(parsed.rr.ssrc, ==, LOCAL_SSRC);
        g_assert_cmpint(parsed.cname.name_bytes, ==, 4);
        g_assert_true(parsed.has_ccfb == (formats[i] == WEIR_FEEDBACK_CCFB));
        g_assert_true(parsed.has_twcc == (formats[i] == WEIR_FEEDBACK_TWCC));
        g_assert_true(parsed.has_remb == (formats[i] == WEIR_FEEDBACK_REMB));
        g_assert_false(is_due(feed.receiver, WEIR_MS(3)));
        weir_receiver_destroy(feed.receiver);
    }
}

static void test_a_second_stream_is_answered_at_once_too(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_CCFB, WEIR_MS(10));
    feed_packet(&feed, false);
    build(feed.receiver, 0, &parsed);
    struct media other = {.ssrc = 2, .seq = 500};
    receive(feed.receiver, WEIR_MS(8), &other);
    g_assert_true(is_due(feed.receiver, WEIR_MS(8)));
    other.ssrc = 3;
    g_assert_true(build(feed.receiver, WEIR_MS(8), &parsed));
    receive(feed.receiver, WEIR_MS(9), &other);
    g_assert_cmpint(weir_receiver_next_feedback_ns(feed.receiver), ==, WEIR_MS(13)); /* 5 ms */
    weir_receiver_destroy(feed.receiver);
}

static void test_feedback_comes_every_interval_while_packets_come(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_CCFB, WEIR_MS(2));
    int64_t last_ns = 0;
    int n = 0;
    while (feed.now_ns < WEIR_SECONDS(20)) {
        int64_t now_ns = feed.now_ns;
        feed_packet(&feed, false);
        if (is_due(feed.receiver, now_ns)) {
            g_assert_true(build(feed.receiver, now_ns, &parsed));
            g_assert_cmpint(now_ns - last_ns, <=, WEIR_MS(52));
            last_ns = now_ns;
            n++;
        }
    }
    g_assert_cmpint(n, >=, 385);
    g_assert_cmpint(n, <=, 425); /* full compounds come between */
    weir_receiver_destroy(feed.receiver);
}

static void test_a_new_loss_is_told_at_once(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_CCFB, WEIR_MS(1));
    for (int i = 0; i < 100; i++) {
        feed_packet(&feed, false);
    }
    while (is_due(feed.receiver, feed.now_ns)) {
        build(feed.receiver, feed.now_ns, &parsed);
    }
    for (int i = 0; i < 10; i++) {
        feed_packet(&feed, false);
    }
    g_assert_false(is_due(feed.receiver, feed.now_ns));
    feed_packet(&feed, true);
    feed_packet(&feed, false);
    feed_packet(&feed, false);
    g_assert_false(is_due(feed.receiver, feed.now_ns)); /* may be reordering */
    int64_t now_ns = feed.now_ns;
    feed_packet(&feed, false);
    g_assert_true(is_due(feed.receiver, now_ns));
    g_assert_true(build(feed.receiver, now_ns, &parsed));
    g_assert_false(is_due(feed.receiver, now_ns + WEIR_MS(10))); /* told once */
    weir_receiver_destroy(feed.receiver);
}

static void test_never_two_datagrams_within_5_ms_whatever_is_lost(void)
{
    GRand *random = g_rand_new_with_seed(5);
    struct feed feed = feed_new(WEIR_FEEDBACK_TWCC, WEIR_US(200));
    int64_t last_ns = -WEIR_SECONDS(1);
    while (feed.now_ns < WEIR_SECONDS(3)) {
        int64_t now_ns = feed.now_ns;
        feed_packet(&feed, g_rand_int_range(random, 0, 5) == 0);
        if (is_due(feed.receiver, now_ns) && build(feed.receiver, now_ns, &parsed)) {
            bool full = parsed.has_sdes;
            g_assert_true(full || now_ns - last_ns >= WEIR_MS(5));
            last_ns = now_ns;
        }
    }
    weir_receiver_destroy(feed.receiver);
    g_rand_free(random);
}

static void test_silence_leaves_a_report_about_every_second_for_30_s(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_CCFB, WEIR_MS(10));
    for (int i = 0; i < 50; i++) {
        feed_packet(&feed, false);
        while (is_due(feed.receiver, feed.now_ns)) {
            build(feed.receiver, feed.now_ns, &parsed);
        }
    }
    int64_t silent_ns = feed.now_ns;
    while (weir_receiver_next_feedback_ns(feed.receiver) <= silent_ns + WEIR_MS(100)) {
        build(feed.receiver, silent_ns + WEIR_MS(100), &parsed); /* the last packets */
    }
    int64_t last_ns = silent_ns;
    int n = 0;
    for (;;) {
        int64_t next_ns = weir_receiver_next_feedback_ns(feed.receiver);
        if (next_ns == WEIR_NEVER_NS || !build(feed.receiver, next_ns, &parsed)) {
            break;
        }
        g_assert_true(parsed.has_rr && parsed.has_sdes);
        g_assert_cmpint(parsed.rr.n_blocks, ==, 1);
        g_assert_cmpint(next_ns - last_ns, <=, WEIR_MS(1500));
        last_ns = next_ns;
        n++;
    }
    g_assert_cmpint(last_ns - silent_ns, <=, WEIR_SECONDS(31));
    g_assert_cmpint(n, >=, 24);
    g_assert_cmpint(n, <=, 40);
    g_assert_cmpint(weir_receiver_next_feedback_ns(feed.receiver), ==, WEIR_NEVER_NS);
    weir_receiver_destroy(feed.receiver);
}

static void give_sr(struct weir_receiver *receiver, int64_t now_ns, uint32_t ssrc)
{
    uint8_t data[64];
    size_t len;
    struct weir__report sr = {.is_sr = true, .ssrc = ssrc, .ntp = test_ntp(now_ns)};
    g_assert_cmpint(weir__report_build(&sr, data, sizeof data, &len), ==, WEIR_OK);
    g_assert_cmpint(weir_receiver_on_rtcp(receiver, now_ns, data, len), ==, WEIR_OK);
}

/* A sender that its circuit breaker has stopped sends reports only, and waits for ours. */
static void test_sender_reports_are_answered_when_all_streams_are_gone(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    give_sr(receiver, 0, 5);
    g_assert_cmpint(weir_receiver_next_feedback_ns(receiver), ==, WEIR_NEVER_NS);
    receive(receiver, WEIR_SECONDS(1), &(struct media){.ssrc = 5});
    while (is_due(receiver, WEIR_SECONDS(100))) {
        build(receiver, weir_receiver_next_feedback_ns(receiver), &parsed);
    }
    int n = 0;
    give_sr(receiver, WEIR_SECONDS(200), 5);
    for (int64_t now_ns = WEIR_SECONDS(200); is_due(receiver, WEIR_SECONDS(300)); n++) {
        now_ns = weir_max_i64(now_ns, weir_receiver_next_feedback_ns(receiver));
        g_assert_true(build(receiver, now_ns, &parsed));
        g_assert_true(parsed.has_rr && parsed.has_sdes && parsed.has_rrtr);
        g_assert_cmpuint(parsed.rr.n_blocks, ==, 0);
        g_assert_cmpint(now_ns, <=, WEIR_SECONDS(230));
    }
    g_assert_cmpint(n, >=, 20);
    g_assert_cmpint(n, <=, 61);
    give_sr(receiver, WEIR_SECONDS(400), 5);
    g_assert_true(is_due(receiver, WEIR_SECONDS(400)));
    uint8_t bye[] = {0x81, 203, 0, 1, 0, 0, 0, 5};
    g_assert_cmpint(weir_receiver_on_rtcp(receiver, WEIR_SECONDS(401), bye, sizeof bye), ==,
                    WEIR_OK);
    g_assert_cmpint(weir_receiver_next_feedback_ns(receiver), ==, WEIR_NEVER_NS);
    weir_receiver_destroy(receiver);
}

/* The stream is not made anew with each packet, so that losses are seen. */
static void test_a_packet_a_minute_is_a_stream_while_its_sender_reports(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_RR);
    for (uint32_t minute = 0; minute < 10; minute++) {
        int64_t now_ns = WEIR_SECONDS(60) * minute;
        if (minute != 5) {
            receive(receiver, now_ns, &(struct media){.ssrc = 5, .seq = minute});
        }
        for (int i = 0; i < 60; i += 5) {
            give_sr(receiver, now_ns + WEIR_SECONDS(i), 5);
            while (is_due(receiver, now_ns + WEIR_SECONDS(i))) {
                build(receiver, now_ns + WEIR_SECONDS(i), &parsed);
            }
        }
        g_assert_cmpuint(parsed.rr.n_blocks, ==, minute > 0);
    }
    g_assert_cmpuint(receiver_stats(receiver).streams, ==, 1);
    g_assert_cmpint(receiver_stats(receiver).packets_lost, ==, 1);
    weir_receiver_destroy(receiver);
}

static void test_rtcp_takes_5_percent_or_one_datagram_per_100_ms(void)
{
    static const int64_t gaps_ns[] = {WEIR_US(500), WEIR_MS(4), WEIR_MS(20)};
    for (size_t g = 0; g < G_N_ELEMENTS(gaps_ns); g++) {
        GRand *random = g_rand_new_with_seed(11);
        struct feed feed = feed_new(WEIR_FEEDBACK_CCFB, gaps_ns[g]);
        int64_t n = 0;
        int64_t last_ns = 0;
        while (feed.now_ns < WEIR_SECONDS(20)) {
            int64_t now_ns = feed.now_ns;
            feed_packet(&feed, g_rand_int_range(random, 0, 20) == 0);
            while (is_due(feed.receiver, now_ns)) {
                n += build(feed.receiver, now_ns, &parsed);
                last_ns = now_ns;
            }
            g_assert_cmpint(now_ns - last_ns, <=, WEIR_MS(100) + 2 * gaps_ns[g]);
        }
        struct weir_receiver_stats stats = receiver_stats(feed.receiver);
        double rtcp = (double)stats.feedback_bytes + 28.0 * (double)n;
        double share = rtcp / (double)stats.bytes_received_wire;
        g_test_message("gap %d us: %.4f", (int)(gaps_ns[g] / 1000), share);
        g_assert_true(share <= 0.052 || n <= 20 * 10 + 41);
        g_rand_free(random);
        weir_receiver_destroy(feed.receiver);
    }
}

static void test_receiver_reports_come_every_100_ms_without_names(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_RR, WEIR_MS(5));
    int n_full = 0;
    int n = 0;
    while (feed.now_ns < WEIR_SECONDS(20)) {
        int64_t now_ns = feed.now_ns;
        bool lost = feed.media.seq % 10 == 3;
        feed_packet(&feed, lost);
        if (is_due(feed.receiver, now_ns)) {
            g_assert_true(build(feed.receiver, now_ns, &parsed));
            g_assert_true(parsed.has_rr && !parsed.has_ccfb && !parsed.has_twcc);
            n_full += parsed.has_sdes;
            n++;
        }
    }
    g_assert_cmpint(n, >=, 190);
    g_assert_cmpint(n, <=, 225);
    g_assert_cmpint(n_full, >=, 14);
    g_assert_cmpint(n_full, <=, 30);
    assert_near(parsed.rr.blocks[0].cumulative_lost, 400, 3);
    assert_near(parsed.rr.blocks[0].fraction_lost, 25.6, 15);
    weir_receiver_destroy(feed.receiver);
}

static void test_remb_lists_the_streams_and_asks_for_twice_what_arrives(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_REMB, WEIR_MS(5));
    struct media other = {.ssrc = 2};
    while (feed.now_ns < WEIR_SECONDS(3)) {
        int64_t now_ns = feed.now_ns;
        feed_packet(&feed, false);
        other.seq++;
        receive(feed.receiver, now_ns, &other);
        if (is_due(feed.receiver, now_ns)) {
            g_assert_true(build(feed.receiver, now_ns, &parsed));
            g_assert_true(parsed.has_rr && parsed.has_remb);
        }
    }
    g_assert_cmpuint(parsed.remb.n_ssrcs, ==, 2);
    g_assert_cmpuint(parsed.remb.ssrcs[0], ==, 1);
    g_assert_cmpuint(parsed.remb.ssrcs[1], ==, 2);
    double wire_bps = (1048.0 + 48.0) * 8 * 200;
    assert_near((double)parsed.remb.bitrate_bps / wire_bps, 2.0, 0.1);
    weir_receiver_destroy(feed.receiver);
}

static void test_remb_is_left_out_when_nothing_arrives(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_REMB, WEIR_MS(5));
    for (int i = 0; i < 100; i++) {
        feed_packet(&feed, false);
    }
    build(feed.receiver, feed.now_ns, &parsed);
    g_assert_true(build(feed.receiver, WEIR_SECONDS(10), &parsed));
    g_assert_true(parsed.has_rr);
    g_assert_false(parsed.has_remb);
    weir_receiver_destroy(feed.receiver);
}

static void test_marks_are_told_with_the_packet(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_CCFB, WEIR_MS(1));
    for (uint32_t i = 0; i < 4; i++) {
        feed.media.ecn = i;
        feed_packet(&feed, false);
    }
    g_assert_true(build(feed.receiver, feed.now_ns, &parsed));
    g_assert_cmpuint(parsed.ccfb.n_entries, ==, 4);
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpuint(parsed.ccfb_entries[i].ecn, ==, i);
    }
    weir_receiver_destroy(feed.receiver);
}

static void test_only_the_feedback_goes_to_another_stack(void)
{
    static const uint32_t formats[] = {WEIR_FEEDBACK_CCFB, WEIR_FEEDBACK_TWCC, WEIR_FEEDBACK_RR,
                                       WEIR_FEEDBACK_REMB};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        struct feed feed = feed_new(formats[i], WEIR_MS(5));
        int n = 0;
        while (feed.now_ns < WEIR_SECONDS(5)) {
            uint8_t data[1500];
            size_t len = 1;
            int64_t now_ns = feed.now_ns;
            feed_packet(&feed, false);
            if (!is_due(feed.receiver, now_ns)) {
                continue;
            }
            g_assert_cmpint(weir_receiver_build_feedback_only(
                                feed.receiver, now_ns, test_ntp(now_ns), data, sizeof data, &len),
                            ==, WEIR_OK);
            g_assert_false(is_due(feed.receiver, now_ns)); /* also when there was nothing to say */
            if (len > 0) {
                parse_datagram(data, len, &parsed);
                g_assert_cmpuint(parsed.n_packets, ==, 1);
                g_assert_false(parsed.has_rr || parsed.has_sdes || parsed.has_rrtr);
                n++;
            }
        }
        g_assert_true((n > 15) == (formats[i] != WEIR_FEEDBACK_RR));
        weir_receiver_destroy(feed.receiver);
    }
}

static void test_transport_feedback_needs_transport_numbers(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_TWCC, WEIR_MS(5));
    weir_receiver_set_transport_seq_id(feed.receiver, 0);
    int n = 0;
    while (feed.now_ns < WEIR_SECONDS(5)) {
        int64_t now_ns = feed.now_ns;
        feed_packet(&feed, false);
        if (is_due(feed.receiver, now_ns)) {
            g_assert_true(build(feed.receiver, now_ns, &parsed));
            g_assert_true(parsed.has_rr && !parsed.has_twcc);
            n++;
        }
    }
    g_assert_cmpint(n, <=, 11); /* the full compounds */
    weir_receiver_destroy(feed.receiver);
}

static void test_transport_feedback_counts_and_follows_a_restart(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_TWCC, WEIR_MS(10));
    int count = -1;
    feed.media.transport_seq = 65000; /* wraps */
    for (int i = 0; i < 2000; i++) {
        int64_t now_ns = feed.now_ns;
        if (i == 1500) {
            feed.media.transport_seq = 30000;
        }
        feed_packet(&feed, false);
        while (is_due(feed.receiver, now_ns) && build(feed.receiver, now_ns, &parsed)) {
            if (parsed.has_twcc) {
                g_assert_cmpint(parsed.twcc.feedback_count, ==, (count + 1) % 256);
                count = parsed.twcc.feedback_count;
            }
        }
    }
    g_assert_cmpuint(parsed.twcc.base_seq, >=, 30400);
    g_assert_cmpuint(parsed.twcc.base_seq, <=, 30500);
    weir_receiver_destroy(feed.receiver);
}

/* The sender starts anew between two datagrams of one report: what the rest would have told is not
 * known any more, and is not told as lost. */
static void test_a_restart_within_a_report_makes_no_losses(void)
{
    static const uint16_t restarts[] = {10, 1000, 9000, 30000, 60000};
    for (size_t i = 0; i < G_N_ELEMENTS(restarts); i++) {
        struct feed feed = feed_new(WEIR_FEEDBACK_TWCC, WEIR_US(500));
        feed.media.transport_seq = 5000;
        for (int k = 0; k < 250; k++) {
            feed_packet(&feed, false);
        }
        g_assert_true(build_within(feed.receiver, feed.now_ns, 200, &parsed));
        g_assert_true(is_due(feed.receiver, feed.now_ns));
        feed.media.transport_seq = restarts[i];
        feed_packet(&feed, false);
        feed_packet(&feed, false); /* from here on it is believed */
        for (int k = 0; k < 10; k++) {
            feed_packet(&feed, false);
            while (is_due(feed.receiver, feed.now_ns) &&
                   build_within(feed.receiver, feed.now_ns, 200, &parsed)) {
                g_assert_cmpuint(parsed.twcc.n_received, ==, parsed.twcc.n_entries);
            }
            feed.now_ns += WEIR_MS(10);
        }
        g_assert_cmpuint(parsed.twcc.base_seq, >=, restarts[i]);
        g_assert_cmpuint(parsed.twcc.base_seq, <=, restarts[i] + 12);
        weir_receiver_destroy(feed.receiver);
    }
}

static void test_one_wild_transport_number_is_not_believed(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_TWCC, WEIR_MS(10));
    for (int i = 0; i < 300; i++) {
        int64_t now_ns = feed.now_ns;
        uint32_t right = feed.media.transport_seq;
        feed.media.transport_seq = i % 100 == 50 ? right + 20000 : right;
        feed_packet(&feed, false);
        feed.media.transport_seq = right + 1;
        while (is_due(feed.receiver, now_ns) && build(feed.receiver, now_ns, &parsed)) {
            if (parsed.has_twcc) {
                g_assert_cmpuint(parsed.twcc.base_seq, <=, right);
                g_assert_cmpuint(parsed.twcc.n_entries, <=, 60);
            }
        }
    }
    weir_receiver_destroy(feed.receiver);
}

static void test_many_packets_do_not_make_more_receiver_reports(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_RR, WEIR_US(100));
    int n = 0;
    while (feed.now_ns < WEIR_SECONDS(5)) {
        int64_t now_ns = feed.now_ns;
        feed_packet(&feed, false);
        n += is_due(feed.receiver, now_ns) && build(feed.receiver, now_ns, &parsed);
    }
    g_assert_cmpint(n, <=, 62);
    weir_receiver_destroy(feed.receiver);
}

static void test_a_small_buffer_gets_it_all_in_more_datagrams(void)
{
    static const uint32_t formats[] = {WEIR_FEEDBACK_CCFB, WEIR_FEEDBACK_TWCC};
    for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
        struct feed feed = feed_new(formats[f], WEIR_US(100));
        bool told[700] = {false};
        for (int i = 0; i < 700; i++) {
            feed_packet(&feed, i % 5 == 2);
        }
        int n = 0;
        while (is_due(feed.receiver, feed.now_ns)) {
            g_assert_true(build_within(feed.receiver, feed.now_ns, 128, &parsed));
            n++;
            for (size_t i = 0; parsed.has_ccfb && i < parsed.ccfb.n_entries; i++) {
                told[parsed.ccfb_entries[i].seq] |= parsed.ccfb_entries[i].received;
            }
            for (size_t i = 0; parsed.has_twcc && i < parsed.twcc.n_entries; i++) {
                told[parsed.twcc_entries[i].seq] |= parsed.twcc_entries[i].received;
            }
        }
        g_assert_cmpint(n, >, 5);
        for (int i = 0; i < 700; i++) {
            g_assert_true(told[i] == (i % 5 != 2));
        }
        weir_receiver_destroy(feed.receiver);
    }
}

static void test_streams_take_turns_when_not_all_blocks_fit(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_RR, WEIR_MS(10));
    bool seen[17] = {false};
    for (int round = 0; round < 40; round++) {
        for (uint32_t ssrc = 1; ssrc <= 16; ssrc++) {
            struct media media = {.ssrc = ssrc, .seq = (uint32_t)round};
            receive(feed.receiver, WEIR_MS(250 * round), &media);
        }
        if (build_within(feed.receiver, WEIR_MS(250 * round), 128, &parsed)) {
            g_assert_cmpuint(parsed.rr.n_blocks, <=, 4);
            for (size_t i = 0; i < parsed.rr.n_blocks; i++) {
                seen[parsed.rr.blocks[i].ssrc] = true;
            }
        }
    }
    for (int ssrc = 1; ssrc <= 16; ssrc++) {
        g_assert_true(seen[ssrc]);
    }
    weir_receiver_destroy(feed.receiver);
}

static void test_bad_buffers_are_refused_and_change_nothing(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_CCFB, WEIR_MS(10));
    uint8_t data[200];
    size_t len = 9;
    feed_packet(&feed, false);
    g_assert_cmpint(weir_receiver_build_feedback(feed.receiver, 0, 1, data, 127, &len), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpuint(len, ==, 0);
    g_assert_cmpint(weir_receiver_build_feedback_only(feed.receiver, 0, 1, data, 127, &len), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(weir_receiver_build_feedback(NULL, 0, 1, data, 200, &len), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_receiver_build_feedback(feed.receiver, 0, 1, NULL, 200, &len), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_receiver_build_feedback(feed.receiver, 0, 1, data, 200, NULL), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_receiver_build_feedback_only(feed.receiver, 0, 1, data, 200, NULL), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_true(is_due(feed.receiver, 0));
    g_assert_cmpuint(receiver_stats(feed.receiver).feedback_sent, ==, 0);
    weir_receiver_destroy(feed.receiver);
}

static void test_the_wall_clock_may_jump_and_feedback_time_does_not(void)
{
    struct feed feed = feed_new(WEIR_FEEDBACK_CCFB, WEIR_MS(60));
    uint8_t data[1500];
    size_t len;
    feed_packet(&feed, false);
    g_assert_true(build(feed.receiver, 0, &parsed));
    uint32_t first = parsed.ccfb.report_mid32;
    feed_packet(&feed, false);
    g_assert_cmpint(weir_receiver_build_feedback(feed.receiver, WEIR_MS(500),
                                                 test_ntp(WEIR_SECONDS(3600)), data, sizeof data,
                                                 &len),
                    ==, WEIR_OK);
    parse_datagram(data, len, &parsed);
    g_assert_cmpuint(parsed.ccfb.report_mid32 - first, ==, 32768);
    weir_receiver_destroy(feed.receiver);
}

/* ------- any traffic: what is told must be what a naive record says ------- */

enum { ORACLE_PACKETS = 6000, ORACLE_STREAMS = 3 };

struct oracle {
    struct weir_receiver *receiver;
    GRand *random;
    int64_t arrival_ns[ORACLE_STREAMS][ORACLE_PACKETS]; /* -1 = did not */
    int told[ORACLE_STREAMS][ORACLE_PACKETS];           /* times told as received */
    int64_t transport_ns[ORACLE_STREAMS * ORACLE_PACKETS];
    int transport_told[ORACLE_STREAMS * ORACLE_PACKETS];
    uint32_t first_seq[ORACLE_STREAMS]; /* on the wire, so that they wrap */
    uint32_t first_transport;
    bool feedback_lost_before[2];
};

/* A packet on its way: index of the stream and number in it. */
struct flight {
    int64_t at_ns;
    int stream, number, transport;
};

static int by_arrival(const void *a, const void *b)
{
    const struct flight *left = a;
    const struct flight *right = b;
    int by_time = (left->at_ns > right->at_ns) - (left->at_ns < right->at_ns);
    return by_time != 0 ? by_time : left->transport - right->transport;
}

static void deliver(struct oracle *oracle, const struct flight *flight)
{
    struct media media = {.ssrc = (uint32_t)flight->stream + 1,
                          .seq = oracle->first_seq[flight->stream] + (uint32_t)flight->number,
                          .timestamp = (uint32_t)(flight->at_ns * 90 / 1000000),
                          .transport_seq = oracle->first_transport + (uint32_t)flight->transport,
                          .payload_bytes = 600};
    g_assert_cmpint(receive(oracle->receiver, flight->at_ns, &media), ==, WEIR_OK);
    if (oracle->arrival_ns[flight->stream][flight->number] < 0) {
        oracle->arrival_ns[flight->stream][flight->number] = flight->at_ns;
        oracle->transport_ns[flight->transport] = flight->at_ns;
    }
}

/* Every entry tells the truth, to a unit of time. */
static void check_ccfb(struct oracle *oracle, int64_t now_ns, bool arrives)
{
    for (size_t i = 0; i < parsed.ccfb.n_entries; i++) {
        const struct weir__feedback_entry *entry = &parsed.ccfb_entries[i];
        size_t stream = entry->ssrc - 1;
        size_t number = (uint16_t)(entry->seq - oracle->first_seq[stream]);
        g_assert_cmpuint(stream, <, ORACLE_STREAMS);
        g_assert_cmpuint(number, <, ORACLE_PACKETS);
        int64_t arrival_ns = oracle->arrival_ns[stream][number];
        g_assert_true(entry->received == (arrival_ns >= 0));
        if (entry->received) {
            g_assert_true(entry->has_time);
            assert_near((double)entry->arrival_ns, (double)(arrival_ns - now_ns), 1.0e6);
            oracle->told[stream][number] += arrives;
        }
    }
}

static void check_twcc(struct oracle *oracle)
{
    for (size_t i = 0; i < parsed.twcc.n_entries; i++) {
        const struct weir__feedback_entry *entry = &parsed.twcc_entries[i];
        size_t number = (uint16_t)(entry->seq - oracle->first_transport);
        g_assert_cmpuint(number, <, ORACLE_STREAMS * ORACLE_PACKETS);
        g_assert_true(entry->received == (oracle->transport_ns[number] >= 0));
        if (entry->received) {
            assert_near((double)entry->arrival_ns, (double)oracle->transport_ns[number], 0.26e6);
            oracle->transport_told[number]++;
        }
    }
}

/* 30 % of the reports are lost, but never three in a row. A report may be several datagrams. */
static bool feedback_arrives(struct oracle *oracle)
{
    bool lost = g_rand_int_range(oracle->random, 0, 100) < 30 &&
                !(oracle->feedback_lost_before[0] && oracle->feedback_lost_before[1]);
    oracle->feedback_lost_before[1] = oracle->feedback_lost_before[0];
    oracle->feedback_lost_before[0] = lost;
    return !lost;
}

static void take_feedback(struct oracle *oracle, int64_t now_ns)
{
    bool arrives = is_due(oracle->receiver, now_ns) && feedback_arrives(oracle);
    while (is_due(oracle->receiver, now_ns)) {
        g_assert_true(build(oracle->receiver, now_ns, &parsed));
        g_assert_cmpuint(parsed.bytes, <=, 1200);
        if (parsed.has_ccfb) {
            check_ccfb(oracle, now_ns, arrives);
        }
        if (parsed.has_twcc) {
            check_twcc(oracle);
        }
    }
}

/* Loss, reordering and copies; several gaps of a hundred packets. */
static size_t fill_flights(struct oracle *oracle, struct flight *flights)
{
    size_t n = 0;
    int transport = 0;
    for (int number = 0; number < ORACLE_PACKETS; number++) {
        for (int stream = 0; stream < ORACLE_STREAMS; stream++, transport++) {
            bool gap = number % 1500 >= 1400;
            bool first = number < 3; /* the base of what is expected */
            bool lost = !first && (gap || g_rand_int_range(oracle->random, 0, 100) < 5);
            bool copy = !first && g_rand_int_range(oracle->random, 0, 100) < 3;
            bool held = !first && g_rand_int_range(oracle->random, 0, 100) < 4;
            int64_t late_ns = held ? WEIR_US(g_rand_int_range(oracle->random, 0, 60000)) : 0;
            int64_t at_ns = WEIR_US(2000) * number + late_ns;
            if (!lost) {
                flights[n++] = (struct flight){at_ns, stream, number, transport};
            }
            if (!lost && copy) {
                flights[n++] = (struct flight){at_ns + WEIR_MS(7), stream, number, transport};
            }
        }
    }
    qsort(flights, n, sizeof flights[0], by_arrival);
    return n;
}

static void run_oracle(uint32_t format, guint32 seed)
{
    struct oracle *oracle = g_new0(struct oracle, 1);
    struct flight *flights = g_new(struct flight, 2 * ORACLE_STREAMS * ORACLE_PACKETS);
    g_test_message("format %u seed %u", format, seed);
    oracle->receiver = receiver_new(format);
    oracle->random = g_rand_new_with_seed(seed);
    oracle->first_transport = 60000;
    memset(oracle->arrival_ns, 0xff, sizeof oracle->arrival_ns);
    memset(oracle->transport_ns, 0xff, sizeof oracle->transport_ns);
    for (int i = 0; i < ORACLE_STREAMS; i++) {
        oracle->first_seq[i] = 64000 + 500 * (uint32_t)i;
    }
    size_t n = fill_flights(oracle, flights);
    for (size_t i = 0; i < n; i++) {
        deliver(oracle, &flights[i]);
        if (i + 1 == n || flights[i + 1].at_ns > flights[i].at_ns) {
            take_feedback(oracle, flights[i].at_ns);
        }
    }
    for (int k = 1; k < 4; k++) { /* the end is told in full compounds */
        take_feedback(oracle, flights[n - 1].at_ns + WEIR_MS(1500 * k));
    }
    for (int s = 0; s < ORACLE_STREAMS; s++) {
        for (int i = 0; i < ORACLE_PACKETS; i++) {
            bool arrived = oracle->arrival_ns[s][i] >= 0;
            int told = format == WEIR_FEEDBACK_CCFB
                           ? oracle->told[s][i]
                           : oracle->transport_told[i * ORACLE_STREAMS + s];
            g_assert_true(arrived == (told > 0)); /* nothing is lost for ever */
        }
    }
    weir_receiver_destroy(oracle->receiver);
    g_rand_free(oracle->random);
    g_free(flights);
    g_free(oracle);
}

static void test_all_that_arrived_is_told_truly_though_reports_are_lost(void)
{
    for (guint32 seed = 1; seed <= 4; seed++) {
        run_oracle(WEIR_FEEDBACK_CCFB, seed);
    }
}

static void test_transport_feedback_tells_all_that_arrived_truly(void)
{
    for (guint32 seed = 1; seed <= 4; seed++) {
        run_oracle(WEIR_FEEDBACK_TWCC, seed);
    }
}

static void test_the_format_may_change_at_any_time(void)
{
    static const uint32_t formats[] = {WEIR_FEEDBACK_CCFB, WEIR_FEEDBACK_TWCC, WEIR_FEEDBACK_RR,
                                       WEIR_FEEDBACK_REMB};
    struct feed feed = feed_new(WEIR_FEEDBACK_CCFB, WEIR_MS(1));
    for (int i = 0; i < 20000; i++) {
        int64_t now_ns = feed.now_ns;
        feed_packet(&feed, i % 50 == 3);
        if (i % 777 == 0) {
            uint32_t format = formats[(i / 777) % 4];
            g_assert_cmpint(weir_receiver_set_format(feed.receiver, format, 0), ==, WEIR_OK);
        }
        int n = 0;
        while (is_due(feed.receiver, now_ns)) {
            build(feed.receiver, now_ns, &parsed);
            g_assert_cmpint(n++, <, 8);
        }
    }
    weir_receiver_destroy(feed.receiver);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/receiver_report/" #name, test_##name)
    ADD(nothing_to_say_before_the_first_packet);
    ADD(the_first_packet_is_answered_at_once_with_a_full_compound);
    ADD(a_second_stream_is_answered_at_once_too);
    ADD(feedback_comes_every_interval_while_packets_come);
    ADD(a_new_loss_is_told_at_once);
    ADD(never_two_datagrams_within_5_ms_whatever_is_lost);
    ADD(silence_leaves_a_report_about_every_second_for_30_s);
    ADD(sender_reports_are_answered_when_all_streams_are_gone);
    ADD(a_packet_a_minute_is_a_stream_while_its_sender_reports);
    ADD(rtcp_takes_5_percent_or_one_datagram_per_100_ms);
    ADD(receiver_reports_come_every_100_ms_without_names);
    ADD(remb_lists_the_streams_and_asks_for_twice_what_arrives);
    ADD(remb_is_left_out_when_nothing_arrives);
    ADD(marks_are_told_with_the_packet);
    ADD(only_the_feedback_goes_to_another_stack);
    ADD(transport_feedback_needs_transport_numbers);
    ADD(transport_feedback_counts_and_follows_a_restart);
    ADD(a_restart_within_a_report_makes_no_losses);
    ADD(one_wild_transport_number_is_not_believed);
    ADD(many_packets_do_not_make_more_receiver_reports);
    ADD(a_small_buffer_gets_it_all_in_more_datagrams);
    ADD(streams_take_turns_when_not_all_blocks_fit);
    ADD(bad_buffers_are_refused_and_change_nothing);
    ADD(the_wall_clock_may_jump_and_feedback_time_does_not);
    ADD(all_that_arrived_is_told_truly_though_reports_are_lost);
    ADD(transport_feedback_tells_all_that_arrived_truly);
    ADD(the_format_may_change_at_any_time);
    return g_test_run();
}
