/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builders of RTCP packets that the library only reads, and a reader of one block of them. As in
 * lib/codec/: all or nothing, and WEIR_ERROR_NO_SPACE when the buffer is too small. */
#ifndef TESTS_WIRE_H
#define TESTS_WIRE_H

#include "codec/bytes.h"
#include "codec/format.h"
#include "codec/xr.h"
#include <stdlib.h>
#include <string.h>

enum { RANGE_BYTES = 8, CHUNK_BYTES = 2, TIME_BYTES = 4, MAX_RUN = 16383, VECTOR_SYMBOLS = 15 };

/* WEIR_ERROR_ARGUMENT for more than 31 SSRCs. */
static inline enum weir_status wire_bye_build(const struct weir__bye *bye, uint8_t *buffer,
                                              size_t capacity_bytes, size_t *size_bytes)
{
    size_t total_bytes = WEIR__RTCP_HEADER_BYTES + bye->n_ssrcs * (size_t)4;
    if (bye->n_ssrcs > WEIR__RTCP_MAX_COUNT) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (total_bytes > capacity_bytes) {
        return WEIR_ERROR_NO_SPACE;
    }
    weir__rtcp_put_header(buffer, bye->n_ssrcs, WEIR__RTCP_BYE, total_bytes);
    for (size_t i = 0; i < bye->n_ssrcs; i++) {
        weir__put_u32(buffer + 4 + 4 * i, bye->ssrcs[i]);
    }
    *size_bytes = total_bytes;
    return WEIR_OK;
}

/* A request with entries of 4-byte words behind the two SSRCs. Returns its size. */
static inline size_t wire_request_build(enum weir__rtcp_type type, unsigned format,
                                        uint32_t media_ssrc, const uint32_t *words, size_t n_words,
                                        uint8_t *buffer)
{
    size_t size_bytes = WEIR__RTCP_HEADER_BYTES + 8 + 4 * n_words;
    weir__rtcp_put_feedback_header(buffer, format, type, size_bytes, 0x11223344, media_ssrc);
    for (size_t i = 0; i < n_words; i++) {
        weir__put_u32(buffer + 12 + 4 * i, words[i]);
    }
    return size_bytes;
}

/* An extended report being written: init, put blocks, finish. A block that does not fit is left out
 * whole and its put function says WEIR_ERROR_NO_SPACE; the packet stays good. */
struct xr_writer {
    uint8_t *buffer;
    size_t capacity_bytes;
    size_t size_bytes;
};

/* ssrc: who reports. Needs eight bytes. */
static inline enum weir_status xr_writer_init(struct xr_writer *writer, uint8_t *buffer,
                                              size_t capacity_bytes, uint32_t ssrc)
{
    if (capacity_bytes < 8) {
        return WEIR_ERROR_NO_SPACE;
    }
    *writer =
        (struct xr_writer){.buffer = buffer, .capacity_bytes = capacity_bytes, .size_bytes = 8};
    weir__put_u32(buffer + 4, ssrc);
    return WEIR_OK;
}

static inline uint8_t *xr_put_block(struct xr_writer *writer, enum weir__xr_type type,
                                    uint8_t specific, size_t body_bytes)
{
    if (writer->capacity_bytes - writer->size_bytes < 4 + body_bytes) {
        return NULL;
    }
    uint8_t *p = writer->buffer + writer->size_bytes;
    p[0] = (uint8_t)type;
    p[1] = specific;
    weir__put_u16(p + 2, (uint32_t)(body_bytes / 4));
    writer->size_bytes += 4 + body_bytes;
    return p + 4;
}

static inline size_t xr_writer_finish(struct xr_writer *writer)
{
    weir__rtcp_put_header(writer->buffer, 0, WEIR__RTCP_XR, writer->size_bytes);
    return writer->size_bytes;
}

/* A block of an extended report: the packets begin_seq .. end_seq - 1 (wrapping) whose number is a
 * multiple of 2^thinning. */
struct xr_range {
    uint32_t ssrc;
    uint16_t begin_seq;
    uint16_t end_seq;
    uint8_t thinning;
    size_t n_entries;                      /* parsed */
    size_t n_read;                         /* parsed: of them, those that tell something */
    struct weir__packet_feedback feedback; /* parsed; where its reading stands */
};

/* Counted one by one; WEIR_ERROR_RANGE for a range that spans too much. */
static inline enum weir_status xr_range_entries(const struct xr_range *range, size_t *n_entries)
{
    uint32_t span = (uint16_t)(range->end_seq - range->begin_seq);
    if (range->thinning > 15 || span > 65533) {
        return WEIR_ERROR_RANGE;
    }
    *n_entries = 0;
    for (uint32_t i = 0; i < span; i++) {
        *n_entries += ((range->begin_seq + i) & ((1U << range->thinning) - 1)) == 0;
    }
    return WEIR_OK;
}

/* The next entries; received or times may be NULL. */
static inline size_t xr_read(struct xr_range *range, uint16_t *seqs, bool *received,
                             uint32_t *times, size_t capacity)
{
    struct weir__feedback_entry entries[64];
    size_t done = 0;
    while (done < capacity) {
        size_t room = capacity - done < 64 ? capacity - done : 64;
        size_t n = weir__format_at(WEIR__FORMAT_INDEX_xr)->read(&range->feedback, entries, room);
        if (n == 0) {
            break;
        }
        for (size_t i = 0; i < n; i++, done++) {
            seqs[done] = entries[i].seq;
            if (received != NULL) {
                received[done] = entries[i].received;
            }
            if (times != NULL) {
                times[done] = entries[i].rtp_time;
            }
        }
    }
    return done;
}

