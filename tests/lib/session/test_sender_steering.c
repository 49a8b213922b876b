/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/sender_steering.h"

#include "sender_rig.h"

static const struct weir__steerer results = {0, 0, true};
static const struct weir__steerer one = {WEIR_FEEDBACK_CCFB, 1, true};
static const struct weir__steerer two = {WEIR_FEEDBACK_TWCC, 1, true};
static const struct weir__steerer other = {WEIR_FEEDBACK_CCFB, 2, true};
static const struct weir__steerer unproved = {WEIR_FEEDBACK_TWCC, 3, false};

static void test_any_format_may_be_the_first(void)
{
    struct weir__steering steering = {0};
    g_assert_true(weir__steering_admits(&steering, &results, 5));
    g_assert_true(weir__steering_admits(&steering, &one, 5));
    weir__steering_on_news(&steering, &results, 5);
    g_assert_true(weir__steering_admits(&steering, &results, 5));
    g_assert_false(weir__steering_admits(&steering, &one, 5));
    g_assert_false(weir__steering_admits(&steering, &one, 4 + WEIR_SECONDS(1)));
    g_assert_true(weir__steering_admits(&steering, &one, 5 + WEIR_SECONDS(1)));
}

static void test_silence_is_a_second_or_three_intervals(void)
{
    static const struct {
        int64_t interval_ns;
        int64_t silent_ns;
    } cases[] = {
        {1, WEIR_SECONDS(1)},
        {WEIR_MS(100), WEIR_SECONDS(1)},
        {WEIR_MS(333), WEIR_SECONDS(1)},
        {WEIR_MS(500), WEIR_MS(1500)},
        {WEIR_SECONDS(5), WEIR_SECONDS(15)},
        {WEIR_SECONDS(3600), WEIR_SECONDS(15)}, /* a pause of the media */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__steering steering = {0};
        int64_t now_ns = WEIR_SECONDS(7);
        for (int k = 0; k < 10; k++) {
            /* three packets of one feedback */
            weir__steering_on_news(&steering, &one, now_ns);
            weir__steering_on_news(&steering, &one, now_ns);
            weir__steering_on_news(&steering, &one, now_ns);
            now_ns += cases[i].interval_ns;
        }
        now_ns -= cases[i].interval_ns;
        g_assert_false(weir__steering_admits(&steering, &two, now_ns + cases[i].silent_ns - 1));
        g_assert_true(weir__steering_admits(&steering, &two, now_ns + cases[i].silent_ns));
        g_assert_true(weir__steering_admits(&steering, &one, now_ns + cases[i].silent_ns - 1));
    }
}

/* By reports of its own SSRC; results of another stack have none. */
static void test_who_is_denied_does_not_steer_for_a_minute(void)
{
    struct weir__steering steering = {0};
    int64_t now_ns = WEIR_SECONDS(7), end_ns = now_ns + WEIR_SECONDS(60);
    g_assert_false(weir__steering_deny(&steering, 1, now_ns));
    weir__steering_on_news(&steering, &one, now_ns);
    g_assert_false(weir__steering_deny(&steering, 2, now_ns));
    g_assert_true(weir__steering_admits(&steering, &one, now_ns));
    g_assert_true(weir__steering_deny(&steering, 1, now_ns));
    g_assert_false(weir__steering_deny(&steering, 1, end_ns - 1)); /* nor longer */
    g_assert_false(weir__steering_admits(&steering, &one, end_ns - 1));
    g_assert_false(weir__steering_admits(&steering, &other, end_ns - 1));
    g_assert_true(weir__steering_admits(&steering, &one, end_ns));
    weir__steering_on_news(&steering, &results, end_ns);
    g_assert_true(weir__steering_deny(&steering, 2, end_ns));
}

/* A pause makes the silence longer for a while only. */
static void test_a_pause_is_forgotten(void)
{
    struct weir__steering steering = {0};
    int64_t now_ns = 0;
    weir__steering_on_news(&steering, &one, now_ns);
    now_ns += WEIR_SECONDS(60);
    weir__steering_on_news(&steering, &one, now_ns);
    g_assert_false(weir__steering_admits(&steering, &two, now_ns + WEIR_SECONDS(14)));
    for (int i = 0; i < 25; i++) {
        now_ns += WEIR_MS(100);
        weir__steering_on_news(&steering, &one, now_ns);
    }
    g_assert_true(weir__steering_admits(&steering, &two, now_ns + WEIR_SECONDS(1)));
}

static void test_the_next_format_starts_with_its_own_intervals(void)
{
    struct weir__steering steering = {0};
    weir__steering_on_news(&steering, &one, 0);
    weir__steering_on_news(&steering, &one, WEIR_SECONDS(5));
    weir__steering_on_news(&steering, &two, WEIR_SECONDS(20));
    g_assert_false(weir__steering_admits(&steering, &one, WEIR_SECONDS(21) - 1));
    g_assert_true(weir__steering_admits(&steering, &one, WEIR_SECONDS(21)));
}

