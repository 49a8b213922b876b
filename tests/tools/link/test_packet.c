/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_fixture.h"
#include "packet.h"
#include "test.h"
#include <glib/gstdio.h>

#define HEADER "time_s,kind,port,bytes,queue_ms,delay_ms,fate\n"

static void test_the_protocol_is_read_from_the_header(void)
{
    static const struct {
        uint8_t first, at_6, at_9;
        size_t size;
        enum link_protocol protocol;
    } cases[] = {{0x45, 0, 6, 40, LINK_TCP},    {0x45, 0, 17, 28, LINK_UDP},
                 {0x45, 0, 1, 84, LINK_OTHER},  {0x60, 6, 0, 60, LINK_TCP},
                 {0x60, 17, 0, 48, LINK_UDP},   {0x60, 58, 0, 64, LINK_OTHER},
                 {0x45, 0, 6, 10, LINK_OTHER},  {0x60, 6, 0, 39, LINK_OTHER},
                 {0x00, 6, 6, 100, LINK_OTHER}, {0x45, 0, 6, 0, LINK_OTHER}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        uint8_t packet[100] = {cases[i].first};
        packet[6] = cases[i].at_6;
        packet[9] = cases[i].at_9;
        g_assert_cmpint(link_packet_protocol(packet, cases[i].size), ==, cases[i].protocol);
    }
}

/* Connections differ by addresses, protocol or ports; the packets of one do not. */
static void test_connections_have_hashes_of_their_own(void)
{
    uint8_t first[60] = {0x45};
    uint8_t six[80] = {0x60};
    uint8_t other[80];
    first[9] = 6;
    six[6] = 17;
    uint16_t of_first = link_packet_flow_hash(first, sizeof first);
    uint16_t of_six = link_packet_flow_hash(six, sizeof six);
    static const size_t same_at[] = {2, 5, 8, 24, 40}; /* length, number, TTL, TCP's number, data */
    static const size_t other_at[] = {9, 12, 19, 20, 23};
    static const size_t six_at[] = {6, 8, 39, 40, 43};
    for (size_t i = 0; i < G_N_ELEMENTS(same_at); i++) {
        memcpy(other, first, sizeof first);
        other[same_at[i]] ^= 17;
        g_assert_cmpuint(link_packet_flow_hash(other, sizeof first), ==, of_first);
        memcpy(other, first, sizeof first);
        other[other_at[i]] ^= 17;
        g_assert_cmpuint(link_packet_flow_hash(other, sizeof first), !=, of_first);
        memcpy(other, six, sizeof six);
        other[six_at[i]] ^= 17;
        g_assert_cmpuint(link_packet_flow_hash(other, sizeof six), !=, of_six);
    }
    g_assert_cmpuint(link_packet_flow_hash(first, 19), ==, 0);
    g_assert_cmpuint(link_packet_flow_hash(first, 0), ==, 0);
    first[7] = 1; /* a later fragment has no ports */
    of_first = link_packet_flow_hash(first, sizeof first);
    first[20] ^= 17;
    g_assert_cmpuint(link_packet_flow_hash(first, sizeof first), ==, of_first);
}

static uint16_t ipv4_checksum(const uint8_t *packet)
{
    uint32_t sum = 0;
    for (int i = 0; i < 20; i += 2) {
        sum += i == 10 ? 0 : (uint32_t)(packet[i] << 8 | packet[i + 1]);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t) ~((sum & 0xffff) + (sum >> 16));
}

/* Each TOS byte, with headers whose sums lie all about: the checksum stays right, the rest the
 * same. */
static void test_a_mark_keeps_the_checksum_right(void)
{
    for (unsigned i = 0; i < 256 * 256; i++) {
        uint8_t packet[20] = {0x45, (uint8_t)i, 0,  20, (uint8_t)(i >> 8), (uint8_t)(i * 7),
                              0x40, 0,          64, 17};
        uint8_t before[20];
        packet[10] = (uint8_t)(ipv4_checksum(packet) >> 8);
        packet[11] = (uint8_t)ipv4_checksum(packet);
        memcpy(before, packet, sizeof before);
        g_assert_cmpint(link_packet_ecn(packet, 20), ==, i & 3);
        link_packet_mark(packet, 20);
        g_assert_cmpint(link_packet_ecn(packet, 20), ==, WEIR_ECN_CE);
        g_assert_cmpint(packet[1] >> 2, ==, before[1] >> 2);
        g_assert_cmpint(packet[10] << 8 | packet[11], ==, ipv4_checksum(packet));
        before[1] = packet[1];
        memcpy(before + 10, packet + 10, 2);
        g_assert_cmpint(memcmp(packet, before, sizeof before), ==, 0);
    }
}

static void test_marks_of_ipv6_and_of_what_is_no_ip(void)
{
    uint8_t six[40] = {0x6b, 0x8f};
    g_assert_cmpint(link_packet_ecn(six, 40), ==, WEIR_ECN_NOT_ECT);
    six[1] = 0xaf;
    g_assert_cmpint(link_packet_ecn(six, 40), ==, WEIR_ECN_ECT0);
    link_packet_mark(six, 40);
    g_assert_cmpint(six[0], ==, 0x6b);
    g_assert_cmpint(six[1], ==, 0xbf);
    uint8_t other[20] = {0x25, 2};
    link_packet_mark(other, 20);
    link_packet_mark(other, 0);
    g_assert_cmpint(other[1], ==, 2);
    g_assert_cmpint(link_packet_ecn(other, 20), ==, WEIR_ECN_NOT_ECT);
}

static char *make_path(void)
{
    char *path = NULL;
    int fd = g_file_open_tmp("weir-link-XXXXXX.csv", &path, NULL);
    close(fd);
    return path;
}

/* What the log holds; it and its file are gone then. */
static char *read_away(FILE *log, char *path)
{
    char *text = NULL;
    fclose(log);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_unlink(path);
    g_free(path);
    return text;
}

static char *log_one(const uint8_t *packet, size_t size, const struct weir__path_outcome *outcome)
{
    GError *error = NULL;
    char *path = make_path();
    FILE *log = link_packet_log_open(path, &error);
    g_assert_nonnull(log);
    link_packet_log_add(log, outcome, packet, size);
    return read_away(log, path);
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
    direction->packet_log = link_packet_log_open(path, &error);
    g_assert_nonnull(direction->packet_log);
    for (uint8_t i = 0; i < 3; i++) {
        send_packet(&ends, 6, 0, 1000);
    }
    g_assert_true(link_direction_read(direction, 10, &error));
    link_direction_run(direction, WEIR_SECONDS(100));
    char *text = read_away(g_steal_pointer(&direction->packet_log), path);
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
    GError *error = NULL;
    g_assert_null(link_packet_log_open("/nonexistent/x.csv", &error));
    expect_error(&error, LINK_EXIT_FAILED, "/nonexistent/x.csv");
}

#define ADD(name) g_test_add_func("/link/packet/" #name, test_##name)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD(the_protocol_is_read_from_the_header);
    ADD(connections_have_hashes_of_their_own);
    ADD(a_mark_keeps_the_checksum_right);
    ADD(marks_of_ipv6_and_of_what_is_no_ip);
    ADD(a_row_says_whose_packet_waited_how_long);
    ADD(ports_are_where_the_header_ends);
    ADD(later_fragments_have_no_port);
    ADD(a_direction_logs_each_of_its_packets);
    ADD(a_log_that_cannot_be_is_named);
    return g_test_run();
}
