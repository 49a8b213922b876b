/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/source_rig.h"
#include <math.h>

#define SEEDS 20

static struct weir__source_config encoder(uint64_t seed)
{
    struct weir__source_config config;
    weir__source_config_default(&config, WEIR__SOURCE_ENCODER);
    config.max_bps = 20000000;
    config.seed = seed;
    return config;
}

static struct weir__source_config exact_encoder(void)
{
    struct weir__source_config config = encoder(1);
    config.scale_time = 0.0;
    config.scale_bytes = 0.0;
    config.interval_ns = WEIR_MS(40); /* 25 frames a second: 5000 bytes at 1 Mbit/s */
    return config;
}

static double mean_bps(uint64_t seed, int64_t target_bps, int64_t duration_s)
{
    struct weir__source_config config = encoder(seed);
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, target_bps);
    weir__sim_run_until(&rig->sim, WEIR_SECONDS(duration_s));
    double bps = 8.0 * (double)weir__source_bytes(rig->source) / (double)duration_s;
    source_rig_free(rig);
    return bps;
}

/* Sizes and intervals both vary with the standard deviation sqrt(2) 0.15: the rate over n frames
 * has sqrt(2) of that / sqrt(n). The large first frame is made up for, whatever the rate, but for
 * what is owed at the end. */
static void test_mean_rate_is_the_target(void)
{
    static const int64_t targets_bps[] = {150000, 405000, 1000000, 5000000, 20000000};
    int64_t duration_s = 300;
    double deviation = 2.0 * 0.15 / sqrt((double)(SEEDS * duration_s * 30));
    for (size_t k = 0; k < G_N_ELEMENTS(targets_bps); k++) {
        double bps = 0.0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            bps += mean_bps(seed, targets_bps[k], duration_s) / SEEDS;
        }
        assert_near(bps / (double)targets_bps[k], 1.0, 5.0 * deviation);
    }
}

static double variance(const double *values, size_t n, double mean)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (values[i] - mean) * (values[i] - mean);
    }
    return sum / (double)n;
}

/* Laplace noise of scale b has the variance 2 b^2; its square has the relative standard deviation
 * sqrt(5), since the fourth moment is 24 b^4. Cutting off the tail below 0.1 takes less than 2 %.
 */
static void test_sizes_and_intervals_vary_as_laplace(void)
{
    struct weir__source_config config = encoder(5);
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, 4000000);
    weir__sim_run_until(&rig->sim, WEIR_SECONDS(3000));
    size_t first = 100; /* behind the transition */
    size_t n = rig->seen->len - first - 1;
    double *sizes = g_new(double, n);
    double *intervals = g_new(double, n);
    for (size_t i = 0; i < n; i++) {
        const struct seen_unit *seen = rig_unit(rig, first + i);
        sizes[i] = (double)seen->unit.bytes / (4000000.0 / 30 / 8);
        intervals[i] = (double)(rig_unit(rig, first + i + 1)->at_ns - seen->at_ns) * 30e-9;
        g_assert_cmpfloat(intervals[i], >=, 0.0999);
    }
    double tolerance = 2 * 0.15 * 0.15 * (5.0 * sqrt(5.0 / (double)n) + 0.02);
    assert_near(variance(sizes, n, 1.0), 2 * 0.15 * 0.15, tolerance);
    assert_near(variance(intervals, n, 1.0), 2 * 0.15 * 0.15, tolerance);
    g_free(sizes);
    g_free(intervals);
    source_rig_free(rig);
}

/* 1 Mbit/s, 8 frames of 5000 bytes: 13500, then 7 of (40000 - 13500) / 7. */
static void test_transition_has_a_large_frame_and_then_smaller_ones(void)
{
    struct weir__source_config config = exact_encoder();
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, 1000000);
    weir__sim_run_until(&rig->sim, WEIR_SECONDS(1));
    g_assert_cmpint(rig_unit(rig, 0)->unit.bytes, ==, 13500);
    g_assert_true(rig_unit(rig, 0)->unit.key_frame);
    for (size_t i = 1; i < rig->seen->len; i++) {
        g_assert_cmpint(rig_unit(rig, i)->unit.bytes, ==, i < 8 ? 3786 : 5000);
        g_assert_false(rig_unit(rig, i)->unit.key_frame);
    }
    source_rig_free(rig);
}

