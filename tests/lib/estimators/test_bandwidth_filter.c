/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Equations 7 and 8 of the ARC paper and the resampling of figure 3: known answers, and what must
 * hold for any sample. */
#include "../../test.h"
#include "estimators/bandwidth_filter.h"
#include "weir/units.h"

#include <math.h>

/* A filter with tau = 0.5 s whose past is a bandwidth. */
static struct weir__bandwidth_filter settled(double bandwidth)
{
    struct weir__bandwidth_filter filter;
    weir__bandwidth_filter_init(&filter, 0.5, false);
    weir__bandwidth_filter_sample(&filter, bandwidth, 0.1);
    return filter;
}

static double after(struct weir__bandwidth_filter filter, double bandwidth, double t_s)
{
    weir__bandwidth_filter_sample(&filter, bandwidth, t_s);
    return filter.value;
}

static void first_sample_is_the_value(void)
{
    struct weir__bandwidth_filter filter;
    weir__bandwidth_filter_init(&filter, 0.5, false);
    g_assert_false(filter.has_value);
    g_assert_cmpfloat(after(filter, 83.0, 0.02), ==, 83.0);
}

/* From a value of 0 one sample of 0 leaves a, and one of 1 leaves c. */
static void coefficients_are_those_of_the_table(void)
{
    static const double rows[][3] = {{0.02, 0.960784314, 0.019607843},
                                     {0.05, 0.904761905, 0.047619048},
                                     {0.1, 0.818181818, 0.090909091},
                                     {0.125, 0.777777778, 0.111111111}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__bandwidth_filter filter = settled(0.0);
        assert_near(after(filter, 1.0, rows[i][0]), rows[i][2], 1e-9);
        filter.value = 1.0;
        assert_near(after(filter, 0.0, rows[i][0]), rows[i][1], 1e-9);
    }
}

static void steps_from_zero_to_one_are_known(void)
{
    static const double eighth[] = {0.111111, 0.308642, 0.462277, 0.581771,
                                    0.674711, 0.746997, 0.803220, 0.846949};
    static const double tenth[] = {0.090909, 0.256198, 0.391435, 0.502083, 0.592614};
    struct weir__bandwidth_filter filter = settled(0.0);
    for (size_t i = 0; i < G_N_ELEMENTS(eighth); i++) {
        weir__bandwidth_filter_sample(&filter, 1.0, 0.125);
        assert_near(filter.value, eighth[i], 1e-6);
    }
    filter = settled(0.0);
    for (size_t i = 0; i < G_N_ELEMENTS(tenth); i++) {
        weir__bandwidth_filter_sample(&filter, 1.0, 0.1);
        assert_near(filter.value, tenth[i], 1e-6);
    }
}

static void a_long_sample_is_several(void)
{
    assert_near(after(settled(0.0), 1.0, 0.3), 0.374486, 1e-6);
    assert_near(after(settled(0.0), 1.0, 0.25), 0.308642, 1e-6);
    assert_near(after(settled(0.0), 1.0, 1.0), 0.846949, 1e-6);
    assert_near(after(settled(100.0), 0.0, 0.3), 62.55144, 1e-5);
}

/* A line from 0 to 1 over 0.25 s: virtual samples 0.5 and 1, so c 0.5, then a of that and c 1.5. */
static void a_long_sample_may_be_a_line(void)
{
    struct weir__bandwidth_filter filter = settled(0.0);
    filter.linear = true;
    weir__bandwidth_filter_sample(&filter, 1.0, 0.25);
    assert_near(filter.value, 0.5 / 9.0 * 7.0 / 9.0 + 1.5 / 9.0, 1e-12);
    g_assert_cmpfloat(filter.before, ==, 1.0);
}

/* N tau/4 in floating point is sometimes a little less. */
static void whole_multiples_leave_no_rest(void)
{
    for (int n = 1; n <= 100; n++) {
        struct weir__bandwidth_filter one = settled(0.0);
        struct weir__bandwidth_filter many = one;
        weir__bandwidth_filter_sample(&one, 1.0, 0.1 * 1.25 * (double)n);
        for (int i = 0; i < n; i++) {
            weir__bandwidth_filter_sample(&many, 1.0, 0.125);
        }
        assert_near(one.value, many.value, 1e-9);
    }
}

/* DC gain 1, whatever the interval, and never beyond what was put in. */
static void a_constant_stays_what_it_is(void)
{
    for (int linear = 0; linear < 2; linear++) {
        for (double t_s = 1e-7; t_s < 1e5; t_s *= 1.37) {
            struct weir__bandwidth_filter filter = settled(7.0);
            filter.linear = linear;
            assert_near(after(filter, 7.0, t_s), 7.0, 1e-12);
            double value = after(filter, 3.0, t_s);
            g_assert_cmpfloat(value, >=, 3.0 - 1e-12);
            g_assert_cmpfloat(value, <=, 7.0 + 1e-12);
        }
    }
}

