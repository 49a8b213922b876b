/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "test.h"
#include <glib/gstdio.h>
#include <locale.h>

static struct link_settings with(const char *name, const char *value)
{
    struct link_settings settings;
    set_all(&settings, (const char *const[]){name, value, NULL});
    return settings;
}

static void test_each_setting_reaches_the_path(void)
{
    struct weir__path_config config;
    struct link_settings settings;
    set_all(&settings, (const char *const[]){"capacity",
                                             "2.5M",
                                             "delay",
                                             "20ms",
                                             "jitter",
                                             "3ms",
                                             "queue-time",
                                             "150ms",
                                             "queue-packets",
                                             "50",
                                             "queue-bytes",
                                             "60000",
                                             "discipline",
                                             "red",
                                             "ecn",
                                             "on",
                                             "duplicate",
                                             "0.1",
                                             "reorder",
                                             "0.2",
                                             "reorder-delay",
                                             "5ms",
                                             "corrupt",
                                             "0.3",
                                             "seed",
                                             "7",
                                             "schedule",
                                             "0:1M",
                                             "policer-rate",
                                             "2M",
                                             "policer-burst",
                                             "30000",
                                             "shaper-rate",
                                             "3M",
                                             "shaper-burst",
                                             "40000",
                                             "aggregate-packets",
                                             "32",
                                             "aggregate-time",
                                             "5ms",
                                             "access-time",
                                             "3ms",
                                             "delay-schedule",
                                             "20:90ms",
                                             "cross-traffic",
                                             "reno",
                                             "loss",
                                             "0.4",
                                             NULL});
    link_settings_config(&settings, &config);
    g_assert_cmpint(config.link.capacity_bps, ==, 2500000);
    g_assert_cmpint(config.link.delay_ns, ==, WEIR_MS(20));
    g_assert_cmpint(config.link.jitter_ns, ==, WEIR_MS(3));
    g_assert_cmpint(config.link.queue.limit.time_ns, ==, WEIR_MS(150));
    g_assert_cmpint(config.link.queue.limit.packets, ==, 50);
    g_assert_cmpint(config.link.queue.limit.bytes, ==, 60000);
    g_assert_cmpint(config.link.queue.discipline, ==, WEIR__QUEUE_RED);
    g_assert_true(config.mark_ecn);
    assert_near(config.link.duplicate, 0.1, 1e-12);
    assert_near(config.link.reorder, 0.2, 1e-12);
    g_assert_cmpint(config.link.reorder_delay_ns, ==, WEIR_MS(5));
    assert_near(config.link.corrupt, 0.3, 1e-12);
    g_assert_cmpuint(config.link.seed, ==, 7);
    g_assert_cmpstr(config.schedule, ==, "0:1M");
    g_assert_cmpstr(config.delay_schedule, ==, "20:90ms");
    g_assert_cmpint(config.link.policer.rate_bps, ==, 2000000);
    g_assert_cmpint(config.link.policer.burst_bytes, ==, 30000);
    g_assert_cmpint(config.link.shaper.rate_bps, ==, 3000000);
    g_assert_cmpint(config.link.shaper.burst_bytes, ==, 40000);
    g_assert_cmpint(config.link.aggregation.packets, ==, 32);
    g_assert_cmpint(config.link.aggregation.airtime_ns, ==, WEIR_MS(5));
    g_assert_cmpint(config.link.aggregation.access_ns, ==, WEIR_MS(3));
    g_assert_cmpstr(config.cross_traffic, ==, "reno");
    g_assert_cmpint(config.link.loss.model, ==, WEIR__LOSS_BERNOULLI);
    link_settings_finish(&settings);
}

