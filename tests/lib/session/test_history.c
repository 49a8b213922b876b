/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/history.h"

#include "test.h"
#include "weir/units.h"

static struct weir__history history;

static int64_t send_packet(int64_t sent_ns, uint32_t ssrc, uint16_t rtp_seq, uint32_t wire_bytes)
{
    struct weir__history_packet packet = {
        .sent_ns = sent_ns,
        .ssrc = ssrc,
        .rtp_seq = rtp_seq,
        .wire_bytes = wire_bytes,
        .header_bytes = 20,
    };
    return weir__history_on_sent(&history, &packet);
}

static int64_t send_numbered(int64_t sent_ns, uint16_t rtp_seq, uint16_t transport_seq)
{
    struct weir__history_packet packet = {
        .sent_ns = sent_ns,
        .ssrc = 7,
        .rtp_seq = rtp_seq,
        .wire_bytes = 100,
        .transport_seq = transport_seq,
        .has_transport_seq = true,
    };
    return weir__history_on_sent(&history, &packet);
}

static enum weir__packet_state state_of(int64_t seq)
{
    return weir__history_state(weir__history_peek(&history, seq));
}

static void test_a_packet_is_found_by_its_rtp_number(void)
{
    memset(&history, 0, sizeof history);
    g_assert_cmpint(weir__history_find_rtp(&history, 7, 0), ==, -1);
    for (int i = 0; i < 3 * WEIR__HISTORY_PACKETS; i++) {
        g_assert_cmpint(send_packet(i, 7, (uint16_t)(65000 + i), 1000), ==, i);
    }
    for (int64_t i = 0; i < 3 * WEIR__HISTORY_PACKETS; i++) {
        bool kept = i >= 2 * WEIR__HISTORY_PACKETS;
        g_assert_cmpint(weir__history_find_rtp(&history, 7, (uint16_t)(65000 + i)), ==,
                        kept ? i : -1);
        g_assert_true((weir__history_peek(&history, i) != NULL) == kept);
    }
    g_assert_null(weir__history_peek(&history, 3 * WEIR__HISTORY_PACKETS));
    g_assert_null(weir__history_peek(&history, -1));
    g_assert_cmpint(weir__history_find_rtp(&history, 8, 65000), ==, -1);
}

static void test_numbers_between_the_first_and_the_newest_have_passed(void)
{
    memset(&history, 0, sizeof history);
    g_assert_false(weir__history_has_passed(&history, 7, 65530));
    send_packet(0, 7, 65530, 1000);
    send_packet(1, 7, 4, 1000);
    for (int rtp = 65500; rtp < 65570; rtp++) {
        g_assert_true(weir__history_has_passed(&history, 7, (uint16_t)rtp) ==
                      (rtp >= 65530 && rtp <= 65540));
    }
    g_assert_false(weir__history_has_passed(&history, 8, 65535));
}

/* Of numbers in sums those count that nobody had told of, and each once; they are not unknown when
 * they leave. Two sums that do not touch: the newer one is remembered. */
