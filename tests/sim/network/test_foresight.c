/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/random.h"
#include "sim/network/foresight.h"
#include "sim/network/link.h"
#include "sim/sim_test.h"
#include "weir/units.h"

#define DELAY_NS WEIR_MS(5)

struct rig {
    struct weir__sim sim;
    struct weir__foresight foresight;
    struct weir__packet_counters total;
};

static struct rig *rig_new(void)
{
    struct rig *rig = g_new0(struct rig, 1);
    weir__sim_init(&rig->sim);
    g_assert_cmpint(weir__foresight_init(&rig->foresight), ==, WEIR_OK);
    return rig;
}

static void rig_free(struct rig *rig)
{
    weir__foresight_finish(&rig->foresight);
    g_free(rig);
}

static void add(struct rig *rig, int64_t size_bytes, int64_t send_ns)
{
    g_assert_true(weir__foresight_has_room(&rig->foresight) ||
                  weir__foresight_make_room(&rig->foresight, &rig->sim, DELAY_NS, &rig->total));
    weir__foresight_add(&rig->foresight, &rig->sim, size_bytes, send_ns);
}

static int64_t waiting(struct rig *rig)
{
    weir__foresight_catch_up(&rig->foresight, &rig->sim);
    return weir__foresight_packets(&rig->foresight);
}

static int64_t delivered(struct rig *rig)
{
    weir__foresight_count_out(&rig->foresight, &rig->sim, DELAY_NS, &rig->total);
    return rig->total.delivered_packets;
}

/* Three packets of 10 ms at 0, one at 50 ms: what waits, what is out, when all is sent. */
static void test_services_follow_each_other(void)
{
    static const struct {
        int64_t at_ms, waiting, bytes, delivered;
    } rows[] = {{0, 2, 500, 0}, {9, 2, 500, 0}, {10, 1, 300, 0}, {14, 1, 300, 0}, {15, 1, 300, 1},
                {20, 0, 0, 1},  {25, 0, 0, 2},  {34, 0, 0, 2},   {35, 0, 0, 3},   {1000, 0, 0, 3}};
    struct rig *rig = rig_new();
    add(rig, 100, WEIR_MS(10));
    add(rig, 200, WEIR_MS(10));
    add(rig, 300, WEIR_MS(10));
    g_assert_cmpint(weir__foresight_free_ns(&rig->foresight), ==, WEIR_MS(30));
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_test_message("%" G_GINT64_FORMAT " ms", rows[i].at_ms);
        weir__sim_run_until(&rig->sim, WEIR_MS(rows[i].at_ms));
        g_assert_cmpint(waiting(rig), ==, rows[i].waiting);
        g_assert_cmpint(weir__foresight_bytes(&rig->foresight), ==, rows[i].bytes);
        g_assert_cmpint(delivered(rig), ==, rows[i].delivered);
    }
    g_assert_cmpint(rig->total.delivered_bytes, ==, 600);
    add(rig, 400, WEIR_MS(10));
    g_assert_cmpint(waiting(rig), ==, 0);
    g_assert_cmpint(weir__foresight_free_ns(&rig->foresight), ==, WEIR_MS(1010));
    rig_free(rig);
}

