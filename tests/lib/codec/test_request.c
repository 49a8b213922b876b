/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../wire.h"
#include "codec/request.h"

#include "codec_test.h"

static void test_it_is_read_what_is_asked_and_of_whom(void)
{
    static const struct {
        const char *name;
        enum weir__request_kind kind;
        size_t n_ssrcs;
    } rows[] = {
        {"nack_three", WEIR__REQUEST_NACK, 1},
        {"nack_wrap", WEIR__REQUEST_NACK, 1},
        {"nack_three_entries", WEIR__REQUEST_NACK, 1},
        {"pli", WEIR__REQUEST_PLI, 1},
        {"fir_two", WEIR__REQUEST_FIR, 2},
    };
    static const uint32_t ssrcs[] = {0xcafebabe, 0xdeadbeef};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        struct weir__request request;
        g_assert_cmpint(weir__request_parse(&v.packet, &request), ==, WEIR_OK);
        g_assert_cmpint(request.kind, ==, rows[i].kind);
        g_assert_cmpuint(request.n_ssrcs, ==, rows[i].n_ssrcs);
        for (size_t k = 0; k < request.n_ssrcs; k++) {
            g_assert_cmphex(request.ssrcs[k], ==, ssrcs[k]);
        }
        g_free(v.data);
    }
}

static enum weir_status parse_untouched_on_error(const struct weir__rtcp_packet *packet)
{
    struct weir__request request = {.n_ssrcs = 4242, .ssrcs = {42}};
    enum weir_status status = weir__request_parse(packet, &request);
    if (status != WEIR_OK) {
        g_assert_cmpuint(request.n_ssrcs, ==, 4242);
        g_assert_cmpuint(request.ssrcs[0], ==, 42);
    }
    return status;
}

static void test_malformed_requests_are_refused(void)
{
    static const uint8_t body[20] = {0};
    static const struct {
        const char *name;
        enum weir_status status;
    } rows[] = {
        {"bad_feedback_without_ssrcs", WEIR_ERROR_TRUNCATED},
        {"bad_nack_without_fci", WEIR_ERROR_TRUNCATED},
        {"twcc_small_run", WEIR_ERROR_UNSUPPORTED},
        {"remb_1_mbps", WEIR_ERROR_UNSUPPORTED},
        {"rr_one_block", WEIR_ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        g_assert_cmpint(parse_untouched_on_error(&v.packet), ==, rows[i].status);
        g_free(v.data);
    }
    struct weir__rtcp_packet odd_nack = {
        .body = body, .body_bytes = 15, .type = WEIR__RTCP_RTPFB, .count = WEIR__RTPFB_NACK};
    struct weir__rtcp_packet odd_fir = {
        .body = body, .body_bytes = 20, .type = WEIR__RTCP_PSFB, .count = WEIR__PSFB_FIR};
    g_assert_cmpint(parse_untouched_on_error(&odd_nack), ==, WEIR_ERROR_MALFORMED);
    g_assert_cmpint(parse_untouched_on_error(&odd_fir), ==, WEIR_ERROR_MALFORMED);
}

static void visit_as_each_kind(const struct weir__rtcp_packet *packet)
{
    static const struct {
        uint8_t type, format;
        size_t least_bytes, unit_bytes;
    } kinds[] = {{WEIR__RTCP_RTPFB, WEIR__RTPFB_NACK, 12, 4},
                 {WEIR__RTCP_PSFB, WEIR__PSFB_PLI, 8, 1},
                 {WEIR__RTCP_PSFB, WEIR__PSFB_FIR, 16, 8}};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        struct weir__rtcp_packet as = *packet;
        as.type = kinds[i].type;
        as.count = kinds[i].format;
        bool whole =
            as.body_bytes >= kinds[i].least_bytes && as.body_bytes % kinds[i].unit_bytes == 0;
        g_assert_true((parse_untouched_on_error(&as) == WEIR_OK) == whole);
    }
}

static void test_no_truncation_reads_past_the_end(void)
{
    for_each_truncation(visit_as_each_kind);
}

