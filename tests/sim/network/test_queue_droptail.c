/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/network/queue_droptail.h"
#include "weir/units.h"

struct limit_case {
    struct weir__queue_limit limit;
    int64_t packets, bytes, size_bytes, rate_bps;
    bool full;
};

static const struct limit_case cases[] = {
    {{.packets = 3}, 2, 3000, 1500, 1000000, false},
    {{.packets = 3}, 3, 4500, 1500, 1000000, true},
    {{.packets = 3}, 9, 4500, 1500, 1000000, true},
    {{.bytes = 4500}, 2, 3000, 1500, 1000000, false},
    {{.bytes = 4500}, 2, 3000, 1501, 1000000, true},
    {{.bytes = 100}, 0, 0, 1500, 1000000, false}, /* an empty queue takes any packet */
    {{.packets = 1}, 0, 0, 1500, 1000000, false},
    {{.packets = 1}, 1, 1500, 40, 1000000, true},
    /* 100 ms at 1 Mbit/s are 12500 bytes */
    {{.time_ns = WEIR_MS(100)}, 7, 11000, 1500, 1000000, false},
    {{.time_ns = WEIR_MS(100)}, 7, 11001, 1500, 1000000, true},
    {{.time_ns = WEIR_MS(100)}, 7, 11001, 1500, 2000000, false},
    {{.time_ns = WEIR_MS(100)}, 70, 110010, 1500, 0, false}, /* an outage has no time limit */
    {{.packets = 100, .time_ns = WEIR_MS(100)}, 100, 110010, 1500, 0, true},
    {{.packets = 5, .bytes = 2000}, 2, 1900, 100, 1000000, false},
    {{.packets = 5, .bytes = 2000}, 2, 1900, 101, 1000000, true},
    {{.packets = 5, .bytes = 2000}, 5, 500, 100, 1000000, true},
    {{.time_ns = WEIR_SECONDS(3600)}, 5, INT64_C(1) << 40, 100, INT64_C(1000000000000), false},
};

static void test_packets_beyond_each_limit_are_refused(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const struct limit_case *c = &cases[i];
        g_test_message("case %zu", i);
        g_assert_cmpint(
            weir__droptail_is_full(&c->limit, c->packets, c->bytes, c->size_bytes, c->rate_bps), ==,
            c->full);
    }
}

static void test_no_limit_takes_everything(void)
{
    struct weir__queue_limit none = {.packets = 0};
    for (int64_t n = 0; n < INT64_C(1) << 40; n = 3 * n + 1) {
        g_assert_false(weir__droptail_is_full(&none, n, 1500 * n, 1500, 1000));
    }
}

/* Filling by the rule never breaks the invariant of the header. */
static void test_filled_queue_keeps_the_invariant(void)
{
    struct weir__queue_limit limit = {.packets = 40, .bytes = 30000, .time_ns = WEIR_MS(150)};
    for (int64_t rate_bps = 500000; rate_bps <= 4000000; rate_bps += 500000) {
        int64_t packets = 0;
        int64_t bytes = 0;
        for (int64_t i = 0; i < 200; i++) {
            int64_t size_bytes = 40 + i * 37 % 1460;
            if (!weir__droptail_is_full(&limit, packets, bytes, size_bytes, rate_bps)) {
                packets++;
                bytes += size_bytes;
            }
        }
        g_assert_cmpint(packets, <=, limit.packets);
        g_assert_cmpint(bytes, <=, limit.bytes);
        g_assert_cmpint(weir_send_time_ns(bytes, rate_bps), <=, limit.time_ns);
        g_assert_cmpint(packets, >, 5);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/queue_droptail/packets_beyond_each_limit_are_refused",
                    test_packets_beyond_each_limit_are_refused);
    g_test_add_func("/sim/queue_droptail/no_limit_takes_everything",
                    test_no_limit_takes_everything);
    g_test_add_func("/sim/queue_droptail/filled_queue_keeps_the_invariant",
                    test_filled_queue_keeps_the_invariant);
    return g_test_run();
}
