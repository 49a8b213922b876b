/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/arrivals.h"

#include "test.h"
#include "weir/units.h"

static enum weir__arrival add(struct weir__arrivals *arrivals, uint32_t seq, int64_t at_ns)
{
    int64_t unwrapped;
    return weir__arrivals_add(arrivals, (uint16_t)seq, at_ns, 0, &unwrapped);
}

static bool has(const struct weir__arrivals *arrivals, int64_t seq)
{
    int64_t at_ns;
    uint8_t ecn;
    return weir__arrivals_get(arrivals, seq, &at_ns, &ecn);
}

static void test_kinds_of_arrival(void)
{
    static struct weir__arrivals arrivals;
    g_assert_false(has(&arrivals, 0));
    g_assert_cmpint(add(&arrivals, 10, 0), ==, WEIR__ARRIVAL_NEW);
    g_assert_cmpint(add(&arrivals, 13, 0), ==, WEIR__ARRIVAL_NEW);
    g_assert_cmpint(add(&arrivals, 12, 0), ==, WEIR__ARRIVAL_LATE);
    g_assert_cmpint(add(&arrivals, 12, 0), ==, WEIR__ARRIVAL_DUPLICATE);
    g_assert_cmpint(add(&arrivals, 9, 0), ==, WEIR__ARRIVAL_LATE); /* overtaken by the first */
    g_assert_cmpint(arrivals.first, ==, 9);
    g_assert_false(has(&arrivals, 11));
    g_assert_false(has(&arrivals, 14));
    g_assert_false(has(&arrivals, 8));
    g_assert_cmpint(add(&arrivals, 13U - WEIR__ARRIVALS_FIRST_SLOTS, 0), ==, WEIR__ARRIVAL_OLD);
    g_assert_cmpint(add(&arrivals, 14U - WEIR__ARRIVALS_FIRST_SLOTS, 0), ==, WEIR__ARRIVAL_LATE);
}

static void test_the_first_copy_gives_the_time_and_any_copy_the_mark(void)
{
    static struct weir__arrivals arrivals;
    int64_t seq;
    int64_t at_ns;
    uint8_t ecn;
    weir__arrivals_add(&arrivals, 7, WEIR_MS(5), 2, &seq);
    g_assert_cmpint(weir__arrivals_add(&arrivals, 7, WEIR_MS(6), 3, &seq), ==,
                    WEIR__ARRIVAL_MARKED);
    g_assert_cmpint(weir__arrivals_add(&arrivals, 7, WEIR_MS(7), 3, &seq), ==,
                    WEIR__ARRIVAL_DUPLICATE);
    g_assert_cmpint(weir__arrivals_add(&arrivals, 7, WEIR_MS(8), 1, &seq), ==,
                    WEIR__ARRIVAL_DUPLICATE);
    g_assert_true(weir__arrivals_get(&arrivals, seq, &at_ns, &ecn));
    g_assert_cmpint(at_ns, ==, WEIR_MS(5));
    g_assert_cmpuint(ecn, ==, 3);
}

static void test_times_are_exact_to_4_ns_of_either_sign(void)
{
    static struct weir__arrivals arrivals;
    const int64_t times[] = {0, 1, 3, 4, 5, 999999999, -1, -7, INT64_C(1) << 60};
    for (uint32_t i = 0; i < G_N_ELEMENTS(times); i++) {
        int64_t at_ns;
        uint8_t ecn;
        int64_t seq;
        weir__arrivals_add(&arrivals, (uint16_t)i, times[i], i & 3, &seq);
        g_assert_true(weir__arrivals_get(&arrivals, seq, &at_ns, &ecn));
        g_assert_cmpint(at_ns, <=, times[i]);
        g_assert_cmpint(times[i] - at_ns, <, 4);
        g_assert_cmpuint(ecn, ==, i & 3);
    }
}

