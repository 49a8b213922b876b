/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../wire.h"

#include "codec_test.h"

enum { MAX_ENTRIES = 65536 };

static uint16_t seqs[MAX_ENTRIES];
static bool received[MAX_ENTRIES];
static uint32_t times[MAX_ENTRIES];

static struct weir__xr_block only_block(const struct weir__rtcp_packet *packet)
{
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    struct weir__xr_block second;
    g_assert_cmpint(weir__xr_walk_init(&walk, packet), ==, WEIR_OK);
    g_assert_true(weir__xr_walk_next(&walk, &block));
    g_assert_false(weir__xr_walk_next(&walk, &second));
    return block;
}

static void test_known_loss_patterns_are_read(void)
{
    static const struct {
        const char *name;
        uint32_t ssrc;
        uint16_t begin_seq;
        size_t n;
        const char *pattern;
    } rows[] = {
        {"xr_loss_rle", 0xcafebabe, 13821, 45, "011111111111110110011111111111111111111111111"},
        {"xr_loss_rle_wrap", 0xcafebabe, 65530, 11, "11110111110"},
        {"xr_run_past_range", 2, 10, 2, "11"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        struct weir__xr_block block = only_block(&v.packet);
        struct xr_range range;
        g_assert_cmpint(xr_loss_rle_parse(&block, &range, seqs, received, MAX_ENTRIES), ==,
                        WEIR_OK);
        g_assert_cmphex(range.ssrc, ==, rows[i].ssrc);
        g_assert_cmpuint(range.begin_seq, ==, rows[i].begin_seq);
        g_assert_cmpuint(range.n_entries, ==, rows[i].n);
        g_assert_cmpuint(range.thinning, ==, 0);
        for (size_t k = 0; k < rows[i].n; k++) {
            g_assert_cmpuint(seqs[k], ==, (uint16_t)(rows[i].begin_seq + k));
            g_assert_true(received[k] == (rows[i].pattern[k] == '1'));
        }
        g_free(v.data);
    }
}

static void test_known_receipt_times_are_read(void)
{
    static const struct {
        const char *name;
        size_t n;
        uint16_t seqs[3];
        uint32_t times[3];
        uint8_t thinning;
    } rows[] = {
        {"xr_receipt_times", 3, {65535, 0, 1}, {1000, 1160, 1325}, 0},
        {"xr_thinned_times", 2, {20, 24}, {5000, 5400}, 2},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        struct weir__xr_block block = only_block(&v.packet);
        struct xr_range range;
        g_assert_cmpint(xr_receipt_times_parse(&block, &range, seqs, times, 3), ==, WEIR_OK);
        g_assert_cmpuint(range.n_entries, ==, rows[i].n);
        g_assert_cmpuint(range.thinning, ==, rows[i].thinning);
        for (size_t k = 0; k < rows[i].n; k++) {
            g_assert_cmpuint(seqs[k], ==, rows[i].seqs[k]);
            g_assert_cmpuint(times[k], ==, rows[i].times[k]);
        }
        g_free(v.data);
    }
}

/* Both parsers, on a block retyped for each; nothing may be written on an error. */
static void parse_untouched_on_error(struct weir__xr_block block, enum weir_status *loss,
                                     enum weir_status *receipt)
{
    struct xr_range range = {.ssrc = 42};
    uint16_t few_seqs[4] = {42, 42, 42, 42};
    bool few_received[4];
    uint32_t few_times[4] = {42, 42, 42, 42};
    block.type = WEIR__XR_LOSS_RLE;
    *loss = xr_loss_rle_parse(&block, &range, few_seqs, few_received, 4);
    if (*loss != WEIR_OK) {
        g_assert_cmpuint(range.ssrc, ==, 42);
        g_assert_cmpuint(few_seqs[0], ==, 42);
    }
    range.ssrc = 42;
    few_seqs[0] = 42;
    block.type = WEIR__XR_RECEIPT_TIMES;
    *receipt = xr_receipt_times_parse(&block, &range, few_seqs, few_times, 4);
    if (*receipt != WEIR_OK) {
        g_assert_cmpuint(range.ssrc, ==, 42);
        g_assert_cmpuint(few_seqs[0], ==, 42);
        g_assert_cmpuint(few_times[0], ==, 42);
    }
}

static void test_malformed_blocks_are_refused(void)
{
    static const struct {
        const char *name;
        enum weir_status loss, receipt;
    } rows[] = {
        {"bad_xr_rle_short", WEIR_ERROR_TRUNCATED, WEIR_ERROR_MALFORMED},
        {"bad_xr_rle_span", WEIR_ERROR_MALFORMED, WEIR_ERROR_MALFORMED},
        {"bad_xr_times_short", WEIR_ERROR_MALFORMED, WEIR_ERROR_MALFORMED},
        {"bad_xr_rrtr_length", WEIR_ERROR_TRUNCATED, WEIR_ERROR_TRUNCATED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        struct weir__xr_block block = only_block(&v.packet);
        enum weir_status loss, receipt;
        parse_untouched_on_error(block, &loss, &receipt);
        g_assert_cmpint(loss, ==, rows[i].loss);
        g_assert_cmpint(receipt, ==, rows[i].receipt);
        g_free(v.data);
    }
    struct vector_packet v = open_vector("xr_rrtr");
    struct weir__xr_block block = only_block(&v.packet);
    struct xr_range range;
    g_assert_cmpint(xr_loss_rle_parse(&block, &range, seqs, received, 1), ==,
                    WEIR_ERROR_UNSUPPORTED);
    g_assert_cmpint(xr_receipt_times_parse(&block, &range, seqs, times, 1), ==,
                    WEIR_ERROR_UNSUPPORTED);
    g_free(v.data);
}

static void test_null_chunk_may_only_come_last(void)
{
    static const struct {
        const char *chunks;
        enum weir_status status;
    } rows[] = {
        {"400a0000", WEIR_OK},
        {"4005000040050000", WEIR_ERROR_MALFORMED},
        {"0000400a", WEIR_ERROR_MALFORMED},
        {"400a000000000000", WEIR_ERROR_MALFORMED},
        {"40054005", WEIR_OK},
        {"4000400a", WEIR_OK},              /* a run of no length says nothing */
        {"ffffffff", WEIR_OK},              /* more bits than packets */
        {"400affff40050000", WEIR_OK},      /* a chunk too many */
        {"40044005", WEIR_ERROR_TRUNCATED}, /* one packet short */
        {"", WEIR_ERROR_TRUNCATED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        uint8_t body[32] = {0, 0, 0, 1, 0, 10, 0, 20};
        size_t n = 8 + test_hex(rows[i].chunks, body + 8, sizeof body - 8);
        uint8_t *exact = exact_copy(body, n);
        struct weir__xr_block block = {.body = exact, .body_bytes = n};
        enum weir_status loss, receipt;
        g_test_message("%s", rows[i].chunks);
        parse_untouched_on_error(block, &loss, &receipt);
        g_assert_cmpint(loss, ==, rows[i].status);
        free(exact);
    }
}

static void visit_as_blocks(const struct weir__rtcp_packet *packet)
{
    struct weir__rtcp_packet as = *packet;
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    enum weir_status loss, receipt;
    as.type = WEIR__RTCP_XR;
    if (weir__xr_walk_init(&walk, &as) != WEIR_OK) {
        return;
    }
    while (weir__xr_walk_next(&walk, &block)) {
        parse_untouched_on_error(block, &loss, &receipt);
    }
    block = (struct weir__xr_block){.body = packet->body, .body_bytes = packet->body_bytes & ~3U};
    parse_untouched_on_error(block, &loss, &receipt);
}

static void test_no_truncation_reads_past_the_end(void)
{
    for_each_truncation(visit_as_blocks);
}

/* Against counting one by one, for every thinning and starts around the wrap. */
static void test_range_reports_the_multiples_of_its_step(void)
{
    uint8_t body[8 + 12]; /* six runs, which cover any range */
    struct weir__xr_block block = {
        .body = body, .body_bytes = sizeof body, .type = WEIR__XR_LOSS_RLE};
    struct xr_range range;
    memset(body, 0x7f, sizeof body);
    for (unsigned thinning = 0; thinning <= 15; thinning++) {
        block.specific = (uint8_t)thinning;
        for (uint32_t begin = 65500; begin < 65600; begin += 3) {
            for (uint32_t span = 0; span < 65534; span += span < 50 ? 1 : 4999) {
                size_t expected = 0;
                for (uint32_t i = 0; i < span; i++) {
                    expected += ((begin + i) & ((1U << thinning) - 1)) == 0;
                }
                weir__put_u16(body + 4, begin & 0xffff);
                weir__put_u16(body + 6, (begin + span) & 0xffff);
                g_assert_cmpint(xr_loss_rle_parse(&block, &range, NULL, NULL, 0), ==, WEIR_OK);
                g_assert_cmpuint(range.n_entries, ==, expected);
            }
        }
    }
    weir__put_u16(body + 4, 0);
    weir__put_u16(body + 6, 65534);
    g_assert_cmpint(xr_loss_rle_parse(&block, &range, NULL, NULL, 0), ==, WEIR_ERROR_MALFORMED);
}

/* From a start that is read already, in pieces, against what was written. */
static void assert_pieces(const struct weir__xr_block *loss, const struct weir__xr_block *receipt,
                          size_t n, const bool *sent, const uint32_t *sent_times, size_t piece)
{
    struct xr_range range;
    uint16_t some_seqs[64];
    bool some[64];
    uint32_t some_times[64];
    size_t at = 0;
    g_assert_cmpint(xr_loss_rle_parse(loss, &range, NULL, NULL, 0), ==, WEIR_OK);
    for (size_t k; (k = xr_read(&range, some_seqs, some, NULL, piece)) > 0; at += k) {
        g_assert_cmpint(memcmp(some, sent + at, k * sizeof some[0]), ==, 0);
        g_assert_cmpint(memcmp(some_seqs, seqs + at, k * sizeof seqs[0]), ==, 0);
    }
    g_assert_cmpuint(at, ==, n);
    at = 0;
    g_assert_cmpint(xr_receipt_times_parse(receipt, &range, NULL, NULL, 0), ==, WEIR_OK);
    for (size_t k; (k = xr_read(&range, some_seqs, NULL, some_times, piece)) > 0; at += k) {
        g_assert_cmpint(memcmp(some_times, sent_times + at, k * sizeof some_times[0]), ==, 0);
        g_assert_cmpint(memcmp(some_seqs, seqs + at, k * sizeof seqs[0]), ==, 0);
    }
    g_assert_cmpuint(at, ==, n);
}

static void test_what_is_built_is_parsed_back(void)
{
    uint32_t seed = 36110;
    GRand *rand = g_rand_new_with_seed(seed);
    static bool sent[MAX_ENTRIES];
    static uint32_t sent_times[MAX_ENTRIES];
    static uint8_t buffer[300000];
    g_test_message("seed %u", seed);
    for (int round = 0; round < 800; round++) {
        int max_span = g_rand_boolean(rand) ? 100 : 40000;
        struct xr_range range = {.ssrc = g_rand_int(rand),
                                 .begin_seq = (uint16_t)g_rand_int(rand),
                                 .thinning = (uint8_t)g_rand_int_range(rand, 0, 16)};
        struct xr_range back;
        struct xr_writer writer;
        struct weir__xr_walk walk;
        struct weir__xr_block block;
        size_t n = 0;
        int stickiness = g_rand_int_range(rand, 1, 60);
        bool now = true;
        range.end_seq = (uint16_t)(range.begin_seq + g_rand_int_range(rand, 0, max_span));
        g_assert_cmpint(xr_range_entries(&range, &n), ==, WEIR_OK);
        for (size_t i = 0; i < n; i++) {
            now = g_rand_int_range(rand, 0, stickiness) == 0 ? !now : now;
            sent[i] = now;
            sent_times[i] = g_rand_int(rand);
        }
        g_assert_cmpint(xr_writer_init(&writer, buffer, sizeof buffer, 9), ==, WEIR_OK);
        g_assert_cmpint(wire_xr_put_loss_rle(&writer, &range, sent), ==, WEIR_OK);
        g_assert_cmpint(wire_xr_put_receipt_times(&writer, &range, sent_times), ==, WEIR_OK);
        struct weir__rtcp_packet packet = only_packet(buffer, xr_writer_finish(&writer));
        g_assert_cmpint(weir__xr_walk_init(&walk, &packet), ==, WEIR_OK);
        g_assert_true(weir__xr_walk_next(&walk, &block));
        g_assert_cmpint(xr_loss_rle_parse(&block, &back, seqs, received, MAX_ENTRIES), ==, WEIR_OK);
        g_assert_cmpuint(back.n_entries, ==, n);
        g_assert_cmpuint(back.ssrc, ==, range.ssrc);
        g_assert_cmpuint(back.thinning, ==, range.thinning);
        for (size_t i = 0; i < n; i++) {
            g_assert_true(received[i] == sent[i]);
            g_assert_cmpuint(seqs[i] & ((1U << range.thinning) - 1), ==, 0);
        }
        struct weir__xr_block loss = block;
        g_assert_true(weir__xr_walk_next(&walk, &block));
        g_assert_cmpint(xr_receipt_times_parse(&block, &back, seqs, times, MAX_ENTRIES), ==,
                        WEIR_OK);
        assert_pieces(&loss, &block, n, sent, sent_times, (size_t)g_rand_int_range(rand, 1, 65));
        assert_same_bytes(times, back.n_entries * 4, sent_times, n * 4);
    }
    g_rand_free(rand);
}

static void test_without_room_nothing_is_read(void)
{
    const struct weir__format *format = weir__format_at(WEIR__FORMAT_INDEX_xr);
    struct weir__packet_feedback feedback = {0};
    struct weir__feedback_entry entries[64];
    uint32_t peer = 0;
    struct vector_packet v = open_vector("xr_loss_rle_wrap");
    g_assert_cmpint(format->parse(&v.packet, &peer, &feedback), ==, WEIR_OK);
    g_assert_cmpuint(format->read(&feedback, entries, 0), ==, 0);
    g_assert_cmpuint(format->read(&feedback, entries, 64), ==, 11);
    g_assert_cmpuint(format->read(&feedback, entries, 64), ==, 0);
    g_free(v.data);
}

static void test_known_blocks_are_written_to_the_byte(void)
{
    struct vector_packet v = open_vector("xr_thinned_times");
    const struct xr_range thinned = {
        .ssrc = 0xcafebabe, .begin_seq = 17, .end_seq = 26, .thinning = 2};
    const uint32_t two_times[2] = {5000, 5400};
    uint8_t buffer[64];
    struct xr_writer writer;
    g_assert_cmpint(xr_writer_init(&writer, buffer, v.size_bytes, 0x11223344), ==, WEIR_OK);
    g_assert_cmpint(wire_xr_put_receipt_times(&writer, &thinned, two_times), ==, WEIR_OK);
    assert_same_bytes(buffer, xr_writer_finish(&writer), v.data, v.size_bytes);
    g_free(v.data);

    v = open_vector("xr_loss_rle_wrap");
    const struct xr_range wrapped = {.ssrc = 0xcafebabe, .begin_seq = 65530, .end_seq = 5};
    const bool pattern[11] = {1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0};
    g_assert_cmpint(xr_writer_init(&writer, buffer, v.size_bytes, 0x11223344), ==, WEIR_OK);
    g_assert_cmpint(wire_xr_put_loss_rle(&writer, &wrapped, pattern), ==, WEIR_OK);
    assert_same_bytes(buffer, xr_writer_finish(&writer), v.data, v.size_bytes);
    g_free(v.data);
}

static void test_blocks_that_do_not_fit_are_left_out(void)
{
    struct xr_range range = {.begin_seq = 0, .end_seq = 10};
    struct xr_range too_far = {.begin_seq = 1, .end_seq = 0};
    uint8_t buffer[20];
    struct xr_writer writer;
    g_assert_cmpint(xr_writer_init(&writer, buffer, sizeof buffer, 1), ==, WEIR_OK);
    g_assert_cmpint(wire_xr_put_loss_rle(&writer, &range, received), ==, WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(wire_xr_put_receipt_times(&writer, &range, times), ==, WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(wire_xr_put_loss_rle(&writer, &too_far, received), ==, WEIR_ERROR_RANGE);
    g_assert_cmpint(wire_xr_put_receipt_times(&writer, &too_far, times), ==, WEIR_ERROR_RANGE);
    g_assert_cmpuint(xr_writer_finish(&writer), ==, 8);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/xr_rle/known_loss_patterns_are_read",
                    test_known_loss_patterns_are_read);
    g_test_add_func("/codec/xr_rle/known_receipt_times_are_read",
                    test_known_receipt_times_are_read);
    g_test_add_func("/codec/xr_rle/without_room_nothing_is_read",
                    test_without_room_nothing_is_read);
    g_test_add_func("/codec/xr_rle/malformed_blocks_are_refused",
                    test_malformed_blocks_are_refused);
    g_test_add_func("/codec/xr_rle/null_chunk_may_only_come_last",
                    test_null_chunk_may_only_come_last);
    g_test_add_func("/codec/xr_rle/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/xr_rle/range_reports_the_multiples_of_its_step",
                    test_range_reports_the_multiples_of_its_step);
    g_test_add_func("/codec/xr_rle/what_is_built_is_parsed_back",
                    test_what_is_built_is_parsed_back);
    g_test_add_func("/codec/xr_rle/known_blocks_are_written_to_the_byte",
                    test_known_blocks_are_written_to_the_byte);
    g_test_add_func("/codec/xr_rle/blocks_that_do_not_fit_are_left_out",
                    test_blocks_that_do_not_fit_are_left_out);
    return g_test_run();
}
