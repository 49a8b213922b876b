/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../wire.h"
#include "codec/rtcp.h"

#include "codec/bytes.h"
#include "codec_test.h"

/* "201/1:28 ...": type, count and body size of each packet, then the anomalies that are not 0. */
static char *describe_walk(const uint8_t *data, size_t size_bytes)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    GString *text = g_string_new(NULL);
    weir__rtcp_walk_init(&walk, data, size_bytes);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        g_assert_true(packet.body >= data + 4);
        g_assert_true(packet.body + packet.body_bytes <= data + size_bytes);
        g_string_append_printf(text, "%u/%u:%zu ", packet.type, packet.count, packet.body_bytes);
    }
    struct weir__rtcp_anomalies after = walk.anomalies;
    g_assert_false(weir__rtcp_walk_next(&walk, &packet));
    assert_same_bytes(&walk.anomalies, sizeof after, &after, sizeof after);

    const struct {
        const char *name;
        uint32_t count;
    } anomalies[] = {
        {"trailing", after.trailing_bytes},
        {"version", after.bad_version},
        {"truncated", after.truncated},
        {"padding", after.bad_padding},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(anomalies); i++) {
        if (anomalies[i].count > 0) {
            g_string_append_printf(text, "%s%u ", anomalies[i].name, anomalies[i].count);
        }
    }
    return g_string_free(text, FALSE);
}

static void assert_walk(const char *hex, const char *expected)
{
    uint8_t bytes[256];
    size_t n = test_hex(hex, bytes, sizeof bytes);
    uint8_t *data = exact_copy(bytes, n);
    char *walked = describe_walk(data, n);
    g_test_message("%s", hex);
    g_assert_cmpstr(walked, ==, expected);
    g_free(walked);
    free(data);
}

static void test_datagrams_are_tiled_by_their_lengths(void)
{
    static const struct {
        const char *hex;
        const char *walk;
    } rows[] = {
        {"", ""},
        {"80c90001112233448fcd000000cd0000", "201/0:4 205/15:0 version1 "},
        {"80c900011122334480c900011122334481c90000", "201/0:4 201/0:4 201/1:0 "},
        {"80c80000", "200/0:0 "},
        {"81cd00011122334480c9000111223344", "205/1:4 201/0:4 "},
        {"80bf0000", "191/0:0 "}, /* unknown types are delivered, to be skipped */
        {"80c9000111223344a1cd000411223344cafebabe0001000000000004", "201/0:4 205/1:12 "},
        {"afcd0001000000ff", "padding1 "},
        {"afcd000100000003", "205/15:1 "}, /* 3: against RFC 3550, but deployed */
        {"afcd000100000004", "205/15:0 "}, /* nothing but padding */
        {"a0c90000", "padding1 "},         /* P in a packet without a body */
        {"80c9ffff", "truncated1 "},
        {"80c9000111223344c0", "201/0:4 trailing1 "},
        {"80c9000111223344c0c9000111223344", "201/0:4 version1 "},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_walk(rows[i].hex, rows[i].walk);
    }
}

static void test_malformed_framing_costs_only_the_packet_it_is_in(void)
{
    static const struct {
        const char *name;
        const char *walk;
    } rows[] = {
        {"bad_header", "trailing1 "},
        {"bad_length_overruns", "truncated1 "},
        {"bad_rr_empty", "201/0:0 "},
        {"bad_version", "version1 "},
        {"bad_trailing_bytes", "201/0:4 trailing1 "},
        {"bad_padding_0", "padding1 "},
        {"bad_padding_255", "padding1 "},
        {"bad_padding_not_last", "201/0:8 201/0:4 "},
        {"twcc_two_bit_wrap_padding", "205/15:25 "},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        size_t n;
        uint8_t *data = test_vector_copy(rows[i].name, &n);
        char *walked = describe_walk(data, n);
        g_test_message("%s", rows[i].name);
        g_assert_cmpstr(walked, ==, rows[i].walk);
        g_free(walked);
        g_free(data);
    }
}

/* A padded packet first in line is skipped when bad, and the walk goes on behind it. */
static void test_bad_padding_of_the_last_packet_leaves_the_first(void)
{
    assert_walk("80c9000111223344a0c900021122334400000000", "201/0:4 padding1 ");
    assert_walk("80c9000111223344a0c9000211223344000000ff", "201/0:4 padding1 ");
}

static size_t n_visited;

