/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/media_rig.h"
#include <stdio.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static void test_alone_uses_the_link(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    rig_add(rig, rig_flow_config(1));
    rig_run(rig, WEIR_SECONDS(120));
    g_assert_cmpfloat(rig_used(rig, WEIR_SECONDS(120)), >=, 0.95);
    struct weir__flow_state state = rig_state(rig, 0);
    g_assert_cmpint(state.rtt_ns, >=, WEIR_MS(100));
    g_assert_cmpint(state.rtt_ns, <=, WEIR_MS(100 + 17 * 12 + 20));
    g_assert_cmpint(state.allowed_bps, >, WEIR_KBPS(500));
    g_assert_cmpint(state.target_bps, <, state.allowed_bps);
    g_assert_cmpfloat(state.window_packets, ==, 0.0);
    rig_free(rig);
}

static void test_every_algorithm_runs_and_gets_feedback(void)
{
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        struct media_rig *rig = rig_new(&rig_default);
        struct weir__media_flow_config config = rig_flow_config(1);
        config.sender.algorithm = weir_algorithm_name(i);
        const struct weir__flow_meter *meter = rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(60));
        g_test_message("%s: %.3f used", config.sender.algorithm, rig_used(rig, WEIR_SECONDS(60)));
        g_assert_cmpint(meter->goodput_bytes * 8, >, WEIR_KBPS(100) * 60);
        g_assert_cmpint(meter->feedback_packets, >, 60);
        struct weir_sender_stats stats;
        weir_sender_get_stats(weir__media_flow_sender(rig->flows[0]), &stats);
        g_assert_cmpuint(stats.rtcp_malformed + stats.rtcp_rejected, ==, 0);
        g_assert_cmpuint(stats.packets_sent, ==, (uint64_t)meter->sent_packets);
        g_assert_cmpuint(stats.bytes_sent_wire, ==, (uint64_t)meter->sent_bytes);
        rig_free(rig);
    }
}

static void test_fixed_sends_evenly_at_its_rate(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir_param_value rate = {.name = "rate-bps", .value = 600000};
    struct weir__media_flow_config config = rig_flow_config(1);
    config.sender.algorithm = "fixed";
    config.sender.params = &rate;
    config.sender.n_params = 1;
    const struct weir__flow_meter *meter = rig_add(rig, config);
    int64_t before = 0;
    for (int second = 1; second <= 20; second++) {
        rig_run(rig, WEIR_SECONDS(second) - 1);
        g_assert_cmpint(meter->sent_bytes - before, ==, 600000 / 8);
        before = meter->sent_bytes;
    }
    g_assert_cmpint(rig_state(rig, 0).allowed_bps, ==, 600000);
    rig_free(rig);
}

static uint64_t run_seed(uint64_t seed)
{
    struct media_rig_config links = rig_default;
    links.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = 0.01};
    links.seed = seed;
    struct media_rig *rig = rig_new(&links);
    rig_add(rig, rig_flow_config(seed));
    struct weir__media_flow_config voice = rig_voice_config();
    voice.sender.seed = voice.receiver.seed = seed;
    rig_add(rig, voice);
    rig_run(rig, WEIR_SECONDS(60));
    uint64_t hash = rig_hash(rig);
    rig_free(rig);
    return hash;
}

static void test_seeds_repeat_and_differ(void)
{
    uint64_t first = run_seed(1);
    g_test_message("%016" G_GINT64_MODIFIER "x", first); /* equal in every build */
    g_assert_cmpuint(run_seed(1), ==, first);
    g_assert_cmpuint(run_seed(2), !=, first);
}

struct wrong {
    const char *says; /* part of the sentence */
    enum weir_status status;
    void (*spoil)(struct weir__media_flow_config *config);
};

static const struct weir_param_value bad_param = {.name = "profile", .value_text = "rfc1"};

#define SPOIL(name, statement)                                                                     \
    static void spoil_##name(struct weir__media_flow_config *c)                                    \
    {                                                                                              \
        statement;                                                                                 \
    }