/* At 150 kbit/s a frame has 750 bytes, and 17 of them owe 675 each of the 12750. */
static void test_low_rates_spread_the_transition_over_more_frames(void)
{
    struct weir__source_config config = exact_encoder();
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(4) - 1);
    g_assert_cmpint(rig_unit(rig, 0)->unit.bytes, ==, 13500);
    for (size_t i = 1; i < rig->seen->len; i++) {
        g_assert_cmpint(rig_unit(rig, i)->unit.bytes, >=, 75);
        g_assert_true((rig_unit(rig, i)->unit.bytes == 750) == (i > 19));
    }
    g_assert_cmpint(rig_bytes(rig), ==, 100 * 750);
    source_rig_free(rig);
}

/* Above 2.7 Mbit/s the first frame is smaller than the mean, and the others take the rest. */
static void test_high_rates_begin_with_a_smaller_frame(void)
{
    struct weir__source_config config = exact_encoder();
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, 10000000);
    weir__sim_run_until(&rig->sim, WEIR_MS(320) - 1);
    g_assert_cmpint(rig_unit(rig, 0)->unit.bytes, ==, 13500);
    g_assert_cmpint(rig_unit(rig, 7)->unit.bytes, ==, 55214);
    g_assert_cmpint(llabs(rig_bytes(rig) - 8 * 50000), <=, 4); /* rounding */
    source_rig_free(rig);
}

/* A new target with every frame; what is followed is seen in the sizes of steady frames. */
static void test_rate_changes_at_most_once_per_reaction_time(void)
{
    struct weir__source_config config = exact_encoder();
    config.burst_frames = 1;
    config.first_frame_bytes = 1;
    struct source_rig *rig = source_rig_new(&config);
    for (int64_t i = 0; i < 2000; i++) { /* steps below a tenth: no transitions */
        weir__source_set_target(rig->source, 4000000 + i * 1000);
        weir__sim_run_until(&rig->sim, i * WEIR_MS(40));
    }
    int64_t changed_ns = 0;
    size_t changes = 0;
    for (size_t i = 3; i < rig->seen->len; i++) {
        if (rig_unit(rig, i)->unit.bytes != rig_unit(rig, i - 1)->unit.bytes) {
            g_assert_cmpint(rig_unit(rig, i)->at_ns - changed_ns, >=, WEIR_MS(200));
            changed_ns = rig_unit(rig, i)->at_ns;
            changes++;
        }
    }
    g_assert_cmpuint(changes, ==, 399);
    source_rig_free(rig);
}

/* A target within the reaction time is followed when that is over, though nobody repeats it. */
static void test_last_target_is_not_forgotten(void)
{
    struct weir__source_config config = exact_encoder();
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, 1000000);
    weir__sim_run_until(&rig->sim, WEIR_MS(10));
    weir__source_set_target(rig->source, 950000);
    weir__sim_run_until(&rig->sim, WEIR_SECONDS(1));
    g_assert_cmpint(rig_unit(rig, 4)->unit.bytes, ==, 3786);
    g_assert_cmpint(rig_unit(rig, 5)->unit.bytes, ==, 3536); /* at 200 ms */
    g_assert_cmpint(rig_unit(rig, 8)->unit.bytes, ==, 4750);
    source_rig_free(rig);
}

static void test_only_changes_of_a_tenth_begin_a_transition(void)
{
    static const struct {
        int64_t target_bps;
        bool abrupt;
    } rows[] = {{1099000, false}, {1100000, true}, {901000, false}, {900000, true}};
    for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
        struct weir__source_config config = exact_encoder();
        struct source_rig *rig = source_rig_new(&config);
        weir__source_set_target(rig->source, 1000000);
        weir__sim_run_until(&rig->sim, WEIR_MS(990));
        weir__source_set_target(rig->source, rows[k].target_bps);
        weir__sim_run_until(&rig->sim, WEIR_MS(1000));
        g_assert_true(rig_unit(rig, 25)->unit.key_frame == rows[k].abrupt);
        source_rig_free(rig);
    }
}