static void test_a_wrong_value_is_named_with_its_range_and_changes_nothing(void)
{
    static const char *const wrong[][3] = {
        {"capacity", "x", "bit/s from 0 to 100G"},
        {"capacity", "101G", "100G"},
        {"capacity", "-1", "0 to 100G"},
        {"delay", "20", "unit"},
        {"delay", "3601s", "3600s"},
        {"queue-packets", "1.5", "packets from 0"},
        {"queue-packets", "1000001", "1000000"},
        {"queue-bytes", "x", "bytes"},
        {"ecn", "yes", "on or off"},
        {"discipline", "fifo", "one of droptail red codel fq_codel pie dualpi2"},
        {"loss", "1.1", "probability"},
        {"loss-burst", "0.5", "1 to 10000"},
        {"duplicate", "2", "probability"},
        {"reorder", "-1", "probability"},
        {"corrupt", "nan", "probability"},
        {"seed", "9007199254740992", "2^53"},
        {"jitter", "ms", "unit"},
        {"policer-burst", "0", "1 to 10^9"},
        {"aggregate-packets", "65537", "0 (none) to 65536"},
        {"aggregate-time", "0", "1ns to 3600s"}};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        GError *error = NULL;
        struct link_settings settings, before;
        link_settings_init(&settings);
        before = settings;
        g_assert_false(
            link_settings_set(&settings, link_settings_find(wrong[i][0]), wrong[i][1], &error));
        g_assert_true(memcmp(&settings, &before, sizeof settings) == 0);
        g_assert_true(g_str_has_prefix(error->message, wrong[i][0]));
        expect_error(&error, LINK_EXIT_WRONG, wrong[i][2]);
    }
}

static void test_disciplines_have_the_names_of_scenarios(void)
{
    for (gsize i = 0; i < WEIR__QUEUE_DISCIPLINES; i++) {
        struct weir__path_config config;
        struct link_settings settings = with("discipline", weir__queue_names[i]);
        link_settings_config(&settings, &config);
        g_assert_cmpuint(config.link.queue.discipline, ==, i);
        g_assert_cmpint(weir__queue_check(&config.link.queue, 1000000, 0), ==, WEIR_OK);
        link_settings_finish(&settings);
    }
}

static void test_the_trace_is_read_from_its_file(void)
{
    GError *error = NULL;
    char *name = NULL;
    char *text = NULL;
    int fd = g_file_open_tmp("trace-XXXXXX", &name, NULL);
    g_close(fd, NULL);
    g_assert_true(g_file_set_contents(name, "2\n5\n", -1, NULL));
    struct link_settings settings = with("trace", name);
    g_assert_true(link_settings_read_trace(&settings, &text, &error));
    g_assert_cmpstr(text, ==, "2\n5\n");
    g_free(text);
    g_remove(name);
    g_assert_false(link_settings_read_trace(&settings, &text, &error));
    expect_error(&error, LINK_EXIT_WRONG, name);
    link_settings_finish(&settings);
    g_free(name);
    link_settings_init(&settings);
    g_assert_true(link_settings_read_trace(&settings, &text, &error));
    g_assert_null(text);
}

static void test_the_default_queue_gives_way_to_any_other_limit(void)
{
    static const struct {
        const char *name, *value;
        int64_t time_ns;
    } cases[] = {{"seed", "1", WEIR_MS(200)},         {"queue-packets", "50", 0},
                 {"queue-bytes", "5000", 0},          {"queue-packets", "0", WEIR_MS(200)},
                 {"queue-time", "50ms", WEIR_MS(50)}, {"queue-time", "0", 0}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct weir__path_config config;
        struct link_settings settings = with(cases[i].name, cases[i].value);
        link_settings_config(&settings, &config);
        g_assert_cmpint(config.link.queue.limit.time_ns, ==, cases[i].time_ns);
    }
}

static void test_bursts_of_loss_keep_the_ratio(void)
{
    struct link_settings settings;
    struct weir__path_config config;
    set_all(&settings, (const char *const[]){"loss", "0.02", "loss-burst", "5", NULL});
    link_settings_config(&settings, &config);
    g_assert_cmpint(config.link.loss.model, ==, WEIR__LOSS_GILBERT);
    assert_near(1.0 / config.link.loss.p_bad_to_good, 5.0, 1e-12);
    set_all(&settings, NULL);
    link_settings_config(&settings, &config);
    g_assert_cmpint(config.link.loss.model, ==, WEIR__LOSS_NONE);
}

static void test_a_name_that_is_none_is_not_found(void)
{
    g_assert_null(link_settings_find("capacit"));
    g_assert_null(link_settings_find(""));
    for (gsize i = 0; i < link_settings_count; i++) {
        g_assert_true(link_settings_find(link_settings_table[i].name) == &link_settings_table[i]);
    }
}

