/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters: what is accepted, what is refused, and the sentences that say why. */
#include "../../test.h"
#include "control/controller.h"

#include <locale.h>
#include <math.h>

static enum weir_status check(const char *algorithm, const char *name, const char *text,
                              double number, double *checked, char why[200])
{
    struct weir_param_value value = {.name = name, .value_text = text, .value = number};
    return weir_param_check(algorithm, &value, checked, why, 200);
}

static void good_text_becomes_its_number(void)
{
    static const struct {
        const char *algorithm, *name, *text;
        double value;
    } cases[] = {
        {"tfrc", "discount-threshold", "0.25", 0.25},
        {"tfrc", "discount-threshold", ".5", 0.5},
        {"tfrc", "discount-threshold", "1.", 1.0},
        {"tfrc", "discount-threshold", "25e-2", 0.25},
        {"tfrc", "discount-threshold", "0.0025E+2", 0.25},
        {"tfrc", "discount-threshold", "+0.9", 0.9},
        {"tfrc", "discount-threshold", "-0", 0.0},
        {"tfrc", "max-interval", "64", 64.0},
        {"tfrc", "max-interval", "0.1", 0.1},
        {"tfrc", "max-interval", "00012.5", 12.5},
        {"tfrc", "max-interval", "0.10000000000000000000000000000000000000000000", 0.1},
        {"fixed", "rate-bps", "100000000000", 1e11},
        {"fixed", "rate-bps", "1e6", 1e6},
        {"tfrc", "sp", "true", 1.0},
        {"tfrc", "sp", "on", 1.0},
        {"tfrc", "sp", "yes", 1.0},
        {"tfrc", "sp", "1", 1.0},
        {"tfrc", "sp", "false", 0.0},
        {"tfrc", "sp", "off", 0.0},
        {"tfrc", "sp", "no", 0.0},
        {"tfrc", "sp", "0", 0.0},
        {"tfrc", "profile", "rfc5348", 0.0},
        {"tfrc", "profile", "ns2", 2.0},
        {"tfrc", "profile", "1", 1.0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        double checked = -1.0;
        char why[200] = "";
        g_test_message("%s=%s", cases[i].name, cases[i].text);
        g_assert_cmpint(check(cases[i].algorithm, cases[i].name, cases[i].text, NAN, &checked, why),
                        ==, WEIR_OK);
        g_assert_cmpfloat(checked, ==, cases[i].value);
        g_assert_cmpstr(why, ==, "");
    }
}

static void every_sentence_names_the_fault_and_the_remedy(void)
{
    static const struct {
        const char *algorithm, *name, *text;
        enum weir_status status;
        const char *why;
    } cases[] = {
        {"tfrc", "loss-intervals", "0", WEIR_ERROR_RANGE,
         "tfrc: loss-intervals=0 is out of range, 1 to 32 intervals"},
        {"tfrc", "discount-threshold", "1.5", WEIR_ERROR_RANGE,
         "tfrc: discount-threshold=1.5 is out of range, 0 to 1"},
        {"tfrc", "loss-intervals", "2.5", WEIR_ERROR_RANGE,
         "tfrc: loss-intervals=2.5 is not a whole number, 1 to 32 intervals"},
        {"tfrc", "max-interval", "soon", WEIR_ERROR_RANGE,
         "tfrc: max-interval=soon is not a number, 0.1 to 3600 s"},
        {"tfrc", "sp", "maybe", WEIR_ERROR_RANGE, "tfrc: sp=maybe is not true or false"},
        {"tfrc", "profile", "rfc9999", WEIR_ERROR_RANGE,
         "tfrc: profile=rfc9999 is not one of: rfc5348, rfc3448, ns2"},
        {"tfrc", "profile", "3", WEIR_ERROR_RANGE,
         "tfrc: profile=3 is not one of: rfc5348, rfc3448, ns2"},
        {"fixed", "rate", "5", WEIR_ERROR_UNKNOWN_PARAM,
         "fixed has no parameter \"rate\"; it has: rate-bps"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        double checked = -1.0;
        char why[200] = "";
        g_assert_cmpint(check(cases[i].algorithm, cases[i].name, cases[i].text, 0.0, &checked, why),
                        ==, cases[i].status);
        g_assert_cmpstr(why, ==, cases[i].why);
        g_assert_cmpfloat(checked, ==, -1.0);
    }
}

static void unknown_names_are_answered_with_the_known_ones(void)
{
    char why[1024];
    struct weir_param_value value = {.name = "foo"};
    g_assert_cmpint(weir_param_check("tfrc", &value, NULL, why, sizeof(why)), ==,
                    WEIR_ERROR_UNKNOWN_PARAM);
    g_assert_true(g_str_has_prefix(why, "tfrc has no parameter \"foo\"; it has: profile, "));
    g_assert_nonnull(strstr(why, "veno"));
    g_assert_cmpint(weir_param_check("foo", &value, NULL, why, sizeof(why)), ==,
                    WEIR_ERROR_UNKNOWN_ALGORITHM);
    g_assert_true(g_str_has_prefix(why, "there is no algorithm \"foo\"; there are: "));
    g_assert_nonnull(strstr(why, "tfrc"));
    g_assert_cmpint(weir_param_check(NULL, &value, NULL, why, sizeof(why)), ==,
                    WEIR_ERROR_UNKNOWN_ALGORITHM);
    g_assert_cmpint(weir_param_check("tfrc", NULL, NULL, why, sizeof(why)), ==,
                    WEIR_ERROR_ARGUMENT);
    value.name = NULL;
    g_assert_cmpint(weir_param_check("tfrc", &value, NULL, why, sizeof(why)), ==,
                    WEIR_ERROR_UNKNOWN_PARAM);
}

static void numbers_that_are_none_are_refused(void)
{
    static const char *const texts[] = {
        "",  "nan", "NaN", "inf", "-inf", "infinity", "1e999", "0x1", "1,5",  ".",
        "-", "e5",  "1e",  "1e+", "1 ",   " 1",       "1.2.3", "--1", "1e5x", "1e99999999999"};
    static const double numbers[] = {NAN, INFINITY, -INFINITY};
    char why[200];
    double checked = -1.0;
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_test_message("\"%s\"", texts[i]);
        g_assert_cmpint(check("fixed", "rate-bps", texts[i], 1.0, &checked, why), ==,
                        WEIR_ERROR_RANGE);
        g_assert_cmpint(check("tfrc", "profile", texts[i], 1.0, &checked, why), ==,
                        WEIR_ERROR_RANGE);
        g_assert_cmpint(check("tfrc", "sp", texts[i], 1.0, &checked, why), ==, WEIR_ERROR_RANGE);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        g_assert_cmpint(check("tfrc", "max-interval", NULL, numbers[i], &checked, why), ==,
                        WEIR_ERROR_RANGE);
    }
    g_assert_cmpfloat(checked, ==, -1.0);
}

/* Text of k/1000 is the double that is closest to it. */
static void decimals_are_read_exactly(void)
{
    for (int k = 100; k <= 50000; k++) {
        char text[32], why[200];
        double checked = -1.0;
        g_snprintf(text, sizeof(text), "%d.%03d", k / 1000, k % 1000);
        g_assert_cmpint(check("tfrc", "max-interval", text, 0.0, &checked, why), ==, WEIR_OK);
        g_assert_cmpfloat(checked, ==, (double)k / 1000.0);
    }
}

/* With a decimal comma in the locale, points are still read and written. Skips where there is no
 * such locale. */
static void the_locale_changes_nothing(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *found = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(names) && found == NULL; i++) {
        found = setlocale(LC_NUMERIC, names[i]);
    }
    if (found == NULL) {
        g_test_skip("no locale with a decimal comma is installed");
        return;
    }
    char why[200];
    double checked = -1.0;
    g_assert_cmpint(check("tfrc", "max-interval", "12.5", 0.0, &checked, why), ==, WEIR_OK);
    g_assert_cmpfloat(checked, ==, 12.5);
    g_assert_cmpint(check("tfrc", "loss-intervals", "2.5", 0.0, &checked, why), ==,
                    WEIR_ERROR_RANGE);
    g_assert_cmpstr(why, ==, "tfrc: loss-intervals=2.5 is not a whole number, 1 to 32 intervals");
    setlocale(LC_NUMERIC, "C");
}

