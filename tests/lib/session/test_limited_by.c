/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What limits the rate: a session is driven into each cause, and out of it again. */
#include "session/limited_by.h"

#include "sender_rig.h"

enum { ROUND = 20, N_LIMITS = WEIR_LIMITED_BY_ALGORITHM + 1 };

#define ALL        "rrrrrrrrrrrrrrrrrrrr"
#define ONE_LOST   "rrrrrrrrrr.rrrrrrrrr"
#define ONE_MARKED "eeeeeeeeeeceeeeeeeee"

static void assert_limit(const struct rig *rig, enum weir_limited_by limit)
{
    g_assert_cmpstr(weir_limited_by_name(rig_output(rig).limited_by), ==,
                    weir_limited_by_name(limit));
}

/* A round of packets that come to used_bps, and its feedback wait_ns after the last of them. */
static void go_slowly(struct rig *rig, const char *pattern, int64_t used_bps, int64_t wait_ns)
{
    uint16_t begin = rig->rtp_seq;
    int64_t spacing_ns = weir_send_time_ns(rig->rtp_bytes, used_bps) - wait_ns / ROUND;
    rig_send(rig, ROUND, spacing_ns);
    rig->now_ns += wait_ns - spacing_ns;
    g_assert_cmpint(rig_ccfb(rig, begin, pattern), ==, WEIR_OK);
    rig->now_ns += spacing_ns;
}

/* Rounds of a source that uses all of 1 Mbit/s; the RTT is wait_ns. */
static void go(struct rig *rig, int n, const char *pattern, int64_t wait_ns)
{
    for (int i = 0; i < n; i++) {
        go_slowly(rig, pattern, WEIR_MBPS(1), wait_ns);
    }
}

/* Steady for longer than anything is remembered. */
static struct rig steady_with(const struct weir_sender_config *config)
{
    struct rig rig = rig_new(config);
    go(&rig, 60, ALL, WEIR_MS(20));
    return rig;
}

static struct rig steady(void)
{
    struct weir_sender_config config = rig_config();
    struct rig rig = steady_with(&config);
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM);
    return rig;
}

static void test_each_has_a_name_and_a_sentence(void)
{
    for (int i = 0; i < N_LIMITS; i++) {
        const char *text = weir_limited_by_text((enum weir_limited_by)i);
        for (const char *c = weir_limited_by_name((enum weir_limited_by)i); *c; c++) {
            g_assert_true(g_ascii_islower(*c) || *c == '-');
        }
        g_assert_cmpuint(strlen(text), >, 20);
        for (int k = 0; k < i; k++) {
            g_assert_cmpstr(text, !=, weir_limited_by_text((enum weir_limited_by)k));
            g_assert_cmpstr(weir_limited_by_name((enum weir_limited_by)i), !=,
                            weir_limited_by_name((enum weir_limited_by)k));
        }
    }
    g_assert_cmpstr(weir_limited_by_name((enum weir_limited_by)N_LIMITS), ==, "unknown");
    g_assert_cmpstr(weir_limited_by_text((enum weir_limited_by) - 1), ==, "Unknown");
}

static void test_a_session_starts_until_it_has_a_round_trip_time(void)
{
    struct rig rig = rig_start();
    assert_limit(&rig, WEIR_LIMITED_BY_STARTING);
    rig_send(&rig, 5, WEIR_MS(9));
    assert_limit(&rig, WEIR_LIMITED_BY_STARTING);
    go(&rig, 1, ALL, WEIR_MS(20));
    g_assert_cmpint(rig_output(&rig).limited_by, !=, WEIR_LIMITED_BY_STARTING);
    rig_finish(&rig);
}

static void test_a_rate_that_stays_is_the_algorithms(void)
{
    struct rig rig = steady();
    rig_finish(&rig);
}

static void test_a_rate_that_rises_is_probing(void)
{
    struct rig rig = steady();
    probe.control.rate_bps += 1;
    go(&rig, 1, ALL, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_PROBING);
    go(&rig, 8, ALL, WEIR_MS(20)); /* 1.7 s */
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM);
    probe.control.state = WEIR_STATE_SLOW_START;
    go(&rig, 1, ALL, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_PROBING);
    rig_finish(&rig);
}

