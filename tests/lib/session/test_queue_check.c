/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/queue_check.h"

#include "test.h"

#define ROUND_TRIP_NS WEIR_MS(100)
#define CLOCK_NS      WEIR_SECONDS(5000) /* from our clock to the receiver's */
#define NONE          INT64_MAX

static struct weir__queue_check check;
static int64_t now_ns;

static void begin(void)
{
    weir__queue_check_init(&check);
    now_ns = WEIR_SECONDS(100);
}

/* Feedback each 50 ms for ms, with packets of 1250 bytes each 10 ms (1 Mbit/s) that meet queues on
 * the way there and back; the receiver admits `told` of it. Returns how often doubt arose. */
static int live_ms(int64_t ms, int64_t there_ms, int64_t back_ms, int64_t told_ms)
{
    int doubts = 0;
    for (int64_t i = 0; i < ms; i += 50, now_ns += WEIR_MS(50)) {
        int64_t sent_ns = now_ns - ROUND_TRIP_NS - WEIR_MS(there_ms + back_ms);
        for (int64_t k = 4; k >= 0; k--) {
            weir__queue_check_on_delivered(&check, sent_ns - WEIR_MS(10 * k), 1250);
        }
        const struct weir__queue_sample sample = {
            .now_ns = now_ns,
            .sent_ns = sent_ns,
            .next_sent_ns = sent_ns + WEIR_MS(10),
            .delay_ns = CLOCK_NS + ROUND_TRIP_NS / 2 + WEIR_MS(told_ms),
        };
        doubts += weir__queue_check_on_feedback(&check, &sample);
    }
    return doubts;
}

static int64_t ceiling_bps(void)
{
    return weir__queue_check_ceiling_bps(&check, now_ns);
}

static void test_what_is_told_is_no_doubt(void)
{
    begin();
    for (int64_t queue_ms = 0; queue_ms <= 3000; queue_ms += 100) {
        g_assert_cmpint(live_ms(2000, queue_ms, 0, queue_ms), ==, 0);
        g_assert_cmpint(ceiling_bps(), ==, NONE);
    }
}

static void test_a_way_back_that_is_little_longer_is_no_doubt(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    g_assert_cmpint(live_ms(60000, 500, 400, 500), ==, 0);
    g_assert_cmpint(ceiling_bps(), ==, NONE);
}

/* One feedback that was held up, or a bunch of them. */
static void test_less_than_a_second_is_no_doubt(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    for (int i = 0; i < 20; i++) {
        g_assert_cmpint(live_ms(900, 0, 3000, 0), ==, 0);
        g_assert_cmpint(live_ms(100, 0, 0, 0), ==, 0);
    }
    g_assert_cmpint(ceiling_bps(), ==, NONE);
}

static void test_a_queue_that_is_denied_halves_the_rate(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    g_assert_cmpint(live_ms(2000, 600, 0, 0), ==, 1);
    g_assert_true(check.in_test);
    assert_near(ceiling_bps(), WEIR_KBPS(500), WEIR_KBPS(30));
}

/* It was ours: the rate may rise, but slowly. */
static void test_a_queue_that_goes_away_was_ours(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    live_ms(2000, 600, 0, 0);
    live_ms(1500, 100, 0, 0);
    g_assert_false(check.in_test);
    g_assert_cmpint(check.elsewhere_ns, ==, 0);
    assert_near(ceiling_bps(), WEIR_KBPS(1125), WEIR_KBPS(60));
    live_ms(58000, 0, 0, 0);
    g_assert_cmpint(ceiling_bps(), <, NONE);
    live_ms(3000, 0, 0, 0);
    g_assert_cmpint(ceiling_bps(), ==, NONE);
}

/* It was not: the rate is again what it was, and may rise slowly; with the queue the doubt ends. */
static void test_a_queue_that_stays_is_elsewhere(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    live_ms(2000, 0, 600, 0);
    g_assert_true(check.in_test);
    live_ms(4000, 0, 590, 0);
    g_assert_false(check.in_test);
    assert_near(check.elsewhere_ns, WEIR_MS(580), WEIR_MS(20));
    assert_near(ceiling_bps(), WEIR_KBPS(1125), WEIR_KBPS(60));
    live_ms(2000, 0, 100, 0);
    g_assert_cmpint(ceiling_bps(), ==, NONE);
}

/* As that of a TCP on the way back does, for a minute and more. */
static void test_a_queue_that_grows_at_half_the_rate_is_elsewhere(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    for (int64_t i = 0; i < 1000; i++) {
        live_ms(50, 0, 500 + i, 0);
    }
    g_assert_false(check.in_test);
    g_assert_cmpint(ceiling_bps(), >=, WEIR_MBPS(1));
    g_assert_cmpint(ceiling_bps(), <, NONE);
}

/* Nobody is pushed down by a pause of the source while the way back is long. */
static void test_what_was_proved_before_stays_allowed(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    live_ms(8000, 0, 600, 0);
    int64_t proved_bps = ceiling_bps();
    now_ns += WEIR_SECONDS(30);
    live_ms(1000, 0, 600, 0);
    g_assert_cmpint(ceiling_bps(), >=, proved_bps * 8 / 9 - 1);
}

