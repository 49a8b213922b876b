/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/guard.h"

#include "test.h"

static struct weir__guard guard;

static void test_a_flood_is_cut_to_the_budget(void)
{
    static const int64_t rates[] = {1, WEIR__GUARD_STRANGERS_PER_S, WEIR__GUARD_REPORTER_PER_S};
    for (size_t i = 0; i < G_N_ELEMENTS(rates); i++) {
        struct weir__budget budget = {0};
        int64_t start_ns = -WEIR_SECONDS(1000000); /* a clock may begin anywhere */
        int64_t admitted = 0;
        for (int64_t ns = 0; ns < WEIR_SECONDS(10); ns += WEIR_US(100)) {
            admitted += weir__budget_take(&budget, start_ns + ns, rates[i]);
        }
        g_assert_cmpint(admitted, >=, 10 * rates[i]);
        g_assert_cmpint(admitted, <=, 11 * rates[i]);
    }
}

static void test_honest_feedback_is_never_cut(void)
{
    struct weir__budget budget = {0};
    for (int64_t i = 0; i < 20000; i++) {
        g_assert_true(weir__budget_take(&budget, i * WEIR_MS(1), WEIR__GUARD_REPORTER_PER_S));
    }
    /* What a stalled network delivers at once. */
    for (int i = 0; i < 900; i++) {
        g_assert_true(weir__budget_take(&budget, WEIR_SECONDS(60), WEIR__GUARD_REPORTER_PER_S));
    }
}

static void test_no_ack_comes_within_100_us(void)
{
    g_assert_false(weir__guard_believes_ack(WEIR_MS(5), WEIR_MS(5)));
    g_assert_false(weir__guard_believes_ack(WEIR_US(5099), WEIR_MS(5)));
    g_assert_true(weir__guard_believes_ack(WEIR_US(5100), WEIR_MS(5)));
    g_assert_false(weir__guard_believes_ack(WEIR_MS(4), WEIR_MS(5)));
}

static void test_rtt_samples(void)
{
    static const struct {
        int64_t now_us, sent_us, hold_us, rtt_us; /* rtt_us 0: not believed */
    } cases[] = {
        {100000, 20000, 30000, 50000},  /* now - sent - hold */
        {100000, 20000, 0, 80000},      /* no hold */
        {100000, 20000, 80000, 100},    /* all of it held: the smallest */
        {100000, 20000, 80976, 100},    /* within the rounding of the hold */
        {100000, 20000, 80977, 0},      /* held longer than it is old */
        {100000, 20000, 8000000, 0},    /* much longer */
        {100000, 20000, -1, 0},         /* a negative hold */
        {10020000, 20000, 0, 10000000}, /* ten seconds */
        {10020001, 20000, 0, 0},        /* more */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t rtt_ns = weir__guard_rtt_ns(WEIR_US(cases[i].now_us), WEIR_US(cases[i].sent_us),
                                            WEIR_US(cases[i].hold_us));
        g_assert_cmpint(rtt_ns, ==,
                        cases[i].rtt_us == 0 ? WEIR_UNKNOWN_NS : WEIR_US(cases[i].rtt_us));
    }
}

/* 1000 bytes every 8 ms is 1 Mbit/s; reported in lumps, in any order. */
static void test_the_ceiling_is_twice_what_was_sent_and_arrived(void)
{
    weir__guard_init(&guard);
    g_assert_cmpint(weir__guard_ceiling_bps(&guard, 0, 300000), ==, 300000);
    for (int lump = 0; lump < 20; lump++) {
        for (int i = 24; i >= 0; i--) {
            weir__guard_on_delivered(&guard, WEIR_MS(200 * lump + 8 * i), 1000);
        }
        weir__guard_update(&guard, WEIR_MS(200 * lump + 250), WEIR_MS(50));
    }
    int64_t ceiling_bps = weir__guard_ceiling_bps(&guard, WEIR_SECONDS(5), 300000);
    g_assert_cmpint(ceiling_bps, >=, 1900000);
    g_assert_cmpint(ceiling_bps, <=, 2500000);
}

/* Silence before it, or the first packet of all: its bin must not stand for a rate. */
static void test_one_packet_proves_no_more_than_its_size_in_50_ms(void)
{
    for (int64_t size_bytes = 1; size_bytes <= 65535; size_bytes += 6553) {
        weir__guard_init(&guard);
        for (int packet = 1; packet <= 3; packet++) {
            weir__guard_on_delivered(&guard, WEIR_SECONDS(packet), size_bytes);
            weir__guard_update(&guard, WEIR_SECONDS(packet) + WEIR_MS(40), WEIR_MS(40));
            g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(packet), 0), <=,
                            2 * weir_rate_bps(size_bytes, WEIR_MS(50)));
        }
    }
}

