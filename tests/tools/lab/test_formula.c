/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command_trap.h"
#include "formula.h"
#include <math.h>

#define RUN(status, ...) command_run(lab_formula_main, WORDS("formula", __VA_ARGS__), status)

static void test_arguments_stand_in_order_or_by_name(void)
{
    RUN(LAB_EXIT_OK, "r-score", "delay=50", "loss=0");
    g_test_trap_assert_stdout("93\n");
}

static void test_a_result_has_its_unit(void)
{
    RUN(LAB_EXIT_OK, "tcp-equation", "0.1", "0.01", "1460");
    g_test_trap_assert_stdout("164005.06* bytes/s\n");
}

static void test_json_has_the_arguments_with_their_defaults(void)
{
    RUN(LAB_EXIT_OK, "tcp-equation", "0.1", "0.01", "--json");
    g_test_trap_assert_stdout("{\n*\"formula\": \"tcp-equation\",*\"rtt\": 0.1,*\"packet\": 1460,*"
                              "\"value\": *,*\"unit\": \"bytes/s\"\n}\n");
}

static void test_values_out_of_range_are_refused_with_name_and_range(void)
{
    RUN(LAB_EXIT_WRONG, "r-score", "1.5", "0");
    g_test_trap_assert_stdout("");
    g_test_trap_assert_stderr(
        "weir-lab: r-score: loss = 1.5: must be a number from 0 to 1 (ratio)\n");
}

static void test_what_is_no_number_is_refused(void)
{
    RUN(LAB_EXIT_WRONG, "r-score", "nan", "0");
    g_test_trap_assert_stderr("weir-lab: r-score: loss = nan: must be *\n");
}

static void test_missing_arguments_are_named(void)
{
    RUN(LAB_EXIT_WRONG, "r-score", "0");
    g_test_trap_assert_stderr("weir-lab: r-score: not given: delay; it takes loss (ratio, 0 .. 1), "
                              "delay (ms, 0 .. *\n");
}

static void test_arguments_too_many_are_refused(void)
{
    RUN(LAB_EXIT_WRONG, "r-score", "0", "0", "0");
    g_test_trap_assert_stderr("weir-lab: r-score: no place for 0; it takes *\n");
}

static void test_unknown_names_are_refused(void)
{
    RUN(LAB_EXIT_WRONG, "r-score", "0", "mood=3");
    g_test_trap_assert_stderr("weir-lab: r-score: no place for mood=3; it takes *\n");
}

static void test_unknown_formulas_are_refused_with_those_that_there_are(void)
{
    RUN(LAB_EXIT_WRONG, "nonsense");
    g_test_trap_assert_stderr("weir-lab: no formula 'nonsense'; there are: *r-score*\n");
}

/* Every argument has a range, and the formula a number wherever it is asked within it. */
static void test_each_has_a_value_at_the_ends_of_its_ranges(void)
{
    for (gsize i = 0; i < lab_n_formulas; i++) {
        const struct lab_formula *formula = &lab_formulas[i];
        for (int side = 0; side < 2; side++) {
            double arguments[LAB_MOST_ARGUMENTS];
            gsize n = 0;
            for (; n < LAB_MOST_ARGUMENTS && formula->arguments[n].name; n++) {
                const struct lab_argument *argument = &formula->arguments[n];
                g_assert_cmpfloat(argument->min, <, argument->max);
                g_assert_true(isnan(argument->default_value) ||
                              (argument->default_value >= argument->min &&
                               argument->default_value <= argument->max));
                arguments[n] = side ? argument->max : argument->min;
            }
            g_test_message("%s, side %d", formula->name, side);
            g_assert_true(isfinite(formula->compute(arguments, n)));
        }
    }
}

