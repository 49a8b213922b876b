/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/traffic/media_flow_state.h"
#include "sim/traffic/media_rig.h"

static int64_t waiting_packets(const struct weir__media_flow *flow)
{
    struct weir_queue_stats stats;
    weir_queue_get_stats(flow->queue, &stats);
    return stats.queued_packets;
}

/* A source faster than its flow may send, and a buffer that overflows. */
static struct weir__media_flow_config overloaded(enum weir_queue_policy policy)
{
    struct weir__media_flow_config config = rig_voice_config();
    config.source.rate_bps = WEIR_KBPS(900);
    config.source.unit_bytes = 960;
    config.packet_bytes = 1000;
    config.buffer_packets = 5;
    config.buffer_policy = policy;
    config.sender.algorithm = "fixed"; /* 300 kbit/s */
    return config;
}

static void test_generated_is_discarded_sent_or_waiting(void)
{
    static const enum weir_queue_policy policies[] = {
        WEIR_QUEUE_DROP_NEWEST, WEIR_QUEUE_DROP_OLDEST, WEIR_QUEUE_DROP_FRAME};
    for (size_t i = 0; i < G_N_ELEMENTS(policies); i++) {
        struct media_rig *rig = rig_new(&rig_default);
        const struct weir__flow_meter *meter = rig_add(rig, overloaded(policies[i]));
        for (int64_t step = 1; step <= 2000; step++) {
            rig_run(rig, step * WEIR_MS(7));
            int64_t waiting = waiting_packets(rig->flows[0]);
            g_assert_cmpint(waiting, <=, 5);
            g_assert_cmpint(meter->generated_packets, ==,
                            meter->discarded_packets + meter->sent_packets + waiting);
            g_assert_cmpint(meter->generated_bytes, ==, 960 * meter->generated_packets);
        }
        g_assert_cmpint(meter->discarded_packets, >, meter->generated_packets / 2);
        rig_free(rig);
    }
}

/* Numbers of the packets at the end: what waits longest goes first, what comes too late goes. */
static void test_full_buffer_discards_the_newest(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = overloaded(WEIR_QUEUE_DROP_NEWEST);
    config.measure_delay = true;
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(60));
    /* In front of a packet that gets in wait four others, 1000 bytes each at 300 kbit/s * 1000/960
     * on the wire, and the one before them has just left. */
    double wait_s = 5.0 * 8000.0 / (double)rig_state(rig, 0).allowed_bps;
    double mean_s = meter->mouth_to_ear_sum_ns / 1e9 / (double)meter->heard_packets;
    assert_near(mean_s, wait_s + 0.058, 0.02);
    g_assert_cmpint(weir__histogram_percentile(meter->lateness, 1.0), <=,
                    (int64_t)(wait_s * 1e9) + WEIR_MS(60));
    rig_free(rig);
}

static void test_bound_in_time_discards_too(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = overloaded(WEIR_QUEUE_DROP_NEWEST);
    config.buffer_packets = 1000;
    config.buffer_time_ns = WEIR_MS(80); /* three packets at 300 kbit/s */
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(20));
    g_assert_cmpint(meter->discarded_packets, >, 0);
    g_assert_cmpint(waiting_packets(rig->flows[0]), <=, 3);
    rig_free(rig);
}

static void test_source_below_the_allowed_rate_is_carried_whole(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_voice_config();
    config.measure_delay = true;
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(100) + WEIR_MS(70));
    g_assert_cmpint(meter->generated_packets, ==, 5004);
    g_assert_cmpint(meter->discarded_packets, ==, 0);
    g_assert_cmpint(meter->heard_packets, ==, 5001);
    g_assert_cmpint(meter->goodput_bytes, ==, 5001 * 160);
    assert_near(meter->mouth_to_ear_sum_ns / 1e6 / 5001.0, 50.0 + 1.6, 0.2);
    assert_near(meter->delay_sum_ns / 1e6 / 5001.0, 50.0 + 1.6, 0.2);
    g_assert_cmpuint(meter->lateness->n, ==, 5001);
    g_assert_cmpuint(meter->delay->n, ==, 5001);
    rig_free(rig);
}

/* Frames of 10000 bytes: six full packets and the rest, the marker on the last. */
static void test_units_are_split(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_voice_config();
    config.packet_bytes = 1500;
    config.source.unit_bytes = 10000;
    config.source.rate_bps = WEIR_KBPS(80);
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(30) - 1);
    g_assert_cmpint(meter->generated_bytes, ==, 30 * 10000);
    g_assert_cmpint(meter->generated_packets, ==, 30 * 7);
    g_assert_cmpint(meter->sent_bytes, ==, 30 * (10000 + 7 * 40));
    rig_free(rig);
}

