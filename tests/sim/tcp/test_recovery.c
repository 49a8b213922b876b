/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/hand_rig.h"
#include "sim/tcp/tcp_rig.h"
#include "weir/receiver.h"

/* Packet 0 of 10 is lost. */
static void test_reno_repairs_a_single_loss(void)
{
    struct rig *rig = rig_new(WEIR__TCP_RENO, 10);
    ack(rig, -1);
    assert_sent(rig, "10 "); /* limited transmit */
    ack(rig, -1);
    assert_sent(rig, "11 ");
    ack(rig, -1);
    assert_sent(rig, "0 ");
    g_assert_cmpint(rig->tcp.ssthresh_packets, ==, 5);
    g_assert_cmpint(rig->tcp.dupwnd_packets, ==, 3);
    assert_near(rig->tcp.cwnd_packets, 5.0, 1e-12);
    for (int i = 4; i <= 6; i++) { /* the inflated window is still below what was sent */
        ack(rig, -1);
        assert_sent(rig, "");
    }
    ack(rig, -1);
    assert_sent(rig, "");
    ack(rig, -1); /* 5 + 8 = 13 packets: number 12 */
    assert_sent(rig, "12 ");
    ack(rig, -1);
    assert_sent(rig, "13 ");
    ack(rig, 11); /* everything up to the second limited transmit */
    g_assert_false(rig->tcp.in_recovery);
    g_assert_cmpint(rig->tcp.dupwnd_packets, ==, 0);
    assert_near(rig->tcp.cwnd_packets, 5.2, 1e-12);
    assert_sent(rig, "14 15 16 ");
    g_assert_cmpint(rig->tcp.stats.recoveries, ==, 1);
    rig_free(rig);
}

/* RFC 3042: not more than cwnd + 2 under way, as when a recovery has just left the window small. */
static void test_limited_transmit_respects_the_window(void)
{
    for (int64_t cwnd = 5; cwnd <= 12; cwnd++) {
        struct rig *rig = rig_new(WEIR__TCP_RENO, 10);
        rig->tcp.cwnd_packets = (double)cwnd;
        ack(rig, -1);
        ack(rig, -1);
        assert_sent(rig, cwnd < 9 ? "" : cwnd == 9 ? "10 " : "10 11 ");
        rig_free(rig);
    }
}

/* An ACK over the wire, with an ECE. */
static void echo(struct rig *rig, int64_t number)
{
    struct weir__port port = weir__tcp_port(&rig->tcp);
    struct weir__packet *packet = bench_packet(rig->b, 0, 40);
    packet->ack = number;
    packet->ecn_echo = true;
    weir__port_send(&port, packet);
}

static const struct collected *newest(const struct rig *rig)
{
    return &rig->b->out.seen[rig->b->out.n - 1];
}

/* RFC 3168 6.1.2 and 6.1.5, a window of ten packets: the echo halves it (Cubic: 0.7),
 * and no other of that window does, nor a loss; the first new packet after it says so. Without ECN
 * nobody listens. */
static void test_an_echo_reduces_the_window_once(void)
{
    static const struct {
        enum weir__tcp_variant variant;
        double left_packets;
    } cases[] = {{WEIR__TCP_RENO, 5.0},
                 {WEIR__TCP_NEWRENO, 5.0},
                 {WEIR__TCP_SACK, 5.0},
                 {WEIR__TCP_CUBIC, 7.0}};
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
        bool capable = i % 2 == 1;
        struct rig *rig = rig_new(cases[i / 2].variant, 10);
        rig->tcp.config.ecn = capable;
        echo(rig, 0);
        g_assert_cmpint(rig->tcp.stats.echoes, ==, capable);
        if (!capable) {
            g_assert_cmpfloat(rig->tcp.cwnd_packets, >=, 10.0);
            g_assert_cmpuint(newest(rig)->ecn, ==, WEIR_ECN_NOT_ECT);
            rig_free(rig);
            continue;
        }
        assert_near(rig->tcp.cwnd_packets, cases[i / 2].left_packets, 1e-12);
        assert_sent(rig, "");
        for (int64_t k = 1; rig->b->out.n == 10; k++) {
            echo(rig, k);
            assert_near(rig->tcp.cwnd_packets, cases[i / 2].left_packets, 1e-12);
        }
        assert_sent(rig, "10 ");
        g_assert_cmpuint(newest(rig)->ecn, ==, WEIR_ECN_ECT0);
        g_assert_true(newest(rig)->ecn_echo);
        for (int k = 0; k < 3; k++) {
            sack(rig, rig->tcp.una, rig->tcp.una + 2, rig->tcp.una + 2 + k);
        }
        g_assert_cmpint(rig->tcp.stats.recoveries, ==, 1);
        assert_near(rig->tcp.cwnd_packets, cases[i / 2].left_packets, 1e-12);
        g_assert_cmpint(newest(rig)->seq, ==, rig->tcp.una + 1);
        g_assert_cmpuint(newest(rig)->ecn, ==, WEIR_ECN_NOT_ECT);
        ack(rig, rig->tcp.highest);
        g_assert_false(rig->tcp.in_recovery);
        rig_free(rig);
    }
}

