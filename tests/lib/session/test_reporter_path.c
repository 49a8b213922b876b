/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/reporter_path.h"

#include "test.h"
#include "weir/units.h"

enum { PER_REPORT = 10 };

/* Ten packets in 100 ms, of which `lost` are, each with the same delay. Returns whether it had
 * news. */
static bool tell(struct weir__reporter_path *path, int64_t report, int lost, int64_t delay_ns)
{
    for (int i = 0; i < PER_REPORT; i++) {
        weir__reporter_path_on_packet(path, PER_REPORT * report + i, i >= lost);
    }
    return weir__reporter_path_on_report(path, WEIR_MS(100) * (report + 1), delay_ns);
}

static struct weir__reporter_path told(int n_reports, int lost, int64_t queueing_ns)
{
    struct weir__reporter_path path = {0};
    for (int64_t i = 0; i < n_reports; i++) {
        g_assert_true(tell(&path, i, lost, WEIR_SECONDS(77) + (i > 0 ? queueing_ns : 0)));
    }
    return path;
}

static struct weir__reporter_figures figures_of(const struct weir__reporter_path *path,
                                                int64_t now_ns)
{
    struct weir__reporter_figures figures = {-1, -1};
    g_assert_true(weir__reporter_path_get(path, now_ns, &figures));
    return figures;
}

static void test_figures_are_of_the_last_second(void)
{
    struct weir__reporter_path path = told(100, 3, WEIR_MS(50));
    struct weir__reporter_figures figures = figures_of(&path, WEIR_SECONDS(10));
    g_assert_cmpint(figures.loss_ppm, ==, 300000);
    g_assert_cmpint(figures.queueing_ns, >=, WEIR_MS(49));
    g_assert_cmpint(figures.queueing_ns, <=, WEIR_MS(50));
    for (int64_t i = 100; i < 110; i++) {
        tell(&path, i, 0, WEIR_SECONDS(77));
    }
    g_assert_cmpint(figures_of(&path, WEIR_SECONDS(11)).loss_ppm, ==, 0);
}

static void test_few_packets_make_no_figures(void)
{
    struct weir__reporter_path path = told(3, 10, 0);
    struct weir__reporter_path good = told(100, 0, 0);
    struct weir__reporter_figures figures;
    g_assert_false(weir__reporter_path_get(&path, WEIR_SECONDS(1), &figures));
    g_assert_false(weir__reporter_path_is_worse(&path, &good, WEIR_SECONDS(1)));
    g_assert_false(weir__reporter_path_is_worse(&good, &path, WEIR_SECONDS(1)));
    tell(&path, 3, 10, WEIR_UNKNOWN_NS);
    g_assert_true(weir__reporter_path_is_worse(&path, &good, WEIR_SECONDS(1)));
}

static void test_a_packet_counts_once_and_may_arrive_late(void)
{
    struct weir__reporter_path path = {0};
    for (int64_t i = 0; i < 40; i++) {
        weir__reporter_path_on_packet(&path, i, i % 2 == 0);
    }
    g_assert_true(weir__reporter_path_on_report(&path, WEIR_MS(1), WEIR_UNKNOWN_NS));
    g_assert_cmpint(figures_of(&path, WEIR_MS(1)).loss_ppm, ==, 500000);
    for (int64_t i = 0; i < 40; i++) {
        weir__reporter_path_on_packet(&path, i, true);
        weir__reporter_path_on_packet(&path, i, false);
    }
    g_assert_false(weir__reporter_path_on_report(&path, WEIR_MS(2), WEIR_UNKNOWN_NS));
    g_assert_cmpint(figures_of(&path, WEIR_MS(2)).loss_ppm, ==, 0);
    g_assert_cmpint(path.pulse.news_ns, ==, WEIR_MS(1));
}

