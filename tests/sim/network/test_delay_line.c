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

struct exit_line {
    struct weir__delay_line line;
    struct weir__port out;
};

static void on_each(void *target)
{
    struct exit_line *exit = target;
    weir__port_send(&exit->out, weir__delay_line_pop(&exit->line));
}

static void on_several(void *target)
{
    struct exit_line *exit = target;
    struct weir__packet *packet;
    while (weir__delay_line_pop_due(&exit->line, &packet)) {
        weir__port_send(&exit->out, packet);
        weir__sim_go_on(exit->line.sim);
    }
    weir__port_send(&exit->out, packet);
}

/* Three lines with packets that are due in the same nanoseconds. */
static void test_packets_due_together_come_out_as_one_by_one(void)
{
    const uint64_t seed = 9;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    struct bench *benches[2];
    for (int k = 0; k < 2; k++) {
        struct bench *b = benches[k] = bench_new(5000);
        struct exit_line lines[3];
        struct weir__random random;
        weir__random_init(&random, seed, 0);
        for (int i = 0; i < 3; i++) {
            lines[i].out = collector_port(&b->out);
            weir__delay_line_init_timer(&lines[i].line, &b->sim, k == 0 ? on_each : on_several,
                                        &lines[i]);
        }
        for (int64_t seq = 0; seq < 5000; seq++) {
            int64_t at_ns = b->sim.now_ns + WEIR_MS(weir__random_below(&random, 2));
            int64_t delay_ns = WEIR_MS(weir__random_below(&random, 5));
            weir__sim_run_until(&b->sim, at_ns);
            weir__delay_line_push(&lines[weir__random_below(&random, 3)].line,
                                  bench_packet(b, seq, 1), delay_ns);
        }
        weir__sim_run_until(&b->sim, b->sim.now_ns + WEIR_SECONDS(1));
    }
    g_assert_cmpuint(benches[0]->out.n, ==, 5000);
    g_assert_cmpuint(benches[1]->out.n, ==, 5000);
    g_assert_cmpuint(benches[0]->sim.events, ==, benches[1]->sim.events);
    for (size_t i = 0; i < 5000; i++) {
        g_assert_cmpint(benches[0]->out.seen[i].seq, ==, benches[1]->out.seen[i].seq);
        g_assert_cmpint(benches[0]->out.seen[i].at_ns, ==, benches[1]->out.seen[i].at_ns);
    }
    bench_free(benches[0]);
    bench_free(benches[1]);
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
    g_test_add_func("/sim/delay_line/packets_due_together_come_out_as_one_by_one",
                    test_packets_due_together_come_out_as_one_by_one);
    return g_test_run();
}
