/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../wire.h"
#include "codec/nack.h"

#include "codec_test.h"

enum { MAX_SEQS = 65536 };

static char *describe(const uint16_t *seqs, size_t n)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        g_string_append_printf(text, "%u ", seqs[i]);
    }
    return g_string_free(text, FALSE);
}

static void test_known_requests_are_read(void)
{
    static const struct {
        const char *name;
        const char *seqs;
    } rows[] = {
        {"nack_three", "100 101 103 "},
        {"nack_wrap", "65534 65535 0 14 "},
        {"nack_three_entries", "10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 40 27 "},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        struct weir__nack nack;
        uint16_t seqs[32];
        g_assert_cmpint(weir__nack_parse(&v.packet, &nack, seqs, 32), ==, WEIR_OK);
        g_assert_cmphex(nack.sender_ssrc, ==, 0x11223344);
        g_assert_cmphex(nack.media_ssrc, ==, 0xcafebabe);
        char *text = describe(seqs, nack.n_seqs);
        g_assert_cmpstr(text, ==, rows[i].seqs);
        g_free(text);
        g_free(v.data);
    }
}

/* Two well-known readers take the padding for an entry. */
static void test_padding_is_not_read_as_an_entry(void)
{
    struct vector_packet v = open_vector("nack_padded");
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    struct weir__nack nack;
    uint16_t seqs[4] = {0};
    weir__rtcp_walk_init(&walk, v.data, v.size_bytes);
    g_assert_true(weir__rtcp_walk_next(&walk, &packet)); /* the RR */
    g_assert_true(weir__rtcp_walk_next(&walk, &packet));
    g_assert_cmpint(weir__nack_parse(&packet, &nack, seqs, 4), ==, WEIR_OK);
    g_assert_cmpuint(nack.n_seqs, ==, 1);
    g_assert_cmpuint(seqs[0], ==, 1);
    g_free(v.data);
}

