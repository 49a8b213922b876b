/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/xr.h"

#include "codec/sr_rr.h"
#include "codec_test.h"
#include "weir/units.h"

static struct weir__xr_block first_block(const struct vector_packet *v, uint32_t ssrc)
{
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    g_assert_cmpint(weir__xr_walk_init(&walk, &v->packet), ==, WEIR_OK);
    g_assert_cmphex(walk.ssrc, ==, ssrc);
    g_assert_true(weir__xr_walk_next(&walk, &block));
    return block;
}

static void test_receiver_reference_time_is_read(void)
{
    struct vector_packet v = open_vector("xr_rrtr");
    struct weir__xr_block block = first_block(&v, 0x11223344);
    uint64_t ntp;
    g_assert_cmpint(weir__xr_rrtr_parse(&block, &ntp), ==, WEIR_OK);
    g_assert_cmphex(ntp, ==, UINT64_C(0xb44db70520000000));
    g_assert_cmphex(weir__ntp_mid32(ntp), ==, 0xb7052000);
    g_free(v.data);
}

static void test_delay_since_the_last_report_gives_a_round_trip_time(void)
{
    struct vector_packet v = open_vector("xr_dlrr");
    struct weir__xr_block block = first_block(&v, 0xcafebabe);
    struct weir__xr_dlrr items[2];
    size_t n;
    g_assert_cmpint(weir__xr_dlrr_parse(&block, items, 2, &n), ==, WEIR_OK);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmphex(items[0].ssrc, ==, 0x11223344);
    g_assert_cmphex(items[0].lrr_mid32, ==, 0xb7052000);
    g_assert_cmphex(items[0].dlrr_mid32, ==, 0x00054000);
    g_assert_cmphex(items[1].ssrc, ==, 0xdeadbeef);
    g_assert_cmpint(weir__rtt_ns(0xb7108000, items[0].lrr_mid32, items[0].dlrr_mid32), ==,
                    WEIR_MS(6125));
    g_assert_cmpint(weir__rtt_ns(0xb7108000, items[1].lrr_mid32, items[1].dlrr_mid32), ==,
                    WEIR_UNKNOWN_NS);
    g_free(v.data);
}

/* "4:8 200:4 5:0 !": type and size of each block, "!" when the walk stopped at a lie. */
static char *describe_blocks(const struct weir__rtcp_packet *packet)
{
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    GString *text = g_string_new(NULL);
    if (weir__xr_walk_init(&walk, packet) != WEIR_OK) {
        return g_string_free(g_string_append(text, "refused"), FALSE);
    }
    while (weir__xr_walk_next(&walk, &block)) {
        g_assert_true(block.body + block.body_bytes <= packet->body + packet->body_bytes);
        g_string_append_printf(text, "%u:%zu ", block.type, block.body_bytes);
    }
    g_assert_false(weir__xr_walk_next(&walk, &block));
    g_string_append(text, walk.malformed ? "!" : "");
    return g_string_free(text, FALSE);
}

