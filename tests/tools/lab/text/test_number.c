/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/random.h"
#include "test.h"
#include "text/number.h"
#include <math.h>

static void assert_text(GString *text, const char *expected)
{
    g_assert_cmpstr(text->str, ==, expected);
    g_string_free(text, TRUE);
}

static void test_integers_are_written_in_full(void)
{
    static const struct {
        int64_t value;
        const char *text;
    } cases[] = {{0, "0"},
                 {7, "7"},
                 {-7, "-7"},
                 {1000000000000, "1000000000000"},
                 {INT64_MAX, "9223372036854775807"},
                 {INT64_MIN, "-9223372036854775808"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *text = g_string_new(NULL);
        lab_append_int(text, cases[i].value);
        assert_text(text, cases[i].text);
    }
    GString *text = g_string_new(NULL);
    lab_append_unsigned(text, UINT64_MAX);
    assert_text(text, "18446744073709551615");
}

static void test_fixed_numbers_are_exact_and_short(void)
{
    static const struct {
        int64_t value;
        unsigned decimals;
        const char *text;
    } cases[] = {{0, 9, "0"},
                 {100000000, 9, "0.1"},
                 {1, 9, "0.000000001"},
                 {120000000000, 9, "120"},
                 {1234567890, 9, "1.23456789"},
                 {-1500000, 6, "-1.5"},
                 {1500, 3, "1.5"},
                 {42, 0, "42"},
                 {100, 0, "100"},
                 {INT64_MAX, 9, "9223372036.854775807"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *text = g_string_new(NULL);
        lab_append_fixed(text, cases[i].value, cases[i].decimals);
        assert_text(text, cases[i].text);
    }
}

static void test_reals_are_the_shortest_that_read_back(void)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},   {1.0 / 3.0, "0.3333333333333333"},  {1e22, "1e+22"}, {2.5, "2.5"},
                 {100.0, "100"}, {0.1 + 0.2, "0.30000000000000004"}, {-0.25, "-0.25"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GString *text = g_string_new(NULL);
        lab_append_real(text, cases[i].value);
        assert_text(text, cases[i].text);
    }
}

static void test_reals_of_any_size_read_back(void)
{
    struct weir__random random;
    weir__random_init(&random, 1, 1);
    for (int i = 0; i < 10000; i++) {
        double value =
            ldexp(weir__random_uniform(&random), (int)weir__random_below(&random, 200) - 100);
        GString *text = g_string_new(NULL);
        lab_append_real(text, value);
        g_assert_cmpfloat(g_ascii_strtod(text->str, NULL), ==, value);
        g_string_free(text, TRUE);
    }
}

static void test_what_is_no_number_is_null(void)
{
    const double values[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        GString *text = g_string_new(NULL);
        lab_append_real(text, values[i]);
        assert_text(text, "null");
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/number/integers_are_written_in_full", test_integers_are_written_in_full);
    g_test_add_func("/number/fixed_numbers_are_exact_and_short",
                    test_fixed_numbers_are_exact_and_short);
    g_test_add_func("/number/reals_are_the_shortest_that_read_back",
                    test_reals_are_the_shortest_that_read_back);
    g_test_add_func("/number/reals_of_any_size_read_back", test_reals_of_any_size_read_back);
    g_test_add_func("/number/what_is_no_number_is_null", test_what_is_no_number_is_null);
    return g_test_run();
}
