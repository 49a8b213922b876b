/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/source.h"
#include "scenario_fixture.h"
#include "test.h"

/* The scenario with one flow of this algorithm and source. */
static char *content_for(const char *algorithm, const char *source)
{
    char *with = text_replace(SMALL, "{\"kind\": \"cbr\", \"rate_bps\": 500000}", source);
    char *content = text_replace(with, "$tested", algorithm);
    g_free(with);
    return content;
}

static struct lab_scenario *load_source(const char *algorithm, const char *source)
{
    char *content = content_for(algorithm, source);
    struct lab_scenario *scenario = load_good(content);
    g_free(content);
    return scenario;
}

static const struct {
    const char *json;
    enum weir__source_kind kind;
    enum weir__tcp_app_kind app;
    gboolean tcp, udp, media;
} sources[] = {
    {"{\"kind\": \"greedy\"}", WEIR__SOURCE_CBR, WEIR__TCP_GREEDY, TRUE, FALSE, TRUE},
    {"{}", WEIR__SOURCE_CBR, WEIR__TCP_GREEDY, TRUE, FALSE, TRUE},
    {"{\"kind\": \"finite\", \"bytes\": 1e6}", WEIR__SOURCE_CBR, WEIR__TCP_FINITE, TRUE, FALSE,
     FALSE},
    {"{\"kind\": \"cbr\", \"rate_bps\": 1e5}", WEIR__SOURCE_CBR, WEIR__TCP_FED, TRUE, TRUE, TRUE},
    {"{\"kind\": \"cbr\", \"rate_bps\": 1e5, \"on_s\": 2, \"off_s\": 1, \"begin\": \"off\"}",
     WEIR__SOURCE_CBR, WEIR__TCP_FED, TRUE, TRUE, TRUE},
    {"{\"kind\": \"pareto\", \"rate_bps\": 1e5}", WEIR__SOURCE_PARETO, WEIR__TCP_FED, TRUE, TRUE,
     TRUE},
    {"{\"kind\": \"voip\"}", WEIR__SOURCE_VOIP, WEIR__TCP_FED, TRUE, TRUE, TRUE},
    {"{\"kind\": \"video\"}", WEIR__SOURCE_FRAMES, WEIR__TCP_FED, TRUE, TRUE, TRUE},
    {"{\"kind\": \"vbr\"}", WEIR__SOURCE_FRAMES, WEIR__TCP_FED, TRUE, TRUE, TRUE},
    {"{\"kind\": \"encoder\"}", WEIR__SOURCE_ENCODER, WEIR__TCP_FED, FALSE, FALSE, TRUE},
    {"{\"kind\": \"web\"}", WEIR__SOURCE_CBR, WEIR__TCP_WEB, TRUE, FALSE, FALSE},
    {"{\"kind\": \"bursts\"}", WEIR__SOURCE_CBR, WEIR__TCP_BURSTS, TRUE, FALSE, FALSE},
    {"{\"kind\": \"stream\", \"rate_bps\": 1e5}", WEIR__SOURCE_CBR, WEIR__TCP_STREAM, TRUE, TRUE,
     TRUE},
};

static void check(gsize i, const char *algorithm, gboolean allowed)
{
    GError *error = NULL;
    char *content = content_for(algorithm, sources[i].json);
    struct lab_scenario *s = load_text(content, -1, NULL, &error);
    g_test_message("%s: %s", algorithm, sources[i].json);
    g_assert_true((s != NULL) == allowed);
    g_assert_true((error == NULL) == allowed);
    if (allowed) {
        const struct lab_flow *f = s->flows[0];
        const struct weir__source_config *c = f->kind == LAB_FLOW_TCP   ? &f->tcp.source
                                              : f->kind == LAB_FLOW_UDP ? &f->udp.source
                                                                        : &f->media.source;
        g_assert_cmpint(c->kind, ==, sources[i].kind);
        g_assert_cmpint(f->tcp.kind, ==, sources[i].app);
        g_assert_true(f->media.greedy == (sources[i].app == WEIR__TCP_GREEDY));
        if (sources[i].app == WEIR__TCP_FED || sources[i].app == WEIR__TCP_STREAM) {
            g_assert_cmpint(weir__source_check(c), ==, WEIR_OK);
        }
    }
    g_clear_error(&error);
    lab_scenario_free(s);
    g_free(content);
}

