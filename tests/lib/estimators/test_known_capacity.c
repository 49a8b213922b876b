/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/known_capacity.h"

#include "weir/units.h"

#include <math.h>

#define TARGET_S 0.01
#define LOOP_S   0.2
#define DT_S     0.05

static struct weir__known_capacity known_at(int64_t now_ns, double bps)
{
    struct weir__known_capacity known;
    weir__known_capacity_forget(&known);
    weir__known_capacity_on_busy(&known, now_ns, bps);
    return known;
}

static void near_is_a_tenth_below_and_more_for_ten_seconds(void)
{
    static const struct {
        double rate_bps;
        int64_t age_s;
        bool is_near;
    } rows[] = {{2.0e6, 0, true},
                {1.81e6, 9, true},
                {9.0e6, 9, true},
                {1.79e6, 0, false},
                {9.0e6, 10, false}};
    struct weir__known_capacity none;
    weir__known_capacity_forget(&none);
    g_assert_false(weir__known_capacity_is_near(&none, 0, 2e6));
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__known_capacity known = known_at(WEIR_SECONDS(5), 2e6);
        g_assert_true(weir__known_capacity_is_near(&known, WEIR_SECONDS(5 + rows[i].age_s),
                                                   rows[i].rate_bps) == rows[i].is_near);
    }
}

static double limit(struct weir__known_capacity *known, int64_t now_ns, double wanted_bps,
                    double sent_bps)
{
    struct weir__known_view view = {.now_ns = now_ns,
                                    .sent_bps = sent_bps,
                                    .target_s = TARGET_S,
                                    .loop_s = LOOP_S,
                                    .dt_s = DT_S};
    return weir__known_capacity_limit(known, &view, wanted_bps);
}

/* 10 ms of queue in a loop of 200 ms: 5 % more than the capacity. */
static void no_more_queues_in_a_loop_than_the_target(void)
{
    struct weir__known_capacity known = known_at(0, 2e6);
    assert_near(limit(&known, 0, 2.05e6, 2.05e6), 2.05e6, 1.0);
    assert_near(limit(&known, 0, 2.5e6, 2.1e6), 2.1e6, 1.0);
}

/* A source that always uses 0.8 of its rate sends the same from a rate that is a quarter higher. */
static void the_limit_is_of_what_is_sent(void)
{
    struct weir__known_capacity known = known_at(0, 2e6);
    weir__known_capacity_on_use(&known, 2.5e6, 2e6, DT_S);
    assert_near(limit(&known, 0, 4e6, 2e6), 2.1e6 / 0.8, 1.0);
    g_assert_true(weir__known_capacity_is_near(&known, 0, 2.6e6));
    weir__known_capacity_on_use(&known, 1e6, 1e5, 100.0);
    assert_near(limit(&known, 0, 4e6, 2e6), 2.1e6 / 0.6, 1.0);
}

/* What it is behind for a second it makes up for. */
static void a_lag_is_no_habit(void)
{
    struct weir__known_capacity known = known_at(0, 2e6);
    weir__known_capacity_on_use(&known, 2e6, 2e6, DT_S);
    for (int i = 0; i < 20; i++) {
        weir__known_capacity_on_use(&known, 2e6, 1.6e6, DT_S);
    }
    g_assert_cmpfloat(limit(&known, 0, 4e6, 2e6), <, 2.1e6 * 1.03);
}

/* An empty queue proves nothing while less than the capacity is sent. */
static void only_what_is_sent_proves_more(void)
{
    struct weir__known_capacity known = known_at(0, 2e6);
    for (int i = 0; i < 100; i++) {
        limit(&known, 0, 3e6, 1.9e6);
        g_assert_cmpfloat(known.bps, ==, 2e6);
    }
}

/* How long a rate is held back while the queue stays empty. */
static double held_s(struct weir__known_capacity *known, int64_t now_ns, double sent_bps)
{
    double held = 0.0;
    while (known->bps > 0.0 && held < 100.0) {
        limit(known, now_ns + (int64_t)(held * 1e9), 3e6, sent_bps);
        held += DT_S;
    }
    return held;
}

/* At 5 % more than the capacity the target's 10 ms would be there after a loop, at 1 % after five.
 */
static void a_queue_that_should_be_there_and_is_not_proves_more(void)
{
    struct weir__known_capacity known = known_at(0, 2e6);
    assert_near(held_s(&known, 0, 2.1e6), 2.0 * LOOP_S, DT_S * 1.5);
    known = known_at(0, 2e6);
    assert_near(held_s(&known, 0, 2.02e6), 5.0 * LOOP_S, DT_S * 1.5);
}

/* A link that was found as before, once its queue began, takes twice the queue each time, up to 32
 * targets, of 10 ms; one that has more begins anew. */
static void a_capacity_that_comes_back_is_believed_longer_each_time(void)
{
    static const double targets[] = {1, 2, 4, 8, 16, 32, 32};
    struct weir__known_capacity known = known_at(0, 2e6);
    for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
        double wanted_s = fmax(targets[i] * TARGET_S / 0.1, 2.0 * LOOP_S); /* at 10 % more */
        assert_near(held_s(&known, 0, 2.2e6), wanted_s, DT_S * 1.5);
        weir__known_capacity_on_busy(&known, 0, 2.4e6);
        weir__known_capacity_on_busy(&known, 0, 2e6);
    }
    held_s(&known, 0, 2.2e6);
    weir__known_capacity_on_busy(&known, 0, 2.6e6); /* it was right to doubt */
    assert_near(held_s(&known, 0, 2.86e6), 2.0 * LOOP_S, DT_S * 1.5);
}