/* Reports on what was told long ago change nothing: they may be replayed. */
static void test_old_numbers_are_no_news(void)
{
    struct weir__reporter_path path = told(20, 0, 0);
    struct weir__reporter_path before = path;
    for (int64_t i = 0; i < 130; i++) {
        weir__reporter_path_on_packet(&path, i, false);
    }
    g_assert_false(weir__reporter_path_on_report(&path, WEIR_SECONDS(2), WEIR_SECONDS(99)));
    g_assert_true(memcmp(&path, &before, sizeof(path)) == 0);
}

static void test_numbers_far_apart_are_told_of_once(void)
{
    struct weir__reporter_path path = {0};
    for (int64_t i = 0; i < 32; i++) {
        weir__reporter_path_on_packet(&path, 5 + 100 * i, true);
    }
    weir__reporter_path_on_report(&path, WEIR_MS(1), WEIR_UNKNOWN_NS);
    g_assert_cmpuint(path.received, ==, 1);
    g_assert_cmpint(figures_of(&path, WEIR_MS(1)).loss_ppm, ==, 0);
}

static void test_queueing_is_unknown_without_arrival_times(void)
{
    struct weir__reporter_path path = {0};
    for (int64_t i = 0; i < 10; i++) {
        tell(&path, i, 0, WEIR_UNKNOWN_NS);
    }
    g_assert_cmpint(figures_of(&path, WEIR_SECONDS(1)).queueing_ns, ==, WEIR_UNKNOWN_NS);
}

/* Both at an end of what can come: of any two at most one is worse. */
static void test_less_gets_through_a_worse_path(void)
{
    static const struct {
        int lost; /* of ten */
        int64_t queueing_ns;
        bool is_worse; /* than a path without either */
    } cases[] = {
        {0, 0, false},
        {0, WEIR_MS(20), false},
        {0, WEIR_MS(40), true},
        {0, WEIR_MS(300), true},
        {0, WEIR_SECONDS(9), true},
        {1, 0, true},
        {5, WEIR_MS(300), true},
        {10, 0, true},
    };
    struct weir__reporter_path good = told(100, 0, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__reporter_path path = told(100, cases[i].lost, cases[i].queueing_ns);
        g_assert_cmpint(weir__reporter_path_is_worse(&path, &good, WEIR_SECONDS(10)), ==,
                        cases[i].is_worse);
        for (size_t k = 0; k < G_N_ELEMENTS(cases); k++) {
            struct weir__reporter_path other = told(100, cases[k].lost, cases[k].queueing_ns);
            g_assert_false(weir__reporter_path_is_worse(&path, &other, WEIR_SECONDS(10)) &&
                           weir__reporter_path_is_worse(&other, &path, WEIR_SECONDS(10)));
        }
    }
}

/* One packet of the 64 or more that the figures rest on. */
static void test_a_single_loss_makes_nobody_worse(void)
{
    struct weir__reporter_path good = told(100, 0, 0), path = told(100, 0, 0);
    for (int64_t i = 100; i < 200; i++) {
        tell(&path, i, i % 20 == 0, WEIR_SECONDS(77));
        g_assert_false(weir__reporter_path_is_worse(&path, &good, WEIR_SECONDS(10)));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reporter_path/figures_are_of_the_last_second",
                    test_figures_are_of_the_last_second);
    g_test_add_func("/reporter_path/few_packets_make_no_figures", test_few_packets_make_no_figures);
    g_test_add_func("/reporter_path/a_packet_counts_once_and_may_arrive_late",
                    test_a_packet_counts_once_and_may_arrive_late);
    g_test_add_func("/reporter_path/old_numbers_are_no_news", test_old_numbers_are_no_news);
    g_test_add_func("/reporter_path/numbers_far_apart_are_told_of_once",
                    test_numbers_far_apart_are_told_of_once);
    g_test_add_func("/reporter_path/queueing_is_unknown_without_arrival_times",
                    test_queueing_is_unknown_without_arrival_times);
    g_test_add_func("/reporter_path/less_gets_through_a_worse_path",
                    test_less_gets_through_a_worse_path);
    g_test_add_func("/reporter_path/a_single_loss_makes_nobody_worse",
                    test_a_single_loss_makes_nobody_worse);
    return g_test_run();
}
