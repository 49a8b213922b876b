/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sender reports and their echoes: round-trip times for us, and for those who asked. */
#include "../../wire.h"
#include "sender_rig.h"

/* Our sender report, its echo 80 ms later after a hold of 30 ms. */
static void test_rtt_from_a_report_of_ours(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[200];
    size_t len;
    uint64_t ntp = weir_ntp_from_unix_ns(WEIR_SECONDS(1700000000));
    rig_send(&rig, 60, WEIR_MS(20));
    g_assert_cmpint(weir_sender_next_report_ns(rig.sender), <=, rig.now_ns);
    g_assert_cmpint(
        weir_sender_build_report(rig.sender, rig.now_ns, 0, ntp, buffer, sizeof(buffer), &len), ==,
        WEIR_OK);
    g_assert_cmpint(weir_sender_next_report_ns(rig.sender), >=, rig.now_ns + WEIR_MS(500));
    rig.now_ns += WEIR_MS(80);
    uint32_t highest = (uint32_t)(rig.rtp_seq - 1) & 0xffff;
    rig_rr(&rig, RIG_PEER, highest, 0, weir__ntp_mid32(ntp), 65536 * 30 / 1000);
    assert_near(rig_output(&rig).rtt_ns, WEIR_MS(50), WEIR_US(20));
    g_assert_cmpint(probe.n_reports, ==, 1);
    g_assert_cmpint(probe.report.expected_packets, ==, 0);
    assert_near(probe.report.rtt_ns, WEIR_MS(50), WEIR_US(20));
    rig_finish(&rig);
}

static void test_a_forged_echo_gives_no_rtt(void)
{
    struct rig rig = rig_start();
    rig_send(&rig, 60, WEIR_MS(20));
    for (uint32_t lsr = 1; lsr < 1000; lsr++) {
        rig_rr(&rig, RIG_PEER, (uint32_t)(rig.rtp_seq - 1) & 0xffff, 0, lsr * 65536, 0);
    }
    g_assert_cmpint(rig_output(&rig).rtt_ns, ==, WEIR_UNKNOWN_NS);
    rig_finish(&rig);
}

static void test_reports_of_another_stack_give_rtt_too(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[64];
    /* 4b of the test vectors: middle of NTP b7052000 */
    size_t len = test_hex("80c80006cafebabeb44db705200000000001e240000003e800124f80"
                          "81ca0003cafebabe01056140622e6300",
                          buffer, sizeof(buffer));
    rig_send(&rig, 60, WEIR_MS(20));
    weir_sender_on_report_sent(rig.sender, rig.now_ns, buffer, len);
    weir_sender_on_report_sent(rig.sender, rig.now_ns, NULL, 5);
    rig.now_ns += WEIR_MS(40);
    rig_rr(&rig, RIG_PEER, (uint32_t)(rig.rtp_seq - 1) & 0xffff, 0, 0xb7052000, 0);
    g_assert_cmpint(rig_output(&rig).rtt_ns, ==, WEIR_MS(40));
    rig_finish(&rig);
}

/* The answers in our next report of member 0. */
static size_t build_answers(struct rig *rig, struct weir__xr_dlrr answers[8])
{
    uint8_t buffer[400];
    size_t len;
    g_assert_cmpint(
        weir_sender_build_report(rig->sender, rig->now_ns, 0, 1, buffer, sizeof(buffer), &len), ==,
        WEIR_OK);
    return wire_read_answers(buffer, len, answers, 8);
}

static void test_a_receivers_reference_time_is_answered_once(void)
{
    struct rig rig = rig_start();
    struct weir__xr_dlrr answers[8];
    uint8_t buffer[200];
    /* 11a of the test vectors: RRTR of 11223344, middle b7052000 */
    size_t len = test_hex("80cf00041122334404000002b44db70520000000", buffer, sizeof(buffer));
    rig_send(&rig, 1, 0);
    g_assert_cmpint(rig_rtcp(&rig, buffer, len), ==, WEIR_OK);
    rig.now_ns += WEIR_MS(250);
    g_assert_cmpuint(build_answers(&rig, answers), ==, 1);
    g_assert_cmpuint(answers[0].ssrc, ==, RIG_PEER);
    g_assert_cmpuint(answers[0].lrr_mid32, ==, 0xb7052000);
    g_assert_cmpuint(answers[0].dlrr_mid32, ==, 16384);
    g_assert_cmpuint(build_answers(&rig, answers), ==, 0);
    g_assert_cmpint(weir_sender_build_report(rig.sender, rig.now_ns, 0, 1, NULL, 1, &len), ==,
                    WEIR_ERROR_ARGUMENT);
    rig_finish(&rig);
}

