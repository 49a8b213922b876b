/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/sender_reports.h"

#include "../../wire.h"
#include "codec/rtcp.h"
#include "codec/sr_rr.h"
#include "test.h"
#include "weir/units.h"

#define SSRC 0xcafebabe
#define NTP  UINT64_C(0xb44db70520000000)

static struct weir__sender_reports reports;
static uint8_t buffer[2000];

static enum weir_status build_at(int64_t now_ns, uint64_t ntp, int64_t sent_bps, size_t capacity,
                                 size_t *len)
{
    struct weir__report_request request = {
        .now_ns = now_ns, .ntp_time = ntp, .local_ssrc = 0x99, .sent_bps = sent_bps};
    return weir__sender_reports_build(&reports, &request, buffer, capacity, len);
}

/* Counts the packets of each type; the last SR goes to *sr. */
static void read_back(size_t len, unsigned counts[256], struct weir__report *sr)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    memset(counts, 0, 256 * sizeof(counts[0]));
    weir__rtcp_walk_init(&walk, buffer, len);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        counts[packet.type]++;
        if (packet.type == WEIR__RTCP_SR) {
            g_assert_cmpint(weir__report_parse(&packet, sr), ==, WEIR_OK);
        }
    }
    g_assert_cmpuint(walk.anomalies.truncated + walk.anomalies.bad_version +
                         walk.anomalies.trailing_bytes,
                     ==, 0);
}

static void test_the_first_report_leaves_with_the_first_packet(void)
{
    weir__sender_reports_init(&reports, NULL, 1);
    g_assert_cmpint(reports.next_ns, ==, WEIR_NEVER_NS);
    weir__sender_reports_on_packet(&reports, WEIR_SECONDS(5), 0, SSRC, 0, 100);
    g_assert_cmpint(reports.next_ns, ==, WEIR_SECONDS(5));
}

static void test_a_report_counts_and_extrapolates(void)
{
    unsigned counts[256];
    struct weir__report sr;
    size_t len;
    weir__sender_reports_init(&reports, "a@b.c", 1);
    g_assert_cmpint(weir__sender_reports_set_clock_rate(&reports, 0, SSRC, 48000), ==, WEIR_OK);
    for (int i = 0; i < 10; i++) {
        weir__sender_reports_on_packet(&reports, WEIR_MS(20 * (i / 2)), 0, SSRC,
                                       0xffffff00u + 960u * (uint32_t)(i / 2), 160);
    }
    g_assert_cmpint(build_at(WEIR_MS(80 + 1500), NTP, WEIR_MBPS(1), sizeof(buffer), &len), ==,
                    WEIR_OK);
    read_back(len, counts, &sr);
    g_assert_cmpuint(counts[WEIR__RTCP_SR], ==, 1);
    g_assert_cmpuint(counts[WEIR__RTCP_SDES], ==, 1);
    g_assert_cmpuint(sr.ssrc, ==, SSRC);
    g_assert_cmpuint(sr.ntp, ==, NTP);
    g_assert_cmpuint(sr.sent_packets, ==, 10);
    g_assert_cmpuint(sr.sent_octets, ==, 1600);
    g_assert_cmpuint(sr.rtp_timestamp, ==, 0xffffff00u + 960u * 4u + 72000u);
}

/* Half to three halves of a second, and never more than a twentieth of the rate. */
static void test_reports_are_regular_and_cheap(void)
{
    static const int64_t rates_bps[] = {5000, 20000, 100000, 1000000, 100000000};
    for (size_t r = 0; r < G_N_ELEMENTS(rates_bps); r++) {
        weir__sender_reports_init(&reports, NULL, 42);
        weir__sender_reports_on_packet(&reports, 0, 0, SSRC, 0, 100);
        int64_t now_ns = 0, bits = 0, shortest_ns = INT64_MAX, longest_ns = 0;
        for (int i = 0; i < 1000; i++) {
            size_t len;
            build_at(now_ns, NTP, rates_bps[r], sizeof(buffer), &len);
            bits += 8 * ((int64_t)len + 28);
            int64_t interval_ns = reports.next_ns - now_ns;
            shortest_ns = weir_min_i64(shortest_ns, interval_ns);
            longest_ns = weir_max_i64(longest_ns, interval_ns);
            now_ns = reports.next_ns;
        }
        g_assert_cmpint(shortest_ns, >=, WEIR_MS(500));
        g_assert_cmpint(longest_ns, <=, WEIR_MS(7500));
        g_assert_cmpfloat((double)bits / ((double)now_ns / 1e9), <=, (double)rates_bps[r] / 20);
        if (rates_bps[r] >= 100000) {
            assert_near((double)now_ns / 1e9, 1000, 30);
            g_assert_cmpint(longest_ns, <=, WEIR_MS(1500));
        }
    }
}

