/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/queue_codel.h"
#include "sim/sim_test.h"
#include "weir/receiver.h"
#include "weir/units.h"

struct rig {
    struct bench *b;
    struct weir__codel codel;
    struct weir__codel_config config;
    struct weir__queue_fifo fifo;
    struct weir__packet_list dropped;
    int64_t in;
};

static void rig_init(struct rig *rig)
{
    *rig = (struct rig){.b = bench_new(5000)};
    weir__codel_config_default(&rig->config);
}

static void push(struct rig *rig, int64_t now_ns, uint8_t ecn)
{
    struct weir__packet *packet = bench_packet(rig->b, rig->in++, 1500);
    packet->ecn = ecn;
    weir__queue_fifo_push(&rig->fifo, packet, now_ns);
}

/* Pops, gives all back; returns the number of packets dropped. *sent: the number of the packet that
 * was sent, -1 for none. */
static int pop(struct rig *rig, int64_t now_ns, int64_t *sent, bool *marked)
{
    int dropped = 0;
    struct weir__packet *packet =
        weir__codel_pop(&rig->codel, &rig->config, &rig->fifo, &rig->dropped, now_ns);
    *sent = packet ? packet->seq : -1;
    *marked = packet && packet->ecn == WEIR_ECN_CE;
    if (packet) {
        weir__packet_give(&rig->b->pool, packet);
    }
    for (struct weir__packet *p = weir__packet_list_pop(&rig->dropped); p;
         p = weir__packet_list_pop(&rig->dropped)) {
        weir__packet_give(&rig->b->pool, p);
        dropped++;
    }
    return dropped;
}

/* RFC 8289 5.2: interval / sqrt(count). */
static void test_control_law_has_the_values_of_the_rfc(void)
{
    static const struct {
        int64_t count, after_ns;
    } cases[] = {{1, 100000000}, {2, 70710678},  {3, 57735026},   {4, 50000000},
                 {9, 33333333},  {16, 25000000}, {100, 10000000}, {10000, 1000000}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpint(weir__codel_control_law_ns(WEIR_SECONDS(7), WEIR_MS(100), cases[i].count),
                        ==, WEIR_SECONDS(7) + cases[i].after_ns);
    }
}

/* Packets that all wait for 50 ms, one sent each millisecond: above the target from the first on,
 * dropping begins an interval later, and the drops follow the control law. */
static void test_drops_come_ever_closer_together(void)
{
    struct rig rig;
    int64_t drops_ns[32];
    int n = 0;
    rig_init(&rig);
    for (int64_t ms = -50; ms < 1000; ms++) {
        push(&rig, WEIR_MS(ms), WEIR_ECN_NOT_ECT);
        push(&rig, WEIR_MS(ms), WEIR_ECN_NOT_ECT); /* enough to drop */
    }
    int64_t next_ns = 0;
    for (int64_t us = 0; us < 900000; us += 500) {
        int64_t sent = -1;
        bool marked = false;
        /* the head of the queue is as old as if it were kept at 50 ms */
        if (rig.fifo.list.head) {
            rig.fifo.list.head->queued_ns = WEIR_US(us) - WEIR_MS(50);
            if (rig.fifo.list.head->next) {
                rig.fifo.list.head->next->queued_ns = WEIR_US(us) - WEIR_MS(50);
            }
        }
        for (int k = pop(&rig, WEIR_US(us), &sent, &marked); k > 0; k--) {
            g_assert_cmpint(n, <, 32);
            drops_ns[n++] = WEIR_US(us);
        }
        g_assert_cmpint(sent, >=, 0);
    }
    g_assert_cmpint(n, >, 15);
    g_assert_cmpint(drops_ns[0], ==, WEIR_MS(100));
    next_ns = drops_ns[0];
    for (int i = 1; i < n; i++) {
        next_ns = weir__codel_control_law_ns(next_ns, WEIR_MS(100), i);
        g_assert_cmpint(drops_ns[i], >=, next_ns);
        g_assert_cmpint(drops_ns[i], <, next_ns + WEIR_US(500)); /* with the next packet */
    }
    bench_free(rig.b);
}

