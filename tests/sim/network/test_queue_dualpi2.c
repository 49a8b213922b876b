/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/queue_dualpi2.h"
#include "sim/sim_test.h"
#include "weir/receiver.h"
#include "weir/units.h"

struct rig {
    struct bench *b;
    struct weir__dualpi2_config config;
    struct weir__dualpi2 dual;
    int64_t in;
    int64_t now_ns;
};

struct counts {
    int packets, marked, dropped;
};

static void rig_init(struct rig *rig)
{
    *rig = (struct rig){.b = bench_new(5000)};
    weir__dualpi2_config_default(&rig->config);
    g_assert_cmpint(weir__dualpi2_init(&rig->dual, &rig->config), ==, WEIR_OK);
}

static void push(struct rig *rig, uint8_t ecn)
{
    struct weir__packet *packet = bench_packet(rig->b, rig->in++, 1500);
    packet->ecn = ecn;
    weir__dualpi2_push(&rig->dual, packet, rig->now_ns);
}

/* Counts what comes out. */
static void pop(struct rig *rig, struct counts *counts)
{
    struct weir__packet_list dropped = {.head = NULL};
    struct weir__packet *packet = weir__dualpi2_pop(&rig->dual, &dropped, rig->now_ns);
    if (packet) {
        counts->packets++;
        counts->marked += packet->ecn == WEIR_ECN_CE;
        weir__packet_give(&rig->b->pool, packet);
    }
    for (packet = weir__packet_list_pop(&dropped); packet;
         packet = weir__packet_list_pop(&dropped)) {
        counts->dropped++;
        weir__packet_give(&rig->b->pool, packet);
    }
}

/* A thousand packets that wait for nothing, at a base probability that stays. */
static struct counts run_at(struct rig *rig, double base, uint8_t ecn)
{
    struct counts counts = {0};
    rig->dual.base = base;
    rig->dual.next_ns = WEIR_SECONDS(1);
    for (int i = 0; i < 1000; i++) {
        push(rig, ecn);
        pop(rig, &counts);
    }
    return counts;
}

/* RFC 9332 A.1: alpha 0.1 * 15 ms / (100 ms)^2, beta 0.3 / 100 ms. */
static void test_base_follows_the_pi_controller(void)
{
    static const struct {
        double base;
        int64_t wait_ms, last_ms;
        double next;
    } cases[] = {
        {0.0, 15, 15, 0.0},    {0.1, 15, 15, 0.1},    {0.1, 25, 25, 0.1015}, /* 0.15 Hz * 10 ms */
        {0.1, 15, 5, 0.13},                                                  /* 3 Hz * 10 ms */
        {0.1, 25, 15, 0.1315}, {0.1, 0, 20, 0.03775}, {0.01, 0, 15, 0.0},    {0.9, 500, 15, 1.0},
    };
    struct weir__dualpi2_config config;
    weir__dualpi2_config_default(&config);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_near(weir__dualpi2_next_base(&config, cases[i].base, WEIR_MS(cases[i].wait_ms),
                                            WEIR_MS(cases[i].last_ms)),
                    cases[i].next, 1e-12);
    }
}

/* p_CL = k p' of L4S packets, p_C = p'^2 of the others, with k = 2: RFC 9332 2.1. */
static void test_coupling_marks_twice_the_root_of_the_classic_share(void)
{
    static const double bases[] = {0.0, 0.05, 0.1, 0.2, 0.3, 0.4};
    for (size_t i = 0; i < G_N_ELEMENTS(bases); i++) {
        double p = bases[i];
        struct rig rig;
        rig_init(&rig);
        assert_near(weir__dualpi2_coupled(&rig.config, p), 2.0 * p, 1e-12);
        assert_near(weir__dualpi2_classic(p), p * p, 1e-12);
        struct counts l4s = run_at(&rig, p, WEIR_ECN_ECT1);
        struct counts ect0 = run_at(&rig, p, WEIR_ECN_ECT0);
        struct counts none = run_at(&rig, p, WEIR_ECN_NOT_ECT);
        assert_near(l4s.marked, 2000.0 * p, 1.5);
        assert_near(ect0.marked, 1000.0 * p * p, 1.5);
        assert_near(none.dropped, 1000.0 * p * p, 1.5);
        g_assert_cmpint(l4s.dropped + ect0.dropped + none.marked, ==, 0);
        bench_free(rig.b);
    }
}

