/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/peer_clock.h"

#include <math.h>

#include "weir/units.h"

#define FEEDBACK_NS WEIR_MS(50)

/* A receiver whose clock drifts, a way back with jitter, feedback each 50 ms. */
struct peer {
    struct weir__peer_clock clock;
    uint64_t random;
    int64_t offset_ns; /* of its clock at our time 0 */
    double drift;
    int64_t jitter_ns;
    int64_t now_ns;
};

static int64_t peer_time_ns(const struct peer *peer, int64_t at_ns)
{
    return peer->offset_ns + at_ns + (int64_t)(peer->drift * (double)at_ns);
}

/* Feedback until until_ns; returns the sum of the corrections to the drift. */
static double run(struct peer *peer, int64_t until_ns)
{
    double grown = 0.0;
    for (; peer->now_ns < until_ns; peer->now_ns += FEEDBACK_NS) {
        peer->random = peer->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        int64_t back_ns =
            WEIR_MS(25) +
            (peer->jitter_ns > 0 ? (int64_t)(peer->random >> 33) % peer->jitter_ns : 0);
        grown += weir__peer_clock_on_feedback(&peer->clock, peer->now_ns,
                                              peer_time_ns(peer, peer->now_ns - back_ns));
    }
    return grown;
}

/* How much longer a delay reads that has not changed in span_ns, on the clock given out. */
static int64_t creep_ns(const struct peer *peer, int64_t span_ns)
{
    int64_t from_ns = weir__peer_clock_map_ns(&peer->clock, peer_time_ns(peer, peer->now_ns));
    int64_t to_ns =
        weir__peer_clock_map_ns(&peer->clock, peer_time_ns(peer, peer->now_ns + span_ns));
    return to_ns - from_ns - span_ns;
}

static void a_drift_is_taken_out_in_half_a_minute(void)
{
    static const double drifts[] = {1e-3, -1e-3, 3e-4, -1e-4, 5e-5, 0.0};
    static const int64_t offsets_ns[] = {0, WEIR_SECONDS(1000000), INT64_MIN / 2, INT64_MAX / 2};
    for (size_t i = 0; i < G_N_ELEMENTS(drifts) * G_N_ELEMENTS(offsets_ns); i++) {
        struct peer peer = {.drift = drifts[i % G_N_ELEMENTS(drifts)],
                            .offset_ns = offsets_ns[i / G_N_ELEMENTS(drifts)],
                            .jitter_ns = WEIR_MS(2)};
        double grown = run(&peer, WEIR_SECONDS(40));
        g_test_message("drift %g: found %g", peer.drift, grown);
        g_assert_cmpfloat(fabs(grown - peer.clock.drift), <, 1e-12);
        g_assert_cmpint(llabs(creep_ns(&peer, WEIR_SECONDS(30))), <=, WEIR_MS(5));
    }
}

/* A queue on the way back that wanders by 100 ms is no line, and so no drift. */
static void queues_on_the_way_back_are_no_drift(void)
{
    struct peer peer = {0};
    for (int second = 1; second <= 120; second++) {
        peer.jitter_ns = WEIR_MS(2);
        peer.offset_ns = -WEIR_MS(50 + (second * second * 7919) % 51);
        run(&peer, WEIR_SECONDS(second));
    }
    g_assert_cmpfloat(peer.clock.drift, ==, 0.0);
}

static void a_step_forward_is_taken_out_at_once(void)
{
    static const int64_t steps_ns[] = {WEIR_MS(30), WEIR_SECONDS(1), WEIR_SECONDS(3000)};
    for (size_t i = 0; i < G_N_ELEMENTS(steps_ns); i++) {
        struct peer peer = {0};
        run(&peer, WEIR_SECONDS(5));
        int64_t before_ns =
            weir__peer_clock_map_ns(&peer.clock, peer_time_ns(&peer, peer.now_ns)) - peer.now_ns;
        peer.offset_ns += steps_ns[i];
        run(&peer, peer.now_ns + FEEDBACK_NS);
        int64_t after_ns =
            weir__peer_clock_map_ns(&peer.clock, peer_time_ns(&peer, peer.now_ns)) - peer.now_ns;
        g_assert_cmpint(llabs(after_ns - before_ns), <=, WEIR_MS(25));
    }
}

/* After a step back, of which delays tell, a step forward is seen again. */
static void a_step_back_and_forth_leaves_nothing(void)
{
    struct peer peer = {0};
    run(&peer, WEIR_SECONDS(5));
    peer.offset_ns -= WEIR_SECONDS(5);
    weir__peer_clock_on_step_back(&peer.clock);
    run(&peer, WEIR_SECONDS(6));
    peer.offset_ns += WEIR_SECONDS(5);
    run(&peer, WEIR_SECONDS(7));
    int64_t mapped_ns = weir__peer_clock_map_ns(&peer.clock, peer_time_ns(&peer, peer.now_ns));
    g_assert_cmpint(mapped_ns - peer.now_ns, <, -WEIR_SECONDS(4)); /* as before that step */
}

/* Whatever a peer says, the newest arrival is within a minute of our time. */
static void any_clock_is_within_a_minute(void)
{
    static const int64_t wild_ns[] = {INT64_MIN, INT64_MAX, 0, -1, WEIR_SECONDS(61), 7};
    struct weir__peer_clock clock = {0};
    for (int i = 0; i < 600; i++) {
        int64_t now_ns = WEIR_MS(100 * i);
        int64_t arrived_ns = wild_ns[(i * 7) % 6];
        weir__peer_clock_on_feedback(&clock, now_ns, arrived_ns);
        int64_t mapped_ns = weir__peer_clock_map_ns(&clock, arrived_ns);
        g_assert_cmpint(llabs(mapped_ns - now_ns), <=, WEIR_SECONDS(60));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/peer_clock/" #name, name)
    ADD(a_drift_is_taken_out_in_half_a_minute);
    ADD(queues_on_the_way_back_are_no_drift);
    ADD(a_step_forward_is_taken_out_at_once);
    ADD(a_step_back_and_forth_leaves_nothing);
    ADD(any_clock_is_within_a_minute);
    return g_test_run();
}