static void test_numbers_are_summed_up_once(void)
{
    memset(&history, 0, sizeof history);
    for (int i = 0; i < 100; i++) {
        send_packet(i, 7, (uint16_t)(65500 + i), 1000);
    }
    weir__history_set_state(&history, 10, WEIR__PACKET_RECEIVED);
    weir__history_set_state(&history, 11, WEIR__PACKET_LOST);
    weir__history_set_state(&history, 12, WEIR__PACKET_SUSPECT);
    weir__history_set_state(&history, 13, WEIR__PACKET_LATE);
    g_assert_cmpint(weir__history_count_received(&history, 0, 65500 + 9, 65500 + 13), ==, 2);
    g_assert_cmpint(weir__history_count_received(&history, 0, 65500 + 10, 65500 + 12), ==, 0);
    g_assert_cmpint(weir__history_count_received(&history, 0, 0, 65500 + 19), ==, 2);
    weir__history_set_state(&history, 13, WEIR__PACKET_SUSPECT);
    g_assert_cmpint(weir__history_sum_up(&history, 0, 65500 + 9, 65500 + 19), ==, 2);
    g_assert_cmpint(weir__history_sum_up(&history, 0, 65500 + 9, 65500 + 19), ==, 10);
    g_assert_cmpint(weir__history_sum_up(&history, 0, 65500 + 14, 65500 + 39), ==, 5);
    g_assert_cmpint(weir__history_sum_up(&history, 0, 65500 + 59, 65500 + 69), ==, 0);
    g_assert_cmpint(weir__history_sum_up(&history, 0, 65500 + 29, 65500 + 59), ==, 10);
    g_assert_cmpint(weir__history_sum_up(&history, 0, 65500 + 79, 65500 + 89), ==, 0);
    for (int64_t seq = 0; seq < 100; seq++) {
        g_assert_true(weir__history_is_summed(&history, seq) ==
                      ((seq > 9 && seq <= 69) || (seq > 79 && seq <= 89)));
    }
    for (int i = 100; i < WEIR__HISTORY_PACKETS + 100; i++) {
        send_packet(i, 7, (uint16_t)(65500 + i), 1000);
    }
    g_assert_cmpuint(history.unknown_packets, ==, 30);
    g_assert_false(weir__history_is_summed(&history, WEIR__HISTORY_PACKETS + 20));
    g_assert_cmpint(weir__history_sum_up(&history, 0, 65500 + 200, 65500 + 210), ==, 0);
    g_assert_false(weir__history_is_summed(&history, 200));
    g_assert_true(weir__history_is_summed(&history, 201));
}

/* A step of the numbers from 1000 on: up to 3000 leave a gap, beyond and back to what was not sent
 * lately they start anew in the next cycle. */
