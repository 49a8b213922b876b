/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../read_formats.h"

#include "base/unwrap.h"
#include "codec/bytes.h"
#include "codec_test.h"
#include "weir/receiver.h"
#include "weir/units.h"

enum { MAX_ENTRIES = 40000 };

/* Age in units of 1/1024 s. */
static int64_t age_units(const struct weir__feedback_entry *entry)
{
    return (-entry->arrival_ns * 2 + 1953125 / 2) / 1953125;
}

/* "cafebabe:100=1/10 ...": sequence number, ECN and age in 1/1024 s; "-" lost, "?" no time. */
static char *describe(const struct weir__feedback_entry *entries, size_t n)
{
    GString *text = g_string_new(NULL);
    uint32_t ssrc = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || entries[i].ssrc != ssrc) {
            ssrc = entries[i].ssrc;
            g_string_append_printf(text, "%x: ", ssrc);
        }
        if (!entries[i].received) {
            g_string_append_printf(text, "%u- ", entries[i].seq);
        } else if (!entries[i].has_time) {
            g_string_append_printf(text, "%u=%u/? ", entries[i].seq, entries[i].ecn);
        } else {
            g_string_append_printf(text, "%u=%u/%d ", entries[i].seq, entries[i].ecn,
                                   (int)age_units(&entries[i]));
        }
    }
    return g_string_free(text, FALSE);
}

static void test_known_feedback_is_read(void)
{
    static const struct {
        const char *name;
        uint32_t sender_ssrc;
        uint32_t report_mid32;
        uint32_t counting; /* learnt from this packet alone */
        const char *entries;
    } rows[] = {
        {"ccfb_four", 0x11223344, 0xb7108000, CCFB_COUNT_WORDS,
         "cafebabe: 100=1/10 101=1/7 102- 103=3/2 "},
        {"ccfb_wrap_odd", 0x11223344, 0x00008000, CCFB_COUNT_UNKNOWN,
         "cafebabe: 65535=1/1024 0- 1=3/0 "},
        {"ccfb_two_blocks", 0x11223344, 0x00010000, CCFB_COUNT_WORDS, "cafebabe: 1=0/? 2=0/? "},
        {"ccfb_from_scream", 0x11223344, 0x000a0ccc, CCFB_COUNT_MINUS_ONE,
         "cafebabe: 65531- 65532- 65533=1/51 65534=1/40 65535=1/30 0- 1=3/21 2=1/19 "},
        {"ccfb_minus_one", 0x11223344, 0x00008000, CCFB_COUNT_MINUS_ONE,
         "cafebabe: 65535=1/1024 0- 1=3/0 "},
        {"ccfb_only_timestamp", 1, 2, CCFB_COUNT_UNKNOWN, ""},
        {"ccfb_overlap", 1, 7, CCFB_COUNT_WORDS, "2: 10=0/1 11=0/1 11- 12=0/1 "},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        struct weir__feedback_entry entries[32];
        struct ccfb_peer peer = {0};
        struct ccfb ccfb;
        g_assert_cmpint(ccfb_parse(&v.packet, &peer, &ccfb, entries, 32), ==, WEIR_OK);
        g_assert_cmphex(ccfb.sender_ssrc, ==, rows[i].sender_ssrc);
        g_assert_cmphex(ccfb.report_mid32, ==, rows[i].report_mid32);
        g_assert_cmpint(peer.counting, ==, rows[i].counting);
        char *text = describe(entries, ccfb.n_entries);
        g_assert_cmpstr(text, ==, rows[i].entries);
        g_free(text);
        g_free(v.data);
    }
}