static void test_encoder_follows_the_target(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_voice_config();
    weir__source_config_default(&config.source, WEIR__SOURCE_ENCODER);
    config.packet_bytes = 1500;
    config.source.min_bps = WEIR_KBPS(100);
    config.source.max_bps = WEIR_MBPS(5);
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(60));
    int64_t before = meter->goodput_bytes;
    rig_run(rig, WEIR_SECONDS(120));
    double used = (double)(meter->goodput_bytes - before) * 8.0 / 60.0 / 1e6;
    g_assert_cmpfloat(used, >, 0.7);
    g_assert_cmpfloat(used, <, 1460.0 / 1500.0);
    rig_free(rig);
}

/* Packets of repair share the rate, and take what they need from the encoder. */
static void test_repair_shares_the_rate_and_brings_frames_back(void)
{
    struct media_rig_config lossy = rig_default;
    double lost_ratio[2];
    lossy.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = 0.03};
    for (uint32_t i = 0; i < 2; i++) {
        struct media_rig *rig = rig_new(&lossy);
        struct weir__media_flow_config config = rig_voice_config();
        weir__source_config_default(&config.source, WEIR__SOURCE_ENCODER);
        config.source.burst_frames = 0;    /* a key frame, asked for, is as large as others */
        config.sender.algorithm = "fixed"; /* 300 kbit/s */
        config.packet_bytes = 500;
        config.follows_frames = true;
        config.repair_percent = i * 50;
        const struct weir__flow_meter *meter = rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(100));
        g_assert_cmpint(meter->generated_packets, ==,
                        meter->discarded_packets + meter->sent_packets +
                            waiting_packets(rig->flows[0]));
        int64_t media_packets = meter->generated_packets - meter->repair_packets;
        assert_near(meter->repair_packets, media_packets * i / 2, 1.5);
        assert_near(meter->sent_bytes * 8 / 100, 300000 * 500 / 460, 30000);
        g_assert_cmpint(meter->frames, >, 2900);
        g_assert_cmpint(meter->heard_packets, <=, media_packets);
        lost_ratio[i] = 1.0 - (double)meter->whole_frames / (double)meter->frames;
        rig_free(rig);
    }
    g_test_message("%g of the frames lost, %g with repair", lost_ratio[0], lost_ratio[1]);
    g_assert_cmpfloat(lost_ratio[0], >, 0.05);
    g_assert_cmpfloat(lost_ratio[1], <, lost_ratio[0] / 4.0);
}

/* What is sent again shares the rate, whatever is lost of it, and brings back nearly all frames; of
 * media each packet counts once. */
static void test_what_is_lost_is_sent_again(void)
{
    for (size_t format = 0; format < 2; format++) {
        struct media_rig_config lossy = rig_default;
        lossy.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = 0.05};
        lossy.duplicate = 0.01;
        struct media_rig *rig = rig_new(&lossy);
        struct weir__media_flow_config config = rig_voice_config();
        weir__source_config_default(&config.source, WEIR__SOURCE_ENCODER);
        config.source.burst_frames = 0;
        config.sender.algorithm = "fixed"; /* 300 kbit/s */
        config.receiver.format = format == 0 ? WEIR_FEEDBACK_CCFB : WEIR_FEEDBACK_TWCC;
        config.packet_bytes = 500;
        config.follows_frames = true;
        config.resend_wait_ns = WEIR_SECONDS(1);
        const struct weir__flow_meter *meter = rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(100));
        int64_t media_packets = meter->generated_packets - meter->resent_packets;
        g_assert_cmpint(meter->generated_packets, ==,
                        meter->discarded_packets + meter->sent_packets +
                            waiting_packets(rig->flows[0]));
        assert_near(meter->sent_bytes * 8 / 100, 300000 * 500 / 460, 30000);
        g_assert_cmpint(meter->resent_packets, >, media_packets * 5 / 100);
        g_assert_cmpint(meter->resent_packets, <, media_packets * 12 / 100);
        g_assert_cmpint(meter->heard_packets, <=, media_packets);
        assert_near(meter->heard_packets, media_packets, 50);
        g_assert_cmpint(meter->frames - meter->whole_frames, <, meter->frames / 100);
        g_assert_cmpint(weir__histogram_percentile(meter->frame_delay, 0.99), >,
                        4 * rig_default.delay_ns);
        struct weir_sender_stats stats;
        weir_sender_get_stats(weir__media_flow_sender(rig->flows[0]), &stats);
        g_assert_cmpuint(stats.nacks, >, 100);
        rig_free(rig);
    }
}

/* Pictures stand from the loss of a frame until the key frame that answers it, a round trip later;
 * of those that follow within half a second of a key frame, that is when the next one may be asked
 * for. */
