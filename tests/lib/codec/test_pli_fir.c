/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../wire.h"
#include "codec/pli_fir.h"

#include "codec_test.h"

static void test_known_requests_are_read_and_written(void)
{
    struct vector_packet v = open_vector("pli");
    struct weir__pli pli;
    uint8_t buffer[64];
    size_t size_bytes = 0;
    g_assert_cmpint(weir__pli_parse(&v.packet, &pli), ==, WEIR_OK);
    g_assert_cmphex(pli.sender_ssrc, ==, 0x11223344);
    g_assert_cmphex(pli.media_ssrc, ==, 0xcafebabe);
    g_assert_cmpint(wire_pli_build(&pli, buffer, 12, &size_bytes), ==, WEIR_OK);
    assert_same_bytes(buffer, size_bytes, v.data, v.size_bytes);
    g_free(v.data);

    v = open_vector("fir_two");
    struct weir__fir_entry entries[2];
    uint32_t sender_ssrc;
    size_t n_entries;
    g_assert_cmpint(weir__fir_parse(&v.packet, &sender_ssrc, entries, 2, &n_entries), ==, WEIR_OK);
    g_assert_cmphex(sender_ssrc, ==, 0x11223344);
    g_assert_cmpuint(n_entries, ==, 2);
    g_assert_cmphex(entries[0].ssrc, ==, 0xcafebabe);
    g_assert_cmpuint(entries[0].command_seq, ==, 5);
    g_assert_cmphex(entries[1].ssrc, ==, 0xdeadbeef);
    g_assert_cmpuint(entries[1].command_seq, ==, 255);
    g_assert_cmpint(wire_fir_build(sender_ssrc, entries, 2, buffer, 28, &size_bytes), ==, WEIR_OK);
    assert_same_bytes(buffer, size_bytes, v.data, v.size_bytes);
    g_free(v.data);
}

static void parse_untouched_on_error(const struct weir__rtcp_packet *packet)
{
    struct weir__rtcp_packet as = *packet;
    struct weir__pli pli = {.media_ssrc = 42};
    struct weir__fir_entry entries[2] = {{.ssrc = 42}, {.ssrc = 43}};
    uint32_t sender_ssrc = 42;
    size_t n_entries = 42;
    as.type = WEIR__RTCP_PSFB;
    as.count = WEIR__PSFB_PLI;
    if (weir__pli_parse(&as, &pli) != WEIR_OK) {
        g_assert_cmpuint(pli.media_ssrc, ==, 42);
        g_assert_cmpuint(as.body_bytes, <, 8);
    }
    as.count = WEIR__PSFB_FIR;
    if (weir__fir_parse(&as, &sender_ssrc, entries, 2, &n_entries) != WEIR_OK) {
        g_assert_cmpuint(entries[0].ssrc, ==, 42);
        g_assert_cmpuint(sender_ssrc, ==, 42);
        g_assert_cmpuint(n_entries, ==, 42);
        g_assert_true(as.body_bytes < 16 || as.body_bytes % 8 != 0);
    } else {
        g_assert_cmpuint(n_entries, ==, as.body_bytes / 8 - 1);
    }
}

static void test_no_truncation_reads_past_the_end(void)
{
    for_each_truncation(parse_untouched_on_error);
}

static void test_other_packets_are_not_requests(void)
{
    static const char *const names[] = {"remb_1_mbps", "nack_three", "rr_one_block",
                                        "twcc_small_run"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct vector_packet v = open_vector(names[i]);
        struct weir__pli pli;
        uint32_t sender_ssrc;
        size_t n;
        g_assert_cmpint(weir__pli_parse(&v.packet, &pli), ==, WEIR_ERROR_UNSUPPORTED);
        g_assert_cmpint(weir__fir_parse(&v.packet, &sender_ssrc, NULL, 0, &n), ==,
                        WEIR_ERROR_UNSUPPORTED);
        g_free(v.data);
    }
}

static void test_capacity_bounds_what_is_written(void)
{
    struct weir__fir_entry entries[20] = {{0}};
    struct weir__fir_entry back[6] = {{0}};
    struct weir__pli pli = {0};
    uint8_t buffer[12 + 20 * 8];
    size_t size_bytes = 7;
    size_t n = 0;
    uint32_t sender_ssrc;
    for (uint8_t i = 0; i < 20; i++) {
        entries[i] = (struct weir__fir_entry){.ssrc = i * 1000U, .command_seq = i};
    }
    g_assert_cmpint(wire_pli_build(&pli, buffer, 11, &size_bytes), ==, WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(wire_fir_build(9, entries, 0, buffer, 100, &size_bytes), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpint(wire_fir_build(9, entries, 1, buffer, 11, &size_bytes), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(wire_fir_build(9, entries, 20, buffer, sizeof buffer - 1, &size_bytes), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpuint(size_bytes, ==, 7);
    g_assert_cmpint(wire_fir_build(9, entries, 20, buffer, sizeof buffer, &size_bytes), ==,
                    WEIR_OK);
    struct weir__rtcp_packet packet = only_packet(buffer, size_bytes);
    g_assert_cmpint(weir__fir_parse(&packet, &sender_ssrc, back, 5, &n), ==, WEIR_OK);
    g_assert_cmpuint(n, ==, 20);
    g_assert_cmpuint(back[4].ssrc, ==, 4000);
    g_assert_cmpuint(back[5].ssrc, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/pli_fir/known_requests_are_read_and_written",
                    test_known_requests_are_read_and_written);
    g_test_add_func("/codec/pli_fir/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/pli_fir/other_packets_are_not_requests",
                    test_other_packets_are_not_requests);
    g_test_add_func("/codec/pli_fir/capacity_bounds_what_is_written",
                    test_capacity_bounds_what_is_written);
    return g_test_run();
}
