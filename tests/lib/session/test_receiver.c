/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "receiver_fixture.h"

static void test_defaults_are_the_documented_ones(void)
{
    struct weir_receiver_config config;
    weir_receiver_config_init(&config);
    g_assert_cmpuint(config.size, ==, sizeof config);
    g_assert_cmpuint(config.format, ==, WEIR_FEEDBACK_CCFB);
    g_assert_cmpint(config.interval_ns, ==, 0);
    g_assert_cmpint(config.interval_max_ns, ==, WEIR_MS(50));
    g_assert_cmpuint(config.clock_rate_hz, ==, 90000);
    g_assert_cmpuint(config.transport_seq_id, ==, 0);
    g_assert_cmpuint(config.overhead_bytes, ==, 28);
    g_assert_cmpuint(config.mtu_bytes, ==, 1200);
}

static void test_bad_configurations_are_refused(void)
{
    static const struct {
        uint32_t format;
        int64_t interval_ns;
        uint32_t clock_rate_hz, overhead_bytes, mtu_bytes;
        enum weir_status status;
    } rows[] = {
        {WEIR_FEEDBACK_TWCC, 0, 1, 0, 128, WEIR_OK},
        {WEIR_FEEDBACK_REMB, WEIR_SECONDS(10), 1000000000, 1000, 65507, WEIR_OK},
        {0, 0, 90000, 28, 1200, WEIR_ERROR_ARGUMENT},
        {WEIR_FEEDBACK_XR, 0, 90000, 28, 1200, WEIR_ERROR_ARGUMENT},
        {WEIR_FEEDBACK_CCFB | WEIR_FEEDBACK_RR, 0, 90000, 28, 1200, WEIR_ERROR_ARGUMENT},
        {WEIR_FEEDBACK_CCFB, -1, 90000, 28, 1200, WEIR_ERROR_RANGE},
        {WEIR_FEEDBACK_CCFB, WEIR_SECONDS(10) + 1, 90000, 28, 1200, WEIR_ERROR_RANGE},
        {WEIR_FEEDBACK_CCFB, 0, 0, 28, 1200, WEIR_ERROR_RANGE},
        {WEIR_FEEDBACK_CCFB, 0, 1000000001, 28, 1200, WEIR_ERROR_RANGE},
        {WEIR_FEEDBACK_CCFB, 0, 90000, 1001, 1200, WEIR_ERROR_RANGE},
        {WEIR_FEEDBACK_CCFB, 0, 90000, 28, 127, WEIR_ERROR_RANGE},
        {WEIR_FEEDBACK_CCFB, 0, 90000, 28, 65508, WEIR_ERROR_RANGE},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir_receiver_config config = {.size = sizeof config,
                                              .format = rows[i].format,
                                              .interval_ns = rows[i].interval_ns,
                                              .interval_max_ns = WEIR_MS(100),
                                              .clock_rate_hz = rows[i].clock_rate_hz,
                                              .overhead_bytes = rows[i].overhead_bytes,
                                              .mtu_bytes = rows[i].mtu_bytes};
        enum weir_status status = WEIR_ERROR_REJECTED;
        struct weir_receiver *receiver = weir_receiver_create(&config, 0, &status);
        g_assert_cmpint(status, ==, rows[i].status);
        g_assert_true((receiver != NULL) == (rows[i].status == WEIR_OK));
        weir_receiver_destroy(receiver);
    }
    enum weir_status status;
    struct weir_receiver_config wrong_size = {.size = 3};
    g_assert_null(weir_receiver_create(NULL, 0, &status));
    g_assert_cmpint(status, ==, WEIR_ERROR_ARGUMENT);
    g_assert_null(weir_receiver_create(&wrong_size, 0, NULL));
    weir_receiver_destroy(NULL);
}

static void test_a_receiver_is_below_256_kib(void)
{
    g_test_message("%zu bytes", sizeof(struct weir_receiver));
    g_assert_cmpuint(sizeof(struct weir_receiver), <, 256 * 1024);
}

static void test_bad_arguments_change_nothing(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    g_assert_cmpint(weir_receiver_set_format(NULL, WEIR_FEEDBACK_RR, 0), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_receiver_set_format(receiver, 99, 0), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_receiver_set_format(receiver, WEIR_FEEDBACK_RR, -5), ==, WEIR_ERROR_RANGE);
    g_assert_cmpstr(receiver->format->name, ==, "ccfb");
    g_assert_cmpint(weir_receiver_set_clock_rate(NULL, 1, 8000), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_receiver_set_clock_rate(receiver, 1, 0), ==, WEIR_ERROR_RANGE);
    g_assert_cmpint(weir_receiver_set_clock_rate(receiver, 1, 1000000001), ==, WEIR_ERROR_RANGE);
    weir_receiver_destroy(receiver);
}

