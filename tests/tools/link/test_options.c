/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "options.h"
#include "test.h"

/* A line of words as the shell would split it. */
static gboolean parse(struct link_options *options, const char *line, GError **error)
{
    char *whole = g_strconcat("weir-link ", line, NULL);
    char **words = g_strsplit(whole, " ", 0);
    guint n = g_strv_length(words) - (line[0] == '\0');
    gboolean good = link_options_parse(options, (int)n, words, error);
    g_strfreev(words);
    g_free(whole);
    return good;
}

static void test_without_options_there_is_a_fast_link_in_namespaces_of_its_own(void)
{
    struct link_options options;
    GError *error = NULL;
    g_assert_true(parse(&options, "", &error));
    char *name = g_strdup_printf("weir-%d-a", (int)getpid());
    g_assert_cmpstr(options.namespaces.ends[0].name, ==, name);
    g_assert_null(options.namespaces.ends[0].device);
    g_assert_null(options.command);
    g_assert_cmpint(options.mtu_bytes, ==, 1500);
    g_assert_cmpint(options.duration_ns, ==, WEIR_NEVER_NS);
    g_assert_cmpint(options.stats_interval_ns, ==, WEIR_NEVER_NS);
    g_free(name);
    link_options_finish(&options);
}

static void test_both_directions_are_read(void)
{
    struct link_options options;
    GError *error = NULL;
    g_assert_true(parse(&options,
                        "--capacity 2.5M --delay=20ms --queue-packets 50 --reverse-capacity 1M "
                        "--reverse-loss 0.01 --stats-interval 1s --duration 60s --log x.csv "
                        "--packet-log y.csv "
                        "--log-interval 10ms --mtu 1200 --netns left,right --addresses "
                        "10.1.0.1,10.1.0.9",
                        &error));
    g_assert_cmpint(options.directions[0].path.link.capacity_bps, ==, 2500000);
    g_assert_cmpint(options.directions[1].path.link.capacity_bps, ==, 1000000);
    assert_near(options.directions[1].loss, 0.01, 1e-12);
    g_assert_cmpint(options.directions[1].path.link.delay_ns, ==, WEIR_MS(20)); /* as forward */
    g_assert_cmpint(options.duration_ns, ==, WEIR_SECONDS(60));
    g_assert_cmpint(options.log_interval_ns, ==, WEIR_MS(10));
    g_assert_cmpstr(options.log_location, ==, "x.csv");
    g_assert_cmpstr(options.packet_log_location, ==, "y.csv");
    g_assert_cmpstr(options.namespaces.ends[1].name, ==, "right");
    g_assert_cmpint(options.namespaces.prefix_bits, ==, 28);
    g_assert_cmpint(options.mtu_bytes, ==, 1200);
    link_options_finish(&options);
    g_assert_true(parse(&options, "--delay 20ms --reverse-delay 5ms", &error));
    g_assert_cmpint(options.directions[1].path.link.delay_ns, ==, WEIR_MS(5));
    g_assert_true(options.own_reverse_delay);
    link_options_finish(&options);
    g_assert_true(parse(&options, "--delay 20ms --delay-schedule 9:60ms", &error));
    g_assert_cmpstr(options.directions[1].path.delay_schedule, ==, "9:60ms");
    g_assert_false(options.own_reverse_delay);
    link_options_finish(&options);
    g_assert_true(
        parse(&options, "--delay 20ms --delay-schedule 9:60ms --reverse-delay 20ms", &error));
    g_assert_null(options.directions[1].path.delay_schedule);
    link_options_finish(&options);
}

static void test_the_command_keeps_its_own_options(void)
{
    struct link_options options;
    GError *error = NULL;
    g_assert_true(parse(&options, "--capacity 1M -- ping -c 3 --capacity -- x", &error));
    char *all = g_strjoinv(" ", options.command);
    g_assert_cmpstr(all, ==, "ping -c 3 --capacity -- x");
    g_free(all);
    link_options_finish(&options);
}

static void test_devices_of_ones_own_take_the_place_of_namespaces(void)
{
    struct link_options options;
    GError *error = NULL;
    g_assert_true(parse(&options, "--tun left0,right0", &error));
    g_assert_cmpstr(options.namespaces.ends[0].device, ==, "left0");
    g_assert_cmpstr(options.namespaces.ends[1].device, ==, "right0");
    link_options_finish(&options);
}

static void test_wrong_lines_are_answered_in_a_sentence(void)
{
    static const char *const wrong[][2] = {
        {"--capacity x", "--capacity 'x' is not bit/s from 0 to 100G"},
        {"--reverse-delay 5", "--reverse-delay '5' is not a time"},
        {"--tun a", "--tun 'a'"},
        {"--tun a,a", "different"},
        {"--tun a,b,c", "A,B"},
        {"--tun sixteen-letters-,b", "1 to 15"},
        {"--tun a/b,c", "'a/b'"},
        {"--tun a,b --netns c,d", "--tun a,b"},
        {"--tun a,b --addresses 1.2.3.4,1.2.3.5", "--tun a,b"},
        {"--netns a", "netns 'a'"},
        {"--netns a,a", "different"},
        {"--netns ../x,b", "../x"},
        {"--netns -x,b", "-x"},
        {"--addresses 10.0.0.1", "addresses"},
        {"--addresses 10.0.0.1,10.0.0.1", "different"},
        {"--addresses a,b", "addresses 'a,b'"},
        {"--mtu 575", "576 to 65535"},
        {"--mtu 65536", "576 to 65535"},
        {"--mtu x", "'x'"},
        {"--duration 0", "--duration '0'"},
        {"--duration 5", "unit"},
        {"--stats-interval 1us", "1ms to"},
        {"--log-interval x", "--log-interval 'x'"},
        {"ping", "after --"},
        {"--", "which command"}};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        struct link_options options;
        GError *error = NULL;
        g_test_message("%s", wrong[i][0]);
        g_assert_false(parse(&options, wrong[i][0], &error));
        expect_error(&error, LINK_EXIT_WRONG, wrong[i][1]);
        link_options_finish(&options);
    }
}

static void test_unknown_options_and_missing_values_are_refused(void)
{
    static const char *const wrong[] = {"--fly", "--capacity", "-x"};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        struct link_options options;
        GError *error = NULL;
        g_assert_false(parse(&options, wrong[i], &error));
        g_assert_nonnull(error);
        g_clear_error(&error);
        link_options_finish(&options);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link/options/without_options_there_is_a_fast_link_in_namespaces_of_its_own",
                    test_without_options_there_is_a_fast_link_in_namespaces_of_its_own);
    g_test_add_func("/link/options/both_directions_are_read", test_both_directions_are_read);
    g_test_add_func("/link/options/the_command_keeps_its_own_options",
                    test_the_command_keeps_its_own_options);
    g_test_add_func("/link/options/devices_of_ones_own_take_the_place_of_namespaces",
                    test_devices_of_ones_own_take_the_place_of_namespaces);
    g_test_add_func("/link/options/wrong_lines_are_answered_in_a_sentence",
                    test_wrong_lines_are_answered_in_a_sentence);
    g_test_add_func("/link/options/unknown_options_and_missing_values_are_refused",
                    test_unknown_options_and_missing_values_are_refused);
    return g_test_run();
}