static void test_a_short_wait_or_a_single_packet_is_left_alone(void)
{
    struct rig rig;
    int64_t sent = 0;
    bool marked = false;
    rig_init(&rig);
    for (int64_t ms = 0; ms < 2000; ms++) { /* each waits 4.9 ms, behind others */
        push(&rig, WEIR_MS(ms), WEIR_ECN_NOT_ECT);
        if (ms >= 5) {
            g_assert_cmpint(pop(&rig, WEIR_MS(ms) - WEIR_US(100), &sent, &marked), ==, 0);
        }
    }
    while (rig.fifo.packets > 0) {
        pop(&rig, WEIR_MS(2000), &sent, &marked);
    }
    for (int64_t i = 0; i < 50; i++) { /* each waits a second, with one more behind it */
        push(&rig, WEIR_SECONDS(3 + i), WEIR_ECN_NOT_ECT);
        push(&rig, WEIR_SECONDS(3 + i), WEIR_ECN_NOT_ECT);
        g_assert_cmpint(pop(&rig, WEIR_SECONDS(4 + i), &sent, &marked), ==, 0);
        g_assert_cmpint(pop(&rig, WEIR_SECONDS(4 + i), &sent, &marked), ==, 0);
    }
    g_assert_cmpint(pop(&rig, WEIR_SECONDS(100), &sent, &marked), ==, 0);
    g_assert_cmpint(sent, ==, -1);
    bench_free(rig.b);
}

