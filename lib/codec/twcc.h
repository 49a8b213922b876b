/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport-wide congestion control feedback
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01): RTPFB, format 15. */
#ifndef WEIR_CODEC_TWCC_H
#define WEIR_CODEC_TWCC_H

#include "codec/format.h"
#include "weir/units.h"

#define WEIR__TWCC_REFERENCE_NS WEIR_MS(64) /* unit of the reference time */
#define WEIR__TWCC_DELTA_NS     WEIR_US(250)

/* Where the reading of a packet stands; points into the datagram. */
struct weir__twcc_rest {
    const uint8_t *chunk; /* the next to be read from ... */
    const uint8_t *delta;
    int64_t arrival_ns; /* of the newest arrival */
    size_t n_entries;   /* not read yet */
    unsigned n_symbols; /* ... of which so many are read */
    uint16_t seq;       /* of the next entry */
};

struct weir__twcc {
    uint32_t sender_ssrc;
    uint32_t media_ssrc; /* any one of the transport's; do not filter on it */
    uint16_t base_seq;
    uint8_t feedback_count;
    bool count_padding;      /* build: pad with the P bit and a count instead of bare zero bytes */
    int32_t reference_ticks; /* signed 24 bits of 64 ms; unwrap with weir__clock_twcc */
    size_t n_entries;        /* statuses in the packet, 1..65535; may exceed the array's capacity */
    size_t n_received;       /* of all of them */
    struct weir__twcc_rest rest; /* build: ignored */
};

/* The reference time, to be subtracted from arrival_ns when it is unwrapped separately. */
static inline int64_t weir__twcc_reference_ns(const struct weir__twcc *twcc)
{
    return twcc->reference_ticks * WEIR__TWCC_REFERENCE_NS;
}

enum weir_status weir__twcc_parse(const struct weir__rtcp_packet *packet, struct weir__twcc *twcc,
                                  struct weir__feedback_entry *entries, size_t capacity);

/* The entries after those read so far. Returns how many, 0 at the end. */
size_t weir__twcc_read(struct weir__twcc *twcc, struct weir__feedback_entry *entries,
                       size_t capacity);

/* Writes as many of the entries as one packet of capacity_bytes >= 24 can carry, at least one, and
 * says how many; call again with the rest and feedback_count + 1. Entries are sorted by seq, lost
 * packets included: a gap in seq ends the packet. Of twcc it reads the SSRCs, feedback_count,
 * count_padding, and reference_ticks in case no entry was received. */
enum weir_status weir__twcc_build(const struct weir__twcc *twcc,
                                  const struct weir__feedback_entry *entries, size_t n_entries,
                                  uint8_t *buffer, size_t capacity_bytes, size_t *size_bytes,
                                  size_t *n_written);

#endif