static void count_visit(const struct weir__rtcp_packet *packet)
{
    volatile uint8_t sink = 0;
    for (size_t i = 0; i < packet->body_bytes; i++) {
        sink = (uint8_t)(sink ^ packet->body[i]);
    }
    n_visited++;
}

static void test_no_truncation_reads_past_the_end(void)
{
    n_visited = 0;
    for_each_truncation(count_visit);
    g_assert_cmpuint(n_visited, >, 1000);
}

static void test_random_datagrams_end_within_their_bytes(void)
{
    uint32_t seed = 4711;
    GRand *rand = g_rand_new_with_seed(seed);
    g_test_message("seed %u", seed);
    for (int round = 0; round < 100000; round++) {
        size_t n = (size_t)g_rand_int_range(rand, 0, 64);
        uint8_t bytes[64];
        for (size_t i = 0; i < n; i++) {
            bool header = i % 4 == 0 && g_rand_boolean(rand);
            bytes[i] = (uint8_t)(header       ? 0x80 | (g_rand_int(rand) & 0x3f)
                                 : i % 4 == 2 ? 0
                                              : g_rand_int(rand) & 7);
        }
        uint8_t *data = exact_copy(bytes, n);
        struct weir__rtcp_walk walk;
        struct weir__rtcp_packet packet;
        size_t n_packets = 0;
        weir__rtcp_walk_init(&walk, data, n);
        while (weir__rtcp_walk_next(&walk, &packet)) {
            count_visit(&packet);
            n_packets++;
        }
        g_assert_cmpuint(n_packets, <=, n / 4);
        free(data);
    }
    g_rand_free(rand);
}

static void test_headers_are_written_as_they_are_read(void)
{
    uint8_t buffer[12];
    weir__rtcp_put_feedback_header(buffer, WEIR__RTPFB_TWCC, WEIR__RTCP_RTPFB, 12, 0x11223344,
                                   0xcafebabe);
    assert_bytes_are_hex(buffer, 12, "8fcd000211223344cafebabe");
    weir__rtcp_put_header(buffer, 31, WEIR__RTCP_XR, 65536 * 4);
    assert_bytes_are_hex(buffer, 4, "9fcfffff");
}

static enum weir_status sdes_of_hex(const char *hex, char *text, size_t text_bytes)
{
    uint8_t bytes[128];
    size_t n = test_hex(hex, bytes, sizeof bytes);
    uint8_t *data = exact_copy(bytes, n);
    struct weir__rtcp_packet packet = only_packet(data, n);
    struct weir__sdes_cname cnames[2];
    size_t n_cnames = 99;
    enum weir_status status = weir__sdes_parse(&packet, cnames, 2, &n_cnames);
    text[0] = '\0';
    if (status == WEIR_OK) {
        for (size_t i = 0; i < n_cnames && i < 2; i++) {
            size_t used = strlen(text);
            g_snprintf(text + used, text_bytes - used, "%x=%.*s ", cnames[i].ssrc,
                       (int)cnames[i].name_bytes, (const char *)cnames[i].name);
        }
    } else {
        g_assert_cmpuint(n_cnames, ==, 99);
    }
    free(data);
    return status;
}

