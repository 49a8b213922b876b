/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/reception.h"

#include "test.h"
#include "weir/units.h"

static void test_loss_ratio_is_that_of_the_last_ten_seconds(void)
{
    struct weir__reception reception = {0};
    assert_near(weir__reception_loss_ratio(&reception, 0), 0.0, 1e-12);
    for (int ms = 0; ms < 60000; ms += 10) { /* 10 % loss until 30 s, then none */
        bool lossy = ms < 30000 && ms % 100 == 0;
        weir__reception_on_packet(&reception, WEIR_MS(ms), lossy ? 2 : 1, 1);
        double ratio = weir__reception_loss_ratio(&reception, WEIR_MS(ms));
        if (ms > 1000 && ms < 30000) {
            assert_near(ratio, 1.0 / 11.0, 0.01);
        } else if (ms >= 41000) {
            assert_near(ratio, 0.0, 1e-12);
        }
    }
    assert_near(weir__reception_loss_ratio(&reception, WEIR_SECONDS(75)), 0.0, 1e-12);
}

static void test_late_packets_take_a_loss_back(void)
{
    struct weir__reception reception = {0};
    weir__reception_on_packet(&reception, 0, 1, 1);
    weir__reception_on_packet(&reception, 0, 3, 1);
    assert_near(weir__reception_loss_ratio(&reception, 0), 0.5, 1e-12);
    weir__reception_on_packet(&reception, WEIR_SECONDS(1), 0, 1);
    weir__reception_on_packet(&reception, WEIR_SECONDS(1), 0, 1);
    assert_near(weir__reception_loss_ratio(&reception, WEIR_SECONDS(1)), 0.0, 1e-12);
    weir__reception_on_packet(&reception, WEIR_SECONDS(1), 0, 5); /* copies never make it < 0 */
    assert_near(weir__reception_loss_ratio(&reception, WEIR_SECONDS(1)), 0.0, 1e-12);
}

static void test_delay_is_the_mean_of_the_last_second(void)
{
    struct weir__reception reception = {0};
    assert_near(weir__reception_delay_ns(&reception, 0), 0.0, 1e-12);
    for (int ms = 0; ms < 5000; ms += 5) {
        weir__reception_on_delay(&reception, WEIR_MS(ms), ms < 3000 ? WEIR_MS(80) : WEIR_MS(20));
        if (ms < 3000) {
            assert_near(weir__reception_delay_ns(&reception, WEIR_MS(ms)), 80e6, 1.0);
        }
    }
    assert_near(weir__reception_delay_ns(&reception, WEIR_MS(4999)), 20e6, 1.0);
    assert_near(weir__reception_delay_ns(&reception, WEIR_MS(9000)), 0.0, 1e-12);
}

static void hear(struct weir__reception *reception, int64_t now_ns, int64_t expected_packets,
                 int64_t delay_ns)
{
    weir__reception_on_packet(reception, now_ns, expected_packets, 1);
    weir__reception_on_delay(reception, now_ns, delay_ns);
}

static double unheard(const struct weir__reception *reception, int64_t playout_ms)
{
    return weir__reception_unheard_ratio(reception, WEIR_MS(playout_ms));
}

/* 201 packets expected, 5 of them lost, 10 each with 45 and 61 ms. */
static void test_a_longer_playout_buffer_hears_more(void)
{
    struct weir__reception reception = {0};
    assert_near(unheard(&reception, 40), 0.0, 1e-12);
    int64_t waiting = 1;
    for (int i = 0; i < 200; i++) {
        int64_t delay_ns = i % 20 == 7 ? WEIR_MS(61) : i % 20 == 11 ? WEIR_MS(45) : WEIR_MS(10);
        if (i % 40 == 39) {
            waiting++;
            continue;
        }
        hear(&reception, WEIR_MS(20 * i), waiting, delay_ns);
        waiting = 1;
    }
    hear(&reception, WEIR_MS(4000), waiting, WEIR_MS(10));
    assert_near(unheard(&reception, 0), 1.0, 1e-9);
    assert_near(unheard(&reception, 10), 25.0 / 201.0, 1e-9);
    assert_near(unheard(&reception, 40), 25.0 / 201.0, 1e-9);
    assert_near(unheard(&reception, 50), 15.0 / 201.0, 1e-9);
    assert_near(unheard(&reception, 60), 15.0 / 201.0, 1e-9);
    assert_near(unheard(&reception, 70), 5.0 / 201.0, 1e-9);
    assert_near(unheard(&reception, 100000), 5.0 / 201.0, 1e-9);
}

/* 8 s old, as a payloader may keep one over a silence. */
static void test_a_stray_packet_is_heard_by_no_buffer(void)
{
    struct weir__reception reception = {0};
    for (int i = 0; i < 100; i++) {
        hear(&reception, WEIR_MS(20 * i), 1, 0);
    }
    hear(&reception, WEIR_MS(2000), 1, WEIR_SECONDS(8));
    for (int ms = 10; ms <= 500; ms += 10) {
        assert_near(unheard(&reception, ms), 1.0 / 101.0, 1e-9);
    }
}