static enum weir_status parse_untouched_on_error(const struct weir__rtcp_packet *packet)
{
    struct weir__nack nack = {.n_seqs = 4242};
    uint16_t seqs[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    enum weir_status status = weir__nack_parse(packet, &nack, seqs, 8);
    if (status != WEIR_OK) {
        g_assert_cmpuint(nack.n_seqs, ==, 4242);
        for (uint16_t i = 0; i < 8; i++) {
            g_assert_cmpuint(seqs[i], ==, i + 1);
        }
    }
    return status;
}

static void test_malformed_requests_are_refused(void)
{
    static const uint8_t body[15] = {0};
    struct weir__rtcp_packet odd = {
        .body = body, .body_bytes = 15, .type = WEIR__RTCP_RTPFB, .count = 1};
    static const struct {
        const char *name;
        enum weir_status status;
    } rows[] = {
        {"bad_feedback_without_ssrcs", WEIR_ERROR_TRUNCATED},
        {"bad_nack_without_fci", WEIR_ERROR_TRUNCATED},
        {"pli", WEIR_ERROR_UNSUPPORTED},
        {"twcc_small_run", WEIR_ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        g_assert_cmpint(parse_untouched_on_error(&v.packet), ==, rows[i].status);
        g_free(v.data);
    }
    g_assert_cmpint(parse_untouched_on_error(&odd), ==, WEIR_ERROR_MALFORMED);
}

static void visit_as_nack(const struct weir__rtcp_packet *packet)
{
    struct weir__rtcp_packet as = *packet;
    as.type = WEIR__RTCP_RTPFB;
    as.count = WEIR__RTPFB_NACK;
    parse_untouched_on_error(&as);
}

static void test_no_truncation_reads_past_the_end(void)
{
    for_each_truncation(visit_as_nack);
}

static void test_repeated_numbers_are_listed_once(void)
{
    static const uint8_t body[] = {0, 0,  0, 1, 0, 0, 0, 2, 0, 10, 0, 3,
                                   0, 10, 0, 3, 0, 9, 0, 7, 0, 12, 0, 0};
    struct weir__rtcp_packet packet = {
        .body = body, .body_bytes = sizeof body, .type = WEIR__RTCP_RTPFB, .count = 1};
    struct weir__nack nack;
    uint16_t seqs[8];
    g_assert_cmpint(weir__nack_parse(&packet, &nack, seqs, 8), ==, WEIR_OK);
    char *text = describe(seqs, nack.n_seqs);
    g_assert_cmpstr(text, ==, "10 11 12 9 ");
    g_free(text);
}

static void test_numbers_past_the_capacity_are_counted_but_not_written(void)
{
    struct vector_packet v = open_vector("nack_three_entries");
    for (size_t capacity = 0; capacity < 19; capacity++) {
        uint16_t *seqs = calloc(capacity + 1, sizeof *seqs);
        struct weir__nack nack;
        seqs[capacity] = 4242;
        g_assert_cmpint(weir__nack_parse(&v.packet, &nack, seqs, capacity), ==, WEIR_OK);
        g_assert_cmpuint(nack.n_seqs, ==, 19);
        g_assert_cmpuint(seqs[capacity], ==, 4242);
        free(seqs);
    }
    g_free(v.data);
}

static void test_what_is_built_is_parsed_back(void)
{
    uint32_t seed = 4585;
    GRand *rand = g_rand_new_with_seed(seed);
    g_test_message("seed %u", seed);
    for (int round = 0; round < 3000; round++) {
        static uint16_t seqs[2000];
        static uint16_t back[MAX_SEQS];
        size_t n = (size_t)g_rand_int_range(rand, 1, 2000);
        int max_gap = g_rand_int_range(rand, 2, 32);
        uint16_t seq = (uint16_t)g_rand_int(rand);
        for (size_t i = 0; i < n; i++) {
            seq = (uint16_t)(seq + g_rand_int_range(rand, 1, max_gap));
            seqs[i] = seq;
        }
        struct weir__nack nack = {.sender_ssrc = 1, .media_ssrc = 2};
        for (size_t done = 0; done < n;) {
            size_t capacity_bytes = (size_t)g_rand_int_range(rand, 16, 400);
            uint8_t *buffer = malloc(capacity_bytes);
            size_t size_bytes = 0;
            size_t n_written = 0;
            struct weir__nack read;
            g_assert_cmpint(wire_nack_build(&nack, seqs + done, n - done, buffer, capacity_bytes,
                                            &size_bytes, &n_written),
                            ==, WEIR_OK);
            g_assert_cmpuint(n_written, >=, 1);
            struct weir__rtcp_packet packet = only_packet(buffer, size_bytes);
            g_assert_cmpint(weir__nack_parse(&packet, &read, back, MAX_SEQS), ==, WEIR_OK);
            g_assert_cmpuint(read.sender_ssrc, ==, 1);
            g_assert_cmpuint(read.media_ssrc, ==, 2);
            assert_same_bytes(back, read.n_seqs * 2, seqs + done, n_written * 2);
            done += n_written;
            free(buffer);
        }
    }
    g_rand_free(rand);
}

static void test_known_requests_are_written_to_the_byte(void)
{
    static const struct {
        const char *name;
        uint16_t seqs[4];
        size_t n;
    } rows[] = {{"nack_three", {100, 101, 103}, 3}, {"nack_wrap", {65534, 65535, 0, 14}, 4}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        struct weir__nack nack = {.sender_ssrc = 0x11223344, .media_ssrc = 0xcafebabe};
        uint8_t buffer[64];
        size_t size_bytes = 0;
        size_t n_written = 0;
        g_assert_cmpint(wire_nack_build(&nack, rows[i].seqs, rows[i].n, buffer, sizeof buffer,
                                        &size_bytes, &n_written),
                        ==, WEIR_OK);
        assert_same_bytes(buffer, size_bytes, v.data, v.size_bytes);
        g_assert_cmpuint(n_written, ==, rows[i].n);
        g_free(v.data);
    }
}

/* The same number again and again takes an entry each time. */
static void test_packet_is_bounded_by_its_length_field(void)
{
    static uint16_t seqs[70000];
    static uint8_t buffer[300000];
    struct weir__nack nack = {0};
    size_t size_bytes = 0;
    size_t n = 0;
    g_assert_cmpint(
        wire_nack_build(&nack, seqs, G_N_ELEMENTS(seqs), buffer, sizeof buffer, &size_bytes, &n),
        ==, WEIR_OK);
    g_assert_cmpuint(size_bytes, ==, 262144);
    g_assert_cmpuint(n, ==, 65536 - 3);
    struct weir__rtcp_packet packet = only_packet(buffer, size_bytes);
    g_assert_cmpint(weir__nack_parse(&packet, &nack, NULL, 0), ==, WEIR_OK);
    g_assert_cmpuint(nack.n_seqs, ==, 1);
}

static void test_too_little_room_or_nothing_to_ask_is_refused(void)
{
    const uint16_t seqs[2] = {5, 500};
    struct weir__nack nack = {0};
    uint8_t buffer[64];
    size_t size_bytes = 9;
    size_t n = 9;
    g_assert_cmpint(wire_nack_build(&nack, seqs, 2, buffer, 15, &size_bytes, &n), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(wire_nack_build(&nack, seqs, 0, buffer, 64, &size_bytes, &n), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpuint(n, ==, 9);
    g_assert_cmpint(wire_nack_build(&nack, seqs, 2, buffer, 19, &size_bytes, &n), ==, WEIR_OK);
    g_assert_cmpuint(n, ==, 1);
    g_assert_cmpuint(size_bytes, ==, 16);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/nack/known_requests_are_read", test_known_requests_are_read);
    g_test_add_func("/codec/nack/padding_is_not_read_as_an_entry",
                    test_padding_is_not_read_as_an_entry);
    g_test_add_func("/codec/nack/malformed_requests_are_refused",
                    test_malformed_requests_are_refused);
    g_test_add_func("/codec/nack/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/nack/repeated_numbers_are_listed_once",
                    test_repeated_numbers_are_listed_once);
    g_test_add_func("/codec/nack/numbers_past_the_capacity_are_counted_but_not_written",
                    test_numbers_past_the_capacity_are_counted_but_not_written);
    g_test_add_func("/codec/nack/what_is_built_is_parsed_back", test_what_is_built_is_parsed_back);
    g_test_add_func("/codec/nack/known_requests_are_written_to_the_byte",
                    test_known_requests_are_written_to_the_byte);
    g_test_add_func("/codec/nack/packet_is_bounded_by_its_length_field",
                    test_packet_is_bounded_by_its_length_field);
    g_test_add_func("/codec/nack/too_little_room_or_nothing_to_ask_is_refused",
                    test_too_little_room_or_nothing_to_ask_is_refused);
    return g_test_run();
}
