/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests for a key frame: PLI (RFC 4585 6.3.1) and FIR (RFC 5104 4.3.1). */
#ifndef WEIR_CODEC_PLI_FIR_H
#define WEIR_CODEC_PLI_FIR_H

#include "codec/rtcp.h"

struct weir__pli {
    uint32_t sender_ssrc;
    uint32_t media_ssrc;
};

enum weir_status weir__pli_parse(const struct weir__rtcp_packet *packet, struct weir__pli *pli);

struct weir__fir_entry {
    uint32_t ssrc;       /* who shall send a key frame */
    uint8_t command_seq; /* the same number again is the same request */
};

enum weir_status weir__fir_parse(const struct weir__rtcp_packet *packet, uint32_t *sender_ssrc,
                                 struct weir__fir_entry *entries, size_t capacity,
                                 size_t *n_entries);

#endif
