/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is remembered, when it fades, when a restart begins and ends. */
#include "../../test.h"
#include "estimators/faster_restart.h"

#define R_NS WEIR_MS(100)

static void feed(struct weir__faster_restart *r, int64_t now_ns, double x_recv, bool loss,
                 bool data_limited)
{
    weir__faster_restart_on_feedback(
        r, &(struct weir__faster_restart_feedback){.now_ns = now_ns,
                                                   .rtt_ns = R_NS,
                                                   .x_recv = x_recv,
                                                   .loss = loss,
                                                   .data_limited = data_limited});
}

static void the_highest_rate_is_remembered_and_fades(void)
{
    const int64_t memory_ns = WEIR__FASTER_RESTART_MEMORY_NS;
    struct weir__faster_restart r = {0};
    feed(&r, 0, 500.0, false, false);
    feed(&r, WEIR_MS(100), 800.0, false, false);
    feed(&r, WEIR_MS(200), 300.0, false, false);
    assert_near(weir__faster_restart_fast_max(&r, WEIR_MS(200)), 800.0, 1e-12);
    assert_near(weir__faster_restart_fast_max(&r, WEIR_MS(100) + memory_ns), 800.0, 1e-9);
    assert_near(weir__faster_restart_fast_max(&r, WEIR_MS(100) + memory_ns * 3 / 2), 400.0, 1e-9);
    assert_near(weir__faster_restart_fast_max(&r, WEIR_MS(100) + memory_ns * 3), 0.0, 1e-12);
}

static void loss_halves_it_and_ends_a_restart(void)
{
    struct weir__faster_restart r = {0};
    feed(&r, 0, 800.0, false, false);
    weir__faster_restart_on_idle_end(&r, WEIR_SECONDS(10));
    assert_near(weir__faster_restart_ceiling(&r, WEIR_SECONDS(10), 100.0), 1600.0, 1e-9);
    feed(&r, WEIR_SECONDS(10), 700.0, true, false);
    assert_near(weir__faster_restart_fast_max(&r, WEIR_SECONDS(10)), 400.0, 1e-9);
    assert_near(weir__faster_restart_ceiling(&r, WEIR_SECONDS(10), 100.0), 0.0, 1e-12);
}

static void a_restart_ends_at_the_ceiling_or_after_eight_round_trips(void)
{
    struct weir__faster_restart r = {0};
    feed(&r, 0, 800.0, false, false);
    weir__faster_restart_on_idle_end(&r, WEIR_SECONDS(10));
    assert_near(weir__faster_restart_ceiling(&r, WEIR_SECONDS(10), 1600.0), 0.0, 1e-12);
    feed(&r, WEIR_SECONDS(10) + 8 * R_NS, 100.0, false, false);
    g_assert_true(r.restarting);
    feed(&r, WEIR_SECONDS(10) + 8 * R_NS + 1, 100.0, false, false);
    g_assert_false(r.restarting);
}

static void four_data_limited_round_trips_earn_a_restart(void)
{
    for (int rounds = 1; rounds < 8; rounds++) {
        struct weir__faster_restart r = {0};
        for (int i = 0; i < rounds; i++) {
            feed(&r, i * R_NS, 100.0, false, true);
        }
        feed(&r, rounds * R_NS, 100.0, false, false);
        g_assert_true(r.restarting == (rounds >= 4));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/faster_restart/" #name, name)
    ADD(the_highest_rate_is_remembered_and_fades);
    ADD(loss_halves_it_and_ends_a_restart);
    ADD(a_restart_ends_at_the_ceiling_or_after_eight_round_trips);
    ADD(four_data_limited_round_trips_earn_a_restart);
    return g_test_run();
}
