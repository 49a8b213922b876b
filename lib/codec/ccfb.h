/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Congestion control feedback (RFC 8888): RTPFB, format 11. */
#ifndef WEIR_CODEC_CCFB_H
#define WEIR_CODEC_CCFB_H

#include "codec/format.h"

/* How a peer writes num_reports: deployed senders disagree whether it is the number of words. */
enum weir__ccfb_counting {
    WEIR__CCFB_COUNT_UNKNOWN,  /* no evidence yet; read as words */
    WEIR__CCFB_COUNT_WORDS,    /* num_reports words */
    WEIR__CCFB_COUNT_MINUS_ONE /* num_reports + 1 words */
};

/* What is remembered about one peer between packets. Zero-initialise. */
struct weir__ccfb_peer {
    enum weir__ccfb_counting counting;
};

/* Where the reading of a packet stands; points into the datagram. */
struct weir__ccfb_rest {
    const uint8_t *block;
    size_t n_words;       /* of that block, read */
    size_t n_entries;     /* not read yet */
    unsigned extra_words; /* the peer's counting: 0 or 1 */
};

struct weir__ccfb {
    uint32_t sender_ssrc;
    uint32_t report_mid32; /* when the report was made; unwrap with weir__clock_mid32 ... */
    int64_t report_ns;     /* ... and on the clock of arrival_ns; 0 in what was read */
    size_t n_blocks;
    size_t n_entries;            /* statuses in the packet; may exceed the array's capacity */
    struct weir__ccfb_rest rest; /* build: ignored */
};

enum weir_status weir__ccfb_parse(const struct weir__rtcp_packet *packet,
                                  struct weir__ccfb_peer *peer, struct weir__ccfb *ccfb,
                                  struct weir__feedback_entry *entries, size_t capacity);

/* A packet reported received in one entry stays received, whatever another entry or a later report
 * says. has_time is false for arrivals out of range too. */
/* The entries after those read so far. Returns how many, 0 at the end. */
size_t weir__ccfb_read(struct weir__ccfb *ccfb, struct weir__feedback_entry *entries,
                       size_t capacity);

/* Writes as many of the entries as one packet of capacity_bytes can carry and says how many; call
 * again with the rest. Entries of one SSRC with consecutive seq share a report block, so sort by
 * SSRC and seq. No entries: a packet with only the timestamp. Of ccfb it reads sender_ssrc and
 * report_mid32. WEIR_ERROR_NO_SPACE when not even one entry fits. */
enum weir_status weir__ccfb_build(const struct weir__ccfb *ccfb,
                                  const struct weir__feedback_entry *entries, size_t n_entries,
                                  uint8_t *buffer, size_t capacity_bytes, size_t *size_bytes,
                                  size_t *n_written);

#endif
