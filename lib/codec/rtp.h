/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP headers (RFC 3550 5.1) and header extensions (RFC 8285). */
#ifndef WEIR_CODEC_RTP_H
#define WEIR_CODEC_RTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"

enum { WEIR__RTP_HEADER_BYTES = 12 };

/* A header, and where the parts of its packet are. The offsets count from the start of the packet.
 */
struct weir__rtp {
    uint32_t timestamp;
    uint32_t ssrc;
    uint16_t seq;
    uint16_t extension_profile; /* 0 without an extension */
    uint8_t payload_type;       /* 0..127 */
    uint8_t n_csrcs;            /* 0..15 */
    bool marker;
    size_t extension_offset; /* of the extension's data, after its four-byte header */
    size_t extension_bytes;  /* 0 without an extension */
    size_t payload_offset;   /* = size of the whole header */
    size_t payload_bytes;    /* without padding */
    size_t padding_bytes;
};

enum weir_status weir__rtp_parse(const uint8_t *data, size_t size_bytes, struct weir__rtp *rtp);

/* One element of a header extension: where its data is in the packet. */
struct weir__rtp_element {
    size_t offset;
    uint8_t size_bytes;
    uint8_t id; /* 1..255 */
};

/* Walks the elements of the one-byte and two-byte forms; other profiles have no elements. */
struct weir__rtp_elements {
    const uint8_t *data; /* the packet */
    size_t offset;
    size_t end;
    bool two_byte;
    bool malformed; /* an element ran past the block: what came before it is good */
};

void weir__rtp_elements_init(struct weir__rtp_elements *elements, const uint8_t *data,
                             const struct weir__rtp *rtp);
bool weir__rtp_elements_next(struct weir__rtp_elements *elements,
                             struct weir__rtp_element *element);

/* The first element with this id. False when there is none. */
bool weir__rtp_find_element(const uint8_t *data, const struct weir__rtp *rtp, uint8_t id,
                            struct weir__rtp_element *element);

/* Overwrites the first two bytes of an element that is already in the packet; nothing moves.
 * WEIR_ERROR_UNSUPPORTED when the packet has no element of that id, or one of a single byte. */
enum weir_status weir__rtp_set_u16(uint8_t *data, size_t size_bytes, uint8_t id, uint16_t value);

/* Writes a header without CSRCs and padding; of rtp it reads marker, payload_type, seq, timestamp
 * and ssrc. The only element is the transport-wide number, in the one-byte form; id 0: none.
 * WEIR_ERROR_ARGUMENT for payload types above 127 and ids above 14. */
enum weir_status weir__rtp_build(const struct weir__rtp *rtp, uint8_t transport_seq_id,
                                 uint16_t transport_seq, uint8_t *buffer, size_t capacity_bytes,
                                 size_t *header_bytes);

#endif