typedef gboolean (*read_function)(const char *text, int64_t *value);

struct known {
    const char *text;
    int64_t value; /* -1: refused */
};

static void check(read_function read, const struct known *known)
{
    for (; known->text; known++) {
        int64_t value = -2;
        gboolean good = read(known->text, &value);
        g_test_message("'%s'", known->text);
        g_assert_cmpint(good, ==, known->value >= 0);
        if (good) {
            g_assert_cmpint(value, ==, known->value);
        }
    }
}

static void test_rates_have_thousands_and_fractions(void)
{
    const struct known known[] = {
        {"0", 0},         {"1000", 1000}, {"800k", 800000}, {"2.5M", 2500000}, {"1G", 1000000000},
        {"0.3k", 300},    {"", -1},       {"k", -1},        {"-1", -1},        {"+1", -1},
        {"1m", -1},       {"1 M", -1},    {"1Mx", -1},      {"nan", -1},       {"inf", -1},
        {"0x10", -1},     {"1e400", -1},  {"1e30", -1},     {"2,5M", -1},      {" 1", -1},
        {"1e6", 1000000}, {NULL, 0}};
    check(link_value_rate, known);
}

static void test_times_need_a_unit(void)
{
    const struct known known[] = {{"0", 0},          {"20ms", 20000000}, {"1.5s", 1500000000},
                                  {"200us", 200000}, {"7ns", 7},         {"20", -1},
                                  {"ms", -1},        {"20 ms", -1},      {"20m", -1},
                                  {"-1s", -1},       {"1e300s", -1},     {"", -1},
                                  {NULL, 0}};
    check(link_value_time, known);
}

static void test_whole_numbers_are_whole(void)
{
    const struct known known[] = {{"0", 0},
                                  {"17", 17},
                                  {"1.5", -1},
                                  {"-1", -1},
                                  {"1k", -1},
                                  {"", -1},
                                  {"9223372036854775808", -1},
                                  {NULL, 0}};
    check(link_value_whole, known);
}

static void test_real_numbers_use_a_point(void)
{
    double value = 0;
    g_assert_true(link_value_real("0.25", &value));
    assert_near(value, 0.25, 1e-12);
    for (const char *const *text =
             (const char *const[]){"", "x", "0,5", "0.5x", "-0.5", "nan", NULL};
         *text; text++) {
        g_assert_false(link_value_real(*text, &value));
    }
}

static void test_the_locale_changes_nothing(void)
{
    int64_t value = 0;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is one */
    g_assert_true(link_value_rate("2.5M", &value));
    g_assert_cmpint(value, ==, 2500000);
    setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link/settings/each_setting_reaches_the_path",
                    test_each_setting_reaches_the_path);
    g_test_add_func("/link/settings/a_wrong_value_is_named_with_its_range_and_changes_nothing",
                    test_a_wrong_value_is_named_with_its_range_and_changes_nothing);
    g_test_add_func("/link/settings/disciplines_have_the_names_of_scenarios",
                    test_disciplines_have_the_names_of_scenarios);
    g_test_add_func("/link/settings/the_trace_is_read_from_its_file",
                    test_the_trace_is_read_from_its_file);
    g_test_add_func("/link/settings/the_default_queue_gives_way_to_any_other_limit",
                    test_the_default_queue_gives_way_to_any_other_limit);
    g_test_add_func("/link/settings/bursts_of_loss_keep_the_ratio",
                    test_bursts_of_loss_keep_the_ratio);
    g_test_add_func("/link/settings/a_name_that_is_none_is_not_found",
                    test_a_name_that_is_none_is_not_found);
    g_test_add_func("/link/settings/rates_have_thousands_and_fractions",
                    test_rates_have_thousands_and_fractions);
    g_test_add_func("/link/settings/times_need_a_unit", test_times_need_a_unit);
    g_test_add_func("/link/settings/whole_numbers_are_whole", test_whole_numbers_are_whole);
    g_test_add_func("/link/settings/real_numbers_use_a_point", test_real_numbers_use_a_point);
    g_test_add_func("/link/settings/the_locale_changes_nothing", test_the_locale_changes_nothing);
    return g_test_run();
}
