/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/tcp/hystart.h"
#include "weir/units.h"
#include <glib.h>

/* A round of `n` ACKs, `gap_ms` apart, each with this round trip. Returns the number of the ACK
 * that ends slow start, 0 = none. */
struct rounds {
    struct weir__tcp_hystart hystart;
    int64_t now_ns;
    int64_t una;
    double cwnd_packets;
};

static struct rounds begin(double cwnd_packets)
{
    struct rounds rounds = {.now_ns = WEIR_SECONDS(5), .una = -1, .cwnd_packets = cwnd_packets};
    weir__tcp_hystart_init(&rounds.hystart, 0, rounds.now_ns);
    return rounds;
}

static int round_of(struct rounds *rounds, int n, int64_t gap_ns, int64_t rtt_ns)
{
    int64_t next = rounds->una + 1 + n;
    for (int i = 1; i <= n; i++) {
        rounds->una++;
        struct weir__tcp_hystart_ack ack = {.now_ns = rounds->now_ns,
                                            .rtt_ns = rtt_ns,
                                            .una = rounds->una,
                                            .next = next,
                                            .cwnd_packets = rounds->cwnd_packets};
        if (weir__tcp_hystart_on_ack(&rounds->hystart, &ack)) {
            return i;
        }
        rounds->now_ns += gap_ns;
    }
    rounds->now_ns += WEIR_MS(50); /* no train from one round to the next */
    return 0;
}

/* A round whose first eight ACKs are this late ends with the ninth, or not at all. */
static void test_ends_when_a_round_is_later_than_an_eighth_within_4_and_16_ms(void)
{
    static const struct {
        int64_t rtt_ms;
        int64_t rise_ms;
    } cases[] = {{1, 4}, {10, 4}, {32, 4}, {80, 10}, {128, 16}, {400, 16}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t rtt_ns = WEIR_MS(cases[i].rtt_ms);
        int64_t limit_ns = rtt_ns + WEIR_MS(cases[i].rise_ms);
        struct rounds rounds = begin(20.0);
        g_assert_cmpint(round_of(&rounds, 20, WEIR_MS(3), rtt_ns), ==, 0);
        g_assert_cmpint(round_of(&rounds, 20, WEIR_MS(3), limit_ns), ==, 0);
        g_assert_cmpint(round_of(&rounds, 20, WEIR_MS(3), limit_ns + 1), ==, 9);
    }
}

/* One prompt packet shows that the queue is empty. */
static void test_jitter_alone_does_not_end_it(void)
{
    struct rounds rounds = begin(20.0);
    round_of(&rounds, 20, WEIR_MS(3), WEIR_MS(80));
    for (int i = 0; i < 20; i++) {
        g_assert_cmpint(round_of(&rounds, 1, WEIR_MS(3), WEIR_MS(80)), ==, 0);
        g_assert_cmpint(round_of(&rounds, 8, WEIR_MS(3), WEIR_MS(200)), ==, 0);
    }
}

/* ACKs 1 ms apart; half of 80 + 1 ms is over after the 42nd. */
static void test_ends_when_a_train_lasts_half_of_the_round_trip(void)
{
    struct rounds rounds = begin(64.0);
    g_assert_cmpint(round_of(&rounds, 41, WEIR_MS(1), WEIR_MS(80)), ==, 0);
    g_assert_cmpint(round_of(&rounds, 64, WEIR_MS(1), WEIR_MS(80)), ==, 42);
    g_assert_cmpint(rounds.una, ==, 41 + 41);
}

static void test_acks_further_apart_are_no_train(void)
{
    struct rounds rounds = begin(64.0);
    g_assert_cmpint(round_of(&rounds, 200, WEIR_MS(2) + 1, WEIR_MS(80)), ==, 0);
    g_assert_cmpint(round_of(&rounds, 200, WEIR_MS(2), WEIR_MS(80)), >, 0);
}

static void test_small_windows_are_left_alone(void)
{
    struct rounds rounds = begin(15.9);
    round_of(&rounds, 20, WEIR_MS(1), WEIR_MS(20));
    g_assert_cmpint(round_of(&rounds, 100, WEIR_MS(1), WEIR_MS(500)), ==, 0);
    rounds.cwnd_packets = 16.0;
    g_assert_cmpint(round_of(&rounds, 100, WEIR_MS(1), WEIR_MS(500)), >, 0);
}

/* Karn: it is unknown which of the two is acknowledged. */
static void test_packets_sent_twice_say_nothing(void)
{
    struct rounds rounds = begin(64.0);
    round_of(&rounds, 20, WEIR_MS(3), WEIR_MS(20));
    g_assert_cmpint(round_of(&rounds, 200, WEIR_MS(1), WEIR_UNKNOWN_NS), ==, 0);
    g_assert_cmpint(rounds.hystart.rtt_min_ns, ==, WEIR_MS(20));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_hystart/ends_when_a_round_is_later_than_an_eighth_within_4_and_16_ms",
                    test_ends_when_a_round_is_later_than_an_eighth_within_4_and_16_ms);
    g_test_add_func("/sim/tcp_hystart/jitter_alone_does_not_end_it",
                    test_jitter_alone_does_not_end_it);
    g_test_add_func("/sim/tcp_hystart/ends_when_a_train_lasts_half_of_the_round_trip",
                    test_ends_when_a_train_lasts_half_of_the_round_trip);
    g_test_add_func("/sim/tcp_hystart/acks_further_apart_are_no_train",
                    test_acks_further_apart_are_no_train);
    g_test_add_func("/sim/tcp_hystart/small_windows_are_left_alone",
                    test_small_windows_are_left_alone);
    g_test_add_func("/sim/tcp_hystart/packets_sent_twice_say_nothing",
                    test_packets_sent_twice_say_nothing);
    return g_test_run();
}