static void test_each_source_goes_with_the_flows_that_can_have_it(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(sources); i++) {
        check(i, "tcp-reno", sources[i].tcp);
        check(i, "udp", sources[i].udp);
        check(i, "tfrc", sources[i].media);
    }
}

static void test_rates_count_payload(void)
{
    struct lab_scenario *s =
        load_source("udp", "{\"kind\": \"cbr\", \"rate_bps\": 500000, \"packet_bytes\": 540}");
    g_assert_cmpint(s->flows[0]->udp.source.unit_bytes, ==, 500);
    g_assert_cmpint(s->flows[0]->udp.source.rate_bps, ==, 500000);
    g_assert_cmpint(s->flows[0]->media.media_bps, ==, 540000);
    lab_scenario_free(s);
}

static void test_wire_rates_count_headers_of_each_packet(void)
{
    static const struct {
        const char *source;
        int64_t bps;
    } cases[] = {
        {"{\"kind\": \"voip\"}", 80000},   /* 200 bytes in 20 ms */
        {"{\"kind\": \"video\"}", 532480}, /* 1040 / 1000 x 512000 */
        {"{\"kind\": \"vbr\", \"fps\": 10, \"frames\": [1460, 1461]}", 10 * 8 * (1500 + 1541) / 2},
        {"{\"kind\": \"stream\", \"rate_bps\": 146000}", 150000},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lab_scenario *s = load_source("tfrc", cases[i].source);
        g_assert_cmpint(s->flows[0]->media.media_bps, ==, cases[i].bps);
        lab_scenario_free(s);
    }
}

static void test_video_sends_a_frame_as_often_as_its_rate_wants(void)
{
    struct lab_scenario *s = load_source("tfrc", "{\"kind\": \"video\"}");
    const struct weir__source_config *c = &s->flows[0]->media.source;
    g_assert_cmpint(c->interval_ns, ==, 15625000);
    g_assert_cmpuint(c->n_frames, ==, 1);
    g_assert_cmpint(c->frame_bytes[0], ==, 1000);
    lab_scenario_free(s);
}

static void test_the_synthetic_trace_does_not_depend_on_the_seed(void)
{
    struct lab_overrides other = {.seed = "77"};
    char *content = content_for("tfrc", "{\"kind\": \"vbr\"}");
    struct lab_scenario *a = load_good(content);
    struct lab_scenario *b = load_overridden(content, &other);
    const struct weir__source_config *c = &a->flows[0]->media.source;
    g_assert_cmpuint(c->n_frames, ==, WEIR__VBR_FRAMES);
    g_assert_cmpint(c->interval_ns, ==, WEIR_MS(40));
    for (size_t i = 0; i < c->n_frames; i++) {
        g_assert_cmpint(c->frame_bytes[i], ==, b->flows[0]->media.source.frame_bytes[i]);
    }
    lab_scenario_free(a);
    lab_scenario_free(b);
    g_free(content);
}

static void test_encoders_lag_down_as_up_unless_told(void)
{
    static const struct {
        const char *source;
        int64_t down_ns;
    } cases[] = {{"{\"kind\": \"encoder\"}", 0},
                 {"{\"kind\": \"encoder\", \"lag_ms\": 300}", 300000000},
                 {"{\"kind\": \"encoder\", \"lag_ms\": 300, \"lag_down_ms\": 60}", 60000000}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *content = content_for("tfrc", cases[i].source);
        struct lab_scenario *s = load_text(content, -1, NULL, NULL);
        g_assert_cmpint(s->flows[0]->media.source.lag_ns, ==, i == 0 ? 0 : 300000000);
        g_assert_cmpint(s->flows[0]->media.source.lag_down_ns, ==, cases[i].down_ns);
        lab_scenario_free(s);
        g_free(content);
    }
}

