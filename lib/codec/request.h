/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What receivers ask for: a packet again (generic NACK, RFC 4585 6.2.1) or a key frame (PLI, RFC
 * 4585 6.3.1; FIR, RFC 5104 4.3.1). No signal of congestion. */
#ifndef WEIR_CODEC_REQUEST_H
#define WEIR_CODEC_REQUEST_H

#include "codec/rtcp.h"

enum weir__request_kind { WEIR__REQUEST_NACK, WEIR__REQUEST_PLI, WEIR__REQUEST_FIR };

enum { WEIR__REQUEST_MAX_SSRCS = 16 };

struct weir__request {
    enum weir__request_kind kind;
    size_t n_ssrcs;
    uint32_t ssrcs[WEIR__REQUEST_MAX_SSRCS]; /* who is asked; of a longer FIR the first ones */
};

enum weir_status weir__request_parse(const struct weir__rtcp_packet *packet,
                                     struct weir__request *request);

/* The packets that a NACK asks for, by their sequence numbers. Of more than `capacity` the first
 * are written; *n_numbers is how many there are. */
enum weir_status weir__nack_parse(const struct weir__rtcp_packet *packet, uint16_t *numbers,
                                  size_t capacity, size_t *n_numbers);

/* Asks media_ssrc for n_numbers >= 1 packets, each after the one before it. */
enum weir_status weir__nack_build(uint32_t sender_ssrc, uint32_t media_ssrc,
                                  const uint16_t *numbers, size_t n_numbers, uint8_t *buffer,
                                  size_t capacity_bytes, size_t *size_bytes);

#endif