static void test_the_numbers_of_a_stream_skip_or_start_anew(void)
{
    static const struct {
        int step;
        int64_t first_rtp, last_rtp;
        uint32_t skipped;
    } cases[] = {
        {0, 800, 1000, 0},        {1, 800, 1001, 0},        {2, 800, 1002, 1},
        {3000, 800, 4000, 2999},  {3001, 4001, 4001, 0},    {32767, 33767, 33767, 0},
        {32768, 33768, 33768, 0}, {-100, 800, 1000, 0},     {-200, 800, 1000, 0}, /* sent again */
        {-201, 66335, 66335, 0},  {-1000, 65536, 65536, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        memset(&history, 0, sizeof history);
        for (int k = 0; k <= 200; k++) {
            send_packet(k, 7, (uint16_t)(800 + k), 1000);
        }
        send_packet(201, 7, (uint16_t)(1000 + cases[i].step), 1000);
        const struct weir__history_stream *stream = &history.streams[0];
        g_assert_cmpint(stream->first_rtp, ==, cases[i].first_rtp);
        g_assert_cmpint(stream->last_rtp, ==, cases[i].last_rtp);
        g_assert_cmpuint(weir__gaps_before(&history.gaps[0], stream->last_rtp), ==,
                         cases[i].skipped);
    }
}

/* Numbers of a bundle: every stream counts for itself, from its own start. */
static void test_streams_of_a_bundle_are_kept_apart(void)
{
    memset(&history, 0, sizeof history);
    for (int i = 0; i < 8000; i++) {
        unsigned stream = (unsigned)i % WEIR__HISTORY_STREAMS;
        send_packet(i, 100 + stream, (uint16_t)(i / WEIR__HISTORY_STREAMS), 1000);
    }
    for (int i = 0; i < 8000; i++) {
        unsigned stream = (unsigned)i % WEIR__HISTORY_STREAMS;
        g_assert_cmpint(
            weir__history_find_rtp(&history, 100 + stream, (uint16_t)(i / WEIR__HISTORY_STREAMS)),
            ==, i);
    }
}

static void test_one_stream_too_many_is_counted_but_not_found(void)
{
    memset(&history, 0, sizeof history);
    for (unsigned i = 0; i <= WEIR__HISTORY_STREAMS; i++) {
        send_packet(0, i, 5, 1000);
    }
    g_assert_cmpint(history.in_flight_bytes, ==, 17000);
    g_assert_cmpint(weir__history_find_rtp(&history, WEIR__HISTORY_STREAMS, 5), ==, -1);
    g_assert_cmpuint(weir__history_find_stream(&history, WEIR__HISTORY_STREAMS), ==,
                     WEIR__STREAM_OTHER);
    g_assert_cmpint(weir__history_find_rtp(&history, 3, 5), ==, 3);
}

/* A new SSRC takes the place of one none of whose packets is remembered, not of another. */
static void test_a_forgotten_stream_makes_room(void)
{
    memset(&history, 0, sizeof history);
    for (unsigned i = 0; i < WEIR__HISTORY_STREAMS; i++) {
        send_packet(0, i, 3, 1000);
        send_packet(0, i, 5, 1000);
    }
    for (int i = 0; i < WEIR__HISTORY_PACKETS; i++) {
        send_packet(1, 3, (uint16_t)(6 + i), 1000);
    }
    g_assert_cmpuint(weir__gaps_before(&history.gaps[0], 77), ==, 1);
    int64_t seq = send_packet(2, 99, 77, 1000);
    g_assert_cmpuint(weir__gaps_before(&history.gaps[0], 77), ==, 0);
    g_assert_cmpint(weir__history_find_rtp(&history, 99, 77), ==, seq);
    g_assert_cmpint(weir__history_find_rtp(&history, 3, 100), ==, 94 + 32);
    g_assert_cmpuint(weir__history_find_stream(&history, 0), ==, WEIR__STREAM_OTHER);
}

static void test_the_first_packet_of_a_number_wins_while_it_is_out(void)
{
    memset(&history, 0, sizeof history);
    send_packet(0, 7, 5, 1000);
    send_packet(0, 7, 5, 1000);
    g_assert_cmpint(weir__history_find_rtp(&history, 7, 5), ==, 0);
    weir__history_set_state(&history, 0, WEIR__PACKET_RECEIVED);
    g_assert_cmpint(send_packet(0, 7, 5, 1000), ==, 2);
    g_assert_cmpint(weir__history_find_rtp(&history, 7, 5), ==, 2);
}

static void test_a_packet_is_found_by_its_transport_number(void)
{
    memset(&history, 0, sizeof history);
    g_assert_cmpint(weir__history_find_transport(&history, 0, 0, true), ==, -1);
    for (int i = 0; i < 70000; i++) {
        send_numbered(i, (uint16_t)i, (uint16_t)(i + 60000));
    }
    for (int64_t i = 70000 - WEIR__HISTORY_PACKETS; i < 70000; i++) {
        g_assert_cmpint(weir__history_find_transport(&history, 0, (uint16_t)(i + 60000), true), ==,
                        i);
    }
    g_assert_cmpint(
        weir__history_find_transport(&history, 0, (uint16_t)(70000 - 8193 + 60000), true), ==, -1);
}

static void test_a_transport_number_may_come_later(void)
{
    memset(&history, 0, sizeof history);
    int64_t seq = send_packet(0, 7, 5, 1000);
    g_assert_cmpint(weir__history_find_transport(&history, 0, 0, true), ==, -1);
    weir__history_set_transport(&history, seq, 4242);
    weir__history_set_transport(&history, 99, 4243);
    g_assert_cmpint(weir__history_find_transport(&history, 0, 4242, true), ==, seq);
    g_assert_cmpint(weir__history_find_transport(&history, 0, 4243, true), ==, -1);
    weir__history_set_transport(&history, seq, 1);
    g_assert_cmpint(weir__history_find_transport(&history, 0, 4242, true), ==, -1);
    g_assert_cmpint(weir__history_find_transport(&history, 0, 1, true), ==, seq);
}

static int64_t send_on(uint32_t transport, uint16_t rtp_seq, int number)
{
    struct weir__history_packet packet = {.ssrc = 100 + transport,
                                          .rtp_seq = rtp_seq,
                                          .wire_bytes = 100,
                                          .header_bytes = 400,
                                          .transport = transport,
                                          .transport_seq = (uint16_t)(number < 0 ? 0 : number),
                                          .has_transport_seq = number >= 0};
    return weir__history_on_sent(&history, &packet);
}

/* All transports have sent the same numbers, in an irregular order. */
static void test_transports_with_the_same_numbers_do_not_mix(void)
{
    enum { N = 60000 };
    static int64_t seqs[WEIR__HISTORY_TRANSPORTS][N];
    int counts[WEIR__HISTORY_TRANSPORTS] = {0};
    GRand *rand = g_rand_new_with_seed(5);
    memset(&history, 0, sizeof history);
    for (int i = 0; i < N; i++) {
        uint32_t t = (uint32_t)g_rand_int_range(rand, 0, WEIR__HISTORY_TRANSPORTS);
        seqs[t][counts[t]] = send_on(t, (uint16_t)i, (uint16_t)(65000 + counts[t]));
        counts[t]++;
    }
    for (uint32_t t = 0; t < WEIR__HISTORY_TRANSPORTS; t++) {
        for (int k = 0; k < counts[t]; k++) {
            bool in_ring = seqs[t][k] >= N - WEIR__HISTORY_PACKETS;
            int64_t found = weir__history_find_transport(&history, t, (uint16_t)(65000 + k), true);
            g_assert_cmpint(found, ==, in_ring ? seqs[t][k] : -1);
            if (in_ring) {
                const struct weir__sent_record *record = weir__history_peek(&history, found);
                g_assert_cmpuint(weir__history_transport(record), ==, t);
                g_assert_cmpuint(weir__history_header_words(record), ==, WEIR__HISTORY_MANY_WORDS);
                g_assert_true(weir__history_has_carried(record));
            }
        }
    }
    g_rand_free(rand);
}

/* A packet without a number counts on from the one before it on its transport. */
static void test_packets_without_a_number_are_counted_by_transport(void)
{
    memset(&history, 0, sizeof history);
    for (int i = 0; i < 30; i++) {
        send_on((uint32_t)i % 3, (uint16_t)i, -1);
    }
    for (int i = 0; i < 30; i++) {
        g_assert_cmpint(
            weir__history_find_transport(&history, (uint32_t)i % 3, (uint16_t)(i / 3), false), ==,
            i);
        g_assert_cmpint(
            weir__history_find_transport(&history, (uint32_t)i % 3, (uint16_t)(i / 3), true), ==,
            -1);
    }
    int64_t seq = send_on(1, 40, 9000);
    g_assert_cmpint(weir__history_find_transport(&history, 1, 9000, false), ==, seq);
    g_assert_cmpint(send_on(1, 41, -1), ==, seq + 1);
    g_assert_cmpint(weir__history_find_transport(&history, 1, 9001, false), ==, seq + 1);
}

/* One number for all packets, as a program without numbers may say it has. */
static void test_a_repeated_transport_number_finds_the_newest(void)
{
    memset(&history, 0, sizeof history);
    for (int i = 0; i < 2 * WEIR__HISTORY_PACKETS; i++) {
        g_assert_cmpint(send_on(0, (uint16_t)i, 7), ==, i);
        g_assert_cmpint(weir__history_find_transport(&history, 0, 7, true), ==, i);
    }
}

static void test_audio_in_flight_is_known(void)
{
    memset(&history, 0, sizeof history);
    struct weir__history_packet audio = {.ssrc = 1, .wire_bytes = 100, .is_audio = true};
    struct weir__history_packet video = {.ssrc = 2, .wire_bytes = 1000};
    for (int i = 0; i < 5; i++) {
        weir__history_on_sent(&history, &audio);
        weir__history_on_sent(&history, &video);
        audio.rtp_seq++;
        video.rtp_seq++;
    }
    g_assert_cmpint(weir__history_audio_in_flight_bytes(&history), ==, 500);
    weir__history_set_state(&history, 0, WEIR__PACKET_RECEIVED);
    weir__history_set_state(&history, 1, WEIR__PACKET_RECEIVED);
    weir__history_set_state(&history, 2, WEIR__PACKET_LOST);
    weir__history_set_state(&history, 2, WEIR__PACKET_LATE);
    g_assert_cmpint(weir__history_audio_in_flight_bytes(&history), ==, 300);
    g_assert_cmpint(history.in_flight_bytes, ==, 4300);
    weir__history_expire(&history, WEIR_SECONDS(1), WEIR_SECONDS(1));
    g_assert_cmpint(weir__history_audio_in_flight_bytes(&history), ==, 0);
    for (int i = 0; i < 3 * WEIR__HISTORY_PACKETS; i++) {
        weir__history_on_sent(&history, i % 2 ? &video : &audio);
    }
    g_assert_cmpint(weir__history_audio_in_flight_bytes(&history), ==,
                    100 * WEIR__HISTORY_PACKETS / 2);
}

/* Nobody runs ahead of a window unseen. */
static void test_audio_of_one_stream_too_many_is_in_flight(void)
{
    memset(&history, 0, sizeof history);
    for (uint32_t i = 0; i < WEIR__HISTORY_STREAMS + 4; i++) {
        struct weir__history_packet audio = {.ssrc = i, .wire_bytes = 100, .is_audio = i != 3};
        weir__history_on_sent(&history, &audio);
    }
    g_assert_cmpint(weir__history_audio_in_flight_bytes(&history), ==,
                    100 * (WEIR__HISTORY_STREAMS + 3));
    weir__history_expire(&history, WEIR_SECONDS(1), WEIR_SECONDS(1));
    g_assert_cmpint(weir__history_audio_in_flight_bytes(&history), ==, 0);
}

/* A slot that was used again must not be found by the number it had. */
static void test_an_old_transport_number_leads_nowhere(void)
{
    memset(&history, 0, sizeof history);
    send_numbered(0, 0, 0);
    for (int i = 0; i < WEIR__HISTORY_PACKETS; i++) {
        send_packet(0, 7, (uint16_t)(i + 1), 100);
    }
    g_assert_cmpint(weir__history_find_transport(&history, 0, 0, true), ==, -1);
}

static void test_bytes_leave_the_flight_once(void)
{
    memset(&history, 0, sizeof history);
    for (int i = 0; i < 4; i++) {
        send_packet(i, 7, (uint16_t)i, 1000);
    }
    g_assert_cmpint(history.in_flight_bytes, ==, 4000);
    weir__history_set_state(&history, 0, WEIR__PACKET_SUSPECT);
    g_assert_cmpint(history.in_flight_bytes, ==, 4000);
    weir__history_set_state(&history, 0, WEIR__PACKET_LOST);
    g_assert_cmpint(history.in_flight_bytes, ==, 3000);
    weir__history_set_state(&history, 0, WEIR__PACKET_LATE);
    g_assert_cmpint(history.in_flight_bytes, ==, 3000);
    weir__history_set_state(&history, 1, WEIR__PACKET_RECEIVED);
    weir__history_set_state(&history, 1, WEIR__PACKET_RECEIVED);
    g_assert_cmpint(history.in_flight_bytes, ==, 2000);
    weir__history_set_state(&history, 77, WEIR__PACKET_RECEIVED);
    g_assert_cmpint(history.in_flight_bytes, ==, 2000);
}

/* Of ten packets on two transports in turns, the first six of the one are passed by. */
static void test_untold_packets_leave_the_flight_of_their_transport(void)
{
    memset(&history, 0, sizeof history);
    for (int i = 0; i < 10; i++) {
        struct weir__history_packet packet = {
            .ssrc = 7, .rtp_seq = (uint16_t)i, .wire_bytes = 1000, .transport = (uint32_t)i % 2};
        weir__history_on_sent(&history, &packet);
    }
    weir__history_set_state(&history, 0, WEIR__PACKET_RECEIVED);
    weir__history_set_state(&history, 2, WEIR__PACKET_SUSPECT);
    weir__history_pass(&history, 0, 0, 6);
    weir__history_pass(&history, 0, 0, 6);
    static const enum weir__packet_state states[] = {
        WEIR__PACKET_RECEIVED, WEIR__PACKET_SENT, WEIR__PACKET_SUSPECT, WEIR__PACKET_SENT,
        WEIR__PACKET_UNTOLD,   WEIR__PACKET_SENT, WEIR__PACKET_SENT};
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++) {
        g_assert_cmpint(state_of((int64_t)i), ==, states[i]);
    }
    g_assert_cmpint(history.in_flight_bytes, ==, 8000);
    weir__history_set_state(&history, 4, WEIR__PACKET_SUSPECT);
    g_assert_cmpint(history.in_flight_bytes, ==, 9000);
    weir__history_set_state(&history, 4, WEIR__PACKET_LOST);
    g_assert_cmpint(history.in_flight_bytes, ==, 8000);
    for (int i = 0; i < WEIR__HISTORY_PACKETS; i++) {
        send_packet(0, 7, (uint16_t)(10 + i), 1);
    }
    g_assert_cmpuint(history.unknown_packets, ==, 8);
    weir__history_pass(&history, 0, 0, 20); /* the first ten have left the ring */
    g_assert_cmpint(history.in_flight_bytes, ==, WEIR__HISTORY_PACKETS - 10);
}

