/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/random.h"
#include "sim/sim_test.h"
#include "sim/tcp/sink.h"
#include "weir/receiver.h"
#include "weir/units.h"

struct rig {
    struct bench *b;
    struct weir__tcp_sink sink;
    struct weir__port in;
};

static struct rig *rig_new(bool sack, int64_t delayed_ack_ns)
{
    struct rig *rig = g_new0(struct rig, 1);
    rig->b = bench_new(100);
    struct weir__tcp_sink_config config = {.window_packets = 100,
                                           .header_bytes = 40,
                                           .ack_bytes = 40,
                                           .delayed_ack_ns = delayed_ack_ns,
                                           .sack = sack,
                                           .flow = 6,
                                           .out = collector_port(&rig->b->out)};
    g_assert_cmpint(weir__tcp_sink_init(&rig->sink, &rig->b->sim, &rig->b->pool, &config), ==,
                    WEIR_OK);
    rig->in = weir__tcp_sink_port(&rig->sink);
    return rig;
}

static void rig_free(struct rig *rig)
{
    g_assert_cmpuint(rig->b->pool.used_packets, ==, 0);
    weir__tcp_sink_finish(&rig->sink);
    weir__tcp_sink_finish(&rig->sink);
    bench_free(rig->b);
    g_free(rig);
}

static void arrive(struct rig *rig, int64_t seq)
{
    weir__port_send(&rig->in, bench_packet(rig->b, seq, 1500));
}

/* The last ACK, after `n` of them in total. */
static const struct collected *ack(const struct rig *rig, size_t n)
{
    g_assert_cmpuint(rig->b->out.n, ==, n);
    return &rig->b->out.seen[n - 1];
}

static void test_acks_have_the_size_asked_for(void)
{
    for (int64_t bytes = 1; bytes <= 1500; bytes += 52) {
        struct rig *rig = rig_new(false, 0);
        rig->sink.config.ack_bytes = bytes;
        arrive(rig, 0);
        g_assert_cmpint(ack(rig, 1)->size_bytes, ==, bytes);
        rig_free(rig);
    }
}

struct observed {
    int64_t next; /* number of the packet expected next, in order */
    int64_t arrivals;
    int64_t delay_ns;
};

static void on_delivered(void *target, int64_t first, int64_t end)
{
    struct observed *o = target;
    g_assert_cmpint(first, ==, o->next);
    g_assert_cmpint(end, >, first);
    o->next = end;
}

static void on_arrived(void *target, int64_t delay_ns)
{
    struct observed *o = target;
    o->arrivals++;
    o->delay_ns = delay_ns;
}

/* Whatever the order of arrival: each packet is delivered once, in order, as soon as none is
 * missing before it. */
static void test_observer_sees_each_packet_once_and_in_order(void)
{
    static const int64_t order[] = {0, 2, 1, 1, 5, 3, 3, 6, 4, 4, 0, 8, 7};
    static const int64_t next[] = {1, 1, 3, 3, 3, 4, 4, 4, 7, 7, 7, 7, 9};
    struct rig *rig = rig_new(true, 0);
    struct observed o = {.next = 0};
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    rig->sink.config.observer = (struct weir__tcp_observer){
        .on_arrived = on_arrived, .on_delivered = on_delivered, .target = &o};
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
        struct weir__packet *packet = bench_packet(rig->b, order[i], 1500);
        packet->sent_ns -= (int64_t)i;
        weir__port_send(&rig->in, packet);
        g_assert_cmpint(o.next, ==, next[i]);
        g_assert_cmpint(o.arrivals, ==, (int64_t)i + 1);
        g_assert_cmpint(o.delay_ns, ==, (int64_t)i);
    }
    rig_free(rig);
}