/* Abrupt changes all the time, up and down: what a transition owes is paid before the next. */
static void test_mean_rate_is_kept_under_constant_change(void)
{
    struct weir__source_config config = exact_encoder();
    struct source_rig *rig = source_rig_new(&config);
    for (int64_t i = 0; i < 1000; i++) {
        weir__source_set_target(rig->source, i % 2 == 0 ? 150000 : 250000);
        weir__sim_run_until(&rig->sim, (i + 1) * WEIR_MS(200) - 1);
    }
    assert_near((double)rig_bytes(rig), 200 * 200000 / 8, 13500);
    source_rig_free(rig);
}

static void test_target_is_kept_within_its_bounds(void)
{
    static const int64_t targets_bps[] = {-5, 0, 1, 149999, 20000001, INT64_MAX};
    for (size_t k = 0; k < G_N_ELEMENTS(targets_bps); k++) {
        struct weir__source_config config = exact_encoder();
        struct source_rig *rig = source_rig_new(&config);
        weir__source_set_target(rig->source, targets_bps[k]);
        weir__sim_run_until(&rig->sim, WEIR_SECONDS(4));
        int64_t bound_bps = targets_bps[k] > 1000000 ? 20000000 : 150000;
        g_assert_cmpint(rig_unit(rig, 90)->unit.bytes, ==, bound_bps / 200);
        source_rig_free(rig);
    }
}

/* 1 to 3 Mbit/s at 1 s: after the lag 1 - 1/e of the way, with every frame on the same curve, and
 * down likewise. */
static void test_frames_follow_with_a_lag(void)
{
    static const int64_t lags_ms[] = {100, 300, 600};
    for (size_t k = 0; k < G_N_ELEMENTS(lags_ms); k++) {
        struct weir__source_config config = exact_encoder();
        config.burst_frames = 0;
        config.reaction_ns = 0;
        config.lag_ns = WEIR_MS(lags_ms[k]);
        config.lag_down_ns = config.lag_ns / 5;
        struct source_rig *rig = source_rig_new(&config);
        weir__source_set_target(rig->source, 1000000);
        weir__sim_run_until(&rig->sim, WEIR_MS(1000)); /* the 26th frame is at 1 s */
        weir__source_set_target(rig->source, 3000000);
        weir__sim_run_until(&rig->sim, WEIR_MS(4000));
        weir__source_set_target(rig->source, 1000000);
        weir__sim_run_until(&rig->sim, WEIR_MS(6000));
        for (size_t i = 0; i < 75; i++) {
            double left = exp(-40.0 * (double)i / (double)lags_ms[k]);
            assert_near((double)rig_unit(rig, 25 + i)->unit.bytes, 15000.0 - 10000.0 * left, 1.0);
        }
        double left = exp(-200.0 / (double)lags_ms[k]);
        double above = (double)rig_unit(rig, 100)->unit.bytes - 5000.0;
        assert_near((double)rig_unit(rig, 101)->unit.bytes, 5000.0 + above * left, 1.0);
        source_rig_free(rig);
    }
}

/* 13500 bytes every two seconds, made up for by those behind it. */
static void test_large_frames_come_at_regular_intervals(void)
{
    struct weir__source_config config = exact_encoder();
    config.key_interval_ns = WEIR_SECONDS(2);
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, 1000000);
    weir__sim_run_until(&rig->sim, WEIR_SECONDS(20) - 1);
    for (size_t i = 0; i < rig->seen->len; i++) {
        g_assert_true(rig_unit(rig, i)->unit.key_frame == (i % 50 == 0));
        g_assert_true((rig_unit(rig, i)->unit.bytes == 13500) == (i % 50 == 0));
    }
    g_assert_cmpint(llabs(rig_bytes(rig) - INT64_C(500) * 5000), <, 50); /* rounding */
    source_rig_free(rig);
}

static void test_without_burst_frames_no_frame_is_large(void)
{
    struct weir__source_config config = exact_encoder();
    config.burst_frames = 0;
    config.key_interval_ns = WEIR_SECONDS(1);
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, 1000000);
    weir__sim_run_until(&rig->sim, WEIR_SECONDS(2));
    weir__source_set_target(rig->source, 2000000);
    weir__sim_run_until(&rig->sim, WEIR_SECONDS(4));
    for (size_t i = 0; i < rig->seen->len; i++) {
        int64_t bytes = rig_unit(rig, i)->unit.bytes;
        g_assert_true(bytes == 5000 || bytes == 10000);
    }
    source_rig_free(rig);
}

