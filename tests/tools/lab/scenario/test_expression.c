/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/expression.h"
#include "test.h"

static gboolean look_up(void *user, const char *name, double *value, GError **error)
{
    (void)user;
    *value = strcmp(name, "n") == 0 ? 40.0 : strcmp(name, "rate_bps") == 0 ? 2e6 : G_MAXDOUBLE;
    if (*value == G_MAXDOUBLE) {
        g_set_error(error, g_quark_from_static_string("test"), 0, "no \"%s\"", name);
        return FALSE;
    }
    return TRUE;
}

static const struct lab_names names = {.look_up = look_up};

static void test_values_are_those_of_arithmetic(void)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1", 1},
        {" 1.5e3 ", 1500},
        {".5", 0.5},
        {"2.", 2},
        {"1e-3", 0.001},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"8/4/2", 1},
        {"8-4-2", 2},
        {"-2*-3", 6},
        {"--2", 2},
        {"+-2", -2},
        {"2--3", 5},
        {"n", 40},
        {"rate_bps * 0.25 / (8*1500)", 2e6 * 0.25 / 12000},
        {"min(n, 3)", 3},
        {"max(n, 3)", 40},
        {"round(2.5)", 3},
        {"round(-2.5)", -3},
        {"floor(-2.5)", -3},
        {"min(1, max(2, 3)) + 1", 2},
        {"1 < 2", 1},
        {"2 < 1", 0},
        {"2 <= 2", 1},
        {"2 >= 3", 0},
        {"2 > 1", 1},
        {"2 == 2", 1},
        {"2 != 2", 0},
        {"(1 < 2) + (3 > 2)", 2},
        {"1 + 1 == 2", 1},
        {"if(n > 10, 2, 1)", 2},
        {"if(n > 100, 2, 1)", 1},
        {"if(0, 1/0, 7)", 7},
        {"if(1, 7, 1/0)", 7},
        {"if(1, if(0, 1/0, 8), 1/0)", 8},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        double value = 0.0;
        g_test_message("%s", cases[i].text);
        g_assert_true(lab_expression_evaluate(cases[i].text, &names, &value, &error));
        g_assert_no_error(error);
        g_assert_true(value == cases[i].value);
    }
}

static void test_errors_say_where_and_what(void)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"", "character 1: expected a number or a name before the end"},
        {"1+", "character 3: expected a number or a name before the end"},
        {"1 2", "character 3: expected an operator or the end"},
        {"(1", "character 3: expected ')' before the end"},
        {"1)", "character 2: expected an operator or the end"},
        {"1/0", "character 2: division by zero"},
        {"1/(n-40)", "character 2: division by zero"},
        {"1e400", "character 1: the result is not a finite number"},
        {"1e200*1e200", "character 6: the result is not a finite number"},
        {"1e308+1e308", "character 6: the result is not a finite number"},
        {"0x10", "character 2: expected an operator or the end"},
        {"inf", "character 1: no \"inf\""},
        {"nan", "character 1: no \"nan\""},
        {"1e", "character 2: expected digits of an exponent"},
        {".", "character 1: expected a number"},
        {"2*m", "character 3: no \"m\""},
        {"if(1, 2, m)", "character 10: no \"m\""},
        {"if(1, 2)", "character 8: expected ','"},
        {"min(1)", "character 6: expected ','"},
        {"floor(1, 2)", "character 8: expected ')'"},
        {"sin(1)",
         "character 1: there is no function \"sin\"; there are min, max, round, floor, if"},
        {"1 < 2 < 3", "character 7: expected an operator or the end"},
        {"\xc3\xa4", "character 1: expected a number, a name or '('"},
        {"1 + \xc3\xa4 + 2", "character 5: expected a number, a name or '('"},
        {"n = 1", "character 3: expected an operator or the end"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        double value = 7.0;
        g_test_message("%s", cases[i].text);
        g_assert_false(lab_expression_evaluate(cases[i].text, &names, &value, &error));
        g_assert_nonnull(error);
        g_assert_cmpstr(error->message, ==, cases[i].message);
        g_assert_true(value == 7.0);
        g_error_free(error);
    }
}

static void test_nesting_has_an_end(void)
{
    for (guint depth = 1; depth < 100000; depth = depth * 3 + 1) {
        static const char *const opens[] = {"(", "-", "if("};
        for (gsize i = 0; i < G_N_ELEMENTS(opens); i++) {
            GString *text = g_string_new(NULL);
            for (guint k = 0; k < depth; k++) {
                g_string_append(text, opens[i]);
            }
            g_string_append_c(text, '1');
            for (guint k = 0; i == 0 && k < depth; k++) {
                g_string_append_c(text, ')');
            }
            GError *error = NULL;
            double value = 0.0;
            gboolean good = lab_expression_evaluate(text->str, &names, &value, &error);
            g_assert_true(good == (i < 2 && depth < 64));
            g_assert_true(good == (error == NULL));
            g_clear_error(&error);
            g_string_free(text, TRUE);
        }
    }
}

static void test_any_bytes_give_a_finite_value_or_an_error(void)
{
    static const char letters[] = "0123456789.eE+-*/()<>=!,nif minaxroundl \t_$\xc3\xa4";
    for (guint i = 0; i < 50000; i++) {
        char text[24];
        gsize n = (gsize)g_test_rand_int_range(0, 23);
        for (gsize k = 0; k < n; k++) {
            text[k] = letters[g_test_rand_int_range(0, sizeof letters - 1)];
        }
        text[n] = '\0';
        GError *error = NULL;
        double value = 0.0;
        if (lab_expression_evaluate(text, &names, &value, &error)) {
            g_assert_no_error(error);
            g_assert_true(value - value == 0.0);
        } else {
            g_assert_nonnull(error);
        }
        g_clear_error(&error);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/expression/values_are_those_of_arithmetic",
                    test_values_are_those_of_arithmetic);
    g_test_add_func("/expression/errors_say_where_and_what", test_errors_say_where_and_what);
    g_test_add_func("/expression/nesting_has_an_end", test_nesting_has_an_end);
    g_test_add_func("/expression/any_bytes_give_a_finite_value_or_an_error",
                    test_any_bytes_give_a_finite_value_or_an_error);
    return g_test_run();
}