static void test_silence_empties_the_flight_but_keeps_the_packets(void)
{
    memset(&history, 0, sizeof history);
    g_assert_cmpint(weir__history_next_expiry_ns(&history, WEIR_SECONDS(1)), ==, WEIR_NEVER_NS);
    for (int i = 0; i < 10; i++) {
        send_packet(WEIR_MS(100 * i), 7, (uint16_t)i, 1000);
    }
    weir__history_set_state(&history, 1, WEIR__PACKET_RECEIVED);
    g_assert_cmpint(weir__history_next_expiry_ns(&history, WEIR_SECONDS(1)), ==, WEIR_SECONDS(1));
    weir__history_expire(&history, WEIR_MS(999), WEIR_SECONDS(1));
    g_assert_cmpint(history.in_flight_bytes, ==, 9000);
    weir__history_expire(&history, WEIR_MS(1000), WEIR_SECONDS(1));
    g_assert_cmpint(history.in_flight_bytes, ==, 8000);
    g_assert_cmpint(weir__history_next_expiry_ns(&history, WEIR_SECONDS(1)), ==, WEIR_MS(1200));
    weir__history_expire(&history, WEIR_SECONDS(9), WEIR_SECONDS(1));
    g_assert_cmpint(history.in_flight_bytes, ==, 0);
    g_assert_cmpint(weir__history_next_expiry_ns(&history, WEIR_SECONDS(1)), ==, WEIR_NEVER_NS);
    g_assert_cmpint(state_of(5), ==, WEIR__PACKET_SENT);
    weir__history_set_state(&history, 5, WEIR__PACKET_RECEIVED);
    g_assert_cmpint(history.in_flight_bytes, ==, 0);
}