/* A block of that type alone in a packet, whose copy lives until the next call. *range stays as it
 * is on an error. */
static inline enum weir_status xr_parse(const struct weir__xr_block *block, enum weir__xr_type type,
                                        struct xr_range *range)
{
    static uint8_t *body;
    struct weir__packet_feedback feedback;
    uint32_t peer = 0;
    size_t body_bytes = 8 + block->body_bytes;
    if (block->type != type) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    free(body);
    body = calloc(1, body_bytes);
    body[4] = block->type;
    body[5] = block->specific;
    weir__put_u16(body + 6, (uint32_t)(block->body_bytes / 4));
    memcpy(body + 8, block->body, block->body_bytes);
    struct weir__rtcp_packet packet = {
        .body = body, .body_bytes = body_bytes, .type = WEIR__RTCP_XR};
    enum weir_status status =
        weir__format_at(WEIR__FORMAT_INDEX_xr)->parse(&packet, &peer, &feedback);
    if (status == WEIR_OK) {
        *range = (struct xr_range){.ssrc = weir__get_u32(body + 8),
                                   .begin_seq = weir__get_u16(body + 12),
                                   .end_seq = weir__get_u16(body + 14),
                                   .thinning = block->specific & 0x0f,
                                   .n_entries = feedback.n_entries,
                                   .feedback = feedback};
    }
    return status;
}

static inline enum weir_status xr_loss_rle_parse(const struct weir__xr_block *block,
                                                 struct xr_range *range, uint16_t *seqs,
                                                 bool *received, size_t capacity)
{
    enum weir_status status = xr_parse(block, WEIR__XR_LOSS_RLE, range);
    if (status == WEIR_OK) {
        range->n_read = xr_read(range, seqs, received, NULL, capacity);
    }
    return status;
}

/* A time of 0 tells nothing and is left out. */
static inline enum weir_status xr_receipt_times_parse(const struct weir__xr_block *block,
                                                      struct xr_range *range, uint16_t *seqs,
                                                      uint32_t *times, size_t capacity)
{
    enum weir_status status = xr_parse(block, WEIR__XR_RECEIPT_TIMES, range);
    if (status == WEIR_OK) {
        range->n_read = xr_read(range, seqs, NULL, times, capacity);
    }
    return status;
}

static inline uint8_t *put_range(uint8_t *p, const struct xr_range *range)
{
    weir__put_u32(p, range->ssrc);
    weir__put_u16(p + 4, range->begin_seq);
    weir__put_u16(p + 6, range->end_seq);
    return p + RANGE_BYTES;
}

/* The chunk for the values at the front: a run if it covers more than a vector would. Returns how
 * many values it covers. */
static inline size_t choose_chunk(const bool *received, size_t n, uint16_t *chunk)
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

static inline size_t count_chunks(const bool *received, size_t n)
{
    size_t n_chunks = 0;
    uint16_t chunk;
    for (size_t done = 0; done < n; n_chunks++) {
        done += choose_chunk(received + done, n - done, &chunk);
    }
    return n_chunks;
}

/* WEIR_ERROR_RANGE for a range that spans too much. */
static inline enum weir_status
wire_xr_put_loss_rle(struct xr_writer *writer, const struct xr_range *range, const bool *received)
{
    size_t n;
    enum weir_status status = xr_range_entries(range, &n);
    if (status != WEIR_OK) {
        return status;
    }
    size_t n_chunks = count_chunks(received, n);
    size_t body_bytes = RANGE_BYTES + (n_chunks + n_chunks % 2) * CHUNK_BYTES;
    uint8_t *p = xr_put_block(writer, WEIR__XR_LOSS_RLE, range->thinning, body_bytes);
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
static inline enum weir_status wire_xr_put_receipt_times(struct xr_writer *writer,
                                                         const struct xr_range *range,
                                                         const uint32_t *times)
{
    size_t n;
    enum weir_status status = xr_range_entries(range, &n);
    if (status != WEIR_OK) {
        return status;
    }
    uint8_t *p =
        xr_put_block(writer, WEIR__XR_RECEIPT_TIMES, range->thinning, RANGE_BYTES + n * TIME_BYTES);
    if (p == NULL) {
        return WEIR_ERROR_NO_SPACE;
    }
    p = put_range(p, range);
    for (size_t i = 0; i < n; i++) {
        weir__put_u32(p + i * TIME_BYTES, times[i]);
    }
    return WEIR_OK;
}

/* The answers to receivers' reference times (RFC 3611 4.5) in a datagram; how many there are. */
static inline size_t wire_read_answers(const uint8_t *data, size_t len,
                                       struct weir__xr_dlrr *answers, size_t n_answers)
{
    struct weir__rtcp_walk walk;
    struct weir__rtcp_packet packet;
    struct weir__xr_walk blocks;
    struct weir__xr_block block;
    size_t n = 0, found = 0;
    weir__rtcp_walk_init(&walk, data, len);
    while (weir__rtcp_walk_next(&walk, &packet)) {
        bool has_answers = weir__xr_walk_init(&blocks, &packet) == WEIR_OK &&
                           weir__xr_walk_next(&blocks, &block) &&
                           weir__xr_dlrr_parse(&block, answers, n_answers, &n) == WEIR_OK;
        found = has_answers ? n : found;
    }
    return found;
}

#endif