/* Receiver reports that were held up somewhere arrive together. */
static void test_reports_close_together_prove_no_more(void)
{
    weir__guard_init(&guard);
    weir__guard_on_report(&guard, WEIR_SECONDS(1), 1228, WEIR_US(10));
    g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(1), 0), ==,
                    2 * weir_rate_bps(1228, WEIR_MS(50)));
}

/* What a receiver report of a second proves. */
static void prove(int64_t now_ns, int64_t bps)
{
    weir__guard_on_report(&guard, now_ns, bps / 8, WEIR_SECONDS(1));
}

static void test_the_proof_expires(void)
{
    weir__guard_init(&guard);
    prove(WEIR_SECONDS(1), WEIR_MBPS(5));
    g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(10), 300000), ==, WEIR_MBPS(10));
    g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(11), 300000), ==, 300000);
    prove(WEIR_SECONDS(100), WEIR_MBPS(1));
    g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(100), 300000), ==, WEIR_MBPS(2));
}

/* Reports go on, or do not. */
static void test_half_of_what_was_proved_survives_a_pause(void)
{
    for (int64_t pause_s = 2; pause_s <= 400; pause_s++) {
        for (int reports = 0; reports < 2; reports++) {
            weir__guard_init(&guard);
            prove(WEIR_SECONDS(1), WEIR_MBPS(5));
            weir__guard_on_sent(&guard, WEIR_SECONDS(2));
            for (int64_t second = 3; reports && second < 2 + pause_s; second++) {
                prove(WEIR_SECONDS(second), 0);
            }
            int64_t now_ns = WEIR_SECONDS(2 + pause_s);
            int64_t wanted_bps = pause_s < 9      ? WEIR_MBPS(10)
                                 : pause_s <= 300 ? WEIR_KBPS(2500)
                                                  : 300000;
            g_assert_cmpint(weir__guard_ceiling_bps(&guard, now_ns, 300000), ==, wanted_bps);
            weir__guard_on_sent(&guard, now_ns);
            g_assert_cmpint(weir__guard_ceiling_bps(&guard, now_ns, 300000), ==, wanted_bps);
        }
    }
}

/* One pause after another: what is saved is what was proved, not what was allowed. */
static void test_pauses_do_not_add_up(void)
{
    weir__guard_init(&guard);
    prove(0, WEIR_MBPS(8));
    for (int64_t pause = 0; pause < 10; pause++) {
        weir__guard_on_sent(&guard, WEIR_SECONDS(20 * pause));
    }
    g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(200), 1), ==, 1);
    prove(WEIR_SECONDS(200), WEIR_MBPS(1));
    weir__guard_on_sent(&guard, WEIR_SECONDS(220));
    g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(220), 1), <=, WEIR_KBPS(500));
}

/* A window, or a stop of the session, held what the source had made; or the source made something
 * at the end of its pause, and that had to wait. */
static void test_what_waits_is_no_pause_of_the_source(void)
{
    for (int waits = 0; waits < 2; waits++) {
        weir__guard_init(&guard);
        prove(WEIR_SECONDS(1), WEIR_MBPS(5));
        weir__guard_on_sent(&guard, WEIR_SECONDS(2));
        weir__guard_on_queue(&guard, WEIR_SECONDS(2), waits == 1);
        int64_t wanted_bps = waits ? 300000 : WEIR_KBPS(2500);
        g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(20), 300000), ==, wanted_bps);
        weir__guard_on_queue(&guard, WEIR_SECONDS(20), true);
        weir__guard_on_queue(&guard, WEIR_SECONDS(22), false);
        weir__guard_on_sent(&guard, WEIR_SECONDS(22));
        g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(22), 300000), ==, wanted_bps);
    }
}

/* By then it has been proved anew, or was wrong. */
static void test_ten_seconds_of_sending_end_what_was_saved(void)
{
    weir__guard_init(&guard);
    prove(WEIR_SECONDS(1), WEIR_MBPS(5));
    weir__guard_on_sent(&guard, WEIR_SECONDS(2));
    for (int64_t second = 30; second < 60; second++) {
        weir__guard_on_sent(&guard, WEIR_SECONDS(second));
        int64_t wanted_bps = second < 40 ? WEIR_KBPS(2500) : 300000;
        g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(second), 300000), ==,
                        wanted_bps);
    }
}

