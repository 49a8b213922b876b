/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "test.h"
#include <signal.h>

static void read_all(struct link_direction *direction)
{
    GError *error = NULL;
    g_assert_true(link_direction_read(direction, 1000, &error));
    g_assert_no_error(error);
}

/* Sends n packets in, lets a minute pass, and counts what comes out. */
static guint count_out(struct link_direction *direction, struct ends *ends, guint n)
{
    uint8_t packet[2000];
    guint out = 0;
    for (guint i = 0; i < n; i++) {
        send_packet(ends, 17, (uint8_t)i, 100);
    }
    read_all(direction);
    link_direction_run(direction, WEIR_SECONDS(60));
    while (recv(ends->out[0], packet, sizeof packet, 0) > 0) {
        out++;
    }
    return out;
}

static void test_packets_come_out_whole_and_in_order(void)
{
    struct ends ends;
    struct link_direction *direction =
        start_direction(&ends, (const char *const[]){"delay", "20ms", NULL});
    uint8_t sent[1500], got[2000];
    for (uint8_t i = 0; i < 100; i++) {
        send_packet(&ends, i % 2 ? 6 : 17, i, 100u + 14u * i);
    }
    read_all(direction);
    link_direction_run(direction, WEIR_SECONDS(1));
    for (uint8_t i = 0; i < 100; i++) {
        size_t size = make_packet(sent, i % 2 ? 6 : 17, i, 100u + 14u * i);
        gssize n = recv(ends.out[0], got, sizeof got, 0);
        g_assert_cmpint(n, ==, (gssize)size);
        g_assert_true(memcmp(got, sent, size) == 0);
    }
    g_assert_cmpint(recv(ends.out[0], got, sizeof got, 0), <, 0);
    g_assert_cmpuint(direction->pool.n_in_use, ==, 0);
    stop_direction(direction, &ends);
}

static void test_nothing_comes_before_its_time(void)
{
    struct ends ends;
    struct link_direction *direction =
        start_direction(&ends, (const char *const[]){"delay", "100s", "capacity", "8k", NULL});
    uint8_t got[2000];
    send_packet(&ends, 17, 1, 1000); /* 1 s to send */
    read_all(direction);
    link_direction_run(direction, WEIR_SECONDS(101) - 1);
    g_assert_cmpint(recv(ends.out[0], got, sizeof got, 0), <, 0);
    g_assert_cmpint(link_direction_next_ns(direction), >=, WEIR_SECONDS(101));
    link_direction_run(direction, link_direction_next_ns(direction));
    g_assert_cmpint(recv(ends.out[0], got, sizeof got, 0), ==, 1000);
    stop_direction(direction, &ends);
}

static void test_a_link_loses_doubles_and_damages_as_it_is_told(void)
{
    struct ends ends;
    struct link_direction *direction =
        start_direction(&ends, (const char *const[]){"loss", "1", NULL});
    g_assert_cmpuint(count_out(direction, &ends, 50), ==, 0);
    g_assert_cmpuint(direction->pool.n_in_use, ==, 0);
    stop_direction(direction, &ends);
    direction = start_direction(&ends, (const char *const[]){"duplicate", "1", NULL});
    g_assert_cmpuint(count_out(direction, &ends, 50), ==, 100);
    g_assert_cmpuint(direction->pool.n_in_use, ==, 0);
    stop_direction(direction, &ends);
    direction =
        start_direction(&ends, (const char *const[]){"queue-packets", "10", "capacity", "1", NULL});
    g_assert_cmpuint(count_out(direction, &ends, 50), ==, 0); /* the rest waits, or was dropped */
    g_assert_cmpuint(direction->pool.n_in_use, ==, 11);
    stop_direction(direction, &ends);
}

