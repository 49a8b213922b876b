/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sender_rig.h"

static void test_rtt_is_the_time_since_the_newest_packet_less_its_hold(void)
{
    static const struct {
        int64_t wait_ms, hold_ms, rtt_ms; /* rtt_ms 0: no sample */
    } cases[] = {{50, 0, 50}, {80, 30, 50}, {500, 450, 50}, {3000, 0, 3000}, {20, 40, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig = rig_start();
        uint8_t buffer[100];
        rig_send(&rig, 4, WEIR_MS(1));
        rig.now_ns += WEIR_MS(cases[i].wait_ms - 1);
        size_t len = rig_build_ccfb(&rig, RIG_PEER, RIG_SSRC, 65500, "rr.r",
                                    WEIR_MS(cases[i].hold_ms), buffer, sizeof(buffer));
        rig_rtcp(&rig, buffer, len);
        if (cases[i].rtt_ms == 0) {
            g_assert_cmpint(probe.feedback.rtt_ns, ==, WEIR_UNKNOWN_NS);
            g_assert_cmpint(rig_stats(&rig).rtt_ns, ==, WEIR_UNKNOWN_NS);
        } else {
            /* the hold is told in steps of 0.98 ms */
            assert_near(probe.feedback.rtt_ns, WEIR_MS(cases[i].rtt_ms), WEIR_MS(1));
            g_assert_cmpint(rig_output(&rig).rtt_ns, ==, probe.feedback.rtt_ns);
        }
        rig_finish(&rig);
    }
}

/* Transport-wide feedback has no hold time: how long packets were on their way tells it. */
static void test_without_a_hold_time_the_queue_counts_and_the_hold_does_not(void)
{
    static const struct {
        int64_t queue_ms, hold_ms, rtt_ms;
    } cases[] = {{0, 0, 50}, {0, 40, 50}, {10, 0, 60}, {45, 100, 95}, {0, 30, 50}, {70, 0, 120}};
    struct rig rig = rig_start();
    rig.has_transport = true;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t wait_ns = WEIR_MS(50 + cases[i].queue_ms + cases[i].hold_ms);
        int64_t arrived_ns = rig.now_ns + WEIR_MS(30 + cases[i].queue_ms);
        rig_send(&rig, 1, wait_ns);
        rig_twcc(&rig, (uint16_t)(65400 + i), "r", arrived_ns);
        assert_near(probe.feedback.rtt_ns, WEIR_MS(cases[i].rtt_ms), WEIR_MS(1));
    }
    rig_finish(&rig);
}

static void test_an_older_packet_gives_no_sample(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 10, WEIR_MS(10));
    rig_ccfb(&rig, 65505, "r");
    g_assert_cmpint(probe.feedback.rtt_ns, !=, WEIR_UNKNOWN_NS);
    rig_ccfb(&rig, 65502, "r");
    g_assert_cmpint(probe.n_feedbacks, ==, 2);
    g_assert_cmpint(probe.feedback.rtt_ns, ==, WEIR_UNKNOWN_NS);
    rig_finish(&rig);
}

static void test_the_controller_hears_of_each_packet_once(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 20, WEIR_MS(10));
    for (int end = 1; end <= 20; end++) {
        char pattern[21] = {0};
        memset(pattern, 'r', (size_t)end);
        rig_ccfb(&rig, 65500, pattern);
    }
    g_assert_cmpuint(probe.n_news, ==, 20);
    for (int i = 0; i < 20; i++) {
        g_assert_cmpint(probe.news[i].seq, ==, i);
        g_assert_cmpint(probe.news[i].sent_ns, ==, WEIR_SECONDS(100) + WEIR_MS(10 * i));
        g_assert_cmpint(probe.news[i].wire_bytes, ==, 1200);
        g_assert_cmpint(probe.news[i].status, ==, WEIR_PACKET_RECEIVED);
    }
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 20);
    g_assert_cmpint(rig_stats(&rig).in_flight_bytes, ==, 0);
    rig_finish(&rig);
}

