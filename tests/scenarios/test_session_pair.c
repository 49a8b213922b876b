/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session_pair.h"

#include "../formats.h"

static struct weir_feedback_info formats[WEIR_FEEDBACK_FORMATS_MAX];

static struct pair *pair_on(uint32_t format, char *schedule, double loss, double rtcp_loss)
{
    struct pair_config config = {.format = format,
                                 .algorithm = "tfrc",
                                 .schedule = schedule,
                                 .loss = loss,
                                 .rtcp_loss = rtcp_loss,
                                 .seed = 7};
    return pair_new(&config);
}

/* Used share of capacity_bps from now until end_ns. */
static double utilisation_until(struct pair *pair, int64_t end_ns, int64_t capacity_bps)
{
    int64_t start_ns = pair->now_ns;
    int64_t before_bytes = pair->delivered_wire_bytes;
    pair_run_until(pair, end_ns);
    int64_t bps = weir_rate_bps(pair->delivered_wire_bytes - before_bytes, end_ns - start_ns);
    return (double)bps / (double)capacity_bps;
}

static void test_a_steady_bottleneck_is_used(gconstpointer data)
{
    uint32_t format = formats[GPOINTER_TO_UINT(data)].format;
    struct pair *pair = pair_on(format, "0:1M", 0, 0);
    pair_run_until(pair, WEIR_SECONDS(15));
    double used = utilisation_until(pair, WEIR_SECONDS(75), WEIR_MBPS(1));
    struct weir_receiver_stats stats;
    weir_receiver_get_stats(pair->receiver, &stats);
    g_test_message("utilisation %.3f loss %.4f rtcp %u", used, stats.loss_ratio,
                   (unsigned)pair->rtcp_sent);
    g_assert_cmpfloat(used, >=, 0.95);
    g_assert_cmpfloat(used, <=, 1.001);
    g_assert_cmpfloat(stats.loss_ratio, <=, 0.05);
    pair_free(pair);
}

static void test_a_halved_capacity_is_followed_within_2_s(gconstpointer data)
{
    struct pair_config config = {.format = formats[GPOINTER_TO_UINT(data)].format,
                                 .algorithm = "tfrc",
                                 .schedule = "0:1M,30:500k"};
    for (config.seed = 1; config.seed <= 6; config.seed++) {
        struct pair *pair = pair_new(&config);
        pair_run_until(pair, WEIR_SECONDS(30));
        while (pair_target_bps(pair) >= WEIR_KBPS(500) && pair->now_ns < WEIR_SECONDS(40)) {
            pair_run_until(pair, pair->now_ns + WEIR_MS(10));
        }
        g_test_message("seed %u: below after %.2f s", config.seed, (double)pair->now_ns / 1e9 - 30);
        g_assert_cmpint(pair->now_ns, <=, WEIR_SECONDS(32));
        pair_run_until(pair, WEIR_SECONDS(40));
        double used = utilisation_until(pair, WEIR_SECONDS(70), WEIR_KBPS(500));
        g_test_message("then utilisation %.3f", used);
        g_assert_cmpfloat(used, >=, 0.95);
        pair_free(pair);
    }
}

static void test_a_capacity_that_comes_back_is_used_again(gconstpointer data)
{
    uint32_t format = formats[GPOINTER_TO_UINT(data)].format;
    struct pair *pair = pair_on(format, "0:1M,20:300k,35:1M", 0, 0);
    pair_run_until(pair, WEIR_SECONDS(60));
    double used = utilisation_until(pair, WEIR_SECONDS(90), WEIR_MBPS(1));
    g_test_message("utilisation %.3f", used);
    g_assert_cmpfloat(used, >=, 0.95);
    pair_free(pair);
}

static void test_both_ends_learn_the_rtt(gconstpointer data)
{
    struct pair *pair = pair_on(formats[GPOINTER_TO_UINT(data)].format, "0:10M", 0, 0);
    struct weir_sender_stats sending;
    struct weir_receiver_stats receiving;
    pair_run_until(pair, WEIR_SECONDS(8));
    weir_sender_get_stats(pair->sender, &sending);
    weir_receiver_get_stats(pair->receiver, &receiving);
    g_test_message("rtt %.1f and %.1f ms", (double)sending.rtt_ns / 1e6,
                   (double)receiving.rtt_ns / 1e6);
    assert_near((double)sending.rtt_min_ns / 1e6, 101.0, 6.0);
    assert_near((double)receiving.rtt_ns / 1e6, 102.0, 15.0);
    pair_free(pair);
}

/* Each packet is in three reports: 0.3^3 of the packets stay unknown, and none of them may be taken
 * for lost. */