static void test_blocks_are_walked_over_unknown_ones(void)
{
    static const struct {
        const char *hex; /* the body */
        const char *blocks;
    } rows[] = {
        {"1122334404000002e8d4a51080000000c85500010102030405000000", "4:8 200:4 5:0 "},
        {"00000001", ""},
        {"000000", "refused"},
        {"0000000105000000", "5:0 "},
        {"00000001050000", "!"},
        {"000000010500000106000000", "5:4 "},
        {"00000001050000020600000000", "!"},
        {"00000001050000000500ffff", "5:0 !"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        uint8_t bytes[64];
        size_t n = test_hex(rows[i].hex, bytes, sizeof bytes);
        uint8_t *body = exact_copy(bytes, n);
        struct weir__rtcp_packet packet = {.body = body, .body_bytes = n, .type = WEIR__RTCP_XR};
        char *blocks = describe_blocks(&packet);
        g_test_message("%s", rows[i].hex);
        g_assert_cmpstr(blocks, ==, rows[i].blocks);
        g_free(blocks);
        free(body);
    }
    struct vector_packet v = open_vector("xr_unknown_block");
    char *blocks = describe_blocks(&v.packet);
    g_assert_cmpstr(blocks, ==, "4:8 200:4 5:0 ");
    g_free(blocks);
    g_free(v.data);
}

static void test_malformed_blocks_are_refused(void)
{
    struct vector_packet v = open_vector("bad_xr_length");
    char *blocks = describe_blocks(&v.packet);
    g_assert_cmpstr(blocks, ==, "!");
    g_free(blocks);
    g_free(v.data);

    v = open_vector("bad_xr_rrtr_length");
    struct weir__xr_block block = first_block(&v, 1);
    uint64_t ntp = 42;
    size_t n = 42;
    g_assert_cmpint(weir__xr_rrtr_parse(&block, &ntp), ==, WEIR_ERROR_MALFORMED);
    g_assert_cmpint(weir__xr_dlrr_parse(&block, NULL, 0, &n), ==, WEIR_ERROR_UNSUPPORTED);
    g_free(v.data);

    v = open_vector("bad_xr_dlrr_length");
    block = first_block(&v, 1);
    g_assert_cmpint(weir__xr_dlrr_parse(&block, NULL, 0, &n), ==, WEIR_ERROR_MALFORMED);
    g_assert_cmpint(weir__xr_rrtr_parse(&block, &ntp), ==, WEIR_ERROR_UNSUPPORTED);
    g_assert_cmpuint(ntp, ==, 42);
    g_assert_cmpuint(n, ==, 42);
    g_free(v.data);

    v = open_vector("rr_one_block");
    struct weir__xr_walk walk;
    g_assert_cmpint(weir__xr_walk_init(&walk, &v.packet), ==, WEIR_ERROR_UNSUPPORTED);
    g_free(v.data);
}

static void visit_as_xr(const struct weir__rtcp_packet *packet)
{
    struct weir__rtcp_packet as = *packet;
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    as.type = WEIR__RTCP_XR;
    if (weir__xr_walk_init(&walk, &as) != WEIR_OK) {
        return;
    }
    while (weir__xr_walk_next(&walk, &block)) {
        struct weir__xr_dlrr items[2];
        uint64_t ntp;
        size_t n;
        block.type = WEIR__XR_RRTR;
        weir__xr_rrtr_parse(&block, &ntp);
        block.type = WEIR__XR_DLRR;
        weir__xr_dlrr_parse(&block, items, 2, &n);
    }
}

static void test_no_truncation_reads_past_the_end(void)
{
    for_each_truncation(visit_as_xr);
}

static void test_known_packets_are_written_to_the_byte(void)
{
    uint8_t buffer[64];
    size_t size_bytes;
    const struct weir__xr_dlrr items[2] = {
        {.ssrc = 0x11223344, .lrr_mid32 = 0xb7052000, .dlrr_mid32 = 0x00054000},
        {.ssrc = 0xdeadbeef}};
    struct vector_packet v = open_vector("xr_rrtr");
    g_assert_cmpint(weir__xr_build_rrtr(0x11223344, UINT64_C(0xb44db70520000000), buffer,
                                        v.size_bytes, &size_bytes),
                    ==, WEIR_OK);
    assert_same_bytes(buffer, size_bytes, v.data, v.size_bytes);
    g_free(v.data);

    v = open_vector("xr_dlrr");
    g_assert_cmpint(weir__xr_build_dlrr(0xcafebabe, items, 2, buffer, v.size_bytes, &size_bytes),
                    ==, WEIR_OK);
    assert_same_bytes(buffer, size_bytes, v.data, v.size_bytes);
    g_free(v.data);
}

static void test_packet_that_does_not_fit_is_not_written(void)
{
    const struct weir__xr_dlrr item = {.ssrc = 5};
    for (size_t capacity = 0; capacity <= 30; capacity++) {
        uint8_t *buffer = calloc(1, capacity + 1);
        size_t size_bytes = 99;
        bool fits = weir__xr_build_rrtr(1, 7, buffer, capacity, &size_bytes) == WEIR_OK;
        g_assert_true(fits == (capacity >= 20));
        g_assert_cmpuint(size_bytes, ==, fits ? 20 : 99);
        g_assert_true(fits || capacity == 0 || buffer[0] == 0);
        fits = weir__xr_build_dlrr(1, &item, 1, buffer, capacity, &size_bytes) == WEIR_OK;
        g_assert_true(fits == (capacity >= 24));
        g_assert_cmpuint(size_bytes, ==, fits ? 24 : capacity >= 20 ? 20 : 99);
        free(buffer);
    }
}

static void test_items_past_the_capacity_are_counted_but_not_written(void)
{
    struct vector_packet v = open_vector("xr_dlrr");
    struct weir__xr_block block = first_block(&v, 0xcafebabe);
    for (size_t capacity = 0; capacity <= 2; capacity++) {
        struct weir__xr_dlrr items[3] = {{.ssrc = 42}, {.ssrc = 42}, {.ssrc = 42}};
        size_t n = 0;
        g_assert_cmpint(weir__xr_dlrr_parse(&block, items, capacity, &n), ==, WEIR_OK);
        g_assert_cmpuint(n, ==, 2);
        for (size_t i = 0; i < 3; i++) {
            g_assert_true((items[i].ssrc == 42) == (i >= capacity));
        }
    }
    g_free(v.data);
}

static void test_random_items_are_parsed_back(void)
{
    uint32_t seed = 3611;
    GRand *rand = g_rand_new_with_seed(seed);
    g_test_message("seed %u", seed);
    for (int round = 0; round < 5000; round++) {
        struct weir__xr_dlrr items[40];
        struct weir__xr_dlrr back[40];
        uint8_t buffer[512];
        struct weir__xr_walk walk;
        struct weir__xr_block block;
        size_t n = (size_t)g_rand_int_range(rand, 0, 40);
        size_t n_back = 0;
        for (size_t i = 0; i < n; i++) {
            items[i] = (struct weir__xr_dlrr){.ssrc = g_rand_int(rand),
                                              .lrr_mid32 = g_rand_int(rand),
                                              .dlrr_mid32 = g_rand_int(rand)};
        }
        size_t size_bytes;
        g_assert_cmpint(weir__xr_build_dlrr(3, items, n, buffer, sizeof buffer, &size_bytes), ==,
                        WEIR_OK);
        struct weir__rtcp_packet packet = only_packet(buffer, size_bytes);
        g_assert_cmpint(weir__xr_walk_init(&walk, &packet), ==, WEIR_OK);
        g_assert_true(weir__xr_walk_next(&walk, &block));
        g_assert_cmpint(weir__xr_dlrr_parse(&block, back, 40, &n_back), ==, WEIR_OK);
        assert_same_bytes(back, n_back * sizeof back[0], items, n * sizeof items[0]);
    }
    g_rand_free(rand);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/xr/receiver_reference_time_is_read",
                    test_receiver_reference_time_is_read);
    g_test_add_func("/codec/xr/delay_since_the_last_report_gives_a_round_trip_time",
                    test_delay_since_the_last_report_gives_a_round_trip_time);
    g_test_add_func("/codec/xr/blocks_are_walked_over_unknown_ones",
                    test_blocks_are_walked_over_unknown_ones);
    g_test_add_func("/codec/xr/malformed_blocks_are_refused", test_malformed_blocks_are_refused);
    g_test_add_func("/codec/xr/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/xr/known_packets_are_written_to_the_byte",
                    test_known_packets_are_written_to_the_byte);
    g_test_add_func("/codec/xr/packet_that_does_not_fit_is_not_written",
                    test_packet_that_does_not_fit_is_not_written);
    g_test_add_func("/codec/xr/items_past_the_capacity_are_counted_but_not_written",
                    test_items_past_the_capacity_are_counted_but_not_written);
    g_test_add_func("/codec/xr/random_items_are_parsed_back", test_random_items_are_parsed_back);
    return g_test_run();
}