static void test_packets_of_an_earlier_connection_are_not_heard(void)
{
    struct rig *rig = rig_new(true, WEIR_MS(100));
    struct weir__packet *old = bench_packet(rig->b, 3, 1500);
    arrive(rig, 0);
    arrive(rig, 1);
    arrive(rig, 2);
    weir__sim_run_until(&rig->b->sim, WEIR_MS(50));
    weir__tcp_sink_restart(&rig->sink, WEIR_MS(50));
    size_t acks = rig->b->out.n;
    weir__port_send(&rig->in, old);
    weir__sim_run_until(&rig->b->sim, WEIR_MS(500)); /* nor is a delayed ACK left over */
    g_assert_cmpuint(rig->b->out.n, ==, acks);
    g_assert_cmpint(rig->sink.expected, ==, 3);
    arrive(rig, 3);
    arrive(rig, 4);
    g_assert_cmpint(ack(rig, acks + 1)->ack, ==, 4);
    rig_free(rig);
}

/* C a mark: where marks begin and end an ACK leaves at once (RFC 8257 3.2), else for each second
 * packet. It has their number. */
static void test_marks_are_counted_and_their_ends_acknowledged(void)
{
    static const struct {
        uint8_t ecn;
        size_t acks;
        uint8_t echoes;
    } rows[] = {{WEIR_ECN_ECT1, 0, 0}, {WEIR_ECN_ECT1, 1, 0}, {WEIR_ECN_CE, 2, 1},
                {WEIR_ECN_CE, 2, 1},   {WEIR_ECN_CE, 3, 3},   {WEIR_ECN_ECT1, 4, 3}};
    struct rig *rig = rig_new(true, WEIR_MS(100));
    rig->sink.config.counts_marks = true;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__packet *packet = bench_packet(rig->b, (int64_t)i, 1500);
        packet->ecn = rows[i].ecn;
        weir__port_send(&rig->in, packet);
        g_test_message("packet %zu", i);
        g_assert_cmpuint(rig->b->out.n, ==, rows[i].acks);
        g_assert_true(rows[i].acks == 0 || ack(rig, rows[i].acks)->ecn_echo == rows[i].echoes);
    }
    rig_free(rig);
}

/* RFC 3168 6.1.3: C a mark, W a CWR, B both; E: the ACK of that packet has an ECE. */
static void test_marks_are_echoed_until_the_sender_has_reduced(void)
{
    static const char arrivals[] = "..C..CW.W.B.W.";
    static const char echoes[] = "..EEEE....EE..";
    struct rig *rig = rig_new(true, 0);
    for (size_t i = 0; arrivals[i]; i++) {
        struct weir__packet *packet = bench_packet(rig->b, (int64_t)i, 1500);
        bool is_marked = arrivals[i] == 'C' || arrivals[i] == 'B';
        packet->ecn = is_marked ? WEIR_ECN_CE : WEIR_ECN_ECT0;
        packet->ecn_echo = arrivals[i] == 'W' || arrivals[i] == 'B';
        weir__port_send(&rig->in, packet);
        g_test_message("packet %zu", i);
        g_assert_true(ack(rig, i + 1)->ecn_echo == (echoes[i] == 'E'));
        g_assert_cmpuint(ack(rig, i + 1)->ecn, ==, WEIR_ECN_NOT_ECT);
    }
    g_assert_cmpint(rig->sink.marked_packets, ==, 3);
    rig_free(rig);
}

static void test_every_packet_is_acknowledged_without_delay(void)
{
    struct rig *rig = rig_new(false, 0);
    for (int64_t i = 0; i < 50; i++) {
        arrive(rig, i);
        g_assert_cmpint(ack(rig, (size_t)i + 1)->ack, ==, i);
        g_assert_cmpint(ack(rig, (size_t)i + 1)->size_bytes, ==, 40);
        g_assert_cmpuint(ack(rig, (size_t)i + 1)->flow, ==, 6);
    }
    g_assert_cmpint(rig->sink.goodput_bytes, ==, 50 * 1460);
    rig_free(rig);
}

static void test_delayed_ack_covers_two_packets_or_100_ms(void)
{
    struct rig *rig = rig_new(false, WEIR_MS(100));
    arrive(rig, 0);
    g_assert_cmpuint(rig->b->out.n, ==, 0);
    arrive(rig, 1);
    g_assert_cmpint(ack(rig, 1)->ack, ==, 1);
    weir__sim_run_until(&rig->b->sim, WEIR_MS(500));
    g_assert_cmpuint(rig->b->out.n, ==, 1);
    arrive(rig, 2);
    weir__sim_run_until(&rig->b->sim, WEIR_MS(599));
    g_assert_cmpuint(rig->b->out.n, ==, 1);
    weir__sim_run_until(&rig->b->sim, WEIR_MS(600));
    g_assert_cmpint(ack(rig, 2)->ack, ==, 2);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(5));
    g_assert_cmpuint(rig->b->out.n, ==, 2);
    rig_free(rig);
}