static void long_names_do_not_overflow(void)
{
    char name[5000];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    struct weir_param_value value = {.name = name, .value_text = name};
    for (size_t size = 0; size < 200; size++) {
        char why[256];
        memset(why, '!', sizeof(why));
        g_assert_cmpint(weir_param_check(name, &value, NULL, why, size), ==,
                        WEIR_ERROR_UNKNOWN_ALGORITHM);
        g_assert_cmpint(weir_param_check("tfrc", &value, NULL, why, size), ==,
                        WEIR_ERROR_UNKNOWN_PARAM);
        g_assert_true(why[size] == '!');
        g_assert_true(size == 0 || memchr(why, '\0', size) != NULL);
    }
    g_assert_cmpint(weir_param_check(name, &value, NULL, NULL, 0), ==,
                    WEIR_ERROR_UNKNOWN_ALGORITHM);
}

static void resolve_fills_in_defaults(void)
{
    double values[WEIR_MAX_PARAMS];
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        const struct weir_controller *controller = weir__controller_at(i);
        g_assert_cmpint(weir__params_resolve(controller, NULL, 0, values, NULL), ==, WEIR_OK);
        for (size_t k = 0; k < controller->n_params; k++) {
            g_assert_cmpfloat(values[k], ==, controller->params[k].default_value);
        }
    }
}

