/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/account.h"

#include "session/gaps.h"
#include "test.h"
#include "weir/units.h"

#define SSRC  7
#define PEER  0x11223344
#define OTHER 0x55

static struct weir__accounts accounts[WEIR__HISTORY_STREAMS];
static struct weir__history history;
static int64_t now_ns;

static void send_from(uint16_t first, int n)
{
    for (int i = 0; i < n; i++) {
        struct weir__history_packet packet = {
            .ssrc = SSRC, .rtp_seq = (uint16_t)(first + i), .wire_bytes = 1000};
        weir__history_on_sent(&history, &packet);
    }
}

/* Stream SSRC with RTP numbers first .. first + n - 1. */
static void start(uint16_t first, int n)
{
    memset(accounts, 0, sizeof(accounts));
    now_ns = 0;
    memset(&history, 0, sizeof history);
    send_from(first, n);
}

static enum weir__report_kind tell_from(const struct weir__report_origin *origin,
                                        uint32_t highest_seq, int32_t cumulative_lost,
                                        struct weir__interval_loss *loss)
{
    struct weir__report_block block = {
        .ssrc = SSRC, .highest_seq = highest_seq, .cumulative_lost = cumulative_lost};
    return weir__accounts_on_block(accounts, &history, origin, &block, loss);
}

static enum weir__report_kind tell(uint32_t peer, bool is_fresh, uint32_t highest_seq,
                                   int32_t cumulative_lost, struct weir__interval_loss *loss)
{
    struct weir__report_origin origin = {.ssrc = peer, .now_ns = now_ns, .is_fresh = is_fresh};
    return tell_from(&origin, highest_seq, cumulative_lost, loss);
}

/* Of one receiver, to which no sender report comes. */
static enum weir__report_kind on_block(uint32_t highest_seq, int32_t cumulative_lost,
                                       struct weir__interval_loss *loss)
{
    return tell(PEER, false, highest_seq, cumulative_lost, loss);
}

static void test_two_reports_tell_the_loss_between_them(void)
{
    static const struct {
        uint32_t highest1, highest2;
        int32_t lost1, lost2;
        uint32_t expected, lost;
    } cases[] = {
        {65000 + 10, 65000 + 110, 0, 5, 100, 5},
        {65000 + 10, 0x10000 + 464 + 10, 3, 13, 1000, 10}, /* the numbers wrapped */
        {0x70000 + 65010, 0x90000 + 65110, 0, 5, 100, 5},  /* whatever cycles it counts */
        {65010, 65110, 10, 4, 100, 0},                     /* duplicates: never negative */
        {65010, 65110, -5, 500, 100, 100},                 /* never more than expected */
        {65010, 65110, -0x800000, 0x7fffff, 100, 100},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__interval_loss loss = {0};
        start(65000, 3000);
        g_assert_cmpint(on_block(cases[i].highest1, cases[i].lost1, &loss), ==, WEIR__REPORT_FIRST);
        g_assert_cmpint(on_block(cases[i].highest2, cases[i].lost2, &loss), ==,
                        WEIR__REPORT_ADVANCED);
        g_assert_cmpuint(loss.expected_packets, ==, cases[i].expected);
        g_assert_cmpuint(loss.lost_packets, ==, cases[i].lost);
    }
}

static void test_a_repeated_report_says_nothing(void)
{
    struct weir__interval_loss loss = {.expected_packets = 77};
    start(0, 1000);
    on_block(100, 0, &loss);
    for (int i = 0; i < 10; i++) {
        g_assert_cmpint(on_block(100, 50, &loss), ==, WEIR__REPORT_UNCHANGED);
    }
    g_assert_cmpint(on_block(200, 10, &loss), ==, WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.expected_packets, ==, 100);
    g_assert_cmpuint(loss.lost_packets, ==, 10);
}

