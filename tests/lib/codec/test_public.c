/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test.h"
#include "weir/rtcp.h"

static void test_first_two_bytes_tell_the_kind(void)
{
    static const struct {
        uint8_t first, second;
        enum weir_datagram kind;
    } rows[] = {
        {0x80, 0x60, WEIR_DATAGRAM_RTP},   {0x80, 0xe0, WEIR_DATAGRAM_RTP},
        {0x80, 0xbf, WEIR_DATAGRAM_RTP},   {0x80, 0xc0, WEIR_DATAGRAM_RTCP},
        {0x80, 0xc8, WEIR_DATAGRAM_RTCP},  {0x8f, 0xcd, WEIR_DATAGRAM_RTCP},
        {0x80, 0xdf, WEIR_DATAGRAM_RTCP},  {0xbf, 0x60, WEIR_DATAGRAM_RTP},
        {0x16, 0xfe, WEIR_DATAGRAM_OTHER}, {0x00, 0x01, WEIR_DATAGRAM_OTHER},
        {0x40, 0x00, WEIR_DATAGRAM_OTHER}, {0xc0, 0x60, WEIR_DATAGRAM_OTHER},
        {0x7f, 0x60, WEIR_DATAGRAM_OTHER},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        uint8_t data[16] = {rows[i].first, rows[i].second};
        g_assert_cmpint(weir_datagram_kind(data, sizeof data), ==, rows[i].kind);
    }
}

static void test_nothing_but_version_2_is_either(void)
{
    for (unsigned first = 0; first < 256; first++) {
        uint8_t data[12] = {(uint8_t)first, 96};
        g_assert_cmpint(weir_datagram_kind(data, sizeof data), ==,
                        first >= 128 && first < 192 ? WEIR_DATAGRAM_RTP : WEIR_DATAGRAM_OTHER);
    }
}

static void test_short_datagrams_are_neither(void)
{
    uint8_t rtp[12] = {0x80, 0x60};
    uint8_t rtcp[12] = {0x80, 0xc9};
    for (size_t len = 0; len <= 12; len++) {
        g_assert_cmpint(weir_datagram_kind(rtp, len), ==,
                        len < 12 ? WEIR_DATAGRAM_OTHER : WEIR_DATAGRAM_RTP);
        g_assert_cmpint(weir_datagram_kind(rtcp, len), ==,
                        len < 8 ? WEIR_DATAGRAM_OTHER : WEIR_DATAGRAM_RTCP);
    }
    g_assert_cmpint(weir_datagram_kind(NULL, 0), ==, WEIR_DATAGRAM_OTHER);
}

static void test_ntp_of_known_moments(void)
{
    g_assert_cmphex(weir_ntp_from_unix_ns(0), ==, UINT64_C(2208988800) << 32);
    /* 1995-11-10 11:33:25.125 UTC, the example of RFC 3550. */
    g_assert_cmphex(weir_ntp_from_unix_ns(INT64_C(816003205125000000)), ==,
                    UINT64_C(0xb44db70520000000));
    g_assert_cmphex(weir_ntp_from_unix_ns(-500000000), ==,
                    (UINT64_C(2208988799) << 32) + UINT64_C(0x80000000));
}

static void test_header_fields_come_out(void)
{
    uint8_t data[64];
    struct weir_rtp_info info;
    size_t len = test_hex("9060000100000bb8cafebabebede000131123400aabb", data, sizeof data);
    g_assert_cmpint(weir_rtp_info(data, len, 3, &info), ==, WEIR_OK);
    g_assert_cmphex(info.ssrc, ==, 0xcafebabe);
    g_assert_cmpuint(info.timestamp, ==, 3000);
    g_assert_cmpuint(info.seq, ==, 1);
    g_assert_cmpuint(info.payload_type, ==, 96);
    g_assert_false(info.marker);
    g_assert_cmpuint(info.header_bytes, ==, 20);
    g_assert_cmpuint(info.payload_bytes, ==, 2);
    g_assert_true(info.has_transport_seq);
    g_assert_cmpuint(info.transport_seq, ==, 4660);

    len = test_hex("80e0ffff12345678cafebabe00010203", data, sizeof data);
    g_assert_cmpint(weir_rtp_info(data, len, 3, &info), ==, WEIR_OK);
    g_assert_true(info.marker);
    g_assert_cmpuint(info.seq, ==, 65535);
    g_assert_false(info.has_transport_seq);
}

