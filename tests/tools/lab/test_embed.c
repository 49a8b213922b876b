/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run as a function gives what the command gives; what is wrong is a sentence. */
#include "../../test.h"
#include "embed.h"

static void a_run_gives_its_result(void)
{
    const struct weir_lab_run run = {.scenario = "call", .duration_s = 10.0, .seed = "3"};
    for (int i = 0; i < 2; i++) {
        char *wrong = NULL;
        char *text = weir_lab_simulate(&run, &wrong);
        g_assert_cmpstr(wrong, ==, NULL);
        g_assert_nonnull(strstr(text, "\"seed\": 3"));
        g_assert_nonnull(strstr(text, "\"complete\": true"));
        weir_lab_free(text);
    }
}

static void what_is_wrong_is_a_sentence(void)
{
    static const struct {
        struct weir_lab_run run;
        const char *word;
    } rows[] = {
        {{.scenario = "nope"}, "nope"},
        {{.scenario = "call", .seed = "-1"}, "seed -1: must be a whole number"},
        {{.scenario = "call", .algorithm = "nix"}, "nix"},
        {{.scenario = "call", .out = "/proc/no/such"}, "/proc/no/such"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *wrong = NULL;
        g_assert_null(weir_lab_simulate(&rows[i].run, &wrong));
        g_assert_nonnull(strstr(wrong, rows[i].word));
        weir_lab_free(wrong);
    }
}

/* Stopped before it begins means nothing: each run begins anew. */
static void a_stop_is_of_one_run(void)
{
    const struct weir_lab_run run = {.scenario = "call", .duration_s = 5.0};
    char *wrong = NULL;
    weir_lab_stop();
    char *text = weir_lab_simulate(&run, &wrong);
    g_assert_nonnull(strstr(text, "\"complete\": true"));
    weir_lab_free(text);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(function) g_test_add_func("/lab_embed/" #function, function)
    TEST(a_run_gives_its_result);
    TEST(what_is_wrong_is_a_sentence);
    TEST(a_stop_is_of_one_run);
    return g_test_run();
}