/* A second after a loss; longer, up to ten, while the rate is lower than before it. */
static void test_a_loss_limits_until_the_rate_is_back(void)
{
    struct rig rig = steady();
    int64_t before_bps = probe.control.rate_bps;
    go(&rig, 1, ONE_LOST, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_LOSS);
    go(&rig, 8, ALL, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM); /* it did not change the rate */
    go(&rig, 1, ONE_LOST, WEIR_MS(20));
    probe.control.rate_bps = before_bps - 1;
    go(&rig, 20, ALL, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_LOSS);
    probe.control.rate_bps = before_bps;
    go(&rig, 1, ALL, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_PROBING);
    probe.control.rate_bps = before_bps - 1;
    go(&rig, 40, ALL, WEIR_MS(20)); /* more than ten seconds in all */
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM);
    rig_finish(&rig);
}

/* What the rate was before is what it was before the event, not before its second loss. */
static void test_losses_of_one_round_trip_are_one_event(void)
{
    struct rig rig = steady();
    weir__limited_by_on_loss(&rig.sender->limited_by, rig.now_ns, WEIR_MS(100));
    probe.control.rate_bps = WEIR_KBPS(950);
    weir__sender_refresh(rig.sender);
    weir__limited_by_on_loss(&rig.sender->limited_by, rig.now_ns + WEIR_MS(100), WEIR_MS(100));
    g_assert_cmpint(rig.sender->limited_by.before_bps, ==, WEIR_MBPS(1));
    weir__limited_by_on_loss(&rig.sender->limited_by, rig.now_ns + WEIR_MS(101), WEIR_MS(100));
    g_assert_cmpint(rig.sender->limited_by.before_bps, ==, WEIR_KBPS(950));
    g_assert_cmpint(rig.sender->limited_by.lost_ns, ==, rig.now_ns + WEIR_MS(101));
    rig_finish(&rig);
}

static void test_a_mark_counts_as_a_loss(void)
{
    struct rig rig = steady();
    weir_sender_set_ecn(rig.sender, rig.now_ns, WEIR_ECN_ECT0);
    go(&rig, 1, ONE_MARKED, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_LOSS);
    rig_finish(&rig);
}

static void test_losses_in_receiver_reports_count(void)
{
    struct weir_sender_config config = rig_config();
    config.feedback_formats = WEIR_FEEDBACK_RR;
    struct rig rig = rig_new(&config);
    for (int i = 0; i < 3; i++) {
        rig_send(&rig, 100, WEIR_MS(10));
        rig_rr(&rig, RIG_PEER, 65536u + (uint16_t)(rig.rtp_seq - 1), i == 2 ? 1 : 0, 0, 0);
    }
    g_assert_cmpint(rig.sender->limited_by.lost_ns, ==, rig.now_ns);
    rig_finish(&rig);
}

/* The RTT has to grow by a tenth and the rate to fall by one. */
static void test_delay_limits_when_the_rate_falls_and_the_round_trip_grows(void)
{
    struct rig rig = steady();
    go(&rig, 60, ALL, WEIR_MS(30));
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM); /* only the RTT */
    probe.control.rate_bps = WEIR_KBPS(890);
    go(&rig, 60, ALL, WEIR_MS(30));
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM); /* only the rate */
    probe.control.rate_bps = WEIR_KBPS(790);
    go(&rig, 20, ALL, WEIR_MS(60));
    assert_limit(&rig, WEIR_LIMITED_BY_DELAY);
    go(&rig, 60, ALL, WEIR_MS(60));
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM); /* ten seconds ago */
    rig_finish(&rig);
}

/* Random losses do not limit an algorithm that goes by the queue; its queue does, and losses that
 * it went down for. */