static void test_padding_is_not_payload(void)
{
    uint8_t data[32];
    struct weir_rtp_info info;
    size_t len = test_hex("a060000500001770cafebabe0102030400000004", data, sizeof data);
    g_assert_cmpint(weir_rtp_info(data, len, 0, &info), ==, WEIR_OK);
    g_assert_cmpuint(info.header_bytes, ==, 12);
    g_assert_cmpuint(info.payload_bytes, ==, 4);
}

static void test_another_or_too_small_element_is_no_transport_number(void)
{
    uint8_t data[32];
    struct weir_rtp_info info;
    size_t len = test_hex("9060000100000bb8cafebabebede000130120000aabb", data, sizeof data);
    g_assert_cmpint(weir_rtp_info(data, len, 3, &info), ==, WEIR_OK); /* one byte only */
    g_assert_false(info.has_transport_seq);
    g_assert_cmpint(weir_rtp_info(data, len, 4, &info), ==, WEIR_OK);
    g_assert_false(info.has_transport_seq);
    g_assert_cmpint(weir_rtp_info(data, len, 0, &info), ==, WEIR_OK);
    g_assert_false(info.has_transport_seq);
}

static void test_lying_headers_leave_the_output_untouched(void)
{
    static const struct {
        const char *hex;
        enum weir_status status;
    } rows[] = {
        {"", WEIR_ERROR_TRUNCATED},
        {"8060000500001770cafeba", WEIR_ERROR_TRUNCATED},
        {"8f60000500001770cafebabe01020304", WEIR_ERROR_TRUNCATED}, /* 15 CSRCs */
        {"9060000500001770cafebabebede0002aabbccdd", WEIR_ERROR_TRUNCATED},
        {"a060000500001770cafebabe01020300", WEIR_ERROR_MALFORMED}, /* padding 0 */
        {"a060000500001770cafebabe01020305", WEIR_ERROR_MALFORMED}, /* padding 5 of 4 */
        {"4060000500001770cafebabe01020304", WEIR_ERROR_MALFORMED}, /* version 1 */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        uint8_t data[64];
        size_t len = test_hex(rows[i].hex, data, sizeof data);
        struct weir_rtp_info info = {.ssrc = 77, .header_bytes = 88};
        g_assert_cmpint(weir_rtp_info(data, len, 3, &info), ==, rows[i].status);
        g_assert_cmpuint(info.ssrc, ==, 77);
        g_assert_cmpuint(info.header_bytes, ==, 88);
    }
    uint8_t data[12] = {0x80};
    struct weir_rtp_info info;
    g_assert_cmpint(weir_rtp_info(data, sizeof data, 0, NULL), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_rtp_info(NULL, 12, 0, &info), ==, WEIR_ERROR_ARGUMENT);
#if SIZE_MAX > UINT32_MAX
    g_assert_cmpint(weir_rtp_info(data, (size_t)UINT32_MAX + 1, 0, &info), ==,
                    WEIR_ERROR_MALFORMED);
#endif
}

static void test_a_number_that_was_set_is_read_back(void)
{
    uint8_t data[32];
    size_t len = test_hex("9060000100000bb8cafebabebede000131000000aabb", data, sizeof data);
    for (uint32_t seq = 0; seq < 65536; seq += 257) {
        struct weir_rtp_info info;
        g_assert_cmpint(weir_rtp_set_transport_seq(data, len, 3, (uint16_t)seq), ==, WEIR_OK);
        g_assert_cmpint(weir_rtp_info(data, len, 3, &info), ==, WEIR_OK);
        g_assert_cmpuint(info.transport_seq, ==, seq);
    }
}