SPOIL(small_packet, c->packet_bytes = 40)
SPOIL(small_twcc, (c->packet_bytes = 48, c->receiver.format = WEIR_FEEDBACK_TWCC))
SPOIL(large_packet, c->packet_bytes = 65536)
SPOIL(all_header, c->header_bytes = 1500)
SPOIL(negative_header, c->header_bytes = -1)
SPOIL(no_buffer, c->buffer_packets = 0)
SPOIL(large_buffer, c->buffer_packets = 65537)
SPOIL(no_time, c->buffer_time_ns = 0)
SPOIL(early, c->start_ns = -1)
SPOIL(backwards, (c->start_ns = 2, c->stop_ns = 1))
SPOIL(no_weight, c->weight = 0)
SPOIL(no_media_rate, c->media_when_allowed = true)
SPOIL(algorithm, c->sender.algorithm = "tfrk")
SPOIL(no_algorithm, c->sender.algorithm = NULL)
SPOIL(param, (c->sender.params = &bad_param, c->sender.n_params = 1))
SPOIL(limits, c->sender.limits.min_bps = 0)
SPOIL(format, c->receiver.format = WEIR_FEEDBACK_XR)
SPOIL(interval, c->receiver.interval_ns = -1)
SPOIL(two_intervals, (c->rtt_with_media = true, c->receiver.interval_ns = 1))
SPOIL(marked, c->ecn = WEIR_ECN_CE)
SPOIL(unheard, (c->ecn = WEIR_ECN_ECT0, c->receiver.format = WEIR_FEEDBACK_TWCC))
SPOIL(endless, (c->sender.algorithm = "fixed", c->sender.pacing = false))
SPOIL(source, c->greedy = false)

static const struct wrong wrongs[] = {
    {"packet_bytes is 40: must be 41", WEIR_ERROR_RANGE, spoil_small_packet},
    {"packet_bytes is 48: must be 49", WEIR_ERROR_RANGE, spoil_small_twcc},
    {"to 65535", WEIR_ERROR_RANGE, spoil_large_packet},
    {"header_bytes is 1500", WEIR_ERROR_RANGE, spoil_all_header},
    {"header_bytes is -1", WEIR_ERROR_RANGE, spoil_negative_header},
    {"1 to 65536 packets", WEIR_ERROR_RANGE, spoil_no_buffer},
    {"1 to 65536 packets", WEIR_ERROR_RANGE, spoil_large_buffer},
    {"more than 0 ns", WEIR_ERROR_RANGE, spoil_no_time},
    {"start_ns", WEIR_ERROR_RANGE, spoil_early},
    {"start_ns", WEIR_ERROR_RANGE, spoil_backwards},
    {"interval_ns is 1: must be 0", WEIR_ERROR_RANGE, spoil_two_intervals},
    {"media_bps is 0", WEIR_ERROR_RANGE, spoil_no_media_rate},
    {"weight is 0: must be 1 to 1000000", WEIR_ERROR_RANGE, spoil_no_weight},
    {"\"tfrk\"", WEIR_ERROR_UNKNOWN_ALGORITHM, spoil_algorithm},
    {"\"\"", WEIR_ERROR_UNKNOWN_ALGORITHM, spoil_no_algorithm},
    {"profile", WEIR_ERROR_RANGE, spoil_param},
    {"limits", WEIR_ERROR_ARGUMENT, spoil_limits},
    {"feedback", WEIR_ERROR_ARGUMENT, spoil_format},
    {"feedback", WEIR_ERROR_RANGE, spoil_interval},
    {"ecn must be", WEIR_ERROR_RANGE, spoil_marked},
    {"with feedback as CCFB", WEIR_ERROR_RANGE, spoil_unheard},
    {"paced", WEIR_ERROR_ARGUMENT, spoil_endless},
    {"source", WEIR_ERROR_RANGE, spoil_source},
};

static void test_wrong_configurations_say_what_is_wrong(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(wrongs); i++) {
        struct media_rig *rig = rig_new(&rig_default);
        struct weir__media_flow_config config = rig_flow_config(1);
        struct weir__media_flow *untouched = (struct weir__media_flow *)(void *)&config;
        struct weir__media_flow *flow = untouched;
        char error[200] = "";
        config.route = rig_add_route(rig, rig->forward);
        config.feedback_route = rig_add_route(rig, rig->backward);
        wrongs[i].spoil(&config);
        enum weir_status status =
            weir__media_flow_create(&flow, rig->network, &config, error, sizeof error);
        g_test_message("%zu: %s", i, error);
        g_assert_cmpint(status, ==, wrongs[i].status);
        g_assert_nonnull(strstr(error, wrongs[i].says));
        g_assert_true(flow == untouched);
        g_assert_cmpint(weir__media_flow_create(&flow, rig->network, &config, NULL, 0), ==, status);
        rig_free(rig);
    }
    weir__media_flow_destroy(NULL);
}