static void test_an_older_report_is_only_a_sign_of_life(void)
{
    struct weir__interval_loss loss = {0};
    start(0, 1000);
    on_block(500, 0, &loss);
    for (int i = 0; i < 100; i++) {
        g_assert_cmpint(on_block(400, 0, &loss), ==, WEIR__REPORT_OLD);
    }
    g_assert_cmpint(on_block(510, 0, &loss), ==, WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.expected_packets, ==, 10);
}

/* Whether or not they are new to whoever replays them. */
static void test_replayed_reports_change_nothing_in_whatever_order(void)
{
    struct weir__interval_loss loss = {0};
    start(0, 1000);
    for (uint32_t i = 0; i <= 9; i++) {
        on_block(100 * i, (int32_t)i, &loss);
    }
    loss = (struct weir__interval_loss){.expected_packets = 77};
    for (uint32_t i = 0; i < 500; i++) {
        now_ns += WEIR_MS(10);
        g_assert_cmpint(on_block(100 * (i % 9), (int32_t)(i % 9), &loss), ==, WEIR__REPORT_OLD);
        g_assert_cmpint(tell(OTHER, false, 100 * (i % 9), 0, &loss), ==, WEIR__REPORT_OLD);
    }
    g_assert_cmpuint(loss.expected_packets, ==, 77);
    g_assert_cmpint(on_block(999, 12, &loss), ==, WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.expected_packets, ==, 99);
    g_assert_cmpuint(loss.lost_packets, ==, 3);
}

/* Each second report is overtaken by the next: one account, in which all losses are told once. */
static void test_reports_that_are_overtaken_begin_no_account(void)
{
    struct weir__interval_loss loss = {0};
    uint32_t expected = 0, lost = 0;
    start(0, 6000);
    tell(PEER, true, 0, 0, &loss);
    for (uint32_t k = 1; k < 250; k += 2) {
        now_ns += WEIR_MS(200);
        loss = (struct weir__interval_loss){0};
        g_assert_cmpint(tell(PEER, true, 20 * (k + 1), 3 * (int32_t)(k + 1), &loss), ==,
                        WEIR__REPORT_ADVANCED);
        expected += loss.expected_packets;
        lost += loss.lost_packets;
        g_assert_cmpint(tell(PEER, true, 20 * k, 3 * (int32_t)k, &loss), ==, WEIR__REPORT_OLD);
    }
    g_assert_cmpuint(expected, ==, 20 * 250);
    g_assert_cmpuint(lost, ==, 3 * 250);
}

/* The same echo with the same delay is the same report; another delay is another one. */
static void test_a_repeated_echo_is_no_news(void)
{
    struct weir__report_origin origin = {.ssrc = PEER};
    struct weir__report_block block = {
        .ssrc = SSRC, .highest_seq = 100, .lsr_mid32 = 5, .dlsr_mid32 = 6};
    struct weir__interval_loss loss = {0};
    start(0, 1000);
    g_assert_cmpint(weir__accounts_on_block(accounts, &history, &origin, &block, &loss), ==,
                    WEIR__REPORT_FIRST);
    g_assert_cmpint(weir__accounts_on_block(accounts, &history, &origin, &block, &loss), ==,
                    WEIR__REPORT_OLD);
    block.dlsr_mid32 = 7;
    g_assert_cmpint(weir__accounts_on_block(accounts, &history, &origin, &block, &loss), ==,
                    WEIR__REPORT_UNCHANGED);
}