/* RFC 8289 5.5: a row that begins soon after another goes on with its rate, a late one does not. */
static void test_a_new_row_remembers_the_last_one(void)
{
    static const struct {
        int64_t pause_ms, count;
    } cases[] = {{100, 6}, {1500, 6}, {1700, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig;
        int64_t sent = 0;
        bool marked = false;
        rig_init(&rig);
        int64_t now_ns = WEIR_SECONDS(10);
        rig.codel = (struct weir__codel){.count = 7,
                                         .last_count = 1,
                                         .drop_next_ns = now_ns - WEIR_MS(cases[i].pause_ms),
                                         .first_above_ns = now_ns};
        for (int k = 0; k < 5; k++) {
            push(&rig, 0, WEIR_ECN_NOT_ECT);
        }
        g_assert_cmpint(pop(&rig, now_ns, &sent, &marked), ==, 1);
        g_assert_cmpint(sent, ==, 1);
        g_assert_true(rig.codel.dropping);
        g_assert_cmpint(rig.codel.count, ==, cases[i].count);
        g_assert_cmpint(rig.codel.last_count, ==, cases[i].count);
        g_assert_cmpint(rig.codel.drop_next_ns, ==,
                        weir__codel_control_law_ns(now_ns, WEIR_MS(100), cases[i].count));
        bench_free(rig.b);
    }
}

/* A link that was out for long has many drops due at once. */
static void test_drops_that_are_due_happen_together(void)
{
    struct rig rig;
    int64_t sent = 0;
    bool marked = false;
    rig_init(&rig);
    rig.codel = (struct weir__codel){
        .count = 1, .drop_next_ns = WEIR_SECONDS(1), .first_above_ns = 1, .dropping = true};
    for (int k = 0; k < 10; k++) {
        push(&rig, 0, WEIR_ECN_NOT_ECT);
    }
    /* due at 1, 1.0707, 1.1284 and 1.1784 s */
    g_assert_cmpint(pop(&rig, WEIR_MS(1150), &sent, &marked), ==, 3);
    g_assert_cmpint(sent, ==, 3);
    g_assert_cmpint(rig.codel.count, ==, 4);
    g_assert_cmpint(rig.codel.drop_next_ns, ==, WEIR_SECONDS(1) + 70710678 + 57735026 + 50000000);
    bench_free(rig.b);
}

static void test_capable_packets_are_marked_when_asked(void)
{
    for (uint8_t ecn = WEIR_ECN_NOT_ECT; ecn <= WEIR_ECN_ECT0; ecn++) {
        bool is_capable = ecn != WEIR_ECN_NOT_ECT;
        struct rig rig;
        int dropped = 0;
        int marks = 0;
        rig_init(&rig);
        rig.config.mark_ecn = true;
        for (int k = 0; k < 2000; k++) {
            push(&rig, 0, ecn);
        }
        for (int64_t ms = 100; ms < 1100; ms++) {
            int64_t sent = 0;
            bool marked = false;
            dropped += pop(&rig, WEIR_MS(ms), &sent, &marked);
            marks += marked;
        }
        g_assert_cmpint(is_capable ? marks : dropped, >, 15);
        g_assert_cmpint(is_capable ? dropped : marks, ==, 0);
        bench_free(rig.b);
    }
}

/* A queue of two seconds, a packet sent each ms: the first may go when it has been long for an
 * interval, and the k-th interval / sqrt(k - 1) after the one before it. */
static void test_marks_come_when_drops_would(void)
{
    static const int64_t marks_ms[] = {200, 300, 371, 429, 479, 524, 564, 602};
    for (uint8_t ecn = WEIR_ECN_ECT1; ecn <= WEIR_ECN_CE; ecn++) {
        struct rig rig;
        size_t n = 0;
        rig_init(&rig);
        rig.config.mark_ecn = true;
        for (int k = 0; k < 2000; k++) {
            push(&rig, 0, ecn);
        }
        for (int64_t ms = 100; ms <= 602; ms++) {
            int64_t sent = 0;
            int64_t count = rig.codel.count;
            bool marked = false;
            g_assert_cmpint(pop(&rig, WEIR_MS(ms), &sent, &marked), ==, 0);
            g_assert_cmpint(sent, ==, ms - 100);
            if (ecn == WEIR_ECN_CE ? rig.codel.count > count : marked) {
                g_assert_cmpint(ms, ==, marks_ms[n++]);
            }
        }
        g_assert_cmpuint(n, ==, G_N_ELEMENTS(marks_ms));
        bench_free(rig.b);
    }
}

static void test_values_outside_their_range_are_refused(void)
{
    struct weir__codel_config bad[4];
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        weir__codel_config_default(&bad[i]);
        g_assert_cmpint(weir__codel_check(&bad[i]), ==, WEIR_OK);
    }
    bad[0].target_ns = 0;
    bad[1].interval_ns = 0;
    bad[2].interval_ns = WEIR_SECONDS(3601);
    bad[3].max_packet_bytes = -1;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__codel_check(&bad[i]), ==, WEIR_ERROR_RANGE);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/queue_codel/control_law_has_the_values_of_the_rfc",
                    test_control_law_has_the_values_of_the_rfc);
    g_test_add_func("/sim/queue_codel/drops_come_ever_closer_together",
                    test_drops_come_ever_closer_together);
    g_test_add_func("/sim/queue_codel/a_short_wait_or_a_single_packet_is_left_alone",
                    test_a_short_wait_or_a_single_packet_is_left_alone);
    g_test_add_func("/sim/queue_codel/a_new_row_remembers_the_last_one",
                    test_a_new_row_remembers_the_last_one);
    g_test_add_func("/sim/queue_codel/drops_that_are_due_happen_together",
                    test_drops_that_are_due_happen_together);
    g_test_add_func("/sim/queue_codel/capable_packets_are_marked_when_asked",
                    test_capable_packets_are_marked_when_asked);
    g_test_add_func("/sim/queue_codel/marks_come_when_drops_would",
                    test_marks_come_when_drops_would);
    g_test_add_func("/sim/queue_codel/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
