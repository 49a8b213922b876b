/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/proved_rate.h"

#include <glib.h>

#include "weir/units.h"

#define REPORT_NS WEIR_MS(50)

/* Reports of bps for a time; returns its end. */
static int64_t carry(struct weir__proved_rate *proved, int64_t from_ns, double for_s, int64_t bps)
{
    int64_t end_ns = from_ns + (int64_t)(for_s * 1e9);
    int64_t bytes = bps * REPORT_NS / WEIR_SECONDS(8);
    for (int64_t at_ns = from_ns; at_ns < end_ns; at_ns += REPORT_NS) {
        weir__proved_rate_on_packets(proved, at_ns, bytes);
    }
    return end_ns;
}

static double mbps(const struct weir__proved_rate *proved)
{
    return (double)weir__proved_rate_bps(proved) / 1e6;
}

static struct weir__proved_rate start(void)
{
    struct weir__proved_rate proved;
    weir__proved_rate_init(&proved);
    return proved;
}

static void test_two_seconds_are_needed(void)
{
    struct weir__proved_rate proved = start();
    int64_t now_ns = carry(&proved, WEIR_SECONDS(7), 1.9, WEIR_MBPS(1));
    g_assert_cmpfloat(mbps(&proved), ==, 0.0);
    carry(&proved, now_ns, 1.0, WEIR_MBPS(1));
    g_assert_cmpfloat_with_epsilon(mbps(&proved), 1.0, 0.01);
}

/* What a moment carries is no rate: half a second at thrice the rate moves it by a tenth. */
static void test_a_moment_is_no_rate(void)
{
    struct weir__proved_rate proved = start();
    int64_t now_ns = carry(&proved, 0, 20, WEIR_MBPS(1));
    now_ns = carry(&proved, now_ns, 0.5, WEIR_MBPS(3));
    carry(&proved, now_ns, 5, WEIR_MBPS(1));
    g_assert_cmpfloat_with_epsilon(mbps(&proved), 1.1, 0.02);
}

/* A source that rests at the end does not hide what the path carries, but a minute does. */
static void test_it_is_of_the_last_minute(void)
{
    struct weir__proved_rate proved = start();
    int64_t now_ns = carry(&proved, 0, 45, WEIR_MBPS(2));
    now_ns = carry(&proved, now_ns, 29, WEIR_KBPS(100));
    g_assert_cmpfloat_with_epsilon(mbps(&proved), 2.0, 0.01);
    carry(&proved, now_ns, 61, WEIR_KBPS(100));
    g_assert_cmpfloat(mbps(&proved), <, 0.2);
}

static void test_a_pause_is_no_time(void)
{
    struct weir__proved_rate proved = start();
    int64_t now_ns = carry(&proved, 0, 10, WEIR_MBPS(2));
    carry(&proved, now_ns + WEIR_SECONDS(3600), 10, WEIR_MBPS(2));
    g_assert_cmpfloat_with_epsilon(mbps(&proved), 2.0, 0.01);
    g_assert_cmpfloat_with_epsilon(proved.slot_s, 20.0, 0.2);
}

/* Feedback that comes late, in bunches or out of order tells the same. */
static void test_when_feedback_comes_does_not_matter(void)
{
    struct weir__proved_rate proved = start();
    for (int64_t i = 0; i < 200; i++) {
        weir__proved_rate_on_packets(&proved, i * WEIR_MS(300), 25000);
        weir__proved_rate_on_packets(&proved, i * WEIR_MS(300) - WEIR_MS(100), 12500);
    }
    g_assert_cmpfloat_with_epsilon(mbps(&proved), 1.0, 0.07);
}

static void test_receiver_reports_tell_the_same(void)
{
    struct weir__proved_rate proved = start();
    for (int i = 0; i < 5; i++) {
        weir__proved_rate_on_report(&proved, 625000, WEIR_SECONDS(5));
        g_assert_cmpfloat_with_epsilon(mbps(&proved), 1.0, 0.01);
    }
    weir__proved_rate_on_report(&proved, 625000, WEIR_SECONDS(60));
    g_assert_cmpfloat_with_epsilon(mbps(&proved), 1.0, 0.01);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/proved_rate/" #name, test_##name)
    ADD(two_seconds_are_needed);
    ADD(a_moment_is_no_rate);
    ADD(it_is_of_the_last_minute);
    ADD(a_pause_is_no_time);
    ADD(when_feedback_comes_does_not_matter);
    ADD(receiver_reports_tell_the_same);
    return g_test_run();
}