/* It counts its losses anew. Before a sender report has reached it, it could be a replay. */
static void test_a_restart_is_believed_with_a_fresh_report(void)
{
    static const uint32_t peers[] = {PEER, OTHER};
    for (size_t i = 0; i < G_N_ELEMENTS(peers); i++) {
        struct weir__interval_loss loss = {0};
        start(0, 1000);
        on_block(400, 0, &loss);
        on_block(500, 0, &loss);
        now_ns += WEIR_SECONDS(30);
        on_block(550, 0, &loss);
        g_assert_cmpint(tell(peers[i], false, 540, -500, &loss), ==, WEIR__REPORT_OLD);
        g_assert_cmpint(tell(peers[i], true, 540, -500, &loss), ==, WEIR__REPORT_IGNORED);
        g_assert_cmpint(tell(peers[i], true, 560, -490, &loss), ==, WEIR__REPORT_FIRST);
        g_assert_cmpint(tell(peers[i], true, 570, -490, &loss), ==, WEIR__REPORT_ADVANCED);
        g_assert_cmpuint(loss.expected_packets, ==, 10);
    }
}

/* Three of the intervals of who told before, which are 5 s until they are known. */
static void test_silence_makes_room_for_another_account(void)
{
    struct weir__interval_loss loss = {0};
    start(0, 1000);
    on_block(100, 40, &loss);
    now_ns = WEIR_SECONDS(15) - 1;
    g_assert_cmpint(tell(OTHER, false, 110, 0, &loss), ==, WEIR__REPORT_OLD);
    now_ns++;
    g_assert_cmpint(tell(OTHER, false, 110, 0, &loss), ==, WEIR__REPORT_FIRST);
    g_assert_cmpint(tell(OTHER, false, 120, 1, &loss), ==, WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.lost_packets, ==, 1);
}

/* Beside a receiver that loses a tenth, somebody reports in its name, or as another, that nothing
 * is lost; then the same with the parts exchanged. */
