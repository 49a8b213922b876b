/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gcc's rate control by itself: the states, each kind of increase and decrease. */
#include "../../test.h"
#include "controllers/gcc_aimd.h"

#include <math.h>

#include "weir/units.h"

static struct weir__gcc_aimd begun(double rate_bps)
{
    struct weir__gcc_aimd aimd;
    weir__gcc_aimd_init(&aimd, 0.85, 1.08, rate_bps);
    return aimd;
}

static double update(struct weir__gcc_aimd *aimd, int64_t now_ms, enum weir__usage usage,
                     double acked_bps)
{
    weir__gcc_aimd_update(aimd, &(struct weir__gcc_aimd_input){.now_ns = WEIR_MS(now_ms),
                                                               .usage = usage,
                                                               .acked_bps = acked_bps,
                                                               .rtt_ns = WEIR_MS(100),
                                                               .min_bps = 5000.0});
    return aimd->rate_bps;
}

/* gcc-02 5.5, where a decrease is over when it is made. */
static void states_follow_the_signal(void)
{
    static const struct {
        enum weir__gcc_state before;
        enum weir__usage usage;
        enum weir__gcc_state after;
    } rows[] = {
        {WEIR__GCC_HOLD, WEIR__USAGE_OVER, WEIR__GCC_HOLD},
        {WEIR__GCC_INCREASE, WEIR__USAGE_OVER, WEIR__GCC_HOLD},
        {WEIR__GCC_HOLD, WEIR__USAGE_NORMAL, WEIR__GCC_INCREASE},
        {WEIR__GCC_INCREASE, WEIR__USAGE_NORMAL, WEIR__GCC_INCREASE},
        {WEIR__GCC_HOLD, WEIR__USAGE_UNDER, WEIR__GCC_HOLD},
        {WEIR__GCC_INCREASE, WEIR__USAGE_UNDER, WEIR__GCC_HOLD},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__gcc_aimd aimd = begun(1e6);
        aimd.state = rows[i].before;
        update(&aimd, 1000, rows[i].usage, 1e6);
        g_assert_cmpint(aimd.state, ==, rows[i].after);
    }
}

static void without_a_capacity_it_grows_by_8_percent_per_second(void)
{
    struct weir__gcc_aimd aimd = begun(1e6);
    g_assert_cmpfloat(update(&aimd, 0, WEIR__USAGE_NORMAL, 1e6), ==, 1001000.0);
    assert_near(update(&aimd, 500, WEIR__USAGE_NORMAL, 1e6), 1001000.0 * sqrt(1.08), 1e-6);
    double before_bps = aimd.rate_bps;
    assert_near(update(&aimd, 9000, WEIR__USAGE_NORMAL, 1e6), 1.08 * before_bps, 1e-6);
}

/* The table of the increase near the capacity: half a packet of a frame per response time. */
static void near_the_capacity_it_grows_by_half_a_packet(void)
{
    static const struct {
        double rate_bps, per_s_bps;
    } rows[] = {
        {300000.0, 12500.0}, /* 10000 bits, 2 packets */
        {100000.0, 100000.0 / 30.0 / 0.4},
        {20000.0, 4000.0}, /* the least */
        {3000000.0, 1e5 / 11.0 / 0.4},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double rate = rows[i].rate_bps;
        struct weir__gcc_aimd aimd = begun(rate);
        weir__link_capacity_sample(&aimd.capacity, rate);
        update(&aimd, 0, WEIR__USAGE_NORMAL, rate);
        assert_near(aimd.rate_bps, rate, 1e-6);
        assert_near(update(&aimd, 2000, WEIR__USAGE_NORMAL, rate), rate + 2.0 * rows[i].per_s_bps,
                    1e-6);
    }
}

/* Far more arrives than the capacity that was known: it is forgotten. */
static void another_capacity_is_found_fast(void)
{
    struct weir__gcc_aimd aimd = begun(1e6);
    weir__link_capacity_sample(&aimd.capacity, 1e6);
    update(&aimd, 0, WEIR__USAGE_NORMAL, 1.05e6);
    g_assert_true(aimd.capacity.known);
    update(&aimd, 1000, WEIR__USAGE_NORMAL, 1.07e6);
    g_assert_false(aimd.capacity.known);
}

static void growth_ends_above_what_arrives(void)
{
    struct weir__gcc_aimd aimd = begun(1e6);
    g_assert_cmpfloat(update(&aimd, 0, WEIR__USAGE_NORMAL, 100000.0), ==, 1e6);
    struct weir__gcc_aimd low = begun(159500.0);
    g_assert_cmpfloat(update(&low, 0, WEIR__USAGE_NORMAL, 100000.0), ==, 160000.0);
}

static void a_decrease_goes_below_what_arrives(void)
{
    static const struct {
        double rate_bps, acked_bps, capacity_bps, after_bps;
    } rows[] = {
        {1e6, 8e5, 0.0, 675000.0},     /* 0.85 of it, less 5 kbit/s */
        {1e6, 6000.0, 0.0, 5000.0},    /* 5100, less 5000: the least */
        {1e6, 2e6, 0.0, 1e6},          /* more than the rate, and no capacity known: no change */
        {1e6, 1.5e6, 1.1e6, 935000.0}, /* 0.85 of the capacity then */
        {1e6, 2e6, 1.5e6, 1e6},        /* an overuse never raises */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__gcc_aimd aimd = begun(rows[i].rate_bps);
        if (rows[i].capacity_bps > 0.0) {
            weir__link_capacity_sample(&aimd.capacity, rows[i].capacity_bps);
        }
        g_test_message("row %d", (int)i);
        assert_near(update(&aimd, 0, WEIR__USAGE_OVER, rows[i].acked_bps), rows[i].after_bps, 1e-6);
        g_assert_true(aimd.capacity.known);
    }
}

/* Once per round trip; at once when less than half of the rate arrives. */
static void an_overuse_that_goes_on_is_answered_again(void)
{
    struct weir__gcc_aimd aimd = begun(1e6);
    double after_bps = update(&aimd, 0, WEIR__USAGE_OVER, 1e6);
    g_assert_cmpfloat(update(&aimd, 99, WEIR__USAGE_OVER, 8e5), ==, after_bps);
    g_assert_cmpfloat(update(&aimd, 99, WEIR__USAGE_OVER, 4e5), <, after_bps);
    after_bps = aimd.rate_bps;
    g_assert_cmpfloat(update(&aimd, 199, WEIR__USAGE_OVER, 3e5), <, after_bps);
}

/* Nothing acknowledged yet: half, each 200 ms. */
static void without_a_measured_rate_overuse_halves(void)
{
    struct weir__gcc_aimd aimd = begun(1e6);
    g_assert_cmpfloat(update(&aimd, 0, WEIR__USAGE_OVER, 0.0), ==, 5e5);
    g_assert_cmpfloat(update(&aimd, 199, WEIR__USAGE_OVER, 0.0), ==, 5e5);
    g_assert_cmpfloat(update(&aimd, 200, WEIR__USAGE_OVER, 0.0), ==, 2.5e5);
    g_assert_false(aimd.capacity.known);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/gcc_aimd/" #name, name)
    ADD(states_follow_the_signal);
    ADD(without_a_capacity_it_grows_by_8_percent_per_second);
    ADD(near_the_capacity_it_grows_by_half_a_packet);
    ADD(another_capacity_is_found_fast);
    ADD(growth_ends_above_what_arrives);
    ADD(a_decrease_goes_below_what_arrives);
    ADD(an_overuse_that_goes_on_is_answered_again);
    ADD(without_a_measured_rate_overuse_halves);
    return g_test_run();
}