/* Arrival on the wire clock: 1 s before a report made 0.5 s after the clock wrapped. */
static void test_arrival_before_a_wrap_of_the_clock_is_found(void)
{
    struct vector_packet v = open_vector("ccfb_wrap_odd");
    struct weir__feedback_entry entries[3];
    struct ccfb_peer peer = {0};
    struct ccfb ccfb;
    struct weir__time_unwrap clock = {0};
    int64_t before_ns, report_ns;
    g_assert_cmpint(ccfb_parse(&v.packet, &peer, &ccfb, entries, 3), ==, WEIR_OK);
    weir__time_unwrap(&clock, &weir__clock_mid32, 0xffff8000, 0, &before_ns);
    weir__time_unwrap(&clock, &weir__clock_mid32, ccfb.report_mid32, WEIR_SECONDS(1), &report_ns);
    g_assert_cmpint(report_ns + entries[0].arrival_ns, ==, before_ns);
    g_assert_cmpint(report_ns + entries[2].arrival_ns, ==, report_ns);
    g_free(v.data);
}

static enum weir_status parse_untouched_on_error(const struct weir__rtcp_packet *packet)
{
    struct weir__feedback_entry entries[16];
    struct weir__feedback_entry entries_before[16];
    struct ccfb ccfb;
    struct ccfb ccfb_before;
    struct ccfb_peer peer = {.counting = CCFB_COUNT_UNKNOWN};
    memset(entries, 0x5a, sizeof entries);
    memset(entries_before, 0x5a, sizeof entries);
    memset(&ccfb, 0x5a, sizeof ccfb);
    memset(&ccfb_before, 0x5a, sizeof ccfb);
    enum weir_status status = ccfb_parse(packet, &peer, &ccfb, entries, 16);
    if (status != WEIR_OK) {
        assert_same_bytes(entries, sizeof entries, entries_before, sizeof entries);
        assert_same_bytes(&ccfb, sizeof ccfb, &ccfb_before, sizeof ccfb);
        g_assert_cmpint(peer.counting, ==, CCFB_COUNT_UNKNOWN);
    }
    return status;
}

