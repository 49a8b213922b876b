/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/rtp.h"

#include "codec/bytes.h"
#include "codec_test.h"
#include "weir/units.h"

static void test_known_headers_are_read(void)
{
    static const struct {
        const char *name;
        struct weir__rtp rtp;
    } rows[] = {
        {"rtp_marker",
         {.timestamp = 0x12345678,
          .ssrc = 0xcafebabe,
          .seq = 65535,
          .payload_type = 96,
          .marker = true,
          .payload_offset = 12,
          .payload_bytes = 4}},
        {"rtp_one_byte_extension",
         {.timestamp = 3000,
          .ssrc = 0xcafebabe,
          .seq = 1,
          .payload_type = 96,
          .extension_profile = 0xbede,
          .extension_offset = 16,
          .extension_bytes = 4,
          .payload_offset = 20,
          .payload_bytes = 2}},
        {"rtp_csrc_and_stop_id",
         {.timestamp = 3000,
          .ssrc = 0xcafebabe,
          .seq = 2,
          .payload_type = 96,
          .n_csrcs = 1,
          .extension_profile = 0xbede,
          .extension_offset = 20,
          .extension_bytes = 12,
          .payload_offset = 32,
          .payload_bytes = 1}},
        {"rtp_two_byte_extension",
         {.timestamp = 6000,
          .ssrc = 0xcafebabe,
          .seq = 3,
          .payload_type = 96,
          .extension_profile = 0x1005,
          .extension_offset = 16,
          .extension_bytes = 8,
          .payload_offset = 24,
          .payload_bytes = 1}},
        {"rtp_padding",
         {.timestamp = 6000,
          .ssrc = 0xcafebabe,
          .seq = 5,
          .payload_type = 96,
          .payload_offset = 12,
          .payload_bytes = 4,
          .padding_bytes = 4}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        size_t n;
        uint8_t *data = test_vector_copy(rows[i].name, &n);
        struct weir__rtp rtp;
        const struct weir__rtp *want = &rows[i].rtp;
        g_test_message("%s", rows[i].name);
        g_assert_cmpint(weir__rtp_parse(data, n, &rtp), ==, WEIR_OK);
        g_assert_cmpuint(rtp.timestamp, ==, want->timestamp);
        g_assert_cmpuint(rtp.ssrc, ==, want->ssrc);
        g_assert_cmpuint(rtp.seq, ==, want->seq);
        g_assert_cmpuint(rtp.payload_type, ==, want->payload_type);
        g_assert_cmpuint(rtp.n_csrcs, ==, want->n_csrcs);
        g_assert_true(rtp.marker == want->marker);
        g_assert_cmpuint(rtp.extension_profile, ==, want->extension_profile);
        g_assert_cmpuint(rtp.extension_offset, ==, want->extension_offset);
        g_assert_cmpuint(rtp.extension_bytes, ==, want->extension_bytes);
        g_assert_cmpuint(rtp.payload_offset, ==, want->payload_offset);
        g_assert_cmpuint(rtp.payload_bytes, ==, want->payload_bytes);
        g_assert_cmpuint(rtp.padding_bytes, ==, want->padding_bytes);
        g_assert_cmpuint(rtp.payload_offset + rtp.payload_bytes + rtp.padding_bytes, ==, n);
        g_free(data);
    }
}

/* Parses hex in a block of exactly its size; on error checks that the output was left alone. */
static enum weir_status parse_hex(const char *hex)
{
    uint8_t bytes[128];
    size_t n = test_hex(hex, bytes, sizeof bytes);
    uint8_t *data = exact_copy(bytes, n);
    struct weir__rtp rtp;
    struct weir__rtp before;
    memset(&rtp, 0x5a, sizeof rtp);
    memset(&before, 0x5a, sizeof before);
    enum weir_status status = weir__rtp_parse(data, n, &rtp);
    if (status != WEIR_OK) {
        assert_same_bytes(&rtp, sizeof rtp, &before, sizeof before);
    }
    free(data);
    return status;
}

static void test_lying_headers_are_refused(void)
{
    static const struct {
        const char *hex;
        enum weir_status status;
    } rows[] = {
        {"", WEIR_ERROR_TRUNCATED},
        {"8060000100000bb8cafeba", WEIR_ERROR_TRUNCATED},
        {"4060000100000bb8cafebabe", WEIR_ERROR_UNSUPPORTED},
        {"8060000100000bb8cafebabe", WEIR_OK},
        {"8160000100000bb8cafebabe", WEIR_ERROR_TRUNCATED},         /* one CSRC, no bytes */
        {"8160000100000bb8cafebabe000000", WEIR_ERROR_TRUNCATED},   /* and three of four */
        {"8160000100000bb8cafebabe00000000", WEIR_OK},              /* all four */
        {"8f60000100000bb8cafebabe00000000", WEIR_ERROR_TRUNCATED}, /* 15 CSRCs claimed */
        {"9060000100000bb8cafebabe", WEIR_ERROR_TRUNCATED},         /* extension header absent */
        {"9060000100000bb8cafebabebede00", WEIR_ERROR_TRUNCATED},
        {"9060000100000bb8cafebabebede0000", WEIR_OK}, /* extension of length 0 */
        {"9060000100000bb8cafebabebede0001", WEIR_ERROR_TRUNCATED},
        {"9060000100000bb8cafebabebedeffff00000000", WEIR_ERROR_TRUNCATED},
        {"a060000100000bb8cafebabe", WEIR_ERROR_MALFORMED},   /* P without a byte of payload */
        {"a060000100000bb8cafebabe00", WEIR_ERROR_MALFORMED}, /* padding 0 */
        {"a060000100000bb8cafebabe01", WEIR_OK},              /* nothing but padding */
        {"a060000100000bb8cafebabe02", WEIR_ERROR_MALFORMED},
        {"a060000100000bb8cafebabe000003", WEIR_OK}, /* no multiple of 4 needed */
        {"a060000100000bb8cafebabe000004", WEIR_ERROR_MALFORMED},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_test_message("%s", rows[i].hex);
        g_assert_cmpint(parse_hex(rows[i].hex), ==, rows[i].status);
    }
}

/* Whether parsing went well or not: no byte outside data, no element outside its block. */
static void read_everything(const uint8_t *data, size_t n)
{
    struct weir__rtp rtp;
    if (weir__rtp_parse(data, n, &rtp) != WEIR_OK) {
        return;
    }
    struct weir__rtp_elements elements;
    struct weir__rtp_element element;
    volatile uint8_t sink = 0;
    weir__rtp_elements_init(&elements, data, &rtp);
    while (weir__rtp_elements_next(&elements, &element)) {
        g_assert_cmpuint(element.id, !=, 0);
        g_assert_cmpuint(element.offset, >=, rtp.extension_offset);
        g_assert_cmpuint(element.offset + element.size_bytes, <=, rtp.payload_offset);
        for (size_t i = 0; i < element.size_bytes; i++) {
            sink = (uint8_t)(sink ^ data[element.offset + i]);
        }
    }
}

static void test_no_truncation_reads_past_the_end(void)
{
    for (size_t v = 0; v < G_N_ELEMENTS(test_vectors); v++) {
        size_t n;
        uint8_t *whole = test_vector_copy(test_vectors[v].name, &n);
        for (size_t size = 0; size <= n; size++) {
            uint8_t *data = exact_copy(whole, size);
            read_everything(data, size);
            weir__rtp_set_u16(data, size, 3, 0xffff);
            free(data);
        }
        g_free(whole);
    }
}

static void test_random_extension_blocks_stay_in_bounds(void)
{
    uint32_t seed = 20240607;
    GRand *rand = g_rand_new_with_seed(seed);
    g_test_message("seed %u", seed);
    for (int round = 0; round < 200000; round++) {
        size_t words = (size_t)g_rand_int_range(rand, 0, 6);
        size_t n = 16 + words * 4;
        uint8_t *data = g_malloc0(n);
        data[0] = 0x90;
        weir__put_u16(data + 12, g_rand_boolean(rand) ? 0xbede : 0x1000);
        weir__put_u16(data + 14, (uint32_t)words);
        for (size_t i = 16; i < n; i++) {
            data[i] = (uint8_t)(g_rand_int(rand) & (g_rand_boolean(rand) ? 0x13 : 0xff));
        }
        read_everything(data, n);
        g_free(data);
    }
    g_rand_free(rand);
}

/* "id=data id=data !": the elements as text; "!" when the block was malformed. */
static char *describe_elements(const uint8_t *data, size_t n)
{
    struct weir__rtp rtp;
    struct weir__rtp_elements elements;
    struct weir__rtp_element element;
    GString *text = g_string_new(NULL);
    g_assert_cmpint(weir__rtp_parse(data, n, &rtp), ==, WEIR_OK);
    weir__rtp_elements_init(&elements, data, &rtp);
    while (weir__rtp_elements_next(&elements, &element)) {
        g_string_append_printf(text, "%u=", element.id);
        for (size_t i = 0; i < element.size_bytes; i++) {
            g_string_append_printf(text, "%02x", data[element.offset + i]);
        }
        g_string_append_c(text, ' ');
    }
    g_string_append(text, elements.malformed ? "!" : "");
    return g_string_free(text, FALSE);
}

static void test_extension_elements_are_walked_as_rfc_8285_says(void)
{
    static const struct {
        const char *extension;
        const char *elements;
    } rows[] = {
        {"bede000131123400", "3=1234 "},
        {"bede0003107f0022010203f099000000", "1=7f 2=010203 "}, /* id 15 stops */
        {"100500020100000202abcd00", "1= 2=abcd "},
        {"bede0000", ""},
        {"bede000100000000", ""},
        {"bede000132123456", "3=123456 "},
        {"bede000133123456", "!"},              /* four bytes announced, three there */
        {"bede000210aa37123456beef", "1=aa !"}, /* the first one is kept */
        {"bede000201ffff10aa000000", "1=aa "},  /* id 0 with a length: skipped */
        {"bede00011f000000", "!"},
        {"bede000110aa20bb", "1=aa 2=bb "},
        {"1000000105020102", "5=0102 "},
        {"1000000105030102", "!"},
        {"1000000105000006", "5= !"}, /* an id without a length byte */
        {"100000010f01aa00", "15=aa "},
        {"10000001ff01aa00", "255=aa "},
        {"100f000105020102", "5=0102 "}, /* application bits do not matter */
        {"1010000105020102", ""},        /* some other profile: opaque */
        {"abcd000105020102", ""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        uint8_t data[64] = {0x90, 0x60};
        size_t n = 12 + test_hex(rows[i].extension, data + 12, sizeof data - 12);
        uint8_t *exact = g_memdup2(data, n);
        char *elements = describe_elements(exact, n);
        g_test_message("%s", rows[i].extension);
        g_assert_cmpstr(elements, ==, rows[i].elements);
        g_free(elements);
        g_free(exact);
    }
}

static void test_first_of_two_elements_with_one_id_counts(void)
{
    uint8_t data[] = {0x90, 0x60, 0,    1,    0, 0, 0,    0,    0,    0,
                      0,    1,    0xbe, 0xde, 0, 1, 0x50, 0xaa, 0x50, 0xbb};
    struct weir__rtp rtp;
    struct weir__rtp_element element = {.offset = 99};
    g_assert_cmpint(weir__rtp_parse(data, sizeof data, &rtp), ==, WEIR_OK);
    g_assert_true(weir__rtp_find_element(data, &rtp, 5, &element));
    g_assert_cmpuint(data[element.offset], ==, 0xaa);
    element.offset = 99;
    g_assert_false(weir__rtp_find_element(data, &rtp, 6, &element));
    g_assert_cmpuint(element.offset, ==, 99);
}

static void test_existing_elements_are_overwritten_in_place(void)
{
    size_t n;
    uint8_t *data = test_vector_copy("rtp_one_byte_extension", &n);
    uint8_t *before = g_memdup2(data, n);
    g_assert_cmpint(weir__rtp_set_u16(data, n, 3, 0xabcd), ==, WEIR_OK);
    g_assert_cmpuint(weir__get_u16(data + 17), ==, 0xabcd);
    weir__put_u16(data + 17, 0x1234);
    assert_same_bytes(data, n, before, n);

    g_assert_cmpint(weir__rtp_set_u16(data, n, 4, 1), ==, WEIR_ERROR_UNSUPPORTED);
    g_assert_cmpint(weir__rtp_set_u16(data, 11, 3, 1), ==, WEIR_ERROR_TRUNCATED);
    assert_same_bytes(data, n, before, n);
    g_free(before);
    g_free(data);

    data = test_vector_copy("rtp_csrc_and_stop_id", &n);
    g_assert_cmpint(weir__rtp_set_u16(data, n, 2, 0xfedc), ==,
                    WEIR_OK); /* 3 bytes: the first two */
    g_assert_cmpuint(weir__get_u16(data + 24), ==, 0xfedc);
    g_assert_cmpint(weir__rtp_set_u16(data, n, 1, 0), ==, WEIR_ERROR_UNSUPPORTED); /* 1 byte */
    g_free(data);
}

static void test_what_is_built_is_parsed_back(void)
{
    uint32_t seed = 77;
    GRand *rand = g_rand_new_with_seed(seed);
    g_test_message("seed %u", seed);
    for (int round = 0; round < 20000; round++) {
        uint8_t id = (uint8_t)g_rand_int_range(rand, 0, 15);
        uint16_t transport_seq = (uint16_t)g_rand_int(rand);
        struct weir__rtp rtp = {.timestamp = g_rand_int(rand),
                                .ssrc = g_rand_int(rand),
                                .seq = (uint16_t)g_rand_int(rand),
                                .payload_type = (uint8_t)g_rand_int_range(rand, 0, 128),
                                .marker = g_rand_boolean(rand)};
        size_t size = id != 0 ? 20 : 12;
        uint8_t *exact = g_malloc(size);
        size_t n = 12345;
        struct weir__rtp back;
        struct weir__rtp_element found;
        g_assert_cmpint(weir__rtp_build(&rtp, id, transport_seq, exact, size - 1, &n), ==,
                        WEIR_ERROR_NO_SPACE);
        g_assert_cmpuint(n, ==, 12345);
        g_assert_cmpint(weir__rtp_build(&rtp, id, transport_seq, exact, size, &n), ==, WEIR_OK);
        g_assert_cmpuint(n, ==, size);
        g_assert_cmpint(weir__rtp_parse(exact, n, &back), ==, WEIR_OK);
        g_assert_cmpuint(back.timestamp, ==, rtp.timestamp);
        g_assert_cmpuint(back.ssrc, ==, rtp.ssrc);
        g_assert_cmpuint(back.seq, ==, rtp.seq);
        g_assert_cmpuint(back.payload_type, ==, rtp.payload_type);
        g_assert_true(back.marker == rtp.marker);
        g_assert_cmpuint(back.payload_offset, ==, n);
        g_assert_true(weir__rtp_find_element(exact, &back, id, &found) == (id != 0));
        if (id != 0) {
            g_assert_cmpuint(found.size_bytes, ==, 2);
            g_assert_cmpuint(weir__get_u16(exact + found.offset), ==, transport_seq);
        }
        g_free(exact);
    }
    g_rand_free(rand);
}

static void test_impossible_headers_are_not_built(void)
{
    uint8_t buffer[64];
    size_t n = 7;
    struct weir__rtp rtp = {.payload_type = 128};
    g_assert_cmpint(weir__rtp_build(&rtp, 0, 0, buffer, sizeof buffer, &n), ==,
                    WEIR_ERROR_ARGUMENT);
    rtp.payload_type = 127;
    g_assert_cmpint(weir__rtp_build(&rtp, 15, 0, buffer, sizeof buffer, &n), ==,
                    WEIR_ERROR_ARGUMENT);
    g_assert_cmpuint(n, ==, 7);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/codec/rtp/known_headers_are_read", test_known_headers_are_read);
    g_test_add_func("/codec/rtp/lying_headers_are_refused", test_lying_headers_are_refused);
    g_test_add_func("/codec/rtp/no_truncation_reads_past_the_end",
                    test_no_truncation_reads_past_the_end);
    g_test_add_func("/codec/rtp/random_extension_blocks_stay_in_bounds",
                    test_random_extension_blocks_stay_in_bounds);
    g_test_add_func("/codec/rtp/extension_elements_are_walked_as_rfc_8285_says",
                    test_extension_elements_are_walked_as_rfc_8285_says);
    g_test_add_func("/codec/rtp/first_of_two_elements_with_one_id_counts",
                    test_first_of_two_elements_with_one_id_counts);
    g_test_add_func("/codec/rtp/existing_elements_are_overwritten_in_place",
                    test_existing_elements_are_overwritten_in_place);
    g_test_add_func("/codec/rtp/what_is_built_is_parsed_back", test_what_is_built_is_parsed_back);
    g_test_add_func("/codec/rtp/impossible_headers_are_not_built",
                    test_impossible_headers_are_not_built);
    return g_test_run();
}
