/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several members of one sending session: their shares, streams and numbers. */
#include "sender_rig.h"

/* Before the first packet: the algorithm starts with what all of them start with. */
static void test_members_that_are_there_first_start_together(void)
{
    struct rig rig = rig_start();
    int n_inits = probe.n_inits;
    rig_add_members(&rig, 3);
    g_assert_cmpint(probe.n_inits, ==, n_inits + 2);
    struct weir_limits one = rig_config().limits;
    assert_near(probe.config.limits.start_bps, 3.0 * (double)one.start_bps * 1200 / 1188, 10);
    rig_send(&rig, 1, 0);
    struct weir_member late = {.limits = one, .weight = 1};
    uint32_t member;
    g_assert_cmpint(weir_sender_add_member(rig.sender, rig.now_ns, &late, &member), ==, WEIR_OK);
    g_assert_cmpuint(member, ==, 3);
    g_assert_cmpint(probe.n_inits, ==, n_inits + 2);
    assert_near(probe.limits.max_bps, 4.0 * (double)one.max_bps * 1200 / 1188, 10);
    rig_finish(&rig);
}

static void test_each_member_has_its_share(void)
{
    struct rig rig = rig_start();
    struct weir_member heavy;
    struct weir_share shares[2], none;
    rig_add_members(&rig, 2);
    weir_sender_get_member(rig.sender, 1, &heavy);
    heavy.weight = 3;
    weir_sender_set_member(rig.sender, rig.now_ns, 1, &heavy);
    for (uint32_t i = 0; i < 2; i++) {
        g_assert_cmpint(weir_sender_get_share(rig.sender, i, &shares[i]), ==, WEIR_OK);
    }
    g_assert_cmpint(weir_sender_get_share(rig.sender, 2, &none), ==, WEIR_ERROR_ARGUMENT);
    struct weir_output output = rig_output(&rig);
    assert_near(shares[1].wire_bps, 3.0 * (double)shares[0].wire_bps, 4);
    assert_near(shares[0].wire_bps + shares[1].wire_bps, output.target_wire_bps, 2);
    assert_near(shares[0].drain_wire_bps, (double)output.pacing_wire_bps / 4, 2);
    g_assert_cmpint(weir_sender_remove_member(rig.sender, rig.now_ns, 0), ==, WEIR_OK);
    weir_sender_get_share(rig.sender, 1, &shares[1]);
    g_assert_cmpint(shares[1].target_media_bps, ==, rig_output(&rig).target_media_bps);
    rig_finish(&rig);
}

static void test_what_was_proved_is_divided_as_the_rate_is(void)
{
    struct rig rig = rig_start();
    struct weir_member heavy;
    for (int k = 0; k < 100; k++) {
        uint16_t begin = rig.rtp_seq;
        rig_send(&rig, 5, WEIR_MS(20));
        rig_ccfb(&rig, begin, "rrrrr");
    }
    int64_t alone_bps = weir_sender_get_proved_bps(rig.sender, 0);
    g_assert_cmpint(alone_bps, >, 0);
    g_assert_cmpint(weir_sender_get_proved_bps(rig.sender, 1), ==, 0);
    rig_add_members(&rig, 2);
    weir_sender_get_member(rig.sender, 1, &heavy);
    heavy.weight = 3;
    weir_sender_set_member(rig.sender, rig.now_ns, 1, &heavy);
    for (int k = 0; k < 60; k++) { /* neither lends */
        rig.now_ns += WEIR_MS(10);
        weir_sender_on_media(rig.sender, rig.now_ns, 0, 1188, 1200);
        weir_sender_on_media(rig.sender, rig.now_ns, 1, 1188, 1200);
    }
    int64_t light_bps = weir_sender_get_proved_bps(rig.sender, 0);
    int64_t heavy_bps = weir_sender_get_proved_bps(rig.sender, 1);
    /* What headers take of each is a mean of its packets, and moves by a few per cent. */
    assert_near((double)heavy_bps / (double)light_bps, 3.0, 0.05);
    g_assert_cmpint(light_bps + heavy_bps, <=, alone_bps);
    assert_near(light_bps + heavy_bps, alone_bps, 0.02 * (double)alone_bps);
    g_assert_cmpint(weir_sender_get_proved_bps(rig.sender, 2), ==, 0);
    rig_finish(&rig);
}

