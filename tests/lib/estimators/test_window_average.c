/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mean of the latest windows is exact for ever, and a history reset drops the old ones when
 * losses became far more frequent, and only then. */
#include "../../test.h"
#include "estimators/emulated_window.h"
#include "estimators/window_average.h"

#include <math.h>

static struct weir__window_average average;

static void push_all(const double *windows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        weir__window_average_push(&average, windows[i]);
    }
}

static void mean_is_of_the_latest_windows(void)
{
    weir__window_average_init(&average, 3, 12);
    g_assert_cmpfloat(weir__window_average_mean(&average), ==, 0.0);
    push_all((const double[]){4.0, 5.0, 6.0}, 3);
    assert_near(weir__window_average_mean(&average), 5.0, 1e-12);
    push_all((const double[]){3.5}, 1);
    assert_near(weir__window_average_mean(&average), 4.8333333, 1e-6);
}

/* Against a plain sum, for every length of the ring, past its end. */
static void mean_is_that_of_min_s_t_windows(void)
{
    for (size_t s = 1; s <= WEIR__WINDOW_AVERAGE_SAMPLES_MAX; s++) {
        weir__window_average_init(&average, s, 12);
        for (size_t t = 1; t <= 2 * s + 3; t++) {
            weir__window_average_push(&average, (double)t);
            size_t n = t < s ? t : s;
            double expected = (double)t - ((double)n - 1.0) / 2.0;
            assert_near(weir__window_average_mean(&average), expected, 1e-9);
        }
    }
}

static void old_windows_leave_no_trace(void)
{
    weir__window_average_init(&average, 160, 12);
    for (int i = 0; i < 1000000; i++) {
        weir__window_average_push(&average, 0.1 + (double)(i % 977) * 1e5);
    }
    for (int i = 0; i < 160; i++) {
        weir__window_average_push(&average, 7.25);
    }
    g_assert_cmpfloat(weir__window_average_mean(&average), ==, 7.25);
}

static void windows_are_limited(void)
{
    weir__window_average_init(&average, 256, 12);
    for (int i = 0; i < 1000; i++) {
        weir__window_average_push(&average, HUGE_VAL);
    }
    g_assert_cmpfloat(weir__window_average_mean(&average), ==, WEIR__WINDOW_AVERAGE_WINDOW_MAX);
    weir__window_average_push(&average, -1.0);
    g_assert_cmpint(average.sum, <, INT64_MAX / 2);
    g_assert_cmpint(average.sum, >, 0);
}

/* 160 windows of 100, a loss, and then one every 4 rounds. */
static void begin_bursty_losses(struct weir__emulated_window *tcp)
{
    weir__window_average_init(&average, 160, 12);
    for (int i = 0; i < 160; i++) {
        weir__window_average_push(&average, 100.0);
    }
    weir__window_average_on_loss(&average);
    weir__emulated_window_init(tcp, 50.0, false);
}

static void run_round(struct weir__emulated_window *tcp, bool loss)
{
    struct weir__emulated_round round = {.loss = loss, .most = HUGE_VAL};
    weir__window_average_push(&average, weir__emulated_window_get(tcp));
    weir__emulated_window_end_round(tcp, &round);
    if (loss) {
        weir__window_average_on_loss(&average);
    }
}

static void bursty_losses_reset_the_history_at_the_13th(void)
{
    struct weir__emulated_window tcp;
    begin_bursty_losses(&tcp);
    for (int i = 1; i <= 48; i++) {
        run_round(&tcp, i % 4 == 0);
        g_assert_cmpint(weir__window_average_epoch_rounds(&average), ==, i < 48 ? 0 : 48);
        if (i < 48) {
            g_assert_false(weir__window_average_reset_history(&average, 3.0));
        }
    }
    assert_near(weir__window_average_tcp_mean(&average), 6.0, 1e-12);
    assert_near(weir__window_average_mean(&average), 73.949438, 1e-5);
    g_assert_true(weir__window_average_reset_history(&average, 3.0));
    assert_near(weir__window_average_mean(&average), 13.164795, 1e-5);
    g_assert_cmpuint(average.n, ==, 48);
    g_assert_false(weir__window_average_reset_history(&average, 1.0));
}

