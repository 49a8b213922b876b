/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/receiver_stream.h"

#include "test.h"

static struct weir__stream stream;

static struct weir__stream_step packet(uint32_t seq)
{
    struct weir_rtp_info rtp = {.ssrc = 9, .seq = (uint16_t)seq, .timestamp = seq * 3000};
    return weir__stream_on_packet(&stream, WEIR_MS(seq), &rtp, 0);
}

static void start(uint16_t seq)
{
    weir__stream_init(&stream, 9, 90000, seq);
}

/* The numbers of the next report as text, and the end of it. */
static char *report(void)
{
    GString *text = g_string_new(NULL);
    int64_t seq;
    weir__stream_begin_report(&stream);
    for (int64_t i = 0; weir__stream_report_seq(&stream, i, &seq); i++) {
        g_string_append_printf(text, "%s%d", i > 0 ? " " : "", (int)seq);
    }
    weir__stream_end_report(&stream);
    return g_string_free(text, FALSE);
}

static void expect_report(const char *expected)
{
    char *actual = report();
    g_assert_cmpstr(actual, ==, expected);
    g_free(actual);
}

static void test_each_packet_is_told_three_times(void)
{
    start(10);
    packet(10);
    expect_report("10");
    packet(11);
    packet(13);
    expect_report("10 11 12 13");
    packet(14);
    expect_report("10 11 12 13 14");
    packet(15);
    expect_report("11 12 13 14 15");
    expect_report("14 15");
    expect_report("15");
    expect_report("");
    packet(16);
    expect_report("16");
}

static void test_a_report_is_bounded_but_tells_all_that_is_new(void)
{
    start(0);
    for (uint32_t seq = 0; seq < 600; seq++) {
        packet(seq);
        if (seq == 199 || seq == 399) {
            weir__stream_begin_report(&stream);
            g_assert_cmpint(stream.range_end - stream.range_begin, <=, WEIR__REPORT_PACKETS);
            weir__stream_end_report(&stream);
        }
    }
    weir__stream_begin_report(&stream); /* 200 new: the repetition is cut */
    g_assert_cmpint(stream.range_begin, ==, 600 - WEIR__REPORT_PACKETS);
    weir__stream_end_report(&stream);
    for (uint32_t seq = 600; seq < 1100; seq++) {
        packet(seq);
    }
    weir__stream_begin_report(&stream); /* 500 new: none is left out */
    g_assert_cmpint(stream.range_begin, ==, 600);
    g_assert_cmpint(stream.range_end, ==, 1100);
}

static void test_late_packets_are_told_three_times_too(void)
{
    start(0);
    for (uint32_t round = 0; round < 6; round++) {
        packet(round * 2);
        g_free(report());
    }
    packet(3); /* out of reach of the range, which begins at 7 */
    expect_report("3 7 8 9 10");
    packet(12);
    expect_report("3 9 10 11 12");
    expect_report("3 11 12");
    expect_report("11 12");
}

static void test_more_late_packets_than_the_list_holds_lose_the_oldest_only(void)
{
    start(0);
    packet(0);
    packet(1);
    packet(100);
    for (int i = 0; i < 4; i++) {
        g_free(report());
    }
    for (uint32_t seq = 10; seq < 10 + WEIR__LATE_PACKETS + 3; seq++) {
        packet(seq);
    }
    int64_t seq;
    weir__stream_begin_report(&stream);
    for (int64_t i = 0; i < WEIR__LATE_PACKETS; i++) {
        g_assert_true(weir__stream_report_seq(&stream, i, &seq));
        g_assert_cmpint(seq, ==, 13 + i);
    }
}

static void test_a_mark_on_a_copy_is_told(void)
{
    start(0);
    for (uint32_t seq = 0; seq < 3; seq++) {
        packet(seq);
    }
    for (int i = 0; i < 4; i++) {
        g_free(report());
    }
    struct weir_rtp_info rtp = {.ssrc = 9, .seq = 1};
    struct weir__stream_step step = weir__stream_on_packet(&stream, 0, &rtp, 3);
    g_assert_cmpint(step.kind, ==, WEIR__ARRIVAL_MARKED);
    expect_report("1");
}

static void test_a_hole_is_a_loss_after_three_later_packets(void)
{
    start(0);
    g_assert_cmpint(packet(0).lost_packets, ==, 0);
    g_assert_cmpint(packet(3).lost_packets, ==, 0); /* 1 and 2 are missing */
    g_assert_cmpint(packet(4).lost_packets, ==, 0);
    g_assert_cmpint(packet(2).lost_packets, ==, 1); /* 2, 3, 4 came later than 1, which is lost */
    g_assert_cmpint(packet(6).lost_packets, ==, 0);
    g_assert_cmpint(packet(1).lost_packets, ==, 0);
    g_assert_cmpint(packet(7).lost_packets, ==, 0);
    g_assert_cmpint(packet(8).lost_packets, ==, 1); /* 5 */
    g_assert_cmpint(packet(9).lost_packets, ==, 0); /* counted once */
}

