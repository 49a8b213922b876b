/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/acked_rate.h"

#include <math.h>

/* n packets of 1250 bytes with these spacings; 1250 bytes each 10 ms are 1 Mbit/s. */
static void feed(struct weir__acked_rate *a, int n, int64_t sent_gap_ns, int64_t arrived_gap_ns,
                 int64_t from_ns)
{
    for (int i = 0; i < n; i++) {
        weir__acked_rate_add(a, from_ns + i * sent_gap_ns, from_ns + i * arrived_gap_ns, 1250);
    }
}

static void the_rate_is_that_of_the_spacing(void)
{
    static const struct {
        double sent_ms, arrived_ms, bps;
    } rows[] = {{10, 10, 1e6},   {10, 20, 5e5},   {20, 10, 5e5},  {1, 1, 1e7},
                {0.2, 0.2, 5e7}, {100, 100, 1e5}, {200, 200, 5e4}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__acked_rate a = {0};
        feed(&a, 9, (int64_t)(rows[i].sent_ms * 1e6), (int64_t)(rows[i].arrived_ms * 1e6), 0);
        g_assert_cmpfloat(weir__acked_rate_bps(&a), ==, 0.0);
        a = (struct weir__acked_rate){0};
        feed(&a, 3000, (int64_t)(rows[i].sent_ms * 1e6), (int64_t)(rows[i].arrived_ms * 1e6), 0);
        g_test_message("row %d: %g", (int)i, weir__acked_rate_bps(&a));
        assert_near(weir__acked_rate_bps(&a) / rows[i].bps, 1.0, 1e-3);
    }
}

/* A pause of 300 ms of the path, and what waited comes at once: hardly a difference. */
static void one_pause_does_not_count(void)
{
    struct weir__acked_rate a = {0};
    for (int i = 0; i < 150; i++) {
        int64_t sent_ns = WEIR_MS(10 * i);
        bool waits = i >= 110 && i < 140;
        weir__acked_rate_add(&a, sent_ns, waits ? WEIR_MS(1400) : sent_ns, 1250);
    }
    assert_near(weir__acked_rate_bps(&a), 1e6, 1e-3);
}

/* A second is enough, and 20 packets are wanted, but nothing is older than 5 s. */
static void the_window_has_a_second_or_20_packets(void)
{
    struct weir__acked_rate a = {0};
    feed(&a, 300, WEIR_MS(10), WEIR_MS(10), 0);
    feed(&a, 102, WEIR_MS(20), WEIR_MS(20), WEIR_SECONDS(3));
    assert_near(weir__acked_rate_bps(&a), 5e5, 1.0);
    feed(&a, 20, WEIR_MS(100), WEIR_MS(100), WEIR_MS(5040 + 60));
    g_assert_cmpint(a.packets, ==, 20);
    feed(&a, 20, WEIR_SECONDS(1), WEIR_SECONDS(1), WEIR_SECONDS(20));
    g_assert_cmpint(a.packets, ==, 6);
    g_assert_cmpfloat(weir__acked_rate_bps(&a), ==, 0.0);
}

/* The newest second has many groups at whatever rate, and they always fit. */
static void groups_fit_at_any_rate(void)
{
    for (int64_t gap_ns = WEIR_US(50); gap_ns < WEIR_MS(200); gap_ns = gap_ns * 11 / 10) {
        struct weir__acked_rate a = {0};
        int n = (int)(WEIR_SECONDS(3) / gap_ns) + 40;
        feed(&a, n, gap_ns, gap_ns, 0);
        int64_t span_ns = (a.packets - 1) * gap_ns;
        g_assert_true(span_ns >= WEIR__ACKED_LEAST_NS - WEIR__ACKED_GROUP_NS - gap_ns);
        g_assert_cmpint(a.packets, >=, WEIR__ACKED_LEAST);
        g_assert_cmpint(a.n, <, WEIR__ACKED_GROUPS);
    }
}

static void a_clock_that_steps_back_begins_anew(void)
{
    struct weir__acked_rate a = {0};
    feed(&a, 50, WEIR_MS(10), WEIR_MS(10), WEIR_SECONDS(9));
    weir__acked_rate_add(&a, WEIR_MS(9500), WEIR_MS(8480), 1250);
    g_assert_cmpfloat(weir__acked_rate_bps(&a), ==, 0.0);
    g_assert_cmpint(a.packets, ==, 1);
}

/* Whatever the order and spacing: finite, not negative. */
static void rates_are_finite(void)
{
    uint64_t random = 1;
    struct weir__acked_rate a = {0};
    for (int i = 0; i < 200000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        int64_t jitter_ns = (int64_t)(random >> 40) * 20;
        int64_t at_ns = (int64_t)i * WEIR_US(300);
        weir__acked_rate_add(&a, at_ns - (int64_t)(random >> 60) * WEIR_MS(3), at_ns + jitter_ns,
                             1 + (int64_t)(random >> 53));
        double bps = weir__acked_rate_bps(&a);
        g_assert_true(bps >= 0.0 && isfinite(bps));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/acked_rate/" #name, name)
    ADD(the_rate_is_that_of_the_spacing);
    ADD(one_pause_does_not_count);
    ADD(the_window_has_a_second_or_20_packets);
    ADD(groups_fit_at_any_rate);
    ADD(a_clock_that_steps_back_begins_anew);
    ADD(rates_are_finite);
    return g_test_run();
}
