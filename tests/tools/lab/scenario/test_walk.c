/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/walk.h"
#include "scenario_fixture.h"
#include "test.h"
#include <math.h>

static const struct lab_walk cell = {.min_bps = 300000,
                                     .max_bps = 4000000,
                                     .step_ns = 200000000,
                                     .n_steps = 100000,
                                     .change_bps = 500000,
                                     .start_bps = 2000000};

static void test_capacities_stay_within_their_bounds(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct weir__schedule_step *steps = lab_walk_steps(&cell, seed);
        for (gint64 i = 0; i < cell.n_steps; i++) {
            g_assert_cmpint(steps[i].at_ns, ==, i * cell.step_ns);
            g_assert_cmpint(steps[i].rate_bps, >=, cell.min_bps);
            g_assert_cmpint(steps[i].rate_bps, <=, cell.max_bps);
        }
        g_free(steps);
    }
}

/* From the middle the capacity goes everywhere, and stays nowhere longer than elsewhere: mean and
 * standard deviation of its place within the range, over 2 million steps, of which some hundred
 * make one independent draw. Far from the ends, changes are even up to the greatest. */
static void test_capacities_walk_evenly_over_the_range(void)
{
    double sum = 0.0;
    double squares = 0.0;
    double change_squares = 0.0;
    gint64 changes = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct weir__schedule_step *steps = lab_walk_steps(&cell, seed);
        g_assert_cmpint(steps[0].rate_bps, ==, 2000000);
        for (gint64 i = 0; i < cell.n_steps; i++) {
            double place = (double)(steps[i].rate_bps - 300000) / 3700000.0;
            sum += place;
            squares += place * place;
            if (i > 0 && place > 0.3 && place < 0.7) {
                double change_bps = (double)(steps[i].rate_bps - steps[i - 1].rate_bps);
                g_assert_cmpfloat(fabs(change_bps), <=, 500000.0);
                change_squares += change_bps * change_bps;
                changes++;
            }
        }
        g_free(steps);
    }
    double n = 20.0 * (double)cell.n_steps;
    double mean = sum / n;
    assert_near(mean, 0.5, 0.01);
    assert_near(sqrt(squares / n - mean * mean), sqrt(1.0 / 12.0), 0.01);
    assert_near(sqrt(change_squares / (double)changes), 500000.0 / sqrt(3.0), 1500.0);
}

static void test_the_walk_is_the_seeds(void)
{
    struct weir__schedule_step *a = lab_walk_steps(&cell, 7);
    struct weir__schedule_step *b = lab_walk_steps(&cell, 7);
    struct weir__schedule_step *c = lab_walk_steps(&cell, 8);
    gint64 same = 0;
    for (gint64 i = 0; i < 1000; i++) {
        g_assert_cmpint(a[i].rate_bps, ==, b[i].rate_bps);
        same += a[i].rate_bps == c[i].rate_bps ? 1 : 0;
    }
    g_assert_cmpint(same, <, 10);
    g_free(a);
    g_free(b);
    g_free(c);
}

static void test_equal_bounds_are_one_capacity(void)
{
    struct lab_walk still = cell;
    still.max_bps = still.min_bps;
    still.start_bps = still.min_bps;
    struct weir__schedule_step *steps = lab_walk_steps(&still, 1);
    for (gint64 i = 0; i < 1000; i++) {
        g_assert_cmpint(steps[i].rate_bps, ==, still.min_bps);
    }
    g_free(steps);
}

/* A link has one; the seed and the link's name decide. It repeats when it is over. */
static void test_links_may_have_one(void)
{
    char *content =
        text_replace(SMALL, "20}",
                     "20, \"schedule\": {\"kind\": \"walk\", \"min_bps\": 300000, \"max_bps\": "
                     "4e6, \"steps\": 50}, \"reverse\": {\"capacity_bps\": 1000}}");
    struct lab_overrides overrides = {.seed = "7"};
    struct lab_scenario *a = load_text(content, -1, NULL, NULL);
    struct lab_scenario *b = load_text(content, -1, &overrides, NULL);
    const struct weir__link_config *link = &a->links[0]->config;
    g_assert_cmpuint(link->n_steps, ==, 50);
    g_assert_cmpint(link->period_ns, ==, 10000000000);
    g_assert_cmpint(link->steps[9].rate_bps, !=, b->links[0]->config.steps[9].rate_bps);
    g_assert_cmpuint(a->links[1]->config.n_steps, ==, 0);
    lab_scenario_free(a);
    lab_scenario_free(b);
    g_free(content);
}

static void test_what_is_no_walk_is_an_error(void)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{\"kind\": \"run\"}", "f: kind = \"run\": must be one of walk"},
        {"{\"kind\": \"walk\", \"max_bps\": 5}",
         "f: min_bps: is missing; it must be a number from 1 to 1000000000000"},
        {"{\"kind\": \"walk\", \"min_bps\": 6, \"max_bps\": 5}",
         "f: min_bps = 6: must be at most max_bps, 5"},
        {"{\"kind\": \"walk\", \"min_bps\": 4, \"max_bps\": 5, \"start_bps\": 6}",
         "f: start_bps = 6: must be from min_bps to max_bps"},
        {"{\"kind\": \"walk\", \"min_bps\": 4, \"max_bps\": 5, \"step_s\": 0}",
         "f: step_s = 0: must be a number from 0.001 to 3600"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        struct lab_place file = {
            .name = "f", .node = json_loads(cases[i].json, 0, NULL), .error = &error};
        struct lab_walk walk;
        g_assert_false(lab_walk_read(&file, &walk));
        g_assert_cmpstr(error->message, ==, cases[i].message);
        g_error_free(error);
        json_decref(file.node);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_walk/capacities_stay_within_their_bounds",
                    test_capacities_stay_within_their_bounds);
    g_test_add_func("/scenario_walk/capacities_walk_evenly_over_the_range",
                    test_capacities_walk_evenly_over_the_range);
    g_test_add_func("/scenario_walk/the_walk_is_the_seeds", test_the_walk_is_the_seeds);
    g_test_add_func("/scenario_walk/equal_bounds_are_one_capacity",
                    test_equal_bounds_are_one_capacity);
    g_test_add_func("/scenario_walk/links_may_have_one", test_links_may_have_one);
    g_test_add_func("/scenario_walk/what_is_no_walk_is_an_error", test_what_is_no_walk_is_an_error);
    return g_test_run();
}
