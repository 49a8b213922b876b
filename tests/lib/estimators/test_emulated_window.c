/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The emulated window grows, halves and times out as a TCP's does. */
#include "../../test.h"
#include "estimators/emulated_window.h"

#include <math.h>

static double end_round(struct weir__emulated_window *tcp, bool loss, int64_t timeout_rounds)
{
    struct weir__emulated_round round = {
        .loss = loss, .most = HUGE_VAL, .timeout_rounds = timeout_rounds};
    weir__emulated_window_end_round(tcp, &round);
    return weir__emulated_window_get(tcp);
}

/* From any window: m, m + 1 ... 2m - 1 with the mean 1.5 m - 0.5. */
static void periodic_loss_settles_between_m_and_2m(void)
{
    static const double starts[] = {1.0, 3.7, 1000.0};
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++) {
        for (int m = 1; m <= 200; m++) {
            struct weir__emulated_window tcp;
            weir__emulated_window_init(&tcp, starts[i], false);
            for (int round = 1; round <= 60 * m; round++) {
                end_round(&tcp, round % m == 0, 0);
            }
            double sum = 0.0;
            for (int round = 1; round <= m; round++) {
                assert_near(weir__emulated_window_get(&tcp), m + round - 1, 1e-9);
                sum += weir__emulated_window_get(&tcp);
                end_round(&tcp, round == m, 0);
            }
            assert_near(sum / m, 1.5 * m - 0.5, 1e-9);
        }
    }
}

/* Gaps of n rounds with the mean E and the variation CV give E (1.5 + CV^2/2), a little less in
 * rounds that are whole. */
static void mean_follows_the_variation_of_the_gaps(void)
{
    static const double variations[] = {0.0, 0.5, 1.0};
    for (size_t i = 0; i < G_N_ELEMENTS(variations); i++) {
        struct weir__emulated_window tcp;
        GRand *random = g_rand_new_with_seed(11);
        double sum = 0.0;
        int64_t rounds = 0;
        weir__emulated_window_init(&tcp, 50.0, false);
        for (int loss = 0; loss < 20000; loss++) {
            double spread = -log(1.0 - g_rand_double(random)) - 1.0;
            int64_t gap = llround(fmax(1.0, 100.0 * (1.0 + variations[i] * spread)));
            for (int64_t round = 1; round <= gap; round++) {
                sum += weir__emulated_window_get(&tcp);
                end_round(&tcp, round == gap, 0);
            }
            rounds += gap;
        }
        double expected = 1.5 + variations[i] * variations[i] / 2.0;
        assert_near(sum / (double)rounds / 100.0, expected, 0.04);
        g_rand_free(random);
    }
}

static void slow_start_doubles_up_to_what_is_allowed(void)
{
    struct weir__emulated_window tcp;
    struct weir__emulated_round round = {.most = 20.0};
    weir__emulated_window_init(&tcp, 4.0, true);
    static const double expected[] = {8.0, 16.0, 20.0, 20.0};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_assert_true(weir__emulated_window_is_starting(&tcp));
        weir__emulated_window_end_round(&tcp, &round);
        g_assert_cmpfloat(weir__emulated_window_get(&tcp), ==, expected[i]);
    }
    round.most = 0.0;
    weir__emulated_window_end_round(&tcp, &round);
    g_assert_cmpfloat(weir__emulated_window_get(&tcp), ==, 20.0);
    round.loss = true;
    weir__emulated_window_end_round(&tcp, &round);
    g_assert_cmpfloat(weir__emulated_window_get(&tcp), ==, 10.0);
    g_assert_false(weir__emulated_window_is_starting(&tcp));
}

/* At a window of 2 every loss event is a timeout, each twice as long as the last, until a round
 * without loss. */
static void small_windows_time_out_and_back_off(void)
{
    struct weir__emulated_window tcp;
    weir__emulated_window_init(&tcp, 2.0, false);
    for (int64_t factor = 1; factor <= 256; factor *= 2) {
        int64_t rounds = 4 * (factor < 64 ? factor : 64);
        g_assert_cmpfloat(end_round(&tcp, true, 4), ==, 0.0);
        for (int64_t i = 1; i < rounds; i++) {
            g_assert_cmpfloat(end_round(&tcp, i == 2, 4), ==, 0.0);
        }
        g_assert_cmpfloat(end_round(&tcp, false, 4), ==, 1.0);
    }
    g_assert_cmpuint(tcp.timeouts, ==, 9);
    g_assert_cmpfloat(end_round(&tcp, false, 4), ==, 2.0);
    g_assert_cmpfloat(end_round(&tcp, true, 4), ==, 0.0);
    g_assert_cmpint(tcp.zero_rounds, ==, 4);
}

