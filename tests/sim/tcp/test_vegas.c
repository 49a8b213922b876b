/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/hand_rig.h"
#include "sim/tcp/tcp_rig.h"

static void run_ms(struct rig *rig, int64_t ms)
{
    weir__sim_run_until(&rig->b->sim, WEIR_MS(ms));
}

static void three_duplicates(struct rig *rig)
{
    for (int i = 0; i < 3; i++) {
        ack(rig, rig->tcp.una);
    }
}

/* Alone on a link it keeps between alpha and beta packets in the queue, and loses nothing. */
static void test_one_to_three_packets_wait_in_the_queue(void)
{
    for (int64_t mbps = 1; mbps <= 8; mbps *= 2) {
        struct weir__link_config link = ample_link();
        link.capacity_bps = WEIR_MBPS(mbps);
        link.queue.limit.packets = 50;
        struct tcp_rig *rig = tcp_rig_new(link);
        struct weir__tcp_flow_config config = flow_config(WEIR__TCP_VEGAS);
        config.delayed_ack_ns = 0;
        struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
        weir__sim_run_until(rig->sim, WEIR_SECONDS(60));
        /* packets the path holds without a queue: (0.1 s + a packet's time) at the capacity */
        double bdp = 0.1 * (double)mbps * 1e6 / 12000.0 + 1.0;
        for (int second = 61; second < 200; second++) {
            weir__sim_run_until(rig->sim, WEIR_SECONDS(second));
            double waiting = (double)(int64_t)flow->sender.cwnd_packets - bdp;
            g_assert_cmpfloat(waiting, >=, -1.0);
            g_assert_cmpfloat(waiting, <=, 4.0);
        }
        double bps = (double)flow->sink.goodput_bytes * 8.0 / 200.0;
        g_test_message("%d Mbit/s: goodput %.0f", (int)mbps, bps);
        g_assert_cmpfloat(bps, >=, 0.93 * (double)mbps * 1e6);
        g_assert_cmpint(flow->sender.stats.resent_packets, ==, 0);
        tcp_rig_free(rig);
    }
}

/* Never below 2. */
static void test_loss_takes_a_quarter(void)
{
    for (int64_t window = 1; window <= 40; window++) {
        struct rig *rig = rig_new(WEIR__TCP_VEGAS, window);
        run_ms(rig, 100);
        three_duplicates(rig);
        int64_t first = MAX(2, window - window / 4);
        assert_near(rig->tcp.cwnd_packets, (double)first, 1e-12);
        g_assert_cmpint(rig->tcp.stats.recoveries, ==, 1);
        rig_free(rig);
    }
}

/* Packets 1 and 5 are lost; 5 is found overdue when 1 is repaired, and then it is
 * lost again and overdue again. */
static void test_loss_of_a_packet_sent_again_takes_half(void)
{
    struct rig *rig = rig_new(WEIR__TCP_VEGAS, 20);
    run_ms(rig, 100);
    ack(rig, 0);
    run_ms(rig, 110);
    three_duplicates(rig);
    assert_near(rig->tcp.cwnd_packets, 15.0, 1e-12);
    rig->seen = rig->b->out.n;
    run_ms(rig, 210);
    ack(rig, 4);
    assert_sent(rig, "5 ");
    int64_t window = (int64_t)rig->tcp.cwnd_packets;
    run_ms(rig, 460);
    ack(rig, 4);
    assert_near(rig->tcp.cwnd_packets, (double)(window / 2), 1e-12);
    rig_free(rig);
}

static void test_one_reduction_for_the_losses_of_one_window(void)
{
    struct rig *rig = rig_new(WEIR__TCP_VEGAS, 20);
    run_ms(rig, 100);
    three_duplicates(rig);
    assert_near(rig->tcp.cwnd_packets, 15.0, 1e-12);
    ack(rig, 4); /* packet 5 was lost too */
    three_duplicates(rig);
    assert_near(rig->tcp.cwnd_packets, 15.0, 1e-12);
    g_assert_cmpint(rig->tcp.stats.recoveries, ==, 2);
    rig_free(rig);
}

/* The first duplicate is enough when the packet has been out for longer than the fine timeout. */
static void test_overdue_packet_is_repaired_with_the_first_duplicate(void)
{
    for (int64_t late_ms = 90; late_ms <= 200; late_ms += 110) {
        struct rig *rig = rig_new(WEIR__TCP_VEGAS, 6);
        run_ms(rig, 100);
        ack(rig, 0); /* round trip 100 ms; sends more */
        rig->seen = rig->b->out.n;
        int64_t sent_ms = 0; /* packet 1 left with the first flight */
        run_ms(rig, sent_ms + late_ms + 20);
        rig->tcp.config.limited_transmit = false;
        ack(rig, 0);
        assert_sent(rig, late_ms < 150 ? "" : "1 ");
        rig_free(rig);
    }
}

static void test_timeout_starts_again_with_two_packets(void)
{
    struct rig *rig = rig_new(WEIR__TCP_VEGAS, 20);
    weir__sim_run_until(&rig->b->sim, rig->tcp.retransmission.due_ns);
    g_assert_cmpint(rig->tcp.stats.timeouts, ==, 1);
    assert_sent(rig, "0 1 ");
    assert_near(rig->tcp.cwnd_packets, 2.0, 1e-12);
    g_assert_cmpint(rig->tcp.ssthresh_packets, ==, 10);
    rig_free(rig);
}

/* Slow start grows in every other round trip: with ample capacity the window doubles every 200 ms
 * of 100 ms round trips. */
static void test_slow_start_doubles_every_other_round_trip(void)
{
    struct tcp_rig *rig = tcp_rig_new(ample_link());
    struct weir__tcp_flow_config config = flow_config(WEIR__TCP_VEGAS);
    config.delayed_ack_ns = 0;
    struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
    double before = 0.0;
    for (int64_t ms = 450; ms <= 1250; ms += 200) {
        weir__sim_run_until(rig->sim, WEIR_MS(ms));
        if (before > 0.0) {
            assert_near(flow->sender.cwnd_packets, 2.0 * before, 0.26 * before);
        }
        before = flow->sender.cwnd_packets;
    }
    tcp_rig_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_vegas/one_to_three_packets_wait_in_the_queue",
                    test_one_to_three_packets_wait_in_the_queue);
    g_test_add_func("/sim/tcp_vegas/loss_takes_a_quarter", test_loss_takes_a_quarter);
    g_test_add_func("/sim/tcp_vegas/loss_of_a_packet_sent_again_takes_half",
                    test_loss_of_a_packet_sent_again_takes_half);
    g_test_add_func("/sim/tcp_vegas/one_reduction_for_the_losses_of_one_window",
                    test_one_reduction_for_the_losses_of_one_window);
    g_test_add_func("/sim/tcp_vegas/overdue_packet_is_repaired_with_the_first_duplicate",
                    test_overdue_packet_is_repaired_with_the_first_duplicate);
    g_test_add_func("/sim/tcp_vegas/timeout_starts_again_with_two_packets",
                    test_timeout_starts_again_with_two_packets);
    g_test_add_func("/sim/tcp_vegas/slow_start_doubles_every_other_round_trip",
                    test_slow_start_doubles_every_other_round_trip);
    return g_test_run();
}
