/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/hand_rig.h"

/* Packets 0, 3 and 6 of 12 are lost; SACK repairs them within one round trip. */
static void test_sack_repairs_all_holes_in_one_round_trip(void)
{
    struct rig *rig = rig_new(WEIR__TCP_SACK, 12);
    sack(rig, -1, 1, 1);
    assert_sent(rig, "12 ");
    sack(rig, -1, 1, 2);
    assert_sent(rig, "13 ");
    sack(rig, -1, 4, 4);
    assert_sent(rig, "0 ");
    g_assert_cmpint(rig->tcp.pipe_packets, ==, 11);
    assert_near(rig->tcp.cwnd_packets, 6.0, 1e-12);
    sack(rig, -1, 4, 5);
    sack(rig, -1, 7, 7);
    sack(rig, -1, 7, 8);
    sack(rig, -1, 7, 9);
    sack(rig, -1, 7, 10);
    assert_sent(rig, "");
    g_assert_cmpint(rig->tcp.pipe_packets, ==, 6);
    sack(rig, -1, 7, 11);
    assert_sent(rig, "3 ");
    sack(rig, -1, 7, 12);
    assert_sent(rig, "6 ");
    sack(rig, -1, 7, 13);
    assert_sent(rig, "14 "); /* no hole left: new data */
    sack(rig, 2, 7, 13);     /* partial: two packets left the pipe */
    assert_sent(rig, "15 16 ");
    sack(rig, 5, 7, 13);
    assert_sent(rig, "17 18 ");
    ack(rig, 13);
    g_assert_false(rig->tcp.in_recovery);
    assert_near(rig->tcp.cwnd_packets, 6.0, 1e-12);
    g_assert_cmpint(rig->tcp.stats.resent_packets, ==, 3);
    assert_sent(rig, "19 ");
    rig_free(rig);
}

static void test_sack_counts_only_duplicates_with_news(void)
{
    struct rig *rig = rig_new(WEIR__TCP_SACK, 10);
    sack(rig, -1, 1, 1);
    for (int i = 0; i < 20; i++) {
        sack(rig, -1, 1, 1);
        ack(rig, -1);
    }
    g_assert_false(rig->tcp.in_recovery);
    g_assert_cmpint(rig->tcp.dupacks, ==, 1);
    sack(rig, -1, 1, 2);
    sack(rig, -1, 1, 3);
    g_assert_true(rig->tcp.in_recovery);
    rig_free(rig);
}

static void test_sack_timeout_forgets_the_scoreboard(void)
{
    struct rig *rig = rig_new(WEIR__TCP_SACK, 10);
    sack(rig, -1, 1, 3);
    sack(rig, -1, 1, 4);
    sack(rig, -1, 1, 5);
    g_assert_true(rig->tcp.in_recovery);
    rig->seen = rig->b->out.n;
    weir__sim_run_until(&rig->b->sim, rig->tcp.retransmission.due_ns);
    g_assert_cmpint(rig->tcp.stats.timeouts, ==, 1);
    g_assert_false(rig->tcp.in_recovery);
    assert_sent(rig, "0 ");
    ack(rig, 0);
    assert_sent(rig, "1 2 "); /* go back N */
    rig_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_sack/sack_repairs_all_holes_in_one_round_trip",
                    test_sack_repairs_all_holes_in_one_round_trip);
    g_test_add_func("/sim/tcp_sack/sack_counts_only_duplicates_with_news",
                    test_sack_counts_only_duplicates_with_news);
    g_test_add_func("/sim/tcp_sack/sack_timeout_forgets_the_scoreboard",
                    test_sack_timeout_forgets_the_scoreboard);
    return g_test_run();
}
