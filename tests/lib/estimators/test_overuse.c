/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/overuse.h"
#include "estimators/trendline.h"

#include "weir/units.h"

static const struct weir__overuse_gains gains = {
    .trend = 4.0, .up = 0.0087, .down = 0.039, .over_ms = 10.0};

/* The detector behind the trendline: groups sent 10 ms apart. */
struct life {
    struct weir__trendline trendline;
    struct weir__overuse overuse;
    int64_t arrived_ms;
};

static void add_group(struct life *life, int gap_ms)
{
    life->arrived_ms += gap_ms;
    weir__trendline_add(&life->trendline, 0.9, gap_ms - 10, WEIR_MS(life->arrived_ms));
    weir__overuse_detect(&life->overuse, &gains, life->trendline.slope, life->trendline.n_deltas,
                         10.0, WEIR_MS(life->arrived_ms));
}

/* 30 groups at 10 ms, 30 at 11 (10 % too much), 10 at 10, 20 at 9: overuse is found after 15
 * groups, underuse after 16. */
static void a_queue_that_fills_and_drains(void)
{
    static const struct {
        int group;
        double trend_ms, threshold_ms;
        int usage;
    } known[] = {
        {20, 0.0, 6.0, 0},       {31, 0.018, 6.0, 0},     {36, 0.874, 6.0, 0},
        {41, 3.627, 6.0, 0},     {46, 7.994, 6.290, 1},   {60, 19.158, 13.398, 1},
        {70, 17.653, 16.760, 1}, {76, 10.923, 13.070, 0}, {90, -14.229, 7.809, -1},
    };
    struct life life = {.arrived_ms = 0};
    weir__overuse_init(&life.overuse);
    size_t next = 0;
    int first_over = 0, first_under = 0;
    for (int group = 1; group <= 90; group++) {
        add_group(&life, group <= 30 ? 10 : group <= 60 ? 11 : group <= 70 ? 10 : 9);
        first_over = !first_over && life.overuse.usage == WEIR__USAGE_OVER ? group : first_over;
        first_under = !first_under && life.overuse.usage == WEIR__USAGE_UNDER ? group : first_under;
        if (group == known[next].group) {
            g_test_message("group %d", group);
            assert_near(life.overuse.trend_ms, known[next].trend_ms, 5.1e-4);
            assert_near(life.overuse.threshold_ms, known[next].threshold_ms, 5.1e-4);
            g_assert_cmpint(life.overuse.usage, ==, known[next++].usage);
        }
    }
    g_assert_cmpuint(next, ==, G_N_ELEMENTS(known));
    g_assert_cmpint(first_over, ==, 45);
    g_assert_cmpint(first_under, ==, 86);
}

static void detect(struct weir__overuse *o, double trend_ms, int64_t at_ms)
{
    weir__overuse_detect(o, &gains, trend_ms / 240.0, 60, 20.0, WEIR_MS(at_ms));
}

/* One group above the threshold is noise, and so is a trend that falls again. */
static void overuse_lasts(void)
{
    struct weir__overuse o;
    weir__overuse_init(&o);
    detect(&o, 20.0, 0);
    g_assert_cmpint(o.usage, ==, WEIR__USAGE_NORMAL);
    detect(&o, 19.0, 20);
    g_assert_cmpint(o.usage, ==, WEIR__USAGE_NORMAL);
    detect(&o, 20.0, 40);
    g_assert_cmpint(o.usage, ==, WEIR__USAGE_OVER);
    detect(&o, 5.0, 60);
    g_assert_cmpint(o.usage, ==, WEIR__USAGE_NORMAL);
    detect(&o, -20.0, 80);
    g_assert_cmpint(o.usage, ==, WEIR__USAGE_UNDER);
}

/* Not by spikes, not beyond its bounds, not by more than 100 ms at once. */
static void the_threshold_follows_within_bounds(void)
{
    struct weir__overuse o;
    weir__overuse_init(&o);
    detect(&o, 0.0, 0);
    g_assert_cmpfloat(o.threshold_ms, ==, 12.5); /* the first has no time to move it */
    detect(&o, 27.6, 50);
    g_assert_cmpfloat(o.threshold_ms, ==, 12.5); /* 15.1 above: a spike */
    detect(&o, 22.5, 60);
    assert_near(o.threshold_ms, 12.5 + 0.0087 * 10.0 * 10.0, 1e-9);
    double before_ms = o.threshold_ms;
    detect(&o, before_ms + 1.0, 100000);
    assert_near(o.threshold_ms, before_ms + 0.0087 * 100.0, 1e-9);
    for (int64_t i = 0; i < 100; i++) {
        detect(&o, 0.0, 100000 + 20 * i);
    }
    g_assert_cmpfloat(o.threshold_ms, ==, 6.0);
    for (int64_t i = 0; i < 10000; i++) {
        detect(&o, o.threshold_ms + 14.0, 200000 + 20 * i);
    }
    g_assert_cmpfloat(o.threshold_ms, ==, 600.0);
}

/* A clock that runs backwards moves nothing. */
static void time_that_runs_backwards_moves_nothing(void)
{
    struct weir__overuse o;
    weir__overuse_init(&o);
    detect(&o, 0.0, 5000);
    detect(&o, 14.0, 100);
    g_assert_cmpfloat(o.threshold_ms, ==, 12.5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/overuse/" #name, name)
    ADD(a_queue_that_fills_and_drains);
    ADD(overuse_lasts);
    ADD(the_threshold_follows_within_bounds);
    ADD(time_that_runs_backwards_moves_nothing);
    return g_test_run();
}
