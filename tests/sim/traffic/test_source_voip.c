/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/source_rig.h"
#include <math.h>

#define SEEDS       20
#define DURATION_S  2000
#define INTERVAL_NS WEIR_MS(20)

static struct weir__source_config voip(uint64_t seed)
{
    struct weir__source_config config;
    weir__source_config_default(&config, WEIR__SOURCE_VOIP);
    config.seed = seed;
    return config;
}

static void test_padded_voice_is_64_kbps_without_a_gap(void)
{
    struct weir__source_config config = voip(1);
    config.padded = true;
    config.start_ns = WEIR_SECONDS(3);
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(103) - 1);
    g_assert_cmpuint(rig->seen->len, ==, 5000);
    for (size_t i = 0; i < rig->seen->len; i++) {
        g_assert_cmpint(rig_unit(rig, i)->at_ns, ==, WEIR_SECONDS(3) + (int64_t)i * INTERVAL_NS);
        g_assert_cmpint(rig_unit(rig, i)->unit.bytes, ==, 160);
        g_assert_true(rig_unit(rig, i)->unit.starts_talk == (i == 0));
        g_assert_false(rig_unit(rig, i)->unit.frame);
    }
    source_rig_free(rig);
}

struct totals {
    double packets;
    double spurts;
    double talk_s;    /* from the first packet of each spurt to the last */
    double silence_s; /* between a last packet and the first of the next spurt */
    double talking;   /* runs that began with a packet at once */
};

static void add_run(struct totals *totals, const struct source_rig *rig)
{
    totals->packets += rig->seen->len;
    totals->talking += rig_unit(rig, 0)->at_ns == 0;
    for (size_t i = 1; i < rig->seen->len; i++) {
        int64_t gap_ns = rig_unit(rig, i)->at_ns - rig_unit(rig, i - 1)->at_ns;
        if (rig_unit(rig, i)->unit.starts_talk) {
            totals->spurts++;
            totals->silence_s += 1e-9 * (double)gap_ns;
        } else {
            g_assert_cmpint(gap_ns, ==, INTERVAL_NS);
            totals->talk_s += 0.02;
        }
    }
}

/* A spurt of length T has ceil(T / 20 ms) packets: geometric with the mean 1 / (1 - e^(-20 ms /
 * T)). The last part of it comes behind its last packet and counts as silence here. Lengths are
 * exponential: means over n of them have at most the standard deviation mean / sqrt(n), to which
 * short spurts add that of their packets. */
static void check_means(double talk_s, double silence_s)
{
    struct totals totals = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct weir__source_config config = voip(seed);
        config.on_ns = (int64_t)(talk_s * 1e9);
        config.off_ns = (int64_t)(silence_s * 1e9);
        struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(DURATION_S));
        add_run(&totals, rig);
        source_rig_free(rig);
    }
    double n = totals.spurts;
    double packets = 1.0 / (1.0 - exp(-0.02 / talk_s));
    double rest_s = talk_s - 0.02 * (packets - 1.0); /* of talk behind the last packet */
    g_assert_cmpfloat(n, >, 10000);
    assert_near(totals.talk_s / n, talk_s - rest_s, 5.0 * (talk_s + 0.02) / sqrt(n));
    assert_near(totals.silence_s / n, silence_s + rest_s, 5.0 * (silence_s + 0.02) / sqrt(n));
    double share = talk_s / (talk_s + silence_s);
    double deviation = sqrt(2.0 / n) * share * (1.0 - share);
    double rate = totals.packets / (SEEDS * DURATION_S);
    assert_near(rate * talk_s / packets, share, 5.0 * deviation);
}

static void test_talk_and_silence_have_their_means(void)
{
    check_means(1.0, 1.5);
    check_means(0.02, 0.02);
}

/* From the first moment on: 40 % of all calls begin within a spurt. */
static void test_calls_begin_talking_as_often_as_they_talk(void)
{
    int talking = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct weir__source_config config = voip(seed);
        struct source_rig *rig = source_rig_run(&config, 0);
        talking += rig->seen->len == 1;
        source_rig_free(rig);
    }
    assert_near(talking, 800, 5.0 * sqrt(2000 * 0.4 * 0.6));
}

static void test_every_spurt_says_that_it_starts(void)
{
    struct weir__source_config config = voip(3);
    struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(DURATION_S));
    for (size_t i = 0; i < rig->seen->len; i++) {
        bool pause = i == 0 || rig_unit(rig, i)->at_ns - rig_unit(rig, i - 1)->at_ns != INTERVAL_NS;
        g_assert_true(rig_unit(rig, i)->unit.starts_talk == pause);
    }
    source_rig_free(rig);
}

static void test_values_outside_their_range_are_refused(void)
{
    struct weir__source_config bad[5];
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        bad[i] = voip(1);
        g_assert_cmpint(weir__source_check(&bad[i]), ==, WEIR_OK);
    }
    bad[0].unit_bytes = 0;
    bad[1].interval_ns = 0;
    bad[2].on_ns = 0;
    bad[3].off_ns = -1;
    bad[4].on_ns = INT64_MAX;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(weir__source_check(&bad[i]), ==, WEIR_ERROR_RANGE);
    }
    bad[3].padded = true; /* needs no turns */
    g_assert_cmpint(weir__source_check(&bad[3]), ==, WEIR_OK);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/source_voip/padded_voice_is_64_kbps_without_a_gap",
                    test_padded_voice_is_64_kbps_without_a_gap);
    g_test_add_func("/sim/source_voip/talk_and_silence_have_their_means",
                    test_talk_and_silence_have_their_means);
    g_test_add_func("/sim/source_voip/calls_begin_talking_as_often_as_they_talk",
                    test_calls_begin_talking_as_often_as_they_talk);
    g_test_add_func("/sim/source_voip/every_spurt_says_that_it_starts",
                    test_every_spurt_says_that_it_starts);
    g_test_add_func("/sim/source_voip/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
