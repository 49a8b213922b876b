/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formats of feedback. Each is one line of formats.def and one file, which holds its table;
 * sessions, elements, weir-lab and tests know formats from these tables alone. */
#ifndef WEIR_CODEC_FORMAT_H
#define WEIR_CODEC_FORMAT_H

#include "base/unwrap.h"
#include "codec/rtcp.h"
#include "weir/rtcp.h"

/* What a report says of one packet. */
struct weir__feedback_entry {
    int64_t arrival_ns; /* on the receiver's clock; 0 without has_time */
    uint32_t ssrc;      /* whose seq it is; 0 of transport-wide numbers */
    uint32_t rtp_time;  /* of arrival, by a format without a clock of its own */
    uint16_t seq;
    uint8_t ecn; /* enum weir_ecn; 0 when not received */
    bool received;
    bool has_time; /* false when not received, and when the report does not tell when */
};

enum weir__format_kind {
    WEIR__FORMAT_PACKETS, /* tells of each packet whether it arrived, and when */
    WEIR__FORMAT_SUMS,    /* counts losses: receiver reports, which go with every format */
    WEIR__FORMAT_BOUND    /* tells an upper bound of the bitrate */
};

enum { WEIR__READING_MAX_BYTES = 128, WEIR__BOUND_MAX_SSRCS = 255 };

/* A report on packets, as it is read; it points into the datagram. */
struct weir__packet_feedback {
    uint32_t sender_ssrc; /* who reports */
    uint32_t time;        /* of the report, on the format's clock ... */
    int64_t time_ns;      /* ... which is this on the clock of arrival_ns */
    size_t n_entries;     /* that it has in all */
    bool new_clock;       /* set by read: its entries tell times of a clock that begins here ... */
    uint32_t clock_ssrc;  /* ... which is this one's */
    bool has_rrtr;        /* a receiver reference time came along */
    uint32_t rrtr_mid32;
    _Alignas(16) unsigned char rest[WEIR__READING_MAX_BYTES]; /* where the reading stands, as the
                                                                 format keeps it */
};

/* A report on packets, to be written. */
struct weir__feedback_head {
    uint32_t sender_ssrc;
    uint32_t media_ssrc;
    uint32_t report_mid32; /* NTP time of the report */
    int64_t report_ns;     /* the same on the clock of arrival_ns */
    uint8_t count;         /* of reports before, of this format */
};

struct weir__bitrate_bound {
    int64_t bitrate_bps; /* of all the SSRCs together, with RTP, UDP and IP headers; >= 0 */
    uint32_t sender_ssrc;
    uint8_t n_ssrcs;
    uint32_t ssrcs[WEIR__BOUND_MAX_SSRCS];
};

struct weir__format {
    const char *name;        /* of the elements' properties and of scenarios: lower case */
    const char *description; /* of the same: what it tells, what it needs */
    enum weir__format_kind kind;
    uint8_t types[2]; /* enum weir__rtcp_type of its packets */
    uint8_t fmt;      /* and the format in their count field (RFC 4585 6.1); 0: whatever it is */

    /* WEIR__FORMAT_PACKETS */
    bool transport_wide;                  /* seq counts all packets of the transport */
    bool has_hold;                        /* the report tells its own time of sending */
    const struct weir__wire_clock *clock; /* of the report's time; NULL: entries have rtp_time */
    /* All or nothing. *peer: what is remembered of this reporter's way of writing; 0 at first. */
    enum weir_status (*parse)(const struct weir__rtcp_packet *packet, uint32_t *peer,
                              struct weir__packet_feedback *feedback);
    /* The next entries, all with times of one clock. Returns how many, 0 at the end. */
    size_t (*read)(struct weir__packet_feedback *feedback, struct weir__feedback_entry *entries,
                   size_t capacity);
    /* As many of the entries (sorted by ssrc and seq) as fit into one packet, at least one. NULL: a
     * receiving session does not write it. */
    enum weir_status (*build)(const struct weir__feedback_head *head,
                              const struct weir__feedback_entry *entries, size_t n_entries,
                              uint8_t *buffer, size_t capacity_bytes, size_t *size_bytes,
                              size_t *n_written);

    /* WEIR__FORMAT_BOUND */
    enum weir_status (*parse_bound)(const struct weir__rtcp_packet *packet,
                                    struct weir__bitrate_bound *bound);
    enum weir_status (*build_bound)(const struct weir__bitrate_bound *bound, uint8_t *buffer,
                                    size_t capacity_bytes, size_t *size_bytes);
};

#define WEIR_FORMAT(id, file) WEIR__FORMAT_INDEX_##id,
enum {
#include "codec/formats.def"
    WEIR__FORMATS
};
#undef WEIR_FORMAT

/* In the order of formats.def; NULL when i is out of range. */
const struct weir__format *weir__format_at(size_t i);

/* Whose packet this is: an index, WEIR__FORMATS when none's. */
size_t weir__format_of(const struct weir__rtcp_packet *packet);

/* Index of a single flag (enum weir_feedback_format), WEIR__FORMATS when there is none. */
size_t weir__format_index(uint32_t flag);

/* Whether a receiving session can be told to write it. */
bool weir__format_is_written(const struct weir__format *format);

#endif
