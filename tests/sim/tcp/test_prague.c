/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/hand_rig.h"
#include "sim/tcp/tcp_rig.h"
#include "weir/receiver.h"

/* An ACK as it comes from the sink: up to `number`, `marks` packets marked so far. */
static void ack_with(struct rig *rig, int64_t number, uint8_t marks)
{
    struct weir__port port = weir__tcp_port(&rig->tcp);
    struct weir__packet *packet = weir__packet_take(&rig->b->pool);
    packet->ack = number;
    packet->ecn_echo = marks;
    packet->sent_ns = rig->b->sim.now_ns;
    weir__port_send(&port, packet);
}

/* RFC 8257 3.3: alpha begins as 1 and becomes 15/16 alpha + 1/16 share with the first ACK, then
 * once per window of data. */
static void test_window_falls_by_half_of_alpha_once_per_window_of_data(void)
{
    struct rig *rig = rig_new(WEIR__TCP_PRAGUE, 20);
    double alpha = 15.0 / 16.0 + 1.0 / 5.0 / 16.0;
    double window = 20.0 * (1.0 - alpha / 2.0);
    g_assert_cmpint(rig->tcp.highest, ==, 19);
    ack_with(rig, 4, 1);
    window += 4.0 / window; /* four of the five are not marked */
    assert_near(rig->tcp.cwnd_packets, window, 1e-9);
    ack_with(rig, 9, 3); /* the window was reduced already */
    window += 3.0 / window;
    assert_near(rig->tcp.cwnd_packets, window, 1e-9);
    ack_with(rig, 14, 8); /* all are marked: it does not grow */
    assert_near(rig->tcp.cwnd_packets, window, 1e-9);
    ack_with(rig, 19, 8);
    window += 5.0 / window;
    assert_near(rig->tcp.cwnd_packets, window, 1e-9);
    g_assert_cmpint(rig->tcp.highest, >, 20);
    ack_with(rig, 20, 9); /* 8 of 16 in this window of data */
    alpha = 15.0 / 16.0 * alpha + 8.0 / 16.0 / 16.0;
    assert_near(rig->tcp.cwnd_packets, window * (1.0 - alpha / 2.0), 1e-9);
    g_assert_cmpint(rig->tcp.stats.echoes, ==, 2);
    rig_free(rig);
}

static void test_new_data_is_ect1_and_old_acks_do_not_count(void)
{
    struct rig *rig = rig_new(WEIR__TCP_PRAGUE, 20);
    for (size_t i = 0; i < rig->b->out.n; i++) {
        g_assert_cmpuint(rig->b->out.seen[i].ecn, ==, WEIR_ECN_ECT1);
    }
    ack_with(rig, 4, 5);
    double window = rig->tcp.cwnd_packets;
    ack_with(rig, 3, 2);
    g_assert_cmpuint(rig->tcp.marks_told, ==, 5);
    assert_near(rig->tcp.cwnd_packets, window, 1e-9);
    rig_free(rig);
}

static void test_loss_halves_the_window(void)
{
    struct rig *rig = rig_new(WEIR__TCP_PRAGUE, 20);
    for (int64_t i = 2; i <= 4; i++) {
        sack(rig, -1, 1, i);
    }
    g_assert_true(rig->tcp.in_recovery);
    assert_near(rig->tcp.cwnd_packets, 10.0, 1e-9);
    rig_free(rig);
}

/* Marks every n-th packet in front of the sink. */
struct marker {
    struct weir__port next;
    int64_t every;
    int64_t n;
};

static void mark(void *target, struct weir__packet *packet)
{
    struct marker *marker = target;
    if (++marker->n % marker->every == 0) {
        packet->ecn = WEIR_ECN_CE;
    }
    weir__port_send(&marker->next, packet);
}

/* De Schepper and others, PI2 (CoNEXT 2016), equation 8: W = 2/p. */
static void test_mean_window_is_two_over_the_share_of_marks(void)
{
    static const int64_t every[] = {5, 10, 20, 50, 100};
    for (size_t i = 0; i < G_N_ELEMENTS(every); i++) {
        struct tcp_rig *rig = tcp_rig_new(ample_link());
        struct weir__tcp_flow_config config = flow_config(WEIR__TCP_PRAGUE);
        config.delayed_ack_ns = 0;
        struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
        struct marker marker = {.next = weir__tcp_sink_port(&flow->sink), .every = every[i]};
        weir__network_set_end(rig->network, flow->sender.config.flow,
                              (struct weir__port){.on_packet = mark, .target = &marker});
        double sum = 0.0;
        int n = 0;
        for (int64_t ms = 20000; ms < 200000; ms += 10) {
            weir__sim_run_until(rig->sim, WEIR_MS(ms));
            sum += flow->sender.cwnd_packets;
            n++;
        }
        g_test_message("each %d marked: %.2f", (int)every[i], sum / n);
        assert_near(sum / n / (2.0 * (double)every[i]), 1.0, 0.15);
        tcp_rig_free(rig);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_prague/window_falls_by_half_of_alpha_once_per_window_of_data",
                    test_window_falls_by_half_of_alpha_once_per_window_of_data);
    g_test_add_func("/sim/tcp_prague/new_data_is_ect1_and_old_acks_do_not_count",
                    test_new_data_is_ect1_and_old_acks_do_not_count);
    g_test_add_func("/sim/tcp_prague/loss_halves_the_window", test_loss_halves_the_window);
    g_test_add_func("/sim/tcp_prague/mean_window_is_two_over_the_share_of_marks",
                    test_mean_window_is_two_over_the_share_of_marks);
    return g_test_run();
}
