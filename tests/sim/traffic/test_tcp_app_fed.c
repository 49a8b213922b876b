/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/tcp_app_rig.h"

static struct weir__tcp_app_config cbr_config(enum weir__tcp_app_kind kind, int64_t rate_bps,
                                              int64_t unit_bytes)
{
    struct weir__tcp_app_config config = app_config(kind);
    config.source.rate_bps = rate_bps;
    config.source.unit_bytes = unit_bytes;
    config.measure_delay = true;
    return config;
}

/* Below the capacity everything goes out as it comes, one packet of its own size per unit. */
static void test_each_small_unit_is_a_packet(void)
{
    static const int64_t sizes[] = {160, 1000, 1460};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct app_rig *rig = app_rig_new(WEIR_MBPS(5), no_loss());
        app_rig_start(rig, cbr_config(WEIR__TCP_FED, 500000, sizes[i]));
        weir__sim_run_until(rig->sim, WEIR_SECONDS(20));
        const struct weir__flow_meter *meter = weir__tcp_app_meter(rig->app);
        int64_t units = weir__source_bytes(rig->app->source) / sizes[i];
        g_assert_cmpint(units, >, 800);
        g_assert_cmpint(meter->generated_packets, ==, units);
        g_assert_cmpint(meter->generated_bytes, ==, units * sizes[i]);
        g_assert_cmpint(meter->sent_packets, ==, units);
        g_assert_cmpint(meter->sent_bytes, ==, units * (sizes[i] + 40));
        g_assert_cmpint(meter->goodput_bytes, >=, (units - 20) * sizes[i]);
        g_assert_null(meter->lateness);
        app_rig_free(rig);
    }
}

/* Frames are a stream of bytes: full packets, less than one waits. */
static void test_large_units_are_cut_into_full_packets(void)
{
    static const int64_t frames[] = {5000, 100, 3000};
    struct app_rig *rig = app_rig_new(WEIR_MBPS(5), no_loss());
    struct weir__tcp_app_config config = app_config(WEIR__TCP_FED);
    weir__source_config_default(&config.source, WEIR__SOURCE_FRAMES);
    config.source.interval_ns = WEIR_MS(40);
    config.source.frame_bytes = frames;
    config.source.n_frames = G_N_ELEMENTS(frames);
    app_rig_start(rig, config);
    for (int64_t ms = 0; ms < 5000; ms += 40) {
        weir__sim_run_until(rig->sim, WEIR_MS(ms));
        const struct weir__flow_meter *meter = weir__tcp_app_meter(rig->app);
        int64_t waiting_bytes = meter->generated_bytes - 1460 * meter->generated_packets;
        g_assert_cmpint(waiting_bytes, >=, 0);
        g_assert_cmpint(waiting_bytes, <, 1460);
    }
    g_assert_cmpint(weir__tcp_app_meter(rig->app)->sent_packets, >, 200);
    app_rig_free(rig);
}

/* More than the link carries: the rest waits, and goes out when the source is silent. */
static void test_what_is_not_sent_waits(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(1), no_loss());
    struct weir__tcp_app_config config = cbr_config(WEIR__TCP_FED, 2000000, 1460);
    config.source.stop_ns = WEIR_SECONDS(10);
    app_rig_start(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(10));
    const struct weir__flow_meter *meter = weir__tcp_app_meter(rig->app);
    int64_t generated = meter->generated_packets;
    g_assert_cmpint(meter->sent_packets, <, generated * 6 / 10);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(40));
    meter = weir__tcp_app_meter(rig->app);
    g_assert_cmpint(meter->generated_packets, ==, generated);
    g_assert_cmpint(meter->goodput_bytes, ==, generated * 1460);
    app_rig_free(rig);
}

/* With ample capacity and no loss each packet is as late as the way is long. */
static void test_lateness_on_a_free_way_is_the_delay(void)
{
    struct app_rig *rig = app_rig_new(WEIR_MBPS(100), no_loss());
    struct weir__tcp_app_config config = cbr_config(WEIR__TCP_STREAM, 833333, 1460);
    config.start_ns = config.source.start_ns = WEIR_MS(700);
    config.tcp.tcp.initial_window_packets = 10;
    app_rig_start(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(100));
    const struct weir__histogram *lateness = weir__tcp_app_meter(rig->app)->lateness;
    g_assert_cmpuint(lateness->n, >=, 7080);
    g_assert_cmpfloat(weir__histogram_above(lateness, WEIR_MS(21)), ==, 0.0);
    g_assert_cmpfloat(weir__histogram_above(lateness, WEIR_MS(19)), ==, 1.0);
    app_rig_free(rig);
}

/* One packet is lost: those behind it wait for its repair, a round trip or so, then all are in
 * order. */
static void test_lost_packet_delays_those_behind_it(void)
{
    static const int64_t trace[] = {500};
    struct weir__link_loss_config loss = {
        .model = WEIR__LOSS_TRACE, .trace_packets = trace, .n_trace = 1};
    struct app_rig *rig = app_rig_new(WEIR_MBPS(100), loss);
    struct weir__tcp_app_config config = cbr_config(WEIR__TCP_STREAM, 2000000, 1000);
    config.tcp.tcp.initial_window_packets = 60;
    app_rig_start(rig, config);
    weir__sim_run_until(rig->sim, WEIR_SECONDS(10));
    const struct weir__flow_meter *meter = weir__tcp_app_meter(rig->app);
    g_assert_cmpint(meter->resent_packets, ==, 1);
    double n = (double)meter->lateness->n;
    double late = weir__histogram_above(meter->lateness, WEIR_MS(22)) * n;
    g_test_message("%.0f of %.0f late, at most %.1f ms", late, n,
                   (double)meter->lateness->max / 1e6);
    g_assert_cmpfloat(late, >=, 5.0); /* 40 ms of 4 ms each, and the duplicates before */
    g_assert_cmpfloat(late, <=, 20.0);
    g_assert_cmpint(meter->lateness->max, >=, WEIR_MS(60));
    g_assert_cmpint(meter->lateness->max, <=, WEIR_MS(90));
    app_rig_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/tcp_app_fed/each_small_unit_is_a_packet",
                    test_each_small_unit_is_a_packet);
    g_test_add_func("/sim/tcp_app_fed/large_units_are_cut_into_full_packets",
                    test_large_units_are_cut_into_full_packets);
    g_test_add_func("/sim/tcp_app_fed/what_is_not_sent_waits", test_what_is_not_sent_waits);
    g_test_add_func("/sim/tcp_app_fed/lateness_on_a_free_way_is_the_delay",
                    test_lateness_on_a_free_way_is_the_delay);
    g_test_add_func("/sim/tcp_app_fed/lost_packet_delays_those_behind_it",
                    test_lost_packet_delays_those_behind_it);
    return g_test_run();
}