/* Frames that are skipped have no bytes and their time; then all is as before, and what was asked
 * for meanwhile comes. */
static void test_frames_are_skipped(void)
{
    struct weir__source_config config = exact_encoder();
    config.burst_frames = 0;
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, 1000000);
    for (int64_t i = 0; i < 50; i++) {
        rig->skips = i % 10 >= 7;
        if (i == 28) {
            weir__source_ask_key_frame(rig->source);
        }
        weir__sim_run_until(&rig->sim, i * WEIR_MS(40));
        const struct seen_unit *seen = rig_unit(rig, (size_t)i);
        g_assert_cmpint(seen->at_ns, ==, i * WEIR_MS(40));
        g_assert_cmpint(seen->unit.skipped, ==, rig->skips);
        g_assert_cmpint(seen->unit.bytes, ==, rig->skips ? 0 : 5000);
        g_assert_cmpint(seen->unit.key_frame, ==, i == 30);
    }
    g_assert_cmpint(weir__source_bytes(rig->source), ==, 35 * 5000);
    source_rig_free(rig);
}

/* The next frame, or the first behind a transition; once. */
static void test_a_key_frame_can_be_asked_for(void)
{
    static const struct {
        int64_t burst_frames, key_frame, key_bytes;
    } rows[] = {{0, 20, 5000}, {4, 20, 13500}, {30, 30, 13500}};
    for (size_t row = 0; row < G_N_ELEMENTS(rows); row++) {
        struct weir__source_config config = exact_encoder();
        config.burst_frames = rows[row].burst_frames;
        struct source_rig *rig = source_rig_new(&config);
        weir__source_set_target(rig->source, 1000000);
        weir__sim_run_until(&rig->sim, 20 * WEIR_MS(40) - 1);
        weir__source_ask_key_frame(rig->source);
        weir__sim_run_until(&rig->sim, WEIR_SECONDS(3));
        for (size_t i = 1; i < rig->seen->len; i++) {
            const struct weir__unit *unit = &rig_unit(rig, i)->unit;
            g_assert_cmpint(unit->key_frame, ==, (int64_t)i == rows[row].key_frame);
            g_assert_true(!unit->key_frame || unit->bytes == rows[row].key_bytes);
        }
        source_rig_free(rig);
    }
}

/* Silence whatever the phase of frames and turns, and frames again with the turn. What was asked
 * for meanwhile holds at once. */
static void test_silence_takes_turns_with_media(void)
{
    for (int off_first = 0; off_first < 2; off_first++) {
        struct weir__source_config config = exact_encoder();
        config.start_ns = WEIR_MS(70);
        config.on_ns = WEIR_MS(1010);
        config.off_ns = WEIR_SECONDS(3);
        config.begins_off = off_first == 1;
        config.burst_frames = 0;
        config.lag_ns = WEIR_MS(300);
        config.lag_down_ns = WEIR_MS(300);
        int64_t first_ns = config.start_ns + (off_first == 1 ? config.off_ns : 0);
        struct source_rig *rig = source_rig_new(&config);
        weir__source_set_target(rig->source, 1000000);
        weir__sim_run_until(&rig->sim, first_ns + WEIR_SECONDS(2));
        weir__source_set_target(rig->source, 3000000);
        weir__sim_run_until(&rig->sim, first_ns + WEIR_SECONDS(5));
        g_assert_cmpuint(rig->seen->len, ==, 26 + 25);
        g_assert_cmpint(rig_unit(rig, 0)->at_ns, ==, first_ns);
        g_assert_cmpint(rig_unit(rig, 25)->at_ns, ==, first_ns + WEIR_MS(1000));
        g_assert_cmpint(rig_unit(rig, 26)->at_ns, ==, first_ns + WEIR_MS(4010));
        assert_near((double)rig_unit(rig, 26)->unit.bytes, 15000.0, 1.0);
        source_rig_free(rig);
    }
}