static void test_every_stream_gets_its_turn(void)
{
    unsigned seen[WEIR__HISTORY_STREAMS] = {0};
    weir__sender_reports_init(&reports, NULL, 1);
    for (uint32_t i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        weir__sender_reports_on_packet(&reports, i, 0, i, 0, 100);
    }
    for (int round = 0; round < 16; round++) {
        size_t len;
        g_assert_cmpint(build_at(0, NTP, WEIR_MBPS(1), 200, &len), ==, WEIR_OK);
        g_assert_cmpuint(len, <=, 200);
        struct weir__rtcp_walk walk;
        struct weir__rtcp_packet packet;
        struct weir__report sr;
        weir__rtcp_walk_init(&walk, buffer, len);
        while (weir__rtcp_walk_next(&walk, &packet)) {
            if (weir__report_parse(&packet, &sr) == WEIR_OK) {
                seen[sr.ssrc]++;
            }
        }
    }
    for (uint32_t i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        g_assert_cmpuint(seen[i], >=, 3);
    }
    size_t len;
    unsigned counts[256];
    struct weir__report sr;
    g_assert_cmpint(build_at(0, NTP, WEIR_MBPS(1), sizeof(buffer), &len), ==, WEIR_OK);
    read_back(len, counts, &sr);
    g_assert_cmpuint(counts[WEIR__RTCP_SR], ==, WEIR__HISTORY_STREAMS);
}

static void test_a_buffer_too_small_leaves_everything_as_it_was(void)
{
    size_t len = 77;
    weir__sender_reports_init(&reports, NULL, 1);
    weir__sender_reports_on_packet(&reports, 0, 0, SSRC, 0, 100);
    for (size_t capacity = 0; capacity < 40; capacity++) {
        g_assert_cmpint(build_at(0, NTP, 0, capacity, &len), ==, WEIR_ERROR_NO_SPACE);
        g_assert_cmpuint(len, ==, 77);
        g_assert_cmpuint(reports.n_echoes, ==, 0);
        g_assert_cmpint(reports.next_ns, ==, 0);
    }
}

static void test_without_a_stream_an_empty_report_keeps_the_peer_informed(void)
{
    size_t len;
    weir__sender_reports_init(&reports, NULL, 1);
    g_assert_cmpint(build_at(0, NTP, 0, sizeof(buffer), &len), ==, WEIR_OK);
    g_assert_cmpuint(buffer[1], ==, WEIR__RTCP_RR);
    g_assert_cmpuint(buffer[7], ==, 0x99);
}

static void test_answers_to_reference_times_go_with_the_report(void)
{
    struct weir__xr_dlrr answer = {.ssrc = 5, .lrr_mid32 = 6, .dlrr_mid32 = 7}, read[4];
    size_t len;
    weir__sender_reports_init(&reports, NULL, 1);
    weir__sender_reports_on_packet(&reports, 0, 0, SSRC, 0, 100);
    struct weir__report_request request = {.ntp_time = NTP, .answers = &answer, .n_answers = 1};
    g_assert_cmpint(weir__sender_reports_build(&reports, &request, buffer, sizeof(buffer), &len),
                    ==, WEIR_OK);
    g_assert_cmpuint(wire_read_answers(buffer, len, read, 4), ==, 1);
    g_assert_cmpuint(read[0].ssrc, ==, answer.ssrc);
    g_assert_cmpuint(read[0].lrr_mid32, ==, answer.lrr_mid32);
    g_assert_cmpuint(read[0].dlrr_mid32, ==, answer.dlrr_mid32);
}