/* Who is silent for half a second lends what it has; the session's timer says so. */
static void test_time_alone_may_change_a_share(void)
{
    struct rig rig = rig_start();
    struct weir_share share;
    rig_add_members(&rig, 2);
    int64_t begin_ns = rig.now_ns;
    for (; rig.now_ns < begin_ns + WEIR_MS(500); rig.now_ns += WEIR_MS(10)) {
        weir_sender_on_media(rig.sender, rig.now_ns, 0, 1188, 1200);
    }
    g_assert_cmpint(weir_sender_next_timer_ns(rig.sender), ==, rig.now_ns);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    weir_sender_get_share(rig.sender, 0, &share);
    assert_near(share.wire_bps, rig_output(&rig).target_wire_bps, 2);
    weir_sender_on_media(rig.sender, rig.now_ns, 1, 1188, 1200);
    weir_sender_get_share(rig.sender, 0, &share);
    assert_near(share.wire_bps, rig_output(&rig).target_wire_bps / 2, 2);
    rig_finish(&rig);
}

static void test_what_waits_of_a_member_goes_with_it(void)
{
    struct rig rig = rig_start();
    rig_add_members(&rig, 2);
    rig_send(&rig, 1, 0);
    weir_sender_on_queue(rig.sender, rig.now_ns, 0, 1000);
    weir_sender_on_queue(rig.sender, rig.now_ns, 1, 100000);
    weir_sender_on_queue(rig.sender, rig.now_ns, 2, 100000);
    g_assert_cmpint(rig.sender->queued_bytes, ==, 101000);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_QUEUE_PUSHBACK, !=, 0);
    g_assert_cmpint(weir_sender_remove_member(rig.sender, rig.now_ns, 1), ==, WEIR_OK);
    g_assert_cmpint(rig.sender->queued_bytes, ==, 1000);
    g_assert_cmpuint(rig_output(&rig).state & WEIR_STATE_QUEUE_PUSHBACK, ==, 0);
    rig_finish(&rig);
}

static void test_a_stream_is_of_one_member(void)
{
    struct rig rig = rig_start();
    uint32_t member = 7;
    rig_add_members(&rig, 3);
    g_assert_false(weir_sender_find_stream(rig.sender, RIG_SSRC, &member));
    weir_sender_set_clock_rate(rig.sender, 2, RIG_SSRC, 48000);
    rig_send(&rig, 1, 0);
    g_assert_true(weir_sender_find_stream(rig.sender, RIG_SSRC, &member));
    g_assert_cmpuint(member, ==, 2);
    g_assert_cmpint(weir_sender_remove_member(rig.sender, rig.now_ns, 2), ==, WEIR_OK);
    g_assert_false(weir_sender_find_stream(rig.sender, RIG_SSRC, &member));
    g_assert_cmpint(weir_sender_set_clock_rate(rig.sender, 2, RIG_SSRC, 48000), ==,
                    WEIR_ERROR_ARGUMENT);
    rig_finish(&rig);
}

/* Members share the last transport when no other is free: whose a number is, is not known, whether
 * the packet carried it or a stack behind us gave it. */
