/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../formats.h"
#include "codec/format.h"
#include "session/sender_internal.h"
#include "sim/traffic/media_flow_state.h"
#include "sim/traffic/media_rig.h"

static struct weir_feedback_info formats[WEIR_FEEDBACK_FORMATS_MAX];
static size_t n_formats;

static struct weir_sender_stats sender_stats(const struct media_rig *rig)
{
    struct weir_sender_stats stats;
    weir_sender_get_stats(weir__media_flow_sender(rig->flows[0]), &stats);
    return stats;
}

static void test_every_format_steers(void)
{
    for (size_t i = 0; i < n_formats; i++) {
        struct media_rig *rig = rig_new(&rig_default);
        struct weir__media_flow_config config = rig_flow_config(1);
        config.receiver.format = formats[i].format;
        rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(100));
        struct weir_sender_stats stats = sender_stats(rig);
        struct weir__flow_state state;
        weir__media_flow_get_state(rig->flows[0], &state);
        g_assert_true(state.reports_only == !formats[i].tells_packets);
        size_t index = weir__format_index(formats[i].format);
        g_test_message("format %s: %.3f used", formats[i].name, rig_used(rig, WEIR_SECONDS(100)));
        g_assert_cmpuint(stats.feedback_packets[index], >, 300);
        g_assert_cmpuint(stats.rtcp_malformed + stats.rtcp_rejected, ==, 0);
        g_assert_cmpfloat(rig_used(rig, WEIR_SECONDS(100)), >, 0.8);
        rig_free(rig);
    }
}

static void test_feedback_on_the_wire_is_what_the_meter_says(void)
{
    for (size_t i = 0; i < 2 * n_formats; i++) {
        struct media_rig *rig = rig_new(&rig_default);
        struct weir__media_flow_config config = rig_flow_config(1);
        config.receiver.format = formats[i / 2].format;
        config.feedback_per_packet = i % 2 == 1;
        const struct weir__flow_meter *meter = rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(30));
        const struct weir__packet_counters *route =
            weir__network_route_counters(rig->network, rig->feedback_routes[0]);
        const struct weir__link *link = weir__network_link(rig->network, rig->backward);
        g_assert_cmpint(route->offered_packets, ==, meter->feedback_packets);
        g_assert_cmpint(route->offered_bytes, ==, meter->feedback_bytes);
        g_assert_cmpint(link->total.offered_bytes, ==, meter->feedback_bytes);
        g_assert_cmpint(meter->feedback_bytes, >=, meter->feedback_packets * (28 + 20));
        g_assert_cmpint(meter->feedback_refused_packets, ==, 0);
        rig_free(rig);
    }
}

static void test_feedback_for_every_packet_comes_at_once(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_flow_config(1);
    config.feedback_per_packet = true;
    const struct weir__flow_meter *meter = rig_add(rig, config);
    for (int64_t step = 1; step < 3000; step++) {
        rig_run(rig, step * WEIR_MS(10));
        /* All that more there may be are the compounds that are due every second or so. */
        g_assert_cmpint(meter->feedback_packets, >=, meter->received_packets);
        g_assert_cmpint(meter->feedback_packets, <=, meter->received_packets + 2 + step / 50);
    }
    struct weir_sender_stats stats = sender_stats(rig);
    g_assert_cmpint(stats.feedback_interval_ns, <, WEIR_MS(20));
    rig_free(rig);
}

static void test_interval_of_feedback_is_kept(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_flow_config(1);
    config.receiver.interval_ns = WEIR_MS(500);
    config.sender.algorithm = "fixed";
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(100));
    g_assert_cmpint(meter->feedback_packets, >=, 190);
    g_assert_cmpint(meter->feedback_packets, <=, 320);
    rig_free(rig);
}

