/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/members.h"

#include "test.h"

#define KBPS(n) WEIR_KBPS(n)

static const struct weir_member plain = {
    .limits = {.min_bps = KBPS(100), .max_bps = KBPS(1000), .start_bps = KBPS(200)},
    .weight = 1,
    .overhead_bytes = 28,
};

static struct weir__members members_with(uint32_t n)
{
    struct weir__members members = {.n_members = 0};
    weir__shares_init(&members.shares);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t member = UINT32_MAX;
        g_assert_cmpint(weir__members_add(&members, 0, &plain, &member), ==, WEIR_OK);
        g_assert_cmpuint(member, ==, i);
    }
    return members;
}

static void test_limits_are_summed_and_the_largest_overhead_counts(void)
{
    struct weir__members members = members_with(3);
    struct weir_member other = plain;
    other.overhead_bytes = 60;
    other.limits.max_bps = INT64_C(100000000000);
    g_assert_cmpint(weir__members_set(&members, 1, &other), ==, WEIR_OK);
    struct weir_limits limits = weir__members_limits(&members);
    g_assert_cmpint(limits.min_bps, ==, KBPS(300));
    g_assert_cmpint(limits.start_bps, ==, KBPS(600));
    g_assert_cmpint(limits.max_bps, ==, INT64_C(100000000000));
    g_assert_cmpuint(weir__members_overhead_bytes(&members), ==, 60);
    g_assert_cmpint(weir__members_remove(&members, 1), ==, WEIR_OK);
    g_assert_cmpint(weir__members_limits(&members).max_bps, ==, KBPS(2000));
    g_assert_cmpuint(weir__members_overhead_bytes(&members), ==, 28);
}

static void test_what_is_wrong_changes_nothing(void)
{
    struct weir__members members = members_with(2);
    struct weir__members before = members;
    uint32_t member = 77;
    struct weir_member wrong = plain;
    wrong.limits.start_bps = 1;
    g_assert_cmpint(weir__members_add(&members, 0, &wrong, &member), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir__members_set(&members, 0, &wrong), ==, WEIR_ERROR_ARGUMENT);
    wrong = plain;
    wrong.weight = 1000001;
    g_assert_cmpint(weir__members_add(&members, 0, &wrong, &member), ==, WEIR_ERROR_RANGE);
    wrong.weight = 0;
    g_assert_cmpint(weir__members_add(&members, 0, &wrong, &member), ==, WEIR_ERROR_RANGE);
    wrong = plain;
    wrong.limits.max_bps = wrong.limits.start_bps = wrong.limits.min_bps = INT64_C(100000000000);
    g_assert_cmpint(weir__members_set(&members, 0, &wrong), ==, WEIR_ERROR_RANGE);
    g_assert_cmpint(weir__members_set(&members, 2, &plain), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir__members_remove(&members, 2), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir__members_remove(&members, UINT32_MAX), ==, WEIR_ERROR_ARGUMENT);
    g_assert_true(memcmp(&before, &members, sizeof(before)) == 0);
    g_assert_cmpuint(member, ==, 77);
}

static void test_the_last_one_stays_and_numbers_are_given_again(void)
{
    struct weir__members members = members_with(3);
    uint32_t member;
    g_assert_cmpint(weir__members_remove(&members, 0), ==, WEIR_OK);
    g_assert_false(weir__members_has(&members, 0));
    g_assert_cmpint(weir__members_add(&members, 0, &plain, &member), ==, WEIR_OK);
    g_assert_cmpuint(member, ==, 0);
    g_assert_cmpint(weir__members_remove(&members, 1), ==, WEIR_OK);
    g_assert_cmpint(weir__members_remove(&members, 0), ==, WEIR_OK);
    g_assert_cmpint(weir__members_remove(&members, 2), ==, WEIR_ERROR_ARGUMENT);
}

static void test_there_is_room_for_64(void)
{
    struct weir__members members = members_with(WEIR_MEMBERS);
    uint32_t member;
    g_assert_cmpint(weir__members_add(&members, 0, &plain, &member), ==, WEIR_ERROR_NO_SPACE);
}

static void test_what_waits_is_summed(void)
{
    struct weir__members members = members_with(3);
    g_assert_cmpint(weir__members_set_queued(&members, 0, 1000), ==, 1000);
    g_assert_cmpint(weir__members_set_queued(&members, 2, 500), ==, 1500);
    g_assert_cmpint(weir__members_set_queued(&members, 0, -3), ==, 500);
    weir__members_remove(&members, 2);
    g_assert_cmpint(weir__members_queued_bytes(&members), ==, 0);
}