static void test_the_account_with_the_most_loss_steers(void)
{
    static const struct {
        uint32_t peer;
        int32_t lost, claimed; /* of 10 */
    } cases[] = {{PEER, 1, 0}, {OTHER, 1, 0}, {PEER, 0, 1}, {OTHER, 0, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__interval_loss loss = {0};
        uint32_t expected = 0, lost = 0;
        start(0, 6000);
        for (uint32_t k = 0; k < 500; k++) {
            now_ns += WEIR_MS(100);
            loss = (struct weir__interval_loss){0};
            tell(PEER, true, 10 * k, cases[i].lost * (int32_t)k, &loss);
            expected += k < 10 ? 0 : loss.expected_packets;
            lost += k < 10 ? 0 : loss.lost_packets;
            for (uint32_t m = 0; m < 10 && k >= 5; m++) { /* has seen more, and reports it sooner */
                now_ns += WEIR_MS(1);
                loss = (struct weir__interval_loss){0};
                tell(cases[i].peer, true, 10 * k + 10 + m, cases[i].claimed * (int32_t)(k + 1) - 50,
                     &loss);
                expected += k < 10 ? 0 : loss.expected_packets;
                lost += k < 10 ? 0 : loss.lost_packets;
            }
        }
        g_assert_cmpuint(expected, >=, 4800);
        g_assert_cmpuint(expected, <=, 5200);
        assert_near(lost, 490, 30);
    }
}

static void test_many_accounts_do_not_push_out_the_one_that_steers(void)
{
    struct weir__interval_loss loss = {0};
    uint32_t lost = 0;
    start(0, 6000);
    for (uint32_t k = 0; k < 500; k++) {
        now_ns += WEIR_MS(100);
        loss = (struct weir__interval_loss){0};
        on_block(10 * k, (int32_t)k, &loss);
        lost += loss.lost_packets;
        for (uint32_t m = 0; m < 20 && k >= 5; m++) {
            tell(OTHER + m, true, 10 * k + 5, 0, &loss);
        }
    }
    g_assert_cmpuint(lost, ==, 499);
}

/* 100 numbers sent, some skipped, 100 sent: skipped ones are lost to the receiver only. */
static void test_numbers_never_sent_are_neither_expected_nor_lost(void)
{
    static const struct {
        uint16_t skipped;
        int32_t told;        /* lost between the reports, as the receiver sees it */
        uint32_t n_expected; /* of the second report, counted from the first */
        uint32_t lost;
    } cases[] = {
        {0, 3, 150, 3},        {1, 1, 150, 0},  {1, 4, 150, 3}, {2999, 2999, 150, 0},
        {2999, 3010, 150, 11}, {20, 5, 150, 0}, /* duplicates made up for them */
        {20, 500, 150, 150},                    /* never more than expected */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__interval_loss loss = {0};
        uint16_t second = (uint16_t)(65480 + 100 + cases[i].skipped);
        start(65480, 100);
        send_from(second, 100);
        on_block(65480 + 49, 7, &loss);
        g_assert_cmpint(on_block((uint16_t)(second + 99), 7 + cases[i].told, &loss), ==,
                        WEIR__REPORT_ADVANCED);
        g_assert_cmpuint(loss.expected_packets, ==, cases[i].n_expected);
        g_assert_cmpuint(loss.lost_packets, ==, cases[i].lost);
    }
}

/* Far more gaps between two reports than are remembered, and reports that are late. */
static void test_no_gap_is_forgotten_between_two_reports(void)
{
    struct weir__interval_loss loss = {0};
    uint32_t expected = 0, lost = 0;
    start(0, 1);
    on_block(0, 0, &loss);
    uint16_t rtp = 0;
    for (int i = 1; i <= 100 * WEIR__GAPS; i++) {
        rtp = (uint16_t)(rtp + 3);
        send_from(rtp, 1);
        if (i % (2 * WEIR__GAPS) == 0) {
            g_assert_cmpint(on_block((uint16_t)(rtp - 30), 2 * (i - 10), &loss), ==,
                            WEIR__REPORT_ADVANCED);
            expected += loss.expected_packets;
            lost += loss.lost_packets;
        }
    }
    g_assert_cmpuint(expected, ==, 100 * WEIR__GAPS - 10);
    g_assert_cmpuint(lost, ==, 0);
}

/* Numbers that jump too far, or back to ones not sent lately: a new start, on which no loss is
 * built, nor a gap. */
static void test_a_restart_of_the_stream_begins_a_new_base(void)
{
    static const uint16_t steps[] = {3001, 30000, 40000, 65536 - 300};
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        struct weir__interval_loss loss = {0};
        start(500, 100);
        on_block(549, 0, &loss);
        uint16_t again = (uint16_t)(599 + steps[i]);
        send_from(again, 100);
        g_assert_cmpint(on_block(599, 0, &loss), ==, WEIR__REPORT_NOT_OURS);
        g_assert_cmpint(on_block((uint16_t)(again + 9), 0, &loss), ==, WEIR__REPORT_FIRST);
        g_assert_cmpint(on_block((uint16_t)(again + 59), 2, &loss), ==, WEIR__REPORT_ADVANCED);
        g_assert_cmpuint(loss.expected_packets, ==, 50);
        g_assert_cmpuint(loss.lost_packets, ==, 2);
    }
}

static void test_packets_sent_again_or_late_are_no_restart(void)
{
    struct weir__interval_loss loss = {0};
    start(0, 1000);
    on_block(899, 0, &loss);
    send_from(200, 3);   /* sent again */
    send_from(1003, 10); /* 1000 .. 1002 are not sent ... */
    send_from(1001, 1);  /* ... but for this one, late */
    send_from(1001, 1);
    send_from(1013, 87);
    g_assert_cmpint(on_block(1099, 3, &loss), ==, WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.expected_packets, ==, 198);
    g_assert_cmpuint(loss.lost_packets, ==, 1);
}