/* RFC 9332 A.2: from p' = 1/k on L4S packets are dropped as well, and nothing classic is marked. */
static void test_overload_drops_whatever_the_codepoint(void)
{
    for (uint8_t ecn = WEIR_ECN_NOT_ECT; ecn <= WEIR_ECN_CE; ecn++) {
        struct rig rig;
        rig_init(&rig);
        struct counts counts = run_at(&rig, 0.6, ecn);
        bool is_l4s = ecn == WEIR_ECN_ECT1 || ecn == WEIR_ECN_CE;
        assert_near(counts.dropped, 360.0, 1.5);
        g_assert_cmpint(counts.packets, ==, 1000 - counts.dropped);
        g_assert_cmpint(counts.marked, ==, is_l4s ? counts.packets : 0);
        bench_free(rig.b);
    }
}

/* Each queue counts for itself (recur(lq, p_C)): also where each fourth packet is a classic one,
 * and each fourth is dropped, those are not the same. */
static void test_overload_drops_as_many_of_both_queues(void)
{
    struct rig rig;
    struct counts counts = {0};
    rig_init(&rig);
    rig.dual.config.classic_share = 0.25;
    for (int i = 0; i < 2000; i++) {
        push(&rig, WEIR_ECN_ECT1);
        push(&rig, WEIR_ECN_ECT0);
    }
    rig.dual.base = 0.5;
    while (rig.dual.l4s.packets > 0) {
        pop(&rig, &counts);
    }
    const struct weir__dualpi2_counts *of = &rig.dual.counts;
    assert_near((double)of->l4s.dropped_packets / 2000.0, 0.25, 0.01);
    int64_t classic_packets = of->classic.sent_packets + of->classic.dropped_packets;
    assert_near((double)classic_packets, 2000.0 / 3.0, 2.0);
    assert_near((double)of->classic.dropped_packets / (double)classic_packets, 0.25, 0.01);
    bench_free(rig.b);
}

/* RFC 9332 A.1: more than a millisecond marks, if more than one packet stays behind; CE stays what
 * it is. */