static void test_numbers_of_the_last_transport_tell_nothing(void)
{
    struct rig rig = rig_start();
    rig_add_members(&rig, WEIR_RTP_SESSIONS + 2);
    for (int i = 0; i < 8; i++) {
        rig.has_transport = i > 3;
        rig.member = WEIR_RTP_SESSIONS + (uint32_t)i % 2;
        rig_send_ssrc(&rig, RIG_SSRC + rig.member, (uint16_t)(500 + i));
        weir_sender_on_transport_seq(rig.sender, RIG_SSRC + rig.member, (uint16_t)(500 + i),
                                     (uint16_t)(9000 + i / 2));
        rig.now_ns += WEIR_MS(5);
    }
    rig_twcc(&rig, 9000, "rrrr", WEIR_SECONDS(64));
    g_assert_cmpuint(probe.n_news, ==, 0);
    g_assert_cmpuint(rig_stats(&rig).results_unsent, ==, 4);
    rig_finish(&rig);
}

/* A member that names its receiver is told of by that one alone, and so are others of its RTP
 * session; those of another are not concerned. */
static void test_only_a_named_receiver_is_read(void)
{
    static const struct {
        uint32_t named[2], peer;
        bool together, read;
    } cases[] = {
        {{0, 0}, 5, true, true},   {{5, 0}, 5, true, true}, {{6, 0}, 5, true, false},
        {{0, 6}, 5, true, false},  {{6, 5}, 5, true, true}, {{0, 6}, 5, false, true},
        {{6, 5}, 5, false, false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct rig rig = rig_start();
        rig_add_members(&rig, 2);
        for (uint32_t k = 0; k < 2; k++) {
            struct weir_member member;
            weir_sender_get_member(rig.sender, k, &member);
            member.reporter_ssrc = cases[i].named[k];
            member.rtp_session = cases[i].together ? 1 : 1 + k;
            g_assert_cmpint(weir_sender_set_member(rig.sender, rig.now_ns, k, &member), ==,
                            WEIR_OK);
        }
        uint16_t begin = rig.rtp_seq;
        rig_send(&rig, 5, WEIR_MS(10));
        uint8_t buffer[200];
        size_t len = rig_build_ccfb(&rig, cases[i].peer, RIG_SSRC, begin, "rrrrr", 0, buffer,
                                    sizeof(buffer));
        g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==,
                        cases[i].read ? WEIR_OK : WEIR_ERROR_REJECTED);
        rig_remb_of(&rig, cases[i].peer, RIG_SSRC, 100000);
        rig_rr(&rig, cases[i].peer, (uint32_t)(rig.rtp_seq - 1) & 0xffff, 0, 0, 0);
        struct weir_sender_stats stats = rig_stats(&rig);
        g_assert_cmpuint(probe.n_news, ==, cases[i].read ? 5 : 0);
        g_assert_cmpint(stats.remb_bps, ==, cases[i].read ? 100000 : INT64_MAX);
        g_assert_cmpuint(stats.feedback_packets[WEIR__FORMAT_INDEX_rr], ==, cases[i].read);
        g_assert_cmpuint(stats.rtcp_rejected, ==, cases[i].read ? 0 : 3);
        rig_finish(&rig);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_members/members_that_are_there_first_start_together",
                    test_members_that_are_there_first_start_together);
    g_test_add_func("/sender_members/each_member_has_its_share", test_each_member_has_its_share);
    g_test_add_func("/sender_members/what_was_proved_is_divided_as_the_rate_is",
                    test_what_was_proved_is_divided_as_the_rate_is);
    g_test_add_func("/sender_members/time_alone_may_change_a_share",
                    test_time_alone_may_change_a_share);
    g_test_add_func("/sender_members/what_waits_of_a_member_goes_with_it",
                    test_what_waits_of_a_member_goes_with_it);
    g_test_add_func("/sender_members/a_stream_is_of_one_member", test_a_stream_is_of_one_member);
    g_test_add_func("/sender_members/numbers_of_the_last_transport_tell_nothing",
                    test_numbers_of_the_last_transport_tell_nothing);
    g_test_add_func("/sender_members/only_a_named_receiver_is_read",
                    test_only_a_named_receiver_is_read);
    return g_test_run();
}