/* Everything but the counters of what was heard. */
static void clear_counters(struct weir_sender_stats *stats)
{
    stats->rtcp_packets = 0;
    stats->feedback_packets[WEIR__FORMAT_INDEX_ccfb] = 0;
    stats->feedback_packets[WEIR__FORMAT_INDEX_twcc] = 0;
    stats->results_repeated = 0;
    stats->results_unsent = 0;
    stats->rtcp_rejected = 0;
    stats->rtcp_ignored = 0;
}

static void test_replayed_feedback_changes_nothing(void)
{
    struct rig rig = rig_start();
    uint8_t ccfb[3][200], twcc[3][200];
    size_t ccfb_len[3], twcc_len[3];
    rig.has_transport = true;
    for (int i = 0; i < 3; i++) {
        uint16_t rtp = rig.rtp_seq, transport = rig.transport_seq;
        rig_send(&rig, 10, WEIR_MS(10));
        ccfb_len[i] = rig_build_ccfb(&rig, RIG_PEER, RIG_SSRC, rtp, "rr.rrrrcr.", WEIR_MS(1),
                                     ccfb[i], sizeof(ccfb[i]));
        rig_rtcp(&rig, ccfb[i], ccfb_len[i]);
        twcc_len[i] =
            rig_build_twcc(&rig, transport, "rr.rrrrrrr", rig.now_ns, twcc[i], sizeof(twcc[i]));
        rig_rtcp(&rig, twcc[i], twcc_len[i]);
    }
    struct weir_sender_stats before = rig_stats(&rig);
    struct weir_output output = rig_output(&rig);
    int n_feedbacks = probe.n_feedbacks;
    for (int k = 0; k < 300; k++) {
        rig_rtcp(&rig, ccfb[k % 3], ccfb_len[k % 3]);
        rig_rtcp(&rig, twcc[(k + 1) % 3], twcc_len[(k + 1) % 3]);
    }
    struct weir_sender_stats after = rig_stats(&rig);
    struct weir_output output_after = rig_output(&rig);
    g_assert_cmpuint(after.results_repeated, >, before.results_repeated);
    g_assert_cmpint(probe.n_feedbacks, ==, n_feedbacks);
    assert_same_output(&output, &output_after);
    clear_counters(&before);
    clear_counters(&after);
    g_assert_true(memcmp(&before, &after, sizeof(before)) == 0);
    rig_finish(&rig);
}

static void test_feedback_for_packets_never_sent_yields_nothing(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig_send(&rig, 5, WEIR_MS(10));
    struct weir_output before = rig_output(&rig);
    g_assert_cmpint(rig_ccfb(&rig, 65510, "rrrr.rrr"), ==, WEIR_ERROR_REJECTED);
    g_assert_cmpint(rig_ccfb(&rig, 100, "rrrr"), ==, WEIR_ERROR_REJECTED);
    g_assert_cmpint(rig_twcc(&rig, 1, "rrrr.r", 0), ==, WEIR_ERROR_REJECTED);
    struct weir_output after = rig_output(&rig);
    assert_same_output(&before, &after);
    g_assert_cmpint(probe.n_feedbacks, ==, 0);
    g_assert_cmpuint(rig_stats(&rig).results_unsent, ==, 18);
    g_assert_cmpuint(rig_stats(&rig).rtcp_rejected, ==, 3);
    rig_finish(&rig);
}

/* A packet that the send queue dropped leaves a number that every receiver misses. */
static void test_our_own_gaps_are_no_claims(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 3, WEIR_MS(10));
    rig.rtp_seq = (uint16_t)(rig.rtp_seq + 40);
    rig_send(&rig, 3, WEIR_MS(10));
    char pattern[47];
    memset(pattern, '.', sizeof(pattern) - 1);
    memset(pattern, 'r', 3);
    memcpy(pattern + 43, "rrr", 4);
    g_assert_cmpint(rig_ccfb(&rig, 65500, pattern), ==, WEIR_OK);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 6);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    g_assert_cmpuint(rig_stats(&rig).results_unsent, ==, 0);
    /* the same gap, said to have arrived; what lies before the first and behind the newest */
    memset(pattern, 'r', 46);
    rig_ccfb(&rig, 65500, pattern);
    g_assert_cmpuint(rig_stats(&rig).results_unsent, ==, 40);
    rig_ccfb(&rig, 65498, "..r");
    rig_ccfb(&rig, 9, "r.");
    g_assert_cmpuint(rig_stats(&rig).results_unsent, ==, 43);
    rig_finish(&rig);
}

