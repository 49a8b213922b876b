/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/transport_numbers.h"

#include "sender_rig.h"

enum { MANY = 200000 };

static struct weir__transport_numbers numbers;

static uint16_t send_one(void)
{
    uint16_t number = weir__transport_numbers_take(&numbers);
    weir__transport_numbers_on_sent(&numbers, true, number);
    return number;
}

/* Each number is either carried by the packet after the one before, or was left out. */
static void test_what_is_not_carried_was_left_out(void)
{
    int left_out = 0;
    weir__transport_numbers_init(&numbers, 7);
    uint16_t number = send_one();
    for (int i = 0; i < MANY; i++) {
        uint16_t next = send_one();
        for (number++; number != next; number++, left_out++) {
            g_assert_true(weir__transport_numbers_was_left_out(&numbers, number));
        }
        g_assert_false(weir__transport_numbers_was_left_out(&numbers, number));
    }
    assert_near((double)left_out / MANY, 1.0 / (WEIR__NUMBERS_SPACING - 1),
                0.1 / WEIR__NUMBERS_SPACING);
}

static void test_what_was_carried_stays_so(void)
{
    static uint16_t carried[60000];
    weir__transport_numbers_init(&numbers, 7);
    for (size_t i = 0; i < G_N_ELEMENTS(carried); i++) {
        carried[i] = send_one();
    }
    for (size_t i = 0; i < G_N_ELEMENTS(carried); i++) {
        g_assert_false(weir__transport_numbers_was_left_out(&numbers, carried[i]));
    }
}

/* Who knows the numbers so far, does not know which comes next: no gap follows from those before
 * it. */
static void test_gaps_differ_from_key_to_key(void)
{
    uint64_t patterns[64];
    for (uint64_t key = 0; key < G_N_ELEMENTS(patterns); key++) {
        weir__transport_numbers_init(&numbers, key);
        uint16_t before = send_one();
        patterns[key] = 0;
        for (int i = 0; i < 1000; i++) {
            uint16_t number = send_one();
            patterns[key] = patterns[key] * 31 + (uint16_t)(number - before);
            before = number;
        }
        for (uint64_t other = 0; other < key; other++) {
            g_assert_cmpuint(patterns[key], !=, patterns[other]);
        }
    }
}

/* Neither what was there before ours, nor what has yet to come. */
static void test_other_numbers_were_not_left_out(void)
{
    weir__transport_numbers_init(&numbers, 3);
    for (uint32_t number = 0; number < 65536; number++) {
        g_assert_false(weir__transport_numbers_was_left_out(&numbers, (uint16_t)number));
    }
    uint16_t first = send_one();
    for (uint32_t number = 0; number < 65536; number++) {
        g_assert_false(weir__transport_numbers_was_left_out(&numbers, (uint16_t)number));
    }
    for (int i = 0; i < 1000; i++) {
        send_one();
    }
    uint16_t newest = (uint16_t)(numbers.next - 1);
    for (uint16_t number = (uint16_t)(newest + 1); number != first; number++) {
        g_assert_false(weir__transport_numbers_was_left_out(&numbers, number));
    }
}

/* A stack behind us numbers from some packet on: its numbers are not ours to judge by. */
static void test_numbers_of_another_end_it(void)
{
    for (int has_number = 0; has_number <= 1; has_number++) {
        weir__transport_numbers_init(&numbers, 3);
        for (int i = 0; i < 1000; i++) {
            send_one();
        }
        weir__transport_numbers_on_sent(&numbers, has_number, (uint16_t)(numbers.next + 5));
        for (uint32_t number = 0; number < 65536; number++) {
            g_assert_false(weir__transport_numbers_was_left_out(&numbers, (uint16_t)number));
        }
        uint16_t again = send_one();
        g_assert_cmpint(numbers.first & 0xffff, ==, again);
    }
}

static bool is_disbelieved(int64_t now_ns)
{
    return weir__transport_numbers_is_disbelieved(&numbers, now_ns);
}

static void invent(int64_t now_ns, uint16_t number)
{
    weir__transport_numbers_on_invented(&numbers, now_ns, number);
}

static void test_two_numbers_prove_a_lie(void)
{
    weir__transport_numbers_init(&numbers, 0);
    g_assert_false(is_disbelieved(0));
    invent(0, 9);
    invent(WEIR_SECONDS(1), 9);
    g_assert_false(is_disbelieved(WEIR_SECONDS(1)));
    invent(WEIR_SECONDS(2), 8);
    g_assert_true(is_disbelieved(WEIR_SECONDS(2)));
    invent(WEIR_SECONDS(30), 8);
    g_assert_true(is_disbelieved(WEIR_SECONDS(90) - 1));
    g_assert_false(is_disbelieved(WEIR_SECONDS(90)));
}

