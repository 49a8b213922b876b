/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/competing.h"

#include <math.h>

static struct weir__competing_view round_trip(void)
{
    return (struct weir__competing_view){.dt_s = 0.1,
                                         .rtt_s = 0.1,
                                         .loop_s = 0.1,
                                         .queue_s = 0.05,
                                         .delivered_bps = 1e6,
                                         .busy = true};
}

/* 1 Mbit/s at 100 ms are 12 500 bytes; a round trip adds 0.53 of 1500, a loss takes three
 * tenths. */
static void the_window_moves_as_a_tcp(void)
{
    struct weir__competing competing;
    struct weir__competing_view view = round_trip();
    double rate_bps = 1e6;
    weir__competing_begin(&competing, rate_bps, 1e6, 0.1);
    assert_near(competing.window_bytes, 12500.0, 1e-6);
    g_assert_true(weir__competing_step(&competing, &view, &rate_bps));
    double grown_bytes = 12500.0 + 3.0 * 0.3 / 1.7 * 1500.0;
    assert_near(rate_bps, 8.0 * grown_bytes / 0.1, 1e-3);
    view.loss_event = true;
    g_assert_true(weir__competing_step(&competing, &view, &rate_bps));
    assert_near(rate_bps, 8.0 * 0.7 * grown_bytes / 0.1, 1e-3);
}

/* Slow start doubles per round trip, up to what was ours before, and ends with a loss. */
static void it_begins_with_slow_start(void)
{
    struct weir__competing competing;
    struct weir__competing_view view = round_trip();
    double rate_bps = 1e5;
    weir__competing_begin(&competing, rate_bps, 1e6, 0.1);
    for (int i = 0; i < 4; i++) {
        double before_bps = rate_bps;
        weir__competing_step(&competing, &view, &rate_bps);
        assert_near(rate_bps, fmax(2.0 * before_bps, 8.0 * 1500.0 / 0.1), 1e-3);
    }
    view.loss_event = true;
    weir__competing_step(&competing, &view, &rate_bps);
    view.loss_event = false;
    double after_bps = rate_bps;
    weir__competing_step(&competing, &view, &rate_bps);
    g_assert_cmpfloat(rate_bps, <, 1.2 * after_bps);
}

/* Company tells of more as the window grows: slow start follows until half of that, and no further.
 * What is told later and is less takes nothing back. */
static void slow_start_goes_as_far_as_company_tells(void)
{
    struct weir__competing competing;
    struct weir__competing_view view = round_trip();
    double rate_bps = 1e6;
    weir__competing_begin(&competing, rate_bps, 2e6, 0.1);
    for (int i = 0; i < 10; i++) {
        view.enough_bps = fmin(5.0 * rate_bps, 10e6);
        weir__competing_step(&competing, &view, &rate_bps);
    }
    assert_near(rate_bps, 16e6, 1e6);
    weir__competing_begin(&competing, 1e6, 4e6, 0.1);
    view.enough_bps = 1e6;
    weir__competing_step(&competing, &view, &rate_bps);
    assert_near(rate_bps, 2e6, 1e3);
}

/* RFC 9438 4.2: at K the window is what it was before the loss, and it is flat there. Round trips
 * are long, so that the friendly increase is the slower one. */
static void it_comes_back_on_the_curve_of_cubic(void)
{
    struct weir__competing competing;
    struct weir__competing_view view = round_trip();
    double rate_bps = 40e6;
    view.rtt_s = 2.0;
    view.dt_s = 0.01;
    weir__competing_begin(&competing, rate_bps, rate_bps, view.rtt_s);
    double before_bytes = competing.window_bytes;
    view.loss_event = true;
    weir__competing_step(&competing, &view, &rate_bps);
    view.loss_event = false;
    double k_s = cbrt(before_bytes / 1500.0 * 0.3 / 0.4);
    for (double at_s = 0.0; at_s < k_s; at_s += view.dt_s) {
        g_assert_cmpfloat(competing.window_bytes, <, before_bytes * 1.001);
        weir__competing_step(&competing, &view, &rate_bps);
    }
    assert_near(competing.window_bytes / before_bytes, 1.0, 0.01);
}

/* A queue of 100 ms for 6 s, then a fall; a second later a test of a loop and two round trips, in
 * which the delivered rate is share of what it was. Whether competition goes on. */