/* RR vector: LSR b7052000, DLSR 5.25 s; the SR left 11.375 s ago. */
static void test_rtt_is_the_time_since_our_report_less_the_hold(void)
{
    size_t len;
    weir__sender_reports_init(&reports, NULL, 1);
    weir__sender_reports_on_packet(&reports, 0, 0, SSRC, 0, 100);
    build_at(WEIR_SECONDS(100), NTP, WEIR_MBPS(1), sizeof(buffer), &len);
    int64_t now_ns = WEIR_SECONDS(100) + WEIR_MS(11375);
    g_assert_cmpint(weir__sender_reports_rtt_ns(&reports, now_ns, 0xb7052000, 0x00054000), ==,
                    WEIR_MS(6125));
    /* forged: an SR we never sent; held longer than it is old; none */
    g_assert_cmpint(weir__sender_reports_rtt_ns(&reports, now_ns, 0xb7052001, 0x00054000), ==,
                    WEIR_UNKNOWN_NS);
    g_assert_cmpint(weir__sender_reports_rtt_ns(&reports, now_ns, 0xb7052000, 0x000c4000), ==,
                    WEIR_UNKNOWN_NS);
    g_assert_cmpint(weir__sender_reports_rtt_ns(&reports, now_ns, 0, 0), ==, WEIR_UNKNOWN_NS);
    /* more than 10 s */
    g_assert_cmpint(weir__sender_reports_rtt_ns(&reports, now_ns, 0xb7052000, 0), ==,
                    WEIR_UNKNOWN_NS);
}

static void test_only_the_last_sixteen_reports_are_echoed(void)
{
    weir__sender_reports_init(&reports, NULL, 1);
    for (uint32_t i = 1; i <= 20; i++) {
        weir__sender_reports_on_echo_source(&reports, WEIR_MS(i), i);
    }
    for (uint32_t i = 1; i <= 20; i++) {
        int64_t rtt_ns = weir__sender_reports_rtt_ns(&reports, WEIR_SECONDS(1), i, 0);
        g_assert_cmpint(rtt_ns, ==, i <= 4 ? WEIR_UNKNOWN_NS : WEIR_MS(1000 - i));
    }
}

static void test_clock_rates(void)
{
    weir__sender_reports_init(&reports, NULL, 1);
    g_assert_cmpint(weir__sender_reports_set_clock_rate(&reports, 0, SSRC, 0), ==,
                    WEIR_ERROR_RANGE);
    g_assert_cmpint(weir__sender_reports_set_clock_rate(&reports, 0, SSRC, 1000000001), ==,
                    WEIR_ERROR_RANGE);
    g_assert_cmpuint(weir__sender_reports_clock_rate_hz(&reports, SSRC), ==, 90000);
    g_assert_cmpint(weir__sender_reports_set_clock_rate(&reports, 0, SSRC, 8000), ==, WEIR_OK);
    g_assert_cmpuint(weir__sender_reports_clock_rate_hz(&reports, SSRC), ==, 8000);
}

/* More streams over time than fit: the one silent longest goes. */
static void test_new_streams_replace_the_oldest(void)
{
    weir__sender_reports_init(&reports, NULL, 1);
    for (uint32_t i = 0; i < 100; i++) {
        weir__sender_reports_on_packet(&reports, WEIR_SECONDS(i), 0, i, i, 100);
    }
    for (uint32_t i = 84; i < 100; i++) {
        bool found = false;
        for (int k = 0; k < WEIR__HISTORY_STREAMS; k++) {
            found |= reports.streams[k].ssrc == i;
        }
        g_assert_true(found);
    }
}

static void test_a_long_name_is_cut(void)
{
    char name[200];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    weir__sender_reports_init(&reports, name, 1);
    g_assert_cmpuint(strlen(reports.cname), ==, WEIR__CNAME_BYTES - 1);
}

