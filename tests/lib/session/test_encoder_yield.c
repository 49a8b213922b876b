/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/encoder_yield.h"

#include <glib.h>

#include "weir/units.h"

#define FRAME_NS WEIR_MS(33)

/* An encoder that makes `made` of what it is told, in frames, while the target changes each second.
 * Returns when it ends. */
static int64_t run(struct weir__encoder_yield *yield, int64_t from_ns, int64_t for_ns, double made)
{
    int64_t now_ns = from_ns;
    double debt_bytes = 0.0;
    for (; now_ns < from_ns + for_ns; now_ns += FRAME_NS) {
        int64_t target_bps = now_ns / WEIR_SECONDS(1) % 2 ? WEIR_MBPS(1) : WEIR_MBPS(3);
        debt_bytes += made * (double)target_bps * (double)FRAME_NS * 1e-9 / 8.0;
        weir__encoder_yield_on_media(yield, now_ns, (int64_t)debt_bytes, target_bps);
        debt_bytes -= (double)(int64_t)debt_bytes;
    }
    return now_ns;
}

static void test_who_makes_a_little_less_or_more_is_told_so_much_more_or_less(void)
{
    static const struct {
        double made;
        double correction;
    } table[] = {{1.0, 1.0}, {0.96, 1 / 0.96}, {0.92, 1 / 0.92}, {1.05, 1 / 1.05}, {0.88, 1.0},
                 {0.5, 1.0}, {0.0, 1.0},       {1.15, 1.0},      {4.0, 1.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        struct weir__encoder_yield yield = {0};
        run(&yield, WEIR_SECONDS(1000), WEIR_SECONDS(60), table[i].made);
        g_assert_cmpfloat_with_epsilon(weir__encoder_yield_correction(&yield), table[i].correction,
                                       0.01);
    }
}

static void test_what_is_not_known_yet_is_not_corrected(void)
{
    struct weir__encoder_yield yield = {0};
    g_assert_cmpfloat(weir__encoder_yield_correction(&yield), ==, 1.0);
    int64_t now_ns = run(&yield, 0, WEIR_SECONDS(9), 0.95);
    g_assert_cmpfloat(weir__encoder_yield_correction(&yield), ==, 1.0);
    run(&yield, now_ns, WEIR_SECONDS(3), 0.95);
    g_assert_cmpfloat(weir__encoder_yield_correction(&yield), >, 1.03);
}

static void test_a_pause_is_forgotten_and_its_media_counts_for_nothing(void)
{
    struct weir__encoder_yield yield = {0};
    int64_t now_ns = run(&yield, 0, WEIR_SECONDS(60), 0.95);
    weir__encoder_yield_on_media(&yield, now_ns + WEIR_SECONDS(3600), 1000, WEIR_MBPS(1));
    g_assert_cmpfloat(weir__encoder_yield_correction(&yield), ==, 1.0);
    run(&yield, now_ns + WEIR_SECONDS(3600), WEIR_SECONDS(60), 0.95);
    g_assert_cmpfloat_with_epsilon(weir__encoder_yield_correction(&yield), 1 / 0.95, 0.01);
}

/* The extremes of what a program may say. */
static void test_no_numbers_break_it(void)
{
    static const int64_t targets_bps[] = {0, 1, WEIR_MAX_BPS};
    static const int64_t bytes[] = {0, 1, INT32_MAX};
    struct weir__encoder_yield yield = {0};
    int64_t now_ns = INT64_MIN / 4;
    for (int i = 0; i < 1000; i++) {
        now_ns += i % 7 == 0 ? WEIR_SECONDS(100000) : i % 5 == 0 ? 0 : WEIR_MS(500);
        weir__encoder_yield_on_media(&yield, now_ns, bytes[i / 3 % 3], targets_bps[i % 3]);
        double correction = weir__encoder_yield_correction(&yield);
        g_assert_true(correction >= 0.9 && correction <= 1.12);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/encoder_yield/correction",
                    test_who_makes_a_little_less_or_more_is_told_so_much_more_or_less);
    g_test_add_func("/encoder_yield/not_known", test_what_is_not_known_yet_is_not_corrected);
    g_test_add_func("/encoder_yield/pause",
                    test_a_pause_is_forgotten_and_its_media_counts_for_nothing);
    g_test_add_func("/encoder_yield/extremes", test_no_numbers_break_it);
    return g_test_run();
}
