/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/queue_fq_codel.h"
#include "sim/sim_test.h"
#include "weir/receiver.h"
#include "weir/units.h"

enum { CAPABLE = 7 }; /* the flow whose packets are ECT(0) */

struct rig {
    struct bench *b;
    struct weir__fq_codel *fq;
    struct weir__packet_list dropped;
    int64_t in;
};

static void rig_init_marking(struct rig *rig, int64_t flows, bool mark_ecn)
{
    struct weir__fq_codel_config config;
    struct weir__codel_config codel;
    weir__fq_codel_config_default(&config);
    weir__codel_config_default(&codel);
    config.flows = flows;
    codel.mark_ecn = mark_ecn;
    *rig = (struct rig){.b = bench_new(5000)};
    g_assert_cmpint(weir__fq_codel_create(&rig->fq, &config, &codel), ==, WEIR_OK);
}

static void rig_init(struct rig *rig, int64_t flows)
{
    rig_init_marking(rig, flows, false);
}

static void rig_finish(struct rig *rig)
{
    weir__fq_codel_destroy(rig->fq);
    bench_free(rig->b);
}

static void push(struct rig *rig, uint32_t flow, int32_t size_bytes, int n)
{
    for (int i = 0; i < n; i++) {
        struct weir__packet *packet = bench_packet(rig->b, rig->in++, size_bytes);
        packet->flow = flow;
        packet->ecn = flow == CAPABLE ? WEIR_ECN_ECT0 : WEIR_ECN_NOT_ECT;
        weir__fq_codel_push(rig->fq, packet, 0);
    }
}

/* The flow whose packet comes next, -1 for none. */
static int pop(struct rig *rig)
{
    struct weir__packet *packet = weir__fq_codel_pop(rig->fq, &rig->dropped, WEIR_MS(1));
    int flow = packet ? (int)packet->flow : -1;
    if (packet) {
        weir__packet_give(&rig->b->pool, packet);
    }
    return flow;
}

static void expect(struct rig *rig, const int *flows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g_test_message("packet %zu", i);
        g_assert_cmpint(pop(rig), ==, flows[i]);
    }
}

/* Flows take turns by bytes: two packets of 750 bytes for each one of 1500. */
static void test_flows_take_turns_of_a_quantum(void)
{
    static const int flows[] = {1, 2, 2, 3, 1, 2, 2, 3, 1, 2, 2, 3, -1};
    struct rig rig;
    rig_init(&rig, 1024);
    push(&rig, 1, 1500, 3);
    push(&rig, 2, 750, 6);
    push(&rig, 3, 1500, 3);
    expect(&rig, flows, G_N_ELEMENTS(flows));
    rig_finish(&rig);
}

/* RFC 8290 4.2: a flow that was empty comes before those that have been sending, until it has used
 * a quantum. */
static void test_a_new_flow_comes_first(void)
{
    static const int before[] = {1, 2, 1};
    static const int after[] = {3, 3, 2, 3, 1, 2, 3, 1};
    struct rig rig;
    rig_init(&rig, 1024);
    push(&rig, 1, 1500, 10);
    push(&rig, 2, 1500, 10);
    expect(&rig, before, G_N_ELEMENTS(before));
    push(&rig, 3, 750, 2); /* a quantum at once */
    push(&rig, 3, 1500, 10);
    expect(&rig, after, G_N_ELEMENTS(after));
    rig_finish(&rig);
}

/* Who sends a packet whenever his queue has run empty is new only once in a round. */
static void test_a_sparse_flow_cannot_starve_the_others(void)
{
    struct rig rig;
    int sent[3] = {0};
    rig_init(&rig, 1024);
    push(&rig, 1, 1500, 1000);
    for (int i = 0; i < 400; i++) {
        push(&rig, 2, 1500, 1);
        sent[pop(&rig)]++;
        if (i % 2 == 1) {
            sent[pop(&rig)]++;
        }
    }
    g_assert_cmpint(sent[1], >=, 295);
    g_assert_cmpint(sent[2], >=, 295);
    rig_finish(&rig);
}

static void test_flows_share_a_queue_when_there_are_too_few(void)
{
    static const int flows[] = {1, 2, 5, 2, 9};
    struct rig rig;
    rig_init(&rig, 4);
    push(&rig, 1, 1500, 1);
    push(&rig, 5, 1500, 1); /* 5 and 9 modulo 4 are 1 */
    push(&rig, 9, 1500, 1);
    push(&rig, 2, 1500, 2);
    expect(&rig, flows, G_N_ELEMENTS(flows));
    rig_finish(&rig);
}

static void test_subflows_of_a_flow_have_queues_of_their_own(void)
{
    struct rig rig;
    rig_init(&rig, 1024);
    for (int64_t i = 0; i < 6; i++) {
        struct weir__packet *packet = bench_packet(rig.b, i, 1500);
        packet->subflow = i < 3 ? 100 : 200;
        weir__fq_codel_push(rig.fq, packet, 0);
    }
    static const int64_t expected[] = {0, 3, 1, 4, 2, 5};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        struct weir__packet *packet = weir__fq_codel_pop(rig.fq, &rig.dropped, WEIR_MS(1));
        g_assert_cmpint(packet->seq, ==, expected[i]);
        weir__packet_give(&rig.b->pool, packet);
    }
    rig_finish(&rig);
}