static void test_an_honest_while_ends_disbelief(void)
{
    weir__transport_numbers_init(&numbers, 0);
    invent(0, 9);
    invent(0, 8);
    invent(WEIR_SECONDS(60), 7);
    g_assert_false(is_disbelieved(WEIR_SECONDS(60)));
    invent(WEIR_SECONDS(61), 6);
    g_assert_true(is_disbelieved(WEIR_SECONDS(61)));
}

enum { PATTERN = 1000 };

/* n packets with the session's own numbers, of which the first is returned, and what a report on
 * them says: of the numbers between, '.' that they are missing, 'r' that they arrived. */
static uint16_t send_numbered(struct rig *rig, int n, char between, char pattern[PATTERN])
{
    size_t end = 0;
    uint16_t begin = 0;
    rig->has_transport = true;
    for (int i = 0; i < n; i++) {
        rig->transport_seq = weir_sender_take_transport_seq(rig->sender, rig->member);
        begin = i == 0 ? rig->transport_seq : begin;
        size_t place = (uint16_t)(rig->transport_seq - begin);
        g_assert_cmpuint(place, <, PATTERN - 1);
        memset(pattern + end, between, place - end);
        pattern[place] = 'r';
        end = place + 1;
        rig_send(rig, 1, WEIR_MS(1));
    }
    pattern[end] = '\0';
    rig->now_ns += WEIR_MS(20);
    return begin;
}

static enum weir_status send_and_report(struct rig *rig, int n, char between)
{
    char pattern[PATTERN];
    uint16_t begin = send_numbered(rig, n, between, pattern);
    return rig_twcc(rig, begin, pattern, rig->now_ns);
}

static void test_numbers_left_out_are_not_missed(void)
{
    struct rig rig = rig_start();
    for (int i = 0; i < 10; i++) {
        g_assert_cmpint(send_and_report(&rig, 400, '.'), ==, WEIR_OK);
    }
    struct weir_sender_stats stats = rig_stats(&rig);
    g_assert_cmpuint(stats.packets_received, ==, 4000);
    g_assert_cmpuint(stats.packets_lost + stats.results_unsent + stats.results_invented, ==, 0);
    rig_finish(&rig);
}

/* Neither reports on packets of who did, nor the receiver reports, nor what they proved before. */
static void test_who_says_that_they_arrived_is_believed_no_more(void)
{
    struct rig rig = rig_start();
    probe.control.rate_bps = WEIR_MBPS(8);
    g_assert_cmpint(send_and_report(&rig, 400, '.'), ==, WEIR_OK);
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, WEIR_MBPS(8));
    g_assert_cmpint(send_and_report(&rig, 400, 'r'), ==, WEIR_ERROR_REJECTED);
    g_assert_cmpuint(rig_stats(&rig).results_invented, >=, 2);
    g_assert_cmpuint(rig_stats(&rig).disbelieved, ==, 1);
    g_assert_cmpint(rig_output(&rig).allowed_wire_bps, ==, rig.sender->initial_bps);
    int n_feedbacks = probe.n_feedbacks;
    rig.now_ns += WEIR_SECONDS(10);
    g_assert_cmpint(send_and_report(&rig, 400, '.'), ==, WEIR_ERROR_REJECTED);
    rig_rr(&rig, RIG_PEER, rig.rtp_seq - 20u, 0, 0, 0);
    rig_rr(&rig, RIG_PEER, rig.rtp_seq - 1u, 0, 0, 0);
    g_assert_cmpint(probe.n_feedbacks, ==, n_feedbacks);
    g_assert_cmpint(probe.n_reports, ==, 0);
    rig.now_ns += WEIR_SECONDS(60);
    g_assert_cmpint(send_and_report(&rig, 400, '.'), ==, WEIR_OK);
    g_assert_cmpint(probe.n_feedbacks, >, n_feedbacks);
    rig_finish(&rig);
}

/* A packet is missing at first, and arrives in the report that proves a lie: it is not told of, not
 * even when its time is over. */
