/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/resolve.h"
#include "scenario_fixture.h"
#include "test.h"
#include <stdlib.h>

static void test_options_override_the_file(void)
{
    static const char *const sets[] = {"links.b.delay_ms=5", "vars.tested=fixed",
                                       "links.b.queue.packets=50", "measure.bin_s=0.5", NULL};
    struct lab_overrides overrides = {.sets = sets, .seed = "42", .duration_s = 3.5};
    struct lab_scenario *s = load_overridden(SMALL, &overrides);
    g_assert_cmpint(s->links[0]->config.delay_ns, ==, WEIR_MS(5));
    g_assert_cmpint(s->links[0]->config.queue.limit.packets, ==, 50);
    g_assert_cmpstr(s->flows[0]->algorithm, ==, "fixed");
    g_assert_cmpint(s->bin_ns, ==, WEIR_MS(500));
    g_assert_cmpuint(s->seed, ==, 42);
    g_assert_cmpint(s->duration_ns, ==, WEIR_MS(3500));
    g_assert_cmpint(s->to_ns, ==, WEIR_MS(3500));
    lab_scenario_free(s);
}

static void test_a_shorter_run_ends_its_window_earlier(void)
{
    struct lab_overrides overrides = {.duration_s = 6};
    char *content =
        text_replace(SMALL, "\"vars\"", "\"measure\": {\"from_s\": 5, \"to_s\": 8}, \"vars\"");
    struct lab_scenario *s = load_overridden(content, &overrides);
    g_assert_cmpint(s->to_ns, ==, WEIR_SECONDS(6));
    lab_scenario_free(s);
    overrides.duration_s = 4;
    assert_bad(content, &overrides,
               "measure.from_s = 5: must be before the end of the window, at 4");
    g_free(content);
}

static void test_options_outside_their_range_are_errors(void)
{
    struct lab_overrides overrides = {.duration_s = -1};
    assert_bad(SMALL, &overrides, "--duration: must be a number of seconds greater than 0");
    overrides = (struct lab_overrides){.duration_s = G_MAXDOUBLE};
    assert_bad(SMALL, &overrides,
               "duration_s = 1.79769313486232e+308: must be a number from 1e-06 to 1000000");
    overrides = (struct lab_overrides){.seed = "9007199254740992"};
    assert_bad(SMALL, &overrides,
               "--seed 9007199254740992: must be a whole number from 0 to 9007199254740991");
}

/* A slip of the pen must not end in a result. */
static void test_set_changes_variables_that_there_are(void)
{
    static const struct {
        const char *set, *message;
    } cases[] = {
        {"vars.testd=fixed",
         "--set: vars.testd = \"fixed\": there is no such variable; did you mean tested?"},
        {"vars.speed=1", "--set: vars.speed = 1: there is no such variable; there are n, tested"},
        {"vars={\"n\": 1, \"speed\": 1}",
         "--set: vars.speed = 1: there is no such variable; there are n, tested"},
        {"base=dumbbell",
         "--set: base = \"dumbbell\": a base cannot be set: only a scenario file can name one"},
        {"base=./test.json", "--set: base = \"./test.json\": a base cannot be set: only a scenario "
                             "file can name one"},
        {"profiles={\"tfrc\":{\"algorithm\":\"fixed\"}}",
         "profiles.tfrc: an algorithm has this name: a profile needs another"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *const sets[] = {"vars.n=2", cases[i].set, NULL};
        struct lab_overrides overrides = {.sets = sets};
        assert_bad(SMALL, &overrides, cases[i].message);
    }
    const char *const sets[] = {"vars.n=2", NULL};
    struct lab_overrides overrides = {.sets = sets};
    char *content = text_replace(SMALL, "\"vars\": {\"n\": 3, \"tested\": \"tfrc\"},", "");
    assert_bad(content, &overrides, "--set: vars.n = 2: there is no such variable; there are none");
    g_free(content);
}

static void test_nothing_is_left_to_resolve(void)
{
    struct lab_scenario *s = load_with("\"name\": \"tcp\"", "\"name\": \"t{i}\", \"count\": 2, "
                                                            "\"start_s\": {\"even\": [1, 2]}");
    char *json = json_dumps(s->resolved, JSON_COMPACT);
    static const char *const gone[] = {"vars", "base", "profiles", "$", "{i}", "count", "even"};
    for (gsize i = 0; i < G_N_ELEMENTS(gone); i++) {
        g_assert_null(strstr(json, gone[i]));
    }
    g_assert_nonnull(strstr(json, "\"name\":\"t2\""));
    free(json);
    lab_scenario_free(s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_resolve/options_override_the_file", test_options_override_the_file);
    g_test_add_func("/scenario_resolve/a_shorter_run_ends_its_window_earlier",
                    test_a_shorter_run_ends_its_window_earlier);
    g_test_add_func("/scenario_resolve/options_outside_their_range_are_errors",
                    test_options_outside_their_range_are_errors);
    g_test_add_func("/scenario_resolve/set_changes_variables_that_there_are",
                    test_set_changes_variables_that_there_are);
    g_test_add_func("/scenario_resolve/nothing_is_left_to_resolve",
                    test_nothing_is_left_to_resolve);
    return g_test_run();
}