SPOIL(greedy, c->greedy = true)
SPOIL(sooner, c->start_ns = WEIR_SECONDS(1))
SPOIL(large_minimum, (c->sender.limits.min_bps = c->sender.limits.start_bps =
                          c->sender.limits.max_bps = INT64_C(100000000000)))

static void test_a_group_says_what_does_not_fit(void)
{
    static const struct wrong all[] = {
        {"not greedy", WEIR_ERROR_ARGUMENT, spoil_greedy},
        {"start_ns", WEIR_ERROR_RANGE, spoil_sooner},
        {"come to 100000001000 bit/s", WEIR_ERROR_RANGE, spoil_large_minimum},
    };
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_voice_config();
    config.start_ns = WEIR_SECONDS(2);
    rig_add(rig, config);
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        struct weir__media_flow_config wrong = config;
        struct weir__media_flow *flow = NULL;
        char error[200] = "";
        wrong.group = rig->flows[0];
        all[i].spoil(&wrong);
        g_assert_cmpint(weir__media_flow_create(&flow, rig->network, &wrong, error, sizeof error),
                        ==, all[i].status);
        g_assert_nonnull(strstr(error, all[i].says));
        g_assert_null(flow);
    }
    rig_free(rig);
}

/* Each has an SSRC and reports of its own, also when the one that began the session has gone. */
static void test_flows_of_a_group_come_and_go(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_voice_config();
    config.stop_ns = WEIR_SECONDS(10);
    rig_add(rig, config);
    config.group = rig->flows[0];
    config.start_ns = WEIR_SECONDS(5);
    config.stop_ns = WEIR_SECONDS(20);
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(5) - 1);
    g_assert_cmpint(meter->sent_packets, ==, 0);
    g_assert_cmpint(rig_state(rig, 1).target_bps, ==, 0);
    rig_run(rig, WEIR_SECONDS(8));
    g_assert_cmpint(rig_state(rig, 0).target_bps, >, 0);
    g_assert_cmpint(rig_state(rig, 1).target_bps, >, 0);
    rig_run(rig, WEIR_SECONDS(30));
    g_assert_cmpint(weir__media_flow_meter(rig->flows[0])->received_packets, >=, 10 * 50 - 2);
    g_assert_cmpint(meter->received_packets, >=, 15 * 50 - 2);
    g_assert_cmpint(meter->feedback_packets, >, 50);
    struct weir_sender_stats stats;
    weir_sender_get_stats(weir__media_flow_sender(rig->flows[0]), &stats);
    /* of each an RTT and a feedback interval are not told, 200 ms in all */
    g_assert_cmpuint(stats.packets_received, >=, 25 * 50 - 2 * 10);
    g_assert_cmpuint(stats.rtcp_malformed + stats.rtcp_rejected + stats.results_unsent, ==, 0);
    rig_free(rig);
}

static void test_smallest_packets_are_carried(void)
{
    static const uint32_t formats[] = {WEIR_FEEDBACK_CCFB, WEIR_FEEDBACK_TWCC};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        struct media_rig *rig = rig_new(&rig_default);
        struct weir__media_flow_config config = rig_flow_config(1);
        config.packet_bytes = formats[i] == WEIR_FEEDBACK_TWCC ? 49 : 41;
        config.receiver.format = formats[i];
        config.sender.algorithm = "fixed";
        const struct weir__flow_meter *meter = rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(2));
        g_assert_cmpint(meter->received_packets, >, 100);
        g_assert_cmpint(meter->goodput_bytes, ==,
                        meter->received_packets * (config.packet_bytes - 40));
        rig_free(rig);
    }
}