static void test_malformed_feedback_is_refused(void)
{
    static const struct {
        const char *name;
        enum weir_status status;
    } rows[] = {
        {"bad_ccfb_short", WEIR_ERROR_TRUNCATED},
        {"bad_ccfb_count_1000", WEIR_ERROR_MALFORMED},
        {"bad_ccfb_count_65535", WEIR_ERROR_MALFORMED},
        {"bad_ccfb_half_block", WEIR_ERROR_MALFORMED},
        {"twcc_small_run", WEIR_ERROR_UNSUPPORTED},
        {"pli", WEIR_ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct vector_packet v = open_vector(rows[i].name);
        g_assert_cmpint(parse_untouched_on_error(&v.packet), ==, rows[i].status);
        g_free(v.data);
    }
}

static void visit_as_ccfb(const struct weir__rtcp_packet *packet)
{
    struct weir__rtcp_packet as = *packet;
    as.type = WEIR__RTCP_RTPFB;
    as.count = WEIR__RTPFB_CCFB;
    parse_untouched_on_error(&as);
}

static void test_no_truncation_reads_past_the_end(void)
{
    for_each_truncation(visit_as_ccfb);
}

static void test_blocks_of_more_than_16384_words_are_refused(void)
{
    static const struct {
        size_t n_words;
        enum weir_status status;
    } rows[] = {{16384, WEIR_OK}, {16386, WEIR_ERROR_MALFORMED}, {65534, WEIR_ERROR_MALFORMED}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        size_t body_bytes = 4 + 8 + rows[i].n_words * 2 + 4;
        uint8_t *body = calloc(1, body_bytes);
        struct weir__rtcp_packet packet = {.body = body,
                                           .body_bytes = body_bytes,
                                           .type = WEIR__RTCP_RTPFB,
                                           .count = WEIR__RTPFB_CCFB};
        weir__put_u16(body + 10, (uint32_t)rows[i].n_words);
        g_assert_cmpint(parse_untouched_on_error(&packet), ==, rows[i].status);
        free(body);
    }
}

static void test_reading_in_pieces_is_reading_at_once(void)
{
    static const char *const names[] = {"ccfb_four",        "ccfb_wrap_odd", "ccfb_two_blocks",
                                        "ccfb_from_scream", "ccfb_overlap",  "ccfb_minus_one"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct vector_packet v = open_vector(names[i]);
        for (size_t piece = 1; piece <= 10; piece++) {
            struct ccfb_peer peer = {0};
            struct ccfb whole, ccfb;
            struct weir__feedback_entry all[32], some[10];
            g_assert_cmpint(ccfb_parse(&v.packet, &peer, &whole, all, 32), ==, WEIR_OK);
            g_assert_cmpint(ccfb_parse(&v.packet, &peer, &ccfb, NULL, 0), ==, WEIR_OK);
            size_t at = 0;
            for (size_t n; (n = ccfb_read(&ccfb, some, piece)) > 0; at += n) {
                for (size_t k = 0; k < n; k++) {
                    g_assert_cmpuint(some[k].ssrc, ==, all[at + k].ssrc);
                    g_assert_cmpuint(some[k].seq, ==, all[at + k].seq);
                    g_assert_cmpint(some[k].arrival_ns, ==, all[at + k].arrival_ns);
                    g_assert_true(some[k].received == all[at + k].received);
                }
            }
            g_assert_cmpuint(at, ==, whole.n_entries);
        }
        g_free(v.data);
    }
}

static void test_entries_past_the_capacity_are_counted_but_not_written(void)
{
    struct vector_packet v = open_vector("ccfb_from_scream");
    for (size_t capacity = 0; capacity <= 8; capacity++) {
        struct weir__feedback_entry *some = calloc(capacity + 1, sizeof *some);
        struct ccfb_peer peer = {0};
        struct ccfb ccfb;
        some[capacity].seq = 4242;
        g_assert_cmpint(ccfb_parse(&v.packet, &peer, &ccfb, some, capacity), ==, WEIR_OK);
        g_assert_cmpuint(ccfb.n_entries, ==, 8);
        g_assert_cmpuint(some[capacity].seq, ==, 4242);
        free(some);
    }
    g_free(v.data);
}

/* What the peer was seen to do decides packets that can be read both ways. */
static void test_counting_is_learnt_from_evidence_only(void)
{
    static const struct {
        const char *first; /* the packet that teaches */
        uint32_t learnt;
        size_t n_scream;   /* entries then read from ccfb_from_scream (both ways, last word set) */
        size_t n_wrap_odd; /* entries then read from ccfb_wrap_odd (both ways, last word zero) */
    } rows[] = {
        {"ccfb_wrap_odd", CCFB_COUNT_UNKNOWN, 8, 3},
        {"ccfb_only_timestamp", CCFB_COUNT_UNKNOWN, 8, 3},
        {"ccfb_four", CCFB_COUNT_WORDS, 7, 3},
        {"ccfb_minus_one", CCFB_COUNT_MINUS_ONE, 8, 4},
        {"ccfb_from_scream", CCFB_COUNT_MINUS_ONE, 8, 4},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *names[2] = {"ccfb_from_scream", "ccfb_wrap_odd"};
        size_t expected[2] = {rows[i].n_scream, rows[i].n_wrap_odd};
        struct vector_packet first = open_vector(rows[i].first);
        struct ccfb_peer taught = {0};
        struct ccfb ccfb;
        g_assert_cmpint(ccfb_parse(&first.packet, &taught, &ccfb, NULL, 0), ==, WEIR_OK);
        g_assert_cmpint(taught.counting, ==, rows[i].learnt);
        for (size_t k = 0; k < 2; k++) {
            struct vector_packet v = open_vector(names[k]);
            struct ccfb_peer peer = taught;
            g_assert_cmpint(ccfb_parse(&v.packet, &peer, &ccfb, NULL, 0), ==, WEIR_OK);
            g_assert_cmpuint(ccfb.n_entries, ==, expected[k]);
            g_free(v.data);
        }
        g_free(first.data);
    }
}

/* A packet that only one counting explains is read by it, whatever was learnt before. */
static void test_a_wrong_lesson_does_not_spoil_clear_packets(void)
{
    static const struct {
        const char *name;
        size_t n_entries;
        uint32_t counting;
    } rows[] = {{"ccfb_four", 4, CCFB_COUNT_WORDS}, {"ccfb_minus_one", 3, CCFB_COUNT_MINUS_ONE}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        for (int lesson = CCFB_COUNT_UNKNOWN; lesson <= CCFB_COUNT_MINUS_ONE; lesson++) {
            struct vector_packet v = open_vector(rows[i].name);
            struct ccfb_peer peer = {.counting = (uint32_t)lesson};
            struct ccfb ccfb;
            g_assert_cmpint(ccfb_parse(&v.packet, &peer, &ccfb, NULL, 0), ==, WEIR_OK);
            g_assert_cmpuint(ccfb.n_entries, ==, rows[i].n_entries);
            g_assert_cmpint(peer.counting, ==, rows[i].counting);
            g_free(v.data);
        }
    }
}

static void test_padding_with_rubbish_is_no_evidence_once_words_were_counted(void)
{
    uint8_t body[] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 9, 0, 1, 0x80, 1, 0xbe, 0xef, 0, 0, 0, 7};
    struct weir__rtcp_packet packet = {
        .body = body, .body_bytes = sizeof body, .type = WEIR__RTCP_RTPFB, .count = 11};
    struct ccfb_peer peer = {.counting = CCFB_COUNT_WORDS};
    struct ccfb ccfb;
    g_assert_cmpint(ccfb_parse(&packet, &peer, &ccfb, NULL, 0), ==, WEIR_OK);
    g_assert_cmpuint(ccfb.n_entries, ==, 1);
    g_assert_cmpint(peer.counting, ==, CCFB_COUNT_WORDS);
}