static void test_a_packet_nobody_reports_is_unknown_when_it_leaves(void)
{
    memset(&history, 0, sizeof history);
    for (int i = 0; i < 10; i++) {
        send_packet(0, 7, (uint16_t)i, 1000);
    }
    weir__history_set_state(&history, 0, WEIR__PACKET_RECEIVED);
    weir__history_set_state(&history, 1, WEIR__PACKET_LOST);
    for (int i = 0; i < WEIR__HISTORY_PACKETS; i++) {
        send_packet(0, 7, (uint16_t)(10 + i), 1);
    }
    g_assert_cmpuint(history.unknown_packets, ==, 8);
    g_assert_cmpint(history.in_flight_bytes, ==, WEIR__HISTORY_PACKETS);
}

static void test_a_huge_packet_counts_as_65535(void)
{
    memset(&history, 0, sizeof history);
    send_packet(0, 7, 0, 100000);
    g_assert_cmpint(history.in_flight_bytes, ==, 65535);
    weir__history_set_state(&history, 0, WEIR__PACKET_RECEIVED);
    g_assert_cmpint(history.in_flight_bytes, ==, 0);
}

/* Random sends, states and expiry: the bytes in flight are the sum over what is in flight. */
static void test_the_flight_is_the_sum_of_its_packets(void)
{
    GRand *rand = g_rand_new_with_seed(11);
    memset(&history, 0, sizeof history);
    int64_t now_ns = 0;
    for (int i = 0; i < 30000; i++) {
        now_ns += g_rand_int_range(rand, 0, 1000000);
        int64_t newest = send_packet(now_ns, (uint32_t)g_rand_int_range(rand, 0, 20),
                                     (uint16_t)g_rand_int_range(rand, 0, 65536),
                                     (uint32_t)g_rand_int_range(rand, 40, 1500));
        weir__history_set_state(&history, newest - g_rand_int_range(rand, 0, 200),
                                (enum weir__packet_state)g_rand_int_range(rand, 2, 7));
        if (i % 16 == 0) {
            weir__history_expire(&history, now_ns, WEIR_MS(400));
        }
        if (i % 1000 != 0) {
            continue;
        }
        int64_t sum = 0;
        for (int64_t seq = history.expired_seq; seq <= newest; seq++) {
            enum weir__packet_state state = state_of(seq);
            bool out = state == WEIR__PACKET_SENT || state == WEIR__PACKET_SUSPECT;
            sum += out ? weir__history_peek(&history, seq)->wire_bytes : 0;
        }
        g_assert_cmpint(history.in_flight_bytes, ==, sum);
    }
    g_rand_free(rand);
}