static void test_an_algorithm_that_aims_at_a_queue_is_held_by_it(void)
{
    struct rig rig = steady();
    probe.control.queue_target_ns = WEIR_MS(10);
    go(&rig, 2, ONE_LOST, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM);
    weir__limited_by_on_queue(&rig.sender->limited_by, rig.now_ns, WEIR_MS(10) - 1, WEIR_MS(10));
    weir__limited_by_on_queue(&rig.sender->limited_by, rig.now_ns, WEIR_UNKNOWN_NS, WEIR_MS(10));
    weir__limited_by_on_queue(&rig.sender->limited_by, rig.now_ns, WEIR_SECONDS(1), 0);
    weir__sender_refresh(rig.sender);
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM);
    weir__limited_by_on_queue(&rig.sender->limited_by, rig.now_ns, WEIR_MS(10), WEIR_MS(10));
    weir__sender_refresh(rig.sender);
    assert_limit(&rig, WEIR_LIMITED_BY_DELAY);
    go(&rig, 8, ALL, WEIR_MS(20)); /* 1.7 s */
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM);
    go(&rig, 1, ONE_LOST, WEIR_MS(20));
    probe.control.rate_bps -= probe.control.rate_bps / 5;
    go(&rig, 20, ALL, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_LOSS);
    go(&rig, 40, ALL, WEIR_MS(20)); /* more than ten seconds in all */
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM);
    rig_finish(&rig);
}

static void test_a_source_that_uses_less_is_the_limit(void)
{
    struct rig rig = steady();
    for (int i = 0; i < 6; i++) {
        go_slowly(&rig, ALL, WEIR_KBPS(800), WEIR_MS(20));
    }
    assert_limit(&rig, WEIR_LIMITED_BY_APPLICATION);
    go_slowly(&rig, ONE_LOST, WEIR_KBPS(800), WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_LOSS);
    for (int i = 0; i < 6; i++) {
        go_slowly(&rig, ALL, WEIR_KBPS(400), WEIR_MS(20));
    }
    go_slowly(&rig, ONE_LOST, WEIR_KBPS(400), WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_APPLICATION);
    rig_finish(&rig);
}

static void test_the_configured_bounds_limit(void)
{
    struct weir_sender_config config = rig_config();
    config.limits = (struct weir_limits){WEIR_KBPS(900), WEIR_KBPS(990), WEIR_KBPS(950)};
    struct rig rig = steady_with(&config);
    assert_limit(&rig, WEIR_LIMITED_BY_MAXIMUM);
    go(&rig, 1, ONE_LOST, WEIR_MS(20)); /* costs nothing */
    assert_limit(&rig, WEIR_LIMITED_BY_MAXIMUM);
    probe.control.rate_bps = WEIR_KBPS(500);
    go(&rig, 1, ONE_LOST, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_MINIMUM);
    rig_finish(&rig);
}

/* One bitrate for both: which of the two it is depends on the algorithm. */
static void test_a_bitrate_without_room_is_minimum_or_maximum(void)
{
    struct weir_sender_config config = rig_config();
    config.limits = (struct weir_limits){WEIR_KBPS(980), WEIR_KBPS(980), WEIR_KBPS(980)};
    struct rig rig = steady_with(&config);
    assert_limit(&rig, WEIR_LIMITED_BY_MAXIMUM);
    probe.control.rate_bps = WEIR_KBPS(500);
    go(&rig, 1, ALL, WEIR_MS(20));
    assert_limit(&rig, WEIR_LIMITED_BY_MINIMUM);
    rig_finish(&rig);
}

static void test_the_receivers_bound_limits(void)
{
    struct rig rig = steady();
    rig_remb(&rig, RIG_SSRC, WEIR_KBPS(800));
    assert_limit(&rig, WEIR_LIMITED_BY_RECEIVER);
    go(&rig, 30, ALL, WEIR_MS(20)); /* it holds for five seconds */
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM);
    rig_finish(&rig);
}

/* A tenth of the target: 50 ms of the queue are normal, 25 more are drained within 0.25 s. */
static void test_a_queue_that_takes_from_the_target_limits(void)
{
    struct rig rig = steady();
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, WEIR_MBPS(1) / 8 * 72 / 1000);
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM);
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, WEIR_MBPS(1) / 8 * 78 / 1000);
    assert_limit(&rig, WEIR_LIMITED_BY_SEND_QUEUE);
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, 0);
    assert_limit(&rig, WEIR_LIMITED_BY_ALGORITHM);
    rig_finish(&rig);
}

