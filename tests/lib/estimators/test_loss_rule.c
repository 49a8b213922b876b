/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/loss_rule.h"

#define RTT_NS WEIR_MS(100)

static void less_than_2_percent_raises_more_than_10_lowers(void)
{
    static const struct {
        int64_t lost;
        double rate_bps;
    } rows[] = {{0, 1081000.0},  {20, 1081000.0}, {21, 1e6},       {100, 1e6},
                {101, 949500.0}, {400, 800000.0}, {1000, 500000.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__loss_rule rule;
        weir__loss_rule_init(&rule, 1e6);
        weir__loss_rule_update(&rule, 1000, rows[i].lost, RTT_NS, 1e9, 0);
        assert_near(rule.rate_bps, rows[i].rate_bps, 1e-6);
    }
}

/* Often as reports may come: 8 % per second, and a decrease per 300 ms and round trip. */
static void steps_keep_their_distance(void)
{
    struct weir__loss_rule rule;
    weir__loss_rule_init(&rule, 1e6);
    for (int i = 0; i < 20; i++) { /* 2 s */
        weir__loss_rule_update(&rule, 100, 0, RTT_NS, 1e9, WEIR_MS(100 * i));
    }
    assert_near(rule.rate_bps, 1.08 * 1081000.0 + 1000.0, 1e-6);
    double before_bps = rule.rate_bps;
    for (int i = 0; i < 8; i++) { /* 800 ms, a decrease each 400 */
        weir__loss_rule_update(&rule, 100, 50, RTT_NS, 1e9, WEIR_MS(5000 + 100 * i));
    }
    assert_near(rule.rate_bps, 0.75 * 0.75 * before_bps, 1e-6);
}

static void a_few_packets_are_gathered(void)
{
    struct weir__loss_rule rule;
    weir__loss_rule_init(&rule, 1e6);
    for (int i = 1; i <= 3; i++) {
        weir__loss_rule_update(&rule, 5, 1, RTT_NS, 1e9, WEIR_SECONDS(i));
        g_assert_cmpfloat(rule.rate_bps, ==, 1e6);
    }
    weir__loss_rule_update(&rule, 5, 1, RTT_NS, 1e9, WEIR_SECONDS(4));
    assert_near(rule.rate_bps, 900000.0, 1e-6);
    assert_near(rule.loss_ratio, 0.2, 1e-12);
}

static void the_maximum_ends_growth(void)
{
    struct weir__loss_rule rule;
    weir__loss_rule_init(&rule, 1e6);
    for (int i = 0; i < 100; i++) {
        weir__loss_rule_update(&rule, 100, 0, RTT_NS, 2e6, WEIR_SECONDS(i));
    }
    g_assert_cmpfloat(rule.rate_bps, ==, 2e6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/loss_rule/" #name, name)
    ADD(less_than_2_percent_raises_more_than_10_lowers);
    ADD(steps_keep_their_distance);
    ADD(a_few_packets_are_gathered);
    ADD(the_maximum_ends_growth);
    return g_test_run();
}
