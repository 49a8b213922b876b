/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session tests its path for ECN and believes marks of what was ECN-capable alone. */
#include "sender_rig.h"

static enum weir_ecn_path path_of(const struct rig *rig)
{
    return weir_sender_get_ecn_path(rig->sender, NULL, NULL);
}

static void test_off_unless_asked_for(void)
{
    struct rig rig = rig_start();
    g_assert_cmpint(weir_sender_get_ecn(rig.sender), ==, WEIR_ECN_NOT_ECT);
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_OFF);
    rig_send(&rig, 6, WEIR_MS(1));
    rig.now_ns += WEIR_MS(40);
    rig_ccfb(&rig, 65500, "rcccrr");
    g_assert_cmpuint(probe.n_news, ==, 6);
    for (size_t i = 0; i < probe.n_news; i++) {
        g_assert_cmpint(probe.news[i].ecn, ==, WEIR_ECN_NOT_ECT);
    }
    rig_finish(&rig);
}

static void test_codepoints(void)
{
    static const struct {
        enum weir_ecn ecn;
        enum weir_status status;
    } rows[] = {{WEIR_ECN_ECT0, WEIR_OK},
                {WEIR_ECN_ECT1, WEIR_OK},
                {WEIR_ECN_CE, WEIR_ERROR_ARGUMENT},
                {(enum weir_ecn)7, WEIR_ERROR_ARGUMENT},
                {WEIR_ECN_NOT_ECT, WEIR_OK}};
    struct rig rig = rig_start();
    enum weir_ecn before = WEIR_ECN_NOT_ECT;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpint(weir_sender_set_ecn(rig.sender, rig.now_ns, rows[i].ecn), ==,
                        rows[i].status);
        before = rows[i].status == WEIR_OK ? rows[i].ecn : before;
        g_assert_cmpint(weir_sender_get_ecn(rig.sender), ==, before);
    }
    rig_finish(&rig);
}

/* The counters a user sees. */
static void test_marks_are_counted(void)
{
    uint64_t packets_ce, packets_wrong;
    struct rig rig = rig_start();
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    rig_send(&rig, 6, WEIR_MS(1));
    rig.now_ns += WEIR_MS(40);
    rig_ccfb(&rig, 65500, "ececee");
    g_assert_cmpint(weir_sender_get_ecn_path(rig.sender, &packets_ce, &packets_wrong), ==,
                    WEIR_ECN_PATH_CAPABLE);
    g_assert_cmpuint(packets_ce, ==, 2);
    g_assert_cmpuint(packets_wrong, ==, 0);
    rig_finish(&rig);
}

/* Who wakes elsewhere may be behind a path that drops what the one before carried. */
static void test_a_machine_that_slept_tests_anew(void)
{
    struct rig rig = rig_start();
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    rig_send(&rig, 6, WEIR_MS(1));
    rig.now_ns += WEIR_MS(40);
    rig_ccfb(&rig, 65500, "eeeeee");
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_CAPABLE);
    rig_send(&rig, 1, WEIR_SECONDS(60));
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_TESTING);
    g_assert_cmpint(weir_sender_get_ecn(rig.sender), ==, WEIR_ECN_ECT0);
    rig_finish(&rig);
}

/* Transport-wide feedback tells of no codepoints: that is no bleaching. */
static void test_a_format_without_ecn(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    for (int i = 0; i < 40; i++) {
        uint16_t begin = rig.transport_seq;
        rig_send(&rig, 10, WEIR_MS(5));
        rig_twcc(&rig, begin, "rrrrrrrrrr", rig.now_ns);
    }
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_UNREPORTED);
    g_assert_cmpint(weir_sender_get_ecn(rig.sender), ==, WEIR_ECN_NOT_ECT);
    rig_finish(&rig);
}

enum { PACKET_BYTES = 300 }; /* 0.24 ms at 10 Mbit/s */

/* How many packets of a waiting frame leave at once. */
static int burst_of(struct rig *rig)
{
    int n = 0;
    rig->rtp_bytes = PACKET_BYTES;
    weir_sender_on_queue(rig->sender, rig->now_ns, 0, 50 * PACKET_BYTES);
    while (weir_sender_next_send_ns(rig->sender, rig->now_ns, PACKET_BYTES) <= rig->now_ns) {
        rig->queued_bytes = (49 - n++) * PACKET_BYTES;
        rig_send(rig, 1, 0);
    }
    return n;
}

/* An L4S queue marks what waits for 1 ms: at its rate a burst is half as long, whatever quantum the
 * program asked for. */