static void test_silence_does_not_age_what_was_heard(void)
{
    struct weir__reception reception = {0};
    for (int i = 0; i < 100; i++) {
        hear(&reception, WEIR_SECONDS(5) + WEIR_MS(20 * i), i % 10 == 0 ? 2 : 1, 0);
    }
    weir__reception_on_packet(&reception, WEIR_SECONDS(9), 1, 0); /* known to be lost in it */
    assert_near(unheard(&reception, 40), 1.0 / 11.0, 1e-9);
    assert_near(weir__reception_loss_ratio(&reception, WEIR_SECONDS(60)), 0.0, 1e-12);
    hear(&reception, WEIR_SECONDS(60), 1, 0);
    assert_near(unheard(&reception, 40), 0.0, 1e-12);
}

static void test_times_before_zero_do_no_harm(void)
{
    struct weir__reception reception = {0};
    struct weir__transit transit = {0};
    weir__reception_on_packet(&reception, -WEIR_SECONDS(5), 1, 1);
    weir__reception_on_delay(&reception, -WEIR_SECONDS(5), 7);
    assert_near(unheard(&reception, 40), 0.0, 1e-12);
    g_assert_cmpint(weir__transit_sample(&transit, 0, 90000, -WEIR_SECONDS(5)), ==, 0);
}

static void test_transit_is_the_delay_above_the_smallest(void)
{
    struct weir__transit transit = {0};
    for (uint32_t i = 0; i < 3000; i++) { /* 20 ms apart, wrapping; every 7th is 30 ms late */
        uint32_t timestamp = 0xfffff000U + i * 160;
        int64_t late_ns = i % 7 == 3 ? WEIR_MS(30) : 0;
        int64_t delay_ns =
            weir__transit_sample(&transit, timestamp, 8000, WEIR_MS(20 * i) + late_ns);
        g_assert_cmpint(delay_ns, ==, late_ns);
    }
}

static void test_the_smallest_transit_is_forgotten_after_ten_seconds(void)
{
    struct weir__transit transit = {0};
    for (uint32_t i = 0; i < 2000; i++) { /* at 10 s the path gets 50 ms longer for good */
        int64_t extra_ns = i >= 500 ? WEIR_MS(50) : 0;
        int64_t delay_ns =
            weir__transit_sample(&transit, i * 1800, 90000, WEIR_MS(20 * i) + extra_ns);
        if (i < 500 || i >= 1100) {
            g_assert_cmpint(delay_ns, ==, 0);
        } else if (i < 990) {
            g_assert_cmpint(delay_ns, ==, WEIR_MS(50));
        }
    }
    /* in silence, too */
    g_assert_cmpint(
        weir__transit_sample(&transit, 3000 * 1800, 90000, WEIR_SECONDS(60) + WEIR_MS(90)), ==, 0);
}

static void test_a_new_clock_or_a_jump_starts_anew(void)
{
    struct weir__transit transit = {0};
    weir__transit_sample(&transit, 0, 90000, 0);
    g_assert_cmpint(weir__transit_sample(&transit, 0, 90000, WEIR_MS(40)), ==, WEIR_MS(40));
    g_assert_cmpint(weir__transit_sample(&transit, 0, 48000, WEIR_MS(60)), ==, 0);
    g_assert_cmpint(weir__transit_sample(&transit, 48000U * 3600, 48000, WEIR_MS(80)), ==, 0);
    g_assert_cmpint(weir__transit_sample(&transit, 48000U * 3600, 48000, WEIR_MS(90)), ==,
                    WEIR_MS(10));
    g_assert_cmpint(weir__transit_sample(&transit, 5, 48000, WEIR_MS(100)), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reception/loss_ratio_is_that_of_the_last_ten_seconds",
                    test_loss_ratio_is_that_of_the_last_ten_seconds);
    g_test_add_func("/reception/late_packets_take_a_loss_back", test_late_packets_take_a_loss_back);
    g_test_add_func("/reception/delay_is_the_mean_of_the_last_second",
                    test_delay_is_the_mean_of_the_last_second);
    g_test_add_func("/reception/a_longer_playout_buffer_hears_more",
                    test_a_longer_playout_buffer_hears_more);
    g_test_add_func("/reception/a_stray_packet_is_heard_by_no_buffer",
                    test_a_stray_packet_is_heard_by_no_buffer);
    g_test_add_func("/reception/silence_does_not_age_what_was_heard",
                    test_silence_does_not_age_what_was_heard);
    g_test_add_func("/reception/times_before_zero_do_no_harm", test_times_before_zero_do_no_harm);
    g_test_add_func("/reception/transit_is_the_delay_above_the_smallest",
                    test_transit_is_the_delay_above_the_smallest);
    g_test_add_func("/reception/the_smallest_transit_is_forgotten_after_ten_seconds",
                    test_the_smallest_transit_is_forgotten_after_ten_seconds);
    g_test_add_func("/reception/a_new_clock_or_a_jump_starts_anew",
                    test_a_new_clock_or_a_jump_starts_anew);
    return g_test_run();
}
