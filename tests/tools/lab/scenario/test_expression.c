/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/error.h"
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

/* The cases that weir-reproduce's evaluator is tested with as well. */
static void test_values_are_those_of_the_shared_table(void)
{
    json_t *cases = json_load_file(EXPRESSIONS, 0, NULL);
    json_t *one;
    size_t i;
    g_assert_cmpuint(json_array_size(cases), >, 30);
    json_array_foreach(cases, i, one)
    {
        GError *error = NULL;
        double value = 0.0;
        const char *text = json_string_value(json_array_get(one, 0));
        g_test_message("%s", text);
        g_assert_true(lab_expression_evaluate(text, &names, &value, &error));
        g_assert_no_error(error);
        g_assert_true(value == json_number_value(json_array_get(one, 1)));
    }
    json_decref(cases);
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
        {"2 if 1 else m", "character 13: no \"m\""},
        {"2 if 1", "character 7: expected 'else'"},
        {"1/0 if 1 else 2", "character 2: division by zero"},
        {"2 if 1/0 else 1/0", "character 7: division by zero"},
        {"1/0 + (2 if 0 else 1/0)", "character 2: division by zero"},
        {"if(1, 2, 3)",
         "character 1: there is no function \"if\"; there are min, max, round, floor"},
        {"min(1)", "character 6: expected ','"},
        {"floor(1, 2)", "character 8: expected ')'"},
        {"sin(1)", "character 1: there is no function \"sin\"; there are min, max, round, floor"},
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
        static const char *const opens[] = {"(", "-", "1 if 0 else "};
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
            g_assert_true(good == (depth < 64));
            g_assert_true(good == (error == NULL));
            g_clear_error(&error);
            g_string_free(text, TRUE);
        }
    }
}

static void test_any_bytes_give_a_finite_value_or_an_error(void)
{
    static const char letters[] = "0123456789.eE+-*/()<>=!,nif else minaxroundl \t_$\xc3\xa4";
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
                    test_values_are_those_of_the_shared_table);
    g_test_add_func("/expression/errors_say_where_and_what", test_errors_say_where_and_what);
    g_test_add_func("/expression/nesting_has_an_end", test_nesting_has_an_end);
    g_test_add_func("/expression/any_bytes_give_a_finite_value_or_an_error",
                    test_any_bytes_give_a_finite_value_or_an_error);
    return g_test_run();
}
