/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/event.h"
#include "sim/base/random.h"
#include "weir/units.h"

#define MANY 300

struct probe {
    struct weir__timer timer;
    struct weir__sim *sim;
    GArray *log; /* of ids */
    int id;
    int64_t period_ns; /* > 0: re-arms itself */
    struct probe *cancels;
    struct probe *arms;
    int64_t fired_ns;
};

static void on_probe(void *target)
{
    struct probe *p = target;
    p->fired_ns = p->sim->now_ns;
    g_array_append_val(p->log, p->id);
    if (p->cancels) {
        weir__timer_set(&p->cancels->timer, p->sim, WEIR_NEVER_NS);
    }
    if (p->arms) {
        weir__timer_set(&p->arms->timer, p->sim, p->sim->now_ns);
    }
    if (p->period_ns > 0) {
        weir__timer_set(&p->timer, p->sim, p->sim->now_ns + p->period_ns);
    }
}

/* Logs the id, made negative. */
static void on_probe_approach(void *target)
{
    const struct probe *p = target;
    int told = -p->id;
    g_array_append_val(p->log, told);
}

static void probe_init(struct probe *p, struct weir__sim *sim, GArray *log, int id)
{
    *p = (struct probe){.sim = sim, .log = log, .id = id, .fired_ns = -1};
    weir__timer_init(&p->timer, sim, on_probe, p);
}

static void assert_log(GArray *log, const int *expected, size_t n)
{
    g_assert_cmpuint(log->len, ==, n);
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpint(g_array_index(log, int, i), ==, expected[i]);
    }
}

/* Armed at 0 for 50 as if at 20: behind what is armed for 50 before 20, in front of the later. */
static void test_a_timer_armed_ahead_keeps_its_place(void)
{
    static const int64_t arming_ns[] = {0, 10, 30};
    static const int expected[] = {0, 1, 3, 2};
    struct weir__sim sim;
    struct probe p[4];
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    probe_init(&p[3], &sim, log, 3);
    weir__timer_arm(&p[3].timer, &sim, 50, 20);
    for (int i = 0; i < 3; i++) {
        weir__sim_run_until(&sim, arming_ns[i]);
        probe_init(&p[i], &sim, log, i);
        weir__timer_set(&p[i].timer, &sim, 50);
    }
    weir__sim_run_until(&sim, 50);
    assert_log(log, expected, 4);
    g_array_free(log, TRUE);
}

static void test_events_fire_in_order_of_time_then_arming(void)
{
    static const int64_t times_ns[] = {50, 10, 30, 10, 50, 0, 30, 10};
    static const int expected[] = {5, 1, 3, 7, 2, 6, 0, 4};
    struct weir__sim sim;
    struct probe p[8];
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    for (int i = 0; i < 8; i++) {
        probe_init(&p[i], &sim, log, i);
        weir__timer_set(&p[i].timer, &sim, times_ns[i]);
    }
    g_assert_cmpint(weir__sim_next_event_ns(&sim), ==, 0);
    weir__sim_run_until(&sim, 100);
    assert_log(log, expected, 8);
    g_assert_cmpuint(sim.events, ==, 8);
    g_assert_cmpint(sim.now_ns, ==, 100);
    g_array_free(log, TRUE);
}

static void test_run_until_includes_its_time_and_nothing_later(void)
{
    struct weir__sim sim;
    struct probe p[2];
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    for (int i = 0; i < 2; i++) {
        probe_init(&p[i], &sim, log, i);
        weir__timer_set(&p[i].timer, &sim, 1000 + i);
    }
    weir__sim_run_until(&sim, 999);
    g_assert_cmpuint(log->len, ==, 0);
    weir__sim_run_until(&sim, 1000);
    g_assert_cmpuint(log->len, ==, 1);
    g_assert_cmpint(weir__sim_next_event_ns(&sim), ==, 1001);
    weir__sim_run_until(&sim, 1001);
    g_assert_cmpuint(log->len, ==, 2);
    g_assert_cmpint(weir__sim_next_event_ns(&sim), ==, WEIR_NEVER_NS);
    g_array_free(log, TRUE);
}