static void test_a_key_frame_answers_a_lost_frame(void)
{
    struct media_rig_config lossy = rig_default;
    lossy.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = 0.003};
    struct media_rig *rig = rig_new(&lossy);
    struct weir__media_flow_config config = rig_voice_config();
    weir__source_config_default(&config.source, WEIR__SOURCE_ENCODER);
    config.sender.algorithm = "fixed";
    config.packet_bytes = 500;
    config.follows_frames = true;
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(100));
    int64_t lost = meter->frames - meter->whole_frames;
    g_assert_cmpint(lost, >, 5);
    g_assert_cmpint(meter->frozen_ns, <, lost * WEIR_MS(1000));
    g_assert_cmpint(rig->flows[0]->fec->shown_ns, >, WEIR_SECONDS(99));
    rig_free(rig);
}

/* An encoder that makes twice what may leave: it skips half of its frames, and none is dropped. */
static void test_frames_are_skipped_rather_than_dropped(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_voice_config();
    weir__source_config_default(&config.source, WEIR__SOURCE_ENCODER);
    config.source.min_bps = WEIR_KBPS(600);
    config.source.burst_frames = 0;
    config.sender.algorithm = "fixed"; /* 300 kbit/s */
    config.packet_bytes = 500;
    config.buffer_policy = WEIR_QUEUE_DROP_FRAME;
    config.buffer_time_ns = WEIR_MS(250);
    config.follows_frames = true;
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(100));
    g_assert_cmpint(meter->discarded_packets, ==, 0);
    assert_near(meter->skipped_frames, meter->frames, 150);
    g_assert_cmpint(meter->frozen_ns, ==, 0);
    g_assert_cmpint(weir__histogram_percentile(meter->frame_delay, 1.0), <,
                    WEIR_MS(250) + 2 * rig_default.delay_ns);
    rig_free(rig);
}

static void test_repair_follows_what_is_lost(void)
{
    for (int i = 0; i < 2; i++) {
        struct media_rig_config link = rig_default;
        link.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = 0.05 * i};
        struct media_rig *rig = rig_new(&link);
        struct weir__media_flow_config config = rig_voice_config();
        weir__source_config_default(&config.source, WEIR__SOURCE_ENCODER);
        config.sender.algorithm = "fixed";
        config.packet_bytes = 500;
        config.follows_frames = true;
        config.repair_follows = true;
        const struct weir__flow_meter *meter = rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(60));
        g_assert_true((meter->repair_packets > 0) == (i > 0));
        rig_free(rig);
    }
}

/* Slow start from one packet a second: full dummies first, then 50 packets of voice a second. */
static void test_media_begins_when_its_rate_is_allowed(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir_param_value initial = {.name = "initial", .value_text = "rfc"};
    struct weir__media_flow_config config = rig_voice_config();
    config.sender.params = &initial;
    config.sender.n_params = 1;
    config.media_when_allowed = true;
    config.media_bps = WEIR_KBPS(80);
    const struct weir__flow_meter *meter = rig_add(rig, config);
    while (meter->counted_from_ns == WEIR_NEVER_NS) {
        int64_t at_ns = weir__network_sim(rig->network)->now_ns;
        g_assert_cmpint(at_ns, <, WEIR_SECONDS(20));
        g_assert_cmpint(rig_state(rig, 0).allowed_bps, <, WEIR_KBPS(80));
        g_assert_cmpint(meter->generated_packets + meter->heard_packets, ==, 0);
        rig_run(rig, at_ns + WEIR_MS(1));
    }
    int64_t from_ns = meter->counted_from_ns;
    int64_t dummies = meter->sent_packets;
    g_assert_cmpint(from_ns, >, WEIR_MS(100));
    g_assert_cmpint(dummies, >, 1);
    g_assert_cmpint(rig_state(rig, 0).allowed_bps, >=, WEIR_KBPS(80));
    rig_run(rig, from_ns + WEIR_SECONDS(10) - 1);
    g_assert_cmpint(meter->generated_packets, ==, 500);
    g_assert_cmpint(meter->sent_packets - dummies, <=, 501);
    rig_run(rig, from_ns + WEIR_SECONDS(11));
    g_assert_cmpint(meter->heard_packets, >=, 500);
    g_assert_cmpint(meter->heard_packets, <, meter->received_packets);
    rig_free(rig);
}

/* Voice of 64 kbit/s that starts at 100 kbit/s: 3 and 6 times that are proved by repair behind it,
 * which is no media at the other end. */
static void test_a_probe_is_filled_with_repair(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_voice_config();
    config.sender.algorithm = "gcc";
    config.sender.limits.start_bps = WEIR_KBPS(100);
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(3));
    int64_t repair = meter->sent_packets - meter->generated_packets;
    g_test_message("%d packets, allowed %d bit/s", (int)repair, (int)rig_state(rig, 0).allowed_bps);
    g_assert_cmpint(repair, >=, 6);
    g_assert_cmpint(repair, <=, 40);
    g_assert_cmpint(rig_state(rig, 0).allowed_bps, >, WEIR_KBPS(150));
    rig_run(rig, WEIR_SECONDS(10) - 1);
    g_assert_cmpint(meter->sent_packets - meter->generated_packets, ==, repair);
    g_assert_cmpint(meter->heard_packets, <=, meter->generated_packets);
    g_assert_cmpint(meter->goodput_bytes, ==, 160 * meter->heard_packets);
    rig_free(rig);
}

