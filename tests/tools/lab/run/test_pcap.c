/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/bytes.h"
#include "run/pcap.h"
#include "run/simulate.h"
#include "tools/lab/lab_fixture.h"
#include "weir/units.h"
#include <glib/gstdio.h>
#include <string.h>

#define FILE_BYTES   24
#define HEADER_BYTES 16

struct packet {
    int64_t at_ns;
    uint32_t captured;
    uint32_t on_wire;
    const uint8_t *ip;
};

struct capture {
    char *directory;
    char *path;
    char *bytes;
    gsize size;
    struct lab_counts flows[8];
    struct lab_scenario *scenario;
    int64_t ended_ns;
};

static uint32_t little(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return GUINT32_FROM_LE(word);
}

static struct capture run(int64_t most_bytes, gboolean good, GError **error)
{
    struct capture capture = {.directory = g_dir_make_tmp("weir-pcap-XXXXXX", NULL)};
    volatile sig_atomic_t stop = 0;
    capture.path = g_build_filename(capture.directory, "run.pcap", NULL);
    capture.scenario = fixture_scenario(FIXTURE, 1);
    struct lab_world *world = lab_world_create(capture.scenario, FALSE, NULL);
    struct lab_pcap *pcap =
        lab_pcap_create(capture.path, capture.scenario, world, most_bytes, &stop, NULL);
    int64_t duration_ns = capture.scenario->duration_ns;
    while (!stop && capture.ended_ns < duration_ns) {
        capture.ended_ns = MIN(capture.ended_ns + duration_ns / 1000, duration_ns);
        weir__sim_run_until(lab_world_sim(world), capture.ended_ns);
    }
    for (guint i = 0; i < capture.scenario->n_flows; i++) {
        lab_world_count(world, i, &capture.flows[i]);
    }
    g_assert_cmpint(lab_pcap_finish(pcap, error), ==, good);
    g_assert_cmpint(stop, ==, !good);
    g_assert_cmpint(g_file_get_contents(capture.path, &capture.bytes, &capture.size, NULL), ==,
                    good);
    lab_world_destroy(world);
    return capture;
}

static void capture_clear(struct capture *capture)
{
    g_unlink(capture->path);
    g_rmdir(capture->directory);
    lab_scenario_free(capture->scenario);
    g_free(capture->directory);
    g_free(capture->path);
    g_free(capture->bytes);
}

/* The next packet; FALSE at the end, which is the end of the file. */
static gboolean next(const struct capture *capture, gsize *at, struct packet *packet)
{
    const char *head = capture->bytes + *at;
    if (*at == capture->size) {
        return FALSE;
    }
    packet->at_ns = WEIR_SECONDS((int64_t)little(head)) + little(head + 4);
    packet->captured = little(head + 8);
    packet->on_wire = little(head + 12);
    packet->ip = (const uint8_t *)head + HEADER_BYTES;
    *at += HEADER_BYTES + packet->captured;
    g_assert_cmpuint(*at, <=, capture->size);
    return TRUE;
}

static void test_every_packet_that_leaves_a_sender_is_there_with_its_size(void)
{
    struct capture capture = run(LAB_PCAP_MOST_BYTES, TRUE, NULL);
    int64_t bytes[8] = {0}, before_ns = 0;
    struct packet packet;
    gsize at = FILE_BYTES;
    g_assert_cmphex(little(capture.bytes), ==, 0xa1b23c4d);
    while (next(&capture, &at, &packet)) {
        uint32_t source = weir__get_u32(packet.ip + 12), other = weir__get_u32(packet.ip + 16);
        g_assert_cmpint(packet.at_ns, >=, before_ns);
        g_assert_cmpuint(weir__get_u16(packet.ip + 2), ==, packet.on_wire);
        g_assert_cmpuint(packet.captured, <=, packet.on_wire);
        g_assert_cmphex(source ^ other, ==, 0x00800000);
        if (source < other && weir__get_u16(packet.ip + 20) != 5005) {
            bytes[source - 0x0a000001] += packet.on_wire;
        }
        before_ns = packet.at_ns;
    }
    for (guint i = 0; i < capture.scenario->n_flows; i++) {
        g_assert_cmpint(bytes[i], ==, capture.flows[i].meter.sent_bytes);
    }
    capture_clear(&capture);
}

