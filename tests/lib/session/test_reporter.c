/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/reporter.h"

#include "session/gaps.h"
#include "test.h"
#include "weir/units.h"

#define SSRC 7

static struct weir__reporters reporters;
static struct weir__history history;

static void send_from(uint16_t first, int n)
{
    for (int i = 0; i < n; i++) {
        struct weir__history_packet packet = {
            .ssrc = SSRC, .rtp_seq = (uint16_t)(first + i), .wire_bytes = 1000};
        weir__history_on_sent(&history, &packet);
    }
}

/* Stream SSRC with RTP numbers first .. first + n - 1. */
static void start(uint16_t first, int n)
{
    memset(&reporters, 0, sizeof(reporters));
    weir__history_init(&history);
    send_from(first, n);
}

static struct weir__reporter *reporter(void)
{
    return weir__reporters_get(&reporters, 0, 0x11223344, 0);
}

static enum weir__report_kind on_block(uint32_t highest_seq, int32_t cumulative_lost,
                                       struct weir__interval_loss *loss)
{
    struct weir__report_block block = {
        .ssrc = SSRC, .highest_seq = highest_seq, .cumulative_lost = cumulative_lost};
    return weir__reporter_on_block(reporter(), &history, &block, loss);
}

static void test_two_reports_tell_the_loss_between_them(void)
{
    static const struct {
        uint32_t highest1, highest2;
        int32_t lost1, lost2;
        uint32_t expected, lost;
    } cases[] = {
        {65000 + 10, 65000 + 110, 0, 5, 100, 5},
        {65000 + 10, 0x10000 + 464 + 10, 3, 13, 1000, 10}, /* the numbers wrapped */
        {0x70000 + 65010, 0x90000 + 65110, 0, 5, 100, 5},  /* whatever cycles it counts */
        {65010, 65110, 10, 4, 100, 0},                     /* duplicates: never negative */
        {65010, 65110, -5, 500, 100, 100},                 /* never more than expected */
        {65010, 65110, -0x800000, 0x7fffff, 100, 100},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__interval_loss loss = {0};
        start(65000, 3000);
        g_assert_cmpint(on_block(cases[i].highest1, cases[i].lost1, &loss), ==, WEIR__REPORT_FIRST);
        g_assert_cmpint(on_block(cases[i].highest2, cases[i].lost2, &loss), ==,
                        WEIR__REPORT_ADVANCED);
        g_assert_cmpuint(loss.expected_packets, ==, cases[i].expected);
        g_assert_cmpuint(loss.lost_packets, ==, cases[i].lost);
    }
}

static void test_a_repeated_report_says_nothing(void)
{
    struct weir__interval_loss loss = {.expected_packets = 77};
    start(0, 1000);
    on_block(100, 0, &loss);
    for (int i = 0; i < 10; i++) {
        g_assert_cmpint(on_block(100, 50, &loss), ==, WEIR__REPORT_UNCHANGED);
    }
    g_assert_cmpint(on_block(200, 10, &loss), ==, WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.expected_packets, ==, 100);
    g_assert_cmpuint(loss.lost_packets, ==, 10);
}

static void test_an_older_report_is_only_a_sign_of_life(void)
{
    struct weir__interval_loss loss = {0};
    start(0, 1000);
    on_block(500, 0, &loss);
    for (int i = 0; i < 100; i++) {
        g_assert_cmpint(on_block(400, 0, &loss), ==, WEIR__REPORT_OLD);
    }
    g_assert_cmpint(on_block(510, 0, &loss), ==, WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.expected_packets, ==, 10);
}

/* Numbers that go on from an older place belong to a stream that started anew. */
static void test_older_reports_that_go_on_become_the_base(void)
{
    struct weir__interval_loss loss = {0};
    start(0, 1000);
    on_block(900, 0, &loss);
    g_assert_cmpint(on_block(100, 0, &loss), ==, WEIR__REPORT_OLD);
    g_assert_cmpint(on_block(110, 0, &loss), ==, WEIR__REPORT_OLD);
    g_assert_cmpint(on_block(120, 0, &loss), ==, WEIR__REPORT_FIRST);
    g_assert_cmpint(on_block(130, 1, &loss), ==, WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.expected_packets, ==, 10);
}

