/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/mark_share.h"
#include "weir/units.h"

#define RTT_NS WEIR_MS(50)

/* A round trip in which so many of ten packets are marked. */
static void pass_round(struct weir__mark_share *share, int64_t round, int marked)
{
    for (int i = 0; i < 10; i++) {
        weir__mark_share_on_packet(share, i < marked);
    }
    weir__mark_share_step(share, round * RTT_NS, RTT_NS);
}

/* RFC 8257 3.3: alpha = 15/16 alpha + 1/16 of the share. */
static void test_share_is_smoothed_over_sixteen_round_trips(void)
{
    struct weir__mark_share share = {0};
    pass_round(&share, 1, 0);
    assert_near(share.alpha, 0.0, 1e-12);
    pass_round(&share, 2, 4); /* the first marks are taken as they are */
    assert_near(share.alpha, 0.4, 1e-12);
    pass_round(&share, 3, 0);
    assert_near(share.alpha, 0.375, 1e-12);
    pass_round(&share, 4, 10);
    assert_near(share.alpha, 0.4140625, 1e-12);
}

static void test_feedback_within_a_round_trip_counts_together(void)
{
    struct weir__mark_share share = {0};
    pass_round(&share, 1, 4);
    for (int i = 1; i <= 5; i++) {
        weir__mark_share_on_packet(&share, i <= 2);
        weir__mark_share_step(&share, RTT_NS + i * RTT_NS / 5, RTT_NS);
    }
    assert_near(share.alpha, 0.4, 1e-12); /* 2 of 5 again */
    weir__mark_share_step(&share, 9 * RTT_NS, RTT_NS);
    assert_near(share.alpha, 0.4, 1e-12); /* no packets, nothing to learn */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mark_share/share_is_smoothed_over_sixteen_round_trips",
                    test_share_is_smoothed_over_sixteen_round_trips);
    g_test_add_func("/mark_share/feedback_within_a_round_trip_counts_together",
                    test_feedback_within_a_round_trip_counts_together);
    return g_test_run();
}
