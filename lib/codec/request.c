/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layout of the body: sender SSRC, media SSRC, entries. The media SSRC of a FIR is unused: who is
 * asked stands in the entries. Anything behind the SSRCs of a PLI is ignored. */
#include "codec/request.h"

#include "codec/bytes.h"

enum { SSRCS_BYTES = 8, N_KINDS = 3 };

static const struct {
    uint8_t type;
    uint8_t fmt;
    uint8_t entry_bytes; /* 0: it has none */
} layouts[N_KINDS] = {
    [WEIR__REQUEST_NACK] = {WEIR__RTCP_RTPFB, WEIR__RTPFB_NACK, 4},
    [WEIR__REQUEST_PLI] = {WEIR__RTCP_PSFB, WEIR__PSFB_PLI, 0},
    [WEIR__REQUEST_FIR] = {WEIR__RTCP_PSFB, WEIR__PSFB_FIR, 8},
};

enum weir_status weir__request_parse(const struct weir__rtcp_packet *packet,
                                     struct weir__request *request)
{
    unsigned kind = 0;
    while (kind < N_KINDS &&
           (packet->type != layouts[kind].type || packet->count != layouts[kind].fmt)) {
        kind++;
    }
    if (kind == N_KINDS) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    size_t entry_bytes = layouts[kind].entry_bytes;
    if (packet->body_bytes < SSRCS_BYTES + entry_bytes) {
        return WEIR_ERROR_TRUNCATED;
    }
    if (entry_bytes > 0 && packet->body_bytes % entry_bytes != 0) {
        return WEIR_ERROR_MALFORMED;
    }
    *request = (struct weir__request){.kind = (enum weir__request_kind)kind};
    if (kind != WEIR__REQUEST_FIR) {
        request->ssrcs[request->n_ssrcs++] = weir__get_u32(packet->body + 4);
        return WEIR_OK;
    }
    for (size_t o = SSRCS_BYTES;
         o < packet->body_bytes && request->n_ssrcs < WEIR__REQUEST_MAX_SSRCS; o += entry_bytes) {
        request->ssrcs[request->n_ssrcs++] = weir__get_u32(packet->body + o);
    }
    return WEIR_OK;
}
