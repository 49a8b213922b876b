/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario/flow.h"
#include "scenario_fixture.h"
#include "test.h"

/* The tested flow with more fields. */
static struct lab_scenario *load_flow(const char *more)
{
    char *to = g_strdup_printf("\"tested\": true, %s", more);
    struct lab_scenario *scenario = load_with("\"tested\": true", to);
    g_free(to);
    return scenario;
}

static void test_a_media_flow_has_the_defaults_of_the_page(void)
{
    struct lab_scenario *s = load_good(SMALL);
    const struct weir__media_flow_config *m = &s->flows[0]->media;
    g_assert_cmpstr(m->sender.algorithm, ==, "tfrc");
    g_assert_cmpint(m->sender.limits.min_bps, ==, 1000);
    g_assert_cmpint(m->sender.limits.start_bps, ==, 300000);
    g_assert_cmpint(m->sender.limits.max_bps, ==, INT64_C(10000000000));
    g_assert_true(m->sender.pacing);
    g_assert_cmpint(m->sender.pacing_quantum_ns, ==, 0);
    g_assert_cmpint(m->sender.reorder_packets, ==, 3);
    g_assert_false(m->sender.circuit_breaker);
    g_assert_cmpuint(m->sender.overhead_bytes, ==, 28);
    g_assert_cmpuint(m->receiver.overhead_bytes, ==, 28);
    g_assert_cmpuint(m->receiver.format, ==, WEIR_FEEDBACK_CCFB);
    g_assert_cmpint(m->receiver.interval_ns, ==, 0);
    g_assert_false(m->feedback_per_packet);
    g_assert_true(m->receiver.extra_compounds);
    g_assert_cmpint(m->buffer_packets, ==, 4096);
    g_assert_cmpint(m->buffer_time_ns, ==, WEIR_NEVER_NS);
    g_assert_cmpint(m->buffer_policy, ==, WEIR_QUEUE_DROP_NEWEST);
    g_assert_cmpint(m->packet_bytes, ==, 1500);
    g_assert_cmpint(m->header_bytes, ==, 40);
    g_assert_cmpint(m->stop_ns, ==, WEIR_NEVER_NS);
    g_assert_false(m->media_when_allowed);
    lab_scenario_free(s);
}

static void test_a_tcp_flow_has_the_defaults_of_the_page(void)
{
    struct lab_scenario *s = load_good(SMALL);
    const struct weir__tcp_flow_config *t = &s->flows[1]->tcp.tcp;
    g_assert_cmpint(t->tcp.window_packets, ==, 1000);
    g_assert_cmpint(t->tcp.initial_window_packets, ==, 2);
    g_assert_cmpint(t->tcp.initial_ssthresh_packets, ==, 0);
    g_assert_cmpint(t->delayed_ack_ns, ==, WEIR_MS(100));
    g_assert_cmpint(t->ack_bytes, ==, 40);
    g_assert_true(t->tcp.limited_transmit && t->tcp.idle_restart && !t->tcp.cwv);
    g_assert_false(t->tcp.repeated_recovery);
    g_assert_cmpint(t->tcp.rto.min_ns, ==, WEIR_MS(200));
    g_assert_cmpint(t->tcp.rto.initial_ns, ==, WEIR_SECONDS(3));
    g_assert_cmpint(t->tcp.rto.max_ns, ==, WEIR_SECONDS(60));
    g_assert_cmpint(t->tcp.rto.tick_ns, ==, WEIR_MS(10));
    lab_scenario_free(s);
}

static void test_every_algorithm_is_known(void)
{
    static const struct {
        const char *name;
        enum weir__tcp_variant variant;
    } tcps[] = {{"tcp-reno", WEIR__TCP_RENO},         {"tcp-newreno", WEIR__TCP_NEWRENO},
                {"tcp-sack", WEIR__TCP_SACK},         {"tcp-vegas", WEIR__TCP_VEGAS},
                {"tcp-westwood", WEIR__TCP_WESTWOOD}, {"tcp-cubic", WEIR__TCP_CUBIC},
                {"tcp-prague", WEIR__TCP_PRAGUE}};
    for (gsize i = 0; i < G_N_ELEMENTS(tcps); i++) {
        struct lab_scenario *s = load_with("tcp-reno", tcps[i].name);
        g_assert_cmpint(s->flows[1]->tcp.tcp.tcp.variant, ==, tcps[i].variant);
        g_assert_cmpstr(s->flows[1]->algorithm, ==, tcps[i].name);
        lab_scenario_free(s);
    }
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        struct lab_scenario *s = load_with("$tested", weir_algorithm_name(i));
        g_assert_cmpstr(s->flows[0]->media.sender.algorithm, ==, weir_algorithm_name(i));
        lab_scenario_free(s);
    }
}

