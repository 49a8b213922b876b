/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/counts.h"
#include "test.h"
#include <string.h>

/* All that is counted, each with a value of its own; a field that is forgotten shows. */
static struct lab_counts numbered(int64_t step)
{
    return (struct lab_counts){.meter = {.generated_packets = 1 * step,
                                         .generated_bytes = 2 * step,
                                         .discarded_packets = 3 * step,
                                         .sent_packets = 4 * step,
                                         .sent_bytes = 5 * step,
                                         .resent_packets = 6 * step,
                                         .received_packets = 7 * step,
                                         .received_bytes = 8 * step,
                                         .goodput_bytes = 9 * step,
                                         .delay_sum_ns = (double)(10 * step),
                                         .mouth_to_ear_sum_ns = (double)(11 * step),
                                         .heard_packets = 12 * step,
                                         .feedback_packets = 13 * step,
                                         .feedback_bytes = 14 * step,
                                         .feedback_refused_packets = 15 * step,
                                         .timeouts = 16 * step,
                                         .recoveries = 17 * step,
                                         .marked_packets = 28 * step},
                               .route = {.offered_packets = 18 * step,
                                         .offered_bytes = 19 * step,
                                         .delivered_packets = 20 * step,
                                         .delivered_bytes = 21 * step,
                                         .dropped_packets = 22 * step,
                                         .dropped_bytes = 23 * step,
                                         .lost_packets = 24 * step,
                                         .lost_bytes = 25 * step,
                                         .duplicated_packets = 26 * step,
                                         .duplicated_bytes = 27 * step}};
}

static void check_same(const struct lab_counts *a, const struct lab_counts *b)
{
    g_assert_cmpint(memcmp(a, b, sizeof *a), ==, 0);
}

static void test_every_count_is_added_and_subtracted(void)
{
    struct lab_counts sum = numbered(1000);
    struct lab_counts more = numbered(30);
    struct lab_counts both = numbered(1030);
    struct lab_counts before = numbered(1000);
    lab_counts_add(&sum, &more);
    check_same(&sum, &both);
    lab_counts_subtract(&sum, &more);
    check_same(&sum, &before);
}

/* Instants and histograms belong to the later of the two. */
static void test_what_is_no_count_stays(void)
{
    struct weir__histogram histogram;
    struct lab_counts now = {
        .meter = {.completed_ns = 5, .counted_from_ns = 6, .delay = &histogram}};
    struct lab_counts start = {.meter = {.completed_ns = 1, .counted_from_ns = 2}};
    lab_counts_subtract(&now, &start);
    g_assert_cmpint(now.meter.completed_ns, ==, 5);
    g_assert_cmpint(now.meter.counted_from_ns, ==, 6);
    g_assert_true(now.meter.delay == &histogram);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/counts/every_count_is_added_and_subtracted",
                    test_every_count_is_added_and_subtracted);
    g_test_add_func("/counts/what_is_no_count_stays", test_what_is_no_count_stays);
    return g_test_run();
}
