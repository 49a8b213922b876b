/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "estimators/arrival_groups.h"

#include "weir/units.h"

#define LENGTH_NS WEIR_MS(5)

static bool add_ms(struct weir__arrival_groups *g, int64_t sent_ms, int64_t arrived_ms,
                   struct weir__group_delta *delta)
{
    return weir__arrival_groups_add(g, LENGTH_NS, WEIR_MS(sent_ms), WEIR_MS(arrived_ms),
                                    WEIR_MS(arrived_ms), delta);
}

/* Each row is a packet; a delta is due with the first packet of the third group. */
struct row {
    int64_t sent_ms, arrived_ms;
    bool due;
    int64_t delta_sent_ms, delta_arrived_ms;
};

static void check_rows(const struct row *rows, size_t n)
{
    struct weir__arrival_groups groups = {0};
    for (size_t i = 0; i < n; i++) {
        struct weir__group_delta delta = {-1, -1};
        g_test_message("packet %d", (int)i);
        g_assert_true(add_ms(&groups, rows[i].sent_ms, rows[i].arrived_ms, &delta) == rows[i].due);
        if (rows[i].due) {
            g_assert_cmpint(delta.sent_ns, ==, WEIR_MS(rows[i].delta_sent_ms));
            g_assert_cmpint(delta.arrived_ns, ==, WEIR_MS(rows[i].delta_arrived_ms));
        }
    }
}

static void a_delta_is_from_last_packet_to_last_packet(void)
{
    static const struct row rows[] = {
        {0, 50, false, 0, 0},    {2, 58, false, 0, 0},    {5, 66, false, 0, 0}, /* one group */
        {20, 80, false, 0, 0},   {24, 90, false, 0, 0},                         /* another */
        {40, 100, true, 19, 24}, {60, 130, true, 16, 10},
    };
    check_rows(rows, G_N_ELEMENTS(rows));
}

/* Sent 10 ms apart, arrived 2 ms apart: a queue somewhere let them go together. */
static void a_burst_is_one_group(void)
{
    static const struct row rows[] = {
        {0, 50, false, 0, 0},    {10, 90, false, 0, 0},   {20, 92, false, 0, 0},
        {30, 94, false, 0, 0},   {60, 120, true, 30, 44}, /* 10, 20 and 30 ms were one */
        {80, 140, true, 30, 26},
    };
    check_rows(rows, G_N_ELEMENTS(rows));
}

/* 100 ms after its first arrival a burst is over, however dense it is. */
static void a_burst_ends(void)
{
    struct weir__arrival_groups groups = {0};
    struct weir__group_delta delta;
    int n = 0;
    for (int i = 0; i < 200; i++) { /* sent each 10 ms, arriving each 2 ms */
        n += add_ms(&groups, 10 * i, 5000 + 2 * i, &delta);
    }
    g_assert_cmpint(n, ==, 2); /* groups of 50: the third and fourth complete a pair each */
}

static void what_is_older_than_its_group_is_ignored(void)
{
    static const struct row rows[] = {
        {0, 50, false, 0, 0},   {20, 70, false, 0, 0},   {10, 71, false, 0, 0},
        {40, 90, true, 20, 20}, {60, 110, true, 20, 20},
    };
    check_rows(rows, G_N_ELEMENTS(rows));
}

/* The third negative delta in a row begins anew, and so does a peer's clock that jumps. */
static void clocks_that_jump_begin_anew(void)
{
    static const struct row back[] = {
        {0, 5000, false, 0, 0},   {20, 5020, false, 0, 0},  {40, 1000, false, 0, 0},
        {60, 1020, false, 0, 0},  {80, 1040, false, 0, 0},  {100, 1060, false, 0, 0},
        {120, 1080, false, 0, 0}, {140, 1100, false, 0, 0}, {160, 1120, true, 20, 20},
    };
    check_rows(back, G_N_ELEMENTS(back));
    struct weir__arrival_groups groups = {0};
    struct weir__group_delta delta;
    for (int64_t i = 0; i < 10; i++) { /* the peer's clock jumps by 3 s before the fifth packet */
        int64_t arrived_ns = WEIR_MS(20 * i + (i >= 5 ? 3000 : 0));
        bool due = weir__arrival_groups_add(&groups, LENGTH_NS, WEIR_MS(20 * i), arrived_ns,
                                            WEIR_MS(20 * i), &delta);
        g_assert_true(due == ((i >= 2 && i < 6) || i == 9));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/arrival_groups/" #name, name)
    ADD(a_delta_is_from_last_packet_to_last_packet);
    ADD(a_burst_is_one_group);
    ADD(a_burst_ends);
    ADD(what_is_older_than_its_group_is_ignored);
    ADD(clocks_that_jump_begin_anew);
    return g_test_run();
}
