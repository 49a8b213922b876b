/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a program with its own sockets needs of RTP and RTCP: telling them apart, and RTCP's time.
 */
#ifndef WEIR_RTCP_H
#define WEIR_RTCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"
#include "units.h"

WEIR_BEGIN_DECLS

#define WEIR_TWCC_URI "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

enum weir_datagram {
    WEIR_DATAGRAM_OTHER, /* STUN, DTLS, TURN, or too short */
    WEIR_DATAGRAM_RTP,
    WEIR_DATAGRAM_RTCP
};

/* The kind of a datagram on a shared port (RFC 5761 4, RFC 7983 7). */
WEIR_API enum weir_datagram weir_datagram_kind(const uint8_t *data, size_t len);

/* 32.32 fixed-point NTP time of nanoseconds since 1970-01-01 (RFC 3550 4). */
WEIR_API uint64_t weir_ntp_from_unix_ns(int64_t unix_ns);

enum { WEIR_FEEDBACK_FORMATS_MAX = 16 };

/* Feedback formats, a set of bits; weir_feedback_get_info tells about each. */
enum weir_feedback_format {
    WEIR_FEEDBACK_CCFB = 1 << 0, /* RFC 8888 */
    WEIR_FEEDBACK_TWCC = 1 << 1, /* transport-wide congestion control */
    WEIR_FEEDBACK_RR = 1 << 2,   /* RTCP receiver reports */
    WEIR_FEEDBACK_XR = 1 << 3,   /* RFC 3611: Loss RLE, receipt times; DLRR */
    WEIR_FEEDBACK_REMB = 1 << 4, /* receiver estimated maximum bitrate: an upper bound only */
    WEIR_FEEDBACK_ALL = (1 << WEIR_FEEDBACK_FORMATS_MAX) - 1
};

struct weir_feedback_info {
    const char *name;        /* "ccfb": in properties, statistics and scenarios */
    const char *description; /* what it tells, what it needs */
    uint32_t format;         /* its bit */
    bool tells_packets;      /* what became of each packet; else sums, or a bound of the bitrate */
    bool transport_wide;     /* needs the transport-wide number in the media */
    bool is_written;         /* a receiving session can write it */
};

/* Fills *info about the format whose bit is 1 << i. False when there is none. */
WEIR_API bool weir_feedback_get_info(size_t i, struct weir_feedback_info *info);

/* The fields of an RTP packet that a sending session needs. */
struct weir_rtp_info {
    uint32_t ssrc;
    uint32_t timestamp;
    uint16_t seq;
    uint8_t payload_type;
    bool marker;
    uint32_t header_bytes;  /* with CSRCs and extensions */
    uint32_t payload_bytes; /* without padding */
    bool has_transport_seq;
    uint16_t transport_seq;
};

/* Reads the header of a whole RTP packet. transport_seq_id: id of the header extension with the
 * transport-wide number, 0 = none. WEIR_ERROR_TRUNCATED or _MALFORMED leave *info untouched. */
WEIR_API enum weir_status weir_rtp_info(const uint8_t *data, size_t len, uint8_t transport_seq_id,
                                        struct weir_rtp_info *info);

/* The payload type of the primary payload of a packet with redundant payloads (RED, RFC 2198),
 * behind the older ones it repeats. *info is the packet's. WEIR_ERROR_TRUNCATED leaves
 * *payload_type untouched. */
WEIR_API enum weir_status weir_rtp_red_payload_type(const uint8_t *data, size_t len,
                                                    const struct weir_rtp_info *info,
                                                    uint8_t *payload_type);

/* Overwrites the transport-wide number of a packet that carries the extension (transport_seq_id: 1
 * to 255). WEIR_ERROR_UNSUPPORTED when it does not. */
WEIR_API enum weir_status weir_rtp_set_transport_seq(uint8_t *data, size_t len,
                                                     uint8_t transport_seq_id,
                                                     uint16_t transport_seq);

WEIR_END_DECLS
#endif
