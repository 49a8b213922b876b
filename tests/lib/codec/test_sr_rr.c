/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/sr_rr.h"
#include "weir/rtcp.h"

#include "codec_test.h"
#include "weir/units.h"

static void assert_same_block(const struct weir__report_block *a,
                              const struct weir__report_block *b)
{
    g_assert_cmphex(a->ssrc, ==, b->ssrc);
    g_assert_cmpuint(a->fraction_lost, ==, b->fraction_lost);
    g_assert_cmpint(a->cumulative_lost, ==, b->cumulative_lost);
    g_assert_cmpuint(a->highest_seq, ==, b->highest_seq);
    g_assert_cmpuint(a->jitter, ==, b->jitter);
    g_assert_cmphex(a->lsr_mid32, ==, b->lsr_mid32);
    g_assert_cmphex(a->dlsr_mid32, ==, b->dlsr_mid32);
}

static void assert_same_report(const struct weir__report *a, const struct weir__report *b)
{
    g_assert_true(a->is_sr == b->is_sr);
    g_assert_cmphex(a->ssrc, ==, b->ssrc);
    g_assert_cmphex(a->ntp, ==, b->ntp);
    g_assert_cmpuint(a->rtp_timestamp, ==, b->rtp_timestamp);
    g_assert_cmpuint(a->sent_packets, ==, b->sent_packets);
    g_assert_cmpuint(a->sent_octets, ==, b->sent_octets);
    g_assert_cmpuint(a->n_blocks, ==, b->n_blocks);
    for (size_t i = 0; i < a->n_blocks; i++) {
        assert_same_block(&a->blocks[i], &b->blocks[i]);
    }
}

static const struct {
    const char *name;
    bool whole; /* the vector has no second packet: building gives its bytes */
    struct weir__report report;
} known[] = {
    {"rr_one_block",
     true,
     {.ssrc = 0x11223344,
      .n_blocks = 1,
      .blocks = {{.ssrc = 0xcafebabe,
                  .fraction_lost = 64,
                  .cumulative_lost = 51,
                  .highest_seq = 65578,
                  .jitter = 160,
                  .lsr_mid32 = 0xb7052000,
                  .dlsr_mid32 = 0x00054000}}}},
    {"sr_and_sdes",
     false,
     {.is_sr = true,
      .ssrc = 0xcafebabe,
      .ntp = UINT64_C(0xb44db70520000000),
      .rtp_timestamp = 123456,
      .sent_packets = 1000,
      .sent_octets = 1200000}},
    {"rr_two_blocks",
     true,
     {.ssrc = 0x11223344,
      .n_blocks = 2,
      .blocks = {{.ssrc = 0xcafebabe,
                  .cumulative_lost = -3,
                  .highest_seq = 131077,
                  .jitter = 12,
                  .lsr_mid32 = 0xfffffff0,
                  .dlsr_mid32 = 0x8000},
                 {.ssrc = 0xdeadbeef,
                  .fraction_lost = 255,
                  .cumulative_lost = 8388607,
                  .highest_seq = 65535,
                  .jitter = 0xffffffff}}}},
    {"sr_one_block",
     true,
     {.is_sr = true,
      .ssrc = 1,
      .ntp = UINT64_C(0xe8d4a51080000000),
      .rtp_timestamp = 90000,
      .sent_packets = 2,
      .sent_octets = 2400,
      .n_blocks = 1,
      .blocks = {{.ssrc = 2,
                  .fraction_lost = 26,
                  .cumulative_lost = 5,
                  .highest_seq = 131070,
                  .jitter = 33,
                  .lsr_mid32 = 0x12345678,
                  .dlsr_mid32 = 0x1000}}}},
    {"rr_from_gstreamer",
     true,
     {.ssrc = 0x11223344,
      .n_blocks = 1,
      .blocks = {{.ssrc = 0xcafebabe, .cumulative_lost = -1, .highest_seq = 102, .jitter = 163}}}},
};

static void test_known_reports_are_read_and_written(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        struct vector_packet v = open_vector(known[i].name);
        struct weir__report report;
        uint8_t buffer[64];
        size_t size_bytes = 0;
        g_assert_cmpint(weir__report_parse(&v.packet, &report), ==, WEIR_OK);
        assert_same_report(&report, &known[i].report);
        g_assert_cmpint(weir__report_build(&report, buffer, sizeof buffer, &size_bytes), ==,
                        WEIR_OK);
        assert_same_bytes(buffer, size_bytes, v.data, known[i].whole ? v.size_bytes : size_bytes);
        g_free(v.data);
    }
}

