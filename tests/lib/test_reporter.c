/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reporter.h"

#include "test.h"
#include "weir/units.h"

#define SSRC 7

static struct weir__reporters reporters;
static struct weir__history history;

/* Stream SSRC with RTP numbers first .. first + n - 1. */
static void start(uint16_t first, int n)
{
    memset(&reporters, 0, sizeof(reporters));
    weir__history_init(&history);
    for (int i = 0; i < n; i++) {
        struct weir__history_packet packet = {
            .ssrc = SSRC, .rtp_seq = (uint16_t)(first + i), .wire_bytes = 1000};
        weir__history_on_sent(&history, &packet);
    }
}

static struct weir__reporter *reporter(void)
{
    return weir__reporters_get(&reporters, 0x11223344, 0);
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
    struct weir__reporter *fresh = weir__reporters_get(&reporters, 0x55, 0);
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
    struct weir__reporter *real = weir__reporters_get(&reporters, 1, 0);
    int taken = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        int64_t now_ns = WEIR_MS(i);
        if (i % 1000 == 0) {
            g_assert_true(weir__reporters_get(&reporters, 1, now_ns) == real);
        }
        taken += weir__reporters_get(&reporters, 1000 + i, now_ns) != NULL;
    }
    /* Seven places, each free again after 5 s: at most 7 every 5 s. */
    g_assert_cmpint(taken, <=, 7 * 21);
    g_assert_true(weir__reporters_find(&reporters, 1) == real);
    g_assert_null(weir__reporters_find(&reporters, 2));
}

static void test_a_silent_reporter_makes_room(void)
{
    start(0, 10);
    for (uint32_t i = 0; i < WEIR__REPORTERS; i++) {
        g_assert_nonnull(weir__reporters_get(&reporters, i, WEIR_MS(i)));
    }
    g_assert_null(weir__reporters_get(&reporters, 100, WEIR_SECONDS(4)));
    g_assert_nonnull(weir__reporters_get(&reporters, 100, WEIR_SECONDS(5)));
    g_assert_null(weir__reporters_find(&reporters, 0));
    g_assert_nonnull(weir__reporters_find(&reporters, 1));
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
    g_test_add_func("/reporter/packets_never_sent_are_not_ours",
                    test_packets_never_sent_are_not_ours);
    g_test_add_func("/reporter/a_reporter_with_a_new_ssrc_starts_anew",
                    test_a_reporter_with_a_new_ssrc_starts_anew);
    g_test_add_func("/reporter/invented_reporters_do_not_push_out_a_live_one",
                    test_invented_reporters_do_not_push_out_a_live_one);
    g_test_add_func("/reporter/a_silent_reporter_makes_room", test_a_silent_reporter_makes_room);
    return g_test_run();
}