static void resolve_is_all_or_nothing(void)
{
    const struct weir_controller *tfrc = weir__controller_find("tfrc");
    const struct weir_param_value good[] = {{.name = "loss-intervals", .value = 4.0},
                                            {.name = "profile", .value_text = "ns2"},
                                            {.name = "loss-intervals", .value = 16.0}};
    const struct weir_param_value bad[] = {{.name = "loss-intervals", .value = 4.0},
                                           {.name = "profile", .value_text = "none"}};
    double values[WEIR_MAX_PARAMS];
    size_t wrong = 99;
    g_assert_cmpint(weir__params_resolve(tfrc, good, 3, values, &wrong), ==, WEIR_OK);
    g_assert_cmpuint(wrong, ==, 99);
    for (size_t i = 0; i < tfrc->n_params; i++) {
        if (strcmp(tfrc->params[i].name, "loss-intervals") == 0) {
            g_assert_cmpfloat(values[i], ==, 16.0);
        }
    }
    for (size_t i = 0; i < WEIR_MAX_PARAMS; i++) {
        values[i] = -7.0;
    }
    g_assert_cmpint(weir__params_resolve(tfrc, bad, 2, values, &wrong), ==, WEIR_ERROR_RANGE);
    g_assert_cmpuint(wrong, ==, 1);
    g_assert_cmpint(weir__params_resolve(tfrc, bad, 2, values, NULL), ==, WEIR_ERROR_RANGE);
    for (size_t i = 0; i < WEIR_MAX_PARAMS; i++) {
        g_assert_cmpfloat(values[i], ==, -7.0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/params/" #name, name)
    ADD(good_text_becomes_its_number);
    ADD(every_sentence_names_the_fault_and_the_remedy);
    ADD(unknown_names_are_answered_with_the_known_ones);
    ADD(numbers_that_are_none_are_refused);
    ADD(decimals_are_read_exactly);
    ADD(the_locale_changes_nothing);
    ADD(long_names_do_not_overflow);
    ADD(resolve_fills_in_defaults);
    ADD(resolve_is_all_or_nothing);
    return g_test_run();
}
