/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of lib/ share: g_test prints TAP, hex strings become bytes. */
#ifndef WEIR_TESTS_TEST_H
#define WEIR_TESTS_TEST_H

#include <glib.h>
#include <stdint.h>
#include <string.h>

/* A build with sanitizers looks at memory and at undefined steps: it may try fewer cases of a kind.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define TEST_IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(TEST_IS_SANITIZED)
#define TEST_IS_SANITIZED 1
#endif
#ifndef TEST_IS_SANITIZED
#define TEST_IS_SANITIZED 0
#endif

/* Absolute comparison with the message GLib gives. */
#define assert_near(actual, expected, tolerance)                                                   \
    g_assert_cmpfloat_with_epsilon((double)(actual), (double)(expected), (double)(tolerance))

/* Bytes of a hex string without spaces, into buffer; a bad string fails the test. Their count. */
static inline size_t test_hex(const char *hex, uint8_t *buffer, size_t capacity)
{
    size_t n = strlen(hex) / 2;
    g_assert_cmpuint(strlen(hex) % 2, ==, 0);
    g_assert_cmpuint(n, <=, capacity);
    for (size_t i = 0; i < n; i++) {
        int high = g_ascii_xdigit_value(hex[2 * i]);
        int low = g_ascii_xdigit_value(hex[2 * i + 1]);
        g_assert_true(high >= 0 && low >= 0);
        buffer[i] = (uint8_t)(high * 16 + low);
    }
    return n;
}

#endif