static void test_what_arrives_with_a_lie_is_told_to_nobody(void)
{
    struct rig rig = rig_start();
    char pattern[PATTERN];
    uint16_t begin = send_numbered(&rig, 100, '.', pattern);
    *strrchr(pattern, 'r') = '.';
    *strrchr(pattern, 'r') = '.';
    pattern[strlen(pattern) - 1] = 'r'; /* the newest; the one before is missing */
    g_assert_cmpint(rig_twcc(&rig, begin, pattern, rig.now_ns), ==, WEIR_OK);
    g_assert_cmpuint(probe.n_news, ==, 99);
    memset(pattern, 'r', strlen(pattern));
    g_assert_cmpint(rig_twcc(&rig, begin, pattern, rig.now_ns), ==, WEIR_ERROR_REJECTED);
    int n_feedbacks = probe.n_feedbacks;
    rig.now_ns += WEIR_SECONDS(5);
    weir_sender_on_timer(rig.sender, rig.now_ns);
    g_assert_cmpint(probe.n_feedbacks, ==, n_feedbacks);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 0);
    rig_finish(&rig);
}

/* As packet results of another stack. */
static void test_results_of_numbers_left_out_are_a_lie_too(void)
{
    struct rig rig = rig_start();
    char pattern[PATTERN];
    struct weir_packet_result results[PATTERN];
    for (int lies = 0; lies < 2; lies++) {
        uint16_t begin = send_numbered(&rig, 100, lies ? 'r' : '.', pattern);
        size_t n = strlen(pattern);
        for (size_t i = 0; i < n; i++) {
            results[i] = (struct weir_packet_result){.transport_seq = (uint16_t)(begin + i),
                                                     .received = pattern[i] == 'r',
                                                     .sent_ns = WEIR_UNKNOWN_NS,
                                                     .arrived_ns = WEIR_UNKNOWN_NS};
        }
        enum weir_status status =
            weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, results, n);
        g_assert_cmpint(status, ==, lies ? WEIR_ERROR_REJECTED : WEIR_OK);
        g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 100);
        g_assert_true(rig_stats(&rig).disbelieved == (lies == 1));
    }
    rig_finish(&rig);
}

/* It does not steer, so that nobody need disbelieve it. */
static void test_a_lie_of_whom_nobody_heeds_ends_no_belief(void)
{
    struct rig rig = rig_start();
    g_assert_cmpint(send_and_report(&rig, 400, '.'), ==, WEIR_OK);
    rig.peer = RIG_PEER + 1;
    g_assert_cmpint(send_and_report(&rig, 400, 'r'), ==, WEIR_OK);
    g_assert_cmpuint(rig_stats(&rig).results_invented, ==, 0);
    g_assert_cmpuint(rig_stats(&rig).disbelieved, ==, 0);
    rig_finish(&rig);
}

static void test_of_no_member_there_is_no_number(void)
{
    struct rig rig = rig_start();
    g_assert_cmpuint(weir_sender_take_transport_seq(rig.sender, 1), ==, 0);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/what_is_not_carried_was_left_out", test_what_is_not_carried_was_left_out);
    g_test_add_func("/what_was_carried_stays_so", test_what_was_carried_stays_so);
    g_test_add_func("/gaps_differ_from_key_to_key", test_gaps_differ_from_key_to_key);
    g_test_add_func("/other_numbers_were_not_left_out", test_other_numbers_were_not_left_out);
    g_test_add_func("/numbers_of_another_end_it", test_numbers_of_another_end_it);
    g_test_add_func("/two_numbers_prove_a_lie", test_two_numbers_prove_a_lie);
    g_test_add_func("/an_honest_while_ends_disbelief", test_an_honest_while_ends_disbelief);
    g_test_add_func("/numbers_left_out_are_not_missed", test_numbers_left_out_are_not_missed);
    g_test_add_func("/who_says_that_they_arrived_is_believed_no_more",
                    test_who_says_that_they_arrived_is_believed_no_more);
    g_test_add_func("/what_arrives_with_a_lie_is_told_to_nobody",
                    test_what_arrives_with_a_lie_is_told_to_nobody);
    g_test_add_func("/of_no_member_there_is_no_number", test_of_no_member_there_is_no_number);
    g_test_add_func("/results_of_numbers_left_out_are_a_lie_too",
                    test_results_of_numbers_left_out_are_a_lie_too);
    g_test_add_func("/a_lie_of_whom_nobody_heeds_ends_no_belief",
                    test_a_lie_of_whom_nobody_heeds_ends_no_belief);
    return g_test_run();
}
