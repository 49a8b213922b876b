/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What counts of codepoints tell of the packets between two reports, and which cannot be true. */
#include "session/ecn_sums.h"

#include <glib.h>

#include "weir/ecn.h"

static struct weir__ecn_feedback report(uint32_t ect0, uint16_t ce, uint16_t not_ect)
{
    return (struct weir__ecn_feedback){
        .sender_ssrc = 7,
        .counts = {.ect0_packets = ect0, .ce_packets = ce, .not_ect_packets = not_ect}};
}

static void test_the_first_report_is_a_base(void)
{
    struct weir__ecn_sums sums = {0};
    struct weir__ecn_arrivals arrivals;
    struct weir__ecn_feedback first = report(UINT32_MAX, UINT16_MAX, 3);
    g_assert_cmpint(weir__ecn_sums_on_feedback(&sums, &first, 50, &arrivals), ==, WEIR_OK);
    for (int i = 0; i < 4; i++) {
        g_assert_cmpuint(arrivals.packets[i], ==, 0);
    }
    struct weir__ecn_feedback wrapped = report(8, 1, 3);
    g_assert_cmpint(weir__ecn_sums_on_feedback(&sums, &wrapped, 61, &arrivals), ==, WEIR_OK);
    g_assert_cmpint(arrivals.first_seq, ==, 51);
    g_assert_cmpint(arrivals.last_seq, ==, 61);
    g_assert_cmpuint(arrivals.packets[WEIR_ECN_ECT0], ==, 9);
    g_assert_cmpuint(arrivals.packets[WEIR_ECN_CE], ==, 2);
    g_assert_cmpuint(arrivals.packets[WEIR_ECN_NOT_ECT], ==, 0);
}

/* After 100 packets up to number 200 of the history; and what follows continues what was told. */
static void test_what_cannot_be_is_not_believed(void)
{
    static const struct {
        const char *what;
        struct weir__ecn_counts counts;
        int64_t seq;
        enum weir_status status;
    } rows[] = {
        {"all of ten packets", {.ect0_packets = 110}, 210, WEIR_OK},
        {"nothing new", {.ect0_packets = 100}, 200, WEIR_OK},
        {"late ones too", {.ect0_packets = 210}, 210, WEIR_OK},
        {"more than were sent", {.ect0_packets = 211}, 210, WEIR_ERROR_REJECTED},
        {"more marks than were sent",
         {.ect0_packets = 100, .ce_packets = 5000},
         210,
         WEIR_ERROR_REJECTED},
        {"counts that went back", {.ect0_packets = 99}, 210, WEIR_ERROR_REJECTED},
        {"a number that went back", {.ect0_packets = 100}, 199, WEIR_ERROR_REJECTED},
        {"all at once", {UINT32_MAX, UINT32_MAX, 1, 1, 0, 0}, 210, WEIR_ERROR_REJECTED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__ecn_sums sums = {0};
        struct weir__ecn_arrivals arrivals = {.first_seq = -1};
        struct weir__ecn_feedback feedback = report(100, 0, 0);
        weir__ecn_sums_on_feedback(&sums, &feedback, 200, &arrivals);
        arrivals.first_seq = -1;
        feedback.counts = rows[i].counts;
        g_test_message("%s", rows[i].what);
        g_assert_cmpint(weir__ecn_sums_on_feedback(&sums, &feedback, rows[i].seq, &arrivals), ==,
                        rows[i].status);
        g_assert_cmpint(arrivals.first_seq, ==, rows[i].status == WEIR_OK ? 201 : -1);
        feedback.counts.ect0_packets += 10;
        g_assert_cmpint(weir__ecn_sums_on_feedback(&sums, &feedback, rows[i].seq + 10, &arrivals),
                        ==, WEIR_OK);
        g_assert_cmpuint(arrivals.packets[WEIR_ECN_ECT0], ==, 10);
    }
}

static void test_another_receiver_is_another_base(void)
{
    struct weir__ecn_sums sums = {0};
    struct weir__ecn_arrivals arrivals;
    struct weir__ecn_feedback feedback = report(100, 0, 0);
    weir__ecn_sums_on_feedback(&sums, &feedback, 200, &arrivals);
    feedback = report(3, 2, 1);
    feedback.sender_ssrc = 8;
    g_assert_cmpint(weir__ecn_sums_on_feedback(&sums, &feedback, 210, &arrivals), ==, WEIR_OK);
    g_assert_cmpuint(arrivals.packets[WEIR_ECN_CE], ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ecn_sums/the_first_report_is_a_base", test_the_first_report_is_a_base);
    g_test_add_func("/ecn_sums/what_cannot_be_is_not_believed",
                    test_what_cannot_be_is_not_believed);
    g_test_add_func("/ecn_sums/another_receiver_is_another_base",
                    test_another_receiver_is_another_base);
    return g_test_run();
}