/* A queue grows for 20 s, by 0.1 s a second, and the one sender report went before. */
static void test_interval_follows_the_rtt_in_the_media(void)
{
    static const char *const algorithms[] = {"fixed", "tfrc"};
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(algorithms); i++) {
        struct media_rig_config links = rig_default;
        links.queue_packets = 1000;
        struct media_rig *rig = rig_new(&links);
        struct weir__media_flow_config config = rig_flow_config(1);
        config.sender.algorithm = algorithms[i / 2];
        config.sender.limits.max_bps = config.sender.limits.start_bps;
        config.receiver.interval_max_ns = WEIR_SECONDS(10);
        config.receiver.extra_compounds = false;
        config.sender_report_ns = WEIR_SECONDS(60);
        config.rtt_with_media = i % 2 == 1;
        rig_add(rig, config);
        config.sender.algorithm = "fixed";
        config.sender.limits.start_bps = config.sender.limits.max_bps = WEIR_KBPS(800);
        config.start_ns = WEIR_SECONDS(10);
        rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(30));
        int64_t interval_ns = sender_stats(rig).feedback_interval_ns;
        int64_t rtt_ns = rig_state(rig, 0).rtt_ns;
        g_test_message("%s: a report each %.3f s, RTT %.3f s", algorithms[i / 2],
                       (double)interval_ns / 1e9, (double)rtt_ns / 1e9);
        g_assert_cmpint(rtt_ns, >, WEIR_SECONDS(1));
        if (config.rtt_with_media) {
            g_assert_cmpint(interval_ns, >, rtt_ns / 2);
            g_assert_cmpint(interval_ns, <, rtt_ns * 3 / 2);
        } else {
            g_assert_cmpint(interval_ns, <, rtt_ns / 5);
        }
        rig_free(rig);
    }
}

static void test_without_feedback_the_rate_decays(void)
{
    struct media_rig_config links = rig_default;
    links.feedback_loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = 1.0};
    struct media_rig *rig = rig_new(&links);
    const struct weir__flow_meter *meter = rig_add(rig, rig_flow_config(1));
    rig_run(rig, WEIR_SECONDS(60));
    int64_t before = meter->sent_bytes;
    rig_run(rig, WEIR_SECONDS(120));
    g_assert_cmpint((meter->sent_bytes - before) * 8 / 60, <, WEIR_KBPS(10));
    g_assert_cmpint(rig_state(rig, 0).allowed_bps, <, WEIR_KBPS(5));
    g_assert_cmpint(rig_state(rig, 0).rtt_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpuint(rig->flows[0]->datagrams.n_in_use, ==, 0);
    rig_free(rig);
}

static void test_without_media_there_is_nothing_to_report(void)
{
    struct media_rig_config links = rig_default;
    links.loss = (struct weir__link_loss_config){.model = WEIR__LOSS_BERNOULLI, .p = 1.0};
    struct media_rig *rig = rig_new(&links);
    const struct weir__flow_meter *meter = rig_add(rig, rig_flow_config(1));
    rig_run(rig, WEIR_SECONDS(60));
    g_assert_cmpint(meter->sent_packets, >, 0);
    g_assert_cmpint(meter->received_packets + meter->goodput_bytes, ==, 0);
    g_assert_cmpint(meter->feedback_packets, ==, 0);
    g_assert_cmpuint(rig->flows[0]->datagrams.n_in_use, ==, 0);
    rig_free(rig);
}

static void test_copies_count_once(void)
{
    struct media_rig_config links = rig_default;
    links.duplicate = 0.3;
    struct media_rig *rig = rig_new(&links);
    struct weir__media_flow_config config = rig_voice_config();
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig_run(rig, WEIR_SECONDS(100) + WEIR_MS(70));
    g_assert_cmpint(meter->heard_packets, ==, 5001);
    g_assert_cmpint(meter->goodput_bytes, ==, 5001 * 160);
    g_assert_cmpint(meter->received_packets, >, 6000);
    g_assert_cmpuint(sender_stats(rig).results_repeated, >, 1000);
    g_assert_cmpuint(sender_stats(rig).rtcp_malformed, ==, 0);
    rig_free(rig);
}

static void test_losses_are_seen_at_both_ends(void)
{
    for (size_t i = 0; i < 2; i++) {
        struct media_rig_config links = rig_default;
        links.loss =
            (struct weir__link_loss_config){.model = WEIR__LOSS_PERIODIC, .every_packets = 50};
        struct media_rig *rig = rig_new(&links);
        struct weir__media_flow_config config = rig_voice_config();
        config.receiver.format = formats[i].format;
        const struct weir__flow_meter *meter = rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(100));
        int64_t lost = rig_route(rig, 0)->lost_packets;
        g_assert_cmpint(lost, >, 95);
        /* The sender reports lost are not media. */
        int64_t missing = meter->sent_packets - meter->received_packets;
        g_assert_cmpint(missing, <=, lost + 5);
        struct weir_sender_stats stats = sender_stats(rig);
        g_assert_cmpint(ABS((int64_t)stats.packets_lost - missing), <=, 5);
        rig_free(rig);
    }
}