static void test_bursts_are_short_for_an_l4s_queue(void)
{
    static const struct {
        enum weir_ecn ecn;
        int64_t quantum_ns;
        int64_t target_ns;
        int64_t burst_bytes;
        int packets;
    } rows[] = {
        {WEIR_ECN_NOT_ECT, WEIR_MS(5), 0, 0, 21},
        {WEIR_ECN_ECT0, WEIR_MS(5), 0, 0, 21},
        {WEIR_ECN_ECT1, WEIR_MS(5), 0, 0, 3},
        {WEIR_ECN_ECT1, WEIR_MS(5), WEIR_MS(5), 0, 3},
        {WEIR_ECN_ECT1, WEIR_MS(5), WEIR_US(900), 0, 2},
        {WEIR_ECN_ECT1, 0, WEIR_MS(5), 12000, 3},
        {WEIR_ECN_ECT1, 0, WEIR_MS(5), 0, 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct rig rig = rig_start();
        probe.control.rate_bps = WEIR_MBPS(10);
        probe.control.queue_target_ns = rows[i].target_ns;
        probe.control.burst_bytes = rows[i].burst_bytes;
        rig.sender->initial_bps = WEIR_MBPS(10);
        weir_sender_set_pacing_quantum(rig.sender, rig.now_ns, rows[i].quantum_ns);
        weir_sender_set_ecn(rig.sender, rig.now_ns, rows[i].ecn);
        g_assert_cmpint(burst_of(&rig), ==, rows[i].packets);
        rig_finish(&rig);
    }
}

/* What does not leave as ECT(1) gets into no L4S queue. */
static void test_bursts_are_long_again_where_the_path_fails(void)
{
    struct rig rig = rig_start();
    probe.control.rate_bps = WEIR_MBPS(10);
    rig.sender->initial_bps = WEIR_MBPS(10);
    weir_sender_set_pacing_quantum(rig.sender, rig.now_ns, WEIR_MS(5));
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT1);
    rig_send(&rig, 200, WEIR_MS(1));
    rig_ccfb(&rig, 65500, "rrr");
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_TESTING);
    rig_ccfb(&rig, 100, "rrr");
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_BLEACHED);
    g_assert_cmpint(burst_of(&rig), ==, 21);
    rig_finish(&rig);
}

/* Forms in which a receiver tells its counts (RFC 6679 5.1, 5.2). */
enum { FEEDBACK = 1 << 0, SUMMARY = 1 << 1 };

static size_t put_counts(const struct weir__ecn_feedback *feedback, int forms, uint8_t *buffer,
                         size_t capacity_bytes)
{
    struct weir__ecn_summary summary = {.media_ssrc = feedback->media_ssrc,
                                        .counts = feedback->counts};
    size_t feedback_bytes = 0, summary_bytes = 0;
    if (forms & FEEDBACK) {
        weir__ecn_feedback_build(feedback, buffer, capacity_bytes, &feedback_bytes);
    }
    if (forms & SUMMARY) {
        weir__ecn_summary_build(feedback->sender_ssrc, &summary, buffer + feedback_bytes,
                                capacity_bytes - feedback_bytes, &summary_bytes);
    }
    return feedback_bytes + summary_bytes;
}

/* What a receiver that counts codepoints sends: its report on all that was sent, and the counts
 * since the stream began. */
static enum weir_status tell_counts(struct rig *rig, uint32_t ssrc,
                                    const struct weir__ecn_counts *counts, int forms)
{
    uint32_t highest = (uint16_t)(rig->rtp_seq - 1);
    highest += highest < 65500 ? 65536 : 0; /* which the rig begins with */
    uint8_t buffer[128];
    size_t rr_bytes;
    struct weir__report report = {
        .ssrc = 42, .n_blocks = 1, .blocks = {{.ssrc = ssrc, .highest_seq = highest}}};
    struct weir__ecn_feedback feedback = {
        .sender_ssrc = 42, .media_ssrc = ssrc, .highest_seq = highest, .counts = *counts};
    weir__report_build(&report, buffer, sizeof buffer, &rr_bytes);
    size_t ecn_bytes = put_counts(&feedback, forms, buffer + rr_bytes, sizeof buffer - rr_bytes);
    return rig_rtcp(rig, buffer, rr_bytes + ecn_bytes);
}

