/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What holds for every line of formats.def. */
#include "codec/format.h"

#include "../../test.h"

enum { N = 40, MOST_BYTES = 1200 };

static const struct weir__feedback_head head = {
    .sender_ssrc = 0x10, .media_ssrc = 0x20, .report_mid32 = 7 << 16, .report_ns = WEIR_SECONDS(9)};

/* Each third packet is lost; the others came 20 ms apart, the last one as the report is made. */
static void fill(struct weir__feedback_entry entries[N], bool transport_wide)
{
    for (int i = 0; i < N; i++) {
        bool received = i % 3 != 1;
        entries[i] = (struct weir__feedback_entry){
            .arrival_ns = received ? head.report_ns - WEIR_MS(20) * (N - 1 - i) : 0,
            .ssrc = transport_wide ? 0 : 0x20,
            .seq = (uint16_t)(65520 + i),
            .received = received,
            .has_time = received,
        };
    }
}

/* The only packet of a datagram. */
static struct weir__rtcp_packet packet_of(const uint8_t *data, size_t size_bytes)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    weir__rtcp_walk_init(&walk, data, size_bytes);
    g_assert_true(weir__rtcp_walk_next(&walk, &packet));
    return packet;
}

static void tables_are_complete(void)
{
    for (size_t i = 0; i < WEIR__FORMATS; i++) {
        const struct weir__format *format = weir__format_at(i);
        struct weir_feedback_info info;
        g_assert_cmpuint(strlen(format->name), >, 1);
        g_assert_cmpuint(strlen(format->description), >, 20);
        g_assert_true((format->kind == WEIR__FORMAT_PACKETS) == (format->parse && format->read));
        g_assert_true((format->kind == WEIR__FORMAT_BOUND) == (format->parse_bound != NULL));
        g_assert_cmpuint(weir__format_index(UINT32_C(1) << i), ==, i);
        g_assert_true(weir_feedback_get_info(i, &info));
        g_assert_cmpstr(info.name, ==, format->name);
        g_assert_cmpuint(info.format, ==, 1u << i);
        g_assert_true(info.tells_packets == (format->kind == WEIR__FORMAT_PACKETS));
        for (size_t k = 0; k < i; k++) {
            g_assert_cmpstr(weir__format_at(k)->name, !=, format->name);
        }
    }
    g_assert_null(weir__format_at(WEIR__FORMATS));
    g_assert_false(weir_feedback_get_info(WEIR__FORMATS, &(struct weir_feedback_info){0}));
    g_assert_false(weir_feedback_get_info(0, NULL));
}

static void only_single_flags_have_an_index(void)
{
    const uint32_t wrong[] = {0, WEIR_FEEDBACK_ALL, WEIR_FEEDBACK_CCFB | WEIR_FEEDBACK_RR,
                              1u << WEIR__FORMATS, 1u << 31};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_assert_cmpuint(weir__format_index(wrong[i]), ==, WEIR__FORMATS);
    }
}

/* Arrivals are told to a quarter of a millisecond or to 1/1024 s. */
static void reports_on_packets_come_back_as_written(void)
{
    for (size_t f = 0; f < WEIR__FORMATS; f++) {
        const struct weir__format *format = weir__format_at(f);
        struct weir__feedback_entry entries[N], read[N];
        struct weir__packet_feedback feedback;
        uint8_t data[MOST_BYTES];
        uint32_t peer = 0;
        size_t size, n_written;
        if (!format->build) {
            continue;
        }
        fill(entries, format->transport_wide);
        g_assert_cmpint(format->build(&head, entries, N, data, sizeof data, &size, &n_written), ==,
                        WEIR_OK);
        g_assert_cmpuint(n_written, ==, N);
        struct weir__rtcp_packet packet = packet_of(data, size);
        g_assert_cmpuint(weir__format_of(&packet), ==, f);
        g_assert_cmpint(format->parse(&packet, &peer, &feedback), ==, WEIR_OK);
        g_assert_cmphex(feedback.sender_ssrc, ==, head.sender_ssrc);
        g_assert_cmpuint(feedback.n_entries, ==, N);
        g_assert_true(feedback.new_clock);
        for (size_t n = 0, some; n < N; n += some) { /* in pieces */
            some = format->read(&feedback, read + n, 7);
            g_assert_cmpuint(some, >, 0);
        }
        g_assert_cmpuint(format->read(&feedback, read, N), ==, 0);
        for (size_t i = 0; i < N; i++) {
            g_assert_cmpuint(read[i].seq, ==, entries[i].seq);
            g_assert_cmphex(read[i].ssrc, ==, entries[i].ssrc);
            g_assert_true(read[i].received == entries[i].received);
            g_assert_true(read[i].has_time == entries[i].has_time);
            int64_t told_ns = read[i].arrival_ns - read[0].arrival_ns;
            int64_t true_ns = entries[i].arrival_ns - entries[0].arrival_ns;
            g_assert_true(!read[i].received || llabs(told_ns - true_ns) < WEIR_MS(1));
        }
    }
}

