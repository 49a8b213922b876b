/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of weir-link share. */
#ifndef WEIR_TESTS_LINK_FIXTURE_H
#define WEIR_TESTS_LINK_FIXTURE_H

#include "direction.h"
#include "error.h"
#include "namespaces.h"
#include "weir/units.h"
#include <glib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The error has this status, and its sentence names `word`. */
static inline void expect_error(GError **error, int status, const char *word)
{
    g_assert_error(*error, LINK_ERROR, status);
    if (!strstr((*error)->message, word)) {
        g_error("'%s' does not say '%s'", (*error)->message, word);
    }
    g_clear_error(error);
}

/* FALSE, and the test is skipped, where namespaces are not permitted. */
static inline gboolean may_make_namespaces(void)
{
    GError *error = NULL;
    gboolean may = link_namespaces_permitted(&error);
    if (!may) {
        g_assert_cmpint(error->code, ==, LINK_EXIT_NOT_PERMITTED);
        g_test_skip(error->message);
        g_error_free(error);
    }
    return may;
}

static inline gboolean namespace_exists(const char *name)
{
    char *path = g_build_filename("/run/netns", name, NULL);
    gboolean exists = g_file_test(path, G_FILE_TEST_EXISTS);
    g_free(path);
    return exists;
}

/* Packets in and out without a TUN device: datagrams of a pair of sockets behave the same. */
struct ends {
    int in[2], out[2]; /* the test has [0], the direction [1] */
};

static inline void open_ends(struct ends *ends)
{
    int kind = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC;
    g_assert_cmpint(socketpair(AF_UNIX, kind, 0, ends->in), ==, 0);
    g_assert_cmpint(socketpair(AF_UNIX, kind, 0, ends->out), ==, 0);
}

static inline void close_ends(struct ends *ends)
{
    for (int i = 0; i < 2; i++) {
        close(ends->in[i]);
        close(ends->out[i]);
    }
}

/* name, value, ..., NULL */
static inline void set_all(struct link_settings *settings, const char *const *words)
{
    GError *error = NULL;
    link_settings_init(settings);
    for (; words && words[0]; words += 2) {
        link_settings_set(settings, link_settings_find(words[0]), words[1], &error);
        g_assert_no_error(error);
    }
}

/* A direction on the heap, for it is large, whose time begins now. */
static inline struct link_direction *start_direction(struct ends *ends, const char *const *words)
{
    struct link_settings settings;
    struct link_direction *direction = g_new(struct link_direction, 1);
    GError *error = NULL;
    set_all(&settings, words);
    link_direction_init(direction, &settings, 1500, &error);
    g_assert_no_error(error);
    link_settings_finish(&settings);
    open_ends(ends);
    link_direction_start(direction, ends->in[1], ends->out[1], link_clock_ns());
    return direction;
}

static inline void stop_direction(struct link_direction *direction, struct ends *ends)
{
    link_direction_finish(direction);
    g_free(direction);
    close_ends(ends);
}

/* An IPv4 packet of this size and protocol with a number in it. */
static inline size_t make_packet(uint8_t *packet, uint8_t protocol, uint8_t number, size_t size)
{
    memset(packet, number, size);
    packet[0] = 0x45;
    packet[9] = protocol;
    return size;
}

static inline void send_packet(struct ends *ends, uint8_t protocol, uint8_t number, size_t size)
{
    uint8_t packet[2000];
    make_packet(packet, protocol, number, size);
    g_assert_cmpint(send(ends->in[0], packet, size, 0), ==, (gssize)size);
}

#endif