static void a_restart_is_no_round(void)
{
    weir__window_average_init(&average, 8, 2);
    push_all((const double[]){4.0, 5.0, 6.0}, 3);
    weir__window_average_on_loss(&average);
    push_all((const double[]){3.0, 4.0}, 2);
    weir__window_average_restart(&average, 7.0);
    g_assert_cmpfloat(weir__window_average_mean(&average), ==, 7.0);
    push_all((const double[]){8.0, 9.0}, 2);
    weir__window_average_on_loss(&average);
    push_all((const double[]){5.0}, 1);
    weir__window_average_on_loss(&average);
    g_assert_cmpint(weir__window_average_epoch_rounds(&average), ==, 4 + 1);
}

/* Equation 2 holds when both sides are equal, and not a hair beyond. */
static void condition_includes_equality(void)
{
    static const struct {
        double window;
        bool resets;
    } cases[] = {{9.0, true}, {8.999, false}, {9.001, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        weir__window_average_init(&average, 160, 2);
        for (int k = 0; k < 100; k++) {
            weir__window_average_push(&average, cases[i].window);
        }
        for (int k = 0; k < 3; k++) {
            push_all((const double[]){cases[i].window, cases[i].window}, 2);
            weir__window_average_on_loss(&average);
        }
        assert_near(weir__window_average_tcp_mean(&average), 3.0, 1e-12);
        g_assert_true(weir__window_average_reset_history(&average, 3.0) == cases[i].resets);
    }
}

/* The mean keeps what the epochs span: when they are longer than the ring there is nothing to drop.
 */
static void long_epochs_never_reset(void)
{
    weir__window_average_init(&average, 160, 12);
    for (int i = 0; i < 14 * 20; i++) {
        weir__window_average_push(&average, 1e6);
        if (i % 20 == 19) {
            weir__window_average_on_loss(&average);
        }
    }
    g_assert_cmpint(weir__window_average_epoch_rounds(&average), ==, 240);
    g_assert_false(weir__window_average_reset_history(&average, 3.0));
}

/* Exponential gaps of a mean of 20 and 50 rounds: a reset in 0.0007 of the loss events at most. */
static void stationary_losses_hardly_ever_reset(void)
{
    static const struct {
        double mean_rounds, most_share;
    } cases[] = {{20.0, 0.0007}, {50.0, 0.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__emulated_window tcp;
        GRand *random = g_rand_new_with_seed(7);
        int losses = 0, resets = 0;
        weir__window_average_init(&average, 160, 12);
        weir__emulated_window_init(&tcp, 10.0, false);
        for (int round = 0; round < 1000000; round++) {
            bool loss = g_rand_double(random) < 1.0 / cases[i].mean_rounds;
            run_round(&tcp, loss);
            losses += loss;
            resets += loss && weir__window_average_reset_history(&average, 3.0);
        }
        g_test_message("mean %g rounds: %d resets, %d losses", cases[i].mean_rounds, resets,
                       losses);
        g_assert_cmpfloat((double)resets / losses, <=, cases[i].most_share);
        g_rand_free(random);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/window_average/" #name, name)
    ADD(mean_is_of_the_latest_windows);
    ADD(mean_is_that_of_min_s_t_windows);
    ADD(old_windows_leave_no_trace);
    ADD(windows_are_limited);
    ADD(a_restart_is_no_round);
    ADD(bursty_losses_reset_the_history_at_the_13th);
    ADD(condition_includes_equality);
    ADD(long_epochs_never_reset);
    ADD(stationary_losses_hardly_ever_reset);
    return g_test_run();
}