static void test_another_reporter_waits_as_another_format_does(void)
{
    struct weir__steering steering = {0};
    weir__steering_on_news(&steering, &one, 0);
    g_assert_false(weir__steering_admits(&steering, &other, WEIR_SECONDS(1) - 1));
    g_assert_true(weir__steering_admits(&steering, &other, WEIR_SECONDS(1)));
    weir__steering_on_news(&steering, &other, WEIR_SECONDS(1));
    g_assert_false(weir__steering_admits(&steering, &one, WEIR_SECONDS(2) - 1));
}

static void test_who_has_proved_nothing_gives_way(void)
{
    struct weir__steering steering = {0};
    weir__steering_on_news(&steering, &unproved, 0);
    g_assert_true(weir__steering_admits(&steering, &unproved, 1));
    g_assert_true(weir__steering_admits(&steering, &one, 1));
    weir__steering_on_news(&steering, &one, 1);
    g_assert_false(weir__steering_admits(&steering, &unproved, WEIR_SECONDS(1)));
    g_assert_true(weir__steering_admits(&steering, &unproved, 1 + WEIR_SECONDS(1)));
}

/* Its feedback names a stream of ours for the first time. */
static void test_proof_may_come_later(void)
{
    struct weir__steerer late = unproved;
    struct weir__steering steering = {0};
    weir__steering_on_news(&steering, &unproved, 0);
    late.has_proved = true;
    weir__steering_on_news(&steering, &late, 1);
    weir__steering_on_news(&steering, &unproved, 2);
    g_assert_false(weir__steering_admits(&steering, &one, 3));
}

/* Two reports in one datagram; the first says that all came, the second that much was lost. */
static uint64_t lost_of_two_reports(uint32_t second_peer)
{
    struct weir_sender_config config = rig_config();
    config.circuit_breaker = false;
    struct rig rig = rig_new(&config);
    uint8_t data[128];
    rig_send(&rig, 100, WEIR_MS(10));
    rig_rr(&rig, RIG_PEER, 65510, 0, 0, 0);
    rig_send(&rig, 200, WEIR_MS(10));
    rig.queued_bytes = 5000;
    rig_send(&rig, 1, WEIR_MS(10));
    size_t size = 0;
    for (int i = 0; i < 2; i++) {
        struct weir__report report = {.ssrc = i == 0 ? RIG_PEER : second_peer,
                                      .n_blocks = 1,
                                      .blocks = {{.ssrc = RIG_SSRC,
                                                  .highest_seq = 65536u + (i == 0 ? 50 : 150),
                                                  .cumulative_lost = 30 * i}}};
        size_t n;
        g_assert_cmpint(weir__report_build(&report, data + size, sizeof data - size, &n), ==,
                        WEIR_OK);
        size += n;
    }
    g_assert_cmpint(rig_rtcp(&rig, data, size), ==, WEIR_OK);
    g_assert_true(probe.report.network_limited);
    uint64_t lost = rig_stats(&rig).packets_lost;
    rig_finish(&rig);
    return lost;
}

static void test_all_reports_of_a_datagram_are_of_the_first_reporter(void)
{
    g_assert_cmpuint(lost_of_two_reports(RIG_PEER), ==, 30);
    g_assert_cmpuint(lost_of_two_reports(0x77), ==, 0);
}

/* RFC 8888 3.1: no arrival time is known. Of one block. */
static void take_times_away(uint8_t *ccfb, size_t n_reports)
{
    for (size_t i = 0; i < n_reports; i++) {
        ccfb[16 + 2 * i] |= 0x1f;
        ccfb[17 + 2 * i] = 0xff;
    }
}

/* 100 packets, 20 at a time; each of two peers reports those of its pattern, with times or not. */
static void tell_of_two_with(struct rig *rig, const char *one_tells, const char *other_tells,
                             const bool have_times[2])
{
    static uint8_t buffer[1500];
    for (int i = 0; i < 5; i++) {
        uint16_t begin = rig->rtp_seq;
        rig_send(rig, 20, WEIR_MS(5));
        rig->now_ns += WEIR_MS(30);
        const char *const told[] = {one_tells, other_tells};
        for (uint32_t k = 0; k < 2; k++) {
            size_t len = rig_build_ccfb(rig, RIG_PEER + k, RIG_SSRC, begin, told[k], 0, buffer,
                                        sizeof(buffer));
            if (!have_times[k]) {
                take_times_away(buffer, 20);
            }
            rig_rtcp(rig, buffer, len);
        }
    }
}