static void test_acks_faster_than_light_are_not_believed(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 5, 0);
    rig.now_ns += WEIR_US(99);
    g_assert_cmpint(rig_ccfb(&rig, 65500, "rr.rr"), ==, WEIR_ERROR_REJECTED);
    g_assert_cmpint(probe.n_feedbacks, ==, 0);
    g_assert_cmpint(rig_stats(&rig).in_flight_bytes, ==, 6000);
    rig.now_ns += WEIR_US(1);
    g_assert_cmpint(rig_ccfb(&rig, 65500, "rr.rr"), ==, WEIR_OK);
    g_assert_cmpint(probe.n_feedbacks, ==, 1);
    rig_finish(&rig);
}

static void test_reordering_by_two_is_no_loss_and_by_three_is(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 10, WEIR_MS(10));
    rig_ccfb(&rig, 65500, ".rr");
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    rig_ccfb(&rig, 65503, "r");
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 1);
    g_assert_cmpint(probe.news[2].seq, ==, 0);
    g_assert_cmpint(probe.news[2].status, ==, WEIR_PACKET_LOST);
    g_assert_cmpint(probe.news[2].arrived_ns, ==, WEIR_UNKNOWN_NS);
    rig_ccfb(&rig, 65500, "r");
    g_assert_cmpint(probe.news[probe.n_news - 1].status, ==, WEIR_PACKET_LATE);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    g_assert_cmpuint(rig_stats(&rig).packets_late, ==, 1);
    rig_finish(&rig);
}

/* A receiver report has counted it lost among others: it is not taken from that sum again. */
static void test_a_late_packet_of_a_sum_is_counted_once(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 110, WEIR_MS(10));
    rig_rr(&rig, RIG_PEER, 65509, 0, 0, 0);
    rig.now_ns += WEIR_SECONDS(1);
    rig_rr(&rig, RIG_PEER, 65536 + (uint16_t)(65500 + 109), 10, 0, 0);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 10);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 90);
    rig_ccfb(&rig, (uint16_t)(65500 + 100), ".rrrr");
    g_assert_cmpint(probe.news[0].status, ==, WEIR_PACKET_LOST);
    rig_ccfb(&rig, (uint16_t)(65500 + 100), "r");
    g_assert_cmpint(probe.news[probe.n_news - 1].status, ==, WEIR_PACKET_LATE);
    g_assert_cmpuint(rig_stats(&rig).packets_late, ==, 0);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 10);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 90);
    rig_finish(&rig);
}

/* A report was lost: what it covered is unknown, and never a loss. */
static void test_a_lost_report_makes_no_losses(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 30, WEIR_MS(10));
    rig_ccfb(&rig, 65500, "rrrrrrrrrr");
    rig_ccfb(&rig, 65520, "rrrrrrrrrr");
    rig.now_ns += WEIR_SECONDS(2);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 20);
    g_assert_cmpint(rig_stats(&rig).in_flight_bytes, ==, 0);
    g_assert_cmpuint(probe.n_news, ==, 20);
    rig_finish(&rig);
}

static void test_a_tail_loss_is_told_by_the_timer(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 3, WEIR_MS(10));
    rig.now_ns += WEIR_MS(30);
    rig_ccfb(&rig, 65500, "r.r");
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    int64_t due_ns = weir_sender_next_timer_ns(rig.sender);
    g_assert_cmpint(due_ns, <=, rig.now_ns + WEIR_SECONDS(1));
    weir_sender_on_timer(rig.sender, due_ns);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 1);
    g_assert_cmpint(probe.news[2].seq, ==, 1);
    g_assert_cmpint(probe.feedback.rtt_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(rig_stats(&rig).in_flight_bytes, ==, 0);
    rig_finish(&rig);
}

