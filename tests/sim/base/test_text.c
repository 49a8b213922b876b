/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/text.h"
#include <locale.h>

struct number_case {
    const char *text;
    int64_t scale;
    bool ok;
    int64_t value;
    size_t used;
};

static const struct number_case numbers[] = {
    {"0", 1, true, 0, 1},
    {"12x", 1, true, 12, 2},
    {"007", 1, true, 7, 3},
    {"9223372036854775807", 1, true, INT64_MAX, 19},
    {"9223372036854775808", 1, false, 0, 0},
    {"92233720368547758070", 1, false, 0, 0},
    {"1.5", 10, true, 15, 3},
    {"1.57", 10, true, 15, 4},
    {"0.000000001", 1000000000, true, 1, 11},
    {"0.0000000009", 1000000000, true, 0, 12},
    {".25", 1000, true, 250, 3},
    {"3.", 1000, true, 3000, 2},
    {"9.9", 1, true, 9, 3},
    {"9223372036.854775807", 1000000000, true, INT64_MAX, 20},
    {"9223372036.854775808", 1000000000, false, 0, 0},
    {"9223372037", 1000000000, false, 0, 0},
    {"", 1, false, 0, 0},
    {".", 1, false, 0, 0},
    {"-1", 1, false, 0, 0},
    {"+1", 1, false, 0, 0},
    {" 1", 1, false, 0, 0},
    {"x", 1, false, 0, 0},
};

static void check_numbers(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        const struct number_case *c = &numbers[i];
        const char *at = c->text;
        int64_t value = -77;
        g_test_message("\"%s\" x %" G_GINT64_FORMAT, c->text, c->scale);
        g_assert_cmpint(weir__text_number(&at, c->scale, &value), ==, c->ok);
        g_assert_cmpint(value, ==, c->ok ? c->value : -77);
        g_assert_cmpuint((size_t)(at - c->text), ==, c->used);
    }
}

static void test_numbers_are_exact_or_refused_untouched(void)
{
    check_numbers();
}

static void test_numbers_do_not_depend_on_the_locale(void)
{
    static const char *const comma_locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
    for (size_t i = 0; i < G_N_ELEMENTS(comma_locales); i++) {
        if (setlocale(LC_ALL, comma_locales[i])) {
            check_numbers();
        }
    }
    setlocale(LC_ALL, "C");
    check_numbers();
}

static void test_durations_have_a_unit(void)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t value_ns;
        size_t used;
    } cases[] = {
        {"90ms", true, 90000000, 4}, {"1.5s,", true, 1500000000, 4}, {"250us", true, 250000, 5},
        {"7ns", true, 7, 3},         {"0.5ns", true, 0, 5},          {"0,", true, 0, 1},
        {"90", false, 0, 0},         {"90 ms", false, 0, 0},         {"ms", false, 0, 0},
        {"-1ms", false, 0, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *at = cases[i].text;
        int64_t value_ns = -77;
        g_test_message("\"%s\"", cases[i].text);
        g_assert_cmpint(weir__text_duration(&at, &value_ns), ==, cases[i].ok);
        g_assert_cmpint(value_ns, ==, cases[i].ok ? cases[i].value_ns : -77);
        g_assert_cmpuint((size_t)(at - cases[i].text), ==, cases[i].used);
    }
}

static void test_seconds_become_nanoseconds(void)
{
    const char *at = "2.000000003,";
    int64_t value_ns = 0;
    g_assert_true(weir__text_seconds(&at, &value_ns));
    g_assert_cmpint(value_ns, ==, INT64_C(2000000003));
    g_assert_cmpstr(at, ==, ",");
}

static void test_rates_take_the_suffixes_k_m_g(void)
{
    static const struct {
        const char *text;
        int64_t rate_bps; /* -1 = refused */
        const char *rest;
    } cases[] = {
        {"0", 0, ""},
        {"2500000", 2500000, ""},
        {"700k", 700000, ""},
        {"700K,", 700000, ","},
        {"1.5M", 1500000, ""},
        {"0.25M", 250000, ""},
        {"2G", INT64_C(2000000000), ""},
        {"1000G", INT64_C(1000000000000), ""},
        {"1001G", -1, "1001G"},
        {"1000000000000", INT64_C(1000000000000), ""},
        {"1000000000001", -1, "1000000000001"},
        {"2000000M", -1, "2000000M"},
        {"9000000000000000000", -1, "9000000000000000000"},
        {"k", -1, "k"},
        {"1m", 1, "m"},
        {"", -1, ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *at = cases[i].text;
        int64_t rate_bps = -1;
        g_test_message("\"%s\"", cases[i].text);
        g_assert_cmpint(weir__text_rate(&at, &rate_bps), ==, cases[i].rate_bps >= 0);
        g_assert_cmpint(rate_bps, ==, cases[i].rate_bps);
        g_assert_cmpstr(at, ==, cases[i].rest);
    }
}

static void test_errors_are_cut_to_the_buffer(void)
{
    char error[8] = "unused!";
    weir__text_error(error, sizeof error, "%s %d", "value", 12345);
    g_assert_cmpstr(error, ==, "value 1");
    weir__text_error(error, 1, "x");
    g_assert_cmpstr(error, ==, "");
    weir__text_error(error, 0, "x");
    weir__text_error(NULL, 8, "x");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/text/numbers_are_exact_or_refused_untouched",
                    test_numbers_are_exact_or_refused_untouched);
    g_test_add_func("/sim/text/numbers_do_not_depend_on_the_locale",
                    test_numbers_do_not_depend_on_the_locale);
    g_test_add_func("/sim/text/durations_have_a_unit", test_durations_have_a_unit);
    g_test_add_func("/sim/text/seconds_become_nanoseconds", test_seconds_become_nanoseconds);
    g_test_add_func("/sim/text/rates_take_the_suffixes_k_m_g", test_rates_take_the_suffixes_k_m_g);
    g_test_add_func("/sim/text/errors_are_cut_to_the_buffer", test_errors_are_cut_to_the_buffer);
    return g_test_run();
}