static void test_time_never_goes_back(void)
{
    struct weir__sim sim;
    struct probe p;
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    probe_init(&p, &sim, log, 0);
    weir__sim_run_until(&sim, 500);
    weir__sim_run_until(&sim, 100);
    g_assert_cmpint(sim.now_ns, ==, 500);
    weir__timer_set(&p.timer, &sim, 20);
    g_assert_cmpint(weir__sim_next_event_ns(&sim), ==, 500);
    weir__sim_run_until(&sim, 500);
    g_assert_cmpint(p.fired_ns, ==, 500);
    g_array_free(log, TRUE);
}

static void test_rearming_moves_the_one_event(void)
{
    struct weir__sim sim;
    struct probe p[3];
    static const int expected[] = {2, 0, 1};
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    for (int i = 0; i < 3; i++) {
        probe_init(&p[i], &sim, log, i);
        weir__timer_set(&p[i].timer, &sim, 10 * (i + 1));
    }
    weir__timer_set(&p[0].timer, &sim, 25);
    weir__timer_set(&p[2].timer, &sim, 5);
    weir__timer_set(&p[1].timer, &sim, 25); /* armed after p[0]: fires after it */
    weir__sim_run_until(&sim, 100);
    assert_log(log, expected, 3);
    g_array_free(log, TRUE);
}

static void test_cancelled_timers_do_not_fire(void)
{
    struct weir__sim sim;
    struct probe p[5];
    static const int expected[] = {0, 2, 4};
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    for (int i = 0; i < 5; i++) {
        probe_init(&p[i], &sim, log, i);
        weir__timer_set(&p[i].timer, &sim, 10 * i);
    }
    weir__timer_set(&p[1].timer, &sim, WEIR_NEVER_NS);
    weir__timer_set(&p[1].timer, &sim, WEIR_NEVER_NS);
    weir__timer_set(&p[3].timer, &sim, WEIR_NEVER_NS);
    weir__sim_run_until(&sim, 100);
    assert_log(log, expected, 3);
    g_array_free(log, TRUE);
}

static void test_handler_may_cancel_arm_and_rearm(void)
{
    struct weir__sim sim;
    struct probe p[4];
    static const int expected[] = {0, 2, 0, 2, 0, 2, 3};
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    for (int i = 0; i < 4; i++) {
        probe_init(&p[i], &sim, log, i);
    }
    p[0].period_ns = 10;
    p[0].cancels = &p[1]; /* always armed for later, so it never fires */
    p[0].arms = &p[2];
    weir__timer_set(&p[0].timer, &sim, 0);
    weir__timer_set(&p[1].timer, &sim, 5);
    weir__timer_set(&p[3].timer, &sim, 25);
    weir__sim_run_until(&sim, 25);
    assert_log(log, expected, 7);
    g_array_free(log, TRUE);
}

static void test_firing_the_last_event_leaves_nothing(void)
{
    struct weir__sim sim;
    struct probe p;
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    probe_init(&p, &sim, log, 0);
    p.cancels = &p;
    weir__timer_set(&p.timer, &sim, 1);
    weir__sim_run_until(&sim, 1);
    g_assert_cmpint(weir__sim_next_event_ns(&sim), ==, WEIR_NEVER_NS);
    weir__timer_set(&p.timer, &sim, 2);
    weir__sim_run_until(&sim, 2);
    g_assert_cmpuint(log->len, ==, 2);
    g_array_free(log, TRUE);
}

/* Earliest armed (time, order) by looking at all, as the simulation should find it. */
static int earliest(const int64_t *times_ns, const uint64_t *orders)
{
    int best = -1;
    for (int i = 0; i < MANY; i++) {
        if (times_ns[i] != WEIR_NEVER_NS &&
            (best < 0 || times_ns[i] < times_ns[best] ||
             (times_ns[i] == times_ns[best] && orders[i] < orders[best]))) {
            best = i;
        }
    }
    return best;
}