static void test_cnames_are_found_in_sdes_chunks(void)
{
    static const struct {
        const char *hex;
        enum weir_status status;
        const char *cnames;
    } rows[] = {
        {"81ca0003cafebabe01056140622e6300", WEIR_OK, "cafebabe=a@b.c "},
        {"80ca0000", WEIR_OK, ""},
        {"82ca000400000001010161000000000201016200", WEIR_OK, "1=a 2=b "},
        {"83ca0006000000010101610000000002010162000000000301016300", WEIR_OK, "1=a 2=b "},
        {"81ca00020000000102016100", WEIR_OK, ""},              /* a NAME only */
        {"81ca0003000000010201780101610000", WEIR_OK, "1=a "},  /* a NAME first */
        {"81ca0003000000010101780101610000", WEIR_OK, "1=x "},  /* the first CNAME counts */
        {"81ca00020000000101000000", WEIR_OK, "1= "},           /* empty */
        {"81ca00020000000101026162", WEIR_ERROR_TRUNCATED, ""}, /* no zero at the end */
        {"81ca00020000000101036162", WEIR_ERROR_TRUNCATED, ""}, /* longer than the packet */
        {"81ca00020000000100000001", WEIR_OK, ""},              /* zero, then anything */
        {"82ca00020000000100000000", WEIR_ERROR_TRUNCATED, ""}, /* a chunk too few */
        {"81ca0000", WEIR_ERROR_TRUNCATED, ""},
        {"81ca000100000001", WEIR_ERROR_TRUNCATED, ""},
        {"81cb000100000001", WEIR_ERROR_UNSUPPORTED, ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char cnames[64];
        g_test_message("%s", rows[i].hex);
        g_assert_cmpint(sdes_of_hex(rows[i].hex, cnames, sizeof cnames), ==, rows[i].status);
        g_assert_cmpstr(cnames, ==, rows[i].cnames);
    }
}

static void test_sdes_of_every_length_is_read_back(void)
{
    char name[258];
    memset(name, 'x', sizeof name);
    for (size_t length = 0; length <= 255; length++) {
        uint8_t buffer[300];
        size_t n = 0;
        struct weir__sdes_cname cname;
        size_t n_cnames;
        name[length] = '\0';
        g_assert_cmpint(weir__sdes_build(7, name, buffer, sizeof buffer, &n), ==, WEIR_OK);
        uint8_t *exact = malloc(n);
        g_assert_cmpint(weir__sdes_build(7, name, exact, n - 1, &n), ==, WEIR_ERROR_NO_SPACE);
        g_assert_cmpint(weir__sdes_build(7, name, exact, n, &n), ==, WEIR_OK);
        struct weir__rtcp_packet packet = only_packet(exact, n);
        g_assert_cmpint(weir__sdes_parse(&packet, &cname, 1, &n_cnames), ==, WEIR_OK);
        g_assert_cmpuint(n_cnames, ==, 1);
        g_assert_cmpuint(cname.ssrc, ==, 7);
        assert_same_bytes(cname.name, cname.name_bytes, name, length);
        g_assert_cmpuint(n, <, 4 + 4 + 2 + length + 1 + 4);
        free(exact);
        name[length] = 'x';
    }
    name[256] = '\0';
    uint8_t buffer[400];
    size_t n = 5;
    g_assert_cmpint(weir__sdes_build(7, name, buffer, sizeof buffer, &n), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpuint(n, ==, 5);
}

static void test_known_sdes_is_written_to_the_byte(void)
{
    uint8_t buffer[16];
    size_t n;
    g_assert_cmpint(weir__sdes_build(0xcafebabe, "a@b.c", buffer, sizeof buffer, &n), ==, WEIR_OK);
    assert_bytes_are_hex(buffer, n, "81ca0003cafebabe01056140622e6300");
}

static void test_bye_of_every_count_is_read_back(void)
{
    for (uint8_t count = 0; count <= 31; count++) {
        struct weir__bye bye = {.n_ssrcs = count};
        struct weir__bye back;
        uint8_t buffer[128];
        size_t n = 0;
        for (uint32_t i = 0; i < count; i++) {
            bye.ssrcs[i] = 0x01010101 * (i + 1);
        }
        g_assert_cmpint(wire_bye_build(&bye, buffer, sizeof buffer, &n), ==, WEIR_OK);
        g_assert_cmpuint(n, ==, 4 + 4 * (size_t)count);
        g_assert_cmpint(wire_bye_build(&bye, buffer, n - 1, &n), ==, WEIR_ERROR_NO_SPACE);
        uint8_t *exact = exact_copy(buffer, n);
        struct weir__rtcp_packet packet = only_packet(exact, n);
        g_assert_cmpint(weir__bye_parse(&packet, &back), ==, WEIR_OK);
        g_assert_cmpuint(back.n_ssrcs, ==, count);
        assert_same_bytes(back.ssrcs, sizeof back.ssrcs, bye.ssrcs, sizeof bye.ssrcs);
        free(exact);
    }
    struct weir__bye too_many = {.n_ssrcs = 32};
    uint8_t buffer[256];
    size_t n = 0;
    g_assert_cmpint(wire_bye_build(&too_many, buffer, sizeof buffer, &n), ==, WEIR_ERROR_ARGUMENT);
}

static void test_bye_with_a_reason_and_bye_that_lies(void)
{
    static const uint8_t body[] = {0, 0, 0, 1, 0, 0, 0, 2, 3, 'b', 'y', 'e'};
    struct weir__rtcp_packet packet = {
        .body = body, .body_bytes = sizeof body, .type = WEIR__RTCP_BYE, .count = 2};
    struct weir__bye bye = {.n_ssrcs = 77};
    g_assert_cmpint(weir__bye_parse(&packet, &bye), ==, WEIR_OK);
    g_assert_cmpuint(bye.n_ssrcs, ==, 2);
    g_assert_cmpuint(bye.ssrcs[1], ==, 2);

    bye.n_ssrcs = 77;
    packet.count = 4;
    g_assert_cmpint(weir__bye_parse(&packet, &bye), ==, WEIR_ERROR_TRUNCATED);
    packet.type = WEIR__RTCP_APP;
    g_assert_cmpint(weir__bye_parse(&packet, &bye), ==, WEIR_ERROR_UNSUPPORTED);
    g_assert_cmpuint(bye.n_ssrcs, ==, 77);
}

static void parse_names(const struct weir__rtcp_packet *packet)
{
    struct weir__rtcp_packet as = *packet;
    struct weir__sdes_cname cname = {.name_bytes = 0};
    struct weir__bye bye;
    size_t n_cnames = 0;
    as.type = WEIR__RTCP_SDES;
    weir__sdes_parse(&as, &cname, 1, &n_cnames);
    if (n_cnames > 0) {
        g_assert_true(cname.name + cname.name_bytes <= as.body + as.body_bytes);
    }
    as.type = WEIR__RTCP_BYE;
    weir__bye_parse(&as, &bye);
}

static void test_truncated_names_stay_in_bounds(void)
{
    for_each_truncation(parse_names);
}

/* The functions of bytes.h at the ends of their ranges. */
static void test_big_endian_numbers_keep_their_value(void)
{
    static const uint8_t bytes[8] = {0xff, 0x80, 0x00, 0x01, 0x7f, 0xff, 0xff, 0xfe};
    uint8_t out[8];
    g_assert_cmpuint(weir__get_u16(bytes), ==, 0xff80);
    g_assert_cmpint(weir__get_s16(bytes), ==, -128);
    g_assert_cmpint(weir__get_s16(bytes + 1), ==, -32768);
    g_assert_cmpint(weir__get_s16(bytes + 4), ==, 32767);
    g_assert_cmpuint(weir__get_u24(bytes), ==, 0xff8000);
    g_assert_cmpint(weir__get_s24(bytes), ==, -32768);
    g_assert_cmpint(weir__get_s24(bytes + 1), ==, -0x7fffff);
    g_assert_cmpint(weir__get_s24(bytes + 4), ==, 0x7fffff);
    g_assert_cmpuint(weir__get_u32(bytes), ==, 0xff800001);
    g_assert_cmpuint(weir__get_u64(bytes), ==, UINT64_C(0xff8000017ffffffe));
    weir__put_u64(out, weir__get_u64(bytes));
    assert_same_bytes(out, 8, bytes, 8);
    weir__put_u24(out, (uint32_t)-2);
    g_assert_cmpint(weir__get_s24(out), ==, -2);
    weir__put_u16(out, 0x12345);
    g_assert_cmpuint(weir__get_u16(out), ==, 0x2345);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/rtcp/datagrams_are_tiled_by_their_lengths",
                    test_datagrams_are_tiled_by_their_lengths);
    g_test_add_func("/codec/rtcp/malformed_framing_costs_only_the_packet_it_is_in",
                    test_malformed_framing_costs_only_the_packet_it_is_in);
    g_test_add_func("/codec/rtcp/bad_padding_of_the_last_packet_leaves_the_first",
                    test_bad_padding_of_the_last_packet_leaves_the_first);
    g_test_add_func("/codec/rtcp/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/rtcp/random_datagrams_end_within_their_bytes",
                    test_random_datagrams_end_within_their_bytes);
    g_test_add_func("/codec/rtcp/headers_are_written_as_they_are_read",
                    test_headers_are_written_as_they_are_read);
    g_test_add_func("/codec/rtcp/cnames_are_found_in_sdes_chunks",
                    test_cnames_are_found_in_sdes_chunks);
    g_test_add_func("/codec/rtcp/sdes_of_every_length_is_read_back",
                    test_sdes_of_every_length_is_read_back);
    g_test_add_func("/codec/rtcp/known_sdes_is_written_to_the_byte",
                    test_known_sdes_is_written_to_the_byte);
    g_test_add_func("/codec/rtcp/bye_of_every_count_is_read_back",
                    test_bye_of_every_count_is_read_back);
    g_test_add_func("/codec/rtcp/bye_with_a_reason_and_bye_that_lies",
                    test_bye_with_a_reason_and_bye_that_lies);
    g_test_add_func("/codec/rtcp/truncated_names_stay_in_bounds",
                    test_truncated_names_stay_in_bounds);
    g_test_add_func("/codec/rtcp/big_endian_numbers_keep_their_value",
                    test_big_endian_numbers_keep_their_value);
    return g_test_run();
}