/* scenarios/profiles/linux.json and the library mean the same. */
static void test_linux_profiles_are_those_of_the_library(void)
{
    static const struct {
        const char *name;
        enum weir__tcp_variant variant;
    } profiles[] = {{"Linux/Reno", WEIR__TCP_SACK}, {"Linux/Cubic", WEIR__TCP_CUBIC}};
    for (gsize i = 0; i < G_N_ELEMENTS(profiles); i++) {
        char *linux_ones = text_replace(SMALL, "\"vars\"", "\"profiles\": \"linux\", \"vars\"");
        char *content = text_replace(linux_ones, "tcp-reno", profiles[i].name);
        struct lab_scenario *s = load_good(content);
        const struct weir__tcp_flow_config *a = &s->flows[1]->tcp.tcp;
        struct weir__tcp_flow_config b;
        weir__tcp_flow_config_linux(&b);
        g_assert_cmpint(a->tcp.variant, ==, profiles[i].variant);
        g_assert_cmpint(a->header_bytes, ==, b.header_bytes);
        g_assert_cmpint(a->ack_bytes, ==, b.ack_bytes);
        g_assert_cmpint(a->delayed_ack_ns, ==, b.delayed_ack_ns);
        g_assert_cmpint(a->tcp.initial_window_packets, ==, b.tcp.initial_window_packets);
        g_assert_cmpint(a->tcp.window_packets, ==, b.tcp.window_packets);
        g_assert_true(a->tcp.byte_counting && b.tcp.byte_counting);
        g_assert_cmpint(a->tcp.rto.initial_ns, ==, b.tcp.rto.initial_ns);
        g_assert_cmpint(a->tcp.rto.min_ns, ==, b.tcp.rto.min_ns);
        g_assert_cmpint(a->tcp.rto.max_ns, ==, b.tcp.rto.max_ns);
        g_assert_cmpint(a->tcp.rto.tick_ns, ==, b.tcp.rto.tick_ns);
        lab_scenario_free(s);
        g_free(content);
        g_free(linux_ones);
    }
}

static void test_parameters_are_numbers_in_the_end(void)
{
    struct lab_scenario *s =
        load_flow("\"params\": {\"profile\": \"rfc3448\", \"sp\": true, \"loss-intervals\": 16}");
    const struct weir_sender_config *c = &s->flows[0]->media.sender;
    g_assert_cmpuint(c->n_params, ==, 3);
    g_assert_true(c->params == s->flows[0]->params);
    g_assert_cmpstr(c->params[0].name, ==, "profile");
    g_assert_null(c->params[0].value_text);
    assert_near(c->params[1].value, 1, 1e-12);
    assert_near(c->params[2].value, 16, 1e-12);
    for (size_t i = 0; i < c->n_params; i++) {
        g_assert_cmpint(weir_param_check("tfrc", &c->params[i], NULL, NULL, 0), ==, WEIR_OK);
    }
    lab_scenario_free(s);
}

