/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known datagrams of every wire format, good and bad. Each good one was read alike by several
 * independent decoders; "_from_gstreamer" and "_from_scream" were written by those stacks.
 *
 * The prefix of a name says which codec the datagram is for; names starting with "bad_" must be
 * refused, in whole or in part. Add a line for every wire bug that is fixed. */
#ifndef WEIR_TESTS_VECTORS_DATAGRAMS_H
#define WEIR_TESTS_VECTORS_DATAGRAMS_H

#include "../test.h"

enum { TEST_VECTOR_MAX_BYTES = 64 };

struct test_vector {
    const char *name;
    const char *hex;
};

static const struct test_vector test_vectors[] = {
    /* RTP */
    {"rtp_marker", "80e0ffff12345678cafebabe00010203"},
    {"rtp_one_byte_extension", "9060000100000bb8cafebabebede000131123400aabb"},
    {"rtp_csrc_and_stop_id", "9160000200000bb8cafebabe00000007bede0003107f0022010203f099000000aa"},
    {"rtp_two_byte_extension", "9060000300001770cafebabe100500020100000202abcd00aa"},
    {"rtp_padding", "a060000500001770cafebabe0102030400000004"},

    /* sender and receiver reports */
    {"rr_one_block", "81c9000711223344cafebabe400000330001002a000000a0b705200000054000"},
    {"sr_and_sdes", "80c80006cafebabeb44db705200000000001e240000003e800124f80"
                    "81ca0003cafebabe01056140622e6300"},
    {"rr_two_blocks", "82c9000d11223344cafebabe00fffffd000200050000000cfffffff000008000"
                      "deadbeefff7fffff0000ffffffffffff0000000000000000"},
    {"sr_one_block", "81c8000c00000001e8d4a5108000000000015f900000000200000960"
                     "000000021a0000050001fffe000000211234567800001000"},
    {"rr_from_gstreamer", "81c9000711223344cafebabe00ffffff00000066000000a30000000000000000"},

    /* negative acknowledgements, key frame requests */
    {"nack_three", "81cd000311223344cafebabe00640005"},
    {"nack_wrap", "81cd000311223344cafebabefffe8003"},
    {"nack_three_entries", "81cd000511223344cafebabe000affff00280000001b0000"},
    {"nack_padded", "80c9000111223344a1cd000411223344cafebabe0001000000000004"},
    {"pli", "81ce000211223344cafebabe"},
    {"fir_two", "84ce00061122334400000000cafebabe05000000deadbeefff000000"},

    /* transport-wide feedback */
    {"twcc_small_run", "8fcd000611223344cafebabe000a0003000004002003000428000000"},
    {"twcc_one_bit_vector", "8fcd000611223344cafebabe03e8000e00006407b701040404040404"},
    {"twcc_two_bit_wrap_padding", "afcd000711223344cafebabefffd0007000fffff"
                                  "d825080190ff3800ff000003"},
    {"twcc_runs_large_deltas", "8fcd000711223344cafebabefde80410ffffff01"
                               "2002040c400200017fff8000"},
    {"twcc_reference_7fffff", "8fcd000511223344cafebabe000500017fffff0220010300"},
    {"twcc_reference_800000", "8fcd000511223344cafebabe000600018000000320010300"},
    {"twcc_wrap_from_gstreamer", "8fcd000611223344cafebabefffe000300000f002003a00312000000"},
    {"twcc_losses_from_gstreamer", "8fcd000611223344cafebabe0001000500001001d190240402980100"},
    {"twcc_mixed_from_gstreamer", "8fcd000711223344cafebabe0006002c00001302"
                                  "a000001cb000441c04000000"},
    {"twcc_run_past_count", "8fcd000611223344cafebabe000a0003000004003fff010203000000"},
    {"twcc_zero_runs_first", "8fcd000611223344cafebabe000a0002000004000000200020020102"},
    {"twcc_count_65535", "8fcd000911223344cafebabe000affff00000400"
                         "1fff1fff1fff1fff1fff1fff1fff1fff00070000"},
    {"twcc_trailing_junk", "8fcd000611223344cafebabe000a0001000004002001010203040506"},
    {"twcc_negative_time", "8fcd000611223344cafebabe000a000200000000e400f06001000000"},
    {"twcc_symbol_3_run", "8fcd000611223344cafebabe000a0003000004006003010101000000"},
    {"twcc_symbol_3_vector", "8fcd000511223344cafebabe000a000300000400dd000101"},

    /* RFC 6679 5.1 */
    {"ecn_feedback", "88cd000711223344cafebabe0001fff000000064000186a00007fffe00030001"},
    {"bad_ecn_feedback_short", "88cd000611223344cafebabe0001fff000000064000186a00007fffe"},
    {"bad_ecn_feedback_long",
     "88cd000811223344cafebabe0001fff000000064000186a00007fffe0003000100000000"},
    {"bad_xr_ecn_summary_length", "80cf0006112233440d000004cafebabe00000064000186a00007fffe"},

    /* RFC 8888 */
    {"ccfb_four", "8bcd000611223344cafebabe00640004a00aa0070000e002b7108000"},
    {"ccfb_wrap_odd", "8bcd000611223344cafebabeffff0003a4000000e000000000008000"},
    {"ccfb_two_blocks", "8bcd000711223344cafebabe000100029ffe9fff"
                        "deadbeef0007000000010000"},
    {"ccfb_from_scream", "8bcd000811223344cafebabefffb00070000"
                         "0000a033a028a01e0000e015a013000a0ccc"},
    {"ccfb_minus_one", "8bcd000611223344cafebabeffff0002a4000000e000000000008000"},
    {"ccfb_only_timestamp", "8bcd00020000000100000002"},
    {"ccfb_overlap", "8bcd00080000000100000002000a00028001800100000002000b00020000800100000007"},

    /* REMB */
    {"remb_1_mbps", "8fce0005112233440000000052454d42010bd090cafebabe"},
    {"remb_two_ssrcs", "8fce0006112233440000000052454d4202189896cafebabedeadbeef"},
    {"remb_exponent_0", "8fce0005000000010000000052454d420103ffff00000002"},
    {"remb_exponent_45", "8fce0005000000010000000052454d4201b7ffff00000002"},
    {"remb_zero", "8fce0004000000010000000052454d4200000000"},

    /* extended reports */
    {"xr_rrtr", "80cf00041122334404000002b44db70520000000"},
    {"xr_ecn_summary", "80cf0007112233440d000005cafebabe00000064000186a00007fffe00030001"},
    {"xr_dlrr", "80cf0008cafebabe0500000611223344b705200000054000deadbeef0000000000000000"},
    {"xr_loss_rle", "80cf00061122334401000004cafebabe35fd362abffee7ffffff0000"},
    {"xr_loss_rle_wrap", "80cf00051122334401000003cafebabefffa0005fbe00000"},
    {"xr_receipt_times", "80cf00071122334403000005cafebabeffff0002000003e8000004880000052d"},
    {"xr_thinned_times", "80cf00061122334403020004cafebabe0011001a0000138800001518"},
    {"xr_unknown_block", "80cf00071122334404000002e8d4a51080000000c85500010102030405000000"},
    {"xr_run_past_range", "80cf0005000000010100000300000002000a000c7fff0000"},

    /* framing */
    {"bad_header", "81c900"},
    {"bad_length_overruns", "81c9000811223344cafebabe0000000000000000000000000000000000000000"},
    {"bad_rr_count", "82c9000711223344cafebabe0000000000000001000000000000000000000000"},
    {"bad_sr_short", "80c80003000000010000000200000003"},
    {"bad_rr_empty", "80c90000"},
    {"bad_version", "40c9000111223344"},
    {"bad_trailing_bytes", "80c90001112233440000"},
    {"bad_padding_0", "a0c900021122334400000000"},
    {"bad_padding_255", "a0c9000211223344000000ff"},
    {"bad_padding_not_last", "a0c90002112233440000000480c9000111223344"},
    {"bad_feedback_without_ssrcs", "81cd000100000001"},
    {"bad_nack_without_fci", "81cd00020000000100000002"},

    {"bad_twcc_short", "8fcd00040000000100000002000a000100000000"},
    {"bad_twcc_count_0", "8fcd000511223344cafebabe000a00000000040020000000"},
    {"bad_twcc_chunks_missing", "8fcd000511223344cafebabe000a00640000040020020102"},
    {"bad_twcc_only_zero_runs", "8fcd000611223344cafebabe000a0002000004000000000000000000"},
    {"bad_twcc_deltas_missing", "8fcd000511223344cafebabe000a000700000400eaaa0004"},
    {"bad_twcc_delta_in_padding", "afcd00050000000100000002000a00010000040020010102"},

    {"bad_ccfb_short", "8bcd000100000001"},
    {"bad_ccfb_count_1000", "8bcd00050000000100000002000a03e88000800000000007"},
    {"bad_ccfb_count_65535", "8bcd00050000000100000002000affff8000800000000007"},
    {"bad_ccfb_half_block", "8bcd0003000000010000000200000007"},

    {"bad_remb_count", "8fce0005000000010000000052454d42c80bd09000000002"},
    {"bad_remb_trailing", "8fce0006000000010000000052454d42010bd0900000000200000003"},
    {"bad_remb_other_id", "8fce0005000000010000000052454d43010bd09000000002"},
    {"bad_remb_overflow", "8fce0005000000010000000052454d4201ffffff00000002"},

    {"bad_xr_length", "80cf000400000001040000c80000000100000002"},
    {"bad_xr_rrtr_length", "80cf0003000000010400000100000001"},
    {"bad_xr_dlrr_length", "80cf0006000000010500000400000001000000020000000300000004"},
    {"bad_xr_rle_short", "80cf0005000000010100000300000002000a03e840050000"},
    {"bad_xr_rle_span", "80cf0005000000010100000300000002000a00097fff7fff"},
    {"bad_xr_times_short", "80cf0005000000010300000300000002000a001400000005"},
};

/* A copy of a vector's bytes in a block of exactly that size, so that a sanitizer sees any read
 * behind it. Free with g_free. An unknown name aborts the test. */
static inline uint8_t *test_vector_copy(const char *name, size_t *size_bytes)
{
    for (size_t i = 0; i < G_N_ELEMENTS(test_vectors); i++) {
        if (strcmp(test_vectors[i].name, name) == 0) {
            uint8_t bytes[TEST_VECTOR_MAX_BYTES];
            *size_bytes = test_hex(test_vectors[i].hex, bytes, sizeof bytes);
            return g_memdup2(bytes, *size_bytes);
        }
    }
    g_error("no vector named %s", name);
}

#endif
