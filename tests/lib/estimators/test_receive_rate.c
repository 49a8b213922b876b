/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv: exact for few arrivals, close for many, never from too short an interval. */
#include "../../test.h"
#include "estimators/receive_rate.h"
#include "weir/units.h"

#define R_NS WEIR_MS(100)

static void add(struct weir__receive_rate *rate, int64_t at_ms, int64_t bytes)
{
    weir__receive_rate_add(rate, WEIR_MS(at_ms), bytes, R_NS);
}

static void nothing_arrived_is_zero(void)
{
    struct weir__receive_rate rate = {0};
    assert_near(weir__receive_rate_get(&rate, R_NS), 0.0, 1e-12);
}

/* One packet per R is the least there is, even after a long silence. */
static void one_arrival_is_one_packet_per_rtt(void)
{
    struct weir__receive_rate rate = {0};
    add(&rate, 5, 1000);
    assert_near(weir__receive_rate_get(&rate, R_NS), 10000.0, 1e-9);
    add(&rate, 60000, 1000);
    assert_near(weir__receive_rate_get(&rate, R_NS), 10000.0, 1e-9);
    g_assert_cmpuint(rate.n, ==, 1);
}

static void steady_arrivals_give_their_exact_rate(void)
{
    for (int64_t gap_ms = 5; gap_ms <= 100; gap_ms++) {
        if (100 % gap_ms != 0) {
            continue;
        }
        struct weir__receive_rate rate = {0};
        for (int64_t at_ms = 0; at_ms < 2000; at_ms += gap_ms) {
            add(&rate, at_ms, 1000);
            if (at_ms >= 100) {
                assert_near(weir__receive_rate_get(&rate, R_NS), 1e6 / (double)gap_ms, 1e-6);
            }
        }
    }
}

/* 100 to 100000 packets per window in 48 entries: within 3 %. */
static void many_arrivals_are_merged_without_bias(void)
{
    for (int64_t per_window = 100; per_window <= 100000; per_window *= 10) {
        struct weir__receive_rate rate = {0};
        double sum = 0.0;
        int64_t n = 0;
        for (int64_t i = 0; i < per_window * 10; i++) {
            weir__receive_rate_add(&rate, i * R_NS / per_window, 1000, R_NS);
            g_assert_cmpuint(rate.n, <=, WEIR__RECEIVE_RATE_ENTRIES);
            if (i > 2 * per_window) {
                double share = weir__receive_rate_get(&rate, R_NS) / (10000.0 * (double)per_window);
                g_assert_true(share > 0.97 && share < 1.03);
                sum += share;
                n++;
            }
        }
        assert_near(sum / (double)n, 1.0, 0.005);
    }
}

static void order_of_arrivals_does_not_matter(void)
{
    struct weir__receive_rate forward = {0}, backward = {0}, shuffled = {0};
    static const int64_t mixed[] = {30, 0, 60, 90, 20, 10, 80, 70, 40, 50};
    for (int64_t i = 0; i < 10; i++) {
        add(&forward, i * 10, 100 + i);
        add(&backward, 90 - i * 10, 109 - i);
        add(&shuffled, mixed[i], 100 + mixed[i] / 10);
    }
    g_assert_cmpuint(forward.n, ==, 10);
    for (int64_t window_ms = 20; window_ms < 100; window_ms += 7) {
        double expected = weir__receive_rate_get(&forward, WEIR_MS(window_ms));
        assert_near(weir__receive_rate_get(&backward, WEIR_MS(window_ms)), expected, 1e-9);
        assert_near(weir__receive_rate_get(&shuffled, WEIR_MS(window_ms)), expected, 1e-9);
    }
}

static void a_late_packet_counts_where_it_arrived(void)
{
    struct weir__receive_rate rate = {0};
    for (int64_t i = 0; i < 300; i++) {
        weir__receive_rate_add(&rate, i * WEIR_US(500), 1000, R_NS);
    }
    double before = weir__receive_rate_get(&rate, R_NS);
    weir__receive_rate_add(&rate, WEIR_US(500) * 250 - 1, 1000, R_NS);
    assert_near(weir__receive_rate_get(&rate, R_NS) - before, 10000.0, 1e-6);
    add(&rate, 149, 500);
}

/* A window longer than what is remembered divides by what is remembered, but never by less than
 * half the window. */
static void never_divides_by_less_than_half_the_window(void)
{
    struct weir__receive_rate rate = {0};
    for (int64_t at_ms = 0; at_ms <= 1000; at_ms += 10) {
        add(&rate, at_ms, 1000);
    }
    assert_near(weir__receive_rate_get(&rate, WEIR_MS(150)), 100000.0, 7000.0);
    assert_near(weir__receive_rate_get(&rate, WEIR_MS(300)), 100000.0, 11000.0);
    g_assert_cmpfloat(weir__receive_rate_get(&rate, WEIR_SECONDS(2)), <=, 22000.0);
}

/* A peer whose clock steps back does not freeze the estimate. */
static void clock_step_back_starts_afresh(void)
{
    struct weir__receive_rate rate = {0};
    for (int64_t i = 0; i < 20; i++) {
        add(&rate, 1000000 + i * 5, 1000);
    }
    weir__receive_rate_begin(&rate, WEIR_MS(999000), R_NS);
    g_assert_cmpuint(rate.n, >, 0);
    weir__receive_rate_begin(&rate, WEIR_MS(10), R_NS);
    add(&rate, 10, 700);
    assert_near(weir__receive_rate_get(&rate, R_NS), 7000.0, 1e-9);
}

/* A report after a long silence, with its newest arrival first. */
static void old_arrivals_after_new_ones_are_forgotten(void)
{
    struct weir__receive_rate rate = {0};
    add(&rate, 10000, 700);
    add(&rate, 2000, 1000);
    add(&rate, 3000, 1000);
    assert_near(weir__receive_rate_get(&rate, R_NS), 7000.0, 1e-9);
    g_assert_cmpint(rate.forgotten_ns, ==, WEIR_MS(3000));
    add(&rate, 2500, 1000);
    g_assert_cmpint(rate.forgotten_ns, ==, WEIR_MS(3000));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/receive_rate/" #name, name)
    ADD(nothing_arrived_is_zero);
    ADD(one_arrival_is_one_packet_per_rtt);
    ADD(steady_arrivals_give_their_exact_rate);
    ADD(many_arrivals_are_merged_without_bias);
    ADD(order_of_arrivals_does_not_matter);
    ADD(a_late_packet_counts_where_it_arrived);
    ADD(never_divides_by_less_than_half_the_window);
    ADD(clock_step_back_starts_afresh);
    ADD(old_arrivals_after_new_ones_are_forgotten);
    return g_test_run();
}