/* Two sessions' receivers may have one SSRC: the first of them steers, if it is to. */
static void test_the_same_ssrc_on_another_transport_is_another(void)
{
    struct weir__interval_loss loss = {0};
    struct weir__report_origin origin = {.ssrc = PEER, .is_fresh = true, .first_steers = true};
    start(0, 1000);
    g_assert_cmpint(tell_from(&origin, 100, 0, &loss), ==, WEIR__REPORT_FIRST);
    origin.transport = 1;
    g_assert_cmpint(tell_from(&origin, 100, 0, &loss), ==, WEIR__REPORT_IGNORED);
    g_assert_cmpint(tell_from(&origin, 200, 80, &loss), ==, WEIR__REPORT_IGNORED);
    origin.transport = 0;
    g_assert_cmpint(tell_from(&origin, 200, 0, &loss), ==, WEIR__REPORT_ADVANCED);
    g_assert_cmpuint(loss.expected_packets, ==, 100);
    g_assert_cmpuint(loss.lost_packets, ==, 0);
}

/* Two accounts of one reporter, of which the first steers, and blocks that can follow and precede
 * neither. */
static void test_a_block_that_fits_no_account_belongs_to_the_newest(void)
{
    static const struct {
        uint32_t highest1, highest2;
        enum weir__report_kind kind;
    } cases[] = {{300, 310, WEIR__REPORT_IGNORED}, {310, 300, WEIR__REPORT_ADVANCED}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__interval_loss loss = {0};
        start(0, 1000);
        g_assert_cmpint(tell(PEER, true, cases[i].highest1, 0, &loss), ==, WEIR__REPORT_FIRST);
        tell(PEER, true, cases[i].highest2, 500, &loss);
        g_assert_cmpint(tell(PEER, false, 305, 250, &loss), ==, WEIR__REPORT_OLD);
        g_assert_cmpint(tell(PEER, false, 320, 250, &loss), ==, cases[i].kind);
    }
}

/* Of four that are told, the least loss goes, wherever it is; that of the first, which steers,
 * stays. */
static void test_the_account_with_the_least_loss_makes_room(void)
{
    for (uint32_t best = 1; best < WEIR__ACCOUNTS; best++) {
        struct weir__interval_loss loss = {0};
        start(0, 1000);
        for (uint32_t i = 0; i < WEIR__ACCOUNTS; i++) {
            tell(OTHER + i, true, 100, 0, &loss);
            tell(OTHER + i, true, 200, i == 0 ? 50 : i == best ? 1 : 10, &loss);
        }
        g_assert_cmpint(tell(PEER, true, 200, 0, &loss), ==, WEIR__REPORT_IGNORED);
        for (uint32_t i = 0; i < WEIR__ACCOUNTS; i++) {
            uint32_t ssrc = accounts[0].entries[i].ssrc;
            g_assert_cmpuint(ssrc, ==, i == best ? PEER : OTHER + i);
        }
    }
}

static void test_packets_never_sent_are_not_ours(void)
{
    struct weir__interval_loss loss = {0};
    start(1000, 100);
    g_assert_cmpint(on_block(1100, 0, &loss), ==, WEIR__REPORT_NOT_OURS);
    g_assert_cmpint(on_block(999, 0, &loss), ==, WEIR__REPORT_NOT_OURS);
    g_assert_cmpint(on_block(1099, 0, &loss), ==, WEIR__REPORT_FIRST);
    struct weir__report_origin origin = {.ssrc = PEER};
    struct weir__report_block other = {.ssrc = 8, .highest_seq = 1050};
    g_assert_cmpint(weir__accounts_on_block(accounts, &history, &origin, &other, &loss), ==,
                    WEIR__REPORT_NOT_OURS);
}

/* Of each 200 packets the receiver tells that so many were lost, and in each second report that
 * overtaken more are, which come later; feedback on packets, that shown were. Returns the interval
 * at whose end the one denies the other; 0 = none of 20. */
static int denied_after(int32_t told, int shown, int32_t overtaken)
{
    struct weir__interval_loss loss = {0};
    start(0, 5000);
    on_block(0, 0, &loss);
    for (int k = 1; k <= 20; k++) {
        for (int seq = 200 * (k - 1) + 1; seq <= 200 * k - shown; seq++) {
            weir__history_set_state(&history, seq, WEIR__PACKET_RECEIVED);
        }
        on_block((uint32_t)(200 * k), k * told + k % 2 * overtaken, &loss);
        if (accounts[0].denies) {
            return k;
        }
    }
    return 0;
}

