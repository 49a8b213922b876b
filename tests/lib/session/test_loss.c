/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/loss.h"

#include "test.h"
#include "weir/units.h"

#define RTO_NS WEIR_MS(500)

static struct weir__history history;
static struct weir__loss loss;

/* n packets, 1 ms apart from t = 0. */
static void start_with(int n, uint32_t reorder_packets)
{
    memset(&history, 0, sizeof history);
    weir__loss_detection_init(&loss, reorder_packets);
    for (int i = 0; i < n; i++) {
        struct weir__history_packet packet = {
            .sent_ns = WEIR_MS(i), .ssrc = 7, .rtp_seq = (uint16_t)i, .wire_bytes = 1000};
        weir__history_on_sent(&history, &packet);
    }
}

static void start(int n)
{
    start_with(n, WEIR_REORDER_PACKETS_MAX);
}

static enum weir__loss_news receive(int64_t seq)
{
    return weir__loss_on_received(&loss, &history, seq);
}

static void miss(int64_t seq)
{
    weir__loss_on_missing(&loss, &history, seq);
}

static int64_t next_at(int64_t now_ns)
{
    return weir__loss_next(&loss, &history, now_ns, RTO_NS);
}

/* For every number of later packets: lost from so many on as the session was told, exactly. */
static void test_so_many_later_packets_make_a_loss(void)
{
    for (int later = 0; later <= 6; later++) {
        for (int needed = 1; needed <= WEIR_REORDER_PACKETS_MAX; needed++) {
            start_with(10, (uint32_t)needed);
            miss(2);
            for (int i = 1; i <= later; i++) {
                receive(2 + i);
            }
            g_assert_cmpint(next_at(WEIR_MS(10)), ==, later >= needed ? 2 : -1);
            g_assert_cmpint(next_at(WEIR_MS(10)), ==, -1);
        }
    }
}

/* NDUPACK counts packets, not numbers: 1, 7 and 9 are three after 0. */
static void test_later_packets_need_not_be_neighbours(void)
{
    start(10);
    miss(0);
    receive(9);
    receive(1);
    g_assert_cmpint(next_at(WEIR_MS(10)), ==, -1);
    receive(7);
    g_assert_cmpint(next_at(WEIR_MS(10)), ==, 0);
}

static void test_reordering_by_two_is_no_loss(void)
{
    start(12);
    for (int64_t i = 0; i + 2 < 12; i += 3) {
        miss(i);
        receive(i + 1);
        receive(i + 2);
        g_assert_cmpint(next_at(WEIR_MS(20)), ==, -1);
        g_assert_cmpint(receive(i), ==, WEIR__LOSS_RECEIVED);
    }
    g_assert_cmpint(next_at(WEIR_SECONDS(9)), ==, -1);
}

/* A packet that no report names may have been in a lost report. */
static void test_a_packet_that_no_report_covers_is_never_lost(void)
{
    start(20);
    for (int i = 10; i < 20; i++) {
        receive(i);
    }
    g_assert_cmpint(next_at(WEIR_SECONDS(100)), ==, -1);
    g_assert_cmpint(weir__history_state(weir__history_peek(&history, 5)), ==, WEIR__PACKET_SENT);
}

static void test_a_tail_loss_is_found_after_the_timeout(void)
{
    start(10);
    receive(3);
    miss(4);
    g_assert_cmpint(weir__loss_next_timeout_ns(&loss, &history, RTO_NS), ==, WEIR_NEVER_NS);
    receive(5);
    g_assert_cmpint(weir__loss_next_timeout_ns(&loss, &history, RTO_NS), ==, WEIR_MS(504));
    g_assert_cmpint(next_at(WEIR_MS(503)), ==, -1);
    g_assert_cmpint(next_at(WEIR_MS(504)), ==, 4);
    g_assert_cmpint(weir__loss_next_timeout_ns(&loss, &history, RTO_NS), ==, WEIR_NEVER_NS);
}

static void test_a_timeout_needs_a_later_packet_in_a_report(void)
{
    start(10);
    miss(9);
    g_assert_cmpint(next_at(WEIR_SECONDS(100)), ==, -1);
}