/* Said by the algorithm; a sender that is idle waits for nothing. */
static void test_missing_feedback_limits_while_packets_wait_for_it(void)
{
    struct rig rig = steady();
    probe.control.state = WEIR_STATE_NO_FEEDBACK;
    weir__sender_refresh(rig.sender);
    g_assert_cmpint(rig_output(&rig).limited_by, !=, WEIR_LIMITED_BY_NO_FEEDBACK);
    rig_send(&rig, 1, 0);
    assert_limit(&rig, WEIR_LIMITED_BY_NO_FEEDBACK);
    probe.control.state = 0;
    go(&rig, 1, ALL, WEIR_MS(20));
    g_assert_cmpint(rig_output(&rig).limited_by, !=, WEIR_LIMITED_BY_NO_FEEDBACK);
    rig_finish(&rig);
}

static void test_silence_of_the_real_algorithm_is_missing_feedback(void)
{
    struct weir_sender_config config = rig_config();
    config.algorithm = "tfrc";
    enum weir_status status;
    struct rig rig = {.now_ns = WEIR_SECONDS(100), .rtp_bytes = 1200};
    rig.sender = weir_sender_create(&config, rig.now_ns, &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    go(&rig, 10, ALL, WEIR_MS(20));
    g_assert_cmpint(rig_output(&rig).limited_by, !=, WEIR_LIMITED_BY_NO_FEEDBACK);
    for (int i = 0; i < 600; i++) {
        rig_send(&rig, 1, WEIR_MS(10));
        weir_sender_on_timer(rig.sender, rig.now_ns);
    }
    assert_limit(&rig, WEIR_LIMITED_BY_NO_FEEDBACK);
    rig_finish(&rig);
}

static void test_the_circuit_breaker_comes_before_everything(void)
{
    struct rig rig = steady();
    probe.control.state = WEIR_STATE_NO_FEEDBACK;
    rig.sender->breaker.state = WEIR__BREAKER_REDUCED;
    rig.sender->breaker.cap_bps = WEIR_KBPS(100);
    rig_send(&rig, 1, WEIR_MS(9));
    assert_limit(&rig, WEIR_LIMITED_BY_CIRCUIT_BREAKER);
    rig.sender->breaker.cap_bps = WEIR_MBPS(2); /* is no cap any more */
    weir__sender_refresh(rig.sender);
    assert_limit(&rig, WEIR_LIMITED_BY_NO_FEEDBACK);
    rig.sender->breaker.state = WEIR__BREAKER_CEASED;
    weir__sender_refresh(rig.sender);
    assert_limit(&rig, WEIR_LIMITED_BY_CIRCUIT_BREAKER);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/limit/" #name, test_##name)
    ADD(each_has_a_name_and_a_sentence);
    ADD(a_session_starts_until_it_has_a_round_trip_time);
    ADD(a_rate_that_stays_is_the_algorithms);
    ADD(a_rate_that_rises_is_probing);
    ADD(a_loss_limits_until_the_rate_is_back);
    ADD(losses_of_one_round_trip_are_one_event);
    ADD(a_mark_counts_as_a_loss);
    ADD(losses_in_receiver_reports_count);
    ADD(delay_limits_when_the_rate_falls_and_the_round_trip_grows);
    ADD(an_algorithm_that_aims_at_a_queue_is_held_by_it);
    ADD(a_source_that_uses_less_is_the_limit);
    ADD(the_configured_bounds_limit);
    ADD(a_bitrate_without_room_is_minimum_or_maximum);
    ADD(the_receivers_bound_limits);
    ADD(a_queue_that_takes_from_the_target_limits);
    ADD(missing_feedback_limits_while_packets_wait_for_it);
    ADD(silence_of_the_real_algorithm_is_missing_feedback);
    ADD(the_circuit_breaker_comes_before_everything);
    return g_test_run();
}