static void test_a_damaged_packet_differs_in_one_bit_and_spoils_no_other(void)
{
    struct ends ends;
    struct link_direction *direction =
        start_direction(&ends, (const char *const[]){"corrupt", "1", NULL});
    uint8_t sent[200], got[2000];
    for (uint8_t i = 0; i < 20; i++) {
        send_packet(&ends, 17, i, 200);
    }
    read_all(direction);
    link_direction_run(direction, WEIR_SECONDS(1));
    for (uint8_t i = 0; i < 20; i++) {
        guint bits = 0;
        make_packet(sent, 17, i, 200);
        g_assert_cmpint(recv(ends.out[0], got, sizeof got, 0), ==, 200);
        for (int k = 0; k < 200; k++) {
            for (int b = sent[k] ^ got[k]; b != 0; b &= b - 1) {
                bits++;
            }
        }
        g_assert_cmpuint(bits, ==, 1);
    }
    stop_direction(direction, &ends);
}

static void test_packets_are_counted_by_protocol(void)
{
    struct ends ends;
    struct link_direction *direction = start_direction(&ends, NULL);
    struct weir__packet_counters stats;
    send_packet(&ends, 6, 0, 500);
    send_packet(&ends, 17, 0, 100);
    read_all(direction);
    weir__path_get_flow_stats(direction->path, direction->flows[LINK_TCP], &stats);
    g_assert_cmpint(stats.offered_bytes, ==, 500);
    weir__path_get_flow_stats(direction->path, direction->flows[LINK_UDP], &stats);
    g_assert_cmpint(stats.offered_bytes, ==, 100);
    stop_direction(direction, &ends);
}

static void test_a_packet_beyond_the_mtu_is_counted_and_dropped(void)
{
    struct ends ends;
    struct link_direction *direction = start_direction(&ends, NULL);
    uint8_t got[2000];
    send_packet(&ends, 17, 0, 1501);
    send_packet(&ends, 17, 0, 1500);
    read_all(direction);
    link_direction_run(direction, WEIR_SECONDS(1));
    g_assert_cmpint(recv(ends.out[0], got, sizeof got, 0), ==, 1500);
    g_assert_cmpint(recv(ends.out[0], got, sizeof got, 0), <, 0);
    g_assert_cmpint(direction->too_large, ==, 1);
    stop_direction(direction, &ends);
}

static void test_what_the_other_end_does_not_take_is_counted(void)
{
    struct ends ends;
    struct link_direction *direction = start_direction(&ends, NULL);
    close(ends.out[0]);
    g_assert_cmpuint(count_out(direction, &ends, 3), ==, 0);
    g_assert_cmpint(direction->unwritten, ==, 3);
    ends.out[0] = dup(ends.out[1]);
    stop_direction(direction, &ends);
}

static void test_an_entrance_that_ends_is_an_error(void)
{
    struct ends ends;
    struct link_direction *direction = start_direction(&ends, NULL);
    GError *error = NULL;
    close(ends.in[0]);
    g_assert_false(link_direction_read(direction, 1, &error));
    expect_error(&error, LINK_EXIT_FAILED, "TUN");
    ends.in[0] = dup(ends.in[1]);
    stop_direction(direction, &ends);
}

static void test_an_outage_ends_when_the_capacity_returns(void)
{
    struct ends ends;
    struct link_direction *direction =
        start_direction(&ends, (const char *const[]){"capacity", "0", NULL});
    GError *error = NULL;
    uint8_t got[2000];
    send_packet(&ends, 17, 0, 100);
    read_all(direction);
    link_direction_run(direction, WEIR_MS(1));
    g_assert_cmpint(recv(ends.out[0], got, sizeof got, 0), <, 0);
    g_assert_true(link_direction_set(direction, link_settings_find("capacity"), "1M", &error));
    link_direction_run(direction, WEIR_SECONDS(3600));
    g_assert_cmpint(recv(ends.out[0], got, sizeof got, 0), ==, 100);
    stop_direction(direction, &ends);
}

static void test_only_live_settings_change_while_it_runs(void)
{
    struct ends ends;
    struct link_direction *direction = start_direction(&ends, NULL);
    for (gsize i = 0; i < link_settings_count; i++) {
        const struct link_setting *setting = &link_settings_table[i];
        GError *error = NULL;
        gboolean good = link_direction_set(direction, setting,
                                           setting->kind == LINK_TIME ? "1ms" : "1", &error);
        g_assert_cmpint(good, ==, setting->live);
        if (!good) {
            expect_error(&error, LINK_EXIT_WRONG, "while the link runs");
        }
    }
    g_assert_cmpuint(count_out(direction, &ends, 5), ==, 0); /* loss is 1 */
    stop_direction(direction, &ends);
}