static void slow_start_after_a_timeout_ends_at_half_the_window(void)
{
    static const double expected[] = {1.0, 2.0, 4.0, 8.0, 11.0, 12.0, 13.0};
    struct weir__emulated_window tcp;
    weir__emulated_window_init(&tcp, 22.0, false);
    weir__emulated_window_time_out(&tcp, 1);
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_assert_cmpfloat(end_round(&tcp, false, 4), ==, expected[i]);
    }
}

/* A loss every 20 rounds at about 40 packets adds 3/40 each: the 14th event is a timeout. Without
 * the switch there is none. */
static void rare_losses_time_out_rarely(void)
{
    for (int64_t timeout_rounds = 0; timeout_rounds <= 4; timeout_rounds += 4) {
        struct weir__emulated_window tcp;
        uint64_t expected = timeout_rounds > 0 ? 1 : 0;
        weir__emulated_window_init(&tcp, 20.0, false);
        for (int round = 1; round <= 20 * 14; round++) {
            end_round(&tcp, round % 20 == 0, timeout_rounds);
            g_assert_cmpuint(tcp.timeouts, ==, round == 20 * 14 ? expected : 0);
        }
    }
}

/* As SACK: a loss every 4 rounds at 8 packets adds 2.5^2/8^2 each, so the 11th is a timeout. */
static void sack_times_out_more_rarely(void)
{
    struct weir__emulated_window tcp;
    weir__emulated_window_init(&tcp, 4.0, false);
    for (int round = 1; round <= 4 * 11; round++) {
        struct weir__emulated_round what = {
            .loss = round % 4 == 0, .most = HUGE_VAL, .timeout_rounds = 4, .sack = true};
        weir__emulated_window_end_round(&tcp, &what);
        g_assert_cmpuint(tcp.timeouts, ==, round == 4 * 11);
    }
}

/* Own model: losses of packets at random, of which a round of R packets has its share; TCP's rate
 * by the equation is 11.2, 3.69 and 1.77 packets per round. */
static double mean_rate(double p, int64_t timeout_rounds)
{
    struct weir__emulated_window tcp;
    double windows[160] = {0};
    double sum = 0.0, total = 0.0;
    int n_rounds = 400000;
    GRand *random = g_rand_new_with_seed(3);
    weir__emulated_window_init(&tcp, 10.0, false);
    for (int round = 0; round < n_rounds; round++) {
        double rate = fmax(sum / 160.0, 0.01);
        bool loss = g_rand_double(random) < 1.0 - pow(1.0 - p, rate);
        double window = weir__emulated_window_get(&tcp);
        sum += window - windows[round % 160];
        windows[round % 160] = window;
        total += rate;
        end_round(&tcp, loss, timeout_rounds);
    }
    g_rand_free(random);
    return total / n_rounds;
}

static void timeouts_take_most_of_the_excess_under_heavy_loss(void)
{
    static const struct {
        double p, without, with, tcp;
    } cases[] = {{0.01, 14.0, 12.2, 11.2}, {0.05, 6.27, 4.45, 3.69}, {0.1, 4.40, 2.75, 1.77}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        double without = mean_rate(cases[i].p, 0), with = mean_rate(cases[i].p, 4);
        g_test_message("p %g: %.2f without, %.2f with timeouts", cases[i].p, without, with);
        assert_near(without / cases[i].without, 1.0, 0.05);
        assert_near(with / cases[i].with, 1.0, 0.1);
        g_assert_cmpfloat(with, >, cases[i].tcp);
    }
}

static void windows_stay_finite(void)
{
    struct weir__emulated_window tcp;
    weir__emulated_window_init(&tcp, 1.0, true);
    for (int i = 0; i < 2000; i++) {
        g_assert_cmpfloat(end_round(&tcp, false, 4), <=, WEIR__EMULATED_WINDOW_MAX);
    }
    for (int i = 0; i < 2000; i++) {
        g_assert_cmpfloat(end_round(&tcp, true, 0), >=, 1.0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/emulated_window/" #name, name)
    ADD(periodic_loss_settles_between_m_and_2m);
    ADD(mean_follows_the_variation_of_the_gaps);
    ADD(slow_start_doubles_up_to_what_is_allowed);
    ADD(small_windows_time_out_and_back_off);
    ADD(slow_start_after_a_timeout_ends_at_half_the_window);
    ADD(rare_losses_time_out_rarely);
    ADD(sack_times_out_more_rarely);
    ADD(timeouts_take_most_of_the_excess_under_heavy_loss);
    ADD(windows_stay_finite);
    return g_test_run();
}