static void test_nothing_happens_before_the_start_and_after_the_stop(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_flow_config(1);
    config.start_ns = WEIR_SECONDS(5);
    config.stop_ns = WEIR_SECONDS(10);
    const struct weir__flow_meter *meter = rig_add(rig, config);
    struct weir__sim *sim = weir__network_sim(rig->network);
    rig_run(rig, WEIR_SECONDS(5) - 1);
    g_assert_cmpuint(sim->events, ==, 0);
    g_assert_cmpint(rig_state(rig, 0).allowed_bps, ==, 0);
    rig_run(rig, WEIR_SECONDS(5));
    g_assert_cmpint(meter->sent_packets, >, 0);
    g_assert_cmpint(rig_state(rig, 0).allowed_bps, >=, WEIR_KBPS(300));
    rig_run(rig, WEIR_SECONDS(10) - 1);
    int64_t entered = rig_route(rig, 0)->offered_packets;
    int64_t feedback = meter->feedback_packets;
    rig_run(rig, WEIR_SECONDS(10));
    g_assert_cmpint(rig_state(rig, 0).allowed_bps, ==, 0);
    rig_run(rig, WEIR_SECONDS(12));
    uint64_t events = sim->events;
    rig_run(rig, WEIR_SECONDS(1000));
    g_assert_cmpint(rig_route(rig, 0)->offered_packets, ==, entered);
    g_assert_cmpint(meter->feedback_packets, ==, feedback);
    g_assert_cmpuint(sim->events, ==, events);
    rig_free(rig);
}

/* Of the process; 0 where the system does not say. */
static int64_t resident_bytes(void)
{
    long long all_pages = 0;
    long long resident_pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%lld %lld", &all_pages, &resident_pages) != 2) {
            resident_pages = 0;
        }
        fclose(file);
    }
    return resident_pages * sysconf(_SC_PAGESIZE);
}

/* 42 packets a second. After eight seconds the history has its final size. */
static void test_a_slow_flow_takes_little_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_PERTURB, 0); /* MALLOC_PERTURB_ would touch all memory */
#else
    g_test_skip("the figures are those of glibc's allocator: musl's touches the last page of each "
                "block as well");
    return;
#endif
    struct media_rig_config links = rig_default;
    links.capacity_bps = RIG_FLOWS * WEIR_KBPS(500);
    links.queue_packets = 5 * RIG_FLOWS;
    /* Code that runs for the first time takes memory, too: an emulator translates it. */
    struct media_rig *first = rig_new(&links);
    rig_add(first, rig_flow_config(1));
    rig_run(first, WEIR_SECONDS(100));
    struct media_rig *rig = rig_new(&links);
    int64_t before = resident_bytes();
    if (TEST_IS_SANITIZED || before == 0) {
        g_test_skip("a sanitizer's memory, or none that is known");
        rig_free(rig);
        rig_free(first);
        return;
    }
    for (uint64_t seed = 1; seed <= RIG_FLOWS; seed++) {
        rig_add(rig, rig_flow_config(seed));
    }
    for (int64_t end_ns = WEIR_SECONDS(1); end_ns <= WEIR_SECONDS(100); end_ns *= 100) {
        rig_run(rig, end_ns);
        int64_t flow_bytes = (resident_bytes() - before) / RIG_FLOWS;
        g_test_message("%lld bytes", (long long)flow_bytes);
        g_assert_cmpint(flow_bytes, <=, (end_ns == WEIR_SECONDS(1) ? 46 : 57) * 1024);
    }
    rig_free(rig);
    rig_free(first);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    /* First: memory that was freed before is not fresh. */
    g_test_add_func("/media_flow/memory", test_a_slow_flow_takes_little_memory);
    g_test_add_func("/media_flow/alone", test_alone_uses_the_link);
    g_test_add_func("/media_flow/algorithms", test_every_algorithm_runs_and_gets_feedback);
    g_test_add_func("/media_flow/fixed", test_fixed_sends_evenly_at_its_rate);
    g_test_add_func("/media_flow/seeds", test_seeds_repeat_and_differ);
    g_test_add_func("/media_flow/wrong", test_wrong_configurations_say_what_is_wrong);
    g_test_add_func("/media_flow/a_group_says_what_does_not_fit",
                    test_a_group_says_what_does_not_fit);
    g_test_add_func("/media_flow/flows_of_a_group_come_and_go", test_flows_of_a_group_come_and_go);
    g_test_add_func("/media_flow/smallest", test_smallest_packets_are_carried);
    g_test_add_func("/media_flow/start-stop",
                    test_nothing_happens_before_the_start_and_after_the_stop);
    return g_test_run();
}