static void test_feedback_buffer_and_limits_are_read(void)
{
    struct lab_scenario *s = load_flow(
        "\"feedback\": {\"format\": \"twcc\", \"interval_ms\": 50, \"per_packet\": true, "
        "\"extra_compounds\": false, \"rtt_with_media\": true}, "
        "\"buffer\": {\"packets\": 5, \"time_ms\": 400, \"policy\": \"drop-frame\"}, "
        "\"limits\": {\"max_bps\": 200000}, \"pacing\": false, \"circuit_breaker\": true, "
        "\"reorder_packets\": 1, "
        "\"pacing_quantum_ms\": 2.5, \"media_start\": \"when-allowed\", \"playout_prebuffer_s\": "
        "[0.1, 2], \"start_s\": 1, "
        "\"stop_s\": 9, \"access_jitter_ms\": 3, \"jitter_per_burst\": true");
    const struct lab_flow *f = s->flows[0];
    g_assert_cmpuint(f->media.receiver.format, ==, WEIR_FEEDBACK_TWCC);
    g_assert_cmpint(f->media.receiver.interval_ns, ==, WEIR_MS(50));
    g_assert_true(f->media.feedback_per_packet);
    g_assert_false(f->media.receiver.extra_compounds);
    g_assert_true(f->media.rtt_with_media);
    g_assert_cmpint(f->media.buffer_packets, ==, 5);
    g_assert_cmpint(f->media.buffer_time_ns, ==, WEIR_MS(400));
    g_assert_cmpint(f->media.buffer_policy, ==, WEIR_QUEUE_DROP_FRAME);
    g_assert_cmpint(f->media.sender.limits.start_bps, ==, 200000);
    g_assert_false(f->media.sender.pacing);
    g_assert_cmpint(f->media.sender.pacing_quantum_ns, ==, WEIR_US(2500));
    g_assert_true(f->media.sender.circuit_breaker);
    g_assert_cmpint(f->media.sender.reorder_packets, ==, 1);
    g_assert_true(f->media.media_when_allowed);
    g_assert_cmpuint(f->n_prebuffers, ==, 2);
    g_assert_cmpint(f->prebuffers_ns[0], ==, WEIR_MS(100));
    g_assert_cmpint(f->media.start_ns, ==, WEIR_SECONDS(1));
    g_assert_cmpint(f->media.source.stop_ns, ==, WEIR_SECONDS(9));
    g_assert_cmpint(f->entry_jitter_ns, ==, WEIR_MS(3));
    g_assert_true(f->jitters_bursts);
    lab_scenario_free(s);
}

/* start and min give way to what is said, and never leave their order. */
static void test_limits_that_are_not_said_fit_those_that_are(void)
{
    static const struct {
        const char *limits;
        int64_t min, start, max;
    } cases[] = {
        {"{\"max_bps\": 500}", 500, 500, 500},
        {"{\"min_bps\": 400000}", 400000, 400000, INT64_C(10000000000)},
        {"{\"start_bps\": 900}", 900, 900, INT64_C(10000000000)},
        {"{\"min_bps\": 5, \"start_bps\": 6, \"max_bps\": 7}", 5, 6, 7},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *more = g_strdup_printf("\"limits\": %s", cases[i].limits);
        struct lab_scenario *s = load_flow(more);
        const struct weir_limits *l = &s->flows[0]->media.sender.limits;
        g_assert_cmpint(l->min_bps, ==, cases[i].min);
        g_assert_cmpint(l->start_bps, ==, cases[i].start);
        g_assert_cmpint(l->max_bps, ==, cases[i].max);
        lab_scenario_free(s);
        g_free(more);
    }
}

static void test_headers_are_ip_udp_and_rtp(void)
{
    static const struct {
        const char *sizes;
        unsigned overhead, rtp;
    } cases[] = {
        {"\"packet_bytes\": 1000", 28, 972},
        {"\"packet_bytes\": 1000, \"header_bytes\": 54", 42, 958},
        {"\"packet_bytes\": 1000, \"header_bytes\": 0", 0, 1000},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct lab_scenario *s = load_flow(cases[i].sizes);
        g_assert_cmpuint(s->flows[0]->media.sender.overhead_bytes, ==, cases[i].overhead);
        g_assert_cmpuint(s->flows[0]->media.sender.packet_bytes, ==, cases[i].rtp);
        lab_scenario_free(s);
    }
}

static void test_repair_is_auto_or_a_percentage_of_frames(void)
{
    static const struct {
        const char *repair;
        gboolean good, follows;
        uint32_t percent;
    } cases[] = {{"\"auto\"", TRUE, TRUE, 0}, {"0", TRUE, FALSE, 0},   {"35", TRUE, FALSE, 35},
                 {"100", TRUE, FALSE, 100},   {"\"on\"", FALSE, 0, 0}, {"101", FALSE, 0, 0},
                 {"0.5", FALSE, 0, 0},        {"-1", FALSE, 0, 0},     {"true", FALSE, 0, 0}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        for (int frames = 0; frames < 2; frames++) {
            g_autofree char *more =
                g_strdup_printf("\"tested\": true, \"repair\": %s", cases[i].repair);
            g_autofree char *with = text_replace(SMALL, "\"tested\": true", more);
            g_autofree char *content =
                text_replace(with, "\"kind\": \"cbr\", \"rate_bps\": 500000",
                             frames ? "\"kind\": \"encoder\"" : "\"kind\": \"greedy\"");
            GError *error = NULL;
            struct lab_scenario *s = load_text(content, -1, NULL, &error);
            g_assert_true((s != NULL) == (cases[i].good && frames));
            if (s != NULL) {
                g_assert_true(s->flows[0]->media.follows_frames);
                g_assert_true(s->flows[0]->media.repair_follows == cases[i].follows);
                g_assert_cmpuint(s->flows[0]->media.repair_percent, ==, cases[i].percent);
            }
            g_clear_error(&error);
            lab_scenario_free(s);
        }
    }
}