/* A stream that starts anew with the same numbers while nothing is reported. */
static void test_a_number_of_a_packet_given_up_is_taken_by_the_next(void)
{
    memset(&history, 0, sizeof history);
    g_assert_cmpint(send_packet(0, 7, 100, 1000), ==, 0);
    g_assert_cmpint(send_packet(WEIR_MS(500), 7, 100, 1000), ==, 1);
    g_assert_cmpint(weir__history_find_rtp(&history, 7, 100), ==, 0);
    weir__history_expire(&history, WEIR_SECONDS(2), WEIR_SECONDS(1));
    g_assert_cmpint(send_packet(WEIR_SECONDS(2), 7, 100, 1000), ==, 2);
    g_assert_cmpint(weir__history_find_rtp(&history, 7, 100), ==, 2);
}

/* A program that changes its SSRC every few packets is never blind, and reports about an SSRC that
 * made room do not reach the packets of another. */
static void test_a_new_ssrc_takes_the_place_of_one_with_nothing_in_flight(void)
{
    memset(&history, 0, sizeof history);
    for (uint32_t ssrc = 1; ssrc <= 100; ssrc++) {
        int64_t now_ns = WEIR_SECONDS((int64_t)ssrc);
        weir__history_expire(&history, now_ns, WEIR_SECONDS(1));
        for (uint16_t i = 0; i < 20; i++) {
            int64_t seq = send_packet(now_ns, ssrc, i, 100);
            g_assert_cmpint(weir__history_find_rtp(&history, ssrc, i), ==, seq);
        }
        g_assert_cmpint(weir__history_find_rtp(&history, ssrc, 20), ==, -1);
        if (ssrc > WEIR__HISTORY_STREAMS) {
            g_assert_cmpint(weir__history_find_rtp(&history, ssrc - WEIR__HISTORY_STREAMS, 3), ==,
                            -1);
            g_assert_cmpint(weir__history_find_rtp(&history, ssrc - 1, 3), ==,
                            ((int64_t)ssrc - 2) * 20 + 3);
        }
        g_assert_cmpint(history.in_flight_bytes, ==, 2000);
    }
    for (int i = 0; i < 2 * WEIR__HISTORY_PACKETS; i++) { /* those without a stream leave, too */
        send_packet(WEIR_SECONDS(200), 1000, (uint16_t)i, 100);
    }
    g_assert_cmpint(weir__history_find_rtp(&history, 1000, 2 * WEIR__HISTORY_PACKETS - 1), ==,
                    100 * 20 + 2 * WEIR__HISTORY_PACKETS - 1);
}