/* 100 numbers sent, some skipped, 100 sent: skipped ones are lost to the receiver only. */
static void test_numbers_never_sent_are_neither_expected_nor_lost(void)
{
    static const struct {
        uint16_t skipped;
        int32_t told;        /* lost between the reports, as the receiver sees it */
        uint32_t n_expected; /* of the second report, counted from the first */
        uint32_t lost;
    } cases[] = {
        {0, 3, 150, 3},        {1, 1, 150, 0},  {1, 4, 150, 3}, {2999, 2999, 150, 0},
        {2999, 3010, 150, 11}, {20, 5, 150, 0}, /* duplicates made up for them */
        {20, 500, 150, 150},                    /* never more than expected */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__interval_loss loss = {0};
        uint16_t second = (uint16_t)(65480 + 100 + cases[i].skipped);
        start(65480, 100);
        send_from(second, 100);
        on_block(65480 + 49, 7, &loss);
        g_assert_cmpint(on_block((uint16_t)(second + 99), 7 + cases[i].told, &loss), ==,
                        WEIR__REPORT_ADVANCED);
        g_assert_cmpuint(loss.expected_packets, ==, cases[i].n_expected);
        g_assert_cmpuint(loss.lost_packets, ==, cases[i].lost);
    }
}

/* Far more gaps between two reports than are remembered, and reports that are late. */
static void test_no_gap_is_forgotten_between_two_reports(void)
{
    struct weir__interval_loss loss = {0};
    uint32_t expected = 0, lost = 0;
    start(0, 1);
    on_block(0, 0, &loss);
    uint16_t rtp = 0;
    for (int i = 1; i <= 100 * WEIR__GAPS; i++) {
        rtp = (uint16_t)(rtp + 3);
        send_from(rtp, 1);
        if (i % (2 * WEIR__GAPS) == 0) {
            g_assert_cmpint(on_block((uint16_t)(rtp - 30), 2 * (i - 10), &loss), ==,
                            WEIR__REPORT_ADVANCED);
            expected += loss.expected_packets;
            lost += loss.lost_packets;
        }
    }
    g_assert_cmpuint(expected, ==, 100 * WEIR__GAPS - 10);
    g_assert_cmpuint(lost, ==, 0);
}

/* Numbers that jump too far, or back to ones not sent lately: a new start, on which no loss is
 * built, nor a gap. */
static void test_a_restart_of_the_stream_begins_a_new_base(void)
{
    static const uint16_t steps[] = {3001, 30000, 40000, 65536 - 300};
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        struct weir__interval_loss loss = {0};
        start(500, 100);
        on_block(549, 0, &loss);
        uint16_t again = (uint16_t)(599 + steps[i]);
        send_from(again, 100);
        g_assert_cmpint(on_block(599, 0, &loss), ==, WEIR__REPORT_NOT_OURS);
        g_assert_cmpint(on_block((uint16_t)(again + 9), 0, &loss), ==, WEIR__REPORT_FIRST);
        g_assert_cmpint(on_block((uint16_t)(again + 59), 2, &loss), ==, WEIR__REPORT_ADVANCED);
        g_assert_cmpuint(loss.expected_packets, ==, 50);
        g_assert_cmpuint(loss.lost_packets, ==, 2);
    }
}

static void test_packets_sent_again_or_late_are_no_restart(void)
{
    struct weir__interval_loss loss = {0};
    start(0, 1000);
    on_block(899, 0, &loss);
    send_from(200, 3);   /* sent again */
    send_from(1003, 10); /* 1000 .. 1002 are not sent ... */
    send_from(1001, 1);  /* ... but for this one, late */
    send_from(1001, 1);
    send_from(1013, 87);
    g_assert_cmpint(on_block(1099, 3, &loss), ==, WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.expected_packets, ==, 198);
    g_assert_cmpuint(loss.lost_packets, ==, 1);
}

static void test_packets_never_sent_are_not_ours(void)
{
    struct weir__interval_loss loss = {0};
    start(1000, 100);
    g_assert_cmpint(on_block(1100, 0, &loss), ==, WEIR__REPORT_NOT_OURS);
    g_assert_cmpint(on_block(999, 0, &loss), ==, WEIR__REPORT_NOT_OURS);
    g_assert_cmpint(on_block(1099, 0, &loss), ==, WEIR__REPORT_FIRST);
    struct weir__report_block other = {.ssrc = 8, .highest_seq = 1050};
    g_assert_cmpint(weir__reporter_on_block(reporter(), &history, &other, &loss), ==,
                    WEIR__REPORT_NOT_OURS);
}