static void test_l4s_packet_is_marked_from_the_step_on(void)
{
    static const struct {
        int64_t wait_us;
        int behind;
        uint8_t ecn;
        int marked;
    } cases[] = {
        {1000, 3, WEIR_ECN_ECT1, 0}, {1001, 3, WEIR_ECN_ECT1, 1}, {1001, 2, WEIR_ECN_ECT1, 1},
        {1001, 1, WEIR_ECN_ECT1, 0}, {5000, 3, WEIR_ECN_ECT0, 0}, {5000, 3, WEIR_ECN_NOT_ECT, 0},
        {0, 0, WEIR_ECN_CE, 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig;
        struct counts counts = {0};
        rig_init(&rig);
        for (int n = 0; n <= cases[i].behind; n++) {
            push(&rig, cases[i].ecn);
        }
        rig.now_ns = cases[i].wait_us * 1000;
        pop(&rig, &counts);
        g_assert_cmpint(counts.packets, ==, 1);
        g_assert_cmpint(counts.marked, ==, cases[i].marked);
        bench_free(rig.b);
    }
}

/* While both wait, a tenth of the bytes are classic; alone each has all. */
static void test_queues_share_by_weight(void)
{
    struct rig rig;
    struct counts counts = {0};
    rig_init(&rig);
    for (int i = 0; i < 1000; i++) {
        push(&rig, WEIR_ECN_ECT1);
        push(&rig, WEIR_ECN_NOT_ECT);
    }
    for (int i = 0; i < 1000; i++) {
        pop(&rig, &counts);
    }
    g_assert_cmpint(rig.dual.classic.packets, >=, 899);
    g_assert_cmpint(rig.dual.classic.packets, <=, 901);
    g_assert_cmpint(rig.dual.l4s.packets + rig.dual.classic.packets, ==, 1000);
    for (int i = 0; i < 1000; i++) {
        pop(&rig, &counts);
    }
    g_assert_cmpint(counts.packets, ==, 2000);
    bench_free(rig.b);
}

/* However long nothing happens: the result is that of all updates in between. */
static void test_skipped_updates_change_nothing(void)
{
    struct rig often;
    struct rig rarely;
    struct counts counts = {0};
    rig_init(&often);
    rig_init(&rarely);
    push(&often, WEIR_ECN_ECT0);
    push(&rarely, WEIR_ECN_ECT0);
    for (int64_t ms = 0; ms < 3000; ms++) {
        often.now_ns = WEIR_MS(ms);
        push(&often, WEIR_ECN_ECT0);
    }
    rarely.now_ns = often.now_ns;
    push(&rarely, WEIR_ECN_ECT0);
    assert_near(often.dual.base, rarely.dual.base, 1e-12);
    g_assert_cmpint(often.dual.next_ns, ==, rarely.dual.next_ns);
    g_assert_cmpint(often.dual.last_wait_ns, ==, rarely.dual.last_wait_ns);
    g_assert_cmpint(often.dual.counts.overload_ns, >, 0);
    g_assert_cmpint(often.dual.counts.overload_ns, ==, rarely.dual.counts.overload_ns);
    while (often.dual.classic.packets > 0) {
        pop(&often, &counts);
    }
    often.now_ns += WEIR_SECONDS(3600);
    pop(&often, &counts);
    assert_near(often.dual.base, 0.0, 1e-12);
    g_assert_cmpint(often.dual.next_ns, >, often.now_ns);
    bench_free(often.b);
    bench_free(rarely.b);
}

static void test_values_outside_their_range_are_refused(void)
{
    struct weir__dualpi2 dual;
    for (int i = 0; i < 8; i++) {
        struct weir__dualpi2_config config;
        weir__dualpi2_config_default(&config);
        g_assert_cmpint(weir__dualpi2_init(&dual, &config), ==, WEIR_OK);
        config.target_ns = i == 0 ? 0 : config.target_ns;
        config.update_ns = i == 1 ? -1 : config.update_ns;
        config.alpha_hz = i == 2 ? 0.0 : config.alpha_hz;
        config.beta_hz = i == 3 ? -1.0 : config.beta_hz;
        config.coupling = i == 4 ? 0.5 : config.coupling;
        config.step_ns = i == 5 ? 0 : config.step_ns;
        config.step_packets = i == 6 ? -1 : config.step_packets;
        config.classic_share = i == 7 ? 1.5 : config.classic_share;
        g_assert_cmpint(weir__dualpi2_init(&dual, &config), ==, WEIR_ERROR_RANGE);
    }
}

/* RFC 9332 2.5.2.2 and 2.5.2.3: what came out, by queue, and for how long it was too much. */
static void test_each_queue_is_counted(void)
{
    struct rig rig;
    struct counts l4s, classic;
    rig_init(&rig);
    l4s = run_at(&rig, 0.3, WEIR_ECN_ECT1);
    classic = run_at(&rig, 0.3, WEIR_ECN_NOT_ECT);
    const struct weir__dualpi2_counts *counts = &rig.dual.counts;
    g_assert_cmpint(counts->l4s.sent_packets, ==, l4s.packets);
    g_assert_cmpint(counts->l4s.marked_packets, ==, l4s.marked);
    g_assert_cmpint(counts->l4s.dropped_packets, ==, 0);
    g_assert_cmpint(counts->classic.sent_packets, ==, classic.packets);
    g_assert_cmpint(counts->classic.dropped_packets, ==, classic.dropped);
    g_assert_cmpint(counts->classic.marked_packets, ==, 0);
    g_assert_cmpint(counts->l4s.waited_ns + counts->classic.waited_ns, ==, 0);
    push(&rig, WEIR_ECN_ECT1);
    rig.now_ns = WEIR_MS(2);
    pop(&rig, &l4s);
    g_assert_cmpint(counts->l4s.waited_ns, ==, WEIR_MS(2));
    g_assert_cmpint(counts->overload_ns, ==, 0);
    for (int64_t ms = 1000; ms < 3000; ms++) { /* nothing leaves: p' rises to 1 */
        rig.now_ns = WEIR_MS(ms);
        push(&rig, WEIR_ECN_ECT1);
    }
    g_assert_cmpint(counts->overload_ns, >, WEIR_MS(1500));
    g_assert_cmpint(counts->overload_ns, <, WEIR_MS(2000));
    pop(&rig, &l4s);
    while (rig.dual.l4s.packets > 0) {
        pop(&rig, &l4s);
    }
    g_assert_cmpint(counts->l4s.sent_packets, ==, l4s.packets);
    g_assert_cmpint(counts->l4s.dropped_packets, ==, l4s.dropped);
    bench_free(rig.b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/dualpi2/base_follows_the_pi_controller",
                    test_base_follows_the_pi_controller);
    g_test_add_func("/sim/dualpi2/coupling_marks_twice_the_root_of_the_classic_share",
                    test_coupling_marks_twice_the_root_of_the_classic_share);
    g_test_add_func("/sim/dualpi2/overload_drops_whatever_the_codepoint",
                    test_overload_drops_whatever_the_codepoint);
    g_test_add_func("/sim/dualpi2/l4s_packet_is_marked_from_the_step_on",
                    test_l4s_packet_is_marked_from_the_step_on);
    g_test_add_func("/sim/dualpi2/queues_share_by_weight", test_queues_share_by_weight);
    g_test_add_func("/sim/dualpi2/skipped_updates_change_nothing",
                    test_skipped_updates_change_nothing);
    g_test_add_func("/sim/dualpi2/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    g_test_add_func("/sim/dualpi2/overload_drops_as_many_of_both_queues",
                    test_overload_drops_as_many_of_both_queues);
    g_test_add_func("/sim/dualpi2/each_queue_is_counted", test_each_queue_is_counted);
    return g_test_run();
}