/* Builds until every entry is out, parses and compares; returns the number of packets. */
static size_t assert_round_trip(const struct weir__feedback_entry *entries, size_t n_entries,
                                size_t capacity_bytes)
{
    static struct weir__feedback_entry back[MAX_ENTRIES];
    struct ccfb ccfb = {.sender_ssrc = 0xabcdef01, .report_mid32 = 0xffffffff};
    size_t done = 0;
    size_t n_packets = 0;
    while (done < n_entries) {
        uint8_t *buffer = malloc(capacity_bytes);
        size_t size_bytes = 0;
        size_t n = 0;
        struct ccfb read;
        struct ccfb_peer peer = {.counting = CCFB_COUNT_WORDS};
        g_assert_cmpint(ccfb_build(&ccfb, entries + done, n_entries - done, buffer, capacity_bytes,
                                   &size_bytes, &n),
                        ==, WEIR_OK);
        g_assert_cmpuint(n, >=, 1);
        g_assert_cmpuint(size_bytes, <=, capacity_bytes);
        uint8_t *exact = exact_copy(buffer, size_bytes);
        struct weir__rtcp_packet packet = only_packet(exact, size_bytes);
        g_assert_cmpint(ccfb_parse(&packet, &peer, &read, back, MAX_ENTRIES), ==, WEIR_OK);
        g_assert_cmphex(read.sender_ssrc, ==, 0xabcdef01);
        g_assert_cmphex(read.report_mid32, ==, 0xffffffff);
        g_assert_cmpuint(read.n_entries, ==, n);
        for (size_t i = 0; i < n; i++) {
            const struct weir__feedback_entry *want = &entries[done + i];
            bool in_range = want->arrival_ns <= 0 && age_units(want) <= 8189;
            g_assert_cmphex(back[i].ssrc, ==, want->ssrc);
            g_assert_cmpuint(back[i].seq, ==, want->seq);
            g_assert_true(back[i].received == want->received);
            g_assert_cmpuint(back[i].ecn, ==, want->received ? want->ecn : 0);
            g_assert_true(back[i].has_time == (want->received && want->has_time && in_range));
            if (back[i].has_time) {
                assert_near(back[i].arrival_ns, want->arrival_ns, 488282);
            }
        }
        done += n;
        n_packets++;
        free(exact);
        free(buffer);
    }
    return n_packets;
}