static void test_setting_a_number_that_is_not_there_changes_nothing(void)
{
    uint8_t data[32];
    uint8_t before[32];
    size_t len = test_hex("9060000100000bb8cafebabebede000131123400aabb", data, sizeof data);
    memcpy(before, data, len);
    g_assert_cmpint(weir_rtp_set_transport_seq(data, len, 5, 99), ==, WEIR_ERROR_UNSUPPORTED);
    g_assert_cmpint(weir_rtp_set_transport_seq(data, len, 0, 99), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_rtp_set_transport_seq(NULL, len, 3, 99), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_rtp_set_transport_seq(data, 8, 3, 99), <, WEIR_OK);
    g_assert_cmpint(memcmp(data, before, len), ==, 0);
}

/* RFC 2198 3: the payload's own type stands behind the headers of the older payloads. */
static void test_a_redundant_payload_names_its_own_type(void)
{
    static const struct {
        uint8_t payload[10];
        size_t n;
        int expected; /* -1: truncated */
    } cases[] = {
        {{96}, 1, 96},
        {{122, 0x55}, 2, 122},
        {{0x80 | 96, 0, 0, 2, 111, 1, 2, 3}, 8, 111},
        {{0x80 | 96, 0xff, 0xff, 0xff, 0x80 | 97, 0xff, 0xff, 0xff, 98}, 9, 98},
        {{0}, 0, -1},
        {{0x80 | 96}, 1, -1},
        {{0x80 | 96, 0, 0, 2}, 4, -1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint8_t packet[12 + 10] = {0x80, 100};
        struct weir_rtp_info info;
        uint8_t payload_type = 255;
        memcpy(packet + 12, cases[i].payload, cases[i].n);
        g_assert_cmpint(weir_rtp_info(packet, 12 + cases[i].n, 0, &info), ==, WEIR_OK);
        enum weir_status status =
            weir_rtp_red_payload_type(packet, 12 + cases[i].n, &info, &payload_type);
        g_assert_cmpint(status, ==, cases[i].expected < 0 ? WEIR_ERROR_TRUNCATED : WEIR_OK);
        g_assert_cmpint(payload_type, ==, cases[i].expected < 0 ? 255 : cases[i].expected);
        /* Of another, longer packet: nothing past the end is read. */
        info.payload_bytes++;
        g_assert_cmpint(weir_rtp_red_payload_type(packet, 12 + cases[i].n, &info, &payload_type),
                        ==, WEIR_ERROR_TRUNCATED);
    }
    const struct weir_rtp_info info = {0};
    uint8_t byte = 0;
    g_assert_cmpint(weir_rtp_red_payload_type(NULL, 1, &info, &byte), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_rtp_red_payload_type(&byte, 1, NULL, &byte), ==, WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(weir_rtp_red_payload_type(&byte, 1, &info, NULL), ==, WEIR_ERROR_ARGUMENT);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/public/first_two_bytes_tell_the_kind", test_first_two_bytes_tell_the_kind);
    g_test_add_func("/public/nothing_but_version_2_is_either",
                    test_nothing_but_version_2_is_either);
    g_test_add_func("/public/short_datagrams_are_neither", test_short_datagrams_are_neither);
    g_test_add_func("/public/ntp_of_known_moments", test_ntp_of_known_moments);
    g_test_add_func("/public/header_fields_come_out", test_header_fields_come_out);
    g_test_add_func("/public/padding_is_not_payload", test_padding_is_not_payload);
    g_test_add_func("/public/another_or_too_small_element_is_no_transport_number",
                    test_another_or_too_small_element_is_no_transport_number);
    g_test_add_func("/public/lying_headers_leave_the_output_untouched",
                    test_lying_headers_leave_the_output_untouched);
    g_test_add_func("/public/a_number_that_was_set_is_read_back",
                    test_a_number_that_was_set_is_read_back);
    g_test_add_func("/public/setting_a_number_that_is_not_there_changes_nothing",
                    test_setting_a_number_that_is_not_there_changes_nothing);
    g_test_add_func("/public/a_redundant_payload_names_its_own_type",
                    test_a_redundant_payload_names_its_own_type);
    return g_test_run();
}