static void test_jumps_are_what_loss_and_reordering_do_not_explain(void)
{
    static struct weir__arrivals arrivals;
    g_assert_false(weir__arrivals_is_jump(&arrivals, 5));
    add(&arrivals, 65000, 0);
    static const struct {
        int step;
        bool jump;
    } rows[] = {{0, false},    {1, false},   {2999, false}, {3000, true},
                {32767, true}, {-99, false}, {-100, true},  {-32768, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_true(weir__arrivals_is_jump(&arrivals, (uint16_t)(65000 + rows[i].step)) ==
                      rows[i].jump);
    }
}

static void test_restart_forgets_everything(void)
{
    static struct weir__arrivals arrivals;
    for (uint32_t i = 0; i < 2000; i++) {
        add(&arrivals, i, 0);
    }
    weir__arrivals_restart(&arrivals, 500);
    for (int64_t seq = 0; seq < 3000; seq++) {
        g_assert_false(has(&arrivals, seq));
    }
    g_assert_cmpint(add(&arrivals, 500, 0), ==, WEIR__ARRIVAL_NEW);
    g_assert_cmpint(weir__arrivals_oldest(&arrivals), ==, 500);
}

/* Reports after some packets each: what is not released stays, and the ring grows for it alone. */
static void test_the_ring_grows_for_what_is_not_released(void)
{
    static const struct {
        uint32_t report_packets;
        uint32_t n_slots;
    } rows[] = {{1, 128}, {128, 128}, {129, 256}, {600, 1024}, {2000, 1024}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct weir__arrivals *arrivals = g_new0(struct weir__arrivals, 1);
        for (uint32_t seq = 0; seq < 6000; seq++) {
            add(arrivals, seq, 0);
            int64_t kept = MIN(seq % rows[i].report_packets, rows[i].n_slots - 1);
            g_assert_true(has(arrivals, (int64_t)seq - kept));
            if ((seq + 1) % rows[i].report_packets == 0) {
                weir__arrivals_release(arrivals, (int64_t)seq + 1);
            }
        }
        g_assert_cmpuint(WEIR__ARRIVALS_FIRST_SLOTS << arrivals->n_doubled, ==, rows[i].n_slots);
        g_free(arrivals);
    }
}

static void test_a_late_arrival_is_kept_again(void)
{
    static struct weir__arrivals arrivals;
    for (uint32_t seq = 0; seq < 100; seq++) {
        if (seq != 50) {
            add(&arrivals, seq, 0);
        }
    }
    weir__arrivals_release(&arrivals, 100);
    g_assert_cmpint(add(&arrivals, 50, 0), ==, WEIR__ARRIVAL_LATE);
    for (uint32_t seq = 100; seq < 50 + WEIR__ARRIVALS_SLOTS; seq++) {
        add(&arrivals, seq, 0);
        g_assert_true(has(&arrivals, 50));
    }
}

/* Against a plain table of 64-bit numbers: loss, reordering, copies, jumps up to 2999, wraps. */
static void test_any_traffic_agrees_with_a_plain_table(void)
{
    for (guint32 seed = 1; seed <= 8; seed++) {
        GRand *random = g_rand_new_with_seed(seed);
        GHashTable *table = g_hash_table_new(NULL, NULL); /* number -> time in units of 4 ns */
        struct weir__arrivals *arrivals = g_new0(struct weir__arrivals, 1);
        int64_t highest = g_rand_int_range(random, 0, 65536);
        g_test_message("seed %u", seed);
        weir__arrivals_restart(arrivals, (uint16_t)highest);
        int64_t first = highest;
        for (int i = 1; i < 60000; i++) {
            int step = g_rand_int_range(random, 0, 400) == 0 ? g_rand_int_range(random, 1, 3000)
                                                             : g_rand_int_range(random, -5, 8);
            int64_t number = MAX(highest + step, first);
            int64_t unwrapped;
            weir__arrivals_add(arrivals, (uint16_t)number, 4 * i, 0, &unwrapped);
            g_assert_cmpint(unwrapped, ==, number);
            if (!g_hash_table_contains(table, GINT_TO_POINTER((int)number))) {
                g_hash_table_insert(table, GINT_TO_POINTER((int)number), GINT_TO_POINTER(i));
            }
            highest = MAX(highest, number);
            int64_t probe = highest - g_rand_int_range(random, 0, WEIR__ARRIVALS_SLOTS);
            int expected = GPOINTER_TO_INT(g_hash_table_lookup(table, GINT_TO_POINTER((int)probe)));
            int64_t at_ns = 0;
            uint8_t ecn;
            g_assert_true(weir__arrivals_get(arrivals, probe, &at_ns, &ecn) == (expected > 0));
            g_assert_cmpint(at_ns, ==, 4 * expected);
        }
        g_assert_cmpint(highest - first, >, 65536); /* it wrapped */
        g_free(arrivals);
        g_hash_table_destroy(table);
        g_rand_free(random);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/arrivals/kinds_of_arrival", test_kinds_of_arrival);
    g_test_add_func("/arrivals/the_first_copy_gives_the_time_and_any_copy_the_mark",
                    test_the_first_copy_gives_the_time_and_any_copy_the_mark);
    g_test_add_func("/arrivals/times_are_exact_to_4_ns_of_either_sign",
                    test_times_are_exact_to_4_ns_of_either_sign);
    g_test_add_func("/arrivals/jumps_are_what_loss_and_reordering_do_not_explain",
                    test_jumps_are_what_loss_and_reordering_do_not_explain);
    g_test_add_func("/arrivals/restart_forgets_everything", test_restart_forgets_everything);
    g_test_add_func("/arrivals/the_ring_grows_for_what_is_not_released",
                    test_the_ring_grows_for_what_is_not_released);
    g_test_add_func("/arrivals/a_late_arrival_is_kept_again", test_a_late_arrival_is_kept_again);
    g_test_add_func("/arrivals/any_traffic_agrees_with_a_plain_table",
                    test_any_traffic_agrees_with_a_plain_table);
    return g_test_run();
}
