/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Generic NACK (RFC 4585 6.2.1): RTPFB, format 1. A repair request, not a congestion signal. */
#ifndef WEIR_CODEC_NACK_H
#define WEIR_CODEC_NACK_H

#include "codec/rtcp.h"

struct weir__nack {
    uint32_t sender_ssrc;
    uint32_t media_ssrc;
    size_t n_seqs; /* different sequence numbers in the packet; may exceed the array's capacity */
};

/* Lists each missing packet once, in the order of the packet. */
enum weir_status weir__nack_parse(const struct weir__rtcp_packet *packet, struct weir__nack *nack,
                                  uint16_t *seqs, size_t capacity);

#endif
