/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/transport_map.h"

#include "test.h"

#define OVERHEAD_BYTES 28

static struct weir__history history;
static struct weir__transport_map map;

/* Packet i leaves at i * 5 ms with a payload of 500 + i % 7 bytes behind 20 bytes of header. */
static int64_t sent_ns_of(int64_t i)
{
    return i * WEIR_MS(5);
}

static uint32_t payload_of(int64_t i)
{
    return (uint32_t)(500 + i % 7);
}

static void start(int n)
{
    memset(&history, 0, sizeof history);
    memset(&map, 0, sizeof(map));
    for (int i = 0; i < n; i++) {
        struct weir__history_packet packet = {
            .sent_ns = sent_ns_of(i),
            .ssrc = 7,
            .rtp_seq = (uint16_t)i,
            .wire_bytes = OVERHEAD_BYTES + 20 + payload_of(i),
            .header_bytes = 20,
        };
        weir__history_on_sent(&history, &packet);
    }
}

static void learn_view(uint16_t transport_seq, int64_t sent_ns, uint32_t payload_bytes)
{
    struct weir__transport_view view = {
        .transport_seq = transport_seq, .sent_ns = sent_ns, .payload_bytes = payload_bytes};
    weir__transport_map_learn(&map, &history, OVERHEAD_BYTES, &view);
}

/* The stack behind us sees packet i lag_ns later and numbers it i + offset. */
static void learn(int64_t i, uint16_t offset, int64_t lag_ns)
{
    learn_view((uint16_t)(i + offset), sent_ns_of(i) + lag_ns, payload_of(i));
}

static int64_t find(uint16_t transport_seq)
{
    return weir__transport_map_find(&map, &history, 0, transport_seq);
}

static void test_three_agreeing_results_teach_the_offset(void)
{
    start(100);
    for (int i = 0; i < 3; i++) {
        g_assert_cmpint(find((uint16_t)(50 + 60000)), ==, -1);
        learn(10 + i, 60000, WEIR_MS(1));
    }
    for (int i = 0; i < 100; i++) {
        g_assert_cmpint(find((uint16_t)(i + 60000)), ==, i);
    }
    g_assert_cmpint(find((uint16_t)(100 + 60000)), ==, -1);
}

/* A lag of three packets: the size tells them apart. */
static void test_the_size_finds_the_packet_behind_a_lag(void)
{
    start(100);
    for (int i = 0; i < 3; i++) {
        learn(20 + i, 5, WEIR_MS(16));
    }
    g_assert_cmpint(find(25), ==, 20);
}

static void test_disagreeing_results_teach_nothing(void)
{
    start(100);
    for (int i = 0; i < 30; i++) {
        learn(i, (uint16_t)(i % 2), 0);
    }
    g_assert_false(map.latched);
}

static void test_the_offset_is_learned_anew_when_it_changes(void)
{
    start(100);
    for (int i = 0; i < 10; i++) {
        learn(i, 100, 0);
    }
    learn(11, 200, 0);
    learn(12, 200, 0);
    g_assert_cmpint(find(120), ==, 20);
    learn(13, 200, 0);
    g_assert_cmpint(find(220), ==, 20);
}

static void test_results_without_a_match_teach_nothing(void)
{
    start(10);
    for (int i = 0; i < 10; i++) {
        learn_view((uint16_t)i, sent_ns_of(i), 9);
        learn_view((uint16_t)i, WEIR_SECONDS(-1), payload_of(i));
        learn_view((uint16_t)i, sent_ns_of(9) + WEIR_MS(21) + i, 0);
        learn_view((uint16_t)i, INT64_MAX, 0);
    }
    g_assert_false(map.latched);
    start(0);
    learn_view(0, 0, 0);
    g_assert_cmpint(find(0), ==, -1);
}

static void test_an_unknown_size_matches_by_time(void)
{
    start(10);
    for (int i = 0; i < 3; i++) {
        learn_view((uint16_t)(i + 7), sent_ns_of(i) + WEIR_MS(1), 0);
    }
    g_assert_cmpint(find(12), ==, 5);
}

static void test_numbers_wrap(void)
{
    start(70000);
    for (int64_t i = 69990; i < 69995; i++) {
        learn(i, 1, 0);
    }
    for (int64_t i = 70000 - WEIR__HISTORY_PACKETS; i < 70000; i++) {
        g_assert_cmpint(find((uint16_t)(i + 1)), ==, i);
    }
    g_assert_cmpint(find((uint16_t)(70000 - WEIR__HISTORY_PACKETS)), ==, -1);
}

