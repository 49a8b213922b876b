/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the codec tests share. Copies have exactly their size, so that a sanitizer sees any read or
 * write beside them. */
#ifndef WEIR_TESTS_CODEC_TEST_H
#define WEIR_TESTS_CODEC_TEST_H

#include <stdbool.h>
#include <stdlib.h>

#include "../../test.h"
#include "../../vectors/datagrams.h"
#include "codec/rtcp.h"

/* Free with free(). */
static inline uint8_t *exact_copy(const uint8_t *data, size_t size_bytes)
{
    uint8_t *copy = malloc(size_bytes > 0 ? size_bytes : 1);
    g_assert_nonnull(copy);
    if (size_bytes > 0) {
        memcpy(copy, data, size_bytes);
    }
    return copy;
}

static inline void assert_same_bytes(const void *actual, size_t actual_bytes, const void *expected,
                                     size_t expected_bytes)
{
    g_assert_cmpuint(actual_bytes, ==, expected_bytes);
    if (expected_bytes > 0) {
        g_assert_true(memcmp(actual, expected, expected_bytes) == 0);
    }
}

static inline void assert_bytes_are_hex(const uint8_t *actual, size_t actual_bytes, const char *hex)
{
    uint8_t expected[TEST_VECTOR_MAX_BYTES];
    size_t expected_bytes = test_hex(hex, expected, sizeof expected);
    assert_same_bytes(actual, actual_bytes, expected, expected_bytes);
}

/* Gives every packet of a datagram to visit. */
static inline void for_each_packet(const uint8_t *data, size_t size_bytes,
                                   void (*visit)(const struct weir__rtcp_packet *packet))
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    weir__rtcp_walk_init(&walk, data, size_bytes);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        visit(&packet);
    }
}

/* Gives visit every vector cut short at every byte: as a datagram with the length it claims, and as
 * a body that ends early (what the length field said having been made true). */
static inline void for_each_truncation(void (*visit)(const struct weir__rtcp_packet *packet))
{
    for (size_t v = 0; v < G_N_ELEMENTS(test_vectors); v++) {
        uint8_t bytes[TEST_VECTOR_MAX_BYTES];
        size_t n = test_hex(test_vectors[v].hex, bytes, sizeof bytes);
        for (size_t size = 0; size <= n; size++) {
            uint8_t *data = exact_copy(bytes, size);
            for_each_packet(data, size, visit);
            if (size >= WEIR__RTCP_HEADER_BYTES) {
                uint8_t *body = exact_copy(data + 4, size - 4);
                struct weir__rtcp_packet packet = {
                    .body = body, .body_bytes = size - 4, .type = data[1], .count = data[0] & 31};
                visit(&packet);
                free(body);
            }
            free(data);
        }
    }
}

/* A vector and the first packet in it. */
struct vector_packet {
    uint8_t *data;
    size_t size_bytes;
    struct weir__rtcp_packet packet;
};

/* Aborts the test if the walk finds no packet. Free data with g_free. */
static inline struct vector_packet open_vector(const char *name)
{
    struct vector_packet v;
    struct weir__rtcp_walk walk;
    g_test_message("%s", name);
    v.data = test_vector_copy(name, &v.size_bytes);
    weir__rtcp_walk_init(&walk, v.data, v.size_bytes);
    g_assert_true(weir__rtcp_walk_next(&walk, &v.packet));
    return v;
}

/* The only packet of what a builder wrote. */
static inline struct weir__rtcp_packet only_packet(const uint8_t *data, size_t size_bytes)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    struct weir__rtcp_packet second;
    weir__rtcp_walk_init(&walk, data, size_bytes);
    g_assert_true(weir__rtcp_walk_next(&walk, &packet));
    g_assert_false(weir__rtcp_walk_next(&walk, &second));
    g_assert_cmpuint(walk.offset, ==, size_bytes);
    return packet;
}

#endif