static void test_what_is_built_is_parsed_back(void)
{
    uint32_t seed = 8888;
    GRand *rand = g_rand_new_with_seed(seed);
    g_test_message("seed %u", seed);
    for (int round = 0; round < 3000; round++) {
        static struct weir__feedback_entry entries[600];
        size_t n = (size_t)g_rand_int_range(rand, 1, 600);
        uint32_t ssrc = g_rand_int(rand);
        uint16_t seq = (uint16_t)g_rand_int(rand);
        for (size_t i = 0; i < n; i++) {
            seq++;
            if (g_rand_int_range(rand, 0, 40) == 0) {
                ssrc += (uint32_t)g_rand_int_range(rand, 0, 2);
                seq = (uint16_t)(seq + g_rand_int_range(rand, 0, 3));
            }
            entries[i] = (struct weir__feedback_entry){
                .ssrc = ssrc,
                .seq = seq,
                .received = g_rand_int_range(rand, 0, 5) > 0,
                .has_time = g_rand_int_range(rand, 0, 10) > 0,
                .ecn = (uint8_t)g_rand_int_range(rand, 0, 4),
                .arrival_ns = (int64_t)g_rand_int_range(rand, -9000, 1000) * 1000003,
            };
        }
        assert_round_trip(entries, n, (size_t)g_rand_int_range(rand, 24, 1500));
    }
    g_rand_free(rand);
}

static void test_every_age_on_the_wire_survives_being_rebuilt(void)
{
    for (unsigned word = 0x8000; word <= 0xffff; word++) {
        uint8_t body[20] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 9, 0, 2};
        struct weir__rtcp_packet packet = {
            .body = body, .body_bytes = sizeof body, .type = WEIR__RTCP_RTPFB, .count = 11};
        struct ccfb_peer peer = {0};
        struct weir__feedback_entry entries[2];
        struct ccfb ccfb;
        uint8_t buffer[24];
        size_t size_bytes = 0;
        size_t n = 0;
        weir__put_u16(body + 12, word);
        g_assert_cmpint(ccfb_parse(&packet, &peer, &ccfb, entries, 2), ==, WEIR_OK);
        g_assert_cmpuint(entries[0].ecn, ==, word >> 13 & 3);
        g_assert_true(entries[0].has_time == ((word & 0x1fff) < 0x1ffe));
        g_assert_cmpint(ccfb_build(&ccfb, entries, 2, buffer, sizeof buffer, &size_bytes, &n), ==,
                        WEIR_OK);
        if ((word & 0x1fff) == 0x1ffe) { /* over range is known as "no time" from here on */
            weir__put_u16(body + 12, word | 1);
        }
        assert_same_bytes(buffer + 4, size_bytes - 4, body, sizeof body);
    }
}