/* Ten packets each 100 ms, of which so many are marked, reported by the newest of them. */
static void pass_marked_of(struct rig *rig, uint32_t ssrc, int rounds, uint16_t marked, int forms,
                           struct weir__ecn_counts *counts)
{
    for (int i = 0; i < rounds; i++) {
        bool capable = weir_sender_get_ecn(rig->sender) == WEIR_ECN_ECT0;
        uint16_t ce = capable ? marked : 0;
        for (int k = 0; k < 10; k++) {
            rig_send_ssrc(rig, ssrc, rig->rtp_seq++);
            rig->now_ns += WEIR_MS(10);
        }
        counts->ce_packets = (uint16_t)(counts->ce_packets + ce);
        counts->ect0_packets += capable ? 10u - ce : 0;
        counts->not_ect_packets = (uint16_t)(counts->not_ect_packets + (capable ? 0 : 10));
        tell_counts(rig, ssrc, counts, forms);
    }
}

static void pass_marked(struct rig *rig, int rounds, uint16_t marked, int forms,
                        struct weir__ecn_counts *counts)
{
    pass_marked_of(rig, RIG_SSRC, rounds, marked, forms, counts);
}

/* RFC 6679: with receiver reports alone, counts test the path, and marks are told as losses; those
 * told in both forms once. */
static void test_counts_are_for_receiver_reports(void)
{
    for (int forms = FEEDBACK; forms <= (FEEDBACK | SUMMARY); forms++) {
        uint64_t packets_ce, packets_wrong;
        struct weir__ecn_counts counts = {0};
        struct rig rig = rig_start();
        weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
        pass_marked(&rig, 30, 0, forms, &counts);
        g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_CAPABLE);
        g_assert_cmpint(probe.report.lost_packets, ==, 0);
        uint64_t lost_before = rig_stats(&rig).packets_lost;
        pass_marked(&rig, 1, 3, forms, &counts);
        g_assert_cmpint(probe.report.lost_packets, ==, 3);
        g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, lost_before);
        weir_sender_get_ecn_path(rig.sender, &packets_ce, &packets_wrong);
        g_assert_cmpuint(packets_ce, ==, 3);
        pass_marked(&rig, 1, 0, forms, &counts);
        g_assert_cmpint(probe.report.lost_packets, ==, 0);
        g_assert_cmpuint(rig_stats(&rig).rtcp_unknown, ==, 0);
        g_assert_cmpuint(rig_stats(&rig).rtcp_rejected, ==, 0);
        rig_finish(&rig);
    }
}

static void test_counts_of_each_stream_are_taken(void)
{
    uint64_t packets_ce, packets_wrong;
    struct weir__ecn_counts counts[WEIR__HISTORY_STREAMS] = {{0}};
    struct rig rig = rig_start();
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    for (int round = 0; round < 30; round++) {
        for (uint32_t i = 0; i < WEIR__HISTORY_STREAMS; i++) {
            pass_marked_of(&rig, RIG_SSRC + i, 1, round == 29, SUMMARY, &counts[i]);
        }
    }
    weir_sender_get_ecn_path(rig.sender, &packets_ce, &packets_wrong);
    g_assert_cmpuint(packets_ce, ==, WEIR__HISTORY_STREAMS);
    g_assert_cmpuint(packets_wrong, ==, 0);
    rig_finish(&rig);
}

