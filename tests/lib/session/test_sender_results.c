/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback that another stack decoded. */
#include "sender_rig.h"

static void fill_results(struct weir_packet_result *results, size_t n, uint16_t first,
                         int64_t sent_ns, int64_t spacing_ns)
{
    for (size_t i = 0; i < n; i++) {
        results[i] = (struct weir_packet_result){
            .transport_seq = (uint16_t)(first + i),
            .received = i % 5 != 3,
            .sent_ns = sent_ns + (int64_t)i * spacing_ns,
            .arrived_ns = WEIR_SECONDS(7) + (int64_t)i * spacing_ns,
            .payload_bytes = 0,
        };
    }
}

static void test_results_of_another_stack_match_by_number(void)
{
    struct rig rig = rig_start();
    struct weir_packet_result results[20];
    for (int i = 0; i < 20; i++) {
        rig_send(&rig, 1, WEIR_MS(5));
        weir_sender_on_transport_seq(rig.sender, RIG_SSRC, (uint16_t)(65500 + i),
                                     (uint16_t)(1000 + i));
    }
    fill_results(results, 20, 1000, WEIR_UNKNOWN_NS + 1, 0);
    for (int i = 0; i < 20; i++) {
        results[i].sent_ns = WEIR_UNKNOWN_NS;
    }
    g_assert_cmpint(weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, results, 20), ==,
                    WEIR_OK);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 16);
    g_assert_cmpuint(rig_stats(&rig).packets_lost, ==, 3);
    g_assert_cmpuint(rig_stats(&rig).feedback_results, ==, 1);
    rig_finish(&rig);
}

static void test_results_match_by_a_learned_offset(void)
{
    struct rig rig = rig_start();
    struct weir_packet_result results[20];
    int64_t start_ns = rig.now_ns;
    for (int round = 0; round < 10; round++) {
        int64_t sent_ns = rig.now_ns;
        rig_send(&rig, 20, WEIR_MS(5));
        fill_results(results, 20, (uint16_t)(3000 + 20 * round), sent_ns + WEIR_MS(1), WEIR_MS(5));
        for (int i = 0; i < 20; i++) {
            results[i].payload_bytes = 1188;
            results[i].arrived_ns += sent_ns - start_ns;
        }
        g_assert_cmpint(weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, results, 20), ==,
                        WEIR_OK);
    }
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 160);
    for (size_t i = 1; i < probe.n_news; i++) {
        if (probe.news[i].arrived_ns != WEIR_UNKNOWN_NS &&
            probe.news[i - 1].arrived_ns != WEIR_UNKNOWN_NS) {
            g_assert_cmpint(probe.news[i].arrived_ns - probe.news[i - 1].arrived_ns, ==,
                            probe.news[i].sent_ns - probe.news[i - 1].sent_ns);
        }
    }
    rig_finish(&rig);
}

/* Numbers, times and sizes of any value. */
static void test_results_are_not_trusted(void)
{
    GRand *rand = g_rand_new_with_seed(5);
    struct rig rig = rig_start();
    struct weir_packet_result results[64];
    static const int64_t times_ns[] = {INT64_MIN, INT64_MIN + 1, -1,       0,
                                       1,         INT64_MAX - 1, INT64_MAX};
    for (int round = 0; round < 300; round++) {
        rig_send(&rig, 2, WEIR_MS(1));
        for (int i = 0; i < 64; i++) {
            int64_t near_ns = rig.now_ns - g_rand_int_range(rand, 0, 50000000);
            results[i] = (struct weir_packet_result){
                .transport_seq = (uint16_t)g_rand_int(rand),
                .received = g_rand_boolean(rand),
                .sent_ns = g_rand_boolean(rand) ? near_ns : times_ns[g_rand_int_range(rand, 0, 7)],
                .arrived_ns = times_ns[g_rand_int_range(rand, 0, 7)],
                .payload_bytes = g_rand_boolean(rand) ? 0 : g_rand_int(rand),
            };
        }
        weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, results, 64);
        g_assert_cmpint(rig_stats(&rig).in_flight_bytes, >=, 0);
    }
    g_assert_cmpint(weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, NULL, 1), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, NULL, 0), ==, WEIR_OK);
    rig_add_members(&rig, WEIR_RTP_SESSIONS + 2);
    g_assert_cmpint(
        weir_sender_on_packet_results(rig.sender, rig.now_ns, WEIR_RTP_SESSIONS, NULL, 0), ==,
        WEIR_ERROR_UNSUPPORTED);
    rig_finish(&rig);
    g_rand_free(rand);
}