static void test_gaps_and_repairs_are_acknowledged_at_once(void)
{
    struct rig *rig = rig_new(false, WEIR_MS(100));
    arrive(rig, 0);
    arrive(rig, 2); /* out of order: at once, and it covers packet 0 */
    g_assert_cmpint(ack(rig, 1)->ack, ==, 0);
    arrive(rig, 3);
    g_assert_cmpint(ack(rig, 2)->ack, ==, 0);
    g_assert_cmpuint(ack(rig, 2)->n_sack, ==, 0);
    arrive(rig, 1); /* fills the hole */
    g_assert_cmpint(ack(rig, 3)->ack, ==, 3);
    arrive(rig, 1); /* again */
    g_assert_cmpint(ack(rig, 4)->ack, ==, 3);
    g_assert_cmpint(rig->sink.repeated_packets, ==, 1);
    arrive(rig, 4); /* in order, nothing missing: waits */
    g_assert_cmpuint(rig->b->out.n, ==, 4);
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpint(ack(rig, 5)->ack, ==, 4);
    g_assert_cmpint(rig->sink.distinct_packets, ==, 5);
    rig_free(rig);
}

static void assert_blocks(const struct collected *seen, const int64_t *expected, size_t n)
{
    g_assert_cmpuint(seen->n_sack, ==, n);
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpint(seen->sack[i].first, ==, expected[2 * i]);
        g_assert_cmpint(seen->sack[i].last, ==, expected[2 * i + 1]);
    }
}

static void test_blocks_name_the_latest_first(void)
{
    static const struct {
        int64_t seq, ack;
        size_t n;
        int64_t blocks[6];
    } steps[] = {
        {0, 0, 0, {0}},
        {2, 0, 1, {2, 2}},
        {3, 0, 1, {2, 3}},
        {6, 0, 2, {6, 6, 2, 3}},
        {10, 0, 3, {10, 10, 6, 6, 2, 3}},
        {14, 0, 3, {14, 14, 10, 10, 6, 6}},
        {7, 0, 3, {6, 7, 14, 14, 10, 10}},
        {11, 0, 3, {10, 11, 6, 7, 14, 14}},
        {12, 0, 3, {10, 12, 6, 7, 14, 14}},
        {13, 0, 2, {10, 14, 6, 7}},
        {1, 3, 2, {10, 14, 6, 7}},
        {4, 4, 2, {10, 14, 6, 7}},
        {5, 7, 1, {10, 14}},
        {8, 8, 1, {10, 14}},
        {9, 14, 0, {0}},
    };
    struct rig *rig = rig_new(true, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        arrive(rig, steps[i].seq);
        g_test_message("packet %" G_GINT64_FORMAT, steps[i].seq);
        g_assert_cmpint(ack(rig, i + 1)->ack, ==, steps[i].ack);
        assert_blocks(ack(rig, i + 1), steps[i].blocks, steps[i].n);
    }
    rig_free(rig);
}