/* Packets of two transports by turns: each stack numbers only its own. */
static void test_each_transport_has_its_own_count(void)
{
    struct weir__transport_map maps[2] = {{.latched = false}, {.latched = false}};
    start(0);
    for (int i = 0; i < 100; i++) {
        struct weir__history_packet packet = {
            .sent_ns = sent_ns_of(i), .ssrc = 7, .rtp_seq = (uint16_t)i, .transport = i % 3 == 0};
        weir__history_on_sent(&history, &packet);
    }
    for (uint32_t t = 0; t < 2; t++) {
        uint16_t number = t == 0 ? 65530 : 10;
        for (int i = 0; i < 100; i++) {
            if ((i % 3 == 0) == (t == 1)) {
                struct weir__transport_view view = {
                    .transport = t, .transport_seq = number++, .sent_ns = sent_ns_of(i)};
                weir__transport_map_learn(&maps[t], &history, OVERHEAD_BYTES, &view);
            }
        }
    }
    uint16_t numbers[2] = {65530, 10};
    for (int i = 0; i < 100; i++) {
        uint32_t t = i % 3 == 0;
        g_assert_cmpint(weir__transport_map_find(&maps[t], &history, t, numbers[t]++), ==, i);
    }
}

/* A stack that writes its own number over the one the packet carried. */
static void test_packets_that_are_numbered_anew_are_found(void)
{
    start(0);
    for (int i = 0; i < 50; i++) {
        struct weir__history_packet packet = {.sent_ns = sent_ns_of(i),
                                              .rtp_seq = (uint16_t)i,
                                              .transport_seq = (uint16_t)(300 + i),
                                              .has_transport_seq = true};
        weir__history_on_sent(&history, &packet);
    }
    for (int i = 0; i < 3; i++) {
        learn_view((uint16_t)(300 + i), sent_ns_of(i), 0); /* as it was carried */
    }
    g_assert_false(map.latched);
    for (int i = 0; i < 3; i++) {
        learn_view((uint16_t)(9000 + i), sent_ns_of(i), 0);
    }
    g_assert_cmpint(find(9040), ==, 40);
}

static void send_one(uint32_t transport, uint32_t header_bytes)
{
    struct weir__history_packet packet = {.ssrc = 7,
                                          .wire_bytes = OVERHEAD_BYTES + header_bytes + 500,
                                          .header_bytes = header_bytes,
                                          .transport = transport};
    weir__history_on_sent(&history, &packet);
}

/* Those of another transport are none, and no more than 64 are looked at. */
static void test_size_and_transport_say_which_packet_it_was(void)
{
    static const struct {
        uint32_t header_bytes, payload_bytes, n_others;
        bool learns;
    } rows[] = {{20, 500, 0, true},   {20, 499, 0, false}, {20, 0, 0, true},    {200, 500, 0, true},
                {200, 900, 0, false}, {20, 500, 63, true}, {20, 500, 64, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        start(0);
        send_one(0, rows[i].header_bytes);
        for (uint32_t k = 0; k < rows[i].n_others; k++) {
            send_one(1, 20);
        }
        for (int k = 0; k < 3; k++) {
            learn_view(9, WEIR_MS(1), rows[i].payload_bytes);
        }
        g_assert_true(map.latched == rows[i].learns);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/transport_map/three_agreeing_results_teach_the_offset",
                    test_three_agreeing_results_teach_the_offset);
    g_test_add_func("/transport_map/the_size_finds_the_packet_behind_a_lag",
                    test_the_size_finds_the_packet_behind_a_lag);
    g_test_add_func("/transport_map/disagreeing_results_teach_nothing",
                    test_disagreeing_results_teach_nothing);
    g_test_add_func("/transport_map/the_offset_is_learned_anew_when_it_changes",
                    test_the_offset_is_learned_anew_when_it_changes);
    g_test_add_func("/transport_map/results_without_a_match_teach_nothing",
                    test_results_without_a_match_teach_nothing);
    g_test_add_func("/transport_map/an_unknown_size_matches_by_time",
                    test_an_unknown_size_matches_by_time);
    g_test_add_func("/transport_map/numbers_wrap", test_numbers_wrap);
    g_test_add_func("/transport_map/each_transport_has_its_own_count",
                    test_each_transport_has_its_own_count);
    g_test_add_func("/transport_map/packets_that_are_numbered_anew_are_found",
                    test_packets_that_are_numbered_anew_are_found);
    g_test_add_func("/transport_map/size_and_transport_say_which_packet_it_was",
                    test_size_and_transport_say_which_packet_it_was);
    return g_test_run();
}