static void test_a_long_report_comes_in_several_calls(void)
{
    struct rig rig = rig_start();
    static char pattern[2001];
    rig_send(&rig, 2000, WEIR_US(50));
    rig.now_ns += WEIR_MS(50);
    for (int i = 0; i < 2000; i++) {
        pattern[i] = i % 3 == 1 ? '.' : 'r';
    }
    rig_ccfb(&rig, 65500, pattern);
    g_assert_cmpuint(probe.n_news, >=, 1997u);
    g_assert_cmpuint((size_t)probe.n_feedbacks, ==,
                     (probe.n_news + (size_t)WEIR_FEEDBACK_MAX_PACKETS - 1) /
                         (size_t)WEIR_FEEDBACK_MAX_PACKETS);
    g_assert_cmpint(probe.feedback.rtt_ns, >, 0); /* in the last of them */
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 1333);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, >=, 664);
    g_assert_cmpint(rig_output(&rig).rtt_ns, >, 0);
    rig_finish(&rig);
}

/* Streams of a bundle, interleaved: one report names them one after the other, the controller gets
 * them as they were sent. The rig checks the order. */
static void test_packets_of_a_bundle_come_in_the_order_of_sending(void)
{
    struct rig rig = rig_start();
    struct weir__feedback_entry entries[60];
    uint8_t buffer[400];
    size_t len, n_written;
    for (int i = 0; i < 60; i++) {
        uint32_t ssrc = 1 + (uint32_t)i % 3;
        rig_send_ssrc(&rig, ssrc, (uint16_t)(i / 3));
        rig.now_ns += WEIR_MS(1);
        entries[i % 3 * 20 + i / 3] = (struct weir__feedback_entry){
            .ssrc = ssrc, .seq = (uint16_t)(i / 3), .received = true, .has_time = true};
    }
    rig.now_ns += WEIR_MS(10);
    struct ccfb ccfb = {.sender_ssrc = RIG_PEER};
    ccfb_build(&ccfb, entries, 60, buffer, sizeof(buffer), &len, &n_written);
    g_assert_cmpuint(n_written, ==, 60);
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    g_assert_cmpuint(probe.n_news, ==, 60);
    for (int i = 0; i < 60; i++) {
        g_assert_cmpint(probe.news[i].seq, ==, i);
    }
    rig_finish(&rig);
}

static void test_loss_and_interval_are_measured(void)
{
    struct rig rig = rig_start();
    for (int i = 0; i < 100; i++) {
        uint16_t begin = rig.rtp_seq;
        rig_send(&rig, 10, WEIR_MS(10));
        rig_ccfb(&rig, begin, "rrrr.rrrrr");
    }
    struct weir_sender_stats stats = rig_stats(&rig);
    assert_near(stats.loss_ppm, 100000, 2000);
    g_assert_cmpint(stats.loss_burst_milli, ==, 1000);
    assert_near(stats.feedback_interval_ns, WEIR_MS(100), WEIR_MS(5));
    g_assert_cmpint(stats.last_feedback_ns, ==, rig.now_ns);
    assert_near(stats.delivered_wire_bps, 8 * 1200 * 90, 100000);
    g_assert_cmpuint(stats.active_formats, ==, WEIR_FEEDBACK_CCFB);
    rig.now_ns += WEIR_SECONDS(11);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    stats = rig_stats(&rig);
    g_assert_cmpint(stats.loss_ppm, ==, 0);
    g_assert_cmpuint(stats.active_formats, ==, 0);
    rig_finish(&rig);
}

static void test_losses_in_a_row_are_one_burst(void)
{
    struct rig rig = rig_start();
    g_assert_cmpint(rig_stats(&rig).loss_burst_milli, ==, 1000);
    for (int i = 0; i < 100; i++) {
        uint16_t begin = rig.rtp_seq;
        rig_send(&rig, 10, WEIR_MS(10));
        rig_ccfb(&rig, begin, i % 2 ? ".rrrrrrrrr" : "rrrrrrrrr."); /* over two reports, too */
    }
    g_assert_cmpint(rig_stats(&rig).loss_burst_milli, ==, 2000);
    rig_finish(&rig);
}