static void test_what_does_not_fit_together_is_refused(void)
{
    static const struct {
        const char *algorithm, *source, *message;
    } cases[] = {
        {"udp", "{\"kind\": \"cbr\"}",
         "flows.call.source.rate_bps: is missing; it must be a number from 1 to 1000000000000"},
        {"udp", "{\"kind\": \"cbr\", \"rate_bps\": 1, \"on_s\": 1}",
         "flows.call.source.off_s: on_s and off_s are both 0 (always on), or both more"},
        {"udp", "{\"kind\": \"cbr\", \"rate_bps\": 1, \"begin\": \"off\"}",
         "flows.call.source.begin = \"off\": without on_s and off_s it is always on"},
        {"udp", "{\"kind\": \"cbr\", \"rate_bps\": 1, \"packet_bytes\": 40}",
         "flows.call.source.packet_bytes = 40: must be more than the flow's header_bytes, 40"},
        {"tfrc", "{\"kind\": \"encoder\", \"min_bps\": 9, \"max_bps\": 8}",
         "flows.call.source.min_bps = 9: must be at most max_bps, 8"},
        {"tfrc", "{\"kind\": \"encoder\", \"off_s\": 1}",
         "flows.call.source.off_s = 1: on_s and off_s are both 0 (always on), or both more"},
        {"tfrc", "{\"kind\": \"encoder\", \"begin\": \"off\"}",
         "flows.call.source.begin = \"off\": without on_s and off_s it is always on"},
        {"tfrc", "{\"kind\": \"encoder\", \"width_pixels\": 640}",
         "flows.call.source.height_pixels: width_pixels and height_pixels are both 0 (bits alone), "
         "or both more"},
        {"tfrc", "{\"kind\": \"encoder\", \"degradation\": \"balanced\"}",
         "flows.call.source.degradation = \"balanced\": needs a picture: width_pixels and "
         "height_pixels"},
        {"tcp-reno", "{\"kind\": \"bursts\", \"min_bytes\": 9, \"max_bytes\": 8}",
         "flows.call.source.min_bytes = 9: must be at most max_bytes, 8"},
        {"tfrc", "{\"kind\": \"vbr\", \"frames\": []}",
         "flows.call.source.frames = [...]: there are no frames"},
        {"tfrc", "{\"kind\": \"vbr\", \"frames\": [0]}",
         "flows.call.source.frames.0 = 0: must be a whole number from 1 to 10000000"},
        {"tfrc", "{\"kind\": \"vbr\", \"frames\": [1], \"mean_bps\": 1}",
         "flows.call.source.mean_bps = 1: only without frames, which have their own mean"},
        {"tfrc", "{\"kind\": \"voip\", \"rate_bps\": 1}",
         "flows.call.source.rate_bps = 1: unknown field; there are kind, talk_s, silence_s, "
         "padded, payload_bytes, interval_ms, comment"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *content = content_for(cases[i].algorithm, cases[i].source);
        assert_bad(content, NULL, cases[i].message);
        g_free(content);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_source/each_source_goes_with_the_flows_that_can_have_it",
                    test_each_source_goes_with_the_flows_that_can_have_it);
    g_test_add_func("/scenario_source/rates_count_payload", test_rates_count_payload);
    g_test_add_func("/scenario_source/wire_rates_count_headers_of_each_packet",
                    test_wire_rates_count_headers_of_each_packet);
    g_test_add_func("/scenario_source/video_sends_a_frame_as_often_as_its_rate_wants",
                    test_video_sends_a_frame_as_often_as_its_rate_wants);
    g_test_add_func("/scenario_source/the_synthetic_trace_does_not_depend_on_the_seed",
                    test_the_synthetic_trace_does_not_depend_on_the_seed);
    g_test_add_func("/scenario_source/encoders_lag_down_as_up_unless_told",
                    test_encoders_lag_down_as_up_unless_told);
    g_test_add_func("/scenario_source/what_does_not_fit_together_is_refused",
                    test_what_does_not_fit_together_is_refused);
    return g_test_run();
}
