/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What receiver_report.c and receiver_stream.c do of RFC 6679. */
#include "codec/ecn_report.h"
#include "receiver_fixture.h"

/* The newest counts in a datagram: of the ECN feedback and of the ECN summary. Returns how many
 * packets and blocks have them. */
static int read_ecn_counts(struct feed *feed, struct weir__ecn_feedback *feedback,
                           struct weir__ecn_summary *summary)
{
    uint8_t data[1200];
    size_t len;
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    int n = 0;
    feed->now_ns = weir_max_i64(feed->now_ns, weir_receiver_next_feedback_ns(feed->receiver));
    g_assert_cmpint(weir_receiver_build_feedback(feed->receiver, feed->now_ns,
                                                 test_ntp(feed->now_ns), data, sizeof data, &len),
                    ==, WEIR_OK);
    weir__rtcp_walk_init(&walk, data, len);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        struct weir__xr_walk blocks;
        struct weir__xr_block block;
        n += weir__ecn_feedback_parse(&packet, feedback) == WEIR_OK;
        bool is_xr = weir__xr_walk_init(&blocks, &packet) == WEIR_OK;
        while (is_xr && weir__xr_walk_next(&blocks, &block)) {
            n += weir__ecn_summary_parse(&block, summary) == WEIR_OK;
        }
    }
    return n;
}

/* RFC 6679 5.1: each packet by what its first copy carried, but a mark on any of them is one. */
static void test_codepoints_are_counted_where_asked(void)
{
    static const enum weir_ecn ecn[] = {WEIR_ECN_ECT0, WEIR_ECN_ECT0,    WEIR_ECN_CE,
                                        WEIR_ECN_ECT1, WEIR_ECN_NOT_ECT, WEIR_ECN_ECT0};
    struct weir__ecn_feedback feedback;
    struct weir__ecn_summary summary;
    struct feed feed = feed_new(WEIR_FEEDBACK_RR, WEIR_MS(1));
    for (size_t i = 0; i < G_N_ELEMENTS(ecn); i++) {
        feed.media.ecn = ecn[i];
        feed_packet(&feed, false);
    }
    feed_packet(&feed, true);
    feed_packet(&feed, false);
    feed.media.seq--;
    feed.media.ecn = WEIR_ECN_CE; /* another copy of the newest */
    feed_packet(&feed, false);
    g_assert_cmpint(read_ecn_counts(&feed, &feedback, &summary), ==, 0);
    weir_receiver_set_ecn_counts(feed.receiver, true);
    feed_packet(&feed, false);
    feed.now_ns += WEIR_SECONDS(2);
    g_assert_cmpint(read_ecn_counts(&feed, &feedback, &summary), ==, 2);
    g_assert_cmphex(feedback.sender_ssrc, ==, LOCAL_SSRC);
    g_assert_cmphex(feedback.media_ssrc, ==, 1);
    g_assert_cmpuint(feedback.highest_seq, ==, 8);
    g_assert_cmpuint(feedback.counts.ect0_packets, ==, 4);
    g_assert_cmpuint(feedback.counts.ect1_packets, ==, 1);
    g_assert_cmpuint(feedback.counts.ce_packets, ==, 3);
    g_assert_cmpuint(feedback.counts.not_ect_packets, ==, 1);
    g_assert_cmpuint(feedback.counts.lost_packets, ==, 1);
    g_assert_cmpuint(feedback.counts.duplicate_packets, ==, 1);
    g_assert_cmphex(summary.media_ssrc, ==, 1);
    g_assert_cmpint(memcmp(&summary.counts, &feedback.counts, sizeof summary.counts), ==, 0);
    weir_receiver_destroy(feed.receiver);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/receiver_ecn/codepoints_are_counted_where_asked",
                    test_codepoints_are_counted_where_asked);
    return g_test_run();
}
