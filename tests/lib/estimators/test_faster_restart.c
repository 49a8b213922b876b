/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is remembered, and when it fades (draft-ietf-dccp-tfrc-faster-restart-06, 3.1). */
#include "../../test.h"
#include "estimators/faster_restart.h"

static void the_highest_rate_without_loss_is_remembered(void)
{
    struct weir__faster_restart r = {0};
    assert_near(weir__faster_restart_fast_max(&r, 0), 0.0, 1e-12);
    weir__faster_restart_on_feedback(&r, 0, 500.0, false);
    weir__faster_restart_on_feedback(&r, WEIR_MS(100), 800.0, false);
    weir__faster_restart_on_feedback(&r, WEIR_MS(200), 300.0, false);
    assert_near(weir__faster_restart_fast_max(&r, WEIR_MS(200)), 800.0, 1e-9);
}

/* In full for two minutes, nothing after six. */
static void it_fades(void)
{
    static const struct {
        int64_t minutes;
        double expected;
    } cases[] = {{1, 800.0}, {2, 800.0}, {3, 600.0}, {4, 400.0}, {5, 200.0}, {6, 0.0}, {60, 0.0}};
    struct weir__faster_restart r = {0};
    weir__faster_restart_on_feedback(&r, 0, 800.0, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_near(weir__faster_restart_fast_max(&r, WEIR_SECONDS(60) * cases[i].minutes),
                    cases[i].expected, 1e-9);
    }
    weir__faster_restart_on_feedback(&r, WEIR_SECONDS(240), 399.0, false);
    assert_near(weir__faster_restart_fast_max(&r, WEIR_SECONDS(240)), 400.0, 1e-9);
    weir__faster_restart_on_feedback(&r, WEIR_SECONDS(240), 401.0, false);
    assert_near(weir__faster_restart_fast_max(&r, WEIR_SECONDS(240)), 401.0, 1e-9);
}

static void a_loss_below_it_leaves_half_of_what_arrives(void)
{
    struct weir__faster_restart r = {0};
    weir__faster_restart_on_feedback(&r, 0, 800.0, false);
    weir__faster_restart_on_feedback(&r, WEIR_MS(100), 800.0, true);
    assert_near(weir__faster_restart_fast_max(&r, WEIR_MS(100)), 800.0, 1e-9);
    weir__faster_restart_on_feedback(&r, WEIR_MS(200), 700.0, true);
    assert_near(weir__faster_restart_fast_max(&r, WEIR_MS(200)), 350.0, 1e-9);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/faster_restart/" #name, name)
    ADD(the_highest_rate_without_loss_is_remembered);
    ADD(it_fades);
    ADD(a_loss_below_it_leaves_half_of_what_arrives);
    return g_test_run();
}
