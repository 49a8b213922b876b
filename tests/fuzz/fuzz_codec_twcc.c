/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: the body of a transport-wide feedback packet. What is read is written again, in one packet
 * and in many small ones, and must read the same. */
#include "../read_formats.h"
#include "check.h"

enum { CAPACITY = 512, BUFFER_BYTES = 2048 };

static struct weir__feedback_entry entries[CAPACITY];
static struct weir__feedback_entry again[CAPACITY];

/* Only differences of arrivals survive: the reference time may wrap. */
static void check_same(const struct weir__feedback_entry *a, const struct weir__feedback_entry *b,
                       size_t n)
{
    int64_t offset_ns = 0;
    bool has_offset = false;
    for (size_t i = 0; i < n; i++) {
        CHECK(a[i].seq == b[i].seq);
        CHECK(a[i].received == b[i].received && a[i].has_time == b[i].has_time);
        if (a[i].has_time && !has_offset) {
            offset_ns = a[i].arrival_ns - b[i].arrival_ns;
            has_offset = true;
        }
        CHECK(!a[i].has_time || a[i].arrival_ns - b[i].arrival_ns == offset_ns);
    }
}

static void check_rebuild(const struct twcc *twcc, size_t packet_bytes)
{
    size_t done = 0;
    while (done < twcc->n_entries) {
        uint8_t buffer[BUFFER_BYTES];
        size_t size_bytes;
        size_t n;
        struct weir__rtcp_walk walk;
        struct weir__rtcp_packet packet;
        struct twcc read;
        CHECK(twcc_build(twcc, entries + done, twcc->n_entries - done, buffer, packet_bytes,
                         &size_bytes, &n) == WEIR_OK);
        CHECK(n >= 1 && size_bytes <= packet_bytes);
        weir__rtcp_walk_init(&walk, buffer, size_bytes);
        CHECK(weir__rtcp_walk_next(&walk, &packet) && walk.offset == size_bytes);
        CHECK(twcc_parse(&packet, &read, again, 5) == WEIR_OK);
        CHECK(read.n_entries == n);
        for (size_t at = 5, more; (more = twcc_read(&read, again + at, 9)) > 0; at += more) {
            CHECK(at + more <= n);
        }
        check_same(entries + done, again, n);
        done += n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir__rtcp_packet packet = {
        .body = data, .body_bytes = size, .type = WEIR__RTCP_RTPFB, .count = WEIR__RTPFB_TWCC};
    struct twcc twcc;
    if (twcc_parse(&packet, &twcc, entries, CAPACITY) != WEIR_OK) {
        return 0;
    }
    CHECK(twcc.n_entries >= 1 && twcc.n_entries <= UINT16_MAX);
    CHECK(twcc.n_received <= twcc.n_entries);
    if (twcc.n_entries <= CAPACITY) {
        check_rebuild(&twcc, BUFFER_BYTES);
        check_rebuild(&twcc, 24 + data[0] % 64U);
    }
    return 0;
}