/* Packets under way are not given up for a 17th stream. */
static void test_a_17th_stream_in_flight_is_not_found(void)
{
    memset(&history, 0, sizeof history);
    for (uint32_t ssrc = 1; ssrc <= WEIR__HISTORY_STREAMS + 1; ssrc++) {
        send_packet(0, ssrc, 5, 100);
    }
    g_assert_cmpint(weir__history_find_rtp(&history, 1, 5), ==, 0);
    g_assert_cmpint(weir__history_find_rtp(&history, WEIR__HISTORY_STREAMS + 1, 5), ==, -1);
}

static void test_a_counted_number_hides_no_carried_one(void)
{
    memset(&history, 0, sizeof history);
    int64_t carried = send_on(0, 1, 6);
    send_on(0, 2, 5);
    int64_t counted = send_on(0, 3, -1); /* the number after 5 */
    g_assert_cmpint(weir__history_find_transport(&history, 0, 6, true), ==, carried);
    g_assert_cmpint(weir__history_find_transport(&history, 0, 6, false), ==, counted);
}

/* What was sent 8 s ago leaves a full ring of whatever size; what is younger or in flight makes it
 * grow. */
static void test_it_keeps_the_last_8_s(void)
{
    static const struct {
        int64_t spacing_ns;
        bool in_flight;
        int packets;
    } cases[] = {
        {WEIR_SECONDS(1), false, 128},
        {WEIR_MS(63), false, 128},
        {WEIR_MS(62), false, 256},
        {WEIR_MS(10), false, 1024},
        {WEIR_MS(1), false, WEIR__HISTORY_PACKETS},
        {WEIR_SECONDS(1), true, WEIR__HISTORY_PACKETS},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        memset(&history, 0, sizeof history);
        for (int k = 0; k < 3 * WEIR__HISTORY_PACKETS; k++) {
            int64_t seq = send_packet(k * cases[i].spacing_ns, 7, (uint16_t)k, 1000);
            weir__history_set_state(&history, seq,
                                    cases[i].in_flight ? WEIR__PACKET_SENT : WEIR__PACKET_LOST);
        }
        g_assert_cmpint(history.ring.next_seq - history.ring.oldest_seq, ==, cases[i].packets);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/history/numbers_are_summed_up_once", test_numbers_are_summed_up_once);
    g_test_add_func("/history/it_keeps_the_last_8_s", test_it_keeps_the_last_8_s);
    g_test_add_func("/history/a_packet_is_found_by_its_rtp_number",
                    test_a_packet_is_found_by_its_rtp_number);
    g_test_add_func("/history/numbers_between_the_first_and_the_newest_have_passed",
                    test_numbers_between_the_first_and_the_newest_have_passed);
    g_test_add_func("/history/the_numbers_of_a_stream_skip_or_start_anew",
                    test_the_numbers_of_a_stream_skip_or_start_anew);
    g_test_add_func("/history/streams_of_a_bundle_are_kept_apart",
                    test_streams_of_a_bundle_are_kept_apart);
    g_test_add_func("/history/one_stream_too_many_is_counted_but_not_found",
                    test_one_stream_too_many_is_counted_but_not_found);
    g_test_add_func("/history/a_forgotten_stream_makes_room", test_a_forgotten_stream_makes_room);
    g_test_add_func("/history/the_first_packet_of_a_number_wins_while_it_is_out",
                    test_the_first_packet_of_a_number_wins_while_it_is_out);
    g_test_add_func("/history/a_packet_is_found_by_its_transport_number",
                    test_a_packet_is_found_by_its_transport_number);
    g_test_add_func("/history/a_transport_number_may_come_later",
                    test_a_transport_number_may_come_later);
    g_test_add_func("/history/an_old_transport_number_leads_nowhere",
                    test_an_old_transport_number_leads_nowhere);
    g_test_add_func("/history/bytes_leave_the_flight_once", test_bytes_leave_the_flight_once);
    g_test_add_func("/history/untold_packets_leave_the_flight_of_their_transport",
                    test_untold_packets_leave_the_flight_of_their_transport);
    g_test_add_func("/history/silence_empties_the_flight_but_keeps_the_packets",
                    test_silence_empties_the_flight_but_keeps_the_packets);
    g_test_add_func("/history/a_packet_nobody_reports_is_unknown_when_it_leaves",
                    test_a_packet_nobody_reports_is_unknown_when_it_leaves);
    g_test_add_func("/history/a_huge_packet_counts_as_65535", test_a_huge_packet_counts_as_65535);
    g_test_add_func("/history/the_flight_is_the_sum_of_its_packets",
                    test_the_flight_is_the_sum_of_its_packets);
    g_test_add_func("/history/a_number_of_a_packet_given_up_is_taken_by_the_next",
                    test_a_number_of_a_packet_given_up_is_taken_by_the_next);
    g_test_add_func("/history/a_new_ssrc_takes_the_place_of_one_with_nothing_in_flight",
                    test_a_new_ssrc_takes_the_place_of_one_with_nothing_in_flight);
    g_test_add_func("/history/a_17th_stream_in_flight_is_not_found",
                    test_a_17th_stream_in_flight_is_not_found);
    g_test_add_func("/history/transports_with_the_same_numbers_do_not_mix",
                    test_transports_with_the_same_numbers_do_not_mix);
    g_test_add_func("/history/packets_without_a_number_are_counted_by_transport",
                    test_packets_without_a_number_are_counted_by_transport);
    g_test_add_func("/history/a_repeated_transport_number_finds_the_newest",
                    test_a_repeated_transport_number_finds_the_newest);
    g_test_add_func("/history/audio_in_flight_is_known", test_audio_in_flight_is_known);
    g_test_add_func("/history/audio_of_one_stream_too_many_is_in_flight",
                    test_audio_of_one_stream_too_many_is_in_flight);
    g_test_add_func("/history/a_counted_number_hides_no_carried_one",
                    test_a_counted_number_hides_no_carried_one);
    return g_test_run();
}
