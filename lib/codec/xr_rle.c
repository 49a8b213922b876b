/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layout of both blocks: SSRC, first sequence number, one past the last, then chunks of 16 bits
 * (loss) or one 32-bit time for each reported packet. */
#include <string.h>

#include "codec/bytes.h"
#include "codec/format.h"
#include "codec/sr_rr.h"
#include "codec/xr.h"

enum {
    RANGE_BYTES = 8,
    CHUNK_BYTES = 2,
    TIME_BYTES = 4,
    MAX_SPAN = 65533,
    MAX_RUN = 16383,
    VECTOR_SYMBOLS = 15
};

/* A block and where its reading stands: the packets begin_seq .. end_seq - 1 (wrapping) whose
 * number is a multiple of 2^thinning. Points into the datagram. */
struct range {
    uint32_t ssrc;
    uint16_t begin_seq;
    uint16_t end_seq;
    uint8_t thinning; /* 0..15 */
    size_t n_entries; /* packets reported */
    const uint8_t *p; /* the next chunk or time */
    size_t n_done;    /* entries read */
    size_t n_symbols; /* of the chunk, read */
};

/* Sequence numbers from begin_seq to the first one that is a multiple of 2^thinning. */
static uint32_t distance_to_first(const struct range *range)
{
    uint32_t step = UINT32_C(1) << range->thinning;
    return (step - range->begin_seq % step) % step;
}

/* The i-th reported sequence number. 2^thinning divides 2^16, so wrapping keeps it a multiple. */
static uint16_t nth_seq(const struct range *range, size_t i)
{
    return (uint16_t)(range->begin_seq + distance_to_first(range) + (i << range->thinning));
}

/* False when the range spans too much. */
static bool count_entries(struct range *range)
{
    uint32_t span = (uint16_t)(range->end_seq - range->begin_seq);
    uint32_t first = distance_to_first(range);
    uint32_t step = UINT32_C(1) << range->thinning;
    range->n_entries = span > first ? (span - first - 1) / step + 1 : 0;
    return span <= MAX_SPAN;
}

static size_t chunk_symbols(uint16_t chunk)
{
    return chunk >> 15 ? VECTOR_SYMBOLS : chunk & MAX_RUN;
}

/* Symbol i of a chunk; vectors have theirs most significant first. */
static bool chunk_symbol(uint16_t chunk, size_t i)
{
    return chunk >> 15 ? chunk >> (VECTOR_SYMBOLS - 1 - i) & 1 : chunk >> 14 & 1;
}

/* Whether the chunks tell something about every packet of the range. A null chunk may only fill the
 * last word, so nothing comes after it. */
static enum weir_status check_chunks(const struct weir__xr_block *block, size_t n_entries)
{
    size_t n_told = 0;
    for (size_t o = RANGE_BYTES; o < block->body_bytes; o += CHUNK_BYTES) {
        uint16_t chunk = weir__get_u16(block->body + o);
        if (chunk == 0 && o + CHUNK_BYTES != block->body_bytes) {
            return WEIR_ERROR_MALFORMED;
        }
        n_told += chunk_symbols(chunk);
    }
    return n_told < n_entries ? WEIR_ERROR_TRUNCATED : WEIR_OK;
}

/* A loss block (RFC 3611 4.1; a run or vector that goes past the range is clipped) or receipt times
 * (4.3). *range stays as it is on an error. */
