/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layout of the body: sender SSRC, media SSRC, entries of {u16 first lost packet, u16 bitmask of
 * the sixteen that follow it, least significant bit first}. */
#include "codec/nack.h"

#include "codec/bytes.h"

enum { SSRCS_BYTES = 8, ENTRY_BYTES = 4, MASK_BITS = 16 };

/* Sequence numbers seen so far: 8 KiB, because entries may name any number twice. */
struct seen {
    uint32_t bits[65536 / 32];
};

/* Whether seq is new. */
static bool mark(struct seen *seen, uint16_t seq)
{
    uint32_t bit = UINT32_C(1) << (seq % 32);
    bool is_new = !(seen->bits[seq / 32] & bit);
    seen->bits[seq / 32] |= bit;
    return is_new;
}

/* Work is bounded by the bytes there are: 17 numbers for each four of them. */
enum weir_status weir__nack_parse(const struct weir__rtcp_packet *packet, struct weir__nack *nack,
                                  uint16_t *seqs, size_t capacity)
{
    struct seen seen = {{0}};
    size_t n_seqs = 0;
    if (packet->type != WEIR__RTCP_RTPFB || packet->count != WEIR__RTPFB_NACK) {
        return WEIR_ERROR_UNSUPPORTED;
    }
    if (packet->body_bytes < SSRCS_BYTES + ENTRY_BYTES) {
        return WEIR_ERROR_TRUNCATED;
    }
    if (packet->body_bytes % ENTRY_BYTES != 0) {
        return WEIR_ERROR_MALFORMED;
    }
    for (size_t o = SSRCS_BYTES; o < packet->body_bytes; o += ENTRY_BYTES) {
        uint16_t first = weir__get_u16(packet->body + o);
        uint32_t lost = (uint32_t)weir__get_u16(packet->body + o + 2) << 1 | 1;
        for (unsigned i = 0; i <= MASK_BITS; i++) {
            uint16_t seq = (uint16_t)(first + i);
            if ((lost >> i & 1) && mark(&seen, seq)) {
                if (n_seqs < capacity) {
                    seqs[n_seqs] = seq;
                }
                n_seqs++;
            }
        }
    }
    *nack = (struct weir__nack){.sender_ssrc = weir__get_u32(packet->body),
                                .media_ssrc = weir__get_u32(packet->body + 4),
                                .n_seqs = n_seqs};
    return WEIR_OK;
}