static void test_an_account_denies_feedback_that_hides_losses(void)
{
    g_assert_cmpint(denied_after(100, 0, 0), ==, 1);
    g_assert_cmpint(denied_after(26 + 3, 0, 0), ==, 1);
    g_assert_cmpint(denied_after(25 + 3, 0, 0), ==, 2); /* an eighth at once is on its way */
    g_assert_cmpint(denied_after(100, 50, 0), ==, 1);
    g_assert_cmpint(denied_after(10, 0, 0), ==, 4);
    g_assert_cmpint(denied_after(3, 0, 0), ==, 0); /* a 64th */
    g_assert_cmpint(denied_after(0, 0, 0), ==, 0);
    g_assert_cmpint(denied_after(100, 100, 0), ==, 0);
    g_assert_cmpint(denied_after(0, 100, 0), ==, 0);
    g_assert_cmpint(denied_after(0, 0, 25), ==, 0);
    g_assert_cmpint(denied_after(100, 100, 25), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/account/two_reports_tell_the_loss_between_them",
                    test_two_reports_tell_the_loss_between_them);
    g_test_add_func("/account/a_repeated_report_says_nothing", test_a_repeated_report_says_nothing);
    g_test_add_func("/account/an_older_report_is_only_a_sign_of_life",
                    test_an_older_report_is_only_a_sign_of_life);
    g_test_add_func("/account/replayed_reports_change_nothing_in_whatever_order",
                    test_replayed_reports_change_nothing_in_whatever_order);
    g_test_add_func("/account/reports_that_are_overtaken_begin_no_account",
                    test_reports_that_are_overtaken_begin_no_account);
    g_test_add_func("/account/a_repeated_echo_is_no_news", test_a_repeated_echo_is_no_news);
    g_test_add_func("/account/a_restart_is_believed_with_a_fresh_report",
                    test_a_restart_is_believed_with_a_fresh_report);
    g_test_add_func("/account/silence_makes_room_for_another_account",
                    test_silence_makes_room_for_another_account);
    g_test_add_func("/account/the_account_with_the_most_loss_steers",
                    test_the_account_with_the_most_loss_steers);
    g_test_add_func("/account/many_accounts_do_not_push_out_the_one_that_steers",
                    test_many_accounts_do_not_push_out_the_one_that_steers);
    g_test_add_func("/account/numbers_never_sent_are_neither_expected_nor_lost",
                    test_numbers_never_sent_are_neither_expected_nor_lost);
    g_test_add_func("/account/no_gap_is_forgotten_between_two_reports",
                    test_no_gap_is_forgotten_between_two_reports);
    g_test_add_func("/account/a_restart_of_the_stream_begins_a_new_base",
                    test_a_restart_of_the_stream_begins_a_new_base);
    g_test_add_func("/account/packets_sent_again_or_late_are_no_restart",
                    test_packets_sent_again_or_late_are_no_restart);
    g_test_add_func("/account/an_account_denies_feedback_that_hides_losses",
                    test_an_account_denies_feedback_that_hides_losses);
    g_test_add_func("/account/the_same_ssrc_on_another_transport_is_another",
                    test_the_same_ssrc_on_another_transport_is_another);
    g_test_add_func("/account/a_block_that_fits_no_account_belongs_to_the_newest",
                    test_a_block_that_fits_no_account_belongs_to_the_newest);
    g_test_add_func("/account/the_account_with_the_least_loss_makes_room",
                    test_the_account_with_the_least_loss_makes_room);
    g_test_add_func("/account/packets_never_sent_are_not_ours",
                    test_packets_never_sent_are_not_ours);
    return g_test_run();
}
