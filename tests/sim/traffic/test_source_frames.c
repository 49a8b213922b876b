/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/source_rig.h"
#include <string.h>

#define FPS 25

static const int64_t sizes[] = {12000, 700, 1, 900};

static struct weir__source_config frames(void)
{
    struct weir__source_config config;
    weir__source_config_default(&config, WEIR__SOURCE_FRAMES);
    config.frame_bytes = sizes;
    config.n_frames = G_N_ELEMENTS(sizes);
    return config;
}

static void test_listed_frames_come_evenly_and_in_a_loop(void)
{
    struct weir__source_config config = frames();
    config.start_ns = WEIR_SECONDS(2);
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(12) - 1);
    g_assert_cmpuint(rig->seen->len, ==, 10 * FPS);
    for (size_t i = 0; i < rig->seen->len; i++) {
        g_assert_cmpint(rig_unit(rig, i)->at_ns, ==, WEIR_SECONDS(2) + (int64_t)i * WEIR_MS(40));
        g_assert_cmpint(rig_unit(rig, i)->unit.bytes, ==, sizes[i % G_N_ELEMENTS(sizes)]);
        g_assert_true(rig_unit(rig, i)->unit.frame);
    }
    source_rig_free(rig);
}

static int64_t sum_bytes(const int64_t *frame_bytes, int first, int end)
{
    int64_t sum = 0;
    for (int i = first; i < end; i++) {
        sum += frame_bytes[i];
    }
    return sum;
}

/* The figures of the paper, for frames as well as for seconds: minimum 8, mean 456 and peak 1500
 * kbit/s, the peak at about 20 s, the first 15 s below the mean. */
static void test_trace_has_the_published_figures_with_every_seed(void)
{
    int64_t trace[WEIR__VBR_FRAMES];
    for (uint64_t seed = 0; seed < 500; seed++) {
        weir__vbr_trace(trace, 456000, seed);
        g_assert_cmpint(sum_bytes(trace, 0, WEIR__VBR_FRAMES), ==, 456000 / 8 * 30);
        int64_t least_second = INT64_MAX;
        int64_t peak_second = 0;
        for (int i = 0; i < WEIR__VBR_FRAMES; i++) {
            bool peak = trace[i] == 1500000 / 8 / FPS;
            g_assert_cmpint(trace[i], >=, 8000 / 8 / FPS);
            g_assert_cmpint(trace[i], <=, 1500000 / 8 / FPS);
            g_assert_true(peak == (i >= 487 && i < 512));
            g_assert_true(i >= 15 * FPS || trace[i] < 456000 / 8 / FPS);
            if (i + FPS <= WEIR__VBR_FRAMES) {
                int64_t second = sum_bytes(trace, i, i + FPS);
                least_second = MIN(least_second, second);
                peak_second = MAX(peak_second, second);
            }
        }
        g_assert_cmpint(least_second, ==, 8000 / 8);
        g_assert_cmpint(peak_second, ==, 1500000 / 8);
    }
}

static void test_trace_of_another_mean_is_exact_to_the_byte(void)
{
    static const int64_t means_bps[] = {50000, 512000, 999999, 30000000, INT64_C(1000000000000)};
    int64_t trace[WEIR__VBR_FRAMES];
    for (size_t k = 0; k < G_N_ELEMENTS(means_bps); k++) {
        weir__vbr_trace(trace, means_bps[k], 1);
        int64_t peak_bytes = means_bps[k] * 1500 / 456 / 8 / FPS;
        g_assert_cmpint(sum_bytes(trace, 0, WEIR__VBR_FRAMES), ==, means_bps[k] * 30 / 8);
        for (int i = 0; i < WEIR__VBR_FRAMES; i++) {
            g_assert_cmpint(trace[i], >=, 1);
            g_assert_cmpint(trace[i], <=, peak_bytes);
        }
        g_assert_cmpint(trace[500], ==, peak_bytes);
    }
}

static void test_trace_follows_its_seed(void)
{
    int64_t one[WEIR__VBR_FRAMES];
    int64_t same[WEIR__VBR_FRAMES];
    int64_t other[WEIR__VBR_FRAMES];
    weir__vbr_trace(one, 456000, 7);
    weir__vbr_trace(same, 456000, 7);
    weir__vbr_trace(other, 456000, 8);
    g_assert_true(memcmp(one, same, sizeof one) == 0);
    g_assert_true(memcmp(one, other, sizeof one) != 0);
}

/* Nothing useful, but frames: no size is 0 or less. */
static void test_trace_of_hardly_any_rate_has_frames_still(void)
{
    int64_t trace[WEIR__VBR_FRAMES];
    weir__vbr_trace(trace, 1, 1);
    g_assert_cmpint(sum_bytes(trace, 0, WEIR__VBR_FRAMES), ==, WEIR__VBR_FRAMES);
}

static void test_values_outside_their_range_are_refused(void)
{
    static const int64_t empty_frame[] = {5, 0};
    static const int64_t huge_frame[] = {5, INT64_MAX};
    struct weir__source_config bad[4];
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = frames();
        g_assert_cmpint(weir__source_check(&bad[i]), ==, WEIR_OK);
    }
    bad[0].n_frames = 0;
    bad[1].interval_ns = 0;
    bad[2].frame_bytes = empty_frame;
    bad[2].n_frames = 2;
    bad[3].frame_bytes = huge_frame;
    bad[3].n_frames = 2;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__source_check(&bad[i]), ==, WEIR_ERROR_RANGE);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/source_frames/listed_frames_come_evenly_and_in_a_loop",
                    test_listed_frames_come_evenly_and_in_a_loop);
    g_test_add_func("/sim/source_frames/trace_has_the_published_figures_with_every_seed",
                    test_trace_has_the_published_figures_with_every_seed);
    g_test_add_func("/sim/source_frames/trace_of_another_mean_is_exact_to_the_byte",
                    test_trace_of_another_mean_is_exact_to_the_byte);
    g_test_add_func("/sim/source_frames/trace_follows_its_seed", test_trace_follows_its_seed);
    g_test_add_func("/sim/source_frames/trace_of_hardly_any_rate_has_frames_still",
                    test_trace_of_hardly_any_rate_has_frames_still);
    g_test_add_func("/sim/source_frames/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
