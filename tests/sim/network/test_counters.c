/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/network/counters.h"

#include "test.h"

/* Every counter another number. */
static struct weir__packet_counters numbered(int64_t step)
{
    struct weir__packet_counters counters;
    int64_t values[sizeof counters / sizeof(int64_t)];
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        values[i] = step * (int64_t)(i + 1);
    }
    memcpy(&counters, values, sizeof counters);
    return counters;
}

static void test_every_counter_is_added_and_taken_off(void)
{
    struct weir__packet_counters sum = numbered(1000), part = numbered(30), both = numbered(1030);
    struct weir__packet_counters before = sum;
    weir__packet_counters_add(&sum, &part, 1);
    g_assert_true(memcmp(&sum, &both, sizeof sum) == 0);
    weir__packet_counters_add(&sum, &part, -1);
    g_assert_true(memcmp(&sum, &before, sizeof sum) == 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link_counters/every_counter_is_added_and_taken_off",
                    test_every_counter_is_added_and_taken_off);
    return g_test_run();
}