/* Reports in random order about random packets: what the counters say adds up. */
static void test_counts_add_up_under_random_feedback(void)
{
    for (guint32 seed = 1; seed <= 20; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        struct rig rig = rig_start();
        bool received[3000] = {false};
        unsigned n_received = 0;
        for (int sent = 0; sent < 3000; sent += 30) {
            rig_send(&rig, 30, WEIR_MS(1));
            for (int k = 0; k < 3; k++) {
                char pattern[65] = {0};
                int begin = g_rand_int_range(rand, 0, sent + 30);
                int n = g_rand_int_range(rand, 1, 65);
                for (int i = 0; i < n; i++) {
                    bool got = g_rand_int_range(rand, 0, 4) > 0;
                    bool counts = begin + i < sent + 29;
                    pattern[i] = got ? 'r' : '.';
                    if (got && counts && !received[begin + i]) {
                        received[begin + i] = true;
                        n_received++;
                    }
                    if (!counts) {
                        pattern[i] = '.';
                    }
                }
                rig_ccfb(&rig, (uint16_t)(65500 + begin), pattern);
            }
        }
        struct weir_sender_stats stats = rig_stats(&rig);
        if (stats.packets_received != n_received) {
            g_error("seed %u: %" G_GUINT64_FORMAT " instead of %u", seed, stats.packets_received,
                    n_received);
        }
        unsigned lost = 0, late = 0, got = 0;
        for (size_t i = 0; i < probe.n_news; i++) {
            lost += probe.news[i].status == WEIR_PACKET_LOST;
            late += probe.news[i].status == WEIR_PACKET_LATE;
            got += probe.news[i].status == WEIR_PACKET_RECEIVED;
        }
        g_assert_cmpuint(got + late, ==, n_received);
        g_assert_cmpuint(stats.packets_late, ==, late);
        g_assert_cmpuint(stats.packets_lost, ==, lost - late);
        g_assert_cmpint(stats.in_flight_bytes, >=, 0);
        rig_finish(&rig);
        g_rand_free(rand);
    }
}

/* Five packets and their feedback: the first arrives delay_ms after it was sent. */
static void exchange(struct rig *rig, int64_t delay_ms, int64_t clock_ns)
{
    uint16_t number = rig->transport_seq;
    int64_t sent_ns = rig->now_ns;
    rig_send(rig, 5, WEIR_MS(1));
    rig->now_ns = sent_ns + WEIR_MS(30 + delay_ms);
    rig_twcc(rig, number, "rrrrr", sent_ns + WEIR_MS(delay_ms) + clock_ns);
}

/* Two transports whose receivers' clocks are hours apart, on a path with a queue that grows: the
 * controller sees one delay that grows. */
static void test_the_clocks_of_transports_are_set_to_each_other(void)
{
    struct rig rig = rig_start();
    rig_add_members(&rig, 2);
    rig.has_transport = true;
    for (int i = 0; i < 100; i++) {
        rig.member = (uint32_t)i % 2;
        exchange(&rig, 20 + i, rig.member == 0 ? 0 : WEIR_SECONDS(7200));
    }
    g_assert_cmpuint(probe.n_news, ==, 500);
    int64_t first_ns = probe.news[0].arrived_ns - probe.news[0].sent_ns;
    for (size_t k = 0; k < 500; k++) {
        int64_t delay_ns = probe.news[k].arrived_ns - probe.news[k].sent_ns - first_ns;
        /* the second transport came to know the queue 1 ms too late */
        assert_near(delay_ns, WEIR_MS((int64_t)(k / 5)), WEIR_MS(1) + 4);
    }
    rig_finish(&rig);
}

