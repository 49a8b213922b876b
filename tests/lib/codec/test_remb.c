/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../read_formats.h"

#include "codec_test.h"

static void test_known_limits_are_read_and_written(void)
{
    static const struct {
        const char *name;
        struct weir__bitrate_bound remb;
    } rows[] = {
        {"remb_1_mbps",
         {.bitrate_bps = 1000000, .sender_ssrc = 0x11223344, .n_ssrcs = 1, .ssrcs = {0xcafebabe}}},
        {"remb_two_ssrcs",
         {.bitrate_bps = 2499968,
          .sender_ssrc = 0x11223344,
          .n_ssrcs = 2,
          .ssrcs = {0xcafebabe, 0xdeadbeef}}},
        {"remb_exponent_0", {.bitrate_bps = 262143, .sender_ssrc = 1, .n_ssrcs = 1, .ssrcs = {2}}},
        {"remb_exponent_45",
         {.bitrate_bps = INT64_C(9223336852482686976),
          .sender_ssrc = 1,
          .n_ssrcs = 1,
          .ssrcs = {2}}},
        {"remb_zero", {.bitrate_bps = 0, .sender_ssrc = 1}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        struct weir__bitrate_bound remb;
        uint8_t buffer[64];
        size_t size_bytes = 0;
        g_assert_cmpint(remb_parse(&v.packet, &remb), ==, WEIR_OK);
        g_assert_cmpint(remb.bitrate_bps, ==, rows[i].remb.bitrate_bps);
        g_assert_cmphex(remb.sender_ssrc, ==, rows[i].remb.sender_ssrc);
        g_assert_cmpuint(remb.n_ssrcs, ==, rows[i].remb.n_ssrcs);
        for (size_t k = 0; k < remb.n_ssrcs; k++) {
            g_assert_cmphex(remb.ssrcs[k], ==, rows[i].remb.ssrcs[k]);
        }
        g_assert_cmpint(remb_build(&remb, buffer, v.size_bytes, &size_bytes), ==, WEIR_OK);
        bool same_exponent = buffer[17] >> 2 == v.data[17] >> 2; /* not always the smallest */
        g_assert_true(same_exponent == (strcmp(rows[i].name, "remb_two_ssrcs") != 0));
        if (same_exponent) {
            assert_same_bytes(buffer, size_bytes, v.data, v.size_bytes);
        }
        g_assert_cmpint(remb_build(&remb, buffer, v.size_bytes - 1, &size_bytes), ==,
                        WEIR_ERROR_NO_SPACE);
        g_free(v.data);
    }
}

static enum weir_status parse_untouched_on_error(const struct weir__rtcp_packet *packet)
{
    struct weir__bitrate_bound remb;
    struct weir__bitrate_bound before;
    memset(&remb, 0x5a, sizeof remb);
    memset(&before, 0x5a, sizeof before);
    enum weir_status status = remb_parse(packet, &remb);
    if (status != WEIR_OK) {
        assert_same_bytes(&remb, sizeof remb, &before, sizeof before);
    }
    return status;
}

static void test_lying_limits_are_refused(void)
{
    static const struct {
        const char *name;
        enum weir_status status;
    } rows[] = {
        {"bad_remb_count", WEIR_ERROR_MALFORMED},
        {"bad_remb_trailing", WEIR_ERROR_MALFORMED},
        {"bad_remb_other_id", WEIR_ERROR_UNSUPPORTED},
        {"bad_remb_overflow", WEIR_ERROR_MALFORMED},
        {"pli", WEIR_ERROR_UNSUPPORTED},
        {"twcc_small_run", WEIR_ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        g_assert_cmpint(parse_untouched_on_error(&v.packet), ==, rows[i].status);
        g_free(v.data);
    }
}

static void visit_as_remb(const struct weir__rtcp_packet *packet)
{
    struct weir__rtcp_packet as = *packet;
    as.type = WEIR__RTCP_PSFB;
    as.count = WEIR__PSFB_AFB;
    parse_untouched_on_error(&as);
}

static void test_no_truncation_reads_past_the_end(void)
{
    for_each_truncation(visit_as_remb);
}

/* Parses a message with this exponent and mantissa. */
static enum weir_status parse_bitrate(unsigned exponent, unsigned mantissa, int64_t *bitrate_bps)
{
    uint8_t body[16] = {0, 0, 0, 1, 0, 0, 0, 0, 'R', 'E', 'M', 'B', 0};
    struct weir__rtcp_packet packet = {
        .body = body, .body_bytes = sizeof body, .type = WEIR__RTCP_PSFB, .count = 15};
    struct weir__bitrate_bound remb;
    body[13] = (uint8_t)(exponent << 2 | mantissa >> 16);
    body[14] = (uint8_t)(mantissa >> 8);
    body[15] = (uint8_t)mantissa;
    enum weir_status status = remb_parse(&packet, &remb);
    if (status == WEIR_OK) {
        *bitrate_bps = remb.bitrate_bps;
    }
    return status;
}

/* Every exponent with the mantissas at the ends, against long double arithmetic. */
static void test_every_exponent_is_exact_saturated_or_refused(void)
{
    static const unsigned mantissas[] = {0, 1, 2, 3, 0x1ffff, 0x20000, 0x3fffe, 0x3ffff};
    for (unsigned exponent = 0; exponent < 64; exponent++) {
        for (size_t m = 0; m < G_N_ELEMENTS(mantissas); m++) {
            long double exact = (long double)mantissas[m];
            int64_t bitrate_bps = -1;
            for (unsigned i = 0; i < exponent; i++) {
                exact *= 2;
            }
            enum weir_status status = parse_bitrate(exponent, mantissas[m], &bitrate_bps);
            if (exact >= 18446744073709551616.0L) {
                g_assert_cmpint(status, ==, WEIR_ERROR_MALFORMED);
            } else if (exact >= 9223372036854775808.0L) {
                g_assert_cmpint(bitrate_bps, ==, INT64_MAX);
            } else {
                g_assert_true((long double)bitrate_bps == exact);
            }
        }
    }
}

static void test_bitrates_are_rounded_down_to_18_bits(void)
{
    uint32_t seed = 2013;
    GRand *rand = g_rand_new_with_seed(seed);
    g_test_message("seed %u", seed);
    for (int round = 0; round < 100000; round++) {
        struct weir__bitrate_bound remb = {.sender_ssrc = g_rand_int(rand),
                                           .n_ssrcs = (uint8_t)g_rand_int_range(rand, 0, 5)};
        struct weir__bitrate_bound back;
        uint8_t buffer[64];
        size_t size_bytes = 0;
        uint64_t wide = (uint64_t)g_rand_int(rand) << 31 | g_rand_int(rand);
        remb.bitrate_bps = (int64_t)(wide >> g_rand_int_range(rand, 0, 63));
        for (size_t i = 0; i < remb.n_ssrcs; i++) {
            remb.ssrcs[i] = g_rand_int(rand);
        }
        g_assert_cmpint(remb_build(&remb, buffer, sizeof buffer, &size_bytes), ==, WEIR_OK);
        uint8_t *exact = exact_copy(buffer, size_bytes);
        struct weir__rtcp_packet packet = only_packet(exact, size_bytes);
        g_assert_cmpint(remb_parse(&packet, &back), ==, WEIR_OK);
        g_assert_cmpint(back.bitrate_bps, <=, remb.bitrate_bps);
        g_assert_cmpint(remb.bitrate_bps - back.bitrate_bps, <=, remb.bitrate_bps >> 17);
        g_assert_cmphex(back.sender_ssrc, ==, remb.sender_ssrc);
        assert_same_bytes(back.ssrcs, sizeof back.ssrcs, remb.ssrcs, sizeof remb.ssrcs);
        free(exact);
    }
    g_rand_free(rand);
}

static void test_255_ssrcs_fit_and_a_negative_rate_does_not(void)
{
    struct weir__bitrate_bound remb = {.bitrate_bps = INT64_MAX, .n_ssrcs = 255};
    struct weir__bitrate_bound back;
    uint8_t buffer[1040];
    size_t size_bytes = 0;
    for (uint32_t i = 0; i < 255; i++) {
        remb.ssrcs[i] = i * 16777259;
    }
    g_assert_cmpint(remb_build(&remb, buffer, sizeof buffer, &size_bytes), ==, WEIR_OK);
    struct weir__rtcp_packet packet = only_packet(buffer, size_bytes);
    g_assert_cmpint(remb_parse(&packet, &back), ==, WEIR_OK);
    assert_same_bytes(back.ssrcs, sizeof back.ssrcs, remb.ssrcs, sizeof remb.ssrcs);
    remb.bitrate_bps = -1;
    g_assert_cmpint(remb_build(&remb, buffer, sizeof buffer, &size_bytes), ==, WEIR_ERROR_ARGUMENT);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/remb/known_limits_are_read_and_written",
                    test_known_limits_are_read_and_written);
    g_test_add_func("/codec/remb/lying_limits_are_refused", test_lying_limits_are_refused);
    g_test_add_func("/codec/remb/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/remb/every_exponent_is_exact_saturated_or_refused",
                    test_every_exponent_is_exact_saturated_or_refused);
    g_test_add_func("/codec/remb/bitrates_are_rounded_down_to_18_bits",
                    test_bitrates_are_rounded_down_to_18_bits);
    g_test_add_func("/codec/remb/255_ssrcs_fit_and_a_negative_rate_does_not",
                    test_255_ssrcs_fit_and_a_negative_rate_does_not);
    return g_test_run();
}