struct operations {
    struct weir__sim sim;
    struct weir__random random;
    struct probe p[MANY];
    int64_t times_ns[MANY];
    uint64_t orders[MANY];
    uint64_t order;
    GArray *log;
};

static void change_one_timer(struct operations *o, int64_t delay_ns)
{
    int i = (int)weir__random_below(&o->random, MANY);
    if (weir__random_chance(&o->random, 0.7)) {
        o->times_ns[i] = o->sim.now_ns + delay_ns;
        o->orders[i] = o->order++;
        weir__timer_set(&o->p[i].timer, &o->sim, o->times_ns[i]);
    } else if (weir__random_chance(&o->random, 0.5)) {
        o->times_ns[i] = WEIR_NEVER_NS;
        weir__timer_set(&o->p[i].timer, &o->sim, WEIR_NEVER_NS);
    }
}

static void run_and_compare(struct operations *o, int64_t until_ns)
{
    g_array_set_size(o->log, 0);
    weir__sim_run_until(&o->sim, until_ns);
    for (guint k = 0; k < o->log->len; k++) {
        int fired = earliest(o->times_ns, o->orders);
        g_assert_cmpint(g_array_index(o->log, int, k), ==, fired);
        g_assert_cmpint(o->p[fired].fired_ns, ==, o->times_ns[fired]);
        o->times_ns[fired] = WEIR_NEVER_NS;
    }
    int next = earliest(o->times_ns, o->orders);
    g_assert_true(next < 0 || o->times_ns[next] > until_ns);
}

/* Delays up to 2^bits ns, where bits is up to most_bits, in another order of magnitude each time;
 * time stops at events, between them or far behind them. */
static void compare_with_a_list(uint64_t seed, int most_bits)
{
    struct operations *o = g_new0(struct operations, 1);
    o->log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&o->sim);
    o->sim.slots.n_timers = seed % 2 == 0 ? WEIR__CROWDED_TIMERS : 0;
    weir__random_init(&o->random, seed, 0);
    for (int i = 0; i < MANY; i++) {
        probe_init(&o->p[i], &o->sim, o->log, i);
        o->times_ns[i] = WEIR_NEVER_NS;
    }
    while (o->sim.now_ns < INT64_C(1) << 60 && o->order < 30000) {
        int64_t bits = weir__random_below(&o->random, most_bits + 1);
        int64_t delay_ns = weir__random_below(&o->random, INT64_C(1) << bits);
        change_one_timer(o, delay_ns);
        int first = earliest(o->times_ns, o->orders);
        int64_t next_ns = first < 0 ? WEIR_NEVER_NS : o->times_ns[first];
        g_assert_cmpint(weir__sim_next_event_ns(&o->sim), ==, next_ns);
        if (first >= 0 && weir__random_chance(&o->random, 0.3)) {
            run_and_compare(o, next_ns);
        } else if (weir__random_chance(&o->random, 0.1)) {
            run_and_compare(o, o->sim.now_ns + delay_ns / 8);
        }
    }
    g_assert_cmpuint(o->sim.events, >, most_bits < 50 ? 8000 : 100);
    g_array_free(o->log, TRUE);
    g_free(o);
}

static void test_order_is_that_of_a_list_for_random_operations(void)
{
    static const int most_bits[] = {3, 5, 10, 16, 24, 32, 40, 58};
    for (size_t i = 0; i < G_N_ELEMENTS(most_bits); i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            g_test_message("seed %" G_GUINT64_FORMAT ", 2^%d ns", seed, most_bits[i]);
            compare_with_a_list(seed, most_bits[i]);
        }
    }
}

/* Quiet and busy times in turns, by six orders of magnitude: what was armed for later in a quiet
 * time fires in its place in a busy one. */