/* A member comes onto the transport of one that left; its receiver's clock is hours later. */
static void test_a_transport_given_again_has_a_clock_of_its_own(void)
{
    struct rig rig = rig_start();
    rig_add_members(&rig, 2);
    rig.has_transport = true;
    rig.member = 1;
    uint8_t transport = rig.sender->members.places[1].transport;
    exchange(&rig, 20, WEIR_SECONDS(3600));
    do {
        g_assert_cmpint(weir_sender_remove_member(rig.sender, rig.now_ns, 1), ==, WEIR_OK);
        rig_add_members(&rig, 2);
    } while (rig.sender->members.places[1].transport != transport);
    rig.peer = RIG_PEER + 1;
    exchange(&rig, 20, WEIR_SECONDS(7200));
    g_assert_cmpuint(probe.n_news, ==, 10);
    g_assert_cmpint(probe.news[5].arrived_ns - probe.news[5].sent_ns, ==,
                    probe.news[0].arrived_ns - probe.news[0].sent_ns);
    rig_finish(&rig);
}

/* Spurts of a second, each packet reported 30 ms later, and silences of three. */
static void test_the_feedback_interval_knows_no_silence(void)
{
    struct rig rig = rig_start();
    for (int spurt = 0; spurt < 5; spurt++) {
        for (int i = 0; i < 50; i++) {
            uint16_t seq = rig.rtp_seq;
            rig_send(&rig, 1, WEIR_MS(30));
            g_assert_cmpint(rig_ccfb(&rig, seq, "r"), ==, WEIR_OK);
            rig.now_ns += WEIR_MS(10);
        }
        assert_near(rig_stats(&rig).feedback_interval_ns, WEIR_MS(40), WEIR_MS(2));
        rig.now_ns += WEIR_SECONDS(3);
    }
    rig_finish(&rig);
}

static void count_kind(void *user, const struct weir_trace_record *record)
{
    ((int *)user)[record->kind]++;
}

static void test_feedback_is_traced_packet_by_packet(void)
{
    int counts[16] = {0};
    struct weir_sender_config config = rig_config();
    config.on_trace = count_kind;
    config.trace_user = counts;
    struct rig rig = rig_new(&config);
    rig_send(&rig, 4, WEIR_MS(1));
    rig_ccfb(&rig, 65500, "rr.r");
    g_assert_cmpint(counts[WEIR_TRACE_FEEDBACK], ==, 1);
    g_assert_cmpint(counts[WEIR_TRACE_PACKET], ==, 3);
    rig_finish(&rig);
}

static void test_one_packet_too_young_does_not_hide_the_others(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 2, WEIR_MS(10));
    rig_send(&rig, 1, WEIR_US(50));
    g_assert_cmpint(rig_ccfb(&rig, 65500, "rrr"), ==, WEIR_OK);
    g_assert_cmpuint(probe.n_news, ==, 2);
    rig_finish(&rig);
}

static void test_a_suspect_that_came_late_is_no_loss_when_its_time_is_over(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 3, WEIR_MS(20));
    rig_ccfb(&rig, 65500, "r.r");
    rig_ccfb(&rig, 65501, "r");
    int n_feedbacks = probe.n_feedbacks;
    rig.now_ns += WEIR_SECONDS(5);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(probe.n_feedbacks, ==, n_feedbacks);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    rig_finish(&rig);
}

static void test_a_report_after_10_s_is_no_sample_of_the_round_trip(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig_send(&rig, 1, WEIR_SECONDS(11));
    rig_twcc(&rig, 65400, "r", WEIR_SECONDS(64));
    g_assert_cmpint(rig_output(&rig).rtt_ns, ==, WEIR_UNKNOWN_NS);
    rig_finish(&rig);
}

/* RFC 8083 4.1: who tells nothing of our packets, in whatever format, may be anybody. The media is
 * stopped as if nothing had come. */