/* Whatever arrives: the ACK is the highest in order, blocks are disjoint, above it and received. */
static void test_acks_describe_what_has_arrived(void)
{
    const uint64_t seed = 61;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    static bool received[6000];
    struct rig *rig = rig_new(true, 0);
    struct weir__random random;
    int64_t expected = 0;
    int64_t distinct = 0;
    weir__random_init(&random, seed, 0);
    memset(received, 0, sizeof received);
    for (size_t n = 1; n < 15000 && expected < 5800; n++) {
        int64_t seq = weir__random_chance(&random, 0.3)
                          ? expected
                          : expected + weir__random_below(&random, 100);
        distinct += !received[seq];
        received[seq] = true;
        while (received[expected]) {
            expected++;
        }
        arrive(rig, seq);
        const struct collected *seen = ack(rig, n);
        g_assert_cmpint(seen->ack, ==, expected - 1);
        for (size_t i = 0; i < seen->n_sack; i++) {
            const struct weir__sack_block *block = &seen->sack[i];
            g_assert_cmpint(block->first, >, expected);
            g_assert_false(received[block->first - 1]);
            g_assert_false(received[block->last + 1]);
            for (int64_t k = block->first; k <= block->last; k++) {
                g_assert_true(received[k]);
            }
            for (size_t j = 0; j < i; j++) {
                g_assert_true(seen->sack[j].first != block->first);
            }
        }
    }
    g_assert_cmpint(rig->sink.distinct_packets, ==, distinct);
    rig_free(rig);
}

static void test_corrupt_and_far_packets_are_ignored(void)
{
    struct rig *rig = rig_new(true, 0);
    struct weir__packet *packet = bench_packet(rig->b, 0, 1500);
    packet->corrupt = true;
    weir__port_send(&rig->in, packet);
    arrive(rig, 100);
    arrive(rig, INT64_C(1) << 50);
    g_assert_cmpuint(rig->b->out.n, ==, 0);
    arrive(rig, 99);
    g_assert_cmpint(ack(rig, 1)->ack, ==, -1);
    rig_free(rig);
}

/* A delayed ACK falls due while the pool is empty: it is lost, the next one covers it. */
static void test_empty_pool_loses_the_ack_only(void)
{
    struct rig *rig = rig_new(false, WEIR_MS(100));
    struct weir__packet *held[100];
    size_t n = 0;
    arrive(rig, 0);
    for (struct weir__packet *p = weir__packet_take(&rig->b->pool); p;
         p = weir__packet_take(&rig->b->pool)) {
        held[n++] = p;
    }
    weir__sim_run_until(&rig->b->sim, WEIR_SECONDS(1));
    g_assert_cmpuint(rig->b->out.n, ==, 0);
    while (n > 0) {
        weir__packet_give(&rig->b->pool, held[--n]);
    }
    arrive(rig, 1);
    arrive(rig, 2);
    g_assert_cmpint(ack(rig, 1)->ack, ==, 2);
    rig_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_sink/acks_have_the_size_asked_for",
                    test_acks_have_the_size_asked_for);
    g_test_add_func("/sim/tcp_sink/observer_sees_each_packet_once_and_in_order",
                    test_observer_sees_each_packet_once_and_in_order);
    g_test_add_func("/sim/tcp_sink/packets_of_an_earlier_connection_are_not_heard",
                    test_packets_of_an_earlier_connection_are_not_heard);
    g_test_add_func("/sim/tcp_sink/marks_are_counted_and_their_ends_acknowledged",
                    test_marks_are_counted_and_their_ends_acknowledged);
    g_test_add_func("/sim/tcp_sink/marks_are_echoed_until_the_sender_has_reduced",
                    test_marks_are_echoed_until_the_sender_has_reduced);
    g_test_add_func("/sim/tcp_sink/every_packet_is_acknowledged_without_delay",
                    test_every_packet_is_acknowledged_without_delay);
    g_test_add_func("/sim/tcp_sink/delayed_ack_covers_two_packets_or_100_ms",
                    test_delayed_ack_covers_two_packets_or_100_ms);
    g_test_add_func("/sim/tcp_sink/gaps_and_repairs_are_acknowledged_at_once",
                    test_gaps_and_repairs_are_acknowledged_at_once);
    g_test_add_func("/sim/tcp_sink/blocks_name_the_latest_first",
                    test_blocks_name_the_latest_first);
    g_test_add_func("/sim/tcp_sink/acks_describe_what_has_arrived",
                    test_acks_describe_what_has_arrived);
    g_test_add_func("/sim/tcp_sink/corrupt_and_far_packets_are_ignored",
                    test_corrupt_and_far_packets_are_ignored);
    g_test_add_func("/sim/tcp_sink/empty_pool_loses_the_ack_only",
                    test_empty_pool_loses_the_ack_only);
    return g_test_run();
}
