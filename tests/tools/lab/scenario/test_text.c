/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/text.h"
#include "tools/lab/lab_fixture.h"

static void test_the_text_is_a_scenario_that_says_the_same(void)
{
    struct lab_scenario *first = fixture_scenario(FIXTURE, 3);
    char *text = lab_scenario_text(first);
    g_assert_true(g_str_has_suffix(text, "}\n"));
    struct lab_scenario *second = fixture_scenario(text, 3);
    char *again = lab_scenario_text(second);
    g_assert_cmpstr(again, ==, text);
    g_assert_cmpuint(second->n_flows, ==, first->n_flows);
    g_free(text);
    g_free(again);
    lab_scenario_free(first);
    lab_scenario_free(second);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_text/the_text_is_a_scenario_that_says_the_same",
                    test_the_text_is_a_scenario_that_says_the_same);
    return g_test_run();
}