/* Whether somebody asks after each packet or never before the end, all are counted once. */
static void test_it_does_not_matter_when_somebody_asks(void)
{
    const uint64_t seed = 11;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    struct rig *rigs[] = {rig_new(), rig_new()};
    struct weir__random random;
    weir__random_init(&random, seed, 0);
    for (int64_t i = 0; i < 5000; i++) {
        int64_t gap_ns = weir__random_below(&random, WEIR_MS(2));
        int64_t size_bytes = 1 + weir__random_below(&random, 1500);
        for (int k = 0; k < 2; k++) {
            weir__sim_run_until(&rigs[k]->sim, rigs[k]->sim.now_ns + gap_ns);
            add(rigs[k], size_bytes, WEIR_US(size_bytes));
        }
        delivered(rigs[0]);
        g_assert_cmpint(weir__foresight_packets(&rigs[1]->foresight), >=, waiting(rigs[0]));
    }
    g_assert_cmpint(waiting(rigs[0]), ==, waiting(rigs[1]));
    g_assert_cmpint(weir__foresight_bytes(&rigs[0]->foresight), ==,
                    weir__foresight_bytes(&rigs[1]->foresight));
    g_assert_cmpint(delivered(rigs[0]), ==, delivered(rigs[1]));
    g_assert_cmpint(rigs[0]->total.delivered_bytes, ==, rigs[1]->total.delivered_bytes);
    g_assert_cmpint(weir__foresight_free_ns(&rigs[0]->foresight), ==,
                    weir__foresight_free_ns(&rigs[1]->foresight));
    rig_free(rigs[0]);
    rig_free(rigs[1]);
}

/* However many pass: what came out makes room. */
static void test_memory_is_bounded_by_what_is_inside(void)
{
    struct rig *rig = rig_new();
    for (int64_t i = 0; i < 100000; i++) {
        weir__sim_run_until(&rig->sim, WEIR_MS(i));
        add(rig, 1500, WEIR_MS(1));
    }
    g_assert_cmpuint(rig->foresight.capacity, <=, 256);
    g_assert_cmpint(delivered(rig), >=, 99990);
    rig_free(rig);
}

/* A link that foresees, or one that does not. */
struct link_rig {
    struct bench *b;
    struct weir__link link;
};

/* 1 Mbit/s (12 ms for 1500 bytes). */
static struct link_rig *link_rig_new(bool fixed, int64_t delay_ns, int64_t queue_packets)
{
    struct link_rig *rig = g_new0(struct link_rig, 1);
    rig->b = bench_new(COLLECTOR_CAPACITY);
    struct weir__link_config config = {.capacity_bps = WEIR_MBPS(1),
                                       .delay_ns = delay_ns,
                                       .queue = {.limit = {.packets = queue_packets}},
                                       .seed = 1,
                                       .fixed = fixed,
                                       .out = collector_port(&rig->b->out)};
    g_assert_cmpint(weir__link_init(&rig->link, &rig->b->sim, &rig->b->pool, &config), ==, WEIR_OK);
    g_assert_cmpint(rig->link.foresees, ==, fixed);
    return rig;
}

static void link_rig_free(struct link_rig *rig)
{
    weir__link_finish(&rig->link);
    bench_free(rig->b);
    g_free(rig);
}

/* Packets come as they are and through a delay line, on two grids of send times and beside them, so
 * that many arrive in the nanosecond in which another one has been sent. */
static void feed(struct link_rig *rig, struct weir__delay_line *line, struct weir__random *random,
                 int64_t *now_ns, int64_t seq)
{
    bool on_grid = weir__random_chance(random, 0.9);
    *now_ns += on_grid ? WEIR_MS(12) * weir__random_below(random, 3)
                       : weir__random_below(random, WEIR_MS(24));
    weir__sim_run_until(&rig->b->sim, *now_ns);
    int32_t size_bytes = weir__random_chance(random, 0.9) ? 1500 : 40;
    struct weir__packet *packet = bench_packet(rig->b, seq, size_bytes);
    if (weir__random_chance(random, 0.7)) {
        weir__delay_line_push(line, packet, WEIR_MS(7 + 12 * weir__random_below(random, 4)));
    } else {
        weir__link_offer(&rig->link, packet);
    }
}

static void offer_to(void *target, struct weir__packet *packet)
{
    weir__link_offer(target, packet);
}

/* Packet 0 has been sent at 12 ms, when packet 2 comes. Both events are armed at 0, that of the
 * service later: but packet 1 leaves the only place of the queue first. */
