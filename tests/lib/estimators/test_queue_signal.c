/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/queue_signal.h"

static struct weir__queue_view calm(void)
{
    return (struct weir__queue_view){.queue_s = 0.02,
                                     .least_queue_s = 0.02,
                                     .delivered_bps = 1e6,
                                     .in_flight_bytes = 12500.0,
                                     .since_sent_s = 0.08,
                                     .packet_bytes = 1000.0,
                                     .dt_s = 0.05};
}

/* Above 3 ms and the time of a packet: 8 ms at 1 Mbit/s. */
static void the_target_is_two_packets_at_any_rate(void)
{
    static const struct {
        double rate_bps, target_s, l4s_target_s;
    } rows[] = {
        {1e5, 0.040, 0.040}, {1e6, 0.020, 0.020},  {2e6, 0.010, 0.010},
        {4e6, 0.010, 0.005}, {20e6, 0.010, 0.001}, {1e9, 0.010, 0.001},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_near(weir__queue_target_s(rows[i].rate_bps), rows[i].target_s, 1e-12);
        assert_near(weir__queue_l4s_target_s(rows[i].rate_bps), rows[i].l4s_target_s, 1e-12);
    }
}

static void it_is_busy_when_the_queue_was_never_empty(void)
{
    static const struct {
        double least_queue_s, delivered_bps;
        bool busy;
    } rows[] = {{0.02, 1e6, true},  {0.0111, 1e6, true},  {0.0109, 1e6, false}, {0.0, 1e6, false},
                {0.005, 1e7, true}, {0.0037, 1e7, false}, {0.1, 0.0, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__queue_signal signal = {0};
        struct weir__queue_view view = calm();
        view.least_queue_s = rows[i].least_queue_s;
        view.delivered_bps = rows[i].delivered_bps;
        weir__queue_signal_update(&signal, &view);
        g_assert_true(signal.busy == rows[i].busy);
    }
}

/* 20 ms now, 12 500 bytes in flight are 100 ms at 1 Mbit/s, of which 80 have been served. */
static void the_queue_is_predicted_for_a_packet_that_leaves_now(void)
{
    struct weir__queue_signal signal = {0};
    struct weir__queue_view view = calm();
    weir__queue_signal_update(&signal, &view);
    assert_near(signal.predicted_s, 0.040, 1e-9);
    view.in_flight_bytes = 0.0;
    weir__queue_signal_update(&signal, &view);
    g_assert_cmpfloat(signal.predicted_s, ==, 0.0);
    view.least_queue_s = 0.0; /* an empty queue has no future */
    weir__queue_signal_update(&signal, &view);
    assert_near(signal.predicted_s, 0.020, 1e-9);
}

static void the_capacity_is_smoothed_but_follows_jumps_at_once(void)
{
    struct weir__queue_signal signal = {0};
    struct weir__queue_view view = calm();
    weir__queue_signal_update(&signal, &view);
    assert_near(signal.capacity_bps, 1e6, 1e-3);
    view.delivered_bps = 1.18e6; /* noise */
    weir__queue_signal_update(&signal, &view);
    assert_near(signal.capacity_bps, 1.03e6, 1.0);
    view.delivered_bps = 0.5e6; /* a step */
    weir__queue_signal_update(&signal, &view);
    assert_near(signal.capacity_bps, 0.5e6, 1e-3);
    view.least_queue_s = 0.0; /* not busy: what is delivered is what was sent */
    view.delivered_bps = 0.1e6;
    weir__queue_signal_update(&signal, &view);
    assert_near(signal.capacity_bps, 0.5e6, 1e-3);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/queue-signal/" #name, name)
    ADD(the_target_is_two_packets_at_any_rate);
    ADD(it_is_busy_when_the_queue_was_never_empty);
    ADD(the_queue_is_predicted_for_a_packet_that_leaves_now);
    ADD(the_capacity_is_smoothed_but_follows_jumps_at_once);
    return g_test_run();
}