static void test_a_reporter_with_a_new_ssrc_starts_anew(void)
{
    struct weir__interval_loss loss = {0};
    start(0, 1000);
    on_block(500, 40, &loss);
    struct weir__report_block block = {.ssrc = SSRC, .highest_seq = 600, .cumulative_lost = 2};
    struct weir__reporter *fresh = weir__reporters_get(&reporters, 0, 0x55, 0);
    g_assert_cmpint(weir__reporter_on_block(fresh, &history, &block, &loss), ==,
                    WEIR__REPORT_FIRST);
    block.highest_seq = 700;
    g_assert_cmpint(weir__reporter_on_block(fresh, &history, &block, &loss), ==,
                    WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.lost_packets, ==, 0);
}

static void test_invented_reporters_do_not_push_out_a_live_one(void)
{
    start(0, 10);
    struct weir__reporter *real = weir__reporters_get(&reporters, 0, 1, 0);
    int taken = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        int64_t now_ns = WEIR_MS(i);
        if (i % 1000 == 0) {
            g_assert_true(weir__reporters_get(&reporters, 0, 1, now_ns) == real);
        }
        taken += weir__reporters_get(&reporters, 0, 1000 + i, now_ns) != NULL;
    }
    /* Seven places, each free again after 5 s: at most 7 every 5 s. */
    g_assert_cmpint(taken, <=, 7 * 21);
    g_assert_true(weir__reporters_find(&reporters, 0, 1) == real);
    g_assert_null(weir__reporters_find(&reporters, 0, 2));
}

static void test_a_silent_reporter_makes_room(void)
{
    start(0, 10);
    for (uint32_t i = 0; i < WEIR__REPORTERS; i++) {
        g_assert_nonnull(weir__reporters_get(&reporters, 0, i, WEIR_MS(i)));
    }
    g_assert_null(weir__reporters_get(&reporters, 0, 100, WEIR_SECONDS(4)));
    g_assert_nonnull(weir__reporters_get(&reporters, 0, 100, WEIR_SECONDS(5)));
    g_assert_null(weir__reporters_find(&reporters, 0, 0));
    g_assert_nonnull(weir__reporters_find(&reporters, 0, 1));
}

static void test_the_same_ssrc_on_another_transport_is_another(void)
{
    memset(&reporters, 0, sizeof(reporters));
    struct weir__reporter *first = weir__reporters_get(&reporters, 0, 1, 0);
    struct weir__reporter *second = weir__reporters_get(&reporters, 1, 1, 0);
    g_assert_true(first != second);
    g_assert_true(weir__reporters_find(&reporters, 0, 1) == first);
    g_assert_true(weir__reporters_find(&reporters, 1, 1) == second);
    g_assert_null(weir__reporters_find(&reporters, 2, 1));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reporter/two_reports_tell_the_loss_between_them",
                    test_two_reports_tell_the_loss_between_them);
    g_test_add_func("/reporter/a_repeated_report_says_nothing",
                    test_a_repeated_report_says_nothing);
    g_test_add_func("/reporter/an_older_report_is_only_a_sign_of_life",
                    test_an_older_report_is_only_a_sign_of_life);
    g_test_add_func("/reporter/older_reports_that_go_on_become_the_base",
                    test_older_reports_that_go_on_become_the_base);
    g_test_add_func("/reporter/numbers_never_sent_are_neither_expected_nor_lost",
                    test_numbers_never_sent_are_neither_expected_nor_lost);
    g_test_add_func("/reporter/no_gap_is_forgotten_between_two_reports",
                    test_no_gap_is_forgotten_between_two_reports);
    g_test_add_func("/reporter/a_restart_of_the_stream_begins_a_new_base",
                    test_a_restart_of_the_stream_begins_a_new_base);
    g_test_add_func("/reporter/packets_sent_again_or_late_are_no_restart",
                    test_packets_sent_again_or_late_are_no_restart);
    g_test_add_func("/reporter/packets_never_sent_are_not_ours",
                    test_packets_never_sent_are_not_ours);
    g_test_add_func("/reporter/a_reporter_with_a_new_ssrc_starts_anew",
                    test_a_reporter_with_a_new_ssrc_starts_anew);
    g_test_add_func("/reporter/invented_reporters_do_not_push_out_a_live_one",
                    test_invented_reporters_do_not_push_out_a_live_one);
    g_test_add_func("/reporter/a_silent_reporter_makes_room", test_a_silent_reporter_makes_room);
    g_test_add_func("/reporter/the_same_ssrc_on_another_transport_is_another",
                    test_the_same_ssrc_on_another_transport_is_another);
    return g_test_run();
}