static void test_rtcp_is_whole_and_rtp_counts(void)
{
    struct capture capture = run(LAB_PCAP_MOST_BYTES, TRUE, NULL);
    guint n_rtcp = 0;
    int expected = 0;
    struct packet packet;
    gsize at = FILE_BYTES;
    while (next(&capture, &at, &packet)) {
        const uint8_t *inner = packet.ip + 28;
        if (packet.ip[9] == 17 && weir__get_u16(packet.ip + 20) == 5005) {
            g_assert_cmpuint(packet.captured, ==, packet.on_wire);
            g_assert_cmpuint(inner[1], >=, 200);
            n_rtcp++;
        } else if (packet.ip[9] == 17 && weir__get_u16(packet.ip + 20) == 5004) {
            g_assert_cmphex(inner[0] & 0xc0, ==, 0x80);
            g_assert_cmpuint(weir__get_u16(inner + 2), ==, (uint16_t)expected++);
        }
    }
    g_assert_cmpuint(n_rtcp, >, 10);
    g_assert_cmpint(expected, >, 100);
    capture_clear(&capture);
}

static void test_equal_runs_give_equal_bytes(void)
{
    struct capture a = run(LAB_PCAP_MOST_BYTES, TRUE, NULL);
    struct capture b = run(LAB_PCAP_MOST_BYTES, TRUE, NULL);
    g_assert_cmpuint(a.size, ==, b.size);
    g_assert_cmpint(memcmp(a.bytes, b.bytes, a.size), ==, 0);
    capture_clear(&a);
    capture_clear(&b);
}

/* What is far too much ends soon, what is somewhat too much when it is. */
static void test_too_much_ends_the_run_and_leaves_no_file(void)
{
    struct capture whole = run(LAB_PCAP_MOST_BYTES, TRUE, NULL);
    const struct {
        int64_t most_bytes;
        double least_part, most_part; /* of the run, that was simulated */
    } cases[] = {{(int64_t)whole.size / 10, 0, 0.05}, {(int64_t)whole.size * 9 / 10, 0.6, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        struct capture capture = run(cases[i].most_bytes, FALSE, &error);
        g_test_message("%s", error->message);
        g_assert_nonnull(strstr(error->message, " are the most; a --duration of at most "));
        double part = (double)capture.ended_ns / (double)whole.scenario->duration_ns;
        g_assert_cmpfloat(part, >=, cases[i].least_part);
        g_assert_cmpfloat(part, <=, cases[i].most_part);
        g_error_free(error);
        capture_clear(&capture);
    }
    capture_clear(&whole);
}

static void test_a_file_that_cannot_be_is_named(void)
{
    GError *error = NULL;
    volatile sig_atomic_t stop = 0;
    struct lab_scenario *scenario = fixture_scenario(FIXTURE, 1);
    struct lab_world *world = lab_world_create(scenario, FALSE, NULL);
    g_assert_null(
        lab_pcap_create("/nowhere/a.pcap", scenario, world, LAB_PCAP_MOST_BYTES, &stop, &error));
    g_assert_cmpstr(error->message, ==, "--pcap /nowhere/a.pcap: No such file or directory");
    g_error_free(error);
    lab_world_destroy(world);
    lab_scenario_free(scenario);
    g_assert_true(lab_pcap_finish(NULL, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lab/pcap/every-packet",
                    test_every_packet_that_leaves_a_sender_is_there_with_its_size);
    g_test_add_func("/lab/pcap/rtcp", test_rtcp_is_whole_and_rtp_counts);
    g_test_add_func("/lab/pcap/deterministic", test_equal_runs_give_equal_bytes);
    g_test_add_func("/lab/pcap/too-much", test_too_much_ends_the_run_and_leaves_no_file);
    g_test_add_func("/lab/pcap/no-file", test_a_file_that_cannot_be_is_named);
    return g_test_run();
}
