/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/packet.h"
#include "weir/receiver.h"

static void test_pool_hands_out_what_was_reserved_and_no_more(void)
{
    struct weir__packet_pool pool;
    struct weir__packet *held[10];
    weir__packet_pool_init(&pool);
    g_assert_null(weir__packet_take(&pool));
    g_assert_cmpuint(pool.refused, ==, 1);
    g_assert_cmpint(weir__packet_pool_reserve(&pool, 10), ==, WEIR_OK);
    for (size_t i = 0; i < 10; i++) {
        held[i] = weir__packet_take(&pool);
        g_assert_nonnull(held[i]);
        for (size_t j = 0; j < i; j++) {
            g_assert_true(held[i] != held[j]);
        }
    }
    g_assert_cmpuint(pool.used_packets, ==, 10);
    g_assert_null(weir__packet_take(&pool));
    for (size_t i = 0; i < 10; i++) {
        weir__packet_give(&pool, held[i]);
    }
    g_assert_cmpuint(pool.used_packets, ==, 0);
    weir__packet_pool_finish(&pool);
}

static void test_pool_grows_while_packets_are_out(void)
{
    struct weir__packet_pool pool;
    GHashTable *seen = g_hash_table_new(NULL, NULL);
    size_t total = 0;
    weir__packet_pool_init(&pool);
    for (size_t n = 1; n <= 50; n++) {
        g_assert_cmpint(weir__packet_pool_reserve(&pool, n), ==, WEIR_OK);
        total += n;
        struct weir__packet *packet = weir__packet_take(&pool);
        packet->seq = (int64_t)n;
        g_assert_true(g_hash_table_add(seen, packet));
    }
    g_assert_cmpuint(pool.reserved_packets, ==, total);
    for (struct weir__packet *p = weir__packet_take(&pool); p; p = weir__packet_take(&pool)) {
        g_assert_true(g_hash_table_add(seen, p));
    }
    g_assert_cmpuint(g_hash_table_size(seen), ==, total);
    g_assert_cmpuint(pool.used_packets, ==, total);
    g_hash_table_destroy(seen);
    weir__packet_pool_finish(&pool);
}

static void test_taken_packets_are_blank(void)
{
    struct weir__packet_pool pool;
    weir__packet_pool_init(&pool);
    g_assert_cmpint(weir__packet_pool_reserve(&pool, 1), ==, WEIR_OK);
    struct weir__packet *packet = weir__packet_take(&pool);
    packet->next = packet;
    packet->sent_ns = packet->seq = packet->ack = 5;
    packet->size_bytes = 7;
    packet->flow = 8;
    packet->ecn = WEIR_ECN_CE;
    packet->n_sack = 3;
    packet->corrupt = packet->duplicated = true;
    packet->ecn_echo = 1;
    weir__packet_give(&pool, packet);
    struct weir__packet *again = weir__packet_take(&pool);
    g_assert_true(again == packet);
    g_assert_null(again->next);
    g_assert_cmpint(again->sent_ns | again->seq | again->ack, ==, 0);
    g_assert_cmpuint(again->token, ==, 0);
    g_assert_cmpint(again->size_bytes, ==, 0);
    g_assert_cmpuint(again->flow, ==, 0);
    g_assert_cmpuint(again->ecn, ==, WEIR_ECN_NOT_ECT);
    g_assert_cmpuint(again->n_sack, ==, 0);
    g_assert_false(again->corrupt || again->duplicated || again->ecn_echo);
    weir__packet_pool_finish(&pool);
}

/* As a link duplicates them: the copy has blocks of its own. */
static void test_copies_share_nothing(void)
{
    struct weir__packet_pool pool;
    weir__packet_pool_init(&pool);
    g_assert_cmpint(weir__packet_pool_reserve(&pool, 2), ==, WEIR_OK);
    struct weir__packet *packet = weir__packet_take(&pool);
    struct weir__packet *copy = weir__packet_take(&pool);
    packet->seq = 4;
    packet->ack = 3;
    packet->n_sack = 2;
    for (int64_t i = 0; i < 2; i++) {
        packet->sack[i] = (struct weir__sack_block){.first = 10 * i + 10, .last = 10 * i + 15};
    }
    weir__packet_copy(copy, packet);
    packet->sack[0].first = packet->sack[1].last = -1;
    weir__packet_give(&pool, packet);
    g_assert_cmpint(copy->seq, ==, 4);
    g_assert_cmpint(copy->ack, ==, 3);
    g_assert_cmpuint(copy->n_sack, ==, 2);
    g_assert_cmpint(copy->sack[0].first, ==, 10);
    g_assert_cmpint(copy->sack[1].last, ==, 25);
    weir__packet_pool_finish(&pool);
}

