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
