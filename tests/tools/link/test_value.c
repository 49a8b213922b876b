/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test.h"
#include "value.h"
#include <locale.h>

typedef gboolean (*read_function)(const char *text, int64_t *value);

struct known {
    const char *text;
    int64_t value; /* -1: refused */
};

static void check(read_function read, const struct known *known)
{
    for (; known->text; known++) {
        int64_t value = -2;
        gboolean good = read(known->text, &value);
        g_test_message("'%s'", known->text);
        g_assert_cmpint(good, ==, known->value >= 0);
        if (good) {
            g_assert_cmpint(value, ==, known->value);
        }
    }
}

static void test_rates_have_thousands_and_fractions(void)
{
    const struct known known[] = {
        {"0", 0},         {"1000", 1000}, {"800k", 800000}, {"2.5M", 2500000}, {"1G", 1000000000},
        {"0.3k", 300},    {"", -1},       {"k", -1},        {"-1", -1},        {"+1", -1},
        {"1m", -1},       {"1 M", -1},    {"1Mx", -1},      {"nan", -1},       {"inf", -1},
        {"0x10", -1},     {"1e400", -1},  {"1e30", -1},     {"2,5M", -1},      {" 1", -1},
        {"1e6", 1000000}, {NULL, 0}};
    check(link_value_rate, known);
}

static void test_times_need_a_unit(void)
{
    const struct known known[] = {{"0", 0},          {"20ms", 20000000}, {"1.5s", 1500000000},
                                  {"200us", 200000}, {"7ns", 7},         {"20", -1},
                                  {"ms", -1},        {"20 ms", -1},      {"20m", -1},
                                  {"-1s", -1},       {"1e300s", -1},     {"", -1},
                                  {NULL, 0}};
    check(link_value_time, known);
}

static void test_whole_numbers_are_whole(void)
{
    const struct known known[] = {{"0", 0},
                                  {"17", 17},
                                  {"1.5", -1},
                                  {"-1", -1},
                                  {"1k", -1},
                                  {"", -1},
                                  {"9223372036854775808", -1},
                                  {NULL, 0}};
    check(link_value_whole, known);
}

static void test_real_numbers_use_a_point(void)
{
    double value = 0;
    g_assert_true(link_value_real("0.25", &value));
    assert_near(value, 0.25, 1e-12);
    for (const char *const *text =
             (const char *const[]){"", "x", "0,5", "0.5x", "-0.5", "nan", NULL};
         *text; text++) {
        g_assert_false(link_value_real(*text, &value));
    }
}

static void test_the_locale_changes_nothing(void)
{
    int64_t value = 0;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is one */
    g_assert_true(link_value_rate("2.5M", &value));
    g_assert_cmpint(value, ==, 2500000);
    setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link/value/rates_have_thousands_and_fractions",
                    test_rates_have_thousands_and_fractions);
    g_test_add_func("/link/value/times_need_a_unit", test_times_need_a_unit);
    g_test_add_func("/link/value/whole_numbers_are_whole", test_whole_numbers_are_whole);
    g_test_add_func("/link/value/real_numbers_use_a_point", test_real_numbers_use_a_point);
    g_test_add_func("/link/value/the_locale_changes_nothing", test_the_locale_changes_nothing);
    return g_test_run();
}
