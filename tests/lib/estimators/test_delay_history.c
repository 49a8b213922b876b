/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/delay_history.h"

#include "weir/units.h"

/* A receiver that tells of one packet each 100 ms, on a clock of its own. */
struct peer {
    struct weir__delay_history history;
    int64_t now_ns; /* feedback comes */
    double drift;
    int64_t offset_ns;
    int64_t queue_ns;
};

static int64_t delay_of_one(struct peer *peer)
{
    struct weir__delay_sample sample;
    int64_t arrived_ns = peer->now_ns - WEIR_MS(25);
    int64_t told_ns = arrived_ns + peer->offset_ns + (int64_t)(peer->drift * (double)arrived_ns);
    int64_t sent_ns = arrived_ns - WEIR_MS(25) - peer->queue_ns;
    weir__delay_history_on_feedback(&peer->history, peer->now_ns, told_ns);
    g_assert_true(weir__delay_history_add(&peer->history, peer->now_ns, sent_ns, told_ns, &sample));
    g_assert_cmpint(llabs(sample.arrived_ns - peer->now_ns), <, WEIR_SECONDS(70));
    return sample.delay_ns;
}

/* The queue that the last packet seems to have met. */
static int64_t run_until(struct peer *peer, int64_t until_ns)
{
    int64_t delay_ns = 0;
    for (; peer->now_ns <= until_ns; peer->now_ns += WEIR_MS(100)) {
        delay_ns = delay_of_one(peer);
    }
    return weir__delay_history_above_base_ns(&peer->history, delay_ns);
}

static void nothing_is_known_before_the_first_sample(void)
{
    struct weir__delay_history history = {0};
    g_assert_cmpint(weir__delay_history_base_ns(&history), ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(weir__delay_history_above_base_ns(&history, INT64_MAX), ==, 0);
}

static void a_least_delay_is_believed_for_nine_minutes_and_not_for_eleven(void)
{
    struct peer peer = {0};
    run_until(&peer, WEIR_SECONDS(30));
    peer.queue_ns = WEIR_MS(15);
    g_assert_cmpint(run_until(&peer, WEIR_SECONDS(9 * 60)), ==, WEIR_MS(15));
    g_assert_cmpint(run_until(&peer, WEIR_SECONDS(11 * 60)), ==, 0);
}

/* 300 ppm are 180 ms in ten minutes; a queue of 15 ms is one all the same. */
static void drift_is_no_queue(void)
{
    static const double drifts[] = {1e-3, -1e-3, 3e-4, -3e-4};
    for (size_t i = 0; i < G_N_ELEMENTS(drifts); i++) {
        struct peer peer = {.drift = drifts[i], .offset_ns = WEIR_SECONDS(-5000)};
        g_assert_cmpint(run_until(&peer, WEIR_SECONDS(590)), <=, WEIR_MS(1));
        peer.queue_ns = WEIR_MS(15);
        int64_t queue_ns = run_until(&peer, WEIR_SECONDS(591));
        g_assert_cmpint(llabs(queue_ns - WEIR_MS(15)), <=, WEIR_MS(1));
    }
}

static void a_clock_that_steps_makes_no_queue(void)
{
    static const int64_t steps_ns[] = {WEIR_SECONDS(3), WEIR_SECONDS(-3), WEIR_SECONDS(4000)};
    for (size_t i = 0; i < G_N_ELEMENTS(steps_ns); i++) {
        struct peer peer = {0};
        run_until(&peer, WEIR_SECONDS(20));
        peer.offset_ns = steps_ns[i];
        g_assert_cmpint(run_until(&peer, WEIR_SECONDS(40)), <=, WEIR_MS(1));
    }
}

static void a_packet_told_on_another_clock_is_not_taken(void)
{
    struct peer peer = {0};
    struct weir__delay_sample sample = {.delay_ns = 7};
    run_until(&peer, WEIR_SECONDS(1));
    int64_t base_ns = weir__delay_history_base_ns(&peer.history);
    g_assert_false(weir__delay_history_add(&peer.history, peer.now_ns, peer.now_ns,
                                           peer.now_ns - WEIR_SECONDS(100), &sample));
    g_assert_cmpint(weir__delay_history_base_ns(&peer.history), ==, base_ns);
    g_assert_cmpint(sample.delay_ns, ==, 7);
}

static void a_base_can_be_measured_anew(void)
{
    struct peer peer = {0};
    run_until(&peer, WEIR_SECONDS(5));
    peer.queue_ns = WEIR_MS(15);
    g_assert_cmpint(run_until(&peer, WEIR_SECONDS(6)), ==, WEIR_MS(15));
    weir__delay_history_restart_base(&peer.history);
    g_assert_cmpint(run_until(&peer, WEIR_SECONDS(7)), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/delay_history/" #name, name)
    ADD(nothing_is_known_before_the_first_sample);
    ADD(a_least_delay_is_believed_for_nine_minutes_and_not_for_eleven);
    ADD(drift_is_no_queue);
    ADD(a_clock_that_steps_makes_no_queue);
    ADD(a_packet_told_on_another_clock_is_not_taken);
    ADD(a_base_can_be_measured_anew);
    return g_test_run();
}