/* A stranger cannot make our reports longer. */
static void test_who_is_not_heeded_is_not_answered(void)
{
    struct rig rig = rig_start();
    struct weir__xr_dlrr answers[8];
    uint8_t rrtr[2][64];
    size_t len = 0;
    for (size_t i = 0; i < 2; i++) {
        len = test_hex("80cf00041122334404000002b44db70520000000", rrtr[i], sizeof(rrtr[i]));
        rrtr[i][7] ^= (uint8_t)i;
    }
    for (int round = 0; round < 3; round++) {
        rig_send(&rig, 50, WEIR_MS(20));
        rig_rr(&rig, round == 0 ? 0x99 : RIG_PEER, (uint32_t)(rig.rtp_seq - 1) & 0xffff, 0, 0, 0);
        for (size_t i = 0; i < 2; i++) {
            g_assert_cmpint(rig_rtcp(&rig, rrtr[i], len), ==, WEIR_OK);
            rrtr[i][15]++; /* a second later */
        }
        g_assert_cmpuint(build_answers(&rig, answers), ==, round == 0 ? 0 : 1);
        rig.now_ns += WEIR_SECONDS(20);
    }
    rig_finish(&rig);
}

/* A receiver is answered in the report of the member whose stream it has told of. */
static void test_a_members_report_answers_its_receiver(void)
{
    struct rig rig = rig_start();
    struct weir__xr_dlrr answers[8];
    uint8_t rrtr[64], buffer[200];
    size_t n_rrtr = test_hex("80cf00041122334404000002b44db70520000000", rrtr, sizeof(rrtr)), len;
    rig_add_members(&rig, 2);
    rig_send(&rig, 2, WEIR_MS(5));
    rig.member = 1;
    rig_send_ssrc(&rig, RIG_SSRC + 1, 1);
    rig.member = 0;
    rig_rr(&rig, RIG_PEER, (uint32_t)(rig.rtp_seq - 1) & 0xffff, 0, 0, 0); /* of RIG_SSRC */
    g_assert_cmpint(rig_rtcp(&rig, rrtr, n_rrtr), ==, WEIR_OK);
    for (int i = 1; i >= 0; i--) {
        g_assert_cmpint(weir_sender_build_report(rig.sender, rig.now_ns, (uint32_t)i, 1, buffer,
                                                 sizeof(buffer), &len),
                        ==, WEIR_OK);
        g_assert_cmpuint(wire_read_answers(buffer, len, answers, 8), ==, i == 0);
    }
    g_assert_cmpint(weir_sender_build_report(rig.sender, rig.now_ns, 2, 1, buffer, 99, &len), ==,
                    WEIR_ERROR_ARGUMENT);
    rig_finish(&rig);
}

/* Without it a receiver that missed the first report, or heard no media before it, gave no RTT for
 * up to 7.5 s. */
static void test_the_second_sender_report_follows_within_two_seconds(void)
{
    struct rig rig = rig_start();
    uint8_t buffer[256];
    size_t len;
    rig_send(&rig, 1, 0);
    g_assert_cmpint(weir_sender_next_report_ns(rig.sender), <=, rig.now_ns);
    g_assert_cmpint(
        weir_sender_build_report(rig.sender, rig.now_ns, 0, 1, buffer, sizeof(buffer), &len), ==,
        WEIR_OK);
    g_assert_cmpint(weir_sender_next_report_ns(rig.sender), <=, rig.now_ns + WEIR_MS(1500));
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_echoes/rtt_from_a_report_of_ours", test_rtt_from_a_report_of_ours);
    g_test_add_func("/sender_echoes/a_forged_echo_gives_no_rtt", test_a_forged_echo_gives_no_rtt);
    g_test_add_func("/sender_echoes/reports_of_another_stack_give_rtt_too",
                    test_reports_of_another_stack_give_rtt_too);
    g_test_add_func("/sender_echoes/a_receivers_reference_time_is_answered_once",
                    test_a_receivers_reference_time_is_answered_once);
    g_test_add_func("/sender_echoes/who_is_not_heeded_is_not_answered",
                    test_who_is_not_heeded_is_not_answered);
    g_test_add_func("/sender_echoes/a_members_report_answers_its_receiver",
                    test_a_members_report_answers_its_receiver);
    g_test_add_func("/sender_echoes/the_second_sender_report_follows_within_two_seconds",
                    test_the_second_sender_report_follows_within_two_seconds);
    return g_test_run();
}
