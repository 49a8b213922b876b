/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/sim_test.h"
#include "sim/traffic/source.h"
#include "sim/traffic/source_rig.h"

static const int64_t frame_bytes[] = {5000, 300, 400};

/* A working source of each kind. */
static struct weir__source_config config_of(enum weir__source_kind kind)
{
    struct weir__source_config config;
    weir__source_config_default(&config, kind);
    if (kind == WEIR__SOURCE_CBR || kind == WEIR__SOURCE_PARETO) {
        config.rate_bps = 500000;
    }
    if (kind == WEIR__SOURCE_FRAMES) {
        config.frame_bytes = frame_bytes;
        config.n_frames = G_N_ELEMENTS(frame_bytes);
    }
    return config;
}

static void test_start_and_stop_are_kept_by_every_kind(void)
{
    for (enum weir__source_kind kind = WEIR__SOURCE_CBR; kind <= WEIR__SOURCE_ENCODER; kind++) {
        struct weir__source_config config = config_of(kind);
        config.start_ns = WEIR_SECONDS(20);
        config.stop_ns = WEIR_SECONDS(200);
        struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(1000));
        g_assert_cmpuint(rig->seen->len, >, 100);
        g_assert_cmpint(rig_unit(rig, 0)->at_ns, >=, WEIR_SECONDS(20));
        g_assert_cmpint(rig_unit(rig, rig->seen->len - 1)->at_ns, <, WEIR_SECONDS(200));
        g_assert_cmpint(weir__sim_next_event_ns(&rig->sim), ==, WEIR_NEVER_NS);
        source_rig_free(rig);
    }
}

static void test_a_source_stopped_before_it_starts_stays_silent(void)
{
    for (enum weir__source_kind kind = WEIR__SOURCE_CBR; kind <= WEIR__SOURCE_ENCODER; kind++) {
        struct weir__source_config config = config_of(kind);
        config.start_ns = WEIR_SECONDS(2);
        config.stop_ns = WEIR_SECONDS(2);
        struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(100));
        g_assert_cmpuint(rig->seen->len, ==, 0);
        source_rig_free(rig);
    }
}

static void test_counters_are_what_was_handed_over(void)
{
    for (enum weir__source_kind kind = WEIR__SOURCE_CBR; kind <= WEIR__SOURCE_ENCODER; kind++) {
        struct weir__source_config config = config_of(kind);
        struct source_rig *rig = source_rig_run(&config, WEIR_SECONDS(100));
        g_assert_cmpint(weir__source_bytes(rig->source), ==, rig_bytes(rig));
        for (size_t i = 0; i < rig->seen->len; i++) {
            g_assert_cmpint(rig_unit(rig, i)->unit.bytes, >, 0);
            g_assert_cmpint(i > 0 ? rig_unit(rig, i - 1)->at_ns : 0, <=, rig_unit(rig, i)->at_ns);
        }
        source_rig_free(rig);
    }
}

static bool same_units(const struct weir__source_config *a, const struct weir__source_config *b)
{
    struct source_rig *one = source_rig_run(a, WEIR_SECONDS(30));
    struct source_rig *other = source_rig_run(b, WEIR_SECONDS(30));
    bool same = one->seen->len == other->seen->len;
    for (size_t i = 0; same && i < one->seen->len; i++) {
        same = rig_unit(one, i)->at_ns == rig_unit(other, i)->at_ns &&
               rig_unit(one, i)->unit.bytes == rig_unit(other, i)->unit.bytes;
    }
    source_rig_free(one);
    source_rig_free(other);
    return same;
}

static void test_seed_and_stream_decide_what_is_drawn(void)
{
    static const enum weir__source_kind drawing[] = {WEIR__SOURCE_PARETO, WEIR__SOURCE_VOIP,
                                                     WEIR__SOURCE_ENCODER};
    for (size_t i = 0; i < G_N_ELEMENTS(drawing); i++) {
        struct weir__source_config config = config_of(drawing[i]);
        struct weir__source_config other_seed = config;
        struct weir__source_config other_stream = config;
        other_seed.seed = 2;
        other_stream.stream = 1;
        g_assert_true(same_units(&config, &config));
        g_assert_false(same_units(&config, &other_seed));
        g_assert_false(same_units(&config, &other_stream));
    }
}