/* A mark of what was sent after the reduction counts again. */
static void test_the_next_window_is_reduced_again(void)
{
    struct rig *rig = rig_new(WEIR__TCP_SACK, 16);
    rig->tcp.config.ecn = true;
    echo(rig, 0);
    for (int64_t k = 1; k <= 15; k++) {
        ack(rig, k);
    }
    double window = rig->tcp.cwnd_packets;
    g_assert_cmpfloat(window, <, 10.0);
    echo(rig, 16);
    assert_near(rig->tcp.cwnd_packets, window / 2.0, 1e-12);
    g_assert_cmpint(rig->tcp.stats.echoes, ==, 2);
    rig_free(rig);
}

/* A receiver that acknowledges every second packet, or every packet: the same window. */
static double window_after_a_round(bool byte_counting, int64_t packets_per_ack, int64_t ssthresh)
{
    struct rig *rig = rig_new(WEIR__TCP_SACK, 10);
    rig->tcp.config.byte_counting = byte_counting;
    rig->tcp.ssthresh_packets = ssthresh;
    for (int64_t i = packets_per_ack - 1; i < 10; i += packets_per_ack) {
        ack(rig, i);
    }
    double cwnd = rig->tcp.cwnd_packets;
    rig_free(rig);
    return cwnd;
}

static void test_byte_counting_grows_the_same_whatever_the_acks(void)
{
    static const int64_t packets_per_ack[] = {1, 2, 5, 10};
    for (gsize i = 0; i < G_N_ELEMENTS(packets_per_ack); i++) {
        int64_t per_ack = packets_per_ack[i];
        assert_near(window_after_a_round(true, per_ack, 1000), 20.0, 1e-9);
        assert_near(window_after_a_round(true, per_ack, 10), 11.0, 0.06);
        assert_near(window_after_a_round(true, per_ack, 15), 15.0 + 5.0 / 15.0, 0.03);
        assert_near(window_after_a_round(false, per_ack, 1000), 10.0 + 10.0 / (double)per_ack,
                    1e-9);
    }
}

/* The first ACK after a timeout covers nine packets that had arrived long before. */
static void test_byte_counting_does_not_count_what_came_before_a_timeout(void)
{
    struct rig *rig = rig_new(WEIR__TCP_SACK, 10);
    rig->tcp.config.byte_counting = true;
    weir__sim_run_until(&rig->b->sim, rig->tcp.retransmission.due_ns);
    ack(rig, 8);
    assert_near(rig->tcp.cwnd_packets, 2.0, 1e-12);
    rig_free(rig);
}

static void test_no_limited_transmit_when_switched_off(void)
{
    struct rig *rig = rig_new(WEIR__TCP_RENO, 10);
    rig->tcp.config.limited_transmit = false;
    ack(rig, -1);
    ack(rig, -1);
    assert_sent(rig, "");
    ack(rig, -1);
    assert_sent(rig, "0 ");
    rig_free(rig);
}

/* A partial ACK ends Reno's recovery; dup ACKs of the same window start no second one, unless
 * fast retransmits are repeated, as in RFC 2581. */