static void test_ages_the_format_cannot_hold_are_marked(void)
{
    static const struct {
        int64_t age_ns;
        unsigned ato;
    } rows[] = {
        {0, 0},
        {-1, 0x1fff},
        {-INT64_MAX, 0x1fff},
        {488281, 0}, /* half a unit is 488281.25 ns */
        {488282, 1},
        {WEIR_SECONDS(1), 1024},
        {INT64_C(7997070312), 0x1ffd},
        {INT64_C(7997558594), 0x1ffe},
        {WEIR_SECONDS(8), 0x1ffe},
        {WEIR_SECONDS(3600), 0x1ffe},
        {INT64_MAX, 0x1ffe},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__feedback_entry entry = {
            .received = true, .has_time = true, .ecn = WEIR_ECN_CE, .arrival_ns = -rows[i].age_ns};
        struct ccfb ccfb = {0};
        uint8_t buffer[24];
        size_t size_bytes;
        size_t n;
        g_assert_cmpint(ccfb_build(&ccfb, &entry, 1, buffer, sizeof buffer, &size_bytes, &n), ==,
                        WEIR_OK);
        g_assert_cmphex(weir__get_u16(buffer + 16), ==, 0xe000 | rows[i].ato);
    }
}

static void test_known_feedback_is_written_to_the_byte(void)
{
    static const char *const names[] = {"ccfb_four", "ccfb_wrap_odd", "ccfb_only_timestamp",
                                        "ccfb_overlap"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        struct vector_packet v = open_vector(names[i]);
        struct ccfb_peer peer = {0};
        struct weir__feedback_entry entries[16];
        struct ccfb ccfb;
        uint8_t buffer[64];
        size_t size_bytes = 0;
        size_t n = 0;
        g_assert_cmpint(ccfb_parse(&v.packet, &peer, &ccfb, entries, 16), ==, WEIR_OK);
        g_assert_cmpint(
            ccfb_build(&ccfb, entries, ccfb.n_entries, buffer, v.size_bytes, &size_bytes, &n), ==,
            WEIR_OK);
        assert_same_bytes(buffer, size_bytes, v.data, v.size_bytes);
        g_free(v.data);
    }
}

/* 8 + 8 + 2 * even(N) + 4 bytes for one block. */
static void test_one_block_has_the_size_of_the_rfc(void)
{
    static const struct {
        size_t n, size_bytes;
    } rows[] = {{1, 24}, {2, 24}, {10, 40}, {32, 84}, {64, 148}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__feedback_entry entries[64];
        struct ccfb ccfb = {0};
        uint8_t buffer[200];
        size_t size_bytes = 0;
        size_t n = 0;
        for (size_t k = 0; k < 64; k++) {
            entries[k] = (struct weir__feedback_entry){.seq = (uint16_t)k, .received = true};
        }
        g_assert_cmpint(
            ccfb_build(&ccfb, entries, rows[i].n, buffer, sizeof buffer, &size_bytes, &n), ==,
            WEIR_OK);
        g_assert_cmpuint(size_bytes, ==, rows[i].size_bytes);
    }
}

static void test_more_than_16384_packets_take_a_second_block(void)
{
    static struct weir__feedback_entry entries[MAX_ENTRIES];
    for (size_t i = 0; i < MAX_ENTRIES; i++) {
        entries[i] = (struct weir__feedback_entry){.ssrc = 1, .seq = (uint16_t)i, .received = true};
    }
    g_assert_cmpuint(assert_round_trip(entries, MAX_ENTRIES, 300000), ==, 1);
    g_assert_cmpuint(assert_round_trip(entries, 300, 1200), ==, 1);
    g_assert_cmpuint(assert_round_trip(entries, 700, 1200), ==, 2);
}

/* Blocks of one packet each, in a buffer larger than any RTCP packet. */
static void test_packet_is_bounded_by_its_length_field(void)
{
    static struct weir__feedback_entry entries[MAX_ENTRIES];
    static uint8_t buffer[500000];
    struct ccfb ccfb = {0};
    size_t size_bytes = 0;
    size_t n = 0;
    for (size_t i = 0; i < MAX_ENTRIES; i++) {
        entries[i] = (struct weir__feedback_entry){.ssrc = (uint32_t)i, .received = true};
    }
    g_assert_cmpint(ccfb_build(&ccfb, entries, MAX_ENTRIES, buffer, sizeof buffer, &size_bytes, &n),
                    ==, WEIR_OK);
    g_assert_cmpuint(size_bytes, ==, 262144 - (262144 - 12) % 12);
    g_assert_cmpuint(n, ==, (262144 - 12) / 12);
    struct weir__rtcp_packet packet = only_packet(buffer, size_bytes);
    g_assert_cmpint(parse_untouched_on_error(&packet), ==, WEIR_OK);
}