static void test_of_a_long_request_the_first_are_listed(void)
{
    uint32_t words[2 * 40];
    uint8_t buffer[12 + sizeof words];
    for (uint32_t i = 0; i < 40; i++) {
        words[2 * i] = 1000 + i;
        words[2 * i + 1] = i << 24;
    }
    for (size_t n = 1; n <= 40; n++) {
        size_t size = wire_request_build(WEIR__RTCP_PSFB, WEIR__PSFB_FIR, 9, words, 2 * n, buffer);
        struct weir__rtcp_packet packet = only_packet(buffer, size);
        struct weir__request request;
        g_assert_cmpint(weir__request_parse(&packet, &request), ==, WEIR_OK);
        g_assert_cmpuint(request.n_ssrcs, ==, MIN(n, WEIR__REQUEST_MAX_SSRCS));
        for (uint32_t i = 0; i < request.n_ssrcs; i++) {
            g_assert_cmpuint(request.ssrcs[i], ==, 1000 + i);
        }
    }
}

/* Every set of three packets near each other, over the wrap. */
static void test_what_a_nack_asks_for_is_read_as_it_was_written(void)
{
    for (uint16_t apart = 1; apart <= 40; apart++) {
        const uint16_t asked[] = {65530, (uint16_t)(65530 + apart), (uint16_t)(65531 + apart)};
        size_t entries = apart < 16 ? 1 : 2;
        uint16_t numbers[3] = {0};
        uint8_t bytes[20];
        struct weir__rtcp_walk walk;
        struct weir__rtcp_packet packet;
        struct weir__request request;
        size_t size = 0, n = 0;
        g_assert_cmpint(weir__nack_build(1, 2, asked, 3, bytes, 11 + 4 * entries, &size), ==,
                        WEIR_ERROR_NO_SPACE);
        g_assert_cmpint(weir__nack_build(1, 2, asked, 3, bytes, sizeof bytes, &size), ==, WEIR_OK);
        g_assert_cmpuint(size, ==, 12 + 4 * entries);
        weir__rtcp_walk_init(&walk, bytes, size);
        g_assert_true(weir__rtcp_walk_next(&walk, &packet));
        g_assert_cmpint(weir__request_parse(&packet, &request), ==, WEIR_OK);
        g_assert_cmpuint(request.ssrcs[0], ==, 2);
        g_assert_cmpint(weir__nack_parse(&packet, numbers, 2, &n), ==, WEIR_OK);
        g_assert_cmpuint(n, ==, 3);
        g_assert_cmpuint(numbers[2], ==, 0); /* had no room */
        g_assert_cmpint(weir__nack_parse(&packet, numbers, 3, &n), ==, WEIR_OK);
        g_assert_true(memcmp(numbers, asked, sizeof asked) == 0);
    }
}

static void test_only_a_nack_names_packets(void)
{
    static const struct {
        const char *name;
        enum weir_status status;
    } rows[] = {
        {"pli", WEIR_ERROR_UNSUPPORTED},
        {"bad_nack_without_fci", WEIR_ERROR_TRUNCATED},
        {"nack_wrap", WEIR_OK},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        uint16_t numbers[17];
        size_t n = 4242;
        g_assert_cmpint(weir__nack_parse(&v.packet, numbers, 17, &n), ==, rows[i].status);
        g_assert_true((n == 4242) == (rows[i].status != WEIR_OK));
        g_free(v.data);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/request/it_is_read_what_is_asked_and_of_whom",
                    test_it_is_read_what_is_asked_and_of_whom);
    g_test_add_func("/codec/request/malformed_requests_are_refused",
                    test_malformed_requests_are_refused);
    g_test_add_func("/codec/request/what_a_nack_asks_for_is_read_as_it_was_written",
                    test_what_a_nack_asks_for_is_read_as_it_was_written);
    g_test_add_func("/codec/request/only_a_nack_names_packets", test_only_a_nack_names_packets);
    g_test_add_func("/codec/request/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/request/of_a_long_request_the_first_are_listed",
                    test_of_a_long_request_the_first_are_listed);
    return g_test_run();
}
