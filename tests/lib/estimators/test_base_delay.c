/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/base_delay.h"

static void nothing_is_known_before_the_first_sample(void)
{
    struct weir__base_delay base = {0};
    g_assert_cmpint(weir__base_delay_ns(&base), ==, WEIR_UNKNOWN_NS);
}

/* A least delay is believed for one window at least and two at most, whatever the clocks' offset.
 */
static void a_least_delay_lasts_30_to_60_s(void)
{
    static const int64_t offsets_ns[] = {0, WEIR_SECONDS(86400), -WEIR_SECONDS(86400)};
    for (size_t i = 0; i < G_N_ELEMENTS(offsets_ns); i++) {
        struct weir__base_delay base = {0};
        int64_t low_ns = offsets_ns[i] + WEIR_MS(20);
        int64_t high_ns = offsets_ns[i] + WEIR_MS(50);
        weir__base_delay_sample(&base, 0, low_ns);
        for (int64_t s = 1; s < 30; s++) {
            weir__base_delay_sample(&base, WEIR_SECONDS(s), high_ns);
            g_assert_cmpint(weir__base_delay_ns(&base), ==, low_ns);
        }
        for (int64_t s = 30; s <= 60; s++) {
            weir__base_delay_sample(&base, WEIR_SECONDS(s), high_ns);
        }
        g_assert_cmpint(weir__base_delay_ns(&base), ==, high_ns);
    }
}

static void a_longer_path_raises_both_windows(void)
{
    struct weir__base_delay base = {0};
    weir__base_delay_sample(&base, 0, WEIR_MS(20));
    weir__base_delay_raise(&base, WEIR_MS(40));
    g_assert_cmpint(weir__base_delay_ns(&base), ==, WEIR_MS(60));
    weir__base_delay_sample(&base, WEIR_SECONDS(31), WEIR_MS(70));
    weir__base_delay_raise(&base, WEIR_MS(1));
    g_assert_cmpint(weir__base_delay_ns(&base), ==, WEIR_MS(61));
}

/* A clock that ran 1000 ppm fast showed a sample of 10 s ago 10 ms too early for today's. */
static void what_was_measured_follows_the_drift_by_its_age(void)
{
    struct weir__base_delay base = {0};
    weir__base_delay_sample(&base, 0, WEIR_MS(20));
    weir__base_delay_on_drift(&base, WEIR_SECONDS(10), 1e-3);
    g_assert_cmpint(weir__base_delay_ns(&base), ==, WEIR_MS(30));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/base_delay/" #name, name)
    ADD(nothing_is_known_before_the_first_sample);
    ADD(a_least_delay_lasts_30_to_60_s);
    ADD(a_longer_path_raises_both_windows);
    ADD(what_was_measured_follows_the_drift_by_its_age);
    return g_test_run();
}
