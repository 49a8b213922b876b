/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/queue.h"
#include "sim/sim_test.h"
#include "weir/receiver.h"
#include "weir/units.h"

static struct weir__queue make(enum weir__queue_discipline discipline, int64_t limit_packets)
{
    struct weir__queue_config config;
    struct weir__queue queue;
    weir__queue_config_default(&config);
    config.discipline = discipline;
    config.limit.packets = limit_packets;
    config.red.min_packets = 5;
    config.red.byte_mode = false;
    config.red.mean_packet_bytes = 1500;
    config.red.weight = 0.2;
    g_assert_cmpint(weir__queue_init(&queue, &config, WEIR_MBPS(1), 0), ==, WEIR_OK);
    g_assert_cmpint(weir__queue_check(&config, WEIR_MBPS(1), 0), ==, WEIR_OK);
    return queue;
}

static void test_packets_leave_in_the_order_they_came(void)
{
    struct bench *b = bench_new(100);
    struct weir__queue queue = make(WEIR__QUEUE_DROPTAIL, 50);
    int64_t in = 0;
    int64_t out = 0;
    int64_t bytes = 0;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < round % 5; i++) {
            struct weir__packet *packet = bench_packet(b, in, (int32_t)(100 + in % 900));
            if (weir__queue_push(&queue, packet, 0, WEIR_MBPS(1), NULL)) {
                bytes += packet->size_bytes;
                in++;
            } else {
                g_assert_cmpint(queue.packets, ==, 50);
                weir__packet_give(&b->pool, packet);
            }
        }
        for (int i = 0; i < round % 4; i++) {
            struct weir__packet *packet = weir__queue_pop(&queue, 0);
            if (packet) {
                g_assert_cmpint(packet->seq, ==, out++);
                bytes -= packet->size_bytes;
                weir__packet_give(&b->pool, packet);
            }
        }
        g_assert_cmpint(queue.packets, ==, in - out);
        g_assert_cmpint(queue.bytes, ==, bytes);
    }
    bench_free(b);
}

static void test_droptail_drops_the_arriving_packet_at_its_limit(void)
{
    struct bench *b = bench_new(100);
    struct weir__queue queue = make(WEIR__QUEUE_DROPTAIL, 7);
    for (int64_t i = 0; i < 20; i++) {
        struct weir__packet *packet = bench_packet(b, i, 1500);
        g_assert_cmpint(weir__queue_push(&queue, packet, 0, WEIR_MBPS(1), NULL), ==, i < 7);
    }
    g_assert_cmpint(weir__queue_pop(&queue, 0)->seq, ==, 0);
    bench_free(b);
}

/* Keeps the queue at ten packets and counts what RED does. */
static void run_red(struct weir__queue *queue, struct bench *b, uint8_t ecn, int *dropped,
                    int *marked)
{
    struct weir__random random;
    weir__random_init(&random, 5, 0);
    for (int64_t i = 0; i < 2000; i++) {
        struct weir__packet *packet = bench_packet(b, i, 1500);
        packet->ecn = ecn;
        if (!weir__queue_push(queue, packet, WEIR_MS(12 * i), WEIR_MBPS(1), &random)) {
            (*dropped)++;
            weir__packet_give(&b->pool, packet);
        } else if (packet->ecn == WEIR_ECN_CE) {
            (*marked)++;
        }
        while (queue->packets > 10) {
            weir__packet_give(&b->pool, weir__queue_pop(queue, WEIR_MS(12 * i)));
        }
    }
}

static void test_red_drops_before_the_queue_is_full(void)
{
    struct bench *b = bench_new(100);
    struct weir__queue queue = make(WEIR__QUEUE_RED, 50);
    int dropped = 0;
    int marked = 0;
    run_red(&queue, b, WEIR_ECN_ECT0, &dropped, &marked);
    g_assert_cmpint(dropped, >, 20);
    g_assert_cmpint(marked, ==, 0);
    bench_free(b);
}

static void test_red_marks_capable_packets_when_asked(void)
{
    for (uint8_t ecn = WEIR_ECN_NOT_ECT; ecn <= WEIR_ECN_ECT0; ecn++) {
        bool is_capable = ecn != WEIR_ECN_NOT_ECT;
        struct bench *b = bench_new(100);
        struct weir__queue queue = make(WEIR__QUEUE_RED, 50);
        int dropped = 0;
        int marked = 0;
        queue.red.config.mark_ecn = true;
        run_red(&queue, b, ecn, &dropped, &marked);
        g_assert_cmpint(is_capable ? marked : dropped, >, 20);
        g_assert_cmpint(is_capable ? dropped : marked, ==, 0);
        bench_free(b);
    }
}

static void test_red_keeps_the_limit_too(void)
{
    struct bench *b = bench_new(200);
    struct weir__queue queue = make(WEIR__QUEUE_RED, 8);
    struct weir__random random;
    weir__random_init(&random, 5, 0);
    for (int64_t i = 0; i < 100; i++) {
        weir__queue_push(&queue, bench_packet(b, i, 1500), 0, WEIR_MBPS(1), &random);
        g_assert_cmpint(queue.packets, <=, 8);
    }
    bench_free(b);
}

static void test_red_counts_idle_time_from_the_empty_pop(void)
{
    struct bench *b = bench_new(4);
    struct weir__queue queue = make(WEIR__QUEUE_RED, 50);
    struct weir__random random;
    weir__random_init(&random, 5, 0);
    g_assert_true(weir__queue_push(&queue, bench_packet(b, 0, 1500), 0, WEIR_MBPS(1), &random));
    g_assert_false(queue.red.idle);
    g_assert_nonnull(weir__queue_pop(&queue, WEIR_MS(1)));
    g_assert_false(queue.red.idle);
    g_assert_null(weir__queue_pop(&queue, WEIR_MS(13)));
    g_assert_true(queue.red.idle);
    g_assert_cmpint(queue.red.idle_since_ns, ==, WEIR_MS(13));
    bench_free(b);
}

