/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/rr_source.h"

#include <math.h>

#include "codec_test.h"
#include "weir/units.h"

enum { CLOCK_HZ = 90000 };

/* Gives n packets in order starting with seq. Returns how many were accepted. */
static size_t feed(struct weir__rr_source *source, uint32_t seq, uint32_t n)
{
    size_t accepted = 0;
    for (uint32_t i = 0; i < n; i++) {
        accepted += weir__rr_source_on_packet(source, (uint16_t)(seq + i), 0, 0);
    }
    return accepted;
}

/* A source that has just become valid, its base at `base`. */
static struct weir__rr_source valid_source(uint16_t base)
{
    struct weir__rr_source source;
    weir__rr_source_init(&source, 0xcafebabe, CLOCK_HZ, (uint16_t)(base - 1));
    g_assert_cmpuint(feed(&source, (uint32_t)base + 65535, 2), ==, 1);
    g_assert_true(weir__rr_source_valid(&source));
    return source;
}

static struct weir__report_block take(struct weir__rr_source *source)
{
    struct weir__report_block block;
    weir__rr_source_take_block(source, 0, &block);
    return block;
}

static void test_source_is_believed_after_two_packets_in_order(void)
{
    static const struct {
        uint16_t seqs[6];
        size_t n;
        bool valid;
        uint64_t received;
    } rows[] = {
        {{10}, 1, false, 0},         {{10, 11}, 2, true, 1},       {{10, 12}, 2, false, 0},
        {{10, 12, 13}, 3, true, 1},  {{10, 9, 8, 7}, 4, false, 0}, {{65535, 0, 1}, 3, true, 2},
        {{10, 10, 10}, 3, false, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__rr_source source;
        weir__rr_source_init(&source, 1, CLOCK_HZ, rows[i].seqs[0]);
        for (size_t k = 0; k < rows[i].n; k++) {
            weir__rr_source_on_packet(&source, rows[i].seqs[k], 0, 0);
        }
        g_assert_true(weir__rr_source_valid(&source) == rows[i].valid);
        g_assert_cmpuint(source.received_packets, ==, rows[i].received);
        if (!rows[i].valid) {
            g_assert_cmpint(weir__rr_source_lost_packets(&source), ==, 0);
        }
    }
}

static void test_losses_are_expected_minus_received(void)
{
    static const struct {
        const char *what;
        uint32_t first, n;   /* packets in order */
        uint32_t first2, n2; /* and then these */
        int64_t lost;
        uint8_t fraction;
        uint32_t highest_seq;
    } rows[] = {
        {"none", 101, 99, 200, 0, 0, 0, 199},
        {"a quarter", 101, 74, 200, 0, 0, 0, 174},
        {"25 of 100", 101, 49, 175, 25, 25, 64, 199},
        {"one duplicate of 100", 101, 99, 199, 1, -1, 0, 199},
        {"all but the ends of 200", 101, 0, 299, 1, 198, 253, 299},
        {"reordered by one", 102, 1, 101, 1, 0, 0, 102},
        {"over the wrap", 101, 65500, 65601 + 50, 50, 50, 0, 65700},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__rr_source source = valid_source(100);
        g_test_message("%s", rows[i].what);
        g_assert_cmpuint(feed(&source, rows[i].first, rows[i].n), ==, rows[i].n);
        g_assert_cmpuint(feed(&source, rows[i].first2, rows[i].n2), ==, rows[i].n2);
        g_assert_cmpint(weir__rr_source_lost_packets(&source), ==, rows[i].lost);
        struct weir__report_block block = take(&source);
        g_assert_cmphex(block.ssrc, ==, 0xcafebabe);
        g_assert_cmpint(block.cumulative_lost, ==, rows[i].lost);
        g_assert_cmpuint(block.fraction_lost, ==, rows[i].fraction);
        g_assert_cmpuint(block.highest_seq, ==, rows[i].highest_seq);
        block = take(&source); /* an interval without packets */
        g_assert_cmpuint(block.fraction_lost, ==, 0);
    }
}

static void test_fraction_is_of_the_interval_only(void)
{
    struct weir__rr_source source = valid_source(0);
    feed(&source, 51, 49); /* 50 of 100 lost */
    g_assert_cmpuint(take(&source).fraction_lost, ==, 128);
    feed(&source, 100, 100);
    g_assert_cmpuint(take(&source).fraction_lost, ==, 0);
    feed(&source, 210, 90); /* 10 of 100 */
    g_assert_cmpuint(take(&source).fraction_lost, ==, 25);
    g_assert_cmpint(take(&source).cumulative_lost, ==, 60);
}

static void test_big_jump_is_believed_when_the_next_packet_confirms_it(void)
{
    static const struct {
        uint32_t step;
        bool accepted;
    } rows[] = {{2999, true},         {3000, false},      {40000, false},
                {65536 - 101, false}, {65536 - 99, true}, {65535, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__rr_source source = valid_source(1000);
        uint16_t seq = (uint16_t)(1000 + rows[i].step);
        g_assert_true(weir__rr_source_on_packet(&source, seq, 0, 0) == rows[i].accepted);
        if (rows[i].accepted) {
            continue;
        }
        g_assert_cmpuint(weir__rr_source_extended_seq(&source), ==, 1000);
        g_assert_true(weir__rr_source_on_packet(&source, (uint16_t)(seq + 1), 0, 0));
        g_assert_cmpuint(weir__rr_source_extended_seq(&source), ==, (uint16_t)(seq + 1));
        g_assert_cmpint(weir__rr_source_lost_packets(&source), ==, 0);
    }
}

static void test_single_stray_packet_changes_nothing(void)
{
    struct weir__rr_source source = valid_source(1000);
    g_assert_cmpuint(feed(&source, 1001, 10), ==, 10);
    g_assert_cmpuint(feed(&source, 30000, 1), ==, 0);
    g_assert_cmpuint(feed(&source, 1011, 10), ==, 10);
    g_assert_cmpuint(feed(&source, 40000, 1), ==, 0);
    g_assert_cmpint(weir__rr_source_lost_packets(&source), ==, 0);
    g_assert_cmpuint(weir__rr_source_extended_seq(&source), ==, 1020);
}

static void test_counts_are_exact_over_a_thousand_wraps(void)
{
    struct weir__rr_source source = valid_source(7);
    uint64_t sent = 1;
    uint64_t lost = 0;
    for (uint32_t seq = 8; sent < 65536 * UINT64_C(1000); seq++, sent++) {
        if (seq % 1000 == 13) {
            lost++;
        } else {
            weir__rr_source_on_packet(&source, (uint16_t)seq, 0, 0);
        }
    }
    g_assert_cmpint(weir__rr_source_lost_packets(&source), ==, (int64_t)lost);
    g_assert_cmpuint(weir__rr_source_extended_seq(&source), ==, 7 + sent - 1);
}

/* Past 2^32 packets the reported number wraps, the loss does not. */
static void test_loss_is_right_after_the_extended_number_has_wrapped(void)
{
    struct weir__rr_source source = valid_source(0);
    source.cycles = UINT64_C(0xffff0000);
    source.received_packets += UINT64_C(0xffff0000);
    feed(&source, 1, 65535);
    feed(&source, 65536, 5);
    struct weir__report_block block = take(&source);
    g_assert_cmpuint(block.highest_seq, ==, 4);
    g_assert_cmpint(block.cumulative_lost, ==, 0);
}

static void test_cumulative_loss_stops_at_24_bits(void)
{
    struct weir__rr_source source = valid_source(0);
    source.received_packets = 20000000; /* duplicates */
    g_assert_cmpint(take(&source).cumulative_lost, ==, -0x800000);
    source.cycles = 40000000 / 65536 * 65536;
    g_assert_cmpint(take(&source).cumulative_lost, ==, 0x7fffff);
}

/* The recursion of RFC 3550 6.4.1 in floating point. */
static void test_jitter_follows_the_formula(void)
{
    uint32_t seed = 88;
    GRand *rand = g_rand_new_with_seed(seed);
    static const uint32_t clocks_hz[] = {8000, 48000, 90000};
    g_test_message("seed %u", seed);
    for (size_t c = 0; c < G_N_ELEMENTS(clocks_hz); c++) {
        struct weir__rr_source source;
        double jitter = 0;
        double transit_before = NAN;
        double worst = 0;
        uint32_t timestamp = 0xffffff00; /* wraps on the way */
        uint32_t step = clocks_hz[c] / 50;
        weir__rr_source_init(&source, 1, clocks_hz[c], 0);
        for (uint16_t i = 0; i < 5000; i++) {
            int64_t delay_ns = (int64_t)g_rand_int_range(rand, 0, 30000000);
            int64_t arrival_ns = WEIR_MS(20) * i + delay_ns + WEIR_SECONDS(1700000000);
            bool valid = weir__rr_source_on_packet(&source, i, timestamp + i * step, arrival_ns);
            double transit = (double)delay_ns * 1e-9 * clocks_hz[c];
            if (valid) {
                jitter +=
                    isnan(transit_before) ? 0 : (fabs(transit - transit_before) - jitter) / 16;
                transit_before = transit;
                worst = fmax(worst, fabs((double)source.jitter_x16 / 16 - jitter));
            }
        }
        g_assert_cmpfloat(jitter, >, clocks_hz[c] * 0.005);
        g_assert_cmpfloat(worst, <, 2.0);
        assert_near(take(&source).jitter, jitter, 2.5);
    }
    g_rand_free(rand);
}

static void test_jitter_is_zero_for_an_even_stream_and_without_a_clock_rate(void)
{
    struct weir__rr_source even;
    struct weir__rr_source no_clock;
    weir__rr_source_init(&even, 1, 8000, 0);
    weir__rr_source_init(&no_clock, 1, 0, 0);
    for (uint16_t i = 0; i < 1000; i++) {
        weir__rr_source_on_packet(&even, i, 160U * i, WEIR_MS(20) * i);
        weir__rr_source_on_packet(&no_clock, i, i * 77777U, WEIR_MS(i % 7));
    }
    g_assert_cmpuint(take(&even).jitter, ==, 0);
    g_assert_cmpuint(take(&no_clock).jitter, ==, 0);
}

static void test_hostile_timestamps_leave_jitter_in_its_field(void)
{
    struct weir__rr_source source;
    weir__rr_source_init(&source, 1, UINT32_MAX, 0);
    for (uint16_t i = 0; i < 2000; i++) {
        int64_t arrival_ns = i % 2 ? INT64_MAX : INT64_MIN;
        weir__rr_source_on_packet(&source, i, i % 2 ? 0x80000000 : 0, arrival_ns);
    }
    g_assert_cmpuint(take(&source).jitter, <=, UINT32_C(0x80000000));
}

static void test_sender_report_is_echoed_with_its_age(void)
{
    static const struct {
        int64_t age_ns;
        uint32_t dlsr_mid32;
    } rows[] = {
        {0, 0},     {WEIR_MS(5250), 0x00054000},       {15258, 0},
        {15259, 1}, {WEIR_SECONDS(65536), UINT32_MAX}, {WEIR_SECONDS(100000000), UINT32_MAX},
        {-1, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__rr_source source = valid_source(5);
        struct weir__report_block block;
        weir__rr_source_take_block(&source, WEIR_SECONDS(9), &block);
        g_assert_cmphex(block.lsr_mid32, ==, 0);
        g_assert_cmphex(block.dlsr_mid32, ==, 0);
        weir__rr_source_on_sr(&source, UINT64_C(0xb44db70520000000), WEIR_SECONDS(9));
        weir__rr_source_take_block(&source, WEIR_SECONDS(9) + rows[i].age_ns, &block);
        g_assert_cmphex(block.lsr_mid32, ==, 0xb7052000);
        g_assert_cmphex(block.dlsr_mid32, ==, rows[i].dlsr_mid32);
    }
}

/* What one end counts, the other end computes from two blocks. */
static void test_sender_reads_the_loss_the_receiver_saw(void)
{
    struct weir__rr_source source = valid_source(65000);
    struct weir__report_block first = take(&source);
    feed(&source, 65001, 500);
    feed(&source, 65601, 399);
    struct weir__report_block second = take(&source);
    g_assert_cmpuint(second.highest_seq - first.highest_seq, ==, 999);
    g_assert_cmpint(second.cumulative_lost - first.cumulative_lost, ==, 100);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/rr_source/source_is_believed_after_two_packets_in_order",
                    test_source_is_believed_after_two_packets_in_order);
    g_test_add_func("/codec/rr_source/losses_are_expected_minus_received",
                    test_losses_are_expected_minus_received);
    g_test_add_func("/codec/rr_source/fraction_is_of_the_interval_only",
                    test_fraction_is_of_the_interval_only);
    g_test_add_func("/codec/rr_source/big_jump_is_believed_when_the_next_packet_confirms_it",
                    test_big_jump_is_believed_when_the_next_packet_confirms_it);
    g_test_add_func("/codec/rr_source/single_stray_packet_changes_nothing",
                    test_single_stray_packet_changes_nothing);
    g_test_add_func("/codec/rr_source/counts_are_exact_over_a_thousand_wraps",
                    test_counts_are_exact_over_a_thousand_wraps);
    g_test_add_func("/codec/rr_source/loss_is_right_after_the_extended_number_has_wrapped",
                    test_loss_is_right_after_the_extended_number_has_wrapped);
    g_test_add_func("/codec/rr_source/cumulative_loss_stops_at_24_bits",
                    test_cumulative_loss_stops_at_24_bits);
    g_test_add_func("/codec/rr_source/jitter_follows_the_formula", test_jitter_follows_the_formula);
    g_test_add_func("/codec/rr_source/jitter_is_zero_for_an_even_stream_and_without_a_clock_rate",
                    test_jitter_is_zero_for_an_even_stream_and_without_a_clock_rate);
    g_test_add_func("/codec/rr_source/hostile_timestamps_leave_jitter_in_its_field",
                    test_hostile_timestamps_leave_jitter_in_its_field);
    g_test_add_func("/codec/rr_source/sender_report_is_echoed_with_its_age",
                    test_sender_report_is_echoed_with_its_age);
    g_test_add_func("/codec/rr_source/sender_reads_the_loss_the_receiver_saw",
                    test_sender_reads_the_loss_the_receiver_saw);
    return g_test_run();
}
