/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../../test.h"
#include "sim/network/queue_pie.h"
#include "weir/units.h"

#define LONG_QUEUE_BYTES 30000

static struct weir__pie make(bool marks)
{
    struct weir__pie_config config;
    struct weir__pie pie;
    weir__pie_config_default(&config);
    config.mark_ecn = marks;
    g_assert_cmpint(weir__pie_init(&pie, &config), ==, WEIR_OK);
    return pie;
}

/* RFC 8033 4.2: alpha 1/8, beta 1 1/4, less with small probabilities; 5.5: at most 0.02 at once. */
static void test_probability_follows_the_controller(void)
{
    static const struct {
        double p;
        int64_t wait_ms, last_ms;
        double next;
    } cases[] = {
        {0.2, 15, 15, 0.2},
        {0.2, 25, 25, 0.20125}, /* 1/8 * 10 ms */
        {0.2, 25, 15, 0.21375}, /* and 1.25 * 10 ms */
        {0.2, 65, 15, 0.22},    /* 0.06875 */
        {0.05, 65, 15, 0.05 + 0.06875 / 2},
        {0.005, 65, 15, 0.005 + 0.06875 / 8},
        {0.0005, 65, 15, 0.0005 + 0.06875 / 32},
        {0.00005, 65, 15, 0.00005 + 0.06875 / 128},
        {0.000005, 65, 15, 0.000005 + 0.06875 / 512},
        {0.0, 65, 15, 0.06875 / 2048},
        {0.2, 0, 0, (0.2 - 0.001875) * 0.98},
        {0.001, 0, 15, 0.0},
        {0.999, 500, 100, 1.0},
    };
    struct weir__pie_config config;
    weir__pie_config_default(&config);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_near(weir__pie_step(&config, cases[i].p, WEIR_MS(cases[i].wait_ms),
                                   WEIR_MS(cases[i].last_ms)),
                    cases[i].next, 1e-12);
    }
}

/* RFC 8033 4.4: the first 150 ms of a queue, and those after an idle time. */
static void test_burst_is_let_through(void)
{
    struct weir__pie pie = make(false);
    int64_t first_ns = 0;
    for (int64_t ms = 0; ms < 400 && first_ns == 0; ms++) {
        weir__pie_update(&pie, WEIR_MS(ms), 0);
        first_ns = pie.burst_left_ns == 0 ? WEIR_MS(ms) : 0;
    }
    g_assert_cmpint(first_ns, ==, WEIR_MS(150));
    g_assert_true(pie.probability > 0.0);
    weir__pie_update(&pie, WEIR_SECONDS(60), WEIR_NEVER_NS);
    assert_near(pie.probability, 0.0, 1e-15);
    g_assert_cmpint(pie.burst_left_ns, ==, pie.config.burst_ns);
}

static int count(struct weir__pie *pie, int64_t queue_bytes, bool is_capable,
                 enum weir__pie_verdict verdict)
{
    struct weir__random random;
    int n = 0;
    weir__random_init(&random, 5, 0);
    for (int i = 0; i < 20000; i++) {
        n += weir__pie_on_arrival(pie, queue_bytes, is_capable, &random) == verdict;
    }
    return n;
}

/* RFC 8033 4.1 and 5.1: who is dropped, who is marked. 5.4 spaces the drops, so that there are
 * fewer than the probability says: on average one in 0.85/p + 1/p packets. */
static void test_who_is_dropped_and_who_is_marked(void)
{
    static const struct {
        double probability;
        int64_t queue_bytes, wait_ms;
        bool marks, is_capable;
        int marked, dropped;
    } cases[] = {
        {0.05, LONG_QUEUE_BYTES, 20, false, true, 0, 541},
        {0.05, LONG_QUEUE_BYTES, 20, true, true, 541, 0},
        {0.05, LONG_QUEUE_BYTES, 20, true, false, 0, 541},
        {0.15, LONG_QUEUE_BYTES, 20, true, true, 0, 1622}, /* above mark_ecnth */
        {0.15, LONG_QUEUE_BYTES, 7, false, false, 0, 0},   /* the wait is short */
        {0.25, LONG_QUEUE_BYTES, 7, false, false, 0, 2703},
        {0.25, 3000, 20, false, false, 0, 0}, /* two packets */
        {0.0, LONG_QUEUE_BYTES, 20, false, false, 0, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__pie pie = make(cases[i].marks);
        pie.burst_left_ns = 0;
        pie.probability = cases[i].probability;
        pie.wait_ns = WEIR_MS(cases[i].wait_ms);
        struct weir__pie again = pie;
        assert_near(count(&pie, cases[i].queue_bytes, cases[i].is_capable, WEIR__PIE_MARK),
                    cases[i].marked, 0.1 * cases[i].marked + 0.5);
        assert_near(count(&again, cases[i].queue_bytes, cases[i].is_capable, WEIR__PIE_DROP),
                    cases[i].dropped, 0.1 * cases[i].dropped + 0.5);
    }
}

static void test_values_outside_their_range_are_refused(void)
{
    struct weir__pie pie;
    for (int i = 0; i < 7; i++) {
        struct weir__pie_config config;
        weir__pie_config_default(&config);
        config.target_ns = i == 0 ? 0 : config.target_ns;
        config.update_ns = i == 1 ? -1 : config.update_ns;
        config.burst_ns = i == 2 ? -1 : config.burst_ns;
        config.alpha_hz = i == 3 ? 0.0 : config.alpha_hz;
        config.beta_hz = i == 4 ? 0.0 : config.beta_hz;
        config.mean_packet_bytes = i == 5 ? 0 : config.mean_packet_bytes;
        config.mark_below = i == 6 ? 1.5 : config.mark_below;
        g_assert_cmpint(weir__pie_init(&pie, &config), ==, WEIR_ERROR_RANGE);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sim/pie/probability_follows_the_controller",
                    test_probability_follows_the_controller);
    g_test_add_func("/sim/pie/burst_is_let_through", test_burst_is_let_through);
    g_test_add_func("/sim/pie/who_is_dropped_and_who_is_marked",
                    test_who_is_dropped_and_who_is_marked);
    g_test_add_func("/sim/pie/values_outside_their_range_are_refused",
                    test_values_outside_their_range_are_refused);
    return g_test_run();
}