static void test_reports_about_nothing_of_ours_are_no_signs_of_life(void)
{
    static const char *const reports[] = {
        "80c9000111223344",                                                 /* RR without a block */
        "81c9000711223344deadbeef0000000000000064000000000000000000000000", /* about another */
        "8bcd00021122334400000000",                         /* CCFB without a stream */
        "8bcd000411223344cafebabe0000000000000000",         /* of ours, without a packet */
        "8bcd000511223344deadbeef000000028000800000000000", /* CCFB about another's */
    };
    static const uint32_t formats[] = {WEIR_FEEDBACK_ALL, WEIR_FEEDBACK_TWCC};
    for (size_t i = 0; i < G_N_ELEMENTS(reports) * G_N_ELEMENTS(formats); i++) {
        struct weir_sender_config config = rig_config();
        config.feedback_formats = formats[i % 2];
        struct rig rig = rig_new(&config);
        uint8_t data[64];
        size_t len = test_hex(reports[i / 2], data, sizeof(data));
        rig_send(&rig, 50, WEIR_MS(20));
        rig_rr(&rig, RIG_PEER, (uint16_t)(rig.rtp_seq - 1), 0, 0, 0);
        for (int second = 0; second < 16; second++) {
            rig_send(&rig, 10, WEIR_MS(100));
            rig_rtcp(&rig, data, len);
            weir_sender_on_timer(rig.sender, rig.now_ns);
        }
        g_assert_cmpuint(rig_stats(&rig).rtcp_malformed, ==, 0);
        g_assert_cmpint(rig.sender->breaker.state, ==, WEIR__BREAKER_CEASED);
        rig_finish(&rig);
    }
}

/* A receiver whose feedback on packets stops is counted by its receiver reports, and feedback on
 * packets comes back: nothing is counted twice, nor by a second receiver's reports. */
static void test_a_packet_is_counted_once_whoever_tells_of_it(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 50, WEIR_MS(20));
    rig_rr(&rig, RIG_PEER, (uint16_t)(rig.rtp_seq - 1), 0, 0, 0);
    rig_rr(&rig, RIG_PEER + 1, (uint16_t)(rig.rtp_seq - 1), 0, 0, 0);
    uint16_t begin = rig.rtp_seq;
    rig_send(&rig, 10, WEIR_MS(20));
    g_assert_cmpint(rig_ccfb(&rig, begin, "rrrr.rrrrr"), ==, WEIR_OK);
    begin = rig.rtp_seq;
    rig_send(&rig, 200, WEIR_MS(20));
    g_assert_cmpint(rig_rr(&rig, RIG_PEER, (uint16_t)(rig.rtp_seq - 1), 21, 0, 0), ==, WEIR_OK);
    g_assert_cmpint(rig_rr(&rig, RIG_PEER + 1, (uint16_t)(rig.rtp_seq - 1), 21, 0, 0), ==, WEIR_OK);
    struct weir_sender_stats stats = rig_stats(&rig);
    g_assert_cmpuint(stats.packets_received + stats.packets_lost, ==, 210);
    g_assert_cmpuint(stats.packets_lost, ==, 1 + 20);
    g_assert_cmpint(rig_ccfb(&rig, begin, "rrrrr.rrrr"), ==, WEIR_OK);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, stats.packets_received);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, stats.packets_lost);
    begin = rig.rtp_seq;
    rig_send(&rig, 10, WEIR_MS(20));
    g_assert_cmpint(rig_ccfb(&rig, begin, "rrrr.rrrrr"), ==, WEIR_OK);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, stats.packets_received + 9);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, stats.packets_lost + 1);
    rig_finish(&rig);
}