static void test_losses_are_counted_exactly_however_large_the_gap(void)
{
    start(0);
    int64_t lost = 0;
    packet(0);
    packet(1);
    for (uint32_t seq = 2500; seq < 2510; seq++) {
        lost += packet(seq).lost_packets;
    }
    g_assert_cmpint(lost, ==, 2498);
}

static void test_expected_packets_add_up_to_the_range_of_numbers(void)
{
    GRand *random = g_rand_new_with_seed(4);
    uint32_t seq = 65500;
    start((uint16_t)seq);
    int64_t expected = packet(seq).expected_packets;
    packet(seq + 1);
    expected++;
    uint32_t highest = seq + 1;
    for (int i = 0; i < 5000; i++) {
        uint32_t next = highest + (uint32_t)g_rand_int_range(random, -8, 12);
        expected += packet(next).expected_packets;
        highest = (int32_t)(next - highest) > 0 ? next : highest;
    }
    g_assert_cmpint(expected, ==, highest - seq + 1);
    g_rand_free(random);
}

static void test_one_wild_packet_is_rejected_two_in_a_row_restart(void)
{
    start(100);
    packet(100);
    packet(101);
    g_assert_true(packet(30000).rejected);
    g_assert_false(packet(102).rejected);
    g_assert_true(packet(40000).rejected);
    struct weir__stream_step step = packet(40001);
    g_assert_false(step.rejected);
    g_assert_true(step.restarted);
    g_assert_cmpint(step.expected_packets, ==, 1);
    g_assert_cmpint(packet(40002).expected_packets, ==, 1);
    expect_report("40001 40002");
}

static void test_a_stream_on_probation_is_reported_and_may_jump(void)
{
    start(100);
    g_assert_false(packet(100).rejected);
    g_assert_false(weir__rr_source_valid(&stream.rr));
    expect_report("100");
    struct weir__stream_step step = packet(50000);
    g_assert_false(step.rejected);
    g_assert_true(step.restarted);
    g_assert_false(packet(50001).restarted);
    g_assert_true(weir__rr_source_valid(&stream.rr));
    expect_report("50000 50001");
}

static void test_late_packets_that_are_long_past_are_not_told(void)
{
    start(0);
    for (uint32_t round = 0; round < 6; round++) {
        packet(round * 2);
        g_free(report());
    }
    packet(3);
    packet(9);
    packet(3 + WEIR__ARRIVALS_SLOTS); /* 9 is remembered, 3 is not */
    char *told = report();
    g_assert_true(g_str_has_prefix(told, "9 "));
    g_free(told);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/receiver_stream/each_packet_is_told_three_times",
                    test_each_packet_is_told_three_times);
    g_test_add_func("/receiver_stream/a_report_is_bounded_but_tells_all_that_is_new",
                    test_a_report_is_bounded_but_tells_all_that_is_new);
    g_test_add_func("/receiver_stream/late_packets_are_told_three_times_too",
                    test_late_packets_are_told_three_times_too);
    g_test_add_func("/receiver_stream/more_late_packets_than_the_list_holds_lose_the_oldest_only",
                    test_more_late_packets_than_the_list_holds_lose_the_oldest_only);
    g_test_add_func("/receiver_stream/a_mark_on_a_copy_is_told", test_a_mark_on_a_copy_is_told);
    g_test_add_func("/receiver_stream/a_hole_is_a_loss_after_three_later_packets",
                    test_a_hole_is_a_loss_after_three_later_packets);
    g_test_add_func("/receiver_stream/losses_are_counted_exactly_however_large_the_gap",
                    test_losses_are_counted_exactly_however_large_the_gap);
    g_test_add_func("/receiver_stream/expected_packets_add_up_to_the_range_of_numbers",
                    test_expected_packets_add_up_to_the_range_of_numbers);
    g_test_add_func("/receiver_stream/one_wild_packet_is_rejected_two_in_a_row_restart",
                    test_one_wild_packet_is_rejected_two_in_a_row_restart);
    g_test_add_func("/receiver_stream/a_stream_on_probation_is_reported_and_may_jump",
                    test_a_stream_on_probation_is_reported_and_may_jump);
    g_test_add_func("/receiver_stream/late_packets_that_are_long_past_are_not_told",
                    test_late_packets_that_are_long_past_are_not_told);
    return g_test_run();
}
