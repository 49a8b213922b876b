/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../read_formats.h"

#include "base/unwrap.h"
#include "codec/bytes.h"
#include "codec_test.h"

enum { MAX_ENTRIES = 3000 };

/* "10@256.00 11- 12?": received with time in ms, lost, received without time. Runs of lost packets
 * are left out when only_received. */
static char *describe(const struct weir__feedback_entry *entries, size_t n, bool only_received)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        if (entries[i].has_time) {
            g_string_append_printf(text, "%u@%.2f ", entries[i].seq,
                                   (double)entries[i].arrival_ns / 1e6);
        } else if (entries[i].received || !only_received) {
            g_string_append_printf(text, "%u%s ", entries[i].seq, entries[i].received ? "?" : "-");
        }
    }
    return g_string_free(text, FALSE);
}

static void test_known_feedback_is_read(void)
{
    static const struct {
        const char *name;
        uint16_t base_seq;
        size_t n_entries;
        int32_t reference_ticks;
        uint8_t feedback_count;
        size_t n_received;
        const char *received;
    } rows[] = {
        {"twcc_small_run", 10, 3, 4, 0, 3, "10@256.00 11@257.00 12@267.00 "},
        {"twcc_one_bit_vector", 1000, 14, 100, 7, 6,
         "1000@6401.00 1001@6402.00 1003@6403.00 1004@6404.00 1005@6405.00 1013@6406.00 "},
        {"twcc_two_bit_wrap_padding", 65533, 7, 4095, 255, 5,
         "65533@262082.00 65534@262182.00 1@262132.00 2@262132.00 3@262195.75 "},
        {"twcc_runs_large_deltas", 65000, 1040, -1, 1, 4,
         "65000@-64.00 65001@-63.75 502@8128.00 503@-64.00 "},
        {"twcc_reference_7fffff", 5, 1, 0x7fffff, 2, 1, "5@536870848.75 "},
        {"twcc_reference_800000", 6, 1, -0x800000, 3, 1, "6@-536870911.25 "},
        {"twcc_wrap_from_gstreamer", 65534, 3, 15, 0, 3, "65534@1000.00 65535@1000.75 0@1005.25 "},
        {"twcc_losses_from_gstreamer", 1, 5, 16, 1, 4, "1@1033.00 3@1034.00 4@1200.00 5@1200.25 "},
        {"twcc_mixed_from_gstreamer", 6, 44, 19, 2, 3, "6@1233.00 48@1240.00 49@1241.00 "},
        {"twcc_run_past_count", 10, 3, 4, 0, 3, "10@256.25 11@256.75 12@257.50 "},
        {"twcc_zero_runs_first", 10, 2, 4, 0, 2, "10@256.25 11@256.75 "},
        {"twcc_trailing_junk", 10, 1, 4, 0, 1, "10@256.25 "},
        {"twcc_negative_time", 10, 2, 0, 0, 2, "10@-1000.00 11@-999.75 "},
        {"twcc_symbol_3_run", 10, 3, 4, 0, 3, "10? 11? 12? "},
        {"twcc_symbol_3_vector", 10, 3, 4, 0, 3, "10@256.25 11? 12@256.50 "},
        {"twcc_count_65535", 10, 65535, 4, 0, 0, ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        static struct weir__feedback_entry entries[MAX_ENTRIES];
        struct vector_packet v = open_vector(rows[i].name);
        struct twcc twcc;
        g_assert_cmpint(twcc_parse(&v.packet, &twcc, entries, MAX_ENTRIES), ==, WEIR_OK);
        g_assert_cmphex(twcc.sender_ssrc, ==, 0x11223344);
        g_assert_cmphex(twcc.media_ssrc, ==, 0xcafebabe);
        g_assert_cmpuint(twcc.base_seq, ==, rows[i].base_seq);
        g_assert_cmpuint(twcc.n_entries, ==, rows[i].n_entries);
        g_assert_cmpint(twcc.reference_ticks, ==, rows[i].reference_ticks);
        g_assert_cmpuint(twcc.feedback_count, ==, rows[i].feedback_count);
        g_assert_cmpuint(twcc.n_received, ==, rows[i].n_received);
        char *received = describe(entries, MIN(twcc.n_entries, MAX_ENTRIES), true);
        g_assert_cmpstr(received, ==, rows[i].received);
        for (size_t k = 0; k < MIN(twcc.n_entries, MAX_ENTRIES); k++) {
            g_assert_cmpuint(entries[k].seq, ==, (uint16_t)(rows[i].base_seq + k));
        }
        g_free(received);
        g_free(v.data);
    }
}

static enum weir_status parse_untouched_on_error(const struct weir__rtcp_packet *packet)
{
    struct weir__feedback_entry entries[64];
    struct weir__feedback_entry entries_before[64];
    struct twcc twcc;
    struct twcc twcc_before;
    memset(entries, 0x5a, sizeof entries);
    memset(entries_before, 0x5a, sizeof entries_before);
    memset(&twcc, 0x5a, sizeof twcc);
    memset(&twcc_before, 0x5a, sizeof twcc_before);
    enum weir_status status = twcc_parse(packet, &twcc, entries, 64);
    if (status != WEIR_OK) {
        assert_same_bytes(entries, sizeof entries, entries_before, sizeof entries);
        assert_same_bytes(&twcc, sizeof twcc, &twcc_before, sizeof twcc);
    }
    return status;
}

static void test_malformed_feedback_is_refused(void)
{
    static const struct {
        const char *name;
        enum weir_status status;
    } rows[] = {
        {"bad_feedback_without_ssrcs", WEIR_ERROR_UNSUPPORTED},
        {"bad_twcc_short", WEIR_ERROR_TRUNCATED},
        {"bad_twcc_count_0", WEIR_ERROR_MALFORMED},
        {"bad_twcc_chunks_missing", WEIR_ERROR_TRUNCATED},
        {"bad_twcc_only_zero_runs", WEIR_ERROR_TRUNCATED},
        {"bad_twcc_deltas_missing", WEIR_ERROR_TRUNCATED},
        {"bad_twcc_delta_in_padding", WEIR_ERROR_TRUNCATED},
        {"rr_one_block", WEIR_ERROR_UNSUPPORTED},
        {"ccfb_four", WEIR_ERROR_UNSUPPORTED},
        {"remb_1_mbps", WEIR_ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        g_assert_cmpint(parse_untouched_on_error(&v.packet), ==, rows[i].status);
        g_free(v.data);
    }
}

static void visit_as_twcc(const struct weir__rtcp_packet *packet)
{
    struct weir__rtcp_packet as = *packet;
    as.type = WEIR__RTCP_RTPFB;
    as.count = WEIR__RTPFB_TWCC;
    parse_untouched_on_error(&as);
}

static void test_no_truncation_reads_past_the_end(void)
{
    for_each_truncation(visit_as_twcc);
}

static void test_reading_in_pieces_is_reading_at_once(void)
{
    static const char *const names[] = {"twcc_one_bit_vector",    "twcc_two_bit_wrap_padding",
                                        "twcc_runs_large_deltas", "twcc_zero_runs_first",
                                        "twcc_symbol_3_vector",   "twcc_run_past_count"};
    static struct weir__feedback_entry all[MAX_ENTRIES];
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct vector_packet v = open_vector(names[i]);
        for (size_t piece = 1; piece <= 20; piece++) {
            struct twcc whole, twcc;
            struct weir__feedback_entry some[20];
            g_assert_cmpint(twcc_parse(&v.packet, &whole, all, MAX_ENTRIES), ==, WEIR_OK);
            g_assert_cmpint(twcc_parse(&v.packet, &twcc, NULL, 0), ==, WEIR_OK);
            size_t at = 0;
            for (size_t n; (n = twcc_read(&twcc, some, piece)) > 0; at += n) {
                for (size_t k = 0; k < n; k++) {
                    g_assert_cmpuint(some[k].seq, ==, all[at + k].seq);
                    g_assert_cmpint(some[k].arrival_ns, ==, all[at + k].arrival_ns);
                    g_assert_true(some[k].received == all[at + k].received);
                    g_assert_true(some[k].has_time == all[at + k].has_time);
                }
            }
            g_assert_cmpuint(at, ==, whole.n_entries);
        }
        g_free(v.data);
    }
}

static void test_entries_past_the_capacity_are_counted_but_not_written(void)
{
    struct vector_packet v = open_vector("twcc_one_bit_vector");
    struct twcc twcc;
    for (size_t capacity = 0; capacity <= 14; capacity++) {
        struct weir__feedback_entry all[14];
        struct weir__feedback_entry *some = calloc(capacity + 1, sizeof *some);
        struct weir__feedback_entry untouched = {.arrival_ns = 42};
        some[capacity] = untouched;
        g_assert_cmpint(twcc_parse(&v.packet, &twcc, all, 14), ==, WEIR_OK);
        g_assert_cmpint(twcc_parse(&v.packet, &twcc, some, capacity), ==, WEIR_OK);
        g_assert_cmpuint(twcc.n_entries, ==, 14);
        g_assert_cmpuint(twcc.n_received, ==, 6);
        for (size_t i = 0; i < capacity; i++) {
            g_assert_cmpint(some[i].arrival_ns, ==, all[i].arrival_ns);
            g_assert_true(some[i].received == all[i].received);
        }
        g_assert_cmpint(some[capacity].arrival_ns, ==, 42);
        free(some);
    }
    g_assert_cmpint(twcc_parse(&v.packet, &twcc, NULL, 0), ==, WEIR_OK);
    g_free(v.data);
}

/* The reference time read by two packets around its sign change, put through the unwrapper. */
static void test_reference_time_goes_on_over_its_sign_change(void)
{
    struct weir__time_unwrap clock = {0};
    int64_t times_ns[2];
    const char *names[2] = {"twcc_reference_7fffff", "twcc_reference_800000"};
    for (size_t i = 0; i < 2; i++) {
        struct vector_packet v = open_vector(names[i]);
        struct twcc twcc;
        g_assert_cmpint(twcc_parse(&v.packet, &twcc, NULL, 0), ==, WEIR_OK);
        weir__time_unwrap(&clock, &weir__clock_twcc, twcc.feedback.time, WEIR_MS(64) * (int64_t)i,
                          &times_ns[i]);
        g_assert_cmpint(twcc.feedback.time_ns, ==, twcc.reference_ticks * WEIR_MS(64));
        g_free(v.data);
    }
    g_assert_cmpint(times_ns[1] - times_ns[0], ==, WEIR_MS(64));
}

/* Builds packets of at most capacity_bytes until every entry is out, parses each one and compares.
 * Returns the number of packets; adds their bytes to *total_bytes. */
static size_t assert_round_trip(const struct weir__feedback_entry *entries, size_t n_entries,
                                size_t capacity_bytes, size_t *total_bytes)
{
    struct twcc twcc = {.sender_ssrc = 0x01020304, .media_ssrc = 0xa0b0c0d0};
    static struct weir__feedback_entry back[MAX_ENTRIES];
    size_t done = 0;
    size_t n_packets = 0;
    while (done < n_entries) {
        uint8_t *buffer = malloc(capacity_bytes);
        size_t size_bytes = 0;
        size_t n = 0;
        struct twcc read;
        g_assert_cmpint(twcc_build(&twcc, entries + done, n_entries - done, buffer, capacity_bytes,
                                   &size_bytes, &n),
                        ==, WEIR_OK);
        g_assert_cmpuint(n, >=, 1);
        g_assert_cmpuint(size_bytes, <=, capacity_bytes);
        g_assert_cmpuint(size_bytes % 4, ==, 0);
        uint8_t *exact = exact_copy(buffer, size_bytes);
        struct weir__rtcp_packet packet = only_packet(exact, size_bytes);
        g_assert_cmpint(twcc_parse(&packet, &read, back, MAX_ENTRIES), ==, WEIR_OK);
        g_assert_cmpuint(read.n_entries, ==, n);
        g_assert_cmpuint(read.base_seq, ==, entries[done].seq);
        g_assert_cmpuint(read.feedback_count, ==, twcc.feedback_count);
        g_assert_cmphex(read.sender_ssrc, ==, 0x01020304);
        g_assert_cmphex(read.media_ssrc, ==, 0xa0b0c0d0);
        for (size_t i = 0; i < n; i++) {
            const struct weir__feedback_entry *want = &entries[done + i];
            g_assert_cmpuint(back[i].seq, ==, want->seq);
            g_assert_true(back[i].received == want->received);
            g_assert_true(back[i].has_time == (want->received && want->has_time));
            if (back[i].has_time) {
                int64_t lost_ns = want->arrival_ns - back[i].arrival_ns;
                g_assert_cmpint(lost_ns, >=, 0); /* rounded down, and no more */
                g_assert_cmpint(lost_ns, <, WEIR_US(250));
            }
        }
        *total_bytes += size_bytes;
        done += n;
        n_packets++;
        twcc.feedback_count++;
        free(exact);
        free(buffer);
    }
    return n_packets;
}

/* Random patterns: long runs, alternation, bursts, big gaps, time going back. */
static size_t random_entries(GRand *rand, struct weir__feedback_entry *entries)
{
    size_t n = (size_t)g_rand_int_range(rand, 1, g_rand_int_range(rand, 2, MAX_ENTRIES));
    uint16_t seq = (uint16_t)g_rand_int(rand);
    int64_t arrival_ns = (int64_t)g_rand_int(rand) * 100000 - WEIR_SECONDS(200000);
    int loss_percent = (int[]){0, 2, 50, 98, 100}[g_rand_int_range(rand, 0, 5)];
    int big_percent = (int[]){0, 1, 50, 100}[g_rand_int_range(rand, 0, 4)];
    bool lost = false;
    for (size_t i = 0; i < n; i++) {
        if (g_rand_int_range(rand, 0, 8) == 0) {
            lost = g_rand_int_range(rand, 0, 100) < loss_percent;
        }
        entries[i] = (struct weir__feedback_entry){.seq = (uint16_t)(seq + i), .received = !lost};
        if (!lost) {
            bool big = g_rand_int_range(rand, 0, 100) < big_percent;
            arrival_ns += big ? (int64_t)g_rand_int_range(rand, -4000, 4000) * 1000000
                              : g_rand_int_range(rand, 0, 50000000);
            entries[i].arrival_ns = arrival_ns;
            entries[i].has_time = g_rand_int_range(rand, 0, 200) != 0;
        }
    }
    return n;
}

static void test_what_is_built_is_parsed_back(void)
{
    uint32_t seed = 90125;
    GRand *rand = g_rand_new_with_seed(seed);
    g_test_message("seed %u", seed);
    for (int round = 0; round < 1500; round++) {
        static struct weir__feedback_entry entries[MAX_ENTRIES];
        size_t n = random_entries(rand, entries);
        size_t capacity_bytes = (size_t)g_rand_int_range(rand, 24, 1500);
        size_t total_bytes = 0;
        assert_round_trip(entries, n, capacity_bytes, &total_bytes);
    }
    g_rand_free(rand);
}

/* Every status pattern of 16 packets: each chunk form and each place where they meet. */
static void test_every_loss_pattern_of_16_packets_survives(void)
{
    for (unsigned pattern = 0; pattern < 65536; pattern++) {
        struct weir__feedback_entry entries[16];
        size_t total_bytes = 0;
        for (size_t i = 0; i < 16; i++) {
            bool received = pattern >> i & 1;
            entries[i] = (struct weir__feedback_entry){.seq = (uint16_t)(65530 + i),
                                                       .received = received,
                                                       .has_time = received,
                                                       .arrival_ns = (int64_t)i * WEIR_MS(10)};
        }
        g_assert_cmpuint(assert_round_trip(entries, 16, 200, &total_bytes), ==, 1);
        g_assert_cmpuint(total_bytes, <=, 20 + 2 * 2 + 16);
    }
}

/* Every pattern of three symbols over 9 packets. */
static void test_every_mix_of_small_and_large_deltas_survives(void)
{
    for (unsigned pattern = 0; pattern < 19683; pattern++) {
        struct weir__feedback_entry entries[9];
        size_t total_bytes = 0;
        int64_t arrival_ns = WEIR_SECONDS(3);
        unsigned rest = pattern;
        for (size_t i = 0; i < 9; i++, rest /= 3) {
            arrival_ns += rest % 3 == 2 ? WEIR_MS(500) : WEIR_MS(1);
            entries[i] = (struct weir__feedback_entry){.seq = (uint16_t)i,
                                                       .received = rest % 3 > 0,
                                                       .has_time = rest % 3 > 0,
                                                       .arrival_ns = arrival_ns};
        }
        g_assert_cmpuint(assert_round_trip(entries, 9, 64, &total_bytes), ==, 1);
    }
}

/* What stacks in the field write for the same arrivals is not smaller. */
static void test_packets_are_as_small_as_the_known_ones(void)
{
    static const char *const names[] = {
        "twcc_small_run",           "twcc_one_bit_vector",      "twcc_two_bit_wrap_padding",
        "twcc_runs_large_deltas",   "twcc_wrap_from_gstreamer", "twcc_losses_from_gstreamer",
        "twcc_mixed_from_gstreamer"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct vector_packet v = open_vector(names[i]);
        static struct weir__feedback_entry entries[MAX_ENTRIES];
        struct twcc twcc;
        size_t total_bytes = 0;
        g_assert_cmpint(twcc_parse(&v.packet, &twcc, entries, MAX_ENTRIES), ==, WEIR_OK);
        g_assert_cmpuint(assert_round_trip(entries, twcc.n_entries, 1200, &total_bytes), ==, 1);
        g_assert_cmpuint(total_bytes, <=, v.size_bytes);
        g_free(v.data);
    }
}

static void test_known_feedback_is_written_to_the_byte(void)
{
    static const char *const names[] = {"twcc_small_run", "twcc_one_bit_vector",
                                        "twcc_wrap_from_gstreamer", "twcc_losses_from_gstreamer",
                                        "twcc_reference_7fffff"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct vector_packet v = open_vector(names[i]);
        struct weir__feedback_entry entries[64];
        struct twcc twcc;
        uint8_t buffer[64];
        size_t size_bytes = 0;
        size_t n = 0;
        g_assert_cmpint(twcc_parse(&v.packet, &twcc, entries, 64), ==, WEIR_OK);
        g_assert_cmpint(
            twcc_build(&twcc, entries, twcc.n_entries, buffer, sizeof buffer, &size_bytes, &n), ==,
            WEIR_OK);
        assert_same_bytes(buffer, size_bytes, v.data, v.size_bytes);
        g_free(v.data);
    }
}

/* 30 packets with small deltas: 20 bytes, one chunk, 30 deltas. */
static void test_thirty_packets_cost_52_bytes(void)
{
    struct weir__feedback_entry entries[30];
    size_t total_bytes = 0;
    for (size_t i = 0; i < 30; i++) {
        entries[i] = (struct weir__feedback_entry){
            .seq = (uint16_t)i, .received = true, .has_time = true, .arrival_ns = WEIR_MS(3 * i)};
    }
    g_assert_cmpuint(assert_round_trip(entries, 30, 1200, &total_bytes), ==, 1);
    g_assert_cmpuint(total_bytes, ==, 52);
    g_assert_cmpuint(assert_round_trip(entries, 30, 52, &total_bytes), ==, 1);
    g_assert_cmpuint(assert_round_trip(entries, 30, 51, &total_bytes), ==, 2);
}

/* Fewest chunks that can cover the symbols, by exhaustive search from the end. */
static size_t fewest_chunks(const unsigned *symbols, size_t n)
{
    size_t best[256];
    best[n] = 0;
    for (size_t i = n; i-- > 0;) {
        size_t run = 1;
        size_t ones = 0;
        while (i + run < n && symbols[i + run] == symbols[i]) {
            run++;
        }
        while (i + ones < n && ones < 14 && symbols[i + ones] <= 1) {
            ones++;
        }
        best[i] = best[i + run];
        for (size_t k = 1; k < run; k++) {
            best[i] = MIN(best[i], best[i + k]);
        }
        best[i] = MIN(best[i], best[MIN(i + 7, n)]);
        if (ones == 14 || i + ones == n) {
            best[i] = MIN(best[i], best[i + ones]);
        }
        best[i]++;
    }
    return best[0];
}

/* Choosing greedily costs at most one chunk in four more than the best choice there is. */
static void test_choice_of_chunks_is_near_the_optimum(void)
{
    uint32_t seed = 31337;
    GRand *rand = g_rand_new_with_seed(seed);
    size_t chosen_total = 0;
    size_t best_total = 0;
    g_test_message("seed %u", seed);
    for (int round = 0; round < 5000; round++) {
        struct weir__feedback_entry entries[200];
        unsigned symbols[200];
        size_t n = (size_t)g_rand_int_range(rand, 1, 200);
        size_t deltas_bytes = 0;
        size_t size_bytes = 0;
        size_t written = 0;
        uint8_t buffer[1200];
        struct twcc twcc = {0};
        int64_t arrival_ns = 0;
        int stickiness = g_rand_int_range(rand, 1, 20);
        unsigned symbol = 1;
        for (size_t i = 0; i < n; i++) {
            if (g_rand_int_range(rand, 0, stickiness) == 0) {
                symbol = (unsigned)g_rand_int_range(rand, 0, 3);
            }
            symbols[i] = symbol == 2 && arrival_ns == 0 ? 1 : symbol;
            arrival_ns += symbols[i] == 2 ? WEIR_MS(100) : symbols[i] == 1 ? WEIR_MS(1) : 0;
            entries[i] = (struct weir__feedback_entry){.seq = (uint16_t)i,
                                                       .received = symbols[i] > 0,
                                                       .has_time = symbols[i] > 0,
                                                       .arrival_ns = arrival_ns};
            deltas_bytes += symbols[i];
        }
        g_assert_cmpint(twcc_build(&twcc, entries, n, buffer, sizeof buffer, &size_bytes, &written),
                        ==, WEIR_OK);
        g_assert_cmpuint(written, ==, n);
        size_t chosen = (size_bytes - 20 - deltas_bytes) / 2; /* padding rounds one up at most */
        size_t best = fewest_chunks(symbols, n);
        g_assert_cmpuint(chosen, <=, best + 1 + best / 4 + 1);
        chosen_total += chosen;
        best_total += best;
    }
    g_assert_cmpfloat((double)chosen_total, <, 1.1 * (double)best_total + 5000);
    g_rand_free(rand);
}

static void test_deltas_beyond_16_bits_start_another_packet(void)
{
    static const struct {
        int64_t gap_ns;
        size_t n_packets;
    } rows[] = {
        {WEIR_US(8191750), 1},  {WEIR_US(8192000), 2},   {-WEIR_US(8192000), 1},
        {-WEIR_US(8192250), 2}, {WEIR_SECONDS(3600), 2}, {INT64_MAX / 2, 2},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct weir__feedback_entry entries[] = {
            {.seq = 65535, .received = true, .has_time = true, .arrival_ns = 0},
            {.seq = 0, .received = true, .has_time = true, .arrival_ns = rows[i].gap_ns},
        };
        struct twcc twcc = {0};
        uint8_t buffer[64];
        size_t size_bytes;
        size_t n = 0;
        g_assert_cmpint(twcc_build(&twcc, entries, 2, buffer, sizeof buffer, &size_bytes, &n), ==,
                        WEIR_OK);
        g_assert_cmpuint(n, ==, rows[i].n_packets == 1 ? 2 : 1);
    }
}

static void test_a_gap_in_seq_ends_the_packet(void)
{
    const struct weir__feedback_entry entries[] = {{.seq = 5}, {.seq = 6}, {.seq = 8}, {.seq = 9}};
    struct twcc twcc = {0};
    struct twcc read;
    uint8_t buffer[64];
    size_t size_bytes = 0;
    size_t n = 0;
    g_assert_cmpint(twcc_build(&twcc, entries, 4, buffer, sizeof buffer, &size_bytes, &n), ==,
                    WEIR_OK);
    g_assert_cmpuint(n, ==, 2);
    struct weir__rtcp_packet packet = only_packet(buffer, size_bytes);
    g_assert_cmpint(twcc_parse(&packet, &read, NULL, 0), ==, WEIR_OK);
    g_assert_cmpuint(read.n_received, ==, 0);
}

static void test_more_than_65535_lost_packets_need_two_packets(void)
{
    size_t n_entries = 70000;
    struct weir__feedback_entry *entries = calloc(n_entries, sizeof *entries);
    struct twcc twcc = {0};
    uint8_t buffer[64];
    size_t size_bytes = 0;
    size_t n = 0;
    for (size_t i = 0; i < n_entries; i++) {
        entries[i].seq = (uint16_t)i;
    }
    g_assert_cmpint(twcc_build(&twcc, entries, n_entries, buffer, sizeof buffer, &size_bytes, &n),
                    ==, WEIR_OK);
    g_assert_cmpuint(n, ==, 65535);
    g_assert_cmpuint(size_bytes, ==, 40); /* nine runs */
    free(entries);
}

static void test_too_little_room_or_nothing_to_say_is_refused(void)
{
    const struct weir__feedback_entry entry = {.seq = 1, .received = true, .has_time = true};
    struct twcc twcc = {0};
    uint8_t buffer[24] = {0};
    size_t size_bytes = 77;
    size_t n = 77;
    g_assert_cmpint(twcc_build(&twcc, &entry, 1, buffer, 23, &size_bytes, &n), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(twcc_build(&twcc, &entry, 0, buffer, 24, &size_bytes, &n), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpuint(size_bytes, ==, 77);
    g_assert_cmpuint(n, ==, 77);
    g_assert_cmpint(twcc_build(&twcc, &entry, 1, buffer, 24, &size_bytes, &n), ==, WEIR_OK);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/twcc/known_feedback_is_read", test_known_feedback_is_read);
    g_test_add_func("/codec/twcc/malformed_feedback_is_refused",
                    test_malformed_feedback_is_refused);
    g_test_add_func("/codec/twcc/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/twcc/reading_in_pieces_is_reading_at_once",
                    test_reading_in_pieces_is_reading_at_once);
    g_test_add_func("/codec/twcc/entries_past_the_capacity_are_counted_but_not_written",
                    test_entries_past_the_capacity_are_counted_but_not_written);
    g_test_add_func("/codec/twcc/reference_time_goes_on_over_its_sign_change",
                    test_reference_time_goes_on_over_its_sign_change);
    g_test_add_func("/codec/twcc/what_is_built_is_parsed_back", test_what_is_built_is_parsed_back);
    g_test_add_func("/codec/twcc/every_loss_pattern_of_16_packets_survives",
                    test_every_loss_pattern_of_16_packets_survives);
    g_test_add_func("/codec/twcc/every_mix_of_small_and_large_deltas_survives",
                    test_every_mix_of_small_and_large_deltas_survives);
    g_test_add_func("/codec/twcc/packets_are_as_small_as_the_known_ones",
                    test_packets_are_as_small_as_the_known_ones);
    g_test_add_func("/codec/twcc/known_feedback_is_written_to_the_byte",
                    test_known_feedback_is_written_to_the_byte);
    g_test_add_func("/codec/twcc/thirty_packets_cost_52_bytes", test_thirty_packets_cost_52_bytes);
    g_test_add_func("/codec/twcc/choice_of_chunks_is_near_the_optimum",
                    test_choice_of_chunks_is_near_the_optimum);
    g_test_add_func("/codec/twcc/deltas_beyond_16_bits_start_another_packet",
                    test_deltas_beyond_16_bits_start_another_packet);
    g_test_add_func("/codec/twcc/a_gap_in_seq_ends_the_packet", test_a_gap_in_seq_ends_the_packet);
    g_test_add_func("/codec/twcc/more_than_65535_lost_packets_need_two_packets",
                    test_more_than_65535_lost_packets_need_two_packets);
    g_test_add_func("/codec/twcc/too_little_room_or_nothing_to_say_is_refused",
                    test_too_little_room_or_nothing_to_say_is_refused);
    return g_test_run();
}
