/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data-limited intervals, against a plain list of all moments without a data limit. */
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
        g_assert_true(weir__data_limited_on_feedback(&state, i * WEIR_MS(20), R_NS));
    }
}

/* However the feedback is spaced, and however much longer the path is than R says. */
static void a_flow_that_always_fills_its_rate_is_not(void)
{
    for (int64_t gap_ms = 10; gap_ms <= 1000; gap_ms += 30) {
        for (int64_t age_ms = 10; age_ms <= 600; age_ms += 110) {
            struct weir__data_limited state;
            weir__data_limited_init(&state);
            for (int64_t ms = 0; ms < 5000; ms += 10) {
                weir__data_limited_on_sent(&state, WEIR_MS(ms), true);
                if (ms >= age_ms && ms % gap_ms == 0) {
                    g_assert_false(
                        weir__data_limited_on_feedback(&state, WEIR_MS(ms - age_ms), R_NS));
                }
            }
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
            bool limited = weir__data_limited_on_feedback(&state, WEIR_MS(sent_ms), R_NS);
            g_assert_true(limited == !(sent_ms - 100 < 250 && 250 <= sent_ms));
        }
    }
}

/* Never data-limited with a moment of the other kind inside. With few runs the answer is exact. */
static void random_flows_agree_with_a_plain_list(void)
{
    guint32 seed = 821;
    g_test_message("seed %u", seed);
    GRand *rand = g_rand_new_with_seed(seed);
    for (int round = 0; round < 500; round++) {
        struct weir__data_limited state;
        bool moments[2000] = {false};
        bool few = round % 2;
        bool now = false, limited = false;
        weir__data_limited_init(&state);
        for (int64_t ms = 0; ms < 2000; ms++) {
            if (ms % 7 == 0) {
                bool turn = g_rand_double(rand) < (few ? 0.015 : 0.5);
                now = turn ? !now : now;
                moments[ms] = now;
                weir__data_limited_on_sent(&state, WEIR_MS(ms), now);
            }
            if (ms >= 300 && ms % 100 == 0) {
                int64_t sent_ms = (ms - 100) / 7 * 7;
                bool any = false;
                for (int64_t at = sent_ms - 99; at <= sent_ms; at++) {
                    any = any || moments[at];
                }
                limited = weir__data_limited_on_feedback(&state, WEIR_MS(sent_ms), R_NS);
                g_assert_true(!limited || !any);
                if (few && ms > 300 && state.n_runs < WEIR__DATA_LIMITED_RUNS && !limited) {
                    for (int64_t at = sent_ms - 105; at <= sent_ms + 7; at++) {
                        any = any || moments[at];
                    }
                    g_assert_true(any);
                }
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
    ADD(random_flows_agree_with_a_plain_list);
    return g_test_run();
}
