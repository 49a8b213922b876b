/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/capacity_probe.h"

#include "weir/units.h"

#define CAPACITY 1e6

static struct weir__capacity_probe asked_at(int64_t now_ns)
{
    struct weir__capacity_probe probe;
    weir__capacity_probe_forget(&probe);
    weir__capacity_probe_ask(&probe, now_ns, CAPACITY);
    return probe;
}

static struct weir__capacity_answer answer_at(int64_t now_ns, double bps)
{
    return (struct weir__capacity_answer){
        .now_ns = now_ns, .sent_bytes = 4800, .sent_bps = 2e6, .bps = bps};
}

static void half_a_frame_at_twice_the_capacity(void)
{
    static const struct {
        double capacity_bps, bps;
        int64_t bytes;
    } rows[] = {{0.49e6, 0.0, 0},     /* more than a frame's time */
                {0.5e6, 1.0e6, 4800}, /* four packets at the least */
                {2.0e6, 4.0e6, 7500},
                {8.0e6, 16.0e6, 30000}, /* of which the session sends half */
                {8.1e6, 0.0, 0}};       /* over before it can be measured */
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__capacity_probe probe;
        weir__capacity_probe_forget(&probe);
        g_assert_cmpint(weir__capacity_probe_bytes(&probe), ==, 0);
        weir__capacity_probe_ask(&probe, 0, rows[i].capacity_bps);
        assert_near(probe.bps, rows[i].bps, 1.0);
        g_assert_cmpint(weir__capacity_probe_bytes(&probe), ==, rows[i].bytes);
    }
}

static void well_above_the_capacity_is_another(void)
{
    static const struct {
        double bps;
        bool lost, proves;
    } rows[] = {{2.0e6, false, true},  {1.71e6, false, true}, {1.69e6, false, false},
                {1.0e6, false, false}, {0.0, false, false},   {2.0e6, true, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__capacity_probe probe = asked_at(0);
        struct weir__capacity_answer answer = answer_at(WEIR_MS(100), rows[i].bps);
        answer.lost = rows[i].lost;
        double held_bps = rows[i].proves ? rows[i].bps : 0.0;
        g_assert_true(weir__capacity_probe_take(&probe, &answer, CAPACITY) == rows[i].proves);
        assert_near(weir__capacity_probe_proved_bps(&probe, WEIR_MS(1099)), held_bps, 1e-3);
        g_assert_cmpfloat(weir__capacity_probe_proved_bps(&probe, WEIR_MS(1100)), ==, 0.0);
        g_assert_cmpint(weir__capacity_probe_bytes(&probe), ==, 0);
    }
}

/* A busy link has withdrawn it, or nobody asked. */
static void a_result_that_nobody_waits_for_proves_nothing(void)
{
    struct weir__capacity_answer answer = answer_at(WEIR_MS(100), 2e6);
    struct weir__capacity_probe probe = asked_at(0);
    weir__capacity_probe_on_busy(&probe, CAPACITY);
    g_assert_false(weir__capacity_probe_take(&probe, &answer, CAPACITY));
    weir__capacity_probe_forget(&probe);
    g_assert_false(weir__capacity_probe_take(&probe, &answer, CAPACITY));
    probe = asked_at(0);
    g_assert_false(weir__capacity_probe_take(&probe, &answer, 0.0));
}

/* When the next one is asked for, after each of many of a kind. */
static void assert_apart(bool lost, double then_bps, const double *apart_s, size_t n)
{
    struct weir__capacity_probe probe = asked_at(0);
    int64_t now_ns = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t before_ns = now_ns;
        struct weir__capacity_answer answer = answer_at(now_ns + WEIR_MS(100), 2e6);
        answer.lost = lost;
        weir__capacity_probe_take(&probe, &answer, CAPACITY);
        weir__capacity_probe_on_busy(&probe, then_bps);
        while (probe.bps <= 0.0) {
            now_ns += WEIR_MS(10);
            weir__capacity_probe_ask(&probe, now_ns, CAPACITY);
        }
        assert_near((double)(now_ns - before_ns) * 1e-9, apart_s[i], 0.02);
    }
}

static void what_was_wrong_or_lost_makes_the_next_one_wait(void)
{
    static const double longer_s[] = {2, 4, 8, 16, 30, 30};
    static const double same_s[] = {1, 1, 1};
    assert_apart(false, 1.0e6, longer_s, G_N_ELEMENTS(longer_s));
    assert_apart(false, 1.2e6, longer_s, G_N_ELEMENTS(longer_s));
    assert_apart(true, 1.9e6, longer_s, G_N_ELEMENTS(longer_s));
    assert_apart(false, 1.3e6, same_s, G_N_ELEMENTS(same_s));
}

