/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/receive_estimate.h"

#include "test.h"
#include "weir/units.h"

static void test_without_loss_it_is_twice_what_arrives(void)
{
    struct weir__receive_estimate estimate;
    weir__receive_estimate_init(&estimate);
    for (int i = 0; i < 1000; i++) {
        weir__receive_estimate_on_packet(&estimate, WEIR_MS(10 * i), 1000, 1, 0, WEIR_MS(50), 0);
    }
    g_assert_cmpint(weir__receive_estimate_bps(&estimate, WEIR_MS(50), 800000), ==, 1600000);
    g_assert_cmpint(weir__receive_estimate_bps(&estimate, WEIR_UNKNOWN_NS, 800000), ==, 1600000);
}

/* One loss in 100 packets of 1000 bytes, 0.1 s: the equation gives 112,332 bytes/s. */
static void test_with_regular_loss_it_is_the_equation(void)
{
    struct weir__receive_estimate estimate;
    weir__receive_estimate_init(&estimate);
    for (int i = 1; i < 5000; i++) {
        bool after_loss = i % 100 == 0;
        weir__receive_estimate_on_packet(&estimate, WEIR_MS(10 * i), 1000, after_loss ? 2 : 1,
                                         after_loss, WEIR_MS(100), 2000000);
    }
    double bps = (double)weir__receive_estimate_bps(&estimate, WEIR_MS(100), 2000000);
    assert_near(bps / (8 * 112332.0), 1.0, 0.03);
    /* without an RTT 100 ms are assumed */
    assert_near((double)weir__receive_estimate_bps(&estimate, WEIR_UNKNOWN_NS, 2000000), bps, 1.0);
    /* never more than twice what arrives */
    g_assert_cmpint(weir__receive_estimate_bps(&estimate, WEIR_MS(100), 100000), ==, 200000);
}

static void test_the_first_loss_costs_about_half_of_what_arrives_or_less(void)
{
    struct weir__receive_estimate estimate;
    weir__receive_estimate_init(&estimate);
    for (int i = 0; i < 50; i++) {
        weir__receive_estimate_on_packet(&estimate, WEIR_MS(10 * i), 1000, 1, 0, WEIR_MS(100), 0);
    }
    weir__receive_estimate_on_packet(&estimate, WEIR_MS(510), 1000, 2, 1, WEIR_MS(100), 800000);
    int64_t bps = weir__receive_estimate_bps(&estimate, WEIR_MS(100), 800000);
    g_assert_cmpint(bps, <=, 810000); /* the first interval is that of the rate reached */
    g_assert_cmpint(bps, >=, 300000);
}

static void test_marks_count_as_losses(void)
{
    struct weir__receive_estimate estimate;
    weir__receive_estimate_init(&estimate);
    weir__receive_estimate_on_mark(&estimate, 0, WEIR_MS(100), 800000); /* before any packet */
    g_assert_false(weir__loss_intervals_has_event(&estimate.losses));
    for (int i = 0; i < 100; i++) {
        weir__receive_estimate_on_packet(&estimate, WEIR_MS(10 * i), 1000, 1, 0, WEIR_MS(100), 0);
    }
    weir__receive_estimate_on_mark(&estimate, WEIR_MS(1000), WEIR_MS(100), 800000);
    g_assert_true(weir__loss_intervals_has_event(&estimate.losses));
    g_assert_cmpint(weir__receive_estimate_bps(&estimate, WEIR_MS(100), 800000), <, 1600000);
}

static void test_it_is_positive_and_bounded_whatever_is_measured(void)
{
    static const int64_t rates[] = {0, 1, INT64_MAX};
    static const int64_t rtts[] = {WEIR_UNKNOWN_NS, 0, 1, WEIR_SECONDS(10)};
    for (size_t r = 0; r < G_N_ELEMENTS(rates); r++) {
        for (size_t t = 0; t < G_N_ELEMENTS(rtts); t++) {
            struct weir__receive_estimate estimate;
            weir__receive_estimate_init(&estimate);
            g_assert_cmpint(weir__receive_estimate_bps(&estimate, rtts[t], rates[r]), >, 0);
            for (int i = 0; i < 100; i++) {
                weir__receive_estimate_on_packet(&estimate, WEIR_SECONDS(i), i % 3, 3, 2, rtts[t],
                                                 rates[r]);
                int64_t bps = weir__receive_estimate_bps(&estimate, rtts[t], rates[r]);
                g_assert_cmpint(bps, >, 0);
                g_assert_cmpint(bps, <=, INT64_C(1000000000000));
            }
        }
    }
}

static void test_copies_are_neither_expected_nor_lost(void)
{
    struct weir__receive_estimate estimate;
    weir__receive_estimate_init(&estimate);
    for (int i = 0; i < 100; i++) {
        weir__receive_estimate_on_packet(&estimate, WEIR_MS(10 * i), 1000, i % 2, 0, WEIR_MS(100),
                                         0);
    }
    g_assert_cmpint(estimate.seq, ==, 50);
    g_assert_cmpint(weir__receive_estimate_bps(&estimate, WEIR_MS(100), 800000), ==, 1600000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/receive_estimate/without_loss_it_is_twice_what_arrives",
                    test_without_loss_it_is_twice_what_arrives);
    g_test_add_func("/receive_estimate/with_regular_loss_it_is_the_equation",
                    test_with_regular_loss_it_is_the_equation);
    g_test_add_func("/receive_estimate/the_first_loss_costs_about_half_of_what_arrives_or_less",
                    test_the_first_loss_costs_about_half_of_what_arrives_or_less);
    g_test_add_func("/receive_estimate/marks_count_as_losses", test_marks_count_as_losses);
    g_test_add_func("/receive_estimate/it_is_positive_and_bounded_whatever_is_measured",
                    test_it_is_positive_and_bounded_whatever_is_measured);
    g_test_add_func("/receive_estimate/copies_are_neither_expected_nor_lost",
                    test_copies_are_neither_expected_nor_lost);
    return g_test_run();
}