static void test_what_is_sent_again_is_of_frames(void)
{
    static const struct {
        const char *wait, *source;
        gboolean good;
        int64_t wait_ns;
    } cases[] = {{"1000", "encoder", TRUE, WEIR_SECONDS(1)},
                 {"0", "encoder", TRUE, 0},
                 {"0", "greedy", TRUE, 0},
                 {"1000", "greedy", FALSE, 0},
                 {"-1", "encoder", FALSE, 0},
                 {"10001", "encoder", FALSE, 0}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *more =
            g_strdup_printf("\"tested\": true, \"resend_ms\": %s", cases[i].wait);
        g_autofree char *with = text_replace(SMALL, "\"tested\": true", more);
        g_autofree char *source = g_strdup_printf("\"kind\": \"%s\"", cases[i].source);
        g_autofree char *content =
            text_replace(with, "\"kind\": \"cbr\", \"rate_bps\": 500000", source);
        GError *error = NULL;
        struct lab_scenario *s = load_text(content, -1, NULL, &error);
        g_assert_true((s != NULL) == cases[i].good);
        if (s != NULL) {
            g_assert_cmpint(s->flows[0]->media.resend_wait_ns, ==, cases[i].wait_ns);
            g_assert_true(s->flows[0]->media.follows_frames == (cases[i].wait_ns > 0));
        }
        g_clear_error(&error);
        lab_scenario_free(s);
    }
}

static void test_fec_may_wait(void)
{
    static const struct {
        const char *fields;
        gboolean good;
        int64_t wait_ns;
    } cases[] = {{"\"repair\": \"auto\"", TRUE, 0},
                 {"\"repair\": 10, \"fec_wait_ms\": 100", TRUE, WEIR_MS(100)},
                 {"\"resend_ms\": 1000, \"fec_wait_ms\": 100", FALSE, 0},
                 {"\"fec_wait_ms\": 100", FALSE, 0},
                 {"\"fec_wait_ms\": 0", TRUE, 0},
                 {"\"repair\": 10, \"fec_wait_ms\": 10001", FALSE, 0}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *more = g_strdup_printf("\"tested\": true, %s", cases[i].fields);
        g_autofree char *with = text_replace(SMALL, "\"tested\": true", more);
        g_autofree char *content =
            text_replace(with, "\"kind\": \"cbr\", \"rate_bps\": 500000", "\"kind\": \"encoder\"");
        GError *error = NULL;
        struct lab_scenario *s = load_text(content, -1, NULL, &error);
        g_assert_true((s != NULL) == cases[i].good);
        if (s != NULL) {
            g_assert_cmpint(s->flows[0]->media.fec_wait_ns, ==, cases[i].wait_ns);
        }
        g_clear_error(&error);
        lab_scenario_free(s);
    }
}

/* The first algorithm that cannot run from reports, if there is one. */
static void test_feedback_that_an_algorithm_cannot_use_is_refused(void)
{
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        struct weir_algorithm_info info;
        weir_algorithm_get_info(weir_algorithm_name(i), &info);
        gboolean needs = (info.needs & (WEIR_NEEDS_PACKETS | WEIR_NEEDS_ARRIVALS)) != 0 &&
                         (info.needs & WEIR_HAS_REPORT_FORM) == 0;
        char *content = text_replace(SMALL, "\"tested\": true",
                                     "\"tested\": true, \"feedback\": {\"format\": \"rr\"}");
        char *with = text_replace(content, "$tested", info.name);
        GError *error = NULL;
        struct lab_scenario *s = load_text(with, -1, NULL, &error);
        g_assert_true((s == NULL) == needs);
        g_clear_error(&error);
        lab_scenario_free(s);
        g_free(with);
        g_free(content);
    }
}