static void test_feedback_that_was_forged_leaves_nothing_to_resume(void)
{
    weir__guard_init(&guard);
    prove(WEIR_SECONDS(1), WEIR_MBPS(5));
    weir__guard_on_sent(&guard, WEIR_SECONDS(2));
    prove(WEIR_SECONDS(20), 0);
    weir__guard_forget(&guard);
    weir__guard_on_sent(&guard, WEIR_SECONDS(20));
    g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(20), 1), ==, 1);
}

static void test_the_best_of_ten_seconds_counts(void)
{
    weir__guard_init(&guard);
    for (int64_t second = 0; second < 30; second++) {
        prove(WEIR_SECONDS(second), WEIR_MBPS(30 - second));
        int64_t oldest = second < 9 ? 0 : second - 9;
        g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(second), 1), ==,
                        WEIR_MBPS(2 * (30 - oldest)));
    }
}

/* Slow start at a round trip of 50 ms and more: packets of 1000 B, each flight twice as dense. */
static void test_a_doubling_per_round_trip_passes(void)
{
    for (int64_t rtt_ms = 50; rtt_ms <= 400; rtt_ms += 50) {
        weir__guard_init(&guard);
        int64_t rate_bps = WEIR_KBPS(500);
        int64_t sent_ns = 0;
        for (int flight = 0; flight < 6; flight++) {
            int64_t end_ns = WEIR_MS(rtt_ms * (flight + 1));
            for (; sent_ns < end_ns; sent_ns += weir_send_time_ns(1000, rate_bps)) {
                weir__guard_on_delivered(&guard, sent_ns, 1000);
            }
            weir__guard_update(&guard, end_ns + WEIR_MS(rtt_ms), WEIR_MS(rtt_ms));
            int64_t ceiling_bps = weir__guard_ceiling_bps(&guard, end_ns + WEIR_MS(rtt_ms), 0);
            rate_bps *= 2;
            /* a tenth for the part of the window that the flight before it fills */
            g_assert_cmpint(ceiling_bps, >=, rate_bps - rate_bps / 10);
        }
    }
}

static void test_nothing_delivered_proves_nothing(void)
{
    weir__guard_init(&guard);
    weir__guard_update(&guard, WEIR_SECONDS(5), WEIR_MS(10));
    g_assert_cmpint(weir__guard_ceiling_bps(&guard, WEIR_SECONDS(5), 42), ==, 42);
}

static void test_the_ceiling_does_not_overflow(void)
{
    weir__guard_init(&guard);
    weir__guard_on_report(&guard, 0, INT64_MAX, 1);
    g_assert_cmpint(weir__guard_ceiling_bps(&guard, 0, 42), ==, INT64_MAX);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/guard/a_flood_is_cut_to_the_budget", test_a_flood_is_cut_to_the_budget);
    g_test_add_func("/guard/honest_feedback_is_never_cut", test_honest_feedback_is_never_cut);
    g_test_add_func("/guard/no_ack_comes_within_100_us", test_no_ack_comes_within_100_us);
    g_test_add_func("/guard/rtt_samples", test_rtt_samples);
    g_test_add_func("/guard/the_ceiling_is_twice_what_was_sent_and_arrived",
                    test_the_ceiling_is_twice_what_was_sent_and_arrived);
    g_test_add_func("/guard/one_packet_proves_no_more_than_its_size_in_50_ms",
                    test_one_packet_proves_no_more_than_its_size_in_50_ms);
    g_test_add_func("/guard/reports_close_together_prove_no_more",
                    test_reports_close_together_prove_no_more);
    g_test_add_func("/guard/the_proof_expires", test_the_proof_expires);
    g_test_add_func("/guard/half_of_what_was_proved_survives_a_pause",
                    test_half_of_what_was_proved_survives_a_pause);
    g_test_add_func("/guard/pauses_do_not_add_up", test_pauses_do_not_add_up);
    g_test_add_func("/guard/what_waits_is_no_pause_of_the_source",
                    test_what_waits_is_no_pause_of_the_source);
    g_test_add_func("/guard/ten_seconds_of_sending_end_what_was_saved",
                    test_ten_seconds_of_sending_end_what_was_saved);
    g_test_add_func("/guard/feedback_that_was_forged_leaves_nothing_to_resume",
                    test_feedback_that_was_forged_leaves_nothing_to_resume);
    g_test_add_func("/guard/the_best_of_ten_seconds_counts", test_the_best_of_ten_seconds_counts);
    g_test_add_func("/guard/a_doubling_per_round_trip_passes",
                    test_a_doubling_per_round_trip_passes);
    g_test_add_func("/guard/nothing_delivered_proves_nothing",
                    test_nothing_delivered_proves_nothing);
    g_test_add_func("/guard/the_ceiling_does_not_overflow", test_the_ceiling_does_not_overflow);
    return g_test_run();
}
