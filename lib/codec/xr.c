/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/xr.h"

#include "codec/bytes.h"

enum { SSRC_BYTES = 4, BLOCK_HEADER_BYTES = 4, RRTR_BYTES = 8, DLRR_ITEM_BYTES = 12 };

/* RFC 3611 2. */
enum weir_status weir__xr_walk_init(struct weir__xr_walk *walk,
                                    const struct weir__rtcp_packet *packet)
{
    if (packet->type != WEIR__RTCP_XR) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes < SSRC_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    *walk = (struct weir__xr_walk){.data = packet->body,
                                   .size_bytes = packet->body_bytes,
                                   .offset = SSRC_BYTES,
                                   .ssrc = weir__get_u32(packet->body)};
    return WEIR_OK;
}

/* The next block, whatever its type (RFC 3611 3). A block of length 0 is legal; one that runs past
 * the packet ends the walk. */
bool weir__xr_walk_next(struct weir__xr_walk *walk, struct weir__xr_block *block)
{
    size_t left_bytes = walk->size_bytes - walk->offset;
    const uint8_t *header = walk->data + walk->offset;
    if (left_bytes == 0) {
        return false;
    }
    size_t body_bytes =
        left_bytes < BLOCK_HEADER_BYTES ? left_bytes : weir__get_u16(header + 2) * (size_t)4;
    if (left_bytes < BLOCK_HEADER_BYTES + body_bytes) {
        walk->malformed = true;
        walk->offset = walk->size_bytes;
        return false;
    }
    *block = (struct weir__xr_block){.body = header + BLOCK_HEADER_BYTES,
                                     .body_bytes = body_bytes,
                                     .type = header[0],
                                     .specific = header[1]};
    walk->offset += BLOCK_HEADER_BYTES + body_bytes;
    return true;
}

/* Receiver reference time (RFC 3611 4.4). */
enum weir_status weir__xr_rrtr_parse(const struct weir__xr_block *block, uint64_t *ntp)
{
    if (block->type != WEIR__XR_RRTR) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (block->body_bytes != RRTR_BYTES) {
        return WEIR_ERROR_MALFORMED;
    }
    *ntp = weir__get_u64(block->body);
    return WEIR_OK;
}

/* Delay since the last receiver report (RFC 3611 4.5); may be empty. */
enum weir_status weir__xr_dlrr_parse(const struct weir__xr_block *block,
                                     struct weir__xr_dlrr *items, size_t capacity, size_t *n_items)
{
    if (block->type != WEIR__XR_DLRR) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (block->body_bytes % DLRR_ITEM_BYTES != 0) {
        return WEIR_ERROR_MALFORMED;
    }
    *n_items = block->body_bytes / DLRR_ITEM_BYTES;
    for (size_t i = 0; i < *n_items && i < capacity; i++) {
        const uint8_t *p = block->body + i * DLRR_ITEM_BYTES;
        items[i] = (struct weir__xr_dlrr){.ssrc = weir__get_u32(p),
                                          .lrr_mid32 = weir__get_u32(p + 4),
                                          .dlrr_mid32 = weir__get_u32(p + 8)};
    }
    return WEIR_OK;
}

uint8_t *weir__xr_open_packet(uint32_t ssrc, enum weir__xr_type type, size_t body_bytes,
                              uint8_t *buffer, size_t capacity_bytes, size_t *size_bytes)
{
    size_t total_bytes = WEIR__RTCP_HEADER_BYTES + SSRC_BYTES + BLOCK_HEADER_BYTES + body_bytes;
    if (total_bytes > capacity_bytes) {
        return NULL;
    }
    weir__rtcp_put_header(buffer, 0, WEIR__RTCP_XR, total_bytes);
    weir__put_u32(buffer + 4, ssrc);
    weir__put_u32(buffer + 8, (uint32_t)type << 24 | (uint32_t)(body_bytes / 4));
    *size_bytes = total_bytes;
    return buffer + total_bytes - body_bytes;
}

enum weir_status weir__xr_build_rrtr(uint32_t ssrc, uint64_t ntp, uint8_t *buffer,
                                     size_t capacity_bytes, size_t *size_bytes)
{
    uint8_t *p =
        weir__xr_open_packet(ssrc, WEIR__XR_RRTR, RRTR_BYTES, buffer, capacity_bytes, size_bytes);
    if (p == NULL) {
        return WEIR_ERROR_NO_SPACE;
    }
    weir__put_u64(p, ntp);
    return WEIR_OK;
}

enum weir_status weir__xr_build_dlrr(uint32_t ssrc, const struct weir__xr_dlrr *items,
                                     size_t n_items, uint8_t *buffer, size_t capacity_bytes,
                                     size_t *size_bytes)
{
    uint8_t *p = weir__xr_open_packet(ssrc, WEIR__XR_DLRR, n_items * DLRR_ITEM_BYTES, buffer,
                                      capacity_bytes, size_bytes);
    if (p == NULL) {
        return WEIR_ERROR_NO_SPACE;
    }
    for (size_t i = 0; i < n_items; i++, p += DLRR_ITEM_BYTES) {
        weir__put_u32(p, items[i].ssrc);
        weir__put_u32(p + 4, items[i].lrr_mid32);
        weir__put_u32(p + 8, items[i].dlrr_mid32);
    }
    return WEIR_OK;
}
