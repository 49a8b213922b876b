/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/standing_delay.h"

#include "weir/units.h"

#define FLOOR_NS WEIR_MS(10)
#define LOOP_NS  WEIR_MS(200)

/* Feeds a delay that is known to unsure_ns, and a falling rate, each 50 ms for 5 s; whether it is
 * ever called the path's. */
static bool is_reroute(int64_t queue_ns, int64_t wander_ns, int64_t unsure_ns, double end_share)
{
    struct weir__standing_delay standing = {0};
    bool found = false;
    for (int i = 0; i <= 100; i++) {
        double rate_bps = 1e6 * (1.0 - (1.0 - end_share) * i / 100.0);
        int64_t at_ns = WEIR_MS(50 * i);
        int64_t at_least_ns = queue_ns + (i % 2) * wander_ns;
        struct weir__delay_range queue = {at_least_ns, at_least_ns + unsure_ns};
        found |= weir__standing_delay_sample(&standing, at_ns, &queue, rate_bps, FLOOR_NS, LOOP_NS);
    }
    return found;
}

static void only_a_delay_that_stands_while_the_rate_halves_is_a_longer_path(void)
{
    static const struct {
        int64_t queue_ms, wander_ms, unsure_ms;
        double end_share;
        bool is_reroute;
    } rows[] = {
        {40, 0, 0, 0.3, true},    {40, 8, 0, 0.3, true},  {500, 2, 0, 0.45, true},
        {40, 9, 0, 0.3, false},                           /* it moves: a queue */
        {40, 28, 20, 0.3, true},                          /* one delay would explain it */
        {40, 29, 20, 0.3, false}, {40, 0, 0, 0.6, false}, /* the rate has not fallen far enough to
                                                             tell */
        {10, 0, 0, 0.3, false},                           /* nobody minds */
        {0, 0, 0, 0.1, false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_test_message("row %d", (int)i);
        g_assert_true(is_reroute(WEIR_MS(rows[i].queue_ms), WEIR_MS(rows[i].wander_ms),
                                 WEIR_MS(rows[i].unsure_ms),
                                 rows[i].end_share) == rows[i].is_reroute);
    }
}

static void it_takes_a_second_and_two_loops(void)
{
    struct weir__standing_delay standing = {0};
    int64_t at_ns = 0;
    const struct weir__delay_range queue = {WEIR_MS(40), WEIR_MS(45)};
    const struct weir__delay_range nearer = {WEIR_MS(38), WEIR_MS(42)};
    weir__standing_delay_sample(&standing, 0, &queue, 1e6, FLOOR_NS, LOOP_NS);
    while (!weir__standing_delay_sample(&standing, at_ns, &nearer, 1e5, FLOOR_NS, LOOP_NS)) {
        at_ns += WEIR_MS(10);
    }
    g_assert_cmpint(at_ns, ==, WEIR_SECONDS(1) + 2 * LOOP_NS);
    g_assert_cmpint(standing.least_ns, ==, WEIR_MS(42));
    g_assert_false(standing.known);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/standing_delay/" #name, name)
    ADD(only_a_delay_that_stands_while_the_rate_halves_is_a_longer_path);
    ADD(it_takes_a_second_and_two_loops);
    return g_test_run();
}