/* Only feedback as CCFB tells of marks, and only the library's algorithms read it. */
static void test_ecn_needs_who_answers_marks(void)
{
    static const struct {
        const char *fields;
        enum weir_ecn ecn;
        const char *wrong;
    } cases[] = {
        {"\"tested\": true", WEIR_ECN_NOT_ECT, NULL},
        {"\"ecn\": \"off\", \"feedback\": {\"format\": \"twcc\"}", WEIR_ECN_NOT_ECT, NULL},
        {"\"ecn\": \"ect0\"", WEIR_ECN_ECT0, NULL},
        {"\"ecn\": \"ect1\"", WEIR_ECN_ECT1, NULL},
        {"\"ecn\": \"ect1\", \"algorithm\": \"scream\"", WEIR_ECN_ECT1, NULL},
        {"\"ecn\": \"ect0\", \"algorithm\": \"tfrc\"", WEIR_ECN_ECT0, NULL},
        {"\"ecn\": \"ect1\", \"algorithm\": \"tfrc\"", WEIR_ECN_NOT_ECT, "must be ect0"},
        {"\"ecn\": \"ce\"", WEIR_ECN_NOT_ECT, "one of off, ect0, ect1"},
        {"\"ecn\": \"ect0\", \"feedback\": {\"format\": \"twcc\"}", WEIR_ECN_NOT_ECT, "ccfb"},
        {"\"ecn\": \"ect0\", \"algorithm\": \"tcp-reno\"", WEIR_ECN_NOT_ECT, "in \"tcp\""},
        {"\"ecn\": \"ect1\", \"algorithm\": \"udp\"", WEIR_ECN_NOT_ECT, "library"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *text = g_strdup_printf(
            "{\"duration_s\": 1, \"links\": [{\"name\": \"l\", \"from\": \"A\", \"to\": \"B\","
            " \"capacity_bps\": 1e6}], \"flows\": [{\"name\": \"f\", \"from\": \"A\", \"to\": "
            "\"B\","
            " %s}]}",
            cases[i].fields);
        GError *error = NULL;
        struct lab_scenario *s = load_text(text, -1, NULL, &error);
        g_test_message("%s: %s", cases[i].fields, error ? error->message : "good");
        if (cases[i].wrong == NULL) {
            g_assert_no_error(error);
            g_assert_cmpint(s->flows[0]->media.ecn, ==, cases[i].ecn);
        } else {
            g_assert_null(s);
            g_assert_nonnull(strstr(error->message, "ecn"));
            g_assert_nonnull(strstr(error->message, cases[i].wrong));
        }
        g_clear_error(&error);
        lab_scenario_free(s);
        g_free(text);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario_flow/a_media_flow_has_the_defaults_of_the_page",
                    test_a_media_flow_has_the_defaults_of_the_page);
    g_test_add_func("/scenario_flow/a_tcp_flow_has_the_defaults_of_the_page",
                    test_a_tcp_flow_has_the_defaults_of_the_page);
    g_test_add_func("/scenario_flow/ecn_needs_who_answers_marks", test_ecn_needs_who_answers_marks);
    g_test_add_func("/scenario_flow/every_algorithm_is_known", test_every_algorithm_is_known);
    g_test_add_func("/scenario_flow/linux_profiles_are_those_of_the_library",
                    test_linux_profiles_are_those_of_the_library);
    g_test_add_func("/scenario_flow/parameters_are_numbers_in_the_end",
                    test_parameters_are_numbers_in_the_end);
    g_test_add_func("/scenario_flow/feedback_buffer_and_limits_are_read",
                    test_feedback_buffer_and_limits_are_read);
    g_test_add_func("/scenario_flow/limits_that_are_not_said_fit_those_that_are",
                    test_limits_that_are_not_said_fit_those_that_are);
    g_test_add_func("/scenario_flow/headers_are_ip_udp_and_rtp", test_headers_are_ip_udp_and_rtp);
    g_test_add_func("/scenario_flow/repair_is_auto_or_a_percentage_of_frames",
                    test_repair_is_auto_or_a_percentage_of_frames);
    g_test_add_func("/scenario_flow/what_is_sent_again_is_of_frames",
                    test_what_is_sent_again_is_of_frames);
    g_test_add_func("/scenario_flow/fec_may_wait", test_fec_may_wait);
    g_test_add_func("/scenario_flow/feedback_that_an_algorithm_cannot_use_is_refused",
                    test_feedback_that_an_algorithm_cannot_use_is_refused);
    return g_test_run();
}