static bool goes_on_after_a_test(double share)
{
    struct weir__competing competing;
    struct weir__competing_view view = round_trip();
    double rate_bps = 1e6;
    view.queue_s = 0.1;
    weir__competing_begin(&competing, rate_bps, 1e6, 0.1);
    bool on = true;
    for (int i = 0; i < 60; i++) {
        g_assert_true(weir__competing_step(&competing, &view, &rate_bps));
        g_assert_cmpfloat(competing.test_left_s, <=, 0.0);
    }
    view.queue_s = 0.05;
    for (int i = 0; i < 40 && on; i++) {
        on = weir__competing_step(&competing, &view, &rate_bps);
        if (competing.test_left_s > 0.0) {
            assert_near(rate_bps, 0.75e6, 1.0);
            view.delivered_bps = share * 1e6;
        }
    }
    g_assert_cmpfloat(view.delivered_bps, ==, share * 1e6); /* there was a test */
    return on;
}

/* With a short round trip the rate window alone is longer than three of them: the answer to what a
 * test sends is seen when a loop time is over. */
static void a_test_waits_for_its_answer(void)
{
    struct weir__competing competing;
    struct weir__competing_view view = round_trip();
    view.dt_s = 0.01;
    view.rtt_s = 0.02;
    view.loop_s = 0.17;
    double rate_bps = 1e6;
    weir__competing_begin(&competing, rate_bps, 1e6, view.rtt_s);
    for (int i = 0; i < 700; i++) {
        weir__competing_step(&competing, &view, &rate_bps);
    }
    view.queue_s = 0.02;
    double tested_s = 0.0;
    for (int i = 0; i < 200; i++) {
        view.delivered_bps = tested_s < view.loop_s ? 1e6 : 0.75e6;
        g_assert_true(weir__competing_step(&competing, &view, &rate_bps));
        tested_s += competing.test_left_s > 0.0 ? view.dt_s : 0.0;
    }
    g_assert_cmpfloat(tested_s, >, view.loop_s);
}

/* All together empty the queue before the test's time is over; from then on what is delivered is
 * what is sent. */
static void a_queue_that_is_empty_ends_the_test(void)
{
    static const struct {
        double share; /* while the queue was busy */
        bool goes_on;
    } rows[] = {{0.75, true}, {1.0, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__competing_view view = round_trip();
        struct weir__competing competing;
        double rate_bps = 1e6;
        weir__competing_begin(&competing, rate_bps, 1e6, 0.1);
        competing.test_left_s = 0.3;
        competing.before_bps = 1e6;
        view.delivered_bps = rows[i].share * 1e6;
        g_assert_true(weir__competing_step(&competing, &view, &rate_bps));
        view.delivered_bps = 0.75e6;
        view.busy = false;
        g_assert_true(weir__competing_step(&competing, &view, &rate_bps) == rows[i].goes_on);
        g_assert_cmpfloat(competing.test_left_s, <=, 0.0);
    }
}

/* Flows that waited equally long would never test together. */
static void tests_are_three_to_nine_seconds_apart(void)
{
    double least_s = 9.0, most_s = 3.0;
    for (int i = 0; i < 100; i++) {
        struct weir__competing_view view = round_trip();
        struct weir__competing competing;
        double rate_bps = 1e6 + 1e4 * i;
        weir__competing_begin(&competing, rate_bps, rate_bps, 0.1);
        competing.test_left_s = 0.05;
        competing.before_bps = 1e6;
        weir__competing_step(&competing, &view, &rate_bps);
        g_assert_cmpfloat(competing.apart_s, >=, 3.0);
        g_assert_cmpfloat(competing.apart_s, <=, 9.0);
        least_s = fmin(least_s, competing.apart_s);
        most_s = fmax(most_s, competing.apart_s);
    }
    g_assert_cmpfloat(most_s - least_s, >, 5.0);
}

static void who_falls_with_us_is_of_our_kind(void)
{
    static const struct {
        double share;
        bool goes_on;
    } rows[] = {{0.75, true}, {0.87, true},  {0.88, false},
                {1.0, false}, {1.14, false}, {1.2, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_true(goes_on_after_a_test(rows[i].share) == rows[i].goes_on);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/competing/" #name, name)
    ADD(the_window_moves_as_a_tcp);
    ADD(it_begins_with_slow_start);
    ADD(slow_start_goes_as_far_as_company_tells);
    ADD(it_comes_back_on_the_curve_of_cubic);
    ADD(who_falls_with_us_is_of_our_kind);
    ADD(a_test_waits_for_its_answer);
    ADD(a_queue_that_is_empty_ends_the_test);
    ADD(tests_are_three_to_nine_seconds_apart);
    return g_test_run();
}
