/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layout of both blocks: SSRC, first sequence number, one past the last, then chunks of 16 bits
 * (loss) or one 32-bit time for each reported packet. */
#include "codec/xr_rle.h"

#include "codec/bytes.h"

enum {
    RANGE_BYTES = 8,
    CHUNK_BYTES = 2,
    TIME_BYTES = 4,
    MAX_SPAN = 65533,
    MAX_RUN = 16383,
    VECTOR_SYMBOLS = 15
};

/* Sequence numbers from begin_seq to the first one that is a multiple of 2^thinning. */
static uint32_t distance_to_first(const struct weir__xr_range *range)
{
    uint32_t step = UINT32_C(1) << range->thinning;
    return (step - range->begin_seq % step) % step;
}

/* The i-th reported sequence number. 2^thinning divides 2^16, so wrapping keeps it a multiple. */
static uint16_t nth_seq(const struct weir__xr_range *range, size_t i)
{
    return (uint16_t)(range->begin_seq + distance_to_first(range) + (i << range->thinning));
}

/* WEIR_ERROR_RANGE also for a thinning above 15. */
enum weir_status weir__xr_range_entries(const struct weir__xr_range *range, size_t *n_entries)
{
    uint32_t span = (uint16_t)(range->end_seq - range->begin_seq);
    if (range->thinning > 15 || span > MAX_SPAN) {
        return WEIR_ERROR_RANGE;
    }
    uint32_t first = distance_to_first(range);
    uint32_t step = UINT32_C(1) << range->thinning;
    *n_entries = span > first ? (span - first - 1) / step + 1 : 0;
    return WEIR_OK;
}

