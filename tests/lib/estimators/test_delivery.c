/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/delivery.h"

#include <math.h>

/* n packets of 1250 bytes, sent and arrived with these spacings, the first with delay_ns. */
static void feed(struct weir__delivery *d, int n, int64_t sent_gap_ns, int64_t arrived_gap_ns,
                 int64_t delay_ns)
{
    for (int i = 0; i < n; i++) {
        weir__delivery_on_arrival(d, i * sent_gap_ns, delay_ns + i * arrived_gap_ns, 1250);
    }
}

/* 1250 bytes each 10 ms are 1 Mbit/s. */
static void rates_are_those_of_the_spacings(void)
{
    static const struct {
        int64_t sent_ms, arrived_ms;
        double sent_bps, delivered_bps;
    } rows[] = {{10, 10, 1e6, 1e6}, {10, 20, 1e6, 5e5}, {20, 20, 5e5, 5e5}, {100, 100, 1e5, 1e5}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__delivery d = {0};
        feed(&d, 40, WEIR_MS(rows[i].sent_ms), WEIR_MS(rows[i].arrived_ms), WEIR_MS(30));
        struct weir__delivery_rates rates = weir__delivery_get(&d);
        g_assert_true(rates.known);
        g_assert_cmpfloat(fabs(rates.sent_bps / rows[i].sent_bps - 1.0), <, 1e-9);
        g_assert_cmpfloat(fabs(rates.delivered_bps / rows[i].delivered_bps - 1.0), <, 1e-9);
    }
}

/* The bits of the first burst arrived before the time begins. */
static void a_burst_makes_no_rate_by_itself(void)
{
    struct weir__delivery d = {0};
    for (int frame = 0; frame < 4; frame++) {
        for (int i = 0; i < 7; i++) {
            int64_t at_ns = WEIR_MS(33 * frame) + WEIR_US(100 * i);
            weir__delivery_on_arrival(&d, at_ns, WEIR_MS(20) + at_ns, 1250);
        }
    }
    struct weir__delivery_rates rates = weir__delivery_get(&d);
    g_assert_cmpfloat(fabs(rates.delivered_bps - 7 * 1250 * 8 / 0.033), <, 1.0);
    g_assert_cmpfloat(fabs(rates.sent_bps - rates.delivered_bps), <, 1.0);
}

/* Aggregates of twelve packets after waits of 10 and 50 ms in turns are measured over eight of
 * them, whichever wait was the last. */
static void a_shared_channel_is_measured_over_eight_waits(void)
{
    struct weir__delivery d = {0};
    int64_t at_ns = 0;
    for (int i = 0; i < 40; i++) {
        at_ns += i % 2 ? WEIR_MS(10) : WEIR_MS(50);
        for (int k = 0; k < 12; k++) {
            weir__delivery_on_arrival(&d, at_ns - WEIR_MS(30), at_ns, 1250);
        }
        if (i > 10) {
            double wanted_bps = 12 * 1250 * 8 / 0.030;
            assert_near(weir__delivery_get(&d).delivered_bps / wanted_bps, 1.0, 0.15);
        }
    }
}

static void the_least_delays_are_of_the_newest_40_ms_and_of_the_window(void)
{
    struct weir__delivery d = {0};
    g_assert_cmpint(weir__delivery_newest_delay_ns(&d), ==, WEIR_UNKNOWN_NS);
    feed(&d, 40, WEIR_MS(10), WEIR_MS(11), WEIR_MS(30)); /* delay grows by 1 ms each 11 ms */
    g_assert_cmpint(weir__delivery_newest_delay_ns(&d), ==, WEIR_MS(30 + 39 - 3));
    g_assert_cmpint(weir__delivery_get(&d).least_delay_ns, ==, WEIR_MS(30 + 39 - 9));
}

/* A link of 1 Mbit/s that has 250 kbit/s from the n-th packet before the last on: each then comes
 * 40 ms after the one before, and has waited for 30 ms more. */
