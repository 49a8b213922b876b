/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/profiles.h"
#include "scenario_fixture.h"
#include "test.h"

#define PROFILES                                                                                   \
    "\"profiles\": {\"Old\": {\"algorithm\": \"tfrc\", \"params\": {\"profile\": \"rfc3448\", "    \
    "\"sp\": \"=n-2\"}, \"packet_bytes\": 1000, \"feedback\": {\"format\": \"twcc\"}}, "           \
    "\"Mine\": {\"algorithm\": \"tcp-sack\", \"label\": \"My TCP\"}}, \"vars\""

static char *with_profiles(const char *algorithm)
{
    char *content = text_replace(SMALL, "\"vars\"", PROFILES);
    char *result = text_replace(content, "$tested", algorithm);
    g_free(content);
    return result;
}

static void test_a_flow_takes_what_it_does_not_say_from_its_profile(void)
{
    char *content = with_profiles("Old");
    char *own =
        text_replace(content, "\"tested\": true",
                     "\"tested\": true, \"params\": {\"sp\": false}, \"packet_bytes\": 900");
    struct lab_scenario *s = load_good(own);
    const struct lab_flow *f = s->flows[0];
    g_assert_cmpstr(f->algorithm, ==, "Old");
    g_assert_cmpint(f->packet_bytes, ==, 900);
    g_assert_cmpuint(f->media.receiver.format, ==, WEIR_FEEDBACK_TWCC);
    g_assert_cmpuint(f->media.sender.n_params, ==, 2);
    assert_near(f->params[1].value, 0, 1e-12);
    lab_scenario_free(s);
    g_free(own);
    g_free(content);
}

static void test_a_profile_can_be_tcp_and_have_a_label(void)
{
    char *content = with_profiles("Mine");
    struct lab_scenario *s = load_good(content);
    g_assert_cmpint(s->flows[0]->kind, ==, LAB_FLOW_TCP);
    g_assert_cmpstr(s->flows[0]->algorithm, ==, "My TCP");
    lab_scenario_free(s);
    g_free(content);
}

static void test_the_command_line_changes_tested_flows_alone(void)
{
    static const char *const params[] = {"loss-intervals=16", "profile=rfc3448", "sp=true", NULL};
    struct lab_overrides overrides = {.params = params};
    struct lab_scenario *s = load_overridden(SMALL, &overrides);
    g_assert_cmpuint(s->flows[0]->media.sender.n_params, ==, 3);
    assert_near(s->flows[0]->params[0].value, 16, 1e-12);
    g_assert_cmpstr(s->flows[1]->algorithm, ==, "tcp-reno");
    lab_scenario_free(s);
}

static void test_another_algorithm_forgets_the_parameters(void)
{
    char *content = with_profiles("Old");
    static const struct {
        const char *algorithm;
        enum lab_flow_kind kind;
        size_t n_params;
    } cases[] = {{"fixed", LAB_FLOW_MEDIA, 0},
                 {"tcp-vegas", LAB_FLOW_TCP, 0},
                 {"udp", LAB_FLOW_UDP, 0},
                 {"tfrc", LAB_FLOW_MEDIA, 0},
                 {"Old", LAB_FLOW_MEDIA, 2}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lab_overrides overrides = {.algorithm = cases[i].algorithm};
        struct lab_scenario *s = load_overridden(content, &overrides);
        g_assert_cmpint(s->flows[0]->kind, ==, cases[i].kind);
        g_assert_cmpstr(s->flows[0]->algorithm, ==, cases[i].algorithm);
        g_assert_cmpuint(s->flows[0]->media.sender.n_params, ==, cases[i].n_params);
        g_assert_cmpstr(s->flows[1]->algorithm, ==, "tcp-reno");
        lab_scenario_free(s);
    }
    g_free(content);
}

static void test_options_that_are_wrong_or_change_nothing_are_errors(void)
{
    static const char *const no_value[] = {"sp", NULL};
    static const char *const unknown[] = {"spp=1", NULL};
    struct lab_overrides overrides = {.algorithm = "tfrcc"};
    char *message = load_bad(SMALL, &overrides);
    g_assert_true(g_str_has_prefix(message, "flows.call.algorithm = \"tfrcc\": there is no such "));
    g_free(message);
    overrides = (struct lab_overrides){.params = no_value};
    assert_bad(SMALL, &overrides, "--param: sp: must be NAME=VALUE");
    overrides = (struct lab_overrides){.params = unknown};
    message = load_bad(SMALL, &overrides);
    g_assert_true(g_str_has_prefix(message, "flows.call.params.spp = 1: tfrc has no parameter"));
    g_free(message);
    char *none = text_replace(SMALL, "\"tested\": true,", "");
    overrides = (struct lab_overrides){.algorithm = "tfrc"};
    assert_bad(none, &overrides,
               "--algorithm is for flows with \"tested\": true, and there are none");
    g_free(none);
}

static void test_profiles_that_nobody_uses_are_checked(void)
{
    static const struct {
        const char *profiles, *message;
    } cases[] = {
        {"{\"A\": {\"rtt\": 1}}", "profiles.A.rtt = 1: unknown field; did you mean rtt_ms?"},
        {"{\"A\": 5}", "profiles.A = 5: must be an object, {...}"},
        {"5", "profiles = 5: must be an object or the name of a file"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *to = g_strdup_printf("\"profiles\": %s, \"vars\"", cases[i].profiles);
        char *content = text_replace(SMALL, "\"vars\"", to);
        assert_bad(content, NULL, cases[i].message);
        g_free(content);
        g_free(to);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_profiles/a_flow_takes_what_it_does_not_say_from_its_profile",
                    test_a_flow_takes_what_it_does_not_say_from_its_profile);
    g_test_add_func("/scenario_profiles/a_profile_can_be_tcp_and_have_a_label",
                    test_a_profile_can_be_tcp_and_have_a_label);
    g_test_add_func("/scenario_profiles/the_command_line_changes_tested_flows_alone",
                    test_the_command_line_changes_tested_flows_alone);
    g_test_add_func("/scenario_profiles/another_algorithm_forgets_the_parameters",
                    test_another_algorithm_forgets_the_parameters);
    g_test_add_func("/scenario_profiles/options_that_are_wrong_or_change_nothing_are_errors",
                    test_options_that_are_wrong_or_change_nothing_are_errors);
    g_test_add_func("/scenario_profiles/profiles_that_nobody_uses_are_checked",
                    test_profiles_that_nobody_uses_are_checked);
    return g_test_run();
}