/* A summary says up to which packet it counts by the report block beside it (RFC 6679 5.2). */
static void test_a_summary_without_its_report_is_not_understood(void)
{
    static const struct {
        uint32_t media;
        bool has_block;
        size_t cut_bytes;
        unsigned unknown, malformed, ce;
    } rows[] = {
        {RIG_SSRC, true, 0, 0, 0, 5}, {RIG_SSRC, false, 0, 1, 0, 0}, {4711, true, 0, 1, 0, 0},
        {RIG_SSRC, true, 4, 0, 1, 0}, {RIG_SSRC, true, 24, 1, 0, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__ecn_counts counts = {0};
        struct rig rig = rig_start();
        weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
        pass_marked(&rig, 30, 0, FEEDBACK, &counts);
        struct weir_sender_stats before = rig_stats(&rig);
        rig_send(&rig, 10, WEIR_MS(10));
        uint8_t buffer[128];
        size_t bytes;
        struct weir__report report = {
            .ssrc = 42,
            .n_blocks = rows[i].has_block,
            .blocks = {{.ssrc = RIG_SSRC, .highest_seq = 65536u + (uint16_t)(rig.rtp_seq - 1)}}};
        struct weir__ecn_feedback summary = {
            .sender_ssrc = 42,
            .media_ssrc = rows[i].media,
            .counts = {.ect0_packets = counts.ect0_packets + 5, .ce_packets = 5}};
        weir__report_build(&report, buffer, sizeof buffer, &bytes);
        uint8_t *xr = buffer + bytes;
        size_t xr_bytes = put_counts(&summary, SUMMARY, xr, sizeof buffer - bytes);
        xr_bytes -= rows[i].cut_bytes;
        xr[3] = (uint8_t)(xr_bytes / 4 - 1);
        if (rows[i].cut_bytes == 4) {
            xr[11]--; /* the block's length, in words, too */
        }
        rig_rtcp(&rig, buffer, bytes + xr_bytes);
        struct weir_sender_stats after = rig_stats(&rig);
        g_assert_cmpuint(after.rtcp_unknown - before.rtcp_unknown, ==, rows[i].unknown);
        g_assert_cmpuint(after.rtcp_malformed - before.rtcp_malformed, ==, rows[i].malformed);
        g_assert_cmpuint(after.rtcp_rejected, ==, before.rtcp_rejected);
        uint64_t packets_ce, packets_wrong;
        weir_sender_get_ecn_path(rig.sender, &packets_ce, &packets_wrong);
        g_assert_cmpuint(packets_ce, ==, rows[i].ce);
        rig_finish(&rig);
    }
}

static void test_counts_that_cannot_be_are_rejected(void)
{
    struct weir__ecn_counts counts = {0};
    struct rig rig = rig_start();
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    pass_marked(&rig, 30, 0, FEEDBACK, &counts);
    uint64_t rejected = rig_stats(&rig).rtcp_rejected;
    struct weir__ecn_counts forged = counts;
    forged.ce_packets = 1000;
    rig_send(&rig, 10, WEIR_MS(10));
    tell_counts(&rig, RIG_SSRC, &forged, FEEDBACK);
    g_assert_cmpuint(rig_stats(&rig).rtcp_rejected, ==, rejected + 1);
    g_assert_cmpint(probe.report.lost_packets, ==, 0);
    g_assert_cmpint(path_of(&rig), ==, WEIR_ECN_PATH_CAPABLE);
    rig_finish(&rig);
}

/* Whoever reports nothing lowers no rate, in whose name ever. */
static void test_counts_without_a_report_are_ignored(void)
{
    struct weir__ecn_counts counts = {0};
    struct rig rig = rig_start();
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    pass_marked(&rig, 30, 0, FEEDBACK, &counts);
    for (uint32_t ssrc = 42; ssrc <= 43; ssrc++) {
        uint8_t buffer[64];
        size_t bytes;
        uint64_t ignored = rig_stats(&rig).rtcp_ignored;
        struct weir__ecn_feedback feedback = {
            .sender_ssrc = ssrc,
            .media_ssrc = RIG_SSRC,
            .highest_seq = (uint16_t)(rig.rtp_seq - 1),
            .counts = {.ce_packets = (uint16_t)(counts.ce_packets + 5),
                       .ect0_packets = counts.ect0_packets},
        };
        weir__ecn_feedback_build(&feedback, buffer, sizeof buffer, &bytes);
        rig_rtcp(&rig, buffer, bytes);
        g_assert_cmpuint(rig_stats(&rig).rtcp_ignored, ==, ignored + 1);
    }
    pass_marked(&rig, 1, 0, FEEDBACK, &counts);
    g_assert_cmpint(probe.report.lost_packets, ==, 0);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_ecn/off_unless_asked_for", test_off_unless_asked_for);
    g_test_add_func("/sender_ecn/codepoints", test_codepoints);
    g_test_add_func("/sender_ecn/marks_are_counted", test_marks_are_counted);
    g_test_add_func("/sender_ecn/a_machine_that_slept_tests_anew",
                    test_a_machine_that_slept_tests_anew);
    g_test_add_func("/sender_ecn/a_format_without_ecn", test_a_format_without_ecn);
    g_test_add_func("/sender_ecn/bursts_are_short_for_an_l4s_queue",
                    test_bursts_are_short_for_an_l4s_queue);
    g_test_add_func("/sender_ecn/bursts_are_long_again_where_the_path_fails",
                    test_bursts_are_long_again_where_the_path_fails);
    g_test_add_func("/sender_ecn/counts_are_for_receiver_reports",
                    test_counts_are_for_receiver_reports);
    g_test_add_func("/sender_ecn/counts_of_each_stream_are_taken",
                    test_counts_of_each_stream_are_taken);
    g_test_add_func("/sender_ecn/a_summary_without_its_report_is_not_understood",
                    test_a_summary_without_its_report_is_not_understood);
    g_test_add_func("/sender_ecn/counts_that_cannot_be_are_rejected",
                    test_counts_that_cannot_be_are_rejected);
    g_test_add_func("/sender_ecn/counts_without_a_report_are_ignored",
                    test_counts_without_a_report_are_ignored);
    return g_test_run();
}