static void tell_of_two(struct rig *rig, const char *one_tells, const char *other_tells)
{
    static const bool have_times[] = {true, true};
    tell_of_two_with(rig, one_tells, other_tells, have_times);
}

static uint32_t who_steers(const struct rig *rig)
{
    struct weir_reporter reporters[8];
    size_t n = weir_sender_get_reporters(rig->sender, reporters, 8);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpuint(weir_sender_get_reporters(rig->sender, reporters + 2, 1), ==, 1);
    g_assert_cmpuint(reporters[0].steers + reporters[1].steers, ==, 1);
    return reporters[reporters[1].steers].ssrc;
}

static void test_the_worst_takes_over_unless_the_first_shall_stay(void)
{
    static const char all[] = "rrrrrrrrrrrrrrrrrrrr", half[] = "r.r.r.r.r.r.r.r.r.rr";
    for (int first = 0; first < 2; first++) {
        struct weir_sender_config config = rig_config();
        config.receivers = first ? WEIR_RECEIVERS_FIRST : WEIR_RECEIVERS_WORST;
        struct rig rig = rig_new(&config);
        tell_of_two(&rig, all, all);
        g_assert_cmpuint(who_steers(&rig), ==, RIG_PEER);
        tell_of_two(&rig, all, half);
        g_assert_cmpuint(who_steers(&rig), ==, first ? RIG_PEER : RIG_PEER + 1);
        g_assert_cmpint(weir_sender_set_receivers(rig.sender, rig.now_ns, (enum weir_receivers)2),
                        ==, WEIR_ERROR_RANGE);
        rig_finish(&rig);
        enum weir_status status;
        config.receivers = (enum weir_receivers)2;
        g_assert_null(weir_sender_create(&config, 0, &status));
        g_assert_cmpint(status, ==, WEIR_ERROR_ARGUMENT);
    }
}

static const char all_of_20[] = "rrrrrrrrrrrrrrrrrrrr", half_of_20[] = "r.r.r.r.r.r.r.r.r.rr";

/* Its clock goes on where that of the one before stood, if both are known; or else there are no
 * arrival times until the source of times has changed. */
static void test_the_worst_takes_over_with_and_without_times(void)
{
    static const struct {
        bool aligned, have_times[2], has_arrivals;
    } cases[] = {
        {false, {true, true}, true},
        {false, {false, false}, false},
        {false, {true, false}, false},
        {true, {false, true}, true}, /* whose times were silent for long enough */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig = rig_start();
        if (cases[i].aligned) { /* by somebody who is silent since */
            rig_send(&rig, 10, WEIR_MS(5));
            uint8_t buffer[200];
            rig_rtcp(&rig, buffer,
                     rig_build_ccfb(&rig, 0x77, RIG_SSRC, 65500, "rrrrrrrrrr", 0, buffer,
                                    sizeof(buffer)));
            rig.now_ns += WEIR_MS(1200);
        }
        tell_of_two_with(&rig, all_of_20, all_of_20, cases[i].have_times);
        g_assert_cmpuint(who_steers(&rig), ==, RIG_PEER);
        tell_of_two_with(&rig, all_of_20, half_of_20, cases[i].have_times);
        g_assert_cmpuint(who_steers(&rig), ==, RIG_PEER + 1);
        tell_of_two_with(&rig, all_of_20, all_of_20, cases[i].have_times);
        int64_t arrived_ns = probe.news[probe.n_news - 1].arrived_ns;
        g_assert_true((arrived_ns != WEIR_UNKNOWN_NS) == cases[i].has_arrivals);
        rig_finish(&rig);
    }
}

static void test_while_the_one_that_steers_is_denied_nobody_takes_over(void)
{
    struct rig rig = rig_start();
    struct weir__steering *steering = &rig.sender->transports[0].steering;
    tell_of_two(&rig, all_of_20, all_of_20);
    g_assert_true(weir__steering_deny(steering, RIG_PEER, rig.now_ns));
    tell_of_two(&rig, all_of_20, half_of_20);
    g_assert_cmpuint(steering->steerer.ssrc, ==, RIG_PEER);
    g_assert_true(weir__steering_is_denied(steering, rig.now_ns));
    rig_finish(&rig);
}

/* Whoever has proved nothing, told too little or is silent is not told of; and none steers after
 * the formats that may were set. */