static void test_received_is_final(void)
{
    start(10);
    g_assert_cmpint(receive(0), ==, WEIR__LOSS_RECEIVED);
    g_assert_cmpint(receive(0), ==, WEIR__LOSS_NO_NEWS);
    miss(0);
    receive(1);
    receive(2);
    receive(3);
    g_assert_cmpint(next_at(WEIR_SECONDS(9)), ==, -1);
    g_assert_cmpint(weir__history_state(weir__history_peek(&history, 0)), ==,
                    WEIR__PACKET_RECEIVED);
}

static void test_a_lost_packet_is_late_once(void)
{
    start(10);
    miss(0);
    receive(1);
    receive(2);
    receive(3);
    g_assert_cmpint(next_at(0), ==, 0);
    miss(0);
    g_assert_cmpint(next_at(0), ==, -1);
    g_assert_cmpint(receive(0), ==, WEIR__LOSS_LATE);
    g_assert_cmpint(receive(0), ==, WEIR__LOSS_NO_NEWS);
    miss(0);
    g_assert_cmpint(next_at(WEIR_SECONDS(9)), ==, -1);
}

static void test_losses_come_in_rising_order(void)
{
    start(100);
    for (int64_t i = 98; i >= 0; i -= 2) {
        miss(i);
        receive(i + 1);
    }
    int64_t previous = -1, n = 0;
    for (int64_t seq; (seq = next_at(WEIR_MS(100))) >= 0; previous = seq, n++) {
        g_assert_cmpint(seq, >, previous);
    }
    /* The three highest received are 95, 97, 99. */
    g_assert_cmpint(n, ==, 48);
    g_assert_cmpint(previous, ==, 94);
}

static void test_packets_outside_the_history_change_nothing(void)
{
    start(3);
    g_assert_cmpint(receive(3), ==, WEIR__LOSS_NO_NEWS);
    g_assert_cmpint(receive(-1), ==, WEIR__LOSS_NO_NEWS);
    miss(50);
    g_assert_cmpint(loss.covered_seq, ==, -1);
    g_assert_cmpint(next_at(WEIR_SECONDS(9)), ==, -1);
}

static void test_a_suspect_that_left_the_ring_is_forgotten(void)
{
    start(10);
    miss(1);
    miss(8);
    for (int i = 0; i < WEIR__HISTORY_PACKETS; i++) {
        struct weir__history_packet packet = {
            .sent_ns = WEIR_SECONDS(1), .ssrc = 7, .rtp_seq = (uint16_t)(10 + i), .wire_bytes = 1};
        weir__history_on_sent(&history, &packet);
    }
    for (int i = 100; i < 110; i++) {
        receive(i);
    }
    g_assert_cmpint(next_at(WEIR_SECONDS(9)), ==, -1);
}

/* Against the definition, for random reports in random order. */
static void test_equals_the_definition_for_random_reports(void)
{
    enum { N = 300 };
    for (guint32 seed = 1; seed <= 60; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        bool received[N] = {false}, suspect[N] = {false}, lost[N] = {false};
        start(N);
        for (int step = 0; step < 200; step++) {
            int seq = g_rand_int_range(rand, 0, N);
            if (g_rand_int_range(rand, 0, 3) > 0) {
                receive(seq);
                received[seq] = true;
            } else {
                miss(seq);
                suspect[seq] = suspect[seq] || !received[seq];
            }
            for (int64_t found; (found = next_at(WEIR_MS(N))) >= 0;) {
                lost[found] = true;
            }
            for (int i = 0; i < N; i++) {
                int later = 0;
                for (int k = i + 1; k < N; k++) {
                    later += received[k];
                }
                if (suspect[i] && !received[i]) {
                    if (lost[i] != (later >= 3)) {
                        g_error("seed %u step %d: packet %d", seed, step, i);
                    }
                }
            }
        }
        g_rand_free(rand);
    }
}

