/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/trendline.h"

#include "weir/units.h"

/* Groups each 10 ms whose delay grows by slope ms per ms, without smoothing. */
static double slope_of(double slope, int n)
{
    struct weir__trendline t = {0};
    for (int i = 0; i < n; i++) {
        weir__trendline_add(&t, 0.0, 10.0 * slope, WEIR_MS(10) * i);
    }
    return t.slope;
}

static void the_slope_is_that_of_the_delays(void)
{
    static const double slopes[] = {0.0, 0.01, 0.1, 1.0, -0.05, -1.0};
    for (size_t i = 0; i < G_N_ELEMENTS(slopes); i++) {
        assert_near(slope_of(slopes[i], 60), slopes[i], 1e-9);
        g_assert_cmpfloat(slope_of(slopes[i], WEIR__TRENDLINE_POINTS - 1), ==, 0.0);
        assert_near(slope_of(slopes[i], WEIR__TRENDLINE_POINTS), slopes[i], 1e-9);
    }
}

/* What is older than 20 groups does not matter. */
static void old_groups_are_forgotten(void)
{
    struct weir__trendline t = {0};
    for (int i = 0; i < 500; i++) {
        weir__trendline_add(&t, 0.0, i < 400 ? 3.0 : 0.5, WEIR_MS(10) * i);
    }
    assert_near(t.slope, 0.05, 1e-9);
}

/* 30 groups at 10 ms, 30 at 11, 10 at 10 and 20 at 9, with the smoothing of libwebrtc. */
static void a_queue_that_fills_and_drains(void)
{
    static const struct {
        int group;
        double slope;
    } known[] = {{20, 0.0},     {31, 0.00014}, {36, 0.00607}, {41, 0.02212}, {46, 0.04344},
                 {60, 0.07983}, {70, 0.07356}, {76, 0.04551}, {90, -0.05929}};
    struct weir__trendline t = {0};
    int64_t arrived_ms = 0;
    size_t next = 0;
    for (int group = 1; group <= 90; group++) {
        int gap_ms = group <= 30 ? 10 : group <= 60 ? 11 : group <= 70 ? 10 : 9;
        arrived_ms += gap_ms;
        weir__trendline_add(&t, 0.9, gap_ms - 10, WEIR_MS(arrived_ms));
        if (group == known[next].group) {
            assert_near(t.slope, known[next++].slope, 5e-6);
        }
    }
    g_assert_cmpuint(next, ==, G_N_ELEMENTS(known));
}

static void points_at_one_time_leave_the_slope_alone(void)
{
    struct weir__trendline t = {0};
    for (int i = 0; i < 30; i++) {
        weir__trendline_add(&t, 0.9, 5.0, WEIR_SECONDS(1));
    }
    g_assert_cmpfloat(t.slope, ==, 0.0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/trendline/" #name, name)
    ADD(the_slope_is_that_of_the_delays);
    ADD(old_groups_are_forgotten);
    ADD(a_queue_that_fills_and_drains);
    ADD(points_at_one_time_leave_the_slope_alone);
    return g_test_run();
}
