/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/source_rig.h"
#include <math.h>

static struct weir__source_config cbr(int64_t rate_bps, int64_t unit_bytes)
{
    struct weir__source_config config;
    weir__source_config_default(&config, WEIR__SOURCE_CBR);
    config.rate_bps = rate_bps;
    config.unit_bytes = unit_bytes;
    return config;
}

/* Packet i of a constant rate comes at floor(i bits / rate): exact after any number of them. */
static void test_packets_come_at_exact_times_without_drift(void)
{
    static const int64_t rates_bps[] = {7, 64000, 700000, 999983, 3000000, 1000000000};
    for (size_t k = 0; k < G_N_ELEMENTS(rates_bps); k++) {
        struct weir__source_config config = cbr(rates_bps[k], 1500);
        config.start_ns = WEIR_SECONDS(3);
        int64_t bit_ns = WEIR_SECONDS(12000);
        struct source_rig *rig =
            source_rig_run(&config, WEIR_SECONDS(3) + 20000 * (bit_ns / rates_bps[k]));
        g_assert_cmpuint(rig->seen->len, >=, 20000);
        for (int64_t i = 0; i < (int64_t)rig->seen->len; i++) {
            /* whole + fraction, since i bit_ns overflows */
            int64_t exact_ns =
                i * (bit_ns / rates_bps[k]) + i * (bit_ns % rates_bps[k]) / rates_bps[k];
            g_assert_cmpint(rig_unit(rig, (size_t)i)->at_ns, ==, WEIR_SECONDS(3) + exact_ns);
            g_assert_cmpint(rig_unit(rig, (size_t)i)->unit.bytes, ==, 1500);
        }
        source_rig_free(rig);
    }
}

static void test_square_wave_begins_on_or_off(void)
{
    for (int off_first = 0; off_first <= 1; off_first++) {
        struct weir__source_config config = cbr(700000, 1500);
        config.start_ns = WEIR_SECONDS(5);
        config.on_ns = WEIR_SECONDS(20);
        config.off_ns = WEIR_SECONDS(10);
        config.begins_off = off_first;
        struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(305) - 1);
        int64_t on_from_ns = off_first ? WEIR_SECONDS(10) : 0;
        int first = 0;
        for (size_t i = 0; i < rig->seen->len; i++) {
            int64_t phase_ns =
                (rig_unit(rig, i)->at_ns - WEIR_SECONDS(5)) % WEIR_SECONDS(30) - on_from_ns;
            g_assert_cmpint(phase_ns, >=, 0);
            g_assert_cmpint(phase_ns, <, WEIR_SECONDS(20));
            first += phase_ns == 0;
        }
        g_assert_cmpint(first, ==, 10);                        /* each "on" begins with a packet */
        g_assert_cmpuint(rig->seen->len, ==, 10 * (1166 + 1)); /* 20 s of 58.33 packets each */
        source_rig_free(rig);
    }
}

/* 500 kbit/s of 1000 bytes, then 250, then none, then 1000: the bits of all collect. */
static void test_rate_changes_take_effect_at_their_time(void)
{
    static const struct weir__schedule_step steps[] = {
        {.at_ns = WEIR_MS(1004), .rate_bps = 250000},
        {.at_ns = WEIR_MS(2000), .rate_bps = 0},
        {.at_ns = WEIR_MS(3001), .rate_bps = 1000000},
    };
    /* 4 ms before the change half a packet had collected; the rest takes 16 ms. */
    static const int64_t first_ms[] = {0, 16, 32};
    struct weir__source_config config = cbr(500000, 1000);
    config.steps = steps;
    config.n_steps = G_N_ELEMENTS(steps);
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(4));
    for (size_t i = 0; i < G_N_ELEMENTS(first_ms); i++) {
        g_assert_cmpint(rig_unit(rig, i)->at_ns, ==, WEIR_MS(first_ms[i]));
    }
    g_assert_cmpint(rig_unit(rig, 62)->at_ns, ==, WEIR_MS(992));
    g_assert_cmpint(rig_unit(rig, 63)->at_ns, ==, WEIR_MS(1012)); /* 12 ms at 500, 8 at 250 */
    g_assert_cmpint(rig_unit(rig, 64)->at_ns, ==, WEIR_MS(1044));
    g_assert_cmpint(rig_unit(rig, 93)->at_ns, ==, WEIR_MS(1972));
    g_assert_cmpint(rig_unit(rig, 94)->at_ns, ==, WEIR_MS(3001)); /* at once after silence */
    g_assert_cmpint(rig_unit(rig, 95)->at_ns, ==, WEIR_MS(3009));
    source_rig_free(rig);
}

/* The schedule counts from time 0: a source that starts later starts with the rate of then. */
static void test_schedule_is_in_absolute_time(void)
{
    static const struct weir__schedule_step steps[] = {
        {.at_ns = 0, .rate_bps = 80000},
        {.at_ns = WEIR_SECONDS(10), .rate_bps = 8000},
        {.at_ns = WEIR_SECONDS(20), .rate_bps = 0},
    };
    struct weir__source_config config = cbr(999, 1000);
    config.start_ns = WEIR_SECONDS(8);
    config.steps = steps;
    config.n_steps = G_N_ELEMENTS(steps);
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(100));
    g_assert_cmpuint(rig->seen->len, ==, 20 + 10);
    g_assert_cmpint(rig_unit(rig, 1)->at_ns, ==, WEIR_MS(8100));
    g_assert_cmpint(rig_unit(rig, 29)->at_ns, ==, WEIR_SECONDS(19));
    g_assert_cmpint(weir__sim_next_event_ns(&rig->sim), ==, WEIR_NEVER_NS);
    source_rig_free(rig);
}

