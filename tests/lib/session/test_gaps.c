/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/gaps.h"

#include "test.h"

static void test_only_the_gaps_before_a_number_count(void)
{
    struct weir__gaps gaps = {0};
    g_assert_cmpuint(weir__gaps_before(&gaps, 70000), ==, 0);
    weir__gaps_add(&gaps, 110, 5);
    weir__gaps_add(&gaps, 112, 1);
    weir__gaps_add(&gaps, 3112, 2999);
    static const struct {
        int64_t rtp;
        uint32_t skipped;
    } cases[] = {{0, 0},   {104, 0},  {109, 0},     {110, 5},    {111, 5},
                 {112, 6}, {3111, 6}, {3112, 3005}, {9000, 3005}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpuint(weir__gaps_before(&gaps, cases[i].rtp), ==, cases[i].skipped);
    }
}

/* Against a plain list of every number, over all low bits there are; also when the numbers asked
 * for are older than the ring. */
static void test_differences_add_up_to_what_was_skipped(void)
{
    static const int64_t lags[] = {0, 10, 100, 1000};
    for (size_t l = 0; l < G_N_ELEMENTS(lags); l++) {
        struct weir__gaps gaps = {0};
        int64_t rtp = 0xffffffffLL - 5000;
        uint32_t skipped = 0, told = 0;
        for (int i = 0; i < 20000; i++) {
            uint32_t gap = i % 7 == 0 ? (uint32_t)(i % 5) : 0;
            rtp += 1 + gap;
            skipped += gap;
            if (gap > 0) {
                weir__gaps_add(&gaps, rtp, gap);
            }
            uint32_t before = weir__gaps_before(&gaps, rtp - lags[l]);
            g_assert_cmpuint(before, >=, told);
            g_assert_cmpuint(before, <=, skipped);
            told = before;
        }
        g_assert_cmpuint(weir__gaps_before(&gaps, rtp), ==, skipped);
        /* What is within the ring is told exactly. */
        if (lags[l] <= 100) {
            g_assert_cmpuint(skipped - told, <=, (uint32_t)lags[l]);
        }
    }
}

static void test_a_number_sent_late_is_no_longer_missing(void)
{
    struct weir__gaps gaps = {0};
    weir__gaps_add(&gaps, 110, 2);
    weir__gaps_add(&gaps, 120, 3);
    weir__gaps_fill(&gaps, 108);
    g_assert_cmpuint(weir__gaps_before(&gaps, 110), ==, 1);
    g_assert_cmpuint(weir__gaps_before(&gaps, 120), ==, 4);
    weir__gaps_fill(&gaps, 118);
    g_assert_cmpuint(weir__gaps_before(&gaps, 110), ==, 1);
    g_assert_cmpuint(weir__gaps_before(&gaps, 120), ==, 3);
    /* nothing of that gap is missing any more, nor behind the newest */
    weir__gaps_fill(&gaps, 109);
    weir__gaps_fill(&gaps, 109);
    weir__gaps_fill(&gaps, 121);
    g_assert_cmpuint(weir__gaps_before(&gaps, 110), ==, 0);
    g_assert_cmpuint(weir__gaps_before(&gaps, 120), ==, 2);
}

static void test_the_oldest_gaps_can_be_filled_no_more(void)
{
    struct weir__gaps gaps = {0};
    for (int64_t i = 1; i <= 2 * WEIR__GAPS; i++) {
        weir__gaps_add(&gaps, 10 * i, 1);
    }
    for (int i = 0; i < 5; i++) {
        weir__gaps_fill(&gaps, 5);
    }
    /* only the one of the gap that comes first */
    g_assert_cmpuint(weir__gaps_before(&gaps, 10 * WEIR__GAPS), ==, WEIR__GAPS);
    g_assert_cmpuint(weir__gaps_before(&gaps, 20 * WEIR__GAPS), ==, 2 * WEIR__GAPS - 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gaps/only_the_gaps_before_a_number_count",
                    test_only_the_gaps_before_a_number_count);
    g_test_add_func("/gaps/differences_add_up_to_what_was_skipped",
                    test_differences_add_up_to_what_was_skipped);
    g_test_add_func("/gaps/a_number_sent_late_is_no_longer_missing",
                    test_a_number_sent_late_is_no_longer_missing);
    g_test_add_func("/gaps/the_oldest_gaps_can_be_filled_no_more",
                    test_the_oldest_gaps_can_be_filled_no_more);
    return g_test_run();
}
