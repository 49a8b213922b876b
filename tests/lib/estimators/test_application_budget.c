/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/application_budget.h"

#include "weir/units.h"

/* Sends a share of 1 Mbit/s for a while, in packets of 1250 bytes. */
static int64_t send_share(struct weir__application_budget *budget, int64_t from_ns, double share,
                          int64_t duration_ns)
{
    int64_t gap_ns = (int64_t)(1e7 / share);
    int64_t at_ns = from_ns;
    for (; at_ns < from_ns + duration_ns; at_ns += gap_ns) {
        weir__application_budget_on_sent(budget, at_ns, 1250, 1e6);
    }
    return at_ns;
}

/* The region begins when 0.8 of half a second of 0.65 of the rate are unused. */
static void shares_below_065_are_a_limit_in_time(void)
{
    static const struct {
        double share;
        bool limited;
    } rows[] = {{1.0, false}, {0.7, false}, {0.6, true}, {0.3, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__application_budget budget = {0};
        send_share(&budget, 0, rows[i].share, WEIR_SECONDS(10));
        g_assert_true(budget.limited == rows[i].limited);
    }
}

static void the_region_begins_and_ends_with_the_budget(void)
{
    struct weir__application_budget budget = {0};
    int64_t at_ns = send_share(&budget, 0, 1.0, WEIR_SECONDS(2));
    g_assert_false(budget.limited);
    at_ns = send_share(&budget, at_ns, 0.325, WEIR_MS(1500)); /* from -1 by 1 per second */
    g_assert_false(budget.limited);
    at_ns = send_share(&budget, at_ns, 0.325, WEIR_MS(500));
    g_assert_true(budget.limited);
    at_ns = send_share(&budget, at_ns, 1.3, WEIR_MS(150));
    g_assert_true(budget.limited);
    send_share(&budget, at_ns, 1.3, WEIR_MS(150));
    g_assert_false(budget.limited);
}

/* A pause fills the budget, and no more. */
static void a_pause_is_a_limit_of_the_application(void)
{
    struct weir__application_budget budget = {0};
    int64_t at_ns = send_share(&budget, 0, 1.0, WEIR_SECONDS(2));
    weir__application_budget_on_sent(&budget, at_ns + WEIR_SECONDS(3600), 1250, 1e6);
    g_assert_true(budget.limited);
    assert_near(budget.bytes, 0.5 * 0.65e6 / 8.0, 1e-6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/application_budget/" #name, name)
    ADD(shares_below_065_are_a_limit_in_time);
    ADD(the_region_begins_and_ends_with_the_budget);
    ADD(a_pause_is_a_limit_of_the_application);
    return g_test_run();
}
