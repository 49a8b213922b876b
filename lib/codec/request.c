/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layout of the body: sender SSRC, media SSRC, entries. The media SSRC of a FIR is unused: who is
 * asked stands in the entries. Anything behind the SSRCs of a PLI is ignored. */
#include "codec/request.h"

#include "codec/bytes.h"

enum { SSRCS_BYTES = 8, N_KINDS = 3 };
/* An entry of a NACK: a packet (PID), and a bit for each of the sixteen behind it (BLP). */
enum { NACK_ENTRY_BYTES = 4, NACK_BITS = 16 };

static const struct {
    uint8_t type;
    uint8_t fmt;
    uint8_t entry_bytes; /* 0: it has none */
} layouts[N_KINDS] = {
    [WEIR__REQUEST_NACK] = {WEIR__RTCP_RTPFB, WEIR__RTPFB_NACK, NACK_ENTRY_BYTES},
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

enum weir_status weir__nack_parse(const struct weir__rtcp_packet *packet, uint16_t *numbers,
                                  size_t capacity, size_t *n_numbers)
{
    struct weir__request request;
    enum weir_status status = weir__request_parse(packet, &request);
    if (status != WEIR_OK || request.kind != WEIR__REQUEST_NACK) {
        return status != WEIR_OK ? status : WEIR_ERROR_UNSUPPORTED;
    }
    size_t n = 0;
    for (size_t o = SSRCS_BYTES; o < packet->body_bytes; o += NACK_ENTRY_BYTES) {
        uint32_t bits = (uint32_t)weir__get_u16(packet->body + o + 2) << 1 | 1;
        for (uint32_t k = 0; k <= NACK_BITS; k++) {
            if (bits >> k & 1) {
                if (n < capacity) {
                    numbers[n] = (uint16_t)(weir__get_u16(packet->body + o) + k);
                }
                n++;
            }
        }
    }
    *n_numbers = n;
    return WEIR_OK;
}

enum weir_status weir__nack_build(uint32_t sender_ssrc, uint32_t media_ssrc,
                                  const uint16_t *numbers, size_t n_numbers, uint8_t *buffer,
                                  size_t capacity_bytes, size_t *size_bytes)
{
    size_t size = WEIR__RTCP_HEADER_BYTES + SSRCS_BYTES;
    for (size_t i = 0; i < n_numbers;) {
        uint32_t bits = 0;
        size_t first = i++;
        for (; i < n_numbers && (uint16_t)(numbers[i] - numbers[first]) <= NACK_BITS; i++) {
            bits |= UINT32_C(1) << (uint16_t)(numbers[i] - numbers[first]) >> 1;
        }
        if (size + NACK_ENTRY_BYTES > capacity_bytes) {
            return WEIR_ERROR_NO_SPACE;
        }
        weir__put_u16(buffer + size, numbers[first]);
        weir__put_u16(buffer + size + 2, bits);
        size += NACK_ENTRY_BYTES;
    }
    weir__rtcp_put_feedback_header(buffer, WEIR__RTPFB_NACK, WEIR__RTCP_RTPFB, size, sender_ssrc,
                                   media_ssrc);
    *size_bytes = size;
    return WEIR_OK;
}
