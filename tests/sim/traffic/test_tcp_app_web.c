/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/tcp_app_rig.h"
#include <math.h>

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sizes of n objects, small ones by far the most: the connection is watched at each restart. */
static void collect_sizes(int64_t *sizes, size_t n)
{
    struct app_rig *rig = app_rig_new(INT64_C(100000000000), no_loss());
    struct weir__tcp_app_config config = app_config(WEIR__TCP_WEB);
    app_rig_start(rig, config);
    int64_t before = 0;
    for (size_t i = 0; i < n;) {
        weir__sim_run_until(rig->sim, weir__sim_next_event_ns(rig->sim));
        int64_t available = rig->app->flows[0].sender.available_packets;
        if (available > before) {
            sizes[i++] = available - before;
            before = available;
        }
    }
    app_rig_free(rig);
}

/* ceil(0.8 (U^(-1/1.002) - 1)): the share of objects above x is (1 + x / 0.8)^-1.002. */
static void test_object_sizes_follow_the_distribution_of_ns2(void)
{
    enum { N = 4000 };
    static int64_t sizes[N];
    collect_sizes(sizes, N);
    qsort(sizes, N, sizeof sizes[0], compare);
    for (int64_t x = 1; x <= 64; x *= 2) {
        size_t above = 0;
        for (size_t i = 0; i < N; i++) {
            above += sizes[i] > x;
        }
        double expected = pow(1.0 + (double)x / 0.8, -1.002);
        double sigma = sqrt(expected * (1.0 - expected) / N);
        g_test_message("above %d: %.4f, expected %.4f", (int)x, (double)above / N, expected);
        assert_near((double)above / N, expected, 4.0 * sigma);
    }
    g_assert_cmpint(sizes[0], ==, 1);
    g_assert_cmpint(sizes[N - 1], <=, 1000000);
}

static void test_absurd_sizes_are_capped(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(5), no_loss());
    struct weir__tcp_app_config config = app_config(WEIR__TCP_WEB);
    config.mean_packets = 1e9; /* scale 2 10^6: a third of the objects is above a million */
    app_rig_start(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(1));
    g_assert_cmpint(rig->app->flows[0].sender.available_packets, <=, 1000000);
    app_rig_free(rig);
}

/* 3 pages of 4 objects: 12 connections, each begins with the initial window and a fresh RTO. */
static void test_session_has_its_objects_one_after_the_other(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(5), no_loss());
    struct weir__tcp_app_config config = app_config(WEIR__TCP_WEB);
    config.pages = 3;
    config.objects = 4;
    config.repeat = false;
    config.start_ns = WEIR_SECONDS(1);
    app_rig_start(rig, config);
    const struct weir__tcp *sender = &rig->app->flows[0].sender;
    int64_t before = 0;
    int connections = 0;
    while (weir__sim_next_event_ns(rig->sim) != WEIR_NEVER_NS) {
        weir__sim_run_until(rig->sim, weir__sim_next_event_ns(rig->sim));
        if (sender->available_packets > before) {
            g_assert_cmpint(sender->una, ==, before - 1); /* the one before is complete */
            g_assert_cmpfloat(sender->cwnd_packets, ==, 2.0);
            g_assert_cmpint(sender->ssthresh_packets, ==, 1000);
            g_assert_cmpint(sender->rto.srtt_ns, ==, 0);
            before = sender->available_packets;
            connections++;
        }
    }
    const struct weir__flow_meter *meter = weir__tcp_app_meter(rig->app);
    g_assert_cmpint(connections, ==, 12);
    g_assert_cmpint(meter->goodput_bytes, ==, before * 1460);
    g_assert_cmpint(meter->completed_ns, >, WEIR_SECONDS(1));
    g_assert_cmpint(meter->completed_ns, <, WEIR_SECONDS(60));
    app_rig_free(rig);
}

static void test_repeated_sessions_never_end(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(5), no_loss());
    struct weir__tcp_app_config config = app_config(WEIR__TCP_WEB);
    config.pages = 1;
    config.objects = 1;
    app_rig_start(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(1000));
    g_assert_cmpint(weir__tcp_app_meter(rig->app)->sent_packets, >, 500);
    g_assert_cmpint(weir__tcp_app_meter(rig->app)->completed_ns, ==, WEIR_NEVER_NS);
    app_rig_free(rig);
}

/* Copies and repetitions of packets of one connection arrive in the next: they change nothing. */
static void test_stragglers_do_not_confuse_the_next_connection(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        g_test_message("seed %d", (int)seed);
        struct weir__link_loss_config loss = {.model = WEIR__LOSS_BERNOULLI, .p = 0.1};
        struct app_rig *rig = app_rig_new(WEIR_MBPS(1), loss);
        struct weir__tcp_app_config config = app_config(WEIR__TCP_WEB);
        config.seed = seed;
        config.object_gap_ns = 0;
        config.page_gap_ns = 0;
        config.tcp.tcp.variant = (enum weir__tcp_variant)(seed % WEIR__TCP_VARIANTS);
        config.tcp.tcp.rto.initial_ns = WEIR_MS(45); /* spurious timeouts */
        config.tcp.tcp.rto.min_ns = WEIR_MS(45);
        app_rig_start(rig, config);
        weir__sim_run_until(rig->sim, WEIR_SECONDS(100));
        const struct weir__tcp_flow *flow = &rig->app->flows[0];
        g_assert_cmpint(flow->sink.distinct_packets, >, 500);
        g_assert_cmpint(flow->sink.goodput_bytes, ==, flow->sink.distinct_packets * 1460);
        g_assert_cmpint(flow->sink.expected, >=, flow->sender.una + 1);
        g_assert_cmpint(flow->sender.highest, <, flow->sender.available_packets);
        app_rig_free(rig);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_app_web/object_sizes_follow_the_distribution_of_ns2",
                    test_object_sizes_follow_the_distribution_of_ns2);
    g_test_add_func("/sim/tcp_app_web/absurd_sizes_are_capped", test_absurd_sizes_are_capped);
    g_test_add_func("/sim/tcp_app_web/session_has_its_objects_one_after_the_other",
                    test_session_has_its_objects_one_after_the_other);
    g_test_add_func("/sim/tcp_app_web/repeated_sessions_never_end",
                    test_repeated_sessions_never_end);
    g_test_add_func("/sim/tcp_app_web/stragglers_do_not_confuse_the_next_connection",
                    test_stragglers_do_not_confuse_the_next_connection);
    return g_test_run();
}
