/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Per-packet blocks of extended reports (RFC 3611 4.1, 4.3): Loss RLE and Packet Receipt Times. */
#ifndef WEIR_CODEC_XR_RLE_H
#define WEIR_CODEC_XR_RLE_H

#include "codec/xr.h"

/* Where the reading of a block stands; points into the datagram. */
struct weir__xr_rest {
    const uint8_t *p; /* the next chunk or time */
    size_t n_done;    /* entries read */
    size_t n_symbols; /* of the chunk, read */
};

/* The packets begin_seq .. end_seq - 1 (wrapping) whose number is a multiple of 2^thinning. */
struct weir__xr_range {
    uint32_t ssrc;
    uint16_t begin_seq;
    uint16_t end_seq;
    uint8_t thinning; /* 0..15 */
    size_t n_entries; /* packets reported; may exceed the array's capacity. Build: ignored */
    struct weir__xr_rest rest; /* build: ignored */
};

/* seqs[i] and received[i] describe the i-th reported packet. */
enum weir_status weir__xr_loss_rle_parse(const struct weir__xr_block *block,
                                         struct weir__xr_range *range, uint16_t *seqs,
                                         bool *received, size_t capacity);
/* The entries after those read so far. Returns how many, 0 at the end. */
size_t weir__xr_loss_rle_read(struct weir__xr_range *range, uint16_t *seqs, bool *received,
                              size_t capacity);

/* times[i]: receipt time of seqs[i] in RTP timestamp units. */
enum weir_status weir__xr_receipt_times_parse(const struct weir__xr_block *block,
                                              struct weir__xr_range *range, uint16_t *seqs,
                                              uint32_t *times, size_t capacity);
size_t weir__xr_receipt_times_read(struct weir__xr_range *range, uint16_t *seqs, uint32_t *times,
                                   size_t capacity);

/* Number of packets a range reports, 0..65533; WEIR_ERROR_RANGE when it spans too much. */
enum weir_status weir__xr_range_entries(const struct weir__xr_range *range, size_t *n_entries);

#endif