/* A queue that marks loses nothing of what is ECN-capable, and the sender answers: TFRC, whose
 * losses these would be. What is not is dropped. */
static void test_marks_are_reported_and_answered(void)
{
    static const enum weir_ecn codepoints[] = {WEIR_ECN_NOT_ECT, WEIR_ECN_ECT0, WEIR_ECN_ECT1};
    for (size_t i = 0; i < G_N_ELEMENTS(codepoints); i++) {
        bool is_capable = codepoints[i] != WEIR_ECN_NOT_ECT;
        struct media_rig_config links = rig_default;
        links.discipline = WEIR__QUEUE_CODEL;
        links.queue_packets = 1000;
        struct media_rig *rig = rig_new(&links);
        struct weir__media_flow_config config = rig_flow_config(1);
        config.ecn = codepoints[i];
        config.stop_ns = WEIR_SECONDS(99); /* nothing is under way in the end */
        const struct weir__flow_meter *meter = rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(100));
        struct weir_receiver_stats stats;
        weir_receiver_get_stats(rig->flows[0]->receiver, &stats);
        int64_t dropped = meter->sent_packets - meter->received_packets;
        g_test_message("%d: %d marked, %d dropped, %.3f used", (int)codepoints[i],
                       (int)meter->marked_packets, (int)dropped, rig_used(rig, WEIR_SECONDS(100)));
        g_assert_cmpint(is_capable ? meter->marked_packets : dropped, >, 20);
        g_assert_cmpint(is_capable ? dropped : meter->marked_packets, ==, 0);
        g_assert_cmpint((int64_t)stats.packets_ecn_ce, ==, meter->marked_packets);
        g_assert_cmpfloat(meter->delay_sum_ns / (double)meter->received_packets, <,
                          (double)WEIR_MS(50 + 12 + 30));
        g_assert_cmpfloat(rig_used(rig, WEIR_SECONDS(100)), >, 0.8);
        rig_free(rig);
    }
}

enum { MARK_EVERY = 20 };

/* Each 20th ECN-capable packet that the link sends, from 40 s on. */
static void mark_some(void *target, struct weir__packet *packet)
{
    const struct media_rig *rig = target;
    bool begun = weir__network_sim(rig->network)->now_ns >= WEIR_SECONDS(40);
    if (begun && packet->ecn == WEIR_ECN_ECT0 && packet->seq % MARK_EVERY == 0) {
        packet->ecn = WEIR_ECN_CE;
    }
}

