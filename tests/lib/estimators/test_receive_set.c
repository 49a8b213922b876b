/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_recv_set: infinity as a flag, the three newest, the maximum. */
#include "../../test.h"
#include "estimators/receive_set.h"
#include "weir/units.h"

static void begins_with_infinity_that_is_never_halved(void)
{
    struct weir__receive_set set;
    weir__receive_set_init(&set, 0);
    g_assert_true(weir__receive_set_is_infinite(&set));
    assert_near(weir__receive_set_max(&set), 0.0, 1e-12);
    weir__receive_set_scale(&set, 0.5);
    g_assert_true(weir__receive_set_is_infinite(&set));
}

/* In the set until it is more than 2R old. */
static void infinity_lasts_two_round_trips(void)
{
    struct weir__receive_set set;
    weir__receive_set_init(&set, 0);
    weir__receive_set_update(&set, 10.0, WEIR_MS(100), WEIR_MS(200));
    weir__receive_set_update(&set, 20.0, WEIR_MS(200), WEIR_MS(200));
    g_assert_true(weir__receive_set_is_infinite(&set));
    weir__receive_set_update(&set, 5.0, WEIR_MS(201), WEIR_MS(200));
    g_assert_false(weir__receive_set_is_infinite(&set));
    assert_near(weir__receive_set_max(&set), 20.0, 1e-12);
}

static void update_keeps_the_three_newest(void)
{
    struct weir__receive_set set;
    weir__receive_set_init(&set, 0);
    for (int i = 1; i <= 5; i++) {
        weir__receive_set_update(&set, 100.0 / i, WEIR_MS(i), WEIR_SECONDS(1));
        g_assert_cmpuint(set.n, <=, 3);
    }
    assert_near(weir__receive_set_max(&set), 100.0 / 3, 1e-12);
}

static void update_drops_what_is_too_old(void)
{
    struct weir__receive_set set;
    weir__receive_set_assign(&set, 100.0, 0);
    weir__receive_set_update(&set, 1.0, WEIR_MS(200), WEIR_MS(200));
    assert_near(weir__receive_set_max(&set), 100.0, 1e-12);
    weir__receive_set_update(&set, 2.0, WEIR_MS(201), WEIR_MS(200));
    assert_near(weir__receive_set_max(&set), 2.0, 1e-12);
}

static void maximize_keeps_only_the_largest_as_of_now(void)
{
    struct weir__receive_set set;
    weir__receive_set_init(&set, 0);
    weir__receive_set_update(&set, 50.0, WEIR_MS(1), WEIR_SECONDS(1));
    weir__receive_set_maximize(&set, 30.0, WEIR_MS(2));
    g_assert_false(weir__receive_set_is_infinite(&set));
    g_assert_cmpuint(set.n, ==, 1);
    assert_near(weir__receive_set_max(&set), 50.0, 1e-12);
    g_assert_cmpint(set.entries[0].at_ns, ==, WEIR_MS(2));
    weir__receive_set_maximize(&set, 70.0, WEIR_MS(3));
    assert_near(weir__receive_set_max(&set), 70.0, 1e-12);
}

/* {100}, X_recv 10 each R, twice the maximum: 200, then 170, 144.5, 122.8, 104.4, at last 20. */
static void decay_follows_appendix_c(void)
{
    static const double limits[] = {170.0, 144.5, 122.825, 104.40125};
    struct weir__receive_set set;
    weir__receive_set_assign(&set, 100.0, 0);
    for (int i = 0; i < 60; i++) {
        weir__receive_set_scale(&set, 0.85);
        weir__receive_set_maximize(&set, 10.0, WEIR_MS(100) * (i + 1));
        if (i < 4) {
            assert_near(2.0 * weir__receive_set_max(&set), limits[i], 1e-9);
        }
    }
    assert_near(2.0 * weir__receive_set_max(&set), 20.0, 1e-12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/receive_set/" #name, name)
    ADD(begins_with_infinity_that_is_never_halved);
    ADD(infinity_lasts_two_round_trips);
    ADD(update_keeps_the_three_newest);
    ADD(update_drops_what_is_too_old);
    ADD(maximize_keeps_only_the_largest_as_of_now);
    ADD(decay_follows_appendix_c);
    return g_test_run();
}