static void test_order_survives_changes_of_the_pace(void)
{
    struct operations *o = g_new0(struct operations, 1);
    o->log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&o->sim);
    weir__random_init(&o->random, 5, 0);
    for (int i = 0; i < MANY; i++) {
        probe_init(&o->p[i], &o->sim, o->log, i);
        o->times_ns[i] = WEIR_NEVER_NS;
    }
    for (int step = 0; step < 60000; step++) {
        int64_t pace_ns = step / 10000 % 2 == 0 ? WEIR_MS(100) : 100;
        change_one_timer(o, weir__random_chance(&o->random, 0.01)
                                ? WEIR_SECONDS(3)
                                : weir__random_below(&o->random, 50) * pace_ns);
        if (weir__random_chance(&o->random, 0.5)) {
            run_and_compare(o, o->sim.now_ns + pace_ns);
        }
    }
    g_assert_cmpuint(o->sim.events, >, 10000);
    g_array_free(o->log, TRUE);
    g_free(o);
}

/* Hours when each event looks at all that are armed for the same microsecond, as when flows start
 * together. */
static void test_a_crowd_at_one_time_costs_no_more_per_event(void)
{
    enum { CROWD = 300000, TIMES = 3 };
    struct weir__sim sim;
    struct probe *p = g_new(struct probe, CROWD);
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    for (int i = 0; i < CROWD; i++) {
        probe_init(&p[i], &sim, log, i);
        weir__timer_set(&p[i].timer, &sim, WEIR_MS(1) - i % TIMES);
    }
    weir__sim_run_until(&sim, WEIR_MS(1));
    g_assert_cmpuint(log->len, ==, CROWD);
    for (int i = 0; i < CROWD; i++) { /* the last time first, each in the order of arming */
        int time = i / (CROWD / TIMES);
        int expected = TIMES - 1 - time + TIMES * (i % (CROWD / TIMES));
        g_assert_cmpint(g_array_index(log, int, i), ==, expected);
    }
    g_array_free(log, TRUE);
    g_free(p);
}

/* At the very end of time, and beyond every slot: nothing overflows. */
static void test_times_reach_to_the_end_of_time(void)
{
    static const int expected[] = {3, 2, 1};
    struct weir__sim sim;
    struct probe p[4];
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    for (int i = 0; i < 4; i++) {
        probe_init(&p[i], &sim, log, i);
        weir__timer_set(&p[i].timer, &sim, INT64_MAX - i);
    }
    g_assert_cmpint(weir__sim_next_event_ns(&sim), ==, INT64_MAX - 3);
    weir__sim_run_until(&sim, INT64_MAX);
    assert_log(log, expected, 3); /* INT64_MAX is WEIR_NEVER_NS */
    weir__timer_set(&p[0].timer, &sim, 5);
    g_assert_cmpint(p[0].timer.time_ns, ==, WEIR_NEVER_NS);
    g_array_free(log, TRUE);
}

struct deadline_probe {
    struct weir__deadline deadline;
    int fired;
    int64_t fired_ns;
};

static void on_deadline(void *target)
{
    struct deadline_probe *p = target;
    p->fired++;
    p->fired_ns = p->deadline.sim->now_ns;
}

static void test_deadline_fires_once_at_its_latest_setting(void)
{
    struct weir__sim sim;
    struct deadline_probe p = {.fired = 0};
    weir__sim_init(&sim);
    weir__deadline_init(&p.deadline, &sim, on_deadline, &p);
    for (int64_t now_ns = 0; now_ns < 1000; now_ns += 10) {
        weir__sim_run_until(&sim, now_ns);
        weir__deadline_set(&p.deadline, now_ns + 200);
    }
    g_assert_cmpint(p.fired, ==, 0);
    weir__sim_run_until(&sim, 5000);
    g_assert_cmpint(p.fired, ==, 1);
    g_assert_cmpint(p.fired_ns, ==, 1190);
    g_assert_cmpuint(sim.events, <, 10); /* not one for each of the 100 settings */
}