/* 4 bits for each of 1280x720, whatever is asked for. */
static void test_no_frame_has_fewer_bits_than_the_floor(void)
{
    struct weir__source_config config = exact_encoder();
    config.width_pixels = 1280;
    config.height_pixels = 720;
    config.floor_ubits_per_pixel = 4000000;
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, 600000);
    weir__sim_run_until(&rig->sim, WEIR_SECONDS(2));
    g_assert_cmpuint(rig->seen->len, >=, 50); /* of 25 a second */
    for (guint i = 0; i < rig->seen->len; i++) {
        const struct weir__unit *unit = &rig_unit(rig, i)->unit;
        g_assert_cmpint(unit->bytes, ==, 1280 * 720 * 4 / 8);
        g_assert_cmpint(unit->pixels, ==, unit->source_pixels);
        g_assert_false(unit->resized);
    }
    source_rig_free(rig);
}

/* It becomes so small that the floor is below the target; frames that are left out count. */
static void test_a_smaller_picture_brings_the_rate_to_the_target(void)
{
    static const enum weir_degradation ways[] = {WEIR_DEGRADATION_BALANCED,
                                                 WEIR_DEGRADATION_MAINTAIN_FRAMERATE};
    for (size_t way = 0; way < G_N_ELEMENTS(ways); way++) {
        struct weir__source_config config = exact_encoder();
        config.width_pixels = 1280;
        config.height_pixels = 720;
        config.floor_ubits_per_pixel = 4000000;
        config.scales = true;
        config.degradation = ways[way];
        struct source_rig *rig = source_rig_new(&config);
        weir__source_set_target(rig->source, 600000);
        weir__sim_run_until(&rig->sim, WEIR_SECONDS(5));
        int64_t before = weir__source_bytes(rig->source);
        guint first = rig->seen->len;
        weir__sim_run_until(&rig->sim, WEIR_SECONDS(25));
        double bps = 8.0 * (double)(weir__source_bytes(rig->source) - before) / 20.0;
        double fps = (double)(rig->seen->len - first) / 20.0;
        const struct weir__unit *last = &rig_unit(rig, rig->seen->len - 1)->unit;
        g_assert_cmpfloat(bps, <=, 606000.0);
        g_assert_cmpfloat(bps, >=, 594000.0);
        g_assert_cmpint(8 * last->bytes, >=, 4 * last->pixels);
        double share = (double)last->pixels / (double)last->source_pixels;
        assert_near(fps, 25.0 * share * 1280 * 720 / (double)last->pixels, 0.1);
        source_rig_free(rig);
    }
}

/* Exact; 720p takes 3 Mbit/s at the least, and the picture shrinks for less. */
static struct weir__source_config scaled_encoder(void)
{
    struct weir__source_config config = exact_encoder();
    config.width_pixels = 1280;
    config.height_pixels = 720;
    config.floor_ubits_per_pixel = 130208; /* 15000 bytes, 3 Mbit/s */
    config.scales = true;
    config.degradation = WEIR_DEGRADATION_MAINTAIN_FRAMERATE;
    return config;
}

/* An encoder that makes twice its target and skips every other frame has the target's rate: its
 * picture becomes smaller all the same. */
static void test_skipped_frames_count_for_the_picture(void)
{
    struct weir__source_config config = scaled_encoder();
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, 1500000);
    for (int64_t i = 0; i < 50; i++) {
        rig->skips = i % 2 == 1;
        weir__sim_run_until(&rig->sim, i * WEIR_MS(40));
    }
    g_assert_cmpint(rig_unit(rig, 48)->unit.pixels, <, INT64_C(1280) * 720);
    source_rig_free(rig);
}

/* While no frame is made at all the picture shrinks as far as the target asks, and no further. */
static void test_a_picture_shrinks_while_frames_are_skipped(void)
{
    struct weir__source_config config = scaled_encoder();
    struct source_rig *rig = source_rig_new(&config);
    weir__source_set_target(rig->source, 5000000);
    for (int64_t i = 0; i < 250; i++) {
        rig->skips = i >= 50 && i < 200;
        weir__source_set_target(rig->source, i < 50 ? 5000000 : 500000);
        weir__sim_run_until(&rig->sim, i * WEIR_MS(40));
    }
    g_assert_cmpint(rig_unit(rig, 49)->unit.pixels, ==, 1280 * 720);
    const struct weir__unit *first = &rig_unit(rig, 200)->unit;
    g_test_message("%d pixels, %d bytes", (int)first->pixels, (int)first->bytes);
    g_assert_true(first->resized);
    g_assert_cmpint(first->pixels, <, 1280 * 720);
    g_assert_cmpint(first->pixels, >=, 320 * 180);
    source_rig_free(rig);
}

