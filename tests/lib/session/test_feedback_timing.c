/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/feedback_timing.h"

#include "test.h"

#define INTERVAL_NS WEIR_MS(50)

static void test_nothing_is_due_before_the_first_packet(void)
{
    struct weir__feedback_timing timing;
    weir__feedback_timing_init(&timing, 1);
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_NEVER_NS);
    weir__feedback_timing_on_packet(&timing, WEIR_MS(7), 1000, true);
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_MS(7));
    g_assert_true(weir__feedback_timing_is_full_due(&timing, WEIR_MS(7)));
}

/* A timing that has sent its first datagram at 0. */
static void start(struct weir__feedback_timing *timing)
{
    weir__feedback_timing_init(timing, 1);
    weir__feedback_timing_on_packet(timing, 0, 1000, true);
    weir__feedback_timing_take_full(timing, 0, 0);
    weir__feedback_timing_take_new(timing);
    weir__feedback_timing_on_sent(timing, 0, 100);
}

static void test_one_interval_after_the_last_when_packets_came(void)
{
    struct weir__feedback_timing timing;
    start(&timing);
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, timing.next_full_ns);
    weir__feedback_timing_on_packet(&timing, WEIR_MS(1), 1000, false);
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, timing.next_full_ns);
    weir__feedback_timing_on_packet(&timing, WEIR_MS(2), 1000, true);
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_MS(50));
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, WEIR_MS(1)), ==, WEIR_MS(5));
}

static void test_loss_first_packet_and_backlog_do_not_wait(void)
{
    struct weir__feedback_timing timing;
    start(&timing);
    weir__feedback_timing_on_packet(&timing, WEIR_MS(2), 1000, true);
    timing.urgent = true;
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_MS(5));
    timing.urgent = false;
    timing.first = true;
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_MS(5));
    timing.first = false;
    while (timing.n_new < WEIR__FEEDBACK_BACKLOG) {
        g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_MS(50));
        weir__feedback_timing_on_packet(&timing, WEIR_MS(3), 100, true);
    }
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_MS(5));
}

static void test_per_packet_nothing_new_waits_longer_than_1_ms(void)
{
    struct weir__feedback_timing timing;
    start(&timing);
    timing.per_packet = true;
    timing.credit = -1000000;
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, timing.next_full_ns);
    int64_t sent_ns = timing.last_ns;
    for (int64_t at_ns = 1; at_ns < WEIR_MS(100); at_ns += WEIR_US(100)) {
        weir__feedback_timing_on_packet(&timing, at_ns, 100, true);
        g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==,
                        sent_ns + WEIR_MS(1));
        if (weir__feedback_timing_next_ns(&timing, INTERVAL_NS) <= at_ns) {
            weir__feedback_timing_take_new(&timing);
            weir__feedback_timing_on_sent(&timing, at_ns, 100);
            g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), >, at_ns);
            sent_ns = at_ns;
        }
    }
    g_assert_cmpint(sent_ns, >, WEIR_MS(98));
}

static void test_in_debt_every_100_ms_remains(void)
{
    struct weir__feedback_timing timing;
    start(&timing);
    weir__feedback_timing_on_sent(&timing, 0, 2000);
    weir__feedback_timing_on_packet(&timing, WEIR_MS(2), 10, true);
    timing.urgent = true;
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_MS(100));
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, WEIR_MS(300)), ==, WEIR_MS(300));
    weir__feedback_timing_on_packet(&timing, WEIR_MS(3), 9000, true); /* paid */
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_MS(5));
}

static void test_full_compounds_come_every_second_give_or_take_half(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct weir__feedback_timing timing;
        weir__feedback_timing_init(&timing, seed);
        int64_t now_ns = 0;
        for (int i = 0; i < 500; i++) {
            weir__feedback_timing_take_full(&timing, now_ns, 0);
            int64_t wait_ns = timing.next_full_ns - now_ns;
            g_assert_cmpint(wait_ns, >=, WEIR_MS(500));
            g_assert_cmpint(wait_ns, <, WEIR_MS(1500));
            now_ns = timing.next_full_ns;
        }
        assert_near((double)now_ns / 1e9 / 500, 1.0, 0.07);
    }
}

static void test_full_compounds_wait_for_a_longer_interval_that_was_asked_for(void)
{
    struct weir__feedback_timing timing;
    int64_t now_ns = 0;
    weir__feedback_timing_init(&timing, 1);
    for (int i = 0; i < 500; i++) {
        weir__feedback_timing_take_full(&timing, now_ns, WEIR_SECONDS(5));
        g_assert_cmpint(timing.next_full_ns - now_ns, >=, WEIR_MS(2500));
        g_assert_cmpint(timing.next_full_ns - now_ns, <, WEIR_MS(7500));
        now_ns = timing.next_full_ns;
    }
    assert_near((double)now_ns / 1e9 / 500, 5.0, 0.35);
}

static void test_with_such_an_interval_they_are_the_reports(void)
{
    struct weir__feedback_timing timing;
    int reports = 0;
    weir__feedback_timing_init(&timing, 1);
    for (int64_t now_ns = 0; now_ns < WEIR_SECONDS(1000); now_ns += WEIR_MS(100)) {
        weir__feedback_timing_on_packet(&timing, now_ns, 1000, true);
        if (weir__feedback_timing_next_ns(&timing, WEIR_SECONDS(5)) <= now_ns) {
            reports++;
            weir__feedback_timing_take_new(&timing);
            weir__feedback_timing_on_sent(&timing, now_ns, 100);
            if (weir__feedback_timing_is_full_due(&timing, now_ns)) {
                weir__feedback_timing_take_full(&timing, now_ns, WEIR_SECONDS(5));
            }
        }
    }
    g_assert_cmpint(reports, >=, 185);
    g_assert_cmpint(reports, <=, 215);
}

