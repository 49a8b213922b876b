/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/l4s_queue.h"
#include "weir/units.h"

#define RTT_NS    WEIR_MS(50)
#define PACKET_NS WEIR_MS(2)
#define LONG_NS   (WEIR_MS(9) + 1) /* 3 ms and three packets */

/* A round trip with twenty packets that all wait; the first of them are marked. */
static void pass_round(struct weir__l4s_queue *queue, int64_t round, int marked, int64_t wait_ns)
{
    for (int i = 0; i < 20; i++) {
        weir__l4s_queue_on_packet(queue, i < marked ? WEIR_ECN_CE : WEIR_ECN_ECT1, wait_ns,
                                  PACKET_NS);
    }
    weir__l4s_queue_step(queue, round * RTT_NS, RTT_NS);
}

static void test_unmarked_packets_must_arrive_as_ect1(void)
{
    static const struct {
        enum weir_ecn ecn;
        bool is_l4s;
    } steps[] = {
        {WEIR_ECN_CE, false},      {WEIR_ECN_ECT1, true}, {WEIR_ECN_CE, true},
        {WEIR_ECN_ECT0, false},    {WEIR_ECN_CE, false},  {WEIR_ECN_ECT1, true},
        {WEIR_ECN_NOT_ECT, false},
    };
    struct weir__l4s_queue queue = {0};
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        weir__l4s_queue_on_packet(&queue, steps[i].ecn, 0, PACKET_NS);
        g_assert_true(weir__l4s_queue_is(&queue) == steps[i].is_l4s);
    }
}

/* Of what waits so long, in 40 round trips. */
static void test_who_lets_long_waits_pass_is_classic(void)
{
    static const struct {
        const char *queue;
        int64_t wait_ns;
        int marked; /* of 20 */
        bool is_l4s;
    } rows[] = {
        {"the step of an L4S queue", LONG_NS, 20, true},
        {"below its step", LONG_NS - 1, 0, true},
        {"marks of its coupling", WEIR_MS(1), 3, true},
        {"an L4S queue that now and then marks too late", LONG_NS, 11, true},
        {"CoDel: one mark in 20 packets", LONG_NS, 1, false},
        {"no marks", LONG_NS, 0, false},
        {"an unresponsive flow in PIE", WEIR_MS(500), 9, false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__l4s_queue queue = {.is_ect1 = true};
        for (int64_t round = 1; round <= 40; round++) {
            pass_round(&queue, round, rows[i].marked, rows[i].wait_ns);
        }
        g_test_message("%s", rows[i].queue);
        g_assert_true(weir__l4s_queue_is(&queue) == rows[i].is_l4s);
    }
}

static void test_what_cannot_be_marked_tells_nothing(void)
{
    struct weir__l4s_queue queue = {.is_ect1 = true};
    for (int64_t round = 1; round <= 40; round++) {
        weir__l4s_queue_on_packet(&queue, WEIR_ECN_NOT_ECT, LONG_NS, PACKET_NS);
        weir__l4s_queue_step(&queue, round * RTT_NS, RTT_NS);
    }
    g_assert_cmpfloat(queue.unmarked, ==, 0.0);
    g_assert_false(weir__l4s_queue_is(&queue));
    weir__l4s_queue_on_packet(&queue, WEIR_ECN_ECT1, 0, PACKET_NS);
    g_assert_true(weir__l4s_queue_is(&queue));
}

/* (15/16)^11 is the first power below one half: a receiver that stalls for ten is believed. */
static void test_it_takes_eleven_round_trips_either_way(void)
{
    struct weir__l4s_queue queue = {.is_ect1 = true};
    int64_t round = 0;
    for (int i = 1; i <= 11; i++) {
        g_assert_true(i == 1 || weir__l4s_queue_is(&queue));
        pass_round(&queue, ++round, 0, LONG_NS);
    }
    g_assert_false(weir__l4s_queue_is(&queue));
    for (int i = 0; i < 100; i++) {
        pass_round(&queue, ++round, 0, LONG_NS);
    }
    assert_near(queue.unmarked, 1.0, 0.002);
    for (int i = 1; i <= 11; i++) {
        g_assert_false(weir__l4s_queue_is(&queue));
        pass_round(&queue, ++round, 20, LONG_NS);
    }
    g_assert_true(weir__l4s_queue_is(&queue));
}

static void test_feedback_within_a_round_trip_counts_together(void)
{
    struct weir__l4s_queue queue = {.is_ect1 = true};
    for (int i = 1; i <= 20; i++) {
        weir__l4s_queue_on_packet(&queue, i % 2 ? WEIR_ECN_CE : WEIR_ECN_ECT1, LONG_NS, PACKET_NS);
        weir__l4s_queue_step(&queue, RTT_NS * i / 20, RTT_NS);
    }
    assert_near(queue.unmarked, 0.5 / 16.0, 1e-12);
    pass_round(&queue, 2, 0, 0);
    assert_near(queue.unmarked, 0.5 / 16.0, 1e-12); /* nothing waited, nothing to learn */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/l4s_queue/unmarked_packets_must_arrive_as_ect1",
                    test_unmarked_packets_must_arrive_as_ect1);
    g_test_add_func("/l4s_queue/who_lets_long_waits_pass_is_classic",
                    test_who_lets_long_waits_pass_is_classic);
    g_test_add_func("/l4s_queue/what_cannot_be_marked_tells_nothing",
                    test_what_cannot_be_marked_tells_nothing);
    g_test_add_func("/l4s_queue/it_takes_eleven_round_trips_either_way",
                    test_it_takes_eleven_round_trips_either_way);
    g_test_add_func("/l4s_queue/feedback_within_a_round_trip_counts_together",
                    test_feedback_within_a_round_trip_counts_together);
    return g_test_run();
}
