/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test.h"
#include "weir/quality.h"

#include <math.h>

static void test_r_score_of_known_conditions(void)
{
    static const struct {
        double loss_ratio, delay_ms, r;
    } rows[] = {
        {0.0, 0.0, 94.2},       {0.0, 10.0, 93.96},    {0.0, 50.0, 93.00},
        {0.0, 150.0, 90.60},    {0.0, 177.3, 89.9448}, {0.0, 250.0, 80.2030},
        {0.0, 300.0, 73.5030},  {0.01, 50.0, 88.8071}, {0.01, 200.0, 82.7101},
        {0.05, 100.0, 75.0115}, {0.2, 150.0, 49.0112}, {0.0, 100.0, 91.80},
        {0.0, 200.0, 86.9030},  {0.0, 400.0, 60.1030}, {0.0, 500.0, 46.7030},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double r = weir_r_score(&weir_impairment_g711, rows[i].loss_ratio, rows[i].delay_ms);
        assert_near(r, rows[i].r, 1e-4);
    }
}

static void test_r_score_falls_with_loss_and_with_delay(void)
{
    for (int loss = 0; loss <= 100; loss++) {
        double previous = INFINITY;
        for (int delay_ms = 0; delay_ms <= 1500; delay_ms += 5) {
            double r = weir_r_score(&weir_impairment_g711, loss / 100.0, delay_ms);
            double lossier = weir_r_score(&weir_impairment_g711, (loss + 1) / 100.0, delay_ms);
            g_assert_cmpfloat(r, <=, previous);
            g_assert_cmpfloat(lossier, <=, r);
            g_assert_cmpfloat(r, >=, 0.0);
            g_assert_cmpfloat(r, <=, 94.2);
            previous = r;
        }
    }
}

static void test_r_score_takes_absurd_input_as_the_nearest_bound(void)
{
    const struct weir_codec_impairment *g711 = &weir_impairment_g711;
    assert_near(weir_r_score(g711, -1.0, -5.0), 94.2, 1e-12);
    assert_near(weir_r_score(g711, 2.0, 0.0), weir_r_score(g711, 1.0, 0.0), 1e-12);
    assert_near(weir_r_score(g711, (double)NAN, (double)NAN), 94.2, 1e-12);
    assert_near(weir_r_score(g711, 0.0, (double)INFINITY), 0.0, 1e-12);
    const struct weir_codec_impairment broken = {.intercept = 0, .slope = 30, .knee = -5};
    assert_near(weir_r_score(&broken, 1.0, 0.0), 0.0, 1e-12);
}

static void test_r_score_follows_the_curve_of_the_codec(void)
{
    /* G.729 at 2 % loss: 94.2 - 11 - 40 ln 1.2. */
    const struct weir_codec_impairment g729 = {.intercept = 11, .slope = 40, .knee = 10};
    assert_near(weir_r_score(&g729, 0.02, 0.0), 94.2 - 11 - 40 * log(1.2), 1e-9);
    assert_near(weir_r_score(&g729, 0.0, 0.0), 83.2, 1e-9);
}

static void test_mos_of_known_r_scores(void)
{
    static const struct {
        double r, mos;
    } rows[] = {
        {-10, 1.0},       {0, 1.0},         {3, 1.0},    {60, 3.1},   {50, 2.575},
        {80, 4.024},      {70, 3.597},      {40, 2.064}, {20, 1.252}, {90, 4.339},
        {93.2, 4.409286}, {94.2, 4.427861}, {100, 4.5},  {120, 4.5},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_near(weir_mos(rows[i].r), rows[i].mos, 1e-4);
    }
}

static void test_mos_rises_with_r_and_stays_in_1_to_4_5(void)
{
    double previous = 1.0;
    for (int tenth = -100; tenth <= 1200; tenth++) {
        double mos = weir_mos(tenth / 10.0);
        g_assert_cmpfloat(mos, >=, previous);
        g_assert_cmpfloat(mos, <=, 4.5);
        previous = mos;
    }
    assert_near(weir_mos((double)NAN), 1.0, 1e-12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/quality/emodel/r_score_of_known_conditions",
                    test_r_score_of_known_conditions);
    g_test_add_func("/quality/emodel/r_score_falls_with_loss_and_with_delay",
                    test_r_score_falls_with_loss_and_with_delay);
    g_test_add_func("/quality/emodel/r_score_takes_absurd_input_as_the_nearest_bound",
                    test_r_score_takes_absurd_input_as_the_nearest_bound);
    g_test_add_func("/quality/emodel/r_score_follows_the_curve_of_the_codec",
                    test_r_score_follows_the_curve_of_the_codec);
    g_test_add_func("/quality/emodel/mos_of_known_r_scores", test_mos_of_known_r_scores);
    g_test_add_func("/quality/emodel/mos_rises_with_r_and_stays_in_1_to_4_5",
                    test_mos_rises_with_r_and_stays_in_1_to_4_5);
    return g_test_run();
}