static void test_no_packet_is_lost_because_reports_are(void)
{
    struct pair_config config = {.format = WEIR_FEEDBACK_CCFB,
                                 .algorithm = "tfrc",
                                 .schedule = "0:20M",
                                 .rtcp_loss = 0.3,
                                 .max_bps = WEIR_MBPS(2),
                                 .seed = 7};
    struct pair *pair = pair_new(&config);
    struct weir_sender_stats stats;
    pair_run_until(pair, WEIR_SECONDS(60));
    weir_sender_get_stats(pair->sender, &stats);
    g_test_message("rtcp %u of %u, sent %u received %u lost %u unknown %u",
                   (unsigned)pair->rtcp_arrived, (unsigned)pair->rtcp_sent,
                   (unsigned)stats.packets_sent, (unsigned)stats.packets_received,
                   (unsigned)stats.packets_lost, (unsigned)stats.packets_unknown);
    g_assert_cmpuint(pair->rtcp_arrived * 10, <, pair->rtcp_sent * 8);
    g_assert_cmpuint(stats.packets_received * 100, >=, stats.packets_sent * 95);
    g_assert_cmpuint(stats.packets_lost * 1000, <=, stats.packets_sent);
    pair_free(pair);
}

static void test_lost_reports_do_not_stop_adaptation(gconstpointer data)
{
    uint32_t format = formats[GPOINTER_TO_UINT(data)].format;
    struct pair *pair = pair_on(format, "0:1M,30:500k", 0, 0.3);
    pair_run_until(pair, WEIR_SECONDS(15));
    double used = utilisation_until(pair, WEIR_SECONDS(30), WEIR_MBPS(1));
    while (pair_target_bps(pair) >= WEIR_KBPS(500) && pair->now_ns < WEIR_SECONDS(40)) {
        pair_run_until(pair, pair->now_ns + WEIR_MS(10));
    }
    g_test_message("utilisation %.3f, below after %.2f s", used, (double)pair->now_ns / 1e9 - 30);
    g_assert_cmpfloat(used, >=, 0.9);
    g_assert_cmpint(pair->now_ns, <=, WEIR_SECONDS(35));
    pair_free(pair);
}

/* The breaker stops the media, and the receiver forgets the stream. Once the path is back, the two
 * must find each other without help. */
static void test_an_outage_of_two_minutes_ends_by_itself(gconstpointer data)
{
    uint32_t format = formats[GPOINTER_TO_UINT(data)].format;
    struct pair *pair = pair_on(format, "0:1M", 0, 0);
    struct weir_output output;
    pair_run_until(pair, WEIR_SECONDS(20));
    pair->forward.cut = pair->backward.cut = true;
    pair_run_until(pair, WEIR_SECONDS(140));
    weir_sender_get_output(pair->sender, &output);
    g_assert_cmpuint(output.state & WEIR_STATE_BREAKER_CEASED, !=, 0);
    pair->forward.cut = pair->backward.cut = false;
    pair_run_until(pair, WEIR_SECONDS(180));
    double used = utilisation_until(pair, WEIR_SECONDS(240), WEIR_MBPS(1));
    g_test_message("utilisation %.3f", used);
    g_assert_cmpfloat(used, >=, 0.9);
    pair_free(pair);
}

static void test_the_same_seed_gives_the_same_run(void)
{
    int64_t bytes[2];
    for (int i = 0; i < 2; i++) {
        struct pair *pair = pair_on(WEIR_FEEDBACK_CCFB, "0:1M", 0.01, 0.05);
        pair_run_until(pair, WEIR_SECONDS(20));
        bytes[i] = pair->delivered_wire_bytes * 1000 + (int64_t)pair->rtcp_sent;
        pair_free(pair);
    }
    g_assert_cmpint(bytes[0], ==, bytes[1]);
}

/* One test for each feedback format. */
static void add(const char *name, GTestDataFunc function)
{
    for (guint i = 0; i < written_formats(formats); i++) {
        char *path = g_strdup_printf("/session_pair/%s/%s", formats[i].name, name);
        g_test_add_data_func(path, GUINT_TO_POINTER(i), function);
        g_free(path);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add("a_steady_bottleneck_is_used", test_a_steady_bottleneck_is_used);
    add("a_halved_capacity_is_followed_within_2_s", test_a_halved_capacity_is_followed_within_2_s);
    add("a_capacity_that_comes_back_is_used_again", test_a_capacity_that_comes_back_is_used_again);
    add("both_ends_learn_the_rtt", test_both_ends_learn_the_rtt);
    add("lost_reports_do_not_stop_adaptation", test_lost_reports_do_not_stop_adaptation);
    add("an_outage_of_two_minutes_ends_by_itself", test_an_outage_of_two_minutes_ends_by_itself);
    g_test_add_func("/session_pair/no_packet_is_lost_because_reports_are",
                    test_no_packet_is_lost_because_reports_are);
    g_test_add_func("/session_pair/the_same_seed_gives_the_same_run",
                    test_the_same_seed_gives_the_same_run);
    return g_test_run();
}
