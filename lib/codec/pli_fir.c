/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codec/pli_fir.h"

#include "codec/bytes.h"

enum { SSRCS_BYTES = 8, FIR_ENTRY_BYTES = 8 };

/* Anything behind the SSRCs is ignored. */
enum weir_status weir__pli_parse(const struct weir__rtcp_packet *packet, struct weir__pli *pli)
{
    if (packet->type != WEIR__RTCP_PSFB || packet->count != WEIR__PSFB_PLI) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes < SSRCS_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    *pli = (struct weir__pli){.sender_ssrc = weir__get_u32(packet->body),
                              .media_ssrc = weir__get_u32(packet->body + 4)};
    return WEIR_OK;
}

enum weir_status weir__pli_build(const struct weir__pli *pli, uint8_t *buffer,
                                 size_t capacity_bytes, size_t *size_bytes)
{
    const size_t total_bytes = WEIR__RTCP_HEADER_BYTES + SSRCS_BYTES;
    if (capacity_bytes < total_bytes) {
        return WEIR_ERROR_NO_SPACE;
    }
    weir__rtcp_put_feedback_header(buffer, WEIR__PSFB_PLI, WEIR__RTCP_PSFB, total_bytes,
                                   pli->sender_ssrc, pli->media_ssrc);
    *size_bytes = total_bytes;
    return WEIR_OK;
}

/* The media SSRC of the header is unused: who is asked stands in the entries. */
enum weir_status weir__fir_parse(const struct weir__rtcp_packet *packet, uint32_t *sender_ssrc,
                                 struct weir__fir_entry *entries, size_t capacity,
                                 size_t *n_entries)
{
    if (packet->type != WEIR__RTCP_PSFB || packet->count != WEIR__PSFB_FIR) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes < SSRCS_BYTES + FIR_ENTRY_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    if (packet->body_bytes % FIR_ENTRY_BYTES != 0) {
        return WEIR_ERROR_MALFORMED;
    }
    *sender_ssrc = weir__get_u32(packet->body);
    *n_entries = (packet->body_bytes - SSRCS_BYTES) / FIR_ENTRY_BYTES;
    for (size_t i = 0; i < *n_entries && i < capacity; i++) {
        const uint8_t *p = packet->body + SSRCS_BYTES + i * FIR_ENTRY_BYTES;
        entries[i] = (struct weir__fir_entry){.ssrc = weir__get_u32(p), .command_seq = p[4]};
    }
    return WEIR_OK;
}

/* WEIR_ERROR_ARGUMENT without an entry. */
enum weir_status weir__fir_build(uint32_t sender_ssrc, const struct weir__fir_entry *entries,
                                 size_t n_entries, uint8_t *buffer, size_t capacity_bytes,
                                 size_t *size_bytes)
{
    const size_t fixed_bytes = WEIR__RTCP_HEADER_BYTES + SSRCS_BYTES;
    const size_t max_bytes = (UINT16_MAX + (size_t)1) * 4;
    size_t limit_bytes = capacity_bytes < max_bytes ? capacity_bytes : max_bytes;
    if (n_entries == 0) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (limit_bytes < fixed_bytes || n_entries > (limit_bytes - fixed_bytes) / FIR_ENTRY_BYTES) {
        return WEIR_ERROR_NO_SPACE;
    }
    *size_bytes = fixed_bytes + n_entries * FIR_ENTRY_BYTES;
    weir__rtcp_put_feedback_header(buffer, WEIR__PSFB_FIR, WEIR__RTCP_PSFB, *size_bytes,
                                   sender_ssrc, 0);
    for (size_t i = 0; i < n_entries; i++) {
        uint8_t *p = buffer + fixed_bytes + i * FIR_ENTRY_BYTES;
        weir__put_u32(p, entries[i].ssrc);
        weir__put_u32(p + 4, (uint32_t)entries[i].command_seq << 24);
    }
    return WEIR_OK;
}
