/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/recent_loss.h"

#include "test.h"
#include "weir/units.h"

static struct weir__recent_loss fresh(void)
{
    struct weir__recent_loss loss;
    weir__recent_loss_init(&loss);
    return loss;
}

static void test_the_ratio_is_that_of_the_counts(void)
{
    static const struct {
        int64_t received, lost, ppm;
    } table[] = {{0, 0, 0},
                 {1, 0, 0},
                 {0, 1, 1000000},
                 {3, 1, 250000},
                 {99, 1, 10000},
                 {10, -1, 0},
                 /* more late ones than losses */ {1000000, 1, 0},
                 {999999, 1, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        struct weir__recent_loss loss = fresh();
        weir__recent_loss_add(&loss, WEIR_SECONDS(5), table[i].received, table[i].lost);
        g_assert_cmpint(weir__recent_loss_ppm(&loss, WEIR_SECONDS(6)), ==, table[i].ppm);
    }
}

/* Each second counts in its own and the nine after it, wherever in it the packet was reported, and
 * whatever its place held before. */
static void test_a_loss_counts_for_ten_seconds(void)
{
    struct weir__recent_loss loss = fresh();
    for (int64_t second = 0; second < 100; second += 11) {
        int64_t at_ns = WEIR_SECONDS(second) + WEIR_MS(90 * (second % 11));
        weir__recent_loss_add(&loss, at_ns, 0, 1);
        for (int64_t later = 0; later <= 10; later++) {
            g_assert_cmpint(weir__recent_loss_ppm(&loss, WEIR_SECONDS(second + later)), ==,
                            later < 10 ? 1000000 : 0);
        }
    }
}

static void test_a_late_arrival_takes_its_loss_back(void)
{
    struct weir__recent_loss loss = fresh();
    weir__recent_loss_add(&loss, WEIR_SECONDS(1), 8, 2);
    weir__recent_loss_add(&loss, WEIR_SECONDS(2), 1, -1);
    g_assert_cmpint(weir__recent_loss_ppm(&loss, WEIR_SECONDS(3)), ==, 100000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/recent_loss/the_ratio_is_that_of_the_counts",
                    test_the_ratio_is_that_of_the_counts);
    g_test_add_func("/recent_loss/a_loss_counts_for_ten_seconds",
                    test_a_loss_counts_for_ten_seconds);
    g_test_add_func("/recent_loss/a_late_arrival_takes_its_loss_back",
                    test_a_late_arrival_takes_its_loss_back);
    return g_test_run();
}