static void test_clock_rates_count_before_and_after_the_first_packet(void)
{
    for (int order = 0; order < 2; order++) {
        struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
        if (order == 0) {
            g_assert_cmpint(weir_receiver_set_clock_rate(receiver, 5, 8000), ==, WEIR_OK);
        }
        for (uint32_t i = 0; i < 500; i++) { /* 20 ms of 8 kHz, every other one 8 ms late */
            struct media media = {.ssrc = 5, .seq = i, .timestamp = 160 * i, .payload_bytes = 160};
            receive(receiver, WEIR_MS(20 * i + (i % 2) * 8), &media);
            if (order == 1 && i == 1) {
                g_assert_cmpint(weir_receiver_set_clock_rate(receiver, 5, 8000), ==, WEIR_OK);
            }
        }
        assert_near((double)receiver_stats(receiver).jitter_ns, 8e6, 3e5);
        assert_near((double)receiver_stats(receiver).delay_variation_ns, 4e6, 5e5);
        weir_receiver_destroy(receiver);
    }
}

static void test_of_many_clock_rates_the_newest_are_kept(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    for (uint32_t ssrc = 0; ssrc < 20; ssrc++) {
        weir_receiver_set_clock_rate(receiver, ssrc, 1000 + ssrc);
    }
    weir_receiver_set_clock_rate(receiver, 19, 48000); /* again: takes no second place */
    struct media media = {.ssrc = 19, .seq = 1};
    receive(receiver, 0, &media);
    g_assert_cmpuint(weir__receiver_find_stream(receiver, 19)->rr.clock_rate_hz, ==, 48000);
    media.ssrc = 4;
    receive(receiver, 0, &media);
    g_assert_cmpuint(weir__receiver_find_stream(receiver, 4)->rr.clock_rate_hz, ==, 1004);
    media.ssrc = 3;
    receive(receiver, 0, &media);
    g_assert_cmpuint(weir__receiver_find_stream(receiver, 3)->rr.clock_rate_hz, ==, 90000);
    weir_receiver_destroy(receiver);
}

static void test_stats_of_a_clean_stream(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    g_assert_cmpfloat(receiver_stats(receiver).r_score, <=, 0.0); /* nothing to judge yet */
    assert_near(receiver_stats(receiver).mos, 1.0, 1e-12);
    for (uint32_t i = 0; i < 2000; i++) { /* 1048 wire bytes every 5 ms */
        struct media media = {.ssrc = 5, .seq = i, .timestamp = 450 * i, .payload_bytes = 1000};
        receive(receiver, WEIR_MS(5 * i), &media);
    }
    struct weir_receiver_stats stats = receiver_stats(receiver);
    g_assert_cmpuint(stats.packets_received, ==, 2000);
    g_assert_cmpuint(stats.bytes_received_wire, ==, 2000 * 1048);
    g_assert_cmpint(stats.packets_lost, ==, 0);
    g_assert_cmpuint(stats.streams, ==, 1);
    g_assert_cmpint(stats.rtt_ns, ==, WEIR_UNKNOWN_NS);
    assert_near(stats.loss_ratio, 0.0, 1e-12);
    g_assert_cmpint(stats.jitter_ns, ==, 0);
    g_assert_cmpint(stats.delay_variation_ns, ==, 0);
    assert_near((double)stats.received_wire_bps / (1048 * 8 * 200), 1.0, 0.03);
    assert_near(stats.r_score, 94.2 - 0.024 * 60.0, 1e-9);
    assert_near(stats.mos, 4.40, 0.01);
    weir_receiver_destroy(receiver);
}

static void test_quality_falls_with_loss(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    for (uint32_t i = 0; i < 1000; i++) {
        struct media media = {.ssrc = 5, .seq = i, .timestamp = 1800 * i, .payload_bytes = 160};
        if (i % 20 != 7) {
            receive(receiver, WEIR_MS(20 * i), &media);
        }
    }
    struct weir_receiver_stats stats = receiver_stats(receiver);
    assert_near(stats.loss_ratio, 0.05, 0.003);
    g_assert_cmpint(stats.packets_lost, ==, 50);
    assert_near(stats.r_score, 94.2 - 1.44 - 16.788, 0.8); /* 30 ln 1.75 */
    weir_receiver_destroy(receiver);
}

/* Every other packet 100 ms later: a buffer of 40 ms would hear half of the speech, R = 94.2 - 1.44
 * - 64.2; one of 100 ms hears all of it, 60 ms later. */
static void test_quality_is_that_of_the_best_playout_buffer(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    for (uint32_t i = 0; i < 50; i++) {
        struct media media = {.ssrc = 5, .seq = i, .timestamp = 18000 * i, .payload_bytes = 160};
        receive(receiver, WEIR_MS(200 * i + 100 * (i % 2)), &media);
    }
    assert_near(receiver_stats(receiver).r_score, 94.2 - 0.024 * 120.0, 1e-9);
    weir_receiver_destroy(receiver);
}

