/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receiver estimated maximum bitrate (draft-alvestrand-rmcat-remb-03): PSFB, format 15. */
#ifndef WEIR_CODEC_REMB_H
#define WEIR_CODEC_REMB_H

#include "codec/rtcp.h"

enum { WEIR__REMB_MAX_SSRCS = 255 };

struct weir__remb {
    int64_t bitrate_bps; /* for all the SSRCs together, with RTP, UDP and IP headers; >= 0 */
    uint32_t sender_ssrc;
    uint8_t n_ssrcs;
    uint32_t ssrcs[WEIR__REMB_MAX_SSRCS];
};

enum weir_status weir__remb_parse(const struct weir__rtcp_packet *packet, struct weir__remb *remb);

/* The bitrate is rounded down to 18 significant bits. */
enum weir_status weir__remb_build(const struct weir__remb *remb, uint8_t *buffer,
                                  size_t capacity_bytes, size_t *size_bytes);

#endif
