/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP framing: walking compound (RFC 3550 6.1) and reduced-size (RFC 5506) datagrams, headers,
 * SDES CNAME and BYE.
 *
 * Shape shared by all codecs of this folder:
 *   - parsers take one packet of the walk and are all or nothing: on any status but WEIR_OK their
 *     outputs are untouched. WEIR_ERROR_UNSUPPORTED means "another format", WEIR_ERROR_TRUNCATED
 *     and WEIR_ERROR_MALFORMED mean "reject the packet".
 *   - a parser that fills an array writes at most `capacity` entries and reports how many the
 *     packet holds, which may be more, for a read function to continue with; memory and work never
 *     follow from a claim on the wire.
 *   - builders write one whole packet of a multiple of four bytes, or nothing and
 *     WEIR_ERROR_NO_SPACE. */
#ifndef WEIR_CODEC_RTCP_H
#define WEIR_CODEC_RTCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"

enum weir__rtcp_type {
    WEIR__RTCP_SR = 200,
    WEIR__RTCP_RR = 201,
    WEIR__RTCP_SDES = 202,
    WEIR__RTCP_BYE = 203,
    WEIR__RTCP_APP = 204,
    WEIR__RTCP_RTPFB = 205, /* transport feedback; the format is in the count field */
    WEIR__RTCP_PSFB = 206,  /* payload feedback */
    WEIR__RTCP_XR = 207
};

enum weir__rtpfb_format {
    WEIR__RTPFB_NACK = 1,
    WEIR__RTPFB_ECN = 8,
    WEIR__RTPFB_CCFB = 11,
    WEIR__RTPFB_TWCC = 15
};

enum weir__psfb_format { WEIR__PSFB_PLI = 1, WEIR__PSFB_FIR = 4, WEIR__PSFB_AFB = 15 };

enum { WEIR__RTCP_HEADER_BYTES = 4, WEIR__RTCP_MAX_COUNT = 31 };

/* One packet of a datagram. */
struct weir__rtcp_packet {
    const uint8_t *body; /* what follows the four-byte header */
    size_t body_bytes;   /* without padding; always inside the datagram */
    uint8_t type;        /* enum weir__rtcp_type, or anything else */
    uint8_t count;       /* 0..31: report count, source count or feedback format */
};

/* Deviations met during a walk. None of them invalidates the packets that were delivered. */
struct weir__rtcp_anomalies {
    uint32_t trailing_bytes; /* 1..3 bytes after the last packet */
    uint32_t bad_version;    /* walk stopped at a version other than 2 */
    uint32_t truncated;      /* walk stopped at a packet longer than the datagram */
    uint32_t bad_padding;    /* packet skipped: padding count 0 or larger than its body */
};

struct weir__rtcp_walk {
    const uint8_t *data;
    size_t size_bytes;
    size_t offset;
    struct weir__rtcp_anomalies anomalies;
};

void weir__rtcp_walk_init(struct weir__rtcp_walk *walk, const uint8_t *data, size_t size_bytes);
bool weir__rtcp_walk_next(struct weir__rtcp_walk *walk, struct weir__rtcp_packet *packet);

/* Writes the four bytes of a header. size_bytes: the whole packet, a multiple of 4. count: 0..31.
 */
void weir__rtcp_put_header(uint8_t *buffer, unsigned count, enum weir__rtcp_type type,
                           size_t size_bytes);

/* Header and the two SSRCs that open every feedback packet (RFC 4585 6.1): 12 bytes. */
void weir__rtcp_put_feedback_header(uint8_t *buffer, unsigned format, enum weir__rtcp_type type,
                                    size_t size_bytes, uint32_t sender_ssrc, uint32_t media_ssrc);

/* A CNAME found in an SDES packet; points into the datagram, not terminated. */
struct weir__sdes_cname {
    const uint8_t *name;
    uint32_t ssrc;
    uint8_t name_bytes;
};

/* Chunks without a CNAME are not listed. */
enum weir_status weir__sdes_parse(const struct weir__rtcp_packet *packet,
                                  struct weir__sdes_cname *cnames, size_t capacity,
                                  size_t *n_cnames);

/* One chunk with one CNAME of 0..255 bytes. */
enum weir_status weir__sdes_build(uint32_t ssrc, const char *cname, uint8_t *buffer,
                                  size_t capacity_bytes, size_t *size_bytes);

struct weir__bye {
    uint32_t ssrcs[WEIR__RTCP_MAX_COUNT];
    uint8_t n_ssrcs;
};

/* A reason for leaving is skipped. */
enum weir_status weir__bye_parse(const struct weir__rtcp_packet *packet, struct weir__bye *bye);

#endif