static enum weir_status parse_block(const struct weir__xr_block *block, struct range *range)
{
    bool has_times = block->type == WEIR__XR_RECEIPT_TIMES;
    if (!has_times && block->type != WEIR__XR_LOSS_RLE) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (block->body_bytes < RANGE_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    struct range parsed = {.ssrc = weir__get_u32(block->body),
                           .begin_seq = weir__get_u16(block->body + 4),
                           .end_seq = weir__get_u16(block->body + 6),
                           .thinning = block->specific & 0x0f,
                           .p = block->body + RANGE_BYTES};
    bool fits = count_entries(&parsed) &&
                (!has_times || block->body_bytes == RANGE_BYTES + parsed.n_entries * TIME_BYTES);
    enum weir_status status = !fits       ? WEIR_ERROR_MALFORMED
                              : has_times ? WEIR_OK
                                          : check_chunks(block, parsed.n_entries);
    *range = status == WEIR_OK ? parsed : *range;
    return status;
}

/* Where the reading of a packet stands. Receipt times come first: of a packet that two blocks name,
 * the one with a time shall be heard. */
struct reading {
    struct weir__xr_walk start;
    struct weir__xr_walk walk;
    struct range range; /* of the block at hand */
    uint8_t type;       /* of that block; 0: none */
    bool had_times;
};

_Static_assert(sizeof(struct reading) <= WEIR__READING_MAX_BYTES, "place for the reading");

/* What a block adds to the packet. */
static enum weir_status add_block(const struct weir__xr_block *block,
                                  struct weir__packet_feedback *feedback)
{
    struct range range = {.n_entries = 0};
    uint64_t ntp;
    if (block->type != WEIR__XR_RRTR) {
        enum weir_status status = parse_block(block, &range);
        feedback->n_entries += range.n_entries;
        return status;
    }
    enum weir_status status = weir__xr_rrtr_parse(block, &ntp);
    if (status == WEIR_OK) {
        feedback->has_rrtr = true;
        feedback->rrtr_mid32 = weir__ntp_mid32(ntp);
    }
    return status;
}

/* Blocks that cannot be read do not take the others with them. */
static enum weir_status parse_feedback(const struct weir__rtcp_packet *packet, uint32_t *peer,
                                       struct weir__packet_feedback *feedback)
{
    struct weir__xr_walk walk;
    struct weir__xr_block block;
    enum weir_status result = weir__xr_walk_init(&walk, packet);
    (void)peer;
    if (result != WEIR_OK) {
        return result;
    }
    struct reading reading = {.start = walk, .walk = walk};
    struct weir__packet_feedback found = {.sender_ssrc = walk.ssrc};
    size_t n_blocks = 0;
    result = WEIR_ERROR_UNSUPPORTED;
    while (weir__xr_walk_next(&walk, &block)) {
        enum weir_status status = add_block(&block, &found);
        n_blocks += status == WEIR_OK;
        result = status == WEIR_OK || status == WEIR_ERROR_UNSUPPORTED ? result : status;
    }
    if (n_blocks == 0) {
        return walk.malformed ? WEIR_ERROR_MALFORMED : result;
    }
    *feedback = found;
    memcpy(feedback->rest, &reading, sizeof reading);
    return WEIR_OK;
}

/* The next block about packets, first those with times. */
static bool next_block(struct reading *reading, struct weir__packet_feedback *feedback)
{
    struct weir__xr_block block;
    for (;;) {
        while (weir__xr_walk_next(&reading->walk, &block)) {
            bool times = block.type == WEIR__XR_RECEIPT_TIMES;
            if (times == reading->had_times || parse_block(&block, &reading->range) != WEIR_OK ||
                reading->range.n_entries == 0) {
                continue;
            }
            reading->type = block.type;
            feedback->new_clock |= times;
            feedback->clock_ssrc = times ? reading->range.ssrc : feedback->clock_ssrc;
            return true;
        }
        if (reading->had_times) {
            return false;
        }
        reading->had_times = true;
        reading->walk = reading->start;
    }
}

/* A thinned report does not cover the packets it leaves out. */
static size_t read_losses(struct range *range, size_t n, struct weir__feedback_entry *entries)
{
    size_t done = 0;
    while (done < n) {
        uint16_t chunk = weir__get_u16(range->p);
        size_t n_symbols = chunk_symbols(chunk);
        size_t i = range->n_symbols;
        for (; i < n_symbols && done < n; i++, done++) {
            entries[done] =
                (struct weir__feedback_entry){.ssrc = range->ssrc,
                                              .seq = nth_seq(range, range->n_done + done),
                                              .received = chunk_symbol(chunk, i)};
        }
        bool over = i == n_symbols;
        range->p += over ? CHUNK_BYTES : 0;
        range->n_symbols = over ? 0 : i;
    }
    return n;
}

/* A time of 0 tells nothing. */
static size_t read_times(struct range *range, size_t n, struct weir__feedback_entry *entries)
{
    size_t n_told = 0;
    for (size_t i = 0; i < n; i++, range->p += TIME_BYTES) {
        uint32_t rtp_time = weir__get_u32(range->p);
        if (rtp_time != 0) {
            entries[n_told++] =
                (struct weir__feedback_entry){.ssrc = range->ssrc,
                                              .rtp_time = rtp_time,
                                              .seq = nth_seq(range, range->n_done + i),
                                              .received = true,
                                              .has_time = true};
        }
    }
    return n_told;
}

static size_t read_feedback(struct weir__packet_feedback *feedback,
                            struct weir__feedback_entry *entries, size_t capacity)
{
    struct reading *reading = (void *)feedback->rest;
    struct range *range = &reading->range;
    size_t n = 0;
    while (n == 0 && capacity > 0 && (reading->type != 0 || next_block(reading, feedback))) {
        size_t n_left = range->n_entries - range->n_done;
        size_t n_now = n_left < capacity ? n_left : capacity;
        n = reading->type == WEIR__XR_RECEIPT_TIMES ? read_times(range, n_now, entries)
                                                    : read_losses(range, n_now, entries);
        range->n_done += n_now;
        reading->type = n_now < n_left ? reading->type : 0;
    }
    return n;
}

const struct weir__format weir__format_xr = {
    .name = "xr",
    .description = "RFC 3611 extended reports: losses and receipt times of packets",
    .kind = WEIR__FORMAT_PACKETS,
    .types = {WEIR__RTCP_XR},
    .parse = parse_feedback,
    .read = read_feedback,
};
