/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../test.h"
#include "sim/base/bitring.h"
#include "sim/base/random.h"

static void test_capacity_is_at_least_what_was_asked(void)
{
    for (int64_t capacity = 1; capacity < 5000; capacity += 37) {
        struct weir__bitring ring;
        g_assert_cmpint(weir__bitring_init(&ring, capacity), ==, WEIR_OK);
        g_assert_cmpint(weir__bitring_capacity(&ring), >=, capacity);
        g_assert_cmpint(weir__bitring_capacity(&ring), <=, 2 * capacity + 64);
        for (int64_t n = 0; n < weir__bitring_capacity(&ring); n++) {
            g_assert_false(weir__bitring_test(&ring, n));
        }
        weir__bitring_finish(&ring);
        weir__bitring_finish(&ring);
    }
}

#define MODEL 256

/* A ring of 256 bits beside an array of bool, over a window that slides. */
struct model {
    struct weir__bitring ring;
    bool bits[MODEL];
    int64_t low;
};

static int64_t model_next_clear(const struct model *m, int64_t first, int64_t end)
{
    while (first < end && m->bits[first % MODEL]) {
        first++;
    }
    return first < end ? first : end;
}

static void check_model(const struct model *m)
{
    int64_t end = m->low + MODEL;
    for (int64_t n = m->low; n < end; n += 3) {
        g_assert_cmpint(weir__bitring_test(&m->ring, n), ==, m->bits[n % MODEL]);
        for (int64_t e = n; e <= end; e += 29) {
            g_assert_cmpint(weir__bitring_next_clear(&m->ring, n, e), ==,
                            model_next_clear(m, n, e));
        }
        if (m->bits[n % MODEL]) {
            int64_t start = n;
            while (start > m->low && m->bits[(start - 1) % MODEL]) {
                start--;
            }
            g_assert_cmpint(weir__bitring_run_start(&m->ring, n, m->low), ==, start);
        }
    }
}

static void test_ring_agrees_with_an_array_while_it_slides(void)
{
    const uint64_t seed = 21;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    struct model m = {.low = 0};
    struct weir__random random;
    weir__random_init(&random, seed, 0);
    g_assert_cmpint(weir__bitring_init(&m.ring, MODEL), ==, WEIR_OK);
    g_assert_cmpint(weir__bitring_capacity(&m.ring), ==, MODEL);
    for (int step = 0; step < 1500; step++) {
        int64_t first = m.low + weir__random_below(&random, MODEL);
        int64_t end = first + weir__random_below(&random, m.low + MODEL - first + 1);
        bool value = weir__random_chance(&random, 0.6);
        if (value) {
            weir__bitring_set(&m.ring, first, end);
        } else {
            weir__bitring_clear(&m.ring, first, end);
        }
        for (int64_t n = first; n < end; n++) {
            m.bits[n % MODEL] = value;
        }
        int64_t slide = weir__random_chance(&random, 0.3) ? weir__random_below(&random, 90) : 0;
        weir__bitring_clear(&m.ring, m.low, m.low + slide);
        for (int64_t n = m.low; n < m.low + slide; n++) {
            m.bits[n % MODEL] = false;
        }
        m.low += slide;
        check_model(&m);
    }
    weir__bitring_finish(&m.ring);
}

static void test_clearing_a_whole_turn_clears_everything(void)
{
    struct weir__bitring ring;
    g_assert_cmpint(weir__bitring_init(&ring, 128), ==, WEIR_OK);
    for (int64_t low = 0; low < 300; low += 13) {
        weir__bitring_set(&ring, low, low + 128);
        g_assert_cmpint(weir__bitring_next_clear(&ring, low, low + 128), ==, low + 128);
        weir__bitring_clear(&ring, low, low + 128);
        for (int64_t n = low; n < low + 128; n++) {
            g_assert_false(weir__bitring_test(&ring, n));
        }
    }
    weir__bitring_finish(&ring);
}

static void test_empty_ranges_change_nothing(void)
{
    struct weir__bitring ring;
    g_assert_cmpint(weir__bitring_init(&ring, 64), ==, WEIR_OK);
    weir__bitring_set(&ring, 5, 5);
    weir__bitring_set(&ring, 6, 5);
    g_assert_cmpint(weir__bitring_next_clear(&ring, 0, 64), ==, 0);
    g_assert_cmpint(weir__bitring_next_clear(&ring, 9, 9), ==, 9);
    weir__bitring_finish(&ring);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/bitring/capacity_is_at_least_what_was_asked",
                    test_capacity_is_at_least_what_was_asked);
    g_test_add_func("/sim/bitring/ring_agrees_with_an_array_while_it_slides",
                    test_ring_agrees_with_an_array_while_it_slides);
    g_test_add_func("/sim/bitring/clearing_a_whole_turn_clears_everything",
                    test_clearing_a_whole_turn_clears_everything);
    g_test_add_func("/sim/bitring/empty_ranges_change_nothing", test_empty_ranges_change_nothing);
    return g_test_run();
}
