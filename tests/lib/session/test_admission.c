/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sender_rig.h"

static int accept_ccfb(struct rig *rig, uint32_t peer, int n)
{
    uint8_t buffer[200];
    size_t len = rig_build_ccfb(rig, peer, RIG_SSRC, 65500, "rrr", 0, buffer, sizeof(buffer));
    int accepted = 0;
    for (int i = 0; i < n; i++) {
        accepted += rig_rtcp(rig, buffer, len) == WEIR_OK;
    }
    return accepted;
}

static void test_a_flood_of_a_reporter_is_cut(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 5, WEIR_MS(10));
    /* The first one is a stranger's. */
    g_assert_cmpint(accept_ccfb(&rig, RIG_PEER, 5000), ==, 1001);
    g_assert_cmpuint(rig_stats(&rig).rtcp_rejected, ==, 3999);
    rig_finish(&rig);
}

static void test_each_reporter_has_a_budget_of_its_own(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 5, WEIR_MS(10));
    accept_ccfb(&rig, 1, 1);
    accept_ccfb(&rig, 2, 5000);
    g_assert_cmpint(accept_ccfb(&rig, 1, 5000), ==, 1000);
    rig_finish(&rig);
}

static void test_strangers_share_a_small_budget(void)
{
    struct rig rig = rig_start();
    uint8_t sdes[200];
    size_t len = test_hex("81ca0003cafebabe01056140622e6300", sdes, sizeof(sdes));
    rig_send(&rig, 5, WEIR_MS(10));
    accept_ccfb(&rig, RIG_PEER, 1);
    int accepted = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        sdes[5] = (uint8_t)(i >> 8);
        sdes[6] = (uint8_t)i;
        accepted += rig_rtcp(&rig, sdes, len) == WEIR_OK;
    }
    g_assert_cmpint(accepted, ==, 99);
    g_assert_cmpint(accept_ccfb(&rig, RIG_PEER, 5000), ==, 1000);
    rig_finish(&rig);
}

/* Whoever does not see our packets cannot name a stream. */
static void test_numbers_without_a_stream_prove_nothing(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[200];
    rig.has_transport = true;
    rig_send(&rig, 5, WEIR_MS(10));
    size_t len = rig_build_twcc(&rig, 65400, "rrr", WEIR_SECONDS(64), buffer, sizeof(buffer));
    buffer[8] ^= 1; /* of the media SSRC */
    int accepted = 0;
    for (int i = 0; i < 5000; i++) {
        accepted += rig_rtcp(&rig, buffer, len) == WEIR_OK;
    }
    g_assert_cmpint(accepted, ==, 100);
    rig_finish(&rig);
}

static void test_what_nobody_reads_costs_nobody(void)
{
    static const char *const unknown[] = {
        "80d20001deadbeef",                         /* no such type */
        "80cc0002112233444142434480d20001deadbeef", /* APP, no such type */
        "80d20001",                                 /* shorter than it says */
        "00",
    };
    struct rig rig = rig_start();
    uint8_t buffer[200];
    rig_send(&rig, 5, WEIR_MS(10));
    for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++) {
        size_t len = test_hex(unknown[i], buffer, sizeof(buffer));
        for (int k = 0; k < 3000; k++) {
            g_assert_cmpint(rig_rtcp(&rig, buffer, len), !=, WEIR_ERROR_REJECTED);
        }
    }
    g_assert_cmpint(accept_ccfb(&rig, RIG_PEER, 1), ==, 1);
    rig_finish(&rig);
}

static void test_results_of_another_stack_have_a_budget_of_their_own(void)
{
    struct rig rig = rig_start();
    const struct weir_packet_result result = {.transport_seq = 1, .sent_ns = WEIR_UNKNOWN_NS};
    rig_send(&rig, 5, WEIR_MS(10));
    accept_ccfb(&rig, RIG_PEER, 5000);
    int rejected = 0;
    uint64_t before = rig_stats(&rig).rtcp_rejected;
    for (int i = 0; i < 5000; i++) {
        weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, &result, 1);
    }
    rejected = (int)(rig_stats(&rig).rtcp_rejected - before);
    g_assert_cmpint(rejected, ==, 4000);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/admission/a_flood_of_a_reporter_is_cut", test_a_flood_of_a_reporter_is_cut);
    g_test_add_func("/admission/each_reporter_has_a_budget_of_its_own",
                    test_each_reporter_has_a_budget_of_its_own);
    g_test_add_func("/admission/strangers_share_a_small_budget",
                    test_strangers_share_a_small_budget);
    g_test_add_func("/admission/numbers_without_a_stream_prove_nothing",
                    test_numbers_without_a_stream_prove_nothing);
    g_test_add_func("/admission/what_nobody_reads_costs_nobody",
                    test_what_nobody_reads_costs_nobody);
    g_test_add_func("/admission/results_of_another_stack_have_a_budget_of_their_own",
                    test_results_of_another_stack_have_a_budget_of_their_own);
    return g_test_run();
}
