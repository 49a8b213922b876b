/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/loss_rate.h"

#include "weir/units.h"

static void losses_within_a_round_trip_are_one_event(void)
{
    struct weir__loss_rate rate = {0};
    int events = 0;
    for (int i = 0; i < 100; i++) { /* every 10 ms for 1 s, RTT 100 ms */
        events += weir__loss_rate_on_lost(&rate, WEIR_MS(10 * i), WEIR_MS(100));
    }
    g_assert_cmpint(events, ==, 10);
}

static void the_share_is_of_the_last_second(void)
{
    struct weir__loss_rate rate = {0};
    for (int i = 0; i <= 50; i++) { /* 100 packets a second, a tenth of them lost until 2.5 s */
        weir__loss_rate_add(&rate, WEIR_MS(100 * i), 10, i <= 25 ? 1 : 0);
    }
    struct weir__loss_share share = weir__loss_rate_get(&rate, WEIR_MS(5000));
    g_assert_cmpint(share.packets, ==, 100);
    g_assert_cmpint(share.lost, ==, 0);
    share = weir__loss_rate_get(&rate, WEIR_SECONDS(60));
    g_assert_cmpint(share.packets, ==, 0);
    weir__loss_rate_add(&rate, WEIR_SECONDS(61), 20, 5);
    share = weir__loss_rate_get(&rate, WEIR_SECONDS(61));
    g_assert_cmpint(share.packets, ==, 20);
    g_assert_cmpint(share.lost, ==, 5);
}

/* Of the last ten: those with losses that were not taken back. */
static void tenths_with_losses_are_counted(void)
{
    struct weir__loss_rate rate = {0};
    for (int i = 0; i < 30; i++) {
        weir__loss_rate_add(&rate, WEIR_MS(100 * i), 10, i % 3 == 0 ? 1 : 0);
        int64_t all = i < 10 ? i / 3 + 1 : 3 + (i % 3 == 0);
        g_assert_cmpint(weir__loss_rate_get(&rate, WEIR_MS(100 * i)).tenths, ==, all);
    }
    weir__loss_rate_add(&rate, WEIR_MS(2950), 0, 5);
    g_assert_cmpint(weir__loss_rate_get(&rate, WEIR_MS(2950)).tenths, ==, 4);
    weir__loss_rate_add(&rate, WEIR_MS(2950), 0, -5);
    g_assert_cmpint(weir__loss_rate_get(&rate, WEIR_MS(2950)).tenths, ==, 3);
    g_assert_cmpint(weir__loss_rate_get(&rate, WEIR_SECONDS(5)).tenths, ==, 0);
}

/* A packet that arrives late after all takes its loss back, and never one too many. */
static void late_packets_take_their_losses_back(void)
{
    struct weir__loss_rate rate = {0};
    weir__loss_rate_add(&rate, WEIR_MS(50), 10, 2);
    weir__loss_rate_add(&rate, WEIR_MS(150), 0, -1);
    g_assert_cmpint(weir__loss_rate_get(&rate, WEIR_MS(150)).lost, ==, 1);
    weir__loss_rate_add(&rate, WEIR_MS(150), 0, -5);
    g_assert_cmpint(weir__loss_rate_get(&rate, WEIR_MS(150)).lost, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/loss-rate/" #name, name)
    ADD(losses_within_a_round_trip_are_one_event);
    ADD(the_share_is_of_the_last_second);
    ADD(tenths_with_losses_are_counted);
    ADD(late_packets_take_their_losses_back);
    return g_test_run();
}
