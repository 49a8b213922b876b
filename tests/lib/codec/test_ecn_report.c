/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/ecn_report.h"

#include "codec_test.h"

static void assert_counts(const struct weir__ecn_counts *counts)
{
    g_assert_cmpuint(counts->ect0_packets, ==, 100);
    g_assert_cmpuint(counts->ect1_packets, ==, 100000);
    g_assert_cmpuint(counts->ce_packets, ==, 7);
    g_assert_cmpuint(counts->not_ect_packets, ==, 65534);
    g_assert_cmpuint(counts->lost_packets, ==, 3);
    g_assert_cmpuint(counts->duplicate_packets, ==, 1);
}

/* The places of the fields by the figure of RFC 6679 5.1. */
static void test_ecn_feedback_is_read_and_written(void)
{
    struct vector_packet v = open_vector("ecn_feedback");
    struct weir__ecn_feedback feedback;
    uint8_t buffer[32];
    size_t size_bytes = 42;
    g_assert_cmpint(weir__ecn_feedback_parse(&v.packet, &feedback), ==, WEIR_OK);
    g_assert_cmphex(feedback.sender_ssrc, ==, 0x11223344);
    g_assert_cmphex(feedback.media_ssrc, ==, 0xcafebabe);
    g_assert_cmphex(feedback.highest_seq, ==, 0x1fff0);
    assert_counts(&feedback.counts);
    g_assert_cmpint(weir__ecn_feedback_build(&feedback, buffer, 31, &size_bytes), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpuint(size_bytes, ==, 42);
    g_assert_cmpint(weir__ecn_feedback_build(&feedback, buffer, 32, &size_bytes), ==, WEIR_OK);
    assert_same_bytes(buffer, size_bytes, v.data, 32);
    g_free(v.data);
}

/* RFC 6679 5.2. */
static void test_ecn_summary_is_read_and_written(void)
{
    struct vector_packet v = open_vector("xr_ecn_summary");
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    struct weir__ecn_summary summary;
    uint8_t buffer[32];
    size_t size_bytes = 42;
    g_assert_cmpint(weir__xr_walk_init(&walk, &v.packet), ==, WEIR_OK);
    g_assert_true(weir__xr_walk_next(&walk, &block));
    g_assert_cmpint(weir__ecn_summary_parse(&block, &summary), ==, WEIR_OK);
    g_assert_cmphex(summary.media_ssrc, ==, 0xcafebabe);
    assert_counts(&summary.counts);
    g_assert_cmpint(weir__ecn_summary_build(walk.ssrc, &summary, buffer, 31, &size_bytes), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpuint(size_bytes, ==, 42);
    g_assert_cmpint(weir__ecn_summary_build(walk.ssrc, &summary, buffer, 32, &size_bytes), ==,
                    WEIR_OK);
    assert_same_bytes(buffer, size_bytes, v.data, 32);
    g_free(v.data);
}

static void test_other_lengths_and_formats_are_refused(void)
{
    static const struct {
        const char *name;
        enum weir_status status;
    } rows[] = {{"bad_ecn_feedback_short", WEIR_ERROR_TRUNCATED},
                {"bad_ecn_feedback_long", WEIR_ERROR_MALFORMED},
                {"ccfb_four", WEIR_ERROR_UNSUPPORTED}};
    struct weir__ecn_feedback feedback = {.media_ssrc = 42};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        g_assert_cmpint(weir__ecn_feedback_parse(&v.packet, &feedback), ==, rows[i].status);
        g_free(v.data);
    }
    g_assert_cmpuint(feedback.media_ssrc, ==, 42);
    struct vector_packet v = open_vector("bad_xr_ecn_summary_length");
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    struct weir__ecn_summary summary = {.media_ssrc = 42};
    g_assert_cmpint(weir__xr_walk_init(&walk, &v.packet), ==, WEIR_OK);
    g_assert_true(weir__xr_walk_next(&walk, &block));
    g_assert_cmpint(weir__ecn_summary_parse(&block, &summary), ==, WEIR_ERROR_MALFORMED);
    g_assert_cmpuint(summary.media_ssrc, ==, 42);
    g_free(v.data);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/ecn_report/ecn_feedback_is_read_and_written",
                    test_ecn_feedback_is_read_and_written);
    g_test_add_func("/codec/ecn_report/ecn_summary_is_read_and_written",
                    test_ecn_summary_is_read_and_written);
    g_test_add_func("/codec/ecn_report/other_lengths_and_formats_are_refused",
                    test_other_lengths_and_formats_are_refused);
    return g_test_run();
}
