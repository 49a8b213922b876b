/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is missed is asked for, and what is kept is sent again. */
#include "../../test.h"
#include "sim/traffic/resend.h"
#include "weir/units.h"

#define WAIT_NS WEIR_MS(500)

/* Packets leave, one each millisecond, from index and number 0 on. */
static struct weir__resend *with_sent(int64_t n)
{
    struct weir__resend *resend = weir__resend_create(WAIT_NS);
    for (int64_t i = 0; i < n; i++) {
        struct weir__resend_packet packet = {.sent_ns = WEIR_MS(i), .wire_bytes = 100 + i};
        weir__resend_on_sent(resend, i, &packet);
    }
    return resend;
}

static size_t ask(struct weir__resend *resend, int64_t now_ns, uint16_t *asked)
{
    return weir__resend_ask(resend, now_ns, asked, 16);
}

static void what_is_missed_is_asked_for_when_it_may_no_longer_be_late(void)
{
    static const struct {
        int64_t jitter_ns, patience_ns;
    } rows[] = {{0, WEIR_MS(20)}, {WEIR_MS(3), WEIR_MS(6)}, {WEIR_MS(30), WEIR_MS(60)}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__resend *resend = with_sent(5);
        uint16_t asked[16];
        resend->jitter_ns = rows[i].jitter_ns;
        g_assert_true(weir__resend_on_arrival(resend, WEIR_MS(100), 0));
        g_assert_cmpint(weir__resend_next_ns(resend), ==, WEIR_NEVER_NS);
        g_assert_true(weir__resend_on_arrival(resend, WEIR_MS(103), 3));
        int64_t due_ns = WEIR_MS(103) + rows[i].patience_ns;
        g_assert_cmpint(weir__resend_next_ns(resend), ==, due_ns);
        g_assert_cmpuint(ask(resend, due_ns - 1, asked), ==, 0);
        g_assert_true(weir__resend_on_arrival(resend, due_ns - 1, 2)); /* was late */
        g_assert_cmpuint(ask(resend, due_ns, asked), ==, 1);
        g_assert_cmpuint(asked[0], ==, 1);
        weir__resend_destroy(resend);
    }
}

/* Until it is there, once per round trip; copies of copies are of no use. */
static void it_is_asked_for_again_until_a_copy_arrives(void)
{
    struct weir__resend *resend = with_sent(3);
    uint16_t asked[16];
    resend->rtt_ns = WEIR_MS(100);
    resend->jitter_ns = WEIR_MS(5);
    weir__resend_on_arrival(resend, 0, 0);
    weir__resend_on_arrival(resend, 0, 2);
    g_assert_cmpuint(ask(resend, WEIR_MS(10), asked), ==, 1);
    g_assert_cmpint(weir__resend_next_ns(resend), ==, WEIR_MS(120));
    weir__resend_on_copy(resend, 3, 1); /* is lost */
    g_assert_cmpuint(ask(resend, WEIR_MS(120), asked), ==, 1);
    weir__resend_on_copy(resend, 4, 1);
    weir__resend_on_copy(resend, 5, 1);
    g_assert_true(weir__resend_on_arrival(resend, WEIR_MS(220), 4));
    g_assert_false(weir__resend_on_arrival(resend, WEIR_MS(221), 5));
    g_assert_cmpint(weir__resend_next_ns(resend), ==, WEIR_NEVER_NS);
    g_assert_cmpint(resend->rtt_ns, >, WEIR_MS(100)); /* 210 ms since the first request */
    g_assert_cmpint(resend->rtt_ns, <, WEIR_MS(120));
    weir__resend_destroy(resend);
}

static void it_is_given_up_when_the_receiver_waits_no_longer(void)
{
    struct weir__resend *resend = with_sent(3);
    uint16_t asked[16];
    weir__resend_on_arrival(resend, 0, 0);
    weir__resend_on_arrival(resend, 0, 2);
    g_assert_cmpuint(ask(resend, WAIT_NS, asked), ==, 1);
    g_assert_cmpuint(ask(resend, weir__resend_next_ns(resend), asked), ==, 0);
    g_assert_cmpint(weir__resend_next_ns(resend), ==, WEIR_NEVER_NS);
    weir__resend_on_copy(resend, 3, 1);
    g_assert_false(weir__resend_on_arrival(resend, WAIT_NS + WEIR_MS(50), 3));
    weir__resend_destroy(resend);
}