static void what_met_a_queue_is_told_apart(void)
{
    for (int n = 0; n <= 5; n++) {
        struct weir__delivery d = {0};
        feed(&d, 40, WEIR_MS(10), WEIR_MS(10), WEIR_MS(30));
        for (int i = 1; i <= n; i++) {
            weir__delivery_on_arrival(&d, WEIR_MS(390 + 10 * i), WEIR_MS(420 + 40 * i), 1250);
        }
        struct weir__delivery_rates rates = weir__delivery_get_queued(&d, WEIR_MS(30 + 10), 1250);
        /* Of the first one 30 ms may be its own service, and three make a rate. */
        g_assert_true(rates.known == (n >= 4));
        if (rates.known) {
            assert_near(rates.delivered_bps, 250e3, 1e-6);
            assert_near(rates.sent_bps, 1e6, 1e-6);
            g_assert_cmpint(rates.least_delay_ns, ==, WEIR_MS(30 + 60));
        }
        g_assert_cmpint(weir__delivery_get(&d).least_delay_ns, ==, WEIR_MS(30));
    }
}

/* Three packets after each wait of a shared channel, which is shorter or longer by turns. */
static void what_a_shared_channel_serves_is_no_queue_yet(void)
{
    static const int64_t longer_ms[] = {0, 15, 25};
    for (size_t i = 0; i < G_N_ELEMENTS(longer_ms); i++) {
        struct weir__delivery d = {0};
        int64_t arrived_ns = 0;
        for (int n = 0; n < 60; n++) {
            arrived_ns += n % 3 == 0 ? WEIR_MS(n % 2 == 0 ? 20 : 20 + longer_ms[i]) : 0;
            weir__delivery_on_arrival(&d, arrived_ns - WEIR_MS(200), arrived_ns, 1250);
        }
        g_assert_true(weir__delivery_get_queued(&d, WEIR_MS(40), 1250).known ==
                      (longer_ms[i] < 20));
    }
}

static void what_met_no_queue_makes_no_rate_of_one(void)
{
    struct weir__delivery d = {0};
    g_assert_false(weir__delivery_get_queued(&d, 0, 1250).known);
    feed(&d, 40, WEIR_MS(10), WEIR_MS(10), WEIR_MS(30));
    g_assert_false(weir__delivery_get_queued(&d, WEIR_MS(30), 1250).known);
    g_assert_true(weir__delivery_get_queued(&d, WEIR_MS(10), 1250).known);
}

static void one_group_makes_no_rate(void)
{
    struct weir__delivery d = {0};
    feed(&d, 7, WEIR_US(100), WEIR_US(100), 0);
    g_assert_false(weir__delivery_get(&d).known);
}

/* Small steps back are packets out of order; a second is another clock. */
static void a_clock_that_steps_back_begins_anew(void)
{
    struct weir__delivery d = {0};
    feed(&d, 20, WEIR_MS(10), WEIR_MS(10), WEIR_SECONDS(5));
    g_assert_false(weir__delivery_on_arrival(&d, WEIR_MS(195), WEIR_MS(5170), 1250));
    g_assert_true(weir__delivery_get(&d).known);
    g_assert_true(weir__delivery_on_arrival(&d, WEIR_MS(200), WEIR_MS(4000), 1250));
    g_assert_false(weir__delivery_get(&d).known);
    g_assert_cmpint(weir__delivery_newest_delay_ns(&d), ==, WEIR_MS(3800));
}

/* Whatever the order and spacing: known rates are positive and finite. */
static void rates_are_finite(void)
{
    uint64_t random = 1;
    struct weir__delivery d = {0};
    for (int i = 0; i < 200000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        int64_t jitter_ns = (int64_t)(random >> 40) * 20;
        int64_t at_ns = (int64_t)i * WEIR_US(300);
        weir__delivery_on_arrival(&d, at_ns - (int64_t)(random >> 60) * WEIR_MS(3),
                                  at_ns + jitter_ns, 1 + (int64_t)(random >> 53));
        struct weir__delivery_rates rates = weir__delivery_get(&d);
        g_assert_true(!rates.known || (rates.delivered_bps > 0.0 && isfinite(rates.delivered_bps) &&
                                       rates.sent_bps > 0.0 && isfinite(rates.sent_bps)));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/delivery/" #name, name)
    ADD(rates_are_those_of_the_spacings);
    ADD(a_burst_makes_no_rate_by_itself);
    ADD(a_shared_channel_is_measured_over_eight_waits);
    ADD(the_least_delays_are_of_the_newest_40_ms_and_of_the_window);
    ADD(what_met_a_queue_is_told_apart);
    ADD(what_a_shared_channel_serves_is_no_queue_yet);
    ADD(what_met_no_queue_makes_no_rate_of_one);
    ADD(one_group_makes_no_rate);
    ADD(a_clock_that_steps_back_begins_anew);
    ADD(rates_are_finite);
    return g_test_run();
}