static void test_a_jump_of_the_results_clock_is_no_arrival(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig_send(&rig, 3, WEIR_MS(10));
    int64_t arrived_ns[] = {WEIR_SECONDS(1), WEIR_SECONDS(5000), WEIR_SECONDS(5000) + WEIR_MS(10)};
    for (int i = 0; i < 3; i++) {
        struct weir_packet_result result = {.transport_seq = (uint16_t)(65400 + i),
                                            .received = true,
                                            .sent_ns = WEIR_UNKNOWN_NS,
                                            .arrived_ns = arrived_ns[i]};
        weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, &result, 1);
    }
    g_assert_cmpint(probe.news[0].arrived_ns, !=, WEIR_UNKNOWN_NS);
    g_assert_cmpint(probe.news[1].arrived_ns, ==, WEIR_UNKNOWN_NS);
    g_assert_cmpint(probe.news[2].arrived_ns, !=, WEIR_UNKNOWN_NS);
    rig_finish(&rig);
}

/* Nor is one that goes back. */
static void test_a_results_clock_that_goes_back_tells_no_arrival(void)
{
    struct rig rig = rig_start();
    rig.has_transport = true;
    rig_send(&rig, 3, WEIR_MS(10));
    for (int i = 0; i < 3; i++) {
        struct weir_packet_result result = {.transport_seq = (uint16_t)(65400 + i),
                                            .received = true,
                                            .sent_ns = WEIR_UNKNOWN_NS,
                                            .arrived_ns = WEIR_SECONDS(i == 0 ? 5000 : 1)};
        weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, &result, 1);
        g_assert_true((probe.news[i].arrived_ns == WEIR_UNKNOWN_NS) == (i == 1));
    }
    rig_finish(&rig);
}

/* What has only just left cannot have arrived. */
static void test_results_that_come_too_soon_are_rejected(void)
{
    struct rig rig = rig_start();
    struct weir_packet_result result = {.transport_seq = 65400,
                                        .received = true,
                                        .sent_ns = WEIR_UNKNOWN_NS,
                                        .arrived_ns = WEIR_UNKNOWN_NS};
    rig.has_transport = true;
    rig_send(&rig, 1, 0);
    g_assert_cmpint(weir_sender_on_packet_results(rig.sender, rig.now_ns, 0, &result, 1), ==,
                    WEIR_ERROR_REJECTED);
    g_assert_cmpuint(rig_stats(&rig).rtcp_rejected, ==, 1);
    g_assert_cmpuint(rig_stats(&rig).packets_received, ==, 0);
    rig_finish(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sender_results/results_of_another_stack_match_by_number",
                    test_results_of_another_stack_match_by_number);
    g_test_add_func("/sender_results/results_match_by_a_learned_offset",
                    test_results_match_by_a_learned_offset);
    g_test_add_func("/sender_results/results_are_not_trusted", test_results_are_not_trusted);
    g_test_add_func("/sender_results/a_jump_of_the_results_clock_is_no_arrival",
                    test_a_jump_of_the_results_clock_is_no_arrival);
    g_test_add_func("/sender_results/a_results_clock_that_goes_back_tells_no_arrival",
                    test_a_results_clock_that_goes_back_tells_no_arrival);
    g_test_add_func("/sender_results/results_that_come_too_soon_are_rejected",
                    test_results_that_come_too_soon_are_rejected);
    return g_test_run();
}