/* Half of the longest queue goes, from its head, but 64 packets at most. */
static void test_relief_comes_from_the_longest_queue(void)
{
    static const struct {
        int packets, expected;
    } cases[] = {{1, 1}, {2, 1}, {5, 3}, {100, 50}, {500, 64}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig;
        int n = 0;
        rig_init(&rig, 1024);
        push(&rig, 1, 700, 1);
        push(&rig, 2, 1500, cases[i].packets);
        push(&rig, 3, 700, 1);
        weir__fq_codel_relieve(rig.fq, &rig.dropped);
        for (struct weir__packet *p = weir__packet_list_pop(&rig.dropped); p;
             p = weir__packet_list_pop(&rig.dropped)) {
            g_assert_cmpuint(p->flow, ==, 2);
            g_assert_cmpint(p->seq, ==, 1 + n++);
            weir__packet_give(&rig.b->pool, p);
        }
        g_assert_cmpint(n, ==, cases[i].expected);
        while (weir__fq_codel_take(rig.fq)) {
            n++;
        }
        g_assert_cmpint(n, ==, cases[i].packets + 2);
        rig_finish(&rig);
    }
}

/* Each flow has a CoDel of its own: the one that waits is dropped from, the other is not. */
static void test_only_the_flow_that_waits_is_dropped_from(void)
{
    struct rig rig;
    int dropped[3] = {0};
    rig_init(&rig, 1024);
    push(&rig, 1, 1500, 4000);
    for (int64_t ms = 0; ms < 2000; ms++) {
        struct weir__packet *mine = bench_packet(rig.b, 0, 200);
        mine->flow = 2;
        weir__fq_codel_push(rig.fq, mine, WEIR_MS(ms));
        for (int k = 0; k < 2; k++) {
            struct weir__packet *packet = weir__fq_codel_pop(rig.fq, &rig.dropped, WEIR_MS(ms));
            if (packet) {
                weir__packet_give(&rig.b->pool, packet);
            }
        }
        for (struct weir__packet *p = weir__packet_list_pop(&rig.dropped); p;
             p = weir__packet_list_pop(&rig.dropped)) {
            dropped[p->flow]++;
            weir__packet_give(&rig.b->pool, p);
        }
    }
    g_assert_cmpint(dropped[1], >, 50);
    g_assert_cmpint(dropped[2], ==, 0);
    rig_finish(&rig);
}

/* RFC 8290 4.2.2: each flow's CoDel marks what is ECN-capable; the limit drops it as any other. */
static void test_capable_flows_are_marked_when_asked(void)
{
    for (int marks = 0; marks < 2; marks++) {
        struct rig rig;
        int dropped[CAPABLE + 1] = {0};
        int marked[CAPABLE + 1] = {0};
        rig_init_marking(&rig, 1024, marks != 0);
        push(&rig, 1, 1500, 2000);
        push(&rig, CAPABLE, 1500, 2000);
        for (int64_t ms = 0; ms < 2000; ms++) {
            struct weir__packet *packet = weir__fq_codel_pop(rig.fq, &rig.dropped, WEIR_MS(ms));
            marked[packet->flow] += packet->ecn == WEIR_ECN_CE;
            weir__packet_give(&rig.b->pool, packet);
            if (ms == 1999) {
                weir__fq_codel_relieve(rig.fq, &rig.dropped);
            }
            while ((packet = weir__packet_list_pop(&rig.dropped)) != NULL) {
                dropped[packet->flow] += ms < 1999;
                dropped[0] += ms == 1999;
                weir__packet_give(&rig.b->pool, packet);
            }
        }
        g_assert_cmpint(dropped[1], >, 50);
        g_assert_cmpint(marked[1], ==, 0);
        g_assert_cmpint(marks ? marked[CAPABLE] : dropped[CAPABLE], >, 50);
        g_assert_cmpint(marks ? dropped[CAPABLE] : marked[CAPABLE], ==, 0);
        g_assert_cmpint(dropped[0], >=, 64);
        rig_finish(&rig);
    }
}

static void test_values_outside_their_range_are_refused(void)
{
    struct weir__fq_codel_config bad[3];
    struct weir__codel_config codel;
    struct weir__fq_codel *fq = NULL;
    weir__codel_config_default(&codel);
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        weir__fq_codel_config_default(&bad[i]);
    }
    bad[0].flows = 0;
    bad[1].flows = 65537;
    bad[2].quantum_bytes = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__fq_codel_create(&fq, &bad[i], &codel), ==, WEIR_ERROR_RANGE);
    }
    codel.target_ns = 0;
    weir__fq_codel_config_default(&bad[0]);
    g_assert_cmpint(weir__fq_codel_create(&fq, &bad[0], &codel), ==, WEIR_ERROR_RANGE);
    g_assert_null(fq);
    weir__fq_codel_destroy(NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/queue_fq_codel/flows_take_turns_of_a_quantum",
                    test_flows_take_turns_of_a_quantum);
    g_test_add_func("/sim/queue_fq_codel/a_new_flow_comes_first", test_a_new_flow_comes_first);
    g_test_add_func("/sim/queue_fq_codel/a_sparse_flow_cannot_starve_the_others",
                    test_a_sparse_flow_cannot_starve_the_others);
    g_test_add_func("/sim/queue_fq_codel/flows_share_a_queue_when_there_are_too_few",
                    test_flows_share_a_queue_when_there_are_too_few);
    g_test_add_func("/sim/queue_fq_codel/subflows_of_a_flow_have_queues_of_their_own",
                    test_subflows_of_a_flow_have_queues_of_their_own);
    g_test_add_func("/sim/queue_fq_codel/relief_comes_from_the_longest_queue",
                    test_relief_comes_from_the_longest_queue);
    g_test_add_func("/sim/queue_fq_codel/only_the_flow_that_waits_is_dropped_from",
                    test_only_the_flow_that_waits_is_dropped_from);
    g_test_add_func("/sim/queue_fq_codel/capable_flows_are_marked_when_asked",
                    test_capable_flows_are_marked_when_asked);
    g_test_add_func("/sim/queue_fq_codel/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