/* docs/ecn.md */
static bool is_deaf_to_marks(const char *algorithm)
{
    static const char *const deaf[] = {
        "fixed", /* has one rate */
        "gcc",   /* follows delay and losses alone */
        "nada",  /* RFC 8698 4.3: ramps up while there is neither loss nor delay */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(deaf); i++) {
        if (strcmp(algorithm, deaf[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* On an empty path, where marks are all that speaks against the rate. */
static void test_marks_lower_the_rate_of_every_algorithm(void)
{
    for (size_t i = 0; i < weir_algorithm_count(); i++) {
        struct media_rig_config links = rig_default;
        links.capacity_bps = WEIR_MBPS(10);
        links.queue_packets = 1000;
        struct media_rig *rig = rig_new(&links);
        struct weir__link *link = weir__network_link(rig->network, rig->forward);
        struct weir__media_flow_config config = rig_flow_config(1);
        link->config.on_service = mark_some;
        link->config.service_target = rig;
        link->plain_service = false;
        config.sender.algorithm = weir_algorithm_name(i);
        config.sender.limits.max_bps = WEIR_MBPS(3);
        config.ecn = WEIR_ECN_ECT0;
        const struct weir__flow_meter *meter = rig_add(rig, config);
        rig_run(rig, WEIR_SECONDS(30));
        int64_t at_30_s_bytes = meter->sent_bytes;
        rig_run(rig, WEIR_SECONDS(40));
        int64_t before_bytes = meter->sent_bytes - at_30_s_bytes;
        rig_run(rig, WEIR_SECONDS(70));
        int64_t at_70_s_bytes = meter->sent_bytes;
        rig_run(rig, WEIR_SECONDS(80));
        int64_t marked_bytes = meter->sent_bytes - at_70_s_bytes;
        g_test_message("%s: %.0f, then %.0f kbit/s, %d marked", config.sender.algorithm,
                       (double)before_bytes * 8e-4, (double)marked_bytes * 8e-4,
                       (int)meter->marked_packets);
        g_assert_cmpint(meter->marked_packets, >, 10);
        g_assert_true((marked_bytes * 10 < before_bytes * 9) !=
                      is_deaf_to_marks(config.sender.algorithm));
        rig_free(rig);
    }
}

/* RFC 9331 4.3: ECT(1) marked by a queue with classic ECN, and by one of L4S, at any time. */
static void test_a_queue_with_classic_ecn_is_found_out(void)
{
    static const enum weir__queue_discipline disciplines[] = {WEIR__QUEUE_CODEL,
                                                              WEIR__QUEUE_FQ_CODEL, WEIR__QUEUE_RED,
                                                              WEIR__QUEUE_PIE, WEIR__QUEUE_DUALPI2};
    for (size_t i = 0; i < weir_algorithm_count() * G_N_ELEMENTS(disciplines); i++) {
        struct weir_algorithm_info info;
        enum weir__queue_discipline discipline = disciplines[i % G_N_ELEMENTS(disciplines)];
        const char *algorithm = weir_algorithm_name(i / G_N_ELEMENTS(disciplines));
        g_assert_cmpint(weir_algorithm_get_info(algorithm, &info), ==, WEIR_OK);
        if ((info.needs & WEIR_ANSWERS_L4S) == 0) {
            continue;
        }
        struct media_rig_config links = rig_default;
        links.capacity_bps = WEIR_MBPS(4);
        links.queue_packets = 1000;
        links.discipline = discipline;
        struct media_rig *rig = rig_new(&links);
        struct weir__media_flow_config config = rig_flow_config(1);
        config.sender.algorithm = algorithm;
        config.ecn = WEIR_ECN_ECT1;
        rig_add(rig, config);
        for (int second = 10; second <= 60; second++) {
            rig_run(rig, WEIR_SECONDS(second));
            const struct weir_sender *sender = weir__media_flow_sender(rig->flows[0]);
            g_test_message("%s behind %d at %d s", algorithm, (int)discipline, second);
            g_assert_true(sender->driver.path.now.marks_are_l4s ==
                          (discipline == WEIR__QUEUE_DUALPI2));
        }
        rig_free(rig);
    }
}

/* The pool of bytes is full: the feedback is refused and counted, and nothing else breaks. */
static void test_feedback_without_room_is_counted(void)
{
    struct media_rig *rig = rig_new(&rig_default);
    struct weir__media_flow_config config = rig_flow_config(1);
    config.feedback_per_packet = true;
    const struct weir__flow_meter *meter = rig_add(rig, config);
    rig->flows[0]->datagrams.most = 4;
    rig_run(rig, WEIR_SECONDS(30));
    g_assert_cmpint(meter->feedback_refused_packets, >, 0);
    g_assert_cmpint(meter->feedback_packets, >, 0);
    const struct weir__packet_counters *route =
        weir__network_route_counters(rig->network, rig->feedback_routes[0]);
    g_assert_cmpint(route->offered_packets, ==, meter->feedback_packets);
    g_assert_cmpint(route->offered_bytes, ==, meter->feedback_bytes);
    rig_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    n_formats = written_formats(formats);
    g_test_add_func("/media_flow_receive/formats", test_every_format_steers);
    g_test_add_func("/media_flow_receive/wire", test_feedback_on_the_wire_is_what_the_meter_says);
    g_test_add_func("/media_flow_receive/per-packet", test_feedback_for_every_packet_comes_at_once);
    g_test_add_func("/media_flow_receive/interval", test_interval_of_feedback_is_kept);
    g_test_add_func("/media_flow_receive/rtt", test_interval_follows_the_rtt_in_the_media);
    g_test_add_func("/media_flow_receive/no-feedback", test_without_feedback_the_rate_decays);
    g_test_add_func("/media_flow_receive/no-media", test_without_media_there_is_nothing_to_report);
    g_test_add_func("/media_flow_receive/copies", test_copies_count_once);
    g_test_add_func("/media_flow_receive/losses", test_losses_are_seen_at_both_ends);
    g_test_add_func("/media_flow_receive/marks", test_marks_are_reported_and_answered);
    g_test_add_func("/media_flow_receive/a_queue_with_classic_ecn_is_found_out",
                    test_a_queue_with_classic_ecn_is_found_out);
    g_test_add_func("/media_flow_receive/marks-lower",
                    test_marks_lower_the_rate_of_every_algorithm);
    g_test_add_func("/media_flow_receive/no-room", test_feedback_without_room_is_counted);
    return g_test_run();
}
