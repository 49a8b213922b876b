/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the send queue share: items with a running number, and a list of what was
 * dropped. */
#ifndef WEIR_TESTS_SEND_QUEUE_H
#define WEIR_TESTS_SEND_QUEUE_H

#include "test.h"
#include "weir/queue.h"

#define MAX_LOG 200000

struct send_queue {
    struct weir_queue *queue;
    uintptr_t pushed; /* items so far; the number of an item is its `packet` */
    size_t n_dropped;
    uintptr_t dropped[MAX_LOG];
    bool need_key_frame; /* of the last push */
};

static void send_queue_on_drop(void *user, const struct weir_queue_item *item)
{
    struct send_queue *test = user;
    g_assert_cmpuint(test->n_dropped, <, MAX_LOG);
    test->dropped[test->n_dropped++] = (uintptr_t)item->packet;
}

/* max_time_ms at 8 kbit/s, that is 1 byte per ms, so that bounds can be counted in bytes. */
static inline struct send_queue *send_queue_new(enum weir_queue_policy policy, int max_time_ms,
                                                uint32_t max_packets)
{
    struct send_queue *test = g_new0(struct send_queue, 1);
    struct weir_queue_config config;
    weir_queue_config_init(&config);
    config.policy = policy;
    config.max_time_ns = WEIR_MS(max_time_ms);
    config.max_packets = max_packets;
    config.on_drop = send_queue_on_drop;
    config.user = test;
    enum weir_status status;
    test->queue = weir_queue_create(&config, &status);
    g_assert_cmpint(status, ==, WEIR_OK);
    return test;
}

static inline void send_queue_free(struct send_queue *test)
{
    weir_queue_destroy(test->queue);
    g_free(test);
}

/* Pushes item number test->pushed (counted from 1) of `bytes` at rate 8 kbit/s. */
static inline enum weir_status send_queue_push(struct send_queue *test, uint32_t ssrc,
                                               uint32_t frame, uint32_t bytes, uint32_t flags)
{
    test->pushed++;
    struct weir_queue_item item = {.packet = (void *)test->pushed,
                                   .size_bytes = bytes,
                                   .ssrc = ssrc,
                                   .rtp_timestamp = frame,
                                   .flags = flags};
    test->need_key_frame = false;
    return weir_queue_push(test->queue, &item, 8000, &test->need_key_frame);
}

/* The number of the first item, taken out; 0 when empty. */
static inline uintptr_t send_queue_pop(struct send_queue *test)
{
    struct weir_queue_item item;
    return weir_queue_pop(test->queue, &item) ? (uintptr_t)item.packet : 0;
}

/* Numbers of what is dropped so far and then of what is queued, "1 2 | 3 4"; empties the queue. */
static inline char *send_queue_outcome(struct send_queue *test)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < test->n_dropped; i++) {
        g_string_append_printf(text, "%u ", (unsigned)test->dropped[i]);
    }
    g_string_append(text, "|");
    for (uintptr_t number = send_queue_pop(test); number != 0; number = send_queue_pop(test)) {
        g_string_append_printf(text, " %u", (unsigned)number);
    }
    return g_string_free(text, FALSE);
}

static inline void send_queue_expect(struct send_queue *test, const char *outcome)
{
    char *actual = send_queue_outcome(test);
    g_assert_cmpstr(actual, ==, outcome);
    g_free(actual);
}

#endif