static void test_a_path_that_cannot_be_says_why(void)
{
    static const char *const wrong[][3] = {{"schedule", "nonsense", "schedule"},
                                           {"delay-schedule", "5:20", "delay schedule entry 1"},
                                           {"trace", "/nowhere/at/all", "/nowhere/at/all"},
                                           {"trace", "/dev/null", "/dev/null: a trace must have"},
                                           {"cross-traffic", "carrier-pigeon", "carrier-pigeon"},
                                           {"queue-time", "0", "queue"}};
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        struct link_settings settings;
        struct link_direction *direction = g_new(struct link_direction, 1);
        GError *error = NULL;
        set_all(&settings, (const char *const[]){wrong[i][0], wrong[i][1], NULL});
        g_assert_false(link_direction_init(direction, &settings, 1500, &error));
        expect_error(&error, LINK_EXIT_WRONG, wrong[i][2]);
        link_direction_finish(direction);
        g_free(direction);
    }
}

static void test_quantiles_are_the_upper_edge_of_their_step(void)
{
    struct link_lateness lateness = {.n = 0};
    for (int i = 1; i <= 100; i++) {
        link_lateness_add(&lateness, WEIR_US(10 * i - 5));
    }
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 0.5), ==, WEIR_US(500));
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 0.99), ==, WEIR_US(990));
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 1.0), ==, WEIR_US(995)); /* the most */
}

static void test_nothing_is_not_late(void)
{
    struct link_lateness lateness = {.n = 0};
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 0.99), ==, 0);
    link_lateness_add(&lateness, -5);
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 0.99), ==, 0);
}

static void test_what_is_beyond_the_histogram_is_the_most(void)
{
    struct link_lateness lateness = {.n = 0};
    link_lateness_add(&lateness, WEIR_SECONDS(3));
    link_lateness_add(&lateness, WEIR_MS(50));
    g_assert_cmpint(lateness.n, ==, 2);
    g_assert_cmpint(link_lateness_quantile_ns(&lateness, 0.5), ==, WEIR_SECONDS(3));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link/direction/packets_come_out_whole_and_in_order",
                    test_packets_come_out_whole_and_in_order);
    g_test_add_func("/link/direction/nothing_comes_before_its_time",
                    test_nothing_comes_before_its_time);
    g_test_add_func("/link/direction/a_link_loses_doubles_and_damages_as_it_is_told",
                    test_a_link_loses_doubles_and_damages_as_it_is_told);
    g_test_add_func("/link/direction/a_damaged_packet_differs_in_one_bit_and_spoils_no_other",
                    test_a_damaged_packet_differs_in_one_bit_and_spoils_no_other);
    g_test_add_func("/link/direction/packets_are_counted_by_protocol",
                    test_packets_are_counted_by_protocol);
    g_test_add_func("/link/direction/a_packet_beyond_the_mtu_is_counted_and_dropped",
                    test_a_packet_beyond_the_mtu_is_counted_and_dropped);
    g_test_add_func("/link/direction/what_the_other_end_does_not_take_is_counted",
                    test_what_the_other_end_does_not_take_is_counted);
    g_test_add_func("/link/direction/an_entrance_that_ends_is_an_error",
                    test_an_entrance_that_ends_is_an_error);
    g_test_add_func("/link/direction/an_outage_ends_when_the_capacity_returns",
                    test_an_outage_ends_when_the_capacity_returns);
    g_test_add_func("/link/direction/only_live_settings_change_while_it_runs",
                    test_only_live_settings_change_while_it_runs);
    g_test_add_func("/link/direction/a_path_that_cannot_be_says_why",
                    test_a_path_that_cannot_be_says_why);
    g_test_add_func("/link/direction/quantiles_are_the_upper_edge_of_their_step",
                    test_quantiles_are_the_upper_edge_of_their_step);
    g_test_add_func("/link/direction/nothing_is_not_late", test_nothing_is_not_late);
    g_test_add_func("/link/direction/what_is_beyond_the_histogram_is_the_most",
                    test_what_is_beyond_the_histogram_is_the_most);
    signal(SIGPIPE, SIG_IGN);
    return g_test_run();
}
