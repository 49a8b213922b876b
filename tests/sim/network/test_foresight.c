/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sim/base/random.h"
#include "sim/network/foresight.h"
#include "sim/sim_test.h"
#include "weir/units.h"

#define DELAY_NS WEIR_MS(5)

struct rig {
    struct weir__sim sim;
    struct weir__foresight foresight;
    struct weir__packet_counters total;
};

static struct rig *rig_new(void)
{
    struct rig *rig = g_new0(struct rig, 1);
    weir__sim_init(&rig->sim);
    g_assert_cmpint(weir__foresight_init(&rig->foresight), ==, WEIR_OK);
    return rig;
}

static void rig_free(struct rig *rig)
{
    weir__foresight_finish(&rig->foresight);
    g_free(rig);
}

static void add(struct rig *rig, int64_t size_bytes, int64_t send_ns)
{
    g_assert_true(weir__foresight_has_room(&rig->foresight) ||
                  weir__foresight_make_room(&rig->foresight, &rig->sim, DELAY_NS, &rig->total));
    weir__foresight_add(&rig->foresight, &rig->sim, size_bytes, send_ns);
}

static int64_t waiting(struct rig *rig)
{
    weir__foresight_catch_up(&rig->foresight, &rig->sim);
    return weir__foresight_packets(&rig->foresight);
}

static int64_t delivered(struct rig *rig)
{
    weir__foresight_count_out(&rig->foresight, &rig->sim, DELAY_NS, &rig->total);
    return rig->total.delivered_packets;
}

/* Three packets of 10 ms at 0, one at 50 ms: what waits, what is out, when all is sent. */
static void test_services_follow_each_other(void)
{
    static const struct {
        int64_t at_ms, waiting, bytes, delivered;
    } rows[] = {{0, 2, 500, 0}, {9, 2, 500, 0}, {10, 1, 300, 0}, {14, 1, 300, 0}, {15, 1, 300, 1},
                {20, 0, 0, 1},  {25, 0, 0, 2},  {34, 0, 0, 2},   {35, 0, 0, 3},   {1000, 0, 0, 3}};
    struct rig *rig = rig_new();
    add(rig, 100, WEIR_MS(10));
    add(rig, 200, WEIR_MS(10));
    add(rig, 300, WEIR_MS(10));
    g_assert_cmpint(weir__foresight_free_ns(&rig->foresight), ==, WEIR_MS(30));
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_test_message("%" G_GINT64_FORMAT " ms", rows[i].at_ms);
        weir__sim_run_until(&rig->sim, WEIR_MS(rows[i].at_ms));
        g_assert_cmpint(waiting(rig), ==, rows[i].waiting);
        g_assert_cmpint(weir__foresight_bytes(&rig->foresight), ==, rows[i].bytes);
        g_assert_cmpint(delivered(rig), ==, rows[i].delivered);
    }
    g_assert_cmpint(rig->total.delivered_bytes, ==, 600);
    add(rig, 400, WEIR_MS(10));
    g_assert_cmpint(waiting(rig), ==, 0);
    g_assert_cmpint(weir__foresight_free_ns(&rig->foresight), ==, WEIR_MS(1010));
    rig_free(rig);
}

/* Whether somebody asks after each packet or never before the end, all are counted once. */
static void test_it_does_not_matter_when_somebody_asks(void)
{
    const uint64_t seed = 11;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    struct rig *rigs[] = {rig_new(), rig_new()};
    struct weir__random random;
    weir__random_init(&random, seed, 0);
    for (int64_t i = 0; i < 5000; i++) {
        int64_t gap_ns = weir__random_below(&random, WEIR_MS(2));
        int64_t size_bytes = 1 + weir__random_below(&random, 1500);
        for (int k = 0; k < 2; k++) {
            weir__sim_run_until(&rigs[k]->sim, rigs[k]->sim.now_ns + gap_ns);
            add(rigs[k], size_bytes, WEIR_US(size_bytes));
        }
        delivered(rigs[0]);
        g_assert_cmpint(weir__foresight_packets(&rigs[1]->foresight), >=, waiting(rigs[0]));
    }
    g_assert_cmpint(waiting(rigs[0]), ==, waiting(rigs[1]));
    g_assert_cmpint(weir__foresight_bytes(&rigs[0]->foresight), ==,
                    weir__foresight_bytes(&rigs[1]->foresight));
    g_assert_cmpint(delivered(rigs[0]), ==, delivered(rigs[1]));
    g_assert_cmpint(rigs[0]->total.delivered_bytes, ==, rigs[1]->total.delivered_bytes);
    g_assert_cmpint(weir__foresight_free_ns(&rigs[0]->foresight), ==,
                    weir__foresight_free_ns(&rigs[1]->foresight));
    rig_free(rigs[0]);
    rig_free(rigs[1]);
}

/* However many pass: what came out makes room. */
static void test_memory_is_bounded_by_what_is_inside(void)
{
    struct rig *rig = rig_new();
    for (int64_t i = 0; i < 100000; i++) {
        weir__sim_run_until(&rig->sim, WEIR_MS(i));
        add(rig, 1500, WEIR_MS(1));
    }
    g_assert_cmpuint(rig->foresight.capacity, <=, 256);
    g_assert_cmpint(delivered(rig), >=, 99990);
    rig_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/foresight/services_follow_each_other", test_services_follow_each_other);
    g_test_add_func("/sim/foresight/it_does_not_matter_when_somebody_asks",
                    test_it_does_not_matter_when_somebody_asks);
    g_test_add_func("/sim/foresight/memory_is_bounded_by_what_is_inside",
                    test_memory_is_bounded_by_what_is_inside);
    return g_test_run();
}
