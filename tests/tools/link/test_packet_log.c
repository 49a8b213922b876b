/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "packet_log.h"
#include "test.h"
#include <glib/gstdio.h>

#define HEADER "time_s,kind,port,bytes,queue_ms,delay_ms,fate\n"

static char *make_path(void)
{
    char *path = NULL;
    int fd = g_file_open_tmp("weir-link-XXXXXX.csv", &path, NULL);
    close(fd);
    return path;
}

/* What the log holds; it and its file are gone then. */
static char *read_away(struct link_packet_log *log, char *path)
{
    char *text = NULL;
    link_packet_log_finish(log);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_unlink(path);
    g_free(path);
    return text;
}

static char *log_one(const uint8_t *packet, size_t size, const struct weir__path_outcome *outcome)
{
    struct link_packet_log log = {.file = NULL};
    GError *error = NULL;
    char *path = make_path();
    g_assert_true(link_packet_log_open(&log, path, &error));
    link_packet_log_add(&log, outcome, packet, size);
    return read_away(&log, path);
}

static void test_a_row_says_whose_packet_waited_how_long(void)
{
    struct weir__path_outcome outcome = {.at_ns = WEIR_MS(12345) + 678,
                                         .delay_ns = WEIR_US(70009),
                                         .queue_ns = WEIR_US(20050),
                                         .verdict = WEIR__PATH_DELIVERED};
    uint8_t packet[100];
    make_packet(packet, 17, 0, sizeof packet);
    packet[22] = 5004 >> 8;
    packet[23] = 5004 & 0xff;
    char *text = log_one(packet, sizeof packet, &outcome);
    g_assert_cmpstr(text, ==, HEADER "12.345000,udp,5004,100,20.050,70.009,delivered\n");
    g_free(text);
}

static void test_ports_are_where_the_header_ends(void)
{
    static const struct {
        uint8_t version, protocol, at;
        size_t size;
        const char *row;
    } cases[] = {
        {0x45, 6, 22, 40, "0.000000,tcp,513,40,0.000,0.000,dropped\n"},
        {0x46, 17, 26, 40, "0.000000,udp,513,40,0.000,0.000,dropped\n"}, /* with an option */
        {0x60, 17, 42, 48, "0.000000,udp,513,48,0.000,0.000,dropped\n"},
        {0x45, 1, 22, 40, "0.000000,other,0,40,0.000,0.000,dropped\n"},
        {0x4f, 17, 22, 40, "0.000000,udp,0,40,0.000,0.000,dropped\n"}, /* cut short */
        {0x45, 17, 22, 23, "0.000000,udp,0,23,0.000,0.000,dropped\n"},
    };
    struct weir__path_outcome outcome = {.verdict = WEIR__PATH_DROPPED};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint8_t packet[64] = {cases[i].version};
        packet[cases[i].version == 0x60 ? 6 : 9] = cases[i].protocol;
        packet[cases[i].at] = 2;
        packet[cases[i].at + 1] = 1;
        char *text = log_one(packet, cases[i].size, &outcome);
        g_assert_cmpstr(text + strlen(HEADER), ==, cases[i].row);
        g_free(text);
    }
}

static void test_later_fragments_have_no_port(void)
{
    struct weir__path_outcome outcome = {.verdict = WEIR__PATH_LOST};
    uint8_t packet[100];
    make_packet(packet, 17, 0, sizeof packet);
    packet[7] = 1;
    packet[22] = 5;
    char *text = log_one(packet, sizeof packet, &outcome);
    g_assert_cmpstr(text, ==, HEADER "0.000000,udp,0,100,0.000,0.000,lost\n");
    g_free(text);
}

/* Two packets of 10 s come at once; the second waits for the first; the third finds no room. */
static void test_a_direction_logs_each_of_its_packets(void)
{
    struct ends ends;
    struct link_direction *direction =
        start_direction(&ends, (const char *const[]){"capacity", "800", "queue-packets", "1",
                                                     "delay", "5ms", NULL});
    GError *error = NULL;
    char *path = make_path();
    g_assert_true(link_packet_log_open(&direction->packet_log, path, &error));
    for (uint8_t i = 0; i < 3; i++) {
        send_packet(&ends, 6, 0, 1000);
    }
    g_assert_true(link_direction_read(direction, 10, &error));
    link_direction_run(direction, WEIR_SECONDS(100));
    char *text = read_away(&direction->packet_log, path);
    char **rows = g_strsplit(text, "\n", -1);
    g_assert_cmpuint(g_strv_length(rows), ==, 5);
    g_assert_true(g_str_has_suffix(rows[1], ",0.000,0.000,dropped"));
    g_assert_true(g_str_has_suffix(rows[2], ",tcp,0,1000,0.000,10005.000,delivered"));
    double queue_ms = g_ascii_strtod(strstr(rows[3], "1000,") + 5, NULL);
    g_assert_cmpfloat(queue_ms, <=, 10000.0);
    g_assert_cmpfloat(queue_ms, >, 0.0);
    g_strfreev(rows);
    g_free(text);
    stop_direction(direction, &ends);
}

static void test_a_log_that_cannot_be_is_named(void)
{
    struct link_packet_log log = {.file = NULL};
    GError *error = NULL;
    g_assert_false(link_packet_log_open(&log, "/nonexistent/x.csv", &error));
    expect_error(&error, LINK_EXIT_FAILED, "/nonexistent/x.csv");
    link_packet_log_finish(&log);
}

#define ADD(name) g_test_add_func("/link/packet_log/" #name, test_##name)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(a_row_says_whose_packet_waited_how_long);
    ADD(ports_are_where_the_header_ends);
    ADD(later_fragments_have_no_port);
    ADD(a_direction_logs_each_of_its_packets);
    ADD(a_log_that_cannot_be_is_named);
    return g_test_run();
}