static void test_a_loss_on_a_second_transport_has_no_arrival(void)
{
    struct rig rig = rig_start();
    rig_add_members(&rig, 2);
    rig.has_transport = true;
    for (rig.member = 0; rig.member < 2; rig.member++) {
        exchange(&rig, 20, rig.member * WEIR_SECONDS(7200));
    }
    rig.member = 1;
    uint16_t number = rig.transport_seq;
    rig_send(&rig, 5, WEIR_MS(1));
    probe.n_news = 0;
    rig_twcc(&rig, number, "r.rrr", rig.now_ns + WEIR_SECONDS(7200));
    g_assert_cmpuint(probe.n_news, ==, 5);
    g_assert_cmpint(probe.news[1].status, ==, WEIR_PACKET_LOST);
    g_assert_cmpint(probe.news[1].arrived_ns, ==, WEIR_UNKNOWN_NS);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_feedback/rtt_is_the_time_since_the_newest_packet_less_its_hold",
                    test_rtt_is_the_time_since_the_newest_packet_less_its_hold);
    g_test_add_func("/sender_feedback/without_a_hold_time_the_queue_counts_and_the_hold_does_not",
                    test_without_a_hold_time_the_queue_counts_and_the_hold_does_not);
    g_test_add_func("/sender_feedback/an_older_packet_gives_no_sample",
                    test_an_older_packet_gives_no_sample);
    g_test_add_func("/sender_feedback/the_controller_hears_of_each_packet_once",
                    test_the_controller_hears_of_each_packet_once);
    g_test_add_func("/sender_feedback/replayed_feedback_changes_nothing",
                    test_replayed_feedback_changes_nothing);
    g_test_add_func("/sender_feedback/feedback_for_packets_never_sent_yields_nothing",
                    test_feedback_for_packets_never_sent_yields_nothing);
    g_test_add_func("/sender_feedback/our_own_gaps_are_no_claims", test_our_own_gaps_are_no_claims);
    g_test_add_func("/sender_feedback/acks_faster_than_light_are_not_believed",
                    test_acks_faster_than_light_are_not_believed);
    g_test_add_func("/sender_feedback/reordering_by_two_is_no_loss_and_by_three_is",
                    test_reordering_by_two_is_no_loss_and_by_three_is);
    g_test_add_func("/sender_feedback/a_lost_report_makes_no_losses",
                    test_a_lost_report_makes_no_losses);
    g_test_add_func("/sender_feedback/a_tail_loss_is_told_by_the_timer",
                    test_a_tail_loss_is_told_by_the_timer);
    g_test_add_func("/sender_feedback/a_long_report_comes_in_several_calls",
                    test_a_long_report_comes_in_several_calls);
    g_test_add_func("/sender_feedback/packets_of_a_bundle_come_in_the_order_of_sending",
                    test_packets_of_a_bundle_come_in_the_order_of_sending);
    g_test_add_func("/sender_feedback/loss_and_interval_are_measured",
                    test_loss_and_interval_are_measured);
    g_test_add_func("/sender_feedback/losses_in_a_row_are_one_burst",
                    test_losses_in_a_row_are_one_burst);
    g_test_add_func("/sender_feedback/counts_add_up_under_random_feedback",
                    test_counts_add_up_under_random_feedback);
    g_test_add_func("/sender_feedback/the_clocks_of_transports_are_set_to_each_other",
                    test_the_clocks_of_transports_are_set_to_each_other);
    g_test_add_func("/sender_feedback/a_transport_given_again_has_a_clock_of_its_own",
                    test_a_transport_given_again_has_a_clock_of_its_own);
    g_test_add_func("/sender_feedback/the_feedback_interval_knows_no_silence",
                    test_the_feedback_interval_knows_no_silence);
    g_test_add_func("/sender_feedback/feedback_is_traced_packet_by_packet",
                    test_feedback_is_traced_packet_by_packet);
    g_test_add_func("/sender_feedback/one_packet_too_young_does_not_hide_the_others",
                    test_one_packet_too_young_does_not_hide_the_others);
    g_test_add_func("/sender_feedback/a_suspect_that_came_late_is_no_loss_when_its_time_is_over",
                    test_a_suspect_that_came_late_is_no_loss_when_its_time_is_over);
    g_test_add_func("/sender_feedback/a_report_after_10_s_is_no_sample_of_the_round_trip",
                    test_a_report_after_10_s_is_no_sample_of_the_round_trip);
    g_test_add_func("/sender_feedback/reports_about_nothing_of_ours_are_no_signs_of_life",
                    test_reports_about_nothing_of_ours_are_no_signs_of_life);
    g_test_add_func("/sender_feedback/a_packet_is_counted_once_whoever_tells_of_it",
                    test_a_packet_is_counted_once_whoever_tells_of_it);
    g_test_add_func("/sender_feedback/a_loss_on_a_second_transport_has_no_arrival",
                    test_a_loss_on_a_second_transport_has_no_arrival);
    g_test_add_func("/sender_feedback/a_late_packet_of_a_sum_is_counted_once",
                    test_a_late_packet_of_a_sum_is_counted_once);
    return g_test_run();
}