static void test_reporters_are_those_that_tell(void)
{
    struct rig rig = rig_start();
    struct weir_reporter reporters[8];
    uint8_t buffer[200];
    tell_of_two(&rig, all_of_20, all_of_20);
    uint16_t begin = rig.rtp_seq;
    rig_send(&rig, 5, WEIR_MS(5));
    rig_rtcp(&rig, buffer, rig_build_ccfb(&rig, 0x77, RIG_SSRC, begin, "rrrrr", 0, buffer, 200));
    rig_rtcp(&rig, buffer, rig_build_ccfb(&rig, 0x78, 0x5555, begin, "rrrrr", 0, buffer, 200));
    g_assert_cmpuint(who_steers(&rig), ==, RIG_PEER);
    weir_sender_set_feedback_formats(rig.sender, rig.now_ns, WEIR_FEEDBACK_CCFB);
    g_assert_cmpuint(weir_sender_get_reporters(rig.sender, reporters, 8), ==, 2);
    g_assert_false(reporters[0].steers || reporters[1].steers);
    rig.now_ns += WEIR_SECONDS(30);
    rig_send(&rig, 1, WEIR_MS(5));
    g_assert_cmpuint(weir_sender_get_reporters(rig.sender, reporters, 8), ==, 0);
    rig_finish(&rig);
}

/* A receiver of each of two RTP sessions, with one SSRC; the second loses half. */
static void test_reporters_of_two_transports_are_two(void)
{
    struct rig rig = rig_start();
    struct weir_reporter reporters[8];
    rig_add_members(&rig, 2);
    for (int32_t k = 1; k <= 3; k++) {
        for (int i = 0; i < 100; i++) {
            rig.member = 0;
            rig_send_ssrc(&rig, RIG_SSRC, (uint16_t)(100 * k + i));
            rig.member = 1;
            rig_send_ssrc(&rig, RIG_SSRC + 1, (uint16_t)(100 * k + i));
            rig.now_ns += WEIR_MS(10);
        }
        for (rig.member = 0; rig.member < 2; rig.member++) {
            uint8_t buffer[64];
            size_t len;
            struct weir__report report = {
                .ssrc = RIG_PEER,
                .n_blocks = 1,
                .blocks = {{.ssrc = RIG_SSRC + rig.member,
                            .highest_seq = (uint32_t)(100 * k + 99),
                            .cumulative_lost = rig.member == 1 ? 50 * k : 0}},
            };
            g_assert_cmpint(weir__report_build(&report, buffer, sizeof(buffer), &len), ==, WEIR_OK);
            rig_rtcp(&rig, buffer, len);
        }
    }
    g_assert_cmpuint(weir_sender_get_reporters(rig.sender, reporters, 8), ==, 2);
    for (uint32_t i = 0; i < 2; i++) {
        g_assert_cmpuint(reporters[i].transport, ==, i);
        g_assert_true((reporters[i].loss_ppm > 100000) == (i == 1));
        g_assert_true(reporters[i].steers);
    }
    rig.member = 0;
    rig.now_ns += WEIR_SECONDS(60);
    rig_send(&rig, 1, WEIR_MS(5));
    g_assert_cmpuint(weir_sender_get_reporters(rig.sender, reporters, 8), ==, 0);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_steering/any_format_may_be_the_first",
                    test_any_format_may_be_the_first);
    g_test_add_func("/sender_steering/silence_is_a_second_or_three_intervals",
                    test_silence_is_a_second_or_three_intervals);
    g_test_add_func("/sender_steering/who_is_denied_does_not_steer_for_a_minute",
                    test_who_is_denied_does_not_steer_for_a_minute);
    g_test_add_func("/sender_steering/a_pause_is_forgotten", test_a_pause_is_forgotten);
    g_test_add_func("/sender_steering/the_next_format_starts_with_its_own_intervals",
                    test_the_next_format_starts_with_its_own_intervals);
    g_test_add_func("/sender_steering/another_reporter_waits_as_another_format_does",
                    test_another_reporter_waits_as_another_format_does);
    g_test_add_func("/sender_steering/who_has_proved_nothing_gives_way",
                    test_who_has_proved_nothing_gives_way);
    g_test_add_func("/sender_steering/proof_may_come_later", test_proof_may_come_later);
    g_test_add_func("/sender_steering/all_reports_of_a_datagram_are_of_the_first_reporter",
                    test_all_reports_of_a_datagram_are_of_the_first_reporter);
    g_test_add_func("/sender_steering/the_worst_takes_over_unless_the_first_shall_stay",
                    test_the_worst_takes_over_unless_the_first_shall_stay);
    g_test_add_func("/sender_steering/the_worst_takes_over_with_and_without_times",
                    test_the_worst_takes_over_with_and_without_times);
    g_test_add_func("/sender_steering/while_the_one_that_steers_is_denied_nobody_takes_over",
                    test_while_the_one_that_steers_is_denied_nobody_takes_over);
    g_test_add_func("/sender_steering/reporters_are_those_that_tell",
                    test_reporters_are_those_that_tell);
    g_test_add_func("/sender_steering/reporters_of_two_transports_are_two",
                    test_reporters_of_two_transports_are_two);
    return g_test_run();
}