/* Whatever the rates, the bits sent are the integral of the rate, to a packet. */
static void test_bits_sent_are_the_integral_of_the_rate(void)
{
    struct weir__schedule_step steps[1000];
    double bits = 0.0;
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        steps[i].at_ns = (int64_t)i * WEIR_MS(37);
        steps[i].rate_bps = 1 + (int64_t)(i * i * 7919 % 1000003);
        bits += 0.037 * (double)steps[i].rate_bps;
    }
    struct weir__source_config config = cbr(1, 700);
    config.steps = steps;
    config.n_steps = G_N_ELEMENTS(steps);
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(37) - 1);
    g_assert_cmpuint(rig->seen->len, ==, 1 + (guint)(bits / (8 * 700)));
    source_rig_free(rig);
}

static void test_schedule_and_wave_work_together(void)
{
    static const struct weir__schedule_step steps[] = {
        {.at_ns = WEIR_SECONDS(10), .rate_bps = 0},
        {.at_ns = WEIR_MS(12500), .rate_bps = 80000},
    };
    struct weir__source_config config = cbr(8000, 1000);
    config.on_ns = WEIR_SECONDS(2);
    config.off_ns = WEIR_SECONDS(2);
    config.steps = steps;
    config.n_steps = G_N_ELEMENTS(steps);
    struct source_rig *rig = source_rig_run(&config, WEIR_MS(18500));
    /* on 0-2, 4-6, 8-10 with 2 packets each; then 12.5-14 with 15, 16-18 with 20 */
    g_assert_cmpuint(rig->seen->len, ==, 6 + 15 + 20);
    g_assert_cmpint(rig_unit(rig, 6)->at_ns, ==, WEIR_MS(12500));
    g_assert_cmpint(rig_unit(rig, 21)->at_ns, ==, WEIR_SECONDS(16));
    source_rig_free(rig);
}

/* A silence of any length costs one step, however short the turns of the wave are. */
static void test_silence_is_skipped_at_once(void)
{
    static const struct weir__schedule_step steps[] = {
        {.at_ns = 0, .rate_bps = 0},
        {.at_ns = WEIR_SECONDS(1000000), .rate_bps = 8000},
    };
    struct weir__source_config config = cbr(8000, 1000);
    config.on_ns = 1;
    config.off_ns = 1;
    config.steps = steps;
    config.n_steps = G_N_ELEMENTS(steps);
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(1000000));
    g_assert_cmpuint(rig->seen->len, ==, 1);
    g_assert_cmpint(rig_unit(rig, 0)->at_ns, ==, WEIR_SECONDS(1000000));
    source_rig_free(rig);
}

static void test_values_outside_their_range_are_refused(void)
{
    static const struct weir__schedule_step falling[] = {{.at_ns = 5, .rate_bps = 1},
                                                         {.at_ns = 5, .rate_bps = 1}};
    static const struct weir__schedule_step negative[] = {{.at_ns = 5, .rate_bps = -1}};
    struct weir__source_config bad[11];
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = cbr(700000, 1500);
        g_assert_cmpint(weir__source_check(&bad[i]), ==, WEIR_OK);
    }
    bad[0].rate_bps = 0;
    bad[1].rate_bps = INT64_MAX;
    bad[2].unit_bytes = 0;
    bad[3].unit_bytes = 1000001;
    bad[4].on_ns = 5;
    bad[5].off_ns = 5;
    bad[6].on_ns = bad[6].off_ns = -5;
    bad[7].on_ns = bad[7].off_ns = INT64_MAX;
    bad[8].begins_off = true;
    bad[9].steps = falling;
    bad[9].n_steps = 2;
    bad[10].steps = negative;
    bad[10].n_steps = 1;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__source_check(&bad[i]), ==, WEIR_ERROR_RANGE);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/source_cbr/packets_come_at_exact_times_without_drift",
                    test_packets_come_at_exact_times_without_drift);
    g_test_add_func("/sim/source_cbr/square_wave_begins_on_or_off",
                    test_square_wave_begins_on_or_off);
    g_test_add_func("/sim/source_cbr/rate_changes_take_effect_at_their_time",
                    test_rate_changes_take_effect_at_their_time);
    g_test_add_func("/sim/source_cbr/schedule_is_in_absolute_time",
                    test_schedule_is_in_absolute_time);
    g_test_add_func("/sim/source_cbr/bits_sent_are_the_integral_of_the_rate",
                    test_bits_sent_are_the_integral_of_the_rate);
    g_test_add_func("/sim/source_cbr/schedule_and_wave_work_together",
                    test_schedule_and_wave_work_together);
    g_test_add_func("/sim/source_cbr/silence_is_skipped_at_once", test_silence_is_skipped_at_once);
    g_test_add_func("/sim/source_cbr/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