static void one_that_was_right_brings_the_second_back(void)
{
    struct weir__capacity_probe probe = asked_at(0);
    struct weir__capacity_answer answer = answer_at(WEIR_MS(100), 2e6);
    weir__capacity_probe_take(&probe, &answer, CAPACITY);
    weir__capacity_probe_on_busy(&probe, CAPACITY);
    weir__capacity_probe_on_busy(&probe, CAPACITY); /* counts once */
    assert_near(probe.apart_s, 2.0, 1e-9);
    weir__capacity_probe_ask(&probe, WEIR_SECONDS(2), CAPACITY);
    weir__capacity_probe_take(&probe, &answer, CAPACITY);
    weir__capacity_probe_on_busy(&probe, 2.0 * CAPACITY);
    assert_near(probe.apart_s, 1.0, 1e-9);
}

/* A frame that ended too soon, or had waited for its rest. */
static void one_that_tells_nothing_is_repeated_at_once(void)
{
    static const struct {
        double sent_bytes, sent_bps;
        int64_t again_ms;
    } rows[] = {{4800, 2.0e6, 1000}, {2400, 2.0e6, 1000}, {2399, 2.0e6, 150},
                {4800, 1.7e6, 150},  {4800, 0.0, 150},    {0, 0.0, 150}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__capacity_probe probe = asked_at(0);
        struct weir__capacity_answer answer = answer_at(WEIR_MS(50), 1e6);
        answer.sent_bytes = rows[i].sent_bytes;
        answer.sent_bps = rows[i].sent_bps;
        g_assert_false(weir__capacity_probe_take(&probe, &answer, CAPACITY));
        weir__capacity_probe_ask(&probe, WEIR_MS(rows[i].again_ms) - 1, CAPACITY);
        g_assert_cmpfloat(probe.bps, ==, 0.0);
        weir__capacity_probe_ask(&probe, WEIR_MS(rows[i].again_ms), CAPACITY);
        g_assert_cmpfloat(probe.bps, >, 0.0);
    }
}

static void ahead_four_packets_at_twice_the_rate(void)
{
    static const struct {
        double rate_bps, bps;
        int64_t bytes;
    } rows[] = {{0.3e6, 0.6e6, 4800}, {4.0e6, 8.0e6, 7500}, {8.0e6, 16.0e6, 15000}, {8.1e6, 0, 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__capacity_probe probe;
        weir__capacity_probe_forget(&probe);
        weir__capacity_probe_ask_ahead(&probe, rows[i].rate_bps);
        g_assert_true(probe.is_ahead == (rows[i].bps > 0.0));
        assert_near(probe.bps, rows[i].bps, 1.0);
        g_assert_cmpint(weir__capacity_probe_bytes(&probe), ==, rows[i].bytes);
        weir__capacity_probe_ask_ahead(&probe, 1e6); /* not before the answer */
        assert_near(probe.bps, rows[i].bps > 0.0 ? rows[i].bps : 2e6, 1.0);
    }
}

static void ahead_what_arrived_whole_is_proved(void)
{
    static const struct {
        bool asked, lost;
        double sent_bytes, bps, proved_bps;
    } rows[] = {{true, false, 4800, 2.0e6, 1.7e6}, {true, false, 2400, 0.4e6, 0.34e6},
                {true, false, 2399, 2.0e6, 0.0},   {true, true, 4800, 2.0e6, 0.0},
                {true, false, 4800, 0.0, 0.0},     {false, false, 4800, 2.0e6, 0.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__capacity_probe probe;
        struct weir__capacity_answer answer = answer_at(WEIR_MS(100), rows[i].bps);
        answer.lost = rows[i].lost;
        answer.sent_bytes = rows[i].sent_bytes;
        weir__capacity_probe_forget(&probe);
        weir__capacity_probe_ask_ahead(&probe, 1e6);
        if (!rows[i].asked) {
            weir__capacity_probe_on_busy(&probe, CAPACITY);
        }
        assert_near(weir__capacity_probe_take_ahead(&probe, &answer), rows[i].proved_bps, 1e-3);
        g_assert_cmpint(weir__capacity_probe_bytes(&probe), ==, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/capacity-probe/" #name, name)
    ADD(half_a_frame_at_twice_the_capacity);
    ADD(well_above_the_capacity_is_another);
    ADD(a_result_that_nobody_waits_for_proves_nothing);
    ADD(what_was_wrong_or_lost_makes_the_next_one_wait);
    ADD(one_that_tells_nothing_is_repeated_at_once);
    ADD(one_that_was_right_brings_the_second_back);
    ADD(ahead_four_packets_at_twice_the_rate);
    ADD(ahead_what_arrived_whole_is_proved);
    return g_test_run();
}