static void bounds_come_back_as_written(void)
{
    for (size_t f = 0; f < WEIR__FORMATS; f++) {
        const struct weir__format *format = weir__format_at(f);
        struct weir__bitrate_bound bound = {
            .bitrate_bps = 1 << 20, .sender_ssrc = 1, .n_ssrcs = 2, .ssrcs = {3, 4}};
        struct weir__bitrate_bound read;
        uint8_t data[MOST_BYTES];
        size_t size;
        if (!format->build_bound) {
            continue;
        }
        g_assert_cmpint(format->build_bound(&bound, data, sizeof data, &size), ==, WEIR_OK);
        struct weir__rtcp_packet packet = packet_of(data, size);
        g_assert_cmpuint(weir__format_of(&packet), ==, f);
        g_assert_cmpint(format->parse_bound(&packet, &read), ==, WEIR_OK);
        g_assert_cmpint(read.bitrate_bps, ==, bound.bitrate_bps);
        g_assert_cmpuint(read.n_ssrcs, ==, 2);
        g_assert_cmphex(read.ssrcs[1], ==, 4);
    }
}

/* Random bodies behind headers of each format: all or nothing, never more entries than it says. */
static void broken_reports_are_refused_or_read_within_bounds(void)
{
    static const uint8_t headers[][2] = {{0x8b, WEIR__RTCP_RTPFB}, {0x8f, WEIR__RTCP_RTPFB},
                                         {0x80, WEIR__RTCP_XR},    {0x8f, WEIR__RTCP_PSFB},
                                         {0x81, WEIR__RTCP_RR},    {0x91, WEIR__RTCP_RTPFB}};
    GRand *rand = g_rand_new_with_seed(4);
    size_t n_read = 0;
    for (int round = 0; round < 60000; round++) {
        uint8_t data[128];
        size_t size = 4 * (size_t)g_rand_int_range(rand, 1, 32);
        for (size_t i = 0; i < size; i++) { /* small numbers are likelier to mean something */
            data[i] = (uint8_t)(g_rand_int(rand) >> g_rand_int_range(rand, 24, 32));
        }
        memcpy(data, headers[round % 6], 2);
        data[2] = 0;
        data[3] = (uint8_t)(size / 4 - 1);
        struct weir__rtcp_packet packet = packet_of(data, size);
        const struct weir__format *format = weir__format_at(weir__format_of(&packet));
        if (!format || format->kind != WEIR__FORMAT_PACKETS) {
            continue;
        }
        struct weir__packet_feedback feedback, before;
        struct weir__feedback_entry entries[16];
        uint32_t peer = 0;
        size_t n = 0, some;
        memset(&feedback, 0x5a, sizeof feedback);
        before = feedback;
        if (format->parse(&packet, &peer, &feedback) != WEIR_OK) {
            g_assert_cmpint(memcmp(&feedback, &before, sizeof before), ==, 0);
            continue;
        }
        while ((some = format->read(&feedback, entries, G_N_ELEMENTS(entries))) > 0) {
            g_assert_cmpuint(some, <=, G_N_ELEMENTS(entries));
            n += some;
        }
        g_assert_cmpuint(n, <=, feedback.n_entries);
        n_read += n;
    }
    g_assert_cmpuint(n_read, >, 1000);
    g_rand_free(rand);
}

/* The types and formats of all packets that are anyone's. */
static void a_packet_is_of_the_format_that_its_header_names(void)
{
    for (unsigned header = 0; header < 256 * 32; header++) {
        struct weir__rtcp_packet packet = {.type = (uint8_t)(header / 32), .count = header % 32};
        size_t format = WEIR__FORMATS;
        switch (packet.type) {
        case WEIR__RTCP_SR:
        case WEIR__RTCP_RR:
            format = WEIR__FORMAT_INDEX_rr;
            break;
        case WEIR__RTCP_XR:
            format = WEIR__FORMAT_INDEX_xr;
            break;
        case WEIR__RTCP_RTPFB:
            format = packet.count == WEIR__RTPFB_CCFB   ? WEIR__FORMAT_INDEX_ccfb
                     : packet.count == WEIR__RTPFB_TWCC ? WEIR__FORMAT_INDEX_twcc
                                                        : WEIR__FORMATS;
            break;
        case WEIR__RTCP_PSFB:
            format = packet.count == WEIR__PSFB_AFB ? WEIR__FORMAT_INDEX_remb : WEIR__FORMATS;
            break;
        }
        g_assert_cmpuint(weir__format_of(&packet), ==, format);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add_func("/format/" #name, name)
    ADD(tables_are_complete);
    ADD(only_single_flags_have_an_index);
    ADD(reports_on_packets_come_back_as_written);
    ADD(bounds_come_back_as_written);
    ADD(broken_reports_are_refused_or_read_within_bounds);
    ADD(a_packet_is_of_the_format_that_its_header_names);
    return g_test_run();
}