static void test_of_a_service_and_an_arrival_armed_together_the_service_is_first(void)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        struct link_rig *rig = link_rig_new(fixed, WEIR_MS(20), 1);
        struct weir__delay_line line;
        struct weir__port to_link = {.on_packet = offer_to, .target = &rig->link};
        weir__delay_line_init(&line, &rig->b->sim, to_link);
        weir__delay_line_push(&line, bench_packet(rig->b, 2, 1500), WEIR_MS(12));
        weir__link_offer(&rig->link, bench_packet(rig->b, 0, 1500));
        weir__link_offer(&rig->link, bench_packet(rig->b, 1, 1500));
        weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
        g_assert_cmpint(rig->link.total.dropped_packets, ==, 0);
        g_assert_cmpuint(rig->b->out.n, ==, 3);
        g_assert_cmpint(rig->b->out.seen[2].at_ns, ==, WEIR_MS(36 + 20));
        link_rig_free(rig);
    }
}

/* `fixed` spares events, and that is all it does. */
static void compare_fixed(uint64_t seed, int64_t delay_ns)
{
    struct link_rig *rigs[2];
    struct weir__delay_line lines[2];
    struct weir__random randoms[2];
    int64_t now_ns[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        rigs[i] = link_rig_new(i == 1, delay_ns, 3);
        struct weir__port to_link = {.on_packet = offer_to, .target = &rigs[i]->link};
        weir__delay_line_init(&lines[i], &rigs[i]->b->sim, to_link);
        weir__random_init(&randoms[i], seed, 7);
    }
    for (int64_t seq = 0; seq < 500; seq++) {
        for (int i = 0; i < 2; i++) {
            feed(rigs[i], &lines[i], &randoms[i], &now_ns[i], seq);
            link_assert_conserved(&rigs[i]->link);
        }
        if (seq % 7 == 0) {
            struct weir__link *a = &rigs[0]->link;
            struct weir__link *b = &rigs[1]->link;
            g_assert_cmpint(weir__link_look(a).packets, ==, weir__link_look(b).packets);
            g_assert_cmpint(weir__link_look(a).wait_ns, ==, weir__link_look(b).wait_ns);
            g_assert_cmpint(weir__link_is_idle(a), ==, weir__link_is_idle(b));
        }
    }
    weir__sim_run_until(&rigs[0]->b->sim, WEIR_SECONDS(100));
    weir__sim_run_until(&rigs[1]->b->sim, WEIR_SECONDS(100));
    g_assert_cmpint(rigs[0]->link.total.dropped_packets, >, 0);
    g_assert_cmpuint(rigs[1]->b->sim.events, <, rigs[0]->b->sim.events);
    g_assert_cmpuint(rigs[0]->b->out.n, ==, rigs[1]->b->out.n);
    for (size_t k = 0; k < rigs[0]->b->out.n; k++) {
        g_assert_cmpint(rigs[0]->b->out.seen[k].seq, ==, rigs[1]->b->out.seen[k].seq);
        g_assert_cmpint(rigs[0]->b->out.seen[k].at_ns, ==, rigs[1]->b->out.seen[k].at_ns);
    }
    link_rig_free(rigs[0]);
    link_rig_free(rigs[1]);
}

static void test_a_fixed_link_does_the_same_with_fewer_events(void)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        g_test_message("seed %" G_GUINT64_FORMAT, seed);
        compare_fixed(seed, WEIR_MS(20));
        compare_fixed(seed, WEIR_MS(5));
        compare_fixed(seed, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/foresight/services_follow_each_other", test_services_follow_each_other);
    g_test_add_func("/sim/foresight/it_does_not_matter_when_somebody_asks",
                    test_it_does_not_matter_when_somebody_asks);
    g_test_add_func("/sim/foresight/memory_is_bounded_by_what_is_inside",
                    test_memory_is_bounded_by_what_is_inside);
    g_test_add_func(
        "/sim/foresight/of_a_service_and_an_arrival_armed_together_the_service_is_first",
        test_of_a_service_and_an_arrival_armed_together_the_service_is_first);
    g_test_add_func("/sim/foresight/a_fixed_link_does_the_same_with_fewer_events",
                    test_a_fixed_link_does_the_same_with_fewer_events);
    return g_test_run();
}
