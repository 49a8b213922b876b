/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/replay_result.h"
#include "test.h"
#include "weir/units.h"

static char tfrc[] = "tfrc";
static char fixed[] = "fixed";

static const struct lab_replay_result same = {.recorded_algorithm = tfrc,
                                              .algorithm = tfrc,
                                              .records = 7,
                                              .duration_ns = WEIR_MS(1500),
                                              .decisions = 3,
                                              .is_compared = TRUE,
                                              .first_difference_ns = WEIR_UNKNOWN_NS,
                                              .recorded_bps = 250000.0,
                                              .replayed_bps = 250000.0};

static struct lab_replay_result different(void)
{
    struct lab_replay_result result = same;
    result.differences = 2;
    result.first_difference_ns = WEIR_MS(250);
    return result;
}

static struct lab_replay_result other(void)
{
    struct lab_replay_result result = same;
    result.algorithm = fixed;
    result.is_compared = FALSE;
    result.replayed_bps = 123456.0;
    return result;
}

static void check(const char *pattern, char *text)
{
    g_test_message("%s", text);
    g_assert_true(g_pattern_match_simple(pattern, text));
    g_free(text);
}

static void test_the_object_has_every_field(void)
{
    char *json = lab_replay_to_json(&same);
    g_assert_cmpstr(json, ==,
                    "{\n  \"recorded_algorithm\": \"tfrc\",\n  \"algorithm\": \"tfrc\",\n"
                    "  \"records\": 7,\n  \"duration_s\": 1.5,\n  \"decisions\": 3,\n"
                    "  \"differences\": 0,\n  \"first_difference_s\": null,\n"
                    "  \"recorded_bps\": 250000,\n  \"replayed_bps\": 250000\n}\n");
    g_free(json);
}

static void test_a_difference_has_its_place(void)
{
    struct lab_replay_result result = different();
    check("*\"differences\": 2,\n  \"first_difference_s\": 0.25,\n*", lab_replay_to_json(&result));
    check("tfrc: 7 records, 1.5 s, *differs 2 times, first after 0.250000 s*",
          lab_replay_to_text(&result));
}

/* Nothing is compared with another algorithm: not even 0 differences. */
static void test_another_algorithm_has_no_differences(void)
{
    struct lab_replay_result result = other();
    check("*\"algorithm\": \"fixed\",*\"differences\": null,*", lab_replay_to_json(&result));
    check("tfrc: *\nfixed would have answered 123 kbit/s on average\n",
          lab_replay_to_text(&result));
}

static void test_sameness_is_said(void)
{
    check("tfrc: 7 records, 1.5 s, 3 decisions, mean rate 250 kbit/s\n*bit for bit\n",
          lab_replay_to_text(&same));
}

static void test_it_is_cleared_twice(void)
{
    struct lab_replay_result result = {.recorded_algorithm = g_strdup("a"),
                                       .algorithm = g_strdup("b")};
    lab_replay_result_clear(&result);
    lab_replay_result_clear(&result);
    g_assert_null(result.algorithm);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/replay_result/the_object_has_every_field", test_the_object_has_every_field);
    g_test_add_func("/replay_result/a_difference_has_its_place", test_a_difference_has_its_place);
    g_test_add_func("/replay_result/another_algorithm_has_no_differences",
                    test_another_algorithm_has_no_differences);
    g_test_add_func("/replay_result/sameness_is_said", test_sameness_is_said);
    g_test_add_func("/replay_result/it_is_cleared_twice", test_it_is_cleared_twice);
    return g_test_run();
}
