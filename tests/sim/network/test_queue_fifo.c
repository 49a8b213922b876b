/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/queue_fifo.h"
#include "sim/sim_test.h"
#include "weir/units.h"

static void test_oldest_packet_comes_first_and_tells_since_when(void)
{
    struct bench *b = bench_new(10);
    struct weir__queue_fifo fifo = {.packets = 0};
    for (int64_t seq = 0; seq < 10; seq++) {
        weir__queue_fifo_push(&fifo, bench_packet(b, seq, 100), WEIR_MS(7 * seq));
    }
    g_assert_cmpint(fifo.bytes, ==, 1000);
    for (int64_t seq = 0; seq < 10; seq++) {
        g_assert_cmpint(weir__queue_fifo_since_ns(&fifo), ==, WEIR_MS(7 * seq));
        struct weir__packet *packet = weir__queue_fifo_take(&fifo);
        g_assert_cmpint(packet->seq, ==, seq);
        g_assert_cmpint(fifo.packets, ==, 9 - seq);
        weir__packet_give(&b->pool, packet);
    }
    g_assert_cmpint(fifo.bytes, ==, 0);
    g_assert_cmpint(weir__queue_fifo_since_ns(&fifo), ==, WEIR_NEVER_NS);
    g_assert_null(weir__queue_fifo_take(&fifo));
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/queue_fifo/oldest_packet_comes_first_and_tells_since_when",
                    test_oldest_packet_comes_first_and_tells_since_when);
    return g_test_run();
}