/* Nobody speaks for 25 s: what was heard is as good as it was. Then the stream is gone. */
static void test_quality_outlasts_silence(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    static struct parsed parsed;
    for (uint32_t i = 0; i < 100; i++) {
        struct media media = {.ssrc = 5, .seq = i, .timestamp = 1800 * i, .payload_bytes = 160};
        if (i % 10 != 7) {
            receive(receiver, WEIR_MS(20 * i), &media);
        }
    }
    double spoken = receiver_stats(receiver).r_score;
    assert_near(spoken, 94.2 - 1.44 - 30.0 * log(2.5), 0.5);
    build(receiver, WEIR_SECONDS(27), &parsed);
    assert_near(receiver_stats(receiver).r_score, spoken, 1e-9);
    build(receiver, WEIR_SECONDS(33), &parsed);
    assert_near(receiver_stats(receiver).r_score, 0.0, 1e-12);
    assert_near(receiver_stats(receiver).mos, 1.0, 1e-12);
    weir_receiver_destroy(receiver);
}

static void test_a_long_name_is_cut(void)
{
    char name[200];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct weir_receiver_config config;
    weir_receiver_config_init(&config);
    config.cname = name;
    config.local_ssrc = LOCAL_SSRC;
    struct weir_receiver *receiver = weir_receiver_create(&config, 0, NULL);
    memset(name, 'y', sizeof name - 1); /* it was copied */
    struct media media = {.ssrc = 5, .seq = 1};
    static struct parsed parsed;
    receive(receiver, 0, &media);
    g_assert_true(build(receiver, 0, &parsed));
    g_assert_true(parsed.has_sdes);
    g_assert_cmpuint(parsed.cname.name_bytes, ==, WEIR__RECEIVER_CNAME_BYTES);
    weir_receiver_destroy(receiver);
}

/* The longest name and the smallest buffer; the time of the clock is not known. */
static void test_what_a_full_compound_leaves_no_room_for_comes_next(void)
{
    static const uint32_t formats[] = {WEIR_FEEDBACK_CCFB, WEIR_FEEDBACK_TWCC, WEIR_FEEDBACK_REMB};
    for (size_t f = 0; f < G_N_ELEMENTS(formats); f++) {
        struct weir_receiver *receiver = receiver_new(formats[f]);
        static struct parsed parsed;
        uint8_t data[128];
        size_t len;
        memset(receiver->cname, 'x', WEIR__RECEIVER_CNAME_BYTES);
        for (uint32_t seq = 0; seq < 2; seq++) {
            struct media media = {.ssrc = 1, .seq = seq, .transport_seq = seq};
            receive(receiver, WEIR_MS(10 * seq), &media);
        }
        g_assert_cmpint(
            weir_receiver_build_feedback(receiver, WEIR_MS(10), 0, data, sizeof data, &len), ==,
            WEIR_OK);
        g_assert_cmpuint(len, ==, sizeof data);
        parse_datagram(data, len, &parsed);
        g_assert_true(parsed.has_rr && parsed.has_sdes && parsed.has_rrtr);
        g_assert_cmpuint(parsed.rr.n_blocks, ==, 1);
        g_assert_cmpuint(parsed.n_packets, ==, 3);
        struct media media = {.ssrc = 1, .seq = 2, .transport_seq = 2};
        receive(receiver, WEIR_MS(20), &media);
        int64_t now_ns = weir_receiver_next_feedback_ns(receiver);
        g_assert_true(build_within(receiver, now_ns, sizeof data, &parsed));
        g_assert_true(parsed.has_ccfb || parsed.has_twcc || parsed.has_remb);
        g_assert_cmpuint(parsed.twcc.feedback_count, ==, 0);
        weir_receiver_destroy(receiver);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/receiver/defaults_are_the_documented_ones",
                    test_defaults_are_the_documented_ones);
    g_test_add_func("/receiver/bad_configurations_are_refused",
                    test_bad_configurations_are_refused);
    g_test_add_func("/receiver/a_receiver_is_below_256_kib", test_a_receiver_is_below_256_kib);
    g_test_add_func("/receiver/bad_arguments_change_nothing", test_bad_arguments_change_nothing);
    g_test_add_func("/receiver/clock_rates_count_before_and_after_the_first_packet",
                    test_clock_rates_count_before_and_after_the_first_packet);
    g_test_add_func("/receiver/of_many_clock_rates_the_newest_are_kept",
                    test_of_many_clock_rates_the_newest_are_kept);
    g_test_add_func("/receiver/stats_of_a_clean_stream", test_stats_of_a_clean_stream);
    g_test_add_func("/receiver/quality_falls_with_loss", test_quality_falls_with_loss);
    g_test_add_func("/receiver/quality_is_that_of_the_best_playout_buffer",
                    test_quality_is_that_of_the_best_playout_buffer);
    g_test_add_func("/receiver/quality_outlasts_silence", test_quality_outlasts_silence);
    g_test_add_func("/receiver/a_long_name_is_cut", test_a_long_name_is_cut);
    g_test_add_func("/receiver/what_a_full_compound_leaves_no_room_for_comes_next",
                    test_what_a_full_compound_leaves_no_room_for_comes_next);
    return g_test_run();
}