static void check_second_hole(bool repeated_recovery)
{
    struct rig *rig = rig_new(WEIR__TCP_RENO, 10);
    rig->tcp.config.repeated_recovery = repeated_recovery;
    ack(rig, -1);
    ack(rig, -1);
    ack(rig, -1);
    assert_sent(rig, "10 11 0 ");
    ack(rig, 4); /* packet 5 is lost too */
    g_assert_false(rig->tcp.in_recovery);
    double window = rig->tcp.cwnd_packets;
    for (int i = 0; i < 6; i++) {
        ack(rig, 4);
    }
    g_assert_cmpint(rig->tcp.stats.recoveries, ==, repeated_recovery ? 2 : 1);
    g_assert_cmpint(rig->tcp.stats.resent_packets, ==, repeated_recovery ? 2 : 1);
    assert_near(rig->tcp.cwnd_packets, repeated_recovery ? window / 2.0 : window, 1e-12);
    rig_free(rig);
}

static void test_reno_halves_once_per_window(void)
{
    check_second_hole(false);
}

static void test_reno_of_1999_repairs_a_second_hole(void)
{
    check_second_hole(true);
}

static void test_second_loss_later_is_a_second_recovery(void)
{
    static const enum weir__tcp_variant variants[] = {WEIR__TCP_RENO, WEIR__TCP_NEWRENO};
    for (size_t v = 0; v < G_N_ELEMENTS(variants); v++) {
        struct rig *rig = rig_new(variants[v], 20);
        for (int i = 0; i < 3; i++) {
            ack(rig, -1);
        }
        ack(rig, rig->tcp.recover);
        g_assert_cmpint(rig->tcp.ssthresh_packets, ==, 10);
        for (int64_t n = rig->tcp.una + 1; n < 60; n++) {
            ack(rig, n);
        }
        for (int i = 0; i < 3; i++) {
            ack(rig, 59);
        }
        g_assert_cmpint(rig->tcp.stats.recoveries, ==, 2);
        g_assert_true(rig->tcp.in_recovery);
        rig_free(rig);
    }
}

/* Packets 0, 3 and 6 of 12 are lost: one per partial ACK, one halving. */
static void test_newreno_repairs_one_hole_per_partial_ack(void)
{
    struct rig *rig = rig_new(WEIR__TCP_NEWRENO, 12);
    for (int i = 0; i < 3; i++) {
        ack(rig, -1);
    }
    assert_sent(rig, "12 13 0 ");
    for (int i = 4; i <= 11; i++) { /* 11 packets beside the lost ones have arrived */
        ack(rig, -1);
    }
    assert_sent(rig, "14 15 16 "); /* 6 + 11 = 17 packets */
    ack(rig, 2);
    g_assert_true(rig->tcp.in_recovery);
    g_assert_cmpint(rig->tcp.dupwnd_packets, ==, 9); /* 11 - 3 + 1 */
    assert_sent(rig, "3 17 ");
    ack(rig, 5);
    assert_sent(rig, "6 18 ");
    ack(rig, 13);
    g_assert_false(rig->tcp.in_recovery);
    assert_near(rig->tcp.cwnd_packets, 6.0, 1e-12);
    g_assert_cmpint(rig->tcp.stats.recoveries, ==, 1);
    g_assert_cmpint(rig->tcp.dupacks, ==, 0);
    assert_sent(rig, "19 ");
    rig_free(rig);
}

static void test_newreno_deflates_by_what_was_acknowledged(void)
{
    struct rig *rig = rig_new(WEIR__TCP_NEWRENO, 30);
    for (int i = 0; i < 3; i++) {
        ack(rig, -1);
    }
    assert_near(rig->tcp.cwnd_packets, 15.0, 1e-12);
    ack(rig, 9); /* 10 packets acknowledged, inflation 3: cwnd - 7, inflation 1 */
    assert_near(rig->tcp.cwnd_packets, 8.0, 1e-12);
    g_assert_cmpint(rig->tcp.dupwnd_packets, ==, 1);
    ack(rig, 28); /* 19 more: not below 1 */
    assert_near(rig->tcp.cwnd_packets, 1.0, 1e-12);
    rig_free(rig);
}

