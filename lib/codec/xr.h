/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extended reports (RFC 3611): the walk over blocks, receiver reference time and DLRR. */
#ifndef WEIR_CODEC_XR_H
#define WEIR_CODEC_XR_H

#include "codec/rtcp.h"

enum weir__xr_type {
    WEIR__XR_LOSS_RLE = 1,
    WEIR__XR_DUPLICATE_RLE = 2,
    WEIR__XR_RECEIPT_TIMES = 3,
    WEIR__XR_RRTR = 4,
    WEIR__XR_DLRR = 5,
    WEIR__XR_ECN_SUMMARY = 13 /* ecn_report.h */
};

struct weir__xr_block {
    const uint8_t *body; /* what follows the four-byte block header */
    size_t body_bytes;   /* a multiple of 4 */
    uint8_t type;        /* enum weir__xr_type or anything else: skip those */
    uint8_t specific;
};

struct weir__xr_walk {
    const uint8_t *data;
    size_t size_bytes;
    size_t offset;
    uint32_t ssrc;  /* who reports */
    bool malformed; /* the walk stopped at a block longer than the packet */
};

enum weir_status weir__xr_walk_init(struct weir__xr_walk *walk,
                                    const struct weir__rtcp_packet *packet);
bool weir__xr_walk_next(struct weir__xr_walk *walk, struct weir__xr_block *block);

enum weir_status weir__xr_rrtr_parse(const struct weir__xr_block *block, uint64_t *ntp);

struct weir__xr_dlrr {
    uint32_t ssrc;       /* the receiver whose RRTR is echoed */
    uint32_t lrr_mid32;  /* 0 = none */
    uint32_t dlrr_mid32; /* delay since then, 1/65536 s */
};

enum weir_status weir__xr_dlrr_parse(const struct weir__xr_block *block,
                                     struct weir__xr_dlrr *items, size_t capacity, size_t *n_items);

/* Opens a packet with one block of body_bytes, a multiple of 4. ssrc: who reports. Returns where
 * its body goes; NULL if it does not fit. */
uint8_t *weir__xr_open_packet(uint32_t ssrc, enum weir__xr_type type, size_t body_bytes,
                              uint8_t *buffer, size_t capacity_bytes, size_t *size_bytes);

/* A packet with that block alone. At most 1000 items. */
enum weir_status weir__xr_build_rrtr(uint32_t ssrc, uint64_t ntp, uint8_t *buffer,
                                     size_t capacity_bytes, size_t *size_bytes);
enum weir_status weir__xr_build_dlrr(uint32_t ssrc, const struct weir__xr_dlrr *items,
                                     size_t n_items, uint8_t *buffer, size_t capacity_bytes,
                                     size_t *size_bytes);

#endif
