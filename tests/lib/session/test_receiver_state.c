/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "receiver_fixture.h"

static void test_interval_follows_format_and_rtt(void)
{
    static const struct {
        uint32_t format;
        int64_t configured_ns, rtt_ns, interval_ns;
    } rows[] = {
        {WEIR_FEEDBACK_CCFB, 0, 0, WEIR_MS(50)},
        {WEIR_FEEDBACK_TWCC, 0, WEIR_MS(3), WEIR_MS(20)},
        {WEIR_FEEDBACK_CCFB, 0, WEIR_MS(34), WEIR_MS(34)},
        {WEIR_FEEDBACK_CCFB, 0, WEIR_MS(400), WEIR_MS(50)},
        {WEIR_FEEDBACK_CCFB, WEIR_MS(33), WEIR_MS(400), WEIR_MS(33)},
        {WEIR_FEEDBACK_RR, 0, WEIR_MS(20), WEIR_MS(100)},
        {WEIR_FEEDBACK_REMB, 0, 0, WEIR_MS(100)},
        {WEIR_FEEDBACK_RR, WEIR_SECONDS(1), 0, WEIR_SECONDS(1)},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
        g_assert_cmpint(weir_receiver_set_format(receiver, rows[i].format, rows[i].configured_ns),
                        ==, WEIR_OK);
        weir__rtt_sample(&receiver->rtt, 0, rows[i].rtt_ns);
        g_assert_cmpint(weir__receiver_interval_ns(receiver), ==, rows[i].interval_ns);
        weir_receiver_destroy(receiver);
    }
}

/* The papers' receivers report once per RTT, however long it is. */
static void test_the_longest_automatic_interval_can_be_chosen(void)
{
    static const struct {
        int64_t max_ns, rtt_ns, interval_ns;
        enum weir_status status;
    } rows[] = {
        {WEIR_SECONDS(10), WEIR_MS(400), WEIR_MS(400), WEIR_OK},
        {WEIR_SECONDS(1), WEIR_SECONDS(3), WEIR_SECONDS(1), WEIR_OK},
        {WEIR_MS(20), WEIR_MS(400), WEIR_MS(20), WEIR_OK},
        {WEIR_MS(20) - 1, 0, 0, WEIR_ERROR_RANGE},
        {WEIR_SECONDS(10) + 1, 0, 0, WEIR_ERROR_RANGE},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir_receiver_config config;
        enum weir_status status;
        weir_receiver_config_init(&config);
        config.interval_max_ns = rows[i].max_ns;
        struct weir_receiver *receiver = weir_receiver_create(&config, 0, &status);
        g_assert_cmpint(status, ==, rows[i].status);
        if (receiver) {
            weir__rtt_sample(&receiver->rtt, 0, rows[i].rtt_ns);
            g_assert_cmpint(weir__receiver_interval_ns(receiver), ==, rows[i].interval_ns);
        }
        weir_receiver_destroy(receiver);
    }
}

static void test_losses_of_a_forgotten_stream_stay_counted(void)
{
    struct weir_receiver *receiver = receiver_new(WEIR_FEEDBACK_CCFB);
    static const uint32_t seqs[] = {0, 1, 2, 5};
    for (size_t i = 0; i < G_N_ELEMENTS(seqs); i++) {
        struct media media = {.ssrc = 1, .seq = seqs[i]};
        receive(receiver, 0, &media);
    }
    g_assert_cmpint(receiver_stats(receiver).packets_lost, ==, 2);
    uint8_t bye[] = {0x81, 203, 0, 1, 0, 0, 0, 1};
    g_assert_cmpint(weir_receiver_on_rtcp(receiver, 0, bye, sizeof bye), ==, WEIR_OK);
    g_assert_cmpint(receiver_stats(receiver).packets_lost, ==, 2);
    g_assert_cmpint(weir_receiver_next_feedback_ns(receiver), ==, WEIR_NEVER_NS);
    weir_receiver_destroy(receiver);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/receiver_state/interval_follows_format_and_rtt",
                    test_interval_follows_format_and_rtt);
    g_test_add_func("/receiver_state/the_longest_automatic_interval_can_be_chosen",
                    test_the_longest_automatic_interval_can_be_chosen);
    g_test_add_func("/receiver_state/losses_of_a_forgotten_stream_stay_counted",
                    test_losses_of_a_forgotten_stream_stay_counted);
    return g_test_run();
}