/* A partial ACK lets out its repair and two packets, also where the window has room for more. */
static void test_newreno_sends_bursts_of_two_in_a_recovery(void)
{
    struct rig *rig = rig_new(WEIR__TCP_NEWRENO, 12);
    for (int i = 0; i < 3; i++) {
        ack(rig, -1);
    }
    rig->seen = rig->b->out.n;
    rig->tcp.cwnd_packets = 30.0;
    ack(rig, 2);
    assert_sent(rig, "3 14 15 ");
    ack(rig, 2);
    assert_sent(rig, "16 17 ");
    rig_free(rig);
}

static void test_newreno_restarts_its_timer_for_the_first_partial_ack_only(void)
{
    struct rig *rig = rig_new(WEIR__TCP_NEWRENO, 12);
    for (int i = 0; i < 3; i++) {
        ack(rig, -1);
    }
    weir__sim_run_until(&rig->b->sim, WEIR_MS(10));
    ack(rig, 2);
    int64_t due_ns = rig->tcp.retransmission.due_ns;
    g_assert_cmpint(due_ns, ==, WEIR_MS(10) + weir__tcp_rto_ns(&rig->tcp.rto));
    weir__sim_run_until(&rig->b->sim, WEIR_MS(20));
    ack(rig, 5);
    g_assert_cmpint(rig->tcp.retransmission.due_ns, ==, due_ns);
    rig_free(rig);
}

static void test_small_windows_halve_to_two_at_least(void)
{
    static const enum weir__tcp_variant variants[] = {WEIR__TCP_RENO, WEIR__TCP_NEWRENO,
                                                      WEIR__TCP_SACK};
    for (size_t v = 0; v < G_N_ELEMENTS(variants); v++) {
        for (int64_t window = 1; window <= 9; window++) {
            struct rig *rig = rig_new(variants[v], window);
            for (int64_t i = 1; i <= 3; i++) {
                sack(rig, -1, i, i);
            }
            g_assert_true(rig->tcp.in_recovery);
            g_assert_cmpint(rig->tcp.ssthresh_packets, ==, window / 2 < 2 ? 2 : window / 2);
            g_assert_cmpfloat(rig->tcp.cwnd_packets, >=, 1.0);
            rig_free(rig);
        }
    }
}

/* Patterns of four losses in the first window of 40 packets: all data arrives, SACK needs neither a
 * timeout nor a needless retransmission. */
static void test_every_loss_pattern_is_repaired(void)
{
    static const enum weir__tcp_variant variants[] = {WEIR__TCP_RENO, WEIR__TCP_NEWRENO,
                                                      WEIR__TCP_SACK};
    struct weir__random random;
    weir__random_init(&random, 71, 0);
    for (int pattern = 0; pattern < 300; pattern++) {
        int64_t trace[4];
        size_t n = 0;
        int64_t at = 1;
        for (int i = 0; i < 4; i++) {
            at += 1 + weir__random_below(&random, 8);
            trace[n++] = at;
        }
        for (size_t v = 0; v < G_N_ELEMENTS(variants); v++) {
            struct weir__link_config link = ample_link();
            link.loss = (struct weir__link_loss_config){
                .model = WEIR__LOSS_TRACE, .trace_packets = trace, .n_trace = n};
            struct tcp_rig *rig = tcp_rig_new(link);
            struct weir__tcp_flow_config config = flow_config(variants[v]);
            config.tcp.total_packets = 300;
            config.tcp.initial_window_packets = 40;
            struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
            weir__sim_run_until(rig->sim, WEIR_SECONDS(60));
            g_assert_cmpint(flow->sink.expected, ==, 300);
            g_assert_cmpint(flow->sink.goodput_bytes, ==, 300 * 1460);
            g_assert_cmpint(flow->sender.una, ==, 299);
            g_assert_cmpuint(rig->pool->used_packets, ==, 0);
            if (variants[v] == WEIR__TCP_SACK) {
                g_assert_cmpint(flow->sender.stats.timeouts, ==, 0);
                g_assert_cmpint(flow->sender.stats.recoveries, ==, 1);
                g_assert_cmpint(flow->sender.stats.resent_packets, ==, 4);
                g_assert_cmpint(flow->sink.repeated_packets, ==, 0);
            }
            tcp_rig_free(rig);
        }
    }
}

