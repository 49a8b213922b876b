/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/group.h"
#include "scenario_fixture.h"
#include "test.h"

/* A voice and a video on one link; what is tested is put in their places, and a third flow behind
 * them. */
static char *group_text(const char *voice, const char *video, const char *more)
{
    return g_strdup_printf(
        "{\"duration_s\": 10, \"links\": [{\"name\": \"b\", \"from\": \"R1\", \"to\": \"R2\","
        " \"capacity_bps\": 1000000}], \"flows\": ["
        "{\"name\": \"voice\", \"group\": \"call\", \"from\": \"R1\", \"to\": \"R2\","
        " \"source\": {\"kind\": \"voip\"}, \"priority\": 2%s},"
        "{\"name\": \"video\", \"group\": \"call\", \"from\": \"R1\", \"to\": \"R2\","
        " \"source\": {\"kind\": \"encoder\"}, \"priority\": 0.5%s}%s]}",
        voice, video, more);
}

static void test_flows_with_a_priority_share_the_session_of_their_group(void)
{
    char *text = group_text("", "",
                            ", {\"name\": \"tcp\", \"group\": \"call\", \"from\": \"R1\", \"to\":"
                            " \"R2\", \"algorithm\": \"tcp-reno\"}, {\"name\": \"other\","
                            " \"group\": \"other\", \"priority\": 1, \"from\": \"R1\", \"to\":"
                            " \"R2\", \"source\": {\"kind\": \"encoder\"}}");
    struct lab_scenario *s = load_good(text);
    struct lab_flow *const *f = s->flows;
    g_assert_cmpuint(s->n_flows, ==, 4);
    g_assert_null(lab_group_first(f, 4, f[0]));
    g_assert_true(lab_group_first(f, 4, f[1]) == f[0]);
    g_assert_null(lab_group_first(f, 4, f[2]));
    g_assert_null(lab_group_first(f, 4, f[3]));
    g_assert_cmpuint(f[0]->media.weight, ==, 2000);
    g_assert_cmpuint(f[1]->media.weight, ==, 500);
    g_assert_true(f[0]->media.is_audio);
    g_assert_false(f[1]->media.is_audio);
    lab_scenario_free(s);
    g_free(text);
}

/* A voice by itself has no video that it could pass. */
static void test_without_a_priority_a_flow_has_a_session_of_its_own(void)
{
    struct lab_scenario *s = load_with("\"kind\": \"cbr\", \"rate_bps\": 500000}",
                                       "\"kind\": \"voip\"}, \"group\": \"g\"");
    g_assert_cmpint(s->flows[0]->weight, ==, 0);
    g_assert_cmpuint(s->flows[0]->media.weight, ==, 1);
    g_assert_false(s->flows[0]->media.is_audio);
    g_assert_null(lab_group_first(s->flows, s->n_flows, s->flows[0]));
    lab_scenario_free(s);
}

static void test_what_does_not_fit_is_named(void)
{
    static const struct {
        const char *voice, *video, *more, *message;
    } all[] = {
        {"", ", \"algorithm\": \"arc\"", "",
         "flows.video.algorithm = \"arc\": must be the same as that of \"voice\", with which it "
         "shares the "
         "session of group \"call\""},
        {", \"algorithm\": \"tfrc\"", ", \"algorithm\": \"tfrc\", \"params\": {\"sp\": true}", "",
         "flows.video.params = {...}: must be the same as that of \"voice\", with which it shares "
         "the session of group \"call\""},
        {"", ", \"pacing\": false", "",
         "flows.video.pacing = false: must be the same as that of \"voice\", with which it shares "
         "the "
         "session of group \"call\""},
        {"", ", \"pacing_quantum_ms\": 5", "",
         "flows.video.pacing_quantum_ms = 5: must be the same as that of \"voice\", with which it "
         "shares "
         "the session of group \"call\""},
        {", \"circuit_breaker\": true", "", "",
         "flows.video.circuit_breaker: must be the same as that of \"voice\", with which it shares "
         "the "
         "session of group \"call\""},
        {"", ", \"reorder_packets\": 1", "",
         "flows.video.reorder_packets = 1: must be the same as that of \"voice\", with which it "
         "shares the session of group \"call\""},
        {"", ", \"header_bytes\": 48", "",
         "flows.video.header_bytes = 48: must be the same as that of \"voice\", with which it "
         "shares the "
         "session of group \"call\""},
        {", \"access_ms\": 10", "", "",
         "flows.video.access_ms: must be the same as that of \"voice\", with which it shares the "
         "session "
         "of group \"call\""},
        /* 10 of voice's 20 ms are at its receiver */
        {", \"access_ms\": 20, \"receiver_access_share\": 0.5", ", \"access_ms\": 10", "",
         "flows.video.access_ms = 10: must be the same as that of \"voice\", with which it shares "
         "the session of group \"call\""},
        {", \"start_s\": 3", ", \"start_s\": 2", "",
         "flows.video.start_s = 2: must not be earlier than that of \"voice\", with which it "
         "shares "
         "the session of group \"call\""},
        {"", "",
         ", {\"name\": \"back\", \"group\": \"call\", \"priority\": 1, \"from\": \"R2\", \"to\":"
         " \"R1\", \"source\": {\"kind\": \"encoder\"}}",
         "flows.back.from = \"R2\": must be the route of \"voice\", with which it shares the "
         "session of group \"call\""},
        {"", "",
         ", {\"name\": \"tcp\", \"priority\": 1, \"from\": \"R1\", \"to\": \"R2\", \"algorithm\":"
         " \"tcp-reno\"}",
         "flows.tcp.priority = 1: only flows of the library's algorithms share a session"},
        {"", "", ", {\"name\": \"x\", \"priority\": 1, \"from\": \"R1\", \"to\": \"R2\"}",
         "flows.x.source: must not be greedy in a group, where nobody else would get a turn; "
         "\"encoder\" makes what it may"},
        {", \"media_start\": \"when-allowed\"", "", "",
         "flows.voice.media_start = \"when-allowed\": must be \"at-once\" in a group"},
        {"", "", ", {\"name\": \"x\", \"priority\": 0, \"from\": \"R1\", \"to\": \"R2\"}",
         "flows.x.priority = 0: must be a number from 0.001 to 1000"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
        char *text = group_text(all[i].voice, all[i].video, all[i].more);
        assert_bad(text, NULL, all[i].message);
        g_free(text);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/group/flows_with_a_priority_share_the_session_of_their_group",
                    test_flows_with_a_priority_share_the_session_of_their_group);
    g_test_add_func("/group/without_a_priority_a_flow_has_a_session_of_its_own",
                    test_without_a_priority_a_flow_has_a_session_of_its_own);
    g_test_add_func("/group/what_does_not_fit_is_named", test_what_does_not_fit_is_named);
    return g_test_run();
}
