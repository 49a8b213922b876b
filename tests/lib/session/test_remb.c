/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/remb.h"

#include "test.h"
#include "weir/units.h"

#define HOLD_NS WEIR_SECONDS(5)

static struct weir__remb held(uint32_t ssrc, int64_t bps)
{
    struct weir__remb remb;
    weir__remb_init(&remb);
    g_assert_cmpint(remb.bps, ==, INT64_MAX);
    g_assert_cmpint(weir__remb_end_ns(&remb), ==, WEIR_NEVER_NS);
    g_assert_true(weir__remb_take(&remb, WEIR_SECONDS(1), ssrc, bps));
    return remb;
}

static void test_its_own_bound_moves_and_anothers_only_down(void)
{
    static const struct {
        uint32_t ssrc;
        int64_t bps;
        bool taken;
    } table[] = {
        {1, 2000, true}, {1, 500, true}, {2, 999, true}, {2, 1000, false}, {2, 2000, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        struct weir__remb remb = held(1, 1000);
        g_assert_true(weir__remb_take(&remb, WEIR_SECONDS(2), table[i].ssrc, table[i].bps) ==
                      table[i].taken);
        g_assert_cmpint(remb.bps, ==, table[i].taken ? table[i].bps : 1000);
        g_assert_cmpint(weir__remb_end_ns(&remb), ==,
                        WEIR_SECONDS(table[i].taken ? 2 : 1) + HOLD_NS);
    }
}

static void test_a_bound_ends_after_five_seconds(void)
{
    struct weir__remb remb = held(1, 1000);
    weir__remb_expire(&remb, WEIR_SECONDS(1) + HOLD_NS - 1);
    g_assert_cmpint(remb.bps, ==, 1000);
    weir__remb_expire(&remb, WEIR_SECONDS(1) + HOLD_NS);
    g_assert_cmpint(remb.bps, ==, INT64_MAX);
    g_assert_true(weir__remb_take(&remb, WEIR_SECONDS(9), 2, 5000)); /* whoever comes next */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/remb/its_own_bound_moves_and_anothers_only_down",
                    test_its_own_bound_moves_and_anothers_only_down);
    g_test_add_func("/remb/a_bound_ends_after_five_seconds", test_a_bound_ends_after_five_seconds);
    return g_test_run();
}
