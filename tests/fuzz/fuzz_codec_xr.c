/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: the body of an extended report. Loss patterns and receipt times that are read are written
 * again and must read the same. */
#include <string.h>

#include "../wire.h"
#include "check.h"
#include "codec/ecn_report.h"
#include "codec/xr.h"

enum { CAPACITY = 2048, BUFFER_BYTES = 16384 };

static uint16_t seqs[CAPACITY];
static bool received[CAPACITY];
static uint32_t times[CAPACITY];

static struct weir__xr_block reopen(struct xr_writer *writer)
{
    struct weir__rtcp_walk rtcp_walk;
    struct weir__rtcp_packet packet;
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    size_t size_bytes = xr_writer_finish(writer);
    weir__rtcp_walk_init(&rtcp_walk, writer->buffer, size_bytes);
    CHECK(weir__rtcp_walk_next(&rtcp_walk, &packet));
    CHECK(weir__xr_walk_init(&walk, &packet) == WEIR_OK);
    CHECK(weir__xr_walk_next(&walk, &block));
    return block;
}

static void check_loss(const struct weir__xr_block *block)
{
    static bool again[CAPACITY];
    uint8_t buffer[BUFFER_BYTES];
    struct xr_writer writer;
    struct xr_range range;
    if (xr_loss_rle_parse(block, &range, seqs, received, CAPACITY) != WEIR_OK ||
        range.n_entries > CAPACITY) {
        return;
    }
    CHECK(xr_writer_init(&writer, buffer, sizeof buffer, 1) == WEIR_OK);
    CHECK(wire_xr_put_loss_rle(&writer, &range, received) == WEIR_OK);
    struct weir__xr_block rebuilt = reopen(&writer);
    CHECK(xr_loss_rle_parse(&rebuilt, &range, seqs, again, 5) == WEIR_OK);
    for (size_t at = 5, n; (n = xr_read(&range, seqs, again + at, NULL, 9)) > 0; at += n) {
        CHECK(at + n <= range.n_entries);
    }
    CHECK(memcmp(received, again, range.n_entries * sizeof again[0]) == 0);
}

static void check_times(const struct weir__xr_block *block)
{
    static uint32_t again[CAPACITY];
    uint8_t buffer[BUFFER_BYTES];
    struct xr_writer writer;
    struct xr_range range;
    if (xr_receipt_times_parse(block, &range, seqs, times, CAPACITY) != WEIR_OK ||
        range.n_read < range.n_entries) {
        return;
    }
    CHECK(xr_writer_init(&writer, buffer, sizeof buffer, 1) == WEIR_OK);
    CHECK(wire_xr_put_receipt_times(&writer, &range, times) == WEIR_OK);
    struct weir__xr_block rebuilt = reopen(&writer);
    CHECK(xr_receipt_times_parse(&rebuilt, &range, seqs, again, 5) == WEIR_OK);
    size_t at = 5;
    for (size_t n; (n = xr_read(&range, seqs, NULL, again + at, 9)) > 0; at += n) {
        CHECK(at + n <= range.n_entries);
    }
    CHECK(memcmp(times, again, range.n_entries * sizeof again[0]) == 0);
}

static void check_summary(const struct weir__xr_block *block)
{
    struct weir__ecn_summary summary;
    uint8_t buffer[32];
    size_t size_bytes;
    if (weir__ecn_summary_parse(block, &summary) == WEIR_OK) {
        CHECK(weir__ecn_summary_build(1, &summary, buffer, sizeof buffer, &size_bytes) == WEIR_OK);
        CHECK(memcmp(block->body, buffer + size_bytes - block->body_bytes, block->body_bytes) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir__rtcp_packet packet = {.body = data, .body_bytes = size, .type = WEIR__RTCP_XR};
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    if (weir__xr_walk_init(&walk, &packet) != WEIR_OK) {
        return 0;
    }
    while (weir__xr_walk_next(&walk, &block)) {
        struct weir__xr_dlrr items[4];
        uint64_t ntp;
        size_t n;
        CHECK(block.body + block.body_bytes <= data + size);
        weir__xr_rrtr_parse(&block, &ntp);
        if (weir__xr_dlrr_parse(&block, items, 4, &n) == WEIR_OK) {
            CHECK(n * 12 == block.body_bytes);
        }
        check_loss(&block);
        check_times(&block);
        check_summary(&block);
    }
    return 0;
}