static void test_what_the_history_has_forgotten_is_not_waited_for(void)
{
    start(3);
    miss(0);
    receive(2);
    g_assert_cmpint(weir__loss_next_timeout_ns(&loss, &history, RTO_NS), ==, RTO_NS);
    for (int i = 3; i < 3 + WEIR__HISTORY_PACKETS; i++) {
        struct weir__history_packet packet = {
            .sent_ns = WEIR_MS(i), .ssrc = 7, .rtp_seq = (uint16_t)i, .wire_bytes = 1000};
        weir__history_on_sent(&history, &packet);
    }
    g_assert_cmpint(weir__loss_next_timeout_ns(&loss, &history, RTO_NS), ==, WEIR_NEVER_NS);
    g_assert_cmpint(next_at(WEIR_SECONDS(100)), ==, -1);
}

/* For every number of later packets, as for a loss; and never beyond the newest of the transport.
 */
static void test_packets_are_passed_when_they_would_be_lost(void)
{
    for (int needed = 1; needed <= WEIR_REORDER_PACKETS_MAX; needed++) {
        start_with(10, (uint32_t)needed);
        for (int seq = 2; seq < 8; seq++) {
            receive(seq);
            int64_t passed_seq = seq - 2 >= needed - 1 ? seq - needed + 1 : -1;
            g_assert_cmpint(weir__loss_passed_seq(&loss, seq), ==, passed_seq);
            g_assert_cmpint(weir__loss_passed_seq(&loss, 3), ==, passed_seq < 3 ? passed_seq : 3);
            g_assert_cmpint(weir__loss_passed_seq(&loss, -1), ==, -1);
        }
    }
}

/* Feedback that overtook the one that tells of the packet. */
static void test_a_packet_passed_by_may_still_be_told_of(void)
{
    start(10);
    weir__history_pass(&history, 0, 0, 3);
    g_assert_cmpint(history.in_flight_bytes, ==, 7000);
    g_assert_cmpint(receive(0), ==, WEIR__LOSS_RECEIVED);
    miss(1);
    g_assert_cmpint(history.in_flight_bytes, ==, 8000);
    for (int seq = 3; seq < 6; seq++) {
        receive(seq);
    }
    g_assert_cmpint(next_at(WEIR_MS(10)), ==, 1);
    g_assert_cmpint(next_at(WEIR_SECONDS(100)), ==, -1);
    g_assert_cmpint(history.in_flight_bytes, ==, 4000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/loss/so_many_later_packets_make_a_loss",
                    test_so_many_later_packets_make_a_loss);
    g_test_add_func("/loss/later_packets_need_not_be_neighbours",
                    test_later_packets_need_not_be_neighbours);
    g_test_add_func("/loss/reordering_by_two_is_no_loss", test_reordering_by_two_is_no_loss);
    g_test_add_func("/loss/a_packet_that_no_report_covers_is_never_lost",
                    test_a_packet_that_no_report_covers_is_never_lost);
    g_test_add_func("/loss/a_tail_loss_is_found_after_the_timeout",
                    test_a_tail_loss_is_found_after_the_timeout);
    g_test_add_func("/loss/a_timeout_needs_a_later_packet_in_a_report",
                    test_a_timeout_needs_a_later_packet_in_a_report);
    g_test_add_func("/loss/received_is_final", test_received_is_final);
    g_test_add_func("/loss/a_lost_packet_is_late_once", test_a_lost_packet_is_late_once);
    g_test_add_func("/loss/losses_come_in_rising_order", test_losses_come_in_rising_order);
    g_test_add_func("/loss/packets_outside_the_history_change_nothing",
                    test_packets_outside_the_history_change_nothing);
    g_test_add_func("/loss/a_suspect_that_left_the_ring_is_forgotten",
                    test_a_suspect_that_left_the_ring_is_forgotten);
    g_test_add_func("/loss/equals_the_definition_for_random_reports",
                    test_equals_the_definition_for_random_reports);
    g_test_add_func("/loss/packets_are_passed_when_they_would_be_lost",
                    test_packets_are_passed_when_they_would_be_lost);
    g_test_add_func("/loss/a_packet_passed_by_may_still_be_told_of",
                    test_a_packet_passed_by_may_still_be_told_of);
    g_test_add_func("/loss/what_the_history_has_forgotten_is_not_waited_for",
                    test_what_the_history_has_forgotten_is_not_waited_for);
    return g_test_run();
}