/* FNV-1a of the times and sizes of all units, the target of an encoder changing now and then. */
static uint64_t hash_of_run(enum weir__source_kind kind)
{
    struct weir__source_config config = config_of(kind);
    struct source_rig *rig = source_rig_new(&config);
    uint64_t hash = HASH_START;
    for (int64_t i = 0; i < 100; i++) {
        weir__source_set_target(rig->source, 200000 + i * i % 17 * 70000);
        weir__sim_run_until(&rig->sim, i * WEIR_MS(1100));
    }
    for (size_t i = 0; i < rig->seen->len; i++) {
        hash = hash_u64(hash, (uint64_t)rig_unit(rig, i)->at_ns);
        hash = hash_u64(hash, (uint64_t)rig_unit(rig, i)->unit.bytes);
    }
    source_rig_free(rig);
    return hash;
}

/* With every compiler and optimisation: computed once. */
static void test_units_are_the_same_bits_everywhere(void)
{
    static const uint64_t expected[] = {
        [WEIR__SOURCE_CBR] = UINT64_C(0xa5cadee8caa7f545),
        [WEIR__SOURCE_PARETO] = UINT64_C(0x86ed51806e9143c2),
        [WEIR__SOURCE_VOIP] = UINT64_C(0x41a37cbd3d6dd6a7),
        [WEIR__SOURCE_FRAMES] = UINT64_C(0xd85791c3ec254482),
        [WEIR__SOURCE_ENCODER] = UINT64_C(0x080116011fd7cbdd),
    };
    for (enum weir__source_kind kind = WEIR__SOURCE_CBR; kind <= WEIR__SOURCE_ENCODER; kind++) {
        g_assert_cmphex(hash_of_run(kind), ==, expected[kind]);
    }
}

static void test_values_outside_their_range_are_refused(void)
{
    for (enum weir__source_kind kind = WEIR__SOURCE_CBR; kind <= WEIR__SOURCE_ENCODER; kind++) {
        struct weir__source_config config = config_of(kind);
        g_assert_cmpint(weir__source_check(&config), ==, WEIR_OK);
        config.start_ns = -1;
        g_assert_cmpint(weir__source_check(&config), ==, WEIR_ERROR_RANGE);
    }
}

static void test_a_kind_that_is_none_is_refused(void)
{
    static const int kinds[] = {-1, WEIR__SOURCE_ENCODER + 1, 1000};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        struct weir__source_config config;
        struct weir__source *source = NULL;
        struct weir__sim sim;
        weir__sim_init(&sim);
        weir__source_config_default(&config, (enum weir__source_kind)kinds[i]);
        g_assert_cmpint(weir__source_check(&config), ==, WEIR_ERROR_RANGE);
        g_assert_cmpint(weir__source_create(&source, &sim, &config), ==, WEIR_ERROR_RANGE);
        g_assert_null(source);
    }
}

static void test_only_the_encoder_follows_a_target(void)
{
    for (enum weir__source_kind kind = WEIR__SOURCE_CBR; kind <= WEIR__SOURCE_ENCODER; kind++) {
        struct weir__source_config config = config_of(kind);
        struct source_rig *plain = source_rig_run(&config, WEIR_SECONDS(60));
        struct source_rig *told = source_rig_new(&config);
        weir__source_set_target(told->source, 1000000);
        weir__sim_run_until(&told->sim, WEIR_SECONDS(60));
        bool same = rig_bytes(plain) == rig_bytes(told);
        g_assert_true(same == (kind != WEIR__SOURCE_ENCODER));
        source_rig_free(plain);
        source_rig_free(told);
    }
}

static void test_nothing_can_be_destroyed(void)
{
    weir__source_destroy(NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/source/start_and_stop_are_kept_by_every_kind",
                    test_start_and_stop_are_kept_by_every_kind);
    g_test_add_func("/sim/source/a_source_stopped_before_it_starts_stays_silent",
                    test_a_source_stopped_before_it_starts_stays_silent);
    g_test_add_func("/sim/source/counters_are_what_was_handed_over",
                    test_counters_are_what_was_handed_over);
    g_test_add_func("/sim/source/seed_and_stream_decide_what_is_drawn",
                    test_seed_and_stream_decide_what_is_drawn);
    g_test_add_func("/sim/source/units_are_the_same_bits_everywhere",
                    test_units_are_the_same_bits_everywhere);
    g_test_add_func("/sim/source/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    g_test_add_func("/sim/source/a_kind_that_is_none_is_refused",
                    test_a_kind_that_is_none_is_refused);
    g_test_add_func("/sim/source/only_the_encoder_follows_a_target",
                    test_only_the_encoder_follows_a_target);
    g_test_add_func("/sim/source/nothing_can_be_destroyed", test_nothing_can_be_destroyed);
    return g_test_run();
}