/* Time constant tau: 1/e is left after it, however it is divided into samples. */
static void memory_fades_with_the_time_constant(void)
{
    static const double intervals_s[] = {0.001, 0.01, 0.05, 0.1, 0.125, 0.25, 0.5};
    for (size_t i = 0; i < G_N_ELEMENTS(intervals_s); i++) {
        struct weir__bandwidth_filter filter = settled(1.0);
        filter.before = 0.0;
        for (int k = 0; k < (int)(0.5 / intervals_s[i] + 0.5); k++) {
            weir__bandwidth_filter_sample(&filter, 0.0, intervals_s[i]);
        }
        assert_near(filter.value, exp(-1.0), 0.003);
    }
}

static void a_sample_of_no_time_is_none(void)
{
    g_assert_cmpfloat(after(settled(5.0), 1e9, 0.0), ==, 5.0);
    g_assert_cmpfloat(after(settled(5.0), 1e9, -1.0), ==, 5.0);
}

/* A day is as good as eternity, and takes no longer. */
static void nothing_is_left_after_a_day(void)
{
    assert_near(after(settled(1e9), 1.0, 86400.0), 1.0, 1e-4);
}

struct samples {
    struct weir__bandwidth_sampler sampler;
    int n;
    double bandwidth, t_s;
};

static void arrive(struct samples *s, int64_t at_ns, int64_t bytes)
{
    s->n += weir__bandwidth_sampler_add(&s->sampler, at_ns, bytes, WEIR_MS(100), &s->bandwidth,
                                        &s->t_s);
}

/* 1000 bytes every 10 ms, exactly, whenever the samples end. */
static void even_arrivals_give_their_rate(void)
{
    struct samples s = {.n = 0};
    for (int i = 0; i <= 100; i++) {
        arrive(&s, WEIR_MS(10 * i), 1000);
        if (s.n > 0) {
            assert_near(s.bandwidth, 100000.0, 1e-6);
            assert_near(s.t_s, 0.1, 1e-12);
        }
    }
    g_assert_cmpint(s.n, ==, 10);
}

/* A gap makes one long sample with what came in it. */
static void a_gap_is_part_of_its_sample(void)
{
    struct samples s = {.n = 0};
    arrive(&s, 0, 1000);
    arrive(&s, WEIR_MS(50), 1000);
    arrive(&s, WEIR_MS(2000), 1000);
    g_assert_cmpint(s.n, ==, 1);
    assert_near(s.bandwidth, 1000.0, 1e-9);
    assert_near(s.t_s, 2.0, 1e-12);
}

static void arrivals_at_one_time_wait_for_the_next(void)
{
    struct weir__bandwidth_sampler sampler = {0};
    double bandwidth = 0.0, t_s = 0.0;
    for (int i = 0; i < 1000; i++) {
        g_assert_false(weir__bandwidth_sampler_add(&sampler, 5, 1000, 0, &bandwidth, &t_s));
    }
    g_assert_true(weir__bandwidth_sampler_add(&sampler, 6, 1000, 0, &bandwidth, &t_s));
    assert_near(bandwidth, 1e15, 1e3);
}

static void reordered_arrivals_count_and_another_clock_begins_anew(void)
{
    struct samples s = {.n = 0};
    arrive(&s, WEIR_SECONDS(20), 1000);
    arrive(&s, WEIR_SECONDS(20) - WEIR_MS(5), 1000);
    arrive(&s, WEIR_SECONDS(20) + WEIR_MS(100), 1000);
    assert_near(s.bandwidth, 20000.0, 1e-9);
    arrive(&s, WEIR_SECONDS(1), 1000);
    arrive(&s, WEIR_SECONDS(1) + WEIR_MS(200), 1000);
    g_assert_cmpint(s.n, ==, 2);
    assert_near(s.bandwidth, 5000.0, 1e-9);
}

#define ADD(name) g_test_add_func("/bandwidth_filter/" #name, name)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(first_sample_is_the_value);
    ADD(coefficients_are_those_of_the_table);
    ADD(steps_from_zero_to_one_are_known);
    ADD(a_long_sample_is_several);
    ADD(a_long_sample_may_be_a_line);
    ADD(whole_multiples_leave_no_rest);
    ADD(a_constant_stays_what_it_is);
    ADD(memory_fades_with_the_time_constant);
    ADD(a_sample_of_no_time_is_none);
    ADD(nothing_is_left_after_a_day);
    ADD(even_arrivals_give_their_rate);
    ADD(a_gap_is_part_of_its_sample);
    ADD(arrivals_at_one_time_wait_for_the_next);
    ADD(reordered_arrivals_count_and_another_clock_begins_anew);
    return g_test_run();
}
