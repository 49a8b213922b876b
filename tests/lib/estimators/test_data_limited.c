/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two time stamps of RFC 5348 8.2.1, against a plain list of all moments without a data limit.
 */
#include "../../test.h"
#include "estimators/data_limited.h"
#include "weir/units.h"

#define R_NS WEIR_MS(100)

static void a_flow_that_never_fills_its_rate_is_data_limited(void)
{
    struct weir__data_limited state;
    weir__data_limited_init(&state);
    for (int64_t i = 0; i < 50; i++) {
        weir__data_limited_on_sent(&state, i * WEIR_MS(20), false);
        g_assert_true(
            weir__data_limited_on_feedback(&state, i * WEIR_MS(20) + R_NS, i * WEIR_MS(20), R_NS));
    }
}

static void a_flow_that_always_fills_its_rate_is_not(void)
{
    struct weir__data_limited state;
    weir__data_limited_init(&state);
    int64_t reported = 0;
    for (int64_t ms = 0; ms < 3000; ms += 10) {
        weir__data_limited_on_sent(&state, WEIR_MS(ms), true);
        if (ms >= 100 && ms % 100 == 0) {
            reported = ms - 100;
            g_assert_false(
                weir__data_limited_on_feedback(&state, WEIR_MS(ms), WEIR_MS(reported), R_NS));
        }
    }
}

/* One moment at 250 ms: only the interval that contains it is not data-limited. */
static void one_moment_counts_for_its_interval_alone(void)
{
    struct weir__data_limited state;
    weir__data_limited_init(&state);
    for (int64_t ms = 0; ms < 1500; ms += 10) {
        weir__data_limited_on_sent(&state, WEIR_MS(ms), ms == 250);
        if (ms >= 100 && ms % 100 == 0) {
            int64_t sent_ms = ms - 100;
            bool limited =
                weir__data_limited_on_feedback(&state, WEIR_MS(ms), WEIR_MS(sent_ms), R_NS);
            g_assert_true(limited == !(sent_ms - 100 < 250 && 250 <= sent_ms));
        }
    }
}

/* With feedback once per R the two stamps never call an interval network-limited that holds no
 * such moment. */
static void no_false_alarm_in_random_flows(void)
{
    guint32 seed = 821;
    g_test_message("seed %u", seed);
    GRand *rand = g_rand_new_with_seed(seed);
    for (int round = 0; round < 500; round++) {
        struct weir__data_limited state;
        bool moments[2000] = {false};
        weir__data_limited_init(&state);
        double chance = round % 2 ? 0.02 : 0.5;
        for (int64_t ms = 0; ms < 2000; ms++) {
            if (ms % 7 == 0) {
                moments[ms] = g_rand_double(rand) < chance;
                weir__data_limited_on_sent(&state, WEIR_MS(ms), moments[ms]);
            }
            if (ms >= 300 && ms % 100 == 0) {
                int64_t sent_ms = (ms - 100) / 7 * 7;
                bool any = false;
                for (int64_t at = sent_ms - 99; at <= sent_ms; at++) {
                    any = any || moments[at];
                }
                bool limited =
                    weir__data_limited_on_feedback(&state, WEIR_MS(ms), WEIR_MS(sent_ms), R_NS);
                g_assert_true(limited || any);
            }
        }
    }
    g_rand_free(rand);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/data_limited/" #name, name)
    ADD(a_flow_that_never_fills_its_rate_is_data_limited);
    ADD(a_flow_that_always_fills_its_rate_is_not);
    ADD(one_moment_counts_for_its_interval_alone);
    ADD(no_false_alarm_in_random_flows);
    return g_test_run();
}
