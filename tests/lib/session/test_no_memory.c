/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sessions, queues and shares allocate when they are created, and say so when they cannot. Linked
 * so that each allocation can fail. */
#include "allocations.h"
#include "test.h"
#include "weir/queue.h"
#include "weir/receiver.h"
#include "weir/sender.h"
#include "weir/shares.h"

static bool create_sender(enum weir_status *status)
{
    struct weir_sender_config config;
    weir_sender_config_init(&config);
    struct weir_sender *sender = weir_sender_create(&config, 0, status);
    weir_sender_destroy(sender);
    return sender != NULL;
}

static bool create_receiver(enum weir_status *status)
{
    struct weir_receiver_config config;
    weir_receiver_config_init(&config);
    struct weir_receiver *receiver = weir_receiver_create(&config, 0, status);
    weir_receiver_destroy(receiver);
    return receiver != NULL;
}

static void ignore_drop(void *user, const struct weir_queue_item *item)
{
    (void)user;
    (void)item;
}

static bool create_queue(enum weir_status *status)
{
    struct weir_queue_config config;
    weir_queue_config_init(&config);
    config.on_drop = ignore_drop;
    struct weir_queue *queue = weir_queue_create(&config, status);
    weir_queue_destroy(queue);
    return queue != NULL;
}

static bool create_shares(enum weir_status *status)
{
    struct weir_shares *shares = weir_shares_create(status);
    weir_shares_destroy(shares);
    return shares != NULL;
}

static void test_each_allocation_may_fail(void)
{
    static const struct {
        bool (*create)(enum weir_status *status);
        int allocations;
    } rows[] = {{create_sender, 1}, {create_receiver, 1}, {create_queue, 1}, {create_shares, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        for (int n = 0; n <= rows[i].allocations; n++) {
            enum weir_status status = WEIR_OK;
            n_allocations = 0;
            failing_allocation = n;
            bool created = rows[i].create(&status);
            g_assert_true(created == (n == rows[i].allocations));
            g_assert_cmpint(status, ==, created ? WEIR_OK : WEIR_ERROR_NO_MEMORY);
            g_assert_cmpint(n_allocations, ==, created ? n : n + 1);
        }
    }
    failing_allocation = -1;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/no_memory/each_allocation_may_fail", test_each_allocation_may_fail);
    return g_test_run();
}