static void test_packets_fill_one_line_of_the_cache_each(void)
{
    struct weir__packet_pool pool;
    weir__packet_pool_init(&pool);
    pool.growing = true;
    g_assert_cmpuint(sizeof(struct weir__packet), <=, 64);
    for (int i = 0; i < 500; i++) {
        struct weir__packet *packet = weir__packet_take(&pool);
        g_assert_cmpuint((uintptr_t)packet / 64, ==, ((uintptr_t)(packet + 1) - 1) / 64);
    }
    weir__packet_pool_finish(&pool);
}

static void test_growing_pool_is_never_empty(void)
{
    struct weir__packet_pool pool;
    struct weir__packet_list list = {.head = NULL};
    weir__packet_pool_init(&pool);
    pool.growing = true;
    g_assert_cmpint(weir__packet_pool_reserve(&pool, 1000), ==, WEIR_OK);
    g_assert_cmpuint(pool.reserved_packets, ==, 0);
    for (int64_t i = 0; i < 10000; i++) {
        struct weir__packet *packet = weir__packet_take(&pool);
        g_assert_nonnull(packet);
        packet->seq = i;
        weir__packet_list_push(&list, packet);
        /* At most twice what was needed at a time. */
        g_assert_cmpuint(pool.reserved_packets, <, 64 + 2 * pool.used_packets);
    }
    for (int64_t i = 0; i < 10000; i++) {
        struct weir__packet *packet = weir__packet_list_pop(&list);
        g_assert_cmpint(packet->seq, ==, i);
        weir__packet_give(&pool, packet);
    }
    g_assert_cmpuint(pool.used_packets, ==, 0);
    g_assert_cmpuint(pool.refused, ==, 0);
    weir__packet_pool_finish(&pool);
}

static void test_impossible_reservations_are_refused(void)
{
    struct weir__packet_pool pool;
    weir__packet_pool_init(&pool);
    g_assert_cmpint(weir__packet_pool_reserve(&pool, SIZE_MAX), ==, WEIR_ERROR_NO_MEMORY);
    g_assert_cmpint(weir__packet_pool_reserve(&pool, 0), ==, WEIR_OK);
    g_assert_cmpuint(pool.reserved_packets, ==, 0);
    weir__packet_pool_finish(&pool);
    weir__packet_pool_finish(&pool);
}

static void test_list_keeps_the_order(void)
{
    struct weir__packet packets[20] = {{.seq = 0}};
    struct weir__packet_list list = {.head = NULL};
    int64_t pushed = 0;
    int64_t popped = 0;
    g_assert_null(weir__packet_list_pop(&list));
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < round % 7 && pushed - popped < 20; i++) {
            struct weir__packet *packet = &packets[pushed % 20];
            packet->seq = pushed++;
            weir__packet_list_push(&list, packet);
        }
        for (int i = 0; i < round % 5 && popped < pushed; i++) {
            struct weir__packet *packet = weir__packet_list_pop(&list);
            g_assert_cmpint(packet->seq, ==, popped++);
            g_assert_null(packet->next);
        }
    }
    while (popped < pushed) {
        g_assert_cmpint(weir__packet_list_pop(&list)->seq, ==, popped++);
    }
    g_assert_null(list.head);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/packet/pool_hands_out_what_was_reserved_and_no_more",
                    test_pool_hands_out_what_was_reserved_and_no_more);
    g_test_add_func("/sim/packet/pool_grows_while_packets_are_out",
                    test_pool_grows_while_packets_are_out);
    g_test_add_func("/sim/packet/taken_packets_are_blank", test_taken_packets_are_blank);
    g_test_add_func("/sim/packet/copies_share_nothing", test_copies_share_nothing);
    g_test_add_func("/sim/packet/packets_fill_one_line_of_the_cache_each",
                    test_packets_fill_one_line_of_the_cache_each);
    g_test_add_func("/sim/packet/growing_pool_is_never_empty", test_growing_pool_is_never_empty);
    g_test_add_func("/sim/packet/impossible_reservations_are_refused",
                    test_impossible_reservations_are_refused);
    g_test_add_func("/sim/packet/list_keeps_the_order", test_list_keeps_the_order);
    return g_test_run();
}