static void test_values_outside_their_range_are_refused(void)
{
    struct weir__source_config bad[19];
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = encoder(1);
        g_assert_cmpint(weir__source_check(&bad[i]), ==, WEIR_OK);
    }
    bad[0].min_bps = 0;
    bad[1].max_bps = bad[1].min_bps - 1;
    bad[2].max_bps = INT64_MAX;
    bad[3].interval_ns = 0;
    bad[4].reaction_ns = -1;
    bad[5].burst_frames = -1;
    bad[6].first_frame_bytes = 0;
    bad[7].scale_time = -0.1;
    bad[8].scale_bytes = 1.1;
    bad[9].scale_bytes = (double)NAN;
    bad[10].lag_ns = -1;
    bad[11].key_interval_ns = -1;
    bad[12].off_ns = 1;
    bad[13].begins_off = true;
    bad[14].lag_down_ns = -1;
    bad[15].scales = true; /* without a picture */
    bad[16].floor_ubits_per_pixel = 1;
    bad[17].width_pixels = 640;
    bad[18].width_pixels = bad[18].height_pixels = 65536;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__source_check(&bad[i]), ==, WEIR_ERROR_RANGE);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/source_encoder/mean_rate_is_the_target", test_mean_rate_is_the_target);
    g_test_add_func("/sim/source_encoder/sizes_and_intervals_vary_as_laplace",
                    test_sizes_and_intervals_vary_as_laplace);
    g_test_add_func("/sim/source_encoder/transition_has_a_large_frame_and_then_smaller_ones",
                    test_transition_has_a_large_frame_and_then_smaller_ones);
    g_test_add_func("/sim/source_encoder/low_rates_spread_the_transition_over_more_frames",
                    test_low_rates_spread_the_transition_over_more_frames);
    g_test_add_func("/sim/source_encoder/high_rates_begin_with_a_smaller_frame",
                    test_high_rates_begin_with_a_smaller_frame);
    g_test_add_func("/sim/source_encoder/rate_changes_at_most_once_per_reaction_time",
                    test_rate_changes_at_most_once_per_reaction_time);
    g_test_add_func("/sim/source_encoder/last_target_is_not_forgotten",
                    test_last_target_is_not_forgotten);
    g_test_add_func("/sim/source_encoder/only_changes_of_a_tenth_begin_a_transition",
                    test_only_changes_of_a_tenth_begin_a_transition);
    g_test_add_func("/sim/source_encoder/mean_rate_is_kept_under_constant_change",
                    test_mean_rate_is_kept_under_constant_change);
    g_test_add_func("/sim/source_encoder/target_is_kept_within_its_bounds",
                    test_target_is_kept_within_its_bounds);
    g_test_add_func("/sim/source_encoder/frames_follow_with_a_lag", test_frames_follow_with_a_lag);
    g_test_add_func("/sim/source_encoder/large_frames_come_at_regular_intervals",
                    test_large_frames_come_at_regular_intervals);
    g_test_add_func("/sim/source_encoder/without_burst_frames_no_frame_is_large",
                    test_without_burst_frames_no_frame_is_large);
    g_test_add_func("/sim/source_encoder/frames_are_skipped", test_frames_are_skipped);
    g_test_add_func("/sim/source_encoder/a_key_frame_can_be_asked_for",
                    test_a_key_frame_can_be_asked_for);
    g_test_add_func("/sim/source_encoder/silence_takes_turns_with_media",
                    test_silence_takes_turns_with_media);
    g_test_add_func("/sim/source_encoder/no_frame_has_fewer_bits_than_the_floor",
                    test_no_frame_has_fewer_bits_than_the_floor);
    g_test_add_func("/sim/source_encoder/a_smaller_picture_brings_the_rate_to_the_target",
                    test_a_smaller_picture_brings_the_rate_to_the_target);
    g_test_add_func("/sim/source_encoder/skipped_frames_count_for_the_picture",
                    test_skipped_frames_count_for_the_picture);
    g_test_add_func("/sim/source_encoder/shrinks_while_frames_are_skipped",
                    test_a_picture_shrinks_while_frames_are_skipped);
    g_test_add_func("/sim/source_encoder/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
