/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layout of the body: sender SSRC, zero, "REMB", number of SSRCs, six bits of exponent, eighteen of
 * mantissa, the SSRCs. */
#include "codec/bytes.h"
#include "codec/format.h"

enum { FIXED_BYTES = 16, MANTISSA_BITS = 18 };

#define REMB_IDENTIFIER UINT32_C(0x52454d42)

/* mantissa << exponent into *bitrate_bps. False when it does not fit into 64 bits; above 2^63 - 1,
 * where it limits nothing, it saturates. */
static bool decode_bitrate(uint32_t word, int64_t *bitrate_bps)
{
    unsigned exponent = word >> MANTISSA_BITS & 0x3f;
    uint64_t mantissa = word & 0x3ffff;
    uint64_t bitrate = mantissa << exponent;
    if (bitrate >> exponent != mantissa) {
        return false;
    }
    *bitrate_bps = bitrate <= INT64_MAX ? (int64_t)bitrate : INT64_MAX;
    return true;
}

/* Other application layer feedback is WEIR_ERROR_UNSUPPORTED: to be ignored in silence. */
static enum weir_status parse_bound(const struct weir__rtcp_packet *packet,
                                    struct weir__bitrate_bound *remb)
{
    const uint8_t *body = packet->body;
    int64_t bitrate_bps;
    if (packet->type != WEIR__RTCP_PSFB || packet->count != WEIR__PSFB_AFB) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes < FIXED_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    if (weir__get_u32(body + 8) != REMB_IDENTIFIER) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes != FIXED_BYTES + body[12] * (size_t)4 ||
        !decode_bitrate(weir__get_u24(body + 13), &bitrate_bps)) {
        return WEIR_ERROR_MALFORMED;
    }
    *remb = (struct weir__bitrate_bound){
        .bitrate_bps = bitrate_bps, .sender_ssrc = weir__get_u32(body), .n_ssrcs = body[12]};
    for (size_t i = 0; i < remb->n_ssrcs; i++) {
        remb->ssrcs[i] = weir__get_u32(body + FIXED_BYTES + 4 * i);
    }
    return WEIR_OK;
}

/* The smallest exponent that leaves 18 bits. bitrate_bps >= 0. */
static uint32_t encode_bitrate(int64_t bitrate_bps)
{
    uint64_t mantissa = (uint64_t)bitrate_bps;
    uint32_t exponent = 0;
    while (mantissa >> MANTISSA_BITS != 0) {
        mantissa >>= 1;
        exponent++;
    }
    return exponent << MANTISSA_BITS | (uint32_t)mantissa;
}

/* The bitrate is rounded down to 18 significant bits. WEIR_ERROR_ARGUMENT for a negative one. */
static enum weir_status build_bound(const struct weir__bitrate_bound *remb, uint8_t *buffer,
                                    size_t capacity_bytes, size_t *size_bytes)
{
    size_t total_bytes = WEIR__RTCP_HEADER_BYTES + FIXED_BYTES + remb->n_ssrcs * (size_t)4;
    if (remb->bitrate_bps < 0) {
        return WEIR_ERROR_ARGUMENT;
    }
    if (total_bytes > capacity_bytes) {
        return WEIR_ERROR_NO_SPACE;
    }
    weir__rtcp_put_feedback_header(buffer, WEIR__PSFB_AFB, WEIR__RTCP_PSFB, total_bytes,
                                   remb->sender_ssrc, 0);
    weir__put_u32(buffer + 12, REMB_IDENTIFIER);
    buffer[16] = remb->n_ssrcs;
    weir__put_u24(buffer + 17, encode_bitrate(remb->bitrate_bps));
    for (size_t i = 0; i < remb->n_ssrcs; i++) {
        weir__put_u32(buffer + 20 + 4 * i, remb->ssrcs[i]);
    }
    *size_bytes = total_bytes;
    return WEIR_OK;
}

const struct weir__format weir__format_remb = {
    .name = "remb",
    .description = "Receiver estimated maximum bitrate: an upper bound, beside receiver reports",
    .kind = WEIR__FORMAT_BOUND,
    .types = {WEIR__RTCP_PSFB},
    .fmt = WEIR__PSFB_AFB,
    .parse_bound = parse_bound,
    .build_bound = build_bound,
};