/* The example calculations of the papers and of their specifications. */
static void test_known_answers(void)
{
    static const struct {
        const char *formula;
        double arguments[9];
        gsize n;
        double value;
        double tolerance;
    } answers[] = {
        {"r-score", {0.01, 200.0}, 2, 82.7101, 1e-4},
        {"arc-window", {83.33333, 0.25, 0.5}, 3, 187.5, 1e-4},
        {"arc-rate", {187.5, 20.8333333, 0.5}, 3, 83.3333333, 1e-6},
        {"bandwidth-filter", {0.3, 0.0, 0.5, 0.0, 1.0}, 5, 0.374486, 1e-6},
        {"bandwidth-filter", {0.125, 0.0, 0.5, 0.0, 1.0, 1.0, 1.0, 1.0}, 8, 0.581771, 1e-6},
        {"cbraa-cycle", {250.0, 0.12}, 2, 2.3472, 1e-9},
        {"cbraa-loss-threshold", {250.0, 0.12}, 2, 0.00170416, 1e-8},
        {"cbraa-step", {250.0, 0.12, 0.004, 0.5, 0.5, 0.3}, 6, 213.72021, 1e-5},
        {"cbraa-relative-step", {3.0, 0.5, 0.3}, 3, -0.20503, 1e-5},
        {"gaimd-alpha", {0.875}, 1, 0.2, 1e-12},
        {"gaimd-alpha-timeouts", {0.875}, 1, 0.3125, 1e-12},
        {"gaimd-rate", {0.1, 0.01, 1.0, 0.5, 1.0, 0.4}, 6, 112.3318, 1e-3},
        {"simd-alpha", {20.0, 0.9375}, 2, 0.174997, 1e-6},
        {"simd-alpha-paper", {20.0, 0.9375}, 2, 0.123741, 1e-6},
        {"simd-alpha-i", {0.8}, 1, 1.384615, 1e-6},
        {"aiad-h-alpha", {20.0, 0.25}, 2, 0.375 / 19.875, 1e-9},
        {"window-average", {3.0, 4.0, 5.0, 6.0}, 4, 5.0, 1e-9},
        {"window-average", {3.0, 4.0, 5.0, 6.0, 3.5}, 5, 14.5 / 3.0, 1e-5},
        {"history-before-reset", {100.0, 4.0, 160.0, 12.0, 3.0}, 5, 73.949438, 1e-5},
        {"history-after-reset", {100.0, 4.0, 160.0, 12.0, 3.0}, 5, 13.164795, 1e-5},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(answers); i++) {
        const struct lab_formula *formula = NULL;
        for (gsize k = 0; k < lab_n_formulas; k++) {
            if (strcmp(lab_formulas[k].name, answers[i].formula) == 0) {
                formula = &lab_formulas[k];
            }
        }
        g_assert_nonnull(formula);
        assert_near(formula->compute(answers[i].arguments, answers[i].n), answers[i].value,
                    answers[i].tolerance);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/formula/arguments_stand_in_order_or_by_name",
                    test_arguments_stand_in_order_or_by_name);
    g_test_add_func("/formula/a_result_has_its_unit", test_a_result_has_its_unit);
    g_test_add_func("/formula/json_has_the_arguments_with_their_defaults",
                    test_json_has_the_arguments_with_their_defaults);
    g_test_add_func("/formula/values_out_of_range_are_refused_with_name_and_range",
                    test_values_out_of_range_are_refused_with_name_and_range);
    g_test_add_func("/formula/what_is_no_number_is_refused", test_what_is_no_number_is_refused);
    g_test_add_func("/formula/missing_arguments_are_named", test_missing_arguments_are_named);
    g_test_add_func("/formula/arguments_too_many_are_refused", test_arguments_too_many_are_refused);
    g_test_add_func("/formula/unknown_names_are_refused", test_unknown_names_are_refused);
    g_test_add_func("/formula/unknown_formulas_are_refused_with_those_that_there_are",
                    test_unknown_formulas_are_refused_with_those_that_there_are);
    g_test_add_func("/formula/each_has_a_value_at_the_ends_of_its_ranges",
                    test_each_has_a_value_at_the_ends_of_its_ranges);
    g_test_add_func("/formula/known_answers", test_known_answers);
    return g_test_run();
}