/* Copies have numbers of their own, and what was never media leaves no hole. */
static void a_lost_copy_is_not_missed(void)
{
    struct weir__resend *resend = with_sent(2);
    struct weir__resend_packet packet = {.sent_ns = 0};
    weir__resend_on_copy(resend, 2, 0);
    weir__resend_on_copy(resend, 3, -1);
    weir__resend_on_sent(resend, 4, &packet);
    static const uint16_t rtp_seqs[] = {0, 1, 0, 1, 2};
    for (size_t i = 0; i < G_N_ELEMENTS(rtp_seqs); i++) {
        g_assert_cmpuint(weir__resend_rtp_seq(resend, (int64_t)i), ==, rtp_seqs[i]);
    }
    g_assert_true(weir__resend_on_arrival(resend, 0, 0));
    g_assert_true(weir__resend_on_arrival(resend, 0, 1));
    g_assert_false(weir__resend_on_arrival(resend, 0, 3));
    g_assert_true(weir__resend_on_arrival(resend, 0, 4));
    g_assert_cmpint(weir__resend_next_ns(resend), ==, WEIR_NEVER_NS);
    weir__resend_destroy(resend);
}

static void a_packet_is_kept_for_a_second(void)
{
    struct weir__resend *resend = with_sent(70000); /* RTP numbers wrap */
    static const struct {
        int64_t number, now_ns;
        bool kept;
    } rows[] = {
        {69999, WEIR_MS(69999), true},         {69999, WEIR_MS(70999), true},
        {69999, WEIR_MS(70999) + 1, false},    {69000, WEIR_MS(70000), true},
        {70000 - 4096, WEIR_MS(66904), true},  {70000 - 4097, WEIR_MS(66903), false},
        {70000 - 65536, WEIR_MS(4464), false}, {70000, WEIR_MS(70000), false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__resend_packet packet =
            weir__resend_requested(resend, rows[i].now_ns, (uint16_t)(uint64_t)rows[i].number);
        g_assert_cmpint(packet.number, ==, rows[i].kept ? rows[i].number : -1);
        g_assert_true(!rows[i].kept || packet.wire_bytes == 100 + rows[i].number);
    }
    g_assert_cmpint(weir__resend_kept(resend, -1).number, ==, -1);
    weir__resend_destroy(resend);
    resend = with_sent(0);
    g_assert_cmpint(weir__resend_requested(resend, 0, 65535).number, ==, -1);
    weir__resend_destroy(resend);
}

/* Of a gap that is longer than what can be missed, the newest are asked for. */
static void of_too_many_the_newest_are_asked_for(void)
{
    struct weir__resend *resend = with_sent(2000);
    uint16_t asked[WEIR__RESEND_MISSED + 1];
    weir__resend_on_arrival(resend, 0, 0);
    weir__resend_on_arrival(resend, 0, 1001);
    weir__resend_on_arrival(resend, 0, 1101);
    size_t n = weir__resend_ask(resend, WEIR_MS(20), asked, G_N_ELEMENTS(asked));
    g_assert_cmpuint(n, ==, WEIR__RESEND_MISSED);
    g_assert_cmpuint(asked[0], ==, 1101 - 1 - WEIR__RESEND_MISSED);
    for (size_t i = 1; i < n; i++) {
        g_assert_cmpuint(asked[i], >, asked[i - 1]);
    }
    weir__resend_destroy(resend);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/resend/what_is_missed_is_asked_for_when_it_may_no_longer_be_late",
                    what_is_missed_is_asked_for_when_it_may_no_longer_be_late);
    g_test_add_func("/resend/it_is_asked_for_again_until_a_copy_arrives",
                    it_is_asked_for_again_until_a_copy_arrives);
    g_test_add_func("/resend/it_is_given_up_when_the_receiver_waits_no_longer",
                    it_is_given_up_when_the_receiver_waits_no_longer);
    g_test_add_func("/resend/a_lost_copy_is_not_missed", a_lost_copy_is_not_missed);
    g_test_add_func("/resend/a_packet_is_kept_for_a_second", a_packet_is_kept_for_a_second);
    g_test_add_func("/resend/of_too_many_the_newest_are_asked_for",
                    of_too_many_the_newest_are_asked_for);
    return g_test_run();
}