/* Heavy random loss, both variants of ACK policy: nothing is lost for ever, nothing invented. */
static void test_transfers_complete_under_heavy_loss(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        g_test_message("seed %" G_GUINT64_FORMAT, seed);
        struct weir__link_config link = ample_link();
        link.seed = seed;
        link.capacity_bps = WEIR_MBPS(2);
        link.queue.limit.packets = 12;
        link.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI,
                                                    .p = 0.02 * (double)(seed % 10)};
        link.reorder = seed % 3 == 0 ? 0.05 : 0.0;
        link.reorder_delay_ns = WEIR_MS(20);
        link.duplicate = seed % 4 == 0 ? 0.05 : 0.0;
        struct tcp_rig *rig = tcp_rig_new(link);
        struct weir__tcp_flow_config config =
            flow_config((enum weir__tcp_variant)(seed % WEIR__TCP_VARIANTS));
        config.tcp.total_packets = 1000;
        struct weir__tcp_flow *flow = tcp_rig_add(rig, config);
        weir__sim_run_until(rig->sim, WEIR_SECONDS(4000));
        g_assert_cmpint(flow->sink.expected, ==, 1000);
        g_assert_cmpint(flow->sink.distinct_packets, ==, 1000);
        g_assert_cmpint(flow->sender.una, ==, 999);
        g_assert_cmpint(weir__sim_next_event_ns(rig->sim), ==, WEIR_NEVER_NS);
        tcp_rig_free(rig);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_recovery/reno_repairs_a_single_loss",
                    test_reno_repairs_a_single_loss);
    g_test_add_func("/sim/tcp_recovery/limited_transmit_respects_the_window",
                    test_limited_transmit_respects_the_window);
    g_test_add_func("/sim/tcp_recovery/byte_counting_grows_the_same_whatever_the_acks",
                    test_byte_counting_grows_the_same_whatever_the_acks);
    g_test_add_func("/sim/tcp_recovery/byte_counting_does_not_count_what_came_before_a_timeout",
                    test_byte_counting_does_not_count_what_came_before_a_timeout);
    g_test_add_func("/sim/tcp_recovery/no_limited_transmit_when_switched_off",
                    test_no_limited_transmit_when_switched_off);
    g_test_add_func("/sim/tcp_recovery/reno_halves_once_per_window",
                    test_reno_halves_once_per_window);
    g_test_add_func("/sim/tcp_recovery/reno_of_1999_repairs_a_second_hole",
                    test_reno_of_1999_repairs_a_second_hole);
    g_test_add_func("/sim/tcp_recovery/second_loss_later_is_a_second_recovery",
                    test_second_loss_later_is_a_second_recovery);
    g_test_add_func("/sim/tcp_recovery/newreno_repairs_one_hole_per_partial_ack",
                    test_newreno_repairs_one_hole_per_partial_ack);
    g_test_add_func("/sim/tcp_recovery/newreno_deflates_by_what_was_acknowledged",
                    test_newreno_deflates_by_what_was_acknowledged);
    g_test_add_func("/sim/tcp_recovery/newreno_sends_bursts_of_two_in_a_recovery",
                    test_newreno_sends_bursts_of_two_in_a_recovery);
    g_test_add_func("/sim/tcp_recovery/newreno_restarts_its_timer_for_the_first_partial_ack_only",
                    test_newreno_restarts_its_timer_for_the_first_partial_ack_only);
    g_test_add_func("/sim/tcp_recovery/small_windows_halve_to_two_at_least",
                    test_small_windows_halve_to_two_at_least);
    g_test_add_func("/sim/tcp_recovery/every_loss_pattern_is_repaired",
                    test_every_loss_pattern_is_repaired);
    g_test_add_func("/sim/tcp_recovery/an_echo_reduces_the_window_once",
                    test_an_echo_reduces_the_window_once);
    g_test_add_func("/sim/tcp_recovery/the_next_window_is_reduced_again",
                    test_the_next_window_is_reduced_again);
    g_test_add_func("/sim/tcp_recovery/transfers_complete_under_heavy_loss",
                    test_transfers_complete_under_heavy_loss);
    return g_test_run();
}