static struct weir__known_capacity patient_at(int64_t now_ns, double bps)
{
    struct weir__known_capacity known = known_at(now_ns, bps);
    for (int i = 0; i < 6; i++) {
        held_s(&known, now_ns, 1.1 * bps);
        weir__known_capacity_on_busy(&known, now_ns, bps);
    }
    g_assert_cmpfloat(known.patience, ==, 32.0);
    return known;
}

static void another_path_begins_without_patience(void)
{
    struct weir__known_capacity known = patient_at(0, 2e6);
    weir__known_capacity_forget(&known);
    weir__known_capacity_on_busy(&known, 0, 2e6);
    assert_near(held_s(&known, 0, 2.2e6), 2.0 * LOOP_S, DT_S * 1.5);
}

/* What losses tell says nothing of what an empty queue told before. */
static void losses_neither_prove_a_doubt_right_nor_wrong(void)
{
    struct weir__known_capacity known = known_at(0, 2e6);
    held_s(&known, 0, 2.2e6);
    weir__known_capacity_on_policed(&known, 0, 1e6);
    weir__known_capacity_on_busy(&known, 0, 2e6);
    g_assert_cmpfloat(known.patience, ==, 1.0);
}

/* What a larger frame brings, smaller ones after it serve. */
static void frames_around_the_capacity_prove_nothing(void)
{
    struct weir__known_capacity known = known_at(0, 2e6);
    for (int i = 0; i < 1000; i++) {
        limit(&known, 0, 2e6, i % 2 ? 2.3e6 : 1.7e6);
    }
    assert_near(known.bps, 2e6, 1.0);
}

/* 3 s, then 6, 12 ... up to 30 s when it proves right again soon. */
static void a_policer_is_believed_longer_each_time(void)
{
    static const double wanted_s[] = {3.0, 6.0, 12.0, 24.0, 30.0, 30.0};
    struct weir__known_capacity known;
    int64_t now_ns = WEIR_SECONDS(10);
    weir__known_capacity_forget(&known);
    for (size_t i = 0; i < G_N_ELEMENTS(wanted_s); i++) {
        weir__known_capacity_on_policed(&known, now_ns, 2e6);
        double held = held_s(&known, now_ns, 2.1e6);
        assert_near(held, wanted_s[i], 0.2);
        now_ns += (int64_t)(held * 1e9) + WEIR_SECONDS(1);
    }
    now_ns += WEIR_SECONDS(100); /* a policer that was not there for long is a new one */
    weir__known_capacity_on_policed(&known, now_ns, 2e6);
    assert_near(held_s(&known, now_ns, 2.1e6), 3.0, 0.2);
}

/* A radio fade may have told it: 11 % above it growth is as if none were known, as long as it is
 * remembered. What a queue then tells is a capacity again. */
static void what_losses_told_limits_no_more_than_a_tenth_above_it(void)
{
    static const struct {
        int64_t age_s;
        double rate_bps;
        bool is_near;
    } rows[] = {{0, 1.79e6, false}, {0, 1.81e6, true}, {0, 2.2e6, true}, {0, 2.23e6, false},
                {0, 9e6, false},    {9, 2.2e6, true},  {9, 9e6, false},  {10, 2.2e6, false}};
    struct weir__known_capacity known;
    weir__known_capacity_forget(&known);
    weir__known_capacity_on_policed(&known, 0, 2e6);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_test_message("%.2f Mbit/s after %" G_GINT64_FORMAT " s", 1e-6 * rows[i].rate_bps,
                       rows[i].age_s);
        bool is_near =
            weir__known_capacity_is_near(&known, WEIR_SECONDS(rows[i].age_s), rows[i].rate_bps);
        g_assert_cmpint(is_near, ==, rows[i].is_near);
    }
    weir__known_capacity_on_busy(&known, WEIR_SECONDS(1), 2e6);
    g_assert_false(weir__known_capacity_is_policed(&known, WEIR_SECONDS(1)));
    g_assert_true(weir__known_capacity_is_near(&known, WEIR_SECONDS(1), 9e6));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/known-capacity/" #name, name)
    ADD(near_is_a_tenth_below_and_more_for_ten_seconds);
    ADD(no_more_queues_in_a_loop_than_the_target);
    ADD(the_limit_is_of_what_is_sent);
    ADD(a_lag_is_no_habit);
    ADD(only_what_is_sent_proves_more);
    ADD(a_queue_that_should_be_there_and_is_not_proves_more);
    ADD(a_capacity_that_comes_back_is_believed_longer_each_time);
    ADD(another_path_begins_without_patience);
    ADD(losses_neither_prove_a_doubt_right_nor_wrong);
    ADD(frames_around_the_capacity_prove_nothing);
    ADD(a_policer_is_believed_longer_each_time);
    ADD(what_losses_told_limits_no_more_than_a_tenth_above_it);
    return g_test_run();
}
