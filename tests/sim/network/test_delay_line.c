/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/random.h"
#include "sim/network/delay_line.h"
#include "sim/sim_test.h"
#include "weir/units.h"

static void test_packets_come_out_after_their_delay(void)
{
    struct bench *b = bench_new(100);
    struct weir__delay_line line;
    weir__delay_line_init(&line, &b->sim, collector_port(&b->out));
    for (int64_t i = 0; i < 50; i++) {
        weir__sim_run_until(&b->sim, WEIR_MS(3 * i));
        weir__delay_line_push(&line, bench_packet(b, i, 100), WEIR_MS(40));
    }
    weir__sim_run_until(&b->sim, WEIR_SECONDS(1));
    g_assert_cmpuint(b->out.n, ==, 50);
    for (int64_t i = 0; i < 50; i++) {
        g_assert_cmpint(b->out.seen[i].seq, ==, i);
        g_assert_cmpint(b->out.seen[i].at_ns, ==, WEIR_MS(3 * i + 40));
    }
    g_assert_cmpint(line.packets, ==, 0);
    g_assert_cmpuint(b->sim.events, ==, 50);
    bench_free(b);
}

static void test_random_delays_never_reorder(void)
{
    const uint64_t seed = 31;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    struct bench *b = bench_new(5000);
    struct weir__delay_line line;
    struct weir__random random;
    int64_t due_ns[5000];
    weir__random_init(&random, seed, 0);
    weir__delay_line_init(&line, &b->sim, collector_port(&b->out));
    for (int64_t i = 0; i < 5000; i++) {
        int64_t delay_ns = weir__random_below(&random, WEIR_MS(20));
        weir__sim_run_until(&b->sim, WEIR_MS(i));
        due_ns[i] = WEIR_MS(i) + delay_ns;
        weir__delay_line_push(&line, bench_packet(b, i, 100), delay_ns);
        g_assert_cmpint(line.packets, ==, i + 1 - (int64_t)b->out.n);
    }
    weir__sim_run_until(&b->sim, WEIR_SECONDS(10));
    g_assert_cmpuint(b->out.n, ==, 5000);
    int64_t latest_ns = 0;
    for (int64_t i = 0; i < 5000; i++) {
        latest_ns = due_ns[i] > latest_ns ? due_ns[i] : latest_ns;
        g_assert_cmpint(b->out.seen[i].seq, ==, i);
        g_assert_cmpint(b->out.seen[i].at_ns, ==, latest_ns);
    }
    bench_free(b);
}

static void test_zero_delay_delivers_at_the_same_time(void)
{
    struct bench *b = bench_new(10);
    struct weir__delay_line line;
    weir__delay_line_init(&line, &b->sim, collector_port(&b->out));
    weir__sim_run_until(&b->sim, 77);
    weir__delay_line_push(&line, bench_packet(b, 0, 1), 0);
    weir__delay_line_push(&line, bench_packet(b, 1, 1), 0);
    g_assert_cmpuint(b->out.n, ==, 0);
    weir__sim_run_until(&b->sim, 77);
    g_assert_cmpuint(b->out.n, ==, 2);
    g_assert_cmpint(b->out.seen[1].at_ns, ==, 77);
    bench_free(b);
}

struct echo {
    struct weir__delay_line line;
    int64_t rounds;
};

static void on_echo(void *target, struct weir__packet *packet)
{
    struct echo *echo = target;
    echo->rounds++;
    weir__delay_line_push(&echo->line, packet, 10);
}

static void test_sink_may_push_into_the_line_again(void)
{
    struct bench *b = bench_new(10);
    struct echo echo = {.rounds = 0};
    struct weir__port port = {.on_packet = on_echo, .target = &echo};
    weir__delay_line_init(&echo.line, &b->sim, port);
    weir__delay_line_push(&echo.line, bench_packet(b, 0, 1), 5);
    weir__sim_run_until(&b->sim, 1000);
    g_assert_cmpint(echo.rounds, ==, 100);
    g_assert_cmpint(echo.line.packets, ==, 1);
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/delay_line/packets_come_out_after_their_delay",
                    test_packets_come_out_after_their_delay);
    g_test_add_func("/sim/delay_line/random_delays_never_reorder",
                    test_random_delays_never_reorder);
    g_test_add_func("/sim/delay_line/zero_delay_delivers_at_the_same_time",
                    test_zero_delay_delivers_at_the_same_time);
    g_test_add_func("/sim/delay_line/sink_may_push_into_the_line_again",
                    test_sink_may_push_into_the_line_again);
    return g_test_run();
}