/* Each without an RTP session, and each RTP session, has a transport, until none is left. */
static void test_members_of_one_rtp_session_have_one_transport(void)
{
    struct weir__members members = members_with(2);
    struct weir_member bundled = plain;
    uint32_t member;
    g_assert_cmpuint(members.places[0].transport, !=, members.places[1].transport);
    bundled.rtp_session = 5;
    g_assert_cmpint(weir__members_set(&members, 0, &bundled), ==, WEIR_OK);
    g_assert_cmpint(weir__members_set(&members, 1, &bundled), ==, WEIR_OK);
    g_assert_cmpuint(members.places[0].transport, ==, members.places[1].transport);
    for (uint32_t i = 2; i < 8; i++) {
        weir__members_add(&members, 0, &plain, &member);
        g_assert_true(weir__members_counts_transport(&members, member));
        for (uint32_t k = 0; k < i; k++) {
            g_assert_cmpuint(members.places[k].transport, !=, members.places[i].transport);
        }
    }
    weir__members_add(&members, 0, &plain, &member);
    g_assert_false(weir__members_counts_transport(&members, member));
    weir__members_remove(&members, 3);
    weir__members_add(&members, 0, &plain, &member);
    g_assert_true(weir__members_counts_transport(&members, member));
}

/* Reports on the former user of a transport may still be on their way. */
static void test_a_transport_rests_before_it_is_given_again(void)
{
    struct weir__members members = members_with(2);
    for (int i = 0; i < 20; i++) {
        uint32_t member;
        uint8_t former = members.places[1].transport;
        weir__members_remove(&members, 1);
        weir__members_add(&members, 0, &plain, &member);
        g_assert_cmpuint(members.places[member].transport, !=, former);
    }
}

/* The same bits as a session that knows no members. */
static void test_a_member_alone_has_all_of_the_output(void)
{
    struct weir__members members = members_with(1);
    struct weir_output output = {
        .target_media_bps = 700001, .target_wire_bps = 750003, .pacing_wire_bps = 900007};
    struct weir_share share;
    weir__members_split(&members, 0, output.target_wire_bps);
    weir__members_get_share(&members, 0, &output, &share);
    g_assert_cmpint(share.target_media_bps, ==, 700001);
    g_assert_cmpint(share.wire_bps, ==, 750003);
    g_assert_cmpint(share.drain_wire_bps, ==, 900007);
    g_assert_cmpint(weir__members_next_timer_ns(&members), ==, WEIR_NEVER_NS);
}

static void test_a_budget_is_shared_by_weight(void)
{
    struct weir__members members = members_with(2);
    struct weir_member heavy = plain;
    struct weir_output output = {
        .target_media_bps = KBPS(880), .target_wire_bps = KBPS(900), .pacing_wire_bps = KBPS(1800)};
    struct weir_share light, share;
    heavy.weight = 2;
    weir__members_set(&members, 1, &heavy);
    weir__members_split(&members, 0, output.target_wire_bps);
    weir__members_get_share(&members, 0, &output, &light);
    weir__members_get_share(&members, 1, &output, &share);
    g_assert_cmpint(light.wire_bps, ==, KBPS(300));
    g_assert_cmpint(share.wire_bps, ==, KBPS(600));
    g_assert_cmpint(share.drain_wire_bps, ==, KBPS(1200));
    output.state = WEIR_STATE_BREAKER_CEASED;
    weir__members_get_share(&members, 1, &output, &share);
    g_assert_cmpint(share.target_media_bps, ==, 0);
}

/* Who is silent lends after 500 ms, and has it back with the first packet. */
static void test_time_and_media_are_reasons_to_split_again(void)
{
    struct weir__members members = members_with(2);
    struct weir_output output = {.target_wire_bps = KBPS(800)};
    struct weir_share share;
    weir__members_split(&members, 0, output.target_wire_bps);
    for (int64_t now_ns = 0; now_ns < WEIR_MS(500); now_ns += WEIR_MS(10)) {
        weir__members_on_media(&members, now_ns, 0, 460, 500);
    }
    int64_t due_ns = weir__members_next_timer_ns(&members);
    g_assert_cmpint(due_ns, ==, WEIR_MS(500));
    weir__members_split(&members, due_ns - 1, output.target_wire_bps);
    weir__members_get_share(&members, 0, &output, &share);
    g_assert_cmpint(share.wire_bps, ==, KBPS(400));
    weir__members_split(&members, due_ns, output.target_wire_bps);
    weir__members_get_share(&members, 0, &output, &share);
    g_assert_cmpint(share.wire_bps, ==, KBPS(800));
    weir__members_on_media(&members, due_ns, 1, 460, 500);
    weir__members_split(&members, due_ns, output.target_wire_bps);
    weir__members_get_share(&members, 0, &output, &share);
    g_assert_cmpint(share.wire_bps, ==, KBPS(400));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/members/" #name, test_##name)
    ADD(limits_are_summed_and_the_largest_overhead_counts);
    ADD(what_is_wrong_changes_nothing);
    ADD(the_last_one_stays_and_numbers_are_given_again);
    ADD(there_is_room_for_64);
    ADD(what_waits_is_summed);
    ADD(members_of_one_rtp_session_have_one_transport);
    ADD(a_transport_rests_before_it_is_given_again);
    ADD(a_member_alone_has_all_of_the_output);
    ADD(a_budget_is_shared_by_weight);
    ADD(time_and_media_are_reasons_to_split_again);
    return g_test_run();
}
