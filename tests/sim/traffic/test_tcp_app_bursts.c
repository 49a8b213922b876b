/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/tcp_app_rig.h"

static struct weir__tcp_app_config bursts_config(void)
{
    struct weir__tcp_app_config config = app_config(WEIR__TCP_BURSTS);
    config.n_connections = 30;
    return config;
}

/* Runs to the beginning of the next burst. */
static void run_to_burst(struct app_rig *rig, int64_t available_before)
{
    while (rig->app->flows[0].sender.available_packets == available_before) {
        weir__sim_run_until(rig->sim, weir__sim_next_event_ns(rig->sim));
    }
}

/* Each connection of each burst carries 30 to 50 kB, and all begin at once. */
static void test_thirty_connections_fetch_their_sizes_at_once(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(2), no_loss());
    app_rig_start(rig, bursts_config());
    int64_t before[30] = {0};
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (int burst = 0; burst < 20; burst++) {
        run_to_burst(rig, before[0]);
        g_assert_cmpuint(rig->app->busy, ==, 30);
        for (uint32_t i = 0; i < 30; i++) {
            const struct weir__tcp *sender = &rig->app->flows[i].sender;
            int64_t packets = sender->available_packets - before[i];
            least = MIN(least, packets);
            most = MAX(most, packets);
            g_assert_cmpint(sender->una, ==, before[i] - 1);
            g_assert_cmpint(sender->restarted_ns, ==, rig->sim->now_ns);
            before[i] = sender->available_packets;
        }
    }
    g_assert_cmpint(least, ==, 21); /* ceil(30000 / 1460) */
    g_assert_cmpint(most, ==, 35);
    app_rig_free(rig);
}

static void test_pauses_are_exponential_with_their_mean(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(100), no_loss());
    struct weir__tcp_app_config config = bursts_config();
    config.n_connections = 2;
    app_rig_start(rig, config);
    int64_t sum_ns = 0;
    enum { N = 1500 };
    for (int i = 0; i < N; i++) {
        int64_t before = rig->app->flows[0].sender.available_packets;
        while (rig->app->busy == 0) {
            weir__sim_run_until(rig->sim, weir__sim_next_event_ns(rig->sim));
        }
        while (rig->app->busy > 0) {
            weir__sim_run_until(rig->sim, weir__sim_next_event_ns(rig->sim));
        }
        int64_t done_ns = rig->sim->now_ns;
        before = rig->app->flows[0].sender.available_packets;
        run_to_burst(rig, before);
        sum_ns += rig->sim->now_ns - done_ns;
    }
    assert_near((double)sum_ns / N / 1e9, 10.0, 1.0); /* 4 sigma of the mean: 4 * 10 / sqrt(N) */
    app_rig_free(rig);
}

static void test_it_may_begin_with_a_pause(void)
{
    for (int off = 0; off <= 1; off++) {
        struct app_rig *rig = app_rig_new(WEIR_MBPS(2), no_loss());
        struct weir__tcp_app_config config = bursts_config();
        config.begins_off = off == 1;
        config.start_ns = WEIR_SECONDS(3);
        app_rig_start(rig, config);
        run_to_burst(rig, 0);
        if (off) {
            g_assert_cmpint(rig->sim->now_ns, >, WEIR_SECONDS(3));
        } else {
            g_assert_cmpint(rig->sim->now_ns, ==, WEIR_SECONDS(3));
        }
        app_rig_free(rig);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_app_bursts/thirty_connections_fetch_their_sizes_at_once",
                    test_thirty_connections_fetch_their_sizes_at_once);
    g_test_add_func("/sim/tcp_app_bursts/pauses_are_exponential_with_their_mean",
                    test_pauses_are_exponential_with_their_mean);
    g_test_add_func("/sim/tcp_app_bursts/it_may_begin_with_a_pause",
                    test_it_may_begin_with_a_pause);
    return g_test_run();
}