static enum weir_status parse_range(const struct weir__xr_block *block, enum weir__xr_type type,
                                    struct weir__xr_range *range)
{
    if (block->type != type) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (block->body_bytes < RANGE_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    *range = (struct weir__xr_range){.ssrc = weir__get_u32(block->body),
                                     .begin_seq = weir__get_u16(block->body + 4),
                                     .end_seq = weir__get_u16(block->body + 6),
                                     .thinning = block->specific & 0x0f,
                                     .rest = {.p = block->body + RANGE_BYTES}};
    return weir__xr_range_entries(range, &range->n_entries) == WEIR_OK ? WEIR_OK
                                                                       : WEIR_ERROR_MALFORMED;
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

/* How many entries may be read now. */
static size_t n_readable(const struct weir__xr_range *range, size_t capacity)
{
    size_t n_left = range->n_entries - range->rest.n_done;
    return n_left < capacity ? n_left : capacity;
}

size_t weir__xr_loss_rle_read(struct weir__xr_range *range, uint16_t *seqs, bool *received,
                              size_t capacity)
{
    struct weir__xr_rest *rest = &range->rest;
    size_t n = n_readable(range, capacity);
    size_t done = 0;
    while (done < n) {
        uint16_t chunk = weir__get_u16(rest->p);
        size_t n_symbols = chunk_symbols(chunk);
        size_t i = rest->n_symbols;
        for (; i < n_symbols && done < n; i++, done++) {
            seqs[done] = nth_seq(range, rest->n_done + done);
            received[done] = chunk_symbol(chunk, i);
        }
        bool over = i == n_symbols;
        rest->p += over ? CHUNK_BYTES : 0;
        rest->n_symbols = over ? 0 : i;
    }
    rest->n_done += n;
    return n;
}

size_t weir__xr_receipt_times_read(struct weir__xr_range *range, uint16_t *seqs, uint32_t *times,
                                   size_t capacity)
{
    struct weir__xr_rest *rest = &range->rest;
    size_t n = n_readable(range, capacity);
    for (size_t i = 0; i < n; i++, rest->p += TIME_BYTES) {
        seqs[i] = nth_seq(range, rest->n_done + i);
        times[i] = weir__get_u32(rest->p);
    }
    rest->n_done += n;
    return n;
}

/* RFC 3611 4.1. A run or vector that goes past the range is clipped. */
enum weir_status weir__xr_loss_rle_parse(const struct weir__xr_block *block,
                                         struct weir__xr_range *range, uint16_t *seqs,
                                         bool *received, size_t capacity)
{
    struct weir__xr_range parsed;
    enum weir_status status = parse_range(block, WEIR__XR_LOSS_RLE, &parsed);
    if (status == WEIR_OK) {
        status = check_chunks(block, parsed.n_entries);
    }
    if (status != WEIR_OK) {
        return status;
    }
    weir__xr_loss_rle_read(&parsed, seqs, received, capacity);
    *range = parsed;
    return WEIR_OK;
}

/* RFC 3611 4.3. */
enum weir_status weir__xr_receipt_times_parse(const struct weir__xr_block *block,
                                              struct weir__xr_range *range, uint16_t *seqs,
                                              uint32_t *times, size_t capacity)
{
    struct weir__xr_range parsed;
    enum weir_status status = parse_range(block, WEIR__XR_RECEIPT_TIMES, &parsed);
    if (status != WEIR_OK) {
        return status;
    }
    if (block->body_bytes != RANGE_BYTES + parsed.n_entries * TIME_BYTES) {
        return WEIR_ERROR_MALFORMED;
    }
    weir__xr_receipt_times_read(&parsed, seqs, times, capacity);
    *range = parsed;
    return WEIR_OK;
}

static uint8_t *put_range(uint8_t *p, const struct weir__xr_range *range)
{
    weir__put_u32(p, range->ssrc);
    weir__put_u16(p + 4, range->begin_seq);
    weir__put_u16(p + 6, range->end_seq);
    return p + RANGE_BYTES;
}

/* The chunk for the values at the front: a run if it covers more than a vector would. Returns how
 * many values it covers. */
static size_t choose_chunk(const bool *received, size_t n, uint16_t *chunk)
{
    size_t n_run = 1;
    while (n_run < n && n_run < MAX_RUN && received[n_run] == received[0]) {
        n_run++;
    }
    if (n_run >= VECTOR_SYMBOLS || n_run == n) {
        *chunk = (uint16_t)((received[0] ? 1U << 14 : 0U) | n_run);
        return n_run;
    }
    size_t n_vector = n < VECTOR_SYMBOLS ? n : VECTOR_SYMBOLS;
    unsigned bits = 0;
    for (size_t i = 0; i < n_vector; i++) {
        bits |= (received[i] ? 1U : 0U) << (VECTOR_SYMBOLS - 1 - i);
    }
    *chunk = (uint16_t)(0x8000U | bits);
    return n_vector;
}

static size_t count_chunks(const bool *received, size_t n)
{
    size_t n_chunks = 0;
    uint16_t chunk;
    for (size_t done = 0; done < n; n_chunks++) {
        done += choose_chunk(received + done, n - done, &chunk);
    }
    return n_chunks;
}

/* WEIR_ERROR_RANGE for a range that spans too much. */
enum weir_status weir__xr_put_loss_rle(struct weir__xr_writer *writer,
                                       const struct weir__xr_range *range, const bool *received)
{
    size_t n;
    enum weir_status status = weir__xr_range_entries(range, &n);
    if (status != WEIR_OK) {
        return status;
    }
    size_t n_chunks = count_chunks(received, n);
    size_t body_bytes = RANGE_BYTES + (n_chunks + n_chunks % 2) * CHUNK_BYTES;
    uint8_t *p = weir__xr_put_block(writer, WEIR__XR_LOSS_RLE, range->thinning, body_bytes);
    if (p == NULL) {
        return WEIR_ERROR_NO_SPACE;
    }
    p = put_range(p, range);
    for (size_t done = 0; done < n; p += CHUNK_BYTES) {
        uint16_t chunk;
        done += choose_chunk(received + done, n - done, &chunk);
        weir__put_u16(p, chunk);
    }
    if (n_chunks % 2 == 1) {
        weir__put_u16(p, 0);
    }
    return WEIR_OK;
}

/* WEIR_ERROR_RANGE for a range that spans too much. */
enum weir_status weir__xr_put_receipt_times(struct weir__xr_writer *writer,
                                            const struct weir__xr_range *range,
                                            const uint32_t *times)
{
    size_t n;
    enum weir_status status = weir__xr_range_entries(range, &n);
    if (status != WEIR_OK) {
        return status;
    }
    uint8_t *p = weir__xr_put_block(writer, WEIR__XR_RECEIPT_TIMES, range->thinning,
                                    RANGE_BYTES + n * TIME_BYTES);
    if (p == NULL) {
        return WEIR_ERROR_NO_SPACE;
    }
    p = put_range(p, range);
    for (size_t i = 0; i < n; i++) {
        weir__put_u32(p + i * TIME_BYTES, times[i]);
    }
    return WEIR_OK;
}