static enum weir_status parse_untouched_on_error(const struct weir__rtcp_packet *packet)
{
    struct weir__report report;
    struct weir__report before;
    memset(&report, 0x5a, sizeof report);
    memset(&before, 0x5a, sizeof before);
    enum weir_status status = weir__report_parse(packet, &report);
    if (status != WEIR_OK) {
        assert_same_bytes(&report, sizeof report, &before, sizeof before);
    }
    return status;
}

static void test_lying_reports_are_refused_whole(void)
{
    static const struct {
        const char *name;
        enum weir_status status;
    } rows[] = {
        {"bad_rr_count", WEIR_ERROR_TRUNCATED}, {"bad_sr_short", WEIR_ERROR_TRUNCATED},
        {"bad_rr_empty", WEIR_ERROR_TRUNCATED}, {"bad_trailing_bytes", WEIR_OK},
        {"bad_padding_not_last", WEIR_OK},      {"xr_rrtr", WEIR_ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        g_assert_cmpint(parse_untouched_on_error(&v.packet), ==, rows[i].status);
        g_free(v.data);
    }
}

static void visit_as_report(const struct weir__rtcp_packet *packet)
{
    struct weir__rtcp_packet as = *packet;
    as.type = WEIR__RTCP_SR;
    parse_untouched_on_error(&as);
    as.type = WEIR__RTCP_RR;
    parse_untouched_on_error(&as);
}

static void test_no_truncation_reads_past_the_end(void)
{
    for_each_truncation(visit_as_report);
}

static void test_profile_extension_behind_the_blocks_is_skipped(void)
{
    uint8_t body[4 + 24 + 8] = {0, 0, 0, 9, 0, 0, 0, 5, 77};
    struct weir__rtcp_packet packet = {
        .body = body, .body_bytes = sizeof body, .type = WEIR__RTCP_RR, .count = 1};
    struct weir__report report;
    g_assert_cmpint(weir__report_parse(&packet, &report), ==, WEIR_OK);
    g_assert_cmpuint(report.n_blocks, ==, 1);
    g_assert_cmpuint(report.blocks[0].ssrc, ==, 5);
    g_assert_cmpuint(report.blocks[0].fraction_lost, ==, 77);
}

static void test_what_is_built_is_parsed_back(void)
{
    uint32_t seed = 3550;
    GRand *rand = g_rand_new_with_seed(seed);
    g_test_message("seed %u", seed);
    for (int round = 0; round < 20000; round++) {
        struct weir__report report = {.is_sr = g_rand_boolean(rand),
                                      .ssrc = g_rand_int(rand),
                                      .n_blocks = (uint8_t)g_rand_int_range(rand, 0, 32)};
        struct weir__report back;
        uint8_t buffer[800];
        size_t size_bytes = 0;
        if (report.is_sr) {
            report.ntp = (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
            report.rtp_timestamp = g_rand_int(rand);
            report.sent_packets = g_rand_int(rand);
            report.sent_octets = g_rand_int(rand);
        }
        for (size_t i = 0; i < report.n_blocks; i++) {
            report.blocks[i] = (struct weir__report_block){
                .ssrc = g_rand_int(rand),
                .fraction_lost = (uint8_t)g_rand_int(rand),
                .cumulative_lost = g_rand_int_range(rand, -0x800000, 0x800000),
                .highest_seq = g_rand_int(rand),
                .jitter = g_rand_int(rand),
                .lsr_mid32 = g_rand_int(rand),
                .dlsr_mid32 = g_rand_int(rand),
            };
        }
        g_assert_cmpint(weir__report_build(&report, buffer, sizeof buffer, &size_bytes), ==,
                        WEIR_OK);
        g_assert_cmpint(weir__report_build(&report, buffer, size_bytes - 1, &size_bytes), ==,
                        WEIR_ERROR_NO_SPACE);
        uint8_t *exact = exact_copy(buffer, size_bytes);
        struct weir__rtcp_packet packet = only_packet(exact, size_bytes);
        g_assert_cmpint(weir__report_parse(&packet, &back), ==, WEIR_OK);
        assert_same_report(&back, &report);
        free(exact);
    }
    g_rand_free(rand);

    struct weir__report too_many = {.n_blocks = 32};
    uint8_t buffer[1000];
    size_t size_bytes = 0;
    g_assert_cmpint(weir__report_build(&too_many, buffer, sizeof buffer, &size_bytes), ==,
                    WEIR_ERROR_ARGUMENT);
}

static void test_ntp_time_counts_from_1900(void)
{
    static const struct {
        int64_t unix_ns;
        uint64_t ntp;
    } rows[] = {
        {0, UINT64_C(2208988800) << 32},
        {WEIR_MS(500), UINT64_C(2208988800) << 32 | 0x80000000U},
        {-WEIR_MS(250), UINT64_C(2208988799) << 32 | 0xc0000000U},
        {-WEIR_SECONDS(2208988800), 0},
        {WEIR_SECONDS(816003205) + WEIR_MS(125), UINT64_C(0xb44db70520000000)}, /* 1995-11-10 */
        {WEIR_SECONDS(2085978496), 0}, /* 2036: the era ends */
        {999999999, UINT64_C(2208988800) << 32 | 4294967291U},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmphex(weir_ntp_from_unix_ns(rows[i].unix_ns), ==, rows[i].ntp);
    }
    g_assert_cmphex(weir__ntp_mid32(UINT64_C(0xb44db70520000000)), ==, 0xb7052000);
    g_assert_cmpint(weir__mid32_to_ns(0x00054000), ==, WEIR_MS(5250));
    g_assert_cmpint(weir__mid32_to_ns(UINT32_MAX), ==, INT64_C(65535999984741));
}

static void test_round_trip_time_survives_wraps_and_lies(void)
{
    static const struct {
        uint32_t now, echo, delay;
        int64_t rtt_ns;
    } rows[] = {
        {0xb7108000, 0xb7052000, 0x00054000, WEIR_MS(6125)}, /* the example of RFC 3550 */
        {0x00001000, 0xffff8000, 0x00004000, WEIR_US(312500)},
        {0xb7100000, 0xb70f0000, 0x00010800, WEIR_UNKNOWN_NS}, /* -31 ms */
        {0x80000000, 0x7fffff00, 0x00000080, 1953125},
        {0x80000000, 0, 0, WEIR_UNKNOWN_NS},                /* no echo */
        {5000, 4000, 1000, 15258},                          /* faster than the clock */
        {5000, 4001, 1000, WEIR_UNKNOWN_NS},                /* one unit negative */
        {0x003c0000 + 7, 7, 0, WEIR_SECONDS(60)},           /* the longest */
        {0x003c0001 + 7, 7, 0, WEIR_UNKNOWN_NS},            /* longer */
        {7 + 0x80000000U, 7, 0, WEIR_UNKNOWN_NS},           /* half a turn */
        {1000, 900, 0xffffffff, WEIR_UNKNOWN_NS},           /* a delay of 18 h */
        {0x00100000, 0x000f0000, 0x00010000 - 66, 1007080}, /* 1 ms */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_cmpint(weir__rtt_ns(rows[i].now, rows[i].echo, rows[i].delay), ==, rows[i].rtt_ns);
    }
}

static void test_only_echoes_of_reports_that_were_sent_give_a_round_trip_time(void)
{
    struct weir__sr_history history = {0};
    g_assert_cmpint(weir__sr_history_rtt_ns(&history, 70000, 0, 0), ==, WEIR_UNKNOWN_NS);
    for (uint32_t i = 1; i <= 40; i++) {
        weir__sr_history_on_sent(&history, i * 1000);
        for (uint32_t k = 1; k <= 41; k++) {
            int64_t rtt_ns = weir__sr_history_rtt_ns(&history, k * 1000 + 65536, k * 1000, 32768);
            bool remembered = k <= i && k + WEIR__SR_HISTORY > i;
            g_assert_cmpint(rtt_ns, ==, remembered ? WEIR_MS(500) : WEIR_UNKNOWN_NS);
        }
    }
    g_assert_cmpint(weir__sr_history_rtt_ns(&history, 50000, 39001, 0), ==, WEIR_UNKNOWN_NS);
    /* a delay longer than the age of the report */
    g_assert_cmpint(weir__sr_history_rtt_ns(&history, 40100, 40000, 101), ==, WEIR_UNKNOWN_NS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/sr_rr/known_reports_are_read_and_written",
                    test_known_reports_are_read_and_written);
    g_test_add_func("/codec/sr_rr/lying_reports_are_refused_whole",
                    test_lying_reports_are_refused_whole);
    g_test_add_func("/codec/sr_rr/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/sr_rr/profile_extension_behind_the_blocks_is_skipped",
                    test_profile_extension_behind_the_blocks_is_skipped);
    g_test_add_func("/codec/sr_rr/what_is_built_is_parsed_back", test_what_is_built_is_parsed_back);
    g_test_add_func("/codec/sr_rr/ntp_time_counts_from_1900", test_ntp_time_counts_from_1900);
    g_test_add_func("/codec/sr_rr/round_trip_time_survives_wraps_and_lies",
                    test_round_trip_time_survives_wraps_and_lies);
    g_test_add_func("/codec/sr_rr/only_echoes_of_reports_that_were_sent_give_a_round_trip_time",
                    test_only_echoes_of_reports_that_were_sent_give_a_round_trip_time);
    return g_test_run();
}
