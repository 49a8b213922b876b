/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: the body of an RFC 8888 packet, read with each belief about how the peer counts. What is
 * read is written again and must read the same. */
#include "../read_formats.h"
#include "check.h"

enum { CAPACITY = 512, BUFFER_BYTES = 8192 };

static struct weir__feedback_entry entries[CAPACITY];
static struct weir__feedback_entry again[CAPACITY];

static void check_rebuild(const struct ccfb *ccfb)
{
    uint8_t buffer[BUFFER_BYTES];
    size_t size_bytes;
    size_t n;
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    struct ccfb read;
    CHECK(ccfb_build(ccfb, entries, ccfb->n_entries, buffer, sizeof buffer, &size_bytes, &n) ==
          WEIR_OK);
    CHECK(n == ccfb->n_entries);
    weir__rtcp_walk_init(&walk, buffer, size_bytes);
    CHECK(weir__rtcp_walk_next(&walk, &packet) && walk.offset == size_bytes);
    struct ccfb_peer peer = {.counting = CCFB_COUNT_WORDS};
    CHECK(ccfb_parse(&packet, &peer, &read, again, 5) == WEIR_OK);
    for (size_t at = 5, more; (more = ccfb_read(&read, again + at, 9)) > 0; at += more) {
        CHECK(at + more <= read.n_entries);
    }
    CHECK(read.n_entries == n && read.report_mid32 == ccfb->report_mid32);
    for (size_t i = 0; i < n; i++) {
        CHECK(entries[i].ssrc == again[i].ssrc && entries[i].seq == again[i].seq);
        CHECK(entries[i].received == again[i].received && entries[i].ecn == again[i].ecn);
        CHECK(entries[i].has_time == again[i].has_time);
        CHECK(entries[i].arrival_ns == again[i].arrival_ns);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir__rtcp_packet packet = {
        .body = data, .body_bytes = size, .type = WEIR__RTCP_RTPFB, .count = WEIR__RTPFB_CCFB};
    enum weir_status first = WEIR_OK;
    for (int counting = CCFB_COUNT_UNKNOWN; counting <= CCFB_COUNT_MINUS_ONE; counting++) {
        struct ccfb_peer peer = {.counting = (uint32_t)counting};
        struct ccfb ccfb;
        enum weir_status status = ccfb_parse(&packet, &peer, &ccfb, entries, CAPACITY);
        if (counting == CCFB_COUNT_UNKNOWN) {
            first = status;
        }
        CHECK(status == first); /* a belief never decides whether a packet is good */
        if (status == WEIR_OK && ccfb.n_entries <= CAPACITY) {
            check_rebuild(&ccfb);
        }
    }
    return 0;
}