static void test_too_little_room_is_refused(void)
{
    const struct weir__feedback_entry entry = {.received = true};
    struct ccfb ccfb = {0};
    uint8_t buffer[24];
    size_t size_bytes = 99;
    size_t n = 99;
    g_assert_cmpint(ccfb_build(&ccfb, NULL, 0, buffer, 11, &size_bytes, &n), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpint(ccfb_build(&ccfb, &entry, 1, buffer, 23, &size_bytes, &n), ==,
                    WEIR_ERROR_NO_SPACE);
    g_assert_cmpuint(size_bytes, ==, 99);
    g_assert_cmpuint(n, ==, 99);
    g_assert_cmpint(ccfb_build(&ccfb, NULL, 0, buffer, 12, &size_bytes, &n), ==, WEIR_OK);
    g_assert_cmpint(ccfb_build(&ccfb, &entry, 1, buffer, 24, &size_bytes, &n), ==, WEIR_OK);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/ccfb/known_feedback_is_read", test_known_feedback_is_read);
    g_test_add_func("/codec/ccfb/arrival_before_a_wrap_of_the_clock_is_found",
                    test_arrival_before_a_wrap_of_the_clock_is_found);
    g_test_add_func("/codec/ccfb/malformed_feedback_is_refused",
                    test_malformed_feedback_is_refused);
    g_test_add_func("/codec/ccfb/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/ccfb/blocks_of_more_than_16384_words_are_refused",
                    test_blocks_of_more_than_16384_words_are_refused);
    g_test_add_func("/codec/ccfb/reading_in_pieces_is_reading_at_once",
                    test_reading_in_pieces_is_reading_at_once);
    g_test_add_func("/codec/ccfb/entries_past_the_capacity_are_counted_but_not_written",
                    test_entries_past_the_capacity_are_counted_but_not_written);
    g_test_add_func("/codec/ccfb/counting_is_learnt_from_evidence_only",
                    test_counting_is_learnt_from_evidence_only);
    g_test_add_func("/codec/ccfb/a_wrong_lesson_does_not_spoil_clear_packets",
                    test_a_wrong_lesson_does_not_spoil_clear_packets);
    g_test_add_func("/codec/ccfb/padding_with_rubbish_is_no_evidence_once_words_were_counted",
                    test_padding_with_rubbish_is_no_evidence_once_words_were_counted);
    g_test_add_func("/codec/ccfb/what_is_built_is_parsed_back", test_what_is_built_is_parsed_back);
    g_test_add_func("/codec/ccfb/every_age_on_the_wire_survives_being_rebuilt",
                    test_every_age_on_the_wire_survives_being_rebuilt);
    g_test_add_func("/codec/ccfb/ages_the_format_cannot_hold_are_marked",
                    test_ages_the_format_cannot_hold_are_marked);
    g_test_add_func("/codec/ccfb/known_feedback_is_written_to_the_byte",
                    test_known_feedback_is_written_to_the_byte);
    g_test_add_func("/codec/ccfb/one_block_has_the_size_of_the_rfc",
                    test_one_block_has_the_size_of_the_rfc);
    g_test_add_func("/codec/ccfb/more_than_16384_packets_take_a_second_block",
                    test_more_than_16384_packets_take_a_second_block);
    g_test_add_func("/codec/ccfb/packet_is_bounded_by_its_length_field",
                    test_packet_is_bounded_by_its_length_field);
    g_test_add_func("/codec/ccfb/too_little_room_is_refused", test_too_little_room_is_refused);
    return g_test_run();
}