/* Behind a queue that is not ours one of ours is found all the same. */
static void test_what_comes_on_top_is_doubted_again(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    live_ms(8000, 0, 600, 0);
    g_assert_cmpint(live_ms(5000, 300, 600, 0), ==, 0);
    g_assert_cmpint(live_ms(2000, 500, 600, 0), ==, 1);
    assert_near(ceiling_bps(), WEIR_KBPS(500), WEIR_KBPS(30));
    live_ms(2000, 0, 600, 0);
    g_assert_false(check.in_test);
    g_assert_cmpint(check.caught_ns, !=, WEIR_UNKNOWN_NS);
}

/* What is still on its way when the rate falls is no reason to give up. */
static void test_a_queue_that_rises_first_is_tested_longer(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    for (int64_t queue_ms = 600; queue_ms < 2000; queue_ms += 700) {
        live_ms(1000, queue_ms, 0, 0);
    }
    for (int64_t queue_ms = 2000; queue_ms > 200; queue_ms -= 450) {
        g_assert_true(check.in_test);
        live_ms(1000, queue_ms, 0, 0);
    }
    live_ms(1500, 0, 0, 0);
    g_assert_false(check.in_test);
    g_assert_cmpint(check.caught_ns, !=, WEIR_UNKNOWN_NS);
}

/* Half of it went away when it was time to judge: it may be ours, and the test goes on. */
static void test_a_queue_that_falls_is_tested_again(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    live_ms(2000, 0, 900, 0);
    live_ms(1500, 0, 880, 0);
    g_assert_true(check.in_test);
    int64_t since_ns = check.since_ns;
    live_ms(2000, 0, 400, 0);
    g_assert_true(check.in_test);
    g_assert_cmpint(check.since_ns, >, since_ns);
    assert_near(check.tested_ns, WEIR_MS(390), WEIR_MS(20));
    live_ms(4000, 0, 380, 0);
    g_assert_false(check.in_test);
    g_assert_cmpint(check.elsewhere_ns, >, 0);
}

/* After two minutes without feedback nothing is compared with what was before. */
static void test_what_was_long_ago_is_no_measure(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    now_ns += WEIR_SECONDS(121);
    g_assert_cmpint(live_ms(5000, 0, 900, 0), ==, 0);
    g_assert_cmpint(ceiling_bps(), ==, NONE);
}

/* A longer way is the usual one after two minutes. */
static void test_a_way_that_stays_longer_is_got_used_to(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    live_ms(130000, 0, 600, 0);
    g_assert_cmpint(ceiling_bps(), ==, NONE);
}

/* The rate that is proved is of packets that met no such queue. */
static void test_the_clear_rate_is_not_that_of_a_denied_queue(void)
{
    begin();
    g_assert_cmpint(live_ms(9000, 300, 0, 0), ==, 0);
    begin();
    live_ms(100, 0, 0, 0);
    live_ms(9000, 300, 0, 0);
    live_ms(2000, 900, 0, 0);
    g_assert_true(check.in_test);
    g_assert_cmpint(ceiling_bps(), <, WEIR_KBPS(100));
}

static void test_without_times_or_packets_behind_nothing_is_judged(void)
{
    begin();
    live_ms(5000, 0, 0, 0);
    for (int i = 0; i < 200; i++, now_ns += WEIR_MS(50)) {
        struct weir__queue_sample sample = {
            .now_ns = now_ns,
            .sent_ns = now_ns - WEIR_SECONDS(3),
            .next_sent_ns = i < 100 ? WEIR_UNKNOWN_NS : now_ns - WEIR_SECONDS(2),
            .delay_ns = i < 100 ? CLOCK_NS + ROUND_TRIP_NS / 2 : WEIR_UNKNOWN_NS,
        };
        g_assert_false(weir__queue_check_on_feedback(&check, &sample));
    }
    g_assert_cmpint(ceiling_bps(), ==, NONE);
}

/* Times that another stack tells may be anything. */
static void test_no_clock_does_harm(void)
{
    static const int64_t delays_ns[] = {INT64_MAX, INT64_MIN, 0, INT64_MAX / 2, -1, 1};
    begin();
    for (size_t i = 0; i < 1000; i++, now_ns += WEIR_MS(50)) {
        struct weir__queue_sample sample = {
            .now_ns = now_ns,
            .sent_ns = now_ns - ROUND_TRIP_NS,
            .next_sent_ns = now_ns - ROUND_TRIP_NS + WEIR_MS(10),
            .delay_ns = delays_ns[i % G_N_ELEMENTS(delays_ns)],
        };
        g_assert_false(weir__queue_check_on_feedback(&check, &sample));
    }
    g_assert_cmpint(ceiling_bps(), ==, NONE);
}

#define ADD(name) g_test_add_func("/" #name, test_##name)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(what_is_told_is_no_doubt);
    ADD(a_way_back_that_is_little_longer_is_no_doubt);
    ADD(less_than_a_second_is_no_doubt);
    ADD(a_queue_that_is_denied_halves_the_rate);
    ADD(a_queue_that_goes_away_was_ours);
    ADD(a_queue_that_stays_is_elsewhere);
    ADD(a_queue_that_grows_at_half_the_rate_is_elsewhere);
    ADD(what_was_proved_before_stays_allowed);
    ADD(what_comes_on_top_is_doubted_again);
    ADD(a_queue_that_rises_first_is_tested_longer);
    ADD(a_queue_that_falls_is_tested_again);
    ADD(what_was_long_ago_is_no_measure);
    ADD(a_way_that_stays_longer_is_got_used_to);
    ADD(the_clear_rate_is_not_that_of_a_denied_queue);
    ADD(without_times_or_packets_behind_nothing_is_judged);
    ADD(no_clock_does_harm);
    return g_test_run();
}
