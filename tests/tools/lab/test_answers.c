/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An impossible answer of a plugin's algorithm ends the run and is a sentence; another's is none of
 * our business. */
#include "answers.h"
#include "lab_fixture.h"
#include "plugins.h"
#include "weir/contract.h"

/* What the algorithm "odd" answers. */
static struct weir_control odd_answer;

static void odd_init(void *state, const struct weir_config *config)
{
    (void)state;
    (void)config;
}

static void odd_get_output(const void *state, struct weir_control *control)
{
    (void)state;
    *control = odd_answer;
}

static const struct weir_controller odd = {.name = "odd",
                                           .description = "Answers what the test says.",
                                           .spec = "none",
                                           .needs = WEIR_NEEDS_PACKETS,
                                           .init = odd_init,
                                           .get_output = odd_get_output};

/* As though a plugin had brought it. */
static void bring_odd(void)
{
    if (!lab_plugins_have("odd")) {
        g_assert_true(lab_plugins_load(NULL, NULL));
        g_assert_cmpint(weir_register_controller(&odd, WEIR_CONTRACT_VERSION, NULL, 0), ==,
                        WEIR_OK);
    }
}

#define SCENARIO                                                                                   \
    "{\"duration_s\": 2, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","            \
    " \"capacity_bps\": 1000000}], \"flows\": [{\"name\": \"call\", \"from\": \"A\", \"to\":"      \
    " \"B\", \"algorithm\": \"%s\", \"source\": {\"kind\": \"encoder\"}}]}"

/* The sentence, or NULL when the run came to its end. */
static char *sentence_of(const char *algorithm)
{
    g_autofree char *text = g_strdup_printf(SCENARIO, algorithm);
    struct lab_scenario *scenario = fixture_scenario(text, 1);
    struct lab_progress silent;
    struct lab_run run;
    GError *error = NULL;
    volatile sig_atomic_t stop = 0;
    lab_progress_init(&silent, NULL, FALSE, 0);
    g_assert_true(lab_run_init(&run, scenario, NULL));
    struct lab_answers *answers = lab_answers_watch(run.world, scenario, &stop);
    lab_run_simulate(&run, NULL, &silent, &stop);
    gboolean good = lab_answers_check(answers, &error);
    g_assert_cmpint(run.figures->complete, ==, good);
    lab_answers_free(answers);
    lab_run_finish(&run);
    lab_scenario_free(scenario);
    char *sentence = good ? NULL : g_strdup(error->message);
    g_clear_error(&error);
    return sentence;
}

static void what_is_negative_ends_the_run(void)
{
    static const struct {
        struct weir_control answer;
        const char *sentence;
    } rows[] = {
        {{.rate_bps = INT64_MIN, .window_bytes = WEIR_UNLIMITED_BYTES},
         "*'call'*odd answered rate_bps = -9223372036854775808; it must be 0 or more*NaN*"},
        {{.rate_bps = 300000, .pacing_bps = -1, .window_bytes = WEIR_UNLIMITED_BYTES},
         "*odd answered pacing_bps = -1; it must be 0 or more"},
        {{.rate_bps = 300000, .window_bytes = -2},
         "*odd answered window_bytes = -2; it must be 0 or more"},
    };
    bring_odd();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        odd_answer = rows[i].answer;
        g_autofree char *sentence = sentence_of("odd");
        g_assert_nonnull(sentence);
        g_assert_true(g_pattern_match_simple(rows[i].sentence, sentence));
    }
}

static void what_is_large_or_nothing_does_not(void)
{
    static const struct weir_control answers[] = {
        {.rate_bps = INT64_MAX, .pacing_bps = INT64_MAX, .window_bytes = WEIR_UNLIMITED_BYTES},
        {.rate_bps = 0, .window_bytes = 0},
    };
    bring_odd();
    for (size_t i = 0; i < G_N_ELEMENTS(answers); i++) {
        odd_answer = answers[i];
        g_assert_cmpstr(sentence_of("odd"), ==, NULL);
    }
}

static void the_librarys_own_are_good(void)
{
    g_assert_cmpstr(sentence_of("sluice"), ==, NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(function) g_test_add_func("/lab_answers/" #function, function)
    TEST(what_is_negative_ends_the_run);
    TEST(what_is_large_or_nothing_does_not);
    TEST(the_librarys_own_are_good);
    return g_test_run();
}