/* Only what the source makes leaves, probe or not. */
static void test_a_probe_is_left_to_the_source_where_nothing_may_fill_it(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_voice_config();
    config.sender.algorithm = "gcc";
    config.sender.limits.start_bps = WEIR_KBPS(100);
    config.fill_probes = false;
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(10) - 1);
    g_assert_cmpint(meter->sent_packets, ==, meter->generated_packets);
    rig_free(rig);
}

static void test_unpaced_with_a_source_sends_at_once(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = overloaded(WEIR_QUEUE_DROP_NEWEST);
    config.sender.pacing = false;
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(10));
    g_assert_cmpint(meter->sent_packets, ==, meter->generated_packets);
    g_assert_cmpint(meter->discarded_packets, ==, 0);
    rig_free(rig);
}

/* Neither pacing nor a window: what an algorithm may come to, whatever it began with. */
static void test_unlimited_sending_does_not_stop_the_clock(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_flow_config(1);
    config.sender.algorithm = "fixed";
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(1));
    weir_sender_set_pacing(weir__media_flow_sender(rig->flows[0]), WEIR_SECONDS(1), false);
    rig_run(rig, WEIR_SECONDS(1) + WEIR_MS(100));
    g_assert_cmpint(meter->sent_packets, >, 100000);
    g_assert_cmpint(meter->sent_packets, <, 2000000);
    rig_free(rig);
}

static void test_sender_reports_travel_with_the_media(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    const struct weir__flow_meter *meter = rig_add(rig, rig_flow_config(1));
    rig_run(rig, WEIR_SECONDS(60));
    const struct weir__packet_counters *route = rig_route(rig, 0);
    int64_t reports = route->offered_packets - meter->sent_packets;
    int64_t report_bytes = route->offered_bytes - meter->sent_bytes;
    g_assert_cmpint(reports, >, 10);
    g_assert_cmpint(report_bytes, >, reports * 50);
    g_assert_cmpint(report_bytes, <, reports * 150);
    rig_free(rig);
}

/* One at the start, and none sooner than 5 s after the one before. */
static void test_sender_reports_may_be_rare(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_flow_config(1);
    config.sender_report_ns = WEIR_SECONDS(5);
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(60));
    int64_t reports = rig_route(rig, 0)->offered_packets - meter->sent_packets;
    g_assert_cmpint(reports, >=, 60 / 7);
    g_assert_cmpint(reports, <=, 1 + 60 / 5);
    rig_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/media_flow_send/conservation", test_generated_is_discarded_sent_or_waiting);
    g_test_add_func("/media_flow_send/newest", test_full_buffer_discards_the_newest);
    g_test_add_func("/media_flow_send/time", test_bound_in_time_discards_too);
    g_test_add_func("/media_flow_send/whole", test_source_below_the_allowed_rate_is_carried_whole);
    g_test_add_func("/media_flow_send/split", test_units_are_split);
    g_test_add_func("/media_flow_send/encoder", test_encoder_follows_the_target);
    g_test_add_func("/media_flow_send/repair_shares_the_rate",
                    test_repair_shares_the_rate_and_brings_frames_back);
    g_test_add_func("/media_flow_send/skipped", test_frames_are_skipped_rather_than_dropped);
    g_test_add_func("/media_flow_send/key-frame", test_a_key_frame_answers_a_lost_frame);
    g_test_add_func("/media_flow_send/what_is_lost_is_sent_again", test_what_is_lost_is_sent_again);
    g_test_add_func("/media_flow_send/repair_follows_what_is_lost",
                    test_repair_follows_what_is_lost);
    g_test_add_func("/media_flow_send/when-allowed", test_media_begins_when_its_rate_is_allowed);
    g_test_add_func("/media_flow_send/probe", test_a_probe_is_filled_with_repair);
    g_test_add_func("/media_flow_send/probe-of-media",
                    test_a_probe_is_left_to_the_source_where_nothing_may_fill_it);
    g_test_add_func("/media_flow_send/unpaced", test_unpaced_with_a_source_sends_at_once);
    g_test_add_func("/media_flow_send/unlimited", test_unlimited_sending_does_not_stop_the_clock);
    g_test_add_func("/media_flow_send/reports", test_sender_reports_travel_with_the_media);
    g_test_add_func("/media_flow_send/rare-reports", test_sender_reports_may_be_rare);
    return g_test_run();
}