/* Streams 1 .. 4 have sent, 2 and 4 of them are of member 1. */
static void test_a_members_report_says_nothing_of_others(void)
{
    struct weir__report_request request = {
        .now_ns = WEIR_SECONDS(1), .ntp_time = NTP, .sent_bps = WEIR_KBPS(20), .member = 2};
    unsigned counts[256];
    struct weir__report sr;
    size_t len = 77;
    weir__sender_reports_init(&reports, NULL, 1);
    for (uint32_t i = 1; i <= 4; i++) {
        weir__sender_reports_on_packet(&reports, 0, i % 2 == 0, i, 0, 100);
    }
    g_assert_cmpint(weir__sender_reports_build(&reports, &request, buffer, sizeof(buffer), &len),
                    ==, WEIR_ERROR_NO_SPACE);
    g_assert_cmpuint(len, ==, 77);
    request.member = 1;
    g_assert_cmpint(weir__sender_reports_build(&reports, &request, buffer, sizeof(buffer), &len),
                    ==, WEIR_OK);
    read_back(len, counts, &sr);
    g_assert_cmpuint(counts[WEIR__RTCP_SR], ==, 2);
    g_assert_cmpuint(counts[WEIR__RTCP_SDES], ==, 2);
    g_assert_cmpuint(sr.ssrc, ==, 4);
}

static void test_a_stream_is_of_the_member_that_named_it_first(void)
{
    weir__sender_reports_init(&reports, NULL, 1);
    g_assert_cmpuint(weir__sender_reports_member(&reports, SSRC), ==, WEIR__NO_MEMBER);
    weir__sender_reports_set_clock_rate(&reports, 3, SSRC, 48000);
    weir__sender_reports_on_packet(&reports, 0, 5, SSRC, 0, 100);
    g_assert_cmpuint(weir__sender_reports_member(&reports, SSRC), ==, 3);
    weir__sender_reports_forget_member(&reports, 3);
    g_assert_cmpuint(weir__sender_reports_member(&reports, SSRC), ==, WEIR__NO_MEMBER);
    weir__sender_reports_on_packet(&reports, 0, 5, SSRC, 0, 100);
    g_assert_cmpuint(weir__sender_reports_member(&reports, SSRC), ==, 5);
    g_assert_cmpuint(weir__sender_reports_clock_rate_hz(&reports, SSRC), ==, 48000);
}

/* One report for each of four members, all at once: one echo, and the interval of all four. */
static void test_reports_of_one_moment_are_one_to_the_interval(void)
{
    int64_t now_ns = 0, bits = 0;
    weir__sender_reports_init(&reports, NULL, 42);
    for (uint32_t i = 1; i <= 4; i++) {
        weir__sender_reports_on_packet(&reports, 0, i, i, 0, 100);
    }
    for (int round = 0; round < 300; round++) {
        for (uint32_t i = 1; i <= 4; i++) {
            struct weir__report_request request = {.now_ns = now_ns,
                                                   .ntp_time = NTP + (uint64_t)now_ns * 4,
                                                   .sent_bps = WEIR_KBPS(30),
                                                   .member = i};
            size_t len;
            g_assert_cmpint(
                weir__sender_reports_build(&reports, &request, buffer, sizeof(buffer), &len), ==,
                WEIR_OK);
            bits += 8 * (int64_t)(len + 28);
        }
        now_ns = reports.next_ns;
    }
    g_assert_cmpuint(reports.n_echoes, ==, 300);
    g_assert_cmpfloat((double)bits / ((double)now_ns / 1e9), <=, 30000.0 / 20);
}

