/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/simulate.h"
#include "tools/lab/lab_fixture.h"

static void test_a_run_ends_at_its_duration(void)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    struct lab_run run;
    fixture_run(&run, scenario, NULL);
    g_assert_true(run.figures->complete);
    g_assert_cmpint(run.figures->sim_ns, ==, WEIR_SECONDS(10));
    g_assert_cmpint(run.figures->from_ns, ==, WEIR_SECONDS(2));
    g_assert_cmpint(run.figures->to_ns, ==, WEIR_SECONDS(10));
    g_assert_cmpint(run.figures->events, >, 1000);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

static void test_a_stop_is_heeded_before_the_next_slice(void)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    const volatile sig_atomic_t stop = 1;
    struct lab_progress silent;
    struct lab_run run;
    lab_progress_init(&silent, NULL, FALSE, 0);
    g_assert_true(lab_run_init(&run, scenario, NULL));
    lab_run_simulate(&run, NULL, &silent, &stop);
    g_assert_false(run.figures->complete);
    g_assert_cmpint(run.figures->sim_ns, ==, 0);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

static void test_what_cannot_be_built_does_not_run(void)
{
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    GError *error = NULL;
    struct lab_run run;
    scenario->links[0]->config.capacity_bps = -1;
    g_assert_false(lab_run_init(&run, scenario, &error));
    g_assert_nonnull(error);
    g_clear_error(&error);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/simulate/a_run_ends_at_its_duration", test_a_run_ends_at_its_duration);
    g_test_add_func("/simulate/a_stop_is_heeded_before_the_next_slice",
                    test_a_stop_is_heeded_before_the_next_slice);
    g_test_add_func("/simulate/what_cannot_be_built_does_not_run",
                    test_what_cannot_be_built_does_not_run);
    return g_test_run();
}
