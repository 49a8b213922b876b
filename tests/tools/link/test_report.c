/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "report.h"
#include "test.h"
#include <glib/gstdio.h>

struct fixture {
    struct ends ends[2];
    struct link_direction *directions[2];
    struct link_report report;
};

static void set_up(struct fixture *f, gconstpointer nothing)
{
    (void)nothing;
    f->directions[0] = start_direction(&f->ends[0], (const char *const[]){"capacity", "1M", NULL});
    f->directions[1] = start_direction(&f->ends[1], NULL);
    link_report_init(&f->report, f->directions[0], f->directions[1], WEIR_NEVER_NS);
}

static void tear_down(struct fixture *f, gconstpointer nothing)
{
    (void)nothing;
    link_report_finish(&f->report);
    stop_direction(f->directions[0], &f->ends[0]);
    stop_direction(f->directions[1], &f->ends[1]);
}

static void cross(struct fixture *f, uint8_t protocol, size_t size, int64_t now_ns)
{
    GError *error = NULL;
    send_packet(&f->ends[0], protocol, 0, size);
    g_assert_true(link_direction_read(f->directions[0], 10, &error));
    link_direction_run(f->directions[0], now_ns);
}

static void test_the_line_says_who_got_what(struct fixture *f, gconstpointer nothing)
{
    static const char *const words[] = {
        "{\"time_s\":2.000,\"forward\":{\"capacity_bps\":1000000,\"offered_bps\":6000,",
        "\"delivered_bps\":6000,\"offered_packets\":2,\"offered_bytes\":1500,",
        "\"dropped_packets\":0,\"lost_packets\":0,",
        "\"queue_packets\":0,\"queue_ms\":0.000,",
        "\"tcp\":{\"offered_packets\":1,\"offered_bytes\":1000,",
        "\"udp\":{\"offered_packets\":1,\"offered_bytes\":500,",
        "\"other\":{\"offered_packets\":0,",
        "\"reverse\":{\"capacity_bps\":1000000000,"};
    (void)nothing;
    cross(f, 6, 1000, WEIR_SECONDS(1));
    cross(f, 17, 500, WEIR_SECONDS(2));
    GString *line = link_report_make_line(&f->report, WEIR_SECONDS(2));
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
        g_assert_nonnull(strstr(line->str, words[i]));
    }
    g_assert_true(g_str_has_suffix(line->str, "}}}\n"));
    g_assert_cmpuint(line->len, <, 4096); /* a pipe takes it whole */
    g_string_free(line, TRUE);
}

static void test_rates_are_of_the_time_since_the_line_before(struct fixture *f,
                                                             gconstpointer nothing)
{
    (void)nothing;
    cross(f, 17, 1000, WEIR_SECONDS(1));
    g_string_free(link_report_make_line(&f->report, WEIR_SECONDS(1)), TRUE);
    cross(f, 17, 500, WEIR_SECONDS(3));
    GString *line = link_report_make_line(&f->report, WEIR_SECONDS(3));
    g_assert_nonnull(strstr(line->str, "\"offered_bps\":2000,"));
    g_assert_nonnull(strstr(line->str, "\"offered_bytes\":1500,"));
    g_string_free(line, TRUE);
}

static void test_an_outage_has_no_queueing_delay(struct fixture *f, gconstpointer nothing)
{
    GError *error = NULL;
    (void)nothing;
    g_assert_true(
        link_direction_set(f->directions[0], link_settings_find("capacity"), "0", &error));
    GString *line = link_report_make_line(&f->report, WEIR_SECONDS(1));
    g_assert_nonnull(strstr(line->str, "\"queue_ms\":null,"));
    g_string_free(line, TRUE);
}

static void test_the_log_has_a_row_per_interval(struct fixture *f, gconstpointer nothing)
{
    GError *error = NULL;
    char *text = NULL, *path = NULL;
    int fd = g_file_open_tmp("weir-link-XXXXXX.csv", &path, NULL);
    (void)nothing;
    close(fd);
    g_assert_true(link_report_open_log(&f->report, path, WEIR_MS(100), &error));
    cross(f, 17, 1000, WEIR_MS(100));
    g_assert_cmpint(link_report_next_ns(&f->report), ==, WEIR_MS(100));
    link_report_run(&f->report, WEIR_MS(100) - 1); /* not yet */
    link_report_run(&f->report, WEIR_MS(100));
    link_report_run(&f->report, WEIR_MS(350)); /* late: rows are not made up for */
    g_assert_cmpint(link_report_next_ns(&f->report), ==, WEIR_MS(400));
    link_report_finish(&f->report);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_cmpstr(text, ==,
                    "time_s,capacity_bps,offered_bps,delivered_bps,cross_bps,queue_ms,drops,"
                    "tcp_bps,udp_bps\n"
                    "0.100,1000000,80000,80000,0,0.000,0,0,80000\n"
                    "0.350,1000000,0,0,0,0.000,0,0,0\n");
    g_unlink(path);
    g_free(text);
    g_free(path);
}

static void test_a_log_that_cannot_be_is_named(struct fixture *f, gconstpointer nothing)
{
    GError *error = NULL;
    (void)nothing;
    g_assert_false(link_report_open_log(&f->report, "/nonexistent/x.csv", WEIR_MS(100), &error));
    expect_error(&error, LINK_EXIT_FAILED, "/nonexistent/x.csv");
    g_assert_cmpint(link_report_next_ns(&f->report), ==, WEIR_NEVER_NS);
}

#define ADD(name)                                                                                  \
    g_test_add("/link/report/" #name, struct fixture, NULL, set_up, test_##name, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(the_line_says_who_got_what);
    ADD(rates_are_of_the_time_since_the_line_before);
    ADD(an_outage_has_no_queueing_delay);
    ADD(the_log_has_a_row_per_interval);
    ADD(a_log_that_cannot_be_is_named);
    return g_test_run();
}