static void test_streams_that_sent_nothing_are_told_of_nowhere(void)
{
    unsigned counts[256];
    struct weir__report sr;
    size_t len = 0;
    weir__sender_reports_init(&reports, "a", 1);
    g_assert_cmpint(build_at(0, NTP, WEIR_MBPS(1), 8, &len), ==, WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(weir__sender_reports_set_clock_rate(&reports, 0, 5, 48000), ==, WEIR_OK);
    g_assert_cmpuint(weir__sender_reports_clock_rate_hz(&reports, 5), ==, 48000);
    g_assert_cmpuint(weir__sender_reports_clock_rate_hz(&reports, 6), ==, 90000);
    g_assert_cmpuint(weir__sender_reports_member(&reports, 6), ==, WEIR__NO_MEMBER);
    weir__sender_reports_on_packet(&reports, 0, 0, SSRC, 0, 100);
    g_assert_cmpint(build_at(0, NTP, WEIR_MBPS(1), sizeof buffer, &len), ==, WEIR_OK);
    read_back(len, counts, &sr);
    g_assert_cmpuint(counts[WEIR__RTCP_SR], ==, 1);
    g_assert_cmphex(sr.ssrc, ==, SSRC);
}

static void test_answers_that_do_not_fit_are_left_out(void)
{
    const struct weir__xr_dlrr answers[2] = {{.ssrc = 1}, {.ssrc = 2}};
    struct weir__report_request request = {
        .ntp_time = NTP, .sent_bps = WEIR_MBPS(1), .answers = answers, .n_answers = 2};
    unsigned counts[256];
    struct weir__report sr;
    size_t whole_bytes, len;
    weir__sender_reports_init(&reports, "a", 1);
    weir__sender_reports_on_packet(&reports, 0, 0, SSRC, 0, 100);
    g_assert_cmpint(
        weir__sender_reports_build(&reports, &request, buffer, sizeof buffer, &whole_bytes), ==,
        WEIR_OK);
    for (size_t short_bytes = 4; short_bytes <= 32; short_bytes += 4) {
        g_assert_cmpint(
            weir__sender_reports_build(&reports, &request, buffer, whole_bytes - short_bytes, &len),
            ==, WEIR_OK);
        read_back(len, counts, &sr);
        g_assert_cmpuint(counts[WEIR__RTCP_XR], ==, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_reports/the_first_report_leaves_with_the_first_packet",
                    test_the_first_report_leaves_with_the_first_packet);
    g_test_add_func("/sender_reports/a_report_counts_and_extrapolates",
                    test_a_report_counts_and_extrapolates);
    g_test_add_func("/sender_reports/reports_are_regular_and_cheap",
                    test_reports_are_regular_and_cheap);
    g_test_add_func("/sender_reports/every_stream_gets_its_turn", test_every_stream_gets_its_turn);
    g_test_add_func("/sender_reports/a_buffer_too_small_leaves_everything_as_it_was",
                    test_a_buffer_too_small_leaves_everything_as_it_was);
    g_test_add_func("/sender_reports/without_a_stream_an_empty_report_keeps_the_peer_informed",
                    test_without_a_stream_an_empty_report_keeps_the_peer_informed);
    g_test_add_func("/sender_reports/answers_to_reference_times_go_with_the_report",
                    test_answers_to_reference_times_go_with_the_report);
    g_test_add_func("/sender_reports/rtt_is_the_time_since_our_report_less_the_hold",
                    test_rtt_is_the_time_since_our_report_less_the_hold);
    g_test_add_func("/sender_reports/only_the_last_sixteen_reports_are_echoed",
                    test_only_the_last_sixteen_reports_are_echoed);
    g_test_add_func("/sender_reports/clock_rates", test_clock_rates);
    g_test_add_func("/sender_reports/new_streams_replace_the_oldest",
                    test_new_streams_replace_the_oldest);
    g_test_add_func("/sender_reports/a_long_name_is_cut", test_a_long_name_is_cut);
    g_test_add_func("/sender_reports/a_members_report_says_nothing_of_others",
                    test_a_members_report_says_nothing_of_others);
    g_test_add_func("/sender_reports/reports_of_one_moment_are_one_to_the_interval",
                    test_reports_of_one_moment_are_one_to_the_interval);
    g_test_add_func("/sender_reports/a_stream_is_of_the_member_that_named_it_first",
                    test_a_stream_is_of_the_member_that_named_it_first);
    g_test_add_func("/sender_reports/streams_that_sent_nothing_are_told_of_nowhere",
                    test_streams_that_sent_nothing_are_told_of_nowhere);
    g_test_add_func("/sender_reports/answers_that_do_not_fit_are_left_out",
                    test_answers_that_do_not_fit_are_left_out);
    return g_test_run();
}