static void test_deadline_can_move_earlier_and_be_cleared(void)
{
    struct weir__sim sim;
    struct deadline_probe p = {.fired = 0};
    weir__sim_init(&sim);
    weir__deadline_init(&p.deadline, &sim, on_deadline, &p);
    weir__deadline_set(&p.deadline, 500);
    weir__deadline_set(&p.deadline, 100);
    weir__sim_run_until(&sim, 100);
    g_assert_cmpint(p.fired, ==, 1);
    weir__deadline_set(&p.deadline, 300);
    weir__deadline_clear(&p.deadline);
    weir__sim_run_until(&sim, 1000);
    g_assert_cmpint(p.fired, ==, 1);
    weir__deadline_set(&p.deadline, 1500);
    weir__sim_run_until(&sim, 2000);
    g_assert_cmpint(p.fired, ==, 2);
    g_assert_cmpint(p.fired_ns, ==, 1500);
}

/* Timers 20 us apart are in slots side by side. */
static void test_in_a_crowd_the_next_timer_is_told_before_the_present_one_fires(void)
{
    static const int expected[] = {-2, 1, -3, 2, 3};
    static struct weir__timer crowd[WEIR__CROWDED_TIMERS];
    struct weir__sim sim;
    struct probe p[4];
    GArray *log = g_array_new(FALSE, FALSE, sizeof(int));
    weir__sim_init(&sim);
    for (size_t i = 0; i < G_N_ELEMENTS(crowd); i++) {
        weir__timer_init(&crowd[i], &sim, on_probe, NULL);
    }
    for (int i = 1; i <= 3; i++) {
        probe_init(&p[i], &sim, log, i);
        weir__timer_on_approach(&p[i].timer, on_probe_approach);
        weir__timer_set(&p[i].timer, &sim, WEIR_US(20) * i);
    }
    weir__sim_run_until(&sim, WEIR_MS(1));
    assert_log(log, expected, G_N_ELEMENTS(expected));
    g_array_free(log, TRUE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/event/a_timer_armed_ahead_keeps_its_place",
                    test_a_timer_armed_ahead_keeps_its_place);
    g_test_add_func("/sim/event/in_a_crowd_the_next_timer_is_told_before_the_present_one_fires",
                    test_in_a_crowd_the_next_timer_is_told_before_the_present_one_fires);
    g_test_add_func("/sim/event/events_fire_in_order_of_time_then_arming",
                    test_events_fire_in_order_of_time_then_arming);
    g_test_add_func("/sim/event/run_until_includes_its_time_and_nothing_later",
                    test_run_until_includes_its_time_and_nothing_later);
    g_test_add_func("/sim/event/time_never_goes_back", test_time_never_goes_back);
    g_test_add_func("/sim/event/rearming_moves_the_one_event", test_rearming_moves_the_one_event);
    g_test_add_func("/sim/event/cancelled_timers_do_not_fire", test_cancelled_timers_do_not_fire);
    g_test_add_func("/sim/event/handler_may_cancel_arm_and_rearm",
                    test_handler_may_cancel_arm_and_rearm);
    g_test_add_func("/sim/event/firing_the_last_event_leaves_nothing",
                    test_firing_the_last_event_leaves_nothing);
    g_test_add_func("/sim/event/order_is_that_of_a_list_for_random_operations",
                    test_order_is_that_of_a_list_for_random_operations);
    g_test_add_func("/sim/event/order_survives_changes_of_the_pace",
                    test_order_survives_changes_of_the_pace);
    g_test_add_func("/sim/event/a_crowd_at_one_time_costs_no_more_per_event",
                    test_a_crowd_at_one_time_costs_no_more_per_event);
    g_test_add_func("/sim/event/times_reach_to_the_end_of_time",
                    test_times_reach_to_the_end_of_time);
    g_test_add_func("/sim/event/deadline_fires_once_at_its_latest_setting",
                    test_deadline_fires_once_at_its_latest_setting);
    g_test_add_func("/sim/event/deadline_can_move_earlier_and_be_cleared",
                    test_deadline_can_move_earlier_and_be_cleared);
    return g_test_run();
}