/* One report per interval while packets come, no other datagram however late the full compound. */
static void test_without_extra_compounds_only_what_is_new_is_sent(void)
{
    struct weir__feedback_timing timing;
    weir__feedback_timing_init(&timing, 1);
    timing.extra_compounds = false;
    timing.next_full_ns = WEIR_SECONDS(2); /* it begins with one */
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_SECONDS(2));
    start(&timing);
    timing.extra_compounds = false;
    g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_NEVER_NS);
    for (int i = 1; i < 100; i++) {
        int64_t now_ns = WEIR_SECONDS(3) * i;
        weir__feedback_timing_on_packet(&timing, now_ns - WEIR_SECONDS(2), 1000, true);
        g_assert_cmpint(weir__feedback_timing_next_ns(&timing, WEIR_SECONDS(3)), ==, now_ns);
        g_assert_true(weir__feedback_timing_is_full_due(&timing, now_ns));
        weir__feedback_timing_take_full(&timing, now_ns, 0);
        weir__feedback_timing_take_new(&timing);
        weir__feedback_timing_on_sent(&timing, now_ns, 100);
        g_assert_cmpint(weir__feedback_timing_next_ns(&timing, INTERVAL_NS), ==, WEIR_NEVER_NS);
    }
}

static void test_the_seed_decides_and_nothing_else(void)
{
    struct weir__feedback_timing a;
    struct weir__feedback_timing b;
    struct weir__feedback_timing c;
    weir__feedback_timing_init(&a, 5);
    weir__feedback_timing_init(&b, 5);
    weir__feedback_timing_init(&c, 6);
    weir__feedback_timing_take_full(&a, 0, 0);
    weir__feedback_timing_take_full(&b, 0, 0);
    weir__feedback_timing_take_full(&c, 0, 0);
    g_assert_cmpint(a.next_full_ns, ==, b.next_full_ns);
    g_assert_cmpint(a.next_full_ns, !=, c.next_full_ns);
}

/* Loss all the time: 5 % of what arrives, but for what 100 ms promise. */
static void test_rtcp_takes_5_percent_at_most_however_urgent(void)
{
    for (int64_t packet_gap_us = 200; packet_gap_us <= 20000; packet_gap_us *= 2) {
        struct weir__feedback_timing timing;
        weir__feedback_timing_init(&timing, 3);
        int64_t received = 0;
        int64_t sent = 0;
        int64_t forced = 0;
        for (int64_t now_ns = 0; now_ns < WEIR_SECONDS(20); now_ns += WEIR_US(packet_gap_us)) {
            weir__feedback_timing_on_packet(&timing, now_ns, 1000, true);
            timing.urgent = true;
            received += 1000;
            if (weir__feedback_timing_next_ns(&timing, INTERVAL_NS) <= now_ns) {
                forced += timing.credit < 0 ? 100 : 0;
                weir__feedback_timing_take_new(&timing);
                weir__feedback_timing_on_sent(&timing, now_ns, 100);
                sent += 100;
                if (weir__feedback_timing_is_full_due(&timing, now_ns)) {
                    weir__feedback_timing_take_full(&timing, now_ns, 0);
                }
            }
        }
        g_assert_cmpint(sent - forced, <=, received / 20 + 1000);
        g_assert_cmpint(forced, <=, 100 * (20 * 10 + 41)); /* 10 per second, and full compounds */
        g_assert_cmpint(sent, >=, 100 * 195);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/feedback_timing/nothing_is_due_before_the_first_packet",
                    test_nothing_is_due_before_the_first_packet);
    g_test_add_func("/feedback_timing/one_interval_after_the_last_when_packets_came",
                    test_one_interval_after_the_last_when_packets_came);
    g_test_add_func("/feedback_timing/loss_first_packet_and_backlog_do_not_wait",
                    test_loss_first_packet_and_backlog_do_not_wait);
    g_test_add_func("/feedback_timing/per_packet_nothing_new_waits_longer_than_1_ms",
                    test_per_packet_nothing_new_waits_longer_than_1_ms);
    g_test_add_func("/feedback_timing/in_debt_every_100_ms_remains",
                    test_in_debt_every_100_ms_remains);
    g_test_add_func("/feedback_timing/full_compounds_come_every_second_give_or_take_half",
                    test_full_compounds_come_every_second_give_or_take_half);
    g_test_add_func("/feedback_timing/full_compounds_wait_for_a_longer_interval",
                    test_full_compounds_wait_for_a_longer_interval_that_was_asked_for);
    g_test_add_func("/feedback_timing/with_such_an_interval_they_are_the_reports",
                    test_with_such_an_interval_they_are_the_reports);
    g_test_add_func("/feedback_timing/without_extra_compounds_only_what_is_new_is_sent",
                    test_without_extra_compounds_only_what_is_new_is_sent);
    g_test_add_func("/feedback_timing/the_seed_decides_and_nothing_else",
                    test_the_seed_decides_and_nothing_else);
    g_test_add_func("/feedback_timing/rtcp_takes_5_percent_at_most_however_urgent",
                    test_rtcp_takes_5_percent_at_most_however_urgent);
    return g_test_run();
}