/* Gives back what the queue dropped from inside. */
static int64_t take_dropped(struct bench *b, struct weir__queue *queue)
{
    int64_t dropped = 0;
    for (struct weir__packet *p = weir__packet_list_pop(&queue->dropped); p;
         p = weir__packet_list_pop(&queue->dropped)) {
        dropped++;
        weir__packet_give(&b->pool, p);
    }
    return dropped;
}

/* Twice the capacity for 20 s: what was pushed is popped, dropped or still there, and bytes and
 * packets say how much of it. */
static void test_every_discipline_accounts_for_its_packets(void)
{
    for (int d = 0; d < WEIR__QUEUE_DISCIPLINES; d++) {
        struct bench *b = bench_new(200);
        struct weir__queue queue = make((enum weir__queue_discipline)d, 50);
        struct weir__random random;
        int64_t refused = 0;
        int64_t dropped = 0;
        int64_t popped = 0;
        weir__random_init(&random, 5, 0);
        for (int64_t i = 0; i < 4000; i++) {
            struct weir__packet *packet = bench_packet(b, i, (int32_t)(100 + i % 1400));
            packet->flow = (uint32_t)i % 3;
            if (!weir__queue_push(&queue, packet, WEIR_MS(5 * i), WEIR_MBPS(1), &random)) {
                refused++;
                weir__packet_give(&b->pool, packet);
            }
            dropped += take_dropped(b, &queue);
            packet = i % 2 ? weir__queue_pop(&queue, WEIR_MS(5 * i)) : NULL;
            if (packet) {
                popped++;
                weir__packet_give(&b->pool, packet);
            }
            dropped += take_dropped(b, &queue);
            g_assert_cmpint(queue.packets, <=, 50);
            g_assert_cmpint(queue.packets, ==, i + 1 - refused - dropped - popped);
        }
        g_assert_cmpint(refused + dropped, >, 1000);
        g_assert_true((dropped > 0) == weir__queue_drops_inside(&queue));
        g_assert_true((refused > 0) == (d != WEIR__QUEUE_FQ_CODEL && d != WEIR__QUEUE_DUALPI2));
        for (struct weir__packet *p = weir__queue_take(&queue); p; p = weir__queue_take(&queue)) {
            queue.packets--;
            queue.bytes -= p->size_bytes;
            weir__packet_give(&b->pool, p);
        }
        g_assert_cmpint(queue.packets, ==, 0);
        g_assert_cmpint(queue.bytes, ==, 0);
        g_assert_cmpuint(b->pool.used_packets, ==, 0);
        weir__queue_finish(&queue);
        bench_free(b);
    }
}

static void test_queue_without_any_limit_is_refused(void)
{
    static const struct weir__queue_limit bad[] = {
        {.packets = 0}, {.packets = -1}, {.packets = 5, .bytes = -1}, {.bytes = 5, .time_ns = -1}};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        struct weir__queue queue;
        struct weir__queue_config config = {.limit = bad[i]};
        g_assert_cmpint(weir__queue_init(&queue, &config, WEIR_MBPS(1), 0), ==, WEIR_ERROR_RANGE);
    }
}

static void test_bad_parameters_of_disciplines_are_refused(void)
{
    struct weir__queue queue;
    const enum weir__queue_discipline with_parameters[] = {WEIR__QUEUE_RED, WEIR__QUEUE_CODEL,
                                                           WEIR__QUEUE_FQ_CODEL, WEIR__QUEUE_PIE,
                                                           WEIR__QUEUE_DUALPI2};
    for (size_t i = 0; i < G_N_ELEMENTS(with_parameters); i++) { /* all zero */
        struct weir__queue_config config = {.discipline = with_parameters[i],
                                            .limit = {.packets = 10}};
        g_assert_cmpint(weir__queue_init(&queue, &config, WEIR_MBPS(1), 0), ==, WEIR_ERROR_RANGE);
        g_assert_cmpint(weir__queue_check(&config, WEIR_MBPS(1), 0), ==, WEIR_ERROR_RANGE);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/queue/packets_leave_in_the_order_they_came",
                    test_packets_leave_in_the_order_they_came);
    g_test_add_func("/sim/queue/droptail_drops_the_arriving_packet_at_its_limit",
                    test_droptail_drops_the_arriving_packet_at_its_limit);
    g_test_add_func("/sim/queue/red_drops_before_the_queue_is_full",
                    test_red_drops_before_the_queue_is_full);
    g_test_add_func("/sim/queue/red_marks_capable_packets_when_asked",
                    test_red_marks_capable_packets_when_asked);
    g_test_add_func("/sim/queue/red_keeps_the_limit_too", test_red_keeps_the_limit_too);
    g_test_add_func("/sim/queue/red_counts_idle_time_from_the_empty_pop",
                    test_red_counts_idle_time_from_the_empty_pop);
    g_test_add_func("/sim/queue/queue_without_any_limit_is_refused",
                    test_queue_without_any_limit_is_refused);
    g_test_add_func("/sim/queue/every_discipline_accounts_for_its_packets",
                    test_every_discipline_accounts_for_its_packets);
    g_test_add_func("/sim/queue/bad_parameters_of_disciplines_are_refused",
                    test_bad_parameters_of_disciplines_are_refused);
    return g_test_run();
}
